// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What a user's program does first: the headers and the library belong together and work.

#include <lyra/lyra.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    LyraContext *ctx = NULL;
    if (strcmp(lyra_version(), LYRA_VERSION) != 0 || lyra_context_create(NULL, &ctx) != LYRA_OK) {
        return 1;
    }
    printf("lyra %s, %s kernels\n", lyra_version(), lyra_isa_name(lyra_context_isa(ctx)));
    lyra_context_destroy(ctx);
    return 0;
}
