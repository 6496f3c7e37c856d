// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A scene in YAML from its file to a model that is ready to step: tree, overrides, spec by the
// schema, bodies, loads, model, constraints, system, integrator, state.

#include "scene/yaml.h"

#include "lyra/mesh_ops.h"

#include <math.h>
#include <string.h>

// A scene is written by people; one of more than this is something else.
#define FILE_MAX ((size_t)64 << 20)

static void destroy_yaml(LyraContext *ctx, void *loads)
{
    LyYaml *yaml = loads;
    ly_name_index_release(ctx, &yaml->names);
    ly_arena_destroy(ctx, yaml->arena);
    ly_release(ctx, yaml);
}

// ---- reading ------------------------------------------------------------------------------------

static LyraStatus read_tree(LyYaml *yaml, const LyraSceneDef *def, LyNode **root)
{
    LyraScene *scene = yaml->scene;
    char *text = NULL;
    size_t length;
    LY_TRY(ly_file_read(scene->ctx, scene->path, &text, &length));
    LyraStatus status =
        length > FILE_MAX
            ? ly_fail(LYRA_TOO_LARGE, "%s: found %zu bytes, expected a scene of 64 MiB at most",
                      scene->path, length)
            : ly_tree_parse(yaml->arena, scene->path, text, length, root);
    ly_release(scene->ctx, text);
    LY_TRY(status);
    for (int32_t o = 0; o < def->override_count; ++o) {
        // nodes point to their override
        char *copy = NULL;
        size_t size = strlen(def->overrides[o]) + 1;
        LY_TRY(ly_tree_allocate(yaml->arena, (int64_t)size, 1, &copy));
        memcpy(copy, def->overrides[o], size);
        LY_TRY(ly_tree_override(yaml->arena, root, copy));
    }
    return LYRA_OK;
}

// what does not make the motion stays out of the digest
static void digest_tree(LyraScene *scene, const LyNode *root)
{
    for (const LyNode *child = root->first; child; child = child->next) {
        if (strcmp(child->key, "title") != 0 && strcmp(child->key, "output") != 0 &&
            strcmp(child->key, "camera") != 0 && strcmp(child->key, "time") != 0) {
            scene->digest = ly_node_digest(scene->digest, child);
        }
    }
    scene->digest = ly_digest(scene->digest, &scene->dt, sizeof scene->dt);
    scene->digest = ly_digest(scene->digest, &scene->substeps, sizeof scene->substeps);
}

static LyraStatus set_time(LyraScene *scene, const LyTimeSpec *spec)
{
    scene->dt = spec->dt;
    scene->steps = spec->steps;
    if (spec->substeps > 1000000) {
        return ly_node_expect(ly_node_find(spec->node, "substeps"), "at most 1000000 substeps");
    }
    scene->substeps = (int32_t)spec->substeps;
    if (!ly_schema_says(spec, "duration")) {
        return LYRA_OK;
    }
    const LyNode *node = ly_node_find(spec->node, "duration");
    if (ly_schema_says(spec, "steps")) {
        return ly_key_fail(node, LYRA_BAD_FORMAT,
                           "found duration beside steps, expected one of them");
    }
    double steps = ceil(spec->duration / spec->dt * (1 - 1e-12));
    if (steps > 1e15) {
        return ly_node_expect(node, "at most 1e15 steps of dt");
    }
    scene->steps = (int64_t)steps;
    return LYRA_OK;
}

static LyraStatus set_looks(LyraScene *scene, const LySceneSpec *spec)
{
    const double degrees = 57.29577951308232;
    const LyOutputSpec *output = &spec->output;
    scene->output = (LyraSceneOutput){.save_every = output->save_every,
                                      .vtu_every = output->vtu_every,
                                      .obj_every = output->obj_every,
                                      .checkpoint_every = output->checkpoint_every,
                                      .snapshot_every = output->snapshot_every,
                                      .pc2 = output->pc2,
                                      .gltf = output->gltf,
                                      .snapshot_edges = output->snapshot_edges,
                                      .snapshot_field = (LyraSceneField)output->snapshot_field};
    for (int32_t i = 0; i < 2; ++i) {
        const LyIntegers *size = &output->snapshot_size;
        if (size->count != 2 || size->values[i] < 16 || size->values[i] > 8000) {
            return ly_node_expect(ly_node_find(output->node, "snapshot-size"),
                                  "width and height of pictures, each from 16 to 8000");
        }
        scene->output.snapshot_size[i] = size->values[i];
    }
    const LyCameraSpec *camera = &spec->camera;
    LY_TRY(ly_check_direction(camera, "up", camera->up));
    scene->camera.fitted = !ly_schema_says(camera, "eye");
    if (!scene->camera.fitted && memcmp(camera->eye, camera->target, sizeof camera->eye) == 0) {
        return ly_key_fail(camera->node, LYRA_BAD_FORMAT,
                           "found the eye at its target, expected it elsewhere");
    }
    scene->camera.azimuth = camera->azimuth * degrees;
    scene->camera.elevation = camera->elevation * degrees;
    scene->camera.field_of_view = camera->field_of_view * degrees;
    memcpy(scene->camera.eye, camera->eye, sizeof camera->eye);
    memcpy(scene->camera.target, camera->target, sizeof camera->target);
    memcpy(scene->camera.up, camera->up, sizeof camera->up);
    return spec->title ? ly_string_copy(scene->ctx, spec->title, strlen(spec->title), &scene->name)
                       : LYRA_OK;
}

// ---- building -----------------------------------------------------------------------------------

// the mesh of all bodies, for their consistent masses; the caller releases it
static LyraStatus join_meshes(LyYaml *yaml, LyraMesh **out)
{
    LyraScene *scene = yaml->scene;
    for (int32_t b = 0; b < scene->body_count; ++b) {
        if (scene->bodies[b].affine) {
            return ly_node_fail(ly_node_find(yaml->spec.node, "mass"), LYRA_UNSUPPORTED,
                                "found consistent masses beside affine body \"%.60s\", expected "
                                "lumped",
                                scene->bodies[b].name);
        }
    }
    LyraMeshView whole = lyra_mesh_view(scene->bodies[0].mesh);
    int32_t nodes = lyra_element_kind_nodes(whole.kind);
    int64_t count = 0;
    for (int32_t b = 0; b < scene->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(scene->bodies[b].mesh);
        if (view.kind != whole.kind) {
            return ly_node_fail(ly_node_find(yaml->spec.node, "mass"), LYRA_UNSUPPORTED,
                                "found consistent masses for bodies of tets and of cubes together, "
                                "expected lumped");
        }
        count += view.element_count;
    }
    if (count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "%s: more than %d elements in all bodies", scene->path,
                       INT32_MAX);
    }
    int32_t *elements = NULL, at = 0;
    LY_TRY(ly_allocate_array(scene->ctx, count * nodes, sizeof *elements, &elements));
    for (int32_t b = 0; b < scene->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(scene->bodies[b].mesh);
        for (int64_t c = 0; c < (int64_t)view.element_count * nodes; ++c) {
            elements[(int64_t)at * nodes + c] = view.elements[c] + scene->bodies[b].first_vertex;
        }
        at += view.element_count;
    }
    LyraMeshView data = {.kind = whole.kind,
                         .vertex_count = yaml->vertex_count,
                         .element_count = (int32_t)count,
                         .positions = yaml->positions,
                         .elements = elements};
    LyraStatus status = lyra_mesh_create(scene->ctx, &data, out);
    ly_release(scene->ctx, elements);
    return status;
}

static LyraStatus make_mass_matrix(LyYaml *yaml, LyraMassMatrix **out)
{
    LyraScene *scene = yaml->scene;
    LyraMesh *whole = NULL;
    double *densities = NULL;
    int64_t at = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(join_meshes(yaml, &whole));
    LY_TRY_DONE(ly_allocate_array(scene->ctx, lyra_mesh_view(whole).element_count,
                                  sizeof *densities, &densities));
    for (int32_t b = 0; b < scene->body_count; ++b) {
        LyraMeshView view = lyra_mesh_view(scene->bodies[b].mesh);
        for (int32_t e = 0; e < view.element_count; ++e) {
            densities[at++] = view.materials[view.element_materials[e]].density;
        }
    }
    LY_TRY_DONE(lyra_mass_matrix_create(whole, densities, true, out));
done:
    ly_release(scene->ctx, densities);
    lyra_mesh_destroy(whole);
    return status;
}

static LyraStatus make_model(LyYaml *yaml)
{
    const LySceneSpec *spec = &yaml->spec;
    LyraModelDef def = lyra_model_def_default();
    LyraMassMatrix *matrix = NULL;
    LyraForce **forces = NULL;
    LyraModelBody *bodies = NULL;
    LyraStatus status = LYRA_OK;
    def.vertex_count = yaml->vertex_count;
    def.positions = yaml->positions;
    LY_TRY_DONE(ly_scene_gather(yaml->scene, &def, &forces, &bodies));
    def.masses = yaml->masses;
    def.mass_damping = spec->damping.mass;
    def.stiffness_damping = spec->damping.stiffness;
    def.damping_exact = spec->damping.exact;
    for (int i = 0; i < 3; ++i) {
        yaml->gravity_changes |= !ly_curve_is_constant(&spec->gravity.axis[i]);
    }
    for (int i = 0; i < 3 && !yaml->gravity_changes; ++i) {
        def.gravity[i] = ly_curve_at(&spec->gravity.axis[i], 0).value;
    }
    yaml->scene->gravity_changes = yaml->gravity_changes;
    if (yaml->gravity_changes || yaml->nodal_count) {
        def.load = ly_yaml_load;
        def.load_user = yaml;
        def.load_moves = false;
    }
    if (ly_yaml_moves(yaml)) {
        def.prescription = ly_yaml_prescribe;
        def.prescription_user = yaml;
    }
    if (spec->mass == 1) {
        LY_TRY_DONE(make_mass_matrix(yaml, &matrix));
        def.mass_matrix = matrix;
    }
    LY_TRY_DONE(lyra_model_create(yaml->scene->ctx, &def, &yaml->scene->model));
done:
    lyra_mass_matrix_destroy(matrix);
    ly_release(yaml->scene->ctx, forces);
    ly_release(yaml->scene->ctx, bodies);
    return status;
}

// a count of the scene as the def has it
static int32_t limit(int64_t value)
{
    return (int32_t)ly_min_i64(value, INT32_MAX);
}

static LyraStatus make_system(LyYaml *yaml)
{
    const LySolverSpec *spec = &yaml->spec.solver;
    LyraSolverDef def = lyra_solver_def_default();
    def.name = spec->name;
    def.task = strcmp(yaml->spec.integrator.name, "static") == 0 ? LYRA_SOLVER_STATICS
                                                                 : LYRA_SOLVER_DYNAMICS;
    def.preconditioner = spec->preconditioner;
    def.tolerance = spec->tolerance;
    def.iterations_max = limit(spec->iterations);
    def.restart = limit(spec->restart);
    def.reuse_iterations = limit(spec->reuse_iterations);
    def.coarse = spec->coarse;
    def.single = spec->single;
    LyraScene *scene = yaml->scene;
    scene->solver_def = def;
    return lyra_system_create_sparse(scene->ctx, scene->model, &def, &scene->system);
}

static LyraStatus make_integrator(LyYaml *yaml)
{
    const LyIntegratorSpec *spec = &yaml->spec.integrator;
    const LyNewtonSpec *newton = &spec->newton;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.rosenbrock_set = spec->rosenbrock4.set;
    def.name = spec->name;
    def.newton.policy = (LyraNewtonPolicy)newton->policy;
    def.newton.iterations_max = limit(newton->iterations);
    def.newton.decrement = newton->decrement;
    def.newton.residual = newton->residual;
    def.newton.step = newton->step;
    def.newton.line_search = newton->line_search;
    def.newton.psd_always = newton->psd_always;
    def.newton.halvings_max = limit(newton->halvings);
    def.beta = spec->beta;
    def.gamma = spec->gamma;
    def.spectral_radius = spec->spectral_radius;
    def.damping_update = limit(spec->damping_update);
    def.critical = (LyraCriticalStep)spec->critical;
    def.critical_interval = limit(spec->critical_interval);
    def.relative_tolerance = spec->relative_tolerance;
    def.absolute_tolerance = spec->absolute_tolerance;
    def.stages = limit(spec->stages);
    def.load_steps = limit(spec->load_steps);
    LyraScene *scene = yaml->scene;
    scene->integrator_def = def;
    LyraStatus status = lyra_integrator_create(scene->ctx, &def, scene->system, &scene->integrator);
    return ly_node_within(spec->node ? spec->node : yaml->spec.node, status);
}

LyraStatus ly_scene_read_yaml(LyraScene *scene, const LyraSceneDef *def)
{
    LyYaml *yaml = NULL;
    LyNode *root = NULL;
    LY_TRY(ly_allocate_zeroed(scene->ctx, 1, sizeof *yaml, &yaml));
    yaml->scene = scene;
    scene->loads = yaml;
    scene->loads_destroy = destroy_yaml;
    LY_TRY(ly_arena_create(scene->ctx, 0, &yaml->arena));
    LY_TRY(read_tree(yaml, def, &root));
    if (!root) {
        return ly_fail(LYRA_BAD_FORMAT, "%s:1:1: found nothing, expected a scene with bodies",
                       scene->path);
    }
    LY_TRY(ly_schema_read(yaml->arena, &ly_scene_schema, root, &yaml->spec));
    LY_TRY(set_time(scene, &yaml->spec.time));
    LY_TRY(set_looks(scene, &yaml->spec));
    digest_tree(scene, root);
    LY_TRY(ly_yaml_bodies(yaml));
    LY_TRY(ly_yaml_materials(yaml));
    LY_TRY(ly_yaml_constraints(yaml));
    LY_TRY(ly_yaml_loads(yaml));
    LY_TRY(ly_yaml_changes(yaml));
    LY_TRY(ly_scene_add_pull(scene));
    LY_TRY(make_model(yaml));
    LY_TRY(ly_yaml_constrain(yaml));
    LY_TRY(make_system(yaml));
    LY_TRY(make_integrator(yaml));
    LY_TRY(lyra_system_state_create(scene->system, &scene->state));
    return ly_yaml_start(yaml);
}
