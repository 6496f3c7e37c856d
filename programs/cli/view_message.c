// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parser of messages from the page. Whoever has the token may send anything, so a message is
// read by its exact length, and nothing of it is believed before it was checked.

#include "view_message.h"

#include <math.h>
#include <string.h>

// ---- bytes --------------------------------------------------------------------------------------

static uint32_t read_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float read_f32(const uint8_t *at)
{
    uint32_t bits = read_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double read_f64(const uint8_t *at)
{
    uint64_t bits = read_u32(at) | (uint64_t)read_u32(at + 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void view_message_header(uint8_t bytes[VIEW_HEADER], ViewKind kind, uint32_t size)
{
    const uint8_t header[VIEW_HEADER] = {'L',
                                         'Y',
                                         VIEW_VERSION,
                                         (uint8_t)kind,
                                         (uint8_t)size,
                                         (uint8_t)(size >> 8),
                                         (uint8_t)(size >> 16),
                                         (uint8_t)(size >> 24)};
    memcpy(bytes, header, VIEW_HEADER);
}

// ---- kinds --------------------------------------------------------------------------------------

// each reads what stands behind the header, of the length in the table below
typedef const char *Reader(const uint8_t *at, ViewMessage *out);

static bool read_point(const uint8_t *at, float point[3])
{
    bool finite = true;
    for (int i = 0; i < 3; ++i) {
        point[i] = read_f32(at + 4 * i);
        finite &= isfinite(point[i]) != 0;
    }
    return finite;
}

static const char *read_drag_start(const uint8_t *at, ViewMessage *out)
{
    out->drag.id = read_u32(at);
    out->drag.surface = read_u32(at + 4);
    out->drag.triangle = read_u32(at + 8);
    float *w = out->drag.weights;
    if (!read_point(at + 12, w) || !read_point(at + 24, out->drag.target)) {
        return "a drag with numbers that are not finite";
    }
    for (int i = 0; i < 3; ++i) {
        // the page rounds
        if (w[i] < -1e-3f || w[i] > 1.001f) {
            return "a drag outside of its triangle";
        }
        w[i] = fmaxf(w[i], 0);
    }
    float sum = w[0] + w[1] + w[2];
    if (!(sum > 0.9f && sum < 1.1f)) {
        return "a drag outside of its triangle";
    }
    for (int i = 0; i < 3; ++i) {
        w[i] /= sum;
    }
    return NULL;
}

static const char *read_drag_move(const uint8_t *at, ViewMessage *out)
{
    out->drag.id = read_u32(at);
    return read_point(at + 4, out->drag.target) ? NULL : "a drag to a place that is not finite";
}

static const char *read_drag_end(const uint8_t *at, ViewMessage *out)
{
    out->drag.id = read_u32(at);
    return NULL;
}

static const char *read_play(const uint8_t *at, ViewMessage *out)
{
    uint32_t word = read_u32(at);
    out->play = (ViewPlay)word;
    return word < VIEW_PLAY_COUNT ? NULL : "an unknown word to play by";
}

static const char *read_speed(const uint8_t *at, ViewMessage *out)
{
    out->speed = read_f64(at);
    return out->speed >= 0 && out->speed <= 1e6 ? NULL : "a speed outside of 0 to 1e6";
}

static const char *read_knob(const uint8_t *at, ViewMessage *out)
{
    out->knob.index = read_u32(at);
    out->knob.value = read_f64(at + 4);
    return isfinite(out->knob.value) ? NULL : "a number that is not finite";
}

static const char *read_method(const uint8_t *at, ViewMessage *out)
{
    uint32_t word = read_u32(at);
    out->method.method = (ViewMethod)word;
    out->method.index = read_u32(at + 4);
    return word < VIEW_METHOD_COUNT ? NULL : "an unknown kind of method";
}

static const char *read_show(const uint8_t *at, ViewMessage *out)
{
    uint32_t word = read_u32(at);
    out->show.field = (ViewField)word;
    out->show.extras = read_u32(at + 4);
    return word < VIEW_FIELD_COUNT && out->show.extras <= VIEW_EXTRA_ALL
               ? NULL
               : "an unknown thing to show";
}

static const char *read_pull(const uint8_t *at, ViewMessage *out)
{
    out->pull.stiffness = read_f64(at);
    out->pull.rings = read_u32(at + 8);
    return out->pull.stiffness > 0 && isfinite(out->pull.stiffness) &&
                   out->pull.rings <= VIEW_RINGS_MAX
               ? NULL
               : "a pull without strength or with too many rings";
}

static const char *read_record(const uint8_t *at, ViewMessage *out)
{
    uint32_t word = read_u32(at);
    out->record = word == 1;
    return word <= 1 ? NULL : "an unknown word to record by";
}

static const char *read_seen(const uint8_t *at, ViewMessage *out)
{
    out->seen = read_u32(at);
    return NULL;
}

static const struct {
    size_t length; // behind the header
    Reader *read;
} kinds[] = {
    [VIEW_DRAG_START] = {36, read_drag_start},
    [VIEW_DRAG_MOVE] = {16, read_drag_move},
    [VIEW_DRAG_END] = {4, read_drag_end},
    [VIEW_PLAY] = {4, read_play},
    [VIEW_SPEED] = {8, read_speed},
    [VIEW_KNOB] = {12, read_knob},
    [VIEW_METHOD] = {8, read_method},
    [VIEW_SHOW] = {8, read_show},
    [VIEW_PULL] = {12, read_pull},
    [VIEW_RECORD] = {4, read_record},
    [VIEW_SEEN] = {4, read_seen},
};

const char *view_message_read(const void *bytes, size_t size, ViewMessage *out)
{
    const uint8_t *at = bytes;
    if (size < VIEW_HEADER || at[0] != 'L' || at[1] != 'Y') {
        return "not a message of the viewer";
    }
    if (at[2] != VIEW_VERSION) {
        return "a message of another version";
    }
    if (at[3] == 0 || at[3] >= sizeof kinds / sizeof *kinds) {
        return "a message of an unknown kind";
    }
    if (read_u32(at + 4) != size || size != VIEW_HEADER + kinds[at[3]].length) {
        return "a message of a wrong length";
    }
    ViewMessage message = {.kind = (ViewKind)at[3]};
    const char *wrong = kinds[at[3]].read(at + VIEW_HEADER, &message);
    if (!wrong) {
        *out = message;
    }
    return wrong;
}
