// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Expressions of t, read by descent into postfix order and evaluated with two derivatives: with
// f = (f, f', f'') and a function g,
//   (g o f)' = g' f',   (g o f)'' = g'' f'^2 + g' f'',   (f h)'' = f'' h + 2 f' h' + f h''.
// Where a function has a corner or a jump (abs, min, max, step, ramp) the derivatives are those of
// the piece that t is on.
//
//   sum     = product (("+" | "-") product)*
//   product = sign (("*" | "/") sign)*
//   sign    = ("+" | "-")* power
//   power   = atom ["^" sign]              (to the right: 2^3^2 = 2^9, -2^2 = -4)
//   atom    = number | "t" | "pi" | "(" sum ")" | function "(" sum ("," sum)* ")"

#include "world/curve.h"

#include "base/number.h"
#include "world/keys.h"

#include <math.h>
#include <string.h>

#define OPERATIONS_MAX 512
#define STACK_MAX 64
#define DEPTH_MAX 64

typedef enum Code {
    CODE_NUMBER,
    CODE_TIME,
    CODE_ADD,
    CODE_SUBTRACT,
    CODE_MULTIPLY,
    CODE_DIVIDE,
    CODE_POWER,
    CODE_NEGATE,
    CODE_SIN,
    CODE_COS,
    CODE_TAN,
    CODE_EXP,
    CODE_LOG,
    CODE_SQRT,
    CODE_ABS,
    CODE_MIN,
    CODE_MAX,
    CODE_STEP,
    CODE_RAMP,
} Code;

typedef struct Operation {
    Code code;
    double number;
} Operation;

struct LyraExpression {
    int32_t count;
    bool timed;
    Operation *operations; // [count]
};

static const struct {
    const char *name;
    Code code;
    int32_t arguments;
} functions[] = {
    {"sin", CODE_SIN, 1}, {"cos", CODE_COS, 1},   {"tan", CODE_TAN, 1},   {"exp", CODE_EXP, 1},
    {"log", CODE_LOG, 1}, {"sqrt", CODE_SQRT, 1}, {"abs", CODE_ABS, 1},   {"min", CODE_MIN, 2},
    {"max", CODE_MAX, 2}, {"step", CODE_STEP, 1}, {"ramp", CODE_RAMP, 1},
};

// ---- evaluating ---------------------------------------------------------------------------------

static LyraRates chain(LyraRates f, double g, double dg, double ddg)
{
    return (LyraRates){g, dg * f.rate, ddg * f.rate * f.rate + dg * f.rate2};
}

static LyraRates multiply(LyraRates a, LyraRates b)
{
    return (LyraRates){a.value * b.value, a.rate * b.value + a.value * b.rate,
                       a.rate2 * b.value + 2 * a.rate * b.rate + a.value * b.rate2};
}

static LyraRates constant(double value)
{
    return (LyraRates){value, 0, 0};
}

static LyraRates power(LyraRates a, LyraRates b)
{
    if (b.rate == 0 && b.rate2 == 0) {
        double n = b.value;
        // no 0 * inf where a power of zero has no derivative to be multiplied with
        double first = n == 0 ? 0 : n * pow(a.value, n - 1);
        double second = n == 0 || n == 1 ? 0 : n * (n - 1) * pow(a.value, n - 2);
        return chain(a, pow(a.value, n), first, second);
    }
    // a^b = exp(b log a)
    LyraRates log_a = chain(a, log(a.value), 1 / a.value, -1 / (a.value * a.value));
    LyraRates c = multiply(b, log_a);
    double e = pow(a.value, b.value);
    return chain(c, e, e, e);
}

static LyraRates apply_one(Code code, LyraRates a)
{
    double x = a.value;
    switch (code) {
    case CODE_NEGATE:
        return (LyraRates){-a.value, -a.rate, -a.rate2};
    case CODE_SIN:
        return chain(a, sin(x), cos(x), -sin(x));
    case CODE_COS:
        return chain(a, cos(x), -sin(x), -cos(x));
    case CODE_TAN: {
        double g = tan(x), dg = 1 + g * g;
        return chain(a, g, dg, 2 * g * dg);
    }
    case CODE_EXP:
        return chain(a, exp(x), exp(x), exp(x));
    case CODE_LOG:
        return chain(a, log(x), 1 / x, -1 / (x * x));
    case CODE_SQRT: {
        double g = sqrt(x);
        return a.rate == 0 && a.rate2 == 0 ? constant(g) : chain(a, g, 0.5 / g, -0.25 / (x * g));
    }
    case CODE_ABS:
        return x < 0 ? apply_one(CODE_NEGATE, a) : a;
    case CODE_STEP:
        return constant(x < 0 ? 0 : 1);
    case CODE_RAMP:
        return x < 0 ? constant(0) : x < 1 ? a : constant(1);
    default:
        return a;
    }
}

static LyraRates apply_two(Code code, LyraRates a, LyraRates b)
{
    switch (code) {
    case CODE_ADD:
        return (LyraRates){a.value + b.value, a.rate + b.rate, a.rate2 + b.rate2};
    case CODE_SUBTRACT:
        return (LyraRates){a.value - b.value, a.rate - b.rate, a.rate2 - b.rate2};
    case CODE_MULTIPLY:
        return multiply(a, b);
    case CODE_DIVIDE: {
        double x = b.value;
        LyraRates inverse = chain(b, 1 / x, -1 / (x * x), 2 / (x * x * x));
        LyraRates quotient = multiply(a, inverse);
        quotient.value = a.value / x;
        return quotient;
    }
    case CODE_POWER:
        return power(a, b);
    case CODE_MIN:
        return b.value < a.value ? b : a;
    default: // CODE_MAX
        return b.value > a.value ? b : a;
    }
}

static int32_t argument_count(Code code)
{
    if (code == CODE_NUMBER || code == CODE_TIME) {
        return 0;
    }
    return (code >= CODE_ADD && code <= CODE_POWER) || code == CODE_MIN || code == CODE_MAX ? 2 : 1;
}

LyraRates ly_expression_at(const LyExpression *expression, double t)
{
    LyraRates stack[STACK_MAX];
    int32_t top = 0;
    for (int32_t i = 0; i < expression->count; ++i) {
        Operation operation = expression->operations[i];
        switch (argument_count(operation.code)) {
        case 0:
            stack[top++] =
                operation.code == CODE_TIME ? (LyraRates){t, 1, 0} : constant(operation.number);
            break;
        case 1:
            stack[top - 1] = apply_one(operation.code, stack[top - 1]);
            break;
        default:
            --top;
            stack[top - 1] = apply_two(operation.code, stack[top - 1], stack[top]);
            break;
        }
    }
    return stack[0];
}

bool ly_expression_is_constant(const LyExpression *expression)
{
    return !expression->timed;
}

// ---- reading ------------------------------------------------------------------------------------

typedef struct Reader {
    const char *at;
    int32_t count, depth, height, nesting; // of the stack at this point
    bool timed;
    Operation operations[OPERATIONS_MAX];
} Reader;

static LyraStatus read_sum(Reader *reader);

static char peek(Reader *reader)
{
    while (*reader->at == ' ') {
        ++reader->at;
    }
    return *reader->at;
}

static LyraStatus emit(Reader *reader, Code code, double number)
{
    if (reader->count == OPERATIONS_MAX) {
        return ly_fail(LYRA_BAD_FORMAT, "an expression of more than %d operations", OPERATIONS_MAX);
    }
    reader->height += 1 - argument_count(code);
    if (reader->height > STACK_MAX) {
        return ly_fail(LYRA_BAD_FORMAT, "an expression nested deeper than %d levels", STACK_MAX);
    }
    reader->timed |= code == CODE_TIME;
    reader->operations[reader->count++] = (Operation){code, number};
    return LYRA_OK;
}

static LyraStatus expect(Reader *reader, char c, const char *what)
{
    if (peek(reader) != c) {
        return ly_fail(LYRA_BAD_FORMAT, "expected %s", what);
    }
    ++reader->at;
    return LYRA_OK;
}

static LyraStatus read_function(Reader *reader, const char *name, size_t length)
{
    int32_t f = 0;
    for (; f < LY_COUNT_OF(functions); ++f) {
        if (strlen(functions[f].name) == length && memcmp(functions[f].name, name, length) == 0) {
            break;
        }
    }
    if (f == LY_COUNT_OF(functions)) {
        reader->at = name;
        return ly_fail(LYRA_BAD_FORMAT,
                       "expected a number, t, pi or one of sin cos tan exp log sqrt abs min max "
                       "step ramp");
    }
    LY_TRY(expect(reader, '(', "( after the name of a function"));
    for (int32_t a = 0; a < functions[f].arguments; ++a) {
        if (a > 0) {
            LY_TRY(expect(reader, ',', "a comma, as the function has two arguments"));
        }
        LY_TRY(read_sum(reader));
    }
    LY_TRY(expect(reader, ')', ")"));
    return emit(reader, functions[f].code, 0);
}

static LyraStatus read_atom(Reader *reader)
{
    char c = peek(reader);
    if (c == '(') {
        ++reader->at;
        LY_TRY(read_sum(reader));
        return expect(reader, ')', ")");
    }
    const char *begin = reader->at;
    double number;
    if ((c >= '0' && c <= '9') || c == '.') {
        const char *end = ly_parse_double(begin, begin + strlen(begin), &number);
        if (end && isfinite(number)) {
            reader->at = end;
            return emit(reader, CODE_NUMBER, number);
        }
        return ly_fail(LYRA_BAD_FORMAT, "expected a finite number");
    }
    while ((*reader->at >= 'a' && *reader->at <= 'z') ||
           (reader->at > begin && *reader->at >= '0' && *reader->at <= '9')) {
        ++reader->at;
    }
    size_t length = (size_t)(reader->at - begin);
    if (length == 1 && *begin == 't') {
        return emit(reader, CODE_TIME, 0);
    }
    if (length == 2 && memcmp(begin, "pi", 2) == 0) {
        return emit(reader, CODE_NUMBER, 3.14159265358979323846);
    }
    return read_function(reader, begin, length);
}

static LyraStatus read_sign(Reader *reader)
{
    if (++reader->nesting > DEPTH_MAX) {
        return ly_fail(LYRA_BAD_FORMAT, "an expression nested deeper than %d levels", DEPTH_MAX);
    }
    bool negative = false;
    for (char c = peek(reader); c == '+' || c == '-'; c = peek(reader)) {
        negative ^= c == '-';
        ++reader->at;
    }
    LY_TRY(read_atom(reader));
    if (peek(reader) == '^') {
        ++reader->at;
        LY_TRY(read_sign(reader));
        LY_TRY(emit(reader, CODE_POWER, 0));
    }
    --reader->nesting;
    return negative ? emit(reader, CODE_NEGATE, 0) : LYRA_OK;
}

static LyraStatus read_product(Reader *reader)
{
    LY_TRY(read_sign(reader));
    for (char c = peek(reader); c == '*' || c == '/'; c = peek(reader)) {
        ++reader->at;
        LY_TRY(read_sign(reader));
        LY_TRY(emit(reader, c == '*' ? CODE_MULTIPLY : CODE_DIVIDE, 0));
    }
    return LYRA_OK;
}

static LyraStatus read_sum(Reader *reader)
{
    LY_TRY(read_product(reader));
    for (char c = peek(reader); c == '+' || c == '-'; c = peek(reader)) {
        ++reader->at;
        LY_TRY(read_product(reader));
        LY_TRY(emit(reader, c == '+' ? CODE_ADD : CODE_SUBTRACT, 0));
    }
    return LYRA_OK;
}

LyraStatus ly_expression_parse(LyraArena *arena, const char *text, const char **end,
                               const char **bad, LyExpression **out)
{
    Reader reader = {.at = text};
    LyraStatus status = read_sum(&reader);
    *bad = reader.at;
    if (status != LYRA_OK) {
        return status;
    }
    peek(&reader);
    LyExpression *made = NULL;
    LY_TRY(ly_arena_allocate(arena, 1, sizeof *made, &made));
    LY_TRY(ly_arena_allocate(arena, reader.count, sizeof *made->operations, &made->operations));
    memcpy(made->operations, reader.operations, (size_t)reader.count * sizeof *made->operations);
    made->count = reader.count;
    made->timed = reader.timed;
    *end = reader.at;
    *out = made;
    return LYRA_OK;
}
