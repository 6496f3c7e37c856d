// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Affine bodies of a scene in YAML: what of a body they read, and the weights of their points.

#include "scene/yaml.h"

#include <string.h>

// what an affine body has no use for is refused, not passed over
static LyraStatus check_keys(const LyBodySpec *spec)
{
    static const char *const material[] = {"model",
                                           "young",
                                           "poisson",
                                           "inversion",
                                           "inversion-threshold",
                                           "compression-resistance",
                                           "stiffness",
                                           "damping",
                                           "parameters"};
    for (int32_t k = 0; k < LY_COUNT_OF(material); ++k) {
        if (ly_schema_says(&spec->material, material[k])) {
            return ly_key_fail(
                ly_node_find(spec->material.node, material[k]), LYRA_BAD_FORMAT,
                "found %s in the material of an affine body, expected density alone; "
                "how stiff it is stands in the key stiffness of the body",
                material[k]);
        }
    }
    const char *other = spec->viscosity.node ? "viscosity" : spec->fibre.node ? "fibre" : NULL;
    if (other) {
        return ly_key_fail(ly_node_find(spec->node, other), LYRA_BAD_FORMAT,
                           "found %s of an affine body, expected it of solids alone", other);
    }
    const LyRegionSpec *regions = spec->regions.items;
    for (int32_t r = 0; r < spec->regions.count; ++r) {
        if (ly_schema_says(&regions[r], "young") || ly_schema_says(&regions[r], "poisson")) {
            return ly_node_fail(regions[r].node, LYRA_BAD_FORMAT,
                                "found moduli in a region of an affine body, expected density "
                                "alone");
        }
    }
    return LYRA_OK;
}

LyraStatus ly_yaml_make_affine(LyYaml *yaml, const LyBodySpec *spec, LyraSceneBody *body)
{
    LyraAffineDef def = lyra_affine_def_default();
    LY_TRY(check_keys(spec));
    body->shape = body->mesh;
    body->mesh = NULL;
    def.mesh = body->shape;
    def.stiffness = ly_schema_says(spec, "stiffness") ? spec->stiffness : 0;
    LY_TRY(ly_node_within(
        spec->node, lyra_affine_create(yaml->scene->ctx, &def, (LyraAffine **)&body->affine)));
    body->vertex_count = LYRA_AFFINE_PARTICLES;
    return LYRA_OK;
}

LyraStatus ly_yaml_weigh_points(LyYaml *yaml, int32_t count, const LyBodyPoint *points,
                                int32_t **vertices, double **weights)
{
    const int64_t nodes = LYRA_AFFINE_PARTICLES;
    LY_TRY(ly_tree_allocate(yaml->arena, nodes * count, sizeof **vertices, vertices));
    LY_TRY(ly_tree_allocate(yaml->arena, nodes * count, sizeof **weights, weights));
    for (int32_t p = 0; p < count; ++p) {
        const LyraSceneBody *body = &yaml->scene->bodies[points[p].body];
        LyraEmbeddingView shape = lyra_embedding_view(lyra_affine_view(body->affine).embedding);
        memcpy(*weights + nodes * p, shape.weights + nodes * points[p].vertex,
               (size_t)nodes * sizeof **weights);
        for (int32_t k = 0; k < nodes; ++k) {
            (*vertices)[nodes * p + k] = body->first_vertex + k;
        }
    }
    return LYRA_OK;
}
