// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh info`: what a file holds.

#include "mesh.h"

#include <stdlib.h>

#define DEGREES (180 / 3.141592653589793)

typedef struct MeshFacts {
    LyraMeshView view;
    LyraMassProperties mass;
    LyraMeshQuality quality;
    int32_t components, surface_triangles;
    double mass_matrix_sum, lumped_mass_sum;
} MeshFacts;

// sums over the mass matrices: of all entries of the consistent one, 3n x 3n, and of the lumped
// one, a number for each vertex
static LyraStatus sum_masses(const LyraMesh *mesh, MeshFacts *facts)
{
    LyraMassMatrix *matrix = NULL;
    LyraStatus status = lyra_mass_matrix_create(mesh, NULL, false, &matrix);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMassMatrixView view = lyra_mass_matrix_view(matrix);
    double sum = 0, lumped_sum = 0;
    for (int32_t v = 0; v < view.row_count; ++v) {
        double row = 0;
        for (int64_t i = view.row_start[v]; i < view.row_start[v + 1]; ++i) {
            row += view.values[i];
        }
        sum += row;
    }
    lyra_mass_matrix_destroy(matrix);
    double *lumped = cli_allocate((size_t)facts->view.vertex_count * sizeof *lumped);
    lyra_mesh_lumped_masses(mesh, NULL, lumped);
    for (int32_t v = 0; v < facts->view.vertex_count; ++v) {
        lumped_sum += lumped[v];
    }
    free(lumped);
    facts->mass_matrix_sum = 3 * sum;
    facts->lumped_mass_sum = lumped_sum;
    return LYRA_OK;
}

static LyraStatus gather_facts(const LyraMesh *mesh, bool sums, MeshFacts *facts)
{
    facts->view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    LyraStatus status = lyra_mesh_mass_properties(mesh, NULL, &facts->mass);
    if (status == LYRA_OK && sums) {
        status = sum_masses(mesh, facts);
    }
    if (status == LYRA_OK) {
        status = lyra_mesh_quality(mesh, &facts->quality);
    }
    if (status == LYRA_OK) {
        status = lyra_mesh_components(mesh, LYRA_MESH_CONNECTION_VERTEX, &facts->components, NULL);
    }
    if (status == LYRA_OK) {
        status = lyra_mesh_boundary_create(mesh, true, &boundary);
    }
    if (status == LYRA_OK) {
        facts->surface_triangles = lyra_mesh_boundary_view(boundary).face_count;
        lyra_mesh_boundary_destroy(boundary);
    }
    return status;
}

static const char *material_kind_name(LyraMeshMaterialKind kind)
{
    static const char *const names[LYRA_MESH_MATERIAL_KIND_COUNT] = {
        [LYRA_MESH_MATERIAL_ENU] = "ENU",
        [LYRA_MESH_MATERIAL_MOONEY_RIVLIN] = "MOONEYRIVLIN",
        [LYRA_MESH_MATERIAL_ORTHOTROPIC] = "ORTHOTROPIC",
    };
    return names[kind];
}

static void write_material(CliJson *json, const LyraMeshMaterial *material)
{
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", material->name);
    cli_json_text(json, "type", material_kind_name(material->kind));
    cli_json_double(json, "density", material->density);
    switch (material->kind) {
    case LYRA_MESH_MATERIAL_ENU:
        cli_json_double(json, "young", material->enu.young);
        cli_json_double(json, "poisson", material->enu.poisson);
        break;
    case LYRA_MESH_MATERIAL_MOONEY_RIVLIN:
        cli_json_double(json, "mu01", material->mooney_rivlin.mu01);
        cli_json_double(json, "mu10", material->mooney_rivlin.mu10);
        cli_json_double(json, "v1", material->mooney_rivlin.v1);
        break;
    default:
        cli_json_doubles(json, "young", 3, material->orthotropic.young);
        cli_json_doubles(json, "poisson", 3, material->orthotropic.poisson);
        cli_json_doubles(json, "shear", 3, material->orthotropic.shear);
        cli_json_doubles(json, "axes", 9, material->orthotropic.axes);
    }
    cli_json_close(json, '}');
}

static void write_quality(CliJson *json, const LyraMeshQuality *quality)
{
    cli_json_open(json, "quality", '{');
    cli_json_double(json, "min_aspect", quality->min_aspect);
    cli_json_double(json, "mean_aspect", quality->mean_aspect);
    cli_json_double(json, "max_aspect", quality->max_aspect);
    cli_json_double(json, "min_dihedral_degrees", DEGREES * quality->min_dihedral);
    cli_json_double(json, "max_dihedral_degrees", DEGREES * quality->max_dihedral);
    cli_json_int(json, "orphans", quality->orphans);
    cli_json_int(json, "duplicate_vertices", quality->duplicates);
    cli_json_int(json, "not_cubes", quality->not_cubes);
    cli_json_int(json, "boundary_faces", quality->boundary_faces);
    cli_json_int(json, "non_manifold_faces", quality->non_manifold_faces);
    cli_json_close(json, '}');
}

static void write_mesh_json(const MeshFacts *facts)
{
    CliJson json = {.file = stdout};
    const LyraMassProperties *mass = &facts->mass;
    cli_json_open(&json, NULL, '{');
    cli_json_int(&json, "vertices", facts->view.vertex_count);
    cli_json_int(&json, "elements", facts->view.element_count);
    cli_json_text(&json, "type", lyra_element_kind_name(facts->view.kind));
    cli_json_double(&json, "volume", mass->volume);
    cli_json_double(&json, "mass", mass->mass);
    cli_json_doubles(&json, "center_of_mass", 3, mass->center_of_mass);
    cli_json_open(&json, "inertia", '[');
    for (int i = 0; i < 3; ++i) {
        cli_json_doubles(&json, NULL, 3, mass->inertia + 3 * i);
    }
    cli_json_close(&json, ']');
    cli_json_open(&json, "box", '[');
    cli_json_doubles(&json, NULL, 3, mass->box[0]);
    cli_json_doubles(&json, NULL, 3, mass->box[1]);
    cli_json_close(&json, ']');
    cli_json_double(&json, "mass_matrix_sum", facts->mass_matrix_sum);
    cli_json_double(&json, "lumped_mass_sum", facts->lumped_mass_sum);
    cli_json_double(&json, "min_element_volume", mass->min_element_volume);
    cli_json_double(&json, "max_element_volume", mass->max_element_volume);
    cli_json_int(&json, "inverted", facts->quality.inverted);
    cli_json_int(&json, "folded", facts->quality.folded);
    cli_json_int(&json, "degenerate", facts->quality.degenerate);
    cli_json_int(&json, "components", facts->components);
    cli_json_open(&json, "materials", '[');
    for (int32_t m = 0; m < facts->view.material_count; ++m) {
        write_material(&json, &facts->view.materials[m]);
    }
    cli_json_close(&json, ']');
    cli_json_open(&json, "sets", '[');
    for (int32_t s = 0; s < facts->view.set_count; ++s) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", facts->view.sets[s].name);
        cli_json_int(&json, "elements", facts->view.sets[s].count);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_open(&json, "vertex_sets", '[');
    for (int32_t s = 0; s < facts->view.vertex_set_count; ++s) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", facts->view.vertex_sets[s].name);
        cli_json_int(&json, "vertices", facts->view.vertex_sets[s].count);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_open(&json, "face_sets", '[');
    for (int32_t s = 0; s < facts->view.face_set_count; ++s) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", facts->view.face_sets[s].name);
        cli_json_int(&json, "faces", facts->view.face_sets[s].count);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_int(&json, "surface_triangles", facts->surface_triangles);
    write_quality(&json, &facts->quality);
    cli_json_close(&json, '}');
}

static void print_set(const char *name, int32_t count, const char *one, const char *many)
{
    printf("  set              %s: %d %s\n", name, (int)count, count == 1 ? one : many);
}

static void print_mesh(const char *path, const MeshFacts *facts)
{
    const LyraMassProperties *mass = &facts->mass;
    const LyraMeshQuality *quality = &facts->quality;
    printf("%s\n", path);
    printf("  vertices         %d\n", facts->view.vertex_count);
    printf("  elements         %d %s\n", facts->view.element_count, cli_elements(facts->view.kind));
    printf("  components       %d\n", facts->components);
    printf("  surface          %d triangles\n", facts->surface_triangles);
    printf("  box              %g %g %g to %g %g %g m\n", mass->box[0][0], mass->box[0][1],
           mass->box[0][2], mass->box[1][0], mass->box[1][1], mass->box[1][2]);
    printf("  volume           %.10g m^3, elements %g to %g\n", mass->volume,
           mass->min_element_volume, mass->max_element_volume);
    printf("  mass             %.10g kg\n", mass->mass);
    printf("  center of mass   %g %g %g m\n", mass->center_of_mass[0], mass->center_of_mass[1],
           mass->center_of_mass[2]);
    for (int i = 0; i < 3; ++i) {
        printf("  %-16s % -14.8g % -14.8g % -14.8g %s\n", i ? "" : "inertia", mass->inertia[3 * i],
               mass->inertia[3 * i + 1], mass->inertia[3 * i + 2], i ? "" : "kg m^2");
    }
    for (int32_t m = 0; m < facts->view.material_count; ++m) {
        const LyraMeshMaterial *material = &facts->view.materials[m];
        printf("  material         %s: %s, density %g\n", material->name,
               material_kind_name(material->kind), material->density);
    }
    for (int32_t s = 0; s < facts->view.set_count; ++s) {
        print_set(facts->view.sets[s].name, facts->view.sets[s].count, "element", "elements");
    }
    for (int32_t s = 0; s < facts->view.vertex_set_count; ++s) {
        const LyraMeshVertexSet *set = &facts->view.vertex_sets[s];
        print_set(set->name, set->count, "vertex", "vertices");
    }
    for (int32_t s = 0; s < facts->view.face_set_count; ++s) {
        print_set(facts->view.face_sets[s].name, facts->view.face_sets[s].count, "face", "faces");
    }
    printf("  aspect           %.4g to %.4g, mean %.4g\n", quality->min_aspect, quality->max_aspect,
           quality->mean_aspect);
    printf("  dihedral angles  %.4g to %.4g degrees\n", DEGREES * quality->min_dihedral,
           DEGREES * quality->max_dihedral);
    // trouble, where there is any
    const struct {
        const char *what;
        int32_t count, first;
    } troubles[] = {
        {"inverted elements", quality->inverted, quality->first_inverted},
        {"elements folded over", quality->folded, quality->first_folded},
        {"degenerate elements", quality->degenerate, quality->first_degenerate},
        {"elements that are not cubes", quality->not_cubes, quality->first_not_cube},
        {"vertices of no element", quality->orphans, quality->first_orphan},
        {"duplicate vertices", quality->duplicates, quality->first_duplicate},
        {"faces of more than two elements", quality->non_manifold_faces, -1},
    };
    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; ++i) {
        if (troubles[i].count > 0) {
            printf("  warning: %d %s", troubles[i].count, troubles[i].what);
            if (troubles[i].first >= 0) {
                printf(", the first is %d (counted from 0)", troubles[i].first);
            }
            printf("\n");
        }
    }
}

// ---- surfaces -----------------------------------------------------------------------------------

static CliExit surface_info(const LyraSurface *surface, const char *path, bool as_json)
{
    LyraSurfaceReport report;
    if (lyra_surface_report(surface, &report) != LYRA_OK) {
        return cli_failed();
    }
    LyraSurfaceView view = lyra_surface_view(surface);
    LyraSurfaceMeasure measure = lyra_surface_measure(surface, NULL);
    if (as_json) {
        CliJson json = {.file = stdout};
        cli_json_open(&json, NULL, '{');
        cli_json_int(&json, "vertices", view.vertex_count);
        cli_json_int(&json, "faces", view.face_count);
        cli_json_text(&json, "type", "surface");
        cli_json_int(&json, "triangles", report.triangles);
        cli_json_int(&json, "quads", report.quads);
        cli_json_int(&json, "polygons", report.polygons);
        cli_json_double(&json, "area", measure.area);
        cli_json_double(&json, "volume", measure.volume);
        cli_json_open(&json, "box", '[');
        cli_json_doubles(&json, NULL, 3, measure.low);
        cli_json_doubles(&json, NULL, 3, measure.high);
        cli_json_close(&json, ']');
        cli_json_int(&json, "components", report.components);
        cli_json_int(&json, "groups", view.group_count);
        cli_json_int(&json, "materials", view.material_count);
        cli_json_bool(&json, "closed", report.closed);
        cli_json_bool(&json, "manifold", report.manifold);
        cli_json_bool(&json, "oriented", report.oriented);
        cli_json_int(&json, "euler", report.euler);
        cli_json_close(&json, '}');
    } else {
        printf("%s\n", path);
        printf("  vertices         %d\n", view.vertex_count);
        printf("  faces            %d: %d triangles, %d quads, %d other polygons\n",
               view.face_count, report.triangles, report.quads, report.polygons);
        printf("  components       %d\n", report.components);
        printf("  box              %g %g %g to %g %g %g m\n", measure.low[0], measure.low[1],
               measure.low[2], measure.high[0], measure.high[1], measure.high[2]);
        printf("  area             %.10g m^2\n", measure.area);
        printf("  volume           %.10g m^3%s\n", measure.volume,
               report.closed ? "" : " (not closed)");
        printf("  closed           %s, %lld boundary edges\n", report.closed ? "yes" : "no",
               (long long)report.boundary_edges);
        printf("  manifold         %s\n", report.manifold ? "yes" : "no");
        printf("  oriented         %s\n", report.oriented ? "yes" : "no");
    }
    return cli_finish_output();
}

CliExit cli_mesh_info(int argument_count, char **arguments)
{
    CliScale scale = CLI_SCALE_DEFAULT;
    bool json = false;
    const char *html = NULL;
    const CliOption options[] = {
        {"--json", CLI_FLAG, &json, NULL, "print one JSON document"},
        {"--html", CLI_TEXT, &html, "FILE", "write a page with histograms and the worst elements"},
        CLI_SCALE_OPTIONS(scale),
        {0},
    };
    const CliUsage usage = {
        .command = "lyra mesh info",
        .positional = "FILE",
        .description =
            "Prints counts, mass properties, materials, sets and quality of a volumetric mesh, or "
            "measures\nof a surface.",
        .example = "lyra mesh info turtle.veg --json",
        .options = options,
    };
    const char *path;
    CliExit exit;
    if (!cli_parse_scaled(&usage, &scale, argument_count, arguments, &path, &exit)) {
        return exit;
    }
    LyraContext *ctx = cli_context(0, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    LyraMesh *mesh = NULL;
    LyraSurface *surface = NULL;
    MeshFacts facts;
    if (cli_load_scaled(ctx, path, &scale, &mesh, &surface) != LYRA_OK) {
        exit = cli_failed();
    } else if (surface) {
        exit = html ? cli_fail("%s: found a surface, --html needs a volumetric mesh", path)
                    : surface_info(surface, path, json);
    } else if (gather_facts(mesh, json, &facts) != LYRA_OK) {
        exit = cli_failed();
    } else {
        if (json) {
            write_mesh_json(&facts);
        } else {
            print_mesh(path, &facts);
        }
        exit = cli_finish_output();
        if (exit == CLI_OK && html) {
            exit = cli_mesh_write_html(mesh, path, html);
        }
    }
    lyra_surface_destroy(surface);
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return exit;
}
