// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scenes of Vega, `.config`: from keys to settings as scenes in YAML have them, which move bodies
// as Vega does. Where Vega's motion differs from what its keys promise, we follow the motion;
// docs/vega_scenes.md lists those places.
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

LyraStatus ly_vega_keep(LyVega *vega, const char *text, const char **out)
{
    char *copy = NULL;
    *out = NULL;
    if (!text) {
        return LYRA_OK;
    }
    size_t size = strlen(text) + 1;
    LY_TRY(ly_arena_allocate(vega->arena, (int64_t)size, 1, &copy));
    memcpy(copy, text, size);
    *out = copy;
    return LYRA_OK;
}

// Whether an override is of scenes in YAML: a path, or the name of a group that Vega has no key of.
static bool is_of_scene(const LyConfig *config, const char *override)
{
    LyKey keys[LY_SCENE_KEYS_MAX];
    LyGroup group = ly_scene_keys(keys);
    size_t length = strcspn(override, ".[=");
    bool of_group = false;
    for (int32_t k = 0; k < group.key_count; ++k) {
        of_group |= strlen(keys[k].name) == length && memcmp(keys[k].name, override, length) == 0;
    }
    LySlice word = {override, length};
    bool of_vega = override[length] == '=' && ly_config_find(config, word) >= 0;
    return of_group && !of_vega;
}

static LyraStatus read_keys(LyVega *vega, const LyraSceneDef *def)
{
    LyraScene *scene = vega->scene;
    char *text = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(vega->ctx, scene->path, &text, &length));
    ly_vega_digest(vega, text, length);
    const LyConfigKey *keys = ly_vega_is_cloth(text, length) ? ly_vega_cloth_keys : ly_vega_keys;
    LyraStatus status = ly_config_parse(&vega->config, vega->ctx, scene->path, text, length,
                                        LY_VEGA_KEY_COUNT, keys);
    ly_release(vega->ctx, text);
    LY_TRY(status);
    LY_TRY(ly_arena_allocate(vega->arena, def->override_count, sizeof *vega->overrides,
                             (void *)&vega->overrides));
    for (int32_t o = 0; o < def->override_count; ++o) {
        if (is_of_scene(&vega->config, def->overrides[o])) {
            vega->overrides[vega->override_count++] = def->overrides[o];
            continue;
        }
        LY_TRY(ly_config_override(&vega->config, def->overrides[o]));
        ly_vega_digest(vega, def->overrides[o], strlen(def->overrides[o]) + 1);
    }
    return ly_config_check_required(&vega->config);
}

// ---- solids -------------------------------------------------------------------------------------

LyraStatus ly_vega_probe_mesh(LyVega *vega, int32_t *vertices, LyraElementKind *kind)
{
    char *path = NULL;
    LyraMesh *mesh = NULL;
    LY_TRY(ly_path_beside(vega->ctx, vega->scene->path, vega->body.file, &path));
    LyraStatus status = lyra_mesh_load(vega->ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh);
    ly_release(vega->ctx, path);
    LY_TRY(status);
    LyraMeshView view = lyra_mesh_view(mesh);
    *vertices = view.vertex_count;
    *kind = view.kind;
    lyra_mesh_destroy(mesh);
    return LYRA_OK;
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
            ly_vega_add_force(vega, (double[]){0, -g, 0});
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
        vega->spec.world.gravity[1].value = gravity ? -g : 0;
        return LYRA_OK;
    }
}

static LyraStatus read_solid(LyVega *vega)
{
    vega->source = LY_VEGA_MESH;
    LY_TRY(choose_law(vega, &vega->body.material));
    vega->body.modulus_factor = vega->scale;
    vega->spec.world.mass = LYRA_MASS_CONSISTENT;
    vega->body.file = vega->config.values[LY_VEGA_MESH].text;
    return LYRA_OK;
}

static LyraStatus read_body(LyVega *vega)
{
    const LyConfig *config = &vega->config;
    bool cloth = config->keys == ly_vega_cloth_keys;
    bool springs = ly_config_has(config, LY_VEGA_SPRINGS_OBJ) ||
                   ly_config_has(config, LY_VEGA_SPRINGS_TET) ||
                   ly_config_has(config, LY_VEGA_SPRINGS_CUBIC) ||
                   ly_config_has(config, LY_VEGA_CUSTOM_SPRINGS);
    if (!cloth && !springs && !ly_config_has(config, LY_VEGA_MESH)) {
        return ly_fail(
            LYRA_BAD_FORMAT,
            "%s: no body: expected one of the keys *volumetricMeshFilename, "
            "*objMeshname, *massSpringSystemObjConfigFilename, ...TetMesh..., ...CubicMesh... and "
            "*customMassSpringSystem",
            config->path);
    }
    vega->body = lyra_body_def_default();
    vega->body.name = "body";
    vega->spec.world.bodies = &vega->body;
    vega->spec.world.body_count = 1;
    if (cloth) {
        LY_TRY(ly_vega_read_cloth(vega));
        return ly_vega_read_state(vega);
    }
    LY_TRY(springs ? ly_vega_read_springs(vega) : read_solid(vega));
    LY_TRY(ly_vega_read_surfaces(vega));
    return ly_vega_read_state(vega);
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

static void read_methods(LyVega *vega)
{
    const LyConfig *config = &vega->config;
    LyWorldSpec *world = &vega->spec.world;
    world->damping.mass = ly_config_number(config, LY_VEGA_DAMPING_MASS);
    // both methods of Euler know mass damping only
    if (vega->solver != LY_VEGA_EULER && vega->solver != LY_VEGA_SYMPLECTIC_EULER) {
        world->damping.stiffness = ly_config_number(config, LY_VEGA_DAMPING_STIFFNESS);
    }
    // and central differences leave that of differences out
    if (vega->solver != LY_VEGA_CENTRAL_DIFFERENCES) {
        world->damping.laplacian = ly_config_number(config, LY_VEGA_DAMPING_LAPLACIAN);
    }
    world->damping.exact = true;
    // Vega's direct solvers leave rounding errors only
    world->solver.tolerance = 1e-10;
    world->integrator = choose_integrator(vega);
    world->time.dt = ly_config_number(config, LY_VEGA_TIMESTEP);
    world->time.substeps = (int32_t)ly_config_number(config, LY_VEGA_SUBSTEPS);
}

// ---- viewing ------------------------------------------------------------------------------------

// Vega looks at the focus from a place on a sphere around it, 45 degrees wide.
static LyraStatus read_camera(LyVega *vega)
{
    const LyConfig *config = &vega->config;
    LyCameraSpec *camera = &vega->spec.camera;
    bool given = false;
    for (int32_t k = LY_VEGA_CAMERA_RADIUS; k <= LY_VEGA_FOCUS_Z; ++k) {
        given |= ly_config_has(config, k);
    }
    if (!given) {
        return LYRA_OK;
    }
    const double degree = 3.14159265358979323846 / 180;
    double radius = ly_config_number(config, LY_VEGA_CAMERA_RADIUS), *eye = NULL;
    double longitude = degree * ly_config_number(config, LY_VEGA_CAMERA_LONGITUDE);
    double latitude = degree * ly_config_number(config, LY_VEGA_CAMERA_LATITUDE);
    const double direction[3] = {cos(longitude) * cos(latitude), sin(latitude),
                                 -sin(longitude) * cos(latitude)};
    LY_TRY(ly_arena_allocate(vega->arena, 3, sizeof *eye, &eye));
    camera->field_of_view = 45 * degree;
    for (int32_t i = 0; i < 3; ++i) {
        camera->target[i] = ly_config_number(config, LY_VEGA_FOCUS_X + i);
        eye[i] = camera->target[i] + radius * direction[i];
    }
    camera->eye = eye;
    return LYRA_OK;
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
                (LyraSceneSetting){.key = vega->config.keys[k].name, .value = value};
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
    LY_TRY(ly_arena_allocate(vega->arena, (int64_t)length + 3, 1, &matrix));
    memcpy(matrix, name, length);
    memcpy(matrix + length, ".u", 3);
    vega->spec.output.files.matrix = matrix;
    return LYRA_OK;
}

static LyraStatus read_scene(LyVega *vega, const LyraSceneDef *def)
{
    const LyConfig *config = &vega->config;
    LY_TRY(read_keys(vega, def));
    int32_t key =
        !ly_config_has(config, LY_VEGA_SOLVER) && ly_config_has(config, LY_VEGA_SOLVER_OLD)
            ? LY_VEGA_SOLVER_OLD
            : LY_VEGA_SOLVER;
    double s = ly_config_number(config, LY_VEGA_FREQUENCY_SCALING);
    LyKey keys[LY_SCENE_KEYS_MAX];
    ly_scene_keys(keys).init(&vega->spec);
    vega->solver = (LyVegaSolver)ly_config_number(config, key);
    vega->scale = s * s;
    read_methods(vega);
    LY_TRY(read_body(vega));
    LY_TRY(keep_settings(vega));
    LY_TRY(read_camera(vega));
    return name_matrix(vega);
}

// ---- from settings to a world -------------------------------------------------------------------

// the key of the file behind a path of keys
static int32_t find_source(const LyVega *vega, const char *path)
{
    static const struct {
        const char *path;
        LyVegaKey key;
    } sources[] = {{"bodies[0].material", LY_VEGA_METHOD},
                   {"bodies[0].start.displacement", LY_VEGA_INITIAL_POSITION},
                   {"bodies[0].start.velocity", LY_VEGA_INITIAL_VELOCITY},
                   {"bodies[0].surfaces[0].weights", LY_VEGA_SECONDARY_WEIGHTS},
                   {"constraints", LY_VEGA_FIXED_VERTICES},
                   {"loads", LY_VEGA_FORCE_LOADS},
                   {"integrator", LY_VEGA_SOLVER},
                   {"time.dt", LY_VEGA_TIMESTEP},
                   {"time.substeps", LY_VEGA_SUBSTEPS}};
    for (int32_t s = 0; s < LY_COUNT_OF(sources); ++s) {
        if (strncmp(path, sources[s].path, strlen(sources[s].path)) == 0) {
            return (int32_t)sources[s].key;
        }
    }
    if (strncmp(path, "bodies[0].surfaces", strlen("bodies[0].surfaces")) == 0) {
        bool secondary = ly_config_has(&vega->config, LY_VEGA_SECONDARY_MESH);
        return secondary && !strstr(path, "[1]") ? LY_VEGA_SECONDARY_MESH : LY_VEGA_RENDERING_MESH;
    }
    return strncmp(path, "bodies", strlen("bodies")) == 0 ? (int32_t)vega->source : -1;
}

static LyraStatus place_in_config(const void *self, LyraStatus status)
{
    const LyVega *vega = self;
    char path[LY_ERROR_KEY_CHARS];
    if (status == LYRA_OUT_OF_MEMORY) {
        return status;
    }
    const char *sentence = ly_error_key(path);
    int32_t key = find_source(vega, path);
    return key < 0 ? ly_fail(status, "%s: %s", vega->config.path, sentence)
                   : ly_config_at(&vega->config, key, ly_fail(status, "%s", sentence));
}

static LyraStatus build(const LyVega *vega, LyraContext *ctx, LyraWorld **out)
{
    const LySceneBuild what = {.scene = vega->scene,
                               .spec = &vega->spec,
                               .place = place_in_config,
                               .self = vega,
                               .digest = vega->digest};
    return ly_scene_build(&what, ctx, out);
}

// Overrides by paths of keys are made in the same scene as YAML.
static LyraStatus build_overridden(const LyVega *vega, LyraContext *ctx, LyraWorld **out)
{
    char *text = NULL;
    LyraSceneDef def = lyra_scene_def_default();
    def.overrides = vega->overrides;
    def.override_count = vega->override_count;
    LY_TRY(ly_spec_format(vega->ctx, &vega->spec, &text));
    LyraStatus status = ly_scene_compile(vega->scene, ctx, text, strlen(text), &def, out);
    ly_release(vega->ctx, text);
    return status;
}

// puts a folder in front of the files of a scene that is to stand elsewhere
static LyraStatus see_from(LyVega *vega, const char *folder)
{
    LyraBodyDef *body = &vega->body;
    const char **files[] = {&body->file,
                            &vega->springs.file,
                            &vega->cloth.file,
                            &body->start.displacement_file,
                            &body->start.velocity_file,
                            &vega->surfaces[0].file,
                            &vega->surfaces[0].weights,
                            &vega->surfaces[1].file,
                            &vega->constraint.select.file,
                            &vega->loads[0].file,
                            &vega->loads[1].file};
    for (int32_t f = 0; folder && f < LY_COUNT_OF(files); ++f) {
        char *path = NULL;
        if (*files[f] && **files[f] != '/') {
            LY_TRY(ly_path_join(vega->ctx, folder, *files[f], &path));
            LyraStatus status = ly_vega_keep(vega, path, files[f]);
            ly_release(vega->ctx, path);
            LY_TRY(status);
        }
    }
    return LYRA_OK;
}

static void end(LyVega *vega)
{
    ly_config_end(&vega->config);
    ly_arena_destroy(vega->ctx, vega->arena);
}

LyraStatus ly_scene_read_config(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                                LyraWorld **out)
{
    LyVega vega = {.ctx = scene->ctx, .scene = scene, .digest = 0xcbf29ce484222325u};
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_arena_create(scene->ctx, 0, &vega.arena));
    LY_TRY_DONE(read_scene(&vega, def));
    LY_TRY_DONE(vega.override_count ? build_overridden(&vega, ctx, out) : build(&vega, ctx, out));
done:
    end(&vega);
    return status;
}

LyraStatus ly_scene_format_config(LyraScene *scene, LyraContext *ctx, const LyraSceneDef *def,
                                  const char *folder, char **text)
{
    LyVega vega = {.ctx = scene->ctx, .scene = scene, .digest = 0xcbf29ce484222325u};
    LyraWorld *world = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_arena_create(scene->ctx, 0, &vega.arena));
    LY_TRY_DONE(read_scene(&vega, def));
    if (vega.override_count) {
        LY_TRY_DONE(ly_fail(LYRA_INVALID_ARGUMENT,
                            "%s: expected an override of a key of .config, as timestep=0.01",
                            vega.overrides[0]));
    }
    LY_TRY_DONE(build(&vega, ctx, &world));
    LY_TRY_DONE(see_from(&vega, folder));
    LY_TRY_DONE(ly_spec_format(vega.ctx, &vega.spec, text));
done:
    lyra_world_destroy(world);
    end(&vega);
    return status;
}
