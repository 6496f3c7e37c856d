// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Systems of models, sparse and dense by the same checks: forces by hand, tangents against
// differences, what is formed against its parts, solves under constraints, history, prescribed
// motion, threads and memory.

#include "lyra/dense.h"
#include "model_bodies.h"

// pushes along x, growing in time
static void push(void *user, double t, const double *u, const double *v, double *f)
{
    (void)u;
    (void)v;
    int32_t n = *(int32_t *)user;
    for (int32_t i = 0; i < n; ++i) {
        f[3 * i] += 0.1 * t * (i + 1);
    }
}

// drags where it moves
static void drag(void *user, double t, const double *u, const double *v, double *f)
{
    (void)t;
    int32_t n = *(int32_t *)user;
    for (int32_t i = 0; i < 3 * n; ++i) {
        f[i] += -0.2 * v[i] - 3 * u[i];
    }
}

static int32_t block_vertices = 12;

// bodies with all there is, one by one and together
static const BlockDef variants[] = {
    {0},
    {.viscous = true},
    {.viscous = true, .unsymmetric = true},
    {.consistent = true, .alpha = 0.4},
    {.beta = 0.02},
    {.beta = 0.02, .damping_exact = true},
    {.dampers = true},
    {.linear = true, .beta = 0.01, .alpha = 0.1},
    {.viscous = true,
     .consistent = true,
     .dampers = true,
     .alpha = 0.3,
     .beta = 0.01,
     .load = push,
     .load_user = &block_vertices},
    {.viscous = true,
     .unsymmetric = true,
     .consistent = true,
     .dampers = true,
     .alpha = 0.3,
     .beta = 0.01,
     .damping_exact = true},
};
#define VARIANTS ((int)(sizeof variants / sizeof variants[0]))

// ---- forces -------------------------------------------------------------------------------------

// one spring along x between masses of 2 kg, stretched by 0.1 m
LYRA_TEST(forces_of_a_spring_match_the_hand)
{
    const double k = 50, m = 2;
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Body body = make_chain(ctx, 2, k, m, false);
        make_system(&body, kind, NULL);
        TEST_OK(lyra_model_set_gravity(body.model, (double[3]){0, -10, 0}));
        TEST_OK(lyra_model_set_damping(body.model, 0.5, 0.1));
        TEST_OK(lyra_model_set_force(body.model, (double[6]){1, 2, 3, 4, 5, 6}));
        lyra_vector_fill(body.u, 0);
        lyra_vector_fill(body.v, 0);
        LyraPoint at = point_of(&body);
        // D is frozen at rest, where K pulls along x only
        TEST_OK(lyra_system_update_damping(body.system, &at));
        double *u = lyra_vector_values_mutable(body.u), *v = lyra_vector_values_mutable(body.v);
        u[3] = 0.1;
        v[0] = 0.2;
        v[1] = 0.3;
        v[3] = -0.4;
        const double damping[6] = {
            0.5 * m * 0.2 + 0.1 * k * 0.6, 0.5 * m * 0.3, 0, -0.5 * m * 0.4 - 0.1 * k * 0.6, 0, 0};
        const double external[6] = {1, 2 - 10 * m, 3, 4, 5 - 10 * m, 6};
        double elastic = 0, potential = 0, work = 4 * 0.1;
        LyraResponse response = {.g = body.x,
                                 .external = body.y,
                                 .damping = body.z,
                                 .elastic = &elastic,
                                 .potential = &potential};
        TEST_OK(lyra_system_evaluate(body.system, &at, &response));
        for (int i = 0; i < 6; ++i) {
            double internal = i == 0 ? -k * 0.1 : i == 3 ? k * 0.1 : 0;
            TEST_NEAR(lyra_vector_values(body.x)[i], internal + damping[i] - external[i], 1e-13);
            TEST_NEAR(lyra_vector_values(body.y)[i], external[i], 1e-14);
            TEST_NEAR(lyra_vector_values(body.z)[i], damping[i], 1e-14);
        }
        TEST_NEAR(elastic, 0.5 * k * 0.01, 1e-14);
        TEST_NEAR(potential, 0.5 * k * 0.01 - work, 1e-14);
        // each output alone
        LyraResponse alone = {.damping = body.x};
        TEST_OK(lyra_system_evaluate(body.system, &at, &alone));
        TEST_CHECK(memcmp(lyra_vector_values(body.x), lyra_vector_values(body.z),
                          6 * sizeof(double)) == 0);
        alone = (LyraResponse){.potential = &elastic};
        TEST_OK(lyra_system_evaluate(body.system, &at, &alone));
        TEST_CHECK(elastic == potential);
        // another update moves D to the stretched spring: K = k n n^T + k (1 - l0/l)(1 - n n^T)
        TEST_OK(lyra_system_update_damping(body.system, &at));
        alone = (LyraResponse){.damping = body.x};
        TEST_OK(lyra_system_evaluate(body.system, &at, &alone));
        TEST_NEAR(lyra_vector_values(body.x)[1], 0.5 * m * 0.3 + 0.1 * k * (1 - 0.5 / 0.6) * 0.3,
                  1e-14);
        end_body(&body);
        test_context_end(ctx);
    }
}

LYRA_TEST(loads_are_added_and_have_a_potential_unless_they_move)
{
    LyraLoad *loads[2] = {push, drag};
    for (int moves = 0; moves < 2; ++moves) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        BlockDef def = {.load = loads[moves], .load_user = &block_vertices, .load_moves = moves};
        Body body = make_block_system(ctx, &def, SYSTEM_SPARSE);
        int32_t n = body.size;
        double elastic = 0, potential = 0, work = 0;
        double *weight = calloc(2 * (size_t)n, sizeof *weight), *load = weight + n;
        const double *u = lyra_vector_values(body.u);
        loads[moves](&block_vertices, 0.3, u, lyra_vector_values(body.v), load);
        for (int32_t i = 0; i < n; ++i) {
            weight[i] = i % 3 == 1 ? -9.81 * body.masses[i / 3] : 0;
            work += (weight[i] + (moves ? 0 : load[i])) * u[i];
            load[i] += weight[i];
        }
        LyraPoint at = point_of(&body);
        LyraResponse response = {.external = body.x, .elastic = &elastic, .potential = &potential};
        TEST_OK(lyra_system_evaluate(body.system, &at, &response));
        TEST_NEAR(largest_difference(n, lyra_vector_values(body.x), load), 0, 1e-14);
        TEST_NEAR(elastic - potential, work, 1e-14);
        free(weight);
        end_body(&body);
        test_context_end(ctx);
    }
}

LYRA_TEST(traits_say_what_a_system_is)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    struct {
        BlockDef def;
        uint32_t has, lacks;
    } cases[] = {
        {{0},
         LYRA_SYSTEM_SYMMETRIC | LYRA_SYSTEM_POTENTIAL | LYRA_SYSTEM_LUMPED | LYRA_SYSTEM_UNDAMPED |
             LYRA_SYSTEM_STATIONARY,
         LYRA_SYSTEM_LINEAR},
        {{.linear = true, .alpha = 1}, LYRA_SYSTEM_LINEAR, LYRA_SYSTEM_UNDAMPED},
        {{.viscous = true}, LYRA_SYSTEM_SYMMETRIC, LYRA_SYSTEM_UNDAMPED | LYRA_SYSTEM_POTENTIAL},
        {{.viscous = true, .unsymmetric = true}, LYRA_SYSTEM_LUMPED, LYRA_SYSTEM_SYMMETRIC},
        {{.consistent = true}, LYRA_SYSTEM_POTENTIAL, LYRA_SYSTEM_LUMPED},
        {{.dampers = true}, LYRA_SYSTEM_POTENTIAL, LYRA_SYSTEM_UNDAMPED},
        {{.load = push, .load_user = &block_vertices},
         LYRA_SYSTEM_POTENTIAL | LYRA_SYSTEM_UNDAMPED,
         LYRA_SYSTEM_STATIONARY},
        {{.load = drag, .load_user = &block_vertices, .load_moves = true},
         LYRA_SYSTEM_SYMMETRIC,
         LYRA_SYSTEM_POTENTIAL | LYRA_SYSTEM_UNDAMPED | LYRA_SYSTEM_STATIONARY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
            Body body = make_block_system(ctx, &cases[i].def, kind);
            uint32_t traits = lyra_system_traits(body.system);
            TEST_CHECK_MSG((traits & cases[i].has) == cases[i].has && !(traits & cases[i].lacks),
                           "case %d: traits %x", (int)i, (unsigned)traits);
            TEST_STRING(lyra_system_name(body.system), kind == SYSTEM_SPARSE ? "sparse" : "dense");
            double size = lyra_system_extent(body.system);
            TEST_NEAR(size, 0.2, 1e-15);
            end_body(&body);
        }
    }
    test_context_end(ctx);
}

// ---- derivatives --------------------------------------------------------------------------------

static void residual(void *data, const double *q, double *g)
{
    Body *body = data;
    size_t bytes = (size_t)body->size * sizeof *q;
    memcpy(lyra_vector_values_mutable(body->y), q, bytes);
    memcpy(lyra_vector_values_mutable(body->z), q + body->size, bytes);
    LyraPoint at = {.time = 0.3, .dt = 0.01, .u = body->y, .v = body->z};
    LyraResponse response = {.g = body->x};
    TEST_OK(lyra_system_evaluate(body->system, &at, &response));
    memcpy(g, lyra_vector_values(body->x), bytes);
}

LYRA_TEST(tangents_match_differences_of_the_forces)
{
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        for (int i = 0; i < VARIANTS; ++i) {
            // the symmetric tangent of viscosity is not its derivative: without velocities it is
            bool still = variants[i].viscous && !variants[i].unsymmetric;
            LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
            Body body = make_block_system(ctx, &variants[i], kind);
            int32_t n = body.size;
            TestRandom random = test_random(5);
            double *q = malloc(5 * (size_t)n * sizeof *q), *direction = q + 2 * n;
            double *derivative = direction + 2 * n;
            // damping frozen elsewhere
            LyraPoint at = {.time = 0.1, .dt = 0.01, .u = body.x, .v = body.v};
            set_values(body.x, 0.01, &random);
            TEST_OK(lyra_system_update_damping(body.system, &at));
            at = point_of(&body);
            for (int by = 0; by < 2; ++by) {
                if (still && by == 0) {
                    lyra_vector_fill(body.v, 0);
                }
                TEST_OK(lyra_system_linearise(body.system, &at, false));
                set_values(body.z, 1, &random);
                (by ? lyra_system_apply_damping : lyra_system_apply_stiffness)(body.system, body.z,
                                                                               body.x);
                memcpy(q, lyra_vector_values(body.u), (size_t)n * sizeof *q);
                memcpy(q + n, lyra_vector_values(body.v), (size_t)n * sizeof *q);
                memset(direction, 0, 2 * (size_t)n * sizeof *direction);
                memcpy(direction + by * n, lyra_vector_values(body.z), (size_t)n * sizeof *q);
                memcpy(derivative, lyra_vector_values(body.x), (size_t)n * sizeof *q);
                char name[60];
                snprintf(name, sizeof name, "%s of %s, variant %d", by ? "C" : "K",
                         lyra_system_name(body.system), i);
                if (by == 1 && (lyra_system_traits(body.system) & LYRA_SYSTEM_UNDAMPED)) {
                    TEST_CHECK(largest_of(n, derivative) == 0);
                    continue;
                }
                test_check_difference(
                    test_difference(residual, &body, 2 * n, n, q, direction, derivative, 1e-3),
                    1e-7, name);
            }
            free(q);
            end_body(&body);
            test_context_end(ctx);
        }
    }
}

static void potential_of(void *data, const double *q, double *value)
{
    Body *body = data;
    memcpy(lyra_vector_values_mutable(body->y), q, (size_t)body->size * sizeof *q);
    LyraPoint at = {.time = 0.3, .dt = 0.01, .u = body->y, .v = body->v};
    LyraResponse response = {.potential = value};
    TEST_OK(lyra_system_evaluate(body->system, &at, &response));
}

LYRA_TEST(forces_without_damping_are_the_gradient_of_the_potential)
{
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        BlockDef def = {.alpha = 0.3, .load = push, .load_user = &block_vertices};
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Body body = make_block_system(ctx, &def, kind);
        LyraPoint at = point_of(&body);
        LyraResponse response = {.g = body.x, .damping = body.y};
        TEST_CHECK(lyra_system_traits(body.system) & LYRA_SYSTEM_POTENTIAL);
        TEST_OK(lyra_system_evaluate(body.system, &at, &response));
        lyra_vector_axpby(-1, body.y, 1, body.x);
        double slope = lyra_vector_dot(body.x, body.z);
        test_check_difference(test_difference(potential_of, &body, body.size, 1,
                                              lyra_vector_values(body.u),
                                              lyra_vector_values(body.z), &slope, 1e-2),
                              1e-7, "potential");
        end_body(&body);
        test_context_end(ctx);
    }
}

// ---- damping ------------------------------------------------------------------------------------

LYRA_TEST(frozen_damping_is_positive_unless_exact)
{
    for (int exact = 0; exact < 2; ++exact) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        BlockDef def = {.beta = 1, .damping_exact = exact};
        Body body = make_block_system(ctx, &def, SYSTEM_SPARSE);
        // pressed flat, where K is indefinite
        LyraMeshView mesh = lyra_mesh_view(body.mesh);
        for (int32_t i = 0; i < body.size; ++i) {
            lyra_vector_values_mutable(body.u)[i] = i % 3 == 0 ? -0.8 * mesh.positions[i] : 0;
        }
        LyraPoint at = point_of(&body);
        LyraResponse response = {.damping = body.x};
        TEST_OK(lyra_system_update_damping(body.system, &at));
        // D column by column
        int32_t n = body.size;
        double *D = malloc((size_t)n * (size_t)n * sizeof *D),
               *values = malloc((size_t)n * sizeof *D);
        for (int32_t j = 0; j < n; ++j) {
            lyra_vector_fill(body.v, 0);
            lyra_vector_values_mutable(body.v)[j] = 1;
            TEST_OK(lyra_system_evaluate(body.system, &at, &response));
            memcpy(D + (int64_t)j * n, lyra_vector_values(body.x), (size_t)n * sizeof *D);
        }
        TEST_OK(lyra_dense_eigen(ctx, n, D, values, NULL));
        double least = values[0] / values[n - 1];
        free(D);
        free(values);
        TEST_CHECK_MSG(exact ? least < -0.01 : least > -1e-13, "exact %d: %g", exact, least);
        end_body(&body);
        test_context_end(ctx);
    }
}

// from full and upper storage, into full and upper patterns
LYRA_TEST(damping_of_the_user_matches_its_matrix)
{
    for (int way = 0; way < 8; ++way) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        BlockDef def = {.dampers = true,
                        .consistent = way & 1,
                        .viscous = (way & 2) != 0,
                        .unsymmetric = (way & 4) != 0};
        Body body = make_block_system(ctx, &def, SYSTEM_SPARSE);
        LyraPoint at = point_of(&body);
        LyraResponse response = {.damping = body.x};
        TEST_OK(lyra_system_evaluate(body.system, &at, &response));
        lyra_block_matrix_multiply(body.damping, lyra_vector_values(body.v),
                                   lyra_vector_values_mutable(body.y));
        TEST_CHECK(lyra_vector_norm(body.y) > 0.1);
        TEST_NEAR(apart(body.size, lyra_vector_values(body.x), lyra_vector_values(body.y)), 0,
                  1e-14);
        end_body(&body);
        test_context_end(ctx);
    }
}

// one assembly serves K and the K inside D where they are the same; what comes of it is not to be
// told from two
LYRA_TEST(sharing_the_tangent_changes_no_bit)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BlockDef def = {.beta = 0.1, .damping_exact = true};
    Body a = make_block_system(ctx, &def, SYSTEM_SPARSE);
    Body b = make_block_system(ctx, &def, SYSTEM_SPARSE);
    TestRandom random = test_random(4);
    for (int step = 0; step < 6; ++step) {
        LyraPoint here = point_of(&a), other = here;
        set_values(b.u, 0.01, &random);
        other.u = b.u;
        // a: D at `here` and K at `here`, in either order or from before; b: K elsewhere between
        if (step % 2) {
            TEST_OK(lyra_system_update_damping(a.system, &here));
            TEST_OK(lyra_system_linearise(a.system, &here, false));
        } else {
            TEST_OK(lyra_system_linearise(a.system, &here, false));
            TEST_OK(lyra_system_update_damping(a.system, &here));
        }
        TEST_OK(lyra_system_update_damping(b.system, &here));
        TEST_OK(lyra_system_linearise(b.system, &other, false));
        TEST_OK(lyra_system_linearise(b.system, &here, true));
        TEST_OK(lyra_system_linearise(b.system, &here, false));
        for (int which = 0; which < 2; ++which) {
            (which ? lyra_system_apply_damping : lyra_system_apply_stiffness)(a.system, a.x, a.y);
            (which ? lyra_system_apply_damping : lyra_system_apply_stiffness)(b.system, a.x, a.z);
            lyra_vector_axpby(-1, a.y, 1, a.z);
            TEST_CHECK(lyra_vector_norm(a.z) == 0 && lyra_vector_norm(a.y) > 0);
        }
        // D stays where it was frozen when K goes on
        lyra_system_apply_damping(a.system, a.x, a.y);
        TEST_OK(lyra_system_linearise(a.system, &other, false));
        lyra_system_apply_damping(a.system, a.x, a.z);
        lyra_vector_axpby(-1, a.y, 1, a.z);
        TEST_CHECK(lyra_vector_norm(a.z) == 0);
        // and K when D goes on
        lyra_system_apply_stiffness(a.system, a.x, a.y);
        set_values(a.u, 0.01, &random);
        TEST_OK(lyra_system_update_damping(a.system, &here));
        lyra_system_apply_stiffness(a.system, a.x, a.z);
        lyra_vector_axpby(-1, a.y, 1, a.z);
        TEST_CHECK(lyra_vector_norm(a.z) == 0);
    }
    end_body(&a);
    end_body(&b);
    test_context_end(ctx);
}

// a parameter that changes at one point changes the tangent there
LYRA_TEST(parameters_reach_the_tangent)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_chain(ctx, 2, 50, 1, false);
    make_system(&body, SYSTEM_SPARSE, NULL);
    LyraPoint at = point_of(&body);
    double stiffness = 150;
    TEST_OK(lyra_system_linearise(body.system, &at, false));
    lyra_system_apply_stiffness(body.system, body.x, body.y);
    TEST_OK(lyra_model_set_parameter(body.model, 0, "stiffness", &stiffness));
    TEST_OK(lyra_system_linearise(body.system, &at, false));
    lyra_system_apply_stiffness(body.system, body.x, body.z);
    TEST_CHECK(lyra_vector_norm(body.y) > 1);
    lyra_vector_axpby(-3, body.y, 1, body.z);
    TEST_NEAR(lyra_vector_norm(body.z), 0, 1e-12);
    end_body(&body);
    test_context_end(ctx);
}

// ---- matrices -----------------------------------------------------------------------------------

LYRA_TEST(what_is_formed_is_the_sum_and_solves)
{
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        for (int i = 0; i < 2 * VARIANTS; ++i) {
            LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
            const BlockDef *def = &variants[i / 2];
            Body body = make_block_system(ctx, def, kind);
            bool held = i % 2;
            double a = 1, b = 0.01, c = 1e-4;
            if (held) {
                hold_some(&body);
            }
            LyraPoint at = point_of(&body);
            LyraSolveReport report;
            TEST_OK(lyra_system_linearise(body.system, &at, !def->unsymmetric));
            TEST_OK(lyra_system_form(body.system, a, b, c));
            lyra_system_apply(body.system, body.x, body.z);
            double size = lyra_vector_norm(body.z);
            lyra_system_apply_mass(body.system, body.x, body.y);
            lyra_vector_axpby(-a, body.y, 1, body.z);
            lyra_system_apply_damping(body.system, body.x, body.y);
            lyra_vector_axpby(-b, body.y, 1, body.z);
            lyra_system_apply_stiffness(body.system, body.x, body.y);
            lyra_vector_axpby(-c, body.y, 1, body.z);
            TEST_NEAR(lyra_vector_norm(body.z) / size, 0, 1e-13);
            // P S y = P x for y in the range of P, whatever values the constraints hold
            TEST_OK(lyra_constraints_set_values(lyra_model_constraints(body.model),
                                                lyra_vector_values(body.v)));
            TEST_OK(lyra_system_solve(body.system, body.x, 0, body.y, &report));
            TEST_CHECK(report.solver[0] && strcmp(report.solver, "auto") != 0);
            const LyraConstraints *constraints = lyra_system_constraints(body.system);
            lyra_vector_copy(body.y, body.z);
            lyra_constraints_project(constraints, lyra_vector_values_mutable(body.z));
            lyra_vector_axpby(-1, body.y, 1, body.z);
            TEST_NEAR(lyra_vector_norm(body.z), 0, 1e-15 * lyra_vector_norm(body.y));
            lyra_system_apply(body.system, body.y, body.z);
            lyra_vector_axpby(-1, body.x, 1, body.z);
            lyra_constraints_project(constraints, lyra_vector_values_mutable(body.z));
            lyra_constraints_project(constraints, lyra_vector_values_mutable(body.x));
            // the solver was asked for 1e-12
            TEST_NEAR(lyra_vector_norm(body.z) / lyra_vector_norm(body.x), 0, 1e-11);
            // M too
            TEST_OK(lyra_system_solve_mass(body.system, body.x, body.y));
            lyra_system_apply_mass(body.system, body.y, body.z);
            lyra_vector_axpby(-1, body.x, 1, body.z);
            lyra_constraints_project(constraints, lyra_vector_values_mutable(body.z));
            TEST_NEAR(lyra_vector_norm(body.z) / lyra_vector_norm(body.x), 0, 1e-11);
            lyra_vector_copy(body.y, body.z);
            lyra_constraints_project(constraints, lyra_vector_values_mutable(body.z));
            lyra_vector_axpby(-1, body.y, 1, body.z);
            TEST_NEAR(lyra_vector_norm(body.z), 0, 1e-15 * lyra_vector_norm(body.y));
            end_body(&body);
            test_context_end(ctx);
        }
    }
}

// all that a system answers, in one array
static int32_t answers(Body *body, double *out)
{
    LyraPoint at = point_of(body);
    int32_t n = body->size, count = 0;
    double energy[2];
    LyraResponse response = {
        .g = body->x, .external = body->y, .elastic = &energy[0], .potential = &energy[1]};
    TEST_OK(lyra_system_update_damping(body->system, &at));
    TEST_OK(lyra_system_evaluate(body->system, &at, &response));
    memcpy(out, lyra_vector_values(body->x), (size_t)n * sizeof *out);
    memcpy(out + n, lyra_vector_values(body->y), (size_t)n * sizeof *out);
    count = 2 * n;
    out[count++] = energy[0];
    out[count++] = energy[1];
    TEST_OK(lyra_system_linearise(body->system, &at, false));
    TEST_OK(lyra_system_form(body->system, 1, 0.01, 1e-4));
    for (int which = 0; which < 5; ++which) {
        switch (which) {
        case 0:
            lyra_system_apply(body->system, body->v, body->x);
            break;
        case 1:
            lyra_system_apply_stiffness(body->system, body->v, body->x);
            break;
        case 2:
            lyra_system_apply_damping(body->system, body->v, body->x);
            break;
        case 3:
            TEST_OK(lyra_system_solve(body->system, body->v, 0, body->x, NULL));
            break;
        default:
            TEST_OK(lyra_system_solve_mass(body->system, body->v, body->x));
            break;
        }
        memcpy(out + count, lyra_vector_values(body->x), (size_t)n * sizeof *out);
        count += n;
    }
    LyraDetF det_f = lyra_system_det_f(body->system, body->u);
    out[count++] = det_f.min;
    out[count++] = det_f.element;
    return count;
}

LYRA_TEST(sparse_and_dense_agree)
{
    for (int i = 0; i < 2 * VARIANTS; ++i) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        double *out[2];
        int32_t count = 0, n = 0;
        for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
            Body body = make_block_system(ctx, &variants[i / 2], kind);
            if (i % 2) {
                hold_some(&body);
            }
            n = body.size;
            out[kind] = malloc((7 * (size_t)n + 4) * sizeof *out[kind]);
            count = answers(&body, out[kind]);
            end_body(&body);
        }
        TEST_EQUAL(count, 7 * n + 4);
        TEST_CHECK(memcmp(out[0], out[1], (2 * (size_t)n + 2) * sizeof *out[0]) == 0);
        for (int part = 0; part < 5; ++part) {
            int32_t begin = 2 * n + 2 + part * n;
            // products to rounding; solves to the 1e-12 of the solver times the condition
            double limit = part < 3 ? 1e-13 : 1e-10;
            TEST_CHECK_MSG(apart(n, out[0] + begin, out[1] + begin) <= limit,
                           "variant %d, part %d: %g", i, part,
                           apart(n, out[0] + begin, out[1] + begin));
        }
        TEST_CHECK(out[0][count - 2] == out[1][count - 2] &&
                   out[0][count - 1] == out[1][count - 1]);
        free(out[0]);
        free(out[1]);
        test_context_end(ctx);
    }
}

LYRA_TEST(constraints_may_change_between_steps)
{
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Body body = make_block_system(ctx, &(BlockDef){.consistent = true}, kind);
        LyraConstraints *constraints = lyra_model_constraints(body.model);
        LyraPoint at = point_of(&body);
        TEST_OK(lyra_system_linearise(body.system, &at, false));
        for (int step = 0; step < 4; ++step) {
            int32_t vertex = 3 * step % 11;
            if (step > 0) {
                lyra_constraints_clear(constraints);
                TEST_OK(lyra_constraints_fix_vertices(constraints, 1, &vertex));
            }
            TEST_OK(lyra_system_form(body.system, 1, 0, 1e-4));
            TEST_OK(lyra_system_solve(body.system, body.x, 0, body.y, NULL));
            TEST_OK(lyra_system_solve_mass(body.system, body.x, body.z));
            for (int32_t i = 0; i < body.size; ++i) {
                bool fixed = step > 0 && i / 3 == vertex;
                TEST_EQUAL(lyra_vector_values(body.y)[i] == 0, fixed);
                TEST_EQUAL(lyra_vector_values(body.z)[i] == 0, fixed);
            }
        }
        end_body(&body);
        test_context_end(ctx);
    }
}

// wholly held vertices take the scalar way, slanted ones that of blocks; M x = b where free
LYRA_TEST(consistent_masses_are_solved_for_under_constraints_of_all_kinds)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block_system(ctx, &(BlockDef){.consistent = true}, SYSTEM_SPARSE);
    LyraConstraints *constraints = lyra_model_constraints(body.model);
    double *Mx = malloc((size_t)body.size * sizeof *Mx);
    for (int32_t step = 0; step < 6; ++step) {
        int32_t held[2] = {2, 7};
        lyra_constraints_clear(constraints);
        if (step > 0) {
            TEST_OK(lyra_constraints_fix_vertices(constraints, 1 + (step & 1), held));
        }
        if (step == 2 || step == 3) {
            TEST_OK(lyra_constraints_add_direction(constraints, 5, (double[]){1, -2, 1}));
        }
        if (step == 4) {
            TEST_OK(lyra_constraints_fix_dofs(constraints, 1, (int32_t[]){3}));
        }
        TEST_OK(lyra_system_solve_mass(body.system, body.x, body.y));
        lyra_system_apply_mass(body.system, body.y, body.z);
        const double *x = lyra_vector_values(body.y), *b = lyra_vector_values(body.x);
        // x is in the range of P, and so is what M x is to be
        memcpy(Mx, x, (size_t)body.size * sizeof *Mx);
        lyra_constraints_project(constraints, Mx);
        for (int32_t i = 0; i < body.size; ++i) {
            TEST_NEAR(Mx[i], x[i], 1e-13 * fabs(x[i]));
            Mx[i] = lyra_vector_values(body.z)[i] - b[i];
        }
        lyra_constraints_project(constraints, Mx);
        for (int32_t i = 0; i < body.size; ++i) {
            TEST_NEAR(Mx[i], 0, 1e-11);
        }
    }
    free(Mx);
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(a_first_constraint_after_form_is_not_overlooked)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        Body body = make_block_system(ctx, &(BlockDef){0}, kind);
        LyraPoint at = point_of(&body);
        TEST_OK(lyra_system_linearise(body.system, &at, false));
        TEST_OK(lyra_system_form(body.system, 1, 0, 1e-4));
        TEST_OK(
            lyra_constraints_fix_vertices(lyra_model_constraints(body.model), 1, (int32_t[1]){1}));
        TEST_STATUS(lyra_system_solve(body.system, body.x, 0, body.y, NULL), LYRA_INVALID_ARGUMENT);
        TEST_OK(lyra_system_form(body.system, 1, 0, 1e-4));
        TEST_OK(lyra_system_solve(body.system, body.x, 0, body.y, NULL));
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(messages_of_solvers_name_vertices_in_the_order_of_the_caller)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block_system(ctx, &(BlockDef){0}, SYSTEM_SPARSE);
    LyraPoint at = point_of(&body);
    TEST_OK(lyra_system_linearise(body.system, &at, false));
    TEST_OK(lyra_system_form(body.system, 1, 0, 1e-4));
    for (int32_t v = 0; v < block_vertices; ++v) {
        char expected[64];
        snprintf(expected, sizeof expected, "%d, at vertex %d ", (int)(3 * v + 1), (int)v);
        double *b = lyra_vector_values_mutable(body.x), kept = b[3 * v + 1];
        b[3 * v + 1] = NAN;
        TEST_STATUS(lyra_system_solve(body.system, body.x, 0, body.y, NULL), LYRA_NOT_FINITE);
        TEST_CONTAINS(lyra_error_message(), expected);
        b[3 * v + 1] = kept;
    }
    end_body(&body);
    test_context_end(ctx);
}

// pressed flat a body has a negative tangent: exact, a status; positive, a solution
LYRA_TEST(indefinite_tangents_are_a_status_and_psd_serves)
{
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Body body = make_block_system(ctx, &(BlockDef){0}, kind);
        LyraMeshView mesh = lyra_mesh_view(body.mesh);
        for (int32_t i = 0; i < body.size; ++i) {
            lyra_vector_values_mutable(body.u)[i] = i % 3 == 0 ? -0.8 * mesh.positions[i] : 0;
        }
        LyraPoint at = point_of(&body);
        TEST_OK(lyra_system_linearise(body.system, &at, false));
        LyraStatus status = lyra_system_form(body.system, 1, 0, 10);
        status = status ? status : lyra_system_solve(body.system, body.x, 0, body.y, NULL);
        TEST_EQUAL(status, LYRA_NOT_POSITIVE_DEFINITE);
        TEST_OK(lyra_system_linearise(body.system, &at, true));
        TEST_OK(lyra_system_form(body.system, 1, 0, 10));
        // rounding of the stiffness times a free motion by b / m leaves a residual of 1e-10
        TEST_OK(lyra_system_solve(body.system, body.x, 0, body.y, NULL));
        LyraDetF det_f = lyra_system_det_f(body.system, body.u);
        TEST_NEAR(det_f.min, 0.2, 1e-12);
        TEST_CHECK(det_f.element >= 0 && det_f.element < mesh.element_count && det_f.inverted == 0);
        end_body(&body);
        test_context_end(ctx);
    }
}

// ---- motion and history -------------------------------------------------------------------------

static void lift(void *user, double t, double *u, double *v, double *a)
{
    int32_t *calls = user;
    ++*calls;
    u[1] = t * t;
    if (v) {
        v[1] = 2 * t;
    }
    if (a) {
        a[1] = 2;
    }
}

LYRA_TEST(prescribed_motion_is_passed_on)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double positions[6] = {0, 0, 0, 1, 0, 0}, masses[2] = {1, 1};
    int32_t calls = 0;
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        LyraModelDef def = lyra_model_def_default();
        Body body = {.ctx = ctx};
        def.vertex_count = 2;
        def.positions = positions;
        def.masses = masses;
        def.prescription = lift;
        def.prescription_user = &calls;
        TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &body.model));
        make_system(&body, kind, NULL);
        lyra_system_prescribe(body.system, 3, body.x, body.y, body.z);
        const double *all[3] = {lyra_vector_values(body.x), lyra_vector_values(body.y),
                                lyra_vector_values(body.z)};
        for (int i = 0; i < 6; ++i) {
            TEST_CHECK(all[0][i] == (i == 1 ? 9 : 0) && all[1][i] == (i == 1 ? 6 : 0) &&
                       all[2][i] == (i == 1 ? 2 : 0));
        }
        lyra_system_prescribe(body.system, 4, NULL, body.y, NULL);
        TEST_CHECK(all[1][1] == 8);
        // no elements
        LyraDetF det_f = lyra_system_det_f(body.system, body.u);
        TEST_CHECK(det_f.min == 1 && det_f.element == -1 && det_f.inverted == 0 &&
                   det_f.elements == 0);
        end_body(&body);
    }
    TEST_EQUAL(calls, 4);
    test_context_end(ctx);
}

// the one vector of the material, of `count` numbers; NULL without
static const double *history_of(const LyraState *state, int64_t count)
{
    LyraStateBlock block;
    return lyra_state_block_at(state, 0, &block) && block.owner == LYRA_STATE_MATERIAL &&
                   block.type == LYRA_STATE_VECTOR && block.count == 1 && block.size == count
               ? lyra_vector_values(block.vectors[0])
               : NULL;
}

LYRA_TEST(history_passes_through)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        Body body = {.ctx = ctx};
        const double positions[6] = {0, 0, 0, 1, 0, 0}, masses[2] = {1, 1};
        const int32_t pair[2] = {0, 1};
        LyraSpringsDef list = lyra_springs_def_default();
        LyraSprings *springs = NULL;
        LyraMaxwellSpringDef law = lyra_maxwell_spring_def_default();
        list.vertex_count = 2;
        list.spring_count = 1;
        list.vertices = pair;
        list.positions = positions;
        TEST_REQUIRE_OK(lyra_springs_create(ctx, &list, &springs));
        TEST_REQUIRE_OK(lyra_maxwell_spring_create(ctx, springs, &law, &body.forces[0]));
        lyra_springs_destroy(springs);
        LyraModelDef def = lyra_model_def_default();
        def.vertex_count = 2;
        def.positions = positions;
        def.masses = masses;
        def.force_count = 1;
        def.forces = body.forces;
        TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &body.model));
        make_system(&body, kind, NULL);
        int64_t count = 3 * LYRA_BATCH_WIDTH; // a batch of three numbers a spring
        TEST_CHECK(count > 0 && lyra_system_traits(body.system) & LYRA_SYSTEM_HISTORY);
        LyraState *state = NULL, *trial = NULL, *empty = NULL;
        TEST_REQUIRE_OK(lyra_system_state_create(body.system, &state));
        TEST_REQUIRE_OK(lyra_system_state_create(body.system, &trial));
        TEST_REQUIRE_OK(lyra_state_create(ctx, 6, &empty));
        const double *old = history_of(state, count), *next = history_of(trial, count);
        TEST_REQUIRE(old && next);
        LyraPoint at = point_of(&body);
        LyraResponse response = {.g = body.x, .trial = trial};
        // without it, refused
        TEST_STATUS(lyra_system_evaluate(body.system, &at, &response), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "history");
        at.committed = empty;
        TEST_STATUS(lyra_system_evaluate(body.system, &at, &response), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "no history");
        TEST_CHECK(largest_of(count, next) == 0);
        at.committed = state;
        TEST_OK(lyra_system_evaluate(body.system, &at, &response));
        TEST_CHECK(largest_of(count, next) > 0 && largest_of(count, old) == 0);
        // the tangent follows a history that changed at one point
        TEST_OK(lyra_system_linearise(body.system, &at, false));
        lyra_system_apply_stiffness(body.system, body.v, body.x);
        at.committed = trial;
        TEST_OK(lyra_system_linearise(body.system, &at, false));
        lyra_system_apply_stiffness(body.system, body.v, body.y);
        lyra_vector_axpby(-1, body.x, 1, body.y);
        TEST_CHECK(lyra_vector_norm(body.y) > 0);
        // the committed state may be the one that is written
        response.trial = state;
        at.committed = state;
        TEST_OK(lyra_system_evaluate(body.system, &at, &response));
        TEST_CHECK(memcmp(history_of(state, count), next, (size_t)count * sizeof *next) == 0);
        lyra_state_destroy(trial);
        lyra_state_destroy(empty);
        lyra_state_destroy(state);
        end_body(&body);
    }
    test_context_end(ctx);
}

// ---- threads and memory -------------------------------------------------------------------------

#define BIG 12
#define BIG_SIZE (3 * (BIG + 1) * (BIG + 1) * (BIG + 1))

static void compute(LyraContext *ctx, void *data, void *out)
{
    BlockDef def = *(const BlockDef *)data;
    for (int i = 0; i < 3; ++i) {
        def.cells[i] = BIG;
    }
    Body body = make_block(ctx, &def);
    // our own solvers give the same bits; libraries are not ours to promise for
    make_system(&body, SYSTEM_SPARSE, def.unsymmetric ? "bicgstab" : "pcg");
    set_values(body.u, 0.002, &(TestRandom){{1, 2, 3, 4}});
    hold_some(&body);
    answers(&body, out);
    double *last = (double *)out + 7 * (int64_t)body.size + 4;
    TEST_OK(lyra_system_largest_eigenvalue(body.system, last));
    end_body(&body);
}

LYRA_TEST(bits_do_not_depend_on_threads)
{
    static const BlockDef defs[] = {
        {.viscous = true, .beta = 0.01, .alpha = 0.1},
        {.beta = 0.01, .damping_exact = true, .dampers = true},
    };
    for (int i = 0; i < 2; ++i) {
        test_same_bits(compute, (void *)&defs[i], (7 * BIG_SIZE + 5) * sizeof(double));
    }
}

LYRA_TEST(steps_allocate_nothing_after_the_first)
{
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
        BlockDef def = {.viscous = true, .beta = 0.01, .alpha = 0.1, .dampers = true};
        Body body = make_block(ctx, &def);
        make_system(&body, kind, "pcg");
        hold_some(&body);
        double *out = malloc((7 * (size_t)body.size + 4) * sizeof *out);
        int64_t before = 0;
        TestRandom random = test_random(1);
        for (int step = 0; step < 4; ++step) {
            set_values(body.u, 0.002, &random);
            answers(&body, out);
            before = step == 1 ? test_allocation_count() : before;
        }
        TEST_EQUAL(test_allocation_count(), before);
        free(out);
        end_body(&body);
        test_context_end(ctx);
    }
}

typedef struct StepData {
    const Body *from;
    SystemKind kind;
} StepData;

// a first step, which allocates
static LyraStatus step(LyraContext *ctx, void *data)
{
    const StepData *d = data;
    const Body *from = d->from;
    LyraMeshView mesh = lyra_mesh_view(from->mesh);
    LyraModelDef def = lyra_model_def_default();
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraSolverDef solver = lyra_solver_def_default();
    double value;
    solver.name = "pcg";
    def.vertex_count = mesh.vertex_count;
    def.positions = mesh.positions;
    def.force_count = from->force_count;
    def.forces = from->forces;
    def.mass_matrix = from->mass_matrix;
    def.stiffness_damping = 0.01;
    LyraStatus status = lyra_model_create(ctx, &def, &model);
    if (status == LYRA_OK) {
        status = lyra_constraints_fix_vertices(lyra_model_constraints(model), 1, (int32_t[1]){2});
    }
    if (status == LYRA_OK) {
        status = d->kind == SYSTEM_SPARSE ? lyra_system_create_sparse(ctx, model, &solver, &system)
                                          : lyra_system_create_dense(ctx, model, &system);
    }
    status = status ? status : lyra_system_state_create(system, &state);
    if (status == LYRA_OK) {
        LyraStateView view = lyra_state_view(state);
        LyraPoint at = {.u = view.u, .v = view.v, .dt = 0.01};
        LyraResponse response = {.g = view.a};
        status = lyra_system_update_damping(system, &at);
        status = status ? status : lyra_system_evaluate(system, &at, &response);
        status = status ? status : lyra_system_linearise(system, &at, false);
        status = status ? status : lyra_system_form(system, 1, 0.01, 1e-4);
        status = status ? status : lyra_system_solve(system, view.a, 0, view.v, NULL);
        status = status ? status : lyra_system_solve_mass(system, view.a, view.v);
        status = status ? status : lyra_system_largest_eigenvalue(system, &value);
    }
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_block(ctx, &(BlockDef){.consistent = true, .viscous = true});
    for (SystemKind kind = 0; kind < SYSTEM_KIND_COUNT; ++kind) {
        StepData data = {&body, kind};
        test_fail_each_allocation(step, &data);
    }
    end_body(&body);
    test_context_end(ctx);
}
