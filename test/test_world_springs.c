// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of springs: which springs there are, what they weigh, how they push; that they can be
// selected, held, loaded and restored; and what is wrong with them.

#include "lyra/mesh_ops.h"
#include "lyra/world.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

static LyraBodyDef springs_body(const LyraBodySprings *springs)
{
    LyraBodyDef body = lyra_body_def_default();
    body.kind = "springs";
    body.springs = springs;
    return body;
}

// two quads of one square metre in the plane z = 0
static LyraSurface *make_quads(LyraContext *ctx)
{
    static const double positions[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0};
    static const int32_t begin[] = {0, 4, 8}, corners[] = {0, 1, 4, 3, 1, 2, 5, 4};
    LyraSurfaceView view = {.vertex_count = 6,
                            .positions = positions,
                            .face_count = 2,
                            .corner_count = 8,
                            .face_begin = begin,
                            .corner_vertices = corners};
    LyraSurface *surface = NULL;
    TEST_OK(lyra_surface_create(ctx, &view, &surface));
    return surface;
}

static LyraWorld *make_one(LyraContext *ctx, const LyraBodyDef *body)
{
    LyraWorld *world = NULL;
    if (!TEST_OK(lyra_world_create(ctx, NULL, &world)) ||
        !TEST_OK(lyra_world_add_body(world, body, NULL)) || !TEST_OK(lyra_world_prepare(world))) {
        lyra_world_destroy(world);
        return NULL;
    }
    return world;
}

static int32_t count_springs(const LyraWorld *world)
{
    LyraForceGroup group;
    return lyra_model_group(lyra_world_view(world).model, 0, &group) ? group.stencil_count : -1;
}

static double total_mass(const LyraWorld *world)
{
    LyraModelView model = lyra_model_view(lyra_world_view(world).model);
    double sum = 0;
    for (int32_t v = 0; v < model.vertex_count; ++v) {
        sum += model.masses[v];
    }
    return sum;
}

// energy with vertex `v` moved along x
static double stretched(LyraWorld *world, int32_t v, double by)
{
    LyraEnergies energies = {0};
    double *u = lyra_vector_values_mutable(lyra_state_view(lyra_world_view(world).state).u);
    u[3 * v] = by;
    TEST_OK(lyra_world_energies(world, &energies));
    u[3 * v] = 0;
    return energies.elastic;
}

LYRA_TEST(springs_over_quads_are_three_kinds)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *quads = make_quads(ctx);
    LyraBodySprings springs = lyra_body_springs_default();
    springs.over = LYRA_SPRINGS_OVER_QUADS;
    springs.surface = quads;
    springs.structural = 100;
    springs.shear = 10;
    springs.bend = 1;
    springs.surface_density = 3;
    LyraBodyDef body = springs_body(&springs);
    LyraWorld *world = make_one(ctx, &body);
    TEST_REQUIRE(world);
    LyraWorldView view = lyra_world_view(world);
    TEST_STRING(view.bodies[0].kind, "springs");
    // 7 edges, 4 diagonals, 2 past the middle
    TEST_EQUAL(count_springs(world), 13);
    TEST_NEAR(total_mass(world), 6, 1e-14);
    TEST_NEAR(lyra_model_view(view.model).masses[1], 1.5, 1e-15);
    TEST_EQUAL(view.bodies[0].surface_count, 1);
    TEST_CHECK(!view.bodies[0].mesh && !view.bodies[0].surfaces[0].embedding);
    // corner 2 moves out by 0.5: its edge along x, the one past the middle, one diagonal, and the
    // edge across, which turns
    double edge = hypot(1, 0.5) - 1, diagonal = hypot(1.5, 1) - sqrt(2);
    double energy = 0.5 * (100 * 0.25 + 1 * 0.25 + 10 * diagonal * diagonal + 100 * edge * edge);
    TEST_NEAR(stretched(world, 2, 0.5), energy, 1e-12);
    lyra_world_destroy(world);
    // a mass of all of it, shared as areas are; shear as the edges, where it is not given
    springs.mass = 12;
    springs.shear = NAN;
    springs.bend = 0;
    world = make_one(ctx, &body);
    TEST_REQUIRE(world);
    TEST_NEAR(total_mass(world), 12, 1e-13);
    TEST_NEAR(lyra_model_view(lyra_world_view(world).model).masses[1], 3, 1e-14);
    energy = 0.5 * 100 * (0.25 + diagonal * diagonal + edge * edge);
    TEST_NEAR(stretched(world, 2, 0.5), energy, 1e-12);
    lyra_world_destroy(world);
    lyra_surface_destroy(quads);
    test_context_end(ctx);
}

LYRA_TEST(springs_over_edges_and_placements)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *quads = make_quads(ctx);
    LyraBodySprings springs = lyra_body_springs_default();
    springs.over = LYRA_SPRINGS_OVER_EDGES;
    springs.surface = quads;
    LyraBodyDef body = springs_body(&springs);
    body.transform.scale[0] = body.transform.scale[1] = body.transform.scale[2] = 2;
    body.transform.translate[2] = 5;
    LyraWorld *world = make_one(ctx, &body);
    TEST_REQUIRE(world);
    LyraWorldView view = lyra_world_view(world);
    TEST_EQUAL(count_springs(world), 7);
    // 2 square metres, twice as large in each direction, of 1 kg/m^2
    TEST_NEAR(total_mass(world), 8, 1e-13);
    const double *x = lyra_world_positions(world, 0, NULL);
    TEST_NEAR(x[3 * 5], 4, 0);
    TEST_NEAR(x[3 * 5 + 2], 5, 0);
    TEST_NEAR(lyra_surface_view(view.bodies[0].surfaces[0].surface).positions[3 * 5], 4, 0);
    // 100 N/m unless told
    double across = hypot(2, 0.5) - 2;
    TEST_NEAR(stretched(world, 2, 0.5), 0.5 * 100 * (0.25 + across * across), 1e-12);
    lyra_world_destroy(world);
    lyra_surface_destroy(quads);
    test_context_end(ctx);
}

LYRA_TEST(springs_over_elements_weigh_as_the_solid)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
    LyraBodyDef body = springs_body(NULL);
    body.generate = &shape;
    body.density = 700;
    body.material.young = 3e4;
    LyraWorld *springs = make_one(ctx, &body);
    LyraBodyDef solid = lyra_body_def_default();
    solid.generate = &shape;
    solid.density = 700;
    solid.material.young = 3e4;
    solid.material.model = "mass-spring";
    LyraWorld *law = make_one(ctx, &solid);
    TEST_REQUIRE(springs && law);
    TEST_NEAR(total_mass(springs), 700, 1e-10);
    TEST_CHECK(lyra_world_view(springs).bodies[0].mesh != NULL);
    // without a stiffness, that of the modulus, as the law has it
    TEST_NEAR(stretched(springs, 3, 0.25), stretched(law, 3, 0.25), 0);
    TEST_CHECK(stretched(springs, 3, 0.25) > 1);
    lyra_world_destroy(law);
    lyra_world_destroy(springs);
    // cubes: edges, and diagonals of their own stiffness
    LyraBodySprings own = lyra_body_springs_default();
    own.structural = 50;
    own.shear = 0;
    shape.kind = LYRA_ELEMENT_CUBE8;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
    LyraBodyDef cube = springs_body(&own);
    cube.generate = &shape;
    LyraWorld *world = make_one(ctx, &cube);
    TEST_REQUIRE(world);
    TEST_EQUAL(count_springs(world), 28);
    double turned = hypot(1, 0.5) - 1;
    TEST_NEAR(stretched(world, 0, -0.5), 0.5 * 50 * (0.25 + 2 * turned * turned), 1e-12);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(damping_brakes_along_springs_or_all)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int full = 0; full < 2; ++full) {
        LyraBodySprings springs = lyra_body_springs_default();
        springs.over = LYRA_SPRINGS_OVER_CHAIN;
        springs.structural = 0;
        springs.damping = 1;
        springs.full = full;
        springs.mass = 2;
        LyraBodyDef body = springs_body(&springs);
        LyraWorld *world = make_one(ctx, &body);
        TEST_REQUIRE(world);
        // one end along the spring, the other across
        double *v = lyra_vector_values_mutable(lyra_state_view(lyra_world_view(world).state).v);
        v[0] = 1;
        v[4] = 1;
        TEST_OK(lyra_world_step(world, NULL));
        v = lyra_vector_values_mutable(lyra_state_view(lyra_world_view(world).state).v);
        // backward Euler of v' = -2 v of the relative velocity, of unit masses
        double kept = 1 / (1 + 0.01 * 2 * 1.0);
        TEST_NEAR(v[0] - v[3], kept, 1e-3);
        TEST_NEAR(v[4] - v[1], full ? kept : 1, 1e-3);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

LYRA_TEST(springs_are_selected_held_loaded_and_restored)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraBodySprings springs = lyra_body_springs_default();
    springs.over = LYRA_SPRINGS_OVER_CHAIN;
    springs.count = 6;
    springs.structural = 200;
    springs.mass = 3;
    springs.to[0] = 2.5;
    LyraBodyDef body = springs_body(&springs);
    LyraSelector end = lyra_selector_default(), near = lyra_selector_default();
    LyraSelectNear place = {.point = {2.4, 0, 0}, .distance = NAN, .count = 1};
    LyraLoadDef load = lyra_load_def_default();
    LyraWorld *world = NULL;
    end.vertices = &(int32_t){0};
    end.vertex_count = 1;
    near.near = &place;
    load.select = near;
    load.force[0] = lyra_curve_constant(20);
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    TEST_REQUIRE_OK(lyra_world_add_body(world, &body, NULL));
    TEST_REQUIRE_OK(lyra_world_fix(world, NULL, &end));
    TEST_REQUIRE_OK(lyra_world_add_load(world, &load));
    TEST_EQUAL(lyra_world_view(world).bodies[0].vertex_count, 6);
    for (int s = 0; s < 5; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    TEST_NEAR(total_mass(world), 3, 1e-15);
    char path[1024];
    snprintf(path, sizeof path, "%s", test_temp_path("springs.lyra"));
    TEST_OK(lyra_world_save(world, path));
    TEST_OK(lyra_world_step(world, NULL));
    double after = lyra_world_positions(world, 0, NULL)[15];
    TEST_OK(lyra_world_restore(world, path));
    TEST_OK(lyra_world_step(world, NULL));
    TEST_NEAR(lyra_world_positions(world, 0, NULL)[15], after, 0);
    TEST_CHECK(after > 2.5);
    TEST_NEAR(lyra_world_positions(world, 0, NULL)[0], 0, 0);
    // stiffness is a slider, by the path of all springs
    LyraWorldParameter stiffness;
    TEST_OK(lyra_world_get(world, "bodies.*.springs.structural", &stiffness));
    TEST_OK(lyra_world_set(world, "bodies.*.springs.structural", 2));
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- Laplacian damping --------------------------------------------------------------------------

LYRA_TEST(laplacian_damping_leaves_uniform_motion)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorldDef def = lyra_world_def_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef body = lyra_body_def_default();
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 2;
    body.generate = &shape;
    body.start.velocity[1] = 1;
    def.damping.laplacian = 100;
    for (int turns = 0; turns < 2; ++turns) {
        LyraWorld *world = NULL;
        LyraEnergies before, after;
        body.start.angular_velocity[2] = 3.0 * turns;
        TEST_REQUIRE_OK(lyra_world_create(ctx, &def, &world));
        TEST_REQUIRE_OK(lyra_world_add_body(world, &body, NULL));
        TEST_REQUIRE_OK(lyra_world_add_body(world, &body, NULL));
        TEST_OK(lyra_world_energies(world, &before));
        TEST_OK(lyra_world_step(world, NULL));
        TEST_OK(lyra_world_energies(world, &after));
        double lost = 1 - (after.kinetic + after.elastic) / before.kinetic;
        TEST_CHECK_MSG(turns ? lost > 1e-3 : fabs(lost) < 1e-9, "%g of the energy was lost", lost);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// ---- what is wrong ------------------------------------------------------------------------------

typedef struct Bad {
    const char *sentence;
    LyraStatus status;
    LyraSpringsOver over;
    bool surface, mesh, fibre;
    double structural, young, density;
    const char *model, *file;
} Bad;

LYRA_TEST(wrong_springs_are_one_sentence)
{
    static const Bad bad[] = {
        {"springs.surface: found none, expected one surface", LYRA_BAD_FORMAT,
         LYRA_SPRINGS_OVER_QUADS, .mesh = false},
        {"springs.surface: found a file and arrays", LYRA_BAD_FORMAT, LYRA_SPRINGS_OVER_EDGES,
         .surface = true, .file = "no.obj"},
        {"no.obj", LYRA_IO_FAILED, LYRA_SPRINGS_OVER_EDGES, .file = "no.obj"},
        {"generate: found generate of a body of springs", LYRA_BAD_FORMAT, LYRA_SPRINGS_OVER_CHAIN,
         .mesh = true},
        {"springs.structural: found -1", LYRA_INVALID_ARGUMENT, LYRA_SPRINGS_OVER_CHAIN,
         .structural = -1},
        {"material.model: found model", LYRA_BAD_FORMAT, LYRA_SPRINGS_OVER_CHAIN, .model = "stvk"},
        {"material.young: found young", LYRA_BAD_FORMAT, LYRA_SPRINGS_OVER_CHAIN, .young = 1e5},
        {"material.density: found density", LYRA_BAD_FORMAT, LYRA_SPRINGS_OVER_CHAIN, .density = 7},
        {"fibre: found fibre", LYRA_BAD_FORMAT, LYRA_SPRINGS_OVER_ELEMENTS, .mesh = true,
         .fibre = true},
        {"found neither mesh nor generate", LYRA_BAD_FORMAT, LYRA_SPRINGS_OVER_ELEMENTS,
         .mesh = false},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *quads = make_quads(ctx);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyFibre fibre = lyra_body_fibre_default();
    LyraWorld *world = NULL;
    shape.cells[0] = shape.cells[1] = shape.cells[2] = 1;
    TEST_REQUIRE_OK(lyra_world_create(ctx, NULL, &world));
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        LyraBodySprings springs = lyra_body_springs_default();
        springs.over = bad[b].over;
        springs.surface = bad[b].surface ? quads : NULL;
        springs.file = bad[b].file;
        springs.structural = bad[b].structural != 0 ? bad[b].structural : NAN;
        LyraBodyDef body = springs_body(&springs);
        body.generate = bad[b].mesh ? &shape : NULL;
        body.fibre = bad[b].fibre ? &fibre : NULL;
        body.material.young = bad[b].young;
        body.density = bad[b].density > 0 ? bad[b].density : NAN;
        body.material.model = bad[b].model ? bad[b].model : body.material.model;
        TEST_STATUS(lyra_world_add_body(world, &body, NULL), bad[b].status);
        TEST_CONTAINS(lyra_error_message(), bad[b].sentence);
    }
    // springs of a solid
    LyraBodySprings springs = lyra_body_springs_default();
    LyraBodyDef body = lyra_body_def_default();
    body.generate = &shape;
    body.springs = &springs;
    TEST_STATUS(lyra_world_add_body(world, &body, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "expected them of bodies of kind springs");
    TEST_EQUAL(lyra_world_view(world).body_count, 0);
    lyra_world_destroy(world);
    lyra_surface_destroy(quads);
    test_context_end(ctx);
}

static LyraStatus make_and_step(LyraContext *ctx, void *data)
{
    const LyraSurface *quads = data;
    LyraBodySprings springs = lyra_body_springs_default();
    LyraBodyDef body = springs_body(&springs);
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    springs.over = LYRA_SPRINGS_OVER_EDGES;
    springs.surface = quads;
    springs.damping = 0.5;
    def.damping.laplacian = 1;
    body.transform.translate[0] = 1;
    LyraStatus status = lyra_world_create(ctx, &def, &world);
    status = status == LYRA_OK ? lyra_world_add_body(world, &body, NULL) : status;
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(failing_allocations_of_springs_leak_nothing)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSurface *quads = make_quads(ctx);
    test_fail_each_allocation(make_and_step, quads);
    lyra_surface_destroy(quads);
    test_context_end(ctx);
}
