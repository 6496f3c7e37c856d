// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of models: masses, external forces, and what systems ask of them. Vectors are in the
// caller's order of vertices; matrices on the assembly's pattern in the internal one.

#ifndef LY_MODEL_MODEL_H
#define LY_MODEL_MODEL_H

#include "base/base.h"
#include "lyra/model.h"
#include "lyra/state.h"

/// Masses of the vertices, each a multiple of the 3x3 identity.
typedef struct LyMass {
    bool consistent;
    double factor;  // on all that follows but `lumped`
    double *base;   // lumped, [vertex_count]
    double *lumped; // factor base, [vertex_count]
    int32_t *empty; // vertices without mass, ascending
    int32_t empty_count;
    // consistent only: full rows, and one number per block of the assembly's pattern
    int64_t *row_start; // [vertex_count + 1]
    int32_t *column;    // [row_start[vertex_count]]
    double *values;     // [row_start[vertex_count]]
    double *on_pattern; // [block_count]
} LyMass;

struct LyraModel {
    LyraContext *ctx;
    int32_t vertex_count;
    double *positions; // [vertex_count][3]
    int32_t force_count;
    LyraForce **forces;        // [force_count]
    uint32_t force_traits;     // that some force has
    uint32_t force_traits_all; // that all forces have
    LyraAssembly *assembly;
    LyMass mass;
    double mass_damping, stiffness_damping;
    bool damping_exact;
    LyraBlockMatrix *damping; // D_user on the assembly's pattern. Nullable
    double gravity[3];
    double *force; // constant forces, [3 vertex_count]
    LyraLoad *load;
    void *load_user;
    bool load_moves;
    LyraPrescription *prescription;
    void *prescription_user;
    LyraConstraints *constraints;
    int32_t part_count;    // parts that no force connects
    int32_t *part_start;   // of `part_vertex`, [part_count + 1]
    int32_t *part_vertex;  // vertices by part, [vertex_count]
    double extent;         // longest edge of the box of rest positions, m
    uint64_t version;      // of all numbers
    uint64_t mass_version; // of the masses
};

// ---- states -------------------------------------------------------------------------------------

/// Gives `state` the clock of `from` after a further step of dt, and its number of steps plus one.
/// They may be one.
void ly_state_tick(LyraState *state, const LyraState *from, double dt);

// ---- masses -------------------------------------------------------------------------------------

/// Pairs of vertices that the mass matrix couples, i < j: writes [count][2] unless NULL.
int64_t ly_mass_pairs(const LyraMassMatrix *matrix, int32_t *pairs);

/// Reads the masses of a def; the assembly must stand.
LyraStatus ly_mass_create(LyraModel *model, const LyraModelDef *def);
void ly_mass_destroy(LyraContext *ctx, LyMass *mass);

/// y = M x, in the caller's order, [3 vertex_count].
void ly_mass_apply(const LyraModel *model, const double *x, double *y);

/// Solves M x = b for lumped masses and x in the range of P, which commutes with a mass that is the
/// same in all directions. The two may be one.
void ly_mass_divide(const LyraModel *model, const double *b, double *x);

/// LYRA_SINGULAR, with its name, if a vertex is free in a direction and has no mass.
LyraStatus ly_mass_check(const LyraModel *model);

// ---- rest shape ---------------------------------------------------------------------------------

/// Finds the parts; forces must stand.
LyraStatus ly_parts_create(LyraModel *model);

/// Displacements of the rest shape, each part placed by the rigid motion that fits `u` best in the
/// least squares, with masses as weights. Both [3 vertex_count], not the same.
void ly_rest_place(const LyraModel *model, const double *u, double *rest);

// ---- forces -------------------------------------------------------------------------------------

/// External forces at (t, u, v), [3 vertex_count], and the work f . u of those that do not move.
/// `work`: Nullable.
void ly_model_external(const LyraModel *model, double t, const double *u, const double *v,
                       double *f, double *work);

/// The same without gravity.
void ly_model_loads(const LyraModel *model, double t, const double *u, const double *v, double *f);

/// Sizes of the numbers that forces at each unknown are computed from, m, [3 vertex_count]: edges
/// of elements whose law is not linear; positions, counted from the middle or not, of forces that
/// see these. Nothing for those that compute from displacements alone.
void ly_model_lengths(const LyraModel *model, double *lengths);

/// Whether D is not zero.
bool ly_model_damped(const LyraModel *model);

/// LyraSystemTrait bits of systems of the model.
uint32_t ly_model_traits(const LyraModel *model);

// ---- checksums (fingerprint.c) ------------------------------------------------------------------

#define LY_CHECKSUM_START 0xcbf29ce484222325u

/// Goes on from `sum` with `words` words of eight bytes.
uint64_t ly_checksum(uint64_t sum, const void *bytes, int64_t words);

#endif
