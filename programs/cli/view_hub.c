// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Slots, queue and viewers, under one lock that nobody holds for long: messages are made and sent
// outside of it.

#include "view_hub.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void view_hub_init(ViewHub *hub)
{
    *hub = (ViewHub){0};
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&hub->lock, NULL);
    pthread_cond_init(&hub->wake, &attributes);
    pthread_condattr_destroy(&attributes);
}

void view_hub_destroy(ViewHub *hub)
{
    for (int s = 0; s < VIEW_SLOT_COUNT; ++s) {
        free(hub->slots[s]);
    }
    while (hub->spare) {
        ViewBlob *next = hub->spare->next;
        free(hub->spare);
        hub->spare = next;
    }
    pthread_cond_destroy(&hub->wake);
    pthread_mutex_destroy(&hub->lock);
}

// ---- messages -----------------------------------------------------------------------------------

// under the lock: a spare one that is large enough, and not by much
static ViewBlob *find_spare(ViewHub *hub, size_t size)
{
    for (ViewBlob **at = &hub->spare; *at; at = &(*at)->next) {
        ViewBlob *blob = *at;
        if (blob->capacity >= size && blob->capacity <= 2 * size + 4096) {
            *at = blob->next;
            return blob;
        }
    }
    return NULL;
}

ViewBlob *view_hub_blob(ViewHub *hub, ViewKind kind, size_t size)
{
    pthread_mutex_lock(&hub->lock);
    ViewBlob *blob = find_spare(hub, size);
    pthread_mutex_unlock(&hub->lock);
    if (!blob) {
        blob = cli_allocate(sizeof *blob + VIEW_PRE + size);
        blob->capacity = size;
    }
    blob->next = NULL;
    blob->holders = 1;
    blob->size = size;
    view_message_header(view_blob_bytes(blob), kind, (uint32_t)size);
    return blob;
}

// under the lock; what is left over goes to the spare ones, of which a few are kept
static void let_go(ViewHub *hub, ViewBlob *blob)
{
    if (!blob || --blob->holders > 0) {
        return;
    }
    int32_t spares = 0;
    for (const ViewBlob *at = hub->spare; at; at = at->next) {
        ++spares;
    }
    if (spares >= 4) {
        free(blob);
        return;
    }
    blob->next = hub->spare;
    hub->spare = blob;
}

void view_hub_publish(ViewHub *hub, ViewSlot slot, ViewBlob *take)
{
    pthread_mutex_lock(&hub->lock);
    let_go(hub, hub->slots[slot]);
    hub->slots[slot] = take;
    ++hub->sequences[slot];
    if (hub->ring) {
        hub->ring(hub->ring_user);
    }
    pthread_mutex_unlock(&hub->lock);
}

ViewBlob *view_hub_take(ViewHub *hub, ViewSlot slot, uint64_t *seen)
{
    ViewBlob *blob = NULL;
    pthread_mutex_lock(&hub->lock);
    if (hub->slots[slot] && hub->sequences[slot] > *seen) {
        blob = hub->slots[slot];
        ++blob->holders;
        *seen = hub->sequences[slot];
        if (slot == VIEW_SLOT_FRAME && hub->frame_taken < *seen) {
            hub->frame_taken = *seen;
            hub->woken = true;
            pthread_cond_signal(&hub->wake);
        }
    }
    pthread_mutex_unlock(&hub->lock);
    return blob;
}

void view_hub_release(ViewHub *hub, ViewBlob *blob)
{
    pthread_mutex_lock(&hub->lock);
    let_go(hub, blob);
    pthread_mutex_unlock(&hub->lock);
}

uint64_t view_hub_sequence(ViewHub *hub, ViewSlot slot)
{
    pthread_mutex_lock(&hub->lock);
    uint64_t sequence = hub->sequences[slot];
    pthread_mutex_unlock(&hub->lock);
    return sequence;
}

bool view_hub_wants_frame(ViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    bool wants = hub->client_count > 0 && hub->frame_taken == hub->sequences[VIEW_SLOT_FRAME];
    pthread_mutex_unlock(&hub->lock);
    return wants;
}

// ---- viewers ------------------------------------------------------------------------------------

// under the lock; -1 where it is not
static int32_t find_client(const ViewHub *hub, uint32_t client)
{
    for (int32_t i = 0; i < hub->client_count; ++i) {
        if (hub->clients[i] == client) {
            return i;
        }
    }
    return -1;
}

// under the lock
static void wake(ViewHub *hub)
{
    hub->woken = true;
    pthread_cond_signal(&hub->wake);
}

uint32_t view_hub_join(ViewHub *hub)
{
    uint32_t client = 0;
    pthread_mutex_lock(&hub->lock);
    if (hub->client_count < VIEW_CLIENTS_MAX) {
        client = ++hub->client_last;
        hub->clients[hub->client_count++] = client;
        wake(hub);
    }
    pthread_mutex_unlock(&hub->lock);
    return client;
}

void view_hub_leave(ViewHub *hub, uint32_t client)
{
    pthread_mutex_lock(&hub->lock);
    int32_t at = find_client(hub, client);
    if (at >= 0) {
        hub->clients[at] = hub->clients[--hub->client_count];
        wake(hub);
    }
    pthread_mutex_unlock(&hub->lock);
}

int32_t view_hub_client_count(ViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    int32_t count = hub->client_count;
    pthread_mutex_unlock(&hub->lock);
    return count;
}

bool view_hub_is_here(ViewHub *hub, uint32_t client)
{
    pthread_mutex_lock(&hub->lock);
    bool here = find_client(hub, client) >= 0;
    pthread_mutex_unlock(&hub->lock);
    return here;
}

// ---- commands -----------------------------------------------------------------------------------

// whether `next` makes `last` worthless
static bool replaces(const ViewCommand *last, const ViewCommand *next)
{
    const ViewMessage *a = &last->message, *b = &next->message;
    if (last->client != next->client || a->kind != b->kind) {
        return false;
    }
    return (b->kind == VIEW_DRAG_MOVE && a->drag.id == b->drag.id) ||
           (b->kind == VIEW_KNOB && a->knob.index == b->knob.index) || b->kind == VIEW_PULL ||
           b->kind == VIEW_SPEED;
}

bool view_hub_send(ViewHub *hub, uint32_t client, const ViewMessage *message)
{
    const ViewCommand command = {client, *message};
    bool taken = true;
    pthread_mutex_lock(&hub->lock);
    int32_t end = (hub->queue_first + hub->queue_count) % VIEW_QUEUE_MAX;
    ViewCommand *last = &hub->queue[(end + VIEW_QUEUE_MAX - 1) % VIEW_QUEUE_MAX];
    if (hub->queue_count > 0 && replaces(last, &command)) {
        *last = command;
    } else if (hub->queue_count < VIEW_QUEUE_MAX) {
        hub->queue[end] = command;
        ++hub->queue_count;
    } else {
        taken = false;
    }
    wake(hub);
    pthread_mutex_unlock(&hub->lock);
    return taken;
}

bool view_hub_receive(ViewHub *hub, ViewCommand *out)
{
    pthread_mutex_lock(&hub->lock);
    bool some = hub->queue_count > 0;
    if (some) {
        *out = hub->queue[hub->queue_first];
        hub->queue_first = (hub->queue_first + 1) % VIEW_QUEUE_MAX;
        --hub->queue_count;
    }
    pthread_mutex_unlock(&hub->lock);
    return some;
}

// ---- sleep and end ------------------------------------------------------------------------------

void view_hub_wait(ViewHub *hub, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = floor(seconds);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)(1e9 * (seconds - whole));
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        ++until.tv_sec;
    }
    pthread_mutex_lock(&hub->lock);
    int result = 0;
    while (!hub->woken && !hub->ended && hub->queue_count == 0 && result == 0) {
        result = pthread_cond_timedwait(&hub->wake, &hub->lock, &until);
    }
    hub->woken = false;
    pthread_mutex_unlock(&hub->lock);
}

void view_hub_set_ring(ViewHub *hub, void (*ring)(void *user), void *user)
{
    pthread_mutex_lock(&hub->lock);
    hub->ring = ring;
    hub->ring_user = user;
    pthread_mutex_unlock(&hub->lock);
}

void view_hub_end(ViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    hub->ended = true;
    pthread_cond_signal(&hub->wake);
    pthread_mutex_unlock(&hub->lock);
}

bool view_hub_has_ended(ViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    bool ended = hub->ended;
    pthread_mutex_unlock(&hub->lock);
    return ended;
}
