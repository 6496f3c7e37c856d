// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces over lists of springs: their types and parameters. The mathematics is in spring_kernel.c.

#include "force/springs.h"

#include "base/base.h"

#define SPRING_TRAITS                                                                              \
    (LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_REORDERABLE | LYRA_FORCE_SPRINGS)
#define UNDAMPED_TRAITS                                                                            \
    (SPRING_TRAITS | LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_CONTRACTION)
#define FULL_TRAITS                                                                                \
    (SPRING_TRAITS | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_VELOCITY | LYRA_FORCE_DASHPOT |             \
     LYRA_FORCE_CONTRACTION)
#define CONSTANT_TRAITS (LYRA_FORCE_CONSTANT | LYRA_FORCE_INEXACT)
#define ALONG_TRAITS (SPRING_TRAITS | LYRA_FORCE_VELOCITY)

static const char *const spring_names[LYRA_SPRING_PARAMETER_COUNT] = {
    [LYRA_SPRING_STIFFNESS] = "stiffness",
    [LYRA_SPRING_REST_LENGTH] = "rest length",
    [LYRA_SPRING_DAMPING] = "damping",
};
static const LyraParameterKind spring_kinds[LYRA_SPRING_PARAMETER_COUNT] = {
    [LYRA_SPRING_STIFFNESS] = LYRA_PARAMETER_NOT_NEGATIVE,
    [LYRA_SPRING_REST_LENGTH] = LYRA_PARAMETER_NOT_NEGATIVE,
    [LYRA_SPRING_DAMPING] = LYRA_PARAMETER_NOT_NEGATIVE,
};
static const char *const maxwell_names[LYRA_MAXWELL_PARAMETER_COUNT] = {
    [LYRA_MAXWELL_STIFFNESS] = "stiffness",
    [LYRA_MAXWELL_REST_LENGTH] = "rest length",
    [LYRA_MAXWELL_BRANCH_STIFFNESS] = "stiffness of the branch",
    [LYRA_MAXWELL_RELAXATION_TIME] = "relaxation time",
};
static const LyraParameterKind maxwell_kinds[LYRA_MAXWELL_PARAMETER_COUNT] = {
    [LYRA_MAXWELL_STIFFNESS] = LYRA_PARAMETER_NOT_NEGATIVE,
    [LYRA_MAXWELL_REST_LENGTH] = LYRA_PARAMETER_NOT_NEGATIVE,
    [LYRA_MAXWELL_BRANCH_STIFFNESS] = LYRA_PARAMETER_NOT_NEGATIVE,
    [LYRA_MAXWELL_RELAXATION_TIME] = LYRA_PARAMETER_POSITIVE,
};

static const char *const maxwell_history[LY_MAXWELL_HISTORY] = {
    [LY_MAXWELL_TENSION] = "tension of the branch",
    [LY_MAXWELL_EXTENSION] = "extension",
    [LY_MAXWELL_LOST] = "dissipated",
};
static const char *const maxwell_units[LY_MAXWELL_HISTORY] = {
    [LY_MAXWELL_TENSION] = "N",
    [LY_MAXWELL_EXTENSION] = "m",
    [LY_MAXWELL_LOST] = "J",
};

#define SPRING_TYPE(isa, word, bits, numbers, words, memory, kernel)                               \
    {                                                                                              \
        .name = word, .nodes = 2, .traits = bits, .parameter_count = numbers,                      \
        .parameter_names = words##_names, .parameter_kinds = words##_kinds,                        \
        .history_count = memory, .history_names = (memory) > 0 ? maxwell_history : NULL,           \
        .history_units = (memory) > 0 ? maxwell_units : NULL, .evaluate = kernel##_##isa,          \
    }
#define SPRING_TYPES(...) LY_KERNEL_TABLE_OF(SPRING_TYPE, __VA_ARGS__)

static const LyraForceType undamped_types[LYRA_ISA_COUNT] = SPRING_TYPES(
    "mass-spring", UNDAMPED_TRAITS, LYRA_SPRING_DAMPING, spring, 0, ly_spring_undamped);
static const LyraForceType full_types[LYRA_ISA_COUNT] = SPRING_TYPES(
    "mass-spring", FULL_TRAITS, LYRA_SPRING_PARAMETER_COUNT, spring, 0, ly_spring_full);
static const LyraForceType constant_types[LYRA_ISA_COUNT] =
    SPRING_TYPES("mass-spring", (UNDAMPED_TRAITS & ~LYRA_FORCE_CONTRACTION) | CONSTANT_TRAITS,
                 LYRA_SPRING_DAMPING, spring, 0, ly_spring_constant);
static const LyraForceType constant_full_types[LYRA_ISA_COUNT] =
    SPRING_TYPES("mass-spring", (FULL_TRAITS & ~LYRA_FORCE_CONTRACTION) | CONSTANT_TRAITS,
                 LYRA_SPRING_PARAMETER_COUNT, spring, 0, ly_spring_constant_full);
static const LyraForceType along_types[LYRA_ISA_COUNT] = SPRING_TYPES(
    "mass-spring", ALONG_TRAITS, LYRA_SPRING_PARAMETER_COUNT, spring, 0, ly_spring_along);
static const LyraForceType along_symmetric_types[LYRA_ISA_COUNT] =
    SPRING_TYPES("mass-spring", ALONG_TRAITS | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_INEXACT,
                 LYRA_SPRING_PARAMETER_COUNT, spring, 0, ly_spring_along_symmetric);
static const LyraForceType maxwell_types[LYRA_ISA_COUNT] =
    SPRING_TYPES("maxwell-spring", UNDAMPED_TRAITS | LYRA_FORCE_HISTORY | LYRA_FORCE_LOSES,
                 LYRA_MAXWELL_PARAMETER_COUNT, maxwell, LY_MAXWELL_HISTORY, ly_spring_maxwell);

// ---- parameters ---------------------------------------------------------------------------------

// where a number of each spring comes from: the first that is not NULL
typedef struct Source {
    const double *springs; // [spring_count]
    const double *groups;  // [group_count]
    double all;
} Source;

static void fill_parameter(const LyraSpringsView *springs, const Source *source, int32_t parameter,
                           int32_t parameter_count, double *parameters)
{
    for (int32_t s = 0; s < springs->spring_count; ++s) {
        parameters[(int64_t)s * parameter_count + parameter] =
            source->springs  ? source->springs[s]
            : source->groups ? source->groups[springs->groups[s]]
                             : source->all;
    }
}

// force of `type` with parameter i of each spring from sources[i]
static LyraStatus create_force(LyraContext *ctx, const LyraSpringsView *springs,
                               const LyraForceType *type, const Source *sources, LyraForce **out)
{
    double *parameters = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)springs->spring_count * type->parameter_count,
                                  sizeof *parameters, &parameters));
    for (int32_t i = 0; i < type->parameter_count; ++i) {
        fill_parameter(springs, &sources[i], i, type->parameter_count, parameters);
    }
    LyraForceDef def = lyra_force_def_default();
    def.type = type;
    def.stencil_count = springs->spring_count;
    def.stencils = springs->vertices;
    def.parameters = parameters;
    LY_TRY_DONE(lyra_force_create(ctx, &def, out));
done:
    ly_release(ctx, parameters);
    return status;
}

// ---- creation -----------------------------------------------------------------------------------

LyraMassSpringDef lyra_mass_spring_def_default(void)
{
    return (LyraMassSpringDef){.stiffness = 1, .cookie = LY_DEF_COOKIE};
}

LyraStatus lyra_mass_spring_create(LyraContext *ctx, const LyraSprings *springs,
                                   const LyraMassSpringDef *def, LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_mass_spring_def_default");
    const LyraForceType *types;
    if (def->constant && def->damping_kind == LYRA_SPRING_DAMPING_ALONG) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "mass-spring: a constant tangent with damping along the "
                       "spring, expected none or full damping");
    }
    switch (def->damping_kind) {
    case LYRA_SPRING_UNDAMPED:
        types = def->constant ? constant_types : undamped_types;
        break;
    case LYRA_SPRING_DAMPING_FULL:
        types = def->constant ? constant_full_types : full_types;
        break;
    case LYRA_SPRING_DAMPING_ALONG:
        types = def->symmetric ? along_symmetric_types : along_types;
        break;
    default:
        return ly_fail(LYRA_INVALID_ARGUMENT, "mass-spring: kind of damping %d, expected 0 to %d",
                       (int)def->damping_kind, LYRA_SPRING_DAMPING_KIND_COUNT - 1);
    }
    const Source sources[LYRA_SPRING_PARAMETER_COUNT] = {
        [LYRA_SPRING_STIFFNESS] = {.springs = def->spring_stiffness,
                                   .groups = def->group_stiffness,
                                   .all = def->stiffness},
        [LYRA_SPRING_REST_LENGTH] = {.springs = springs->rest_lengths},
        [LYRA_SPRING_DAMPING] = {.springs = def->spring_damping,
                                 .groups = def->group_damping,
                                 .all = def->damping},
    };
    return create_force(ctx, &springs->view, &types[lyra_context_isa(ctx)], sources, out);
}

LyraMaxwellSpringDef lyra_maxwell_spring_def_default(void)
{
    return (LyraMaxwellSpringDef){
        .stiffness = 1, .branch_stiffness = 1, .relaxation_time = 1, .cookie = LY_DEF_COOKIE};
}

LyraStatus lyra_maxwell_spring_create(LyraContext *ctx, const LyraSprings *springs,
                                      const LyraMaxwellSpringDef *def, LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_maxwell_spring_def_default");
    const Source sources[LYRA_MAXWELL_PARAMETER_COUNT] = {
        [LYRA_MAXWELL_STIFFNESS] = {.springs = def->spring_stiffness, .all = def->stiffness},
        [LYRA_MAXWELL_REST_LENGTH] = {.springs = springs->rest_lengths},
        [LYRA_MAXWELL_BRANCH_STIFFNESS] = {.springs = def->spring_branch_stiffness,
                                           .all = def->branch_stiffness},
        [LYRA_MAXWELL_RELAXATION_TIME] = {.springs = def->spring_relaxation_time,
                                          .all = def->relaxation_time},
    };
    return create_force(ctx, &springs->view, &maxwell_types[lyra_context_isa(ctx)], sources, out);
}
