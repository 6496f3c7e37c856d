// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef LY_SPARSE_DOFS_H
#define LY_SPARSE_DOFS_H

#include "base/base.h"
#include "lyra/dofs.h"

struct LyraDofs {
    LyraContext *ctx;
    int32_t count, free_count, fixed_count;
    int32_t *free, *fixed, *reduced;
};

#endif
