// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// All of Lyra.

#ifndef LYRA_LYRA_H
#define LYRA_LYRA_H

#include "lyra/affine.h"
#include "lyra/base.h"
#include "lyra/constraint.h"
#include "lyra/corotational.h"
#include "lyra/csr.h"
#include "lyra/dense.h"
#include "lyra/distance.h"
#include "lyra/dofs.h"
#include "lyra/elastic.h"
#include "lyra/embed.h"
#include "lyra/fibre.h"
#include "lyra/fields.h"
#include "lyra/force.h"
#include "lyra/integrator.h"
#include "lyra/material.h"
#include "lyra/math3.h"
#include "lyra/matrix_file.h"
#include "lyra/matrix_market.h"
#include "lyra/mesh.h"
#include "lyra/mesh_edit.h"
#include "lyra/mesh_generate.h"
#include "lyra/mesh_ops.h"
#include "lyra/model.h"
#include "lyra/modes.h"
#include "lyra/output.h"
#include "lyra/parameter.h"
#include "lyra/picture.h"
#include "lyra/plasticity.h"
#include "lyra/plot.h"
#include "lyra/points.h"
#include "lyra/reorder.h"
#include "lyra/scene.h"
#include "lyra/scene_live.h"
#include "lyra/solid.h"
#include "lyra/solver.h"
#include "lyra/sparse.h"
#include "lyra/springs.h"
#include "lyra/state.h"
#include "lyra/surface.h"
#include "lyra/system.h"
#include "lyra/traction.h"
#include "lyra/vector.h"
#include "lyra/version.h"
#include "lyra/viscoelasticity.h"
#include "lyra/viscosity.h"
#include "lyra/volume.h"

#endif
