// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Solids of scenes that flow and relax: series, goals, regions and changes of what they are made
// of, and what is refused.

#include "scene_yaml.h"

#include "lyra/lyra.h"

#include "lyra/dense.h"
#include "lyra/matrix_file.h"

#include <math.h>
#include <stdlib.h>

static LyraStatus load_text(LyraContext *ctx, const char *text, LyraWorld **out)
{
    *out = NULL;
    return lyra_world_load_memory(ctx, text, strlen(text), test_temp_path("."), NULL, out, NULL);
}

// a bar that is pulled at one end; `body` is more of the body, `material` more of its material
static LyraWorld *make_bar(LyraContext *ctx, const char *element, const char *material,
                           const char *body)
{
    char text[3000];
    LyraWorld *world = NULL;
    snprintf(text, sizeof text,
             "bodies:\n"
             "  - name: bar\n"
             "    generate: {size: [2, 1, 1], cells: [2, 1, 1], element: %s}\n"
             "    material: {model: hencky, young: 1 MPa, poisson: 0.25%s}\n%s"
             "constraints:\n"
             "  - select: {half-space: {point: [-0.99, 0, 0], normal: [-1, 0, 0]}}\n"
             "  - select: {half-space: {point: [0.99, 0, 0], normal: [1, 0, 0]}}\n"
             "    displacement: [0.3*ramp(t/0.05), 0, 0]\n"
             "time: {dt: 10 ms}\n",
             element, material, body);
    TEST_OK(load_text(ctx, text, &world));
    return world;
}

static void run(LyraWorld *world, int steps)
{
    for (int n = 0; world && n < steps; ++n) {
        TEST_OK(lyra_world_step(world, NULL));
    }
}

static bool same(const LyraWorld *a, const LyraWorld *b)
{
    return lyra_state_equal(lyra_world_view(a).state, lyra_world_view(b).state);
}

// the largest difference of displacements
static double difference(const LyraWorld *a, const LyraWorld *b)
{
    LyraStateView p = lyra_state_view(lyra_world_view(a).state);
    LyraStateView q = lyra_state_view(lyra_world_view(b).state);
    const double *x = lyra_vector_values(p.u), *y = lyra_vector_values(q.u);
    double most = 0;
    for (int32_t i = 0; i < lyra_vector_size(p.u); ++i) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most;
}

// ---- series -------------------------------------------------------------------------------------

// the same bar by settings in C
static LyraWorld *make_bar_in_c(LyraContext *ctx, LyraRelaxation model,
                                const LyraRelaxationBranch *branches, int32_t count)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraViscoelasticityDef series = lyra_viscoelasticity_def_default();
    LyraConstraintDef ends[2] = {lyra_constraint_def_default(), lyra_constraint_def_default()};
    const LyraSelectHalfSpace halves[2] = {{{-0.99, 0, 0}, {-1, 0, 0}}, {{0.99, 0, 0}, {1, 0, 0}}};
    LyraWorld *world = NULL;
    def.time.dt = 0.01;
    TEST_OK(lyra_world_create(ctx, &def, &world));
    shape.size[0] = 2;
    shape.cells[0] = 2;
    shape.cells[1] = shape.cells[2] = 1;
    series.model = model;
    series.branches = branches;
    series.branch_count = count;
    body.name = "bar";
    body.generate = &shape;
    body.material.model = "hencky";
    body.material.young = 1e6;
    body.material.poisson = 0.25;
    body.material.viscoelasticity = &series;
    TEST_OK(lyra_world_add_body(world, &body, NULL));
    for (int e = 0; e < 2; ++e) {
        ends[e].select.half_space = &halves[e];
        if (e == 1) {
            ends[e].displacement[0] = lyra_curve_expression("0.3*ramp(t/0.05)");
        }
        TEST_OK(lyra_world_add_constraint(world, &ends[e]));
    }
    return world;
}

LYRA_TEST(series_of_scenes_are_those_of_c)
{
    REQUIRE_YAML();
    static const LyraRelaxationBranch prony[] = {{0.1, 0.5, 0.25}, {0.02, 1, 0}};
    static const LyraRelaxationBranch maxwell[] = {{0.1, 2e5, 0}};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *scenes[2] = {
        make_bar(ctx, "tet", "",
                 "    viscosity:\n"
                 "      model: prony\n"
                 "      shear: [{time: 0.1 s, share: 0.5}, {time: 20 ms, share: 1}]\n"
                 "      bulk: [{time: 0.1 s, share: 0.25}]\n"),
        make_bar(ctx, "tet", "",
                 "    viscosity: {model: maxwell, shear: [{time: 0.1, modulus: 0.2 MPa}]}\n"),
    };
    for (int i = 0; i < 2; ++i) {
        LyraWorld *world =
            make_bar_in_c(ctx, i == 0 ? LYRA_RELAXATION_PRONY : LYRA_RELAXATION_MAXWELL,
                          i == 0 ? prony : maxwell, i == 0 ? 2 : 1);
        TEST_REQUIRE(world && scenes[i]);
        run(world, 8);
        run(scenes[i], 8);
        TEST_CHECK_MSG(difference(world, scenes[i]) < 1e-12, "series %d", i);
        lyra_world_destroy(world);
        lyra_world_destroy(scenes[i]);
    }
    test_context_end(ctx);
}

// g_i of Abaqus, and series of Lame's coefficients: lambda = mu = 0.4 MPa, K = 5/3 of it
LYRA_TEST(series_may_be_told_in_other_ways)
{
    REQUIRE_YAML();
    static const char *const told[] = {
        "shear: [{time: 0.1, share: 0.5}, {time: 0.02, share: 0.5}], "
        "bulk: [{time: 0.1, share: 0.5}, {time: 0.02, share: 0.5}]",
        "shear: [{time: 0.1, instant-share: 0.25}, {time: 0.02, instant-share: 0.25}], "
        "bulk: [{time: 0.02, instant-share: 0.25}, {time: 0.1, instant-share: 0.25}]",
        "mu-terms: [{time: 0.1, share: 0.5}, {time: 0.02, share: 0.5}], "
        "lambda-terms: [{time: 0.1, share: 0.5}, {time: 0.02, share: 0.5}]",
        // lambda alone: 3/5 of it in K
        "lambda-terms: [{time: 0.1, share: 0.5}]", "bulk: [{time: 0.1, share: 0.3}]",
        // each coefficient of the law
        "coefficients: [{coefficient: mu, time: 0.1, share: 0.5}, "
        "{coefficient: lambda, time: 0.1, share: 0.5}, {coefficient: mu, time: 0.02, share: 0.5}, "
        "{coefficient: lambda, time: 0.02, share: 0.5}]"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *worlds[6];
    for (int i = 0; i < 6; ++i) {
        char body[400];
        snprintf(body, sizeof body, "    viscosity: {model: prony, %s}\n", told[i]);
        worlds[i] = make_bar(ctx, "hex", "", body);
        TEST_REQUIRE(worlds[i]);
        run(worlds[i], 5);
    }
    TEST_CHECK(difference(worlds[0], worlds[1]) < 1e-9);
    TEST_CHECK(difference(worlds[0], worlds[2]) < 1e-9);
    TEST_CHECK(difference(worlds[3], worlds[4]) < 1e-9);
    TEST_CHECK(difference(worlds[0], worlds[4]) > 1e-5);
    TEST_CHECK(difference(worlds[0], worlds[5]) < 1e-9);
    for (int i = 0; i < 6; ++i) {
        lyra_world_destroy(worlds[i]);
    }
    test_context_end(ctx);
}

static double parameter_of(const LyraWorld *world, const char *name, int32_t element)
{
    double values[64] = {0};
    LyraForceGroup group;
    TEST_CHECK(lyra_model_group(lyra_world_view(world).model, 0, &group));
    TEST_CHECK(group.stencil_count <= 64);
    TEST_OK(lyra_model_get_parameter(lyra_world_view(world).model, 0, name, values));
    return values[element];
}

// the law takes what the fit leaves at rest, so that the modulus at the reference is that of young
LYRA_TEST(constant_q_has_its_moduli_at_the_reference)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraPronySeries fit;
    LyraWorld *world = make_bar(ctx, "tet", "",
                                "    viscosity: {model: constant-q, q: 4.8, band: [0.1 Hz, 10 kHz],"
                                " reference: 2 Hz, branches: 5}\n");
    TEST_REQUIRE(world);
    run(world, 2);
    TEST_OK(lyra_fit_constant_q(ctx, 4.8, 0.1, 1e4, 1, 2, 5, &fit));
    TEST_NEAR(fit.equilibrium, 0.603, 0.001);
    TEST_NEAR(parameter_of(world, "mu", 0), fit.equilibrium * 4e5, 1e-6);
    LyraStepReport report;
    TEST_OK(lyra_world_step(world, &report));
    TEST_CHECK(report.dissipated > 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(series_and_flow_work_on_all_elements)
{
    REQUIRE_YAML();
    static const char *const elements[] = {"tet", "cube", "tet10", "hex"};
    static const char *const bodies[] = {
        "    viscosity: {model: prony, shear: [{time: 0.1, share: 1}]}\n",
        "    viscosity: {model: maxwell, shear: [{time: 0.1, modulus: 4e5}]}\n",
        "    viscosity: {model: constant-q, q: 3}\n", ""};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int e = 0; e < 4; ++e) {
        for (int b = 0; b < 4; ++b) {
            const char *flow = ", plasticity: {table: [{strain: 0, stress: 50 kPa}, "
                               "{strain: 0.1, stress: 60 kPa}]}";
            LyraWorld *world = make_bar(ctx, elements[e], b == 3 ? flow : "", bodies[b]);
            LyraStepReport report = {0};
            double lost = 0;
            for (int n = 0; world && n < 8; ++n) {
                TEST_OK(lyra_world_step(world, &report));
                lost += report.dissipated;
            }
            TEST_CHECK_MSG(lost > 100, "%s %d lost %g", elements[e], b, lost);
            lyra_world_destroy(world);
        }
    }
    test_context_end(ctx);
}

// ---- damping ------------------------------------------------------------------------------------

LYRA_TEST(stretch_rate_damps_a_body_alone)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const bodies[] = {
        "", "    damping: {stretch-rate: {shear: 1 kPa s, volume: 500 Pa s}}\n",
        "    damping: {stretch-rate: {shear: 1 kPa s, volume: 500 Pa s, irving: true}}\n"};
    double lost[3] = {0};
    for (int b = 0; b < 3; ++b) {
        LyraWorld *world = make_bar(ctx, "tet", "", bodies[b]);
        LyraStepReport report = {0};
        for (int n = 0; world && n < 8; ++n) {
            TEST_OK(lyra_world_step(world, &report));
            lost[b] += report.dissipated;
        }
        lyra_world_destroy(world);
    }
    TEST_EQUAL(lost[0], 0);
    TEST_CHECK(lost[1] > 1 && lost[2] > 1 && lost[1] != lost[2]);
    test_context_end(ctx);
}

// ---- flow ---------------------------------------------------------------------------------------

static const char flow[] = ", plasticity: {yield-stress: 50 kPa}";

LYRA_TEST(regions_have_strengths_of_their_own)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world =
        make_bar(ctx, "cube", flow,
                 "    regions:\n"
                 "      - select: {half-space: {point: [0, 0, 0], normal: [1, 0, 0]}}\n"
                 "        parameters: {yield: 2e4, hardening: 3}\n");
    TEST_REQUIRE(world);
    run(world, 1);
    TEST_EQUAL(parameter_of(world, "yield", 0), 5e4);
    TEST_EQUAL(parameter_of(world, "yield", 1), 2e4);
    TEST_EQUAL(parameter_of(world, "hardening", 0), 0);
    TEST_EQUAL(parameter_of(world, "hardening", 1), 3);
    // moduli that are turned leave them
    TEST_OK(lyra_world_set(world, "bodies.bar.material.young", 2e6));
    TEST_EQUAL(parameter_of(world, "yield", 0), 5e4);
    TEST_EQUAL(parameter_of(world, "yield", 1), 2e4);
    TEST_NEAR(parameter_of(world, "mu", 1), 8e5, 1e-6);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(a_part_of_a_body_melts)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_bar(ctx, "cube", flow,
                                "changes:\n"
                                "  - parameter: bodies.bar.material.yield\n"
                                "    value: 50000*(1 - ramp(t/0.1))\n"
                                "    select: {half-space: {point: [0, 0, 0], normal: [1, 0, 0]}}\n"
                                "  - {parameter: hardening, value: 1000}\n");
    TEST_REQUIRE(world);
    run(world, 4);
    TEST_EQUAL(parameter_of(world, "yield", 0), 5e4);
    TEST_NEAR(parameter_of(world, "yield", 1), 3e4, 1e-6);
    TEST_EQUAL(parameter_of(world, "hardening", 1), 1000);
    run(world, 10);
    TEST_EQUAL(parameter_of(world, "yield", 1), 0);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// what a change takes is told, and series beside a law follow its modulus
LYRA_TEST(changes_of_the_modulus_do_work_on_law_and_series)
{
    REQUIRE_YAML();
    static const char *const models[] = {"hencky", "corotational-exact"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int m = 0; m < 2; ++m) {
        char text[1200];
        LyraWorld *world = NULL;
        LyraStepReport report = {0}, before;
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - name: bar\n"
                 "    generate: {size: [2, 1, 1], cells: [2, 1, 1], element: tet}\n"
                 "    material: {model: %s, young: 1 MPa, poisson: 0.25}\n"
                 "    viscosity: {model: prony, shear: [{time: 1e6, share: 1}], "
                 "bulk: [{time: 1e6, share: 1}]}\n"
                 "changes:\n"
                 "  - parameter: bodies.bar.material.young\n"
                 "    factor: 1 + ramp((t - 0.55)/0.01)\n"
                 "constraints:\n"
                 "  - select: {half-space: {point: [-0.99, 0, 0], normal: [-1, 0, 0]}}\n"
                 "  - select: {half-space: {point: [0.99, 0, 0], normal: [1, 0, 0]}}\n"
                 "    displacement: [0.3*ramp(t/0.3), 0, 0]\n"
                 "integrator: {name: static}\n"
                 "time: {dt: 100 ms}\n",
                 models[m]);
        TEST_OK(load_text(ctx, text, &world));
        TEST_REQUIRE(world);
        double change = 0;
        for (int n = 0; n < 6; ++n) {
            before = report;
            TEST_OK(lyra_world_step(world, &report));
            TEST_EQUAL(report.change, n == 5 ? report.change : 0);
            change += report.change;
        }
        // twice the modulus, twice the energy: of the law, and of the branch that has not relaxed
        TEST_NEAR(change, before.elastic, 1e-6 * before.elastic);
        TEST_NEAR(report.elastic, 2 * before.elastic, 1e-6 * before.elastic);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

// saves the mesh of the bar twice as long, and the strain of that
static void save_goals(LyraContext *ctx)
{
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    LyraMesh *mesh = NULL;
    LyraDense *strain = NULL;
    shape.size[0] = 4;
    shape.cells[0] = 2;
    shape.cells[1] = shape.cells[2] = 1;
    TEST_OK(lyra_mesh_generate(ctx, &shape, &mesh));
    TEST_OK(lyra_mesh_save(mesh, test_temp_path("goal.veg"), LYRA_MESH_FORMAT_AUTO));
    int32_t count = lyra_mesh_view(mesh).element_count;
    TEST_OK(lyra_dense_create(ctx, count, 6, &strain));
    for (int32_t e = 0; e < count; ++e) {
        lyra_dense_values(strain)[e] = log(2);
    }
    TEST_OK(lyra_dense_save_npy(ctx, test_temp_path("goal.npy"), LYRA_NPY_ROW_MAJOR,
                                lyra_dense_view(strain)));
    lyra_dense_destroy(strain);
    lyra_mesh_destroy(mesh);
}

LYRA_TEST(goals_by_mesh_strain_and_scale_are_one)
{
    REQUIRE_YAML();
    static const char *const goals[] = {"{mesh: goal.veg}", "{strain-file: goal.npy}",
                                        "{scale: [2, 1, 1]}", "{scale: [0.5, 1, 1]}"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *worlds[4];
    save_goals(ctx);
    for (int i = 0; i < 4; ++i) {
        char body[200];
        snprintf(body, sizeof body, "    goal: %s\n", goals[i]);
        worlds[i] =
            make_bar(ctx, "tet", ", plasticity: {yield: deformation, yield-strain: 0.02}", body);
        TEST_REQUIRE(worlds[i]);
        run(worlds[i], 10);
    }
    TEST_CHECK(difference(worlds[0], worlds[1]) < 1e-9);
    TEST_CHECK(difference(worlds[0], worlds[2]) < 1e-9);
    // away from the goal nothing flows
    TEST_CHECK(difference(worlds[0], worlds[3]) > 1e-4);
    LyraWorld *elastic = make_bar(ctx, "tet", "", "");
    run(elastic, 10);
    TEST_CHECK(difference(elastic, worlds[3]) < 0.1 * difference(elastic, worlds[0]));
    lyra_world_destroy(elastic);
    for (int i = 0; i < 4; ++i) {
        lyra_world_destroy(worlds[i]);
    }
    test_context_end(ctx);
}

// ---- what is refused ----------------------------------------------------------------------------

LYRA_TEST(wrong_memories_are_refused_with_one_sentence)
{
    REQUIRE_YAML();
    static const struct {
        const char *element, *material, *body, *message;
    } cases[] = {
        {"tet", "", "    viscosity: {model: prony}\n", "found no term of a series"},
        {"tet", "", "    viscosity: {model: prony, shear: [{time: 1}]}\n", "no modulus of a term"},
        {"tet", "", "    viscosity: {model: prony, shear: [{time: 1, share: 1, modulus: 1}]}\n",
         "several moduli"},
        {"tet", "", "    viscosity: {model: prony, shear: [{time: 1, modulus: 1}]}\n",
         "a modulus of another kind, expected share"},
        {"tet", "", "    viscosity: {model: maxwell, shear: [{time: 1, share: 1}]}\n",
         "expected modulus"},
        {"tet", "",
         "    viscosity: {model: prony, bulk: [{time: 1, instant-share: 0.6},"
         " {time: 2, instant-share: 0.4}]}\n",
         "instant shares of 1 together, expected less than 1"},
        {"tet", "",
         "    viscosity: {model: prony, mu-terms: [{time: 1, share: 1}],"
         " bulk: [{time: 1, share: 1}]}\n",
         "Lame's coefficients beside shear or bulk"},
        {"tet", "", "    viscosity: {model: prony, mu: 3}\n", "with model strain-rate only"},
        {"tet", "", "    viscosity: {model: constant-q, band: [2, 1]}\n", "a band that ascends"},
        {"tet", "", "    viscosity: {model: constant-q, band: [2]}\n", "two numbers [low, high]"},
        {"cube", "", "    viscosity: {mu: 3}\n", "viscosity"},
        {"hex", "", "    damping: {stretch-rate: {shear: 1}}\n", "tets"},
        {"tet", flow, "    viscosity: {model: prony, shear: [{time: 1, share: 1}]}\n",
         "no plasticity"},
        {"tet", "", "    goal: {scale: 2}\n", "without plasticity"},
        {"tet", flow, "    goal: {scale: 2}\n", "needs the yield criterion deformation"},
        {"tet", ", plasticity: {yield: deformation}",
         "    goal: {mesh: goal.veg, "
         "strain-file: goal.npy}\n",
         "several goals"},
        {"hex", ", plasticity: {yield: deformation}", "    goal: {mesh: goal.veg}\n",
         "expected 2 of kind hex"},
        {"hex", ", plasticity: {yield: deformation}", "    goal: {strain-file: goal.npy}\n",
         "expected 2 rows of 6"},
        {"tet", flow, "    regions: [{select: {all: true}, parameters: {yeld: 1}}]\n",
         "found \"yeld\", expected one of: "},
        {"tet", flow, "    regions: [{select: {all: true}, parameters: {yield: -1}}]\n",
         "found -1 for yield"},
        {"tet", ", plasticity: {table: [{strain: 0, stress: 2}, {strain: 1, stress: 1}]}", "",
         "row 1 of the table"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    save_goals(ctx);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1500];
        LyraWorld *world = NULL;
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - name: bar\n"
                 "    generate: {size: [2, 1, 1], cells: [2, 1, 1], element: %s}\n"
                 "    material: {model: hencky, young: 1 MPa, poisson: 0.25%s}\n%s",
                 cases[i].element, cases[i].material, cases[i].body);
        LyraStatus status = load_text(ctx, text, &world);
        TEST_CHECK_MSG(status != LYRA_OK && !world, "case %d", (int)i);
        TEST_CHECK_MSG(strstr(lyra_error_message(), cases[i].message), "case %d: %s", (int)i,
                       lyra_error_message());
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

LYRA_TEST(statics_refuse_flow_at_the_end_of_a_step)
{
    REQUIRE_YAML();
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_bar(ctx, "tet", ", plasticity: {yield: deformation, yield-strain: 0.1}",
                                "integrator: {name: static}\n");
    TEST_REQUIRE(world);
    TEST_STATUS(lyra_world_step(world, NULL), LYRA_UNSUPPORTED);
    TEST_CONTAINS(lyra_error_message(), "flows at the end of a step alone");
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// ---- running ------------------------------------------------------------------------------------

static const char *const memories[][2] = {
    {", plasticity: {yield-stress: 50 kPa, hardening: 10 kPa, viscosity: 1 kPa s}", ""},
    {", plasticity: {yield-stress: 50 kPa, kinematic-hardening: 100 kPa}", ""},
    {"", "    viscosity: {model: prony, shear: [{time: 0.1, share: 1}]}\n"},
    {"", "    viscosity: {model: maxwell, shear: [{time: 0.1, modulus: 4e5}]}\n"},
};

#define MEMORIES ((int)(sizeof memories / sizeof *memories))

LYRA_TEST(all_integrators_and_statics_move_what_remembers)
{
    REQUIRE_YAML();
    static const struct {
        const char *name;
        const char *dt;
    } methods[] = {{"symplectic-euler", "0.5 ms"},
                   {"central-differences", "0.5 ms"},
                   {"explicit-implicit-newmark", "0.5 ms"},
                   {"verlet", "0.5 ms"},
                   {"backward-euler", "1 ms"},
                   {"implicit-midpoint", "1 ms"},
                   {"newmark", "1 ms"},
                   {"bdf2", "1 ms"},
                   {"static", "10 ms"}};
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int m = 0; m < MEMORIES; ++m) {
        double lost[9] = {0};
        for (int i = 0; i < 9; ++i) {
            char body[400];
            snprintf(body, sizeof body, "%sintegrator: {name: %s}\ndamping: {mass: 2}\n",
                     memories[m][1], methods[i].name);
            LyraWorld *world = make_bar(ctx, "tet", memories[m][0], body);
            char path[64];
            LyraStepReport report = {0};
            snprintf(path, sizeof path, "time.dt");
            TEST_REQUIRE(world);
            TEST_OK(lyra_world_set(world, path, strtod(methods[i].dt, NULL) / 1000));
            while (lyra_world_time(world) < 0.0799) {
                LyraStatus status = lyra_world_step(world, &report);
                TEST_CHECK_MSG(status == LYRA_OK, "%s, memory %d: %s", methods[i].name, m,
                               lyra_error_message());
                if (status != LYRA_OK) {
                    break;
                }
                lost[i] += report.dissipated;
            }
            TEST_CHECK_MSG(lost[i] > 0 && isfinite(lost[i]), "%s, memory %d lost %g",
                           methods[i].name, m, lost[i]);
            lyra_world_destroy(world);
        }
        // all dynamic ones tell the same
        for (int i = 1; i < 8; ++i) {
            TEST_CHECK_MSG(fabs(lost[i] / lost[0] - 1) < 0.05, "%s, memory %d: %g, %g",
                           methods[i].name, m, lost[i], lost[0]);
        }
    }
    test_context_end(ctx);
}

LYRA_TEST(what_remembers_has_the_same_bits_at_any_thread_count)
{
    REQUIRE_YAML();
    static const int threads[] = {1, 2, 3, 7};
    for (int m = 0; m < MEMORIES; ++m) {
        LyraContext *contexts[4];
        LyraWorld *worlds[4];
        for (int i = 0; i < 4; ++i) {
            contexts[i] = test_context(threads[i], LYRA_ISA_AUTO);
            worlds[i] = make_bar(contexts[i], "tet", memories[m][0], memories[m][1]);
            TEST_REQUIRE(worlds[i]);
            run(worlds[i], 4);
            TEST_CHECK_MSG(same(worlds[0], worlds[i]), "memory %d with %d threads", m, threads[i]);
        }
        for (int i = 0; i < 4; ++i) {
            lyra_world_destroy(worlds[i]);
            test_context_end(contexts[i]);
        }
    }
}

// a body of length L with times in proportion: u/L is the same
LYRA_TEST(what_remembers_does_not_know_its_size)
{
    REQUIRE_YAML();
    static const double scales[] = {1, 1e-3, 1e3};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int m = 0; m < MEMORIES; ++m) {
        double u[3][36];
        for (int s = 0; s < 3; ++s) {
            double L = scales[s];
            char text[2000], memory[300], material[300];
            LyraWorld *world = NULL;
            // relaxation times and viscosities go as times do
            memory[0] = material[0] = '\0';
            if (m == 0) {
                snprintf(material, sizeof material,
                         ", plasticity: {yield-stress: 50 kPa, hardening: 10 kPa, viscosity: %g}",
                         1000 * L);
            } else if (m == 1) {
                snprintf(material, sizeof material,
                         ", plasticity: {yield-stress: 50 kPa, kinematic-hardening: 100 kPa}");
            } else if (m == 2) {
                snprintf(memory, sizeof memory,
                         "    viscosity: {model: prony, shear: [{time: %g, share: 1}]}\n", 0.1 * L);
            } else if (m == 3) {
                snprintf(memory, sizeof memory,
                         "    viscosity: {model: maxwell, shear: [{time: %g, modulus: 4e5}]}\n",
                         0.1 * L);
            }
            snprintf(text, sizeof text,
                     "bodies:\n"
                     "  - name: bar\n"
                     "    generate: {size: [%g, %g, %g], cells: [2, 1, 1], element: tet}\n"
                     "    material: {model: hencky, young: 1 MPa, poisson: 0.25%s}\n%s"
                     "constraints:\n"
                     "  - select: {half-space: {point: [%g, 0, 0], normal: [-1, 0, 0]}}\n"
                     "  - select: {half-space: {point: [%g, 0, 0], normal: [1, 0, 0]}}\n"
                     "    displacement: [%g*ramp(t/%g), 0, 0]\n"
                     "time: {dt: %g}\n",
                     2 * L, L, L, material, memory, -0.99 * L, 0.99 * L, 0.3 * L, 0.05 * L,
                     0.01 * L);
            TEST_OK(load_text(ctx, text, &world));
            TEST_REQUIRE(world);
            run(world, 8);
            LyraStateView view = lyra_state_view(lyra_world_view(world).state);
            TEST_REQUIRE(lyra_vector_size(view.u) == 36);
            for (int i = 0; i < 36; ++i) {
                u[s][i] = lyra_vector_values(view.u)[i] / L;
                TEST_CHECK_MSG(fabs(u[s][i] - u[0][i]) < 1e-6, "memory %d at %g m: %g, %g", m, L,
                               u[s][i], u[0][i]);
            }
            lyra_world_destroy(world);
        }
    }
    test_context_end(ctx);
}

// elements turned inside out or flattened at the start come back, whatever the material remembers
LYRA_TEST(inverted_and_collapsed_bodies_flow_without_harm)
{
    REQUIRE_YAML();
    static const char *const starts[] = {"scale: [1, -0.5, 1]", "scale: [1, 0, 1]", "scale: 0"};
    static const char *const flows[][2] = {
        {", plasticity: {yield-stress: 50 kPa, hardening: 10 kPa}", ""},
        {", plasticity: {yield: deformation, yield-strain: 0.2}", ""},
        {"", "    viscosity: {model: prony, shear: [{time: 0.1, share: 1}]}\n"},
        {"", "    viscosity: {model: maxwell, shear: [{time: 0.1, modulus: 4e5}]}\n"},
    };
    LyraContext *ctx = test_context(2, LYRA_ISA_AUTO);
    for (int m = 0; m < 4; ++m) {
        for (int s = 0; s < 3; ++s) {
            char text[1500];
            LyraWorld *world = NULL;
            LyraStepReport report = {0};
            snprintf(text, sizeof text,
                     "bodies:\n"
                     "  - name: cube\n"
                     "    generate: {cells: [2, 2, 2], element: tet}\n"
                     "    material: {model: hencky, young: 1 MPa, poisson: 0.25%s}\n%s"
                     "    start: {%s}\n"
                     "damping: {mass: 5}\n"
                     "time: {dt: 5 ms}\n",
                     flows[m][0], flows[m][1], starts[s]);
            TEST_OK(load_text(ctx, text, &world));
            for (int n = 0; world && n < 200; ++n) {
                LyraStatus status = lyra_world_step(world, &report);
                TEST_CHECK_MSG(status == LYRA_OK, "memory %d, start %d: %s", m, s,
                               lyra_error_message());
                if (status != LYRA_OK) {
                    break;
                }
            }
            TEST_CHECK_MSG(report.inverted == 0 && report.min_det > 0.01,
                           "memory %d, start %d: %d inverted, det F %g", m, s, (int)report.inverted,
                           report.min_det);
            lyra_world_destroy(world);
        }
    }
    test_context_end(ctx);
}
