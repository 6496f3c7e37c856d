// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// How shells bend: edges and their angles, and the forces of the three models.
//
// Morley's element [Mor68] takes the curvature of a triangle of area A from its edges, of length l
// and with the unit normal m in its plane,
//   kappa = sum of l_i/A c_i m_i m_i^T,   E = A/2 D [(1 - nu) |kappa|^2 + nu tr(kappa)^2],
// so that E = D/2 sum of Q_ij c_i c_j, Q_ij = l_i l_j/A [(1 - nu) (m_i . m_j)^2 + nu]. Free edges
// have a c of their own that nothing else sees: Q is what is left when E is least for it.

#include "force/cloth.h"
#include "force/shell.h"

#include "base/base.h"
#include "force/force.h"
#include "mesh/sort.h"

#include <math.h>
#include <string.h>

// ---- edges --------------------------------------------------------------------------------------

static int32_t corner(const LyraShell *shell, int32_t side, int32_t k)
{
    return shell->triangles[side / 3 * 3 + (side % 3 + k) % 3];
}

static LyraStatus mark_clamped(LyraShell *shell, const LyraShellDef *def, int32_t edges,
                               const uint64_t *keys)
{
    for (int32_t c = 0; c < def->clamped_count; ++c) {
        uint32_t a = (uint32_t)def->clamped[2 * (int64_t)c];
        uint32_t b = (uint32_t)def->clamped[2 * (int64_t)c + 1];
        uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        int32_t low = 0, high = edges;
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (keys[middle] < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == edges || keys[low] != key || shell->edges[low].count != 1) {
            return ly_fail(LYRA_INVALID_ARGUMENT,
                           "shell: no edge of one triangle has the vertices %d and %d, which are "
                           "to be clamped",
                           (int)a, (int)b);
        }
        shell->edges[low].clamped = true;
    }
    return LYRA_OK;
}

// edges from sorted sides, whose keys are compacted to one per edge
static int32_t fill_edges(LyraShell *shell, int32_t sides, uint64_t *keys, const int32_t *order)
{
    LyraShellView *view = &shell->view;
    int32_t edges = 0;
    for (int32_t k = 0, end; k < sides; k = end) {
        LyShellEdge *edge = &shell->edges[edges];
        for (end = k + 1; end < sides && keys[end] == keys[k]; ++end) {
        }
        *edge = (LyShellEdge){.ends = {(int32_t)(keys[k] >> 32), (int32_t)(keys[k] & 0xffffffffu)},
                              .side = {order[k], end - k > 1 ? order[k + 1] : -1},
                              .count = end - k,
                              .scalar = -1};
        view->boundary_edges += edge->count == 1;
        view->non_manifold_edges += edge->count > 2;
        if (edge->count == 2 &&
            corner(shell, edge->side[0], 0) == corner(shell, edge->side[1], 0)) {
            ++view->folded_edges;
            edge->count = 0;
        }
        for (int32_t s = k; s < end; ++s) {
            shell->side_edge[order[s]] = edges;
        }
        keys[edges++] = keys[k];
    }
    return edges;
}

double ly_shell_angle(const LyraShell *shell, const double *x, int32_t side, const double wing[3])
{
    const double *x0 = x + 3 * (int64_t)corner(shell, side, 1);
    const double *x1 = x + 3 * (int64_t)corner(shell, side, 2);
    const double *x2 = x + 3 * (int64_t)corner(shell, side, 0);
    return ly_hinge_angle(x0, x1, x2, wing);
}

int32_t ly_shell_wing(const LyraShell *shell, int32_t side)
{
    const LyShellEdge *edge = &shell->edges[shell->side_edge[side]];
    if (edge->count != 2) {
        return -1;
    }
    return corner(shell, edge->side[edge->side[0] == side ? 1 : 0], 0);
}

static LyraStatus write_edges(LyraShell *shell, int32_t edges, bool rest_angles)
{
    LyraShellView *view = &shell->view;
    LY_TRY(ly_allocate_array(shell->ctx, 4 * (int64_t)edges, sizeof(int32_t), &shell->edge_list));
    LY_TRY(ly_allocate_zeroed(shell->ctx, edges, sizeof(double), &shell->rest_angles));
    for (int32_t k = 0; k < edges; ++k) {
        const LyShellEdge *edge = &shell->edges[k];
        int32_t *to = shell->edge_list + 4 * (int64_t)k, wing = ly_shell_wing(shell, edge->side[0]);
        memcpy(to, edge->ends, sizeof edge->ends);
        to[2] = edge->side[0] / 3;
        to[3] = edge->side[1] < 0 ? -1 : edge->side[1] / 3;
        if (rest_angles && wing >= 0) {
            shell->rest_angles[k] = ly_shell_angle(shell, shell->positions, edge->side[0],
                                                   shell->positions + 3 * (int64_t)wing);
        }
    }
    view->edges = shell->edge_list;
    view->rest_angles = shell->rest_angles;
    view->edge_count = edges;
    return LYRA_OK;
}

LyraStatus ly_shell_find_edges(LyraShell *shell, const LyraShellDef *def)
{
    LyraContext *ctx = shell->ctx;
    int32_t sides = 3 * shell->view.triangle_count, *order = NULL, edges = 0;
    uint64_t *keys = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, sides, sizeof *keys, &keys));
    LY_TRY_DONE(ly_allocate_zeroed(ctx, sides, sizeof *order, &order));
    LY_TRY_DONE(ly_allocate_array(ctx, sides, sizeof *shell->edges, &shell->edges));
    LY_TRY_DONE(ly_allocate_array(ctx, sides, sizeof(int32_t), &shell->side_edge));
    for (int32_t side = 0; side < sides; ++side) {
        uint32_t a = (uint32_t)corner(shell, side, 1), b = (uint32_t)corner(shell, side, 2);
        order[side] = side;
        keys[side] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
    LY_TRY_DONE(ly_sort_keys(ctx, sides, keys, order));
    edges = fill_edges(shell, sides, keys, order);
    LY_TRY_DONE(mark_clamped(shell, def, edges, keys));
    LY_TRY_DONE(write_edges(shell, edges, def->rest_angles));
done:
    ly_release(ctx, order);
    ly_release(ctx, keys);
    return status;
}

// ---- morley -------------------------------------------------------------------------------------

static LyraStatus number_scalars(LyraShell *shell)
{
    LyraShellView *view = &shell->view;
    double length = 0;
    LY_TRY(ly_allocate_array(shell->ctx, view->edge_count, sizeof(int32_t), &shell->scalar_edges));
    for (int32_t k = 0; k < view->edge_count; ++k) {
        LyShellEdge *edge = &shell->edges[k];
        if (edge->count == 2) {
            edge->scalar = view->scalar_count;
            shell->scalar_edges[view->scalar_count++] = k;
        }
    }
    for (int32_t t = 0; t < view->triangle_count; ++t) {
        length += shell->areas[t];
    }
    // the side of equilateral triangles of the mean area
    length = view->triangle_count ? sqrt(length / view->triangle_count * 2.3094010767585034) : 1;
    view->scalar_length = length;
    view->scalar_edges = shell->scalar_edges;
    return LYRA_OK;
}

// what is left of Q when E is least for c_i
static void release_edge(double Q[3][3], int i)
{
    double pivot = Q[i][i];
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            if (a != i && b != i) {
                Q[a][b] -= pivot > 0 ? Q[a][i] * Q[i][b] / pivot : 0;
            }
        }
    }
    for (int a = 0; a < 3; ++a) {
        Q[a][i] = Q[i][a] = 0;
    }
}

// l_i m_i are the sides turned by a right angle, of which only products count
void ly_shell_form(const LyraShell *shell, int32_t t, double Q[3][3])
{
    double e[3][3], l[3] = {0}, area = shell->areas[t], nu = shell->view.poisson;
    for (int i = 0; i < 3; ++i) {
        const double *a = shell->positions + 3 * (int64_t)corner(shell, 3 * t + i, 1);
        const double *b = shell->positions + 3 * (int64_t)corner(shell, 3 * t + i, 2);
        for (int d = 0; d < 3; ++d) {
            e[i][d] = b[d] - a[d];
            l[i] += e[i][d] * e[i][d];
        }
        l[i] = sqrt(l[i]);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double dot = e[i][0] * e[j][0] + e[i][1] * e[j][1] + e[i][2] * e[j][2];
            double cosine = dot / (l[i] * l[j]);
            Q[i][j] = l[i] * l[j] / area * ((1 - nu) * cosine * cosine + nu);
        }
    }
}

static void find_Q(const LyraShell *shell, int32_t t, double Q[3][3])
{
    ly_shell_form(shell, t, Q);
    for (int i = 0; i < 3; ++i) {
        const LyShellEdge *edge = &shell->edges[shell->side_edge[3 * t + i]];
        if (edge->count != 2 && !edge->clamped) {
            release_edge(Q, i);
        }
    }
}

// its corner turned half about the edge
void ly_shell_mirror(const LyraShell *shell, int32_t side, double out[3])
{
    const double *x0 = shell->positions + 3 * (int64_t)corner(shell, side, 1);
    const double *x1 = shell->positions + 3 * (int64_t)corner(shell, side, 2);
    const double *x2 = shell->positions + 3 * (int64_t)corner(shell, side, 0);
    double ee = 0, ea = 0;
    for (int i = 0; i < 3; ++i) {
        ee += (x1[i] - x0[i]) * (x1[i] - x0[i]);
        ea += (x1[i] - x0[i]) * (x2[i] - x0[i]);
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = 2 * (x0[i] + ea / ee * (x1[i] - x0[i])) - x2[i];
    }
}

/// A triangle as its force sees it: corners turned so that edges that bend come first, or the two
/// whose wings are one vertex.
typedef struct Stencil {
    int32_t triangle, turn; // corner i of it is corner (turn + i) % 3 of the triangle
    int32_t pattern;
} Stencil;

/// Nodes that a pattern has.
static const struct {
    int32_t nodes;
    int8_t node[LY_MORLEY_NODES];
} patterns[] = {
    {3, {0, 1, 2, -1, -1, -1, -1, -1, -1}}, // clamped edges alone
    {5, {0, 1, 2, 3, -1, -1, 4, -1, -1}},   // one edge
    {7, {0, 1, 2, 3, 4, -1, 5, 6, -1}},     // two
    {6, {0, 1, 2, 3, 3, -1, 4, 5, -1}},     // with one wing
    {9, {0, 1, 2, 3, 4, 5, 6, 7, 8}},       // three
    {8, {0, 1, 2, 3, 3, 4, 5, 6, 7}},       // two with one wing
    {7, {0, 1, 2, 3, 3, 3, 4, 5, 6}},       // all with one
};

enum { PATTERNS = LY_COUNT_OF(patterns) };

static Stencil sort_triangle(const LyraShell *shell, int32_t t)
{
    int32_t wing[3], count = 0;
    bool clamped = false;
    for (int i = 0; i < 3; ++i) {
        wing[i] = ly_shell_wing(shell, 3 * t + i);
        count += wing[i] >= 0;
        clamped |= shell->edges[shell->side_edge[3 * t + i]].clamped;
    }
    Stencil s = {.triangle = t, .pattern = count == 0 ? (clamped ? 0 : -1) : 1};
    for (int turn = 0; turn < 3; ++turn) {
        int32_t a = wing[turn], b = wing[(turn + 1) % 3], c = wing[(turn + 2) % 3];
        if (count == 1 && a >= 0) {
            s.turn = turn;
        } else if (count == 2 && c < 0) {
            s.turn = turn;
            s.pattern = a == b ? 3 : 2;
        } else if (count == 3 && (turn == 0 || a == b)) {
            s.turn = turn;
            s.pattern = a != b ? 4 : b == c ? 6 : 5;
            if (a == b) {
                break;
            }
        }
    }
    return s;
}

static void destroy_morley(void *data)
{
    LyShellMorley *self = data;
    if (self) {
        ly_release(self->ctx, self->constants);
        ly_release(self->ctx, self);
    }
}

static void setup_morley(const void *data, int32_t element, const int32_t *order, double *out)
{
    (void)order;
    const LyShellMorley *self = data;
    memcpy(out, self->constants + (int64_t)element * LY_MORLEY_CONSTANTS,
           LY_MORLEY_CONSTANTS * sizeof *out);
}

static void fill_stencil(const LyraShell *shell, const Stencil *s, bool rest_angles,
                         const LyShellMorley *self, int32_t *nodes, double *out)
{
    const double *X = shell->positions;
    double Q[3][3];
    int32_t vertex[LY_MORLEY_NODES];
    find_Q(shell, s->triangle, Q);
    memset(out, 0, LY_MORLEY_CONSTANTS * sizeof *out);
    for (int i = 0; i < 3; ++i) {
        int32_t from = (s->turn + i) % 3, side = 3 * s->triangle + from;
        const LyShellEdge *edge = &shell->edges[shell->side_edge[side]];
        int32_t wing = ly_shell_wing(shell, side);
        double place[3];
        vertex[i] = corner(shell, side, 0);
        vertex[3 + i] = wing;
        vertex[6 + i] = edge->scalar < 0 ? -1 : shell->view.vertex_count + edge->scalar;
        if (wing >= 0) {
            memcpy(place, X + 3 * (int64_t)wing, sizeof place);
        } else {
            ly_shell_mirror(shell, side, place);
        }
        for (int d = 0; d < 3; ++d) {
            double x0 = X[3 * (int64_t)corner(shell, 3 * s->triangle + s->turn, 0) + d];
            out[LY_MORLEY_PLACE + 3 * (2 + i) + d] = place[d] - x0;
            if (i > 0) {
                out[LY_MORLEY_PLACE + 3 * (i - 1) + d] = X[3 * (int64_t)vertex[i] + d] - x0;
            }
        }
        // along the edge from its lower to its higher vertex the turn counts up
        bool up = corner(shell, side, 1) < corner(shell, side, 2);
        out[LY_MORLEY_WEIGHT + i] = wing >= 0 ? 0.5 : edge->clamped ? 1 : 0;
        out[LY_MORLEY_SCALE + i] = wing >= 0 ? (up ? 1 : -1) / shell->view.scalar_length : 0;
        if (rest_angles && wing >= 0) {
            out[LY_MORLEY_REST + i] = ly_shell_angle(shell, X, side, place);
        }
        for (int j = i; j < 3; ++j) {
            // 11, 22, 33, 12, 23, 31
            int at = j == i ? i : i + j == 1 ? 3 : i + j == 3 ? 4 : 5;
            out[LY_MORLEY_Q + at] = Q[from][(s->turn + j) % 3];
        }
    }
    out[LY_MORLEY_AREA] = shell->areas[s->triangle];
    for (int n = 0; n < LY_MORLEY_NODES; ++n) {
        if (self->node[n] >= 0) {
            nodes[self->node[n]] = vertex[n];
        }
    }
}

// The whole section flows at 3/2 of the moment at which its surface begins to, and a sheet that is
// bent to a cylinder begins at the stress E' k h/2 along and nu times that across. A criterion by
// strains has the surface at that strain.
static void set_yield(const LyraShell *shell, const LyraPlasticityDef *plasticity, double h,
                      double *parameters)
{
    double nu = shell->view.poisson, E = shell->view.young;
    double surface = plasticity->yield_strain;
    if (plasticity->yield == LYRA_YIELD_VON_MISES) {
        double stress =
            plasticity->table_count > 0 ? plasticity->table[0].stress : plasticity->yield_stress;
        surface = 1.5 * stress / E * (1 - nu * nu) / sqrt(1 - nu + nu * nu);
    }
    parameters[LY_MORLEY_YIELD] = 2 * surface / h;
    parameters[LY_MORLEY_HARDENING] = (plasticity->hardening + plasticity->kinematic_hardening) / E;
}

static LyraStatus add_pattern(LyraShell *shell, const LyraShellDef *def, int32_t pattern,
                              int32_t count, const Stencil *stencils)
{
    static LyShellKernel *const kernels[] = LY_KERNEL_TABLE(ly_shell_morley);
    static const char *const parameter[] = {"bend", "bend-yield", "bend-hardening"};
    static const LyraParameterKind kind[] = {
        LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_NOT_NEGATIVE};
    static const char *const names[] = {"angle-1",   "angle-2",   "angle-3",      "plastic-1",
                                        "plastic-2", "plastic-3", "plastic-bend", "dissipation"};
    static const char *const units[] = {"rad", "rad", "rad", "rad", "rad", "rad", "1/m", "J"};
    LyraContext *ctx = shell->ctx;
    LyShellMorley *self = NULL;
    int32_t *nodes = NULL, at = 0;
    double *parameters = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *self, &self));
    self->ctx = ctx;
    self->nodes = patterns[pattern].nodes;
    memcpy(self->node, patterns[pattern].node, sizeof self->node);
    self->doubled = pattern == 3 || pattern >= 5;
    self->flows = def->material.plasticity != NULL;
    int32_t parameter_count = self->flows ? 3 : 1;
    self->type = (LyraForceType){
        .name = "shell-bend",
        .nodes = self->nodes,
        .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC | LYRA_FORCE_DISPLACEMENT |
                  LYRA_FORCE_HISTORY | (self->flows ? LYRA_FORCE_LOSES | LYRA_FORCE_FLOWS : 0u),
        .constant_count = LY_MORLEY_CONSTANTS,
        .parameter_count = parameter_count,
        .parameter_names = parameter,
        .parameter_kinds = kind,
        .history_count = self->flows ? LY_MORLEY_PLASTIC_HISTORY : LY_MORLEY_ELASTIC_HISTORY,
        .history_names = names,
        .history_units = units,
        .history_version = 1,
        .setup = setup_morley,
        .evaluate = kernels[lyra_context_isa(ctx)],
        .destroy = destroy_morley};
    LyraForceDef force = lyra_force_def_default();
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)count * LY_MORLEY_CONSTANTS, sizeof(double),
                                  &self->constants));
    LY_TRY_DONE(ly_allocate_array(ctx, (int64_t)count * self->nodes, sizeof *nodes, &nodes));
    LY_TRY_DONE(
        ly_allocate_array(ctx, (int64_t)count * parameter_count, sizeof *parameters, &parameters));
    for (int32_t t = 0; t < shell->view.triangle_count; ++t) {
        if (stencils[t].pattern == pattern) {
            double h = shell->thicknesses[t];
            fill_stencil(shell, &stencils[t], def->rest_angles, self,
                         nodes + (int64_t)at * self->nodes,
                         self->constants + (int64_t)at * LY_MORLEY_CONSTANTS);
            double *of = parameters + (int64_t)at * parameter_count;
            of[LY_MORLEY_BEND] = shell->bend_factor * h * h * h;
            if (self->flows) {
                set_yield(shell, def->material.plasticity, h, of);
            }
            ++at;
        }
    }
done:
    force.type = &self->type;
    force.self = self;
    force.stencil_count = count;
    force.stencils = nodes;
    force.parameters = parameters;
    status = ly_shell_take(shell, &force, status);
    ly_release(ctx, nodes);
    ly_release(ctx, parameters);
    return status;
}

LyraStatus ly_shell_add_morley(LyraShell *shell, const LyraShellDef *def)
{
    int32_t counts[PATTERNS] = {0};
    Stencil *stencils = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY(number_scalars(shell));
    LY_TRY(ly_allocate_array(shell->ctx, shell->view.triangle_count, sizeof *stencils, &stencils));
    for (int32_t t = 0; t < shell->view.triangle_count; ++t) {
        stencils[t] = sort_triangle(shell, t);
        counts[stencils[t].pattern < 0 ? 0 : stencils[t].pattern] += stencils[t].pattern >= 0;
    }
    // the most common one first
    for (int32_t k = 0; k < PATTERNS; ++k) {
        int32_t pattern = (k + 4) % PATTERNS;
        if (counts[pattern] > 0) {
            LY_TRY_DONE(add_pattern(shell, def, pattern, counts[pattern], stencils));
        }
    }
done:
    ly_release(shell->ctx, stencils);
    return status;
}

// ---- hinges -------------------------------------------------------------------------------------

/// Hinges as stencils: ends of the edge, own corner, wing.
typedef struct Hinges {
    int32_t count;
    int32_t *nodes;     // [count][4]
    double *parameters; // [count][2]: stiffness, angle at rest
    double *constants;  // [count][4]
} Hinges;

static void release_hinges(LyraContext *ctx, Hinges *hinges)
{
    ly_release(ctx, hinges->nodes);
    ly_release(ctx, hinges->parameters);
    ly_release(ctx, hinges->constants);
}

// k_e = D l^2/(A_1 + A_2), D the mean of both sides
static LyraStatus find_hinges(const LyraShell *shell, Hinges *hinges)
{
    int64_t most = shell->view.edge_count;
    LY_TRY(ly_allocate_array(shell->ctx, 4 * most, sizeof(int32_t), &hinges->nodes));
    LY_TRY(ly_allocate_array(shell->ctx, 2 * most, sizeof(double), &hinges->parameters));
    LY_TRY(ly_allocate_array(shell->ctx, 4 * most, sizeof(double), &hinges->constants));
    for (int32_t k = 0; k < most; ++k) {
        const LyShellEdge *edge = &shell->edges[k];
        if (edge->count != 2) {
            continue;
        }
        int32_t side = edge->side[0], t = side / 3, s = edge->side[1] / 3;
        int32_t *nodes = hinges->nodes + 4 * (int64_t)hinges->count;
        double h[2] = {shell->thicknesses[t], shell->thicknesses[s]}, square = 0;
        nodes[0] = corner(shell, side, 1);
        nodes[1] = corner(shell, side, 2);
        nodes[2] = corner(shell, side, 0);
        nodes[3] = ly_shell_wing(shell, side);
        for (int i = 0; i < 3; ++i) {
            double d = shell->positions[3 * (int64_t)nodes[1] + i] -
                       shell->positions[3 * (int64_t)nodes[0] + i];
            square += d * d;
        }
        double D = 0.5 * shell->bend_factor * (h[0] * h[0] * h[0] + h[1] * h[1] * h[1]);
        hinges->parameters[2 * (int64_t)hinges->count] =
            D * square / (shell->areas[t] + shell->areas[s]);
        hinges->parameters[2 * (int64_t)hinges->count + 1] = shell->rest_angles[k];
        ++hinges->count;
    }
    return LYRA_OK;
}

static void destroy_hinges(void *data)
{
    LyClothForce *self = data;
    ly_release(self->ctx, self);
}

LyraStatus ly_shell_add_hinges(LyraShell *shell, const LyraShellDef *def)
{
    (void)def;
    static LyClothKernel *const kernels[] = LY_KERNEL_TABLE(ly_cloth_bend);
    static const char *const names[] = {"bend", "rest-angle"};
    static const LyraParameterKind kinds[] = {LYRA_PARAMETER_NOT_NEGATIVE, LYRA_PARAMETER_ANY};
    Hinges hinges = {0};
    LyClothForce *self = NULL;
    LyraForceDef force = lyra_force_def_default();
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(shell->ctx, 1, sizeof *self, &self));
    *self = (LyClothForce){.ctx = shell->ctx, .force = true, .stiffness = true};
    self->type = (LyraForceType){.name = "shell-hinges",
                                 .nodes = 4,
                                 .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC |
                                           LYRA_FORCE_TRANSLATION_INVARIANT,
                                 .parameter_count = 2,
                                 .parameter_names = names,
                                 .parameter_kinds = kinds,
                                 .evaluate = kernels[lyra_context_isa(shell->ctx)],
                                 .destroy = destroy_hinges};
    status = find_hinges(shell, &hinges);
    force.type = &self->type;
    force.self = self;
    force.stencil_count = hinges.count;
    force.stencils = hinges.nodes;
    force.parameters = hinges.parameters;
    status = ly_shell_take(shell, &force, status);
    release_hinges(shell->ctx, &hinges);
    return status;
}

// ---- quadratic ----------------------------------------------------------------------------------

static void destroy_quadratic(void *data)
{
    LyShellQuadratic *self = data;
    ly_release(self->ctx, self->constants);
    ly_release(self->ctx, self);
}

static void setup_quadratic(const void *data, int32_t element, const int32_t *order, double *out)
{
    (void)order;
    const LyShellQuadratic *self = data;
    memcpy(out, self->constants + 4 * (int64_t)element, 4 * sizeof *out);
}

// cotangent of the angle at a between b and c
static double cotangent(const double *a, const double *b, const double *c)
{
    double dot = 0, square = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double n = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
        dot += (b[i] - a[i]) * (c[i] - a[i]);
        square += n * n;
    }
    return dot / sqrt(square);
}

LyraStatus ly_shell_add_quadratic(LyraShell *shell)
{
    static LyShellKernel *const kernels[] = LY_KERNEL_TABLE(ly_shell_quadratic);
    static const char *const names[] = {"bend"};
    static const LyraParameterKind kinds[] = {LYRA_PARAMETER_NOT_NEGATIVE};
    Hinges hinges = {0};
    LyShellQuadratic *self = NULL;
    LyraForceDef force = lyra_force_def_default();
    LyraStatus status = LYRA_OK;
    LY_TRY(ly_allocate_zeroed(shell->ctx, 1, sizeof *self, &self));
    self->ctx = shell->ctx;
    self->type = (LyraForceType){.name = "shell-quadratic",
                                 .nodes = 4,
                                 .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC |
                                           LYRA_FORCE_TRANSLATION_INVARIANT | LYRA_FORCE_LINEAR |
                                           LYRA_FORCE_DISPLACEMENT | LYRA_FORCE_DEFINITE,
                                 .constant_count = 4,
                                 .parameter_count = 1,
                                 .parameter_names = names,
                                 .parameter_kinds = kinds,
                                 .setup = setup_quadratic,
                                 .evaluate = kernels[lyra_context_isa(shell->ctx)],
                                 .destroy = destroy_quadratic};
    LY_TRY_DONE(find_hinges(shell, &hinges));
    for (int32_t e = 0; e < hinges.count; ++e) {
        const double *x[4];
        double *c = hinges.constants + 4 * (int64_t)e, length = 0;
        for (int k = 0; k < 4; ++k) {
            x[k] = shell->positions + 3 * (int64_t)hinges.nodes[4 * (int64_t)e + k];
        }
        for (int i = 0; i < 3; ++i) {
            length += (x[1][i] - x[0][i]) * (x[1][i] - x[0][i]);
        }
        double angle = hinges.parameters[2 * (int64_t)e + 1];
        if (fabs(angle) > 1e-6) {
            LY_TRY_DONE(ly_fail(LYRA_UNSUPPORTED,
                                "shell: quadratic bending of a surface that is bent by %g rad at "
                                "the edge of vertices %d and %d, expected a flat one; morley bends "
                                "any",
                                angle, (int)hinges.nodes[4 * (int64_t)e],
                                (int)hinges.nodes[4 * (int64_t)e + 1]));
        }
        // cotangents at both ends in both triangles
        double c0[2], c1[2];
        for (int w = 0; w < 2; ++w) {
            c0[w] = cotangent(x[0], x[1], x[2 + w]);
            c1[w] = cotangent(x[1], x[0], x[2 + w]);
        }
        c[0] = c1[0] + c1[1];
        c[1] = c0[0] + c0[1];
        c[2] = -c0[0] - c1[0];
        c[3] = -c0[1] - c1[1];
        // D/(A_1 + A_2) from D l^2/(A_1 + A_2)
        hinges.parameters[e] = hinges.parameters[2 * (int64_t)e] / length;
    }
    self->constants = hinges.constants;
    hinges.constants = NULL;
done:
    force.type = &self->type;
    force.self = self;
    force.stencil_count = hinges.count;
    force.stencils = hinges.nodes;
    force.parameters = hinges.parameters;
    status = ly_shell_take(shell, &force, status);
    release_hinges(shell->ctx, &hinges);
    return status;
}
