// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The formats of volumetric meshes. This is the place where a new one is added.

#include "mesh/format.h"

#include "base/file.h"

#include <string.h>

static const struct {
    const char *name;
    const char *extensions[3]; // ended by NULL
    LyMeshLoad *load;          // nullable: only written
    LyMeshSave *save;          // nullable: only read
} formats[LYRA_MESH_FORMAT_COUNT] = {
    [LYRA_MESH_FORMAT_AUTO] = {"auto", {NULL}, NULL, NULL},
    [LYRA_MESH_FORMAT_VEG] = {"veg", {".veg"}, ly_veg_load, ly_veg_save},
    [LYRA_MESH_FORMAT_TETGEN] = {"tetgen", {".node", ".ele"}, ly_tetgen_load, ly_tetgen_save},
    [LYRA_MESH_FORMAT_VTU] = {"vtu", {".vtu"}, ly_vtu_load, ly_vtu_save},
};

const char *lyra_mesh_format_name(LyraMeshFormat format)
{
    return (unsigned)format < LYRA_MESH_FORMAT_COUNT ? formats[format].name : "unknown";
}

/// All extensions in one line: ".veg, .node, .ele or .vtu".
static void list_extensions(bool saving, char list[200])
{
    const char *known[16];
    int32_t count = 0;
    for (int32_t f = 0; f < LYRA_MESH_FORMAT_COUNT; ++f) {
        bool usable = saving ? formats[f].save != NULL : formats[f].load != NULL;
        for (int32_t e = 0; usable && formats[f].extensions[e] && count < 16; ++e) {
            known[count++] = formats[f].extensions[e];
        }
    }
    size_t length = 0;
    for (int32_t i = 0; i < count; ++i) {
        const char *gap = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        const char *const parts[2] = {gap, known[i]};
        for (int32_t p = 0; p < 2; ++p) {
            size_t bytes = strlen(parts[p]);
            if (length + bytes < 200) {
                memcpy(list + length, parts[p], bytes);
                length += bytes;
            }
        }
    }
    list[length] = '\0';
}

/// The format to use for `path`. A file whose extension says nothing could be recognised by its
/// content here.
static LyraStatus choose(const char *path, bool saving, LyraMeshFormat *format)
{
    if ((unsigned)*format >= LYRA_MESH_FORMAT_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: the mesh format is %d, expected 0 to %d", path,
                       (int)*format, LYRA_MESH_FORMAT_COUNT - 1);
    }
    for (int32_t f = 0; *format == LYRA_MESH_FORMAT_AUTO && f < LYRA_MESH_FORMAT_COUNT; ++f) {
        for (int32_t e = 0; formats[f].extensions[e]; ++e) {
            if (ly_path_has_extension(path, formats[f].extensions[e])) {
                *format = (LyraMeshFormat)f;
            }
        }
    }
    if (*format != LYRA_MESH_FORMAT_AUTO &&
        (saving ? formats[*format].save != NULL : formats[*format].load != NULL)) {
        return LYRA_OK;
    }
    const char *extension = ly_path_extension(path);
    char quoted[LY_QUOTE_CHARS], list[200];
    ly_quote(quoted, (LySlice){extension, strlen(extension)});
    list_extensions(saving, list);
    return ly_fail(saving ? LYRA_UNSUPPORTED : LYRA_BAD_FORMAT,
                   "%s: found the extension %s, expected that of a mesh: %s", path, quoted, list);
}

LyraStatus lyra_mesh_load(LyraContext *ctx, const char *path, LyraMeshFormat format, LyraMesh **out)
{
    LYRA_ASSERT(ctx && path && out);
    LY_TRY(choose(path, false, &format));
    return formats[format].load(ctx, &(LyFileSource){0}, path, out);
}

LyraStatus lyra_mesh_load_memory(LyraContext *ctx, const LyraMemoryFile *files, int32_t file_count,
                                 LyraMeshFormat format, LyraMesh **out)
{
    LYRA_ASSERT(ctx && files && out);
    if (file_count < 1) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: found %d files in memory, expected some",
                       file_count);
    }
    LY_TRY(choose(files[0].path, false, &format));
    const LyFileSource source = {.files = files, .count = file_count};
    return formats[format].load(ctx, &source, files[0].path, out);
}

LyraStatus lyra_mesh_save(const LyraMesh *mesh, const char *path, LyraMeshFormat format)
{
    LYRA_ASSERT(mesh && path);
    LY_TRY(choose(path, true, &format));
    return formats[format].save(mesh, path);
}
