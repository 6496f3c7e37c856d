// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits of strain: the force, whose mathematics is in strain_limit_kernel.c, and the projection.
//
// A triangle whose stretch s_i is beyond its bound s has the constraint C = s_i - s = 0, with
// dC/dx_m = (v_i.b_m) u_i. The least motion, weighed by mass, that meets it to first order is
//   dx_m = - l B_m dC/dx_m,   l = C/(sum of dC/dx_m . B_m dC/dx_m),                            (1)
// with the mobility B_m = 1/m of a free vertex. C is blind to rigid motion, so sum of B_m^-1 dx_m
// and its moment are zero. Where the three are of one mass (1) scales the triangle about its centre
// along u_i, which is what clamping s_i does; where they are not, clamping would turn it.

#include "force/strain_limit.h"

#include "base/base.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

LyraStrainLimitDef lyra_strain_limit_def_default(void)
{
    return (LyraStrainLimitDef){.high = 1.1, .stiffness = 1e5, .cookie = LY_DEF_COOKIE};
}

// ---- the force ----------------------------------------------------------------------------------

static const char *const names[LYRA_STRAIN_LIMIT_PARAMETER_COUNT] = {"low", "high", "stiffness"};
static const LyraParameterKind kinds[LYRA_STRAIN_LIMIT_PARAMETER_COUNT] = {
    LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_POSITIVE, LYRA_PARAMETER_NOT_NEGATIVE};

static LyraForceType make_type(LyraContext *ctx)
{
    static LyClothKernel *const kernels[] = LY_KERNEL_TABLE(ly_strain_limit);
    return (LyraForceType){.name = "strain-limit",
                           .nodes = 3,
                           .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC |
                                     LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_REORDERABLE,
                           .constant_count = LY_CLOTH_CONSTANTS,
                           .parameter_count = LYRA_STRAIN_LIMIT_PARAMETER_COUNT,
                           .parameter_names = names,
                           .parameter_kinds = kinds,
                           .setup = ly_cloth_setup_triangle,
                           .evaluate = kernels[lyra_context_isa(ctx)],
                           .destroy = ly_cloth_destroy_force};
}

static LyraStatus check_bounds(double low, double high)
{
    return low >= 0 && high > 0 && low <= high && isfinite(high)
               ? LYRA_OK
               : ly_fail(LYRA_INVALID_ARGUMENT,
                         "strain limit: found stretches from %g to %g, expected 0 <= low <= high, "
                         "high above 0",
                         low, high);
}

LyraStatus lyra_strain_limit_create(const LyraCloth *cloth, const LyraStrainLimitDef *def,
                                    LyraForce **out)
{
    LYRA_ASSERT(cloth && def && out);
    LY_CHECK_DEF(def, "lyra_strain_limit_def_default");
    LY_TRY(check_bounds(def->low, def->high));
    LyraContext *ctx = cloth->ctx;
    int64_t triangles = cloth->view.triangle_count, constants = LY_CLOTH_CONSTANTS * triangles;
    LyClothForce *self = NULL;
    double *parameters = NULL;
    LyraForceDef force = lyra_force_def_default();
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    *self = (LyClothForce){.ctx = ctx, .type = make_type(ctx)};
    LY_TRY_DONE(ly_allocate_array(ctx, constants, sizeof *self->constants, &self->constants));
    LY_TRY_DONE(ly_allocate_array(ctx, LYRA_STRAIN_LIMIT_PARAMETER_COUNT * triangles,
                                  sizeof *parameters, &parameters));
    for (int64_t t = 0; t < triangles; ++t) {
        double *own = self->constants + LY_CLOTH_CONSTANTS * t;
        double *numbers = parameters + LYRA_STRAIN_LIMIT_PARAMETER_COUNT * t;
        memcpy(own, cloth->constants + LY_CLOTH_CONSTANTS * t, LY_CLOTH_CONSTANTS * sizeof *own);
        own[LY_CLOTH_FACTOR] =
            0.5 / fabs(own[LY_CLOTH_U1] * own[LY_CLOTH_V2] - own[LY_CLOTH_U2] * own[LY_CLOTH_V1]);
        numbers[LYRA_STRAIN_LIMIT_LOW] = def->low;
        numbers[LYRA_STRAIN_LIMIT_HIGH] = def->high;
        numbers[LYRA_STRAIN_LIMIT_STIFFNESS] = def->stiffness;
    }
    force.type = &self->type;
    force.self = self;
    force.stencil_count = (int32_t)triangles;
    force.stencils = cloth->triangles;
    force.parameters = parameters;
    LY_TRY_DONE(lyra_force_create(ctx, &force, out));
    self = NULL;
done:
    ly_release(ctx, parameters);
    ly_cloth_destroy_force(self);
    return status;
}

// ---- stretches ----------------------------------------------------------------------------------

// one stretch of a triangle, and b_m along v, u
typedef struct Stretch {
    double s, b[3], u[3];
} Stretch;

// The larger stretch, or the smaller one; `b` and `u` of one of no length are zero.
static Stretch find_stretch(const double *constants, const double *x[3], bool larger)
{
    Stretch out = {0};
    double w[2][3], cross[3];
    for (int d = 0; d < 2; ++d) {
        for (int i = 0; i < 3; ++i) {
            w[d][i] = constants[LY_CLOTH_U1 + 2 * d] * (x[1][i] - x[0][i]) +
                      constants[LY_CLOTH_U2 + 2 * d] * (x[2][i] - x[0][i]);
        }
    }
    double uu = ly_dot3(w[0], w[0]), vv = ly_dot3(w[1], w[1]), uv = ly_dot3(w[0], w[1]);
    double angle = 0.5 * atan2(2 * uv, uu - vv), c = cos(angle), s = sin(angle);
    double top = sqrt(0.5 * (uu + vv + hypot(uu - vv, 2 * uv)));
    ly_cross3(w[0], w[1], cross);
    out.s = larger ? top : top > 0 ? sqrt(ly_dot3(cross, cross)) / top : 0;
    double along = larger ? c : -s, beside = larger ? s : c;
    for (int m = 1; m < 3 && out.s > 0; ++m) {
        out.b[m] = along * constants[LY_CLOTH_U1 + m - 1] + beside * constants[LY_CLOTH_V1 + m - 1];
    }
    out.b[0] = -(out.b[1] + out.b[2]);
    for (int i = 0; i < 3 && out.s > 0; ++i) {
        out.u[i] = (along * w[0][i] + beside * w[1][i]) / out.s;
    }
    return out;
}

static void find_corners(const LyraCloth *cloth, int32_t t, const double *positions,
                         const double *x[3])
{
    for (int m = 0; m < 3; ++m) {
        x[m] = positions + 3 * (int64_t)cloth->triangles[3 * (int64_t)t + m];
    }
}

// ---- the projection -----------------------------------------------------------------------------

static double beyond(const LyraStrainProjection *projection, double s)
{
    return fmax(fmax(s - projection->high, projection->low - s), 0);
}

static void apply(const double *B, const double x[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = ly_dot3(B + 3 * i, x);
    }
}

// (1) of one stretch; false where nothing may move, or is to
static bool project(const LyraCloth *cloth, const LyraStrainProjection *projection, int32_t t,
                    bool larger, double *positions)
{
    const double *x[3];
    const int32_t *ids = cloth->triangles + 3 * (int64_t)t;
    find_corners(cloth, t, positions, x);
    Stretch at = find_stretch(cloth->constants + LY_CLOTH_CONSTANTS * (int64_t)t, x, larger);
    if (!(beyond(projection, at.s) > projection->tolerance)) {
        return false;
    }
    double C = at.s - (at.s > projection->high ? projection->high : projection->low);
    double move[3][3], sum = 0;
    for (int m = 0; m < 3; ++m) {
        apply(projection->mobility + 9 * (int64_t)ids[m], at.u, move[m]);
        sum += at.b[m] * at.b[m] * ly_dot3(at.u, move[m]);
    }
    for (int m = 0; m < 3 && sum > 0; ++m) {
        for (int i = 0; i < 3; ++i) {
            positions[3 * (int64_t)ids[m] + i] -= C / sum * at.b[m] * move[m][i];
        }
    }
    return sum > 0;
}

LyraStrainProjected lyra_cloth_limit_strain(const LyraCloth *cloth,
                                            const LyraStrainProjection *projection,
                                            double *positions)
{
    LYRA_ASSERT(cloth && projection && positions && projection->mobility);
    LyraStrainProjected report = {0};
    int32_t count = cloth->view.triangle_count;
    for (bool moved = true; moved && report.passes < projection->passes;) {
        moved = false;
        for (int32_t k = 0; k < count; ++k) {
            // there and back, so that nothing drifts along the order
            int32_t t = report.passes % 2 ? count - 1 - k : k;
            moved |= project(cloth, projection, t, true, positions);
            moved |= project(cloth, projection, t, false, positions);
        }
        report.passes += moved;
    }
    for (int32_t t = 0; t < count; ++t) {
        const double *x[3], *constants = cloth->constants + LY_CLOTH_CONSTANTS * (int64_t)t;
        find_corners(cloth, t, positions, x);
        for (int k = 0; k < 2; ++k) {
            double left = beyond(projection, find_stretch(constants, x, k == 0).s);
            report.beyond = fmax(report.beyond, left);
        }
    }
    return report;
}
