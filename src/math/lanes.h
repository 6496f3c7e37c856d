// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers in lanes. A kernel is written once on LyReal, which holds LY_LANES doubles, and compiled
// once per instruction set; with one lane LyReal is a plain double and the kernel is its own scalar
// twin. Plain operators do the arithmetic (+ - * /, also with a double literal on one side: 2.0 *
// x); what C has no operator for is here. Kernel files define their functions as
//
//     void LY_KERNEL(ly_thing)(int64_t count, ...)
//
// which names the variants ly_thing_scalar, ly_thing_avx2 and so on; kernel.h makes their table.
//
// Masks are opaque, because AVX-512 keeps them in registers of their own: compare with ly_less()
// and friends, combine with ly_and(), ly_or(), ly_not(), use with ly_select(). Comparisons with NaN
// are false.
//
// Everything here must be inlined: a function left over would be shared by name between files that
// were compiled for different machines.

#ifndef LY_MATH_LANES_H
#define LY_MATH_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef LY_LANES
#define LY_LANES 1
#endif
#ifndef LY_ISA
#define LY_ISA scalar
#endif

#define LY_KERNEL_NAME_(name, isa) name##_##isa
#define LY_KERNEL_NAME(name, isa) LY_KERNEL_NAME_(name, isa)
/// Name of this file's variant of a kernel.
#define LY_KERNEL(name) LY_KERNEL_NAME(name, LY_ISA)

#define LY_INLINE static inline __attribute__((always_inline))

// which intrinsics stand in where the compiler does badly
#define LY_LANES_AVX512 0
#define LY_LANES_AVX 0
#define LY_LANES_SSE2 0
#if LY_LANES == 8 && defined(__AVX512F__)
#undef LY_LANES_AVX512
#define LY_LANES_AVX512 1
#elif LY_LANES == 4 && defined(__AVX__)
#undef LY_LANES_AVX
#define LY_LANES_AVX 1
#elif LY_LANES == 2 && defined(__SSE2__)
#undef LY_LANES_SSE2
#define LY_LANES_SSE2 1
#endif
#if LY_LANES_AVX512 || LY_LANES_AVX || LY_LANES_SSE2
#include <immintrin.h>
#endif

// ---- types --------------------------------------------------------------------------------------

#if LY_LANES == 1
typedef double LyReal;
typedef int64_t LyBits; ///< The bits of a LyReal.
typedef bool LyMask;
#else
typedef double LyReal __attribute__((vector_size(8 * LY_LANES)));
typedef int64_t LyBits __attribute__((vector_size(8 * LY_LANES)));
#if LY_LANES_AVX512
typedef __mmask8 LyMask;
#else
typedef LyBits LyMask; // 0 or -1 in each lane
#endif
#endif

// ---- in and out ---------------------------------------------------------------------------------

/// `x` in every lane.
LY_INLINE LyReal ly_set(double x)
{
#if LY_LANES == 1
    return x;
#else
    return x - (LyReal){0}; // exact, -0 included
#endif
}

/// LY_LANES neighbours from `p`, which need not be aligned.
LY_INLINE LyReal ly_load(const double *p)
{
    LyReal x;
    memcpy(&x, p, sizeof x);
    return x;
}

LY_INLINE void ly_store(double *p, LyReal x)
{
    memcpy(p, &x, sizeof x);
}

/// Lane i from p[i * stride].
LY_INLINE LyReal ly_load_strided(const double *p, int64_t stride)
{
#if LY_LANES == 1
    (void)stride;
    return *p;
#elif LY_LANES == 2
    return (LyReal){p[0], p[stride]};
#elif LY_LANES == 4
    return (LyReal){p[0], p[stride], p[2 * stride], p[3 * stride]};
#else
    return (LyReal){p[0],          p[stride],     p[2 * stride], p[3 * stride],
                    p[4 * stride], p[5 * stride], p[6 * stride], p[7 * stride]};
#endif
}

/// Lane i to p[i * stride].
LY_INLINE void ly_store_strided(double *p, int64_t stride, LyReal x)
{
#if LY_LANES == 1
    (void)stride;
    *p = x;
#else
    for (int i = 0; i < LY_LANES; ++i) {
        p[i * stride] = x[i];
    }
#endif
}

/// Lane i from p[index[i]].
LY_INLINE LyReal ly_gather(const double *p, const int32_t *index)
{
#if LY_LANES == 1
    return p[index[0]];
#elif LY_LANES == 2
    return (LyReal){p[index[0]], p[index[1]]};
#elif LY_LANES == 4
    return (LyReal){p[index[0]], p[index[1]], p[index[2]], p[index[3]]};
#else
    return (LyReal){p[index[0]], p[index[1]], p[index[2]], p[index[3]],
                    p[index[4]], p[index[5]], p[index[6]], p[index[7]]};
#endif
}

/// LY_LANES integers as reals.
LY_INLINE LyReal ly_from_int32(const int32_t *p)
{
#if LY_LANES == 1
    return p[0];
#else
    LyReal x = {0};
    for (int i = 0; i < LY_LANES; ++i) {
        x[i] = p[i];
    }
    return x;
#endif
}

/// One lane, `i` in [0, LY_LANES).
LY_INLINE double ly_lane(LyReal x, int i)
{
#if LY_LANES == 1
    (void)i;
    return x;
#else
    return x[i];
#endif
}

// ---- masks --------------------------------------------------------------------------------------

LY_INLINE LyMask ly_less(LyReal a, LyReal b)
{
#if LY_LANES_AVX512
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
#else
    return (LyMask)(a < b);
#endif
}

LY_INLINE LyMask ly_less_equal(LyReal a, LyReal b)
{
#if LY_LANES_AVX512
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ);
#else
    return (LyMask)(a <= b);
#endif
}

LY_INLINE LyMask ly_equal(LyReal a, LyReal b)
{
#if LY_LANES_AVX512
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ);
#else
    return (LyMask)(a == b);
#endif
}

LY_INLINE LyMask ly_greater(LyReal a, LyReal b)
{
    return ly_less(b, a);
}

LY_INLINE LyMask ly_greater_equal(LyReal a, LyReal b)
{
    return ly_less_equal(b, a);
}

LY_INLINE LyMask ly_and(LyMask a, LyMask b)
{
    return (LyMask)(a & b);
}

LY_INLINE LyMask ly_or(LyMask a, LyMask b)
{
    return (LyMask)(a | b);
}

LY_INLINE LyMask ly_not(LyMask a)
{
#if LY_LANES == 1
    return !a;
#else
    return (LyMask)~a;
#endif
}

/// True in the first `count` lanes.
LY_INLINE LyMask ly_mask_first(int64_t count)
{
#if LY_LANES == 1
    return count > 0;
#elif LY_LANES_AVX512
    return (LyMask)(count <= 0 ? 0 : count >= 8 ? 0xff : (1 << count) - 1);
#else
    LyMask mask = {0};
    for (int i = 0; i < LY_LANES; ++i) {
        mask[i] = i < count ? -1 : 0;
    }
    return mask;
#endif
}

/// One bit per lane, lane 0 lowest.
LY_INLINE uint32_t ly_mask_bits(LyMask mask)
{
#if LY_LANES == 1
    return mask;
#elif LY_LANES_AVX512
    return mask;
#elif LY_LANES_AVX
    return (uint32_t)_mm256_movemask_pd((__m256d)mask);
#elif LY_LANES_SSE2
    return (uint32_t)_mm_movemask_pd((__m128d)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < LY_LANES; ++i) {
        bits |= (mask[i] != 0 ? 1u : 0u) << i;
    }
    return bits;
#endif
}

LY_INLINE bool ly_any(LyMask mask)
{
    return ly_mask_bits(mask) != 0;
}

LY_INLINE bool ly_all(LyMask mask)
{
    return ly_mask_bits(mask) == (1u << LY_LANES) - 1;
}

/// `a` where the mask is true, `b` elsewhere.
LY_INLINE LyReal ly_select(LyMask mask, LyReal a, LyReal b)
{
#if LY_LANES == 1
    return mask ? a : b;
#elif LY_LANES_AVX512
    return (LyReal)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a);
#elif LY_LANES_AVX
    return (LyReal)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (LyReal)((mask & (LyBits)a) | (~mask & (LyBits)b));
#endif
}

// ---- functions ----------------------------------------------------------------------------------

/// a > b ? a : b, hence `b` where either is NaN.
LY_INLINE LyReal ly_max(LyReal a, LyReal b)
{
#if LY_LANES == 1
    return a > b ? a : b;
#elif LY_LANES_AVX512
    return (LyReal)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif LY_LANES_AVX
    return (LyReal)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif LY_LANES_SSE2
    return (LyReal)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return ly_select(ly_less(b, a), a, b);
#endif
}

/// a < b ? a : b, hence `b` where either is NaN.
LY_INLINE LyReal ly_min(LyReal a, LyReal b)
{
#if LY_LANES == 1
    return a < b ? a : b;
#elif LY_LANES_AVX512
    return (LyReal)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif LY_LANES_AVX
    return (LyReal)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif LY_LANES_SSE2
    return (LyReal)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    return ly_select(ly_less(a, b), a, b);
#endif
}

LY_INLINE LyReal ly_sqrt(LyReal x)
{
#if LY_LANES == 1
    return __builtin_sqrt(x);
#elif LY_LANES_AVX512
    return (LyReal)_mm512_sqrt_pd((__m512d)x);
#elif LY_LANES_AVX
    return (LyReal)_mm256_sqrt_pd((__m256d)x);
#elif LY_LANES_SSE2
    return (LyReal)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < LY_LANES; ++i) {
        x[i] = __builtin_sqrt(x[i]);
    }
    return x;
#endif
}

LY_INLINE LyBits ly_bits(LyReal x)
{
    LyBits bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

LY_INLINE LyReal ly_from_bits(LyBits bits)
{
    LyReal x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// The bits moved up by `n`; those that leave are lost.
LY_INLINE LyBits ly_shift_left(LyBits bits, int n)
{
#if LY_LANES == 1
    return (LyBits)((uint64_t)bits << n);
#else
    return bits << n;
#endif
}

LY_INLINE LyReal ly_abs(LyReal x)
{
#if LY_LANES == 1
    return __builtin_fabs(x);
#else
    return ly_from_bits(ly_bits(x) & INT64_MAX);
#endif
}

/// The size of `x` with the sign of `sign`.
LY_INLINE LyReal ly_copysign(LyReal x, LyReal sign)
{
#if LY_LANES == 1
    return __builtin_copysign(x, sign);
#else
    return ly_from_bits((ly_bits(x) & INT64_MAX) | (ly_bits(sign) & INT64_MIN));
#endif
}

/// Largest power of two that is at most `x`; for normal, positive, finite `x`.
LY_INLINE LyReal ly_power_of_two_below(LyReal x)
{
    return ly_from_bits(ly_bits(x) & INT64_C(0x7ff0000000000000));
}

/// 1 / x, exactly; for `x` a power of two from 2^-1021 to 2^1022.
LY_INLINE LyReal ly_power_of_two_inverse(LyReal x)
{
    return ly_from_bits((INT64_C(2046) << 52) - ly_bits(x));
}

// ---- across lanes, always in the same order -----------------------------------------------------

LY_INLINE double ly_sum(LyReal x)
{
    double sum = ly_lane(x, 0);
    for (int i = 1; i < LY_LANES; ++i) {
        sum += ly_lane(x, i);
    }
    return sum;
}

/// Largest lane; NaN lanes are passed over unless all are.
LY_INLINE double ly_largest(LyReal x)
{
    double largest = ly_lane(x, 0);
    for (int i = 1; i < LY_LANES; ++i) {
        largest = ly_lane(x, i) > largest || largest != largest ? ly_lane(x, i) : largest;
    }
    return largest;
}

/// Smallest lane; NaN lanes are passed over unless all are.
LY_INLINE double ly_smallest(LyReal x)
{
    double smallest = ly_lane(x, 0);
    for (int i = 1; i < LY_LANES; ++i) {
        smallest = ly_lane(x, i) < smallest || smallest != smallest ? ly_lane(x, i) : smallest;
    }
    return smallest;
}

#endif
