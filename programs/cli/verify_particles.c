// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The stiffest eigenvalue of particle cloth [Hau04]. N x N particles of a square of side l, of mass
// rho (l/N)^2 each, with springs k and dampers d between neighbours, are by their constant matrices
// K = k L, C = d L with the Laplacian L of the net. On a net that closes upon itself in both
// directions the stiffest mode is the one in which neighbours move against each other, with the
// eigenvalue 8 of L for even N, and
//
//   rho s^2 + 8 d N^2/l^2 s + 8 k N^2/l^2 = 0,
//   s = 4 d N^2/(rho l^2) (-1 - sqrt(1 - k rho l^2/(2 d^2 N^2))).
//
// The library is asked for K x and C x; powers of M^-1 K find the mode, and both quotients its
// eigenvalue. Rounding is the only error: tolerance 1e-9. The thesis prints four digits.

#include "verify.h"

#include "lyra/lyra.h"

#include <math.h>
#include <stdlib.h>

enum { N = 20, COUNT = N * N, SIZE = 3 * COUNT, POWERS = 4000 };

#define STIFFNESS 5000.0
#define DENSITY 0.2
#define TOLERANCE 1e-9

static LyraStatus make_springs(LyraContext *ctx, LyraSprings **out)
{
    static int32_t pairs[4 * COUNT];
    static double lengths[2 * COUNT];
    for (int32_t v = 0; v < COUNT; ++v) {
        int32_t x = v % N, y = v / N;
        pairs[4 * v] = pairs[4 * v + 2] = v;
        pairs[4 * v + 1] = y * N + (x + 1) % N;
        pairs[4 * v + 3] = (y + 1) % N * N + x;
        lengths[2 * v] = lengths[2 * v + 1] = 1.0 / N;
    }
    LyraSpringsDef def = lyra_springs_def_default();
    def.vertex_count = COUNT;
    def.spring_count = 2 * COUNT;
    def.vertices = pairs;
    def.rest_lengths = lengths;
    return lyra_springs_create(ctx, &def, out);
}

static LyraStatus make_system(LyraContext *ctx, LyraForce *force, LyraModel **model,
                              LyraSystem **system)
{
    static double positions[SIZE], masses[COUNT];
    for (int32_t v = 0; v < COUNT; ++v) {
        positions[3 * v] = v % N / (double)N;
        positions[3 * v + 1] = v / N / (double)N;
        masses[v] = DENSITY / COUNT;
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = COUNT;
    def.positions = positions;
    def.masses = masses;
    def.force_count = 1;
    def.forces = &force;
    VERIFY_TRY(lyra_model_create(ctx, &def, model));
    return lyra_system_create_sparse(ctx, *model, NULL, system);
}

// eigenvalues of M^-1 K and M^-1 C of the stiffest mode
static LyraStatus find_stiffest(LyraContext *ctx, LyraSystem *system, double *k, double *c)
{
    LyraState *state = NULL;
    LyraVector *x = NULL, *y = NULL;
    LyraStatus status = lyra_system_state_create(system, &state);
    status = status == LYRA_OK ? lyra_vector_create(ctx, SIZE, &x) : status;
    status = status == LYRA_OK ? lyra_vector_create(ctx, SIZE, &y) : status;
    if (status == LYRA_OK) {
        LyraStateView view = lyra_state_view(state);
        const LyraPoint at = {.u = view.u, .v = view.v, .committed = state};
        status = lyra_system_linearise(system, &at, false);
        double *values = lyra_vector_values_mutable(x);
        for (int32_t i = 0; i < SIZE; ++i) {
            values[i] = sin(1 + 0.7 * i * i);
        }
    }
    for (int32_t p = 0; p < POWERS && status == LYRA_OK; ++p) {
        lyra_system_apply_stiffness(system, x, y);
        lyra_vector_axpby(1 / lyra_vector_norm(y), y, 0, x);
    }
    if (status == LYRA_OK) {
        double mass = DENSITY / COUNT;
        lyra_system_apply_stiffness(system, x, y);
        *k = lyra_vector_dot(x, y) / mass;
        lyra_system_apply_damping(system, x, y);
        *c = lyra_vector_dot(x, y) / mass;
    }
    lyra_vector_destroy(x);
    lyra_vector_destroy(y);
    lyra_state_destroy(state);
    return status;
}

static LyraStatus compare(Verify *verify, double damping, double printed)
{
    LyraContext *ctx = verify->ctx;
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    double k = 0, c = 0;
    LyraMassSpringDef def = lyra_mass_spring_def_default();
    def.stiffness = STIFFNESS;
    def.damping = damping;
    def.damping_kind = LYRA_SPRING_DAMPING_FULL;
    def.constant = true;
    LyraStatus status = make_springs(ctx, &springs);
    status = status == LYRA_OK ? lyra_mass_spring_create(ctx, springs, &def, &force) : status;
    status = status == LYRA_OK ? make_system(ctx, force, &model, &system) : status;
    status = status == LYRA_OK ? find_stiffest(ctx, system, &k, &c) : status;
    if (status == LYRA_OK) {
        double ours = -0.5 * c - sqrt(0.25 * c * c - k);
        double q = STIFFNESS * DENSITY / (2 * damping * damping * N * N);
        double exact = 4 * damping * N * N / DENSITY * (-1 - sqrt(1 - q));
        verify_relative(verify, exact, ours, TOLERANCE,
                        "damping %g N s/m, stiffest eigenvalue, 1/s", damping);
        verify_relative(verify, printed, ours, 2e-4, "the same, as printed");
    }
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    lyra_force_destroy(force);
    lyra_springs_destroy(springs);
    return status;
}

static LyraStatus run(Verify *verify)
{
    VERIFY_TRY(compare(verify, 50, -7.999e5));
    return compare(verify, 2.5, -3.789e4);
}

const VerifyCase verify_particles_cases[] = {
    {"particles", "dynamics", "Stiffest eigenvalues of particle cloth", true, run},
    {0},
};
