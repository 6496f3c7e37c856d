// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Obstacles: a particle on an incline that slides, creeps or stops, one that bounces, and Hertz's
// contact.
//
// Incline. Backward Euler adds a h to the velocity of a particle that slides with the acceleration
// a = g (sin - mu cos) in each step, so that after N of them v = a h N and x = a h^2 N (N + 1)/2,
// exactly. One that sticks creeps where f_1 = tan/mu: with e (1 - sqrt(1 - tan/mu)). One that is
// pushed stops after v^2/(2 mu g), v h/2 earlier.
//
// Bounce. What comes back of the speed depends on the integrator and the step alone.
//
// Hertz. A rigid sphere of radius R that is pressed by d into a half-space pushes with
// 4/3 E/(1 - nu^2) sqrt(R) d^(3/2). The block is a quarter, 1 m wide, with elements that grow from
// the contact on; the distance that the barrier keeps is added to the approach, and the barrier
// gets finer with the elements, as what it keeps at the rim of the contact counts too.
//
// Bodies. A ball on an incline that is not too steep rolls with 5/7 g sin. A block on one with
// enough friction tips where the slope is above its width over its height.

#include "verify.h"

#include "lyra/lyra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81
#define MU 0.5
#define STEP 0.01
#define DISTANCE 1e-3

// ---- a particle ---------------------------------------------------------------------------------

typedef struct Particle {
    const char *integrator;
    double step, gravity, stiffness, friction;
    double normal[3], place[3], velocity[3];
} Particle;

static LyraStatus make_particle(LyraContext *ctx, const Particle *p, LyraWorld **out)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraBodySprings springs = lyra_body_springs_default();
    LyraObstacleDef plane = lyra_obstacle_def_default();
    def.integrator.name = p->integrator;
    def.gravity[1] = lyra_curve_constant(-p->gravity);
    def.time.dt = p->step;
    springs.over = LYRA_SPRINGS_OVER_CHAIN;
    springs.count = 1;
    springs.mass = 1;
    body.kind = "springs";
    body.springs = &springs;
    plane.distance = DISTANCE;
    plane.stiffness = p->stiffness;
    plane.friction = p->friction;
    for (int i = 0; i < 3; ++i) {
        springs.from[i] = springs.to[i] = p->place[i];
        body.start.velocity[i] = p->velocity[i];
        plane.normal[i] = p->normal[i];
    }
    VERIFY_TRY(lyra_world_create(ctx, &def, out));
    VERIFY_TRY(lyra_world_add_body(*out, &body, NULL));
    return lyra_world_add_obstacle(*out, &plane, NULL);
}

// way and speed down a slope after some steps, from rest or with a speed
static LyraStatus slide(Verify *verify, double tangent, double speed, int32_t steps, double *way,
                        double *velocity)
{
    // the barrier carries the weight where it begins
    double s = 0.6, load = -(s - 1) * (2 * log(s) + (s - 1) / s);
    double c = 1 / sqrt(1 + tangent * tangent), sine = tangent * c;
    const Particle p = {.integrator = "backward-euler",
                        .step = STEP,
                        .gravity = G,
                        .stiffness = -G * c / load,
                        .friction = MU,
                        .normal = {sine, c, 0},
                        .place = {s * DISTANCE * sine, s * DISTANCE * c, 0},
                        .velocity = {speed * c, -speed * sine, 0}};
    LyraWorld *world = NULL;
    LyraStatus status = make_particle(verify->ctx, &p, &world);
    for (int32_t i = 0; i < steps && status == LYRA_OK; ++i) {
        status = lyra_world_step(world, NULL);
    }
    if (status == LYRA_OK) {
        const double *x = lyra_world_positions(world, 0, NULL);
        const double *v = lyra_world_velocities(world, 0, NULL);
        *way = (x[0] - p.place[0]) * c - (x[1] - p.place[1]) * sine;
        *velocity = v[0] * c - v[1] * sine;
    }
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_incline(Verify *verify)
{
    double way = 0, velocity = 0, c = 1 / sqrt(1 + 0.49), a = G * c * (0.7 - MU);
    VERIFY_TRY(slide(verify, 0.7, 0, 200, &way, &velocity));
    verify_relative(verify, a * STEP * 200, velocity, 1e-9,
                    "tan 0.7, mu 0.5: speed after 2 s, m/s");
    verify_relative(verify, a * STEP * STEP * 200 * 201 / 2, way, 1e-9,
                    "tan 0.7, mu 0.5: way after 2 s, m");
    VERIFY_TRY(slide(verify, 0.4, 0, 200, &way, &velocity));
    verify_relative(verify, 1e-3 * (1 - sqrt(1 - 0.4 / MU)), velocity, 1e-6,
                    "tan 0.4, mu 0.5: speed of what sticks, m/s");
    for (int32_t k = 1; k <= 3; ++k) {
        VERIFY_TRY(slide(verify, 0, k, 150, &way, &velocity));
        verify_absolute(verify, k * k / (2 * MU * G) - 0.5 * k * STEP, way, 2e-3,
                        "way until it stops from %d m/s, less v h/2, m", (int)k);
    }
    return LYRA_OK;
}

// share of the speed that is left after a particle has hit the plane
static LyraStatus bounce(Verify *verify, const char *integrator, double step, double *share)
{
    const Particle p = {.integrator = integrator,
                        .step = step,
                        .stiffness = 1e4,
                        .normal = {0, 1, 0},
                        .place = {0, 2e-3, 0},
                        .velocity = {0, -1, 0}};
    LyraWorld *world = NULL;
    LyraStatus status = make_particle(verify->ctx, &p, &world);
    double last = -1;
    for (int32_t i = 0; i < 10000 && status == LYRA_OK; ++i) {
        status = lyra_world_step(world, NULL);
        if (status != LYRA_OK) {
            break;
        }
        last = lyra_world_velocities(world, 0, NULL)[1];
        double y = lyra_world_positions(world, 0, NULL)[1];
        if (last > 0 && y > DISTANCE) {
            break;
        }
    }
    *share = fmax(last, 0);
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_bounce(Verify *verify)
{
    static const struct {
        const char *name;
        double low[3], high[3];
    } rows[] = {
        {"backward-euler", {0, 0, 0.2}, {0.05, 0.3, 0.7}},
        {"newmark", {NAN, NAN, 0.95}, {NAN, NAN, 1.02}},
    };
    for (int32_t m = 0; m < 2; ++m) {
        double step = 1e-2;
        for (int32_t k = 0; k < 3; ++k, step /= 10) {
            double share = 0;
            VERIFY_TRY(bounce(verify, rows[m].name, step, &share));
            if (isnan(rows[m].low[k])) {
                verify_information(verify, NAN, share, "%s, steps of %g s: speed after over before",
                                   rows[m].name, step);
            } else {
                verify_range(verify, rows[m].low[k], rows[m].high[k], share,
                             "%s, steps of %g s: speed after over before", rows[m].name, step);
            }
        }
    }
    verify_note(verify,
                "A barrier has no restitution of its own: what comes back is what the "
                "integrator leaves. Newmark's method gains speed where steps do not resolve it.");
    return LYRA_OK;
}

// ---- Hertz --------------------------------------------------------------------------------------

#define YOUNG 1e6
#define POISSON 0.3
#define RADIUS 0.05
#define DEPTH 2e-3
#define WIDTH 1.0
#define BARRIER 0.01 // its distance over the first element

// place of the node a share t of the way: `cells` elements, the first one `first` long
static double grade(double t, double first, int32_t cells)
{
    // WIDTH = first (q^cells - 1) / (q - 1)
    double low = 1.0001, high = 4;
    for (int32_t i = 0; i < 200; ++i) {
        double q = 0.5 * (low + high);
        bool less = first * (pow(q, cells) - 1) / (q - 1) < WIDTH;
        low = less ? q : low;
        high = less ? high : q;
    }
    return first * (pow(low, t * cells) - 1) / (low - 1);
}

static LyraStatus make_quarter(LyraContext *ctx, int32_t cells, double first, LyraMesh **out)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *box = NULL;
    shape.kind = LYRA_ELEMENT_HEX8;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = cells;
        shape.center[i] = i == 1 ? -0.5 : 0.5;
    }
    VERIFY_TRY(lyra_mesh_generate(ctx, &shape, &box));
    LyraMeshView view = lyra_mesh_view(box);
    double *positions = malloc(3 * sizeof *positions * (size_t)view.vertex_count);
    if (!positions) {
        lyra_mesh_destroy(box);
        return LYRA_OUT_OF_MEMORY;
    }
    for (int64_t i = 0; i < 3 * (int64_t)view.vertex_count; ++i) {
        double t = fabs(view.positions[i]);
        positions[i] = (i % 3 == 1 ? -1 : 1) * (t < 1e-12 ? 0 : grade(t, first, cells));
    }
    view.positions = positions;
    LyraStatus status = lyra_mesh_create(ctx, &view, out);
    free(positions);
    lyra_mesh_destroy(box);
    return status;
}

static LyraStatus hold(LyraWorld *world, int32_t axis, double place)
{
    LyraConstraintDef held = lyra_constraint_def_default();
    LyraSelectBox box;
    for (int i = 0; i < 3; ++i) {
        box.min[i] = -2 * WIDTH;
        box.max[i] = 2 * WIDTH;
    }
    box.min[axis] = place - 1e-9;
    box.max[axis] = place + 1e-9;
    held.select.box = &box;
    held.axes = 1 << axis;
    return lyra_world_add_constraint(world, &held);
}

static LyraStatus fill_hertz(LyraWorld *world, const LyraMesh *mesh, double distance)
{
    static const double times[] = {0, 1}, places[] = {0, -DEPTH};
    LyraBodyDef body = lyra_body_def_default();
    LyraObstacleDef ball = lyra_obstacle_def_default();
    body.mesh = mesh;
    body.material.model = "linear";
    body.material.young = YOUNG;
    body.material.poisson = POISSON;
    VERIFY_TRY(lyra_world_add_body(world, &body, NULL));
    VERIFY_TRY(hold(world, 0, 0));
    VERIFY_TRY(hold(world, 2, 0));
    VERIFY_TRY(hold(world, 1, -WIDTH));
    ball.shape = LYRA_SHAPE_SPHERE;
    ball.radius = RADIUS;
    ball.distance = distance;
    ball.point[1] = RADIUS + ball.distance;
    ball.displacement[1].key_count = 2;
    ball.displacement[1].times = times;
    ball.displacement[1].values = places;
    return lyra_world_add_obstacle(world, &ball, NULL);
}

// force over that of Hertz at the approach that the gap leaves
static LyraStatus press(Verify *verify, int32_t cells, double first, double *share)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    LyraMesh *mesh = NULL;
    LyraObstacleReport report = {0};
    def.integrator.name = "static";
    def.time.dt = 0.2;
    LyraStatus status = make_quarter(verify->ctx, cells, first, &mesh);
    status = status == LYRA_OK ? lyra_world_create(verify->ctx, &def, &world) : status;
    status = status == LYRA_OK ? fill_hertz(world, mesh, BARRIER * first) : status;
    for (int32_t i = 0; i < 5 && status == LYRA_OK; ++i) {
        status = lyra_world_step(world, NULL);
    }
    status = status == LYRA_OK ? lyra_world_obstacle(world, 0, &report) : status;
    if (status == LYRA_OK) {
        // the lowest point of the ball against the surface that was at y = 0
        double depth = DEPTH - BARRIER * first + report.min_gap;
        double exact = 4.0 / 3 * YOUNG / (1 - POISSON * POISSON) * sqrt(RADIUS) * pow(depth, 1.5);
        *share = 4 * report.reaction[1] / exact;
    }
    lyra_world_destroy(world);
    lyra_mesh_destroy(mesh);
    return status;
}

static LyraStatus run_hertz(Verify *verify)
{
    static const struct {
        int32_t cells;
        double first, tolerance;
    } rows[] = {{14, 4e-3, 0.1}, {24, 2e-3, 0.05}};
    double errors[2], edges[2];
    int32_t count = verify->quick ? 1 : 2;
    for (int32_t k = 0; k < count; ++k) {
        double share = NAN;
        VERIFY_TRY(press(verify, rows[k].cells, rows[k].first, &share));
        edges[k] = rows[k].first;
        errors[k] = fabs(share - 1);
        verify_absolute(verify, 1, share, rows[k].tolerance,
                        "elements of %g mm at the contact: force over Hertz's",
                        1e3 * rows[k].first);
    }
    VerifyPlot *plot = verify_plot(verify, "hertz", "Hertz's contact", "edge of elements, m",
                                   "error of the force", true, true);
    verify_series(plot, count, edges, errors, "cubes");
    return LYRA_OK;
}

// ---- stiff bodies -------------------------------------------------------------------------------

typedef struct Stiff {
    LyraMeshShapeDef shape;
    double tangent, friction, step;
    int32_t steps;
    bool slow; // the slope grows over two seconds
} Stiff;

// an affine body that lies on a slope, which gravity has here: its extent and velocity down it
static LyraStatus let_go(Verify *verify, const Stiff *stiff, double *extent, double *velocity)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraObstacleDef plane = lyra_obstacle_def_default();
    double c = 1 / sqrt(1 + stiff->tangent * stiff->tangent), low = INFINITY, high = -INFINITY;
    LyraWorld *world = NULL;
    def.integrator.name = "bdf2";
    char along[64], across[64];
    if (stiff->slow) {
        // so slowly that it does not rock
        snprintf(along, sizeof along, "9.81 * sin(%.12g * ramp(t/2))", atan(stiff->tangent));
        snprintf(across, sizeof across, "-9.81 * cos(%.12g * ramp(t/2))", atan(stiff->tangent));
        def.gravity[0] = lyra_curve_expression(along);
        def.gravity[1] = lyra_curve_expression(across);
    } else {
        def.gravity[0] = lyra_curve_constant(G * stiff->tangent * c);
        def.gravity[1] = lyra_curve_constant(-G * c);
    }
    def.time.dt = stiff->step;
    body.kind = "affine";
    body.generate = &stiff->shape;
    plane.friction = stiff->friction;
    LyraStatus status = lyra_world_create(verify->ctx, &def, &world);
    status = status == LYRA_OK ? lyra_world_add_body(world, &body, NULL) : status;
    status = status == LYRA_OK ? lyra_world_add_obstacle(world, &plane, NULL) : status;
    for (int32_t i = 0; i < stiff->steps && status == LYRA_OK; ++i) {
        status = lyra_world_step(world, NULL);
    }
    int32_t count = 0;
    const double *x = status == LYRA_OK ? lyra_world_positions(world, 0, &count) : NULL;
    const double *v = status == LYRA_OK ? lyra_world_velocities(world, 0, &count) : NULL;
    *velocity = 0;
    for (int32_t k = 0; x && v && k < count; ++k) {
        low = fmin(low, x[3 * k]);
        high = fmax(high, x[3 * k]);
        *velocity += v[3 * k] / count;
    }
    *extent = high - low;
    lyra_world_destroy(world);
    return status;
}

static LyraStatus run_stiff(Verify *verify)
{
    double extent = 0, velocity = 0;
    Stiff ball = {.shape = lyra_mesh_shape_def_default(),
                  .tangent = 0.3,
                  .friction = 0.5,
                  .step = 1e-3,
                  .steps = 400};
    ball.shape.shape = LYRA_MESH_SHAPE_SPHERE;
    ball.shape.radius = 0.05;
    ball.shape.elements = 100000;
    ball.shape.center[1] = 0.0508;
    VERIFY_TRY(let_go(verify, &ball, &extent, &velocity));
    double sine = 0.3 / sqrt(1.09);
    verify_relative(verify, 5.0 / 7 * G * sine * 0.4, velocity, 0.02,
                    "a ball on tan 0.3, mu 0.5: speed after 0.4 s, m/s");
    static const double slopes[] = {0.48, 0.52};
    for (int32_t k = 0; k < 2; ++k) {
        Stiff block = {.shape = lyra_mesh_shape_def_default(),
                       .tangent = slopes[k],
                       .friction = 1,
                       .step = 5e-3,
                       .steps = 800,
                       .slow = true};
        block.shape.size[0] = block.shape.size[2] = 0.1;
        block.shape.size[1] = 0.2;
        block.shape.center[1] = 0.1012;
        VERIFY_TRY(let_go(verify, &block, &extent, &velocity));
        verify_range(verify, k == 0 ? 0.1 : 0.15, k == 0 ? 0.105 : 0.25, extent,
                     "a block half as wide as high on tan %g: its width after 4 s, m", slopes[k]);
    }
    return LYRA_OK;
}

const VerifyCase verify_obstacles_cases[] = {
    {"incline", "obstacles", "A particle on an incline slides, creeps, stops", true, run_incline},
    {"bounce", "obstacles", "A particle bounces as the integrator has it", true, run_bounce},
    {"roll-and-tip", "obstacles", "A ball rolls, a block tips", false, run_stiff},
    {"hertz", "obstacles", "A rigid ball pressed into a block", false, run_hertz},
    {0},
};
