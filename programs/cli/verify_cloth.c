// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Strips of cloth under their weight against curves in closed form, or integrated to all digits.
//
// A strip of square cells that bends about lines across it is a chain of plane cells: diagonals do
// not bend, and the edge between two rows, of length h and stiffness k, holds k/2 theta^2 for an
// area of h^2. Its flexural rigidity per width is B = k. That is bend_v; without a larger bend_u
// the cells warp and twist, and the strip is softer, as hinges are no plate (theory/cloth.md).
//
// Each strip moves by backward Euler with damping until it is at rest, so that the end is a state
// of equilibrium whatever the step.

#include "verify_world.h"

#include <math.h>

// a strip along x from 0, across y, of unit weight per area
typedef struct Strip {
    int32_t cells;
    double length, width, stretch, shear, bend_u, bend_v;
    double gravity[3];
    LyraSheetFaces faces;
} Strip;

static LyraStatus make_strip(LyraContext *ctx, const Strip *strip, LyraWorld **out)
{
    LyraSheetDef sheet = lyra_sheet_def_default();
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraBodyDef body = lyra_body_def_default();
    sheet.shape = LYRA_SHEET_STRIP;
    sheet.length = strip->length;
    sheet.width = strip->width;
    sheet.cells[0] = strip->cells;
    sheet.center[0] = 0.5 * strip->length;
    sheet.faces = strip->faces;
    cloth.generate = &sheet;
    cloth.uv = LYRA_CLOTH_UV_FILE;
    cloth.surface_density = 1;
    cloth.fabric.stretch = strip->stretch;
    cloth.fabric.shear = strip->shear;
    cloth.fabric.bend_u = strip->bend_u;
    cloth.fabric.bend_v = strip->bend_v;
    body.kind = "cloth";
    body.cloth = &cloth;
    VERIFY_TRY(verify_world_create(ctx, strip->gravity, 0.1, out));
    return lyra_world_add_body(*out, &body, NULL);
}

// the vertices whose place at rest is within a quarter of a cell of x = `at`, moved by `shift`
// along x
static LyraStatus hold_row(LyraWorld *world, const Strip *strip, double at, double shift)
{
    double h = 0.25 * strip->length / strip->cells;
    LyraSelectBox box = {{at - h, -1, -1}, {at + h, 1, 1}};
    LyraConstraintDef def = lyra_constraint_def_default();
    def.select.box = &box;
    def.displacement[0] = lyra_curve_constant(shift);
    return lyra_world_add_constraint(world, &def);
}

// mean place of the vertices at rest at x = `at`
static void find_row(LyraWorld *world, const Strip *strip, double at, double mean[3])
{
    int32_t count, found = 0;
    const double *x = lyra_world_positions(world, 0, &count);
    const double *X = lyra_model_view(lyra_world_view(world).model).positions;
    mean[0] = mean[1] = mean[2] = 0;
    for (int32_t v = 0; v < count; ++v) {
        if (fabs(X[3 * v] - at) < 0.25 * strip->length / strip->cells) {
            ++found;
            for (int i = 0; i < 3; ++i) {
                mean[i] += x[3 * v + i];
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        mean[i] /= found;
    }
}

// force on what holds the vertices at rest at x = `at`, per width
static LyraStatus find_reaction(LyraWorld *world, const Strip *strip, double at, double force[3])
{
    LyraModelView model = lyra_model_view(lyra_world_view(world).model);
    LyraVector *reaction = NULL;
    LyraStatus status = verify_world_reactions(world, &reaction);
    const double *values = reaction ? lyra_vector_values(reaction) : NULL;
    force[0] = force[1] = force[2] = 0;
    for (int32_t v = 0; values && v < model.vertex_count; ++v) {
        bool there = fabs(model.positions[3 * v] - at) < 0.25 * strip->length / strip->cells;
        for (int i = 0; i < 3; ++i) {
            force[i] += there ? values[3 * v + i] / strip->width : 0;
        }
    }
    lyra_vector_destroy(reaction);
    return status;
}

// ---- the catenary -------------------------------------------------------------------------------

// sag, least and largest tension of a strip of `cells` that hangs by its ends
static LyraStatus hang(LyraContext *ctx, int32_t cells, double out[3])
{
    const Strip strip = {cells, 1, 4.0 / cells, 1e5, 1e4, 0, 0, {0, -1, 0}, LYRA_SHEET_ALTERNATING};
    LyraWorld *world = NULL;
    double end[3], middle[3], force[3];
    LyraStatus status = make_strip(ctx, &strip, &world);
    status = status == LYRA_OK ? hold_row(world, &strip, 0, 0.5 * (1 - VERIFY_SPAN)) : status;
    status = status == LYRA_OK ? hold_row(world, &strip, 1, -0.5 * (1 - VERIFY_SPAN)) : status;
    status = status == LYRA_OK ? verify_start_hanging(world) : status;
    status = status == LYRA_OK ? verify_settle(world, 1e-24) : status;
    status = status == LYRA_OK ? find_reaction(world, &strip, 0, force) : status;
    if (status == LYRA_OK) {
        find_row(world, &strip, 0, end);
        find_row(world, &strip, 0.5, middle);
        out[0] = end[1] - middle[1];
        out[1] = fabs(force[0]);
        out[2] = hypot(force[0], force[1]);
    }
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_catenary(Verify *verify)
{
    verify_note(verify,
                "A strip of length 1 without bending stiffness hangs by its ends, %g apart: a "
                "catenary of sag a (cosh(%g/a) - 1) and least tension rho g a. Tensions, in rho g, "
                "are the forces that hold the ends. Its cells make it a polygon, an error of order "
                "h^2; stiffness of 1e5 rho g L adds some 1e-5.",
                VERIFY_SPAN, 0.5 * VERIFY_SPAN);
    return verify_catenary(verify, "cells", hang);
}

// ---- hanging strip ------------------------------------------------------------------------------

static LyraStatus run_hanging(Verify *verify)
{
    const double stiffness[] = {10, 1000, 1e5};
    verify_note(verify,
                "A strip hangs from one end; stretch is linear in the tension, so its end comes to "
                "rho g L^2/(2 k) below, and the point at x to rho g (L x - x^2/2)/k. The rows of "
                "vertices weigh what the strip does, which leaves the error of the solve.");
    for (int k = 0; k < 3; ++k) {
        const Strip strip = {16,   1,    0.25,      stiffness[k],      stiffness[k],
                             1e-4, 1e-4, {1, 0, 0}, LYRA_SHEET_CROSSED};
        LyraWorld *world = NULL;
        double middle[3], end[3];
        LyraStatus status = make_strip(verify->ctx, &strip, &world);
        status = status == LYRA_OK ? hold_row(world, &strip, 0, 0) : status;
        status = status == LYRA_OK ? verify_settle(world, 1e-24) : status;
        if (status == LYRA_OK) {
            find_row(world, &strip, 0.5, middle);
            find_row(world, &strip, 1, end);
        }
        lyra_world_destroy(world);
        VERIFY_TRY(status);
        verify_relative(verify, 0.5 / stiffness[k], end[0] - 1, 2e-4, "k = %g rho g L, end",
                        stiffness[k]);
        verify_relative(verify, 0.375 / stiffness[k], middle[0] - 0.5, 2e-4,
                        "k = %g rho g L, middle", stiffness[k]);
    }
    return LYRA_OK;
}

// ---- Peirce's cantilever ------------------------------------------------------------------------

// the heavy elastica clamped level: G = rho g L^3/B, place of the end over L
static const struct {
    double G, x, drop;
} tips[] = {{1, 0.991246, 0.123471},
            {5, 0.846657, 0.495905},
            {10, 0.656354, 0.700200},
            {20, 0.445232, 0.829881},
            {50, 0.245015, 0.907917}};

// The first two rows are held. Bending at the second stands for that of half a cell on either side,
// so the strip is clamped half a cell before it.
static LyraStatus bend(LyraContext *ctx, double G, double across, int32_t cells, double tip[2])
{
    double h = 1 / (cells - 0.5), end[3];
    const Strip strip = {
        cells, cells * h, 2 * h, 1e5, 1e4, across / G, 1 / G, {0, -1, 0}, LYRA_SHEET_ALTERNATING};
    LyraWorld *world = NULL;
    LyraStatus status = make_strip(ctx, &strip, &world);
    status = status == LYRA_OK ? hold_row(world, &strip, 0, 0) : status;
    status = status == LYRA_OK ? hold_row(world, &strip, h, 0) : status;
    status = status == LYRA_OK ? verify_settle(world, 1e-24) : status;
    if (status == LYRA_OK) {
        find_row(world, &strip, strip.length, end);
        tip[0] = end[0] - 0.5 * h;
        tip[1] = -end[1];
    }
    lyra_world_destroy(world);
    return status;
}

// what Peirce makes of the angle of the chord
static double find_peirce(double x, double drop)
{
    double angle = atan2(drop, x);
    return 8 * tan(angle) / cos(0.5 * angle);
}

static LyraStatus run_cantilever(Verify *verify)
{
    verify_note(verify,
                "Peirce's test of fabrics: a strip clamped level bends under its weight, G = rho g "
                "L^3/B. The place of its end is that of the heavy elastica, integrated to six "
                "digits; the chain of cells errs by order h^2. Peirce's formula, G = 8 tan t / "
                "cos(t/2) of the chord's angle t, is low by 0.2 to 25 %% for these G: shown, by "
                "the end that was found.");
    enum { ACROSS = 10000 }; // bend_u over bend_v: it stays a cylinder
    for (size_t k = 0; k < sizeof tips / sizeof *tips; ++k) {
        for (int32_t cells = 16; cells <= (verify->quick ? 16 : 64); cells *= 2) {
            double ours[2], size = 1.2 / ((double)cells * cells) + 1e-4;
            VERIFY_TRY(bend(verify->ctx, tips[k].G, ACROSS, cells, ours));
            verify_absolute(verify, tips[k].x, ours[0], size, "G = %g, %d cells, x/L", tips[k].G,
                            (int)cells);
            verify_absolute(verify, tips[k].drop, ours[1], size, "G = %g, %d cells, drop/L",
                            tips[k].G, (int)cells);
            verify_information(verify, tips[k].G, find_peirce(ours[0], ours[1]),
                               "G = %g, %d cells, by Peirce's formula", tips[k].G, (int)cells);
        }
    }
    double soft[2];
    VERIFY_TRY(bend(verify->ctx, tips[1].G, 1, verify->quick ? 16 : 64, soft));
    verify_information(verify, tips[1].drop, soft[1], "G = %g, bend_u = bend_v, drop/L", tips[1].G);
    return LYRA_OK;
}

const VerifyCase verify_cloth_cases[] = {
    {"catenary", "cloth", "A strip of cloth that hangs by its ends", true, run_catenary},
    {"hanging-strip", "cloth", "A strip of cloth that its weight stretches", true, run_hanging},
    {"cloth-cantilever", "cloth", "Peirce's cantilever test of fabrics", true, run_cantilever},
    {0},
};
