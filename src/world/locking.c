// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Warnings of linear tets that are stiffer than what they stand for, and of laws that other ways to
// see volumes do not suit. Nearly incompressible ones are known before the first step. Coarse ones
// in bending are found by their strains: with E the Green strain of a tet, and E* the mean over its
// nodes of means over the tets around them,
//   eta^2 = sum V |E - E*|^2 / sum V |E|^2
// estimates the share of the energy that the mesh cannot follow (Zienkiewicz and Zhu). Where the
// strain is alike all over, as under compression, it is 0, however coarse the mesh.

#include "world/world.h"

#include <math.h>
#include <string.h>

#define POISSON_MAX 0.45
#define COARSE 0.1 // eta^2

// numbers of a vertex: sum of volumes and of strains 11, 22, 33, 12, 23, 31 times them
enum { VERTEX_SUMS = 7 };

static bool has_linear_tets(const LyraBodyView *view)
{
    return view->solid && lyra_mesh_view(view->mesh).kind == LYRA_ELEMENT_TET4;
}

// Laws whose energies of shape and of volume are not apart: what is left of them without that of
// pure dilatation is of any sign, and beside a large bulk modulus at small strains already.
static bool mixes_volume(const char *model)
{
    static const char *const names[] = {"stvk", "rotated-linear", "biphasic-spline"};
    for (int32_t k = 0; k < LY_COUNT_OF(names); ++k) {
        if (strcmp(model, names[k]) == 0) {
            return true;
        }
    }
    return false;
}

// those that lyra_solid_create() lets have other ways
static bool is_law(const char *model)
{
    static const char *const others[] = {"linear", "corotational", "corotational-exact"};
    for (int32_t k = 0; k < LY_COUNT_OF(others); ++k) {
        if (strcmp(model, others[k]) == 0) {
            return false;
        }
    }
    return true;
}

static double find_poisson(const LyraMesh *mesh)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    double poisson = -1;
    for (int32_t e = 0; e < view.element_count; ++e) {
        const LyraMeshMaterial *material = &view.materials[view.element_materials[e]];
        if (material->kind == LYRA_MESH_MATERIAL_ENU) {
            poisson = fmax(poisson, material->enu.poisson);
        }
    }
    return poisson;
}

void ly_warn_incompressible(LyraWorld *world, const LyraBodyView *view, const LyBody *body)
{
    const LyraSolidDef *def = &body->solid_def;
    bool standard = def->volumetric == LYRA_VOLUMETRIC_STANDARD;
    bool locks = standard && has_linear_tets(view) && strcmp(def->model, "mass-spring") != 0;
    bool tears = !standard && view->solid && mixes_volume(def->model);
    double poisson = locks || tears ? find_poisson(view->mesh) : -1;
    if (poisson <= POISSON_MAX || world->warned_incompressible) {
        return;
    }
    world->warned_incompressible = true;
    if (tears) {
        ly_log(world->ctx, LYRA_LOG_WARNING,
               "body %s: %s with \"volumetric: %s\" loses its stability at small strains at a "
               "Poisson's ratio of %g, as its energies of shape and of volume are not apart; take "
               "neo-hookean",
               view->name, def->model, lyra_volumetric_name(def->volumetric), poisson);
    } else if (is_law(def->model)) {
        ly_log(world->ctx, LYRA_LOG_WARNING,
               "body %s: tets of 4 nodes are far too stiff at a Poisson's ratio of %g; "
               "\"volumetric: nodal\" helps, or tets of 10 nodes (\"element: tet10\", `lyra mesh "
               "quadratic`) with \"volumetric: mean\"",
               view->name, poisson);
    } else {
        ly_log(world->ctx, LYRA_LOG_WARNING,
               "body %s: tets of 4 nodes are far too stiff at a Poisson's ratio of %g; tets of 10 "
               "nodes (\"element: tet10\", `lyra mesh quadratic`) help, or \"volumetric: nodal\" "
               "of a law, as neo-hookean, in place of %s",
               view->name, poisson, def->model);
    }
}

LyraStatus ly_world_watch_bending(LyraWorld *world)
{
    int64_t most = 0;
    for (int32_t b = 0; b < world->body_count; ++b) {
        const LyraBodyView *view = &world->views[b];
        most = has_linear_tets(view) && view->vertex_count > most ? view->vertex_count : most;
    }
    if (strcmp(world->spec.integrator.name, "static") != 0 || most == 0) {
        return LYRA_OK;
    }
    return ly_allocate_array(world->ctx, VERTEX_SUMS * most, sizeof *world->strains,
                             &world->strains);
}

// Green strain from displacements, and the volume, of a tet
static double find_strain(const LyraMeshView *mesh, int32_t e, const double *u, double E[6])
{
    const int32_t *v = mesh->elements + 4 * (int64_t)e;
    double X[3][3], H[3][3] = {{0}}, cofactor[3][3];
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            X[a][i] =
                mesh->positions[3 * (int64_t)v[a + 1] + i] - mesh->positions[3 * (int64_t)v[0] + i];
        }
    }
    for (int a = 0; a < 3; ++a) {
        const double *p = X[(a + 1) % 3], *q = X[(a + 2) % 3];
        for (int i = 0; i < 3; ++i) {
            cofactor[a][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
        }
    }
    double det = X[0][0] * cofactor[0][0] + X[0][1] * cofactor[0][1] + X[0][2] * cofactor[0][2];
    for (int k = 0; k < 27; ++k) {
        int a = k / 9, i = k / 3 % 3, j = k % 3;
        double d = u[3 * (int64_t)v[a + 1] + i] - u[3 * (int64_t)v[0] + i];
        H[i][j] += d * cofactor[a][j] / det;
    }
    for (int n = 0; n < 6; ++n) {
        int i = n % 3, j = n < 3 ? n : (n + 1) % 3;
        E[n] =
            0.5 * (H[i][j] + H[j][i] + H[0][i] * H[0][j] + H[1][i] * H[1][j] + H[2][i] * H[2][j]);
    }
    return det / 6;
}

static double square(const double E[6])
{
    return E[0] * E[0] + E[1] * E[1] + E[2] * E[2] + 2 * (E[3] * E[3] + E[4] * E[4] + E[5] * E[5]);
}

// eta^2
static double find_error(const LyraMeshView *mesh, const double *u, double *sums)
{
    double E[6], error = 0, whole = 0;
    memset(sums, 0, VERTEX_SUMS * (size_t)mesh->vertex_count * sizeof *sums);
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        double V = find_strain(mesh, e, u, E);
        for (int a = 0; a < 4; ++a) {
            double *sum = sums + VERTEX_SUMS * (int64_t)mesh->elements[4 * (int64_t)e + a];
            sum[0] += V;
            for (int n = 0; n < 6; ++n) {
                sum[1 + n] += V * E[n];
            }
        }
    }
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        double V = find_strain(mesh, e, u, E), apart[6];
        memcpy(apart, E, sizeof apart);
        for (int a = 0; a < 4; ++a) {
            const double *sum = sums + VERTEX_SUMS * (int64_t)mesh->elements[4 * (int64_t)e + a];
            for (int n = 0; n < 6; ++n) {
                apart[n] -= 0.25 * sum[1 + n] / sum[0];
            }
        }
        error += V * square(apart);
        whole += V * square(E);
    }
    return whole > 0 ? error / whole : 0;
}

void ly_warn_bending(LyraWorld *world)
{
    if (!world->strains) {
        return;
    }
    const double *u = lyra_vector_values(lyra_state_view(world->state).u);
    for (int32_t b = 0; b < world->body_count && !world->warned_coarse; ++b) {
        const LyraBodyView *view = &world->views[b];
        if (!has_linear_tets(view)) {
            continue;
        }
        LyraMeshView mesh = lyra_mesh_view(view->mesh);
        double error = find_error(&mesh, u + 3 * (int64_t)view->first_vertex, world->strains);
        if (error > COARSE) {
            world->warned_coarse = true;
            ly_log(world->ctx, LYRA_LOG_WARNING,
                   "body %s: static: neighbouring tets of 4 nodes differ in strain by %.0f %%, as "
                   "coarse ones do in bending, and are too stiff; tets of 10 nodes (\"element: "
                   "tet10\", `lyra mesh quadratic`) or a finer mesh help",
                   view->name, 100 * sqrt(error));
        }
    }
}
