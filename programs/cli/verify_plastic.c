// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Plastic flow against closed forms, by statics of small bodies of the law "hencky" with von Mises.
// E = mu (3 lambda + 2 mu)/(lambda + mu); strains are logarithms, tau is Kirchhoff's stress.
//
//   uniaxial           tau = sy + E H/(E + H) (e - sy/E),   alpha = (tau - sy)/H;
//   back again         kinematic hardening Hk: elastic over 2 (sy + H alpha), then the same slope;
//   at a rate r        tau -> sy + 3/2 eta r;
//   simple shear       rigid-plastic flow has tau_12 = sy/sqrt(3); numbers for given steps are from
//                      the return map itself, evaluated by another program;
//   tube, sphere       inner pressure at which all of it flows, [Hil50]: 2/sqrt(3) sy ln(b/a) in
//                      plane strain, 2 sy ln(b/a), with the radii as they are then;
//   bending            M/M_y = 3/2 - (k_y/k)^2/2 for curvatures k from that of first yield, k_y.

#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- bodies -------------------------------------------------------------------------------------

// Settings of a body that flows.
typedef struct Flow {
    double lambda, mu;
    LyraPlasticityDef plasticity;
    bool mean; // mean dilatation
} Flow;

static Flow make_flow(double lambda, double mu, double yield)
{
    Flow flow = {lambda, mu, lyra_plasticity_def_default(), false};
    flow.plasticity.yield_stress = yield;
    flow.plasticity.flow_limit = 100;
    return flow;
}

// takes the mesh
static LyraStatus make_body(LyraContext *ctx, LyraMesh *mesh, const Flow *flow, VerifyBody *body)
{
    const LyraElasticConstant constants[2] = {{"lambda", flow->lambda}, {"mu", flow->mu}};
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = "hencky";
    def.solid.constants = constants;
    def.solid.constant_count = 2;
    def.solid.plasticity = &flow->plasticity;
    def.solid.volumetric = flow->mean ? LYRA_VOLUMETRIC_MEAN : LYRA_VOLUMETRIC_STANDARD;
    return verify_body_create(ctx, &def, body);
}

// a unit cube of 2 x 2 x 2 cells, tets with their inner vertex moved
static LyraStatus make_block(LyraContext *ctx, LyraElementKind kind, const Flow *flow,
                             VerifyBody *body)
{
    static const int32_t cells[3] = {2, 2, 2};
    static const double unit[3] = {1, 1, 1};
    LyraMesh *mesh = NULL;
    VERIFY_TRY(verify_box(ctx, kind, cells, unit, &mesh));
    if (kind == LYRA_ELEMENT_TET4) {
        LyraStatus status = verify_distort(ctx, unit, 0.1, &mesh);
        if (status != LYRA_OK) {
            lyra_mesh_destroy(mesh);
            return status;
        }
    }
    return make_body(ctx, mesh, flow, body);
}

// mean over stencils and points of a number that the material remembers; names of further points
// have a number behind
static LyraStatus remembered(const VerifyBody *body, const char *name, double *mean)
{
    int32_t forces = 0, found = 0;
    const LyraForce *force = lyra_solid_forces(body->solid, &forces)[0];
    const LyraForceType *type = lyra_force_type(force);
    int32_t count = lyra_force_view(force).stencil_count;
    double *values = cli_allocate((size_t)count * sizeof *values), sum = 0;
    LyraStatus status = LYRA_OK;
    for (int32_t place = 0; place < type->history_count && status == LYRA_OK; ++place) {
        if (strncmp(type->history_names[place], name, strlen(name)) == 0) {
            status = lyra_model_read_history(body->model, 0, body->state, place, values);
            for (int32_t i = 0; i < count && status == LYRA_OK; ++i, ++found) {
                sum += values[i];
            }
        }
    }
    free(values);
    *mean = sum / found;
    return status;
}

static const char *const kind_names[] = {"tets", "cubes", "tets of 10 nodes", "hexahedra"};

// ---- uniaxial stress ----------------------------------------------------------------------------

static LyraStatus hold_uniaxial(VerifyBody *body)
{
    VERIFY_TRY(verify_hold_plane(body, 0, 0, "x"));
    VERIFY_TRY(verify_hold_plane(body, 1, 0, "y"));
    VERIFY_TRY(verify_hold_plane(body, 2, 0, "z"));
    return verify_hold_plane(body, 0, 1, "x");
}

// a step to the axial strain e; the axial stress tau there
static LyraStatus pull(LyraContext *ctx, VerifyBody *body, double e, double dt, double *tau)
{
    double reaction[3];
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        body->held[3 * v] = verify_on_plane(body, v, 0, 1) ? exp(e) - 1 : 0;
    }
    VERIFY_TRY(lyra_integrator_step(body->integrator, body->state, dt, NULL));
    VERIFY_TRY(verify_plane_reaction(ctx, body, 0, 1, reaction));
    *tau = reaction[0] * exp(e);
    return LYRA_OK;
}

// out to 0.3 in some steps, and, with kinematic hardening, back into flow the other way
static LyraStatus harden(Verify *verify, VerifyBody *body, const Flow *flow, int32_t steps,
                         const char *what)
{
    const double E = flow->mu * (3 * flow->lambda + 2 * flow->mu) / (flow->lambda + flow->mu);
    const double sy = flow->plasticity.yield_stress, Hk = flow->plasticity.kinematic_hardening;
    const double H = flow->plasticity.hardening + Hk, slope = E * H / (E + H);
    const double top = sy + slope * (0.3 - sy / E), flowed = (top - sy) / H;
    double tau = NAN, alpha = NAN;
    for (int32_t i = 1; i <= steps; ++i) {
        VERIFY_TRY(pull(verify->ctx, body, 0.3 * i / steps, 1, &tau));
    }
    VERIFY_TRY(remembered(body, "equivalent-plastic-strain", &alpha));
    verify_relative(verify, top, tau, 1e-9, "%s, steps %d: tau at strain 0.3, Pa", what, steps);
    verify_relative(verify, flowed, alpha, 1e-9, "%s, steps %d: alpha", what, steps);
    if (Hk > 0) {
        double reach = 2 * (sy + flow->plasticity.hardening * alpha);
        double expected = top - reach - 0.1 * slope;
        VERIFY_TRY(pull(verify->ctx, body, 0.3 - reach / E - 0.1, 1, &tau));
        verify_relative(verify, expected, tau, 1e-9, "%s: tau on the way back, Pa", what);
    }
    return LYRA_OK;
}

static LyraStatus run_uniaxial(Verify *verify)
{
    verify_note(verify,
                "A cube with mu = 3, lambda = 5 (E = 7.875 Pa), strength 0.4 Pa, hardening 0.7 Pa, "
                "is pulled to a logarithmic strain of 0.3 with free sides. The update is implicit "
                "and the path does not turn, so one step gives what fifty give. Kinematic: 0.2 of "
                "the hardening isotropic, 0.5 by a backstress; then back until it has flowed the "
                "other way. Rates: strength 0.1 Pa, viscosity of flow 0.2 Pa s, no hardening.");
    static const int32_t steps[] = {1, 7, 50};
    for (int kind = 0; kind <= LYRA_ELEMENT_HEX8; ++kind) {
        for (int kinematic = 0; kinematic < 2; ++kinematic) {
            Flow flow = make_flow(5, 3, 0.4);
            flow.plasticity.hardening = kinematic ? 0.2 : 0.7;
            flow.plasticity.kinematic_hardening = kinematic ? 0.5 : 0;
            for (int s = kinematic; s < (kinematic || verify->quick ? 2 : 3); ++s) {
                VerifyBody body;
                char what[64];
                snprintf(what, sizeof what, "%s%s", kind_names[kind],
                         kinematic ? ", kinematic" : "");
                VERIFY_TRY(make_block(verify->ctx, (LyraElementKind)kind, &flow, &body));
                LyraStatus status = hold_uniaxial(&body);
                status = status ? status : harden(verify, &body, &flow, steps[s], what);
                verify_body_end(&body);
                VERIFY_TRY(status);
            }
        }
    }
    static const double rates[] = {0.05, 0.5, 2};
    for (int r = 0; r < 3; ++r) {
        Flow flow = make_flow(5, 3, 0.1);
        flow.plasticity.viscosity = 0.2;
        VerifyBody body;
        double tau = NAN;
        VERIFY_TRY(make_block(verify->ctx, LYRA_ELEMENT_CUBE8, &flow, &body));
        LyraStatus status = hold_uniaxial(&body);
        // strain 2 at any rate: the transient, of eta/(2 mu) s, is over
        for (int i = 1; i <= 40 && status == LYRA_OK; ++i) {
            status = pull(verify->ctx, &body, 0.05 * i, 0.05 / rates[r], &tau);
        }
        verify_body_end(&body);
        VERIFY_TRY(status);
        verify_relative(verify, 0.1 + 1.5 * 0.2 * rates[r], tau, 1e-6,
                        "cubes, strain rate %g 1/s: tau, Pa", rates[r]);
    }
    return LYRA_OK;
}

// ---- simple shear -------------------------------------------------------------------------------

static LyraStatus shear(Verify *verify, VerifyBody *body, int32_t steps, double *tau, double *lost,
                        double *stored)
{
    *lost = 0;
    for (int32_t i = 1; i <= steps; ++i) {
        LyraStepReport report;
        for (int32_t v = 0; v < body->view.vertex_count; ++v) {
            body->held[3 * v] = body->view.positions[3 * v + 1] * i / steps;
        }
        VERIFY_TRY(lyra_integrator_step(body->integrator, body->state, 1, &report));
        *lost += report.dissipated;
        *stored = report.elastic;
    }
    double reaction[3];
    VERIFY_TRY(verify_plane_reaction(verify->ctx, body, 1, 1, reaction));
    *tau = reaction[0];
    return LYRA_OK;
}

static LyraStatus run_shear(Verify *verify)
{
    verify_note(verify,
                "A cube of mu = lambda = 1 Pa and strength 0.01 Pa, no hardening, all vertices "
                "held, is sheared to 1 in 10, 100 and 1000 steps. The references are the update at "
                "one point by another program (numpy): flow is of first order in the step. Stored "
                "is sy^2/(6 mu) per volume.");
    static const double stress[] = {0.576455, 0.577317, 0.577339};
    static const double dissipated[] = {5.7362e-3, 5.7399e-3, 5.74006e-3};
    int32_t steps = 10;
    for (int s = 0; s < 3; ++s, steps *= 10) {
        static const int32_t cells[3] = {1, 1, 1};
        static const double unit[3] = {1, 1, 1};
        Flow flow = make_flow(1, 1, 0.01);
        LyraMesh *mesh = NULL;
        VerifyBody body;
        double tau = NAN, lost = NAN, stored = NAN;
        VERIFY_TRY(verify_box(verify->ctx, LYRA_ELEMENT_CUBE8, cells, unit, &mesh));
        VERIFY_TRY(make_body(verify->ctx, mesh, &flow, &body));
        LyraStatus status = verify_hold_plane(&body, 1, 0, "xyz");
        status = status ? status : verify_hold_plane(&body, 1, 1, "xyz");
        status = status ? status : shear(verify, &body, steps, &tau, &lost, &stored);
        verify_body_end(&body);
        VERIFY_TRY(status);
        verify_absolute(verify, stress[s], tau / 0.01, 1e-6, "%d steps: tau_12/sy", steps);
        verify_relative(verify, dissipated[s], lost, 2e-5, "%d steps: dissipated, J", steps);
        verify_relative(verify, 1e-4 / 6, stored, 1e-5, "%d steps: stored, J", steps);
    }
    return LYRA_OK;
}

// ---- hollow bodies ------------------------------------------------------------------------------

#define INNER 1.0
#define OUTER 2.0

// replaces the positions of a mesh
static LyraStatus move_mesh(LyraContext *ctx, const double *positions, LyraMesh **mesh)
{
    LyraMeshView view = lyra_mesh_view(*mesh);
    LyraMesh *moved = NULL;
    view.positions = positions;
    VERIFY_TRY(lyra_mesh_create(ctx, &view, &moved));
    lyra_mesh_destroy(*mesh);
    *mesh = moved;
    return LYRA_OK;
}

// a quarter of a tube, n hexahedra across the wall
static LyraStatus make_tube(LyraContext *ctx, int32_t n, LyraMesh **out)
{
    const int32_t cells[3] = {n, 2 * n, 1};
    const double size[3] = {OUTER - INNER, 0.5 * PI, 1.0 / n};
    VERIFY_TRY(verify_box(ctx, LYRA_ELEMENT_HEX8, cells, size, out));
    LyraMeshView view = lyra_mesh_view(*out);
    size_t bytes = 3 * (size_t)view.vertex_count * sizeof(double);
    double *x = memcpy(cli_allocate(bytes), view.positions, bytes);
    for (int32_t v = 0; v < view.vertex_count; ++v) {
        double r = INNER + x[3 * v], angle = x[3 * v + 1];
        x[3 * v] = r * cos(angle);
        x[3 * v + 1] = r * sin(angle);
    }
    LyraStatus status = move_mesh(ctx, x, out);
    free(x);
    if (status != LYRA_OK) {
        lyra_mesh_destroy(*out);
    }
    return status;
}

// radius of a vertex about the axis of the tube, or the centre
static double radius_of(const double *x, bool sphere)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + (sphere ? x[2] * x[2] : 0));
}

// holds the planes of symmetry and the inner face
static LyraStatus hold_hollow(VerifyBody *body, bool sphere, double thickness)
{
    VERIFY_TRY(verify_hold_plane(body, 0, 0, "x"));
    VERIFY_TRY(verify_hold_plane(body, 1, 0, "y"));
    VERIFY_TRY(verify_hold_plane(body, 2, 0, "z"));
    if (!sphere) {
        VERIFY_TRY(verify_hold_plane(body, 2, thickness, "z"));
    }
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        if (radius_of(body->view.positions + 3 * v, sphere) < INNER * (1 + 1e-9)) {
            VERIFY_TRY(lyra_constraints_fix_vertices(lyra_model_constraints(body->model), 1, &v));
        }
    }
    return LYRA_OK;
}

// Widens the hole by the share `wide` and measures the pressure and the radii.
static LyraStatus widen(LyraContext *ctx, VerifyBody *body, bool sphere, double wide,
                        double thickness, double *pressure, double *ratio)
{
    const double *X = body->view.positions;
    int32_t count = body->view.vertex_count, outside = 0;
    for (int32_t v = 0; v < count; ++v) {
        bool inner = radius_of(X + 3 * v, sphere) < INNER * (1 + 1e-9);
        for (int i = 0; i < 3; ++i) {
            bool along = sphere || i < 2;
            body->held[3 * v + i] = inner && along ? wide * X[3 * v + i] : 0;
        }
    }
    VERIFY_TRY(verify_body_solve(body, NULL));
    LyraVector *vector = NULL;
    VERIFY_TRY(lyra_vector_create(ctx, 3 * count, &vector));
    LyraStatus status = lyra_integrator_reaction(body->integrator, body->state, vector);
    const double *f = lyra_vector_values(vector), *u = verify_body_displacements(body);
    double push = 0, outer = 0;
    for (int32_t v = 0; v < count; ++v) {
        double r = radius_of(X + 3 * v, sphere), at[3];
        if (r < INNER * (1 + 1e-9)) {
            // virtual work of the pressure, by the radius
            for (int i = 0; i < (sphere ? 3 : 2); ++i) {
                push += f[3 * v + i] * X[3 * v + i] / r;
            }
        } else if (r > OUTER * (1 - 1e-9)) {
            for (int i = 0; i < 3; ++i) {
                at[i] = X[3 * v + i] + u[3 * v + i];
            }
            outer += radius_of(at, sphere);
            ++outside;
        }
    }
    double a = INNER * (1 + wide);
    *pressure = push / (sphere ? 0.5 * PI * a * a : 0.5 * PI * a * thickness);
    *ratio = outer / outside / a;
    lyra_vector_destroy(vector);
    return status;
}

static LyraStatus burst(LyraContext *ctx, bool sphere, int32_t n, double *share)
{
    // E = 1e4 sy
    const double sy = 1, E = 1e4, nu = 0.3;
    Flow flow = make_flow(E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu)), sy);
    flow.mean = true;
    LyraMesh *mesh = NULL;
    VerifyBody body;
    double pressure = NAN, ratio = NAN;
    VERIFY_TRY(sphere ? verify_hollow_sphere(ctx, n, INNER, OUTER, &mesh)
                      : make_tube(ctx, n, &mesh));
    VERIFY_TRY(make_body(ctx, mesh, &flow, &body));
    LyraStatus status = hold_hollow(&body, sphere, 1.0 / n);
    // 0.004 is some ten times what makes the last of it flow
    for (int i = 1; i <= 8 && status == LYRA_OK; ++i) {
        status = widen(ctx, &body, sphere, 5e-4 * i, 1.0 / n, &pressure, &ratio);
    }
    verify_body_end(&body);
    *share = pressure / ((sphere ? 2 : 2 / sqrt(3)) * sy * log(ratio));
    return status;
}

static LyraStatus run_hollow(Verify *verify, bool sphere)
{
    verify_note(verify,
                "%s, b = 2 a, E = 1e4 sy, nu = 0.3, no hardening, hexahedra with mean dilatation, "
                "widened from inside until all of it flows. The pressure is that of the radii as "
                "they are then.",
                sphere ? "An eighth of a hollow sphere" : "A quarter of a tube in plane strain");
    double shares[2];
    for (int level = 0; level < 2; ++level) {
        int32_t n = (sphere ? 4 : 8) << level;
        VERIFY_TRY(burst(verify->ctx, sphere, n, &shares[level]));
        verify_relative(verify, 1, shares[level], level ? 3e-3 : 1e-2,
                        "%d hexahedra across the wall: pressure over the limit", n);
    }
    verify_relative(verify, 1, verify_limit(shares[0], shares[1]), 1e-3,
                    "limit of order 2: pressure over the limit");
    return LYRA_OK;
}

static LyraStatus run_tube(Verify *verify)
{
    return run_hollow(verify, false);
}

static LyraStatus run_sphere(Verify *verify)
{
    return run_hollow(verify, true);
}

// ---- bending ------------------------------------------------------------------------------------

// moments over M_y at some curvatures over k_y of a bar of n cubes through its depth
static LyraStatus bend(LyraContext *ctx, int32_t n, int32_t count, const double *curvatures,
                       double *moments)
{
    const double sy = 1, E = 1e4, nu = 0.3, h = 1.0 / n, size[3] = {h, 1, h};
    const int32_t cells[3] = {1, n, 1};
    Flow flow = make_flow(E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu)), sy);
    flow.mean = true;
    LyraMesh *mesh = NULL;
    VerifyBody body;
    VERIFY_TRY(verify_box(ctx, LYRA_ELEMENT_HEX8, cells, size, &mesh));
    VERIFY_TRY(make_body(ctx, mesh, &flow, &body));
    LyraStatus status = verify_hold_plane(&body, 0, 0, "x");
    status = status ? status : verify_hold_plane(&body, 0, h, "x");
    status = status ? status : verify_hold_plane(&body, 2, 0, "z");
    const double *X = body.view.positions;
    for (int32_t v = 0; v < body.view.vertex_count && status == LYRA_OK; ++v) {
        // the axis stays at its height
        if (fabs(X[3 * v + 1] - 0.5) < 1e-9 && fabs(X[3 * v]) < 1e-9) {
            status = lyra_constraints_fix_dofs(lyra_model_constraints(body.model), 1,
                                               &(int32_t){3 * v + 1});
        }
    }
    LyraVector *f = NULL;
    status = status ? status : lyra_vector_create(ctx, 3 * body.view.vertex_count, &f);
    for (int32_t k = 0; k < count && status == LYRA_OK; ++k) {
        // k_y = 2 sy/(E depth)
        double curvature = curvatures[k] * 2 * sy / E;
        for (int32_t v = 0; v < body.view.vertex_count; ++v) {
            body.held[3 * v] = curvature * X[3 * v] * (0.5 - X[3 * v + 1]);
        }
        status = verify_body_solve(&body, NULL);
        status = status ? status : lyra_integrator_reaction(body.integrator, body.state, f);
        moments[k] = 0;
        for (int32_t v = 0; v < body.view.vertex_count; ++v) {
            if (X[3 * v] > 0.5 * h) {
                moments[k] += lyra_vector_values(f)[3 * v] * (0.5 - X[3 * v + 1]) / (sy * h / 6);
            }
        }
    }
    lyra_vector_destroy(f);
    verify_body_end(&body);
    return status;
}

static LyraStatus run_bending(Verify *verify)
{
    verify_note(verify,
                "A slice of a bar of rectangular section in pure bending, cubes with mean "
                "dilatation, E = 1e4 sy, no hardening. The moment goes to 3/2 of that of first "
                "yield.");
    enum { COUNT = 6 };
    static const double curvatures[COUNT] = {0.5, 1, 2, 4, 8, 32};
    double moments[COUNT], exact[COUNT];
    for (int level = 0; level < 2; ++level) {
        int32_t n = 16 << (2 * level);
        VERIFY_TRY(bend(verify->ctx, n, COUNT, curvatures, moments));
        for (int k = 0; k < COUNT; ++k) {
            double c = curvatures[k];
            exact[k] = c < 1 ? c : 1.5 - 0.5 / (c * c);
            verify_relative(verify, exact[k], moments[k], level ? 1e-3 : 1e-2,
                            "%d cubes through the depth, curvature %g k_y: M/M_y", n, c);
        }
    }
    VerifyPlot *plot = verify_plot(verify, "plastic_bending", "Bending beyond yield",
                                   "curvature / k_y", "M / M_y", true, false);
    verify_series(plot, COUNT, curvatures, exact, "closed form");
    verify_series(plot, COUNT, curvatures, moments, "64 cubes");
    return LYRA_OK;
}

const VerifyCase verify_plastic_cases[] = {
    {"plastic-uniaxial", "plastic", "Flow with hardening and rates in uniaxial stress", true,
     run_uniaxial},
    {"plastic-shear", "plastic", "Flow in simple shear: stress, stored and lost energy", true,
     run_shear},
    {"plastic-bending", "plastic", "Bending beyond yield: M_p/M_y = 3/2", true, run_bending},
    {"plastic-tube", "plastic", "Limit pressure of a tube", true, run_tube},
    {"plastic-sphere", "plastic", "Limit pressure of a hollow sphere", true, run_sphere},
    {0},
};
