// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces of small strain from meshes: settings, constants, types.

#include "force/corotational.h"

#include "base/base.h"
#include "force/definite.h"
#include "force/force.h"
#include "force/rest_shape.h"
#include "force/stiffness.h"

#include <math.h>
#include <string.h>

static const char *const model_names[LYRA_COROTATIONAL_MODEL_COUNT] = {
    [LYRA_COROTATIONAL_LINEAR] = "linear",
    [LYRA_COROTATIONAL_APPROXIMATE] = "corotational",
    [LYRA_COROTATIONAL_EXACT] = "corotational-exact",
};

const char *lyra_corotational_model_name(LyraCorotationalModel model)
{
    return (unsigned)model < LYRA_COROTATIONAL_MODEL_COUNT ? model_names[model] : "unknown";
}

LyraCorotationalDef lyra_corotational_def_default(void)
{
    return (LyraCorotationalDef){.model = LYRA_COROTATIONAL_APPROXIMATE,
                                 .frame_steps = 1,
                                 .poisson = 0.45,
                                 .cookie = LY_DEF_COOKIE};
}

// ---- constants ----------------------------------------------------------------------------------

static void setup_tet(const void *self, int32_t element, const int32_t *order, double *constants)
{
    const LyCorotational *force = self;
    ly_rest_setup_tet(&force->rest, element, order, constants);
}

// sum over nodes of s_p X; nodes of no weight left out
static void rest_sum(const double *corners, int32_t p, uint32_t nodes, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int32_t a = 0; a < 8; ++a) {
        double sign = nodes >> a & 1 ? 1 : 0;
        for (int32_t axis = 0; axis < 3; ++axis) {
            sign *= p >> axis & 1 ? ly_cube_sign(a, axis) : 1;
        }
        for (int i = 0; i < 3; ++i) {
            out[i] += sign * (corners[3 * a + i] - corners[i]);
        }
    }
}

static void invert(const double A[9], double out[9])
{
    double cofactor[9], det = 0;
    for (int k = 0; k < 9; ++k) {
        int i = k / 3, j = k % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3,
            j2 = (j + 2) % 3;
        cofactor[k] = A[3 * i1 + j1] * A[3 * i2 + j2] - A[3 * i1 + j2] * A[3 * i2 + j1];
    }
    for (int j = 0; j < 3; ++j) {
        det += A[j] * cofactor[j];
    }
    for (int k = 0; k < 9; ++k) {
        out[k] = cofactor[3 * (k % 3) + k / 3] / det;
    }
}

// cubes keep the order of the mesh
static void setup_cube(const void *self, int32_t element, const int32_t *order, double *constants)
{
    (void)order;
    const LyCorotational *force = self;
    double corners[24];
    ly_rest_corners(&force->rest, element, corners);
    for (int32_t p = 1; p < 8; ++p) {
        rest_sum(corners, p, 0xff, constants + LY_BOX_REST + 3 * (p - 1));
    }
    double edges[3], rest[9];
    ly_rest_cube(corners, edges);
    constants[LY_BOX_VOLUME] = fabs(edges[0] * edges[1] * edges[2]);
    uint32_t frame_nodes = force->vega_frame ? 1u << 3 | 1u << 4 | 1u << 1 | 1u << 6 : 0xff;
    for (int i = 0; i < 3; ++i) {
        double column[3];
        constants[LY_BOX_Q + i] = 0.25 / edges[i];
        rest_sum(corners, 1 << i, frame_nodes, column);
        for (int r = 0; r < 3; ++r) {
            rest[3 * r + i] = column[r];
        }
    }
    invert(rest, constants + LY_BOX_INVERSE);
}

static void setup_mapped(const void *self, int32_t element, const int32_t *order, double *constants)
{
    (void)order;
    const LyCorotational *force = self;
    ly_mapped_setup_element(&force->mapped, &force->rest, element, constants);
}

// V q_j q_l pairs[a][b][3 j + l] = integral of d_j N_a d_l N_b: along axes that are differentiated
// in neither, 1 + s s' / 3; along the two others, or the one, the signs alone
static void fill_pairs(double pairs[8][8][9])
{
    for (int32_t n = 0; n < 64 * 9; ++n) {
        int32_t a = n / 72, b = n / 9 % 8, j = n % 9 / 3, l = n % 3;
        double value = ly_cube_sign(a, j) * ly_cube_sign(b, l);
        for (int32_t axis = 0; axis < 3; ++axis) {
            if (axis != j && axis != l) {
                value *= 1 + ly_cube_sign(a, axis) * ly_cube_sign(b, axis) / 3;
            }
        }
        pairs[a][b][3 * j + l] = value;
    }
}

// ---- parameters ---------------------------------------------------------------------------------

// material of all elements where the settings name one
static LyraMeshMaterial common_material(const LyraCorotationalDef *def)
{
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.name = "of the settings";
    material.enu = (LyraMaterialEnu){.young = def->young, .poisson = def->poisson};
    return material;
}

// those that an element has
static LyraStatus check_materials(LyraContext *ctx, const LyraMeshView *mesh,
                                  const LyraCorotationalDef *def, bool *isotropic)
{
    *isotropic = true;
    if (def->young != 0) {
        LyraMeshMaterial common = common_material(def);
        return ly_stiffness_check(&common);
    }
    bool *checked = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, mesh->material_count, sizeof *checked, &checked));
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        int32_t m = mesh->element_materials[e];
        if (!checked[m]) {
            LY_TRY_DONE(ly_stiffness_check(&mesh->materials[m]));
            *isotropic = *isotropic && mesh->materials[m].kind == LYRA_MESH_MATERIAL_ENU;
            checked[m] = true;
        }
    }
done:
    ly_release(ctx, checked);
    return status;
}

static void fill_parameters(const LyraMeshView *mesh, const LyraCorotationalDef *def,
                            bool isotropic, int32_t count, double *parameters)
{
    LyraMeshMaterial common = common_material(def);
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        const LyraMeshMaterial *material =
            def->young != 0 ? &common : &mesh->materials[mesh->element_materials[e]];
        double *p = parameters + (int64_t)e * count;
        if (isotropic) {
            ly_stiffness_lame(&material->enu, &p[LYRA_ELASTIC_LAMBDA], &p[LYRA_ELASTIC_MU]);
        } else {
            ly_stiffness_matrix(material, p);
        }
    }
}

// ---- creation -----------------------------------------------------------------------------------

static void destroy(void *self)
{
    LyCorotational *force = self;
    if (force) {
        ly_release(force->ctx, force->rest.positions);
        ly_release(force->ctx, force);
    }
}

static LyElasticKernel *find_kernel(LyraElementKind kind, const LyCorotational *force)
{
    static LyElasticKernel *const tets[] = LY_KERNEL_TABLE(ly_corotational_tet);
    static LyElasticKernel *const cubes[] = LY_KERNEL_TABLE(ly_corotational_cube);
    static LyElasticKernel *const linear[] = LY_KERNEL_TABLE(ly_tet_linear);
    static LyElasticKernel *const mapped[] = LY_KERNEL_TABLE(ly_mapped_strain);
    LyraIsa isa = lyra_context_isa(force->ctx);
    if (ly_mapped_kind(kind)) {
        return mapped[isa];
    }
    if (kind == LYRA_ELEMENT_CUBE8) {
        return cubes[isa];
    }
    bool plain = force->isotropic && force->model == LYRA_COROTATIONAL_LINEAR;
    return plain ? linear[isa] : tets[isa];
}

static const char *const lame_names[LYRA_ELASTIC_PARAMETER_COUNT] = {"lambda", "mu"};
// C_ij of Voigt's notation, the upper triangle row by row
static const char *const stiffness_names[LYRA_STIFFNESS_PARAMETER_COUNT] = {
    "c11", "c12", "c13", "c14", "c15", "c16", "c22", "c23", "c24", "c25", "c26",
    "c33", "c34", "c35", "c36", "c44", "c45", "c46", "c55", "c56", "c66",
};
static const LyraParameterKind lame_kinds[LYRA_ELASTIC_PARAMETER_COUNT] = {
    LYRA_PARAMETER_ANY, LYRA_PARAMETER_NOT_NEGATIVE};

// of frames that are kept: the rotation, row by row, and the steps since it was found
static const char *const frame_names[LY_FRAME_HISTORY] = {
    "r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33", "age",
};
static const char *const frame_units[LY_FRAME_HISTORY] = {
    "1", "1", "1", "1", "1", "1", "1", "1", "1", "steps",
};

// the type depends on the settings, so that each force has its own
static void fill_type(LyraElementKind kind, LyCorotational *force)
{
    bool tets = kind == LYRA_ELEMENT_TET4, linear = force->model == LYRA_COROTATIONAL_LINEAR;
    bool mapped = ly_mapped_kind(kind);
    bool conservative = linear || ((tets || mapped) && force->isotropic);
    bool symmetric = conservative || force->model == LYRA_COROTATIONAL_APPROXIMATE;
    // exact tangents that are not projected by themselves are kept aside
    bool aside = force->model == LYRA_COROTATIONAL_EXACT &&
                 !(tets && force->isotropic && force->frame_steps == 1) && !mapped;
    int32_t nodes = lyra_element_kind_nodes(kind);
    uint32_t traits = LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_SOLID | LYRA_FORCE_DISPLACEMENT;
    traits |= linear ? LYRA_FORCE_LINEAR : 0u;
    traits |= conservative ? LYRA_FORCE_CONSERVATIVE : 0u;
    traits |= symmetric ? LYRA_FORCE_SYMMETRIC : 0u;
    traits |= force->model == LYRA_COROTATIONAL_APPROXIMATE ? LYRA_FORCE_INEXACT : 0u;
    traits |= tets ? LYRA_FORCE_REORDERABLE | LY_FORCE_REST_TET : 0u;
    traits |= linear ? LYRA_FORCE_CONTRACTION : 0u;
    traits |= force->frame_steps > 1 ? LYRA_FORCE_HISTORY : 0u;
    traits |= force->model == LYRA_COROTATIONAL_EXACT ? 0u : LYRA_FORCE_DEFINITE;
    force->type = (LyraForceType){
        .name = model_names[force->model],
        .nodes = nodes,
        .traits = traits,
        .constant_count = tets ? LY_TET_CONSTANTS : LY_BOX_CONSTANTS,
        .parameter_count =
            force->isotropic ? LYRA_ELASTIC_PARAMETER_COUNT : LYRA_STIFFNESS_PARAMETER_COUNT,
        .parameter_names = force->isotropic ? lame_names : stiffness_names,
        .parameter_kinds = force->isotropic ? lame_kinds : NULL,
        .history_count = force->frame_steps > 1 ? LY_FRAME_HISTORY : 0,
        .history_names = force->frame_steps > 1 ? frame_names : NULL,
        .history_units = force->frame_steps > 1 ? frame_units : NULL,
        .scratch_bytes = aside ? LY_POSITIVE_SCRATCH(nodes, symmetric) : 0,
        .setup = tets ? setup_tet : setup_cube,
        .evaluate = find_kernel(kind, force),
        .destroy = destroy,
    };
    if (mapped) {
        ly_mapped_rule(kind, &force->mapped);
        force->type.constant_count = force->mapped.points * LY_MAPPED_POINT;
        force->type.scratch_bytes = ly_mapped_scratch(&force->mapped);
        force->type.setup = setup_mapped;
    }
}

// what tets of 10 nodes and hexahedra have not
static LyraStatus check_mapped(const LyraCorotationalDef *def, LyraElementKind kind, bool isotropic)
{
    if (!ly_mapped_kind(kind)) {
        return LYRA_OK;
    }
    if (def->model == LYRA_COROTATIONAL_EXACT && !isotropic) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "corotational-exact: orthotropic elements of kind %s are not supported; "
                       "corotational is",
                       lyra_element_kind_name(kind));
    }
    if (def->model != LYRA_COROTATIONAL_LINEAR && def->frame_steps > 1) {
        return ly_fail(
            LYRA_UNSUPPORTED,
            "corotational: elements of kind %s renew their frames in each step, expected "
            "frame_steps 1, found %d",
            lyra_element_kind_name(kind), def->frame_steps);
    }
    return LYRA_OK;
}

static LyraStatus check_def(const LyraCorotationalDef *def)
{
    if ((unsigned)def->model >= LYRA_COROTATIONAL_MODEL_COUNT ||
        (unsigned)def->cube_frame >= LYRA_CUBE_FRAME_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "corotational: model %d of %d, frame of cubes %d of %d", (int)def->model,
                       LYRA_COROTATIONAL_MODEL_COUNT, (int)def->cube_frame, LYRA_CUBE_FRAME_COUNT);
    }
    if (def->frame_steps < 1) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "corotational: frames kept for %d steps, expected 1 or more",
                       def->frame_steps);
    }
    return LYRA_OK;
}

LyraStatus lyra_corotational_create(LyraContext *ctx, const LyraMesh *mesh,
                                    const LyraCorotationalDef *def, LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_corotational_def_default");
    LY_TRY(check_def(def));
    LyraMeshView view = lyra_mesh_view(mesh);
    bool isotropic;
    LY_TRY(check_materials(ctx, &view, def, &isotropic));
    LY_TRY(check_mapped(def, view.kind, isotropic));
    double *parameters = NULL;
    LyCorotational *self = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->model = def->model;
    self->isotropic = isotropic;
    self->vega_frame = def->cube_frame == LYRA_CUBE_FRAME_VEGA;
    self->frame_steps = def->model == LYRA_COROTATIONAL_LINEAR ? 1 : def->frame_steps;
    fill_pairs(self->pairs);
    fill_type(view.kind, self);
    LY_TRY_DONE(ly_rest_create(ctx, mesh, &self->rest));
    int32_t count = self->type.parameter_count;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)view.element_count * count, sizeof *parameters,
                                  &parameters));
    fill_parameters(&view, def, isotropic, count, parameters);
    LY_TRY_DONE(
        ly_force_create_on_mesh(ctx, mesh, &self->type, self, &self->rest, parameters, out));
    self = NULL; // the force's now
done:
    destroy(self);
    ly_release(ctx, parameters);
    return status;
}
