// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Time: the speed of waves, orders in dt, the largest stable step, the two bodies of [Hau04] on
// which methods are compared, and a million steps.
//
// Orders by a manufactured solution: for u*(X, t) = A(X) sin(w t + p) the load M a* + f_int(u*)
// makes u* the exact motion of the discrete body, so that errors are those of the method in time
// alone.
//
// Stable step: explicit methods of the kind of Verlet's are stable for dt <= 2 / w_max; w_max grows
// as 1 / h, so that halving the elements halves the step. The step is found by bisection: whether a
// disturbance grows beyond all bounds in many steps.

#include "verify_body.h"

#include "benchmark/hauth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- waves along a bar --------------------------------------------------------------------------

// mean of x by squares of the displacement: the place of a pulse
static double place_of(const VerifyBody *body)
{
    const double *u = verify_body_displacements(body);
    double sum = 0, all = 0;
    for (int32_t v = 0; v < body->view.vertex_count; ++v) {
        double weight = body->masses[v] * u[3 * v] * u[3 * v];
        sum += weight * body->view.positions[3 * v];
        all += weight;
    }
    return sum / all;
}

// speed of a pulse of width `width` on a bar of `along` cubes of 10 / along m, E = 1e6, 1000 kg/m^3
static LyraStatus pulse_speed(Verify *verify, int32_t along, double poisson, double width,
                              double *speed)
{
    const double h = 10.0 / along, size[3] = {10, h, h}, c = sqrt(1e6 / 1000), amplitude = 1e-6;
    const int32_t cells[3] = {along, 1, 1}, steps = 2 * along;
    LyraMesh *mesh = NULL;
    VerifyBody body;
    LyraStatus status = verify_box(verify->ctx, LYRA_ELEMENT_CUBE8, cells, size, &mesh);
    if (status != LYRA_OK) {
        return status;
    }
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = "linear";
    def.solid.young = 1e6;
    def.solid.poisson = poisson;
    def.integrator.name = "verlet";
    def.integrator.critical = LYRA_CRITICAL_IGNORE;
    status = verify_body_create(verify->ctx, &def, &body);
    if (status != LYRA_OK) {
        return status;
    }
    // u = g(x - c t): v = -c g'
    LyraStateView view = lyra_state_view(body.state);
    for (int32_t v = 0; v < body.view.vertex_count; ++v) {
        double x = (body.view.positions[3 * v] - 2.5) / width, g = amplitude * exp(-x * x);
        lyra_vector_values_mutable(view.u)[3 * v] = g;
        lyra_vector_values_mutable(view.v)[3 * v] = c * g * 2 * x / width;
    }
    double start = place_of(&body), duration = 5 / c;
    for (int32_t s = 0; s < steps && status == LYRA_OK; ++s) {
        status = lyra_integrator_step(body.integrator, body.state, duration / steps, NULL);
    }
    *speed = (place_of(&body) - start) / duration;
    verify_body_end(&body);
    return status;
}

static LyraStatus run_wave(Verify *verify)
{
    verify_note(
        verify,
        "A Gaussian pulse (standard deviation 0.35 m) runs 5 m along a bar of "
        "cubes of one cell across, small strain, lumped masses, Verlet's method "
        "at a quarter of h / c. Waves of a mesh are slower, by (k h)^2 / 24 to leading order. "
        "Without lateral contraction the reference is "
        "(E / rho)^(1/2); with nu = 0.3 the bar is thin against the pulse, and the "
        "inertia of its contraction slows it by less than 1e-3.");
    const double c = sqrt(1e6 / 1000);
    double speed[2] = {0, 0};
    for (int level = 0; level < 2; ++level) {
        int32_t along = 100 << level;
        LyraStatus status = pulse_speed(verify, along, 0, 0.5, &speed[level]);
        if (status != LYRA_OK) {
            return status;
        }
        verify_information(verify, c, speed[level], "nu = 0, %d cubes: speed, m/s", along);
    }
    double order = log2((c - speed[0]) / (c - speed[1]));
    verify_range(verify, 1.8, 2.2, order, "nu = 0: order in h");
    verify_relative(verify, c, verify_limit(speed[0], speed[1]), 2e-4, "nu = 0: limit, m/s");
    LyraStatus status = pulse_speed(verify, 200, 0.3, 0.5, &speed[0]);
    if (status == LYRA_OK) {
        verify_relative(verify, c, speed[0], 3e-3, "nu = 0.3, 200 cubes: speed, m/s");
    }
    return status;
}

// ---- orders in dt -------------------------------------------------------------------------------

#define RATE 3.0  // rad/s
#define PHASE 0.4 // so that no derivative vanishes at the start

typedef struct Manufactured {
    VerifyBody twin; // for forces at u*
    LyraVector *u, *v, *g, *a, *Ma;
    int32_t size;
} Manufactured;

// A(X) of dof i
static double shape_of(const VerifyBody *body, int32_t i)
{
    const double *X = body->view.positions + 3 * (int64_t)(i / 3);
    double waves[3] = {sin(2 * X[0] + X[1]), cos(X[1] - X[2]) * X[0], sin(X[2] + 1.5 * X[0])};
    return 0.04 * waves[i % 3];
}

static void manufactured_load(void *user, double t, const double *u, const double *v, double *f)
{
    (void)u;
    (void)v;
    Manufactured *m = user;
    for (int32_t i = 0; i < m->size; ++i) {
        double shape = shape_of(&m->twin, i) * sin(RATE * t + PHASE);
        lyra_vector_values_mutable(m->u)[i] = shape;
        lyra_vector_values_mutable(m->a)[i] = -RATE * RATE * shape;
    }
    LyraPoint at = {.time = t, .u = m->u, .v = m->v};
    LyraResponse response = {.g = m->g};
    lyra_system_apply_mass(m->twin.system, m->a, m->Ma);
    // what fails here leaves NaN, which the step refuses
    bool good = lyra_system_evaluate(m->twin.system, &at, &response) == LYRA_OK;
    for (int32_t i = 0; i < m->size; ++i) {
        f[i] += good ? lyra_vector_values(m->Ma)[i] + lyra_vector_values(m->g)[i] : NAN;
    }
}

static LyraStatus soft_body(Verify *verify, const char *integrator, VerifyBody *out)
{
    const double size[3] = {1, 0.5, 0.5};
    const int32_t cells[3] = {2, 1, 1};
    LyraMesh *mesh = NULL;
    LyraStatus status = verify_box(verify->ctx, LYRA_ELEMENT_TET4, cells, size, &mesh);
    if (status != LYRA_OK) {
        return status;
    }
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = "neo-hookean";
    def.solid.young = 2e3;
    def.solid.poisson = 0.3;
    def.integrator.name = integrator;
    def.integrator.critical = LYRA_CRITICAL_IGNORE;
    return verify_body_create(verify->ctx, &def, out);
}

static LyraStatus make_manufactured(Verify *verify, Manufactured *m)
{
    *m = (Manufactured){0};
    LyraStatus status = soft_body(verify, "verlet", &m->twin);
    if (status != LYRA_OK) {
        return status;
    }
    m->size = 3 * m->twin.view.vertex_count;
    LyraVector **all[] = {&m->u, &m->v, &m->g, &m->a, &m->Ma};
    for (int i = 0; i < 5 && status == LYRA_OK; ++i) {
        status = lyra_vector_create(verify->ctx, m->size, all[i]);
    }
    return status;
}

static void end_manufactured(Manufactured *m)
{
    LyraVector *all[] = {m->u, m->v, m->g, m->a, m->Ma};
    for (int i = 0; i < 5; ++i) {
        lyra_vector_destroy(all[i]);
    }
    verify_body_end(&m->twin);
}

// a model of the twin's forces with the load, in place of the body's own
static LyraStatus loaded_system(Verify *verify, Manufactured *m, LyraModel **model,
                                LyraSystem **system)
{
    LyraModelDef def = lyra_model_def_default();
    def.vertex_count = m->twin.view.vertex_count;
    def.positions = m->twin.view.positions;
    def.forces = lyra_solid_forces(m->twin.solid, &def.force_count);
    def.masses = m->twin.masses;
    def.load = manufactured_load;
    def.load_user = m;
    def.load_moves = false;
    LyraSolverDef solver = lyra_solver_def_default();
    solver.tolerance = 1e-13;
    LyraStatus status = lyra_model_create(verify->ctx, &def, model);
    return status == LYRA_OK ? lyra_system_create_sparse(verify->ctx, *model, &solver, system)
                             : status;
}

// largest error of a displacement after 0.8 s
static LyraStatus manufactured_error(Verify *verify, const char *name, const char *set,
                                     Manufactured *m, LyraSystem *system, int32_t steps,
                                     double *error)
{
    LyraState *state = NULL;
    LyraIntegrator *integrator = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    const double end = 0.8;
    def.name = name;
    def.rosenbrock_set = set;
    def.critical = LYRA_CRITICAL_IGNORE;
    def.newton.decrement = def.newton.residual = def.newton.step = 0; // to rounding
    LyraStatus status = lyra_system_state_create(system, &state);
    if (status == LYRA_OK) {
        status = lyra_integrator_create(verify->ctx, &def, system, &integrator);
    }
    for (int32_t i = 0; i < m->size && status == LYRA_OK; ++i) {
        LyraStateView view = lyra_state_view(state);
        double shape = shape_of(&m->twin, i);
        lyra_vector_values_mutable(view.u)[i] = shape * sin(PHASE);
        lyra_vector_values_mutable(view.v)[i] = shape * RATE * cos(PHASE);
    }
    for (int32_t s = 0; s < steps && status == LYRA_OK; ++s) {
        status = lyra_integrator_step(integrator, state, end / steps, NULL);
    }
    *error = 0;
    for (int32_t i = 0; i < m->size && status == LYRA_OK; ++i) {
        double exact = shape_of(&m->twin, i) * sin(RATE * end + PHASE);
        double ours = lyra_vector_values(lyra_state_view(state).u)[i];
        *error = fmax(*error, fabs(ours - exact));
    }
    lyra_integrator_destroy(integrator);
    lyra_state_destroy(state);
    return status;
}

// ten lines have colours of their own: not those that lie on another's
static bool is_drawn(const char *name)
{
    static const char *const same[] = {"generalized-alpha",
                                       "euler",
                                       "central-differences",
                                       "explicit-midpoint",
                                       "rk38",
                                       "rkc2",
                                       "rock2",
                                       "amf-rk32"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i) {
        if (strcmp(name, same[i]) == 0) {
            return false;
        }
    }
    return true;
}

static LyraStatus run_orders(Verify *verify)
{
    enum { LEVELS = 4 };
    verify_note(verify, "A soft block of 12 tets (neo-Hookean, 2 kPa) follows a prescribed smooth "
                        "motion under the load that belongs to it. The order is the slope between "
                        "the two smallest steps.");
    VerifyPlot *plot = verify_plot(verify, "order_dt", "error after 0.8 s against dt", "dt, s",
                                   "largest error, m", true, true);
    Manufactured m;
    LyraModel *model = NULL;
    LyraSystem *system = NULL;
    LyraIntegratorFacts facts;
    LyraStatus status = make_manufactured(verify, &m);
    if (status == LYRA_OK) {
        status = loaded_system(verify, &m, &model, &system);
    }
    // the sets of one method follow each other, the first without a word
    for (int32_t k = 0, s = 0; status == LYRA_OK && lyra_integrator_name(k, &facts);) {
        double error[LEVELS], dt[LEVELS];
        bool skipped = facts.order == 0 || facts.adaptive || facts.constant;
        const char *set = lyra_rosenbrock_set(s);
        for (int l = 0; l < LEVELS && status == LYRA_OK && !skipped; ++l) {
            int32_t steps = 20 << l;
            dt[l] = 0.8 / steps;
            status = manufactured_error(verify, facts.name, set, &m, system, steps, &error[l]);
        }
        if (status == LYRA_OK && !skipped) {
            double order = log2(error[LEVELS - 2] / error[LEVELS - 1]);
            verify_range(verify, facts.order - 0.15, facts.order + 0.6, order,
                         "%s%s%s of order %d: order found", facts.name, s > 0 ? ", set " : "",
                         s > 0 ? set : "", facts.order);
            if (is_drawn(facts.name) && s == 0) {
                verify_series(plot, LEVELS, dt, error, "%s", facts.name);
            }
        }
        bool more = strcmp(facts.name, "rosenbrock4") == 0 && lyra_rosenbrock_set(s + 1);
        s = more ? s + 1 : 0;
        k += !more;
    }
    lyra_system_destroy(system);
    lyra_model_destroy(model);
    end_manufactured(&m);
    return status;
}

// ---- the largest stable step --------------------------------------------------------------------

// whether a disturbance of a body stays within bounds in 3000 steps
static LyraStatus is_stable(VerifyBody *body, double dt, bool *out)
{
    LyraStateView view = lyra_state_view(body->state);
    int32_t size = lyra_vector_size(view.u);
    uint64_t random = 1;
    lyra_state_forget(body->state, LYRA_STATE_METHOD);
    lyra_state_set_time(body->state, 0, 0);
    for (int32_t i = 0; i < size; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        lyra_vector_values_mutable(view.u)[i] = 1e-9 * ((double)(random >> 32) * 0x1p-31 - 1);
    }
    lyra_vector_fill(view.v, 0);
    *out = true;
    for (int32_t s = 0; s < 3000 && *out; ++s) {
        LyraStatus status = lyra_integrator_step(body->integrator, body->state, dt, NULL);
        if (status == LYRA_NOT_FINITE || lyra_vector_norm(view.u) > 1e-3) {
            *out = false;
        } else if (status != LYRA_OK) {
            return status;
        }
    }
    return LYRA_OK;
}

static LyraStatus stable_step(Verify *verify, LyraElementKind kind, int32_t along, double *found,
                              double *predicted)
{
    const double size[3] = {1, 0.5, 0.5};
    const int32_t cells[3] = {along, along / 2, along / 2};
    LyraMesh *mesh = NULL;
    VerifyBody body;
    LyraStatus status = verify_box(verify->ctx, kind, cells, size, &mesh);
    if (status != LYRA_OK) {
        return status;
    }
    VerifyBodyDef def = verify_body_def_default(mesh);
    def.solid.model = "linear";
    def.solid.young = 1e5;
    def.solid.poisson = 0.3;
    def.integrator.name = "central-differences";
    def.integrator.critical = LYRA_CRITICAL_IGNORE;
    status = verify_body_create(verify->ctx, &def, &body);
    if (status != LYRA_OK) {
        return status;
    }
    LyraStateView view = lyra_state_view(body.state);
    LyraPoint at = {.u = view.u, .v = view.v};
    double largest = 0;
    status = lyra_system_linearise(body.system, &at, false);
    if (status == LYRA_OK) {
        status = lyra_system_largest_eigenvalue(body.system, &largest);
    }
    *predicted = 2 / sqrt(largest);
    double low = 0.8 * *predicted, high = 1.2 * *predicted;
    for (int i = 0; i < 8 && status == LYRA_OK; ++i) {
        bool stable = false;
        *found = 0.5 * (low + high);
        status = is_stable(&body, *found, &stable);
        low = stable ? *found : low;
        high = stable ? high : *found;
    }
    verify_body_end(&body);
    return status;
}

static LyraStatus run_stable(Verify *verify)
{
    verify_note(verify, "A free block of 1 x 0.5 x 0.5 m, E = 0.1 MPa, nu = 0.3, 1000 kg/m^3, "
                        "lumped masses, central differences. The step found by trying is compared "
                        "with 2 / w_max from the library's estimate, and with that of the mesh "
                        "before: half the elements' size, half the step.");
    const LyraElementKind kinds[2] = {LYRA_ELEMENT_TET4, LYRA_ELEMENT_CUBE8};
    for (int k = 0; k < 2; ++k) {
        const char *name = k ? "cubes" : "tets";
        double before = 0;
        for (int32_t along = 4; along <= (verify->quick ? 8 : 16); along *= 2) {
            double found = 0, predicted = 0;
            LyraStatus status = stable_step(verify, kinds[k], along, &found, &predicted);
            if (status != LYRA_OK) {
                return status;
            }
            verify_relative(verify, predicted, found, 0.015, "%s %dx%dx%d: largest stable step, s",
                            name, along, along / 2, along / 2);
            if (before > 0) {
                verify_range(verify, 1.8, 2.2, before / found,
                             "%s: ratio of steps to half the elements' size, 1/%d m", name, along);
            }
            before = found;
        }
    }
    return LYRA_OK;
}

// ---- the bodies of Hauth ------------------------------------------------------------------------

static LyraStatus run_hauth_steps(Verify *verify, HauthCase which, const char *name, double end,
                                  int32_t steps, Hauth *body)
{
    LyraIntegrator *integrator = NULL;
    LyraIntegratorDef def = lyra_integrator_def_default();
    def.name = name;
    def.critical = LYRA_CRITICAL_IGNORE;
    def.relative_tolerance = def.absolute_tolerance = 1e-12;
    LyraStatus status = hauth_make(verify->ctx, which, false, body);
    if (status == LYRA_OK) {
        status = lyra_integrator_create(verify->ctx, &def, body->system, &integrator);
    }
    for (int32_t s = 0; s < steps && status == LYRA_OK; ++s) {
        status = lyra_integrator_step(integrator, body->state, end / steps, NULL);
    }
    lyra_integrator_destroy(integrator);
    return status;
}

static LyraStatus run_hauth_bar(Verify *verify)
{
    static const struct {
        const char *name;
        int32_t order;
    } methods[] = {{"backward-euler", 1}, {"newmark", 2}, {"bdf2", 2}, {"bdf3", 3}};
    verify_note(verify,
                "Hauth's first benchmark: a viscous bar of 144 tets (StVK) that falls under "
                "gravity for 0.5 s. Errors, root mean square over the vertices, against "
                "dopri853 with tolerance 1e-12; his thesis has them as curves.");
    Hauth exact = {0};
    LyraStatus status = run_hauth_steps(verify, HAUTH_BAR, "dopri853", 0.5, 1, &exact);
    const double *reference =
        status == LYRA_OK ? lyra_vector_values(lyra_state_view(exact.state).u) : NULL;
    for (int m = 0; m < 4 && status == LYRA_OK; ++m) {
        double error[2] = {0, 0};
        for (int l = 0; l < 2 && status == LYRA_OK; ++l) {
            Hauth bar = {0};
            status = run_hauth_steps(verify, HAUTH_BAR, methods[m].name, 0.5, 200 << l, &bar);
            if (status == LYRA_OK) {
                error[l] = hauth_distance(bar.size, reference,
                                          lyra_vector_values(lyra_state_view(bar.state).u));
                verify_information(verify, NAN, error[l], "%s, %d steps: error, m", methods[m].name,
                                   200 << l);
            }
            hauth_end(&bar);
        }
        if (status == LYRA_OK) {
            verify_range(verify, methods[m].order - 0.2, methods[m].order + 0.4,
                         log2(error[0] / error[1]), "%s: order", methods[m].name);
        }
    }
    hauth_end(&exact);
    return status;
}

static LyraStatus run_hauth_shear(Verify *verify)
{
    verify_note(
        verify,
        "Hauth's second benchmark: a cube of 384 tets under live tangential loads "
        "on four faces. He reports about 1 cm at 1.2 s, and that good methods hold "
        "it for 20 s. The largest entry of the displacement is compared with that of BDF2 after "
        "3 s: a drift would show.");
    double sag[2] = {0, 0};
    const double ends[2] = {3, verify->quick ? 5 : 20};
    for (int i = 0; i < 2; ++i) {
        Hauth cube = {0};
        LyraStatus status = run_hauth_steps(verify, HAUTH_SHEAR, i ? "newmark" : "bdf2", ends[i],
                                            (int32_t)(ends[i] / 0.02), &cube);
        for (int32_t k = 0; status == LYRA_OK && k < cube.size; ++k) {
            sag[i] = fmax(sag[i], fabs(lyra_vector_values(lyra_state_view(cube.state).u)[k]));
        }
        hauth_end(&cube);
        if (status != LYRA_OK) {
            return status;
        }
    }
    verify_information(verify, 0.01, sag[0], "largest displacement at 3 s, bdf2, beside his, m");
    verify_relative(verify, sag[0], sag[1], 1e-4,
                    "largest displacement at %g s, newmark, against that at 3 s, m", ends[1]);
    return LYRA_OK;
}

// ---- a million steps ----------------------------------------------------------------------------

// total energy after a step, and the momenta of the present state about the origin
static void find_momenta(const VerifyBody *body, double linear[3], double angular[3])
{
    LyraStateView state = lyra_state_view(body->state);
    const double *u = lyra_vector_values(state.u), *v = lyra_vector_values(state.v);
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (int32_t p = 0; p < body->view.vertex_count; ++p) {
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double xj = body->view.positions[3 * p + j] + u[3 * p + j];
            double xk = body->view.positions[3 * p + k] + u[3 * p + k];
            linear[i] += body->masses[p] * v[3 * p + i];
            angular[i] += body->masses[p] * (xj * v[3 * p + k] - xk * v[3 * p + j]);
        }
    }
}

static LyraStatus run_long(Verify *verify)
{
    enum { STEPS = 1000000, BLOCK = 10000 };
    const double dt = 0.005;
    verify_note(verify, "A free block of 12 tets (neo-Hookean, 2 kPa), set turning and vibrating, "
                        "for a million steps of 5 ms by Verlet's method. Its energy moves up and "
                        "down by the order of dt^2, and must do so at the end as at the start: "
                        "means over 10,000 steps are compared. Angular momentum is kept to "
                        "rounding, which grows no faster than the number of steps.");
    VerifyBody body;
    LyraStatus status = soft_body(verify, "verlet", &body);
    if (status != LYRA_OK) {
        return status;
    }
    LyraStateView state = lyra_state_view(body.state);
    for (int32_t i = 0; i < 3 * body.view.vertex_count; ++i) {
        const double *X = body.view.positions + 3 * (int64_t)(i / 3);
        const double spin[3] = {0.2 * (0.25 - X[1]), 0.2 * (X[0] - 0.5), 0};
        lyra_vector_values_mutable(state.v)[i] = spin[i % 3] + 4 * shape_of(&body, i);
    }
    double mean[2] = {0, 0}, swing = 0, first[6], now[6];
    size_t bytes = 0;
    find_momenta(&body, first, first + 3);
    for (int32_t s = 0; s < STEPS && status == LYRA_OK; ++s) {
        LyraStepReport report;
        status = lyra_integrator_step(body.integrator, body.state, dt, &report);
        double energy = report.kinetic + report.elastic;
        mean[0] += s < BLOCK ? energy / BLOCK : 0;
        mean[1] += s >= STEPS - BLOCK ? energy / BLOCK : 0;
        swing = s >= BLOCK ? fmax(swing, fabs(energy - mean[0])) : 0;
        bytes = s == 0 ? lyra_context_byte_count(verify->ctx) : bytes;
    }
    find_momenta(&body, now, now + 3);
    if (status == LYRA_OK) {
        double L = sqrt(first[3] * first[3] + first[4] * first[4] + first[5] * first[5]);
        double drift = 0, push = 0;
        for (int i = 0; i < 3; ++i) {
            drift = fmax(drift, fabs(now[3 + i] - first[3 + i]) / L);
            push = fmax(push, fabs(now[i] - first[i]) / L);
        }
        verify_relative(verify, mean[0], mean[1], 1e-5, "mean energy of the last steps, J");
        verify_absolute(verify, 0, swing / mean[0], 1e-3, "largest swing of energy, relative");
        verify_absolute(verify, 0, drift, 1e-9, "angular momentum, relative drift");
        verify_absolute(verify, 0, push, 1e-9, "momentum, drift over angular momentum, 1/m");
        verify_absolute(verify, (double)bytes, (double)lyra_context_byte_count(verify->ctx), 0,
                        "memory after the last step, against the first, bytes");
    }
    verify_body_end(&body);
    return status;
}

const VerifyCase verify_time_cases[] = {
    {"bar-wave", "time", "Speed of a pulse along a bar", true, run_wave},
    {"order-dt", "time", "Orders in dt by a manufactured solution", true, run_orders},
    {"stable-step", "time", "Largest stable step under refinement", true, run_stable},
    {"hauth-1", "time", "Hauth's bar: errors of implicit methods", false, run_hauth_bar},
    {"hauth-2", "time", "Hauth's sheared cube under live loads", false, run_hauth_shear},
    {"long-run", "time", "A million steps of a free body", false, run_long},
    {0},
};
