// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Embeddings: weights, interpolation and `.interp` files.

#include "lyra/embed.h"
#include "lyra_test.h"
#include "mesh/embed.h"
#include "mesh_shapes.h"

#include <string.h>

enum { POINTS = 2000 };

static void random_points(double low, double high, double *points)
{
    TestRandom random = test_random(21);
    for (int32_t i = 0; i < 3 * POINTS; ++i) {
        points[i] = test_random_in(&random, low, high);
    }
}

// a linear field and its gradient
static void linear_field(const double x[3], double u[3])
{
    u[0] = 0.5 + 2 * x[0] - 3 * x[1] + x[2];
    u[1] = -1 + x[0] + 0.25 * x[2];
    u[2] = 4 * x[1] - 7 * x[2];
}

static void check_precision(LyraElementKind kind, double offset)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraMesh *mesh = shapes_box(ctx, kind, 5, offset, 0.2, false);
    LyraMeshView view = lyra_mesh_view(mesh);
    double *points = malloc(sizeof *points * 3 * POINTS),
           *moved = malloc(sizeof *moved * 3 * POINTS);
    double *u = malloc(sizeof *u * 3 * (size_t)view.vertex_count);
    random_points(offset - 0.3, offset + 1.3, points);
    LyraEmbedding *embedding = NULL;
    LyraEmbeddingReport report = {0};
    TEST_OK(lyra_embedding_create(mesh, POINTS, points, 0, &embedding, &report));
    LyraEmbeddingView weights = lyra_embedding_view(embedding);
    TEST_EQUAL(weights.node_count, kind == LYRA_ELEMENT_TET4 ? 4 : 8);
    TEST_EQUAL(weights.vertex_count, view.vertex_count);
    int32_t outside = 0;
    double farthest = 0;
    for (int32_t p = 0; p < POINTS; ++p) {
        double sum = 0, out2 = 0;
        for (int32_t a = 0; a < weights.node_count; ++a) {
            sum += weights.weights[weights.node_count * p + a];
        }
        TEST_NEAR(sum, 1, 1e-13);
        for (int32_t i = 0; i < 3; ++i) {
            double x = points[3 * p + i] - offset, d = fmax(0, fmax(-x, x - 1));
            out2 += d * d;
        }
        outside += out2 > 0;
        farthest = fmax(farthest, sqrt(out2));
    }
    TEST_EQUAL(report.outside, outside);
    TEST_NEAR(report.distance, farthest, 1e-13 * (1 + offset));
    TEST_EQUAL(report.zeroed, 0);
    // positions and any linear field come back, inside and outside
    lyra_embedding_interpolate(embedding, view.positions, moved);
    for (int32_t i = 0; i < 3 * POINTS; ++i) {
        TEST_NEAR(moved[i], points[i], 1e-13 * (1 + offset));
    }
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        linear_field(view.positions + 3 * v, u + 3 * v);
    }
    lyra_embedding_interpolate(embedding, u, moved);
    for (int32_t p = 0; p < POINTS; ++p) {
        double expected[3];
        linear_field(points + 3 * p, expected);
        for (int32_t i = 0; i < 3; ++i) {
            TEST_NEAR(moved[3 * p + i], expected[i], 2e-12 * (1 + offset));
        }
    }
    // moving adds to the rest shape, in place too
    lyra_embedding_move(embedding, u, points, points);
    for (int32_t i = 0; i < 3 * POINTS; ++i) {
        points[i] -= moved[i];
    }
    lyra_embedding_interpolate(embedding, view.positions, moved);
    for (int32_t i = 0; i < 3 * POINTS; ++i) {
        TEST_NEAR(moved[i], points[i], 1e-12 * (1 + offset));
    }
    lyra_embedding_destroy(embedding);
    lyra_mesh_destroy(mesh);
    free(points);
    free(moved);
    free(u);
    test_context_end(ctx);
}

LYRA_TEST(tet_weights_reproduce_linear_fields)
{
    check_precision(LYRA_ELEMENT_TET4, 0);
    check_precision(LYRA_ELEMENT_TET4, 100);
}

LYRA_TEST(cube_weights_reproduce_linear_fields)
{
    check_precision(LYRA_ELEMENT_CUBE8, 0);
    check_precision(LYRA_ELEMENT_CUBE8, 100);
}

LYRA_TEST(slivers_reproduce_positions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(2);
    const int32_t element[] = {0, 1, 2, 3};
    for (double height = 1; height > 1e-7; height *= 0.7) {
        // three vertices in a plane, the fourth just above it, turned at random
        double flat[12], positions[12], p[3] = {0}, x[3], R[9];
        for (int32_t i = 0; i < 12; ++i) {
            flat[i] = test_random_in(&random, -1, 1);
        }
        flat[2] = flat[5] = flat[8] = 0;
        flat[11] = height;
        test_random_rotation(&random, R);
        for (int32_t i = 0; i < 12; ++i) {
            const double *r = R + 3 * (i % 3), *from = flat + i - i % 3;
            positions[i] = r[0] * from[0] + r[1] * from[1] + r[2] * from[2];
            p[i % 3] += 0.25 * positions[i];
        }
        LyraMesh *mesh = NULL;
        LyraEmbedding *embedding = NULL;
        LyraEmbeddingReport report;
        LyraMeshView data = {
            .vertex_count = 4, .element_count = 1, .positions = positions, .elements = element};
        TEST_OK(lyra_mesh_create(ctx, &data, &mesh));
        TEST_OK(lyra_embedding_create(mesh, 1, p, 0, &embedding, &report));
        TEST_EQUAL(report.outside, 0);
        lyra_embedding_interpolate(embedding, positions, x);
        for (int32_t i = 0; i < 3; ++i) {
            TEST_NEAR(x[i], p[i], 1e-15);
        }
        lyra_embedding_destroy(embedding);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(threshold_zeroes_points_far_from_all_vertices)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = shapes_box(ctx, LYRA_ELEMENT_CUBE8, 2, 0, 0, false);
    LyraMeshView view = lyra_mesh_view(mesh);
    const double threshold = 0.3;
    double *points = malloc(sizeof *points * 3 * POINTS);
    random_points(-0.5, 1.5, points);
    LyraEmbedding *embedding = NULL;
    LyraEmbeddingReport report;
    TEST_OK(lyra_embedding_create(mesh, POINTS, points, threshold, &embedding, &report));
    LyraEmbeddingView weights = lyra_embedding_view(embedding);
    int32_t zeroed = 0;
    for (int32_t p = 0; p < POINTS; ++p) {
        double least = INFINITY, size = 0;
        for (int32_t v = 0; v < view.vertex_count; ++v) {
            double d2 = 0;
            for (int32_t i = 0; i < 3; ++i) {
                double d = points[3 * p + i] - view.positions[3 * v + i];
                d2 += d * d;
            }
            least = fmin(least, sqrt(d2));
        }
        for (int32_t a = 0; a < 8; ++a) {
            size += fabs(weights.weights[8 * p + a]);
        }
        TEST_CHECK((size == 0) == (least > threshold));
        zeroed += least > threshold;
    }
    TEST_EQUAL(report.zeroed, zeroed);
    TEST_CHECK(zeroed > 100 && zeroed < POINTS - 100);
    // such points stay where they are
    double *u = malloc(sizeof *u * 3 * (size_t)view.vertex_count);
    double *moved = malloc(sizeof *moved * 3 * POINTS);
    for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
        u[i] = 1;
    }
    lyra_embedding_move(embedding, u, points, moved);
    for (int32_t i = 0; i < 3 * POINTS; ++i) {
        double step = moved[i] - points[i];
        TEST_CHECK(fabs(step) < 1e-12 || fabs(step - 1) < 1e-12);
    }
    lyra_embedding_destroy(embedding);
    lyra_mesh_destroy(mesh);
    free(u);
    free(moved);
    free(points);
    test_context_end(ctx);
}

LYRA_TEST(embeddings_refuse_bad_input)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = shapes_box(ctx, LYRA_ELEMENT_TET4, 1, 0, 0, false), *none = NULL;
    LyraEmbedding *embedding = NULL;
    double point[3] = {0, 0, NAN};
    TEST_STATUS(lyra_embedding_create(mesh, 1, point, 0, &embedding, NULL), LYRA_NOT_FINITE);
    point[2] = 0;
    TEST_STATUS(lyra_embedding_create(mesh, -1, point, 0, &embedding, NULL), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_embedding_create(mesh, 1, point, -1, &embedding, NULL), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_embedding_create(mesh, 1, point, NAN, &embedding, NULL),
                LYRA_INVALID_ARGUMENT);
    LyraMeshView empty = {0};
    TEST_OK(lyra_mesh_create(ctx, &empty, &none));
    TEST_STATUS(lyra_embedding_create(none, 1, point, 0, &embedding, NULL), LYRA_BAD_MESH);
    lyra_mesh_destroy(none);
    LyraEmbeddingView data = {.point_count = 1,
                              .node_count = 2,
                              .vertex_count = 3,
                              .vertices = (int32_t[]){0, 3},
                              .weights = (double[]){0.5, 0.5}};
    TEST_STATUS(lyra_embedding_create_from_weights(ctx, &data, &embedding), LYRA_BAD_MESH);
    data.vertices = (int32_t[]){0, -1};
    TEST_STATUS(lyra_embedding_create_from_weights(ctx, &data, &embedding), LYRA_BAD_MESH);
    data.vertices = (int32_t[]){0, 2};
    data.weights = (double[]){0.5, INFINITY};
    TEST_STATUS(lyra_embedding_create_from_weights(ctx, &data, &embedding), LYRA_NOT_FINITE);
    data.node_count = 0;
    TEST_STATUS(lyra_embedding_create_from_weights(ctx, &data, &embedding), LYRA_INVALID_ARGUMENT);
    TEST_CHECK(embedding == NULL);
    // no points are fine
    TEST_OK(lyra_embedding_create(mesh, 0, NULL, 1, &embedding, NULL));
    lyra_embedding_interpolate(embedding, NULL, NULL);
    lyra_embedding_destroy(embedding);
    lyra_embedding_destroy(NULL);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(any_number_of_vertices_interpolates)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(4);
    for (int32_t nodes = 1; nodes < 12; ++nodes) {
        int32_t vertices[11 * 20];
        double weights[11 * 20], u[3 * 30], moved[3 * 20];
        for (int32_t i = 0; i < 20 * nodes; ++i) {
            vertices[i] = test_random_below(&random, 30);
            weights[i] = test_random_in(&random, -1, 1);
        }
        for (int32_t i = 0; i < 90; ++i) {
            u[i] = test_random_in(&random, -1, 1);
        }
        LyraEmbedding *embedding = NULL;
        LyraEmbeddingView data = {20, nodes, 30, vertices, weights};
        TEST_OK(lyra_embedding_create_from_weights(ctx, &data, &embedding));
        lyra_embedding_interpolate(embedding, u, moved);
        for (int32_t p = 0; p < 20; ++p) {
            for (int32_t i = 0; i < 3; ++i) {
                double sum = 0;
                for (int32_t a = 0; a < nodes; ++a) {
                    sum += weights[nodes * p + a] * u[3 * vertices[nodes * p + a] + i];
                }
                TEST_NEAR(moved[3 * p + i], sum, 1e-14);
            }
        }
        lyra_embedding_destroy(embedding);
    }
    test_context_end(ctx);
}

static void embed_and_move(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    enum { MANY = 20000 };
    LyraMesh *mesh = shapes_box(ctx, LYRA_ELEMENT_TET4, 6, 0, 0.2, false);
    LyraMeshView view = lyra_mesh_view(mesh);
    double *points = malloc(sizeof *points * 3 * MANY);
    TestRandom random = test_random(6);
    for (int32_t i = 0; i < 3 * MANY; ++i) {
        points[i] = test_random_in(&random, -0.1, 1.1);
    }
    LyraEmbedding *embedding = NULL;
    TEST_OK(lyra_embedding_create(mesh, MANY, points, 0.1, &embedding, NULL));
    int64_t before = test_allocation_count();
    lyra_embedding_move(embedding, view.positions, points, out);
    TEST_EQUAL(test_allocation_count(), before);
    lyra_embedding_destroy(embedding);
    lyra_mesh_destroy(mesh);
    free(points);
}

LYRA_TEST(embedding_gives_the_same_bits_and_moving_allocates_nothing)
{
    test_same_bits(embed_and_move, NULL, sizeof(double) * 60000);
}

// ---- files --------------------------------------------------------------------------------------

static bool same_embedding(const LyraEmbedding *a, const LyraEmbedding *b)
{
    LyraEmbeddingView x = lyra_embedding_view(a), y = lyra_embedding_view(b);
    size_t count = (size_t)x.point_count * (size_t)x.node_count;
    return x.point_count == y.point_count && x.node_count == y.node_count &&
           x.vertex_count == y.vertex_count &&
           memcmp(x.vertices, y.vertices, count * sizeof *x.vertices) == 0 &&
           memcmp(x.weights, y.weights, count * sizeof *x.weights) == 0;
}

LYRA_TEST(interp_files_come_back_to_the_bit)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const char *path = test_temp_path("box.interp");
    for (int32_t kind = 0; kind < 2; ++kind) {
        LyraMesh *mesh = shapes_box(ctx, (LyraElementKind)kind, 3, 0, 0.2, false);
        double *points = malloc(sizeof *points * 3 * POINTS);
        random_points(-0.3, 1.3, points);
        LyraEmbedding *embedding = NULL, *back = NULL;
        TEST_OK(lyra_embedding_create(mesh, POINTS, points, 0.4, &embedding, NULL));
        TEST_OK(lyra_embedding_save(embedding, path));
        TEST_OK(lyra_embedding_load(ctx, path, lyra_mesh_view(mesh).vertex_count, &back));
        TEST_CHECK(back && same_embedding(embedding, back));
        lyra_embedding_destroy(embedding);
        lyra_embedding_destroy(back);
        lyra_mesh_destroy(mesh);
        free(points);
    }
    LyraEmbedding *embedding = NULL;
    TEST_STATUS(lyra_embedding_load(ctx, test_temp_path("missing.interp"), 4, &embedding),
                LYRA_IO_FAILED);
    test_context_end(ctx);
}

static LyraStatus parse(LyraContext *ctx, const char *text, size_t length, int32_t vertices)
{
    // a copy of exactly that size, so that reading past it shows
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    LyraEmbedding *embedding = NULL;
    LyraStatus status = ly_interp_parse(ctx, "a.interp", copy, length, vertices, &embedding);
    if (status == LYRA_OK) {
        LyraEmbeddingView view = lyra_embedding_view(embedding);
        for (int32_t i = 0; i < view.point_count * view.node_count; ++i) {
            TEST_CHECK(view.vertices[i] >= 0 && view.vertices[i] < vertices);
            TEST_CHECK(isfinite(view.weights[i]));
        }
    } else {
        TEST_CHECK(embedding == NULL);
        TEST_CHECK(status == LYRA_BAD_FORMAT || status == LYRA_NOT_FINITE);
        TEST_CONTAINS(lyra_error_message(), "a.interp:");
    }
    lyra_embedding_destroy(embedding);
    free(copy);
    return status;
}

static const char sample[] = "# points of a tet\n"
                             "0 0 0.25 1 0.25 2 .25 3 0.25\n"
                             "\n"
                             "1 3 1e0 2 -0.5 1 0.5 0 0\r\n"
                             "2\t0 1 0 0 0 0 0 0";

LYRA_TEST(interp_rules)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraEmbedding *embedding = NULL;
    TEST_OK(ly_interp_parse(ctx, "a", sample, strlen(sample), 4, &embedding));
    LyraEmbeddingView view = lyra_embedding_view(embedding);
    TEST_EQUAL(view.point_count, 3);
    TEST_EQUAL(view.node_count, 4);
    TEST_EQUAL(view.vertices[4], 3);
    TEST_CHECK(view.weights[5] == -0.5 && view.weights[8] == 1);
    lyra_embedding_destroy(embedding);
    TEST_OK(parse(ctx, "", 0, 4));
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"1 0 1\n", "a.interp:1: "},
        {"0 0 1\n2 0 1\n", "a.interp:2: "},
        {"0 0 1 1 0\n1 0 1\n", "a.interp:2: "},
        {"0 0 1\n1 0 1 1 0\n", "a.interp:2: "},
        {"0 4 1\n", "a.interp:1: found \"4\""},
        {"0 -1 1\n", "a.interp:1: found \"-1\""},
        {"0 99999999999999999999 1\n", "a.interp:1: "},
        {"0 0 nan\n", "a.interp:1: "},
        {"0 0 1e999\n", "a.interp:1: "},
        {"0 0 x\n", "a.interp:1: found \"x\""},
        {"0\n", "a.interp:1: found 1 numbers"},
        {"0 1\n", "a.interp:1: found 2 numbers"},
    };
    for (int32_t i = 0; i < (int32_t)(sizeof bad / sizeof bad[0]); ++i) {
        TEST_CHECK(parse(ctx, bad[i].text, strlen(bad[i].text), 4) != LYRA_OK);
        TEST_CONTAINS(lyra_error_message(), bad[i].message);
    }
    test_context_end(ctx);
}

LYRA_TEST(interp_truncated_and_flipped)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    size_t length = strlen(sample);
    char text[sizeof sample];
    for (size_t cut = 0; cut <= length; ++cut) {
        (void)parse(ctx, sample, cut, 4);
    }
    for (size_t at = 0; at < length; ++at) {
        memcpy(text, sample, sizeof text);
        for (int32_t byte = 0; byte < 256; ++byte) {
            text[at] = (char)byte;
            (void)parse(ctx, text, length, 4);
        }
    }
    test_context_end(ctx);
}

static LyraStatus embed_save_load(LyraContext *ctx, void *data)
{
    LyraMesh *mesh = NULL;
    LyraEmbedding *embedding = NULL, *back = NULL;
    LyraMeshView *view = data;
    const char *path = test_temp_path("fail.interp");
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    if (status == LYRA_OK) {
        status =
            lyra_embedding_create(mesh, view->vertex_count, view->positions, 1, &embedding, NULL);
    }
    if (status == LYRA_OK) {
        status = lyra_embedding_save(embedding, path);
    }
    if (status == LYRA_OK) {
        status = lyra_embedding_load(ctx, path, view->vertex_count, &back);
    }
    if (status == LYRA_OK) {
        lyra_embedding_destroy(back);
        back = NULL;
        LyraEmbeddingView weights = lyra_embedding_view(embedding);
        status = lyra_embedding_create_from_weights(ctx, &weights, &back);
    }
    lyra_embedding_destroy(embedding);
    lyra_embedding_destroy(back);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(embedding_survives_failing_allocations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = shapes_box(ctx, LYRA_ELEMENT_TET4, 2, 0, 0, false);
    LyraMeshView view = lyra_mesh_view(mesh);
    view.material_count = 0;
    test_fail_each_allocation(embed_save_load, &view);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}
