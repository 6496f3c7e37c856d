// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Patch tests.

#include "verify.h"

const VerifyCase verify_patch_cases[] = {
    {0},
};
