// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys of bodies.

#include "force/solid.h"
#include "world/keys_rows.h"
#include "world/parameters.h"

static const char *kind_choice(const LyraContext *ctx, int32_t index)
{
    (void)ctx;
    return lyra_body_kind(index);
}

static void init_generate(void *out)
{
    *(LyraMeshShapeDef *)out = lyra_mesh_shape_def_default();
}

static void init_region(void *out)
{
    *(LyraRegion *)out = lyra_region_default();
}

static void init_viscosity(void *out)
{
    *(LyraBodyViscosity *)out = lyra_body_viscosity_default();
}

static void init_term(void *out)
{
    *(LyraViscosityTerm *)out = lyra_viscosity_term_default();
}

static void init_stretch_rate(void *out)
{
    *(LyraStretchDampingDef *)out = lyra_stretch_damping_def_default();
}

static void init_goal(void *out)
{
    *(LyraBodyGoal *)out = lyra_body_goal_default();
}

static void init_plasticity(void *out)
{
    *(LyraPlasticityDef *)out = lyra_plasticity_def_default();
}

static void init_fibre(void *out)
{
    *(LyraBodyFibre *)out = lyra_body_fibre_default();
}

static void init_springs(void *out)
{
    *(LyraBodySprings *)out = lyra_body_springs_default();
}

static void init_sheet(void *out)
{
    *(LyraSheetDef *)out = lyra_sheet_def_default();
}

static void init_fabric(void *out)
{
    *(LyraBodyFabric *)out = lyra_body_fabric_default();
}

static void init_cloth(void *out)
{
    *(LyraBodyCloth *)out = lyra_body_cloth_default();
}

static void init_body(void *out)
{
    *(LyraBodyDef *)out = lyra_body_def_default();
}

static const LyKey turn_keys[] = {
    {"axis", LY_KEY_VECTOR, AT(LyraTurn, axis), .meaning = "Axis."},
    {"center", LY_KEY_VECTOR, AT(LyraTurn, center), .unit = "m", .meaning = "A point of the axis."},
    {"angle", LY_KEY_NUMBER, AT(LyraTurn, angle), .unit = "rad", .meaning = "Right-handed angle."},
};
PUBLIC_GROUP(ly_turn_keys, turn_keys, LyraTurn, NULL, "rotate", "A rotation.");

static const LyKey transform_keys[] = {
    {"scale", LY_KEY_SCALE, AT(LyraPlacement, scale), .range = LY_RANGE_POSITIVE,
     .meaning = "First: one factor, or one per axis."},
    {"rotate", LY_KEY_GROUP, AT(LyraPlacement, rotate), .group = &ly_turn_keys,
     .meaning = "Second."},
    {"translate", LY_KEY_VECTOR, AT(LyraPlacement, translate), .unit = "m", .meaning = "Third."},
};
GROUP(transform, LyraPlacement, NULL, "transform",
      "Rigid motion and scale of the mesh, applied before all else.");

static const LyKey start_keys[] = {
    {"scale", LY_KEY_SCALE, AT(LyraStart, scale),
     .meaning = "About the middle of the body, one factor or one per axis; 0 flattens."},
    {"rotate", LY_KEY_GROUP, AT(LyraStart, rotate), .group = &ly_turn_keys, .meaning = "Second."},
    {"translate", LY_KEY_VECTOR, AT(LyraStart, translate), .unit = "m", .meaning = "Third."},
    {"velocity", LY_KEY_VECTOR, AT(LyraStart, velocity), .unit = "m/s",
     .meaning = "Of all its vertices."},
    {"angular-velocity", LY_KEY_VECTOR, AT(LyraStart, angular_velocity), .unit = "rad/s",
     .meaning = "About the middle of the body."},
    {"displacement-file", LY_KEY_TEXT, AT(LyraStart, displacement_file),
     .meaning = "Displacements of all vertices in place of the above, in m: a matrix of Vega with "
                "3 n rows, or an `.npy` array of 3 n numbers."},
    {"velocity-file", LY_KEY_TEXT, AT(LyraStart, velocity_file),
     .meaning = "The same for velocities, in m/s."},
};
GROUP(start, LyraStart, NULL, "start", "Where the body is at the start, and how it moves.");

static const LyKey generate_keys[] = {
    {"shape", LY_KEY_WORD, AT(LyraMeshShapeDef, shape), .choices = "box|sphere|cylinder|torus",
     .meaning = "Cylinder and torus have their axis along z."},
    {"element", LY_KEY_WORD, AT(LyraMeshShapeDef, kind), .choices = "tet|cube|tet10|hex",
     .meaning = "What it is made of."},
    {"elements", LY_KEY_INTEGER, AT(LyraMeshShapeDef, elements), .range = LY_RANGE_POSITIVE,
     .meaning = "About this many."},
    {"cells", LY_KEY_INTEGERS, AT(LyraMeshShapeDef, cells), .range = LY_RANGE_POSITIVE,
     .meaning = "Of a box: cells along x, y, z, in place of `elements`."},
    {"pattern", LY_KEY_WORD, AT(LyraMeshShapeDef, pattern), .choices = "six|five",
     .meaning = "Tets in a cell; five for boxes only."},
    {"center", LY_KEY_VECTOR, AT(LyraMeshShapeDef, center), .unit = "m", .meaning = "Its middle."},
    {"size", LY_KEY_VECTOR, AT(LyraMeshShapeDef, size), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Edges of a box."},
    {"radius", LY_KEY_NUMBER, AT(LyraMeshShapeDef, radius), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a sphere or cylinder; of the centre line of a torus."},
    {"tube-radius", LY_KEY_NUMBER, AT(LyraMeshShapeDef, tube_radius), .unit = "m",
     .range = LY_RANGE_POSITIVE, .meaning = "Of the tube of a torus."},
    {"height", LY_KEY_NUMBER, AT(LyraMeshShapeDef, height), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a cylinder."},
};
GROUP(generate, LyraMeshShapeDef, init_generate, "generate",
      "A simple body, where there is no `mesh`.");

static const LyKey strength_keys[] = {
    {"strain", LY_KEY_NUMBER, AT(LyraStrengthRow, strain), .required = true,
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Equivalent plastic strain, 0 in the first row."},
    {"stress", LY_KEY_NUMBER, AT(LyraStrengthRow, stress), .required = true, .unit = "Pa",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Strength, not below that of the row before."},
};
GROUP(strength, LyraStrengthRow, NULL, "table", "Strength by plastic strain, linear in between.");

static const LyKey plasticity_keys[] = {
    {"yield", LY_KEY_WORD, AT(LyraPlasticityDef, yield), .choices = "von-mises|deformation",
     .meaning = "Where stress exceeds a strength (model `hencky`), or where strain does (any "
                "isotropic law)."},
    {"yield-stress", LY_KEY_NUMBER, AT(LyraPlasticityDef, yield_stress), .unit = "Pa",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Strength in uniaxial stress; von-mises.",
     .turns = {.parameter = "yield"}},
    {"hardening", LY_KEY_NUMBER, AT(LyraPlasticityDef, hardening), .unit = "Pa",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Rise of the strength per plastic strain.",
     .turns = {.parameter = "hardening"}},
    {"table", LY_KEY_LIST, LIST(LyraPlasticityDef, table, table_count), .group = &strength,
     .meaning = "In place of `yield-stress`: strength by plastic strain; von-mises."},
    {"kinematic-hardening", LY_KEY_NUMBER, AT(LyraPlasticityDef, kinematic_hardening), .unit = "Pa",
     .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Backstress per plastic strain; for elements that do not invert."},
    {"viscosity", LY_KEY_NUMBER, AT(LyraPlasticityDef, viscosity), .unit = "Pa s",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Perzyna's: stress above the strength per rate.",
     .turns = {.parameter = "flow-viscosity"}},
    {"yield-strain", LY_KEY_NUMBER, AT(LyraPlasticityDef, yield_strain),
     .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Logarithmic strain that does not flow; deformation.",
     .turns = {.parameter = "yield-strain"}},
    {"keeps-volume", LY_KEY_BOOL, AT(LyraPlasticityDef, keeps_volume),
     .meaning = "Flow changes no volume; deformation."},
    {"flow-max", LY_KEY_NUMBER, AT(LyraPlasticityDef, flow_max), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Equivalent plastic strain that is not exceeded; von-mises."},
    {"step-flow-max", LY_KEY_NUMBER, AT(LyraPlasticityDef, step_flow_max),
     .range = LY_RANGE_POSITIVE, .meaning = "Most flow in a step; von-mises."},
    {"flow-limit", LY_KEY_NUMBER, AT(LyraPlasticityDef, flow_limit), .range = LY_RANGE_POSITIVE,
     .meaning = "Logarithm of the plastic stretches at which flow stops until it would lead back.",
     .turns = {.parameter = "flow-limit"}},
};
GROUP(plasticity, LyraPlasticityDef, init_plasticity, "plasticity",
      "Permanent deformation of isotropic laws, on all elements.");

static const LyKey material_keys[] = {
    {"model", LY_KEY_NAME, AT(LyraBodyDef, material.model), .choice = ly_solid_choice,
     .meaning = "Law of the body."},
    {"young", LY_KEY_NUMBER, AT(LyraBodyDef, material.young), .unit = "Pa",
     .shown_default = "of the mesh", .range = LY_RANGE_POSITIVE,
     .meaning = "Young's modulus; of a generated mesh 1 MPa.", .live = &ly_live_young},
    {"poisson", LY_KEY_NUMBER, AT(LyraBodyDef, material.poisson), .shown_default = "of the mesh",
     .range = LY_RANGE_POISSON, .meaning = "Poisson's ratio; of a generated mesh 0.45.",
     .live = &ly_live_poisson},
    {"density", LY_KEY_NUMBER, AT(LyraBodyDef, density), .unit = "kg/m^3",
     .shown_default = "of the mesh", .range = LY_RANGE_POSITIVE,
     .meaning = "Mass per volume; of a generated mesh 1000 kg/m^3.", .live = &ly_live_density},
    {"inversion", LY_KEY_WORD, AT(LyraBodyDef, material.inversion), .choices = "extend|clamp|none",
     .meaning = "What an isotropic law does below the threshold."},
    {"volumetric", LY_KEY_WORD, AT(LyraBodyDef, material.volumetric),
     .choices = "standard|mean|nodal",
     .meaning = "How a law sees changes of volume: at each point, or by the mean over the element "
                "(cubes, hexahedra, tets of 10 nodes) or around each vertex (tets of 4 nodes), "
                "which do not lock where Poisson's ratio is near 0.5."},
    {"inversion-threshold", LY_KEY_NUMBER, AT(LyraBodyDef, material.inversion_threshold),
     .range = LY_RANGE_INSIDE, .meaning = "Stretch below which that happens."},
    {"compression-resistance", LY_KEY_NUMBER, AT(LyraBodyDef, material.compression_resistance),
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Extra resistance to compression."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraBodyDef, material.stiffness), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of springs; 0: from Young's modulus, tets only.",
     .turns = {.force = "mass-spring", .parameter = "stiffness", .kind = "solid"}},
    {"damping", LY_KEY_NUMBER, AT(LyraBodyDef, material.damping), .unit = "N s/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of springs.",
     .turns = {.force = "mass-spring", .parameter = "damping", .kind = "solid"}},
    {"modulus-factor", LY_KEY_NUMBER, AT(LyraBodyDef, modulus_factor), .range = LY_RANGE_POSITIVE,
     .meaning = "On all moduli, those of the mesh and of regions."},
    {"vega", LY_KEY_BOOL, AT(LyraBodyDef, material.vega),
     .meaning = "Corotational cubes take the frame that Vega takes."},
    {"plasticity", LY_KEY_GROUP, AT(LyraBodyDef, material.plasticity), .pointer = true,
     .group = &plasticity, .meaning = "How it flows."},
    {"parameters", LY_KEY_NAMED, LIST(LyraBodyDef, material.constants, material.constant_count),
     .meaning = "Constants of the law by name, in SI, overruling what the moduli give."},
};
GROUP(material, LyraBodyDef, NULL, "material", "What a body is made of.");

static const LyKey region_keys[] = {
    {"select", LY_KEY_GROUP, AT(LyraRegion, select), .required = true, .group = &ly_select_keys,
     .meaning = "Elements, by their centres or as a set."},
    {"young", LY_KEY_NUMBER, AT(LyraRegion, young), .unit = "Pa", .range = LY_RANGE_POSITIVE,
     .meaning = "As the body's, unless said."},
    {"poisson", LY_KEY_NUMBER, AT(LyraRegion, poisson), .range = LY_RANGE_POISSON,
     .meaning = "As the body's, unless said."},
    {"density", LY_KEY_NUMBER, AT(LyraRegion, density), .unit = "kg/m^3",
     .range = LY_RANGE_POSITIVE, .meaning = "As the body's, unless said."},
    {"parameters", LY_KEY_NAMED, LIST(LyraRegion, constants, constant_count),
     .meaning = "Parameters of the body's forces by name, in SI, as `yield`, `hardening`, "
                "`flow-viscosity`, `flow-limit`; `lyra scene` lists them."},
};
GROUP(region, LyraRegion, init_region, "regions",
      "Parts of a body with other moduli; the last one that holds an element counts.");

static const LyKey term_keys[] = {
    {"time", LY_KEY_NUMBER, AT(LyraViscosityTerm, time), .required = true, .unit = "s",
     .range = LY_RANGE_POSITIVE, .meaning = "Relaxation time."},
    {"share", LY_KEY_NUMBER, AT(LyraViscosityTerm, share), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Its modulus over that of the law, which is left when all has relaxed."},
    {"instant-share", LY_KEY_NUMBER, AT(LyraViscosityTerm, instant_share),
     .range = LY_RANGE_FRACTION,
     .meaning = "In place of it, its modulus over that of law and terms together: g_i of Abaqus."},
    {"modulus", LY_KEY_NUMBER, AT(LyraViscosityTerm, modulus), .unit = "Pa",
     .range = LY_RANGE_POSITIVE, .meaning = "In place of it, with model maxwell: mu itself."},
};
GROUP(term, LyraViscosityTerm, init_term, "terms", "Terms of a series of moduli that fade away.");

static const LyKey coefficient_keys[] = {
    {"coefficient", LY_KEY_TEXT, AT(LyraViscosityTerm, coefficient), .required = true,
     .meaning = "Parameter of the law, as `mu10`."},
    {"time", LY_KEY_NUMBER, AT(LyraViscosityTerm, time), .required = true, .unit = "s",
     .range = LY_RANGE_POSITIVE, .meaning = "Relaxation time."},
    {"share", LY_KEY_NUMBER, AT(LyraViscosityTerm, share), .required = true,
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "What fades away over the coefficient itself."},
};
GROUP(coefficient, LyraViscosityTerm, init_term, "coefficients",
      "Terms of series of the law's own coefficients.");

static const LyKey viscosity_keys[] = {
    {"model", LY_KEY_WORD, AT(LyraBodyViscosity, model),
     .choices = "strain-rate|prony|maxwell|constant-q",
     .meaning =
         "Stress by the rate of Green's strain (tets); shares of the stress of any isotropic "
         "law that fade away; springs with dampers in logarithmic strain beside any law; a "
         "Prony series fitted to a quality factor."},
    {"lambda", LY_KEY_NUMBER, AT(LyraBodyViscosity, lambda), .unit = "Pa s", .only = "strain-rate",
     .meaning = "Of volume.", .turns = {.force = "viscosity", .parameter = "lambda"}},
    {"mu", LY_KEY_NUMBER, AT(LyraBodyViscosity, mu), .unit = "Pa s", .only = "strain-rate",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of shape.",
     .turns = {.force = "viscosity", .parameter = "mu"}},
    {"symmetric", LY_KEY_BOOL, AT(LyraBodyViscosity, symmetric), .only = "strain-rate",
     .meaning = "Keeps matrices symmetric."},
    {"shear", LY_KEY_LIST, LIST(LyraBodyViscosity, shear, shear_count), .group = &term,
     .only = "prony|maxwell", .meaning = "Terms of the shear modulus; the branches of maxwell."},
    {"bulk", LY_KEY_LIST, LIST(LyraBodyViscosity, bulk, bulk_count), .group = &term,
     .only = "prony", .meaning = "Terms of the bulk modulus."},
    {"lambda-terms", LY_KEY_LIST, LIST(LyraBodyViscosity, lambda_terms, lambda_count),
     .group = &term, .only = "prony",
     .meaning = "In place of `shear` and `bulk`: terms of Lame's lambda."},
    {"mu-terms", LY_KEY_LIST, LIST(LyraBodyViscosity, mu_terms, mu_count), .group = &term,
     .only = "prony", .meaning = "In place of `shear` and `bulk`: terms of Lame's mu."},
    {"coefficients", LY_KEY_LIST, LIST(LyraBodyViscosity, coefficients, coefficient_count),
     .group = &coefficient, .only = "prony",
     .meaning = "In place of all these: terms of the law's own coefficients, by their names."},
    {"q", LY_KEY_NUMBER, AT(LyraBodyViscosity, q), .range = LY_RANGE_POSITIVE, .only = "constant-q",
     .meaning = "Quality factor: storage over loss modulus."},
    {"band", LY_KEY_PAIR, AT(LyraBodyViscosity, band), .unit = "Hz", .range = LY_RANGE_POSITIVE,
     .only = "constant-q", .meaning = "Frequencies over which it holds."},
    {"reference", LY_KEY_NUMBER, AT(LyraBodyViscosity, reference), .unit = "Hz",
     .range = LY_RANGE_NOT_NEGATIVE, .only = "constant-q",
     .meaning = "Frequency at which the body has the moduli of its law; 0: when all has relaxed."},
    {"branches", LY_KEY_INTEGER, AT(LyraBodyViscosity, branches), .range = LY_RANGE_NOT_NEGATIVE,
     .only = "constant-q", .meaning = "Terms of the series, at most 8; 0: as many as it needs."},
};
GROUP(viscosity, LyraBodyViscosity, init_viscosity, "viscosity",
      "How a solid relaxes, creeps and damps.");

static const LyKey stretch_rate_keys[] = {
    {"shear", LY_KEY_NUMBER, AT(LyraStretchDampingDef, shear), .unit = "Pa s",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Against changes of shape.",
     .turns = {.force = "stretch-damping", .parameter = "shear"}},
    {"volume", LY_KEY_NUMBER, AT(LyraStretchDampingDef, volume), .unit = "Pa s",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Against changes of volume.",
     .turns = {.force = "stretch-damping", .parameter = "volume"}},
    {"irving", LY_KEY_BOOL, AT(LyraStretchDampingDef, irving),
     .meaning = "In the form of Irving and others, which brakes rotations of deformed bodies too."},
};
GROUP(stretch_rate, LyraStretchDampingDef, init_stretch_rate, "stretch-rate",
      "Damping by the rate of the stretches, as strong for flat tets as for others.");

static const LyKey body_damping_keys[] = {
    {"stretch-rate", LY_KEY_GROUP, AT(LyraBodyDamping, stretch_rate), .pointer = true,
     .group = &stretch_rate, .meaning = "Of tets."},
};
GROUP(body_damping, LyraBodyDamping, NULL, "damping of a body", "Damping of a body alone.");

static const LyKey goal_keys[] = {
    {"mesh", LY_KEY_TEXT, AT(LyraBodyGoal, file),
     .meaning = "A mesh of the same vertices and elements; `transform` moves it too."},
    {"strain-file", LY_KEY_TEXT, AT(LyraBodyGoal, strain_file),
     .meaning = "In place of it, an `.npy` array with a row for each element: logarithmic strain "
                "from rest to goal, 11, 22, 33, 12, 23, 31."},
    {"scale", LY_KEY_SCALE, AT(LyraBodyGoal, scale), .range = LY_RANGE_POSITIVE,
     .meaning = "Without both, of the body at rest: one factor, or one per axis."},
};
GROUP(goal, LyraBodyGoal, init_goal, "goal",
      "The shape that plastic flow leads toward, with the yield criterion deformation.");

static const LyKey fibre_keys[] = {
    {"direction", LY_KEY_VECTOR, AT(LyraBodyFibre, direction), .meaning = "Of the fibres at rest."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraBodyFibre, stiffness), .unit = "Pa",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Along them.",
     .turns = {.force = "fibre", .parameter = "stiffness"}},
    {"exponent", LY_KEY_NUMBER, AT(LyraBodyFibre, exponent), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "How fast they stiffen."},
    {"active-stress", LY_KEY_NUMBER, AT(LyraBodyFibre, active_stress), .unit = "Pa",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "At full activation.",
     .turns = {.force = "fibre", .parameter = "active stress"}},
    {"activation", LY_KEY_CURVE, AT(LyraBodyFibre, activation), .range = LY_RANGE_FRACTION,
     .meaning = "Over time, from 0 to 1.", .turns = {.force = "fibre", .parameter = "activation"}},
    {"tension-only", LY_KEY_BOOL, AT(LyraBodyFibre, tension_only),
     .meaning = "They do not resist being shortened."},
};
GROUP(fibre, LyraBodyFibre, init_fibre, "fibre", "Fibres in a body, as in muscle, beside its law.");

static const LyKey springs_keys[] = {
    {"over", LY_KEY_WORD, AT(LyraBodySprings, over), .choices = "elements|quads|edges|chain",
     .meaning = "Between which vertices: any two that share a tet or a cube of the body's mesh; of "
                "a surface of quads, along edges, across, and past a vertex to the next; along "
                "edges of any surface; of a line."},
    {"surface", LY_KEY_TEXT, AT(LyraBodySprings, file), .only = "quads|edges",
     .meaning = "Its file, of any format."},
    {"count", LY_KEY_INTEGER, AT(LyraBodySprings, count), .range = LY_RANGE_POSITIVE,
     .only = "chain", .meaning = "Of vertices."},
    {"from", LY_KEY_VECTOR, AT(LyraBodySprings, from), .unit = "m", .only = "chain",
     .meaning = "First vertex."},
    {"to", LY_KEY_VECTOR, AT(LyraBodySprings, to), .unit = "m", .only = "chain",
     .meaning = "Last vertex."},
    {"structural", LY_KEY_NUMBER, AT(LyraBodySprings, structural), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Stiffness of edges. Without, over tets that of Young's modulus, otherwise 100 "
                "N/m.",
     .turns = {.force = "mass-spring", .parameter = "stiffness", .kind = "springs"}},
    {"shear", LY_KEY_NUMBER, AT(LyraBodySprings, shear), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .only = "elements|quads",
     .meaning = "Of diagonals. Without, as `structural`."},
    {"bend", LY_KEY_NUMBER, AT(LyraBodySprings, bend), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .only = "quads", .meaning = "Past a vertex to the next."},
    {"damping", LY_KEY_NUMBER, AT(LyraBodySprings, damping), .unit = "N s/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of each spring.",
     .turns = {.force = "mass-spring", .parameter = "damping", .kind = "springs"}},
    {"brakes", LY_KEY_WORD, AT(LyraBodySprings, full), .choices = "along|all",
     .meaning = "Whether damping brakes motion along the spring, or all of it, turning too."},
    {"surface-density", LY_KEY_NUMBER, AT(LyraBodySprings, surface_density), .unit = "kg/m^2",
     .range = LY_RANGE_POSITIVE, .only = "quads|edges", .meaning = "Mass per area.",
     .live = &ly_live_springs_density},
    {"mass", LY_KEY_NUMBER, AT(LyraBodySprings, mass), .unit = "kg", .range = LY_RANGE_POSITIVE,
     .meaning = "Of all of it, shared as volume or area is, in a chain equally. Without, by the "
                "densities; of a chain 1 kg.",
     .live = &ly_live_springs_mass},
};
GROUP(springs, LyraBodySprings, init_springs, "springs", "What a body of `kind: springs` is.");

static const LyKey sheet_keys[] = {
    {"shape", LY_KEY_WORD, AT(LyraSheetDef, shape), .choices = "grid|strip|disc",
     .meaning = "A rectangle; one of cells about as long as wide, `cells: [n, 1]` along it; rings "
                "around a point. All lie across y."},
    {"length", LY_KEY_NUMBER, AT(LyraSheetDef, length), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a rectangle, along x."},
    {"width", LY_KEY_NUMBER, AT(LyraSheetDef, width), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Along z."},
    {"radius", LY_KEY_NUMBER, AT(LyraSheetDef, radius), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a disc."},
    {"cells", LY_KEY_INTEGERS, AT(LyraSheetDef, cells), .range = LY_RANGE_POSITIVE,
     .meaning = "Along x and z; of a disc, the first is the number of rings."},
    {"faces", LY_KEY_WORD, AT(LyraSheetDef, faces), .choices = "alternating|same|crossed|quads",
     .meaning = "What a cell becomes: two triangles with diagonals that cross those of the "
                "neighbours, or lie alike, four around its middle, or one quad."},
    {"bands", LY_KEY_INTEGER, AT(LyraSheetDef, bands), .range = LY_RANGE_POSITIVE,
     .meaning = "Groups `band1`, `band2`, ... along x."},
    {"center", LY_KEY_VECTOR, AT(LyraSheetDef, center), .unit = "m", .meaning = "Its middle."},
};
PUBLIC_GROUP(ly_sheet_keys, sheet_keys, LyraSheetDef, init_sheet, "generate of cloth",
             "A flat sheet, with `uv` in metres.");

#define FABRIC_KEYS(Type, of)                                                                      \
    {"stretch",                                                                                    \
     LY_KEY_NUMBER,                                                                                \
     AT(Type, fabric.stretch),                                                                     \
     .unit = "N/m",                                                                                \
     .range = LY_RANGE_NOT_NEGATIVE,                                                               \
     .meaning = "Stiffness along u and v" of,                                                      \
     .live = &ly_live_cloth_stretch},                                                              \
        {"shear",                                                                                  \
         LY_KEY_NUMBER,                                                                            \
         AT(Type, fabric.shear),                                                                   \
         .unit = "N/m",                                                                            \
         .range = LY_RANGE_NOT_NEGATIVE,                                                           \
         .meaning = "Between them" of,                                                             \
         .live = &ly_live_cloth_shear},                                                            \
        {"bend-u",                                                                                 \
         LY_KEY_NUMBER,                                                                            \
         AT(Type, fabric.bend_u),                                                                  \
         .unit = "N m",                                                                            \
         .range = LY_RANGE_NOT_NEGATIVE,                                                           \
         .meaning = "Of edges along u, per rad^2" of,                                              \
         .live = &ly_live_cloth_bend_u},                                                           \
        {"bend-v",                                                                                 \
         LY_KEY_NUMBER,                                                                            \
         AT(Type, fabric.bend_v),                                                                  \
         .unit = "N m",                                                                            \
         .range = LY_RANGE_NOT_NEGATIVE,                                                           \
         .meaning = "Of edges along v" of,                                                         \
         .live = &ly_live_cloth_bend_v},                                                           \
        {"stretch-damping",                                                                        \
         LY_KEY_NUMBER,                                                                            \
         AT(Type, fabric.stretch_damping),                                                         \
         .unit = "N s/m",                                                                          \
         .range = LY_RANGE_NOT_NEGATIVE,                                                           \
         .meaning = "Against the rate of stretch" of},                                             \
        {"shear-damping",                                                                          \
         LY_KEY_NUMBER,                                                                            \
         AT(Type, fabric.shear_damping),                                                           \
         .unit = "N s/m",                                                                          \
         .range = LY_RANGE_NOT_NEGATIVE,                                                           \
         .meaning = "Against that of shear" of},                                                   \
    {                                                                                              \
        "bend-damping", LY_KEY_NUMBER, AT(Type, fabric.bend_damping),                              \
            .unit = "N m s", .range = LY_RANGE_NOT_NEGATIVE,                                       \
            .meaning = "Against that of the angles" of                                             \
    }

static const LyKey fabric_keys[] = {
    {"name", LY_KEY_TEXT, AT(LyraBodyFabric, name), .required = true,
     .meaning = "A group or a material of the surface."},
    FABRIC_KEYS(LyraBodyFabric, ", unless said as the cloth's."),
    {"surface-density", LY_KEY_NUMBER, AT(LyraBodyFabric, surface_density), .unit = "kg/m^2",
     .range = LY_RANGE_POSITIVE, .meaning = "Mass per area, unless said as the cloth's."},
};
GROUP(fabric, LyraBodyFabric, init_fabric, "groups",
      "Parts of another fabric; the last one that holds a triangle counts.");

static const LyKey cloth_keys[] = {
    {"surface", LY_KEY_TEXT, AT(LyraBodyCloth, file),
     .meaning = "Its file, of any format; polygons are cut into triangles."},
    {"generate", LY_KEY_GROUP, AT(LyraBodyCloth, generate), .pointer = true,
     .group = &ly_sheet_keys, .meaning = "A flat sheet in place of `surface`."},
    FABRIC_KEYS(LyraBodyCloth, "."),
    {"groups", LY_KEY_LIST, LIST(LyraBodyCloth, fabrics, fabric_count), .group = &fabric,
     .meaning = "Parts of another fabric."},
    {"surface-density", LY_KEY_NUMBER, AT(LyraBodyCloth, surface_density), .unit = "kg/m^2",
     .range = LY_RANGE_POSITIVE, .meaning = "Mass per area.", .live = &ly_live_cloth_density},
    {"mass", LY_KEY_NUMBER, AT(LyraBodyCloth, mass), .unit = "kg", .range = LY_RANGE_POSITIVE,
     .meaning = "Of all of it, in place of what the densities give.", .live = &ly_live_cloth_mass},
    {"uv", LY_KEY_WORD, AT(LyraBodyCloth, uv), .choices = "auto|file",
     .meaning = "Directions of the fabric: of each triangle at rest by itself, u along its first "
                "edge, or by the texture coordinates of the surface."},
    {"uv-scale", LY_KEY_NUMBER, AT(LyraBodyCloth, uv_scale), .unit = "m",
     .range = LY_RANGE_POSITIVE, .meaning = "Fabric in a unit of texture coordinates."},
    {"area", LY_KEY_WORD, AT(LyraBodyCloth, area), .choices = "ours|paper|vega",
     .meaning = "Factor of a triangle's conditions: the root of its area, for stiffness in N/m; "
                "its area; its area to the power 3/4."},
    {"rest-stretch-u", LY_KEY_NUMBER, AT(LyraBodyCloth, rest_stretch[0]),
     .range = LY_RANGE_POSITIVE, .meaning = "Stretch along u at which the fabric is at ease."},
    {"rest-stretch-v", LY_KEY_NUMBER, AT(LyraBodyCloth, rest_stretch[1]),
     .range = LY_RANGE_POSITIVE, .meaning = "The same along v."},
    {"rest-angles", LY_KEY_BOOL, AT(LyraBodyCloth, rest_angles),
     .meaning = "Bending starts from the shape at rest, not from flat."},
    {"frozen-bend", LY_KEY_BOOL, AT(LyraBodyCloth, frozen_bend),
     .meaning = "Bending as Vega has it: not the gradient of its energy."},
    {"stretch-force", LY_KEY_BOOL, AT(LyraBodyCloth, stretch_force),
     .meaning = "Whether there are forces of stretch and shear."},
    {"stretch-stiffness", LY_KEY_BOOL, AT(LyraBodyCloth, stretch_stiffness),
     .meaning = "Whether matrices have theirs."},
    {"bend-force", LY_KEY_BOOL, AT(LyraBodyCloth, bend_force),
     .meaning = "Whether there are forces of bending."},
    {"bend-stiffness", LY_KEY_BOOL, AT(LyraBodyCloth, bend_stiffness),
     .meaning = "Whether matrices have theirs."},
    {"symmetric", LY_KEY_BOOL, AT(LyraBodyCloth, symmetric),
     .meaning = "Keeps the matrices of damping symmetric."},
};
GROUP(cloth, LyraBodyCloth, init_cloth, "cloth", "What a body of `kind: cloth` is.");

static const LyKey surface_keys[] = {
    {"file", LY_KEY_TEXT, AT(LyraBodySurface, file), .required = true,
     .meaning = "A surface of any format, in the place of the body after `transform`."},
    {"name", LY_KEY_TEXT, AT(LyraBodySurface, name), .meaning = "Without, that of the file."},
    {"weights", LY_KEY_TEXT, AT(LyraBodySurface, weights),
     .meaning = "An `.interp` file. Without, weights are computed."},
    {"matched", LY_KEY_BOOL, AT(LyraBodySurface, matched),
     .meaning = "Its vertices are those of the body, in their order."},
};
GROUP(surface, LyraBodySurface, NULL, "surfaces", "Surfaces that a body carries along.");

static void init_particles(void *out)
{
    *(LyraBodyParticles *)out = lyra_body_particles_default();
}

static const LyKey particles_keys[] = {
    {"surface", LY_KEY_TEXT, AT(LyraBodyParticles, file),
     .meaning = "A surface of any format, seen from the scene's folder."},
    {"generate", LY_KEY_GROUP, AT(LyraBodyParticles, generate), .pointer = true,
     .group = &ly_sheet_keys, .meaning = "A flat sheet in place of `surface`."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraBodyParticles, stiffness), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of springs along edges.",
     .turns = {.force = "mass-spring", .parameter = "stiffness", .kind = "particles"}},
    {"shear", LY_KEY_NUMBER, AT(LyraBodyParticles, shear), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of springs along the diagonals of quads."},
    {"bend", LY_KEY_NUMBER, AT(LyraBodyParticles, bend), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of springs past a vertex to the next, of quads."},
    {"damping", LY_KEY_NUMBER, AT(LyraBodyParticles, damping), .unit = "N s/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of each spring, against all relative motion.",
     .turns = {.force = "mass-spring", .parameter = "damping", .kind = "particles"}},
    {"surface-density", LY_KEY_NUMBER, AT(LyraBodyParticles, surface_density), .unit = "kg/m^2",
     .range = LY_RANGE_POSITIVE, .meaning = "Mass per area.", .live = &ly_live_particles_density},
    {"mass", LY_KEY_NUMBER, AT(LyraBodyParticles, mass), .unit = "kg", .range = LY_RANGE_POSITIVE,
     .meaning = "Of all of it. Without, by the density.", .live = &ly_live_particles_mass},
};
GROUP(particles, LyraBodyParticles, init_particles, "particles",
      "What a body of `kind: particles` is: [particles](theory/particles.md).");

static void init_strain_limit(void *out)
{
    *(LyraBodyStrainLimit *)out = lyra_body_strain_limit_default();
}

static const LyKey strain_limit_keys[] = {
    {"by", LY_KEY_WORD, AT(LyraBodyStrainLimit, project), .choices = "energy|projection",
     .meaning = "Whether forces hold the bounds, or positions are moved after each step."},
    {"low", LY_KEY_NUMBER, AT(LyraBodyStrainLimit, low), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Least principal stretch."},
    {"high", LY_KEY_NUMBER, AT(LyraBodyStrainLimit, high), .range = LY_RANGE_POSITIVE,
     .meaning = "Largest principal stretch."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraBodyStrainLimit, stiffness), .unit = "N/m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of the energy."},
    {"passes", LY_KEY_INTEGER, AT(LyraBodyStrainLimit, passes), .range = LY_RANGE_POSITIVE,
     .meaning = "Of the projection at most, over all triangles."},
    {"tolerance", LY_KEY_NUMBER, AT(LyraBodyStrainLimit, tolerance), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Of the projection, beyond the bounds."},
};
GROUP(strain_limit, LyraBodyStrainLimit, init_strain_limit, "strain-limit",
      "Bounds of stretch of a body of faces: [strain limits](theory/strain_limits.md).");

static void init_line(void *out)
{
    *(LyraLineDef *)out = lyra_line_def_default();
}

static void init_rod(void *out)
{
    *(LyraBodyRod *)out = lyra_body_rod_default();
}

static const LyKey line_point_keys[] = {
    {"at", LY_KEY_VECTOR, AT(LyraLinePoint, at), .unit = "m", .required = true,
     .meaning = "Where it is."},
};
GROUP(line_point, LyraLinePoint, NULL, "points", "Points that a curve goes through.");

static const LyKey line_keys[] = {
    {"shape", LY_KEY_WORD, AT(LyraLineDef, shape), .choices = "rope|helix|curve",
     .meaning = "Straight; about an axis along z, of no pitch and one turn a ring; a smooth curve "
                "through points."},
    {"edges", LY_KEY_INTEGER, AT(LyraLineDef, edges), .range = LY_RANGE_POSITIVE,
     .meaning = "How many."},
    {"from", LY_KEY_VECTOR, AT(LyraLineDef, from), .unit = "m", .meaning = "Begin of a rope."},
    {"to", LY_KEY_VECTOR, AT(LyraLineDef, to), .unit = "m", .meaning = "Its end."},
    {"radius", LY_KEY_NUMBER, AT(LyraLineDef, radius), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a helix."},
    {"pitch", LY_KEY_NUMBER, AT(LyraLineDef, pitch), .unit = "m",
     .meaning = "Of a helix, per turn."},
    {"turns", LY_KEY_NUMBER, AT(LyraLineDef, turns), .range = LY_RANGE_POSITIVE,
     .meaning = "Of a helix."},
    {"center", LY_KEY_VECTOR, AT(LyraLineDef, center), .unit = "m",
     .meaning = "Begin of the axis of a helix."},
    {"points", LY_KEY_LIST, LIST(LyraLineDef, points, point_count), .group = &line_point,
     .meaning = "Of a curve."},
    {"closed", LY_KEY_BOOL, AT(LyraLineDef, closed),
     .meaning = "A curve goes back to its first point."},
};
GROUP(line, LyraLineDef, init_line, "generate of rod", "A line in place of `lines`.");

static const LyKey rod_keys[] = {
    {"lines", LY_KEY_TEXT, AT(LyraBodyRod, file),
     .meaning = "A file of lines: .obj, .vtk or .msh, seen from the scene's folder."},
    {"generate", LY_KEY_GROUP, AT(LyraBodyRod, generate), .pointer = true, .group = &line,
     .meaning = "A line in place of `lines`."},
    {"rope", LY_KEY_BOOL, AT(LyraBodyRod, rope),
     .meaning = "Free to turn about itself, and straight by nature."},
    {"section", LY_KEY_WORD, AT(LyraBodyRod, section), .choices = "circle|rectangle",
     .meaning = "Of the rod."},
    {"radius", LY_KEY_NUMBER, AT(LyraBodyRod, radius), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a circle, unless the lines have radii."},
    {"inner-radius", LY_KEY_NUMBER, AT(LyraBodyRod, inner_radius), .unit = "m",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Of the bore of a tube."},
    {"width", LY_KEY_NUMBER, AT(LyraBodyRod, width), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a rectangle, along the first director."},
    {"height", LY_KEY_NUMBER, AT(LyraBodyRod, height), .unit = "m", .range = LY_RANGE_POSITIVE,
     .meaning = "Of a rectangle, along the second."},
    {"young", LY_KEY_NUMBER, AT(LyraBodyRod, young), .unit = "Pa", .range = LY_RANGE_POSITIVE,
     .meaning = "Young's modulus."},
    {"poisson", LY_KEY_NUMBER, AT(LyraBodyRod, poisson), .range = LY_RANGE_POISSON,
     .meaning = "Poisson's ratio, for twist."},
    {"density", LY_KEY_NUMBER, AT(LyraBodyRod, density), .unit = "kg/m^3",
     .range = LY_RANGE_POSITIVE, .meaning = "Mass per volume.", .live = &ly_live_rod_density},
    {"stretch", LY_KEY_NUMBER, AT(LyraBodyRod, stretch), .unit = "N",
     .range = LY_RANGE_NOT_NEGATIVE, .shown_default = "by the section",
     .meaning = "EA in place of what the section gives."},
    {"bend", LY_KEY_NUMBER, AT(LyraBodyRod, bend), .unit = "N m^2", .range = LY_RANGE_NOT_NEGATIVE,
     .shown_default = "by the section", .meaning = "EI towards the first director."},
    {"bend-across", LY_KEY_NUMBER, AT(LyraBodyRod, bend_across), .unit = "N m^2",
     .range = LY_RANGE_NOT_NEGATIVE, .shown_default = "as `bend`, or by the section",
     .meaning = "EI towards the second director."},
    {"twist", LY_KEY_NUMBER, AT(LyraBodyRod, twist), .unit = "N m^2",
     .range = LY_RANGE_NOT_NEGATIVE, .shown_default = "by the section", .meaning = "GJ."},
    {"line-density", LY_KEY_NUMBER, AT(LyraBodyRod, line_density), .unit = "kg/m",
     .range = LY_RANGE_POSITIVE, .shown_default = "by the section", .meaning = "Mass per length."},
    {"inertia", LY_KEY_NUMBER, AT(LyraBodyRod, inertia), .unit = "kg m", .range = LY_RANGE_POSITIVE,
     .shown_default = "by the section",
     .meaning = "Moment of inertia about the tangent, per length."},
    {"mass", LY_KEY_NUMBER, AT(LyraBodyRod, mass), .unit = "kg", .range = LY_RANGE_POSITIVE,
     .meaning = "Of all of it, in place of what the densities give.", .live = &ly_live_rod_mass},
    {"normal", LY_KEY_VECTOR, AT(LyraBodyRod, normal), .pointer = true,
     .meaning = "Where the first director of all edges leans to. Without, directors go along "
                "chains without twist."},
    {"straight", LY_KEY_BOOL, AT(LyraBodyRod, straight),
     .meaning = "Straight and untwisted by nature, not as at rest."},
    {"curvature-1", LY_KEY_NUMBER, AT(LyraBodyRod, curvature[0]), .unit = "1/m",
     .meaning = "Natural curvature beside that: of the first kind,"},
    {"curvature-2", LY_KEY_NUMBER, AT(LyraBodyRod, curvature[1]), .unit = "1/m",
     .meaning = "and of the second."},
    {"turn", LY_KEY_NUMBER, AT(LyraBodyRod, turn), .unit = "rad/m",
     .meaning = "Natural twist beside that."},
    {"damping", LY_KEY_NUMBER, AT(LyraBodyRod, damping), .unit = "s",
     .range = LY_RANGE_NOT_NEGATIVE, .meaning = "Viscosity over stiffness of all strains.",
     .live = &ly_live_rod_damping},
    {"sides", LY_KEY_INTEGER, AT(LyraBodyRod, sides), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "Corners of the tube that pictures show; 0: none."},
};
GROUP(rod, LyraBodyRod, init_rod, "rod", "What a body of `kind: rod` is: [rods](theory/rods.md).");

static void init_rigid(void *out)
{
    *(LyraBodyRigid *)out = lyra_body_rigid_default();
}

static const LyKey rigid_keys[] = {
    {"mass", LY_KEY_NUMBER, AT(LyraBodyRigid, mass), .unit = "kg", .range = LY_RANGE_POSITIVE,
     .meaning = "Of all of it. Without, by the densities; moments that are not given go with it.",
     .live = &ly_live_rigid_mass},
    {"center", LY_KEY_VECTOR, AT(LyraBodyRigid, center), .unit = "m", .pointer = true,
     .meaning = "Centre of mass, in the place of the mesh after `transform`. Without, the mesh's."},
    {"moments", LY_KEY_VECTOR, AT(LyraBodyRigid, moments), .unit = "kg m^2", .pointer = true,
     .meaning = "Inertia about the centre: xx, yy, zz. Without, the mesh's."},
    {"products", LY_KEY_VECTOR, AT(LyraBodyRigid, products), .unit = "kg m^2", .pointer = true,
     .meaning = "The entries xy, yz, zx of the same tensor, with their signs in it."},
};
GROUP(rigid, LyraBodyRigid, init_rigid, "rigid",
      "What a body of `kind: rigid` weighs: [rigid bodies](theory/rigid.md).");

static const LyKey body_keys[] = {
    {"name", LY_KEY_TEXT, AT(LyraBodyDef, name), .meaning = "Without, `body1`, `body2`, ..."},
    {"kind", LY_KEY_NAME, AT(LyraBodyDef, kind), .choice = kind_choice,
     .meaning =
         "`affine`: a stiff body that is moved as a whole, by 12 numbers; `springs`: masses "
         "and springs; `cloth`: a thin fabric; `shell`: thin plates, foils and skins of a law of "
         "solids; `particles`: masses and springs with a constant matrix; `rod`: lines that "
         "stretch, bend and twist; `rigid`: a body that keeps its shape."},
    {"mesh", LY_KEY_TEXT, AT(LyraBodyDef, file),
     .meaning = "A volumetric mesh of any format, seen from the scene's folder."},
    {"generate", LY_KEY_GROUP, AT(LyraBodyDef, generate), .pointer = true, .shown = true,
     .group = &generate, .meaning = "A simple body in place of `mesh`."},
    {"transform", LY_KEY_GROUP, AT(LyraBodyDef, transform), .group = &transform,
     .meaning = "Moves the mesh first."},
    {"material", LY_KEY_GROUP, SAME(LyraBodyDef), .shown = true, .group = &material,
     .meaning = "What it is made of."},
    {"stiffness", LY_KEY_NUMBER, AT(LyraBodyDef, stiffness), .unit = "Pa",
     .range = LY_RANGE_POSITIVE,
     .meaning = "Of an affine body: Young's modulus of its shape. Without, 1e6 m^2/s^2 times its "
                "density. Of a rigid one what keeps it while a step is found: 1e8 m^2/s^2 times.",
     .live = &ly_live_affine},
    {"regions", LY_KEY_LIST, LIST(LyraBodyDef, regions, region_count), .group = &region,
     .meaning = "Parts with other moduli."},
    {"viscosity", LY_KEY_GROUP, AT(LyraBodyDef, viscosity), .pointer = true, .group = &viscosity,
     .meaning = "How it relaxes, creeps and damps."},
    {"damping", LY_KEY_GROUP, AT(LyraBodyDef, damping), .group = &body_damping,
     .meaning = "Damping of this body alone."},
    {"goal", LY_KEY_GROUP, AT(LyraBodyDef, goal), .pointer = true, .group = &goal,
     .meaning = "The shape that it may flow toward."},
    {"fibre", LY_KEY_GROUP, AT(LyraBodyDef, fibre), .pointer = true, .group = &fibre,
     .meaning = "Fibres."},
    {"springs", LY_KEY_GROUP, AT(LyraBodyDef, springs), .pointer = true, .group = &springs,
     .meaning = "Which springs, of a body of that kind."},
    {"cloth", LY_KEY_GROUP, AT(LyraBodyDef, cloth), .pointer = true, .group = &cloth,
     .meaning = "Which cloth, of a body of that kind."},
    {"particles", LY_KEY_GROUP, AT(LyraBodyDef, particles), .pointer = true, .group = &particles,
     .meaning = "Which particles, of a body of that kind."},
    {"rod", LY_KEY_GROUP, AT(LyraBodyDef, rod), .pointer = true, .group = &rod,
     .meaning = "Which rod, of a body of that kind."},
    {"shell", LY_KEY_GROUP, AT(LyraBodyDef, shell), .pointer = true, .group = &ly_shell_keys,
     .meaning = "Which shell, of a body of that kind."},
    {"rigid", LY_KEY_GROUP, AT(LyraBodyDef, rigid), .pointer = true, .group = &rigid,
     .meaning = "What a body of that kind weighs."},
    {"strain-limit", LY_KEY_GROUP, AT(LyraBodyDef, strain_limit), .pointer = true,
     .group = &strain_limit, .meaning = "Bounds of stretch, of cloth and other bodies of faces."},
    {"surfaces", LY_KEY_LIST, LIST(LyraBodyDef, surfaces, surface_count), .group = &surface,
     .meaning = "Surfaces to show. Without, that of the mesh."},
    {"start", LY_KEY_GROUP, AT(LyraBodyDef, start), .group = &start,
     .meaning = "Where it is at the start."},
};
PUBLIC_GROUP(ly_body_keys, body_keys, LyraBodyDef, init_body, "bodies", "What moves.");
