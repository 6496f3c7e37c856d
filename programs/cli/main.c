// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "lyra/lyra.h"

#include <stdio.h>

int main(void)
{
    printf("lyra %s\n", lyra_version());
    return 0;
}
