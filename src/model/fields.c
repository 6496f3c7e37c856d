// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Fields of elements from the forces on their vertices.
//
// An element with shape functions N_a has x = sum_a N_a x_a, so F = sum_a x_a (x) dN_a/dX, and the
// forces on its vertices are f_a = int_V P dN_a/dX dV (dE/dx_a where there is an energy). Hence
//
//   sum_a f_a (x) x_a = int_V P F^T dV = int_V J sigma dV = int_v sigma dv,
//
// with P = J sigma F^-T: the sum over the present volume v is the mean Cauchy stress. It holds
// point by point of a quadrature too. In a tet F is constant, and the mean is the stress. As the
// f_a sum to zero, x_a may be counted from a point near by, which saves digits.
//
// sigma is symmetric where rigid turns cost no energy. Laws of small strain give turned elements a
// torque; their symmetric part is taken.
//
// The volume of a cube or hexahedron, the integral of a determinant that is quadratic in each
// coordinate, is the sum over 2x2x2 Gauss points, exactly; these are det F at the points where the
// kernels look.

#include "lyra/fields.h"

#include "force/force.h"
#include "force/mapped.h"
#include "lyra/system.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "model/history.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// elements that are worth waking a thread for
#define GRAIN 2048

struct LyraFields {
    LyraContext *ctx;
    LyraModel *model;
    const LyraMesh *mesh;
    int32_t first_vertex, nodes;
    LyMappedRule rule; // of tets of 10 nodes
    int32_t group_count;
    int32_t *groups;         // of the model, whose stencils are the elements, [group_count]
    double *x;               // positions, [vertices of the mesh][3]
    double *energies;        // of stencils, [elements]
    double *gradients;       // [elements][nodes][3]
    double *energy, *moment; // of elements: J, and sum of f (x) x, [9]
};

// ---- life ---------------------------------------------------------------------------------------

// groups whose stencils are the elements, in their order; NULL: counts them
static int32_t find_groups(const LyraFields *fields, int32_t *groups)
{
    const LyraModel *model = fields->model;
    int32_t count = 0;
    for (int32_t g = 0; g < model->force_count; ++g) {
        if (model->forces[g]->mesh == fields->mesh &&
            ly_group_first(model, g) == fields->first_vertex) {
            if (groups) {
                groups[count] = g;
            }
            ++count;
        }
    }
    return count;
}

LyraStatus lyra_fields_create(LyraContext *ctx, LyraModel *model, const LyraMesh *mesh,
                              int32_t first_vertex, LyraFields **out)
{
    LYRA_ASSERT(ctx && model && mesh && out);
    LyraMeshView view = lyra_mesh_view(mesh);
    if (first_vertex < 0 || first_vertex > model->vertex_count - view.vertex_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "fields: %d vertices from %d on, expected a part of the model's %d",
                       view.vertex_count, first_vertex, model->vertex_count);
    }
    LyraFields *fields = NULL;
    LyraStatus status = LYRA_OK;
    int64_t elements = view.element_count;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *fields, &fields));
    fields->ctx = ctx;
    fields->model = model;
    fields->mesh = mesh;
    fields->first_vertex = first_vertex;
    fields->nodes = lyra_element_kind_nodes(view.kind);
    if (fields->nodes == 10) {
        ly_mapped_rule(LYRA_ELEMENT_TET10, &fields->rule);
    }
    fields->group_count = find_groups(fields, NULL);
    LY_TRY_DONE(
        ly_allocate_array(ctx, fields->group_count, sizeof *fields->groups, &fields->groups));
    find_groups(fields, fields->groups);
    LY_TRY_DONE(ly_allocate_array(ctx, 3 * (int64_t)view.vertex_count, sizeof(double), &fields->x));
    LY_TRY_DONE(ly_allocate_array(ctx, elements, sizeof(double), &fields->energies));
    LY_TRY_DONE(
        ly_allocate_array(ctx, 3 * elements * fields->nodes, sizeof(double), &fields->gradients));
    LY_TRY_DONE(ly_allocate_array(ctx, elements, sizeof(double), &fields->energy));
    LY_TRY_DONE(ly_allocate_array(ctx, 9 * elements, sizeof(double), &fields->moment));
    *out = fields;
    fields = NULL;
done:
    lyra_fields_destroy(fields);
    return status;
}

void lyra_fields_destroy(LyraFields *fields)
{
    if (!fields) {
        return;
    }
    LyraContext *ctx = fields->ctx;
    ly_release(ctx, fields->groups);
    ly_release(ctx, fields->x);
    ly_release(ctx, fields->energies);
    ly_release(ctx, fields->gradients);
    ly_release(ctx, fields->energy);
    ly_release(ctx, fields->moment);
    ly_release(ctx, fields);
}

bool lyra_fields_have_stress(const LyraFields *fields)
{
    return fields->group_count > 0;
}

// ---- geometry -----------------------------------------------------------------------------------

static double tet_volume(const int32_t *ids, const double *x)
{
    double edges[3][3];
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            edges[a][i] = x[3 * (int64_t)ids[a + 1] + i] - x[3 * (int64_t)ids[0] + i];
        }
    }
    return ly_determinant3(edges[0], edges[1], edges[2]) / 6;
}

// by the points of the forces: a straight tet exactly, a curved one as they see it
static double tet10_volume(const LyMappedRule *rule, const int32_t *ids, const double *x)
{
    double sum = 0;
    for (int q = 0; q < rule->points; ++q) {
        double A[3][3] = {{0}};
        for (int a = 1; a < rule->nodes; ++a) {
            for (int k = 0; k < 9; ++k) {
                double d = x[3 * (int64_t)ids[a] + k / 3] - x[3 * (int64_t)ids[0] + k / 3];
                A[k / 3][k % 3] += rule->shape[q][a][k % 3] * d;
            }
        }
        sum += ly_determinant3(A[0], A[1], A[2]);
    }
    return sum / 24;
}

static double cube_volume(const int32_t *ids, const double *x)
{
    const double root = 0.57735026918962576451;
    double sum = 0;
    for (int q = 0; q < 8; ++q) {
        double A[3][3] = {{0}};
        for (int a = 1; a < 8; ++a) {
            for (int j = 0; j < 3; ++j) {
                // slope of the shape function of corner a along j at point q
                double slope = ly_cube_bits[a] >> j & 1 ? 1 : -1;
                for (int k = 0; k < 3; ++k) {
                    double at = 0.5 + (q >> k & 1 ? 0.5 : -0.5) * root;
                    slope *= k == j ? 1 : ly_cube_bits[a] >> k & 1 ? at : 1 - at;
                }
                for (int i = 0; i < 3; ++i) {
                    A[i][j] += slope * (x[3 * (int64_t)ids[a] + i] - x[3 * (int64_t)ids[0] + i]);
                }
            }
        }
        sum += ly_determinant3(A[0], A[1], A[2]);
    }
    return sum / 8;
}

static double element_volume(const LyraFields *fields, const int32_t *ids, const double *x)
{
    return fields->nodes == 4    ? tet_volume(ids, x)
           : fields->nodes == 10 ? tet10_volume(&fields->rule, ids, x)
                                 : cube_volume(ids, x);
}

// ---- evaluation ---------------------------------------------------------------------------------

typedef struct FieldLoop {
    const LyraFields *fields;
    const LyraElementFields *out;
    LyraMeshView mesh;
    const double *x; // [vertices of the mesh][3]
    int32_t pieces;
} FieldLoop;

static double von_mises(const double *s)
{
    double xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
    double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3 * shear);
}

static void write_element(const FieldLoop *loop, int64_t e)
{
    const LyraElementFields *out = loop->out;
    const int32_t *ids = loop->mesh.elements + e * loop->fields->nodes;
    const double *rest_x = loop->mesh.positions, *m = loop->fields->moment + 9 * e;
    double rest = element_volume(loop->fields, ids, rest_x);
    double now = element_volume(loop->fields, ids, loop->x);
    double stress[6] = {
        m[0], m[4], m[8], 0.5 * (m[1] + m[3]), 0.5 * (m[5] + m[7]), 0.5 * (m[2] + m[6])};
    for (int k = 0; k < 6; ++k) {
        stress[k] = now != 0 ? stress[k] / now : NAN;
    }
    if (out->det) {
        out->det[e] = rest != 0 ? now / rest : NAN;
    }
    if (out->energy_density) {
        out->energy_density[e] = rest != 0 ? loop->fields->energy[e] / fabs(rest) : NAN;
    }
    if (out->stress) {
        memcpy(out->stress + 6 * e, stress, sizeof stress);
    }
    if (out->von_mises) {
        out->von_mises[e] = von_mises(stress);
    }
}

static void field_task(void *data, int32_t index, int32_t worker)
{
    (void)worker;
    const FieldLoop *loop = data;
    int64_t end = ly_piece_begin(loop->mesh.element_count, loop->pieces, index + 1);
    for (int64_t e = ly_piece_begin(loop->mesh.element_count, loop->pieces, index); e < end; ++e) {
        write_element(loop, e);
    }
}

// adds energies and moments of the stencils of one group to their elements
static void add_group(LyraFields *fields, const LyraMeshView *mesh, const double *x)
{
    int32_t nodes = fields->nodes;
    for (int64_t e = 0; e < mesh->element_count; ++e) {
        const double *f = fields->gradients + 3 * e * nodes;
        const int32_t *ids = mesh->elements + e * nodes;
        double *m = fields->moment + 9 * e;
        fields->energy[e] += fields->energies[e];
        for (int32_t a = 1; a < nodes; ++a) {
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 3; ++k) {
                    m[3 * i + k] +=
                        f[3 * a + i] * (x[3 * (int64_t)ids[a] + k] - x[3 * (int64_t)ids[0] + k]);
                }
            }
        }
    }
}

LyraStatus lyra_fields_evaluate(LyraFields *fields, const LyraState *state,
                                const LyraElementFields *out)
{
    LYRA_ASSERT(fields && state && out);
    LyraModel *model = fields->model;
    LyraStateView view = lyra_state_view(state);
    int64_t size = 3 * (int64_t)model->vertex_count;
    if (lyra_vector_size(view.u) != size) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "fields: a state of %d unknowns, expected %lld",
                       lyra_vector_size(view.u), (long long)size);
    }
    FieldLoop loop = {
        .fields = fields, .out = out, .mesh = lyra_mesh_view(fields->mesh), .x = fields->x};
    int64_t first = 3 * (int64_t)fields->first_vertex;
    const double *u = lyra_vector_values(view.u) + first, *rest = model->positions + first;
    for (int64_t i = 0; i < 3 * (int64_t)loop.mesh.vertex_count; ++i) {
        fields->x[i] = rest[i] + u[i];
    }
    loop.pieces = ly_piece_count(loop.mesh.element_count, GRAIN);
    memset(fields->energy, 0, (size_t)loop.mesh.element_count * sizeof(double));
    memset(fields->moment, 0, (size_t)loop.mesh.element_count * 9 * sizeof(double));
    for (int32_t g = 0; g < fields->group_count; ++g) {
        LY_TRY(ly_model_evaluate_group(model, fields->groups[g], state, fields->energies,
                                       fields->gradients));
        add_group(fields, &loop.mesh, loop.x);
    }
    ly_parallel_for(fields->ctx, loop.pieces, field_task, &loop);
    return LYRA_OK;
}

// ---- memory -------------------------------------------------------------------------------------

// `from`: names of a history, with ".0", ".1" ... behind where elements have several points
static const struct {
    LyraMemoryView view;
    const char *from;
} memories[LYRA_MEMORY_COUNT] = {
    [LYRA_MEMORY_PLASTIC_STRAIN] = {{"plastic-strain", "1", 1}, "equivalent-plastic-strain"},
    [LYRA_MEMORY_PLASTIC_LOG_STRAIN] = {{"plastic-log-strain", "1", 6}, "plastic-strain"},
    [LYRA_MEMORY_INVERSE_FLOW] = {{"inverse-flow", "1", 9}, "inverse-flow"},
    [LYRA_MEMORY_GOAL_DISTANCE] = {{"goal-distance", "1", 1}, "goal-distance"},
    [LYRA_MEMORY_PLASTIC_LOSS] = {{"plastic-loss", "J/m^3", 1}, NULL},
    [LYRA_MEMORY_VISCOUS_LOSS] = {{"viscous-loss", "J/m^3", 1}, NULL},
};

LyraMemoryView lyra_memory_view(LyraMemory memory)
{
    LYRA_ASSERT(memory >= 0 && memory < LYRA_MEMORY_COUNT);
    return memories[memory].view;
}

// whether a name is that of a component, at any point
static bool is_named(const char *name, const LyraMemoryView *view, const char *from, int component)
{
    static const char *const nine[9] = {"-11", "-12", "-13", "-21", "-22",
                                        "-23", "-31", "-32", "-33"};
    static const char *const six[6] = {"-11", "-22", "-33", "-12", "-23", "-31"};
    const char *end = view->components == 9   ? nine[component]
                      : view->components == 6 ? six[component]
                                              : "";
    size_t length = strlen(from);
    if (strncmp(name, from, length) != 0 || strncmp(name + length, end, strlen(end)) != 0) {
        return false;
    }
    char next = name[length + strlen(end)];
    return next == '\0' || next == '.';
}

// how many numbers of a history are a component; `number`: the one of that rank. Nullable
static int32_t find_numbers(const LyraForceType *type, LyraMemory memory, int component,
                            int32_t rank, int32_t *number)
{
    int32_t count = 0;
    for (int32_t i = 0; type->history_names && i < type->history_count; ++i) {
        if (is_named(type->history_names[i], &memories[memory].view, memories[memory].from,
                     component)) {
            if (number && count == rank) {
                *number = i;
            }
            ++count;
        }
    }
    return count;
}

static bool is_loss(LyraMemory memory)
{
    return memory == LYRA_MEMORY_PLASTIC_LOSS || memory == LYRA_MEMORY_VISCOUS_LOSS;
}

static bool group_has(const LyraModel *model, int32_t group, LyraMemory memory)
{
    const LyraForceType *type = model->forces[group]->type;
    if (!is_loss(memory)) {
        return find_numbers(type, memory, 0, 0, NULL) > 0;
    }
    bool plastic = find_numbers(type, LYRA_MEMORY_PLASTIC_STRAIN, 0, 0, NULL) > 0;
    return type->traits & LYRA_FORCE_LOSES && plastic == (memory == LYRA_MEMORY_PLASTIC_LOSS);
}

bool lyra_fields_have_memory(const LyraFields *fields, LyraMemory memory)
{
    LYRA_ASSERT(fields && memory >= 0 && memory < LYRA_MEMORY_COUNT);
    for (int32_t g = 0; g < fields->group_count; ++g) {
        if (group_has(fields->model, fields->groups[g], memory)) {
            return true;
        }
    }
    return false;
}

// adds number `number` of a group's history, times `factor`, to component `component`
static LyraStatus add_number(LyraFields *fields, int32_t group, const LyraState *state,
                             int32_t number, double factor, int32_t stride, double *values)
{
    int64_t elements = lyra_mesh_view(fields->mesh).element_count;
    LY_TRY(lyra_model_read_history(fields->model, group, state, number, fields->energies));
    for (int64_t e = 0; e < elements; ++e) {
        values[e * stride] += factor * fields->energies[e];
    }
    return LYRA_OK;
}

static LyraStatus add_memory(LyraFields *fields, int32_t group, LyraMemory memory,
                             const LyraState *state, double *values)
{
    const LyraForceType *type = fields->model->forces[group]->type;
    int32_t components = memories[memory].view.components;
    if (is_loss(memory)) {
        return add_number(fields, group, state, type->history_count - 1, 1, 1, values);
    }
    for (int32_t c = 0; c < components; ++c) {
        int32_t points = find_numbers(type, memory, c, 0, NULL), number = 0;
        for (int32_t q = 0; q < points; ++q) {
            find_numbers(type, memory, c, q, &number);
            LY_TRY(add_number(fields, group, state, number, 1.0 / points, components, values + c));
        }
    }
    return LYRA_OK;
}

LyraStatus lyra_fields_read_memory(LyraFields *fields, LyraMemory memory, const LyraState *state,
                                   double *values)
{
    LYRA_ASSERT(fields && state && values);
    if (!lyra_fields_have_memory(fields, memory)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "fields: no force of the elements remembers %s",
                       memories[memory].view.name);
    }
    LyraMeshView mesh = lyra_mesh_view(fields->mesh);
    int64_t size = memories[memory].view.components * (int64_t)mesh.element_count;
    memset(values, 0, (size_t)size * sizeof *values);
    for (int32_t g = 0; g < fields->group_count; ++g) {
        int32_t group = fields->groups[g];
        if (group_has(fields->model, group, memory) &&
            ly_history_values(fields->model, group, state, NULL)) {
            LY_TRY(add_memory(fields, group, memory, state, values));
        }
    }
    for (int64_t e = 0; is_loss(memory) && e < mesh.element_count; ++e) {
        const int32_t *ids = mesh.elements + e * fields->nodes;
        double rest = fabs(element_volume(fields, ids, mesh.positions));
        values[e] = rest > 0 ? values[e] / rest : NAN;
    }
    return LYRA_OK;
}
