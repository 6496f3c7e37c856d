// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of kind "shell": the triangles of a surface with a thickness and a law of solids.

#include "lyra/shell.h"

#include "force/solid.h"
#include "world/sheet.h"

#include <math.h>
#include <string.h>

// ---- what has no use ----------------------------------------------------------------------------

static LyraStatus check_def(const LyraBodyDef *def)
{
    const LyraSolidDef *given = &def->material, none = lyra_body_def_default().material;
    const struct {
        bool given;
        const char *key;
    } others[] = {
        {def->file || def->mesh, "mesh"},
        {def->generate, "generate"},
        {given->volumetric != none.volumetric, "material.volumetric"},
        {given->stiffness != 0, "material.stiffness"},
        {given->damping != 0, "material.damping"},
        {given->vega, "material.vega"},
        {!isnan(def->stiffness), "stiffness"},
        {def->region_count > 0, "regions"},
        {def->damping.stretch_rate, "damping"},
        {def->goal, "goal"},
        {def->fibre, "fibre"},
        {def->springs, "springs"},
    };
    for (int32_t k = 0; k < LY_COUNT_OF(others); ++k) {
        if (others[k].given) {
            const char *dot = strrchr(others[k].key, '.');
            return ly_fail_key(LYRA_BAD_FORMAT, others[k].key,
                               "found %s of a shell, expected none: shells do not have it",
                               dot ? dot + 1 : others[k].key);
        }
    }
    if (def->viscosity && def->viscosity->model != LYRA_VISCOUS_PRONY) {
        return ly_fail_key(LYRA_UNSUPPORTED, "viscosity.model",
                           "found a model that shells have not, expected prony or constant-q");
    }
    return def->shell ? LYRA_OK
                      : ly_fail(LYRA_BAD_FORMAT, "found a shell without shell, expected the key "
                                                 "with its surface");
}

// ---- clamped edges ------------------------------------------------------------------------------

/// Edges that are clamped, [count][2], to ly_release().
typedef struct Clamped {
    int32_t count;
    int32_t *edges;
} Clamped;

// edges of one triangle among those listed, lower vertex first, twice where of two
static LyraStatus find_boundary(LyraContext *ctx, const LyraSurfaceView *view, const bool *in,
                                Clamped *out)
{
    int32_t sides = 3 * view->face_count, *pairs = NULL, *uses = NULL, edges = 0;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, 2 * (int64_t)sides, sizeof *pairs, &pairs));
    LY_TRY_DONE(ly_sheet_edge_uses(ctx, view, &edges, pairs, &uses));
    LY_TRY_DONE(
        ly_resize_array(ctx, 2 * ((int64_t)out->count + edges), sizeof *out->edges, &out->edges));
    for (int32_t e = 0; e < edges; ++e) {
        const int32_t *ends = pairs + 2 * (int64_t)e;
        if (uses[e] == 1 && in[ends[0]] && in[ends[1]]) {
            memcpy(out->edges + 2 * (int64_t)out->count++, ends, 2 * sizeof *ends);
        }
    }
done:
    ly_release(ctx, pairs);
    ly_release(ctx, uses);
    return status;
}

// vertices of the sheet that a selector holds: a world of it alone knows
static LyraStatus select_alone(LyraContext *ctx, const LyraSurface *sheet,
                               const LyraSelector *select, bool *in)
{
    LyraWorld *alone = NULL;
    LyraBodyDef def = lyra_body_def_default();
    LyraBodyCloth cloth = lyra_body_cloth_default();
    int32_t count = 0, *vertices = NULL;
    LyraStatus status = LYRA_OK;
    cloth.surface = sheet;
    def.name = "sheet";
    def.kind = "cloth";
    def.cloth = &cloth;
    LY_TRY_DONE(lyra_world_create(ctx, NULL, &alone));
    LY_TRY_DONE(lyra_world_add_body(alone, &def, NULL));
    LY_TRY_DONE(lyra_world_select(alone, "sheet", select, &count, &vertices));
    for (int32_t i = 0; i < count; ++i) {
        in[vertices[i]] = true;
    }
done:
    lyra_vertex_list_destroy(ctx, vertices);
    lyra_world_destroy(alone);
    return status;
}

static LyraStatus find_clamped(LyraContext *ctx, const LyraSurface *sheet, const LyraBodyShell *def,
                               Clamped *out)
{
    LyraSurfaceView view = lyra_surface_view(sheet);
    bool *in = NULL;
    LY_TRY(ly_allocate_array(ctx, view.vertex_count, sizeof *in, &in));
    LyraStatus status = LYRA_OK;
    for (int32_t c = 0; c < def->clamp_count && status == LYRA_OK; ++c) {
        int32_t before = out->count;
        memset(in, 0, (size_t)view.vertex_count * sizeof *in);
        status = select_alone(ctx, sheet, &def->clamp[c], in);
        status = status == LYRA_OK ? find_boundary(ctx, &view, in, out) : status;
        if (status == LYRA_OK && out->count == before) {
            status = ly_fail(LYRA_BAD_FORMAT, "found no edge of one triangle in the selection, "
                                              "expected some to clamp");
        }
        status = status == LYRA_OK ? status : ly_within_item(status, "clamp", c);
    }
    ly_release(ctx, in);
    return status;
}

// ---- thickness ----------------------------------------------------------------------------------

// of each triangle, [face_count]; to ly_release()
static LyraStatus find_thicknesses(LyraContext *ctx, const LyraSurface *sheet,
                                   const LyraBodyShell *def, double **out)
{
    LyraSurfaceView view = lyra_surface_view(sheet);
    bool *in = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, view.vertex_count, sizeof *in, &in));
    LY_TRY_DONE(ly_allocate_array(ctx, view.face_count, sizeof **out, out));
    for (int32_t t = 0; t < view.face_count; ++t) {
        (*out)[t] = def->thickness;
    }
    for (int32_t p = 0; p < def->part_count; ++p) {
        int32_t found = 0;
        memset(in, 0, (size_t)view.vertex_count * sizeof *in);
        LY_TRY_DONE(
            ly_within_item(select_alone(ctx, sheet, &def->parts[p].select, in), "parts", p));
        for (int32_t t = 0; t < view.face_count; ++t) {
            const int32_t *corners = view.corner_vertices + 3 * (int64_t)t;
            if (in[corners[0]] && in[corners[1]] && in[corners[2]]) {
                (*out)[t] = def->parts[p].thickness;
                ++found;
            }
        }
        if (found == 0) {
            status = ly_fail(LYRA_BAD_FORMAT, "found no triangle with all corners in the "
                                              "selection, expected some");
            LY_TRY_DONE(ly_within_item(status, "parts", p));
        }
    }
done:
    ly_release(ctx, in);
    return status;
}

// ---- the body -----------------------------------------------------------------------------------

static LyraStatus make_shell(LyraWorld *world, const LyraSurface *sheet, const LyBody *body,
                             const Clamped *clamped, const double *thicknesses, LyraShell **out)
{
    LyraSurfaceView view = lyra_surface_view(sheet);
    const LyraBodyShell *own = body->def->shell;
    LyraShellDef def = lyra_shell_def_default();
    LY_TRY(
        ly_within_key(ly_solid_elastic(world->ctx, &body->solid_def, &def.material), "material"));
    def.vertex_count = view.vertex_count;
    def.triangle_count = view.face_count;
    def.positions = view.positions;
    def.triangles = view.corner_vertices;
    def.thickness = own->thickness;
    def.thicknesses = thicknesses;
    def.bend = own->bend;
    def.bend_factor = own->bend_factor;
    def.rest_angles = own->rest_angles;
    def.clamped = clamped->edges;
    def.clamped_count = clamped->count;
    return ly_within_key(lyra_shell_create(world->ctx, &def, out), "shell");
}

double ly_shell_density(const LyraBodyDef *def)
{
    return isnan(def->density) ? 1000 : def->density;
}

// vertices, scalar nodes and masses
static LyraStatus set_nodes(LyraWorld *world, LyraBodyView *view, LyBody *body)
{
    LyraContext *ctx = world->ctx;
    LyraShellView shell = lyra_shell_view(view->shell);
    LyraSurfaceView own = lyra_surface_view(view->sheet);
    int32_t n = own.vertex_count, scalars = shell.scalar_count;
    double *masses = NULL, *places = NULL;
    double density = ly_shell_density(body->def);
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)n + scalars, sizeof *masses, &masses));
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)scalars, sizeof *places, &places));
    lyra_shell_masses(view->shell, density, masses, places);
    for (int32_t v = 0; v < n; ++v) {
        if (!(masses[v] > 0)) {
            LY_TRY_DONE(ly_fail_key(LYRA_BAD_MESH, "shell.surface",
                                    "found vertex %d in no triangle, expected each vertex in one",
                                    (int)v));
        }
    }
    LY_TRY_DONE(ly_body_set_vertices(ctx, view, body, n, own.positions, masses));
    LY_TRY_DONE(ly_body_set_scalars(ctx, view, body, scalars, places, masses + n));
done:
    ly_release(ctx, places);
    ly_release(ctx, masses);
    return status;
}

static LyraStatus make(LyraWorld *world, LyraBodyView *view, LyBody *body, LySheet *sheet,
                       Clamped *clamped)
{
    const LyraBodyDef *def = body->def;
    const LyraBodyShell *own = def->shell;
    const LySheetSource from = {
        .file = own->file, .surface = own->surface, .generate = own->generate};
    LY_TRY(ly_within_key(ly_sheet_make(world, &from, &def->transform, true, sheet), "shell"));
    LY_TRY(ly_within_key(find_clamped(world->ctx, sheet->surface, own, clamped), "shell"));
    body->solid_def = def->material;
    body->solid_def.young =
        (def->material.young > 0 ? def->material.young : 1e6) * def->modulus_factor;
    body->solid_def.poisson = isnan(def->material.poisson) ? 0.3 : def->material.poisson;
    LY_TRY(ly_body_set_memory(world, NULL, body));
    double *thicknesses = NULL;
    LyraStatus status =
        ly_within_key(find_thicknesses(world->ctx, sheet->surface, own, &thicknesses), "shell");
    status = status == LYRA_OK ? make_shell(world, sheet->surface, body, clamped, thicknesses,
                                            (LyraShell **)&view->shell)
                               : status;
    ly_release(world->ctx, thicknesses);
    LY_TRY(status);
    LyraSurfaceView faces = lyra_surface_view(sheet->surface);
    LY_TRY(lyra_surface_create(world->ctx, &faces, (LyraSurface **)&view->sheet));
    LY_TRY(set_nodes(world, view, body));
    LyraShellView shell = lyra_shell_view(view->shell);
    if (shell.non_manifold_edges + shell.folded_edges > 0) {
        ly_log(world->ctx, LYRA_LOG_WARNING,
               "shell %s: %d edges of three or more triangles, and %d of two on the same vertices, "
               "do not bend",
               view->name, (int)shell.non_manifold_edges, (int)shell.folded_edges);
    }
    if (def->viscosity && own->bend != LYRA_SHELL_BEND_NONE) {
        ly_log(world->ctx, LYRA_LOG_WARNING,
               "shell %s: its viscosity relaxes what it does in its plane; bending stays elastic",
               view->name);
    }
    return def->surface_count ? LYRA_OK : ly_sheet_show(world->ctx, view, sheet);
}

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    (void)take; // there is none
    LySheet sheet = {0};
    Clamped clamped = {0};
    LY_TRY(check_def(body->def));
    LyraStatus status = make(world, view, body, &sheet, &clamped);
    ly_sheet_release(world->ctx, &sheet);
    ly_release(world->ctx, clamped.edges);
    return status;
}

static bool is_meshless(const LyraBodyDef *def)
{
    (void)def;
    return true;
}

static LyraForce *const *forces(const LyraBodyView *view, int32_t *count)
{
    return lyra_shell_forces(view->shell, count);
}

const LyBodyType ly_body_shell = {
    .name = "shell", .create = create, .meshless = is_meshless, .forces = forces};
