// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a world.

#ifndef LY_WORLD_WORLD_H
#define LY_WORLD_WORLD_H

#include "base/base.h"
#include "base/name_index.h"
#include "lyra/springs.h"
#include "lyra/world.h"
#include "world/keys.h"
#include "world/undo.h"

/// What changes with time: called before each step with the time at its end. It changes the model
/// through the world's `undo` alone, and remembers nothing of earlier calls: a step that fails
/// takes it back.
typedef struct LyRule {
    LyraStatus (*apply)(void *self, LyraWorld *world, double begin, double end);
    void (*destroy)(LyraContext *ctx, void *self); // Nullable
    void *self;
    const LyraForce *force; // the one that it sets `parameter` of; NULL: none
    const char *parameter;
    const LyKey *key; // in place of them, what it turns of `body`, or of all (-1). Nullable
    int32_t body;
} LyRule;

/// Angles of edges that a constraint holds: scalar nodes of the model, and their lengths per angle.
typedef struct LyAngles {
    int32_t count;
    int32_t *nodes;
    double *scales; // m/rad
} LyAngles;

/// Vertices that a constraint holds: along up to three orthonormal directions, at a place that may
/// move.
typedef struct LyMotion {
    int32_t count;
    const int32_t *vertices; // of the model
    int32_t direction_count;
    double directions[3][3];
    LyAngles angles; // with `twist`
    const LyraConstraintDef *def;
    bool moves;
} LyMotion;

/// Forces on vertices over time, or a function of the user's.
typedef struct LyNodal {
    int32_t count;
    const int32_t *vertices; // of the model
    const double *shares;    // of the vertices; NULL: all 1
    double scale;
    const LyraLoadDef *def;
    LyraLoad *function; // in place of all above. Nullable
    void *user;
} LyNodal;

typedef struct LyPulls LyPulls;
typedef struct LyStepForces LyStepForces;
typedef struct LyParameters LyParameters;
typedef struct LyTie LyTie;
typedef struct LyWorldObstacles LyWorldObstacles;
typedef struct LyRigidBodies LyRigidBodies;
typedef struct LyProbe LyProbe;
typedef struct LyBodyType LyBodyType;
typedef struct LyStrainLimit LyStrainLimit;

/// Elements of a region.
typedef struct LyRegionElements {
    int32_t count;
    int32_t *elements;
} LyRegionElements;

/// A body: its view is what the public sees of it.
typedef struct LyBody {
    const LyBodyType *type;
    const LyraBodyDef *def;    // the world's copy; `mesh`, `generate` and surfaces in it are gone
    double *positions;         // at rest, of its nodes, [vertex_count + scalar_count][3], owned
    double *masses;            // of its nodes, owned
    LyraSolidDef solid_def;    // what `solid` was made by; strings are those of `def`
    LyRegionElements *regions; // of those with parameters; on the arena
    double *start[2];          // displacements and velocities of files; NULL: none; on the arena
    LyraSprings *springs;      // of such a body; owned. Nullable
    double *shown[2];          // buffers of lyra_world_positions(), _velocities(); owned
    double young, mass;        // factors on what it has, as people turned it
    double poisson;            // of all of it; NaN: its own
    double cloth[4];           // factors on stretch, shear, bend_u, bend_v
    double rod_damping;        // factor on that of a rod
    LyStrainLimit *limit;      // projection after steps; owned. Nullable
} LyBody;

struct LyraWorld {
    LyraContext *ctx;
    bool own_ctx;
    LyraArena *arena; // of all copied settings
    LyWorldSpec spec; // scalars of it; the lists are below
    char *folder;     // in front of files that are not absolute; "" for where the program runs
    LyNameIndex names;
    int32_t body_count;
    LyraBodyView *views;  // [body_count]; owned, with what they show
    LyBody *bodies;       // [body_count]
    int32_t vertex_count; // of the model: nodes of all bodies
    int32_t force_count;
    LyraForce **forces; // owned; those beside the bodies' own: loads, springs, viscosity
    int32_t rule_count;
    LyRule *rules;
    int32_t motion_count, nodal_count;
    LyMotion *motions;
    LyNodal *nodals;
    LyUndo undo;    // what the rules of the step in progress found
    LyPulls *pulls; // what people pull at; owned by its force
    int32_t tie_count;
    LyTie **ties;                // owned by their forces
    LyWorldObstacles *obstacles; // owned: ly_world_end_obstacles(). Nullable
    LyRigidBodies *rigid;        // owned: ly_world_end_rigid(); once it is prepared. Nullable
    int32_t probe_count;
    LyProbe **probes; // owned: ly_world_end_probes()
    bool load_moves;  // a load function depends on u or v
    int32_t step_force_count;
    LyStepForces *step_forces; // owned: ly_world_end_step_forces()
    double *step_force;        // their sum, [vertex_count][3]
    LyraBlockMatrix *damping;  // of `damping.laplacian`; owned with its pattern. Nullable
    LyraBlockPattern *damping_pattern;
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
    LyraState *work;          // of a step of several substeps; made by the first one
    bool gravity_changes;     // by itself, over time
    LyraVector *momentum;     // scratch of energies; made by the first ones
    LyraVector *projected[3]; // u and v before a projection, its way; where motion is bounded
    LyParameters *parameters; // that can be turned; once it is prepared
    double start_dt, start_damping[2], start_gravity[3];
    double dt;
    int32_t substeps;
    int64_t steps;
    uint64_t digest;
    bool warned_incompressible, warned_coarse; // of tets of 4 nodes
    double *strains;                           // scratch of ly_warn_bending(). Nullable
};

// ---- bodies -------------------------------------------------------------------------------------

/// A point of a body whose points are not vertices of the model: vertex of its shape.
typedef struct LyBodyPoint {
    int32_t body, vertex;
} LyBodyPoint;

/// A kind of body: how its vertices, masses and forces come from its def, and how points of its
/// shape come from its vertices. A row of the table in body_types.c.
struct LyBodyType {
    const char *name;
    /// Fills view and body from a def whose mesh, if any, has been read, placed and given its
    /// materials; the mesh is taken. `first_vertex` is set. On failure what was put into `view` and
    /// `body` is ended by the caller.
    LyraStatus (*create)(LyraWorld *world, LyraMesh *take, LyraBodyView *view, LyBody *body);
    /// Whether points of its shape are weights on its vertices, in place of the vertices.
    bool weighted;
    /// Whether it is made without a mesh of elements: `create` is given none. Nullable: it is not.
    bool (*meshless)(const LyraBodyDef *def);
    /// Embeds points at rest in a weighted body.
    LyraStatus (*embed)(const LyraBodyView *view, int32_t count, const double *points,
                        LyraEmbedding **out);
    /// The forces it is made of, [*count]. Nullable: none.
    LyraForce *const *(*forces)(const LyraBodyView *view, int32_t *count);
};

const LyBodyType *ly_body_type_find(const char *name);

/// Turns viscosity by a quality factor into a series of the material, before the mesh is made.
LyraStatus ly_body_fit_viscosity(LyraWorld *world, LyraBodyDef *def);

/// Series, goals and their arrays, from the def of a solid with `mesh` into its `solid_def`; of a
/// shell, without.
LyraStatus ly_body_set_memory(LyraWorld *world, const LyraMesh *mesh, LyBody *body);

/// Finds the elements of regions with parameters, and sets those of a solid.
LyraStatus ly_body_select_regions(LyraWorld *world, const LyraMesh *mesh, LyBody *body);
LyraStatus ly_body_set_regions(const LyBody *body, const LyraSolid *solid);

/// Moves a mesh, which is replaced.
LyraStatus ly_mesh_place(const LyraPlacement *place, LyraMesh **mesh);

/// Ends what view and body hold; what they lack is NULL.
void ly_body_end(LyraContext *ctx, LyraBodyView *view, LyBody *body);

/// Loads and embeds the surfaces that a body is to show, or makes its skin.
LyraStatus ly_body_show(LyraWorld *world, LyraBodyView *view, const LyraBodyDef *def);

/// Copies positions and masses of the vertices into a body.
LyraStatus ly_body_set_vertices(LyraContext *ctx, LyraBodyView *view, LyBody *body, int32_t count,
                                const double *positions, const double *masses);

/// Adds scalar nodes behind the vertices of a body, which it has already.
LyraStatus ly_body_set_scalars(LyraContext *ctx, LyraBodyView *view, LyBody *body, int32_t count,
                               const double *positions, const double *masses);

/// Nodes of a body in the model: vertices and scalars.
static inline int32_t ly_body_nodes(const LyraBodyView *view)
{
    return view->vertex_count + view->scalar_count;
}

/// The mesh that selectors choose from; NULL for springs of surfaces and chains.
static inline const LyraMesh *ly_body_shape(const LyraBodyView *view)
{
    return view->shape ? view->shape : view->mesh;
}

/// Points of a body that selectors choose from, at rest: the vertices of its shape, or of the body
/// where it has none.
typedef struct LyBodyPoints {
    int32_t count;
    const double *positions; // [count][3]
} LyBodyPoints;

LyBodyPoints ly_body_points(const LyraWorld *world, int32_t body);

/// Vertices of the model and weights on them of points, [count][4] each, on the world's arena.
LyraStatus ly_world_point_weights(LyraWorld *world, int32_t count, const LyBodyPoint *points,
                                  int32_t **vertices, double **weights);

/// x -> A x + t of a placement; false where it leaves all as it is. The axis has a length.
bool ly_placement_matrix(const LyraPlacement *place, double A[9], double t[3]);

/// Adds a body that was made and named: takes what `view` and `body` hold, also on failure.
LyraStatus ly_world_take_body(LyraWorld *world, LyraBodyView *view, LyBody *body);

/// A path seen from the world's folder, to ly_release().
LyraStatus ly_world_path(const LyraWorld *world, const char *file, char **out);

// ---- selections ---------------------------------------------------------------------------------

/// What a selector found.
typedef struct LySelection {
    int32_t count;
    const int32_t *vertices; // of the model, of bodies whose meshes have these, ascending
    int32_t point_count;
    const LyBodyPoint *points; // of weighted bodies, ascending
} LySelection;

/// Number of the body of that name. Failures name `key` and list the names.
LyraStatus ly_find_body(const LyraWorld *world, const char *key, const char *name, int32_t *body);

/// Bodies [*first, *end) that `name` stands for: one, or all where it is NULL.
LyraStatus ly_select_bodies(const LyraWorld *world, const char *name, int32_t *first, int32_t *end);

/// Vertices and points, on the world's arena. None is an error. Errors name keys below `select`.
LyraStatus ly_select_vertices(LyraWorld *world, const char *body, const LyraSelector *select,
                              LySelection *out);

/// The same where weighted bodies can be selected as a whole only, by all their vertices.
LyraStatus ly_select_whole(LyraWorld *world, const char *body, const LyraSelector *select,
                           int32_t *count, const int32_t **vertices);

/// Triangles of the surface, as vertices of the model, [count][3]. None is an error, and so are
/// those of weighted bodies.
LyraStatus ly_select_triangles(LyraWorld *world, const char *body, const LyraSelector *select,
                               int32_t *count, const int32_t **triangles);

/// Elements of a mesh, ascending. None is an error.
LyraStatus ly_select_elements(LyraWorld *world, const LyraMesh *mesh, const LyraSelector *select,
                              int32_t *count, int32_t **elements);

/// Fails unless a vector has a length.
LyraStatus ly_check_direction(const char *key, const double direction[3]);

/// Row-major rotation about `axis` by `angle`; an axis of no length is the caller's to refuse.
void ly_turn_matrix(const double axis[3], double angle, double R[9]);

// ---- parts --------------------------------------------------------------------------------------

/// Adds a rule, which the world owns from here on, also on failure.
LyraStatus ly_world_take_rule(LyraWorld *world, LyRule rule);

/// Adds a force, which the world owns from here on, also on failure. `body`: -1: none; otherwise
/// the force becomes "NAME.TYPE" of the body, whose name `name` is.
LyraStatus ly_world_own_force(LyraWorld *world, int32_t body, const char *name, LyraForce *take);

/// Adds bytes to the digest: contents of files, keys and values in the order read.
void ly_world_digest(LyraWorld *world, const void *bytes, size_t count);

/// Puts what is held into the model, which is there now.
LyraStatus ly_world_constrain(LyraWorld *world);

/// The start of the bodies, and of what is held, in the state.
LyraStatus ly_world_start(LyraWorld *world);

/// LyraPrescription and LyraLoad of the model; `user` is the world.
void ly_world_prescribe(void *user, double t, double *u, double *v, double *a);
bool ly_world_moves(const LyraWorld *world);
void ly_world_load(void *user, double t, const double *u, const double *v, double *f);

/// What of it is no gravity.
void ly_world_add_nodals(const LyraWorld *world, double t, const double *u, const double *v,
                         double *f);

/// Stiffness of hard ties that have none, once the state is there.
LyraStatus ly_world_prepare_ties(LyraWorld *world);

/// Makes the forces of obstacles, before the model; notes their groups, once it is there.
LyraStatus ly_world_prepare_obstacles(LyraWorld *world);
void ly_world_note_obstacles(LyraWorld *world);
void ly_world_end_obstacles(LyraWorld *world);

/// Fails for integrators that obstacles do not work with.
LyraStatus ly_world_check_obstacles(const LyraWorld *world, const LyraIntegrator *integrator);

/// Whether obstacles hold vertices by constraints; fails for integrators and bodies that can't.
bool ly_world_holds(const LyraWorld *world);
LyraStatus ly_world_check_holding(const LyraWorld *world, const LyraIntegrator *integrator);

/// Holds what obstacles hold in a step of `state` to `end`. After it, whether it is to be taken
/// `again`, in another pass, without what is pulled; then what is still pulled is let go.
LyraStatus ly_world_hold(LyraWorld *world, LyraState *state, double end, int32_t pass);
LyraStatus ly_world_find_pulled(LyraWorld *world, LyraState *state, int32_t pass, bool *again);
LyraStatus ly_world_release(LyraWorld *world, LyraState *state, LyraStepReport *report);

/// Fails for an integrator that cannot find what hard ties push with.
LyraStatus ly_world_check_ties(const LyraWorld *world, const LyraIntegrator *integrator);

/// Adds the limit of strain of a body that is made, or does nothing without one.
LyraStatus ly_body_limit_strain(LyraWorld *world, const LyraBodyView *view, LyBody *body);
void ly_strain_limit_destroy(LyStrainLimit *limit);

/// Whether the state of a step is projected.
bool ly_world_projects(const LyraWorld *world);

/// Fails for an integrator whose steps are no motion.
LyraStatus ly_world_check_projections(const LyraWorld *world, const LyraIntegrator *integrator);

/// Projects the state of a step that has ended, and changes its report. What the method remembers
/// is forgotten where something moved.
LyraStatus ly_world_project(LyraWorld *world, LyraState *state, LyraStepReport *report);

/// What neither affine nor rigid bodies have a use for is refused, not passed over.
LyraStatus ly_check_stiff_def(const LyraBodyDef *def);

/// Embeds points at rest in an affine or rigid body.
LyraStatus ly_embed_stiff(const LyraBodyView *view, int32_t count, const double *points,
                          LyraEmbedding **out);

/// Makes what moves the rigid bodies, before the model: their force, and the stepper of all, which
/// belongs to `*body`. Without such bodies `*body` is -1.
LyraStatus ly_world_prepare_rigid(LyraWorld *world, int32_t *body, LyraForce **force,
                                  LyraStepper *stepper);
/// Notes the group, once the model is there.
void ly_world_note_rigid(LyraWorld *world);
void ly_world_end_rigid(LyraWorld *world);

/// Sets the stiffness of their shapes to zero, or back to what it is.
LyraStatus ly_world_soften_rigid(LyraWorld *world, bool soft);

/// Fails for integrators whose steps do not go along chords.
LyraStatus ly_world_check_rigid(const LyraWorld *world, const LyraIntegrator *integrator);

/// What the solver is wanted for, of an integrator. Angles of rods make matrices badly conditioned,
/// and factors of lines are cheap.
LyraSolverTask ly_world_solver_task(const LyraWorld *world, const char *integrator);

/// Energies of a state of the world.
LyraStatus ly_world_energies_of(LyraWorld *world, const LyraState *state, LyraEnergies *out);

/// Largest distance that a hard tie leaves now, m; 0 without.
double ly_world_hard_gap(const LyraWorld *world);

/// Adds the group of springs of lyra_world_pull(), without any at first.
LyraStatus ly_world_add_pull(LyraWorld *world);

/// What of a path follows "bodies[N]." or "bodies.NAME.", and the number of the body; -1 after
/// "bodies.*.". NULL for paths that name no body of the world.
const char *ly_path_body(const LyraWorld *world, const char *path, int32_t *body);

/// Finds the parameters that can be turned, once the model is there, and ends their list.
LyraStatus ly_world_list_parameters(LyraWorld *world);
void ly_world_end_parameters(LyraWorld *world);

/// Density of a shell, kg/m^3.
double ly_shell_density(const LyraBodyDef *def);

/// Consistent masses of all bodies. `positions`: at rest, of all vertices.
LyraStatus ly_world_mass_matrix(const LyraWorld *world, const double *positions,
                                LyraMassMatrix **out);

/// Notes where the numbers that can be turned start, once the model is there.
void ly_world_note_start(LyraWorld *world);

/// Ends the forces and rules from these numbers on, as those of a body that failed.
void ly_world_drop(LyraWorld *world, int32_t force_count, int32_t rule_count);

/// Room for one more item behind `count`, by doubling. `array` is a pointer to the typed pointer.
#define ly_grow_array(ctx, count, size, array)                                                     \
    (((count) & ((count)-1)) == 0                                                                  \
         ? ly_resize_array(ctx, (count) > 0 ? 2 * (int64_t)(count) : 1, size, array)               \
         : LYRA_OK)

/// Warns, once, of nearly incompressible tets of 4 nodes in a body.
void ly_warn_incompressible(LyraWorld *world, const LyraBodyView *view, const LyBody *body);

/// Makes room for ly_warn_bending(), where statics have tets of 4 nodes.
LyraStatus ly_world_watch_bending(LyraWorld *world);

/// Warns, once, of tets of 4 nodes that are too coarse for the strains of the state.
void ly_warn_bending(LyraWorld *world);

/// Fails where the world is prepared: `what` is to be added.
LyraStatus ly_world_check_open(const LyraWorld *world, const char *what);

#endif
