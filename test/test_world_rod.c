// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies that are rods: masses, clamps and twist that is led, starts that are turned, momentum,
// restart and threads to the bit, what is shown and measured, and what is refused. Files of lines.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static LyraWorld *make_world(LyraContext *ctx, double gravity)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    def.gravity[1] = lyra_curve_constant(-gravity);
    def.integrator.name = "backward-euler";
    def.integrator.newton.policy = LYRA_NEWTON_FULL;
    def.solver.name = "cholesky";
    def.time.dt = 0.02;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    return world;
}

static LyraStatus add_rod(LyraWorld *world, const LyraBodyRod *rod)
{
    LyraBodyDef body = lyra_body_def_default();
    body.kind = "rod";
    body.rod = rod;
    return lyra_world_add_body(world, &body, NULL);
}

static LyraBodyRod rod_of(const LyraLineDef *line)
{
    LyraBodyRod rod = lyra_body_rod_default();
    rod.generate = line;
    rod.radius = 0.01;
    return rod;
}

static LyraStatus hold(LyraWorld *world, int32_t first, const LyraCurve *twist)
{
    const int32_t vertices[2] = {first, first + 1};
    LyraConstraintDef def = lyra_constraint_def_default();
    def.select.vertices = vertices;
    def.select.vertex_count = 2;
    def.twist = twist;
    return lyra_world_add_constraint(world, &def);
}

static void take_steps(LyraWorld *world, int count)
{
    for (int k = 0; k < count; ++k) {
        TEST_OK(lyra_world_step(world, NULL));
    }
}

LYRA_TEST(rod_weighs_what_it_should_and_shows_its_vertices_only)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, 9.81);
    LyraLineDef line = lyra_line_def_default();
    LyraBodyRod rod = rod_of(&line);
    int32_t count;
    TEST_OK(add_rod(world, &rod));
    TEST_OK(lyra_world_prepare(world));
    const LyraBodyView *view = lyra_world_view(world).bodies;
    LyraRodView made = lyra_rod_view(view->rod);
    double mass = 0;
    for (int32_t v = 0; v < made.vertex_count; ++v) {
        mass += made.masses[v];
    }
    TEST_NEAR(mass, 1000 * PI * 1e-4, 1e-12);
    TEST_EQUAL(view->vertex_count, 51);
    TEST_EQUAL(view->scalar_count, 50);
    TEST_CHECK(lyra_world_positions(world, 0, &count) != NULL);
    TEST_EQUAL(count, 51);
    // 51 rings of 8 points and both ends
    TEST_EQUAL(lyra_surface_view(view->surfaces[0].surface).vertex_count, 51 * 8 + 2);
    // what falls freely falls as one, and nothing strains
    take_steps(world, 5);
    const double *x = lyra_world_positions(world, 0, NULL);
    for (int32_t v = 0; v < count; ++v) {
        TEST_NEAR(x[3 * v + 1], x[1], 1e-12); // what rounding does to stiff stretch
    }
    LyraEnergies energies;
    TEST_OK(lyra_world_energies(world, &energies));
    TEST_NEAR(energies.elastic, 0, 1e-18);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// one end is led round ten times: the torque is GJ times the twist per length
LYRA_TEST(rod_is_twisted_by_many_rounds)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_world(ctx, 0);
    LyraLineDef line = lyra_line_def_default();
    LyraBodyRod rod = rod_of(&line);
    LyraCurve still = lyra_curve_constant(0), turning = lyra_curve_constant(0);
    double twist[51], torque[51], tension[50];
    const LyraRodMeasures measures = {.twist = twist, .torque = torque, .tension = tension};
    rod.twist = 1;
    rod.bend = 1000; // it stays straight
    rod.stretch = 1e5;
    turning.expression = "20*pi*ramp(5*t)";
    TEST_OK(add_rod(world, &rod));
    TEST_OK(hold(world, 0, &still));
    TEST_OK(hold(world, 49, &turning));
    take_steps(world, 40);
    TEST_OK(lyra_world_rod_measure(world, 0, &measures));
    for (int32_t v = 1; v < 50; ++v) {
        TEST_NEAR(twist[v], 20 * PI / 0.98, 1e-6 * twist[v]);
        TEST_NEAR(torque[v], twist[v], 1e-9);
    }
    TEST_NEAR(twist[0], 0, 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a bent rod of a rectangle is at ease wherever it is turned to
LYRA_TEST(rod_that_starts_turned_is_at_ease)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double angles[] = {0.3, 2, PI, 5};
    for (int k = 0; k < 4; ++k) {
        LyraWorld *world = make_world(ctx, 0);
        LyraLineDef line = lyra_line_def_default();
        LyraBodyRod rod = rod_of(&line);
        LyraBodyDef body = lyra_body_def_default();
        LyraEnergies energies;
        const double axis[3] = {0.3, -0.5, 0.8};
        line.shape = LYRA_LINE_HELIX;
        line.turns = 2;
        rod.section = LYRA_ROD_RECTANGLE;
        body.kind = "rod";
        body.rod = &rod;
        memcpy(body.start.rotate.axis, axis, sizeof axis);
        body.start.rotate.angle = angles[k];
        TEST_OK(lyra_world_add_body(world, &body, NULL));
        TEST_OK(lyra_world_energies(world, &energies));
        TEST_NEAR(energies.elastic, 0, 1e-20);
        take_steps(world, 3);
        TEST_OK(lyra_world_energies(world, &energies));
        TEST_NEAR(energies.elastic, 0, 1e-20);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// falls, swings and twists about a clamp
static LyraWorld *make_swinging(LyraContext *ctx)
{
    LyraWorld *world = make_world(ctx, 9.81);
    LyraLineDef line = lyra_line_def_default();
    line.shape = LYRA_LINE_HELIX;
    line.turns = 3;
    line.edges = 90;
    LyraBodyRod rod = rod_of(&line);
    rod.damping = 0.001;
    LyraCurve turning = lyra_curve_constant(0);
    turning.expression = "2*ramp(2*t)";
    TEST_OK(add_rod(world, &rod));
    TEST_OK(hold(world, 0, &turning));
    return world;
}

LYRA_TEST(rod_restarts_and_repeats_to_the_bit)
{
    const char *path = test_temp_path("rod.lyra");
    double *reference = NULL;
    for (int threads = 1; threads <= 7; threads += 3) {
        LyraContext *ctx = test_context(threads, LYRA_ISA_AUTO);
        LyraWorld *world = make_swinging(ctx), *other = make_swinging(ctx);
        int32_t count;
        take_steps(world, 10);
        TEST_OK(lyra_world_save(world, path));
        take_steps(world, 10);
        TEST_OK(lyra_world_restore(other, path));
        take_steps(other, 10);
        TEST_CHECK(lyra_state_equal(lyra_world_view(world).state, lyra_world_view(other).state));
        const double *x = lyra_world_positions(world, 0, &count);
        size_t bytes = 3 * (size_t)count * sizeof *x;
        if (!reference) {
            reference = malloc(bytes);
            memcpy(reference, x, bytes);
        }
        TEST_CHECK(memcmp(reference, x, bytes) == 0);
        TEST_CHECK(x[3 * 90 + 1] < -0.01);
        lyra_world_destroy(world);
        lyra_world_destroy(other);
        test_context_end(ctx);
    }
    free(reference);
}

LYRA_TEST(tube_turns_with_its_line)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, radii[2] = {0.1, 0.1};
    const int32_t edges[4] = {0, 1, 1, 2};
    const LyraLinesView lines = {3, 2, x, edges, radii};
    LyraSurface *surface = NULL;
    LyraEmbedding *embedding = NULL;
    TEST_OK(lyra_embedding_create_tube(ctx, &lines, 6, &surface, &embedding));
    LyraSurfaceView view = lyra_surface_view(surface);
    double *out = malloc((size_t)view.vertex_count * 3 * sizeof *out);
    // along y in place of x
    const double u[9] = {0, 0, 0, -1, 1, 0, -2, 2, 0};
    lyra_embedding_move(embedding, u, view.positions, out);
    for (int32_t p = 0; p < 18; ++p) {
        TEST_NEAR(hypot(out[3 * p], out[3 * p + 2]), 0.1, 1e-15);
        TEST_NEAR(out[3 * p + 1], p / 6, 1e-15);
    }
    free(out);
    lyra_embedding_destroy(embedding);
    lyra_surface_destroy(surface);
    test_context_end(ctx);
}

// ---- lines --------------------------------------------------------------------------------------

LYRA_TEST(lines_come_back_from_files)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraLineDef def = lyra_line_def_default();
    LyraLines *lines = NULL;
    def.shape = LYRA_LINE_HELIX;
    TEST_OK(lyra_lines_generate(ctx, &def, &lines));
    LyraLinesView view = lyra_lines_view(lines);
    for (int k = 0; k < 2; ++k) {
        const char *path = test_temp_path(k ? "lines.vtk" : "lines.obj");
        LyraLines *read = NULL;
        TEST_OK(lyra_lines_save(lines, path));
        TEST_OK(lyra_lines_load(ctx, path, &read));
        LyraLinesView back = lyra_lines_view(read);
        TEST_EQUAL(back.vertex_count, 51);
        TEST_CHECK(memcmp(back.positions, view.positions, 153 * sizeof(double)) == 0);
        TEST_CHECK(memcmp(back.edges, view.edges, 100 * sizeof(int32_t)) == 0);
        lyra_lines_destroy(read);
    }
    lyra_lines_destroy(lines);
    test_context_end(ctx);
}

static LyraStatus load_text(LyraContext *ctx, const char *name, const char *text, LyraLines **out)
{
    const char *path = test_temp_path(name);
    test_write_file(path, text, strlen(text));
    return lyra_lines_load(ctx, path, out);
}

LYRA_TEST(lines_are_read_as_others_write_them)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"a.obj", "# lines\nv 9 9 9\nv 0 0 0\nv 1 0 0\r\nv 2 1 0\nl 2 3/1 -1\n"},
        {"a.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 "
                  "float\n9 9 9 0 0 0\n1 0 0 2 1 0\nCELLS 3 10\n3 1 2 3\n3 0 1 2\n1 0\n"
                  "CELL_TYPES 3\n4 5 1\nCELL_DATA 3\nSCALARS radius double 1\nLOOKUP_TABLE "
                  "default\n0.5 7 8\n"},
        {"a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 9 9 9\n5 0 0 0\n3 1 0 0\n7 2 "
                  "1 0\n$EndNodes\n$Elements\n3\n1 15 2 0 1 1\n2 1 2 0 1 5 3\n3 1 2 0 1 3 "
                  "7\n$EndElements\n"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[9] = {0, 0, 0, 1, 0, 0, 2, 1, 0};
    const int32_t edges[4] = {0, 1, 1, 2};
    for (int k = 0; k < 3; ++k) {
        LyraLines *lines = NULL;
        if (!TEST_OK(load_text(ctx, files[k].name, files[k].text, &lines))) {
            continue;
        }
        LyraLinesView view = lyra_lines_view(lines);
        TEST_EQUAL(view.vertex_count, 3);
        TEST_EQUAL(view.edge_count, 2);
        if (view.vertex_count == 3) {
            TEST_CHECK_MSG(memcmp(view.positions, x, sizeof x) == 0, "%s", files[k].name);
            TEST_CHECK(memcmp(view.edges, edges, sizeof edges) == 0);
        }
        TEST_CHECK((view.radii != NULL) == (k == 1));
        TEST_CHECK(!view.radii || (view.radii[0] == 0.5 && view.radii[1] == 0.5));
        lyra_lines_destroy(lines);
    }
    test_context_end(ctx);
}

LYRA_TEST(lines_refuse_broken_files)
{
    static const struct {
        const char *name, *text, *message;
    } files[] = {
        {"b.obj", "v 0 0 0\nl 1 2\n", ":2: found \"2\", expected a vertex"},
        {"b.obj", "v 0 0\n", ":1: found the end of the line, expected a number for z"},
        {"b.obj", "v 0 0 0\n", "found no lines"},
        {"b.obj", "v 0 0 0\nl 1 1\n", "joins vertices 0 and 0"},
        {"b.vtk", "# vtk\nx\nBINARY\n", "expected ASCII"},
        {"b.vtk", "# vtk\nx\nASCII\nPOINTS 2 float\n0 0 0 1 1\n", "expected a number"},
        {"b.vtk", "# vtk\nx\nASCII\nPOINTS 1 float\n0 0 0\nLINES 1 3\n2 0 1\n", "a vertex"},
        {"b.msh", "$MeshFormat\n4.1 0 8\n", "version 2.2"},
        {"b.ply", "", "lines are read from"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < (int)(sizeof files / sizeof *files); ++k) {
        LyraLines *lines = NULL;
        TEST_CHECK(load_text(ctx, files[k].name, files[k].text, &lines) != LYRA_OK);
        TEST_CHECK_MSG(strstr(lyra_error_message(), files[k].message) != NULL, "%d: \"%s\"", k,
                       lyra_error_message());
        TEST_CHECK(lines == NULL);
    }
    test_context_end(ctx);
}

LYRA_TEST(curves_go_through_their_points)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraLinePoint points[3] = {{{0, 0, 0}}, {{1, 1, 0}}, {{2, 0, 0}}};
    LyraLineDef def = lyra_line_def_default();
    LyraLines *lines = NULL;
    def.shape = LYRA_LINE_CURVE;
    def.points = points;
    def.point_count = 3;
    TEST_OK(lyra_lines_generate(ctx, &def, &lines));
    LyraLinesView view = lyra_lines_view(lines);
    TEST_NEAR(view.positions[3 * 25 + 1], 1, 1e-3);
    TEST_NEAR(view.positions[3 * 50], 2, 1e-15);
    double least = 1, most = 0;
    for (int32_t e = 0; e < 50; ++e) {
        const double *a = view.positions + 3 * e;
        double length = hypot(a[3] - a[0], a[4] - a[1]);
        least = fmin(least, length);
        most = fmax(most, length);
    }
    TEST_CHECK(most < 1.01 * least);
    lyra_lines_destroy(lines);
    test_context_end(ctx);
}

// ---- what is refused ----------------------------------------------------------------------------

static void check_refused(LyraContext *ctx, const LyraBodyRod *rod, const char *message)
{
    LyraWorld *world = make_world(ctx, 0);
    TEST_CHECK(add_rod(world, rod) != LYRA_OK);
    TEST_CHECK_MSG(strstr(lyra_error_message(), message) != NULL, "\"%s\"", lyra_error_message());
    TEST_EQUAL(lyra_world_view(world).body_count, 0);
    lyra_world_destroy(world);
}

LYRA_TEST(rod_bodies_refuse_what_they_cannot_be)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraLineDef line = lyra_line_def_default();
    LyraBodyRod good = rod_of(&line), rod = good;
    check_refused(ctx, NULL, "found a body of rod without rod");
    rod.generate = NULL;
    check_refused(ctx, &rod, "expected either lines or generate");
    rod = good;
    rod.inner_radius = 0.01;
    check_refused(ctx, &rod, "expected less than the radius");
    rod = good;
    rod.rope = true;
    rod.turn = 1;
    check_refused(ctx, &rod, "a rope is straight by nature");
    rod = good;
    rod.sides = 2;
    check_refused(ctx, &rod, "expected 0 for none, or 3 and more");
    rod = good;
    rod.young = -1;
    check_refused(ctx, &rod, "young");
    line.edges = 0;
    check_refused(ctx, &good, "edges");
    line.edges = 5;
    memset(line.to, 0, sizeof line.to);
    check_refused(ctx, &good, "has length 0");
    // no edge has both ends at one vertex
    LyraWorld *world = make_world(ctx, 0);
    LyraConstraintDef held = lyra_constraint_def_default();
    LyraCurve still = lyra_curve_constant(0);
    const int32_t vertex = 0;
    line.to[0] = 1;
    TEST_OK(add_rod(world, &good));
    held.select.vertices = &vertex;
    held.select.vertex_count = 1;
    held.twist = &still;
    TEST_CHECK(lyra_world_add_constraint(world, &held) != LYRA_OK);
    TEST_CHECK(strstr(lyra_error_message(), "found no edge of a rod") != NULL);
    lyra_world_destroy(world);
    test_context_end(ctx);
}
