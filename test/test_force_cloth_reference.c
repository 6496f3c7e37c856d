// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cloth by the convention of Vega against its numbers: energies, forces, stiffness, steps; and
// damping against an independent computation.

#include "cloth_reference.h"
#include "force_checks.h"
#include "lyra/lyra.h"

enum { DOFS_MAX = 3 * 441 };

static const LyraClothGroup fabrics[2] = {{5200, 140, 0.03, 0.008, 0, 0, 0},
                                          {900, 60, 0.004, 0.02, 0, 0, 0}};

static LyraClothDef def_of(const ClothMesh *mesh)
{
    LyraClothDef def = lyra_cloth_def_default();
    def.vertex_count = mesh->vertices;
    def.triangle_count = mesh->triangles;
    def.positions = mesh->positions;
    def.triangles = mesh->corners;
    def.triangle_groups = mesh->groups;
    def.group_count = 2;
    def.groups = fabrics;
    def.area = LYRA_CLOTH_AREA_VEGA;
    def.frozen_bend = true;
    return def;
}

static void check_number(const char *what, int index, double found, double expected, double size)
{
    TEST_CHECK_MSG(fabs(found - expected) <= 2e-12 * test_tolerance_scale() * size,
                   "case %d: %s is %.17g, expected %.17g", index, what, found, expected);
}

static double weight(int32_t k)
{
    return sin(0.37 * (k + 1));
}

static void check_vector(const char *what, int index, int32_t n, const double *found,
                         const ClothVector *expected)
{
    double square = 0, sum = 0, dot = 0;
    for (int32_t k = 0; k < 3 * n; ++k) {
        square += found[k] * found[k];
        sum += fabs(found[k]);
        dot += found[k] * weight(k);
    }
    check_number(what, index, sqrt(square), expected->norm, expected->norm);
    check_number(what, index, sum, expected->sum, expected->sum);
    check_number(what, index, dot, expected->dot_w, expected->sum);
    for (int k = 0; k < 12; ++k) {
        check_number(what, index, found[k], expected->first[k], expected->norm);
        if (3 * (n / 2) + k < 3 * n) {
            check_number(what, index, found[3 * (n / 2) + k], expected->middle[k], expected->norm);
        }
    }
}

// energy, force and stiffness at displacements u, from positions at rest
static void check_case(LyraContext *ctx, const LyraClothDef *def, const double *u,
                       const ClothCase *expected, int index)
{
    int32_t n = def->vertex_count, count = 0;
    static double gradient[DOFS_MAX], w[DOFS_MAX], Kw[DOFS_MAX];
    double energy = 0, square = 0, trace = 0, wKw = 0;
    LyraCloth *cloth = NULL;
    LyraAssembly *assembly = NULL;
    LyraBlockMatrix *K = NULL;
    TEST_OK(lyra_cloth_create(ctx, def, &cloth));
    LyraForce *const *forces = lyra_cloth_forces(cloth, &count);
    TEST_OK(lyra_assembly_create(ctx, n, def->positions, count, forces, &assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(assembly), &K));
    LyraEvaluation evaluation = {.u = u, .energy = &energy, .gradient = gradient, .dfdx = K};
    TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
    check_number("energy", index, energy, expected->energy, expected->energy);
    check_vector("force", index, n, gradient, &expected->force);
    for (int32_t k = 0; k < 3 * n; ++k) {
        w[k] = weight(k);
    }
    apply_in_order(assembly, n, K, w, Kw);
    check_vector("stiffness", index, n, Kw, &expected->K_w);
    LyraBlockPatternView pattern = lyra_block_pattern_view(lyra_assembly_pattern(assembly));
    const double *values = lyra_block_matrix_values(K);
    for (int32_t i = 0; i < n; ++i) {
        for (int64_t b = pattern.row_start[i]; b < pattern.row_start[i + 1]; ++b) {
            bool diagonal = pattern.column[b] == i;
            for (int k = 0; k < 9; ++k) {
                square += (diagonal ? 1 : 2) * values[9 * b + k] * values[9 * b + k];
                trace += diagonal && k % 4 == 0 ? values[9 * b + k] : 0;
            }
        }
    }
    for (int32_t k = 0; k < 3 * n; ++k) {
        wKw += w[k] * Kw[k];
    }
    check_number("Frobenius norm", index, sqrt(square), expected->frobenius, expected->frobenius);
    check_number("trace", index, trace, expected->trace, expected->trace);
    check_number("w K w", index, wKw, expected->wKw, expected->K_w.sum);
    lyra_block_matrix_destroy(K);
    lyra_assembly_destroy(assembly);
    lyra_cloth_destroy(cloth);
}

static void set_terms(const ClothCase *expected, LyraClothDef *def)
{
    def->stretch_force = def->stretch_stiffness = expected->stretch;
    def->bend_force = def->bend_stiffness = expected->bend;
    def->rest_angles = expected->rest_angles;
    memcpy(def->rest_stretch, expected->b, sizeof expected->b);
}

LYRA_TEST(small_cloth_agrees_with_vega)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < (int)(sizeof cloth_cases / sizeof *cloth_cases); ++k) {
        const ClothCase *expected = &cloth_cases[k];
        const ClothMesh *mesh = &cloth_meshes[expected->mesh];
        LyraClothDef def = def_of(mesh);
        def.uv = expected->uv ? mesh->uv : NULL;
        set_terms(expected, &def);
        check_case(ctx, &def, mesh->states[expected->state], expected, k);
    }
    test_context_end(ctx);
}

LYRA_TEST(a_grid_of_cloth_agrees_with_vega)
{
    enum { N = 20, VERTICES = (N + 1) * (N + 1), TRIANGLES = 2 * N * N };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static double positions[3 * VERTICES], u[3 * VERTICES], uv[6 * TRIANGLES];
    static int32_t triangles[3 * TRIANGLES];
    for (int v = 0; v < VERTICES; ++v) {
        double X = v % (N + 1) / 20.0, Z = v / (N + 1) / 20.0, Y = 0, s = 0.05;
        positions[3 * v] = X;
        positions[3 * v + 2] = Z;
        u[3 * v] = s * sin(3.1 * Y + 0.3);
        u[3 * v + 1] = s * sin(2.3 * Z - 0.7) + 0.02 * X;
        u[3 * v + 2] = s * cos(2.7 * X + 0.11) - 0.01 * Y;
    }
    for (int t = 0; t < TRIANGLES; ++t) {
        int a = t / 2 / N * (N + 1) + t / 2 % N, c = a + N + 1;
        const int32_t ids[2][3] = {{a, c, a + 1}, {a + 1, c, c + 1}};
        memcpy(triangles + 3 * t, ids[t % 2], sizeof ids[0]);
        for (int k = 0; k < 3; ++k) {
            uv[6 * t + 2 * k] = positions[3 * triangles[3 * t + k]];
            uv[6 * t + 2 * k + 1] = positions[3 * triangles[3 * t + k] + 2];
        }
    }
    const LyraClothGroup fabric = {8500, 100, 0.02, 0.02, 0, 0, 0};
    for (int k = 0; k < (int)(sizeof cloth_grid / sizeof *cloth_grid); ++k) {
        LyraClothDef def = lyra_cloth_def_default();
        def.vertex_count = VERTICES;
        def.triangle_count = TRIANGLES;
        def.positions = positions;
        def.triangles = triangles;
        def.uv = cloth_grid[k].uv ? uv : NULL;
        def.group_count = 1;
        def.groups = &fabric;
        def.area = LYRA_CLOTH_AREA_VEGA;
        def.frozen_bend = true;
        set_terms(&cloth_grid[k], &def);
        check_case(ctx, &def, u, &cloth_grid[k], 100 + k);
    }
    test_context_end(ctx);
}

LYRA_TEST(hinges_and_damping_of_cloth_agree_with_another_computation)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraClothGroup damped[2] = {{0, 0, 0, 0, 3, 0.7, 0.002}, {0, 0, 0, 0, 1.1, 0.4, 0.0007}};
    for (int m = 0; m < (int)(sizeof cloth_meshes / sizeof *cloth_meshes); ++m) {
        const ClothMesh *mesh = &cloth_meshes[m];
        LyraClothDef def = def_of(mesh);
        def.uv = mesh->uv;
        LyraCloth *cloth = NULL;
        LyraAssembly *assembly = NULL;
        double angles[2] = {0}, bend[2] = {0}, power = 0;
        static double gradient[DOFS_MAX];
        TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
        LyraClothView view = lyra_cloth_view(cloth);
        TEST_EQUAL(view.hinge_count, mesh->hinges);
        for (int h = 0; h < mesh->hinges; ++h) {
            // in another order, and the sign hangs on the direction of the edge
            angles[0] += fabs(view.rest_angles[h]);
            angles[1] += fabs(mesh->rest_angles[h]);
            bend[0] += view.bend_stiffness[h];
            bend[1] += mesh->bend[h];
        }
        check_number("angles", m, angles[0], angles[1], angles[1]);
        check_number("bend stiffness", m, bend[0], bend[1], bend[1]);
        lyra_cloth_destroy(cloth);
        def.uv = NULL;
        def.groups = damped;
        def.frozen_bend = false;
        int32_t count = 0;
        TEST_OK(lyra_cloth_create(ctx, &def, &cloth));
        LyraForce *const *forces = lyra_cloth_forces(cloth, &count);
        TEST_OK(
            lyra_assembly_create(ctx, mesh->vertices, mesh->positions, count, forces, &assembly));
        LyraEvaluation evaluation = {
            .u = mesh->states[0], .v = mesh->velocity, .gradient = gradient};
        TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
        check_vector("damping", m, mesh->vertices, gradient, &mesh->damping);
        for (int k = 0; k < 3 * mesh->vertices; ++k) {
            power += gradient[k] * mesh->velocity[k];
        }
        check_number("power", m, power, mesh->power, mesh->power);
        lyra_assembly_destroy(assembly);
        lyra_cloth_destroy(cloth);
    }
    test_context_end(ctx);
}

// ---- steps --------------------------------------------------------------------------------------

enum { RUN_VERTICES = 30, RUN_TRIANGLES = 40 };

static void check_step(const ClothStep *expected, const LyraStepReport *report,
                       const LyraState *state, int run)
{
    static const int probes[3] = {17, 12, 29};
    LyraStateView view = lyra_state_view(state);
    const double *u = lyra_vector_values(view.u), *v = lyra_vector_values(view.v);
    const double size = 1e-8 * test_tolerance_scale();
    double speed = largest_of(9, expected->v), way = largest_of(9, expected->u);
    for (int k = 0; k < 9; ++k) {
        int at = 3 * probes[k / 3] + k % 3;
        TEST_NEAR(u[at], expected->u[k], size * way);
        TEST_NEAR(v[at], expected->v[k], size * speed);
    }
    TEST_CHECK_MSG(fabs(report->kinetic - expected->kinetic) <= size * expected->kinetic,
                   "run %d, step %d: kinetic energy %.17g, expected %.17g", run, expected->step,
                   report->kinetic, expected->kinetic);
}

static void check_run(LyraContext *ctx, const ClothRun *run, int index)
{
    LyraClothDef cloth_def = lyra_cloth_def_default();
    cloth_def.vertex_count = RUN_VERTICES;
    cloth_def.triangle_count = RUN_TRIANGLES;
    cloth_def.positions = run_positions;
    cloth_def.triangles = run_corners;
    cloth_def.triangle_groups = run_groups;
    cloth_def.group_count = 2;
    cloth_def.groups = fabrics;
    cloth_def.area = LYRA_CLOTH_AREA_VEGA;
    cloth_def.frozen_bend = true;
    cloth_def.rest_angles = run->rest_angles;
    LyraCloth *cloth = NULL;
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraIntegrator *it = NULL;
    TEST_OK(lyra_cloth_create(ctx, &cloth_def, &cloth));
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = RUN_VERTICES;
    def.positions = run_positions;
    def.forces = lyra_cloth_forces(cloth, &def.force_count);
    def.masses = run_masses;
    def.mass_damping = run->mass_damping;
    def.stiffness_damping = run->stiffness_damping;
    def.damping_exact = true;
    TEST_OK(lyra_model_create(ctx, &def, &model));
    static const int32_t fixed[2] = {0, 5};
    TEST_OK(lyra_constraints_fix_vertices(lyra_model_constraints(model), 2, fixed));
    double force[3 * RUN_VERTICES] = {0};
    for (int v = 0; v < RUN_VERTICES; ++v) {
        force[3 * v + 1] = -9.81 * run_masses[v];
    }
    force[3 * 17] += 0.05;
    force[3 * 17 + 1] += 0.02;
    force[3 * 17 + 2] += 0.2;
    TEST_OK(lyra_model_set_force(model, force));
    LyraSolverDef solver = lyra_solver_def_default();
    solver.tolerance = 1e-13;
    TEST_OK(lyra_system_create_sparse(ctx, model, &solver, &system));
    TEST_OK(lyra_system_state_create(system, &state));
    LyraIntegratorDef method = lyra_integrator_def_default();
    method.name = strcmp(run->integrator, "newmark") == 0 ? "newmark" : "backward-euler";
    method.vega = true;
    method.newton.policy = run->newton == 1 ? LYRA_NEWTON_ONE : LYRA_NEWTON_COUNTED;
    method.newton.iterations_max = run->newton;
    method.newton.residual = 1e-9;
    TEST_OK(lyra_integrator_create(ctx, &method, system, &it));
    for (int s = 1, next = 0; next < 5; ++s) {
        LyraStepReport report;
        if (!TEST_OK(lyra_integrator_step(it, state, run->h, &report))) {
            break;
        }
        if (run->steps[next].step == s) {
            check_step(&run->steps[next], &report, state, index);
            ++next;
        }
    }
    lyra_integrator_destroy(it);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    lyra_cloth_destroy(cloth);
}

LYRA_TEST(cloth_steps_as_vega)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < (int)(sizeof cloth_runs / sizeof *cloth_runs); ++k) {
        check_run(ctx, &cloth_runs[k], k);
    }
    test_context_end(ctx);
}
