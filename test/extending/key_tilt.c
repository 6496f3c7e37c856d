// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The key `tilt`: turns gravity about z, as on a table that is tilted, and is a slider.

#include "lyra/model.h"
#include "world/keys_rows.h"
#include "world/parameters.h"

#include <math.h>

typedef struct Tilt { // in the library: a field `double tilt` of LyWorldSpec
    double tilt;
} Tilt;

// not where gravity changes by itself
static bool has_tilt(const LyraWorld *world, int32_t body)
{
    (void)body;
    return !world->gravity_changes;
}

static void read_tilt(const LyraWorld *world, int32_t body, LyraWorldParameter *out)
{
    (void)body;
    LyraModelView model = lyra_model_view(world->model);
    out->unit = "rad";
    out->value = atan2(model.gravity[0], -model.gravity[1]);
    out->low = -1;
    out->high = 1;
}

static LyraStatus set_tilt(LyraWorld *world, LyUndo *undo, int32_t body, double value)
{
    (void)undo, (void)body;
    LyraModelView model = lyra_model_view(world->model);
    double g = hypot(model.gravity[0], model.gravity[1]);
    return lyra_model_set_gravity(world->model,
                                  (double[]){g * sin(value), -g * cos(value), model.gravity[2]});
}

static const LyLive live_tilt = {.has = has_tilt, .read = read_tilt, .set = set_tilt};

static const LyKey tilt_keys[] = {
    {"tilt", LY_KEY_NUMBER, AT(Tilt, tilt), .unit = "rad", .meaning = "Turns gravity about z.",
     .live = &live_tilt},
};
GROUP(tilt, Tilt, NULL, "scene", "One more key of the whole file.");
