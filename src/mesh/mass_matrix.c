// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Mass matrices.
//
// The row of a vertex is gathered from the elements around it, in ascending order, so that every
// entry is a sum in a fixed order and rows can be made in parallel. Columns of a row are few; they
// are collected and sorted. The first pass counts them, the second writes them and their values.

#include "lyra/mesh_ops.h"
#include "mesh/element.h"
#include "mesh/sort.h"

#include <string.h>

#define GRAIN 4096
#define ROW_GRAIN 1024
#define MAX_PAIRS 36

int32_t lyra_mesh_element_mass_count(LyraElementKind kind)
{
    int32_t nodes = lyra_element_kind_nodes(kind);
    return nodes * (nodes + 1) / 2;
}

static inline double density_of(const LyraMesh *mesh, const double *densities, int64_t e)
{
    return densities ? densities[e] : mesh->materials[mesh->element_materials[e]].density;
}

// Place of the pair of local vertices (a, b) in the packed upper triangle.
static inline int32_t pair_place(int32_t nodes, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    return low * nodes - low * (low - 1) / 2 + high - low;
}

// ---- element masses -----------------------------------------------------------------------------

typedef struct MassTask {
    const LyraMesh *mesh;
    const double *densities;
    double *masses;
    int32_t pieces;
} MassTask;

static void mass_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const MassTask *task = data;
    int32_t pairs = lyra_mesh_element_mass_count(task->mesh->kind);
    int64_t end = ly_piece_begin(task->mesh->element_count, task->pieces, index + 1);
    for (int64_t e = ly_piece_begin(task->mesh->element_count, task->pieces, index); e < end; ++e) {
        double *mass = task->masses + pairs * e;
        ly_element_mass(task->mesh, (int32_t)e, mass);
        double density = density_of(task->mesh, task->densities, e);
        for (int32_t i = 0; i < pairs; ++i) {
            mass[i] *= density;
        }
    }
}

void lyra_mesh_element_masses(const LyraMesh *mesh, const double *densities, double *masses)
{
    MassTask task = {mesh, densities, masses, ly_piece_count(mesh->element_count, GRAIN)};
    ly_parallel_for(mesh->ctx, task.pieces, mass_piece, &task);
}

// ---- lumped masses ------------------------------------------------------------------------------

// Row sums of a tet and of a box are equal: m/4 and m/8. Other cubes sum their table.
void lyra_mesh_lumped_masses(const LyraMesh *mesh, const double *densities, double *masses)
{
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    if (mesh->vertex_count > 0) {
        memset(masses, 0, (size_t)mesh->vertex_count * sizeof *masses);
    }
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        const int32_t *element = mesh->elements + nodes * e;
        double density = density_of(mesh, densities, e);
        if (mesh->kind == LYRA_ELEMENT_TET4) {
            double volume = ly_element_volume(mesh, (int32_t)e);
            double share = density * (volume < 0 ? -volume : volume) / 4;
            for (int32_t a = 0; a < 4; ++a) {
                masses[element[a]] += share;
            }
            continue;
        }
        double pairs[MAX_PAIRS];
        ly_element_mass(mesh, (int32_t)e, pairs);
        for (int32_t a = 0; a < nodes; ++a) {
            double row = 0;
            for (int32_t b = 0; b < nodes; ++b) {
                row += pairs[pair_place(nodes, a, b)];
            }
            masses[element[a]] += density * row;
        }
    }
}

// ---- consistent matrix --------------------------------------------------------------------------

struct LyraMassMatrix {
    LyraContext *ctx;
    int32_t row_count;
    int64_t entry_count;
    bool upper;
    int64_t *row_start;
    int32_t *column;
    double *values;
};

typedef struct RowTask {
    const LyraMesh *mesh;
    const int64_t *start;    // elements around each vertex
    const int32_t *elements; //
    const double *masses;    // of elements
    bool upper;
    int32_t pieces;
    LySortItem **items; // [pieces] scratch
    int64_t *row_start; // first pass: count of row v at [v + 1]
    int32_t *column;    // second pass; NULL in the first
    double *values;
} RowTask;

// Collects the entries of a row, sorted: key[0] is the column, key[1] and key[2] the place of the
// value, which ascends with the element.
static int64_t collect_row(const RowTask *task, int64_t v, LySortItem *items)
{
    const LyraMesh *mesh = task->mesh;
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    int32_t pairs = lyra_mesh_element_mass_count(mesh->kind);
    int64_t count = 0;
    for (int64_t i = task->start[v]; i < task->start[v + 1]; ++i) {
        // an element that names the vertex twice is listed twice: once is enough
        if (i > task->start[v] && task->elements[i] == task->elements[i - 1]) {
            continue;
        }
        int64_t e = task->elements[i];
        const int32_t *element = mesh->elements + nodes * e;
        for (int32_t a = 0; a < nodes; ++a) {
            for (int32_t b = 0; b < nodes && element[a] == v; ++b) {
                if (task->upper && element[b] < v) {
                    continue;
                }
                uint64_t place = (uint64_t)(pairs * e + pair_place(nodes, a, b));
                items[count++] = (LySortItem){
                    .key = {(uint32_t)element[b], (uint32_t)(place >> 32), (uint32_t)place},
                };
            }
        }
    }
    ly_sort_items(count, items);
    return count;
}

static void row_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const RowTask *task = data;
    LySortItem *items = task->items[index];
    int64_t end = ly_piece_begin(task->mesh->vertex_count, task->pieces, index + 1);
    for (int64_t v = ly_piece_begin(task->mesh->vertex_count, task->pieces, index); v < end; ++v) {
        int64_t count = collect_row(task, v, items);
        int64_t at = task->column ? task->row_start[v] : 0, first = at;
        if (count == 0 && task->column) {
            // a vertex without elements keeps its diagonal
            task->column[at] = (int32_t)v;
            task->values[at] = 0;
        }
        for (int64_t i = 0; i < count; ++i) {
            bool again = i > 0 && items[i].key[0] == items[i - 1].key[0];
            if (task->column) {
                double value = task->masses[(int64_t)items[i].key[1] << 32 | items[i].key[2]];
                if (again) {
                    task->values[at - 1] += value;
                } else {
                    task->column[at] = (int32_t)items[i].key[0];
                    task->values[at] = value;
                }
            }
            at += again ? 0 : 1;
        }
        if (!task->column) {
            task->row_start[v + 1] = count == 0 ? 1 : at - first;
        }
    }
}

// Scratch for each piece, as large as its largest row needs.
static LyraStatus make_room(LyraContext *ctx, RowTask *task)
{
    int64_t nodes = lyra_element_kind_nodes(task->mesh->kind);
    LY_TRY(ly_allocate_zeroed(ctx, task->pieces, sizeof *task->items, &task->items));
    for (int32_t p = 0; p < task->pieces; ++p) {
        int64_t room = 0;
        int64_t end = ly_piece_begin(task->mesh->vertex_count, task->pieces, p + 1);
        for (int64_t v = ly_piece_begin(task->mesh->vertex_count, task->pieces, p); v < end; ++v) {
            room = ly_max_i64(room, nodes * (task->start[v + 1] - task->start[v]));
        }
        LY_TRY(ly_allocate_array(ctx, room, sizeof **task->items, &task->items[p]));
    }
    return LYRA_OK;
}

static LyraStatus assemble(RowTask *task, LyraMassMatrix *matrix)
{
    LyraContext *ctx = matrix->ctx;
    LY_TRY(ly_allocate_array(ctx, (int64_t)matrix->row_count + 1, sizeof *matrix->row_start,
                             &matrix->row_start));
    task->row_start = matrix->row_start;
    matrix->row_start[0] = 0;
    ly_parallel_for(ctx, task->pieces, row_piece, task);
    for (int64_t v = 0; v < matrix->row_count; ++v) {
        matrix->row_start[v + 1] += matrix->row_start[v];
    }
    matrix->entry_count = matrix->row_start[matrix->row_count];
    LY_TRY(ly_allocate_array(ctx, matrix->entry_count, sizeof *matrix->column, &matrix->column));
    LY_TRY(ly_allocate_array(ctx, matrix->entry_count, sizeof *matrix->values, &matrix->values));
    task->column = matrix->column;
    task->values = matrix->values;
    ly_parallel_for(ctx, task->pieces, row_piece, task);
    return LYRA_OK;
}

LyraStatus lyra_mass_matrix_create(const LyraMesh *mesh, const double *densities, bool upper,
                                   LyraMassMatrix **out)
{
    LyraContext *ctx = mesh->ctx;
    int64_t nodes = lyra_element_kind_nodes(mesh->kind);
    int64_t pairs = lyra_mesh_element_mass_count(mesh->kind);
    LyraMassMatrix *matrix = NULL;
    int64_t *start = NULL;
    int32_t *elements = NULL;
    double *masses = NULL;
    RowTask task = {
        .mesh = mesh,
        .upper = upper,
        .pieces = ly_piece_count(mesh->vertex_count, ROW_GRAIN),
    };
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *matrix, &matrix));
    matrix->ctx = ctx;
    matrix->row_count = mesh->vertex_count;
    matrix->upper = upper;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)mesh->vertex_count + 1, sizeof *start, &start));
    LY_TRY_DONE(ly_allocate_array(ctx, nodes * mesh->element_count, sizeof *elements, &elements));
    LY_TRY_DONE(ly_allocate_array(ctx, pairs * mesh->element_count, sizeof *masses, &masses));
    lyra_mesh_vertex_elements(mesh, start, elements);
    lyra_mesh_element_masses(mesh, densities, masses);
    task.start = start;
    task.elements = elements;
    task.masses = masses;
    LY_TRY_DONE(make_room(ctx, &task));
    LY_TRY_DONE(assemble(&task, matrix));
    *out = matrix;
done:
    for (int32_t p = 0; p < task.pieces && task.items; ++p) {
        ly_release(ctx, task.items[p]);
    }
    ly_release(ctx, task.items);
    ly_release(ctx, start);
    ly_release(ctx, elements);
    ly_release(ctx, masses);
    if (status != LYRA_OK) {
        lyra_mass_matrix_destroy(matrix);
    }
    return status;
}

LyraMassMatrixView lyra_mass_matrix_view(const LyraMassMatrix *matrix)
{
    return (LyraMassMatrixView){
        .row_count = matrix->row_count,
        .entry_count = matrix->entry_count,
        .upper = matrix->upper,
        .row_start = matrix->row_start,
        .column = matrix->column,
        .values = matrix->values,
    };
}

void lyra_mass_matrix_destroy(LyraMassMatrix *matrix)
{
    if (!matrix) {
        return;
    }
    LyraContext *ctx = matrix->ctx;
    ly_release(ctx, matrix->row_start);
    ly_release(ctx, matrix->column);
    ly_release(ctx, matrix->values);
    ly_release(ctx, matrix);
}
