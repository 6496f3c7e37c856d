// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies that are shells: positions without the unknowns of edges, falls, restarts, clamped edges,
// pressure inside, and what is wrong with them.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <string.h>

static LyraSheetDef sheet_of(int32_t n)
{
    LyraSheetDef def = lyra_sheet_def_default();
    def.cells[0] = def.cells[1] = n;
    return def;
}

static LyraBodyDef shell_body(const LyraBodyShell *shell)
{
    LyraBodyDef body = lyra_body_def_default();
    body.name = "plate";
    body.kind = "shell";
    body.shell = shell;
    body.material.young = 1e7;
    return body;
}

static LyraWorld *make_plate(LyraContext *ctx, int32_t n, const char *integrator,
                             const LyraSelector *clamp, const char *model)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraSheetDef sheet = sheet_of(n);
    LyraBodyShell shell = lyra_body_shell_default();
    LyraWorld *world = NULL;
    shell.generate = &sheet;
    shell.thickness = 0.01;
    shell.clamp = clamp;
    shell.clamp_count = clamp != NULL;
    LyraBodyDef body = shell_body(&shell);
    body.material.model = model;
    // one that flows
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    plasticity.yield_stress = 5e3;
    plasticity.hardening = 1e5;
    body.material.plasticity = strcmp(model, "hencky") == 0 ? &plasticity : NULL;
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.integrator.name = integrator;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    return world;
}

static LyraSelector edge_of_plate(LyraSelectBox *box)
{
    LyraSelector select = lyra_selector_default();
    *box = (LyraSelectBox){{-0.6, -1, -1}, {-0.49, 1, 1}};
    select.box = box;
    return select;
}

LYRA_TEST(unknowns_of_edges_are_not_seen_as_places)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_plate(ctx, 4, "backward-euler", NULL, "neo-hookean");
    LyraSelector all = lyra_selector_default();
    int32_t count = 0, *list = NULL;
    all.all = true;
    TEST_OK(lyra_world_prepare(world));
    LyraWorldView view = lyra_world_view(world);
    TEST_EQUAL(view.bodies[0].vertex_count, 25);
    // 56 edges, 16 of them at the rim
    TEST_EQUAL(view.bodies[0].scalar_count, 40);
    TEST_EQUAL(lyra_model_view(view.model).vertex_count, 65);
    TEST_REQUIRE(lyra_world_positions(world, 0, &count));
    TEST_EQUAL(count, 25);
    TEST_OK(lyra_world_select(world, NULL, &all, &count, &list));
    TEST_EQUAL(count, 25);
    lyra_vertex_list_destroy(ctx, list);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(a_free_shell_falls_as_one)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_plate(ctx, 4, "backward-euler", NULL, "neo-hookean");
    for (int s = 0; s < 5; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    int32_t count = 0;
    const double *v = lyra_world_velocities(world, 0, &count);
    for (int32_t i = 0; i < 3 * count; ++i) {
        TEST_NEAR(v[i], i % 3 == 1 ? -9.81 * 0.05 : 0, 1e-9);
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// a strip held at one end sinks less where its edge is clamped, and never by nothing
LYRA_TEST(clamped_edges_hold_their_direction)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSelectBox box;
    LyraSelector edge = edge_of_plate(&box);
    LyraWorld *world = make_plate(ctx, 8, "static", &edge, "neo-hookean");
    LyraStepReport report;
    TEST_OK(lyra_world_fix(world, NULL, &edge));
    TEST_OK(lyra_world_step(world, &report));
    int32_t count = 0;
    const double *x = lyra_world_positions(world, 0, &count);
    double sag = 0;
    for (int32_t v = 0; v < count; ++v) {
        sag = fmax(sag, -x[3 * v + 1]);
    }
    // q L^4/(8 D) of a beam is 9.8 for D = 1.25 (nu 0), far beyond small: it hangs down
    TEST_CHECK_MSG(sag > 0.7 && sag < 1, "sinks by %g", sag);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(shells_restart_with_the_same_bits)
{
    double ends[2][3 * 81] = {{0}}, flown[2] = {0};
    for (int run = 0; run < 2; ++run) {
        LyraContext *ctx = test_context(run ? 3 : 1, LYRA_ISA_AUTO);
        LyraSelectBox box;
        LyraSelector edge = edge_of_plate(&box);
        const char *path = test_temp_path("shell.state");
        LyraWorld *world = make_plate(ctx, 8, "backward-euler", &edge, "hencky");
        TEST_OK(lyra_world_fix(world, NULL, &edge));
        for (int s = 0; s < 8; ++s) {
            if (run && s == 4) {
                TEST_OK(lyra_world_save(world, path));
                lyra_world_destroy(world);
                world = make_plate(ctx, 8, "backward-euler", &edge, "hencky");
                TEST_OK(lyra_world_fix(world, NULL, &edge));
                TEST_OK(lyra_world_restore(world, path));
            }
            LyraStepReport report;
            TEST_OK(lyra_world_step(world, &report));
            flown[run] += report.plastic;
        }
        int32_t count = 0;
        const double *x = lyra_world_positions(world, 0, &count);
        TEST_CHECK_MSG(flown[run] > 0, "%g J lost", flown[run]);
        TEST_EQUAL(count, 81);
        memcpy(ends[run], x, sizeof ends[run]);
        lyra_world_destroy(world);
        test_context_end(ctx);
    }
    TEST_CHECK(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
    TEST_EQUAL(flown[0], flown[1]);
}

LYRA_TEST(steps_of_shells_allocate_nothing_after_the_first)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSelectBox box;
    LyraSelector edge = edge_of_plate(&box);
    LyraWorld *world = make_plate(ctx, 8, "backward-euler", &edge, "neo-hookean");
    TEST_OK(lyra_world_fix(world, NULL, &edge));
    for (int s = 0; s < 12; ++s) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    int64_t before = test_allocation_count();
    TEST_OK(lyra_world_step(world, NULL));
    TEST_EQUAL(test_allocation_count(), before);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(explicit_integrators_refuse_morley_and_take_hinges)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int bend = 0; bend < LYRA_SHELL_BEND_COUNT; ++bend) {
        LyraWorldDef def = lyra_world_def_default();
        LyraSheetDef sheet = sheet_of(2);
        LyraBodyShell shell = lyra_body_shell_default();
        LyraWorld *world = NULL;
        shell.generate = &sheet;
        shell.bend = (LyraShellBend)bend;
        LyraBodyDef body = shell_body(&shell);
        def.integrator.name = "verlet";
        TEST_OK(lyra_world_create(ctx, &def, &world));
        TEST_OK(lyra_world_add_body(world, &body, NULL));
        bool morley = bend == LYRA_SHELL_BEND_MORLEY;
        TEST_STATUS(lyra_world_prepare(world), morley ? LYRA_UNSUPPORTED : LYRA_OK);
        if (morley) {
            TEST_CONTAINS(lyra_error_message(), "unknowns of edges");
        }
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

LYRA_TEST(parts_of_shells_have_their_thickness)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraSheetDef sheet = sheet_of(4);
    LyraBodyShell shell = lyra_body_shell_default();
    LyraShellPart parts[2] = {lyra_shell_part_default(), lyra_shell_part_default()};
    LyraSelectBox half = {{-1, -1, -1}, {0.01, 1, 1}}, corner = {{-1, -1, -1}, {-0.24, 1, -0.24}};
    LyraWorld *world = NULL;
    parts[0].select.box = &half;
    parts[0].thickness = 2e-3;
    parts[1].select.box = &corner;
    parts[1].thickness = 5e-3;
    shell.generate = &sheet;
    shell.parts = parts;
    shell.part_count = 2;
    LyraBodyDef body = shell_body(&shell);
    TEST_OK(lyra_world_create(ctx, NULL, &world));
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    LyraShellView view = lyra_shell_view(lyra_world_view(world).bodies[0].shell);
    double volume = 0;
    for (int32_t t = 0; t < view.triangle_count; ++t) {
        volume += view.areas[t] * view.thicknesses[t];
    }
    TEST_NEAR(volume, 0.5 * 1e-3 + (0.5 - 1.0 / 16) * 2e-3 + 5e-3 / 16, 1e-15);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// how far a block that is held at one end sinks at the other, with a skin on its upper side
static double sag_of_block(LyraContext *ctx, bool skinned)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyDef block = lyra_body_def_default();
    LyraSheetDef sheet = lyra_sheet_def_default();
    LyraBodyShell shell = lyra_body_shell_default();
    LyraTieDef tie = lyra_tie_def_default();
    LyraSelector root = lyra_selector_default();
    LyraSelectBox box = {{-0.21, -1, -1}, {-0.199, 1, 1}};
    LyraWorld *world = NULL;
    shape.kind = LYRA_ELEMENT_CUBE8;
    shape.size[0] = sheet.length = 0.4;
    shape.size[1] = 0.1;
    shape.size[2] = sheet.width = 0.2;
    memcpy(shape.cells, (int32_t[]){8, 2, 4}, sizeof shape.cells);
    block.name = "block";
    block.generate = &shape;
    block.material.young = 1e6;
    block.material.poisson = 0;
    sheet.cells[0] = 12;
    sheet.cells[1] = 6;
    sheet.center[1] = 0.05;
    shell.generate = &sheet;
    LyraBodyDef skin = shell_body(&shell);
    skin.material.young = 1e9;
    tie.body = "plate";
    tie.to = "block";
    tie.select.all = true;
    tie.hard = true;
    root.box = &box;
    def.gravity[1] = lyra_curve_constant(-1);
    def.integrator.name = "static";
    TEST_OK(lyra_world_create(ctx, &def, &world));
    TEST_OK(lyra_world_add_body(world, &block, NULL));
    if (skinned) {
        TEST_OK(lyra_world_add_body(world, &skin, NULL));
        TEST_OK(lyra_world_add_tie(world, &tie, NULL));
    }
    TEST_OK(lyra_world_fix(world, "block", &root));
    TEST_OK(lyra_world_step(world, NULL));
    int32_t count = 0;
    double sag = 0;
    const double *x = lyra_world_positions(world, 0, &count);
    for (int32_t v = 0; v < count; ++v) {
        sag = fmax(sag, -0.05 - x[3 * v + 1]);
    }
    lyra_world_destroy(world);
    return sag;
}

// the skin is as stiff as ten blocks, at the upper side: a quarter of the sag by bending is left,
// and all of that by shear, a tenth
LYRA_TEST(skins_are_tied_to_solids)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double bare = sag_of_block(ctx, false), skinned = sag_of_block(ctx, true);
    TEST_CHECK_MSG(skinned < 0.5 * bare && skinned > 0.2 * bare, "sinks by %g of %g", skinned,
                   bare);
    test_context_end(ctx);
}

static void refuse(const LyraBodyDef *body, const char *text)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_OK(lyra_world_create(ctx, NULL, &world));
    TEST_CHECK(lyra_world_add_body(world, body, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), text);
    TEST_EQUAL(lyra_world_view(world).body_count, 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(wrong_bodies_of_shells_are_one_sentence)
{
    LyraSheetDef sheet = sheet_of(2);
    LyraBodyShell shell = lyra_body_shell_default();
    shell.generate = &sheet;
    LyraBodyDef body = shell_body(&shell);
    body.shell = NULL;
    refuse(&body, "found a shell without shell");
    body = shell_body(&shell);
    body.kind = "cloth";
    refuse(&body, "shell of a body of kind cloth");
    body = shell_body(&shell);
    body.material.model = "corotational";
    refuse(&body, "corotational");
    body = shell_body(&shell);
    body.stiffness = 3;
    refuse(&body, "found stiffness of a shell");
    LyraSelector nothing = lyra_selector_default();
    const int32_t middle[1] = {4};
    nothing.vertices = middle;
    nothing.vertex_count = 1;
    shell.clamp = &nothing;
    shell.clamp_count = 1;
    body = shell_body(&shell);
    refuse(&body, "found no edge of one triangle");
    shell.clamp_count = 0;
    LyraShellPart part = lyra_shell_part_default();
    part.select.vertices = middle;
    part.select.vertex_count = 1;
    part.thickness = 1e-3;
    shell.parts = &part;
    shell.part_count = 1;
    refuse(&body, "found no triangle with all corners");
    shell.part_count = 0;
    shell.thickness = -1;
    refuse(&body, "thickness");
}
