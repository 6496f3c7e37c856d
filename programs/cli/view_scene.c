// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The description of a scene for the page, and what viewers have chosen: JSON for words and single
// numbers, arrays behind it. docs/viewer.md has the keys.

#include "view.h"

#include "lyra/picture.h"

#include <stdlib.h>
#include <string.h>

#define TEXTURE_SIDE_MAX 1024
// edges that are sharper at rest stay sharp, rad
#define CREASE_ANGLE 1.0

// a message of JSON and arrays while it is made
typedef struct Builder {
    CliJson json;
    char *text;
    size_t length;
    unsigned char *bytes; // of the arrays
    size_t size, capacity;
} Builder;

static bool begin(Builder *builder)
{
    *builder = (Builder){0};
    builder->json.file = open_memstream(&builder->text, &builder->length);
    if (!builder->json.file) {
        cli_fail("out of memory for a message");
        return false;
    }
    cli_json_open(&builder->json, NULL, '{');
    return true;
}

// an array as [offset, bytes], aligned to 8
static void add_array(Builder *builder, const char *key, const void *values, size_t bytes)
{
    size_t padded = (bytes + 7) / 8 * 8;
    if (builder->size + padded > builder->capacity) {
        size_t capacity = 2 * (builder->size + padded) + 4096;
        unsigned char *grown = cli_allocate(capacity);
        if (builder->size > 0) {
            memcpy(grown, builder->bytes, builder->size);
        }
        free(builder->bytes);
        builder->bytes = grown;
        builder->capacity = capacity;
    }
    if (bytes > 0) {
        memset(builder->bytes + builder->size, 0, padded);
        memcpy(builder->bytes + builder->size, values, bytes);
    }
    const double place[] = {(double)builder->size, (double)bytes};
    cli_json_doubles(&builder->json, key, 2, place);
    builder->size += padded;
}

static void publish(View *view, Builder *builder, ViewKind kind, ViewSlot slot)
{
    cli_json_close(&builder->json, '}');
    fclose(builder->json.file);
    size_t text = (builder->length + 7) / 8 * 8;
    ViewBlob *blob = view_hub_blob(&view->hub, kind, VIEW_HEADER + 8 + text + builder->size);
    unsigned char *at = view_blob_bytes(blob) + VIEW_HEADER;
    const uint32_t head[] = {(uint32_t)text, 0};
    memcpy(at, head, sizeof head);
    memset(at + 8, ' ', text);
    memcpy(at + 8, builder->text, builder->length);
    if (builder->size > 0) {
        memcpy(at + 8 + text, builder->bytes, builder->size);
    }
    free(builder->text);
    free(builder->bytes);
    view_hub_publish(&view->hub, slot, blob);
}

// ---- surfaces -----------------------------------------------------------------------------------

// Corners that differ in their texture coordinates, in their normals across a sharp edge, or in
// their material are different vertices to a graphics card. Those of one material stand together.
typedef struct Corners {
    int32_t count;
    int32_t normal_count;
    uint32_t *source;    // vertex of the page's numbering of each one
    uint32_t *normal;    // which of the normals each one has
    float *texcoords;    // [count][2]
    uint32_t *triangles; // [triangle_count][3]
} Corners;

static void free_corners(Corners *corners)
{
    free(corners->source);
    free(corners->normal);
    free(corners->texcoords);
    free(corners->triangles);
}

// by the material, the texture coordinates and, in `sharp`, the normals of the corners
static Corners split_corners(const ViewSurface *surface, const LyraSurface *sharp)
{
    LyraSurfaceView view = lyra_surface_view(sharp);
    size_t corners = 3 * (size_t)surface->triangle_count, vertices = (size_t)view.vertex_count;
    Corners out = {.source = cli_allocate((corners + 1) * sizeof *out.source),
                   .normal = cli_allocate((corners + 1) * sizeof *out.normal),
                   .texcoords = cli_allocate((corners + 1) * 2 * sizeof *out.texcoords),
                   .triangles = cli_allocate((corners + 1) * sizeof *out.triangles),
                   .normal_count = view.normal_count};
    int32_t *first = cli_allocate((vertices + 1) * sizeof *first); // of the chain of each vertex
    int32_t *next = cli_allocate((corners + 1) * sizeof *next);
    int32_t *texcoord = cli_allocate((corners + 1) * sizeof *texcoord);
    int32_t *material = cli_allocate((corners + 1) * sizeof *material);
    uint32_t *place = cli_allocate((vertices + 1) * sizeof *place);
    for (size_t v = 0; v < vertices; ++v) {
        first[v] = -1;
    }
    for (int32_t i = 0; i < surface->used_count; ++i) {
        place[surface->used[i]] = (uint32_t)i;
    }
    for (size_t c = 0; c < corners; ++c) {
        int32_t face = surface->order[c / 3];
        int64_t corner = 3 * (int64_t)face + (int64_t)(c % 3);
        int32_t m = view.face_materials ? view.face_materials[face] : -1;
        int32_t v = surface->corners[c];
        int32_t t = view.corner_texcoords ? view.corner_texcoords[corner] : -1;
        uint32_t n = (uint32_t)view.corner_normals[corner];
        int32_t found = first[v];
        while (found >= 0 &&
               (material[found] != m || texcoord[found] != t || out.normal[found] != n)) {
            found = next[found];
        }
        if (found < 0) {
            found = out.count++;
            out.source[found] = place[v];
            out.normal[found] = n;
            out.texcoords[2 * found] = t < 0 ? 0 : (float)view.texcoords[2 * (int64_t)t];
            out.texcoords[2 * found + 1] = t < 0 ? 0 : (float)view.texcoords[2 * (int64_t)t + 1];
            texcoord[found] = t;
            material[found] = m;
            next[found] = first[v];
            first[v] = found;
        }
        out.triangles[c] = (uint32_t)found;
    }
    free(first);
    free(next);
    free(texcoord);
    free(material);
    free(place);
    return out;
}

// pixels of a picture, halved until they are few enough
static void add_texture(Builder *builder, const LyraPicture *picture)
{
    LyraPictureView view = lyra_picture_view(picture);
    int32_t width = view.width, height = view.height;
    uint8_t *pixels = cli_allocate(4 * (size_t)width * (size_t)height);
    memcpy(pixels, view.pixels, 4 * (size_t)width * (size_t)height);
    while ((width > TEXTURE_SIDE_MAX || height > TEXTURE_SIDE_MAX) && width > 1 && height > 1) {
        int32_t w = width / 2, h = height / 2;
        for (int64_t y = 0; y < h; ++y) {
            for (int64_t i = 0; i < 4 * (int64_t)w; ++i) {
                int64_t at = (2 * y * width + 2 * (i / 4)) * 4 + i % 4, row = 4 * (int64_t)width;
                int sum = pixels[at] + pixels[at + 4] + pixels[at + row] + pixels[at + row + 4];
                pixels[4 * w * y + i] = (uint8_t)((sum + 2) / 4);
            }
        }
        width = w;
        height = h;
    }
    cli_json_open(&builder->json, "texture", '{');
    cli_json_int(&builder->json, "width", width);
    cli_json_int(&builder->json, "height", height);
    add_array(builder, "pixels", pixels, 4 * (size_t)width * (size_t)height);
    cli_json_close(&builder->json, '}');
    free(pixels);
}

static void add_material(Builder *builder, const ViewSurface *surface, int32_t material,
                         int32_t first, int32_t count, const LyraTextureSet *textures)
{
    LyraSurfaceView view = lyra_surface_view(surface->triangles);
    const LyraPicture *picture =
        textures && material >= 0 ? lyra_texture_set_get(textures, material) : NULL;
    cli_json_open(&builder->json, NULL, '{');
    cli_json_int(&builder->json, "first", first);
    cli_json_int(&builder->json, "count", count);
    if (material >= 0) {
        const LyraSurfaceMaterial *paint = &view.materials[material];
        cli_json_text(&builder->json, "name", paint->name);
        cli_json_doubles(&builder->json, "diffuse", 3, paint->diffuse);
        cli_json_doubles(&builder->json, "specular", 3, paint->specular);
        cli_json_double(&builder->json, "shininess", paint->shininess);
        cli_json_double(&builder->json, "opacity", paint->opacity);
    }
    if (picture) {
        add_texture(builder, picture);
    }
    cli_json_close(&builder->json, '}');
}

static bool add_surface(View *view, Builder *builder, const ViewSurface *surface)
{
    LyraSurfaceView data = lyra_surface_view(surface->triangles);
    const LyraShownSurface *shown = surface->moved->shown;
    LyraTextureSet *textures = NULL;
    LyraSurface *sharp = NULL;
    LyraSurfaceReport report;
    if (lyra_surface_report(surface->triangles, &report) != LYRA_OK ||
        lyra_surface_split_normals(surface->triangles, CREASE_ANGLE, LYRA_NORMAL_WEIGHT_AREA,
                                   &sharp) != LYRA_OK) {
        cli_failed();
        return false;
    }
    Corners corners = split_corners(surface, sharp);
    lyra_surface_destroy(sharp);
    if (shown->path && lyra_texture_set_load(view->run.ctx, surface->triangles, shown->path,
                                             &textures) != LYRA_OK) {
        cli_failed();
        free_corners(&corners);
        return false;
    }
    cli_json_open(&builder->json, NULL, '{');
    cli_json_text(&builder->json, "name", shown->name);
    cli_json_text(&builder->json, "body", surface->moved->body->name);
    cli_json_bool(&builder->json, "visible", surface->moved->visible);
    cli_json_int(&builder->json, "vertices", surface->used_count);
    // nobody sees the back of its faces
    cli_json_bool(&builder->json, "closed", report.closed && report.oriented);
    cli_json_int(&builder->json, "normals", corners.normal_count);
    add_array(builder, "source", corners.source, (size_t)corners.count * sizeof *corners.source);
    add_array(builder, "normal", corners.normal, (size_t)corners.count * sizeof *corners.normal);
    if (data.corner_texcoords) {
        add_array(builder, "texcoords", corners.texcoords,
                  2 * (size_t)corners.count * sizeof *corners.texcoords);
    }
    add_array(builder, "triangles", corners.triangles,
              3 * (size_t)surface->triangle_count * sizeof *corners.triangles);
    cli_json_open(&builder->json, "materials", '[');
    for (int32_t begin = 0, end; begin < surface->triangle_count; begin = end) {
        int32_t face = surface->order[begin];
        int32_t material = data.face_materials ? data.face_materials[face] : -1;
        for (end = begin; end < surface->triangle_count; ++end) {
            face = surface->order[end];
            if ((data.face_materials ? data.face_materials[face] : -1) != material) {
                break;
            }
        }
        add_material(builder, surface, material, begin, end - begin, textures);
    }
    cli_json_close(&builder->json, ']');
    cli_json_close(&builder->json, '}');
    free_corners(&corners);
    lyra_texture_set_destroy(textures);
    return true;
}

// ---- the rest of a scene ------------------------------------------------------------------------

// edges of all bodies, by vertices of the model
static bool add_volume(View *view, Builder *builder)
{
    int64_t elements = 0;
    size_t count = 0;
    for (int32_t b = 0; b < view->body_count; ++b) {
        const LyraBodyView *body = view->bodies[b].moved->body;
        elements += body->mesh ? lyra_mesh_view(body->mesh).element_count : 0;
        count += view->bodies[b].neighbor_start
                     ? (size_t)view->bodies[b].neighbor_start[body->vertex_count]
                     : 0;
    }
    uint32_t *edges = cli_allocate((count + 1) * sizeof *edges), *at = edges;
    for (int32_t b = 0; b < view->body_count; ++b) {
        const ViewBody *body = &view->bodies[b];
        uint32_t first = (uint32_t)body->moved->body->first_vertex;
        for (int32_t v = 0; body->neighbor_start && v < body->moved->body->vertex_count; ++v) {
            for (int32_t k = body->neighbor_start[v]; k < body->neighbor_start[v + 1]; ++k) {
                if (body->neighbors[k] > v) {
                    *at++ = first + (uint32_t)v;
                    *at++ = first + (uint32_t)body->neighbors[k];
                }
            }
        }
    }
    cli_json_int(&builder->json, "vertices", lyra_model_view(view->run.view.model).vertex_count);
    cli_json_int(&builder->json, "elements", elements);
    add_array(builder, "edges", edges, (size_t)(at - edges) * sizeof *edges);
    free(edges);
    return true;
}

static void add_names(Builder *builder)
{
    LyraIntegratorFacts facts;
    cli_json_open(&builder->json, "integrators", '[');
    for (int32_t i = 0; lyra_integrator_name(i, &facts); ++i) {
        cli_json_text(&builder->json, NULL, facts.name);
    }
    cli_json_close(&builder->json, ']');
    cli_json_open(&builder->json, "solvers", '[');
    cli_json_text(&builder->json, NULL, "auto");
    for (int32_t i = 0; lyra_solver_name(i, NULL); ++i) {
        cli_json_text(&builder->json, NULL, lyra_solver_name(i, NULL));
    }
    cli_json_close(&builder->json, ']');
}

// the probes, with how many of a frame's last numbers each one has
static void add_probes(View *view, Builder *builder)
{
    const Run *run = &view->run;
    LyraProbeView probe;
    cli_json_open(&builder->json, "probes", '[');
    for (int32_t c = 0; c < run->column_count; ++c) {
        if (run->columns[c].component == 0 &&
            lyra_world_probe(run->world, run->columns[c].probe, &probe) == LYRA_OK) {
            cli_json_open(&builder->json, NULL, '{');
            cli_json_text(&builder->json, "name", probe.name);
            cli_json_text(&builder->json, "unit", probe.unit);
            cli_json_int(&builder->json, "components", probe.count);
            cli_json_close(&builder->json, '}');
        }
    }
    cli_json_close(&builder->json, ']');
}

static void add_colors(Builder *builder)
{
    double table[LYRA_COLOR_MAP_SIZE][3];
    uint8_t colors[LYRA_COLOR_MAP_SIZE][4];
    for (int m = 0; m < LYRA_COLOR_MAP_COUNT; ++m) {
        lyra_color_map_table((LyraColorMap)m, table);
        for (int i = 0; i < LYRA_COLOR_MAP_SIZE; ++i) {
            for (int c = 0; c < 4; ++c) {
                colors[i][c] = c == 3 ? 255 : (uint8_t)(255 * table[i][c] + 0.5);
            }
        }
        add_array(builder, lyra_color_map_name((LyraColorMap)m), colors, sizeof colors);
    }
}

static void add_camera(Builder *builder, const LyraSceneCamera *camera)
{
    cli_json_open(&builder->json, "camera", '{');
    cli_json_bool(&builder->json, "fitted", camera->fitted);
    cli_json_double(&builder->json, "azimuth", camera->azimuth);
    cli_json_double(&builder->json, "elevation", camera->elevation);
    cli_json_doubles(&builder->json, "eye", 3, camera->eye);
    cli_json_doubles(&builder->json, "target", 3, camera->target);
    cli_json_doubles(&builder->json, "up", 3, camera->up);
    cli_json_double(&builder->json, "field_of_view", camera->field_of_view);
    cli_json_close(&builder->json, '}');
}

// names of what the elements of some body remember
static void add_memories(const View *view, Builder *builder)
{
    cli_json_open(&builder->json, "memories", '[');
    for (LyraMemory m = 0; m < LYRA_MEMORY_COUNT; ++m) {
        bool found = false;
        for (int32_t b = 0; b < view->body_count; ++b) {
            found |= view->bodies[b].moved->memory[m] != NULL;
        }
        if (found) {
            cli_json_text(&builder->json, NULL, lyra_memory_view(m).name);
        }
    }
    cli_json_close(&builder->json, ']');
}

bool view_publish_scene(View *view)
{
    const LyraSceneView *scene = &view->run.said;
    Builder builder;
    bool good = begin(&builder), stress = false, cloth = false;
    if (!good) {
        return false;
    }
    for (int32_t b = 0; b < view->body_count; ++b) {
        const LyraFields *fields = view->bodies[b].moved->fields;
        stress |= fields && lyra_fields_have_stress(fields);
        cloth |= view->bodies[b].moved->stretches != NULL;
    }
    cli_json_text(&builder.json, "name", scene->name);
    cli_json_text(&builder.json, "lyra", lyra_version());
    cli_json_bool(&builder.json, "stress", stress);
    cli_json_bool(&builder.json, "cloth", cloth);
    add_memories(view, &builder);
    cli_json_int(&builder.json, "rings_max", VIEW_RINGS_MAX);
    cli_json_open(&builder.json, "surfaces", '[');
    for (int32_t s = 0; s < view->surface_count && good; ++s) {
        good = add_surface(view, &builder, &view->surfaces[s]);
    }
    cli_json_close(&builder.json, ']');
    cli_json_open(&builder.json, "volume", '{');
    good = good && add_volume(view, &builder);
    cli_json_close(&builder.json, '}');
    cli_json_open(&builder.json, "colors", '{');
    add_colors(&builder);
    cli_json_close(&builder.json, '}');
    add_names(&builder);
    add_probes(view, &builder);
    add_camera(&builder, &scene->camera);
    cli_json_open(&builder.json, "settings", '{');
    for (int32_t s = 0; s < scene->setting_count; ++s) {
        cli_json_text(&builder.json, scene->settings[s].key, scene->settings[s].value);
    }
    cli_json_close(&builder.json, '}');
    publish(view, &builder, VIEW_SCENE, VIEW_SLOT_SCENE);
    return good;
}

// ---- what viewers have chosen -------------------------------------------------------------------

// splits "bodies.beam.material.young" and "bodies[0].material.young" into a body and
// "material.young"; the body of "bodies.*" is "all", and that of a single one ""
static const char *split_path(const LyraWorldView *world, const char *path, char *body, size_t room)
{
    static const char dotted[] = "bodies.", indexed[] = "bodies[";
    body[0] = '\0';
    if (strncmp(path, dotted, sizeof dotted - 1) == 0) {
        const char *name = path + sizeof dotted - 1;
        if (strncmp(name, "*.", 2) == 0) {
            snprintf(body, room, "%s", world->body_count > 1 ? "all" : "");
            return name + 2;
        }
        for (int32_t b = 0; b < world->body_count; ++b) {
            size_t length = strlen(world->bodies[b].name);
            if (strncmp(name, world->bodies[b].name, length) == 0 && name[length] == '.') {
                snprintf(body, room, "%s", world->body_count > 1 ? world->bodies[b].name : "");
                return name + length + 1;
            }
        }
    } else if (strncmp(path, indexed, sizeof indexed - 1) == 0) {
        char *end = NULL;
        long b = strtol(path + sizeof indexed - 1, &end, 10);
        if (strncmp(end, "].", 2) == 0 && b >= 0 && b < world->body_count) {
            snprintf(body, room, "%s", world->body_count > 1 ? world->bodies[b].name : "");
            return end + 2;
        }
    }
    return path;
}

void view_publish_state(View *view)
{
    Builder builder;
    LyraWorldParameter knob;
    if (!begin(&builder)) {
        return;
    }
    CliJson *json = &builder.json;
    cli_json_bool(json, "playing", view->playing);
    cli_json_double(json, "speed", view->speed);
    cli_json_int(json, "field", view->field);
    cli_json_int(json, "extras", view->extras);
    cli_json_text(json, "integrator", lyra_world_integrator(view->run.world));
    cli_json_text(json, "solver", lyra_world_solver(view->run.world));
    cli_json_bool(json, "recording", view->recording);
    cli_json_bool(json, "can_record", view->out != NULL);
    cli_json_open(json, "pull", '{');
    cli_json_double(json, "stiffness", view->stiffness);
    cli_json_double(json, "start", view->start_stiffness);
    cli_json_int(json, "rings", view->rings);
    cli_json_close(json, '}');
    cli_json_open(json, "knobs", '[');
    for (int32_t k = 0; k < VIEW_KNOBS_MAX && lyra_world_parameter(view->run.world, k, &knob);
         ++k) {
        char body[128];
        const char *name = split_path(&view->run.view, knob.path, body, sizeof body);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "path", knob.path);
        cli_json_text(json, "name", name);
        cli_json_text(json, "body", body);
        cli_json_text(json, "unit", knob.unit);
        cli_json_double(json, "value", knob.value);
        cli_json_double(json, "start", knob.start);
        cli_json_double(json, "low", knob.low);
        cli_json_double(json, "high", knob.high);
        cli_json_bool(json, "logarithmic", knob.logarithmic);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    publish(view, &builder, VIEW_STATE, VIEW_SLOT_STATE);
}
