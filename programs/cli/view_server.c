// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The server of the viewer: the page's own files by HTTP, messages by WebSocket, nothing else. Who
// may connect has the token, a random word in the address; without it every path is unknown.
// Against pages of strangers in the same browser, the host must be an address or this machine's own
// name (no name that a stranger could point here), and the origin, where the browser tells one,
// this server.

#include "cli.h"
#include "view.h"
#include "view_page.h"

#include <errno.h>
#include <libwebsockets.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

_Static_assert(VIEW_PRE >= LWS_PRE, "room for what the library writes in front of messages");

#define TOKEN_BYTES 16
#define TOKEN_LENGTH (2 * TOKEN_BYTES)
#define CHUNK 16384
// frames that a viewer may have on their way: one that it draws, one that travels
#define FRAMES_IN_FLIGHT 2

typedef struct Server {
    View *view;
    struct lws_context *context;
    bool anywhere; // it listens beyond this machine
    char token[TOKEN_LENGTH + 1];
    lws_sorted_usec_list_t signals; // now and then at the signals
    unsigned char chunk[LWS_PRE + CHUNK];
} Server;

// one connection: a request for a file, or a viewer
typedef struct Connection {
    const ViewPage *page;
    size_t sent;
    uint32_t client;
    uint64_t seen[VIEW_SLOT_COUNT];
    uint32_t in_flight; // frames that were sent and not drawn yet
    size_t received;
    unsigned char message[VIEW_MESSAGE_MAX];
} Connection;

// ---- signals ------------------------------------------------------------------------------------

static volatile sig_atomic_t signal_seen;

static void see_signal(int number)
{
    signal_seen = number;
}

// the first one is noted, the second ends the program as it would have
static void watch_signals(void)
{
    struct sigaction action = {.sa_handler = see_signal};
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    // a browser that went away is reported by write()
    signal(SIGPIPE, SIG_IGN);
}

// a signal interrupts the wait for the network, but may come just before it
static void check_signals(lws_sorted_usec_list_t *signals)
{
    Server *server = lws_container_of(signals, Server, signals);
    lws_sul_schedule(server->context, 0, signals, check_signals, 100 * LWS_US_PER_MS);
}

// ---- who may connect ----------------------------------------------------------------------------

static bool make_token(char token[TOKEN_LENGTH + 1])
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        cli_fail("no random numbers for the token: %s", strerror(errno));
        return false;
    }
    for (int i = 0; i < TOKEN_BYTES; ++i) {
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

// what stands behind "/token/" in a path; NULL if that is not the token. The time it takes tells
// nothing about how much of it was right.
static const char *behind_token(const Server *server, const char *path)
{
    unsigned char wrong = 0;
    if (strlen(path) < TOKEN_LENGTH + 2) {
        return NULL;
    }
    for (int i = 0; i < TOKEN_LENGTH; ++i) {
        wrong |= (unsigned char)(path[1 + i] ^ server->token[i]);
    }
    return path[0] == '/' && path[TOKEN_LENGTH + 1] == '/' && wrong == 0 ? path + TOKEN_LENGTH + 2
                                                                         : NULL;
}

// "localhost", or an address in digits, before a port; other machines may call us by our name
static bool is_good_host(const Server *server, const char *host)
{
    char name[256], own[256];
    size_t length = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (length == 0 || length >= sizeof name || length > strlen(host)) {
        return false;
    }
    memcpy(name, host, length);
    name[length] = '\0';
    if (strcmp(name, "localhost") == 0 || name[0] == '[' || strspn(name, "0123456789.") == length) {
        return true;
    }
    return server->anywhere && gethostname(own, sizeof own) == 0 && strcasecmp(name, own) == 0;
}

static bool is_good_request(const Server *server, struct lws *wsi)
{
    char host[256] = "", origin[300] = "", expected[300];
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0 || !is_good_host(server, host)) {
        return false;
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0) {
        return true;
    }
    snprintf(expected, sizeof expected, "http://%s", host);
    return lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) > 0 &&
           strcmp(origin, expected) == 0;
}

// ---- files of the page --------------------------------------------------------------------------

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                       unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at,
                                       end) == 0;
}

static int serve_page(Server *server, struct lws *wsi, Connection *connection, const char *path)
{
    const char *name = behind_token(server, path);
    const ViewPage *page = view_pages;
    while (name && page->path && strcmp(page->path, name) != 0) {
        ++page;
    }
    if (!name || !page->path || !is_good_request(server, wsi)) {
        return lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL) ||
               lws_http_transaction_completed(wsi);
    }
    static const struct {
        const char *name, *value;
    } headers[] = {
        {"content-encoding:", "gzip"},
        {"cache-control:", "no-store"},
        {"referrer-policy:", "no-referrer"},
        {"x-content-type-options:", "nosniff"},
        {"x-frame-options:", "DENY"},
        {"content-security-policy:", "default-src 'none'; script-src 'self'; style-src 'self'; "
                                     "img-src 'self' data: blob:; connect-src 'self' ws:"},
    };
    unsigned char *begin = server->chunk + LWS_PRE, *at = begin;
    unsigned char *end = server->chunk + sizeof server->chunk;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, page->type, page->size, &at, end)) {
        return 1;
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
        if (!add_header(wsi, headers[i].name, headers[i].value, &at, end)) {
            return 1;
        }
    }
    if (lws_finalize_write_http_header(wsi, begin, &at, end)) {
        return 1;
    }
    connection->page = page;
    connection->sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_page(Server *server, struct lws *wsi, Connection *connection)
{
    const ViewPage *page = connection->page;
    if (!page) {
        return 0;
    }
    size_t left = page->size - connection->sent, size = left < CHUNK ? left : CHUNK;
    memcpy(server->chunk + LWS_PRE, page->bytes + connection->sent, size);
    int kind = size == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP;
    if (lws_write(wsi, server->chunk + LWS_PRE, size, (enum lws_write_protocol)kind) < (int)size) {
        return 1;
    }
    connection->sent += size;
    if (size == left) {
        connection->page = NULL;
        return lws_http_transaction_completed(wsi);
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length)
{
    Server *server = lws_context_user(lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return serve_page(server, wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_page(server, wsi, user);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        // a socket that does not name the viewer's protocol
        return 1;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

// ---- viewers ------------------------------------------------------------------------------------

static int refuse(struct lws *wsi, enum lws_close_status status, const char *why)
{
    lws_close_reason(wsi, status, (unsigned char *)why, strlen(why));
    return -1;
}

static bool may_join(const Server *server, struct lws *wsi)
{
    char path[TOKEN_LENGTH + 16] = "";
    if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) <= 0) {
        return false;
    }
    const char *name = behind_token(server, path);
    return name && strcmp(name, "socket") == 0 && is_good_request(server, wsi);
}

// The next message that this viewer has not seen; the latest frame last. A frame goes out only when
// the viewer has drawn those before: buffers on the way, of a tunnel say, would else fill with old
// ones, and the body would follow the pointer late.
static int send_next(Server *server, struct lws *wsi, Connection *connection)
{
    ViewHub *hub = &server->view->hub;
    for (int s = 0; s < VIEW_SLOT_COUNT; ++s) {
        bool waits = s == VIEW_SLOT_FRAME && connection->in_flight >= FRAMES_IN_FLIGHT;
        ViewBlob *blob = waits ? NULL : view_hub_take(hub, (ViewSlot)s, &connection->seen[s]);
        if (blob) {
            connection->in_flight += s == VIEW_SLOT_FRAME;
            // what the system does not take at once, the library copies and sends on later; until
            // then this is not called again
            int sent = lws_write(wsi, view_blob_bytes(blob), blob->size, LWS_WRITE_BINARY);
            bool whole = sent >= (int)blob->size;
            view_hub_release(hub, blob);
            lws_callback_on_writable(wsi);
            return whole ? 0 : -1;
        }
    }
    return 0;
}

static int receive(Server *server, struct lws *wsi, Connection *connection, const void *in,
                   size_t length)
{
    if (lws_is_first_fragment(wsi)) {
        connection->received = 0;
    }
    if (!lws_frame_is_binary(wsi)) {
        return refuse(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "expected binary messages");
    }
    if (length > VIEW_MESSAGE_MAX - connection->received) {
        return refuse(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message too long");
    }
    memcpy(connection->message + connection->received, in, length);
    connection->received += length;
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0) {
        return 0;
    }
    ViewMessage message;
    const char *wrong = view_message_read(connection->message, connection->received, &message);
    if (wrong) {
        return refuse(wsi, LWS_CLOSE_STATUS_INVALID_PAYLOAD, wrong);
    }
    if (message.kind == VIEW_SEEN) {
        connection->in_flight -=
            message.seen < connection->in_flight ? message.seen : connection->in_flight;
        lws_callback_on_writable(wsi);
        return 0;
    }
    // a queue that is full stays so until the step ends; what is lost then, the page shows as unset
    view_hub_send(&server->view->hub, connection->client, &message);
    return 0;
}

static int on_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t length)
{
    Server *server = lws_context_user(lws_get_context(wsi));
    ViewHub *hub = &server->view->hub;
    Connection *connection = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return may_join(server, wsi) ? 0 : 1;
    case LWS_CALLBACK_ESTABLISHED:
        *connection = (Connection){.client = view_hub_join(hub)};
        if (connection->client == 0) {
            return refuse(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many viewers");
        }
        connection->seen[VIEW_SLOT_NOTICE] = view_hub_sequence(hub, VIEW_SLOT_NOTICE);
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_next(server, wsi, connection);
    case LWS_CALLBACK_RECEIVE:
        return receive(server, wsi, connection, in, length);
    case LWS_CALLBACK_CLOSED:
        view_hub_leave(hub, connection->client);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        lws_callback_on_writable_all_protocol(server->context, lws_get_protocol(wsi));
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(Connection)},
    {.name = "lyra-view",
     .callback = on_socket,
     .per_session_data_size = sizeof(Connection),
     .rx_buffer_size = 1024},
    {0},
};

// ---- serving ------------------------------------------------------------------------------------

static void ring(void *user)
{
    lws_cancel_service(((Server *)user)->context);
}

// by the desktop's own way; a failure is no reason to end
static void open_browser(const char *address)
{
    pid_t process = fork();
    if (process == 0) {
#ifdef __APPLE__
        const char *opener = "open";
#else
        const char *opener = "xdg-open";
#endif
        execlp(opener, opener, address, (char *)NULL);
        fprintf(stderr, "lyra: cannot open a browser: no %s\n", opener);
        _exit(127);
    }
}

static bool is_loopback(const char *address)
{
    return strcmp(address, "localhost") == 0 || strncmp(address, "127.", 4) == 0 ||
           strcmp(address, "::1") == 0;
}

static bool create_server(Server *server, const ViewServerDef *def, char *address, size_t room)
{
    const char *name = def->address ? def->address : "127.0.0.1";
    server->anywhere = !is_loopback(name);
    struct lws_context_creation_info info = {
        .port = def->port,
        .iface = strcmp(name, "0.0.0.0") == 0 ? NULL : name,
        .protocols = protocols,
        .user = server,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .options = strchr(name, ':') ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6,
        .server_string = "lyra",
        // a request that does not come to its point
        .timeout_secs = 20,
    };
    lws_set_log_level(0, NULL);
    errno = 0;
    server->context = lws_create_context(&info);
    struct lws_vhost *host =
        server->context ? lws_get_vhost_by_name(server->context, "default") : NULL;
    int port = host ? lws_get_vhost_listen_port(host) : -1;
    if (port <= 0) {
        cli_fail("cannot listen at %s port %d: %s", name, def->port,
                 errno ? strerror(errno) : "no such address here, or the port is taken");
        return false;
    }
    const char *shown = server->anywhere && !info.iface ? "localhost" : name;
    snprintf(address, room, strchr(shown, ':') ? "http://[%s]:%d/%s/" : "http://%s:%d/%s/", shown,
             port, server->token);
    return true;
}

int view_serve(View *view, const ViewServerDef *def)
{
    Server *server = cli_allocate(sizeof *server);
    char address[512];
    int result = -1;
    *server = (Server){.view = view};
    watch_signals();
    if (!make_token(server->token) || !create_server(server, def, address, sizeof address)) {
        goto done;
    }
    view_hub_set_ring(&view->hub, ring, server);
    printf("%s\n", address);
    fflush(stdout);
    if (server->anywhere) {
        fprintf(stderr,
                "lyra: other machines can reach this; whoever has the address can watch and "
                "pull\n");
    }
    if (def->open) {
        open_browser(address);
    }
    check_signals(&server->signals);
    result = 0;
    while (!signal_seen && result >= 0) {
        result = lws_service(server->context, 0);
    }
    result = signal_seen ? signal_seen : -1;
    if (result < 0) {
        cli_fail("the server failed: %s", strerror(errno));
    }
    view_hub_set_ring(&view->hub, NULL, NULL);
done:
    if (server->context) {
        lws_context_destroy(server->context);
    }
    free(server);
    return result;
}
