// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The function on docs/integrators.md, as it stands there.

#include "integrate_cases.h"

#include <stdio.h>

#include "integrators_example.h"

LYRA_TEST(the_example_moves_a_body)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    BodyDef settings = body_def();
    settings.gravity = -9.81;
    Body body;
    if (make_body(ctx, &settings, &body)) {
        TEST_OK(move(ctx, body.system, body.state, 0.05, 0.02));
        TEST_NEAR(lyra_state_view(body.state).time, 0.05, 1e-15);
        TEST_EQUAL(lyra_state_view(body.state).steps, 3);
        body_u(&body)[0] = NAN;
        TEST_STATUS(move(ctx, body.system, body.state, 0.06, 0.02), LYRA_NOT_FINITE);
    }
    end_body(&body);
    test_context_end(ctx);
}
