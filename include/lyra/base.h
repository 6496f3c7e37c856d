// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// What every other module rests on: status codes, the context (memory, log, threads, instruction
/// set), and the one process-wide hook, for broken contracts.

#ifndef LYRA_BASE_H
#define LYRA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LYRA_API __attribute__((visibility("default")))
#define LYRA_PRINTF(format_index, first_argument)                                                  \
    __attribute__((format(printf, format_index, first_argument)))
#else
#define LYRA_API
#define LYRA_PRINTF(format_index, first_argument)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- status -------------------------------------------------------------------------------------

/// Outcome of a call that can fail. On anything but LYRA_OK outputs are untouched, objects are as
/// before, and lyra_error_message() holds one sentence about what happened.
typedef enum LyraStatus {
    LYRA_OK = 0,                ///< It worked.
    LYRA_INVALID_ARGUMENT,      ///< An argument is outside its documented range.
    LYRA_OUT_OF_MEMORY,         ///< The allocator returned NULL.
    LYRA_IO_FAILED,             ///< A file could not be opened, read or written.
    LYRA_BAD_FORMAT,            ///< A file's content is not what its format demands.
    LYRA_BAD_MESH,              ///< A mesh is well formed but cannot serve the request.
    LYRA_TOO_LARGE,             ///< A count exceeds what its index type can hold.
    LYRA_UNSUPPORTED,           ///< Valid, but not available in this build or on this machine.
    LYRA_NOT_FINITE,            ///< A number is NaN or infinite where it may not be.
    LYRA_SINGULAR,              ///< A matrix has no inverse to working precision.
    LYRA_NOT_POSITIVE_DEFINITE, ///< A matrix is not positive definite where it must be.
    LYRA_NOT_CONVERGED,         ///< An iteration reached its limit.
    LYRA_STATUS_COUNT
} LyraStatus;

/// Short name of a status, for example "bad format". Never NULL.
LYRA_API const char *lyra_status_name(LyraStatus status);

/// Sentence about the last failure on the calling thread; "" when there was none. Valid until the
/// next failure on this thread.
LYRA_API const char *lyra_error_message(void);

// ---- version ------------------------------------------------------------------------------------

/// Version of the library at run time, for example "0.1.0".
LYRA_API const char *lyra_version(void);

/// Optional library number `index` that Lyra knows of, for example "lapack"; NULL past the last.
/// Writes whether this build uses it. `used`: Nullable.
LYRA_API const char *lyra_feature(int32_t index, bool *used);

// ---- instruction sets ---------------------------------------------------------------------------

/// Instruction set of the vector kernels.
typedef enum LyraIsa {
    LYRA_ISA_AUTO = 0, ///< The best this machine has.
    LYRA_ISA_SCALAR,   ///< One lane, the plain twin: oracle in tests, yardstick in benches.
    LYRA_ISA_BASELINE, ///< What every machine of this architecture has, 2 lanes.
    LYRA_ISA_AVX2,     ///< AVX2 and FMA, 4 lanes.
    LYRA_ISA_AVX512,   ///< AVX-512 F, DQ, VL, BW, 8 lanes.
    LYRA_ISA_COUNT
} LyraIsa;

/// Name as in settings: "auto", "scalar", "baseline", "avx2", "avx512". Never NULL.
LYRA_API const char *lyra_isa_name(LyraIsa isa);

/// Whether this build on this machine can run `isa`.
LYRA_API bool lyra_isa_available(LyraIsa isa);

// ---- context ------------------------------------------------------------------------------------

/// Where memory comes from. Both functions may be called from any thread.
typedef struct LyraAllocator {
    /// Returns `bytes` bytes (never 0) at a multiple of `alignment` (a power of two), or NULL.
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    /// Takes back what `allocate` gave, with the same `bytes`. `memory` is never NULL.
    void (*release)(void *user, void *memory, size_t bytes);
    void *user; ///< Handed to both. Nullable.
} LyraAllocator;

/// How much a line of the log matters.
typedef enum LyraLogLevel {
    LYRA_LOG_DEBUG = 0, ///< For developers of Lyra.
    LYRA_LOG_INFO,      ///< What happens.
    LYRA_LOG_WARNING,   ///< What should not, and was dealt with.
} LyraLogLevel;

/// Receives one line without a newline. May be called from any thread.
typedef void LyraLogFunction(void *user, LyraLogLevel level, const char *message);

/// One piece of a parallel loop: `index` is its number, `worker` in [0, thread_count) names the
/// thread, and no two pieces with one `worker` run at the same time.
typedef void LyraTask(void *data, int32_t index, int32_t worker);

/// A host's own task system in place of the context's threads: calls task(data, i, worker) exactly
/// once for each i in [0, count), in any order, and returns when all are done.
typedef void LyraTaskRunner(void *user, int32_t count, LyraTask *task, void *data);

/// Settings of a context. Start from lyra_context_def_default().
typedef struct LyraContextDef {
    LyraAllocator allocator;     ///< Default: the C library. Set both functions or neither.
    LyraLogFunction *log;        ///< Nullable: silent. Default NULL.
    void *log_user;              ///< Handed to `log`. Nullable.
    LyraLogLevel log_level;      ///< Lines below it are dropped. Default LYRA_LOG_INFO.
    LyraTaskRunner *task_runner; ///< Nullable: own threads. Default NULL.
    void *task_user;             ///< Handed to `task_runner`. Nullable.
    int32_t thread_count;        ///< Workers, [1, 256]; 0: one per core that the process may use by
                                 ///< its affinity and the quota of its container. Default 0.
    LyraIsa isa;                 ///< Default LYRA_ISA_AUTO.
    uint32_t cookie;             ///< Written by the default function only.
} LyraContextDef;

/// Memory, log, threads and instruction set, shared by all objects made with it. A context must
/// outlive them. Any thread may use it; its parallel loops run one after another, so host threads
/// that are to run side by side take a context each.
typedef struct LyraContext LyraContext;

/// The default settings, with their cookie.
LYRA_API LyraContextDef lyra_context_def_default(void);

/// Makes a context. `def`: Nullable: all defaults. Fails with LYRA_UNSUPPORTED if the machine
/// lacks the instruction set asked for.
LYRA_API LyraStatus lyra_context_create(const LyraContextDef *def, LyraContext **out);

/// Ends a context whose objects are all destroyed. Accepts NULL.
LYRA_API void lyra_context_destroy(LyraContext *ctx);

/// Workers that parallel loops use, at least 1.
LYRA_API int32_t lyra_context_thread_count(const LyraContext *ctx);

/// Instruction set in use; never LYRA_ISA_AUTO.
LYRA_API LyraIsa lyra_context_isa(const LyraContext *ctx);

/// Bytes that objects of this context hold now, the context's own not counted: 0 when all are
/// destroyed.
LYRA_API size_t lyra_context_byte_count(const LyraContext *ctx);

// ---- files in memory ----------------------------------------------------------------------------

/// A file that a host holds in memory, for the ..._load_memory functions. Nothing is copied or kept
/// after the call.
typedef struct LyraMemoryFile {
    const char *path;  ///< Its name, in messages and where other files refer to it.
    const void *bytes; ///< [length], no zero byte needed. Nullable if length is 0.
    size_t length;     ///< Bytes.
} LyraMemoryFile;

// ---- scratch memory -----------------------------------------------------------------------------

/// Stack of scratch memory, one per worker, handed to kernels.
typedef struct LyraArena LyraArena;

/// `bytes` bytes aligned to 64, valid until the kernel returns. NULL only if more is asked for than
/// the force type declared and the allocator is out of memory.
LYRA_API void *lyra_arena_push(LyraArena *arena, size_t bytes);

// ---- broken contracts ---------------------------------------------------------------------------

/// Called when a caller breaks a documented contract (a NULL where none may be, a def without its
/// cookie). Returns true to go on, false to trap.
typedef bool LyraAssertHook(const char *condition, const char *file, int line);

/// Sets the hook and returns the one before. NULL: trap. The only process-wide setting, because a
/// broken contract may leave no context at hand. Asserts are alive in Debug and RelWithDebInfo
/// builds only.
LYRA_API LyraAssertHook *lyra_set_assert_hook(LyraAssertHook *hook);

#ifdef __cplusplus
}
#endif

#endif
