// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of `lyra view`: the command (view.c), the simulation's thread (view_sim.c) with drags
// (view_drag.c) and recordings (view_record.c), what the page gets to see (view_scene.c,
// view_frame.c), the meeting place of the threads (view_hub.c), messages (view_message.c) and the
// server on the network's thread (view_server.c). Functions that can fail return false after
// telling the viewers, or printing, the reason.

#ifndef LYRA_CLI_VIEW_H
#define LYRA_CLI_VIEW_H

#include "run.h"
#include "view_hub.h"

#define VIEW_DRAGS_MAX 16
/// Parameters that the page has sliders for: the first ones of the world.
#define VIEW_KNOBS_MAX 40

/// A surface as the page shows it.
typedef struct ViewSurface {
    RunSurface *moved;      ///< With its present positions.
    LyraSurface *triangles; ///< The same in triangles.
    int32_t triangle_count;
    int32_t *order;   ///< Faces of `triangles` by material, as the page has them.
    int32_t *corners; ///< Vertices of the surface, in that order, [triangle_count][3].
    int32_t used_count;
    int32_t *used;  ///< Vertices that faces have, ascending: those that the page has.
    double *values; ///< Of the field, [vertices of the surface].
} ViewSurface;

/// A body as the page shows it.
typedef struct ViewBody {
    RunBody *moved;
    double *values;          ///< Of the field at vertices, [vertex_count].
    double *counts;          ///< Elements around each vertex, [vertex_count].
    int32_t *neighbor_start; ///< [vertex_count + 1]. NULL without edges.
    int32_t *neighbors;      ///< Vertices across edges.
} ViewBody;

/// Somebody pulls.
typedef struct ViewDrag {
    uint32_t client, id;
    int32_t count;      ///< Vertices of the model that are pulled.
    int32_t *vertices;  ///< [count].
    double *shares;     ///< Of the stiffness; the sum is 1. [count].
    int32_t hold_count; ///< Vertices that make up the point.
    int32_t *holds;     ///< [hold_count].
    double *weights;    ///< [hold_count]; the sum is 1.
    double target[3];
} ViewDrag;

typedef struct View {
    Run run;
    ViewHub hub;
    LyraState *start;
    int32_t surface_count, body_count;
    ViewSurface *surfaces;
    ViewBody *bodies;
    int32_t fixed_count;
    int32_t *fixed; ///< Vertices of the model, ascending.
    // what viewers choose
    bool playing, single;
    double speed;
    ViewField field;
    uint32_t extras;
    double stiffness, start_stiffness; ///< Of pulls, N/m.
    uint32_t rings;
    // drags
    int32_t drag_count;
    ViewDrag drags[VIEW_DRAGS_MAX];
    bool pulled; ///< The model has springs of drags.
    // recording
    const char *out; ///< Folder of recordings; NULL: none.
    bool recording;
    int32_t record_count;
    char *record_folder; ///< Of the present or last one.
    // the loop
    double next;  ///< Clock when the next step is due.
    double shown; ///< Clock when the last frame was made.
    bool dirty;   ///< The last frame is not what is.
    double rate;  ///< Simulated over real seconds, smoothed.
    double rate_clock;
    double dissipated, work; ///< J, since the start.
    double elastic;          ///< J, without that of drags and loads.
} View;

// ---- the thread of the simulation ---------------------------------------------------------------

/// Sets up what the simulation needs; the scene is loaded.
bool view_sim_create(View *view);
void view_sim_destroy(View *view);

/// The thread: a View.
void *view_sim_run(void *self);

/// Shows a sentence to all viewers.
void view_notice(View *view, const char *format, ...) LYRA_PRINTF(2, 3);

// ---- drags --------------------------------------------------------------------------------------

/// Follows a command about drags.
void view_drag_command(View *view, const ViewCommand *command);

/// Ends the drags of viewers that are gone.
void view_drag_check(View *view);
void view_drag_clear(View *view);

/// Brings the springs of all drags to the present state, before a step.
bool view_drag_apply(View *view);

/// Where the point of a drag is now, m.
void view_drag_point(const View *view, const ViewDrag *drag, double point[3]);

// ---- messages to the page -----------------------------------------------------------------------

/// What does not change: meshes, textures, names.
bool view_publish_scene(View *view);

/// What viewers choose.
void view_publish_state(View *view);

/// Where everything is.
bool view_publish_frame(View *view);

// ---- recordings ---------------------------------------------------------------------------------

void view_record_begin(View *view);

/// Writes the present step, if it is due.
void view_record_step(View *view);
void view_record_end(View *view);

// ---- the server ---------------------------------------------------------------------------------

typedef struct ViewServerDef {
    const char *address; ///< To listen at; NULL: this machine alone.
    int32_t port;        ///< 0: any that is free.
    bool open;           ///< Open the browser.
} ViewServerDef;

/// Serves until a signal comes; returns its number, or -1 after printing why it cannot serve.
int view_serve(View *view, const ViewServerDef *def);

#endif
