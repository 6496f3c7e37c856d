// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra snapshot`: a picture of a mesh or a surface, at rest or deformed, with a field on it.

#include "mesh.h"

#include "lyra/dense.h"
#include "lyra/matrix_file.h"
#include "lyra/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

// of an option that was not given: the last one
#define FRAME_LAST INT32_MIN

typedef struct SnapshotOptions {
    const char *displacement, *field, *embed, *fixed, *color_map;
    const char *size, *view, *camera, *range, *label, *title, *up, *out;
    int32_t frame, threads;
    double field_of_view; // degrees
    bool wireframe, flat, no_ground, no_shadows, no_legend;
} SnapshotOptions;

/// What is to be shown. Arrays to free().
typedef struct Scene {
    LyraContext *ctx;
    LyraMesh *mesh;       // NULL for a surface
    LyraSurface *surface; // to draw
    LyraTextureSet *textures;
    int32_t vertex_count;   // of the file: mesh or surface
    double *displacement;   // of the file's vertices; NULL: at rest
    double *values;         // field on the file's vertices; NULL: none
    double *positions;      // of the surface
    double *surface_values; // of the surface
    int32_t *dots;
    int32_t dot_count;
    const char *label;
} Scene;

// ---- input --------------------------------------------------------------------------------------

// frame of an .npy file of n vertices: (n, columns) or (columns n), row by row; NULL after printing
static double *load_array(const Scene *scene, const char *path, int32_t frame, int32_t columns)
{
    LyraDense *dense = NULL;
    if (lyra_dense_load_npy_frame(scene->ctx, path, frame, &dense) != LYRA_OK) {
        cli_failed();
        return NULL;
    }
    LyraDenseView view = lyra_dense_view(dense);
    int64_t n = scene->vertex_count;
    bool matrix = view.rows == n && view.columns == columns;
    bool vector = view.rows == columns * n && view.columns == 1;
    double *out = NULL;
    if (matrix || vector) {
        out = cli_allocate((size_t)(columns * n) * sizeof *out);
        for (int64_t i = 0; i < columns * n; ++i) {
            out[i] = matrix ? view.values[i / columns + n * (i % columns)] : view.values[i];
        }
    } else {
        cli_fail("%s: found shape (%lld, %lld), expected (%lld, %d), or (frames, %lld, %d)", path,
                 (long long)view.rows, (long long)view.columns, (long long)n, columns, (long long)n,
                 columns);
    }
    lyra_dense_destroy(dense);
    return out;
}

static bool load_body(Scene *scene, const char *path, const SnapshotOptions *options)
{
    LyraStatus status = LYRA_OK;
    const char *surface = cli_is_surface_path(path) ? path : options->embed;
    if (surface != path) {
        scene->mesh = cli_load_mesh(scene->ctx, path);
        if (!scene->mesh) {
            return false;
        }
        scene->vertex_count = lyra_mesh_view(scene->mesh).vertex_count;
    } else if (options->embed) {
        cli_fail("%s: found a surface, expected a volumetric mesh to embed in", path);
        return false;
    }
    if (surface) {
        status = lyra_surface_load(scene->ctx, surface, LYRA_MESH_FORMAT_AUTO, &scene->surface);
        if (status == LYRA_OK) {
            status = lyra_texture_set_load(scene->ctx, scene->surface, surface, &scene->textures);
        }
    } else {
        status = cli_boundary_surface(scene->ctx, scene->mesh, false, true, &scene->surface);
    }
    if (status != LYRA_OK) {
        cli_failed();
        return false;
    }
    if (!scene->mesh) {
        scene->vertex_count = lyra_surface_view(scene->surface).vertex_count;
    }
    return true;
}

static bool load_arrays(Scene *scene, const SnapshotOptions *options)
{
    size_t n = (size_t)scene->vertex_count;
    if (options->displacement) {
        scene->displacement = load_array(scene, options->displacement, options->frame, 3);
        if (!scene->displacement) {
            return false;
        }
    }
    if (options->field && strcmp(options->field, "displacement") != 0) {
        scene->values = load_array(scene, options->field, options->frame, 1);
        return scene->values != NULL;
    }
    if (options->field) {
        if (!scene->displacement) {
            cli_fail("--field displacement needs --displacement");
            return false;
        }
        scene->values = cli_allocate(n * sizeof *scene->values);
        for (size_t i = 0; i < n; ++i) {
            const double *u = scene->displacement + 3 * i;
            scene->values[i] = hypot(hypot(u[0], u[1]), u[2]);
        }
        scene->label = "displacement [m]";
    }
    return true;
}

// from the vertices of the mesh to those of an embedded surface
static bool carry_over(Scene *scene)
{
    LyraSurfaceView view = lyra_surface_view(scene->surface);
    LyraEmbedding *embedding = NULL;
    if (lyra_embedding_create(scene->mesh, view.vertex_count, view.positions, 0, &embedding,
                              NULL) != LYRA_OK) {
        cli_failed();
        return false;
    }
    size_t m = (size_t)view.vertex_count, n = (size_t)scene->vertex_count;
    if (scene->displacement) {
        scene->positions = cli_allocate(3 * m * sizeof *scene->positions);
        lyra_embedding_move(embedding, scene->displacement, view.positions, scene->positions);
    }
    if (scene->values) {
        // embeddings carry vectors: the numbers travel as their x
        double *from = cli_allocate(3 * n * sizeof *from), *to = cli_allocate(3 * m * sizeof *to);
        for (size_t i = 0; i < 3 * n; ++i) {
            from[i] = i % 3 == 0 ? scene->values[i / 3] : 0;
        }
        lyra_embedding_interpolate(embedding, from, to);
        scene->surface_values = cli_allocate(m * sizeof *scene->surface_values);
        for (size_t i = 0; i < m; ++i) {
            scene->surface_values[i] = to[3 * i];
        }
        free(from);
        free(to);
    }
    lyra_embedding_destroy(embedding);
    return true;
}

// the vertices of the surface are those of the file
static void move(Scene *scene)
{
    LyraSurfaceView view = lyra_surface_view(scene->surface);
    size_t n = (size_t)scene->vertex_count;
    if (scene->displacement) {
        scene->positions = cli_allocate(3 * n * sizeof *scene->positions);
        for (size_t i = 0; i < 3 * n; ++i) {
            scene->positions[i] = view.positions[i] + scene->displacement[i];
        }
    }
    scene->surface_values = scene->values;
    scene->values = NULL;
}

static bool load_scene(Scene *scene, const char *path, const SnapshotOptions *options)
{
    if (!load_body(scene, path, options) || !load_arrays(scene, options)) {
        return false;
    }
    if (options->fixed) {
        if (options->embed) {
            cli_fail("--fixed marks vertices of the mesh, and --embed does not show them");
            return false;
        }
        if (lyra_vertex_list_load(scene->ctx, options->fixed, 1, scene->vertex_count,
                                  &scene->dot_count, &scene->dots) != LYRA_OK) {
            cli_failed();
            return false;
        }
    }
    if (options->embed) {
        return carry_over(scene);
    }
    move(scene);
    return true;
}

static void end_scene(Scene *scene)
{
    lyra_vertex_list_destroy(scene->ctx, scene->dots);
    lyra_texture_set_destroy(scene->textures);
    lyra_surface_destroy(scene->surface);
    lyra_mesh_destroy(scene->mesh);
    lyra_context_destroy(scene->ctx);
    free(scene->displacement);
    free(scene->values);
    free(scene->positions);
    free(scene->surface_values);
}

// ---- output -------------------------------------------------------------------------------------

static CliExit draw_scene(const Scene *scene, const SnapshotOptions *options, LyraRenderDef *def)
{
    LyraRenderBody body = lyra_render_body_default();
    LyraPicture *picture = NULL;
    body.surface = scene->surface;
    body.positions = scene->positions;
    body.field = scene->surface_values;
    body.textures = scene->textures;
    body.edges = options->wireframe;
    body.flat = options->flat;
    body.dot_count = scene->dot_count;
    body.dots = scene->dots;
    def->label = options->label ? options->label : scene->label;
    LyraStatus status = lyra_render(scene->ctx, def, 1, &body, &picture);
    if (status == LYRA_OK) {
        status = lyra_picture_save(picture, options->out);
    }
    lyra_picture_destroy(picture);
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

// settings of the picture; false after explaining what is wrong
static bool make_def(const CliUsage *usage, const SnapshotOptions *options, LyraRenderDef *def,
                     CliExit *exit)
{
    const char *wrong = NULL, *expected = NULL, *found = NULL;
    if (options->size && !cli_parse_size(options->size, &def->width, &def->height)) {
        wrong = "--size", expected = "WxH", found = options->size;
    }
    double angles[2];
    if (options->view && cli_parse_numbers(options->view, 2, angles, '\0') &&
        fabs(angles[1]) <= 90) {
        def->azimuth = angles[0] * DEGREE;
        def->elevation = angles[1] * DEGREE;
    } else if (options->view) {
        wrong = "--view", expected = "AZIMUTH,ELEVATION in degrees", found = options->view;
    }
    if (options->camera) {
        const char *target = cli_parse_numbers(options->camera, 3, def->eye, '/');
        def->fitted = false;
        if (!target || !cli_parse_numbers(target, 3, def->target, '\0')) {
            wrong = "--camera", expected = "X,Y,Z/X,Y,Z", found = options->camera;
        }
    }
    if (options->range && (!cli_parse_numbers(options->range, 2, def->field_range, '\0') ||
                           def->field_range[0] >= def->field_range[1])) {
        wrong = "--range", expected = "LOW,HIGH", found = options->range;
    }
    if (strlen(options->up) != 1 || !strchr("xyz", options->up[0])) {
        wrong = "--up", expected = "x, y or z", found = options->up;
    } else {
        for (int i = 0; i < 3; ++i) {
            def->up[i] = options->up[0] - 'x' == i;
        }
    }
    int map = 0;
    while (map < LYRA_COLOR_MAP_COUNT &&
           strcmp(options->color_map, lyra_color_map_name((LyraColorMap)map)) != 0) {
        ++map;
    }
    def->color_map = (LyraColorMap)map;
    if (map == LYRA_COLOR_MAP_COUNT) {
        wrong = "--color-map", expected = "sequential or diverging", found = options->color_map;
    }
    if (!(options->field_of_view > 0 && options->field_of_view < 170)) {
        wrong = "--fov", expected = "degrees above 0 and below 170", found = "another number";
    }
    if (wrong) {
        *exit = cli_usage_error(usage, "%s needs %s, found \"%s\"", wrong, expected, found);
        return false;
    }
    def->field_of_view = options->field_of_view * DEGREE;
    def->title = options->title;
    def->ground = !options->no_ground;
    def->shadows = !options->no_shadows;
    def->legend = !options->no_legend;
    return true;
}

CliExit cli_snapshot(int argument_count, char **arguments)
{
    SnapshotOptions options = {
        .frame = FRAME_LAST, .field_of_view = 28.6, .up = "y", .color_map = "sequential"};
    const CliOption table[] = {
        {"--displacement", CLI_TEXT, &options.displacement, "U.npy",
         "displacements of the vertices, m: array (n,3) or (frames,n,3) (default: rest)"},
        {"--frame", CLI_INT, &options.frame, "K",
         "frame to draw, from 0, or from the end if negative (default -1)"},
        {"--field", CLI_TEXT, &options.field, "F.npy",
         "colour by one number per vertex, or by the word displacement (default: no colours)"},
        {"--range", CLI_TEXT, &options.range, "LOW,HIGH",
         "ends of the colour scale (default: those of the field)"},
        {"--label", CLI_TEXT, &options.label, "TEXT",
         "text above the colour scale (default: none)"},
        {"--color-map", CLI_TEXT, &options.color_map, "NAME",
         "sequential or diverging (default sequential)"},
        {"--embed", CLI_TEXT, &options.embed, "S.obj",
         "draw this surface instead, carried along by the mesh"},
        {"--fixed", CLI_TEXT, &options.fixed, "LIST.bou",
         "mark these vertices with dots; numbers from 1"},
        {"--size", CLI_TEXT, &options.size, "WxH", "width and height, pixels (default 1200x900)"},
        {"--view", CLI_TEXT, &options.view, "AZ,EL",
         "direction of the camera, azimuth and elevation, degrees (default 34.4,20.1)"},
        {"--camera", CLI_TEXT, &options.camera, "EYE/TARGET",
         "place the camera by hand: x,y,z/x,y,z, m (default: fitted)"},
        {"--fov", CLI_DOUBLE, &options.field_of_view, "DEG",
         "field of view, degrees (default 28.6)"},
        {"--up", CLI_TEXT, &options.up, "AXIS", "axis that points up: x, y or z (default y)"},
        {"--title", CLI_TEXT, &options.title, "TEXT", "text in the corner (default: none)"},
        {"--wireframe", CLI_FLAG, &options.wireframe, NULL, "draw the edges of the faces"},
        {"--flat", CLI_FLAG, &options.flat, NULL, "one shade per face (default: smooth)"},
        {"--no-ground", CLI_FLAG, &options.no_ground, NULL, "no shadow on the ground"},
        {"--no-shadows", CLI_FLAG, &options.no_shadows, NULL, "no shadows at all; faster"},
        {"--no-legend", CLI_FLAG, &options.no_legend, NULL, "no colour scale"},
        {"--threads", CLI_THREADS, &options.threads, "N", "worker threads (default: one per core)"},
        {"--out", CLI_TEXT, &options.out, "FILE", "the picture, .png or .ppm (required)"},
        {"-o", CLI_TEXT, &options.out, "FILE", "the same as --out"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra snapshot",
        .positional = "FILE",
        .description =
            "Draws a picture of a volume mesh (its boundary) or of a surface (OBJ, STL, PLY).",
        .example =
            "lyra snapshot beam.veg --displacement u.npy --field displacement --out beam.png",
        .options = table,
    };
    const char *path;
    CliExit exit;
    LyraRenderDef def = lyra_render_def_default();
    if (!cli_parse(&usage, argument_count, arguments, &path, NULL, &exit) ||
        !make_def(&usage, &options, &def, &exit)) {
        return exit;
    }
    if (!options.out) {
        return cli_usage_error(&usage, "--out is missing");
    }
    bool arrays =
        options.displacement || (options.field && strcmp(options.field, "displacement") != 0);
    if (options.frame != FRAME_LAST && !arrays) {
        return cli_usage_error(&usage,
                               "--frame %d needs frames: give --displacement U.npy or --field "
                               "F.npy",
                               (int)options.frame);
    }
    options.frame = options.frame == FRAME_LAST ? -1 : options.frame;
    Scene scene = {.ctx = cli_context(options.threads, LYRA_ISA_AUTO)};
    if (!scene.ctx) {
        return CLI_BAD_INPUT;
    }
    exit = load_scene(&scene, path, &options) ? draw_scene(&scene, &options, &def) : CLI_BAD_INPUT;
    end_scene(&scene);
    return exit;
}
