// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra verify`: how far the library is from closed forms, published benchmarks and other codes. A
// case is a function that computes something with the public API and records rows; the table of the
// cases of one group stands at the end of a file of its own, verify_<group>.c, and is listed in
// verify.c. Nothing that depends on the clock or the number of threads is recorded, so that a run
// repeats.

#ifndef LYRA_CLI_VERIFY_H
#define LYRA_CLI_VERIFY_H

#include "cli.h"

// ---- rows ---------------------------------------------------------------------------------------

typedef enum VerifyKind {
    VERIFY_RELATIVE = 0, ///< |ours - reference| / |reference| <= tolerance.
    VERIFY_ABSOLUTE,     ///< |ours - reference| <= tolerance.
    VERIFY_RANGE,        ///< low <= ours <= high.
    VERIFY_INFORMATION,  ///< Shown, not judged.
    VERIFY_SKIPPED,      ///< Something that the case needs is not here; `quantity` says what.
    VERIFY_FAILED,       ///< The case broke off; `quantity` says why.
} VerifyKind;

/// One line of the table. Numbers that a kind has no use for are NAN.
typedef struct VerifyRow {
    int32_t case_index; ///< Into the cases that ran.
    VerifyKind kind;
    char *quantity;   ///< "tets 32x2x2, w/L at P L^2/EI = 3"
    double reference; ///< NAN also where information has none.
    double ours;
    double error; ///< Relative or absolute; of information relative, where there is a reference.
    double tolerance;
    double low, high; ///< VERIFY_RANGE; may be infinite.
    bool pass;        ///< True for information and for what was skipped.
} VerifyRow;

/// One line of a chart.
typedef struct VerifySeries {
    char *name;
    int32_t count;
    double *x, *y; ///< [count]
} VerifySeries;

#define VERIFY_SERIES_MAX 12

/// A chart of a case.
typedef struct VerifyPlot {
    int32_t case_index;
    char *name; ///< Stem of its file, "elastica_convergence".
    char *title, *x_label, *y_label;
    bool log_x, log_y;
    int32_t series_count;
    VerifySeries series[VERIFY_SERIES_MAX];
} VerifyPlot;

// ---- cases --------------------------------------------------------------------------------------

typedef struct Verify Verify;

/// A case. `run` records rows and returns LYRA_OK, also when they do not pass; with another status
/// the sentence of lyra_error_message() becomes a failed row. Rows recorded before stay.
typedef struct VerifyCase {
    const char *name;    ///< Unique among names of cases and groups: "elastica".
    const char *group;   ///< "statics", "dynamics" ...
    const char *summary; ///< One line.
    bool quick;          ///< Takes part in --quick.
    LyraStatus (*run)(Verify *verify);
} VerifyCase;

/// A case that ran, and what is to be said of it.
typedef struct VerifyRun {
    const VerifyCase *what;
    char *notes; ///< Paragraphs, each ended by a newline; "" for none.
} VerifyRun;

/// A run of the command: what cases see, and what they recorded.
struct Verify {
    LyraContext *ctx; ///< Of this case alone: it must be empty when the case returns.
    bool quick;       ///< --quick: the case is to be short, a few seconds.
    FILE *live;       ///< Rows are printed here as they come. Nullable.
    VerifyRun *runs;
    VerifyRow *rows;
    VerifyPlot *plots;
    int32_t run_count, row_count, plot_count;
    int32_t run_room, row_room, plot_room;
};

/// Returns from a case with the status of a call that failed.
#define VERIFY_TRY(call)                                                                           \
    do {                                                                                           \
        LyraStatus verify_status = (call);                                                         \
        if (verify_status != LYRA_OK) {                                                            \
            return verify_status;                                                                  \
        }                                                                                          \
    } while (0)

// ---- what a case records ------------------------------------------------------------------------

/// |ours - reference| / |reference| is to be at most `tolerance`. `format` gives the quantity.
void verify_relative(Verify *verify, double reference, double ours, double tolerance,
                     const char *format, ...) LYRA_PRINTF(5, 6);

/// |ours - reference| is to be at most `tolerance`.
void verify_absolute(Verify *verify, double reference, double ours, double tolerance,
                     const char *format, ...) LYRA_PRINTF(5, 6);

/// `ours` is to be in [low, high]; either end may be infinite.
void verify_range(Verify *verify, double low, double high, double ours, const char *format, ...)
    LYRA_PRINTF(5, 6);

/// Shown beside a reference (NAN: none) and not judged: locking, figures that their own source
/// cannot reproduce.
void verify_information(Verify *verify, double reference, double ours, const char *format, ...)
    LYRA_PRINTF(4, 5);

/// The case, or a part of it, cannot run here: a program is not installed, say.
void verify_skip(Verify *verify, const char *format, ...) LYRA_PRINTF(2, 3);

/// A paragraph about the case, for the reports: where the reference comes from, why an error is
/// what it is.
void verify_note(Verify *verify, const char *format, ...) LYRA_PRINTF(2, 3);

/// A new chart of the case, to be filled with verify_series. Valid until the next one is made.
VerifyPlot *verify_plot(Verify *verify, const char *name, const char *title, const char *x_label,
                        const char *y_label, bool log_x, bool log_y);

/// Adds a line to a chart; x and y [count] are copied. At most VERIFY_SERIES_MAX.
void verify_series(VerifyPlot *plot, int32_t count, const double *x, const double *y,
                   const char *format, ...) LYRA_PRINTF(5, 6);

// ---- the recorder -------------------------------------------------------------------------------

/// Runs a case in a context of its own and records it, a failure included. CLI_OK unless no context
/// can be made.
CliExit verify_run_case(Verify *verify, const VerifyCase *what, int32_t threads);

/// Rows that do not pass.
int32_t verify_failure_count(const Verify *verify);

/// Exit code of a run: CLI_BAD_INPUT if a row does not pass.
CliExit verify_judge(const Verify *verify);

/// Frees what was recorded.
void verify_end(Verify *verify);

/// `reference`, `ours`, `error` and `tolerance` of a row as columns of text, "" where it has none.
typedef struct VerifyCells {
    char reference[32], ours[32], error[32], tolerance[72];
    const char *verdict; ///< "pass", "FAIL", "info", "skip"
} VerifyCells;

void verify_cells(const VerifyRow *row, VerifyCells *cells);

// ---- reports ------------------------------------------------------------------------------------

void verify_print_head(FILE *file);
void verify_print_row(const Verify *verify, const VerifyRow *row);
void verify_print_json(const Verify *verify, FILE *file);

/// One file that needs no other: the table and the charts.
CliExit verify_write_html(const Verify *verify, const char *path);

/// The table as Markdown; the charts go to `pictures` as verify_<name>.svg. Nullable: no charts.
CliExit verify_write_markdown(const Verify *verify, const char *path, const char *pictures);

// ---- groups -------------------------------------------------------------------------------------

/// Tables of cases, each ended by a NULL name.
extern const VerifyCase verify_beam_cases[];
extern const VerifyCase verify_calculix_cases[];
extern const VerifyCase verify_cloth_cases[];
extern const VerifyCase verify_rigid_cases[];
extern const VerifyCase verify_rod_cases[];
extern const VerifyCase verify_shell_cases[];
extern const VerifyCase verify_cook_cases[];
extern const VerifyCase verify_impact_cases[];
extern const VerifyCase verify_incompressible_cases[];
extern const VerifyCase verify_locking_cases[];
extern const VerifyCase verify_modes_cases[];
extern const VerifyCase verify_motion_cases[];
extern const VerifyCase verify_obstacles_cases[];
extern const VerifyCase verify_order_cases[];
extern const VerifyCase verify_particles_cases[];
extern const VerifyCase verify_patch_cases[];
extern const VerifyCase verify_plastic_cases[];
extern const VerifyCase verify_sphere_cases[];
extern const VerifyCase verify_tension_cases[];
extern const VerifyCase verify_time_cases[];
extern const VerifyCase verify_viscous_cases[];

#endif
