// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of stencils over points: derivatives, agreement with the assembly, invariance, bits, room,
// keys and history, bad input.

#include "force_points.h"

// ---- derivatives --------------------------------------------------------------------------------

typedef struct Walk {
    LyraStencilSet *set;
    const double *u, *v;
} Walk;

static void energy_of(void *data, const double *u, double *f)
{
    Walk *walk = data;
    LyStencilEvaluation at = {.u = u, .energy = f};
    TEST_OK(ly_stencil_set_evaluate(walk->set, &at));
}

static void gradient_of_u(void *data, const double *u, double *f)
{
    Walk *walk = data;
    LyStencilEvaluation at = {.u = u, .v = walk->v, .gradient = f};
    memset(f, 0, 3 * (size_t)walk->set->vertex_count * sizeof *f);
    TEST_OK(ly_stencil_set_evaluate(walk->set, &at));
}

static void gradient_of_v(void *data, const double *v, double *f)
{
    Walk *walk = data;
    LyStencilEvaluation at = {.u = walk->u, .v = v, .gradient = f};
    memset(f, 0, 3 * (size_t)walk->set->vertex_count * sizeof *f);
    TEST_OK(ly_stencil_set_evaluate(walk->set, &at));
}

LYRA_TEST(changing_derivatives_match_differences)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(70, 1);
    int32_t dofs = 3 * cloud.n;
    double *d = malloc(3 * (size_t)dofs * sizeof *d), *y = d + dofs, *z = y + dofs;
    TestRandom random = test_random(2);
    for (int32_t i = 0; i < dofs; ++i) {
        d[i] = test_random_normal(&random);
    }
    for (int k = 0; k < LY_COUNT_OF(kinds); ++k) {
        for (Mix mix = VERTICES; mix <= ANYTHING; ++mix) {
            LyraStencilSet *set = make_set(ctx, &cloud, kinds[k]);
            TEST_OK(fill(set, mix, 21, 3));
            Walk walk = {set, cloud.u, cloud.v};
            Result still = evaluate_set(set, cloud.u, NULL);
            double slope = 0;
            for (int32_t i = 0; i < dofs; ++i) {
                slope += still.gradient[i] * d[i];
            }
            const char *name = kinds[k].type->name;
            test_check_difference(
                test_difference(energy_of, &walk, dofs, 1, cloud.u, d, &slope, 1e-2), 1e-8, name);
            Result moving = evaluate_set(set, cloud.u, cloud.v);
            apply_pairs(set, moving.dfdx, d, y);
            test_check_difference(
                test_difference(gradient_of_u, &walk, dofs, dofs, cloud.u, d, y, 1e-2), 1e-8, name);
            apply_pairs(set, moving.dfdv, d, z);
            if (kinds[k].type->traits & LYRA_FORCE_VELOCITY) {
                test_check_difference(
                    test_difference(gradient_of_v, &walk, dofs, dofs, cloud.v, d, z, 1e-2), 1e-8,
                    name);
            } else {
                TEST_CHECK(largest_of(dofs, z) == 0);
            }
            end_result(&still);
            end_result(&moving);
            ly_stencil_set_destroy(set);
        }
    }
    free(d);
    end_cloud(&cloud);
    test_context_end(ctx);
}

// ---- against the assembly -----------------------------------------------------------------------

static LyraForce *make_force(LyraContext *ctx, const LyraStencilSet *set)
{
    LyraStencilSetView view = lyra_stencil_set_view(set);
    LyraForceDef def = lyra_force_def_default();
    LyraForce *force = NULL;
    def.type = set->type;
    def.self = (void *)(uintptr_t)set->self;
    def.stencil_count = view.count;
    def.stencils = view.vertices;
    def.parameters = view.parameters;
    TEST_OK(lyra_force_create(ctx, &def, &force));
    return force;
}

// vertex points are ordinary stencils; several chunks, and all instruction sets
LYRA_TEST(changing_vertex_points_agree_with_the_assembly)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        Cloud cloud = make_cloud(900, 4);
        int32_t dofs = 3 * cloud.n;
        double *d = malloc(4 * (size_t)dofs * sizeof *d), *y = d + dofs, *z = y + dofs;
        double *gradient = z + dofs;
        TestRandom random = test_random(5);
        for (int32_t i = 0; i < dofs; ++i) {
            d[i] = test_random_normal(&random);
        }
        // the assembly of the installed limit takes types of up to eight nodes
        const Kind some[] = {kinds[0], kinds[1], kinds[2], kinds[4]};
        for (int k = 0; k < LY_COUNT_OF(some); ++k) {
            LyraStencilSet *set = make_set(ctx, &cloud, some[k]);
            TEST_OK(fill(set, VERTICES, 6007, 6));
            LyraForce *force = make_force(ctx, set);
            LyraAssembly *assembly = NULL;
            TEST_OK(lyra_assembly_create(ctx, cloud.n, cloud.rest, 1, &force, &assembly));
            LyraBlockMatrix *K = NULL, *D = NULL;
            TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(assembly), &K));
            TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(assembly), &D));
            double energy = 0;
            LyraEvaluation at = {.u = cloud.u,
                                 .v = cloud.v,
                                 .energy = &energy,
                                 .gradient = gradient,
                                 .dfdx = K,
                                 .dfdv = D};
            TEST_OK(lyra_assembly_evaluate(assembly, &at));
            Result result = evaluate_set(set, cloud.u, cloud.v);
            // about 30 stencils at a vertex, summed in another order
            TEST_CHECK(fabs(result.energy - energy) <= 1e-12 * energy);
            TEST_CHECK(apart(dofs, result.gradient, gradient) <= 1e-13);
            apply_in_order(assembly, cloud.n, K, d, y);
            apply_pairs(set, result.dfdx, d, z);
            TEST_CHECK(apart(dofs, z, y) <= 1e-13);
            apply_in_order(assembly, cloud.n, D, d, y);
            apply_pairs(set, result.dfdv, d, z);
            TEST_CHECK(apart(dofs, z, y) <= 1e-13);
            end_result(&result);
            lyra_block_matrix_destroy(K);
            lyra_block_matrix_destroy(D);
            lyra_assembly_destroy(assembly);
            lyra_force_destroy(force);
            ly_stencil_set_destroy(set);
        }
        free(d);
        end_cloud(&cloud);
        test_context_end(ctx);
    }
}

// ---- points -------------------------------------------------------------------------------------

static void add_spring(LyraStencilSet *set, uint64_t key, LyraSurfacePoint a, LyraSurfacePoint b)
{
    TEST_OK(lyra_stencil_set_add(set, key, (LyraSurfacePoint[]){a, b}, (double[]){2, 0, 0}));
}

// k/2 |x_q - x_p|^2 with x_q - x_p = (0.75 - 0.25) x_1 + (0.25 - 0.5) x_0 - 0.25 x_2
LYRA_TEST(changing_points_may_share_vertices)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(3, 7);
    LyraStencilSet *set = make_set(ctx, &cloud, kinds[0]);
    const double w[3] = {-0.25, 0.5, -0.25};
    LyraSurfacePoint p = {4, (int32_t[]){0, 1, 2, 0}, (double[]){0.125, 0.25, 0.25, 0.375}};
    LyraSurfacePoint q = {2, (int32_t[]){1, 0}, (double[]){0.75, 0.25}};
    add_spring(set, 0, p, q);
    TEST_OK(ly_stencil_set_finish(set));
    Result result = evaluate_set(set, cloud.u, NULL);
    double d[3] = {0};
    for (int i = 0; i < 9; ++i) {
        d[i % 3] += w[i / 3] * (cloud.rest[i] + cloud.u[i]);
    }
    TEST_NEAR(result.energy, dot3(d, d), 1e-14);
    for (int i = 0; i < 9; ++i) {
        TEST_NEAR(result.gradient[i], 2 * w[i / 3] * d[i % 3], 1e-14);
    }
    LyStencilPairs pairs = ly_stencil_set_pairs(set);
    TEST_REQUIRE(pairs.count == 6);
    int32_t vertex[3];
    for (int i = 0; i < 3; ++i) {
        vertex[cloud.place[i]] = i;
    }
    for (int k = 0; k < 6; ++k) {
        double ww = w[vertex[pairs.pairs[2 * k]]] * w[vertex[pairs.pairs[2 * k + 1]]];
        for (int i = 0; i < 9; ++i) {
            TEST_NEAR(result.dfdx[9 * k + i], i % 4 == 0 ? 2 * ww : 0, 1e-14);
        }
    }
    end_result(&result);
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

// three springs; a variant differs from the first in one vertex, weight, or number of springs
static void set_variant(LyraStencilSet *set, int variant)
{
    const double half[2] = {0.5, 0.5}, other[2] = {0.25, 0.75};
    TEST_OK(lyra_stencil_set_clear(set));
    for (int i = 0; i < (variant == 3 ? 2 : 3); ++i) {
        LyraSurfacePoint p = {1, (int32_t[]){i}, NULL};
        LyraSurfacePoint q = {2, (int32_t[]){3, variant == 1 && i == 2 ? 5 : 4},
                              variant == 2 && i == 1 ? other : half};
        add_spring(set, (uint64_t)i, p, q);
    }
}

LYRA_TEST(changing_sets_of_like_stencils_are_told_apart)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(6, 7);
    LyraStencilSet *set = make_set(ctx, &cloud, kinds[0]);
    for (int from = 0; from < 4; ++from) {
        for (int to = 0; to < 4; ++to) {
            LyraStencilSet *fresh = make_set(ctx, &cloud, kinds[0]);
            set_variant(set, from);
            TEST_OK(ly_stencil_set_finish(set));
            // and begun in vain
            set_variant(set, (to + from) % 4);
            set_variant(set, to);
            set_variant(fresh, to);
            TEST_OK(ly_stencil_set_finish(set));
            TEST_OK(ly_stencil_set_finish(fresh));
            Result a = evaluate_set(set, cloud.u, NULL), b = evaluate_set(fresh, cloud.u, NULL);
            int64_t pairs = ly_stencil_set_pairs(set).count;
            TEST_EQUAL(pairs, ly_stencil_set_pairs(fresh).count);
            TEST_CHECK(a.energy == b.energy);
            for (int i = 0; i < 18; ++i) {
                TEST_CHECK(a.gradient[i] == b.gradient[i]);
            }
            for (int64_t i = 0; i < 9 * pairs; ++i) {
                TEST_CHECK(a.dfdx[i] == b.dfdx[i]);
            }
            end_result(&a);
            end_result(&b);
            ly_stencil_set_destroy(fresh);
        }
    }
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

// the pairs are those of the vertices of each stencil, each once, sorted
LYRA_TEST(changing_pairs_are_distinct_sorted_and_complete)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(200, 8);
    for (Mix mix = VERTICES; mix <= ANYTHING; ++mix) {
        LyraStencilSet *set = make_set(ctx, &cloud, kinds[1]);
        TEST_OK(fill(set, mix, 900, 9));
        LyraStencilSetView view = lyra_stencil_set_view(set);
        bool *touched = calloc((size_t)cloud.n * (size_t)cloud.n, sizeof *touched);
        int64_t expected = 0;
        for (int32_t s = 0; s < view.count; ++s) {
            int64_t begin = view.start[s * 4], end = view.start[s * 4 + 4];
            for (int64_t e = begin; e < end; ++e) {
                for (int64_t f = begin; f < end; ++f) {
                    int32_t i = cloud.place[view.vertices[e]], j = cloud.place[view.vertices[f]];
                    expected += i <= j && !touched[i * cloud.n + j];
                    touched[i * cloud.n + j] = true;
                }
            }
        }
        LyStencilPairs pairs = ly_stencil_set_pairs(set);
        TEST_EQUAL(pairs.count, expected);
        int64_t before = -1;
        for (int64_t k = 0; k < pairs.count; ++k) {
            int32_t i = pairs.pairs[2 * k], j = pairs.pairs[2 * k + 1];
            int64_t here = (int64_t)i * cloud.n + j;
            TEST_CHECK(i <= j && here > before && touched[here]);
            before = here;
        }
        free(touched);
        ly_stencil_set_destroy(set);
    }
    end_cloud(&cloud);
    test_context_end(ctx);
}

// one vertex in thousands of stencils: its sums are longer than a piece and than a chunk
LYRA_TEST(changing_stencils_may_all_meet_in_one_vertex)
{
    LyraContext *ctx = test_context(3, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(12001, 10);
    LyraStencilSet *set = make_set(ctx, &cloud, kinds[0]);
    double sum[3] = {0}, energy = 0;
    for (int32_t s = 0; s < 12000; ++s) {
        int32_t one = s % 2 ? s + 1 : 0, other = s % 2 ? 0 : s + 1;
        add_spring(set, (uint64_t)s, (LyraSurfacePoint){1, &one, NULL},
                   (LyraSurfacePoint){1, &other, NULL});
        double d[3];
        for (int i = 0; i < 3; ++i) {
            d[i] = cloud.rest[i] + cloud.u[i] - cloud.rest[3 * s + 3 + i] - cloud.u[3 * s + 3 + i];
            sum[i] += 2 * d[i];
        }
        energy += dot3(d, d);
    }
    TEST_OK(ly_stencil_set_finish(set));
    Result result = evaluate_set(set, cloud.u, NULL);
    TEST_EQUAL(result.pair_count, 24001);
    // 12000 roundings of sums that grow to about 16000
    TEST_NEAR(result.energy, energy, 1e-8);
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(result.gradient[i], sum[i], 1e-8);
    }
    LyStencilPairs pairs = ly_stencil_set_pairs(set);
    for (int64_t k = 0; k < pairs.count; ++k) {
        int32_t i = pairs.pairs[2 * k], j = pairs.pairs[2 * k + 1];
        double expected = i != j ? -2 : i == cloud.place[0] ? 24000 : 2;
        TEST_NEAR(result.dfdx[9 * k], expected, 1e-8);
    }
    end_result(&result);
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

// ---- invariance ---------------------------------------------------------------------------------

LYRA_TEST(changing_order_of_rows_and_vertices_does_not_matter)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(100, 11), other = make_cloud(100, 12);
    int32_t *turned = cloud.place; // a permutation: vertex i of the one is turned[i] of the other
    for (int32_t i = 0; i < cloud.n; ++i) {
        for (int c = 0; c < 3; ++c) {
            other.rest[3 * turned[i] + c] = cloud.rest[3 * i + c];
            other.u[3 * turned[i] + c] = cloud.u[3 * i + c];
            other.v[3 * turned[i] + c] = cloud.v[3 * i + c];
        }
    }
    for (int k = 0; k < LY_COUNT_OF(kinds); ++k) {
        LyraStencilSet *a = make_set(ctx, &cloud, kinds[k]), *b = make_set(ctx, &other, kinds[k]);
        TEST_OK(fill(a, ANYTHING, 100, 13));
        LyraStencilSetView view = lyra_stencil_set_view(a);
        int32_t *vertices = malloc((size_t)view.start[100 * view.nodes] * sizeof *vertices);
        for (int64_t e = 0; e < view.start[100 * view.nodes]; ++e) {
            vertices[e] = turned[view.vertices[e]];
        }
        for (int32_t s = 0; s < 100; ++s) {
            LyraSurfacePoint points[LYRA_STENCIL_NODES_MAX];
            for (int32_t p = 0; p < view.nodes; ++p) {
                int64_t begin = view.start[s * view.nodes + p];
                points[p].count = (int32_t)(view.start[s * view.nodes + p + 1] - begin);
                points[p].vertices = vertices + begin;
                points[p].weights = view.weights + begin;
            }
            TEST_OK(lyra_stencil_set_add(b, view.keys[s], points,
                                         view.parameters + s * kinds[k].type->parameter_count));
        }
        TEST_OK(ly_stencil_set_finish(b));
        Result first = evaluate_set(a, cloud.u, cloud.v),
               second = evaluate_set(b, other.u, other.v);
        double *d = malloc(1200 * sizeof *d), *e = d + 300, *y = e + 300, *z = y + 300;
        double worst = 0;
        for (int32_t i = 0; i < 300; ++i) {
            d[i] = sin(i);
            e[3 * turned[i / 3] + i % 3] = d[i];
        }
        apply_pairs(a, first.dfdx, d, y);
        apply_pairs(b, second.dfdx, e, z);
        for (int32_t i = 0; i < 300; ++i) {
            int32_t j = 3 * turned[i / 3] + i % 3;
            worst = larger(worst, fabs(first.gradient[i] - second.gradient[j]) /
                                      largest_of(300, first.gradient));
            worst = larger(worst, fabs(y[i] - z[j]) / largest_of(300, y));
        }
        TEST_CHECK(first.energy == second.energy);
        // some ten terms in another order
        TEST_CHECK_MSG(worst <= 1e-14, "%s: %g", kinds[k].type->name, worst);
        free(d);
        free(vertices);
        end_result(&first);
        end_result(&second);
        ly_stencil_set_destroy(a);
        ly_stencil_set_destroy(b);
    }
    end_cloud(&cloud);
    end_cloud(&other);
    test_context_end(ctx);
}

// rest positions have 20 binary digits after the point, so moved by 2^30 they are exact
LYRA_TEST(changing_invariant_types_do_not_notice_that_they_are_far_away)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < 2; ++k) {
        for (Mix mix = VERTICES; mix <= WEIGHTS; ++mix) {
            Cloud near = make_cloud(80, 14), far = make_cloud(80, 14);
            for (int32_t i = 0; i < 3 * far.n; ++i) {
                far.rest[i] += 1073741824;
            }
            for (int i = 0; i < 3; ++i) {
                far.middle[i] += 1073741824;
            }
            LyraStencilSet *a = make_set(ctx, &near, kinds[k]), *b = make_set(ctx, &far, kinds[k]);
            TEST_OK(fill(a, mix, 60, 15));
            TEST_OK(fill(b, mix, 60, 15));
            Result first = evaluate_set(a, near.u, near.v), second = evaluate_set(b, far.u, far.v);
            TEST_CHECK(same_results(a, &first, &second));
            end_result(&first);
            end_result(&second);
            ly_stencil_set_destroy(a);
            ly_stencil_set_destroy(b);
            end_cloud(&near);
            end_cloud(&far);
        }
    }
    test_context_end(ctx);
}

// weights that do not sum to 1 mean what they say, wherever the middle is
LYRA_TEST(changing_weights_of_any_sum_are_taken_as_they_are)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(2, 16);
    LyraStencilSet *set = make_set(ctx, &cloud, kinds[0]);
    LyraSurfacePoint p = {1, (int32_t[]){0}, (double[]){0.5}};
    LyraSurfacePoint q = {2, (int32_t[]){0, 1}, (double[]){1, 2}};
    add_spring(set, 0, p, q);
    TEST_OK(ly_stencil_set_finish(set));
    Result result = evaluate_set(set, cloud.u, NULL);
    double d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = 0.5 * (cloud.rest[i] + cloud.u[i]) + 2 * (cloud.rest[3 + i] + cloud.u[3 + i]);
    }
    TEST_NEAR(result.energy, dot3(d, d), 1e-14);
    end_result(&result);
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

// ---- bits, room ---------------------------------------------------------------------------------

typedef struct Case {
    const Cloud *cloud;
    Kind kind;
    Mix mix;
    int32_t count;
    size_t pairs;
} Case;

static void compute(LyraContext *ctx, void *data, void *out)
{
    const Case *c = data;
    LyraStencilSet *set = make_set(ctx, c->cloud, c->kind);
    TEST_OK(fill(set, c->mix, c->count, 17));
    TEST_REQUIRE((size_t)ly_stencil_set_pairs(set).count == c->pairs);
    double *energy = out, *gradient = energy + 1, *dfdx = gradient + 3 * c->cloud->n;
    LyStencilEvaluation at = {.u = c->cloud->u,
                              .v = c->cloud->v,
                              .energy = energy,
                              .gradient = gradient,
                              .dfdx = dfdx,
                              .dfdv = dfdx + 9 * c->pairs};
    TEST_OK(ly_stencil_set_evaluate(set, &at));
    ly_stencil_set_destroy(set);
}

LYRA_TEST(changing_sets_have_the_same_bits_at_any_thread_count)
{
    Cloud cloud = make_cloud(700, 18);
    for (int k = 0; k < LY_COUNT_OF(kinds); ++k) {
        for (Mix mix = VERTICES; mix <= ANYTHING; mix += 2) {
            Case c = {&cloud, kinds[k], mix, kinds[k].type->nodes > 4 ? 300 : 6000, 0};
            LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
            LyraStencilSet *set = make_set(ctx, &cloud, kinds[k]);
            TEST_OK(fill(set, mix, c.count, 17));
            c.pairs = (size_t)ly_stencil_set_pairs(set).count;
            ly_stencil_set_destroy(set);
            test_context_end(ctx);
            test_same_bits(compute, &c, (1 + 3 * (size_t)cloud.n + 18 * c.pairs) * sizeof(double));
        }
    }
    end_cloud(&cloud);
}

// other stencils in between, more, fewer, none, of another mix: the first come back bit for bit,
// and nothing is allocated from the second round on
LYRA_TEST(changing_sets_set_again_give_the_same_bits_without_allocations)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(300, 19);
    for (int k = 0; k < LY_COUNT_OF(kinds); ++k) {
        LyraStencilSet *set = make_set(ctx, &cloud, kinds[k]);
        TEST_OK(fill(set, WEIGHTS, 500, 20));
        uint64_t checksum = ly_stencil_set_checksum(set);
        Result first = evaluate_set(set, cloud.u, cloud.v);
        int64_t allocations = 0;
        for (int round = 0; round < 2; ++round) {
            if (round == 1) {
                allocations = test_allocation_count();
            }
            TEST_OK(fill(set, VERTICES, 1700, 21));
            TEST_OK(fill(set, ANYTHING, 600, 22));
            TEST_CHECK(ly_stencil_set_checksum(set) != checksum);
            TEST_OK(fill(set, ANYTHING, 0, 23));
            TEST_EQUAL(ly_stencil_set_pairs(set).count, 0);
            TEST_OK(fill(set, WEIGHTS, 500, 20));
            TEST_CHECK(ly_stencil_set_checksum(set) == checksum);
            Result again = evaluate_set(set, cloud.u, cloud.v);
            TEST_CHECK(same_results(set, &first, &again));
            end_result(&again);
        }
        TEST_EQUAL(test_allocation_count(), allocations);
        end_result(&first);
        ly_stencil_set_destroy(set);
    }
    end_cloud(&cloud);
    test_context_end(ctx);
}

LYRA_TEST(changing_outputs_do_not_depend_on_which_are_asked_for)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(50, 24);
    LyraStencilSet *set = make_set(ctx, &cloud, kinds[0]);
    TEST_OK(fill(set, ANYTHING, 100, 25));
    Result all = evaluate_set(set, cloud.u, cloud.v), each = make_result(set);
    LyStencilEvaluation at = {.u = cloud.u, .v = cloud.v, .energy = &each.energy};
    TEST_OK(ly_stencil_set_evaluate(set, &at));
    at = (LyStencilEvaluation){.u = cloud.u, .v = cloud.v, .gradient = each.gradient};
    TEST_OK(ly_stencil_set_evaluate(set, &at));
    // what stood in the blocks is overwritten
    each.dfdx[0] = each.dfdv[9 * each.pair_count - 1] = NAN;
    at = (LyStencilEvaluation){.u = cloud.u, .v = cloud.v, .dfdx = each.dfdx};
    TEST_OK(ly_stencil_set_evaluate(set, &at));
    at = (LyStencilEvaluation){.u = cloud.u, .v = cloud.v, .dfdv = each.dfdv};
    TEST_OK(ly_stencil_set_evaluate(set, &at));
    TEST_CHECK(same_results(set, &all, &each));
    // the gradient is added to
    at = (LyStencilEvaluation){.u = cloud.u, .v = cloud.v, .gradient = each.gradient};
    TEST_OK(ly_stencil_set_evaluate(set, &at));
    for (int32_t i = 0; i < 3 * cloud.n; ++i) {
        all.gradient[i] *= 2;
    }
    TEST_CHECK(apart(3 * cloud.n, each.gradient, all.gradient) <= 1e-15);
    end_result(&all);
    end_result(&each);
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

LYRA_TEST(changing_empty_sets_have_no_force)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(3, 26);
    LyraStencilSet *set = make_set(ctx, &cloud, kinds[1]);
    double energy = 1, gradient[9] = {1, 2, 3};
    LyStencilEvaluation at = {.u = cloud.u, .energy = &energy, .gradient = gradient};
    TEST_OK(ly_stencil_set_evaluate(set, &at));
    TEST_CHECK(energy == 0 && gradient[0] == 1 && gradient[2] == 3);
    TEST_EQUAL(ly_stencil_set_pairs(set).count, 0);
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

static LyraStatus scenario(LyraContext *ctx, void *data)
{
    const Cloud *cloud = data;
    for (int k = 0; k < 2; ++k) {
        LyraStencilSet *set = NULL;
        LY_TRY(ly_stencil_set_create(ctx, kinds[k].type, kinds[k].self, cloud->n, cloud->rest,
                                     cloud->middle, cloud->place, &set));
        LyraStatus status = fill(set, VERTICES, 40, 27);
        if (status == LYRA_OK) {
            status = fill(set, ANYTHING, 90, 28);
        }
        // a set whose preparation failed has its stencils still, and refuses to be evaluated
        double energy = 0;
        LyStencilEvaluation at = {.u = cloud->u, .energy = &energy};
        LyraStatus evaluated = ly_stencil_set_evaluate(set, &at);
        TEST_CHECK(evaluated == (status == LYRA_OK ? LYRA_OK : LYRA_INVALID_ARGUMENT));
        uint64_t old_keys[300] = {0};
        int32_t from[90];
        if (status == LYRA_OK) {
            status = ly_stencil_set_match(set, 300, old_keys, from);
        }
        ly_stencil_set_destroy(set);
        LY_TRY(status);
    }
    return LYRA_OK;
}

LYRA_TEST(changing_sets_survive_each_failing_allocation)
{
    Cloud cloud = make_cloud(100, 29);
    test_fail_each_allocation(scenario, &cloud);
    end_cloud(&cloud);
}

// ---- keys and history ---------------------------------------------------------------------------

static void add_keys(LyraStencilSet *set, int32_t count, const uint64_t *keys)
{
    TEST_OK(lyra_stencil_set_clear(set));
    for (int32_t s = 0; s < count; ++s) {
        int32_t a = s % set->vertex_count, b = (s + 1) % set->vertex_count;
        add_spring(set, keys[s], (LyraSurfacePoint){1, &a, NULL}, (LyraSurfacePoint){1, &b, NULL});
    }
}

LYRA_TEST(changing_stencils_are_found_again_by_their_keys)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(10, 30);
    LyraStencilSet *set = make_set(ctx, &cloud, (Kind){&creep_type, NULL});
    const uint64_t keys[] = {7, UINT64_MAX, 0, (uint64_t)1 << 63, 5, 7000000000};
    const uint64_t old_keys[] = {5, 6, (uint64_t)1 << 63, 8, 0, 7, 7, 8};
    const int32_t expected[] = {5, -1, 4, 2, 0, -1};
    int32_t from[6];
    add_keys(set, 6, keys);
    TEST_OK(ly_stencil_set_match(set, 8, old_keys, from));
    for (int i = 0; i < 6; ++i) {
        TEST_EQUAL(from[i], expected[i]);
    }
    TEST_OK(ly_stencil_set_match(set, 0, NULL, from));
    for (int i = 0; i < 6; ++i) {
        TEST_EQUAL(from[i], -1);
    }
    // many, in an order of their own, on all digits
    TestRandom random = test_random(31);
    uint64_t *many = malloc(30000 * sizeof *many);
    int32_t *order = malloc(30000 * sizeof *order), *found = malloc(30000 * sizeof *found);
    for (int32_t i = 0; i < 30000; ++i) {
        int32_t at = test_random_below(&random, i + 1);
        many[i] = test_random_bits(&random);
        order[i] = i;
        order[i] = order[at];
        order[at] = i;
    }
    TEST_OK(lyra_stencil_set_clear(set));
    for (int32_t i = 0; i < 20000; ++i) {
        LyraSurfacePoint p = {1, (int32_t[]){0}, NULL}, q = {1, (int32_t[]){1}, NULL};
        add_spring(set, many[order[i]], p, q);
    }
    TEST_OK(ly_stencil_set_match(set, 15000, many, found));
    int32_t wrong = 0;
    for (int32_t i = 0; i < 20000; ++i) {
        wrong += found[i] != (order[i] < 15000 ? order[i] : -1);
    }
    TEST_EQUAL(wrong, 0);
    int64_t before = test_allocation_count();
    TEST_OK(ly_stencil_set_match(set, 15000, many, found));
    TEST_EQUAL(test_allocation_count(), before);
    free(many);
    free(order);
    free(found);
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

LYRA_TEST(changing_history_goes_by_stencil)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(40, 32);
    LyraStencilSet *creep = make_set(ctx, &cloud, (Kind){&creep_type, NULL});
    LyraStencilSet *springs = make_set(ctx, &cloud, kinds[0]);
    enum { COUNT = 61 };
    uint64_t keys[COUNT];
    double history[COUNT][2], trial[COUNT][2], energy = 0, expected = 0;
    for (int32_t s = 0; s < COUNT; ++s) {
        int32_t a = s % 40, b = (s + 7) % 40;
        LyraSurfacePoint points[] = {{1, &a, NULL}, {1, &b, NULL}};
        keys[s] = (uint64_t)s * 977;
        history[s][0] = 0.01 * s;
        history[s][1] = -s;
        double parameters[] = {1 + s, history[s][0], 0};
        TEST_OK(lyra_stencil_set_add(springs, keys[s], points, parameters));
        parameters[SPRING_LENGTH] = 1e9;
        TEST_OK(lyra_stencil_set_add(creep, keys[s], points, parameters));
    }
    TEST_OK(ly_stencil_set_finish(creep));
    TEST_OK(ly_stencil_set_finish(springs));
    LyStencilEvaluation at = {.u = cloud.u, .dt = 0.5, .energy = &energy};
    TEST_STATUS(ly_stencil_set_evaluate(creep, &at), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "force test creep has history, but none is given");
    at.history = history[0];
    TEST_OK(ly_stencil_set_evaluate(creep, &at));
    at.trial_history = trial[0];
    TEST_OK(ly_stencil_set_evaluate(creep, &at));
    for (int32_t s = 0; s < COUNT; ++s) {
        TEST_CHECK(trial[s][0] == history[s][0] + 0.25 && trial[s][1] == 1000 - s);
    }
    LyStencilEvaluation plain = {.u = cloud.u, .energy = &expected};
    TEST_OK(ly_stencil_set_evaluate(springs, &plain));
    TEST_CHECK(energy == expected && energy > 0);
    // one key for two stencils would give both the same past
    keys[60] = keys[3];
    add_keys(creep, COUNT, keys);
    TEST_STATUS(ly_stencil_set_finish(creep), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stencils 3 and 60 have the key 2931");
    add_keys(springs, COUNT, keys);
    TEST_OK(ly_stencil_set_finish(springs));
    ly_stencil_set_destroy(creep);
    ly_stencil_set_destroy(springs);
    end_cloud(&cloud);
    test_context_end(ctx);
}

LYRA_TEST(changing_checksums_see_every_number)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(10, 33);
    LyraStencilSet *set = make_set(ctx, &cloud, kinds[0]);
    uint64_t sums[9];
    for (int change = 0; change < 9; ++change) {
        int32_t vertices[] = {1, change == 1 ? 5 : 2, 3};
        double weights[] = {0.5, change == 2 ? 0.4 : 0.5, 1};
        double parameters[] = {1, 2, change == 3 ? 4 : 3};
        // the border between the points moves in the fifth
        LyraSurfacePoint points[] = {{change == 5 ? 1 : 2, vertices, weights},
                                     {1, vertices + 2, weights + 2}};
        if (change == 5) {
            points[1] = (LyraSurfacePoint){2, vertices + 1, weights + 1};
        }
        TEST_OK(lyra_stencil_set_clear(set));
        for (int s = 0; s < (change == 6 ? 2 : 1); ++s) {
            TEST_OK(lyra_stencil_set_add(set, change == 4 ? 8 : 9, points, parameters));
        }
        if (change == 7) {
            TEST_OK(lyra_stencil_set_clear(set));
        }
        sums[change] = ly_stencil_set_checksum(set);
        for (int before = 0; before < change; ++before) {
            TEST_CHECK_MSG((sums[before] == sums[change]) == (before == 0 && change == 8),
                           "changes %d and %d", before, change);
        }
    }
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

// ---- bad input ----------------------------------------------------------------------------------

LYRA_TEST(changing_sets_refuse_bad_stencils_and_stay_as_they_were)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(10, 34);
    LyraStencilSet *set = make_set(ctx, &cloud, kinds[0]);
    const int32_t good[] = {1, 2}, low[] = {1, -1}, high[] = {10, 1};
    const double w[] = {0.5, 0.5}, bad[] = {0.5, NAN}, huge[] = {INFINITY, 0};
    const double fine[] = {1, 2, 3}, soft[] = {0, 2, 3}, nan[] = {1, 2, NAN};
    const struct {
        LyraSurfacePoint point;
        const double *parameters;
        LyraStatus status;
        const char *message;
    } cases[] = {
        {{2, low, w},
         fine,
         LYRA_INVALID_ARGUMENT,
         "point 1 of stencil 3 has vertex -1, expected 0 to 9"},
        {{2, high, w}, fine, LYRA_INVALID_ARGUMENT, "has vertex 10, expected 0 to 9"},
        {{1, high, NULL}, fine, LYRA_INVALID_ARGUMENT, "has vertex 10, expected 0 to 9"},
        {{2, good, bad}, fine, LYRA_NOT_FINITE, "point 1 of stencil 3 has the weight"},
        {{2, good, huge}, fine, LYRA_NOT_FINITE, "has the weight inf, expected a finite number"},
        {{2, good, NULL}, fine, LYRA_INVALID_ARGUMENT, "has 2 vertices without weights"},
        {{0, good, w}, fine, LYRA_INVALID_ARGUMENT, "has 0 vertices, expected 1 or more"},
        {{-1, good, w}, fine, LYRA_INVALID_ARGUMENT, "has -1 vertices, expected 1 or more"},
        {{2, NULL, w}, fine, LYRA_INVALID_ARGUMENT, "has 2 vertices that are not given"},
        {{2, good, w}, NULL, LYRA_INVALID_ARGUMENT, "stencil 3 without parameters"},
        {{2, good, w},
         soft,
         LYRA_INVALID_ARGUMENT,
         "stiffness of element 3 is 0, expected more than 0"},
        {{2, good, w}, nan, LYRA_NOT_FINITE, "damping of element 3 is"},
    };
    TEST_OK(fill(set, ANYTHING, 3, 35));
    uint64_t checksum = ly_stencil_set_checksum(set);
    Result before = evaluate_set(set, cloud.u, cloud.v);
    for (int i = 0; i < LY_COUNT_OF(cases); ++i) {
        LyraSurfacePoint points[] = {{1, good, NULL}, cases[i].point};
        TEST_STATUS(lyra_stencil_set_add(set, 1, points, cases[i].parameters), cases[i].status);
        TEST_CONTAINS(lyra_error_message(), cases[i].message);
    }
    TEST_STATUS(lyra_stencil_set_add(set, 1, NULL, fine), LYRA_INVALID_ARGUMENT);
    TEST_EQUAL(lyra_stencil_set_view(set).count, 3);
    TEST_CHECK(ly_stencil_set_checksum(set) == checksum);
    Result after = evaluate_set(set, cloud.u, cloud.v);
    TEST_CHECK(same_results(set, &before, &after));
    end_result(&before);
    end_result(&after);
    // good ones leave a set that has to be finished
    add_spring(set, 1, (LyraSurfacePoint){1, good, NULL}, (LyraSurfacePoint){2, good, w});
    LyStencilEvaluation at = {.u = cloud.u};
    TEST_STATUS(ly_stencil_set_evaluate(set, &at), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "the set is not finished");
    TEST_OK(ly_stencil_set_finish(set));
    at.u = NULL;
    TEST_STATUS(ly_stencil_set_evaluate(set, &at), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "no displacements");
    ly_stencil_set_destroy(set);
    end_cloud(&cloud);
    test_context_end(ctx);
}

LYRA_TEST(changing_sets_refuse_types_that_they_cannot_serve)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Cloud cloud = make_cloud(2, 36);
    LyraForceType types[6];
    const char *messages[] = {"its tangent is not symmetric",
                              "3 constants per stencil",
                              "0 points",
                              "11 points, 3 parameters and 0 numbers of history, expected 1 to 10",
                              "-1 parameters",
                              "needs a name and evaluate"};
    for (int i = 0; i < 6; ++i) {
        types[i] = spring_type;
    }
    types[0].traits &= ~(uint32_t)LYRA_FORCE_SYMMETRIC;
    types[1].constant_count = 3;
    types[2].nodes = 0;
    types[3].nodes = 11;
    types[4].parameter_count = -1;
    types[5].evaluate = NULL;
    for (int i = 0; i < 6; ++i) {
        LyraStencilSet *set = NULL;
        TEST_STATUS(ly_stencil_set_create(ctx, &types[i], NULL, cloud.n, cloud.rest, cloud.middle,
                                          cloud.place, &set),
                    i < 2 ? LYRA_UNSUPPORTED : LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), messages[i]);
        TEST_CHECK(!set);
    }
    ly_stencil_set_destroy(NULL);
    end_cloud(&cloud);
    test_context_end(ctx);
}
