// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The variants of a kernel, one per instruction set, and their choice at run time:
//
//     typedef void LyThingKernel(int64_t count, ...);
//     LY_KERNEL_DECLARE(LyThingKernel, ly_thing);               in a header
//     void LY_KERNEL(ly_thing)(int64_t count, ...) { ... }      in a kernel file, see lanes.h
//     static LyThingKernel *const things[] = LY_KERNEL_TABLE(ly_thing);
//     things[lyra_context_isa(ctx)](count, ...);
//
// What holds more than a kernel has LY_KERNEL_TABLE_OF(ITEM, ...), a table of ITEM(scalar, ...) and
// so on with LYRA_ISA_COUNT rows; ITEM joins the word to the names of its kernels.

#ifndef LY_MATH_KERNEL_H
#define LY_MATH_KERNEL_H

#include "config.h"
#include "lyra/base.h"

#if LY_HAVE_X86_KERNELS
#define LY_KERNEL_DECLARE(Type, name)                                                              \
    extern Type name##_scalar, name##_baseline, name##_avx2, name##_avx512
#define LY_KERNEL_TABLE_OF(ITEM, ...)                                                              \
    {                                                                                              \
        [LYRA_ISA_SCALAR] = ITEM(scalar, __VA_ARGS__),                                             \
        [LYRA_ISA_BASELINE] = ITEM(baseline, __VA_ARGS__),                                         \
        [LYRA_ISA_AVX2] = ITEM(avx2, __VA_ARGS__), [LYRA_ISA_AVX512] = ITEM(avx512, __VA_ARGS__),  \
    }
#define LY_KERNEL_TABLE(name)                                                                      \
    {                                                                                              \
        [LYRA_ISA_SCALAR] = name##_scalar, [LYRA_ISA_BASELINE] = name##_baseline,                  \
        [LYRA_ISA_AVX2] = name##_avx2, [LYRA_ISA_AVX512] = name##_avx512,                          \
    }
#else
#define LY_KERNEL_DECLARE(Type, name) extern Type name##_scalar, name##_baseline
#define LY_KERNEL_TABLE_OF(ITEM, ...)                                                              \
    {                                                                                              \
        [LYRA_ISA_SCALAR] = ITEM(scalar, __VA_ARGS__),                                             \
        [LYRA_ISA_BASELINE] = ITEM(baseline, __VA_ARGS__),                                         \
    }
#define LY_KERNEL_TABLE(name)                                                                      \
    {                                                                                              \
        [LYRA_ISA_SCALAR] = name##_scalar, [LYRA_ISA_BASELINE] = name##_baseline,                  \
        [LYRA_ISA_COUNT - 1] = NULL,                                                               \
    }
#endif

#endif
