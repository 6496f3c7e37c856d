// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Gather, evaluate, scatter: the loop over the batches of a force, compiled once per instruction
// set. Positions and gradients are padded to four doubles per vertex, so that a vertex is one
// vector; tiles of 4 vertices by 4 components are transposed on the way in and out. Blocks come
// from a kernel as [block][9][lane] and go to memory as nine neighbours per lane: tiles of 8
// components by 8 (or 4) lanes are transposed, the ninth component follows alone.
//
// Lanes are added one after another in a fixed order, so vertices and blocks that lanes share are
// safe and the sums have the same bits every time.

#include "force/force.h"
#include "force/nodal.h"
#include "force/relaxation.h"
#include "force/rest_shape.h"
#include "force/tiles.h"

#define WIDTH LYRA_BATCH_WIDTH

// batches between a prefetch and its use
#define PREFETCH 8

LY_INLINE void add_quad(double *p, LyQuad q)
{
    ly_store_quad(p, ly_load_quad(p) + q);
}

#if LY_LANES == 8
typedef double Octet __attribute__((vector_size(64)));

LY_INLINE void store_octet(double *p, Octet o)
{
    memcpy(p, &o, sizeof o);
}

LY_INLINE Octet join_quads(LyQuad low, LyQuad high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
#endif

// ---- vertices -----------------------------------------------------------------------------------

LY_INLINE void gather(int32_t nodes, const int32_t *vertex, const double *values, double *out)
{
    for (int32_t a = 0; a < nodes; ++a) {
#if LY_LANES == 8
        // two tiles side by side: a kernel that loads eight lanes would wait for two stores of four
        const int32_t *ids = vertex + a * WIDTH;
        Octet r[4];
        for (int i = 0; i < 4; ++i) {
            r[i] = join_quads(ly_load_quad(values + 4 * (int64_t)ids[i]),
                              ly_load_quad(values + 4 * (int64_t)ids[i + 4]));
        }
        Octet b = __builtin_shufflevector(r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
        Octet c = __builtin_shufflevector(r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
        Octet d = __builtin_shufflevector(r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
        Octet e = __builtin_shufflevector(r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
        Octet x = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
        Octet y = __builtin_shufflevector(c, e, 0, 1, 8, 9, 4, 5, 12, 13);
        Octet z = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
        store_octet(out + 3 * a * WIDTH, x);
        store_octet(out + (3 * a + 1) * WIDTH, y);
        store_octet(out + (3 * a + 2) * WIDTH, z);
#else
        for (int32_t half = 0; half < WIDTH; half += 4) {
            const int32_t *ids = vertex + a * WIDTH + half;
            LyQuad q[4];
            for (int i = 0; i < 4; ++i) {
                q[i] = ly_load_quad(values + 4 * (int64_t)ids[i]);
            }
            ly_transpose_quads(q);
            for (int c = 0; c < 3; ++c) {
                ly_store_quad(out + (3 * a + c) * WIDTH + half, q[c]);
            }
        }
#endif
    }
}

// adds one node of 4 lanes, the first `live` of them; `gradient` is [3][WIDTH] at the first
LY_INLINE void scatter_quad(int32_t live, const int32_t *ids, const double *gradient, double *out)
{
    LyQuad q[4] = {ly_load_quad(gradient),
                   ly_load_quad(gradient + WIDTH),
                   ly_load_quad(gradient + 2 * WIDTH),
                   {0}};
    ly_transpose_quads(q);
    for (int32_t i = 0; i < live; ++i) {
        add_quad(out + 4 * (int64_t)ids[i], q[i]);
    }
}

LY_INLINE void scatter_gradient(int32_t nodes, int32_t count, const int32_t *vertex,
                                const double *gradient, double *out)
{
    // a constant count keeps the tiles in registers
    if (count == WIDTH) {
#pragma GCC unroll 4
        for (int32_t a = 0; a < nodes; ++a) {
            scatter_quad(4, vertex + a * WIDTH, gradient + 3 * a * WIDTH, out);
            scatter_quad(4, vertex + a * WIDTH + 4, gradient + 3 * a * WIDTH + 4, out);
        }
        return;
    }
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t half = 0; half < count; half += 4) {
            scatter_quad(count - half < 4 ? count - half : 4, vertex + a * WIDTH + half,
                         gradient + 3 * a * WIDTH + half, out);
        }
    }
}

// ---- blocks -------------------------------------------------------------------------------------

LY_INLINE int32_t find_slot(bool turned, int32_t slot)
{
    return turned ? slot ^ slot >> 31 : slot;
}

#if LY_LANES == 8
LY_INLINE void exchange_octets(Octet *a, Octet *b, LyMask where)
{
    LyReal x = *a, y = *b;
    *a = ly_select(where, y, x);
    *b = ly_select(where, x, y);
}

// rows to columns of an 8x8 tile
LY_INLINE void transpose_octets(Octet r[8])
{
    Octet a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; ++k) {
            b[i + k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[i + k + 2] =
                __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

LY_INLINE void add_octet(int32_t slot, Octet low, double last, double *values)
{
    double *place = values + 9 * (int64_t)slot;
    Octet sum;
    memcpy(&sum, place, sizeof sum);
    sum += low;
    memcpy(place, &sum, sizeof sum);
    place[8] += last;
}
#else
LY_INLINE void exchange_quads(LyQuad *a, LyQuad *b, LyQuadBits where)
{
    LyQuadBits x = (LyQuadBits)*a, y = (LyQuadBits)*b, change = (x ^ y) & where;
    *a = (LyQuad)(x ^ change);
    *b = (LyQuad)(y ^ change);
}

// adds one block of 4 lanes; `block` is [9][WIDTH] at the first of them
LY_INLINE void scatter_block_quad(int32_t live, const int32_t *slot, bool turned,
                                  const double *block, double *values)
{
    LyQuad low[4], high[4];
    for (int c = 0; c < 4; ++c) {
        low[c] = ly_load_quad(block + c * WIDTH);
        high[c] = ly_load_quad(block + (c + 4) * WIDTH);
    }
    if (turned) {
        LyQuadBits where = {slot[0] >> 31, slot[1] >> 31, slot[2] >> 31, slot[3] >> 31};
        exchange_quads(&low[1], &low[3], where);
        exchange_quads(&low[2], &high[2], where);
        exchange_quads(&high[1], &high[3], where);
    }
    ly_transpose_quads(low);
    ly_transpose_quads(high);
    for (int32_t i = 0; i < live; ++i) {
        double *place = values + 9 * (int64_t)find_slot(turned, slot[i]);
        add_quad(place, low[i]);
        add_quad(place + 4, high[i]);
        place[8] += block[8 * WIDTH + i];
    }
}
#endif

// Adds one block of all lanes; `turned`: lanes with a negative slot are transposed, which exchanges
// components 1 and 3, 2 and 6, 5 and 7.
LY_INLINE void scatter_block_of(int32_t count, const int32_t *slot, bool turned,
                                const double *block, double *values)
{
#if LY_LANES == 8
    Octet r[8];
    for (int c = 0; c < 8; ++c) {
        memcpy(&r[c], block + c * WIDTH, sizeof r[c]);
    }
    if (turned) {
        LyMask where = ly_less(ly_from_int32(slot), ly_set(0));
        exchange_octets(&r[1], &r[3], where);
        exchange_octets(&r[2], &r[6], where);
        exchange_octets(&r[5], &r[7], where);
    }
    transpose_octets(r);
    // a constant count keeps the tile in registers
    if (count == WIDTH) {
#pragma GCC unroll 8
        for (int32_t i = 0; i < WIDTH; ++i) {
            add_octet(find_slot(turned, slot[i]), r[i], block[8 * WIDTH + i], values);
        }
    } else {
        for (int32_t i = 0; i < count; ++i) {
            add_octet(find_slot(turned, slot[i]), r[i], block[8 * WIDTH + i], values);
        }
    }
#else
    if (count == WIDTH) {
        scatter_block_quad(4, slot, turned, block, values);
        scatter_block_quad(4, slot + 4, turned, block + 4, values);
    } else {
        for (int32_t half = 0; half < count; half += 4) {
            int32_t live = count - half < 4 ? count - half : 4;
            scatter_block_quad(live, slot + half, turned, block + half, values);
        }
    }
#endif
}

LY_INLINE void scatter_block(int32_t count, const int32_t *slot, const double *block,
                             double *values)
{
    scatter_block_of(count, slot, false, block, values);
}

LY_INLINE void scatter_block_signed(int32_t count, const int32_t *slot, const double *block,
                                    double *values)
{
    scatter_block_of(count, slot, true, block, values);
}

// place of pair (a, b), a <= b, among the blocks with the diagonal, row by row
LY_INLINE int32_t pair_index(int32_t nodes, int32_t a, int32_t b)
{
    return a * nodes - a * (a - 1) / 2 + b - a;
}

// where the block of pair (a, b), a <= b, of a symmetric type lies
LY_INLINE const double *find_block(int32_t nodes, bool without_diagonal, int32_t a, int32_t b,
                                   const double *blocks, const double *diagonal)
{
    if (!without_diagonal) {
        return blocks + pair_index(nodes, a, b) * 9 * WIDTH;
    }
    return a == b ? diagonal + a * 9 * WIDTH
                  : blocks + (pair_index(nodes, a, b) - a - 1) * 9 * WIDTH;
}

// invariant types into upper storage, nodes of each stencil ascending, without the diagonal
LY_INLINE void scatter_pairs(int32_t nodes, int32_t count, const int32_t *slot,
                             const double *blocks, double *values)
{
    for (int32_t k = 0; k < nodes * (nodes - 1) / 2; ++k) {
        scatter_block(count, slot + k * WIDTH, blocks + k * 9 * WIDTH, values);
    }
}

// the same, nodes in any order
static void scatter_pairs_signed(int32_t nodes, int32_t count, const int32_t *slot,
                                 const double *blocks, double *values)
{
    for (int32_t k = 0; k < nodes * (nodes - 1) / 2; ++k) {
        scatter_block_signed(count, slot + k * WIDTH, blocks + k * 9 * WIDTH, values);
    }
}

// symmetric types into upper storage, nodes of each stencil ascending
LY_INLINE void scatter_sorted(int32_t nodes, bool without_diagonal, int32_t count,
                              const int32_t *slot, const double *blocks, const double *diagonal,
                              double *values)
{
    for (int32_t a = 0, k = 0; a < nodes; ++a) {
        for (int32_t b = a; b < nodes; ++b, ++k) {
            scatter_block(count, slot + k * WIDTH,
                          find_block(nodes, without_diagonal, a, b, blocks, diagonal), values);
        }
    }
}

// everything else
static void scatter_general(const LyRun *run, int32_t count, const int32_t *slot,
                            const double *blocks, const double *diagonal, double *values)
{
    const LyraForceType *type = run->batches->force->type;
    int32_t nodes = type->nodes;
    bool symmetric = type->traits & LYRA_FORCE_SYMMETRIC;
    bool without_diagonal = symmetric && type->traits & LYRA_FORCE_TRANSLATION_INVARIANT;
    for (int32_t a = 0, k = 0; a < nodes; ++a) {
        for (int32_t b = run->symmetric ? a : 0; b < nodes; ++b, ++k) {
            if (!symmetric) {
                scatter_block_signed(count, slot + k * WIDTH, blocks + (a * nodes + b) * 9 * WIDTH,
                                     values);
                continue;
            }
            bool below = b < a;
            const double *block =
                find_block(nodes, without_diagonal, below ? b : a, below ? a : b, blocks, diagonal);
            int32_t signed_slot[WIDTH];
            for (int32_t i = 0; i < WIDTH; ++i) {
                int32_t s = slot[k * WIDTH + i];
                signed_slot[i] = below ? ~s : s;
            }
            scatter_block_signed(count, signed_slot, block, values);
        }
    }
}

static void scatter_blocks(const LyRun *run, int32_t count, const int32_t *slot,
                           const double *blocks, double *diagonal, double *values)
{
    const LyraForceType *type = run->batches->force->type;
    uint32_t invariant = LYRA_FORCE_SYMMETRIC | LYRA_FORCE_TRANSLATION_INVARIANT;
    bool without_diagonal = (type->traits & invariant) == invariant;
    bool sorted = run->symmetric && type->traits & LYRA_FORCE_REORDERABLE;
    if (run->zero_sums) {
        if (sorted && type->nodes == 4) {
            scatter_pairs(4, count, slot, blocks, values);
        } else if (sorted) {
            scatter_pairs(type->nodes, count, slot, blocks, values);
        } else {
            scatter_pairs_signed(type->nodes, count, slot, blocks, values);
        }
        return;
    }
    if (without_diagonal) {
        ly_sum_diagonal(type->nodes, blocks, diagonal);
    }
    if (sorted) {
        scatter_sorted(type->nodes, without_diagonal, count, slot, blocks, diagonal, values);
    } else {
        scatter_general(run, count, slot, blocks, diagonal, values);
    }
}

// ---- the diagonal -------------------------------------------------------------------------------

typedef struct Block {
    LyQuad low, high;
    double last;
} Block;

LY_INLINE void add_stored(Block *sum, const double *block)
{
    sum->low += ly_load_quad(block);
    sum->high += ly_load_quad(block + 4);
    sum->last += block[8];
}

void LY_KERNEL(ly_force_diagonal)(const LyDiagonal *diagonal, int32_t begin, int32_t end,
                                  double *values)
{
    for (int32_t i = begin; i < end; ++i) {
        int64_t place = diagonal->row_start[i];
        Block row = {{0}, {0}, 0}, column = row;
        for (int64_t k = place + 1; k < diagonal->row_start[i + 1]; ++k) {
            add_stored(&row, values + 9 * k);
        }
        for (int64_t k = diagonal->column_start[i]; k < diagonal->column_start[i + 1]; ++k) {
            add_stored(&column, values + 9 * (int64_t)diagonal->column_block[k]);
        }
        // minus the row and the transpose of the column
        double *block = values + 9 * place;
        LyQuad low = __builtin_shufflevector(column.low, column.high, 0, 3, 6, 1);
        LyQuad high = __builtin_shufflevector(column.low, column.high, 4, 7, 2, 5);
        ly_store_quad(block, -(row.low + low));
        ly_store_quad(block + 4, -(row.high + high));
        block[8] = -(row.last + column.last);
        // symmetric but for rounding: now to the last bit
        block[1] = block[3] = 0.5 * (block[1] + block[3]);
        block[2] = block[6] = 0.5 * (block[2] + block[6]);
        block[5] = block[7] = 0.5 * (block[5] + block[7]);
    }
}

// ---- det F --------------------------------------------------------------------------------------

// Adds the elements of a batch of tets, with F = 1 + sum over nodes of u_a b_a^T. Apart, so that
// the loop over batches keeps its registers.
static __attribute__((noinline)) void add_det(const LyraBatch *batch, LyraDetF *found)
{
    double dets[WIDTH] __attribute__((aligned(64)));
    bool lower = false;
    const LyReal limit = ly_set(found->min > 0 ? found->min : 0);
    for (int lane = 0; lane < WIDTH; lane += LY_LANES) {
        LyReal F[3][3];
        for (int i = 0; i < 3; ++i) {
            LyReal u0 = ly_load(batch->u + i * WIDTH + lane), d[3];
            for (int a = 0; a < 3; ++a) {
                d[a] = ly_load(batch->u + (3 * (a + 1) + i) * WIDTH + lane) - u0;
            }
            for (int j = 0; j < 3; ++j) {
                F[i][j] = ly_set(i == j);
                for (int a = 0; a < 3; ++a) {
                    F[i][j] +=
                        d[a] * ly_load(batch->constants + (LY_TET_B + 3 * a + j) * WIDTH + lane);
                }
            }
        }
        LyReal det = F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) +
                     F[0][1] * (F[1][2] * F[2][0] - F[1][0] * F[2][2]) +
                     F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
        ly_store(dets + lane, det);
        lower = lower || !ly_all(ly_greater(det, limit));
    }
    found->elements += batch->count;
    // the least is seldom found; NaN is below all, and stays
    for (int32_t i = 0; lower && i < batch->count; ++i) {
        bool least = dets[i] != dets[i] ? found->min == found->min : dets[i] < found->min;
        bool same = dets[i] == found->min || (dets[i] != dets[i] && found->min != found->min);
        found->inverted += dets[i] <= 0;
        if (least || (same && batch->element[i] < found->element)) {
            found->min = dets[i];
            found->element = batch->element[i];
        }
    }
}

// ---- the loop -----------------------------------------------------------------------------------

// constants are most of what a batch reads, and the hardware alone fetches them late
LY_INLINE void prefetch_constants(const double *constants, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        __builtin_prefetch(constants + i * WIDTH);
    }
}

// `nodes`: those of the type
LY_INLINE double run_batches(int32_t nodes, const LyRun *run, int32_t begin, int32_t end,
                             LyraArena *arena)
{
    const LyBatches *batches = run->batches;
    const LyraForceType *type = batches->force->type;
    const LyraEvaluation *evaluation = run->evaluation;
    int32_t slots = batches->slot_count;
    size_t vector_bytes = (size_t)(3 * nodes * WIDTH) * sizeof(double);
    size_t block_bytes = (size_t)(lyra_force_type_blocks(type) * 9 * WIDTH) * sizeof(double);
    LyArenaMark mark = ly_arena_mark(arena);
    LyraBatch batch = {.psd = evaluation->psd,
                       .time = evaluation->time,
                       .dt = evaluation->dt,
                       .unloaded = evaluation->unloaded};
    double *x = lyra_arena_push(arena, vector_bytes);
    double *v = run->v ? lyra_arena_push(arena, vector_bytes) : NULL;
    double *diagonal = lyra_arena_push(arena, (size_t)(nodes * 9 * WIDTH) * sizeof(double));
    double energies[WIDTH] __attribute__((aligned(64))) = {0};
    double nodal[2 * WIDTH] __attribute__((aligned(64)));
    batch.nodal = run->nodal ? nodal : NULL;
    LyPronySteps steps;
    if (type->traits & LY_FORCE_RELAXES) {
        LY_KERNEL(ly_prony_steps)(ly_prony_of(batches->force->self), evaluation->dt, &steps);
        batch.step = &steps;
    }
    bool displaced = type->traits & LYRA_FORCE_DISPLACEMENT;
    batch.x = displaced ? NULL : x;
    batch.u = displaced ? x : NULL;
    batch.v = v;
    batch.energy = evaluation->energy ? energies : NULL;
    batch.gradient = run->gradient ? lyra_arena_push(arena, vector_bytes) : NULL;
    batch.dfdx = run->dfdx ? lyra_arena_push(arena, block_bytes) : NULL;
    batch.dfdv = run->dfdv ? lyra_arena_push(arena, block_bytes) : NULL;
    double *a = run->contraction ? lyra_arena_push(arena, vector_bytes) : NULL;
    double *c = run->contraction ? lyra_arena_push(arena, vector_bytes) : NULL;
    batch.contraction = run->contraction ? lyra_arena_push(arena, vector_bytes) : NULL;
    batch.a = a;
    batch.b = c;
    double sum = 0;
    for (int32_t b = begin; b < end; ++b) {
        const int32_t *vertex = batches->vertex + (int64_t)b * nodes * WIDTH;
        const int32_t *slot = batches->slot + (int64_t)b * slots * WIDTH;
        int64_t history = (int64_t)b * type->history_count * WIDTH;
        batch.count = batches->count[b];
        batch.element = batches->element + (int64_t)b * WIDTH;
        batch.constants = batches->constants + (int64_t)b * type->constant_count * WIDTH;
        batch.parameters = batches->parameters + (int64_t)b * batches->parameter_stride;
        batch.history = run->history ? run->history + history : NULL;
        batch.trial_history = run->trial_history ? run->trial_history + history : NULL;
        if (b + PREFETCH < end) {
            prefetch_constants(batch.constants + PREFETCH * type->constant_count * WIDTH,
                               type->constant_count);
        }
        gather(nodes, vertex, run->x, x);
        if (v) {
            gather(nodes, vertex, run->v, v);
        }
        if (batch.contraction) {
            gather(nodes, vertex, run->a, a);
            gather(nodes, vertex, run->b, c);
        }
        if (nodes == 4 && run->det) {
            add_det(&batch, run->det);
        }
        if (nodes == 4 && run->nodal) {
            ly_nodal_gather(vertex, run->nodal, nodal);
        }
        LyArenaMark inner = ly_arena_mark(arena);
        type->evaluate(batches->force->self, &batch, arena);
        ly_arena_release_to(arena, inner);
        if (batch.energy) {
            for (int32_t i = 0; i < batch.count; ++i) {
                sum += energies[i];
            }
        }
        if (batch.gradient) {
            scatter_gradient(nodes, batch.count, vertex, batch.gradient, run->gradient);
        }
        if (batch.dfdx) {
            scatter_blocks(run, batch.count, slot, batch.dfdx, diagonal, run->dfdx);
        }
        if (batch.dfdv) {
            scatter_blocks(run, batch.count, slot, batch.dfdv, diagonal, run->dfdv);
        }
        if (batch.contraction) {
            scatter_gradient(nodes, batch.count, vertex, batch.contraction, run->contraction);
        }
    }
    ly_arena_release_to(arena, mark);
    return sum;
}

double LY_KERNEL(ly_force_run)(const LyRun *run, int32_t begin, int32_t end, LyraArena *arena)
{
    // a constant lets loops over the nodes of tets unroll
    int32_t nodes = run->batches->force->type->nodes;
    return nodes == 4 ? run_batches(4, run, begin, end, arena)
                      : run_batches(nodes, run, begin, end, arena);
}
