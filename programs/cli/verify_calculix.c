// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Against CalculiX, an engineering code of others: the same meshes, materials, supports and loads
// are written as its input, `ccx` is run in a folder of its own, and displacements are compared
// vertex by vertex. Its results have seven digits.
//
// What corresponds to what:
//
//   *ELASTIC                       small strain, "linear" here
//   *ELASTIC with NLGEOM           Green's strain and second Piola stress: "stvk"
//   *HYPERELASTIC, NEO HOOKE       C10 (I/J^(2/3) - 3) + (J - 1)^2 / D1: "mooney-rivlin" with
//                                  mu01 = 0, mu10 = C10, v1 = 1 / D1
//   *FREQUENCY                     linear modes with consistent masses
//
// C3D4 is the linear tet. C3D8 is the trilinear brick with 2 x 2 x 2 points.

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define YOUNG 1e6
#define POISSON 0.3
#define MODES 8

typedef enum Analysis {
    SMALL_STRAIN,
    LARGE_STVK,
    LARGE_NEO_HOOKE,
    FREQUENCIES,
    ANALYSIS_COUNT
} Analysis;

static const struct {
    const char *name, *model;
    double traction[3]; // Pa, on the end
} analyses[ANALYSIS_COUNT] = {
    {"small strain", "linear", {300, -1000, 500}},
    {"large strain, StVK", "stvk", {2000, -6000, 3000}},
    {"large strain, neo-Hooke", "mooney-rivlin", {2000, -6000, 3000}},
    {"frequencies", "linear", {0, 0, 0}},
};

static const double size_of_body[3] = {4, 1, 1};

// mu10 and v1 that agree with E and nu at small strain: mu = 2 mu10, kappa = 2 v1
static const double mu10 = YOUNG / (4 * (1 + POISSON)), v1 = YOUNG / (6 * (1 - 2 * POISSON));

// ---- files of ccx -------------------------------------------------------------------------------

static void write_mesh(FILE *file, const VerifyBody *body)
{
    LyraMeshView view = body->view;
    int32_t nodes = view.kind == LYRA_ELEMENT_TET4 ? 4 : 8;
    fprintf(file, "*NODE, NSET=NALL\n");
    // fields of 20 characters
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        const double *X = view.positions + 3 * (int64_t)v;
        fprintf(file, "%d,%.12e,%.12e,%.12e\n", v + 1, X[0], X[1], X[2]);
    }
    fprintf(file, "*ELEMENT, TYPE=C3D%d, ELSET=EALL\n", nodes);
    for (int32_t e = 0; e < view.element_count; ++e) {
        fprintf(file, "%d", e + 1);
        for (int32_t n = 0; n < nodes; ++n) {
            fprintf(file, ",%d", view.elements[(int64_t)e * nodes + n] + 1);
        }
        fprintf(file, "\n");
    }
    fprintf(file, "*NSET, NSET=HELD\n");
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        if (verify_on_plane(body, v, 0, 0)) {
            fprintf(file, "%d,\n", v + 1);
        }
    }
}

static void write_step(FILE *file, const VerifyBody *body, Analysis analysis, const double *force)
{
    bool large = analysis == LARGE_STVK || analysis == LARGE_NEO_HOOKE;
    fprintf(file, "*MATERIAL, NAME=M\n");
    if (analysis == LARGE_NEO_HOOKE) {
        fprintf(file, "*HYPERELASTIC, NEO HOOKE\n%.12e,%.12e\n", mu10, 1 / v1);
    } else {
        fprintf(file, "*ELASTIC\n%.12e,%.12e\n", YOUNG, POISSON);
    }
    fprintf(file, "*DENSITY\n1000.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n");
    fprintf(file, "*BOUNDARY\nHELD,1,3\n");
    if (analysis == FREQUENCIES) {
        fprintf(file, "*STEP\n*FREQUENCY\n%d\n*END STEP\n", MODES);
        return;
    }
    fprintf(file, large ? "*STEP, NLGEOM, INC=100\n*CONTROLS, PARAMETERS=FIELD\n1.e-10,1.e-9\n"
                        : "*STEP\n");
    fprintf(file, large ? "*STATIC\n0.25,1.,1.e-5,0.25\n" : "*STATIC\n");
    fprintf(file, "*CLOAD\n");
    for (int32_t i = 0; i < 3 * body->view.vertex_count; ++i) {
        if (force[i] != 0) {
            fprintf(file, "%d,%d,%.12e\n", i / 3 + 1, i % 3 + 1, force[i]);
        }
    }
    fprintf(file, "*NODE PRINT, NSET=NALL, FREQUENCY=100\nU\n*END STEP\n");
}

// the last displacements that ccx printed; false unless every vertex has one
static bool read_displacements(FILE *file, int32_t vertex_count, double *u)
{
    char line[512];
    int32_t found = 0;
    while (fgets(line, sizeof line, file)) {
        int32_t node;
        double x[3];
        if (strstr(line, "displacements")) {
            found = 0;
        } else if (sscanf(line, "%d %lf %lf %lf", &node, &x[0], &x[1], &x[2]) == 4 && node >= 1 &&
                   node <= vertex_count) {
            memcpy(u + 3 * (int64_t)(node - 1), x, sizeof x);
            ++found;
        }
    }
    return found == vertex_count;
}

// frequencies, Hz, from the first table with five columns
static bool read_frequencies(FILE *file, double frequencies[MODES])
{
    char line[512];
    int32_t found = 0;
    while (found < MODES && fgets(line, sizeof line, file)) {
        int32_t mode;
        double value[4];
        if (sscanf(line, "%d %lf %lf %lf %lf", &mode, &value[0], &value[1], &value[2], &value[3]) ==
                5 &&
            mode == found + 1) {
            frequencies[found++] = value[2];
        }
    }
    return found == MODES;
}

// removes the folder with what ccx leaves there
static void remove_folder(const char *folder)
{
    static const char *const ends[] = {"inp", "dat", "frd", "sta", "cvg", "log", "12d", "eig"};
    char path[512];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        snprintf(path, sizeof path, "%s/job.%s", folder, ends[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/spooles.out", folder);
    unlink(path);
    rmdir(folder);
}

// Runs ccx on a body; fills `u` or `frequencies`. Says what went wrong by a failed row and false.
static bool run_ccx(Verify *verify, const VerifyBody *body, Analysis analysis, const double *force,
                    double *u, double frequencies[MODES])
{
    char folder[] = "/tmp/lyra-calculix-XXXXXX", path[512], command[1024];
    if (!mkdtemp(folder)) {
        verify_range(verify, 1, 1, 0, "a folder for ccx could be made");
        return false;
    }
    snprintf(path, sizeof path, "%s/job.inp", folder);
    FILE *file = fopen(path, "w");
    bool good = file != NULL;
    if (file) {
        write_mesh(file, body);
        write_step(file, body, analysis, force);
        good = !ferror(file) & (fclose(file) == 0);
    }
    // one thread: sums in one order
    snprintf(command, sizeof command,
             "cd '%s' && OMP_NUM_THREADS=1 ccx -i job >job.log 2>&1 </dev/null", folder);
    good = good && system(command) == 0;
    snprintf(path, sizeof path, "%s/job.dat", folder);
    file = good ? fopen(path, "r") : NULL;
    good = file && (analysis == FREQUENCIES ? read_frequencies(file, frequencies)
                                            : read_displacements(file, body->view.vertex_count, u));
    if (file) {
        fclose(file);
    }
    remove_folder(folder);
    if (!good) {
        verify_range(verify, 1, 1, 0, "%s: ccx ran to its end", analyses[analysis].name);
    }
    return good;
}

// ---- comparisons --------------------------------------------------------------------------------

static LyraStatus make_body(Verify *verify, LyraElementKind kind, Analysis analysis,
                            VerifyBody *out)
{
    const int32_t cells[3] = {8, 2, 2};
    LyraElasticConstant constants[] = {{"mu01", 0}, {"mu10", mu10}, {"v1", v1}};
    LyraMesh *mesh = NULL;
    LyraStatus status = verify_box(verify->ctx, kind, cells, size_of_body, &mesh);
    if (status == LYRA_OK && kind == LYRA_ELEMENT_TET4) {
        status = verify_distort(verify->ctx, size_of_body, 0.1, &mesh);
        if (status != LYRA_OK) {
            lyra_mesh_destroy(mesh);
        }
    }
    if (status != LYRA_OK) {
        return status;
    }
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = analyses[analysis].model;
    def.solid.young = YOUNG;
    def.solid.poisson = POISSON;
    if (analysis == LARGE_NEO_HOOKE) {
        def.solid.constants = constants;
        def.solid.constant_count = 3;
    }
    def.consistent_mass = true;
    def.integrator.load_steps = 4;
    status = verify_body_create(verify->ctx, &def, out);
    return status == LYRA_OK ? verify_hold_plane(out, 0, 0, "xyz") : status;
}

static LyraStatus compare_frequencies(Verify *verify, const VerifyBody *body, const char *element)
{
    double theirs[MODES];
    if (!run_ccx(verify, body, FREQUENCIES, NULL, NULL, theirs)) {
        return LYRA_OK;
    }
    LyraSolverDef solver = lyra_solver_def_default();
    solver.task = LYRA_SOLVER_MANY;
    LyraModesDef def = lyra_modes_def_default();
    def.count = MODES;
    LyraSystem *system = NULL;
    LyraModes *modes = NULL;
    LyraStatus status = lyra_system_create_sparse(verify->ctx, body->model, &solver, &system);
    if (status == LYRA_OK) {
        status = lyra_modes_create(system, NULL, &def, &modes, NULL);
    }
    for (int k = 0; k < MODES && status == LYRA_OK; ++k) {
        verify_relative(verify, theirs[k], lyra_modes_view(modes).frequencies[k], 1e-5,
                        "%s, frequency %d, Hz", element, k + 1);
    }
    lyra_modes_destroy(modes);
    lyra_system_destroy(system);
    return status;
}

static LyraStatus compare_statics(Verify *verify, VerifyBody *body, Analysis analysis,
                                  const char *element)
{
    size_t bytes = 3 * (size_t)body->view.vertex_count * sizeof(double);
    double *force = memset(cli_allocate(bytes), 0, bytes), *theirs = cli_allocate(bytes);
    LyraStatus status =
        verify_add_face_load(body, 0, size_of_body[0], analyses[analysis].traction, force);
    if (status == LYRA_OK) {
        status = lyra_model_set_force(body->model, force);
    }
    if (status == LYRA_OK) {
        status = verify_body_solve(body, NULL);
    }
    if (status == LYRA_OK && run_ccx(verify, body, analysis, force, theirs, NULL)) {
        const double *ours = verify_body_displacements(body);
        double apart = 0, most = 0;
        for (int32_t i = 0; i < 3 * body->view.vertex_count; ++i) {
            apart = fmax(apart, fabs(ours[i] - theirs[i]));
            most = fmax(most, fabs(theirs[i]));
        }
        verify_information(verify, NAN, most, "%s, %s: largest displacement of ccx, m", element,
                           analyses[analysis].name);
        verify_absolute(verify, 0, apart / most, 1e-5,
                        "%s, %s: largest difference over all vertices, relative", element,
                        analyses[analysis].name);
    }
    free(force);
    free(theirs);
    return status;
}

static LyraStatus run_calculix(Verify *verify)
{
    if (system("command -v ccx >/dev/null 2>&1") != 0) {
        verify_skip(verify, "ccx, of CalculiX (package calculix-ccx), is not installed");
        return LYRA_OK;
    }
    verify_note(verify, "A block of 4 x 1 x 1 m, held at one end and loaded at the other by a "
                        "constant traction, 192 tets (inner vertices moved at random) or 32 "
                        "bricks, E = 1 MPa, nu = 0.3.");
    const LyraElementKind kinds[2] = {LYRA_ELEMENT_TET4, LYRA_ELEMENT_CUBE8};
    for (int k = 0; k < 2; ++k) {
        for (Analysis analysis = 0; analysis < ANALYSIS_COUNT; ++analysis) {
            VerifyBody body;
            const char *element = k ? "C3D8" : "C3D4";
            LyraStatus status = make_body(verify, kinds[k], analysis, &body);
            if (status != LYRA_OK) {
                return status;
            }
            status = analysis == FREQUENCIES ? compare_frequencies(verify, &body, element)
                                             : compare_statics(verify, &body, analysis, element);
            verify_body_end(&body);
            if (status != LYRA_OK) {
                return status;
            }
        }
    }
    return LYRA_OK;
}

const VerifyCase verify_calculix_cases[] = {
    {"calculix", "calculix", "statics and frequencies against CalculiX", false, run_calculix},
    {0},
};
