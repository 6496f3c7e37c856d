// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra bench solvers`: the system of an implicit step, A = M + h^2 K, of a body under gravity, by
// every solver. The body is neo-Hookean, E = 1 MPa, nu = 0.45, 1000 kg/m^3, bent and stretched by a
// few per cent; it hangs by its edge of least x and largest y, and the iterations are measured once
// more with the face of least x clamped; the right-hand side is h M g. A row has the times of
// analyze, once per mesh, and of factor and solve, once per step; the latter two together are what
// is compared. The twin is what others do: conjugate gradients with the diagonal, on scalar rows,
// all in doubles.
//
// Unless --large, or one mesh, is asked for, boxes stay small, and what takes long is left out: the
// methods for unsymmetric systems on the larger box, and factors at more than one time step, which
// they do not see.
//
// "factor-reuse" is given a factor of the body bent by a tenth less, and timed with the matrix at
// hand.

#include "bench.h"

#include "lyra/csr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG 1e6
#define POISSON 0.45
#define DENSITY 1000.0
#define TOLERANCE 1e-6

/// One way to solve.
typedef struct Way {
    const char *label, *solver, *preconditioner;
    bool single, coarse, csr, reuse;
    bool factors;       // all of its time is a factor's
    int64_t dofs_max;   // unknowns beyond which it takes too long
    int64_t dofs_brief; // beyond which only --large has it; 0: dofs_max
} Way;

static const Way ways[] = {
    {"pcg jacobi csr", "pcg", "jacobi", .csr = true, .dofs_max = INT32_MAX},
    {"pcg jacobi", "pcg", "jacobi", .dofs_max = INT32_MAX},
    {"pcg block-jacobi", "pcg", "block-jacobi", .dofs_max = INT32_MAX},
    {"pcg ssor", "pcg", "ssor", .dofs_max = INT32_MAX},
    {"pcg ssor float", "pcg", "ssor", .single = true, .dofs_max = INT32_MAX},
    {"pcg ic0 float", "pcg", "ic0", .single = true, .dofs_max = INT32_MAX},
    {"pcg ssor float coarse", "pcg", "ssor", .single = true, .coarse = true, .dofs_max = INT32_MAX},
    {"minres", "minres", "auto", .dofs_max = 40000, .dofs_brief = 5000},
    {"bicgstab", "bicgstab", "auto", .dofs_max = 40000, .dofs_brief = 5000},
    {"gmres", "gmres", "auto", .dofs_max = 40000, .dofs_brief = 5000},
    {"cholesky", "cholesky", "auto", .factors = true, .dofs_max = 120000},
    {"cholmod", "cholmod", "auto", .factors = true, .dofs_max = 120000},
    {"factor-reuse", "factor-reuse", "auto", .reuse = true, .dofs_max = 120000},
    {"umfpack", "umfpack", "auto", .factors = true, .dofs_max = 5000},
    {"mumps", "mumps", "auto", .factors = true, .dofs_max = 120000, .dofs_brief = 5000},
    {"spooles", "spooles", "auto", .factors = true, .dofs_max = 40000, .dofs_brief = 5000},
    {"pardiso", "pardiso", "auto", .factors = true, .dofs_max = 120000, .dofs_brief = 5000},
    {"dense", "dense", "auto", .factors = true, .dofs_max = 3500},
    {"auto", "auto", "auto", .single = true, .dofs_max = INT32_MAX},
};
enum { TWIN = 0 };

static const double steps[] = {0.01, 0.001, 1.0};

/// How the body is held.
typedef enum Hold { HOLD_EDGE = 0, HOLD_FACE, HOLD_COUNT } Hold;
static const char *const hold_names[] = {"", ", clamped"};

/// Everything but `x` and `rest` is in the internal order of the assembly, as matrices are.
typedef struct Body {
    LyraContext *ctx;
    LyraSolid *solid;
    LyraAssembly *assembly;
    LyraConstraints *constraints;
    int32_t vertex_count;
    double *x, *positions, *masses, *b, *answer; // [3 vertex_count]; masses of dofs
    const double *rest;                          // positions in the order of the mesh
    LyraBlockMatrix *K, *K_before;               // at the state, and a little earlier
    LyraBlockMatrix *A, *A_before;
    LyraCsrPattern *csr_pattern;
    LyraCsrMatrix *csr;
} Body;

static void end_body(Body *body)
{
    lyra_csr_matrix_destroy(body->csr);
    lyra_csr_pattern_destroy(body->csr_pattern);
    lyra_block_matrix_destroy(body->A);
    lyra_block_matrix_destroy(body->A_before);
    lyra_block_matrix_destroy(body->K);
    lyra_block_matrix_destroy(body->K_before);
    lyra_constraints_destroy(body->constraints);
    lyra_assembly_destroy(body->assembly);
    lyra_solid_destroy(body->solid);
    lyra_context_destroy(body->ctx);
    free(body->x);
    free(body->positions);
    free(body->masses);
    free(body->b);
    free(body->answer);
    *body = (Body){0};
}

// tangent of the body, bent by `amount`: strains of a few per cent whatever its size and place
static LyraStatus find_tangent(Body *body, double amount, LyraBlockMatrix *K)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double size = 0.0;
    for (int32_t i = 0; i < 3 * body->vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], body->rest[i]);
        high[i % 3] = fmax(high[i % 3], body->rest[i]);
    }
    for (int32_t d = 0; d < 3; ++d) {
        size = fmax(size, high[d] - low[d]);
    }
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        double X[3], *x = body->x + 3 * (int64_t)i;
        for (int32_t d = 0; d < 3; ++d) {
            x[d] = body->rest[3 * (int64_t)i + d];
            X[d] = (x[d] - 0.5 * (low[d] + high[d])) / size;
        }
        x[0] += amount * size * (0.02 * X[0] + 0.03 * X[1] * X[2]);
        x[1] -= amount * size * (0.01 * X[1] + 0.04 * X[0] * X[2]);
        x[2] += amount * size * (0.01 * X[2] + 0.02 * X[0] * X[1]);
    }
    LyraEvaluation evaluation = {.x = body->x, .dfdx = K};
    return lyra_assembly_evaluate(body->assembly, &evaluation);
}

// holds the vertices on the face of least x, or on its edge of largest y, within 2 % of the size
static LyraStatus hold_body(Body *body, Hold hold)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < 3 * body->vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], body->positions[i]);
        high[i % 3] = fmax(high[i % 3], body->positions[i]);
    }
    int32_t *held = cli_allocate((size_t)body->vertex_count * sizeof *held), count = 0;
    for (int32_t i = 0; i < body->vertex_count; ++i) {
        const double *X = body->positions + 3 * (int64_t)i;
        if (X[0] <= low[0] + 0.02 * (high[0] - low[0]) &&
            (hold == HOLD_FACE || X[1] >= high[1] - 0.02 * (high[1] - low[1]))) {
            held[count++] = i;
        }
    }
    lyra_constraints_clear(body->constraints);
    LyraStatus status = lyra_constraints_fix_vertices(body->constraints, count, held);
    free(held);
    return status;
}

static LyraStatus fill_body(const LyraMesh *mesh, Body *body)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraSolidDef def = lyra_solid_def_default();
    def.young = YOUNG;
    def.poisson = POISSON;
    LyraStatus status = lyra_solid_create(body->ctx, mesh, &def, &body->solid);
    if (status != LYRA_OK) {
        return status;
    }
    int32_t count = 0;
    LyraForce *const *forces = lyra_solid_forces(body->solid, &count);
    status = lyra_assembly_create(body->ctx, view.vertex_count, view.positions, count, forces,
                                  &body->assembly);
    if (status != LYRA_OK) {
        return status;
    }
    const LyraBlockPattern *pattern = lyra_assembly_pattern(body->assembly);
    LyraBlockMatrix **matrices[] = {&body->K, &body->K_before, &body->A, &body->A_before};
    for (size_t m = 0; m < sizeof matrices / sizeof matrices[0] && status == LYRA_OK; ++m) {
        status = lyra_block_matrix_create(pattern, matrices[m]);
    }
    if (status == LYRA_OK) {
        status = lyra_csr_pattern_create_block(pattern, LYRA_STORAGE_FULL, &body->csr_pattern);
    }
    if (status == LYRA_OK) {
        status = lyra_csr_matrix_create(body->csr_pattern, &body->csr);
    }
    if (status == LYRA_OK) {
        status = lyra_constraints_create(body->ctx, 3 * view.vertex_count, &body->constraints);
    }
    if (status == LYRA_OK) {
        status = find_tangent(body, 0.9, body->K_before);
    }
    return status == LYRA_OK ? find_tangent(body, 1.0, body->K) : status;
}

static bool make_body(const LyraMesh *mesh, int32_t threads, Body *body)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    *body = (Body){.ctx = cli_context(threads, LYRA_ISA_AUTO),
                   .vertex_count = view.vertex_count,
                   .rest = view.positions};
    if (!body->ctx) {
        return false;
    }
    size_t count = (size_t)view.vertex_count;
    body->x = cli_allocate(count * 3 * sizeof(double));
    body->positions = cli_allocate(count * 3 * sizeof(double));
    body->b = cli_allocate(count * 3 * sizeof(double));
    body->answer = cli_allocate(count * 3 * sizeof(double));
    body->masses = cli_allocate(count * 3 * sizeof(double));
    double *densities = cli_allocate((size_t)view.element_count * sizeof(double));
    double *lumped = cli_allocate(count * sizeof(double));
    for (int32_t e = 0; e < view.element_count; ++e) {
        densities[e] = DENSITY;
    }
    lyra_mesh_lumped_masses(mesh, densities, lumped);
    bool made = fill_body(mesh, body) == LYRA_OK;
    const int32_t *order = made ? lyra_assembly_order(body->assembly) : NULL;
    for (size_t i = 0; made && i < 3 * count; ++i) {
        body->masses[i] = lumped[order[i / 3]];
        body->positions[i] = view.positions[3 * (size_t)order[i / 3] + i % 3];
    }
    free(densities);
    free(lumped);
    if (!made) {
        end_body(body);
    }
    return made;
}

// A = M + h^2 K and b = h M g
static LyraStatus form_system(Body *body, double h)
{
    for (int before = 0; before < 2; ++before) {
        LyraBlockMatrix *A = before ? body->A_before : body->A;
        lyra_block_matrix_zero(A);
        lyra_block_matrix_add_diagonal(A, 1.0, body->masses);
        LyraStatus status = lyra_block_matrix_axpy(A, h * h, before ? body->K_before : body->K);
        if (status != LYRA_OK) {
            return status;
        }
    }
    for (int32_t i = 0; i < 3 * body->vertex_count; ++i) {
        body->b[i] = i % 3 == 1 ? -9.81 * h * body->masses[i] : 0.0;
    }
    return lyra_csr_matrix_assign_block(body->csr, body->A);
}

// whether this build has the solver
static bool has_solver(const char *name)
{
    const char *found;
    bool has = strcmp(name, "auto") == 0;
    for (int32_t k = 0; !has && (found = lyra_solver_name(k, NULL)); ++k) {
        has = strcmp(found, name) == 0;
    }
    return has;
}

// ---- one way on one system ----------------------------------------------------------------------

// factor and solve, once
static LyraStatus run_once(const Body *body, const Way *way, LyraSolver *solver,
                           const LyraOperator *A, LyraSolveReport *report, double *seconds)
{
    if (way->reuse) {
        // an old factor, which is not timed
        LyraOperator before = lyra_operator_block(body->A_before, true);
        LyraStatus status = lyra_solver_analyze(solver, &before, body->constraints);
        status = status == LYRA_OK ? lyra_solver_factor(solver, &before) : status;
        if (status != LYRA_OK) {
            return status;
        }
    }
    double start = bench_now();
    LyraStatus status = lyra_solver_factor(solver, A);
    if (status == LYRA_OK) {
        status = lyra_solver_solve(solver, body->b, false, body->answer, report);
    }
    *seconds = bench_now() - start;
    return status;
}

// the phases are those of the fastest run
static LyraStatus time_way(const Bench *bench, const Body *body, const Way *way, BenchTime *time,
                           LyraSolveReport *best)
{
    BenchSamples samples = {0};
    LyraSolver *solver = NULL;
    LyraSolverDef def = lyra_solver_def_default();
    def.name = way->solver;
    def.preconditioner = way->preconditioner;
    def.single = way->single;
    def.coarse = way->coarse;
    def.tolerance = TOLERANCE;
    def.positions = body->positions;
    LyraOperator A =
        way->csr ? lyra_operator_csr(body->csr, true) : lyra_operator_block(body->A, true);
    LyraStatus status = lyra_solver_create(body->ctx, &def, &solver);
    status = status == LYRA_OK ? lyra_solver_analyze(solver, &A, body->constraints) : status;
    while (status == LYRA_OK && bench_samples_want(&samples)) {
        LyraSolveReport report = {0};
        double seconds = 0;
        status = run_once(body, way, solver, &A, &report, &seconds);
        if (status == LYRA_OK && bench_samples_add(bench, &samples, seconds)) {
            *best = report;
        }
    }
    lyra_solver_destroy(solver);
    if (status == LYRA_OK) {
        *time = bench_samples_time(&samples);
    }
    return status;
}

// whether the bench as it was asked for has a row of this way
static bool has_row(const Bench *bench, const Body *body, Hold hold, const Way *way, double h)
{
    int64_t dofs = 3 * (int64_t)body->vertex_count;
    bool brief = !bench->large && !bench->mesh && !bench->solver && bench->elements == 0;
    bool named = !bench->solver || strcmp(bench->solver, way->solver) == 0 ||
                 strcmp(bench->solver, way->label) == 0 || way == &ways[TWIN];
    // a factor does not see how the body is held, nor the time step
    bool held =
        hold == HOLD_EDGE || strcmp(way->solver, "pcg") == 0 || strcmp(way->solver, "auto") == 0;
    bool stepped = !brief || !way->factors || bench->dt > 0.0 || h == steps[0];
    return named && held && stepped && has_solver(way->solver) &&
           dofs <= (brief && way->dofs_brief > 0 ? way->dofs_brief : way->dofs_max);
}

static CliExit bench_h(Bench *bench, Body *body, Hold hold, const char *subject, int32_t threads,
                       double h)
{
    if (form_system(body, h) != LYRA_OK) {
        return cli_failed();
    }
    BenchTime twin = {0};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        const Way *way = &ways[w];
        char name[80];
        snprintf(name, sizeof name, "%s/h=%g", way->label, h);
        if (!has_row(bench, body, hold, way, h)) {
            continue;
        }
        BenchTime time = {0};
        LyraSolveReport report = {0};
        LyraStatus status = time_way(bench, body, way, &time, &report);
        if (status == LYRA_UNSUPPORTED) {
            bench_note(bench, "%-28s %s", name, lyra_error_message());
            continue;
        }
        if (status != LYRA_OK) {
            return cli_failed();
        }
        twin = w == TWIN ? time : twin;
        BenchSolve solve = {
            .solver = report.solver,
            .analyze = report.analyze_seconds,
            .factor = report.factor_seconds,
            .solve = report.solve_seconds,
            .iterations = report.iterations,
            .bytes = report.bytes,
            .residual = report.residual,
        };
        BenchRow row = {
            .name = name,
            .subject = subject,
            .unit = "dof",
            .items = 3.0 * body->vertex_count,
            .threads = threads,
            .isa = lyra_context_isa(body->ctx),
            .time = time,
            .twin = w == TWIN ? (BenchTime){0} : twin,
            .twin_name = "jacobi",
            .solve = &solve,
        };
        bench_row(bench, &row);
    }
    return CLI_OK;
}

// ---- meshes -------------------------------------------------------------------------------------

static CliExit bench_mesh(Bench *bench, const LyraMesh *mesh)
{
    char subject[64];
    bench_mesh_name(bench, mesh, subject);
    CliExit exit = CLI_OK;
    for (int32_t threads = 1; threads <= bench->threads && exit == CLI_OK;
         threads = bench_next_threads(bench, threads)) {
        Body body;
        if (!make_body(mesh, threads, &body)) {
            return cli_failed();
        }
        size_t count = bench->dt > 0.0 ? 1 : sizeof steps / sizeof steps[0];
        for (size_t s = 0; s < HOLD_COUNT * count && exit == CLI_OK; ++s) {
            Hold hold = (Hold)(s / count);
            char name[80];
            snprintf(name, sizeof name, "%s%s", subject, hold_names[hold]);
            exit = hold_body(&body, hold) == LYRA_OK
                       ? bench_h(bench, &body, hold, name, threads,
                                 bench->dt > 0.0 ? bench->dt : steps[s % count])
                       : cli_failed();
        }
        end_body(&body);
    }
    return exit;
}

static CliExit bench_box(Bench *bench, LyraContext *ctx, int64_t elements)
{
    LyraMesh *mesh = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.elements = elements;
    if (lyra_mesh_generate(ctx, &shape, &mesh) != LYRA_OK) {
        return cli_failed();
    }
    CliExit exit = bench_mesh(bench, mesh);
    lyra_mesh_destroy(mesh);
    return exit;
}

CliExit bench_solvers_check(const char *name)
{
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        if (strcmp(name, ways[w].solver) == 0 || strcmp(name, ways[w].label) == 0) {
            return has_solver(ways[w].solver)
                       ? CLI_OK
                       : cli_fail("this build is without the solver \"%s\"", ways[w].solver);
        }
    }
    char list[512] = "";
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        cli_append(list, sizeof list, ways[w].label);
    }
    return cli_fail("no solver \"%s\", expected one of: %s", name, list);
}

CliExit bench_solvers(Bench *bench)
{
    static const int32_t sizes[] = {5000, 50000, 160000, 500000};
    if (bench->choice) {
        return bench_auto(bench);
    }
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    CliExit exit = CLI_OK;
    if (bench->mesh) {
        LyraMesh *mesh = NULL;
        exit = bench_mesh_load(bench, ctx, &mesh);
        exit = exit == CLI_OK ? bench_mesh(bench, mesh) : exit;
        lyra_mesh_destroy(mesh);
    } else if (bench->elements > 0) {
        exit = bench_box(bench, ctx, bench->elements);
    } else {
        for (int32_t s = 0; s < (bench->large ? 4 : 2) && exit == CLI_OK; ++s) {
            exit = bench_box(bench, ctx, sizes[s]);
        }
    }
    lyra_context_destroy(ctx);
    return exit;
}
