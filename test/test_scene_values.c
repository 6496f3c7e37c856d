// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The values of scenes in YAML: trees, overrides, units, expressions and curves.

#include "lyra_test.h"
#include "scene/numbers.h"
#include "scene_yaml.h"
#include "world/curve.h"

#include <string.h>

// a context with an arena, and the node of a text
typedef struct Fixture {
    LyraContext *ctx;
    LyraArena *arena;
} Fixture;

static Fixture begin(void)
{
    Fixture fixture = {.ctx = test_context(1, LYRA_ISA_AUTO)};
    TEST_OK(ly_arena_create(fixture.ctx, 0, &fixture.arena));
    return fixture;
}

static void end(Fixture *fixture)
{
    ly_arena_destroy(fixture->ctx, fixture->arena);
    test_context_end(fixture->ctx);
}

static LyraStatus parse(Fixture *fixture, const char *text, LyNode **root)
{
    return ly_tree_parse(fixture->arena, "t.yaml", text, strlen(text), root);
}

LYRA_TEST(units_are_converted_to_si)
{
    REQUIRE_YAML();
    static const struct {
        const char *text, *unit;
        double value;
    } cases[] = {
        {"1 MPa", "Pa", 1e6},
        {"10 ms", "s", 0.01},
        {"5 cm", "m", 0.05},
        {"9.81 m/s^2", "m/s^2", 9.81},
        {"1000 kg/m^3", "kg/m^3", 1e3},
        {"1.2 g/cm^3", "kg/m^3", 1200},
        {"3 kN", "N", 3000},
        {"2 Hz", "1/s", 2},
        {"2 1/s", "1/s", 2},
        {"180 deg", "rad", 3.14159265358979323846},
        {"4 N s/m", "N s/m", 4},
        {"4 kN*s/mm", "N s/m", 4e6},
        {"7", "Pa", 7},
        {"1/60 s", "s", 1.0 / 60},
        {"30 %", "", 0.3},
        {"100 mmHg", "Pa", 13332.2387415},
        {"1 bar", "Pa", 1e5},
        {"2 J/m^3", "Pa", 2},
        {"-3 um", "m", -3e-6},
        {"2*pi rad", "rad", 6.28318530717958647692},
        {"1e-3", "", 1e-3},
        {"5 rad/s", "rad/s", 5},
        {"90 deg/min", "rad/s", 0.02617993877991494},
    };
    Fixture fixture = begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        LyNode *root = NULL;
        double value = NAN;
        TEST_OK(parse(&fixture, cases[i].text, &root));
        TEST_OK(ly_node_number(fixture.arena, root, cases[i].unit, &value));
        TEST_CHECK_MSG(fabs(value - cases[i].value) <= 4e-16 * fabs(cases[i].value), "%s is %.17g",
                       cases[i].text, value);
    }
    end(&fixture);
}

LYRA_TEST(units_of_another_kind_are_refused)
{
    REQUIRE_YAML();
    static const struct {
        const char *text, *unit, *sentence;
    } cases[] = {
        {"1 MPa", "m", "t.yaml:1:1: found \"1 MPa\", expected a number in m or a unit of its kind"},
        {"3 m", "", "t.yaml:1:1: found \"3 m\", expected a number without a unit"},
        {"3 parsec", "m", "t.yaml:1:3: found \"parsec\", expected a unit as m, or nothing more"},
        {"3 m^", "m", "t.yaml:1:3: found \"m^\", expected a unit as m, or nothing more"},
        {"3 m/", "m",
         "t.yaml:1:5: found the end of \"3 m/\", expected a unit as m, or nothing more"},
        {"2*t", "m", "t.yaml:1:1: found \"2*t\", expected a number that does not change with t"},
        {"1/0", "m", "t.yaml:1:1: found \"1/0\", expected a finite number in m"},
        {"[1]", "m", "t.yaml:1:1: found a list of 1, expected a number in m"},
        {"", "m", "t.yaml:1:1: found nothing, expected a number in m"},
    };
    Fixture fixture = begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        LyNode empty = {.where = "t.yaml", .line = 1, .column = 1, .text = ""}, *root = NULL;
        double value = -1;
        TEST_OK(parse(&fixture, cases[i].text, &root));
        TEST_STATUS(ly_node_number(fixture.arena, root ? root : &empty, cases[i].unit, &value),
                    LYRA_BAD_FORMAT);
        TEST_STRING(lyra_error_message(), cases[i].sentence);
        TEST_CHECK(value == -1);
    }
    end(&fixture);
}

LYRA_TEST(expressions_have_their_values)
{
    const double t = 0.7;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"2^-1", 0.5},
        {"8/4/2", 1},
        {"7-4-2", 1},
        {"--3", 3},
        {"0.1*sin(2*pi*t)", 0.1 * sin(2 * 3.14159265358979323846 * t)},
        {"cos(t)+tan(t)", cos(t) + tan(t)},
        {"exp(log(t))*sqrt(t)", exp(log(t)) * sqrt(t)},
        {"abs(-t)", t},
        {"min(t,1)+max(t , 1)", 1.7},
        {"step(t-0.6)+step(t-0.8)", 1},
        {"ramp(t)+ramp(t-1)+ramp(2*t)", 1.7},
        {"t^2.5", pow(t, 2.5)},
        {"2^t", pow(2, t)},
        {"1e3", 1000},
        {".5", 0.5},
    };
    Fixture fixture = begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        LyExpression *expression = NULL;
        const char *stop = NULL, *bad = NULL;
        TEST_OK(ly_expression_parse(fixture.arena, cases[i].text, &stop, &bad, &expression));
        TEST_CHECK(stop && *stop == 0);
        double value = expression ? ly_expression_at(expression, t).value : NAN;
        TEST_CHECK_MSG(fabs(value - cases[i].value) <= 1e-15 * fabs(cases[i].value),
                       "%s is %.17g, not %.17g", cases[i].text, value, cases[i].value);
    }
    end(&fixture);
}

LYRA_TEST(derivatives_of_expressions_match_differences)
{
    static const char *const texts[] = {
        "0.1*sin(2*pi*t)",
        "t^3-2*t",
        "exp(-t)*cos(3*t)",
        "sqrt(1+t^2)",
        "log(1+t)/(2+t)",
        "tan(t/2)",
        "t^t",
        "2^t",
        "abs(t-2)*t",
        "max(t^2, 0.1)*min(t, 5)",
        "ramp(t/2)^2",
        "1/t",
        "(1+t)^-2",
        "step(t)*t^2",
    };
    Fixture fixture = begin();
    const double t = 0.83, h = 1e-4;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        LyExpression *expression = NULL;
        const char *stop, *bad;
        TEST_OK(ly_expression_parse(fixture.arena, texts[i], &stop, &bad, &expression));
        LyraRates at = ly_expression_at(expression, t), low = ly_expression_at(expression, t - h);
        LyraRates high = ly_expression_at(expression, t + h);
        // second order: errors of h^2 times a third derivative of at most about 100
        double rate = (high.value - low.value) / (2 * h), rate2 = (high.rate - low.rate) / (2 * h);
        TEST_CHECK_MSG(fabs(at.rate - rate) <= 1e-6 * (1 + fabs(rate)), "%s: rate %.9g, %.9g",
                       texts[i], at.rate, rate);
        TEST_CHECK_MSG(fabs(at.rate2 - rate2) <= 1e-5 * (1 + fabs(rate2)), "%s: rate2 %.9g, %.9g",
                       texts[i], at.rate2, rate2);
    }
    end(&fixture);
}

LYRA_TEST(wrong_expressions_are_refused_where_they_are)
{
    static const struct {
        const char *text, *sentence;
        int place;
    } cases[] = {
        {"2*(t+1", "expected )", 6},
        {"sin t", "expected ( after the name of a function", 4},
        {"min(t)", "expected a comma, as the function has two arguments", 5},
        {"2+*3", "expected a number, t, pi or one of sin", 2},
        {"x+1", "expected a number, t, pi or one of sin", 0},
        {"1e999", "expected a finite number", 0},
    };
    Fixture fixture = begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        LyExpression *expression = NULL;
        const char *stop = NULL, *bad = NULL;
        TEST_STATUS(ly_expression_parse(fixture.arena, cases[i].text, &stop, &bad, &expression),
                    LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), cases[i].sentence);
        TEST_EQUAL(bad - cases[i].text, cases[i].place);
    }
    // depth and length are bounded
    char deep[4001];
    memset(deep, '(', 4000);
    deep[4000] = 0;
    const char *stop, *bad;
    LyExpression *expression = NULL;
    TEST_STATUS(ly_expression_parse(fixture.arena, deep, &stop, &bad, &expression),
                LYRA_BAD_FORMAT);
    for (int i = 0; i < 4000; i += 2) {
        memcpy(deep + i, "1+", 2);
    }
    deep[3999] = 0;
    TEST_STATUS(ly_expression_parse(fixture.arena, deep, &stop, &bad, &expression),
                LYRA_BAD_FORMAT);
    end(&fixture);
}

LYRA_TEST(curves_pass_through_their_keys)
{
    static const double times[] = {0, 1, 3}, values[] = {2, 4, -2};
    LyraCurve curve = {.key_count = 3, .times = times, .values = values};
    TEST_NEAR(ly_curve_at(&curve, -1).value, 2, 0);
    TEST_NEAR(ly_curve_at(&curve, 0.5).value, 3, 1e-15);
    TEST_NEAR(ly_curve_at(&curve, 2).value, 1, 1e-15);
    TEST_NEAR(ly_curve_at(&curve, 2).rate, -3, 1e-15);
    TEST_NEAR(ly_curve_at(&curve, 9).value, -2, 0);
    TEST_NEAR(ly_curve_at(&curve, 9).rate, 0, 0);
    curve.interpolation = LYRA_INTERPOLATE_STEP;
    TEST_NEAR(ly_curve_at(&curve, 0.99).value, 2, 0);
    TEST_NEAR(ly_curve_at(&curve, 1).value, 4, 0);
    curve.interpolation = LYRA_INTERPOLATE_SMOOTH;
    for (int i = 0; i < 3; ++i) {
        TEST_NEAR(ly_curve_at(&curve, times[i]).value, values[i], 1e-15);
        TEST_NEAR(ly_curve_at(&curve, times[i]).rate, 0, 1e-15);
    }
    double h = 1e-5, t = 1.37;
    double rate = (ly_curve_at(&curve, t + h).value - ly_curve_at(&curve, t - h).value) / (2 * h);
    double rate2 = (ly_curve_at(&curve, t + h).rate - ly_curve_at(&curve, t - h).rate) / (2 * h);
    TEST_NEAR(ly_curve_at(&curve, t).rate, rate, 1e-8);
    TEST_NEAR(ly_curve_at(&curve, t).rate2, rate2, 1e-8);
}

LYRA_TEST(trees_are_bounded)
{
    REQUIRE_YAML();
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"a: &x 1\nb: *x\n", "t.yaml:1:4: found an anchor or an alias, expected the value itself"},
        {"a: !!int 1\n", "t.yaml:1:4: found a tag, expected the value alone"},
        {"a: 1\n---\nb: 1\n", "t.yaml:2:1: found a second document, expected one"},
        {"[a]: 1\n", "t.yaml:1:1: found a list or keys as a key, expected a word"},
        {"a: 1\nb: 2\na: 3\n",
         "t.yaml:3:1: found key \"a\" a second time, expected it once as on line 1"},
        {"a: \"\\0\"\n", "t.yaml:1:4: found a zero byte, expected a text"},
        {"a: \xff\n", "expected a text in UTF-8"},
    };
    Fixture fixture = begin();
    LyNode *root = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        TEST_STATUS(parse(&fixture, cases[i].text, &root), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), cases[i].sentence);
    }
    char deep[101];
    memset(deep, '[', 100);
    deep[100] = 0;
    TEST_STATUS(parse(&fixture, deep, &root), LYRA_BAD_FORMAT);
    TEST_STRING(lyra_error_message(),
                "t.yaml:1:33: found values nested deeper than 32 levels, expected fewer");
    TEST_CHECK(root == NULL);
    end(&fixture);
}

LYRA_TEST(overrides_reach_every_place)
{
    REQUIRE_YAML();
    static const char *const overrides[] = {
        "a.b[1].c=7 s",      "a.new.deep=[1, 2]", "list[0]=x",
        "list[2]={k: v}",    "empty.k=1",         "top=2",
        "a.b[0].c=\"q: r\"", "list[1]=null",      "named.beam.k.deep=9",
        "named.arm.k=8",     "named.a.b[0].k=7"};
    Fixture fixture = begin();
    LyNode *root = NULL;
    TEST_REQUIRE_OK(parse(&fixture,
                          "a:\n  b:\n    - c: 1\n    - {c: 2}\nlist: [p, q]\nempty:\n"
                          "named: [{name: arm}, x, {name: \"a.b[0]\", k: 1}, {name: a}, {name: "
                          "beam, k: {deep: 1}}]\n",
                          &root));
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; ++i) {
        TEST_OK(ly_tree_override(fixture.arena, &root, overrides[i]));
    }
    LyNode *a = ly_node_find(root, "a"), *b = ly_node_find(a, "b"),
           *list = ly_node_find(root, "list");
    TEST_STRING(ly_node_find(b->first->next, "c")->text, "7 s");
    TEST_STRING(ly_node_find(b->first, "c")->text, "q: r");
    TEST_EQUAL(ly_node_find(ly_node_find(a, "new"), "deep")->count, 2);
    TEST_STRING(list->first->text, "x");
    TEST_CHECK(ly_node_is_null(list->first->next));
    TEST_STRING(ly_node_find(list->last, "k")->text, "v");
    TEST_EQUAL(list->count, 3);
    TEST_STRING(ly_node_find(ly_node_find(root, "empty"), "k")->text, "1");
    TEST_STRING(root->last->text, "2");
    const LyNode *named = ly_node_find(root, "named");
    TEST_STRING(ly_node_find(named->first, "k")->text, "8");
    TEST_STRING(ly_node_find(ly_node_find(named->last, "k"), "deep")->text, "9");
    TEST_STRING(ly_node_find(named->first->next->next, "k")->text, "7");
    TEST_EQUAL(named->count, 5);
    end(&fixture);
}

LYRA_TEST(wrong_overrides_are_refused)
{
    REQUIRE_YAML();
    static const char *const cases[][2] = {
        {"time.dt", "override \"time.dt\": expected path=value"},
        {"time.dt=", "override \"time.dt=\": expected a value after =, or null for the default"},
        {"=3", "override \"=3\": expected a path as in"},
        {"a..b=3", "override \"a..b=3\": expected a path as in"},
        {"list[5]=3",
         "override \"list[5]=3\": found index 5, expected 0 to 2, as \"list\" has 2 items"},
        {"list[x]=3", "override \"list[x]=3\": expected a whole number and ] after \"list[\""},
        {"a[0]=3", "override \"a[0]=3\": \"a\" is no list, so [0] of it is nothing"},
        {"a.b.c=3", "override \"a.b.c=3\": \"a.b\" has no keys, so none is \"c\""},
        {"list.p.c=3", "override \"list.p.c=3\": \"list\" has no item whose name is \"p\""},
        {"a=[1", "override \"a=[1\": while parsing"},
    };
    Fixture fixture = begin();
    LyNode *root = NULL;
    TEST_REQUIRE_OK(parse(&fixture, "a: {b: 1}\nlist: [p, q]\n", &root));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        TEST_STATUS(ly_tree_override(fixture.arena, &root, cases[i][0]), LYRA_BAD_FORMAT);
        TEST_CONTAINS(lyra_error_message(), cases[i][1]);
    }
    end(&fixture);
}

// what a world says of its settings is said of the place in the file that they came from
LYRA_TEST(failures_find_their_place_by_the_path_of_keys)
{
    REQUIRE_YAML();
    static const struct {
        const char *path, *sentence;
    } cases[] = {
        {"material.young", "t.yaml:2:21: bad"},
        {"list[1].x", "t.yaml:4:8: bad"},
        {"list[7].x", "t.yaml:3:9: bad"},
        {"material.poisson", "t.yaml:2:11: bad"},
        {"material.young.deeper", "t.yaml:2:21: bad"},
        {"nowhere", "t.yaml:1:1: bad"},
        {"list[0]", "t.yaml:3:10: bad"},
    };
    Fixture fixture = begin();
    LyNode *root = NULL;
    TEST_REQUIRE_OK(parse(&fixture,
                          "name: beam\n"
                          "material: {  young: 1 }\n"
                          "list:   [{x: 1},\n"
                          "  {x:  2}]\n",
                          &root));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        LyraStatus status = ly_fail_key(LYRA_INVALID_ARGUMENT, cases[i].path, "bad");
        TEST_STATUS(ly_node_place(root, status), LYRA_INVALID_ARGUMENT);
        TEST_STRING(lyra_error_message(), cases[i].sentence);
    }
    LyraStatus status = ly_fail(LYRA_SINGULAR, "no path: bad");
    TEST_STATUS(ly_node_place(root, status), LYRA_SINGULAR);
    TEST_STRING(lyra_error_message(), "t.yaml:1:1: no path: bad");
    TEST_OK(ly_node_place(root, LYRA_OK));
    end(&fixture);
}

LYRA_TEST(without_libyaml_scenes_are_refused_with_a_reason)
{
    Fixture fixture = begin();
    LyNode *root = NULL;
    if (!has_yaml()) {
        TEST_STATUS(parse(&fixture, "a: 1\n", &root), LYRA_UNSUPPORTED);
        TEST_STRING(lyra_error_message(),
                    "t.yaml: scenes in YAML need libyaml, which this build of "
                    "Lyra is without");
    } else {
        TEST_OK(parse(&fixture, "a: 1\n", &root));
    }
    end(&fixture);
}
