// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the sources of every module share: failing with a sentence, counted memory, scratch, logs,
// asserts, time, parallel loops and checksums.

#ifndef LY_BASE_BASE_H
#define LY_BASE_BASE_H

#include "lyra/base.h"

#include <stdarg.h>

// ---- status -------------------------------------------------------------------------------------

/// Sets this thread's message and returns `status`: `return ly_fail(LYRA_SINGULAR, "...", ...)`.
LyraStatus ly_fail(LyraStatus status, const char *format, ...) LYRA_PRINTF(2, 3);

/// Puts a sentence in front of this thread's message, as "where: message", and returns `status`.
LyraStatus ly_fail_within(LyraStatus status, const char *format, ...) LYRA_PRINTF(2, 3);

/// As ly_fail() about a setting: the message opens with its path, as "select.set: found ...".
LyraStatus ly_fail_key(LyraStatus status, const char *key, const char *format, ...)
    LYRA_PRINTF(3, 4);

/// Puts a key in front of the path that this thread's message opens with, or makes it the path.
LyraStatus ly_within_key(LyraStatus status, const char *key);

/// The same with "list[index]".
LyraStatus ly_within_item(LyraStatus status, const char *list, int32_t index);

/// The path of keys of this thread's message, "" without one, and the sentence behind it.
#define LY_ERROR_KEY_CHARS 256
const char *ly_error_key(char key[LY_ERROR_KEY_CHARS]);

/// Adds a name to a list "a, b, c" of at most `size` bytes, for messages.
void ly_list_name(size_t size, char *list, const char *name);

/// Index of a name among `count`; LYRA_INVALID_ARGUMENT with the list of them if it is not there:
/// "no `what` ...".
LyraStatus ly_find_name(const char *what, const char *name, const char *const *names, int32_t count,
                        int32_t *index);

/// The sentence for an allocation of `bytes` that failed.
LyraStatus ly_fail_memory(size_t bytes);

/// Leaves the function with the status of `call` unless it is LYRA_OK.
#define LY_TRY(call)                                                                               \
    do {                                                                                           \
        LyraStatus ly_try_status_ = (call);                                                        \
        if (ly_try_status_ != LYRA_OK) {                                                           \
            return ly_try_status_;                                                                 \
        }                                                                                          \
    } while (0)

/// As LY_TRY inside a function with `LyraStatus status` and one clean-up label `done:`.
#define LY_TRY_DONE(call)                                                                          \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != LYRA_OK) {                                                                   \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

// ---- asserts ------------------------------------------------------------------------------------

bool ly_assert_failed(const char *condition, const char *file, int line);

#ifdef NDEBUG
#define LYRA_ASSERT(condition) ((void)0)
#else
#define LYRA_ASSERT(condition)                                                                     \
    ((condition) || ly_assert_failed(#condition, __FILE__, __LINE__) ? (void)0 : __builtin_trap())
#endif

/// Cookie of every def; see lyra_..._def_default().
#define LY_DEF_COOKIE 0x4c797261u

/// A def that its default function did not make is refused in every build.
#define LY_CHECK_DEF(def, default_function)                                                        \
    do {                                                                                           \
        if ((def)->cookie != LY_DEF_COOKIE) {                                                      \
            return ly_fail(LYRA_INVALID_ARGUMENT,                                                  \
                           "%s: start the settings from " default_function "()", __func__);        \
        }                                                                                          \
    } while (0)

// ---- memory -------------------------------------------------------------------------------------

/// Alignment of all memory here: a cache line and the widest vector.
#define LY_ALIGNMENT 64

/// `bytes` bytes, aligned and counted, not cleared; NULL when out of memory. 0 bytes give a valid
/// pointer to nothing.
void *ly_allocate(LyraContext *ctx, size_t bytes);

/// Gives back what ly_allocate gave. Accepts NULL.
void ly_release(LyraContext *ctx, void *memory);

/// Array of `count` elements; fails with a sentence. `out` is a pointer to the typed pointer.
LyraStatus ly_allocate_array(LyraContext *ctx, int64_t count, size_t element_size, void *out);

/// As ly_allocate_array, cleared to zero bytes.
LyraStatus ly_allocate_zeroed(LyraContext *ctx, int64_t count, size_t element_size, void *out);

/// Grows or shrinks an array made by ly_allocate_array, keeping the first min(old, new) elements.
/// `array` is a pointer to the typed pointer, unchanged on failure.
LyraStatus ly_resize_array(LyraContext *ctx, int64_t count, size_t element_size, void *array);

// ---- scratch ------------------------------------------------------------------------------------

/// Place in an arena to return to.
typedef struct LyArenaMark {
    void *block;
    size_t used, demand;
} LyArenaMark;

/// Scratch of `worker`; inside a parallel loop, only that of the running worker may be used.
LyraArena *ly_context_arena(LyraContext *ctx, int32_t worker);

/// An arena of an object's own, for scratch outside the context's loops, with `bytes` reserved.
LyraStatus ly_arena_create(LyraContext *ctx, size_t bytes, LyraArena **out);

/// Accepts NULL.
void ly_arena_destroy(LyraContext *ctx, LyraArena *arena);

/// Makes sure that `bytes` more can be pushed without an allocation.
LyraStatus ly_arena_reserve(LyraArena *arena, size_t bytes);

LyArenaMark ly_arena_mark(const LyraArena *arena);

/// Drops everything pushed since `mark`. The memory stays for the next push.
void ly_arena_release_to(LyraArena *arena, LyArenaMark mark);

// ---- stamps -------------------------------------------------------------------------------------

/// A number > 0 that no other call of this context gives.
uint64_t ly_context_next_stamp(LyraContext *ctx);

// ---- log and time -------------------------------------------------------------------------------

void ly_log(const LyraContext *ctx, LyraLogLevel level, const char *format, ...) LYRA_PRINTF(3, 4);

/// Monotonic time in seconds from an arbitrary start.
double ly_time(void);

// ---- parallel loops -----------------------------------------------------------------------------

/// Runs task(data, i, worker) for each i in [0, count) on the context's workers and waits for all.
/// Which worker takes which piece varies; to get the same bits at any thread count, cut the work by
/// its size alone, let each piece write its own place, and combine the pieces in order of `index`.
/// Inside a task of the same context the loop runs on the calling worker; a loop of another context
/// runs on the workers of that one, and may not come back to the first.
void ly_parallel_for(LyraContext *ctx, int32_t count, LyraTask *task, void *data);

/// Number of pieces for a loop over `items`: about `grain` items each, from the size alone. 1, 2 or
/// a multiple of 4, unless there are hardly as many items.
int32_t ly_piece_count(int64_t items, int64_t grain);

/// First item of piece `index` of `pieces`; piece `index` ends where piece `index + 1` begins.
int64_t ly_piece_begin(int64_t items, int32_t pieces, int32_t index);

// ---- checksums ----------------------------------------------------------------------------------

#define LY_CHECKSUM_START 0xcbf29ce484222325u

/// Goes on from `sum` with `words` words of eight bytes. The same in every process.
uint64_t ly_checksum(uint64_t sum, const void *bytes, int64_t words);

// ---- small things -------------------------------------------------------------------------------

#define LY_COUNT_OF(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))

static inline int64_t ly_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t ly_max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
