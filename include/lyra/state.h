// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What moves: time, displacements, velocities, accelerations, and named blocks of memory owned by
/// those that need it (history of materials, history of multistep methods, step controllers). A
/// state can be copied, compared, packed into bytes and restored, and then continues with the same
/// bits. Its vectors are of the kind that its system computes with.

#ifndef LYRA_STATE_H
#define LYRA_STATE_H

#include "lyra/base.h"
#include "lyra/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraState LyraState;

/// A view of a state, valid while it lives. Vectors are in the vertex order of the model.
typedef struct LyraStateView {
    double time;   ///< s.
    int64_t steps; ///< Steps taken.
    LyraVector *u; ///< Displacements, m.
    LyraVector *v; ///< Velocities, m/s.
    LyraVector *a; ///< Accelerations, m/s^2, as far as the integrator keeps them.
} LyraStateView;

/// A state of `size` unknowns at rest at time 0, with vectors in the memory of the host. Those of
/// other systems come from lyra_system_state_create().
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

/// Makes `state` equal to `source`, blocks included. Both have one size and one kind of vectors.
/// Allocates only for blocks that `state` lacks; on failure `state` is as before.
LYRA_API LyraStatus lyra_state_assign(LyraState *state, const LyraState *source);

/// Whether the two have the same bits, blocks included.
LYRA_API bool lyra_state_equal(const LyraState *a, const LyraState *b);

// ---- blocks -------------------------------------------------------------------------------------

/// Who remembers something in a state.
typedef enum LyraStateOwner {
    LYRA_STATE_METHOD = 0, ///< How the motion is computed: old values, controllers, solvers.
    LYRA_STATE_MATERIAL,   ///< What the body is: history of its forces. Part of the physics.
    LYRA_STATE_KEPT,       ///< What a method copied of the material's memory, of another time.
    LYRA_STATE_OWNER_COUNT
} LyraStateOwner;

/// What a block is made of.
typedef enum LyraStateType {
    LYRA_STATE_DOUBLE = 0,
    LYRA_STATE_INT32,
    LYRA_STATE_INT64,
    LYRA_STATE_BYTE,
    LYRA_STATE_VECTOR, ///< Vectors of the state's own kind.
    LYRA_STATE_TYPE_COUNT
} LyraStateType;

/// A named array of numbers in the memory of the host.
typedef struct LyraStateBlockDef {
    const char *name;     ///< Unique among those of its owner, for example "bdf"; 1 to 31 bytes.
    int32_t version;      ///< Of the layout; the owner starts anew where it is not its own.
    LyraStateOwner owner; ///< Default LYRA_STATE_METHOD.
    LyraStateType type;   ///< Not LYRA_STATE_VECTOR. Default LYRA_STATE_DOUBLE.
    int64_t count;        ///< Numbers.
} LyraStateBlockDef;

/// Named vectors of the state's own kind: where u, v and a lie, there they lie.
typedef struct LyraStateVectorsDef {
    const char *name;     ///< As of LyraStateBlockDef, and unique among both.
    int32_t version;      ///< The same.
    LyraStateOwner owner; ///< The same.
    int32_t size;         ///< Entries of each.
    int32_t count;        ///< Vectors.
} LyraStateVectorsDef;

/// A view of a block.
typedef struct LyraStateBlock {
    const char *name;
    int32_t version;
    LyraStateOwner owner;
    LyraStateType type;
    int64_t count;        ///< Numbers, or vectors.
    void *values;         ///< [count] of the type; NULL for vectors.
    int32_t size;         ///< Entries of a vector; 0 for numbers.
    LyraVector **vectors; ///< [count]; NULL for numbers.
} LyraStateBlock;

/// Finds a block, or makes it with zeros; one of another version, type or count is replaced.
/// `fresh` says that it was made now. The name is copied.
LYRA_API LyraStatus lyra_state_block(LyraState *state, const LyraStateBlockDef *def, void **values,
                                     bool *fresh);

/// The same for vectors. `vectors` are lent, [count].
LYRA_API LyraStatus lyra_state_vectors(LyraState *state, const LyraStateVectorsDef *def,
                                       LyraVector ***vectors, bool *fresh);

/// Block `index`, in order of making; false past the last.
LYRA_API bool lyra_state_block_at(const LyraState *state, int32_t index, LyraStateBlock *out);

/// Looks for a block; false, and nothing written, if there is none.
LYRA_API bool lyra_state_find_block(const LyraState *state, const char *name, LyraStateOwner owner,
                                    LyraStateBlock *out);

/// Forgets what one owner remembers; with LYRA_STATE_METHOD, also what methods kept: the next step
/// starts as the first does.
LYRA_API void lyra_state_forget(LyraState *state, LyraStateOwner owner);

// ---- bytes --------------------------------------------------------------------------------------

/// Bytes that lyra_state_pack() writes.
LYRA_API size_t lyra_state_packed_size(const LyraState *state);

/// Writes the whole state, [packed size], with a magic number, a version and a checksum, in the
/// byte order of the machine.
LYRA_API void lyra_state_pack(const LyraState *state, void *bytes);

/// Reads what lyra_state_pack() wrote, into vectors of this state's own kind. LYRA_BAD_FORMAT, and
/// the state is as before, if the bytes are cut, changed, of a later version or of another size of
/// state. Versions 1 and 2 had blocks of doubles alone: "history" belongs to the material, all
/// others to the method, which starts anew where it keeps vectors now.
LYRA_API LyraStatus lyra_state_unpack(LyraState *state, const void *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
