// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Elastic forces from meshes: modes of inversion, parameters, creation.

#include "force/elastic.h"

#include "base/base.h"
#include "force/isotropic.h"

#include <string.h>

// ---- inversion ----------------------------------------------------------------------------------

static const char *const inversion_names[LYRA_INVERSION_COUNT] = {
    [LYRA_INVERSION_EXTEND] = "extend",
    [LYRA_INVERSION_CLAMP] = "clamp",
    [LYRA_INVERSION_NONE] = "none",
};

static const char *const volumetric_names[LYRA_VOLUMETRIC_COUNT] = {
    [LYRA_VOLUMETRIC_STANDARD] = "standard",
    [LYRA_VOLUMETRIC_MEAN] = "mean",
    [LYRA_VOLUMETRIC_NODAL] = "nodal",
};

const char *lyra_volumetric_name(LyraVolumetric volumetric)
{
    return (unsigned)volumetric < LYRA_VOLUMETRIC_COUNT ? volumetric_names[volumetric] : "unknown";
}

LyraStatus lyra_volumetric_find(const char *name, LyraVolumetric *volumetric)
{
    int32_t index = 0;
    LY_TRY(ly_find_name("volumetric mode", name, volumetric_names, LYRA_VOLUMETRIC_COUNT, &index));
    *volumetric = (LyraVolumetric)index;
    return LYRA_OK;
}

const char *lyra_inversion_name(LyraInversion inversion)
{
    return (unsigned)inversion < LYRA_INVERSION_COUNT ? inversion_names[inversion] : "unknown";
}

LyraStatus lyra_inversion_find(const char *name, LyraInversion *inversion)
{
    int32_t index = 0;
    LY_TRY(ly_find_name("inversion mode", name, inversion_names, LYRA_INVERSION_COUNT, &index));
    *inversion = (LyraInversion)index;
    return LYRA_OK;
}

LyraElasticDef lyra_elastic_def_default(void)
{
    return (LyraElasticDef){.model = LYRA_MATERIAL_NEO_HOOKEAN,
                            .inversion_threshold = 0.1,
                            .poisson = 0.45,
                            .cookie = LY_DEF_COOKIE};
}

// ---- parameters ---------------------------------------------------------------------------------

// names of a model's parameters, and how many
static int32_t list_parameters(LyraMaterialLaw model,
                               const char *names[LYRA_MATERIAL_PARAMETERS_MAX + 1])
{
    const LyraMaterialType *law = lyra_material_type(model, LYRA_ISA_SCALAR);
    for (int32_t i = 0; i < law->parameter_count; ++i) {
        names[i] = law->parameter_names[i];
    }
    names[law->parameter_count] = "compression-resistance";
    return law->parameter_count + 1;
}

int32_t lyra_elastic_parameter_count(LyraMaterialLaw model)
{
    const char *names[LYRA_MATERIAL_PARAMETERS_MAX + 1];
    return (unsigned)model < LYRA_MATERIAL_LAW_COUNT ? list_parameters(model, names) : 0;
}

const char *lyra_elastic_parameter_name(LyraMaterialLaw model, int32_t parameter)
{
    const char *names[LYRA_MATERIAL_PARAMETERS_MAX + 1];
    bool known = parameter >= 0 && parameter < lyra_elastic_parameter_count(model);
    return known && list_parameters(model, names) > 0 ? names[parameter] : NULL;
}

LyraStatus lyra_elastic_parameter_find(LyraMaterialLaw model, const char *name, int32_t *parameter)
{
    if ((unsigned)model >= LYRA_MATERIAL_LAW_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: model %d, expected 0 to %d", (int)model,
                       LYRA_MATERIAL_LAW_COUNT - 1);
    }
    const char *names[LYRA_MATERIAL_PARAMETERS_MAX + 1];
    int32_t count = list_parameters(model, names);
    return ly_find_name("parameter", name, names, count, parameter);
}

// ---- creation -----------------------------------------------------------------------------------

LyraStatus ly_check_enu(const LyraMeshMaterial *material)
{
    double young = material->enu.young, poisson = material->enu.poisson;
    if (!(young > 0) || !(poisson > -1 && poisson < 0.5)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "material \"%s\" needs E > 0 and -1 < nu < 0.5, found E = %g, nu = %g",
                       material->name, young, poisson);
    }
    return LYRA_OK;
}

LyraStatus lyra_elastic_create(LyraContext *ctx, const LyraMesh *mesh, const LyraElasticDef *def,
                               LyraForce **out)
{
    LY_CHECK_DEF(def, "lyra_elastic_def_default");
    if ((unsigned)def->model >= LYRA_MATERIAL_LAW_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: model %d, expected 0 to %d",
                       (int)def->model, LYRA_MATERIAL_LAW_COUNT - 1);
    }
    if (def->constant_count < 0 || (def->constant_count > 0 && !def->constants)) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "elastic: %d constants without a list",
                       def->constant_count);
    }
    if (def->plasticity && (unsigned)def->plasticity->yield >= LYRA_YIELD_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "plasticity: yield criterion %d, expected 0 to %d",
                       (int)def->plasticity->yield, LYRA_YIELD_COUNT - 1);
    }
    return ly_isotropic_create(ctx, mesh, def, out);
}
