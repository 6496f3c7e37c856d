// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of `lyra view` that need no network: the parser of messages, and the meeting place of
// its threads.

#include "lyra_test.h"
#include "view_hub.h"

#include <stdlib.h>
#include <string.h>

// a message of words
static size_t make(unsigned char *bytes, ViewKind kind, int count, const uint32_t *words)
{
    size_t size = VIEW_HEADER + 4 * (size_t)count;
    view_message_header(bytes, kind, (uint32_t)size);
    memcpy(bytes + VIEW_HEADER, words, 4 * (size_t)count);
    return size;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

LYRA_TEST(messages_are_read)
{
    unsigned char bytes[VIEW_MESSAGE_MAX];
    ViewMessage message;
    const uint32_t drag[] = {
        7,          2,          5,          bits_of(0.5f), bits_of(0.25f), bits_of(0.25f),
        bits_of(1), bits_of(2), bits_of(-3)};
    TEST_CHECK(!view_message_read(bytes, make(bytes, VIEW_DRAG_START, 9, drag), &message));
    TEST_CHECK(message.kind == VIEW_DRAG_START && message.drag.id == 7 &&
               message.drag.surface == 2 && message.drag.triangle == 5 &&
               message.drag.weights[0] == 0.5f && message.drag.target[2] == -3);
    double value = 0.125;
    uint32_t knob[3] = {4};
    memcpy(knob + 1, &value, sizeof value);
    TEST_CHECK(!view_message_read(bytes, make(bytes, VIEW_KNOB, 3, knob), &message));
    TEST_CHECK(message.knob.index == 4 && message.knob.value == 0.125);
    const uint32_t show[] = {VIEW_FIELD_SPEED, VIEW_EXTRA_ALL};
    TEST_CHECK(!view_message_read(bytes, make(bytes, VIEW_SHOW, 2, show), &message));
    TEST_CHECK(message.show.field == VIEW_FIELD_SPEED && message.show.extras == VIEW_EXTRA_ALL);
    const uint32_t reset[] = {VIEW_RESET};
    TEST_CHECK(!view_message_read(bytes, make(bytes, VIEW_PLAY, 1, reset), &message));
    TEST_CHECK(message.play == VIEW_RESET);
}

LYRA_TEST(weights_are_made_to_sum_to_one)
{
    unsigned char bytes[VIEW_MESSAGE_MAX];
    ViewMessage message;
    const uint32_t rounded[] = {1, 0, 0, bits_of(-1e-4f), bits_of(0.7f), bits_of(0.31f), 0, 0, 0};
    TEST_CHECK(!view_message_read(bytes, make(bytes, VIEW_DRAG_START, 9, rounded), &message));
    const float *w = message.drag.weights;
    TEST_CHECK(w[0] == 0);
    TEST_NEAR(w[0] + w[1] + w[2], 1, 1e-6);
    const uint32_t outside[] = {1, 0, 0, bits_of(-1), bits_of(1), bits_of(1), 0, 0, 0};
    TEST_CONTAINS(view_message_read(bytes, make(bytes, VIEW_DRAG_START, 9, outside), &message),
                  "outside");
}

LYRA_TEST(bad_messages_are_told_apart)
{
    const uint32_t nan = bits_of(NAN), huge = 0xffffffffu;
    const uint32_t infinite[] = {0, 0, 0x7ff00000u}, drag[] = {1, nan, 0, 0};
    const uint32_t word[] = {huge}, show[] = {VIEW_FIELD_COUNT, 0}, extras[] = {0, 16};
    const uint32_t pull[] = {0, 0x3ff00000u, VIEW_RINGS_MAX + 1}, weak[] = {0, 0, 1};
    const uint32_t method[] = {VIEW_METHOD_COUNT, 0}, back[] = {0, 0xbff00000u};
    const struct {
        ViewKind kind;
        int count;
        const uint32_t *words;
    } cases[] = {
        {VIEW_KNOB, 3, infinite}, {VIEW_DRAG_MOVE, 4, drag}, {VIEW_PLAY, 1, word},
        {VIEW_RECORD, 1, word},   {VIEW_SHOW, 2, show},      {VIEW_SHOW, 2, extras},
        {VIEW_PULL, 3, pull},     {VIEW_PULL, 3, weak},      {VIEW_METHOD, 2, method},
        {VIEW_SPEED, 2, back},    {VIEW_FRAME, 1, word},     {(ViewKind)0, 1, word},
        {VIEW_PLAY, 2, show},
    };
    unsigned char bytes[VIEW_MESSAGE_MAX];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        ViewMessage message = {.kind = VIEW_FRAME};
        size_t size = make(bytes, cases[c].kind, cases[c].count, cases[c].words);
        TEST_CHECK_MSG(view_message_read(bytes, size, &message) != NULL, "case %zu is taken", c);
        TEST_EQUAL(message.kind, VIEW_FRAME);
        // and cut anywhere
        for (size_t cut = 0; cut < size; ++cut) {
            TEST_CHECK(view_message_read(bytes, cut, &message) != NULL);
        }
    }
    const uint32_t go[] = {VIEW_GO};
    ViewMessage message;
    size_t size = make(bytes, VIEW_PLAY, 1, go);
    bytes[2] = VIEW_VERSION + 1;
    TEST_CONTAINS(view_message_read(bytes, size, &message), "version");
    // a length that is not its own
    size = make(bytes, VIEW_PLAY, 1, go);
    ++bytes[4];
    TEST_CONTAINS(view_message_read(bytes, size, &message), "length");
}

// ---- the hub ------------------------------------------------------------------------------------

static void put(ViewHub *hub, ViewSlot slot, char word)
{
    ViewBlob *blob = view_hub_blob(hub, VIEW_FRAME, VIEW_HEADER + 1);
    view_blob_bytes(blob)[VIEW_HEADER] = (unsigned char)word;
    view_hub_publish(hub, slot, blob);
}

LYRA_TEST(viewers_see_the_latest_and_each_thing_once)
{
    ViewHub hub;
    uint64_t slow = 0, quick = 0;
    view_hub_init(&hub);
    TEST_CHECK(!view_hub_take(&hub, VIEW_SLOT_FRAME, &quick));
    put(&hub, VIEW_SLOT_FRAME, 'a');
    ViewBlob *held = view_hub_take(&hub, VIEW_SLOT_FRAME, &quick);
    TEST_CHECK(held && view_blob_bytes(held)[VIEW_HEADER] == 'a');
    TEST_CHECK(!view_hub_take(&hub, VIEW_SLOT_FRAME, &quick));
    for (char word = 'b'; word <= 'z'; ++word) {
        put(&hub, VIEW_SLOT_FRAME, word);
    }
    // what somebody holds is not written over
    TEST_EQUAL(view_blob_bytes(held)[VIEW_HEADER], 'a');
    view_hub_release(&hub, held);
    ViewBlob *last = view_hub_take(&hub, VIEW_SLOT_FRAME, &slow);
    TEST_CHECK(last && view_blob_bytes(last)[VIEW_HEADER] == 'z');
    view_hub_release(&hub, last);
    view_hub_destroy(&hub);
}

LYRA_TEST(frames_are_wanted_when_somebody_looks)
{
    ViewHub hub;
    uint64_t seen = 0;
    view_hub_init(&hub);
    TEST_CHECK(!view_hub_wants_frame(&hub));
    uint32_t client = view_hub_join(&hub);
    TEST_CHECK(client != 0 && view_hub_is_here(&hub, client) && view_hub_wants_frame(&hub));
    put(&hub, VIEW_SLOT_FRAME, 'a');
    TEST_CHECK(!view_hub_wants_frame(&hub));
    view_hub_release(&hub, view_hub_take(&hub, VIEW_SLOT_FRAME, &seen));
    TEST_CHECK(view_hub_wants_frame(&hub));
    view_hub_leave(&hub, client);
    TEST_CHECK(!view_hub_wants_frame(&hub) && !view_hub_is_here(&hub, client));
    view_hub_destroy(&hub);
}

LYRA_TEST(the_queue_keeps_the_last_move_and_is_bounded)
{
    ViewHub hub;
    ViewCommand command;
    view_hub_init(&hub);
    for (uint32_t i = 0; i < 1000; ++i) {
        const ViewMessage move = {.kind = VIEW_DRAG_MOVE, .drag = {.id = 3, .target = {(float)i}}};
        TEST_CHECK(view_hub_send(&hub, 1, &move));
    }
    TEST_CHECK(view_hub_receive(&hub, &command) && command.message.drag.target[0] == 999);
    TEST_CHECK(!view_hub_receive(&hub, &command));
    const ViewMessage play = {.kind = VIEW_PLAY, .play = VIEW_STEP};
    int taken = 0;
    for (int i = 0; i < 1000; ++i) {
        taken += view_hub_send(&hub, 1, &play);
    }
    TEST_EQUAL(taken, VIEW_QUEUE_MAX);
    for (int i = 0; i < VIEW_QUEUE_MAX; ++i) {
        TEST_CHECK(view_hub_receive(&hub, &command));
    }
    TEST_CHECK(!view_hub_receive(&hub, &command));
    view_hub_destroy(&hub);
}

// a simulation that fills slots and follows commands until the end
static void *simulate(void *user)
{
    ViewHub *hub = user;
    char word = 'a';
    while (!view_hub_has_ended(hub)) {
        ViewCommand command;
        while (view_hub_receive(hub, &command)) {
            word = (char)('a' + command.message.drag.id % 26);
        }
        put(hub, VIEW_SLOT_FRAME, word);
        view_hub_wait(hub, 0.0005);
    }
    return NULL;
}

LYRA_TEST(both_threads_may_meet_at_any_time)
{
    ViewHub hub;
    pthread_t thread;
    uint64_t seen[4] = {0};
    int frames = 0;
    view_hub_init(&hub);
    TEST_REQUIRE(pthread_create(&thread, NULL, simulate, &hub) == 0);
    for (uint32_t i = 0; i < 2000 || frames < 20; ++i) {
        const ViewMessage end = {.kind = VIEW_DRAG_END, .drag = {.id = i}};
        view_hub_send(&hub, 1, &end);
        ViewBlob *blob = view_hub_take(&hub, VIEW_SLOT_FRAME, &seen[i % 4]);
        if (blob) {
            ++frames;
            int word = view_blob_bytes(blob)[VIEW_HEADER];
            TEST_CHECK(word >= 'a' && word <= 'z');
            view_hub_release(&hub, blob);
        }
        if (i % 100 == 0) {
            view_hub_leave(&hub, view_hub_join(&hub));
        }
    }
    view_hub_end(&hub);
    pthread_join(thread, NULL);
    view_hub_destroy(&hub);
}
