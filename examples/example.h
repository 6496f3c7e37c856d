// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the examples share: a call that must succeed.

#ifndef LYRA_EXAMPLE_H
#define LYRA_EXAMPLE_H

#include "lyra/lyra.h"

#include <stdio.h>
#include <stdlib.h>

/// Ends the program with the library's sentence unless a call succeeded.
static inline void check(LyraStatus status)
{
    if (status != LYRA_OK) {
        fprintf(stderr, "%s: %s\n", lyra_status_name(status), lyra_error_message());
        exit(1);
    }
}

/// A box of tets.
static inline LyraMeshShapeDef make_box(const int32_t cells[3], double cell)
{
    LyraMeshShapeDef box = lyra_mesh_shape_def_default();
    for (int i = 0; i < 3; ++i) {
        box.cells[i] = cells[i];
        box.size[i] = cell * cells[i];
    }
    return box;
}

#endif
