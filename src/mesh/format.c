// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The formats of meshes and surfaces. This is the place where a new one is added.

#include "mesh/format.h"

#include "base/file.h"
#include "mesh/obj.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT (1u << LYRA_MESH_ENCODING_TEXT)
#define BINARY (1u << LYRA_MESH_ENCODING_BINARY)
#define BASE64 (1u << LYRA_MESH_ENCODING_BASE64)
#define COMPRESSED (1u << LYRA_MESH_ENCODING_COMPRESSED)

static const struct {
    const char *name;
    const char *extensions[3]; // ended by NULL
    bool meshes, surfaces;     // what it holds
    LyMeshLoad *load;          // of those that hold nothing but volumetric meshes
    LyMeshSave *save;
    LyImportRead *read;         // of all others but OBJ
    LyExportSave *write;        // likewise
    int32_t corners_max;        // of faces
    LyraMeshEncoding preferred; // when written
    uint32_t encodings;         // all that can be written
    bool further_sets;          // of vertices and of faces
} formats[LYRA_MESH_FORMAT_COUNT] = {
    [LYRA_MESH_FORMAT_AUTO] = {.name = "auto"},
    [LYRA_MESH_FORMAT_VEG] = {.name = "veg",
                              .extensions = {".veg"},
                              .meshes = true,
                              .load = ly_veg_load,
                              .save = ly_veg_save,
                              .preferred = LYRA_MESH_ENCODING_TEXT,
                              .encodings = TEXT},
    [LYRA_MESH_FORMAT_TETGEN] = {.name = "tetgen",
                                 .extensions = {".node", ".ele"},
                                 .meshes = true,
                                 .load = ly_tetgen_load,
                                 .save = ly_tetgen_save,
                                 .preferred = LYRA_MESH_ENCODING_TEXT,
                                 .encodings = TEXT},
    [LYRA_MESH_FORMAT_VTU] = {.name = "vtu",
                              .extensions = {".vtu"},
                              .meshes = true,
                              .surfaces = true,
                              .read = ly_vtu_read,
                              .write = ly_vtu_save,
                              .corners_max = INT32_MAX,
                              .preferred = LYRA_MESH_ENCODING_BINARY,
                              .encodings = TEXT | BINARY | BASE64 | COMPRESSED,
                              .further_sets = true},
    [LYRA_MESH_FORMAT_ABAQUS] = {.name = "abaqus",
                                 .extensions = {".inp"},
                                 .meshes = true,
                                 .surfaces = true,
                                 .read = ly_inp_read,
                                 .write = ly_inp_save,
                                 .corners_max = 4,
                                 .preferred = LYRA_MESH_ENCODING_TEXT,
                                 .encodings = TEXT,
                                 .further_sets = true},
    [LYRA_MESH_FORMAT_GMSH] = {.name = "gmsh",
                               .extensions = {".msh"},
                               .meshes = true,
                               .surfaces = true,
                               .read = ly_gmsh_read,
                               .write = ly_gmsh_save,
                               .corners_max = 4,
                               .preferred = LYRA_MESH_ENCODING_BINARY,
                               .encodings = TEXT | BINARY,
                               .further_sets = true},
    [LYRA_MESH_FORMAT_GMSH2] = {.name = "gmsh2",
                                .extensions = {".msh"},
                                .meshes = true,
                                .surfaces = true,
                                .read = ly_gmsh_read,
                                .write = ly_gmsh2_save,
                                .corners_max = 4,
                                .preferred = LYRA_MESH_ENCODING_BINARY,
                                .encodings = TEXT | BINARY,
                                .further_sets = true},
    [LYRA_MESH_FORMAT_VTK] = {.name = "vtk",
                              .extensions = {".vtk"},
                              .meshes = true,
                              .surfaces = true,
                              .read = ly_vtk_read,
                              .write = ly_vtk_save,
                              .corners_max = INT32_MAX,
                              .preferred = LYRA_MESH_ENCODING_BINARY,
                              .encodings = TEXT | BINARY},
    [LYRA_MESH_FORMAT_MEDIT] = {.name = "medit",
                                .extensions = {".mesh"},
                                .meshes = true,
                                .surfaces = true,
                                .read = ly_medit_read,
                                .write = ly_medit_save,
                                .corners_max = 4,
                                .preferred = LYRA_MESH_ENCODING_TEXT,
                                .encodings = TEXT},
    [LYRA_MESH_FORMAT_STL] = {.name = "stl",
                              .extensions = {".stl"},
                              .surfaces = true,
                              .read = ly_stl_read,
                              .write = ly_stl_save,
                              .corners_max = 3,
                              .preferred = LYRA_MESH_ENCODING_BINARY,
                              .encodings = TEXT | BINARY},
    [LYRA_MESH_FORMAT_PLY] = {.name = "ply",
                              .extensions = {".ply"},
                              .surfaces = true,
                              .read = ly_ply_read,
                              .write = ly_ply_save,
                              .corners_max = INT32_MAX,
                              .preferred = LYRA_MESH_ENCODING_BINARY,
                              .encodings = TEXT | BINARY},
    [LYRA_MESH_FORMAT_OBJ] = {.name = "obj",
                              .extensions = {".obj"},
                              .surfaces = true,
                              .corners_max = INT32_MAX,
                              .preferred = LYRA_MESH_ENCODING_TEXT,
                              .encodings = TEXT},
};

// ---- names --------------------------------------------------------------------------------------

/// What is asked of a format.
typedef enum Kind { MESH, SURFACE, EITHER } Kind;

static bool holds(int32_t format, Kind kind)
{
    return (kind != SURFACE && formats[format].meshes) ||
           (kind != MESH && formats[format].surfaces);
}

const char *lyra_mesh_format_name(LyraMeshFormat format)
{
    return (unsigned)format < LYRA_MESH_FORMAT_COUNT ? formats[format].name : "unknown";
}

bool lyra_mesh_format_holds_meshes(LyraMeshFormat format)
{
    return (unsigned)format < LYRA_MESH_FORMAT_COUNT &&
           (format == LYRA_MESH_FORMAT_AUTO || holds((int32_t)format, MESH));
}

bool lyra_mesh_format_holds_surfaces(LyraMeshFormat format)
{
    return (unsigned)format < LYRA_MESH_FORMAT_COUNT &&
           (format == LYRA_MESH_FORMAT_AUTO || holds((int32_t)format, SURFACE));
}

const char *lyra_mesh_encoding_name(LyraMeshEncoding encoding)
{
    static const char *const names[LYRA_MESH_ENCODING_COUNT] = {"auto", "text", "binary", "base64",
                                                                "compressed"};
    return (unsigned)encoding < LYRA_MESH_ENCODING_COUNT ? names[encoding] : "unknown";
}

/// All extensions in one line, as in ".obj, .stl or .ply".
static void list_extensions(Kind kind, char list[200])
{
    const char *known[2 * LYRA_MESH_FORMAT_COUNT];
    int32_t count = 0;
    for (int32_t f = 0; f < LYRA_MESH_FORMAT_COUNT; ++f) {
        // the versions of Gmsh share theirs
        for (int32_t e = 0;
             f != LYRA_MESH_FORMAT_GMSH2 && holds(f, kind) && formats[f].extensions[e]; ++e) {
            known[count++] = formats[f].extensions[e];
        }
    }
    size_t length = 0;
    for (int32_t i = 0; i < count; ++i) {
        const char *gap = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        length += (size_t)snprintf(list + length, 200 - length, "%s%s", gap, known[i]);
        length = length < 199 ? length : 199;
    }
}

// ---- choosing -----------------------------------------------------------------------------------

static LyraMeshFormat by_extension(const char *path)
{
    for (int32_t f = LYRA_MESH_FORMAT_AUTO + 1; f < LYRA_MESH_FORMAT_COUNT; ++f) {
        for (int32_t e = 0; formats[f].extensions[e]; ++e) {
            if (ly_path_has_extension(path, formats[f].extensions[e])) {
                return (LyraMeshFormat)f;
            }
        }
    }
    return LYRA_MESH_FORMAT_AUTO;
}

/// What the content of a file says. A pipe gives its bytes once only, and none to look at.
static LyraMeshFormat by_content(const LyFileSource *source, const char *path)
{
    char start[LY_GUESS_BYTES + 1];
    size_t length = 0;
    uint64_t size = 0;
    if (source->files) {
        size = source->files[0].length;
        length = size < LY_GUESS_BYTES ? (size_t)size : LY_GUESS_BYTES;
        if (length > 0) {
            memcpy(start, source->files[0].bytes, length);
        }
    } else {
        struct stat info;
        int file =
            stat(path, &info) == 0 && S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t count = file >= 0 ? read(file, start, LY_GUESS_BYTES) : 0;
        if (file >= 0) {
            close(file);
            size = (uint64_t)info.st_size;
        }
        length = count > 0 ? (size_t)count : 0;
    }
    start[length] = '\0';
    return ly_format_guess((LySlice){start, length}, size);
}

/// Fails for a path without a format of use.
static LyraStatus fail_format(const char *path, LyraMeshFormat format, Kind kind, bool saving)
{
    if (format != LYRA_MESH_FORMAT_AUTO && !saving) {
        return ly_fail(LYRA_BAD_MESH, "%s: found a %s, expected a %s", path,
                       kind == MESH ? "surface" : "volumetric mesh",
                       kind == MESH ? "volumetric mesh" : "surface");
    }
    char quoted[LY_QUOTE_CHARS], list[200];
    const char *extension = ly_path_extension(path);
    ly_quote(quoted, (LySlice){extension, strlen(extension)});
    list_extensions(kind, list);
    return ly_fail(saving ? LYRA_UNSUPPORTED : LYRA_BAD_FORMAT,
                   "%s: found the extension %s, expected that of a %s: %s", path, quoted,
                   kind == SURFACE ? "surface" : "mesh", list);
}

/// The format to read `path` with, where none is given.
static LyraStatus choose_reader(LyraContext *ctx, const LyFileSource *source, const char *path,
                                Kind kind, LyraMeshFormat *format)
{
    if (*format != LYRA_MESH_FORMAT_AUTO) {
        return LYRA_OK;
    }
    LyraMeshFormat named = by_extension(path), found = by_content(source, path);
    *format = found != LYRA_MESH_FORMAT_AUTO ? found : named;
    if (found != LYRA_MESH_FORMAT_AUTO && named != LYRA_MESH_FORMAT_AUTO && found != named) {
        ly_log(ctx, LYRA_LOG_INFO, "%s: read as %s, which its content is", path,
               formats[found].name);
    }
    return holds((int32_t)*format, kind) ? LYRA_OK : fail_format(path, *format, kind, false);
}

static LyraStatus choose_writer(const char *path, Kind kind, LyraMeshEncoding *encoding,
                                LyraMeshFormat *format)
{
    if (*format == LYRA_MESH_FORMAT_AUTO) {
        *format = by_extension(path);
        if (!holds((int32_t)*format, kind)) {
            return fail_format(path, *format, kind, true);
        }
    }
    if (*encoding == LYRA_MESH_ENCODING_AUTO) {
        *encoding = formats[*format].preferred;
    }
    if ((unsigned)*encoding >= LYRA_MESH_ENCODING_COUNT ||
        !(formats[*format].encodings >> *encoding & 1)) {
        return ly_fail(LYRA_UNSUPPORTED, "%s: the format %s has no encoding %s", path,
                       formats[*format].name, lyra_mesh_encoding_name(*encoding));
    }
    return LYRA_OK;
}

/// Fails for a format that is none, or that holds nothing of the kind.
static LyraStatus check_format(const char *path, LyraMeshFormat format, Kind kind)
{
    const char *what = kind == MESH ? "volumetric mesh" : "surface";
    if ((unsigned)format >= LYRA_MESH_FORMAT_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: the format is %d, expected 0 to %d", path,
                       (int)format, LYRA_MESH_FORMAT_COUNT - 1);
    }
    if (format != LYRA_MESH_FORMAT_AUTO && !holds((int32_t)format, kind)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "%s: found the format %s, expected one that holds a %s", path,
                       formats[format].name, what);
    }
    return LYRA_OK;
}

// ---- reading ------------------------------------------------------------------------------------

static LyraStatus load_obj(LyraContext *ctx, const LyFileSource *source, const char *path,
                           LyraSurface **out)
{
    char *text = NULL;
    size_t length = 0;
    if (source->files) {
        length = source->files[0].length;
        LY_TRY(ly_string_copy(ctx, source->files[0].bytes, length, &text));
    } else {
        LY_TRY(ly_file_read(ctx, path, &text, &length));
    }
    LyraStatus status = ly_obj_parse(ctx, path, !source->files, text, length, out);
    ly_release(ctx, text);
    return status;
}

/// Reads a mesh, a surface, or what the file holds.
static LyraStatus load(LyraContext *ctx, const LyFileSource *source, const char *path,
                       LyraMeshFormat format, Kind kind, LyraMesh **mesh, LyraSurface **surface)
{
    LY_TRY(choose_reader(ctx, source, path, kind, &format));
    if (formats[format].load) {
        return formats[format].load(ctx, source, path, mesh);
    }
    if (format == LYRA_MESH_FORMAT_OBJ) {
        return load_obj(ctx, source, path, surface);
    }
    LyImport import = {0};
    LY_TRY(ly_import_read(&import, ctx, source, path, formats[format].read));
    bool solid = kind == MESH || (kind == EITHER && ly_import_has_solids(&import));
    LyraStatus status = solid ? ly_import_mesh(&import, mesh) : ly_import_surface(&import, surface);
    ly_import_finish(&import);
    return status;
}

LyraStatus lyra_mesh_load(LyraContext *ctx, const char *path, LyraMeshFormat format, LyraMesh **out)
{
    LYRA_ASSERT(ctx && path && out);
    LY_TRY(check_format(path, format, MESH));
    return load(ctx, &(LyFileSource){0}, path, format, MESH, out, NULL);
}

LyraStatus lyra_mesh_load_memory(LyraContext *ctx, const LyraMemoryFile *files, int32_t file_count,
                                 LyraMeshFormat format, LyraMesh **out)
{
    LYRA_ASSERT(ctx && files && out);
    if (file_count < 1) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: found %d files in memory, expected some",
                       file_count);
    }
    LY_TRY(check_format(files[0].path, format, MESH));
    const LyFileSource source = {.files = files, .count = file_count};
    return load(ctx, &source, files[0].path, format, MESH, out, NULL);
}

LyraStatus lyra_surface_load(LyraContext *ctx, const char *path, LyraMeshFormat format,
                             LyraSurface **out)
{
    LYRA_ASSERT(ctx && path && out);
    LY_TRY(check_format(path, format, SURFACE));
    return load(ctx, &(LyFileSource){0}, path, format, SURFACE, NULL, out);
}

LyraStatus lyra_surface_load_memory(LyraContext *ctx, const LyraMemoryFile *file,
                                    LyraMeshFormat format, LyraSurface **out)
{
    LYRA_ASSERT(ctx && file && out);
    LY_TRY(check_format(file->path, format, SURFACE));
    const LyFileSource source = {.files = file, .count = 1};
    return load(ctx, &source, file->path, format, SURFACE, NULL, out);
}

LyraStatus lyra_mesh_or_surface_load(LyraContext *ctx, const char *path, LyraMesh **mesh,
                                     LyraSurface **surface)
{
    LYRA_ASSERT(ctx && path && mesh && surface);
    LyraMesh *solid = NULL;
    LyraSurface *faces = NULL;
    LY_TRY(load(ctx, &(LyFileSource){0}, path, LYRA_MESH_FORMAT_AUTO, EITHER, &solid, &faces));
    *mesh = solid;
    *surface = faces;
    return LYRA_OK;
}

// ---- writing ------------------------------------------------------------------------------------

LyraStatus lyra_mesh_save_as(const LyraMesh *mesh, const char *path, LyraMeshFormat format,
                             LyraMeshEncoding encoding)
{
    LYRA_ASSERT(mesh && path);
    LyraMeshFormat chosen = format;
    LY_TRY(check_format(path, format, MESH));
    LY_TRY(choose_writer(path, MESH, &encoding, &chosen));
    if (mesh->vertex_set_count + (int64_t)mesh->face_set_count > 0 &&
        !formats[chosen].further_sets) {
        ly_log(
            mesh->ctx, LYRA_LOG_WARNING,
            "%s: %d sets of vertices and %d of faces are left out, as the format %s has no place "
            "for them",
            path, mesh->vertex_set_count, mesh->face_set_count, formats[chosen].name);
    }
    if (formats[chosen].save) {
        return formats[chosen].save(mesh, path);
    }
    LyExport data = {.path = path, .encoding = encoding};
    ly_export_mesh(&data, mesh);
    LyraStatus status = formats[chosen].write(&data);
    ly_export_finish(&data);
    return status;
}

LyraStatus lyra_mesh_save(const LyraMesh *mesh, const char *path, LyraMeshFormat format)
{
    return lyra_mesh_save_as(mesh, path, format, LYRA_MESH_ENCODING_AUTO);
}

LyraStatus lyra_surface_save_as(const LyraSurface *surface, const char *path, LyraMeshFormat format,
                                LyraMeshEncoding encoding)
{
    LYRA_ASSERT(surface && path);
    LyraMeshFormat chosen = format;
    LY_TRY(check_format(path, format, SURFACE));
    LY_TRY(choose_writer(path, SURFACE, &encoding, &chosen));
    if (chosen == LYRA_MESH_FORMAT_OBJ) {
        return ly_obj_write(surface, path);
    }
    LyExport data = {.path = path, .encoding = encoding};
    LyraStatus status = ly_export_surface(&data, surface, formats[chosen].corners_max);
    if (status == LYRA_OK) {
        status = formats[chosen].write(&data);
    }
    ly_export_finish(&data);
    return status;
}

LyraStatus lyra_surface_save(const LyraSurface *surface, const char *path, LyraMeshFormat format)
{
    return lyra_surface_save_as(surface, path, format, LYRA_MESH_ENCODING_AUTO);
}
