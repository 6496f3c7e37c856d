// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Shells: settings, the membrane, masses, measures. The mathematics is in
// shell_membrane_kernel.c and shell_morley_kernel.c, bending in shell_bend.c.

#include "force/shell.h"

#include "base/base.h"
#include "force/definite.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

// ---- settings -----------------------------------------------------------------------------------

const char *lyra_shell_bend_name(LyraShellBend bend)
{
    static const char *const names[LYRA_SHELL_BEND_COUNT] = {"morley", "hinge", "quadratic",
                                                             "none"};
    return (unsigned)bend < LYRA_SHELL_BEND_COUNT ? names[bend] : "unknown";
}

LyraShellDef lyra_shell_def_default(void)
{
    return (LyraShellDef){.thickness = 1e-3,
                          .material = lyra_elastic_def_default(),
                          .bend_factor = 1,
                          .rest_angles = true,
                          .cookie = LY_DEF_COOKIE};
}

static LyraStatus check_thickness(double value, const char *what, int32_t t)
{
    if (value > 0 && value <= 1e100) {
        return LYRA_OK;
    }
    return ly_fail(isfinite(value) ? LYRA_INVALID_ARGUMENT : LYRA_NOT_FINITE,
                   "shell: %s %d is %g m thick, expected a number above 0", what, (int)t, value);
}

static LyraStatus check_triangle(const LyraShellDef *def, int32_t t)
{
    const int32_t *ids = def->triangles + 3 * (int64_t)t;
    for (int c = 0; c < 3; ++c) {
        if (ids[c] < 0 || ids[c] >= def->vertex_count || ids[c] == ids[(c + 1) % 3]) {
            return ly_fail(LYRA_BAD_MESH,
                           "shell: triangle %d has the vertices %d, %d, %d, expected three of 0 to "
                           "%d",
                           (int)t, (int)ids[0], (int)ids[1], (int)ids[2],
                           (int)def->vertex_count - 1);
        }
    }
    return def->thicknesses ? check_thickness(def->thicknesses[t], "triangle", t) : LYRA_OK;
}

static LyraStatus check_def(const LyraShellDef *def)
{
    if (def->vertex_count < 0 || def->triangle_count < 0 || def->triangle_count > INT32_MAX / 12 ||
        (def->triangle_count > 0 && (!def->positions || !def->triangles))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "shell: %d triangles of %d vertices need positions and triangles",
                       (int)def->triangle_count, (int)def->vertex_count);
    }
    if ((unsigned)def->bend >= LYRA_SHELL_BEND_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "shell: model of bending %d, expected 0 to %d",
                       (int)def->bend, LYRA_SHELL_BEND_COUNT - 1);
    }
    if (!(def->bend_factor >= 0 && isfinite(def->bend_factor))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "shell: bending stiffness times %g, expected a number from 0 up",
                       def->bend_factor);
    }
    if (def->clamped_count < 0 || (def->clamped_count > 0 && !def->clamped)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "shell: %d clamped edges without a list",
                       (int)def->clamped_count);
    }
    if (def->clamped_count > 0 && def->bend != LYRA_SHELL_BEND_MORLEY) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "shell: clamped edges with bending %s, expected morley, or two rows of "
                       "vertices held",
                       lyra_shell_bend_name(def->bend));
    }
    if (def->material.volumetric != LYRA_VOLUMETRIC_STANDARD) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "shell: volumetric %s, expected standard: shells do not lock by volume",
                       lyra_volumetric_name(def->material.volumetric));
    }
    LY_TRY(check_thickness(def->thickness, "shell", 0));
    for (int64_t i = 0; i < 3 * (int64_t)def->vertex_count; ++i) {
        if (!isfinite(def->positions[i])) {
            return ly_fail(LYRA_NOT_FINITE, "shell: vertex %d is not finite", (int)(i / 3));
        }
    }
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        LY_TRY(check_triangle(def, t));
    }
    return LYRA_OK;
}

// ---- the shape at rest --------------------------------------------------------------------------

// an area below this share of the sides' squares is none
#define FLAT 1e-10

// constants of the membrane, and the area
static LyraStatus set_triangle(LyraShell *shell, int32_t t, double *out)
{
    const int32_t *ids = shell->triangles + 3 * (int64_t)t;
    const double *x[3];
    double e[2][3], n[3], length = 0, square = 0, sides = 0, along = 0;
    for (int c = 0; c < 3; ++c) {
        x[c] = shell->positions + 3 * (int64_t)ids[c];
    }
    for (int i = 0; i < 3; ++i) {
        e[0][i] = x[1][i] - x[0][i];
        e[1][i] = x[2][i] - x[0][i];
        double d = e[1][i] - e[0][i];
        length += e[0][i] * e[0][i];
        along += e[0][i] * e[1][i];
        sides += e[0][i] * e[0][i] + e[1][i] * e[1][i] + d * d;
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = e[0][j] * e[1][k] - e[0][k] * e[1][j];
        square += n[i] * n[i];
    }
    double twice = sqrt(square);
    length = sqrt(length);
    if (!(twice > FLAT * sides) || !isfinite(1 / (twice * length)) || !isfinite(square)) {
        return ly_fail(LYRA_BAD_MESH,
                       "shell: triangle %d has no area at rest, expected some (area %g of sides "
                       "%g)",
                       (int)t, 0.5 * twice, sqrt(sides / 3));
    }
    // t_1 along the first side, t_2 = n x t_1 of unit vectors
    for (int i = 0; i < 3; ++i) {
        out[LY_SHELL_T1 + i] = e[0][i] / length;
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[LY_SHELL_T2 + i] = (n[j] * out[LY_SHELL_T1 + k] - n[k] * out[LY_SHELL_T1 + j]) / twice;
    }
    // inverse of [length, along/length; 0, height], its rows the gradients
    double height = twice / length;
    out[LY_SHELL_B] = 1 / length;
    out[LY_SHELL_B + 1] = -along / length / (length * height);
    out[LY_SHELL_B + 2] = 0;
    out[LY_SHELL_B + 3] = 1 / height;
    shell->areas[t] = 0.5 * twice;
    out[LY_SHELL_VOLUME] = shell->areas[t] * shell->thicknesses[t];
    return LYRA_OK;
}

static LyraStatus copy_shape(LyraShell *shell, const LyraShellDef *def)
{
    LyraContext *ctx = shell->ctx;
    int64_t vertices = def->vertex_count, triangles = def->triangle_count;
    LY_TRY(ly_allocate_array(ctx, 3 * vertices, sizeof(double), &shell->positions));
    LY_TRY(ly_allocate_array(ctx, 3 * triangles, sizeof(int32_t), &shell->triangles));
    LY_TRY(ly_allocate_array(ctx, triangles, sizeof(double), &shell->areas));
    LY_TRY(ly_allocate_array(ctx, triangles, sizeof(double), &shell->thicknesses));
    if (vertices > 0) {
        memcpy(shell->positions, def->positions, 3 * (size_t)vertices * sizeof(double));
    }
    if (triangles > 0) {
        memcpy(shell->triangles, def->triangles, 3 * (size_t)triangles * sizeof(int32_t));
    }
    for (int64_t t = 0; t < triangles; ++t) {
        shell->thicknesses[t] = def->thicknesses ? def->thicknesses[t] : def->thickness;
    }
    shell->view = (LyraShellView){.vertex_count = def->vertex_count,
                                  .triangle_count = def->triangle_count,
                                  .triangles = shell->triangles,
                                  .areas = shell->areas,
                                  .thicknesses = shell->thicknesses,
                                  .bend = def->bend};
    return LYRA_OK;
}

// ---- membrane -----------------------------------------------------------------------------------

LyraStatus ly_shell_take(LyraShell *shell, const LyraForceDef *def, LyraStatus status)
{
    LyraForce *force = NULL;
    status = status == LYRA_OK ? lyra_force_create(shell->ctx, def, &force) : status;
    if (status != LYRA_OK) {
        def->type->destroy(def->self);
        return status;
    }
    shell->forces[shell->force_count++] = force;
    return LYRA_OK;
}

static void destroy_membrane(void *data)
{
    LyShellMembrane *self = data;
    if (self) {
        LyraContext *ctx = self->solid.ctx;
        ly_isotropic_release(&self->solid);
        ly_release(ctx, self->constants);
        ly_release(ctx, self);
    }
}

static void setup_membrane(const void *data, int32_t element, const int32_t *order, double *out)
{
    (void)order;
    const LyShellMembrane *self = data;
    memcpy(out, self->constants + (int64_t)element * LY_SHELL_MEMBRANE_CONSTANTS,
           LY_SHELL_MEMBRANE_CONSTANTS * sizeof *out);
}

static void set_type(LyShellMembrane *self)
{
    static LyShellKernel *const kernels[] = LY_KERNEL_TABLE(ly_shell_membrane);
    LyraForceType *type = &self->solid.type;
    type->name = "shell";
    type->nodes = 3;
    type->traits &= ~(uint32_t)(LYRA_FORCE_SOLID | LYRA_FORCE_REORDERABLE);
    type->constant_count = LY_SHELL_MEMBRANE_CONSTANTS;
    type->scratch_bytes = LY_POSITIVE_SCRATCH(3, true);
    type->setup = setup_membrane;
    type->evaluate = kernels[lyra_context_isa(self->solid.ctx)];
    type->destroy = destroy_membrane;
}

static LyraStatus add_membrane(LyraShell *shell, const LyraShellDef *def)
{
    LyraContext *ctx = shell->ctx;
    LyShellMembrane *self = NULL;
    double *parameters = NULL;
    LyraForceDef force = lyra_force_def_default();
    int64_t triangles = shell->view.triangle_count;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->solid.ctx = ctx;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_isotropic_open(ctx, &def->material, &self->solid));
    set_type(self);
    int32_t count = self->solid.type.parameter_count;
    LY_TRY_DONE(ly_allocate_array(ctx, triangles * LY_SHELL_MEMBRANE_CONSTANTS,
                                  sizeof *self->constants, &self->constants));
    LY_TRY_DONE(ly_allocate_array(ctx, (triangles + 1) * count, sizeof *parameters, &parameters));
    LY_TRY_DONE(ly_isotropic_numbers(&def->material, &self->solid, parameters));
    LY_TRY_DONE(
        ly_isotropic_moduli(&self->solid, parameters, &shell->view.young, &shell->view.poisson));
    self->thinning = shell->view.poisson / (1 - shell->view.poisson);
    for (int32_t t = 0; t < triangles; ++t) {
        LY_TRY_DONE(
            set_triangle(shell, t, self->constants + (int64_t)t * LY_SHELL_MEMBRANE_CONSTANTS));
        if (t > 0) {
            memcpy(parameters + (int64_t)t * count, parameters, (size_t)count * sizeof *parameters);
        }
    }
    force.parameters = parameters;
done:
    force.type = &self->solid.type;
    force.type = status == LYRA_OK ? force.type : &(LyraForceType){.destroy = destroy_membrane};
    force.self = self;
    force.stencil_count = shell->view.triangle_count;
    force.stencils = shell->triangles;
    status = ly_shell_take(shell, &force, status);
    ly_release(ctx, parameters);
    return status;
}

// ---- life ---------------------------------------------------------------------------------------

static LyraStatus fill(LyraShell *shell, const LyraShellDef *def)
{
    LY_TRY(copy_shape(shell, def));
    LY_TRY(add_membrane(shell, def));
    double nu = shell->view.poisson;
    shell->flows = def->material.plasticity != NULL;
    shell->bend_factor = def->bend_factor * shell->view.young / (12 * (1 - nu * nu));
    LY_TRY(ly_shell_find_edges(shell, def));
    switch (def->bend) {
    case LYRA_SHELL_BEND_MORLEY:
        return ly_shell_add_morley(shell, def);
    case LYRA_SHELL_BEND_HINGE:
        return ly_shell_add_hinges(shell, def);
    case LYRA_SHELL_BEND_QUADRATIC:
        return ly_shell_add_quadratic(shell);
    default:
        return LYRA_OK;
    }
}

LyraStatus lyra_shell_create(LyraContext *ctx, const LyraShellDef *def, LyraShell **out)
{
    LYRA_ASSERT(ctx && def && out);
    LY_CHECK_DEF(def, "lyra_shell_def_default");
    LY_CHECK_DEF(&def->material, "lyra_elastic_def_default");
    LY_TRY(check_def(def));
    LyraShell *shell = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *shell, &shell));
    shell->ctx = ctx;
    LyraStatus status = fill(shell, def);
    if (status != LYRA_OK) {
        lyra_shell_destroy(shell);
        return status;
    }
    *out = shell;
    return LYRA_OK;
}

void lyra_shell_destroy(LyraShell *shell)
{
    if (shell) {
        LyraContext *ctx = shell->ctx;
        for (int32_t f = 0; f < shell->force_count; ++f) {
            lyra_force_destroy(shell->forces[f]);
        }
        ly_release(ctx, shell->triangles);
        ly_release(ctx, shell->edge_list);
        ly_release(ctx, shell->scalar_edges);
        ly_release(ctx, shell->positions);
        ly_release(ctx, shell->areas);
        ly_release(ctx, shell->thicknesses);
        ly_release(ctx, shell->rest_angles);
        ly_release(ctx, shell->edges);
        ly_release(ctx, shell->side_edge);
        ly_release(ctx, shell);
    }
}

LyraForce *const *lyra_shell_forces(const LyraShell *shell, int32_t *count)
{
    LYRA_ASSERT(shell && count);
    *count = shell->force_count;
    return shell->forces;
}

LyraShellView lyra_shell_view(const LyraShell *shell)
{
    LYRA_ASSERT(shell);
    return shell->view;
}

// ---- measures -----------------------------------------------------------------------------------

void lyra_shell_masses(const LyraShell *shell, double density, double *masses,
                       double *scalar_positions)
{
    LYRA_ASSERT(shell);
    const LyraShellView *view = &shell->view;
    double square = view->scalar_length * view->scalar_length;
    if (masses) {
        memset(masses, 0,
               ((size_t)view->vertex_count + (size_t)view->scalar_count) * sizeof *masses);
        for (int64_t c = 0; c < 3 * (int64_t)view->triangle_count; ++c) {
            double h = shell->thicknesses[c / 3], share = density * h * shell->areas[c / 3] / 3;
            int32_t edge = shell->side_edge[c], scalar = edge < 0 ? -1 : shell->edges[edge].scalar;
            masses[shell->triangles[c]] += share;
            if (scalar >= 0) {
                // rho h^3/12 of a share of the area turns with the normal there
                masses[view->vertex_count + scalar] += share * h * h / 12 / square;
            }
        }
    }
    for (int64_t s = 0; s < view->scalar_count && scalar_positions; ++s) {
        const int32_t *ends = shell->edges[view->scalar_edges[s]].ends;
        for (int i = 0; i < 3; ++i) {
            scalar_positions[3 * s + i] = 0.5 * (shell->positions[3 * (int64_t)ends[0] + i] +
                                                 shell->positions[3 * (int64_t)ends[1] + i]);
        }
    }
}

void lyra_shell_stretches(const LyraShell *shell, const double *positions, double *stretches)
{
    LYRA_ASSERT(shell && positions && stretches);
    const LyShellMembrane *self = shell->forces[0]->self;
    for (int64_t t = 0; t < shell->view.triangle_count; ++t) {
        const int32_t *ids = shell->triangles + 3 * t;
        const double *constants = self->constants + t * LY_SHELL_MEMBRANE_CONSTANTS;
        const double *b = constants + LY_SHELL_B;
        double c11 = 0, c12 = 0, c22 = 0;
        for (int i = 0; i < 3; ++i) {
            double x0 = positions[3 * (int64_t)ids[0] + i];
            double d1 = positions[3 * (int64_t)ids[1] + i] - x0;
            double d2 = positions[3 * (int64_t)ids[2] + i] - x0;
            double f1 = d1 * b[0] + d2 * b[2], f2 = d1 * b[1] + d2 * b[3];
            c11 += f1 * f1;
            c12 += f1 * f2;
            c22 += f2 * f2;
        }
        double mean = 0.5 * (c11 + c22), half = hypot(0.5 * (c11 - c22), c12);
        stretches[2 * t] = sqrt(mean + half);
        // by the determinant, which the difference would lose
        double det = fmax(0, c11 * c22 - c12 * c12);
        stretches[2 * t + 1] = mean + half > 0 ? sqrt(det / (mean + half)) : 0;
    }
}
