// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a `.config` file, and their first line as an override: a status, or values in the
// ranges of their keys.

#include "fuzz_surface.h"
#include "scene/vega_scene.h"

#include <string.h>

static void check_values(const LyConfig *config)
{
    for (int32_t k = 0; k < config->key_count; ++k) {
        const LyConfigKey *key = &config->keys[k];
        const LyConfigValue *value = &config->values[k];
        FUZZ_REQUIRE(value->given == (value->text != NULL));
        FUZZ_REQUIRE(isfinite(value->number));
        FUZZ_REQUIRE(!value->given || key->kind != LY_CONFIG_POSITIVE || value->number > 0);
        if (key->kind == LY_CONFIG_INTEGER) {
            FUZZ_REQUIRE(value->number >= key->low && value->number <= key->high);
        }
        if (key->kind == LY_CONFIG_WORD) {
            for (int32_t w = 0; w < (int32_t)value->number; ++w) {
                FUZZ_REQUIRE(key->words[w + 1]);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    char *text = fuzz_text(data, size);
    LyConfig config = {0};
    const LyConfigKey *keys = ly_vega_is_cloth(text, size) ? ly_vega_cloth_keys : ly_vega_keys;
    LyraStatus status =
        ly_config_parse(&config, ctx, "fuzz.config", text, size, LY_VEGA_KEY_COUNT, keys);
    if (status == LYRA_OK) {
        check_values(&config);
        text[strcspn(text, "\n")] = '\0';
        status = ly_config_override(&config, text);
        check_values(&config);
    }
    FUZZ_REQUIRE(status == LYRA_OK || lyra_error_message()[0]);
    ly_config_end(&config);
    free(text);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
