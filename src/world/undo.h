// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Changes of a model that can be taken back: what rules set in front of a step that then fails, and
// a number that is turned for some groups before it is refused by another.

#ifndef LY_WORLD_UNDO_H
#define LY_WORLD_UNDO_H

#include "base/base.h"
#include "lyra/model.h"

/// What one change found in the model.
typedef struct LyUndoEntry {
    int32_t group;         // below 0: what is no parameter of a group, undo.c
    double *number;        // of the caller's; Nullable
    const char *parameter; // as the type of the group names it
    int64_t capacity;      // of values
    double *values;
} LyUndoEntry;

/// What the changes since the last ly_undo_keep() found, in their order. Starts zero but for `ctx`;
/// its memory serves again for later changes of the same sizes.
typedef struct LyUndo {
    LyraContext *ctx;
    int32_t count, capacity;
    LyUndoEntry *entries;
} LyUndo;

/// As lyra_model_set_parameter(), and remembers what was there. On failure nothing changes.
LyraStatus ly_undo_set_parameter(LyUndo *undo, LyraModel *model, int32_t group,
                                 const char *parameter, const double *values);

/// As lyra_model_set_force(), and remembers what was there. On failure nothing changes.
LyraStatus ly_undo_set_force(LyUndo *undo, LyraModel *model, const double *force);

/// As lyra_model_set_damping(), and remembers what was there. On failure nothing changes.
LyraStatus ly_undo_set_damping(LyUndo *undo, LyraModel *model, double mass, double stiffness);

/// As lyra_model_set_body_mass_factor(), and remembers what was there. On failure nothing changes.
LyraStatus ly_undo_set_mass_factor(LyUndo *undo, LyraModel *model, int32_t body, double factor);

/// Sets a number that outlives the undo, and remembers what was there. On failure nothing changes.
LyraStatus ly_undo_set_number(LyUndo *undo, double *number, double value);

/// Changes so far are kept.
void ly_undo_keep(LyUndo *undo);

/// Takes the changes back, the last one first: the model has the bits that it had. Cannot fail.
void ly_undo_back(LyUndo *undo, LyraModel *model);

/// Releases its memory.
void ly_undo_end(LyUndo *undo);

#endif
