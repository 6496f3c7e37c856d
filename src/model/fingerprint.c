// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A fingerprint: a checksum of the numbers of a model that its matrices depend on.
//
// It is made of numbers, not of the versions that count their changes: versions begin anew with
// every process, and what a state remembers of a model has to hold after a restart. The parameters
// of forces and the directions of constraints are many and are summed only when their version has
// changed.

#include "model/tangent.h"

static uint64_t sum_parameters(const LyraModel *model)
{
    uint64_t sum = LY_CHECKSUM_START;
    for (int32_t p = 0; p < model->part_count; ++p) {
        const LyraAssembly *assembly = model->parts[p].assembly;
        for (int32_t f = 0; f < assembly->force_count; ++f) {
            const LyBatches *batches = &assembly->batches[f];
            int64_t count = (int64_t)batches->batch_count * batches->force->type->parameter_count;
            sum = ly_checksum(sum, batches->parameters, count * LYRA_BATCH_WIDTH);
        }
    }
    return sum;
}

static uint64_t sum_directions(const LyraConstraintsView *view)
{
    uint64_t sum = LY_CHECKSUM_START;
    for (int32_t i = 0; i < view->count; ++i) {
        const int64_t vertex = view->vertex[i];
        sum = ly_checksum(sum, &vertex, 1);
        sum = ly_checksum(sum, view->direction + 3 * (int64_t)i, 3);
    }
    return sum;
}

static uint64_t find_parameters(LyTangent *tangent)
{
    const LyraModel *model = tangent->model;
    LyFingerprint *parameters = &tangent->parameters;
    if (!parameters->known || parameters->version != model->parameter_version) {
        *parameters = (LyFingerprint){true, model->parameter_version, sum_parameters(model)};
    }
    return parameters->sum;
}

// one for all bodies is one number
static uint64_t sum_mass_factors(uint64_t sum, const LyraModel *model)
{
    const double *factor = model->mass.factor;
    bool same = true;
    for (int32_t b = 1; b < model->body_count; ++b) {
        same &= factor[b] == factor[0];
    }
    return ly_checksum(sum, factor, same && model->body_count > 0 ? 1 : model->body_count);
}

uint64_t ly_tangent_material_digest(LyTangent *tangent)
{
    const uint64_t parameters = find_parameters(tangent);
    return sum_mass_factors(ly_checksum(LY_CHECKSUM_START, &parameters, 1), tangent->model);
}

uint64_t ly_tangent_fingerprint(LyTangent *tangent)
{
    const LyraModel *model = tangent->model;
    LyFingerprint *directions = &tangent->directions;
    const LyraConstraintsView constraints = lyra_constraints_view(model->constraints);
    if (!directions->known || directions->version != constraints.version) {
        *directions = (LyFingerprint){true, constraints.version, sum_directions(&constraints)};
    }
    const double damping[2] = {model->mass_damping, model->stiffness_damping};
    uint64_t sum = ly_checksum(sum_mass_factors(LY_CHECKSUM_START, model), damping, 2);
    const uint64_t stencils = ly_changings_checksum(&tangent->changing);
    sum = ly_checksum(sum, &stencils, 1);
    const uint64_t parameters = find_parameters(tangent);
    sum = ly_checksum(sum, &parameters, 1);
    return ly_checksum(sum, &directions->sum, 1);
}
