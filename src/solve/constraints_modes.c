// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rigid motions that constraints leave to the parts of a body, and whether a matrix resists them.
//
// A part is a set of vertices that the pattern connects. With c its centre and L its radius, a
// rigid motion with velocity v of the centre and angular velocity w / L moves vertex p by
//
//   u_p = v + w x (p - c) / L = [I, -[(p - c) / L]x] z,   z = (v, w),
//
// in which all numbers are of one kind, whatever the unit of length. Some z move nothing: all
// rotations of a single vertex, that about its line of a row of vertices. They are the null space
// of G = sum |.|^2 over the vertices of the rotational columns and are left out beforehand: w is
// sought as Q q with the eigenvectors of G that are not null. A direction n at p forbids
// n . u_p, one row of a matrix with six columns at most; rows are turned into a triangle of six by
// Givens rotations as they come [GVL13, section 5.1.8], which keeps what squares would lose. The
// free motions are the null space of the triangle, by its singular values.
//
// That space is then given a basis that reads well: first motions without rotation, by reduced
// echelon form on v, then one for each rotation, by reduced echelon form on w; so a body free to
// slide in x and y has modes along x and y, not along two diagonals.

#include "base/forest.h"
#include "solve/front.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// what a singular value, of rows of length about 1, must exceed to hold something
#define HELD 1e-9
// the same for a row of vertices: thinner than this of its length, it is a line
#define LINE 1e-6
// what a matrix must answer to a rigid motion, as a part of its row sums, to resist it
#define RESISTED 1e-10

// ---- parts --------------------------------------------------------------------------------------

typedef struct Parts {
    int32_t count;
    int32_t *start;  // first place in `vertex` of each part, [count + 1]
    int32_t *vertex; // by part, ascending in each, [vertices]
} Parts;

static void drop_parts(LyraContext *ctx, Parts *parts)
{
    ly_release(ctx, parts->start);
    ly_release(ctx, parts->vertex);
}

// parts in the order of their lowest vertices
static LyraStatus find_parts(LyraContext *ctx, const LyraBlockPatternView *pattern, Parts *out)
{
    int32_t count = pattern->row_count, *parent = NULL, *number = NULL;
    LyraStatus status = LYRA_OK;
    Parts parts = {0};
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &parent));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &number));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &parts.vertex));
    for (int32_t v = 0; v < count; ++v) {
        parent[v] = v;
    }
    // the lower root wins, so a root is the lowest vertex of its part
    for (int32_t i = 0; i < count; ++i) {
        for (int64_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; ++k) {
            ly_forest_join(parent, i, pattern->column[k]);
        }
    }
    for (int32_t v = 0; v < count; ++v) {
        int32_t root = ly_forest_root(parent, v);
        number[v] = root == v ? parts.count++ : number[root];
    }
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)parts.count + 1, sizeof(int32_t), &parts.start));
    // counting sort by part
    for (int32_t v = 0; v < count; ++v) {
        ++parts.start[number[v]];
    }
    for (int32_t p = 0, sum = 0; p <= parts.count; ++p) {
        sum += parts.start[p];
        parts.start[p] = sum;
    }
    for (int32_t v = count - 1; v >= 0; --v) {
        parts.vertex[--parts.start[number[v]]] = v;
    }
    *out = parts;
    parts = (Parts){0};
done:
    drop_parts(ctx, &parts);
    ly_release(ctx, parent);
    ly_release(ctx, number);
    return status;
}

// ---- motions of a part --------------------------------------------------------------------------

typedef struct Frame {
    double centre[3];
    double radius; // 1 for a single vertex
    double noise;  // rounding of (p - c) / L
    int32_t rotations;
    double Q[9]; // rotations that move something, in columns [3][rotations]
} Frame;

// u = w x (p - c) / L
static void turn(const Frame *frame, const double *p, const double w[3], double u[3])
{
    double r[3];
    for (int32_t i = 0; i < 3; ++i) {
        r[i] = (p[i] - frame->centre[i]) / frame->radius;
    }
    u[0] = w[1] * r[2] - w[2] * r[1];
    u[1] = w[2] * r[0] - w[0] * r[2];
    u[2] = w[0] * r[1] - w[1] * r[0];
}

// whether a vertex is a place that rigid motions move
static bool is_place(const LyraConstraints *constraints, int32_t vertex)
{
    return !constraints || !constraints->scalar || !constraints->scalar[vertex];
}

static LyraStatus find_frame(LyraContext *ctx, const LyraConstraints *constraints, int32_t count,
                             const int32_t *vertex, const double *positions, Frame *frame)
{
    *frame = (Frame){.radius = 1.0};
    double reach = 0.0, radius = 0.0, G[9] = {0}, values[3], vectors[9];
    int32_t places = 0;
    for (int32_t k = 0; k < count; ++k) {
        places += is_place(constraints, vertex[k]);
    }
    for (int32_t k = 0; k < count; ++k) {
        for (int32_t i = 0; is_place(constraints, vertex[k]) && i < 3; ++i) {
            frame->centre[i] += positions[3 * (int64_t)vertex[k] + i] / places;
        }
    }
    for (int32_t k = 0; k < count; ++k) {
        if (!is_place(constraints, vertex[k])) {
            continue;
        }
        const double *p = positions + 3 * (int64_t)vertex[k];
        double square = 0.0;
        for (int32_t i = 0; i < 3; ++i) {
            square += (p[i] - frame->centre[i]) * (p[i] - frame->centre[i]);
            reach = fmax(reach, fabs(p[i]));
        }
        radius = fmax(radius, sqrt(square));
    }
    // vertices that all stand at one place are one vertex
    if (radius <= 1e-14 * reach) {
        return LYRA_OK;
    }
    frame->radius = radius;
    frame->noise = 4e-15 * reach / radius;
    for (int32_t k = 0; k < count; ++k) {
        if (!is_place(constraints, vertex[k])) {
            continue;
        }
        double r[3], square = 0.0;
        for (int32_t i = 0; i < 3; ++i) {
            r[i] = (positions[3 * (int64_t)vertex[k] + i] - frame->centre[i]) / radius;
            square += r[i] * r[i];
        }
        // |w x r|^2 = w^T (|r|^2 I - r r^T) w
        for (int32_t e = 0; e < 9; ++e) {
            G[e] += (e % 4 == 0 ? square : 0.0) - r[e / 3] * r[e % 3];
        }
    }
    LY_TRY(lyra_dense_eigen(ctx, 3, G, values, vectors));
    double limit = (LINE + frame->noise) * (LINE + frame->noise) * values[2];
    for (int32_t k = 0; k < 3; ++k) {
        if (values[k] > limit) {
            memcpy(frame->Q + 3 * frame->rotations++, vectors + 3 * k, 3 * sizeof(double));
        }
    }
    return LYRA_OK;
}

// turns one more row into the upper triangle R, [6][6] row-major
static void insert_row(int32_t columns, double *row, double R[36])
{
    for (int32_t j = 0; j < columns; ++j) {
        if (row[j] == 0.0) {
            continue;
        }
        double length = hypot(R[7 * j], row[j]), c = R[7 * j] / length, s = row[j] / length;
        for (int32_t k = j; k < columns; ++k) {
            double upper = R[6 * j + k], lower = row[k];
            R[6 * j + k] = c * upper + s * lower;
            row[k] = c * lower - s * upper;
        }
    }
}

// largest entry of column j of rows [row, count) of Z [count][6]
static int32_t largest_row(int32_t count, int32_t row, int32_t j, const double Z[36])
{
    int32_t best = row;
    for (int32_t r = row + 1; r < count; ++r) {
        best = fabs(Z[6 * r + j]) > fabs(Z[6 * best + j]) ? r : best;
    }
    return best;
}

// Reduced echelon form of rows [begin, count) of Z [count][6] by three columns from `first`. Pivots
// are taken in the order of columns where they are within half of the largest, so that axes come in
// order. Returns the row after the last with a pivot.
static int32_t reduce_rows(int32_t count, int32_t begin, int32_t first, double Z[36])
{
    bool taken[3] = {false};
    for (int32_t row = begin; row < count; ++row) {
        double largest = 0.0;
        int32_t pivot = -1;
        for (int32_t pass = 0; pass < 2; ++pass) {
            for (int32_t j = 0; j < 3 && pivot < 0; ++j) {
                double size = fabs(Z[6 * largest_row(count, row, first + j, Z) + first + j]);
                if (pass == 0 && !taken[j]) {
                    largest = fmax(largest, size);
                } else if (pass == 1 && !taken[j] && size > 1e-6 && size >= 0.5 * largest) {
                    pivot = j;
                }
            }
        }
        if (pivot < 0) {
            return row;
        }
        taken[pivot] = true;
        int32_t source = largest_row(count, row, first + pivot, Z);
        double scale = Z[6 * source + first + pivot];
        for (int32_t k = 0; k < 6; ++k) {
            double moved = Z[6 * source + k];
            Z[6 * source + k] = Z[6 * row + k];
            Z[6 * row + k] = moved / scale;
        }
        for (int32_t r = begin; r < count; ++r) {
            double factor = r == row ? 0.0 : Z[6 * r + first + pivot];
            for (int32_t k = 0; k < 6; ++k) {
                Z[6 * r + k] -= factor * Z[6 * row + k];
            }
        }
    }
    return count;
}

// v -= sum t (t . v) over orthonormal rows of T [count][3]
static void remove_parts(int32_t count, const double *T, double *v)
{
    for (int32_t k = 0; k < count; ++k, T += 3) {
        double part = T[0] * v[0] + T[1] * v[1] + T[2] * v[2];
        for (int32_t i = 0; i < 3; ++i) {
            v[i] -= part * T[i];
        }
    }
}

// writes motions z, rows of Z [count][6] that span a space, as modes that read well
static void write_modes(const Frame *frame, int32_t vertex, int32_t count, double Z[36],
                        LyraFreeMode *modes)
{
    // rows with rotation first, orthogonal to the others at the end
    int32_t turning = reduce_rows(count, 0, 3, Z);
    reduce_rows(count, turning, 0, Z);
    // translations out of what turns, so that a rotation is about the centre where it may be
    double T[9];
    for (int32_t t = turning; t < count; ++t) {
        double *row = T + 3 * (t - turning);
        memcpy(row, Z + 6 * t, 3 * sizeof(double));
        remove_parts(t - turning, T, row);
        double length = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        for (int32_t i = 0; i < 3; ++i) {
            row[i] /= length;
        }
    }
    for (int32_t r = 0; r < turning; ++r) {
        remove_parts(count - turning, T, Z + 6 * r);
    }
    for (int32_t k = 0; k < count; ++k) {
        // translations first
        const double *z = Z + 6 * ((turning + k) % count);
        bool turns = k >= count - turning;
        LyraFreeMode *mode = modes + k;
        *mode = (LyraFreeMode){.vertex = vertex};
        memcpy(mode->centre, frame->centre, sizeof mode->centre);
        double length = 0.0;
        for (int32_t i = 0; i < 3; ++i) {
            double part = turns ? z[3 + i] / frame->radius : z[i];
            length += part * part;
        }
        length = sqrt(length);
        // rounding, as a part of what moves, is not shown
        double scale = turns ? length * frame->radius : length;
        for (int32_t i = 0; i < 3; ++i) {
            mode->velocity[i] = fabs(z[i]) > 1e-9 * scale ? z[i] / length : 0.0;
            bool much = turns && fabs(z[3 + i]) > 1e-9 * scale;
            mode->rotation[i] = much ? z[3 + i] / frame->radius / length : 0.0;
        }
    }
}

// Free motions of one part: up to 6
static LyraStatus part_modes(LyraContext *ctx, const LyraConstraints *constraints, int32_t count,
                             const int32_t *vertex, const double *positions, Frame *frame,
                             LyraFreeMode modes[6], int32_t *mode_count)
{
    LY_TRY(find_frame(ctx, constraints, count, vertex, positions, frame));
    int32_t columns = 3 + frame->rotations;
    double R[36] = {0}, s[6], V[36], Z[36] = {0};
    for (int32_t k = 0; constraints && k < count; ++k) {
        const double *p = positions + 3 * (int64_t)vertex[k];
        int32_t held = is_place(constraints, vertex[k]) ? constraints->held[vertex[k]] : 0;
        int32_t begin = held ? ly_constraints_begin(constraints, vertex[k]) : 0;
        for (int32_t d = begin; d < begin + held; ++d) {
            const double *n = constraints->direction + 3 * (int64_t)d;
            double row[6] = {n[0], n[1], n[2]}, u[3];
            for (int32_t q = 0; q < frame->rotations; ++q) {
                turn(frame, p, frame->Q + 3 * q, u);
                row[3 + q] = n[0] * u[0] + n[1] * u[1] + n[2] * u[2];
            }
            insert_row(columns, row, R);
        }
    }
    // R, packed column-major
    double A[36];
    for (int32_t e = 0; e < columns * columns; ++e) {
        A[e] = R[6 * (e % columns) + e / columns];
    }
    LY_TRY(lyra_dense_svd(ctx, columns, columns, A, NULL, s, V));
    *mode_count = 0;
    for (int32_t k = 0; k < columns; ++k) {
        if (s[k] > HELD + frame->noise) {
            continue;
        }
        double *z = Z + 6 * (*mode_count)++;
        const double *v = V + (int64_t)columns * k;
        memcpy(z, v, 3 * sizeof(double));
        for (int32_t q = 0; q < frame->rotations; ++q) {
            for (int32_t i = 0; i < 3; ++i) {
                z[3 + i] += v[3 + q] * frame->Q[3 * q + i];
            }
        }
    }
    write_modes(frame, vertex[0], *mode_count, Z, modes);
    return LYRA_OK;
}

static LyraStatus check_sizes(const LyraConstraints *constraints,
                              const LyraBlockPatternView *pattern)
{
    if (constraints && constraints->size != 3 * (int64_t)pattern->row_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "free modes: constraints over %d unknowns for %d vertices",
                       (int)constraints->size, (int)pattern->row_count);
    }
    return LYRA_OK;
}

LyraStatus lyra_constraints_free_modes(LyraContext *ctx, const LyraConstraints *constraints,
                                       const LyraBlockPattern *pattern, const double *positions,
                                       int32_t capacity, LyraFreeMode *modes, int32_t *count)
{
    LYRA_ASSERT(ctx && pattern && count && (modes || capacity <= 0));
    LyraBlockPatternView view = lyra_block_pattern_view(pattern);
    LYRA_ASSERT(positions || view.row_count == 0);
    LY_TRY(check_sizes(constraints, &view));
    if (capacity < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "free modes: room for %d of them", (int)capacity);
    }
    int64_t bad = ly_find_not_finite(ctx, 3 * (int64_t)view.row_count, positions);
    if (bad >= 0) {
        return ly_fail(LYRA_NOT_FINITE, "free modes: position %lld of vertex %lld is %g",
                       (long long)(bad % 3), (long long)(bad / 3), positions[bad]);
    }
    LyraStatus status = LYRA_OK;
    Parts parts = {0};
    int64_t total = 0;
    LY_TRY(find_parts(ctx, &view, &parts));
    // twice, so that a failure leaves `modes` as it was
    for (int32_t pass = 0; pass < 2; ++pass) {
        total = 0;
        for (int32_t p = 0; p < parts.count; ++p) {
            LyraFreeMode found[6];
            Frame frame;
            int32_t begin = parts.start[p], free_count = 0;
            LY_TRY_DONE(part_modes(ctx, constraints, parts.start[p + 1] - begin,
                                   parts.vertex + begin, positions, &frame, found, &free_count));
            for (int32_t k = 0; k < free_count; ++k, ++total) {
                if (pass == 1 && total < capacity) {
                    modes[total] = found[k];
                }
            }
        }
        if (total > INT32_MAX) {
            LY_TRY_DONE(ly_fail(LYRA_TOO_LARGE, "free modes: more than 2^31 - 1"));
        }
    }
    *count = (int32_t)total;
done:
    drop_parts(ctx, &parts);
    return status;
}

// ---- what a matrix resists ----------------------------------------------------------------------

// the free modes of a body by part, and their motions: [6][size], mode m of every part in row m
typedef struct Motions {
    Parts parts;
    int32_t *count;      // modes of each part
    LyraFreeMode *modes; // [parts][6]
    Frame *frames;
    double *u, *Au;  // [6][size]
    double *row_sum; // of magnitudes, by block row, [vertices]
} Motions;

static void drop_motions(LyraContext *ctx, Motions *motions)
{
    drop_parts(ctx, &motions->parts);
    ly_release(ctx, motions->count);
    ly_release(ctx, motions->modes);
    ly_release(ctx, motions->frames);
    ly_release(ctx, motions->u);
    ly_release(ctx, motions->Au);
    ly_release(ctx, motions->row_sum);
}

// finds the free modes of all parts; `total`: how many
static LyraStatus find_motions(LyraContext *ctx, const LyraBlockPatternView *pattern,
                               const LyraConstraints *constraints, const double *positions,
                               Motions *motions, int64_t *total)
{
    *total = 0;
    LY_TRY(find_parts(ctx, pattern, &motions->parts));
    const Parts *parts = &motions->parts;
    int64_t count = parts->count;
    LY_TRY(ly_allocate_array(ctx, count, sizeof(int32_t), &motions->count));
    LY_TRY(ly_allocate_array(ctx, 6 * count, sizeof(LyraFreeMode), &motions->modes));
    LY_TRY(ly_allocate_array(ctx, count, sizeof(Frame), &motions->frames));
    for (int32_t p = 0; p < count; ++p) {
        int32_t begin = parts->start[p];
        LY_TRY(part_modes(ctx, constraints, parts->start[p + 1] - begin, parts->vertex + begin,
                          positions, motions->frames + p, motions->modes + 6 * (int64_t)p,
                          motions->count + p));
        *total += motions->count[p];
    }
    return LYRA_OK;
}

// u and P A u of all modes, and sums of magnitudes of the rows
static LyraStatus move_all(LyraContext *ctx, const LyraOperator *A,
                           const LyraConstraints *constraints, const double *positions,
                           Motions *motions)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(A->block));
    const double *values = lyra_block_matrix_values(A->block);
    int64_t size = A->size;
    LY_TRY(ly_allocate_zeroed(ctx, 6 * size, sizeof(double), &motions->u));
    LY_TRY(ly_allocate_array(ctx, 6 * size, sizeof(double), &motions->Au));
    LY_TRY(ly_allocate_zeroed(ctx, view.row_count, sizeof(double), &motions->row_sum));
    for (int32_t i = 0; i < view.row_count; ++i) {
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; ++k) {
            double sum = 0.0;
            for (int32_t e = 0; e < 9; ++e) {
                sum += fabs(values[9 * k + e]);
            }
            motions->row_sum[i] += sum;
            if (view.storage == LYRA_STORAGE_UPPER && view.column[k] != i) {
                motions->row_sum[view.column[k]] += sum;
            }
        }
    }
    const Parts *parts = &motions->parts;
    for (int32_t p = 0; p < parts->count; ++p) {
        for (int32_t m = 0; m < motions->count[p]; ++m) {
            const LyraFreeMode *mode = motions->modes + 6 * (int64_t)p + m;
            Frame frame = {.radius = 1.0};
            memcpy(frame.centre, mode->centre, sizeof frame.centre);
            for (int32_t k = parts->start[p]; k < parts->start[p + 1]; ++k) {
                int64_t v = parts->vertex[k];
                double turned[3];
                turn(&frame, positions + 3 * v, mode->rotation, turned);
                for (int32_t i = 0; is_place(constraints, (int32_t)v) && i < 3; ++i) {
                    motions->u[m * size + 3 * v + i] = mode->velocity[i] + turned[i];
                }
            }
        }
    }
    for (int32_t m = 0; m < 6; ++m) {
        lyra_operator_apply(A, motions->u + m * size, motions->Au + m * size);
        if (constraints) {
            lyra_constraints_project(constraints, motions->Au + m * size);
        }
    }
    return LYRA_OK;
}

// replaces the modes of part p by those that the matrix does not resist; `W` has room for
// [6][3 vertices of the part]
static LyraStatus keep_unresisted(LyraContext *ctx, Motions *motions, int64_t size, int32_t p,
                                  double *W)
{
    const Frame *frame = motions->frames + p;
    LyraFreeMode *modes = motions->modes + 6 * (int64_t)p;
    int32_t begin = motions->parts.start[p], count = motions->parts.start[p + 1] - begin;
    int32_t columns = motions->count[p];
    double scale[6], s[6], V[36], Z[36] = {0}, sums = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        double sum = motions->row_sum[motions->parts.vertex[begin + k]];
        sums += sum * sum;
    }
    for (int32_t m = 0; m < columns; ++m) {
        double reach = 0.0;
        for (int32_t e = 0; e < 3 * count; ++e) {
            int64_t place = 3 * (int64_t)motions->parts.vertex[begin + e / 3] + e % 3;
            W[e + (int64_t)m * 3 * count] = motions->Au[m * size + place];
            reach = fmax(reach, fabs(motions->u[m * size + place]));
        }
        scale[m] = reach;
        for (int32_t e = 0; sums > 0.0 && e < 3 * count; ++e) {
            W[e + (int64_t)m * 3 * count] /= reach * sqrt(sums);
        }
    }
    LY_TRY(lyra_dense_svd(ctx, 3 * count, columns, W, NULL, s, V));
    int32_t kept = 0;
    for (int32_t j = 0; j < columns; ++j) {
        if (s[j] > RESISTED + frame->noise) {
            continue;
        }
        double *z = Z + 6 * kept++;
        for (int32_t m = 0; m < columns; ++m) {
            double part = V[m + (int64_t)j * columns] / scale[m];
            for (int32_t i = 0; i < 3; ++i) {
                z[i] += part * modes[m].velocity[i];
                z[3 + i] += part * modes[m].rotation[i] * frame->radius;
            }
        }
        double length = 0.0;
        for (int32_t i = 0; i < 6; ++i) {
            length += z[i] * z[i];
        }
        for (int32_t i = 0; i < 6; ++i) {
            z[i] /= sqrt(length);
        }
    }
    write_modes(frame, modes[0].vertex, kept, Z, modes);
    motions->count[p] = kept;
    return LYRA_OK;
}

// a mode of a part of this radius in words; returns the characters written
static int describe(const LyraFreeMode *mode, double radius, size_t capacity, char *text)
{
    const double *v = mode->velocity, *w = mode->rotation;
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    if (square == 0.0) {
        return snprintf(text, capacity, "translation along (%.3g, %.3g, %.3g)", v[0], v[1], v[2]);
    }
    // the axis passes through c + w x v / |w|^2, and v . w / |w|^2 is the advance per radian
    double axis[3], advance = (v[0] * w[0] + v[1] * w[1] + v[2] * w[2]) / square, reach = radius;
    for (int32_t i = 0; i < 3; ++i) {
        int32_t j = (i + 1) % 3, k = (i + 2) % 3;
        axis[i] = mode->centre[i] + (w[j] * v[k] - w[k] * v[j]) / square;
        reach = fmax(reach, fabs(axis[i]));
    }
    for (int32_t i = 0; i < 3; ++i) {
        axis[i] = fabs(axis[i]) > 1e-9 * reach ? axis[i] : 0.0;
    }
    const char *kind = fabs(advance) > 1e-9 * reach ? "screw motion" : "rotation";
    return snprintf(text, capacity,
                    "%s about the axis along (%.3g, %.3g, %.3g) through (%.4g, %.4g, %.4g)", kind,
                    w[0], w[1], w[2], axis[0], axis[1], axis[2]);
}

// the least label of a part
static int64_t part_label(const Parts *parts, int32_t p, const int32_t *labels)
{
    int64_t least = INT64_MAX;
    for (int32_t i = parts->start[p]; i < parts->start[p + 1]; ++i) {
        least = ly_min_i64(least, ly_vertex_label(labels, parts->vertex[i]));
    }
    return least;
}

static LyraStatus fail_free(const Motions *motions, int64_t total, bool constrained,
                            const int32_t *labels)
{
    enum { SHOWN = 6 };
    char text[800];
    size_t length = 0;
    int64_t shown = 0;
    for (int32_t p = 0; p < motions->parts.count && shown < SHOWN; ++p) {
        for (int32_t m = 0; m < motions->count[p] && shown < SHOWN; ++m, ++shown) {
            const LyraFreeMode *mode = motions->modes + 6 * (int64_t)p + m;
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s", shown == 0 ? "" : ", ");
            length += (size_t)describe(mode, motions->frames[p].radius, sizeof text - length,
                                       text + length);
            if (m + 1 == motions->count[p] && motions->parts.count > 1) {
                length += (size_t)snprintf(text + length, sizeof text - length,
                                           " of the part at vertex %lld",
                                           (long long)part_label(&motions->parts, p, labels));
            }
        }
    }
    char more[48] = "";
    if (total > shown) {
        snprintf(more, sizeof more, ", and %lld more", (long long)(total - shown));
    }
    return ly_fail(LYRA_SINGULAR, "statics: %s %lld rigid motion%s free: %s%s",
                   constrained ? "the constraints leave" : "without constraints the matrix leaves",
                   (long long)total, total == 1 ? "" : "s", text, more);
}

LyraStatus ly_check_held(LyraContext *ctx, const LyraOperator *A,
                         const LyraConstraints *constraints, const double *positions,
                         const int32_t *labels, bool *always)
{
    LyraBlockPatternView view = lyra_block_pattern_view(lyra_block_matrix_pattern(A->block));
    LyraStatus status = LYRA_OK;
    Motions motions = {0};
    double *W = NULL;
    int64_t total = 0, largest = 0;
    LY_TRY_DONE(check_sizes(constraints, &view));
    LY_TRY_DONE(find_motions(ctx, &view, constraints, positions, &motions, &total));
    *always = total == 0;
    if (total > 0) {
        LY_TRY_DONE(move_all(ctx, A, constraints, positions, &motions));
        for (int32_t p = 0; p < motions.parts.count; ++p) {
            largest = ly_max_i64(largest, motions.parts.start[p + 1] - motions.parts.start[p]);
        }
        LY_TRY_DONE(ly_allocate_array(ctx, 18 * largest, sizeof(double), &W));
        total = 0;
        for (int32_t p = 0; p < motions.parts.count; ++p) {
            if (motions.count[p] > 0) {
                LY_TRY_DONE(keep_unresisted(ctx, &motions, A->size, p, W));
            }
            total += motions.count[p];
        }
    }
    if (total > 0) {
        status = fail_free(&motions, total, constraints != NULL, labels);
    }
done:
    drop_motions(ctx, &motions);
    ly_release(ctx, W);
    return status;
}
