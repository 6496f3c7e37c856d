// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Small scenes of Vega written by tests: meshes, matrices and `.config` files in the folder of the
// test.

#ifndef SCENE_CONFIG_FILES_H
#define SCENE_CONFIG_FILES_H

#include "lyra_test.h"

#include "lyra/dense.h"
#include "lyra/matrix_file.h"
#include "lyra/mesh_generate.h"
#include "lyra/mesh_ops.h"
#include "lyra/scene.h"

#include <stdlib.h>
#include <string.h>

#define BAR_DENSITY 500.0

// what every scene must have, without damping
#define REQUIRED                                                                                   \
    "*timestep\n0.01\n*dampingMassCoef\n0\n*dampingStiffnessCoef\n0\n"                             \
    "*deformableObjectCompliance\n1\n*frequencyScaling\n1\n*lightingConfigFilename\nno.lighting\n"
#define BAR "*volumetricMeshFilename\nbar.veg\n"

// path of a file in the folder of the test; a few stay valid at a time
static inline const char *place(const char *name)
{
    static char paths[4][1024];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s", test_temp_path(name));
    return path;
}

static inline const char *write_text(const char *name, const char *text)
{
    const char *path = place(name);
    test_write_file(path, text, strlen(text));
    return path;
}

// a bar of 4 x 1 x 1 cells of size 0.25 with its low corner at the origin
static inline void write_bar_of(LyraContext *ctx, const char *name, LyraElementKind kind,
                                const LyraMeshMaterial *material)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.kind = kind;
    memcpy(def.cells, (int32_t[3]){4, 1, 1}, sizeof def.cells);
    memcpy(def.size, (double[3]){1, 0.25, 0.25}, sizeof def.size);
    memcpy(def.center, (double[3]){0.5, 0.125, 0.125}, sizeof def.center);
    def.material = material;
    LyraMesh *mesh = NULL;
    if (TEST_OK(lyra_mesh_generate(ctx, &def, &mesh))) {
        TEST_OK(lyra_mesh_save(mesh, place(name), LYRA_MESH_FORMAT_VEG));
    }
    lyra_mesh_destroy(mesh);
}

static inline void write_bar(LyraContext *ctx, const char *name, LyraElementKind kind, double young)
{
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.density = BAR_DENSITY;
    material.enu = (LyraMaterialEnu){.young = young, .poisson = 0.3};
    write_bar_of(ctx, name, kind, &material);
}

#define BAR_VERTICES 20
#define BAR_VOLUME 0.0625

static inline void write_matrix(LyraContext *ctx, const char *name, int32_t rows, int32_t columns,
                                const double *values)
{
    LyraDenseView view = {.rows = rows, .columns = columns, .values = values};
    TEST_OK(lyra_dense_save_vega(ctx, place(name), view));
}

// lines of the log of a context, one after another
typedef struct Log {
    char text[8192];
} Log;

static inline void keep_line(void *user, LyraLogLevel level, const char *message)
{
    Log *log = user;
    if (level >= LYRA_LOG_WARNING) {
        size_t used = strlen(log->text);
        snprintf(log->text + used, sizeof log->text - used, "%s\n", message);
    }
}

static inline LyraContext *logged_context(Log *log)
{
    LyraContextDef def = lyra_context_def_default();
    LyraContext *ctx = NULL;
    def.thread_count = 1;
    def.log = keep_line;
    def.log_user = log;
    log->text[0] = '\0';
    TEST_OK(lyra_context_create(&def, &ctx));
    return ctx;
}

static inline void end_logged(LyraContext *ctx)
{
    TEST_EQUAL(lyra_context_byte_count(ctx), 0);
    lyra_context_destroy(ctx);
}

// loads `text` as scene.config; NULL, with a failed check, if it cannot. `scene`: Nullable.
static inline LyraWorld *load_scene(LyraContext *ctx, const char *text, LyraScene **scene)
{
    LyraWorld *world = NULL;
    TEST_OK(lyra_world_load(ctx, write_text("scene.config", text), NULL, &world, scene));
    return world;
}

static inline LyraWorld *load_text(LyraContext *ctx, const char *text)
{
    return load_scene(ctx, text, NULL);
}

static inline bool take_steps(LyraWorld *world, int32_t count)
{
    for (int32_t s = 0; s < count; ++s) {
        if (!TEST_OK(lyra_world_step(world, NULL))) {
            return false;
        }
    }
    return true;
}

static inline const double *velocities(const LyraWorld *world)
{
    return lyra_vector_values(lyra_state_view(lyra_world_view(world).state).v);
}

static inline const double *displacements(const LyraWorld *world)
{
    return lyra_vector_values(lyra_state_view(lyra_world_view(world).state).u);
}

// total momentum, kg m/s
static inline void momentum(const LyraWorld *world, double total[3])
{
    LyraModelView model = lyra_model_view(lyra_world_view(world).model);
    const double *v = velocities(world);
    total[0] = total[1] = total[2] = 0;
    for (int32_t i = 0; i < 3 * model.vertex_count; ++i) {
        total[i % 3] += model.masses[i / 3] * v[i];
    }
}

#endif
