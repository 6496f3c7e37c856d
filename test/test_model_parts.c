// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Parts of models: forces of different traits side by side, each evaluated, kept and solved with in
// its own way, and together what one force of all of them would be.

#include "model_parts.h"

#include "lyra/corotational.h"

// ---- points -------------------------------------------------------------------------------------

enum { VECTORS = 3, STATES = 2 };

// a few points of a body, of which others are made by any choice of each
typedef struct Points {
    LyraVector *u[VECTORS], *v[VECTORS];
    LyraState *committed[STATES];
} Points;

static Points make_points(const Mixed *body, LyraSystem *system)
{
    Points points;
    TestRandom random = test_random(8);
    int32_t size = lyra_system_size(system);
    for (int32_t k = 0; k < VECTORS; ++k) {
        points.u[k] = mixed_vector(body->ctx, size, 0.005, &random);
        points.v[k] = mixed_vector(body->ctx, size, 0.1, &random);
    }
    for (int32_t k = 0; k < STATES; ++k) {
        TEST_OK(lyra_system_state_create(system, &points.committed[k]));
        if (k > 0) {
            const LyraPoint at = {
                .dt = 0.02, .u = points.u[0], .v = points.v[0], .committed = points.committed[0]};
            const LyraResponse response = {.trial = points.committed[k]};
            TEST_OK(lyra_system_evaluate(system, &at, &response));
        }
    }
    return points;
}

static void end_points(Points *points)
{
    for (int32_t k = 0; k < VECTORS; ++k) {
        lyra_vector_destroy(points->u[k]);
        lyra_vector_destroy(points->v[k]);
    }
    for (int32_t k = 0; k < STATES; ++k) {
        lyra_state_destroy(points->committed[k]);
    }
}

// one of 3 * 3 * 2 * 2 * 2 points
static LyraPoint point_at(const Points *points, uint32_t which)
{
    return (LyraPoint){.u = points->u[which % 3],
                       .v = points->v[which / 3 % 3],
                       .time = which / 9 % 2 ? 0.2 : 0.1,
                       .dt = which / 18 % 2 ? 0.01 : 0,
                       .committed = points->committed[which / 36 % 2]};
}

// ---- tangents -----------------------------------------------------------------------------------

// K and C of all kinds of forces, alone beside the elastic ones and together, by differences
LYRA_TEST(tangents_of_parts_match_differences)
{
    const double h = 1e-5;
    for (int32_t k = 0; k <= MIXED_COUNT; ++k) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        int32_t kinds = k == MIXED_COUNT ? MIXED_ALL : MIXED_ELASTIC | 1 << k;
        Mixed body = mixed_create(ctx, kinds, 0.1, 0);
        LyraSystem *system = mixed_system(&body, "auto");
        Points points = make_points(&body, system);
        LyraVector *x = points.u[2], *y = points.v[2], *Kx = points.u[1], *g = points.v[1];
        lyra_vector_axpby(1, points.v[2], 0, x);
        for (int32_t by = 0; by < 2; ++by) {
            LyraPoint at = point_at(&points, 18 + 36);
            LyraVector *moved = by ? points.v[0] : points.u[0];
            TEST_OK(lyra_system_linearise(system, &at, false));
            (by ? lyra_system_apply_damping : lyra_system_apply_stiffness)(system, x, Kx);
            double size = lyra_vector_norm(Kx);
            for (int32_t side = 0; side < 2; ++side) {
                const LyraResponse response = {.g = side ? y : g};
                lyra_vector_axpby(side ? -2 * h : h, x, 1, moved);
                TEST_OK(lyra_system_evaluate(system, &at, &response));
            }
            lyra_vector_axpby(h, x, 1, moved);
            lyra_vector_axpby(-1, y, 1, g);
            lyra_vector_axpby(-1, Kx, 1 / (2 * h), g);
            TEST_CHECK_MSG(lyra_vector_norm(g) <= 1e-6 * size, "%s of forces %d: %g of %g",
                           by ? "C" : "K", kinds, lyra_vector_norm(g), size);
        }
        end_points(&points);
        lyra_system_destroy(system);
        mixed_end(&body);
        test_context_end(ctx);
    }
}

// ---- what is kept -------------------------------------------------------------------------------

static bool same_bits(const LyraVector *a, const LyraVector *b)
{
    return memcmp(lyra_vector_values(a), lyra_vector_values(b),
                  (size_t)lyra_vector_size(a) * sizeof(double)) == 0;
}

// what a system says at a point, asked in one of several ways
static void ask(LyraSystem *system, const LyraPoint *at, uint32_t way, LyraVector *x,
                LyraVector *out[4], double *energies)
{
    LyraTangentNeed needs[3] = {LYRA_TANGENT_NONE, LYRA_TANGENT_EXACT, LYRA_TANGENT_PSD};
    LyraTangentNeed need = needs[way % 3];
    const LyraResponse response = {.g = out[0],
                                   .damping = out[1],
                                   .elastic = &energies[0],
                                   .potential = &energies[1],
                                   .need_tangent = need};
    TEST_OK(lyra_system_evaluate(system, at, &response));
    TEST_OK(lyra_system_linearise(system, at, need == LYRA_TANGENT_PSD));
    lyra_system_apply_stiffness(system, x, out[2]);
    lyra_system_apply_damping(system, x, out[3]);
}

// every pair of kinds, and all at once: a system that has seen other points says the same as one
// that has seen none
LYRA_TEST(what_parts_keep_changes_no_bit)
{
    for (int32_t pair = 0; pair <= MIXED_COUNT * MIXED_COUNT; ++pair) {
        int32_t i = pair / MIXED_COUNT, j = pair % MIXED_COUNT;
        int32_t kinds = i == MIXED_COUNT ? MIXED_ALL : 1 << i | 1 << j;
        if (i != MIXED_COUNT && i > j) {
            continue;
        }
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Mixed body = mixed_create(ctx, kinds, 0.1, 0.01);
        LyraSystem *old = mixed_system(&body, "auto");
        Points points = make_points(&body, old);
        TestRandom random = test_random((uint64_t)kinds);
        LyraVector *x = mixed_vector(ctx, lyra_system_size(old), 1, &random), *seen[4], *fresh[4];
        for (int32_t k = 0; k < 4; ++k) {
            seen[k] = mixed_vector(ctx, lyra_system_size(old), 0, &random);
            fresh[k] = mixed_vector(ctx, lyra_system_size(old), 0, &random);
        }
        uint32_t which = 0;
        for (int32_t step = 0; step < 24; ++step) {
            // one thing changes at a time, or nothing, or much
            static const uint32_t changes[] = {0, 1, 3, 9, 18, 36, 40};
            which = (which + changes[test_random_below(&random, 7)]) % 72;
            uint32_t way = (uint32_t)test_random_below(&random, 3);
            LyraPoint at = point_at(&points, which);
            double energies[2][2];
            LyraSystem *system = mixed_system(&body, "auto");
            TEST_OK(lyra_system_update_damping(old, &at));
            TEST_OK(lyra_system_update_damping(system, &at));
            ask(old, &at, way, x, seen, energies[0]);
            ask(system, &at, way, x, fresh, energies[1]);
            for (int32_t k = 0; k < 4; ++k) {
                TEST_CHECK_MSG(same_bits(seen[k], fresh[k]), "forces %d, step %d, answer %d", kinds,
                               step, k);
            }
            TEST_CHECK_MSG(memcmp(energies[0], energies[1], sizeof energies[0]) == 0,
                           "forces %d, step %d: energies", kinds, step);
            lyra_system_destroy(system);
        }
        for (int32_t k = 0; k < 4; ++k) {
            lyra_vector_destroy(seen[k]);
            lyra_vector_destroy(fresh[k]);
        }
        lyra_vector_destroy(x);
        end_points(&points);
        lyra_system_destroy(old);
        mixed_end(&body);
        test_context_end(ctx);
    }
}

// ---- restart ------------------------------------------------------------------------------------

static LyraIntegrator *make_integrator(LyraContext *ctx, LyraSystem *system)
{
    LyraIntegrator *integrator = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    TEST_OK(lyra_integrator_create(ctx, &def, system, &integrator));
    return integrator;
}

static void take_steps(LyraIntegrator *integrator, LyraState *state, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        TEST_OK(lyra_integrator_step(integrator, state, 0.01, NULL));
    }
}

// what a run remembers of dampers, histories and loads is in the state
LYRA_TEST(a_restart_in_the_middle_changes_no_bit)
{
    static const int32_t kinds[] = {MIXED_ELASTIC | MIXED_DAMPER | MIXED_HISTORY | MIXED_PRESSURE,
                                    MIXED_SYMMETRIC, MIXED_ALL};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Mixed body = mixed_create(ctx, kinds[i], 0.1, 0.002), other;
        mixed_hold(&body);
        LyraSystem *system = NULL, *fresh = NULL;
        LyraState *state = NULL, *copy = NULL;
        TEST_REQUIRE_OK(lyra_system_create_sparse(ctx, body.model, NULL, &system));
        TEST_REQUIRE_OK(lyra_system_state_create(system, &state));
        LyraIntegrator *integrator = make_integrator(ctx, system);
        take_steps(integrator, state, 7);
        size_t bytes = lyra_state_packed_size(state);
        void *packed = malloc(bytes);
        lyra_state_pack(state, packed);
        take_steps(integrator, state, 7);
        // as another process has it
        other = mixed_create(ctx, kinds[i], 0.1, 0.002);
        mixed_hold(&other);
        TEST_REQUIRE_OK(lyra_system_create_sparse(ctx, other.model, NULL, &fresh));
        TEST_REQUIRE_OK(lyra_system_state_create(fresh, &copy));
        TEST_OK(lyra_state_unpack(copy, packed, bytes));
        LyraIntegrator *again = make_integrator(ctx, fresh);
        take_steps(again, copy, 7);
        TEST_CHECK_MSG(lyra_state_equal(state, copy), "forces %d", kinds[i]);
        // and back on the old one, which remembers what came after
        TEST_OK(lyra_state_unpack(state, packed, bytes));
        take_steps(integrator, state, 7);
        TEST_CHECK_MSG(lyra_state_equal(state, copy), "forces %d, on the same system", kinds[i]);
        free(packed);
        lyra_integrator_destroy(again);
        lyra_integrator_destroy(integrator);
        lyra_state_destroy(copy);
        lyra_state_destroy(state);
        lyra_system_destroy(fresh);
        lyra_system_destroy(system);
        mixed_end(&other);
        mixed_end(&body);
        test_context_end(ctx);
    }
}

// ---- groups -------------------------------------------------------------------------------------

LYRA_TEST(groups_are_found_by_id_name_and_force)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Mixed body = mixed_create(ctx, MIXED_ALL, 0, 0);
    for (int32_t id = 0; id < body.force_count; ++id) {
        LyraForceGroup group;
        TEST_REQUIRE(lyra_model_group(body.model, id, &group));
        TEST_EQUAL(group.id, id);
        TEST_CHECK(group.force == body.forces[id] && group.type == lyra_force_type(group.force));
        TEST_EQUAL(lyra_model_group_of(body.model, body.forces[id]), id);
        TEST_EQUAL(lyra_model_find_group(body.model, group.name), id);
        TEST_CHECK(group.owner == -1 && group.first_vertex == 0);
    }
    // of two forces of one name the second has a number
    LyraForceGroup damper, along;
    TEST_REQUIRE(lyra_model_group(body.model, 1, &damper));
    TEST_REQUIRE(lyra_model_group(body.model, 6, &along));
    TEST_STRING(damper.name, "mass-spring");
    TEST_CHECK(strncmp(along.name, "mass-spring", 11) == 0 && along.name[11]);
    // what is none
    LyraForceGroup none;
    LyraForce *stranger = mixed_force(&body, MIXED_LINEAR);
    TEST_CHECK(!lyra_model_group(body.model, body.force_count, &none));
    TEST_CHECK(!lyra_model_group(body.model, -1, &none));
    TEST_EQUAL(lyra_model_group_of(body.model, stranger), -1);
    TEST_EQUAL(lyra_model_find_group(body.model, "wind"), -1);
    lyra_force_destroy(stranger);
    mixed_end(&body);
    test_context_end(ctx);
}

LYRA_TEST(parameters_go_by_name_and_bad_ones_change_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Mixed body = mixed_create(ctx, MIXED_SYMMETRIC, 0, 0);
    const double wanted[2] = {7, 9}, negative[2] = {7, -1}, infinite[2] = {1, INFINITY};
    double found[2];
    TEST_OK(lyra_model_get_parameter(body.model, 1, "damping", found));
    TEST_CHECK(found[0] == 3 && found[1] == 3);
    TEST_OK(lyra_model_set_parameter(body.model, 1, "damping", wanted));
    TEST_OK(lyra_model_get_parameter(body.model, 1, "damping", found));
    TEST_CHECK(found[0] == 7 && found[1] == 9);
    TEST_OK(lyra_model_get_parameter(body.model, 2, "relaxation time", found));
    TEST_CHECK(found[0] == 0.04 && found[1] == 0.04);
    uint64_t version = lyra_model_view(body.model).version;
    TEST_STATUS(lyra_model_set_parameter(body.model, 1, "damping", negative),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "damping");
    TEST_STATUS(lyra_model_set_parameter(body.model, 1, "damping", infinite), LYRA_NOT_FINITE);
    TEST_STATUS(lyra_model_set_parameter(body.model, 1, "colour", wanted), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "no parameter \"colour\", expected one of: stiffness");
    TEST_STATUS(lyra_model_set_parameter(body.model, 99, "damping", wanted), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "no force group 99 of 5");
    TEST_STATUS(lyra_model_get_parameter(body.model, -1, "damping", found), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_model_get_parameter(body.model, 1, "damping", found));
    TEST_CHECK(found[0] == 7 && found[1] == 9);
    TEST_CHECK(lyra_model_view(body.model).version == version);
    mixed_end(&body);
    test_context_end(ctx);
}

// C of a damper follows its parameter
LYRA_TEST(parameters_of_dampers_reach_the_damping)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Mixed body = mixed_create(ctx, MIXED_ELASTIC | MIXED_DAMPER, 0, 0);
    LyraSystem *system = mixed_system(&body, "auto");
    Points points = make_points(&body, system);
    LyraPoint at = point_at(&points, 0);
    LyraVector *x = points.u[1], *y = points.u[2], *z = points.v[1];
    const double doubled[2] = {6, 6};
    TEST_OK(lyra_system_linearise(system, &at, false));
    lyra_system_apply_damping(system, x, y);
    TEST_CHECK(lyra_vector_norm(y) > 0);
    TEST_OK(lyra_model_set_parameter(body.model, 1, "damping", doubled));
    TEST_OK(lyra_system_linearise(system, &at, false));
    lyra_system_apply_damping(system, x, z);
    lyra_vector_axpby(-2, y, 1, z);
    TEST_CHECK(lyra_vector_norm(z) <= 1e-15 * lyra_vector_norm(y));
    end_points(&points);
    lyra_system_destroy(system);
    mixed_end(&body);
    test_context_end(ctx);
}

// ---- owners -------------------------------------------------------------------------------------

// two boxes, as two bodies with a force each, or as one mesh
static void evaluate_boxes(LyraContext *ctx, bool joined, double *g, double *Kx, int32_t *size)
{
    LyraMesh *mesh = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraForce *forces[2] = {NULL, NULL};
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    shape.kind = LYRA_ELEMENT_TET4;
    for (int32_t i = 0; i < 3; ++i) {
        shape.cells[i] = 2;
        shape.size[i] = 1;
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t n = view.vertex_count, e = view.element_count;
    double *positions = malloc(6 * (size_t)n * sizeof *positions);
    double *masses = malloc(2 * (size_t)n * sizeof *masses);
    int32_t *elements = malloc(8 * (size_t)e * sizeof *elements);
    for (int32_t i = 0; i < 6 * n; ++i) {
        positions[i] = view.positions[i % (3 * n)] + (i >= 3 * n ? 3 : 0);
    }
    for (int32_t i = 0; i < 8 * e; ++i) {
        elements[i] = view.elements[i % (4 * e)] + (i >= 4 * e ? n : 0);
    }
    for (int32_t i = 0; i < 2 * n; ++i) {
        masses[i] = 1;
    }
    LyraElasticDef law = lyra_elastic_def_default();
    law.young = 1e4;
    law.poisson = 0.3;
    LyraModelDef def = lyra_model_def_default();
    LyraMesh *both = NULL;
    const LyraModelBody bodies[2] = {{.name = "left", .first_vertex = 0, .vertex_count = n},
                                     {.name = "right", .first_vertex = n, .vertex_count = n}};
    if (joined) {
        LyraMeshView whole = {.kind = LYRA_ELEMENT_TET4};
        whole.vertex_count = 2 * n;
        whole.positions = positions;
        whole.element_count = 2 * e;
        whole.elements = elements;
        TEST_OK(lyra_mesh_create(ctx, &whole, &both));
        TEST_OK(lyra_elastic_create(ctx, both, &law, &forces[0]));
    } else {
        for (int32_t b = 0; b < 2; ++b) {
            TEST_OK(lyra_elastic_create(ctx, mesh, &law, &forces[b]));
            TEST_OK(lyra_force_set_owner(forces[b], b, b ? "right.elastic" : "left.elastic"));
        }
        def.bodies = bodies;
        def.body_count = 2;
    }
    def.vertex_count = 2 * n;
    def.positions = positions;
    def.masses = masses;
    def.forces = forces;
    def.force_count = joined ? 1 : 2;
    TEST_OK(lyra_model_create(ctx, &def, &model));
    TEST_OK(lyra_system_create_sparse(ctx, model, NULL, &system));
    *size = 6 * n;
    TestRandom random = test_random(3);
    LyraVector *u = mixed_vector(ctx, 6 * n, 0.01, &random);
    LyraVector *x = mixed_vector(ctx, 6 * n, 1, &random);
    LyraVector *y = mixed_vector(ctx, 6 * n, 0, &random);
    const LyraPoint at = {.u = u, .v = y};
    const LyraResponse response = {.g = x};
    TEST_OK(lyra_system_linearise(system, &at, false));
    LyraVector *z = mixed_vector(ctx, 6 * n, 0, &random);
    lyra_system_apply_stiffness(system, x, z);
    memcpy(Kx, lyra_vector_values(z), 6 * (size_t)n * sizeof *Kx);
    TEST_OK(lyra_system_evaluate(system, &at, &response));
    memcpy(g, lyra_vector_values(x), 6 * (size_t)n * sizeof *g);
    if (!joined) {
        LyraForceGroup group;
        TEST_EQUAL(lyra_model_find_group(model, "right.elastic"), 1);
        TEST_CHECK(lyra_model_group(model, 1, &group) && group.owner == 1);
        TEST_CHECK(group.first_vertex == n && group.mesh == mesh);
    }
    LyraVector *vectors[] = {u, x, y, z};
    for (int32_t i = 0; i < 4; ++i) {
        lyra_vector_destroy(vectors[i]);
    }
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    lyra_force_destroy(forces[0]);
    lyra_force_destroy(forces[1]);
    lyra_mesh_destroy(both);
    lyra_mesh_destroy(mesh);
    free(positions);
    free(masses);
    free(elements);
}

LYRA_TEST(two_bodies_are_what_one_mesh_of_both_is)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double g[2][400], Kx[2][400];
    int32_t size = 0;
    for (int32_t joined = 0; joined < 2; ++joined) {
        evaluate_boxes(ctx, joined == 1, g[joined], Kx[joined], &size);
    }
    TEST_EQUAL(size, 162);
    double largest[2] = {0}, apart[2] = {0};
    for (int32_t i = 0; i < size; ++i) {
        largest[0] = fmax(largest[0], fabs(g[0][i]));
        largest[1] = fmax(largest[1], fabs(Kx[0][i]));
        apart[0] = fmax(apart[0], fabs(g[0][i] - g[1][i]));
        apart[1] = fmax(apart[1], fabs(Kx[0][i] - Kx[1][i]));
    }
    for (int32_t k = 0; k < 2; ++k) {
        TEST_CHECK_MSG(largest[k] > 0 && apart[k] <= 1e-12 * largest[k], "%g of %g", apart[k],
                       largest[k]);
    }
    test_context_end(ctx);
}

// ---- parts that are not symmetric ---------------------------------------------------------------

// x of S x = b and S times a vector, with S of all forces of `kinds`
static bool solve_with(LyraContext *ctx, int32_t kinds, const char *solver, double *out)
{
    Mixed body = mixed_create(ctx, kinds, 0.1, 0.002);
    mixed_hold(&body);
    LyraSystem *system = mixed_system(&body, solver);
    Points points = make_points(&body, system);
    LyraPoint at = point_at(&points, 18);
    LyraVector *b = points.u[1], *x = points.u[2], *y = points.v[2];
    size_t bytes = (size_t)lyra_system_size(system) * sizeof(double);
    TEST_OK(lyra_system_update_damping(system, &at));
    TEST_OK(lyra_system_linearise(system, &at, false));
    TEST_OK(lyra_system_form(system, 1e4, 100, 1));
    LyraSolveReport report;
    lyra_system_project(system, b);
    bool solved = TEST_OK(lyra_system_solve(system, b, 0, x, &report));
    lyra_system_apply(system, b, y);
    memcpy(out, lyra_vector_values(x), bytes);
    memcpy((char *)out + bytes, lyra_vector_values(y), bytes);
    end_points(&points);
    lyra_system_destroy(system);
    mixed_end(&body);
    return solved;
}

static bool has_solver(const char *name)
{
    const LyraSolverType *type = NULL;
    for (int32_t i = 0; lyra_solver_name(i, &type); ++i) {
        if (strcmp(type->name, name) == 0) {
            return true;
        }
    }
    return false;
}

// by an iteration about the symmetric part, as one matrix, and dense
LYRA_TEST(ways_to_solve_with_parts_that_are_not_symmetric_agree)
{
    static const char *const solvers[] = {"dense", "auto", "pcg", "gmres", "bicgstab", "umfpack"};
    static const int32_t kinds[] = {MIXED_ELASTIC | MIXED_PRESSURE, MIXED_ELASTIC | MIXED_ALONG,
                                    MIXED_ALL, MIXED_PRESSURE | MIXED_ALONG, MIXED_PRESSURE};
    enum { SIZE = 3 * 45 };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        double out[2][2 * SIZE];
        for (size_t s = 0; s < sizeof solvers / sizeof solvers[0]; ++s) {
            // pcg alone is for models with a symmetric part
            bool only = !(kinds[i] & MIXED_ELASTIC);
            if ((s > 0 && !has_solver(solvers[s]) && strcmp(solvers[s], "auto") != 0) ||
                (only && strcmp(solvers[s], "pcg") == 0)) {
                continue;
            }
            if (!solve_with(ctx, kinds[i], solvers[s], out[s > 0])) {
                continue;
            }
            for (int32_t part = 0; part < 2 && s > 0; ++part) {
                double largest = 0, apart = 0;
                for (int32_t k = part * SIZE; k < (part + 1) * SIZE; ++k) {
                    largest = fmax(largest, fabs(out[0][k]));
                    apart = fmax(apart, fabs(out[0][k] - out[1][k]));
                }
                TEST_CHECK_MSG(largest > 0 && apart <= (part ? 1e-12 : 1e-9) * largest,
                               "forces %d by %s, %s: %g of %g", kinds[i], solvers[s],
                               part ? "product" : "solution", apart, largest);
            }
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(a_model_without_symmetric_forces_steps)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Mixed body = mixed_create(ctx, MIXED_PRESSURE | MIXED_ALONG, 0.1, 0);
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    mixed_hold(&body);
    TEST_REQUIRE_OK(lyra_system_create_sparse(ctx, body.model, NULL, &system));
    TEST_REQUIRE_OK(lyra_system_state_create(system, &state));
    LyraIntegrator *integrator = make_integrator(ctx, system);
    take_steps(integrator, state, 3);
    // free vertices fall: by backward Euler from rest, v_n = (v_n-1 - g h) / (1 + alpha h)
    double v = 0;
    for (int32_t k = 0; k < 3; ++k) {
        v = (v - 9.81 * 0.01) / (1 + 0.1 * 0.01);
    }
    const double *values = lyra_vector_values(lyra_state_view(state).v);
    int32_t falling = 0;
    for (int32_t i = 0; i < lyra_model_view(body.model).vertex_count; ++i) {
        falling += fabs(values[3 * i + 1] - v) <= 1e-9;
    }
    TEST_CHECK_MSG(falling >= 20, "%d vertices", falling);
    lyra_integrator_destroy(integrator);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    mixed_end(&body);
    test_context_end(ctx);
}

// ---- histories ----------------------------------------------------------------------------------

static void check_history_name(const LyraForceType *type, int32_t component, const char *name,
                               const char *unit)
{
    TEST_REQUIRE(type->history_names && type->history_units && component < type->history_count);
    TEST_STRING(type->history_names[component], name);
    TEST_STRING(type->history_units[component], unit);
}

// the extension of each spring, and the tension that is left of it
LYRA_TEST(histories_of_maxwell_springs_are_read)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Mixed body = mixed_create(ctx, MIXED_ELASTIC | MIXED_HISTORY, 0, 0);
    LyraSystem *system = mixed_system(&body, "auto");
    Points points = make_points(&body, system);
    LyraForceGroup group;
    TEST_REQUIRE(lyra_model_group(body.model, 1, &group));
    check_history_name(group.type, 0, "tension of the branch", "N");
    check_history_name(group.type, 1, "extension", "m");
    check_history_name(group.type, 2, "dissipated", "J");
    double tension[2], extension[2];
    for (int32_t state = 0; state < 2; ++state) {
        TEST_OK(lyra_model_read_history(body.model, 1, points.committed[state], 0, tension));
        TEST_OK(lyra_model_read_history(body.model, 1, points.committed[state], 1, extension));
        for (int32_t s = 0; s < 2; ++s) {
            const int32_t *pair = lyra_force_view(group.force).stencils + 2 * s;
            const double *X = lyra_mesh_view(body.mesh).positions;
            const double *u = lyra_vector_values(points.u[0]);
            double square = 0, rest = 0;
            for (int32_t i = 0; i < 3; ++i) {
                int32_t a = 3 * pair[0] + i, b = 3 * pair[1] + i;
                double moved = state ? u[b] - u[a] : 0;
                square += (X[b] - X[a] + moved) * (X[b] - X[a] + moved);
                rest += (X[b] - X[a]) * (X[b] - X[a]);
            }
            // k1 (1 - exp(-y)) / y with y = dt / tau = 0.5
            double e = sqrt(square) - sqrt(rest), stiffness = 30 * (1 - exp(-0.5)) / 0.5;
            TEST_NEAR(extension[s], e, 1e-15);
            TEST_NEAR(tension[s], stiffness * e, 1e-13);
        }
    }
    TEST_CHECK(extension[0] != extension[1]);
    // what there is not
    LyraState *empty = NULL;
    TEST_OK(lyra_state_create(ctx, lyra_system_size(system), &empty));
    TEST_STATUS(lyra_model_read_history(body.model, 1, points.committed[0], 3, tension),
                LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "no history 3 of 3");
    TEST_STATUS(lyra_model_read_history(body.model, 0, points.committed[0], 0, tension),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_model_read_history(body.model, 2, points.committed[0], 0, tension),
                LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_model_read_history(body.model, 1, empty, 0, tension), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "the state has no history");
    lyra_state_destroy(empty);
    end_points(&points);
    lyra_system_destroy(system);
    mixed_end(&body);
    test_context_end(ctx);
}

// a model of one force on a box, and its first state
typedef struct Single {
    LyraMesh *mesh;
    LyraForce *force;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    double *masses;
} Single;

static LyraMesh *make_box(LyraContext *ctx)
{
    LyraMesh *mesh = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = LYRA_ELEMENT_TET4;
    for (int32_t i = 0; i < 3; ++i) {
        shape.cells[i] = 2;
        shape.size[i] = 1;
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    return mesh;
}

static void finish_single(LyraContext *ctx, Single *it)
{
    LyraMeshView view = lyra_mesh_view(it->mesh);
    LyraModelDef def = lyra_model_def_default();
    it->masses = malloc((size_t)view.vertex_count * sizeof *it->masses);
    lyra_mesh_lumped_masses(it->mesh, NULL, it->masses);
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.masses = it->masses;
    def.forces = &it->force;
    def.force_count = 1;
    TEST_OK(lyra_model_create(ctx, &def, &it->model));
    TEST_OK(lyra_system_create_sparse(ctx, it->model, NULL, &it->system));
    TEST_OK(lyra_system_state_create(it->system, &it->state));
}

static void end_single(Single *it)
{
    lyra_state_destroy(it->state);
    lyra_system_destroy(it->system);
    lyra_model_destroy(it->model);
    lyra_force_destroy(it->force);
    lyra_mesh_destroy(it->mesh);
    free(it->masses);
}

// a body turned as a whole: all frames are that rotation, one step old
LYRA_TEST(histories_of_kept_frames_are_read)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Single it = {.mesh = make_box(ctx)};
    LyraCorotationalDef law = lyra_corotational_def_default();
    law.young = 1e4;
    law.frame_steps = 3;
    TEST_REQUIRE_OK(lyra_corotational_create(ctx, it.mesh, &law, &it.force));
    finish_single(ctx, &it);
    LyraMeshView view = lyra_mesh_view(it.mesh);
    const LyraForceType *type = lyra_force_type(it.force);
    check_history_name(type, 0, "r11", "1");
    check_history_name(type, 5, "r23", "1");
    check_history_name(type, 9, "age", "steps");
    TestRandom random = test_random(2);
    LyraVector *u = mixed_vector(ctx, 3 * view.vertex_count, 0, &random);
    double R[9], *values = malloc((size_t)view.element_count * sizeof *values);
    test_random_rotation(&random, R);
    for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
        const double *X = view.positions + i - i % 3, *row = R + 3 * (i % 3);
        lyra_vector_values_mutable(u)[i] =
            row[0] * X[0] + row[1] * X[1] + row[2] * X[2] - view.positions[i];
    }
    for (int32_t step = 0; step < 2; ++step) {
        const LyraPoint at = {.dt = 0.01, .u = u, .v = u, .committed = it.state};
        const LyraResponse response = {.trial = it.state};
        TEST_OK(lyra_system_evaluate(it.system, &at, &response));
        for (int32_t c = 0; c < 10; ++c) {
            TEST_OK(lyra_model_read_history(it.model, 0, it.state, c, values));
            for (int32_t e = 0; e < view.element_count; ++e) {
                TEST_NEAR(values[e], c < 9 ? R[c] : step + 1, 1e-13);
            }
        }
    }
    // without kept frames there is none
    LyraForce *plain = NULL;
    law.frame_steps = 1;
    TEST_REQUIRE_OK(lyra_corotational_create(ctx, it.mesh, &law, &plain));
    TEST_CHECK(!lyra_force_type(plain)->history_names);
    lyra_force_destroy(plain);
    free(values);
    lyra_vector_destroy(u);
    end_single(&it);
    test_context_end(ctx);
}

// counts the steps of each element, from a number of its own on
static void count_steps(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    const int32_t w = LYRA_BATCH_WIDTH;
    for (int32_t i = 0; i < 12 * w && batch->gradient; ++i) {
        batch->gradient[i] = 0;
    }
    for (int32_t i = 0; i < w && batch->energy; ++i) {
        batch->energy[i] = 0;
    }
    for (int32_t i = 0; i < 9 * 10 * w && batch->dfdx; ++i) {
        batch->dfdx[i] = 0;
    }
    for (int32_t i = 0; i < 2 * w && batch->trial_history; ++i) {
        batch->trial_history[i] = batch->history[i] + (i < w ? 1 : 0);
    }
}

static void begin_count(const void *self, int32_t element, const int32_t *order, double *history)
{
    (void)order;
    history[0] = 100 * element;
    history[1] = element + *(const double *)self;
}

static void count_destroy(void *self)
{
    (void)self;
}

static const LyraForceType count_type = {
    .name = "count",
    .nodes = 4,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_HISTORY,
    .history_count = 2,
    .history_init = begin_count,
    .evaluate = count_steps,
    .destroy = count_destroy,
};

LYRA_TEST(histories_begin_as_their_type_says)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static double half = 0.5;
    Single it = {.mesh = make_box(ctx)};
    LyraMeshView view = lyra_mesh_view(it.mesh);
    LyraForceDef def = lyra_force_def_default();
    def.type = &count_type;
    def.self = &half;
    def.stencil_count = view.element_count;
    def.stencils = view.elements;
    TEST_REQUIRE_OK(lyra_force_create(ctx, &def, &it.force));
    finish_single(ctx, &it);
    double *values = malloc((size_t)view.element_count * sizeof *values);
    LyraStateView state = lyra_state_view(it.state);
    for (int32_t step = 0; step < 3; ++step) {
        for (int32_t c = 0; c < 2; ++c) {
            TEST_OK(lyra_model_read_history(it.model, 0, it.state, c, values));
            for (int32_t e = 0; e < view.element_count; ++e) {
                TEST_CHECK(values[e] == (c ? e + 0.5 : 100 * e + step));
            }
        }
        const LyraPoint at = {.dt = 0.01, .u = state.u, .v = state.v, .committed = it.state};
        const LyraResponse response = {.trial = it.state};
        TEST_OK(lyra_system_evaluate(it.system, &at, &response));
        // what is there stays
        TEST_OK(lyra_system_init_state(it.system, it.state));
    }
    // what the material has forgotten begins anew
    lyra_state_forget(it.state, LYRA_STATE_MATERIAL);
    TEST_OK(lyra_system_init_state(it.system, it.state));
    TEST_OK(lyra_model_read_history(it.model, 0, it.state, 0, values));
    TEST_CHECK(values[1] == 100 &&
               values[view.element_count - 1] == 100 * (view.element_count - 1));
    free(values);
    end_single(&it);
    test_context_end(ctx);
}
