// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits of strain of bodies: an energy beside their forces, or a projection of positions where a
// step of the world ends. A projection that moves vertices by dx makes their velocities v + dx/h,
// as if the step had led there, and turns the body's velocities by w x r so that its angular
// momentum is what it was, unless something holds it:
//
//   I w = L - L',   L = sum of m r x v,   I = sum of m (|r|^2 1 - r r^T),   r from the centre.
//
// dx has no sum weighed by mass, so momentum and centre stay by themselves. What a method remembers
// of the steps before is of another path, and is forgotten.

#include "integrate/integrate.h"
#include "lyra/strain_limit.h"
#include "math/vec3.h"
#include "model/state.h"
#include "world/sheet.h"

#include <math.h>
#include <string.h>

struct LyStrainLimit {
    LyraContext *ctx;
    LyraCloth *own;             // triangles of a body that is no cloth. Nullable
    double *positions, *before; // [vertex_count][3]
    double *mobility;           // [vertex_count][9]
};

void ly_strain_limit_destroy(LyStrainLimit *limit)
{
    if (limit) {
        lyra_cloth_destroy(limit->own);
        ly_release(limit->ctx, limit->positions);
        ly_release(limit->ctx, limit->before);
        ly_release(limit->ctx, limit->mobility);
        ly_release(limit->ctx, limit);
    }
}

// the triangles of a body of faces, without forces
static LyraStatus make_triangles(LyraContext *ctx, const LyraSurface *faces, LyraCloth **out)
{
    LyraSurface *cut = NULL;
    LyraClothDef def = lyra_cloth_def_default();
    LY_TRY(lyra_surface_triangulate(faces, &cut));
    LyraSurfaceView view = lyra_surface_view(cut);
    def.vertex_count = view.vertex_count;
    def.triangle_count = view.face_count;
    def.positions = view.positions;
    def.triangles = view.corner_vertices;
    def.stretch_force = def.stretch_stiffness = def.bend_force = def.bend_stiffness = false;
    LyraStatus status = lyra_cloth_create(ctx, &def, out);
    lyra_surface_destroy(cut);
    return status;
}

static LyraStatus add_energy(LyraWorld *world, const LyraBodyView *view,
                             const LyraBodyStrainLimit *def, const LyraCloth *cloth)
{
    LyraStrainLimitDef made = lyra_strain_limit_def_default();
    LyraForce *force = NULL;
    made.low = def->low;
    made.high = def->high;
    made.stiffness = def->stiffness;
    LY_TRY(lyra_strain_limit_create(cloth, &made, &force));
    return ly_world_own_force(world, world->body_count, view->name, force);
}

static LyraStatus add_projection(LyraContext *ctx, int32_t vertex_count, LyStrainLimit *limit)
{
    int64_t count = vertex_count;
    LY_TRY(ly_allocate_array(ctx, 3 * count, sizeof(double), &limit->positions));
    LY_TRY(ly_allocate_array(ctx, 3 * count, sizeof(double), &limit->before));
    return ly_allocate_array(ctx, 9 * count, sizeof(double), &limit->mobility);
}

LyraStatus ly_body_limit_strain(LyraWorld *world, const LyraBodyView *view, LyBody *body)
{
    const LyraBodyStrainLimit *def = body->def->strain_limit;
    if (!def) {
        return LYRA_OK;
    }
    if (def->low > def->high) {
        return ly_fail_key(LYRA_BAD_FORMAT, "low", "found %g above high %g, expected it below",
                           def->low, def->high);
    }
    const LyraSurface *faces = ly_body_faces(view);
    if (!faces) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "found %s body \"%.60s\", expected a body that is made of faces and shows "
                       "them",
                       view->kind, view->name);
    }
    LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *body->limit, &body->limit));
    body->limit->ctx = world->ctx;
    if (!view->cloth) {
        LY_TRY(make_triangles(world->ctx, faces, &body->limit->own));
    }
    const LyraCloth *cloth = view->cloth ? view->cloth : body->limit->own;
    return def->project ? add_projection(world->ctx, view->vertex_count, body->limit)
                        : add_energy(world, view, def, cloth);
}

// ---- projecting ---------------------------------------------------------------------------------

static bool projects(const LyBody *body)
{
    return body->def->strain_limit && body->def->strain_limit->project;
}

bool ly_world_projects(const LyraWorld *world)
{
    bool any = false;
    for (int32_t b = 0; b < world->body_count; ++b) {
        any |= projects(&world->bodies[b]);
    }
    return any;
}

LyraStatus ly_world_check_projections(const LyraWorld *world, const LyraIntegrator *integrator)
{
    return ly_world_projects(world) && strcmp(integrator->def.name, "static") == 0
               ? ly_fail(
                     LYRA_UNSUPPORTED,
                     "found integrator \"static\" with strain limits by projection, which leave "
                     "no equilibrium, expected another, or by: energy")
               : LYRA_OK;
}

// what may move of a body: 1/m (1 - sum of n n^T); whether anything of it is held
static bool find_mobility(const LyraWorld *world, const LyraBodyView *body, double *mobility)
{
    LyraConstraintsView held = lyra_constraints_view(lyra_model_constraints(world->model));
    const double *masses = lyra_model_view(world->model).masses + body->first_vertex;
    bool any = false;
    memset(mobility, 0, 9 * (size_t)body->vertex_count * sizeof *mobility);
    for (int32_t v = 0; v < body->vertex_count; ++v) {
        for (int i = 0; i < 3; ++i) {
            mobility[9 * (int64_t)v + 4 * i] = masses[v] > 0 ? 1 / masses[v] : 0;
        }
    }
    for (int32_t k = 0; k < held.count; ++k) {
        int32_t v = held.vertex[k] - body->first_vertex;
        const double *n = held.direction + 3 * (int64_t)k;
        for (int e = 0; e < 9 && v >= 0 && v < body->vertex_count; ++e) {
            any = true;
            mobility[9 * (int64_t)v + e] -= masses[v] > 0 ? n[e / 3] * n[e % 3] / masses[v] : 0;
        }
    }
    return any;
}

// sum of m x over sum of m
static void find_centre(int32_t count, const double *masses, const double *x, double centre[3])
{
    double mass = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (int32_t v = 0; v < count; ++v) {
        mass += masses[v];
        for (int i = 0; i < 3; ++i) {
            centre[i] += masses[v] * x[3 * (int64_t)v + i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        centre[i] /= mass;
    }
}

static void find_spin(int32_t count, const double *masses, const double *x, const double *v,
                      const double centre[3], double spin[3])
{
    spin[0] = spin[1] = spin[2] = 0;
    for (int32_t k = 0; k < count; ++k) {
        double r[3], moment[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = x[3 * (int64_t)k + i] - centre[i];
        }
        ly_cross3(r, v + 3 * (int64_t)k, moment);
        for (int i = 0; i < 3; ++i) {
            spin[i] += masses[k] * moment[i];
        }
    }
}

// turns velocities so that they have the angular momentum `spin` about the centre
static void set_spin(int32_t count, const double *masses, const double *x, const double spin[3],
                     double *v)
{
    double centre[3], now[3], inertia[9] = {0}, w[3];
    find_centre(count, masses, x, centre);
    find_spin(count, masses, x, v, centre, now);
    for (int32_t k = 0; k < count; ++k) {
        double r[3], square;
        for (int i = 0; i < 3; ++i) {
            r[i] = x[3 * (int64_t)k + i] - centre[i];
        }
        square = ly_dot3(r, r);
        for (int e = 0; e < 9; ++e) {
            inertia[e] += masses[k] * ((e % 4 == 0 ? square : 0) - r[e / 3] * r[e % 3]);
        }
    }
    // by Cramer's rule; a body on a line has no moment that it could not have
    double columns[3][3], cross[3], missing[3];
    for (int e = 0; e < 9; ++e) {
        columns[e % 3][e / 3] = inertia[e];
    }
    for (int i = 0; i < 3; ++i) {
        missing[i] = spin[i] - now[i];
    }
    ly_cross3(columns[1], columns[2], cross);
    double det = ly_dot3(columns[0], cross);
    double size = inertia[0] + inertia[4] + inertia[8];
    if (!(det > 1e-12 * size * size * size)) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        ly_cross3(columns[(i + 1) % 3], columns[(i + 2) % 3], cross);
        w[i] = ly_dot3(missing, cross) / det;
    }
    for (int32_t k = 0; k < count; ++k) {
        double r[3], turn[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = x[3 * (int64_t)k + i] - centre[i];
        }
        ly_cross3(w, r, turn);
        for (int i = 0; i < 3; ++i) {
            v[3 * (int64_t)k + i] += turn[i];
        }
    }
}

// one body; u and v of the whole model. Whether something moved.
static bool project_body(const LyraWorld *world, int32_t b, double *u, double *v)
{
    const LyraBodyView *view = &world->views[b];
    const LyBody *body = &world->bodies[b];
    const LyraBodyStrainLimit *def = body->def->strain_limit;
    const LyStrainLimit *limit = body->limit;
    int32_t count = view->vertex_count;
    int64_t size = 3 * (int64_t)count;
    double *x = limit->positions, centre[3], spin[3];
    const double *masses = lyra_model_view(world->model).masses + view->first_vertex;
    bool held = find_mobility(world, view, limit->mobility);
    u += 3 * (int64_t)view->first_vertex;
    v += 3 * (int64_t)view->first_vertex;
    for (int64_t i = 0; i < size; ++i) {
        x[i] = limit->before[i] = body->positions[i] + u[i];
    }
    const LyraStrainProjection projection = {.low = def->low,
                                             .high = def->high,
                                             .passes = def->passes,
                                             .tolerance = def->tolerance,
                                             .mobility = limit->mobility};
    if (lyra_cloth_limit_strain(limit->own ? limit->own : view->cloth, &projection, x).passes ==
        0) {
        return false;
    }
    find_centre(count, masses, limit->before, centre);
    find_spin(count, masses, limit->before, v, centre, spin);
    for (int64_t i = 0; i < size; ++i) {
        double move = x[i] - limit->before[i];
        u[i] += move;
        v[i] += move / world->dt;
    }
    if (!held) {
        set_spin(count, masses, x, spin, v);
    }
    return true;
}

// where motion is bounded: what a projection begins from
static LyraStatus keep_begin(LyraWorld *world, const LyraStateView *view)
{
    for (int k = 0; k < 3; ++k) {
        if (!world->projected[k]) {
            LY_TRY(lyra_system_vector_create(world->system, lyra_vector_size(view->u),
                                             &world->projected[k]));
        }
    }
    lyra_vector_copy(view->u, world->projected[0]);
    lyra_vector_copy(view->v, world->projected[1]);
    return LYRA_OK;
}

// takes back what a projection moved beyond the bound
static LyraStatus heed_bound(LyraWorld *world, const LyraStateView *view)
{
    LyraVector *const *from = world->projected, *way = world->projected[2];
    double part = 1;
    lyra_vector_sum(-1, from[0], view->u, way);
    LY_TRY(lyra_system_step_bound(world->system, from[0], way, &part));
    if (part < 1) {
        part *= 1 - 0x1p-20; // rounding does not pass it
        lyra_vector_axpby(1 - part, from[0], part, view->u);
        lyra_vector_axpby(1 - part, from[1], part, view->v);
    }
    return LYRA_OK;
}

LyraStatus ly_world_project(LyraWorld *world, LyraState *state, LyraStepReport *report)
{
    LyraStateView view = lyra_state_view(state);
    bool moved = false;
    if (!ly_world_projects(world)) {
        return LYRA_OK;
    }
    bool bounded = lyra_system_is_bounded(world->system);
    LY_TRY(bounded ? keep_begin(world, &view) : LYRA_OK);
    double *u = lyra_vector_values_mutable(view.u), *v = lyra_vector_values_mutable(view.v);
    for (int32_t b = 0; b < world->body_count; ++b) {
        moved |= projects(&world->bodies[b]) && project_body(world, b, u, v);
    }
    if (!moved) {
        return LYRA_OK;
    }
    LyraEnergies energies;
    LY_TRY(bounded ? heed_bound(world, &view) : LYRA_OK);
    ly_state_outdate(state);
    LY_TRY(ly_world_energies_of(world, state, &energies));
    // what is taken away is lost by the method
    report->numerical += report->kinetic + report->elastic - energies.kinetic - energies.elastic;
    report->kinetic = energies.kinetic;
    report->elastic = energies.elastic;
    return LYRA_OK;
}
