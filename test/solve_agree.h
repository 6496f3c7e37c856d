// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// One system by all solvers, for the tests that they agree.

#ifndef LYRA_SOLVE_AGREE_H
#define LYRA_SOLVE_AGREE_H

#include "base/base.h"
#include "solve_bodies.h"

// tolerance of the iterations, and what answers may differ by
#define TOLERANCE 1e-12
#define AGREE 1e-8

static inline LyraSolver *make_tight(LyraContext *ctx, const char *name,
                                     LyraConstraintMethod method, double tolerance)
{
    LyraSolverDef def = lyra_solver_def_default();
    LyraSolver *solver = NULL;
    def.name = name;
    def.tolerance = tolerance;
    def.constrain = method;
    def.iterations_max = 20000;
    TEST_OK(lyra_solver_create(ctx, &def, &solver));
    return solver;
}

static inline LyraSolver *make_solver(LyraContext *ctx, const char *name,
                                      LyraConstraintMethod method)
{
    return make_tight(ctx, name, method, TOLERANCE);
}

// solves once; false where the solver does not take the operator
static inline bool solve_once(LyraSolver *solver, const LyraOperator *A, const LyraConstraints *set,
                              const double *b, double *x, LyraSolveReport *report)
{
    LyraStatus status = lyra_solver_analyze(solver, A, set);
    if (status == LYRA_UNSUPPORTED || status == LYRA_TOO_LARGE) {
        return false;
    }
    bool good = test_check_status(status, LYRA_OK, "analyze", __FILE__, __LINE__) &&
                TEST_OK(lyra_solver_factor(solver, A)) &&
                TEST_OK(lyra_solver_solve(solver, b, false, x, report));
    if (!good) {
        printf("  by %s\n", lyra_solver_choice(solver));
    }
    return good;
}

// M + h^2 K of a free body by every solver; those that would take too long are left out
static inline void check_body(LyraContext *ctx, const char *what, const Body *body, double h)
{
    LyraBlockMatrix *S = body_dynamics(body, h);
    LyraOperator A = lyra_operator_block(S, true);
    // A free body yields to a load as a whole, by b / m, and rounding of the stiffness times that
    // is what a residual can't fall below: 2.2e-16 h^2 |K| / m, near 1e-11 at h = 1.
    double tolerance = h < 0.5 ? TOLERANCE : 100 * TOLERANCE;
    double *b = body_random(body->size, 1), *x = body_allocate(body->size, sizeof *x);
    double *y = body_allocate(body->size, sizeof *x);
    const char *first = NULL;
    int32_t solved = 0;
    for (int32_t k = 0; lyra_solver_name(k, NULL); ++k) {
        const LyraSolverType *type = NULL;
        const char *name = lyra_solver_name(k, &type);
        // dense takes n^3, LU on a mesh of solids has the fill of two Cholesky factors
        if ((strcmp(name, "dense") == 0 && body->size > 2500) ||
            (strcmp(name, "umfpack") == 0 && body->size > 60000)) {
            continue;
        }
        LyraSolver *solver = make_tight(ctx, name, LYRA_CONSTRAIN_AUTO, tolerance);
        LyraSolveReport report = {0};
        double start = ly_time();
        bool good = solve_once(solver, &A, NULL, b, x, &report);
        if (getenv("LYRA_TEST_VERBOSE")) {
            printf("  %s, h %g, %s: %.2f s, %d iterations, residual %.1e\n", what, h, name,
                   ly_time() - start, (int)report.iterations, report.residual);
        }
        if (good) {
            ++solved;
            TEST_CHECK_MSG(report.residual <= 1.1 * tolerance, "%s, h %g, %s: residual %g", what, h,
                           name, report.residual);
            if (!first) {
                first = name;
                memcpy(y, x, (size_t)body->size * sizeof *x);
            }
            double distance = body_distance(body->size, x, y);
            TEST_CHECK_MSG(distance <= AGREE, "%s, h %g, %s and %s: %g", what, h, name, first,
                           distance);
        } else {
            TEST_CHECK_MSG(false, "%s, h %g, %s: %s", what, h, name, lyra_error_message());
        }
        lyra_solver_destroy(solver);
    }
    TEST_CHECK(solved >= 2);
    free(b);
    free(x);
    free(y);
    lyra_block_matrix_destroy(S);
}

static inline void check_mesh_file(const char *name)
{
    const char *path = test_reference_path(name);
    if (!path) {
        TEST_SKIP("no reference meshes here");
    }
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    if (TEST_OK(lyra_mesh_load(ctx, path, LYRA_MESH_FORMAT_AUTO, &mesh))) {
        // the linear model has no Mooney-Rivlin law: any modulus will do
        LyraMeshView view = lyra_mesh_view(mesh);
        bool mooney = false;
        for (int32_t m = 0; m < view.material_count; ++m) {
            mooney |= view.materials[m].kind == LYRA_MESH_MATERIAL_MOONEY_RIVLIN;
        }
        Body body = body_of_mesh(ctx, mesh, mooney ? 1e6 : 0.0);
        check_body(ctx, name, &body, 0.01);
        body_end(&body);
    }
    test_context_end(ctx);
}

#endif
