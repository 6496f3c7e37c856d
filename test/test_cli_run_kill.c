// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra run` killed fifty times at random moments: nothing is lost but the steps since the last
// checkpoint, and the end is the same to the last bit.

#include "run_cases.h"

LYRA_TEST(cli_run_survives_fifty_kills)
{
    check_kills(50, 17);
}
