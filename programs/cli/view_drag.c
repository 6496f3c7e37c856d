// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Drags: a spring of stiffness K from a point p of a surface to a target y. Its force K (y - p) is
// shared out among the vertices around p, share s_i each, sum s_i = 1. Before a step vertex i gets
// a spring of stiffness s_i K to x_i + (y - p), with x_i and p as they are: at the start of the
// step the forces are the shares of K (y - p), and as the springs are implicit, a stiff one cannot
// overshoot. They move with the body, so that the body is free to turn about p.

#include "view.h"

#include <stdlib.h>
#include <string.h>

static void free_drag(ViewDrag *drag)
{
    free(drag->vertices);
    free(drag->shares);
    free(drag->holds);
    free(drag->weights);
}

static ViewDrag *find_drag(View *view, uint32_t client, uint32_t id)
{
    for (int32_t d = 0; d < view->drag_count; ++d) {
        if (view->drags[d].client == client && view->drags[d].id == id) {
            return &view->drags[d];
        }
    }
    return NULL;
}

static void end_drag(View *view, ViewDrag *drag)
{
    free_drag(drag);
    *drag = view->drags[--view->drag_count];
    view->dirty = true;
}

void view_drag_clear(View *view)
{
    while (view->drag_count > 0) {
        end_drag(view, &view->drags[0]);
    }
}

void view_drag_check(View *view)
{
    for (int32_t d = view->drag_count - 1; d >= 0; --d) {
        if (!view_hub_is_here(&view->hub, view->drags[d].client)) {
            end_drag(view, &view->drags[d]);
        }
    }
}

// ---- the point and its surroundings -------------------------------------------------------------

// the vertices of the model whose weighted mean is the point
static void find_holds(ViewDrag *drag, const ViewSurface *surface, const int32_t corners[3],
                       const float weights[3])
{
    const LyraEmbedding *embedding = surface->moved->shown->embedding;
    LyraEmbeddingView view = {.node_count = 1};
    if (embedding) {
        view = lyra_embedding_view(embedding);
    }
    int32_t first = surface->moved->body->first_vertex;
    drag->holds = cli_allocate(3 * (size_t)view.node_count * sizeof *drag->holds);
    drag->weights = cli_allocate(3 * (size_t)view.node_count * sizeof *drag->weights);
    for (int32_t c = 0; c < 3; ++c) {
        for (int32_t n = 0; n < view.node_count; ++n) {
            int64_t at = (int64_t)corners[c] * view.node_count + n;
            double share = weights[c] * (embedding ? view.weights[at] : 1);
            if (share != 0) {
                drag->holds[drag->hold_count] =
                    first + (embedding ? view.vertices[at] : corners[c]);
                drag->weights[drag->hold_count++] = share;
            }
        }
    }
}

// Rings of edges around the holds, [vertex_count]: 0 the holds themselves, -1 beyond `rings`. The
// vertices reached stand in `order`; returns how many.
static int32_t find_rings(const ViewDrag *drag, const ViewBody *body, int32_t rings, int32_t *ring,
                          int32_t *order)
{
    int32_t first = body->moved->body->first_vertex, count = 0;
    for (int32_t v = 0; v < body->moved->body->vertex_count; ++v) {
        ring[v] = -1;
    }
    for (int32_t h = 0; h < drag->hold_count; ++h) {
        int32_t v = drag->holds[h] - first;
        // vertices that an embedding extrapolates from are not pulled the other way
        if (ring[v] < 0 && drag->weights[h] > 0) {
            ring[v] = 0;
            order[count++] = v;
        }
    }
    for (int32_t i = 0; i < count && body->neighbor_start; ++i) {
        int32_t v = order[i];
        for (int32_t k = body->neighbor_start[v];
             ring[v] < rings && k < body->neighbor_start[v + 1]; ++k) {
            int32_t w = body->neighbors[k];
            if (ring[w] < 0) {
                ring[w] = ring[v] + 1;
                order[count++] = w;
            }
        }
    }
    return count;
}

// Shares fall off linearly with the rings; the holds have theirs by their weights.
static void share_out(ViewDrag *drag, const ViewBody *body, int32_t rings)
{
    int32_t first = body->moved->body->first_vertex;
    size_t vertices = (size_t)body->moved->body->vertex_count;
    int32_t *ring = cli_allocate(vertices * sizeof *ring);
    int32_t *order = cli_allocate(vertices * sizeof *order);
    drag->count = find_rings(drag, body, rings, ring, order);
    drag->vertices = cli_allocate(((size_t)drag->count + 1) * sizeof *drag->vertices);
    drag->shares = cli_allocate(((size_t)drag->count + 1) * sizeof *drag->shares);
    double sum = 0, most = 0;
    for (int32_t i = 0; i < drag->count; ++i) {
        double share = 1 - (double)ring[order[i]] / (rings + 1);
        if (ring[order[i]] == 0) {
            share = 0;
            for (int32_t h = 0; h < drag->hold_count; ++h) {
                share += drag->holds[h] - first == order[i] ? drag->weights[h] : 0;
            }
            most = share > most ? share : most;
        }
        drag->vertices[i] = first + order[i];
        drag->shares[i] = share;
    }
    for (int32_t i = 0; i < drag->count; ++i) {
        // the nearest vertex counts as ring 0 in full
        drag->shares[i] /= ring[order[i]] == 0 && rings > 0 ? most : 1;
        drag->shares[i] = drag->shares[i] > 0 ? drag->shares[i] : 0;
        sum += drag->shares[i];
    }
    for (int32_t i = 0; i < drag->count; ++i) {
        drag->shares[i] /= sum;
    }
    free(ring);
    free(order);
}

void view_drag_point(const View *view, const ViewDrag *drag, double point[3])
{
    const double *u = lyra_vector_values(lyra_state_view(view->run.view.state).u);
    const double *X = lyra_model_view(view->run.view.model).positions;
    memset(point, 0, 3 * sizeof *point);
    for (int32_t h = 0; h < drag->hold_count; ++h) {
        for (int64_t i = 0; i < 3; ++i) {
            int64_t at = 3 * (int64_t)drag->holds[h] + i;
            point[i] += drag->weights[h] * (X[at] + u[at]);
        }
    }
}

// ---- commands -----------------------------------------------------------------------------------

static ViewBody *body_of(View *view, const ViewSurface *surface)
{
    for (int32_t b = 0; b < view->body_count; ++b) {
        if (view->bodies[b].moved->body == surface->moved->body) {
            return &view->bodies[b];
        }
    }
    return NULL;
}

static void start_drag(View *view, const ViewCommand *command)
{
    const ViewMessage *message = &command->message;
    ViewDrag *old = find_drag(view, command->client, message->drag.id);
    if (old) {
        end_drag(view, old);
    }
    if (message->drag.surface >= (uint32_t)view->surface_count ||
        view->drag_count == VIEW_DRAGS_MAX) {
        return;
    }
    const ViewSurface *surface = &view->surfaces[message->drag.surface];
    ViewBody *body = body_of(view, surface);
    if (message->drag.triangle >= (uint32_t)surface->triangle_count || !body) {
        return;
    }
    ViewDrag *drag = &view->drags[view->drag_count];
    *drag = (ViewDrag){.client = command->client, .id = message->drag.id};
    find_holds(drag, surface, surface->corners + 3 * (int64_t)message->drag.triangle,
               message->drag.weights);
    share_out(drag, body, (int32_t)view->rings);
    for (int i = 0; i < 3; ++i) {
        drag->target[i] = message->drag.target[i];
    }
    ++view->drag_count;
}

void view_drag_command(View *view, const ViewCommand *command)
{
    const ViewMessage *message = &command->message;
    ViewDrag *drag = find_drag(view, command->client, message->drag.id);
    view->dirty = true;
    if (message->kind == VIEW_DRAG_START) {
        start_drag(view, command);
    } else if (drag && message->kind == VIEW_DRAG_END) {
        end_drag(view, drag);
    } else if (drag) {
        for (int i = 0; i < 3; ++i) {
            drag->target[i] = message->drag.target[i];
        }
    }
}

bool view_drag_apply(View *view)
{
    if (view->drag_count == 0 && !view->pulled) {
        return true;
    }
    const double *u = lyra_vector_values(lyra_state_view(view->run.view.state).u);
    const double *X = lyra_model_view(view->run.view.model).positions;
    size_t total = 0, at = 0;
    for (int32_t d = 0; d < view->drag_count; ++d) {
        total += (size_t)view->drags[d].count;
    }
    int32_t *vertices = cli_allocate((total + 1) * sizeof *vertices);
    double *stiffness = cli_allocate((total + 1) * sizeof *stiffness);
    double *targets = cli_allocate((total + 1) * 3 * sizeof *targets);
    for (int32_t d = 0; d < view->drag_count; ++d) {
        const ViewDrag *drag = &view->drags[d];
        double point[3];
        view_drag_point(view, drag, point);
        for (int32_t v = 0; v < drag->count; ++v, ++at) {
            vertices[at] = drag->vertices[v];
            stiffness[at] = drag->shares[v] * view->stiffness;
            for (int64_t i = 0; i < 3; ++i) {
                int64_t dof = 3 * (int64_t)drag->vertices[v] + i;
                targets[3 * at + (size_t)i] = X[dof] + u[dof] + drag->target[i] - point[i];
            }
        }
    }
    LyraStatus status =
        lyra_world_pull(view->run.world, (int32_t)total, vertices, stiffness, targets);
    free(vertices);
    free(stiffness);
    free(targets);
    view->pulled = view->drag_count > 0;
    return status == LYRA_OK;
}
