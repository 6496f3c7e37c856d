// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Rods: sections, frames at rest, joints, forces. The mathematics is in rod_kernel.c and
// rod_bend_kernel.c.
//
// Where edges meet, every two of them share a joint. An edge bends its half up to the vertex with
// k = 2 EI/l; all of them end at one stiff point, whose turn w is where the moments are in balance:
// the least of sum k_i |phi_i - w|^2/2 over w is the sum over pairs of k_i k_j/(sum of k) times
// |phi_i - phi_j|^2/2. Of two edges that is the usual 2 EI/(l_i + l_j) of equal sections.

#include "force/rod_inside.h"

#include "base/base.h"
#include "lyra/springs.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- sections -----------------------------------------------------------------------------------

LyraRodSection lyra_rod_section_circle(double young, double poisson, double density, double radius,
                                       double inner)
{
    double area = PI * (radius * radius - inner * inner);
    double second = 0.25 * area * (radius * radius + inner * inner);
    double shear = young / (2 * (1 + poisson));
    return (LyraRodSection){.stretch = young * area,
                            .bend = {young * second, young * second},
                            .twist = 2 * shear * second,
                            .line_density = density * area,
                            .inertia = 2 * density * second};
}

LyraRodSection lyra_rod_section_rectangle(double young, double poisson, double density,
                                          double width, double height)
{
    double a = fmax(width, height), b = fmin(width, height), area = width * height, sum = 0;
    // J = a b^3/3 (1 - 192/pi^5 b/a sum of tanh(n pi a/(2 b))/n^5 over odd n)
    for (int n = 1; n < 40; n += 2) {
        sum += tanh(n * PI * a / (2 * b)) / pow(n, 5);
    }
    double torsion = a * b * b * b / 3 * (1 - 192 / pow(PI, 5) * b / a * sum);
    double of_width = area * width * width / 12, of_height = area * height * height / 12;
    return (LyraRodSection){.stretch = young * area,
                            .bend = {young * of_width, young * of_height},
                            .twist = young / (2 * (1 + poisson)) * torsion,
                            .line_density = density * area,
                            .inertia = density * (of_width + of_height)};
}

LyraRodDef lyra_rod_def_default(void)
{
    return (LyraRodDef){.twists = true, .cookie = LY_DEF_COOKIE};
}

// ---- checks -------------------------------------------------------------------------------------

static LyraStatus check_section(const LyraRodDef *def, int32_t s)
{
    const LyraRodSection *section = &def->sections[s];
    const struct {
        const char *name;
        double value;
        bool positive;
    } numbers[] = {{"stretch", section->stretch, false},
                   {"bend", section->bend[0], false},
                   {"bend", section->bend[1], false},
                   {"twist", section->twist, false},
                   {"line density", section->line_density, true},
                   {"inertia", section->inertia, def->twists}};
    for (int i = 0; i < LY_COUNT_OF(numbers); ++i) {
        double x = numbers[i].value;
        if (!(x >= 0 && x <= 1e300) || (numbers[i].positive && x == 0)) {
            return ly_fail(isfinite(x) ? LYRA_INVALID_ARGUMENT : LYRA_NOT_FINITE,
                           "rod: section %d has %s %g, expected a number %s", (int)s,
                           numbers[i].name, x, numbers[i].positive ? "above 0" : "not below 0");
        }
    }
    return LYRA_OK;
}

static LyraStatus check_edges(const LyraRodDef *def)
{
    for (int64_t i = 0; i < 3 * (int64_t)def->vertex_count; ++i) {
        if (!(fabs(def->positions[i]) <= 1e100)) {
            return ly_fail(LYRA_NOT_FINITE, "rod: vertex %d is at %g, expected a finite place",
                           (int)(i / 3), def->positions[i]);
        }
    }
    for (int32_t e = 0; e < def->edge_count; ++e) {
        const int32_t *ends = def->edges + 2 * (int64_t)e;
        if (ends[0] < 0 || ends[0] >= def->vertex_count || ends[1] < 0 ||
            ends[1] >= def->vertex_count || ends[0] == ends[1]) {
            return ly_fail(LYRA_BAD_MESH,
                           "rod: edge %d joins vertices %d and %d, expected two of 0 to %d", (int)e,
                           (int)ends[0], (int)ends[1], (int)def->vertex_count - 1);
        }
    }
    return LYRA_OK;
}

static LyraStatus check_def(const LyraRodDef *def)
{
    if (def->vertex_count < 0 || def->edge_count < 0 || def->edge_count > INT32_MAX / 8 ||
        def->vertex_count > INT32_MAX / 8 ||
        (def->edge_count > 0 && (!def->positions || !def->edges || !def->sections))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "rod: %d edges of %d vertices need positions, edges and sections",
                       (int)def->edge_count, (int)def->vertex_count);
    }
    if (def->edge_count > 0 && def->section_count != 1 && def->section_count != def->edge_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "rod: %d sections of %d edges, expected one, or one each",
                       (int)def->section_count, (int)def->edge_count);
    }
    const double numbers[] = {def->curvature[0], def->curvature[1], def->turn};
    for (int i = 0; i < 3; ++i) {
        if (!(fabs(numbers[i]) <= 1e100) || (numbers[i] != 0 && !def->twists)) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "rod: natural %s %g, expected %s",
                           i < 2 ? "curvature" : "twist", numbers[i],
                           def->twists ? "a finite number" : "none of a rope");
        }
    }
    if (!(def->damping >= 0 && def->damping <= 1e100)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "rod: damping %g s, expected a number not below 0",
                       def->damping);
    }
    for (int32_t s = 0; s < def->section_count; ++s) {
        LY_TRY(check_section(def, s));
    }
    return check_edges(def);
}

// ---- edges and frames ---------------------------------------------------------------------------

static LyraStatus measure_edges(LyraRod *rod, const LyraRodDef *def)
{
    double sum = 0;
    for (int32_t e = 0; e < def->edge_count; ++e) {
        const int32_t *ends = rod->edges + 2 * (int64_t)e;
        double *t = rod->frames + 9 * (int64_t)e;
        for (int i = 0; i < 3; ++i) {
            t[i] =
                def->positions[3 * (int64_t)ends[1] + i] - def->positions[3 * (int64_t)ends[0] + i];
        }
        double length = hypot(hypot(t[0], t[1]), t[2]);
        if (!(length > 0 && 1 / length <= 1e100)) {
            return ly_fail(LYRA_BAD_MESH,
                           "rod: edge %d from vertex %d to %d has length %g, expected some", (int)e,
                           (int)ends[0], (int)ends[1], length);
        }
        for (int i = 0; i < 3; ++i) {
            t[i] /= length;
        }
        rod->lengths[e] = length;
        sum += length;
    }
    rod->view.scale = def->edge_count > 0 ? sum / def->edge_count : 1;
    return LYRA_OK;
}

// the director of `from` with tangent s t carried over to tangent s' u without twist
static void carry(const double *from, const double *to_tangent, double sign, double to_sign,
                  double out[3])
{
    double t[3], u[3], b[3], c = 0, along = 0;
    const double *d = from + 3;
    for (int i = 0; i < 3; ++i) {
        t[i] = sign * from[i];
        u[i] = to_sign * to_tangent[i];
        c += t[i] * u[i];
    }
    ly_cross3(t, u, b);
    along = ly_dot3(b, d) / fmax(2 * LY_ROD_FLOOR, 1 + c);
    double turned[3], moved[3];
    ly_cross3(b, d, turned);
    for (int i = 0; i < 3; ++i) {
        moved[i] = c * d[i] + turned[i] + along * b[i];
    }
    if (!ly_set_across3(to_tangent, moved, out)) {
        ly_choose_across3(to_tangent, out);
    }
}

static void finish_frame(double *frame)
{
    ly_cross3(frame, frame + 3, frame + 6);
}

// edge k of those at a vertex, and its sign: 1 where it ends there
static int32_t edge_at(const LyraRod *rod, int32_t vertex, int64_t k, double *sign)
{
    int32_t edge = rod->around[k];
    *sign = rod->edges[2 * (int64_t)edge + 1] == vertex ? 1 : -1;
    return edge;
}

// directors of all edges that hang together with `first`, whose own is there
static void spread(LyraRod *rod, int32_t first, int32_t *queue, bool *done)
{
    int32_t head = 0, tail = 0;
    queue[tail++] = first;
    done[first] = true;
    while (head < tail) {
        int32_t edge = queue[head++];
        for (int end = 1; end >= 0; --end) {
            int32_t vertex = rod->edges[2 * (int64_t)edge + end];
            for (int64_t k = rod->around_begin[vertex]; k < rod->around_begin[vertex + 1]; ++k) {
                double sign;
                int32_t next = edge_at(rod, vertex, k, &sign);
                if (done[next]) {
                    continue;
                }
                double *frame = rod->frames + 9 * (int64_t)next;
                carry(rod->frames + 9 * (int64_t)edge, frame, end ? 1 : -1, -sign, frame + 3);
                finish_frame(frame);
                done[next] = true;
                queue[tail++] = next;
            }
        }
    }
}

static LyraStatus set_normals(LyraRod *rod, const double normal[3])
{
    for (int32_t e = 0; e < rod->view.edge_count; ++e) {
        double *frame = rod->frames + 9 * (int64_t)e;
        if (!ly_set_across3(frame, normal, frame + 3)) {
            return ly_fail(LYRA_BAD_MESH,
                           "rod: edge %d lies along the normal (%g, %g, %g), expected one across "
                           "all edges",
                           (int)e, normal[0], normal[1], normal[2]);
        }
        finish_frame(frame);
    }
    return LYRA_OK;
}

static LyraStatus set_frames(LyraRod *rod, const LyraRodDef *def)
{
    int32_t count = def->edge_count, *queue = NULL;
    bool *done = NULL;
    LyraStatus status = LYRA_OK;
    if (def->normal) {
        return set_normals(rod, def->normal);
    }
    LY_TRY_DONE(ly_allocate_array(rod->ctx, count, sizeof *queue, &queue));
    LY_TRY_DONE(ly_allocate_zeroed(rod->ctx, count, sizeof *done, &done));
    for (int32_t e = 0; e < count; ++e) {
        if (!done[e]) {
            double *frame = rod->frames + 9 * (int64_t)e;
            ly_choose_across3(frame, frame + 3);
            finish_frame(frame);
            spread(rod, e, queue, done);
        }
    }
done:
    ly_release(rod->ctx, queue);
    ly_release(rod->ctx, done);
    return status;
}

// ---- neighbours ---------------------------------------------------------------------------------

static LyraStatus find_around(LyraRod *rod)
{
    int32_t vertices = rod->view.vertex_count, edges = rod->view.edge_count;
    LY_TRY(ly_allocate_zeroed(rod->ctx, (int64_t)vertices + 1, sizeof *rod->around_begin,
                              &rod->around_begin));
    LY_TRY(ly_allocate_array(rod->ctx, 2 * (int64_t)edges, sizeof *rod->around, &rod->around));
    int64_t *begin = rod->around_begin;
    for (int64_t i = 0; i < 2 * (int64_t)edges; ++i) {
        ++begin[rod->edges[i]];
    }
    for (int32_t v = 0; v < vertices; ++v) {
        if (begin[v] > LYRA_ROD_EDGES_MAX) {
            return ly_fail(LYRA_BAD_MESH, "rod: %lld edges meet at vertex %d, expected %d at most",
                           (long long)begin[v], (int)v, LYRA_ROD_EDGES_MAX);
        }
    }
    for (int32_t v = 0; v < vertices; ++v) {
        begin[v + 1] += begin[v];
    }
    // from the back, so that begins are where they belong
    for (int64_t i = 2 * (int64_t)edges - 1; i >= 0; --i) {
        rod->around[--begin[rod->edges[i]]] = (int32_t)(i / 2);
    }
    return LYRA_OK;
}

// ---- joints -------------------------------------------------------------------------------------

// stiffness of half an edge to bend to either side, or to twist
static double half_stiffness(const LyraRod *rod, int32_t edge, int number)
{
    const LyraRodSection *section = &rod->sections[rod->section_count == 1 ? 0 : edge];
    double value = number < 2 ? section->bend[number] : section->twist;
    return 2 * value / rod->lengths[edge];
}

// the frame of an edge that goes on along `sign` times its tangent
static void to_quaternion(const double *frame, double sign, double q[4])
{
    // columns tangent and directors; an edge that is turned round keeps its first director
    const double *t = frame, *d = frame + 3, *n = frame + 6;
    double R[3][3], trace = 0;
    for (int i = 0; i < 3; ++i) {
        R[i][0] = sign * t[i];
        R[i][1] = d[i];
        R[i][2] = sign * n[i];
        trace += R[i][i];
    }
    int largest = -1;
    double most = trace;
    for (int i = 0; i < 3; ++i) {
        if (R[i][i] > most) {
            most = R[i][i];
            largest = i;
        }
    }
    if (largest < 0) {
        q[0] = 1 + trace;
        q[1] = R[2][1] - R[1][2];
        q[2] = R[0][2] - R[2][0];
        q[3] = R[1][0] - R[0][1];
    } else {
        int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = R[k][j] - R[j][k];
        q[1 + i] = 1 + 2 * R[i][i] - trace;
        q[1 + j] = R[i][j] + R[j][i];
        q[1 + k] = R[i][k] + R[k][i];
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) {
        q[i] /= length;
    }
}

void ly_rod_strains(const double a[4], const double b[4], double strains[3])
{
    const double back[4] = {a[0], -a[1], -a[2], -a[3]};
    double q[4];
    ly_quaternion_multiply(back, b, q);
    double N = q[0] * q[0] + q[1] * q[1];
    N = fmax(N, LY_ROD_FLOOR * (N + q[2] * q[2] + q[3] * q[3]));
    strains[0] = 2 * q[0] * q[3] / N;
    strains[1] = -2 * q[0] * q[2] / N;
    // -q is the same turn: the angle of the one with a positive real part is the least
    strains[2] = q[0] < 0 ? 2 * atan2(-q[1], -q[0]) : 2 * atan2(q[1], q[0]);
}

// whether only the angle between directors counts, not where they point to
static bool is_round(const LyraRod *rod, const LyraRodDef *def, const int32_t edges[2])
{
    bool same = def->curvature[0] == 0 && def->curvature[1] == 0;
    for (int k = 0; k < 2; ++k) {
        const LyraRodSection *section = &rod->sections[rod->section_count == 1 ? 0 : edges[k]];
        same = same && section->bend[0] == section->bend[1];
    }
    return same;
}

// the frame `b` with the directors of `a` carried over, for joints where rings close and edges meet
static void align(const double a[4], double b[4])
{
    const double back[4] = {a[0], -a[1], -a[2], -a[3]};
    double q[4], turned[4];
    ly_quaternion_multiply(back, b, q);
    // what turns about the tangent goes
    double length = hypot(q[0], q[1]);
    const double turn[4] = {q[0] / length, -q[1] / length, 0, 0};
    ly_quaternion_multiply(b, turn, turned);
    memcpy(b, turned, sizeof turned);
}

// what joint `j` of edges `a`, which ends at `vertex`, and `b`, which begins there, is at rest
static LyraStatus set_joint(LyraRod *rod, const LyraRodDef *def, int32_t j, int32_t vertex,
                            const double sums[3])
{
    const int32_t *edges = rod->joint_edges + 2 * (int64_t)j;
    int32_t *nodes = rod->joints + 3 * (int64_t)j;
    double *constants = rod->constants + LY_ROD_CONSTANTS * (int64_t)j, c = 0;
    double *history = rod->history + LY_ROD_HISTORY * (int64_t)j;
    double *out = rod->parameters + LYRA_ROD_PARAMETER_COUNT * (int64_t)j;
    bool meets = rod->around_begin[vertex + 1] - rod->around_begin[vertex] > 2;
    double sign[2], length = 0.5 * (rod->lengths[edges[0]] + rod->lengths[edges[1]]);
    sign[0] = rod->edges[2 * (int64_t)edges[0] + 1] == vertex ? 1 : -1;
    sign[1] = rod->edges[2 * (int64_t)edges[1]] == vertex ? 1 : -1;
    nodes[1] = vertex;
    for (int k = 0; k < 2; ++k) {
        const int32_t *ends = rod->edges + 2 * (int64_t)edges[k];
        const double *frame = rod->frames + 9 * (int64_t)edges[k];
        nodes[2 * k] = ends[0] == vertex ? ends[1] : ends[0];
        for (int i = 0; i < 3; ++i) {
            constants[3 * k + i] = sign[k] * (def->positions[3 * (int64_t)ends[1] + i] -
                                              def->positions[3 * (int64_t)ends[0] + i]);
            c += k == 0 ? sign[0] * sign[1] * frame[i] * rod->frames[9 * (int64_t)edges[1] + i] : 0;
        }
        constants[LY_ROD_ANGLE_A + k] = sign[k] / rod->view.scale;
        to_quaternion(frame, sign[k], history + 4 * k);
    }
    if (!(1 + c > 1e-4)) {
        return ly_fail(LYRA_BAD_MESH,
                       "rod: edges %d and %d turn back on one another at vertex %d, expected an "
                       "angle below 179 degrees between them",
                       (int)edges[0], (int)edges[1], (int)vertex);
    }
    if (is_round(rod, def, edges)) {
        align(history + LY_ROD_FRAME_A, history + LY_ROD_FRAME_B);
    }
    ly_rod_strains(history + LY_ROD_FRAME_A, history + LY_ROD_FRAME_B,
                   history + LY_ROD_CURVATURE_1);
    history[LY_ROD_TURN] = history[LY_ROD_TWIST];
    for (int s = 0; s < 3; ++s) {
        double k0 = half_stiffness(rod, edges[0], s), k1 = half_stiffness(rod, edges[1], s);
        double added = s < 2 ? def->curvature[s] : def->turn;
        out[LYRA_ROD_BEND_1 + s] = sums[s] > 0 ? k0 / sums[s] * k1 : 0;
        out[LYRA_ROD_REST_CURVATURE_1 + s] =
            (def->straight && !meets ? 0 : history[LY_ROD_CURVATURE_1 + s]) + added * length;
    }
    out[LYRA_ROD_DAMPING] = def->damping;
    return LYRA_OK;
}

// joints of a vertex with so many edges: of ropes none where more than two meet
static int64_t joints_of(const LyraRod *rod, int64_t edges)
{
    return rod->view.twists || edges <= 2 ? edges * (edges - 1) / 2 : 0;
}

static LyraStatus allocate_joints(LyraRod *rod)
{
    int64_t count = 0;
    for (int32_t v = 0; v < rod->view.vertex_count; ++v) {
        int64_t edges = rod->around_begin[v + 1] - rod->around_begin[v];
        count += joints_of(rod, edges);
    }
    if (count > INT32_MAX / 16) {
        return ly_fail(LYRA_TOO_LARGE, "rod: %lld joints, expected %d at most", (long long)count,
                       INT32_MAX / 16);
    }
    rod->view.joint_count = (int32_t)count;
    LyraContext *ctx = rod->ctx;
    LY_TRY(ly_allocate_array(ctx, 3 * count, sizeof *rod->joints, &rod->joints));
    LY_TRY(ly_allocate_array(ctx, 2 * count, sizeof *rod->joint_edges, &rod->joint_edges));
    LY_TRY(ly_allocate_zeroed(ctx, LY_ROD_CONSTANTS * count, sizeof(double), &rod->constants));
    LY_TRY(ly_allocate_zeroed(ctx, LY_ROD_HISTORY * count, sizeof(double), &rod->history));
    return ly_allocate_zeroed(ctx, LYRA_ROD_PARAMETER_COUNT * count, sizeof(double),
                              &rod->parameters);
}

static LyraStatus find_joints(LyraRod *rod, const LyraRodDef *def)
{
    int32_t j = 0;
    LY_TRY(allocate_joints(rod));
    for (int32_t v = 0; v < rod->view.vertex_count; ++v) {
        int64_t begin = rod->around_begin[v], end = rod->around_begin[v + 1];
        double sums[3] = {0};
        for (int64_t k = begin; k < end; ++k) {
            for (int s = 0; s < 3; ++s) {
                sums[s] += half_stiffness(rod, rod->around[k], s);
            }
        }
        for (int64_t k = begin; k < end && joints_of(rod, end - begin) > 0; ++k) {
            for (int64_t l = k + 1; l < end; ++l, ++j) {
                // the edge that ends at the vertex first, where there is one
                double sign;
                int32_t first = edge_at(rod, v, k, &sign), second = rod->around[l];
                rod->joint_edges[2 * (int64_t)j] = sign > 0 ? first : second;
                rod->joint_edges[2 * (int64_t)j + 1] = sign > 0 ? second : first;
                LY_TRY(set_joint(rod, def, j, v, sums));
            }
        }
    }
    return LYRA_OK;
}

// ---- creation -----------------------------------------------------------------------------------

static const LyraRodSection *section_of(const LyraRod *rod, int32_t edge)
{
    return &rod->sections[rod->section_count == 1 ? 0 : edge];
}

// nodes with places and masses
static LyraStatus make_nodes(LyraRod *rod, const LyraRodDef *def)
{
    int64_t vertices = def->vertex_count, edges = def->edge_count;
    rod->view.node_count = (int32_t)(vertices + (def->twists ? edges : 0));
    LY_TRY(ly_allocate_array(rod->ctx, 3 * (vertices + edges), sizeof(double), &rod->positions));
    LY_TRY(ly_allocate_zeroed(rod->ctx, vertices + edges, sizeof(double), &rod->masses));
    if (vertices > 0) {
        memcpy(rod->positions, def->positions, 3 * (size_t)vertices * sizeof(double));
    }
    for (int32_t e = 0; e < edges; ++e) {
        const int32_t *ends = rod->edges + 2 * (int64_t)e;
        const LyraRodSection *section = section_of(rod, e);
        double half = 0.5 * section->line_density * rod->lengths[e];
        rod->masses[ends[0]] += half;
        rod->masses[ends[1]] += half;
        rod->masses[vertices + e] =
            section->inertia * rod->lengths[e] / (rod->view.scale * rod->view.scale);
        for (int i = 0; i < 3; ++i) {
            rod->positions[3 * (vertices + e) + i] =
                0.5 * (def->positions[3 * (int64_t)ends[0] + i] +
                       def->positions[3 * (int64_t)ends[1] + i]);
        }
    }
    return LYRA_OK;
}

static LyraStatus fill(LyraRod *rod, const LyraRodDef *def)
{
    LyraContext *ctx = rod->ctx;
    int64_t edges = def->edge_count;
    rod->view.vertex_count = def->vertex_count;
    rod->view.edge_count = def->edge_count;
    rod->view.twists = def->twists;
    rod->damping = def->damping;
    rod->section_count = def->section_count;
    LY_TRY(ly_allocate_array(ctx, 2 * edges, sizeof *rod->edges, &rod->edges));
    LY_TRY(ly_allocate_array(ctx, def->section_count, sizeof *rod->sections, &rod->sections));
    LY_TRY(ly_allocate_array(ctx, edges, sizeof *rod->lengths, &rod->lengths));
    LY_TRY(ly_allocate_array(ctx, edges, sizeof *rod->stiffness, &rod->stiffness));
    LY_TRY(ly_allocate_array(ctx, 9 * edges, sizeof *rod->frames, &rod->frames));
    if (edges > 0) {
        memcpy(rod->edges, def->edges, 2 * (size_t)edges * sizeof *rod->edges);
        memcpy(rod->sections, def->sections, (size_t)def->section_count * sizeof *rod->sections);
    }
    LY_TRY(measure_edges(rod, def));
    LY_TRY(find_around(rod));
    LY_TRY(set_frames(rod, def));
    LY_TRY(find_joints(rod, def));
    LY_TRY(make_nodes(rod, def));
    for (int32_t e = 0; e < edges; ++e) {
        rod->stiffness[e] = section_of(rod, e)->stretch / rod->lengths[e];
    }
    rod->view.positions = rod->positions;
    rod->view.masses = rod->masses;
    rod->view.edges = rod->edges;
    rod->view.lengths = rod->lengths;
    rod->view.frames = rod->frames;
    rod->view.joints = rod->joints;
    rod->view.joint_edges = rod->joint_edges;
    rod->view.stiffness = rod->stiffness;
    LY_TRY(ly_rod_make_stretch(rod));
    return ly_rod_make_joints(rod);
}

LyraStatus lyra_rod_create(LyraContext *ctx, const LyraRodDef *def, LyraRod **out)
{
    LY_CHECK_DEF(def, "lyra_rod_def_default");
    LY_TRY(check_def(def));
    LyraRod *rod = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *rod, &rod));
    rod->ctx = ctx;
    LyraStatus status = fill(rod, def);
    if (status != LYRA_OK) {
        lyra_rod_destroy(rod);
        return status;
    }
    *out = rod;
    return LYRA_OK;
}

void lyra_rod_destroy(LyraRod *rod)
{
    if (!rod) {
        return;
    }
    for (int32_t f = 0; f < rod->force_count; ++f) {
        lyra_force_destroy(rod->forces[f]);
    }
    lyra_springs_destroy(rod->springs);
    void *const arrays[] = {rod->edges,       rod->sections,    rod->lengths, rod->stiffness,
                            rod->frames,      rod->positions,   rod->masses,  rod->joints,
                            rod->joint_edges, rod->constants,   rod->history, rod->parameters,
                            rod->around,      rod->around_begin};
    for (int i = 0; i < LY_COUNT_OF(arrays); ++i) {
        ly_release(rod->ctx, arrays[i]);
    }
    ly_release(rod->ctx, rod);
}

LyraRodView lyra_rod_view(const LyraRod *rod)
{
    return rod->view;
}

LyraForce *const *lyra_rod_forces(const LyraRod *rod, int32_t *count)
{
    *count = rod->force_count;
    return rod->forces;
}
