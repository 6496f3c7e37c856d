// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Checkpoints from memory.

#ifndef LY_IO_CHECKPOINT_H
#define LY_IO_CHECKPOINT_H

#include "lyra/output.h"

/// As lyra_checkpoint_load(), from the bytes of a file; `path` for messages.
LyraStatus ly_checkpoint_parse(LyraContext *ctx, const char *path, const char *text, size_t length,
                               LyraState *state, char **note, size_t *note_length);

#endif
