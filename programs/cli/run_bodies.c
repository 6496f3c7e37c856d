// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The bodies of a scene and the surfaces they carry, as the files of results show them.

#include "run.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- names --------------------------------------------------------------------------------------

static bool is_taken(const Run *run, const char *name)
{
    for (int32_t b = 0; b < run->body_count; ++b) {
        if (run->bodies[b].name && strcmp(run->bodies[b].name, name) == 0) {
            return true;
        }
    }
    for (int32_t s = 0; s < run->surface_count; ++s) {
        if (run->surfaces[s].name && strcmp(run->surfaces[s].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// "body" or "body_surface" with letters, digits, '-' and '_' only, and a number where it is taken
static char *make_name(const Run *run, const char *body, const char *surface)
{
    char stem[100], name[128];
    snprintf(stem, sizeof stem, "%.40s%s%.40s", body && body[0] ? body : "body", surface ? "_" : "",
             surface ? surface : "");
    for (char *c = stem; *c; ++c) {
        *c = isalnum((unsigned char)*c) || *c == '-' || *c == '_' ? *c : '_';
    }
    snprintf(name, sizeof name, "%s", stem);
    for (int32_t i = 2; is_taken(run, name); ++i) {
        snprintf(name, sizeof name, "%s_%d", stem, i);
    }
    char *copy = cli_allocate(strlen(name) + 1);
    memcpy(copy, name, strlen(name) + 1);
    return copy;
}

// ---- life ---------------------------------------------------------------------------------------

static double *make_array(int64_t count)
{
    return cli_allocate((size_t)count * sizeof(double));
}

LyraMemory run_field_memory(LyraSceneField field)
{
    static const LyraMemory memories[LYRA_SCENE_FIELD_COUNT] = {
        [LYRA_SCENE_FIELD_PLASTIC_STRAIN] = LYRA_MEMORY_PLASTIC_STRAIN,
        [LYRA_SCENE_FIELD_GOAL_DISTANCE] = LYRA_MEMORY_GOAL_DISTANCE,
        [LYRA_SCENE_FIELD_PLASTIC_LOSS] = LYRA_MEMORY_PLASTIC_LOSS,
        [LYRA_SCENE_FIELD_VISCOUS_LOSS] = LYRA_MEMORY_VISCOUS_LOSS,
    };
    return field < LYRA_SCENE_FIELD_PLASTIC_STRAIN ? LYRA_MEMORY_COUNT : memories[field];
}

// room for what is remembered and shown or written
static void make_memory(const Run *run, RunBody *out, LyraMemory shown)
{
    const LyraSceneOutput *output = &run->output;
    bool all = output->vtu_every > 0 || output->save_history;
    for (LyraMemory m = 0; m < LYRA_MEMORY_COUNT; ++m) {
        if ((all || m == shown) && lyra_fields_have_memory(out->fields, m)) {
            out->memory[m] = make_array(lyra_memory_view(m).components *
                                        (int64_t)lyra_mesh_view(out->body->mesh).element_count);
        }
    }
    if (shown < LYRA_MEMORY_COUNT && out->memory[shown]) {
        out->colors = make_array(3 * (int64_t)out->body->vertex_count);
    }
}

const int32_t *run_triangles(const LyraBodyView *body, int32_t *count)
{
    *count = 0;
    if (body->shell) {
        LyraShellView shell = lyra_shell_view(body->shell);
        *count = shell.triangle_count;
        return shell.triangles;
    }
    if (body->cloth) {
        LyraClothView cloth = lyra_cloth_view(body->cloth);
        *count = cloth.triangle_count;
        return cloth.triangles;
    }
    return NULL;
}

static bool make_fields(Run *run, RunBody *out)
{
    const LyraBodyView *body = out->body;
    LyraSceneField color =
        run->output.snapshot_every > 0 ? run->output.snapshot_field : LYRA_SCENE_FIELD_NONE;
    bool stress = color == LYRA_SCENE_FIELD_VON_MISES, strain = color == LYRA_SCENE_FIELD_STRAIN;
    int32_t triangles = 0;
    if (run_triangles(body, &triangles) && (strain || run->output.vtu_every > 0)) {
        out->stretches = make_array(2 * (int64_t)triangles);
        out->strains = make_array(3 * (int64_t)triangles);
    }
    LyraMemory memory = run_field_memory(color);
    bool by_element = stress || memory < LYRA_MEMORY_COUNT;
    if (color != LYRA_SCENE_FIELD_NONE && !by_element && (!strain || triangles > 0)) {
        out->colors = make_array(3 * (int64_t)body->vertex_count);
        memset(out->colors, 0, 3 * (size_t)body->vertex_count * sizeof *out->colors);
    }
    if (!body->mesh || (run->output.vtu_every == 0 && !by_element && !run->output.save_history)) {
        return true;
    }
    if (lyra_fields_create(run->ctx, run->view.model, body->mesh, body->first_vertex,
                           &out->fields) != LYRA_OK) {
        cli_failed();
        return false;
    }
    int64_t elements = lyra_mesh_view(body->mesh).element_count;
    out->det = make_array(elements);
    out->energy_density = make_array(elements);
    out->stress = make_array(6 * elements);
    out->von_mises = make_array(elements);
    // springs have no stress
    if (stress && lyra_fields_have_stress(out->fields)) {
        out->colors = make_array(3 * (int64_t)body->vertex_count);
    }
    if (lyra_fields_have_stress(out->fields)) {
        out->noise = make_array(elements);
    }
    make_memory(run, out, memory);
    return true;
}

static bool check_shown(const Run *run)
{
    LyraMemory memory = run_field_memory(run->output.snapshot_field);
    bool found = run->output.snapshot_every == 0 || memory == LYRA_MEMORY_COUNT;
    for (int32_t b = 0; b < run->body_count; ++b) {
        found |= run->bodies[b].colors != NULL;
    }
    if (!found) {
        cli_fail("snapshot-field is \"%s\", which no body remembers: expected one with %s",
                 lyra_memory_view(memory).name,
                 memory == LYRA_MEMORY_VISCOUS_LOSS    ? "viscosity of model prony or maxwell"
                 : memory == LYRA_MEMORY_GOAL_DISTANCE ? "plasticity toward a goal"
                                                       : "plasticity");
    }
    return found;
}

bool run_bodies_create(Run *run)
{
    const LyraBodyView *bodies = run->view.bodies;
    int32_t surfaces = 0;
    for (int32_t b = 0; b < run->view.body_count; ++b) {
        surfaces += bodies[b].surface_count;
    }
    run->bodies = calloc((size_t)run->view.body_count + 1, sizeof *run->bodies);
    run->surfaces = calloc((size_t)surfaces + 1, sizeof *run->surfaces);
    if (!run->bodies || !run->surfaces) {
        cli_fail("out of memory for %d bodies", run->view.body_count);
        return false;
    }
    for (int32_t b = 0; b < run->view.body_count; ++b) {
        RunBody *body = &run->bodies[run->body_count];
        body->name = make_name(run, bodies[b].name, NULL);
        body->body = &bodies[b];
        body->x = make_array(3 * (int64_t)bodies[b].vertex_count);
        ++run->body_count;
        if (!make_fields(run, body)) {
            return false;
        }
    }
    for (int32_t b = 0; b < run->view.body_count; ++b) {
        for (int32_t s = 0; s < bodies[b].surface_count; ++s) {
            RunSurface *surface = &run->surfaces[run->surface_count];
            surface->body = &bodies[b];
            surface->shown = &bodies[b].surfaces[s];
            surface->visible = surface->shown->embedding || !bodies[b].surfaces[0].embedding;
            surface->name = make_name(run, run->bodies[b].name,
                                      surface->shown->name ? surface->shown->name : "surface");
            LyraSurfaceView view = lyra_surface_view(surface->shown->surface);
            surface->x = make_array(3 * (int64_t)view.vertex_count);
            if (run->bodies[b].colors) {
                surface->field = make_array(view.vertex_count);
                surface->scratch = make_array(3 * (int64_t)view.vertex_count);
            }
            ++run->surface_count;
        }
    }
    return check_shown(run) && run_measure_noise(run);
}

void run_bodies_destroy(Run *run)
{
    for (int32_t b = 0; b < run->body_count; ++b) {
        RunBody *body = &run->bodies[b];
        lyra_fields_destroy(body->fields);
        free(body->name);
        free(body->x);
        free(body->det);
        free(body->energy_density);
        free(body->stress);
        free(body->von_mises);
        for (int m = 0; m < LYRA_MEMORY_COUNT; ++m) {
            free(body->memory[m]);
        }
        free(body->noise);
        free(body->colors);
        free(body->stretches);
        free(body->strains);
    }
    for (int32_t s = 0; s < run->surface_count; ++s) {
        free(run->surfaces[s].name);
        free(run->surfaces[s].x);
        lyra_texture_set_destroy(run->surfaces[s].textures);
        free(run->surfaces[s].field);
        free(run->surfaces[s].scratch);
    }
    free(run->bodies);
    free(run->surfaces);
}

// ---- motion -------------------------------------------------------------------------------------

void run_move_surfaces(Run *run)
{
    const double *u = lyra_vector_values(lyra_state_view(run->view.state).u);
    for (int32_t s = 0; s < run->surface_count; ++s) {
        RunSurface *surface = &run->surfaces[s];
        LyraSurfaceView view = lyra_surface_view(surface->shown->surface);
        const double *own = u + 3 * (int64_t)surface->body->first_vertex;
        if (surface->shown->embedding) {
            lyra_embedding_move(surface->shown->embedding, own, view.positions, surface->x);
            continue;
        }
        for (int64_t i = 0; i < 3 * (int64_t)view.vertex_count; ++i) {
            surface->x[i] = view.positions[i] + own[i];
        }
    }
}

int32_t run_vertices(const Run *run)
{
    int32_t count = 0;
    for (int32_t b = 0; b < run->view.body_count; ++b) {
        count += run->view.bodies[b].vertex_count;
    }
    return count;
}

bool run_move_body(Run *run, RunBody *body)
{
    const double *u = lyra_vector_values(lyra_state_view(run->view.state).u);
    const double *X = lyra_model_view(run->view.model).positions;
    int64_t first = 3 * (int64_t)body->body->first_vertex;
    for (int64_t i = 0; i < 3 * (int64_t)body->body->vertex_count; ++i) {
        body->x[i] = X[first + i] + u[first + i];
    }
    if (body->stretches && body->body->shell) {
        int64_t count = lyra_shell_view(body->body->shell).triangle_count;
        lyra_shell_stretches(body->body->shell, body->x, body->stretches);
        for (int64_t t = 0; t < count; ++t) {
            body->strains[3 * t] = body->stretches[2 * t] - 1;
            body->strains[3 * t + 1] = body->stretches[2 * t + 1] - 1;
            body->strains[3 * t + 2] = 0;
        }
    } else if (body->stretches) {
        lyra_cloth_stretches(body->body->cloth, body->x, body->stretches);
        lyra_cloth_strains(body->body->cloth, body->x, body->strains);
    }
    const LyraElementFields out = {.det = body->det,
                                   .energy_density = body->energy_density,
                                   .stress = body->stress,
                                   .von_mises = body->von_mises};
    if (body->fields && lyra_fields_evaluate(body->fields, run->view.state, &out) != LYRA_OK) {
        cli_failed();
        return false;
    }
    for (LyraMemory m = 0; m < LYRA_MEMORY_COUNT; ++m) {
        if (body->memory[m] &&
            lyra_fields_read_memory(body->fields, m, run->view.state, body->memory[m]) != LYRA_OK) {
            cli_failed();
            return false;
        }
    }
    return true;
}

// ---- noise --------------------------------------------------------------------------------------

// Coordinates x are rounded by eps |x|, so an element of height h at rest has strains of that over
// h, and stresses of its modulus times them. The modulus is what a stretch of all bodies along x,
// small and exact in binary, gives: lambda + 2 mu for isotropic laws.
#define STRETCH 0x1p-10
// the sums behind a stress add some of these
#define ROUNDINGS 64

static bool measure_body(RunBody *body, const LyraState *stretched)
{
    const LyraElementFields out = {.stress = body->stress};
    if (lyra_fields_evaluate(body->fields, stretched, &out) != LYRA_OK) {
        cli_failed();
        return false;
    }
    LyraMeshView mesh = lyra_mesh_view(body->body->mesh);
    int64_t nodes = lyra_element_kind_nodes(mesh.kind);
    lyra_mesh_element_volumes(body->body->mesh, body->noise);
    for (int64_t e = 0; e < mesh.element_count; ++e) {
        double largest = 0, longest = 0;
        for (int i = 0; i < 6; ++i) {
            largest = fmax(largest, fabs(body->stress[6 * e + i]));
        }
        const double *first = mesh.positions + 3 * (int64_t)mesh.elements[nodes * e];
        for (int64_t a = 1; a < nodes; ++a) {
            const double *x = mesh.positions + 3 * (int64_t)mesh.elements[nodes * e + a];
            longest =
                fmax(longest, hypot(hypot(x[0] - first[0], x[1] - first[1]), x[2] - first[2]));
        }
        double height = fabs(body->noise[e]) / (longest * longest);
        body->noise[e] = ROUNDINGS * DBL_EPSILON * largest / STRETCH / height;
    }
    return true;
}

bool run_measure_noise(Run *run)
{
    const double *X = lyra_model_view(run->view.model).positions;
    int32_t size = lyra_vector_size(lyra_state_view(run->view.state).u);
    LyraState *stretched = NULL;
    if (lyra_state_create(run->ctx, size, &stretched) != LYRA_OK) {
        cli_failed();
        return false;
    }
    double *u = lyra_vector_values_mutable(lyra_state_view(stretched).u);
    for (int32_t i = 0; i < size; i += 3) {
        u[i] = STRETCH * X[i];
    }
    bool good = true;
    for (int32_t b = 0; good && b < run->body_count; ++b) {
        good = !run->bodies[b].noise || measure_body(&run->bodies[b], stretched);
    }
    lyra_state_destroy(stretched);
    return good;
}

void run_average_strain(const RunBody *body, double *values)
{
    int32_t count, vertices = body->body->vertex_count;
    const int32_t *triangles = run_triangles(body->body, &count);
    double *counts = cli_allocate((size_t)vertices * sizeof *counts);
    memset(counts, 0, (size_t)vertices * sizeof *counts);
    memset(values, 0, (size_t)vertices * sizeof *values);
    for (int64_t c = 0; c < 3 * (int64_t)count; ++c) {
        values[triangles[c]] += body->stretches[2 * (c / 3)] - 1;
        counts[triangles[c]] += 1;
    }
    for (int32_t v = 0; v < vertices; ++v) {
        values[v] /= fmax(1, counts[v]);
    }
    free(counts);
}

double run_shown_stress(const RunBody *body, int64_t element)
{
    LyraMeshView mesh = lyra_mesh_view(body->body->mesh);
    int64_t nodes = lyra_element_kind_nodes(mesh.kind);
    double reach = 0, stress = body->von_mises[element];
    for (int64_t a = 0; a < 3 * nodes; ++a) {
        int64_t vertex = mesh.elements[nodes * element + a / 3];
        reach = fmax(reach, fabs(body->x[3 * vertex + a % 3]));
    }
    return body->noise && stress <= body->noise[element] * reach ? 0 : stress;
}
