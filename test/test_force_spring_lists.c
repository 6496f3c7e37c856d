// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lists of springs: where they come from, their constants, what is refused.

#include "force_cases.h"
#include "lyra/mesh_ops.h"
#include "lyra/springs.h"

// ---- lists --------------------------------------------------------------------------------------

LYRA_TEST(springs_of_a_mesh_are_its_distinct_pairs)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // 2 x 1 x 1 cells of 6 tets: edges 20, face diagonals 11, body diagonals 2
    LyraMesh *tets = make_box(ctx, LYRA_ELEMENT_TET4, 2, 1, 1);
    LyraMesh *cubes = make_box(ctx, LYRA_ELEMENT_CUBE8, 2, 1, 1);
    LyraSprings *springs = NULL;
    TEST_REQUIRE_OK(lyra_springs_create_from_mesh(ctx, tets, &springs));
    LyraSpringsView view = lyra_springs_view(springs);
    TEST_EQUAL(view.spring_count, 33);
    TEST_EQUAL(view.group_count, 1);
    LyraMeshEdges *edges = NULL;
    TEST_REQUIRE_OK(lyra_mesh_edges_create(tets, &edges));
    LyraMeshEdgesView expected = lyra_mesh_edges_view(edges);
    TEST_EQUAL(expected.edge_count, view.spring_count);
    TEST_CHECK(memcmp(expected.vertices, view.vertices,
                      (size_t)view.spring_count * 2 * sizeof(int32_t)) == 0);
    lyra_mesh_edges_destroy(edges);
    lyra_springs_destroy(springs);
    // cubes: 28 + 28 less the 6 of the shared face; 12 corners have 20 edges, 22 face diagonals
    // less the 2 counted twice, 8 body diagonals
    TEST_REQUIRE_OK(lyra_springs_create_from_mesh(ctx, cubes, &springs));
    view = lyra_springs_view(springs);
    TEST_EQUAL(view.spring_count, 50);
    int32_t counts[3] = {0};
    for (int32_t s = 0; s < view.spring_count; ++s) {
        ++counts[view.groups[s]];
        TEST_NEAR(view.rest_lengths[s], 0.1 * sqrt(view.groups[s] + 1), 1e-15);
    }
    TEST_EQUAL(counts[LYRA_MESH_SPRING_EDGE], 20);
    TEST_EQUAL(counts[LYRA_MESH_SPRING_FACE_DIAGONAL], 22);
    TEST_EQUAL(counts[LYRA_MESH_SPRING_BODY_DIAGONAL], 8);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(tets);
    lyra_mesh_destroy(cubes);
    test_context_end(ctx);
}

// grid of nx x ny quads in a plane
static void make_grid(int32_t nx, int32_t ny, double *x, int32_t *quads)
{
    for (int32_t i = 0; i < (nx + 1) * (ny + 1); ++i) {
        x[3 * i] = i % (nx + 1);
        x[3 * i + 1] = i / (nx + 1);
        x[3 * i + 2] = 0;
    }
    for (int32_t q = 0; q < nx * ny; ++q) {
        int32_t a = q % nx + (nx + 1) * (q / nx);
        memcpy(quads + 4 * q, (int32_t[]){a, a + 1, a + nx + 2, a + nx + 1}, 4 * sizeof a);
    }
}

LYRA_TEST(springs_of_quads_are_structural_shear_and_bend)
{
    enum { NX = 4, NY = 3, N = (NX + 1) * (NY + 1) };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double x[3 * N], masses[N];
    int32_t quads[4 * NX * NY], counts[3] = {0};
    make_grid(NX, NY, x, quads);
    LyraSprings *springs = NULL;
    TEST_REQUIRE_OK(lyra_springs_create_from_quads(ctx, N, x, NX * NY, quads, &springs));
    LyraSpringsView view = lyra_springs_view(springs);
    static const double length[3] = {1, 1.4142135623730951, 2};
    for (int32_t s = 0; s < view.spring_count; ++s) {
        ++counts[view.groups[s]];
        TEST_NEAR(view.rest_lengths[s], length[view.groups[s]], 1e-15);
    }
    TEST_EQUAL(counts[LYRA_QUAD_SPRING_STRUCTURAL], NX * (NY + 1) + NY * (NX + 1));
    TEST_EQUAL(counts[LYRA_QUAD_SPRING_SHEAR], 2 * NX * NY);
    TEST_EQUAL(counts[LYRA_QUAD_SPRING_BEND], (NX - 1) * (NY + 1) + (NY - 1) * (NX + 1));
    lyra_springs_destroy(springs);
    // 3 kg/m^2: corners a quarter, edges a half, inside a whole
    lyra_quads_lumped_masses(N, x, NX * NY, quads, 3, masses);
    TEST_NEAR(masses[0], 0.75, 1e-15);
    TEST_NEAR(masses[1], 1.5, 1e-15);
    TEST_NEAR(masses[NX + 2], 3, 1e-15);
    // the surface of a cube: all vertices have valence 3, and all neighbours share a quad
    const double corners[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    const int32_t faces[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4,
                               1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    TEST_REQUIRE_OK(lyra_springs_create_from_quads(ctx, 8, corners, 6, faces, &springs));
    view = lyra_springs_view(springs);
    TEST_EQUAL(view.spring_count, 24);
    TEST_EQUAL(view.group_count, 2);
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}

LYRA_TEST(springs_constants_come_from_groups_and_moduli)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // two unit tets on a common face 1 2 3
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    const int32_t tets[8] = {0, 1, 2, 3, 4, 2, 1, 3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 5,
                         .element_count = 2,
                         .positions = x,
                         .elements = tets};
    LyraMesh *mesh = NULL;
    LyraSprings *springs = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_REQUIRE_OK(lyra_springs_create_from_mesh(ctx, mesh, &springs));
    LyraSpringsView view = lyra_springs_view(springs);
    TEST_EQUAL(view.spring_count, 9);
    double volumes[2], stiffness[9], young[2] = {6, 12};
    lyra_mesh_element_volumes(mesh, volumes);
    TEST_OK(lyra_springs_modulus_stiffness(springs, mesh, young, stiffness));
    for (int32_t s = 0; s < view.spring_count; ++s) {
        int32_t a = view.vertices[2 * s], b = view.vertices[2 * s + 1];
        double sum = b == 4   ? 12 * volumes[1]
                     : a == 0 ? 6 * volumes[0]
                              : 6 * volumes[0] + 12 * volumes[1];
        TEST_NEAR(stiffness[s], sum / (view.rest_lengths[s] * view.rest_lengths[s]), 1e-14);
    }
    // the mesh's own material: E = 1e6
    TEST_OK(lyra_springs_modulus_stiffness(springs, mesh, NULL, stiffness));
    TEST_NEAR(stiffness[0], 1e6 / 6, 1e-8);
    young[1] = -1;
    TEST_STATUS(lyra_springs_modulus_stiffness(springs, mesh, young, stiffness),
                LYRA_INVALID_ARGUMENT);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(mesh);
    // a chain with two groups: series of energies tells which constant each spring has
    const int32_t pairs[4] = {0, 1, 1, 2}, groups[2] = {1, 0};
    const double line[9] = {0, 0, 0, 1, 0, 0, 3, 0, 0}, pulled[9] = {0, 0, 0, 2, 0, 0, 6, 0, 0};
    const double group_stiffness[2] = {10, 100};
    LyraSpringsDef list = lyra_springs_def_default();
    list.vertex_count = 3;
    list.spring_count = 2;
    list.vertices = pairs;
    list.groups = groups;
    list.positions = line;
    LyraMassSpringDef def = lyra_mass_spring_def_default();
    def.group_stiffness = group_stiffness;
    LyraForce *force = NULL;
    TEST_REQUIRE_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_EQUAL(lyra_springs_view(springs).group_count, 2);
    TEST_REQUIRE_OK(lyra_mass_spring_create(ctx, springs, &def, &force));
    Case c = make_case(ctx, 3, line, force);
    double energy;
    energy_of_x(&c, pulled, &energy);
    TEST_NEAR(energy, 50.0 * 1 + 5.0 * 4, 1e-13);
    end_case(&c);
    lyra_springs_destroy(springs);
    test_context_end(ctx);
}

// ---- bad input ----------------------------------------------------------------------------------

LYRA_TEST(springs_bad_lists_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t pairs[4] = {0, 1, 1, 2}, groups[2] = {0, 0};
    double x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, lengths[2] = {1, 1};
    LyraSprings *springs = NULL;
    LyraSpringsDef list = {.vertex_count = 3};
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
    list = lyra_springs_def_default();
    // nothing at all is a list
    TEST_OK(lyra_springs_create(ctx, &list, &springs));
    TEST_EQUAL(lyra_springs_view(springs).group_count, 0);
    lyra_springs_destroy(springs);
    list.vertex_count = 3;
    list.spring_count = 2;
    list.vertices = pairs;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
    list.positions = x;
    list.groups = groups;
    for (int bad = 0; bad < 3; ++bad) {
        pairs[3] = bad == 0 ? 3 : bad == 1 ? -1 : 1;
        TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
        TEST_CONTAINS(lyra_error_message(), "spring 1");
    }
    pairs[3] = 2;
    groups[1] = -1;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
    groups[1] = 0;
    x[8] = INFINITY;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_NOT_FINITE);
    list.rest_lengths = lengths;
    lengths[1] = -1;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_INVALID_ARGUMENT);
    lengths[1] = NAN;
    TEST_STATUS(lyra_springs_create(ctx, &list, &springs), LYRA_NOT_FINITE);
    int32_t quads[8] = {0, 1, 2, 3, 0, 1, 1, 2};
    double corners[12] = {0};
    TEST_STATUS(lyra_springs_create_from_quads(ctx, 4, corners, 2, quads, &springs), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "quad 1");
    quads[5] = 4;
    TEST_STATUS(lyra_springs_create_from_quads(ctx, 4, corners, 2, quads, &springs), LYRA_BAD_MESH);
    TEST_STATUS(lyra_springs_create_from_quads(ctx, 4, NULL, 2, quads, &springs),
                LYRA_INVALID_ARGUMENT);
    test_context_end(ctx);
}

LYRA_TEST(springs_bad_constants_and_meshes_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    // two corners in one place: fine for given constants, not for a modulus
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0};
    int32_t tet[4] = {0, 1, 2, 3};
    LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                         .vertex_count = 4,
                         .element_count = 1,
                         .positions = x,
                         .elements = tet};
    LyraMesh *mesh = NULL, *cubes = make_box(ctx, LYRA_ELEMENT_CUBE8, 1, 1, 1);
    LyraSprings *springs = NULL;
    LyraForce *force = NULL;
    double stiffness[28];
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_REQUIRE_OK(lyra_springs_create_from_mesh(ctx, mesh, &springs));
    TEST_STATUS(lyra_springs_modulus_stiffness(springs, mesh, NULL, stiffness), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "from vertex 0 to 3");
    TEST_STATUS(lyra_springs_modulus_stiffness(springs, cubes, NULL, stiffness), LYRA_UNSUPPORTED);
    LyraMassSpringDef def = {.stiffness = 1};
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    def = lyra_mass_spring_def_default();
    def.stiffness = -1;
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "stiffness of element 0 is -1");
    def.stiffness = NAN;
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_NOT_FINITE);
    def.stiffness = 1;
    def.damping = -1;
    TEST_OK(lyra_mass_spring_create(ctx, springs, &def, &force)); // not used
    lyra_force_destroy(force);
    def.damping_kind = LYRA_SPRING_DAMPING_FULL;
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    def.damping_kind = LYRA_SPRING_DAMPING_KIND_COUNT;
    TEST_STATUS(lyra_mass_spring_create(ctx, springs, &def, &force), LYRA_INVALID_ARGUMENT);
    lyra_springs_destroy(springs);
    lyra_mesh_destroy(mesh);
    tet[3] = 1;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &data, &mesh));
    TEST_STATUS(lyra_springs_create_from_mesh(ctx, mesh, &springs), LYRA_BAD_MESH);
    TEST_CONTAINS(lyra_error_message(), "vertex 1 twice");
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(cubes);
    test_context_end(ctx);
}

// ---- memory
// ----------------------------------------------------------------------------------------

static LyraStatus build_all(LyraContext *ctx, void *data)
{
    const LyraMeshView *view = data;
    double x[3 * 12], stiffness[64];
    int32_t quads[4 * 6];
    make_grid(3, 2, x, quads);
    LyraMesh *mesh = NULL;
    LyraSprings *springs = NULL, *cloth = NULL;
    LyraForce *forces[2] = {NULL, NULL};
    LyraAssembly *assembly = NULL;
    LyraMassSpringDef def = lyra_mass_spring_def_default();
    double contraction[3 * 12];
    LyraEvaluation evaluation = {.x = x, .a = x, .b = x, .contraction = contraction};
    LyraStatus status = lyra_mesh_create(ctx, view, &mesh);
    status = status ? status : lyra_springs_create_from_mesh(ctx, mesh, &springs);
    status = status ? status : lyra_springs_modulus_stiffness(springs, mesh, NULL, stiffness);
    status = status ? status : lyra_springs_create_from_quads(ctx, 12, x, 6, quads, &cloth);
    status = status ? status : lyra_mass_spring_create(ctx, springs, &def, &forces[0]);
    status = status ? status : lyra_mass_spring_create(ctx, cloth, &def, &forces[1]);
    status = status ? status : lyra_assembly_create(ctx, 12, x, 1, &forces[1], &assembly);
    status = status ? status : lyra_assembly_evaluate(assembly, &evaluation);
    lyra_assembly_destroy(assembly);
    lyra_force_destroy(forces[0]);
    lyra_force_destroy(forces[1]);
    lyra_springs_destroy(springs);
    lyra_springs_destroy(cloth);
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(springs_allocation_failures_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = make_box(ctx, LYRA_ELEMENT_TET4, 2, 1, 1);
    LyraMeshView view = lyra_mesh_view(mesh);
    test_fail_each_allocation(build_all, &view);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}
