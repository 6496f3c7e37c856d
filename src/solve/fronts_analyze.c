// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The analysis behind a factor by fronts: what can be known from the pattern alone.
//
// Tree. The parent of column j of the factor is the row of its first entry below the diagonal;
// found by Liu's algorithm, with paths cut short [Liu90]. A postorder of the tree fills in as the
// given order does.
//
// Counts. Entries per column of the factor by Gilbert, Ng and Peyton [GNP94], in nearly linear
// time: row i of the factor is a subtree whose leaves are found by first descendants, and the
// columns are counted by differences at leaves and at their least common ancestors.
//
// Fronts. Neighbouring columns with the same rows become one front. A child then joins its parent
// if the zeros that this stores are few (RELAX): wide fronts compute faster, and pass less on.
//
// Rows. A front's rows are those of its entries in the matrix and of its children, less its pivots;
// sorted by two transpositions, in linear time.
//
// Memory. What a front passes to its parent lies on one of two stacks, by the parity of its depth:
// its children, a level deeper, are on top of the other one and are dropped when it has taken them
// in, so nothing is ever moved. Subtrees of a fixed share of the work are done by one thread each,
// on stacks of that thread; what they pass to the fronts above is kept until those are done.

#include "base/forest.h"
#include "solve/fronts.h"
#include "sparse/graph.h"

#include <string.h>

/// A subtree for one thread has at most this part of all work.
#define TREE_SHARE 24.0
/// Below this many operations, all is one subtree.
#define TREE_LEAST 2e6

/// Zeros that a merged front may have, as a share of its entries, by its pivots.
static const struct {
    int32_t width;
    double zeros;
} relax[] = {{6, 1.0}, {24, 0.3}, {64, 0.1}, {INT32_MAX, 0.03}};

typedef struct Analysis {
    LyraContext *ctx;
    LyAdjacency graph;
    int32_t count;     // nodes
    int32_t node_size; // unknowns of each
    int32_t *order;    // order[new] = old
    int32_t *inverse;
    int32_t *parent;  // of a column, -1: none
    int32_t *columns; // entries of a column of the factor, its diagonal counted
    int32_t *work[4]; // [count + 1]
    // columns [start[s], start[s + 1]) are supernode s
    int32_t super_count;
    int32_t *start;   // [count + 1]
    int32_t *group;   // front of a supernode
    int32_t *s_width; // by supernode that is a front
    int32_t *s_rows;  // pivots and rows below
    int32_t *s_parent;
    int32_t *child, *next;
    double *zeros;
} Analysis;

// ---- tree and counts ----------------------------------------------------------------------------

static void find_tree(Analysis *a)
{
    int32_t *ancestor = a->work[0];
    for (int32_t j = 0; j < a->count; ++j) {
        a->parent[j] = ancestor[j] = -1;
        int32_t old = a->order[j];
        for (int64_t k = a->graph.start[old]; k < a->graph.start[old + 1]; ++k) {
            int32_t i = a->inverse[a->graph.neighbour[k]];
            while (i >= 0 && i < j) {
                int32_t up = ancestor[i];
                ancestor[i] = j;
                if (up < 0) {
                    a->parent[i] = j;
                }
                i = up;
            }
        }
    }
}

// postorder of a forest given by parents that have larger numbers, children in ascending order
static void find_postorder(int32_t count, const int32_t *parent, int32_t *head, int32_t *next,
                           int32_t *stack, int32_t *post)
{
    for (int32_t j = 0; j < count; ++j) {
        head[j] = -1;
    }
    int32_t roots = -1;
    for (int32_t j = count - 1; j >= 0; --j) {
        int32_t *list = parent[j] >= 0 ? &head[parent[j]] : &roots;
        next[j] = *list;
        *list = j;
    }
    int32_t done = 0;
    for (int32_t root = roots; root >= 0; root = next[root]) {
        int32_t depth = 0;
        stack[depth++] = root;
        while (depth > 0) {
            int32_t j = stack[depth - 1], child = head[j];
            if (child >= 0) {
                head[j] = next[child];
                stack[depth++] = child;
            } else {
                post[done++] = j;
                --depth;
            }
        }
    }
}

// numbers the nodes along a postorder of their tree
static void follow_tree(Analysis *a)
{
    int32_t *post = a->work[3], *number = a->work[0], *old = a->work[1], *up = a->work[2];
    find_postorder(a->count, a->parent, a->work[0], a->work[1], a->work[2], post);
    memcpy(old, a->order, (size_t)a->count * sizeof *old);
    memcpy(up, a->parent, (size_t)a->count * sizeof *up);
    for (int32_t j = 0; j < a->count; ++j) {
        number[post[j]] = j;
        a->order[j] = old[post[j]];
        a->inverse[a->order[j]] = j;
    }
    for (int32_t j = 0; j < a->count; ++j) {
        a->parent[j] = up[post[j]] >= 0 ? number[up[post[j]]] : -1;
    }
}

static void count_columns(Analysis *a)
{
    int32_t *first = a->work[0], *largest = a->work[1], *leaf = a->work[2], *ancestor = a->work[3];
    int32_t *delta = a->columns;
    for (int32_t j = 0; j < a->count; ++j) {
        first[j] = largest[j] = leaf[j] = -1;
        ancestor[j] = j;
    }
    for (int32_t j = 0; j < a->count; ++j) {
        first[j] = first[j] < 0 ? j : first[j];
        delta[j] = first[j] == j;
        if (a->parent[j] >= 0 && first[a->parent[j]] < 0) {
            first[a->parent[j]] = first[j];
        }
    }
    for (int32_t j = 0; j < a->count; ++j) {
        if (a->parent[j] >= 0) {
            --delta[a->parent[j]];
        }
        int32_t old = a->order[j];
        for (int64_t k = a->graph.start[old]; k < a->graph.start[old + 1]; ++k) {
            int32_t i = a->inverse[a->graph.neighbour[k]];
            if (i <= j || first[j] <= largest[i]) {
                continue;
            }
            largest[i] = first[j];
            ++delta[j];
            if (leaf[i] >= 0) {
                --delta[ly_forest_root(ancestor, leaf[i])];
            }
            leaf[i] = j;
        }
        if (a->parent[j] >= 0) {
            ancestor[j] = a->parent[j];
        }
    }
    for (int32_t j = 0; j < a->count; ++j) {
        if (a->parent[j] >= 0) {
            delta[a->parent[j]] += delta[j];
        }
    }
}

// entries and operations of the factor of unknowns
static void find_cost(const Analysis *a, LyFronts *out)
{
    int32_t size = a->node_size;
    for (int32_t j = 0; j < a->count; ++j) {
        for (int32_t d = 0; d < size; ++d) {
            double entries = (double)a->columns[j] * size - d;
            out->entries += (int64_t)a->columns[j] * size - d;
            out->flops += entries * entries;
        }
    }
}

// ---- fronts -------------------------------------------------------------------------------------

static void find_supernodes(Analysis *a)
{
    int32_t count = 0, *of = a->work[0];
    for (int32_t j = 0; j < a->count; ++j) {
        bool same = j > 0 && a->parent[j - 1] == j && a->columns[j - 1] == a->columns[j] + 1;
        if (!same) {
            a->start[count++] = j;
        }
        of[j] = count - 1;
    }
    a->start[count] = a->count;
    a->super_count = count;
    for (int32_t s = 0; s < count; ++s) {
        int32_t up = a->parent[a->start[s + 1] - 1];
        a->s_width[s] = a->start[s + 1] - a->start[s];
        a->s_rows[s] = a->columns[a->start[s]];
        a->s_parent[s] = up >= 0 ? of[up] : -1;
        a->group[s] = s;
        a->zeros[s] = 0;
    }
}

// whether front `c` joins its parent `s`; tells the zeros of both together
static bool joins(const Analysis *a, int32_t c, int32_t s, double *zeros)
{
    double size = a->node_size, wc = a->s_width[c] * size, ws = a->s_width[s] * size;
    double rows = a->s_rows[s] * size + wc, below = (a->s_rows[c] - a->s_width[c]) * size;
    double width = wc + ws;
    double entries = width * (rows - (width - 1) / 2);
    *zeros = a->zeros[c] + a->zeros[s] + wc * (rows - wc - below);
    if (*zeros <= 0) {
        return true;
    }
    int32_t k = 0;
    while (width > relax[k].width) {
        ++k;
    }
    return *zeros <= relax[k].zeros * entries;
}

// children join their parents, bottom up
static void merge_fronts(Analysis *a)
{
    for (int32_t s = 0; s < a->super_count; ++s) {
        a->child[s] = -1;
    }
    for (int32_t s = 0; s < a->super_count; ++s) {
        // the list has the largest child first
        int32_t *from = &a->child[s];
        int32_t c = *from;
        while (c >= 0) {
            double zeros;
            if (!joins(a, c, s, &zeros)) {
                from = &a->next[c];
                c = *from;
                continue;
            }
            a->zeros[s] = zeros;
            a->s_width[s] += a->s_width[c];
            a->s_rows[s] += a->s_width[c];
            a->group[c] = s;
            // its own children take its place, and are not asked again
            int32_t after = a->next[c];
            *from = a->child[c];
            while (*from >= 0) {
                a->s_parent[*from] = s;
                from = &a->next[*from];
            }
            *from = after;
            c = after;
        }
        if (a->s_parent[s] >= 0) {
            int32_t up = a->s_parent[s], *place = &a->child[up];
            while (*place >= 0 &&
                   a->s_rows[*place] - a->s_width[*place] > a->s_rows[s] - a->s_width[s]) {
                place = &a->next[*place];
            }
            a->next[s] = *place;
            *place = s;
        }
    }
}

// numbers fronts along a postorder of their tree, and nodes by fronts
static LyraStatus number_fronts(Analysis *a, LyFronts *out)
{
    int32_t count = 0, *number = a->work[0], *list = a->work[1], *up = a->work[2];
    for (int32_t s = 0; s < a->super_count; ++s) {
        if (a->group[s] == s) {
            list[count] = s;
            number[s] = count++;
        }
    }
    // a front's number is now that among the fronts that are left, in postorder of the columns;
    // parents still come after their children
    for (int32_t f = 0; f < count; ++f) {
        int32_t s = a->s_parent[list[f]];
        up[f] = s >= 0 ? number[s] : -1;
    }
    LyraStatus status = LYRA_OK;
    int32_t *scratch = NULL;
    LY_TRY_DONE(ly_allocate_zeroed(a->ctx, count, sizeof *out->fronts, &out->fronts));
    LY_TRY_DONE(ly_allocate_array(a->ctx, 5 * (int64_t)count + 1, sizeof *scratch, &scratch));
    int32_t *post = scratch, *place = scratch + count, *member = place + count;
    find_postorder(count, up, member, member + count, member + 2 * (int64_t)count, post);
    out->count = count;
    for (int32_t k = 0; k < count; ++k) {
        place[post[k]] = k;
    }
    for (int32_t k = 0, first = 0; k < count; ++k) {
        LyFront *front = &out->fronts[k];
        int32_t s = list[post[k]];
        *front = (LyFront){
            .first = first,
            .width = a->s_width[s],
            .height = a->s_rows[s] - a->s_width[s],
            .parent = up[post[k]] >= 0 ? place[up[post[k]]] : -1,
            .child = -1,
            .next = -1,
        };
        first += front->width;
    }
    for (int32_t k = count - 1; k >= 0; --k) {
        LyFront *front = &out->fronts[k];
        if (front->parent >= 0) {
            front->next = out->fronts[front->parent].child;
            out->fronts[front->parent].child = k;
        }
    }
    // columns in ascending order to the end of what their front has: children before parents
    int32_t *old = a->work[3], *fill = member;
    for (int32_t k = 0; k < count; ++k) {
        fill[k] = out->fronts[k].first;
    }
    memcpy(old, a->order, (size_t)a->count * sizeof *old);
    for (int32_t s = 0; s < a->super_count; ++s) {
        int32_t root = s;
        while (a->group[root] != root) {
            root = a->group[root];
        }
        a->group[s] = root;
        int32_t k = place[number[root]];
        for (int32_t j = a->start[s]; j < a->start[s + 1]; ++j) {
            out->front_of[fill[k]] = k;
            a->order[fill[k]++] = old[j];
        }
    }
    for (int32_t j = 0; j < a->count; ++j) {
        a->inverse[a->order[j]] = j;
    }
done:
    ly_release(a->ctx, scratch);
    return status;
}

// ---- rows ---------------------------------------------------------------------------------------

// rows of every front, in any order
static void collect_rows(const Analysis *a, LyFronts *out, int32_t *rows)
{
    int32_t *mark = a->work[0];
    for (int32_t j = 0; j < a->count; ++j) {
        mark[j] = -1;
    }
    for (int32_t f = 0; f < out->count; ++f) {
        const LyFront *front = &out->fronts[f];
        int32_t end = front->first + front->width;
        int64_t place = front->rows;
        for (int32_t j = front->first; j < end; ++j) {
            int32_t old = a->order[j];
            for (int64_t k = a->graph.start[old]; k < a->graph.start[old + 1]; ++k) {
                int32_t i = a->inverse[a->graph.neighbour[k]];
                if (i >= end && mark[i] != f) {
                    mark[i] = f;
                    rows[place++] = i;
                }
            }
        }
        for (int32_t c = front->child; c >= 0; c = out->fronts[c].next) {
            const LyFront *child = &out->fronts[c];
            for (int64_t k = child->rows; k < child->rows + child->height; ++k) {
                int32_t i = rows[k];
                if (i >= end && mark[i] != f) {
                    mark[i] = f;
                    rows[place++] = i;
                }
            }
        }
        LYRA_ASSERT(place == front->rows + front->height);
    }
}

static LyraStatus find_rows(const Analysis *a, LyFronts *out)
{
    LyraStatus status = LYRA_OK;
    int32_t *rows = NULL, *owner = NULL;
    int64_t *start = NULL, *fill = NULL;
    for (int32_t f = 0; f < out->count; ++f) {
        out->fronts[f].rows = out->row_count;
        out->row_count += out->fronts[f].height;
    }
    LY_TRY_DONE(ly_allocate_array(a->ctx, out->row_count, sizeof *rows, &rows));
    LY_TRY_DONE(ly_allocate_array(a->ctx, out->row_count, sizeof *owner, &owner));
    LY_TRY_DONE(ly_allocate_array(a->ctx, out->row_count, sizeof *rows, &out->rows));
    LY_TRY_DONE(ly_allocate_array(a->ctx, out->row_count, sizeof *rows, &out->place));
    LY_TRY_DONE(ly_allocate_zeroed(a->ctx, (int64_t)a->count + 1, sizeof *start, &start));
    LY_TRY_DONE(ly_allocate_array(a->ctx, out->count, sizeof *fill, &fill));
    collect_rows(a, out, rows);
    // fronts of every row, then rows of every front
    for (int64_t k = 0; k < out->row_count; ++k) {
        ++start[rows[k] + 1];
    }
    for (int32_t j = 0; j < a->count; ++j) {
        start[j + 1] += start[j];
    }
    for (int32_t f = 0; f < out->count; ++f) {
        fill[f] = out->fronts[f].rows;
        for (int64_t k = fill[f]; k < fill[f] + out->fronts[f].height; ++k) {
            owner[start[rows[k]]++] = f;
        }
    }
    for (int64_t k = 0, j = 0; k < out->row_count; ++k) {
        while (start[j] <= k) {
            ++j;
        }
        out->rows[fill[owner[k]]++] = (int32_t)j;
    }
    // where they are in the parent
    for (int32_t f = 0; f < out->count; ++f) {
        const LyFront *front = &out->fronts[f];
        if (front->parent < 0) {
            LYRA_ASSERT(front->height == 0);
            continue;
        }
        const LyFront *parent = &out->fronts[front->parent];
        int32_t end = parent->first + parent->width, at = 0;
        for (int64_t k = front->rows; k < front->rows + front->height; ++k) {
            int32_t row = out->rows[k];
            if (row < end) {
                out->place[k] = row - parent->first;
                continue;
            }
            while (out->rows[parent->rows + at] < row) {
                ++at;
            }
            out->place[k] = parent->width + at;
        }
    }
done:
    ly_release(a->ctx, rows);
    ly_release(a->ctx, owner);
    ly_release(a->ctx, start);
    ly_release(a->ctx, fill);
    return status;
}

// ---- plan ---------------------------------------------------------------------------------------

static int64_t passed_room(const LyFronts *out, const LyFront *front)
{
    return ly_triangle_room(ly_panel_count(front->height * out->node_size));
}

// cuts the tree into subtrees and the fronts above them
static LyraStatus cut_trees(LyFronts *out)
{
    LyraContext *ctx = out->ctx;
    double *work = NULL, all = 0;
    int32_t *first = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, out->count, sizeof *work, &work));
    LY_TRY_DONE(ly_allocate_array(ctx, out->count, sizeof *first, &first));
    LY_TRY_DONE(ly_allocate_array(ctx, out->count, sizeof *first, &out->tree_begin));
    LY_TRY_DONE(ly_allocate_array(ctx, out->count, sizeof *first, &out->tree_end));
    for (int32_t f = 0; f < out->count; ++f) {
        const LyFront *front = &out->fronts[f];
        double w = (double)front->width * out->node_size,
               h = (double)front->height * out->node_size;
        double own = w * (w * w / 3 + w * h + h * h);
        all += own;
        work[f] += own;
        first[f] = front->child >= 0 ? first[front->child] : f;
        if (front->parent >= 0) {
            work[front->parent] += work[f];
        }
    }
    double most = all < TREE_LEAST ? all : all / TREE_SHARE;
    for (int32_t f = 0; f < out->count; ++f) {
        out->fronts[f].top = work[f] > most;
    }
    // runs of subtrees side by side
    double sum = 0;
    for (int32_t f = 0; f < out->count; ++f) {
        int32_t up = out->fronts[f].parent;
        if (out->fronts[f].top || (up >= 0 && !out->fronts[up].top)) {
            continue;
        }
        int32_t t = out->tree_count - 1;
        if (t >= 0 && out->tree_end[t] + 1 == first[f] && sum + work[f] <= most) {
            out->tree_end[t] = f;
            sum += work[f];
        } else {
            out->tree_begin[out->tree_count] = first[f];
            out->tree_end[out->tree_count++] = f;
            sum = work[f];
        }
    }
done:
    ly_release(ctx, work);
    ly_release(ctx, first);
    return status;
}

// stacks of fronts [begin, end] that are `top` or not
static void plan_stacks(LyFronts *out, int32_t begin, int32_t end, bool top, const int8_t *parity,
                        int64_t peak[2])
{
    int64_t used[2] = {0, 0};
    for (int32_t f = begin; f <= end; ++f) {
        LyFront *front = &out->fronts[f];
        if (front->top != top) {
            continue;
        }
        int64_t room = passed_room(out, front);
        if (!top && (front->parent < 0 || out->fronts[front->parent].top)) {
            front->area = 2;
            front->passed = out->kept_room;
            out->kept_room += room;
        } else {
            front->area = parity[f];
            front->passed = used[front->area];
            used[front->area] += room;
            peak[front->area] = ly_max_i64(peak[front->area], used[front->area]);
        }
        for (int32_t c = front->child; c >= 0; c = out->fronts[c].next) {
            const LyFront *child = &out->fronts[c];
            if (child->area != 2) {
                used[child->area] = ly_min_i64(used[child->area], child->passed);
            }
        }
    }
}

static LyraStatus plan(LyFronts *out)
{
    LY_TRY(cut_trees(out));
    int32_t size = out->node_size;
    for (int32_t f = 0; f < out->count; ++f) {
        LyFront *front = &out->fronts[f];
        int32_t w = front->width * size, h = front->height * size;
        front->values = out->values_room;
        front->pivot = out->pivot_room;
        front->below = out->below_room;
        int64_t room = ly_trapezoid_room(w, h),
                *most = front->top ? &out->top_front : &out->tree_front;
        *most = ly_max_i64(*most, room);
        out->values_room += room;
        out->pivot_room += (int64_t)LY_PANEL * ly_panel_count(w);
        out->below_room += (int64_t)LY_PANEL * ly_panel_count(h);
        out->widest = h > out->widest ? h : out->widest;
    }
    int8_t *parity;
    LY_TRY(ly_allocate_zeroed(out->ctx, out->count, sizeof *parity, &parity));
    for (int32_t f = out->count - 1; f >= 0; --f) {
        int32_t up = out->fronts[f].parent;
        parity[f] = (int8_t)(up >= 0 ? 1 - parity[up] : 0);
    }
    for (int32_t t = 0; t < out->tree_count; ++t) {
        plan_stacks(out, out->tree_begin[t], out->tree_end[t], false, parity, out->tree_stack);
    }
    plan_stacks(out, 0, out->count - 1, true, parity, out->top_stack);
    ly_release(out->ctx, parity);
    return LYRA_OK;
}

// ---- all ----------------------------------------------------------------------------------------

static LyraStatus allocate(Analysis *a)
{
    int64_t count = (int64_t)a->count + 1;
    int32_t **arrays[] = {&a->parent,   &a->columns, &a->work[0], &a->work[1], &a->work[2],
                          &a->work[3],  &a->start,   &a->group,   &a->s_width, &a->s_rows,
                          &a->s_parent, &a->child,   &a->next};
    for (int32_t k = 0; k < LY_COUNT_OF(arrays); ++k) {
        LY_TRY(ly_allocate_array(a->ctx, count, sizeof(int32_t), arrays[k]));
    }
    return ly_allocate_array(a->ctx, count, sizeof *a->zeros, &a->zeros);
}

static void release(Analysis *a)
{
    int32_t *arrays[] = {a->parent,   a->columns, a->work[0], a->work[1], a->work[2],
                         a->work[3],  a->start,   a->group,   a->s_width, a->s_rows,
                         a->s_parent, a->child,   a->next};
    for (int32_t k = 0; k < LY_COUNT_OF(arrays); ++k) {
        ly_release(a->ctx, arrays[k]);
    }
    ly_release(a->ctx, a->zeros);
    ly_adjacency_destroy(a->ctx, &a->graph);
}

LyraStatus ly_fronts_create(LyraContext *ctx, LyraGraph graph, int32_t node_size,
                            const int32_t *order, LyFronts *out)
{
    LyraStatus status = LYRA_OK;
    int32_t count = graph.vertex_count;
    Analysis a = {.ctx = ctx, .count = count, .node_size = node_size};
    *out = (LyFronts){.ctx = ctx, .node_count = count, .node_size = node_size};
    LY_TRY_DONE(ly_adjacency_create(ctx, graph, &a.graph));
    LY_TRY_DONE(allocate(&a));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &out->order));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &out->inverse));
    LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof(int32_t), &out->front_of));
    a.order = out->order;
    a.inverse = out->inverse;
    memcpy(out->order, order, (size_t)count * sizeof *order);
    LY_TRY_DONE(lyra_permutation_invert(count, out->order, out->inverse));
    find_tree(&a);
    follow_tree(&a);
    count_columns(&a);
    find_cost(&a, out);
    find_supernodes(&a);
    merge_fronts(&a);
    LY_TRY_DONE(number_fronts(&a, out));
    LY_TRY_DONE(find_rows(&a, out));
    LY_TRY_DONE(plan(out));
done:
    release(&a);
    if (status != LYRA_OK) {
        ly_fronts_destroy(out);
    }
    return status;
}

void ly_fronts_destroy(LyFronts *fronts)
{
    if (fronts->ctx) {
        ly_release(fronts->ctx, fronts->fronts);
        ly_release(fronts->ctx, fronts->order);
        ly_release(fronts->ctx, fronts->inverse);
        ly_release(fronts->ctx, fronts->front_of);
        ly_release(fronts->ctx, fronts->rows);
        ly_release(fronts->ctx, fronts->place);
        ly_release(fronts->ctx, fronts->tree_begin);
        ly_release(fronts->ctx, fronts->tree_end);
    }
    *fronts = (LyFronts){0};
}

int64_t ly_fronts_bytes(const LyFronts *fronts)
{
    return (int64_t)fronts->count * (int64_t)(sizeof(LyFront) + 2 * sizeof(int32_t)) +
           (3 * (int64_t)fronts->node_count + 2 * fronts->row_count) * (int64_t)sizeof(int32_t);
}
