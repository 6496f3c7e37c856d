// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// lyra_elements cook|beam [--quick]: how much work elements need for how much precision, on two
// bodies in bending under a small load at one end: Cook's membrane, one unit thick in plane strain,
// and a bar of 8 x 1 x 1, both with Poisson's ratio 0.3. Prints a table that `lyra plot` draws:
//
//   seconds,cells,vertices,tets,tets of 10 nodes
//
// a row for each mesh, the error in the column of its elements. The error is that of the mean
// displacement of the loaded end along the load, relative, beside the limit of the two finest
// meshes of 10-node tets. Seconds are those of one static solve on one thread with the solver
// `auto`, pattern, assembly, analysis and all, the least of the runs that half a second has room
// for. Then, on the error stream: at the error of each mesh of tets, the times between the lines.

#include "lyra/lyra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS 0.5
#define LOAD 1e-6

enum { LEVELS_MAX = 8, KINDS = 2 };

static const struct {
    LyraElementKind kind;
    const char *name;
} kinds[KINDS] = {{LYRA_ELEMENT_TET4, "tets"}, {LYRA_ELEMENT_TET10, "tets of 10 nodes"}};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// x in [0, 1]^3 to the body
static void place(bool cook, double x[3])
{
    double X = x[0], Y = x[1];
    x[0] = cook ? 48 * X : 8 * X;
    x[1] = cook ? 44 * X + Y * (44 - 28 * X) : Y;
}

static LyraStatus make_mesh(LyraContext *ctx, bool cook, LyraElementKind kind, int32_t n,
                            LyraMesh **out)
{
    LyraMesh *box = NULL, *drawn = NULL;
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.cells[0] = cook ? n : 8 * n;
    shape.cells[1] = n;
    shape.cells[2] = cook ? 1 : n;
    for (int i = 0; i < 3; ++i) {
        shape.size[i] = 1;
        shape.center[i] = 0.5;
    }
    LyraStatus status = lyra_mesh_generate(ctx, &shape, &box);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMeshView view = lyra_mesh_view(box);
    size_t bytes = 3 * (size_t)view.vertex_count * sizeof(double);
    double *x = malloc(bytes);
    status = x ? LYRA_OK : LYRA_OUT_OF_MEMORY;
    if (x) {
        memcpy(x, view.positions, bytes);
        for (int32_t v = 0; v < view.vertex_count; ++v) {
            place(cook, x + 3 * v);
        }
        view.positions = x;
        status = lyra_mesh_create(ctx, &view, &drawn);
    }
    if (status == LYRA_OK && kind == LYRA_ELEMENT_TET10) {
        status = lyra_mesh_quadratic(drawn, out);
        lyra_mesh_destroy(drawn);
    } else if (status == LYRA_OK) {
        *out = drawn;
    }
    free(x);
    lyra_mesh_destroy(box);
    return status;
}

// the load along y on the end, as forces of triangles
static LyraStatus make_load(LyraContext *ctx, const LyraMesh *mesh, double end, LyraForce **out)
{
    LyraMeshBoundary *boundary = NULL;
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraTractionDef def = lyra_traction_def_default();
    LyraStatus status = lyra_mesh_boundary_create(mesh, view.kind == LYRA_ELEMENT_TET4, &boundary);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMeshBoundaryView faces = lyra_mesh_boundary_view(boundary);
    size_t nodes = (size_t)faces.nodes;
    int32_t *triangles = malloc((size_t)faces.face_count * nodes * sizeof *triangles);
    for (int32_t f = 0; triangles && f < faces.face_count; ++f) {
        const int32_t *face = faces.faces + (int64_t)f * faces.nodes;
        double least = INFINITY;
        for (int i = 0; i < 3; ++i) {
            least = fmin(least, view.positions[3 * (int64_t)face[i]]);
        }
        if (least > end * (1 - 1e-9)) {
            memcpy(triangles + nodes * (size_t)def.triangle_count++, face, nodes * sizeof *face);
        }
    }
    def.nodes = faces.nodes;
    def.triangles = triangles;
    def.traction[1] = LOAD;
    status = triangles ? lyra_traction_create(ctx, view.vertex_count, view.positions, &def, out)
                       : LYRA_OUT_OF_MEMORY;
    free(triangles);
    lyra_mesh_boundary_destroy(boundary);
    return status;
}

static LyraStatus hold(LyraModel *model, const LyraMeshView *mesh, bool cook)
{
    LyraConstraints *constraints = lyra_model_constraints(model);
    LyraStatus status = LYRA_OK;
    for (int32_t v = 0; v < mesh->vertex_count && status == LYRA_OK; ++v) {
        bool left = mesh->positions[3 * (int64_t)v] < 1e-9;
        status = left   ? lyra_constraints_fix_vertices(constraints, 1, &v)
                 : cook ? lyra_constraints_fix_dofs(constraints, 1, &(int32_t){3 * v + 2})
                        : LYRA_OK;
    }
    return status;
}

// one solve: its seconds and the mean displacement of the end
static LyraStatus solve(LyraContext *ctx, LyraModel *model, const LyraMeshView *mesh, double end,
                        double *seconds, double *deflection)
{
    LyraSystem *system = NULL;
    LyraState *state = NULL;
    LyraIntegrator *it = NULL;
    LyraSolverDef solver = lyra_solver_def_default();
    LyraIntegratorDef def = lyra_integrator_def_default();
    solver.task = LYRA_SOLVER_STATICS;
    def.name = "static";
    double begin = seconds_now();
    LyraStatus status = lyra_system_create_sparse(ctx, model, &solver, &system);
    status = status == LYRA_OK ? lyra_system_state_create(system, &state) : status;
    status = status == LYRA_OK ? lyra_integrator_create(ctx, &def, system, &it) : status;
    status = status == LYRA_OK ? lyra_integrator_step(it, state, 1, NULL) : status;
    *seconds = seconds_now() - begin;
    double sum = 0;
    int32_t count = 0;
    for (int64_t v = 0; v < mesh->vertex_count && status == LYRA_OK; ++v) {
        if (mesh->positions[3 * v] > end * (1 - 1e-9)) {
            sum += lyra_vector_values(lyra_state_view(state).u)[3 * v + 1];
            ++count;
        }
    }
    *deflection = sum / count / LOAD;
    lyra_integrator_destroy(it);
    lyra_state_destroy(state);
    lyra_system_destroy(system);
    return status;
}

typedef struct Point {
    double seconds, deflection, error;
    int32_t cells, vertices;
} Point;

static LyraStatus measure(LyraContext *ctx, bool cook, LyraElementKind kind, int32_t n, bool once,
                          Point *point)
{
    LyraMesh *mesh = NULL;
    LyraSolid *solid = NULL;
    LyraForce *load = NULL, *forces[2];
    LyraModel *model = NULL;
    double end = cook ? 48 : 8, spent = 0, *masses = NULL;
    LyraStatus status = make_mesh(ctx, cook, kind, n, &mesh);
    if (status != LYRA_OK) {
        return status;
    }
    LyraMeshView view = lyra_mesh_view(mesh);
    LyraSolidDef def = lyra_solid_def_default();
    def.model = "linear";
    def.young = 1;
    def.poisson = 0.3;
    LyraModelDef all = lyra_model_def_default();
    masses = malloc((size_t)view.vertex_count * sizeof *masses);
    status = masses ? lyra_solid_create(ctx, mesh, &def, &solid) : LYRA_OUT_OF_MEMORY;
    status = status == LYRA_OK ? make_load(ctx, mesh, end, &load) : status;
    if (status == LYRA_OK) {
        int32_t count;
        lyra_mesh_lumped_masses(mesh, NULL, masses);
        forces[0] = lyra_solid_forces(solid, &count)[0];
        forces[1] = load;
        all.vertex_count = view.vertex_count;
        all.positions = view.positions;
        all.force_count = 2;
        all.forces = forces;
        all.masses = masses;
        status = lyra_model_create(ctx, &all, &model);
    }
    status = status == LYRA_OK ? hold(model, &view, cook) : status;
    *point = (Point){.seconds = INFINITY, .cells = n, .vertices = view.vertex_count};
    do {
        double seconds = 0;
        status = status == LYRA_OK ? solve(ctx, model, &view, end, &seconds, &point->deflection)
                                   : status;
        point->seconds = fmin(point->seconds, seconds);
        spent += seconds;
    } while (status == LYRA_OK && !once && spent + point->seconds < SECONDS);
    lyra_model_destroy(model);
    lyra_force_destroy(load);
    lyra_solid_destroy(solid);
    lyra_mesh_destroy(mesh);
    free(masses);
    return status;
}

// seconds at an error on the line through points, in logarithms; those of the coarsest mesh at
// least
static double seconds_at(const Point *points, int32_t count, double error)
{
    int32_t k = 0;
    if (error > points[0].error) {
        return points[0].seconds;
    }
    while (k < count - 2 && points[k + 1].error > error) {
        ++k;
    }
    const Point *a = &points[k], *b = a + 1;
    double part = log(error / a->error) / log(b->error / a->error);
    return a->seconds * pow(b->seconds / a->seconds, part);
}

static void print_table(Point points[KINDS][LEVELS_MAX], const int32_t *levels)
{
    printf("seconds,cells,vertices,%s,%s\n", kinds[0].name, kinds[1].name);
    for (int k = 0; k < KINDS; ++k) {
        for (int32_t l = 0; l < levels[k]; ++l) {
            const Point *p = &points[k][l];
            printf("%.4g,%d,%d,%s%.4g%s\n", p->seconds, (int)p->cells, (int)p->vertices,
                   k ? "," : "", p->error, k ? "" : ",");
        }
    }
    for (int32_t l = 0; l < levels[0]; ++l) {
        const Point *p = &points[0][l];
        double other = seconds_at(points[1], levels[1], p->error);
        fprintf(stderr, "error %.3g: tets %.3g s, tets of 10 nodes %.3g s, ratio %.3g\n", p->error,
                p->seconds, other, p->seconds / other);
    }
}

int main(int argc, char **argv)
{
    bool quick = argc == 3 && strcmp(argv[2], "--quick") == 0;
    bool cook = argc > 1 && strcmp(argv[1], "cook") == 0;
    if ((argc != 2 && !quick) || (!cook && strcmp(argv[1], "beam") != 0)) {
        fprintf(stderr, "usage: lyra_elements cook|beam [--quick]\n");
        return 2;
    }
    // of tets, then of tets of 10 nodes
    static const int32_t first[2][KINDS] = {{1, 1}, {4, 2}};
    int32_t levels[KINDS] = {cook ? 7 : 5, cook ? 6 : 4};
    Point points[KINDS][LEVELS_MAX];
    LyraContextDef def = lyra_context_def_default();
    def.thread_count = 1;
    LyraContext *ctx = NULL;
    LyraStatus status = lyra_context_create(&def, &ctx);
    for (int k = 0; k < KINDS && status == LYRA_OK; ++k) {
        levels[k] = quick ? 2 : levels[k];
        for (int32_t l = 0; l < levels[k] && status == LYRA_OK; ++l) {
            status = measure(ctx, cook, kinds[k].kind, first[cook][k] << l, quick, &points[k][l]);
        }
    }
    if (status != LYRA_OK) {
        fprintf(stderr, "lyra_elements: %s\n", lyra_error_message());
    } else {
        // corners make deflections of order 4/3 and more: two finest meshes, by their difference
        const Point *fine = &points[1][levels[1] - 1];
        double limit = fine->deflection + (fine->deflection - fine[-1].deflection) / 2;
        for (int k = 0; k < KINDS; ++k) {
            for (int32_t l = 0; l < levels[k]; ++l) {
                points[k][l].error = fabs(points[k][l].deflection / limit - 1);
            }
        }
        print_table(points, levels);
    }
    lyra_context_destroy(ctx);
    return status == LYRA_OK ? 0 : 1;
}
