// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The kernels of pcg in one precision, on one instruction set: included by pcg_kernels.c with REAL,
// INTEGER (of the same width) and NAME(base) defined.
//
// A vertex is a vector of four numbers. A block is three rows of three, each read as a vector of
// four whose last lane holds whatever follows. Going up the rows (backward sweep), the product with
// a block adds to three vectors of partial sums that are joined once per row; going down (forward
// sweep), the transposed product is a combination of the three rows and lands in the accumulator of
// the column. One copy of the upper blocks serves both. The scalar twin does the same with three
// plain numbers.

#define Vec NAME(Vec)
#define load NAME(load)
#define store NAME(store)
#define all NAME(all)
#define lane NAME(lane)
#define sum_rows NAME(sum_rows)
#define clear NAME(clear)
#define multiply NAME(multiply)
#define outer_sum NAME(outer_sum)
#define MUL(a, b) NAME(mul)(a, b)
#define ADD(a, b) NAME(add)(a, b)
#define SUB(a, b) NAME(sub)(a, b)

// ---- vectors of one vertex ----------------------------------------------------------------------

#if LY_LANES == 1

typedef struct Vec {
    REAL v[3];
} Vec;

INLINE Vec load(const REAL *p)
{
    return (Vec){{p[0], p[1], p[2]}};
}

// the fourth number of a vertex is zero already: the twin never writes it
INLINE void store(REAL *p, Vec a)
{
    p[0] = a.v[0];
    p[1] = a.v[1];
    p[2] = a.v[2];
}

INLINE Vec all(REAL a)
{
    return (Vec){{a, a, a}};
}

INLINE Vec MUL(Vec a, Vec b)
{
    return (Vec){{a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2]}};
}

INLINE Vec ADD(Vec a, Vec b)
{
    return (Vec){{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2]}};
}

INLINE Vec SUB(Vec a, Vec b)
{
    return (Vec){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
}

INLINE REAL lane(Vec a, int i)
{
    return a.v[i];
}

INLINE Vec sum_rows(Vec a, Vec b, Vec c)
{
    return (Vec){{a.v[0] + a.v[1] + a.v[2], b.v[0] + b.v[1] + b.v[2], c.v[0] + c.v[1] + c.v[2]}};
}

INLINE Vec clear(Vec a)
{
    return a;
}

#else

typedef REAL Vec __attribute__((vector_size(4 * sizeof(REAL))));

INLINE Vec load(const REAL *p)
{
    Vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(REAL *p, Vec a)
{
    memcpy(p, &a, sizeof a);
}

INLINE Vec all(REAL a)
{
    return (Vec){a, a, a, a};
}

INLINE Vec MUL(Vec a, Vec b)
{
    return a * b;
}

INLINE Vec ADD(Vec a, Vec b)
{
    return a + b;
}

INLINE Vec SUB(Vec a, Vec b)
{
    return a - b;
}

INLINE REAL lane(Vec a, int i)
{
    return a[i];
}

// the sums of three vectors over their first three lanes, and 0
INLINE Vec sum_rows(Vec a, Vec b, Vec c)
{
#define SHUFFLE(p, q, ...) __builtin_shufflevector(p, q, __VA_ARGS__)
    const Vec zero = {0};
    Vec ab02 = SHUFFLE(a, b, 0, 4, 2, 6);
    Vec ab1 = SHUFFLE(a, b, 1, 5, 1, 5);
    Vec c0 = SHUFFLE(c, zero, 0, 4, 1, 4);
    Vec c2 = SHUFFLE(c, zero, 2, 4, 2, 4);
    Vec first = SHUFFLE(ab02, c0, 0, 1, 4, 5);
    Vec second = SHUFFLE(ab1, c0, 0, 1, 6, 7);
    Vec third = SHUFFLE(ab02, c2, 2, 3, 4, 5);
#undef SHUFFLE
    return first + second + third;
}

// the fourth lane set to zero
INLINE Vec clear(Vec a)
{
    typedef INTEGER Bits __attribute__((vector_size(4 * sizeof(REAL))));
    return (Vec)((Bits)a & (Bits){-1, -1, -1, 0});
}

#endif

// A x
INLINE Vec multiply(const REAL *A, Vec x)
{
    return sum_rows(MUL(load(A), x), MUL(load(A + 3), x), MUL(load(A + 6), x));
}

// A x over entries of the outer list
INLINE Vec outer_sum(const LyPcgPiece *piece, int64_t begin, int64_t end, const REAL *x)
{
    const REAL *values = piece->outer_values;
    Vec s0 = all(0), s1 = all(0), s2 = all(0);
    for (int64_t k = begin; k < end; ++k) {
        Vec xj = load(x + 4 * (int64_t)piece->outer_column[k]);
        s0 = ADD(s0, MUL(load(values + 9 * k), xj));
        s1 = ADD(s1, MUL(load(values + 9 * k + 3), xj));
        s2 = ADD(s2, MUL(load(values + 9 * k + 6), xj));
    }
    return sum_rows(s0, s1, s2);
}

// y += sign A x over the outer entries of the piece below the diagonal, above it, or both
INLINE void NAME(outer)(const LyPcgPiece *piece, bool below, bool above, REAL sign, const REAL *x,
                        REAL *y)
{
    for (int32_t o = piece->outer_begin; o < piece->outer_end; ++o) {
        int64_t begin = below ? piece->outer_start[o] : piece->outer_middle[o];
        int64_t end = above ? piece->outer_start[o + 1] : piece->outer_middle[o];
        REAL *yi = y + 4 * (int64_t)piece->outer_row[o];
        store(yi, ADD(load(yi), MUL(all(sign), outer_sum(piece, begin, end, x))));
    }
}

// whether nothing is free under a projection: its trace is its rank
INLINE bool NAME(holds_all)(const REAL *P)
{
    return P[0] + P[4] + P[8] == 0;
}

// blocks that a sweep prefetches before their use
#define PREFETCH 40

// ---- sweeps and products ------------------------------------------------------------------------

static void NAME(backward)(const LyPcgPiece *piece, const void *p_all, void *t_all)
{
    const REAL *p = p_all, *values = piece->values, *filter = piece->filter;
    REAL *t = t_all;
    const int32_t *column = piece->column;
    if (piece->above && piece->outer_begin < piece->outer_end) {
        int64_t begin = 4 * (int64_t)piece->row_begin, end = 4 * (int64_t)piece->row_end;
        if (p != t) {
            memcpy(t + begin, p + begin, (size_t)(end - begin) * sizeof(REAL));
        }
        NAME(outer)(piece, false, true, -1, t, t);
        p = t;
    }
    int32_t f = piece->filter_end - 1;
    int64_t k = piece->row_start[piece->row_end] - 1;
    for (int32_t i = piece->row_end - 1; i >= piece->row_begin; --i) {
        const int64_t first = piece->row_start[i];
        const REAL *P = NULL;
        if (f >= piece->filter_begin && piece->filter_row[f] == i) {
            P = filter + 9 * (int64_t)f;
            --f;
            if (NAME(holds_all)(P)) {
                store(t + 4 * (int64_t)i, all(0));
                k = first - 1;
                continue;
            }
        }
        // from the far columns to the near, whose values were made last
        Vec s0 = all(0), s1 = all(0), s2 = all(0);
        for (; k >= first; --k) {
            const REAL *A = values + 9 * k;
            __builtin_prefetch(A - 9 * PREFETCH);
            Vec x = load(t + 4 * (int64_t)column[k]);
            s0 = ADD(s0, MUL(load(A), x));
            s1 = ADD(s1, MUL(load(A + 3), x));
            s2 = ADD(s2, MUL(load(A + 6), x));
        }
        Vec ti = SUB(load(p + 4 * (int64_t)i), sum_rows(s0, s1, s2));
        if (P) {
            ti = multiply(P, ti);
        }
        store(t + 4 * (int64_t)i, ti);
    }
}

static void NAME(forward)(const LyPcgPiece *piece, void *w_all)
{
    const REAL *values = piece->values, *filter = piece->filter;
    REAL *w = w_all;
    const int32_t *column = piece->column;
    if (piece->below) {
        NAME(outer)(piece, true, false, -1, w, w);
    }
    int32_t f = piece->filter_begin;
    int64_t k = piece->row_start[piece->row_begin];
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        Vec x = clear(load(w + 4 * (int64_t)i));
        if (f < piece->filter_end && piece->filter_row[f] == i) {
            const REAL *P = filter + 9 * (int64_t)f;
            ++f;
            if (NAME(holds_all)(P)) {
                store(w + 4 * (int64_t)i, all(0));
                k = piece->row_start[i + 1];
                continue;
            }
            x = multiply(P, x);
        }
        store(w + 4 * (int64_t)i, x);
        Vec x0 = all(lane(x, 0)), x1 = all(lane(x, 1)), x2 = all(lane(x, 2));
        for (int64_t end = piece->row_start[i + 1]; k < end; ++k) {
            const REAL *A = values + 9 * k;
            REAL *y = w + 4 * (int64_t)column[k];
            __builtin_prefetch(A + 9 * PREFETCH);
            Vec sum = ADD(ADD(MUL(load(A), x0), MUL(load(A + 3), x1)), MUL(load(A + 6), x2));
            store(y, SUB(load(y), sum));
        }
    }
}

static void NAME(lower)(const LyPcgPiece *piece, const void *x_all, void *y_all)
{
    const REAL *x = x_all, *values = piece->values;
    REAL *y = y_all;
    int64_t begin = piece->row_begin;
    memcpy(y + 4 * begin, x + 4 * begin, 4 * sizeof(REAL) * (size_t)(piece->row_end - begin));
    int64_t k = piece->row_start[begin];
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        Vec xi = load(x + 4 * (int64_t)i);
        Vec x0 = all(lane(xi, 0)), x1 = all(lane(xi, 1)), x2 = all(lane(xi, 2));
        store(y + 4 * (int64_t)i, clear(load(y + 4 * (int64_t)i)));
        for (int64_t end = piece->row_start[i + 1]; k < end; ++k) {
            const REAL *A = values + 9 * k;
            REAL *yj = y + 4 * (int64_t)piece->column[k];
            Vec sum = ADD(ADD(MUL(load(A), x0), MUL(load(A + 3), x1)), MUL(load(A + 6), x2));
            store(yj, ADD(load(yj), sum));
        }
    }
    if (piece->below) {
        NAME(outer)(piece, true, false, 1, x, y);
    }
}

static void NAME(project)(const LyPcgPiece *piece, void *v_all)
{
    const REAL *filter = piece->filter;
    for (int32_t f = piece->filter_begin; f < piece->filter_end; ++f) {
        REAL *v = (REAL *)v_all + 4 * (int64_t)piece->filter_row[f];
        store(v, multiply(filter + 9 * (int64_t)f, load(v)));
    }
}

static void NAME(product)(const LyPcgPiece *piece, const void *x_all, void *y_all)
{
    const REAL *x = x_all, *values = piece->values, *D = piece->diagonal;
    REAL *y = y_all;
    int64_t begin = piece->row_begin, k = piece->row_start[begin];
    memset(y + 4 * begin, 0, 4 * sizeof(REAL) * (size_t)(piece->row_end - begin));
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        Vec xi = load(x + 4 * (int64_t)i);
        Vec x0 = all(lane(xi, 0)), x1 = all(lane(xi, 1)), x2 = all(lane(xi, 2));
        Vec s0 = all(0), s1 = all(0), s2 = all(0);
        for (int64_t end = piece->row_start[i + 1]; k < end; ++k) {
            const REAL *A = values + 9 * k;
            const int64_t j = 4 * (int64_t)piece->column[k];
            Vec r0 = load(A), r1 = load(A + 3), r2 = load(A + 6), xj = load(x + j);
            s0 = ADD(s0, MUL(r0, xj));
            s1 = ADD(s1, MUL(r1, xj));
            s2 = ADD(s2, MUL(r2, xj));
            Vec sum = ADD(ADD(MUL(r0, x0), MUL(r1, x1)), MUL(r2, x2));
            store(y + j, ADD(load(y + j), sum));
        }
        Vec own = D ? multiply(D + 9 * (int64_t)i, xi) : xi;
        Vec yi = ADD(load(y + 4 * (int64_t)i), ADD(own, sum_rows(s0, s1, s2)));
        store(y + 4 * (int64_t)i, clear(yi));
    }
    NAME(outer)(piece, true, true, 1, x, y);
    NAME(project)(piece, y);
}

static void NAME(blocks)(int32_t begin, int32_t end, const void *Q, const void *r_all, void *z_all)
{
    const REAL *r = r_all;
    REAL *z = z_all;
    for (int64_t i = begin; i < end; ++i) {
        store(z + 4 * i, multiply((const REAL *)Q + 9 * i, load(r + 4 * i)));
    }
}

// ---- vectors ------------------------------------------------------------------------------------
//
// Sums run in the precision at hand over 64 vertices, then in doubles.

#define SUM_ROWS 64

static double NAME(dot)(int32_t begin, int32_t end, const void *x_all, const void *y_all)
{
    const REAL *x = x_all, *y = y_all;
    double sum = 0.0;
    for (int64_t i = begin; i < end;) {
        int64_t stop = i + SUM_ROWS < end ? i + SUM_ROWS : end;
        Vec s = all(0);
        for (; i < stop; ++i) {
            s = ADD(s, MUL(load(x + 4 * i), load(y + 4 * i)));
        }
        sum += (double)lane(s, 0) + (double)lane(s, 1) + (double)lane(s, 2);
    }
    return sum;
}

static void NAME(direct)(int32_t begin, int32_t end, const void *z_all, double beta, void *p_all)
{
    const REAL *z = z_all;
    REAL *p = p_all;
    const Vec b = all((REAL)beta);
    for (int64_t i = begin; i < end; ++i) {
        store(p + 4 * i, ADD(load(z + 4 * i), MUL(b, load(p + 4 * i))));
    }
}

static void NAME(subtract)(int32_t begin, int32_t end, const void *p_all, const void *t_all,
                           void *w_all)
{
    const REAL *p = p_all, *t = t_all;
    REAL *w = w_all;
    for (int64_t i = begin; i < end; ++i) {
        store(w + 4 * i, SUB(load(p + 4 * i), load(t + 4 * i)));
    }
}

static void NAME(joint)(int32_t begin, int32_t end, const void *p_all, const void *t_all,
                        const void *w_all, const void *r_all, double sums[3])
{
    const REAL *p = p_all, *t = t_all, *w = w_all, *r = r_all;
    double pq = 0.0, rq = 0.0, qq = 0.0;
    for (int64_t i = begin; i < end;) {
        int64_t stop = i + SUM_ROWS < end ? i + SUM_ROWS : end;
        Vec ps = all(0), rs = all(0), qs = all(0);
        for (; i < stop; ++i) {
            Vec q = ADD(load(t + 4 * i), load(w + 4 * i));
            ps = ADD(ps, MUL(load(p + 4 * i), q));
            rs = ADD(rs, MUL(load(r + 4 * i), q));
            qs = ADD(qs, MUL(q, q));
        }
        pq += (double)lane(ps, 0) + (double)lane(ps, 1) + (double)lane(ps, 2);
        rq += (double)lane(rs, 0) + (double)lane(rs, 1) + (double)lane(rs, 2);
        qq += (double)lane(qs, 0) + (double)lane(qs, 1) + (double)lane(qs, 2);
    }
    sums[0] = pq;
    sums[1] = rq;
    sums[2] = qq;
}

// x += a p, r -= a (t + w) where `parts`, else a w
INLINE double NAME(step_of)(int32_t begin, int32_t end, double alpha, const REAL *p, bool parts,
                            const REAL *t, const REAL *w, REAL *x, REAL *r)
{
    const Vec a = all((REAL)alpha);
    double sum = 0.0;
    for (int64_t i = begin; i < end;) {
        int64_t stop = i + SUM_ROWS < end ? i + SUM_ROWS : end;
        Vec s = all(0);
        for (; i < stop; ++i) {
            store(x + 4 * i, ADD(load(x + 4 * i), MUL(a, load(p + 4 * i))));
            Vec q = parts ? ADD(load(t + 4 * i), load(w + 4 * i)) : load(w + 4 * i);
            Vec ri = SUB(load(r + 4 * i), MUL(a, q));
            store(r + 4 * i, ri);
            s = ADD(s, MUL(ri, ri));
        }
        sum += (double)lane(s, 0) + (double)lane(s, 1) + (double)lane(s, 2);
    }
    return sum;
}

static double NAME(step)(int32_t begin, int32_t end, double alpha, const void *p, const void *t,
                         const void *w, void *x, void *r)
{
    return t ? NAME(step_of)(begin, end, alpha, p, true, t, w, x, r)
             : NAME(step_of)(begin, end, alpha, p, false, NULL, w, x, r);
}

static double NAME(advance)(int32_t begin, int32_t end, const double factors[2], const void *t_all,
                            const void *w_all, void *x_all, void *r_all, void *p_all)
{
    const REAL *t = t_all, *w = w_all;
    REAL *x = x_all, *r = r_all, *p = p_all;
    const Vec a = all((REAL)factors[0]), b = all((REAL)factors[1]);
    double sum = 0.0;
    for (int64_t i = begin; i < end;) {
        int64_t stop = i + SUM_ROWS < end ? i + SUM_ROWS : end;
        Vec s = all(0);
        for (; i < stop; ++i) {
            // the sweep that follows writes t, of which other threads have read
            __builtin_prefetch(t + 4 * i, 1);
            Vec pi = load(p + 4 * i), q = ADD(load(t + 4 * i), load(w + 4 * i));
            Vec ri = SUB(load(r + 4 * i), MUL(a, q));
            store(x + 4 * i, ADD(load(x + 4 * i), MUL(a, pi)));
            store(r + 4 * i, ri);
            store(p + 4 * i, ADD(ri, MUL(b, pi)));
            s = ADD(s, MUL(ri, ri));
        }
        sum += (double)lane(s, 0) + (double)lane(s, 1) + (double)lane(s, 2);
    }
    return sum;
}

static bool NAME(enter)(int32_t begin, int32_t end, const int32_t *order, const double *scale,
                        double a, const double *b, void *v_all)
{
    REAL *v = v_all;
    REAL wrong = 0;
    for (int64_t i = begin; i < end; ++i) {
        const double *S = scale + 9 * i, *bi = b + 3 * (int64_t)order[i];
        REAL *vi = v + 4 * i;
        vi[0] = (REAL)(a * (S[0] * bi[0]));
        vi[1] = (REAL)(a * (S[3] * bi[0] + S[4] * bi[1]));
        vi[2] = (REAL)(a * (S[6] * bi[0] + S[7] * bi[1] + S[8] * bi[2]));
        vi[3] = 0;
        wrong += 0 * vi[0] + 0 * vi[1] + 0 * vi[2]; // NaN unless all are finite
    }
    return wrong == 0;
}

static void NAME(leave)(int32_t begin, int32_t end, const int32_t *order, const double *scale,
                        double a, const void *v, double *x)
{
    for (int64_t i = begin; i < end; ++i) {
        const double *S = scale + 9 * i;
        const REAL *vi = (const REAL *)v + 4 * i;
        double *xi = x + 3 * (int64_t)order[i], v0 = a * vi[0], v1 = a * vi[1], v2 = a * vi[2];
        xi[0] += S[0] * v0 + S[3] * v1 + S[6] * v2;
        xi[1] += S[4] * v1 + S[7] * v2;
        xi[2] += S[8] * v2;
    }
}

static double NAME(norm)(int32_t begin, int32_t end, const double *root, const void *v)
{
    double sum = 0.0;
    for (int64_t i = begin; i < end; ++i) {
        const double *C = root + 9 * i;
        const REAL *vi = (const REAL *)v + 4 * i;
        double v0 = vi[0], v1 = vi[1], v2 = vi[2];
        double c0 = C[0] * v0, c1 = C[3] * v0 + C[4] * v1, c2 = C[6] * v0 + C[7] * v1 + C[8] * v2;
        sum += c0 * c0 + c1 * c1 + c2 * c2;
    }
    return sum;
}

// ---- the coarse space ---------------------------------------------------------------------------
//
// Blocks of 3x6 are read as three rows of eight, whose last two belong to what follows: they meet
// zeros of mu, or land in sums that nobody reads.

static void NAME(gather)(int32_t begin, int32_t end, const int64_t *start, const int32_t *touched,
                         const void *V_all, const void *v_all, double *sums)
{
    const REAL *v = v_all;
    int64_t k = start ? start[begin] : begin;
    for (int64_t i = begin; i < end; ++i) {
        const REAL v0 = v[4 * i], v1 = v[4 * i + 1], v2 = v[4 * i + 2];
        for (int64_t stop = start ? start[i + 1] : i + 1; k < stop; ++k) {
            const REAL *V = (const REAL *)V_all + 18 * k;
            double *restrict sum = sums + 8 * (int64_t)touched[k];
            for (int e = 0; e < 8; ++e) {
                sum[e] += (double)(V[e] * v0 + V[6 + e] * v1 + V[12 + e] * v2);
            }
        }
    }
}

#if LY_LANES == 1

// sum[d] += row d of V times mu
INLINE void NAME(add_times)(const REAL *V, const REAL *mu, Vec sum[3])
{
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 6; ++e) {
            sum[d].v[0] += V[6 * d + e] * mu[e];
        }
    }
}

#define sum_all NAME(sum_all)
INLINE Vec sum_all(const Vec sum[3])
{
    return (Vec){{sum[0].v[0], sum[1].v[0], sum[2].v[0]}};
}

#else

// sum[d] += row d of V times mu, in four parts
INLINE void NAME(add_times)(const REAL *V, const REAL *mu, Vec sum[3])
{
    const Vec low = load(mu), high = load(mu + 4);
    for (int d = 0; d < 3; ++d) {
        sum[d] += load(V + 6 * d) * low + load(V + 6 * d + 4) * high;
    }
}

// the parts of three sums joined, and 0
#define sum_all NAME(sum_all)
INLINE Vec sum_all(const Vec sum[3])
{
#define SHUFFLE(p, q, ...) __builtin_shufflevector(p, q, __VA_ARGS__)
    const Vec zero = {0};
    Vec ab = SHUFFLE(sum[0], sum[1], 0, 4, 1, 5) + SHUFFLE(sum[0], sum[1], 2, 6, 3, 7);
    Vec c = SHUFFLE(sum[2], zero, 0, 4, 1, 5) + SHUFFLE(sum[2], zero, 2, 6, 3, 7);
    return SHUFFLE(ab, c, 0, 1, 4, 5) + SHUFFLE(ab, c, 2, 3, 6, 7);
#undef SHUFFLE
}

#endif

static void NAME(deflate)(int32_t begin, int32_t end, const LyPcgRowBlocks *blocks, const void *mu,
                          const void *r_all, const void *z_all, void *w_all)
{
    const REAL *r = r_all, *z = z_all;
    REAL *w = w_all;
    const int64_t *start = blocks->start;
    int64_t k = start[begin];
    for (int64_t i = begin; i < end; ++i) {
        Vec sum[3] = {all(0), all(0), all(0)};
        for (int64_t stop = start[i + 1]; k < stop; ++k) {
            NAME(add_times)
            ((const REAL *)blocks->V + 18 * k, (const REAL *)mu + 8 * (int64_t)blocks->touched[k],
             sum);
        }
        store(w + 4 * i, SUB(SUB(load(r + 4 * i), load(z + 4 * i)), sum_all(sum)));
    }
}

static void NAME(spread)(int32_t begin, int32_t end, const int32_t *of, const void *Z,
                         const void *mu, void *z_all)
{
    for (int64_t i = begin; i < end; ++i) {
        Vec sum[3] = {all(0), all(0), all(0)};
        REAL *z = (REAL *)z_all + 4 * i;
        NAME(add_times)((const REAL *)Z + 18 * i, (const REAL *)mu + 8 * (int64_t)of[i], sum);
        store(z, ADD(load(z), sum_all(sum)));
    }
}

static double NAME(combine)(const LyPcgCombine *combine, int32_t begin, int32_t end)
{
    const REAL *r = combine->r, *z = combine->z, *w = combine->w;
    REAL *p = combine->p, *q = combine->q;
    const Vec beta = all((REAL)combine->beta);
    double sum = 0.0;
    for (int64_t i = begin; i < end;) {
        int64_t stop = i + SUM_ROWS < end ? i + SUM_ROWS : end;
        Vec s = all(0);
        for (; i < stop; ++i) {
            Vec part[3] = {all(0), all(0), all(0)};
            NAME(add_times)
            ((const REAL *)combine->Z + 18 * i,
             (const REAL *)combine->mu + 8 * (int64_t)combine->of[i], part);
            Vec zi = load(z + 4 * i);
            Vec qi = ADD(ADD(zi, load(w + 4 * i)), MUL(beta, load(q + 4 * i)));
            store(p + 4 * i, ADD(SUB(zi, sum_all(part)), MUL(beta, load(p + 4 * i))));
            store(q + 4 * i, qi);
            s = ADD(s, MUL(load(r + 4 * i), qi));
        }
        sum += (double)lane(s, 0) + (double)lane(s, 1) + (double)lane(s, 2);
    }
    return sum;
}

// ---- values -------------------------------------------------------------------------------------

#define CopySums NAME(CopySums)

#if LY_LANES == 1

// of entries before they are scaled; 0, or NaN where one is not finite after
typedef struct CopySums {
    double total;
    REAL wrong;
} CopySums;

// B = S_i A S_j^T, or with A transposed
INLINE void NAME(scale_block)(const double *Si, const double *A, const double *Sj, bool transposed,
                              CopySums *sums, REAL *B)
{
    double T[3][3];
    for (int r = 0; r < 3; ++r) {
        double a0 = transposed ? A[r] : A[3 * r], a1 = transposed ? A[3 + r] : A[3 * r + 1];
        double a2 = transposed ? A[6 + r] : A[3 * r + 2];
        sums->total += a0 + a1 + a2;
        T[r][0] = a0 * Sj[0];
        T[r][1] = a0 * Sj[3] + a1 * Sj[4];
        T[r][2] = a0 * Sj[6] + a1 * Sj[7] + a2 * Sj[8];
    }
    for (int c = 0; c < 3; ++c) {
        B[c] = (REAL)(Si[0] * T[0][c]);
        B[3 + c] = (REAL)(Si[3] * T[0][c] + Si[4] * T[1][c]);
        B[6 + c] = (REAL)(Si[6] * T[0][c] + Si[7] * T[1][c] + Si[8] * T[2][c]);
        sums->wrong += 0 * B[c] + 0 * B[3 + c] + 0 * B[6 + c];
    }
}

INLINE double NAME(end_sums)(const CopySums *sums, bool *finite)
{
    *finite = *finite && sums->wrong == 0;
    return sums->total;
}

#elif defined(__AVX512F__) && LY_LANES == 8

#define Eight NAME(Eight)
#define Wide NAME(Wide)
typedef double Eight __attribute__((vector_size(64)));
typedef REAL Wide __attribute__((vector_size(8 * sizeof(REAL))));

typedef struct CopySums {
    Eight total;
    double last;
    Wide wrong[2];
} CopySums;

// three of the nine entries at `p`, twice, the third again in the fourth lane
INLINE Eight NAME(pick)(Eight low, Eight last, const int64_t index[8])
{
    return (Eight)_mm512_permutex2var_pd((__m512d)low, _mm512_loadu_si512(index), (__m512d)last);
}

// Row by row: S_i A takes rows of A together, the first two side by side, and a row t of it becomes
// t S_j^T, the columns of S_j taken together. Whether A is transposed is chosen without a branch,
// as nobody can predict it.
INLINE void NAME(scale_block)(const double *Si, const double *A, const double *Sj, bool transposed,
                              CopySums *sums, REAL *B)
{
#define SHUFFLE(p, q, ...) __builtin_shufflevector(p, q, __VA_ARGS__)
    // rows, then columns
    static const int64_t entries[2][3][8] = {
        {{0, 1, 2, 2, 0, 1, 2, 2}, {3, 4, 5, 5, 3, 4, 5, 5}, {6, 7, 8, 8, 6, 7, 8, 8}},
        {{0, 3, 6, 6, 0, 3, 6, 6}, {1, 4, 7, 7, 1, 4, 7, 7}, {2, 5, 8, 8, 2, 5, 8, 8}}};
    const Eight zero = {0};
    Eight a, s, a_last = zero + A[8], s_last = zero + Sj[8];
    memcpy(&a, A, sizeof a);
    memcpy(&s, Sj, sizeof s);
    sums->total += a;
    sums->last += A[8];
    Eight a0 = NAME(pick)(a, a_last, entries[transposed][0]);
    Eight a1 = NAME(pick)(a, a_last, entries[transposed][1]);
    Eight a2 = NAME(pick)(a, a_last, entries[transposed][2]);
    const Eight first = {Si[0], Si[0], Si[0], Si[0], Si[3], Si[3], Si[3], Si[3]};
    const Eight second = {0, 0, 0, 0, Si[4], Si[4], Si[4], Si[4]};
    const Eight T[2] = {first * a0 + second * a1, Si[6] * a0 + Si[7] * a1 + Si[8] * a2};
    const Eight c0 = NAME(pick)(s, s_last, entries[1][0]);
    const Eight c1 = NAME(pick)(s, s_last, entries[1][1]);
    const Eight c2 = NAME(pick)(s, s_last, entries[1][2]);
    Wide R[2];
    for (int r = 0; r < 2; ++r) {
        Eight t0 = SHUFFLE(T[r], T[r], 0, 0, 0, 0, 4, 4, 4, 4);
        Eight t1 = SHUFFLE(T[r], T[r], 1, 1, 1, 1, 5, 5, 5, 5);
        Eight t2 = SHUFFLE(T[r], T[r], 2, 2, 2, 2, 6, 6, 6, 6);
        R[r] = __builtin_convertvector(t0 * c0 + (t1 * c1 + t2 * c2), Wide);
        sums->wrong[r] += 0 * R[r];
    }
    // nothing behind the block is touched: it may be another thread's
    Wide out = SHUFFLE(R[0], R[1], 0, 1, 2, 4, 5, 6, 8, 9);
    memcpy(B, &out, sizeof out);
    B[8] = R[1][2];
#undef SHUFFLE
}

INLINE double NAME(end_sums)(const CopySums *sums, bool *finite)
{
    Wide wrong = sums->wrong[0] + sums->wrong[1];
    double total = sums->last;
    for (int l = 0; l < 8; ++l) {
        *finite = *finite && wrong[l] == 0;
        total += sums->total[l];
    }
    return total;
}

#undef Eight
#undef Wide

#else

#define Four NAME(Four)
typedef double Four __attribute__((vector_size(32)));

typedef struct CopySums {
    Four total;
    Vec wrong[3];
} CopySums;

INLINE Four NAME(load_four)(const double *p)
{
    Four v;
    memcpy(&v, p, sizeof v);
    return v;
}

// Row by row: S_i A takes rows of A together, and a row t of it becomes t S_j^T, the columns of S_j
// taken together. Whether A is transposed is chosen without a branch, as nobody can predict it. The
// fourth lane repeats the third.
INLINE void NAME(scale_block)(const double *Si, const double *A, const double *Sj, bool transposed,
                              CopySums *sums, REAL *B)
{
#define SHUFFLE(p, q, ...) __builtin_shufflevector(p, q, __VA_ARGS__)
    typedef int64_t Bits __attribute__((vector_size(32)));
    Four a0 = NAME(load_four)(A), a1 = NAME(load_four)(A + 3), a2 = NAME(load_four)(A + 5);
    a2 = SHUFFLE(a2, a2, 1, 2, 3, 3);
    sums->total += (a0 + a1) + a2;
    Four low = SHUFFLE(a0, a1, 0, 4, 1, 5), high = SHUFFLE(a0, a1, 2, 6, 2, 6);
    const Bits mask = (Bits){0} - (int64_t)transposed;
    a0 = (Four)(((Bits)a0 & ~mask) | ((Bits)SHUFFLE(low, a2, 0, 1, 4, 4) & mask));
    a1 = (Four)(((Bits)a1 & ~mask) | ((Bits)SHUFFLE(low, a2, 2, 3, 5, 5) & mask));
    a2 = (Four)(((Bits)a2 & ~mask) | ((Bits)SHUFFLE(high, a2, 0, 1, 6, 6) & mask));
    Four T[3] = {Si[0] * a0, Si[3] * a0 + Si[4] * a1, Si[6] * a0 + Si[7] * a1 + Si[8] * a2};
    Four s0 = NAME(load_four)(Sj), s1 = NAME(load_four)(Sj + 3), s2 = NAME(load_four)(Sj + 5);
    Four c0 = SHUFFLE(SHUFFLE(s0, s1, 0, 4, 0, 4), s2, 0, 1, 5, 5);
    Four c1 = SHUFFLE(s1, s2, 2, 1, 6, 6), c2 = SHUFFLE(s1, s2, 2, 2, 7, 7);
    Vec R[3];
    for (int r = 0; r < 3; ++r) {
        Four t0 = SHUFFLE(T[r], T[r], 0, 0, 0, 0), t1 = SHUFFLE(T[r], T[r], 1, 1, 1, 1);
        Four t2 = SHUFFLE(T[r], T[r], 2, 2, 2, 2);
        R[r] = __builtin_convertvector(t0 * c0 + (t1 * c1 + t2 * c2), Vec);
        sums->wrong[r] += 0 * R[r];
    }
    // nothing behind the block is touched: it may be another thread's
    store(B, R[0]);
    store(B + 3, R[1]);
    store(B + 5, SHUFFLE(R[1], R[2], 2, 4, 5, 6));
#undef SHUFFLE
}

INLINE double NAME(end_sums)(const CopySums *sums, bool *finite)
{
    Vec wrong = sums->wrong[0] + sums->wrong[1] + sums->wrong[2];
    *finite = *finite && wrong[0] == 0 && wrong[1] == 0 && wrong[2] == 0;
    return sums->total[0] + sums->total[1] + sums->total[2];
}

#undef Four
#endif

// the blocks [begin, end) of a row
INLINE void NAME(copy_row)(const LyPcgCopy *copy, int32_t row, int64_t begin, int64_t end,
                           const int32_t *from, const int32_t *column, CopySums *sums, REAL *values)
{
    const double *Si = copy->scale + 9 * (int64_t)row;
    for (int64_t k = begin; k < end; ++k) {
        int32_t transposed = from[k] >> 31; // 0 or -1
        NAME(scale_block)
        (Si, copy->values + 9 * (int64_t)(from[k] ^ transposed),
         copy->scale + 9 * (int64_t)column[k], transposed, sums, values + 9 * k);
    }
}

static bool NAME(copy)(const LyPcgPiece *piece, const LyPcgCopy *copy, void *values, void *outer)
{
    CopySums inner_sums = {0}, outer_sums = {0};
    bool finite = true;
    for (int32_t i = piece->row_begin; i < piece->row_end; ++i) {
        NAME(copy_row)
        (copy, i, piece->row_start[i], piece->row_start[i + 1], copy->source, piece->column,
         &inner_sums, values);
    }
    for (int32_t o = piece->outer_begin; o < piece->outer_end; ++o) {
        NAME(copy_row)
        (copy, piece->outer_row[o], piece->outer_start[o], piece->outer_start[o + 1],
         copy->outer_source, piece->outer_column, &outer_sums, outer);
    }
    // outer blocks are there in both orientations
    *copy->total =
        2.0 * NAME(end_sums)(&inner_sums, &finite) + NAME(end_sums)(&outer_sums, &finite);
    return finite;
}

#undef CopySums
#undef SUM_ROWS
#undef PREFETCH
#undef Vec
#undef load
#undef store
#undef all
#undef lane
#undef sum_rows
#undef clear
#undef multiply
#undef outer_sum
#undef sum_all
#undef MUL
#undef ADD
#undef SUB
