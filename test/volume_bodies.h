// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a mesh made from a surface must be: whole, well shaped, and good to step.

#ifndef VOLUME_BODIES_H
#define VOLUME_BODIES_H

#include "volume_surfaces.h"

/// Checks elements, faces and angles.
static inline void check_valid(const LyraMesh *mesh, bool tets, const char *what)
{
    LyraMeshQuality quality;
    TEST_REQUIRE_OK(lyra_mesh_quality(mesh, &quality));
    TEST_CHECK_MSG(lyra_mesh_view(mesh).element_count > 0, "%s: no elements", what);
    TEST_CHECK_MSG(quality.inverted == 0 && quality.degenerate == 0 && quality.orphans == 0 &&
                       quality.duplicates == 0 && quality.non_manifold_faces == 0,
                   "%s: %d inverted, %d degenerate, %d orphans, %d duplicates, %d faces", what,
                   quality.inverted, quality.degenerate, quality.orphans, quality.duplicates,
                   quality.non_manifold_faces);
    double degrees = quality.min_dihedral * 180 / 3.141592653589793;
    TEST_CHECK_MSG(degrees > (tets ? 10 : 89), "%s: dihedral angle of %g degrees", what, degrees);
    TEST_CHECK_MSG(tets || quality.not_cubes == 0, "%s: %d not cubes", what, quality.not_cubes);
}

/// The boundary of a mesh.
static inline LyraSurface *boundary_surface(LyraContext *ctx, const LyraMesh *mesh)
{
    LyraMeshBoundary *boundary = NULL;
    LyraSurface *surface = NULL;
    TEST_OK(lyra_mesh_boundary_create(mesh, true, &boundary));
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t *begin = malloc(sizeof *begin * ((size_t)faces.face_count + 1));
    for (int32_t f = 0; f <= faces.face_count; ++f) {
        begin[f] = 3 * f;
    }
    LyraSurfaceView data = {
        .vertex_count = view.vertex_count,
        .face_count = faces.face_count,
        .corner_count = 3 * faces.face_count,
        .positions = view.positions,
        .face_begin = begin,
        .corner_vertices = faces.faces,
    };
    TEST_OK(lyra_surface_create(ctx, &data, &surface));
    lyra_mesh_boundary_destroy(boundary);
    free(begin);
    return surface;
}

/// Steps the body for 50 steps under gravity, held at its lowest vertices: every step must work,
/// and the body must stay finite and of its size.
static inline void check_steps(LyraContext *ctx, const LyraMesh *mesh, const char *what)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraSolid *solid = NULL;
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraIntegrator *integrator = NULL;
    size_t n = (size_t)view.vertex_count;
    double *masses = malloc(n * sizeof *masses), low = INFINITY, high = -INFINITY;
    int32_t *fixed = malloc(n * sizeof *fixed), fixed_count = 0;
    LyraSolidDef material = lyra_solid_def_default();
    material.young = 1e6;
    material.poisson = 0.4;
    TEST_OK(lyra_solid_create(ctx, mesh, &material, &solid));
    lyra_mesh_lumped_masses(mesh, NULL, masses);
    for (size_t v = 0; v < n; ++v) {
        low = fmin(low, view.positions[3 * v + 2]);
        high = fmax(high, view.positions[3 * v + 2]);
    }
    for (size_t v = 0; v < n; ++v) {
        if (view.positions[3 * v + 2] < low + 0.05 * (high - low)) {
            fixed[fixed_count++] = (int32_t)v;
        }
    }
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    def.forces = lyra_solid_forces(solid, &def.force_count);
    def.masses = masses;
    def.gravity[2] = -9.81;
    def.mass_damping = 1;
    TEST_OK(lyra_model_create(ctx, &def, &model));
    TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(model), fixed_count, fixed));
    TEST_OK(lyra_system_create_sparse(ctx, model, NULL, &system));
    TEST_OK(lyra_system_state_create(system, &state));
    LyraIntegratorDef settings = lyra_integrator_def_default();
    TEST_OK(lyra_integrator_create(ctx, &settings, system, &integrator));
    for (int32_t step = 0; step < 50; ++step) {
        LyraStatus status = lyra_integrator_step(integrator, state, 0.01, NULL);
        if (!TEST_CHECK_MSG(status == LYRA_OK, "%s: step %d: %s", what, step,
                            lyra_error_message())) {
            break;
        }
    }
    // loose parts fall: 1.25 m in half a second, less than the two meters of the whole
    const double *u = lyra_vector_values(lyra_state_view(state).u);
    double worst = 0;
    for (size_t i = 0; i < 3 * n; ++i) {
        worst = u[i] == u[i] ? fmax(worst, fabs(u[i])) : INFINITY;
    }
    TEST_CHECK_MSG(worst < 2, "%s: a vertex moved by %g m", what, worst);
    lyra_integrator_destroy(integrator);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    lyra_solid_destroy(solid);
    free(masses);
    free(fixed);
}

/// A broken surface as tets and as cubes.
static inline void check_broken(LyraContext *ctx, uint64_t seed, int32_t triangles,
                                int32_t resolution)
{
    char what[100], name[140];
    Soup soup = soup_broken(seed, triangles, what);
    LyraSurface *surface = soup_surface(ctx, &soup);
    LyraVolumeDef def = lyra_volume_def_default();
    def.resolution = resolution;
    for (int32_t tets = 0; tets < 2; ++tets) {
        LyraMesh *mesh = NULL;
        snprintf(name, sizeof name, "seed %d (%s), %s", (int)seed, what, tets ? "tets" : "cubes");
        LyraStatus status = tets ? lyra_mesh_tetrahedralize(surface, &def, NULL, &mesh)
                                 : lyra_mesh_voxelize(surface, &def, NULL, &mesh);
        if (TEST_CHECK_MSG(status == LYRA_OK, "%s: %s", name, lyra_error_message())) {
            check_valid(mesh, tets, name);
            check_steps(ctx, mesh, name);
        }
        lyra_mesh_destroy(mesh);
    }
    lyra_surface_destroy(surface);
    soup_end(&soup);
}

#endif
