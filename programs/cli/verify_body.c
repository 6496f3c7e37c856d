// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

VerifyBodyDef verify_body_def_default(LyraMesh *mesh)
{
    VerifyBodyDef def = {.mesh = mesh,
                         .solid = lyra_solid_def_default(),
                         .integrator = lyra_integrator_def_default()};
    def.integrator.name = "static";
    def.integrator.newton.decrement = 1e-26;
    def.integrator.newton.residual = 1e-12;
    def.integrator.newton.step = 1e-12;
    return def;
}

static void prescribe(void *user, double t, double *u, double *v, double *a)
{
    (void)t;
    (void)v;
    (void)a;
    const VerifyBody *body = user;
    memcpy(u, body->held, 3 * (size_t)body->view.vertex_count * sizeof *u);
}

static LyraStatus make_model(LyraContext *ctx, const VerifyBodyDef *def, VerifyBody *body)
{
    LyraStatus status = lyra_solid_create(ctx, body->mesh, &def->solid, &body->solid);
    if (status == LYRA_OK && def->traction) {
        status = lyra_traction_create(ctx, body->view.vertex_count, body->view.positions,
                                      def->traction, &body->load);
    }
    if (status == LYRA_OK && def->consistent_mass) {
        status = lyra_mass_matrix_create(body->mesh, NULL, true, &body->mass);
    }
    if (status != LYRA_OK) {
        return status;
    }
    LyraForce *forces[8];
    int32_t count = 0;
    LyraForce *const *solid = lyra_solid_forces(body->solid, &count);
    memcpy(forces, solid, (size_t)count * sizeof forces[0]);
    if (body->load) {
        forces[count++] = body->load;
    }
    lyra_mesh_lumped_masses(body->mesh, NULL, body->masses);
    LyraModelDef model = lyra_model_def_default();
    model.vertex_count = body->view.vertex_count;
    model.positions = body->view.positions;
    model.force_count = count;
    model.forces = forces;
    model.masses = body->masses;
    model.mass_matrix = body->mass;
    memcpy(model.gravity, def->gravity, sizeof model.gravity);
    model.prescription = prescribe;
    model.prescription_user = body;
    return lyra_model_create(ctx, &model, &body->model);
}

LyraStatus verify_body_create(LyraContext *ctx, const VerifyBodyDef *def, VerifyBody *body)
{
    *body = (VerifyBody){.mesh = def->mesh, .view = lyra_mesh_view(def->mesh)};
    size_t size = 3 * (size_t)body->view.vertex_count * sizeof *body->held;
    body->masses = cli_allocate(size);
    body->held = memset(cli_allocate(size), 0, size);
    LyraStatus status = make_model(ctx, def, body);
    if (status == LYRA_OK) {
        LyraSolverDef solver = lyra_solver_def_default();
        bool is_static = strcmp(def->integrator.name, "static") == 0;
        solver.task = is_static ? LYRA_SOLVER_STATICS : LYRA_SOLVER_DYNAMICS;
        status = lyra_system_create_sparse(ctx, body->model, &solver, &body->system);
    }
    if (status == LYRA_OK) {
        status = lyra_system_state_create(body->system, &body->state);
    }
    if (status == LYRA_OK) {
        status = lyra_integrator_create(ctx, &def->integrator, body->system, &body->integrator);
    }
    if (status != LYRA_OK) {
        verify_body_end(body);
    }
    return status;
}

void verify_body_end(VerifyBody *body)
{
    lyra_integrator_destroy(body->integrator);
    lyra_state_destroy(body->state);
    lyra_system_destroy(body->system);
    lyra_model_destroy(body->model);
    lyra_mass_matrix_destroy(body->mass);
    lyra_force_destroy(body->load);
    lyra_solid_destroy(body->solid);
    lyra_mesh_destroy(body->mesh);
    free(body->masses);
    free(body->held);
    *body = (VerifyBody){0};
}

LyraStatus verify_box(LyraContext *ctx, LyraElementKind kind, const int32_t cells[3],
                      const double size[3], LyraMesh **out)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = kind;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = cells[i];
        shape.size[i] = size[i];
        shape.center[i] = 0.5 * size[i];
    }
    return lyra_mesh_generate(ctx, &shape, out);
}

LyraStatus verify_distort(LyraContext *ctx, const double size[3], double amount, LyraMesh **mesh)
{
    LyraMeshView view = lyra_mesh_view(*mesh);
    size_t bytes = 3 * (size_t)view.vertex_count * sizeof(double);
    double *positions = memcpy(cli_allocate(bytes), view.positions, bytes);
    uint64_t random = 1;
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        double *x = positions + 3 * (int64_t)v;
        bool inside = true;
        for (int i = 0; i < 3; ++i) {
            inside &= x[i] > 1e-9 * size[i] && x[i] < (1 - 1e-9) * size[i];
        }
        for (int i = 0; i < 3 && inside; ++i) {
            // Knuth's linear congruential generator; its upper half as a number in [-1, 1)
            random = random * 6364136223846793005u + 1442695040888963407u;
            x[i] += amount * ((double)(random >> 32) * 0x1p-31 - 1);
        }
    }
    view.positions = positions;
    LyraMesh *moved = NULL;
    LyraStatus status = lyra_mesh_create(ctx, &view, &moved);
    if (status == LYRA_OK) {
        lyra_mesh_destroy(*mesh);
        *mesh = moved;
    }
    free(positions);
    return status;
}

// ---- planes -------------------------------------------------------------------------------------

bool verify_on_plane(const VerifyBody *body, int32_t vertex, int32_t axis, double place)
{
    double size = lyra_system_extent(body->system);
    return fabs(body->view.positions[3 * (int64_t)vertex + axis] - place) <= 1e-9 * size;
}

LyraStatus verify_hold_plane(VerifyBody *body, int32_t axis, double place, const char *which)
{
    LyraConstraints *constraints = lyra_model_constraints(body->model);
    LyraStatus status = LYRA_OK;
    for (int32_t i = 0; i < body->view.vertex_count; ++i) {
        if (!verify_on_plane(body, i, axis, place)) {
            continue;
        }
        for (const char *c = which; *c && status == LYRA_OK; ++c) {
            int32_t dof = 3 * i + (*c - 'x');
            status = lyra_constraints_fix_dofs(constraints, 1, &dof);
        }
    }
    return status;
}

// the vector of twice the area of a flat face of 3 or 4 vertices
static void face_area(const double *positions, const int32_t *face, int32_t nodes, double area[3])
{
    const double *a = positions + 3 * (int64_t)face[0], *b = positions + 3 * (int64_t)face[1];
    const double *c = positions + 3 * (int64_t)face[2];
    const double *d = positions + 3 * (int64_t)face[nodes - 1];
    // half the cross product of the diagonals; a triangle has its last corner as third and fourth
    double p[3], q[3];
    for (int i = 0; i < 3; ++i) {
        p[i] = nodes == 4 ? c[i] - a[i] : b[i] - a[i];
        q[i] = nodes == 4 ? d[i] - b[i] : c[i] - a[i];
    }
    for (int i = 0; i < 3; ++i) {
        area[i] = 0.5 * (p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3]);
    }
}

LyraStatus verify_add_face_load(const VerifyBody *body, int32_t axis, double place,
                                const double traction[3], double *force)
{
    LyraMeshBoundary *boundary = NULL;
    LyraStatus status = lyra_mesh_boundary_create(body->mesh, false, &boundary);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMeshBoundaryView view = lyra_mesh_boundary_view(boundary);
    for (int32_t f = 0; f < view.face_count; ++f) {
        const int32_t *face = view.faces + (int64_t)f * view.nodes;
        bool on_plane = true;
        for (int32_t n = 0; n < view.nodes; ++n) {
            on_plane &= verify_on_plane(body, face[n], axis, place);
        }
        if (!on_plane) {
            continue;
        }
        // a constant load gives each corner of a triangle or a rectangle the same share, and of a
        // straight triangle of 6 nodes the middles alone
        double area[3];
        face_area(body->view.positions, face, view.nodes, area);
        double size = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        double share = size / (view.nodes == 6 ? 3 : view.nodes);
        for (int32_t n = view.nodes == 6 ? 3 : 0; n < view.nodes; ++n) {
            for (int i = 0; i < 3; ++i) {
                force[3 * (int64_t)face[n] + i] += share * traction[i];
            }
        }
    }
    lyra_mesh_boundary_destroy(boundary);
    return LYRA_OK;
}

LyraStatus verify_push_face(VerifyBody *body, int32_t axis, double place, const double traction[3])
{
    size_t size = 3 * (size_t)body->view.vertex_count * sizeof(double);
    double *force = memset(cli_allocate(size), 0, size);
    LyraStatus status = verify_add_face_load(body, axis, place, traction, force);
    if (status == LYRA_OK) {
        status = lyra_model_set_force(body->model, force);
    }
    free(force);
    return status;
}

// ---- solutions ----------------------------------------------------------------------------------

LyraStatus verify_body_solve(VerifyBody *body, LyraStepReport *report)
{
    return lyra_integrator_step(body->integrator, body->state, 1, report);
}

const double *verify_body_displacements(const VerifyBody *body)
{
    return lyra_vector_values(lyra_state_view(body->state).u);
}

LyraStatus verify_plane_reaction(LyraContext *ctx, const VerifyBody *body, int32_t axis,
                                 double place, double reaction[3])
{
    LyraVector *vector = NULL;
    LyraStatus status = lyra_vector_create(ctx, 3 * body->view.vertex_count, &vector);
    if (status == LYRA_OK) {
        status = lyra_integrator_reaction(body->integrator, body->state, vector);
    }
    if (status == LYRA_OK) {
        const double *values = lyra_vector_values(vector);
        reaction[0] = reaction[1] = reaction[2] = 0;
        for (int32_t v = 0; v < body->view.vertex_count; ++v) {
            for (int i = 0; i < 3 && verify_on_plane(body, v, axis, place); ++i) {
                reaction[i] += values[3 * (int64_t)v + i];
            }
        }
    }
    lyra_vector_destroy(vector);
    return status;
}

void verify_plane_displacement(const VerifyBody *body, int32_t axis, double place, double mean[3])
{
    const double *u = verify_body_displacements(body);
    int32_t count = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        if (verify_on_plane(body, v, axis, place)) {
            ++count;
            for (int i = 0; i < 3; ++i) {
                mean[i] += u[3 * (int64_t)v + i];
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        mean[i] /= count;
    }
}

double verify_limit(double coarse, double fine)
{
    return fine + (fine - coarse) / 3;
}

double verify_order(double h_coarse, double error_coarse, double h_fine, double error_fine)
{
    return log(error_coarse / error_fine) / log(h_coarse / h_fine);
}
