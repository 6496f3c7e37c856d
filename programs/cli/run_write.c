// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The files of results: arrays and caches that grow by a frame, numbered files in folders of their
// kind, and what is made of all frames at the end.

#include "run.h"

#include "lyra/matrix_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// more morph targets than this no reader of glTF enjoys, and the weights grow with the square
#define GLTF_FRAMES_MAX 1000

// ---- folders ------------------------------------------------------------------------------------

static bool make_folder(const char *path)
{
    // every part of it, from the front
    char *part = cli_allocate(strlen(path) + 1);
    bool good = true;
    for (size_t i = 1; good && i <= strlen(path); ++i) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            cli_fail("cannot make the folder %s: %s", part, strerror(errno));
            good = false;
        }
    }
    struct stat info;
    if (good && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))) {
        cli_fail("%s is not a folder", path);
        good = false;
    }
    free(part);
    return good;
}

bool run_folder_lock(Run *run)
{
    if (run->lock) {
        return true;
    }
    if (!make_folder(run->options.out)) {
        return false;
    }
    char *path = run_path(run, RUN_LOCK);
    run->lock = fopen(path, "a");
    bool good = run->lock != NULL;
    if (!good) {
        cli_fail("cannot write %s: %s", path, strerror(errno));
    } else if (flock(fileno(run->lock), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        // file systems without locks are used without
        cli_fail("another run writes to %s: wait until it ends, or give another --out",
                 run->options.out);
        fclose(run->lock);
        run->lock = NULL;
        good = false;
    }
    free(path);
    return good;
}

// the step in "name_000120.vtu", -1 for other files
static int64_t step_of(const char *file)
{
    const char *digits = strrchr(file, '_'), *dot = strrchr(file, '.');
    if (!digits || !dot || dot - digits < 7) {
        return -1;
    }
    char *end = NULL;
    long long step = strtoll(digits + 1, &end, 10);
    return end == dot ? step : -1;
}

// drops numbered files beyond a step, and what a killed process left half written
static void clean_folder(const char *path, int64_t step)
{
    DIR *folder = opendir(path);
    if (!folder) {
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        const char *name = entry->d_name;
        size_t length = strlen(name);
        bool half =
            strncmp(name, ".lyra-", 6) == 0 && length > 4 && strcmp(name + length - 4, ".tmp") == 0;
        if (half || step_of(name) > step) {
            char *file = cli_allocate(strlen(path) + length + 2);
            snprintf(file, strlen(path) + length + 2, "%s/%s", path, name);
            unlink(file);
            free(file);
        }
    }
    closedir(folder);
}

static bool open_folders(Run *run, bool resumed)
{
    const struct {
        const char *name;
        int64_t every;
    } folders[] = {{"vtu", run->output.vtu_every},
                   {"obj", run->output.obj_every},
                   {"pictures", run->output.snapshot_every}};
    if (!run_folder_lock(run)) {
        return false;
    }
    clean_folder(run->options.out, INT64_MAX);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        char *path = run_path(run, "%s", folders[i].name);
        clean_folder(path, resumed ? run->step : -1);
        bool good = folders[i].every == 0 || make_folder(path);
        free(path);
        if (!good) {
            return false;
        }
    }
    // a checkpoint of what is now written over must not be taken for one of this run
    char *path = run_path(run, "%s", RUN_CHECKPOINT);
    bool good = resumed || unlink(path) == 0 || errno == ENOENT;
    if (!good) {
        cli_fail("cannot remove %s: %s", path, strerror(errno));
    }
    free(path);
    return good;
}

// ---- series -------------------------------------------------------------------------------------

static bool open_series(Run *run, const char *name, const LyraSeriesDef *def, LyraSeries **out)
{
    char *path = run_path(run, "%s", name);
    bool good = lyra_series_create(run->ctx, path, def, out) == LYRA_OK;
    free(path);
    if (!good) {
        cli_failed();
    }
    return good;
}

// where the vertices of a body are at rest, what displacements count from
static bool save_rest(const Run *run, const RunBody *body)
{
    const double *X = lyra_model_view(run->view.model).positions;
    int64_t first = 3 * (int64_t)body->body->first_vertex, count = body->body->vertex_count;
    double *columns = cli_allocate(3 * (size_t)count * sizeof *columns);
    for (int64_t i = 0; i < 3 * count; ++i) {
        columns[i / 3 + count * (i % 3)] = X[first + i];
    }
    const LyraDenseView matrix = {.rows = (int32_t)count, .columns = 3, .values = columns};
    char *path = run_path(run, "%s_rest.npy", body->name);
    bool good = lyra_dense_save_npy(run->ctx, path, LYRA_NPY_ROW_MAJOR, matrix) == LYRA_OK;
    free(path);
    free(columns);
    if (!good) {
        cli_failed();
    }
    return good;
}

// file i of what elements remember
static LyraSeries **memory_file(Run *run, int32_t i)
{
    return &run->bodies[i / LYRA_MEMORY_COUNT].memory_files[i % LYRA_MEMORY_COUNT];
}

// opens them
static bool open_memories(Run *run, int64_t keep)
{
    for (int32_t i = 0; i < run->body_count * LYRA_MEMORY_COUNT; ++i) {
        RunBody *body = &run->bodies[i / LYRA_MEMORY_COUNT];
        LyraMemory m = (LyraMemory)(i % LYRA_MEMORY_COUNT);
        LyraMemoryView view = lyra_memory_view(m);
        LyraSeriesDef def = lyra_series_def_default();
        char name[160];
        if (!body->memory[m]) {
            continue;
        }
        snprintf(name, sizeof name, "%s_%s.npy", body->name, view.name);
        def.shape[0] = lyra_mesh_view(body->body->mesh).element_count;
        def.shape[1] = view.components;
        def.dimensions = view.components > 1 ? 2 : 1;
        def.keep = keep;
        if (!open_series(run, name, &def, &body->memory_files[m])) {
            return false;
        }
    }
    return true;
}

bool run_files_open(Run *run, bool resumed, int64_t frames)
{
    if (!open_folders(run, resumed)) {
        return false;
    }
    LyraSeriesDef def = lyra_series_def_default();
    def.shape[0] = run_vertices(run);
    def.shape[1] = 3;
    if (run->output.matrix) {
        LyraSeriesDef columns = def;
        columns.format = LYRA_SERIES_VEGA;
        columns.keep = resumed ? run->step : -1;
        if (!open_series(run, run->output.matrix, &columns, &run->matrix)) {
            return false;
        }
    }
    if (run->output.save_every == 0) {
        return true;
    }
    for (int32_t b = 0; b < run->body_count; ++b) {
        if (!save_rest(run, &run->bodies[b])) {
            return false;
        }
    }
    def.keep = resumed ? frames : -1;
    if (!open_series(run, "displacement.npy", &def, &run->displacement) ||
        !open_series(run, "velocity.npy", &def, &run->velocity)) {
        return false;
    }
    if (run->output.save_history && !open_memories(run, def.keep)) {
        return false;
    }
    def.dimensions = 0;
    if (!open_series(run, "time.npy", &def, &run->time)) {
        return false;
    }
    def.dimensions = 2;
    def.format = LYRA_SERIES_PC2;
    for (int32_t s = 0; (run->output.pc2 || run->output.gltf) && s < run->surface_count; ++s) {
        RunSurface *surface = &run->surfaces[s];
        char name[160];
        snprintf(name, sizeof name, "%s.pc2", surface->name);
        def.shape[0] = lyra_surface_view(surface->shown->surface).vertex_count;
        if (!open_series(run, name, &def, &surface->pc2)) {
            return false;
        }
    }
    return true;
}

void run_files_close(Run *run)
{
    lyra_series_destroy(run->displacement);
    lyra_series_destroy(run->velocity);
    lyra_series_destroy(run->time);
    lyra_series_destroy(run->matrix);
    run->displacement = run->velocity = run->time = run->matrix = NULL;
    for (int32_t i = 0; i < run->body_count * LYRA_MEMORY_COUNT; ++i) {
        LyraSeries **file = memory_file(run, i);
        lyra_series_destroy(*file);
        *file = NULL;
    }
    for (int32_t s = 0; s < run->surface_count; ++s) {
        lyra_series_destroy(run->surfaces[s].pc2);
        run->surfaces[s].pc2 = NULL;
    }
    if (run->csv) {
        fclose(run->csv);
        run->csv = NULL;
    }
    run_motion_close(run);
    if (run->lock) {
        fclose(run->lock);
        run->lock = NULL;
    }
    free(run->saved.steps);
    free(run->saved.times);
    free(run->vtus.steps);
    free(run->vtus.times);
    run->saved = run->vtus = (RunFrames){0};
}

void run_frames_add(RunFrames *frames, int64_t step, double time)
{
    if (frames->count == frames->capacity) {
        int64_t capacity = 2 * frames->capacity + 64;
        int64_t *steps = cli_allocate((size_t)capacity * sizeof *steps);
        double *times = cli_allocate((size_t)capacity * sizeof *times);
        if (frames->count > 0) {
            memcpy(steps, frames->steps, (size_t)frames->count * sizeof *steps);
            memcpy(times, frames->times, (size_t)frames->count * sizeof *times);
        }
        free(frames->steps);
        free(frames->times);
        frames->steps = steps;
        frames->times = times;
        frames->capacity = capacity;
    }
    frames->steps[frames->count] = step;
    frames->times[frames->count++] = time;
}

static bool append(LyraSeries *series, const double *values)
{
    if (lyra_series_append(series, values) != LYRA_OK) {
        cli_failed();
        return false;
    }
    return true;
}

// of the vertices of all bodies, without unknowns of edges
static bool append_vertices(const Run *run, LyraSeries *series, const LyraVector *vector)
{
    const double *values = lyra_vector_values(vector);
    int64_t all = lyra_vector_size(vector), count = 3 * (int64_t)run_vertices(run), at = 0;
    if (count == all) {
        return append(series, values);
    }
    double *places = cli_allocate((size_t)count * sizeof *places);
    for (int32_t b = 0; b < run->view.body_count; ++b) {
        const LyraBodyView *body = &run->view.bodies[b];
        memcpy(places + at, values + 3 * (int64_t)body->first_vertex,
               3 * (size_t)body->vertex_count * sizeof *places);
        at += 3 * (int64_t)body->vertex_count;
    }
    bool good = append(series, places);
    free(places);
    return good;
}

static bool save_memories(Run *run)
{
    for (int32_t b = 0; run->output.save_history && b < run->body_count; ++b) {
        RunBody *body = &run->bodies[b];
        if (body->fields && !run_move_body(run, body)) {
            return false;
        }
        for (int m = 0; m < LYRA_MEMORY_COUNT; ++m) {
            if (body->memory_files[m] && !append(body->memory_files[m], body->memory[m])) {
                return false;
            }
        }
    }
    return true;
}

static bool save_frame(Run *run)
{
    LyraStateView state = lyra_state_view(run->view.state);
    if (!append_vertices(run, run->displacement, state.u) ||
        !append_vertices(run, run->velocity, state.v) || !append(run->time, &state.time) ||
        !save_memories(run)) {
        return false;
    }
    for (int32_t s = 0; s < run->surface_count; ++s) {
        if (run->surfaces[s].pc2 && !append(run->surfaces[s].pc2, run->surfaces[s].x)) {
            return false;
        }
    }
    run_frames_add(&run->saved, run->step, state.time);
    return true;
}

// ---- numbered files -----------------------------------------------------------------------------

enum { FIELDS = 7 };

// adds what elements remember to fields; the new count
static int32_t add_memory(const RunBody *body, int32_t count, LyraField *fields)
{
    for (LyraMemory m = 0; m < LYRA_MEMORY_COUNT; ++m) {
        LyraMemoryView view = lyra_memory_view(m);
        if (body->memory[m]) {
            fields[count++] = (LyraField){view.name, true, view.components, body->memory[m]};
        }
    }
    return count;
}

static bool save_body(Run *run, RunBody *body)
{
    LyraStateView state = lyra_state_view(run->view.state);
    int64_t first = 3 * (int64_t)body->body->first_vertex;
    if (!run_move_body(run, body)) {
        return false;
    }
    LyraField fields[FIELDS + LYRA_MEMORY_COUNT] = {
        {"displacement", false, 3, lyra_vector_values(state.u) + first},
        {"velocity", false, 3, lyra_vector_values(state.v) + first},
        {"reaction force", false, 3, lyra_vector_values(run->reaction) + first},
        {"det F", true, 1, body->det},
        {"strain energy density", true, 1, body->energy_density},
        {"stress", true, 6, body->stress},
        {"von Mises", true, 1, body->von_mises},
    };
    // springs have no stress
    int32_t count = lyra_fields_have_stress(body->fields) ? FIELDS : 4;
    count = add_memory(body, count, fields);
    char *path = run_path(run, "vtu/%s_%06" PRId64 ".vtu", body->name, run->step);
    bool good = lyra_mesh_save_fields(body->body->mesh, path, body->x, state.time, count, fields) ==
                LYRA_OK;
    free(path);
    if (!good) {
        cli_failed();
    }
    return good;
}

static bool save_cloth(Run *run, RunBody *body)
{
    LyraStateView state = lyra_state_view(run->view.state);
    int64_t first = 3 * (int64_t)body->body->first_vertex;
    int32_t triangles;
    run_triangles(body->body, &triangles);
    if (!run_move_body(run, body)) {
        return false;
    }
    double *columns = cli_allocate(5 * (size_t)triangles * sizeof *columns);
    for (int64_t t = 0; t < triangles; ++t) {
        for (int c = 0; c < 5; ++c) {
            columns[c * (int64_t)triangles + t] =
                c < 3 ? body->strains[3 * t + c] : body->stretches[2 * t + c - 3];
        }
    }
    const LyraField fields[] = {
        {"displacement", false, 3, lyra_vector_values(state.u) + first},
        {"velocity", false, 3, lyra_vector_values(state.v) + first},
        {"reaction force", false, 3, lyra_vector_values(run->reaction) + first},
        {"strain u", true, 1, columns},
        {"strain v", true, 1, columns + triangles},
        {"shear", true, 1, columns + 2 * (int64_t)triangles},
        {"larger stretch", true, 1, columns + 3 * (int64_t)triangles},
        {"smaller stretch", true, 1, columns + 4 * (int64_t)triangles},
    };
    char *path = run_path(run, "vtu/%s_%06" PRId64 ".vtu", body->name, run->step);
    bool good = lyra_surface_save_fields(body->body->sheet, path, body->x, state.time, 8, fields) ==
                LYRA_OK;
    free(path);
    free(columns);
    if (!good) {
        cli_failed();
    }
    return good;
}

// a shell with what is measured of it, the larger principal values first
static bool save_shell(Run *run, RunBody *body)
{
    enum { COLUMNS = 10 };
    static const char *const names[COLUMNS] = {
        "membrane strain 1", "membrane strain 2", "curvature 1",     "curvature 2",
        "top strain 1",      "top strain 2",      "bottom strain 1", "bottom strain 2",
        "von Mises top",     "von Mises bottom"};
    LyraStateView state = lyra_state_view(run->view.state);
    LyraShellView shell = lyra_shell_view(body->body->shell);
    const double *u = lyra_vector_values(state.u) + 3 * (int64_t)body->body->first_vertex;
    if (!run_move_body(run, body)) {
        return false;
    }
    int64_t count = shell.triangle_count, first = 3 * (int64_t)body->body->first_vertex;
    LyraShellMeasure *measures = cli_allocate((size_t)count * sizeof *measures);
    double *scalars = cli_allocate(((size_t)shell.scalar_count + 1) * sizeof *scalars);
    double *columns = cli_allocate(COLUMNS * (size_t)count * sizeof *columns);
    for (int32_t s = 0; s < shell.scalar_count; ++s) {
        scalars[s] = u[3 * ((int64_t)shell.vertex_count + s)];
    }
    lyra_shell_measure(body->body->shell, body->x, scalars, measures);
    LyraField fields[3 + COLUMNS] = {
        {"displacement", false, 3, u},
        {"velocity", false, 3, lyra_vector_values(state.v) + first},
        {"reaction force", false, 3, lyra_vector_values(run->reaction) + first},
    };
    for (int64_t t = 0; t < count; ++t) {
        const LyraShellMeasure *m = &measures[t];
        const double values[COLUMNS] = {
            m->strain[0], m->strain[1], m->curvature[0], m->curvature[1], m->top[0],
            m->top[1],    m->bottom[0], m->bottom[1],    m->top_stress,   m->bottom_stress};
        for (int c = 0; c < COLUMNS; ++c) {
            columns[c * count + t] = values[c];
        }
    }
    // a shell that flows has no stress to show
    int32_t shown = count > 0 && isnan(measures[0].top_stress) ? COLUMNS - 2 : COLUMNS;
    for (int c = 0; c < shown; ++c) {
        fields[3 + c] = (LyraField){names[c], true, 1, columns + c * count};
    }
    char *path = run_path(run, "vtu/%s_%06" PRId64 ".vtu", body->name, run->step);
    bool good = lyra_surface_save_fields(body->body->sheet, path, body->x, state.time, 3 + shown,
                                         fields) == LYRA_OK;
    free(path);
    free(measures);
    free(scalars);
    free(columns);
    if (!good) {
        cli_failed();
    }
    return good;
}

// a rod as lines, with what is measured of it
static bool save_rod(Run *run, RunBody *body)
{
    LyraStateView state = lyra_state_view(run->view.state);
    int64_t first = 3 * (int64_t)body->body->first_vertex;
    LyraRodView rod = lyra_rod_view(body->body->rod);
    int64_t vertices = rod.vertex_count, edges = rod.edge_count;
    if (!run_move_body(run, body)) {
        return false;
    }
    double *values = cli_allocate((size_t)(4 * vertices + edges) * sizeof *values);
    const LyraRodMeasures measures = {.curvature = values,
                                      .moment = values + vertices,
                                      .twist = values + 2 * vertices,
                                      .torque = values + 3 * vertices,
                                      .tension = values + 4 * vertices};
    const LyraField fields[] = {
        {"displacement", false, 3, lyra_vector_values(state.u) + first},
        {"velocity", false, 3, lyra_vector_values(state.v) + first},
        {"reaction force", false, 3, lyra_vector_values(run->reaction) + first},
        {"curvature", false, 1, measures.curvature},
        {"bending moment", false, 1, measures.moment},
        {"twist", false, 1, measures.twist},
        {"torque", false, 1, measures.torque},
        {"tension", true, 1, measures.tension},
    };
    const LyraLinesView lines = {rod.vertex_count, rod.edge_count, body->x, rod.edges, NULL};
    int32_t number = (int32_t)(body->body - run->view.bodies);
    char *path = run_path(run, "vtu/%s_%06" PRId64 ".vtu", body->name, run->step);
    bool good = lyra_world_rod_measure(run->world, number, &measures) == LYRA_OK &&
                lyra_lines_save_fields(run->ctx, &lines, path, state.time, 8, fields) == LYRA_OK;
    free(path);
    free(values);
    if (!good) {
        cli_failed();
    }
    return good;
}

// the shape of an affine body, carried along by its particles
static bool save_affine(Run *run, const RunBody *body)
{
    LyraStateView state = lyra_state_view(run->view.state);
    const LyraMesh *shape = body->body->shape;
    const LyraEmbedding *embedding = lyra_affine_view(body->body->affine).embedding;
    LyraMeshView view = lyra_mesh_view(shape);
    int64_t first = 3 * (int64_t)body->body->first_vertex, count = 3 * (int64_t)view.vertex_count;
    double *values = cli_allocate(3 * (size_t)count * sizeof *values);
    lyra_embedding_interpolate(embedding, lyra_vector_values(state.u) + first, values);
    lyra_embedding_interpolate(embedding, lyra_vector_values(state.v) + first, values + count);
    for (int64_t i = 0; i < count; ++i) {
        values[2 * count + i] = view.positions[i] + values[i];
    }
    const LyraField fields[] = {{"displacement", false, 3, values},
                                {"velocity", false, 3, values + count}};
    char *path = run_path(run, "vtu/%s_%06" PRId64 ".vtu", body->name, run->step);
    bool good =
        lyra_mesh_save_fields(shape, path, values + 2 * count, state.time, 2, fields) == LYRA_OK;
    free(path);
    free(values);
    if (!good) {
        cli_failed();
    }
    return good;
}

// the list of all VTU files of a body and their times
static bool save_collection(Run *run, const RunBody *body)
{
    const RunFrames *frames = &run->vtus;
    enum { NAME = 160 };
    LyraPvdEntry *entries = cli_allocate((size_t)frames->count * sizeof *entries);
    char *names = cli_allocate((size_t)frames->count * NAME);
    for (int64_t i = 0; i < frames->count; ++i) {
        snprintf(names + i * NAME, NAME, "vtu/%s_%06" PRId64 ".vtu", body->name, frames->steps[i]);
        entries[i] = (LyraPvdEntry){.time = frames->times[i], .file = names + i * NAME};
    }
    char *path = run_path(run, "%s.pvd", body->name);
    bool good = lyra_pvd_save(run->ctx, path, (int32_t)frames->count, entries) == LYRA_OK;
    free(path);
    free(names);
    free(entries);
    if (!good) {
        cli_failed();
    }
    return good;
}

static bool save_vtus(Run *run)
{
    LyraStateView state = lyra_state_view(run->view.state);
    if (lyra_integrator_reaction(run->view.integrator, run->view.state, run->reaction) != LYRA_OK) {
        cli_failed();
        return false;
    }
    run_frames_add(&run->vtus, run->step, state.time);
    for (int32_t b = 0; b < run->body_count; ++b) {
        RunBody *body = &run->bodies[b];
        if (!body->fields && !body->body->affine && !body->stretches && !body->body->rod) {
            continue;
        }
        if (!(body->fields        ? save_body(run, body)
              : body->body->shell ? save_shell(run, body)
              : body->stretches   ? save_cloth(run, body)
              : body->body->rod   ? save_rod(run, body)
                                  : save_affine(run, body)) ||
            !save_collection(run, body)) {
            return false;
        }
    }
    return true;
}

static bool save_surfaces(Run *run)
{
    for (int32_t s = 0; s < run->surface_count; ++s) {
        const RunSurface *surface = &run->surfaces[s];
        LyraSurfaceView view = lyra_surface_view(surface->shown->surface);
        LyraSurface *moved = NULL;
        view.positions = surface->x;
        // normals of the rest shape would be wrong
        view.normal_count = 0;
        view.corner_normals = NULL;
        char *path = run_path(run, "obj/%s_%06" PRId64 ".obj", surface->name, run->step);
        bool good = lyra_surface_create(run->ctx, &view, &moved) == LYRA_OK &&
                    lyra_surface_save(moved, path, LYRA_MESH_FORMAT_OBJ) == LYRA_OK;
        lyra_surface_destroy(moved);
        free(path);
        if (!good) {
            cli_failed();
            return false;
        }
    }
    return true;
}

// ---- all of them --------------------------------------------------------------------------------

static bool is_due(int64_t every, int64_t step)
{
    return every > 0 && step % every == 0;
}

bool run_files_write(Run *run)
{
    const LyraSceneOutput *output = &run->output;
    bool save = is_due(output->save_every, run->step), obj = is_due(output->obj_every, run->step);
    bool picture = is_due(output->snapshot_every, run->step);
    if (save || obj || picture) {
        run_move_surfaces(run);
    }
    // a column for each step, none for the start
    if (run->matrix && run->step > 0 &&
        !append_vertices(run, run->matrix, lyra_state_view(run->view.state).u)) {
        return false;
    }
    return (!save || (save_frame(run) && run_motion_write(run))) && (!obj || save_surfaces(run)) &&
           (!is_due(output->vtu_every, run->step) || save_vtus(run)) &&
           (!picture || run_picture_write(run));
}

bool run_files_sync(Run *run)
{
    LyraSeries *all[] = {run->displacement, run->velocity, run->time, run->matrix};
    int32_t surfaces = 4 + run->surface_count,
            count = surfaces + run->body_count * LYRA_MEMORY_COUNT;
    for (int32_t i = 0; i < count; ++i) {
        LyraSeries *series = i < 4          ? all[i]
                             : i < surfaces ? run->surfaces[i - 4].pc2
                                            : *memory_file(run, i - surfaces);
        if (series && lyra_series_sync(series) != LYRA_OK) {
            cli_failed();
            return false;
        }
    }
    return true;
}

bool run_files_finish(Run *run)
{
    // one frame, of a run that ended before it moved, is no animation
    if (!run->output.gltf || run->saved.count < 2) {
        return true;
    }
    if (run->saved.count > GLTF_FRAMES_MAX) {
        fprintf(stderr, "lyra: %" PRId64 " frames are too many for glTF (%d): the .pc2 hold them\n",
                run->saved.count, GLTF_FRAMES_MAX);
        return true;
    }
    for (int32_t s = 0; s < run->surface_count; ++s) {
        const RunSurface *surface = &run->surfaces[s];
        char *path = run_path(run, "%s.gltf", surface->name);
        char *cache = run_path(run, "%s.pc2", surface->name);
        bool good = lyra_gltf_save_animation(run->ctx, path, surface->shown->surface, cache,
                                             run->saved.count, run->saved.times) == LYRA_OK;
        free(path);
        free(cache);
        if (!good) {
            cli_failed();
            return false;
        }
    }
    return true;
}

void run_files_list(const Run *run)
{
    const LyraSceneOutput *output = &run->output;
    const char *out = run->options.out;
    printf("wrote %s/summary.json, steps.csv, %s\n", out, RUN_CHECKPOINT);
    if (output->save_every > 0) {
        printf("wrote %s/displacement.npy, velocity.npy, time.npy: %" PRId64
               " frames; *_rest.npy\n",
               out, run->saved.count);
    }
    for (int32_t i = 0; i < run->body_count * LYRA_MEMORY_COUNT; ++i) {
        const RunBody *body = &run->bodies[i / LYRA_MEMORY_COUNT];
        if (run->output.save_every > 0 && run->output.save_history &&
            body->memory[i % LYRA_MEMORY_COUNT]) {
            printf("wrote %s/%s_%s.npy\n", out, body->name,
                   lyra_memory_view((LyraMemory)(i % LYRA_MEMORY_COUNT)).name);
        }
    }
    if (run->matrix) {
        printf("wrote %s/%s: %" PRId64 " columns\n", out, output->matrix, run->step);
    }
    for (int32_t s = 0; s < run->surface_count; ++s) {
        const RunSurface *surface = &run->surfaces[s];
        if (surface->pc2) {
            bool gltf = output->gltf && run->saved.count > 1 && run->saved.count <= GLTF_FRAMES_MAX;
            printf("wrote %s/%s.pc2%s\n", out, surface->name, gltf ? " and .gltf" : "");
        }
        if (output->obj_every > 0) {
            printf("wrote %s/obj/%s_*.obj\n", out, surface->name);
        }
    }
    int64_t every = output->snapshot_every;
    if (every > 0) {
        printf("wrote %s/pictures/picture_*.png, the last one picture_%06" PRId64 ".png\n", out,
               run->step / every * every);
    }
    for (int32_t b = 0; b < run->body_count; ++b) {
        if (output->vtu_every > 0 &&
            (run->bodies[b].fields || run->bodies[b].stretches || run->bodies[b].body->rod)) {
            printf("wrote %s/%s.pvd: %" PRId64 " times\n", out, run->bodies[b].name,
                   run->vtus.count);
        }
    }
}
