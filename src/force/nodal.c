// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Nodal pressure: neighbours, passes over tets and vertices, and the rows of the tangent.

#include "force/nodal.h"

#include "force/isotropic.h"
#include "force/rest_shape.h"

#include <string.h>

#define WIDTH LYRA_BATCH_WIDTH
#define GRAIN 32 // batches or groups of a piece

// ---- neighbours ---------------------------------------------------------------------------------

// vertices beside each vertex, itself among them, ascending
typedef struct Rings {
    int64_t *start;
    int32_t *ids;
} Rings;

static void release_rings(LyraContext *ctx, Rings *rings)
{
    ly_release(ctx, rings->start);
    ly_release(ctx, rings->ids);
}

// counts to the beginnings of lists that are filled by ++start[i + 1]
static void begin_lists(int64_t count, int64_t *start)
{
    for (int64_t i = 0; i < count; ++i) {
        start[i + 1] += start[i];
    }
}

static void sort_ids(int32_t count, int32_t *ids)
{
    for (int32_t i = 1; i < count; ++i) {
        int32_t id = ids[i], at = i;
        for (; at > 0 && ids[at - 1] > id; --at) {
            ids[at] = ids[at - 1];
        }
        ids[at] = id;
    }
}

// `ids` [count][4] in [0, n). Each ring is found from the tets around its vertex
static LyraStatus make_rings(LyraContext *ctx, int32_t n, int64_t count, const int32_t *ids,
                             Rings *rings)
{
    int64_t *start = NULL, total = 0;
    int32_t *around = NULL, *seen = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)n + 2, sizeof *start, &start));
    LY_TRY_DONE(ly_allocate_array(ctx, 4 * count, sizeof *around, &around));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, n, sizeof *seen, &seen));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)n + 1, sizeof *rings->start, &rings->start));
    for (int64_t i = 0; i < 4 * count; ++i) {
        ++start[ids[i] + 2];
    }
    begin_lists((int64_t)n + 1, start);
    for (int64_t i = 0; i < 4 * count; ++i) {
        around[start[ids[i] + 1]++] = (int32_t)(i / 4);
    }
    for (int32_t fill = 0; fill < 2; ++fill) {
        memset(seen, 0, (size_t)n * sizeof *seen);
        total = 0;
        for (int32_t a = 0; a < n; ++a) {
            int64_t first = total;
            for (int64_t k = 4 * start[a]; k < 4 * start[a + 1]; ++k) {
                int32_t id = ids[4 * (int64_t)around[k / 4] + k % 4];
                if (seen[id] != a + 1) {
                    seen[id] = a + 1;
                    if (fill) {
                        rings->ids[total] = id;
                    }
                    ++total;
                }
            }
            rings->start[a + 1] = total;
            if (fill) {
                sort_ids((int32_t)(total - first), rings->ids + first);
            }
        }
        if (!fill) {
            LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *rings->ids, &rings->ids));
        }
    }
done:
    ly_release(ctx, start);
    ly_release(ctx, around);
    ly_release(ctx, seen);
    return status;
}

// pairs (a, c), a < c, that have a vertex in both their rings; `pairs` NULL: counts them
static int64_t list_pairs(int32_t n, const Rings *rings, int32_t *seen, int32_t *pairs)
{
    int64_t count = 0;
    for (int32_t a = 0; a < n; ++a) {
        seen[a] = -1;
    }
    for (int32_t a = 0; a < n; ++a) {
        for (int64_t k = rings->start[a]; k < rings->start[a + 1]; ++k) {
            int32_t b = rings->ids[k];
            for (int64_t l = rings->start[b]; l < rings->start[b + 1]; ++l) {
                int32_t c = rings->ids[l];
                if (c <= a || seen[c] == a) {
                    continue;
                }
                seen[c] = a;
                if (pairs) {
                    pairs[2 * count] = a;
                    pairs[2 * count + 1] = c;
                }
                ++count;
            }
        }
    }
    return count;
}

static LyraStatus add_pairs(LyraContext *ctx, const LyPatternDef *def, int32_t f, int64_t *count,
                            int32_t **pairs)
{
    const LyraForce *force = def->forces[f];
    const int32_t *place = def->place + (def->first ? def->first[f] : 0);
    int64_t ids = 4 * (int64_t)force->stencil_count;
    int32_t *places = NULL, *seen = NULL;
    Rings rings = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, ids, sizeof *places, &places));
    LY_TRY_DONE(ly_allocate_array(ctx, def->row_count, sizeof *seen, &seen));
    for (int64_t i = 0; i < ids; ++i) {
        places[i] = place[force->stencils[i]];
    }
    LY_TRY_DONE(make_rings(ctx, def->row_count, force->stencil_count, places, &rings));
    int64_t more = list_pairs(def->row_count, &rings, seen, NULL);
    LY_TRY_DONE(ly_resize_array(ctx, 2 * (*count + more), sizeof **pairs, pairs));
    list_pairs(def->row_count, &rings, seen, *pairs + 2 * *count);
    *count += more;
done:
    release_rings(ctx, &rings);
    ly_release(ctx, places);
    ly_release(ctx, seen);
    return status;
}

LyraStatus ly_nodal_pairs(LyraContext *ctx, const LyPatternDef *def, int64_t *count,
                          int32_t **pairs)
{
    for (int32_t f = 0; f < def->force_count; ++f) {
        if (def->forces[f]->type->traits & LY_FORCE_NODAL) {
            LY_TRY(add_pairs(ctx, def, f, count, pairs));
        }
    }
    return LYRA_OK;
}

// ---- creation -----------------------------------------------------------------------------------

static int32_t group_count(const LyNodalPressure *nodal)
{
    return (nodal->count + WIDTH - 1) / WIDTH;
}

// the vertices that tets have, and the tets around each
static LyraStatus find_vertices(LyraContext *ctx, const LyraAssembly *assembly,
                                const LyBatches *batches, LyNodalPressure *nodal)
{
    int32_t n = assembly->vertex_count, total = 4 * batches->force->stencil_count;
    LY_TRY(ly_allocate_zeroed(ctx, n, sizeof *nodal->index, &nodal->index));
    for (int32_t batch = 0; batch < batches->batch_count; ++batch) {
        for (int32_t k = 0; k < 4 * WIDTH; ++k) {
            nodal->index[batches->vertex[(int64_t)batch * 4 * WIDTH + k]] = 1;
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        nodal->index[i] = nodal->index[i] ? nodal->count++ : -1;
    }
    int64_t *start = NULL;
    LY_TRY(ly_allocate_array(ctx, nodal->count, sizeof *nodal->vertex, &nodal->vertex));
    LY_TRY(ly_allocate_zeroed(ctx, nodal->count, sizeof *nodal->volume, &nodal->volume));
    LY_TRY(ly_allocate_array(ctx, total, sizeof *nodal->around, &nodal->around));
    LY_TRY(ly_allocate_zeroed(ctx, (int64_t)nodal->count + 2, sizeof *start, &start));
    nodal->around_start = start;
    for (int32_t i = 0; i < n; ++i) {
        if (nodal->index[i] >= 0) {
            nodal->vertex[nodal->index[i]] = i;
        }
    }
    for (int32_t fill = 0; fill < 2; ++fill) {
        for (int32_t batch = 0; batch < batches->batch_count; ++batch) {
            const int32_t *vertex = batches->vertex + (int64_t)batch * 4 * WIDTH;
            const double *constants =
                batches->constants + (int64_t)batch * batches->force->type->constant_count * WIDTH;
            for (int32_t k = 0; k < 4 * batches->count[batch]; ++k) {
                int32_t lane = k / 4, at = nodal->index[vertex[k % 4 * WIDTH + lane]];
                if (fill) {
                    nodal->around[start[at + 1]++] = batch * WIDTH + lane;
                    nodal->volume[at] += 0.25 * constants[LY_TET_VOLUME * WIDTH + lane];
                } else {
                    ++start[at + 2];
                }
            }
        }
        if (!fill) {
            begin_lists((int64_t)nodal->count + 1, start);
        }
    }
    return LYRA_OK;
}

// where `id` stands in an ascending list that has it
static int32_t find_id(const int32_t *ids, int64_t count, int32_t id)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (int32_t)low;
}

static LyraStatus find_rings(LyraContext *ctx, const LyBatches *batches, LyNodalPressure *nodal)
{
    int64_t total = 4 * (int64_t)batches->force->stencil_count;
    int32_t *ids = NULL;
    Rings rings = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, total, sizeof *ids, &ids));
    LY_TRY_DONE(ly_allocate_array(ctx, 4 * total, sizeof *nodal->ring_of, &nodal->ring_of));
    int64_t at = 0;
    for (int32_t batch = 0; batch < batches->batch_count; ++batch) {
        for (int32_t k = 0; k < 4 * batches->count[batch]; ++k) {
            int64_t node = (int64_t)batch * 4 * WIDTH + k % 4 * WIDTH + k / 4;
            ids[at++] = nodal->index[batches->vertex[node]];
        }
    }
    LY_TRY_DONE(make_rings(ctx, nodal->count, batches->force->stencil_count, ids, &rings));
    nodal->ring_start = rings.start;
    nodal->ring = rings.ids;
    LY_TRY_DONE(
        ly_allocate_array(ctx, rings.start[nodal->count], sizeof *nodal->back, &nodal->back));
    for (int32_t k = 0; k < nodal->count; ++k) {
        const int32_t *ring = rings.ids + rings.start[k];
        int64_t size = rings.start[k + 1] - rings.start[k];
        for (int64_t r = 0; r < size; ++r) {
            int32_t other = ring[r];
            nodal->back[rings.start[k] + r] = find_id(
                rings.ids + rings.start[other], rings.start[other + 1] - rings.start[other], k);
        }
        for (int64_t n = nodal->around_start[k]; n < nodal->around_start[k + 1]; ++n) {
            int32_t batch = nodal->around[n] / WIDTH, lane = nodal->around[n] % WIDTH;
            for (int32_t a = 0; a < 4; ++a) {
                int32_t place = batches->vertex[(int64_t)batch * 4 * WIDTH + a * WIDTH + lane];
                nodal->ring_of[4 * n + a] = find_id(ring, size, nodal->index[place]);
            }
        }
    }
    // numbers ascend with the places
    for (int64_t r = 0; r < rings.start[nodal->count]; ++r) {
        nodal->ring[r] = nodal->vertex[nodal->ring[r]];
    }
done:
    ly_release(ctx, ids);
    if (!nodal->ring_start) {
        release_rings(ctx, &rings);
    }
    return status;
}

void ly_nodal_set_parameters(LyNodalPressure *nodal, const LyBatches *batches)
{
    const LyraForceType *type = batches->force->type;
    for (int32_t k = 0; k < group_count(nodal) * WIDTH; ++k) {
        int32_t vertex = k < nodal->count ? k : nodal->count - 1, group = k / WIDTH;
        for (int32_t p = 0; p < type->parameter_count; ++p) {
            double sum = 0;
            for (int64_t n = nodal->around_start[vertex]; n < nodal->around_start[vertex + 1];
                 ++n) {
                int64_t batch = nodal->around[n] / WIDTH;
                int32_t lane = nodal->around[n] % WIDTH;
                double volume =
                    batches
                        ->constants[(batch * type->constant_count + LY_TET_VOLUME) * WIDTH + lane];
                sum += 0.25 * volume *
                       batches->parameters[(batch * type->parameter_count + p) * WIDTH + lane];
            }
            nodal->parameters[((int64_t)group * type->parameter_count + p) * WIDTH + k % WIDTH] =
                sum / nodal->volume[vertex];
        }
    }
}

LyraStatus ly_nodal_create(LyraContext *ctx, const LyraAssembly *assembly, int32_t force,
                           LyNodalPressure **out)
{
    const LyBatches *batches = &assembly->batches[force];
    LyNodalPressure *nodal = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *nodal, &nodal));
    LY_TRY_DONE(find_vertices(ctx, assembly, batches, nodal));
    LY_TRY_DONE(find_rings(ctx, batches, nodal));
    LY_TRY_DONE(ly_allocate_array(
        ctx, (int64_t)group_count(nodal) * batches->force->type->parameter_count * WIDTH,
        sizeof *nodal->parameters, &nodal->parameters));
    ly_nodal_set_parameters(nodal, batches);
    *out = nodal;
    nodal = NULL;
done:
    ly_nodal_destroy(ctx, nodal);
    return status;
}

void ly_nodal_destroy(LyraContext *ctx, LyNodalPressure *nodal)
{
    if (!nodal) {
        return;
    }
    ly_release(ctx, nodal->vertex);
    ly_release(ctx, nodal->index);
    ly_release(ctx, nodal->volume);
    ly_release(ctx, nodal->parameters);
    ly_release(ctx, nodal->around_start);
    ly_release(ctx, nodal->around);
    ly_release(ctx, nodal->ring_start);
    ly_release(ctx, nodal->ring);
    ly_release(ctx, nodal->back);
    ly_release(ctx, nodal->ring_of);
    ly_release(ctx, nodal);
}

LyraStatus ly_nodal_work_create(LyraContext *ctx, const LyraAssembly *assembly,
                                const LyBatches *batches, LyNodalPressureWork **out)
{
    const LyNodalPressure *nodal = batches->nodal;
    LyNodalPressureWork *work = NULL;
    LyraStatus status = LYRA_OK;
    int64_t groups = group_count(nodal);
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *work, &work));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, (int64_t)batches->batch_count * 10 * WIDTH,
                                   sizeof *work->element, &work->element));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, groups * 3 * WIDTH, sizeof *work->value, &work->value));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 2 * (int64_t)assembly->vertex_count, sizeof *work->mean,
                                   &work->mean));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 3 * nodal->ring_start[nodal->count], sizeof *work->slope,
                                   &work->slope));
    *out = work;
    work = NULL;
done:
    ly_nodal_work_destroy(ctx, work);
    return status;
}

void ly_nodal_work_destroy(LyraContext *ctx, LyNodalPressureWork *work)
{
    if (!work) {
        return;
    }
    ly_release(ctx, work->element);
    ly_release(ctx, work->value);
    ly_release(ctx, work->mean);
    ly_release(ctx, work->slope);
    ly_release(ctx, work);
}

// ---- passes -------------------------------------------------------------------------------------

typedef struct Pass {
    const LyraAssembly *assembly;
    const LyBatches *batches;
    LyNodalPressureWork *work;
    const double *x;
    bool slopes, psd;
    int32_t pieces;
    LyraIsa isa;
    double *values;
} Pass;

static void element_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    static LyNodalElementsKernel *const kernels[] = LY_KERNEL_TABLE(ly_nodal_elements);
    const Pass *pass = data;
    int32_t count = pass->batches->batch_count;
    kernels[pass->isa](pass->batches, pass->x, (int32_t)ly_piece_begin(count, pass->pieces, index),
                       (int32_t)ly_piece_begin(count, pass->pieces, index + 1), pass->slopes,
                       pass->work->element);
}

// gradients of J_a by the vertices of its ring
static void find_slopes(const Pass *pass, int32_t k)
{
    const LyNodalPressure *nodal = pass->batches->nodal;
    double *slope = pass->work->slope + 3 * nodal->ring_start[k];
    double scale = 0.25 / nodal->volume[k];
    memset(slope, 0,
           (size_t)(3 * (nodal->ring_start[k + 1] - nodal->ring_start[k])) * sizeof *slope);
    for (int64_t n = nodal->around_start[k]; n < nodal->around_start[k + 1]; ++n) {
        int64_t batch = nodal->around[n] / WIDTH;
        const double *g = pass->work->element + (batch * 10 + 1) * WIDTH + nodal->around[n] % WIDTH;
        const int32_t *at = nodal->ring_of + 4 * n;
        for (int32_t i = 0; i < 3; ++i) {
            double g1 = scale * g[i * WIDTH], g2 = scale * g[(3 + i) * WIDTH];
            double g3 = scale * g[(6 + i) * WIDTH];
            slope[3 * at[0] + i] -= g1 + g2 + g3;
            slope[3 * at[1] + i] += g1;
            slope[3 * at[2] + i] += g2;
            slope[3 * at[3] + i] += g3;
        }
    }
}

static void vertex_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    static LyNodalVerticesKernel *const kernels[] = LY_KERNEL_TABLE(ly_nodal_vertices);
    const Pass *pass = data;
    const LyNodalPressure *nodal = pass->batches->nodal;
    LyNodalPressureWork *work = pass->work;
    int32_t begin = (int32_t)ly_piece_begin(group_count(nodal), pass->pieces, index);
    int32_t end = (int32_t)ly_piece_begin(group_count(nodal), pass->pieces, index + 1);
    kernels[pass->isa](nodal, pass->batches, work->element, begin, end, work->value);
    for (int32_t k = begin * WIDTH; k < end * WIDTH && k < nodal->count; ++k) {
        const double *value = work->value + (int64_t)(k / WIDTH) * 3 * WIDTH + k % WIDTH;
        double *mean = work->mean + 2 * (int64_t)nodal->vertex[k];
        mean[0] = value[0];
        mean[1] = value[WIDTH];
        if (pass->slopes) {
            find_slopes(pass, k);
        }
    }
}

void ly_nodal_prepare(const LyraAssembly *assembly, const LyBatches *batches,
                      LyNodalPressureWork *work, const double *x, bool slopes)
{
    Pass pass = {.assembly = assembly,
                 .batches = batches,
                 .work = work,
                 .x = x,
                 .slopes = slopes,
                 .isa = lyra_context_isa(assembly->ctx)};
    pass.pieces = ly_piece_count(batches->batch_count, GRAIN);
    ly_parallel_for(assembly->ctx, pass.pieces, element_task, &pass);
    pass.pieces = ly_piece_count(group_count(batches->nodal), GRAIN);
    ly_parallel_for(assembly->ctx, pass.pieces, vertex_task, &pass);
}

void ly_nodal_gather(const int32_t *vertex, const double *mean, double *out)
{
    for (int32_t lane = 0; lane < WIDTH; ++lane) {
        double sum[2] = {0, 0};
        for (int32_t a = 0; a < 4; ++a) {
            const double *at = mean + 2 * (int64_t)vertex[a * WIDTH + lane];
            sum[0] += at[0];
            sum[1] += at[1];
        }
        out[lane] = 0.25 * sum[0];
        out[WIDTH + lane] = 0.25 * sum[1];
    }
}

// ---- rows of the tangent ------------------------------------------------------------------------

// Adds V_a U'' (grad J_a)_i (grad J_a)_j^T to row i, columns j of `ring` from `from` on. Ring and
// columns ascend.
static void add_vertex(const LyraBlockPatternView *pattern, int32_t row, const double left[3],
                       int64_t count, const int32_t *ring, const double *slope, double *values)
{
    int64_t k = pattern->row_start[row];
    for (int64_t r = 0; r < count; ++r) {
        while (pattern->column[k] != ring[r]) {
            ++k;
        }
        double *block = values + 9 * k;
        for (int32_t i = 0; i < 3; ++i) {
            for (int32_t j = 0; j < 3; ++j) {
                block[3 * i + j] += left[i] * slope[3 * r + j];
            }
        }
    }
}

static void row_task(void *data, int32_t leaf, int32_t worker)
{
    (void)worker;
    const Pass *pass = data;
    const LyraAssembly *assembly = pass->assembly;
    const LyNodalPressure *nodal = pass->batches->nodal;
    LyraBlockPatternView pattern = lyra_block_pattern_view(assembly->pattern);
    bool upper = pattern.storage == LYRA_STORAGE_UPPER;
    int32_t end = ly_range_tree_leaf_begin(&assembly->tree, leaf + 1);
    for (int32_t row = ly_range_tree_leaf_begin(&assembly->tree, leaf); row < end; ++row) {
        int32_t own = nodal->index[row];
        if (own < 0) {
            continue;
        }
        for (int64_t n = nodal->ring_start[own]; n < nodal->ring_start[own + 1]; ++n) {
            int32_t k = nodal->index[nodal->ring[n]], here = nodal->back[n];
            const double *slope = pass->work->slope + 3 * nodal->ring_start[k];
            double curvature =
                pass->work->value[((int64_t)(k / WIDTH) * 3 + 2) * WIDTH + k % WIDTH];
            double stiffness = nodal->volume[k] * (pass->psd && curvature < 0 ? 0 : curvature);
            double left[3];
            for (int32_t i = 0; i < 3; ++i) {
                left[i] = stiffness * slope[3 * here + i];
            }
            int32_t from = upper ? here + assembly->zero_sums : 0;
            int64_t size = nodal->ring_start[k + 1] - nodal->ring_start[k];
            add_vertex(&pattern, row, left, size - from, nodal->ring + nodal->ring_start[k] + from,
                       slope + 3 * from, pass->values);
        }
    }
}

void ly_nodal_add_rows(const LyraAssembly *assembly, const LyBatches *batches,
                       const LyNodalPressureWork *work, bool psd, double *values)
{
    Pass pass = {.assembly = assembly,
                 .batches = batches,
                 .work = (LyNodalPressureWork *)work,
                 .psd = psd,
                 .values = values};
    ly_parallel_for(assembly->ctx, ly_range_tree_level_size(&assembly->tree, 0), row_task, &pass);
}
