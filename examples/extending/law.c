// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A law in a scene. docs/extending.md has this program.

#include "extending.h"

// W = mu/2 (I - 3) - mu ln J + lambda/2 (J - 1)^2, of I = tr C and J = det F
enum { LAMBDA, MU, WIDTH = LYRA_MATERIAL_WIDTH };

static void evaluate(const void *user, const LyraMaterialBatch *batch)
{
    (void)user;
    for (int p = 0; p < WIDTH; ++p) {
        double I = batch->arguments[p], J = batch->arguments[2 * WIDTH + p];
        double lambda = batch->parameters[LAMBDA * WIDTH + p];
        double mu = batch->parameters[MU * WIDTH + p];
        if (batch->energy) {
            batch->energy[p] = mu / 2 * (I - 3) - mu * log(J) + lambda / 2 * (J - 1) * (J - 1);
        }
        if (batch->gradient) { // by I, II and J
            batch->gradient[p] = mu / 2;
            batch->gradient[WIDTH + p] = 0;
            batch->gradient[2 * WIDTH + p] = lambda * (J - 1) - mu / J;
        }
        for (int n = 0; batch->hessian && n < 6; ++n) { // 11, 22, 33, 12, 23, 31
            batch->hessian[n * WIDTH + p] = n == 2 ? lambda + mu / (J * J) : 0;
        }
    }
}

static void from_enu(const void *user, double young, double poisson, double *parameters)
{
    (void)user;
    parameters[LAMBDA] = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    parameters[MU] = young / (2 * (1 + poisson));
}

static const char *const names[] = {"lambda", "mu"};
static const LyraMaterialType law = {.name = "quadratic-volume",
                                     .arguments = LYRA_MATERIAL_INVARIANTS,
                                     .without_second = true,
                                     .parameter_count = 2,
                                     .parameter_names = names,
                                     .evaluate = evaluate,
                                     .from_enu = from_enu};

int main(void)
{
    LyraContext *ctx = make_context();
    check(lyra_register_law(ctx, &law, NULL));
    // `inversion: extend`, the default, needs a function `expand` too
    double own = sag(ctx, BEAM("{model: quadratic-volume, inversion: none, young: 3 MPa}"));
    double ours = sag(ctx, BEAM("{model: neo-hookean, young: 3 MPa}"));
    printf("a beam sags by %.2f mm, and by %.2f mm with neo-hookean\n", 1e3 * own, 1e3 * ours);
    lyra_context_destroy(ctx);
    return fabs(own / ours - 1) < 0.01 ? 0 : 1; // at small strain they agree
}
