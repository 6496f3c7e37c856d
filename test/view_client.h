// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A WebSocket client as small as can be, to say to `lyra view` what a browser would not.

#ifndef LYRA_TEST_VIEW_CLIENT_H
#define LYRA_TEST_VIEW_CLIENT_H

#include "run_cases.h"
#include "view_message.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

// bounds a hang, however busy the machine
#define CLIENT_SECONDS 600

/// A server in a process of its own.
typedef struct ViewProcess {
    pid_t process;
    int port;
    char token[64];
} ViewProcess;

/// One message, or what ended the connection.
typedef struct ViewReply {
    int kind;             ///< Of ViewKind; 0: closed.
    int status;           ///< Why it was closed; 1006 without a word.
    size_t size;          ///< Bytes of the message.
    unsigned char *bytes; ///< To free().
} ViewReply;

// starts `lyra view` and reads its address from the file that its output goes to
static inline bool view_start(ViewProcess *out, const char *arguments)
{
    char path[1024], command[8192], text[512] = "";
    snprintf(path, sizeof path, "%s", test_temp_path("address"));
    remove(path);
    snprintf(command, sizeof command, "view %s", arguments);
    fflush(NULL);
    out->process = fork();
    if (out->process == 0) {
        if (!freopen(path, "w", stdout)) {
            _exit(126);
        }
        char *words[64] = {(char *)LYRA_CLI};
        int count = 1;
        for (char *word = strtok(command, " "); word && count < 63; word = strtok(NULL, " ")) {
            words[count++] = word;
        }
        execv(LYRA_CLI, words);
        _exit(127);
    }
    for (int i = 0; i < 100 * CLIENT_SECONDS && !strchr(text, '\n'); ++i) {
        wait_seconds(0.01);
        FILE *file = fopen(path, "r");
        if (file) {
            size_t length = fread(text, 1, sizeof text - 1, file);
            text[length] = '\0';
            fclose(file);
        }
    }
    bool good = sscanf(text, "http://127.0.0.1:%d/%63[0-9a-f]/", &out->port, out->token) == 2;
    return TEST_CHECK_MSG(good, "no address: \"%s\"", text);
}

// ends it by a signal; its exit code
static inline int view_stop(ViewProcess *server, int number)
{
    kill(server->process, number);
    return end_of(server->process);
}

static inline int view_connect(const ViewProcess *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval limit = {.tv_sec = CLIENT_SECONDS};
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(file, (struct sockaddr *)&address, sizeof address) != 0) {
        close(file);
        return -1;
    }
    return file;
}

static inline bool view_write(int file, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(file, at, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static inline bool view_read(int file, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t got = recv(file, at, size, 0);
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

// the head of the answer to a request; the number in its first line, 0 for none
static inline int view_request(int file, const char *request, char *head, size_t room)
{
    size_t length = 0;
    if (!view_write(file, request, strlen(request))) {
        return 0;
    }
    while (length + 1 < room && view_read(file, head + length, 1)) {
        head[++length] = '\0';
        if (strstr(head, "\r\n\r\n")) {
            break;
        }
    }
    int code = 0;
    return length > 0 && sscanf(head, "HTTP/1.1 %d", &code) == 1 ? code : 0;
}

// GET of a path; `host`, `more`: lines of the head
static inline int view_get(const ViewProcess *server, const char *path, const char *host,
                           char *head, size_t room)
{
    char request[1024];
    int file = view_connect(server);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host);
    int code = file < 0 ? 0 : view_request(file, request, head, room);
    close(file);
    return code;
}

// opens a socket; -1 unless the server agrees. `origin`: Nullable.
static inline int view_open(const ViewProcess *server, const char *token, const char *protocol,
                            const char *origin)
{
    char request[1024], head[2048] = "", line[256] = "";
    int file = view_connect(server);
    if (origin) {
        snprintf(line, sizeof line, "Origin: %s\r\n", origin);
    }
    snprintf(request, sizeof request,
             "GET /%s/socket HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
             "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n%s%s%s%s"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
             token, server->port, line, protocol ? "Sec-WebSocket-Protocol: " : "",
             protocol ? protocol : "", protocol ? "\r\n" : "");
    if (file < 0 || view_request(file, request, head, sizeof head) != 101) {
        close(file);
        return -1;
    }
    // what the key of the request makes by the rule of the protocol
    TEST_CONTAINS(head, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    return file;
}

// the usual way in
static inline int view_join(const ViewProcess *server)
{
    return view_open(server, server->token, "lyra-view", NULL);
}

// one frame of the protocol, masked by zeros; `first`: its first byte
static inline bool view_send_frame(int file, int first, const void *bytes, size_t size)
{
    unsigned char head[14] = {(unsigned char)first};
    size_t length = 2;
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else {
        head[1] = 0x80 | 127;
        for (int i = 0; i < 8; ++i) {
            head[2 + i] = (unsigned char)((uint64_t)size >> (8 * (7 - i)));
        }
        length = 10;
    }
    return view_write(file, head, length + 4) && view_write(file, bytes, size);
}

static inline bool view_send(int file, const void *bytes, size_t size)
{
    return view_send_frame(file, 0x82, bytes, size);
}

// a message of 32-bit words
static inline bool view_say(int file, ViewKind kind, int count, const uint32_t *words)
{
    unsigned char bytes[VIEW_MESSAGE_MAX];
    size_t size = VIEW_HEADER + 4 * (size_t)count;
    view_message_header(bytes, kind, (uint32_t)size);
    for (int i = 0; i < count; ++i) {
        for (int b = 0; b < 4; ++b) {
            bytes[VIEW_HEADER + 4 * i + b] = (unsigned char)(words[i] >> (8 * b));
        }
    }
    return view_send(file, bytes, size);
}

static inline bool view_say_word(int file, ViewKind kind, uint32_t word)
{
    return view_say(file, kind, 1, &word);
}

// the next message of the server; kind 0 when it is over
static inline ViewReply view_receive(int file)
{
    ViewReply reply = {.status = 1006};
    unsigned char head[10];
    if (!view_read(file, head, 2)) {
        return reply;
    }
    uint64_t size = head[1] & 127;
    if (size >= 126) {
        int count = size == 126 ? 2 : 8;
        if (!view_read(file, head + 2, (size_t)count)) {
            return reply;
        }
        size = 0;
        for (int i = 0; i < count; ++i) {
            size = size << 8 | head[2 + i];
        }
    }
    reply.size = (size_t)size;
    reply.bytes = malloc(reply.size + 1);
    if (!reply.bytes || !view_read(file, reply.bytes, reply.size)) {
        return reply;
    }
    reply.bytes[reply.size] = '\0';
    if ((head[0] & 15) == 8 && size >= 2) {
        reply.status = reply.bytes[0] << 8 | reply.bytes[1];
    } else if ((head[0] & 15) == 2 && size >= VIEW_HEADER) {
        reply.kind = reply.bytes[3];
    }
    if (reply.kind == VIEW_FRAME) {
        // as a page does that has drawn it
        view_say_word(file, VIEW_SEEN, 1);
    }
    return reply;
}

// reads until a message of a kind comes; kind 0 when the connection ends before
static inline ViewReply view_await(int file, ViewKind kind)
{
    for (;;) {
        ViewReply reply = view_receive(file);
        if (reply.kind == 0 || reply.kind == (int)kind) {
            return reply;
        }
        free(reply.bytes);
    }
}

/// What the tests look at in a frame.
typedef struct ViewFrame {
    bool good;
    double time, steps, rate;
    uint32_t vertices, drags;
    double lowest; ///< y of the lowest vertex.
} ViewFrame;

static inline ViewFrame view_frame_of(const ViewReply *reply)
{
    ViewFrame frame = {.lowest = INFINITY};
    double numbers[16];
    uint32_t counts[8];
    const size_t head = VIEW_HEADER + sizeof numbers + sizeof counts;
    if (reply->kind != VIEW_FRAME || reply->size < head) {
        return frame;
    }
    memcpy(numbers, reply->bytes + VIEW_HEADER, sizeof numbers);
    memcpy(counts, reply->bytes + VIEW_HEADER + sizeof numbers, sizeof counts);
    frame.good = true;
    frame.time = numbers[0];
    frame.steps = numbers[1];
    frame.rate = numbers[15];
    frame.vertices = counts[0];
    frame.drags = counts[6];
    for (uint32_t v = 0; v < counts[0]; ++v) {
        float y;
        memcpy(&y, reply->bytes + head + 12 * (size_t)v + 4, sizeof y);
        frame.lowest = fmin(frame.lowest, y);
    }
    return frame;
}

// the next frame for which `wanted` holds, for at most CLIENT_SECONDS
static inline ViewFrame view_await_frame(int file, bool (*wanted)(const ViewFrame *frame))
{
    time_t began = time(NULL);
    while (time(NULL) - began < CLIENT_SECONDS) {
        ViewReply reply = view_await(file, VIEW_FRAME);
        ViewFrame frame = view_frame_of(&reply);
        free(reply.bytes);
        if (!frame.good || !wanted || wanted(&frame)) {
            return frame;
        }
    }
    return (ViewFrame){0};
}

#endif
