// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies that are rods.

#include "base/file.h"
#include "lyra/lines.h"
#include "math/vec3.h"
#include "world/parameters.h"
#include "world/rod.h"
#include "world/sheet.h"

#include <math.h>
#include <string.h>

// what is made, step by step
typedef struct Made {
    const LyraBodyRod *def;
    LyraLines *lines;  // placed
    double *positions; // of them
    char *path;        // of their file. Nullable
    LyraRodSection *sections;
    double *radii; // of edges, as they are shown
} Made;

LyraBodyRod lyra_body_rod_default(void)
{
    return (LyraBodyRod){.radius = 0.005,
                         .width = 0.01,
                         .height = 0.002,
                         .young = 1e7,
                         .poisson = 0.3,
                         .density = 1000,
                         .stretch = NAN,
                         .bend = NAN,
                         .bend_across = NAN,
                         .twist = NAN,
                         .line_density = NAN,
                         .inertia = NAN,
                         .mass = NAN,
                         .sides = 8};
}

// ---- what has no use ----------------------------------------------------------------------------

static LyraStatus check_def(const LyraBodyDef *def)
{
    const LyraBodyDef none = lyra_body_def_default();
    const struct {
        const char *key;
        bool given;
    } others[] = {{"mesh", def->file || def->mesh},
                  {"generate", def->generate},
                  {"material", strcmp(def->material.model, none.material.model) != 0 ||
                                   def->material.young > 0 || !isnan(def->density)},
                  {"regions", def->region_count > 0},
                  {"stiffness", !isnan(def->stiffness)},
                  {"viscosity", def->viscosity},
                  {"damping", def->damping.stretch_rate},
                  {"goal", def->goal},
                  {"fibre", def->fibre},
                  {"springs", def->springs},
                  {"strain-limit", def->strain_limit},
                  {"surfaces", def->surface_count > 0}};
    for (int k = 0; k < LY_COUNT_OF(others); ++k) {
        if (others[k].given) {
            return ly_fail_key(LYRA_BAD_FORMAT, others[k].key,
                               "found %s of a body of rod, expected all of it in rod",
                               others[k].key);
        }
    }
    return def->rod ? LYRA_OK
                    : ly_fail(LYRA_BAD_FORMAT,
                              "found a body of rod without rod, expected the key with its lines");
}

static LyraStatus check_rod(const LyraBodyRod *def)
{
    if (def->section == LYRA_ROD_CIRCLE && !(def->inner_radius < def->radius)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "inner-radius",
                           "found %g, expected less than the radius of %g", def->inner_radius,
                           def->radius);
    }
    if (def->rope &&
        (def->normal || def->curvature[0] != 0 || def->curvature[1] != 0 || def->turn != 0)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "rope",
                           "found a rope with directors or natural strains, expected it without: a "
                           "rope is straight by nature and free to turn");
    }
    return def->normal ? ly_check_direction("normal", def->normal) : LYRA_OK;
}

// ---- lines --------------------------------------------------------------------------------------

static LyraStatus load_lines(const LyraWorld *world, Made *made)
{
    const LyraBodyRod *def = made->def;
    int count = (def->file != NULL) + (def->lines != NULL) + (def->generate != NULL);
    if (count != 1) {
        return ly_fail_key(LYRA_BAD_FORMAT, "lines",
                           "found %s, expected either lines or generate in a rod",
                           count ? "several" : "none");
    }
    if (def->generate) {
        return ly_within_key(lyra_lines_generate(world->ctx, def->generate, &made->lines),
                             "generate");
    }
    if (def->lines) {
        LyraLinesView view = lyra_lines_view(def->lines);
        return lyra_lines_create(world->ctx, &view, &made->lines);
    }
    LY_TRY(ly_world_path(world, def->file, &made->path));
    return ly_within_key(lyra_lines_load(world->ctx, made->path, &made->lines), "lines");
}

static LyraStatus place_lines(const LyraWorld *world, const LyraPlacement *place, Made *made)
{
    LyraLinesView view = lyra_lines_view(made->lines);
    double A[9], t[3];
    int64_t count = view.vertex_count;
    bool moved = ly_placement_matrix(place, A, t);
    if (view.edge_count == 0) {
        return ly_fail_key(LYRA_BAD_MESH, "lines", "found no edges, expected some");
    }
    LY_TRY(ly_allocate_array(world->ctx, 3 * count, sizeof(double), &made->positions));
    for (int64_t v = 0; v < count; ++v) {
        const double *x = view.positions + 3 * v;
        for (int i = 0; i < 3; ++i) {
            made->positions[3 * v + i] =
                moved ? t[i] + A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2] : x[i];
        }
    }
    return LYRA_OK;
}

// ---- sections -----------------------------------------------------------------------------------

static double unless_given(double value, double fallback)
{
    return isnan(value) ? fallback : value;
}

static LyraRodSection make_section(const LyraBodyRod *def, double radius)
{
    // a tube of another radius has a bore of the same share
    LyraRodSection section =
        def->section == LYRA_ROD_CIRCLE
            ? lyra_rod_section_circle(def->young, def->poisson, def->density, radius,
                                      def->inner_radius / def->radius * radius)
            : lyra_rod_section_rectangle(def->young, def->poisson, def->density, def->width,
                                         def->height);
    section.stretch = unless_given(def->stretch, section.stretch);
    section.bend[0] = unless_given(def->bend, section.bend[0]);
    section.bend[1] = unless_given(def->bend_across, unless_given(def->bend, section.bend[1]));
    section.twist = unless_given(def->twist, section.twist);
    section.line_density = unless_given(def->line_density, section.line_density);
    section.inertia = unless_given(def->inertia, section.inertia);
    return section;
}

// one for all edges, or for each where the lines have radii; all scaled to the mass that is wanted
static LyraStatus make_sections(const LyraWorld *world, Made *made, int32_t *count)
{
    const LyraBodyRod *def = made->def;
    LyraLinesView view = lyra_lines_view(made->lines);
    double shown = def->section == LYRA_ROD_CIRCLE
                       ? def->radius
                       : 0.5 * sqrt(4 * def->width * def->height / 3.14159265358979323846);
    double mass = 0;
    *count = view.radii ? view.edge_count : 1;
    LY_TRY(ly_allocate_array(world->ctx, *count, sizeof *made->sections, &made->sections));
    LY_TRY(ly_allocate_array(world->ctx, view.edge_count, sizeof *made->radii, &made->radii));
    for (int32_t e = 0; e < view.edge_count; ++e) {
        made->radii[e] = view.radii ? view.radii[e] : shown;
        if (e < *count) {
            made->sections[e] = make_section(def, view.radii ? view.radii[e] : def->radius);
        }
        const double *a = made->positions + 3 * (int64_t)view.edges[2 * (int64_t)e];
        const double *b = made->positions + 3 * (int64_t)view.edges[2 * (int64_t)e + 1];
        double length = hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
        mass += length * made->sections[*count == 1 ? 0 : e].line_density;
    }
    for (int32_t s = 0; s < *count && !isnan(def->mass); ++s) {
        made->sections[s].line_density *= def->mass / mass;
        made->sections[s].inertia *= def->mass / mass;
    }
    return LYRA_OK;
}

// ---- the body -----------------------------------------------------------------------------------

static LyraStatus make_rod(LyraWorld *world, LyraBodyView *view, Made *made)
{
    const LyraBodyRod *def = made->def;
    LyraLinesView lines = lyra_lines_view(made->lines);
    LyraRodDef rod = lyra_rod_def_default();
    LY_TRY(make_sections(world, made, &rod.section_count));
    rod.vertex_count = lines.vertex_count;
    rod.positions = made->positions;
    rod.edge_count = lines.edge_count;
    rod.edges = lines.edges;
    rod.sections = made->sections;
    rod.twists = !def->rope;
    rod.normal = def->normal;
    rod.straight = def->straight;
    memcpy(rod.curvature, def->curvature, sizeof rod.curvature);
    rod.turn = def->turn;
    rod.damping = def->damping;
    return lyra_rod_create(world->ctx, &rod, (LyraRod **)&view->rod);
}

static LyraStatus show(LyraWorld *world, LyraBodyView *view, Made *made)
{
    LyraContext *ctx = world->ctx;
    LyraShownSurface *shown = NULL;
    LyraLinesView lines = lyra_lines_view(made->lines);
    lines.positions = made->positions;
    lines.radii = made->radii;
    if (made->def->sides == 0) {
        return LYRA_OK;
    }
    if (made->def->sides < 3) {
        return ly_fail_key(LYRA_BAD_FORMAT, "sides", "found %d, expected 0 for none, or 3 and more",
                           (int)made->def->sides);
    }
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *shown, &shown));
    view->surfaces = shown;
    view->surface_count = 1;
    LY_TRY(ly_string_copy(ctx, "tube", 4, (char **)&shown->name));
    return lyra_embedding_create_tube(ctx, &lines, made->def->sides,
                                      (LyraSurface **)&shown->surface,
                                      (LyraEmbedding **)&shown->embedding);
}

static LyraStatus make(LyraWorld *world, LyraBodyView *view, LyBody *body, Made *made)
{
    LY_TRY(check_rod(made->def));
    LY_TRY(load_lines(world, made));
    LY_TRY(place_lines(world, &body->def->transform, made));
    LY_TRY(make_rod(world, view, made));
    LyraRodView rod = lyra_rod_view(view->rod);
    LY_TRY(
        ly_body_set_vertices(world->ctx, view, body, rod.vertex_count, rod.positions, rod.masses));
    LY_TRY(ly_body_set_scalars(world->ctx, view, body, rod.node_count - rod.vertex_count,
                               rod.positions + 3 * (int64_t)rod.vertex_count,
                               rod.masses + rod.vertex_count));
    return show(world, view, made);
}

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    (void)take; // there is none
    LY_TRY(check_def(body->def));
    Made made = {.def = body->def->rod};
    LyraStatus status = make(world, view, body, &made);
    lyra_lines_destroy(made.lines);
    ly_release(world->ctx, made.positions);
    ly_release(world->ctx, made.path);
    ly_release(world->ctx, made.sections);
    ly_release(world->ctx, made.radii);
    return ly_within_key(status, "rod");
}

static bool is_meshless(const LyraBodyDef *def)
{
    (void)def;
    return true;
}

static LyraForce *const *forces(const LyraBodyView *view, int32_t *count)
{
    return lyra_rod_forces(view->rod, count);
}

const LyBodyType ly_body_rod = {
    .name = "rod", .create = create, .meshless = is_meshless, .forces = forces};

// ---- start --------------------------------------------------------------------------------------

static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// number of the group of joints; -1: none
static int32_t find_joints(const LyraWorld *world, const LyraBodyView *view)
{
    int32_t count;
    LyraForce *const *own = lyra_rod_forces(view->rod, &count);
    for (int32_t f = 0; f < count; ++f) {
        if (lyra_force_type(own[f])->history_count > 0) {
            return lyra_model_group_of(world->model, own[f]);
        }
    }
    return -1;
}

// The frames of a rod that is turned at the start go along: parallel transport from rest to there
// would leave other angles at each edge.
static LyraStatus turn_frames(LyraWorld *world, const LyraBodyView *view, const LyraTurn *turn)
{
    int32_t group = find_joints(world, view);
    int64_t count = lyra_rod_view(view->rod).joint_count;
    double *values = NULL, half = 0.5 * turn->angle;
    double length = sqrt(ly_dot3(turn->axis, turn->axis)), s = sin(half) / length;
    const double by[4] = {cos(half), s * turn->axis[0], s * turn->axis[1], s * turn->axis[2]};
    LyraStatus status = LYRA_OK;
    if (group < 0) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_array(world->ctx, 4 * count, sizeof *values, &values));
    for (int32_t edge = 0; edge < 2; ++edge) {
        for (int32_t i = 0; i < 4; ++i) {
            LY_TRY_DONE(lyra_model_read_history(world->model, group, world->state, 4 * edge + i,
                                                values + i * count));
        }
        for (int64_t j = 0; j < count; ++j) {
            const double q[4] = {values[j], values[count + j], values[2 * count + j],
                                 values[3 * count + j]};
            double turned[4];
            multiply(by, q, turned);
            for (int i = 0; i < 4; ++i) {
                values[i * count + j] = turned[i];
            }
        }
        for (int32_t i = 0; i < 4; ++i) {
            LY_TRY_DONE(lyra_model_write_history(world->model, group, world->state, 4 * edge + i,
                                                 values + i * count));
        }
    }
done:
    ly_release(world->ctx, values);
    return status;
}

LyraStatus ly_world_start_rods(LyraWorld *world)
{
    for (int32_t b = 0; b < world->body_count; ++b) {
        const LyraTurn *turn = &world->bodies[b].def->start.rotate;
        if (world->views[b].rod && turn->angle != 0) {
            LY_TRY(turn_frames(world, &world->views[b], turn));
        }
    }
    return LYRA_OK;
}

// ---- angles that are held -----------------------------------------------------------------------

LyraStatus ly_world_find_angles(LyraWorld *world, int32_t count, const int32_t *vertices,
                                LyAngles *out)
{
    bool *held = NULL;
    int32_t edges = 0;
    for (int32_t b = 0; b < world->body_count; ++b) {
        edges += world->views[b].scalar_count;
    }
    LY_TRY(ly_arena_allocate(world->arena, edges, sizeof *out->nodes, &out->nodes));
    LY_TRY(ly_arena_allocate(world->arena, edges, sizeof *out->scales, &out->scales));
    LY_TRY(ly_allocate_zeroed(world->ctx, world->vertex_count, sizeof *held, &held));
    for (int32_t v = 0; v < count; ++v) {
        held[vertices[v]] = true;
    }
    out->count = 0;
    for (int32_t b = 0; b < world->body_count; ++b) {
        const LyraBodyView *view = &world->views[b];
        LyraRodView rod = view->rod ? lyra_rod_view(view->rod) : (LyraRodView){0};
        for (int64_t e = 0; rod.twists && e < rod.edge_count; ++e) {
            if (held[view->first_vertex + rod.edges[2 * e]] &&
                held[view->first_vertex + rod.edges[2 * e + 1]]) {
                out->nodes[out->count] = view->first_vertex + rod.vertex_count + (int32_t)e;
                out->scales[out->count++] = rod.scale;
            }
        }
    }
    ly_release(world->ctx, held);
    return out->count > 0
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, "twist",
                             "found no edge of a rod with both ends among the vertices, expected "
                             "one at least");
}

// ---- damping, while the world runs --------------------------------------------------------------

static double start_damping(const LyraWorld *world, int32_t body, int32_t number)
{
    (void)number;
    return world->views[body].rod ? world->bodies[body].def->rod->damping : 0;
}

// of stretch, which is one of springs, and of bending and twist
static LyraStatus set_damping(LyraWorld *world, LyUndo *undo, int32_t body, int32_t number,
                              double factor)
{
    (void)number;
    int32_t count;
    LyraForce *const *own = forces(&world->views[body], &count);
    for (int32_t f = 0; f < count; ++f) {
        int32_t p = lyra_force_type_parameter(lyra_force_type(own[f]), "damping");
        int32_t group = lyra_model_group_of(world->model, own[f]);
        LY_TRY(p < 0 ? LYRA_OK : ly_copy_parameter(world, undo, group, own[f], p, factor));
    }
    return LYRA_OK;
}

static const LyScaled damping = {.name = "damping",
                                 .unit = "s",
                                 .range = 100,
                                 .factor = offsetof(LyBody, rod_damping),
                                 .start = start_damping,
                                 .set = set_damping};
const LyLive ly_live_rod_damping = {.scaled = &damping};

// ---- measures -----------------------------------------------------------------------------------

LyraStatus lyra_world_rod_measure(LyraWorld *world, int32_t body, const LyraRodMeasures *out)
{
    LYRA_ASSERT(world && out);
    if (body < 0 || body >= world->body_count || !world->views[body].rod) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "body %d is no rod", (int)body);
    }
    LY_TRY(lyra_world_prepare(world));
    const LyraBodyView *view = &world->views[body];
    int32_t group = find_joints(world, view);
    int64_t count = lyra_rod_view(view->rod).joint_count;
    double *strains = NULL, *column = NULL;
    LyraStatus status = LYRA_OK;
    if (group >= 0) {
        LY_TRY_DONE(ly_allocate_array(world->ctx, 3 * count, sizeof *strains, &strains));
        LY_TRY_DONE(ly_allocate_array(world->ctx, count, sizeof *column, &column));
        for (int32_t s = 0; s < 3; ++s) {
            LY_TRY_DONE(lyra_model_read_history(world->model, group, world->state, 9 + s, column));
            for (int64_t j = 0; j < count; ++j) {
                strains[3 * j + s] = column[j];
            }
        }
    }
    lyra_rod_measure(view->rod, lyra_world_positions(world, body, NULL), strains, out);
done:
    ly_release(world->ctx, strains);
    ly_release(world->ctx, column);
    return status;
}
