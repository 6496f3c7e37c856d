// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Laplacian damping: L = c sum over neighbours of w_ij (e_i - e_j)(e_i - e_j)^T on each axis, with
// w_ij = (1/n_i + 1/n_j)/2 and n_i the number of neighbours of vertex i. Rows sum to zero, so that
// a body in uniform motion is not braked, and L is symmetric and positive semi-definite. (Vega
// takes 1 - A_ij / n_i, which is not symmetric; this is its symmetric part, with zero row sums.)
// Neighbours are vertices that share an edge of an element or a triangle, or a spring.

#include "lyra/mesh_ops.h"
#include "world/sheet.h"
#include "world/start.h"

// pairs of neighbours of the model, [*count][2], to ly_release()
static LyraStatus gather_pairs(const LyraWorld *world, int32_t *count, int32_t **pairs)
{
    LyraMeshEdges *edges = NULL;
    int32_t *sides = NULL;
    int64_t total = 0;
    LyraStatus status = LYRA_OK;
    *pairs = NULL;
    for (int32_t b = 0; b < world->body_count; ++b) {
        const LyraBodyView *body = &world->views[b];
        int32_t found = 0;
        const int32_t *from = NULL;
        if (world->bodies[b].springs) {
            LyraSpringsView view = lyra_springs_view(world->bodies[b].springs);
            found = view.spring_count;
            from = view.vertices;
        } else if (body->sheet) {
            LyraSurfaceView view = lyra_surface_view(body->sheet);
            LY_TRY_DONE(
                ly_resize_array(world->ctx, 2 * (int64_t)view.corner_count, sizeof *sides, &sides));
            LY_TRY_DONE(ly_sheet_edges(world->ctx, &view, &found, sides));
            from = sides;
        } else if (body->mesh) {
            LY_TRY_DONE(lyra_mesh_edges_create(body->mesh, &edges));
            LyraMeshEdgesView view = lyra_mesh_edges_view(edges);
            found = view.edge_count;
            from = view.vertices;
        }
        LY_TRY_DONE(total + found > INT32_MAX / 2
                        ? ly_fail(LYRA_TOO_LARGE, "more than %d edges in all bodies", INT32_MAX / 2)
                        : LYRA_OK);
        LY_TRY_DONE(
            ly_resize_array(world->ctx, 2 * (total + found), sizeof **pairs, (void *)pairs));
        for (int64_t p = 0; p < 2 * (int64_t)found; ++p) {
            (*pairs)[2 * total + p] = from[p] + body->first_vertex;
        }
        total += found;
        lyra_mesh_edges_destroy(edges);
        edges = NULL;
    }
    *count = (int32_t)total;
done:
    ly_release(world->ctx, sides);
    lyra_mesh_edges_destroy(edges);
    return status;
}

static LyraStatus fill(const LyraWorld *world, int32_t count, const int32_t *pairs,
                       LyraBlockMatrix *matrix)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int32_t *neighbours = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(
        ly_allocate_zeroed(world->ctx, world->vertex_count, sizeof *neighbours, &neighbours));
    for (int64_t p = 0; p < 2 * (int64_t)count; ++p) {
        ++neighbours[pairs[p]];
    }
    for (int64_t p = 0; p < count; ++p) {
        int32_t i = pairs[2 * p], j = pairs[2 * p + 1];
        double w =
            0.5 * world->spec.damping.laplacian * (1.0 / neighbours[i] + 1.0 / neighbours[j]);
        LY_TRY_DONE(lyra_block_matrix_add_block(matrix, i, i, w, identity));
        LY_TRY_DONE(lyra_block_matrix_add_block(matrix, j, j, w, identity));
        LY_TRY_DONE(
            lyra_block_matrix_add_block(matrix, i < j ? i : j, i < j ? j : i, -w, identity));
    }
done:
    ly_release(world->ctx, neighbours);
    return status;
}

LyraStatus ly_world_make_laplacian(LyraWorld *world)
{
    if (world->spec.damping.laplacian == 0 || world->damping) {
        return LYRA_OK;
    }
    int32_t count = 0, *pairs = NULL;
    LyraBlockPattern *pattern = NULL;
    LyraBlockMatrix *matrix = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(gather_pairs(world, &count, &pairs));
    const LyraStencils stencils = {.nodes = 2, .count = count, .ids = pairs};
    LY_TRY_DONE(lyra_block_pattern_create(world->ctx, world->vertex_count, LYRA_STORAGE_UPPER, 1,
                                          &stencils, &pattern));
    LY_TRY_DONE(lyra_block_matrix_create(pattern, &matrix));
    LY_TRY_DONE(fill(world, count, pairs, matrix));
    world->damping_pattern = pattern;
    world->damping = matrix;
    pattern = NULL;
    matrix = NULL;
done:
    lyra_block_matrix_destroy(matrix);
    lyra_block_pattern_destroy(pattern);
    ly_release(world->ctx, pairs);
    return status;
}
