// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of states, for state.c, state_pack.c and those that keep material memory.

#ifndef LY_MODEL_STATE_H
#define LY_MODEL_STATE_H

#include "base/base.h"
#include "lyra/state.h"

#define LY_BLOCK_NAME_BYTES 32

typedef struct LyBlock {
    char name[LY_BLOCK_NAME_BYTES];
    uint32_t hash; // of name and owner, set as it is added to a state
    int32_t version;
    LyraStateOwner owner;
    LyraStateType type;
    int32_t size;         // entries of a vector; 0: numbers
    int64_t count;        // numbers, or vectors
    void *values;         // NULL for vectors
    LyraVector **vectors; // [count]; NULL for numbers
} LyBlock;

// time = start + rest + count dt
typedef struct LyClock {
    double start, rest;
    double dt;
    int64_t count;
} LyClock;

struct LyraState {
    LyraContext *ctx;
    const LyraVectorType *type; // of its vectors. Nullable: the host's
    void *place;
    int32_t size;
    double time;
    LyClock clock;
    int64_t steps;
    LyraVector *u, *v, *a;
    int32_t block_count, block_room;
    LyBlock *blocks; // [block_room], the first block_count alive
    // open addresses by name and owner: number of a block plus one, 0: free
    uint32_t slot_mask; // slots less one
    int32_t *slots;     // at least 2 block_room. Nullable: none yet
};

/// A state with vectors of a type; as lyra_vector_create_typed().
LyraStatus ly_state_create(LyraContext *ctx, const LyraVectorType *type, void *place, int32_t size,
                           LyraState **out);

/// Gives `state` the clock of `from` after a further step of dt, and its number of steps plus one.
/// They may be one.
void ly_state_tick(LyraState *state, const LyraState *from, double dt);

/// start + rest + count dt, as the result + *rest.
double ly_clock_read(const LyClock *clock, double *rest);

/// Bytes of one number of a block.
size_t ly_state_type_bytes(LyraStateType type);

/// Makes the numbers, zeros, or the vectors of a block whose other fields are set.
LyraStatus ly_block_create(const LyraState *state, LyBlock *block);
void ly_block_destroy(LyraContext *ctx, LyBlock *block);

/// Makes room for `room` blocks in all.
LyraStatus ly_state_reserve_blocks(LyraState *state, int32_t room);

/// Adds a block that has its numbers; the state has room for it. It is found by its name from now
/// on, also where there is another of that name and owner.
void ly_state_add_block(LyraState *state, const LyBlock *block);

/// Releases blocks from `begin` on.
void ly_state_drop_blocks(LyraState *state, int32_t begin);

/// Number of a block, -1 if there is none.
int32_t ly_state_find_block(const LyraState *state, const char *name, LyraStateOwner owner);

/// Makes the blocks of owner `to` in `state` those of owner `from` in `source`, under their names.
/// The two states are not one, unless the owners differ.
LyraStatus ly_state_take_blocks(LyraState *state, LyraStateOwner to, const LyraState *source,
                                LyraStateOwner from);

/// Whether the blocks of owner `p` in `a` are those of owner `q` in `b`, bit for bit.
bool ly_state_blocks_equal(const LyraState *a, LyraStateOwner p, const LyraState *b,
                           LyraStateOwner q);

/// The block of LYRA_STATE_METHOD in which solvers of linear systems remember what serves best.
#define LY_SOLVER_BLOCK "solver"

/// Forgets what a method remembers of its path, as lyra_state_forget() does, but not what solvers
/// have learnt, and keeps the memory: allocates and frees nothing, now and where the method begins
/// anew.
void ly_state_outdate(LyraState *state);

#endif
