// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Generated meshes: settings, the cutting of cells into tets, and boxes.
//
// Six tets per cell (Kuhn): number the corners of a cell by bits, bit i set where the corner is at
// the far end of axis i. Each order (p, q, r) of the three axes gives the path 0 -> p -> p+q -> 7
// and so a tet of one sixth of the volume; its determinant has the sign of the permutation. A face
// of the cell is cut along the diagonal from its corner with no bits to its corner with all, so two
// cells fit together when they agree on the directions of the face's two axes.
//
// Five tets per cell: four at the corners of even bit parity and one between the other four. Every
// face is cut along the diagonal that joins the odd corners; mirrored cells side by side agree.

#include "mesh/generate.h"

#include "lyra/mesh_edit.h"
#include "lyra/mesh_ops.h"
#include "mesh/quadratic.h"

#include <math.h>

static const int32_t six_tets[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                       {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}};
static const int32_t five_tets[5][4] = {
    {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};

// corner bits of the vertices of a cube in the order of the convention
static const int32_t cube_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

const char *lyra_mesh_shape_name(LyraMeshShape shape)
{
    static const char *const names[] = {"box", "sphere", "cylinder", "torus"};
    return (unsigned)shape < LYRA_MESH_SHAPE_COUNT ? names[shape] : "unknown";
}

LyraMeshShapeDef lyra_mesh_shape_def_default(void)
{
    return (LyraMeshShapeDef){
        .elements = 1000,
        .size = {1, 1, 1},
        .radius = 1,
        .tube_radius = 0.4,
        .height = 2,
        .seed = 1,
        .cookie = LY_DEF_COOKIE,
    };
}

// ---- building -----------------------------------------------------------------------------------

LyraStatus ly_cell_mesh_init(LyCellMesh *builder, LyraContext *ctx, LyraElementKind kind,
                             int64_t vertex_count, int64_t element_count)
{
    if (vertex_count > INT32_MAX || element_count > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "mesh: %lld vertices and %lld elements, at most %d of each",
                       (long long)vertex_count, (long long)element_count, INT32_MAX);
    }
    *builder = (LyCellMesh){
        .ctx = ctx,
        .kind = kind,
        .vertex_count = (int32_t)vertex_count,
        .element_count = (int32_t)element_count,
    };
    LY_TRY(ly_allocate_array(ctx, 3 * vertex_count, sizeof(double), &builder->positions));
    LyraStatus status = ly_allocate_array(ctx, lyra_element_kind_nodes(kind) * element_count,
                                          sizeof(int32_t), &builder->elements);
    if (status != LYRA_OK) {
        ly_release(ctx, builder->positions);
        return status;
    }
    builder->next = builder->elements;
    return LYRA_OK;
}

LyraStatus ly_cell_mesh_finish(LyCellMesh *builder, const LyraMeshMaterial *material,
                               LyraMesh **out)
{
    LyraMeshView view = {
        .kind = builder->kind,
        .vertex_count = builder->vertex_count,
        .element_count = builder->element_count,
        .material_count = material ? 1 : 0,
        .materials = material,
    };
    LyraStatus status =
        ly_mesh_create_take(builder->ctx, &view, builder->positions, builder->elements, out);
    if (status != LYRA_OK) {
        ly_release(builder->ctx, builder->positions);
        ly_release(builder->ctx, builder->elements);
    }
    return status;
}

static inline int32_t *add_tet(int32_t *next, const int32_t corner[8], const int32_t tet[4],
                               int32_t mirror, bool right_handed)
{
    next[0] = corner[tet[0] ^ mirror];
    next[1] = corner[tet[1] ^ mirror];
    next[right_handed ? 2 : 3] = corner[tet[2] ^ mirror];
    next[right_handed ? 3 : 2] = corner[tet[3] ^ mirror];
    return next + 4;
}

void ly_cell_mesh_add_cell(LyCellMesh *builder, const int32_t corner[8], bool right_handed)
{
    for (int32_t t = 0; t < LY_TETS_PER_CELL; ++t) {
        builder->next = add_tet(builder->next, corner, six_tets[t], 0, right_handed);
    }
}

// ---- boxes --------------------------------------------------------------------------------------

// About `cell_count` cells for a box, near-cubical ones: the shortest edge gets its share, at least
// one, then the two others share what is left, and the longest takes the rest.
static void choose_cells(const double size[3], double cell_count, double cells[3])
{
    int32_t order[3] = {0, 1, 2}; // from the shortest edge to the longest
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = i + 1; j < 3; ++j) {
            if (size[order[j]] < size[order[i]]) {
                int32_t swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    }
    double left = cell_count;
    for (int32_t i = 0; i < 3; ++i) {
        // the edge of a cell that the edges from here on would get, over that of the box
        double edge = 1;
        for (int32_t j = i; j < 3; ++j) {
            edge *= pow(size[order[j]] / size[order[i]], 1.0 / (3 - i));
        }
        edge /= pow(left, 1.0 / (3 - i));
        cells[order[i]] = fmax(1, round(1 / edge));
        left = fmax(1, left / cells[order[i]]);
    }
}

static LyraStatus box_cells(const LyraMeshShapeDef *def, int32_t per_cell, int64_t cells[3],
                            double size[3])
{
    bool given = def->cells[0] != 0 || def->cells[1] != 0 || def->cells[2] != 0;
    double chosen[3];
    choose_cells(def->size, fmax(1, (double)def->elements / per_cell), chosen);
    for (int32_t i = 0; i < 3; ++i) {
        double count = given ? def->cells[i] : chosen[i];
        if (!(count >= 1)) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "box: %g cells along axis %d, expected 1 or more",
                           count, (int)i);
        }
        if (count > INT32_MAX) {
            return ly_fail(LYRA_TOO_LARGE, "box: %g cells along axis %d, at most %d", count, (int)i,
                           INT32_MAX);
        }
        cells[i] = (int64_t)count;
        size[i] = def->size[i];
    }
    double edge = cbrt(size[0] / (double)cells[0]) * cbrt(size[1] / (double)cells[1]) *
                  cbrt(size[2] / (double)cells[2]);
    for (int32_t i = 0; i < 3 && def->kind == LYRA_ELEMENT_CUBE8; ++i) {
        double cell = size[i] / (double)cells[i];
        if (given && fabs(cell - edge) > 1e-9 * edge) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "box: the cells are no cubes, their edge along axis %d is %g m where %g "
                           "was expected",
                           (int)i, cell, edge);
        }
        if (!given) {
            size[i] = edge * (double)cells[i];
        }
    }
    return LYRA_OK;
}

static void place_box_vertices(LyCellMesh *builder, const LyraMeshShapeDef *def,
                               const int64_t cells[3], const double size[3])
{
    double *position = builder->positions;
    double low[3], high[3];
    for (int32_t i = 0; i < 3; ++i) {
        low[i] = def->center[i] - 0.5 * size[i];
        high[i] = def->center[i] + 0.5 * size[i];
    }
    // one formula per coordinate, so that equal grid lines are equal to the last bit
    for (int64_t k = 0; k <= cells[2]; ++k) {
        double z = k == cells[2] ? high[2] : low[2] + (double)k * size[2] / (double)cells[2];
        for (int64_t j = 0; j <= cells[1]; ++j) {
            double y = j == cells[1] ? high[1] : low[1] + (double)j * size[1] / (double)cells[1];
            for (int64_t i = 0; i <= cells[0]; ++i) {
                position[0] =
                    i == cells[0] ? high[0] : low[0] + (double)i * size[0] / (double)cells[0];
                position[1] = y;
                position[2] = z;
                position += 3;
            }
        }
    }
}

static void add_box_cells(LyCellMesh *builder, const int64_t cells[3], bool five)
{
    int64_t row = cells[0] + 1, layer = row * (cells[1] + 1);
    for (int64_t k = 0; k < cells[2]; ++k) {
        for (int64_t j = 0; j < cells[1]; ++j) {
            for (int64_t i = 0; i < cells[0]; ++i) {
                int32_t corner[8];
                for (int32_t c = 0; c < 8; ++c) {
                    corner[c] =
                        (int32_t)((k + (c >> 2)) * layer + (j + (c >> 1 & 1)) * row + i + (c & 1));
                }
                if (!ly_kind_is_tet(builder->kind)) {
                    for (int32_t a = 0; a < 8; ++a) {
                        builder->next[a] = corner[cube_corner[a]];
                    }
                    builder->next += 8;
                } else if (five) {
                    int32_t mirror = (i + j + k) & 1;
                    for (int32_t t = 0; t < 5; ++t) {
                        builder->next =
                            add_tet(builder->next, corner, five_tets[t], mirror, mirror == 0);
                    }
                } else {
                    ly_cell_mesh_add_cell(builder, corner, true);
                }
            }
        }
    }
}

static LyraStatus generate_box(LyraContext *ctx, const LyraMeshShapeDef *def, LyraMesh **out)
{
    bool cubes = !ly_kind_is_tet(def->kind);
    bool five = !cubes && def->pattern == LYRA_TET_PATTERN_FIVE;
    int32_t per_cell = cubes ? 1 : five ? 5 : LY_TETS_PER_CELL;
    int64_t cells[3];
    double size[3];
    LY_TRY(box_cells(def, per_cell, cells, size));
    int64_t vertices, elements;
    if (__builtin_mul_overflow((cells[0] + 1) * (cells[1] + 1), cells[2] + 1, &vertices) ||
        __builtin_mul_overflow(cells[0] * cells[1], cells[2] * per_cell, &elements)) {
        return ly_fail(LYRA_TOO_LARGE, "box: %lld x %lld x %lld cells", (long long)cells[0],
                       (long long)cells[1], (long long)cells[2]);
    }
    LyCellMesh builder;
    LY_TRY(ly_cell_mesh_init(&builder, ctx, def->kind, vertices, elements));
    place_box_vertices(&builder, def, cells, size);
    add_box_cells(&builder, cells, five);
    return ly_cell_mesh_finish(&builder, def->material, out);
}

// ---- all shapes ---------------------------------------------------------------------------------

static LyraStatus check_length(double length, const char *what)
{
    if (!(length > 0) || !isfinite(length)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: the %s is %g, expected a positive length",
                       what, length);
    }
    return LYRA_OK;
}

static LyraStatus check_shape(const LyraMeshShapeDef *def)
{
    if ((unsigned)def->kind >= LYRA_ELEMENT_KIND_COUNT ||
        (unsigned)def->shape >= LYRA_MESH_SHAPE_COUNT ||
        (unsigned)def->pattern >= LYRA_TET_PATTERN_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: unknown shape, element kind or pattern");
    }
    if (def->elements < 1) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: %lld elements, expected 1 or more",
                       (long long)def->elements);
    }
    if (def->elements > INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "mesh: %lld elements, at most %d", (long long)def->elements,
                       INT32_MAX);
    }
    for (int32_t i = 0; i < 3; ++i) {
        if (!isfinite(def->center[i])) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: the centre is not finite");
        }
        if (def->shape == LYRA_MESH_SHAPE_BOX) {
            LY_TRY(check_length(def->size[i], "edge of the box"));
        }
    }
    if (def->shape != LYRA_MESH_SHAPE_BOX) {
        LY_TRY(check_length(def->radius, "radius"));
    }
    if (def->shape == LYRA_MESH_SHAPE_CYLINDER) {
        LY_TRY(check_length(def->height, "height"));
    }
    if (def->shape == LYRA_MESH_SHAPE_TORUS) {
        LY_TRY(check_length(def->tube_radius, "radius of the tube"));
        if (def->tube_radius >= def->radius) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "torus: the radius of the tube is %g, expected less than the radius %g",
                           def->tube_radius, def->radius);
        }
    }
    return LYRA_OK;
}

// A body may be too small for its place, or for the range of double.
static LyraStatus check_volumes(const LyraMeshShapeDef *def, const LyraMesh *mesh)
{
    LyraMassProperties mass;
    LY_TRY(lyra_mesh_mass_properties(mesh, NULL, &mass));
    if (!(mass.min_element_volume > 0)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "%s: an element has the volume %g m^3, expected lengths that leave more, "
                       "also beside the place of the centre",
                       lyra_mesh_shape_name(def->shape), mass.min_element_volume);
    }
    return LYRA_OK;
}

// A point on a face of the round surface, moved to the surface; faces of the flat ends are left.
static bool project_round(const void *shape, const double *const x[3], double point[3])
{
    const LyraMeshShapeDef *def = shape;
    double d[3], axis[3] = {0}, radius = def->radius;
    for (int32_t i = 0; i < 3; ++i) {
        d[i] = point[i] - def->center[i];
    }
    bool flat = x[0][2] == x[1][2] && x[1][2] == x[2][2];
    if (def->shape == LYRA_MESH_SHAPE_CYLINDER) {
        if (flat) {
            return false;
        }
        axis[2] = d[2];
    } else if (def->shape == LYRA_MESH_SHAPE_TORUS) {
        double ring = hypot(d[0], d[1]);
        axis[0] = d[0] * def->radius / ring;
        axis[1] = d[1] * def->radius / ring;
        radius = def->tube_radius;
    }
    double length = hypot(hypot(d[0] - axis[0], d[1] - axis[1]), d[2] - axis[2]);
    for (int32_t i = 0; i < 3; ++i) {
        point[i] = def->center[i] + axis[i] + (d[i] - axis[i]) * (radius / length);
    }
    return isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]);
}

static LyraStatus make_quadratic(const LyraMeshShapeDef *def, const LyraMesh *mesh, LyraMesh **out)
{
    LyraMesh *made = NULL;
    LY_TRY(lyra_mesh_quadratic(mesh, &made));
    if (def->shape != LYRA_MESH_SHAPE_BOX) {
        LyraStatus status = ly_mesh_curve(made, project_round, def);
        if (status != LYRA_OK) {
            lyra_mesh_destroy(made);
            return status;
        }
    }
    *out = made;
    return LYRA_OK;
}

// Of tets with 4 nodes where 10 are wanted, and of cubes or hexahedra.
static LyraStatus generate_plain(LyraContext *ctx, const LyraMeshShapeDef *def, LyraMesh **out)
{
    LyraMeshShapeDef plain = *def;
    plain.kind = def->kind == LYRA_ELEMENT_TET10 ? LYRA_ELEMENT_TET4 : def->kind;
    if (def->shape == LYRA_MESH_SHAPE_BOX) {
        return generate_box(ctx, &plain, out);
    }
    return ly_kind_is_tet(def->kind) ? ly_generate_round(ctx, &plain, out)
                                     : ly_generate_round_cubes(ctx, &plain, out);
}

LyraStatus lyra_mesh_generate(LyraContext *ctx, const LyraMeshShapeDef *def, LyraMesh **out)
{
    LY_CHECK_DEF(def, "lyra_mesh_shape_def_default");
    LY_TRY(check_shape(def));
    LyraMesh *mesh = NULL;
    LY_TRY(generate_plain(ctx, def, &mesh));
    if (def->kind != mesh->kind) {
        LyraMesh *made = NULL;
        LyraStatus status = def->kind == LYRA_ELEMENT_TET10
                                ? make_quadratic(def, mesh, &made)
                                : ly_mesh_change_kind(mesh, def->kind, &made);
        lyra_mesh_destroy(mesh);
        LY_TRY(status);
        mesh = made;
    }
    LyraStatus checked = check_volumes(def, mesh);
    if (checked != LYRA_OK) {
        lyra_mesh_destroy(mesh);
        return checked;
    }
    if (def->shuffle) {
        LyraMesh *shuffled = NULL;
        LyraStatus status = lyra_mesh_shuffle(mesh, def->seed, NULL, NULL, &shuffled);
        lyra_mesh_destroy(mesh);
        LY_TRY(status);
        mesh = shuffled;
    }
    *out = mesh;
    return LYRA_OK;
}
