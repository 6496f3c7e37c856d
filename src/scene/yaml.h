// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of a scene in YAML while it is built and, as the scene's `loads`, while it runs.

#ifndef LY_SCENE_YAML_H
#define LY_SCENE_YAML_H

#include "base/name_index.h"
#include "scene/scene.h"
#include "scene/schema.h"

/// Vertices that a constraint holds: along up to three orthonormal directions, at a place that may
/// move.
typedef struct LyMotion {
    int32_t count;
    const int32_t *vertices; // of the model
    int32_t direction_count;
    double directions[3][3];
    const LyConstraintSpec *spec;
    bool moves;
} LyMotion;

/// Forces on vertices over time.
typedef struct LyNodal {
    int32_t count;
    const int32_t *vertices; // of the model
    const double *shares;    // of the vertices; NULL: all 1
    double scale;
    const LyLoadSpec *spec;
} LyNodal;

/// A point of an affine body: a vertex of its shape.
typedef struct LyBodyPoint {
    int32_t body, vertex;
} LyBodyPoint;

/// What a selector found.
typedef struct LySelection {
    int32_t count;
    const int32_t *vertices; // of the model, of bodies whose meshes have these, ascending
    int32_t point_count;
    const LyBodyPoint *points; // of affine bodies, ascending
} LySelection;

typedef struct LyYaml {
    LyraScene *scene;
    LyraArena *arena; // of the tree, the spec, and all lists below
    LySceneSpec spec;
    LyNameIndex names; // of the bodies
    int32_t vertex_count;
    double *positions; // at rest, [vertex_count][3]
    double *masses;    // [vertex_count]
    int32_t motion_count, nodal_count;
    LyMotion *motions;
    LyNodal *nodals;
    bool gravity_changes;
} LyYaml;

static inline const LyBodySpec *ly_body_spec(const LyYaml *yaml, int32_t body)
{
    return (const LyBodySpec *)yaml->spec.bodies.items + body;
}

// ---- selections ---------------------------------------------------------------------------------

/// Bodies [*first, *end) that `name` stands for: one, or all where it is NULL. `node` has the key
/// "body".
LyraStatus ly_select_bodies(const LyYaml *yaml, const LyNode *node, const char *name,
                            int32_t *first, int32_t *end);

/// The mesh that selectors look at.
static inline const LyraMesh *ly_body_shape(const LyraSceneBody *body)
{
    return body->affine ? body->shape : body->mesh;
}

/// Vertices and points, on the scene's arena. None is an error.
LyraStatus ly_select_vertices(LyYaml *yaml, const LyNode *node, const char *body,
                              const LySelectSpec *spec, LySelection *out);

/// The same where affine bodies can be selected as a whole only, by their particles.
LyraStatus ly_select_whole(LyYaml *yaml, const LyNode *node, const char *body,
                           const LySelectSpec *spec, int32_t *count, const int32_t **vertices);

/// Triangles of the surface, as vertices of the model, [count][3]. None is an error, and so are
/// those of affine bodies.
LyraStatus ly_select_triangles(LyYaml *yaml, const LyNode *node, const char *body,
                               const LySelectSpec *spec, int32_t *count, const int32_t **triangles);

/// Elements of a mesh, ascending. None is an error.
LyraStatus ly_select_elements(LyYaml *yaml, const LyraMesh *mesh, const LySelectSpec *spec,
                              int32_t *count, int32_t **elements);

// ---- parts --------------------------------------------------------------------------------------

/// Meshes, names, vertex ranges, positions and masses of all bodies.
LyraStatus ly_yaml_bodies(LyYaml *yaml);

/// Forces of all bodies, and surfaces that they carry.
LyraStatus ly_yaml_materials(LyYaml *yaml);

/// Adds a rule to the scene. `self` is the arena's.
LyraStatus ly_yaml_add_rule(LyYaml *yaml, LySceneRule rule);

/// Finds what is held.
LyraStatus ly_yaml_constraints(LyYaml *yaml);

/// Puts it into the model, which is there now.
LyraStatus ly_yaml_constrain(LyYaml *yaml);

/// The start of the bodies, and of what is held, in the state.
LyraStatus ly_yaml_start(LyYaml *yaml);

/// LyraPrescription of the model; `user` is a LyYaml.
void ly_yaml_prescribe(void *user, double t, double *u, double *v, double *a);
bool ly_yaml_moves(const LyYaml *yaml);

/// Loads on vertices and surfaces, springs to targets.
LyraStatus ly_yaml_loads(LyYaml *yaml);

/// LyraLoad of the model; `user` is a LyYaml.
void ly_yaml_load(void *user, double t, const double *u, const double *v, double *f);

/// Rules for materials that change; the model is there.
LyraStatus ly_yaml_changes(LyYaml *yaml);

/// Makes the affine body of a mesh, which becomes its shape.
LyraStatus ly_yaml_make_affine(LyYaml *yaml, const LyBodySpec *spec, LyraSceneBody *body);

/// Vertices of the model and weights on them of points of affine bodies, [count][4] each, on the
/// scene's arena.
LyraStatus ly_yaml_weigh_points(LyYaml *yaml, int32_t count, const LyBodyPoint *points,
                                int32_t **vertices, double **weights);

/// Springs from points, sums of `nodes` (1 or 4) vertices with weights, to their places at rest
/// plus an offset over time.
typedef struct LyTargetSpringsDef {
    int32_t count, nodes;
    const int32_t *vertices; // [count][nodes]
    const double *weights;   // as those; must outlive the force. Nullable with one node.
    double stiffness, damping;
    const LyCurves *offset;
} LyTargetSpringsDef;

/// LyraForce "target".
LyraStatus ly_target_springs_create(LyraContext *ctx, const LyTargetSpringsDef *def,
                                    LyraForce **out);

/// Row-major rotation about `axis` by `angle`; an axis of no length is the caller's to refuse.
void ly_turn_matrix(const double axis[3], double angle, double R[9]);

/// Fails unless a vector of the scene has a length.
LyraStatus ly_check_direction(const void *group, const char *key, const double direction[3]);

#endif
