// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Types of force over points, and bodies and sets of stencils for them. Five types stand for all:
// springs with dampers (zero row sums, velocities), volumes of four points (zero row sums,
// nonlinear), products of up to ten points (true positions), pulls (displacements) and creeping
// springs (history).

#ifndef LYRA_FORCE_POINTS_H
#define LYRA_FORCE_POINTS_H

#include "force/changing.h"

#include "force_checks.h"

#define WIDTH LYRA_BATCH_WIDTH

// ---- kernels ------------------------------------------------------------------------------------

static void node_of(const double *values, int node, int e, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = values[(3 * node + i) * WIDTH + e];
    }
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

enum { SPRING_STIFFNESS, SPRING_LENGTH, SPRING_DAMPING, SPRING_PARAMETERS };

// E = k/2 (|x1 - x0| - L)^2 and the damping force c (v1 - v0)
static void spring_lane(const LyraBatch *batch, int e, double length)
{
    double k = batch->parameters[SPRING_STIFFNESS * WIDTH + e], x[2][3], v[2][3], n[3];
    double c = batch->parameters[SPRING_DAMPING * WIDTH + e], d[3], l;
    for (int a = 0; a < 2; ++a) {
        node_of(batch->x, a, e, x[a]);
        node_of(batch->v, a, e, v[a]);
    }
    for (int i = 0; i < 3; ++i) {
        d[i] = x[1][i] - x[0][i];
    }
    l = sqrt(dot3(d, d));
    for (int i = 0; i < 3; ++i) {
        n[i] = d[i] / l;
    }
    if (batch->energy) {
        batch->energy[e] = 0.5 * k * (l - length) * (l - length);
    }
    for (int i = 0; batch->gradient && i < 3; ++i) {
        double force = k * (l - length) * n[i] + c * (v[1][i] - v[0][i]);
        batch->gradient[i * WIDTH + e] = -force;
        batch->gradient[(3 + i) * WIDTH + e] = force;
    }
    for (int i = 0; i < 9; ++i) {
        double nn = n[i / 3] * n[i % 3], one = i % 4 == 0;
        if (batch->dfdx) {
            batch->dfdx[i * WIDTH + e] = -k * (nn + (1 - length / l) * (one - nn));
        }
        if (batch->dfdv) {
            batch->dfdv[i * WIDTH + e] = -c * one;
        }
    }
}

static void evaluate_springs(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    for (int e = 0; e < WIDTH; ++e) {
        spring_lane(batch, e, batch->parameters[SPRING_LENGTH * WIDTH + e]);
    }
}

static const char *const spring_names[] = {"stiffness", "length", "damping"};
static const LyraParameterKind spring_kinds[] = {
    LYRA_PARAMETER_POSITIVE, LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE};

static const LyraForceType spring_type = {
    .name = "test springs",
    .nodes = 2,
    .traits = LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_VELOCITY,
    .parameter_count = SPRING_PARAMETERS,
    .parameter_names = spring_names,
    .parameter_kinds = spring_kinds,
    .evaluate = evaluate_springs,
};

// springs whose length is that of the history, to which dt / 2 is added and 1000 in the second one
static void evaluate_creep(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    for (int e = 0; e < WIDTH; ++e) {
        spring_lane(batch, e, batch->history[e]);
        if (batch->trial_history) {
            batch->trial_history[e] = batch->history[e] + 0.5 * batch->dt;
            batch->trial_history[WIDTH + e] = batch->history[WIDTH + e] + 1000;
        }
    }
}

static const LyraForceType creep_type = {
    .name = "test creep",
    .nodes = 2,
    .traits = LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_VELOCITY |
              LYRA_FORCE_HISTORY,
    .parameter_count = SPRING_PARAMETERS,
    .history_count = 2,
    .evaluate = evaluate_creep,
};

// E = k/2 (V - 1)^2 with V = a . (b x c), where a, b, c lead from the first point to the others
static void evaluate_volumes(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    for (int e = 0; e < WIDTH; ++e) {
        double k = batch->parameters[e], x[4][3], d[4][3], g[4][3], V;
        for (int a = 0; a < 4; ++a) {
            node_of(batch->x, a, e, x[a]);
            for (int i = 0; i < 3; ++i) {
                d[a][i] = x[a][i] - x[0][i];
            }
        }
        for (int a = 1; a < 4; ++a) {
            cross3(d[a % 3 + 1], d[(a + 1) % 3 + 1], g[a]);
        }
        V = dot3(d[1], g[1]);
        for (int i = 0; i < 3; ++i) {
            g[0][i] = -g[1][i] - g[2][i] - g[3][i];
        }
        if (batch->energy) {
            batch->energy[e] = 0.5 * k * (V - 1) * (V - 1);
        }
        for (int i = 0; batch->gradient && i < 12; ++i) {
            batch->gradient[i * WIDTH + e] = k * (V - 1) * g[i / 3][i % 3];
        }
        for (int a = 0, block = 0; batch->dfdx && a < 4; ++a) {
            for (int b = a + 1; b < 4; ++b, ++block) {
                // d g_a / d x_b = [w]x; the first point moves against all others
                double w[3];
                for (int i = 0; i < 3; ++i) {
                    int third = 6 - a - b, s = b == a % 3 + 1 ? -1 : 1;
                    w[i] = a > 0 ? s * d[third][i] : d[b % 3 + 1][i] - d[(b + 1) % 3 + 1][i];
                }
                double W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
                for (int i = 0; i < 9; ++i) {
                    batch->dfdx[(9 * block + i) * WIDTH + e] =
                        k * (g[a][i / 3] * g[b][i % 3] + (V - 1) * W[i]);
                }
            }
        }
    }
}

static const LyraForceType volume_type = {
    .name = "test volumes",
    .nodes = 4,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT,
    .parameter_count = 1,
    .evaluate = evaluate_volumes,
};

// E = k/2 s^2 with s = sum over a, b of A_ab x_a . x_b / 2; `self` has the number of points
static void evaluate_products(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)scratch;
    int n = *(const int *)self;
    for (int e = 0; e < WIDTH; ++e) {
        double k = batch->parameters[e], x[LYRA_STENCIL_NODES_MAX][3], s = 0;
        double y[LYRA_STENCIL_NODES_MAX][3] = {{0}};
        for (int a = 0; a < n; ++a) {
            node_of(batch->x, a, e, x[a]);
        }
        for (int a = 0; a < n; ++a) {
            for (int b = 0; b < n; ++b) {
                for (int i = 0; i < 3; ++i) {
                    y[a][i] += x[b][i] / (1 + a + b);
                }
            }
            s += 0.5 * dot3(x[a], y[a]);
        }
        if (batch->energy) {
            batch->energy[e] = 0.5 * k * s * s;
        }
        for (int a = 0, block = 0; a < n; ++a) {
            for (int i = 0; batch->gradient && i < 3; ++i) {
                batch->gradient[(3 * a + i) * WIDTH + e] = k * s * y[a][i];
            }
            for (int b = a; batch->dfdx && b < n; ++b, ++block) {
                for (int i = 0; i < 9; ++i) {
                    batch->dfdx[(9 * block + i) * WIDTH + e] =
                        k * (y[a][i / 3] * y[b][i % 3] + (i % 4 == 0 ? s / (1 + a + b) : 0));
                }
            }
        }
    }
}

static const int four = 4, ten = 10;
static const LyraForceType product_type = {
    .name = "test products",
    .nodes = 4,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC,
    .parameter_count = 1,
    .evaluate = evaluate_products,
};
static const LyraForceType ten_type = {
    .name = "test products of ten",
    .nodes = 10,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC,
    .parameter_count = 1,
    .evaluate = evaluate_products,
};

// E = k/4 |u|^4
static void evaluate_pulls(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self;
    (void)scratch;
    for (int e = 0; e < WIDTH; ++e) {
        double k = batch->parameters[e], u[3];
        node_of(batch->u, 0, e, u);
        if (batch->energy) {
            batch->energy[e] = 0.25 * k * dot3(u, u) * dot3(u, u);
        }
        for (int i = 0; i < 9; ++i) {
            if (batch->gradient && i < 3) {
                batch->gradient[i * WIDTH + e] = k * dot3(u, u) * u[i];
            }
            if (batch->dfdx) {
                batch->dfdx[i * WIDTH + e] =
                    k * (2 * u[i / 3] * u[i % 3] + (i % 4 == 0 ? dot3(u, u) : 0));
            }
        }
    }
}

static const LyraForceType pull_type = {
    .name = "test pulls",
    .nodes = 1,
    .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_DISPLACEMENT,
    .parameter_count = 1,
    .evaluate = evaluate_pulls,
};

typedef struct Kind {
    const LyraForceType *type;
    const void *self;
} Kind;

static const Kind kinds[] = {{&spring_type, NULL},
                             {&volume_type, NULL},
                             {&product_type, &four},
                             {&ten_type, &ten},
                             {&pull_type, NULL}};

// ---- bodies, sets and results -------------------------------------------------------------------

// vertices in a box of about 1 m, rows in another order, and a displacement and velocity
typedef struct Cloud {
    int32_t n;
    int32_t *place;
    double *rest, *u, *v;
    double middle[3];
} Cloud;

static Cloud make_cloud(int32_t n, uint64_t seed)
{
    Cloud cloud = {.n = n, .middle = {0.25, -0.5, 0.125}};
    TestRandom random = test_random(seed);
    cloud.place = malloc((size_t)n * sizeof *cloud.place);
    cloud.rest = malloc((size_t)n * 9 * sizeof(double));
    cloud.u = cloud.rest + 3 * n;
    cloud.v = cloud.u + 3 * n;
    for (int32_t i = 0; i < n; ++i) {
        int32_t at = test_random_below(&random, i + 1);
        cloud.place[i] = i;
        cloud.place[i] = cloud.place[at];
        cloud.place[at] = i;
    }
    for (int32_t i = 0; i < 3 * n; ++i) {
        // few digits, so that sums with larger numbers are exact
        cloud.rest[i] = floor(test_random_in(&random, -1, 1) * 1048576) / 1048576;
        cloud.u[i] = 0.1 * test_random_normal(&random);
        cloud.v[i] = test_random_normal(&random);
    }
    return cloud;
}

static void end_cloud(Cloud *cloud)
{
    free(cloud->place);
    free(cloud->rest);
}

static LyraStencilSet *make_set(LyraContext *ctx, const Cloud *cloud, Kind kind)
{
    LyraStencilSet *set = NULL;
    TEST_OK(ly_stencil_set_create(ctx, kind.type, kind.self, cloud->n, cloud->rest, cloud->middle,
                                  cloud->place, &set));
    return set;
}

#define ENTRIES_MAX 4

typedef enum Mix {
    VERTICES, // distinct in a stencil
    WEIGHTS,  // up to four vertices, weights that sum to 1, vertices apart
    ANYTHING, // points that share vertices, vertices given twice, weights of any sum
} Mix;

// a random point; `taken`: vertices of the stencil so far, which only ANYTHING takes again
static LyraSurfacePoint make_point(TestRandom *random, Mix mix, int32_t n, int32_t *taken,
                                   int32_t *taken_count, int32_t *vertices, double *weights)
{
    LyraSurfacePoint point = {1, vertices, NULL};
    if (mix != VERTICES) {
        point.count = 1 + test_random_below(random, n < 60 ? 2 : ENTRIES_MAX);
        point.weights = weights;
    }
    double sum = 0;
    for (int32_t k = 0; k < point.count; ++k) {
        bool repeated = true;
        while (repeated) {
            vertices[k] = test_random_below(random, n);
            repeated = false;
            for (int32_t i = 0; mix != ANYTHING && i < *taken_count; ++i) {
                repeated = repeated || taken[i] == vertices[k];
            }
        }
        taken[(*taken_count)++] = vertices[k];
        weights[k] = test_random_in(random, -0.2, 1);
        sum += weights[k];
    }
    for (int32_t k = 0; mix == WEIGHTS && k < point.count; ++k) {
        weights[k] += (1 - sum) / point.count;
    }
    return point;
}

static void parameters_of(TestRandom *random, double parameters[SPRING_PARAMETERS])
{
    parameters[0] = test_random_in(random, 0.5, 2);
    parameters[1] = test_random_in(random, 0.1, 0.6);
    parameters[2] = test_random_in(random, 0, 3);
}

static LyraStatus fill(LyraStencilSet *set, Mix mix, int32_t count, uint64_t seed)
{
    TestRandom random = test_random(seed);
    LY_TRY(lyra_stencil_set_clear(set));
    for (int32_t s = 0; s < count; ++s) {
        LyraSurfacePoint points[LYRA_STENCIL_NODES_MAX];
        int32_t vertices[LYRA_STENCIL_NODES_MAX][ENTRIES_MAX];
        int32_t taken[LYRA_STENCIL_NODES_MAX * ENTRIES_MAX], taken_count = 0;
        double weights[LYRA_STENCIL_NODES_MAX][ENTRIES_MAX], parameters[SPRING_PARAMETERS];
        for (int32_t a = 0; a < set->type->nodes; ++a) {
            points[a] = make_point(&random, mix, set->vertex_count, taken, &taken_count,
                                   vertices[a], weights[a]);
        }
        parameters_of(&random, parameters);
        LY_TRY(lyra_stencil_set_add(set, seed << 32 | (uint64_t)(uint32_t)s, points, parameters));
    }
    return ly_stencil_set_finish(set);
}

typedef struct Result {
    double energy;
    int64_t pair_count;
    double *gradient, *dfdx, *dfdv;
} Result;

static Result make_result(const LyraStencilSet *set)
{
    Result result = {.pair_count = ly_stencil_set_pairs(set).count};
    result.gradient = calloc(3 * (size_t)set->vertex_count + 1, sizeof(double));
    result.dfdx = calloc(9 * (size_t)result.pair_count + 1, sizeof(double));
    result.dfdv = calloc(9 * (size_t)result.pair_count + 1, sizeof(double));
    return result;
}

static void end_result(Result *result)
{
    free(result->gradient);
    free(result->dfdx);
    free(result->dfdv);
}

static Result evaluate_set(LyraStencilSet *set, const double *u, const double *v)
{
    Result result = make_result(set);
    LyStencilEvaluation at = {.u = u,
                              .v = v,
                              .energy = &result.energy,
                              .gradient = result.gradient,
                              .dfdx = result.dfdx,
                              .dfdv = result.dfdv};
    TEST_OK(ly_stencil_set_evaluate(set, &at));
    return result;
}

static bool same_results(const LyraStencilSet *set, const Result *a, const Result *b)
{
    size_t blocks = 9 * (size_t)a->pair_count * sizeof(double);
    return a->pair_count == b->pair_count && a->energy == b->energy &&
           memcmp(a->gradient, b->gradient, 3 * (size_t)set->vertex_count * sizeof(double)) == 0 &&
           memcmp(a->dfdx, b->dfdx, blocks) == 0 && memcmp(a->dfdv, b->dfdv, blocks) == 0;
}

// y = K d in the caller's order, K given by its pairs
static void apply_pairs(const LyraStencilSet *set, const double *blocks, const double *d, double *y)
{
    LyStencilPairs pairs = ly_stencil_set_pairs(set);
    int32_t *vertex = malloc((size_t)set->vertex_count * sizeof *vertex);
    for (int32_t i = 0; i < set->vertex_count; ++i) {
        vertex[set->place[i]] = i;
    }
    memset(y, 0, 3 * (size_t)set->vertex_count * sizeof *y);
    for (int64_t k = 0; k < pairs.count; ++k) {
        int32_t i = 3 * vertex[pairs.pairs[2 * k]], j = 3 * vertex[pairs.pairs[2 * k + 1]];
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                double entry = blocks[9 * k + 3 * r + c];
                y[i + r] += entry * d[j + c];
                y[j + c] += i != j ? entry * d[i + r] : 0;
            }
        }
    }
    free(vertex);
}

#endif
