// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Frames: where everything is now, in floats. docs/viewer.md has the layout.

#include "view.h"

#include "lyra/math3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ELLIPSOIDS_MAX 400
#define LOADS_MAX 400

enum { HEAD_NUMBERS = 16, HEAD_COUNTS = 8 };

// parts of a frame, in the order of their counts
typedef struct Parts {
    uint32_t surface, field, volume, fixed, ellipsoids, loads, drags, playing;
} Parts;

// writes floats one after another
typedef struct Pen {
    unsigned char *at;
} Pen;

static void write_float(Pen *pen, double value)
{
    float number = (float)value;
    memcpy(pen->at, &number, sizeof number);
    pen->at += sizeof number;
}

static void write_floats(Pen *pen, int32_t count, const double *values)
{
    for (int32_t i = 0; i < count; ++i) {
        write_float(pen, values[i]);
    }
}

// ---- fields -------------------------------------------------------------------------------------

// what elements remember; LYRA_MEMORY_COUNT: none
static LyraMemory memory_of(ViewField field)
{
    static const LyraMemory memories[VIEW_FIELD_COUNT] = {
        [VIEW_FIELD_PLASTIC_STRAIN] = LYRA_MEMORY_PLASTIC_STRAIN,
        [VIEW_FIELD_GOAL_DISTANCE] = LYRA_MEMORY_GOAL_DISTANCE,
        [VIEW_FIELD_PLASTIC_LOSS] = LYRA_MEMORY_PLASTIC_LOSS,
        [VIEW_FIELD_VISCOUS_LOSS] = LYRA_MEMORY_VISCOUS_LOSS,
    };
    return field < VIEW_FIELD_PLASTIC_STRAIN ? LYRA_MEMORY_COUNT : memories[field];
}

// NULL where a body has none
static const double *element_values(const RunBody *body, ViewField field)
{
    LyraMemory memory = memory_of(field);
    if (!body->fields || (field != VIEW_FIELD_DET && !lyra_fields_have_stress(body->fields))) {
        return NULL;
    }
    if (memory < LYRA_MEMORY_COUNT) {
        return body->memory[memory];
    }
    switch (field) {
    case VIEW_FIELD_VON_MISES:
        return body->von_mises;
    case VIEW_FIELD_ENERGY:
        return body->energy_density;
    default:
        return body->det;
    }
}

static bool is_of_elements(ViewField field)
{
    return field == VIEW_FIELD_VON_MISES || field == VIEW_FIELD_ENERGY || field == VIEW_FIELD_DET ||
           memory_of(field) < LYRA_MEMORY_COUNT || field == VIEW_FIELD_STRAIN;
}

// means over the elements around each vertex
static void average(ViewBody *body, ViewField field)
{
    int32_t vertices = body->moved->body->vertex_count;
    memset(body->values, 0, (size_t)vertices * sizeof *body->values);
    if (field == VIEW_FIELD_STRAIN) {
        if (body->moved->stretches) {
            run_average_strain(body->moved, body->values);
        }
        return;
    }
    const double *values = element_values(body->moved, field);
    if (!values) {
        return;
    }
    LyraMeshView mesh = lyra_mesh_view(body->moved->body->mesh);
    int32_t nodes = lyra_element_kind_nodes(mesh.kind);
    for (int32_t e = 0; e < mesh.element_count; ++e) {
        double value = field == VIEW_FIELD_VON_MISES ? run_shown_stress(body->moved, e) : values[e];
        for (int32_t n = 0; n < nodes; ++n) {
            body->values[mesh.elements[(int64_t)e * nodes + n]] += value;
        }
    }
    for (int32_t v = 0; v < vertices; ++v) {
        body->values[v] /= fmax(1, body->counts[v]);
    }
}

static double length_at(const double *x, int64_t vertex)
{
    const double *a = x + 3 * vertex;
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// at the vertices of the bodies; fields of elements are evaluated already
static void fill_bodies(View *view)
{
    LyraStateView state = lyra_state_view(view->run.view.state);
    const double *vector = lyra_vector_values(view->field == VIEW_FIELD_SPEED ? state.v : state.u);
    for (int32_t b = 0; b < view->body_count; ++b) {
        ViewBody *body = &view->bodies[b];
        if (is_of_elements(view->field)) {
            average(body, view->field);
            continue;
        }
        for (int32_t v = 0; v < body->moved->body->vertex_count; ++v) {
            body->values[v] = length_at(vector, body->moved->body->first_vertex + (int64_t)v);
        }
    }
}

// at the vertices of the surfaces, and the range of all of them
static void fill_surfaces(View *view, double *low, double *high)
{
    LyraStateView state = lyra_state_view(view->run.view.state);
    const double *vector = lyra_vector_values(view->field == VIEW_FIELD_SPEED ? state.v : state.u);
    *low = INFINITY;
    *high = -INFINITY;
    for (int32_t s = 0; s < view->surface_count; ++s) {
        const ViewSurface *surface = &view->surfaces[s];
        const LyraEmbedding *embedding = surface->moved->shown->embedding;
        const double *values = NULL,
                     *own = vector + 3 * (int64_t)surface->moved->body->first_vertex;
        for (int32_t b = 0; b < view->body_count; ++b) {
            values = view->bodies[b].moved->body == surface->moved->body ? view->bodies[b].values
                                                                         : values;
        }
        LyraEmbeddingView weights = {0};
        if (embedding) {
            weights = lyra_embedding_view(embedding);
        }
        for (int32_t i = 0; i < surface->used_count; ++i) {
            int32_t v = surface->used[i];
            double value = embedding ? 0 : values[v], carried[3] = {0};
            for (int32_t n = 0; n < weights.node_count; ++n) {
                int64_t at = (int64_t)v * weights.node_count + n;
                value += weights.weights[at] * values[weights.vertices[at]];
                for (int j = 0; j < 3; ++j) {
                    carried[j] += weights.weights[at] * own[3 * (int64_t)weights.vertices[at] + j];
                }
            }
            // a length is that of the carried vector, as weights may be negative
            value = embedding && !is_of_elements(view->field) ? length_at(carried, 0) : value;
            surface->values[v] = value;
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
    }
}

// ---- elements -----------------------------------------------------------------------------------

// dx/dX at the middle of an element
static void gradient_of(const LyraMeshView *mesh, int32_t e, const double *x, double F[9])
{
    // of hexahedra: N_a = prod (1 + s_ai xi_i) / 8 gives edges of sum s_ai x_a / 4 at the middle
    static const int signs[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    const int32_t *nodes = mesh->elements + (int64_t)e * lyra_element_kind_nodes(mesh->kind);
    const double *X = mesh->positions;
    // of tets, by their corners: edges now times the inverse of edges at rest
    LyraMat3 Ds = {0}, Dm = {0}, inverse, product = {0};
    bool hexahedra = lyra_element_kind_corners(mesh->kind) == 8;
    for (int n = 0; n < 72 && hexahedra; ++n) {
        int a = n / 9, i = n / 3 % 3, j = n % 3;
        Ds.m[i][j] += 0.25 * signs[a][j] * x[3 * (int64_t)nodes[a] + i];
        Dm.m[i][j] += 0.25 * signs[a][j] * X[3 * (int64_t)nodes[a] + i];
    }
    for (int j = 0; j < 3 && !hexahedra; ++j) {
        for (int i = 0; i < 3; ++i) {
            Ds.m[i][j] = x[3 * (int64_t)nodes[j + 1] + i] - x[3 * (int64_t)nodes[0] + i];
            Dm.m[i][j] = X[3 * (int64_t)nodes[j + 1] + i] - X[3 * (int64_t)nodes[0] + i];
        }
    }
    if (lyra_mat3_inverse(Dm, &inverse) == LYRA_OK) {
        product = lyra_mat3_multiply(Ds, inverse);
    }
    memcpy(F, product.m, 9 * sizeof *F);
}

// middle and matrix of some elements: stress, or deformation
static uint32_t write_ellipsoids(View *view, int64_t stride, Pen *pen)
{
    uint32_t count = 0;
    int64_t seen = 0;
    for (int32_t b = 0; b < view->body_count; ++b) {
        const RunBody *body = view->bodies[b].moved;
        if (!body->body->mesh) {
            continue;
        }
        LyraMeshView mesh = lyra_mesh_view(body->body->mesh);
        int32_t nodes = lyra_element_kind_nodes(mesh.kind);
        for (int32_t e = 0; e < mesh.element_count; ++e, ++seen) {
            if (seen % stride != 0) {
                continue;
            }
            double middle[3] = {0}, A[9];
            for (int64_t i = 0; i < 3 * nodes; ++i) {
                int64_t vertex = mesh.elements[(int64_t)e * nodes + i / 3];
                middle[i % 3] += body->x[3 * vertex + i % 3] / nodes;
            }
            if (view->extras & VIEW_EXTRA_STRESS) {
                static const int place[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
                for (int i = 0; i < 9; ++i) {
                    A[i] = body->stress[6 * (int64_t)e + place[i]];
                }
            } else {
                gradient_of(&mesh, e, body->x, A);
            }
            write_floats(pen, 3, middle);
            write_floats(pen, 9, A);
            ++count;
        }
    }
    return count;
}

static bool has_ellipsoids(const View *view)
{
    bool stress = true;
    for (int32_t b = 0; b < view->body_count; ++b) {
        const RunBody *body = view->bodies[b].moved;
        stress &= !body->body->mesh || (body->fields && lyra_fields_have_stress(body->fields));
    }
    return view->extras & VIEW_EXTRA_STRAIN || (view->extras & VIEW_EXTRA_STRESS && stress);
}

// every how many elements one is shown, and how many that makes
static uint32_t count_ellipsoids(const View *view, int64_t *stride)
{
    int64_t total = 0;
    for (int32_t b = 0; b < view->body_count && has_ellipsoids(view); ++b) {
        const LyraMesh *mesh = view->bodies[b].moved->body->mesh;
        total += mesh ? lyra_mesh_view(mesh).element_count : 0;
    }
    *stride = (total + ELLIPSOIDS_MAX - 1) / ELLIPSOIDS_MAX;
    *stride = *stride > 0 ? *stride : 1;
    return (uint32_t)((total + *stride - 1) / *stride);
}

// ---- loads --------------------------------------------------------------------------------------

// What loads push with, N, [3 vertices], to free(), without those that are too small to see, and
// how many of them are shown; NULL if they cannot be had.
static double *find_loads(View *view, uint32_t *count)
{
    int64_t vertices = lyra_model_view(view->run.view.model).vertex_count;
    double *loads = cli_allocate(3 * ((size_t)vertices + 1) * sizeof *loads);
    double most = 0;
    *count = 0;
    if (lyra_world_loads(view->run.world, loads, NULL) != LYRA_OK) {
        free(loads);
        return NULL;
    }
    for (int64_t v = 0; v < vertices; ++v) {
        most = fmax(most, length_at(loads, v));
    }
    int64_t seen = 0;
    for (int64_t v = 0; v < vertices; ++v) {
        if (length_at(loads, v) > 1e-3 * most) {
            ++seen;
        } else {
            memset(loads + 3 * v, 0, 3 * sizeof *loads);
        }
    }
    *count = (uint32_t)(seen < LOADS_MAX ? seen : LOADS_MAX);
    return loads;
}

// Whether a load on a vertex of the model pulls the body outwards: its neighbours lie behind it.
static bool is_outward(const View *view, int64_t vertex, const double *load)
{
    const double *u = lyra_vector_values(lyra_state_view(view->run.view.state).u);
    const double *X = lyra_model_view(view->run.view.model).positions;
    double along = 0;
    for (int32_t b = 0; b < view->body_count; ++b) {
        const ViewBody *body = &view->bodies[b];
        int64_t first = body->moved->body->first_vertex, v = vertex - first;
        if (v < 0 || v >= body->moved->body->vertex_count || !body->neighbor_start) {
            continue;
        }
        for (int32_t k = body->neighbor_start[v]; k < body->neighbor_start[v + 1]; ++k) {
            for (int64_t i = 0; i < 3; ++i) {
                int64_t a = 3 * vertex + i, c = 3 * (first + body->neighbors[k]) + i;
                along += load[i] * (X[a] + u[a] - X[c] - u[c]);
            }
        }
    }
    return along > 0;
}

// `count` of them, spread over all there are
static void write_loads(const View *view, const double *loads, uint32_t count, Pen *pen)
{
    const double *u = lyra_vector_values(lyra_state_view(view->run.view.state).u);
    LyraModelView model = lyra_model_view(view->run.view.model);
    int64_t total = 0, at = 0;
    for (int64_t v = 0; v < model.vertex_count; ++v) {
        total += length_at(loads, v) > 0;
    }
    for (int64_t v = 0; v < model.vertex_count; ++v) {
        if (!(length_at(loads, v) > 0)) {
            continue;
        }
        // the k-th is shown where k count / total comes to a new whole number
        if (at * count / total < (at + 1) * count / total) {
            for (int64_t i = 0; i < 3; ++i) {
                write_float(pen, model.positions[3 * v + i] + u[3 * v + i]);
            }
            write_floats(pen, 3, loads + 3 * v);
            write_float(pen, is_outward(view, v, loads + 3 * v));
        }
        ++at;
    }
}

// ---- the whole ----------------------------------------------------------------------------------

static void write_head(const View *view, double low, double high, const Parts *parts, Pen *pen)
{
    LyraStateView state = lyra_state_view(view->run.view.state);
    const LyraStepReport *report = &view->run.report;
    const double numbers[HEAD_NUMBERS] = {
        state.time,
        (double)state.steps,
        view->run.view.dt,
        report->kinetic,
        view->elastic,
        view->dissipated,
        view->work,
        report->min_det,
        report->total_seconds,
        report->assembly_seconds,
        report->solve_seconds,
        (double)report->newton_iterations,
        (double)report->linear_iterations,
        low,
        high,
        view->rate,
    };
    memcpy(pen->at, numbers, sizeof numbers);
    pen->at += sizeof numbers;
    const uint32_t counts[HEAD_COUNTS] = {parts->surface, parts->field,      parts->volume,
                                          parts->fixed,   parts->ellipsoids, parts->loads,
                                          parts->drags,   parts->playing};
    memcpy(pen->at, counts, sizeof counts);
    pen->at += sizeof counts;
}

static void write_points(const View *view, const Parts *parts, Pen *pen)
{
    const double *u = lyra_vector_values(lyra_state_view(view->run.view.state).u);
    const double *X = lyra_model_view(view->run.view.model).positions;
    for (int32_t s = 0; s < view->surface_count; ++s) {
        const ViewSurface *surface = &view->surfaces[s];
        for (int32_t i = 0; i < surface->used_count; ++i) {
            write_floats(pen, 3, surface->moved->x + 3 * (int64_t)surface->used[i]);
        }
    }
    for (int32_t s = 0; s < view->surface_count && parts->field > 0; ++s) {
        const ViewSurface *surface = &view->surfaces[s];
        for (int32_t i = 0; i < surface->used_count; ++i) {
            write_float(pen, surface->values[surface->used[i]]);
        }
    }
    const uint8_t *scalar = lyra_model_view(view->run.view.model).scalar;
    for (int64_t i = 0; i < 3 * (int64_t)parts->volume; ++i) {
        write_float(pen, scalar && scalar[i / 3] ? X[i] : X[i] + u[i]);
    }
    for (int64_t i = 0; i < 3 * (int64_t)parts->fixed; ++i) {
        int64_t at = 3 * (int64_t)view->fixed[i / 3] + i % 3;
        write_float(pen, X[at] + u[at]);
    }
}

static void write_drags(const View *view, Pen *pen)
{
    for (int32_t d = 0; d < view->drag_count; ++d) {
        const ViewDrag *drag = &view->drags[d];
        double point[3], force[3];
        view_drag_point(view, drag, point);
        for (int i = 0; i < 3; ++i) {
            force[i] = view->stiffness * (drag->target[i] - point[i]);
        }
        write_floats(pen, 3, point);
        write_floats(pen, 3, drag->target);
        write_floats(pen, 3, force);
    }
}

// brings bodies to the present state, with their fields where somebody looks at them
static bool move_bodies(View *view)
{
    bool looked =
        is_of_elements(view->field) || view->extras & (VIEW_EXTRA_STRESS | VIEW_EXTRA_STRAIN);
    for (int32_t b = 0; b < view->body_count && looked; ++b) {
        if (!run_move_body(&view->run, view->bodies[b].moved)) {
            return false;
        }
    }
    return true;
}

bool view_publish_frame(View *view)
{
    double low = 0, high = 0;
    int64_t stride;
    Parts parts = {.fixed = (uint32_t)view->fixed_count,
                   .drags = (uint32_t)view->drag_count,
                   .playing = view->playing};
    run_move_surfaces(&view->run);
    if (!move_bodies(view)) {
        return false;
    }
    if (!run_read_probes(&view->run)) {
        view_notice(view, "%s", cli_last_failure());
    }
    for (int32_t s = 0; s < view->surface_count; ++s) {
        parts.surface += (uint32_t)view->surfaces[s].used_count;
    }
    if (view->field != VIEW_FIELD_NONE) {
        parts.field = parts.surface;
        fill_bodies(view);
        fill_surfaces(view, &low, &high);
    }
    if (view->extras & VIEW_EXTRA_VOLUME) {
        parts.volume = (uint32_t)lyra_model_view(view->run.view.model).vertex_count;
    }
    double *loads = view->extras & VIEW_EXTRA_LOADS ? find_loads(view, &parts.loads) : NULL;
    parts.ellipsoids = count_ellipsoids(view, &stride);
    size_t floats = 3 * (size_t)parts.surface + parts.field + 3 * (size_t)parts.volume +
                    3 * (size_t)parts.fixed + 12 * (size_t)parts.ellipsoids +
                    7 * (size_t)parts.loads + 9 * (size_t)parts.drags +
                    (size_t)view->run.column_count;
    ViewBlob *blob = view_hub_blob(&view->hub, VIEW_FRAME,
                                   VIEW_HEADER + HEAD_NUMBERS * sizeof(double) +
                                       HEAD_COUNTS * sizeof(uint32_t) + floats * sizeof(float));
    Pen pen = {view_blob_bytes(blob) + VIEW_HEADER};
    write_head(view, low, high, &parts, &pen);
    write_points(view, &parts, &pen);
    if (parts.ellipsoids > 0) {
        write_ellipsoids(view, stride, &pen);
    }
    if (loads) {
        write_loads(view, loads, parts.loads, &pen);
    }
    write_drags(view, &pen);
    for (int32_t c = 0; c < view->run.column_count; ++c) {
        write_float(&pen, view->run.columns[c].value);
    }
    free(loads);
    view_hub_publish(&view->hub, VIEW_SLOT_FRAME, blob);
    return true;
}
