// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Random scenes of bodies and obstacles, still and moving, under each implicit integrator and each
// policy of Newton's method. No point is ever inside.

#ifndef OBSTACLE_SCENES_H
#define OBSTACLE_SCENES_H

#include "lyra/integrator.h"
#include "lyra/world.h"
#include "lyra_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OBSTACLE_BODIES 6

/// How scenes went.
typedef struct ObstacleCount {
    int32_t steps, ended, inside, touched;
    double least; // gap, m
} ObstacleCount;

static inline LyraStatus obstacle_body(LyraWorld *world, int32_t kind, const double place[3],
                                       LyraSelectHalfSpace *top)
{
    LyraBodyDef body = lyra_body_def_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraBodyCloth cloth = lyra_body_cloth_default();
    LyraBodySprings springs = lyra_body_springs_default();
    LyraSheetDef sheet = lyra_sheet_def_default();
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = 2;
        shape.size[i] = 0.2;
        body.transform.translate[i] = place[i];
    }
    switch (kind) {
    case 0:
    case 1:
    case 2:
        body.generate = &shape;
        shape.kind = kind == 0   ? LYRA_ELEMENT_TET4
                     : kind == 1 ? LYRA_ELEMENT_TET10
                                 : LYRA_ELEMENT_CUBE8;
        body.material.model = "neo-hookean";
        body.material.young = 5e4;
        body.material.poisson = 0.35;
        body.material.inversion = LYRA_INVERSION_EXTEND;
        break;
    case 3:
        body.kind = "affine";
        body.generate = &shape;
        break;
    case 4:
        body.kind = "cloth";
        sheet.length = sheet.width = 0.4;
        sheet.cells[0] = sheet.cells[1] = 6;
        cloth.generate = &sheet;
        body.cloth = &cloth;
        break;
    default:
        body.kind = "springs";
        springs.over = LYRA_SPRINGS_OVER_CHAIN;
        springs.count = 6;
        springs.mass = 0.1;
        springs.structural = 200;
        for (int i = 0; i < 3; ++i) {
            springs.from[i] = place[i] - (i == 0 ? 0.15 : 0);
            springs.to[i] = place[i] + (i == 0 ? 0.15 : 0);
            body.transform.translate[i] = 0;
        }
        body.springs = &springs;
        break;
    }
    *top =
        (LyraSelectHalfSpace){.point = {place[0], place[1] + 0.09, place[2]}, .normal = {0, 1, 0}};
    return lyra_world_add_body(world, &body, NULL);
}

static inline LyraStatus obstacle_add(LyraWorld *world, TestRandom *random, int32_t index,
                                      LyraObstacleResponse response)
{
    static char motion[4][64];
    LyraObstacleDef def = lyra_obstacle_def_default();
    def.shape = index == 0 ? LYRA_SHAPE_PLANE
                           : (LyraShapeKind)(1 + test_random_below(random, LYRA_SHAPE_TORUS));
    def.friction = test_random_below(random, 3) * 0.4;
    if (response == LYRA_OBSTACLE_RELOCATE || response == LYRA_OBSTACLE_CONSTRAINT) {
        def.friction = 0;
    }
    def.response = response;
    def.radius = test_random_in(random, 0.1, 0.2);
    def.tube = 0.07;
    for (int i = 0; i < 3; ++i) {
        def.point[i] = i == 1 ? test_random_in(random, 0, 0.15) : test_random_in(random, -0.3, 0.3);
        def.size[i] = test_random_in(random, 0.1, 0.35);
        def.end[i] = def.point[i] + test_random_in(random, 0.05, 0.15);
    }
    if (index == 0) {
        def.point[1] = 0;
    }
    if (index == 0 || test_random_below(random, 2) == 0) {
        // at rest at first, so that nobody is hit before the first step
        double rate = test_random_in(random, 2, 8), size = test_random_in(random, 0.01, 0.06);
        snprintf(motion[index], sizeof motion[index], "%.3f * (1 - cos(%.3f * t))", size, rate);
        def.displacement[1] = lyra_curve_expression(motion[index]);
        if (index > 0) {
            def.rotation.angle = lyra_curve_expression("0.5 * t");
            memcpy(def.rotation.center, def.point, sizeof def.point);
        }
    }
    return lyra_world_add_obstacle(world, &def, NULL);
}

/// Scene `seed`, `steps` steps of it. Other responses than barriers let points in, by finite ways.
static inline void obstacle_scene_by(LyraObstacleResponse response, uint64_t seed, int32_t steps,
                                     int32_t threads, ObstacleCount *count)
{
    TestRandom random = test_random(1000 + seed);
    LyraContext *ctx = test_context(threads, LYRA_ISA_AUTO);
    LyraIntegratorFacts facts;
    const char *names[32];
    int32_t methods = 0;
    for (int32_t k = 0; lyra_integrator_name(k, &facts); ++k) {
        if (facts.is_implicit && !facts.constant && !facts.adaptive &&
            strcmp(facts.name, "static") != 0) {
            names[methods++] = facts.name;
        }
    }
    LyraWorldDef def = lyra_world_def_default();
    LyraWorld *world = NULL;
    LyraSelectHalfSpace top;
    def.gravity[1] = lyra_curve_constant(-9.81);
    def.time.dt = 0.01;
    def.damping.stiffness = 1e-3;
    def.integrator.name = names[seed % (uint64_t)methods];
    LyraNewtonPolicy policy =
        (LyraNewtonPolicy)(seed / (uint64_t)methods % (uint64_t)(LYRA_NEWTON_COUNTED + 1));
    def.integrator.newton.policy = policy;
    def.integrator.newton.psd_always = test_random_below(&random, 2) == 0;
    if (policy == LYRA_NEWTON_COUNTED) {
        def.integrator.newton.iterations_max = 4;
    }
    TEST_REQUIRE_OK(lyra_world_create(ctx, &def, &world));
    bool holds = response == LYRA_OBSTACLE_RELOCATE || response == LYRA_OBSTACLE_CONSTRAINT;
    int32_t kind = (int32_t)(seed % OBSTACLE_BODIES);
    // these hold vertices, of which affine bodies have none
    kind = holds && kind == 3 ? 0 : kind;
    const double place[3] = {test_random_in(&random, -0.1, 0.1), 0.62,
                             test_random_in(&random, -0.1, 0.1)};
    TEST_OK(obstacle_body(world, kind, place, &top));
    if (kind < 3 && test_random_below(&random, 3) == 0) {
        LyraConstraintDef held = lyra_constraint_def_default();
        held.select.half_space = &top;
        held.displacement[1] = lyra_curve_expression("-0.1 * (1 - cos(3 * t))");
        TEST_OK(lyra_world_add_constraint(world, &held));
    }
    int32_t obstacles = 1 + test_random_below(&random, 4);
    for (int32_t o = 0; o < obstacles && o < 4; ++o) {
        TEST_OK(obstacle_add(world, &random, o, response));
    }
    for (int32_t s = 0; s < steps; ++s) {
        LyraObstacleReport report;
        LyraStepReport step;
        LyraStatus status = lyra_world_step(world, &step);
        if (status != LYRA_OK) {
            // a clean end: nothing moved
            count->ended++;
            if (test_tolerance_scale() == 0) {
                printf("scene %d, %s, policy %d, body %d: step %d: %s\n", (int)seed,
                       def.integrator.name, (int)policy, (int)kind, (int)s, lyra_error_message());
            }
            break;
        }
        ++count->steps;
        for (int32_t o = 0; o < obstacles && o < 4; ++o) {
            TEST_OK(lyra_world_obstacle(world, o, &report));
            bool good = response == LYRA_OBSTACLE_BARRIER
                            ? report.min_gap > 0
                            : isfinite(report.min_gap + report.reaction[1]);
            count->inside += !good;
            count->touched += report.touching > 0;
            count->least = fmin(count->least, report.min_gap);
            TEST_CHECK_MSG(good, "scene %d, %s, policy %d, body %d: %g m at step %d", (int)seed,
                           def.integrator.name, (int)policy, (int)kind, report.min_gap, (int)s);
        }
    }
    lyra_world_destroy(world);
    test_context_end(ctx);
}

static inline void obstacle_scene(uint64_t seed, int32_t steps, int32_t threads,
                                  ObstacleCount *count)
{
    obstacle_scene_by(LYRA_OBSTACLE_BARRIER, seed, steps, threads, count);
}

#endif
