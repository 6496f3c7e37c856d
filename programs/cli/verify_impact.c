// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Taylor's bar: a rod of copper, 32.4 mm long with a radius of 3.2 mm, meets a rigid wall without
// friction at 227 m/s; E = 117 GPa, nu = 0.35, 8930 kg/m^3, strength 0.4 GPa, hardening 0.1 GPa. A
// quarter of it, of hexahedra with mean dilatation, moves by central differences for 80 us.
//
// A section has 3 n^2 elements: a core of n x n, and n layers around its two outer sides.

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define LENGTH 32.4e-3
#define RADIUS 3.2e-3
#define SPEED 227.0
#define DURATION 80e-6
#define DENSITY 8930.0

// ---- the mesh -----------------------------------------------------------------------------------

// number of node k of ray r of a section: 0 lies on the edge of the core
static int32_t find_node(int32_t n, int32_t r, int32_t k)
{
    int32_t i = r <= n ? n : 2 * n - r, j = r <= n ? r : n;
    return k == 0 ? j * (n + 1) + i : (n + 1) * (n + 1) + r * n + k - 1;
}

static void place_section(int32_t n, double *xy)
{
    const double core = 0.55 * RADIUS;
    for (int32_t v = 0; v < (n + 1) * (n + 1); ++v) {
        double x = (double)(v % (n + 1)) / n, y = (double)(v / (n + 1)) / n;
        // sides that bulge a little
        xy[2 * v] = core * x * (1 - 0.15 * y * y);
        xy[2 * v + 1] = core * y * (1 - 0.15 * x * x);
    }
    for (int32_t r = 0; r <= 2 * n; ++r) {
        const double *inner = xy + 2 * find_node(n, r, 0);
        double angle = 0.25 * PI * r / n, outer[2] = {RADIUS * cos(angle), RADIUS * sin(angle)};
        for (int32_t k = 1; k <= n; ++k) {
            double *at = xy + 2 * find_node(n, r, k), share = (double)k / n;
            for (int i = 0; i < 2; ++i) {
                at[i] = (1 - share) * inner[i] + share * outer[i];
            }
        }
    }
}

static void fill_section(int32_t n, int32_t *quads)
{
    for (int32_t c = 0; c < n * n; ++c) {
        int32_t corner = c / n * (n + 1) + c % n;
        const int32_t quad[4] = {corner, corner + 1, corner + n + 2, corner + n + 1};
        memcpy(quads + 4 * c, quad, sizeof quad);
    }
    for (int32_t c = 0; c < 2 * n * n; ++c) {
        int32_t r = c / n, k = c % n;
        const int32_t quad[4] = {find_node(n, r, k), find_node(n, r, k + 1),
                                 find_node(n, r + 1, k + 1), find_node(n, r + 1, k)};
        memcpy(quads + 4 * (n * n + c), quad, sizeof quad);
    }
}

static LyraStatus make_rod(LyraContext *ctx, int32_t n, LyraMesh **out)
{
    int32_t layers = 16 * n, nodes = (n + 1) * (n + 1) + (2 * n + 1) * n, cells = 3 * n * n;
    double *xy = cli_allocate(2 * (size_t)nodes * sizeof *xy);
    double *x = cli_allocate(3 * (size_t)nodes * (layers + 1) * sizeof *x);
    int32_t *quads = cli_allocate(4 * (size_t)cells * sizeof *quads);
    int32_t *elements = cli_allocate(8 * (size_t)cells * layers * sizeof *elements);
    place_section(n, xy);
    fill_section(n, quads);
    for (int32_t v = 0; v < nodes * (layers + 1); ++v) {
        x[3 * v] = xy[2 * (v % nodes)];
        x[3 * v + 1] = xy[2 * (v % nodes) + 1];
        x[3 * v + 2] = LENGTH * (v / nodes) / layers;
    }
    for (int32_t i = 0; i < 8 * cells * layers; ++i) {
        int32_t layer = i / (8 * cells), cell = i / 8 % cells, corner = i % 8;
        elements[i] = quads[4 * cell + corner % 4] + nodes * (layer + corner / 4);
    }
    LyraMeshMaterial material = lyra_mesh_material_default();
    material.density = DENSITY;
    LyraMeshView view = {.kind = LYRA_ELEMENT_HEX8,
                         .vertex_count = nodes * (layers + 1),
                         .element_count = cells * layers,
                         .positions = x,
                         .elements = elements,
                         .material_count = 1,
                         .materials = &material};
    LyraStatus status = lyra_mesh_create(ctx, &view, out);
    free(xy);
    free(x);
    free(quads);
    free(elements);
    return status;
}

// ---- the impact ---------------------------------------------------------------------------------

typedef struct Impact {
    double length, radius;     // at the end, m; the radius at the wall
    double plastic, numerical; // over the energy at first
} Impact;

static LyraStatus hit(VerifyBody *body, int32_t n, Impact *out)
{
    // the elements at the wall are pressed to a few tenths; with twice the step they gain energy
    const double dt = 0.05 * LENGTH / (16 * n) / 4600;
    const int32_t steps = (int32_t)ceil(DURATION / dt);
    LyraStateView state = lyra_state_view(body->state);
    double energy = 0;
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        bool wall = verify_on_plane(body, v, 2, 0);
        lyra_vector_values_mutable(state.v)[3 * v + 2] = wall ? 0 : -SPEED;
        energy += wall ? 0 : 0.5 * body->masses[v] * SPEED * SPEED;
    }
    *out = (Impact){0};
    for (int32_t s = 0; s < steps; ++s) {
        LyraStepReport report;
        VERIFY_TRY(lyra_integrator_step(body->integrator, body->state, DURATION / steps, &report));
        out->plastic += report.plastic / energy;
        out->numerical += report.numerical / energy;
    }
    const double *X = body->view.positions, *u = verify_body_displacements(body);
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        out->length = fmax(out->length, X[3 * v + 2] + u[3 * v + 2]);
        double r = hypot(X[3 * v] + u[3 * v], X[3 * v + 1] + u[3 * v + 1]);
        out->radius = verify_on_plane(body, v, 2, 0) ? fmax(out->radius, r) : out->radius;
    }
    return LYRA_OK;
}

static LyraStatus strike(LyraContext *ctx, int32_t n, Impact *out)
{
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    LyraMesh *mesh = NULL;
    VerifyBody body;
    plasticity.yield_stress = 0.4e9;
    plasticity.hardening = 0.1e9;
    plasticity.flow_limit = 100;
    VERIFY_TRY(make_rod(ctx, n, &mesh));
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = "hencky";
    def.solid.young = 117e9;
    def.solid.poisson = 0.35;
    def.solid.plasticity = &plasticity;
    def.solid.volumetric = LYRA_VOLUMETRIC_MEAN;
    def.integrator.name = "central-differences";
    def.integrator.critical = LYRA_CRITICAL_IGNORE;
    VERIFY_TRY(verify_body_create(ctx, &def, &body));
    LyraStatus status = verify_hold_plane(&body, 0, 0, "x");
    status = status ? status : verify_hold_plane(&body, 1, 0, "y");
    status = status ? status : verify_hold_plane(&body, 2, 0, "z");
    status = status ? status : hit(&body, n, out);
    verify_body_end(&body);
    return status;
}

static LyraStatus run_taylor(Verify *verify)
{
    verify_note(
        verify,
        "A copper rod of 32.4 mm length and 3.2 mm radius meets a wall without friction at "
        "227 m/s: E = 117 GPa, nu = 0.35, 8930 kg/m^3, strength 0.4 GPa, hardening 0.1 GPa, "
        "80 us. Geometry and speed are those of the technology showcase of Ansys on a metal bar "
        "and a rigid wall; the finite-strain validation of Ladruno, a fork of OpenSees, has all of "
        "it, quotes 0.66 of the length (21.4 mm) and 2.2 radii (7.04 mm) as published, and finds "
        "21.7 and 6.9 mm with a coarse mesh. A quarter, hexahedra with mean dilatation, central "
        "differences.");
    Impact impacts[3];
    int levels = verify->quick ? 1 : 3;
    for (int level = 0; level < levels; ++level) {
        int32_t n = 2 + level;
        Impact *i = &impacts[level];
        VERIFY_TRY(strike(verify->ctx, n, i));
        // what is published has two digits
        verify_relative(verify, 21.4, 1e3 * i->length, 0.015, "%d elements: length, mm",
                        48 * n * n * n);
        verify_relative(verify, 7.04, 1e3 * i->radius, 0.025, "%d elements: radius at the wall, mm",
                        48 * n * n * n);
        verify_range(verify, 0.85, 0.95, i->plastic, "%d elements: energy lost by flow, share",
                     48 * n * n * n);
        verify_absolute(verify, 0, i->numerical, 1e-3, "%d elements: numerical energy, share",
                        48 * n * n * n);
    }
    if (levels == 3) {
        // each change is less than the one before: the meshes converge
        const Impact *i = impacts;
        verify_range(verify, 0, 1, (i[2].length - i[1].length) / (i[1].length - i[0].length),
                     "length: last change over the one before");
        verify_range(verify, 0, 1, (i[2].radius - i[1].radius) / (i[1].radius - i[0].radius),
                     "radius: last change over the one before");
    }
    return LYRA_OK;
}

const VerifyCase verify_impact_cases[] = {
    {"plastic-impact", "plastic", "Taylor's bar: a copper rod against a wall", true, run_taylor},
    {0},
};
