// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A force in a scene. docs/extending.md has this program.

#include "extending.h"

// a bed of springs: energy k/2 |u|^2 of each vertex, u its displacement
enum { STIFFNESS, WIDTH = LYRA_BATCH_WIDTH };

static void evaluate(const void *self, const LyraBatch *batch, LyraArena *scratch)
{
    (void)self, (void)scratch;
    for (int e = 0; e < WIDTH; ++e) { // component i of vertex e is u[i * WIDTH + e]
        double k = batch->parameters[STIFFNESS * WIDTH + e];
        for (int i = 0; i < 3; ++i) {
            double u = batch->u[i * WIDTH + e];
            if (batch->energy) {
                batch->energy[e] = (i > 0 ? batch->energy[e] : 0) + k / 2 * u * u;
            }
            if (batch->gradient) {
                batch->gradient[i * WIDTH + e] = k * u;
            }
            for (int j = 0; batch->dfdx && j < 3; ++j) {
                batch->dfdx[(3 * i + j) * WIDTH + e] = i == j ? k : 0;
            }
        }
    }
}

static const char *const names[] = {"stiffness"};
static const LyraForceType bed = {.name = "bed",
                                  .nodes = 1,
                                  .traits = LYRA_FORCE_CONSERVATIVE | LYRA_FORCE_SYMMETRIC |
                                            LYRA_FORCE_DISPLACEMENT,
                                  .parameter_count = 1,
                                  .parameter_names = names,
                                  .evaluate = evaluate};

// one stencil for each selected vertex
static LyraStatus create(void *user, const LyraForceInput *input, LyraForce **out)
{
    (void)user;
    double *stiffness = calloc((size_t)input->vertex_count, sizeof *stiffness);
    for (int32_t v = 0; stiffness && v < input->vertex_count; ++v) {
        stiffness[v] = input->numbers[STIFFNESS];
    }
    LyraForceDef def = lyra_force_def_default();
    def.type = &bed;
    def.stencil_count = input->vertex_count;
    def.stencils = input->vertices;
    def.parameters = stiffness;
    LyraStatus status = stiffness ? lyra_force_create(input->ctx, &def, out) : LYRA_OUT_OF_MEMORY;
    free(stiffness);
    return status;
}

static const LyraForceNumber numbers[] = {{"stiffness", LYRA_PARAMETER_NOT_NEGATIVE, false, 0}};
static const LyraForceMaker maker = {"bed", 1, numbers, create, NULL};

int main(void)
{
    LyraContext *ctx = make_context();
    check(lyra_register_force(ctx, &maker));
    double alone = sag(ctx, BEAM("{young: 3 MPa}"));
    double held =
        sag(ctx, BEAM("{young: 3 MPa}") "forces:\n"
                                        "  - {type: bed, body: beam, select: {surface: true},\n"
                                        "     parameters: {stiffness: 20}}\n");
    printf("a beam sags by %.1f mm, and on springs by %.1f mm\n", 1e3 * alone, 1e3 * held);
    lyra_context_destroy(ctx);
    return held < 0.8 * alone ? 0 : 1;
}
