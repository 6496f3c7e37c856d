// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Mass matrices.
//
// The row of a vertex is gathered from the elements around it, in ascending order, so that every
// entry is a sum in a fixed order and rows can be made in parallel. Columns of a row are few; a
// small hash table finds those already there. The first pass counts them, the second sorts them and
// adds up their values.

#include "lyra/mesh_ops.h"
#include "mesh/element.h"
#include "mesh/sort.h"

#include <string.h>

#define GRAIN 4096
#define ROW_GRAIN 1024
#define MAX_PAIRS 55

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

// A tet of 10 nodes: the diagonal of its table, scaled to its mass, for rows of corners have
// negative sums (-m/20 where edges are straight).
static void add_scaled_diagonal(const int32_t *element, double density, const double pairs[55],
                                double *masses)
{
    double mass = 0, diagonal = 0;
    for (int32_t a = 0, k = 0; a < 10; ++a) {
        for (int32_t b = a; b < 10; ++b, ++k) {
            mass += (a == b ? 1 : 2) * pairs[k];
            diagonal += a == b ? pairs[k] : 0;
        }
    }
    for (int32_t a = 0; a < 10 && diagonal > 0; ++a) {
        masses[element[a]] += density * mass * (pairs[pair_place(10, a, a)] / diagonal);
    }
}

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
        if (mesh->kind == LYRA_ELEMENT_TET10) {
            add_scaled_diagonal(element, density, pairs, masses);
            continue;
        }
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

// Columns of one row.
typedef struct Row {
    int32_t count;
    LySortItem *columns; // key[0] is the column; owner its slot, from which its place is found
    int32_t *slot;       // [mask + 1] column or -1
    int32_t *place;      // [mask + 1] entry of the column in the slot
    uint32_t mask;
} Row;

typedef struct RowTask {
    const LyraMesh *mesh;
    const int64_t *start;    // elements around each vertex
    const int32_t *elements; //
    const double *masses;    // of elements
    bool upper;
    int32_t pieces;
    Row *rows;          // [pieces] scratch
    int64_t *row_start; // first pass: count of row v at [v + 1]
    int32_t *column;    // second pass; NULL in the first
    double *values;
} RowTask;

static inline uint32_t find_slot(const Row *row, int32_t column)
{
    uint32_t slot = (uint32_t)column * 0x9e3779b1u >> 7 & row->mask;
    while (row->slot[slot] != column && row->slot[slot] >= 0) {
        slot = (slot + 1) & row->mask;
    }
    return slot;
}

static inline void add_column(Row *row, int32_t column)
{
    uint32_t slot = find_slot(row, column);
    if (row->slot[slot] < 0) {
        row->slot[slot] = column;
        row->columns[row->count++] =
            (LySortItem){.key = {(uint32_t)column}, .owner = (int32_t)slot};
    }
}

// Elements that name a vertex twice are listed twice: true for the second time.
static inline bool listed_before(const RowTask *task, int64_t v, int64_t i)
{
    return i > task->start[v] && task->elements[i] == task->elements[i - 1];
}

static void collect_columns(const RowTask *task, int64_t v, Row *row)
{
    int32_t nodes = lyra_element_kind_nodes(task->mesh->kind);
    add_column(row, (int32_t)v);
    for (int64_t i = task->start[v]; i < task->start[v + 1]; ++i) {
        const int32_t *element = task->mesh->elements + (int64_t)nodes * task->elements[i];
        for (int32_t b = 0; b < nodes; ++b) {
            if (!task->upper || element[b] >= v) {
                add_column(row, element[b]);
            }
        }
    }
}

static void add_values(const RowTask *task, int64_t v, const Row *row, double *values)
{
    int32_t nodes = lyra_element_kind_nodes(task->mesh->kind);
    int64_t pairs = lyra_mesh_element_mass_count(task->mesh->kind);
    for (int64_t i = task->start[v]; i < task->start[v + 1]; ++i) {
        if (listed_before(task, v, i)) {
            continue;
        }
        const int32_t *element = task->mesh->elements + (int64_t)nodes * task->elements[i];
        const double *mass = task->masses + pairs * task->elements[i];
        for (int32_t a = 0; a < nodes; ++a) {
            for (int32_t b = 0; b < nodes && element[a] == v; ++b) {
                if (!task->upper || element[b] >= v) {
                    values[row->place[find_slot(row, element[b])]] += mass[pair_place(nodes, a, b)];
                }
            }
        }
    }
}

static void write_row(const RowTask *task, int64_t v, Row *row)
{
    int32_t *column = task->column + task->row_start[v];
    double *values = task->values + task->row_start[v];
    ly_sort_items(row->count, row->columns);
    for (int32_t i = 0; i < row->count; ++i) {
        column[i] = (int32_t)row->columns[i].key[0];
        values[i] = 0;
        row->place[row->columns[i].owner] = i;
    }
    add_values(task, v, row, values);
}

static void row_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const RowTask *task = data;
    Row *row = &task->rows[index];
    int64_t end = ly_piece_begin(task->mesh->vertex_count, task->pieces, index + 1);
    for (int64_t v = ly_piece_begin(task->mesh->vertex_count, task->pieces, index); v < end; ++v) {
        collect_columns(task, v, row);
        if (task->column) {
            write_row(task, v, row);
        } else {
            task->row_start[v + 1] = row->count;
        }
        for (int32_t i = 0; i < row->count; ++i) {
            row->slot[row->columns[i].owner] = -1;
        }
        row->count = 0;
    }
}

// Scratch for each piece, as large as its largest row needs.
static LyraStatus make_room(LyraContext *ctx, RowTask *task)
{
    int64_t nodes = lyra_element_kind_nodes(task->mesh->kind);
    LY_TRY(ly_allocate_zeroed(ctx, task->pieces, sizeof *task->rows, &task->rows));
    for (int32_t p = 0; p < task->pieces; ++p) {
        Row *row = &task->rows[p];
        int64_t room = 1, slots = 16;
        int64_t end = ly_piece_begin(task->mesh->vertex_count, task->pieces, p + 1);
        for (int64_t v = ly_piece_begin(task->mesh->vertex_count, task->pieces, p); v < end; ++v) {
            room = ly_max_i64(room, nodes * (task->start[v + 1] - task->start[v]) + 1);
        }
        room = ly_min_i64(room, task->mesh->vertex_count);
        while (slots < 2 * room) {
            slots *= 2;
        }
        if (slots > INT32_MAX) {
            return ly_fail(LYRA_TOO_LARGE, "mass matrix: %lld entries in a row", (long long)room);
        }
        row->mask = (uint32_t)(slots - 1);
        LY_TRY(ly_allocate_array(ctx, room, sizeof *row->columns, &row->columns));
        LY_TRY(ly_allocate_array(ctx, slots, sizeof *row->slot, &row->slot));
        LY_TRY(ly_allocate_array(ctx, slots, sizeof *row->place, &row->place));
        for (int64_t i = 0; i < slots; ++i) {
            row->slot[i] = -1;
        }
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
    for (int32_t p = 0; p < task.pieces && task.rows; ++p) {
        ly_release(ctx, task.rows[p].columns);
        ly_release(ctx, task.rows[p].slot);
        ly_release(ctx, task.rows[p].place);
    }
    ly_release(ctx, task.rows);
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
