// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

/// @file
/// Kinds of numbers: what the parameters of laws and forces may be.

#ifndef LYRA_PARAMETER_H
#define LYRA_PARAMETER_H

/// Values that a parameter may take. All are finite.
typedef enum LyraParameterKind {
    LYRA_PARAMETER_ANY = 0,
    LYRA_PARAMETER_NOT_ZERO,
    LYRA_PARAMETER_NOT_NEGATIVE,
    LYRA_PARAMETER_POSITIVE,
    LYRA_PARAMETER_FRACTION, ///< From 0 to 1, both included.
    LYRA_PARAMETER_KIND_COUNT
} LyraParameterKind;

#endif
