// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Materials of .veg files.
//
// An orthotropic material has nine constants and axes. Its short forms give one ratio nu, and
// perhaps one factor G (1 if absent), from which
//     nu_ij = nu sqrt(E_i / E_j),    G_ij = G sqrt(E_i E_j) / (2 (1 + nu))    ij = 12, 23, 31,
// which keeps the stiffness matrix symmetric and, for equal moduli, is the isotropic material.

#include "mesh/veg.h"

#include <stdio.h>

static LyraStatus read_numbers(LyScanner *scanner, int32_t count, double *values,
                               const char *const *names)
{
    for (int32_t i = 0; i < count; ++i) {
        LY_TRY(ly_scanner_double(scanner, &values[i], names[i]));
    }
    return LYRA_OK;
}

/// What a word such as ORTHOTROPIC_N1G1R9 says about the numbers behind it.
typedef struct OrthotropicForm {
    const char *word;
    bool short_ratios, has_factor, has_axes;
} OrthotropicForm;

static const OrthotropicForm orthotropic_forms[] = {
    {"ORTHOTROPIC", false, false, true},       {"ORTHOTROPIC_N3G3R9", false, false, true},
    {"ORTHOTROPIC_N3G3", false, false, false}, {"ORTHOTROPIC_N1G1R9", true, true, true},
    {"ORTHOTROPIC_N1G1", true, true, false},   {"ORTHOTROPIC_N1R9", true, false, true},
    {"ORTHOTROPIC_N1", true, false, false},
};

static LyraStatus expand_ratios(const LyScanner *scanner, const char *at, double nu, double factor,
                                LyraMaterialOrthotropic *ortho)
{
    const double *E = ortho->young;
    for (int32_t i = 0; i < 3; ++i) {
        int32_t j = (i + 1) % 3;
        ortho->poisson[i] = nu * sqrt(E[i] / E[j]);
        ortho->shear[i] = factor * sqrt(E[i] * E[j]) / (2 * (1 + nu));
        if (!isfinite(ortho->poisson[i]) || !isfinite(ortho->shear[i])) {
            return ly_scanner_fail_at(
                scanner, at, LYRA_BAD_FORMAT,
                "moduli of one sign and a ratio above -1 that give finite constants");
        }
    }
    return LYRA_OK;
}

static LyraStatus read_orthotropic(LyScanner *scanner, const OrthotropicForm *form,
                                   LyraMaterialOrthotropic *ortho)
{
    static const char *const young_names[3] = {"E1", "E2", "E3"};
    static const char *const poisson_names[3] = {"nu12", "nu23", "nu31"};
    static const char *const shear_names[3] = {"G12", "G23", "G31"};
    *ortho = (LyraMaterialOrthotropic){.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    ly_scanner_skip_blanks(scanner);
    const char *at = scanner->at;
    LY_TRY(read_numbers(scanner, 3, ortho->young, young_names));
    if (form->short_ratios) {
        double nu, factor = 1;
        LY_TRY(ly_scanner_double(scanner, &nu, "nu"));
        if (form->has_factor) {
            LY_TRY(ly_scanner_double(scanner, &factor, "G"));
        }
        LY_TRY(expand_ratios(scanner, at, nu, factor, ortho));
    } else {
        LY_TRY(read_numbers(scanner, 3, ortho->poisson, poisson_names));
        LY_TRY(read_numbers(scanner, 3, ortho->shear, shear_names));
    }
    for (int32_t i = 0; form->has_axes && i < 9; ++i) {
        LY_TRY(ly_scanner_double(scanner, &ortho->axes[i], "a matrix of axes"));
    }
    return LYRA_OK;
}

LyraStatus ly_veg_read_material(LyScanner *scanner, LyraMeshMaterial *material)
{
    const char *at = scanner->at;
    LySlice word = ly_scanner_token(scanner);
    const OrthotropicForm *form = NULL;
    for (int32_t i = 0; i < LY_COUNT_OF(orthotropic_forms); ++i) {
        form = ly_slice_is_word(word, orthotropic_forms[i].word) ? &orthotropic_forms[i] : form;
    }
    bool enu = ly_slice_is_word(word, "ENU");
    bool mooney_rivlin = ly_slice_is_word(word, "MOONEYRIVLIN");
    if (!enu && !mooney_rivlin && !form) {
        return ly_scanner_fail_at(scanner, at, LYRA_BAD_FORMAT,
                                  "a material: ENU, MOONEYRIVLIN or ORTHOTROPIC, perhaps with "
                                  "_N3G3R9, _N3G3, _N1G1R9, _N1G1, _N1R9 or _N1 behind");
    }
    LyraMeshMaterial result = {.name = material->name};
    LY_TRY(ly_scanner_double(scanner, &result.density, "the density"));
    if (enu) {
        result.kind = LYRA_MESH_MATERIAL_ENU;
        LY_TRY(ly_scanner_double(scanner, &result.enu.young, "E"));
        LY_TRY(ly_scanner_double(scanner, &result.enu.poisson, "nu"));
    } else if (mooney_rivlin) {
        result.kind = LYRA_MESH_MATERIAL_MOONEY_RIVLIN;
        LY_TRY(ly_scanner_double(scanner, &result.mooney_rivlin.mu01, "mu01"));
        LY_TRY(ly_scanner_double(scanner, &result.mooney_rivlin.mu10, "mu10"));
        LY_TRY(ly_scanner_double(scanner, &result.mooney_rivlin.v1, "v1"));
    } else {
        result.kind = LYRA_MESH_MATERIAL_ORTHOTROPIC;
        LY_TRY(read_orthotropic(scanner, form, &result.orthotropic));
    }
    LY_TRY(ly_scanner_end_line(scanner));
    *material = result;
    return LYRA_OK;
}
