// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A place X at rest is at x = c + R(a, theta(t)) (X - c) + d(t). With p = X - c split into its
// part along the unit axis a and q = p - a (a . p), and r = a x p,
//   R p   = a (a . p) + cos q + sin r,
//   R' p  = theta' (cos r - sin q),
//   R'' p = theta'' (cos r - sin q) - theta'^2 (cos q + sin r).

#include "world/motion.h"

#include "math/vec3.h"

#include <math.h>

LyMotionFrame ly_frame_at(const LyraRotation *rotation, const LyraCurve *displacement, double t)
{
    LyMotionFrame frame = {.center = rotation->center};
    LyraRates angle = ly_curve_at(&rotation->angle, t);
    double length = sqrt(ly_dot3(rotation->axis, rotation->axis));
    for (int i = 0; i < 3; ++i) {
        frame.axis[i] = rotation->axis[i] / length;
        frame.displacement[i] = ly_curve_at(&displacement[i], t);
    }
    frame.c = cos(angle.value);
    frame.s = sin(angle.value);
    frame.rate = angle.rate;
    frame.rate2 = angle.rate2;
    return frame;
}

void ly_frame_move(const LyMotionFrame *frame, const double X[3], double u[3], double v[3],
                   double a[3])
{
    double p[3], r[3];
    for (int i = 0; i < 3; ++i) {
        p[i] = X[i] - frame->center[i];
    }
    double along = ly_dot3(frame->axis, p);
    ly_cross3(frame->axis, p, r);
    for (int i = 0; i < 3; ++i) {
        double q = p[i] - frame->axis[i] * along;
        double turned = frame->c * q + frame->s * r[i], ahead = frame->c * r[i] - frame->s * q;
        u[i] = turned - q + frame->displacement[i].value;
        v[i] = frame->rate * ahead + frame->displacement[i].rate;
        a[i] = frame->rate2 * ahead - frame->rate * frame->rate * turned +
               frame->displacement[i].rate2;
    }
}
