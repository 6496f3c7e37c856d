// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vega's files of settings (`.config`, `.massspring`): a line `*key`, then a line with its value;
// lines that start with # are comments; the value `__none` stands for an absent one. Which keys
// there are and what they may hold is a table, and all values are checked against it on reading.

#ifndef LY_SCENE_CONFIG_TEXT_H
#define LY_SCENE_CONFIG_TEXT_H

#include "base/scanner.h"

typedef enum LyConfigKind {
    LY_CONFIG_TEXT = 0, ///< Anything: names of files, and what a viewer looks at.
    LY_CONFIG_NUMBER,   ///< A number in [low, high]; any finite one if both are 0.
    LY_CONFIG_POSITIVE, ///< A number above 0.
    LY_CONFIG_INTEGER,  ///< A whole number in [low, high].
    LY_CONFIG_SWITCH,   ///< 0 for off, any other number for on.
    LY_CONFIG_WORD,     ///< One of `words`, upper and lower case alike.
} LyConfigKind;

typedef struct LyConfigKey {
    const char *name;
    LyConfigKind kind;
    bool required;
    double low, high;
    double fallback;          ///< Of numbers, integers and switches; index of a word.
    const char *const *words; ///< NULL at the end.
} LyConfigKey;

typedef struct LyConfigValue {
    bool given;
    int64_t line; ///< Of the value, from 1; 0: not from the file.
    char *text;   ///< NULL: absent.
    double
        number; ///< Numbers, integers, switches (0 or 1); index of a word. The fallback if absent.
} LyConfigValue;

/// A file read. Zero-initialise.
typedef struct LyConfig {
    LyraContext *ctx;
    const char *path; // lent
    int32_t key_count;
    const LyConfigKey *keys;
    LyConfigValue *values; // [key_count]
} LyConfig;

/// Reads text into values. Unknown keys and repeated ones are warnings in the log. Failures say
/// file, line, what was found and what is expected. Whatever happened, ly_config_end() follows.
LyraStatus ly_config_parse(LyConfig *config, LyraContext *ctx, const char *path, const char *text,
                           size_t length, int32_t key_count, const LyConfigKey *keys);

/// Place of a key among `keys`, -1 for none of that name.
int32_t ly_config_find(const LyConfig *config, LySlice name);

/// Sets a value by "key=value"; an unknown key is an error here.
LyraStatus ly_config_override(LyConfig *config, const char *assignment);

/// Fails if a required key is absent.
LyraStatus ly_config_check_required(const LyConfig *config);

void ly_config_end(LyConfig *config);

/// Puts the place of a key in front of this thread's message, unless `status` is LYRA_OK.
LyraStatus ly_config_at(const LyConfig *config, int32_t key, LyraStatus status);

/// Path that a key names, seen from the folder of the file, to ly_release(); NULL if absent.
LyraStatus ly_config_path(const LyConfig *config, int32_t key, char **path);

static inline double ly_config_number(const LyConfig *config, int32_t key)
{
    return config->values[key].number;
}

static inline bool ly_config_is_on(const LyConfig *config, int32_t key)
{
    return config->values[key].number != 0;
}

static inline bool ly_config_has(const LyConfig *config, int32_t key)
{
    return config->values[key].given;
}

/// The name of `keys` that takes the fewest changes of letters to become `name`, case aside.
const char *ly_config_nearest(LySlice name, int32_t key_count, const LyConfigKey *keys);

#endif
