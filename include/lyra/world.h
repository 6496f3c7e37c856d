// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Worlds: bodies, what holds them, what acts on them, and how time goes on, in one object that
/// owns all it makes. Fill a world, then step it; the first step, or lyra_world_prepare(), makes
/// its model, after which bodies, constraints and loads stay as they are and parameters move on.
/// Scenes are worlds in a file: scene.h.
///
/// Bodies are named. Where a function takes the name of a body, NULL means all bodies.

#ifndef LYRA_WORLD_H
#define LYRA_WORLD_H

#include "lyra/affine.h"
#include "lyra/base.h"
#include "lyra/cloth.h"
#include "lyra/curve.h"
#include "lyra/embed.h"
#include "lyra/fields.h"
#include "lyra/integrator.h"
#include "lyra/lines.h"
#include "lyra/mesh.h"
#include "lyra/mesh_generate.h"
#include "lyra/model.h"
#include "lyra/obstacle.h"
#include "lyra/points.h"
#include "lyra/rigid.h"
#include "lyra/rod.h"
#include "lyra/shell.h"
#include "lyra/solid.h"
#include "lyra/surface.h"
#include "lyra/system.h"
#include "lyra/viscosity.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraWorld LyraWorld;

// ---- making -------------------------------------------------------------------------------------

/// Rayleigh damping of everything.
typedef struct LyraDamping {
    double mass;      ///< alpha of alpha M, 1/s, >= 0. Default 0.
    double stiffness; ///< beta of beta K, s, >= 0. Default 0.
    bool exact;       ///< K as it is, indefinite or not. Default false.
    /// Against differences of velocity between neighbours, along edges of elements and springs:
    /// between vertices with n_i and n_j neighbours (1/n_i + 1/n_j)/2 of it, N s/m, >= 0. Default
    /// 0.
    double laplacian;
} LyraDamping;

/// How long and how finely.
typedef struct LyraTiming {
    double dt;        ///< A step, s, > 0. Default 0.01.
    int64_t steps;    ///< To take; 0: no limit. Default 0.
    double duration;  ///< In place of `steps`, s. Default NaN: not given.
    int32_t substeps; ///< Steps of the integrator in a step, >= 1. Default 1.
} LyraTiming;

/// Mass matrices.
typedef enum LyraMassKind {
    LYRA_MASS_LUMPED = 0, ///< At the vertices.
    LYRA_MASS_CONSISTENT, ///< Of the elements.
} LyraMassKind;

/// Settings of a world. Start from lyra_world_def_default(). All of it is copied.
typedef struct LyraWorldDef {
    const char *title;            ///< Nullable.
    LyraCurve gravity[3];         ///< m/s^2. Default 0.
    LyraMassKind mass;            ///< Default LYRA_MASS_LUMPED.
    LyraDamping damping;          ///< Default none.
    LyraIntegratorDef integrator; ///< Default lyra_integrator_def_default().
    LyraSolverDef solver;         ///< Default lyra_solver_def_default(), its task chosen.
    LyraTiming time;
    uint32_t cookie; ///< Written by the default function only.
} LyraWorldDef;

LYRA_API LyraWorldDef lyra_world_def_default(void);

/// Makes an empty world. `ctx`: must outlive it; NULL: the world makes one of its own. `def`:
/// Nullable: defaults.
LYRA_API LyraStatus lyra_world_create(LyraContext *ctx, const LyraWorldDef *def, LyraWorld **out);

/// Accepts NULL.
LYRA_API void lyra_world_destroy(LyraWorld *world);

/// The context of a world, for meshes and other things to hand to it.
LYRA_API LyraContext *lyra_world_context(const LyraWorld *world);

/// Sets constant gravity, m/s^2, at any time.
LYRA_API LyraStatus lyra_world_set_gravity(LyraWorld *world, const double gravity[3]);

// ---- selectors ----------------------------------------------------------------------------------

typedef struct LyraSelectBox {
    double min[3], max[3]; ///< Corners, m.
} LyraSelectBox;

typedef struct LyraSelectSphere {
    double center[3], radius; ///< m.
} LyraSelectSphere;

/// The side of a plane that its normal points to.
typedef struct LyraSelectHalfSpace {
    double point[3]; ///< m.
    double normal[3];
} LyraSelectHalfSpace;

/// Parts of the surface that face a direction; for vertices by the mean normal around.
typedef struct LyraSelectNormal {
    double direction[3];
    double angle; ///< How far off, rad, in (0, pi). Default pi / 6.
} LyraSelectNormal;

/// Points near a place; of two at one distance the first counts.
typedef struct LyraSelectNear {
    double point[3]; ///< m.
    double distance; ///< At most this far, m. NaN: not given.
    int64_t count;   ///< In place of it: the nearest ones, so many. 0: not given.
} LyraSelectNear;

/// What a selector says of the surface.
typedef enum LyraSelectSurface {
    LYRA_SELECT_ANYWHERE = 0,
    LYRA_SELECT_SURFACE,
    LYRA_SELECT_INNER, ///< Walls of cavities.
    LYRA_SELECT_OUTER, ///< The rest of the surface.
} LyraSelectSurface;

/// Which vertices, faces or elements: those that meet all that is said; at least one thing must
/// be. Places are those at rest. A face is in if all its vertices are, an element if its centre
/// is. Start from lyra_selector_default().
typedef struct LyraSelector {
    bool all;
    const int32_t *vertices; ///< Numbers, from 0, in the order of the mesh. Nullable.
    int32_t vertex_count;
    const char *file; ///< A `.bou` file of numbers. Nullable.
    int64_t first;    ///< What stands for the first vertex in `file`. Default 1.
    /// A set of the mesh, of vertices, faces or elements: its vertices. Faces are selected by a
    /// set of faces as they are, elements by sets of elements alone. Nullable.
    const char *set;
    const LyraSelectBox *box;              ///< Nullable.
    const LyraSelectSphere *sphere;        ///< Nullable.
    const LyraSelectHalfSpace *half_space; ///< Nullable.
    const LyraSelectNear *near;            ///< Nullable.
    /// A part of the body that shares no vertex with the rest, numbered by their first elements.
    /// Default -1: not given.
    int64_t component;
    const double *component_at; ///< The part at or nearest to this place, m, [3]. Nullable.
    LyraSelectSurface surface;
    const LyraSelectNormal *normal; ///< Nullable.
    bool invert;                    ///< What was not selected.
} LyraSelector;

LYRA_API LyraSelector lyra_selector_default(void);

// ---- bodies -------------------------------------------------------------------------------------

/// A rotation.
typedef struct LyraTurn {
    double axis[3];   ///< Default z.
    double center[3]; ///< A point of the axis, m. Default 0.
    double angle;     ///< Right-handed, rad. Default 0.
} LyraTurn;

/// A rigid motion and scale of a mesh, applied before all else: scale, rotate, translate.
typedef struct LyraPlacement {
    double scale[3]; ///< > 0. Default 1.
    LyraTurn rotate;
    double translate[3]; ///< m. Default 0.
} LyraPlacement;

/// Where a body is at the start, and how it moves.
typedef struct LyraStart {
    double scale[3]; ///< About the middle of the body; 0 flattens. Default 1.
    LyraTurn rotate;
    double translate[3];        ///< m. Default 0.
    double velocity[3];         ///< m/s. Default 0.
    double angular_velocity[3]; ///< About the middle of the body, rad/s. Default 0.
    /// Displacements, m, and velocities, m/s, of all vertices in place of the above: a matrix of
    /// Vega, 3 n rows in one column, or an `.npy` array of 3 n numbers. Nullable.
    const char *displacement_file, *velocity_file;
} LyraStart;

/// A part of a body with other moduli.
typedef struct LyraRegion {
    LyraSelector select;            ///< Elements, by their centres or as a set.
    double young, poisson, density; ///< Pa, 1, kg/m^3. Default NaN: as the body's.
    /// Parameters of the body's forces by name, in SI, as "yield": those of the elements in it.
    const LyraElasticConstant *constants; ///< [constant_count]. Nullable.
    int32_t constant_count;
} LyraRegion;

/// How a solid is viscous.
typedef enum LyraViscosityModel {
    LYRA_VISCOUS_STRAIN_RATE = 0, ///< "strain-rate": lyra/viscosity.h; tets.
    LYRA_VISCOUS_PRONY,           ///< "prony": shares of the stress that fade away.
    LYRA_VISCOUS_MAXWELL,         ///< "maxwell": springs in logarithmic strain with dampers.
    LYRA_VISCOUS_CONSTANT_Q,      ///< "constant-q": a Prony series, fitted to a quality factor.
    LYRA_VISCOUS_COUNT
} LyraViscosityModel;

/// A term of a series of moduli that fade away. Start from lyra_viscosity_term_default(), and give
/// one of the last three.
typedef struct LyraViscosityTerm {
    double time;             ///< Relaxation time, s, > 0.
    double share;            ///< Modulus over that of the law, which all has left at last, >= 0.
    double instant_share;    ///< Modulus over that of law and terms together, in [0, 1).
    double modulus;          ///< "maxwell": Pa, > 0.
    const char *coefficient; ///< Of the law, in `coefficients`: "mu10". Nullable elsewhere.
} LyraViscosityTerm;

LYRA_API LyraViscosityTerm lyra_viscosity_term_default(void);

/// How a solid is viscous: settings of its model, the others are not read. Start from
/// lyra_body_viscosity_default(). All times of its series together are at most
/// LYRA_RELAXATION_BRANCHES_MAX.
typedef struct LyraBodyViscosity {
    LyraViscosityModel model; ///< Default LYRA_VISCOUS_STRAIN_RATE.
    double lambda, mu;        ///< "strain-rate": Pa s. Default 0.
    bool symmetric;           ///< "strain-rate": keeps matrices symmetric. Default true.
    /// "prony": of the shear modulus; "maxwell": its branches. [shear_count].
    const LyraViscosityTerm *shear;
    const LyraViscosityTerm *bulk; ///< "prony": of the bulk modulus. [bulk_count].
    /// "prony": series of Lame's coefficients, in place of `shear` and `bulk`. The bulk modulus is
    /// lambda + 2 mu/3.
    const LyraViscosityTerm *lambda_terms, *mu_terms;
    /// "prony": series of coefficients of the law, which is linear in them, in place of all these:
    /// `share` is that of a coefficient. Terms of one are told by its name.
    const LyraViscosityTerm *coefficients;
    int32_t shear_count, bulk_count, lambda_count, mu_count, coefficient_count;
    double q;       ///< "constant-q": storage over loss modulus, > 0. Default 10.
    double band[2]; ///< "constant-q": frequencies from and to, Hz. Default 0.1 and 100.
    /// "constant-q": the frequency, Hz, at which the body has the moduli of its law. Default 0: it
    /// has them when all has faded away.
    double reference;
    int32_t branches; ///< "constant-q": 0: as many as the fit needs. Default 0.
} LyraBodyViscosity;

LYRA_API LyraBodyViscosity lyra_body_viscosity_default(void);

/// Damping of a body, beside that of the world.
typedef struct LyraBodyDamping {
    const LyraStretchDampingDef *stretch_rate; ///< Of the rate of stretches; tets. Nullable.
} LyraBodyDamping;

/// The shape that a body with the yield criterion "deformation" may flow toward, and nowhere else.
/// Start from lyra_body_goal_default(). One of the first three is given.
typedef struct LyraBodyGoal {
    const char *file;     ///< A mesh of the same elements, in the place of the body's. Nullable.
    const LyraMesh *mesh; ///< The same; copied. Nullable.
    /// An `.npy` array of the logarithmic strain of each element, [element_count][6], as
    /// LyraPlasticityDef.goal_strain. Nullable.
    const char *strain_file;
    double
        scale[3]; ///< Of the body at rest, where none is given: factors along x, y, z. Default 1.
} LyraBodyGoal;

LYRA_API LyraBodyGoal lyra_body_goal_default(void);

/// Fibres in a body, as in muscle, beside its law.
typedef struct LyraBodyFibre {
    double direction[3];  ///< Of the fibres at rest. Default x.
    double stiffness;     ///< Pa, >= 0. Default 0.
    double exponent;      ///< >= 0. Default 0.
    double active_stress; ///< At full activation, Pa, >= 0. Default 0.
    LyraCurve activation; ///< In [0, 1]. Default 0.
    bool tension_only;    ///< Default true.
} LyraBodyFibre;

/// A surface that a body carries along, in the place of the body after `transform`.
typedef struct LyraBodySurface {
    const char *name;           ///< Nullable: that of the file.
    const char *file;           ///< Of any format. Nullable with `surface`.
    const LyraSurface *surface; ///< In place of `file`; copied. Nullable.
    const char *weights;        ///< An `.interp` file. Nullable: weights are computed.
    bool matched; ///< Its vertices are those of the body, in their order. Default false.
} LyraBodySurface;

/// Between which vertices springs are.
typedef enum LyraSpringsOver {
    LYRA_SPRINGS_OVER_ELEMENTS = 0, ///< Any two that share a tet or a cube.
    LYRA_SPRINGS_OVER_QUADS,        ///< Of a surface of quads: edges, diagonals, over next edges.
    LYRA_SPRINGS_OVER_EDGES,        ///< Edges of any surface.
    LYRA_SPRINGS_OVER_CHAIN,        ///< Each and the next on a line.
    LYRA_SPRINGS_OVER_COUNT
} LyraSpringsOver;

/// Springs that a body is made of. Start from lyra_body_springs_default().
typedef struct LyraBodySprings {
    LyraSpringsOver over;       ///< Default LYRA_SPRINGS_OVER_ELEMENTS: of the body's mesh.
    const char *file;           ///< The surface, of any format, over quads or edges. Nullable.
    const LyraSurface *surface; ///< In place of `file`; copied. Nullable.
    int32_t count;              ///< Of vertices of a chain, > 0. Default 2.
    double from[3], to[3];      ///< Ends of a chain, m. Default 0 and (1, 0, 0).
    /// Of edges, N/m, >= 0. Default NaN: over tets from Young's modulus, otherwise 100.
    double structural;
    double shear;           ///< Of diagonals, N/m, >= 0. Default NaN: `structural`.
    double bend;            ///< Over quads, past a vertex to the next, N/m, >= 0. Default 0.
    double damping;         ///< Of each spring, N s/m, >= 0. Default 0.
    bool full;              ///< Damping brakes all relative motion, not that along springs alone.
    double surface_density; ///< Over quads and edges, kg/m^2, > 0. Default 1.
    /// Of all of it, kg, > 0, shared as volume or area is, and equally in a chain. Default NaN: by
    /// the densities; of a chain 1 kg.
    double mass;
} LyraBodySprings;

/// Fabric of a part of a cloth. Start from lyra_body_fabric_default().
typedef struct LyraBodyFabric {
    const char *name;       ///< A group or a material of the surface.
    LyraClothGroup fabric;  ///< Default NaN: as that of the cloth.
    double surface_density; ///< kg/m^2, > 0. Default NaN: as that of the cloth.
} LyraBodyFabric;

LYRA_API LyraBodyFabric lyra_body_fabric_default(void);

/// Where the place of a triangle in the flat fabric comes from.
typedef enum LyraClothUv {
    LYRA_CLOTH_UV_AUTO = 0, ///< Each triangle as it is at rest, u along its first edge.
    LYRA_CLOTH_UV_FILE,     ///< Texture coordinates of the surface.
    LYRA_CLOTH_UV_COUNT
} LyraClothUv;

/// Cloth that a body is made of: lyra/cloth.h. Start from lyra_body_cloth_default(). The surface is
/// one of `file`, `surface` and `generate`; its polygons are cut into triangles.
typedef struct LyraBodyCloth {
    const char *file;             ///< Of any format. Nullable.
    const LyraSurface *surface;   ///< Copied. Nullable.
    const LyraSheetDef *generate; ///< Nullable.
    LyraClothGroup fabric;        ///< Default lyra_cloth_group_default().
    double surface_density;       ///< kg/m^2, > 0. Default 0.25.
    double mass;                  ///< Of all of it, kg, > 0. Default NaN: by the densities.
    /// Parts with other fabrics; the last one that holds a triangle counts. [fabric_count].
    const LyraBodyFabric *fabrics;
    int32_t fabric_count;
    LyraClothUv uv;     ///< Default LYRA_CLOTH_UV_AUTO.
    double uv_scale;    ///< Metres of fabric in a unit of texture coordinates, > 0. Default 1.
    LyraClothArea area; ///< Default LYRA_CLOTH_AREA_OURS.
    /// As in LyraClothDef, and with its defaults.
    double rest_stretch[2];
    bool rest_angles, frozen_bend;
    bool stretch_force, stretch_stiffness, bend_force, bend_stiffness, symmetric;
} LyraBodyCloth;

LYRA_API LyraBodyCloth lyra_body_cloth_default(void);

/// Triangles of a shell that are thicker or thinner. Start from lyra_shell_part_default().
typedef struct LyraShellPart {
    LyraSelector select; ///< Those with all corners in it.
    double thickness;    ///< m, > 0. Default NaN: to be given.
} LyraShellPart;

LYRA_API LyraShellPart lyra_shell_part_default(void);

/// Shell that a body is made of: lyra/shell.h. Its law is the `material` of the body, 1 MPa and 0.3
/// unless given, its `density` 1000 kg/m^3 unless given. Start from lyra_body_shell_default(). The
/// surface is one of `file`, `surface` and `generate`; its polygons are cut into triangles.
typedef struct LyraBodyShell {
    const char *file;             ///< Of any format. Nullable.
    const LyraSurface *surface;   ///< Copied. Nullable.
    const LyraSheetDef *generate; ///< Nullable.
    double thickness;             ///< m, > 0. Default 1e-3.
    const LyraShellPart *parts;   ///< The last one that holds a triangle counts. [part_count].
    int32_t part_count;
    LyraShellBend bend; ///< Default LYRA_SHELL_BEND_MORLEY.
    double bend_factor; ///< On the bending stiffness, >= 0. Default 1.
    bool rest_angles;   ///< Bending starts from the shape at rest, not from flat. Default true.
    /// Edges of one triangle with both ends in a selection keep their direction; the constraints
    /// are to hold these. [clamp_count].
    const LyraSelector *clamp;
    int32_t clamp_count;
} LyraBodyShell;

LYRA_API LyraBodyShell lyra_body_shell_default(void);

/// Particles on a surface and springs between them, whose matrix never changes: cloth after Hauth.
/// Start from lyra_body_particles_default(). The surface is one of `file`, `surface` and
/// `generate`: of quads, with springs along edges, diagonals and past a vertex to the next; or of
/// any faces, with springs along edges.
typedef struct LyraBodyParticles {
    const char *file;             ///< Of any format. Nullable.
    const LyraSurface *surface;   ///< Copied. Nullable.
    const LyraSheetDef *generate; ///< Nullable.
    double stiffness;             ///< Of edges, N/m, >= 0. Default 1000.
    double shear;                 ///< Of diagonals of quads, N/m, >= 0. Default 0.
    double bend;                  ///< Past a vertex to the next, of quads, N/m, >= 0. Default 0.
    double damping;         ///< Of each spring, of all relative motion, N s/m, >= 0. Default 0.
    double surface_density; ///< kg/m^2, > 0. Default 0.25.
    double mass;            ///< Of all of it, kg, > 0. Default NaN: by the density.
} LyraBodyParticles;

LYRA_API LyraBodyParticles lyra_body_particles_default(void);

/// What the cross-section of a rod is.
typedef enum LyraRodShape {
    LYRA_ROD_CIRCLE = 0, ///< Full, or a tube with `inner_radius`.
    LYRA_ROD_RECTANGLE,  ///< `width` along the first director, `height` along the second.
    LYRA_ROD_SHAPE_COUNT
} LyraRodShape;

/// Rods that a body is made of: lyra/rod.h. Start from lyra_body_rod_default(). The lines are one
/// of `file`, `lines` and `generate`; where they have radii, these take the place of `radius`.
typedef struct LyraBodyRod {
    const char *file;            ///< Lines of lyra_lines_load(). Nullable.
    const LyraLines *lines;      ///< Copied. Nullable.
    const LyraLineDef *generate; ///< Nullable.
    bool rope;                   ///< Free to turn, straight by nature. Default false.
    LyraRodShape section;        ///< Default LYRA_ROD_CIRCLE.
    double radius, inner_radius; ///< Of a circle, m. Default 0.005 and 0.
    double width, height;        ///< Of a rectangle, m. Default 0.01 and 0.002.
    double young;                ///< Pa, > 0. Default 1e7.
    double poisson;              ///< For the shear modulus, (-1, 0.5). Default 0.3.
    double density;              ///< kg/m^3, > 0. Default 1000.
    /// In place of what the section gives: EA, N; EI towards the first director and across it
    /// (NaN: the same), N m^2; GJ, N m^2; kg/m; inertia about the tangent per length, kg m. NaN.
    double stretch, bend, bend_across, twist, line_density, inertia;
    double mass;          ///< Of all of it, kg, > 0. Default NaN: by the densities.
    const double *normal; ///< Leans the first director of all edges that way, [3]. Nullable.
    bool straight;        ///< Straight and untwisted by nature. Default false: as at rest.
    double curvature[2];  ///< By nature beside that, 1/m. Default 0.
    double turn;          ///< Twist by nature beside that, rad/m. Default 0.
    double damping;       ///< Viscosity over stiffness of all strains, s, >= 0. Default 0.
    int32_t sides;        ///< Corners of the tube that is shown; 0: none. Default 8.
} LyraBodyRod;

LYRA_API LyraBodyRod lyra_body_rod_default(void);

/// Bounds of the stretches of a body of faces, cut into triangles, from its shape at rest (of cloth
/// from its fabric). Start from lyra_body_strain_limit_default().
typedef struct LyraBodyStrainLimit {
    double low;       ///< Least principal stretch, [0, high]. Default 0: none.
    double high;      ///< Largest principal stretch, > 0. Default 1.1.
    bool project;     ///< By projection after each step in place of an energy. Default false.
    double stiffness; ///< Of the energy, N/m, >= 0. Default 1e5.
    int32_t passes;   ///< Of the projection at most, over all triangles, >= 1. Default 100.
    double tolerance; ///< Of the projection, beyond the bounds, >= 0. Default 1e-3.
} LyraBodyStrainLimit;

LYRA_API LyraBodyStrainLimit lyra_body_strain_limit_default(void);

/// A body. Start from lyra_body_def_default(). All of it is copied. What it is made of is one of
/// `file`, `mesh` and `generate`.
typedef struct LyraBodyDef {
    const char *name;                 ///< Unique. Nullable: "body1", "body2", ...
    const char *kind;                 ///< A name of lyra_body_kind(). Default "solid".
    const char *file;                 ///< A mesh of any format. Nullable.
    const LyraMesh *mesh;             ///< Nullable.
    const LyraMeshShapeDef *generate; ///< Nullable.
    LyraPlacement transform;
    /// What it is made of: `young` 0 and `poisson` NaN are those of the mesh (of a generated one
    /// 1 MPa and 0.45). Defaults as lyra_solid_def_default(), but for a `poisson` of NaN.
    LyraSolidDef material;
    double density;   ///< kg/m^3, > 0. Default NaN: that of the mesh (1000 of a generated one).
    double stiffness; ///< Of the shape of "affine", "rigid", Pa. Default NaN: by its density.
    double modulus_factor;     ///< On all moduli of the mesh and of regions, > 0. Default 1.
    const LyraRegion *regions; ///< The last one that holds an element counts. [region_count].
    int32_t region_count;
    const LyraBodyViscosity *viscosity; ///< Nullable.
    LyraBodyDamping damping;
    const LyraBodyGoal *goal;           ///< Of its plasticity. Nullable.
    const LyraBodyFibre *fibre;         ///< Nullable.
    const LyraBodySprings *springs;     ///< "springs": what they are. Nullable: defaults.
    const LyraBodyCloth *cloth;         ///< "cloth": what it is. Nullable with other kinds.
    const LyraBodyParticles *particles; ///< "particles": what they are. Nullable with other kinds.
    const LyraBodyRod *rod;             ///< "rod": what it is. Nullable with other kinds.
    const LyraBodyShell *shell;         ///< "shell": what it is. Nullable with other kinds.
    const LyraBodyRigid *rigid;         ///< "rigid": what it weighs. Nullable.
    const LyraBodyStrainLimit *strain_limit; ///< Of bodies of faces. Nullable.
    const LyraBodySurface *surfaces;         ///< To show. [surface_count]. None: that of the mesh.
    int32_t surface_count;
    LyraStart start;
    uint32_t cookie; ///< Written by the default function only.
} LyraBodyDef;

LYRA_API LyraBodyDef lyra_body_def_default(void);
LYRA_API LyraRegion lyra_region_default(void);
LYRA_API LyraBodyFibre lyra_body_fibre_default(void);
LYRA_API LyraBodySprings lyra_body_springs_default(void);

/// Kinds of bodies by `index`; NULL past the last.
LYRA_API const char *lyra_body_kind(int32_t index);

/// Adds a body. `index`: Nullable: its number, from 0. On failure the world is as before, as with
/// all functions that add.
LYRA_API LyraStatus lyra_world_add_body(LyraWorld *world, const LyraBodyDef *def, int32_t *index);

// ---- what holds and pushes ----------------------------------------------------------------------

/// A rotation over time.
typedef struct LyraRotation {
    double axis[3];   ///< Default z.
    double center[3]; ///< A point of the axis, m. Default 0.
    LyraCurve angle;  ///< rad.
} LyraRotation;

/// Vertices that are held, and where. Start from lyra_constraint_def_default().
typedef struct LyraConstraintDef {
    const char *body; ///< Nullable: all.
    LyraSelector select;
    int32_t axes;              ///< Bits 1 x, 2 y, 4 z along which they are held. Default 7.
    const double *direction;   ///< The one direction, in place of `axes`, [3]. Nullable.
    LyraCurve displacement[3]; ///< From their place at rest, m. Default 0.
    LyraRotation rotation;     ///< Of their place at rest, before the displacement.
    /// Holds the edges of rods with both ends among the vertices, too: their angle about
    /// themselves, rad, from directors that go along without twist. Nullable: they turn freely.
    const LyraCurve *twist;
} LyraConstraintDef;

LYRA_API LyraConstraintDef lyra_constraint_def_default(void);

LYRA_API LyraStatus lyra_world_add_constraint(LyraWorld *world, const LyraConstraintDef *def);

/// Holds vertices where they are at rest.
LYRA_API LyraStatus lyra_world_fix(LyraWorld *world, const char *body, const LyraSelector *select);

/// Kinds of loads.
typedef enum LyraLoadKind {
    LYRA_LOAD_FORCE = 0, ///< On vertices.
    LYRA_LOAD_TRACTION,  ///< On faces, force per area.
    LYRA_LOAD_PRESSURE,  ///< On faces, against the normal.
    LYRA_LOAD_SPRING,    ///< Springs of no length from vertices to targets.
    LYRA_LOAD_TENDON,    ///< A cord along points, that pulls.
    LYRA_LOAD_KIND_COUNT
} LyraLoadKind;

/// Points of a tendon at most.
#define LYRA_TENDON_POINTS_MAX 10

/// A point that a tendon goes through: one of `vertex` and `at`. Start from
/// lyra_tendon_point_default().
typedef struct LyraTendonPoint {
    const char *body; ///< Nullable: that of the load, or the only one.
    int32_t vertex;   ///< Of the body's mesh. Default -1: not given.
    const double *at; ///< A place in the body at rest, m, [3]. Nullable.
    bool fixed;       ///< `at` is a place in space, of no body. Default false.
} LyraTendonPoint;

LYRA_API LyraTendonPoint lyra_tendon_point_default(void);

/// A load. Start from lyra_load_def_default().
typedef struct LyraLoadDef {
    LyraLoadKind type;
    const char *body; ///< Nullable: all.
    LyraSelector select;
    LyraCurve factor;   ///< Of a force, traction or pressure; not of `file`. Default 1.
    LyraCurve force[3]; ///< N.
    /// Forces on all vertices of the body, N, on top of `force`: a matrix of Vega with 3 n rows,
    /// whose column k acts in step k, and none after the last, or an `.npy` array of (steps, 3 n)
    /// or (steps, n, 3) numbers. `select` is then all of the body. Nullable.
    const char *file;
    bool total;          ///< All vertices together get the force, not each. Default false.
    double traction[3];  ///< Pa.
    bool live;           ///< A traction turns and stretches with the surface. Default false.
    LyraCurve pressure;  ///< Pa; above 0 it pushes into the material, and inflates a cavity.
    bool symmetric;      ///< Keeps the symmetric part of the tangent only. Default false.
    double stiffness;    ///< Of a spring or a tendon, N/m, >= 0.
    double damping;      ///< Of a spring, against motion relative to the target, N s/m, >= 0.
    LyraCurve offset[3]; ///< Of a spring's target from the place of the vertex at rest, m.
    /// Of a tendon, [path_count], 2 to LYRA_TENDON_POINTS_MAX. Nullable.
    const LyraTendonPoint *path;
    int32_t path_count;
    LyraCurve tension; ///< Of a tendon, N, >= 0, whatever its length. `stiffness` adds to it.
    /// Length of a tendon at which its `stiffness` adds nothing, m, >= 0. Default NaN: as at rest.
    double rest_length;
    bool pushes; ///< An elastic tendon pushes where it is too short. Default false.
} LyraLoadDef;

LYRA_API LyraLoadDef lyra_load_def_default(void);

LYRA_API LyraStatus lyra_world_add_load(LyraWorld *world, const LyraLoadDef *def);

/// A load of your own: called with the place of all vertices of the world, as LyraModelDef::load.
LYRA_API LyraStatus lyra_world_add_load_function(LyraWorld *world, LyraLoad *load, void *user);

/// A force group of your own. `body`: whose vertices its stencils count; Nullable: those of the
/// world. Takes the force, also on failure.
LYRA_API LyraStatus lyra_world_take_force(LyraWorld *world, const char *body, LyraForce *force);

/// A place in a body.
typedef struct LyraTiePoint {
    double at[3]; ///< At rest, m.
} LyraTiePoint;

/// Points of a body that are tied to points of another, or of the world: by springs, or hard, so
/// that only what tolerances leave parts them. Start from lyra_tie_def_default().
typedef struct LyraTieDef {
    const char *name; ///< Unique, for probes. Nullable.
    const char *body; ///< Whose points.
    LyraSelector select;
    /// Places in the body, beside those selected, or alone: in its closest element, or on its
    /// closest face where it has no elements. [point_count]. Nullable.
    const LyraTiePoint *points;
    int32_t point_count;
    /// The body that they are tied to, at the places where they are at rest: of its closest
    /// element, which goes on to there, or of its closest face. Nullable: the world.
    const char *to;
    /// Points of `to`: each point is tied to the closest one of them at rest, as in a seam. With
    /// it, `to` may be the body itself. Nullable.
    const LyraSelector *to_select;
    bool hard; ///< Default false: a spring.
    /// Of each point, N/m, >= 0. Of a hard tie, how fast Newton's method gets there: it changes no
    /// result beyond tolerances. Default NaN: to be given, of hard ties automatic.
    double stiffness;
    double damping; ///< Against relative motion, of each point, N s/m, >= 0. Default 0.
    /// Share of the gap at rest between the points that is kept, in space: 0 draws them together,
    /// a path from 1 to 0 sews. Default 1.
    LyraCurve gap;
    LyraCurve displacement[3]; ///< Of what they are tied to, beside its own motion, m. Default 0.
    LyraRotation rotation;     ///< Of what they are tied to before it; of the world alone.
} LyraTieDef;

LYRA_API LyraTieDef lyra_tie_def_default(void);

/// Adds a tie. `index`: Nullable: its number, from 0.
LYRA_API LyraStatus lyra_world_add_tie(LyraWorld *world, const LyraTieDef *def, int32_t *index);

/// Number of a tie, -1 for none of that name.
LYRA_API int32_t lyra_world_find_tie(const LyraWorld *world, const char *name);

/// The force of a tie on its body now, N; on the other body it is the opposite.
LYRA_API LyraStatus lyra_world_tie_force(LyraWorld *world, int32_t index, double force[3]);

/// How far the points of a tie are at most from where it wants them, m.
LYRA_API LyraStatus lyra_world_tie_gap(LyraWorld *world, int32_t index, double *gap);

/// Which vertices of a body an obstacle holds off.
typedef enum LyraObstacleVertices {
    LYRA_OBSTACLE_SURFACE = 0, ///< Those of its surface, mid-edge ones of quadratic faces too.
    LYRA_OBSTACLE_ALL,         ///< Also those inside: for obstacles that are small beside elements.
    LYRA_OBSTACLE_VERTICES_COUNT
} LyraObstacleVertices;

/// How an obstacle holds bodies off.
typedef enum LyraObstacleResponse {
    LYRA_OBSTACLE_BARRIER = 0, ///< They never get inside.
    LYRA_OBSTACLE_PENALTY,     ///< They are pushed back in proportion to the depth.
    /// Those inside are set on the surface where a step begins, and held there along its normal
    /// until they are pulled. Without friction.
    LYRA_OBSTACLE_RELOCATE,
    /// Those that would get inside end the step on the surface, and are held there the same way.
    LYRA_OBSTACLE_CONSTRAINT,
    LYRA_OBSTACLE_RESPONSE_COUNT
} LyraObstacleResponse;

/// Friction of an obstacle with one body, in place of that of the obstacle.
typedef struct LyraObstaclePair {
    const char *body;
    double friction; ///< >= 0.
} LyraObstaclePair;

/// What bodies do not enter: docs/obstacles.md. Start from lyra_obstacle_def_default().
typedef struct LyraObstacleDef {
    const char *name;           ///< Unique, for probes. Nullable: "obstacle1", ...
    const char *body;           ///< That is held off. Nullable: all.
    LyraShapeKind shape;        ///< lyra/obstacle.h. Default a plane.
    double point[3];            ///< m. Default 0.
    double normal[3];           ///< Of a plane, axis of a torus. Default y.
    double end[3];              ///< Of a capsule or cylinder, m. Default y.
    double radius, tube;        ///< m, > 0. Default 0.5, 0.1.
    double size[3];             ///< Of a box, m, > 0. Default 1.
    bool inside;                ///< Bodies are inside of it. Default false.
    const char *file;           ///< Of a mesh: a closed surface; heights as `.npy`. Nullable.
    const LyraSurface *surface; ///< In place of `file`; copied. Nullable.
    double spacing;             ///< Of heights, m, > 0. Default 1.
    int32_t resolution;         ///< Of a mesh: cells along its longest edge, [4, 1024]. Default 64.
    LyraTurn rotate;            ///< Before all motion.
    LyraCurve displacement[3];  ///< Over time, m. Default 0.
    LyraRotation rotation;      ///< Over time, before the displacement.
    double friction;            ///< Of Coulomb, >= 0. Default 0.
    const LyraObstaclePair *pairs; ///< [pair_count].
    int32_t pair_count;
    double slip;      ///< Speed up to which what sticks may creep, m/s, > 0. Default 1e-3.
    double distance;  ///< At which it begins to push, m, > 0. Default NaN: by the body's mesh.
    double stiffness; ///< Of its push, Pa, > 0. Default NaN: by the body's own.
    LyraObstacleVertices vertices; ///< Default LYRA_OBSTACLE_SURFACE.
    LyraObstacleResponse response; ///< Default LYRA_OBSTACLE_BARRIER.
} LyraObstacleDef;

LYRA_API LyraObstacleDef lyra_obstacle_def_default(void);

/// Adds an obstacle. `index`: Nullable: its number, from 0.
LYRA_API LyraStatus lyra_world_add_obstacle(LyraWorld *world, const LyraObstacleDef *def,
                                            int32_t *index);

LYRA_API int32_t lyra_world_obstacle_count(const LyraWorld *world);

/// Number of an obstacle, -1 for none of that name.
LYRA_API int32_t lyra_world_find_obstacle(const LyraWorld *world, const char *name);

/// An obstacle now.
typedef struct LyraObstacleReport {
    const char *name;
    double min_gap;     ///< Of all points, m; INFINITY without any.
    int32_t min_vertex; ///< Of the model, nearest to it (of an affine body a particle); -1: none.
    double reaction[3]; ///< Force of the bodies on it, N.
    double normal;      ///< Sum of the normal forces, N.
    int32_t touching;   ///< Points that it pushes.
    int32_t sliding;    ///< Of these, faster than `slip`.
} LyraObstacleReport;

LYRA_API LyraStatus lyra_world_obstacle(LyraWorld *world, int32_t index, LyraObstacleReport *out);

/// Makes a surface to show an obstacle by, at its rest; the caller ends it. Planes are squares of
/// 2 `extent`, m, about `center`, m, [3].
LYRA_API LyraStatus lyra_world_obstacle_surface(const LyraWorld *world, int32_t index,
                                                const double center[3], double extent,
                                                LyraSurface **out);

/// Where an obstacle is at a time: x = R X + t of its place at rest. R row-major.
LYRA_API LyraStatus lyra_world_obstacle_pose(const LyraWorld *world, int32_t index, double time,
                                             double R[9], double t[3]);

/// A parameter over time. Start from lyra_change_def_default().
typedef struct LyraChangeDef {
    const char *body; ///< Nullable: all.
    /// The path of a parameter, as lyra_world_parameter() has it, in place of `body`; or "young",
    /// or a parameter of the body's forces. Gravity and the step can't change so. Default "young".
    const char *parameter;
    const LyraSelector *select; ///< Elements whose material changes. Nullable: all.
    const LyraCurve *factor;    ///< Multiplies what it was. Nullable.
    const LyraCurve *value;     ///< What it is, in SI, in place of `factor`. Nullable.
} LyraChangeDef;

LYRA_API LyraChangeDef lyra_change_def_default(void);

LYRA_API LyraStatus lyra_world_add_change(LyraWorld *world, const LyraChangeDef *def);

// ---- running ------------------------------------------------------------------------------------

/// Makes model, system, integrator and state, which the first step does otherwise. From here on
/// nothing can be added.
LYRA_API LyraStatus lyra_world_prepare(LyraWorld *world);

/// One step of dt: parameters that change with time first, then the integrator, as often as there
/// are substeps. On failure the state, and what changes with time, are bit for bit as they were.
/// `report`: Nullable.
LYRA_API LyraStatus lyra_world_step(LyraWorld *world, LyraStepReport *report);

/// Time, s.
LYRA_API double lyra_world_time(const LyraWorld *world);

/// Writes the state to a checkpoint file, and reads one of a world that was filled alike.
LYRA_API LyraStatus lyra_world_save(LyraWorld *world, const char *path);
LYRA_API LyraStatus lyra_world_restore(LyraWorld *world, const char *path);

// ---- reading ------------------------------------------------------------------------------------

/// A surface that a body carries along.
typedef struct LyraShownSurface {
    const char *name;
    const char *path; ///< File it was read from; its textures are beside it. NULL: made.
    const LyraSurface *surface;
    /// Weights on the vertices of the body. NULL: the surface's vertices are the body's.
    const LyraEmbedding *embedding;
} LyraShownSurface;

/// A view of a body, valid while the world lives and until a body is added. Its vertices are
/// [first_vertex, first_vertex + vertex_count) of the model; behind them are `scalar_count` scalar
/// nodes (LyraModelBody), which are no places and which nothing here counts, shows or selects.
typedef struct LyraBodyView {
    const char *name;
    const char *kind;
    int32_t first_vertex, vertex_count;
    int32_t scalar_count;     ///< Unknowns of edges, of shells and rods.
    const LyraMesh *mesh;     ///< On these vertices. NULL for affine bodies, cloth, springs alone.
    const LyraSolid *solid;   ///< NULL for affine bodies, cloth and springs alone.
    const LyraCloth *cloth;   ///< Of a cloth, on these vertices; otherwise NULL.
    const LyraRod *rod;       ///< Of a rod, on its vertices and scalars; otherwise NULL.
    const LyraShell *shell;   ///< Of a shell, on these vertices and scalar nodes; otherwise NULL.
    const LyraSurface *sheet; ///< The triangles of `cloth` or `shell`, with groups; otherwise NULL.
    /// Of an affine or rigid body, whose vertices are particles; otherwise NULL.
    const LyraAffine *affine;
    /// The mesh that such a body is made from, with vertices of its own, on which the embedding
    /// of `affine` has weights; otherwise NULL.
    const LyraMesh *shape;
    int32_t surface_count;
    const LyraShownSurface *surfaces; ///< What to show, the first one first. [surface_count].
} LyraBodyView;

/// A view of a world, valid while it lives and until a body is added or a method is set. Model,
/// system, integrator and state are NULL until it is prepared.
typedef struct LyraWorldView {
    const char *title; ///< "" without.
    LyraModel *model;
    LyraSystem *system;
    LyraIntegrator *integrator;
    LyraState *state;
    double dt;     ///< s, of a step.
    int64_t steps; ///< To take; 0: no limit.
    int32_t body_count;
    const LyraBodyView *bodies; ///< [body_count].
    uint64_t digest; ///< Of bodies, and what is held and tied; of a scene, all that moves it.
} LyraWorldView;

LYRA_API LyraWorldView lyra_world_view(const LyraWorld *world);

/// Number of a body, -1 for none of that name.
LYRA_API int32_t lyra_world_find_body(const LyraWorld *world, const char *name);

/// Positions, m, and velocities, m/s, of the vertices of a body's mesh (of an affine body: its
/// shape), [*count][3], now. They are the world's, and good until its next step. `count`:
/// Nullable. NULL where the world is not prepared.
LYRA_API const double *lyra_world_positions(LyraWorld *world, int32_t body, int32_t *count);
LYRA_API const double *lyra_world_velocities(LyraWorld *world, int32_t body, int32_t *count);

/// Vertices of a body that a selector holds, as numbers of the body's mesh, ascending. The caller
/// ends the list with lyra_vertex_list_destroy().
LYRA_API LyraStatus lyra_world_select(LyraWorld *world, const char *body,
                                      const LyraSelector *select, int32_t *count,
                                      int32_t **vertices);

/// Measures a rod now: lyra_rod_measure(). Twist and moments are those of the last step.
LYRA_API LyraStatus lyra_world_rod_measure(LyraWorld *world, int32_t body,
                                           const LyraRodMeasures *out);

/// Energies now, J.
typedef struct LyraEnergies {
    double kinetic;
    double elastic; ///< Of all forces that have one, loads among them.
} LyraEnergies;

LYRA_API LyraStatus lyra_world_energies(LyraWorld *world, LyraEnergies *out);

/// Writes what loads push the vertices of the model with now, N, [vertices of the model][3]:
/// forces on vertices, tractions and pressures. Gravity, springs and pulls are not among them.
/// `energy`: J, of those tractions and pressures that have one, minus their work since rest;
/// reports of steps count it as elastic. `loads`, `energy`: Nullable.
LYRA_API LyraStatus lyra_world_loads(LyraWorld *world, double *loads, double *energy);

// ---- parameters ---------------------------------------------------------------------------------

/// A number of a world that can be turned while it runs. Paths name what scenes say:
/// "bodies.beam.material.young" or "bodies[0].material.young", "bodies.*.material.young" for all
/// bodies at once, "damping.mass", "time.dt", "gravity".
typedef struct LyraWorldParameter {
    const char *path;
    const char *name; ///< Short, for a label: the last part of the path.
    const char *unit; ///< "" for factors and numbers without one.
    double value;     ///< Now.
    double start;     ///< As the world was made.
    double low, high; ///< Range for a slider, no limits; both > 0 where `logarithmic`.
    bool logarithmic; ///< A slider is to have a logarithmic scale.
    bool factor;      ///< Elements differ in the number: `value` multiplies theirs.
} LyraWorldParameter;

/// Parameter `index`; false past the last. First those of the world and of all bodies at once,
/// then those of single bodies where there are several. Only those that the world has and does not
/// change by itself over time. Where elements differ in a number, it is a factor on theirs, without
/// a unit (`factor`). The texts are good until the next call.
LYRA_API bool lyra_world_parameter(LyraWorld *world, int32_t index, LyraWorldParameter *out);

/// The parameter at a path. Fails with LYRA_INVALID_ARGUMENT for a path that is none, with a list
/// of those that are.
LYRA_API LyraStatus lyra_world_get(LyraWorld *world, const char *path, LyraWorldParameter *out);

/// Turns a parameter; the world is prepared first. Fails also for a value that is not allowed; the
/// world is then as before.
LYRA_API LyraStatus lyra_world_set(LyraWorld *world, const char *path, double value);

// ---- methods ------------------------------------------------------------------------------------

/// Names of the integrator and of the solver that were asked for. Valid until the next change.
LYRA_API const char *lyra_world_integrator(const LyraWorld *world);
LYRA_API const char *lyra_world_solver(const LyraWorld *world);

/// Takes another integrator of lyra_integrator_name(), with the settings of the world's own. What
/// the old one remembers of past steps is forgotten, the history of materials is not. On failure
/// the world is as before.
LYRA_API LyraStatus lyra_world_set_integrator(LyraWorld *world, const char *name);

/// Takes another solver of lyra_solver_name(), or "auto". Otherwise as above.
LYRA_API LyraStatus lyra_world_set_solver(LyraWorld *world, const char *name);

// ---- pulls --------------------------------------------------------------------------------------

/// Pulls points by springs of no length: stiffness k_i (N/m, >= 0, [count]) from points[i], over
/// vertices of the model, to targets[i] (m, [count][3]). Takes the place of all pulls before; a
/// count of 0 ends them. A point that is named twice feels both. The springs are implicit like any
/// force of the model, and their energy is counted as elastic. All of it is copied. It costs
/// nothing while nobody pulls.
LYRA_API LyraStatus lyra_world_pull_points(LyraWorld *world, int32_t count,
                                           const LyraSurfacePoint *points, const double *stiffness,
                                           const double *targets);

/// The same for vertices of the model.
LYRA_API LyraStatus lyra_world_pull(LyraWorld *world, int32_t count, const int32_t *vertices,
                                    const double *stiffness, const double *targets);

/// Energy of the springs of lyra_world_pull() now, J; 0 without.
LYRA_API double lyra_world_pull_energy(const LyraWorld *world);

#ifdef __cplusplus
}
#endif

#endif
