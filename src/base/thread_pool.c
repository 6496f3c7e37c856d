// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A pool of threads that sleep on a condition variable between loops. The caller is worker 0 and
// takes part; pieces are claimed one by one from a counter. A loop is over for the caller when all
// pieces are done: a thread that wakes too late finds it closed and sleeps again, so a short loop
// never waits for a slow wake-up.
//
// To wake a thread takes tens of microseconds where an idle core must first be woken itself, as
// long as a sweep over a small matrix, and a step opens hundreds of loops that follow each other at
// once. So who waits, a thread for the next loop or the caller for the last pieces, looks for about
// as long as a sleep would cost before it sleeps, and never longer: an idle pool is asleep. A pool
// of more threads than there are cores sleeps at once, as who looks would keep others from work.

#include "base/context.h"

#include <pthread.h>
#include <unistd.h>

// How long to look before a sleep, s, and the pauses between two looks. By the clock and not by a
// count: on some virtual machines every pause is a trap and takes microseconds.
#define LOOK_TIME 15e-6
#define PAUSES 8

struct LyThreadPool {
    pthread_mutex_t loop;  // held by the host thread whose loop runs
    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t opened; // a loop opened, or the end
    pthread_cond_t left;   // the last worker left the loop
    bool open, stopping;
    uint64_t generation;         // number of the loop
    _Atomic(uint64_t) published; // the same once all of the loop can be seen: what is looked at
    _Atomic(int32_t) inside;     // pool threads at work in the open loop; changed under the mutex
    LyraTask *task;
    void *data;
    int32_t count;
    _Atomic(int64_t) next; // next piece to claim; wide, as every thread claims one past the last
    int32_t thread_count;
    double look_time; // before a sleep, s
    int32_t started;  // pool threads that run, thread_count - 1 when complete
    struct LyPoolThread {
        LyThreadPool *pool;
        int32_t worker;
        pthread_t thread;
    } threads[]; // [thread_count - 1]
};

// a loop inside a task runs on the worker at hand
static _Thread_local struct {
    const LyraContext *ctx; // context of the running task, NULL outside
    int32_t worker;
} running;

static void work(LyThreadPool *pool, LyraTask *task, void *data, int32_t count, int32_t worker)
{
    for (;;) {
        int64_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= count) {
            return;
        }
        task(data, (int32_t)index, worker);
    }
}

// ---- waiting ------------------------------------------------------------------------------------

// Pauses; whether there is time for another look since `began`.
static bool look_again(const LyThreadPool *pool, double began)
{
    for (int32_t i = 0; i < PAUSES; ++i) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    return ly_time() - began < pool->look_time;
}

// the mutex is held for moments only: a sleep would take longer than they do
static void lock_soon(LyThreadPool *pool)
{
    double began = ly_time();
    do {
        if (pthread_mutex_trylock(&pool->mutex) == 0) {
            return;
        }
    } while (look_again(pool, began));
    pthread_mutex_lock(&pool->mutex);
}

// looks for a loop after number `seen`; false if none came while it looked
static bool look_for_loop(LyThreadPool *pool, uint64_t seen)
{
    double began = ly_time();
    do {
        if (atomic_load_explicit(&pool->published, memory_order_acquire) != seen) {
            return true;
        }
    } while (look_again(pool, began));
    return false;
}

// returns, with the mutex held as before, when a loop is open that has not been seen, or at the end
static void await_loop(LyThreadPool *pool, uint64_t seen)
{
    bool looked = false;
    while (!pool->stopping && !(pool->open && pool->generation != seen)) {
        if (looked) {
            pthread_cond_wait(&pool->opened, &pool->mutex);
            looked = false;
        } else {
            // loops that opened and closed meanwhile were missed: what counts is the next one
            seen = pool->generation;
            pthread_mutex_unlock(&pool->mutex);
            looked = !look_for_loop(pool, seen);
            lock_soon(pool);
        }
    }
}

// waits, with the mutex held, until no pool thread is inside
static void await_leaving(LyThreadPool *pool)
{
    if (atomic_load_explicit(&pool->inside, memory_order_relaxed) > 0) {
        pthread_mutex_unlock(&pool->mutex);
        double began = ly_time();
        while (atomic_load_explicit(&pool->inside, memory_order_relaxed) > 0 &&
               look_again(pool, began)) {
        }
        lock_soon(pool);
    }
    while (atomic_load_explicit(&pool->inside, memory_order_relaxed) > 0) {
        pthread_cond_wait(&pool->left, &pool->mutex);
    }
}

// ---- threads ------------------------------------------------------------------------------------

static void *thread_main(void *argument)
{
    struct LyPoolThread *self = argument;
    LyThreadPool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        await_loop(pool, seen);
        if (pool->stopping) {
            break;
        }
        seen = pool->generation;
        LyraTask *task = pool->task;
        void *data = pool->data;
        int32_t count = pool->count;
        atomic_fetch_add_explicit(&pool->inside, 1, memory_order_relaxed);
        pthread_mutex_unlock(&pool->mutex);
        work(pool, task, data, count, self->worker);
        lock_soon(pool);
        if (atomic_fetch_sub_explicit(&pool->inside, 1, memory_order_relaxed) == 1) {
            pthread_cond_signal(&pool->left);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static size_t pool_bytes(int32_t thread_count)
{
    return sizeof(LyThreadPool) + (size_t)(thread_count - 1) * sizeof(struct LyPoolThread);
}

LyraStatus ly_thread_pool_create(const LyraAllocator *allocator, int32_t thread_count,
                                 LyThreadPool **out)
{
    LyThreadPool *pool = ly_allocator_take(allocator, pool_bytes(thread_count));
    if (!pool) {
        return ly_fail_memory(pool_bytes(thread_count));
    }
    *pool =
        (LyThreadPool){.thread_count = thread_count,
                       .look_time = thread_count <= sysconf(_SC_NPROCESSORS_ONLN) ? LOOK_TIME : 0};
    // with default attributes these cannot fail
    pthread_mutex_init(&pool->loop, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->opened, NULL);
    pthread_cond_init(&pool->left, NULL);
    while (pool->started < thread_count - 1) {
        struct LyPoolThread *thread = &pool->threads[pool->started];
        *thread = (struct LyPoolThread){.pool = pool, .worker = pool->started + 1};
        if (pthread_create(&thread->thread, NULL, thread_main, thread) != 0) {
            int32_t started = pool->started;
            ly_thread_pool_destroy(allocator, pool);
            return ly_fail(LYRA_OUT_OF_MEMORY, "the system gave %d of %d threads", started + 1,
                           thread_count);
        }
        ++pool->started;
    }
    *out = pool;
    return LYRA_OK;
}

void ly_thread_pool_destroy(const LyraAllocator *allocator, LyThreadPool *pool)
{
    if (!pool) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = true;
    atomic_store_explicit(&pool->published, UINT64_MAX, memory_order_release);
    pthread_cond_broadcast(&pool->opened);
    pthread_mutex_unlock(&pool->mutex);
    for (int32_t i = 0; i < pool->started; ++i) {
        pthread_join(pool->threads[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->left);
    pthread_cond_destroy(&pool->opened);
    pthread_mutex_destroy(&pool->mutex);
    pthread_mutex_destroy(&pool->loop);
    ly_allocator_give(allocator, pool, pool_bytes(pool->thread_count));
}

static void run(LyThreadPool *pool, int32_t count, LyraTask *task, void *data)
{
    if (count == 1 || pool->thread_count == 1) {
        // wake nobody
        for (int32_t i = 0; i < count; ++i) {
            task(data, i, 0);
        }
        return;
    }
    // open
    lock_soon(pool);
    pool->task = task;
    pool->data = data;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->open = true;
    uint64_t generation = ++pool->generation;
    pthread_cond_broadcast(&pool->opened);
    pthread_mutex_unlock(&pool->mutex);
    // only now, so that who looks finds the mutex free
    atomic_store_explicit(&pool->published, generation, memory_order_release);
    // take part
    work(pool, task, data, count, 0);
    // close, and wait for those still inside
    lock_soon(pool);
    pool->open = false;
    await_leaving(pool);
    pthread_mutex_unlock(&pool->mutex);
}

// ---- the loop every module uses -----------------------------------------------------------------

typedef struct Loop {
    const LyraContext *ctx;
    LyraTask *task;
    void *data;
} Loop;

static void run_piece(void *data, int32_t index, int32_t worker)
{
    const Loop *loop = data;
    const LyraContext *outer_ctx = running.ctx;
    int32_t outer_worker = running.worker;
    running.ctx = loop->ctx;
    running.worker = worker;
    loop->task(loop->data, index, worker);
    running.ctx = outer_ctx;
    running.worker = outer_worker;
}

void ly_parallel_for(LyraContext *ctx, int32_t count, LyraTask *task, void *data)
{
    if (running.ctx == ctx) {
        for (int32_t i = 0; i < count; ++i) {
            task(data, i, running.worker);
        }
        return;
    }
    Loop loop = {.ctx = ctx, .task = task, .data = data};
    pthread_mutex_lock(&ctx->pool->loop);
    if (ctx->task_runner) {
        ctx->task_runner(ctx->task_user, count, run_piece, &loop);
    } else {
        run(ctx->pool, count, run_piece, &loop);
    }
    pthread_mutex_unlock(&ctx->pool->loop);
}

int32_t ly_piece_count(int64_t items, int64_t grain)
{
    int64_t pieces = (items + grain - 1) / grain;
    return (int32_t)(pieces < 1 ? 1 : pieces > INT32_MAX ? INT32_MAX : pieces);
}

int64_t ly_piece_begin(int64_t items, int32_t pieces, int32_t index)
{
    // quotient and remainder apart, so that nothing overflows
    int64_t each = items / pieces, rest = items % pieces;
    return each * index + (index < rest ? index : rest);
}
