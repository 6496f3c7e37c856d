// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What shells show of themselves: strains of the middle and of both surfaces, curvature, stress.

#include "force/shell.h"

#include "base/base.h"
#include "force/force.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// coordinates of the corners at rest in the plane of a triangle
static void find_flat(const LyraShell *shell, int32_t t, const double *constants, double X[3][2])
{
    const int32_t *ids = shell->triangles + 3 * (int64_t)t;
    for (int c = 0; c < 3; ++c) {
        X[c][0] = X[c][1] = 0;
        for (int i = 0; i < 3; ++i) {
            double d = shell->positions[3 * (int64_t)ids[c] + i] -
                       shell->positions[3 * (int64_t)ids[0] + i];
            X[c][0] += d * constants[LY_SHELL_T1 + i];
            X[c][1] += d * constants[LY_SHELL_T2 + i];
        }
    }
}

// U - 1 of the polar decomposition: 11, 22, 12
static void find_strain(const LyraShell *shell, int32_t t, const double *constants, const double *x,
                        double out[3])
{
    const int32_t *ids = shell->triangles + 3 * (int64_t)t;
    const double *b = constants + LY_SHELL_B;
    double c11 = 0, c22 = 0, c12 = 0;
    for (int i = 0; i < 3; ++i) {
        double x0 = x[3 * (int64_t)ids[0] + i];
        double d1 = x[3 * (int64_t)ids[1] + i] - x0, d2 = x[3 * (int64_t)ids[2] + i] - x0;
        double f1 = d1 * b[0] + d2 * b[2], f2 = d1 * b[1] + d2 * b[3];
        c11 += f1 * f1;
        c22 += f2 * f2;
        c12 += f1 * f2;
    }
    // U = (C + J 1)/sqrt(tr C + 2 J)
    double J = sqrt(fmax(0, c11 * c22 - c12 * c12)), root = sqrt(c11 + c22 + 2 * J);
    double over = root > 0 ? 1 / root : 0;
    out[0] = (c11 + J) * over - 1;
    out[1] = (c22 + J) * over - 1;
    out[2] = c12 * over;
}

// c of the edges, that of a free one as it makes the energy least
static void find_turns(const LyraShell *shell, int32_t t, const double *x, const double *scalars,
                       double c[3])
{
    const LyraShellView *view = &shell->view;
    bool free[3], morley = view->bend == LYRA_SHELL_BEND_MORLEY;
    double Q[3][3];
    for (int i = 0; i < 3; ++i) {
        int32_t side = 3 * t + i;
        const LyShellEdge *edge = &shell->edges[shell->side_edge[side]];
        int32_t wing = ly_shell_wing(shell, side);
        free[i] = wing < 0 && !edge->clamped;
        c[i] = 0;
        if (free[i]) {
            continue;
        }
        double place[3], share = wing < 0 ? 1 : 0.5, rest = 0;
        ly_shell_mirror(shell, side, place);
        if (wing >= 0) {
            memcpy(place, x + 3 * (int64_t)wing, sizeof place);
            // as this side sees it, if at all
            rest = view->rest_angles[shell->side_edge[side]] == 0
                       ? 0
                       : ly_shell_angle(shell, shell->positions, side,
                                        shell->positions + 3 * (int64_t)wing);
        }
        double change = ly_shell_angle(shell, x, side, place) - rest;
        c[i] = share * (change - 2 * PI * rint(change / (2 * PI)));
        if (morley && edge->scalar >= 0) {
            const int32_t *ids = shell->triangles + 3 * (int64_t)t;
            bool up = ids[(i + 1) % 3] < ids[(i + 2) % 3];
            c[i] += (up ? 1 : -1) * scalars[edge->scalar] / view->scalar_length;
        }
    }
    ly_shell_form(shell, t, Q);
    // few sweeps solve for two free edges; of three nothing bends
    for (int sweep = 0; sweep < 60; ++sweep) {
        for (int i = 0; i < 3; ++i) {
            if (free[i]) {
                int j = (i + 1) % 3, k = (i + 2) % 3;
                c[i] = -(Q[i][j] * c[j] + Q[i][k] * c[k]) / Q[i][i];
            }
        }
    }
}

static void find_curvature(const LyraShell *shell, int32_t t, const double X[3][2],
                           const double c[3], double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < 3; ++i) {
        const double *a = X[(i + 1) % 3], *b = X[(i + 2) % 3];
        double m[2] = {b[1] - a[1], a[0] - b[0]}, l = hypot(m[0], m[1]);
        double factor = c[i] / (shell->areas[t] * l);
        out[0] += factor * m[0] * m[0];
        out[1] += factor * m[1] * m[1];
        out[2] += factor * m[0] * m[1];
    }
}

// the larger and the smaller eigenvalue
static void find_principal(const double e[3], double out[2])
{
    double mean = 0.5 * (e[0] + e[1]), half = hypot(0.5 * (e[0] - e[1]), e[2]);
    out[0] = mean + half;
    out[1] = mean - half;
}

static double find_stress(const LyraShellView *view, const double e[2])
{
    double factor = view->young / (1 - view->poisson * view->poisson);
    double a = factor * (e[0] + view->poisson * e[1]), b = factor * (e[1] + view->poisson * e[0]);
    return sqrt(a * a - a * b + b * b);
}

void lyra_shell_measure(const LyraShell *shell, const double *positions, const double *scalars,
                        LyraShellMeasure *out)
{
    LYRA_ASSERT(shell && positions && out && (scalars || shell->view.scalar_count == 0));
    const LyShellMembrane *self = shell->forces[0]->self;
    for (int32_t t = 0; t < shell->view.triangle_count; ++t) {
        const double *constants = self->constants + (int64_t)t * LY_SHELL_MEMBRANE_CONSTANTS;
        double X[3][2], c[3], middle[3], curvature[3], half = 0.5 * shell->thicknesses[t];
        find_flat(shell, t, constants, X);
        find_strain(shell, t, constants, positions, middle);
        find_turns(shell, t, positions, scalars, c);
        find_curvature(shell, t, X, c, curvature);
        find_principal(middle, out[t].strain);
        find_principal(curvature, out[t].curvature);
        for (int s = 0; s < 2; ++s) {
            double sign = s ? -1 : 1, e[3];
            for (int k = 0; k < 3; ++k) {
                e[k] = middle[k] + sign * half * curvature[k];
            }
            find_principal(e, s ? out[t].bottom : out[t].top);
        }
        out[t].top_stress = shell->flows ? NAN : find_stress(&shell->view, out[t].top);
        out[t].bottom_stress = shell->flows ? NAN : find_stress(&shell->view, out[t].bottom);
    }
}
