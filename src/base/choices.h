// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Sentences that refuse a word: the names that were allowed, and the one that is nearest to it.

#ifndef LY_BASE_CHOICES_H
#define LY_BASE_CHOICES_H

#include "base/base.h"

#define LY_CHOICES_CHARS 400

/// Names that a word may be. Zero-initialise, set `word`.
typedef struct LyChoices {
    const char *word;
    const char *nearest; // the caller's; NULL: none is near
    int32_t distance;
    int32_t left_out;            // did not fit into the list
    char list[LY_CHOICES_CHARS]; // with commas between
} LyChoices;

/// `name` must outlive `names`.
void ly_choices_add(LyChoices *names, const char *name);

/// What was expected: `"NEAREST" perhaps, or another of: LIST`, `one of: LIST`, or `none` where
/// there is no name. Written to `text`, which is returned.
const char *ly_choices_expected(const LyChoices *names, const char *none,
                                char text[2 * LY_CHOICES_CHARS]);

/// Letters to insert, delete or replace to make b of a (Levenshtein), upper and lower case alike;
/// INT32_MAX where b is longer than 63 bytes. Of a, 64 bytes count.
int32_t ly_edit_distance(const char *a, const char *b);

#endif
