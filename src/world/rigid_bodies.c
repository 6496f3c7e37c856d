// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Moving rigid bodies. Between steps the four particles of a body are at c + R (p - p_c) and move
// by v + w x r, exactly; the state of the stepper has c, v, R and the angular momentum L.
//
// As a step begins, the free turn of the Lie midpoint rule (rigid/rigid.c) takes R to R_1, and each
// particle is given the velocity of its chord, v + (R_1 - R)(p - p_c) / h. An integrator that moves
// free particles along straight lines then takes a free body to R_1, and the force that keeps the
// shape (rigid/shape.c) is zero all along that way. What else acts on the body comes on top, by the
// integrator, implicitly and together with all other bodies.
//
// As the step is committed, the particles are brought to the nearest places of a rigid body, and
//
//   L_1 = L + sum m (r_1 x v_1 - r_0 x v_0),
//
// with the velocities of the chords at the begin: what the particles have gained. For a free body
// the sum is zero, as straight lines have it, so L stays to rounding. Accelerations become those of
// a rigid body, so that rules that remember them do not ring.
//
// Bodies with particles that constraints hold are not touched: they are where these put them.

#include "integrate/integrate.h"
#include "lyra/constraint.h"
#include "lyra/probe.h"
#include "math/vec3.h"
#include "rigid/rigid.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define NODES LYRA_AFFINE_PARTICLES
#define UNKNOWNS (3 * NODES)

// a share of the momentum, and rad
#define MOMENTUM_NOISE 1e-14
#define TURN_NOISE 1e-12

// Numbers of a body in the state, each kind [body count]: displacement of the centre, velocity,
// rotation, angular momentum, that of the chords, the rotation that a free body has next, and what
// the force's history is to have.
enum {
    HAS_PLACE = 0,
    HAS_VELOCITY = 3,
    HAS_ROTATION = 6,
    HAS_MOMENTUM = 10,
    HAS_CHORDS = 13,
    HAS_TARGET = 16, // rotation of the free turn
    HAS_HISTORY = 20,
    HAS_COUNT = HAS_HISTORY + LY_RIGID_HISTORY
};

typedef struct Body {
    const LyraAffine *affine; // of the world
    int32_t index, first_vertex;
    double mass;                // of a particle
    double center[3], rest[12]; // at rest; of the particles from there
    LyInertia inertia;
} Body;

struct LyRigidBodies {
    int32_t count;
    Body *bodies;
    LyraForce *force;
    int32_t group;
};

// a body as it is in the state
typedef struct Now {
    LyraVec3 place, velocity, L; // place: displacement of the centre
    LyraQuat q;
} Now;

// ---- numbers ------------------------------------------------------------------------------------

static LyraVec3 vec(const double *a)
{
    return lyra_vec3(a[0], a[1], a[2]);
}

static LyraVec3 read3(const double *values, int64_t count, int64_t b)
{
    return lyra_vec3(values[b], values[count + b], values[2 * count + b]);
}

static void write3(double *values, int64_t count, int64_t b, LyraVec3 a)
{
    values[b] = a.x;
    values[count + b] = a.y;
    values[2 * count + b] = a.z;
}

static LyraQuat read_quat(const double *q, int64_t count)
{
    return lyra_quat(q[0], q[count], q[2 * count], q[3 * count]);
}

static void write_quat(double *q, int64_t count, LyraQuat a)
{
    q[0] = a.w;
    q[count] = a.x;
    q[2 * count] = a.y;
    q[3 * count] = a.z;
}

static Now read_now(const double *values, int64_t count, int64_t b)
{
    return (Now){.place = read3(values + HAS_PLACE * count, count, b),
                 .velocity = read3(values + HAS_VELOCITY * count, count, b),
                 .L = read3(values + HAS_MOMENTUM * count, count, b),
                 .q = read_quat(values + HAS_ROTATION * count + b, count)};
}

static void write_now(double *values, int64_t count, int64_t b, const Now *now)
{
    write3(values + HAS_PLACE * count, count, b, now->place);
    write3(values + HAS_VELOCITY * count, count, b, now->velocity);
    write3(values + HAS_MOMENTUM * count, count, b, now->L);
    write_quat(values + HAS_ROTATION * count + b, count, now->q);
}

// places and velocities of the particles
static void place(const Body *body, const Now *now, double u[UNKNOWNS], double v[UNKNOWNS])
{
    LyraMat3 R = lyra_quat_to_mat3(now->q);
    LyraVec3 w = ly_inertia_spin(&body->inertia, now->q, now->L);
    for (int p = 0; p < NODES; ++p) {
        LyraVec3 rest = vec(body->rest + 3 * p), r = lyra_mat3_apply(R, rest);
        LyraVec3 d = lyra_vec3_add(now->place, lyra_vec3_subtract(r, rest));
        LyraVec3 s = lyra_vec3_add(now->velocity, lyra_vec3_cross(w, r));
        memcpy(u + 3 * p, (double[3]){d.x, d.y, d.z}, 3 * sizeof *u);
        memcpy(v + 3 * p, (double[3]){s.x, s.y, s.z}, 3 * sizeof *v);
    }
}

// mean of the particles' values
static LyraVec3 mean(const double *values)
{
    LyraVec3 sum = vec(values);
    for (int p = 1; p < NODES; ++p) {
        sum = lyra_vec3_add(sum, vec(values + 3 * p));
    }
    return lyra_vec3_scale(sum, 1.0 / NODES);
}

// sum m r x (v - mean) about the particles' own middle
static LyraVec3 turn_momentum(const Body *body, const double *u, const double *v)
{
    LyraVec3 L = {0}, place_mean = mean(u), v_mean = mean(v);
    for (int p = 0; p < NODES; ++p) {
        LyraVec3 r =
            lyra_vec3_add(vec(body->rest + 3 * p), lyra_vec3_subtract(vec(u + 3 * p), place_mean));
        LyraVec3 s = lyra_vec3_subtract(vec(v + 3 * p), v_mean);
        L = lyra_vec3_add(L, lyra_vec3_cross(r, s));
    }
    return lyra_vec3_scale(L, body->mass);
}

static LyraQuat find_rotation(const Body *body, const double *u)
{
    double A[9], t[3];
    LyraMat3 map;
    lyra_affine_map(body->affine, u, A, t);
    for (int i = 0; i < 9; ++i) {
        map.m[i / 3][i % 3] = A[i];
    }
    return lyra_quat_from_mat3(lyra_mat3_polar(map));
}

// by what the particles say
static Now find_now(const Body *body, const double *u, const double *v)
{
    return (Now){.place = mean(u),
                 .velocity = mean(v),
                 .L = turn_momentum(body, u, v),
                 .q = find_rotation(body, u)};
}

// Where the body is by the numbers of the state, if the particles are there, bit for bit; somebody
// else may have moved them.
static Now look(const Body *body, const double *values, int64_t count, int64_t b, const double *u,
                const double *v)
{
    double own[2][UNKNOWNS];
    Now now = read_now(values, count, b);
    place(body, &now, own[0], own[1]);
    bool same = memcmp(own[0], u, sizeof own[0]) == 0 && memcmp(own[1], v, sizeof own[1]) == 0;
    return same ? now : find_now(body, u, v);
}

// ---- the stepper --------------------------------------------------------------------------------

static bool is_held(const LyraConstraintsView *held, const Body *body)
{
    int32_t low = 0, high = held->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        low = held->vertex[middle] < body->first_vertex ? middle + 1 : low;
        high = held->vertex[middle] < body->first_vertex ? high : middle;
    }
    return low < held->count && held->vertex[low] < body->first_vertex + NODES;
}

static void init(const void *self, double *values)
{
    const LyRigidBodies *rigid = self;
    for (int32_t b = 0; b < rigid->count; ++b) {
        values[HAS_ROTATION * (int64_t)rigid->count + b] = 1;
    }
}

// gives the particles the velocities of their chords
static LyraStatus start_chords(const Body *body, const Now *now, double h, double *v, LyraVec3 *d,
                               LyraQuat *target)
{
    LyraVec3 turn, own = lyra_quat_rotate(lyra_quat_conjugate(now->q), now->L);
    LY_TRY(ly_rigid_turn(&body->inertia, own, h, &turn));
    double angle = lyra_vec3_length(turn);
    LyraMat3 R = lyra_quat_to_mat3(now->q);
    *target = lyra_quat_normalize(lyra_quat_multiply(now->q, lyra_quat_exp(turn)));
    LyraMat3 change = lyra_mat3_subtract(lyra_quat_to_mat3(*target), R);
    change = lyra_mat3_scale(change, 1 / h);
    for (int p = 0; p < NODES; ++p) {
        LyraVec3 s = lyra_vec3_add(now->velocity, lyra_mat3_apply(change, vec(body->rest + 3 * p)));
        memcpy(v + 3 * p, (double[3]){s.x, s.y, s.z}, 3 * sizeof *v);
    }
    *d = lyra_vec3_scale(turn, angle > 0 ? 2 * sin(0.5 * angle) / angle : 1);
    return LYRA_OK;
}

static LyraStatus begin(const void *self, const LyraModel *model, LyraState *state, double dt,
                        double *values)
{
    const LyRigidBodies *rigid = self;
    const int64_t count = rigid->count;
    LyraStateView view = lyra_state_view(state);
    LyraConstraintsView held = lyra_constraints_view(lyra_model_constraints(model));
    double *history = values + HAS_HISTORY * count;
    for (int64_t b = 0; b < count; ++b) {
        const Body *body = &rigid->bodies[b];
        double u[UNKNOWNS], v[UNKNOWNS];
        lyra_vector_read(view.u, 3 * body->first_vertex, UNKNOWNS, u);
        lyra_vector_read(view.v, 3 * body->first_vertex, UNKNOWNS, v);
        Now now = look(body, values, count, b, u, v);
        LyraVec3 chord = {0};
        LyraQuat target = now.q;
        if (dt > 0 && !is_held(&held, body)) {
            LY_TRY(start_chords(body, &now, dt, v, &chord, &target));
            lyra_vector_write(view.v, 3 * body->first_vertex, UNKNOWNS, v);
        }
        write_now(values, count, b, &now);
        write_quat(values + HAS_TARGET * count + b, count, target);
        write3(values + HAS_CHORDS * count, count, b, turn_momentum(body, u, v));
        write3(history + LY_RIGID_CHORD * count, count, b, chord);
        history[LY_RIGID_BEGIN * count + b] = view.time;
        history[LY_RIGID_SPAN * count + b] = dt;
    }
    for (int32_t c = 0; c < LY_RIGID_HISTORY; ++c) {
        LY_TRY(lyra_model_write_history(model, rigid->group, state, c, history + c * count));
    }
    return LYRA_OK;
}

// accelerations of a rigid body with the momentum of those of the particles
static void stiffen(const Body *body, const Now *now, double a[UNKNOWNS])
{
    LyraMat3 R = lyra_quat_to_mat3(now->q);
    LyraVec3 all = mean(a), torque = {0};
    for (int p = 0; p < NODES; ++p) {
        LyraVec3 r = lyra_mat3_apply(R, vec(body->rest + 3 * p));
        torque = lyra_vec3_add(torque, lyra_vec3_cross(r, vec(a + 3 * p)));
    }
    LyraVec3 gain = ly_inertia_spin(&body->inertia, now->q, lyra_vec3_scale(torque, body->mass));
    for (int p = 0; p < NODES; ++p) {
        LyraVec3 r = lyra_mat3_apply(R, vec(body->rest + 3 * p));
        LyraVec3 s = lyra_vec3_add(all, lyra_vec3_cross(gain, r));
        memcpy(a + 3 * p, (double[3]){s.x, s.y, s.z}, 3 * sizeof *a);
    }
}

// Momentum and rotation after a step, from those that the particles have. What is within rounding
// of a free turn is one, so that noise does not add up over many steps.
static void gain_momentum(const double *values, int64_t count, int64_t b, Now *now)
{
    LyraVec3 chords = read3(values + HAS_CHORDS * count, count, b);
    LyraVec3 before = read3(values + HAS_MOMENTUM * count, count, b);
    LyraVec3 gain = lyra_vec3_subtract(now->L, chords);
    LyraQuat target = read_quat(values + HAS_TARGET * count + b, count);
    LyraVec3 off = lyra_quat_log(lyra_quat_multiply(lyra_quat_conjugate(target), now->q));
    if (lyra_vec3_length(gain) <= MOMENTUM_NOISE * lyra_vec3_length(chords) &&
        lyra_vec3_length(off) <= TURN_NOISE) {
        now->L = before;
        now->q = target;
        return;
    }
    now->L = lyra_vec3_add(before, gain);
}

static bool all_zero(const double v[UNKNOWNS])
{
    bool zero = true;
    for (int i = 0; i < UNKNOWNS; ++i) {
        zero &= v[i] == 0;
    }
    return zero;
}

static LyraStatus commit(const void *self, const LyraModel *model, LyraState *state, double dt,
                         double *values)
{
    (void)dt;
    const LyRigidBodies *rigid = self;
    const int64_t count = rigid->count;
    LyraStateView view = lyra_state_view(state);
    LyraConstraintsView held = lyra_constraints_view(lyra_model_constraints(model));
    for (int64_t b = 0; b < count; ++b) {
        const Body *body = &rigid->bodies[b];
        const int32_t first = 3 * body->first_vertex;
        double u[UNKNOWNS], v[UNKNOWNS], a[UNKNOWNS];
        lyra_vector_read(view.u, first, UNKNOWNS, u);
        lyra_vector_read(view.v, first, UNKNOWNS, v);
        Now now = find_now(body, u, v);
        if (!is_held(&held, body)) {
            // statics leave no velocities, and so no momentum
            gain_momentum(values, count, b, &now);
            now.L = all_zero(v) ? (LyraVec3){0} : now.L;
            lyra_vector_read(view.a, first, UNKNOWNS, a);
            place(body, &now, u, v);
            stiffen(body, &now, a);
            lyra_vector_write(view.u, first, UNKNOWNS, u);
            lyra_vector_write(view.v, first, UNKNOWNS, v);
            lyra_vector_write(view.a, first, UNKNOWNS, a);
        }
        write_now(values, count, b, &now);
    }
    return LYRA_OK;
}

// ---- making -------------------------------------------------------------------------------------

static bool is_rigid(const LyraWorld *world, int32_t body)
{
    return strcmp(world->views[body].kind, "rigid") == 0;
}

static LyraStatus take_body(const LyraWorld *world, int32_t index, Body *body)
{
    const LyraBodyView *view = &world->views[index];
    LyraAffineView affine = lyra_affine_view(view->affine);
    const double *M = affine.second_moment;
    double inertia[9], trace = M[0] + M[4] + M[8];
    body->affine = view->affine;
    body->index = index;
    body->first_vertex = view->first_vertex;
    body->mass = affine.masses[0];
    memcpy(body->center, affine.center, sizeof body->center);
    for (int i = 0; i < UNKNOWNS; ++i) {
        body->rest[i] = affine.positions[i] - affine.center[i % 3];
    }
    for (int i = 0; i < 9; ++i) {
        inertia[i] = (i % 4 == 0 ? trace : 0) - M[i];
    }
    return ly_inertia_take(inertia, &body->inertia);
}

static LyraStatus make_force(LyraWorld *world, LyRigidBodies *rigid)
{
    LyRigidShape *shapes = NULL;
    LY_TRY(ly_allocate_array(world->ctx, rigid->count, sizeof *shapes, &shapes));
    for (int32_t b = 0; b < rigid->count; ++b) {
        shapes[b] =
            (LyRigidShape){.affine = rigid->bodies[b].affine,
                           .first_vertex = rigid->bodies[b].first_vertex,
                           .stiffness = lyra_affine_view(rigid->bodies[b].affine).stiffness};
    }
    LyraStatus status = ly_rigid_shapes_create(world->ctx, rigid->count, shapes, &rigid->force);
    ly_release(world->ctx, shapes);
    return status;
}

LyraStatus ly_world_prepare_rigid(LyraWorld *world, int32_t *body, LyraForce **force,
                                  LyraStepper *stepper)
{
    int32_t count = 0;
    *body = -1;
    for (int32_t b = 0; b < world->body_count; ++b) {
        count += is_rigid(world, b);
    }
    if (count == 0) {
        return LYRA_OK;
    }
    // what is made is ended by ly_world_end_rigid(), also on failure
    LY_TRY(ly_allocate_zeroed(world->ctx, 1, sizeof *world->rigid, &world->rigid));
    LyRigidBodies *rigid = world->rigid;
    LY_TRY(ly_allocate_zeroed(world->ctx, count, sizeof *rigid->bodies, &rigid->bodies));
    for (int32_t b = 0; b < world->body_count; ++b) {
        if (is_rigid(world, b)) {
            LY_TRY(take_body(world, b, &rigid->bodies[rigid->count++]));
        }
    }
    LY_TRY(make_force(world, rigid));
    *body = rigid->bodies[0].index;
    *force = rigid->force;
    *stepper = (LyraStepper){.name = "rigid",
                             .version = 1,
                             .count = HAS_COUNT * count,
                             .init = init,
                             .begin = begin,
                             .commit = commit,
                             .self = rigid};
    return LYRA_OK;
}

void ly_world_note_rigid(LyraWorld *world)
{
    if (world->rigid) {
        world->rigid->group = lyra_model_group_of(world->model, world->rigid->force);
    }
}

LyraStatus ly_world_soften_rigid(LyraWorld *world, bool soft)
{
    if (!world->rigid) {
        return LYRA_OK;
    }
    double *values = NULL;
    LyRigidBodies *rigid = world->rigid;
    LY_TRY(ly_allocate_zeroed(world->ctx, rigid->count, sizeof *values, &values));
    for (int32_t b = 0; b < rigid->count && !soft; ++b) {
        values[b] = lyra_force_view(rigid->force).parameters[b];
    }
    LyraStatus status = lyra_model_set_parameter(world->model, rigid->group, "stiffness", values);
    ly_release(world->ctx, values);
    return status;
}

void ly_world_end_rigid(LyraWorld *world)
{
    if (world->rigid) {
        lyra_force_destroy(world->rigid->force);
        ly_release(world->ctx, world->rigid->bodies);
        ly_release(world->ctx, world->rigid);
        world->rigid = NULL;
    }
}

LyraStatus ly_world_check_rigid(const LyraWorld *world, const LyraIntegrator *integrator)
{
    static const char *const fit[] = {"backward-euler", "newmark", "generalized-alpha",
                                      "implicit-midpoint", "static"};
    bool fits = !world->rigid;
    for (int i = 0; i < LY_COUNT_OF(fit); ++i) {
        fits |= strcmp(integrator->def.name, fit[i]) == 0;
    }
    return fits ? LYRA_OK
                : ly_fail(LYRA_UNSUPPORTED,
                          "found integrator \"%s\" with rigid bodies, expected one of one implicit "
                          "step: backward-euler, newmark, generalized-alpha, implicit-midpoint or "
                          "static",
                          integrator->def.name);
}

// ---- looking ------------------------------------------------------------------------------------

static void give(LyraVec3 a, double out[3])
{
    memcpy(out, (double[3]){a.x, a.y, a.z}, 3 * sizeof *out);
}

LyraStatus lyra_world_rigid_motion(LyraWorld *world, int32_t body, LyraRigidMotion *out)
{
    LYRA_ASSERT(world && out);
    Body own = {0};
    double u[UNKNOWNS], v[UNKNOWNS];
    LY_TRY(lyra_world_prepare(world));
    if (body < 0 || body >= world->body_count) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "body %d of %d", (int)body, (int)world->body_count);
    }
    if (!world->views[body].affine) {
        return ly_fail(LYRA_UNSUPPORTED,
                       "body \"%.60s\" of kind %s has no rotation, expected a rigid or affine one",
                       world->views[body].name, world->views[body].kind);
    }
    LyraStateView view = lyra_state_view(world->state);
    LY_TRY(take_body(world, body, &own));
    lyra_vector_read(view.u, 3 * own.first_vertex, UNKNOWNS, u);
    lyra_vector_read(view.v, 3 * own.first_vertex, UNKNOWNS, v);
    Now now = find_now(&own, u, v);
    for (int32_t b = 0; world->rigid && b < world->rigid->count; ++b) {
        const double *values =
            lyra_model_stepper_values(world->model, world->rigid->bodies[0].index, world->state);
        if (values && world->rigid->bodies[b].index == body) {
            now = look(&own, values, world->rigid->count, b, u, v);
        }
    }
    // masses are those of now
    double scale = lyra_model_view(world->model).masses[own.first_vertex] / own.mass;
    give(lyra_vec3_add(vec(own.center), now.place), out->position);
    give(now.velocity, out->velocity);
    memcpy(out->rotation, (double[4]){now.q.w, now.q.x, now.q.y, now.q.z}, sizeof out->rotation);
    give(ly_inertia_spin(&own.inertia, now.q, now.L), out->spin);
    give(lyra_vec3_scale(now.velocity, scale * NODES * own.mass), out->momentum);
    give(lyra_vec3_scale(now.L, scale), out->angular_momentum);
    return LYRA_OK;
}
