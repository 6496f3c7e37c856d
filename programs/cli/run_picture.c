// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Pictures of a run: its surfaces where they are, coloured by a field of their bodies.

#include "run.h"

#include "lyra/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const labels[LYRA_SCENE_FIELD_COUNT] = {
    [LYRA_SCENE_FIELD_NONE] = NULL,
    [LYRA_SCENE_FIELD_DISPLACEMENT] = "displacement [m]",
    [LYRA_SCENE_FIELD_SPEED] = "speed [m/s]",
    [LYRA_SCENE_FIELD_VON_MISES] = "von Mises [Pa]",
    [LYRA_SCENE_FIELD_STRAIN] = "strain",
    [LYRA_SCENE_FIELD_PLASTIC_STRAIN] = "plastic strain",
    [LYRA_SCENE_FIELD_GOAL_DISTANCE] = "distance to the goal",
    [LYRA_SCENE_FIELD_PLASTIC_LOSS] = "lost in flow [J/m^3]",
    [LYRA_SCENE_FIELD_VISCOUS_LOSS] = "lost in relaxation [J/m^3]",
};

// ---- colours ------------------------------------------------------------------------------------

// at each vertex the mean over the elements around it; the second number of a vertex counts them,
// and is 0 after
static bool average(Run *run, RunBody *body)
{
    LyraMemory memory = run_field_memory(run->output.snapshot_field);
    if (!run_move_body(run, body)) {
        return false;
    }
    LyraMeshView mesh = lyra_mesh_view(body->body->mesh);
    int64_t nodes = lyra_element_kind_nodes(mesh.kind);
    memset(body->colors, 0, 3 * (size_t)body->body->vertex_count * sizeof *body->colors);
    for (int64_t i = 0; i < nodes * mesh.element_count; ++i) {
        double *at = body->colors + 3 * (int64_t)mesh.elements[i];
        at[0] += memory < LYRA_MEMORY_COUNT ? body->memory[memory][i / nodes]
                                            : run_shown_stress(body, i / nodes);
        at[1] += 1;
    }
    for (int32_t v = 0; v < body->body->vertex_count; ++v) {
        double *at = body->colors + 3 * (int64_t)v;
        at[0] = at[1] > 0 ? at[0] / at[1] : 0;
        at[1] = 0;
    }
    return true;
}

static bool color_strain(Run *run, RunBody *body)
{
    int32_t count = body->body->vertex_count;
    double *values = cli_allocate((size_t)count * sizeof *values);
    bool good = run_move_body(run, body);
    if (good) {
        run_average_strain(body, values);
    }
    for (int64_t v = 0; v < count && good; ++v) {
        body->colors[3 * v] = values[v];
    }
    free(values);
    return good;
}

static bool is_of_elements(LyraSceneField field)
{
    return field == LYRA_SCENE_FIELD_VON_MISES || run_field_memory(field) < LYRA_MEMORY_COUNT;
}

static bool color_body(Run *run, RunBody *body)
{
    if (run->output.snapshot_field == LYRA_SCENE_FIELD_STRAIN) {
        return color_strain(run, body);
    }
    if (is_of_elements(run->output.snapshot_field)) {
        return average(run, body);
    }
    LyraStateView state = lyra_state_view(run->view.state);
    bool speed = run->output.snapshot_field == LYRA_SCENE_FIELD_SPEED;
    const double *values = lyra_vector_values(speed ? state.v : state.u);
    memcpy(body->colors, values + 3 * (int64_t)body->body->first_vertex,
           3 * (size_t)body->body->vertex_count * sizeof *body->colors);
    return true;
}

static bool color_surfaces(Run *run)
{
    for (int32_t b = 0; b < run->body_count; ++b) {
        if (run->bodies[b].colors && !color_body(run, &run->bodies[b])) {
            return false;
        }
    }
    for (int32_t s = 0; s < run->surface_count; ++s) {
        RunSurface *surface = &run->surfaces[s];
        if (!surface->field) {
            continue;
        }
        const double *colors = run->bodies[surface->body - run->view.bodies].colors;
        if (surface->shown->embedding) {
            lyra_embedding_interpolate(surface->shown->embedding, colors, surface->scratch);
            colors = surface->scratch;
        }
        int64_t vertices = lyra_surface_view(surface->shown->surface).vertex_count;
        // a length is that of the carried vector, as weights may be negative
        bool single = is_of_elements(run->output.snapshot_field) ||
                      run->output.snapshot_field == LYRA_SCENE_FIELD_STRAIN;
        for (int64_t v = 0; v < vertices; ++v) {
            const double *x = colors + 3 * v;
            surface->field[v] = single ? x[0] : hypot(hypot(x[0], x[1]), x[2]);
        }
    }
    return true;
}

// ---- textures -----------------------------------------------------------------------------------

// those of surfaces from files, once
static bool load_textures(Run *run)
{
    for (int32_t s = 0; s < run->surface_count; ++s) {
        RunSurface *surface = &run->surfaces[s];
        const char *path = surface->shown->path;
        if (path && !surface->textures &&
            lyra_texture_set_load(run->ctx, surface->shown->surface, path, &surface->textures) !=
                LYRA_OK) {
            cli_failed();
            return false;
        }
    }
    return true;
}

// ---- pictures -----------------------------------------------------------------------------------

// what is visible, from the scene's camera, or from one that is fitted to where they are
static bool write_picture(Run *run)
{
    const double degree = 3.14159265358979323846 / 180;
    const LyraSceneCamera *camera = &run->said.camera;
    LyraRenderDef def = lyra_render_def_default();
    LyraRenderBody *bodies = cli_allocate(((size_t)run->surface_count + 1) * sizeof *bodies);
    LyraPicture *picture = NULL;
    int32_t count = 0;
    if (!color_surfaces(run) || !load_textures(run)) {
        free(bodies);
        return false;
    }
    def.label = labels[run->output.snapshot_field];
    if (run->output.snapshot_size[0] > 0) {
        def.width = run->output.snapshot_size[0];
        def.height = run->output.snapshot_size[1];
    }
    def.fitted = camera->fitted;
    def.azimuth = camera->azimuth * degree;
    def.elevation = camera->elevation * degree;
    def.field_of_view = camera->field_of_view * degree;
    memcpy(def.up, camera->up, sizeof def.up);
    memcpy(def.eye, camera->eye, sizeof def.eye);
    memcpy(def.target, camera->target, sizeof def.target);
    for (int32_t s = 0; s < run->surface_count; ++s) {
        const RunSurface *surface = &run->surfaces[s];
        if (surface->visible) {
            bodies[count] = lyra_render_body_default();
            bodies[count].surface = surface->shown->surface;
            bodies[count].edges = run->output.snapshot_edges;
            bodies[count].field = surface->field;
            bodies[count].textures = surface->textures;
            bodies[count++].positions = surface->x;
        }
    }
    char *path = run_path(run, "pictures/picture_%06" PRId64 ".png", run->step);
    bool good = lyra_render(run->ctx, &def, count, bodies, &picture) == LYRA_OK &&
                lyra_picture_save(picture, path) == LYRA_OK;
    lyra_picture_destroy(picture);
    free(path);
    free(bodies);
    if (!good) {
        cli_failed();
    }
    return good;
}

bool run_picture_write(Run *run)
{
    double now = run_now();
    bool good = write_picture(run);
    run->totals.pictures += run_now() - now;
    return good;
}

// ---- options ------------------------------------------------------------------------------------

#define SIDE_MIN 16
#define SIDE_MAX 8000

static bool take_size(const char *text, int32_t size[2])
{
    int32_t w = 0, h = 0;
    if (!cli_parse_size(text, &w, &h) || w < SIDE_MIN || h < SIDE_MIN || w > SIDE_MAX ||
        h > SIDE_MAX) {
        cli_fail("--snapshot-size is \"%s\", expected WxH, each from %d to %d pixels", text,
                 SIDE_MIN, SIDE_MAX);
        return false;
    }
    size[0] = w;
    size[1] = h;
    return true;
}

static bool take_field(const char *text, LyraSceneField *field)
{
    char list[200] = "";
    for (int f = 0; f < LYRA_SCENE_FIELD_COUNT; ++f) {
        const char *name = lyra_scene_field_name((LyraSceneField)f);
        if (strcmp(text, name) == 0) {
            *field = (LyraSceneField)f;
            return true;
        }
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", f > 0 ? ", " : "", name);
    }
    cli_fail("--snapshot-field is \"%s\", expected one of: %s", text, list);
    return false;
}

static bool take_camera(const char *text, LyraSceneCamera *camera)
{
    double angles[2], eye[3], target[3], distance = 0;
    if (cli_parse_numbers(text, 2, angles, '\0') && fabs(angles[1]) <= 90) {
        camera->fitted = true;
        camera->azimuth = angles[0];
        camera->elevation = angles[1];
        return true;
    }
    const char *second = cli_parse_numbers(text, 3, eye, '/');
    if (second && cli_parse_numbers(second, 3, target, '\0')) {
        for (int i = 0; i < 3; ++i) {
            distance = fmax(distance, fabs(eye[i] - target[i]));
        }
    }
    if (!(distance > 0)) {
        cli_fail("--snapshot-camera is \"%s\", expected AZIMUTH,ELEVATION in degrees or an eye and "
                 "another place that it looks at, X,Y,Z/X,Y,Z",
                 text);
        return false;
    }
    camera->fitted = false;
    memcpy(camera->eye, eye, sizeof eye);
    memcpy(camera->target, target, sizeof target);
    return true;
}

bool run_picture_plan(Run *run)
{
    const RunOptions *o = &run->options;
    const char *given = o->snapshot_size     ? "--snapshot-size"
                        : o->snapshot_field  ? "--snapshot-field"
                        : o->snapshot_camera ? "--snapshot-camera"
                                             : NULL;
    if (given && (!o->out || run->output.snapshot_every == 0)) {
        cli_fail("%s without pictures: give --snapshot-every N and --out DIR", given);
        return false;
    }
    return (!o->snapshot_size || take_size(o->snapshot_size, run->output.snapshot_size)) &&
           (!o->snapshot_field || take_field(o->snapshot_field, &run->output.snapshot_field)) &&
           (!o->snapshot_camera || take_camera(o->snapshot_camera, &run->said.camera));
}
