// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh voxelize`, `tetrahedralize`, `distance`: from a surface to a body.

#include "mesh_volume.h"
#include "mesh.h"

#include <math.h>
#include <string.h>

#define DEGREES (180 / 3.141592653589793)

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

// One line for each thing that was not as it should be.
static void print_repair(const LyraSurfaceRepair *repair)
{
    const struct {
        int64_t count;
        const char *one, *many;
    } lines[] = {
        {repair->merged_vertices, "vertex at the place of another, merged",
         "vertices at the place of another, merged"},
        {repair->degenerate_faces, "face without area, dropped", "faces without area, dropped"},
        {repair->duplicate_faces, "face given twice, dropped", "faces given twice, dropped"},
        {repair->flipped_faces, "face turned to agree with its neighbours",
         "faces turned to agree with their neighbours"},
        {repair->boundary_edges, "edge of one face only: the surface has holes",
         "edges of one face only: the surface has holes"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        if (lines[i].count > 0) {
            any = true;
            fprintf(stderr, "lyra: %lld %s\n", (long long)lines[i].count,
                    lines[i].count == 1 ? lines[i].one : lines[i].many);
        }
    }
    if (any) {
        fprintf(stderr, "lyra: volume %.6g m^3 before repair, %.6g m^3 after\n",
                repair->volume_before, repair->volume_after);
    }
}

// Writes the mesh and, where asked for, the weights of the surface's vertices in it. What can fail
// comes before the first file: a command that fails leaves earlier results alone.
static LyraStatus save(const LyraSurface *surface, const LyraMesh *mesh, const char *out,
                       const char *embed)
{
    LyraSurfaceView points = lyra_surface_view(surface);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshQuality quality;
    LyraEmbedding *embedding = NULL;
    LyraEmbeddingReport report = {0};
    LyraStatus status = lyra_mesh_quality(mesh, &quality);
    if (status == LYRA_OK && embed) {
        status = lyra_embedding_create(mesh, points.vertex_count, points.positions, 0, &embedding,
                                       &report);
    }
    if (status == LYRA_OK) {
        status = lyra_mesh_save(mesh, out, LYRA_MESH_FORMAT_AUTO);
    }
    if (status == LYRA_OK) {
        printf("%s: %d %s%s, %d vertices, dihedral angles %.4g to %.4g degrees\n", out,
               view.element_count, lyra_element_kind_name(view.kind), plural(view.element_count),
               view.vertex_count, DEGREES * quality.min_dihedral, DEGREES * quality.max_dihedral);
    }
    if (status == LYRA_OK && embed) {
        status = lyra_embedding_save(embedding, embed);
    }
    if (status == LYRA_OK && embed) {
        printf("%s: %d points, %d outside (farthest %g m)\n", embed, points.vertex_count,
               report.outside, report.distance);
    }
    lyra_embedding_destroy(embedding);
    return status;
}

/// How a surface becomes a mesh.
typedef struct Filling Filling;
struct Filling {
    CliExit (*make)(LyraContext *ctx, const LyraSurface *surface, const Filling *how,
                    LyraMesh **mesh);
    LyraVolumeDef def;
    CliMesher mesher;  // of call_program()
    const char *embed; // file of weights. Nullable
};

// from the surface of the first path to the mesh of the second
static CliExit fill(const char *const *paths, const CliScale *scale, const Filling *how)
{
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraSurface *surface = NULL;
    LyraMesh *mesh = NULL;
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    CliExit exit = cli_load_scaled_surface(ctx, paths[0], scale, &surface) == LYRA_OK
                       ? how->make(ctx, surface, how, &mesh)
                       : cli_failed();
    if (mesh) {
        exit = save(surface, mesh, paths[1], how->embed) == LYRA_OK ? cli_finish_output()
                                                                    : cli_failed();
    }
    lyra_mesh_destroy(mesh);
    lyra_surface_destroy(surface);
    lyra_context_destroy(ctx);
    return exit;
}

// ---- cubes --------------------------------------------------------------------------------------

static CliExit voxelize(LyraContext *ctx, const LyraSurface *surface, const Filling *how,
                        LyraMesh **mesh)
{
    (void)ctx;
    LyraVolumeReport report;
    if (lyra_mesh_voxelize(surface, &how->def, &report, mesh) != LYRA_OK) {
        return cli_failed();
    }
    print_repair(&report.repair);
    return CLI_OK;
}

CliExit cli_mesh_voxelize(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    LyraVolumeDef def = lyra_volume_def_default();
    const char *embed = NULL;
    bool inside_only = false, no_repair = false;
    const CliOption options[] = {
        {"--resolution", CLI_INT, &def.resolution, "N",
         "cubes along the longest side of the surface (default 32)"},
        {"--flood-fill", CLI_FLAG, &def.fill_cavities, NULL,
         "also fill cavities that cannot be reached from outside"},
        {"--inside-only", CLI_FLAG, &inside_only, NULL, "leave out cubes whose centre is outside"},
        {"--no-repair", CLI_FLAG, &no_repair, NULL, "use the faces as they are"},
        {"--embed", CLI_TEXT, &embed, "FILE.interp",
         "also write the weights that carry the surface along"},
        CLI_SCALE_OPTIONS(scale),
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh voxelize",
        .positional = "SURFACE OUT",
        .description =
            "Fills a surface with cubes. The surface may have holes, flipped or "
            "repeated faces, cross itself\nor be inside out. What was repaired is printed.",
        .example = "lyra mesh voxelize turtle.obj turtle.veg --resolution 40 --embed turtle.interp",
        .options = options,
    };
    const char *paths[2];
    CliExit exit;
    if (!cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)) {
        return exit;
    }
    if (def.resolution < 1) {
        return cli_usage_error(&usage, "--resolution is %d, expected at least 1", def.resolution);
    }
    def.cover = !inside_only;
    def.repair = !no_repair;
    return fill(paths, &scale, &(Filling){voxelize, def, CLI_MESHER_TETGEN, embed});
}

// ---- tets ---------------------------------------------------------------------------------------

// By our own lattice; the lines about what was found go to standard error.
static CliExit fill_lattice(LyraContext *ctx, const LyraSurface *surface, const Filling *how,
                            LyraMesh **mesh)
{
    (void)ctx;
    LyraVolumeReport report;
    if (lyra_mesh_tetrahedralize(surface, &how->def, &report, mesh) != LYRA_OK) {
        return cli_failed();
    }
    print_repair(&report.repair);
    if (report.layer) {
        fprintf(stderr,
                "lyra: the surface encloses nothing that cells of %g m see: the body is a layer "
                "around it; a higher --resolution may find an inside\n",
                report.cell);
    }
    return CLI_OK;
}

// By another program, which wants the triangles in order.
static CliExit call_program(LyraContext *ctx, const LyraSurface *surface, const Filling *how,
                            LyraMesh **mesh)
{
    LyraSurface *repaired = NULL;
    LyraSurfaceRepair repair;
    if (lyra_surface_repair(surface, &repair, &repaired) != LYRA_OK) {
        return cli_failed();
    }
    print_repair(&repair);
    LyraSurfaceMeasure measure = lyra_surface_measure(repaired, NULL);
    double longest = 0;
    for (int32_t i = 0; i < 3; ++i) {
        longest = fmax(longest, measure.high[i] - measure.low[i]);
    }
    CliExit exit = cli_run_mesher(ctx, how->mesher, repaired, longest / how->def.resolution, mesh);
    lyra_surface_destroy(repaired);
    return exit;
}

CliExit cli_mesh_tetrahedralize(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    LyraVolumeDef def = lyra_volume_def_default();
    const char *embed = NULL, *method = "lattice";
    bool no_repair = false;
    const CliOption options[] = {
        {"--resolution", CLI_INT, &def.resolution, "N",
         "cells along the longest side of the surface (default 32)"},
        {"--method", CLI_TEXT, &method, "NAME",
         "lattice (never fails), or the programs tetgen or gmsh (default lattice)"},
        {"--no-repair", CLI_FLAG, &no_repair, NULL, "use the faces as they are"},
        {"--embed", CLI_TEXT, &embed, "FILE.interp",
         "also write the weights that carry the surface along"},
        CLI_SCALE_OPTIONS(scale),
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh tetrahedralize",
        .positional = "SURFACE OUT",
        .description =
            "Fills a surface with tets. The surface may have holes, flipped or repeated "
            "faces, cross itself\nor be inside out. The methods tetgen and gmsh need a closed one.",
        .example = "lyra mesh tetrahedralize turtle.obj turtle.veg --resolution 40",
        .options = options,
    };
    const char *paths[2];
    CliExit exit;
    if (!cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)) {
        return exit;
    }
    if (def.resolution < 1) {
        return cli_usage_error(&usage, "--resolution is %d, expected at least 1", def.resolution);
    }
    bool lattice = strcmp(method, "lattice") == 0;
    CliMesher mesher = CLI_MESHER_TETGEN;
    if (!lattice && !cli_find_mesher(method, &mesher)) {
        return cli_usage_error(&usage, "--method is %s, expected lattice, tetgen or gmsh", method);
    }
    def.repair = !no_repair;
    return fill(paths, &scale,
                &(Filling){lattice ? fill_lattice : call_program, def, mesher, embed});
}

// ---- distance -----------------------------------------------------------------------------------

CliExit cli_mesh_distance(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    LyraDistanceFieldDef def = lyra_distance_field_def_default();
    bool no_repair = false;
    const CliOption options[] = {
        {"--resolution", CLI_INT, &def.resolution, "N",
         "cells along the longest side of the surface (default 64)"},
        {"--margin", CLI_INT, &def.margin, "N", "cells around the box (default 2)"},
        {"--no-repair", CLI_FLAG, &no_repair, NULL, "use the faces as they are"},
        CLI_SCALE_OPTIONS(scale),
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh distance",
        .positional = "SURFACE OUT.vtk",
        .description = "Samples the signed distance of a surface, negative inside, on a grid. The "
                       "file opens in\nParaView.",
        .example = "lyra mesh distance turtle.obj turtle_distance.vtk --resolution 100",
        .options = options,
    };
    const char *paths[2];
    CliExit exit;
    if (!cli_parse_scaled(&usage, &scale, argument_count, arguments, paths, &exit)) {
        return exit;
    }
    if (def.resolution < 1 || def.margin < 0) {
        return cli_usage_error(&usage,
                               "--resolution is %d and --margin %d, expected at least 1 "
                               "and at least 0",
                               def.resolution, def.margin);
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    LyraSurface *surface = NULL, *repaired = NULL;
    LyraSurfaceTree *tree = NULL;
    LyraDistanceField *field = NULL;
    LyraSurfaceRepair repair = {0};
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    LyraStatus status = cli_load_scaled_surface(ctx, paths[0], &scale, &surface);
    if (status == LYRA_OK && !no_repair) {
        status = lyra_surface_repair(surface, &repair, &repaired);
    }
    if (status == LYRA_OK) {
        print_repair(&repair);
        status = lyra_surface_tree_create(repaired ? repaired : surface, &tree);
    }
    if (status == LYRA_OK) {
        status = lyra_distance_field_create(tree, &def, &field);
    }
    if (status == LYRA_OK) {
        status = lyra_distance_field_save(field, paths[1]);
    }
    if (status == LYRA_OK) {
        LyraDistanceFieldView view = lyra_distance_field_view(field);
        printf("%s: %d x %d x %d samples, %g m apart\n", paths[1], view.dimensions[0],
               view.dimensions[1], view.dimensions[2], view.spacing);
        exit = cli_finish_output();
    } else {
        exit = cli_failed();
    }
    lyra_distance_field_destroy(field);
    lyra_surface_tree_destroy(tree);
    lyra_surface_destroy(repaired);
    lyra_surface_destroy(surface);
    lyra_context_destroy(ctx);
    return exit;
}
