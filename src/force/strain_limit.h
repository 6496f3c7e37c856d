// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the sources of strain limits share.

#ifndef LY_FORCE_STRAIN_LIMIT_H
#define LY_FORCE_STRAIN_LIMIT_H

#include "force/cloth.h"
#include "lyra/strain_limit.h"

LY_KERNEL_DECLARE(LyClothKernel, ly_strain_limit);

#endif
