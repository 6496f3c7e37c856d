// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What the subcommands share: options, exit codes, errors, JSON.

#ifndef LYRA_CLI_H
#define LYRA_CLI_H

#include "lyra/lyra.h"
#include "lyra/plot.h"

#include <stdio.h>

typedef enum CliExit {
    CLI_OK = 0,
    CLI_BAD_INPUT = 1,     ///< A file, a value or a computation failed.
    CLI_USAGE = 2,         ///< The command line itself is wrong.
    CLI_INTERRUPTED = 130, ///< SIGINT came; all is in order, as shells have it.
    CLI_TERMINATED = 143,  ///< SIGTERM came; all is in order.
} CliExit;

/// One subcommand; `arguments` starts after its name.
typedef struct CliCommand {
    const char *name;
    const char *summary; ///< One line for the list.
    CliExit (*run)(int argument_count, char **arguments);
} CliCommand;

/// Runs the command of `commands` (ended by a NULL name) that arguments[0] names. Prints the list
/// for no argument, --help and help. `program` is what stands before, for example "lyra mesh".
CliExit cli_dispatch(const char *program, const CliCommand *commands, int argument_count,
                     char **arguments);

// ---- options ------------------------------------------------------------------------------------

typedef enum CliOptionKind {
    CLI_FLAG,    ///< bool, set to true
    CLI_INT,     ///< int32_t
    CLI_THREADS, ///< int32_t from 0, which stands for all cores, to 256
    CLI_DOUBLE,  ///< double, finite
    CLI_COUNT,   ///< int32_t >= 0; no option given may stand for one below
    CLI_TEXT,    ///< const char *
    CLI_VECTOR,  ///< double[3], given as x,y,z
    CLI_LIST,    ///< CliList: may be given several times
} CliOptionKind;

#define CLI_LIST_MAX 32
#define CLI_NUMBER_MAX 40

typedef struct CliList {
    const char *items[CLI_LIST_MAX];
    int32_t count;
} CliList;

typedef struct CliOption {
    const char *name; ///< With dashes, for example "--threads".
    CliOptionKind kind;
    void *value;          ///< Keeps its default when the option is absent.
    const char *argument; ///< Name of the value in the help, NULL for flags.
    const char *help;
} CliOption;

/// What a subcommand accepts.
typedef struct CliUsage {
    const char *command;      ///< "lyra mesh info"
    const char *positional;   ///< A word for each: "IN OUT", "A [B]", "", or "[NAME...]".
    const char *description;  ///< A sentence or two.
    const char *example;      ///< A command line that works.
    const CliOption *options; ///< Ended by a NULL name. Nullable.
    bool optional;            ///< They may be left out.
    int32_t list_max;         ///< How many "[NAME...]" stands for.
} CliUsage;

/// Sorts `arguments` into options and positionals, whose number may be of no interest (NULL).
/// Returns true to go on; else `*exit` is what to return (help was asked for, or the command line
/// is wrong and was explained).
bool cli_parse(const CliUsage *usage, int argument_count, char **arguments,
               const char **positionals, int32_t *positional_count, CliExit *exit);

/// Explains a wrong command line on standard error and returns CLI_USAGE.
CliExit cli_usage_error(const CliUsage *usage, const char *format, ...) LYRA_PRINTF(2, 3);

/// Prints "lyra: <message of the last failure>" on standard error and returns CLI_BAD_INPUT.
CliExit cli_failed(void);

/// The sentence of the last cli_fail() or cli_failed().
const char *cli_last_failure(void);

/// `size` bytes to free(), never NULL: without memory it says so and ends the program.
void *cli_allocate(size_t size);

/// What cli_allocate() calls before it ends the program. Nullable.
void cli_set_last_words(void (*function)(void *user), void *user);

/// As cli_failed, with a sentence of the command's own.
CliExit cli_fail(const char *format, ...) LYRA_PRINTF(1, 2);

/// Says how often each remark of the library came. The first of a kind was printed when it came,
/// the others, which differ from it in numbers alone, were counted.
void cli_remarks_end(void);

/// Context for a command; `threads` 0 means all cores. NULL after printing the reason.
LyraContext *cli_context(int32_t threads, LyraIsa isa);

/// The word of `words` [count] nearest to `word`; NULL if none is within two edits.
const char *cli_nearest(const char *word, const char *const *words, int32_t count);

/// Appends `word`, after a comma if it is not the first, as far as it fits.
void cli_append(char *list, size_t size, const char *word);

/// Reads "WxH", both positive; false if `text` is not that.
bool cli_parse_size(const char *text, int32_t *width, int32_t *height);

/// Reads `count` numbers with commas between and `stop` behind; what follows that, NULL if `text`
/// is something else.
const char *cli_parse_numbers(const char *text, int count, double *values, char stop);

/// Ends standard output; CLI_BAD_INPUT if it could not all be written (a full disk, say).
CliExit cli_finish_output(void);

/// Shortest text of at least 15 digits that reads back the same.
void cli_format_double(double value, char text[CLI_NUMBER_MAX]);

/// Writes text from outside, such as a path, as text of an HTML page.
void cli_write_html_text(FILE *file, const char *text);

// ---- JSON ---------------------------------------------------------------------------------------

/// Writer of one JSON document. Zero-initialise, set `file`; commas and indents are its work. A
/// NULL key stands for an element of an array.
typedef struct CliJson {
    FILE *file;
    int32_t depth;
    bool filled[16]; // whether the open object or array of each depth has an element
    bool in_row;     // the innermost array is written on one line
} CliJson;

void cli_json_open(CliJson *json, const char *key, char bracket);
void cli_json_close(CliJson *json, char bracket);
void cli_json_text(CliJson *json, const char *key, const char *value);
void cli_json_int(CliJson *json, const char *key, int64_t value);
void cli_json_bool(CliJson *json, const char *key, bool value);
/// As cli_format_double; null for NaN and infinities.
void cli_json_double(CliJson *json, const char *key, double value);
void cli_json_doubles(CliJson *json, const char *key, int32_t count, const double *values);

// ---- subcommands --------------------------------------------------------------------------------

CliExit cli_bench(int argument_count, char **arguments);
CliExit cli_compare(int argument_count, char **arguments);
CliExit cli_eval(int argument_count, char **arguments);
CliExit cli_fit(int argument_count, char **arguments);
CliExit cli_mesh(int argument_count, char **arguments);
CliExit cli_modes(int argument_count, char **arguments);
CliExit cli_convert(int argument_count, char **arguments);
CliExit cli_plot(int argument_count, char **arguments);
CliExit cli_run(int argument_count, char **arguments);
CliExit cli_scene(int argument_count, char **arguments);
CliExit cli_snapshot(int argument_count, char **arguments);
CliExit cli_verify(int argument_count, char **arguments);
CliExit cli_view(int argument_count, char **arguments);

/// Whether this build has the viewer of `lyra view`.
bool cli_has_viewer(void);

/// Values of the column of that name; NULL without.
const double *cli_column(const LyraTableView *table, const char *name);

// ---- temporary files ----------------------------------------------------------------------------

#define CLI_FOLDER_MAX 4096

/// Makes an empty folder below TMPDIR, or /tmp; false where that fails, with errno. A path in it
/// has room for 63 chars more.
bool cli_folder_make(char folder[CLI_FOLDER_MAX]);

/// Removes it with its files.
void cli_folder_remove(const char *folder);

#endif
