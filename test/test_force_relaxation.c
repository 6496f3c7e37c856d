// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Viscoelastic solids: closed forms in time, derivatives at a step, dissipation, threads, settings.

#include "force/isotropic.h"
#include "plastic_body.h"

#define PI 3.14159265358979323846

enum { KINDS = 4 };
static const LyraElementKind kinds[KINDS] = {LYRA_ELEMENT_TET4, LYRA_ELEMENT_CUBE8,
                                             LYRA_ELEMENT_TET10, LYRA_ELEMENT_HEX8};

typedef struct Relaxing {
    const char *model; // "corotated": the series beside such a law, alone
    LyraElementKind kind;
    int32_t cells;
    double lambda, mu, size; // Pa, m
    int32_t branch_count;    // 0: one of Maxwell's
    LyraRelaxationBranch branches[3];
} Relaxing;

static Case make(LyraContext *ctx, const Relaxing *r)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.kind = r->kind;
    for (int i = 0; i < 3; ++i) {
        shape.cells[i] = r->cells;
        shape.size[i] = r->size;
    }
    shape.shuffle = true;
    LyraElasticConstant constants[2] = {{"lambda", r->lambda}, {"mu", r->mu}};
    LyraElasticDef elastic = lyra_elastic_def_default();
    LyraViscoelasticityDef series = lyra_viscoelasticity_def_default();
    series.branches = r->branches;
    series.branch_count = r->branch_count;
    elastic.constants = constants;
    elastic.constant_count = 2;
    elastic.viscoelasticity = &series;
    LyraMesh *mesh = NULL;
    LyraForce *force = NULL;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    if (strcmp(r->model, "corotated") == 0) {
        double young = r->mu * (3 * r->lambda + 2 * r->mu) / (r->lambda + r->mu);
        double poisson = 0.5 * r->lambda / (r->lambda + r->mu);
        TEST_OK(ly_corotated_series_create(ctx, mesh, young, poisson, &series, &force));
    } else if (r->branch_count > 0) {
        TEST_OK(lyra_material_law_find(r->model, &elastic.model));
        TEST_OK(lyra_elastic_create(ctx, mesh, &elastic, &force));
    } else {
        TEST_OK(ly_branch_create(ctx, mesh, 1, r->mu, r->branches[0].time, &force));
    }
    LyraMeshView view = lyra_mesh_view(mesh);
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_mesh_destroy(mesh);
    return c;
}

static Relaxing series(const char *model, LyraElementKind kind)
{
    return (Relaxing){.model = model,
                      .kind = kind,
                      .cells = 1,
                      .lambda = 1.5,
                      .mu = 1,
                      .size = 1,
                      .branch_count = 2,
                      .branches = {{0.5, 2, 0.7}, {3, 0.4, 0}}};
}

static double shear_step(Case *c, double gamma, double dt, bool commit)
{
    double F[9] = {1, gamma, 0, 0, 1, 0, 0, 0, 1}, P[9];
    drive(c, 1, F, dt, commit, P, NULL);
    return P[1];
}

// ---- closed forms -------------------------------------------------------------------------------

LYRA_TEST(prony_ramps_are_the_closed_form_at_any_step)
{
    static const char *const models[] = {"hencky", "neo-hookean", "stvk", "corotated"};
    const double rate = 1e-6;
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int m = 0; m < 4 * KINDS; ++m) {
            LyraContext *ctx = test_context(1, isa);
            Relaxing r = series(models[m / KINDS], kinds[m % KINDS]);
            Case c = make(ctx, &r);
            double law = m / KINDS == 3 ? 0 : 1;
            static const double steps[] = {0.01, 0.3, 5};
            for (int s = 0; s < 3; ++s) {
                forget(&c);
                for (int i = 1; i <= 10; ++i) {
                    double t = i * steps[s];
                    double expected = law * rate * t + 2 * rate * 0.5 * (1 - exp(-t / 0.5)) +
                                      0.4 * rate * 3 * (1 - exp(-t / 3));
                    double tau = shear_step(&c, rate * t, steps[s], true);
                    TEST_NEAR(tau, expected, 1e-4 * expected);
                }
                // the pressure has a series of its own
                forget(&c);
                for (int i = 1; i <= 10; ++i) {
                    double t = i * steps[s], e = 1 + rate * t, P[9];
                    double F[9] = {e, 0, 0, 0, e, 0, 0, 0, e}, K = 1.5 + 2.0 / 3;
                    double expected =
                        3 * K * (law * rate * t + 0.7 * rate * 0.5 * (1 - exp(-t / 0.5)));
                    drive(&c, 1, F, steps[s], true, P, NULL);
                    TEST_NEAR(P[0], expected, 2e-4 * expected);
                }
            }
            end_case(&c);
            test_context_end(ctx);
        }
    }
}

// the strain that holds a shear stress of 1e-6 for t = 2
static double creep(Case *c, int steps)
{
    double gamma = 0, stress = 1e-6, last = 0;
    forget(c);
    for (int i = 0; i <= steps; ++i) {
        double dt = i == 0 ? 0 : 2.0 / steps;
        // linear, nearly
        for (int k = 0; k < 4; ++k) {
            double at = shear_step(c, gamma, dt, false);
            double slope = (shear_step(c, gamma + 1e-6, dt, false) - at) / 1e-6;
            gamma += (stress - at) / slope;
        }
        last = shear_step(c, gamma, dt, true);
    }
    TEST_NEAR(last, stress, 1e-12);
    return gamma / stress;
}

LYRA_TEST(prony_creep_is_of_second_order)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Relaxing r = series("hencky", LYRA_ELEMENT_TET4);
    r.branch_count = 1;
    Case c = make(ctx, &r);
    double exact = 1 - 2.0 / 3 * exp(-2 / 1.5), before = 0;
    TEST_NEAR(exact, 0.824269, 5e-7);
    for (int n = 10; n <= 40; n *= 2) {
        double error = fabs(creep(&c, n) - exact);
        TEST_CHECK_MSG(n == 10 || fabs(log2(before / error) - 2) < 0.2, "%d steps: %g after %g", n,
                       error, before);
        before = error;
    }
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(relaxation_loses_what_theory_says_in_a_cycle)
{
    for (int maxwell = 0; maxwell < 2; ++maxwell) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Relaxing r = series("neo-hookean", LYRA_ELEMENT_CUBE8);
        r.branch_count = maxwell ? 0 : 1;
        r.mu = maxwell ? 2 : 1;
        Case c = make(ctx, &r);
        const int n = maxwell ? 20000 : 2000;
        double w = 2, A = 1e-4, lost = 0;
        int32_t place = history_place(&c, "dissipated");
        for (int i = 1; i <= 4 * n; ++i) {
            lost = i == 3 * n + 1 ? remembered_sum(&c, place) : lost;
            shear_step(&c, A * sin(2 * PI * i / n), 2 * PI / w / n, true);
        }
        lost = remembered_sum(&c, place) - lost;
        // pi A^2 G'', G'' = G1 w tau/(1 + w^2 tau^2)
        double expected = PI * A * A * 2 * w * 0.5 / (1 + w * w * 0.25);
        TEST_NEAR(lost, expected, 2e-3 * expected);
        end_case(&c);
        test_context_end(ctx);
    }
}

// ---- a step -------------------------------------------------------------------------------------

static void set_past(Case *c, TestRandom *random, double size)
{
    double *x = malloc((size_t)c->n * 3 * sizeof *x);
    for (int i = 0; i < 3; ++i) {
        double F[9];
        for (int k = 0; k < 9; ++k) {
            F[k] = (k % 4 == 0) + size * test_random_normal(random);
        }
        deform(c, F, x);
        LyraEvaluation evaluation = {
            .x = x, .dt = 0.2, .history = c->history, .trial_history = c->history};
        TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    }
    free(x);
}

LYRA_TEST(relaxation_derivatives_match_differences)
{
    static const char *const models[] = {"hencky", "neo-hookean", "stvk", "corotated", ""};
    static const double Fs[][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1},
        {1.5, 0.2, 0, -0.1, 0.8, 0.1, 0, 0.3, 0.7},
        {-0.9, -0.4, 0.1, 0.5, -0.9, 0, 0.1, 0.2, 1.2},
        {1.1, 0.1, 0, 0, -0.6, 0.1, 0.2, 0, 0.9},
    };
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int m = 0; m < 5 * KINDS; ++m) {
            LyraContext *ctx = test_context(1, isa);
            Relaxing r = series(models[m / KINDS], kinds[m % KINDS]);
            r.branch_count = m / KINDS == 4 ? 0 : 2;
            Case c = make(ctx, &r);
            TestRandom random = test_random(5);
            double *x = malloc((size_t)c.n * 3 * sizeof *x);
            set_past(&c, &random, 0.15);
            for (int f = 0; f < 8; ++f) {
                char text[160];
                snprintf(text, sizeof text, "%s, kind %d, %s, state %d", models[m / KINDS],
                         m % KINDS, lyra_isa_name(isa), f);
                c.dt = f < 4 ? 0.1 : 0;
                deform(&c, Fs[f % 4], x);
                for (int32_t i = 0; i < 3 * c.n; ++i) {
                    x[i] += 0.02 * test_random_normal(&random);
                }
                check_derivatives(&c, x, NULL, &random, HAS_ENERGY, text);
            }
            free(x);
            end_case(&c);
            test_context_end(ctx);
        }
    }
}

LYRA_TEST(relaxation_tangents_project_and_forces_balance)
{
    static const char *const models[] = {"neo-hookean", "corotated", ""};
    for (int m = 0; m < 3 * KINDS; ++m) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        Relaxing r = series(models[m / KINDS], kinds[m % KINDS]);
        r.branch_count = m / KINDS == 2 ? 0 : 2;
        Case c = make(ctx, &r);
        TestRandom random = test_random(6);
        double *x = malloc((size_t)c.n * 6 * sizeof *x), *g = x + 3 * c.n, force, torque;
        set_past(&c, &random, 0.15);
        for (int repeat = 0; repeat < 30; ++repeat) {
            set_state(&c, (StateKind)(repeat % STATE_COUNT), &random, x);
            c.dt = 0.1;
            LyraEvaluation evaluation = evaluation_of(&c, x, NULL);
            evaluation.dfdx = c.dfdx;
            evaluation.gradient = g;
            TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
            TEST_NEAR(asymmetry(&c, c.dfdx), 0, 1e-12);
            find_balance(c.n, x, g, &force, &torque);
            TEST_NEAR(force, 0, 1e-12);
            TEST_NEAR(torque, 0, 1e-12);
            evaluation.psd = true;
            TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
            TEST_CHECK(smallest_eigenvalue(&c, c.dfdx) > -1e-12);
        }
        free(x);
        end_case(&c);
        test_context_end(ctx);
    }
}

LYRA_TEST(maxwell_branches_never_gain_energy)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Relaxing r = series("", LYRA_ELEMENT_TET4);
    r.branch_count = 0;
    Case c = make(ctx, &r);
    int32_t place = history_place(&c, "dissipated");
    TestRandom random = test_random(8);
    double before = 0, P[9], F[9];
    for (int i = 0; i < 20000; ++i) {
        for (int k = 0; k < 9; ++k) {
            F[k] = (k % 4 == 0) + 0.5 * test_random_normal(&random);
        }
        drive(&c, 1, F, 0.1 * (i % 5), true, P, NULL);
        double now = remembered(&c, place);
        TEST_CHECK_MSG(now >= before, "step %d: %g after %g", i, now, before);
        before = now;
    }
    TEST_CHECK(isfinite(before) && before > 0);
    end_case(&c);
    test_context_end(ctx);
}

// stored + lost = work, exactly at small steps
LYRA_TEST(prony_account_closes_at_large_strain)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Relaxing r = series("neo-hookean", LYRA_ELEMENT_CUBE8);
    Case c = make(ctx, &r);
    double errors[2];
    for (int fine = 0; fine < 2; ++fine) {
        double work = 0, energy = 0, last[9] = {0}, old[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        int n = fine ? 400 : 200;
        forget(&c);
        for (int i = 1; i <= n; ++i) {
            double t = (double)i / n, P[9];
            double at[9] = {1 + 0.4 * t, 0.3 * sin(3 * t), 0, 0, 1 - 0.2 * t, 0, 0, 0, 1};
            drive(&c, 1, at, 1.0 / n, true, P, NULL);
            for (int k = 0; k < 9; ++k) {
                work += 0.5 * (P[k] + last[k]) * (at[k] - old[k]);
                last[k] = P[k];
                old[k] = at[k];
            }
        }
        double P[9];
        drive(&c, 1, old, 0, false, P, &energy);
        double lost = remembered_sum(&c, history_place(&c, "dissipated"));
        TEST_CHECK(lost > 0);
        errors[fine] = fabs(work - energy - lost) / work;
    }
    TEST_CHECK_MSG(errors[1] < 1e-2 && errors[1] < 0.6 * errors[0], "%g, then %g", errors[0],
                   errors[1]);
    // collapsed and inverted, nothing becomes NaN
    double P[9], flat[9] = {0}, inverted[9] = {1, 0, 0, 0, -1.2, 0, 0, 0, 1};
    drive(&c, 1, flat, 0.1, true, P, NULL);
    drive(&c, 1, inverted, 0.1, true, P, NULL);
    TEST_CHECK(all_finite(lyra_assembly_history_size(c.assembly), c.history) && all_finite(9, P));
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(relaxation_stress_does_not_depend_on_the_scale_of_lengths)
{
    static const char *const models[] = {"neo-hookean", "corotated", ""};
    for (int m = 0; m < 3 * KINDS; ++m) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        double reference[10], sizes[3] = {1, 1e-3, 1e3};
        for (int s = 0; s < 3; ++s) {
            Relaxing r = series(models[m / KINDS], kinds[m % KINDS]);
            r.branch_count = m / KINDS == 2 ? 0 : 2;
            r.size = sizes[s];
            Case c = make(ctx, &r);
            double V = r.size * r.size * r.size, found[10];
            for (int i = 1; i <= 20; ++i) {
                double t = 0.05 * i;
                double F[9] = {1 + 0.5 * t, 0.3 * t, 0, 0, 1 - 0.2 * t, 0, 0.1 * t, 0, 1};
                drive(&c, V, F, 0.1, true, found, NULL);
            }
            found[9] = remembered_sum(&c, history_place(&c, "dissipated")) / V;
            TEST_CHECK(found[9] > 0.01);
            memcpy(reference, s == 0 ? found : reference, sizeof reference);
            TEST_NEAR(largest_difference(10, found, reference), 0, 1e-12);
            end_case(&c);
        }
        test_context_end(ctx);
    }
}

// ---- twins, threads, settings -------------------------------------------------------------------

static void evaluate_big(LyraContext *ctx, void *data, void *out)
{
    Relaxing r = *(const Relaxing *)data;
    r.cells = r.kind == LYRA_ELEMENT_TET10 ? 4 : 8;
    Case c = make(ctx, &r);
    TestRandom random = test_random(3);
    double *x = malloc((size_t)c.n * 3 * sizeof *x);
    set_past(&c, &random, 0.05);
    deform(&c, (const double[9]){1.2, 0.1, 0, 0, 0.9, 0.1, 0, 0, 0.8}, x);
    for (int32_t i = 0; i < 3 * c.n; ++i) {
        x[i] += 0.01 * test_random_normal(&random);
    }
    c.dt = 0.1;
    evaluate_all(&c, x, NULL, out);
    free(x);
    end_case(&c);
}

LYRA_TEST(relaxation_bits_do_not_depend_on_threads_and_instruction_sets_agree)
{
    size_t count = 9 * 9 * 9 * 9;
    double *out = malloc(count * sizeof *out), *reference = malloc(count * sizeof *reference);
    for (int m = 0; m < 3 * KINDS; ++m) {
        Relaxing r = series(m / KINDS == 1 ? "corotated" : "neo-hookean", kinds[m % KINDS]);
        r.branch_count = m / KINDS == 2 ? 0 : 2;
        test_same_bits(evaluate_big, &r, count * sizeof(double));
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            LyraContext *ctx = test_context(1, isa);
            evaluate_big(ctx, &r, out);
            if (isa == LYRA_ISA_SCALAR) {
                memcpy(reference, out, count * sizeof *out);
            }
            TEST_NEAR(largest_difference((int64_t)count, out, reference), 0,
                      1e-10 * largest_of((int64_t)count, reference));
            test_context_end(ctx);
        }
    }
    free(out);
    free(reference);
}

LYRA_TEST(relaxation_history_is_trial_until_committed_and_nothing_is_allocated)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int i = 0; i < 3 * KINDS; ++i) {
        Relaxing r = series(i / KINDS == 1 ? "corotated" : "neo-hookean", kinds[i % KINDS]);
        r.branch_count = i / KINDS == 2 ? 0 : 2;
        r.cells = 2;
        Case c = make(ctx, &r);
        TestRandom random = test_random(3);
        set_past(&c, &random, 0.1);
        size_t bytes = (size_t)lyra_assembly_history_size(c.assembly) * sizeof(double);
        double *before = malloc(bytes), *trial = malloc(bytes), *again = malloc(bytes);
        double *x = malloc((size_t)c.n * 6 * sizeof *x), *g = x + 3 * c.n;
        memcpy(before, c.history, bytes);
        set_state(&c, STATE_LARGE, &random, x);
        LyraEvaluation evaluation = {
            .x = x, .dt = 0.01, .history = c.history, .trial_history = trial, .gradient = g};
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_CHECK(memcmp(before, c.history, bytes) == 0 && memcmp(before, trial, bytes) != 0);
        evaluation.psd = true;
        evaluation.dfdx = c.dfdx;
        evaluation.trial_history = again;
        check_allocates_nothing(c.assembly, &evaluation);
        // with a tangent invariants give way to stretches: the same but for rounding
        TEST_CHECK(largest_difference((int64_t)(bytes / 8), again, trial) < 1e-12);
        evaluation.trial_history = c.history;
        TEST_OK(lyra_assembly_evaluate(c.assembly, &evaluation));
        TEST_CHECK(memcmp(c.history, again, bytes) == 0);
        free(before);
        free(trial);
        free(again);
        free(x);
        end_case(&c);
    }
    test_context_end(ctx);
}

LYRA_TEST(forces_without_history_leave_that_of_others)
{
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraSolidDef def = lyra_solid_def_default();
    LyraViscoelasticityDef branch = lyra_viscoelasticity_def_default();
    LyraRelaxationBranch one = {.shear = 4e4, .time = 0.5};
    def.young = 1e5;
    def.viscoelasticity = &branch;
    branch.model = LYRA_RELAXATION_MAXWELL;
    branch.branches = &one;
    branch.branch_count = 1;
    for (int k = 0; k < 2; ++k) {
        LyraMesh *mesh = NULL;
        LyraSolid *solid = NULL;
        int32_t count = 0;
        shape.kind = kinds[k];
        TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
        TEST_OK(lyra_solid_create(ctx, mesh, &def, &solid));
        LyraForce *const *forces = lyra_solid_forces(solid, &count);
        TEST_EQUAL(count, 2);
        LyraMeshView view = lyra_mesh_view(mesh);
        double *trials[3] = {0}, *x = malloc((size_t)view.vertex_count * 3 * sizeof *x);
        TestRandom random = test_random(3);
        for (int32_t i = 0; i < 3 * view.vertex_count; ++i) {
            x[i] = view.positions[i] + test_random_in(&random, -0.01, 0.01);
        }
        // the branch alone, behind the elastic force, before it
        for (int order = 0; order < 3; ++order) {
            LyraForce *both[2] = {forces[order == 1 ? 0 : 1], forces[order == 1 ? 1 : 0]};
            LyraAssembly *assembly = NULL;
            TEST_OK(lyra_assembly_create(ctx, view.vertex_count, view.positions, order ? 2 : 1,
                                         both, &assembly));
            size_t size = (size_t)lyra_assembly_history_size(assembly);
            double *history = calloc(size, sizeof *history), energy;
            trials[order] = calloc(size, sizeof *history);
            LyraEvaluation evaluation = {.x = x,
                                         .dt = 0.1,
                                         .history = history,
                                         .trial_history = trials[order],
                                         .energy = &energy};
            TEST_OK(lyra_assembly_evaluate(assembly, &evaluation));
            TEST_CHECK(memcmp(trials[order], trials[0], size * sizeof *history) == 0);
            free(history);
            lyra_assembly_destroy(assembly);
        }
        for (int order = 0; order < 3; ++order) {
            free(trials[order]);
        }
        free(x);
        lyra_solid_destroy(solid);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

static LyraStatus build_solid(LyraContext *ctx, const char *model,
                              const LyraViscoelasticityDef *def, int32_t *forces)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    LyraSolidDef settings = lyra_solid_def_default();
    settings.model = model;
    settings.young = 1e5;
    settings.viscoelasticity = def;
    LyraStatus status = lyra_mesh_generate(ctx, &shape, &mesh);
    status = status ? status : lyra_solid_create(ctx, mesh, &settings, &solid);
    if (solid && forces) {
        LyraForce *const *all = lyra_solid_forces(solid, forces);
        if (*forces > 1) {
            TEST_STRING(lyra_force_view(all[1]).name, def->model == LYRA_RELAXATION_MAXWELL
                                                          ? "maxwell-1"
                                                      : def->coefficient_count > 0 ? "prony-mu"
                                                                                   : "prony");
        }
    }
    lyra_solid_destroy(solid);
    lyra_mesh_destroy(mesh);
    return status;
}

static LyraStatus build_corotational(LyraContext *ctx, void *data)
{
    return build_solid(ctx, "corotational", data, NULL);
}

static LyraStatus build_each(LyraContext *ctx, void *data)
{
    return build_solid(ctx, "neo-hookean", data, NULL);
}

// ---- series of coefficients ---------------------------------------------------------------------

// all forces of a solid of one law with series of its coefficients, or one of all
static Case make_solid(LyraContext *ctx, const char *model, const LyraViscoelasticityDef *series,
                       LyraSolid **solid)
{
    const LyraElasticConstant constants[] = {{"mu01", 0.3}, {"mu10", 0.5}, {"v1", 2}};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraSolidDef def = lyra_solid_def_default();
    LyraMesh *mesh = NULL;
    Case c = {0};
    def.model = model;
    def.young = 1;
    def.constants = constants;
    def.constant_count = strcmp(model, "mooney-rivlin") == 0 ? 3 : 0;
    def.viscoelasticity = series;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    TEST_OK(lyra_solid_create(ctx, mesh, &def, solid));
    LyraMeshView view = lyra_mesh_view(mesh);
    int32_t count = 0;
    LyraForce *const *forces = lyra_solid_forces(*solid, &count);
    c.n = view.vertex_count;
    c.rest = malloc((size_t)c.n * 3 * sizeof *c.rest);
    memcpy(c.rest, view.positions, (size_t)c.n * 3 * sizeof *c.rest);
    TEST_OK(lyra_assembly_create(ctx, c.n, c.rest, count, forces, &c.assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(c.assembly), &c.dfdx));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(c.assembly), &c.dfdv));
    c.history = calloc((size_t)lyra_assembly_history_size(c.assembly), sizeof *c.history);
    lyra_mesh_destroy(mesh);
    return c;
}

static void end_solid(Case *c, LyraSolid *solid)
{
    c->force = NULL; // the solid's
    end_case(c);
    lyra_solid_destroy(solid);
}

LYRA_TEST(series_of_all_coefficients_are_one_of_the_law)
{
    static const char *const models[] = {"mooney-rivlin", "stvk"};
    static const char *const names[][3] = {{"mu01", "mu10", "v1"}, {"lambda", "mu", NULL}};
    const LyraRelaxationBranch branches[2] = {{0.5, 2, 2}, {3, 0.4, 0.4}};
    for (int m = 0; m < 2; ++m) {
        LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
        LyraCoefficientSeries each[3];
        LyraViscoelasticityDef defs[2] = {lyra_viscoelasticity_def_default(),
                                          lyra_viscoelasticity_def_default()};
        for (int k = 0; k < 3; ++k) {
            each[k] = (LyraCoefficientSeries){names[m][k], branches, 2};
        }
        defs[0].branches = branches;
        defs[0].branch_count = 2;
        defs[1].coefficients = each;
        defs[1].coefficient_count = m == 0 ? 3 : 2;
        Case cases[2];
        LyraSolid *solids[2] = {NULL, NULL};
        double *g[2];
        for (int i = 0; i < 2; ++i) {
            cases[i] = make_solid(ctx, models[m], &defs[i], &solids[i]);
            g[i] = malloc((size_t)cases[i].n * 3 * sizeof *g[i]);
        }
        TestRandom random = test_random(4);
        double *x = malloc((size_t)cases[0].n * 3 * sizeof *x);
        for (int s = 0; s < 6; ++s) {
            for (int32_t k = 0; k < 3 * cases[0].n; ++k) {
                x[k] = cases[0].rest[k] * (1 + 0.05 * s) + 0.03 * test_random_normal(&random);
            }
            for (int i = 0; i < 2; ++i) {
                // at once or in any time, and the last held for ever
                LyraEvaluation evaluation = {.x = x,
                                             .dt = s == 5 ? 1e6 : 0.3 * s,
                                             .history = cases[i].history,
                                             .trial_history = cases[i].history,
                                             .gradient = g[i]};
                TEST_OK(lyra_assembly_evaluate(cases[i].assembly, &evaluation));
            }
            double size = largest_of(3 * cases[0].n, g[0]);
            TEST_NEAR(largest_difference(3 * cases[0].n, g[0], g[1]), 0, 1e-9 * size);
        }
        cases[1].dt = 0.1;
        check_derivatives(&cases[1], x, NULL, &random, HAS_ENERGY, models[m]);
        for (int i = 0; i < 2; ++i) {
            free(g[i]);
            end_solid(&cases[i], solids[i]);
        }
        free(x);
        test_context_end(ctx);
    }
}

LYRA_TEST(series_of_coefficients_need_a_linear_law_and_names_it_has)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const LyraRelaxationBranch branch = {0.5, 2, 0};
    LyraCoefficientSeries series = {"mu", &branch, 1};
    LyraViscoelasticityDef def = lyra_viscoelasticity_def_default();
    def.coefficients = &series;
    def.coefficient_count = 1;
    int32_t count = 0;
    TEST_OK(build_solid(ctx, "neo-hookean", &def, &count));
    TEST_EQUAL(count, 2);
    test_fail_each_allocation(build_each, &def);
    TEST_STATUS(build_solid(ctx, "corotational", &def, NULL), LYRA_UNSUPPORTED);
    series.coefficient = "mu10";
    TEST_STATUS(build_solid(ctx, "neo-hookean", &def, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "no coefficient \"mu10\", expected one of: ");
    series.coefficient = "mu";
    def.branches = &branch;
    def.branch_count = 1;
    TEST_STATUS(build_solid(ctx, "neo-hookean", &def, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "1 series of coefficients and 1 branches");
    test_context_end(ctx);
}

LYRA_TEST(relaxation_settings_out_of_range_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraRelaxationBranch branches[2] = {{0.1, 100, 0}, {1, 200, 0}};
    LyraViscoelasticityDef def = lyra_viscoelasticity_def_default();
    int32_t count = 0;
    def.branches = branches;
    def.branch_count = 2;
    test_fail_each_allocation(build_each, &def);
    def.model = LYRA_RELAXATION_MAXWELL;
    test_fail_each_allocation(build_each, &def);
    TEST_OK(build_solid(ctx, "corotational", &def, &count));
    TEST_EQUAL(count, 3);
    def.model = LYRA_RELAXATION_PRONY;
    TEST_OK(build_solid(ctx, "corotational", &def, &count));
    TEST_EQUAL(count, 2);
    test_fail_each_allocation(build_corotational, &def);
    TEST_STATUS(build_solid(ctx, "linear", &def, NULL), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "model linear has no Prony series");
    branches[1].time = 0;
    TEST_STATUS(build_solid(ctx, "stvk", &def, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "the time of branch 1 is 0 s, expected more than 0");
    branches[1].time = 1;
    branches[0].bulk = -1;
    TEST_STATUS(build_solid(ctx, "stvk", &def, NULL), LYRA_INVALID_ARGUMENT);
    branches[0].bulk = 0;
    def.branch_count = 9;
    TEST_STATUS(build_solid(ctx, "stvk", &def, NULL), LYRA_INVALID_ARGUMENT);
    TEST_CONTAINS(lyra_error_message(), "9 branches, expected 1 to 8");
    LyraRelaxation model;
    TEST_STATUS(lyra_relaxation_find("kelvin", &model), LYRA_INVALID_ARGUMENT);
    TEST_OK(lyra_relaxation_find("maxwell", &model));
    TEST_EQUAL(model, LYRA_RELAXATION_MAXWELL);
    test_context_end(ctx);
}
