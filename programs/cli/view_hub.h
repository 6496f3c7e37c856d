// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Where the two threads of `lyra view` meet. The simulation leaves its latest messages in slots and
// never waits for anybody; the network takes from there what each viewer has not seen yet, so that
// a slow one misses frames in between and no more. The other way there is a queue of commands.

#ifndef LYRA_CLI_VIEW_HUB_H
#define LYRA_CLI_VIEW_HUB_H

#include "view_message.h"

#include <pthread.h>

/// Room in front of a message for what the network writes there.
#define VIEW_PRE 64
#define VIEW_CLIENTS_MAX 16
#define VIEW_QUEUE_MAX 256

/// A message to the page. Shared; view_hub_release() by everybody who holds it.
typedef struct ViewBlob {
    struct ViewBlob *next; // among the spare ones
    int32_t holders;
    size_t capacity;
    size_t size;           ///< Bytes of the message.
    unsigned char bytes[]; ///< VIEW_PRE of room, then the message.
} ViewBlob;

/// Kinds of messages, in the order that a new viewer gets them.
typedef enum ViewSlot {
    VIEW_SLOT_SCENE = 0,
    VIEW_SLOT_STATE,
    VIEW_SLOT_NOTICE,
    VIEW_SLOT_FRAME,
    VIEW_SLOT_COUNT
} ViewSlot;

/// A message from the page of a viewer.
typedef struct ViewCommand {
    uint32_t client;
    ViewMessage message;
} ViewCommand;

typedef struct ViewHub {
    pthread_mutex_t lock;
    pthread_cond_t wake; // of the simulation
    ViewBlob *slots[VIEW_SLOT_COUNT];
    uint64_t sequences[VIEW_SLOT_COUNT]; // counts what was put into each slot
    uint64_t frame_taken;                // the last one that some viewer took
    ViewBlob *spare;
    ViewCommand queue[VIEW_QUEUE_MAX];
    int32_t queue_first, queue_count;
    uint32_t clients[VIEW_CLIENTS_MAX]; // who is there
    int32_t client_count;
    uint32_t client_last; // number that was given last
    bool woken, ended;
    void (*ring)(void *user); // tells the network that there is something; under the lock, so that
    void *ring_user;          // it may be taken away. Nullable
} ViewHub;

void view_hub_init(ViewHub *hub);

/// Both threads are gone.
void view_hub_destroy(ViewHub *hub);

// ---- the simulation's side ----------------------------------------------------------------------

/// A message of `size` bytes, held by the caller; the bytes are not set but for the header.
ViewBlob *view_hub_blob(ViewHub *hub, ViewKind kind, size_t size);

/// The message itself, [size].
static inline unsigned char *view_blob_bytes(ViewBlob *blob)
{
    return blob->bytes + VIEW_PRE;
}

/// Puts a message into its slot, in place of the last one, and takes it.
void view_hub_publish(ViewHub *hub, ViewSlot slot, ViewBlob *take);

/// The next command; false if there is none.
bool view_hub_receive(ViewHub *hub, ViewCommand *out);

/// How many viewers there are.
int32_t view_hub_client_count(ViewHub *hub);

/// Whether a viewer is still there.
bool view_hub_is_here(ViewHub *hub, uint32_t client);

/// Whether somebody would see another frame: there are viewers, and one took the last.
bool view_hub_wants_frame(ViewHub *hub);

/// Sleeps until a command comes, a viewer comes or takes a frame, the end, or the seconds are over.
void view_hub_wait(ViewHub *hub, double seconds);

bool view_hub_has_ended(ViewHub *hub);

// ---- the network's side -------------------------------------------------------------------------

/// A new viewer; 0 if there are too many.
uint32_t view_hub_join(ViewHub *hub);
void view_hub_leave(ViewHub *hub, uint32_t client);

/// Puts a command into the queue. A move of a drag, or a turn of a number, takes the place of the
/// last one if that is of the same. False, and nothing happens, if the queue is full.
bool view_hub_send(ViewHub *hub, uint32_t client, const ViewMessage *message);

/// What is in a slot, if it is newer than `*seen`, which it then updates; else NULL.
ViewBlob *view_hub_take(ViewHub *hub, ViewSlot slot, uint64_t *seen);
void view_hub_release(ViewHub *hub, ViewBlob *blob);

/// Number of the latest in a slot.
uint64_t view_hub_sequence(ViewHub *hub, ViewSlot slot);

/// Whom to ring when there is something in a slot. `ring`: Nullable: nobody, from now on.
void view_hub_set_ring(ViewHub *hub, void (*ring)(void *user), void *user);

/// Tells the simulation to end.
void view_hub_end(ViewHub *hub);

#endif
