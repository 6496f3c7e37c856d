// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The parts of `lyra run`: the loop (run.c), bodies and surfaces as they are written
// (run_bodies.c), files of results (run_write.c), pictures (run_picture.c), steps.csv and
// summary.json (run_record.c), checkpoints (run_checkpoint.c), what the terminal shows
// (run_progress.c). Functions that can fail return false after printing the reason.

#ifndef LYRA_CLI_RUN_H
#define LYRA_CLI_RUN_H

#include "cli.h"

#include "lyra/picture.h"

#define RUN_CHECKPOINT "checkpoint.lyra"
#define RUN_LOCK ".lyra-lock"

/// What the command line says. -1 and NaN: left to the scene.
typedef struct RunOptions {
    const char *scene, *out; ///< `out`: NULL: nothing is written.
    int32_t steps, save_every, vtu_every, obj_every, snapshot_every, checkpoint_every, threads;
    double duration, checkpoint_seconds;
    const char *snapshot_size, *snapshot_field, *snapshot_camera; ///< As written. NULL.
    bool resume, quiet, json, print_defaults;
    CliList sets;
} RunOptions;

/// Sums over the steps so far.
typedef struct RunTotals {
    int64_t newton_iterations, linear_iterations, rejected;
    double plastic, viscous, work, change, numerical; ///< J.
    double viscous_least; ///< Smallest of a step, 0 where none is below.
    double min_det;       ///< Smallest of all steps.
    double seconds;       ///< Of wall time, before the last start too.
    double writing;       ///< Seconds of them spent on files.
    double pictures;      ///< Seconds of those spent on pictures.
} RunTotals;

/// Steps at which something was written, and their times.
typedef struct RunFrames {
    int64_t count, capacity;
    int64_t *steps;
    double *times;
} RunFrames;

/// A body as VTU files show it.
typedef struct RunBody {
    const LyraBodyView *body;
    char *name;         ///< Of its files.
    LyraFields *fields; ///< NULL without a volume.
    double *x;          ///< [vertex_count][3].
    double *det, *energy_density, *stress, *von_mises;
    double *stretches; ///< Principal ones of the triangles of cloth, [triangles][2]. Or NULL.
    double *strains;   ///< Along u and v, and of shear, [triangles][3]. Or NULL.
    double *memory[LYRA_MEMORY_COUNT];           ///< NULL where nothing is remembered or wanted.
    LyraSeries *memory_files[LYRA_MEMORY_COUNT]; ///< NULL unless the output has save-history.
    double *noise;  ///< Stress that rounding makes per m of coordinates, Pa/m. [elements]. Or NULL.
    double *colors; ///< What colours its pictures, in the first of three. [vertices][3]. Or NULL.
} RunBody;

/// A surface that a body carries along.
typedef struct RunSurface {
    const LyraBodyView *body;
    const LyraShownSurface *shown;
    bool visible; ///< In pictures: all but the body's own vertices around a surface inside them.
    char *name;   ///< Of its files.
    double *x;    ///< [vertices of the surface][3].
    LyraSeries *pc2;
    LyraTextureSet *textures; ///< Of pictures; NULL: none.
    double *field, *scratch;  ///< Colours of pictures, [vertices], and [vertices][3]; NULL: none.
} RunSurface;

/// A column of a probe.
typedef struct RunColumn {
    char name[72]; ///< "tip", or "tip_x" of a vector.
    int32_t probe, component;
    double value; ///< After the last step.
} RunColumn;

typedef struct Run {
    RunOptions options;
    LyraContext *ctx;
    LyraWorld *world;
    LyraWorldView view;
    LyraScene *scene;
    LyraSceneView said;     ///< What the scene says beside its world.
    LyraSceneOutput output; ///< The scene's wishes under those of the command line.
    int64_t steps;          ///< To reach.
    int64_t step, first;    ///< Reached; where this start began.
    double start_time;      ///< Of step 0, s.
    double began;           ///< Clock at the start, s.
    double drawn;           ///< Seconds of pictures before this start.
    RunTotals totals;
    LyraStepReport report;        ///< Of the last step.
    char solver[32];              ///< That served it.
    double linear[3], angular[3]; ///< Momenta after it, kg m/s and kg m^2/s about the origin.
    LyraVector *momentum, *reaction;
    int32_t column_count;
    RunColumn *columns; ///< Of the world's probes.
    char *row;          ///< Room for a row of steps.csv.
    // files
    FILE *csv;
    FILE *motion; ///< bodies.csv; NULL without rigid or affine bodies.
    int64_t csv_bytes;
    LyraSeries *displacement, *velocity, *time;
    LyraSeries *matrix; ///< A column of displacements per step.
    RunFrames saved, vtus;
    int32_t body_count, surface_count;
    RunBody *bodies;
    RunSurface *surfaces;
    double checkpoint_clock;           ///< When the last one was written.
    char *summary_path, *summary_part; ///< NULL before the run has written to its folder.
    FILE *lock; ///< Of the folder of results, held until the files are closed.
} Run;

/// Seconds of a clock that only goes forward.
double run_now(void);

/// Loads the scene that the options name, with their changes.
bool run_load(Run *run);

/// Ends all that a run holds, the context too.
void run_end(Run *run);

/// Path of a file in the folder of results, to free().
char *run_path(const Run *run, const char *format, ...) LYRA_PRINTF(2, 3);

// ---- bodies -------------------------------------------------------------------------------------

bool run_bodies_create(Run *run);
void run_bodies_destroy(Run *run);

/// Brings the positions of all surfaces to the present state.
void run_move_surfaces(Run *run);

/// The memory that a field of pictures shows; LYRA_MEMORY_COUNT if none.
LyraMemory run_field_memory(LyraSceneField field);

/// Brings positions and fields of a body to the present state.
bool run_move_body(Run *run, RunBody *body);

/// Triangles of a body of cloth or of a shell, [count][3]; NULL of others.
const int32_t *run_triangles(const LyraBodyView *body, int32_t *count);

/// Vertices of all bodies: places, without the unknowns of edges.
int32_t run_vertices(const Run *run);

/// Measures how stiff elements are, for run_shown_stress(): at first, and when that changed.
bool run_measure_noise(Run *run);

/// Writes the larger strain of a cloth at its vertices, [vertex_count], the mean of the triangles
/// around each; its body has been moved.
void run_average_strain(const RunBody *body, double *values);

/// The von Mises stress of an element, of the last run_move_body(), as colours show it: 0 where it
/// is no more than rounding makes in a body at rest.
double run_shown_stress(const RunBody *body, int64_t element);

// ---- results ------------------------------------------------------------------------------------

/// Makes the folder of results and locks it, unless it is locked. The lock ends with the process,
/// however that ends; a second run is refused.
bool run_folder_lock(Run *run);

/// Makes and locks the folder, drops what an earlier run left beyond the present step, opens the
/// files: new ones, or those of a checkpoint with `frames` frames.
bool run_files_open(Run *run, bool resumed, int64_t frames);

/// Writes what is due at the present step.
bool run_files_write(Run *run);

/// Writes a picture of all bodies at the present step; their surfaces are where they belong.
bool run_picture_write(Run *run);

/// Takes over what the command line says of pictures.
bool run_picture_plan(Run *run);

/// Waits until all that grows is on the disk.
bool run_files_sync(Run *run);

/// Writes what is made of all frames at once.
bool run_files_finish(Run *run);

/// Prints what was written.
void run_files_list(const Run *run);

/// Closes the files, unlocks the folder and forgets them; others may be opened.
void run_files_close(Run *run);

void run_frames_add(RunFrames *frames, int64_t step, double time);

// ---- records ------------------------------------------------------------------------------------

/// Makes the columns of the world's probes.
bool run_record_create(Run *run);
void run_record_destroy(Run *run);

/// Takes over the report of a step that was accepted, and looks at the probes.
bool run_record_step(Run *run);

/// Looks at the probes at the present state.
bool run_read_probes(Run *run);

/// Begins bodies.csv where there are bodies with a rotation, or goes on behind the reached step;
/// writes the rows of a saved step.
bool run_motion_open(Run *run, bool resumed);
bool run_motion_write(Run *run);
bool run_motion_sync(Run *run);
void run_motion_close(Run *run);

/// Begins steps.csv, or goes on behind its first `bytes` bytes, whose times fill the frames.
bool run_csv_open(Run *run, bool resumed, int64_t bytes);
bool run_csv_write(Run *run);
bool run_csv_sync(Run *run);

/// Prints the step as one line of JSON.
bool run_json_write(const Run *run);

/// Writes summary.json in one piece, or over the old one where a disk is full; one that says
/// "running" keeps room for its end. `result`: "running", "finished", "interrupted", "failed";
/// `reason`: Nullable.
bool run_summary_write(Run *run, const char *result, const char *reason);

/// Says in summary.json that the run failed, as far as that can be written, and prints nothing.
void run_summary_fail(Run *run, const char *reason);

// ---- checkpoints --------------------------------------------------------------------------------

bool run_checkpoint_is_due(const Run *run);
bool run_checkpoint_write(Run *run);

/// What a checkpoint says of the files beside it.
typedef struct RunMark {
    int64_t frames, csv_bytes;
} RunMark;

/// Reads the checkpoint: state, step, totals. `*found` says whether there is one. Fails if it is
/// damaged, or of another scene, or of other outputs.
bool run_checkpoint_read(Run *run, bool *found, RunMark *mark);

// ---- progress -----------------------------------------------------------------------------------

/// Shows where the run stands, now and then.
void run_progress(const Run *run);

/// Ends the line that run_progress() overwrites.
void run_progress_end(const Run *run);

#endif
