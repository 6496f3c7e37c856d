// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of kind "springs": masses at vertices, springs between them, over the elements of a mesh,
// the quads or the edges of a surface, or a line.

#include "lyra/mesh_ops.h"
#include "world/sheet.h"

#include <math.h>
#include <string.h>

#define DEFAULT_STIFFNESS 100.0

// what is made, step by step
typedef struct Made {
    const LyraBodySprings *def;
    int32_t count;     // of vertices
    double *positions; // [count][3]
    double *masses;    // [count]
    double *stiffness; // of each spring; NULL: by groups
    LySheet sheet;     // over quads and edges
    LySheetSource from;
    bool constant; // the tangent
} Made;

// ---- what has no use ----------------------------------------------------------------------------

static LyraStatus refuse(const LyraBodyDef *def, const char *key, const char *hint)
{
    const char *name = strrchr(key, '.') ? strrchr(key, '.') + 1 : key;
    return ly_fail_key(LYRA_BAD_FORMAT, key, "found %s of a body of %s, expected %s", name,
                       def->kind, hint);
}

static LyraStatus check_def(const LyraBodyDef *def, const LyraBodySprings *springs)
{
    const char *hint =
        def->particles ? "stiffness and damping in particles" : "stiffness and damping in springs";
    const LyraSolidDef *given = &def->material, none = lyra_body_def_default().material;
    bool meshed = springs->over == LYRA_SPRINGS_OVER_ELEMENTS;
    if (strcmp(given->model, none.model) != 0) {
        return refuse(def, "material.model", hint);
    }
    if (given->stiffness != 0 || given->damping != 0) {
        return refuse(def, given->stiffness != 0 ? "material.stiffness" : "material.damping", hint);
    }
    if (given->constant_count > 0) {
        return refuse(def, "material.parameters", hint);
    }
    if (given->plasticity || given->volumetric != none.volumetric) {
        return refuse(def, given->plasticity ? "material.plasticity" : "material.volumetric",
                      "it of solids alone");
    }
    if (!isnan(def->stiffness)) {
        return refuse(def, "stiffness", def->particles ? hint : "structural in springs");
    }
    if (def->viscosity || def->damping.stretch_rate || def->goal || def->fibre) {
        return refuse(def,
                      def->viscosity              ? "viscosity"
                      : def->damping.stretch_rate ? "damping"
                      : def->goal                 ? "goal"
                                                  : "fibre",
                      "it of solids alone");
    }
    if (!meshed && (def->file || def->mesh || def->generate)) {
        return refuse(def, def->generate ? "generate" : "mesh",
                      "it with springs over elements alone");
    }
    if (!meshed && !isnan(def->density)) {
        return refuse(def, "material.density",
                      def->particles ? "surface-density or mass in particles"
                                     : "surface-density or mass in springs");
    }
    if (!meshed && (given->young > 0 || def->region_count > 0)) {
        return refuse(def, given->young > 0 ? "material.young" : "regions",
                      "it with springs over elements alone");
    }
    return LYRA_OK;
}

static LyraStatus make_arrays(LyraContext *ctx, Made *made, int32_t count, const double *positions)
{
    made->count = count;
    LY_TRY(ly_allocate_zeroed(ctx, count, sizeof *made->masses, &made->masses));
    LY_TRY(ly_allocate_zeroed(ctx, 3 * (int64_t)count, sizeof *made->positions, &made->positions));
    if (positions && count > 0) {
        memcpy(made->positions, positions, 3 * (size_t)count * sizeof *positions);
    }
    return LYRA_OK;
}

// ---- elements -----------------------------------------------------------------------------------

static LyraStatus make_elements(LyraWorld *world, const LyraMesh *mesh, Made *made,
                                LyraSprings **out)
{
    LyraContext *ctx = world->ctx;
    LyraMeshView view = lyra_mesh_view(mesh);
    LY_TRY(make_arrays(ctx, made, view.vertex_count, view.positions));
    lyra_mesh_lumped_masses(mesh, NULL, made->masses);
    LY_TRY(lyra_springs_create_from_mesh(ctx, mesh, out));
    if (isnan(made->def->structural) && view.kind == LYRA_ELEMENT_TET4) {
        LY_TRY(ly_allocate_array(ctx, lyra_springs_view(*out).spring_count, sizeof(double),
                                 &made->stiffness));
        return ly_within_key(lyra_springs_modulus_stiffness(*out, mesh, NULL, made->stiffness),
                             "structural");
    }
    return LYRA_OK;
}

// ---- surfaces -----------------------------------------------------------------------------------

static LyraStatus make_quads(LyraContext *ctx, Made *made, LyraSprings **out)
{
    LyraSurfaceView view = lyra_surface_view(made->sheet.surface);
    for (int32_t f = 0; f < view.face_count; ++f) {
        int32_t corners = view.face_begin[f + 1] - view.face_begin[f];
        if (corners != 4) {
            const char *separator, *name = ly_sheet_name(&made->sheet, &separator);
            return ly_fail_key(LYRA_BAD_MESH, "surface",
                               "%s%sface %d has %d corners, expected quads only for springs", name,
                               separator, (int)f + 1, (int)corners);
        }
    }
    lyra_quads_lumped_masses(view.vertex_count, view.positions, view.face_count,
                             view.corner_vertices, made->def->surface_density, made->masses);
    return lyra_springs_create_from_quads(ctx, view.vertex_count, view.positions, view.face_count,
                                          view.corner_vertices, out);
}

static LyraStatus connect(LyraContext *ctx, const Made *made, int32_t count, const int32_t *pairs,
                          LyraSprings **out)
{
    LyraSpringsDef def = lyra_springs_def_default();
    def.vertex_count = made->count;
    def.spring_count = count;
    def.vertices = pairs;
    def.positions = made->positions;
    return lyra_springs_create(ctx, &def, out);
}

static LyraStatus make_edges(LyraContext *ctx, Made *made, LyraSprings **out)
{
    LyraSurfaceView view = lyra_surface_view(made->sheet.surface);
    int32_t count = 0, *pairs = NULL;
    ly_sheet_share_areas(&view, made->def->surface_density, made->masses);
    LY_TRY(ly_allocate_array(ctx, 2 * (int64_t)view.corner_count, sizeof *pairs, &pairs));
    LyraStatus status = ly_sheet_edges(ctx, &view, &count, pairs);
    if (status == LYRA_OK) {
        status = connect(ctx, made, count, pairs, out);
    }
    ly_release(ctx, pairs);
    return status;
}

static LyraStatus make_surface(LyraWorld *world, const LyraBodyDef *body, Made *made,
                               LyraSprings **out)
{
    LY_TRY(ly_sheet_make(world, &made->from, &body->transform, false, &made->sheet));
    LyraSurfaceView view = lyra_surface_view(made->sheet.surface);
    LY_TRY(make_arrays(world->ctx, made, view.vertex_count, view.positions));
    return made->def->over == LYRA_SPRINGS_OVER_QUADS ? make_quads(world->ctx, made, out)
                                                      : make_edges(world->ctx, made, out);
}

// ---- chains -------------------------------------------------------------------------------------

#define CHAIN_MAX 10000000

static LyraStatus make_chain(LyraWorld *world, const LyraBodyDef *body, Made *made,
                             LyraSprings **out)
{
    const LyraBodySprings *def = made->def;
    int32_t count = def->count, *pairs = NULL;
    double A[9], t[3], mass = isnan(def->mass) ? 1 : def->mass;
    bool placed = ly_placement_matrix(&body->transform, A, t);
    if (count > CHAIN_MAX) {
        return ly_fail_key(LYRA_BAD_FORMAT, "count", "found %d, expected a chain of %d at most",
                           (int)count, CHAIN_MAX);
    }
    LY_TRY(make_arrays(world->ctx, made, count, NULL));
    LY_TRY(ly_allocate_array(world->ctx, 2 * ((int64_t)count - 1), sizeof *pairs, &pairs));
    for (int32_t v = 0; v < count; ++v) {
        double s = count == 1 ? 0 : (double)v / (count - 1), x[3];
        double *to = made->positions + 3 * (int64_t)v;
        made->masses[v] = mass / count;
        for (int i = 0; i < 3; ++i) {
            to[i] = x[i] = s == 1 ? def->to[i] : def->from[i] + s * (def->to[i] - def->from[i]);
        }
        for (int i = 0; i < 3 && placed; ++i) {
            to[i] = t[i] + A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
        }
        if (v > 0) {
            pairs[2 * (v - 1)] = v - 1;
            pairs[2 * (v - 1) + 1] = v;
        }
    }
    LyraStatus status = connect(world->ctx, made, count - 1, pairs, out);
    ly_release(world->ctx, pairs);
    return status;
}

// ---- the body -----------------------------------------------------------------------------------

static LyraStatus add_force(LyraWorld *world, const LyraBodyView *view, Made *made,
                            const LyraSprings *springs)
{
    const LyraBodySprings *def = made->def;
    double structural = isnan(def->structural) ? DEFAULT_STIFFNESS : def->structural;
    double shear = isnan(def->shear) ? structural : def->shear;
    // of elements: edges, diagonals of faces, of bodies; of quads: edges, diagonals, past a vertex
    bool quads = def->over == LYRA_SPRINGS_OVER_QUADS;
    const double groups[3] = {structural, shear, quads ? def->bend : shear};
    LyraMassSpringDef force = lyra_mass_spring_def_default();
    LyraForce *made_force = NULL;
    force.group_stiffness = groups;
    force.spring_stiffness = made->stiffness;
    force.damping = def->damping;
    force.damping_kind = def->damping == 0 ? LYRA_SPRING_UNDAMPED
                         : def->full       ? LYRA_SPRING_DAMPING_FULL
                                           : LYRA_SPRING_DAMPING_ALONG;
    force.symmetric = true;
    force.constant = made->constant;
    LY_TRY(lyra_mass_spring_create(world->ctx, springs, &force, &made_force));
    return ly_world_own_force(world, world->body_count, view->name, made_force);
}

// force, vertices and what is shown
static LyraStatus finish(LyraWorld *world, LyraBodyView *view, LyBody *body, Made *made)
{
    LY_TRY(add_force(world, view, made, body->springs));
    LY_TRY(
        ly_body_set_vertices(world->ctx, view, body, made->count, made->positions, made->masses));
    return made->sheet.surface && !body->def->surface_count
               ? ly_sheet_show(world->ctx, view, &made->sheet)
               : LYRA_OK;
}

static LyraStatus make(LyraWorld *world, LyraBodyView *view, LyBody *body, Made *made)
{
    const LyraBodySprings *def = made->def;
    switch (def->over) {
    case LYRA_SPRINGS_OVER_ELEMENTS:
        LY_TRY(make_elements(world, view->mesh, made, &body->springs));
        break;
    case LYRA_SPRINGS_OVER_CHAIN:
        LY_TRY(make_chain(world, body->def, made, &body->springs));
        break;
    default:
        LY_TRY(make_surface(world, body->def, made, &body->springs));
        break;
    }
    ly_sheet_set_mass(made->count, def->mass, made->masses);
    return finish(world, view, body, made);
}

static const LyraBodySprings *springs_of(const LyraBodyDef *def, LyraBodySprings *defaults)
{
    *defaults = lyra_body_springs_default();
    return def->springs ? def->springs : defaults;
}

static void release(LyraContext *ctx, Made *made)
{
    ly_sheet_release(ctx, &made->sheet);
    ly_release(ctx, made->stiffness);
    ly_release(ctx, made->positions);
    ly_release(ctx, made->masses);
}

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    LyraBodySprings defaults;
    Made made = {.def = springs_of(body->def, &defaults)};
    made.from = (LySheetSource){.file = made.def->file, .surface = made.def->surface};
    view->mesh = take;
    LY_TRY(check_def(body->def, made.def));
    LyraStatus status = make(world, view, body, &made);
    release(world->ctx, &made);
    return ly_within_key(status, "springs");
}

static bool is_meshless(const LyraBodyDef *def)
{
    return def->springs && def->springs->over != LYRA_SPRINGS_OVER_ELEMENTS;
}

const LyBodyType ly_body_springs = {.name = "springs", .create = create, .meshless = is_meshless};

// ---- particles ----------------------------------------------------------------------------------

static bool has_quads_only(const LyraSurfaceView *view)
{
    bool quads = true;
    for (int32_t f = 0; f < view->face_count; ++f) {
        quads &= view->face_begin[f + 1] - view->face_begin[f] == 4;
    }
    return quads;
}

// springs over quads, or over edges of anything else
static LyraStatus make_particles(LyraWorld *world, const LyraBodyDef *def, Made *made,
                                 LyraBodySprings *springs, LyraSprings **out)
{
    LY_TRY(ly_sheet_make(world, &made->from, &def->transform, false, &made->sheet));
    LyraSurfaceView view = lyra_surface_view(made->sheet.surface);
    LY_TRY(make_arrays(world->ctx, made, view.vertex_count, view.positions));
    if (has_quads_only(&view)) {
        springs->over = LYRA_SPRINGS_OVER_QUADS;
        return make_quads(world->ctx, made, out);
    }
    if (def->particles->shear > 0 || def->particles->bend > 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, def->particles->shear > 0 ? "shear" : "bend",
                           "found it over faces that are not all quads, expected stiffness alone");
    }
    return make_edges(world->ctx, made, out);
}

static LyraStatus fill_particles(LyraWorld *world, LyraBodyView *view, LyBody *body, Made *made,
                                 LyraBodySprings *springs)
{
    LY_TRY(make_particles(world, body->def, made, springs, &body->springs));
    ly_sheet_set_mass(made->count, springs->mass, made->masses);
    return finish(world, view, body, made);
}

static LyraStatus create_particles(LyraWorld *world, LyraMesh *take, LyraBodyView *view,
                                   LyBody *body)
{
    (void)take; // there is none
    const LyraBodyParticles *def = body->def->particles;
    LyraBodySprings springs = lyra_body_springs_default();
    Made made = {.def = &springs, .constant = true};
    if (!def) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "found a body of particles without particles, expected the key with its "
                       "surface");
    }
    springs.over = LYRA_SPRINGS_OVER_EDGES;
    springs.structural = def->stiffness;
    springs.shear = def->shear;
    springs.bend = def->bend;
    springs.damping = def->damping;
    springs.full = true;
    springs.surface_density = def->surface_density;
    springs.mass = def->mass;
    made.from =
        (LySheetSource){.file = def->file, .surface = def->surface, .generate = def->generate};
    LY_TRY(check_def(body->def, &springs));
    LyraStatus status = fill_particles(world, view, body, &made, &springs);
    release(world->ctx, &made);
    return ly_within_key(status, "particles");
}

static bool is_always_meshless(const LyraBodyDef *def)
{
    (void)def;
    return true;
}

const LyBodyType ly_body_particle_cloth = {
    .name = "particles", .create = create_particles, .meshless = is_always_meshless};
