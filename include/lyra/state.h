// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What moves: time, displacements, velocities, accelerations, and named blocks of memory owned by
/// whoever needs it (history of materials, history of multistep methods, step controllers). A state
/// can be copied, compared, packed into bytes and restored, and then continues with the same bits.

#ifndef LYRA_STATE_H
#define LYRA_STATE_H

#include "lyra/base.h"
#include "lyra/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraState LyraState;

/// A look at a state, valid while it lives. Vectors are in the vertex order of the model.
typedef struct LyraStateView {
    double time;   ///< s.
    int64_t steps; ///< Steps taken.
    LyraVector *u; ///< Displacements, m.
    LyraVector *v; ///< Velocities, m/s.
    LyraVector *a; ///< Accelerations, m/s^2, as far as the integrator keeps them.
} LyraStateView;

/// A state of `size` unknowns at rest at time 0.
LYRA_API LyraStatus lyra_state_create(LyraContext *ctx, int32_t size, LyraState **out);

/// Accepts NULL.
LYRA_API void lyra_state_destroy(LyraState *state);

LYRA_API LyraStateView lyra_state_view(const LyraState *state);

/// Sets the time and the number of steps by hand; the clock starts anew there.
LYRA_API void lyra_state_set_time(LyraState *state, double time, int64_t steps);

/// The time after a further step of dt, to the last bit: start + n dt, rounded once, where n counts
/// the steps since dt changed last. Sums of dt would drift.
LYRA_API double lyra_state_next_time(const LyraState *state, double dt);

/// A copy with all blocks.
LYRA_API LyraStatus lyra_state_copy(const LyraState *state, LyraState **out);

/// Makes `state` equal to `source`, blocks included. Both have one size. Allocates only for blocks
/// that `state` lacks; on failure `state` is as before.
LYRA_API LyraStatus lyra_state_assign(LyraState *state, const LyraState *source);

/// Whether the two have the same bits, blocks included.
LYRA_API bool lyra_state_equal(const LyraState *a, const LyraState *b);

/// Forgets all blocks: the next step starts as the first does.
LYRA_API void lyra_state_forget(LyraState *state);

// ---- blocks -------------------------------------------------------------------------------------

/// A named array of doubles in a state.
typedef struct LyraStateBlock {
    const char *name; ///< Unique in the state, for example "bdf".
    int32_t version;  ///< Of the layout; the owner starts anew where it is not its own.
    int64_t count;    ///< Doubles.
    double *values;   ///< [count].
} LyraStateBlock;

/// Finds block `name`, or makes it with `count` zeros; one of another version or count is replaced.
/// `fresh` says that it was made now. `name` is copied, at most 31 bytes.
LYRA_API LyraStatus lyra_state_block(LyraState *state, const char *name, int32_t version,
                                     int64_t count, double **values, bool *fresh);

/// Block `index`, in order of making; false past the last.
LYRA_API bool lyra_state_block_at(const LyraState *state, int32_t index, LyraStateBlock *out);

// ---- bytes --------------------------------------------------------------------------------------

/// Bytes that lyra_state_pack() writes.
LYRA_API size_t lyra_state_packed_size(const LyraState *state);

/// Writes the whole state, [packed size], with a magic number, a version and a checksum, in the
/// byte order of the machine.
LYRA_API void lyra_state_pack(const LyraState *state, void *bytes);

/// Reads what lyra_state_pack() wrote. LYRA_BAD_FORMAT, and the state is as before, if the bytes
/// are cut, changed, of another version or of another size of state.
LYRA_API LyraStatus lyra_state_unpack(LyraState *state, const void *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
