// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Mass properties and mass matrices against closed forms.

#include "mesh_samples.h"

static LyraMassProperties properties_of(const LyraMesh *mesh)
{
    LyraMassProperties properties = {0};
    TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &properties));
    return properties;
}

// R A R^T.
static void conjugate(const double R[9], const double A[9], double out[9])
{
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = 0; j < 3; ++j) {
            out[3 * i + j] = 0;
            for (int32_t k = 0; k < 9; ++k) {
                out[3 * i + j] += R[3 * i + k / 3] * A[k] * R[3 * j + k % 3];
            }
        }
    }
}

// ---- mass properties ----------------------------------------------------------------------------

LYRA_TEST(box_matches_closed_form)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 2; ++kind) {
        LyraMesh *mesh = sample_box(ctx, (LyraElementKind)kind, 6, 4, 2, 0.5);
        LyraMassProperties p = properties_of(mesh);
        double a = 3, b = 2, c = 1, m = 6000;
        TEST_NEAR(p.volume, 6, 1e-14);
        TEST_NEAR(p.mass, m, 1e-11);
        TEST_NEAR(p.center_of_mass[0], 1.5, 1e-15);
        TEST_NEAR(p.center_of_mass[1], 1, 1e-15);
        TEST_NEAR(p.center_of_mass[2], 0.5, 1e-15);
        const double inertia[9] = {m * (b * b + c * c) / 12, 0, 0, 0,
                                   m * (a * a + c * c) / 12, 0, 0, 0,
                                   m * (a * a + b * b) / 12};
        for (int32_t i = 0; i < 9; ++i) {
            TEST_NEAR(p.inertia[i], inertia[i], 1e-11);
        }
        TEST_NEAR(p.box[1][0], 3, 0);
        double volume = kind == 0 ? 0.125 / 6 : 0.125;
        TEST_NEAR(p.min_element_volume, volume, 1e-16);
        TEST_NEAR(p.max_element_volume, volume, 1e-16);
        double *volumes = malloc(300 * sizeof *volumes);
        lyra_mesh_element_volumes(mesh, volumes);
        TEST_NEAR(volumes[7], volume, 1e-16);
        free(volumes);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(one_tet_matches_closed_form)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t tet[4] = {0, 1, 2, 3};
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 4, x, 1, tet);
    LyraMassProperties p = properties_of(mesh);
    // int x^2 = 1/60, int x y = 1/120 over the unit tet; its centre is at 1/4
    double m = 1000.0 / 6, xx = 1000.0 / 60 - m / 16, xy = 1000.0 / 120 - m / 16;
    TEST_NEAR(p.mass, m, 1e-13);
    for (int32_t i = 0; i < 3; ++i) {
        TEST_NEAR(p.center_of_mass[i], 0.25, 1e-16);
        for (int32_t j = 0; j < 3; ++j) {
            TEST_NEAR(p.inertia[3 * i + j], i == j ? 2 * xx : -xy, 1e-14);
        }
    }
    // density by element overrules the material
    double density = 2;
    TEST_REQUIRE_OK(lyra_mesh_mass_properties(mesh, &density, &p));
    TEST_NEAR(p.mass, 2.0 / 6, 1e-16);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(sphere_and_torus_tend_to_closed_form)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraMesh *ball = sample_shape(ctx, LYRA_MESH_SHAPE_SPHERE, 200000);
    LyraMassProperties p = properties_of(ball);
    for (int32_t i = 0; i < 3; ++i) {
        TEST_NEAR(p.inertia[4 * i], 0.4 * p.mass, 3e-3 * 0.4 * p.mass);
        TEST_NEAR(p.center_of_mass[i], 0, 1e-4);
    }
    lyra_mesh_destroy(ball);
    LyraMesh *torus = sample_shape(ctx, LYRA_MESH_SHAPE_TORUS, 200000);
    p = properties_of(torus);
    // about the axis m (R^2 + 3/4 r^2), across it m (R^2/2 + 5/8 r^2)
    TEST_NEAR(p.inertia[8], p.mass * (1 + 0.75 * 0.16), 5e-3 * p.mass);
    TEST_NEAR(p.inertia[0], p.mass * (0.5 + 0.625 * 0.16), 5e-3 * p.mass);
    lyra_mesh_destroy(torus);
    test_context_end(ctx);
}

LYRA_TEST(rigid_motion_turns_inertia_only)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(3);
    LyraMesh *plain = sample_shape(ctx, LYRA_MESH_SHAPE_CYLINDER, 3000);
    LyraMesh *mesh = sample_grouped(ctx, plain);
    LyraMassProperties p = properties_of(mesh);
    for (int32_t round = 0; round < 5; ++round) {
        double R[9], turned[9], shift[3];
        test_random_rotation(&random, R);
        for (int32_t i = 0; i < 3; ++i) {
            shift[i] = test_random_in(&random, -1000, 1000);
        }
        LyraMesh *moved = NULL;
        TEST_REQUIRE_OK(lyra_mesh_transform(mesh, R, shift, &moved));
        LyraMassProperties q = properties_of(moved);
        conjugate(R, p.inertia, turned);
        // positions near 1000 carry errors of 1e-13, a body of size 1 keeps 12 digits
        TEST_NEAR(q.mass, p.mass, 1e-12 * p.mass);
        for (int32_t i = 0; i < 9; ++i) {
            TEST_NEAR(q.inertia[i], turned[i], 2e-12 * p.mass);
        }
        for (int32_t i = 0; i < 3; ++i) {
            double expected = shift[i] + R[3 * i] * p.center_of_mass[0] +
                              R[3 * i + 1] * p.center_of_mass[1] +
                              R[3 * i + 2] * p.center_of_mass[2];
            TEST_NEAR(q.center_of_mass[i], expected, 5e-13);
        }
        lyra_mesh_destroy(moved);
    }
    lyra_mesh_destroy(plain);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(far_from_the_origin_nothing_cancels)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_box(ctx, LYRA_ELEMENT_TET4, 8, 8, 8, 0.125);
    // a shift that keeps all positions exact
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, shift[3] = {1e9, -1e9, 4e9};
    LyraMesh *moved = NULL;
    TEST_REQUIRE_OK(lyra_mesh_transform(mesh, unit, shift, &moved));
    LyraMassProperties p = properties_of(mesh), q = properties_of(moved);
    TEST_NEAR(p.mass, q.mass, 1e-12);
    for (int32_t i = 0; i < 9; ++i) {
        TEST_NEAR(p.inertia[i], q.inertia[i], 1e-12);
    }
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(moved);
    test_context_end(ctx);
}

LYRA_TEST(parallel_axes_add_up_over_components)
{
    // the whole from its halves by Steiner's theorem
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *plain = sample_shape(ctx, LYRA_MESH_SHAPE_SPHERE, 2000);
    LyraMesh *mesh = sample_grouped(ctx, plain);
    LyraMassProperties whole = properties_of(mesh);
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t *list = malloc((size_t)view.element_count * sizeof *list);
    double mass = 0, inertia[9] = {0};
    for (int32_t half = 0; half < 2; ++half) {
        int32_t count = 0;
        for (int32_t e = 0; e < view.element_count; ++e) {
            if ((e < view.element_count / 3) == (half == 0)) {
                list[count++] = e;
            }
        }
        LyraMesh *part = NULL;
        TEST_REQUIRE_OK(lyra_mesh_submesh(mesh, count, list, NULL, NULL, &part));
        LyraMassProperties p = properties_of(part);
        mass += p.mass;
        double d[3], d2 = 0;
        for (int32_t i = 0; i < 3; ++i) {
            d[i] = p.center_of_mass[i] - whole.center_of_mass[i];
            d2 += d[i] * d[i];
        }
        for (int32_t i = 0; i < 9; ++i) {
            inertia[i] += p.inertia[i] + p.mass * ((i % 4 == 0 ? d2 : 0) - d[i / 3] * d[i % 3]);
        }
        lyra_mesh_destroy(part);
    }
    TEST_NEAR(mass, whole.mass, 1e-12 * mass);
    for (int32_t i = 0; i < 9; ++i) {
        TEST_NEAR(inertia[i], whole.inertia[i], 1e-12 * mass);
    }
    free(list);
    lyra_mesh_destroy(plain);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(skew_cubes_are_integrated_exactly)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(5);
    LyraMesh *cubes = sample_box(ctx, LYRA_ELEMENT_CUBE8, 3, 2, 2, 1);
    LyraMesh *tets = sample_box(ctx, LYRA_ELEMENT_TET4, 3, 2, 2, 1);
    for (int32_t round = 0; round < 5; ++round) {
        double matrix[9], shift[3] = {1, 2, 3};
        test_random_matrix3(&random, TEST_MATRIX_NORMAL, 1, matrix);
        LyraMesh *a = NULL, *b = NULL;
        TEST_REQUIRE_OK(lyra_mesh_transform(cubes, matrix, shift, &a));
        TEST_REQUIRE_OK(lyra_mesh_transform(tets, matrix, shift, &b));
        LyraMassProperties p = properties_of(a), q = properties_of(b);
        TEST_NEAR(p.mass, q.mass, 1e-12 * q.mass);
        TEST_CHECK(p.min_element_volume > 0);
        double scale = q.inertia[0] + q.inertia[4] + q.inertia[8];
        for (int32_t i = 0; i < 9; ++i) {
            TEST_NEAR(p.inertia[i], q.inertia[i], 1e-12 * scale);
        }
        lyra_mesh_destroy(a);
        lyra_mesh_destroy(b);
    }
    // an inverted one counts as its mirror image
    const double mirror[9] = {1, 0, 0, 0, 1, 0, 0.3, 0, 1}, zero[3] = {0};
    LyraMesh *skew = NULL;
    TEST_REQUIRE_OK(lyra_mesh_transform(cubes, mirror, zero, &skew));
    LyraMeshView view = lyra_mesh_view(skew);
    int32_t *elements = malloc(8 * 12 * sizeof *elements);
    for (int32_t i = 0; i < 96; ++i) {
        elements[i] = view.elements[i / 8 * 8 + (i + 4) % 8];
    }
    LyraMesh *inverted =
        sample_raw(ctx, LYRA_ELEMENT_CUBE8, view.vertex_count, view.positions, 12, elements);
    LyraMassProperties p = properties_of(skew), q = properties_of(inverted);
    TEST_NEAR(q.min_element_volume, -1, 1e-14);
    TEST_NEAR(q.mass, p.mass, 1e-11);
    TEST_NEAR(q.center_of_mass[2], p.center_of_mass[2], 1e-14);
    TEST_NEAR(q.inertia[2], p.inertia[2], 1e-11);
    free(elements);
    lyra_mesh_destroy(skew);
    lyra_mesh_destroy(inverted);
    lyra_mesh_destroy(cubes);
    lyra_mesh_destroy(tets);
    test_context_end(ctx);
}

LYRA_TEST(empty_and_giant_meshes)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 0, NULL, 0, NULL);
    LyraMassProperties p = properties_of(mesh);
    TEST_NEAR(p.volume + p.mass + p.box[1][2] + p.center_of_mass[0] + p.inertia[8], 0, 0);
    TEST_EQUAL(p.min_element, -1);
    LyraMassMatrix *matrix = NULL;
    TEST_REQUIRE_OK(lyra_mass_matrix_create(mesh, NULL, false, &matrix));
    TEST_EQUAL(lyra_mass_matrix_view(matrix).entry_count, 0);
    lyra_mass_matrix_destroy(matrix);
    lyra_mesh_destroy(mesh);

    const double lone[3] = {3, 4, 5};
    mesh = sample_raw(ctx, LYRA_ELEMENT_CUBE8, 1, lone, 0, NULL);
    p = properties_of(mesh);
    TEST_NEAR(p.center_of_mass[2], 5, 0);
    TEST_NEAR(p.box[0][0], 3, 0);
    lyra_mesh_destroy(mesh);

    const double x[12] = {0, 0, 0, 1e300, 0, 0, 0, 1e300, 0, 0, 0, 1e300};
    const int32_t tet[4] = {0, 1, 2, 3};
    mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, 4, x, 1, tet);
    TEST_STATUS(lyra_mesh_mass_properties(mesh, NULL, &p), LYRA_NOT_FINITE);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- mass matrices ------------------------------------------------------------------------------

// v^T M v and the sum of all entries, from compressed rows of either storage.
static double quadratic_form(LyraMassMatrixView m, const double *v, double *sum)
{
    double total = 0;
    *sum = 0;
    for (int32_t i = 0; i < m.row_count; ++i) {
        bool diagonal = false;
        for (int64_t k = m.row_start[i]; k < m.row_start[i + 1]; ++k) {
            int32_t j = m.column[k];
            diagonal |= i == j;
            TEST_CHECK(k == m.row_start[i] || m.column[k - 1] < j);
            TEST_CHECK(!m.upper || j >= i);
            double times = m.upper && i != j ? 2 : 1;
            total += times * m.values[k] * v[i] * v[j];
            *sum += times * m.values[k];
        }
        TEST_CHECK(diagonal);
    }
    return total;
}

LYRA_TEST(consistent_mass_integrates_linear_fields)
{
    // trial fields that the elements represent exactly: int rho x^2 over the box
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 2; ++kind) {
        LyraMesh *plain = sample_box(ctx, (LyraElementKind)kind, 6, 4, 2, 0.5);
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_shuffle(plain, 9, NULL, NULL, &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        double *v = malloc((size_t)view.vertex_count * sizeof *v);
        for (int upper = 0; upper < 2; ++upper) {
            LyraMassMatrix *matrix = NULL;
            TEST_REQUIRE_OK(lyra_mass_matrix_create(mesh, NULL, upper, &matrix));
            LyraMassMatrixView m = lyra_mass_matrix_view(matrix);
            TEST_EQUAL(m.row_count, view.vertex_count);
            TEST_EQUAL(m.upper, upper);
            for (int32_t axis = 0; axis < 3; ++axis) {
                for (int32_t i = 0; i < view.vertex_count; ++i) {
                    v[i] = view.positions[3 * i + axis];
                }
                double length = 3 - axis, sum = 0;
                TEST_NEAR(quadratic_form(m, v, &sum), 6000 * length * length / 3, 1e-10);
                TEST_NEAR(sum, 6000, 1e-10);
            }
            lyra_mass_matrix_destroy(matrix);
        }
        free(v);
        lyra_mesh_destroy(plain);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(element_lumped_and_consistent_masses_agree)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int kind = 0; kind < 2; ++kind) {
        LyraMesh *box = sample_box(ctx, (LyraElementKind)kind, 3, 3, 2, 0.2);
        LyraMesh *grouped = sample_grouped(ctx, box), *mesh = NULL;
        // the second kind of cubes is skew and goes through the general integrals
        const double skew[9] = {1, 0.2, 0, 0, 1, 0, 0.1, 0, 1}, zero[3] = {0};
        TEST_REQUIRE_OK(lyra_mesh_transform(grouped, skew, zero, &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        int32_t nodes = lyra_element_kind_nodes(view.kind);
        int32_t pairs = lyra_mesh_element_mass_count(view.kind);
        size_t n = (size_t)view.vertex_count;
        double *masses = malloc((size_t)view.element_count * (size_t)pairs * sizeof *masses);
        double *lumped = malloc(n * sizeof *lumped), *dense = calloc(n * n, sizeof *dense);
        lyra_mesh_element_masses(mesh, NULL, masses);
        lyra_mesh_lumped_masses(mesh, NULL, lumped);
        for (int32_t e = 0; e < view.element_count; ++e) {
            const double *m = masses + pairs * e;
            for (int32_t a = 0; a < nodes; ++a) {
                for (int32_t b = a; b < nodes; ++b, ++m) {
                    size_t i = (size_t)view.elements[nodes * e + a];
                    size_t j = (size_t)view.elements[nodes * e + b];
                    dense[i * n + j] += *m;
                    if (a != b) {
                        dense[j * n + i] += *m;
                    }
                }
            }
        }
        LyraMassMatrix *matrix = NULL;
        TEST_REQUIRE_OK(lyra_mass_matrix_create(mesh, NULL, false, &matrix));
        LyraMassMatrixView m = lyra_mass_matrix_view(matrix);
        int64_t nonzeros = 0;
        double total = 0;
        for (size_t i = 0; i < n; ++i) {
            double row = 0;
            for (int64_t k = m.row_start[i]; k < m.row_start[i + 1]; ++k) {
                TEST_NEAR(m.values[k], dense[i * n + (size_t)m.column[k]], 1e-14);
                row += m.values[k];
            }
            for (size_t j = 0; j < n; ++j) {
                nonzeros += dense[i * n + j] != 0;
            }
            TEST_NEAR(row, lumped[i], 1e-13);
            total += lumped[i];
        }
        TEST_EQUAL(nonzeros, m.entry_count);
        TEST_NEAR(total, properties_of(mesh).mass, 1e-12 * total);
        lyra_mass_matrix_destroy(matrix);
        free(masses);
        free(lumped);
        free(dense);
        lyra_mesh_destroy(box);
        lyra_mesh_destroy(grouped);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(cube_mass_table_is_exact)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = sample_box(ctx, LYRA_ELEMENT_CUBE8, 1, 1, 1, 1);
    double masses[36];
    lyra_mesh_element_masses(mesh, NULL, masses);
    // vertex 0 with itself, along an edge, across a face, through the body
    TEST_NEAR(masses[0], 1000.0 / 27, 1e-14);
    TEST_NEAR(masses[1], 1000.0 / 54, 1e-14);
    TEST_NEAR(masses[2], 1000.0 / 108, 1e-14);
    TEST_NEAR(masses[6], 1000.0 / 216, 1e-14);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(collapsed_elements_and_hubs_are_assembled)
{
    // a fan around vertex 0, and a tet that names a vertex twice
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t count = 2000;
    double *x = calloc(3 * (size_t)count + 12, sizeof *x);
    int32_t *tets = malloc(4 * (size_t)count * sizeof *tets);
    TestRandom random = test_random(1);
    for (int32_t i = 3; i < 3 * count + 9; ++i) {
        x[i] = test_random_in(&random, -1, 1);
    }
    for (int32_t e = 0; e < count; ++e) {
        const int32_t tet[4] = {e + 1, 0, e + 2, e == 7 ? 0 : e + 3};
        memcpy(tets + 4 * e, tet, sizeof tet);
    }
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_TET4, count + 3, x, count, tets);
    LyraMassMatrix *matrix = NULL;
    TEST_REQUIRE_OK(lyra_mass_matrix_create(mesh, NULL, false, &matrix));
    LyraMassMatrixView m = lyra_mass_matrix_view(matrix);
    TEST_EQUAL(m.row_start[1], count + 3);
    double sum = 0, *ones = malloc(((size_t)count + 3) * sizeof *ones);
    for (int32_t i = 0; i < count + 3; ++i) {
        ones[i] = 1;
    }
    double mass = properties_of(mesh).mass;
    TEST_NEAR(quadratic_form(m, ones, &sum), mass, 1e-11 * mass);
    lyra_mass_matrix_destroy(matrix);
    lyra_mesh_destroy(mesh);
    free(x);
    free(tets);
    free(ones);
    test_context_end(ctx);
}

LYRA_TEST(cube_with_a_vertex_named_twice_is_weighed_once)
{
    // the edge from vertex 2 to vertex 6 has shrunk to a point; volume remains
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[21] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
    const int32_t cube[8] = {0, 1, 2, 3, 4, 5, 2, 6};
    LyraMesh *mesh = sample_raw(ctx, LYRA_ELEMENT_CUBE8, 7, x, 1, cube);
    double mass = properties_of(mesh).mass, sum = 0, lumped[7], total = 0;
    TEST_CHECK(mass > 500 && mass < 1000);
    const double ones[7] = {1, 1, 1, 1, 1, 1, 1};
    for (int upper = 0; upper < 2; ++upper) {
        LyraMassMatrix *matrix = NULL;
        TEST_REQUIRE_OK(lyra_mass_matrix_create(mesh, NULL, upper, &matrix));
        TEST_NEAR(quadratic_form(lyra_mass_matrix_view(matrix), ones, &sum), mass, 1e-11);
        lyra_mass_matrix_destroy(matrix);
    }
    lyra_mesh_lumped_masses(mesh, NULL, lumped);
    for (int32_t v = 0; v < 7; ++v) {
        total += lumped[v];
    }
    TEST_NEAR(total, mass, 1e-11);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

// ---- threads and memory -------------------------------------------------------------------------

typedef struct Numbers {
    LyraMassProperties properties;
    double sums[3];
} Numbers;

static void compute_numbers(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    Numbers *numbers = out;
    LyraMesh *mesh = sample_shape(ctx, LYRA_MESH_SHAPE_TORUS, 60000);
    TEST_OK(lyra_mesh_mass_properties(mesh, NULL, &numbers->properties));
    LyraMassMatrix *matrix = NULL;
    TEST_OK(lyra_mass_matrix_create(mesh, NULL, true, &matrix));
    LyraMassMatrixView m = lyra_mass_matrix_view(matrix);
    for (int64_t k = 0; k < m.entry_count; ++k) {
        numbers->sums[k % 3] += m.values[k] * m.column[k];
    }
    lyra_mass_matrix_destroy(matrix);
    lyra_mesh_destroy(mesh);
}

LYRA_TEST(masses_have_the_same_bits_at_any_thread_count)
{
    test_same_bits(compute_numbers, NULL, sizeof(Numbers));
}

static LyraStatus weigh_once(LyraContext *ctx, void *data)
{
    LyraMeshShapeDef *def = data;
    LyraMesh *mesh = NULL;
    LyraMassMatrix *matrix = NULL;
    LyraMassProperties properties;
    LyraStatus status = lyra_mesh_generate(ctx, def, &mesh);
    if (status == LYRA_OK) {
        status = lyra_mesh_mass_properties(mesh, NULL, &properties);
    }
    if (status == LYRA_OK) {
        status = lyra_mass_matrix_create(mesh, NULL, false, &matrix);
    }
    lyra_mass_matrix_destroy(matrix);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(masses_survive_failing_allocations)
{
    LyraMeshShapeDef def = lyra_mesh_shape_def_default();
    def.elements = 60;
    test_fail_each_allocation(weigh_once, &def);
}
