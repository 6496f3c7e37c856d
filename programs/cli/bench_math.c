// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Decompositions of 3x3 matrices, for each instruction set beside the scalar twin. Two kinds of
// matrices: those of a body in motion (a rotation and 10 % strain), and independent entries, where
// large ratios of stretches send some lanes the long way.

#include "bench.h"

#include "lyra/math3.h"

#include <stdlib.h>

// enough for several pieces per thread, and small enough for the cache
#define MATRIX_COUNT 16384

typedef struct Case {
    LyraContext *ctx;
    const LyraMat3 *F;
    LyraMat3 *U, *V;
    LyraVec3 *s;
} Case;

static void svd(void *data)
{
    const Case *c = data;
    lyra_mat3_svd_batch(c->ctx, MATRIX_COUNT, c->F, c->U, c->s, c->V);
}

static void polar(void *data)
{
    const Case *c = data;
    lyra_mat3_polar_batch(c->ctx, MATRIX_COUNT, c->F, c->U, NULL);
}

// reads the upper triangle
static void eigen(void *data)
{
    const Case *c = data;
    lyra_mat3_eigen_batch(c->ctx, MATRIX_COUNT, c->F, c->s, c->V);
}

static const struct {
    const char *name;
    void (*function)(void *data);
} decompositions[] = {{"svd", svd}, {"polar", polar}, {"eigen", eigen}};

// about normal: the sum of four uniform numbers, from a linear congruential generator
static double next_random(uint64_t *state)
{
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) * 0x1p-53 - 0.5;
    }
    return 1.7 * sum;
}

static void fill(LyraMat3 *F, bool deformed)
{
    uint64_t state = 1;
    for (int32_t k = 0; k < MATRIX_COUNT; ++k) {
        LyraMat3 A = {{{0}}};
        if (deformed) {
            LyraQuat q = lyra_quat_exp(
                lyra_vec3(next_random(&state), next_random(&state), next_random(&state)));
            A = lyra_quat_to_mat3(q);
        }
        for (int32_t i = 0; i < 9; ++i) {
            A.m[i / 3][i % 3] += (deformed ? 0.1 : 1.0) * next_random(&state);
        }
        F[k] = A;
    }
}

// rows of one context; the scalar times are the twins of the others
static CliExit bench_isa(Bench *bench, Case *c, const char *subject, LyraIsa isa, int32_t threads,
                         BenchTime scalar[3])
{
    c->ctx = cli_context(threads, isa);
    if (!c->ctx) {
        return CLI_BAD_INPUT;
    }
    for (int32_t d = 0; d < 3; ++d) {
        BenchRow row = {
            .name = decompositions[d].name,
            .subject = subject,
            .unit = "matrix",
            .items = MATRIX_COUNT,
            .threads = threads,
            .isa = isa,
            .time = bench_time(bench, decompositions[d].function, c),
        };
        if (isa == LYRA_ISA_SCALAR) {
            scalar[d] = row.time;
        } else {
            row.twin = scalar[d];
            row.twin_name = "scalar";
        }
        bench_row(bench, &row);
    }
    lyra_context_destroy(c->ctx);
    return CLI_OK;
}

CliExit bench_math(Bench *bench)
{
    LyraMat3 *matrices = malloc(3 * MATRIX_COUNT * sizeof *matrices);
    LyraVec3 *s = malloc(MATRIX_COUNT * sizeof *s);
    CliExit exit = CLI_OK;
    if (!matrices || !s) {
        exit = cli_fail("out of memory");
        goto done;
    }
    Case c = {NULL, matrices, matrices + MATRIX_COUNT, matrices + 2 * MATRIX_COUNT, s};
    for (int32_t deformed = 1; deformed >= 0; --deformed) {
        const char *subject = deformed ? "10 % strain" : "independent entries";
        BenchTime scalar[3];
        LyraIsa best = LYRA_ISA_SCALAR;
        fill(matrices, deformed);
        for (int32_t isa = LYRA_ISA_SCALAR; isa < LYRA_ISA_COUNT && exit == CLI_OK; ++isa) {
            if (lyra_isa_available((LyraIsa)isa)) {
                best = (LyraIsa)isa;
                exit = bench_isa(bench, &c, subject, best, 1, scalar);
            }
        }
        if (bench->threads > 1 && exit == CLI_OK) {
            exit = bench_isa(bench, &c, subject, best, bench->threads, scalar);
        }
    }
done:
    free(matrices);
    free(s);
    return exit;
}
