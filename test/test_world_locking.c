// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of every element and every way to take volumes, in worlds: warnings of tets that lock,
// solvers that agree, methods, checkpoints and threads.

#include "lyra/lyra.h"
#include "lyra_test.h"
#include "scene_yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ways[][2] = {{"tet", "standard"},  {"tet", "nodal"},     {"cube", "mean"},
                                      {"hex", "standard"},  {"hex", "mean"},      {"tet10", "mean"},
                                      {"cube", "standard"}, {"tet10", "standard"}};

enum { WAYS = sizeof ways / sizeof ways[0] };

// a block, held on its left and loaded; `material` and `rest` are further lines
typedef struct Block {
    const char *element, *volumetric, *cells, *material, *rest;
} Block;

static LyraStatus load_block(LyraContext *ctx, const Block *block, LyraWorld **out)
{
    char text[2048];
    int length =
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - name: block\n"
                 "    generate: {size: [0.4, 0.1, 0.1], cells: %s, element: %s}\n"
                 "    material: {density: 500, volumetric: %s, %s}\n"
                 "constraints:\n"
                 "  - select: {half-space: {point: [-0.199, 0, 0], normal: [-1, 0, 0]}}\n"
                 "%s",
                 block->cells, block->element, block->volumetric, block->material, block->rest);
    return lyra_world_load_memory(ctx, text, (size_t)length, NULL, NULL, out, NULL);
}

// ---- warnings -----------------------------------------------------------------------------------

typedef struct Warnings {
    int count;
    char last[512];
} Warnings;

static void note(void *user, LyraLogLevel level, const char *message)
{
    Warnings *warnings = user;
    if (level == LYRA_LOG_WARNING) {
        ++warnings->count;
        snprintf(warnings->last, sizeof warnings->last, "%s", message);
    }
}

// warnings while a block is made and takes two steps
static Warnings find_warnings(const Block *block)
{
    Warnings warnings = {0};
    LyraContextDef def = lyra_context_def_default();
    LyraContext *ctx = NULL;
    LyraWorld *world = NULL;
    def.log = note;
    def.log_user = &warnings;
    TEST_OK(lyra_context_create(&def, &ctx));
    TEST_OK(load_block(ctx, block, &world));
    for (int s = 0; world && s < 2; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    lyra_world_destroy(world);
    lyra_context_destroy(ctx);
    return warnings;
}

LYRA_TEST(nearly_incompressible_linear_tets_are_warned_of_once)
{
    REQUIRE_YAML();
    Block block = {"tet", "standard", "[4, 1, 1]", "young: 1 MPa, poisson: 0.49",
                   "integrator: {name: backward-euler}\ntime: {dt: 1 ms, duration: 1}\n"};
    Warnings found = find_warnings(&block);
    TEST_EQUAL(found.count, 1);
    TEST_STRING(found.last,
                "body block: tets of 4 nodes are far too stiff at a Poisson's ratio of 0.49; "
                "\"volumetric: nodal\" helps, or tets of 10 nodes (\"element: tet10\", `lyra mesh "
                "quadratic`) with \"volumetric: mean\"");
    block.volumetric = "nodal";
    TEST_EQUAL(find_warnings(&block).count, 0);
    block.volumetric = "standard";
    block.element = "tet10";
    TEST_EQUAL(find_warnings(&block).count, 0);
    block.element = "tet";
    block.material = "young: 1 MPa, poisson: 0.45";
    TEST_EQUAL(find_warnings(&block).count, 0);
    block.material = "young: 1 MPa, poisson: 0.49, model: corotational";
    found = find_warnings(&block);
    TEST_EQUAL(found.count, 1);
    TEST_CONTAINS(found.last, "or \"volumetric: nodal\" of a law, as neo-hookean, in place of "
                              "corotational");
}

// stvk with a mean of the volume has states of strain without a floor of energy
LYRA_TEST(laws_that_mix_shape_and_volume_are_warned_of)
{
    REQUIRE_YAML();
    static const char *const models[] = {"stvk", "rotated-linear", "biphasic-spline", "neo-hookean",
                                         "hencky"};
    for (int m = 0; m < 5; ++m) {
        char material[64];
        snprintf(material, sizeof material, "young: 1 MPa, poisson: 0.48, model: %s", models[m]);
        Block block = {"tet10", "mean", "[4, 1, 1]", material,
                       "integrator: {name: backward-euler}\ntime: {dt: 1 ms, duration: 1}\n"};
        Warnings found = find_warnings(&block);
        TEST_EQUAL(found.count, m < 3);
        if (m == 0) {
            TEST_STRING(found.last,
                        "body block: stvk with \"volumetric: mean\" loses its stability "
                        "at small strains at a Poisson's ratio of 0.48, as its "
                        "energies of shape and of volume are not apart; take "
                        "neo-hookean");
        }
        block.volumetric = "standard";
        TEST_EQUAL(find_warnings(&block).count, 0);
    }
}

LYRA_TEST(models_without_other_ways_to_see_volumes_refuse_them)
{
    REQUIRE_YAML();
    static const char *const models[] = {"linear", "corotational", "corotational-exact"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int w = 0; w < WAYS; ++w) {
        for (int m = 0; m < 3; ++m) {
            char material[64], sentence[128];
            snprintf(material, sizeof material, "young: 1 MPa, model: %s", models[m]);
            snprintf(sentence, sizeof sentence,
                     "model %s has no volumetric %s; isotropic laws have, as neo-hookean",
                     models[m], ways[w][1]);
            Block block = {ways[w][0], ways[w][1], "[4, 1, 1]", material,
                           "time: {dt: 1 ms, duration: 1}\n"};
            LyraWorld *world = NULL;
            bool standard = strcmp(ways[w][1], "standard") == 0;
            TEST_EQUAL(load_block(ctx, &block, &world), standard ? LYRA_OK : LYRA_UNSUPPORTED);
            if (!standard) {
                TEST_CHECK(!world);
                TEST_CONTAINS(lyra_error_message(), sentence);
            }
            lyra_world_destroy(world);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(statics_of_coarse_linear_tets_in_bending_are_warned_of_once)
{
    REQUIRE_YAML();
    static const char down[] = "gravity: [0, -1, 0]\n"
                               "integrator: {name: static}\ntime: {dt: 1, duration: 2}\n";
    static const char along[] = "gravity: [1, 0, 0]\n"
                                "integrator: {name: static}\ntime: {dt: 1, duration: 2}\n";
    Block block = {"tet", "standard", "[8, 2, 2]", "young: 1 MPa, poisson: 0.3", down};
    Warnings found = find_warnings(&block);
    TEST_EQUAL(found.count, 1);
    TEST_CONTAINS(found.last, "body block: static: neighbouring tets of 4 nodes differ in strain");
    block.rest = along;
    TEST_EQUAL(find_warnings(&block).count, 0);
    block.rest = down;
    block.cells = "[32, 8, 8]";
    TEST_EQUAL(find_warnings(&block).count, 0);
    block.cells = "[8, 2, 2]";
    block.element = "tet10";
    TEST_EQUAL(find_warnings(&block).count, 0);
    block.element = "tet";
    block.rest = "gravity: [0, -1, 0]\ntime: {dt: 1 ms, duration: 1}\n";
    TEST_EQUAL(find_warnings(&block).count, 0);
}

// ---- solvers ------------------------------------------------------------------------------------

static const char rubber[] = "young: 1 MPa, poisson: 0.499";

LYRA_TEST(solvers_agree_on_nearly_incompressible_bodies)
{
    REQUIRE_YAML();
    static const char *const solvers[] = {"cholesky", "pcg", "minres", "dense", "auto"};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int w = 0; w < WAYS; ++w) {
        double first[3] = {0};
        for (int s = 0; s < 5; ++s) {
            char rest[256];
            snprintf(rest, sizeof rest,
                     "gravity: [0, -40, 0]\nintegrator: {name: static}\n"
                     "solver: {name: %s}\ntime: {dt: 1, duration: 1}\n",
                     solvers[s]);
            Block block = {ways[w][0], ways[w][1], "[8, 2, 2]", rubber, rest};
            LyraWorld *world = NULL;
            int32_t count = 0;
            TEST_REQUIRE_OK(load_block(ctx, &block, &world));
            TEST_OK(lyra_world_step(world, NULL));
            const double *x = lyra_world_positions(world, 0, &count);
            for (int i = 0; i < 3; ++i) {
                double last = x[3 * (count - 1) + i];
                first[i] = s == 0 ? last : first[i];
                TEST_CHECK_MSG(fabs(last - first[i]) < 1e-6, "%s, %s, %s: %g beside %g", ways[w][0],
                               ways[w][1], solvers[s], last, first[i]);
            }
            lyra_world_destroy(world);
        }
    }
    test_context_end(ctx);
}

// ---- methods, checkpoints, threads --------------------------------------------------------------

LYRA_TEST(every_way_moves_by_every_method_and_goes_on_from_its_checkpoint)
{
    REQUIRE_YAML();
    static const char *const methods[] = {
        "backward-euler",      "newmark",          "bdf2", "rosenbrock3",
        "central-differences", "implicit-midpoint"};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    const char *path = test_temp_path("locking.lyra");
    for (int w = 0; w < WAYS; ++w) {
        for (int m = 0; m < 6; ++m) {
            char rest[256];
            LyraWorld *worlds[2] = {NULL};
            snprintf(rest, sizeof rest,
                     "gravity: [0, -9.81, 0]\nintegrator: {name: %s}\n"
                     "time: {dt: %s, duration: 1}\n",
                     methods[m], m == 4 ? "20 us" : "5 ms");
            Block block = {ways[w][0], ways[w][1], "[4, 1, 1]",
                           "young: 1 MPa, poisson: 0.49, model: neo-hookean", rest};
            for (int k = 0; k < 2; ++k) {
                TEST_REQUIRE_OK(load_block(ctx, &block, &worlds[k]));
            }
            for (int s = 0; s < 4; ++s) {
                TEST_OK(lyra_world_step(worlds[0], NULL));
                if (s == 1) {
                    TEST_OK(lyra_world_save(worlds[0], path));
                }
            }
            TEST_OK(lyra_world_restore(worlds[1], path));
            TEST_OK(lyra_world_step(worlds[1], NULL));
            TEST_OK(lyra_world_step(worlds[1], NULL));
            TEST_CHECK_MSG(lyra_state_equal(lyra_world_view(worlds[0]).state,
                                            lyra_world_view(worlds[1]).state),
                           "%s, %s, %s: goes another way from a checkpoint", ways[w][0], ways[w][1],
                           methods[m]);
            lyra_world_destroy(worlds[0]);
            lyra_world_destroy(worlds[1]);
        }
    }
    test_context_end(ctx);
}

// a pressure that follows makes the matrix unsymmetric; solvers with a kept factor serve it too
LYRA_TEST(bodies_under_pressure_go_on_from_a_checkpoint_to_the_bit)
{
    REQUIRE_YAML();
    static const char *const solvers[] = {"auto", "factor-reuse", "pcg", "cholesky"};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    const char *path = test_temp_path("pressure.lyra");
    for (int w = 0; w < 4 * WAYS; ++w) {
        char rest[512];
        LyraWorld *worlds[2] = {NULL};
        snprintf(rest, sizeof rest,
                 "loads:\n  - {type: pressure, pressure: 3*ramp(t/0.05) kPa,\n"
                 "     select: {normal: {direction: [0, 1, 0], angle: 20 deg}}}\n"
                 "gravity: [0, -20, 0]\nintegrator: {name: backward-euler}\n"
                 "solver: {name: %s}\ntime: {dt: 10 ms, duration: 1}\n",
                 solvers[w / WAYS]);
        const char *const *way = ways[w % WAYS];
        Block block = {way[0], way[1], "[8, 2, 2]",
                       "young: 1 MPa, poisson: 0.48, model: neo-hookean", rest};
        for (int k = 0; k < 2; ++k) {
            TEST_REQUIRE_OK(load_block(ctx, &block, &worlds[k]));
        }
        for (int s = 0; s < 8; ++s) {
            TEST_OK(lyra_world_step(worlds[0], NULL));
            if (s == 5) {
                TEST_OK(lyra_world_save(worlds[0], path));
            }
        }
        TEST_OK(lyra_world_restore(worlds[1], path));
        TEST_OK(lyra_world_step(worlds[1], NULL));
        TEST_OK(lyra_world_step(worlds[1], NULL));
        TEST_CHECK_MSG(
            lyra_state_equal(lyra_world_view(worlds[0]).state, lyra_world_view(worlds[1]).state),
            "%s, %s, %s: goes another way from a checkpoint", way[0], way[1], solvers[w / WAYS]);
        lyra_world_destroy(worlds[0]);
        lyra_world_destroy(worlds[1]);
    }
    test_context_end(ctx);
}

// a body that falls freely keeps its shape, by either mass; row sums of tets of 10 nodes are
// negative at corners
LYRA_TEST(every_element_falls_by_consistent_masses)
{
    REQUIRE_YAML();
    static const char *const masses[] = {"consistent", "lumped"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int w = 0; w < 2 * WAYS; ++w) {
        char text[512];
        LyraWorld *world = NULL;
        int32_t count = 0;
        int length = snprintf(text, sizeof text,
                              "bodies:\n  - generate: {size: [0.2, 0.1, 0.1], cells: [4, 2, 2], "
                              "element: %s}\n"
                              "    material: {young: 1 MPa, poisson: 0.3, volumetric: %s}\n"
                              "    start: {velocity: [1, 0, 0]}\n"
                              "mass: %s\ngravity: [0, -10, 0]\n"
                              "integrator: {name: newmark}\ntime: {dt: 10 ms, steps: 10}\n",
                              ways[w / 2][0], ways[w / 2][1], masses[w % 2]);
        TEST_REQUIRE_OK(
            lyra_world_load_memory(ctx, text, (size_t)length, NULL, NULL, &world, NULL));
        for (int s = 0; s < 10; ++s) {
            TEST_OK(lyra_world_step(world, NULL));
        }
        const double *x = lyra_world_positions(world, 0, &count);
        const double *rest = lyra_mesh_view(lyra_world_view(world).bodies[0].mesh).positions;
        for (int32_t v = 0; v < count; ++v) {
            TEST_NEAR(x[3 * v] - rest[3 * v], 0.1, 1e-9);
            TEST_NEAR(x[3 * v + 1] - rest[3 * v + 1], -0.05, 1e-9);
        }
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// ---- what bodies can have -----------------------------------------------------------------------

#define PULLED "select: {half-space: {point: [0.199, 0, 0], normal: [1, 0, 0]}}"
#define ELASTIC "young: 0.1 MPa, poisson: 0.4"

// further keys of the material and of the body, and lists of the scene
static const char *const features[][2] = {
    {ELASTIC, ""},
    {ELASTIC ", model: corotational", ""},
    {ELASTIC ", model: hencky, plasticity: {yield-stress: 300}", ""},
    {ELASTIC ", model: hencky, plasticity: {yield-stress: 300, kinematic-hardening: 5000}", ""},
    {ELASTIC ", plasticity: {yield: deformation, yield-strain: 0.003}", ""},
    {ELASTIC "}\n    viscosity: {model: prony, shear: [{time: 0.02, share: 0.5}]", ""},
    {ELASTIC "}\n    viscosity: {model: maxwell, shear: [{time: 0.02, modulus: 2e4}]", ""},
    {ELASTIC "}\n    fibre: {stiffness: 5e4, active-stress: 1e4, activation: 0.5", ""},
    {ELASTIC
     "}\n    regions: [{young: 0.3 MPa, select: {box: {min: [-1, -1, -1], max: [0, 1, 1]}}}]"
     "\n    transform: {scale: 1",
     ""},
    {ELASTIC, "loads: [{type: pressure, pressure: 500, " PULLED "}]\n"},
    {ELASTIC, "loads: [{type: traction, traction: [0, 50, 0], " PULLED "}]\n"},
    {ELASTIC, "loads: [{type: traction, traction: [0, 50, 0], follow: live, " PULLED "}]\n"},
    {ELASTIC, "mass: consistent\n"},
};

// mean height of the end after some steps
static double find_end(LyraContext *ctx, const char *element, const char *cells, int feature)
{
    char rest[512];
    double sum = 0;
    int32_t count = 0, found = 0;
    LyraWorld *world = NULL;
    snprintf(rest, sizeof rest, "gravity: [0, -9.81, 0]\ntime: {dt: 10 ms, duration: 1}\n%s",
             features[feature][1]);
    Block block = {element, "standard", cells, features[feature][0], rest};
    if (!TEST_OK(load_block(ctx, &block, &world))) {
        return NAN;
    }
    for (int s = 0; s < 6; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    const double *x = lyra_world_positions(world, 0, &count);
    const double *X = lyra_mesh_view(lyra_world_view(world).bodies[0].mesh).positions;
    for (int32_t v = 0; v < count; ++v) {
        if (X[3 * v] > 0.199) {
            sum += x[3 * v + 1];
            ++found;
        }
    }
    lyra_world_destroy(world);
    return sum / found;
}

// cubes and hexahedra are one element by two kernels here, and tets of 10 nodes are near them
LYRA_TEST(every_element_takes_what_bodies_can_have)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t f = 0; f < sizeof features / sizeof features[0]; ++f) {
        double cubes = find_end(ctx, "cube", "[8, 2, 2]", (int)f);
        double hexahedra = find_end(ctx, "hex", "[8, 2, 2]", (int)f);
        double tets10 = find_end(ctx, "tet10", "[8, 2, 2]", (int)f);
        double tets = find_end(ctx, "tet", "[24, 6, 6]", (int)f);
        TEST_CHECK_MSG(fabs(hexahedra / cubes - 1) < 1e-5, "feature %d: hexahedra %g, cubes %g",
                       (int)f, hexahedra, cubes);
        TEST_CHECK_MSG(fabs(tets10 / hexahedra - 1) < 0.05,
                       "feature %d: tets of 10 nodes %g, "
                       "hexahedra %g",
                       (int)f, tets10, hexahedra);
        TEST_CHECK_MSG(fabs(tets / tets10 - 1) < 0.05, "feature %d: tets %g, of 10 nodes %g",
                       (int)f, tets, tets10);
    }
    test_context_end(ctx);
}

typedef struct Run {
    const char *const *way;
    const char *solver;
} Run;

static void run_some(LyraContext *ctx, void *data, void *out)
{
    const Run *run = data;
    char rest[256];
    snprintf(rest, sizeof rest,
             "gravity: [0, -9.81, 0]\nsolver: {name: %s}\n"
             "time: {dt: 5 ms, duration: 1}\n",
             run->solver);
    Block block = {run->way[0], run->way[1], "[12, 6, 6]", rubber, rest};
    LyraWorld *world = NULL;
    int32_t count = 0;
    TEST_OK(load_block(ctx, &block, &world));
    for (int s = 0; s < 2; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    const double *x = lyra_world_positions(world, 0, &count);
    memcpy(out, x, 900 * sizeof *x);
    lyra_world_destroy(world);
}

LYRA_TEST(nodal_pressure_moves_with_the_same_bits_at_any_thread_count)
{
    REQUIRE_YAML();
    Run runs[] = {{ways[1], "cholesky"}, {ways[1], "pcg"}, {ways[5], "auto"}};
    for (int r = 0; r < 3; ++r) {
        test_same_bits(run_some, &runs[r], 900 * sizeof(double));
    }
}
