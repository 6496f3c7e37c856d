// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sets of constraints: directions by vertex, their values, projection and reactions.
//
// Directions stand in one list that ascends by vertex; those of one vertex are orthonormal, in the
// order in which they came. A new direction d loses its parts along those that are there,
//
//   d <- d - sum n (n . d),
//
// twice, since the first pass leaves rounding of the size of what it took away, and twice is enough
// [GVL13, section 5.2]. What is left of a unit vector below 1e-8 counts as spanned: closer to the
// others than that, a direction would be rounding. A direction along an axis, of a vertex that has
// none or other axes, comes out exact, so that fixed dofs cost no digits.
//
// Changes in bulk mark vertices first and then merge from the end of the list in one pass, so that
// fixing n dofs in any order takes time linear in n and in the range of their vertices.

#include "solve/constraints.h"
#include "math/vec3.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>

// what counts as spanned by the other directions of a vertex, of a unit vector
#define SPANNED 1e-8

LyraStatus lyra_constraints_create(LyraContext *ctx, int32_t size, LyraConstraints **out)
{
    LYRA_ASSERT(ctx && out);
    if (size < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "constraints over %d unknowns", (int)size);
    }
    LyraStatus status = LYRA_OK;
    LyraConstraints *constraints = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *constraints, &constraints));
    constraints->ctx = ctx;
    constraints->size = size;
    constraints->vertex_count = size / 3 + (size % 3 != 0);
    constraints->version = 1;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, constraints->vertex_count, 1, &constraints->held));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, constraints->vertex_count, 1, &constraints->mark));
    *out = constraints;
    return LYRA_OK;
done:
    lyra_constraints_destroy(constraints);
    return status;
}

void lyra_constraints_destroy(LyraConstraints *constraints)
{
    if (constraints) {
        LyraContext *ctx = constraints->ctx;
        ly_release(ctx, constraints->vertex);
        ly_release(ctx, constraints->direction);
        ly_release(ctx, constraints->value);
        ly_release(ctx, constraints->held);
        ly_release(ctx, constraints->mark);
        ly_release(ctx, constraints->scalar);
        ly_release(ctx, constraints);
    }
}

LyraConstraintsView lyra_constraints_view(const LyraConstraints *constraints)
{
    LYRA_ASSERT(constraints);
    return (LyraConstraintsView){constraints->size,   constraints->count,     constraints->version,
                                 constraints->vertex, constraints->direction, constraints->value};
}

int32_t ly_constraints_begin(const LyraConstraints *constraints, int32_t vertex)
{
    int32_t begin = 0, count = constraints->count;
    while (count > 0) {
        int32_t half = count / 2;
        bool below = constraints->vertex[begin + half] < vertex;
        begin = below ? begin + half + 1 : begin;
        count = below ? count - half - 1 : half;
    }
    return begin;
}

// ---- changes ------------------------------------------------------------------------------------

static LyraStatus reserve(LyraConstraints *constraints, int64_t count)
{
    if (count <= constraints->capacity) {
        return LYRA_OK;
    }
    LyraContext *ctx = constraints->ctx;
    int64_t grown = constraints->capacity + (int64_t)constraints->capacity / 2 + 8;
    int64_t capacity = ly_max_i64(count, ly_min_i64(grown, constraints->size));
    LY_TRY(ly_resize_array(ctx, capacity, sizeof(int32_t), &constraints->vertex));
    LY_TRY(ly_resize_array(ctx, 3 * capacity, sizeof(double), &constraints->direction));
    LY_TRY(ly_resize_array(ctx, capacity, sizeof(double), &constraints->value));
    constraints->capacity = (int32_t)capacity;
    return LYRA_OK;
}

// makes the unit vector d orthonormal to `count` directions; false if they span it
static bool orthonormalise(int32_t count, const double *direction, double d[3])
{
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t k = 0; k < count; ++k) {
            const double *n = direction + 3 * (int64_t)k;
            double part = ly_dot3(n, d);
            for (int32_t i = 0; i < 3; ++i) {
                d[i] -= part * n[i];
            }
        }
        double length = sqrt(ly_dot3(d, d));
        if (length < SPANNED) {
            return false;
        }
        // an axis stays exact: its length is 1 to the last bit
        for (int32_t i = 0; i < 3; ++i) {
            d[i] /= length;
        }
    }
    return true;
}

// moves directions of the list, which may overlap
static void move(LyraConstraints *constraints, int32_t to, int32_t from, int32_t count)
{
    size_t n = (size_t)count;
    memmove(constraints->vertex + to, constraints->vertex + from, n * sizeof(int32_t));
    memmove(constraints->value + to, constraints->value + from, n * sizeof(double));
    memmove(constraints->direction + 3 * (int64_t)to, constraints->direction + 3 * (int64_t)from,
            3 * n * sizeof(double));
}

static void put(LyraConstraints *constraints, int32_t place, int32_t vertex, const double *d)
{
    constraints->vertex[place] = vertex;
    constraints->value[place] = 0.0;
    memcpy(constraints->direction + 3 * (int64_t)place, d, 3 * sizeof(double));
}

// directions of a vertex that stay, the first ones
static int32_t kept_of(const LyraConstraints *constraints, int32_t vertex)
{
    return constraints->keeps && constraints->scalar[vertex] ? 2 : 0;
}

// drops the directions of marked vertices, and the marks
static void drop_marked(LyraConstraints *constraints)
{
    int32_t write = 0, count = constraints->count;
    for (int32_t k = 0, begin = 0; k < count; ++k) {
        int32_t v = constraints->vertex[k];
        begin = k > 0 && constraints->vertex[k - 1] == v ? begin : k;
        if (!constraints->mark[v] || k - begin < kept_of(constraints, v)) {
            move(constraints, write++, k, 1);
        } else {
            --constraints->held[v];
        }
    }
    memset(constraints->mark, 0, (size_t)constraints->vertex_count);
    constraints->version += write < count;
    constraints->count = write;
}

void lyra_constraints_clear(LyraConstraints *constraints)
{
    LYRA_ASSERT(constraints);
    if (constraints->keeps) {
        memset(constraints->mark, 1, (size_t)constraints->vertex_count);
        drop_marked(constraints);
    } else if (constraints->count > 0) {
        memset(constraints->held, 0, (size_t)constraints->vertex_count);
        constraints->count = 0;
        ++constraints->version;
    }
}

// a range of vertices that a change touches
typedef struct Range {
    int32_t first, last;
} Range;

static Range extend(Range range, int32_t vertex)
{
    return (Range){vertex < range.first ? vertex : range.first,
                   vertex > range.last ? vertex : range.last};
}

// adds the axes that `mark` has a bit for and clears it; room for `added` more was made
static void merge_axes(LyraConstraints *constraints, Range range, int32_t added)
{
    int32_t total = constraints->count + added, fresh = 0;
    int32_t read = ly_constraints_begin(constraints, range.last + 1), write = read + added;
    move(constraints, write, read, constraints->count - read);
    for (int32_t v = range.last; v >= range.first && write > read; --v) {
        int32_t held = constraints->held[v], mark = constraints->mark[v];
        if (mark == 0) {
            read -= held;
            write -= held;
            move(constraints, write, read, held);
            continue;
        }
        // the directions of this vertex, old and new, away from the list that is being moved
        double directions[9], values[3] = {0}, d[3];
        read -= held;
        for (int32_t k = 0; k < held; ++k) {
            memcpy(directions + 3 * k, constraints->direction + 3 * (int64_t)(read + k), sizeof d);
            values[k] = constraints->value[read + k];
        }
        int32_t now = held;
        for (int32_t axis = 0; axis < 3; ++axis) {
            memset(d, 0, sizeof d);
            d[axis] = 1.0;
            if ((mark >> axis & 1) && now < 3 && orthonormalise(now, directions, d)) {
                memcpy(directions + 3 * now, d, sizeof d);
                ++now;
            }
        }
        write -= now;
        for (int32_t k = 0; k < now; ++k) {
            put(constraints, write + k, v, directions + 3 * k);
            constraints->value[write + k] = values[k];
        }
        fresh += now - held;
        constraints->held[v] = (uint8_t)now;
        constraints->mark[v] = 0;
    }
    // axes that were spanned already left a gap
    move(constraints, read, write, total - write);
    constraints->count += fresh;
    constraints->version += fresh > 0;
}

// counts the marks and merges them; on failure clears them
static LyraStatus add_marked(LyraConstraints *constraints, Range range)
{
    int64_t added = 0;
    for (int32_t v = range.first; v <= range.last; ++v) {
        int32_t mark = constraints->mark[v];
        int32_t axes = (mark & 1) + (mark >> 1 & 1) + (mark >> 2 & 1);
        int32_t room = ly_vertex_width(constraints->size, v) - constraints->held[v];
        if (room == 0) {
            constraints->mark[v] = 0;
        }
        added += axes < room ? axes : room;
    }
    LyraStatus status = reserve(constraints, constraints->count + added);
    if (status != LYRA_OK) {
        memset(constraints->mark, 0, (size_t)constraints->vertex_count);
        return status;
    }
    merge_axes(constraints, range, (int32_t)added);
    return LYRA_OK;
}

LyraStatus lyra_constraints_fix_dofs(LyraConstraints *constraints, int32_t count,
                                     const int32_t *dofs)
{
    LYRA_ASSERT(constraints && (dofs || count <= 0));
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "fix dofs: a count of %d", (int)count);
    }
    for (int32_t k = 0; k < count; ++k) {
        if ((uint32_t)dofs[k] >= (uint32_t)constraints->size) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "fix dofs: number %d is dof %d of %d unknowns",
                           (int)k, (int)dofs[k], (int)constraints->size);
        }
    }
    Range range = {INT32_MAX, -1};
    for (int32_t k = 0; k < count; ++k) {
        constraints->mark[dofs[k] / 3] |= (uint8_t)(1 << dofs[k] % 3);
        range = extend(range, dofs[k] / 3);
    }
    return count > 0 ? add_marked(constraints, range) : LYRA_OK;
}

static LyraStatus check_vertices(const LyraConstraints *constraints, const char *what,
                                 int32_t count, const int32_t *vertices)
{
    if (count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "%s: a count of %d", what, (int)count);
    }
    for (int32_t k = 0; k < count; ++k) {
        if ((uint32_t)vertices[k] >= (uint32_t)constraints->vertex_count) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "%s: number %d is vertex %d of %d vertices", what,
                           (int)k, (int)vertices[k], (int)constraints->vertex_count);
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_constraints_fix_vertices(LyraConstraints *constraints, int32_t count,
                                         const int32_t *vertices)
{
    LYRA_ASSERT(constraints && (vertices || count <= 0));
    LY_TRY(check_vertices(constraints, "fix vertices", count, vertices));
    Range range = {INT32_MAX, -1};
    for (int32_t k = 0; k < count; ++k) {
        int32_t width = ly_vertex_width(constraints->size, vertices[k]);
        constraints->mark[vertices[k]] = (uint8_t)((1 << width) - 1);
        range = extend(range, vertices[k]);
    }
    return count > 0 ? add_marked(constraints, range) : LYRA_OK;
}

LyraStatus lyra_constraints_add_direction(LyraConstraints *constraints, int32_t vertex,
                                          const double direction[3])
{
    LYRA_ASSERT(constraints && direction);
    LY_TRY(check_vertices(constraints, "add direction", 1, &vertex));
    int32_t width = ly_vertex_width(constraints->size, vertex);
    double largest = 0.0, d[3];
    for (int32_t i = 0; i < 3; ++i) {
        if (!isfinite(direction[i])) {
            return ly_fail(LYRA_NOT_FINITE, "add direction: component %d at vertex %d is %g",
                           (int)i, (int)vertex, direction[i]);
        }
        if (i >= width && direction[i] != 0.0) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "add direction: vertex %d, the last, has %d unknowns, and component %d "
                           "is %g",
                           (int)vertex, (int)width, (int)i, direction[i]);
        }
        largest = fmax(largest, fabs(direction[i]));
    }
    if (largest == 0.0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "add direction: that at vertex %d is zero",
                       (int)vertex);
    }
    // by the largest component first, so that nothing overflows or vanishes
    int exponent;
    frexp(largest, &exponent);
    for (int32_t i = 0; i < 3; ++i) {
        d[i] = ldexp(direction[i], -exponent);
    }
    double length = sqrt(ly_dot3(d, d));
    for (int32_t i = 0; i < 3; ++i) {
        d[i] /= length;
    }
    int32_t begin = ly_constraints_begin(constraints, vertex);
    int32_t held = constraints->held[vertex];
    if (held >= width ||
        !orthonormalise(held, held ? constraints->direction + 3 * (int64_t)begin : d, d)) {
        return LYRA_OK;
    }
    LY_TRY(reserve(constraints, (int64_t)constraints->count + 1));
    int32_t place = begin + held;
    move(constraints, place + 1, place, constraints->count - place);
    put(constraints, place, vertex, d);
    ++constraints->held[vertex];
    ++constraints->count;
    ++constraints->version;
    return LYRA_OK;
}

LyraStatus lyra_constraints_release_vertices(LyraConstraints *constraints, int32_t count,
                                             const int32_t *vertices)
{
    LYRA_ASSERT(constraints && (vertices || count <= 0));
    LY_TRY(check_vertices(constraints, "release vertices", count, vertices));
    for (int32_t k = 0; k < count; ++k) {
        constraints->mark[vertices[k]] = 1;
    }
    drop_marked(constraints);
    return LYRA_OK;
}

LyraStatus ly_constraints_set_scalars(LyraConstraints *constraints, const uint8_t *scalar,
                                      const int32_t *order, bool hold)
{
    LYRA_ASSERT(constraints->count == 0 && constraints->size % 3 == 0);
    int32_t count = 0;
    LY_TRY(
        ly_allocate_zeroed(constraints->ctx, constraints->vertex_count, 1, &constraints->scalar));
    for (int32_t v = 0; v < constraints->vertex_count; ++v) {
        constraints->scalar[v] = scalar[order ? order[v] : v];
        count += constraints->scalar[v];
    }
    if (!hold || count == 0) {
        return LYRA_OK;
    }
    LY_TRY(reserve(constraints, 2 * (int64_t)count));
    for (int32_t v = 0; v < constraints->vertex_count; ++v) {
        for (int axis = 1; constraints->scalar[v] && axis < 3; ++axis) {
            const double d[3] = {0, axis == 1, axis == 2};
            put(constraints, constraints->count++, v, d);
            ++constraints->held[v];
        }
    }
    constraints->keeps = true;
    ++constraints->version;
    return LYRA_OK;
}

const uint8_t *ly_constraints_scalars(const LyraConstraints *constraints)
{
    return constraints->scalar;
}

const uint8_t *ly_constraints_lone_scalars(const LyraConstraints *constraints)
{
    const uint8_t *scalar = constraints->scalar;
    for (int32_t v = 0, k = 0; scalar && v < constraints->vertex_count; ++v) {
        int32_t end = k + constraints->held[v], across = 0;
        for (; k < end; ++k) {
            across += constraints->direction[3 * (int64_t)k] == 0;
        }
        scalar = scalar[v] && across < 2 ? NULL : scalar;
    }
    return scalar;
}

LyraStatus lyra_constraints_set_values(LyraConstraints *constraints, const double *x_bar)
{
    LYRA_ASSERT(constraints);
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t k = 0, begin = 0; k < constraints->count; ++k) {
            int32_t v = constraints->vertex[k], width = ly_vertex_width(constraints->size, v);
            const double *n = constraints->direction + 3 * (int64_t)k;
            double value = 0.0;
            begin = k > 0 && constraints->vertex[k - 1] == v ? begin : k;
            bool kept = k - begin < kept_of(constraints, v);
            for (int32_t i = 0; x_bar && !kept && i < width; ++i) {
                // what no direction asks for may be anything
                value += n[i] != 0.0 ? n[i] * x_bar[3 * (int64_t)v + i] : 0.0;
            }
            if (pass == 1) {
                constraints->value[k] = value;
            } else if (!isfinite(value)) {
                return ly_fail(LYRA_NOT_FINITE, "constraints: the value at vertex %d is %g", (int)v,
                               value);
            }
        }
    }
    return LYRA_OK;
}

// ---- projections --------------------------------------------------------------------------------

void ly_constraints_block(const LyraConstraints *constraints, int32_t vertex, double P[9])
{
    int32_t begin = ly_constraints_begin(constraints, vertex), held = constraints->held[vertex];
    for (int32_t e = 0; e < 9; ++e) {
        P[e] = held < 3 && e % 4 == 0 ? 1.0 : 0.0;
    }
    for (int32_t k = begin; held < 3 && k < begin + held; ++k) {
        const double *n = constraints->direction + 3 * (int64_t)k;
        for (int32_t e = 0; e < 9; ++e) {
            P[e] -= n[e / 3] * n[e % 3];
        }
    }
}

// x = P x + factor sum n value
static void project(const LyraConstraints *constraints, double factor, double *x)
{
    for (int32_t k = 0; k < constraints->count;) {
        int32_t v = constraints->vertex[k], held = constraints->held[v];
        int32_t width = ly_vertex_width(constraints->size, v);
        double *xv = x + 3 * (int64_t)v;
        // one after another, which for orthonormal directions is P; a vertex that is held wholly
        // keeps no rounding
        const double *n = constraints->direction + 3 * (int64_t)k;
        for (int32_t j = 0; held < width && j < held; ++j, n += 3) {
            double part = 0.0;
            for (int32_t i = 0; i < width; ++i) {
                part += n[i] * xv[i];
            }
            for (int32_t i = 0; i < width; ++i) {
                xv[i] -= part * n[i];
            }
        }
        for (int32_t i = 0; held >= width && i < width; ++i) {
            xv[i] = 0.0;
        }
        n = constraints->direction + 3 * (int64_t)k;
        for (int32_t j = 0; factor != 0.0 && j < held; ++j, n += 3) {
            for (int32_t i = 0; i < width; ++i) {
                xv[i] += factor * constraints->value[k + j] * n[i];
            }
        }
        k += held;
    }
}

void lyra_constraints_project(const LyraConstraints *constraints, double *x)
{
    LYRA_ASSERT(constraints && (x || constraints->size == 0));
    project(constraints, 0.0, x);
}

void lyra_constraints_impose(const LyraConstraints *constraints, double *x)
{
    LYRA_ASSERT(constraints && (x || constraints->size == 0));
    project(constraints, 1.0, x);
}

bool ly_constraints_prescribed(const LyraConstraints *constraints, double *x)
{
    bool any = false;
    memset(x, 0, (size_t)constraints->size * sizeof(double));
    for (int32_t k = 0; k < constraints->count; ++k) {
        any |= constraints->value[k] != 0.0;
    }
    if (any) {
        project(constraints, 1.0, x);
    }
    return any;
}

void lyra_constraints_reaction(const LyraConstraints *constraints, const double *Ax,
                               const double *b, double *r)
{
    LYRA_ASSERT(constraints && ((Ax && b && r) || constraints->size == 0));
    for (int32_t i = 0; i < constraints->size; ++i) {
        r[i] = Ax[i] - b[i];
    }
    int32_t k = 0;
    for (int32_t v = 0; v < constraints->vertex_count; ++v) {
        int32_t held = constraints->held[v], width = ly_vertex_width(constraints->size, v);
        double *rv = r + 3 * (int64_t)v, sum[3] = {0};
        for (int32_t j = k; j < k + held; ++j) {
            const double *n = constraints->direction + 3 * (int64_t)j;
            double part = 0.0;
            for (int32_t i = 0; i < width; ++i) {
                part += n[i] * rv[i];
            }
            for (int32_t i = 0; i < width; ++i) {
                sum[i] += part * n[i];
            }
        }
        memcpy(rv, sum, (size_t)width * sizeof(double));
        k += held;
    }
}
