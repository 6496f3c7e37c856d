// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What explicit and linearly implicit methods share: evaluations that keep the damping current, and
// the estimate of the step beyond which a mode grows.

#ifndef LY_INTEGRATE_EXPLICIT_H
#define LY_INTEGRATE_EXPLICIT_H

#include "integrate/integrate.h"

extern const LyIntegratorType ly_euler, ly_symplectic_euler, ly_verlet, ly_central_differences;
extern const LyIntegratorType ly_explicit_midpoint, ly_rk4, ly_rk38, ly_dopri5, ly_dopri853;
extern const LyIntegratorType ly_explicit_implicit, ly_rkc2, ly_rock2;
extern const LyIntegratorType ly_rosenbrock2, ly_rosenbrock3, ly_rosenbrock4, ly_amf_rk32_type;

// ---- steps --------------------------------------------------------------------------------------

/// ly_acceleration() with D taken at this very point: an explicit method integrates D(u) v, not a
/// frozen D. `dt` is the time since the history of `trial`.
LyraStatus ly_explicit_acceleration(LyraIntegrator *it, LyraState *trial, double t, double dt,
                                    const LyraVector *u, const LyraVector *v, LyraVector *a);

/// Gives back what a method made, where that is one block of memory.
void ly_release_self(LyraIntegrator *it);

/// Ends a step of `dt` from `t`: imposes the constraints, looks for numbers that are not finite,
/// commits the history.
LyraStatus ly_explicit_finish(LyraIntegrator *it, LyraState *trial, double t, double dt);

/// a = the prescribed acceleration at time t on the constraints, zero elsewhere; false, and a is
/// left alone, without constraints. Then it->prescribed has all three.
bool ly_prescribed_acceleration(LyraIntegrator *it, double t, LyraVector *a);

/// D, K and C at (t, u, v) of `trial`, with the time it took in the report.
LyraStatus ly_linearise_at(LyraIntegrator *it, LyraState *trial, double t, bool update_damping);

/// Solves with the factor of the last form, counts and fails the step in words.
LyraStatus ly_linear_solve(LyraIntegrator *it, const LyraVector *b, double tolerance,
                           LyraVector *x);

/// Forms a M + b C + c K, counts and fails the step in words.
LyraStatus ly_linear_form(LyraIntegrator *it, double a, double b, double c);

// ---- stability ----------------------------------------------------------------------------------

/// The modes of a system as the stability of explicit methods sees them:
///   q'' + (alpha + beta w^2) q' + w^2 q = 0   for   0 < w^2 <= stiffness.
typedef struct LySpectrum {
    double stiffness;   // largest eigenvalue of M^-1 K, 1/s^2
    double alpha, beta; // the damping as Rayleigh's, 1/s and s
} LySpectrum;

static inline bool ly_spectrum_equal(const LySpectrum *a, const LySpectrum *b)
{
    return a->stiffness == b->stiffness && a->alpha == b->alpha && a->beta == b->beta;
}

/// The last two of three stages become the first two; the last may be written anew.
static inline void ly_next_stage(LyraVector *x[3])
{
    LyraVector *first = x[0];
    x[0] = x[1];
    x[1] = x[2];
    x[2] = first;
}

/// Spectral radius of one step of h on q'' + c q' + k q = 0, c and k of mass one.
typedef double LyAmplification(const void *method, double h, double k, double c);

/// Whether no mode of the spectrum grows by more than 1e-9 in a step of h.
bool ly_is_stable(const LySpectrum *spectrum, LyAmplification *amplification, const void *method,
                  double h);

/// The largest h up to which all steps are stable; INFINITY without stiffness and damping.
double ly_critical_step(const LySpectrum *spectrum, LyAmplification *amplification,
                        const void *method);

/// Spectral radius of a 2x2 matrix, row-major.
double ly_spectral_radius2(const double A[4]);

/// |R(h z)| for both roots z of z^2 + c z + k, the larger, with R = sum r[i] z^i.
double ly_polynomial_amplification(int32_t degree, const double *r, double h, double k, double c);

/// The spectrum at the start of the step: from the state, or anew every def.critical_interval
/// steps, sooner where it changes if `follow`; `fresh` says which. D is taken there, too.
/// `scratch`: two vectors.
LyraStatus ly_spectrum(LyraIntegrator *it, LyraState *trial, bool follow,
                       LyraVector *const *scratch, LySpectrum *spectrum, bool *fresh);

/// Reports the critical step; warns (if `fresh`) or fails beyond it, as def.critical says.
LyraStatus ly_judge_step(LyraIntegrator *it, double dt, double critical, bool fresh);

/// ly_spectrum(), ly_critical_step() and ly_judge_step(), or nothing, as def.critical says.
LyraStatus ly_check_critical(LyraIntegrator *it, LyraState *trial, double dt,
                             LyraVector *const *scratch, LyAmplification *amplification,
                             const void *method);

// ---- Runge-Kutta --------------------------------------------------------------------------------

#define LY_STAGES_MAX 16

/// An explicit Runge-Kutta method, a[i][j] = 0 for j >= i.
typedef struct LyTableau {
    int32_t order, stages;
    double a[LY_STAGES_MAX][LY_STAGES_MAX];
    double b[LY_STAGES_MAX], c[LY_STAGES_MAX];
} LyTableau;

/// The same for u' = v, v' = a(t, u, v), with the velocities of the stages eliminated:
///   V_i = v + h sum a_ij A_j,   U_i = u + h c_i v + h^2 sum aa_ij A_j,   aa = a a.
typedef struct LyNystrom {
    const LyTableau *tableau;
    double aa[LY_STAGES_MAX][LY_STAGES_MAX];
    double ba[LY_STAGES_MAX]; // b^T a
} LyNystrom;

/// w^T a, [LY_STAGES_MAX].
void ly_weights_times_tableau(const LyTableau *tableau, const double *w, double *wa);

LyNystrom ly_nystrom(const LyTableau *tableau);

/// y = x + theta h xp + scale sum w_j A_j over the `count` first accelerations; xp is Nullable.
void ly_stage_sum(const LyraVector *x, double theta_h, const LyraVector *xp, int32_t count,
                  double scale, const double *w, LyraVector *const *A, LyraVector *y);

/// Vectors of a method: the accelerations of its stages, and scratch for positions and velocities.
typedef struct LyStageVectors {
    LyraVector *const *A;
    LyraVector *U, *V;
} LyStageVectors;

/// A_i at stage i of a step of h from (t, u, v).
LyraStatus ly_stage(LyraIntegrator *it, LyraState *trial, const LyNystrom *method, int32_t i,
                    double t, double h, const LyStageVectors *vectors);

extern const LyTableau ly_tableau_midpoint, ly_tableau_rk4, ly_tableau_rk38;

/// An embedded pair: how its errors and its dense output come from its stages.
typedef struct LyPair {
    LyTableau tableau; // row `stages` of a is b: the first stage of the next step
    int32_t extra;     // further stages of the dense output, after the one at the end
    int32_t dense_rows;
    double dense[4][LY_STAGES_MAX];
    double error[LY_STAGES_MAX];  // of the main estimate
    double error3[LY_STAGES_MAX]; // of the second of "dopri853", zero otherwise
    bool two_estimates;
    double beta, growth_min, growth_max; // of the step controller
} LyPair;

extern const LyPair ly_pair_dopri5, ly_pair_dopri853;

/// Weights of the stages at theta in [0, 1] of a step: y(theta) = y + h sum w_i k_i.
void ly_dense_weights(const LyPair *pair, double theta, double w[LY_STAGES_MAX]);

// ---- Rosenbrock ---------------------------------------------------------------------------------

#define LY_ROSENBROCK_STAGES 4

/// A Rosenbrock method in the form without products by the Jacobian [HW96 IV.7].
typedef struct LyRosenbrock {
    const char *name; // of a set of "rosenbrock4"; NULL for those that need none
    int32_t order, stages;
    double gamma;
    double a[LY_ROSENBROCK_STAGES][LY_ROSENBROCK_STAGES];
    double c[LY_ROSENBROCK_STAGES][LY_ROSENBROCK_STAGES];
    double m[LY_ROSENBROCK_STAGES];
    double embedded[LY_ROSENBROCK_STAGES];  // m of a solution of lower order; zero: none
    double alpha[LY_ROSENBROCK_STAGES];     // times of the stages
    double gamma_sum[LY_ROSENBROCK_STAGES]; // weights of the derivative by time
} LyRosenbrock;

#define LY_ROSENBROCK_SETS 6

extern const LyRosenbrock ly_ros2, ly_ros34pw2, ly_amf_rk32;
extern const LyRosenbrock ly_ros4[LY_ROSENBROCK_SETS]; // the first by default

// ---- Runge-Kutta-Chebyshev ----------------------------------------------------------------------

/// Coefficients of the stages of "rkc2".
typedef struct LyChebyshev {
    int32_t stages;
    double w0, w1;
    double b0;       // b_0 = b_1 = b_2
    double b_s, a_s; // R(z) = a_s + b_s T_s(w0 + w1 z)
} LyChebyshev;

#define LY_CHEBYSHEV_STAGES_MAX 200

LyChebyshev ly_chebyshev(int32_t stages);

/// Its amplification; `data` is a LyChebyshev.
double ly_chebyshev_amplification(const void *data, double h, double k, double c);

// ---- orthogonal polynomials ---------------------------------------------------------------------

#define LY_ROCK_STAGES_MAX 200

/// Coefficients of the stages of "rock2" (rock.c).
typedef struct LyRock {
    int32_t stages;
    double mu[LY_ROCK_STAGES_MAX], nu[LY_ROCK_STAGES_MAX], ka[LY_ROCK_STAGES_MAX];
    double sigma, q;
    double limit; // |R| <= 1 on [-limit, 0]
} LyRock;

/// For 3 to LY_ROCK_STAGES_MAX stages.
void ly_rock(int32_t stages, LyRock *out);

/// Its amplification; `data` is a LyRock.
double ly_rock_amplification(const void *data, double h, double k, double c);

#endif
