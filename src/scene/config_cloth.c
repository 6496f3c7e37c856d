// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Scenes of cloth of Vega: their keys, and the body. They move by backward Euler with one Newton
// step, and know one fabric for all of the cloth.

#include "scene/vega_scene.h"

#include <string.h>

#define NOT_NEGATIVE .kind = LY_CONFIG_NUMBER, .high = INFINITY
#define VIEWING .kind = LY_CONFIG_TEXT

// clang-format off
const LyConfigKey ly_vega_cloth_keys[LY_VEGA_KEY_COUNT] = {
    [LY_VEGA_CLOTH] = {.name = "objMeshname", .kind = LY_CONFIG_TEXT, .required = true},
    [LY_VEGA_FREQUENCY_SCALING] = {.fallback = 1},
    [LY_VEGA_SOLVER] = {.fallback = LY_VEGA_BACKWARD_EULER},
    [LY_VEGA_MAX_ITERATIONS] = {.fallback = 1},
    [LY_VEGA_SUBSTEPS] = {.fallback = 1},
    [LY_VEGA_TANGENTIAL_UPDATE] = {.fallback = 1},
    [LY_VEGA_TIMESTEP] = {.name = "timeStep", .kind = LY_CONFIG_POSITIVE, .fallback = 0.02},
    [LY_VEGA_DAMPING_MASS] = {.name = "dampingMass", NOT_NEGATIVE},
    [LY_VEGA_DAMPING_STIFFNESS] = {.name = "dampingStiffness", NOT_NEGATIVE, .fallback = 0.001},
    [LY_VEGA_FIXED_VERTICES] = {.name = "fixedVerticesFilename", .kind = LY_CONFIG_TEXT, .required = true},
    [LY_VEGA_ADD_GRAVITY] = {.name = "addGravity", .kind = LY_CONFIG_SWITCH, .fallback = 1},
    [LY_VEGA_G] = {.name = "gravityForce", .kind = LY_CONFIG_NUMBER, .fallback = 9.81},
    [LY_VEGA_TENSILE] = {.name = "tensileStiffness", NOT_NEGATIVE, .fallback = 6500},
    [LY_VEGA_SHEAR] = {.name = "shearStiffness", NOT_NEGATIVE, .fallback = 100},
    [LY_VEGA_BEND_U] = {.name = "bendStiffnessU", NOT_NEGATIVE, .fallback = 0.0002},
    [LY_VEGA_BEND_V] = {.name = "bendStiffnessV", NOT_NEGATIVE, .fallback = 0.0002},
    [LY_VEGA_SURFACE_DENSITY] = {.name = "surfaceDensity", .kind = LY_CONFIG_POSITIVE, .fallback = 0.25},
    [LY_VEGA_REST_ANGLES] = {.name = "useRestAngles", .kind = LY_CONFIG_SWITCH, .fallback = 1},
    [LY_VEGA_STRETCH_FORCE] = {.name = "computeStretchShearForce", .kind = LY_CONFIG_SWITCH, .fallback = 1},
    [LY_VEGA_STRETCH_STIFFNESS] = {.name = "computeStretchShearStiffness", .kind = LY_CONFIG_SWITCH, .fallback = 1},
    [LY_VEGA_BEND_FORCE] = {.name = "computeBendForce", .kind = LY_CONFIG_SWITCH, .fallback = 1},
    [LY_VEGA_BEND_STIFFNESS] = {.name = "computeBendStiffness", .kind = LY_CONFIG_SWITCH, .fallback = 1},
    [LY_VEGA_WIND_X] = {.name = "wind_x", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_WIND_Y] = {.name = "wind_y", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_WIND_Z] = {.name = "wind_z", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_CAMERA_RADIUS] = {.name = "cameraRadius", .kind = LY_CONFIG_POSITIVE, .fallback = 6},
    [LY_VEGA_CAMERA_LONGITUDE] = {.name = "cameraLongitude", .kind = LY_CONFIG_NUMBER, .fallback = -10},
    [LY_VEGA_CAMERA_LATITUDE] = {.name = "cameraLatitude", .kind = LY_CONFIG_NUMBER, .fallback = 45},
    [LY_VEGA_FOCUS_X] = {.name = "focusPositionX", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_FOCUS_Y] = {.name = "focusPositionY", .kind = LY_CONFIG_NUMBER, .fallback = 10},
    [LY_VEGA_FOCUS_Z] = {.name = "focusPositionZ", .kind = LY_CONFIG_NUMBER},
    [LY_VEGA_LIGHTING] = {.name = "lightingFilename", VIEWING, .required = true},
    [LY_VEGA_FORCE_THREADS] = {.name = "numInternalForceThreads", VIEWING},
    [LY_VEGA_SOLVER_THREADS] = {.name = "numSolverThreads", VIEWING},
    [LY_VEGA_WIREFRAME] = {.name = "renderWireframe", VIEWING},
    [LY_VEGA_EXTRA_GEOMETRY] = {.name = "extraSceneGeometryFilename", VIEWING},
    [LY_VEGA_MOUSE_FORCE] = {.name = "mouseForceCoeff", VIEWING},
    [LY_VEGA_FORCE_MAGNITUDE] = {.name = "forceMagnitude", VIEWING},
    [LY_VEGA_Z_NEAR] = {.name = "zBufferNear", VIEWING},
    [LY_VEGA_Z_FAR] = {.name = "zBufferFar", VIEWING},
};
// clang-format on

bool ly_vega_is_cloth(const char *text, size_t length)
{
    const char *at = text, *end = text + length;
    while (at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        size_t word = 0;
        while (at + 1 + word < next && !strchr(" \t\r", at[1 + word])) {
            ++word;
        }
        if (*at == '*' &&
            ly_slice_is_word((LySlice){at + 1, word}, ly_vega_cloth_keys[LY_VEGA_CLOTH].name)) {
            return true;
        }
        at = next + 1;
    }
    return false;
}

LyraStatus ly_vega_read_cloth(LyVega *vega)
{
    const LyConfig *config = &vega->config;
    LyraBodyCloth *cloth = &vega->cloth;
    double wind[3], size = 0;
    *cloth = lyra_body_cloth_default();
    cloth->file = config->values[LY_VEGA_CLOTH].text;
    cloth->fabric.stretch = ly_config_number(config, LY_VEGA_TENSILE);
    cloth->fabric.shear = ly_config_number(config, LY_VEGA_SHEAR);
    cloth->fabric.bend_u = ly_config_number(config, LY_VEGA_BEND_U);
    cloth->fabric.bend_v = ly_config_number(config, LY_VEGA_BEND_V);
    cloth->surface_density = ly_config_number(config, LY_VEGA_SURFACE_DENSITY);
    cloth->area = LYRA_CLOTH_AREA_VEGA;
    cloth->frozen_bend = true;
    cloth->rest_angles = ly_config_is_on(config, LY_VEGA_REST_ANGLES);
    cloth->stretch_force = ly_config_is_on(config, LY_VEGA_STRETCH_FORCE);
    cloth->stretch_stiffness = ly_config_is_on(config, LY_VEGA_STRETCH_STIFFNESS);
    cloth->bend_force = ly_config_is_on(config, LY_VEGA_BEND_FORCE);
    cloth->bend_stiffness = ly_config_is_on(config, LY_VEGA_BEND_STIFFNESS);
    vega->source = LY_VEGA_CLOTH;
    vega->body.kind = "cloth";
    vega->body.cloth = cloth;
    if (ly_config_is_on(config, LY_VEGA_ADD_GRAVITY)) {
        vega->spec.world.gravity[1].value = -ly_config_number(config, LY_VEGA_G);
    }
    for (int32_t i = 0; i < 3; ++i) {
        wind[i] = ly_config_number(config, LY_VEGA_WIND_X + i);
        size = fmax(size, fabs(wind[i]));
    }
    if (size > 0) {
        ly_vega_add_force(vega, wind);
    }
    return LYRA_OK;
}
