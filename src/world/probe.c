// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Probes: what is watched of a world. Selections are found when a probe is added; what evaluating
// needs is made when it is first read.

#include "world/probe.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// points of a body: vertices, then points that are weights on four vertices each
typedef struct Points {
    int32_t count, weighted;
    const int32_t *vertices; // [count], then [weighted][4]
    const double *weights;   // [weighted][4]
} Points;

struct LyProbe {
    LyraProbeDef def; // name on the arena; selectors are gone
    Points points, to;
    int32_t triangle_count;
    const int32_t *triangles; // of the model, [triangle_count][3]
    double sign;              // of the volume that the triangles wind around
    int32_t body;             // of elements
    int32_t tie, obstacle;
    int32_t element_count;
    int32_t *elements;
    double *rest_volumes; // [element_count]
    LyraFields *fields;
    double *scratch;      // of all vertices or elements
    LyraVector *reaction; // of the model
};

#define FORGETS LYRA_MEMORY_COUNT

static const struct {
    const char *name, *unit;
    bool vector, of_elements;
    LyraProbeReduce reduce;
    LyraMemory memory; // of elements
    bool density;      // whether that is per volume at rest
} quantities[LYRA_PROBE_QUANTITY_COUNT] = {
    [LYRA_PROBE_DISPLACEMENT] = {"displacement", "m", true, false, LYRA_PROBE_MEAN, FORGETS, false},
    [LYRA_PROBE_POSITION] = {"position", "m", true, false, LYRA_PROBE_MEAN, FORGETS, false},
    [LYRA_PROBE_VELOCITY] = {"velocity", "m/s", true, false, LYRA_PROBE_MEAN, FORGETS, false},
    [LYRA_PROBE_REACTION] = {"reaction", "N", true, false, LYRA_PROBE_SUM, FORGETS, false},
    [LYRA_PROBE_FORCE] = {"force", "N", true, false, LYRA_PROBE_SUM, FORGETS, false},
    [LYRA_PROBE_STRESS] = {"stress", "Pa", false, true, LYRA_PROBE_MAX, FORGETS, false},
    [LYRA_PROBE_ENERGY] = {"energy", "J", false, true, LYRA_PROBE_SUM, FORGETS, true},
    [LYRA_PROBE_DISTANCE] = {"distance", "m", false, false, LYRA_PROBE_MEAN, FORGETS, false},
    [LYRA_PROBE_VOLUME] = {"volume", "m^3", false, false, LYRA_PROBE_SUM, FORGETS, false},
    [LYRA_PROBE_PLASTIC_STRAIN] = {"plastic-strain", "1", false, true, LYRA_PROBE_MAX,
                                   LYRA_MEMORY_PLASTIC_STRAIN, false},
    [LYRA_PROBE_GOAL_DISTANCE] = {"goal-distance", "1", false, true, LYRA_PROBE_MAX,
                                  LYRA_MEMORY_GOAL_DISTANCE, false},
    [LYRA_PROBE_PLASTIC_LOSS] = {"plastic-loss", "J", false, true, LYRA_PROBE_SUM,
                                 LYRA_MEMORY_PLASTIC_LOSS, true},
    [LYRA_PROBE_VISCOUS_LOSS] = {"viscous-loss", "J", false, true, LYRA_PROBE_SUM,
                                 LYRA_MEMORY_VISCOUS_LOSS, true},
    [LYRA_PROBE_TIE_FORCE] = {"tie-force", "N", true, false, LYRA_PROBE_SUM, FORGETS, false},
    [LYRA_PROBE_TIE_GAP] = {"tie-gap", "m", false, false, LYRA_PROBE_MAX, FORGETS, false},
    [LYRA_PROBE_OBSTACLE_FORCE] = {"obstacle-force", "N", true, false, LYRA_PROBE_SUM, FORGETS,
                                   false},
    [LYRA_PROBE_OBSTACLE_GAP] = {"obstacle-gap", "m", false, false, LYRA_PROBE_MIN, FORGETS, false},
    [LYRA_PROBE_CURVATURE] = {"curvature", "1/m", false, false, LYRA_PROBE_MAX, FORGETS, false},
    [LYRA_PROBE_BENDING_MOMENT] = {"bending-moment", "N m", false, false, LYRA_PROBE_MAX, FORGETS,
                                   false},
    [LYRA_PROBE_TWIST] = {"twist", "rad/m", false, false, LYRA_PROBE_MAX, FORGETS, false},
    [LYRA_PROBE_TORQUE] = {"torque", "N m", false, false, LYRA_PROBE_MAX, FORGETS, false},
    [LYRA_PROBE_TENSION] = {"tension", "N", false, false, LYRA_PROBE_MAX, FORGETS, false},
};

static const char *const reduce_names[LYRA_PROBE_REDUCE_COUNT] = {"auto", "mean", "sum",
                                                                  "max",  "min",  "point"};

static const char *const component_names[LYRA_PROBE_COMPONENT_COUNT] = {"whole", "x", "y", "z",
                                                                        "length"};

LyraProbeDef lyra_probe_def_default(void)
{
    return (LyraProbeDef){.cookie = LY_DEF_COOKIE};
}

const char *lyra_probe_quantity_name(LyraProbeQuantity quantity)
{
    LYRA_ASSERT(quantity >= 0 && quantity < LYRA_PROBE_QUANTITY_COUNT);
    return quantities[quantity].name;
}

const char *lyra_probe_reduce_name(LyraProbeReduce reduce)
{
    LYRA_ASSERT(reduce >= 0 && reduce < LYRA_PROBE_REDUCE_COUNT);
    return reduce_names[reduce];
}

const char *lyra_probe_component_name(LyraProbeComponent component)
{
    LYRA_ASSERT(component >= 0 && component < LYRA_PROBE_COMPONENT_COUNT);
    return component_names[component];
}

// ---- settings -----------------------------------------------------------------------------------

static int32_t find_probe(const LyraWorld *world, const char *name)
{
    for (int32_t p = 0; p < world->probe_count; ++p) {
        if (strcmp(world->probes[p]->def.name, name) == 0) {
            return p;
        }
    }
    return -1;
}

static LyraStatus check_name(const LyraWorld *world, const char *name)
{
    bool good = name[0] && strlen(name) < 64;
    for (const char *c = name; *c && good; ++c) {
        good = isalnum((unsigned char)*c) || *c == '-' || *c == '_';
    }
    if (!good) {
        return ly_fail_key(LYRA_BAD_FORMAT, "name",
                           "found \"%.80s\", expected up to 63 letters, digits, '-' and '_'", name);
    }
    return find_probe(world, name) < 0
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, "name",
                             "found a second probe called \"%s\", expected names to differ", name);
}

static bool is_of_tie(LyraProbeQuantity quantity)
{
    return quantity == LYRA_PROBE_TIE_FORCE || quantity == LYRA_PROBE_TIE_GAP;
}

static bool is_of_obstacle(LyraProbeQuantity quantity)
{
    return quantity == LYRA_PROBE_OBSTACLE_FORCE || quantity == LYRA_PROBE_OBSTACLE_GAP;
}

// `what`, a tie or an obstacle, is named where it is asked for and nowhere else, and alone
static LyraStatus check_named(const LyraProbeDef *def, const char *what, const char *name,
                              bool asked)
{
    const char *quantity = quantities[def->quantity].name;
    if ((name != NULL) != asked) {
        return name ? ly_fail_key(LYRA_BAD_FORMAT, what,
                                  "found one with quantity %s, expected it with %s-force and "
                                  "%s-gap only",
                                  quantity, what, what)
                    : ly_fail_key(LYRA_BAD_FORMAT, what,
                                  "found none with quantity %s, expected the name of %s %s",
                                  quantity, what[0] == 'o' ? "an" : "a", what);
    }
    if (name && (def->body || def->select)) {
        const char *key = def->body ? "body" : "select";
        return ly_fail_key(LYRA_BAD_FORMAT, key, "found it with quantity %s, expected %s alone",
                           quantity, what);
    }
    return LYRA_OK;
}

static LyraStatus check_def(const LyraProbeDef *def)
{
    if (def->quantity < 0 || def->quantity >= LYRA_PROBE_QUANTITY_COUNT) {
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "quantity", "found %d, expected 0 to %d",
                           (int)def->quantity, LYRA_PROBE_QUANTITY_COUNT - 1);
    }
    if (def->reduce < 0 || def->reduce >= LYRA_PROBE_REDUCE_COUNT) {
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "reduce", "found %d, expected 0 to %d",
                           (int)def->reduce, LYRA_PROBE_REDUCE_COUNT - 1);
    }
    if (def->component < 0 || def->component >= LYRA_PROBE_COMPONENT_COUNT) {
        return ly_fail_key(LYRA_INVALID_ARGUMENT, "component", "found %d, expected 0 to %d",
                           (int)def->component, LYRA_PROBE_COMPONENT_COUNT - 1);
    }
    const char *quantity = quantities[def->quantity].name;
    bool whole = def->quantity == LYRA_PROBE_DISTANCE || def->quantity == LYRA_PROBE_VOLUME ||
                 is_of_tie(def->quantity) || is_of_obstacle(def->quantity);
    LY_TRY(check_named(def, "tie", def->tie, is_of_tie(def->quantity)));
    LY_TRY(check_named(def, "obstacle", def->obstacle, is_of_obstacle(def->quantity)));
    if (def->component != LYRA_PROBE_WHOLE && !quantities[def->quantity].vector) {
        return ly_fail_key(LYRA_BAD_FORMAT, "component",
                           "found \"%s\", expected none, as %s is a single number",
                           component_names[def->component], quantity);
    }
    if (def->reduce != LYRA_PROBE_AUTO && whole) {
        return ly_fail_key(LYRA_BAD_FORMAT, "reduce",
                           "found \"%s\", expected none, as %s is a single number",
                           reduce_names[def->reduce], quantity);
    }
    if ((def->to != NULL) != (def->quantity == LYRA_PROBE_DISTANCE)) {
        return ly_fail_key(LYRA_BAD_FORMAT, "to", "found %s with quantity %s, expected %s",
                           def->to ? "one" : "none", quantity,
                           def->to ? "it with distance only" : "the other end of the distance");
    }
    return LYRA_OK;
}

// ---- selections ---------------------------------------------------------------------------------

static LyraStatus find_points(LyraWorld *world, const char *body, const LyraSelector *select,
                              Points *out)
{
    LySelection found;
    int32_t *own = NULL, *vertices = NULL;
    double *weights = NULL;
    LY_TRY(ly_select_vertices(world, body, select, &found));
    *out = (Points){found.count, found.point_count, found.vertices, NULL};
    if (found.point_count == 0) {
        return LYRA_OK;
    }
    int64_t total = found.count + 4 * (int64_t)found.point_count;
    LY_TRY(ly_world_point_weights(world, found.point_count, found.points, &own, &weights));
    LY_TRY(ly_arena_allocate(world->arena, total, sizeof *vertices, &vertices));
    if (found.count > 0) {
        memcpy(vertices, found.vertices, (size_t)found.count * sizeof *vertices);
    }
    memcpy(vertices + found.count, own, 4 * (size_t)found.point_count * sizeof *vertices);
    out->vertices = vertices;
    out->weights = weights;
    return LYRA_OK;
}

// forces on affine bodies are those on all of their particles
static LyraStatus find_pushed(LyraWorld *world, const LyraProbeDef *def, const LyraSelector *select,
                              Points *out)
{
    *out = (Points){0};
    return ly_select_whole(world, def->body, select, &out->count, &out->vertices);
}

// Six times the volume that triangles wind around, by the corners' positions: from a corner of
// theirs, so that it keeps its digits far from the origin.
static double wind(int32_t count, const int32_t *triangles, const double *X, const double *u)
{
    double sum = 0;
    for (int32_t t = 0; t < count; ++t) {
        double e[3][3];
        for (int a = 0; a < 3; ++a) {
            int64_t at = 3 * (int64_t)triangles[3 * (int64_t)t + a], from = 3 * (int64_t)*triangles;
            for (int i = 0; i < 3; ++i) {
                e[a][i] = X[at + i] - X[from + i] + (u ? u[at + i] - u[from + i] : 0);
            }
        }
        sum += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
               e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return sum;
}

static int compare_edges(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// each edge must be passed as often in one direction as in the other
static LyraStatus check_closed(LyraWorld *world, int32_t count, const int32_t *triangles)
{
    int32_t(*edges)[3] = NULL; // lower end, higher end, direction
    LY_TRY(ly_allocate_array(world->ctx, 3 * (int64_t)count, sizeof *edges, &edges));
    for (int64_t e = 0; e < 3 * (int64_t)count; ++e) {
        int32_t a = triangles[e], b = triangles[e - e % 3 + (e + 1) % 3];
        edges[e][0] = a < b ? a : b;
        edges[e][1] = a < b ? b : a;
        edges[e][2] = a < b ? 1 : -1;
    }
    qsort(edges, 3 * (size_t)count, sizeof *edges, compare_edges);
    int32_t open = 0, sum = 0;
    for (int64_t e = 0; e < 3 * (int64_t)count; ++e) {
        sum += edges[e][2];
        if (e + 1 == 3 * (int64_t)count || compare_edges(edges[e], edges[e + 1]) != 0) {
            open += sum != 0;
            sum = 0;
        }
    }
    ly_release(world->ctx, edges);
    return open == 0 ? LYRA_OK
                     : ly_fail_key(LYRA_BAD_FORMAT, "select",
                                   "found %d faces with %d open edges, expected faces that close "
                                   "around a volume",
                                   count, open);
}

static LyraStatus find_faces(LyraWorld *world, const LyraProbeDef *def, const LyraSelector *select,
                             LyProbe *probe)
{
    double *X = NULL;
    LY_TRY(
        ly_select_triangles(world, def->body, select, &probe->triangle_count, &probe->triangles));
    LY_TRY(check_closed(world, probe->triangle_count, probe->triangles));
    LY_TRY(ly_allocate_array(world->ctx, 3 * (int64_t)world->vertex_count, sizeof *X, &X));
    for (int32_t b = 0; b < world->body_count; ++b) {
        memcpy(X + 3 * (int64_t)world->views[b].first_vertex, world->bodies[b].positions,
               3 * (size_t)ly_body_nodes(&world->views[b]) * sizeof *X);
    }
    // faces look out of the material, so those of a cavity wind the other way
    probe->sign = wind(probe->triangle_count, probe->triangles, X, NULL) < 0 ? -1 : 1;
    ly_release(world->ctx, X);
    return LYRA_OK;
}

// the body that a quantity is of
static LyraStatus find_body(LyraWorld *world, const LyraProbeDef *def, int32_t *body)
{
    int32_t end;
    LY_TRY(ly_select_bodies(world, def->body, body, &end));
    return end - *body == 1
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, "body",
                             "found none beside quantity %s, expected the name of one of %d bodies",
                             quantities[def->quantity].name, end - *body);
}

static LyraStatus find_elements(LyraWorld *world, const LyraProbeDef *def,
                                const LyraSelector *select, LyProbe *probe)
{
    int32_t first;
    LY_TRY(find_body(world, def, &first));
    const LyraMesh *mesh = world->views[first].mesh;
    if (!mesh) {
        return ly_fail_key(LYRA_BAD_FORMAT, "body",
                           "found \"%.60s\" of kind %s, expected a body with elements, as quantity "
                           "is %s",
                           world->views[first].name, world->views[first].kind,
                           quantities[def->quantity].name);
    }
    probe->body = first;
    return ly_select_elements(world, mesh, select, &probe->element_count, &probe->elements);
}

static bool is_of_rod(LyraProbeQuantity quantity)
{
    return quantity >= LYRA_PROBE_CURVATURE && quantity <= LYRA_PROBE_TENSION;
}

// vertices of a rod; of tension edges with both ends among them
static LyraStatus find_rod(LyraWorld *world, const LyraProbeDef *def, const LyraSelector *select,
                           LyProbe *probe)
{
    LySelection found;
    bool *chosen = NULL;
    LY_TRY(find_body(world, def, &probe->body));
    const LyraBodyView *body = &world->views[probe->body];
    if (!body->rod) {
        return ly_fail_key(LYRA_BAD_FORMAT, "body",
                           "found \"%.60s\" of kind %s, expected a rod, as quantity is %s",
                           body->name, body->kind, quantities[def->quantity].name);
    }
    LyraRodView rod = lyra_rod_view(body->rod);
    bool edges = def->quantity == LYRA_PROBE_TENSION;
    LY_TRY(ly_select_vertices(world, def->body, select, &found));
    LY_TRY(ly_arena_allocate(world->arena, edges ? rod.edge_count : found.count,
                             sizeof *probe->elements, &probe->elements));
    for (int32_t i = 0; i < found.count && !edges; ++i) {
        probe->elements[probe->element_count++] = found.vertices[i] - body->first_vertex;
    }
    if (!edges) {
        return LYRA_OK;
    }
    LY_TRY(ly_allocate_zeroed(world->ctx, rod.vertex_count, sizeof *chosen, &chosen));
    for (int32_t i = 0; i < found.count; ++i) {
        chosen[found.vertices[i] - body->first_vertex] = true;
    }
    for (int32_t e = 0; e < rod.edge_count; ++e) {
        if (chosen[rod.edges[2 * (int64_t)e]] && chosen[rod.edges[2 * (int64_t)e + 1]]) {
            probe->elements[probe->element_count++] = e;
        }
    }
    ly_release(world->ctx, chosen);
    return probe->element_count > 0
               ? LYRA_OK
               : ly_fail_key(LYRA_BAD_FORMAT, "select",
                             "found no edge with both ends in it, expected one at least");
}

static LyraStatus find_selection(LyraWorld *world, const LyraProbeDef *def, LyProbe *probe)
{
    LyraSelector all = lyra_selector_default();
    if (def->quantity == LYRA_PROBE_VOLUME) {
        all.surface = LYRA_SELECT_SURFACE;
    } else {
        all.all = true;
    }
    const LyraSelector *select = def->select ? def->select : &all;
    if (quantities[def->quantity].of_elements) {
        return find_elements(world, def, select, probe);
    }
    if (is_of_rod(def->quantity)) {
        return find_rod(world, def, select, probe);
    }
    switch (def->quantity) {
    case LYRA_PROBE_TIE_FORCE:
    case LYRA_PROBE_TIE_GAP:
        probe->tie = lyra_world_find_tie(world, def->tie);
        return probe->tie >= 0
                   ? LYRA_OK
                   : ly_fail_key(LYRA_BAD_FORMAT, "tie",
                                 "found \"%.60s\", expected the name of a tie", def->tie);
    case LYRA_PROBE_OBSTACLE_FORCE:
    case LYRA_PROBE_OBSTACLE_GAP:
        probe->obstacle = lyra_world_find_obstacle(world, def->obstacle);
        return probe->obstacle >= 0
                   ? LYRA_OK
                   : ly_fail_key(LYRA_BAD_FORMAT, "obstacle",
                                 "found \"%.60s\", expected the name of an obstacle",
                                 def->obstacle);
    case LYRA_PROBE_REACTION:
    case LYRA_PROBE_FORCE:
        return find_pushed(world, def, select, &probe->points);
    case LYRA_PROBE_VOLUME:
        return find_faces(world, def, select, probe);
    case LYRA_PROBE_DISTANCE:
        LY_TRY(
            ly_within_key(find_points(world, def->to->body, &def->to->select, &probe->to), "to"));
        return find_points(world, def->body, select, &probe->points);
    default:
        return find_points(world, def->body, select, &probe->points);
    }
}

static LyraStatus check_single(const LyProbe *probe)
{
    int64_t count = (int64_t)probe->points.count + probe->points.weighted + probe->element_count;
    if (probe->def.reduce != LYRA_PROBE_POINT || count == 1) {
        return LYRA_OK;
    }
    return ly_fail_key(LYRA_BAD_FORMAT, "select",
                       "found %lld in the selection, expected one, as reduce is point",
                       (long long)count);
}

// ---- life ---------------------------------------------------------------------------------------

static void end_probe(LyraContext *ctx, LyProbe *probe)
{
    if (!probe) {
        return;
    }
    lyra_fields_destroy(probe->fields);
    lyra_vector_destroy(probe->reaction);
    ly_release(ctx, probe->scratch);
    ly_release(ctx, probe->rest_volumes);
    ly_release(ctx, probe);
}

void ly_world_end_probes(LyraWorld *world)
{
    for (int32_t p = 0; p < world->probe_count; ++p) {
        end_probe(world->ctx, world->probes[p]);
    }
    ly_release(world->ctx, world->probes);
    world->probes = NULL;
    world->probe_count = 0;
}

LyraStatus lyra_world_add_probe(LyraWorld *world, const LyraProbeDef *def, int32_t *index)
{
    LYRA_ASSERT(world && def);
    LyraStatus status = LYRA_OK;
    LyProbe *probe = NULL;
    char number[32], *name = NULL;
    LY_CHECK_DEF(def, "lyra_probe_def_default");
    int32_t free_number = world->probe_count;
    do {
        snprintf(number, sizeof number, "probe%d", (int)++free_number);
    } while (find_probe(world, number) >= 0);
    const char *given = def->name ? def->name : number;
    LY_TRY(check_name(world, given));
    LY_TRY(check_def(def));
    if (world->body_count == 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "body", "found no bodies, expected some to watch");
    }
    LY_TRY(ly_arena_allocate(world->arena, (int64_t)strlen(given) + 1, 1, &name));
    memcpy(name, given, strlen(given) + 1);
    LY_TRY(ly_resize_array(world->ctx, world->probe_count + 1, sizeof(LyProbe *), &world->probes));
    LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *probe, &probe));
    probe->def = *def;
    probe->def.name = name;
    if (def->reduce == LYRA_PROBE_AUTO) {
        probe->def.reduce = quantities[def->quantity].reduce;
    }
    LY_TRY_DONE(find_selection(world, def, probe));
    LY_TRY_DONE(check_single(probe));
    probe->def.body = NULL;
    probe->def.select = NULL;
    probe->def.to = NULL;
    probe->def.tie = probe->def.obstacle = NULL;
    if (index) {
        *index = world->probe_count;
    }
    world->probes[world->probe_count++] = probe;
    probe = NULL;
done:
    end_probe(world->ctx, probe);
    return status;
}

int32_t lyra_world_probe_count(const LyraWorld *world)
{
    LYRA_ASSERT(world);
    return world->probe_count;
}

// ---- points -------------------------------------------------------------------------------------

// value of point `i` from those of the vertices of the model
static void value_at(const Points *points, int32_t i, const double *values, double out[3])
{
    if (i < points->count) {
        memcpy(out, values + 3 * (int64_t)points->vertices[i], 3 * sizeof *out);
        return;
    }
    int64_t at = 4 * (int64_t)(i - points->count);
    out[0] = out[1] = out[2] = 0;
    for (int a = 0; a < 4; ++a) {
        const double *value = values + 3 * (int64_t)points->vertices[points->count + at + a];
        for (int c = 0; c < 3; ++c) {
            out[c] += points->weights[at + a] * value[c];
        }
    }
}

// what is compared of a vector
static double size_of(const double value[3], LyraProbeComponent component)
{
    return component >= LYRA_PROBE_X && component <= LYRA_PROBE_Z
               ? value[component - LYRA_PROBE_X]
               : hypot(hypot(value[0], value[1]), value[2]);
}

static bool is_extreme(LyraProbeReduce reduce)
{
    return reduce == LYRA_PROBE_MAX || reduce == LYRA_PROBE_MIN;
}

// whether all three components are shown
static bool is_whole(const LyraProbeDef *def)
{
    return quantities[def->quantity].vector && def->component == LYRA_PROBE_WHOLE &&
           !is_extreme(def->reduce);
}

// the mean or the sum of `values` at points; `base`: added to each, [vertices][3]. Nullable
static void add_up(const Points *points, const double *values, const double *base, bool mean,
                   double out[3])
{
    int32_t count = points->count + points->weighted;
    out[0] = out[1] = out[2] = 0;
    for (int32_t i = 0; i < count; ++i) {
        double value[3], from[3] = {0};
        value_at(points, i, values, value);
        if (base) {
            value_at(points, i, base, from);
        }
        for (int c = 0; c < 3; ++c) {
            out[c] += value[c] + from[c];
        }
    }
    for (int c = 0; c < 3 && mean; ++c) {
        out[c] /= count;
    }
}

static double find_extreme(const Points *points, const LyraProbeDef *def, const double *values,
                           const double *base)
{
    double best = NAN;
    for (int32_t i = 0; i < points->count + points->weighted; ++i) {
        double value[3], from[3] = {0};
        value_at(points, i, values, value);
        if (base) {
            value_at(points, i, base, from);
        }
        for (int c = 0; c < 3; ++c) {
            value[c] += from[c];
        }
        double size = size_of(value, def->component);
        best = def->reduce == LYRA_PROBE_MAX ? fmax(best, size) : fmin(best, size);
    }
    return best;
}

static void reduce_points(const LyProbe *probe, const double *values, const double *base,
                          LyraProbeView *out)
{
    const LyraProbeDef *def = &probe->def;
    if (is_extreme(def->reduce)) {
        out->values[0] = find_extreme(&probe->points, def, values, base);
        return;
    }
    double value[3];
    add_up(&probe->points, values, base, def->reduce == LYRA_PROBE_MEAN, value);
    if (out->count == 3) {
        memcpy(out->values, value, sizeof value);
    } else {
        out->values[0] = size_of(value, def->component);
    }
}

// ---- quantities ---------------------------------------------------------------------------------

static LyraStatus read_reaction(LyraWorld *world, LyProbe *probe, LyraProbeView *out)
{
    if (!probe->reaction) {
        LY_TRY(lyra_vector_create(world->ctx, lyra_system_size(world->system), &probe->reaction));
    }
    LY_TRY(lyra_integrator_reaction(world->integrator, world->state, probe->reaction));
    reduce_points(probe, lyra_vector_values(probe->reaction), NULL, out);
    return LYRA_OK;
}

static LyraStatus read_force(LyraWorld *world, LyProbe *probe, LyraProbeView *out)
{
    if (!probe->scratch) {
        LY_TRY(ly_allocate_array(world->ctx, 3 * (int64_t)world->vertex_count,
                                 sizeof *probe->scratch, &probe->scratch));
    }
    LY_TRY(lyra_world_loads(world, probe->scratch, NULL));
    reduce_points(probe, probe->scratch, NULL, out);
    return LYRA_OK;
}

static LyraStatus read_tie(LyraWorld *world, const LyProbe *probe, LyraProbeView *out)
{
    double force[3];
    if (probe->def.quantity == LYRA_PROBE_TIE_GAP) {
        return lyra_world_tie_gap(world, probe->tie, &out->values[0]);
    }
    LY_TRY(lyra_world_tie_force(world, probe->tie, force));
    if (out->count == 3) {
        memcpy(out->values, force, sizeof force);
    } else {
        out->values[0] = size_of(force, probe->def.component);
    }
    return LYRA_OK;
}

static LyraStatus read_obstacle(LyraWorld *world, const LyProbe *probe, LyraProbeView *out)
{
    LyraObstacleReport report;
    LY_TRY(lyra_world_obstacle(world, probe->obstacle, &report));
    if (probe->def.quantity == LYRA_PROBE_OBSTACLE_GAP) {
        out->values[0] = report.min_gap;
    } else if (out->count == 3) {
        memcpy(out->values, report.reaction, sizeof report.reaction);
    } else {
        out->values[0] = size_of(report.reaction, probe->def.component);
    }
    return LYRA_OK;
}

static LyraStatus make_fields(LyraWorld *world, LyProbe *probe)
{
    const LyraBodyView *body = &world->views[probe->body];
    int64_t elements = lyra_mesh_view(body->mesh).element_count;
    LyraFields *fields = NULL;
    if (!probe->scratch) {
        LY_TRY(ly_allocate_array(world->ctx, elements, sizeof *probe->scratch, &probe->scratch));
    }
    if (!probe->rest_volumes) {
        LY_TRY(ly_allocate_array(world->ctx, elements, sizeof *probe->rest_volumes,
                                 &probe->rest_volumes));
        lyra_mesh_element_volumes(body->mesh, probe->rest_volumes);
    }
    LY_TRY(lyra_fields_create(world->ctx, world->model, body->mesh, body->first_vertex, &fields));
    LyraMemory memory = quantities[probe->def.quantity].memory;
    bool has = memory == FORGETS ? lyra_fields_have_stress(fields)
                                 : lyra_fields_have_memory(fields, memory);
    if (!has) {
        lyra_fields_destroy(fields);
        return ly_fail(LYRA_UNSUPPORTED, "probe \"%s\": body \"%s\" has no elements with a %s",
                       probe->def.name, body->name, quantities[probe->def.quantity].name);
    }
    probe->fields = fields;
    return LYRA_OK;
}

// the numbers in scratch of all that is selected. `factors`: Nullable: 1.
static void reduce_elements(const LyProbe *probe, const double *factors, LyraProbeView *out)
{
    LyraProbeReduce reduce = probe->def.reduce;
    double sum = 0, most = NAN, least = NAN;
    for (int32_t i = 0; i < probe->element_count; ++i) {
        int32_t e = probe->elements[i];
        double value = probe->scratch[e] * (factors ? factors[e] : 1);
        sum += value;
        most = fmax(most, value);
        least = fmin(least, value);
    }
    out->values[0] = reduce == LYRA_PROBE_MAX    ? most
                     : reduce == LYRA_PROBE_MIN  ? least
                     : reduce == LYRA_PROBE_MEAN ? sum / probe->element_count
                                                 : sum;
}

static LyraStatus read_elements(LyraWorld *world, LyProbe *probe, LyraProbeView *out)
{
    bool energy = probe->def.quantity == LYRA_PROBE_ENERGY;
    bool density = quantities[probe->def.quantity].density;
    LyraMemory memory = quantities[probe->def.quantity].memory;
    LY_TRY(probe->fields ? LYRA_OK : make_fields(world, probe));
    const LyraElementFields fields = {.energy_density = energy ? probe->scratch : NULL,
                                      .von_mises = energy ? NULL : probe->scratch};
    LY_TRY(memory == FORGETS
               ? lyra_fields_evaluate(probe->fields, world->state, &fields)
               : lyra_fields_read_memory(probe->fields, memory, world->state, probe->scratch));
    reduce_elements(probe, density ? probe->rest_volumes : NULL, out);
    return LYRA_OK;
}

static LyraStatus read_rod(LyraWorld *world, LyProbe *probe, LyraProbeView *out)
{
    LyraRodView rod = lyra_rod_view(world->views[probe->body].rod);
    int64_t count = rod.vertex_count > rod.edge_count ? rod.vertex_count : rod.edge_count;
    LyraRodMeasures measures = {0};
    double **const fields[] = {&measures.curvature, &measures.moment, &measures.twist,
                               &measures.torque, &measures.tension};
    if (!probe->scratch) {
        LY_TRY(ly_allocate_array(world->ctx, count, sizeof *probe->scratch, &probe->scratch));
    }
    *fields[probe->def.quantity - LYRA_PROBE_CURVATURE] = probe->scratch;
    LY_TRY(lyra_world_rod_measure(world, probe->body, &measures));
    reduce_elements(probe, NULL, out);
    return LYRA_OK;
}

LyraStatus lyra_world_probe(LyraWorld *world, int32_t index, LyraProbeView *out)
{
    LYRA_ASSERT(world && out);
    if (index < 0 || index >= world->probe_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "probe %d of a world that has %d", index,
                       world->probe_count);
    }
    LY_TRY(lyra_world_prepare(world));
    LyProbe *probe = world->probes[index];
    LyraStateView state = lyra_state_view(world->state);
    const double *u = lyra_vector_values(state.u), *X = lyra_model_view(world->model).positions;
    *out = (LyraProbeView){.name = probe->def.name,
                           .unit = quantities[probe->def.quantity].unit,
                           .count = is_whole(&probe->def) ? 3 : 1};
    switch (probe->def.quantity) {
    case LYRA_PROBE_DISPLACEMENT:
        reduce_points(probe, u, NULL, out);
        return LYRA_OK;
    case LYRA_PROBE_POSITION:
        reduce_points(probe, u, X, out);
        return LYRA_OK;
    case LYRA_PROBE_VELOCITY:
        reduce_points(probe, lyra_vector_values(state.v), NULL, out);
        return LYRA_OK;
    case LYRA_PROBE_TIE_FORCE:
    case LYRA_PROBE_TIE_GAP:
        return read_tie(world, probe, out);
    case LYRA_PROBE_OBSTACLE_FORCE:
    case LYRA_PROBE_OBSTACLE_GAP:
        return read_obstacle(world, probe, out);
    case LYRA_PROBE_REACTION:
        return read_reaction(world, probe, out);
    case LYRA_PROBE_FORCE:
        return read_force(world, probe, out);
    case LYRA_PROBE_DISTANCE: {
        double a[3], b[3];
        add_up(&probe->points, u, X, true, a);
        add_up(&probe->to, u, X, true, b);
        out->values[0] = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        return LYRA_OK;
    }
    case LYRA_PROBE_VOLUME:
        out->values[0] = probe->sign * wind(probe->triangle_count, probe->triangles, X, u) / 6;
        return LYRA_OK;
    case LYRA_PROBE_CURVATURE:
    case LYRA_PROBE_BENDING_MOMENT:
    case LYRA_PROBE_TWIST:
    case LYRA_PROBE_TORQUE:
    case LYRA_PROBE_TENSION:
        return read_rod(world, probe, out);
    default:
        return read_elements(world, probe, out);
    }
}
