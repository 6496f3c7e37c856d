// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "bench_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STIFFNESS_DAMPING 0.01
#define YOUNG 1e6
#define POISSON 0.45

// ---- subjects -----------------------------------------------------------------------------------

// vertices of the file `path`, or those within 2 % of the least x
static CliExit find_fixed(const char *path, LyraContext *ctx, BenchSubject *subject)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    subject->fixed = cli_allocate((size_t)view.vertex_count * sizeof *subject->fixed);
    if (path) {
        int32_t *read = NULL;
        if (lyra_vertex_list_load(ctx, path, 1, view.vertex_count, &subject->fixed_count, &read) !=
            LYRA_OK) {
            return cli_failed();
        }
        if (subject->fixed_count > 0) {
            memcpy(subject->fixed, read, (size_t)subject->fixed_count * sizeof *read);
        }
        lyra_vertex_list_destroy(ctx, read);
        return CLI_OK;
    }
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        low = fmin(low, view.positions[3 * (int64_t)i]);
        high = fmax(high, view.positions[3 * (int64_t)i]);
    }
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        if (view.positions[3 * (int64_t)i] <= low + 0.02 * (high - low)) {
            subject->fixed[subject->fixed_count++] = i;
        }
    }
    return CLI_OK;
}

CliExit bench_subject_finish(const char *fixed, LyraContext *ctx, BenchSubject *subject)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    subject->masses = cli_allocate((size_t)view.vertex_count * sizeof *subject->masses);
    lyra_mesh_lumped_masses(subject->mesh, NULL, subject->masses);
    return find_fixed(fixed, ctx, subject);
}

void bench_subject_end(BenchSubject *subject)
{
    lyra_mesh_destroy(subject->mesh);
    free(subject->fixed);
    free(subject->masses);
    *subject = (BenchSubject){0};
}

// a box of about `elements` tets, held at the face of least x
static CliExit make_box(LyraContext *ctx, int64_t elements, BenchSubject *out)
{
    *out = (BenchSubject){.generated = true};
    LyraMeshShapeDef shape = lyra_mesh_shape_def_default();
    shape.elements = elements;
    if (lyra_mesh_generate(ctx, &shape, &out->mesh) != LYRA_OK) {
        return cli_failed();
    }
    snprintf(out->name, sizeof out->name, "box %d tets",
             (int)lyra_mesh_view(out->mesh).element_count);
    return bench_subject_finish(NULL, ctx, out);
}

// the mesh of --mesh, held at the vertices of --fixed, or where x is within 2 % of the least
static CliExit load_subject(const Bench *bench, LyraContext *ctx, BenchSubject *out)
{
    *out = (BenchSubject){0};
    CliExit exit = bench_mesh_load(bench, ctx, &out->mesh);
    if (exit != CLI_OK) {
        return exit;
    }
    bench_mesh_name(bench, out->mesh, out->name);
    return bench_subject_finish(bench->fixed, ctx, out);
}

CliExit bench_subjects(Bench *bench, int32_t count, const int32_t *sizes,
                       CliExit (*run)(Bench *bench, const BenchSubject *subject))
{
    LyraContext *ctx = cli_context(1, LYRA_ISA_AUTO);
    if (!ctx) {
        return CLI_BAD_INPUT;
    }
    CliExit exit = CLI_OK;
    bool one = bench->mesh || bench->elements > 0;
    for (int32_t s = 0; s < (one ? 1 : count) && exit == CLI_OK; ++s) {
        BenchSubject subject = {0};
        exit = bench->mesh
                   ? load_subject(bench, ctx, &subject)
                   : make_box(ctx, bench->elements > 0 ? bench->elements : sizes[s], &subject);
        exit = exit == CLI_OK ? run(bench, &subject) : exit;
        bench_subject_end(&subject);
    }
    lyra_context_destroy(ctx);
    return exit;
}

// ---- bodies -------------------------------------------------------------------------------------

LyraStatus bench_body_forces(const BenchSubject *subject, const char *model, BenchBody *body)
{
    LyraSolidDef def = lyra_solid_def_default();
    BenchLaw law;
    bench_law(model, &law, &def);
    def.young = subject->generated ? YOUNG : 0;
    def.poisson = POISSON;
    return lyra_solid_create(body->ctx, subject->mesh, &def, &body->solid);
}

LyraStatus bench_body_model(const BenchSubject *subject, const BenchWay *way, BenchBody *body)
{
    LyraMeshView view = lyra_mesh_view(subject->mesh);
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = view.vertex_count;
    def.positions = view.positions;
    LyraForce *const *elastic = lyra_solid_forces(body->solid, &def.force_count);
    LyraForce **forces = cli_allocate(((size_t)def.force_count + 1) * sizeof *forces);
    memcpy(forces, elastic, (size_t)def.force_count * sizeof *forces);
    if (body->added) {
        forces[def.force_count++] = body->added;
    }
    def.forces = forces;
    def.masses = subject->masses;
    def.stiffness_damping = STIFFNESS_DAMPING;
    def.damping_exact = !way->full;
    def.gravity[1] = -9.81;
    LyraStatus status = lyra_model_create(body->ctx, &def, &body->model);
    free(forces);
    return status == LYRA_OK ? lyra_constraints_fix_vertices(lyra_model_constraints(body->model),
                                                             subject->fixed_count, subject->fixed)
                             : status;
}

LyraStatus bench_body_system(BenchBody *body)
{
    return lyra_system_create_sparse(body->ctx, body->model, NULL, &body->system);
}

LyraStatus bench_body_integrator(const BenchWay *way, BenchBody *body)
{
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = way->integrator;
    def.vega = !way->full;
    def.newton.policy = way->full ? LYRA_NEWTON_FULL : LYRA_NEWTON_ONE;
    def.newton.decrement = 1e-8;
    LyraStatus status = lyra_system_state_create(body->system, &body->state);
    return status == LYRA_OK
               ? lyra_integrator_create(body->ctx, &def, body->system, &body->integrator)
               : status;
}

LyraStatus bench_body_create(const BenchSubject *subject, const char *model, const BenchWay *way,
                             BenchBody *body)
{
    LyraStatus status = bench_body_forces(subject, model, body);
    status = status == LYRA_OK ? bench_body_model(subject, way, body) : status;
    status = status == LYRA_OK ? bench_body_system(body) : status;
    return status == LYRA_OK ? bench_body_integrator(way, body) : status;
}

void bench_body_end(BenchBody *body)
{
    lyra_integrator_destroy(body->integrator);
    lyra_state_destroy(body->state);
    lyra_system_destroy(body->system);
    lyra_model_destroy(body->model);
    lyra_force_destroy(body->added);
    lyra_solid_destroy(body->solid);
    lyra_context_destroy(body->ctx);
    *body = (BenchBody){0};
}
