// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Files of `*key` and value lines.

#include "scene/config_text.h"

#include "base/choices.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

#define ABSENT "__none"

// where a value stands, for messages: a line of a file, or an assignment of the caller
typedef struct Place {
    const char *path;
    int64_t line; // 0: `path` is the assignment
} Place;

// ---- names --------------------------------------------------------------------------------------

#define NAME_MAX_LENGTH 63

const char *ly_config_nearest(LySlice name, int32_t key_count, const LyConfigKey *keys)
{
    char word[NAME_MAX_LENGTH + 1] = "";
    memcpy(word, name.text, name.length < NAME_MAX_LENGTH ? name.length : NAME_MAX_LENGTH);
    const char *nearest = "";
    int32_t least = INT32_MAX;
    for (int32_t k = 0; k < key_count; ++k) {
        int32_t distance = keys[k].name ? ly_edit_distance(word, keys[k].name) : INT32_MAX;
        if (distance < least) {
            least = distance;
            nearest = keys[k].name;
        }
    }
    return nearest;
}

int32_t ly_config_find(const LyConfig *config, LySlice name)
{
    for (int32_t k = 0; k < config->key_count; ++k) {
        if (config->keys[k].name && ly_slice_is_word(name, config->keys[k].name)) {
            return k;
        }
    }
    return -1;
}

// ---- values -------------------------------------------------------------------------------------

static LyraStatus fail_value(Place place, LySlice value, const char *expected, const char *key)
{
    char quoted[LY_QUOTE_CHARS];
    ly_quote(quoted, value);
    if (place.line == 0) {
        return ly_fail(LYRA_BAD_FORMAT, "%s: found %s, expected %s for %s", place.path, quoted,
                       expected, key);
    }
    return ly_fail(LYRA_BAD_FORMAT, "%s:%lld: found %s, expected %s for %s", place.path,
                   (long long)place.line, quoted, expected, key);
}

// a finite number, with nothing but a comment behind it
static bool parse_number(LySlice value, double *number)
{
    const char *end = value.text + value.length;
    const char *at = ly_parse_double(value.text, end, number);
    if (!at || !isfinite(*number)) {
        return false;
    }
    const char *blank = at;
    while (at < end && (ly_char_class[(uint8_t)*at] & LY_CHAR_BLANK)) {
        ++at;
    }
    return at == end || (*at == '#' && at > blank);
}

static LyraStatus read_number(const LyConfigKey *key, Place place, LySlice value, double *number)
{
    char expected[128];
    const char *what = "a number";
    bool good = parse_number(value, number);
    switch (key->kind) {
    case LY_CONFIG_POSITIVE:
        what = "a number above 0";
        good = good && *number > 0;
        break;
    case LY_CONFIG_INTEGER:
        // bounds of integers are small
        snprintf(expected, sizeof expected, "a whole number from %d to %d", (int)key->low,
                 (int)key->high);
        what = expected;
        good = good && *number == floor(*number) && *number >= key->low && *number <= key->high;
        break;
    case LY_CONFIG_SWITCH:
        what = "0 or 1";
        *number = good && *number != 0;
        break;
    default:
        if (key->low != 0 || key->high != 0) {
            char low[LY_DOUBLE_CHARS], high[LY_DOUBLE_CHARS];
            ly_format_double(low, key->low);
            ly_format_double(high, key->high);
            if (isfinite(key->high)) {
                snprintf(expected, sizeof expected, "a number from %s to %s", low, high);
            } else {
                snprintf(expected, sizeof expected, "a number not below %s", low);
            }
            what = expected;
            good = good && *number >= key->low && *number <= key->high;
        }
    }
    return good ? LYRA_OK : fail_value(place, value, what, key->name);
}

static LyraStatus read_word(const LyConfigKey *key, Place place, LySlice value, double *index)
{
    char list[256] = "one of ";
    size_t used = strlen(list);
    for (int32_t w = 0; key->words[w]; ++w) {
        if (ly_slice_is_word(value, key->words[w])) {
            *index = w;
            return LYRA_OK;
        }
        int added = snprintf(list + used, sizeof list - used, "%s%s", w ? ", " : "", key->words[w]);
        used += (size_t)added < sizeof list - used ? (size_t)added : 0;
    }
    return fail_value(place, value, list, key->name);
}

static LyraStatus set_value(LyConfig *config, int32_t k, Place place, LySlice value)
{
    const LyConfigKey *key = &config->keys[k];
    LyConfigValue *entry = &config->values[k];
    double number = key->fallback;
    char *text = NULL;
    bool absent = ly_slice_is(value, ABSENT);
    if (!absent) {
        if (memchr(value.text, '\0', value.length)) {
            return fail_value(place, value, "text", key->name);
        }
        if (key->kind == LY_CONFIG_WORD) {
            LY_TRY(read_word(key, place, value, &number));
        } else if (key->kind != LY_CONFIG_TEXT) {
            LY_TRY(read_number(key, place, value, &number));
        }
        LY_TRY(ly_string_copy(config->ctx, value.text, value.length, &text));
    }
    ly_release(config->ctx, entry->text);
    *entry = (LyConfigValue){.given = !absent, .line = place.line, .text = text, .number = number};
    return LYRA_OK;
}

// ---- lines --------------------------------------------------------------------------------------

// goes to the next line that is neither empty nor a comment
static bool next_content(LyScanner *scanner)
{
    while (ly_scanner_next_content(scanner)) {
        if (*scanner->at != '#') {
            return true;
        }
        if (!ly_scanner_next_line(scanner)) {
            return false;
        }
    }
    return false;
}

static LyraStatus read_entry(LyConfig *config, LyScanner *scanner)
{
    const char *at = scanner->at;
    char quoted[LY_QUOTE_CHARS];
    if (*at != '*') {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                  "a key behind a star, as *timestep");
    }
    LySlice name = ly_scanner_rest_of_line(scanner);
    ++name.text;
    --name.length;
    if (!next_content(scanner) || *scanner->at == '*') {
        return ly_scanner_complain(scanner, at, LYRA_BAD_FORMAT,
                                   "the key %s has no value on the next line",
                                   ly_quote(quoted, name));
    }
    Place place = {config->path, ly_scanner_line_number(scanner, scanner->at)};
    LySlice value = ly_scanner_rest_of_line(scanner);
    int32_t key = ly_config_find(config, name);
    if (key < 0) {
        ly_log(config->ctx, LYRA_LOG_WARNING,
               "%s:%lld: unknown key %s is ignored; the nearest known one is \"%s\"", config->path,
               (long long)ly_scanner_line_number(scanner, at), ly_quote(quoted, name),
               ly_config_nearest(name, config->key_count, config->keys));
        return LYRA_OK;
    }
    if (config->values[key].line > 0) {
        ly_log(config->ctx, LYRA_LOG_WARNING,
               "%s:%lld: %s stands here again and overrules line %lld", config->path,
               (long long)place.line, config->keys[key].name, (long long)config->values[key].line);
    }
    return set_value(config, key, place, value);
}

LyraStatus ly_config_parse(LyConfig *config, LyraContext *ctx, const char *path, const char *text,
                           size_t length, int32_t key_count, const LyConfigKey *keys)
{
    *config = (LyConfig){.ctx = ctx, .path = path, .key_count = key_count, .keys = keys};
    LY_TRY(ly_allocate_zeroed(ctx, key_count, sizeof *config->values, &config->values));
    for (int32_t k = 0; k < key_count; ++k) {
        config->values[k].number = keys[k].fallback;
    }
    // some editors begin a text with a mark of its encoding
    size_t mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    LyScanner scanner = ly_scanner_make(path, text + mark, length - mark, 0);
    while (next_content(&scanner)) {
        LY_TRY(read_entry(config, &scanner));
    }
    return LYRA_OK;
}

LyraStatus ly_config_override(LyConfig *config, const char *assignment)
{
    const char *sign = strchr(assignment, '=');
    if (!sign) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "\"%s\": expected key=value, as timestep=0.01",
                       assignment);
    }
    LySlice name = {assignment, (size_t)(sign - assignment)};
    int32_t key = ly_config_find(config, name);
    if (key < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "%s: a .config scene has no such key; the nearest one is \"%s\"", assignment,
                       ly_config_nearest(name, config->key_count, config->keys));
    }
    return set_value(config, key, (Place){assignment, 0}, (LySlice){sign + 1, strlen(sign + 1)});
}

LyraStatus ly_config_check_required(const LyConfig *config)
{
    for (int32_t k = 0; k < config->key_count; ++k) {
        if (config->keys[k].required && !config->values[k].given) {
            return ly_fail(LYRA_BAD_FORMAT, "%s: the key *%s is missing", config->path,
                           config->keys[k].name);
        }
    }
    return LYRA_OK;
}

void ly_config_end(LyConfig *config)
{
    for (int32_t k = 0; config->values && k < config->key_count; ++k) {
        ly_release(config->ctx, config->values[k].text);
    }
    if (config->ctx) {
        ly_release(config->ctx, config->values);
    }
    *config = (LyConfig){0};
}

LyraStatus ly_config_at(const LyConfig *config, int32_t key, LyraStatus status)
{
    if (status == LYRA_OK) {
        return LYRA_OK;
    }
    int64_t line = config->values[key].line;
    const char *name = config->keys[key].name;
    return line > 0 ? ly_fail_within(status, "%s:%lld: %s", config->path, (long long)line, name)
                    : ly_fail_within(status, "%s: %s", config->path, name);
}

LyraStatus ly_config_path(const LyConfig *config, int32_t key, char **path)
{
    const char *name = config->values[key].text;
    *path = NULL;
    return name ? ly_path_beside(config->ctx, config->path, name, path) : LYRA_OK;
}
