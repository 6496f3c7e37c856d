// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rods: derivatives wherever frames were transported to, positive tangents, the formulas of the
// paper, rigid motion, turns beyond half a round, junctions, what is refused.

#include "force_cases.h"
#include "lyra/rod.h"

#define PI 3.14159265358979323846

// ---- bodies -------------------------------------------------------------------------------------

enum { VERTICES = 9, EDGES = 9 };

// a bent line, a ring and a junction of four edges, of unequal sections; some edges run backwards
typedef struct Sample {
    double positions[3 * VERTICES];
    LyraRodSection sections[EDGES];
} Sample;

static const int32_t sample_edges[2 * EDGES] = {0, 1, 1, 2, 3, 2, 3, 4, 4,
                                                5, 5, 2, 2, 6, 7, 6, 7, 8};

static Sample make_sample(void)
{
    static const double flat[2 * VERTICES] = {0,   0,   1, 0.1, 2,   0,   3.0, 0.3, 3.5,
                                              1.2, 2.5, 1, 1.8, 0.9, 1.5, 1.8, 1.0, 2.7};
    Sample s;
    TestRandom random = test_random(5);
    for (int v = 0; v < VERTICES; ++v) {
        s.positions[3 * v] = 0.1 * flat[2 * v];
        s.positions[3 * v + 1] = 0.1 * flat[2 * v + 1];
        s.positions[3 * v + 2] = 0.02 * test_random_normal(&random);
    }
    for (int e = 0; e < EDGES; ++e) {
        s.sections[e] = (LyraRodSection){
            .stretch = test_random_in(&random, 5, 20),
            .bend = {test_random_in(&random, 0.01, 0.03), test_random_in(&random, 0.002, 0.01)},
            .twist = test_random_in(&random, 0.005, 0.02),
            .line_density = 0.1,
            .inertia = 1e-5};
    }
    return s;
}

static LyraRodDef def_of(const Sample *s)
{
    LyraRodDef def = lyra_rod_def_default();
    def.vertex_count = VERTICES;
    def.positions = s->positions;
    def.edge_count = EDGES;
    def.edges = sample_edges;
    def.section_count = EDGES;
    def.sections = s->sections;
    def.curvature[0] = 0.7;
    def.curvature[1] = -1.1;
    def.turn = 0.4;
    return def;
}

// all forces of a rod in one assembly; ends with end_rod()
typedef struct Rod {
    LyraRod *rod;
    LyraRodView view;
    Case c;
} Rod;

static Rod make_rod(LyraContext *ctx, const LyraRodDef *def)
{
    Rod made = {.c = {.ctx = ctx}};
    int32_t count = 0;
    TEST_OK(lyra_rod_create(ctx, def, &made.rod));
    made.view = lyra_rod_view(made.rod);
    LyraForce *const *forces = lyra_rod_forces(made.rod, &count);
    Case *c = &made.c;
    c->n = made.view.node_count;
    TEST_OK(lyra_assembly_create(ctx, c->n, made.view.positions, count, forces, &c->assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(c->assembly), &c->dfdx));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(c->assembly), &c->dfdv));
    c->rest = malloc((size_t)c->n * 3 * sizeof *c->rest + 1);
    memcpy(c->rest, made.view.positions, (size_t)c->n * 3 * sizeof *c->rest);
    c->history = calloc((size_t)lyra_assembly_history_size(c->assembly) + 1, sizeof *c->history);
    lyra_assembly_history_init(c->assembly, c->history);
    return made;
}

static void end_rod(Rod *made)
{
    end_case(&made->c);
    lyra_rod_destroy(made->rod);
}

// a rod of `edges` edges along x, 1 m
static Rod make_line(LyraContext *ctx, int32_t edges, const LyraRodSection *section,
                     LyraRodDef *def)
{
    double *x = calloc((size_t)edges * 3 + 3, sizeof *x);
    int32_t *pairs = malloc((size_t)edges * 2 * sizeof *pairs);
    for (int32_t e = 0; e <= edges; ++e) {
        x[3 * e] = (double)e / edges;
        if (e < edges) {
            pairs[2 * e] = e;
            pairs[2 * e + 1] = e + 1;
        }
    }
    def->vertex_count = edges + 1;
    def->positions = x;
    def->edge_count = edges;
    def->edges = pairs;
    def->section_count = 1;
    def->sections = section;
    Rod made = make_rod(ctx, def);
    free(x);
    free(pairs);
    return made;
}

static LyraRodSection even_section(void)
{
    return (LyraRodSection){50, {0.02, 0.02}, 0.015, 0.1, 1e-4};
}

// ends a step at x
static void commit(Case *c, const double *x)
{
    int64_t count = lyra_assembly_history_size(c->assembly);
    double *after = malloc((size_t)(count + 1) * sizeof *after);
    LyraEvaluation evaluation = evaluation_of(c, x, NULL);
    evaluation.trial_history = after;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    memcpy(c->history, after, (size_t)count * sizeof *after);
    free(after);
}

static double energy_at(Case *c, const double *x)
{
    double energy;
    LyraEvaluation evaluation = evaluation_of(c, x, NULL);
    evaluation.energy = &energy;
    TEST_OK(lyra_assembly_evaluate(c->assembly, &evaluation));
    return energy;
}

// a random state, `size` of edges away from another one; angles turn as far
static void move_nodes(const Rod *rod, double size, TestRandom *random, const double *from,
                       double *x)
{
    for (int32_t i = 0; i < 3 * rod->c.n; ++i) {
        bool angle = i >= 3 * rod->view.vertex_count;
        double step = size * rod->view.scale * test_random_normal(random);
        x[i] = from[i] + (angle && i % 3 ? 0 : step);
    }
}

// ---- derivatives --------------------------------------------------------------------------------

// kinds of rods: turning ones and ropes, with damping and without
static void set_kind(LyraRodDef *def, int kind)
{
    def->damping = kind & 1 ? 0.02 : 0;
    if (kind & 2) {
        def->twists = false;
        def->curvature[0] = def->curvature[1] = def->turn = 0;
    }
}

static void check_kind(LyraContext *ctx, int kind)
{
    static const double sizes[] = {0.01, 0.1, 0.4};
    Sample s = make_sample();
    LyraRodDef def = def_of(&s);
    TestRandom random = test_random(11);
    set_kind(&def, kind);
    Rod rod = make_rod(ctx, &def);
    int32_t dofs = 3 * rod.c.n;
    double *x = malloc((size_t)dofs * 3 * sizeof *x), *from = x + dofs, *v = from + dofs;
    set_random(dofs, 0.0, &random, v);
    for (int k = 0; k < 9; ++k) {
        char text[80];
        // frames of the last step, which was elsewhere
        if (k >= 3) {
            move_nodes(&rod, 0.2, &random, rod.c.rest, from);
            commit(&rod.c, from);
        } else {
            memcpy(from, rod.c.rest, (size_t)dofs * sizeof *from);
        }
        move_nodes(&rod, sizes[k % 3], &random, from, x);
        snprintf(text, sizeof text, "rod %d, %s, state %d", kind,
                 lyra_isa_name(lyra_context_isa(ctx)), k);
        check_derivatives(&rod.c, x, v, &random, HAS_ENERGY | (def.damping > 0 ? HAS_VELOCITY : 0),
                          text);
    }
    free(x);
    end_rod(&rod);
}

LYRA_TEST(rod_derivatives_match_differences_with_any_frames)
{
    for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
        LyraContext *ctx = test_context(1, isa);
        for (int kind = 0; kind < 4; ++kind) {
            check_kind(ctx, kind);
        }
        test_context_end(ctx);
    }
}

// d . g(x) along d, whose derivative is d . K d whatever of K is not symmetric
typedef struct Along {
    Case *c;
    const double *d;
} Along;

static void gradient_along(void *data, const double *x, double *f)
{
    const Along *along = data;
    double *g = malloc((size_t)along->c->n * 3 * sizeof *g);
    gradient_of_x(along->c, x, g);
    *f = 0;
    for (int32_t i = 0; i < 3 * along->c->n; ++i) {
        *f += along->d[i] * g[i];
    }
    free(g);
}

LYRA_TEST(rod_tangent_has_the_symmetric_part_of_damping)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    TestRandom random = test_random(13);
    for (int kind = 1; kind < 4; kind += 2) {
        LyraRodDef def = def_of(&s);
        set_kind(&def, kind);
        Rod rod = make_rod(ctx, &def);
        int32_t dofs = 3 * rod.c.n;
        double *x = malloc((size_t)dofs * 4 * sizeof *x), *v = x + dofs, *d = v + dofs;
        double *Kd = d + dofs, slope = 0;
        move_nodes(&rod, 0.3, &random, rod.c.rest, x);
        set_random(dofs, 1, &random, v);
        set_random(dofs, 0.05, &random, d);
        rod.c.v = v;
        LyraEvaluation evaluation = evaluation_of(&rod.c, x, v);
        evaluation.dfdx = rod.c.dfdx;
        TEST_OK(lyra_assembly_evaluate(rod.c.assembly, &evaluation));
        apply_matrix(&rod.c, rod.c.dfdx, d, Kd);
        for (int32_t i = 0; i < dofs; ++i) {
            slope += d[i] * Kd[i];
        }
        Along along = {&rod.c, d};
        test_check_difference(test_difference(gradient_along, &along, dofs, 1, x, d, &slope, 0.01),
                              1e-7, kind == 1 ? "rod" : "rope");
        free(x);
        end_rod(&rod);
    }
    test_context_end(ctx);
}

LYRA_TEST(rod_positive_tangent_is_positive)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    TestRandom random = test_random(12);
    for (int kind = 0; kind < 4; ++kind) {
        LyraRodDef def = def_of(&s);
        set_kind(&def, kind);
        Rod rod = make_rod(ctx, &def);
        double *x = malloc((size_t)rod.c.n * 6 * sizeof *x), *v = x + 3 * rod.c.n;
        for (int k = 0; k < 20; ++k) {
            move_nodes(&rod, 0.1 * (k % 8), &random, rod.c.rest, x);
            set_random(3 * rod.c.n, 1, &random, v);
            rod.c.psd = true;
            LyraEvaluation evaluation = evaluation_of(&rod.c, x, v);
            evaluation.dfdx = rod.c.dfdx;
            evaluation.dfdv = rod.c.dfdv;
            TEST_OK(lyra_assembly_evaluate(rod.c.assembly, &evaluation));
            double least = smallest_eigenvalue(&rod.c, rod.c.dfdx);
            TEST_CHECK_MSG(least > -1e-13, "rod %d, state %d: %g", kind, k, least);
            if (def.damping > 0) {
                least = smallest_eigenvalue(&rod.c, rod.c.dfdv);
                TEST_CHECK_MSG(least > -1e-13, "rod %d, state %d, damping: %g", kind, k, least);
            }
        }
        free(x);
        end_rod(&rod);
    }
    test_context_end(ctx);
}

// without natural strains the exact tangent at rest is positive, and the positive one is it
LYRA_TEST(rod_tangents_agree_at_rest)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    LyraRodDef def = def_of(&s);
    def.curvature[0] = def.curvature[1] = def.turn = 0;
    Rod rod = make_rod(ctx, &def);
    int32_t dofs = 3 * rod.c.n;
    double *out = malloc((size_t)dofs * 4 * sizeof *out), *d = out + 2 * dofs;
    TestRandom random = test_random(3);
    set_random(dofs, 1, &random, d);
    for (int psd = 0; psd < 2; ++psd) {
        LyraEvaluation evaluation = evaluation_of(&rod.c, rod.c.rest, NULL);
        evaluation.psd = psd;
        evaluation.dfdx = rod.c.dfdx;
        evaluation.gradient = d + dofs;
        TEST_OK(lyra_assembly_evaluate(rod.c.assembly, &evaluation));
        apply_matrix(&rod.c, rod.c.dfdx, d, out + psd * dofs);
        TEST_NEAR(largest_of(dofs, d + dofs), 0, 1e-13);
    }
    TEST_NEAR(apart(dofs, out, out + dofs), 0, 1e-12);
    free(out);
    end_rod(&rod);
    test_context_end(ctx);
}

// ---- the formulas of the paper ------------------------------------------------------------------

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// P v from t to u
static void transport(const double t[3], const double u[3], const double v[3], double out[3])
{
    double b[3], bv[3], c = dot(t, u);
    cross(t, u, b);
    cross(b, v, bv);
    for (int i = 0; i < 3; ++i) {
        out[i] = c * v[i] + bv[i] + b[i] * dot(b, v) / (1 + c);
    }
}

static void unit(const double *from, const double *to, double t[3])
{
    double length = 0;
    for (int i = 0; i < 3; ++i) {
        t[i] = to[i] - from[i];
        length += t[i] * t[i];
    }
    for (int i = 0; i < 3; ++i) {
        t[i] /= sqrt(length);
    }
}

// frames at x, (t, m1, m2, d1 without the angle), from those at rest, without passing by elsewhere
static void frame_at(const Rod *rod, const double *x, int32_t edge, double out[12])
{
    const int32_t *ends = rod->view.edges + 2 * edge;
    const double *rest = rod->view.frames + 9 * edge;
    double angle = (x[3 * (rod->view.vertex_count + edge)] -
                    rod->c.rest[3 * (rod->view.vertex_count + edge)]) /
                   rod->view.scale;
    unit(x + 3 * ends[0], x + 3 * ends[1], out);
    double *d1 = out + 9, d2[3];
    transport(rest, out, rest + 3, d1);
    cross(out, d1, d2);
    for (int i = 0; i < 3; ++i) {
        out[3 + i] = cos(angle) * d1[i] + sin(angle) * d2[i];
        out[6 + i] = cos(angle) * d2[i] - sin(angle) * d1[i];
    }
}

// strains of two edges by kb, directors and the signed angle between them
static void paper_strains(const double a[12], const double b[12], double strains[3])
{
    double kb[3], carried[3], side[3];
    cross(a, b, kb);
    for (int i = 0; i < 3; ++i) {
        kb[i] *= 2 / (1 + dot(a, b));
    }
    strains[0] = 0.5 * (dot(a + 6, kb) + dot(b + 6, kb));
    strains[1] = -0.5 * (dot(a + 3, kb) + dot(b + 3, kb));
    transport(a, b, a + 3, carried);
    cross(carried, b + 3, side);
    strains[2] = atan2(dot(b, side), dot(carried, b + 3));
}

LYRA_TEST(rod_energy_is_that_of_the_paper)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    TestRandom random = test_random(4);
    const LyraRodSection section = {80, {0.03, 0.008}, 0.02, 0.1, 1e-4};
    LyraRodDef def = lyra_rod_def_default();
    Rod rod = make_line(ctx, 4, &section, &def);
    double *x = malloc((size_t)rod.c.n * 3 * sizeof *x);
    for (int k = 0; k < 10; ++k) {
        double energy = 0;
        move_nodes(&rod, 0.3, &random, rod.c.rest, x);
        for (int e = 0; e < 4; ++e) {
            double a[12], b[12], strains[3], stretch = 0;
            for (int i = 0; i < 3; ++i) {
                stretch += (x[3 * e + 3 + i] - x[3 * e + i]) * (x[3 * e + 3 + i] - x[3 * e + i]);
            }
            stretch = sqrt(stretch) / 0.25 - 1;
            energy += 0.5 * section.stretch * 0.25 * stretch * stretch;
            if (e == 3) {
                break;
            }
            frame_at(&rod, x, e, a);
            frame_at(&rod, x, e + 1, b);
            paper_strains(a, b, strains);
            energy += (section.bend[0] * strains[0] * strains[0] +
                       section.bend[1] * strains[1] * strains[1] +
                       section.twist * strains[2] * strains[2]) /
                      (2 * 0.25);
        }
        TEST_NEAR(energy_at(&rod.c, x), energy, 1e-12 * energy);
    }
    free(x);
    end_rod(&rod);
    test_context_end(ctx);
}

// ---- motion -------------------------------------------------------------------------------------

// rotated by R, with the angles that take the directors along
static void rotate(const Rod *rod, const double R[9], double *x)
{
    int32_t vertices = rod->view.vertex_count;
    for (int32_t i = 0; i < 3 * rod->c.n; ++i) {
        const double *X = rod->c.rest + i - i % 3;
        x[i] = i < 3 * vertices ? 0.3 + dot(R + 3 * (i % 3), X) : rod->c.rest[i];
    }
    for (int32_t e = 0; e < rod->view.edge_count; ++e) {
        double frame[12], turned[3], side[3];
        frame_at(rod, x, e, frame);
        for (int i = 0; i < 3; ++i) {
            turned[i] = dot(R + 3 * i, rod->view.frames + 9 * e + 3);
        }
        cross(frame + 9, turned, side);
        x[3 * (vertices + e)] += rod->view.scale * atan2(dot(frame, side), dot(frame + 9, turned));
    }
}

// a rotation by `angle` about any axis: small enough for directors to find their angles
static void turn_by(double angle, TestRandom *random, double R[9])
{
    double a[3], length;
    set_random(3, 1, random, a);
    length = sqrt(dot(a, a));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            R[3 * i + j] =
                (i == j ? cos(angle) : 0) + (1 - cos(angle)) * a[i] * a[j] / (length * length);
        }
        R[3 * i + (i + 1) % 3] -= sin(angle) * a[(i + 2) % 3] / length;
        R[3 * i + (i + 2) % 3] += sin(angle) * a[(i + 1) % 3] / length;
    }
}

LYRA_TEST(rod_is_at_ease_wherever_it_is_turned_to)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    LyraRodDef def = def_of(&s);
    TestRandom random = test_random(8);
    def.curvature[0] = def.curvature[1] = def.turn = 0;
    Rod rod = make_rod(ctx, &def);
    int32_t dofs = 3 * rod.c.n;
    double *x = malloc((size_t)dofs * 2 * sizeof *x), *g = x + dofs, R[9];
    for (int k = 0; k < 10; ++k) {
        turn_by(1, &random, R);
        rotate(&rod, R, x);
        LyraEvaluation evaluation = evaluation_of(&rod.c, x, NULL);
        evaluation.gradient = g;
        TEST_OK(lyra_assembly_evaluate(rod.c.assembly, &evaluation));
        TEST_NEAR(largest_of(dofs, g), 0, 1e-11);
        TEST_NEAR(energy_at(&rod.c, x), 0, 1e-20);
    }
    free(x);
    end_rod(&rod);
    test_context_end(ctx);
}

LYRA_TEST(rod_keeps_momentum_and_angular_momentum)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    TestRandom random = test_random(9);
    for (int kind = 0; kind < 4; ++kind) {
        LyraRodDef def = def_of(&s);
        set_kind(&def, kind);
        Rod rod = make_rod(ctx, &def);
        int32_t dofs = 3 * rod.c.n, vertices = rod.view.vertex_count;
        double *x = malloc((size_t)dofs * 3 * sizeof *x), *g = x + dofs, *v = g + dofs;
        double force, torque, moment[3] = {0}, size = 0;
        move_nodes(&rod, 0.3, &random, rod.c.rest, x);
        set_random(dofs, 1, &random, v);
        commit(&rod.c, x);
        LyraEvaluation evaluation = evaluation_of(&rod.c, x, v);
        evaluation.gradient = g;
        TEST_OK(lyra_assembly_evaluate(rod.c.assembly, &evaluation));
        find_balance(vertices, x, g, &force, &torque);
        TEST_NEAR(force, 0, 1e-14);
        // moments of forces on vertices and those that turn edges about their tangents
        for (int32_t n = 0; n < vertices; ++n) {
            double arm[3];
            cross(x + 3 * n, g + 3 * n, arm);
            for (int i = 0; i < 3; ++i) {
                moment[i] += arm[i];
                size += fabs(arm[i]);
            }
        }
        for (int32_t e = 0; rod.view.twists && e < rod.view.edge_count; ++e) {
            double t[3];
            unit(x + 3 * rod.view.edges[2 * e], x + 3 * rod.view.edges[2 * e + 1], t);
            for (int i = 0; i < 3; ++i) {
                moment[i] += rod.view.scale * g[3 * (vertices + e)] * t[i];
            }
        }
        TEST_NEAR(largest_of(3, moment) / size, 0, 1e-13);
        free(x);
        end_rod(&rod);
    }
    test_context_end(ctx);
}

// the energy where a step ends is that where the next one begins, and so are the forces on angles
LYRA_TEST(rod_frames_are_carried_on_without_a_jump)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    LyraRodDef def = def_of(&s);
    TestRandom random = test_random(10);
    Rod rod = make_rod(ctx, &def);
    int32_t dofs = 3 * rod.c.n;
    double *x = malloc((size_t)dofs * 3 * sizeof *x), *g = x + dofs, *h = g + dofs;
    memcpy(x, rod.c.rest, (size_t)dofs * sizeof *x);
    for (int k = 0; k < 20; ++k) {
        move_nodes(&rod, 0.2, &random, x, x);
        double before = energy_at(&rod.c, x);
        gradient_of_x(&rod.c, x, g);
        commit(&rod.c, x);
        gradient_of_x(&rod.c, x, h);
        TEST_NEAR(energy_at(&rod.c, x), before, 1e-12 * before);
        int32_t angles = 3 * rod.view.vertex_count;
        TEST_NEAR(apart(dofs - angles, g + angles, h + angles), 0, 1e-11);
    }
    free(x);
    end_rod(&rod);
    test_context_end(ctx);
}

// ---- turns --------------------------------------------------------------------------------------

LYRA_TEST(rod_twist_counts_all_rounds)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraRodSection section = even_section();
    LyraRodDef def = lyra_rod_def_default();
    Rod rod = make_line(ctx, 2, &section, &def);
    double x[15];
    memcpy(x, rod.c.rest, sizeof x);
    // both angles are unknowns that count as they are: ten rounds at once
    x[12] += 20 * PI * rod.view.scale;
    TEST_NEAR(energy_at(&rod.c, x), 0.5 * section.twist / 0.5 * 400 * PI * PI, 1e-10);
    // the second edge runs round a cone about the first: each round turns it by 2 pi (1 - cos)
    memcpy(x, rod.c.rest, sizeof x);
    double tilt = 1.2, turn = 0;
    for (int k = 0; k <= 100; ++k) {
        double angle = 3 * 2 * PI * k / 100;
        x[6] = 0.5 + 0.5 * cos(tilt);
        x[7] = 0.5 * sin(tilt) * cos(angle);
        x[8] = 0.5 * sin(tilt) * sin(angle);
        commit(&rod.c, x);
        TEST_OK(lyra_assembly_read_history(rod.c.assembly, 1, 8, rod.c.history, &turn));
    }
    // steps of a polygon, whose corners cut a little of the cone
    TEST_NEAR(fabs(turn), 3 * 2 * PI * (1 - cos(tilt)), 0.03);
    end_rod(&rod);
    test_context_end(ctx);
}

LYRA_TEST(rod_stays_finite_where_edges_turn_back)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraRodSection section = even_section();
    for (int kind = 0; kind < 4; ++kind) {
        LyraRodDef def = lyra_rod_def_default();
        set_kind(&def, kind);
        Rod rod = make_line(ctx, 2, &section, &def);
        double x[15], g[15], v[15] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        // straight back, half a round in one step, no length
        const double ends[3][6] = {
            {0.5, 0, 0, 0, 0, 0}, {-0.5, 0, 0, -1, 0, 0}, {0, 0, 0, 0, 0, 0}};
        for (int k = 0; k < 3; ++k) {
            memcpy(x, rod.c.rest, (size_t)rod.c.n * 3 * sizeof *x);
            memcpy(x + 3, ends[k], sizeof ends[k]);
            for (int psd = 0; psd < 2; ++psd) {
                LyraEvaluation evaluation = evaluation_of(&rod.c, x, v);
                evaluation.gradient = g;
                evaluation.psd = psd;
                evaluation.dfdx = rod.c.dfdx;
                evaluation.dfdv = rod.c.dfdv;
                TEST_OK(lyra_assembly_evaluate(rod.c.assembly, &evaluation));
                TEST_CHECK_MSG(all_finite(3 * rod.c.n, g) && matrix_finite(rod.c.dfdx) &&
                                   matrix_finite(rod.c.dfdv),
                               "rod %d, place %d", kind, k);
            }
            TEST_CHECK(isfinite(energy_at(&rod.c, x)));
        }
        end_rod(&rod);
    }
    test_context_end(ctx);
}

// ---- junctions ----------------------------------------------------------------------------------

// joints of three equal edges share 2 EI/l as k k/(3 k) each; of unequal ones of two, in series
LYRA_TEST(rod_joints_have_the_stiffness_of_halves_in_series)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    const double x[12] = {0, 0, 0, 1, 0, 0, 3, 0, 0, 1, 1, 0};
    const int32_t edges[6] = {0, 1, 1, 2, 3, 1};
    const LyraRodSection sections[3] = {
        {1, {6, 6}, 6, 1, 1}, {1, {4, 4}, 4, 1, 1}, {1, {5, 5}, 5, 1, 1}};
    LyraRodDef def = lyra_rod_def_default();
    for (int32_t count = 2; count <= 3; ++count) {
        def.vertex_count = count + 1;
        def.positions = x;
        def.edge_count = def.section_count = count;
        def.edges = edges;
        def.sections = sections;
        Rod rod = make_rod(ctx, &def);
        int32_t forces;
        const double k[3] = {12, 4, 10};
        LyraForceView view = lyra_force_view(lyra_rod_forces(rod.rod, &forces)[1]);
        double sum = k[0] + k[1] + (count == 3 ? k[2] : 0);
        TEST_EQUAL(view.stencil_count, count == 3 ? 3 : 1);
        for (int32_t j = 0; j < view.stencil_count; ++j) {
            const int32_t *pair = rod.view.joint_edges + 2 * j;
            TEST_NEAR(view.parameters[j * view.type->parameter_count + LYRA_ROD_BEND_1],
                      k[pair[0]] * k[pair[1]] / sum, 1e-14);
        }
        end_rod(&rod);
    }
    test_context_end(ctx);
}

// the same rod, with edges that run the other way and in another order
LYRA_TEST(rod_does_not_care_which_way_its_edges_run)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Sample s = make_sample();
    LyraRodDef def = def_of(&s);
    TestRandom random = test_random(21);
    int32_t edges[2 * EDGES];
    LyraRodSection sections[EDGES];
    double offsets[3 * VERTICES], energy = 0;
    set_random(3 * VERTICES, 0.02, &random, offsets);
    def.curvature[0] = def.curvature[1] = def.turn = 0;
    for (int e = 0; e < EDGES; ++e) {
        sections[e] = s.sections[EDGES - 1 - e];
        // equal about both directors, as these depend on where frames start
        s.sections[e].bend[1] = s.sections[e].bend[0];
        sections[e].bend[1] = sections[e].bend[0];
        edges[2 * e] = sample_edges[2 * (EDGES - 1 - e) + 1];
        edges[2 * e + 1] = sample_edges[2 * (EDGES - 1 - e)];
    }
    for (int k = 0; k < 2; ++k) {
        def.edges = k ? edges : sample_edges;
        def.sections = k ? sections : s.sections;
        Rod rod = make_rod(ctx, &def);
        double *x = malloc((size_t)rod.c.n * 3 * sizeof *x);
        memcpy(x, rod.c.rest, (size_t)rod.c.n * 3 * sizeof *x);
        for (int i = 0; i < 3 * VERTICES; ++i) {
            x[i] += offsets[i];
        }
        double found = energy_at(&rod.c, x);
        energy = k ? energy : found;
        TEST_NEAR(found, energy, 1e-12 * energy);
        free(x);
        end_rod(&rod);
    }
    test_context_end(ctx);
}

// ---- bits ---------------------------------------------------------------------------------------

static Case make_sample_case(LyraContext *ctx, const void *data)
{
    Sample s = make_sample();
    LyraRodDef def = def_of(&s);
    int32_t count;
    set_kind(&def, *(const int *)data);
    LyraRod *rod = NULL;
    TEST_OK(lyra_rod_create(ctx, &def, &rod));
    LyraForce *const *forces = lyra_rod_forces(rod, &count);
    LyraRodView nodes = lyra_rod_view(rod);
    // its joints alone, as the case owns one force
    LyraForce *taken = forces[1];
    Case c = {.ctx = ctx, .n = nodes.node_count};
    TEST_OK(lyra_assembly_create(ctx, c.n, nodes.positions, 1, &taken, &c.assembly));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(c.assembly), &c.dfdx));
    TEST_OK(lyra_block_matrix_create(lyra_assembly_pattern(c.assembly), &c.dfdv));
    c.rest = malloc((size_t)c.n * 3 * sizeof *c.rest);
    memcpy(c.rest, nodes.positions, (size_t)c.n * 3 * sizeof *c.rest);
    c.history = calloc((size_t)lyra_assembly_history_size(c.assembly) + 1, sizeof *c.history);
    lyra_assembly_history_init(c.assembly, c.history);
    c.a = (const double *)rod; // to be ended by the caller
    return c;
}

LYRA_TEST(rod_is_the_same_on_all_instruction_sets)
{
    for (int kind = 0; kind < 4; ++kind) {
        double *reference = NULL;
        for (LyraIsa isa = LYRA_ISA_SCALAR; isa != LYRA_ISA_AUTO; isa = test_next_isa(isa)) {
            LyraContext *ctx = test_context(1, isa);
            Case c = make_sample_case(ctx, &kind);
            LyraRod *rod = (LyraRod *)c.a;
            int32_t count = 9 * c.n;
            double *out = malloc((size_t)count * sizeof *out);
            c.a = NULL;
            evaluate_large(&c, out);
            lyra_rod_destroy(rod);
            reference = reference ? reference : out;
            TEST_NEAR(largest_difference(count, out, reference), 0,
                      1e-11 * largest_of(count, reference));
            if (out != reference) {
                free(out);
            }
            test_context_end(ctx);
        }
        free(reference);
    }
}

LYRA_TEST(rod_has_the_same_bits_on_any_threads)
{
    double *reference = NULL;
    int64_t count = 0;
    for (int threads = 1; threads <= 7; threads += 3) {
        LyraContext *ctx = test_context(threads, LYRA_ISA_AUTO);
        LyraRodSection section = even_section();
        LyraRodDef def = lyra_rod_def_default();
        TestRandom random = test_random(2);
        Rod rod = make_line(ctx, 3000, &section, &def);
        count = 9 * (int64_t)rod.c.n;
        double *x = malloc((size_t)rod.c.n * 6 * sizeof *x), *v = x + 3 * rod.c.n;
        double *out = malloc((size_t)count * sizeof *out);
        move_nodes(&rod, 0.2, &random, rod.c.rest, x);
        set_random(3 * rod.c.n, 1, &random, v);
        commit(&rod.c, x);
        evaluate_all(&rod.c, x, v, out);
        check_allocates_nothing(
            rod.c.assembly,
            &(LyraEvaluation){.x = x, .history = rod.c.history, .dfdx = rod.c.dfdx, .gradient = v});
        reference = reference ? reference : out;
        TEST_CHECK(memcmp(out, reference, (size_t)count * sizeof *out) == 0);
        if (out != reference) {
            free(out);
        }
        free(x);
        end_rod(&rod);
        test_context_end(ctx);
    }
    free(reference);
}

// ---- sections -----------------------------------------------------------------------------------

LYRA_TEST(rod_sections_are_those_of_textbooks)
{
    LyraRodSection round = lyra_rod_section_circle(2e11, 0.3, 7800, 0.01, 0);
    TEST_NEAR(round.stretch, 2e11 * PI * 1e-4, 1e-6 * round.stretch);
    TEST_NEAR(round.bend[0], 2e11 * PI * 1e-8 / 4, 1e-12 * round.bend[0]);
    TEST_NEAR(round.twist, 2e11 / 2.6 * PI * 1e-8 / 2, 1e-12 * round.twist);
    TEST_NEAR(round.inertia, 7800 * PI * 1e-8 / 2, 1e-18);
    LyraRodSection tube = lyra_rod_section_circle(2e11, 0.3, 7800, 0.01, 0.008);
    TEST_NEAR(tube.bend[1], 2e11 * PI * (1e-8 - 4.096e-9) / 4, 1e-12 * tube.bend[1]);
    // torsion of a square and of a rectangle 10 to 1
    LyraRodSection square = lyra_rod_section_rectangle(2.6, 0.3, 1, 1, 1);
    LyraRodSection strip = lyra_rod_section_rectangle(2.6, 0.3, 1, 10, 1);
    TEST_NEAR(square.twist, 0.140577, 1e-5);
    TEST_NEAR(strip.twist, 10 * 0.312329, 1e-4);
    TEST_NEAR(strip.bend[0] / strip.bend[1], 100, 1e-10);
}

// ---- what is refused ----------------------------------------------------------------------------

static void check_refused(LyraContext *ctx, const LyraRodDef *def, LyraStatus status,
                          const char *message)
{
    LyraRod *rod = NULL;
    TEST_EQUAL(lyra_rod_create(ctx, def, &rod), status);
    TEST_CHECK_MSG(strstr(lyra_error_message(), message) != NULL, "\"%s\"", lyra_error_message());
    TEST_CHECK(rod == NULL);
}

LYRA_TEST(rod_refuses_what_it_cannot_be)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    double x[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    int32_t edges[4] = {0, 1, 1, 2};
    LyraRodSection section = even_section();
    LyraRodDef good = lyra_rod_def_default();
    good.vertex_count = 3;
    good.positions = x;
    good.edge_count = 2;
    good.edges = edges;
    good.section_count = 1;
    good.sections = &section;
    LyraRodDef def = good;
    x[3] = 0;
    check_refused(ctx, &good, LYRA_BAD_MESH, "edge 0 from vertex 0 to 1 has length 0");
    x[3] = 1;
    x[6] = 0.2;
    check_refused(ctx, &good, LYRA_BAD_MESH, "edges 0 and 1 turn back on one another at vertex 1");
    x[6] = NAN;
    check_refused(ctx, &good, LYRA_NOT_FINITE, "vertex 2 is at");
    x[6] = 2;
    edges[3] = 3;
    check_refused(ctx, &good, LYRA_BAD_MESH,
                  "edge 1 joins vertices 1 and 3, expected two of 0 to 2");
    edges[3] = 1;
    check_refused(ctx, &good, LYRA_BAD_MESH, "edge 1 joins vertices 1 and 1");
    edges[3] = 2;
    section.bend[1] = -1;
    check_refused(ctx, &good, LYRA_INVALID_ARGUMENT, "section 0 has bend -1");
    section.bend[1] = 0.02;
    section.inertia = 0;
    check_refused(ctx, &good, LYRA_INVALID_ARGUMENT, "section 0 has inertia 0");
    section.inertia = 1;
    def.section_count = 3;
    check_refused(ctx, &def, LYRA_INVALID_ARGUMENT, "3 sections of 2 edges");
    def = good;
    def.normal = (const double[3]){2, 0, 0};
    check_refused(ctx, &def, LYRA_BAD_MESH, "edge 0 lies along the normal");
    def = good;
    def.damping = -1;
    check_refused(ctx, &def, LYRA_INVALID_ARGUMENT, "damping -1 s");
    def = good;
    def.twists = false;
    def.turn = 1;
    check_refused(ctx, &def, LYRA_INVALID_ARGUMENT, "expected none of a rope");
    LyraRod *rod = NULL;
    TEST_OK(lyra_rod_create(ctx, &good, &rod));
    lyra_rod_destroy(rod);
    test_context_end(ctx);
}

static LyraStatus make_and_end(LyraContext *ctx, void *data)
{
    LyraRodDef def = def_of(data);
    LyraRod *rod = NULL;
    LyraStatus status = lyra_rod_create(ctx, &def, &rod);
    lyra_rod_destroy(rod);
    return status;
}

LYRA_TEST(rod_survives_failing_allocations)
{
    Sample s = make_sample();
    test_fail_each_allocation(make_and_end, &s);
}
