// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scenes of Vega, `.config`: from keys to a model and an integrator that move as Vega's do. Where
// Vega's motion differs from what its keys promise, we follow the motion; docs/vega_scenes.md lists
// those places.
//
// frequencyScaling s multiplies internal forces, gravity among them, by s^2. All laws here are
// linear in their moduli (and springs in their stiffness), so moduli times s^2 are the same thing,
// tangents and stiffness damping included.

#include "scene/vega_scene.h"

#include "base/file.h"

#include <string.h>

// ---- keys ---------------------------------------------------------------------------------------

#define NUMBER_FROM(minimum) .kind = LY_CONFIG_NUMBER, .low = (minimum), .high = INFINITY

static const char *const methods[] = {"StVK",          "CLFEM",      "LinearFEM",
                                      "InvertibleFEM", "MassSpring", NULL};
enum { METHOD_STVK, METHOD_CLFEM, METHOD_LINEAR, METHOD_INVERTIBLE, METHOD_SPRINGS };
static const char *const materials[] = {"StVK", "neoHookean", "MooneyRivlin", NULL};
static const char *const solvers[] = {"implicitNewmark", "implicitBackwardEuler", "Euler",
                                      "symplecticEuler", "centralDifferences",    NULL};

// clang-format off
const LyConfigKey ly_vega_keys[LY_VEGA_KEY_COUNT] = {
    [LY_VEGA_CLOTH] = {.name = "objMeshname", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_MESH] = {.name = "volumetricMeshFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_CUSTOM_SPRINGS] = {.name = "customMassSpringSystem", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_SPRINGS_OBJ] = {.name = "massSpringSystemObjConfigFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_SPRINGS_TET] = {.name = "massSpringSystemTetMeshConfigFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_SPRINGS_CUBIC] = {.name = "massSpringSystemCubicMeshConfigFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_METHOD] = {.name = "deformableObjectMethod", .kind = LY_CONFIG_WORD, .words = methods},
    [LY_VEGA_MATERIAL] = {.name = "invertibleMaterial", .kind = LY_CONFIG_WORD, .words = materials},
    [LY_VEGA_WARP] = {.name = "corotationalLinearFEM_warp", .kind = LY_CONFIG_INTEGER, .high = 2, .fallback = 1},
    [LY_VEGA_INVERSION_THRESHOLD] = {.name = "inversionThreshold", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_RESISTANCE_ON] = {.name = "enableCompressionResistance", .kind = LY_CONFIG_SWITCH, .fallback = 1},
    [LY_VEGA_RESISTANCE] = {.name = "compressionResistance", NUMBER_FROM(0), .fallback = 500},
    [LY_VEGA_FREQUENCY_SCALING] = {.name = "frequencyScaling", .kind = LY_CONFIG_POSITIVE, .required = true},
    [LY_VEGA_SOLVER] = {.name = "solver", .kind = LY_CONFIG_WORD, .words = solvers},
    [LY_VEGA_SOLVER_OLD] = {.name = "implicitSolverMethod", .kind = LY_CONFIG_WORD, .words = solvers},
    [LY_VEGA_TANGENTIAL_UPDATE] = {.name = "centralDifferencesTangentialDampingUpdateMode",
                                   .kind = LY_CONFIG_INTEGER, .high = 1000000, .fallback = 1},
    [LY_VEGA_NEWMARK_BETA] = {.name = "newmarkBeta", .kind = LY_CONFIG_NUMBER, .low = 0, .high = 0.5,
                              .fallback = 0.25},
    [LY_VEGA_NEWMARK_GAMMA] = {.name = "newmarkGamma", .kind = LY_CONFIG_NUMBER, .low = 0, .high = 1,
                               .fallback = 0.5},
    [LY_VEGA_MAX_ITERATIONS] = {.name = "maxIterations", .kind = LY_CONFIG_INTEGER, .low = 1, .high = 1000000,
                                .fallback = 1},
    [LY_VEGA_EPSILON] = {.name = "epsilon", .kind = LY_CONFIG_POSITIVE, .fallback = 1e-6},
    [LY_VEGA_TIMESTEP] = {.name = "timestep", .kind = LY_CONFIG_POSITIVE, .required = true},
    [LY_VEGA_SUBSTEPS] = {.name = "substepsPerTimeStep", .kind = LY_CONFIG_INTEGER, .low = 1, .high = 1000000,
                          .fallback = 1},
    [LY_VEGA_DAMPING_MASS] = {.name = "dampingMassCoef", NUMBER_FROM(0), .required = true},
    [LY_VEGA_DAMPING_STIFFNESS] = {.name = "dampingStiffnessCoef", NUMBER_FROM(0), .required = true},
    [LY_VEGA_DAMPING_LAPLACIAN] = {.name = "dampingLaplacianCoef", NUMBER_FROM(0)},
    [LY_VEGA_FIXED_VERTICES] = {.name = "fixedVerticesFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_INITIAL_POSITION] = {.name = "initialPositionFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_INITIAL_VELOCITY] = {.name = "initialVelocityFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_FORCE_LOADS] = {.name = "forceLoadsFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_OUTPUT] = {.name = "outputFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_ADD_GRAVITY] = {.name = "addGravity", .kind = LY_CONFIG_SWITCH},
    [LY_VEGA_G] = {.name = "g", .kind = LY_CONFIG_NUMBER, .fallback = 9.81},
    [LY_VEGA_RENDERING_MESH] = {.name = "renderingMeshFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_SECONDARY_MESH] = {.name = "secondaryRenderingMeshFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_SECONDARY_WEIGHTS] = {.name = "secondaryRenderingMeshInterpolationFilename", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_CAMERA_RADIUS] = {.name = "cameraRadius", .kind = LY_CONFIG_POSITIVE, .fallback = 17.5},
    [LY_VEGA_CAMERA_LONGITUDE] = {.name = "cameraLongitude", .kind = LY_CONFIG_NUMBER, .fallback = -60},
    [LY_VEGA_CAMERA_LATITUDE] = {.name = "cameraLattitude", .kind = LY_CONFIG_NUMBER, .fallback = 20},
    [LY_VEGA_FOCUS_X] = {.name = "focusPositionX", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_FOCUS_Y] = {.name = "focusPositionY", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_FOCUS_Z] = {.name = "focusPositionZ", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_COMPLIANCE] = {.name = "deformableObjectCompliance", .kind = LY_CONFIG_NUMBER, .required = true},
    [LY_VEGA_NEIGHBORHOOD] = {.name = "forceNeighborhoodSize", .kind = LY_CONFIG_INTEGER, .high = 1000000,
                              .fallback = 5},
    [LY_VEGA_LIGHTING] = {.name = "lightingConfigFilename", .kind = LY_CONFIG_TEXT, .required = true},
    [LY_VEGA_FORCE_THREADS] = {.name = "numInternalForceThreads", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_SOLVER_THREADS] = {.name = "numSolverThreads", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_SYNC] = {.name = "syncTimestepWithGraphics", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_SINGLE_STEP] = {.name = "singleStepMode", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_PAUSE] = {.name = "pauseSimulation", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_LOCK_30_HZ] = {.name = "lockAt30Hz", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_WINDOW_WIDTH] = {.name = "windowWidth", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_WINDOW_HEIGHT] = {.name = "windowHeight", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_WIREFRAME] = {.name = "renderWireframe", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_RENDER_SECONDARY] = {.name = "renderSecondaryDeformableObject", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_RENDER_AXES] = {.name = "renderAxes", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_EXTRA_GEOMETRY] = {.name = "extraSceneGeometry", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_TEXTURES] = {.name = "enableTextures", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_BACKGROUND] = {.name = "backgroundColor", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_GROUND_PLANE] = {.name = "groundPlane", .kind = LY_CONFIG_TEXT},
    [LY_VEGA_REAL_TIME_NORMALS] = {.name = "useRealTimeNormals", .kind = LY_CONFIG_TEXT},
};
// clang-format on

// ---- files --------------------------------------------------------------------------------------

void ly_vega_digest(LyVega *vega, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i) {
        vega->digest = (vega->digest ^ at[i]) * 0x100000001b3u;
    }
}

LyraStatus ly_vega_digest_file(LyVega *vega, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(vega->ctx, path, &text, &length));
    ly_vega_digest(vega, text, length);
    ly_release(vega->ctx, text);
    return LYRA_OK;
}

static LyraStatus read_keys(LyVega *vega, const LyraSceneDef *def)
{
    LyraScene *scene = vega->scene;
    char *text = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(vega->ctx, scene->path, &text, &length));
    ly_vega_digest(vega, text, length);
    LyraStatus status = ly_config_parse(&vega->config, vega->ctx, scene->path, text, length,
                                        LY_VEGA_KEY_COUNT, ly_vega_keys);
    ly_release(vega->ctx, text);
    LY_TRY(status);
    for (int32_t o = 0; o < def->override_count; ++o) {
        LY_TRY(ly_config_override(&vega->config, def->overrides[o]));
        ly_vega_digest(vega, def->overrides[o], strlen(def->overrides[o]) + 1);
    }
    if (ly_config_has(&vega->config, LY_VEGA_CLOTH)) {
        return ly_config_at(&vega->config, LY_VEGA_CLOTH,
                            ly_fail(LYRA_UNSUPPORTED, "this is a scene of cloth; only solids and "
                                                      "springs can be simulated"));
    }
    return ly_config_check_required(&vega->config);
}

// ---- solids -------------------------------------------------------------------------------------

static void scale_material(LyraMeshMaterial *material, double scale)
{
    material->enu.young *= scale;
    material->mooney_rivlin.mu01 *= scale;
    material->mooney_rivlin.mu10 *= scale;
    material->mooney_rivlin.v1 *= scale;
    for (int32_t i = 0; i < 3; ++i) {
        material->orthotropic.young[i] *= scale;
        material->orthotropic.shear[i] *= scale;
    }
}

LyraStatus ly_vega_load_mesh(LyVega *vega, const char *path, LyraMesh **out)
{
    LyraContext *ctx = vega->ctx;
    LyraMesh *mesh = NULL;
    LyraMeshMaterial *scaled = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_VEG, &mesh));
    LY_TRY_DONE(ly_vega_digest_file(vega, path));
    if (vega->scale != 1) {
        LyraMeshView view = lyra_mesh_view(mesh);
        LY_TRY_DONE(ly_allocate_array(ctx, view.material_count, sizeof *scaled, &scaled));
        for (int32_t m = 0; m < view.material_count; ++m) {
            scaled[m] = view.materials[m];
            scale_material(&scaled[m], vega->scale);
        }
        view.materials = scaled;
        LY_TRY_DONE(lyra_mesh_create(ctx, &view, out));
    } else {
        *out = mesh;
        mesh = NULL;
    }
done:
    ly_release(ctx, scaled);
    lyra_mesh_destroy(mesh);
    return status;
}

// the law, and what addGravity does to it: Vega's laws each have their own idea
static LyraStatus choose_law(LyVega *vega, LyraSolidDef *def)
{
    const LyConfig *config = &vega->config;
    static const char *const warps[] = {"linear", "corotational", "corotational-exact"};
    static const char *const laws[] = {"stvk", "neo-hookean", "mooney-rivlin"};
    bool gravity = ly_config_is_on(config, LY_VEGA_ADD_GRAVITY);
    double g = vega->scale * ly_config_number(config, LY_VEGA_G);
    int32_t method = (int32_t)ly_config_number(config, LY_VEGA_METHOD);
    def->vega = true;
    def->inversion = LYRA_INVERSION_NONE;
    switch (method) {
    case METHOD_CLFEM:
    case METHOD_LINEAR:
        def->model = method == METHOD_LINEAR
                         ? "linear"
                         : warps[(int32_t)ly_config_number(config, LY_VEGA_WARP)];
        if (gravity) {
            ly_log(vega->ctx, LYRA_LOG_WARNING, "%s: addGravity has no effect on %s, as in Vega",
                   config->path, methods[method]);
        }
        return LYRA_OK;
    case METHOD_INVERTIBLE:
        if (!ly_config_has(config, LY_VEGA_MATERIAL)) {
            return ly_fail(LYRA_BAD_FORMAT,
                           "%s: deformableObjectMethod InvertibleFEM needs the key "
                           "*invertibleMaterial: StVK, neoHookean or MooneyRivlin",
                           config->path);
        }
        def->model = laws[(int32_t)ly_config_number(config, LY_VEGA_MATERIAL)];
        if (ly_config_has(config, LY_VEGA_INVERSION_THRESHOLD)) {
            def->inversion = LYRA_INVERSION_CLAMP;
            def->inversion_threshold = ly_config_number(config, LY_VEGA_INVERSION_THRESHOLD);
        }
        if (ly_config_is_on(config, LY_VEGA_RESISTANCE_ON)) {
            def->compression_resistance = ly_config_number(config, LY_VEGA_RESISTANCE);
        }
        if (gravity) {
            vega->pull = g;
            ly_log(vega->ctx, LYRA_LOG_WARNING,
                   "%s: addGravity pulls on each vertex of InvertibleFEM with g newtons whatever "
                   "its mass, as in Vega",
                   config->path);
        }
        return LYRA_OK;
    case METHOD_SPRINGS:
        return ly_fail(LYRA_BAD_FORMAT,
                       "%s: deformableObjectMethod MassSpring needs springs: "
                       "*massSpringSystemTetMeshConfigFilename, ...CubicMesh..., ...Obj... or "
                       "*customMassSpringSystem",
                       config->path);
    default:
        def->model = "stvk";
        vega->gravity[1] = gravity ? -g : 0;
        return LYRA_OK;
    }
}

static LyraStatus make_solid(LyVega *vega)
{
    LyraContext *ctx = vega->ctx;
    LyraSolidDef def = lyra_solid_def_default();
    LY_TRY(choose_law(vega, &def));
    char *path = NULL;
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    LY_TRY(ly_config_path(&vega->config, LY_VEGA_MESH, &path));
    LyraStatus status =
        ly_config_at(&vega->config, LY_VEGA_MESH, ly_vega_load_mesh(vega, path, &mesh));
    ly_release(ctx, path);
    LY_TRY(status);
    vega->view.mesh = mesh;
    vega->body.type = ly_body_type_find("solid");
    LyraMeshView view = lyra_mesh_view(mesh);
    LY_TRY(ly_config_at(&vega->config, LY_VEGA_METHOD, lyra_solid_create(ctx, mesh, &def, &solid)));
    vega->view.solid = solid;
    vega->body.solid_def = def;
    LY_TRY(lyra_mass_matrix_create(mesh, NULL, true, &vega->world->mass_matrix));
    LY_TRY(ly_allocate_array(ctx, view.vertex_count, sizeof *vega->masses, &vega->masses));
    lyra_mesh_lumped_masses(mesh, NULL, vega->masses);
    vega->vertex_count = view.vertex_count;
    LY_TRY(ly_allocate_array(ctx, 3 * (int64_t)view.vertex_count, sizeof *vega->positions,
                             &vega->positions));
    memcpy(vega->positions, view.positions,
           3 * (size_t)view.vertex_count * sizeof *vega->positions);
    return LYRA_OK;
}

static LyraStatus make_body(LyVega *vega)
{
    const LyConfig *config = &vega->config;
    bool springs = ly_config_has(config, LY_VEGA_SPRINGS_OBJ) ||
                   ly_config_has(config, LY_VEGA_SPRINGS_TET) ||
                   ly_config_has(config, LY_VEGA_SPRINGS_CUBIC) ||
                   ly_config_has(config, LY_VEGA_CUSTOM_SPRINGS);
    if (!springs && !ly_config_has(config, LY_VEGA_MESH)) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "%s: no body: expected one of the keys *volumetricMeshFilename, "
                       "*massSpringSystemObjConfigFilename, ...TetMesh..., ...CubicMesh... and "
                       "*customMassSpringSystem",
                       config->path);
    }
    LY_TRY(ly_string_copy(vega->ctx, "body", strlen("body"), (char **)&vega->view.name));
    LY_TRY(springs ? ly_vega_make_springs(vega) : make_solid(vega));
    LY_TRY(ly_vega_make_surfaces(vega));
    LY_TRY(ly_vega_make_laplacian(vega));
    LY_TRY(ly_body_set_vertices(vega->ctx, &vega->view, &vega->body, vega->vertex_count,
                                vega->positions, vega->masses));
    LyraBodyView view = vega->view;
    vega->view = (LyraBodyView){0};
    LyBody body = vega->body;
    vega->body = (LyBody){0};
    return ly_world_take_body(vega->world, &view, &body);
}

// ---- methods ------------------------------------------------------------------------------------

// Vega's window ties the two numbers at its start: gamma follows from beta, or is 1/2 for beta up
// to 1/4, and then beta from gamma.
static void tie_newmark(const LyVega *vega, LyraIntegratorDef *def)
{
    const LyConfig *config = &vega->config;
    double beta = ly_config_number(config, LY_VEGA_NEWMARK_BETA);
    double gamma = ly_config_number(config, LY_VEGA_NEWMARK_GAMMA);
    def->gamma = beta > 0.25 ? 2 * sqrt(beta) - 0.5 : 0.5;
    def->beta = 0.25 * (def->gamma + 0.5) * (def->gamma + 0.5);
    // files round
    if (fabs(def->beta - beta) > 1e-6 || fabs(def->gamma - gamma) > 1e-6) {
        ly_log(vega->ctx, LYRA_LOG_WARNING,
               "%s: newmarkBeta and newmarkGamma are tied as in Vega: %.6g and %.6g are used",
               config->path, def->beta, def->gamma);
    }
}

static LyraIntegratorDef choose_integrator(const LyVega *vega)
{
    static const char *const names[] = {
        [LY_VEGA_NEWMARK] = "newmark",
        [LY_VEGA_BACKWARD_EULER] = "backward-euler",
        [LY_VEGA_EULER] = "euler",
        [LY_VEGA_SYMPLECTIC_EULER] = "symplectic-euler",
        [LY_VEGA_CENTRAL_DIFFERENCES] = "central-differences",
    };
    const LyConfig *config = &vega->config;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = names[vega->solver];
    def.vega = true;
    def.damping_update = (int32_t)ly_config_number(config, LY_VEGA_TANGENTIAL_UPDATE);
    if (vega->solver == LY_VEGA_NEWMARK) {
        tie_newmark(vega, &def);
    }
    if (ly_config_number(config, LY_VEGA_MAX_ITERATIONS) > 1) {
        def.newton.policy = LYRA_NEWTON_COUNTED;
        def.newton.iterations_max = (int32_t)ly_config_number(config, LY_VEGA_MAX_ITERATIONS);
        def.newton.residual = ly_config_number(config, LY_VEGA_EPSILON);
    } else {
        def.newton.policy = LYRA_NEWTON_ONE;
    }
    return def;
}

static LyraStatus make_world(LyVega *vega, LyraContext *ctx)
{
    const LyConfig *config = &vega->config;
    LyraWorldDef def = lyra_world_def_default();
    def.damping.mass = ly_config_number(config, LY_VEGA_DAMPING_MASS);
    // both methods of Euler know mass damping only
    if (vega->solver != LY_VEGA_EULER && vega->solver != LY_VEGA_SYMPLECTIC_EULER) {
        def.damping.stiffness = ly_config_number(config, LY_VEGA_DAMPING_STIFFNESS);
    }
    def.damping.exact = true;
    // Vega's direct solvers leave rounding errors only
    def.solver.tolerance = 1e-10;
    def.integrator = choose_integrator(vega);
    def.time.dt = ly_config_number(config, LY_VEGA_TIMESTEP);
    def.time.substeps = (int32_t)ly_config_number(config, LY_VEGA_SUBSTEPS);
    LY_TRY(lyra_world_create(ctx, &def, &vega->world));
    vega->ctx = lyra_world_context(vega->world);
    return LYRA_OK;
}

// ---- viewing ------------------------------------------------------------------------------------

// Vega looks at the focus from a place on a sphere around it, 45 degrees wide.
static void place_camera(LyVega *vega)
{
    const LyConfig *config = &vega->config;
    LyraSceneCamera *camera = &vega->scene->camera;
    bool given = false;
    for (int32_t k = LY_VEGA_CAMERA_RADIUS; k <= LY_VEGA_FOCUS_Z; ++k) {
        given |= ly_config_has(config, k);
    }
    if (!given) {
        return;
    }
    const double degree = 3.14159265358979323846 / 180;
    double radius = ly_config_number(config, LY_VEGA_CAMERA_RADIUS);
    double longitude = degree * ly_config_number(config, LY_VEGA_CAMERA_LONGITUDE);
    double latitude = degree * ly_config_number(config, LY_VEGA_CAMERA_LATITUDE);
    const double direction[3] = {cos(longitude) * cos(latitude), sin(latitude),
                                 -sin(longitude) * cos(latitude)};
    camera->fitted = false;
    camera->field_of_view = 45;
    for (int32_t i = 0; i < 3; ++i) {
        camera->target[i] = ly_config_number(config, LY_VEGA_FOCUS_X + i);
        camera->eye[i] = camera->target[i] + radius * direction[i];
    }
}

// hands on what the file says to viewers
static LyraStatus keep_settings(LyVega *vega)
{
    LyraScene *scene = vega->scene;
    LY_TRY(ly_allocate_zeroed(scene->ctx, LY_VEGA_KEY_COUNT - LY_VEGA_FIRST_VIEWING,
                              sizeof *scene->settings, &scene->settings));
    for (int32_t k = LY_VEGA_FIRST_VIEWING; k < LY_VEGA_KEY_COUNT; ++k) {
        const char *text = vega->config.values[k].text;
        char *value = NULL;
        if (text) {
            LY_TRY(ly_string_copy(scene->ctx, text, strlen(text), &value));
            scene->settings[scene->setting_count++] =
                (LyraSceneSetting){.key = ly_vega_keys[k].name, .value = value};
        }
    }
    return LYRA_OK;
}

// The file of displacements: the name that the scene gives, with the ending `.u`, and no folder, as
// results go where the command says.
static LyraStatus name_matrix(LyVega *vega)
{
    const LyConfig *config = &vega->config;
    if (!ly_config_has(config, LY_VEGA_OUTPUT)) {
        return LYRA_OK;
    }
    const char *text = config->values[LY_VEGA_OUTPUT].text, *slash = strrchr(text, '/');
    const char *name = slash ? slash + 1 : text, *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name);
    if (length == 0 || length > 200 || name[0] == '.') {
        return ly_config_at(
            config, LY_VEGA_OUTPUT,
            ly_fail(LYRA_BAD_FORMAT, "found %s, expected the name of a file", text));
    }
    char *matrix = NULL;
    LY_TRY(ly_allocate_array(vega->scene->ctx, (int64_t)length + 3, 1, &matrix));
    memcpy(matrix, name, length);
    memcpy(matrix + length, ".u", 3);
    vega->scene->output.matrix = matrix;
    return LYRA_OK;
}

static LyraStatus read_scene(LyVega *vega, LyraContext *ctx, const LyraSceneDef *def)
{
    const LyConfig *config = &vega->config;
    LY_TRY(read_keys(vega, def));
    int32_t key =
        !ly_config_has(config, LY_VEGA_SOLVER) && ly_config_has(config, LY_VEGA_SOLVER_OLD)
            ? LY_VEGA_SOLVER_OLD
            : LY_VEGA_SOLVER;
    double s = ly_config_number(config, LY_VEGA_FREQUENCY_SCALING);
    vega->solver = (LyVegaSolver)ly_config_number(config, key);
    vega->scale = s * s;
    LY_TRY(make_world(vega, ctx));
    LY_TRY(make_body(vega));
    LY_TRY(lyra_world_set_gravity(vega->world, vega->gravity));
    LY_TRY(ly_vega_fix_vertices(vega));
    LY_TRY(lyra_world_prepare(vega->world));
    LY_TRY(ly_vega_start_state(vega));
    LY_TRY(ly_vega_make_loads(vega));
    LY_TRY(keep_settings(vega));
    place_camera(vega);
    ly_world_digest(vega->world, &vega->digest, sizeof vega->digest);
    return name_matrix(vega);
}

LyraStatus ly_scene_read_config(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                                LyraWorld **out)
{
    LyVega vega = {.ctx = scene->ctx, .scene = scene, .digest = 0xcbf29ce484222325u};
    LyraStatus status = read_scene(&vega, ctx, def);
    ly_config_end(&vega.config);
    lyra_springs_destroy(vega.springs);
    ly_body_end(vega.ctx, &vega.view, &vega.body);
    ly_release(vega.ctx, vega.masses);
    ly_release(vega.ctx, vega.positions);
    ly_release(vega.ctx, vega.surface_path);
    if (status != LYRA_OK) {
        lyra_world_destroy(vega.world);
        return status;
    }
    *out = vega.world;
    return LYRA_OK;
}
