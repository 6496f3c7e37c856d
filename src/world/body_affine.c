// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of kind "affine": what of a def they read, and the weights of their points.

#include "world/parameters.h"

#include <math.h>
#include <string.h>

static LyraStatus refuse(const char *kind, const char *key, const char *name, const char *hint)
{
    return ly_fail_key(LYRA_BAD_FORMAT, key, "found %s of %s %s body, expected %s", name,
                       *kind == 'a' ? "an" : "a", kind, hint);
}

LyraStatus ly_check_stiff_def(const LyraBodyDef *def)
{
    static const char hint[] =
        "density alone in its material; how stiff it is stands in the key stiffness of the body";
    const char *kind = def->kind;
    const LyraSolidDef *given = &def->material, none = lyra_body_def_default().material;
    if (strcmp(given->model, none.model) != 0) {
        return refuse(kind, "material.model", "model", hint);
    }
    if (given->young > 0 || !isnan(given->poisson)) {
        return given->young > 0 ? refuse(kind, "material.young", "young", hint)
                                : refuse(kind, "material.poisson", "poisson", hint);
    }
    if (given->inversion != none.inversion ||
        given->inversion_threshold != none.inversion_threshold) {
        return refuse(kind, "material.inversion", "inversion", hint);
    }
    if (given->compression_resistance != 0) {
        return refuse(kind, "material.compression-resistance", "compression-resistance", hint);
    }
    if (given->stiffness != 0 || given->damping != 0) {
        return given->stiffness != 0 ? refuse(kind, "material.stiffness", "stiffness", hint)
                                     : refuse(kind, "material.damping", "damping", hint);
    }
    if (given->constant_count > 0) {
        return refuse(kind, "material.parameters", "parameters", hint);
    }
    if (given->vega || def->modulus_factor != 1) {
        const char *name = given->vega ? "vega" : "modulus-factor";
        return ly_within_key(refuse(kind, name, name, hint), "material");
    }
    if (given->plasticity || given->volumetric != none.volumetric) {
        return given->plasticity ? refuse(kind, "material.plasticity", "plasticity", hint)
                                 : refuse(kind, "material.volumetric", "volumetric", hint);
    }
    if (def->viscosity || def->damping.stretch_rate || def->goal || def->fibre || def->springs) {
        const char *name = def->viscosity              ? "viscosity"
                           : def->damping.stretch_rate ? "damping"
                           : def->goal                 ? "goal"
                           : def->fibre                ? "fibre"
                                                       : "springs";
        return refuse(kind, name, name,
                      def->springs ? "it of springs alone" : "it of solids alone");
    }
    for (int32_t r = 0; r < def->region_count; ++r) {
        if (!isnan(def->regions[r].young) || !isnan(def->regions[r].poisson)) {
            return ly_within_item(ly_fail(LYRA_BAD_FORMAT,
                                          "found moduli in a region of %s %s body, expected "
                                          "density alone",
                                          *kind == 'a' ? "an" : "a", kind),
                                  "regions", r);
        }
    }
    return LYRA_OK;
}

static LyraStatus create(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body)
{
    LyraAffineDef def = lyra_affine_def_default();
    LyraAffine *affine = NULL;
    view->shape = take;
    LY_TRY(ly_check_stiff_def(body->def));
    def.mesh = take;
    def.stiffness = isnan(body->def->stiffness) ? 0 : body->def->stiffness;
    LY_TRY(lyra_affine_create(world->ctx, &def, &affine));
    view->affine = affine;
    LyraAffineView made = lyra_affine_view(affine);
    return ly_body_set_vertices(world->ctx, view, body, LYRA_AFFINE_PARTICLES, made.positions,
                                made.masses);
}

static LyraForce *const *forces(const LyraBodyView *view, int32_t *count)
{
    LyraAffineView made = lyra_affine_view(view->affine);
    *count = made.force_count;
    return made.forces;
}

LyraStatus ly_embed_stiff(const LyraBodyView *view, int32_t count, const double *points,
                          LyraEmbedding **out)
{
    return lyra_affine_embed(view->affine, count, points, out);
}

const LyBodyType ly_body_affine = {.name = "affine",
                                   .create = create,
                                   .weighted = true,
                                   .embed = ly_embed_stiff,
                                   .forces = forces};

LyraStatus ly_world_point_weights(LyraWorld *world, int32_t count, const LyBodyPoint *points,
                                  int32_t **vertices, double **weights)
{
    const int64_t nodes = LYRA_AFFINE_PARTICLES;
    LY_TRY(ly_arena_allocate(world->arena, nodes * count, sizeof **vertices, vertices));
    LY_TRY(ly_arena_allocate(world->arena, nodes * count, sizeof **weights, weights));
    for (int32_t p = 0; p < count; ++p) {
        const LyraBodyView *body = &world->views[points[p].body];
        LyraEmbeddingView shape = lyra_embedding_view(lyra_affine_view(body->affine).embedding);
        memcpy(*weights + nodes * p, shape.weights + nodes * points[p].vertex,
               (size_t)nodes * sizeof **weights);
        for (int32_t k = 0; k < nodes; ++k) {
            (*vertices)[nodes * p + k] = body->first_vertex + k;
        }
    }
    return LYRA_OK;
}

// ---- stiffness, while the world runs ------------------------------------------------------------

static double start_stiffness(const LyraWorld *world, int32_t body, int32_t number)
{
    (void)number;
    bool own = world->bodies[body].type == &ly_body_affine;
    const LyraAffine *affine = own ? world->views[body].affine : NULL;
    return affine ? lyra_affine_view(affine).stiffness : 0;
}

static LyraStatus set_stiffness(LyraWorld *world, LyUndo *undo, int32_t body, int32_t number,
                                double factor)
{
    (void)number;
    int32_t count;
    LyraForce *const *own = forces(&world->views[body], &count);
    int32_t group = lyra_model_group_of(world->model, own[0]);
    int32_t mu = lyra_force_type_parameter(lyra_force_type(own[0]), "mu");
    return ly_copy_parameter(world, undo, group, own[0], mu, factor);
}

static const LyScaled scaled = {.name = "stiffness",
                                .unit = "Pa",
                                .range = 100,
                                .factor = offsetof(LyBody, young),
                                .start = start_stiffness,
                                .set = set_stiffness};
const LyLive ly_live_affine = {.scaled = &scaled};
