// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the page of `lyra view` and the server say to each other; docs/viewer.md has the layout of
// every message. All numbers are little-endian. A message opens with eight bytes: 'L', 'Y', the
// version, the kind, and its length in bytes with these eight.

#ifndef LYRA_CLI_VIEW_MESSAGE_H
#define LYRA_CLI_VIEW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIEW_VERSION 1
#define VIEW_HEADER 8
/// Most bytes of a message from the page.
#define VIEW_MESSAGE_MAX 64

typedef enum ViewKind {
    // from the page
    VIEW_DRAG_START = 1,
    VIEW_DRAG_MOVE,
    VIEW_DRAG_END,
    VIEW_PLAY,
    VIEW_SPEED,
    VIEW_KNOB,
    VIEW_METHOD,
    VIEW_SHOW,
    VIEW_PULL,
    VIEW_RECORD,
    VIEW_SEEN,
    // to the page
    VIEW_SCENE = 64,
    VIEW_STATE,
    VIEW_NOTICE,
    VIEW_FRAME,
} ViewKind;

typedef enum ViewPlay { VIEW_PAUSE = 0, VIEW_GO, VIEW_STEP, VIEW_RESET, VIEW_PLAY_COUNT } ViewPlay;

typedef enum ViewMethod { VIEW_INTEGRATOR = 0, VIEW_SOLVER, VIEW_METHOD_COUNT } ViewMethod;

/// What the surface is coloured by.
typedef enum ViewField {
    VIEW_FIELD_NONE = 0,
    VIEW_FIELD_VON_MISES,
    VIEW_FIELD_ENERGY,
    VIEW_FIELD_DET,
    VIEW_FIELD_DISPLACEMENT,
    VIEW_FIELD_SPEED,
    VIEW_FIELD_PLASTIC_STRAIN,
    VIEW_FIELD_GOAL_DISTANCE,
    VIEW_FIELD_PLASTIC_LOSS,
    VIEW_FIELD_VISCOUS_LOSS,
    VIEW_FIELD_STRAIN, ///< Of cloth.
    VIEW_FIELD_COUNT
} ViewField;

/// What else a frame is to hold. Bits.
typedef enum ViewExtra {
    VIEW_EXTRA_VOLUME = 1 << 0, ///< Positions of the volumetric mesh.
    VIEW_EXTRA_STRESS = 1 << 1, ///< Stress of some elements.
    VIEW_EXTRA_STRAIN = 1 << 2, ///< Deformation gradient of some elements.
    VIEW_EXTRA_LOADS = 1 << 3,  ///< Forces from outside on vertices, without gravity.
    VIEW_EXTRA_ALL = 15,
} ViewExtra;

/// A message from the page, read and checked: all numbers are finite, all words are known. Which
/// surfaces, triangles and numbers of the scene there are, the receiver knows.
typedef struct ViewMessage {
    ViewKind kind;
    union {
        struct {
            uint32_t id; ///< Of the page's choice, one per finger.
            uint32_t surface, triangle;
            float weights[3]; ///< Of the corners; in [0, 1], the sum is 1.
            float target[3];  ///< m.
        } drag;               ///< DRAG_START; DRAG_MOVE: id, target; DRAG_END: id.
        ViewPlay play;
        double speed; ///< Simulated over real time, >= 0; 0: as fast as it goes.
        struct {
            uint32_t index;
            double value;
        } knob;
        struct {
            ViewMethod method;
            uint32_t index;
        } method;
        struct {
            ViewField field;
            uint32_t extras;
        } show;
        struct {
            double stiffness; ///< N/m, > 0.
            uint32_t rings;   ///< At most VIEW_RINGS_MAX.
        } pull;
        bool record;
        uint32_t seen; ///< Frames that were drawn since the last such message.
    };
} ViewMessage;

#define VIEW_RINGS_MAX 30

/// Reads a message of `size` bytes. NULL if it is good; else what is wrong with it, and `out` is
/// untouched.
const char *view_message_read(const void *bytes, size_t size, ViewMessage *out);

/// Writes the eight bytes that a message opens with.
void view_message_header(uint8_t bytes[VIEW_HEADER], ViewKind kind, uint32_t size);

#endif
