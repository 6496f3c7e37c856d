// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A thick sphere under pressure from inside, nearly incompressible. Lame's solution is
//
//   u_r = A r + B/r^2,  A = p a^3/(3 K (b^3 - a^3)),  B = p a^3 b^3/(4 mu (b^3 - a^3)),
//
// and as nu goes to 1/2 the first part goes to zero: the wall moves at the volume it has. An eighth
// is held on its planes of symmetry; tets are six in each of its hexahedra, of tets of 10 nodes the
// edges on the two spheres are curved, and the pressure acts on faces of six nodes.
//
// The laws are those of large strain under a pressure of 1e-7 E.

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INNER 1.0
#define OUTER 2.0
#define PRESSURE 1e-7
#define POISSON 0.4999

// ---- meshes -------------------------------------------------------------------------------------

// corner c of cell (i, j) of face f of the cube [0, n]^3 that lies away from the origin
static int32_t find_corner(int32_t n, int f, int32_t i, int32_t j, int c, int32_t at[3])
{
    at[f] = n;
    at[(f + 1) % 3] = i + (c == 1 || c == 2);
    at[(f + 2) % 3] = j + (c >= 2);
    return (at[2] * (n + 1) + at[1]) * (n + 1) + at[0];
}

// rays through the grid points of a cube
LyraStatus verify_hollow_sphere(LyraContext *ctx, int32_t n, double inner, double outer,
                                LyraMesh **out)
{
    int32_t rays = (n + 1) * (n + 1) * (n + 1) - n * n * n, found = 0;
    int32_t *number = cli_allocate((size_t)(n + 1) * (n + 1) * (n + 1) * sizeof *number);
    int32_t *elements = cli_allocate(3 * (size_t)n * n * n * 8 * sizeof *elements);
    double *x = cli_allocate(3 * (size_t)rays * (n + 1) * sizeof *x);
    memset(number, 0xff, (size_t)(n + 1) * (n + 1) * (n + 1) * sizeof *number);
    int32_t *element = elements;
    for (int32_t cell = 0; cell < 3 * n * n; ++cell) {
        int32_t ray[4], at[3];
        for (int c = 0; c < 4; ++c) {
            int32_t key = find_corner(n, cell / (n * n), cell / n % n, cell % n, c, at);
            if (number[key] < 0) {
                number[key] = found++;
            }
            ray[c] = number[key];
            // equal angles rather than equal lengths
            double d[3], length = 0;
            for (int i = 0; i < 3; ++i) {
                d[i] = tan(0.25 * 3.14159265358979323846 * at[i] / n);
                length += d[i] * d[i];
            }
            for (int32_t k = 0; k <= n; ++k) {
                double r = inner + (outer - inner) * k / n;
                for (int i = 0; i < 3; ++i) {
                    x[3 * ((int64_t)k * rays + ray[c]) + i] = r * d[i] / sqrt(length);
                }
            }
        }
        for (int32_t k = 0; k < n; ++k) {
            for (int c = 0; c < 8; ++c) {
                *element++ = (k + c / 4) * rays + ray[c % 4];
            }
        }
    }
    LyraMeshView view = {.kind = LYRA_ELEMENT_HEX8,
                         .vertex_count = rays * (n + 1),
                         .element_count = 3 * n * n * n,
                         .positions = x,
                         .elements = elements};
    LyraStatus status = lyra_mesh_create(ctx, &view, out);
    free(number);
    free(elements);
    free(x);
    return status;
}

// six tets in each hexahedron, all from its lowest vertex, so that neighbours cut their face alike
static LyraStatus cut_hexahedra(LyraContext *ctx, LyraMesh **mesh)
{
    LyraMeshView view = lyra_mesh_view(*mesh);
    int32_t *tets = cli_allocate(24 * (size_t)view.element_count * sizeof *tets), count = 0;
    for (int32_t e = 0; e < view.element_count; ++e) {
        const int32_t *v = view.elements + 8 * (int64_t)e;
        int32_t least = v[0];
        for (int c = 1; c < 8; ++c) {
            least = v[c] < least ? v[c] : least;
        }
        for (int32_t f = 0; f < 6; ++f) {
            const int32_t *face = lyra_element_kind_face(LYRA_ELEMENT_HEX8, f);
            int32_t low = 0;
            for (int32_t c = 1; c < 4; ++c) {
                low = v[face[c]] < v[face[low]] ? c : low;
            }
            for (int half = 0; v[face[low]] != least && half < 2; ++half) {
                // faces run counter-clockwise from outside
                int32_t *tet = tets + 4 * count++;
                tet[0] = v[face[low]];
                tet[1] = v[face[(low + 2 + half) % 4]];
                tet[2] = v[face[(low + 1 + half) % 4]];
                tet[3] = least;
            }
        }
    }
    view.kind = LYRA_ELEMENT_TET4;
    view.elements = tets;
    view.element_count = count;
    LyraMesh *cut = NULL;
    LyraStatus status = lyra_mesh_create(ctx, &view, &cut);
    free(tets);
    if (status == LYRA_OK) {
        lyra_mesh_destroy(*mesh);
        *mesh = cut;
    }
    return status;
}

static double radius_of(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static bool is_at(const double *x, double radius)
{
    return fabs(radius_of(x) - radius) < 1e-9;
}

// middles between two vertices of one sphere go onto it
static LyraStatus curve_edges(LyraContext *ctx, LyraMesh **mesh)
{
    LyraMesh *quadratic = NULL, *curved = NULL;
    VERIFY_TRY(lyra_mesh_quadratic(*mesh, &quadratic));
    LyraMeshView view = lyra_mesh_view(quadratic);
    size_t bytes = 3 * (size_t)view.vertex_count * sizeof(double);
    double *x = memcpy(cli_allocate(bytes), view.positions, bytes);
    for (int32_t n = 0; n < 6 * view.element_count; ++n) {
        const int32_t *v = view.elements + 10 * (int64_t)(n / 6);
        const int32_t *ends = lyra_element_kind_edge(LYRA_ELEMENT_TET10, n % 6);
        const double *a = view.positions + 3 * (int64_t)v[ends[0]];
        const double *b = view.positions + 3 * (int64_t)v[ends[1]];
        bool inside = is_at(a, INNER) && is_at(b, INNER);
        if (inside || (is_at(a, OUTER) && is_at(b, OUTER))) {
            int64_t middle = 3 * (int64_t)v[4 + n % 6];
            double r = radius_of(view.positions + middle);
            for (int i = 0; i < 3; ++i) {
                x[middle + i] = view.positions[middle + i] * (inside ? INNER : OUTER) / r;
            }
        }
    }
    view.positions = x;
    LyraStatus status = lyra_mesh_create(ctx, &view, &curved);
    free(x);
    lyra_mesh_destroy(quadratic);
    if (status == LYRA_OK) {
        lyra_mesh_destroy(*mesh);
        *mesh = curved;
    }
    return status;
}

static LyraStatus make_mesh(LyraContext *ctx, LyraElementKind kind, int32_t n, LyraMesh **out)
{
    LyraMesh *mesh = NULL;
    VERIFY_TRY(verify_hollow_sphere(ctx, n, INNER, OUTER, &mesh));
    LyraStatus status = kind == LYRA_ELEMENT_HEX8 ? LYRA_OK : cut_hexahedra(ctx, &mesh);
    if (status == LYRA_OK && kind == LYRA_ELEMENT_TET10) {
        status = curve_edges(ctx, &mesh);
    }
    if (status != LYRA_OK) {
        lyra_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return LYRA_OK;
}

// ---- loads --------------------------------------------------------------------------------------

// the faces of the inner sphere, of three or six nodes
static LyraStatus find_inside(const LyraMesh *mesh, LyraTractionDef *def)
{
    LyraMeshBoundary *boundary = NULL;
    bool curved = lyra_mesh_view(mesh).kind == LYRA_ELEMENT_TET10;
    VERIFY_TRY(lyra_mesh_boundary_create(mesh, !curved, &boundary));
    LyraMeshBoundaryView view = lyra_mesh_boundary_view(boundary);
    const double *X = lyra_mesh_view(mesh).positions;
    int32_t *faces = cli_allocate((size_t)view.face_count * (size_t)view.nodes * sizeof *faces);
    for (int32_t f = 0; f < view.face_count; ++f) {
        const int32_t *face = view.faces + view.nodes * (int64_t)f;
        if (is_at(X + 3 * face[0], INNER) && is_at(X + 3 * face[1], INNER) &&
            is_at(X + 3 * face[2], INNER)) {
            memcpy(faces + view.nodes * def->triangle_count++, face,
                   (size_t)view.nodes * sizeof *face);
        }
    }
    def->nodes = view.nodes;
    def->triangles = faces;
    lyra_mesh_boundary_destroy(boundary);
    return LYRA_OK;
}

// mean displacement outwards of the inner sphere, over Lame's
static LyraStatus inflate(LyraContext *ctx, const LyraSolidDef *solid, LyraElementKind kind,
                          int32_t n, double *share)
{
    LyraMesh *mesh = NULL;
    LyraTractionDef traction = lyra_traction_def_default();
    VERIFY_TRY(make_mesh(ctx, kind, n, &mesh));
    LyraStatus status = find_inside(mesh, &traction);
    if (status != LYRA_OK) {
        lyra_mesh_destroy(mesh);
        return status;
    }
    traction.kind = LYRA_TRACTION_PRESSURE;
    traction.pressure = PRESSURE;
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid = *solid;
    def.traction = &traction;
    def.integrator.newton = lyra_newton_def_default();
    VerifyBody body;
    status = verify_body_create(ctx, &def, &body);
    free((void *)traction.triangles);
    VERIFY_TRY(status);
    static const char *const axes[] = {"x", "y", "z"};
    for (int i = 0; i < 3 && status == LYRA_OK; ++i) {
        status = verify_hold_plane(&body, i, 0, axes[i]);
    }
    status = status == LYRA_OK ? verify_body_solve(&body, NULL) : status;
    const double *X = body.view.positions, *u = verify_body_displacements(&body);
    double sum = 0, K = 1 / (3 * (1 - 2 * POISSON)), mu = 0.5 / (1 + POISSON);
    int32_t count = 0;
    for (int64_t v = 0; v < body.view.vertex_count; ++v) {
        if (is_at(X + 3 * v, INNER)) {
            sum +=
                (X[3 * v] * u[3 * v] + X[3 * v + 1] * u[3 * v + 1] + X[3 * v + 2] * u[3 * v + 2]) /
                INNER;
            ++count;
        }
    }
    double a3 = pow(INNER, 3), b3 = pow(OUTER, 3), p = PRESSURE * a3 / (b3 - a3);
    *share = sum / count / (p / (3 * K) * INNER + p * b3 / (4 * mu) / (INNER * INNER));
    verify_body_end(&body);
    return status;
}

// ---- the case -----------------------------------------------------------------------------------

typedef struct Row {
    const char *name;
    LyraElementKind kind;
    LyraVolumetric volumetric;
    bool locks;
} Row;

static const Row rows[] = {
    {"tets", LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_STANDARD, true},
    {"tets, nodal pressure", LYRA_ELEMENT_TET4, LYRA_VOLUMETRIC_NODAL, false},
    {"hexahedra", LYRA_ELEMENT_HEX8, LYRA_VOLUMETRIC_STANDARD, true},
    {"hexahedra, mean dilatation", LYRA_ELEMENT_HEX8, LYRA_VOLUMETRIC_MEAN, false},
    {"tets of 10 nodes", LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_STANDARD, false},
    {"tets of 10 nodes, mean dilatation", LYRA_ELEMENT_TET10, LYRA_VOLUMETRIC_MEAN, false},
};

static LyraStatus run_sphere(Verify *verify)
{
    verify_note(verify, "An eighth of a sphere with b = 2 a, nu = 0.4999, under pressure from "
                        "inside: mean displacement of the inner sphere over that of Lame's "
                        "solution, and its limit of order 2 from the two finest meshes. Linear "
                        "tets and hexahedra that take the volume at each point lock.");
    LyraSolidDef solid = lyra_solid_def_default();
    solid.model = "neo-hookean";
    solid.young = 1;
    solid.poisson = POISSON;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        const Row *row = &rows[r];
        int32_t coarsest = row->kind == LYRA_ELEMENT_TET10 ? 1 : 2;
        double shares[3];
        int levels = verify->quick ? 2 : 3;
        solid.volumetric = row->volumetric;
        for (int level = 0; level < levels; ++level) {
            int32_t n = coarsest << level;
            VERIFY_TRY(inflate(verify->ctx, &solid, row->kind, n, &shares[level]));
            verify_information(verify, 1, shares[level], "%s, %d through the wall: u / theory",
                               row->name, n);
        }
        if (!row->locks) {
            // what is left is of order 3 and 4 in n
            verify_relative(verify, 1, verify_limit(shares[levels - 2], shares[levels - 1]),
                            verify->quick ? 5e-3 : 2e-3, "%s, limit: u / theory", row->name);
        }
    }
    return LYRA_OK;
}

const VerifyCase verify_sphere_cases[] = {
    {"thick-sphere", "statics", "Thick sphere under pressure at nu = 0.4999", true, run_sphere},
    {0},
};
