// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh`: from file to file.

#include "mesh.h"

#include <stdlib.h>
#include <string.h>

CliExit cli_mesh(int argument_count, char **arguments)
{
    static const CliCommand commands[] = {
        {"info", "counts, mass properties, quality", cli_mesh_info},
        {"convert", "from one file format to another", cli_mesh_convert},
        {"surface", "the boundary of a volumetric mesh as OBJ", cli_mesh_surface},
        {"orient", "give every element positive orientation", cli_mesh_orient},
        {"refine", "cut every element in eight", cli_mesh_refine},
        {"embed", "weights of a surface in a volumetric mesh", cli_mesh_embed},
        {"voxelize", "fill a surface with cubes", cli_mesh_voxelize},
        {"tetrahedralize", "fill a surface with tets", cli_mesh_tetrahedralize},
        {"distance", "signed distance of a surface on a grid", cli_mesh_distance},
        {"box", "generate a box", cli_mesh_box},
        {"sphere", "generate a ball", cli_mesh_sphere},
        {"cylinder", "generate a cylinder", cli_mesh_cylinder},
        {"torus", "generate a torus", cli_mesh_torus},
        {0},
    };
    return cli_dispatch("lyra mesh", commands, argument_count, arguments);
}

bool cli_is_surface_path(const char *path)
{
    size_t length = strlen(path);
    const char *end = path + (length < 4 ? 0 : length - 4);
    return strcmp(end, ".obj") == 0 || strcmp(end, ".OBJ") == 0;
}

LyraMesh *cli_load_mesh(LyraContext *ctx, const char *path)
{
    LyraMesh *mesh = NULL;
    if (cli_is_surface_path(path)) {
        cli_fail("%s: found a surface, expected a volumetric mesh", path);
    } else if (lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh) != LYRA_OK) {
        cli_failed();
    }
    return mesh;
}

// ---- one file in, one out -----------------------------------------------------------------------

static CliExit convert_surface(LyraContext *ctx, const char *in, const char *out)
{
    LyraSurface *surface = NULL;
    if (lyra_surface_load(ctx, in, LYRA_SURFACE_FORMAT_AUTO, &surface) != LYRA_OK) {
        return cli_failed();
    }
    LyraStatus status = lyra_surface_save(surface, out, LYRA_SURFACE_FORMAT_AUTO);
    lyra_surface_destroy(surface);
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

static CliExit convert_mesh(LyraContext *ctx, const char *in, const char *out)
{
    if (cli_is_surface_path(out)) {
        return cli_fail(
            "%s: a volumetric mesh cannot be written as OBJ; `lyra mesh surface` writes "
            "its boundary",
            out);
    }
    LyraMesh *mesh = cli_load_mesh(ctx, in);
    if (!mesh) {
        return CLI_BAD_INPUT;
    }
    LyraStatus status = lyra_mesh_save(mesh, out, LYRA_MESH_FORMAT_AUTO);
    lyra_mesh_destroy(mesh);
    return status == LYRA_OK ? CLI_OK : cli_failed();
}

CliExit cli_mesh_convert(int argument_count, char **arguments)
{
    const CliUsage usage = {
        .command = "lyra mesh convert",
        .positional = "IN OUT",
        .description = "Reads a mesh and writes it in the format that the extension of OUT names: "
                       ".veg, .node/.ele,\n.vtu for volumetric meshes, .obj for surfaces.",
        .example = "lyra mesh convert turtle.veg turtle.vtu",
        .positional_min = 2,
        .positional_max = 2,
    };
    const char *paths[2];
    int32_t count;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, paths, &count, &exit)) {
        return exit;
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    exit = cli_is_surface_path(paths[0]) ? convert_surface(ctx, paths[0], paths[1])
                                         : convert_mesh(ctx, paths[0], paths[1]);
    lyra_context_destroy(ctx);
    return exit;
}

CliExit cli_mesh_orient(int argument_count, char **arguments)
{
    const CliUsage usage = {
        .command = "lyra mesh orient",
        .positional = "IN OUT",
        .description = "Gives every element positive orientation and says how many had another.",
        .example = "lyra mesh orient inside_out.veg body.veg",
        .positional_min = 2,
        .positional_max = 2,
    };
    const char *paths[2];
    int32_t count;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, paths, &count, &exit)) {
        return exit;
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraMesh *mesh = ctx ? cli_load_mesh(ctx, paths[0]) : NULL, *oriented = NULL;
    LyraOrientReport report;
    exit = CLI_BAD_INPUT;
    if (mesh) {
        if (lyra_mesh_orient(mesh, &report, &oriented) != LYRA_OK ||
            lyra_mesh_save(oriented, paths[1], LYRA_MESH_FORMAT_AUTO) != LYRA_OK) {
            exit = cli_failed();
        } else {
            printf("%d of %d elements turned, %d degenerate\n", report.flipped,
                   lyra_mesh_view(mesh).element_count, report.degenerate);
            exit = cli_finish_output();
        }
    }
    lyra_mesh_destroy(oriented);
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}

CliExit cli_mesh_refine(int argument_count, char **arguments)
{
    int32_t times = 1;
    const CliOption options[] = {
        {"--times", CLI_INT, &times, "N", "how often, 1 to 10 (default 1)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh refine",
        .positional = "IN OUT",
        .description = "Cuts every tet or cube in eight by the midpoints of its edges.",
        .example = "lyra mesh refine coarse.veg fine.veg --times 2",
        .options = options,
        .positional_min = 2,
        .positional_max = 2,
    };
    const char *paths[2];
    int32_t count;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, paths, &count, &exit)) {
        return exit;
    }
    if (times < 1 || times > 10) {
        return cli_usage_error(&usage, "--times is %d, expected 1 to 10", times);
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraMesh *mesh = ctx ? cli_load_mesh(ctx, paths[0]) : NULL;
    LyraStatus status = LYRA_OK;
    for (int32_t i = 0; mesh && i < times && status == LYRA_OK; ++i) {
        LyraMesh *finer = NULL;
        status = lyra_mesh_refine(mesh, &finer);
        if (status == LYRA_OK) {
            lyra_mesh_destroy(mesh);
            mesh = finer;
        }
    }
    if (mesh && status == LYRA_OK) {
        status = lyra_mesh_save(mesh, paths[1], LYRA_MESH_FORMAT_AUTO);
    }
    if (!mesh) {
        exit = CLI_BAD_INPUT;
    } else {
        exit = status == LYRA_OK ? CLI_OK : cli_failed();
    }
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}

// ---- boundary -----------------------------------------------------------------------------------

LyraStatus cli_boundary_surface(LyraContext *ctx, const LyraMesh *mesh, bool triangles, bool keep,
                                LyraSurface **out)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    LyraStatus status = lyra_mesh_boundary_create(mesh, triangles, &boundary);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    size_t corners = (size_t)faces.face_count * (size_t)faces.nodes;
    int32_t *map = cli_allocate((size_t)view.vertex_count * sizeof *map);
    double *positions = cli_allocate((size_t)view.vertex_count * 3 * sizeof *positions);
    int32_t *begin = cli_allocate(((size_t)faces.face_count + 1) * sizeof *begin);
    int32_t *vertices = cli_allocate(corners * sizeof *vertices);
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        map[v] = keep ? 0 : -1;
    }
    for (size_t i = 0; i < corners; ++i) {
        map[faces.faces[i]] = 0;
    }
    int32_t used = 0;
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        if (map[v] == 0) {
            memcpy(positions + 3 * (size_t)used, view.positions + 3 * (size_t)v,
                   3 * sizeof *positions);
            map[v] = used++;
        }
    }
    for (size_t i = 0; i < corners; ++i) {
        vertices[i] = map[faces.faces[i]];
    }
    for (int32_t f = 0; f <= faces.face_count; ++f) {
        begin[f] = f * faces.nodes;
    }
    LyraSurfaceView data = {
        .vertex_count = used,
        .face_count = faces.face_count,
        .corner_count = (int32_t)corners,
        .positions = positions,
        .face_begin = begin,
        .corner_vertices = vertices,
    };
    status = lyra_surface_create(ctx, &data, out);
    free(map);
    free(positions);
    free(begin);
    free(vertices);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

CliExit cli_mesh_surface(int argument_count, char **arguments)
{
    bool triangles = false, keep = false;
    const CliOption options[] = {
        {"--triangles", CLI_FLAG, &triangles, NULL, "cut the quads of cubes in two"},
        {"--keep-vertices", CLI_FLAG, &keep, NULL, "write inner vertices too, so that ids agree"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh surface",
        .positional = "IN OUT.obj",
        .description = "Writes the boundary of a volumetric mesh, faces outward.",
        .example = "lyra mesh surface turtle.veg turtle.obj",
        .options = options,
        .positional_min = 2,
        .positional_max = 2,
    };
    const char *paths[2];
    int32_t count;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, paths, &count, &exit)) {
        return exit;
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraMesh *mesh = ctx ? cli_load_mesh(ctx, paths[0]) : NULL;
    LyraSurface *surface = NULL;
    if (!mesh) {
        exit = CLI_BAD_INPUT;
    } else if (cli_boundary_surface(ctx, mesh, triangles, keep, &surface) != LYRA_OK ||
               lyra_surface_save(surface, paths[1], LYRA_SURFACE_FORMAT_AUTO) != LYRA_OK) {
        exit = cli_failed();
    } else {
        exit = CLI_OK;
    }
    lyra_surface_destroy(surface);
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}

// ---- embedding ----------------------------------------------------------------------------------

CliExit cli_mesh_embed(int argument_count, char **arguments)
{
    double threshold = 0;
    const CliOption options[] = {
        {"--threshold", CLI_DOUBLE, &threshold, "X",
         "zero weights beyond X m from every vertex (default: none)"},
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh embed",
        .positional = "MESH SURFACE OUT.interp",
        .description = "Writes the weights that carry the motion of a volumetric mesh over to the "
                       "vertices of a\nsurface. Vertices outside take the closest element.",
        .example = "lyra mesh embed cage.veg detailed.obj detailed.interp",
        .options = options,
        .positional_min = 3,
        .positional_max = 3,
    };
    const char *paths[3];
    int32_t count;
    CliExit exit;
    if (!cli_parse(&usage, argument_count, arguments, paths, &count, &exit)) {
        return exit;
    }
    if (threshold < 0) {
        return cli_usage_error(&usage, "--threshold is negative");
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraMesh *mesh = ctx ? cli_load_mesh(ctx, paths[0]) : NULL;
    LyraSurface *surface = NULL;
    LyraEmbedding *embedding = NULL;
    LyraEmbeddingReport report;
    exit = CLI_BAD_INPUT;
    if (mesh) {
        LyraStatus status = lyra_surface_load(ctx, paths[1], LYRA_SURFACE_FORMAT_AUTO, &surface);
        if (status == LYRA_OK) {
            LyraSurfaceView view = lyra_surface_view(surface);
            status = lyra_embedding_create(mesh, view.vertex_count, view.positions, threshold,
                                           &embedding, &report);
        }
        if (status == LYRA_OK) {
            status = lyra_embedding_save(embedding, paths[2]);
        }
        if (status == LYRA_OK) {
            printf("%d points, %d outside (farthest %g m), %d beyond the threshold\n",
                   lyra_embedding_view(embedding).point_count, report.outside, report.distance,
                   report.zeroed);
            exit = cli_finish_output();
        } else {
            exit = cli_failed();
        }
    }
    lyra_embedding_destroy(embedding);
    lyra_surface_destroy(surface);
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}
