// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Evaluating an assembly. Leaves of the tree first: each copies its vertices in, clears its rows
// and runs its batches; who finishes the second half of a node goes on with the node, so nobody
// waits before the root is done; last, diagonals are summed and gradients copied out. Every vertex
// and block is added to in an order that only the problem fixes.

#include "force/force.h"
#include "force/nodal.h"
#include "force/rest_shape.h"

#include <math.h>
#include <string.h>

#define WIDTH LYRA_BATCH_WIDTH

size_t ly_run_scratch(void)
{
    // positions, velocities, gradient, two directions and their contraction, diagonal blocks and
    // two sets of n^2 blocks, and rounding
    size_t nodes = LYRA_STENCIL_NODES_MAX;
    return (6 * 3 * nodes + 9 * nodes + 2 * 9 * nodes * nodes) * WIDTH * sizeof(double) +
           12 * LY_ALIGNMENT;
}

typedef struct Task {
    const LyraAssembly *assembly;
    LyAssemblyWork *work;
    const LyraEvaluation *evaluation;
    LyRunKernel *kernel;
    LyDiagonalKernel *diagonal_kernel;
    bool det;                    // det F is wanted
    double *dfdx, *dfdv;         // values
    double *a, *b, *contraction; // [vertex][4], Nullable
} Task;

static void copy_in(const int32_t *order, int32_t begin, int32_t end, const double *from,
                    double *to)
{
    for (int32_t i = begin; i < end; ++i) {
        const double *vertex = from + 3 * (int64_t)order[i];
        to[4 * (int64_t)i] = vertex[0];
        to[4 * (int64_t)i + 1] = vertex[1];
        to[4 * (int64_t)i + 2] = vertex[2];
    }
}

LyPlace ly_force_place(const LyraForceType *type)
{
    return type->traits & LYRA_FORCE_DISPLACEMENT            ? LY_PLACE_DISPLACED
           : type->traits & LYRA_FORCE_TRANSLATION_INVARIANT ? LY_PLACE_NEAR
                                                             : LY_PLACE_TRUE;
}

void ly_place_vertex(const LyraAssembly *assembly, LyPlace place, const LyraEvaluation *evaluation,
                     int32_t id, double out[3])
{
    int64_t vertex = 3 * (int64_t)assembly->order[id];
    const double *rest = assembly->rest + 3 * (int64_t)id, *middle = assembly->middle;
    for (int i = 0; i < 3; ++i) {
        if (!evaluation->u) {
            double x = evaluation->x[vertex + i];
            out[i] = place == LY_PLACE_DISPLACED ? x - rest[i]
                     : place == LY_PLACE_NEAR    ? x - middle[i]
                                                 : x;
        } else {
            double u = evaluation->u[vertex + i];
            out[i] = place == LY_PLACE_DISPLACED ? u
                     : place == LY_PLACE_NEAR    ? rest[i] - middle[i] + u
                                                 : rest[i] + u;
        }
    }
}

// vertices [begin, end) of one kind of places
static void copy_places(const LyraAssembly *assembly, const LyraEvaluation *evaluation,
                        LyPlace place, int32_t begin, int32_t end, double *to)
{
    if (place == LY_PLACE_DISPLACED && evaluation->u) {
        copy_in(assembly->order, begin, end, evaluation->u, to);
        return;
    }
    for (int32_t i = begin; i < end; ++i) {
        ly_place_vertex(assembly, place, evaluation, i, to + 4 * (int64_t)i);
    }
}

static void clear_rows(const LyraBlockPatternView *pattern, int32_t begin, int32_t end,
                       double *values)
{
    int64_t first = pattern->row_start[begin], last = pattern->row_start[end];
    memset(values + 9 * first, 0, (size_t)(9 * (last - first)) * sizeof *values);
}

static void prepare_leaf(const Task *task, int32_t leaf)
{
    const LyraAssembly *assembly = task->assembly;
    LyAssemblyWork *work = task->work;
    const LyraEvaluation *evaluation = task->evaluation;
    LyraBlockPatternView pattern = lyra_block_pattern_view(assembly->pattern);
    int32_t begin = ly_range_tree_leaf_begin(&assembly->tree, leaf);
    int32_t end = ly_range_tree_leaf_begin(&assembly->tree, leaf + 1);
    for (LyPlace place = 0; place < LY_PLACES; ++place) {
        if (work->places[place]) {
            copy_places(assembly, evaluation, place, begin, end, work->places[place]);
        }
    }
    if (evaluation->v && work->v) {
        copy_in(assembly->order, begin, end, evaluation->v, work->v);
    }
    if (evaluation->gradient) {
        memset(work->gradient + 4 * (int64_t)begin, 0,
               (size_t)(4 * (int64_t)(end - begin)) * sizeof *work->gradient);
    }
    if (task->contraction) {
        copy_in(assembly->order, begin, end, evaluation->a, task->a);
        copy_in(assembly->order, begin, end, evaluation->b, task->b);
        memset(task->contraction + 4 * (int64_t)begin, 0,
               (size_t)(4 * (int64_t)(end - begin)) * sizeof *task->contraction);
    }
    if (task->dfdx) {
        clear_rows(&pattern, begin, end, task->dfdx);
    }
    if (task->dfdv) {
        clear_rows(&pattern, begin, end, task->dfdv);
    }
}

const double *ly_history_at(const LyAssemblyWork *work, const LyBatches *batches, int32_t force,
                            const LyraEvaluation *evaluation)
{
    return work->history[force]  ? work->history[force]
           : evaluation->history ? evaluation->history + batches->history_begin
                                 : NULL;
}

static double *find_trial_history(const Task *task, const LyBatches *batches, int32_t force)
{
    double *all = task->evaluation->trial_history, *own = task->work->trial_history[force];
    return batches->force->type->history_count == 0 ? NULL
           : own                                    ? own
           : all                                    ? all + batches->history_begin
                                                    : NULL;
}

static void run_node(const Task *task, int32_t node, int32_t worker)
{
    const LyraAssembly *assembly = task->assembly;
    LyAssemblyWork *work = task->work;
    double energy = 0;
    if (task->det) {
        work->node_det[node] = (LyraDetF){.min = INFINITY, .element = -1};
    }
    for (int64_t r = assembly->run_start[node]; r < assembly->run_start[node + 1]; ++r) {
        int32_t f = assembly->runs[r].force;
        const LyBatches *batches = &assembly->batches[f];
        bool viscous = batches->force->type->traits & LYRA_FORCE_VELOCITY;
        LyRun run = {
            .batches = batches,
            .evaluation = task->evaluation,
            .symmetric = assembly->symmetric,
            .zero_sums = assembly->zero_sums,
            .x = work->places[ly_force_place(batches->force->type)],
            .v = viscous ? work->v : NULL,
            .gradient = task->evaluation->gradient ? work->gradient : NULL,
            .dfdx = task->dfdx,
            .dfdv = viscous ? task->dfdv : NULL,
            .a = task->a,
            .b = task->b,
            .contraction = task->contraction,
            .det = task->det && batches->force->type->traits & LY_FORCE_REST_TET
                       ? &work->node_det[node]
                       : NULL,
            .history = ly_history_at(work, batches, f, task->evaluation),
            // kernels that may remember take it for a sign that this force does
            .trial_history = find_trial_history(task, batches, f),
            .nodal = work->nodal[f] ? work->nodal[f]->mean : NULL,
        };
        energy += task->kernel(&run, assembly->runs[r].begin, assembly->runs[r].end,
                               work->arenas[worker]);
    }
    work->energy[node] = energy;
}

// a leaf, and every node above whose other half is done
static void climb(void *data, int32_t leaf, int32_t worker)
{
    const Task *task = data;
    const LyRangeTree *tree = &task->assembly->tree;
    atomic_int *arrivals = task->work->arrivals;
    prepare_leaf(task, leaf);
    run_node(task, leaf, worker);
    for (int32_t level = 1; level < tree->levels; ++level) {
        int32_t node = ly_range_tree_level_begin(tree, level) + (leaf >> level);
        // the one who comes first leaves the node to the other, who then sees what it wrote
        if (atomic_fetch_add_explicit(&arrivals[node], 1, memory_order_acq_rel) == 0) {
            return;
        }
        atomic_store_explicit(&arrivals[node], 0, memory_order_relaxed);
        run_node(task, node, worker);
    }
}

// `order`: Nullable: as they are
static void copy_vertices_out(const int32_t *order, int32_t begin, int32_t end, const double *from,
                              double *to)
{
    for (int32_t i = begin; i < end; ++i) {
        double *vertex = to + 3 * (int64_t)(order ? order[i] : i);
        vertex[0] = from[4 * (int64_t)i];
        vertex[1] = from[4 * (int64_t)i + 1];
        vertex[2] = from[4 * (int64_t)i + 2];
    }
}

static void finish_leaf(void *data, int32_t leaf, int32_t worker)
{
    (void)worker;
    const Task *task = data;
    const LyraAssembly *assembly = task->assembly;
    const LyraEvaluation *evaluation = task->evaluation;
    const int32_t *order = assembly->compact ? NULL : assembly->order;
    int32_t begin = ly_range_tree_leaf_begin(&assembly->tree, leaf);
    int32_t end = ly_range_tree_leaf_begin(&assembly->tree, leaf + 1);
    if (evaluation->gradient) {
        copy_vertices_out(order, begin, end, task->work->gradient, evaluation->gradient);
    }
    if (evaluation->contraction) {
        copy_vertices_out(order, begin, end, task->contraction, evaluation->contraction);
    }
    if (assembly->zero_sums && task->dfdx) {
        task->diagonal_kernel(&assembly->diagonal, begin, end, task->dfdx);
    }
    if (assembly->zero_sums && task->dfdv) {
        task->diagonal_kernel(&assembly->diagonal, begin, end, task->dfdv);
    }
}

static LyraStatus check(const LyraAssembly *assembly, const LyAssemblyWork *work,
                        const LyraEvaluation *evaluation)
{
    if (!evaluation->u && !evaluation->x && assembly->vertex_count > 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "evaluation: no displacements and no positions");
    }
    if ((evaluation->dfdx && lyra_block_matrix_pattern(evaluation->dfdx) != assembly->pattern) ||
        (evaluation->dfdv && lyra_block_matrix_pattern(evaluation->dfdv) != assembly->pattern)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "evaluation: a matrix is not on the assembly's pattern");
    }
    for (int32_t f = 0; assembly->history_size > 0 && f < assembly->force_count; ++f) {
        if (assembly->batches[f].force->type->history_count > 0 &&
            !ly_history_at(work, &assembly->batches[f], f, evaluation)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "evaluation: a force has history, but none is given");
        }
    }
    if (evaluation->contraction && (!evaluation->a || !evaluation->b)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "evaluation: a contraction without two directions");
    }
    for (int32_t f = 0; evaluation->contraction && f < assembly->force_count; ++f) {
        const LyraForceType *type = assembly->batches[f].force->type;
        if (!(type->traits & LYRA_FORCE_CONTRACTION)) {
            return ly_fail(
                LYRA_UNSUPPORTED,
                "evaluation: force %s, as it was created, has no derivative of its tangent",
                type->name);
        }
    }
    return LYRA_OK;
}

bool ly_assembly_finds_det(const LyraAssembly *assembly)
{
    int32_t solids = 0, tets = 0;
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        uint32_t traits = assembly->batches[f].force->type->traits;
        solids += (traits & LYRA_FORCE_SOLID) != 0;
        tets += (traits & LY_FORCE_REST_TET) != 0;
    }
    return solids == 1 && tets == 1;
}

// ---- scratch ------------------------------------------------------------------------------------

void ly_assembly_work_destroy(LyAssemblyWork *work)
{
    if (!work) {
        return;
    }
    LyraContext *ctx = work->ctx;
    for (int32_t t = 0; work->arenas && t < lyra_context_thread_count(ctx); ++t) {
        ly_arena_destroy(ctx, work->arenas[t]);
    }
    for (LyPlace place = 0; place < LY_PLACES; ++place) {
        ly_release(ctx, work->places[place]);
    }
    ly_release(ctx, work->arenas);
    ly_release(ctx, work->history);
    ly_release(ctx, work->trial_history);
    for (int32_t f = 0; work->nodal && f < work->force_count; ++f) {
        ly_nodal_work_destroy(ctx, work->nodal[f]);
    }
    ly_release(ctx, work->nodal);
    ly_release(ctx, work->v);
    ly_release(ctx, work->gradient);
    ly_release(ctx, work->directions);
    ly_release(ctx, work->energy);
    ly_release(ctx, work->node_det);
    ly_release(ctx, work->arrivals);
    ly_release(ctx, work);
}

static LyraStatus fill_work(const LyraAssembly *assembly, LyAssemblyWork *work)
{
    LyraContext *ctx = work->ctx;
    int64_t each = 4 * (int64_t)assembly->vertex_count;
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        const LyraForceType *type = assembly->batches[f].force->type;
        double **places = &work->places[ly_force_place(type)];
        if (!*places) {
            LY_TRY(ly_allocate_zeroed(ctx, each, sizeof(double), places));
        }
        if (!work->v && type->traits & LYRA_FORCE_VELOCITY) {
            LY_TRY(ly_allocate_zeroed(ctx, each, sizeof(double), &work->v));
        }
    }
    LY_TRY(ly_allocate_zeroed(ctx, each, sizeof(double), &work->gradient));
    int32_t tree_nodes = assembly->tree.node_count;
    LY_TRY(ly_allocate_zeroed(ctx, tree_nodes, sizeof(double), &work->energy));
    if (ly_assembly_finds_det(assembly)) {
        LY_TRY(ly_allocate_zeroed(ctx, tree_nodes, sizeof(LyraDetF), &work->node_det));
    }
    LY_TRY(ly_allocate_zeroed(ctx, assembly->tree.node_count, sizeof *work->arrivals,
                              &work->arrivals));
    LY_TRY(ly_allocate_zeroed(ctx, assembly->force_count, sizeof(void *), &work->history));
    LY_TRY(ly_allocate_zeroed(ctx, assembly->force_count, sizeof(void *), &work->trial_history));
    LY_TRY(ly_allocate_zeroed(ctx, assembly->force_count, sizeof(void *), &work->nodal));
    work->force_count = assembly->force_count;
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        if (assembly->batches[f].nodal) {
            LY_TRY(ly_nodal_work_create(ctx, assembly, &assembly->batches[f], &work->nodal[f]));
        }
    }
    int32_t threads = lyra_context_thread_count(ctx);
    LY_TRY(ly_allocate_zeroed(ctx, threads, sizeof(void *), &work->arenas));
    for (int32_t t = 0; t < threads; ++t) {
        LY_TRY(ly_arena_create(ctx, ly_run_scratch() + assembly->scratch_bytes, &work->arenas[t]));
    }
    return LYRA_OK;
}

LyraStatus ly_assembly_work_create(LyraContext *ctx, const LyraAssembly *assembly,
                                   LyAssemblyWork **out)
{
    LyAssemblyWork *work = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *work, &work));
    work->ctx = ctx;
    LyraStatus status = fill_work(assembly, work);
    if (status != LYRA_OK) {
        ly_assembly_work_destroy(work);
        return status;
    }
    *out = work;
    return LYRA_OK;
}

// room for directions and contraction, from the first call that needs it on
static LyraStatus prepare_contraction(Task *task)
{
    LyAssemblyWork *work = task->work;
    int64_t each = 4 * (int64_t)task->assembly->vertex_count;
    if (!work->directions) {
        LY_TRY(
            ly_allocate_zeroed(work->ctx, 3 * each, sizeof *work->directions, &work->directions));
    }
    task->a = work->directions;
    task->b = work->directions + each;
    task->contraction = work->directions + 2 * each;
    return LYRA_OK;
}

// of elements of one force in any order: of equal ones the first
static void join_det(LyraDetF *all, const LyraDetF *other)
{
    bool same = other->min == all->min || (isnan(other->min) && isnan(all->min));
    if (same && other->element >= 0 && other->element < all->element) {
        all->element = other->element;
    }
    ly_det_f_join(all, other);
}

// ---- nodal pressure -----------------------------------------------------------------------------

typedef struct Copy {
    const LyraAssembly *assembly;
    const LyraEvaluation *evaluation;
    double *to;
} Copy;

static void copy_task(void *data, int32_t leaf, int32_t worker)
{
    (void)worker;
    const Copy *copy = data;
    const LyRangeTree *tree = &copy->assembly->tree;
    copy_places(copy->assembly, copy->evaluation, LY_PLACE_DISPLACED,
                ly_range_tree_leaf_begin(tree, leaf), ly_range_tree_leaf_begin(tree, leaf + 1),
                copy->to);
}

void ly_assembly_prepare_nodal(const LyraAssembly *assembly, LyAssemblyWork *work,
                               const LyraEvaluation *evaluation, bool slopes)
{
    bool copied = false;
    for (int32_t f = 0; f < assembly->force_count; ++f) {
        if (!work->nodal[f]) {
            continue;
        }
        Copy copy = {assembly, evaluation, work->places[LY_PLACE_DISPLACED]};
        if (!copied) {
            ly_parallel_for(work->ctx, ly_range_tree_level_size(&assembly->tree, 0), copy_task,
                            &copy);
        }
        copied = true;
        ly_nodal_prepare(assembly, &assembly->batches[f], work->nodal[f], copy.to, slopes);
    }
}

// ---- the whole ----------------------------------------------------------------------------------

LyraStatus ly_assembly_evaluate(const LyraAssembly *assembly, LyAssemblyWork *work,
                                const LyraEvaluation *evaluation)
{
    static LyRunKernel *const kernels[] = LY_KERNEL_TABLE(ly_force_run);
    static LyDiagonalKernel *const diagonals[] = LY_KERNEL_TABLE(ly_force_diagonal);
    LY_TRY(check(assembly, work, evaluation));
    const LyRangeTree *tree = &assembly->tree;
    Task task = {
        .assembly = assembly,
        .work = work,
        .evaluation = evaluation,
        .kernel = kernels[lyra_context_isa(work->ctx)],
        .diagonal_kernel = diagonals[lyra_context_isa(work->ctx)],
        .det = work->det && work->node_det,
        .dfdx = evaluation->dfdx ? lyra_block_matrix_values_mutable(evaluation->dfdx) : NULL,
        .dfdv = evaluation->dfdv ? lyra_block_matrix_values_mutable(evaluation->dfdv) : NULL,
    };
    if (evaluation->contraction) {
        LY_TRY(prepare_contraction(&task));
    }
    if (!evaluation->v && work->v) {
        memset(work->v, 0, (size_t)assembly->vertex_count * 4 * sizeof *work->v);
    }
    ly_assembly_prepare_nodal(assembly, work, evaluation, task.dfdx != NULL);
    ly_parallel_for(work->ctx, ly_range_tree_level_size(tree, 0), climb, &task);
    for (int32_t f = 0; task.dfdx && f < assembly->force_count; ++f) {
        if (work->nodal[f]) {
            ly_nodal_add_rows(assembly, &assembly->batches[f], work->nodal[f], evaluation->psd,
                              task.dfdx);
        }
    }
    if (evaluation->gradient || evaluation->contraction || task.dfdx || task.dfdv) {
        ly_parallel_for(work->ctx, ly_range_tree_level_size(tree, 0), finish_leaf, &task);
    }
    if (evaluation->energy) {
        double sum = 0;
        for (int32_t node = 0; node < tree->node_count; ++node) {
            sum += work->energy[node];
        }
        *evaluation->energy = sum;
    }
    if (task.det) {
        *work->det = (LyraDetF){.min = INFINITY, .element = -1};
        for (int32_t node = 0; node < tree->node_count; ++node) {
            join_det(work->det, &work->node_det[node]);
        }
    }
    return LYRA_OK;
}

// the scratch of those who bring none; under the lock
static LyraStatus find_shared(LyraAssembly *assembly)
{
    return assembly->shared ? LYRA_OK
                            : ly_assembly_work_create(assembly->ctx, assembly, &assembly->shared);
}

LyraStatus lyra_assembly_evaluate(LyraAssembly *assembly, const LyraEvaluation *evaluation)
{
    pthread_mutex_lock(&assembly->lock);
    LyraStatus status = find_shared(assembly);
    if (status == LYRA_OK) {
        status = ly_assembly_evaluate(assembly, assembly->shared, evaluation);
    }
    pthread_mutex_unlock(&assembly->lock);
    return status;
}

LyraStatus lyra_assembly_evaluate_stencils(LyraAssembly *assembly, int32_t force,
                                           const LyraEvaluation *at, double *energies,
                                           double *gradients)
{
    LYRA_ASSERT(assembly && at);
    pthread_mutex_lock(&assembly->lock);
    LyraStatus status = find_shared(assembly);
    if (status == LYRA_OK) {
        status = ly_assembly_evaluate_stencils(assembly, assembly->shared, force, at, energies,
                                               gradients);
    }
    pthread_mutex_unlock(&assembly->lock);
    return status;
}

LyraStatus lyra_assembly_set_parameter(LyraAssembly *assembly, int32_t force, int32_t parameter,
                                       const double *values)
{
    if (force < 0 || force >= assembly->force_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "assembly: no force %d of %d", force,
                       assembly->force_count);
    }
    LyBatches *b = &assembly->batches[force];
    int32_t parameter_count = b->force->type->parameter_count;
    if (parameter < 0 || parameter >= parameter_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "assembly: force %s has no parameter %d of %d",
                       b->force->type->name, parameter, parameter_count);
    }
    for (int32_t e = 0; e < b->force->stencil_count; ++e) {
        LY_TRY(ly_force_check_parameter(b->force->type, parameter, e, values[e]));
    }
    pthread_mutex_lock(&assembly->lock);
    ++assembly->version;
    for (int32_t batch = 0; batch < b->batch_count; ++batch) {
        double *to = b->parameters + ((int64_t)batch * parameter_count + parameter) * WIDTH;
        for (int32_t lane = 0; lane < WIDTH; ++lane) {
            to[lane] = values[b->element[(int64_t)batch * WIDTH + lane]];
        }
    }
    ly_batches_set_stride(b);
    if (b->nodal) {
        ly_nodal_set_parameters(b->nodal, b);
    }
    pthread_mutex_unlock(&assembly->lock);
    return LYRA_OK;
}
