// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Cloth: its settings, the place of its triangles in the fabric, and its forces. The mathematics is
// in cloth_stretch_kernel.c and cloth_bend_kernel.c.

#include "force/cloth.h"

#include "base/base.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// ---- settings -----------------------------------------------------------------------------------

LyraClothGroup lyra_cloth_group_default(void)
{
    return (LyraClothGroup){.stretch = 1000, .shear = 100, .bend_u = 1e-4, .bend_v = 1e-4};
}

LyraClothDef lyra_cloth_def_default(void)
{
    return (LyraClothDef){.rest_stretch = {1, 1},
                          .rest_angles = true,
                          .stretch_force = true,
                          .stretch_stiffness = true,
                          .bend_force = true,
                          .bend_stiffness = true,
                          .symmetric = true,
                          .cookie = LY_DEF_COOKIE};
}

static LyraStatus check_number(const char *name, double value, int32_t group)
{
    if (value >= 0 && value <= 1e300) {
        return LYRA_OK;
    }
    return ly_fail(isfinite(value) ? LYRA_INVALID_ARGUMENT : LYRA_NOT_FINITE,
                   "cloth: group %d has %s %g, expected a number not below 0", (int)group, name,
                   value);
}

static LyraStatus check_group(const LyraClothGroup *group, int32_t index)
{
    LY_TRY(check_number("stretch", group->stretch, index));
    LY_TRY(check_number("shear", group->shear, index));
    LY_TRY(check_number("bend_u", group->bend_u, index));
    LY_TRY(check_number("bend_v", group->bend_v, index));
    LY_TRY(check_number("stretch_damping", group->stretch_damping, index));
    LY_TRY(check_number("shear_damping", group->shear_damping, index));
    return check_number("bend_damping", group->bend_damping, index);
}

static LyraStatus check_triangle(const LyraClothDef *def, int32_t t)
{
    const int32_t *ids = def->triangles + 3 * (int64_t)t;
    for (int c = 0; c < 3; ++c) {
        if (ids[c] < 0 || ids[c] >= def->vertex_count || ids[c] == ids[(c + 1) % 3]) {
            return ly_fail(LYRA_BAD_MESH,
                           "cloth: triangle %d has the vertices %d, %d, %d, expected three of 0 to "
                           "%d",
                           (int)t, (int)ids[0], (int)ids[1], (int)ids[2],
                           (int)def->vertex_count - 1);
        }
    }
    if (def->triangle_groups &&
        (def->triangle_groups[t] < 0 || def->triangle_groups[t] >= def->group_count)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "cloth: triangle %d is of group %d, expected one of %d groups", (int)t,
                       (int)def->triangle_groups[t], (int)def->group_count);
    }
    for (int i = 0; i < 6 && def->uv; ++i) {
        if (!isfinite(def->uv[6 * (int64_t)t + i])) {
            return ly_fail(LYRA_NOT_FINITE, "cloth: uv of triangle %d is not finite", (int)t);
        }
    }
    return LYRA_OK;
}

static LyraStatus check_def(const LyraClothDef *def)
{
    if (def->vertex_count < 0 || def->triangle_count < 0 || def->triangle_count > INT32_MAX / 6 ||
        (def->triangle_count > 0 && (!def->positions || !def->triangles))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "cloth: %d triangles of %d vertices need positions and triangles",
                       (int)def->triangle_count, (int)def->vertex_count);
    }
    if (def->group_count < 0 || (def->group_count > 0) != (def->groups != NULL) ||
        (int)def->area < 0 || def->area >= LYRA_CLOTH_AREA_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "cloth: found %d groups and area factor %d",
                       (int)def->group_count, (int)def->area);
    }
    for (int d = 0; d < 2; ++d) {
        if (!(def->rest_stretch[d] > 0 && def->rest_stretch[d] <= 1e6)) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "cloth: rest stretch %g, expected a number above 0",
                           def->rest_stretch[d]);
        }
    }
    for (int32_t g = 0; g < def->group_count; ++g) {
        LY_TRY(check_group(&def->groups[g], g));
        if (def->frozen_bend && def->groups[g].bend_damping > 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "cloth: group %d has bend damping with frozen bending, expected none",
                           (int)g);
        }
    }
    for (int64_t i = 0; i < 3 * (int64_t)def->vertex_count; ++i) {
        if (!isfinite(def->positions[i])) {
            return ly_fail(LYRA_NOT_FINITE, "cloth: vertex %d is not finite", (int)(i / 3));
        }
    }
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        LY_TRY(check_triangle(def, t));
    }
    return LYRA_OK;
}

// ---- the fabric ---------------------------------------------------------------------------------

// Corners B and C from A in the plane (u, v), and the area at rest.
typedef struct Patch {
    double b[2], c[2], area;
} Patch;

static Patch find_patch(const LyraClothDef *def, int32_t t)
{
    const int32_t *ids = def->triangles + 3 * (int64_t)t;
    const double *A = def->positions + 3 * (int64_t)ids[0];
    double ab = 0, dot = 0, square = 0, e[2][3];
    for (int i = 0; i < 3; ++i) {
        e[0][i] = def->positions[3 * (int64_t)ids[1] + i] - A[i];
        e[1][i] = def->positions[3 * (int64_t)ids[2] + i] - A[i];
        ab += e[0][i] * e[0][i];
        dot += e[0][i] * e[1][i];
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double n = e[0][j] * e[1][k] - e[0][k] * e[1][j];
        square += n * n;
    }
    Patch patch = {.area = 0.5 * sqrt(square)};
    if (def->uv) {
        const double *uv = def->uv + 6 * (int64_t)t;
        for (int d = 0; d < 2; ++d) {
            patch.b[d] = uv[2 + d] - uv[d];
            patch.c[d] = uv[4 + d] - uv[d];
        }
        return patch;
    }
    // u along AB: C lies (AC.AB)/|AB| along it and 2 area/|AB| beside
    patch.b[0] = sqrt(ab);
    patch.c[0] = ab > 0 ? dot / patch.b[0] : 0;
    patch.c[1] = ab > 0 ? 2 * patch.area / patch.b[0] : 0;
    return patch;
}

// a det below this share of the sides' squares is none
#define FLAT 1e-10

static LyraStatus set_triangle(LyraCloth *cloth, const LyraClothDef *def, int32_t t)
{
    Patch patch = find_patch(def, t);
    double *out = cloth->constants + LY_CLOTH_CONSTANTS * (int64_t)t;
    double det = patch.b[0] * patch.c[1] - patch.c[0] * patch.b[1], sides = 0;
    for (int d = 0; d < 2; ++d) {
        double side = patch.c[d] - patch.b[d];
        sides += patch.b[d] * patch.b[d] + patch.c[d] * patch.c[d] + side * side;
    }
    if (!(fabs(det) > FLAT * sides) || !isfinite(1 / det)) {
        return ly_fail(LYRA_BAD_MESH,
                       "cloth: triangle %d has no area %s, expected some (area %g of sides %g)",
                       (int)t, def->uv ? "in uv" : "at rest", 0.5 * fabs(det), sqrt(sides / 3));
    }
    // rows of M^-1
    out[LY_CLOTH_U1] = patch.c[1] / det;
    out[LY_CLOTH_U2] = -patch.b[1] / det;
    out[LY_CLOTH_V1] = -patch.c[0] / det;
    out[LY_CLOTH_V2] = patch.b[0] / det;
    double uv_area = 0.5 * fabs(det);
    out[LY_CLOTH_FACTOR] = def->area == LYRA_CLOTH_AREA_OURS    ? uv_area
                           : def->area == LYRA_CLOTH_AREA_PAPER ? uv_area * uv_area
                                                                : patch.area * sqrt(patch.area);
    cloth->areas[t] = patch.area;
    return LYRA_OK;
}

// the bending stiffness of an edge as seen from triangle `t`
static double find_bend(const LyraClothDef *def, const LyraClothGroup *group, int32_t t,
                        const int32_t *hinge)
{
    const int32_t *ids = def->triangles + 3 * (int64_t)t;
    Patch patch = find_patch(def, t);
    const double corners[3][2] = {{0, 0}, {patch.b[0], patch.b[1]}, {patch.c[0], patch.c[1]}};
    double ends[2][2] = {{0}};
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 2; ++k) {
            if (ids[c] == hinge[k]) {
                memcpy(ends[k], corners[c], sizeof ends[k]);
            }
        }
    }
    double du = ends[1][0] - ends[0][0], dv = ends[1][1] - ends[0][1];
    return (group->bend_u * du * du + group->bend_v * dv * dv) / (du * du + dv * dv);
}

static const LyraClothGroup *group_of(const LyraClothDef *def, int32_t t)
{
    static const LyraClothGroup standard = {
        .stretch = 1000, .shear = 100, .bend_u = 1e-4, .bend_v = 1e-4};
    return !def->groups ? &standard
                        : &def->groups[def->triangle_groups ? def->triangle_groups[t] : 0];
}

// ---- forces -------------------------------------------------------------------------------------

void ly_cloth_setup_triangle(const void *self, int32_t element, const int32_t *order, double *out)
{
    const LyClothForce *force = self;
    const double *from = force->constants + LY_CLOTH_CONSTANTS * (int64_t)element;
    for (int d = 0; d < 2; ++d) {
        double c1 = from[LY_CLOTH_U1 + 2 * d], c2 = from[LY_CLOTH_U2 + 2 * d];
        const double c[3] = {-(c1 + c2), c1, c2};
        out[LY_CLOTH_U1 + 2 * d] = c[order[1]];
        out[LY_CLOTH_U2 + 2 * d] = c[order[2]];
    }
    out[LY_CLOTH_FACTOR] = from[LY_CLOTH_FACTOR];
}

void ly_cloth_destroy_force(void *self)
{
    LyClothForce *force = self;
    if (force) {
        ly_release(force->ctx, force->constants);
        ly_release(force->ctx, force);
    }
}

static const char *const stretch_names[LYRA_CLOTH_PARAMETER_COUNT] = {
    [LYRA_CLOTH_STRETCH] = "stretch",
    [LYRA_CLOTH_SHEAR] = "shear",
    [LYRA_CLOTH_REST_U] = "rest stretch u",
    [LYRA_CLOTH_REST_V] = "rest stretch v",
    [LYRA_CLOTH_STRETCH_DAMPING] = "stretch damping",
    [LYRA_CLOTH_SHEAR_DAMPING] = "shear damping",
};
static const LyraParameterKind stretch_kinds[LYRA_CLOTH_PARAMETER_COUNT] = {
    LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_POSITIVE,
    LYRA_PARAMETER_POSITIVE,     LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE};
static const char *const bend_names[LYRA_CLOTH_BEND_PARAMETER_COUNT] = {
    [LYRA_CLOTH_BEND] = "bend",
    [LYRA_CLOTH_REST_ANGLE] = "rest angle",
    [LYRA_CLOTH_BEND_DAMPING] = "bend damping",
};
static const LyraParameterKind bend_kinds[LYRA_CLOTH_BEND_PARAMETER_COUNT] = {
    LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_ANY, LYRA_PARAMETER_NOT_NEGATIVE};

// how one of the two forces is to be
typedef struct Kind {
    bool bend, damped, symmetric, frozen, force, stiffness;
} Kind;

static LyraForceType make_type(LyraContext *ctx, const Kind *kind)
{
    static LyClothKernel *const stretch[] = LY_KERNEL_TABLE(ly_cloth_stretch);
    static LyClothKernel *const damped[] = LY_KERNEL_TABLE(ly_cloth_stretch_damped);
    static LyClothKernel *const softly[] = LY_KERNEL_TABLE(ly_cloth_stretch_damped_symmetric);
    static LyClothKernel *const bend[] = LY_KERNEL_TABLE(ly_cloth_bend);
    static LyClothKernel *const frozen[] = LY_KERNEL_TABLE(ly_cloth_bend_frozen);
    static LyClothKernel *const bend_damped[] = LY_KERNEL_TABLE(ly_cloth_bend_damped);
    static LyClothKernel *const bend_softly[] = LY_KERNEL_TABLE(ly_cloth_bend_damped_symmetric);
    LyraIsa isa = lyra_context_isa(ctx);
    bool symmetric = !kind->damped || kind->symmetric;
    bool exact = kind->force == kind->stiffness && !kind->frozen && (!kind->damped || !symmetric);
    LyraForceType type = {.name = kind->bend ? "cloth-bend" : "cloth",
                          .nodes = kind->bend ? 4 : 3,
                          .traits = LYRA_FORCE_TRANSLATION_INVARIANT |
                                    (symmetric ? LYRA_FORCE_SYMMETRIC : 0u) |
                                    (kind->bend ? 0u : LYRA_FORCE_REORDERABLE) |
                                    (kind->damped ? LYRA_FORCE_VELOCITY : 0u) |
                                    (kind->damped || kind->frozen ? 0u : LYRA_FORCE_CONSERVATIVE) |
                                    (exact ? 0u : LYRA_FORCE_INEXACT),
                          .destroy = ly_cloth_destroy_force};
    if (kind->bend) {
        type.parameter_count =
            kind->damped ? LYRA_CLOTH_BEND_PARAMETER_COUNT : LYRA_CLOTH_BEND_DAMPING;
        type.parameter_names = bend_names;
        type.parameter_kinds = bend_kinds;
        type.evaluate = (kind->frozen    ? frozen
                         : !kind->damped ? bend
                         : symmetric     ? bend_softly
                                         : bend_damped)[isa];
        return type;
    }
    type.parameter_count = kind->damped ? LYRA_CLOTH_PARAMETER_COUNT : LYRA_CLOTH_STRETCH_DAMPING;
    type.parameter_names = stretch_names;
    type.parameter_kinds = stretch_kinds;
    type.constant_count = LY_CLOTH_CONSTANTS;
    type.setup = ly_cloth_setup_triangle;
    type.evaluate = (!kind->damped ? stretch : symmetric ? softly : damped)[isa];
    return type;
}

static LyraStatus make_force(LyraCloth *cloth, const Kind *kind, const double *parameters)
{
    LyraContext *ctx = cloth->ctx;
    LyClothForce *self = NULL;
    LyraForceDef def = lyra_force_def_default();
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    *self = (LyClothForce){.ctx = ctx,
                           .type = make_type(ctx, kind),
                           .force = kind->force,
                           .stiffness = kind->stiffness};
    if (!kind->bend) {
        int64_t count = LY_CLOTH_CONSTANTS * (int64_t)cloth->view.triangle_count;
        LY_TRY_DONE(ly_allocate_array(ctx, count, sizeof *self->constants, &self->constants));
        memcpy(self->constants, cloth->constants, (size_t)count * sizeof *self->constants);
    }
    def.type = &self->type;
    def.self = self;
    def.stencil_count = kind->bend ? cloth->view.hinge_count : cloth->view.triangle_count;
    def.stencils = kind->bend ? cloth->hinges : cloth->triangles;
    def.parameters = parameters;
    LY_TRY_DONE(lyra_force_create(ctx, &def, &cloth->forces[cloth->force_count]));
    ++cloth->force_count;
    return LYRA_OK;
done:
    ly_cloth_destroy_force(self);
    return status;
}

static LyraStatus make_stretch(LyraCloth *cloth, const LyraClothDef *def)
{
    Kind kind = {.symmetric = def->symmetric,
                 .force = def->stretch_force,
                 .stiffness = def->stretch_stiffness};
    for (int32_t g = 0; g < def->group_count; ++g) {
        kind.damped |= def->groups[g].stretch_damping > 0 || def->groups[g].shear_damping > 0;
    }
    if (!(kind.force || kind.stiffness)) {
        return LYRA_OK;
    }
    int32_t count = kind.damped ? LYRA_CLOTH_PARAMETER_COUNT : LYRA_CLOTH_STRETCH_DAMPING;
    double *parameters = NULL;
    LY_TRY(ly_allocate_array(cloth->ctx, count * (int64_t)def->triangle_count, sizeof *parameters,
                             &parameters));
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        const LyraClothGroup *group = group_of(def, t);
        const double values[LYRA_CLOTH_PARAMETER_COUNT] = {
            [LYRA_CLOTH_STRETCH] = group->stretch,
            [LYRA_CLOTH_SHEAR] = group->shear,
            [LYRA_CLOTH_REST_U] = def->rest_stretch[0],
            [LYRA_CLOTH_REST_V] = def->rest_stretch[1],
            [LYRA_CLOTH_STRETCH_DAMPING] = group->stretch_damping,
            [LYRA_CLOTH_SHEAR_DAMPING] = group->shear_damping};
        memcpy(parameters + count * (int64_t)t, values, (size_t)count * sizeof *values);
    }
    LyraStatus status = make_force(cloth, &kind, parameters);
    ly_release(cloth->ctx, parameters);
    return status;
}

static LyraStatus make_bend(LyraCloth *cloth, const LyraClothDef *def)
{
    Kind kind = {.bend = true,
                 .symmetric = def->symmetric,
                 .frozen = def->frozen_bend,
                 .force = def->bend_force,
                 .stiffness = def->bend_stiffness};
    for (int32_t g = 0; g < def->group_count; ++g) {
        kind.damped |= def->groups[g].bend_damping > 0;
    }
    for (int32_t h = 0; h < cloth->view.hinge_count; ++h) {
        const int32_t *sides = cloth->sides + 2 * (int64_t)h,
                      *hinge = cloth->hinges + 4 * (int64_t)h;
        cloth->bend[h] = 0.5 * (find_bend(def, group_of(def, sides[0]), sides[0], hinge) +
                                find_bend(def, group_of(def, sides[1]), sides[1], hinge));
        if (!def->rest_angles) {
            cloth->rest_angles[h] = 0;
        }
    }
    if (!(kind.force || kind.stiffness) || cloth->view.hinge_count == 0) {
        return LYRA_OK;
    }
    int32_t count = kind.damped ? LYRA_CLOTH_BEND_PARAMETER_COUNT : LYRA_CLOTH_BEND_DAMPING;
    double *parameters = NULL;
    LY_TRY(ly_allocate_array(cloth->ctx, count * (int64_t)cloth->view.hinge_count,
                             sizeof *parameters, &parameters));
    for (int32_t h = 0; h < cloth->view.hinge_count; ++h) {
        double *out = parameters + count * (int64_t)h;
        const int32_t *sides = cloth->sides + 2 * (int64_t)h;
        out[LYRA_CLOTH_BEND] = cloth->bend[h];
        out[LYRA_CLOTH_REST_ANGLE] = cloth->rest_angles[h];
        if (kind.damped) {
            out[LYRA_CLOTH_BEND_DAMPING] = 0.5 * (group_of(def, sides[0])->bend_damping +
                                                  group_of(def, sides[1])->bend_damping);
        }
    }
    LyraStatus status = make_force(cloth, &kind, parameters);
    ly_release(cloth->ctx, parameters);
    return status;
}

// ---- creation -----------------------------------------------------------------------------------

static LyraStatus fill(LyraCloth *cloth, const LyraClothDef *def)
{
    LyraContext *ctx = cloth->ctx;
    int64_t count = def->triangle_count;
    cloth->view.vertex_count = def->vertex_count;
    cloth->view.triangle_count = def->triangle_count;
    memcpy(cloth->rest_stretch, def->rest_stretch, sizeof cloth->rest_stretch);
    LY_TRY(ly_allocate_array(ctx, 3 * count, sizeof *cloth->triangles, &cloth->triangles));
    LY_TRY(ly_allocate_array(ctx, count, sizeof *cloth->areas, &cloth->areas));
    LY_TRY(ly_allocate_array(ctx, LY_CLOTH_CONSTANTS * count, sizeof *cloth->constants,
                             &cloth->constants));
    if (count > 0) {
        memcpy(cloth->triangles, def->triangles, 3 * (size_t)count * sizeof *cloth->triangles);
    }
    cloth->view.triangles = cloth->triangles;
    for (int32_t t = 0; t < def->triangle_count; ++t) {
        LY_TRY(set_triangle(cloth, def, t));
    }
    LY_TRY(ly_cloth_find_hinges(cloth, def->positions));
    LY_TRY(make_stretch(cloth, def));
    LY_TRY(make_bend(cloth, def));
    cloth->view.areas = cloth->areas;
    cloth->view.hinges = cloth->hinges;
    cloth->view.rest_angles = cloth->rest_angles;
    cloth->view.bend_stiffness = cloth->bend;
    return LYRA_OK;
}

LyraStatus lyra_cloth_create(LyraContext *ctx, const LyraClothDef *def, LyraCloth **out)
{
    LY_CHECK_DEF(def, "lyra_cloth_def_default");
    LY_TRY(check_def(def));
    LyraCloth *cloth = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *cloth, &cloth));
    cloth->ctx = ctx;
    LyraStatus status = fill(cloth, def);
    if (status != LYRA_OK) {
        lyra_cloth_destroy(cloth);
        return status;
    }
    *out = cloth;
    return LYRA_OK;
}

void lyra_cloth_destroy(LyraCloth *cloth)
{
    if (!cloth) {
        return;
    }
    for (int32_t f = 0; f < cloth->force_count; ++f) {
        lyra_force_destroy(cloth->forces[f]);
    }
    ly_release(cloth->ctx, cloth->triangles);
    ly_release(cloth->ctx, cloth->hinges);
    ly_release(cloth->ctx, cloth->sides);
    ly_release(cloth->ctx, cloth->areas);
    ly_release(cloth->ctx, cloth->rest_angles);
    ly_release(cloth->ctx, cloth->bend);
    ly_release(cloth->ctx, cloth->constants);
    ly_release(cloth->ctx, cloth);
}

LyraForce *const *lyra_cloth_forces(const LyraCloth *cloth, int32_t *count)
{
    *count = cloth->force_count;
    return cloth->forces;
}

LyraClothView lyra_cloth_view(const LyraCloth *cloth)
{
    return cloth->view;
}

// images of the unit vectors of the fabric in triangle t
static void find_images(const LyraCloth *cloth, const double *positions, int32_t t, double w[2][3])
{
    const int32_t *ids = cloth->triangles + 3 * (int64_t)t;
    const double *c = cloth->constants + LY_CLOTH_CONSTANTS * (int64_t)t;
    for (int d = 0; d < 2; ++d) {
        for (int i = 0; i < 3; ++i) {
            double x0 = positions[3 * (int64_t)ids[0] + i];
            w[d][i] = c[LY_CLOTH_U1 + 2 * d] * (positions[3 * (int64_t)ids[1] + i] - x0) +
                      c[LY_CLOTH_U2 + 2 * d] * (positions[3 * (int64_t)ids[2] + i] - x0);
        }
    }
}

void lyra_cloth_strains(const LyraCloth *cloth, const double *positions, double *strains)
{
    for (int32_t t = 0; t < cloth->view.triangle_count; ++t) {
        double w[2][3], *out = strains + 3 * (int64_t)t;
        find_images(cloth, positions, t, w);
        out[0] = sqrt(ly_dot3(w[0], w[0])) - cloth->rest_stretch[0];
        out[1] = sqrt(ly_dot3(w[1], w[1])) - cloth->rest_stretch[1];
        out[2] = ly_dot3(w[0], w[1]);
    }
}

// roots of the eigenvalues of the 2x2 matrix of their products
void lyra_cloth_stretches(const LyraCloth *cloth, const double *positions, double *stretches)
{
    for (int32_t t = 0; t < cloth->view.triangle_count; ++t) {
        double w[2][3];
        find_images(cloth, positions, t, w);
        double a = ly_dot3(w[0], w[0]), b = ly_dot3(w[1], w[1]), s = ly_dot3(w[0], w[1]);
        double high = 0.5 * (a + b + hypot(a - b, 2 * s));
        // the product of both is the determinant
        double low = high > 0 ? fmax(0, a * b - s * s) / high : 0;
        stretches[2 * (int64_t)t] = sqrt(high);
        stretches[2 * (int64_t)t + 1] = sqrt(low);
    }
}
