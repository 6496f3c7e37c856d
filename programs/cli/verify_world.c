// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Worlds that come to rest, and the chain that hangs by its ends.

#include "verify_world.h"

#include <math.h>

LyraStatus verify_world_create(LyraContext *ctx, const double gravity[3], double dt,
                               LyraWorld **out)
{
    LyraWorldDef def = lyra_world_def_default();
    for (int i = 0; i < 3; ++i) {
        def.gravity[i] = lyra_curve_constant(gravity[i]);
    }
    def.damping.mass = 1;
    def.integrator.name = "backward-euler";
    def.integrator.newton.policy = LYRA_NEWTON_FULL;
    def.solver.name = "cholesky";
    def.time.dt = dt;
    return lyra_world_create(ctx, &def, out);
}

LyraStatus verify_settle(LyraWorld *world, double least)
{
    enum { STEPS = 3000 };
    LyraStepReport report;
    for (int step = 0; step < STEPS; ++step) {
        VERIFY_TRY(lyra_world_step(world, &report));
        if (step > 10 && report.kinetic < least) {
            break;
        }
    }
    return LYRA_OK;
}

LyraStatus verify_world_reactions(LyraWorld *world, LyraVector **out)
{
    LyraWorldView view = lyra_world_view(world);
    VERIFY_TRY(lyra_vector_create(lyra_world_context(world), lyra_system_size(view.system), out));
    return lyra_integrator_reaction(view.integrator, view.state, *out);
}

// ---- the catenary -------------------------------------------------------------------------------

// a = T_min/(weight per length) of a chain of length 1 over the span: sinh(span/2a) = 1/2a
static double find_catenary(void)
{
    double low = 0.1, high = 10;
    for (int k = 0; k < 200; ++k) {
        double a = 0.5 * (low + high);
        *(2 * a * sinh(VERIFY_SPAN / (2 * a)) > 1 ? &low : &high) = a;
    }
    return 0.5 * (low + high);
}

LyraStatus verify_start_hanging(LyraWorld *world)
{
    VERIFY_TRY(lyra_world_prepare(world));
    LyraWorldView view = lyra_world_view(world);
    LyraModelView model = lyra_model_view(view.model);
    double *u = lyra_vector_values_mutable(lyra_state_view(view.state).u);
    for (int32_t v = 0; v < model.vertex_count; ++v) {
        double s = model.positions[3 * v];
        u[3 * v] = (0.5 - s) * (1 - VERIFY_SPAN);
        u[3 * v + 1] = -1.08 * s * (1 - s);
    }
    return LYRA_OK;
}

LyraStatus verify_catenary(Verify *verify, const char *parts, VerifyHang *hang)
{
    static const char *const names[3] = {"sag", "least tension", "largest tension"};
    double a = find_catenary(), sag = a * (cosh(VERIFY_SPAN / (2 * a)) - 1);
    const double exact[3] = {sag, a, a + sag};
    for (int32_t count = 20; count <= (verify->quick ? 20 : 80); count *= 2) {
        double ours[3];
        VERIFY_TRY(hang(verify->ctx, count, ours));
        for (int k = 0; k < 3; ++k) {
            verify_relative(verify, exact[k], ours[k], 0.7 / ((double)count * count) + 5e-5,
                            "%d %s, %s", (int)count, parts, names[k]);
        }
    }
    return LYRA_OK;
}
