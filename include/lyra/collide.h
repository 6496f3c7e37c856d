// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What may meet: a broad phase over points, edges and triangles that move, distances and their
/// derivatives, bounds of motion, and exact tests of edges against triangles. Needs no bodies
/// and no world. docs/theory/collide.md has the formulas.
///
/// A part: it may change between minor versions, and lyra/lyra.h leaves it out (lyra/parts.h).

#ifndef LYRA_COLLIDE_H
#define LYRA_COLLIDE_H

#include "lyra/base.h"
#include "lyra/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- broad phase --------------------------------------------------------------------------------

/// Points, edges and triangles over some vertices. All ids are below `vertex_count`.
typedef struct LyraPrimitives {
    int32_t vertex_count;
    int32_t point_count;
    const int32_t *points; ///< Their vertices, [point_count].
    int32_t edge_count;
    const int32_t *edges; ///< [edge_count][2].
    int32_t triangle_count;
    const int32_t *triangles; ///< [triangle_count][3].
} LyraPrimitives;

/// What meets what.
typedef enum LyraPairKind {
    LYRA_PAIR_POINT_TRIANGLE = 0,
    LYRA_PAIR_EDGE_EDGE, ///< Each pair once, the lower edge first.
    LYRA_PAIR_EDGE_TRIANGLE,
    LYRA_PAIR_POINT_EDGE,
    LYRA_PAIR_POINT_POINT, ///< Each pair once, the lower point first.
    LYRA_PAIR_KIND_COUNT
} LyraPairKind;

/// Pairs in ascending order of the first, then of the second.
typedef struct LyraPairList {
    int64_t count;
    const int32_t *pairs; ///< Numbers of the primitives, [count][2].
} LyraPairList;

/// Trees of boxes around primitives that move.
typedef struct LyraBroadPhase LyraBroadPhase;

/// Makes a broad phase; the primitives are copied in. Fails with LYRA_INVALID_ARGUMENT for ids out
/// of range.
LYRA_API LyraStatus lyra_broad_phase_create(LyraContext *ctx, const LyraPrimitives *primitives,
                                            LyraBroadPhase **out);

/// Accepts NULL.
LYRA_API void lyra_broad_phase_destroy(LyraBroadPhase *phase);

/// Builds the trees anew: around each primitive on its straight way from `positions` to `ends`,
/// both m, [vertex_count][3], grown by half of `radius` (m, >= 0). `ends`: Nullable: at rest.
/// Fails with LYRA_NOT_FINITE for a coordinate that is not finite or not below 1e50; the trees are
/// then as before. Allocates nothing.
LYRA_API LyraStatus lyra_broad_phase_update(LyraBroadPhase *phase, const double *positions,
                                            const double *ends, double radius);

/// Finds the pairs whose boxes overlap and that share no vertex: all that come closer to each other
/// than the radius, and more. The list is the same on any number of threads, and valid until the
/// next call. Allocates only where a part of a tree has more pairs than ever before. Fails with
/// LYRA_INVALID_ARGUMENT before the first update.
LYRA_API LyraStatus lyra_broad_phase_pairs(LyraBroadPhase *phase, LyraPairKind kind,
                                           LyraPairList *out);

/// A triangle that a query found.
typedef struct LyraTriangleHit {
    int32_t triangle;      ///< -1: none.
    double distance;       ///< From the point, or along the ray, m; infinite without a triangle.
    double barycentric[3]; ///< Weights of the triangle's corners.
} LyraTriangleHit;

/// Finds the triangle closest to each point where it lay in the last update, `positions`; of
/// triangles at the same distance the lowest. `positions`: those of the update, [vertex_count][3].
/// `points`: m, [count][3]; one that is not finite finds none. Before the first update none does.
LYRA_API void lyra_broad_phase_closest(const LyraBroadPhase *phase, const double *positions,
                                       int32_t count, const double *points, LyraTriangleHit *hits);

/// Finds the first triangle that each ray meets, from either side; of those at the same distance
/// the lowest. `rays`: origin and direction, of any length > 0, [count][6]. Before the first update
/// none meets one.
LYRA_API void lyra_broad_phase_rays(const LyraBroadPhase *phase, const double *positions,
                                    int32_t count, const double *rays, LyraTriangleHit *hits);

// ---- distances ----------------------------------------------------------------------------------

/// What is closest to each other.
typedef enum LyraNearKind {
    LYRA_NEAR_POINT_POINT = 0,
    LYRA_NEAR_POINT_EDGE,
    LYRA_NEAR_POINT_TRIANGLE, ///< The inside of a triangle.
    LYRA_NEAR_EDGE_EDGE,      ///< The insides of two edges that are not parallel.
} LyraNearKind;

/// The places of two primitives that are closest to each other: sum of c_i x_i is the vector from
/// the second to the first.
typedef struct LyraNear {
    LyraNearKind kind;
    double c[4]; ///< Weights of the four vertices; of the first they sum to 1, of the second to -1.
    /// Change of c with each coordinate of the place that is free, [count][4].
    int32_t count;
    double c_k[2][4];
} LyraNear;

/// Finds the places of the point x[0] and the triangle x[1], x[2], x[3] that are closest. Returns
/// their distance, m.
LYRA_API double lyra_near_point_triangle(const double x[4][3], LyraNear *near);

/// Finds the places of the edges x[0] x[1] and x[2] x[3] that are closest. Returns their distance,
/// m. Edges with a squared sine below 2.5e-16 between them count as parallel.
LYRA_API double lyra_near_edge_edge(const double x[4][3], LyraNear *near);

/// Writes the derivatives of the distance of what is near: `gradient` [12], `hessian` [12][12] in
/// row-major order, of (x_0, ..., x_3). Both Nullable. The distance is not 0.
LYRA_API void lyra_near_derivatives(const double x[4][3], const LyraNear *near, double *gradient,
                                    double *hessian);

// ---- motion -------------------------------------------------------------------------------------

/// The part of the straight way x + t dx, t from 0 to 1, up to which a point (vertex 0) and a
/// triangle (vertices 1 to 3) stay farther apart than `gap` (m, >= 0): 1 if all of it, otherwise
/// less than the first t at which they are that close, by about a tenth of the distance that they
/// start from. Negative if they start so close that rounding decides.
LYRA_API double lyra_bound_point_triangle(const double x[4][3], const double dx[4][3], double gap);

/// The same of two edges, vertices 0, 1 and 2, 3.
LYRA_API double lyra_bound_edge_edge(const double x[4][3], const double dx[4][3], double gap);

// ---- exact tests --------------------------------------------------------------------------------

/// Side of the plane through a, b, c that d is on: 1 where (b - a) x (c - a) points to, -1 on the
/// other side, 0 on the plane. Exact for coordinates that are 0 or between 1e-70 and 1e70 in
/// magnitude.
LYRA_API int32_t lyra_orient3(const double a[3], const double b[3], const double c[3],
                              const double d[3]);

/// How an edge and a triangle meet.
typedef enum LyraMeeting {
    LYRA_MEETING_NONE = 0, ///< They have no point in common.
    LYRA_MEETING_TOUCH,    ///< They have, but at an end, at a side or in a common plane.
    LYRA_MEETING_CROSS,    ///< The inside of one passes through the inside of the other.
} LyraMeeting;

/// How the edge from p to q meets the triangle a, b, c; both closed, also without length or area.
/// Exact within the range of lyra_orient3().
LYRA_API LyraMeeting lyra_edge_meets_triangle(const double p[3], const double q[3],
                                              const double a[3], const double b[3],
                                              const double c[3]);

/// An edge of a surface that meets a triangle of it or of another.
typedef struct LyraIntersection {
    int32_t edge[2]; ///< Vertices, the lower first.
    int32_t face;    ///< Of the face that the triangle is of.
    bool second;     ///< The edge is of the second surface and the face of the first.
    bool touch;      ///< They touch; see LyraMeeting.
    double point[3]; ///< Where, to rounding, m; of touches some point of the edge.
} LyraIntersection;

/// What lyra_surface_intersections() found.
typedef struct LyraIntersectionReport {
    int64_t count;   ///< All, touches included.
    int64_t touches; ///< Those that touch.
} LyraIntersectionReport;

/// Finds where edges of a surface pass through its faces, or, with `other`, edges of each through
/// faces of the other. Edges and faces that share a vertex are left out. Polygons are cut as
/// lyra_surface_triangulate() does. Writes the first `room` of them, those of the first surface's
/// edges first, in order of edge and face. `other`, `report`: Nullable.
LYRA_API LyraStatus lyra_surface_intersections(const LyraSurface *surface, const LyraSurface *other,
                                               int64_t room, LyraIntersection *found,
                                               LyraIntersectionReport *report);

#ifdef __cplusplus
}
#endif

#endif
