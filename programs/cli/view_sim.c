// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The thread of the simulation: commands, steps in their time, frames for those who look.

#include "view.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_SECONDS (1.0 / 60)
// a simulation that is late by more does not try to catch up
#define LATE_SECONDS 0.1

// ---- life ---------------------------------------------------------------------------------------

// who is whose neighbour across edges, in the order of `vertices` [count][2]
static void link_vertices(ViewBody *body, int32_t vertex_count, int32_t count,
                          const int32_t *vertices)
{
    size_t bytes = ((size_t)vertex_count + 1) * sizeof(int32_t);
    body->neighbor_start = cli_allocate(bytes);
    body->neighbors = cli_allocate((2 * (size_t)count + 1) * sizeof *body->neighbors);
    int32_t *fill = cli_allocate(bytes);
    memset(body->neighbor_start, 0, bytes);
    memset(fill, 0, bytes);
    for (int64_t i = 0; i < 2 * (int64_t)count; ++i) {
        ++body->neighbor_start[vertices[i] + 1];
    }
    for (int32_t v = 0; v < vertex_count; ++v) {
        body->neighbor_start[v + 1] += body->neighbor_start[v];
    }
    for (int64_t i = 0; i < 2 * (int64_t)count; ++i) {
        int32_t v = vertices[i];
        body->neighbors[body->neighbor_start[v] + fill[v]++] = vertices[i ^ 1];
    }
    free(fill);
}

// across the sides of triangles; those of two are there twice, which does no harm
static void link_triangles(ViewBody *body, int32_t vertices, int32_t count,
                           const int32_t *triangles)
{
    int32_t *sides = cli_allocate(6 * (size_t)count * sizeof *sides);
    for (int64_t c = 0; c < 3 * (int64_t)count; ++c) {
        sides[2 * c] = triangles[c];
        sides[2 * c + 1] = triangles[c % 3 == 2 ? c - 2 : c + 1];
    }
    link_vertices(body, vertices, 3 * count, sides);
    free(sides);
}

static bool create_body(ViewBody *body, RunBody *moved)
{
    const LyraBodyView *shown = moved->body;
    *body = (ViewBody){.moved = moved};
    body->values = cli_allocate(((size_t)shown->vertex_count + 1) * sizeof(double));
    body->counts = cli_allocate(((size_t)shown->vertex_count + 1) * sizeof(double));
    if (shown->cloth || shown->shell) {
        int32_t count;
        const int32_t *triangles = run_triangles(shown, &count);
        link_triangles(body, shown->vertex_count, count, triangles);
    }
    if (!shown->mesh) {
        return true;
    }
    LyraMeshEdges *edges = NULL;
    if (lyra_mesh_edges_create(shown->mesh, &edges) != LYRA_OK) {
        cli_failed();
        return false;
    }
    LyraMeshEdgesView view = lyra_mesh_edges_view(edges);
    link_vertices(body, shown->vertex_count, view.edge_count, view.vertices);
    lyra_mesh_edges_destroy(edges);
    LyraMeshView mesh = lyra_mesh_view(shown->mesh);
    int64_t corners = (int64_t)mesh.element_count * lyra_element_kind_nodes(mesh.kind);
    memset(body->counts, 0, (size_t)shown->vertex_count * sizeof(double));
    for (int64_t c = 0; c < corners; ++c) {
        body->counts[mesh.elements[c]] += 1;
    }
    return true;
}

// faces by material, those without one first, and the vertices that they have
static void sort_surface(ViewSurface *surface)
{
    LyraSurfaceView view = lyra_surface_view(surface->triangles);
    size_t faces = (size_t)view.face_count, vertices = (size_t)view.vertex_count;
    surface->triangle_count = view.face_count;
    surface->order = cli_allocate((faces + 1) * sizeof *surface->order);
    surface->corners = cli_allocate((faces + 1) * 3 * sizeof *surface->corners);
    surface->used = cli_allocate((vertices + 1) * sizeof *surface->used);
    surface->values = cli_allocate((vertices + 1) * sizeof *surface->values);
    memset(surface->used, 0, vertices * sizeof *surface->used);
    int32_t at = 0;
    for (int32_t m = -1; m < view.material_count; ++m) {
        for (int32_t f = 0; f < view.face_count; ++f) {
            if ((view.face_materials ? view.face_materials[f] : -1) == m) {
                surface->order[at++] = f;
            }
        }
    }
    for (int64_t c = 0; c < 3 * (int64_t)view.face_count; ++c) {
        int32_t vertex = view.corner_vertices[3 * (int64_t)surface->order[c / 3] + c % 3];
        surface->corners[c] = vertex;
        surface->used[vertex] = 1;
    }
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        if (surface->used[v]) {
            surface->used[surface->used_count++] = v;
        }
    }
}

// all surfaces, in triangles
static bool create_surfaces(View *view)
{
    Run *run = &view->run;
    view->surfaces = cli_allocate(((size_t)run->surface_count + 1) * sizeof *view->surfaces);
    for (int32_t s = 0; s < run->surface_count; ++s) {
        RunSurface *moved = &run->surfaces[s];
        ViewSurface *surface = &view->surfaces[view->surface_count];
        *surface = (ViewSurface){.moved = moved};
        if (lyra_surface_triangulate(moved->shown->surface, &surface->triangles) != LYRA_OK) {
            cli_failed();
            return false;
        }
        ++view->surface_count;
        sort_surface(surface);
    }
    return true;
}

static void find_fixed(View *view)
{
    LyraConstraintsView held = lyra_constraints_view(lyra_model_constraints(view->run.view.model));
    view->fixed = cli_allocate(((size_t)held.count + 1) * sizeof *view->fixed);
    const uint8_t *scalar = lyra_model_view(view->run.view.model).scalar;
    for (int32_t i = 0; i < held.count; ++i) {
        if (scalar && scalar[held.vertex[i]]) {
            continue;
        }
        if (i == 0 || held.vertex[i] != held.vertex[i - 1]) {
            view->fixed[view->fixed_count++] = held.vertex[i];
        }
    }
}

// A spring that moves the body about as far as the cursor goes: as stiff as a tenth of the body's
// size of its material; where there is no modulus, enough to swing its mass three times a second.
static double guess_stiffness(const View *view)
{
    LyraWorldParameter knob;
    LyraModelView model = lyra_model_view(view->run.view.model);
    double size = lyra_system_extent(view->run.view.system), mass = 0, young = INFINITY;
    for (int32_t i = 0; lyra_world_parameter(view->run.world, i, &knob); ++i) {
        // without a unit it is a factor on those of all bodies
        if (strcmp(knob.name, "young") == 0 && knob.unit[0]) {
            young = fmin(young, knob.start);
        }
    }
    for (int32_t v = 0; v < model.vertex_count; ++v) {
        mass += model.scalar && model.scalar[v] ? 0 : model.masses[v];
    }
    double swing = 6.283185307179586 * 3;
    double guess = isfinite(young) ? 0.1 * young * size : mass * swing * swing;
    return guess > 0 && isfinite(guess) ? guess : 1;
}

// what scenes of Vega say to viewers
static void take_settings(View *view)
{
    for (int32_t s = 0; s < view->run.said.setting_count; ++s) {
        const LyraSceneSetting *setting = &view->run.said.settings[s];
        if (strcmp(setting->key, "forceNeighborhoodSize") == 0) {
            long rings = strtol(setting->value, NULL, 10);
            view->rings = rings < 0 ? 0 : rings > VIEW_RINGS_MAX ? VIEW_RINGS_MAX : (uint32_t)rings;
        } else if (strcmp(setting->key, "pauseSimulation") == 0) {
            view->playing &= strcmp(setting->value, "1") != 0;
        }
    }
}

bool view_sim_create(View *view)
{
    Run *run = &view->run;
    // fields are for the colours too
    run->output.vtu_every = 1;
    if (!run_bodies_create(run) || !create_surfaces(view)) {
        return false;
    }
    view->bodies = cli_allocate(((size_t)run->body_count + 1) * sizeof *view->bodies);
    for (int32_t b = 0; b < run->body_count; ++b) {
        ++view->body_count;
        if (!create_body(&view->bodies[b], &run->bodies[b])) {
            return false;
        }
    }
    if (lyra_state_copy(run->view.state, &view->start) != LYRA_OK) {
        cli_failed();
        return false;
    }
    find_fixed(view);
    view->speed = 1;
    view->rings = 2;
    // without a surface there are the vertices to look at
    view->extras = view->surface_count == 0 ? VIEW_EXTRA_VOLUME : 0;
    take_settings(view);
    view->stiffness = view->start_stiffness = guess_stiffness(view);
    view->dirty = true;
    if (!view_publish_scene(view)) {
        return false;
    }
    view_publish_state(view);
    return true;
}

void view_sim_destroy(View *view)
{
    view_drag_clear(view);
    for (int32_t s = 0; s < view->surface_count; ++s) {
        lyra_surface_destroy(view->surfaces[s].triangles);
        free(view->surfaces[s].order);
        free(view->surfaces[s].corners);
        free(view->surfaces[s].used);
        free(view->surfaces[s].values);
    }
    for (int32_t b = 0; b < view->body_count; ++b) {
        free(view->bodies[b].values);
        free(view->bodies[b].counts);
        free(view->bodies[b].neighbor_start);
        free(view->bodies[b].neighbors);
    }
    free(view->surfaces);
    free(view->bodies);
    free(view->fixed);
    free(view->record_folder);
    lyra_state_destroy(view->start);
}

void view_notice(View *view, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = strlen(text);
    ViewBlob *blob = view_hub_blob(&view->hub, VIEW_NOTICE, VIEW_HEADER + length);
    memcpy(view_blob_bytes(blob) + VIEW_HEADER, text, length);
    view_hub_publish(&view->hub, VIEW_SLOT_NOTICE, blob);
}

// ---- commands -----------------------------------------------------------------------------------

static void reset(View *view)
{
    Run *run = &view->run;
    if (lyra_state_assign(run->view.state, view->start) != LYRA_OK) {
        view_notice(view, "%s", lyra_error_message());
        return;
    }
    view_record_end(view);
    view_drag_clear(view);
    run->report = (LyraStepReport){0};
    view->dissipated = view->work = view->elastic = 0;
    view->next = 0;
}

static void turn_knob(View *view, const ViewMessage *message)
{
    LyraWorldParameter knob;
    char path[512];
    if (message->knob.index >= VIEW_KNOBS_MAX ||
        !lyra_world_parameter(view->run.world, (int32_t)message->knob.index, &knob) ||
        snprintf(path, sizeof path, "%s", knob.path) >= (int)sizeof path) {
        return;
    }
    if (lyra_world_set(view->run.world, path, message->knob.value) != LYRA_OK) {
        view_notice(view, "%s", lyra_error_message());
    }
    view->run.view = lyra_world_view(view->run.world);
    run_measure_noise(&view->run);
}

static void take_method(View *view, const ViewMessage *message)
{
    int32_t index = message->method.index > INT32_MAX ? -1 : (int32_t)message->method.index;
    LyraIntegratorFacts facts;
    LyraStatus status = LYRA_OK;
    if (message->method.method == VIEW_INTEGRATOR && lyra_integrator_name(index, &facts)) {
        status = lyra_world_set_integrator(view->run.world, facts.name);
    } else if (message->method.method == VIEW_SOLVER) {
        // "auto" stands in front of the list
        const char *name = index == 0  ? "auto"
                           : index > 0 ? lyra_solver_name(index - 1, NULL)
                                       : NULL;
        status = name ? lyra_world_set_solver(view->run.world, name) : LYRA_OK;
    }
    if (status != LYRA_OK) {
        view_notice(view, "%s", lyra_error_message());
    }
    view->run.view = lyra_world_view(view->run.world);
}

static void play(View *view, ViewPlay word)
{
    switch (word) {
    case VIEW_RESET:
        reset(view);
        break;
    case VIEW_STEP:
        view->playing = false;
        view->single = true;
        break;
    default:
        view->playing = word == VIEW_GO;
        view->next = 0;
    }
}

static void follow(View *view, const ViewCommand *command)
{
    const ViewMessage *message = &command->message;
    view->dirty = true;
    switch (message->kind) {
    case VIEW_PLAY:
        play(view, message->play);
        break;
    case VIEW_SPEED:
        view->speed = message->speed;
        view->next = 0;
        break;
    case VIEW_KNOB:
        turn_knob(view, message);
        break;
    case VIEW_METHOD:
        take_method(view, message);
        break;
    case VIEW_SHOW:
        view->field = message->show.field;
        view->extras = message->show.extras;
        break;
    case VIEW_PULL:
        view->stiffness = message->pull.stiffness;
        view->rings = message->pull.rings;
        break;
    case VIEW_RECORD:
        if (message->record) {
            view_record_begin(view);
        } else {
            view_record_end(view);
        }
        break;
    default:
        // drags are no part of the state that viewers share
        view_drag_command(view, command);
        return;
    }
    view_publish_state(view);
}

// ---- steps --------------------------------------------------------------------------------------

static void stop_at_failure(View *view, LyraStatus status)
{
    const char *outcome = lyra_step_outcome_name(view->run.report.outcome);
    char reason[512];
    snprintf(reason, sizeof reason, "%s", lyra_error_message());
    view->playing = false;
    view_notice(view, "paused: a step failed (%s): %s", outcome,
                reason[0] ? reason : lyra_status_name(status));
    view_publish_state(view);
}

static void take_step(View *view)
{
    Run *run = &view->run;
    view->single = false;
    view->dirty = true;
    LyraStepReport report = run->report;
    LyraStatus status =
        view_drag_apply(view) ? lyra_world_step(run->world, &run->report) : LYRA_INVALID_ARGUMENT;
    if (status != LYRA_OK) {
        stop_at_failure(view, status);
        run->report = report;
        return;
    }
    view->dissipated += run->report.dissipated;
    view->work += run->report.work;
    double loads = 0;
    if (lyra_world_loads(run->world, NULL, &loads) != LYRA_OK) {
        view_notice(view, "%s", lyra_error_message());
    }
    view->elastic = run->report.elastic - lyra_world_pull_energy(run->world) - loads;
    double now = run_now(), passed = now - view->rate_clock;
    // over about half a second
    double part = fmin(1, 2 * passed);
    view->rate += part * (run->view.dt / fmax(passed, 1e-9) - view->rate);
    view->rate_clock = now;
    view_record_step(view);
}

// when the next step is to be taken, on the clock
static void schedule(View *view)
{
    double now = run_now();
    double pause = view->speed > 0 ? view->run.view.dt / view->speed : 0;
    view->next = view->next > now - LATE_SECONDS ? view->next + pause : now + pause;
}

// whether steps are to be taken: nobody sees those that are taken without a viewer, and they cost
// a core; a recording is seen later
static bool is_running(const View *view, int32_t viewers)
{
    return view->playing && (viewers > 0 || view->recording);
}

// how long there is nothing to do
static double idle_seconds(View *view, bool running)
{
    // who comes, goes, says something or takes a frame wakes us, and so does the end
    const double rest = 3600;
    double now = run_now(), until = now + rest;
    if (running) {
        until = fmin(until, view->next);
    }
    if (view->dirty && view_hub_wants_frame(&view->hub)) {
        until = fmin(until, view->shown + FRAME_SECONDS);
    }
    return fmax(0, until - now);
}

void *view_sim_run(void *self)
{
    View *view = self;
    int32_t viewers = 0;
    while (!view_hub_has_ended(&view->hub)) {
        ViewCommand command;
        while (view_hub_receive(&view->hub, &command)) {
            follow(view, &command);
        }
        view_drag_check(view);
        int32_t now_there = view_hub_client_count(&view->hub);
        view->dirty |= now_there > viewers;
        viewers = now_there;
        if (view->single || (is_running(view, viewers) && run_now() >= view->next)) {
            take_step(view);
            schedule(view);
        }
        if (view->dirty && run_now() >= view->shown + FRAME_SECONDS &&
            view_hub_wants_frame(&view->hub)) {
            view->dirty = !view_publish_frame(view);
            view->shown = run_now();
        }
        double idle = idle_seconds(view, is_running(view, viewers));
        if (idle > 0) {
            view_hub_wait(&view->hub, idle);
        }
    }
    view_record_end(view);
    return NULL;
}
