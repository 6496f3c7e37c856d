// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Flow and Maxwell's branches only ever lose energy: a million steps of points at random, inverted
// ones among them, for each kind.

#include "force/isotropic.h"
#include "plastic_body.h"

#define CELLS 8
#define TETS (6 * CELLS * CELLS * CELLS)
#define STEPS (1000000 / TETS + 1)

typedef struct Kind {
    const char *name, *model;
    LyraPlasticityDef plasticity;
    double size; // of random displacements, over the edges of the cells
    bool branch; // of Maxwell's
    bool rests;  // nothing flows in steps of no length, so that they tell what is stored
} Kind;

static Case make(LyraContext *ctx, const Kind *kind)
{
    if (!kind->branch) {
        PlasticDef def = plastic_def(5, 3);
        def.model = kind->model;
        def.plasticity = kind->plasticity;
        return make_plastic_box(ctx, &def, LYRA_ELEMENT_TET4, CELLS, CELLS, CELLS);
    }
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, CELLS, CELLS, CELLS);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraForce *force = NULL;
    TEST_OK(ly_branch_create(ctx, mesh, 1, 3, 0.3, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_mesh_destroy(mesh);
    return c;
}

typedef struct Loss {
    double *lost, *before;   // of each tet
    double *stored, *remain; // at the end of a step, before and after it flows
    int64_t falls, gains, wrong;
} Loss;

static void energies(const Case *c, const double *x, double dt, double *out)
{
    LyraEvaluation at = {.x = x, .dt = dt, .history = c->history};
    TEST_OK(lyra_assembly_evaluate_stencils(c->assembly, 0, &at, out, NULL));
}

// A step to x, which is reached at once and then held: what is stored falls by all that is lost.
static void step(Case *c, const Kind *kind, int32_t place, const double *x, double dt, Loss *loss)
{
    if (kind->rests) {
        energies(c, x, 0, loss->stored);
    }
    LyraEvaluation at = {.x = x, .dt = dt, .history = c->history, .trial_history = c->history};
    TEST_OK(lyra_assembly_evaluate(c->assembly, &at));
    memcpy(loss->before, loss->lost, TETS * sizeof *loss->lost);
    TEST_OK(lyra_assembly_read_history(c->assembly, 0, place, c->history, loss->lost));
    if (kind->rests) {
        energies(c, x, 0, loss->remain);
    }
    for (int32_t e = 0; e < TETS; ++e) {
        double change = loss->lost[e] - loss->before[e];
        loss->falls += !(change >= 0);
        loss->gains += change > 0;
        double fall = kind->rests ? loss->stored[e] - loss->remain[e] : change;
        loss->wrong += !(fall >= change - 1e-10 * (1 + fabs(loss->stored[e])));
    }
}

static void check_kind(const Kind *kind)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case c = make(ctx, kind);
    TEST_REQUIRE(lyra_force_view(c.force).stencil_count == TETS);
    int32_t place = history_place(&c, "dissipated");
    double *x = malloc((size_t)c.n * 3 * sizeof *x), *numbers = calloc(4 * TETS, sizeof *numbers);
    Loss loss = {.lost = numbers,
                 .before = numbers + TETS,
                 .stored = numbers + 2 * TETS,
                 .remain = numbers + 3 * TETS};
    TestRandom random = test_random(8);
    forget(&c);
    for (int i = 0; i < STEPS; ++i) {
        for (int32_t k = 0; k < 3 * c.n; ++k) {
            x[k] = c.rest[k] + kind->size * test_random_normal(&random);
        }
        step(&c, kind, place, x, 0.05 * (i % 4), &loss);
    }
    TEST_CHECK_MSG(loss.falls == 0 && loss.wrong == 0, "%s: %lld losses below 0, %lld wrong",
                   kind->name, (long long)loss.falls, (long long)loss.wrong);
    // most steps flow, so that something was tried
    TEST_CHECK_MSG(loss.gains > TETS * (int64_t)STEPS / 100, "%s: only %lld steps flow", kind->name,
                   (long long)loss.gains);
    free(x);
    free(numbers);
    end_case(&c);
    test_context_end(ctx);
}

static Kind flowing(const char *name)
{
    Kind kind = {.name = name, .model = "hencky", .size = 0.15, .rests = true};
    kind.plasticity = lyra_plasticity_def_default();
    kind.plasticity.yield_stress = 0.3;
    kind.plasticity.hardening = 0.2;
    kind.plasticity.viscosity = 1e-9;
    kind.plasticity.flow_limit = 1e3;
    return kind;
}

LYRA_TEST(von_mises_never_gains_energy)
{
    const LyraStrengthRow rows[3] = {{0, 0.2}, {0.1, 0.5}, {0.4, 0.6}};
    Kind kind = flowing("hardening");
    check_kind(&kind);
    kind = flowing("table and rate");
    kind.plasticity.table = rows;
    kind.plasticity.table_count = 3;
    kind.plasticity.viscosity = 0.02;
    check_kind(&kind);
    kind = flowing("limits");
    kind.plasticity.flow_limit = 0.3;
    kind.plasticity.step_flow_max = 0.2;
    // flow that is scaled back at its limit leaves its way
    kind.rests = false;
    check_kind(&kind);
}

LYRA_TEST(kinematic_hardening_never_gains_energy)
{
    Kind kind = flowing("kinematic");
    // det F > 0 is needed
    kind.size = 0.03;
    kind.plasticity.yield_stress = 0.1;
    kind.plasticity.kinematic_hardening = 0.5;
    check_kind(&kind);
}

LYRA_TEST(yield_by_deformation_never_gains_energy)
{
    static double goal[TETS][6];
    TestRandom random = test_random(3);
    for (int32_t i = 0; i < 6 * TETS; ++i) {
        goal[i / 6][i % 6] = 0.3 * test_random_normal(&random);
    }
    for (int form = 0; form < 3; ++form) {
        Kind kind = flowing(form == 0 ? "deformation" : form == 1 ? "keeps volume" : "goal");
        kind.model = "neo-hookean";
        kind.plasticity.yield = LYRA_YIELD_DEFORMATION;
        kind.plasticity.yield_strain = 0.1;
        kind.plasticity.keeps_volume = form == 1;
        kind.plasticity.goal_strain = form == 2 ? goal[0] : NULL;
        kind.rests = false;
        check_kind(&kind);
    }
}

LYRA_TEST(maxwell_never_gains_energy)
{
    check_kind(&(Kind){.name = "maxwell", .size = 0.2, .branch = true, .rests = true});
}
