// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Statics under constraints: a bar is drawn out by 1 % between two plates, and the solver is asked
// for the force that this takes. For a uniform bar the answer is known: E A times the strain.
//
// Plates let a body slide along them, so the first attempt holds too little, and the solver says
// what is free.

#include "lyra/lyra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(LyraStatus status)
{
    if (status != LYRA_OK) {
        fprintf(stderr, "%s: %s\n", lyra_status_name(status), lyra_error_message());
        exit(1);
    }
}

static void *allocate(int32_t count)
{
    void *memory = calloc((size_t)count, sizeof(double));
    if (!memory) {
        exit(1);
    }
    return memory;
}

// the vertex nearest to a point
static int32_t nearest(int32_t count, const double *positions, double x, double y, double z)
{
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t v = 0; v < count; ++v) {
        const double *p = positions + 3 * v;
        double distance = hypot(hypot(p[0] - x, p[1] - y), p[2] - z);
        best = distance < least ? v : best;
        least = fmin(distance, least);
    }
    return best;
}

int main(void)
{
    const double young = 1e6, length = 1.0, width = 0.25, stretch = 0.01;
    LyraContext *ctx = NULL;
    check(lyra_context_create(NULL, &ctx));

    // a bar of tets along x, and its stiffness; rows are in the order of the assembly
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    const int32_t cells[3] = {12, 3, 3};
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = cells[i];
        shape.size[i] = i == 0 ? length : width;
    }
    LyraMesh *mesh = NULL;
    check(lyra_mesh_generate(ctx, &shape, &mesh));
    LyraSolidDef solid_def = lyra_solid_def_default();
    solid_def.model = "linear";
    solid_def.young = young;
    LyraSolid *solid = NULL;
    check(lyra_solid_create(ctx, mesh, &solid_def, &solid));
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraAssembly *assembly = NULL;
    int32_t force_count = 0, count = view.vertex_count, size = 3 * count;
    LyraForce *const *forces = lyra_solid_forces(solid, &force_count);
    check(lyra_assembly_create(ctx, count, view.positions, force_count, forces, &assembly));
    LyraBlockMatrix *K = NULL;
    check(lyra_block_matrix_create(lyra_assembly_pattern(assembly), &K));
    LyraEvaluation evaluation = {.x = view.positions, .dfdx = K};
    check(lyra_assembly_evaluate(assembly, &evaluation));
    const int32_t *order = lyra_assembly_order(assembly);
    double *positions = allocate(size), *moved = allocate(size), *load = allocate(size);
    double *u = allocate(size), *force = allocate(size);
    for (int32_t i = 0; i < size; ++i) {
        positions[i] = view.positions[3 * order[i / 3] + i % 3];
    }

    // the plates: no motion along x at one, a prescribed one at the other
    LyraConstraints *constraints = NULL;
    check(lyra_constraints_create(ctx, size, &constraints));
    const double along_x[3] = {1, 0, 0};
    for (int32_t v = 0; v < count; ++v) {
        if (fabs(fabs(positions[3 * v]) - length / 2) < 1e-9) {
            check(lyra_constraints_add_direction(constraints, v, along_x));
            moved[3 * v] = positions[3 * v] > 0 ? stretch * length : 0;
        }
    }

    LyraSolverDef def = lyra_solver_def_default();
    def.task = LYRA_SOLVER_STATICS;
    def.tolerance = 1e-10;
    def.positions = positions; // so that it can name what is free
    LyraSolver *solver = NULL;
    check(lyra_solver_create(ctx, &def, &solver));
    LyraOperator A = lyra_operator_block(K, true);
    check(lyra_solver_analyze(solver, &A, constraints));
    LyraStatus status = lyra_solver_factor(solver, &A);
    printf("plates alone: %s\n  %s\n", lyra_status_name(status), lyra_error_message());
    bool good = status == LYRA_SINGULAR;

    // one corner may not slide, and a second one only away from it
    int32_t corner = nearest(count, positions, -length, -width, -width);
    int32_t second = nearest(count, positions, -length, width, -width);
    const int32_t dofs[] = {3 * corner + 1, 3 * corner + 2, 3 * second + 2};
    check(lyra_constraints_fix_dofs(constraints, 3, dofs));
    check(lyra_constraints_set_values(constraints, moved));
    check(lyra_solver_factor(solver, &A));
    LyraSolveReport report;
    check(lyra_solver_solve(solver, load, false, u, &report));
    printf("with a corner held: by %s, residual %.1e\n", report.solver, report.residual);

    // K u = load + reactions; those of the right plate add up to the force of the bar
    lyra_operator_apply(&A, u, force);
    lyra_constraints_reaction(constraints, force, load, force);
    double pull = 0, expected = young * width * width * stretch;
    for (int32_t v = 0; v < count; ++v) {
        pull += positions[3 * v] > 0 ? force[3 * v] : 0;
    }
    printf("force of the right plate %.6f N, expected %.6f N\n", pull, expected);
    good = good && fabs(pull - expected) < 1e-6 * expected;

    free(positions);
    free(moved);
    free(load);
    free(u);
    free(force);
    lyra_solver_destroy(solver);
    lyra_constraints_destroy(constraints);
    lyra_block_matrix_destroy(K);
    lyra_assembly_destroy(assembly);
    lyra_solid_destroy(solid);
    lyra_mesh_destroy(mesh);
    lyra_context_destroy(ctx);
    return good ? 0 : 1;
}
