// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "base/choices.h"

#include <stdio.h>
#include <string.h>

#define WORD_CHARS 63

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// row i of the table holds the distances of the first i letters of a to all beginnings of b
int32_t ly_edit_distance(const char *a, const char *b)
{
    int32_t row[WORD_CHARS + 1], length = (int32_t)strnlen(b, WORD_CHARS + 1);
    if (length > WORD_CHARS) {
        return INT32_MAX;
    }
    for (int32_t j = 0; j <= length; ++j) {
        row[j] = j;
    }
    for (int32_t i = 0; a[i] && i <= WORD_CHARS; ++i) {
        int32_t diagonal = row[0];
        row[0] = i + 1;
        for (int32_t j = 1; j <= length; ++j) {
            int32_t replaced = diagonal + (lower(a[i]) != lower(b[j - 1]));
            int32_t other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replaced < other ? replaced : other;
        }
    }
    return row[length];
}

void ly_choices_add(LyChoices *names, const char *name)
{
    size_t used = strlen(names->list), length = strlen(name);
    if (names->left_out > 0 || used + length + 2 >= sizeof names->list) {
        ++names->left_out;
    } else {
        ly_list_name(sizeof names->list, names->list, name);
    }
    int32_t distance = ly_edit_distance(names->word, name);
    // a third of its letters may be wrong, two at least, but one of three
    int32_t allowed = length < 4 ? 1 : length < 9 ? 2 : (int32_t)length / 3;
    if (distance <= allowed && (!names->nearest || distance < names->distance)) {
        names->distance = distance;
        names->nearest = name;
    }
}

const char *ly_choices_expected(const LyChoices *names, const char *none,
                                char text[2 * LY_CHOICES_CHARS])
{
    char more[32] = "";
    if (names->left_out > 0) {
        snprintf(more, sizeof more, " and %d more", (int)names->left_out);
    }
    if (names->nearest && strcmp(names->nearest, names->list) == 0) {
        snprintf(text, 2 * LY_CHOICES_CHARS, "\"%.63s\" perhaps", names->nearest);
    } else if (names->nearest) {
        snprintf(text, 2 * LY_CHOICES_CHARS, "\"%.63s\" perhaps, or another of: %s%s",
                 names->nearest, names->list, more);
    } else if (names->list[0]) {
        snprintf(text, 2 * LY_CHOICES_CHARS, "one of: %s%s", names->list, more);
    } else {
        snprintf(text, 2 * LY_CHOICES_CHARS, "%s", none);
    }
    return text;
}
