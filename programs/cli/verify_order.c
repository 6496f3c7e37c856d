// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Order in the size of elements by manufactured solutions. On the unit cube the displacement
//
//   u_i = 0.05 sin(a_i . X + b_i)
//
// is made a solution: the boundary is held where it says, and the body force b = -Div P(F),
// F = 1 + grad u, acts inside, P from the law as it stands here (not the library's). Div is taken
// by central differences of order 4 over 1e-3, wrong by some 1e-11. Loads, integral N b dV, and the
// norms of the error,
//
//   |e|_0^2 = integral |u_h - u|^2 dV,   |e|_1^2 = integral |grad u_h - grad u|^2 dV,
//
// are taken with 3 x 3 x 3 Gauss points, for tets in collapsed coordinates, so that their own error
// is of higher order. Theory: |e|_0 is of order 2, |e|_1 of order 1, of tets of 10 nodes 3 and 2.
// Slopes between the two finest meshes are to be within 0.05 of that (0.1 on the coarse meshes of
// --quick).

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AMPLITUDE 0.05
#define YOUNG 1000.0
#define POISSON 0.3

static const double lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
static const double mu = YOUNG / (2 * (1 + POISSON));

// ---- the solution -------------------------------------------------------------------------------

static const double waves[3][3] = {{3, 1, -2}, {-1, 2.5, 2}, {2, -1.5, 3}};
static const double phases[3] = {0.3, 1.1, -0.4};

static double phase_at(int i, const double X[3])
{
    return waves[i][0] * X[0] + waves[i][1] * X[1] + waves[i][2] * X[2] + phases[i];
}

static void solution(const double X[3], double u[3])
{
    for (int i = 0; i < 3; ++i) {
        u[i] = AMPLITUDE * sin(phase_at(i, X));
    }
}

static void solution_gradient(const double X[3], double G[3][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            G[i][j] = AMPLITUDE * waves[i][j] * cos(phase_at(i, X));
        }
    }
}

// ---- laws: P(grad u) ----------------------------------------------------------------------------

typedef void Stress(const double G[3][3], double P[3][3]);

static void stress_linear(const double G[3][3], double P[3][3])
{
    double trace = G[0][0] + G[1][1] + G[2][2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            P[i][j] = mu * (G[i][j] + G[j][i]) + (i == j ? lambda * trace : 0);
        }
    }
}

static void stress_stvk(const double G[3][3], double P[3][3])
{
    double F[3][3], S[3][3], trace = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            F[i][j] = G[i][j] + (i == j);
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double C = F[0][i] * F[0][j] + F[1][i] * F[1][j] + F[2][i] * F[2][j];
            S[i][j] = mu * (C - (i == j));
        }
        trace += S[i][i] / (2 * mu);
    }
    for (int i = 0; i < 3; ++i) {
        S[i][i] += lambda * trace;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            P[i][j] = F[i][0] * S[0][j] + F[i][1] * S[1][j] + F[i][2] * S[2][j];
        }
    }
}

// P = mu (F - F^-T) + lambda ln J F^-T
static void stress_neo_hookean(const double G[3][3], double P[3][3])
{
    double F[3][3], cofactor[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            F[i][j] = G[i][j] + (i == j);
        }
    }
    for (int i = 0; i < 3; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor[i][j] = F[i1][j1] * F[i2][j2] - F[i1][j2] * F[i2][j1];
        }
    }
    double J = F[0][0] * cofactor[0][0] + F[0][1] * cofactor[0][1] + F[0][2] * cofactor[0][2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            P[i][j] = mu * F[i][j] + (lambda * log(J) - mu) * cofactor[i][j] / J;
        }
    }
}

static const struct {
    const char *model;
    Stress *stress;
} laws[] = {
    {"linear", stress_linear},
    {"stvk", stress_stvk},
    {"neo-hookean", stress_neo_hookean},
};

enum { LAWS = sizeof laws / sizeof laws[0] };

static void body_force(Stress *stress, const double X[3], double b[3])
{
    static const double offsets[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    double d = 1e-3;
    b[0] = b[1] = b[2] = 0;
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 4; ++k) {
            double at[3] = {X[0], X[1], X[2]}, G[3][3], P[3][3];
            at[j] += offsets[k] * d;
            solution_gradient(at, G);
            stress(G, P);
            for (int i = 0; i < 3; ++i) {
                b[i] -= weights[k] * P[i][j] / (12 * d);
            }
        }
    }
}

// ---- elements -----------------------------------------------------------------------------------

// an integration point: place, weight, shape functions and their gradients at rest
typedef struct Point {
    double X[3], weight, N[10], dN[10][3];
} Point;

// point `p` of 27 on a cube of edge h with its low corner at x
static void cube_point(const double *corners, const double t[3], const double w[3], Point *point)
{
    static const int side[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    double h = corners[3] - corners[0];
    point->weight = w[0] * w[1] * w[2] * h * h * h;
    for (int i = 0; i < 3; ++i) {
        point->X[i] = corners[i] + h * t[i];
    }
    for (int n = 0; n < 8; ++n) {
        double f[3], d[3];
        for (int i = 0; i < 3; ++i) {
            f[i] = side[n][i] ? t[i] : 1 - t[i];
            d[i] = (side[n][i] ? 1 : -1) / h;
        }
        point->N[n] = f[0] * f[1] * f[2];
        point->dN[n][0] = d[0] * f[1] * f[2];
        point->dN[n][1] = f[0] * d[1] * f[2];
        point->dN[n][2] = f[0] * f[1] * d[2];
    }
}

// a point of the cube of collapsed coordinates: N_1 = r, N_2 = s (1 - r), N_3 = t (1 - r)(1 - s)
static void tet_point(const double *corners, const double t[3], const double w[3], Point *point)
{
    double e[3][3], c[3][3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            e[k][i] = corners[3 * (k + 1) + i] - corners[i];
        }
    }
    for (int k = 0; k < 3; ++k) {
        const double *a = e[(k + 1) % 3], *b = e[(k + 2) % 3];
        for (int i = 0; i < 3; ++i) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            c[k][i] = a[i1] * b[i2] - a[i2] * b[i1];
        }
    }
    double det = e[0][0] * c[0][0] + e[0][1] * c[0][1] + e[0][2] * c[0][2];
    double r = 1 - t[0], s = 1 - t[1];
    point->N[1] = t[0];
    point->N[2] = t[1] * r;
    point->N[3] = t[2] * r * s;
    point->N[0] = 1 - point->N[1] - point->N[2] - point->N[3];
    point->weight = w[0] * w[1] * w[2] * r * r * s * det;
    for (int i = 0; i < 3; ++i) {
        point->X[i] = corners[i];
        point->dN[0][i] = 0;
        for (int k = 0; k < 3; ++k) {
            point->X[i] += point->N[k + 1] * e[k][i];
            point->dN[k + 1][i] = c[k][i] / det;
            point->dN[0][i] -= c[k][i] / det;
        }
    }
}

// shape functions of a straight tet of 10 nodes from those of its corners
static void raise_point(Point *point)
{
    double L[4], dL[4][3];
    memcpy(L, point->N, sizeof L);
    memcpy(dL, point->dN, sizeof dL);
    for (int n = 0; n < 10; ++n) {
        const int32_t *ends = n < 4 ? NULL : lyra_element_kind_edge(LYRA_ELEMENT_TET10, n - 4);
        int a = n < 4 ? n : ends[0], b = n < 4 ? n : ends[1];
        point->N[n] = n < 4 ? L[n] * (2 * L[n] - 1) : 4 * L[a] * L[b];
        for (int i = 0; i < 3; ++i) {
            point->dN[n][i] =
                n < 4 ? (4 * L[n] - 1) * dL[n][i] : 4 * (L[a] * dL[b][i] + L[b] * dL[a][i]);
        }
    }
}

// calls `visit` at the integration points of all elements
static void integrate(const VerifyBody *body,
                      void (*visit)(const VerifyBody *body, const int32_t *nodes,
                                    const Point *point, void *data),
                      void *data)
{
    static const double places[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    int32_t count = lyra_element_kind_nodes(body->view.kind);
    for (int64_t e = 0; e < body->view.element_count; ++e) {
        const int32_t *nodes = body->view.elements + e * count;
        double corners[24];
        for (int n = 0; n < lyra_element_kind_corners(body->view.kind); ++n) {
            memcpy(corners + 3 * n, body->view.positions + 3 * (int64_t)nodes[n],
                   3 * sizeof corners[0]);
        }
        for (int p = 0; p < 27; ++p) {
            int a = p % 3, b = p / 3 % 3, c = p / 9;
            const double t[3] = {places[a], places[b], places[c]};
            const double w[3] = {weights[a], weights[b], weights[c]};
            Point point;
            if (body->view.kind == LYRA_ELEMENT_CUBE8) {
                cube_point(corners, t, w, &point);
            } else {
                tet_point(corners, t, w, &point);
            }
            if (body->view.kind == LYRA_ELEMENT_TET10) {
                raise_point(&point);
            }
            visit(body, nodes, &point, data);
        }
    }
}

// elements, the cells along an edge of the coarsest mesh, and the order in L2 by theory. One
// pressure in a tet of 10 nodes is of order 1, which shows late: the rest of it is of order 2
typedef struct Elements {
    const char *name;
    LyraElementKind kind;
    LyraVolumetric volumetric;
    int32_t cells, quick_cells, order;
    double slack; // more than others
} Elements;

static const Elements all_elements[] = {
    {"tets", LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_STANDARD, 5, 3, 2, 0},
    {"cubes", LYRA_ELEMENT_CUBE8, LYRA_VOLUMETRIC_STANDARD, 5, 3, 2, 0},
    {"tets of 10 nodes", LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_STANDARD, 3, 2, 3, 0},
    {"tets, nodal pressure", LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_NODAL, 5, 3, 2, 0},
    {"cubes, mean dilatation", LYRA_ELEMENT_CUBE8, LYRA_VOLUMETRIC_MEAN, 5, 3, 2, 0},
    {"tets of 10 nodes, mean dilatation", LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_MEAN, 3, 2, 2, 0.15},
};

// ---- loads and errors ---------------------------------------------------------------------------

typedef struct Load {
    Stress *stress;
    double *force;
} Load;

static void add_load(const VerifyBody *body, const int32_t *nodes, const Point *point, void *data)
{
    const Load *load = data;
    double b[3];
    body_force(load->stress, point->X, b);
    for (int n = 0; n < lyra_element_kind_nodes(body->view.kind); ++n) {
        for (int i = 0; i < 3; ++i) {
            load->force[3 * (int64_t)nodes[n] + i] += point->weight * point->N[n] * b[i];
        }
    }
}

typedef struct Errors {
    double squares[2]; // of displacements and of gradients
} Errors;

static void add_error(const VerifyBody *body, const int32_t *nodes, const Point *point, void *data)
{
    Errors *errors = data;
    const double *u = verify_body_displacements(body);
    double difference[3], G[3][3];
    solution(point->X, difference);
    solution_gradient(point->X, G);
    for (int n = 0; n < lyra_element_kind_nodes(body->view.kind); ++n) {
        for (int i = 0; i < 3; ++i) {
            double value = u[3 * (int64_t)nodes[n] + i];
            difference[i] -= point->N[n] * value;
            for (int j = 0; j < 3; ++j) {
                G[i][j] -= point->dN[n][j] * value;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        errors->squares[0] += point->weight * difference[i] * difference[i];
        for (int j = 0; j < 3; ++j) {
            errors->squares[1] += point->weight * G[i][j] * G[i][j];
        }
    }
}

static LyraStatus solve(VerifyBody *body, Stress *stress, double errors[2])
{
    for (int axis = 0; axis < 3; ++axis) {
        VERIFY_TRY(verify_hold_plane(body, axis, 0, "xyz"));
        VERIFY_TRY(verify_hold_plane(body, axis, 1, "xyz"));
    }
    for (int64_t v = 0; v < body->view.vertex_count; ++v) {
        solution(body->view.positions + 3 * v, body->held + 3 * v);
    }
    size_t size = 3 * (size_t)body->view.vertex_count * sizeof(double);
    Load load = {.stress = stress, .force = memset(cli_allocate(size), 0, size)};
    integrate(body, add_load, &load);
    LyraStatus status = lyra_model_set_force(body->model, load.force);
    free(load.force);
    VERIFY_TRY(status);
    VERIFY_TRY(verify_body_solve(body, NULL));
    Errors sums = {{0}};
    integrate(body, add_error, &sums);
    errors[0] = sqrt(sums.squares[0]);
    errors[1] = sqrt(sums.squares[1]);
    return LYRA_OK;
}

static LyraStatus solve_mesh(LyraContext *ctx, const Elements *elements, int32_t n, int law,
                             double errors[2])
{
    const int32_t cells[3] = {n, n, n};
    static const double unit[3] = {1, 1, 1};
    LyraMesh *mesh = NULL;
    VERIFY_TRY(verify_box(ctx, elements->kind, cells, unit, &mesh));
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = laws[law].model;
    def.solid.volumetric = elements->volumetric;
    def.solid.young = YOUNG;
    def.solid.poisson = POISSON;
    // 1e-6 in displacements, far below the error
    def.integrator.newton = lyra_newton_def_default();
    VerifyBody body;
    VERIFY_TRY(verify_body_create(ctx, &def, &body));
    LyraStatus status = solve(&body, laws[law].stress, errors);
    verify_body_end(&body);
    return status;
}

// ---- the case -----------------------------------------------------------------------------------

static LyraStatus check_law(Verify *verify, const Elements *elements, int law, VerifyPlot *plot)
{
    enum { LEVELS = 3 };
    const int32_t first = verify->quick ? elements->quick_cells : elements->cells;
    const int32_t cells[LEVELS] = {first, 2 * first, 4 * first};
    const char *name = elements->name, *model = laws[law].model;
    double h[LEVELS], errors[2][LEVELS];
    for (int k = 0; k < LEVELS; ++k) {
        double both[2];
        VERIFY_TRY(solve_mesh(verify->ctx, elements, cells[k], law, both));
        h[k] = 1.0 / cells[k];
        errors[0][k] = both[0];
        errors[1][k] = both[1];
    }
    int c = LEVELS - 2, f = LEVELS - 1;
    double slack = (verify->quick ? 0.1 : 0.05) + elements->slack;
    verify_absolute(verify, elements->order, verify_order(h[c], errors[0][c], h[f], errors[0][f]),
                    slack, "%s, %s, h = 1/%d and 1/%d: order in L2", name, model, cells[c],
                    cells[f]);
    verify_absolute(verify, elements->order - 1,
                    verify_order(h[c], errors[1][c], h[f], errors[1][f]), slack,
                    "%s, %s, h = 1/%d and 1/%d: order in H1", name, model, cells[c], cells[f]);
    // stvk would hide the others
    if (plot && laws[law].stress != stress_stvk) {
        verify_series(plot, LEVELS, h, errors[0], "%s, %s, L2", name, model);
        verify_series(plot, LEVELS, h, errors[1], "%s, %s, H1", name, model);
    }
    return LYRA_OK;
}

static LyraStatus run_order(Verify *verify)
{
    verify_note(verify,
                "A smooth displacement is made a solution by its body force; slopes of the "
                "error of displacements (L2, by theory 2, and 3 of tets of 10 nodes) and of their "
                "gradients (H1, one less).");
    VerifyPlot *plot = verify_plot(verify, "order_h", "Manufactured solutions", "cell / edge",
                                   "norm of the error", true, true);
    for (size_t k = 0; k < sizeof all_elements / sizeof all_elements[0]; ++k) {
        const Elements *elements = &all_elements[k];
        bool standard = elements->volumetric == LYRA_VOLUMETRIC_STANDARD;
        for (int law = 0; law < LAWS; ++law) {
            // "linear" takes volumes by the standard way alone; StVK, whose shear and volume go
            // together, is not stable at these strains with another
            if (standard || laws[law].stress == stress_neo_hookean) {
                VERIFY_TRY(check_law(verify, elements, law, standard ? plot : NULL));
            }
        }
    }
    return LYRA_OK;
}

const VerifyCase verify_order_cases[] = {
    {"order-h", "statics", "Order in the size of elements by manufactured solutions", true,
     run_order},
    {0},
};
