// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Quality of elements.
//
// Every element is scaled by its longest edge first, so that no size over- or underflows. With
// e along an edge and p, q from its end to the two vertices beside it, the dihedral angle at the
// edge is that between the planes (e, p) and (e, q): n1 = e x p, n2 = e x q,
//     angle = atan2(|n1 x n2|, n1 . n2),  n1 x n2 = e (e . (p x q)).
// A tet of longest edge 1 has aspect 1 / (2 sqrt(6) r) with r = 3 V / (sum of the areas).

#include "lyra/mesh_ops.h"
#include "math/vec3.h"
#include "mesh/element.h"
#include "mesh/merge.h"
#include "mesh/topology.h"

#include <math.h>
#include <string.h>

#define GRAIN 4096
#define PI 3.14159265358979323846
#define BOX_TOLERANCE 1e-6

// ---- one element --------------------------------------------------------------------------------

typedef struct Part {
    LyraMeshQuality quality; // counts and extremes
    double aspect_sum;
    int64_t aspect_count;
} Part;

static double dihedral(const double e[3], const double p[3], const double q[3])
{
    double n1[3], n2[3], pq[3];
    ly_cross3(e, p, n1);
    ly_cross3(e, q, n2);
    ly_cross3(p, q, pq);
    return atan2(ly_length3(e) * fabs(ly_dot3(e, pq)), ly_dot3(n1, n2));
}

static void note_angle(Part *part, int32_t element, double angle)
{
    LyraMeshQuality *quality = &part->quality;
    if (angle < quality->min_dihedral) {
        quality->min_dihedral = angle;
        quality->min_dihedral_element = element;
    }
    quality->max_dihedral = fmax(quality->max_dihedral, angle);
    int32_t bin = (int32_t)(angle * (LYRA_MESH_QUALITY_BINS / PI));
    ++quality->dihedral_bins[bin < LYRA_MESH_QUALITY_BINS ? bin : LYRA_MESH_QUALITY_BINS - 1];
}

static void note_aspect(Part *part, int32_t element, double aspect)
{
    LyraMeshQuality *quality = &part->quality;
    quality->min_aspect = fmin(quality->min_aspect, aspect);
    if (aspect > quality->max_aspect) {
        quality->max_aspect = aspect;
        quality->worst_aspect_element = element;
    }
    part->aspect_sum += aspect;
    ++part->aspect_count;
}

// Vertices of an element relative to its first, divided by `scale`.
static void load_scaled(const LyraMesh *mesh, int32_t element, double scale, double r[10][3])
{
    int32_t nodes = lyra_element_kind_nodes(mesh->kind);
    const int32_t *ids = mesh->elements + (int64_t)nodes * element;
    for (int32_t a = 0; a < nodes; ++a) {
        for (int32_t i = 0; i < 3; ++i) {
            r[a][i] = (mesh->positions[3 * (int64_t)ids[a] + i] -
                       mesh->positions[3 * (int64_t)ids[0] + i]) /
                      scale;
        }
    }
}

static void between(const double r[8][3], int32_t from, int32_t to, double out[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        out[i] = r[to][i] - r[from][i];
    }
}

static void measure_tet(Part *part, int32_t element, const double r[8][3])
{
    double d[3], e[3], p[3], q[3], area = 0;
    for (int32_t face = 0; face < 4; ++face) {
        const int32_t *v = lyra_element_kind_face(LYRA_ELEMENT_TET4, face);
        between(r, v[0], v[1], p);
        between(r, v[0], v[2], q);
        ly_cross3(p, q, d);
        area += 0.5 * ly_length3(d);
    }
    ly_cross3(r[1], r[2], d);
    double volume = fabs(ly_dot3(d, r[3])) / 6;
    note_aspect(part, element, area / (6 * sqrt(6.0) * volume));
    for (int32_t edge = 0; edge < 6; ++edge) {
        const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET4, edge);
        // edges 0..5 and 5..0 are opposite each other
        const int32_t *others = lyra_element_kind_edge(LYRA_ELEMENT_TET4, 5 - edge);
        between(r, ends[0], ends[1], e);
        between(r, ends[0], others[0], p);
        between(r, ends[0], others[1], q);
        note_angle(part, element, dihedral(e, p, q));
    }
}

static void measure_cube(Part *part, int32_t element, const double r[8][3])
{
    // neighbours of each corner along the three axes
    static const int32_t beside[8][3] = {{1, 3, 4}, {0, 2, 5}, {3, 1, 6}, {2, 0, 7},
                                         {5, 7, 0}, {4, 6, 1}, {7, 5, 2}, {6, 4, 3}};
    double shortest = INFINITY, longest = 0;
    for (int32_t a = 0; a < 8; ++a) {
        double d[3][3];
        for (int32_t i = 0; i < 3; ++i) {
            between(r, a, beside[a][i], d[i]);
            shortest = fmin(shortest, ly_length3(d[i]));
            longest = fmax(longest, ly_length3(d[i]));
        }
        for (int32_t i = 0; i < 3; ++i) {
            note_angle(part, element, dihedral(d[i], d[(i + 1) % 3], d[(i + 2) % 3]));
        }
    }
    note_aspect(part, element, longest / shortest);
}

static void count_one(int32_t element, int32_t *count, int32_t *first)
{
    if ((*count)++ == 0) {
        *first = element;
    }
}

static void measure(const LyraMesh *mesh, int32_t element, Part *part)
{
    LyraMeshQuality *quality = &part->quality;
    if (mesh->kind == LYRA_ELEMENT_CUBE8) {
        double edges[3];
        bool box = ly_cube_is_box(mesh, element, BOX_TOLERANCE, edges);
        double low = fmin(edges[0], fmin(edges[1], edges[2]));
        double high = fmax(edges[0], fmax(edges[1], edges[2]));
        if (!box) {
            count_one(element, &quality->not_boxes, &quality->first_not_box);
        }
        if (!box || !(high - low < BOX_TOLERANCE * high)) {
            count_one(element, &quality->not_cubes, &quality->first_not_cube);
        }
    }
    double volume = ly_element_volume(mesh, element);
    if (ly_element_is_degenerate(mesh, element, volume)) {
        count_one(element, &quality->degenerate, &quality->first_degenerate);
        return;
    }
    if (ly_element_is_reversed(mesh, element, volume)) {
        count_one(element, &quality->inverted, &quality->first_inverted);
    } else if (ly_element_is_folded(mesh, element)) {
        count_one(element, &quality->folded, &quality->first_folded);
    }
    double r[10][3] = {{0}};
    load_scaled(mesh, element, ly_element_longest_edge(mesh, element), r);
    if (ly_kind_is_tet(mesh->kind)) {
        measure_tet(part, element, r);
    } else {
        measure_cube(part, element, r);
    }
}

// ---- all elements -------------------------------------------------------------------------------

static Part empty_part(void)
{
    return (Part){.quality = {
                      .min_aspect = INFINITY,
                      .min_dihedral = INFINITY,
                      .worst_aspect_element = -1,
                      .min_dihedral_element = -1,
                      .first_inverted = -1,
                      .first_degenerate = -1,
                      .first_folded = -1,
                      .first_not_box = -1,
                      .first_not_cube = -1,
                      .first_orphan = -1,
                      .first_duplicate = -1,
                  }};
}

typedef struct QualityTask {
    const LyraMesh *mesh;
    int32_t pieces;
    Part *parts;
} QualityTask;

static void quality_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const QualityTask *task = data;
    Part part = empty_part();
    int64_t end = ly_piece_begin(task->mesh->element_count, task->pieces, index + 1);
    for (int64_t e = ly_piece_begin(task->mesh->element_count, task->pieces, index); e < end; ++e) {
        measure(task->mesh, (int32_t)e, &part);
    }
    task->parts[index] = part;
}

static void add_count(int32_t count, int32_t first, int32_t *all, int32_t *all_first)
{
    if (*all == 0) {
        *all_first = first;
    }
    *all += count;
}

static void add_part(Part *all, const Part *part)
{
    LyraMeshQuality *to = &all->quality;
    const LyraMeshQuality *from = &part->quality;
    to->min_aspect = fmin(to->min_aspect, from->min_aspect);
    if (from->max_aspect > to->max_aspect) {
        to->max_aspect = from->max_aspect;
        to->worst_aspect_element = from->worst_aspect_element;
    }
    if (from->min_dihedral < to->min_dihedral) {
        to->min_dihedral = from->min_dihedral;
        to->min_dihedral_element = from->min_dihedral_element;
    }
    to->max_dihedral = fmax(to->max_dihedral, from->max_dihedral);
    add_count(from->inverted, from->first_inverted, &to->inverted, &to->first_inverted);
    add_count(from->folded, from->first_folded, &to->folded, &to->first_folded);
    add_count(from->degenerate, from->first_degenerate, &to->degenerate, &to->first_degenerate);
    add_count(from->not_boxes, from->first_not_box, &to->not_boxes, &to->first_not_box);
    add_count(from->not_cubes, from->first_not_cube, &to->not_cubes, &to->first_not_cube);
    for (int32_t i = 0; i < LYRA_MESH_QUALITY_BINS; ++i) {
        to->dihedral_bins[i] += from->dihedral_bins[i];
    }
    all->aspect_sum += part->aspect_sum;
    all->aspect_count += part->aspect_count;
}

typedef struct ElementTask {
    const LyraMesh *mesh;
    int32_t pieces;
    double *aspects, *dihedrals;
} ElementTask;

static void element_piece(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const ElementTask *task = data;
    int64_t end = ly_piece_begin(task->mesh->element_count, task->pieces, index + 1);
    for (int64_t e = ly_piece_begin(task->mesh->element_count, task->pieces, index); e < end; ++e) {
        Part part = empty_part();
        measure(task->mesh, (int32_t)e, &part);
        bool degenerate = part.quality.degenerate > 0;
        if (task->aspects) {
            task->aspects[e] = degenerate ? INFINITY : part.quality.max_aspect;
        }
        if (task->dihedrals) {
            task->dihedrals[e] = degenerate ? 0 : part.quality.min_dihedral;
        }
    }
}

void lyra_mesh_element_quality(const LyraMesh *mesh, double *aspects, double *dihedrals)
{
    ElementTask task = {
        .mesh = mesh,
        .pieces = ly_piece_count(mesh->element_count, GRAIN),
        .aspects = aspects,
        .dihedrals = dihedrals,
    };
    ly_parallel_for(mesh->ctx, task.pieces, element_piece, &task);
}

static LyraStatus measure_all(const LyraMesh *mesh, LyraMeshQuality *out)
{
    QualityTask task = {.mesh = mesh, .pieces = ly_piece_count(mesh->element_count, GRAIN)};
    LY_TRY(ly_allocate_array(mesh->ctx, task.pieces, sizeof *task.parts, &task.parts));
    ly_parallel_for(mesh->ctx, task.pieces, quality_piece, &task);
    Part all = empty_part();
    for (int32_t p = 0; p < task.pieces; ++p) {
        add_part(&all, &task.parts[p]);
    }
    ly_release(mesh->ctx, task.parts);
    if (all.aspect_count > 0) {
        all.quality.mean_aspect = all.aspect_sum / (double)all.aspect_count;
    } else {
        all.quality.min_aspect = 0;
        all.quality.min_dihedral = 0;
    }
    *out = all.quality;
    return LYRA_OK;
}

// ---- the mesh around them -----------------------------------------------------------------------

static LyraStatus count_vertices(const LyraMesh *mesh, int32_t *scratch, LyraMeshQuality *quality)
{
    LY_TRY(lyra_mesh_orphans(mesh, &quality->orphans, scratch));
    quality->first_orphan = quality->orphans > 0 ? scratch[0] : -1;
    LY_TRY(ly_find_kept_vertices(mesh->ctx, mesh->vertex_count, mesh->positions, 0, scratch));
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (scratch[v] != v) {
            count_one(v, &quality->duplicates, &quality->first_duplicate);
        }
    }
    return LYRA_OK;
}

static LyraStatus count_faces(const LyraMesh *mesh, LyraMeshQuality *quality)
{
    int64_t total = (int64_t)lyra_element_kind_faces(mesh->kind) * mesh->element_count;
    int32_t *neighbors = NULL;
    LY_TRY(ly_allocate_array(mesh->ctx, total, sizeof *neighbors, &neighbors));
    LyraStatus status = ly_match_faces(mesh, neighbors, &quality->non_manifold_faces);
    for (int64_t i = 0; i < total && status == LYRA_OK; ++i) {
        quality->boundary_faces += neighbors[i] == LYRA_MESH_NO_NEIGHBOR;
    }
    ly_release(mesh->ctx, neighbors);
    return status;
}

LyraStatus lyra_mesh_quality(const LyraMesh *mesh, LyraMeshQuality *out)
{
    LyraMeshQuality quality;
    LY_TRY(measure_all(mesh, &quality));
    int32_t *scratch = NULL;
    LY_TRY(ly_allocate_array(mesh->ctx, mesh->vertex_count, sizeof *scratch, &scratch));
    LyraStatus status = count_vertices(mesh, scratch, &quality);
    ly_release(mesh->ctx, scratch);
    LY_TRY(status);
    LY_TRY(count_faces(mesh, &quality));
    *out = quality;
    return LYRA_OK;
}
