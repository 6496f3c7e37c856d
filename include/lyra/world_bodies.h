// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Bodies of a world: what each kind is made of, where it is, and how it starts.

#ifndef LYRA_WORLD_BODIES_H
#define LYRA_WORLD_BODIES_H

#include "lyra/base.h"
#include "lyra/cloth.h"
#include "lyra/curve.h"
#include "lyra/lines.h"
#include "lyra/mesh.h"
#include "lyra/mesh_generate.h"
#include "lyra/rigid.h"
#include "lyra/rod.h"
#include "lyra/shell.h"
#include "lyra/solid.h"
#include "lyra/surface.h"
#include "lyra/viscosity.h"
#include "lyra/world_select.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LyraWorld LyraWorld;

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

#ifdef __cplusplus
}
#endif

#endif
