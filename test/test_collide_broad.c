// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The broad phase finds every pair whose boxes overlap, in order, whatever the threads and lanes;
// closest triangles and rays are those of a search over all; surfaces meet where all pairs say so.

#include "collide/broad_phase.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

enum { VERTICES = 400, POINTS = 150, EDGES = 300, TRIANGLES = 250 };

typedef struct Soup {
    double from[3 * VERTICES], to[3 * VERTICES];
    int32_t points[POINTS], edges[2 * EDGES], triangles[3 * TRIANGLES];
    LyraPrimitives primitives;
} Soup;

// small primitives strewn in a box, some without length, some at one place
static void make_soup(Soup *soup, uint64_t seed, double scale)
{
    TestRandom random = test_random(seed);
    memset(soup, 0, sizeof *soup);
    for (int v = 0; v < VERTICES; ++v) {
        for (int i = 0; i < 3; ++i) {
            bool along = v % 4 != 0;
            double x =
                along ? soup->from[3 * (v - 1) + i] + scale * test_random_in(&random, -0.1, 0.1)
                      : scale * test_random_in(&random, 0, 1);
            soup->from[3 * v + i] = v % 29 == 3 ? 0.5 * scale : x;
            soup->to[3 * v + i] =
                soup->from[3 * v + i] + scale * test_random_in(&random, -0.1, 0.1);
        }
    }
    for (int p = 0; p < POINTS; ++p) {
        soup->points[p] = test_random_below(&random, VERTICES);
    }
    for (int e = 0; e < EDGES; ++e) {
        int32_t v = test_random_below(&random, VERTICES);
        soup->edges[2 * e] = v;
        soup->edges[2 * e + 1] = v ^ 1;
    }
    for (int t = 0; t < TRIANGLES; ++t) {
        int32_t v = test_random_below(&random, VERTICES) & ~3;
        for (int c = 0; c < 3; ++c) {
            soup->triangles[3 * t + c] = v + (c + t) % 4;
        }
    }
    soup->primitives = (LyraPrimitives){
        .vertex_count = VERTICES,
        .point_count = POINTS,
        .points = soup->points,
        .edge_count = EDGES,
        .edges = soup->edges,
        .triangle_count = TRIANGLES,
        .triangles = soup->triangles,
    };
}

// ---- pairs --------------------------------------------------------------------------------------

static void box_of(const Soup *soup, int32_t corners, const int32_t *vertices, double grow,
                   double box[2][3])
{
    for (int i = 0; i < 3; ++i) {
        box[0][i] = INFINITY;
        box[1][i] = -INFINITY;
        for (int c = 0; c < corners; ++c) {
            double x = soup->from[3 * vertices[c] + i], y = soup->to[3 * vertices[c] + i];
            box[0][i] = fmin(box[0][i], fmin(x, y) - grow);
            box[1][i] = fmax(box[1][i], fmax(x, y) + grow);
        }
    }
}

// by how much two boxes are apart along the axis where that is most; negative: they overlap
static double boxes_apart(double a[2][3], double b[2][3])
{
    double most = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        most = fmax(most, fmax(a[0][i] - b[1][i], b[0][i] - a[1][i]));
    }
    return most;
}

static const int32_t *items_of(const Soup *soup, LyPrimitive kind, int32_t *count)
{
    *count = (const int32_t[]){POINTS, EDGES, TRIANGLES}[kind];
    return kind == LY_POINT ? soup->points : kind == LY_EDGE ? soup->edges : soup->triangles;
}

// Compares a list with all pairs: what overlaps is there, and what is there overlaps to a float.
static void check_pairs(const Soup *soup, LyPrimitive a, LyPrimitive b, double radius, double scale,
                        LyraPairList list)
{
    int32_t a_count, b_count;
    const int32_t *as = items_of(soup, a, &a_count), *bs = items_of(soup, b, &b_count);
    int64_t at = 0;
    for (int32_t i = 0; i < a_count; ++i) {
        for (int32_t j = a == b ? i + 1 : 0; j < b_count; ++j) {
            const int32_t *v = as + (a + 1) * (size_t)i, *w = bs + (b + 1) * (size_t)j;
            bool share = false,
                 listed = at < list.count && list.pairs[2 * at] == i && list.pairs[2 * at + 1] == j;
            for (int c = 0; c <= (int)a; ++c) {
                for (int d = 0; d <= (int)b; ++d) {
                    share = share || v[c] == w[d];
                }
            }
            double boxes[2][2][3];
            box_of(soup, (int32_t)a + 1, v, 0.5 * radius, boxes[0]);
            box_of(soup, (int32_t)b + 1, w, 0.5 * radius, boxes[1]);
            double apart = boxes_apart(boxes[0], boxes[1]);
            at += listed;
            TEST_CHECK_MSG(!listed || !share, "%d and %d share a vertex", i, j);
            TEST_CHECK_MSG(listed || share || apart > 0, "%d and %d are missing", i, j);
            TEST_CHECK_MSG(!listed || apart < 1e-6 * scale, "%d and %d are %g apart", i, j, apart);
        }
    }
    TEST_EQUAL(at, list.count); // else some stand out of order or twice
}

LYRA_TEST(broad_phase_finds_all_pairs)
{
    static const LyPrimitive kinds[LYRA_PAIR_KIND_COUNT][2] = {{LY_POINT, LY_TRIANGLE},
                                                               {LY_EDGE, LY_EDGE},
                                                               {LY_EDGE, LY_TRIANGLE},
                                                               {LY_POINT, LY_EDGE},
                                                               {LY_POINT, LY_POINT}};
    static Soup soup;
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(2, isa);
        for (int trial = 0; trial < 3; ++trial) {
            double scale = (double[]){1, 1e-9, 1e12}[trial], radius = 0.05 * trial * scale;
            LyraBroadPhase *phase = NULL;
            make_soup(&soup, (uint64_t)trial, scale);
            TEST_REQUIRE_OK(lyra_broad_phase_create(ctx, &soup.primitives, &phase));
            TEST_REQUIRE_OK(lyra_broad_phase_update(phase, soup.from, soup.to, radius));
            for (int kind = 0; kind < LYRA_PAIR_KIND_COUNT; ++kind) {
                LyraPairList list;
                TEST_REQUIRE_OK(lyra_broad_phase_pairs(phase, (LyraPairKind)kind, &list));
                TEST_CHECK(list.count > 20);
                check_pairs(&soup, kinds[kind][0], kinds[kind][1], radius, scale, list);
            }
            lyra_broad_phase_destroy(phase);
        }
        test_context_end(ctx);
    }
}

typedef struct Bits {
    int64_t count;
    int32_t pairs[200000];
} Bits;

static void compute_pairs(LyraContext *ctx, void *data, void *out)
{
    static Soup soup;
    Bits *bits = out;
    LyraBroadPhase *phase = NULL;
    LyraPairList list;
    (void)data;
    make_soup(&soup, 5, 1);
    TEST_REQUIRE_OK(lyra_broad_phase_create(ctx, &soup.primitives, &phase));
    TEST_REQUIRE_OK(lyra_broad_phase_update(phase, soup.from, soup.to, 0.1));
    TEST_REQUIRE_OK(lyra_broad_phase_pairs(phase, LYRA_PAIR_EDGE_EDGE, &list));
    TEST_REQUIRE(list.count < 100000);
    bits->count = list.count;
    memcpy(bits->pairs, list.pairs, sizeof(int32_t) * 2 * (size_t)list.count);
    lyra_broad_phase_destroy(phase);
}

LYRA_TEST(broad_phase_has_the_same_bits_on_all_threads)
{
    test_same_bits(compute_pairs, NULL, sizeof(Bits));
}

// A place far away, another order of history: the list is that of a fresh object.
LYRA_TEST(broad_phase_forgets_what_was)
{
    static Soup soup, other;
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraBroadPhase *used = NULL, *fresh = NULL;
    LyraPairList list, expected;
    make_soup(&soup, 1, 1);
    make_soup(&other, 2, 100);
    TEST_REQUIRE_OK(lyra_broad_phase_create(ctx, &soup.primitives, &used));
    TEST_REQUIRE_OK(lyra_broad_phase_create(ctx, &soup.primitives, &fresh));
    TEST_REQUIRE_OK(lyra_broad_phase_update(used, other.from, NULL, 3));
    TEST_REQUIRE_OK(lyra_broad_phase_pairs(used, LYRA_PAIR_EDGE_TRIANGLE, &list));
    TEST_REQUIRE_OK(lyra_broad_phase_update(used, soup.from, NULL, 0.1));
    TEST_REQUIRE_OK(lyra_broad_phase_pairs(used, LYRA_PAIR_EDGE_TRIANGLE, &list));
    TEST_REQUIRE_OK(lyra_broad_phase_update(fresh, soup.from, NULL, 0.1));
    TEST_REQUIRE_OK(lyra_broad_phase_pairs(fresh, LYRA_PAIR_EDGE_TRIANGLE, &expected));
    TEST_EQUAL(list.count, expected.count);
    TEST_CHECK(memcmp(list.pairs, expected.pairs, 2 * sizeof(int32_t) * (size_t)list.count) == 0);
    // the second time there is room for everything
    int64_t before = test_allocation_count();
    TEST_OK(lyra_broad_phase_update(used, soup.from, NULL, 0.1));
    TEST_OK(lyra_broad_phase_pairs(used, LYRA_PAIR_EDGE_TRIANGLE, &list));
    TEST_EQUAL(test_allocation_count(), before);
    lyra_broad_phase_destroy(used);
    lyra_broad_phase_destroy(fresh);
    test_context_end(ctx);
}

LYRA_TEST(broad_phase_refuses_bad_input)
{
    static Soup soup;
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBroadPhase *phase = NULL;
    LyraPairList list;
    make_soup(&soup, 1, 1);
    soup.edges[7] = VERTICES;
    TEST_STATUS(lyra_broad_phase_create(ctx, &soup.primitives, &phase), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "edge 3 names vertex 400, expected 0 to 399");
    soup.edges[7] = 0;
    TEST_REQUIRE_OK(lyra_broad_phase_create(ctx, &soup.primitives, &phase));
    const double ray[6] = {0, 0, 0, 1, 0, 0};
    LyraTriangleHit hits[2] = {{.triangle = 7}, {.triangle = 7}};
    lyra_broad_phase_closest(phase, soup.from, 1, ray, &hits[0]);
    lyra_broad_phase_rays(phase, soup.from, 1, ray, &hits[1]);
    TEST_CHECK(hits[0].triangle == -1 && hits[1].triangle == -1);
    lyra_broad_phase_destroy(phase);
    phase = NULL;
    soup.primitives.triangle_count = -1;
    TEST_STATUS(lyra_broad_phase_create(ctx, &soup.primitives, &phase), LYRA_INVALID_ARGUMENT);
    soup.primitives.triangle_count = 0;
    TEST_REQUIRE_OK(lyra_broad_phase_create(ctx, &soup.primitives, &phase));
    TEST_STATUS(lyra_broad_phase_pairs(phase, LYRA_PAIR_EDGE_EDGE, &list), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_broad_phase_update(phase, soup.from, NULL, -1), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_broad_phase_update(phase, soup.from, NULL, NAN), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_broad_phase_update(phase, soup.from, NULL, 0));
    TEST_OK(lyra_broad_phase_pairs(phase, LYRA_PAIR_EDGE_EDGE, &list));
    int64_t count = list.count;
    for (int bad = 0; bad < 3; ++bad) {
        soup.to[50] = (double[]){NAN, INFINITY, 1e60}[bad];
        TEST_STATUS(lyra_broad_phase_update(phase, soup.from, soup.to, 0), LYRA_NOT_FINITE);
    }
    TEST_OK(lyra_broad_phase_pairs(phase, LYRA_PAIR_EDGE_EDGE, &list));
    TEST_EQUAL(list.count, count);
    TEST_OK(lyra_broad_phase_pairs(phase, LYRA_PAIR_POINT_TRIANGLE, &list));
    TEST_EQUAL(list.count, 0);
    TEST_STATUS(lyra_broad_phase_pairs(phase, LYRA_PAIR_KIND_COUNT, &list), LYRA_INVALID_ARGUMENT);
    lyra_broad_phase_destroy(phase);
    test_context_end(ctx);
}

static LyraStatus find_some(LyraContext *ctx, void *data)
{
    Soup *soup = data;
    LyraBroadPhase *phase = NULL;
    LyraPairList list;
    LyraStatus status = lyra_broad_phase_create(ctx, &soup->primitives, &phase);
    if (status == LYRA_OK) {
        status = lyra_broad_phase_update(phase, soup->from, soup->to, 0.2);
    }
    for (int kind = 0; kind < LYRA_PAIR_KIND_COUNT && status == LYRA_OK; ++kind) {
        status = lyra_broad_phase_pairs(phase, (LyraPairKind)kind, &list);
    }
    lyra_broad_phase_destroy(phase);
    return status;
}

LYRA_TEST(broad_phase_survives_missing_memory)
{
    static Soup soup;
    make_soup(&soup, 1, 1);
    test_fail_each_allocation(find_some, &soup);
}

// ---- closest triangles and rays -----------------------------------------------------------------

static void place_of(const Soup *soup, const LyraTriangleHit *hit, double x[3])
{
    const int32_t *v = soup->triangles + 3 * hit->triangle;
    for (int i = 0; i < 3; ++i) {
        x[i] = 0;
        for (int c = 0; c < 3; ++c) {
            x[i] += hit->barycentric[c] * soup->from[3 * v[c] + i];
        }
    }
}

// Points of a fine net over each triangle are no closer than what was found, and that is where the
// weights say.
LYRA_TEST(closest_triangles_are_the_closest)
{
    enum { QUERIES = 60, NET = 12 };
    static Soup soup;
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    TestRandom random = test_random(8);
    LyraBroadPhase *phase = NULL;
    LyraTriangleHit hits[QUERIES];
    double points[3 * QUERIES];
    make_soup(&soup, 4, 1);
    for (int k = 0; k < 3 * QUERIES; ++k) {
        points[k] = test_random_in(&random, -0.5, 1.5);
    }
    TEST_REQUIRE_OK(lyra_broad_phase_create(ctx, &soup.primitives, &phase));
    TEST_REQUIRE_OK(lyra_broad_phase_update(phase, soup.from, NULL, 0));
    lyra_broad_phase_closest(phase, soup.from, QUERIES, points, hits);
    for (int k = 0; k < QUERIES; ++k) {
        const double *p = points + 3 * k;
        double x[3], least = INFINITY;
        place_of(&soup, &hits[k], x);
        TEST_NEAR(hits[k].distance, hypot(hypot(x[0] - p[0], x[1] - p[1]), x[2] - p[2]), 1e-14);
        for (int t = 0; t < TRIANGLES; ++t) {
            for (int i = 0; i <= NET; ++i) {
                for (int j = 0; i + j <= NET; ++j) {
                    LyraTriangleHit at = {.triangle = t};
                    at.barycentric[0] = 1 - (double)(i + j) / NET;
                    at.barycentric[1] = (double)i / NET;
                    at.barycentric[2] = (double)j / NET;
                    place_of(&soup, &at, x);
                    double d = hypot(hypot(x[0] - p[0], x[1] - p[1]), x[2] - p[2]);
                    least = fmin(least, d);
                }
            }
        }
        TEST_CHECK_MSG(hits[k].distance <= least + 1e-14 && hits[k].distance > least - 0.02,
                       "query %d: %g beside %g", k, hits[k].distance, least);
    }
    points[4] = NAN;
    lyra_broad_phase_closest(phase, soup.from, 2, points, hits);
    TEST_EQUAL(hits[1].triangle, -1);
    TEST_CHECK(isinf(hits[1].distance));
    lyra_broad_phase_destroy(phase);
    test_context_end(ctx);
}

// Rays that are aimed at points of triangles meet these or one before; rays from there back as
// well; those along an axis too.
LYRA_TEST(rays_meet_what_they_are_aimed_at)
{
    enum { RAYS = 3000 };
    static Soup soup;
    static double rays[6 * RAYS], aimed[RAYS];
    static LyraTriangleHit hits[RAYS];
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    TestRandom random = test_random(9);
    LyraBroadPhase *phase = NULL;
    make_soup(&soup, 6, 1);
    for (int k = 0; k < RAYS; ++k) {
        LyraTriangleHit at = {.triangle = test_random_below(&random, TRIANGLES),
                              .barycentric = {0.3, 0.3, 0.4}};
        double x[3], length2 = 0;
        place_of(&soup, &at, x);
        for (int i = 0; i < 3; ++i) {
            double way = k % 3 == 0 && i != k % 2 ? 0 : test_random_in(&random, -2, 2);
            rays[6 * k + i] = x[i] - way;
            rays[6 * k + 3 + i] = 1e5 * way;
            length2 += way * way;
        }
        aimed[k] = sqrt(length2);
    }
    TEST_REQUIRE_OK(lyra_broad_phase_create(ctx, &soup.primitives, &phase));
    TEST_REQUIRE_OK(lyra_broad_phase_update(phase, soup.from, NULL, 0));
    lyra_broad_phase_rays(phase, soup.from, RAYS, rays, hits);
    int32_t earlier = 0;
    for (int k = 0; k < RAYS; ++k) {
        double x[3], off = 0;
        TEST_REQUIRE(hits[k].triangle >= 0);
        TEST_CHECK(hits[k].distance <= aimed[k] * (1 + 1e-9));
        earlier += hits[k].distance < 0.999 * aimed[k];
        place_of(&soup, &hits[k], x);
        for (int i = 0; i < 3; ++i) {
            double way = hits[k].distance * rays[6 * k + 3 + i] / (1e5 * aimed[k]);
            off = fmax(off, fabs(rays[6 * k + i] + way - x[i]));
        }
        TEST_CHECK_MSG(off < 1e-9, "ray %d ends %g m beside its triangle", k, off);
    }
    TEST_CHECK(earlier > RAYS / 4);
    const double none[12] = {0, 0, 5, 0, 0, 1, 0, 0, 5, 0, 0, 0};
    lyra_broad_phase_rays(phase, soup.from, 2, none, hits);
    TEST_EQUAL(hits[0].triangle, -1);
    TEST_EQUAL(hits[1].triangle, -1);
    lyra_broad_phase_destroy(phase);
    test_context_end(ctx);
}

// ---- surfaces -----------------------------------------------------------------------------------

static LyraSurface *make_surface(LyraContext *ctx, const Soup *soup, int32_t faces)
{
    static int32_t begin[TRIANGLES + 1];
    LyraSurface *surface = NULL;
    for (int f = 0; f <= faces; ++f) {
        begin[f] = 3 * f;
    }
    LyraSurfaceView view = {
        .vertex_count = VERTICES,
        .face_count = faces,
        .corner_count = 3 * faces,
        .positions = soup->from,
        .face_begin = begin,
        .corner_vertices = soup->triangles,
    };
    TEST_OK(lyra_surface_create(ctx, &view, &surface));
    return surface;
}

// all edges against all faces of a surface, or of two, counted one by one
static int64_t count_meetings(const Soup *a, const Soup *b, int32_t faces)
{
    int64_t count = 0;
    for (int f = 0; f < faces; ++f) {
        for (int c = 0; c < 3; ++c) {
            int32_t v = a->triangles[3 * f + c], w = a->triangles[3 * f + (c + 1) % 3];
            bool repeated = false;
            for (int g = 0; g < 3 * f + c; ++g) {
                int32_t s = a->triangles[g], e = a->triangles[g % 3 == 2 ? g - 2 : g + 1];
                repeated = repeated || (s == v && e == w) || (s == w && e == v);
            }
            for (int t = 0; t < faces && !repeated; ++t) {
                const int32_t *u = b->triangles + 3 * t;
                bool share = a == b && (u[0] == v || u[1] == v || u[2] == v || u[0] == w ||
                                        u[1] == w || u[2] == w);
                count += !share && lyra_edge_meets_triangle(
                                       a->from + 3 * v, a->from + 3 * w, b->from + 3 * u[0],
                                       b->from + 3 * u[1], b->from + 3 * u[2]) != LYRA_MEETING_NONE;
            }
        }
    }
    return count;
}

LYRA_TEST(intersections_of_surfaces_are_those_of_all_pairs)
{
    enum { FACES = 120, ROOM = 10 };
    static Soup soups[2];
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraIntersectionReport report;
    LyraIntersection found[ROOM];
    make_soup(&soups[0], 21, 1);
    make_soup(&soups[1], 22, 1);
    LyraSurface *a = make_surface(ctx, &soups[0], FACES), *b = make_surface(ctx, &soups[1], FACES);
    TEST_REQUIRE_OK(lyra_surface_intersections(a, NULL, ROOM, found, &report));
    TEST_EQUAL(report.count, count_meetings(&soups[0], &soups[0], FACES));
    TEST_CHECK(report.count > 20);
    for (int k = 1; k < ROOM; ++k) {
        TEST_CHECK(found[k].edge[0] >= found[k - 1].edge[0]);
    }
    TEST_REQUIRE_OK(lyra_surface_intersections(a, b, 0, NULL, &report));
    int64_t both =
        count_meetings(&soups[0], &soups[1], FACES) + count_meetings(&soups[1], &soups[0], FACES);
    TEST_EQUAL(report.count, both);
    TEST_REQUIRE_OK(lyra_surface_intersections(b, a, 0, NULL, &report));
    TEST_EQUAL(report.count, both);
    lyra_surface_destroy(a);
    lyra_surface_destroy(b);
    test_context_end(ctx);
}

LYRA_TEST(intersections_name_what_meets_and_where)
{
    // a square in two triangles, and a needle through one of them that ends on the other's border
    static const double X[7][3] = {{0, 0, 0},      {1, 0, 0},     {1, 1, 0},    {0, 1, 0},
                                   {0.7, 0.2, -1}, {0.7, 0.2, 1}, {0.5, 0.5, 0}};
    static const int32_t corners[] = {0, 1, 2, 3, 4, 5, 6}, begin[] = {0, 4, 7};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurfaceView view = {
        .vertex_count = 7,
        .face_count = 2,
        .corner_count = 7,
        .positions = X[0],
        .face_begin = begin,
        .corner_vertices = corners,
    };
    LyraSurface *surface = NULL;
    LyraIntersection found[16];
    LyraIntersectionReport report;
    TEST_REQUIRE_OK(lyra_surface_create(ctx, &view, &surface));
    TEST_REQUIRE_OK(lyra_surface_intersections(surface, NULL, 16, found, &report));
    // the needle crosses; its tip touches the diagonal, by two edges on two triangles and by the
    // diagonal on the needle
    TEST_EQUAL(report.count - report.touches, 1);
    TEST_EQUAL(report.touches, 5);
    const LyraIntersection *cross = NULL;
    for (int k = 0; k < report.count; ++k) {
        cross = found[k].touch ? cross : &found[k];
    }
    TEST_REQUIRE(cross);
    TEST_EQUAL(cross->edge[0], 4);
    TEST_EQUAL(cross->edge[1], 5);
    TEST_EQUAL(cross->face, 0);
    TEST_NEAR(cross->point[0], 0.7, 1e-15);
    TEST_NEAR(cross->point[1], 0.2, 1e-15);
    TEST_NEAR(cross->point[2], 0, 1e-15);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}
