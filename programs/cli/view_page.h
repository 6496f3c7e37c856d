// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The files of the viewer's page, as web/build.mjs puts them into the program.

#ifndef LYRA_CLI_VIEW_PAGE_H
#define LYRA_CLI_VIEW_PAGE_H

#include <stddef.h>

typedef struct ViewPage {
    const char *path;           ///< Behind the token, "" for the page itself.
    const char *type;           ///< As HTTP has it.
    const unsigned char *bytes; ///< Packed by gzip.
    size_t size;
} ViewPage;

/// Ended by a NULL path.
extern const ViewPage view_pages[];

#endif
