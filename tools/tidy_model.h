// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Included before each source of the library when clang-tidy looks at it: tells the analyzer that
// failing gives the status of the failure, so that it does not follow paths on which a call both
// failed and returned LYRA_OK. What is asserted holds.

#include "base/base.h"

void ly_model_use(const char *format, ...);

#define ly_fail(status, ...) (ly_model_use(__VA_ARGS__), (status))
#define ly_fail_within(status, ...) (ly_model_use(__VA_ARGS__), (status))
#define ly_fail_memory(bytes) ((void)(bytes), LYRA_OUT_OF_MEMORY)

// after an assert its condition holds
#undef LYRA_ASSERT
#define LYRA_ASSERT(condition) ((condition) ? (void)0 : __builtin_unreachable())
