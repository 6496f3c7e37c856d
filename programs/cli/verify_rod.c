// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rods against closed forms: the heavy elastica, Euler's load, Michell's ring, the stiffness of a
// helix, a pinched ring, the catenary.
//
// Each rod moves by backward Euler with damping until it is at rest, so that the end is a state of
// equilibrium whatever the step. A joint bends for half an edge on either side of it: an edge that
// is held is clamped at its middle.

#include "verify_world.h"

#include <math.h>

#define PI 3.14159265358979323846

// ---- worlds -------------------------------------------------------------------------------------

static LyraStatus make_world(LyraContext *ctx, double gravity, double dt, LyraWorld **out)
{
    return verify_world_create(ctx, (double[]){0, -gravity, 0}, dt, out);
}

// a rod with EI, GJ and EA of 1 kg/m
static LyraBodyRod make_rod(const LyraLineDef *line, double bend, double twist, double stretch)
{
    LyraBodyRod rod = lyra_body_rod_default();
    rod.generate = line;
    rod.bend = bend;
    rod.twist = twist;
    rod.stretch = stretch;
    rod.line_density = 1;
    rod.inertia = 1e-3;
    rod.sides = 0;
    return rod;
}

static LyraStatus add_rod(LyraWorld *world, const LyraBodyRod *rod)
{
    LyraBodyDef body = lyra_body_def_default();
    body.kind = "rod";
    body.rod = rod;
    return lyra_world_add_body(world, &body, NULL);
}

// holds `count` vertices from `first` on, moved along an axis; with `angle` of their edges
static LyraStatus hold(LyraWorld *world, int32_t first, int32_t count, int axis, double shift,
                       const LyraCurve *angle)
{
    int32_t vertices[4];
    LyraConstraintDef def = lyra_constraint_def_default();
    for (int32_t k = 0; k < count; ++k) {
        vertices[k] = first + k;
    }
    def.select.vertices = vertices;
    def.select.vertex_count = count;
    def.displacement[axis] = lyra_curve_constant(shift);
    def.twist = angle;
    return lyra_world_add_constraint(world, &def);
}

// displacements to begin with
static LyraStatus start(LyraWorld *world, double **u, const double **X)
{
    VERIFY_TRY(lyra_world_prepare(world));
    LyraWorldView view = lyra_world_view(world);
    *u = lyra_vector_values_mutable(lyra_state_view(view.state).u);
    *X = lyra_model_view(view.model).positions;
    return LYRA_OK;
}

// force on what holds vertices [first, first + count)
static LyraStatus find_reaction(LyraWorld *world, int32_t first, int32_t count, double force[3])
{
    LyraVector *reaction = NULL;
    LyraStatus status = verify_world_reactions(world, &reaction);
    const double *values = reaction ? lyra_vector_values(reaction) : NULL;
    force[0] = force[1] = force[2] = 0;
    for (int32_t i = 0; values && i < 3 * count; ++i) {
        force[i % 3] += values[3 * first + i];
    }
    lyra_vector_destroy(reaction);
    return status;
}

// ---- heavy elastica -----------------------------------------------------------------------------

// clamped level, G = rho g L^3/EI: place of the end over L
static const struct {
    double G, x, drop;
} tips[] = {{1, 0.991246, 0.123471},
            {5, 0.846657, 0.495905},
            {10, 0.656354, 0.700200},
            {20, 0.445232, 0.829881},
            {50, 0.245015, 0.907917}};

static LyraStatus droop(LyraContext *ctx, double G, int32_t edges, double tip[2])
{
    double h = 1 / (edges - 0.5);
    LyraLineDef line = lyra_line_def_default();
    LyraWorld *world = NULL;
    line.edges = edges;
    line.from[0] = -0.5 * h;
    line.to[0] = 1;
    LyraBodyRod rod = make_rod(&line, 1 / G, 1 / G, 1e5);
    LyraCurve still = lyra_curve_constant(0);
    LyraStatus status = make_world(ctx, 1, 0.1, &world);
    status = status == LYRA_OK ? add_rod(world, &rod) : status;
    status = status == LYRA_OK ? hold(world, 0, 2, 0, 0, &still) : status;
    status = status == LYRA_OK ? verify_settle(world, 1e-24) : status;
    if (status == LYRA_OK) {
        const double *x = lyra_world_positions(world, 0, NULL);
        tip[0] = x[3 * edges];
        tip[1] = -x[3 * edges + 1];
    }
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_elastica(Verify *verify)
{
    verify_note(verify,
                "A rod clamped level bends under its weight, G = rho g L^3/EI. The place of "
                "its end is that of the heavy elastica, integrated to six digits; the "
                "error is of order h^2.");
    for (size_t k = 0; k < sizeof tips / sizeof *tips; ++k) {
        for (int32_t edges = 16; edges <= (verify->quick ? 16 : 64); edges *= 2) {
            double ours[2], size = 2.8 / ((double)edges * edges) + 1e-4;
            VERIFY_TRY(droop(verify->ctx, tips[k].G, edges, ours));
            verify_absolute(verify, tips[k].x, ours[0], size, "G = %g, %d edges, x/L", tips[k].G,
                            (int)edges);
            verify_absolute(verify, tips[k].drop, ours[1], size, "G = %g, %d edges, drop/L",
                            tips[k].G, (int)edges);
        }
    }
    return LYRA_OK;
}

// ---- Euler's load -------------------------------------------------------------------------------

// force of a rod whose ends are drawn together by twice what buckles it
static LyraStatus buckle(LyraContext *ctx, int32_t edges, double stretch, double *force)
{
    LyraLineDef line = lyra_line_def_default();
    LyraWorld *world = NULL;
    double *u, reaction[3];
    const double *X;
    line.edges = edges;
    LyraBodyRod rod = make_rod(&line, 1, 1, stretch);
    LyraStatus status = make_world(ctx, 0, 0.05, &world);
    status = status == LYRA_OK ? add_rod(world, &rod) : status;
    status = status == LYRA_OK ? hold(world, 0, 1, 0, 0, NULL) : status;
    status = status == LYRA_OK ? hold(world, edges, 1, 0, -2 * PI * PI / stretch, NULL) : status;
    status = status == LYRA_OK ? start(world, &u, &X) : status;
    if (status == LYRA_OK) {
        for (int32_t v = 0; v <= edges; ++v) {
            u[3 * v] = -2 * PI * PI / stretch * X[3 * v];
            u[3 * v + 2] = 1e-3 * sin(PI * X[3 * v]);
        }
        status = verify_settle(world, 1e-26);
    }
    status = status == LYRA_OK ? find_reaction(world, 0, 1, reaction) : status;
    *force = status == LYRA_OK ? fabs(reaction[0]) : NAN;
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_euler(Verify *verify)
{
    const double stretch = 1e5;
    verify_note(verify, "The ends of a rod, free to turn, are drawn together by twice the "
                        "shortening at which it buckles. It bows out, and the force falls to "
                        "Euler's load pi^2 EI/L^2, up to 1 in 10000 for the bow; edges err by "
                        "order h^2.");
    for (int32_t edges = 10; edges <= (verify->quick ? 20 : 80); edges *= 2) {
        double force;
        VERIFY_TRY(buckle(verify->ctx, edges, stretch, &force));
        verify_relative(verify, PI * PI, force, 1.0 / ((double)edges * edges) + 3e-4,
                        "%d edges, P L^2/EI", (int)edges);
    }
    return LYRA_OK;
}

// ---- Michell's ring -----------------------------------------------------------------------------

// how large a little wave of a ring of radius 1 with a twist becomes: a ring that has left its
// plane may pass through itself, which takes two rounds of twist, and come back
static LyraStatus grow(LyraContext *ctx, int32_t edges, double twist, double stiffness,
                       double *growth)
{
    enum { STEPS = 100 };
    const double wave = 1e-3;
    LyraLineDef line = lyra_line_def_default();
    LyraWorld *world = NULL;
    double *u;
    const double *X;
    line.shape = LYRA_LINE_HELIX;
    line.radius = 1;
    line.pitch = 0;
    line.turns = 1;
    line.edges = edges;
    LyraBodyRod rod = make_rod(&line, 1, stiffness, 1e4);
    rod.straight = true;
    rod.turn = -twist / (2 * PI);
    LyraStatus status = make_world(ctx, 0, 2, &world);
    status = status == LYRA_OK ? add_rod(world, &rod) : status;
    status = status == LYRA_OK ? start(world, &u, &X) : status;
    for (int32_t v = 0; status == LYRA_OK && v < edges; ++v) {
        u[3 * v + 2] = wave * cos(2 * atan2(X[3 * v + 1], X[3 * v]));
    }
    *growth = 0;
    for (int step = 0; step < STEPS && status == LYRA_OK && *growth < 3; ++step) {
        status = lyra_world_step(world, NULL);
        const double *x = lyra_world_positions(world, 0, NULL);
        double sum = 0;
        for (int32_t v = 0; status == LYRA_OK && v < edges; ++v) {
            sum += x[3 * v + 2] * x[3 * v + 2];
        }
        *growth = fmax(*growth, sqrt(2 * sum / edges) / wave);
    }
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_michell(Verify *verify)
{
    verify_note(verify, "A straight rod that is bent into a ring, and closed with a twist, leaves "
                        "its plane where the twist exceeds 2 pi sqrt 3 EI/GJ (Michell). A little "
                        "wave grows from there on and dies below; where it does neither lies "
                        "between the two twists shown.");
    const double ratios[] = {1, 2};
    int32_t edges = verify->quick ? 60 : 120;
    for (int k = 0; k < 2; ++k) {
        double low = 0.8, high = 1.2, critical = 2 * PI * sqrt(3) / ratios[k], growth;
        for (int step = 0; step < 8; ++step) {
            double middle = 0.5 * (low + high);
            VERIFY_TRY(grow(verify->ctx, edges, middle * critical, ratios[k], &growth));
            *(growth > 2 ? &high : &low) = middle;
        }
        verify_relative(verify, critical, 0.5 * (low + high) * critical,
                        60.0 / ((double)edges * edges) + 0.005, "%d edges, GJ/EI = %g, twist",
                        (int)edges, ratios[k]);
    }
    return LYRA_OK;
}

// ---- helix --------------------------------------------------------------------------------------

static LyraStatus pull_helix(LyraContext *ctx, int32_t edges, double turns, double pitch,
                             double pull, double *force)
{
    LyraLineDef line = lyra_line_def_default();
    LyraWorld *world = NULL;
    double reaction[3];
    line.shape = LYRA_LINE_HELIX;
    line.radius = 1;
    line.pitch = pitch;
    line.turns = turns;
    line.edges = edges;
    LyraBodyRod rod = make_rod(&line, 1.3, 1, 1e5);
    LyraCurve still = lyra_curve_constant(0);
    LyraStatus status = make_world(ctx, 0, 10, &world);
    status = status == LYRA_OK ? add_rod(world, &rod) : status;
    status = status == LYRA_OK ? hold(world, 0, 2, 2, 0, &still) : status;
    status = status == LYRA_OK ? hold(world, edges - 1, 2, 2, pull, &still) : status;
    status = status == LYRA_OK ? verify_settle(world, 1e-22) : status;
    status = status == LYRA_OK ? find_reaction(world, edges - 1, 2, reaction) : status;
    *force = status == LYRA_OK ? fabs(reaction[2]) : NAN;
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_helix(Verify *verify)
{
    const double turns = 10, pitch = 0.1, pull = 0.05;
    double rise = atan2(pitch, 2 * PI);
    verify_note(verify,
                "A helix of radius R and %g turns, with its ends held against turning, is pulled "
                "along its axis: F = x/(R^2 L (cos^2 a/GJ + sin^2 a/EI)), L the length of the wire "
                "and a its rise. The middles of the outer edges are its ends; the clamps "
                "themselves add a term of order 1/turns^2.",
                turns);
    for (int32_t edges = 200; edges <= (verify->quick ? 200 : 800); edges *= 2) {
        double force;
        VERIFY_TRY(pull_helix(verify->ctx, edges, turns, pitch, pull, &force));
        double length = turns * hypot(2 * PI, pitch) * (edges - 1) / edges;
        double c = cos(rise), s = sin(rise);
        verify_relative(verify, pull / (length * (c * c + s * s / 1.3)), force,
                        1300.0 / ((double)edges * edges) + 0.005, "%d edges, F x/GJ", (int)edges);
    }
    return LYRA_OK;
}

// ---- pinched ring -------------------------------------------------------------------------------

static LyraStatus pinch(LyraContext *ctx, int32_t edges, double force, double *shortening)
{
    LyraLineDef line = lyra_line_def_default();
    LyraWorld *world = NULL;
    line.shape = LYRA_LINE_HELIX;
    line.radius = 1;
    line.pitch = 0;
    line.turns = 1;
    line.edges = edges;
    LyraBodyRod rod = make_rod(&line, 1, 1, 1e6);
    LyraStatus status = make_world(ctx, 0, 1, &world);
    status = status == LYRA_OK ? add_rod(world, &rod) : status;
    for (int side = 0; side < 2 && status == LYRA_OK; ++side) {
        int32_t vertex = side ? edges / 2 : 0;
        LyraLoadDef load = lyra_load_def_default();
        load.select.vertices = &vertex;
        load.select.vertex_count = 1;
        load.force[0] = lyra_curve_constant(side ? force : -force);
        status = lyra_world_add_load(world, &load);
    }
    status = status == LYRA_OK ? verify_settle(world, 1e-26) : status;
    if (status == LYRA_OK) {
        const double *x = lyra_world_positions(world, 0, NULL);
        *shortening = 2 - (x[0] - x[3 * (edges / 2)]);
    }
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_pinched(Verify *verify)
{
    const double force = 1e-3, exact = force * (PI / 4 - 2 / PI);
    verify_note(verify, "Two opposite forces pinch a ring that is round by nature: the diameter "
                        "between them shrinks by F R^3/EI (pi/4 - 2/pi).");
    for (int32_t edges = 20; edges <= (verify->quick ? 40 : 160); edges *= 2) {
        double ours;
        VERIFY_TRY(pinch(verify->ctx, edges, force, &ours));
        verify_relative(verify, exact, ours, 12.0 / ((double)edges * edges) + 1e-3,
                        "%d edges, shortening", (int)edges);
    }
    return LYRA_OK;
}

// ---- catenary -----------------------------------------------------------------------------------

static LyraStatus hang(LyraContext *ctx, int32_t edges, double out[3])
{
    LyraLineDef line = lyra_line_def_default();
    LyraWorld *world = NULL;
    double force[3];
    line.edges = edges;
    LyraBodyRod rod = make_rod(&line, 0, 0, 1e5);
    rod.rope = true;
    LyraStatus status = make_world(ctx, 1, 0.1, &world);
    status = status == LYRA_OK ? add_rod(world, &rod) : status;
    status = status == LYRA_OK ? hold(world, 0, 1, 0, 0.5 * (1 - VERIFY_SPAN), NULL) : status;
    status = status == LYRA_OK ? hold(world, edges, 1, 0, -0.5 * (1 - VERIFY_SPAN), NULL) : status;
    status = status == LYRA_OK ? verify_start_hanging(world) : status;
    status = status == LYRA_OK ? verify_settle(world, 1e-24) : status;
    status = status == LYRA_OK ? find_reaction(world, 0, 1, force) : status;
    if (status == LYRA_OK) {
        const double *x = lyra_world_positions(world, 0, NULL);
        out[0] = x[1] - x[3 * (edges / 2) + 1];
        out[1] = fabs(force[0]);
        out[2] = hypot(force[0], force[1]);
    }
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_rope(Verify *verify)
{
    verify_note(verify,
                "A rope of length 1 hangs by its ends, %g apart: a catenary. Tensions, in rho g, "
                "are the forces that hold the ends, of which each carries half an edge; stiffness "
                "of 1e5 rho g L adds some 1e-5.",
                VERIFY_SPAN);
    return verify_catenary(verify, "edges", hang);
}

const VerifyCase verify_rod_cases[] = {
    {"rod-elastica", "rod", "A rod that bends under its weight", true, run_elastica},
    {"euler-load", "rod", "The load that buckles a rod", true, run_euler},
    {"michell-ring", "rod", "The twist at which a ring leaves its plane", true, run_michell},
    {"helix-spring", "rod", "The stiffness of a helical spring", true, run_helix},
    {"pinched-ring", "rod", "A ring between two forces", true, run_pinched},
    {"rope-catenary", "rod", "A rope that hangs by its ends", true, run_rope},
    {0},
};
