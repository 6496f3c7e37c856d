// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Patch tests [TSZC86]: a patch of elements of any shape must hold every state of constant strain
// exactly, or refinement need not converge to anything. Two forms:
//
// patch: the boundary of the unit cube is moved by x = F X, inner vertices are free. The answer is
// x = F X everywhere and the same stress in all elements, for every law, as a constant P has no
// divergence.
//
// patch-load: a face is pulled by a dead traction T, the opposite one and two sides are held
// against their normals. The answer is x = diag(a, b, b) X with the reaction -T.
//
// Rounding is the only error: eps = 1.1e-16 times the condition of K, here some 1e3. Tolerance
// 1e-12.

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-12
#define CELLS 3
#define YOUNG 1e5
#define POISSON 0.3

static const double unit[3] = {1, 1, 1};

// a stretch of some 10 to 20 % with shear and a turn
static const double F[9] = {1.15, 0.08, -0.05, 0.03, 0.90, 0.06, -0.04, 0.02, 1.10};

static LyraStatus make_patch(LyraContext *ctx, LyraElementKind kind, LyraMesh **mesh)
{
    static const int32_t cells[3] = {CELLS, CELLS, CELLS};
    bool quadratic = kind == LYRA_ELEMENT_TET10;
    VERIFY_TRY(verify_box(ctx, quadratic ? LYRA_ELEMENT_TET4 : kind, cells, unit, mesh));
    // cubes have to stay cubes; a fifth of a cell leaves every tet positive, an eighth every
    // hexahedron at its corners
    double amount = kind == LYRA_ELEMENT_HEX8 ? 0.125 : 0.2;
    if (kind != LYRA_ELEMENT_CUBE8) {
        VERIFY_TRY(verify_distort(ctx, unit, amount / CELLS, mesh));
    }
    if (!quadratic) {
        return LYRA_OK;
    }
    LyraMesh *corners = *mesh;
    LyraStatus status = lyra_mesh_quadratic(corners, mesh);
    lyra_mesh_destroy(corners);
    return status;
}

// |a - b| over the largest of |b|, over n numbers
static double largest_difference(int64_t n, const double *a, const double *b)
{
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; ++i) {
        difference = fmax(difference, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return difference / size;
}

// largest difference between the stresses of elements, over the largest stress
static LyraStatus stress_spread(LyraContext *ctx, const VerifyBody *body, double *spread)
{
    LyraFields *fields = NULL;
    VERIFY_TRY(lyra_fields_create(ctx, body->model, body->mesh, 0, &fields));
    int64_t count = body->view.element_count;
    double *stress = cli_allocate((size_t)(6 * count) * sizeof *stress);
    const LyraElementFields out = {.stress = stress};
    LyraStatus status = lyra_fields_evaluate(fields, body->state, &out);
    *spread = 0;
    for (int64_t e = 0; e < count && status == LYRA_OK; ++e) {
        *spread = fmax(*spread, largest_difference(6, stress + 6 * e, stress));
    }
    free(stress);
    lyra_fields_destroy(fields);
    return status;
}

// along x, as stiff as the rest of the body and half active
static const LyraElasticConstant fibres[] = {
    {"fibre-stiffness", YOUNG},
    {"active-stress", 0.1 * YOUNG},
    {"activation", 0.5},
};

static VerifyBodyDef body_def(LyraMesh *mesh, const char *model, LyraVolumetric volumetric)
{
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = model;
    def.solid.volumetric = volumetric;
    def.solid.young = YOUNG;
    def.solid.poisson = POISSON;
    if (strcmp(model, "fibre") == 0) {
        def.solid.constants = fibres;
        def.solid.constant_count = sizeof fibres / sizeof fibres[0];
    }
    return def;
}

static const char *mesh_name(LyraElementKind kind)
{
    static const char *const names[] = {"distorted tets", "cubes", "distorted tets of 10 nodes",
                                        "distorted hexahedra"};
    return names[kind];
}

// what keeps elements from locking
static LyraVolumetric way_of(LyraElementKind kind)
{
    return kind == LYRA_ELEMENT_TET4 ? LYRA_VOLUMETRIC_NODAL : LYRA_VOLUMETRIC_MEAN;
}

static bool is_isotropic(const char *model)
{
    LyraMaterialLaw law;
    return lyra_material_law_find(model, &law) == LYRA_OK;
}

static const char *way_name(LyraVolumetric volumetric)
{
    static const char *const names[] = {"", ", mean dilatation", ", nodal pressure"};
    return names[volumetric];
}

// the affine motion of all vertices, [vertex_count][3]
static double *affine(const VerifyBody *body)
{
    int64_t count = body->view.vertex_count;
    double *u = cli_allocate((size_t)(3 * count) * sizeof *u);
    for (int64_t v = 0; v < count; ++v) {
        const double *X = body->view.positions + 3 * v;
        for (int i = 0; i < 3; ++i) {
            u[3 * v + i] = F[3 * i] * X[0] + F[3 * i + 1] * X[1] + F[3 * i + 2] * X[2] - X[i];
        }
    }
    return u;
}

// ---- displacements ------------------------------------------------------------------------------

static LyraStatus solve_displacements(VerifyBody *body)
{
    double *u = affine(body);
    memcpy(body->held, u, 3 * (size_t)body->view.vertex_count * sizeof *u);
    free(u);
    for (int axis = 0; axis < 3; ++axis) {
        VERIFY_TRY(verify_hold_plane(body, axis, 0, "xyz"));
        VERIFY_TRY(verify_hold_plane(body, axis, 1, "xyz"));
    }
    return verify_body_solve(body, NULL);
}

static LyraStatus check_displacements(Verify *verify, LyraElementKind kind, const char *model,
                                      LyraVolumetric volumetric)
{
    LyraMesh *mesh = NULL;
    VERIFY_TRY(make_patch(verify->ctx, kind, &mesh));
    VerifyBodyDef def = body_def(mesh, model, volumetric);
    const char *way = way_name(volumetric);
    VerifyBody body;
    VERIFY_TRY(verify_body_create(verify->ctx, &def, &body));
    double spread = NAN;
    LyraStatus status = solve_displacements(&body);
    int32_t count;
    LyraForce *const *forces = lyra_solid_forces(body.solid, &count);
    bool springs = lyra_force_type(forces[0])->traits & LYRA_FORCE_SPRINGS;
    if (status == LYRA_OK && !springs) {
        status = stress_spread(verify->ctx, &body, &spread);
    }
    if (status == LYRA_OK) {
        double *u = affine(&body);
        double error = largest_difference(3 * (int64_t)body.view.vertex_count,
                                          verify_body_displacements(&body), u);
        free(u);
        if (springs) {
            verify_information(verify, NAN, error, "%s, %s%s: displacement off F X, relative",
                               mesh_name(kind), model, way);
        } else {
            verify_absolute(verify, 0, error, TOLERANCE, "%s, %s%s: displacement off F X, relative",
                            mesh_name(kind), model, way);
            verify_absolute(verify, 0, spread, TOLERANCE, "%s, %s%s: spread of stress, relative",
                            mesh_name(kind), model, way);
        }
    }
    verify_body_end(&body);
    return status;
}

static LyraStatus run_displacements(Verify *verify)
{
    verify_note(
        verify,
        "The boundary of the unit cube is moved by x = F X, inner vertices are free. All but "
        "cubes have their inner vertices moved at random by up to a fifth of a cell (hexahedra "
        "an eighth). Laws that are isotropic are tried with nodal pressure or mean dilatation as "
        "well. Springs along the edges of distorted tets hold no state of constant strain: their "
        "row is information.");
    const char *model;
    for (int32_t i = 0; (model = lyra_solid_model(i)); ++i) {
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            LyraElementKind elements = (LyraElementKind)kind;
            if (elements == LYRA_ELEMENT_TET4 || strcmp(model, "mass-spring") != 0) {
                VERIFY_TRY(check_displacements(verify, elements, model, LYRA_VOLUMETRIC_STANDARD));
            }
            if (is_isotropic(model)) {
                VERIFY_TRY(check_displacements(verify, elements, model, way_of(elements)));
            }
        }
    }
    return LYRA_OK;
}

// ---- loads --------------------------------------------------------------------------------------

// tets take the load of lyra_traction_create(), the others the forces of their bilinear faces
static LyraStatus solve_load(VerifyBody *body, const double traction[3])
{
    VERIFY_TRY(verify_hold_plane(body, 0, 0, "x"));
    VERIFY_TRY(verify_hold_plane(body, 1, 0, "y"));
    VERIFY_TRY(verify_hold_plane(body, 2, 0, "z"));
    if (lyra_element_kind_corners(body->view.kind) == 8) {
        VERIFY_TRY(verify_push_face(body, 0, 1, traction));
    }
    return verify_body_solve(body, NULL);
}

// deviation from diag(a, b, c) X, whose a, b, c the corner (1, 1, 1) has; the reaction at x = 0
static LyraStatus judge_load(Verify *verify, const VerifyBody *body, const char *model,
                             const char *way, const double traction[3])
{
    const double *u = verify_body_displacements(body), *corner = NULL;
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        if (verify_on_plane(body, v, 0, 1) && verify_on_plane(body, v, 1, 1) &&
            verify_on_plane(body, v, 2, 1)) {
            corner = u + 3 * (int64_t)v;
        }
    }
    double error = 0;
    for (int64_t v = 0; v < body->view.vertex_count; ++v) {
        for (int i = 0; i < 3; ++i) {
            double expected = corner[i] * body->view.positions[3 * v + i];
            error = fmax(error, fabs(u[3 * v + i] - expected) / fabs(corner[0]));
        }
    }
    double reaction[3];
    VERIFY_TRY(verify_plane_reaction(verify->ctx, body, 0, 0, reaction));
    const char *mesh = mesh_name(body->view.kind);
    verify_absolute(verify, 0, error, TOLERANCE, "%s, %s%s: displacement off diag X, relative",
                    mesh, model, way);
    verify_relative(verify, -traction[0], reaction[0], TOLERANCE, "%s, %s%s: reaction, N", mesh,
                    model, way);
    return LYRA_OK;
}

static LyraStatus check_load(Verify *verify, LyraElementKind kind, const char *model,
                             LyraVolumetric volumetric)
{
    LyraMesh *mesh = NULL;
    VERIFY_TRY(make_patch(verify->ctx, kind, &mesh));
    VerifyBodyDef def = body_def(mesh, model, volumetric);
    LyraTractionDef traction = lyra_traction_def_default();
    traction.traction[0] = 0.1 * YOUNG;
    LyraMeshBoundary *boundary = NULL;
    LyraStatus status = lyra_mesh_boundary_create(mesh, kind != LYRA_ELEMENT_TET10, &boundary);
    if (status != LYRA_OK) {
        lyra_mesh_destroy(mesh);
        return status;
    }
    // the triangles of the face x = 1
    LyraMeshBoundaryView view = lyra_mesh_boundary_view(boundary);
    const double *X = lyra_mesh_view(mesh).positions;
    size_t nodes = (size_t)view.nodes;
    int32_t *triangles = cli_allocate(nodes * (size_t)view.face_count * sizeof *triangles);
    for (int32_t f = 0; f < view.face_count; ++f) {
        const int32_t *face = view.faces + view.nodes * (int64_t)f;
        double least = fmin(X[3 * face[0]], fmin(X[3 * face[1]], X[3 * face[2]]));
        if (least > 1 - 1e-9) {
            memcpy(triangles + nodes * (size_t)traction.triangle_count++, face,
                   nodes * sizeof *face);
        }
    }
    lyra_mesh_boundary_destroy(boundary);
    traction.nodes = (int32_t)nodes;
    traction.triangles = triangles;
    def.traction = lyra_element_kind_corners(kind) == 4 ? &traction : NULL;
    VerifyBody body;
    status = verify_body_create(verify->ctx, &def, &body);
    free(triangles);
    VERIFY_TRY(status);
    status = solve_load(&body, traction.traction);
    if (status == LYRA_OK) {
        status = judge_load(verify, &body, model, way_name(volumetric), traction.traction);
    }
    verify_body_end(&body);
    return status;
}

static LyraStatus run_load(Verify *verify)
{
    verify_note(verify, "A face of the unit cube is pulled by a dead traction of a tenth of the "
                        "modulus; the answer is a state of constant stretch in every law.");
    const char *model;
    for (int32_t i = 0; (model = lyra_solid_model(i)); ++i) {
        for (int kind = 0; kind < LYRA_ELEMENT_KIND_COUNT; ++kind) {
            LyraElementKind elements = (LyraElementKind)kind;
            if (strcmp(model, "mass-spring") != 0) {
                VERIFY_TRY(check_load(verify, elements, model, LYRA_VOLUMETRIC_STANDARD));
            }
            if (is_isotropic(model)) {
                VERIFY_TRY(check_load(verify, elements, model, way_of(elements)));
            }
        }
    }
    return LYRA_OK;
}

const VerifyCase verify_patch_cases[] = {
    {"patch", "statics", "Constant strain by displacements of the boundary, every model", true,
     run_displacements},
    {"patch-load", "statics", "Constant stress by a load on a face, every model", true, run_load},
    {0},
};
