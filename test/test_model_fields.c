// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Fields of elements: closed forms, rigid motions, the sum over a body, bodies beside one another,
// threads; and the forces of single stencils they rest on.

#include "lyra/elastic.h"
#include "lyra/fields.h"
#include "lyra/mesh_generate.h"
#include "lyra/solid.h"
#include "lyra/system.h"
#include "lyra/viscosity.h"
#include "lyra_test.h"
#include "model/history.h"

#include <stdlib.h>
#include <string.h>

#define YOUNG 1e4
#define POISSON 0.3

typedef struct Body {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraSolid *solid;
    LyraForce *viscosity; // Nullable
    LyraModel *model;
    LyraState *state;
    LyraFields *fields;
    int32_t n, elements, nodes;
    double *det, *energy, *stress, *von_mises;
} Body;

static LyraMesh *make_mesh(LyraContext *ctx, LyraElementKind kind, int32_t cells)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    shape.kind = kind;
    shape.shuffle = true;
    shape.cells[0] = cells + 1;
    shape.cells[1] = shape.cells[2] = cells;
    for (int i = 0; i < 3; ++i) {
        shape.size[i] = 0.2 * shape.cells[i];
    }
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    return mesh;
}

static double *zeros(int64_t count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

static Body make_solid_body(LyraContext *ctx, LyraElementKind kind, const LyraSolidDef *solid,
                            const LyraViscosityDef *viscosity, int32_t cells)
{
    Body body = {.ctx = ctx, .mesh = make_mesh(ctx, kind, cells)};
    LyraMeshView view = lyra_mesh_view(body.mesh);
    body.n = view.vertex_count;
    body.elements = view.element_count;
    body.nodes = lyra_element_kind_nodes(kind);
    TEST_OK(lyra_solid_create(ctx, body.mesh, solid, &body.solid));
    LyraForce *forces[4];
    int32_t count = 0;
    LyraForce *const *own = lyra_solid_forces(body.solid, &count);
    memcpy(forces, own, (size_t)count * sizeof *forces);
    if (viscosity) {
        TEST_OK(lyra_viscosity_create(ctx, body.mesh, viscosity, &body.viscosity));
        forces[count++] = body.viscosity;
    }
    double *masses = zeros(body.n);
    for (int32_t i = 0; i < body.n; ++i) {
        masses[i] = 1;
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = body.n;
    def.positions = view.positions;
    def.forces = forces;
    def.force_count = count;
    def.masses = masses;
    TEST_OK(lyra_model_create(ctx, &def, &body.model));
    TEST_OK(lyra_state_create(ctx, 3 * body.n, &body.state));
    TEST_OK(lyra_fields_create(ctx, body.model, body.mesh, 0, &body.fields));
    body.det = zeros(body.elements);
    body.energy = zeros(body.elements);
    body.stress = zeros(6 * (int64_t)body.elements);
    body.von_mises = zeros(body.elements);
    free(masses);
    return body;
}

static Body make_body(LyraContext *ctx, LyraElementKind kind, const char *law, bool viscous,
                      int32_t cells)
{
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = law;
    solid.young = YOUNG;
    solid.poisson = POISSON;
    LyraViscosityDef viscosity = lyra_viscosity_def_default();
    viscosity.lambda = 30;
    viscosity.mu = 7;
    return make_solid_body(ctx, kind, &solid, viscous ? &viscosity : NULL, cells);
}

// the forces of a body, to be evaluated beside its model
static LyraAssembly *make_assembly(const Body *body)
{
    LyraForce *forces[4];
    LyraForceGroup group;
    int32_t count = 0;
    for (; lyra_model_group(body->model, count, &group); ++count) {
        forces[count] = (LyraForce *)group.force;
    }
    LyraAssembly *assembly = NULL;
    const double *X = lyra_mesh_view(body->mesh).positions;
    TEST_OK(lyra_assembly_create(body->ctx, body->n, X, count, forces, &assembly));
    return assembly;
}

static void end_body(Body *body)
{
    lyra_fields_destroy(body->fields);
    lyra_state_destroy(body->state);
    lyra_model_destroy(body->model);
    lyra_force_destroy(body->viscosity);
    lyra_solid_destroy(body->solid);
    lyra_mesh_destroy(body->mesh);
    free(body->det);
    free(body->energy);
    free(body->stress);
    free(body->von_mises);
}

static void evaluate(Body *body)
{
    const LyraElementFields out = {.det = body->det,
                                   .energy_density = body->energy,
                                   .stress = body->stress,
                                   .von_mises = body->von_mises};
    TEST_OK(lyra_fields_evaluate(body->fields, body->state, &out));
}

// u = F X + c - X, v = L X
static void deform(Body *body, const double F[9], const double c[3], const double L[9])
{
    LyraStateView state = lyra_state_view(body->state);
    const double *X = lyra_mesh_view(body->mesh).positions;
    double *u = lyra_vector_values_mutable(state.u), *v = lyra_vector_values_mutable(state.v);
    for (int32_t k = 0; k < body->n; ++k) {
        for (int i = 0; i < 3; ++i) {
            u[3 * k + i] = c[i] - X[3 * k + i];
            v[3 * k + i] = 0;
            for (int j = 0; j < 3; ++j) {
                u[3 * k + i] += F[3 * i + j] * X[3 * k + j];
                v[3 * k + i] += L ? L[3 * i + j] * X[3 * k + j] : 0;
            }
        }
    }
}

static void lame(double *lambda, double *mu)
{
    *lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
    *mu = YOUNG / (2 * (1 + POISSON));
}

// ---- closed forms -------------------------------------------------------------------------------

// neo-Hookean: sigma = (mu (F F^T - 1) + lambda ln J) / J, here of stretches, then turned
static void check_stretch(LyraElementKind kind, const double R[9])
{
    const double s[3] = {1.4, 0.9, 0.85}, c[3] = {3, -2, 5};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Body body = make_body(ctx, kind, "neo-hookean", false, 2);
    double lambda, mu, J = s[0] * s[1] * s[2], F[9], principal[3], expected[9] = {0};
    lame(&lambda, &mu);
    double W = -mu * log(J) + 0.5 * lambda * log(J) * log(J);
    for (int i = 0; i < 3; ++i) {
        principal[i] = (mu * (s[i] * s[i] - 1) + lambda * log(J)) / J;
        W += 0.5 * mu * (s[i] * s[i] - 1);
        for (int k = 0; k < 3; ++k) {
            F[3 * k + i] = R[3 * k + i] * s[i];
        }
    }
    for (int e = 0; e < 27; ++e) {
        expected[e % 9] += R[3 * (e % 9 / 3) + e / 9] * principal[e / 9] * R[3 * (e % 3) + e / 9];
    }
    const int place[6] = {0, 4, 8, 1, 5, 2};
    double d[3] = {principal[0] - principal[1], principal[1] - principal[2],
                   principal[2] - principal[0]};
    double mises = sqrt(0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    deform(&body, F, c, NULL);
    evaluate(&body);
    TEST_CHECK(lyra_fields_have_stress(body.fields));
    // a few hundred operations on numbers of the modulus' size
    for (int32_t e = 0; e < body.elements; ++e) {
        TEST_NEAR(body.det[e], J, 1e-13);
        TEST_NEAR(body.energy[e], W, 1e-11 * YOUNG);
        TEST_NEAR(body.von_mises[e], mises, 1e-11 * YOUNG);
        for (int k = 0; k < 6; ++k) {
            TEST_NEAR(body.stress[6 * e + k], expected[place[k]], 1e-11 * YOUNG);
        }
    }
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(fields_of_a_stretch_are_those_of_the_law)
{
    const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double R[9];
    TestRandom random = test_random(4);
    for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
        check_stretch((LyraElementKind)kind, none);
        test_random_rotation(&random, R);
        check_stretch((LyraElementKind)kind, R);
    }
}

// a body tapered along an axis: sections at a and b are scaled by s_a and s_b, and what lies
// between has (s_a^2 + s_a s_b + s_b^2) / 3 of its volume, as a frustum has; the cubes follow it
// exactly
LYRA_TEST(fields_of_a_taper_have_the_volume_of_a_frustum)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_body(ctx, LYRA_ELEMENT_CUBE8, "neo-hookean", false, 2);
    LyraMeshView mesh = lyra_mesh_view(body.mesh);
    double *u = lyra_vector_values_mutable(lyra_state_view(body.state).u);
    const double slope = 0.9, centre = 0.1;
    for (int axis = 0; axis < 3; ++axis) {
        for (int32_t i = 0; i < 3 * body.n; ++i) {
            double along = mesh.positions[i - i % 3 + axis];
            u[i] = i % 3 == axis ? 0 : slope * along * (mesh.positions[i] - centre);
        }
        evaluate(&body);
        for (int32_t e = 0; e < body.elements; ++e) {
            double low = INFINITY, high = -INFINITY;
            for (int32_t a = 0; a < 8; ++a) {
                double along = mesh.positions[3 * (int64_t)mesh.elements[8 * e + a] + axis];
                low = fmin(low, along);
                high = fmax(high, along);
            }
            double s_a = 1 + slope * low, s_b = 1 + slope * high;
            TEST_NEAR(body.det[e], (s_a * s_a + s_a * s_b + s_b * s_b) / 3, 1e-13);
        }
    }
    end_body(&body);
    test_context_end(ctx);
}

LYRA_TEST(fields_of_a_rigid_motion_are_zero)
{
    static const char *const laws[] = {"neo-hookean", "stvk", "corotational", "mooney-rivlin"};
    TestRandom random = test_random(5);
    double R[9];
    const double c[3] = {10, 20, -30};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < 4 * LYRA_ELEMENT_KIND_COUNT; ++k) {
        Body body = make_body(ctx, (LyraElementKind)(k / 4), laws[k % 4], false, 1);
        test_random_rotation(&random, R);
        deform(&body, R, c, NULL);
        evaluate(&body);
        for (int32_t e = 0; e < body.elements; ++e) {
            // rounding of positions about 30 in elements of 0.2
            TEST_NEAR(body.det[e], 1, 1e-12);
            TEST_NEAR(body.energy[e], 0, 1e-12 * YOUNG);
            TEST_NEAR(body.von_mises[e], 0, 1e-11 * 1e6);
        }
        end_body(&body);
    }
    test_context_end(ctx);
}

// at rest, moving by L: S = lambda tr(E') + 2 mu E' with E' the symmetric part of L
LYRA_TEST(fields_hold_the_forces_of_velocities)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {0};
    const double L[9] = {2, 1, 0, 0, -3, 0.5, 0.25, 0, 4};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_body(ctx, LYRA_ELEMENT_TET4, "neo-hookean", true, 1);
    deform(&body, one, c, L);
    evaluate(&body);
    const double expected[6] = {30 * 3 + 14 * 2,   30 * 3 - 14 * 3,   30 * 3 + 14 * 4,
                                7 * (L[1] + L[3]), 7 * (L[5] + L[7]), 7 * (L[2] + L[6])};
    for (int32_t e = 0; e < body.elements; ++e) {
        TEST_NEAR(body.energy[e], 0, 1e-12);
        for (int k = 0; k < 6; ++k) {
            TEST_NEAR(body.stress[6 * e + k], expected[k], 1e-9);
        }
    }
    end_body(&body);
    test_context_end(ctx);
}

// ---- sums ---------------------------------------------------------------------------------------

static void disturb(Body *body, double size)
{
    TestRandom random = test_random(6);
    LyraStateView state = lyra_state_view(body->state);
    for (int32_t i = 0; i < 3 * body->n; ++i) {
        lyra_vector_values_mutable(state.u)[i] = size * test_random_normal(&random);
        lyra_vector_values_mutable(state.v)[i] = test_random_normal(&random);
    }
}

static double *positions_of(const Body *body)
{
    const double *X = lyra_mesh_view(body->mesh).positions;
    const double *u = lyra_vector_values(lyra_state_view(body->state).u);
    double *x = zeros(3 * (int64_t)body->n);
    for (int32_t i = 0; i < 3 * body->n; ++i) {
        x[i] = X[i] + u[i];
    }
    return x;
}

// sum over elements of v sigma = sum over vertices of f (x) x, its symmetric part; energies
// likewise
LYRA_TEST(fields_sum_to_the_forces_of_the_body)
{
    static const char *const laws[] = {"neo-hookean", "stvk", "corotational", "mooney-rivlin"};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int k = 0; k < 4 * LYRA_ELEMENT_KIND_COUNT; ++k) {
        Body body = make_body(ctx, (LyraElementKind)(k / 4), laws[k % 4], k < 4, 2);
        disturb(&body, 0.01);
        evaluate(&body);
        double *x = positions_of(&body), *f = zeros(3 * (int64_t)body.n), energy = 0;
        LyraEvaluation at = {.x = x,
                             .v = lyra_vector_values(lyra_state_view(body.state).v),
                             .energy = &energy,
                             .gradient = f};
        LyraAssembly *assembly = make_assembly(&body);
        TEST_OK(lyra_assembly_evaluate(assembly, &at));
        lyra_assembly_destroy(assembly);
        double moment[9] = {0}, sum[6] = {0}, energies = 0;
        for (int32_t i = 0; i < 9 * body.n; ++i) {
            moment[i % 9] += f[3 * (i / 9) + i % 9 / 3] * x[3 * (i / 9) + i % 3];
        }
        // all elements of a box of cells have one volume: cubes 8e-3, tets a fifth or a sixth
        double *rest = zeros(body.elements);
        LyraMeshView view = lyra_mesh_view(body.mesh);
        for (int32_t e = 0; e < body.elements; ++e) {
            const int32_t *ids = view.elements + (int64_t)body.nodes * e;
            const double *p[4];
            double a[3], b[3], d[3];
            for (int i = 0; i < 4; ++i) {
                p[i] = view.positions + 3 * (int64_t)ids[i];
            }
            for (int i = 0; i < 3; ++i) {
                a[i] = p[1][i] - p[0][i];
                b[i] = p[2][i] - p[0][i];
                d[i] = p[3][i] - p[0][i];
            }
            rest[e] = body.nodes == 8 ? 0.2 * 0.2 * 0.2
                                      : (a[0] * (b[1] * d[2] - b[2] * d[1]) +
                                         a[1] * (b[2] * d[0] - b[0] * d[2]) +
                                         a[2] * (b[0] * d[1] - b[1] * d[0])) /
                                            6;
            energies += rest[e] * body.energy[e];
            for (int i = 0; i < 6; ++i) {
                sum[i] += body.det[e] * rest[e] * body.stress[6 * e + i];
            }
        }
        TEST_CHECK(energy > 0);
        TEST_NEAR(energies, energy, 1e-11 * energy);
        const int place[6] = {0, 4, 8, 1, 5, 2}, mirror[6] = {0, 4, 8, 3, 7, 6};
        double scale = fabs(moment[0]) + fabs(moment[4]) + fabs(moment[8]);
        for (int i = 0; i < 6; ++i) {
            TEST_NEAR(sum[i], 0.5 * (moment[place[i]] + moment[mirror[i]]), 1e-10 * scale);
            // and no torque, but for one rotation for all of a cube, whose forces are no gradient
            bool torque = k / 4 == LYRA_ELEMENT_CUBE8 && strcmp(laws[k % 4], "corotational") == 0;
            TEST_CHECK(torque || fabs(moment[place[i]] - moment[mirror[i]]) <= 1e-10 * scale);
        }
        free(rest);
        free(x);
        free(f);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(stencils_sum_to_the_evaluation)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(3, isa);
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            bool tets = kind == LYRA_ELEMENT_TET4;
            Body body = make_body(ctx, (LyraElementKind)kind, "stvk", tets, 4);
            LyraAssembly *assembly = make_assembly(&body);
            LyraMeshView view = lyra_mesh_view(body.mesh);
            disturb(&body, 0.01);
            double *x = positions_of(&body), *f = zeros(3 * (int64_t)body.n), energy = 0;
            double *sum = zeros(3 * (int64_t)body.n), energies = 0;
            double *each = zeros(body.elements),
                   *gradients = zeros(3 * (int64_t)body.elements * body.nodes);
            LyraEvaluation at = {.x = x, .v = lyra_vector_values(lyra_state_view(body.state).v)};
            for (int32_t force = 0; force < (tets ? 2 : 1); ++force) {
                TEST_OK(lyra_assembly_evaluate_stencils(assembly, force, &at, each, NULL));
                int64_t before = test_allocation_count();
                TEST_OK(lyra_assembly_evaluate_stencils(assembly, force, &at, each, gradients));
                TEST_EQUAL(test_allocation_count(), before);
                for (int32_t e = 0; e < body.elements; ++e) {
                    energies += each[e];
                    TEST_CHECK(force == 0 ? each[e] > 0 : each[e] == 0);
                    for (int32_t k = 0; k < 3 * body.nodes; ++k) {
                        int32_t vertex = view.elements[(int64_t)body.nodes * e + k / 3];
                        sum[3 * vertex + k % 3] += gradients[3 * (int64_t)body.nodes * e + k];
                    }
                }
            }
            at.gradient = f;
            at.energy = &energy;
            TEST_OK(lyra_assembly_evaluate(assembly, &at));
            TEST_NEAR(energies, energy, 1e-12 * energy);
            double scale = 0;
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                scale = fmax(scale, fabs(f[i]));
            }
            for (int32_t i = 0; i < 3 * body.n; ++i) {
                TEST_NEAR(sum[i], f[i], 1e-13 * scale);
            }
            free(x);
            free(f);
            free(sum);
            free(each);
            free(gradients);
            lyra_assembly_destroy(assembly);
            end_body(&body);
        }
        test_context_end(ctx);
    }
}

// ---- several bodies, threads, failures ----------------------------------------------------------

// two copies of a mesh in one model, one stretched: each has fields of its own
LYRA_TEST(fields_of_one_body_of_two)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_mesh(ctx, LYRA_ELEMENT_TET4, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t n = view.vertex_count, count = view.element_count;
    double *X = zeros(6 * (int64_t)n), *masses = zeros(2 * (int64_t)n);
    for (int32_t i = 0; i < 6 * n; ++i) {
        X[i] = view.positions[i % (3 * n)] + (i >= 3 * n && i % 3 == 0 ? 10 : 0);
        masses[i / 3] = 1;
    }
    LyraElasticDef law = lyra_elastic_def_default();
    law.young = YOUNG;
    law.poisson = POISSON;
    LyraForce *forces[2] = {NULL};
    const LyraModelBody bodies[2] = {{.name = "left", .vertex_count = n},
                                     {.name = "right", .first_vertex = n, .vertex_count = n}};
    for (int b = 0; b < 2; ++b) {
        TEST_REQUIRE_OK(lyra_elastic_create(ctx, mesh, &law, &forces[b]));
        TEST_OK(lyra_force_set_owner(forces[b], b, b ? "right.elastic" : "left.elastic"));
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = 2 * n;
    def.positions = X;
    def.forces = forces;
    def.force_count = 2;
    def.bodies = bodies;
    def.body_count = 2;
    def.masses = masses;
    LyraModel *model = NULL;
    LyraState *state = NULL;
    TEST_REQUIRE_OK(lyra_model_create(ctx, &def, &model));
    TEST_REQUIRE_OK(lyra_state_create(ctx, 6 * n, &state));
    double *u = lyra_vector_values_mutable(lyra_state_view(state).u);
    for (int32_t i = n; i < 2 * n; ++i) {
        u[3 * i] = 0.5 * (X[3 * i] - 10);
    }
    double *det = zeros(count), *mises = zeros(count);
    for (int b = 0; b < 2; ++b) {
        LyraFields *fields = NULL;
        TEST_REQUIRE_OK(lyra_fields_create(ctx, model, mesh, b * n, &fields));
        TEST_CHECK(lyra_fields_have_stress(fields));
        const LyraElementFields out = {.det = det, .von_mises = mises};
        TEST_OK(lyra_fields_evaluate(fields, state, &out));
        for (int32_t e = 0; e < count; ++e) {
            TEST_NEAR(det[e], b == 0 ? 1 : 1.5, 1e-12);
            TEST_CHECK(b == 0 ? mises[e] < 1e-6 : mises[e] > 100);
        }
        lyra_fields_destroy(fields);
    }
    LyraFields *none = NULL;
    TEST_STATUS(lyra_fields_create(ctx, model, mesh, n + 1, &none), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_fields_create(ctx, model, mesh, -1, &none), LYRA_INVALID_ARGUMENT);
    lyra_state_destroy(state);
    TEST_REQUIRE_OK(lyra_state_create(ctx, 3 * n, &state));
    TEST_REQUIRE_OK(lyra_fields_create(ctx, model, mesh, 0, &none));
    const LyraElementFields nothing = {0};
    TEST_STATUS(lyra_fields_evaluate(none, state, &nothing), LYRA_INVALID_ARGUMENT);
    lyra_fields_destroy(none);
    lyra_state_destroy(state);
    lyra_model_destroy(model);
    lyra_force_destroy(forces[0]);
    lyra_force_destroy(forces[1]);
    lyra_mesh_destroy(mesh);
    free(det);
    free(mises);
    free(X);
    free(masses);
    test_context_end(ctx);
}

// ---- memory -------------------------------------------------------------------------------------

// writes `value` + element to all numbers of a group's history that begin with `name`
static int write_named(Body *body, int32_t g, const char *name, double value)
{
    LyraForceGroup group;
    int written = 0;
    TEST_CHECK(lyra_model_group(body->model, g, &group));
    const LyraForceType *type = lyra_force_type(group.force);
    double *values = zeros(body->elements);
    for (int32_t i = 0; i < type->history_count; ++i) {
        if (strncmp(type->history_names[i], name, strlen(name)) == 0) {
            for (int32_t e = 0; e < body->elements; ++e) {
                // points differ by two each, from the first on
                values[e] = value + e + 2 * written;
            }
            TEST_OK(lyra_model_write_history(body->model, g, body->state, i, values));
            ++written;
        }
    }
    free(values);
    return written;
}

static void read_memory(const Body *body, LyraMemory memory, double *values)
{
    TEST_CHECK(lyra_fields_have_memory(body->fields, memory));
    TEST_OK(lyra_fields_read_memory(body->fields, memory, body->state, values));
}

LYRA_TEST(elements_say_what_they_remember_of_flow)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    plasticity.yield_stress = 10;
    const LyraElementKind kinds[3] = {LYRA_ELEMENT_TET4, LYRA_ELEMENT_TET10, LYRA_ELEMENT_CUBE8};
    const int points[3] = {1, 4, 8};
    for (int k = 0; k < 3; ++k) {
        LyraSolidDef solid = lyra_solid_def_default();
        solid.model = "hencky";
        solid.plasticity = &plasticity;
        Body body = make_solid_body(ctx, kinds[k], &solid, NULL, 1);
        double *values = zeros(9 * (int64_t)body.elements);
        // nothing yet, not even a history
        values[0] = 7;
        read_memory(&body, LYRA_MEMORY_PLASTIC_STRAIN, values);
        TEST_EQUAL(values[0], 0);
        TEST_OK(ly_history_init(body.model, body.state));
        TEST_EQUAL(write_named(&body, 0, "equivalent-plastic-strain", 0.5), points[k]);
        TEST_EQUAL(write_named(&body, 0, "inverse-flow-12", 3), points[k]);
        TEST_EQUAL(write_named(&body, 0, "dissipated", 0.25), 1);
        double mean = points[k] - 1;
        read_memory(&body, LYRA_MEMORY_PLASTIC_STRAIN, values);
        TEST_NEAR(values[1], 1.5 + mean, 1e-14);
        read_memory(&body, LYRA_MEMORY_INVERSE_FLOW, values);
        TEST_NEAR(values[9 + 1], 4 + mean, 1e-14);
        TEST_EQUAL(values[9], 0);
        double *volumes = zeros(body.elements);
        lyra_mesh_element_volumes(body.mesh, volumes);
        read_memory(&body, LYRA_MEMORY_PLASTIC_LOSS, values);
        TEST_NEAR(values[1] * volumes[1], 1.25, 1e-12);
        TEST_CHECK(!lyra_fields_have_memory(body.fields, LYRA_MEMORY_VISCOUS_LOSS));
        TEST_CHECK(!lyra_fields_have_memory(body.fields, LYRA_MEMORY_GOAL_DISTANCE));
        TEST_STATUS(
            lyra_fields_read_memory(body.fields, LYRA_MEMORY_VISCOUS_LOSS, body.state, values),
            LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "no force of the elements remembers viscous-loss");
        free(values);
        free(volumes);
        end_body(&body);
    }
    test_context_end(ctx);
}

LYRA_TEST(elements_say_what_they_remember_of_goals_and_branches)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double goal[6 * 64] = {0}, values[6 * 64];
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = "neo-hookean";
    plasticity.yield = LYRA_YIELD_DEFORMATION;
    plasticity.goal_strain = goal;
    solid.plasticity = &plasticity;
    Body body = make_solid_body(ctx, LYRA_ELEMENT_TET4, &solid, NULL, 1);
    TEST_REQUIRE(body.elements <= 64);
    TEST_OK(ly_history_init(body.model, body.state));
    TEST_EQUAL(write_named(&body, 0, "goal-distance", 0.125), 1);
    read_memory(&body, LYRA_MEMORY_GOAL_DISTANCE, values);
    TEST_EQUAL(values[2], 2.125);
    end_body(&body);

    plasticity = lyra_plasticity_def_default();
    plasticity.kinematic_hardening = 5;
    solid.model = "hencky";
    body = make_solid_body(ctx, LYRA_ELEMENT_TET4, &solid, NULL, 1);
    TEST_OK(ly_history_init(body.model, body.state));
    TEST_EQUAL(write_named(&body, 0, "plastic-strain-31", 0.5), 1);
    TEST_EQUAL(write_named(&body, 0, "equivalent-plastic-strain", 3), 1);
    read_memory(&body, LYRA_MEMORY_PLASTIC_LOG_STRAIN, values);
    TEST_EQUAL(values[5], 0.5);
    TEST_EQUAL(values[0], 0);
    read_memory(&body, LYRA_MEMORY_PLASTIC_STRAIN, values);
    TEST_EQUAL(values[0], 3);
    TEST_CHECK(!lyra_fields_have_memory(body.fields, LYRA_MEMORY_INVERSE_FLOW));
    end_body(&body);

    // what branches lose adds up, and is no plastic loss
    const LyraRelaxationBranch branches[2] = {{1, 10, 0}, {2, 20, 0}};
    LyraViscoelasticityDef viscous = lyra_viscoelasticity_def_default();
    viscous.model = LYRA_RELAXATION_MAXWELL;
    viscous.branches = branches;
    viscous.branch_count = 2;
    solid.plasticity = NULL;
    solid.viscoelasticity = &viscous;
    body = make_solid_body(ctx, LYRA_ELEMENT_TET4, &solid, NULL, 1);
    TEST_OK(ly_history_init(body.model, body.state));
    TEST_EQUAL(write_named(&body, 1, "dissipated", 1), 1);
    TEST_EQUAL(write_named(&body, 2, "dissipated", 2), 1);
    double volumes[64];
    lyra_mesh_element_volumes(body.mesh, volumes);
    read_memory(&body, LYRA_MEMORY_VISCOUS_LOSS, values);
    TEST_NEAR(values[0] * volumes[0], 3, 1e-12);
    TEST_CHECK(!lyra_fields_have_memory(body.fields, LYRA_MEMORY_PLASTIC_LOSS));
    TEST_CHECK(!lyra_fields_have_memory(body.fields, LYRA_MEMORY_PLASTIC_STRAIN));
    end_body(&body);
    test_context_end(ctx);
}

#define CELLS 10
#define ELEMENTS (6 * CELLS * CELLS * (CELLS + 1))

static void compute_fields(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    Body body = make_body(ctx, LYRA_ELEMENT_TET4, "neo-hookean", true, CELLS);
    TEST_CHECK(body.elements <= ELEMENTS);
    disturb(&body, 0.005);
    evaluate(&body);
    memcpy(out, body.stress, (size_t)body.elements * 6 * sizeof(double));
    memcpy((double *)out + 6 * ELEMENTS, body.energy, (size_t)body.elements * sizeof(double));
    memcpy((double *)out + 7 * ELEMENTS, body.det, (size_t)body.elements * sizeof(double));
    end_body(&body);
}

LYRA_TEST(fields_have_the_same_bits_at_any_thread_count)
{
    test_same_bits(compute_fields, NULL, (size_t)8 * ELEMENTS * sizeof(double));
}

static LyraStatus make_fields(LyraContext *ctx, void *data)
{
    (void)ctx;
    const Body *body = data;
    LyraFields *fields = NULL;
    LyraStatus status = lyra_fields_create(ctx, body->model, body->mesh, 0, &fields);
    lyra_fields_destroy(fields);
    return status;
}

LYRA_TEST(fields_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body = make_body(ctx, LYRA_ELEMENT_CUBE8, "neo-hookean", false, 1);
    test_fail_each_allocation(make_fields, &body);
    end_body(&body);
    test_context_end(ctx);
}
