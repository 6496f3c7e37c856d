// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads on surfaces: derivatives, closed forms, frames, closed surfaces, time, bad input.

#include "force_cases.h"
#include "lyra/mesh_edit.h"
#include "lyra/mesh_ops.h"
#include "lyra/traction.h"

static double ramp(void *user, double t)
{
    return *(const double *)user * t;
}

// a load on the boundary of a box, on all of it or without the first triangle
static Case make_load(LyraContext *ctx, LyraTractionDef def, bool all)
{
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 1);
    if (def.nodes == 6) {
        LyraMesh *plain = mesh;
        TEST_OK(lyra_mesh_quadratic(plain, &mesh));
        lyra_mesh_destroy(plain);
    }
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_mesh_boundary_create(mesh, def.nodes == 3, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    def.triangle_count = faces.face_count - (all ? 0 : 1);
    def.triangles = faces.faces + (all ? 0 : def.nodes);
    TEST_OK(lyra_traction_create(ctx, view.vertex_count, view.positions, &def, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(mesh);
    return c;
}

static LyraTractionDef load_of(LyraTractionKind kind)
{
    LyraTractionDef def = lyra_traction_def_default();
    def.kind = kind;
    def.traction[0] = 3;
    def.traction[1] = -2;
    def.traction[2] = 5;
    def.pressure = 7;
    return def;
}

// ---- derivatives --------------------------------------------------------------------------------

LYRA_TEST(traction_derivatives_match_differences)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int what = 0; what < 8; ++what) {
            // the last of each: pressure on a surface with a hole; then triangles of 6 nodes
            LyraTractionKind kind =
                what % 4 < 3 ? (LyraTractionKind)(what % 4) : LYRA_TRACTION_PRESSURE;
            LyraTractionDef def = load_of(kind);
            def.nodes = what < 4 ? 3 : 6;
            Case c = make_load(ctx, def, what % 4 != 3);
            bool energy = (lyra_force_type(c.force)->traits & LYRA_FORCE_CONSERVATIVE) != 0;
            TEST_EQUAL(energy, what % 4 == 0 || what % 4 == 2);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)c.n * 3 * sizeof *x);
            for (int state = 0; state < STATE_COUNT; ++state) {
                char text[100];
                snprintf(text, sizeof text, "%s, load %d, state %d", lyra_isa_name(isa), what,
                         state);
                set_state(&c, (StateKind)state, &random, x);
                check_derivatives(&c, x, NULL, &random, energy ? HAS_ENERGY : 0, text);
            }
            free(x);
            end_case(&c);
        }
        test_context_end(ctx);
    }
}

// on straight triangles of 6 nodes the loads sum to those of 3, and pressure in a curved ball is
// that times its cross-section
LYRA_TEST(traction_of_six_nodes_carries_the_whole_load)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_TRACTION_COUNT; ++kind) {
        double sums[2][3] = {{0}};
        for (int six = 0; six < 2; ++six) {
            LyraTractionDef def = load_of((LyraTractionKind)kind);
            def.nodes = six ? 6 : 3;
            Case c = make_load(ctx, def, false);
            double *g = malloc((size_t)c.n * 3 * sizeof *g);
            LyraEvaluation evaluation = {.x = c.rest, .gradient = g};
            TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
            for (int32_t i = 0; i < 3 * c.n; ++i) {
                sums[six][i % 3] += g[i];
            }
            free(g);
            end_case(&c);
        }
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(sums[1][i], sums[0][i], 1e-13);
        }
    }
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *ball = NULL;
    LyraMeshBoundary *boundary = NULL;
    LyraForce *force = NULL;
    shape.shape = LYRA_MESH_SHAPE_SPHERE;
    shape.kind = LYRA_ELEMENT_TET10;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &ball));
    TEST_OK(lyra_mesh_boundary_create(ball, false, &boundary));
    LyraMeshView view = lyra_mesh_view(ball);
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LyraTractionDef def = load_of(LYRA_TRACTION_PRESSURE);
    def.nodes = 6;
    def.triangles = faces.faces;
    def.triangle_count = faces.face_count;
    TEST_OK(lyra_traction_create(ctx, view.vertex_count, view.positions, &def, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    double *g = malloc((size_t)c.n * 3 * sizeof *g), energy = 0, upper = 0;
    LyraEvaluation evaluation = {.x = c.rest, .gradient = g, .energy = &energy};
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    LyraMassProperties mass;
    TEST_OK(lyra_mesh_mass_properties(ball, NULL, &mass));
    // p times the volume, by the same polynomials; the gradient is minus the load
    TEST_NEAR(energy, def.pressure * mass.volume, 1e-11);
    for (int32_t i = 0; i < 3 * c.n; ++i) {
        upper += g[i] * c.rest[i];
    }
    TEST_NEAR(upper, 3 * energy, 1e-10);
    free(g);
    end_case(&c);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(ball);
    def.nodes = 4;
    TEST_STATUS(lyra_traction_create(ctx, 0, NULL, &def, &force), LYRA_INVALID_ARGUMENT);
    TEST_STRING(lyra_error_message(), "traction: triangles of 4 vertices, expected 3 or 6");
    test_context_end(ctx);
}

LYRA_TEST(traction_symmetric_option_gives_the_symmetric_part)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraTractionDef def = load_of(LYRA_TRACTION_LIVE);
    Case c = make_load(ctx, def, true);
    def.symmetric = true;
    Case s = make_load(ctx, def, true);
    TestRandom random = test_random(7);
    int32_t dofs = 3 * c.n;
    double *x = malloc((size_t)dofs * 7 * sizeof *x), *out[2] = {x + dofs, x + 4 * dofs};
    TEST_EQUAL(lyra_block_pattern_view(lyra_assembly_pattern(s.assembly)).storage,
               LYRA_STORAGE_UPPER);
    set_state(&c, STATE_LARGE, &random, x);
    evaluate_all(&c, x, NULL, out[0]);
    evaluate_all(&s, x, NULL, out[1]);
    TEST_CHECK(largest_difference(dofs, out[0], out[1]) == 0);
    TEST_CHECK(asymmetry(&c, c.dfdx) > 1e-3);
    double *K = dense_of(&c, c.dfdx), *S = dense_of(&s, s.dfdx), off = 0;
    for (int32_t i = 0; i < dofs; ++i) {
        for (int32_t j = 0; j < dofs; ++j) {
            double part = 0.5 * (K[i + j * dofs] + K[j + i * dofs]);
            off = larger(off, fabs(part - S[i + j * dofs]));
        }
    }
    TEST_NEAR(off, 0, 1e-14 * largest_of((int64_t)dofs * dofs, K));
    // the positive tangent of a load is none
    s.psd = true;
    evaluate_all(&s, x, NULL, out[1]);
    TEST_CHECK(largest_of(dofs, out[1] + dofs) == 0);
    free(K);
    free(S);
    free(x);
    end_case(&c);
    end_case(&s);
    test_context_end(ctx);
}

// ---- closed forms -------------------------------------------------------------------------------

static void add_up(int32_t n, const double *g, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int32_t i = 0; i < 3 * n; ++i) {
        sum[i % 3] += g[i];
    }
}

// one triangle of legs 2 and 3 in the plane z = 0, stretched along x and turned about x by 90
// degrees
LYRA_TEST(traction_on_one_triangle_is_load_times_area)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double rest[9] = {0, 0, 0, 2, 0, 0, 0, 3, 0}, now[9] = {0, 0, 0, 8, 0, 0, 0, 0, 3};
    const int32_t triangle[3] = {0, 1, 2};
    // areas 3 and 12; x stays x, y becomes z, the normal z becomes -y
    const double expected[3][3] = {{-9, 6, -15}, {-36, 60, 24}, {0, -84, 0}};
    for (int kind = 0; kind < LYRA_TRACTION_COUNT; ++kind) {
        LyraTractionDef def = load_of((LyraTractionKind)kind);
        LyraForce *force = NULL;
        def.triangle_count = 1;
        def.triangles = triangle;
        TEST_OK(lyra_traction_create(ctx, 3, rest, &def, &force));
        Case c = make_case(ctx, 3, rest, force);
        double g[9], sum[3], energy = NAN;
        LyraEvaluation evaluation = {.x = now, .gradient = g, .energy = &energy};
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        add_up(3, g, sum);
        for (int i = 0; i < 3; ++i) {
            double want = expected[kind][i];
            if (kind == LYRA_TRACTION_LIVE && i != 1) {
                // the tangential part keeps its size while its direction is carried along: d from
                // (3, -2) / sqrt(13) becomes (12, -2) / sqrt(148) in (x, z)
                want = -12 * sqrt(13.0) * (i == 0 ? 12 : -2) / sqrt(148.0);
            }
            TEST_NEAR(sum[i], want, 1e-12 * 84);
            TEST_NEAR(g[i], want / 3, 1e-12 * 84);
        }
        // minus the work of a third of (9, -6, 15) N at each vertex; the moves add up to (6, -3, 3)
        TEST_NEAR(energy, kind == LYRA_TRACTION_DEAD ? -(9 * 6 + 6 * 3 + 15 * 3) / 3.0 : 0, 1e-12);
        end_case(&c);
    }
    test_context_end(ctx);
}

// each triangle has a load of its own: what all give is what each alone gives, added up
LYRA_TEST(traction_on_many_triangles_is_the_sum_over_each)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    TEST_REQUIRE_OK(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    int32_t dofs = 3 * view.vertex_count;
    double *x = malloc((size_t)dofs * 3 * sizeof *x), *g = x + dofs, *sum = g + dofs;
    for (int kind = 0; kind < LYRA_TRACTION_COUNT; ++kind) {
        Case c = make_load(ctx, load_of((LyraTractionKind)kind), false);
        TestRandom random = test_random(17);
        set_state(&c, STATE_LARGE, &random, x);
        memset(sum, 0, (size_t)dofs * sizeof *sum);
        for (int32_t t = 1; t < faces.face_count; ++t) {
            LyraTractionDef def = load_of((LyraTractionKind)kind);
            LyraForce *force = NULL;
            def.triangle_count = 1;
            def.triangles = faces.faces + 3 * (int64_t)t;
            TEST_OK(lyra_traction_create(ctx, view.vertex_count, view.positions, &def, &force));
            Case one = make_case(ctx, view.vertex_count, view.positions, force);
            gradient_of_x(&one, x, g);
            for (int32_t i = 0; i < dofs; ++i) {
                sum[i] += g[i];
            }
            end_case(&one);
        }
        gradient_of_x(&c, x, g);
        TEST_NEAR(largest_difference(dofs, g, sum), 0, 1e-13 * largest_of(dofs, g));
        end_case(&c);
    }
    free(x);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(traction_live_loads_turn_with_the_body)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = LYRA_TRACTION_LIVE; kind < LYRA_TRACTION_COUNT; ++kind) {
        Case c = make_load(ctx, load_of((LyraTractionKind)kind), false);
        TestRandom random = test_random(11);
        int32_t dofs = 3 * c.n;
        double *x = malloc((size_t)dofs * 5 * sizeof *x), *y = x + dofs, *g = y + dofs, R[9];
        double *h = g + dofs, *turned = h + dofs;
        set_state(&c, STATE_LARGE, &random, x);
        test_random_rotation(&random, R);
        for (int32_t i = 0; i < dofs; ++i) {
            const double *row = R + 3 * (i % 3), *p = x + i - i % 3;
            y[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
        }
        gradient_of_x(&c, x, g);
        gradient_of_x(&c, y, h);
        for (int32_t i = 0; i < dofs; ++i) {
            const double *row = R + 3 * (i % 3), *p = g + i - i % 3;
            turned[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
        }
        TEST_NEAR(largest_difference(dofs, h, turned), 0, 1e-13 * largest_of(dofs, g));
        free(x);
        end_case(&c);
    }
    test_context_end(ctx);
}

// on a closed surface the energy form and the live form give the same force, balanced
LYRA_TEST(traction_pressure_on_a_closed_surface_is_balanced)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Case closed = make_load(ctx, load_of(LYRA_TRACTION_PRESSURE), true);
    // a live load along the normals alone, triangle by triangle
    LyraTractionDef def = load_of(LYRA_TRACTION_PRESSURE);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraMeshBoundary *boundary = NULL;
    TEST_OK(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    TestRandom random = test_random(5);
    int32_t dofs = 3 * closed.n;
    double *x = malloc((size_t)dofs * 4 * sizeof *x), *g = x + dofs, *one = g + dofs;
    double *sum = one + dofs, force, torque, energy;
    set_state(&closed, STATE_LARGE, &random, x);
    gradient_of_x(&closed, x, g);
    memset(sum, 0, (size_t)dofs * sizeof *sum);
    for (int32_t t = 0; t < faces.face_count; ++t) {
        LyraForce *single = NULL;
        def.triangle_count = 1;
        def.triangles = faces.faces + 3 * t;
        TEST_OK(lyra_traction_create(ctx, view.vertex_count, view.positions, &def, &single));
        Case c = make_case(ctx, view.vertex_count, view.positions, single);
        gradient_of_x(&c, x, one);
        for (int32_t i = 0; i < dofs; ++i) {
            sum[i] += one[i];
        }
        end_case(&c);
    }
    TEST_NEAR(largest_difference(dofs, g, sum), 0, 1e-13 * largest_of(dofs, g));
    find_balance(closed.n, x, g, &force, &torque);
    TEST_NEAR(force, 0, 1e-14);
    TEST_NEAR(torque, 0, 1e-14);
    // energy: pressure times volume, 7 Pa in a box of 0.2 x 0.2 x 0.1 m
    energy_of_x(&closed, closed.rest, &energy);
    TEST_NEAR(energy, 7 * 0.004, 1e-14);
    free(x);
    end_case(&closed);
    lyra_mesh_boundary_destroy(boundary);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(traction_follows_time_and_factor)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double rate = 2, factor[1] = {3}, g[9], sum[3];
    const double rest[9] = {0, 0, 0, 2, 0, 0, 0, 3, 0};
    const int32_t triangle[3] = {0, 1, 2};
    LyraTractionDef def = load_of(LYRA_TRACTION_DEAD);
    LyraForce *force = NULL;
    def.triangle_count = 1;
    def.triangles = triangle;
    def.amplitude = ramp;
    def.user = &rate;
    TEST_OK(lyra_traction_create(ctx, 3, rest, &def, &force));
    // who keeps forces of a point must know that time is a part of it
    TEST_CHECK(lyra_force_type(force)->traits & LYRA_FORCE_TIME);
    Case c = make_case(ctx, 3, rest, force);
    LyraEvaluation evaluation = {.x = rest, .gradient = g, .time = 0.5};
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    add_up(3, g, sum);
    TEST_NEAR(sum[0], -9, 1e-13);
    TEST_OK(lyra_assembly_set_parameter(c.assembly, 0, LYRA_TRACTION_FACTOR, factor));
    TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
    add_up(3, g, sum);
    TEST_NEAR(sum[0], -27, 1e-13);
    end_case(&c);
    test_context_end(ctx);
}

// a triangle without area, or whose tangent is gone, gives numbers
LYRA_TEST(traction_stays_finite_where_triangles_vanish)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < LYRA_TRACTION_COUNT; ++kind) {
        Case c = make_load(ctx, load_of((LyraTractionKind)kind), false);
        int32_t dofs = 3 * c.n;
        double *x = calloc((size_t)dofs * 4, sizeof *x), *out = x + dofs;
        for (int shape = 0; shape < 2; ++shape) {
            evaluate_all(&c, x, NULL, out);
            TEST_CHECK(all_finite(2 * dofs, out));
            TEST_CHECK(matrix_finite(c.dfdx));
            // then all on a line
            for (int32_t i = 0; i < c.n; ++i) {
                x[3 * i] = c.rest[3 * i] + 2 * c.rest[3 * i + 1] + 5 * c.rest[3 * i + 2];
            }
        }
        free(x);
        end_case(&c);
    }
    test_context_end(ctx);
}

static void compute_all(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    Case c = make_load(ctx, load_of(LYRA_TRACTION_LIVE), true);
    TestRandom random = test_random(2);
    double *x = malloc((size_t)c.n * 3 * sizeof *x);
    set_state(&c, STATE_LARGE, &random, x);
    evaluate_all(&c, x, NULL, out);
    free(x);
    end_case(&c);
}

LYRA_TEST(traction_same_bits_at_any_thread_count)
{
    // gradient and two products of the 18 vertices of the box
    test_same_bits(compute_all, NULL, 3 * 3 * 18 * sizeof(double));
}

// ---- bad input ----------------------------------------------------------------------------------

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    LyraForce *force = NULL;
    const double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    LyraStatus status = lyra_traction_create(ctx, 4, rest, data, &force);
    lyra_force_destroy(force);
    return status;
}

LYRA_TEST(traction_bad_input_and_failing_allocations)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const int32_t tet[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}, wrong[3] = {0, 1, 4};
    const int32_t flat[6] = {0, 2, 1, 0, 1, 1};
    LyraTractionDef def = {.triangle_count = 1, .triangles = tet};
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    def = load_of(LYRA_TRACTION_PRESSURE);
    TEST_OK(build_all(ctx, &def)); // no triangles, no load
    def.triangle_count = 4;
    def.triangles = tet;
    test_fail_each_allocation(build_all, &def);
    def.triangle_count = -1;
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    def.triangle_count = 1;
    def.triangles = wrong;
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "triangle 0 has vertex 4");
    def.triangle_count = 2;
    def.triangles = flat;
    TEST_STATUS(build_all(ctx, &def), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "triangle 1");
    def.triangles = tet;
    def.traction[1] = INFINITY;
    TEST_STATUS(build_all(ctx, &def), LYRA_NOT_FINITE);
    def = load_of(LYRA_TRACTION_COUNT);
    TEST_STATUS(build_all(ctx, &def), LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}
