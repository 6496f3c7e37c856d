// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// The parts that Lyra is made of and that other programs may use: small vectors, dense and sparse
/// matrices, orders, files of matrices, what may meet, pictures and plots. They may change between
/// minor versions. Include all of them with this header, or each by its own.

#ifndef LYRA_PARTS_H
#define LYRA_PARTS_H

#include "lyra/collide.h"
#include "lyra/csr.h"
#include "lyra/dense.h"
#include "lyra/dofs.h"
#include "lyra/math3.h"
#include "lyra/matrix_file.h"
#include "lyra/matrix_market.h"
#include "lyra/picture.h"
#include "lyra/plot.h"
#include "lyra/reorder.h"

#endif
