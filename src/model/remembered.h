// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the solver of a sparse system remembers from step to step, in a form that a state can carry.
// A factor is too large for that; the point at which its matrix was taken is not, and gives the
// same matrix again, to the last bit.

#ifndef LY_MODEL_REMEMBERED_H
#define LY_MODEL_REMEMBERED_H

#include "model/tangent.h"

/// Numbers before the point.
#define LY_REMEMBERED_HEAD (LYRA_SOLVER_MEMORY + 14)

typedef struct LyRemembered {
    uint64_t serial;                 // of the factor that is noted; 0: none
    double head[LY_REMEMBERED_HEAD]; // see remembered.c
    double *point;                   // u, v of K, u, v of D, histories. Made when first needed
    LyraVector **history[2];         // of K and of D, at the last linearise and update
    bool psd;                        // of the last linearise
    double factors[3];               // a, b, c of the last form
    LyraState *state;                // scratch of recall: a point, and its history
} LyRemembered;

void ly_remembered_destroy(LyraContext *ctx, const LyraModel *model, LyRemembered *remembered);

/// Keeps the history of a linearise, if there is one.
LyraStatus ly_remembered_linearise(LyRemembered *remembered, LyTangent *tangent,
                                   const LyraPoint *at, bool psd);

/// The same of an update of the damping.
LyraStatus ly_remembered_damping(LyRemembered *remembered, LyTangent *tangent, const LyraPoint *at);

/// After a form or a solve: notes the point if the solver has made a factor that it will keep.
LyraStatus ly_remembered_note(LyRemembered *remembered, LyTangent *tangent,
                              const LyraSolver *solver);

/// Whether what is noted was made with other numbers of the model than there are now.
bool ly_remembered_is_old(const LyRemembered *remembered, LyTangent *tangent);

/// Numbers that write() writes: 0 where the solver remembers nothing.
int64_t ly_remembered_count(const LyRemembered *remembered, const LyTangent *tangent,
                            const LyraSolver *solver);
/// Writes into a block that holds zeros or what was written at another time.
void ly_remembered_write(LyRemembered *remembered, const LyTangent *tangent,
                         const LyraSolver *solver, double *block);

/// Whether a block of `count` numbers is what write() would write.
bool ly_remembered_is_same(LyRemembered *remembered, const LyTangent *tangent,
                           const LyraSolver *solver, const double *block, int64_t count);

/// Takes K, C and D to the point of a block, and writes a, b, c; not where it has none, or the
/// model has changed since.
LyraStatus ly_remembered_place(LyRemembered *remembered, LyTangent *tangent, const double *block,
                               int64_t count, bool *placed);

#endif
