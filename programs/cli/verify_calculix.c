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
//   *PLASTIC with NLGEOM           hardening by a line: "hencky" with von Mises
//   *CREEP, LAW=NORTON, n = 1      rate 3/2 A s: pressure of "hencky", with next to no shear
//   modulus,
//                                  and a Maxwell branch of mu and 1/(3 A mu)
//
// C3D4 is the linear tet, with masses taken at its one point: rho V / 16 for each pair of vertices,
// where the consistent mass is rho V / 20 and twice that on the diagonal. C3D10 has its masses at
// its four points, where an exact integral needs more. C3D8 is the trilinear brick with 2 x 2 x 2
// points for stresses and masses; "stvk" takes 3 x 3 x 3 for cubes here, which is exact, and 2 x 2
// x 2 for other hexahedra. These differences are shown as information, and are then made here as
// they are there, to be compared.

#include "verify_body.h"

#include "lyra/dense.h"
#include "lyra/dofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG 1e6
#define POISSON 0.3
#define MODES 8

typedef enum Analysis {
    SMALL_STRAIN,
    LARGE_STVK,
    LARGE_NEO_HOOKE,
    FREQUENCIES,
    PLASTIC,
    PLASTIC_TENTH,
    CREEP,
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
    {"plastic", "hencky", {25, -220, 80}},
    {"plastic, a tenth of all stresses", "hencky", {2.5, -22, 8}},
    {"creep", "hencky", {0.003, -0.01, 0.005}},
};

// strength and hardening, Pa; steps of the load
#define YIELD 2000.0
#define HARDENING 1e5
#define PLASTIC_STEPS 20
// of creep: rate over stress, 1/(Pa s); steps, and their length, s
#define CREEP_RATE 1e-6
#define CREEP_STEPS 20
#define CREEP_DT 0.25

static bool is_plastic(Analysis analysis)
{
    return analysis == PLASTIC || analysis == PLASTIC_TENTH;
}

static const double size_of_body[3] = {4, 1, 1};

// mu10 and v1 that agree with E and nu at small strain: mu = 2 mu10, kappa = 2 v1
static const double mu10 = YOUNG / (4 * (1 + POISSON)), v1 = YOUNG / (6 * (1 - 2 * POISSON));

// ---- files of ccx -------------------------------------------------------------------------------

static void write_mesh(FILE *file, const VerifyBody *body)
{
    LyraMeshView view = body->view;
    int32_t nodes = lyra_element_kind_nodes(view.kind);
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
    bool large = analysis == LARGE_STVK || analysis == LARGE_NEO_HOOKE || is_plastic(analysis);
    fprintf(file, "*MATERIAL, NAME=M\n");
    if (analysis == LARGE_NEO_HOOKE) {
        fprintf(file, "*HYPERELASTIC, NEO HOOKE\n%.12e,%.12e\n", mu10, 1 / v1);
    } else {
        fprintf(file, "*ELASTIC\n%.12e,%.12e\n", YOUNG, POISSON);
    }
    if (is_plastic(analysis)) {
        double share = analysis == PLASTIC ? 1 : 0.1;
        fprintf(file, "*PLASTIC\n%.12e,0.\n%.12e,10.\n", share * YIELD,
                share * (YIELD + 10 * HARDENING));
    } else if (analysis == CREEP) {
        fprintf(file, "*CREEP, LAW=NORTON\n%.12e,1.,0.\n", CREEP_RATE);
    }
    fprintf(file, "*DENSITY\n1000.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n");
    fprintf(file, "*BOUNDARY\nHELD,1,3\n");
    if (analysis == FREQUENCIES) {
        fprintf(file, "*STEP\n*FREQUENCY\n%d\n*END STEP\n", MODES);
        return;
    }
    fprintf(file, large ? "*STEP, NLGEOM, INC=100\n*CONTROLS, PARAMETERS=FIELD\n1.e-10,1.e-9\n"
                        : "*STEP\n");
    if (is_plastic(analysis)) {
        fprintf(file, "*STATIC, DIRECT\n%.12e,1.\n", 1.0 / PLASTIC_STEPS);
    } else {
        fprintf(file, large ? "*STATIC\n0.25,1.,1.e-5,0.25\n" : "*STATIC\n");
    }
    fprintf(file, "*CLOAD\n");
    for (int32_t i = 0; i < 3 * body->view.vertex_count; ++i) {
        if (force[i] != 0) {
            fprintf(file, "%d,%d,%.12e\n", i / 3 + 1, i % 3 + 1, force[i]);
        }
    }
    if (analysis == CREEP) {
        // the load stays
        fprintf(file, "*END STEP\n*STEP, INC=1000\n*VISCO, DIRECT, CETOL=1.\n%.12e,%.12e\n",
                CREEP_DT, CREEP_STEPS * CREEP_DT);
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

// Runs ccx on a body; fills `u` or `frequencies`. Says what went wrong by a failed row and false.
static bool run_ccx(Verify *verify, const VerifyBody *body, Analysis analysis, const double *force,
                    double *u, double frequencies[MODES])
{
    char folder[CLI_FOLDER_MAX], path[CLI_FOLDER_MAX + 16], command[CLI_FOLDER_MAX + 128];
    if (!cli_folder_make(folder)) {
        verify_range(verify, 1, 1, 0, "a folder for ccx could be made");
        return false;
    }
    snprintf(path, sizeof path, "%s/job.inp", folder);
    FILE *file = fopen(path, "w");
    bool good = file != NULL;
    if (file) {
        write_mesh(file, body);
        write_step(file, body, analysis, force);
        good = !ferror(file);
        good = fclose(file) == 0 && good;
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
    cli_folder_remove(folder);
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
    bool quadratic = kind == LYRA_ELEMENT_TET10;
    VERIFY_TRY(
        verify_box(verify->ctx, quadratic ? LYRA_ELEMENT_TET4 : kind, cells, size_of_body, &mesh));
    LyraStatus status = LYRA_OK;
    if (kind != LYRA_ELEMENT_CUBE8) {
        // hexahedra less than tets, whose corners stay positive for longer
        double amount = kind == LYRA_ELEMENT_HEX8 ? 0.06 : 0.1;
        status = verify_distort(verify->ctx, size_of_body, amount, &mesh);
    }
    LyraMesh *corners = mesh;
    if (status == LYRA_OK && quadratic &&
        (status = lyra_mesh_quadratic(corners, &mesh)) == LYRA_OK) {
        lyra_mesh_destroy(corners);
    }
    if (status != LYRA_OK) {
        lyra_mesh_destroy(corners);
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
    const double mu = YOUNG / (2 * (1 + POISSON));
    const LyraElasticConstant creeping[] = {{"lambda", YOUNG / (3 * (1 - 2 * POISSON))},
                                            {"mu", 1e-9 * mu}};
    const LyraRelaxationBranch branch = {1 / (3 * CREEP_RATE * mu), mu, 0};
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    LyraViscoelasticityDef series = lyra_viscoelasticity_def_default();
    if (is_plastic(analysis)) {
        plasticity.yield_stress = analysis == PLASTIC ? YIELD : 0.1 * YIELD;
        plasticity.hardening = analysis == PLASTIC ? HARDENING : 0.1 * HARDENING;
        def.solid.plasticity = &plasticity;
    } else if (analysis == CREEP) {
        def.solid.constants = creeping;
        def.solid.constant_count = 2;
        series.model = LYRA_RELAXATION_MAXWELL;
        series.branches = &branch;
        series.branch_count = 1;
        def.solid.viscoelasticity = &series;
    }
    def.consistent_mass = true;
    def.integrator.load_steps = analysis == CREEP || is_plastic(analysis) ? 1 : 4;
    status = verify_body_create(verify->ctx, &def, out);
    if (status == LYRA_OK && (status = verify_hold_plane(out, 0, 0, "xyz")) != LYRA_OK) {
        verify_body_end(out);
    }
    return status;
}

// shape functions of a tet at point q of its one or four
static double shape_at(int32_t nodes, int q, int32_t a)
{
    if (nodes == 4) {
        return 0.25;
    }
    double L[4];
    for (int i = 0; i < 4; ++i) {
        L[i] = i == q ? 0.58541019662496845 : 0.13819660112501052;
    }
    if (a < 4) {
        return L[a] * (2 * L[a] - 1);
    }
    const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, a - 4);
    return 4 * L[ends[0]] * L[ends[1]];
}

// adds the masses of all tets, taken at their points, to M on the free unknowns, column-major
static void add_point_masses(const VerifyBody *body, const LyraDofsView *dofs, double *M)
{
    LyraMeshView view = body->view;
    double *volumes = cli_allocate((size_t)view.element_count * sizeof *volumes);
    lyra_mesh_element_volumes(body->mesh, volumes);
    int32_t nodes = lyra_element_kind_nodes(view.kind), points = nodes == 4 ? 1 : 4;
    for (int32_t e = 0; e < view.element_count; ++e) {
        const int32_t *element = view.elements + (int64_t)nodes * e;
        for (int32_t pair = 0; pair < 3 * nodes * nodes; ++pair) {
            int32_t a = pair / 3 / nodes, b = pair / 3 % nodes;
            int32_t i = dofs->reduced[3 * element[a] + pair % 3];
            int32_t j = dofs->reduced[3 * element[b] + pair % 3];
            for (int q = 0; q < points && i >= 0 && j >= 0; ++q) {
                M[i + (int64_t)j * dofs->free_count] +=
                    1000 * volumes[e] / points * shape_at(nodes, q, a) * shape_at(nodes, q, b);
            }
        }
    }
    free(volumes);
}

// K of the present state of a system on the free unknowns, column by column
static LyraStatus dense_stiffness(Verify *verify, LyraSystem *system, const LyraDofs *dofs,
                                  double *K)
{
    LyraDofsView view = lyra_dofs_view(dofs);
    LyraVector *x = NULL, *y = NULL;
    LyraStatus status = lyra_vector_create(verify->ctx, view.count, &x);
    if (status == LYRA_OK) {
        status = lyra_vector_create(verify->ctx, view.count, &y);
    }
    for (int32_t j = 0; j < view.free_count && status == LYRA_OK; ++j) {
        lyra_vector_fill(x, 0);
        lyra_vector_values_mutable(x)[view.free[j]] = 1;
        lyra_system_apply_stiffness(system, x, y);
        lyra_dofs_gather(dofs, lyra_vector_values(y), K + (int64_t)j * view.free_count);
    }
    lyra_vector_destroy(x);
    lyra_vector_destroy(y);
    return status;
}

// frequencies with masses at the points: M x = K x / w^2, the largest first, since M need not be
// positive definite
static LyraStatus point_mass_frequencies(Verify *verify, const VerifyBody *body, LyraSystem *system,
                                         double frequencies[MODES])
{
    LyraConstraintsView held = lyra_constraints_view(lyra_model_constraints(body->model));
    int32_t *fixed = cli_allocate((size_t)held.count * sizeof *fixed);
    for (int32_t k = 0; k < held.count; ++k) {
        // whole vertices: three directions in a row
        fixed[k] = 3 * held.vertex[k] + k % 3;
    }
    LyraDofs *dofs = NULL;
    LyraStatus status =
        lyra_dofs_create(verify->ctx, 3 * body->view.vertex_count, held.count, fixed, &dofs);
    free(fixed);
    if (status != LYRA_OK) {
        return status;
    }
    LyraDofsView view = lyra_dofs_view(dofs);
    size_t n = (size_t)view.free_count, square = n * n * sizeof(double);
    double *M = memset(cli_allocate(square), 0, square), *K = cli_allocate(square);
    double *vectors = cli_allocate(square), *values = cli_allocate(n * sizeof *values);
    add_point_masses(body, &view, M);
    status = dense_stiffness(verify, system, dofs, K);
    if (status == LYRA_OK) {
        status = lyra_dense_eigen_generalised(verify->ctx, view.free_count, M, K, values, vectors);
    }
    for (size_t k = 0; k < MODES && status == LYRA_OK; ++k) {
        frequencies[k] = sqrt(1 / values[n - 1 - k]) / (2 * 3.14159265358979323846);
    }
    free(M);
    free(K);
    free(vectors);
    free(values);
    lyra_dofs_destroy(dofs);
    return status;
}

static LyraStatus compare_frequencies(Verify *verify, const VerifyBody *body, const char *element)
{
    double theirs[MODES], ours[MODES];
    bool tets = body->view.kind == LYRA_ELEMENT_TET4 || body->view.kind == LYRA_ELEMENT_TET10;
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
    if (status == LYRA_OK && tets) {
        status = point_mass_frequencies(verify, body, system, ours);
    }
    for (int k = 0; k < MODES && status == LYRA_OK; ++k) {
        double consistent = lyra_modes_view(modes).frequencies[k];
        if (tets) {
            verify_information(verify, theirs[k], consistent,
                               "%s, frequency %d, consistent masses here, Hz", element, k + 1);
        }
        verify_relative(verify, theirs[k], tets ? ours[k] : consistent, 1e-5,
                        "%s, frequency %d%s, Hz", element, k + 1,
                        tets ? ", masses at its points" : "");
    }
    lyra_modes_destroy(modes);
    lyra_system_destroy(system);
    return status;
}

// Displacements of a body of bricks with StVK at 2 x 2 x 2 points, which laws of a user's own have.
static LyraStatus solve_stvk_as_theirs(Verify *verify, const VerifyBody *body, const double *force,
                                       double *u)
{
    LyraMaterialType law = *lyra_material_type(LYRA_MATERIAL_STVK, LYRA_ISA_AUTO);
    double parameters[LYRA_MATERIAL_PARAMETERS_MAX];
    LyraElasticConstant constants[LYRA_MATERIAL_PARAMETERS_MAX];
    LyraForce *elastic = NULL;
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraIntegrator *integrator = NULL;
    LyraStatus status = lyra_material_from_enu(LYRA_MATERIAL_STVK, YOUNG, POISSON, parameters);
    law.name = "stvk at 8 points";
    for (int32_t i = 0; i < law.parameter_count; ++i) {
        constants[i] = (LyraElasticConstant){law.parameter_names[i], parameters[i]};
    }
    LyraElasticDef def = lyra_elastic_def_default();
    def.law = &law;
    def.constants = constants;
    def.constant_count = law.parameter_count;
    def.inversion = LYRA_INVERSION_NONE;
    if (status == LYRA_OK) {
        status = lyra_elastic_create(verify->ctx, body->mesh, &def, &elastic);
    }
    LyraModelDef all = lyra_model_def_default();
    all.vertex_count = body->view.vertex_count;
    all.positions = body->view.positions;
    all.force_count = 1;
    all.forces = &elastic;
    all.masses = body->masses;
    if (status == LYRA_OK) {
        status = lyra_model_create(verify->ctx, &all, &model);
    }
    for (int32_t v = 0; v < body->view.vertex_count && status == LYRA_OK; ++v) {
        if (verify_on_plane(body, v, 0, 0)) {
            status = lyra_constraints_fix_vertices(lyra_model_constraints(model), 1, &v);
        }
    }
    LyraIntegratorDef steps = verify_body_def_default(NULL).integrator;
    steps.load_steps = 4;
    if (status == LYRA_OK && (status = lyra_model_set_force(model, force)) == LYRA_OK &&
        (status = lyra_system_create_sparse(verify->ctx, model, NULL, &system)) == LYRA_OK &&
        (status = lyra_system_state_create(system, &state)) == LYRA_OK &&
        (status = lyra_integrator_create(verify->ctx, &steps, system, &integrator)) == LYRA_OK &&
        (status = lyra_integrator_step(integrator, state, 1, NULL)) == LYRA_OK) {
        memcpy(u, lyra_vector_values(lyra_state_view(state).u),
               3 * (size_t)body->view.vertex_count * sizeof *u);
    }
    lyra_integrator_destroy(integrator);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    lyra_force_destroy(elastic);
    return status;
}

// largest difference over the largest of theirs
static double apart(int32_t dofs, const double *ours, const double *theirs)
{
    double difference = 0, most = 0;
    for (int32_t i = 0; i < dofs; ++i) {
        difference = fmax(difference, fabs(ours[i] - theirs[i]));
        most = fmax(most, fabs(theirs[i]));
    }
    return difference / most;
}

// equilibrium under the load: of creep at once, and then in time; of plastic bodies in steps, as
// what flows depends on the way. `lost`: to flow and viscosity, J
static LyraStatus solve(VerifyBody *body, Analysis analysis, const double *force, double *lost)
{
    int32_t size = 3 * body->view.vertex_count;
    int32_t steps = is_plastic(analysis) ? PLASTIC_STEPS : analysis == CREEP ? CREEP_STEPS + 1 : 1;
    double *part = cli_allocate((size_t)size * sizeof *part);
    LyraStatus status = LYRA_OK;
    *lost = 0;
    for (int32_t s = 1; s <= steps && status == LYRA_OK; ++s) {
        double share = is_plastic(analysis) ? (double)s / steps : 1;
        double dt = analysis != CREEP ? 1 : s == 1 ? 1e-9 * CREEP_DT : CREEP_DT;
        LyraStepReport report = {0};
        for (int32_t i = 0; i < size; ++i) {
            part[i] = share * force[i];
        }
        status = lyra_model_set_force(body->model, part);
        status = status ? status : lyra_integrator_step(body->integrator, body->state, dt, &report);
        *lost += report.dissipated;
    }
    free(part);
    return status;
}

static LyraStatus compare_statics(Verify *verify, VerifyBody *body, Analysis analysis,
                                  const char *element)
{
    int32_t dofs = 3 * body->view.vertex_count;
    size_t bytes = (size_t)dofs * sizeof(double);
    double *force = memset(cli_allocate(bytes), 0, bytes);
    double *ours = cli_allocate(bytes), *theirs = cli_allocate(bytes);
    const char *name = analyses[analysis].name;
    LyraStatus status =
        verify_add_face_load(body, 0, size_of_body[0], analyses[analysis].traction, force);
    double lost = 0, work = 0;
    if (status == LYRA_OK) {
        status = solve(body, analysis, force, &lost);
    }
    if (status == LYRA_OK && run_ccx(verify, body, analysis, force, theirs, NULL)) {
        memcpy(ours, verify_body_displacements(body), bytes);
        for (int32_t i = 0; i < dofs; ++i) {
            work += force[i] * ours[i];
        }
        if (is_plastic(analysis) || analysis == CREEP) {
            verify_range(verify, 0.1, 1, lost / work, "%s, %s: share of the work that is lost",
                         element, name);
        }
        // a cube, unlike a general hexahedron, takes more points
        if (body->view.kind == LYRA_ELEMENT_CUBE8 && analysis == LARGE_STVK) {
            verify_information(verify, NAN, apart(dofs, ours, theirs),
                               "%s, %s, 27 points here: largest difference, relative", element,
                               name);
            name = "large strain, StVK, 8 points";
            status = solve_stvk_as_theirs(verify, body, force, ours);
        }
        if (status == LYRA_OK) {
            // the elastic laws differ by as much as elastic strains are large
            double tolerance = analysis == PLASTIC ? 6e-4 : analysis == PLASTIC_TENTH ? 8e-5 : 1e-5;
            verify_absolute(verify, 0, apart(dofs, ours, theirs), tolerance,
                            "%s, %s: largest difference over all vertices, relative", element,
                            name);
        }
    }
    free(force);
    free(ours);
    free(theirs);
    return status;
}

static LyraStatus run_calculix(Verify *verify)
{
    if (system("command -v ccx >/dev/null 2>&1") != 0) {
        verify_skip(verify, "ccx, of CalculiX (package calculix-ccx), is not installed");
        return LYRA_OK;
    }
    verify_note(verify,
                "A block of 4 x 1 x 1 m, held at one end and loaded at the other by a "
                "constant traction, 192 tets (inner vertices moved at random) or 32 "
                "bricks, E = 1 MPa, nu = 0.3; large strain means displacements of about "
                "a meter. Two differences are of the formulation: CalculiX takes the masses "
                "of C3D4 at one point and of C3D10 at four, and StVK on C3D8 at 2 x 2 x 2 points, "
                "where Lyra takes 3 x 3 x 3 for cubes. Shown first as they are, then with masses "
                "and points as CalculiX has them. Plastic bodies take the load in 20 steps; the "
                "elastic law of CalculiX at finite strain is another one than \"hencky\", so both "
                "part as far as elastic strains are large: a tenth of all stresses shows it. Creep "
                "by Norton's law with exponent 1, which is a Maxwell body, runs at small strain in "
                "20 steps over six relaxation times.");
    static const struct {
        LyraElementKind kind;
        const char *name;
    } kinds[] = {{LYRA_ELEMENT_TET4, "C3D4"},
                 {LYRA_ELEMENT_CUBE8, "C3D8"},
                 {LYRA_ELEMENT_HEX8, "C3D8, distorted"},
                 {LYRA_ELEMENT_TET10, "C3D10"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        for (Analysis analysis = 0; analysis < ANALYSIS_COUNT; ++analysis) {
            VerifyBody body;
            const char *element = kinds[k].name;
            LyraStatus status = make_body(verify, kinds[k].kind, analysis, &body);
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
    {"calculix", "calculix", "Statics and frequencies against CalculiX", false, run_calculix},
    {0},
};
