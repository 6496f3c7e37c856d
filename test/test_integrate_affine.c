// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Affine bodies in motion: they fall, spin as rigid bodies do, hang as pendulums, keep their shape,
// live beside solids under every implicit integrator, and do not care where they are.

#include "lyra_test.h"

#include "lyra/lyra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARTICLES LYRA_AFFINE_PARTICLES

// ---- a spring from a point of the body to its place at rest
// ---------------------------------------

#define W LYRA_BATCH_WIDTH

typedef struct Pin {
    double stiffness, weights[PARTICLES];
} Pin;

static void pin_setup(const void *self, int32_t element, const int32_t *order, double *constants)
{
    (void)element;
    for (int k = 0; k < PARTICLES; ++k) {
        constants[k] = ((const Pin *)self)->weights[order[k]];
    }
}

// E = k/2 |sum w u|^2
static void pin_evaluate(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    const double k = ((const Pin *)self)->stiffness, *w = batch->constants;
    if (batch->dfdx) {
        memset(batch->dfdx, 0, 10 * 9 * W * sizeof *batch->dfdx);
    }
    for (int e = 0; e < W; ++e) {
        double energy = 0;
        for (int i = 0; i < 3; ++i) {
            double d = 0;
            for (int a = 0; a < PARTICLES; ++a) {
                d += w[a * W + e] * batch->u[(3 * a + i) * W + e];
            }
            energy += 0.5 * k * d * d;
            int block = 0;
            for (int a = 0; a < PARTICLES; ++a) {
                if (batch->gradient) {
                    batch->gradient[(3 * a + i) * W + e] = k * w[a * W + e] * d;
                }
                for (int b = a; b < PARTICLES && batch->dfdx; ++b, ++block) {
                    batch->dfdx[(9 * block + 4 * i) * W + e] = k * w[a * W + e] * w[b * W + e];
                }
            }
        }
        if (batch->energy) {
            batch->energy[e] = energy;
        }
    }
}

static const LyraForceType pin_type = {
    .name = "pin",
    .nodes = PARTICLES,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_LINEAR |
              LYRA_FORCE_DISPLACEMENT | LYRA_FORCE_REORDERABLE,
    .constant_count = PARTICLES,
    .setup = pin_setup,
    .evaluate = pin_evaluate,
};

// ---- worlds -------------------------------------------------------------------------------------

typedef struct World {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraAffine *affine;
    LyraForce *pin;
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
    double *u, *v;
} World;

typedef struct WorldDef {
    const char *integrator;
    double size[3], center[3], gravity[3], stiffness;
    Pin *pin; // Nullable; its weights are found here
    double point[3];
    bool renumbered, dense;
} WorldDef;

static World make_world(const WorldDef *def)
{
    World w = {.ctx = test_context(1, LYRA_ISA_AUTO)};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.elements = 48;
    memcpy(shape.size, def->size, sizeof shape.size);
    memcpy(shape.center, def->center, sizeof shape.center);
    TEST_OK(lyra_mesh_generate(w.ctx, &shape, &w.mesh));
    LyraAffineDef affine = lyra_affine_def_default();
    affine.mesh = w.mesh;
    affine.stiffness = def->stiffness;
    TEST_OK(lyra_affine_create(w.ctx, &affine, &w.affine));
    LyraAffineView view = lyra_affine_view(w.affine);
    LyraForce *forces[2] = {view.forces[0]};
    LyraModelDef model = lyra_model_def_default();
    model.vertex_count = PARTICLES;
    model.positions = view.positions;
    model.masses = view.masses;
    model.forces = forces;
    model.force_count = 1;
    memcpy(model.gravity, def->gravity, sizeof model.gravity);
    if (def->pin) {
        static const int32_t stencil[PARTICLES] = {0, 1, 2, 3};
        lyra_affine_weights(w.affine, def->point, def->pin->weights);
        LyraForceDef force = lyra_force_def_default();
        force.type = &pin_type;
        force.self = def->pin;
        force.stencil_count = 1;
        force.stencils = stencil;
        TEST_OK(lyra_force_create(w.ctx, &force, &w.pin));
        forces[model.force_count++] = w.pin;
    }
    TEST_OK(lyra_model_create(w.ctx, &model, &w.model));
    TEST_OK(def->dense ? lyra_system_create_dense(w.ctx, w.model, &w.system)
                       : lyra_system_create_sparse(w.ctx, w.model, NULL, &w.system));
    LyraIntegratorDef integrator = lyra_integrator_def_default();
    integrator.name = def->integrator;
    TEST_OK(lyra_integrator_create(w.ctx, &integrator, w.system, &w.integrator));
    TEST_OK(lyra_system_state_create(w.system, &w.state));
    w.u = lyra_vector_values_mutable(lyra_state_view(w.state).u);
    w.v = lyra_vector_values_mutable(lyra_state_view(w.state).v);
    return w;
}

static void end_world(World *w)
{
    lyra_state_destroy(w->state);
    lyra_integrator_destroy(w->integrator);
    lyra_system_destroy(w->system);
    lyra_model_destroy(w->model);
    lyra_force_destroy(w->pin);
    lyra_affine_destroy(w->affine);
    lyra_mesh_destroy(w->mesh);
    test_context_end(w->ctx);
}

// a velocity and a spin about the centre
static void set_spin(World *w, const double velocity[3], const double spin[3])
{
    LyraAffineView view = lyra_affine_view(w->affine);
    double *v = lyra_vector_values_mutable(lyra_state_view(w->state).v);
    for (int p = 0; p < PARTICLES; ++p) {
        double r[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = view.positions[3 * p + i] - view.center[i];
        }
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            v[3 * p + i] = velocity[i] + spin[j] * r[k] - spin[k] * r[j];
        }
    }
}

// about the origin
static void angular_momentum(const World *w, double L[3])
{
    LyraAffineView view = lyra_affine_view(w->affine);
    memset(L, 0, 3 * sizeof *L);
    for (int p = 0; p < PARTICLES; ++p) {
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double xj = view.positions[3 * p + j] + w->u[3 * p + j];
            double xk = view.positions[3 * p + k] + w->u[3 * p + k];
            L[i] += view.masses[p] * (xj * w->v[3 * p + k] - xk * w->v[3 * p + j]);
        }
    }
}

// largest entry of A^T A - 1
static double strain(const World *w, double A[9])
{
    double t[3], largest = 0;
    lyra_affine_map(w->affine, w->u, A, t);
    for (int i = 0; i < 9; ++i) {
        double c = A[i / 3] * A[i % 3] + A[3 + i / 3] * A[3 + i % 3] + A[6 + i / 3] * A[6 + i % 3];
        largest = fmax(largest, fabs(c - (i % 4 == 0)));
    }
    return largest;
}

// ---- flight -------------------------------------------------------------------------------------

LYRA_TEST(a_body_falls_and_spins_with_its_momenta_kept)
{
    const WorldDef def = {
        .integrator = "implicit-midpoint", .size = {0.3, 0.2, 0.5}, .gravity = {0, -10, 0}};
    World w = make_world(&def);
    double before[3], after[3], A[9], t[3], balance = 0, sum = 0, worst = 0, kinetic = 0;
    set_spin(&w, (double[3]){1, 0, 0}, (double[3]){2, 3, -4});
    angular_momentum(&w, before);
    const double h = 0.005;
    for (int s = 0; s < 400; ++s) {
        LyraStepReport report;
        TEST_REQUIRE_OK(lyra_integrator_step(w.integrator, w.state, h, &report));
        balance = fmax(balance, fabs(report.numerical));
        sum += report.numerical;
        kinetic = report.kinetic;
        worst = fmax(worst, strain(&w, A));
    }
    lyra_affine_map(w.affine, w.u, A, t);
    angular_momentum(&w, after);
    double mass = lyra_affine_view(w.affine).mass, time = 400 * h;
    // the centre, which is at the origin, falls by g t^2/2; the midpoint rule has that exactly
    TEST_NEAR(t[0], time, 1e-8);
    TEST_NEAR(t[1], -5 * time * time, 1e-8);
    TEST_NEAR(t[2], 0, 1e-8);
    // about the origin it gains that of the fall: x m v_y - y m v_x
    TEST_NEAR(after[0], before[0], 1e-7 * mass);
    TEST_NEAR(after[1], before[1], 1e-7 * mass);
    TEST_NEAR(after[2], before[2] + mass * (time * -10 * time + 5 * time * time), 1e-6 * mass);
    // the rule keeps the shape halfway, where chords are shorter than arcs by about (w h)^2 / 8
    double turn = sqrt(2 * 2 + 3 * 3 + 4 * 4) * h;
    TEST_CHECK_MSG(worst < turn * turn, "strain %g", worst);
    // so energy goes into the shape and back, and none is lost
    TEST_CHECK_MSG(fabs(sum) < 1e-3 * kinetic, "sum %g of %g", sum, kinetic);
    TEST_CHECK_MSG(balance < 1e-3 * kinetic, "balance %g of %g", balance, kinetic);
    end_world(&w);
}

// Euler's equations of the rigid body, body frame, and R' = R [w], by Runge and Kutta's method
static void rotor_rate(const double I[3], const double y[12], double d[12])
{
    const double *w = y + 9;
    for (int r = 0; r < 3; ++r) {
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            // row r of R, times [w]: R (w x e_i)
            d[3 * r + i] = y[3 * r + j] * w[k] - y[3 * r + k] * w[j];
        }
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        d[9 + i] = (I[j] - I[k]) * w[j] * w[k] / I[i];
    }
}

static void rotor_move(const double I[3], double time, int steps, double y[12])
{
    double h = time / steps;
    for (int s = 0; s < steps; ++s) {
        double k[4][12], at[12];
        rotor_rate(I, y, k[0]);
        for (int q = 1; q < 4; ++q) {
            for (int i = 0; i < 12; ++i) {
                at[i] = y[i] + (q < 3 ? 0.5 : 1) * h * k[q - 1][i];
            }
            rotor_rate(I, at, k[q]);
        }
        for (int i = 0; i < 12; ++i) {
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
}

// the middle axis tumbles; the error falls with the square of the step down to that of the shape
LYRA_TEST(a_free_body_tumbles_as_a_rigid_one)
{
    const double a = 0.3, b = 0.2, c = 0.5, spin[3] = {6, 0.3, 0.2}, time = 2;
    const double I[3] = {b * b + c * c, a * a + c * c, a * a + b * b};
    double error[2];
    for (int n = 0; n < 2; ++n) {
        const WorldDef def = {
            .integrator = "implicit-midpoint", .size = {a, b, c}, .stiffness = 1e10};
        World w = make_world(&def);
        double A[9], y[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, spin[0], spin[1], spin[2]};
        set_spin(&w, (double[3]){0}, spin);
        int steps = n ? 1000 : 500;
        for (int s = 0; s < steps; ++s) {
            TEST_REQUIRE_OK(lyra_integrator_step(w.integrator, w.state, time / steps, NULL));
        }
        rotor_move(I, time, 20000, y);
        TEST_CHECK(strain(&w, A) < pow(6 * time / steps, 2));
        error[n] = 0;
        for (int i = 0; i < 9; ++i) {
            error[n] = fmax(error[n], fabs(A[i] - y[i]));
        }
        end_world(&w);
    }
    TEST_CHECK_MSG(error[1] < 2e-3, "off by %g", error[1]);
    TEST_CHECK_MSG(error[0] / error[1] > 3.5 && error[0] / error[1] < 4.5, "%g, then %g", error[0],
                   error[1]);
}

// ---- held ---------------------------------------------------------------------------------------

// period of small swings of a box about a point of its top: 2 pi sqrt((I + m d^2) / (m g d))
LYRA_TEST(a_body_held_at_a_point_of_its_surface_is_a_pendulum)
{
    const double pi = 3.14159265358979323846, g = 9.81, edge = 0.2, height = 0.6;
    Pin pin = {.stiffness = 1e8};
    const WorldDef def = {.integrator = "newmark",
                          .size = {edge, height, edge},
                          .gravity = {0, -g, 0},
                          .pin = &pin,
                          .point = {0, height / 2, 0}};
    World w = make_world(&def);
    double d = height / 2, angle = 0.01, A[9];
    double expected = 2 * pi * sqrt(((edge * edge + height * height) / 12 + d * d) / (g * d));
    // turned about the point
    LyraAffineView view = lyra_affine_view(w.affine);
    for (int p = 0; p < PARTICLES; ++p) {
        double x = view.positions[3 * p], y = view.positions[3 * p + 1] - height / 2;
        w.u[3 * p] = cos(angle) * x - sin(angle) * y - x;
        w.u[3 * p + 1] = sin(angle) * x + cos(angle) * y - y;
    }
    const double h = 0.002;
    double last = angle, crossings[2] = {0};
    int found = 0;
    for (int s = 0; s < 1200 && found < 2; ++s) {
        TEST_REQUIRE_OK(lyra_integrator_step(w.integrator, w.state, h, NULL));
        TEST_CHECK(strain(&w, A) < 1e-4);
        double now = atan2(A[3], A[0]);
        if (last > 0 && now <= 0) {
            crossings[found++] = (s + 1) * h - h * now / (now - last);
        } else if (last < 0 && now >= 0) {
            crossings[found++] = (s + 1) * h - h * now / (now - last);
        }
        last = now;
    }
    TEST_EQUAL(found, 2);
    TEST_NEAR(2 * (crossings[1] - crossings[0]) / expected, 1, 2e-4);
    // and from the start a quarter of it
    TEST_NEAR(4 * crossings[0] / expected, 1, 2e-3);
    end_world(&w);
}

// ---- invariance ---------------------------------------------------------------------------------

// where the particles went after some steps, in lengths of the body
static void fly(const WorldDef *def, double scale, double A[9])
{
    WorldDef scaled = *def;
    for (int i = 0; i < 3; ++i) {
        scaled.size[i] *= scale;
        scaled.gravity[i] *= scale;
    }
    // E ~ rho (L / T)^2
    scaled.stiffness *= scale * scale;
    World w = make_world(&scaled);
    set_spin(&w, (double[3]){0}, (double[3]){3, -2, 5});
    for (int s = 0; s < 60; ++s) {
        TEST_OK(lyra_integrator_step(w.integrator, w.state, 0.01, NULL));
    }
    strain(&w, A);
    end_world(&w);
}

LYRA_TEST(a_body_far_away_or_of_another_size_moves_alike)
{
    const WorldDef def = {
        .integrator = "bdf2", .size = {0.3, 0.2, 0.5}, .gravity = {0, -10, 0}, .stiffness = 1e7};
    WorldDef far = def, dense = def;
    double here[9], other[9];
    far.center[0] = 1e5;
    far.center[2] = -3e5;
    dense.dense = true;
    fly(&def, 1, here);
    const struct {
        const WorldDef *def;
        double scale, tolerance;
    } cases[] = {{&far, 1, 1e-7}, {&def, 1e-3, 1e-8}, {&def, 1e3, 1e-8}, {&dense, 1, 1e-8}};
    for (int c = 0; c < 4; ++c) {
        fly(cases[c].def, cases[c].scale, other);
        for (int i = 0; i < 9; ++i) {
            TEST_NEAR(other[i], here[i], cases[c].tolerance);
        }
    }
}

// ---- beside a solid -----------------------------------------------------------------------------

typedef struct Pair {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraForce *elastic;
    LyraAffine *affine;
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
    int32_t first; // vertex of the affine body
} Pair;

// a solid that is held and an affine body that flies, one first or the other
static Pair make_pair(const char *integrator, bool affine_first)
{
    Pair pair = {.ctx = test_context(1, LYRA_ISA_AUTO)};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.cells[0] = 3;
    shape.cells[1] = shape.cells[2] = 1;
    shape.size[0] = 0.3;
    shape.size[1] = shape.size[2] = 0.1;
    TEST_OK(lyra_mesh_generate(pair.ctx, &shape, &pair.mesh));
    LyraMeshView mesh = lyra_mesh_view(pair.mesh);
    LyraElasticDef elastic = lyra_elastic_def_default();
    elastic.young = 1e5;
    TEST_OK(lyra_elastic_create(pair.ctx, pair.mesh, &elastic, &pair.elastic));
    LyraAffineDef def = lyra_affine_def_default();
    def.mesh = pair.mesh;
    def.stiffness = 1e6;
    TEST_OK(lyra_affine_create(pair.ctx, &def, &pair.affine));
    LyraAffineView affine = lyra_affine_view(pair.affine);
    int32_t solid_first = affine_first ? PARTICLES : 0, owner = affine_first ? 0 : 1;
    pair.first = affine_first ? 0 : mesh.vertex_count;
    double positions[3 * 64], masses[64];
    memcpy(positions + 3 * solid_first, mesh.positions, 3 * sizeof(double) * mesh.vertex_count);
    memcpy(positions + 3 * pair.first, affine.positions, 12 * sizeof(double));
    lyra_mesh_lumped_masses(pair.mesh, NULL, masses + solid_first);
    memcpy(masses + pair.first, affine.masses, PARTICLES * sizeof(double));
    LyraModelBody bodies[2] = {
        {.name = "solid", .first_vertex = solid_first, .vertex_count = mesh.vertex_count},
        {.name = "stone", .first_vertex = pair.first, .vertex_count = PARTICLES}};
    LyraModelBody ordered[2] = {bodies[owner == 0], bodies[owner != 0]};
    LyraForce *forces[2] = {pair.elastic, affine.forces[0]};
    TEST_OK(lyra_force_set_owner(pair.elastic, 1 - owner, "solid.elastic"));
    TEST_OK(lyra_force_set_owner(affine.forces[0], owner, "stone.shape"));
    LyraModelDef model = lyra_model_def_default();
    model.vertex_count = mesh.vertex_count + PARTICLES;
    model.positions = positions;
    model.masses = masses;
    model.bodies = ordered;
    model.body_count = 2;
    model.forces = forces;
    model.force_count = 2;
    model.gravity[1] = -10;
    TEST_OK(lyra_model_create(pair.ctx, &model, &pair.model));
    for (int32_t v = 0; v < mesh.vertex_count; ++v) {
        if (mesh.positions[3 * v] < -0.149) {
            int32_t vertex = solid_first + v;
            TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(pair.model), 1, &vertex));
        }
    }
    TEST_OK(lyra_system_create_sparse(pair.ctx, pair.model, NULL, &pair.system));
    LyraIntegratorDef method = lyra_integrator_def_default();
    method.name = integrator;
    TEST_OK(lyra_integrator_create(pair.ctx, &method, pair.system, &pair.integrator));
    TEST_OK(lyra_system_state_create(pair.system, &pair.state));
    double *v = lyra_vector_values_mutable(lyra_state_view(pair.state).v) + 3 * pair.first;
    for (int p = 0; p < PARTICLES; ++p) {
        v[3 * p] = -3 * affine.positions[3 * p + 1];
        v[3 * p + 1] = 3 * affine.positions[3 * p] + 1;
    }
    return pair;
}

static void end_pair(Pair *pair)
{
    lyra_state_destroy(pair->state);
    lyra_integrator_destroy(pair->integrator);
    lyra_system_destroy(pair->system);
    lyra_model_destroy(pair->model);
    lyra_affine_destroy(pair->affine);
    lyra_force_destroy(pair->elastic);
    lyra_mesh_destroy(pair->mesh);
    test_context_end(pair->ctx);
}

LYRA_TEST(beside_a_solid_it_moves_under_every_implicit_integrator)
{
    LyraIntegratorFacts facts;
    for (int32_t m = 0; lyra_integrator_name(m, &facts) && !facts.constant; ++m) {
        if (!facts.is_implicit || strcmp(facts.name, "static") == 0) {
            continue;
        }
        double seen[2][12];
        for (int order = 0; order < 2; ++order) {
            Pair pair = make_pair(facts.name, order == 1);
            for (int s = 0; s < 20; ++s) {
                LyraStatus status = lyra_integrator_step(pair.integrator, pair.state, 0.005, NULL);
                TEST_CHECK_MSG(status == LYRA_OK, "%s: %s", facts.name, lyra_error_message());
            }
            const double *u = lyra_vector_values(lyra_state_view(pair.state).u) + 3 * pair.first;
            double A[9], t[3];
            lyra_affine_map(pair.affine, u, A, t);
            // first order methods are off by g h t / 2
            TEST_CHECK_MSG(fabs(t[1] - (0.1 - 5 * 0.01)) < 3e-3, "%s: fell to %g", facts.name,
                           t[1]);
            TEST_CHECK_MSG(fabs(atan2(A[3], A[0]) - 0.3) < 0.01, "%s: turned by %g", facts.name,
                           atan2(A[3], A[0]));
            memcpy(seen[order], A, sizeof A);
            memcpy(seen[order] + 9, t, sizeof t);
            end_pair(&pair);
        }
        // whatever the numbers of the bodies
        for (int i = 0; i < 12; ++i) {
            TEST_CHECK_MSG(fabs(seen[0][i] - seen[1][i]) < 1e-6, "%s: %g and %g", facts.name,
                           seen[0][i], seen[1][i]);
        }
    }
}

LYRA_TEST(a_checkpoint_goes_on_with_the_same_bits)
{
    Pair pair = make_pair("bdf2", false), again = make_pair("bdf2", false);
    for (int s = 0; s < 10; ++s) {
        TEST_OK(lyra_integrator_step(pair.integrator, pair.state, 0.005, NULL));
    }
    size_t size = lyra_state_packed_size(pair.state);
    void *bytes = malloc(size);
    lyra_state_pack(pair.state, bytes);
    TEST_OK(lyra_state_unpack(again.state, bytes, size));
    for (int s = 0; s < 10; ++s) {
        TEST_OK(lyra_integrator_step(pair.integrator, pair.state, 0.005, NULL));
        TEST_OK(lyra_integrator_step(again.integrator, again.state, 0.005, NULL));
    }
    TEST_CHECK(lyra_state_equal(pair.state, again.state));
    free(bytes);
    end_pair(&pair);
    end_pair(&again);
}
