// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The forces of rods, and what is measured of them.

#include "base/base.h"
#include "force/rod_inside.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// ---- stretch ------------------------------------------------------------------------------------

LyraStatus ly_rod_make_stretch(LyraRod *rod)
{
    LyraContext *ctx = rod->ctx;
    int32_t count = rod->view.edge_count;
    double *damping = NULL;
    LyraStatus status = LYRA_OK;
    LyraSpringsDef def = lyra_springs_def_default();
    LyraMassSpringDef force = lyra_mass_spring_def_default();
    if (count == 0) {
        return LYRA_OK;
    }
    def.vertex_count = rod->view.vertex_count;
    def.spring_count = count;
    def.vertices = rod->edges;
    def.rest_lengths = rod->lengths;
    LY_TRY_DONE(lyra_springs_create(ctx, &def, &rod->springs));
    force.spring_stiffness = rod->stiffness;
    if (rod->damping > 0) {
        LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *damping, &damping));
        for (int32_t e = 0; e < count; ++e) {
            damping[e] = rod->damping * rod->stiffness[e];
        }
        force.spring_damping = damping;
        force.damping_kind = LYRA_SPRING_DAMPING_ALONG;
        force.symmetric = true;
    }
    LY_TRY_DONE(lyra_mass_spring_create(ctx, rod->springs, &force, &rod->forces[0]));
    rod->force_count = 1;
done:
    ly_release(ctx, damping);
    return status;
}

// ---- joints -------------------------------------------------------------------------------------

static const char *const rod_names[LYRA_ROD_PARAMETER_COUNT] = {
    [LYRA_ROD_BEND_1] = "bend 1",
    [LYRA_ROD_BEND_2] = "bend 2",
    [LYRA_ROD_TWIST] = "twist",
    [LYRA_ROD_REST_CURVATURE_1] = "rest curvature 1",
    [LYRA_ROD_REST_CURVATURE_2] = "rest curvature 2",
    [LYRA_ROD_REST_TWIST] = "rest twist",
    [LYRA_ROD_DAMPING] = "damping",
};
static const LyraParameterKind rod_kinds[LYRA_ROD_PARAMETER_COUNT] = {
    LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE,
    LYRA_PARAMETER_ANY,          LYRA_PARAMETER_ANY,          LYRA_PARAMETER_ANY,
    LYRA_PARAMETER_NOT_NEGATIVE};
static const char *const rope_names[LYRA_ROD_ROPE_PARAMETER_COUNT] = {
    [LYRA_ROD_ROPE_BEND] = "bend",
    [LYRA_ROD_ROPE_DAMPING] = "damping",
};
static const LyraParameterKind rope_kinds[LYRA_ROD_ROPE_PARAMETER_COUNT] = {
    LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE};
static const char *const history_names[LY_ROD_HISTORY] = {
    "frame a w", "frame a x", "frame a y", "frame a z",   "frame b w",   "frame b x",
    "frame b y", "frame b z", "turn",      "curvature 1", "curvature 2", "twist"};
static const char *const history_units[LY_ROD_HISTORY] = {"", "", "",    "", "", "",
                                                          "", "", "rad", "", "", "rad"};

static void setup_joint(const void *self, int32_t element, const int32_t *order, double *constants)
{
    (void)order; // no other
    const LyRodForce *force = self;
    memcpy(constants, force->constants + LY_ROD_CONSTANTS * (int64_t)element,
           LY_ROD_CONSTANTS * sizeof *constants);
}

static void init_joint(const void *self, int32_t element, const int32_t *order, double *history)
{
    (void)order;
    const LyRodForce *force = self;
    memcpy(history, force->history + LY_ROD_HISTORY * (int64_t)element,
           LY_ROD_HISTORY * sizeof *history);
}

static void destroy_force(void *self)
{
    LyRodForce *force = self;
    if (force) {
        ly_release(force->ctx, force->constants);
        ly_release(force->ctx, force->history);
        ly_release(force->ctx, force);
    }
}

static LyraForceType make_type(LyraContext *ctx, bool twists, bool damped)
{
    static LyRodKernel *const joints[] = LY_KERNEL_TABLE(ly_rod_joint);
    static LyRodKernel *const joints_damped[] = LY_KERNEL_TABLE(ly_rod_joint_damped);
    static LyRodKernel *const bends[] = LY_KERNEL_TABLE(ly_rod_bend);
    static LyRodKernel *const bends_damped[] = LY_KERNEL_TABLE(ly_rod_bend_damped);
    LyraIsa isa = lyra_context_isa(ctx);
    // the derivative of the damping by place is symmetric in part only, and so kept
    uint32_t traits = LYRA_FORCE_SYMMETRIC | (damped ? LYRA_FORCE_VELOCITY | LYRA_FORCE_INEXACT
                                                     : (uint32_t)LYRA_FORCE_CONSERVATIVE);
    if (!twists) {
        return (LyraForceType){.name = "rope",
                               .nodes = 3,
                               .traits = traits | LYRA_FORCE_TRANSLATION_INVARIANT,
                               .parameter_count =
                                   damped ? LYRA_ROD_ROPE_PARAMETER_COUNT : LYRA_ROD_ROPE_DAMPING,
                               .parameter_names = rope_names,
                               .parameter_kinds = rope_kinds,
                               .evaluate = (damped ? bends_damped : bends)[isa],
                               .destroy = destroy_force};
    }
    return (LyraForceType){.name = "rod",
                           .nodes = 5,
                           .traits = traits | LYRA_FORCE_HISTORY | LYRA_FORCE_DISPLACEMENT,
                           .constant_count = LY_ROD_CONSTANTS,
                           .parameter_count = damped ? LYRA_ROD_PARAMETER_COUNT : LYRA_ROD_DAMPING,
                           .parameter_names = rod_names,
                           .parameter_kinds = rod_kinds,
                           .history_count = LY_ROD_HISTORY,
                           .history_names = history_names,
                           .history_units = history_units,
                           .history_version = 1,
                           .history_init = init_joint,
                           .setup = setup_joint,
                           .evaluate = (damped ? joints_damped : joints)[isa],
                           .destroy = destroy_force};
}

static LyraStatus copy_array(LyraContext *ctx, int64_t count, const double *from, double **out)
{
    LY_TRY(ly_allocate_array(ctx, count, sizeof **out, out));
    memcpy(*out, from, (size_t)count * sizeof **out);
    return LYRA_OK;
}

// stencils and parameters of the joints as the force has them
static void fill_joints(const LyraRod *rod, const LyraForceType *type, int32_t *stencils,
                        double *parameters)
{
    for (int64_t j = 0; j < rod->view.joint_count; ++j) {
        const double *from = rod->parameters + LYRA_ROD_PARAMETER_COUNT * j;
        double *to = parameters + type->parameter_count * j;
        int32_t *nodes = stencils + type->nodes * j;
        memcpy(nodes, rod->joints + 3 * j, 3 * sizeof *nodes);
        if (rod->view.twists) {
            nodes[3] = rod->view.vertex_count + rod->joint_edges[2 * j];
            nodes[4] = rod->view.vertex_count + rod->joint_edges[2 * j + 1];
            memcpy(to, from, (size_t)type->parameter_count * sizeof *to);
            continue;
        }
        to[LYRA_ROD_ROPE_BEND] = 0.5 * (from[LYRA_ROD_BEND_1] + from[LYRA_ROD_BEND_2]);
        if (rod->damping > 0) {
            to[LYRA_ROD_ROPE_DAMPING] = rod->damping;
        }
    }
}

LyraStatus ly_rod_make_joints(LyraRod *rod)
{
    LyraContext *ctx = rod->ctx;
    int64_t count = rod->view.joint_count;
    LyRodForce *self = NULL;
    int32_t *stencils = NULL;
    double *parameters = NULL;
    LyraForceDef def = lyra_force_def_default();
    LyraStatus status = LYRA_OK;
    if (count == 0) {
        return LYRA_OK;
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    *self = (LyRodForce){.ctx = ctx, .type = make_type(ctx, rod->view.twists, rod->damping > 0)};
    if (rod->view.twists) {
        LY_TRY_DONE(copy_array(ctx, LY_ROD_CONSTANTS * count, rod->constants, &self->constants));
        LY_TRY_DONE(copy_array(ctx, LY_ROD_HISTORY * count, rod->history, &self->history));
    }
    LY_TRY_DONE(ly_allocate_array(ctx, self->type.nodes * count, sizeof *stencils, &stencils));
    LY_TRY_DONE(ly_allocate_array(ctx, self->type.parameter_count * count, sizeof *parameters,
                                  &parameters));
    fill_joints(rod, &self->type, stencils, parameters);
    def.type = &self->type;
    def.self = self;
    def.stencil_count = (int32_t)count;
    def.stencils = stencils;
    def.parameters = parameters;
    LY_TRY_DONE(lyra_force_create(ctx, &def, &rod->forces[rod->force_count]));
    ++rod->force_count;
    self = NULL;
done:
    destroy_force(self);
    ly_release(ctx, stencils);
    ly_release(ctx, parameters);
    return status;
}

// ---- measures -----------------------------------------------------------------------------------

static void measure_tension(const LyraRod *rod, const double *positions, double *tension)
{
    for (int32_t e = 0; e < rod->view.edge_count; ++e) {
        const double *a = positions + 3 * (int64_t)rod->edges[2 * (int64_t)e];
        const double *b = positions + 3 * (int64_t)rod->edges[2 * (int64_t)e + 1];
        double length = hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
        tension[e] = rod->stiffness[e] * (length - rod->lengths[e]);
    }
}

// |kb| of a joint
static double measure_bend(const LyraRod *rod, const double *positions, int32_t j)
{
    const int32_t *nodes = rod->joints + 3 * (int64_t)j;
    double e[2][3], cross[3], square[2] = {0}, dot = 0;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i) {
            e[k][i] =
                positions[3 * (int64_t)nodes[k + 1] + i] - positions[3 * (int64_t)nodes[k] + i];
            square[k] += e[k][i] * e[k][i];
        }
    }
    ly_cross3(e[0], e[1], cross);
    dot = ly_dot3(e[0], e[1]);
    double product = sqrt(square[0] * square[1]);
    double sine = sqrt(ly_dot3(cross, cross));
    return product > 0 ? 2 * sine / fmax(2 * LY_ROD_FLOOR * product, product + dot) : 0;
}

static void keep_larger(double *values, int32_t vertex, double value)
{
    if (values && fabs(value) > fabs(values[vertex])) {
        values[vertex] = value;
    }
}

void lyra_rod_measure(const LyraRod *rod, const double *positions, const double *strains,
                      const LyraRodMeasures *out)
{
    LYRA_ASSERT(rod && positions && out);
    double *const fields[] = {out->curvature, out->moment, out->twist, out->torque};
    for (int f = 0; f < LY_COUNT_OF(fields); ++f) {
        if (fields[f]) {
            memset(fields[f], 0, (size_t)rod->view.vertex_count * sizeof(double));
        }
    }
    if (out->tension) {
        measure_tension(rod, positions, out->tension);
    }
    for (int32_t j = 0; j < rod->view.joint_count; ++j) {
        const int32_t *edges = rod->joint_edges + 2 * (int64_t)j;
        const double *p = rod->parameters + LYRA_ROD_PARAMETER_COUNT * (int64_t)j;
        int32_t vertex = rod->joints[3 * (int64_t)j + 1];
        double length = 0.5 * (rod->lengths[edges[0]] + rod->lengths[edges[1]]), moment;
        double bend = measure_bend(rod, positions, j);
        keep_larger(out->curvature, vertex, bend / length);
        if (strains && rod->view.twists) {
            const double *s = strains + 3 * (int64_t)j;
            moment = hypot(p[LYRA_ROD_BEND_1] * (s[0] - p[LYRA_ROD_REST_CURVATURE_1]),
                           p[LYRA_ROD_BEND_2] * (s[1] - p[LYRA_ROD_REST_CURVATURE_2]));
            keep_larger(out->twist, vertex, s[2] / length);
            keep_larger(out->torque, vertex, p[LYRA_ROD_TWIST] * (s[2] - p[LYRA_ROD_REST_TWIST]));
        } else {
            moment = 0.5 * (p[LYRA_ROD_BEND_1] + p[LYRA_ROD_BEND_2]) * bend;
        }
        keep_larger(out->moment, vertex, moment);
    }
}
