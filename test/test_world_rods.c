// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rods where it gets hard: other units, numbers and places, free flight, long runs, steps that
// fail, rings, junctions, single segments, rods on solids, and what probes see of them.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/// A rod in units of `length` m, `mass` kg and `time` s, at `origin`.
typedef struct Units {
    double length, mass, time;
    double origin[3];
} Units;

static const Units SI = {1, 1, 1, {0, 0, 0}};

static LyraWorld *make_world(LyraContext *ctx, const Units *units, double gravity,
                             const char *solver)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    def.gravity[1] = lyra_curve_constant(-gravity * units->length / (units->time * units->time));
    def.integrator.newton.policy = LYRA_NEWTON_FULL;
    def.integrator.name = "backward-euler";
    def.solver.name = solver;
    def.time.dt = 0.01 * units->time;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    return world;
}

// a rod through points, [count][3], along `edges`; `order`: the numbers they get
static void add_rod(LyraWorld *world, const Units *units, const double *points, int32_t count,
                    const int32_t *edges, int32_t edge_count, const int32_t *order)
{
    double *positions = malloc(3 * (size_t)count * sizeof *positions);
    int32_t *ends = malloc(2 * (size_t)edge_count * sizeof *ends);
    LyraLines *lines = NULL;
    LyraBodyRod rod = lyra_body_rod_default();
    LyraBodyDef body = lyra_body_def_default();
    double length = units->length, force = units->mass * length / (units->time * units->time);
    for (int32_t v = 0; v < count; ++v) {
        for (int i = 0; i < 3; ++i) {
            positions[3 * (order ? order[v] : v) + i] =
                units->origin[i] + length * points[3 * v + i];
        }
    }
    for (int32_t e = 0; e < 2 * edge_count; ++e) {
        ends[e] = order ? order[edges[e]] : edges[e];
    }
    LyraLinesView view = {
        .vertex_count = count, .positions = positions, .edge_count = edge_count, .edges = ends};
    TEST_OK(lyra_lines_create(lyra_world_context(world), &view, &lines));
    rod.lines = lines;
    rod.section = LYRA_ROD_RECTANGLE;
    rod.width = 0.02 * length;
    rod.height = 0.005 * length;
    rod.young = 1e7 * force / (length * length);
    rod.density = 1000 * units->mass / (length * length * length);
    rod.damping = 0.002 * units->time;
    body.kind = "rod";
    body.rod = &rod;
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    lyra_lines_destroy(lines);
    free(positions);
    free(ends);
}

enum { POINTS = 31 };

// a bow out of a plane
static void make_bow(double points[3 * POINTS], int32_t edges[2 * (POINTS - 1)])
{
    for (int32_t v = 0; v < POINTS; ++v) {
        double s = 2.0 * v / (POINTS - 1);
        points[3 * v] = sin(s);
        points[3 * v + 1] = 0.2 * s * s;
        points[3 * v + 2] = 1 - cos(1.3 * s);
    }
    for (int32_t e = 0; e < POINTS - 1; ++e) {
        edges[2 * e] = e;
        edges[2 * e + 1] = e + 1;
    }
}

static void hold(LyraWorld *world, int32_t a, int32_t b)
{
    const int32_t vertices[2] = {a, b};
    LyraCurve still = lyra_curve_constant(0);
    LyraConstraintDef def = lyra_constraint_def_default();
    def.body = "body1";
    def.select.vertices = vertices;
    def.select.vertex_count = 2;
    def.twist = &still;
    TEST_OK(lyra_world_add_constraint(world, &def));
}

static void take_steps(LyraWorld *world, int count)
{
    for (int k = 0; k < count; ++k) {
        if (!TEST_OK(lyra_world_step(world, NULL))) {
            return;
        }
    }
}

// displacements, in m, of a bow that falls about its clamp, by the numbers of its points
static void swing(LyraContext *ctx, const Units *units, const int32_t *order, const char *solver,
                  double out[3 * POINTS])
{
    double points[3 * POINTS];
    int32_t edges[2 * (POINTS - 1)];
    make_bow(points, edges);
    LyraWorld *world = make_world(ctx, units, 9.81, solver);
    add_rod(world, units, points, POINTS, edges, POINTS - 1, order);
    hold(world, order ? order[0] : 0, order ? order[1] : 1);
    take_steps(world, 20);
    const double *x = lyra_world_positions(world, 0, NULL);
    for (int32_t i = 0; i < 3 * POINTS; ++i) {
        int32_t v = order ? order[i / 3] : i / 3;
        out[i] = (x[3 * v + i % 3] - units->origin[i % 3]) / units->length - points[i];
    }
    lyra_world_destroy(world);
}

static double difference(const double *a, const double *b)
{
    double most = 0;
    for (int32_t i = 0; i < 3 * POINTS; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

LYRA_TEST(rods_move_alike_in_any_units_numbers_and_places)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const Units others[] = {{1e3, 1, 1, {0, 0, 0}},
                            {1e-3, 1e-6, 1, {0, 0, 0}},
                            {1e2, 1e3, 1e-3, {0, 0, 0}},
                            {1, 1, 1, {1e4, -2e4, 5e3}}};
    double reference[3 * POINTS], moved[3 * POINTS];
    int32_t order[POINTS];
    swing(ctx, &SI, NULL, "cholesky", reference);
    TEST_CHECK(fabs(reference[3 * (POINTS - 1) + 1]) > 0.1);
    for (int k = 0; k < 4; ++k) {
        swing(ctx, &others[k], NULL, "auto", moved);
        TEST_CHECK_MSG(difference(reference, moved) < 1e-6, "units %d: %g", k,
                       difference(reference, moved));
    }
    for (int32_t v = 0; v < POINTS; ++v) {
        order[v] = v * 12 % POINTS;
    }
    swing(ctx, &SI, order, "auto", moved);
    TEST_CHECK_MSG(difference(reference, moved) < 1e-6, "%g", difference(reference, moved));
    swing(ctx, &SI, NULL, "band", moved);
    TEST_CHECK_MSG(difference(reference, moved) < 1e-9, "%g", difference(reference, moved));
    swing(ctx, &SI, NULL, "pcg", moved);
    TEST_CHECK_MSG(difference(reference, moved) < 1e-4, "%g", difference(reference, moved));
    test_context_end(ctx);
}

// momentum and its moment about the origin, of vertices
static void add_momentum(LyraWorld *world, double p[3], double L[3])
{
    LyraStateView state = lyra_state_view(lyra_world_view(world).state);
    const double *v = lyra_vector_values(state.v), *x = lyra_world_positions(world, 0, NULL);
    LyraRodView rod = lyra_rod_view(lyra_world_view(world).bodies[0].rod);
    memset(p, 0, 3 * sizeof *p);
    memset(L, 0, 3 * sizeof *L);
    for (int32_t i = 0; i < rod.vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            p[k] += rod.masses[i] * v[3 * i + k];
            L[k] += rod.masses[i] * (x[3 * i + a] * v[3 * i + b] - x[3 * i + b] * v[3 * i + a]);
        }
    }
}

// Momentum is kept, and its moment up to the inertia of the angles, which is small; after a
// round in the air the energy is what it was: frames were carried on without loss.
LYRA_TEST(rods_in_flight_keep_their_momentum)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    LyraLineDef line = lyra_line_def_default();
    LyraBodyRod rod = lyra_body_rod_default();
    LyraBodyDef body = lyra_body_def_default();
    double p[2][3], L[2][3];
    LyraEnergies energies;
    line.shape = LYRA_LINE_HELIX;
    line.radius = 0.1;
    line.pitch = 0.1;
    line.turns = 2;
    line.edges = 40;
    rod.generate = &line;
    rod.section = LYRA_ROD_RECTANGLE;
    rod.young = 1e7;
    body.kind = "rod";
    body.rod = &rod;
    body.start.velocity[0] = 1;
    body.start.angular_velocity[1] = 2 * PI;
    def.integrator.name = "implicit-midpoint";
    def.integrator.newton.policy = LYRA_NEWTON_FULL;
    def.time.dt = 0.002;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    TEST_OK(lyra_world_energies(world, &energies));
    TEST_NEAR(energies.elastic, 0, 1e-16);
    double kinetic = energies.kinetic;
    add_momentum(world, p[0], L[0]);
    take_steps(world, 500);
    add_momentum(world, p[1], L[1]);
    double size = sqrt(L[0][0] * L[0][0] + L[0][1] * L[0][1] + L[0][2] * L[0][2]);
    for (int k = 0; k < 3; ++k) {
        TEST_NEAR(p[1][k], p[0][k], 1e-9);
        TEST_CHECK_MSG(fabs(L[1][k] - L[0][k]) < 2e-3 * size, "%d: %g to %g of %g", k, L[0][k],
                       L[1][k], size);
    }
    TEST_OK(lyra_world_energies(world, &energies));
    TEST_CHECK_MSG(fabs(energies.kinetic + energies.elastic - kinetic) < 2e-3 * kinetic,
                   "%g J of %g", energies.kinetic + energies.elastic, kinetic);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a step that can't be taken leaves angles, frames and turns as they were
LYRA_TEST(rod_steps_that_fail_leave_no_trace)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double points[3 * POINTS];
    int32_t edges[2 * (POINTS - 1)];
    make_bow(points, edges);
    LyraWorld *world = make_world(ctx, &SI, 9.81, "auto");
    LyraState *before = NULL;
    add_rod(world, &SI, points, POINTS, edges, POINTS - 1, NULL);
    hold(world, 0, 1);
    take_steps(world, 5);
    TEST_OK(lyra_state_copy(lyra_world_view(world).state, &before));
    const double g[3] = {0, -9.81, 0}, huge[3] = {0, -1e308, 0};
    TEST_OK(lyra_world_set_gravity(world, huge));
    TEST_CHECK(lyra_world_step(world, NULL) != LYRA_OK);
    TEST_CHECK(lyra_state_equal(before, lyra_world_view(world).state));
    TEST_OK(lyra_world_set_gravity(world, g));
    take_steps(world, 1);
    TEST_CHECK(!lyra_state_equal(before, lyra_world_view(world).state));
    lyra_state_destroy(before);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static double read_probe(LyraWorld *world, const LyraSelector *select, LyraProbeQuantity quantity)
{
    LyraProbeDef def = lyra_probe_def_default();
    LyraProbeView view = {0};
    int32_t index = 0;
    def.quantity = quantity;
    def.body = "body1";
    def.select = select;
    TEST_OK(lyra_world_add_probe(world, &def, &index));
    TEST_OK(lyra_world_probe(world, index, &view));
    TEST_EQUAL(view.count, 1);
    return view.values[0];
}

// one segment; a ring; five arms from a point: they fall as one, and weigh what they weigh
LYRA_TEST(rods_of_any_shape_fall_and_hang)
{
    static const double star[6][3] = {{0, 0, 0},       {1, 0, 0}, {-0.5, 0, 0.8},
                                      {-0.5, 0, -0.8}, {0, 1, 0}, {0, -1, 0.1}};
    static const int32_t arms[10] = {0, 1, 0, 2, 3, 0, 0, 4, 5, 0};
    double ring[3 * 24];
    int32_t round[2 * 24];
    for (int32_t v = 0; v < 24; ++v) {
        ring[3 * v] = cos(v * PI / 12);
        ring[3 * v + 1] = sin(v * PI / 12);
        ring[3 * v + 2] = 0;
        round[2 * v] = v;
        round[2 * v + 1] = (v + 1) % 24;
    }
    const struct {
        const double *points;
        int32_t count, edges;
        const int32_t *ends;
    } shapes[] = {{star[0], 2, 1, arms}, {star[0], 6, 5, arms}, {ring, 24, 24, round}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < 3; ++k) {
        LyraWorld *world = make_world(ctx, &SI, 9.81, "auto");
        LyraEnergies energies;
        add_rod(world, &SI, shapes[k].points, shapes[k].count, shapes[k].ends, shapes[k].edges,
                NULL);
        take_steps(world, 10);
        const double *x = lyra_world_positions(world, 0, NULL);
        TEST_OK(lyra_world_energies(world, &energies));
        TEST_NEAR(energies.elastic, 0, 1e-15);
        // backward Euler falls g dt^2 n (n + 1)/2
        TEST_NEAR(x[1] - shapes[k].points[1], -9.81 * 1e-4 * 55, 1e-10);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// a rod that hangs straight down carries its weight; a ring has the curvature of its radius; one
// that is clamped across bends with its weight times half its length
LYRA_TEST(probes_see_what_rods_carry)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const double points[11][3] = {{0, 0, 0},    {0, -0.1, 0}, {0, -0.2, 0}, {0, -0.3, 0},
                                         {0, -0.4, 0}, {0, -0.5, 0}, {0, -0.6, 0}, {0, -0.7, 0},
                                         {0, -0.8, 0}, {0, -0.9, 0}, {0, -1, 0}};
    int32_t edges[20];
    for (int32_t e = 0; e < 20; ++e) {
        edges[e] = (e + 1) / 2;
    }
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    LyraProbeDef probe = lyra_probe_def_default();
    LyraSelector some = lyra_selector_default();
    const int32_t lowest[2] = {9, 10}, apart[2] = {2, 8};
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.integrator.name = "static";
    TEST_OK(lyra_world_create(ctx, &def, &world));
    add_rod(world, &SI, points[0], 11, edges, 10, NULL);
    hold(world, 0, 1);
    take_steps(world, 1);
    double weight = 0.1 * 1000 * 0.02 * 0.005 * 9.81;
    some.vertices = lowest;
    some.vertex_count = 2;
    TEST_NEAR(read_probe(world, &some, LYRA_PROBE_TENSION), 0.5 * weight, 1e-6 * weight);
    TEST_NEAR(read_probe(world, NULL, LYRA_PROBE_TENSION), 8.5 * weight, 1e-6 * weight);
    TEST_NEAR(read_probe(world, NULL, LYRA_PROBE_CURVATURE), 0, 1e-9);
    TEST_NEAR(read_probe(world, NULL, LYRA_PROBE_TWIST), 0, 1e-9);
    // what can't be
    probe.quantity = LYRA_PROBE_TENSION;
    probe.select = &some;
    some.vertices = apart;
    TEST_STATUS(lyra_world_add_probe(world, &probe, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "no edge with both ends");
    probe.component = LYRA_PROBE_Y;
    TEST_STATUS(lyra_world_add_probe(world, &probe, NULL), LYRA_BAD_FORMAT);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a bar of EI 1000 N m^2 and GJ 3 N m^2, clamped at one end, and turned by 0.5 at the other
static LyraWorld *make_bar(LyraContext *ctx, bool turns)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    LyraLineDef line = lyra_line_def_default();
    LyraBodyRod rod = lyra_body_rod_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraConstraintDef clamp = lyra_constraint_def_default();
    LyraCurve turned = lyra_curve_constant(0.5);
    const int32_t end[2] = {39, 40};
    line.edges = 40;
    rod.generate = &line;
    rod.bend = 1000;
    rod.twist = 3;
    rod.stretch = 1e6;
    rod.line_density = 2;
    body.kind = "rod";
    body.rod = &rod;
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.integrator.name = "static";
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    hold(world, 0, 1);
    clamp.select.vertices = end;
    clamp.select.vertex_count = 2;
    clamp.twist = &turned;
    if (turns) {
        TEST_OK(lyra_world_add_constraint(world, &clamp));
    }
    TEST_OK(lyra_world_step(world, NULL));
    return world;
}

LYRA_TEST(probes_see_bending_and_twist)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_bar(ctx, false);
    // at the first joint, with all that is beyond: q l^2/2
    double l = 1 - 1.0 / 40, q = 2 * 9.81, moment = 0.5 * q * l * l;
    TEST_NEAR(read_probe(world, NULL, LYRA_PROBE_BENDING_MOMENT), moment, 1e-3 * moment);
    TEST_NEAR(read_probe(world, NULL, LYRA_PROBE_CURVATURE), 1e-3 * moment, 1e-6 * moment);
    TEST_NEAR(read_probe(world, NULL, LYRA_PROBE_TORQUE), 0, 1e-6);
    lyra_world_destroy(world);
    // both clamps are at the middles of their edges
    world = make_bar(ctx, true);
    TEST_NEAR(read_probe(world, NULL, LYRA_PROBE_TWIST), 0.5 / l, 1e-3);
    TEST_NEAR(read_probe(world, NULL, LYRA_PROBE_TORQUE), 1.5 / l, 3e-3);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a cable that is tied to a solid, and a solid that hangs from it: "auto" and "cholesky" agree
LYRA_TEST(rods_carry_solids)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const solvers[] = {"cholesky", "band", "auto"};
    double lowest[3];
    for (int k = 0; k < 3; ++k) {
        static const double points[6][3] = {{0, 1, 0},   {0, 0.9, 0}, {0, 0.8, 0},
                                            {0, 0.7, 0}, {0, 0.6, 0}, {0, 0.5, 0}};
        static const int32_t edges[10] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
        LyraWorld *world = make_world(ctx, &SI, 9.81, solvers[k]);
        LyraBodyDef box = lyra_body_def_default();
        LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
        LyraTieDef tie = lyra_tie_def_default();
        const int32_t last[1] = {5};
        shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
        box.name = "box";
        box.generate = &shape;
        add_rod(world, &SI, points[0], 6, edges, 5, NULL);
        TEST_OK(lyra_world_add_body(world, &box, NULL));
        tie.body = "body1";
        tie.select.vertices = last;
        tie.select.vertex_count = 1;
        tie.to = "box";
        tie.stiffness = 1e5;
        TEST_OK(lyra_world_add_tie(world, &tie, NULL));
        hold(world, 0, 1);
        take_steps(world, 10);
        lowest[k] = lyra_world_positions(world, 1, NULL)[1];
        lyra_world_destroy(world);
    }
    TEST_NEAR(lowest[1], lowest[0], 1e-9);
    TEST_NEAR(lowest[2], lowest[0], 1e-6);
    test_context_end(ctx);
}
