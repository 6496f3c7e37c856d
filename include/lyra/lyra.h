// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// The stable face of Lyra: scenes, meshes, materials, forces, models, states, systems,
/// integrators, solvers and results. Before 1.0 a minor version may break it too, and the changelog
/// says how to migrate. The parts it is made of (matrices, dense algebra, pictures, plots) have
/// headers of their own: lyra/parts.h.

#ifndef LYRA_LYRA_H
#define LYRA_LYRA_H

#include "lyra/affine.h"
#include "lyra/base.h"
#include "lyra/cloth.h"
#include "lyra/constraint.h"
#include "lyra/corotational.h"
#include "lyra/curve.h"
#include "lyra/distance.h"
#include "lyra/elastic.h"
#include "lyra/embed.h"
#include "lyra/fibre.h"
#include "lyra/fields.h"
#include "lyra/force.h"
#include "lyra/integrator.h"
#include "lyra/joint.h"
#include "lyra/lines.h"
#include "lyra/material.h"
#include "lyra/mesh.h"
#include "lyra/mesh_edit.h"
#include "lyra/mesh_generate.h"
#include "lyra/mesh_ops.h"
#include "lyra/model.h"
#include "lyra/modes.h"
#include "lyra/obstacle.h"
#include "lyra/output.h"
#include "lyra/parameter.h"
#include "lyra/plasticity.h"
#include "lyra/points.h"
#include "lyra/probe.h"
#include "lyra/registry.h"
#include "lyra/rigid.h"
#include "lyra/rod.h"
#include "lyra/scene.h"
#include "lyra/shell.h"
#include "lyra/solid.h"
#include "lyra/solver.h"
#include "lyra/sparse.h"
#include "lyra/springs.h"
#include "lyra/state.h"
#include "lyra/strain_limit.h"
#include "lyra/surface.h"
#include "lyra/system.h"
#include "lyra/traction.h"
#include "lyra/vector.h"
#include "lyra/version.h"
#include "lyra/viscoelasticity.h"
#include "lyra/viscosity.h"
#include "lyra/volume.h"
#include "lyra/world.h"
#include "lyra/world_bodies.h"
#include "lyra/world_loads.h"
#include "lyra/world_obstacles.h"
#include "lyra/world_select.h"

#endif
