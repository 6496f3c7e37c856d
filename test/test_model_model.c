// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Models: what their settings refuse, masses, gravity, setters and what they change.

#include "model_bodies.h"

#include "model/model.h"

LYRA_TEST(bad_settings_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block(ctx, &(BlockDef){.consistent = true, .dampers = true});
    LyraMeshView mesh = lyra_mesh_view(body.mesh);
    LyraModelDef good = lyra_model_def_default(), def = {.vertex_count = 1};
    LyraModel *model = NULL;
    good.vertex_count = mesh.vertex_count;
    good.positions = mesh.positions;
    good.masses = body.masses;
    good.force_count = 1;
    good.forces = body.forces;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "lyra_model_def_default");
    def = good;
    def.vertex_count = -1;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    def = good;
    def.vertex_count = INT32_MAX;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_TOO_LARGE);
    def = good;
    def.positions = NULL;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    def = good;
    def.masses = NULL;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "neither masses nor a mass matrix");
    def = good;
    LyraForce *none[1] = {NULL};
    def.forces = none;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    def = good;
    def.mass_damping = -1;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    def = good;
    def.stiffness_damping = NAN;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    def = good;
    def.gravity[2] = INFINITY;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_NOT_FINITE);
    // fewer vertices than the force has, than matrices have rows
    def = good;
    def.vertex_count = mesh.vertex_count - 1;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    def.force_count = 0;
    def.mass_matrix = body.mass_matrix;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "a mass matrix of 12 rows for 11 vertices");
    def.mass_matrix = NULL;
    def.damping = body.damping;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    // masses
    double keep = body.masses[5];
    body.masses[5] = -1;
    TEST_STATUS(lyra_model_create(ctx, &good, &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "vertex 5 is -1 kg");
    body.masses[5] = NAN;
    TEST_STATUS(lyra_model_create(ctx, &good, &model), LYRA_NOT_FINITE);
    body.masses[5] = keep;
    // damping: not symmetric, not finite
    def = good;
    def.damping = body.damping;
    double *values = lyra_block_matrix_values_mutable(body.damping);
    keep = values[1];
    values[1] += 1e-3;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "off symmetry");
    values[1] = NAN;
    TEST_STATUS(lyra_model_create(ctx, &def, &model), LYRA_NOT_FINITE);
    values[1] = keep;
    TEST_CHECK(!model);
    TEST_OK(lyra_model_create(ctx, &def, &model));
    lyra_model_destroy(model);
    lyra_model_destroy(NULL);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(consistent_masses_match_the_matrix)
{
    for (int full = 0; full < 2; ++full) {
        LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
        BlockDef def = {.consistent = true, .viscous = full, .unsymmetric = full};
        Body body = make_block_system(ctx, &def, SYSTEM_SPARSE);
        LyraModelView view = lyra_model_view(body.model);
        LyraMassMatrixView mass = lyra_mass_matrix_view(body.mass_matrix);
        TEST_CHECK(view.consistent && mass.upper == !full);
        double *y = calloc((size_t)body.size, sizeof *y);
        const double *x = lyra_vector_values(body.x);
        for (int32_t i = 0; i < mass.row_count; ++i) {
            for (int64_t k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k) {
                for (int d = 0; d < 3; ++d) {
                    int32_t j = mass.column[k];
                    y[3 * i + d] += mass.values[k] * x[3 * j + d];
                    if (mass.upper && j != i) {
                        y[3 * j + d] += mass.values[k] * x[3 * i + d];
                    }
                }
            }
            TEST_NEAR(view.masses[i], body.masses[i], 1e-15);
        }
        lyra_system_apply_mass(body.system, body.x, body.y);
        TEST_NEAR(apart(body.size, lyra_vector_values(body.y), y), 0, 1e-14);
        free(y);
        end_body(&body);
        test_context_end(ctx);
    }
}

// a mass matrix over a body whose forces touch no pair of vertices
LYRA_TEST(masses_may_couple_what_forces_do_not)
{
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Body body = make_block(ctx, &(BlockDef){.consistent = true, .dampers = true});
        LyraMeshView mesh = lyra_mesh_view(body.mesh);
        LyraModelDef def = lyra_model_def_default();
        def.vertex_count = mesh.vertex_count;
        def.positions = mesh.positions;
        def.mass_matrix = body.mass_matrix;
        def.damping = body.damping;
        lyra_model_destroy(body.model);
        TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &body.model));
        make_system(&body, kind, NULL);
        LyraPoint at = point_of(&body);
        TEST_OK(lyra_system_linearise(body.system, &at, false));
        TEST_OK(lyra_system_form(body.system, 1, 0.01, 1));
        TEST_OK(lyra_system_solve(body.system, body.x, 0, body.y, NULL));
        // S y = M y + 0.01 D y
        lyra_system_apply_mass(body.system, body.y, body.z);
        lyra_vector_axpby(-1, body.x, 1, body.z);
        lyra_system_apply_damping(body.system, body.y, body.x);
        lyra_vector_axpby(0.01, body.x, 1, body.z);
        TEST_NEAR(lyra_vector_norm(body.z), 0, 1e-10);
        TEST_CHECK(lyra_vector_norm(body.x) > 0.1);
        TEST_CHECK(lyra_system_traits(body.system) & LYRA_SYSTEM_LINEAR);
        end_body(&body);
        test_context_end(ctx);
    }
}

static double weight_of(Body *body)
{
    LyraPoint at = point_of(body);
    LyraResponse response = {.external = body->x};
    double sum = 0;
    TEST_OK(lyra_system_evaluate(body->system, &at, &response));
    for (int32_t i = 0; i < body->size; i += 3) {
        sum += lyra_vector_values(body->x)[i + 1];
    }
    return sum;
}

LYRA_TEST(setters_change_what_they_should)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int consistent = 0; consistent < 2; ++consistent) {
        Body body = make_block_system(ctx, &(BlockDef){.consistent = consistent}, SYSTEM_SPARSE);
        double total = 0;
        uint64_t version = lyra_model_view(body.model).version;
        for (int32_t i = 0; i < body.size / 3; ++i) {
            total += body.masses[i];
        }
        TEST_NEAR(weight_of(&body), -9.81 * total, 1e-13 * 9.81 * total);
        TEST_OK(lyra_model_set_gravity(body.model, (double[3]){0, 2, 0}));
        TEST_NEAR(weight_of(&body), 2 * total, 1e-13 * total);
        TEST_CHECK(lyra_model_view(body.model).gravity[1] == 2);
        // masses: weight, M and its solves
        TEST_OK(lyra_system_solve_mass(body.system, body.u, body.y));
        lyra_system_apply_mass(body.system, body.u, body.x);
        double momentum = lyra_vector_norm(body.x);
        TEST_OK(lyra_model_set_mass_factor(body.model, 4));
        lyra_system_apply_mass(body.system, body.u, body.x);
        TEST_NEAR(lyra_vector_norm(body.x), 4 * momentum, 1e-13 * momentum);
        TEST_OK(lyra_model_set_mass_factor(body.model, 3));
        TEST_NEAR(weight_of(&body), 6 * total, 1e-13 * total);
        TEST_OK(lyra_system_solve_mass(body.system, body.u, body.z));
        lyra_vector_axpby(3, body.z, -1, body.y);
        TEST_NEAR(lyra_vector_norm(body.y), 0, 1e-10 * lyra_vector_norm(body.z));
        TEST_NEAR(lyra_model_view(body.model).masses[3], 3 * body.masses[3], 1e-15);
        // and the part of M in what is formed, of which the tangent only needs a point
        LyraPoint here = point_of(&body);
        TEST_OK(lyra_system_linearise(body.system, &here, false));
        TEST_OK(lyra_system_form(body.system, 2, 0, 0));
        lyra_system_apply(body.system, body.u, body.y);
        TEST_NEAR(lyra_vector_norm(body.y), 2 * 3 * momentum, 1e-12 * momentum);
        TEST_OK(lyra_model_set_mass_factor(body.model, 1));
        // constant forces
        double *force = calloc((size_t)body.size, sizeof *force);
        force[4] = 7;
        TEST_OK(lyra_model_set_force(body.model, force));
        TEST_NEAR(weight_of(&body), 2 * total + 7, 1e-13 * (total + 7));
        force[4] = NAN;
        TEST_STATUS(lyra_model_set_force(body.model, force), LYRA_NOT_FINITE);
        TEST_NEAR(weight_of(&body), 2 * total + 7, 1e-13 * (total + 7));
        TEST_OK(lyra_model_set_force(body.model, NULL));
        TEST_NEAR(weight_of(&body), 2 * total, 1e-13 * total);
        free(force);
        // damping
        TEST_CHECK(lyra_system_traits(body.system) & LYRA_SYSTEM_UNDAMPED);
        TEST_OK(lyra_model_set_damping(body.model, 0.5, 0));
        TEST_CHECK(!(lyra_system_traits(body.system) & LYRA_SYSTEM_UNDAMPED));
        LyraPoint at = point_of(&body);
        LyraResponse response = {.damping = body.x};
        TEST_OK(lyra_system_evaluate(body.system, &at, &response));
        lyra_system_apply_mass(body.system, body.v, body.y);
        lyra_vector_axpby(-0.5, body.y, 1, body.x);
        TEST_NEAR(lyra_vector_norm(body.x), 0, 1e-15);
        // what is refused changes nothing
        uint64_t now = lyra_model_view(body.model).version;
        TEST_CHECK(now > version);
        TEST_STATUS(lyra_model_set_gravity(body.model, (double[3]){NAN, 0, 0}), LYRA_NOT_FINITE);
        TEST_STATUS(lyra_model_set_damping(body.model, -1, 0), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_model_set_damping(body.model, 0, INFINITY), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_model_set_mass_factor(body.model, 0), LYRA_INVALID_ARGUMENT);
        TEST_STATUS(lyra_model_set_mass_factor(body.model, NAN), LYRA_INVALID_ARGUMENT);
        TEST_EQUAL(lyra_model_view(body.model).version, now);
        TEST_CHECK(lyra_model_view(body.model).mass_damping == 0.5);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(vertices_without_mass_are_named)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        Body body = make_block(ctx, &(BlockDef){0});
        LyraMeshView mesh = lyra_mesh_view(body.mesh);
        LyraModelDef def = lyra_model_def_default();
        def.vertex_count = mesh.vertex_count;
        def.positions = mesh.positions;
        def.force_count = 1;
        def.forces = body.forces;
        def.masses = body.masses;
        body.masses[3] = body.masses[7] = 0;
        lyra_model_destroy(body.model);
        TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &body.model));
        make_system(&body, kind, NULL);
        LyraConstraints *constraints = lyra_model_constraints(body.model);
        TEST_STATUS(lyra_system_solve_mass(body.system, body.u, body.x), LYRA_SINGULAR);
        TEST_CONTAINS(lyra_error_message(), "vertex 3 has no mass");
        // the other is still free, then free in one direction, then held
        TEST_OK(lyra_constraints_fix_vertices(constraints, 1, (int32_t[1]){3}));
        TEST_STATUS(lyra_system_solve_mass(body.system, body.u, body.x), LYRA_SINGULAR);
        TEST_CONTAINS(lyra_error_message(), "vertex 7 has no mass");
        TEST_OK(lyra_constraints_fix_dofs(constraints, 2, (int32_t[2]){21, 23}));
        TEST_STATUS(lyra_system_solve_mass(body.system, body.u, body.x), LYRA_SINGULAR);
        TEST_OK(lyra_constraints_fix_vertices(constraints, 1, (int32_t[1]){7}));
        TEST_OK(lyra_system_solve_mass(body.system, body.u, body.x));
        TEST_CHECK(lyra_vector_is_finite(body.x) && lyra_vector_values(body.x)[22] == 0);
        end_body(&body);
    }
    test_context_end(ctx);
}

static LyraStatus build(LyraContext *ctx, void *data)
{
    const Body *from = data;
    LyraMeshView mesh = lyra_mesh_view(from->mesh);
    LyraModelDef def = lyra_model_def_default();
    LyraModel *model = NULL;
    LyraSystem *sparse = NULL, *dense = NULL;
    def.vertex_count = mesh.vertex_count;
    def.positions = mesh.positions;
    def.force_count = 1;
    def.forces = from->forces;
    def.mass_matrix = from->mass_matrix;
    def.damping = from->damping;
    LyraStatus status = lyra_model_create(ctx, &def, &model);
    status = status ? status : lyra_system_create_sparse(ctx, model, NULL, &sparse);
    status = status ? status : lyra_system_create_dense(ctx, model, &dense);
    lyra_system_destroy(sparse);
    lyra_system_destroy(dense);
    lyra_model_destroy(model);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block(ctx, &(BlockDef){.consistent = true, .dampers = true});
    test_fail_each_allocation(build, &body);
    end_body(&body);
    test_context_end(ctx);
}

// parts by their lowest vertex, and the vertices of each in order; every spring counts, also a
// first or last one that alone holds two parts together
LYRA_TEST(components_are_what_no_force_connects)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    enum { VERTICES = 8 };
    static const int32_t pairs[8] = {5, 2, 1, 6, 6, 7, 2, 0};
    static const int32_t starts[5] = {0, 3, 6, 7, 8}, members[VERTICES] = {0, 2, 5, 1, 6, 7, 3, 4};
    double positions[3 * VERTICES] = {0}, masses[VERTICES];
    for (int32_t i = 0; i < VERTICES; ++i) {
        positions[3 * i] = i;
        masses[i] = 1;
    }
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = VERTICES;
    list.spring_count = 4;
    list.vertices = pairs;
    list.positions = positions;
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    LyraModel *model = NULL;
    LyraMassSpringDef law = lyra_mass_spring_def_default();
    law.stiffness = 1;
    TEST_REQUIRE_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_REQUIRE_OK(lyra_mass_spring_create(ctx, springs, &law, &force));
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = VERTICES;
    def.positions = positions;
    def.force_count = 1;
    def.forces = &force;
    def.masses = masses;
    TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &model));
    TEST_REQUIRE(model->component_count == 4);
    TEST_CHECK(memcmp(model->component_start, starts, sizeof starts) == 0);
    TEST_CHECK(memcmp(model->component_vertex, members, sizeof members) == 0);
    lyra_model_destroy(model);
    lyra_force_destroy(force);
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}
