// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a `.massspring` file of each kind: a status, or all keys that it needs.

#include "fuzz_surface.h"
#include "scene/vega_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    LyraContext *ctx = fuzz_context();
    char *text = fuzz_text(data, size);
    for (int kind = LY_SPRINGS_OBJ; kind <= LY_SPRINGS_CUBIC; ++kind) {
        int32_t count = 0;
        const LyConfigKey *keys = ly_vega_spring_keys((LyVegaSprings)kind, &count);
        LyConfig config = {0};
        LyraStatus status =
            ly_config_parse(&config, ctx, "fuzz.massspring", text, size, count, keys);
        if (status == LYRA_OK) {
            status = ly_config_check_required(&config);
        }
        for (int32_t k = 0; status == LYRA_OK && k < count; ++k) {
            FUZZ_REQUIRE(!keys[k].required || config.values[k].text);
            FUZZ_REQUIRE(isfinite(config.values[k].number) && config.values[k].number >= 0);
        }
        FUZZ_REQUIRE(status == LYRA_OK || lyra_error_message()[0]);
        ly_config_end(&config);
    }
    free(text);
    FUZZ_REQUIRE(lyra_context_byte_count(ctx) == 0);
    return 0;
}
