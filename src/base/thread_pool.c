// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A pool of threads that sleep on a condition variable between loops. The caller is worker 0 and
// takes part. A loop is over for the caller when all pieces are done: a thread that wakes too late
// finds it closed and sleeps again, so a short loop never waits for a slow wake-up.
//
// To wake a thread takes tens of microseconds where an idle core must first be woken itself, as
// long as a sweep over a small matrix, and a step opens hundreds of loops that follow each other at
// once. So who waits, a thread for the next loop or the caller for the last pieces, polls for about
// as long as a sleep would cost before it sleeps, and never longer: an idle pool is asleep. A pool
// of more threads than there are cores sleeps at once, as who polls would keep others from work.
//
// To wake a sleeper costs the caller some microseconds, too. A loop whose like, of the same task,
// was soon done the last time is therefore open to threads that are awake, and wakes nobody: a body
// of a few hundred vertices is stepped on one thread at the speed of one.
//
// While threads are awake nothing is locked. `state` holds the number of the loop, whether it is
// open and how many pool threads are inside. A thread enters by adding one to it while it is open;
// the caller closes it and waits until nobody is inside, so what describes the loop never changes
// under a thread. Who goes to sleep says so first and then checks once more; who ends the other's
// wait changes `state` first and then looks for sleepers. All four in one order (sequentially
// consistent), so that one of the two sees the other.
//
// Each worker has a range of the pieces, the same in every loop of as many, so that its part of the
// data is still in its cache; when that is done it takes what is left of the others'.

#include "base/context.h"

#include <pthread.h>

// How long to poll before a sleep, s, and the polls between two readings of the clock. By the clock
// and not by a count: on some virtual machines every pause is a trap and takes microseconds.
#define SPIN_TIME 30e-6
#define POLLS 8

// work of a loop that is worth a wake-up, s, and the number of tasks that are remembered
#define WAKE_TIME 20e-6
#define TASKS 64

// `state`: number of the loop, open or not, pool threads inside
#define INSIDE ((UINT64_C(1) << 23) - 1)
#define OPEN (UINT64_C(1) << 23)
#define NUMBER(state) ((state) >> 24)

struct LyThreadPool {
    pthread_mutex_t loop;  // held by the host thread whose loop runs
    pthread_mutex_t mutex; // of the two conditions: held around sleeps and the ends of sleeps only
    pthread_cond_t opened; // a loop opened, or the end
    pthread_cond_t left;   // the last worker left the loop
    _Atomic(uint64_t) state;
    _Atomic(int32_t) sleepers; // threads that sleep until a loop opens, or are about to
    _Atomic(bool) waiting;     // the caller sleeps until the last thread leaves, or is about to
    _Atomic(bool) stopping;
    // the open loop
    LyraTask *task;
    void *data;
    int32_t count;
    struct {
        LyraTask *task;
        double work;        // of its last loop, s
    } tasks[TASKS];         // by a hash of `task`
    _Atomic(int64_t) *next; // first piece of each worker's range that nobody took, [thread_count];
                            // wide, as every thread may count one past the last
    int32_t thread_count;
    double spin_time; // before a sleep, s
    int32_t started;  // pool threads that run, thread_count - 1 when complete
    struct LyPoolThread {
        LyThreadPool *pool;
        int32_t worker;
        pthread_t thread;
    } threads[]; // [thread_count - 1], then `next`
};

// a loop inside a task runs on the worker at hand
static _Thread_local struct {
    const LyraContext *ctx; // context of the running task, NULL outside
    int32_t worker;
} running;

static void work(LyThreadPool *pool, int32_t worker)
{
    for (int32_t k = 0; k < pool->thread_count; ++k) {
        int32_t owner = (worker + k) % pool->thread_count;
        int64_t end = ly_piece_begin(pool->count, pool->thread_count, owner + 1);
        _Atomic(int64_t) *next = &pool->next[owner];
        // looked at first, so that no thread counts further beyond the end than once
        while (atomic_load_explicit(next, memory_order_relaxed) < end) {
            int64_t index = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
            if (index >= end) {
                break;
            }
            pool->task(pool->data, (int32_t)index, worker);
        }
    }
}

// ---- waiting ------------------------------------------------------------------------------------

static void rest_a_moment(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// enters a loop that is open and is not number `seen`, which is then its number
static bool enter(LyThreadPool *pool, uint64_t *seen)
{
    uint64_t state = atomic_load(&pool->state);
    while (state & OPEN && NUMBER(state) != *seen) {
        if (atomic_compare_exchange_weak(&pool->state, &state, state + 1)) {
            *seen = NUMBER(state);
            return true;
        }
    }
    return false;
}

// enters the next loop; false at the end
static bool await_loop(LyThreadPool *pool, uint64_t *seen)
{
    if (pool->spin_time > 0) {
        double began = ly_time();
        do {
            for (int32_t i = 0; i < POLLS; ++i) {
                if (enter(pool, seen)) {
                    return true;
                }
                rest_a_moment();
            }
        } while (ly_time() - began < pool->spin_time);
    }
    bool entered = false;
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!atomic_load(&pool->stopping) && !(entered = enter(pool, seen))) {
        pthread_cond_wait(&pool->opened, &pool->mutex);
    }
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
    return entered;
}

static void leave(LyThreadPool *pool)
{
    uint64_t before = atomic_fetch_sub(&pool->state, 1);
    if ((before & INSIDE) == 1 && atomic_load(&pool->waiting)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->left);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static bool is_empty(const LyThreadPool *pool)
{
    return (atomic_load(&pool->state) & INSIDE) == 0;
}

// waits until no pool thread is inside
static void await_leaving(LyThreadPool *pool)
{
    if (is_empty(pool)) {
        return;
    }
    double began = ly_time();
    do {
        for (int32_t i = 0; i < POLLS; ++i) {
            if (is_empty(pool)) {
                return;
            }
            rest_a_moment();
        }
    } while (ly_time() - began < pool->spin_time);
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->waiting, true);
    while (!is_empty(pool)) {
        pthread_cond_wait(&pool->left, &pool->mutex);
    }
    atomic_store(&pool->waiting, false);
    pthread_mutex_unlock(&pool->mutex);
}

// ---- threads ------------------------------------------------------------------------------------

static void *thread_main(void *argument)
{
    struct LyPoolThread *self = argument;
    LyThreadPool *pool = self->pool;
    uint64_t seen = 0;
    while (await_loop(pool, &seen)) {
        work(pool, self->worker);
        leave(pool);
    }
    return NULL;
}

static size_t pool_bytes(int32_t thread_count)
{
    return sizeof(LyThreadPool) + (size_t)(thread_count - 1) * sizeof(struct LyPoolThread) +
           (size_t)thread_count * sizeof(_Atomic(int64_t));
}

LyraStatus ly_thread_pool_create(const LyraAllocator *allocator, int32_t thread_count,
                                 LyThreadPool **out)
{
    LyThreadPool *pool = ly_allocator_take(allocator, pool_bytes(thread_count));
    if (!pool) {
        return ly_fail_memory(pool_bytes(thread_count));
    }
    *pool = (LyThreadPool){.thread_count = thread_count,
                           .spin_time = thread_count <= ly_core_count() ? SPIN_TIME : 0};
    pool->next = (_Atomic(int64_t) *)(pool->threads + thread_count - 1);
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
    atomic_store(&pool->stopping, true);
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

// `kind` tells loops of one sort from others
static void run(LyThreadPool *pool, int32_t count, LyraTask *kind, LyraTask *task, void *data)
{
    if (count == 1 || pool->thread_count == 1) {
        // wake nobody
        for (int32_t i = 0; i < count; ++i) {
            task(data, i, 0);
        }
        return;
    }
    // open: nobody is inside, so nobody reads what is written here
    pool->task = task;
    pool->data = data;
    pool->count = count;
    for (int32_t i = 0; i < pool->thread_count; ++i) {
        atomic_store_explicit(&pool->next[i], ly_piece_begin(count, pool->thread_count, i),
                              memory_order_relaxed);
    }
    uint64_t number = NUMBER(atomic_load_explicit(&pool->state, memory_order_relaxed)) + 1;
    atomic_store(&pool->state, number << 24 | OPEN);
    int32_t place = (int32_t)((uintptr_t)kind / 16 % TASKS);
    bool known = pool->tasks[place].task == kind;
    bool worth = !known || pool->tasks[place].work >= WAKE_TIME;
    int32_t sleepers = atomic_load(&pool->sleepers);
    if (worth && sleepers > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->opened);
        pthread_mutex_unlock(&pool->mutex);
    }
    double began = ly_time();
    // take part
    work(pool, 0);
    // close, and wait for those still inside
    atomic_fetch_and(&pool->state, ~OPEN);
    await_leaving(pool);
    int32_t awake = worth ? pool->thread_count : pool->thread_count - sleepers;
    pool->tasks[place].task = kind;
    pool->tasks[place].work = awake * (ly_time() - began);
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
        run(ctx->pool, count, task, run_piece, &loop);
    }
    pthread_mutex_unlock(&ctx->pool->loop);
}

int32_t ly_piece_count(int64_t items, int64_t grain)
{
    int64_t pieces = (items + grain - 1) / grain;
    // a multiple of four where there are more than two: two threads, or four, have equal shares
    if (pieces > 2 && pieces + 3 <= items) {
        pieces = (pieces + 3) / 4 * 4;
    }
    return (int32_t)(pieces < 1 ? 1 : pieces > INT32_MAX ? INT32_MAX : pieces);
}

int64_t ly_piece_begin(int64_t items, int32_t pieces, int32_t index)
{
    // quotient and remainder apart, so that nothing overflows
    int64_t each = items / pieces, rest = items % pieces;
    return each * index + (index < rest ? index : rest);
}
