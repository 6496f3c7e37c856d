// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What all scenes share, whatever file they come from: life cycle, views, a step.

#include "scene/scene.h"

#include "base/file.h"
#include "base/scanner.h"
#include "integrate/integrate.h"
#include "model/state.h"

#include <stdio.h>
#include <string.h>

LyraSceneDef lyra_scene_def_default(void)
{
    return (LyraSceneDef){.cookie = LY_DEF_COOKIE};
}

uint64_t ly_digest(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i) {
        digest = (digest ^ at[i]) * 0x100000001b3u;
    }
    return digest;
}

// ---- life ---------------------------------------------------------------------------------------

// By the extension; a file that has another is a `.config` if the first thing in it that is no
// comment is a star, which opens their keys and would be an alias in YAML.
static LyraStatus find_format(LyraContext *ctx, const char *path, bool *config)
{
    *config = ly_path_has_extension(path, ".config");
    if (*config || ly_path_has_extension(path, ".yaml") || ly_path_has_extension(path, ".yml")) {
        return LYRA_OK;
    }
    char *text = NULL;
    size_t length;
    LY_TRY(ly_file_read(ctx, path, &text, &length));
    LyScanner scanner = ly_scanner_make(path, text, length, '#');
    *config = ly_scanner_next_content(&scanner) && *scanner.at == '*';
    ly_release(ctx, text);
    return LYRA_OK;
}

LyraStatus lyra_scene_load(LyraContext *ctx, const char *path, const LyraSceneDef *def,
                           LyraScene **out)
{
    LyraSceneDef defaults = lyra_scene_def_default();
    def = def ? def : &defaults;
    LY_CHECK_DEF(def, "lyra_scene_def_default");
    LyraScene *scene = NULL;
    bool config;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *scene, &scene));
    scene->ctx = scene->undo.ctx = ctx;
    scene->substeps = 1;
    scene->camera = (LyraSceneCamera){
        .fitted = true, .azimuth = 30, .elevation = 20, .up = {0, 1, 0}, .field_of_view = 40};
    scene->digest = 0xcbf29ce484222325u;
    LY_TRY_DONE(ly_string_copy(ctx, path, strlen(path), &scene->path));
    LY_TRY_DONE(find_format(ctx, path, &config));
    LY_TRY_DONE(config ? ly_scene_read_config(scene, def) : ly_scene_read_yaml(scene, def));
    ly_scene_note_start(scene);
    *out = scene;
    return LYRA_OK;
done:
    lyra_scene_destroy(scene);
    return status;
}

LyraStatus ly_scene_take_force(LyraScene *scene, LyraForce *force)
{
    LyraStatus status =
        ly_resize_array(scene->ctx, scene->force_count + 1, sizeof *scene->forces, &scene->forces);
    if (status != LYRA_OK) {
        lyra_force_destroy(force);
        return status;
    }
    scene->forces[scene->force_count++] = force;
    return LYRA_OK;
}

LyraStatus ly_scene_own_force(const LyraScene *scene, int32_t body, LyraForce *force)
{
    char name[120];
    snprintf(name, sizeof name, "%.80s.%.30s", scene->bodies[body].name,
             lyra_force_type(force)->name);
    return lyra_force_set_owner(force, body, name);
}

// what a body is made of
static LyraForce *const *body_forces(const LyraSceneBody *body, int32_t *count)
{
    *count = 0;
    if (body->affine) {
        LyraAffineView view = lyra_affine_view(body->affine);
        *count = view.force_count;
        return view.forces;
    }
    return body->solid ? lyra_solid_forces(body->solid, count) : NULL;
}

LyraStatus ly_scene_gather(LyraScene *scene, LyraModelDef *def, LyraForce ***forces,
                           LyraModelBody **bodies)
{
    int32_t total = scene->force_count, at = 0, count;
    for (int32_t b = 0; b < scene->body_count; ++b) {
        body_forces(&scene->bodies[b], &count);
        total += count;
    }
    LY_TRY(ly_allocate_array(scene->ctx, total, sizeof **forces, forces));
    LY_TRY(ly_allocate_array(scene->ctx, scene->body_count, sizeof **bodies, bodies));
    for (int32_t b = 0; b < scene->body_count; ++b) {
        const LyraSceneBody *body = &scene->bodies[b];
        (*bodies)[b] = (LyraModelBody){.name = body->name,
                                       .first_vertex = body->first_vertex,
                                       .vertex_count = body->vertex_count};
        LyraForce *const *own = body_forces(body, &count);
        for (int32_t f = 0; f < count; ++f) {
            LY_TRY(ly_scene_own_force(scene, b, own[f]));
            (*forces)[at++] = own[f];
        }
    }
    for (int32_t f = 0; f < scene->force_count; ++f) {
        (*forces)[at++] = scene->forces[f];
    }
    def->forces = *forces;
    def->force_count = total;
    def->bodies = *bodies;
    def->body_count = scene->body_count;
    return LYRA_OK;
}

static void destroy_body(LyraContext *ctx, LyraSceneBody *body)
{
    for (int32_t s = 0; s < body->surface_count; ++s) {
        const LyraSceneSurface *shown = &body->surfaces[s];
        lyra_embedding_destroy((LyraEmbedding *)shown->embedding);
        lyra_surface_destroy((LyraSurface *)shown->surface);
        ly_release(ctx, (char *)shown->name);
        ly_release(ctx, (char *)shown->path);
    }
    ly_release(ctx, (LyraSceneSurface *)body->surfaces);
    lyra_solid_destroy((LyraSolid *)body->solid);
    lyra_affine_destroy((LyraAffine *)body->affine);
    lyra_mesh_destroy((LyraMesh *)body->mesh);
    lyra_mesh_destroy((LyraMesh *)body->shape);
    ly_release(ctx, (char *)body->name);
}

void lyra_scene_destroy(LyraScene *scene)
{
    if (!scene) {
        return;
    }
    LyraContext *ctx = scene->ctx;
    lyra_state_destroy(scene->work);
    lyra_state_destroy(scene->state);
    lyra_integrator_destroy(scene->integrator);
    lyra_system_destroy(scene->system);
    lyra_model_destroy(scene->model);
    if (scene->loads_destroy) {
        scene->loads_destroy(ctx, scene->loads);
    }
    for (int32_t r = 0; r < scene->rule_count; ++r) {
        if (scene->rules[r].destroy) {
            scene->rules[r].destroy(ctx, scene->rules[r].self);
        }
    }
    for (int32_t f = 0; f < scene->force_count; ++f) {
        lyra_force_destroy(scene->forces[f]);
    }
    for (int32_t b = 0; b < scene->body_count; ++b) {
        destroy_body(ctx, &scene->bodies[b]);
    }
    for (int32_t s = 0; s < scene->setting_count; ++s) {
        ly_release(ctx, (char *)scene->settings[s].value);
    }
    ly_release(ctx, (char *)scene->output.matrix);
    ly_release(ctx, scene->solid_defs);
    ly_release(ctx, scene->settings);
    ly_undo_end(&scene->undo);
    ly_release(ctx, scene->rules);
    ly_release(ctx, scene->forces);
    ly_release(ctx, scene->bodies);
    ly_release(ctx, scene->name);
    ly_release(ctx, scene->path);
    ly_release(ctx, scene);
}

// ---- use ----------------------------------------------------------------------------------------

LyraSceneView lyra_scene_view(const LyraScene *scene)
{
    return (LyraSceneView){
        .name = scene->name ? scene->name : ly_path_name(scene->path),
        .path = scene->path,
        .model = scene->model,
        .system = scene->system,
        .integrator = scene->integrator,
        .state = scene->state,
        .dt = scene->dt,
        .steps = scene->steps,
        .body_count = scene->body_count,
        .bodies = scene->bodies,
        .output = scene->output,
        .camera = scene->camera,
        .setting_count = scene->setting_count,
        .settings = scene->settings,
        .digest = scene->digest,
    };
}

// The report of a whole step from those of its parts: counts, times and energies that passed are
// sums, the rest is that of the last part.
static void add_report(LyraStepReport *sum, const LyraStepReport *part)
{
    LyraStepReport last = *part;
    last.dt += sum->dt;
    last.substeps += sum->substeps;
    last.rejected += sum->rejected;
    last.newton_iterations += sum->newton_iterations;
    last.line_search_steps += sum->line_search_steps;
    last.psd_iterations += sum->psd_iterations;
    last.linear_iterations += sum->linear_iterations;
    last.evaluations += sum->evaluations;
    last.factorisations += sum->factorisations;
    last.residual_first = sum->residual_first;
    last.assembly_seconds += sum->assembly_seconds;
    last.solve_seconds += sum->solve_seconds;
    last.total_seconds += sum->total_seconds;
    last.dissipated += sum->dissipated;
    last.work += sum->work;
    last.balance += sum->balance;
    last.error = sum->error > part->error ? sum->error : part->error;
    *sum = last;
}

static LyraStatus apply_rules(LyraScene *scene, double begin, double end)
{
    for (int32_t r = 0; r < scene->rule_count; ++r) {
        LY_TRY(scene->rules[r].apply(scene->rules[r].self, scene, begin, end));
    }
    return LYRA_OK;
}

// all parts of a step, or none: they work on a copy of the state
static LyraStatus take_substeps(LyraScene *scene, LyraStepReport *report)
{
    LY_TRY(scene->work ? lyra_state_assign(scene->work, scene->state)
                       : lyra_state_copy(scene->state, &scene->work));
    double start = lyra_state_view(scene->state).time;
    LyraStatus status = LYRA_OK;
    for (int32_t s = 0; s < scene->substeps && status == LYRA_OK; ++s) {
        LyraStepReport part = {0};
        double part_end = s + 1 < scene->substeps ? start + (s + 1.0) / scene->substeps * scene->dt
                                                  : lyra_state_next_time(scene->state, scene->dt);
        status = ly_integrator_step_to(scene->integrator, scene->work, scene->dt / scene->substeps,
                                       part_end, &part);
        if (s == 0) {
            *report = part;
        } else {
            add_report(report, &part);
        }
    }
    if (status == LYRA_OK) {
        // a step of the scene counts as one
        ly_state_tick(scene->work, scene->state, scene->dt);
        status = lyra_state_assign(scene->state, scene->work);
    }
    if (status != LYRA_OK) {
        report->time = start;
        report->dt = 0;
    }
    return status;
}

static LyraStatus take_step(LyraScene *scene, LyraStepReport *report)
{
    LY_TRY(apply_rules(scene, report->time, lyra_state_next_time(scene->state, scene->dt)));
    return scene->substeps > 1
               ? take_substeps(scene, report)
               : lyra_integrator_step(scene->integrator, scene->state, scene->dt, report);
}

LyraStatus lyra_scene_step(LyraScene *scene, LyraStepReport *report)
{
    LyraStepReport local = {.outcome = LYRA_STEP_REFUSED,
                            .time = lyra_state_view(scene->state).time};
    LyraStatus status = take_step(scene, &local);
    if (status == LYRA_OK) {
        ly_undo_keep(&scene->undo);
    } else {
        ly_undo_back(&scene->undo, scene->model);
        local.outcome = local.outcome == LYRA_STEP_ACCEPTED ? LYRA_STEP_REFUSED : local.outcome;
        local.status = status;
    }
    if (report) {
        *report = local;
    }
    return status;
}
