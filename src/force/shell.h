// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the sources of shells and their kernels share.

#ifndef LY_FORCE_SHELL_H
#define LY_FORCE_SHELL_H

#include "force/isotropic.h"
#include "lyra/shell.h"
#include "math/kernel.h"

// ---- membrane -----------------------------------------------------------------------------------

/// Constants of a triangle: two unit vectors in its plane at rest, gradients of the shape functions
/// of nodes 1 and 2 along these (node 0 has minus their sum), and its rest volume.
enum {
    LY_SHELL_T1 = 0,
    LY_SHELL_T2 = 3,
    LY_SHELL_B = 6, // b_11, b_12, b_21, b_22
    LY_SHELL_VOLUME = 10,
    LY_SHELL_MEMBRANE_CONSTANTS
};

/// `self` of the membrane.
typedef struct LyShellMembrane {
    LyIsotropic solid; // the law and what it remembers; first, as `type` in it is that of the force
    double thinning;   // nu/(1 - nu) of the law at rest
    double *constants; // [triangle][LY_SHELL_MEMBRANE_CONSTANTS]
} LyShellMembrane;

// ---- bending ------------------------------------------------------------------------------------

/// Nodes of "morley" before those that coincide or are missing are left out: corners, wings across
/// the edges opposite to these, scalars of these edges.
enum { LY_MORLEY_NODES = 9 };

/// Constants of a triangle: rest places of the nodes 1 to 5 from node 0; of each edge, which is
/// opposite to the corner of its number, the factor on its angle, that on its unknown and its angle
/// at rest; the matrix of 1/2 sum of Q_ij c_i c_j for D = 1, as 11, 22, 33, 12, 23, 31; the area.
enum {
    LY_MORLEY_PLACE = 0,
    LY_MORLEY_WEIGHT = 15,
    LY_MORLEY_SCALE = 18,
    LY_MORLEY_REST = 21,
    LY_MORLEY_Q = 24,
    LY_MORLEY_AREA = 30,
    LY_MORLEY_CONSTANTS
};

/// Its history: the angles at the edges and, where it flows, the plastic parts of the c_i, the
/// plastic curvature that was passed through, and the energy that was lost.
enum {
    LY_MORLEY_ANGLE = 0,
    LY_MORLEY_FLOWN = 3,
    LY_MORLEY_PASSED = 6,
    LY_MORLEY_LOST = 7,
    LY_MORLEY_ELASTIC_HISTORY = 3,
    LY_MORLEY_PLASTIC_HISTORY = 8
};

/// Parameters: D, the curvature at which it flows, and by how much that grows with what flowed.
enum { LY_MORLEY_BEND, LY_MORLEY_YIELD, LY_MORLEY_HARDENING };

/// `self` of a force that bends triangles whose nodes coincide alike.
typedef struct LyShellMorley {
    LyraContext *ctx;
    LyraForceType type;
    int32_t nodes;
    int8_t node[LY_MORLEY_NODES]; // of the stencil; -1: none, a wing that stays where it is at rest
    bool doubled;                 // two wings are one vertex
    bool flows;                   // has a yield curvature
    double *constants;            // [stencil][LY_MORLEY_CONSTANTS]
} LyShellMorley;

/// `self` of quadratic bending: E = k/2 |sum of c_i x_i|^2.
typedef struct LyShellQuadratic {
    LyraContext *ctx;
    LyraForceType type;
    double *constants; // c_0 to c_3, [stencil][4]
} LyShellQuadratic;

/// An edge with up to two triangles.
typedef struct LyShellEdge {
    int32_t ends[2]; // lower vertex first
    int32_t side[2]; // 3 triangle + corner opposite, of the first two; -1: none
    int32_t count;   // of triangles
    int32_t scalar;  // -1: none
    bool clamped;
} LyShellEdge;

struct LyraShell {
    LyraContext *ctx;
    LyraShellView view;
    LyraForce *forces[16];
    int32_t force_count;
    int32_t *triangles, *edge_list, *scalar_edges;
    double *positions, *areas, *thicknesses, *rest_angles;
    LyShellEdge *edges;
    int32_t *side_edge; // edge opposite to each corner, [3 triangles]
    double bend_factor; // D of a triangle is this h^3
    bool flows;
};

/// Finds the edges; `view` has triangles and their count.
LyraStatus ly_shell_find_edges(LyraShell *shell, const LyraShellDef *def);

/// Makes the forces that bend.
LyraStatus ly_shell_add_morley(LyraShell *shell, const LyraShellDef *def);
LyraStatus ly_shell_add_hinges(LyraShell *shell, const LyraShellDef *def);
LyraStatus ly_shell_add_quadratic(LyraShell *shell);

/// Takes a force over, or ends `self` where it cannot be made.
LyraStatus ly_shell_take(LyraShell *shell, const LyraForceDef *def, LyraStatus status);

/// Signed angle of the edge of a side between its triangle and `wing`, 0 flat, at x.
double ly_shell_angle(const LyraShell *shell, const double *x, int32_t side, const double wing[3]);

/// The vertex across an edge as a side sees it, -1: none that bends with it.
int32_t ly_shell_wing(const LyraShell *shell, int32_t side);

/// A wing that continues the triangle flat across an edge at rest.
void ly_shell_mirror(const LyraShell *shell, int32_t side, double out[3]);

/// Q of a triangle, no edge released.
void ly_shell_form(const LyraShell *shell, int32_t t, double Q[3][3]);

typedef void LyShellKernel(const void *self, const LyraBatch *batch, LyraArena *scratch);
LY_KERNEL_DECLARE(LyShellKernel, ly_shell_membrane);
LY_KERNEL_DECLARE(LyShellKernel, ly_shell_morley);
LY_KERNEL_DECLARE(LyShellKernel, ly_shell_quadratic);

#endif
