// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a message of the viewer's page: refused with a reason, or checked in every number.

#include "fuzz.h"
#include "view_message.h"

#include <math.h>
#include <string.h>

static void check_drag(const ViewMessage *message)
{
    float sum = 0;
    for (int i = 0; i < 3; ++i) {
        FUZZ_REQUIRE(isfinite(message->drag.target[i]));
        sum += message->drag.weights[i];
        FUZZ_REQUIRE(message->kind != VIEW_DRAG_START ||
                     (message->drag.weights[i] >= 0 && message->drag.weights[i] <= 1));
    }
    FUZZ_REQUIRE(message->kind != VIEW_DRAG_START || fabsf(sum - 1) < 1e-5f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ViewMessage message, untouched;
    memset(&message, 0x5a, sizeof message);
    memcpy(&untouched, &message, sizeof message);
    const char *wrong = view_message_read(data, size, &message);
    if (wrong) {
        FUZZ_REQUIRE(wrong[0] && memcmp(&message, &untouched, sizeof message) == 0);
        return 0;
    }
    FUZZ_REQUIRE(size <= VIEW_MESSAGE_MAX);
    switch (message.kind) {
    case VIEW_DRAG_START:
    case VIEW_DRAG_MOVE:
        check_drag(&message);
        break;
    case VIEW_PLAY:
        FUZZ_REQUIRE((unsigned)message.play < VIEW_PLAY_COUNT);
        break;
    case VIEW_SPEED:
        FUZZ_REQUIRE(message.speed >= 0 && isfinite(message.speed));
        break;
    case VIEW_KNOB:
        FUZZ_REQUIRE(isfinite(message.knob.value));
        break;
    case VIEW_METHOD:
        FUZZ_REQUIRE((unsigned)message.method.method < VIEW_METHOD_COUNT);
        break;
    case VIEW_SHOW:
        FUZZ_REQUIRE((unsigned)message.show.field < VIEW_FIELD_COUNT &&
                     message.show.extras <= VIEW_EXTRA_ALL);
        break;
    case VIEW_PULL:
        FUZZ_REQUIRE(message.pull.stiffness > 0 && isfinite(message.pull.stiffness) &&
                     message.pull.rings <= VIEW_RINGS_MAX);
        break;
    default:
        FUZZ_REQUIRE(message.kind == VIEW_DRAG_END || message.kind == VIEW_RECORD ||
                     message.kind == VIEW_SEEN);
    }
    return 0;
}
