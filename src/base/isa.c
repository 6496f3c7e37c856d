// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/context.h"
#include "config.h"

const char *lyra_isa_name(LyraIsa isa)
{
    static const char *const names[LYRA_ISA_COUNT] = {
        [LYRA_ISA_AUTO] = "auto", [LYRA_ISA_SCALAR] = "scalar", [LYRA_ISA_BASELINE] = "baseline",
        [LYRA_ISA_AVX2] = "avx2", [LYRA_ISA_AVX512] = "avx512",
    };
    return (unsigned)isa < LYRA_ISA_COUNT ? names[isa] : "unknown";
}

bool lyra_isa_available(LyraIsa isa)
{
    switch (isa) {
    case LYRA_ISA_AUTO:
    case LYRA_ISA_SCALAR:
    case LYRA_ISA_BASELINE:
        return true;
    case LYRA_ISA_AVX2:
#if LY_HAVE_X86_KERNELS
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
        return false;
#endif
    case LYRA_ISA_AVX512:
#if LY_HAVE_X86_KERNELS
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("fma");
#else
        return false;
#endif
    default:
        return false;
    }
}

LyraIsa ly_isa_best(void)
{
    LyraIsa best = LYRA_ISA_BASELINE;
    for (int32_t isa = LYRA_ISA_BASELINE; isa < LYRA_ISA_COUNT; ++isa) {
        if (lyra_isa_available((LyraIsa)isa)) {
            best = (LyraIsa)isa;
        }
    }
    return best;
}
