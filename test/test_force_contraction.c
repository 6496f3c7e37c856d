// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The derivative of the tangent of Saint Venant-Kirchhoff solids: against differences, numbers by
// hand, as a tensor, on all instruction sets and threads, and refused by every other force.

#include "force_cases.h"
#include "lyra/elastic.h"

#define YOUNG 1e5
#define POISSON 0.3

// ---- bodies -------------------------------------------------------------------------------------

static LyraElasticDef def_of(double resistance)
{
    LyraElasticDef def = lyra_elastic_def_default();
    def.model = LYRA_MATERIAL_STVK;
    def.inversion = LYRA_INVERSION_NONE;
    def.compression_resistance = resistance;
    def.young = YOUNG;
    def.poisson = POISSON;
    return def;
}

// takes the mesh
static Case make_solid(LyraContext *ctx, LyraMesh *mesh, const LyraElasticDef *def)
{
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraForce *force = NULL;
    TEST_OK(lyra_elastic_create(ctx, mesh, def, &force));
    Case c = make_case(ctx, view.vertex_count, view.positions, force);
    lyra_mesh_destroy(mesh);
    return c;
}

// a tet with its nodes out of order, or a cube
static Case make_element(LyraContext *ctx, LyraElementKind kind, const LyraElasticDef *def)
{
    static const double corners[12] = {0, 0, 0, 0.1, 0, 0.01, 0.02, 0.1, 0, 0.01, 0.03, 0.1};
    static const int32_t ids[4] = {2, 0, 1, 3};
    if (kind == LYRA_ELEMENT_CUBE8) {
        return make_solid(ctx, make_box(ctx, kind, 1, 1, 1), def);
    }
    LyraMeshView view = {
        .kind = kind, .vertex_count = 4, .element_count = 1, .positions = corners, .elements = ids};
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create(ctx, &view, &mesh));
    return make_solid(ctx, mesh, def);
}

static void contract(const Case *c, const double *x, const double *a, const double *b, double *h)
{
    LyraEvaluation evaluation = {.x = x, .a = a, .b = b, .contraction = h};
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
}

// ---- derivatives --------------------------------------------------------------------------------

// at x: differences along b of the tangent times a, symmetry in a and b, no net force
static TestDifference check_contraction(Case *c, const double *x, TestRandom *random,
                                        const char *what)
{
    int32_t dofs = 3 * c->n;
    double *a = malloc((size_t)dofs * 4 * sizeof *a), *b = a + dofs, *h = b + dofs, *t = h + dofs;
    double force, torque;
    set_random(dofs, 0.05, random, a);
    set_random(dofs, 0.05, random, b);
    contract(c, x, a, b, h);
    contract(c, x, b, a, t);
    double size = largest_of(dofs, h);
    // rounding of a few hundred products and of sums over elements that cancel
    TEST_CHECK_MSG(largest_difference(dofs, h, t) <= 1e-13 * size * test_tolerance_scale(),
                   "%s: not symmetric in the directions", what);
    find_balance(c->n, x, h, &force, &torque);
    TEST_NEAR(force, 0, 1e-13);
    c->a = a;
    TestDifference difference = test_difference(tangent_of_x, c, dofs, dofs, x, b, h, 0.1);
    test_check_difference(difference, 1e-7, what);
    free(a);
    return difference;
}

LYRA_TEST(stvk_contraction_matches_differences)
{
    LyraElasticDef def = def_of(0);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
            LyraContext *ctx = test_context(1, isa);
            Case c = make_solid(ctx, make_box(ctx, (LyraElementKind)kind, 2, 2, 1), &def);
            TestRandom random = test_random(3);
            double *x = malloc((size_t)c.n * 3 * sizeof *x);
            for (int state = 0; state < STATE_COUNT; ++state) {
                char what[100];
                snprintf(what, sizeof what, "%s, %s, state %d",
                         lyra_element_kind_name((LyraElementKind)kind), lyra_isa_name(isa), state);
                set_state(&c, (StateKind)state, &random, x);
                TestDifference d = check_contraction(&c, x, &random, what);
                // the tangent is quadratic in x: differences are exact but for rounding
                TEST_CHECK_MSG(d.order == 0 && d.error_best <= 1e-12 * test_tolerance_scale(),
                               "%s: order %g, error %g", what, d.order, d.error_best);
            }
            free(x);
            end_case(&c);
            test_context_end(ctx);
        }
    }
}

LYRA_TEST(stvk_contraction_with_resistance_matches_differences)
{
    // all elements clearly below J = 1, turned inside out, and all clearly above
    static const double scales[3][3] = {{0.7, 0.9, 0.8}, {-0.6, 0.8, 0.7}, {1.5, 1.4, 1.3}};
    LyraElasticDef def = def_of(3000), plain = def_of(0);
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int k = 0; k < 6; ++k) {
            LyraElementKind kind = k < 3 ? LYRA_ELEMENT_TET4 : LYRA_ELEMENT_CUBE8;
            LyraContext *ctx = test_context(1, isa);
            Case c = make_solid(ctx, make_box(ctx, kind, 2, 2, 1), &def);
            Case other = make_solid(ctx, make_box(ctx, kind, 2, 2, 1), &plain);
            TestRandom random = test_random(5);
            int32_t dofs = 3 * c.n;
            double *x = malloc((size_t)dofs * 3 * sizeof *x), *h[2] = {x + dofs, x + 2 * dofs};
            for (int32_t i = 0; i < dofs; ++i) {
                x[i] = scales[k % 3][i % 3] * c.rest[i] + 2e-3 * test_random_normal(&random);
            }
            char what[100];
            snprintf(what, sizeof what, "%s, %s, scales %d", lyra_element_kind_name(kind),
                     lyra_isa_name(isa), k % 3);
            check_contraction(&c, x, &random, what);
            // the resistance is felt where there is any
            contract(&c, x, c.rest, x, h[0]);
            contract(&other, x, c.rest, x, h[1]);
            double apart = largest_difference(dofs, h[0], h[1]) / largest_of(dofs, h[1]);
            TEST_CHECK_MSG(k % 3 == 2 ? apart == 0 : apart > 1e-3, "%s: %g", what, apart);
            free(x);
            end_case(&c);
            end_case(&other);
            test_context_end(ctx);
        }
    }
}

// stretched by s along x the density is c (s^2 - 1)^2, its third derivative 24 c s, where
// c = (lambda + 2 mu)/8; a rotation must not matter
LYRA_TEST(stvk_contraction_of_a_stretched_bar)
{
    LyraElasticDef def = def_of(0);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
    double modulus = lambda + YOUNG / (1 + POISSON), volume = 3 * 2 * 2 * 1e-3;
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        Case c = make_solid(ctx, make_box(ctx, (LyraElementKind)kind, 3, 2, 2), &def);
        TestRandom random = test_random(1);
        int32_t dofs = 3 * c.n;
        double *x = malloc((size_t)dofs * 3 * sizeof *x), *a = x + dofs, *h = a + dofs, R[9];
        for (int step = 0; step < 5; ++step) {
            double s = -0.5 + 0.6 * step, third = 0;
            test_random_rotation(&random, R);
            for (int32_t i = 0; i < dofs; ++i) {
                const double *X = c.rest + i / 3 * 3, *row = R + 3 * (i % 3);
                a[i] = row[0] * X[0];
                x[i] = row[0] * s * X[0] + row[1] * X[1] + row[2] * X[2];
            }
            contract(&c, x, a, a, h);
            for (int32_t i = 0; i < dofs; ++i) {
                third += a[i] * h[i];
            }
            TEST_NEAR(third, 3 * modulus * s * volume, 1e-12 * modulus * volume);
        }
        free(x);
        end_case(&c);
    }
    test_context_end(ctx);
}

// ---- the tensor ---------------------------------------------------------------------------------

static void check_tensor(LyraIsa isa, LyraElementKind kind, double resistance)
{
    LyraElasticDef def = def_of(resistance);
    LyraContext *ctx = test_context(1, isa);
    Case c = make_element(ctx, kind, &def);
    TestRandom random = test_random(4);
    int32_t d = 3 * c.n;
    double x[24], a[24], b[24], h[24], sums[24] = {0}, skew = 0;
    double *tensor = malloc((size_t)d * (size_t)d * (size_t)d * sizeof *tensor);
    set_state(&c, STATE_LARGE, &random, x);
    TEST_OK(lyra_assembly_tensor(c.assembly, &(LyraEvaluation){.x = x}, tensor));
    double size = largest_of((int64_t)d * d * d, tensor);
    TEST_CHECK(size > 1);
    // contractions with unit vectors
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (int32_t k = 0; k < d; ++k) {
        int32_t j = (5 * k + 2) % d;
        a[j] = b[k] = 1;
        contract(&c, x, a, b, h);
        a[j] = b[k] = 0;
        for (int32_t i = 0; i < d; ++i) {
            TEST_NEAR(tensor[(i * d + j) * d + k], h[i], 1e-13 * size);
        }
    }
    // all permutations, and a contraction with any directions
    set_random(d, 1, &random, a);
    set_random(d, 1, &random, b);
    contract(&c, x, a, b, h);
    for (int32_t i = 0; i < d; ++i) {
        for (int32_t j = 0; j < d; ++j) {
            for (int32_t k = 0; k < d; ++k) {
                double entry = tensor[(i * d + j) * d + k];
                sums[i] += entry * a[j] * b[k];
                skew = fmax(skew, fabs(entry - tensor[(i * d + k) * d + j]));
                skew = fmax(skew, fabs(entry - tensor[(j * d + i) * d + k]));
                skew = fmax(skew, fabs(entry - tensor[(j * d + k) * d + i]));
                skew = fmax(skew, fabs(entry - tensor[(k * d + i) * d + j]));
                skew = fmax(skew, fabs(entry - tensor[(k * d + j) * d + i]));
            }
        }
    }
    TEST_NEAR(skew, 0, 1e-13 * size);
    TEST_NEAR(largest_difference(d, sums, h), 0, 1e-13 * d * size);
    free(tensor);
    end_case(&c);
    test_context_end(ctx);
}

LYRA_TEST(stvk_tensor_is_symmetric_and_agrees_with_contractions)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
            check_tensor(isa, (LyraElementKind)kind, 0);
            check_tensor(isa, (LyraElementKind)kind, 3000);
        }
    }
}

// ---- twins, threads, memory ---------------------------------------------------------------------

LYRA_TEST(stvk_contraction_agrees_on_instruction_sets)
{
    LyraElasticDef def = def_of(3000);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        double *reference = NULL;
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            LyraContext *ctx = test_context(1, isa);
            Case c = make_solid(ctx, make_box(ctx, (LyraElementKind)kind, 4, 3, 3), &def);
            TestRandom random = test_random(3);
            int32_t dofs = 3 * c.n;
            double *x = malloc((size_t)dofs * 4 * sizeof *x), *a = x + dofs, *b = a + dofs;
            double *h = b + dofs;
            set_state(&c, STATE_LARGE, &random, x);
            set_random(dofs, 1, &random, a);
            set_random(dofs, 1, &random, b);
            contract(&c, x, a, b, h);
            if (!reference) {
                reference = malloc((size_t)dofs * sizeof *reference);
                memcpy(reference, h, (size_t)dofs * sizeof *reference);
            }
            TEST_NEAR(largest_difference(dofs, h, reference), 0,
                      1e-13 * largest_of(dofs, reference));
            free(x);
            end_case(&c);
            test_context_end(ctx);
        }
        free(reference);
    }
}

#define BIG 12

static void contract_big(LyraContext *ctx, void *data, void *out)
{
    LyraElasticDef def = def_of(3000);
    Case c = make_solid(ctx, make_box(ctx, *(LyraElementKind *)data, BIG, BIG, BIG), &def);
    TestRandom random = test_random(3);
    int32_t dofs = 3 * c.n;
    double *x = malloc((size_t)dofs * 3 * sizeof *x), *a = x + dofs, *b = a + dofs;
    set_state(&c, STATE_LARGE, &random, x);
    set_random(dofs, 1, &random, a);
    set_random(dofs, 1, &random, b);
    contract(&c, x, a, b, out);
    free(x);
    end_case(&c);
}

LYRA_TEST(stvk_contraction_bits_do_not_depend_on_threads)
{
    size_t vertices = (BIG + 1) * (BIG + 1) * (BIG + 1);
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraElementKind data = (LyraElementKind)kind;
        test_same_bits(contract_big, &data, 3 * vertices * sizeof(double));
    }
}

// with the other outputs, projected or not, it is the same; and nothing is allocated any more
LYRA_TEST(stvk_contraction_beside_other_outputs)
{
    for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
        LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
        LyraElasticDef def = def_of(0), extended = def;
        extended.inversion = LYRA_INVERSION_EXTEND;
        Case c = make_solid(ctx, make_box(ctx, (LyraElementKind)kind, 3, 2, 2), &def);
        Case other = make_solid(ctx, make_box(ctx, (LyraElementKind)kind, 3, 2, 2), &extended);
        TestRandom random = test_random(6);
        int32_t dofs = 3 * c.n;
        double *x = malloc((size_t)dofs * 7 * sizeof *x), *h[2] = {x + dofs, x + 2 * dofs};
        double *g[2] = {x + 3 * dofs, x + 4 * dofs}, *Kx[2] = {x + 5 * dofs, x + 6 * dofs};
        double energy[2];
        set_state(&c, STATE_SMALL, &random, x);
        contract(&c, x, c.rest, x, h[0]);
        LyraEvaluation all = {.x = x,
                              .energy = &energy[0],
                              .gradient = g[0],
                              .dfdx = c.dfdx,
                              .a = c.rest,
                              .b = x,
                              .contraction = h[1]};
        for (int psd = 1; psd >= 0; --psd) {
            int64_t before = test_allocation_count();
            all.psd = psd;
            TEST_OK(lyra_assembly_evaluate(c.assembly, &all));
            TEST_EQUAL(test_allocation_count(), before);
            TEST_CHECK(memcmp(h[0], h[1], (size_t)dofs * sizeof *x) == 0);
        }
        apply_matrix(&c, c.dfdx, x, Kx[0]);
        // what the force without it gives
        LyraEvaluation plain = {.x = x, .energy = &energy[1], .gradient = g[1], .dfdx = other.dfdx};
        TEST_OK(lyra_assembly_evaluate(other.assembly, &plain));
        apply_matrix(&other, other.dfdx, x, Kx[1]);
        TEST_CHECK(energy[0] == energy[1]);
        TEST_CHECK(memcmp(g[0], g[1], (size_t)dofs * sizeof *x) == 0);
        TEST_CHECK(memcmp(Kx[0], Kx[1], (size_t)dofs * sizeof *x) == 0);
        free(x);
        end_case(&c);
        end_case(&other);
        test_context_end(ctx);
    }
}

// ---- refusals -----------------------------------------------------------------------------------

LYRA_TEST(other_elastic_forces_have_no_contraction)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int k = 0; k < LYRA_MATERIAL_LAW_COUNT * LYRA_INVERSION_COUNT; ++k) {
        LyraElasticDef def = def_of(0);
        def.model = (LyraMaterialLaw)(k / LYRA_INVERSION_COUNT);
        def.inversion = (LyraInversion)(k % LYRA_INVERSION_COUNT);
        if (def.model == LYRA_MATERIAL_STVK && def.inversion == LYRA_INVERSION_NONE) {
            continue;
        }
        for (int kind = 0; kind < LYRA_ELEMENT_TET10; ++kind) {
            double h[24], tensor[24 * 24 * 24];
            Case c = make_element(ctx, (LyraElementKind)kind, &def);
            LyraEvaluation evaluation = {.x = c.rest, .a = c.rest, .b = c.rest, .contraction = h};
            TEST_STATUS(lyra_assembly_evaluate(c.assembly, &evaluation), LYRA_UNSUPPORTED);
            TEST_CONTAINS(lyra_error_message(), lyra_material_law_name(def.model));
            TEST_CONTAINS(lyra_error_message(), "no derivative of its tangent");
            TEST_STATUS(lyra_assembly_tensor(c.assembly, &evaluation, tensor), LYRA_UNSUPPORTED);
            end_case(&c);
        }
    }
    // a user's law is not looked into, even if it is one of ours
    LyraElasticConstant constants[2] = {{"lambda", 1e5}, {"mu", 1e5}};
    LyraElasticDef def = def_of(0);
    def.law = lyra_material_type(LYRA_MATERIAL_STVK, lyra_context_isa(ctx));
    def.constants = constants;
    def.constant_count = 2;
    double h[12];
    Case c = make_element(ctx, LYRA_ELEMENT_TET4, &def);
    LyraEvaluation evaluation = {.x = c.rest, .a = c.rest, .b = c.rest, .contraction = h};
    TEST_STATUS(lyra_assembly_evaluate(c.assembly, &evaluation), LYRA_UNSUPPORTED);
    end_case(&c);
    test_context_end(ctx);
}
