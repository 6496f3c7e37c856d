// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of all keys of a scene in YAML.

#include "scene/schema.h"

#include "lyra/integrator.h"
#include "lyra/solid.h"
#include "lyra/solver.h"

static const char *integrator_choice(int32_t index)
{
    LyraIntegratorFacts facts;
    return lyra_integrator_name(index, &facts) ? facts.name : NULL;
}

static const char *solver_choice(int32_t index)
{
    return index == 0 ? "auto" : lyra_solver_name(index - 1, NULL);
}

static const char *preconditioner_choice(int32_t index)
{
    static const char *const names[] = {"auto", "none", "jacobi", "block-jacobi", "ssor", "ic0"};
    return index < LY_COUNT_OF(names) ? names[index] : NULL;
}

#define AT(Type, member) .offset = offsetof(Type, member)
#define GROUP(identifier, Type, word, about)                                                       \
    static const LyGroup identifier = {word, about, sizeof(Type), LY_COUNT_OF(identifier##_keys),  \
                                       identifier##_keys}

// ---- selectors ----------------------------------------------------------------------------------

static const LyKey box_keys[] = {
    {"min", LY_KEY_VECTOR, AT(LyBoxSpec, min), "m", .required = true, .meaning = "Low corner."},
    {"max", LY_KEY_VECTOR, AT(LyBoxSpec, max), "m", .required = true, .meaning = "High corner."},
};
GROUP(box, LyBoxSpec, "box", "Points in an axis-aligned box, its faces included.");

static const LyKey sphere_keys[] = {
    {"center", LY_KEY_VECTOR, AT(LySphereSpec, center), "m", "[0, 0, 0]", .meaning = "Its centre."},
    {"radius", LY_KEY_NUMBER, AT(LySphereSpec, radius), "m", .range = LY_RANGE_POSITIVE,
     .required = true, .meaning = "Its radius."},
};
GROUP(sphere, LySphereSpec, "sphere", "Points in a ball, its surface included.");

static const LyKey half_space_keys[] = {
    {"point", LY_KEY_VECTOR, AT(LyHalfSpaceSpec, point), "m", "[0, 0, 0]",
     .meaning = "A point of the plane."},
    {"normal", LY_KEY_VECTOR, AT(LyHalfSpaceSpec, normal), .required = true,
     .meaning = "Points on the side it points to are in, and those of the plane."},
};
GROUP(half_space, LyHalfSpaceSpec, "half-space", "Points on one side of a plane.");

static const LyKey normal_keys[] = {
    {"direction", LY_KEY_VECTOR, AT(LyNormalSpec, direction), .required = true,
     .meaning = "Where the surface is to look."},
    {"angle", LY_KEY_NUMBER, AT(LyNormalSpec, angle), "rad", "30 deg", LY_RANGE_FIELD,
     .meaning = "How far off it may look."},
};
GROUP(normal, LyNormalSpec, "normal",
      "Vertices of the surface whose normal (the mean of the faces around) has a direction; for "
      "faces, their own normal.");

static const LyKey near_keys[] = {
    {"point", LY_KEY_VECTOR, AT(LyNearSpec, point), "m", .required = true, .meaning = "A place."},
    {"distance", LY_KEY_NUMBER, AT(LyNearSpec, distance), "m", .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "How far from it they are at most."},
    {"count", LY_KEY_INTEGER, AT(LyNearSpec, count), .range = LY_RANGE_POSITIVE,
     .meaning = "In place of `distance`: the nearest ones, so many of those that meet all else."},
};
GROUP(near, LyNearSpec, "near", "Points near a place. Of two at one distance the first counts.");

static const LyKey select_group_keys[] = {
    {"all", LY_KEY_BOOL, AT(LySelectSpec, all), .fallback = "false", .meaning = "All vertices."},
    {"vertices", LY_KEY_INTEGERS, AT(LySelectSpec, vertices),
     .meaning = "Numbers of vertices, from 0, in the order of the mesh."},
    {"file", LY_KEY_TEXT, AT(LySelectSpec, file),
     .meaning = "Numbers of vertices in a `.bou` file."},
    {"first", LY_KEY_INTEGER, AT(LySelectSpec, first), .fallback = "1",
     .meaning = "What stands for the first vertex in `file`."},
    {"set", LY_KEY_TEXT, AT(LySelectSpec, set),
     .meaning = "A set of the mesh, of vertices, faces or elements: its vertices. Faces are "
                "selected by a set of faces as they are, elements by sets of elements alone."},
    {"box", LY_KEY_GROUP, AT(LySelectSpec, box), .group = &box, .meaning = "Points in a box."},
    {"sphere", LY_KEY_GROUP, AT(LySelectSpec, sphere), .group = &sphere,
     .meaning = "Points in a ball."},
    {"half-space", LY_KEY_GROUP, AT(LySelectSpec, half_space), .group = &half_space,
     .meaning = "Points on one side of a plane."},
    {"near", LY_KEY_GROUP, AT(LySelectSpec, near), .group = &near,
     .meaning = "Points near a place."},
    {"component", LY_KEY_INTEGER, AT(LySelectSpec, component), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "A part of the body that shares no vertex with the rest, from 0, numbered by their "
                "first elements."},
    {"component-at", LY_KEY_VECTOR, AT(LySelectSpec, component_at), "m",
     .meaning = "The part whose element is at this place, or nearest to it."},
    {"surface", LY_KEY_WORD, AT(LySelectSpec, surface), .fallback = "false",
     .choices = "false|true|inner|outer",
     .meaning =
         "Vertices of the surface; `inner`: of the walls of cavities, `outer`: of the rest."},
    {"normal", LY_KEY_GROUP, AT(LySelectSpec, normal), .group = &normal,
     .meaning = "Parts of the surface that look somewhere."},
    {"invert", LY_KEY_BOOL, AT(LySelectSpec, invert), .fallback = "false",
     .meaning = "What was not selected."},
};
GROUP(select_group, LySelectSpec, "select",
      "Which vertices, faces or elements: those that meet all that is said. Places are those at "
      "rest, after `transform`. A face is in if all its vertices are, an element if its centre "
      "is.");

// ---- bodies -------------------------------------------------------------------------------------

static const LyKey turn_keys[] = {
    {"axis", LY_KEY_VECTOR, AT(LyTurnSpec, axis), .fallback = "[0, 0, 1]", .meaning = "Axis."},
    {"center", LY_KEY_VECTOR, AT(LyTurnSpec, center), "m", "[0, 0, 0]",
     .meaning = "A point of the axis."},
    {"angle", LY_KEY_NUMBER, AT(LyTurnSpec, angle), "rad", "0", .meaning = "Right-handed angle."},
};
GROUP(turn, LyTurnSpec, "rotate", "A rotation.");

static const LyKey transform_keys[] = {
    {"scale", LY_KEY_SCALE, AT(LyTransformSpec, scale), .fallback = "1", .range = LY_RANGE_POSITIVE,
     .meaning = "First: one factor, or one per axis."},
    {"rotate", LY_KEY_GROUP, AT(LyTransformSpec, rotate), .group = &turn, .meaning = "Second."},
    {"translate", LY_KEY_VECTOR, AT(LyTransformSpec, translate), "m", "[0, 0, 0]",
     .meaning = "Third."},
};
GROUP(transform, LyTransformSpec, "transform", "Moves the mesh before all else.");

static const LyKey start_keys[] = {
    {"scale", LY_KEY_SCALE, AT(LyStartSpec, scale), .fallback = "1",
     .meaning = "About the middle of the body, one factor or one per axis; 0 flattens."},
    {"rotate", LY_KEY_GROUP, AT(LyStartSpec, rotate), .group = &turn, .meaning = "Second."},
    {"translate", LY_KEY_VECTOR, AT(LyStartSpec, translate), "m", "[0, 0, 0]", .meaning = "Third."},
    {"velocity", LY_KEY_VECTOR, AT(LyStartSpec, velocity), "m/s", "[0, 0, 0]",
     .meaning = "Of all its vertices."},
    {"angular-velocity", LY_KEY_VECTOR, AT(LyStartSpec, angular_velocity), "rad/s", "[0, 0, 0]",
     .meaning = "About the middle of the body."},
};
GROUP(start, LyStartSpec, "start", "Where the body is at the start, and how it moves.");

static const LyKey generate_keys[] = {
    {"shape", LY_KEY_WORD, AT(LyGenerateSpec, shape), .fallback = "box",
     .choices = "box|sphere|cylinder|torus",
     .meaning = "Cylinder and torus have their axis along "
                "z."},
    {"element", LY_KEY_WORD, AT(LyGenerateSpec, element), .fallback = "tet", .choices = "tet|cube",
     .meaning = "What it is made of."},
    {"elements", LY_KEY_INTEGER, AT(LyGenerateSpec, elements), .fallback = "1000",
     .range = LY_RANGE_POSITIVE, .meaning = "About this many."},
    {"cells", LY_KEY_INTEGERS, AT(LyGenerateSpec, cells),
     .meaning = "Of a box: cells along x, y, z, in place of `elements`."},
    {"pattern", LY_KEY_WORD, AT(LyGenerateSpec, pattern), .fallback = "six", .choices = "six|five",
     .meaning = "Tets in a cell; five for boxes only."},
    {"center", LY_KEY_VECTOR, AT(LyGenerateSpec, center), "m", "[0, 0, 0]",
     .meaning = "Its middle."},
    {"size", LY_KEY_VECTOR, AT(LyGenerateSpec, size), "m", "[1, 1, 1]", .range = LY_RANGE_POSITIVE,
     .meaning = "Edges of a box."},
    {"radius", LY_KEY_NUMBER, AT(LyGenerateSpec, radius), "m", "1", LY_RANGE_POSITIVE,
     .meaning = "Of a sphere or cylinder; of the centre line of a torus."},
    {"tube-radius", LY_KEY_NUMBER, AT(LyGenerateSpec, tube_radius), "m", "0.4", LY_RANGE_POSITIVE,
     .meaning = "Of the tube of a torus."},
    {"height", LY_KEY_NUMBER, AT(LyGenerateSpec, height), "m", "2", LY_RANGE_POSITIVE,
     .meaning = "Of a cylinder."},
};
GROUP(generate, LyGenerateSpec, "generate", "A simple body, where there is no `mesh`.");

static const LyKey material_keys[] = {
    {"model", LY_KEY_NAME, AT(LyMaterialSpec, model), .fallback = "neo-hookean",
     .choice = lyra_solid_model, .meaning = "Law of the body."},
    {"young", LY_KEY_NUMBER, AT(LyMaterialSpec, young), "Pa", .range = LY_RANGE_POSITIVE,
     .meaning = "Young's modulus. Without, that of the mesh; of a generated one 1 MPa."},
    {"poisson", LY_KEY_NUMBER, AT(LyMaterialSpec, poisson), .range = LY_RANGE_POISSON,
     .meaning = "Poisson's ratio. Without, that of the mesh; of a generated one 0.45."},
    {"density", LY_KEY_NUMBER, AT(LyMaterialSpec, density), "kg/m^3", .range = LY_RANGE_POSITIVE,
     .meaning = "Without, that of the mesh; of a generated one 1000 kg/m^3."},
    {"inversion", LY_KEY_WORD, AT(LyMaterialSpec, inversion), .fallback = "extend",
     .choices = "extend|clamp|none", .meaning = "What an isotropic law does below the threshold."},
    {"inversion-threshold", LY_KEY_NUMBER, AT(LyMaterialSpec, inversion_threshold), NULL, "0.1",
     LY_RANGE_INSIDE, .meaning = "Stretch below which that happens."},
    {"compression-resistance", LY_KEY_NUMBER, AT(LyMaterialSpec, compression_resistance), NULL, "0",
     LY_RANGE_NOT_NEGATIVE, .meaning = "Extra resistance to compression."},
    {"stiffness", LY_KEY_NUMBER, AT(LyMaterialSpec, stiffness), "N/m", "0", LY_RANGE_NOT_NEGATIVE,
     .meaning = "Of springs; 0: from Young's modulus, tets only."},
    {"damping", LY_KEY_NUMBER, AT(LyMaterialSpec, damping), "N s/m", "0", LY_RANGE_NOT_NEGATIVE,
     .meaning = "Of springs."},
    {"parameters", LY_KEY_NAMED, AT(LyMaterialSpec, parameters),
     .meaning = "Constants of the law by name, in SI, overruling what the moduli give."},
};
GROUP(material, LyMaterialSpec, "material", "What a body is made of.");

static const LyKey region_keys[] = {
    {"select", LY_KEY_GROUP, AT(LyRegionSpec, select), .group = &select_group, .required = true,
     .meaning = "Elements, by their centres or as a set."},
    {"young", LY_KEY_NUMBER, AT(LyRegionSpec, young), "Pa", .range = LY_RANGE_POSITIVE,
     .meaning = "As the body's, unless said."},
    {"poisson", LY_KEY_NUMBER, AT(LyRegionSpec, poisson), .range = LY_RANGE_POISSON,
     .meaning = "As the body's, unless said."},
    {"density", LY_KEY_NUMBER, AT(LyRegionSpec, density), "kg/m^3", .range = LY_RANGE_POSITIVE,
     .meaning = "As the body's, unless said."},
};
GROUP(region, LyRegionSpec, "regions",
      "Parts of a body with other moduli; the last one that holds an element counts.");

static const LyKey viscosity_keys[] = {
    {"lambda", LY_KEY_NUMBER, AT(LyViscositySpec, lambda), "Pa s", "0", .meaning = "Of volume."},
    {"mu", LY_KEY_NUMBER, AT(LyViscositySpec, mu), "Pa s", "0", LY_RANGE_NOT_NEGATIVE,
     .meaning = "Of shape."},
    {"symmetric", LY_KEY_BOOL, AT(LyViscositySpec, symmetric), .fallback = "true",
     .meaning = "Keeps matrices symmetric."},
};
GROUP(viscosity, LyViscositySpec, "viscosity", "Viscous stress of tets.");

static const LyKey fibre_keys[] = {
    {"direction", LY_KEY_VECTOR, AT(LyFibreSpec, direction), .fallback = "[1, 0, 0]",
     .meaning = "Of the fibres at rest."},
    {"stiffness", LY_KEY_NUMBER, AT(LyFibreSpec, stiffness), "Pa", "0", LY_RANGE_NOT_NEGATIVE,
     .meaning = "Along them."},
    {"exponent", LY_KEY_NUMBER, AT(LyFibreSpec, exponent), NULL, "0", LY_RANGE_NOT_NEGATIVE,
     .meaning = "How fast they stiffen."},
    {"active-stress", LY_KEY_NUMBER, AT(LyFibreSpec, active_stress), "Pa", "0",
     LY_RANGE_NOT_NEGATIVE, .meaning = "At full activation."},
    {"activation", LY_KEY_CURVE, AT(LyFibreSpec, activation), NULL, "0", LY_RANGE_FRACTION,
     .meaning = "Over time, from 0 to 1."},
    {"tension-only", LY_KEY_BOOL, AT(LyFibreSpec, tension_only), .fallback = "true",
     .meaning = "They do not resist being shortened."},
};
GROUP(fibre, LyFibreSpec, "fibre", "Fibres in a body, as in muscle, beside its law.");

static const LyKey surface_keys[] = {
    {"file", LY_KEY_TEXT, AT(LySurfaceSpec, file), .required = true,
     .meaning = "A surface of any format, in the place of the body after `transform`."},
    {"name", LY_KEY_TEXT, AT(LySurfaceSpec, name), .meaning = "Without, that of the file."},
    {"weights", LY_KEY_TEXT, AT(LySurfaceSpec, weights),
     .meaning = "An `.interp` file. Without, weights are computed."},
};
GROUP(surface, LySurfaceSpec, "surfaces", "Surfaces that a body carries along.");

static const LyKey body_keys[] = {
    {"name", LY_KEY_TEXT, AT(LyBodySpec, name), .meaning = "Without, `body1`, `body2`, ..."},
    {"kind", LY_KEY_WORD, AT(LyBodySpec, kind), .fallback = "solid", .choices = "solid|affine",
     .meaning = "`affine`: a stiff body that is moved as a whole, by 12 numbers."},
    {"mesh", LY_KEY_TEXT, AT(LyBodySpec, mesh),
     .meaning = "A volumetric mesh of any format, seen from the scene's folder."},
    {"generate", LY_KEY_GROUP, AT(LyBodySpec, generate), .group = &generate, .shown = true,
     .meaning = "A simple body in place of `mesh`."},
    {"transform", LY_KEY_GROUP, AT(LyBodySpec, transform), .group = &transform,
     .meaning = "Rigid transform and scale, applied before anything else."},
    {"material", LY_KEY_GROUP, AT(LyBodySpec, material), .group = &material, .shown = true,
     .meaning = "What it is made of."},
    {"stiffness", LY_KEY_NUMBER, AT(LyBodySpec, stiffness), "Pa", .range = LY_RANGE_POSITIVE,
     .meaning = "Of an affine body: Young's modulus of its shape. Without, 1e6 m^2/s^2 times its "
                "density."},
    {"regions", LY_KEY_LIST, AT(LyBodySpec, regions), .group = &region,
     .meaning = "Parts with other moduli."},
    {"viscosity", LY_KEY_GROUP, AT(LyBodySpec, viscosity), .group = &viscosity,
     .meaning = "Viscous stress."},
    {"fibre", LY_KEY_GROUP, AT(LyBodySpec, fibre), .group = &fibre, .meaning = "Fibres."},
    {"surfaces", LY_KEY_LIST, AT(LyBodySpec, surfaces), .group = &surface,
     .meaning = "Surfaces to show. Without, that of the mesh."},
    {"start", LY_KEY_GROUP, AT(LyBodySpec, start), .group = &start,
     .meaning = "Where it is at the start."},
};
GROUP(body, LyBodySpec, "bodies", "What moves.");

// ---- constraints, loads, changes ----------------------------------------------------------------

static const LyKey rotation_keys[] = {
    {"axis", LY_KEY_VECTOR, AT(LyRotationSpec, axis), .fallback = "[0, 0, 1]", .meaning = "Axis."},
    {"center", LY_KEY_VECTOR, AT(LyRotationSpec, center), "m", "[0, 0, 0]",
     .meaning = "A point of the axis."},
    {"angle", LY_KEY_CURVE, AT(LyRotationSpec, angle), "rad", "0", .meaning = "Over time."},
};
GROUP(rotation, LyRotationSpec, "rotation", "A rotation over time, before the displacement.");

static const LyKey constraint_keys[] = {
    {"body", LY_KEY_TEXT, AT(LyConstraintSpec, body), .meaning = "Its name. Without, all bodies."},
    {"select", LY_KEY_GROUP, AT(LyConstraintSpec, select), .group = &select_group, .required = true,
     .meaning = "Which vertices."},
    {"axes", LY_KEY_AXES, AT(LyConstraintSpec, axes), .fallback = "xyz",
     .meaning = "Along which they are held: letters of xyz."},
    {"direction", LY_KEY_VECTOR, AT(LyConstraintSpec, direction),
     .meaning = "The one direction along which they are held, in place of `axes`."},
    {"displacement", LY_KEY_CURVES, AT(LyConstraintSpec, displacement), "m", "[0, 0, 0]",
     .meaning = "Where they are held, from their place at rest, over time."},
    {"rotation", LY_KEY_GROUP, AT(LyConstraintSpec, rotation), .group = &rotation,
     .meaning = "Turns their place at rest over time."},
};
GROUP(constraint, LyConstraintSpec, "constraints", "What is held, and where.");

static const LyKey load_keys[] = {
    {"type", LY_KEY_WORD, AT(LyLoadSpec, type), .choices = "force|traction|pressure|spring",
     .required = true, .meaning = "On vertices, on faces, on faces, on vertices."},
    {"body", LY_KEY_TEXT, AT(LyLoadSpec, body), .meaning = "Its name. Without, all bodies."},
    {"select", LY_KEY_GROUP, AT(LyLoadSpec, select), .group = &select_group, .required = true,
     .meaning = "Where it acts."},
    {"factor", LY_KEY_CURVE, AT(LyLoadSpec, factor), NULL, "1", .only = "force|traction|pressure",
     .meaning = "Multiplies the load, over time."},
    {"force", LY_KEY_CURVES, AT(LyLoadSpec, force), "N", "[0, 0, 0]", .only = "force",
     .meaning = "Over time."},
    {"share", LY_KEY_WORD, AT(LyLoadSpec, share), .fallback = "each", .choices = "each|total",
     .only = "force", .meaning = "Whether each vertex gets the force, or all of them together."},
    {"traction", LY_KEY_VECTOR, AT(LyLoadSpec, traction), "Pa", "[0, 0, 0]", .only = "traction",
     .meaning = "Force per area."},
    {"follow", LY_KEY_WORD, AT(LyLoadSpec, follow), .fallback = "dead", .choices = "dead|live",
     .only = "traction", .meaning = "Whether it turns and stretches with the surface."},
    {"pressure", LY_KEY_CURVE, AT(LyLoadSpec, pressure), "Pa", "0", .only = "pressure",
     .meaning = "On the deformed surface, over time. Positive pressure pushes into the material; "
                "in a cavity it inflates."},
    {"symmetric", LY_KEY_BOOL, AT(LyLoadSpec, symmetric), .fallback = "false",
     .only = "traction|pressure", .meaning = "Keeps the symmetric part of the tangent only."},
    {"stiffness", LY_KEY_NUMBER, AT(LyLoadSpec, stiffness), "N/m", "0", LY_RANGE_NOT_NEGATIVE,
     .only = "spring", .meaning = "Of the spring of each vertex to its target."},
    {"damping", LY_KEY_NUMBER, AT(LyLoadSpec, damping), "N s/m", "0", LY_RANGE_NOT_NEGATIVE,
     .only = "spring", .meaning = "Against motion relative to the target."},
    {"offset", LY_KEY_CURVES, AT(LyLoadSpec, offset), "m", "[0, 0, 0]", .only = "spring",
     .meaning = "The target, from the place of the vertex at rest, over time."},
};
GROUP(load, LyLoadSpec, "loads", "Forces from outside.");

static const LyKey change_keys[] = {
    {"body", LY_KEY_TEXT, AT(LyChangeSpec, body), .meaning = "Its name. Without, all bodies."},
    {"parameter", LY_KEY_TEXT, AT(LyChangeSpec, parameter), .fallback = "young",
     .meaning = "`young`, or a parameter of the body's forces by name."},
    {"factor", LY_KEY_CURVE, AT(LyChangeSpec, factor),
     .meaning = "Multiplies what it was, over time."},
    {"value", LY_KEY_CURVE, AT(LyChangeSpec, value),
     .meaning = "What it is, in SI, over time, in place of `factor`."},
};
GROUP(change, LyChangeSpec, "changes",
      "Materials that change with time: what holds in a step is the value at its end.");

static const LyKey damping_keys[] = {
    {"mass", LY_KEY_NUMBER, AT(LyDampingSpec, mass), "1/s", "0", LY_RANGE_NOT_NEGATIVE,
     .meaning = "alpha of alpha M."},
    {"stiffness", LY_KEY_NUMBER, AT(LyDampingSpec, stiffness), "s", "0", LY_RANGE_NOT_NEGATIVE,
     .meaning = "beta of beta K."},
    {"exact", LY_KEY_BOOL, AT(LyDampingSpec, exact), .fallback = "false",
     .meaning = "K as it is, indefinite or not."},
};
GROUP(damping, LyDampingSpec, "damping", "Rayleigh damping of everything.");

// ---- how it is computed -------------------------------------------------------------------------

static const LyKey newton_keys[] = {
    {"policy", LY_KEY_WORD, AT(LyNewtonSpec, policy), .fallback = "full",
     .choices = "full|one|simplified|inexact|counted",
     .meaning = "To convergence; one step; with a kept tangent; with loose inner solves; up to "
                "`iterations` whole steps whatever is left."},
    {"iterations", LY_KEY_INTEGER, AT(LyNewtonSpec, iterations), .fallback = "400",
     .range = LY_RANGE_POSITIVE, .meaning = "At most."},
    {"decrement", LY_KEY_NUMBER, AT(LyNewtonSpec, decrement), NULL, "1e-12", LY_RANGE_NOT_NEGATIVE,
     .meaning = "Limit of the decrement squared over the energy scale."},
    {"residual", LY_KEY_NUMBER, AT(LyNewtonSpec, residual), NULL, "1e-8", LY_RANGE_NOT_NEGATIVE,
     .meaning = "Limit of the residual over the size of the forces."},
    {"step", LY_KEY_NUMBER, AT(LyNewtonSpec, step), NULL, "1e-8", LY_RANGE_NOT_NEGATIVE,
     .meaning = "Limit of a step over the size of the body."},
    {"line-search", LY_KEY_BOOL, AT(LyNewtonSpec, line_search), .fallback = "true",
     .meaning = "Shortens steps that do not help."},
    {"psd-always", LY_KEY_BOOL, AT(LyNewtonSpec, psd_always), .fallback = "false",
     .meaning = "Always the positive tangent."},
    {"halvings", LY_KEY_INTEGER, AT(LyNewtonSpec, halvings), .fallback = "8",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of a time step that fails, at most."},
};
GROUP(newton, LyNewtonSpec, "newton", "Newton's method of implicit integrators.");

static const LyKey rosenbrock4_keys[] = {
    {"set", LY_KEY_NAME, AT(LyRosenbrockSpec, set), .fallback = "l-stable",
     .choice = lyra_rosenbrock_set, .meaning = "Coefficients."},
};
GROUP(rosenbrock4, LyRosenbrockSpec, "rosenbrock4", "The method `rosenbrock4`.");

static const LyKey integrator_keys[] = {
    {"name", LY_KEY_NAME, AT(LyIntegratorSpec, name), .fallback = "backward-euler",
     .choice = integrator_choice, .meaning = "Method."},
    {"newton", LY_KEY_GROUP, AT(LyIntegratorSpec, newton), .group = &newton, .shown = true,
     .meaning = "Of implicit ones."},
    {"rosenbrock4", LY_KEY_GROUP, AT(LyIntegratorSpec, rosenbrock4), .group = &rosenbrock4,
     .shown = true, .meaning = "Of `rosenbrock4`."},
    {"beta", LY_KEY_NUMBER, AT(LyIntegratorSpec, beta), NULL, "0.25", .meaning = "`newmark`."},
    {"gamma", LY_KEY_NUMBER, AT(LyIntegratorSpec, gamma), NULL, "0.5", .meaning = "`newmark`."},
    {"spectral-radius", LY_KEY_NUMBER, AT(LyIntegratorSpec, spectral_radius), NULL, "0.5",
     LY_RANGE_FRACTION, .meaning = "`generalized-alpha`."},
    {"damping-update", LY_KEY_INTEGER, AT(LyIntegratorSpec, damping_update), .fallback = "1",
     .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "`central-differences`: damping anew every so many steps; 0: never."},
    {"critical", LY_KEY_WORD, AT(LyIntegratorSpec, critical), .fallback = "warn",
     .choices = "warn|refuse|ignore", .meaning = "Explicit ones, beyond their critical step."},
    {"critical-interval", LY_KEY_INTEGER, AT(LyIntegratorSpec, critical_interval),
     .fallback = "100", .range = LY_RANGE_POSITIVE,
     .meaning = "Steps between estimates of it; `rkc2`, `rock2`: at most."},
    {"relative-tolerance", LY_KEY_NUMBER, AT(LyIntegratorSpec, relative_tolerance), NULL, "1e-6",
     LY_RANGE_POSITIVE, .meaning = "`dopri5`, `dopri853`; scale of reported errors."},
    {"absolute-tolerance", LY_KEY_NUMBER, AT(LyIntegratorSpec, absolute_tolerance), "m", "1e-9",
     LY_RANGE_POSITIVE, .meaning = "`dopri5`, `dopri853`."},
    {"stages", LY_KEY_INTEGER, AT(LyIntegratorSpec, stages), .fallback = "0",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "`rkc2`, `rock2`; 0: as many as needed."},
    {"load-steps", LY_KEY_INTEGER, AT(LyIntegratorSpec, load_steps), .fallback = "1",
     .range = LY_RANGE_POSITIVE, .meaning = "`static`: increments of loads."},
};
GROUP(integrator, LyIntegratorSpec, "integrator", "How time goes on.");

static const LyKey solver_keys[] = {
    {"name", LY_KEY_NAME, AT(LySolverSpec, name), .fallback = "auto", .choice = solver_choice,
     .meaning = "Linear solver."},
    {"preconditioner", LY_KEY_NAME, AT(LySolverSpec, preconditioner), .fallback = "auto",
     .choice = preconditioner_choice, .meaning = "Of iterative ones."},
    {"tolerance", LY_KEY_NUMBER, AT(LySolverSpec, tolerance), NULL, "1e-6", LY_RANGE_INSIDE,
     .meaning = "Relative, of iterative ones."},
    {"iterations", LY_KEY_INTEGER, AT(LySolverSpec, iterations), .fallback = "0",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "At most; 0: by size."},
    {"restart", LY_KEY_INTEGER, AT(LySolverSpec, restart), .fallback = "50",
     .range = LY_RANGE_POSITIVE, .meaning = "`gmres`: size of its basis."},
    {"reuse-iterations", LY_KEY_INTEGER, AT(LySolverSpec, reuse_iterations), .fallback = "30",
     .range = LY_RANGE_POSITIVE, .meaning = "`factor-reuse`: iterations before a new factor."},
    {"coarse", LY_KEY_BOOL, AT(LySolverSpec, coarse), .fallback = "false",
     .meaning = "A coarse space of rigid motions."},
    {"single", LY_KEY_BOOL, AT(LySolverSpec, single), .fallback = "true",
     .meaning = "Floats inside double refinement (`pcg`)."},
};
GROUP(solver, LySolverSpec, "solver", "How linear systems are solved.");

static const LyKey time_group_keys[] = {
    {"dt", LY_KEY_NUMBER, AT(LyTimeSpec, dt), "s", "10 ms", LY_RANGE_POSITIVE,
     .meaning = "A step."},
    {"steps", LY_KEY_INTEGER, AT(LyTimeSpec, steps), .fallback = "0",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Number of steps; 0 means no limit."},
    {"duration", LY_KEY_NUMBER, AT(LyTimeSpec, duration), "s", .range = LY_RANGE_POSITIVE,
     .meaning = "In place of `steps`."},
    {"substeps", LY_KEY_INTEGER, AT(LyTimeSpec, substeps), .fallback = "1",
     .range = LY_RANGE_POSITIVE, .meaning = "Steps of the integrator in a step."},
};
GROUP(time_group, LyTimeSpec, "time", "How long and how finely.");

static const LyKey output_keys[] = {
    {"save-every", LY_KEY_INTEGER, AT(LyOutputSpec, save_every), .fallback = "0",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Steps between frames of `displacement.npy`."},
    {"vtu-every", LY_KEY_INTEGER, AT(LyOutputSpec, vtu_every), .fallback = "0",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Steps between VTU files."},
    {"obj-every", LY_KEY_INTEGER, AT(LyOutputSpec, obj_every), .fallback = "0",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Steps between OBJ files."},
    {"checkpoint-every", LY_KEY_INTEGER, AT(LyOutputSpec, checkpoint_every), .fallback = "0",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Steps between checkpoints."},
    {"snapshot-every", LY_KEY_INTEGER, AT(LyOutputSpec, snapshot_every), .fallback = "0",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Steps between pictures."},
    {"snapshot-field", LY_KEY_WORD, AT(LyOutputSpec, snapshot_field), .fallback = "none",
     .choices = "none|displacement|speed|von-mises", .meaning = "Colours in pictures."},
    {"snapshot-size", LY_KEY_INTEGERS, AT(LyOutputSpec, snapshot_size), .fallback = "[1200, 900]",
     .meaning = "Width and height of pictures in pixels."},
    {"snapshot-edges", LY_KEY_BOOL, AT(LyOutputSpec, snapshot_edges), .fallback = "false",
     .meaning = "Edges of faces in pictures."},
    {"pc2", LY_KEY_BOOL, AT(LyOutputSpec, pc2), .fallback = "false",
     .meaning = "A PC2 cache of the surfaces."},
    {"gltf", LY_KEY_BOOL, AT(LyOutputSpec, gltf), .fallback = "false",
     .meaning = "An animated glTF file of the surfaces."},
};
GROUP(output, LyOutputSpec, "output", "What to write; 0 is never. The command may overrule it.");

static const LyKey camera_keys[] = {
    {"azimuth", LY_KEY_NUMBER, AT(LyCameraSpec, azimuth), "rad", "30 deg",
     .meaning = "Where `eye` is not given, the camera is fitted to the bodies."},
    {"elevation", LY_KEY_NUMBER, AT(LyCameraSpec, elevation), "rad", "20 deg",
     .meaning = "The same."},
    {"eye", LY_KEY_VECTOR, AT(LyCameraSpec, eye), "m", .meaning = "Where the camera is."},
    {"target", LY_KEY_VECTOR, AT(LyCameraSpec, target), "m", "[0, 0, 0]",
     .meaning = "What it looks at; read with `eye`."},
    {"up", LY_KEY_VECTOR, AT(LyCameraSpec, up), .fallback = "[0, 1, 0]",
     .meaning = "What is up in pictures."},
    {"field-of-view", LY_KEY_NUMBER, AT(LyCameraSpec, field_of_view), "rad", "40 deg",
     LY_RANGE_FIELD, .meaning = "Vertical."},
};
GROUP(camera, LyCameraSpec, "camera", "Where pictures are taken from.");

static const LyKey scene_keys[] = {
    {"title", LY_KEY_TEXT, AT(LySceneSpec, title), .meaning = "Without, the name of the file."},
    {"bodies", LY_KEY_LIST, AT(LySceneSpec, bodies), .group = &body, .shown = true,
     .required = true, .meaning = "What moves, at least one."},
    {"mass", LY_KEY_WORD, AT(LySceneSpec, mass), .fallback = "lumped",
     .choices = "lumped|consistent",
     .meaning = "Mass matrix: at the vertices, or of the elements."},
    {"gravity", LY_KEY_CURVES, AT(LySceneSpec, gravity), "m/s^2", "[0, 0, 0]",
     .meaning = "Over time."},
    {"constraints", LY_KEY_LIST, AT(LySceneSpec, constraints), .group = &constraint,
     .meaning = "What is held."},
    {"loads", LY_KEY_LIST, AT(LySceneSpec, loads), .group = &load,
     .meaning = "Forces from outside."},
    {"changes", LY_KEY_LIST, AT(LySceneSpec, changes), .group = &change,
     .meaning = "Materials that change."},
    {"damping", LY_KEY_GROUP, AT(LySceneSpec, damping), .group = &damping, .shown = true,
     .meaning = "Rayleigh damping."},
    {"integrator", LY_KEY_GROUP, AT(LySceneSpec, integrator), .group = &integrator, .shown = true,
     .meaning = "How time goes on."},
    {"solver", LY_KEY_GROUP, AT(LySceneSpec, solver), .group = &solver, .shown = true,
     .meaning = "How linear systems are solved."},
    {"time", LY_KEY_GROUP, AT(LySceneSpec, time), .group = &time_group, .shown = true,
     .meaning = "How long and how finely."},
    {"output", LY_KEY_GROUP, AT(LySceneSpec, output), .group = &output, .shown = true,
     .meaning = "What to write."},
    {"camera", LY_KEY_GROUP, AT(LySceneSpec, camera), .group = &camera, .shown = true,
     .meaning = "Where pictures are taken from."},
};

const LyGroup ly_scene_schema = {"scene", "The whole file.", sizeof(LySceneSpec),
                                 LY_COUNT_OF(scene_keys), scene_keys};
