// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Point p moves with the vertices of its element by u_p = sum_a w_a u_a, where the weights w_a are
// the values of the shape functions at p in the rest shape. They sum to 1 and reproduce linear
// fields, outside of the element too, where some are negative.

#include "mesh/embed.h"

#include "mesh/tree.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

// ---- making -------------------------------------------------------------------------------------

LyraStatus ly_embedding_create_take(LyraContext *ctx, LyraEmbedding data, LyraEmbedding **out)
{
    LyraEmbedding *embedding = NULL;
    LY_TRY(ly_allocate_array(ctx, 1, sizeof *embedding, &embedding));
    *embedding = data;
    embedding->ctx = ctx;
    *out = embedding;
    return LYRA_OK;
}

LyraStatus lyra_embedding_create_from_weights(LyraContext *ctx, const LyraEmbeddingView *data,
                                              LyraEmbedding **out)
{
    if (data->point_count < 0 || data->node_count < 1 || data->vertex_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "embedding: a count is negative or there are no vertices per point");
    }
    int64_t total = (int64_t)data->point_count * data->node_count;
    for (int64_t i = 0; i < total; ++i) {
        if ((uint32_t)data->vertices[i] >= (uint32_t)data->vertex_count) {
            return ly_fail(LYRA_BAD_MESH, "embedding: point %lld has vertex %d, expected 0 to %d",
                           (long long)(i / data->node_count), data->vertices[i],
                           data->vertex_count - 1);
        }
        if (!isfinite(data->weights[i])) {
            return ly_fail(LYRA_NOT_FINITE, "embedding: a weight of point %lld is not finite",
                           (long long)(i / data->node_count));
        }
    }
    LyraStatus status = LYRA_OK;
    LyraEmbedding made = {
        .point_count = data->point_count,
        .node_count = data->node_count,
        .vertex_count = data->vertex_count,
    };
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *made.vertices, &made.vertices));
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *made.weights, &made.weights));
    if (total > 0) {
        memcpy(made.vertices, data->vertices, (size_t)total * sizeof *made.vertices);
        memcpy(made.weights, data->weights, (size_t)total * sizeof *made.weights);
    }
    LY_TRY_DONE(ly_embedding_create_take(ctx, made, out));
done:
    if (status != LYRA_OK) {
        ly_release(ctx, made.vertices);
        ly_release(ctx, made.weights);
    }
    return status;
}

static LyraStatus check_points(int32_t count, const double *points, double threshold)
{
    if (count < 0 || !(threshold >= 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "embedding: the number of points or the threshold is negative");
    }
    for (int32_t i = 0; i < count; ++i) {
        if (!ly_box_tree_accepts(points + 3 * (int64_t)i)) {
            return ly_fail(LYRA_NOT_FINITE,
                           "embedding: a coordinate of point %d is not finite or not below 1e50",
                           i);
        }
    }
    return LYRA_OK;
}

// weights of zero for points farther than the threshold from every vertex
static LyraStatus apply_threshold(const LyraMesh *mesh, int32_t count, const double *points,
                                  double threshold, LyraEmbedding *made, int32_t *zeroed)
{
    LyraContext *ctx = mesh->ctx;
    LyraStatus status = LYRA_OK;
    LyraVertexTree *tree = NULL;
    double *distances = NULL;
    LY_TRY_DONE(lyra_vertex_tree_create(ctx, mesh->vertex_count, mesh->positions, &tree));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *distances, &distances));
    lyra_vertex_tree_closest(tree, count, points, NULL, distances);
    for (int32_t i = 0; i < count; ++i) {
        if (distances[i] > threshold) {
            memset(made->weights + (int64_t)made->node_count * i, 0,
                   (size_t)made->node_count * sizeof *made->weights);
            ++*zeroed;
        }
    }
done:
    lyra_vertex_tree_destroy(tree);
    ly_release(ctx, distances);
    return status;
}

static LyraStatus make_weights(const LyraMesh *mesh, int32_t count, const double *points,
                               LyraEmbedding *made, LyraEmbeddingReport *report)
{
    LyraContext *ctx = mesh->ctx;
    LyraStatus status = LYRA_OK;
    LyraElementTree *tree = NULL;
    int32_t *elements = NULL;
    double *distances = NULL;
    LY_TRY_DONE(lyra_element_tree_create(mesh, &tree));
    if (tree->boxes.count == 0) {
        LY_TRY_DONE(ly_fail(LYRA_BAD_MESH,
                            "embedding: none of the %d elements of the mesh has volume",
                            mesh->element_count));
    }
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *elements, &elements));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *distances, &distances));
    LY_TRY_DONE(ly_element_tree_closest_sorted(tree, count, points,
                                               &(LyraClosestElements){
                                                   .elements = elements,
                                                   .distances = distances,
                                                   .weights = made->weights,
                                               }));
    for (int32_t i = 0; i < count; ++i) {
        memcpy(made->vertices + (int64_t)made->node_count * i,
               mesh->elements + (int64_t)made->node_count * elements[i],
               (size_t)made->node_count * sizeof *made->vertices);
        report->outside += distances[i] > 0;
        report->distance = fmax(report->distance, distances[i]);
    }
done:
    lyra_element_tree_destroy(tree);
    ly_release(ctx, elements);
    ly_release(ctx, distances);
    return status;
}

LyraStatus lyra_embedding_create(const LyraMesh *mesh, int32_t count, const double *points,
                                 double threshold, LyraEmbedding **out, LyraEmbeddingReport *report)
{
    LY_TRY(check_points(count, points, threshold));
    LyraContext *ctx = mesh->ctx;
    LyraStatus status = LYRA_OK;
    LyraEmbeddingReport found = {0};
    LyraEmbedding made = {
        .point_count = count,
        .node_count = lyra_element_kind_nodes(mesh->kind),
        .vertex_count = mesh->vertex_count,
    };
    int64_t total = (int64_t)count * made.node_count;
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *made.vertices, &made.vertices));
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *made.weights, &made.weights));
    LY_TRY_DONE(make_weights(mesh, count, points, &made, &found));
    if (threshold > 0) {
        LY_TRY_DONE(apply_threshold(mesh, count, points, threshold, &made, &found.zeroed));
    }
    LY_TRY_DONE(ly_embedding_create_take(ctx, made, out));
    if (report) {
        *report = found;
    }
done:
    if (status != LYRA_OK) {
        ly_release(ctx, made.vertices);
        ly_release(ctx, made.weights);
    }
    return status;
}

void lyra_embedding_destroy(LyraEmbedding *embedding)
{
    if (!embedding) {
        return;
    }
    LyraContext *ctx = embedding->ctx;
    ly_release(ctx, embedding->vertices);
    ly_release(ctx, embedding->weights);
    ly_tube_destroy(embedding->tube);
    ly_release(ctx, embedding);
}

LyraEmbeddingView lyra_embedding_view(const LyraEmbedding *embedding)
{
    return (LyraEmbeddingView){
        .point_count = embedding->point_count,
        .node_count = embedding->node_count,
        .vertex_count = embedding->vertex_count,
        .vertices = embedding->vertices,
        .weights = embedding->weights,
    };
}

// ---- interpolation ------------------------------------------------------------------------------

typedef struct Interpolation {
    const LyraEmbedding *embedding;
    const double *u;    // [vertex_count][3]
    const double *rest; // [point_count][3], NULL for none
    double *out;        // [point_count][3]
    int32_t pieces;
} Interpolation;

// One loop for all sizes; with `nodes` and `rest` known at the call it is unrolled. Weights and ids
// stream through once; the vertices come from caches if the points have some order.
__attribute__((always_inline)) static inline void
interpolate_range(const LyraEmbedding *embedding, int32_t nodes, const double *restrict u,
                  const double *rest, double *out, int64_t begin, int64_t end)
{
    const int32_t *restrict vertices = embedding->vertices;
    const double *restrict weights = embedding->weights;
    for (int64_t p = begin; p < end; ++p) {
        double x = 0, y = 0, z = 0;
        for (int32_t a = 0; a < nodes; ++a) {
            const double *vertex = u + 3 * (int64_t)vertices[nodes * p + a];
            double w = weights[nodes * p + a];
            x += w * vertex[0];
            y += w * vertex[1];
            z += w * vertex[2];
        }
        if (rest) {
            x += rest[3 * p];
            y += rest[3 * p + 1];
            z += rest[3 * p + 2];
        }
        out[3 * p] = x;
        out[3 * p + 1] = y;
        out[3 * p + 2] = z;
    }
}

static void interpolate_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const Interpolation *job = data;
    const LyraEmbedding *embedding = job->embedding;
    int64_t begin = ly_piece_begin(embedding->point_count, job->pieces, index);
    int64_t end = ly_piece_begin(embedding->point_count, job->pieces, index + 1);
    switch (embedding->node_count) {
    case 4:
        interpolate_range(embedding, 4, job->u, job->rest, job->out, begin, end);
        break;
    case 8:
        interpolate_range(embedding, 8, job->u, job->rest, job->out, begin, end);
        break;
    case 10:
        interpolate_range(embedding, 10, job->u, job->rest, job->out, begin, end);
        break;
    default:
        interpolate_range(embedding, embedding->node_count, job->u, job->rest, job->out, begin,
                          end);
    }
}

static void interpolate(const LyraEmbedding *embedding, const double *u, const double *rest,
                        double *out)
{
    Interpolation job = {
        .embedding = embedding,
        .u = u,
        .rest = rest,
        .out = out,
        .pieces = ly_piece_count(embedding->point_count, GRAIN),
    };
    ly_parallel_for(embedding->ctx, job.pieces, interpolate_piece, &job);
}

void lyra_embedding_interpolate(const LyraEmbedding *embedding, const double *vertices,
                                double *points)
{
    interpolate(embedding, vertices, NULL, points);
}

void lyra_embedding_move(const LyraEmbedding *embedding, const double *displacements,
                         const double *rest, double *out)
{
    LYRA_ASSERT(rest);
    if (embedding->tube) {
        ly_tube_move(embedding->tube, displacements, out);
        return;
    }
    interpolate(embedding, displacements, rest, out);
}

LyraStatus lyra_embedding_create_tube(LyraContext *ctx, const LyraLinesView *lines, int32_t sides,
                                      LyraSurface **surface, LyraEmbedding **out)
{
    LYRA_ASSERT(ctx && lines && surface && out);
    LyTube *tube = NULL;
    LyraSurface *made = NULL;
    LyraEmbedding data = {.node_count = 1, .vertex_count = lines->vertex_count}, *embedding = NULL;
    LyraStatus status = LYRA_OK;
    if (!lines->radii || lines->edge_count < 1 || sides < 3 || sides > 1000) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "tube: %d edges %s radii and %d sides, expected some with radii and 3 to "
                       "1000 sides",
                       (int)lines->edge_count, lines->radii ? "with" : "without", (int)sides);
    }
    LY_TRY_DONE(ly_tube_create(ctx, lines, sides, &tube));
    LY_TRY_DONE(ly_tube_surface(tube, &made));
    data.point_count = ly_tube_point_count(tube);
    LY_TRY_DONE(ly_allocate_array(ctx, data.point_count, sizeof *data.vertices, &data.vertices));
    LY_TRY_DONE(ly_allocate_array(ctx, data.point_count, sizeof *data.weights, &data.weights));
    for (int32_t p = 0; p < data.point_count; ++p) {
        data.vertices[p] = ly_tube_vertex(tube, p);
        data.weights[p] = 1;
    }
    LY_TRY_DONE(ly_embedding_create_take(ctx, data, &embedding));
    embedding->tube = tube;
    *surface = made;
    *out = embedding;
    return LYRA_OK;
done:
    ly_release(ctx, data.vertices);
    ly_release(ctx, data.weights);
    lyra_surface_destroy(made);
    ly_tube_destroy(tube);
    return status;
}
