// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The simplified policy of Newton's method keeps its tangent from step to step, and no longer than
// what the tangent was made of.

#include "integrate_cases.h"

// a step that may be longer than the others, after a change of the model
typedef struct Change {
    const char *name;
    bool renews;
    LyraStatus (*make)(const Body *body);
    double h;
} Change;

static LyraStatus change_nothing(const Body *body)
{
    (void)body;
    return LYRA_OK;
}

static LyraStatus change_gravity(const Body *body)
{
    const double gravity[3] = {0, -9, 0};
    return lyra_model_set_gravity(body->model, gravity);
}

static LyraStatus change_force(const Body *body)
{
    double *force = calloc((size_t)body->size, sizeof *force);
    force[body->size - 1] = 0.1;
    LyraStatus status = lyra_model_set_force(body->model, force);
    free(force);
    return status;
}

static LyraStatus change_material(const Body *body)
{
    LyraMeshView view = lyra_mesh_view(body->mesh);
    double *values = malloc((size_t)view.element_count * sizeof *values);
    for (int32_t e = 0; e < view.element_count; ++e) {
        values[e] = 3e4 + 100 * e;
    }
    LyraStatus status = lyra_model_set_parameter(body->model, 0, "lambda", values);
    free(values);
    return status;
}

static LyraStatus change_masses(const Body *body)
{
    return lyra_model_set_mass_factor(body->model, 1.01);
}

static LyraStatus change_damping(const Body *body)
{
    return lyra_model_set_damping(body->model, 0.1, 2e-3);
}

static LyraStatus change_constraints(const Body *body)
{
    const int32_t last = body->vertex_count - 1;
    const double slanted[3] = {1, 2, -1};
    return lyra_constraints_add_direction(lyra_model_constraints(body->model), last, slanted);
}

static const Change changes[] = {
    {"nothing", false, change_nothing, 1e-3},        {"gravity", false, change_gravity, 1e-3},
    {"a force", false, change_force, 1e-3},          {"the material", true, change_material, 1e-3},
    {"the masses", true, change_masses, 1e-3},       {"the damping", true, change_damping, 1e-3},
    {"constraints", true, change_constraints, 1e-3}, {"the step", true, change_nothing, 2e-3},
};

static bool make(LyraContext *ctx, const char *solver, Body *body, LyraIntegrator **it)
{
    BodyDef settings = body_def();
    settings.model = "corotational";
    settings.cells[0] = 3;
    settings.cells[1] = settings.cells[2] = 1;
    settings.gravity = -9.81;
    settings.mass_damping = 0.1;
    settings.stiffness_damping = 1e-3;
    settings.solver = solver;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.newton.policy = LYRA_NEWTON_SIMPLIFIED;
    return make_body(ctx, &settings, body) &&
           TEST_OK(lyra_integrator_create(ctx, &def, body->system, it));
}

// steps with a change before the sixth; a second body starts anew from the state before the change
static void check_change(const char *solver, const Change *change)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body, other;
    LyraIntegrator *it = NULL, *fresh = NULL;
    bool made = make(ctx, solver, &body, &it);
    made = make(ctx, solver, &other, &fresh) && made;
    for (int32_t s = 0; made && s < 8; ++s) {
        LyraStepReport report, again;
        if (s == 5) {
            TEST_OK(lyra_state_assign(other.state, body.state));
            TEST_OK(change->make(&body));
            TEST_OK(change->make(&other));
        }
        double h = s < 5 ? 1e-3 : change->h;
        made = TEST_OK(lyra_integrator_step(it, body.state, h, &report));
        bool renews = s == 0 || (s == 5 && change->renews);
        TEST_CHECK_MSG((report.factorisations > 0) == renews, "%s, %s, step %d: %d factors", solver,
                       change->name, (int)s, (int)report.factorisations);
        if (made && s >= 5) {
            made = TEST_OK(lyra_integrator_step(fresh, other.state, h, &again));
            TEST_CHECK_MSG(lyra_state_equal(body.state, other.state), "%s, %s, step %d: other bits",
                           solver, change->name, (int)s);
        }
    }
    lyra_integrator_destroy(it);
    lyra_integrator_destroy(fresh);
    end_body(&body);
    end_body(&other);
    test_context_end(ctx);
}

LYRA_TEST(a_kept_tangent_ends_with_what_it_was_made_of)
{
    for (size_t c = 0; c < sizeof changes / sizeof changes[0]; ++c) {
        check_change("pcg", &changes[c]);
        check_change("dense", &changes[c]);
    }
}

// the same numbers have the same fingerprint, whatever happened before
LYRA_TEST(fingerprints_are_of_numbers)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t dense = 0; dense < 2; ++dense) {
        Body body, other;
        LyraIntegrator *it = NULL, *unused = NULL;
        bool made = make(ctx, dense ? "dense" : "pcg", &body, &it);
        made = make(ctx, dense ? "dense" : "pcg", &other, &unused) && made;
        if (made) {
            uint64_t first = lyra_system_fingerprint(body.system);
            TEST_CHECK(lyra_system_fingerprint(other.system) == first);
            TEST_OK(change_damping(&body));
            TEST_CHECK(lyra_system_fingerprint(body.system) != first);
            TEST_OK(lyra_model_set_damping(body.model, 0.1, 1e-3));
            TEST_CHECK(lyra_system_fingerprint(body.system) == first);
            TEST_OK(change_material(&body));
            TEST_CHECK(lyra_system_fingerprint(body.system) != first);
            TEST_OK(change_material(&other));
            TEST_CHECK(lyra_system_fingerprint(other.system) ==
                       lyra_system_fingerprint(body.system));
        }
        lyra_integrator_destroy(it);
        lyra_integrator_destroy(unused);
        end_body(&body);
        end_body(&other);
    }
    // a system of functions has nothing to turn
    LyraSystem *toy = make_toy(ctx);
    TEST_EQUAL((int64_t)lyra_system_fingerprint(toy), 0);
    lyra_system_destroy(toy);
    test_context_end(ctx);
}
