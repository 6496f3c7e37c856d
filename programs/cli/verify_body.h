// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A body for the cases of `lyra verify`: a mesh with a law, what holds and loads it, and an
// integrator, made and ended in one piece.

#ifndef LYRA_CLI_VERIFY_BODY_H
#define LYRA_CLI_VERIFY_BODY_H

#include "verify.h"

/// What a body is made of. Start from verify_body_def_default().
typedef struct VerifyBodyDef {
    LyraMesh *mesh;                  ///< Taken, also when making the body fails.
    LyraSolidDef solid;              ///< Default: lyra_solid_def_default().
    const LyraTractionDef *traction; ///< On its surface. Nullable.
    double gravity[3];               ///< Default 0.
    bool consistent_mass;            ///< Default false: lumped.
    /// Default: "static", with Newton's limits near rounding, so that what a row shows is the error
    /// of the discretisation.
    LyraIntegratorDef integrator;
} VerifyBodyDef;

VerifyBodyDef verify_body_def_default(LyraMesh *mesh);

typedef struct VerifyBody {
    LyraMesh *mesh;
    LyraMeshView view;
    LyraSolid *solid;
    LyraForce *load;
    LyraMassMatrix *mass;
    double *masses;
    double *held; ///< Where constraints hold the vertices, m, [vertex_count][3]. Zero at first.
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    LyraIntegrator *integrator;
} VerifyBody;

/// On failure nothing is left to end.
LyraStatus verify_body_create(LyraContext *ctx, const VerifyBodyDef *def, VerifyBody *body);
void verify_body_end(VerifyBody *body);

/// Box from the origin to `size`, of tets (six in a cell) or cubes.
LyraStatus verify_box(LyraContext *ctx, LyraElementKind kind, const int32_t cells[3],
                      const double size[3], LyraMesh **out);

/// An eighth of a hollow sphere about the origin, of hexahedra, n through the wall.
LyraStatus verify_hollow_sphere(LyraContext *ctx, int32_t n, double inner, double outer,
                                LyraMesh **out);

/// Replaces a mesh of the box from the origin to `size` by one whose inner vertices are moved by up
/// to `amount` m along each axis, at random but always in the same way.
LyraStatus verify_distort(LyraContext *ctx, const double size[3], double amount, LyraMesh **mesh);

/// Whether a vertex lies on the plane where coordinate `axis` is `place`, to 1e-9 of the body.
bool verify_on_plane(const VerifyBody *body, int32_t vertex, int32_t axis, double place);

/// Holds the vertices on a plane in the directions that `which` names, "x", "yz", "xyz" ...
LyraStatus verify_hold_plane(VerifyBody *body, int32_t axis, double place, const char *which);

/// Adds a dead load of `traction`, Pa at rest, on the faces of elements in a plane to `force`
/// [vertex_count][3], N, spread over their vertices by the shape functions.
LyraStatus verify_add_face_load(const VerifyBody *body, int32_t axis, double place,
                                const double traction[3], double *force);

/// Sets the constant forces of the model to that load alone.
LyraStatus verify_push_face(VerifyBody *body, int32_t axis, double place, const double traction[3]);

/// Solves for equilibrium under what is prescribed now, from where the state is.
LyraStatus verify_body_solve(VerifyBody *body, LyraStepReport *report);

/// Mean displacement of the vertices on a plane, m.
void verify_plane_displacement(const VerifyBody *body, int32_t axis, double place, double mean[3]);

/// Displacements, [vertex_count][3].
const double *verify_body_displacements(const VerifyBody *body);

/// Sum of the reactions of constraints on a plane, N.
LyraStatus verify_plane_reaction(LyraContext *ctx, const VerifyBody *body, int32_t axis,
                                 double place, double reaction[3]);

/// The limit of a quantity of order 2 from meshes of which one is twice as fine (Richardson).
double verify_limit(double coarse, double fine);

/// Slope of log(error) over log(h) between two rows: the order that was observed.
double verify_order(double h_coarse, double error_coarse, double h_fine, double error_fine);

#endif
