// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the machine can do: bytes read per second from memory, and fused multiply-adds per second,
// with plain loops over the widest vectors.

// madvise
#define _DEFAULT_SOURCE

#include "bench_calibrate.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#define TARGET(isa) __attribute__((target(isa)))
#else
#define TARGET(isa)
#endif

#define READ_BYTES ((size_t)128 << 20)
#define LARGE_PAGE ((size_t)1 << 21)
#define READ_COUNT (READ_BYTES / sizeof(double))

typedef double Wide __attribute__((vector_size(64)));

typedef struct Job {
    double (*work)(const double *values);
    const double *values;
    double result; // keeps the compiler from dropping the loop
    int32_t repeats;
} Job;

// the same loops for each instruction set; sums in eight independent vectors
#define DEFINE_LOOPS(suffix, target)                                                               \
    TARGET(target) static double read_##suffix(const double *values)                               \
    {                                                                                              \
        Wide sum[4] = {{0}};                                                                       \
        const Wide *v = (const Wide *)values;                                                      \
        for (size_t i = 0; i < READ_COUNT / 8; i += 4) {                                           \
            sum[0] += v[i];                                                                        \
            sum[1] += v[i + 1];                                                                    \
            sum[2] += v[i + 2];                                                                    \
            sum[3] += v[i + 3];                                                                    \
        }                                                                                          \
        Wide total = (sum[0] + sum[1]) + (sum[2] + sum[3]);                                        \
        return total[0] + total[1] + total[2] + total[3] + total[4] + total[5] + total[6] +        \
               total[7];                                                                           \
    }                                                                                              \
    TARGET(target) static double multiply_add_##suffix(const double *values)                       \
    {                                                                                              \
        const Wide *v = (const Wide *)values;                                                      \
        /* from ten places: of equal chains the compiler would keep one */                         \
        Wide a = v[0], b = v[1], s0 = v[2], s1 = v[3], s2 = v[4], s3 = v[5], s4 = v[6], s5 = v[7]; \
        Wide s6 = v[8], s7 = v[9], s8 = v[10], s9 = v[11];                                         \
        for (int i = 0; i < MULTIPLY_ADDS / 80; ++i) {                                             \
            s0 = s0 * b + a;                                                                       \
            s1 = s1 * b + a;                                                                       \
            s2 = s2 * b + a;                                                                       \
            s3 = s3 * b + a;                                                                       \
            s4 = s4 * b + a;                                                                       \
            s5 = s5 * b + a;                                                                       \
            s6 = s6 * b + a;                                                                       \
            s7 = s7 * b + a;                                                                       \
            s8 = s8 * b + a;                                                                       \
            s9 = s9 * b + a;                                                                       \
        }                                                                                          \
        Wide total = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9;                              \
        return total[0] + total[7];                                                                \
    }

// multiply-adds of a call
#define MULTIPLY_ADDS 80000000

DEFINE_LOOPS(avx512, "avx512f,fma")
DEFINE_LOOPS(avx2, "avx2,fma")
#undef TARGET
#define TARGET(isa)
DEFINE_LOOPS(baseline, )

static void *run_job(void *data)
{
    Job *job = data;
    for (int32_t i = 0; i < job->repeats; ++i) {
        job->result += job->work(job->values);
    }
    return NULL;
}

// seconds for every thread to do `repeats` rounds of `work`, the least of six tries
static double time_threads(double (*work)(const double *), const double *values, int32_t threads,
                           int32_t repeats)
{
    Job jobs[256] = {{0}};
    pthread_t handles[256];
    double best = 1e300;
    for (int32_t try = 0; try < 6; ++try) {
        double start = bench_now();
        int32_t started = 0;
        for (int32_t t = 0; t < threads; ++t) {
            jobs[t] = (Job){.work = work, .values = values, .repeats = repeats};
        }
        while (started < threads - 1 &&
               pthread_create(&handles[started], NULL, run_job, &jobs[started + 1]) == 0) {
            ++started;
        }
        run_job(&jobs[0]);
        for (int32_t t = 0; t < started; ++t) {
            pthread_join(handles[t], NULL);
        }
        double seconds = (bench_now() - start) * threads / (started + 1);
        best = seconds < best ? seconds : best;
    }
    return best;
}

void bench_calibrate(Bench *bench)
{
    double *values = aligned_alloc(LARGE_PAGE, READ_BYTES);
    if (!values) {
        return;
    }
#ifdef MADV_HUGEPAGE
    // as the library asks for its own large arrays
    (void)madvise(values, READ_BYTES, MADV_HUGEPAGE);
#endif
    for (size_t i = 0; i < READ_COUNT; ++i) {
        values[i] = 0.5;
    }
    double (*read)(const double *) = read_baseline,
                                (*multiply_add)(const double *) = multiply_add_baseline;
    if (lyra_isa_available(LYRA_ISA_AVX512)) {
        read = read_avx512;
        multiply_add = multiply_add_avx512;
    } else if (lyra_isa_available(LYRA_ISA_AVX2)) {
        read = read_avx2;
        multiply_add = multiply_add_avx2;
    }
    int32_t threads = bench->threads;
    bench->read_bandwidth = 2.0 * READ_BYTES / time_threads(read, values, 1, 2);
    bench->read_bandwidth_all = 2.0 * READ_BYTES * threads / time_threads(read, values, threads, 2);
    bench->flops = 2.0 * MULTIPLY_ADDS / time_threads(multiply_add, values, 1, 1);
    bench->flops_all =
        2.0 * MULTIPLY_ADDS * threads / time_threads(multiply_add, values, threads, 1);
    free(values);
}
