// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the tests of scenes in YAML share.

#ifndef LYRA_TEST_SCENE_YAML_H
#define LYRA_TEST_SCENE_YAML_H

#include "lyra/base.h"
#include "lyra_test.h"

#include <string.h>

/// Whether this build reads YAML.
static inline bool has_yaml(void)
{
    bool used = false;
    const char *name;
    for (int32_t i = 0; (name = lyra_feature(i, &used)) != NULL; ++i) {
        if (strcmp(name, "yaml") == 0) {
            return used;
        }
    }
    return false;
}

#define REQUIRE_YAML()                                                                             \
    do {                                                                                           \
        if (!has_yaml()) {                                                                         \
            TEST_SKIP("this build is without libyaml");                                            \
        }                                                                                          \
    } while (0)

#endif
