// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The start from the rest shape: how that is placed for a body of several parts, that bodies
// without inverted elements never see it, and when it is taken.

#include "integrate_cases.h"

#include "model/system.h"

// ---- parts --------------------------------------------------------------------------------------

#define PARTS 3

// Copies of a bar side by side, a vertex of each in turn, so that no part has its vertices in a row
// of numbers; the last vertex belongs to no element. Copies weigh differently at their ends.
typedef struct Parts {
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    double *masses;
    int32_t vertex_count; // of a copy; vertex i of copy p is PARTS * i + p
} Parts;

static bool make_mesh(LyraContext *ctx, Parts *parts)
{
    LyraMesh *one = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    for (int32_t j = 0; j < 3; ++j) {
        shape.cells[j] = 3 - j;
        shape.size[j] = 0.6 / (j + 1);
    }
    if (!TEST_OK(lyra_mesh_generate(ctx, &shape, &one))) {
        return false;
    }
    LyraMeshView view = lyra_mesh_view(one);
    TEST_EQUAL(view.kind, LYRA_ELEMENT_TET4);
    int32_t n = parts->vertex_count = view.vertex_count, k = 4;
    double *positions = malloc((size_t)(3 * (PARTS * n + 1)) * sizeof *positions);
    int32_t *elements = malloc((size_t)(PARTS * k * view.element_count) * sizeof *elements);
    for (int32_t i = 0; i < PARTS * n; ++i) {
        for (int32_t j = 0; j < 3; ++j) {
            positions[3 * i + j] = view.positions[3 * (i / PARTS) + j] + (j == 2 ? i % PARTS : 0);
        }
    }
    for (int32_t j = 0; j < 3; ++j) {
        positions[3 * PARTS * n + j] = -1 - j;
    }
    for (int32_t i = 0; i < PARTS * k * view.element_count; ++i) {
        elements[i] = PARTS * view.elements[i / k / PARTS * k + i % k] + i / k % PARTS;
    }
    LyraMeshView all = {.kind = view.kind,
                        .vertex_count = PARTS * n + 1,
                        .element_count = PARTS * view.element_count,
                        .positions = positions,
                        .elements = elements};
    bool ok = TEST_OK(lyra_mesh_create(ctx, &all, &parts->mesh));
    free(positions);
    free(elements);
    lyra_mesh_destroy(one);
    return ok;
}

static bool make_parts(LyraContext *ctx, bool dense, Parts *out)
{
    Parts parts = {0};
    LyraSolidDef solid = lyra_solid_def_default();
    bool ok =
        make_mesh(ctx, &parts) && TEST_OK(lyra_solid_create(ctx, parts.mesh, &solid, &parts.solid));
    if (ok) {
        LyraMeshView view = lyra_mesh_view(parts.mesh);
        parts.masses = malloc((size_t)view.vertex_count * sizeof *parts.masses);
        for (int32_t i = 0; i < view.vertex_count; ++i) {
            parts.masses[i] = view.positions[3 * i] > 0.1 ? 5 : 1;
        }
        LyraModelDef model = lyra_model_def_default();
        LyraSolverDef solver = lyra_solver_def_default();
        model.vertex_count = view.vertex_count;
        model.positions = view.positions;
        model.forces = lyra_solid_forces(parts.solid, &model.force_count);
        model.masses = parts.masses;
        ok = TEST_OK(lyra_model_create(ctx, &model, &parts.model)) &&
             TEST_OK(dense ? lyra_system_create_dense(ctx, parts.model, &parts.system)
                           : lyra_system_create_sparse(ctx, parts.model, &solver, &parts.system)) &&
             TEST_OK(lyra_system_state_create(parts.system, &parts.state));
    }
    *out = parts;
    return ok;
}

static void end_parts(Parts *parts)
{
    lyra_state_destroy(parts->state);
    lyra_system_destroy(parts->system);
    lyra_model_destroy(parts->model);
    lyra_solid_destroy(parts->solid);
    lyra_mesh_destroy(parts->mesh);
    free(parts->masses);
}

// Each copy is turned and moved its own way and swollen about its centre of mass: the rigid motion
// that fits best is the same without the swelling, A being a multiple of R times a positive matrix.
static void move_parts(const Parts *parts, double swell, LyraVector *rest)
{
    const double *X = lyra_mesh_view(parts->mesh).positions;
    double *u = lyra_vector_values_mutable(lyra_state_view(parts->state).u);
    double *expected = lyra_vector_values_mutable(rest);
    TestRandom random = test_random(11);
    for (int32_t p = 0; p < PARTS; ++p) {
        double R[9], c[3], C[3] = {0, 0, 0}, total = 0;
        test_random_rotation(&random, R);
        for (int32_t i = p; i < PARTS * parts->vertex_count; i += PARTS) {
            total += parts->masses[i];
            for (int32_t j = 0; j < 3; ++j) {
                C[j] += parts->masses[i] * X[3 * i + j];
            }
        }
        for (int32_t j = 0; j < 3; ++j) {
            C[j] /= total;
            c[j] = test_random_in(&random, -2, 2);
        }
        for (int32_t i = p; i < PARTS * parts->vertex_count; i += PARTS) {
            for (int32_t j = 0; j < 3; ++j) {
                double turned = 0;
                for (int32_t k = 0; k < 3; ++k) {
                    turned += R[3 * j + k] * (X[3 * i + k] - C[k]);
                }
                u[3 * i + j] = c[j] + swell * turned - X[3 * i + j];
                expected[3 * i + j] = c[j] + turned - X[3 * i + j];
            }
        }
    }
    // the lone vertex is where it is
    for (int32_t j = 0; j < 3; ++j) {
        int32_t i = 3 * PARTS * parts->vertex_count + j;
        u[i] = expected[i] = 0.3 * j + 0.2;
    }
}

LYRA_TEST(the_rest_shape_of_each_part_is_placed_by_its_own_motion)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t k = 0; k < 4; ++k) {
        Parts parts;
        LyraVector *expected = NULL, *rest = NULL;
        if (make_parts(ctx, k % 2 == 1, &parts)) {
            int32_t size = lyra_system_size(parts.system);
            TEST_OK(lyra_vector_create(ctx, size, &expected));
            TEST_OK(lyra_vector_create(ctx, size, &rest));
            move_parts(&parts, k < 2 ? 1 : 1.7, expected);
            TEST_CHECK(lyra_system_rest(parts.system, lyra_state_view(parts.state).u, rest));
            for (int32_t i = 0; i < size; ++i) {
                // coordinates of up to 4 m
                TEST_NEAR(lyra_vector_values(rest)[i], lyra_vector_values(expected)[i], 1e-14);
            }
        }
        lyra_vector_destroy(expected);
        lyra_vector_destroy(rest);
        end_parts(&parts);
    }
    test_context_end(ctx);
}

// ---- who tries the rest shape -------------------------------------------------------------------

static const LyraSystemType *plain_type;
static Body *plain_body;
static int32_t candidates;

static void counted_rest(void *self, const LyraVector *u, LyraVector *rest)
{
    ++candidates;
    plain_type->solid->rest(self, u, rest);
}

typedef enum Shape { STRETCHED, CRUSHED, WRUNG, INVERTED, SHAPE_COUNT } Shape;

// a bar that is far from its rest shape, and moves
static void deform(const Body *body, Shape shape)
{
    static const double F[SHAPE_COUNT][9] = {
        {2.5, 0.8, 0, 0, 0.5, 0.4, 0.3, 0, 0.6},
        {0.3, 0.1, 0, 0, 0.4, 0, 0, 0.1, 0.5},
        {1.2, 0, 0, 0, 1, 0, 0, 0, 1},
        {-0.6, 0, 0, 0, 1, 0, 0, 0, 1},
    };
    const double *X = lyra_mesh_view(body->mesh).positions;
    TestRandom random = test_random(3);
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        const double *x = X + 3 * i;
        double angle = shape == WRUNG ? 4 * x[0] : 0, y[3];
        y[0] = x[0];
        y[1] = cos(angle) * x[1] - sin(angle) * x[2];
        y[2] = sin(angle) * x[1] + cos(angle) * x[2];
        for (int32_t j = 0; j < 3; ++j) {
            const double *row = F[shape] + 3 * j;
            body_u(body)[3 * i + j] = row[0] * y[0] + row[1] * y[1] + row[2] * y[2] - x[j];
            body_v(body)[3 * i + j] = test_random_in(&random, -0.2, 0.2);
        }
    }
}

// three steps of a free bar; where `candidate`, rest shapes are counted, otherwise there are none
static void run_bar(LyraContext *ctx, const char *name, double h, Shape shape, bool candidate,
                    double *end, LyraStepReport reports[3])
{
    BodyDef settings = body_def();
    settings.fixed = false;
    Body body;
    LyraIntegrator *it = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    if (make_body(ctx, &settings, &body)) {
        plain_type = body.system->type;
        LyraSystemType type = *plain_type;
        LyraSolidDiagnostics solid = *plain_type->solid;
        solid.rest = candidate ? counted_rest : NULL;
        type.solid = &solid;
        body.system->type = &type;
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it));
        deform(&body, shape);
        for (int32_t s = 0; s < 3; ++s) {
            double det = lyra_system_det_f(body.system, lyra_state_view(body.state).u).min;
            TEST_CHECK_MSG((det > 0) == (shape != INVERTED || s > 0), "%s, shape %d, step %d: %g",
                           name, (int)shape, (int)s, det);
            TEST_OK(lyra_integrator_step(it, body.state, h, &reports[s]));
        }
        memcpy(end, body_u(&body), (size_t)body.size * sizeof *end);
        memcpy(end + body.size, body_v(&body), (size_t)body.size * sizeof *end);
        lyra_integrator_destroy(it);
        body.system->type = plain_type;
    }
    end_body(&body);
}

LYRA_TEST(bodies_without_inverted_elements_have_no_rest_candidate)
{
    // newmark does not damp what a long step makes of such shapes
    static const char *const names[] = {"backward-euler", "newmark", "bdf2"};
    static const double lengths[] = {1.0 / 60, 1.0 / 600, 1.0 / 60};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int32_t m = 0; m < 3; ++m) {
        for (int32_t shape = 0; shape < INVERTED; ++shape) {
            double ends[2][6 * 45] = {{0}};
            LyraStepReport reports[2][3] = {{{0}}};
            candidates = 0;
            for (int32_t k = 0; k < 2; ++k) {
                run_bar(ctx, names[m], lengths[m], (Shape)shape, k == 1, ends[k], reports[k]);
            }
            TEST_EQUAL(candidates, 0);
            TEST_CHECK(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
            for (int32_t s = 0; s < 3; ++s) {
                TEST_EQUAL(reports[0][s].newton_iterations, reports[1][s].newton_iterations);
                TEST_EQUAL(reports[0][s].factorisations, reports[1][s].factorisations);
            }
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(bodies_with_inverted_elements_try_their_rest_shape)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double end[6 * 45] = {0};
    LyraStepReport reports[3] = {{0}};
    candidates = 0;
    run_bar(ctx, "backward-euler", 1.0 / 60, INVERTED, true, end, reports);
    TEST_EQUAL(candidates, 1);
    test_context_end(ctx);
}

// ---- who takes it -------------------------------------------------------------------------------

// elements that are said to be inverted where the body is, at Newton's own start and at the
// candidate
static int32_t inverted_said[3], det_f_calls;

static LyraDetF scripted_det_f(void *self, const LyraVector *u)
{
    LyraDetF det_f = plain_type->solid->det_f(self, u);
    if (det_f_calls < 3) {
        det_f.inverted = inverted_said[det_f_calls];
        det_f.min = det_f.inverted > 0 ? -1 : det_f.min;
    }
    ++det_f_calls;
    return det_f;
}

// a rest shape that is turned, so that the step from there ends beside the solution
static void turned_rest(void *self, const LyraVector *u, LyraVector *rest)
{
    plain_type->solid->rest(self, u, rest);
    Body *body = plain_body;
    const double *X = lyra_mesh_view(body->mesh).positions;
    double *w = lyra_vector_values_mutable(rest);
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        w[3 * i] = (cos(0.5) - 1) * X[3 * i] - sin(0.5) * X[3 * i + 1];
        w[3 * i + 1] = sin(0.5) * X[3 * i] + (cos(0.5) - 1) * X[3 * i + 1];
    }
}

// residual that Newton's method starts from, N, for a body that moves slowly near its rest shape
static double find_first_residual(LyraContext *ctx, LyraInversion inversion, const int32_t said[3])
{
    BodyDef settings = body_def();
    settings.fixed = false;
    settings.inversion = inversion;
    Body body;
    LyraIntegrator *it = NULL;
    LyraStepReport report = {.residual_first = NAN};
    LyraIntegratorDef def = lyra_integrator_def_default();
    if (make_body(ctx, &settings, &body)) {
        plain_type = body.system->type;
        plain_body = &body;
        LyraSystemType type = *plain_type;
        const LyraSolidDiagnostics solid = {.det_f = scripted_det_f, .rest = turned_rest};
        type.solid = &solid;
        body.system->type = &type;
        TEST_OK(lyra_integrator_create(ctx, &def, body.system, &it));
        TestRandom random = test_random(5);
        for (int32_t i = 0; i < body.size; ++i) {
            body_v(&body)[i] = test_random_in(&random, -1e-3, 1e-3);
        }
        det_f_calls = 0;
        memcpy(inverted_said, said, sizeof inverted_said);
        TEST_OK(lyra_integrator_step(it, body.state, 1.0 / 60, &report));
        lyra_integrator_destroy(it);
        body.system->type = plain_type;
    }
    end_body(&body);
    return report.residual_first;
}

LYRA_TEST(starts_with_fewer_inverted_elements_are_taken_without_a_potential_or_by_tangles)
{
    static const int32_t nothing[3] = {0, 0, 0}, fewer[3] = {5, 5, 3}, as_many[3] = {5, 5, 5},
                         more[3] = {5, 3, 5}, tangled[3] = {20, 20, 3}, worse[3] = {20, 3, 20};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double own = find_first_residual(ctx, LYRA_INVERSION_CLAMP, nothing);
    TEST_CHECK(own > 0 && own < 1);
    TEST_CHECK(find_first_residual(ctx, LYRA_INVERSION_CLAMP, fewer) > 2 * own);
    TEST_CHECK(find_first_residual(ctx, LYRA_INVERSION_CLAMP, as_many) == own);
    TEST_CHECK(find_first_residual(ctx, LYRA_INVERSION_CLAMP, more) == own);
    // a potential knows better, but for a body of which a tenth (of 96 elements) is inverted
    own = find_first_residual(ctx, LYRA_INVERSION_EXTEND, nothing);
    TEST_CHECK(find_first_residual(ctx, LYRA_INVERSION_EXTEND, fewer) == own);
    TEST_CHECK(find_first_residual(ctx, LYRA_INVERSION_EXTEND, tangled) > 2 * own);
    TEST_CHECK(find_first_residual(ctx, LYRA_INVERSION_EXTEND, worse) == own);
    test_context_end(ctx);
}
