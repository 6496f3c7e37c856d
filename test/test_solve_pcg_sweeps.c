// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The sweeps of pcg over domains, halves of separators and what is between them, on several
// threads, against plain loops over all rows in the same order; and its iterates, whose steps are
// taken ahead, against conjugate gradients as they are written down.

#include "solve/pcg.h"
#include "solve_bodies.h"

// the scaled matrix by rows in the order of the copy, off the diagonal; see pcg.h
typedef struct Twin {
    int32_t rows;
    int64_t *start;
    int32_t *column;
    double (*block)[9];
    double (*filter)[9];
} Twin;

static void scale_block(const double *Si, const double *A, bool transposed, const double *Sj,
                        double *out)
{
    for (int e = 0; e < 9; ++e) {
        double sum = 0;
        for (int f = 0; f < 9; ++f) {
            sum += Si[e / 3 * 3 + f / 3] * A[transposed ? f % 3 * 3 + f / 3 : f] *
                   Sj[e % 3 * 3 + f % 3];
        }
        out[e] = sum;
    }
}

static Twin twin_of(const LyPcgMatrix *matrix, const LyraBlockMatrix *A)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(A));
    const double *values = lyra_block_matrix_values(A);
    Twin twin = {.rows = view.row_count};
    twin.start = body_allocate(twin.rows + 2, sizeof *twin.start);
    twin.column = body_allocate(2 * view.block_count, sizeof *twin.column);
    twin.block = body_allocate(2 * view.block_count, sizeof *twin.block);
    twin.filter = body_allocate(twin.rows, sizeof *twin.filter);
    for (int fill = 0; fill < 2; ++fill) {
        for (int32_t i = 0; i < twin.rows; ++i) {
            for (int64_t k = view.diagonal[i] + 1; k < view.row_start[i + 1]; ++k) {
                int32_t ends[2] = {matrix->place[i], matrix->place[view.column[k]]};
                for (int side = 0; side < 2; ++side) {
                    int32_t row = ends[side], column = ends[1 - side];
                    int64_t at = twin.start[row + 1]++;
                    if (fill) {
                        twin.column[at] = column;
                        scale_block(matrix->scale + 9 * (int64_t)row, values + 9 * k, side == 1,
                                    matrix->scale + 9 * (int64_t)column, twin.block[at]);
                    }
                }
            }
        }
        // counts become the places where rows begin, one row late, then where they end
        for (int32_t i = twin.rows; !fill && i > 0; --i) {
            twin.start[i + 1] = twin.start[i];
        }
        twin.start[1] = fill ? twin.start[1] : 0;
        for (int32_t i = 1; !fill && i <= twin.rows; ++i) {
            twin.start[i + 1] += twin.start[i];
        }
    }
    for (int32_t i = 0; i < twin.rows; ++i) {
        memcpy(twin.filter[i], (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof *twin.filter);
    }
    for (int32_t f = 0; f < matrix->filters; ++f) {
        for (int e = 0; e < 9; ++e) {
            twin.filter[matrix->filter_row[f]][e] =
                matrix->real == sizeof(float) ? (double)((const float *)matrix->filter)[9 * f + e]
                                              : ((const double *)matrix->filter)[9 * f + e];
        }
    }
    return twin;
}

static void twin_end(Twin *twin)
{
    free(twin->start);
    free(twin->column);
    free(twin->block);
    free(twin->filter);
}

// y[i] = P_i (D y[i] + sign sum of A_ij x[j] over the columns on one side of the diagonal, or both)
static void twin_row(const Twin *twin, int32_t i, double sign, bool below, bool above,
                     const double *x, double *y)
{
    double sum[3] = {y[4 * (int64_t)i], y[4 * (int64_t)i + 1], y[4 * (int64_t)i + 2]};
    for (int64_t k = twin->start[i]; k < twin->start[i + 1]; ++k) {
        int32_t j = twin->column[k];
        for (int e = 0; (j < i ? below : above) && e < 9; ++e) {
            sum[e / 3] += sign * twin->block[k][e] * x[4 * (int64_t)j + e % 3];
        }
    }
    for (int r = 0; r < 3; ++r) {
        const double *P = twin->filter[i] + 3 * r;
        y[4 * (int64_t)i + r] = P[0] * sum[0] + P[1] * sum[1] + P[2] * sum[2];
    }
}

// z = (I + L)^-T (I + L)^-1 r, row after row
static void twin_precondition(const Twin *twin, const double *r, double *z)
{
    memcpy(z, r, 4 * (size_t)twin->rows * sizeof *z);
    for (int32_t i = 0; i < twin->rows; ++i) {
        twin_row(twin, i, -1, true, false, z, z);
    }
    for (int32_t i = twin->rows - 1; i >= 0; --i) {
        twin_row(twin, i, -1, false, true, z, z);
    }
}

// y = P (I + L + L^T) x
static void twin_product(const Twin *twin, const double *x, double *y)
{
    memcpy(y, x, 4 * (size_t)twin->rows * sizeof *y);
    for (int32_t i = 0; i < twin->rows; ++i) {
        twin_row(twin, i, 1, true, true, x, y);
    }
}

// ---- a body and its copy ------------------------------------------------------------------------

typedef struct Case {
    Body body;
    LyraBlockMatrix *S;
    LyraConstraints *set;
    LyPcgMatrix *matrix;
    LyPcgInner inner;
    Twin twin;
    size_t bytes; // of a vector
} Case;

static void case_end(Case *it)
{
    void *vectors[] = {it->inner.x, it->inner.r, it->inner.z, it->inner.p, it->inner.q};
    for (int32_t i = 0; i < LY_COUNT_OF(vectors); ++i) {
        free(vectors[i]);
    }
    twin_end(&it->twin);
    ly_pcg_matrix_destroy(it->matrix);
    lyra_constraints_destroy(it->set);
    lyra_block_matrix_destroy(it->S);
    body_end(&it->body);
}

static void case_create(LyraContext *ctx, int32_t nx, int32_t nyz, bool single, BodyCase held,
                        Case *it)
{
    *it = (Case){.body = body_box(ctx, nx, nyz, nyz)};
    it->S = body_dynamics(&it->body, 0.003);
    TEST_REQUIRE_OK(lyra_constraints_create(ctx, it->body.size, &it->set));
    body_constrain(&it->body, held, it->set);
    TEST_REQUIRE_OK(ly_pcg_matrix_create(ctx, lyra_block_matrix_pattern(it->S), it->body.positions,
                                         LY_PCG_SSOR, single, true, &it->matrix));
    TEST_REQUIRE_OK(ly_pcg_matrix_set(it->matrix, it->S, it->set));
    it->twin = twin_of(it->matrix, it->S);
    it->bytes = 4 * (size_t)it->twin.rows * sizeof(double);
    it->inner.matrix = it->matrix;
    void **vectors[] = {&it->inner.x, &it->inner.r, &it->inner.z, &it->inner.p, &it->inner.q};
    for (int32_t i = 0; i < LY_COUNT_OF(vectors); ++i) {
        *vectors[i] = body_allocate(4 * (int64_t)it->twin.rows, sizeof(double));
    }
}

// random numbers that the filter lets through
static double *random_vector(const Twin *twin, uint64_t seed)
{
    double *x = body_random(4 * (int64_t)twin->rows, seed);
    for (int32_t i = 0; i < twin->rows; ++i) {
        x[4 * (int64_t)i + 3] = 0;
        twin_row(twin, i, 0, false, false, x, x);
    }
    return x;
}

// a box of two domains and one of four, whose separators are halved
static const int32_t sizes[2][3] = {{15, 15, 2}, {40, 12, 4}};

LYRA_TEST(sweeps_are_those_of_all_rows_in_order)
{
    LyraContext *ctx = test_context(3, LYRA_ISA_AUTO);
    for (int k = 0; k < 8; ++k) {
        bool single = k % 2 == 1;
        Case it;
        case_create(ctx, sizes[k / 4][0], sizes[k / 4][1], single,
                    k / 2 % 2 ? BODY_SLANTED : BODY_FIXED, &it);
        TEST_EQUAL(it.matrix->colours, 3);
        TEST_EQUAL(it.matrix->shares, sizes[k / 4][2]);
        double *r = random_vector(&it.twin, 5), *z = body_allocate((int64_t)it.bytes, 1);
        twin_precondition(&it.twin, r, z);
        double *found = body_allocate((int64_t)it.bytes, 1);
        for (int64_t i = 0; single && i < 4 * (int64_t)it.twin.rows; ++i) {
            ((float *)it.inner.r)[i] = (float)r[i];
        }
        ly_pcg_precondition(ctx, &it.inner, single ? it.inner.r : r, single ? it.inner.z : found);
        for (int64_t i = 0; single && i < 4 * (int64_t)it.twin.rows; ++i) {
            found[i] = ((float *)it.inner.z)[i];
        }
        double error = body_distance(4 * (int64_t)it.twin.rows, found, z);
        // rounding of sums of some twenty terms
        TEST_CHECK_MSG(error <= (single ? 1e-6 : 1e-15) * test_tolerance_scale(),
                       "case %d: off by %g", k, error);
        free(found);
        free(z);
        free(r);
        case_end(&it);
    }
    test_context_end(ctx);
}

LYRA_TEST(every_domain_is_in_one_share)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < 2; ++k) {
        Case it;
        case_create(ctx, sizes[k][0], sizes[k][1], true, BODY_NONE, &it);
        const LyPcgMatrix *matrix = it.matrix;
        int32_t seen[LY_PCG_DOMAINS_MAX] = {0};
        for (int32_t s = 0; s < matrix->shares; ++s) {
            int32_t rows = 0;
            for (int32_t d = s; d >= 0; d = matrix->share_next[d]) {
                ++seen[d];
                rows += matrix->domain_begin[d + 1] - matrix->domain_begin[d];
            }
            // about one size
            TEST_CHECK_MSG(abs(rows * matrix->shares - matrix->rows) < matrix->rows / 8,
                           "share %d of %d: %d rows", (int)s, (int)matrix->shares, (int)rows);
        }
        for (int32_t d = 0; d < matrix->domains; ++d) {
            TEST_EQUAL(seen[d], 1);
        }
        case_end(&it);
    }
    test_context_end(ctx);
}

static double dot(int64_t count, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// x after `steps` of preconditioned conjugate gradients on A~ x = b
static void twin_solve(const Twin *twin, const double *b, int32_t steps, double *x)
{
    int64_t count = 4 * (int64_t)twin->rows;
    double *r = body_allocate(count, sizeof *r), *z = body_allocate(count, sizeof *z);
    double *p = body_allocate(count, sizeof *p), *q = body_allocate(count, sizeof *q), rz = 1;
    memcpy(r, b, (size_t)count * sizeof *r);
    memset(x, 0, (size_t)count * sizeof *x);
    for (int32_t k = 0; k < steps; ++k) {
        twin_precondition(twin, r, z);
        double before = rz;
        rz = dot(count, r, z);
        for (int64_t i = 0; i < count; ++i) {
            p[i] = z[i] + (k > 0 ? rz / before : 0) * p[i];
        }
        twin_product(twin, p, q);
        double alpha = rz / dot(count, p, q);
        for (int64_t i = 0; i < count; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
    }
    free(r);
    free(z);
    free(p);
    free(q);
}

LYRA_TEST(iterates_are_those_of_conjugate_gradients)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    Case it;
    case_create(ctx, sizes[0][0], sizes[0][1], false, BODY_FIXED, &it);
    int64_t count = 4 * (int64_t)it.twin.rows;
    double *b = random_vector(&it.twin, 8), *x = body_allocate(count, sizeof *x);
    static const int32_t steps[] = {1, 2, 3, 7, 12};
    for (int k = 0; k < LY_COUNT_OF(steps); ++k) {
        memcpy(it.inner.r, b, it.bytes);
        it.inner.iterations_max = steps[k];
        TEST_EQUAL(ly_pcg_inner(ctx, &it.inner), LY_PCG_LIMIT);
        TEST_EQUAL(it.inner.iterations, steps[k]);
        twin_solve(&it.twin, b, steps[k], x);
        double error = body_distance(count, it.inner.x, x);
        // rounding, which grows by the steps
        TEST_CHECK_MSG(error <= 1e-13 * test_tolerance_scale(), "%d steps: off by %g",
                       (int)steps[k], error);
    }
    // and it ends where the residual is met, not before and not much later
    memcpy(it.inner.r, b, it.bytes);
    it.inner.iterations_max = 200;
    it.inner.target = 1e-6 * sqrt(dot(count, b, b));
    TEST_EQUAL(ly_pcg_inner(ctx, &it.inner), LY_PCG_MET);
    for (int32_t early = 0; early < 2; ++early) {
        twin_solve(&it.twin, b, it.inner.iterations - early, x);
        double *q = body_allocate(count, sizeof *q), norm = 0;
        twin_product(&it.twin, x, q);
        for (int64_t i = 0; i < count; ++i) {
            q[i] = b[i] - q[i];
        }
        for (int32_t i = 0; i < it.twin.rows; ++i) {
            const double *C = it.matrix->root + 9 * (int64_t)i, *v = q + 4 * (int64_t)i;
            for (int e = 0; e < 3; ++e) {
                double c = C[3 * e] * v[0] + C[3 * e + 1] * v[1] + C[3 * e + 2] * v[2];
                norm += c * c;
            }
        }
        TEST_CHECK((sqrt(norm) <= it.inner.target) == (early == 0));
        free(q);
    }
    free(x);
    free(b);
    case_end(&it);
    test_context_end(ctx);
}

// ---- bits ---------------------------------------------------------------------------------------

#define BITS_SIZE (3 * 16 * 16 * 16)

static void solve_bits(LyraContext *ctx, void *data, void *out)
{
    (void)data;
    Case it;
    case_create(ctx, 15, 15, true, BODY_FIXED, &it);
    LyraOperator A = lyra_operator_block(it.S, true);
    LyraSolver *solver = NULL;
    LyraSolverDef def = lyra_solver_def_default();
    def.name = "pcg";
    def.preconditioner = "ssor";
    def.positions = it.body.positions;
    def.tolerance = 1e-7;
    double *b = body_random(BITS_SIZE, 1);
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    TEST_OK(lyra_solver_analyze(solver, &A, it.set));
    TEST_OK(lyra_solver_factor(solver, &A));
    TEST_OK(lyra_solver_solve(solver, b, false, out, NULL));
    free(b);
    lyra_solver_destroy(solver);
    case_end(&it);
}

LYRA_TEST(halved_separators_have_the_same_bits)
{
    test_same_bits(solve_bits, NULL, BITS_SIZE * sizeof(double));
}
