// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Orientation repair and affine transformation.

#include "math/vec3.h"
#include "mesh/edit.h"
#include "mesh/element.h"

#include <math.h>
#include <string.h>

// corners of a cube in the order of the convention, as bits x, y, z
static const uint8_t cube_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

// relative to the box: how far a corner may be off for cubes in any order to be recognised
#define CORNER_TOLERANCE 1e-6

static void swap_ids(int32_t *a, int32_t *b)
{
    int32_t old = *a;
    *a = *b;
    *b = old;
}

// Turns an element inside out.
static void flip(LyraElementKind kind, int32_t *element)
{
    if (ly_kind_is_tet(kind)) {
        swap_ids(&element[2], &element[3]);
        if (kind == LYRA_ELEMENT_TET10) {
            swap_ids(&element[5], &element[8]);
            swap_ids(&element[6], &element[7]);
        }
        return;
    }
    for (int32_t a = 0; a < 4; ++a) {
        swap_ids(&element[a], &element[a + 4]);
    }
}

// ---- orientation --------------------------------------------------------------------------------

bool ly_cube_order_corners(const double *positions, const int32_t *element, double tolerance,
                           int32_t out[8], double edges[3])
{
    double low[3], high[3];
    for (int32_t i = 0; i < 3; ++i) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
        for (int32_t a = 0; a < 8; ++a) {
            double x = positions[3 * (int64_t)element[a] + i];
            low[i] = fmin(low[i], x);
            high[i] = fmax(high[i], x);
        }
    }
    int32_t at_corner[8];
    uint32_t seen = 0;
    for (int32_t a = 0; a < 8; ++a) {
        uint32_t corner = 0;
        for (int32_t i = 0; i < 3; ++i) {
            double x = positions[3 * (int64_t)element[a] + i];
            double reach = tolerance * (high[i] - low[i]);
            if (high[i] - x <= reach) {
                corner |= 1u << i;
            } else if (!(x - low[i] <= reach)) {
                return false;
            }
        }
        at_corner[corner] = element[a];
        seen |= 1u << corner;
    }
    if (seen != 0xff) {
        return false;
    }
    for (int32_t i = 0; i < 3; ++i) {
        edges[i] = high[i] - low[i];
    }
    for (int32_t a = 0; a < 8; ++a) {
        out[a] = at_corner[cube_corner[a]];
    }
    return true;
}

static void orient_element(const LyraMesh *mesh, int32_t e, int32_t *element,
                           LyraOrientReport *report)
{
    int32_t ordered[8];
    double edges[3];
    if (mesh->kind == LYRA_ELEMENT_CUBE8 &&
        ly_cube_order_corners(mesh->positions, element, CORNER_TOLERANCE, ordered, edges)) {
        report->flipped += memcmp(element, ordered, sizeof ordered) != 0;
        memcpy(element, ordered, sizeof ordered);
        return;
    }
    double volume = ly_element_volume(mesh, e);
    if (ly_element_is_degenerate(mesh, e, volume)) {
        ++report->degenerate;
    } else if (ly_element_is_reversed(mesh, e, volume)) {
        flip(mesh->kind, element);
        ++report->flipped;
    }
}

// Copies of both arrays of a mesh.
static LyraStatus copy_arrays(const LyraMesh *mesh, double **positions, int32_t **elements)
{
    int64_t total = (int64_t)lyra_element_kind_nodes(mesh->kind) * mesh->element_count;
    LY_TRY(ly_allocate_array(mesh->ctx, 3 * (int64_t)mesh->vertex_count, sizeof **positions,
                             positions));
    LyraStatus status = ly_allocate_array(mesh->ctx, total, sizeof **elements, elements);
    if (status != LYRA_OK) {
        ly_release(mesh->ctx, *positions);
        return status;
    }
    if (mesh->vertex_count > 0) {
        memcpy(*positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof **positions);
    }
    if (total > 0) {
        memcpy(*elements, mesh->elements, (size_t)total * sizeof **elements);
    }
    return LYRA_OK;
}

LyraStatus lyra_mesh_orient(const LyraMesh *mesh, LyraOrientReport *report, LyraMesh **out)
{
    double *positions = NULL;
    int32_t *elements = NULL;
    LY_TRY(copy_arrays(mesh, &positions, &elements));
    int64_t nodes = lyra_element_kind_nodes(mesh->kind);
    LyraOrientReport found = {0};
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        orient_element(mesh, e, elements + nodes * e, &found);
    }
    const LyMeshEdit edit = {.mesh = mesh,
                             .vertex_count = mesh->vertex_count,
                             .element_count = mesh->element_count,
                             .positions = positions,
                             .elements = elements,
                             .children = 1};
    LY_TRY(ly_mesh_edit_finish(&edit, out));
    if (report) {
        *report = found;
    }
    return LYRA_OK;
}

// ---- transformation -----------------------------------------------------------------------------

// A matrix over its largest entry, so that products of its entries stay in range; zero stays zero.
static void normalize(const double m[9], double n[9])
{
    double largest = 0;
    for (int32_t i = 0; i < 9; ++i) {
        largest = fmax(largest, fabs(m[i]));
    }
    for (int32_t i = 0; i < 9; ++i) {
        n[i] = largest > 0 ? m[i] / largest : 0;
    }
}

// Whether n, normalized, is a scale times a rotation; writes the rotation.
static bool is_similarity(const double n[9], double rotation[9])
{
    double gram[9];
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t j = 0; j < 3; ++j) {
            gram[3 * i + j] = n[i] * n[j] + n[3 + i] * n[3 + j] + n[6 + i] * n[6 + j];
        }
    }
    double scale2 = (gram[0] + gram[4] + gram[8]) / 3;
    for (int32_t i = 0; i < 9; ++i) {
        double expected = i % 4 == 0 ? scale2 : 0;
        if (!(fabs(gram[i] - expected) <= 1e-12 * scale2) || scale2 == 0) {
            return false;
        }
        rotation[i] = n[i] / sqrt(scale2);
    }
    return ly_determinant3(n, n + 3, n + 6) > 0;
}

// Materials with the axes of orthotropic ones turned.
static void turn_axes(const LyraMesh *mesh, const double rotation[9], LyraMeshMaterial *out)
{
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        out[m] = mesh->materials[m];
        const double *axes = mesh->materials[m].orthotropic.axes;
        for (int32_t i = 0; i < 9 && out[m].kind == LYRA_MESH_MATERIAL_ORTHOTROPIC; ++i) {
            int32_t row = i / 3, column = i % 3;
            out[m].orthotropic.axes[i] = rotation[3 * row] * axes[column] +
                                         rotation[3 * row + 1] * axes[3 + column] +
                                         rotation[3 * row + 2] * axes[6 + column];
        }
    }
}

LyraStatus lyra_mesh_transform(const LyraMesh *mesh, const double matrix[9],
                               const double translation[3], LyraMesh **out)
{
    for (int32_t i = 0; i < 9; ++i) {
        if (!isfinite(matrix[i]) || !isfinite(translation[i % 3])) {
            return ly_fail(LYRA_NOT_FINITE, "transform: a number of the map is not finite");
        }
    }
    double *positions = NULL;
    int32_t *elements = NULL;
    LyraMeshMaterial *materials = NULL;
    LY_TRY(ly_allocate_array(mesh->ctx, mesh->material_count, sizeof *materials, &materials));
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(copy_arrays(mesh, &positions, &elements));
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * v;
        for (int32_t i = 0; i < 3; ++i) {
            positions[3 * v + i] = matrix[3 * i] * x[0] + matrix[3 * i + 1] * x[1] +
                                   matrix[3 * i + 2] * x[2] + translation[i];
        }
    }
    int64_t nodes = lyra_element_kind_nodes(mesh->kind);
    double normalized[9], rotation[9];
    normalize(matrix, normalized);
    bool mirrors = ly_determinant3(normalized, normalized + 3, normalized + 6) < 0;
    for (int64_t e = 0; e < mesh->element_count && mirrors; ++e) {
        flip(mesh->kind, elements + nodes * e);
    }
    bool turned = is_similarity(normalized, rotation);
    if (turned) {
        turn_axes(mesh, rotation, materials);
    }
    const LyMeshEdit edit = {.mesh = mesh,
                             .vertex_count = mesh->vertex_count,
                             .element_count = mesh->element_count,
                             .positions = positions,
                             .elements = elements,
                             .children = 1,
                             .materials = turned ? materials : NULL};
    status = ly_mesh_edit_finish(&edit, out);
done:
    ly_release(mesh->ctx, materials);
    return status;
}
