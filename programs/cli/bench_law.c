// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws that remember: "hencky+von-mises" and the like.

#include "bench_body.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"hencky+von-mises", "hencky+kinematic",
                                    "neo-hookean+deformation", "neo-hookean+prony",
                                    "neo-hookean+maxwell"};

const char *bench_model_name(int32_t index)
{
    int32_t plain = 0, count = sizeof names / sizeof names[0];
    while (lyra_solid_model(plain)) {
        ++plain;
    }
    return index < plain           ? lyra_solid_model(index)
           : index < plain + count ? names[index - plain]
                                   : NULL;
}

// low enough that everything flows
static void flow(const char *how, BenchLaw *law, LyraSolidDef *def)
{
    law->plasticity = lyra_plasticity_def_default();
    if (strcmp(how, "deformation") == 0) {
        law->plasticity.yield = LYRA_YIELD_DEFORMATION;
        law->plasticity.yield_strain = 1e-3;
    } else {
        law->plasticity.yield_stress = 1e3;
        law->plasticity.hardening = 1e4;
    }
    law->plasticity.kinematic_hardening = strcmp(how, "kinematic") == 0 ? 1e4 : 0;
    def->plasticity = &law->plasticity;
}

// three branches of half the stiffness each
static void relax(const char *how, BenchLaw *law, LyraSolidDef *def)
{
    bool maxwell = strcmp(how, "maxwell") == 0;
    law->viscous = lyra_viscoelasticity_def_default();
    law->viscous.model = maxwell ? LYRA_RELAXATION_MAXWELL : LYRA_RELAXATION_PRONY;
    for (int i = 0; i < BENCH_BRANCHES; ++i) {
        law->branches[i] = (LyraRelaxationBranch){
            .time = 0.1 * (i + 1), .shear = maxwell ? 2e5 : 0.5, .bulk = maxwell ? 0 : 0.1};
    }
    law->viscous.branches = law->branches;
    law->viscous.branch_count = BENCH_BRANCHES;
    def->viscoelasticity = &law->viscous;
}

void bench_law(const char *model, BenchLaw *law, LyraSolidDef *def)
{
    const char *plus = strchr(model, '+');
    def->model = model;
    if (!plus) {
        return;
    }
    snprintf(law->model, sizeof law->model, "%.*s", (int)(plus - model), model);
    def->model = law->model;
    bool relaxes = strcmp(plus + 1, "prony") == 0 || strcmp(plus + 1, "maxwell") == 0;
    (relaxes ? relax : flow)(plus + 1, law, def);
}
