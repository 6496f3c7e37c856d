// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Probes: what they say is what the state, the fields and the reactions have, they move nothing,
// and what makes no sense is refused.

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG 1e5
#define LENGTH 0.4
#define SIDE 0.1

static const LyraSelectHalfSpace left = {{-0.199, 0, 0}, {-1, 0, 0}};
static const LyraSelectHalfSpace right = {{0.199, 0, 0}, {1, 0, 0}};

static LyraSelector of_half_space(const LyraSelectHalfSpace *half_space)
{
    LyraSelector select = lyra_selector_default();
    select.half_space = half_space;
    return select;
}

// a bar along x whose ends are held, the right one moved along x by 1 cm in a step; `integrator`:
// NULL: as by default
static LyraWorld *make_bar(LyraContext *ctx, const char *integrator)
{
    LyraWorldDef settings = lyra_world_def_default();
    settings.integrator.name = integrator ? integrator : settings.integrator.name;
    settings.solver.name = "pcg";
    LyraWorld *world = NULL;
    TEST_OK(lyra_world_create(ctx, &settings, &world));
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    const int32_t cells[3] = {4, 2, 2};
    const double size[3] = {LENGTH, SIDE, SIDE};
    memcpy(box.cells, cells, sizeof cells);
    memcpy(box.size, size, sizeof size);
    LyraBodyDef bar = lyra_body_def_default();
    bar.name = "bar";
    bar.generate = &box;
    bar.material.young = YOUNG;
    bar.material.poisson = 0.3;
    TEST_OK(lyra_world_add_body(world, &bar, NULL));
    LyraConstraintDef held = lyra_constraint_def_default();
    held.select = of_half_space(&left);
    TEST_OK(lyra_world_add_constraint(world, &held));
    held.select = of_half_space(&right);
    held.displacement[0] = lyra_curve_expression("t");
    TEST_OK(lyra_world_add_constraint(world, &held));
    return world;
}

static int32_t add(LyraWorld *world, LyraProbeQuantity quantity, const LyraSelector *select,
                   LyraProbeReduce reduce, LyraProbeComponent component)
{
    LyraProbeDef def = lyra_probe_def_default();
    int32_t index = -1;
    def.quantity = quantity;
    def.select = select;
    def.reduce = reduce;
    def.component = component;
    TEST_OK(lyra_world_add_probe(world, &def, &index));
    return index;
}

static LyraProbeView look(LyraWorld *world, int32_t index)
{
    LyraProbeView view = {0};
    TEST_OK(lyra_world_probe(world, index, &view));
    return view;
}

static double value(LyraWorld *world, int32_t index)
{
    LyraProbeView view = look(world, index);
    TEST_EQUAL(view.count, 1);
    return view.values[0];
}

LYRA_TEST(vertices_say_what_the_state_has)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_bar(ctx, NULL);
    LyraSelector end = of_half_space(&right);
    LyraSelectNear near = {.point = {0.2, 0.05, 0.05}, .distance = NAN, .count = 1};
    LyraSelector corner = lyra_selector_default();
    corner.near = &near;
    int32_t mean = add(world, LYRA_PROBE_DISPLACEMENT, &end, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
    int32_t sum = add(world, LYRA_PROBE_DISPLACEMENT, &end, LYRA_PROBE_SUM, LYRA_PROBE_X);
    int32_t place = add(world, LYRA_PROBE_POSITION, &corner, LYRA_PROBE_POINT, LYRA_PROBE_WHOLE);
    int32_t speed = add(world, LYRA_PROBE_VELOCITY, NULL, LYRA_PROBE_MAX, LYRA_PROBE_WHOLE);
    int32_t low = add(world, LYRA_PROBE_POSITION, NULL, LYRA_PROBE_MIN, LYRA_PROBE_Y);
    int32_t length = add(world, LYRA_PROBE_VELOCITY, NULL, LYRA_PROBE_MEAN, LYRA_PROBE_LENGTH);
    for (int step = 0; step < 3; ++step) {
        TEST_OK(lyra_world_step(world, NULL));
    }
    LyraWorldView view = lyra_world_view(world);
    LyraModelView model = lyra_model_view(view.model);
    const double *u = lyra_vector_values(lyra_state_view(view.state).u);
    const double *v = lyra_vector_values(lyra_state_view(view.state).v);
    double fastest = 0, lowest = INFINITY, drift[3] = {0};
    for (int32_t i = 0; i < model.vertex_count; ++i) {
        fastest = fmax(fastest, hypot(hypot(v[3 * i], v[3 * i + 1]), v[3 * i + 2]));
        lowest = fmin(lowest, model.positions[3 * i + 1] + u[3 * i + 1]);
        for (int c = 0; c < 3; ++c) {
            drift[c] += v[3 * i + c] / model.vertex_count;
        }
    }
    LyraProbeView found = look(world, mean);
    TEST_EQUAL(found.count, 3);
    TEST_STRING(found.name, "probe1");
    TEST_STRING(found.unit, "m");
    TEST_NEAR(found.values[0], 0.03, 1e-15);
    TEST_NEAR(found.values[1], 0, 1e-15);
    TEST_NEAR(value(world, sum), 9 * 0.03, 1e-14);
    found = look(world, place);
    TEST_NEAR(found.values[0], 0.23, 1e-15);
    TEST_NEAR(found.values[1], 0.05, 1e-15);
    TEST_CHECK(fastest > 1e-3);
    TEST_NEAR(value(world, speed), fastest, 1e-12 * fastest);
    TEST_STRING(look(world, speed).unit, "m/s");
    TEST_NEAR(value(world, low), lowest, 1e-15);
    double size = hypot(hypot(drift[0], drift[1]), drift[2]);
    TEST_NEAR(value(world, length), size, 1e-12 * size);
    TEST_EQUAL(lyra_world_probe_count(world), 6);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(forces_and_elements_balance_in_statics)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_bar(ctx, "static");
    LyraSelector ends[2] = {of_half_space(&left), of_half_space(&right)};
    LyraSelectBox box = {{-0.11, -1, -1}, {0.11, 1, 1}};
    LyraSelector middle = lyra_selector_default();
    middle.box = &box;
    int32_t pulls[2] = {
        add(world, LYRA_PROBE_REACTION, &ends[0], LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE),
        add(world, LYRA_PROBE_REACTION, &ends[1], LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE)};
    int32_t energy = add(world, LYRA_PROBE_ENERGY, NULL, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
    int32_t stress = add(world, LYRA_PROBE_STRESS, NULL, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
    int32_t inside = add(world, LYRA_PROBE_STRESS, &middle, LYRA_PROBE_MEAN, LYRA_PROBE_WHOLE);
    int32_t least = add(world, LYRA_PROBE_STRESS, &middle, LYRA_PROBE_MIN, LYRA_PROBE_WHOLE);
    int32_t volume = add(world, LYRA_PROBE_VOLUME, NULL, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
    TEST_NEAR(value(world, volume), LENGTH * SIDE * SIDE, 1e-16);
    TEST_NEAR(value(world, energy), 0, 1e-15);
    TEST_OK(lyra_world_step(world, NULL));
    LyraProbeView found = look(world, pulls[0]), other = look(world, pulls[1]);
    double pull = other.values[0];
    TEST_STRING(found.unit, "N");
    // about E A e, more as the ends may not shrink
    TEST_CHECK_MSG(pull > 0.9 * YOUNG * SIDE * SIDE * 0.025 &&
                       pull < 1.3 * YOUNG * SIDE * SIDE * 0.025,
                   "%g N", pull);
    for (int c = 0; c < 3; ++c) {
        TEST_NEAR(found.values[c] + other.values[c], 0, 1e-6 * pull);
    }
    LyraEnergies energies;
    TEST_OK(lyra_world_energies(world, &energies));
    TEST_NEAR(value(world, energy), energies.elastic, 1e-12 * energies.elastic);

    // the fields of the library, one by one
    LyraWorldView view = lyra_world_view(world);
    LyraMeshView mesh = lyra_mesh_view(view.bodies[0].mesh);
    LyraFields *fields = NULL;
    TEST_OK(lyra_fields_create(ctx, view.model, view.bodies[0].mesh, 0, &fields));
    double *numbers = calloc(3 * (size_t)mesh.element_count, sizeof *numbers), most = 0, now = 0;
    double *det = numbers + mesh.element_count, *rest = det + mesh.element_count;
    const LyraElementFields out = {.von_mises = numbers, .det = det};
    TEST_OK(lyra_fields_evaluate(fields, view.state, &out));
    lyra_mesh_element_volumes(view.bodies[0].mesh, rest);
    for (int32_t e = 0; e < mesh.element_count; ++e) {
        most = fmax(most, numbers[e]);
        now += det[e] * rest[e];
    }
    TEST_NEAR(value(world, stress), most, 1e-12 * most);
    TEST_CHECK(value(world, inside) < most && value(world, least) <= value(world, inside));
    TEST_NEAR(value(world, inside), YOUNG * 0.025, 0.1 * YOUNG * 0.025);
    TEST_NEAR(value(world, volume), now, 1e-14);
    TEST_CHECK(fabs(now - LENGTH * SIDE * SIDE) > 1e-5);
    lyra_fields_destroy(fields);
    free(numbers);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(loads_and_distances_are_those_of_selections)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_bar(ctx, NULL);
    LyraSelector ends[2] = {of_half_space(&left), of_half_space(&right)}, all;
    all = lyra_selector_default();
    all.all = true;
    LyraLoadDef load = lyra_load_def_default();
    load.select = all;
    load.force[1] = lyra_curve_constant(6);
    load.total = true;
    TEST_OK(lyra_world_add_load(world, &load));
    LyraProbeEnd other = {.body = "bar", .select = ends[1]};
    LyraProbeDef def = lyra_probe_def_default();
    def.name = "reach";
    def.quantity = LYRA_PROBE_DISTANCE;
    def.select = &ends[0];
    def.to = &other;
    TEST_OK(lyra_world_add_probe(world, &def, NULL));
    int32_t push = add(world, LYRA_PROBE_FORCE, NULL, LYRA_PROBE_AUTO, LYRA_PROBE_Y);
    TEST_NEAR(value(world, 0), 0.4, 1e-15);
    TEST_OK(lyra_world_step(world, NULL));
    TEST_NEAR(value(world, 0), 0.41, 1e-15);
    TEST_STRING(look(world, 0).name, "reach");
    TEST_NEAR(value(world, push), 6, 1e-12);
    lyra_world_destroy(world);
    test_context_end(ctx);
}

// 3 x 3 x 3 cubes of 1 m without the one in the middle
static LyraMesh *make_hollow(LyraContext *ctx, const double origin[3])
{
    int32_t voxels[26][3], count = 0;
    for (int32_t i = 0; i < 27; ++i) {
        if (i != 13) {
            voxels[count][0] = i % 3;
            voxels[count][1] = i / 3 % 3;
            voxels[count++][2] = i / 9;
        }
    }
    LyraMesh *mesh = NULL;
    TEST_OK(lyra_mesh_create_from_voxels(ctx, count, voxels[0], origin, 1, &mesh));
    return mesh;
}

LYRA_TEST(volumes_are_those_inside_closed_faces)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int far = 0; far < 2; ++far) {
        const double away = far ? 1e6 + 1.0 / 3 : 0, origin[3] = {away, -2 * away, 3 * away};
        LyraMesh *mesh = make_hollow(ctx, origin);
        LyraWorld *world = NULL;
        TEST_OK(lyra_world_create(ctx, NULL, &world));
        LyraBodyDef body = lyra_body_def_default();
        body.mesh = mesh;
        body.material.young = 1e5;
        body.density = 1000;
        // twice as long along x
        body.start.scale[0] = 2;
        TEST_OK(lyra_world_add_body(world, &body, NULL));
        LyraSelector inner = lyra_selector_default(), outer = inner, open = inner;
        inner.surface = LYRA_SELECT_INNER;
        outer.surface = LYRA_SELECT_OUTER;
        LyraSelectNormal up = {.direction = {0, 0, 1}, .angle = 0.5};
        open.normal = &up;
        open.surface = LYRA_SELECT_SURFACE;
        int32_t cavity = add(world, LYRA_PROBE_VOLUME, &inner, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
        int32_t hull = add(world, LYRA_PROBE_VOLUME, &outer, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
        int32_t all = add(world, LYRA_PROBE_VOLUME, NULL, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
        LyraProbeDef def = lyra_probe_def_default();
        def.quantity = LYRA_PROBE_VOLUME;
        def.select = &open;
        TEST_CHECK(lyra_world_add_probe(world, &def, NULL) != LYRA_OK);
        TEST_CONTAINS(lyra_error_message(), "open edges, expected faces that close");
        TEST_EQUAL(lyra_world_probe_count(world), 3);
        TEST_NEAR(value(world, cavity), 2, 1e-8);
        TEST_NEAR(value(world, hull), 54, 1e-7);
        TEST_NEAR(value(world, all), 52, 1e-7);
        lyra_world_destroy(world);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(points_of_affine_bodies_are_weights)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_OK(lyra_world_create(ctx, NULL, &world));
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    LyraBodyDef stone = lyra_body_def_default();
    stone.name = "stone";
    stone.kind = "affine";
    stone.generate = &box;
    stone.start.velocity[0] = 1;
    stone.start.angular_velocity[2] = 2;
    TEST_OK(lyra_world_add_body(world, &stone, NULL));
    LyraSelectNear near = {.point = {0.5, 0.5, 0.5}, .distance = NAN, .count = 1};
    LyraSelector corner = lyra_selector_default();
    corner.near = &near;
    int32_t place = add(world, LYRA_PROBE_POSITION, &corner, LYRA_PROBE_POINT, LYRA_PROBE_WHOLE);
    int32_t speed = add(world, LYRA_PROBE_VELOCITY, &corner, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
    int32_t force = add(world, LYRA_PROBE_FORCE, NULL, LYRA_PROBE_AUTO, LYRA_PROBE_LENGTH);
    LyraProbeView found = look(world, place);
    for (int c = 0; c < 3; ++c) {
        TEST_NEAR(found.values[c], 0.5, 1e-12);
    }
    found = look(world, speed);
    TEST_NEAR(found.values[0], 1 - 2 * 0.5, 1e-12);
    TEST_NEAR(found.values[1], 2 * 0.5, 1e-12);
    TEST_NEAR(value(world, force), 0, 0);
    LyraProbeDef def = lyra_probe_def_default();
    def.quantity = LYRA_PROBE_STRESS;
    TEST_CHECK(lyra_world_add_probe(world, &def, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "expected a body with elements");
    def.quantity = LYRA_PROBE_REACTION;
    def.select = &corner;
    TEST_CHECK(lyra_world_add_probe(world, &def, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "expected all of it");
    lyra_world_destroy(world);
    test_context_end(ctx);
}

LYRA_TEST(wrong_probes_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = make_bar(ctx, NULL);
    LyraSelector end = of_half_space(&right), far = end, strange = lyra_selector_default();
    LyraSelectHalfSpace beyond = {{9, 0, 0}, {1, 0, 0}};
    far.half_space = &beyond;
    strange.set = "lid";
    LyraProbeEnd to = {.select = far};
    const struct {
        LyraProbeDef def;
        const char *sentence;
    } cases[] = {
        {{.name = ""}, "name: found \"\", expected up to 63 letters"},
        {{.name = "a,b"}, "found \"a,b\", expected up to 63 letters, digits, '-' and '_'"},
        {{.name = "tip"}, "found a second probe called \"tip\""},
        {{.quantity = (LyraProbeQuantity)99}, "quantity: found 99, expected 0 to 21"},
        {{.reduce = (LyraProbeReduce)-1}, "reduce: found -1"},
        {{.component = (LyraProbeComponent)5}, "component: found 5, expected 0 to 4"},
        {{.quantity = LYRA_PROBE_STRESS, .component = LYRA_PROBE_X},
         "component: found \"x\", expected none, as stress is a single number"},
        {{.quantity = LYRA_PROBE_VOLUME, .reduce = LYRA_PROBE_MEAN},
         "reduce: found \"mean\", expected none, as volume is a single number"},
        {{.quantity = LYRA_PROBE_DISTANCE}, "to: found none with quantity distance"},
        {{.to = &to}, "to: found one with quantity displacement"},
        {{.quantity = LYRA_PROBE_DISTANCE, .to = &to}, "to.select"},
        {{.body = "arm"}, "found \"arm\", expected the name of a body: one of: "},
        {{.select = &far}, "found no vertices in the selection"},
        {{.select = &strange}, "select.set: found \"lid\""},
        {{.select = &end, .reduce = LYRA_PROBE_POINT},
         "select: found 9 in the selection, expected one"},
    };
    LyraProbeDef def = lyra_probe_def_default(), loose = {0};
    def.name = "tip";
    TEST_OK(lyra_world_add_probe(world, &def, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        LyraProbeDef wrong = cases[i].def;
        wrong.cookie = def.cookie;
        TEST_CHECK_MSG(lyra_world_add_probe(world, &wrong, NULL) != LYRA_OK, "case %d", (int)i);
        TEST_CONTAINS(lyra_error_message(), cases[i].sentence);
        TEST_EQUAL(lyra_world_probe_count(world), 1);
    }
    TEST_STATUS(lyra_world_add_probe(world, &loose, NULL), LYRA_INVALID_ARGUMENT);
    LyraProbeView view;
    TEST_STATUS(lyra_world_probe(world, 1, &view), LYRA_INVALID_ARGUMENT);
    TEST_STATUS(lyra_world_probe(world, -1, &view), LYRA_INVALID_ARGUMENT);
    lyra_world_destroy(world);
    LyraWorld *empty = NULL;
    TEST_OK(lyra_world_create(ctx, NULL, &empty));
    TEST_CHECK(lyra_world_add_probe(empty, &def, NULL) != LYRA_OK);
    TEST_CONTAINS(lyra_error_message(), "found no bodies");
    lyra_world_destroy(empty);
    test_context_end(ctx);
}

LYRA_TEST(probes_move_nothing_and_may_come_late)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *watched = make_bar(ctx, NULL), *plain = make_bar(ctx, NULL);
    add(watched, LYRA_PROBE_DISPLACEMENT, NULL, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
    for (int step = 0; step < 4; ++step) {
        TEST_OK(lyra_world_step(watched, NULL));
        TEST_OK(lyra_world_step(plain, NULL));
        for (int q = 0; q <= LYRA_PROBE_VOLUME && step == 1; ++q) {
            if (q != LYRA_PROBE_DISTANCE) {
                add(watched, (LyraProbeQuantity)q, NULL, LYRA_PROBE_AUTO, LYRA_PROBE_WHOLE);
            }
        }
        for (int32_t p = 0; p < lyra_world_probe_count(watched); ++p) {
            look(watched, p);
        }
    }
    LyraWorldView a = lyra_world_view(watched), b = lyra_world_view(plain);
    TEST_CHECK(lyra_state_equal(a.state, b.state));
    TEST_CHECK(a.digest == b.digest);
    // nor do they allocate once they are there
    int64_t requests = test_allocation_count();
    for (int32_t p = 0; p < lyra_world_probe_count(watched); ++p) {
        look(watched, p);
    }
    TEST_EQUAL(test_allocation_count(), requests);
    lyra_world_destroy(watched);
    lyra_world_destroy(plain);
    test_context_end(ctx);
}

static LyraStatus add_and_look(LyraContext *ctx, void *data)
{
    LyraWorld *world = data;
    (void)ctx;
    LyraProbeDef def = lyra_probe_def_default();
    LyraProbeView view;
    LyraStatus status = LYRA_OK;
    for (int q = 0; q <= LYRA_PROBE_VOLUME && status == LYRA_OK; ++q) {
        int32_t count = lyra_world_probe_count(world), index = -1;
        def.quantity = (LyraProbeQuantity)q;
        if (q >= LYRA_PROBE_TIE_FORCE || q == LYRA_PROBE_DISTANCE) {
            continue;
        }
        status = lyra_world_add_probe(world, &def, &index);
        TEST_EQUAL(lyra_world_probe_count(world), count + (status == LYRA_OK));
        status = status == LYRA_OK ? lyra_world_probe(world, index, &view) : status;
    }
    return status;
}

static LyraStatus make_and_look(LyraContext *ctx, void *data)
{
    (void)data;
    LyraWorld *world = NULL;
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    box.cells[0] = box.cells[1] = box.cells[2] = 1;
    LyraBodyDef body = lyra_body_def_default();
    body.generate = &box;
    body.material.young = 1e5;
    LyraStatus status = lyra_world_create(ctx, NULL, &world);
    status = status == LYRA_OK ? lyra_world_add_body(world, &body, NULL) : status;
    status = status == LYRA_OK ? add_and_look(ctx, world) : status;
    lyra_world_destroy(world);
    return status;
}

LYRA_TEST(each_allocation_may_fail)
{
    test_fail_each_allocation(make_and_look, NULL);
}
