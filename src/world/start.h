// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// States and forces from files.

#ifndef LY_WORLD_START_H
#define LY_WORLD_START_H

#include "lyra/matrix_file.h"
#include "world/world.h"

/// Reads a matrix of Vega or an `.npy` array, seen from the world's folder, with `rows` numbers in
/// each of its columns, all finite; `columns` 0: any number. It enters the digest.
LyraStatus ly_world_load_columns(LyraWorld *world, const char *file, int64_t rows, int32_t columns,
                                 LyraDense **out);

/// Reads the files that a body starts from.
LyraStatus ly_body_load_start(LyraWorld *world, int32_t vertices, LyBody *body);

/// What Vega's integrators make of the first state, once it is there.
LyraStatus ly_world_start_vega(LyraWorld *world);

/// Adds a load of forces from a file; its bodies are selected as a whole.
LyraStatus ly_world_add_step_forces(LyraWorld *world, const LyraLoadDef *load);

/// Room for what they sum to, once all is added; and their end.
LyraStatus ly_world_prepare_step_forces(LyraWorld *world);
void ly_world_end_step_forces(LyraWorld *world);

/// Makes the matrix of `damping.laplacian`, if there is one.
LyraStatus ly_world_make_laplacian(LyraWorld *world);

#endif
