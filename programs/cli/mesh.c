// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh`: from file to file.

#include "mesh.h"

#include <stdlib.h>
#include <string.h>

CliExit cli_mesh(int argument_count, char **arguments)
{
    static const CliCommand commands[] = {
        {"info", "print counts, mass, inertia and quality", cli_mesh_info},
        {"convert", "convert between file formats", cli_mesh_convert},
        {"surface", "write the boundary of a volume mesh", cli_mesh_surface},
        {"orient", "turn elements that are inside out", cli_mesh_orient},
        {"refine", "cut every element into eight", cli_mesh_refine},
        {"quadratic", "make tets of 10 nodes from tets of 4", cli_mesh_quadratic},
        {"linear", "make tets of 4 nodes from tets of 10", cli_mesh_linear},
        {"embed", "make a surface follow a volume mesh", cli_mesh_embed},
        {"voxelize", "fill a surface with cubes", cli_mesh_voxelize},
        {"tetrahedralize", "fill a surface with tets", cli_mesh_tetrahedralize},
        {"distance", "sample the distance to a surface on a grid", cli_mesh_distance},
        {"intersections", "count where surfaces pass through each other", cli_mesh_intersections},
        {"box", "generate a box", cli_mesh_box},
        {"sphere", "generate a ball", cli_mesh_sphere},
        {"cylinder", "generate a cylinder", cli_mesh_cylinder},
        {"torus", "generate a torus", cli_mesh_torus},
        {"grid", "generate a rectangle of cloth", cli_mesh_grid},
        {"strip", "generate a strip of cloth", cli_mesh_strip},
        {"disc", "generate a disc of cloth", cli_mesh_disc},
        {"rope", "generate a straight line of a rod", cli_mesh_rope},
        {"helix", "generate a helix or a ring of a rod", cli_mesh_helix},
        {"curve", "generate a curve of a rod through points", cli_mesh_curve},
        {0},
    };
    return cli_dispatch("lyra mesh", commands, argument_count, arguments);
}

const char *cli_elements(LyraElementKind kind)
{
    static const char *const names[] = {"tets", "cubes", "tets of 10 nodes", "hexahedra"};
    return names[kind];
}

bool cli_is_surface_path(const char *path)
{
    static const char *const extensions[] = {".obj", ".stl", ".ply"};
    size_t length = strlen(path);
    for (int32_t e = 0; e < 3; ++e) {
        bool same = length >= 4;
        for (int32_t i = 0; i < 4 && same; ++i) {
            char c = path[length - 4 + (size_t)i];
            same = (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == extensions[e][i];
        }
        if (same) {
            return true;
        }
    }
    return false;
}

LyraMesh *cli_load_mesh(LyraContext *ctx, const char *path)
{
    LyraMesh *mesh = NULL;
    if (lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh) != LYRA_OK) {
        cli_failed();
    }
    return mesh;
}

// ---- one file in, one out -----------------------------------------------------------------------

// how the output is written
typedef struct Target {
    const char *path;
    const char *format, *encoding; // names; NULL for those of the path
} Target;

// the format of that name among those that hold what is to be written
static bool find_format(const char *name, bool (*holds)(LyraMeshFormat), LyraMeshFormat *format)
{
    for (int32_t i = 1; i < LYRA_MESH_FORMAT_COUNT; ++i) {
        if (holds((LyraMeshFormat)i) &&
            strcmp(name, lyra_mesh_format_name((LyraMeshFormat)i)) == 0) {
            *format = (LyraMeshFormat)i;
            return true;
        }
    }
    return false;
}

static bool find_encoding(const char *name, LyraMeshEncoding *encoding)
{
    for (int32_t i = 1; i < LYRA_MESH_ENCODING_COUNT; ++i) {
        if (strcmp(name, lyra_mesh_encoding_name((LyraMeshEncoding)i)) == 0) {
            *encoding = (LyraMeshEncoding)i;
            return true;
        }
    }
    return false;
}

static CliExit save_surface(const LyraSurface *surface, const Target *target,
                            LyraMeshEncoding encoding)
{
    LyraMeshFormat format = LYRA_MESH_FORMAT_AUTO;
    if (target->format && !find_format(target->format, lyra_mesh_format_holds_surfaces, &format)) {
        return cli_fail("%s: a surface cannot be written as \"%s\", only as obj, stl, ply, vtu, "
                        "gmsh, gmsh2, vtk, abaqus or medit",
                        target->path, target->format);
    }
    return lyra_surface_save_as(surface, target->path, format, encoding) == LYRA_OK ? CLI_OK
                                                                                    : cli_failed();
}

static CliExit save_mesh(const LyraMesh *mesh, const Target *target, LyraMeshEncoding encoding)
{
    LyraMeshFormat format = LYRA_MESH_FORMAT_AUTO;
    if (!target->format && cli_is_surface_path(target->path)) {
        return cli_fail(
            "%s: a volumetric mesh cannot be written as a surface; `lyra mesh surface` writes "
            "its boundary",
            target->path);
    }
    if (target->format && !find_format(target->format, lyra_mesh_format_holds_meshes, &format)) {
        return cli_fail("%s: a volumetric mesh cannot be written as \"%s\", only as veg, tetgen, "
                        "vtu, gmsh, gmsh2, vtk, abaqus or medit",
                        target->path, target->format);
    }
    return lyra_mesh_save_as(mesh, target->path, format, encoding) == LYRA_OK ? CLI_OK
                                                                              : cli_failed();
}

static CliExit convert(LyraContext *ctx, const char *in, const CliScale *scale,
                       const Target *target, LyraMeshEncoding encoding)
{
    LyraMesh *mesh = NULL;
    LyraSurface *surface = NULL;
    CliExit exit;
    if (cli_load_scaled(ctx, in, scale, &mesh, &surface) != LYRA_OK) {
        exit = cli_failed();
    } else {
        exit = mesh ? save_mesh(mesh, target, encoding) : save_surface(surface, target, encoding);
    }
    lyra_surface_destroy(surface);
    lyra_mesh_destroy(mesh);
    return exit;
}

CliExit cli_mesh_convert(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    Target target = {0};
    const CliOption options[] = {
        {"--format", CLI_TEXT, &target.format, "NAME",
         "veg, tetgen, vtu, gmsh, gmsh2, vtk, abaqus, medit, obj, stl, ply (default: by "
         "extension)"},
        {"--encoding", CLI_TEXT, &target.encoding, "NAME",
         "text, binary, base64 or compressed (default: the format's usual one)"},
        CLI_SCALE_OPTIONS(scale),
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh convert",
        .positional = "IN OUT",
        .description =
            "Converts a mesh or a surface. The format of IN is known by its content, that of OUT "
            "by "
            "its\nextension: .veg, .node/.ele for volumetric meshes; .obj, .stl, "
            ".ply for surfaces;\n.vtu, .msh (Gmsh 4.1; 2.2 by --format gmsh2), .vtk, .inp, .mesh "
            "for both. Repairs are\nprinted, one line each. Lengths in OUT are metres.",
        .example = "lyra mesh convert part.msh part.veg",
        .options = options,
    };
    const char *paths[2];
    LyraMeshEncoding encoding = LYRA_MESH_ENCODING_AUTO;
    CliExit exit;
    if (!cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)) {
        return exit;
    }
    if (target.encoding && !find_encoding(target.encoding, &encoding)) {
        return cli_usage_error(&usage,
                               "--encoding is \"%s\", expected text, binary, base64 or compressed",
                               target.encoding);
    }
    target.path = paths[1];
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    exit = convert(ctx, paths[0], &scale, &target, encoding);
    lyra_context_destroy(ctx);
    return exit;
}

// ---- one volume mesh in -------------------------------------------------------------------------

/// What a command does with a mesh: saves something made of it to `out`.
typedef CliExit Work(LyraContext *ctx, const LyraMesh *mesh, const char *out, const void *options);

static CliExit with_mesh(const char *in, const CliScale *scale, Work *work, const char *out,
                         const void *options)
{
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraMesh *mesh = ctx ? cli_load_scaled_mesh(ctx, in, scale) : NULL;
    CliExit exit = mesh ? work(ctx, mesh, out, options) : CLI_BAD_INPUT;
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}

// saves what `status` says was made, which is ended
static bool save_made(LyraStatus status, LyraMesh *made, const char *out)
{
    bool saved = status == LYRA_OK && lyra_mesh_save(made, out, LYRA_MESH_FORMAT_AUTO) == LYRA_OK;
    lyra_mesh_destroy(made);
    return saved;
}

static CliExit orient(LyraContext *ctx, const LyraMesh *mesh, const char *out, const void *options)
{
    (void)ctx, (void)options;
    LyraMesh *oriented = NULL;
    LyraOrientReport report;
    LyraStatus status = lyra_mesh_orient(mesh, &report, &oriented);
    if (!save_made(status, oriented, out)) {
        return cli_failed();
    }
    printf("%d of %d elements turned, %d degenerate\n", report.flipped,
           lyra_mesh_view(mesh).element_count, report.degenerate);
    return cli_finish_output();
}

CliExit cli_mesh_orient(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    const CliOption options[] = {CLI_SCALE_OPTIONS(scale), {0}};
    const CliUsage usage = {
        .command = "lyra mesh orient",
        .positional = "IN OUT",
        .description = "Turns elements that are inside out and prints how many there were.",
        .example = "lyra mesh orient inside_out.veg body.veg",
        .options = options,
    };
    const char *paths[2];
    CliExit exit;
    return cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)
               ? with_mesh(paths[0], &scale, orient, paths[1], NULL)
               : exit;
}

// `options`: how many times, at least once
static CliExit refine(LyraContext *ctx, const LyraMesh *mesh, const char *out, const void *options)
{
    (void)ctx;
    LyraMesh *fine = NULL;
    LyraStatus status = lyra_mesh_refine(mesh, &fine);
    for (int32_t i = 1; i < *(const int32_t *)options && status == LYRA_OK; ++i) {
        LyraMesh *coarse = fine;
        fine = NULL;
        status = lyra_mesh_refine(coarse, &fine);
        lyra_mesh_destroy(coarse);
    }
    return save_made(status, fine, out) ? CLI_OK : cli_failed();
}

CliExit cli_mesh_refine(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    int32_t times = 1;
    const CliOption options[] = {
        {"--times", CLI_INT, &times, "N", "number of refinements, 1 to 10 (default 1)"},
        CLI_SCALE_OPTIONS(scale),
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh refine",
        .positional = "IN OUT",
        .description = "Cuts every element into eight at the midpoints of its edges.",
        .example = "lyra mesh refine coarse.veg fine.veg --times 2",
        .options = options,
    };
    const char *paths[2];
    CliExit exit;
    if (!cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)) {
        return exit;
    }
    if (times < 1 || times > 10) {
        return cli_usage_error(&usage, "--times is %d, expected 1 to 10", times);
    }
    return with_mesh(paths[0], &scale, refine, paths[1], &times);
}

// `options`: whether to tets of 10 nodes
static CliExit change_order(LyraContext *ctx, const LyraMesh *mesh, const char *out,
                            const void *options)
{
    (void)ctx;
    bool quadratic = *(const bool *)options;
    LyraMesh *made = NULL;
    LyraStatus status =
        quadratic ? lyra_mesh_quadratic(mesh, &made) : lyra_mesh_linear(mesh, NULL, &made);
    LyraMeshView view = status == LYRA_OK ? lyra_mesh_view(made) : (LyraMeshView){0};
    if (!save_made(status, made, out)) {
        return cli_failed();
    }
    printf("%s: %d vertices, %d tets of %d nodes\n", out, view.vertex_count, view.element_count,
           quadratic ? 10 : 4);
    return cli_finish_output();
}

static CliExit parse_order(CliUsage usage, bool quadratic, int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    const CliOption options[] = {CLI_SCALE_OPTIONS(scale), {0}};
    const char *paths[2];
    CliExit exit;
    usage.positional = "IN OUT";
    usage.options = options;
    return cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)
               ? with_mesh(paths[0], &scale, change_order, paths[1], &quadratic)
               : exit;
}

CliExit cli_mesh_quadratic(int argument_count, char **arguments)
{
    const CliUsage usage = {
        .command = "lyra mesh quadratic",
        .description = "Makes tets of 10 nodes from tets of 4: the middles of edges become "
                       "vertices, also of sets of\nvertices that hold both ends.",
        .example = "lyra mesh quadratic part.msh part10.msh",
    };
    return parse_order(usage, true, argument_count, arguments);
}

CliExit cli_mesh_linear(int argument_count, char **arguments)
{
    const CliUsage usage = {
        .command = "lyra mesh linear",
        .description = "Keeps the corners of tets of 10 nodes and drops the vertices between "
                       "them.",
        .example = "lyra mesh linear part10.msh part.msh",
    };
    return parse_order(usage, false, argument_count, arguments);
}

// ---- boundary -----------------------------------------------------------------------------------

LyraStatus cli_boundary_surface(LyraContext *ctx, const LyraMesh *mesh, bool triangles, bool keep,
                                LyraSurface **out)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    // faces of 6 vertices are no hexagons
    triangles = triangles || view.kind == LYRA_ELEMENT_TET10;
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

typedef struct Boundary {
    bool triangles, keep;
} Boundary;

static CliExit write_boundary(LyraContext *ctx, const LyraMesh *mesh, const char *out,
                              const void *options)
{
    const Boundary *how = options;
    LyraSurface *surface = NULL;
    bool good = cli_boundary_surface(ctx, mesh, how->triangles, how->keep, &surface) == LYRA_OK &&
                lyra_surface_save(surface, out, LYRA_MESH_FORMAT_AUTO) == LYRA_OK;
    lyra_surface_destroy(surface);
    return good ? CLI_OK : cli_failed();
}

CliExit cli_mesh_surface(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    Boundary how = {0};
    const CliOption options[] = {
        {"--triangles", CLI_FLAG, &how.triangles, NULL, "cut quads into triangles"},
        {"--keep-vertices", CLI_FLAG, &how.keep, NULL,
         "also write inner vertices, so that vertex numbers stay the same"},
        CLI_SCALE_OPTIONS(scale),
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh surface",
        .positional = "IN OUT",
        .description =
            "Writes the boundary of a volume mesh as a surface, with faces that point outward.",
        .example = "lyra mesh surface turtle.veg turtle.obj",
        .options = options,
    };
    const char *paths[2];
    CliExit exit;
    return cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)
               ? with_mesh(paths[0], &scale, write_boundary, paths[1], &how)
               : exit;
}

// ---- embedding ----------------------------------------------------------------------------------

typedef struct Embed {
    const char *surface;
    double threshold;
    const CliScale *scale;
} Embed;

static CliExit embed(LyraContext *ctx, const LyraMesh *mesh, const char *out, const void *options)
{
    const Embed *how = options;
    LyraSurface *surface = NULL;
    LyraEmbedding *embedding = NULL;
    LyraEmbeddingReport report;
    LyraStatus status = cli_load_scaled_surface(ctx, how->surface, how->scale, &surface);
    if (status == LYRA_OK) {
        LyraSurfaceView view = lyra_surface_view(surface);
        status = lyra_embedding_create(mesh, view.vertex_count, view.positions, how->threshold,
                                       &embedding, &report);
    }
    if (status == LYRA_OK) {
        status = lyra_embedding_save(embedding, out);
    }
    if (status == LYRA_OK) {
        printf("%d points, %d outside (farthest %g m), %d beyond the threshold\n",
               lyra_embedding_view(embedding).point_count, report.outside, report.distance,
               report.zeroed);
    }
    lyra_embedding_destroy(embedding);
    lyra_surface_destroy(surface);
    return status == LYRA_OK ? cli_finish_output() : cli_failed();
}

CliExit cli_mesh_embed(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    Embed how = {.scale = &scale};
    const CliOption options[] = {
        {"--threshold", CLI_DOUBLE, &how.threshold, "X",
         "zero weights for points farther than X m from every vertex (default: none)"},
        CLI_SCALE_OPTIONS(scale),
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh embed",
        .positional = "MESH SURFACE OUT.interp",
        .description =
            "Writes the weights that make a surface follow a volume mesh. Vertices outside "
            "the mesh use the\nclosest element.",
        .example = "lyra mesh embed cage.veg detailed.obj detailed.interp",
        .options = options,
    };
    const char *paths[3];
    CliExit exit;
    if (!cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)) {
        return exit;
    }
    if (how.threshold < 0) {
        return cli_usage_error(&usage, "--threshold is negative");
    }
    how.surface = paths[1];
    return with_mesh(paths[0], &scale, embed, paths[2], &how);
}
