// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- dispatch -----------------------------------------------------------------------------------

#define COMMANDS_MAX 64

static void print_commands(FILE *file, const char *program, const CliCommand *commands)
{
    fprintf(file, "usage: %s COMMAND [ARGUMENTS]\n\n", program);
    for (const CliCommand *command = commands; command->name; ++command) {
        fprintf(file, "  %-15s %s\n", command->name, command->summary);
    }
    fprintf(file, "\n%s COMMAND --help tells more.\n", program);
}

// number of single-character edits between two words
static int edit_distance(const char *a, const char *b)
{
    int row[64];
    int length = (int)strlen(b);
    if (length >= 64) {
        return INT_MAX;
    }
    for (int j = 0; j <= length; ++j) {
        row[j] = j;
    }
    for (int i = 1; a[i - 1]; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length; ++j) {
            int above = row[j];
            int best = diagonal + (a[i - 1] != b[j - 1]);
            best = above + 1 < best ? above + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = above;
            row[j] = best;
        }
    }
    return row[length];
}

void cli_append(char *list, size_t size, const char *word)
{
    size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length > 0 ? ", " : "", word);
}

const char *cli_nearest(const char *word, const char *const *words, int32_t count)
{
    const char *nearest = NULL;
    int nearest_distance = 3;
    for (int32_t i = 0; i < count; ++i) {
        int distance = edit_distance(word, words[i]);
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

CliExit cli_dispatch(const char *program, const CliCommand *commands, int argument_count,
                     char **arguments)
{
    if (argument_count < 1) {
        print_commands(stderr, program, commands);
        return CLI_USAGE;
    }
    const char *name = arguments[0];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_commands(stdout, program, commands);
        return cli_finish_output();
    }
    const char *known[COMMANDS_MAX];
    int32_t count = 0;
    for (const CliCommand *command = commands; command->name; ++command) {
        if (strcmp(name, command->name) == 0) {
            return command->run(argument_count - 1, arguments + 1);
        }
        if (count < COMMANDS_MAX) {
            known[count++] = command->name;
        }
    }
    const char *nearest = cli_nearest(name, known, count);
    fprintf(stderr, "%s: no command \"%s\"", program, name);
    if (nearest) {
        fprintf(stderr, "; did you mean \"%s\"?", nearest);
    }
    fprintf(stderr, "\n%s --help lists the commands.\n", program);
    return CLI_USAGE;
}

// ---- options ------------------------------------------------------------------------------------

static void print_usage(FILE *file, const CliUsage *usage)
{
    fprintf(file, "usage: %s", usage->command);
    if (usage->positional[0]) {
        fprintf(file, " %s", usage->positional);
    }
    bool has_options = usage->options && usage->options->name;
    fprintf(file, "%s\n\n%s\n", has_options ? " [OPTIONS]" : "", usage->description);
    if (has_options) {
        fprintf(file, "\n");
        for (const CliOption *option = usage->options; option->name; ++option) {
            char left[64];
            snprintf(left, sizeof left, "%s %s", option->name,
                     option->argument ? option->argument : "");
            fprintf(file, "  %-26s %s\n", left, option->help);
        }
    }
    fprintf(file, "\nexample:\n  %s\n", usage->example);
}

CliExit cli_usage_error(const CliUsage *usage, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: ", usage->command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n%s --help tells more.\n", usage->command);
    return CLI_USAGE;
}

static bool parse_double(const char *text, char **end, double *value)
{
    errno = 0;
    *value = strtod(text, end);
    return *end != text && isfinite(*value);
}

// reads `text` into the option's place; false if it does not fit
static bool store_value(const CliOption *option, const char *text)
{
    char *end = NULL;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)option->value = true;
        return true;
    case CLI_TEXT:
        *(const char **)option->value = text;
        return true;
    case CLI_LIST: {
        CliList *list = option->value;
        if (list->count == CLI_LIST_MAX) {
            return false;
        }
        list->items[list->count++] = text;
        return true;
    }
    case CLI_INT:
    case CLI_COUNT:
    case CLI_THREADS: {
        errno = 0;
        long value = strtol(text, &end, 10);
        bool threads = option->kind == CLI_THREADS;
        long least = option->kind == CLI_INT ? INT32_MIN : 0, most = threads ? 256 : INT32_MAX;
        if (end == text || *end || errno || value < least || value > most) {
            return false;
        }
        *(int32_t *)option->value = (int32_t)value;
        return true;
    }
    case CLI_DOUBLE: {
        double value;
        if (!parse_double(text, &end, &value) || *end) {
            return false;
        }
        *(double *)option->value = value;
        return true;
    }
    case CLI_VECTOR: {
        double vector[3];
        for (int i = 0; i < 3; ++i) {
            if (!parse_double(text, &end, &vector[i]) || *end != (i < 2 ? ',' : '\0')) {
                return false;
            }
            text = end + 1;
        }
        memcpy(option->value, vector, sizeof vector);
        return true;
    }
    }
    return false;
}

static const char *kind_name(CliOptionKind kind)
{
    static const char *const names[] = {
        [CLI_FLAG] = "nothing",
        [CLI_INT] = "a whole number",
        [CLI_COUNT] = "a whole number, 0 or more",
        [CLI_THREADS] = "a number of threads to 256, or 0 for all cores",
        [CLI_DOUBLE] = "a number",
        [CLI_TEXT] = "a word",
        [CLI_VECTOR] = "three numbers x,y,z",
        [CLI_LIST] = "a value, at most 32 times",
    };
    return names[kind];
}

// the option that an argument names, as --name or as --name=value
static const CliOption *find_option(const CliUsage *usage, const char *argument, size_t length)
{
    for (const CliOption *option = usage->options; option && option->name; ++option) {
        if (strlen(option->name) == length && memcmp(option->name, argument, length) == 0) {
            return option;
        }
    }
    return NULL;
}

// words of "A [B]"; `required`: those without brackets
static int32_t count_words(const char *text, int32_t *required)
{
    int32_t count = 0;
    *required = 0;
    for (bool begins = true; *text; begins = *text++ == ' ') {
        count += begins;
        *required += begins && *text != '[';
    }
    return count;
}

bool cli_parse(const CliUsage *usage, int argument_count, char **arguments,
               const char **positionals, int32_t *positional_count, CliExit *exit)
{
    int32_t found = 0, required;
    const int32_t words = count_words(usage->positional, &required);
    const int32_t most = usage->list_max ? usage->list_max : words;
    bool options_ended = false;
    for (int i = 0; i < argument_count; ++i) {
        const char *argument = arguments[i];
        bool is_option = !options_ended && argument[0] == '-' && argument[1];
        if (!is_option) {
            if (found == most) {
                *exit = cli_usage_error(usage, "\"%s\" is one argument too many", argument);
                return false;
            }
            positionals[found++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            options_ended = true;
            continue;
        }
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_usage(stdout, usage);
            *exit = cli_finish_output();
            return false;
        }
        const char *equals = strchr(argument, '=');
        size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
        const CliOption *option = find_option(usage, argument, length);
        if (!option) {
            *exit = cli_usage_error(usage, "no option \"%.*s\"", (int)length, argument);
            return false;
        }
        const char *text = equals ? equals + 1 : NULL;
        if (option->kind == CLI_FLAG && text) {
            *exit = cli_usage_error(usage, "%s takes no value", option->name);
            return false;
        }
        if (option->kind != CLI_FLAG && !text) {
            text = ++i < argument_count ? arguments[i] : NULL;
        }
        if (option->kind != CLI_FLAG && (!text || !store_value(option, text))) {
            *exit = cli_usage_error(usage, "%s needs %s, found \"%s\"", option->name,
                                    kind_name(option->kind), text ? text : "");
            return false;
        }
        if (option->kind == CLI_FLAG) {
            *(bool *)option->value = true;
        }
    }
    if (found < required && !usage->optional) {
        *exit = cli_usage_error(usage, "expected %s", usage->positional);
        return false;
    }
    if (positional_count) {
        *positional_count = found;
    }
    return true;
}

// ---- errors -------------------------------------------------------------------------------------

static char last_failure[1024];
static void (*last_words)(void *user);
static void *last_words_user;

CliExit cli_failed(void)
{
    return cli_fail("%s", lyra_error_message());
}

const char *cli_last_failure(void)
{
    return last_failure;
}

void cli_set_last_words(void (*function)(void *user), void *user)
{
    last_words = function;
    last_words_user = user;
}

void *cli_allocate(size_t size)
{
    void *memory = malloc(size > 0 ? size : 1);
    if (!memory) {
        CliExit code = cli_fail("out of memory: %zu bytes could not be allocated", size);
        void (*function)(void *user) = last_words;
        last_words = NULL;
        if (function) {
            function(last_words_user);
        }
        exit(code);
    }
    return memory;
}

CliExit cli_fail(const char *format, ...)
{
    va_list arguments, again;
    fprintf(stderr, "lyra: ");
    va_start(arguments, format);
    va_copy(again, arguments);
    vfprintf(stderr, format, arguments);
    vsnprintf(last_failure, sizeof last_failure, format, again);
    va_end(again);
    va_end(arguments);
    fprintf(stderr, "\n");
    return CLI_BAD_INPUT;
}

// ---- remarks ------------------------------------------------------------------------------------

#define REMARKS_MAX 64
#define REMARK_ROOM 512

// remarks so far, those that differ in numbers alone as one
static struct {
    pthread_mutex_t lock;
    int32_t count;
    struct {
        char first[REMARK_ROOM], kind[REMARK_ROOM];
        int64_t times;
    } list[REMARKS_MAX];
} remarks = {.lock = PTHREAD_MUTEX_INITIALIZER};

// the text with a # for each word that is a number
static void find_kind(const char *text, char kind[REMARK_ROOM])
{
    size_t length = 0;
    while (*text && length + 1 < REMARK_ROOM) {
        size_t word = strcspn(text, " ,;:()%");
        char *end = NULL;
        strtod(text, &end);
        if (word > 0 && end >= text + word) {
            kind[length++] = '#';
            text = end;
            continue;
        }
        for (word += text[word] != '\0'; word > 0 && length + 1 < REMARK_ROOM; --word) {
            kind[length++] = *text++;
        }
    }
    kind[length] = '\0';
}

static void print_log(void *user, LyraLogLevel level, const char *message)
{
    (void)user;
    char line[REMARK_ROOM], kind[REMARK_ROOM];
    snprintf(line, sizeof line, "%s%s", level == LYRA_LOG_WARNING ? "warning: " : "", message);
    find_kind(line, kind);
    pthread_mutex_lock(&remarks.lock);
    int32_t i = 0;
    while (i < remarks.count && strcmp(remarks.list[i].kind, kind) != 0) {
        ++i;
    }
    if (i == remarks.count) {
        fprintf(stderr, "lyra: %s\n", line);
    }
    if (i == remarks.count && i < REMARKS_MAX) {
        memcpy(remarks.list[i].first, line, sizeof line);
        memcpy(remarks.list[i].kind, kind, sizeof kind);
        ++remarks.count;
    }
    if (i < REMARKS_MAX) {
        ++remarks.list[i].times;
    }
    pthread_mutex_unlock(&remarks.lock);
}

void cli_remarks_end(void)
{
    pthread_mutex_lock(&remarks.lock);
    for (int32_t i = 0; i < remarks.count; ++i) {
        if (remarks.list[i].times > 1) {
            fprintf(stderr, "lyra: %lld times in all: %s\n", (long long)remarks.list[i].times,
                    remarks.list[i].first);
        }
    }
    remarks.count = 0;
    memset(remarks.list, 0, sizeof remarks.list);
    pthread_mutex_unlock(&remarks.lock);
}

// ---- contexts -----------------------------------------------------------------------------------

LyraContext *cli_context(int32_t threads, LyraIsa isa)
{
    LyraContextDef def = lyra_context_def_default();
    def.thread_count = threads;
    def.isa = isa;
    def.log = print_log;
    LyraContext *ctx = NULL;
    if (lyra_context_create(&def, &ctx) != LYRA_OK) {
        cli_failed();
        return NULL;
    }
    return ctx;
}

const char *cli_parse_numbers(const char *text, int count, double *values, char stop)
{
    for (int i = 0; i < count; ++i) {
        char *end = NULL;
        if (!parse_double(text, &end, &values[i]) || *end != (i + 1 < count ? ',' : stop)) {
            return NULL;
        }
        text = end + 1;
    }
    return text;
}

CliExit cli_finish_output(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return cli_fail("standard output: %s", strerror(errno));
    }
    return CLI_OK;
}

void cli_format_double(double value, char text[CLI_NUMBER_MAX])
{
    // the command never leaves the C locale, so the point is a point
    char number[CLI_NUMBER_MAX];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value) {
            break;
        }
    }
    memcpy(text, number, sizeof number);
}

// ---- JSON ---------------------------------------------------------------------------------------

// length of the well-formed UTF-8 character at `c`, 0 if there is none
static int utf8_length(const unsigned char *c)
{
    // the first byte gives the length, and with the second the range: no overlong forms, no
    // surrogates, nothing beyond U+10FFFF
    static const struct {
        unsigned char first, last, low, high;
        int length;
    } forms[] = {
        {0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        if (c[0] < forms[i].first || c[0] > forms[i].last) {
            continue;
        }
        bool good = c[1] >= forms[i].low && c[1] <= forms[i].high;
        for (int k = 2; k < forms[i].length && good; ++k) {
            good = (c[k] & 0xc0) == 0x80;
        }
        return good ? forms[i].length : 0;
    }
    return 0;
}

// a JSON string; bytes that are no UTF-8 become the replacement character
static void write_escaped(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = utf8_length(c);
        if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < 0x20 || length == 0) {
            fprintf(file, "\\u%04x", length == 0 ? 0xfffdu : *c);
        } else {
            fwrite(c, 1, (size_t)length, file);
        }
        c += length > 0 ? length : 1;
    }
    fputc('"', file);
}

// comma, line, indent and key in front of a value
static void begin_value(CliJson *json, const char *key)
{
    if (json->depth > 0) {
        if (json->filled[json->depth]) {
            fputs(json->in_row ? ", " : ",", json->file);
        }
        json->filled[json->depth] = true;
        if (!json->in_row) {
            fprintf(json->file, "\n%*s", 2 * json->depth, "");
        }
    }
    if (key) {
        write_escaped(json->file, key);
        fputs(": ", json->file);
    }
}

void cli_json_open(CliJson *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->file);
    json->filled[++json->depth] = false;
}

void cli_json_close(CliJson *json, char bracket)
{
    bool filled = json->filled[json->depth--];
    if (filled && !json->in_row) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->file);
    if (json->depth == 0) {
        fputc('\n', json->file);
    }
}

void cli_json_text(CliJson *json, const char *key, const char *value)
{
    begin_value(json, key);
    write_escaped(json->file, value);
}

void cli_json_int(CliJson *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->file, "%lld", (long long)value);
}

void cli_json_bool(CliJson *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->file);
}

void cli_json_double(CliJson *json, const char *key, double value)
{
    begin_value(json, key);
    if (!isfinite(value)) {
        fputs("null", json->file);
        return;
    }
    char text[CLI_NUMBER_MAX];
    cli_format_double(value, text);
    fputs(text, json->file);
}

void cli_json_doubles(CliJson *json, const char *key, int32_t count, const double *values)
{
    cli_json_open(json, key, '[');
    bool outer = json->in_row;
    json->in_row = true;
    for (int32_t i = 0; i < count; ++i) {
        cli_json_double(json, NULL, values[i]);
    }
    cli_json_close(json, ']');
    json->in_row = outer;
}

void cli_write_html_text(FILE *file, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

const double *cli_column(const LyraTableView *table, const char *name)
{
    int32_t column = lyra_table_find(table, name);
    return column < 0 ? NULL : table->values + column * table->row_count;
}
