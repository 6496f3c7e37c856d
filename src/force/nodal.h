// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Nodal pressure of linear tets. The volume of a vertex is a quarter of that of the tets around it,
//   V_a = sum V_e/4 at rest,  J_a = sum v_e/(4 V_a),
// and the energy takes the change of volume there,
//   E = sum over tets of V_e (W(F) - U1(J)) + sum over vertices of V_a U2(J_a),
// U1 and U2 as in volumetric_lanes.h. With p_a = U2'(J_a) and pbar the mean of the four of a tet,
//   gradient = sum V_e d(W - U1 + pbar J),
//   K = the tangent of that, pbar a number, + sum over vertices of V_a U2'' grad J_a grad J_a^T,
// whose second sum couples each vertex with those two edges away. The energy of a vertex is shared
// by its tets as its volume is, so that an element of the force has V_e (W - U1 + Ubar).
//
// An evaluation first finds the volumes of the tets, then U2 and p at the vertices, which the
// kernel of the tets is handed as means over their nodes; last, the second sum is added row by row.

#ifndef LY_FORCE_NODAL_H
#define LY_FORCE_NODAL_H

#include "force/force.h"

/// The trait of forces with nodal pressure: `self` is a LyIsotropic of linear tets.
#define LY_FORCE_NODAL (1u << 30)

/// Vertices of a force with nodal pressure, those that its tets have. Places are internal.
struct LyNodalPressure {
    int32_t count;
    int32_t *vertex;       // [count], places, ascending
    int32_t *index;        // [vertices of the assembly], number of each place; -1: none
    double *volume;        // V_a, [count]
    double *parameters;    // means over the volume, in groups of lanes: [group][parameter][WIDTH]
    int64_t *around_start; // [count + 1]
    int32_t *around;       // tets, batch WIDTH + lane
    int64_t *ring_start;   // [count + 1]
    int32_t *ring;         // places of a vertex and its neighbours, ascending
    int32_t *back;         // [ring], where the vertex stands in the ring of that neighbour
    int32_t *ring_of;      // [around][4], where the nodes of a tet stand in the ring
};

/// What an evaluation finds.
struct LyNodalPressureWork {
    double *element; // v and its gradients by nodes 1 to 3, [batch][10][WIDTH]
    double *value;   // U2 and its derivatives by J, [group][3][WIDTH]
    double *mean;    // U2 and p at each place, [vertices of the assembly][2]
    double *slope;   // gradients of J_a, [ring][3]
};

/// Pairs of places that nodal pressure couples, as LyPatternDef has them; `pairs` is the caller's.
LyraStatus ly_nodal_pairs(LyraContext *ctx, const LyPatternDef *def, int64_t *count,
                          int32_t **pairs);

LyraStatus ly_nodal_create(LyraContext *ctx, const LyraAssembly *assembly, int32_t force,
                           LyNodalPressure **out);
void ly_nodal_destroy(LyraContext *ctx, LyNodalPressure *nodal);

/// Takes the parameters of the elements.
void ly_nodal_set_parameters(LyNodalPressure *nodal, const LyBatches *batches);

LyraStatus ly_nodal_work_create(LyraContext *ctx, const LyraAssembly *assembly,
                                const LyBatches *batches, LyNodalPressureWork **out);
void ly_nodal_work_destroy(LyraContext *ctx, LyNodalPressureWork *work);

/// Fills `mean` of a force at displaced places `x` [vertex][4]; with `slopes` what
/// ly_nodal_add_rows() needs.
void ly_nodal_prepare(const LyraAssembly *assembly, const LyBatches *batches,
                      LyNodalPressureWork *work, const double *x, bool slopes);

/// Adds the blocks of all rows to `values`; without those on the diagonal if rows sum to zero.
void ly_nodal_add_rows(const LyraAssembly *assembly, const LyBatches *batches,
                       const LyNodalPressureWork *work, bool psd, double *values);

/// Means over the four nodes of each lane: [2][WIDTH].
void ly_nodal_gather(const int32_t *vertex, const double *mean, double *out);

/// Volumes of the batches [begin, end), and their gradients if wanted.
typedef void LyNodalElementsKernel(const LyBatches *batches, const double *x, int32_t begin,
                                   int32_t end, bool slopes, double *element);
LY_KERNEL_DECLARE(LyNodalElementsKernel, ly_nodal_elements);

/// U2 of the groups of vertices [begin, end).
typedef void LyNodalVerticesKernel(const LyNodalPressure *nodal, const LyBatches *batches,
                                   const double *element, int32_t begin, int32_t end,
                                   double *value);
LY_KERNEL_DECLARE(LyNodalVerticesKernel, ly_nodal_vertices);

#endif
