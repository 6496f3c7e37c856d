// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Reading OBJ. The rules are in docs/surfaces.md. Arrays grow by doubling and are cut to size at
// the end, so that memory stays within a small multiple of the file whatever it claims. Indices may
// point forward: of those that do, the largest of each kind is remembered with its place, and it is
// checked when all is read.

#include "mesh/obj.h"

#include "mesh/line.h"
#include "mesh/mtl.h"
#include "mesh/surface.h"

#include <string.h>

// a library is read once, whatever names it has, and no more than this many are
#define LIBRARIES_MAX 256

// an array that grows
typedef struct List {
    int32_t count;
    int64_t capacity;
} List;

// largest index of a kind that pointed forward
typedef struct Forward {
    int32_t id;
    const char *at;
} Forward;

typedef struct Reader {
    LyraContext *ctx;
    LyScanner scanner;
    bool libraries_wanted;
    LySurfaceArrays arrays;
    List vertices, texcoords, normals, faces, corners;
    Forward forward_vertex, forward_texcoord, forward_normal;
    int32_t group, material; // of the faces that follow; group -1: none named yet
    LyNames groups, libraries;
    LyMaterials materials;
    uint64_t library_files[LIBRARIES_MAX][2]; // those read, see ly_file_identify()
    int32_t library_file_count;
    char *buffer; // of names
} Reader;

// ---- growing ------------------------------------------------------------------------------------

static LyraStatus grow_list(Reader *reader, List *list)
{
    if (list->count >= INT32_MAX - 1) {
        return ly_scanner_complain(&reader->scanner, reader->scanner.at, LYRA_TOO_LARGE,
                                   "more than %d vertices, faces or corners", list->count);
    }
    list->capacity = list->capacity ? 2 * list->capacity : 256;
    return LYRA_OK;
}

static LyraStatus grow_doubles(Reader *reader, List *list, int32_t each, double **array)
{
    List grown = *list;
    LY_TRY(grow_list(reader, &grown));
    LY_TRY(ly_resize_array(reader->ctx, each * grown.capacity, sizeof **array, array));
    *list = grown;
    return LYRA_OK;
}

static LyraStatus grow_faces(Reader *reader)
{
    List grown = reader->faces;
    LySurfaceArrays *arrays = &reader->arrays;
    LY_TRY(grow_list(reader, &grown));
    LY_TRY(ly_resize_array(reader->ctx, grown.capacity + 1, sizeof(int32_t), &arrays->face_begin));
    LY_TRY(ly_resize_array(reader->ctx, grown.capacity, sizeof(int32_t), &arrays->face_groups));
    LY_TRY(ly_resize_array(reader->ctx, grown.capacity, sizeof(int32_t), &arrays->face_materials));
    reader->faces = grown;
    return LYRA_OK;
}

static LyraStatus grow_corners(Reader *reader)
{
    List grown = reader->corners;
    LySurfaceArrays *arrays = &reader->arrays;
    LY_TRY(grow_list(reader, &grown));
    LY_TRY(ly_resize_array(reader->ctx, grown.capacity, sizeof(int32_t), &arrays->corner_vertices));
    if (arrays->corner_texcoords) {
        LY_TRY(ly_resize_array(reader->ctx, grown.capacity, sizeof(int32_t),
                               &arrays->corner_texcoords));
    }
    if (arrays->corner_normals) {
        LY_TRY(
            ly_resize_array(reader->ctx, grown.capacity, sizeof(int32_t), &arrays->corner_normals));
    }
    reader->corners = grown;
    return LYRA_OK;
}

// starts the texture coordinates or normals of corners: none for those before
static LyraStatus start_corners(Reader *reader, int32_t **array)
{
    LY_TRY(ly_allocate_array(reader->ctx, reader->corners.capacity, sizeof **array, array));
    memset(*array, 0xff, (size_t)reader->corners.count * sizeof **array);
    return LYRA_OK;
}

// ---- vertices -----------------------------------------------------------------------------------

static LyraStatus read_vertex(Reader *reader)
{
    LyScanner *scanner = &reader->scanner;
    if (reader->vertices.count >= reader->vertices.capacity) {
        LY_TRY(grow_doubles(reader, &reader->vertices, 3, &reader->arrays.positions));
    }
    double *x = reader->arrays.positions + 3 * (int64_t)reader->vertices.count;
    LY_TRY(ly_line_double(scanner, &x[0], "x"));
    LY_TRY(ly_line_double(scanner, &x[1], "y"));
    LY_TRY(ly_line_double(scanner, &x[2], "z"));
    ++reader->vertices.count;
    // a weight, a colour or both: read and dropped
    for (int32_t extra = 0; extra < 4 && !ly_line_at_end(scanner); ++extra) {
        double dropped;
        LY_TRY(ly_line_double(scanner, &dropped, "a weight or colour"));
    }
    return ly_line_end(scanner);
}

static LyraStatus read_texcoord(Reader *reader)
{
    LyScanner *scanner = &reader->scanner;
    if (reader->texcoords.count >= reader->texcoords.capacity) {
        LY_TRY(grow_doubles(reader, &reader->texcoords, 2, &reader->arrays.texcoords));
    }
    double *t = reader->arrays.texcoords + 2 * (int64_t)reader->texcoords.count;
    LY_TRY(ly_line_double(scanner, &t[0], "u"));
    t[1] = 0;
    if (!ly_line_at_end(scanner)) {
        LY_TRY(ly_line_double(scanner, &t[1], "v"));
    }
    ++reader->texcoords.count;
    if (!ly_line_at_end(scanner)) {
        double dropped;
        LY_TRY(ly_line_double(scanner, &dropped, "w"));
    }
    return ly_line_end(scanner);
}

static LyraStatus read_normal(Reader *reader)
{
    LyScanner *scanner = &reader->scanner;
    if (reader->normals.count >= reader->normals.capacity) {
        LY_TRY(grow_doubles(reader, &reader->normals, 3, &reader->arrays.normals));
    }
    double *n = reader->arrays.normals + 3 * (int64_t)reader->normals.count;
    LY_TRY(ly_line_double(scanner, &n[0], "x"));
    LY_TRY(ly_line_double(scanner, &n[1], "y"));
    LY_TRY(ly_line_double(scanner, &n[2], "z"));
    ++reader->normals.count;
    return ly_line_end(scanner);
}

// ---- faces --------------------------------------------------------------------------------------

// Reads an index at the scanner, which stands in front of it, to an id from 0. `token` is where the
// corner starts.
static inline LyraStatus read_index(Reader *reader, const char *token, int32_t count,
                                    Forward *forward, const char *what, int32_t *id)
{
    LyScanner *scanner = &reader->scanner;
    const char *at = scanner->at;
    uint32_t number = 0, digit;
    // up to nine digits cannot overflow
    while ((digit = (uint32_t)(uint8_t)*at - '0') < 10 && at - scanner->at < 9) {
        number = 10 * number + digit;
        ++at;
    }
    int32_t index = (int32_t)number;
    if (at == scanner->at || (uint32_t)(uint8_t)*at - '0' < 10) {
        at = ly_parse_int32(scanner->at, scanner->end, &index);
    }
    if (!at || index == 0 || index == INT32_MAX) {
        return ly_scanner_fail_at(scanner, token, LYRA_BAD_FORMAT,
                                  "a corner v, v/t, v//n or v/t/n of whole numbers, none of them "
                                  "0");
    }
    scanner->at = at;
    if (index > 0) {
        *id = index - 1;
        if (*id >= count && *id > forward->id) {
            *forward = (Forward){.id = *id, .at = token};
        }
        return LYRA_OK;
    }
    *id = count + index;
    if (*id < 0) {
        return ly_scanner_fail_at(scanner, token, LYRA_BAD_FORMAT,
                                  "%s index from -%d on: that many precede", what, count);
    }
    return LYRA_OK;
}

static LyraStatus read_corner(Reader *reader)
{
    LyScanner *scanner = &reader->scanner;
    const char *token = scanner->at;
    LySurfaceArrays *arrays = &reader->arrays;
    if (reader->corners.count >= reader->corners.capacity) {
        LY_TRY(grow_corners(reader));
    }
    int32_t vertex = -1, texcoord = -1, normal = -1;
    LY_TRY(read_index(reader, token, reader->vertices.count, &reader->forward_vertex, "a vertex",
                      &vertex));
    if (*scanner->at == '/') {
        ++scanner->at;
        if (*scanner->at != '/') {
            LY_TRY(read_index(reader, token, reader->texcoords.count, &reader->forward_texcoord,
                              "a texture coordinate", &texcoord));
        }
        if (*scanner->at == '/') {
            ++scanner->at;
            LY_TRY(read_index(reader, token, reader->normals.count, &reader->forward_normal,
                              "a normal", &normal));
        }
    }
    if (!ly_line_ends_token(scanner, scanner->at)) {
        return ly_scanner_fail_at(scanner, token, LYRA_BAD_FORMAT,
                                  "a corner v, v/t, v//n or v/t/n of whole numbers");
    }
    if (texcoord >= 0 && !arrays->corner_texcoords) {
        LY_TRY(start_corners(reader, &arrays->corner_texcoords));
    }
    if (normal >= 0 && !arrays->corner_normals) {
        LY_TRY(start_corners(reader, &arrays->corner_normals));
    }
    int32_t corner = reader->corners.count++;
    arrays->corner_vertices[corner] = vertex;
    if (arrays->corner_texcoords) {
        arrays->corner_texcoords[corner] = texcoord;
    }
    if (arrays->corner_normals) {
        arrays->corner_normals[corner] = normal;
    }
    return LYRA_OK;
}

static LyraStatus read_face(Reader *reader)
{
    if (reader->faces.count >= reader->faces.capacity) {
        LY_TRY(grow_faces(reader));
    }
    if (reader->group < 0) {
        LY_TRY(ly_names_add(&reader->groups, (LySlice){"default", 7}, &reader->group, NULL));
    }
    int32_t begin = reader->corners.count;
    while (!ly_line_at_end(&reader->scanner)) {
        LY_TRY(read_corner(reader));
    }
    if (reader->corners.count - begin < 3) {
        return ly_scanner_fail(&reader->scanner, LYRA_BAD_FORMAT,
                               "three or more corners of a face");
    }
    int32_t face = reader->faces.count++;
    reader->arrays.face_begin[face] = begin;
    reader->arrays.face_groups[face] = reader->group;
    reader->arrays.face_materials[face] = reader->material;
    return ly_line_end(&reader->scanner);
}

// ---- groups and materials -----------------------------------------------------------------------

static LyraStatus read_group(Reader *reader)
{
    LySlice name;
    LY_TRY(ly_line_name(reader->ctx, &reader->scanner, &reader->buffer, &name));
    if (name.length == 0) {
        name = (LySlice){.text = "default", .length = 7};
    }
    return ly_names_add(&reader->groups, name, &reader->group, NULL);
}

static LyraStatus read_material(Reader *reader)
{
    LySlice name;
    LY_TRY(ly_line_name(reader->ctx, &reader->scanner, &reader->buffer, &name));
    reader->material = -1;
    return name.length == 0 ? LYRA_OK
                            : ly_materials_add(&reader->materials, name, &reader->material);
}

// Notes that a library is read; whether it was before.
static LyraStatus enter_library(Reader *reader, const char *path, bool *again)
{
    uint64_t file[2];
    LY_TRY(ly_file_identify(path, file));
    for (int32_t i = 0; i < reader->library_file_count; ++i) {
        if (memcmp(reader->library_files[i], file, sizeof file) == 0) {
            *again = true;
            return LYRA_OK;
        }
    }
    if (reader->library_file_count == LIBRARIES_MAX) {
        return ly_scanner_complain(&reader->scanner, reader->scanner.at, LYRA_TOO_LARGE,
                                   "found another material library, expected at most %d",
                                   LIBRARIES_MAX);
    }
    memcpy(reader->library_files[reader->library_file_count++], file, sizeof file);
    *again = false;
    return LYRA_OK;
}

// LYRA_IO_FAILED only if the library could not be opened
static LyraStatus load_library(Reader *reader, LySlice name)
{
    LyraContext *ctx = reader->ctx;
    LyraStatus status = LYRA_OK;
    char *path = NULL, *text = NULL, *word = NULL;
    size_t length = 0;
    LY_TRY_DONE(ly_string_copy(ctx, name.text, name.length, &word));
    LY_TRY_DONE(ly_path_beside(ctx, reader->scanner.path, word, &path));
    bool again = false;
    LY_TRY_DONE(enter_library(reader, path, &again));
    if (!again) {
        LY_TRY_DONE(ly_file_read(ctx, path, &text, &length));
        LY_TRY_DONE(ly_mtl_parse(path, text, length, &reader->materials));
    }
done:
    ly_release(ctx, path);
    ly_release(ctx, text);
    ly_release(ctx, word);
    return status;
}

// a library of that name, or else one for each word of it; missing ones are warnings
static LyraStatus read_library(Reader *reader)
{
    LySlice name;
    LY_TRY(ly_line_name(reader->ctx, &reader->scanner, &reader->buffer, &name));
    bool added = false;
    int32_t id = 0;
    if (name.length > 0) {
        LY_TRY(ly_names_add(&reader->libraries, name, &id, &added));
    }
    if (!added || !reader->libraries_wanted) {
        return LYRA_OK;
    }
    LyraStatus status = load_library(reader, name);
    if (status != LYRA_IO_FAILED) {
        return status;
    }
    // the name in the table lives on, whatever happens to the buffer
    const char *at = reader->libraries.names[id];
    bool several = strpbrk(at, " \t") != NULL;
    while (several && *at) {
        LySlice word = {.text = at, .length = strcspn(at, " \t")};
        if (word.length > 0) {
            LyraStatus found = load_library(reader, word);
            if (found != LYRA_OK && found != LYRA_IO_FAILED) {
                return found;
            }
            status = found == LYRA_OK ? LYRA_OK : status;
        }
        at += word.length + (at[word.length] != '\0');
    }
    if (status != LYRA_OK) {
        ly_log(reader->ctx, LYRA_LOG_WARNING, "%s: the material library \"%s\" is missing (%s)",
               reader->scanner.path, reader->libraries.names[id], lyra_error_message());
    }
    return LYRA_OK;
}

// ---- the file -----------------------------------------------------------------------------------

static LyraStatus read_line(Reader *reader)
{
    LyScanner *scanner = &reader->scanner;
    switch (*scanner->at) {
    case 'v':
        if (ly_line_keyword(scanner, "v")) {
            return read_vertex(reader);
        }
        if (ly_line_keyword(scanner, "vt")) {
            return read_texcoord(reader);
        }
        if (ly_line_keyword(scanner, "vn")) {
            return read_normal(reader);
        }
        break;
    case 'f':
        if (ly_line_keyword(scanner, "f")) {
            return read_face(reader);
        }
        break;
    default:
        if (ly_line_keyword(scanner, "g") || ly_line_keyword(scanner, "o")) {
            return read_group(reader);
        }
        if (ly_line_keyword(scanner, "usemtl")) {
            return read_material(reader);
        }
        if (ly_line_keyword(scanner, "mtllib")) {
            return read_library(reader);
        }
    }
    ly_line_ignore(scanner);
    return LYRA_OK;
}

static LyraStatus check_forward(const Reader *reader, const Forward *forward, int32_t count,
                                const char *what)
{
    if (forward->id < count) {
        return LYRA_OK;
    }
    return ly_scanner_fail_at(&reader->scanner, forward->at, LYRA_BAD_FORMAT,
                              "%s index up to %d: that many are in the file", what, count);
}

static void warn_undefined(const Reader *reader)
{
    int32_t count = 0, first = -1;
    for (int32_t m = 0; m < reader->materials.names.count; ++m) {
        count += !reader->materials.defined[m];
        first = first < 0 && !reader->materials.defined[m] ? m : first;
    }
    if (count > 0 && reader->libraries_wanted) {
        ly_log(reader->ctx, LYRA_LOG_WARNING,
               "%s: no library defines %d of %d materials, the first is \"%s\"",
               reader->scanner.path, count, reader->materials.names.count,
               reader->materials.names.names[first]);
    }
}

static LyraStatus trim(LyraContext *ctx, int64_t count, size_t size, void *array)
{
    void *memory = NULL;
    memcpy(&memory, array, sizeof memory);
    return memory ? ly_resize_array(ctx, count, size, array)
                  : ly_allocate_array(ctx, count, size, array);
}

static LyraStatus trim_all(Reader *reader)
{
    LyraContext *ctx = reader->ctx;
    LySurfaceArrays *arrays = &reader->arrays;
    int64_t corners = reader->corners.count, faces = reader->faces.count;
    LY_TRY(trim(ctx, 3 * (int64_t)reader->vertices.count, sizeof(double), &arrays->positions));
    LY_TRY(trim(ctx, 2 * (int64_t)reader->texcoords.count, sizeof(double), &arrays->texcoords));
    LY_TRY(trim(ctx, 3 * (int64_t)reader->normals.count, sizeof(double), &arrays->normals));
    LY_TRY(trim(ctx, faces + 1, sizeof(int32_t), &arrays->face_begin));
    LY_TRY(trim(ctx, faces, sizeof(int32_t), &arrays->face_groups));
    LY_TRY(trim(ctx, faces, sizeof(int32_t), &arrays->face_materials));
    LY_TRY(trim(ctx, corners, sizeof(int32_t), &arrays->corner_vertices));
    if (arrays->corner_texcoords) {
        LY_TRY(trim(ctx, corners, sizeof(int32_t), &arrays->corner_texcoords));
    }
    if (arrays->corner_normals) {
        LY_TRY(trim(ctx, corners, sizeof(int32_t), &arrays->corner_normals));
    }
    arrays->face_begin[faces] = reader->corners.count;
    return LYRA_OK;
}

static LyraStatus finish(Reader *reader, LyraSurface **out)
{
    if (reader->vertices.count == 0) {
        return ly_scanner_fail(&reader->scanner, LYRA_BAD_FORMAT, "a vertex: v x y z");
    }
    LY_TRY(check_forward(reader, &reader->forward_vertex, reader->vertices.count, "a vertex"));
    LY_TRY(check_forward(reader, &reader->forward_texcoord, reader->texcoords.count,
                         "a texture coordinate"));
    LY_TRY(check_forward(reader, &reader->forward_normal, reader->normals.count, "a normal"));
    warn_undefined(reader);
    LY_TRY(trim_all(reader));
    LyraSurfaceView data = {
        .vertex_count = reader->vertices.count,
        .face_count = reader->faces.count,
        .corner_count = reader->corners.count,
        .texcoord_count = reader->texcoords.count,
        .normal_count = reader->normals.count,
        .group_count = reader->groups.count,
        .material_count = reader->materials.names.count,
        .groups = (const char *const *)reader->groups.names,
        .materials = ly_materials_list(&reader->materials),
    };
    LY_TRY(ly_surface_create_take(reader->ctx, &data, &reader->arrays, out));
    reader->arrays = (LySurfaceArrays){0};
    return LYRA_OK;
}

LyraStatus ly_obj_parse(LyraContext *ctx, const char *path, bool libraries, const char *text,
                        size_t length, LyraSurface **out)
{
    Reader reader = {
        .ctx = ctx,
        .scanner = ly_scanner_make(path, text, length, 0),
        .libraries_wanted = libraries,
        .forward_vertex.id = -1,
        .forward_texcoord.id = -1,
        .forward_normal.id = -1,
        .group = -1,
        .material = -1,
        .groups.ctx = ctx,
        .libraries.ctx = ctx,
        .materials.names.ctx = ctx,
    };
    LyraStatus status = LYRA_OK;
    while (!ly_scanner_at_end(&reader.scanner)) {
        if (ly_line_at_end(&reader.scanner)) {
            LY_TRY_DONE(ly_line_end(&reader.scanner));
        } else {
            LY_TRY_DONE(read_line(&reader));
        }
    }
    LY_TRY_DONE(finish(&reader, out));
done:
    ly_surface_arrays_release(ctx, &reader.arrays);
    ly_names_release(&reader.groups);
    ly_names_release(&reader.libraries);
    ly_materials_release(&reader.materials);
    ly_release(ctx, reader.buffer);
    return status;
}
