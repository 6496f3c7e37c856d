// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What starts, holds, brakes and pulls the body of a Vega scene: fixed vertices, the first state,
// Laplacian damping, loads from a file.

#include "scene/vega_scene.h"

#include "integrate/integrate.h"
#include "lyra/matrix_file.h"

#include <stdio.h>
#include <string.h>

// ---- fixed vertices -----------------------------------------------------------------------------

static LyraStatus fix(LyVega *vega, int32_t count, const int32_t *vertices)
{
    LyraSelector select = lyra_selector_default();
    select.vertices = vertices;
    select.vertex_count = count;
    return count > 0 ? lyra_world_fix(vega->world, NULL, &select) : LYRA_OK;
}

LyraStatus ly_vega_fix_vertices(LyVega *vega)
{
    LyraContext *ctx = vega->ctx;
    if (vega->chain) {
        return fix(vega, 1, &(int32_t){vega->vertex_count - 1});
    }
    char *path = NULL;
    int32_t count = 0, *list = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_config_path(&vega->config, LY_VEGA_FIXED_VERTICES, &path));
    if (path) {
        LY_TRY_DONE(
            ly_config_at(&vega->config, LY_VEGA_FIXED_VERTICES,
                         lyra_vertex_list_load(ctx, path, 1, vega->vertex_count, &count, &list)));
        LY_TRY_DONE(ly_vega_digest_file(vega, path));
        LY_TRY_DONE(fix(vega, count, list));
    }
done:
    lyra_vertex_list_destroy(ctx, list);
    ly_release(ctx, path);
    return status;
}

// ---- Laplacian damping --------------------------------------------------------------------------

// Vega takes L = coefficient (1 - A_ij / n_i) over the graph of the mesh, n_i the number of
// neighbours of vertex i. Its rows sum to zero, so that a body in uniform motion is not braked, but
// it is not symmetric, which neither its solvers nor energy allow. We take the Laplacian with the
// weights of its symmetric part, w_ij = (1/n_i + 1/n_j)/2: the same where all vertices have as many
// neighbours, and always positive semi-definite.
static LyraStatus fill_laplacian(const LyVega *vega, int32_t count, const int32_t *pairs,
                                 LyraBlockMatrix *matrix)
{
    int32_t *neighbours = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(vega->ctx, vega->vertex_count, sizeof *neighbours, &neighbours));
    double coefficient = ly_config_number(&vega->config, LY_VEGA_DAMPING_LAPLACIAN);
    for (int64_t p = 0; p < 2 * (int64_t)count; ++p) {
        ++neighbours[pairs[p]];
    }
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int64_t p = 0; p < count; ++p) {
        int32_t i = pairs[2 * p], j = pairs[2 * p + 1];
        double w = 0.5 * coefficient * (1.0 / neighbours[i] + 1.0 / neighbours[j]);
        LY_TRY_DONE(lyra_block_matrix_add_block(matrix, i, i, w, identity));
        LY_TRY_DONE(lyra_block_matrix_add_block(matrix, j, j, w, identity));
        LY_TRY_DONE(lyra_block_matrix_add_block(matrix, i, j, -w, identity));
    }
done:
    ly_release(vega->ctx, neighbours);
    return status;
}

LyraStatus ly_vega_make_laplacian(const LyVega *vega)
{
    LyraBlockPattern **pattern = &vega->world->damping_pattern;
    LyraBlockMatrix **damping = &vega->world->damping;
    // central differences leave it out
    if (ly_config_number(&vega->config, LY_VEGA_DAMPING_LAPLACIAN) == 0 ||
        vega->solver == LY_VEGA_CENTRAL_DIFFERENCES) {
        return LYRA_OK;
    }
    LyraMeshEdges *edges = NULL;
    int32_t count = 0;
    const int32_t *pairs = NULL;
    LyraStatus status = LYRA_OK;
    if (vega->springs) {
        LyraSpringsView view = lyra_springs_view(vega->springs);
        count = view.spring_count;
        pairs = view.vertices;
    } else {
        LY_TRY_DONE(lyra_mesh_edges_create(vega->view.mesh, &edges));
        LyraMeshEdgesView view = lyra_mesh_edges_view(edges);
        count = view.edge_count;
        pairs = view.vertices;
    }
    const LyraStencils stencils = {.nodes = 2, .count = count, .ids = pairs};
    LY_TRY_DONE(lyra_block_pattern_create(vega->ctx, vega->vertex_count, LYRA_STORAGE_UPPER, 1,
                                          &stencils, pattern));
    LY_TRY_DONE(lyra_block_matrix_create(*pattern, damping));
    LY_TRY_DONE(fill_laplacian(vega, count, pairs, *damping));
done:
    lyra_mesh_edges_destroy(edges);
    return status;
}

// ---- matrices -----------------------------------------------------------------------------------

// matrix of a key with a row for each unknown; `columns` 0: any number. NULL if the key is absent.
static LyraStatus load_matrix(LyVega *vega, int32_t key, int32_t columns, LyraDense **out)
{
    LyraContext *ctx = vega->ctx;
    LyraDense *matrix = NULL;
    char *path = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_config_path(&vega->config, key, &path));
    if (!path) {
        return LYRA_OK;
    }
    LY_TRY_DONE(lyra_dense_load_vega(ctx, path, &matrix));
    LyraDenseView view = lyra_dense_view(matrix);
    int64_t rows = 3 * (int64_t)vega->vertex_count;
    if (view.rows != rows || (columns && view.columns != columns)) {
        char wanted[32] = "any number of";
        if (columns) {
            snprintf(wanted, sizeof wanted, "%d", columns);
        }
        status = ly_fail(
            LYRA_BAD_FORMAT, "%s: found %d rows and %d columns, expected %lld rows and %s column%s",
            path, view.rows, view.columns, (long long)rows, wanted, columns == 1 ? "" : "s");
        goto done;
    }
    for (int64_t i = 0; i < rows * view.columns; ++i) {
        if (!isfinite(view.values[i])) {
            status = ly_fail(LYRA_NOT_FINITE, "%s: entry %lld of column %lld is not finite", path,
                             (long long)(i % rows + 1), (long long)(i / rows + 1));
            goto done;
        }
    }
    LY_TRY_DONE(ly_vega_digest_file(vega, path));
    *out = matrix;
    matrix = NULL;
done:
    lyra_dense_destroy(matrix);
    ly_release(ctx, path);
    return ly_config_at(&vega->config, key, status);
}

// ---- first state --------------------------------------------------------------------------------

// Newmark started with a velocity takes the acceleration of the body without loads; started without
// one it takes none, which is what the integrator does by itself.
static LyraStatus start_acceleration(LyVega *vega)
{
    LyraWorld *world = vega->world;
    LyraStateView state = lyra_state_view(world->state);
    LyraVector *g = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_vector_create(vega->ctx, 3 * vega->vertex_count, &g));
    LyraPoint at = {.u = state.u, .v = state.v};
    LyraResponse response = {.g = g};
    LY_TRY_DONE(lyra_system_update_damping(world->system, &at));
    LY_TRY_DONE(lyra_system_evaluate(world->system, &at, &response));
    lyra_vector_axpby(-1, g, 0, g);
    LY_TRY_DONE(lyra_system_solve_mass(world->system, g, state.a));
    LY_TRY_DONE(ly_keep_acceleration(world->state, 0));
done:
    lyra_vector_destroy(g);
    return status;
}

LyraStatus ly_vega_start_state(LyVega *vega)
{
    LyraWorld *world = vega->world;
    LyraStateView state = lyra_state_view(world->state);
    LyraDense *position = NULL, *velocity = NULL;
    LyraStatus status = LYRA_OK;
    double *u = lyra_vector_values_mutable(state.u), *v = lyra_vector_values_mutable(state.v);
    size_t size = 3 * (size_t)vega->vertex_count;
    LY_TRY_DONE(load_matrix(vega, LY_VEGA_INITIAL_POSITION, 1, &position));
    LY_TRY_DONE(load_matrix(vega, LY_VEGA_INITIAL_VELOCITY, 1, &velocity));
    if (position) {
        memcpy(u, lyra_dense_view(position).values, size * sizeof *u);
    } else if (vega->chain) {
        for (size_t i = 0; i < size / 3; ++i) {
            u[3 * i] = u[3 * i + 1] = 1 - vega->positions[3 * i + 1];
        }
    }
    if (velocity) {
        // Vega's central differences start from u_-1 = u_0 - timestep v_0 and then go on in
        // substeps
        double factor = vega->solver == LY_VEGA_CENTRAL_DIFFERENCES ? world->substeps : 1;
        const double *values = lyra_dense_view(velocity).values;
        for (size_t i = 0; i < size; ++i) {
            v[i] = factor * values[i];
        }
    }
    const LyraConstraints *constraints = lyra_model_constraints(world->model);
    lyra_constraints_project(constraints, u);
    lyra_constraints_project(constraints, v);
    if (velocity && vega->solver == LY_VEGA_NEWMARK) {
        LY_TRY_DONE(start_acceleration(vega));
    }
done:
    lyra_dense_destroy(position);
    lyra_dense_destroy(velocity);
    return status;
}

// ---- loads --------------------------------------------------------------------------------------

// forces that change with the steps: a column of the file each, then none, over a constant pull
typedef struct Loads {
    LyraDense *columns;
    double pull; // along -y on each vertex, N
    double *force;
} Loads;

static LyraStatus apply_loads(void *self, LyraWorld *world, double begin, double end)
{
    (void)begin;
    (void)end;
    Loads *loads = self;
    LyraDenseView view = lyra_dense_view(loads->columns);
    int64_t step = lyra_state_view(world->state).steps;
    for (int32_t i = 0; i < view.rows; ++i) {
        loads->force[i] = i % 3 == 1 ? -loads->pull : 0;
        if (step < view.columns) {
            loads->force[i] += view.values[i + step * view.rows];
        }
    }
    return ly_undo_set_force(&world->undo, world->model, loads->force);
}

static void destroy_loads(LyraContext *ctx, void *self)
{
    Loads *loads = self;
    lyra_dense_destroy(loads->columns);
    ly_release(ctx, loads->force);
    ly_release(ctx, loads);
}

LyraStatus ly_vega_make_loads(LyVega *vega)
{
    LyraContext *ctx = vega->ctx;
    LyraWorld *world = vega->world;
    Loads *loads = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *loads, &loads));
    loads->pull = vega->pull;
    int32_t size = 3 * vega->vertex_count;
    LY_TRY_DONE(ly_allocate_array(ctx, size, sizeof *loads->force, &loads->force));
    for (int32_t i = 0; i < size; ++i) {
        loads->force[i] = i % 3 == 1 ? -loads->pull : 0;
    }
    LY_TRY_DONE(lyra_model_set_force(world->model, loads->force));
    LY_TRY_DONE(load_matrix(vega, LY_VEGA_FORCE_LOADS, 0, &loads->columns));
    if (loads->columns) {
        return ly_world_take_rule(world, (LyRule){apply_loads, destroy_loads, loads});
    }
done:
    destroy_loads(ctx, loads);
    return status;
}
