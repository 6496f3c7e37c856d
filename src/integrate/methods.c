// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The list of integrators.

#include "integrate/explicit.h"
#include "integrate/integrate.h"

const LyIntegratorType *const ly_integrators[] = {
    &ly_euler,
    &ly_symplectic_euler,
    &ly_verlet,
    &ly_central_differences,
    &ly_explicit_midpoint,
    &ly_rk4,
    &ly_rk38,
    &ly_dopri5,
    &ly_dopri853,
    &ly_rkc2,
    &ly_rosenbrock2,
    &ly_rosenbrock3,
    &ly_rosenbrock4,
};

const int32_t ly_integrator_count = LY_COUNT_OF(ly_integrators);
