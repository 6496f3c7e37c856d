// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of kind "cloth": the triangles of a surface, their fabrics by its groups and materials,
// and the numbers of them that are turned while the world runs.

#include "lyra/cloth.h"

#include "world/parameters.h"
#include "world/select.h"
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
        {strcmp(given->model, none.model) != 0, "material.model"},
        {given->young > 0, "material.young"},
        {!isnan(given->poisson), "material.poisson"},
        {!isnan(def->density), "material.density"},
        {given->inversion != none.inversion, "material.inversion"},
        {given->inversion_threshold != none.inversion_threshold, "material.inversion-threshold"},
        {given->volumetric != none.volumetric, "material.volumetric"},
        {given->compression_resistance != 0, "material.compression-resistance"},
        {given->stiffness != 0, "material.stiffness"},
        {given->damping != 0, "material.damping"},
        {def->modulus_factor != 1, "material.modulus-factor"},
        {given->vega, "material.vega"},
        {given->plasticity, "material.plasticity"},
        {given->constant_count > 0, "material.parameters"},
        {!isnan(def->stiffness), "stiffness"},
        {def->region_count > 0, "regions"},
        {def->viscosity, "viscosity"},
        {def->damping.stretch_rate, "damping"},
        {def->goal, "goal"},
        {def->fibre, "fibre"},
        {def->springs, "springs"},
    };
    for (int32_t k = 0; k < LY_COUNT_OF(others); ++k) {
        if (others[k].given) {
            const char *dot = strrchr(others[k].key, '.');
            return ly_fail_key(LYRA_BAD_FORMAT, others[k].key,
                               "found %s of a body of cloth, expected all of it in cloth",
                               dot ? dot + 1 : others[k].key);
        }
    }
    return def->cloth ? LYRA_OK
                      : ly_fail(LYRA_BAD_FORMAT, "found a body of cloth without cloth, expected "
                                                 "the key with its surface");
}

// ---- fabrics ------------------------------------------------------------------------------------

static double unless_given(double value, double fallback)
{
    return isnan(value) ? fallback : value;
}

// the fabric of a group with what it leaves to the cloth
static LyraClothGroup complete(const LyraClothGroup *part, const LyraClothGroup *whole)
{
    return (LyraClothGroup){
        .stretch = unless_given(part->stretch, whole->stretch),
        .shear = unless_given(part->shear, whole->shear),
        .bend_u = unless_given(part->bend_u, whole->bend_u),
        .bend_v = unless_given(part->bend_v, whole->bend_v),
        .stretch_damping = unless_given(part->stretch_damping, whole->stretch_damping),
        .shear_damping = unless_given(part->shear_damping, whole->shear_damping),
        .bend_damping = unless_given(part->bend_damping, whole->bend_damping),
    };
}

// arrays of the cloth's def
typedef struct Parts {
    LyraClothGroup *fabrics; // that of the cloth, then those of its groups
    double *densities;       // of the same
    int32_t *groups;         // of triangles
    double *uv;              // of triangles; NULL: automatic
} Parts;

static void release_parts(LyraContext *ctx, Parts *parts)
{
    ly_release(ctx, parts->fabrics);
    ly_release(ctx, parts->densities);
    ly_release(ctx, parts->groups);
    ly_release(ctx, parts->uv);
}

// gives the triangles of a group or a material to fabric `index`
static LyraStatus assign(LyraContext *ctx, const LyraSurfaceView *view, const char *name,
                         int32_t index, int32_t *groups)
{
    bool *in = NULL;
    LY_TRY(ly_allocate_array(ctx, view->face_count, sizeof *in, &in));
    LyraStatus status = ly_select_sheet_set(view, "name", name, in);
    for (int32_t t = 0; t < view->face_count && status == LYRA_OK; ++t) {
        groups[t] = in[t] ? index : groups[t];
    }
    ly_release(ctx, in);
    return status;
}

static LyraStatus make_fabrics(LyraContext *ctx, const LyraSurfaceView *view,
                               const LyraBodyCloth *def, const double factors[4], Parts *parts)
{
    int64_t count = 1 + (int64_t)def->fabric_count;
    LY_TRY(ly_allocate_array(ctx, count, sizeof *parts->fabrics, &parts->fabrics));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *parts->densities, &parts->densities));
    LY_TRY(ly_allocate_zeroed(ctx, view->face_count, sizeof *parts->groups, &parts->groups));
    parts->fabrics[0] = def->fabric;
    parts->densities[0] = def->surface_density;
    for (int32_t f = 0; f < def->fabric_count; ++f) {
        const LyraBodyFabric *part = &def->fabrics[f];
        parts->fabrics[f + 1] = complete(&part->fabric, &def->fabric);
        parts->densities[f + 1] = unless_given(part->surface_density, def->surface_density);
        LyraStatus status = assign(ctx, view, part->name ? part->name : "", f + 1, parts->groups);
        LY_TRY(status == LYRA_OK ? status : ly_within_item(status, "groups", f));
    }
    for (int64_t f = 0; f < count; ++f) {
        parts->fabrics[f].stretch *= factors[0];
        parts->fabrics[f].shear *= factors[1];
        parts->fabrics[f].bend_u *= factors[2];
        parts->fabrics[f].bend_v *= factors[3];
    }
    return LYRA_OK;
}

// texture coordinates of the corners, in metres
static LyraStatus make_uv(LyraContext *ctx, const LyraSurfaceView *view, double scale, double **out)
{
    double *uv = NULL;
    LY_TRY(ly_allocate_array(ctx, 2 * (int64_t)view->corner_count, sizeof *uv, &uv));
    *out = uv;
    for (int64_t c = 0; c < view->corner_count; ++c) {
        int32_t from = view->corner_texcoords ? view->corner_texcoords[c] : -1;
        if (from < 0) {
            return ly_fail_key(LYRA_BAD_MESH, "uv",
                               "found no texture coordinate at a corner of triangle %d, expected "
                               "one at each, or uv: auto",
                               (int)(c / 3));
        }
        uv[2 * c] = scale * view->texcoords[2 * (int64_t)from];
        uv[2 * c + 1] = scale * view->texcoords[2 * (int64_t)from + 1];
    }
    return LYRA_OK;
}

// a third of each triangle's for its corners
static void share_masses(const LyraCloth *cloth, const Parts *parts, double *masses)
{
    LyraClothView view = lyra_cloth_view(cloth);
    memset(masses, 0, (size_t)view.vertex_count * sizeof *masses);
    for (int32_t t = 0; t < view.triangle_count; ++t) {
        double share = parts->densities[parts->groups[t]] * view.areas[t] / 3;
        for (int c = 0; c < 3; ++c) {
            masses[view.triangles[3 * (int64_t)t + c]] += share;
        }
    }
}

static LyraStatus check_masses(int32_t count, const double *masses)
{
    for (int32_t v = 0; v < count; ++v) {
        if (!(masses[v] > 0)) {
            return ly_fail_key(LYRA_BAD_MESH, "surface",
                               "found vertex %d in no triangle with an area, expected each vertex "
                               "in one",
                               (int)v);
        }
    }
    return LYRA_OK;
}

LyraStatus ly_cloth_make(LyraContext *ctx, const LyraSurface *sheet, const LyraBodyCloth *def,
                         const double factors[4], double *masses, LyraCloth **out)
{
    LyraSurfaceView view = lyra_surface_view(sheet);
    LyraClothDef made = lyra_cloth_def_default();
    LyraCloth *cloth = NULL;
    Parts parts = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(make_fabrics(ctx, &view, def, factors, &parts));
    if (def->uv == LYRA_CLOTH_UV_FILE) {
        LY_TRY_DONE(make_uv(ctx, &view, def->uv_scale, &parts.uv));
    }
    made.vertex_count = view.vertex_count;
    made.triangle_count = view.face_count;
    made.positions = view.positions;
    made.triangles = view.corner_vertices;
    made.uv = parts.uv;
    made.triangle_groups = parts.groups;
    made.group_count = 1 + def->fabric_count;
    made.groups = parts.fabrics;
    made.area = def->area;
    memcpy(made.rest_stretch, def->rest_stretch, sizeof made.rest_stretch);
    made.rest_angles = def->rest_angles;
    made.frozen_bend = def->frozen_bend;
    made.stretch_force = def->stretch_force;
    made.stretch_stiffness = def->stretch_stiffness;
    made.bend_force = def->bend_force;
    made.bend_stiffness = def->bend_stiffness;
    made.symmetric = def->symmetric;
    LY_TRY_DONE(lyra_cloth_create(ctx, &made, &cloth));
    if (masses) {
        share_masses(cloth, &parts, masses);
        ly_sheet_set_mass(view.vertex_count, def->mass, masses);
        LY_TRY_DONE(check_masses(view.vertex_count, masses));
    }
    *out = cloth;
    cloth = NULL;
done:
    lyra_cloth_destroy(cloth);
    release_parts(ctx, &parts);
    return status;
}

// ---- the body -----------------------------------------------------------------------------------

// shows the triangles, of which the body keeps a copy
static LyraStatus show(LyraWorld *world, LyraBodyView *view, const LyBody *body, LySheet *sheet)
{
    LyraSurfaceView own = lyra_surface_view(sheet->surface);
    LY_TRY(lyra_surface_create(world->ctx, &own, (LyraSurface **)&view->sheet));
    return body->def->surface_count ? LYRA_OK : ly_sheet_show(world->ctx, view, sheet);
}

static LyraStatus make(LyraWorld *world, LyraBodyView *view, LyBody *body, LySheet *sheet,
                       double **masses)
{
    static const double ones[4] = {1, 1, 1, 1};
    const LyraBodyCloth *def = body->def->cloth;
    const LySheetSource from = {
        .file = def->file, .surface = def->surface, .generate = def->generate};
    LY_TRY(ly_sheet_make(world, &from, &body->def->transform, true, sheet));
    LyraSurfaceView own = lyra_surface_view(sheet->surface);
    LY_TRY(ly_allocate_array(world->ctx, own.vertex_count, sizeof **masses, masses));
    LY_TRY(
        ly_cloth_make(world->ctx, sheet->surface, def, ones, *masses, (LyraCloth **)&view->cloth));
    LY_TRY(ly_body_set_vertices(world->ctx, view, body, own.vertex_count, own.positions, *masses));
    return show(world, view, body, sheet);
}

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    (void)take; // there is none
    LySheet sheet = {0};
    double *masses = NULL;
    LY_TRY(check_def(body->def));
    LyraStatus status = make(world, view, body, &sheet, &masses);
    ly_sheet_release(world->ctx, &sheet);
    ly_release(world->ctx, masses);
    return ly_within_key(status, "cloth");
}

static bool is_meshless(const LyraBodyDef *def)
{
    (void)def;
    return true;
}

static LyraForce *const *forces(const LyraBodyView *view, int32_t *count)
{
    return lyra_cloth_forces(view->cloth, count);
}

const LyBodyType ly_body_cloth = {
    .name = "cloth", .create = create, .meshless = is_meshless, .forces = forces};

// ---- numbers that are turned --------------------------------------------------------------------

enum { STRETCH, SHEAR, BEND_U, BEND_V };

// the force that bends or stretches a cloth, NULL without
static const LyraForce *find_force(const LyraWorld *world, int32_t body, bool bend)
{
    int32_t count;
    LyraForce *const *own = lyra_cloth_forces(world->views[body].cloth, &count);
    for (int32_t f = 0; f < count; ++f) {
        const LyraForceType *type = lyra_force_type(own[f]);
        if (lyra_force_type_parameter(type, bend ? "bend" : "stretch") >= 0) {
            return own[f];
        }
    }
    return NULL;
}

static double number_of(const LyraClothGroup *fabric, int number)
{
    const double numbers[4] = {fabric->stretch, fabric->shear, fabric->bend_u, fabric->bend_v};
    return numbers[number];
}

// the number of all fabrics, NaN where they differ
static double common(const LyraBodyCloth *def, int number)
{
    double value = number_of(&def->fabric, number);
    for (int32_t f = 0; f < def->fabric_count; ++f) {
        LyraClothGroup fabric = complete(&def->fabrics[f].fabric, &def->fabric);
        value = number_of(&fabric, number) == value ? value : NAN;
    }
    return value;
}

// forces that are left out have no stiffness
static double start_number(const LyraWorld *world, int32_t body, int32_t number)
{
    bool has = world->views[body].cloth && find_force(world, body, number >= BEND_U);
    return has ? common(world->bodies[body].def->cloth, number) : 0;
}

static bool changes_number(const LyraWorld *world, int32_t body, int32_t number)
{
    static const char *const names[] = {"stretch", "shear", "bend", "bend"};
    return ly_world_changes(world, find_force(world, body, number >= BEND_U), names[number]);
}

// as the parameters of a cloth made anew are
static LyraStatus set_force(LyraWorld *world, LyUndo *undo, int32_t body, const LyraCloth *like,
                            bool bend)
{
    static const char *const stretch[] = {"stretch", "shear"}, *const bending[] = {"bend"};
    const LyraForce *own = find_force(world, body, bend);
    int32_t count, group = own ? lyra_model_group_of(world->model, own) : -1;
    LyraForce *const *forces = lyra_cloth_forces(like, &count);
    for (int32_t f = 0; f < count && own; ++f) {
        const char *const *names = bend ? bending : stretch;
        for (int n = 0; n < (bend ? 1 : 2); ++n) {
            int32_t p = lyra_force_type_parameter(lyra_force_type(forces[f]), names[n]);
            LY_TRY(p < 0 ? LYRA_OK : ly_copy_parameter(world, undo, group, forces[f], p, 1));
        }
    }
    return LYRA_OK;
}

static LyraStatus set_number(LyraWorld *world, LyUndo *undo, int32_t body, int32_t number,
                             double factor)
{
    LyraCloth *like = NULL;
    double factors[4];
    memcpy(factors, world->bodies[body].cloth, sizeof factors);
    factors[number] = factor;
    LY_TRY(ly_cloth_make(world->ctx, world->views[body].sheet, world->bodies[body].def->cloth,
                         factors, NULL, &like));
    LyraStatus status = set_force(world, undo, body, like, number >= BEND_U);
    lyra_cloth_destroy(like);
    return status;
}

#define NUMBER(number_unit, which)                                                                 \
    {                                                                                              \
        .name = "stiffness of cloth", .unit = number_unit, .range = 100,                           \
        .factor = offsetof(LyBody, cloth[which]), .number = which, .start = start_number,          \
        .changes = changes_number, .set = set_number                                               \
    }

static const LyScaled numbers[] = {[STRETCH] = NUMBER("N/m", STRETCH),
                                   [SHEAR] = NUMBER("N/m", SHEAR),
                                   [BEND_U] = NUMBER("N m", BEND_U),
                                   [BEND_V] = NUMBER("N m", BEND_V)};
const LyLive ly_live_cloth_stretch = {.scaled = &numbers[STRETCH]};
const LyLive ly_live_cloth_shear = {.scaled = &numbers[SHEAR]};
const LyLive ly_live_cloth_bend_u = {.scaled = &numbers[BEND_U]};
const LyLive ly_live_cloth_bend_v = {.scaled = &numbers[BEND_V]};
