// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra view` without a browser: who may look, what it says, and all that a page would not do.

#include "view_client.h"

#define REQUIRE_VIEWER()                                                                           \
    do {                                                                                           \
        if (!has_viewer()) {                                                                       \
            TEST_SKIP("this build is without the viewer");                                         \
        }                                                                                          \
    } while (0)

#define REQUIRE_SERVER(server, options)                                                            \
    do {                                                                                           \
        REQUIRE_VIEWER();                                                                          \
        TEST_REQUIRE(start(&(server), options));                                                   \
    } while (0)

static bool has_viewer(void)
{
    lyra("version");
    return strstr(output, "viewer     yes") != NULL;
}

static bool start(ViewProcess *server, const char *options)
{
    char arguments[4096];
    snprintf(arguments, sizeof arguments, "%s --threads 1 %s", make_scene(), options);
    return view_start(server, arguments);
}

// the server is well: somebody else gets a scene and a frame
static void check_alive(const ViewProcess *server)
{
    int other = view_join(server);
    TEST_CHECK(other >= 0);
    ViewReply scene = view_await(other, VIEW_SCENE);
    TEST_EQUAL(scene.kind, VIEW_SCENE);
    free(scene.bytes);
    TEST_CHECK(view_await_frame(other, NULL).good);
    close(other);
}

LYRA_TEST(a_build_without_the_viewer_says_so)
{
    if (has_viewer()) {
        TEST_SKIP("this build has the viewer");
    }
    TEST_EQUAL(lyra("view scene.yaml"), 1);
    TEST_CONTAINS(errors, "this build has no viewer");
}

LYRA_TEST(wrong_command_lines_are_explained)
{
    TEST_EQUAL(lyra("view"), 2);
    TEST_EQUAL(lyra("view a.yaml --port 70000"), 2);
    TEST_CONTAINS(errors, "--port is 70000");
    TEST_EQUAL(lyra("view --help"), 0);
    TEST_CONTAINS(output, "--listen");
    REQUIRE_VIEWER();
    TEST_EQUAL(lyra("view /nowhere/a.yaml"), 1);
    TEST_CONTAINS(errors, "/nowhere/a.yaml");
}

LYRA_TEST(a_taken_port_is_one_sentence)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    TEST_EQUAL(lyra("view %s --port %d", make_scene(), server.port), 1);
    TEST_CONTAINS(errors, "cannot listen at 127.0.0.1 port");
    TEST_EQUAL(view_stop(&server, SIGTERM), 143);
}

LYRA_TEST(only_the_page_is_served_and_only_with_the_token)
{
    char head[4096], path[256];
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    static const char *const files[] = {"", "viewer.js", "viewer.css", "icon.svg"};
    for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
        snprintf(path, sizeof path, "/%s/%s", server.token, files[f]);
        TEST_EQUAL(view_get(&server, path, "localhost", head, sizeof head), 200);
        TEST_CONTAINS(head, "content-security-policy: default-src 'none'");
    }
    static const char *const others[] = {
        "/", "/viewer.js", "//", "/%s", "/%s/../../etc/passwd", "/%s/nothing", "/x%s/", "/%sx/"};
    for (size_t o = 0; o < sizeof others / sizeof *others; ++o) {
        const char *at = strstr(others[o], "%s");
        snprintf(path, sizeof path, "%.*s%s%s", at ? (int)(at - others[o]) : 100, others[o],
                 at ? server.token : "", at ? at + 2 : "");
        int code = view_get(&server, path, "localhost", head, sizeof head);
        TEST_CHECK_MSG(code == 404 || code == 403, "%s gave %d", others[o], code);
    }
    // one wrong letter of the token
    snprintf(path, sizeof path, "/%s/", server.token);
    path[5] = path[5] == 'a' ? 'b' : 'a';
    TEST_EQUAL(view_get(&server, path, "localhost", head, sizeof head), 404);
    // names that a stranger could point at this machine
    snprintf(path, sizeof path, "/%s/", server.token);
    TEST_EQUAL(view_get(&server, path, "evil.example", head, sizeof head), 404);
    TEST_EQUAL(view_get(&server, path, "localhost.evil.example:80", head, sizeof head), 404);
    TEST_EQUAL(view_get(&server, path, "127.0.0.1:1", head, sizeof head), 200);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(sockets_need_the_token_and_the_right_origin)
{
    char wrong[64], origin[64];
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    snprintf(wrong, sizeof wrong, "%s", server.token);
    wrong[31] = wrong[31] == '0' ? '1' : '0';
    snprintf(origin, sizeof origin, "http://127.0.0.1:%d", server.port);
    TEST_EQUAL(view_open(&server, wrong, "lyra-view", NULL), -1);
    TEST_EQUAL(view_open(&server, "", "lyra-view", NULL), -1);
    TEST_EQUAL(view_open(&server, server.token, NULL, NULL), -1);
    TEST_EQUAL(view_open(&server, server.token, "other", NULL), -1);
    TEST_EQUAL(view_open(&server, server.token, "lyra-view", "http://evil.example"), -1);
    TEST_EQUAL(view_open(&server, server.token, "lyra-view", "null"), -1);
    int good = view_open(&server, server.token, "lyra-view", origin);
    TEST_CHECK(good >= 0);
    close(good);
    check_alive(&server);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

// ---- the simulation -----------------------------------------------------------------------------

static double wanted_steps;

static bool has_steps(const ViewFrame *frame)
{
    return frame->steps == wanted_steps;
}

LYRA_TEST(step_reset_play_and_pause_work)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int file = view_join(&server);
    ViewFrame rest = view_await_frame(file, NULL);
    TEST_CHECK(rest.good && rest.steps == 0 && rest.vertices > 0);
    for (int s = 1; s <= 3; ++s) {
        TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_STEP));
        wanted_steps = s;
        ViewFrame frame = view_await_frame(file, has_steps);
        TEST_NEAR(frame.time, 0.01 * s, 1e-12);
        TEST_CHECK(frame.lowest < rest.lowest);
    }
    TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_RESET));
    wanted_steps = 0;
    ViewFrame again = view_await_frame(file, has_steps);
    TEST_CHECK(again.good && again.time == 0 && again.lowest == rest.lowest);
    // as fast as it goes, until some steps are taken
    const uint32_t fast[] = {0, 0};
    TEST_CHECK(view_say(file, VIEW_SPEED, 2, fast));
    TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_GO));
    ViewFrame later = {0};
    for (int i = 0; i < 2000 && later.steps < 20; ++i) {
        later = view_await_frame(file, NULL);
    }
    TEST_CHECK(later.steps >= 20);
    TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_PAUSE));
    // the state says that it rests; the steps stay
    ViewReply state = view_await(file, VIEW_STATE);
    while (state.kind && !strstr((char *)state.bytes + VIEW_HEADER + 8, "\"playing\": false")) {
        free(state.bytes);
        state = view_await(file, VIEW_STATE);
    }
    TEST_EQUAL(state.kind, VIEW_STATE);
    free(state.bytes);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

static bool has_drag(const ViewFrame *frame)
{
    return frame->drags == 1;
}

static bool has_no_drag(const ViewFrame *frame)
{
    return frame->drags == 0;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// pulls the first triangle far up
static bool pull_up(int file, uint32_t id)
{
    const uint32_t words[] = {id, 0,          0, bits_of(0.5f), bits_of(0.25f), bits_of(0.25f),
                              0,  bits_of(5), 0};
    return view_say(file, VIEW_DRAG_START, 9, words);
}

LYRA_TEST(a_drag_pulls_and_ends_with_its_viewer)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int watcher = view_join(&server), puller = view_join(&server);
    TEST_CHECK(view_await_frame(watcher, NULL).good);
    TEST_CHECK(pull_up(puller, 7));
    TEST_CHECK(view_await_frame(watcher, has_drag).good);
    // a strong spring: steps lift what they would let fall
    TEST_CHECK(view_say_word(puller, VIEW_PLAY, VIEW_STEP));
    wanted_steps = 1;
    TEST_CHECK(view_await_frame(watcher, has_steps).good);
    // gone in the middle of it, without a word
    close(puller);
    TEST_CHECK(view_await_frame(watcher, has_no_drag).good);
    // and one that says so
    puller = view_join(&server);
    TEST_CHECK(pull_up(puller, 8) && pull_up(puller, 8));
    TEST_CHECK(view_await_frame(watcher, has_drag).good);
    TEST_CHECK(view_say_word(puller, VIEW_DRAG_END, 8));
    TEST_CHECK(view_await_frame(watcher, has_no_drag).good);
    close(puller);
    close(watcher);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

// the place of a number in the list that the server sends
static uint32_t number_index(const char *state, const char *name)
{
    char quoted[100];
    snprintf(quoted, sizeof quoted, "\"name\": \"%s\"", name);
    const char *found = strstr(state, quoted), *at = strstr(state, "\"knobs\": ");
    uint32_t count = 0;
    TEST_CHECK_MSG(found && at, "no number %s", name);
    while (found && at && (at = strstr(at, "\"path\": ")) && at < found) {
        ++at, ++count;
    }
    return count - 1;
}

LYRA_TEST(two_viewers_see_the_same_numbers)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int one = view_join(&server), other = view_join(&server);
    ViewReply first = view_await(one, VIEW_STATE);
    TEST_REQUIRE(first.kind == VIEW_STATE);
    double young = 12345;
    uint32_t words[3] = {number_index((char *)first.bytes + VIEW_HEADER + 8, "material.young")};
    free(first.bytes);
    TEST_CHECK(view_await_frame(one, NULL).good && view_await_frame(other, NULL).good);
    memcpy(words + 1, &young, sizeof young);
    TEST_CHECK(view_say(one, VIEW_KNOB, 3, words));
    for (int i = 0; i < 2; ++i) {
        ViewReply state = view_await(i ? other : one, VIEW_STATE);
        TEST_EQUAL(state.kind, VIEW_STATE);
        TEST_CONTAINS((char *)state.bytes + VIEW_HEADER + 8, "\"value\": 12345");
        free(state.bytes);
    }
    // a number out of range is a notice to both
    young = -1;
    memcpy(words + 1, &young, sizeof young);
    TEST_CHECK(view_say(other, VIEW_KNOB, 3, words));
    for (int i = 0; i < 2; ++i) {
        ViewReply notice = view_await(i ? other : one, VIEW_NOTICE);
        TEST_EQUAL(notice.kind, VIEW_NOTICE);
        TEST_CONTAINS((char *)notice.bytes + VIEW_HEADER, "young is");
        free(notice.bytes);
    }
    close(one);
    close(other);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(things_that_are_not_there_are_passed_over)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int file = view_join(&server);
    const uint32_t half = bits_of(0.5f);
    const uint32_t surface[] = {1, 99, 0, half, half, 0, 0, 0, 0};
    const uint32_t triangle[] = {2, 0, 4000000000u, half, half, 0, 0, 0, 0};
    const uint32_t knob[] = {4000000000u, 0, 0}, method[] = {0, 4000000000u}, solver[] = {1, 77};
    TEST_CHECK(view_say(file, VIEW_DRAG_START, 9, surface));
    TEST_CHECK(view_say(file, VIEW_DRAG_START, 9, triangle));
    TEST_CHECK(view_say(file, VIEW_KNOB, 3, knob));
    TEST_CHECK(view_say(file, VIEW_METHOD, 2, method));
    TEST_CHECK(view_say(file, VIEW_METHOD, 2, solver));
    TEST_CHECK(view_say_word(file, VIEW_DRAG_END, 55));
    TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_STEP));
    wanted_steps = 1;
    ViewFrame frame = view_await_frame(file, has_steps);
    TEST_CHECK(frame.good && frame.drags == 0);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(everything_that_can_be_shown_comes)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int file = view_join(&server);
    size_t plain = 0;
    for (uint32_t field = 0; field < VIEW_FIELD_COUNT; ++field) {
        const uint32_t show[] = {field, VIEW_EXTRA_ALL & ~(field % 2 ? 4u : 2u)};
        TEST_CHECK(view_say(file, VIEW_SHOW, 2, field ? show : (const uint32_t[]){0, 0}));
        TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_STEP));
        wanted_steps = field + 1;
        ViewReply reply = {0};
        do {
            free(reply.bytes);
            reply = view_await(file, VIEW_FRAME);
        } while (reply.kind && view_frame_of(&reply).steps != wanted_steps);
        uint32_t counts[8] = {0};
        memcpy(counts, reply.bytes + VIEW_HEADER + 128, sizeof counts);
        plain = field ? plain : reply.size;
        TEST_EQUAL(counts[1], field ? counts[0] : 0);
        TEST_CHECK(field == 0 || (counts[2] > 0 && counts[4] > 0 && reply.size > plain));
        TEST_EQUAL(reply.size, VIEW_HEADER + 128 + 32 +
                                   4 * (3 * counts[0] + counts[1] + 3 * counts[2] + 3 * counts[3] +
                                        12 * counts[4] + 7 * counts[5] + 9 * counts[6]));
        free(reply.bytes);
    }
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

// the counts of a frame with something shown, and its bytes, to free()
static ViewReply shown_frame(int file, uint32_t extras, uint32_t counts[8])
{
    const uint32_t show[] = {0, extras};
    TEST_CHECK(view_say(file, VIEW_SHOW, 2, show));
    ViewReply reply = {0};
    memset(counts, 0, 8 * sizeof *counts);
    do {
        free(reply.bytes);
        reply = view_await(file, VIEW_FRAME);
        if (reply.kind) {
            memcpy(counts, reply.bytes + VIEW_HEADER + 128, 8 * sizeof *counts);
        }
    } while (reply.kind && extras & VIEW_EXTRA_LOADS && counts[5] == 0);
    return reply;
}

LYRA_TEST(loads_on_surfaces_and_further_surfaces_come)
{
    REQUIRE_VIEWER();
    if (!strstr(output, "yaml       yes")) {
        TEST_SKIP("this build reads no YAML");
    }
    ViewProcess server;
    char arguments[2048];
    // a pressure of 1 kPa on the top of a cube, a pull of 2 kPa at its side; a tetrahedron inside
    static const char inner[] = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\n"
                                "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    static const char outer[] = "v -0.2 0 0\nv 0.2 0 0\nv 0 0.2 0\nf 1 2 3\n";
    static const char text[] =
        "bodies:\n"
        "  - generate: {shape: box, size: [1, 1, 1], cells: [2, 2, 2]}\n"
        "    material: {young: 1 MPa}\n"
        "    surfaces: [{file: inner.obj}, {file: outer.obj}]\n"
        "loads:\n"
        "  - {type: pressure, select: {normal: {direction: [0, 1, 0]}}, pressure: 1 kPa}\n"
        "  - {type: traction, select: {normal: {direction: [1, 0, 0]}}, traction: [2 kPa, 0, 0]}\n"
        "time: {dt: 1 ms}\n";
    test_write_file(kept("inner.obj"), inner, sizeof inner - 1);
    test_write_file(kept("outer.obj"), outer, sizeof outer - 1);
    test_write_file(kept("pressed.yaml"), text, sizeof text - 1);
    snprintf(arguments, sizeof arguments, "%s --paused --threads 1", kept("pressed.yaml"));
    TEST_REQUIRE(view_start(&server, arguments));
    int file = view_join(&server);
    uint32_t counts[8];
    ViewReply reply = shown_frame(file, VIEW_EXTRA_LOADS, counts);
    TEST_REQUIRE(reply.kind == VIEW_FRAME);
    TEST_EQUAL(counts[0], 4 + 3);
    // nine vertices on each face, three of them on both
    TEST_EQUAL(counts[5], 9 + 9 - 3);
    const unsigned char *at = reply.bytes + VIEW_HEADER + 128 + 32 +
                              sizeof(float) * (3 * (size_t)counts[0] + 3 * (size_t)counts[3]);
    double sum[3] = {0};
    for (uint32_t l = 0; l < counts[5]; ++l) {
        float load[7];
        memcpy(load, at + l * sizeof load, sizeof load);
        for (int i = 0; i < 3; ++i) {
            sum[i] += load[3 + i];
        }
        // pressure pushes inwards, the traction pulls
        if (load[3] == 0 || load[4] == 0) {
            TEST_EQUAL(load[6], load[3] > 0);
        }
    }
    TEST_NEAR(sum[0], 2000, 1e-3);
    TEST_NEAR(sum[1], -1000, 1e-3);
    TEST_NEAR(sum[2], 0, 1e-3);
    free(reply.bytes);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(cloth_is_shown_by_its_strain_and_pulled)
{
    REQUIRE_VIEWER();
    ViewProcess server;
    char arguments[2048];
    snprintf(arguments, sizeof arguments, "%s --paused --threads 1", make_cloth());
    TEST_REQUIRE(view_start(&server, arguments));
    int file = view_join(&server);
    const uint32_t show[] = {VIEW_FIELD_STRAIN, 0};
    TEST_CHECK(view_say(file, VIEW_SHOW, 2, show));
    TEST_CHECK(pull_up(file, 1));
    TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_STEP));
    wanted_steps = 1;
    ViewFrame frame = view_await_frame(file, has_steps);
    TEST_CHECK(frame.good && frame.drags == 1);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(a_body_without_a_surface_has_vertices)
{
    REQUIRE_VIEWER();
    ViewProcess server;
    char arguments[2048];
    static const char text[] = "*customMassSpringSystem\nchain,10,1000\n"
                               "*deformableObjectMethod\nMassSpring\n"
                               "*timestep\n0.01\n*frequencyScaling\n1\n"
                               "*dampingMassCoef\n0\n*dampingStiffnessCoef\n0\n"
                               "*deformableObjectCompliance\n1\n*lightingConfigFilename\nx\n";
    test_write_file(kept("chain.config"), text, sizeof text - 1);
    snprintf(arguments, sizeof arguments, "%s --paused --threads 1", kept("chain.config"));
    TEST_REQUIRE(view_start(&server, arguments));
    int file = view_join(&server);
    ViewReply reply = view_await(file, VIEW_FRAME);
    uint32_t counts[8] = {0};
    TEST_CHECK(reply.size >= VIEW_HEADER + 128 + sizeof counts);
    memcpy(counts, reply.bytes + VIEW_HEADER + 128, sizeof counts);
    TEST_EQUAL(counts[0], 0);
    TEST_EQUAL(counts[2], 10);
    free(reply.bytes);
    // nothing to take hold of, and no stress to show
    const uint32_t show[] = {VIEW_FIELD_VON_MISES, VIEW_EXTRA_ALL};
    TEST_CHECK(pull_up(file, 1) && view_say(file, VIEW_SHOW, 2, show));
    TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_STEP));
    wanted_steps = 1;
    ViewFrame frame = view_await_frame(file, has_steps);
    TEST_CHECK(frame.good && frame.drags == 0);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

// ---- bad manners --------------------------------------------------------------------------------

LYRA_TEST(bad_messages_end_their_connection_alone)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int watcher = view_join(&server);
    TEST_CHECK(view_await_frame(watcher, NULL).good);
    unsigned char large[100000] = {'L', 'Y', VIEW_VERSION, VIEW_PLAY};
    unsigned char short_one[] = {'L', 'Y', VIEW_VERSION, VIEW_PLAY, 9, 0, 0, 0, 1};
    const struct {
        int first;
        const void *bytes;
        size_t size;
        int status;
    } cases[] = {
        {0x82, "rubbish!", 8, 1007},       {0x82, "", 0, 1007},
        {0x82, short_one, 9, 1007},        {0x82, large, 65, 1009},
        {0x82, large, sizeof large, 1009}, {0x81, "text", 4, 1003},
        {0x02, large, 65, 1009},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        int file = view_join(&server);
        TEST_CHECK(view_send_frame(file, cases[c].first, cases[c].bytes, cases[c].size));
        // an empty message may be passed over
        if (cases[c].size > 0) {
            ViewReply reply = {.kind = 1};
            while (reply.kind) {
                reply = view_receive(file);
                free(reply.bytes);
            }
            TEST_CHECK_MSG(reply.status == cases[c].status || reply.status == 1006,
                           "case %zu: closed by %d", c, reply.status);
        }
        close(file);
    }
    // half a head, half a request, and nothing at all
    int silent = view_connect(&server), half = view_join(&server);
    TEST_CHECK(view_write(half, "\x82", 1));
    close(half);
    half = view_connect(&server);
    TEST_CHECK(view_write(half, "GET /", 5));
    close(half);
    TEST_CHECK(view_say_word(watcher, VIEW_PLAY, VIEW_STEP));
    wanted_steps = 1;
    TEST_CHECK(view_await_frame(watcher, has_steps).good);
    close(silent);
    close(watcher);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(messages_in_pieces_are_put_together)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int file = view_join(&server);
    const unsigned char step[] = {'L', 'Y', VIEW_VERSION, VIEW_PLAY, 12, 0,
                                  0,   0,   VIEW_STEP,    0,         0,  0};
    TEST_CHECK(view_send_frame(file, 0x02, step, 3));
    TEST_CHECK(view_send_frame(file, 0x00, step + 3, 0));
    TEST_CHECK(view_send_frame(file, 0x80, step + 3, 9));
    wanted_steps = 1;
    TEST_CHECK(view_await_frame(file, has_steps).good);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(a_flood_of_messages_does_no_harm)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int file = view_join(&server);
    for (int i = 0; i < 3000; ++i) {
        if (!pull_up(file, (uint32_t)i) || !view_say_word(file, VIEW_PLAY, VIEW_PAUSE)) {
            break;
        }
    }
    close(file);
    check_alive(&server);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

// a bound on what a process holds, KiB; 0 where it cannot be told
static long resident(pid_t process)
{
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "VmRSS: %ld", &kib);
    }
    if (file) {
        fclose(file);
    }
    return kib;
}

// ticks of the processor that a process has used; -1 where it cannot be told
static long long ticks_of(pid_t process)
{
    char path[64], text[1024] = "";
    unsigned long long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    const char *at = strrchr(text, ')');
    int found =
        at ? sscanf(at, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &user, &system)
           : 0;
    return found == 2 ? (long long)(user + system) : -1;
}

LYRA_TEST(nobody_who_looks_is_no_reason_to_step)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "");
    if (ticks_of(server.process) < 0) {
        view_stop(&server, SIGINT);
        TEST_SKIP("the system does not tell what a process uses");
    }
    // as fast as it goes: all of a core while somebody looks
    int file = view_join(&server);
    const uint32_t fast[] = {0, 0};
    TEST_CHECK(view_say(file, VIEW_SPEED, 2, fast));
    ViewFrame last = view_await_frame(file, NULL);
    for (int i = 0; i < 5 && last.good; ++i) {
        last = view_await_frame(file, NULL);
    }
    TEST_CHECK(last.good && last.steps > 0);
    close(file);
    // when it has seen that nobody does, the processor is left alone: there comes a time without a
    // tick, whatever else runs
    long long before = -1, ticks = ticks_of(server.process);
    for (int i = 0; i < PATIENCE / 50 && ticks != before; ++i) {
        before = ticks;
        wait_seconds(0.5);
        ticks = ticks_of(server.process);
    }
    TEST_EQUAL(ticks, before);
    // and it goes on where it was with the next one who looks
    file = view_join(&server);
    ViewFrame frame = view_await_frame(file, NULL);
    TEST_CHECK(frame.good && frame.steps >= last.steps);
    wanted_steps = frame.steps;
    for (int i = 0; i < PATIENCE && frame.good && frame.steps == wanted_steps; ++i) {
        frame = view_await_frame(file, NULL);
    }
    TEST_CHECK(frame.steps > wanted_steps);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(a_slow_reader_misses_frames_and_holds_up_nobody)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "");
    int slow = view_join(&server), quick = view_join(&server);
    const uint32_t fast[] = {0, 0};
    TEST_CHECK(view_say(quick, VIEW_SPEED, 2, fast));
    ViewFrame first = view_await_frame(quick, NULL), last = first;
    long before = resident(server.process);
    int frames = 0;
    for (; frames < 150 && last.good; ++frames) {
        last = view_await_frame(quick, NULL);
    }
    TEST_CHECK(last.good && last.steps >= first.steps + 100);
    // one that does not read costs no memory but a message that is on its way
    long after = resident(server.process);
    TEST_CHECK_MSG(before == 0 || after - before < 20000, "%ld KiB, then %ld", before, after);
    close(quick);
    TEST_CHECK(view_say_word(slow, VIEW_PLAY, VIEW_RESET));
    TEST_CHECK(view_say_word(slow, VIEW_PLAY, VIEW_STEP));
    wanted_steps = 1;
    TEST_CHECK(view_await_frame(slow, has_steps).good);
    close(slow);
    TEST_EQUAL(view_stop(&server, SIGTERM), 143);
}

// the next message, without a word that it was drawn
static ViewReply receive_silently(int file)
{
    ViewReply reply = {0};
    unsigned char head[10];
    if (!view_read(file, head, 2)) {
        return reply;
    }
    int more = (head[1] & 127) == 126 ? 2 : (head[1] & 127) == 127 ? 8 : 0;
    uint64_t size = more ? 0 : head[1] & 127;
    if (!view_read(file, head + 2, (size_t)more)) {
        return reply;
    }
    for (int i = 0; i < more; ++i) {
        size = size << 8 | head[2 + i];
    }
    reply.size = (size_t)size;
    reply.bytes = malloc(reply.size + 1);
    if (reply.bytes && view_read(file, reply.bytes, reply.size) && size >= VIEW_HEADER) {
        reply.bytes[reply.size] = '\0';
        reply.kind = reply.bytes[3];
    }
    return reply;
}

// frames that come before a state says that the speed is `text`
static int count_frames_before(int file, const char *text)
{
    bool found = false, good = true;
    int frames = 0;
    while (good && !found) {
        ViewReply reply = receive_silently(file);
        good = reply.kind != 0;
        frames += reply.kind == VIEW_FRAME;
        found = reply.kind == VIEW_STATE && strstr((char *)reply.bytes + VIEW_HEADER + 8, text);
        free(reply.bytes);
    }
    TEST_CHECK(found);
    return frames;
}

LYRA_TEST(frames_wait_until_those_before_were_drawn)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "");
    int file = view_join(&server), other = view_join(&server);
    for (int i = 0; i < 20; ++i) {
        TEST_CHECK(view_await_frame(other, NULL).good);
    }
    // twenty came to one who drew them; what the other is to get is on its way before the state
    double speed = 0.5;
    uint32_t words[2];
    memcpy(words, &speed, sizeof speed);
    TEST_CHECK(view_say(other, VIEW_SPEED, 2, words));
    TEST_EQUAL(count_frames_before(file, "\"speed\": 0.5"), 2);
    TEST_CHECK(view_say_word(file, VIEW_SEEN, 0xffffffffu));
    ViewReply reply = {0};
    do {
        free(reply.bytes);
        reply = receive_silently(file);
    } while (reply.kind != 0 && reply.kind != VIEW_FRAME);
    TEST_EQUAL(reply.kind, VIEW_FRAME);
    free(reply.bytes);
    close(other);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(there_are_not_too_many_viewers)
{
    int files[20];
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    for (int i = 0; i < 20; ++i) {
        files[i] = view_join(&server);
        TEST_CHECK(files[i] >= 0);
        ViewReply reply = view_receive(files[i]);
        TEST_EQUAL(reply.kind, i < 16 ? VIEW_SCENE : 0);
        free(reply.bytes);
    }
    for (int i = 0; i < 20; ++i) {
        close(files[i]);
    }
    // when the server has seen that they left, there is room again
    ViewReply scene = {0};
    for (int i = 0; i < PATIENCE && scene.kind != VIEW_SCENE; ++i) {
        int file = view_join(&server);
        free(scene.bytes);
        scene = view_receive(file);
        close(file);
        wait_seconds(scene.kind == VIEW_SCENE ? 0 : 0.01);
    }
    TEST_EQUAL(scene.kind, VIEW_SCENE);
    free(scene.bytes);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

// ---- recordings ---------------------------------------------------------------------------------

static bool exists(const char *folder, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

LYRA_TEST(recordings_are_written_on_the_server)
{
    char options[2048], folder[1024];
    snprintf(folder, sizeof folder, "%s", kept("recordings"));
    snprintf(options, sizeof options, "--paused --out %s", folder);
    ViewProcess server;
    REQUIRE_SERVER(server, options);
    int file = view_join(&server);
    for (int r = 0; r < 2; ++r) {
        TEST_CHECK(view_say_word(file, VIEW_RECORD, 1));
        for (int s = 1; s <= 4; ++s) {
            TEST_CHECK(view_say_word(file, VIEW_PLAY, VIEW_STEP));
            wanted_steps = 4 * r + s;
            TEST_CHECK(view_await_frame(file, has_steps).good);
        }
        TEST_CHECK(view_say_word(file, VIEW_RECORD, 0));
        ViewReply notice = view_await(file, VIEW_NOTICE);
        TEST_EQUAL(notice.kind, VIEW_NOTICE);
        TEST_CONTAINS((char *)notice.bytes + VIEW_HEADER, "2 frames in");
        free(notice.bytes);
    }
    TEST_CHECK(exists(folder, "record-001/body.pvd"));
    TEST_CHECK(exists(folder, "record-001/vtu/body_000003.vtu"));
    TEST_CHECK(exists(folder, "record-002/displacement.npy"));
    TEST_CHECK(exists(folder, "record-002/body_block_obj.gltf"));
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(a_folder_that_cannot_be_made_is_a_notice)
{
    char options[2048];
    test_write_file(kept("file"), "x", 1);
    snprintf(options, sizeof options, "--paused --out %s/below", kept("file"));
    ViewProcess server;
    REQUIRE_SERVER(server, options);
    int file = view_join(&server);
    TEST_CHECK(view_await_frame(file, NULL).good);
    TEST_CHECK(view_say_word(file, VIEW_RECORD, 1));
    ViewReply notice = view_await(file, VIEW_NOTICE);
    TEST_CONTAINS((char *)notice.bytes + VIEW_HEADER, "cannot record to");
    free(notice.bytes);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}

LYRA_TEST(without_a_folder_nothing_is_recorded)
{
    ViewProcess server;
    REQUIRE_SERVER(server, "--paused");
    int file = view_join(&server);
    TEST_CHECK(view_await_frame(file, NULL).good);
    TEST_CHECK(view_say_word(file, VIEW_RECORD, 1));
    ViewReply notice = view_await(file, VIEW_NOTICE);
    TEST_CONTAINS((char *)notice.bytes + VIEW_HEADER, "--out DIR");
    free(notice.bytes);
    close(file);
    TEST_EQUAL(view_stop(&server, SIGINT), 130);
}
