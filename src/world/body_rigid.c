// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of kind "rigid": what of a def they read. They are particles as those of affine bodies;
// rigid_bodies.c moves them.

#include "lyra/mesh_ops.h"
#include "rigid/rigid.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// square of the speed of sound of a shape whose stiffness nobody says, m^2/s^2
#define SPEED_SQUARED 1e8

// least second moment over the largest
#define FLAT 1e-6

// Gives flat bodies and lines a thickness: no second moment M = tr(I)/2 - I below FLAT of the
// largest, as the particles need room.
static void thicken(double inertia[9])
{
    LyraMat3 M;
    double half = 0.5 * (inertia[0] + inertia[4] + inertia[8]), trace = 0;
    for (int i = 0; i < 9; ++i) {
        M.m[i / 3][i % 3] = (i % 4 == 0 ? half : 0) - inertia[i];
    }
    LyraEigen3 eigen = lyra_mat3_eigen(M);
    double least = FLAT * eigen.values.x;
    if (eigen.values.z >= least) {
        return;
    }
    const double values[3] = {eigen.values.x, fmax(eigen.values.y, least),
                              fmax(eigen.values.z, least)};
    for (int i = 0; i < 9; ++i) {
        M.m[i / 3][i % 3] = 0;
        for (int n = 0; n < 3; ++n) {
            M.m[i / 3][i % 3] += values[n] * eigen.vectors.m[i / 3][n] * eigen.vectors.m[i % 3][n];
        }
        trace += i % 4 == 0 ? M.m[i / 3][i % 3] : 0;
    }
    for (int i = 0; i < 9; ++i) {
        inertia[i] = (i % 4 == 0 ? trace : 0) - M.m[i / 3][i % 3];
    }
}

// what the def says in place of the mesh
static LyraStatus change_properties(const LyraBodyRigid *def, LyraMassProperties *properties)
{
    double scale = isnan(def->mass) ? 1 : def->mass / properties->mass;
    properties->mass = isnan(def->mass) ? properties->mass : def->mass;
    for (int i = 0; i < 9; ++i) {
        properties->inertia[i] *= scale;
    }
    if (def->center) {
        memcpy(properties->center_of_mass, def->center, 3 * sizeof(double));
    }
    if (def->products && !def->moments) {
        return ly_fail_key(LYRA_BAD_FORMAT, "products",
                           "found products without moments, expected both");
    }
    if (def->moments) {
        double *I = properties->inertia;
        I[0] = def->moments[0];
        I[4] = def->moments[1];
        I[8] = def->moments[2];
        I[1] = I[3] = def->products ? def->products[0] : 0;
        I[5] = I[7] = def->products ? def->products[1] : 0;
        I[2] = I[6] = def->products ? def->products[2] : 0;
    }
    LyraRigidBody check = {.mass = properties->mass};
    memcpy(check.inertia, properties->inertia, sizeof check.inertia);
    LY_TRY(ly_within_key(lyra_rigid_check(&check, true), def->moments ? "moments" : "mass"));
    thicken(properties->inertia);
    return LYRA_OK;
}

// a rigid body has one size
static LyraStatus check_start(const LyraStart *start)
{
    for (int i = 0; i < 3; ++i) {
        if (start->scale[i] != 1) {
            return ly_within_key(ly_fail_key(LYRA_BAD_FORMAT, "scale",
                                             "found scale %g of a rigid body, expected 1, or the "
                                             "scale in transform",
                                             start->scale[i]),
                                 "start");
        }
    }
    return LYRA_OK;
}

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    LyraAffineDef def = lyra_affine_def_default();
    LyraMassProperties properties;
    LyraAffine *affine = NULL;
    view->shape = take;
    LY_TRY(ly_check_stiff_def(body->def));
    LY_TRY(check_start(&body->def->start));
    LY_TRY(lyra_mesh_mass_properties(take, NULL, &properties));
    if (body->def->rigid) {
        LY_TRY(ly_within_key(change_properties(body->def->rigid, &properties), "rigid"));
    }
    def.mesh = take;
    def.properties = &properties;
    def.stiffness = isnan(body->def->stiffness) && properties.volume > 0
                        ? SPEED_SQUARED * properties.mass / properties.volume
                    : isnan(body->def->stiffness) ? 0
                                                  : body->def->stiffness;
    LY_TRY(lyra_affine_create(world->ctx, &def, &affine));
    view->affine = affine;
    LyraAffineView made = lyra_affine_view(affine);
    return ly_body_set_vertices(world->ctx, view, body, LYRA_AFFINE_PARTICLES, made.positions,
                                made.masses);
}

const LyBodyType ly_body_rigid = {
    .name = "rigid", .create = create, .weighted = true, .embed = ly_embed_stiff};
