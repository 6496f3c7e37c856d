// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Numbers of bodies that are turned as a factor on what each body started with, so that bodies and
// elements that differ keep their ratios. Where all agree the number is shown in its unit,
// otherwise as the factor.

#include "world/parameters.h"

#include <math.h>

// bodies [*first, *end) that a number is of
static void range_of(const LyraWorld *world, int32_t body, int32_t *first, int32_t *end)
{
    *first = body < 0 ? 0 : body;
    *end = body < 0 ? world->body_count : body + 1;
}

static double *factor_of(const LyraWorld *world, const LyScaled *scaled, int32_t body)
{
    return (double *)((char *)&world->bodies[body] + scaled->factor);
}

static bool has(const LyraWorld *world, int32_t body, const LyScaled *scaled)
{
    int32_t first, end;
    bool some = false;
    range_of(world, body, &first, &end);
    for (int32_t b = first; b < end; ++b) {
        bool own = scaled->start(world, b, scaled->number) != 0;
        if (own && scaled->changes && scaled->changes(world, b, scaled->number)) {
            return false;
        }
        some |= own;
    }
    return some;
}

static void read(const LyraWorld *world, int32_t body, const LyScaled *scaled,
                 LyraWorldParameter *out)
{
    int32_t first, end;
    double start = NAN, factor = 1;
    bool begun = false;
    range_of(world, body, &first, &end);
    for (int32_t b = first; b < end; ++b) {
        double own = scaled->start(world, b, scaled->number);
        if (own != 0) {
            start = begun && start != own ? NAN : own;
            factor = begun ? factor : *factor_of(world, scaled, b);
            begun = true;
        }
    }
    ly_read_scaled(start, scaled->unit, factor, scaled->range, out);
}

static LyraStatus set(LyraWorld *world, LyUndo *undo, int32_t body, const LyScaled *scaled,
                      double value)
{
    int32_t first, end;
    LyraWorldParameter now = {0};
    double factor;
    read(world, body, scaled, &now);
    LY_TRY(ly_find_factor(scaled->name, value, now.start, &factor));
    range_of(world, body, &first, &end);
    for (int32_t b = first; b < end; ++b) {
        if (scaled->start(world, b, scaled->number) != 0) {
            LY_TRY(scaled->set(world, undo, b, scaled->number, factor));
            LY_TRY(ly_undo_set_number(undo, factor_of(world, scaled, b), factor));
        }
    }
    return LYRA_OK;
}

// ---- whatever way a number is turned ------------------------------------------------------------

bool ly_live_has(const LyLive *live, const LyraWorld *world, int32_t body)
{
    return live->scaled ? has(world, body, live->scaled) : live->has(world, body);
}

void ly_live_read(const LyLive *live, const LyraWorld *world, int32_t body, LyraWorldParameter *out)
{
    if (live->scaled) {
        read(world, body, live->scaled, out);
    } else {
        live->read(world, body, out);
    }
}

LyraStatus ly_live_set(const LyLive *live, LyraWorld *world, LyUndo *undo, int32_t body,
                       double value)
{
    return live->scaled ? set(world, undo, body, live->scaled, value)
                        : live->set(world, undo, body, value);
}
