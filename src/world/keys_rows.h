// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// How the rows of the tables of keys are written.

#ifndef LY_WORLD_KEYS_ROWS_H
#define LY_WORLD_KEYS_ROWS_H

#include "world/keys.h"

extern const LyGroup ly_damping_keys;    // LyraDamping
extern const LyGroup ly_integrator_keys; // LyraIntegratorDef
extern const LyGroup ly_solver_keys;     // LyraSolverDef
extern const LyGroup ly_time_keys;       // LyraTiming
extern const LyGroup ly_turn_keys;       // LyraTurn
extern const LyGroup ly_rotation_keys;   // LyraRotation
extern const LyGroup ly_sheet_keys;      // LyraSheetDef
extern const LyGroup ly_shell_keys;      // LyraBodyShell

/// Where a field is in its struct.
#define AT(Type, member) .offset = offsetof(Type, member), .size = sizeof(((const Type *)0)->member)

/// Of a group whose offsets count from the struct around.
#define SAME(Type) .offset = 0, .size = sizeof(Type)

/// As AT, of a list, with its count.
#define LIST(Type, member, count) AT(Type, member), .count_offset = offsetof(Type, count)

/// A group of rows identifier##_keys. `init`: NULL where the group around has written the defaults,
/// and where all are zero.
#define GROUP(identifier, Type, init, word, about)                                                 \
    static const LyGroup identifier = {                                                            \
        word, about, sizeof(Type), init, LY_COUNT_OF(identifier##_keys), identifier##_keys}

/// The same for other files, of the rows `rows`.
#define PUBLIC_GROUP(identifier, rows, Type, init, word, about)                                    \
    const LyGroup identifier = {word, about, sizeof(Type), init, LY_COUNT_OF(rows), rows}

#endif
