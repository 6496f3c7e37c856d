// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Two bodies of [Hau04] on which integrators are compared: StVK with viscosity of the same form, S
// = lambda tr(E) 1 + 2 mu E + d_lambda tr(E') 1 + 2 d_mu E', lumped masses, 1000 kg/m^3.
//
// Bar: 0.3 x 0.1 x 0.1 m, 63 vertices, 144 tets, left end fixed, under gravity along -y. lambda =
// 0.3 MPa, mu = 3 kPa, 3 kPa s and 30 Pa s.
//
// Shear: a cube of 0.1 m, 125 vertices, 384 tets, its lower left edge fixed (x and y lowest).
// lambda = 0.1 MPa, mu = 1 kPa, 20 kPa s and 0.1 kPa s. Live tangential tractions on the faces
// across x (along y) and across y (along x) grow to 200 Pa in 1 s and stay. No gravity.

#ifndef LYRA_BENCHMARK_HAUTH_H
#define LYRA_BENCHMARK_HAUTH_H

#include "lyra/lyra.h"

#include <math.h>
#include <stdlib.h>

typedef struct Hauth {
    LyraMesh *mesh;
    LyraForce *forces[6];
    int32_t force_count;
    LyraModel *model;
    LyraSystem *system;
    LyraState *state;
    int32_t size; // unknowns
} Hauth;

typedef enum HauthCase { HAUTH_BAR, HAUTH_SHEAR } HauthCase;

#define HAUTH_TRY(call)                                                                            \
    do {                                                                                           \
        LyraStatus hauth_status = (call);                                                          \
        if (hauth_status != LYRA_OK) {                                                             \
            return hauth_status;                                                                   \
        }                                                                                          \
    } while (0)

static inline double hauth_ramp(void *user, double t)
{
    (void)user;
    return t < 1 ? t : 1;
}

static inline LyraStatus hauth_solid(LyraContext *ctx, HauthCase which, Hauth *out)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.density = 1000;
    shape.material = &material;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = which == HAUTH_SHEAR ? 4 : i == 0 ? 6 : 2;
        shape.size[i] = which == HAUTH_BAR && i == 0 ? 0.3 : 0.1;
    }
    HAUTH_TRY(lyra_mesh_generate(ctx, &shape, &out->mesh));
    double lambda = which == HAUTH_BAR ? 0.3e6 : 0.1e6, mu = which == HAUTH_BAR ? 3e3 : 1e3;
    LyraElasticDef law = lyra_elastic_def_default();
    law.model = LYRA_MATERIAL_STVK;
    law.young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    law.poisson = 0.5 * lambda / (lambda + mu);
    law.inversion = LYRA_INVERSION_NONE;
    HAUTH_TRY(lyra_elastic_create(ctx, out->mesh, &law, &out->forces[out->force_count]));
    ++out->force_count;
    LyraViscosityDef viscosity = lyra_viscosity_def_default();
    viscosity.lambda = which == HAUTH_BAR ? 3e3 : 20e3;
    viscosity.mu = which == HAUTH_BAR ? 30 : 100;
    HAUTH_TRY(lyra_viscosity_create(ctx, out->mesh, &viscosity, &out->forces[out->force_count]));
    ++out->force_count;
    return LYRA_OK;
}

// a live load on the face across `axis`, at its lowest or highest coordinate
static inline LyraStatus hauth_load(LyraContext *ctx, const LyraMeshBoundaryView *boundary,
                                    int axis, double side, Hauth *out)
{
    LyraMeshView view = lyra_mesh_view(out->mesh);
    int32_t *triangles = malloc(3 * (size_t)boundary->face_count * sizeof *triangles), count = 0;
    if (!triangles) {
        return LYRA_OUT_OF_MEMORY;
    }
    for (int32_t f = 0; f < boundary->face_count; ++f) {
        const int32_t *face = boundary->faces + 3 * f;
        double mean = 0;
        for (int k = 0; k < 3; ++k) {
            mean += view.positions[3 * face[k] + axis] / 3;
        }
        if (side * mean > 0.05 * (1 - 1e-9)) {
            for (int k = 0; k < 3; ++k) {
                triangles[3 * count + k] = face[k];
            }
            ++count;
        }
    }
    LyraTractionDef def = lyra_traction_def_default();
    def.kind = LYRA_TRACTION_LIVE;
    def.traction[1 - axis] = 200 * side;
    def.triangle_count = count;
    def.triangles = triangles;
    def.amplitude = hauth_ramp;
    LyraStatus status = lyra_traction_create(ctx, view.vertex_count, view.positions, &def,
                                             &out->forces[out->force_count]);
    out->force_count += status == LYRA_OK;
    free(triangles);
    return status;
}

static inline LyraStatus hauth_loads(LyraContext *ctx, Hauth *out)
{
    LyraMeshBoundary *boundary = NULL;
    HAUTH_TRY(lyra_mesh_boundary_create(out->mesh, true, &boundary));
    LyraMeshBoundaryView view = lyra_mesh_boundary_view(boundary);
    LyraStatus status = LYRA_OK;
    for (int f = 0; f < 4 && status == LYRA_OK; ++f) {
        status = hauth_load(ctx, &view, f / 2, f % 2 ? 1 : -1, out);
    }
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

static inline LyraStatus hauth_model(LyraContext *ctx, HauthCase which, Hauth *out)
{
    LyraMeshView view = lyra_mesh_view(out->mesh);
    double *masses = malloc((size_t)view.vertex_count * sizeof *masses);
    if (!masses) {
        return LYRA_OUT_OF_MEMORY;
    }
    lyra_mesh_lumped_masses(out->mesh, NULL, masses);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.force_count = out->force_count;
    def.forces = out->forces;
    def.masses = masses;
    def.gravity[1] = which == HAUTH_BAR ? -9.81 : 0;
    LyraStatus status = lyra_model_create(ctx, &def, &out->model);
    free(masses);
    for (int32_t i = 0; i < view.vertex_count && status == LYRA_OK; ++i) {
        const double *x = view.positions + 3 * i;
        if (which == HAUTH_BAR ? x[0] < -0.149 : x[0] < -0.049 && x[1] < -0.049) {
            status = lyra_constraints_fix_vertices(lyra_model_constraints(out->model), 1, &i);
        }
    }
    return status;
}

/// Makes one of the two; `dense`: as a dense system. End it with hauth_end() in any case.
static inline LyraStatus hauth_make(LyraContext *ctx, HauthCase which, bool dense, Hauth *out)
{
    *out = (Hauth){0};
    HAUTH_TRY(hauth_solid(ctx, which, out));
    if (which == HAUTH_SHEAR) {
        HAUTH_TRY(hauth_loads(ctx, out));
    }
    HAUTH_TRY(hauth_model(ctx, which, out));
    if (dense) {
        HAUTH_TRY(lyra_system_create_dense(ctx, out->model, &out->system));
    } else {
        LyraSolverDef solver = lyra_solver_def_default();
        solver.tolerance = 1e-12;
        HAUTH_TRY(lyra_system_create_sparse(ctx, out->model, &solver, &out->system));
    }
    out->size = lyra_system_size(out->system);
    return lyra_system_state_create(out->system, &out->state);
}

static inline void hauth_end(Hauth *hauth)
{
    lyra_state_destroy(hauth->state);
    lyra_system_destroy(hauth->system);
    lyra_model_destroy(hauth->model);
    for (int32_t f = 0; f < hauth->force_count; ++f) {
        lyra_force_destroy(hauth->forces[f]);
    }
    lyra_mesh_destroy(hauth->mesh);
}

/// Root of the mean over all vertices of the squared distance between two fields, m.
static inline double hauth_distance(int32_t size, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < size; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(3 * sum / size);
}

#endif
