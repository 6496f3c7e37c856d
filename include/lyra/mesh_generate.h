// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Meshes of simple bodies of any size: boxes, balls, cylinders and tori of tets, straight or
/// curved, cubes or hexahedra.

#ifndef LYRA_MESH_GENERATE_H
#define LYRA_MESH_GENERATE_H

#include "lyra/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bodies that lyra_mesh_generate makes.
typedef enum LyraMeshShape {
    LYRA_MESH_SHAPE_BOX = 0,
    LYRA_MESH_SHAPE_SPHERE,   ///< The solid ball.
    LYRA_MESH_SHAPE_CYLINDER, ///< Axis along z.
    LYRA_MESH_SHAPE_TORUS,    ///< Axis along z; solid ring.
    LYRA_MESH_SHAPE_COUNT
} LyraMeshShape;

/// "box", "sphere", "cylinder" or "torus".
LYRA_API const char *lyra_mesh_shape_name(LyraMeshShape shape);

/// How a cell with eight corners becomes tets. Both fit together across cells.
typedef enum LyraTetPattern {
    LYRA_TET_PATTERN_SIX = 0, ///< Six of equal volume around one diagonal (Kuhn).
    LYRA_TET_PATTERN_FIVE,    ///< One regular, four at corners; neighbours mirrored. Boxes only.
    LYRA_TET_PATTERN_COUNT
} LyraTetPattern;

/// What to generate. Start from lyra_mesh_shape_def_default().
typedef struct LyraMeshShapeDef {
    LyraMeshShape shape;    ///< Default LYRA_MESH_SHAPE_BOX.
    LyraElementKind kind;   ///< Default LYRA_ELEMENT_TET4.
    int64_t elements;       ///< About this many, >= 1. Default 1000.
    int32_t cells[3];       ///< Box: cells along each edge, overruling `elements`, >= 1;
                            ///< all 0: chosen from `elements`. Default 0.
    LyraTetPattern pattern; ///< Default LYRA_TET_PATTERN_SIX.
    double center[3];       ///< m. Default 0.
    double size[3];         ///< Box: edge lengths, m, > 0. Default 1.
    double radius;          ///< Sphere, cylinder; torus: of the centre line. m. Default 1.
    double tube_radius;     ///< Torus: of the tube, m, in (0, radius). Default 0.4.
    double height;          ///< Cylinder, m. Default 2.
    bool shuffle;           ///< Vertices and elements in random order. Default false.
    uint64_t seed;          ///< Of the random order. Default 1.
    const LyraMeshMaterial *material; ///< Nullable: lyra_mesh_material_default(). Default NULL.
    uint32_t cookie;                  ///< Written by the default function only.
} LyraMeshShapeDef;

LYRA_API LyraMeshShapeDef lyra_mesh_shape_def_default(void);

/// Makes a mesh of a body. The number of elements is the nearest that well-shaped cells allow; read
/// it from the view.
///
/// Tets: conforming, all positive, boundary vertices on the true shape, and of tets of 10 nodes the
/// middle ones there too, so that round bodies are curved. Hexahedra: as cubes, with cells of a box
/// that may be of any size. Cubes: a box with `cells`
/// must have cells that are cubes; without, it keeps its volume and its edges are rounded to whole
/// cubes. The round bodies are made of the cubes whose centre lies inside.
///
/// Fails with LYRA_INVALID_ARGUMENT for a length that is not positive or not finite, or so small
/// that elements have no volume (in itself or where the centre is), with LYRA_NOT_FINITE for a body
/// beyond the range of double, and with LYRA_TOO_LARGE beyond 2^31 - 1 elements or vertices.
LYRA_API LyraStatus lyra_mesh_generate(LyraContext *ctx, const LyraMeshShapeDef *def,
                                       LyraMesh **out);

#ifdef __cplusplus
}
#endif

#endif
