// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Two pieces of cloth, held along their outer edges, are sewn together by a hard tie between the
// edges that face each other.

#include "example.h"

#include <math.h>

static LyraSelector beyond(LyraSelectHalfSpace *plane, double x, double side)
{
    LyraSelector select = lyra_selector_default();
    *plane = (LyraSelectHalfSpace){{x, 0, 0}, {side, 0, 0}};
    select.half_space = plane;
    return select;
}

static void add_piece(LyraWorld *world, const char *name, double x)
{
    LyraSheetDef sheet = lyra_sheet_def_default();
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraBodyDef body = lyra_body_def_default();
    sheet.cells[0] = sheet.cells[1] = 12;
    sheet.length = sheet.width = 0.5;
    cloth.generate = &sheet;
    body.name = name;
    body.kind = "cloth";
    body.cloth = &cloth;
    body.transform.translate[0] = x;
    check(lyra_world_add_body(world, &body, NULL));
}

int main(void)
{
    LyraWorldDef settings = lyra_world_def_default();
    settings.gravity[1] = lyra_curve_constant(-9.81);
    settings.damping.mass = 6;
    LyraWorld *world = NULL;
    check(lyra_world_create(NULL, &settings, &world));
    add_piece(world, "left", -0.3);
    add_piece(world, "right", 0.3);

    // 10 cm apart; the outer edges come as much closer as the seam closes
    LyraSelectHalfSpace planes[4];
    LyraConstraintDef held = lyra_constraint_def_default();
    for (int side = -1; side <= 1; side += 2) {
        held.body = side < 0 ? "left" : "right";
        held.select = beyond(&planes[side > 0], 0.549 * side, side);
        held.displacement[0] =
            lyra_curve_expression(side < 0 ? "0.1 * min(t, 1)" : "-0.1 * min(t, 1)");
        check(lyra_world_add_constraint(world, &held));
    }
    LyraSelector edge = beyond(&planes[3], 0.051, -1);
    LyraTieDef seam = lyra_tie_def_default();
    seam.name = "seam";
    seam.body = "left";
    seam.select = beyond(&planes[2], -0.051, 1);
    seam.to = "right";
    seam.to_select = &edge;
    seam.hard = true;
    seam.gap = lyra_curve_expression("1 - min(t, 1)");
    check(lyra_world_add_tie(world, &seam, NULL));

    double gap = 0, force[3];
    for (int step = 0; step < 300; ++step) {
        LyraStepReport report;
        check(lyra_world_step(world, &report));
        gap = fmax(gap, report.gap);
    }
    check(lyra_world_tie_force(world, 0, force));
    printf("the seam pulls with %.3f N and gave by %.1e m at most\n", force[0], gap);
    lyra_world_destroy(world);
    return gap < 1e-9 && force[0] > 0.1 ? 0 : 1;
}
