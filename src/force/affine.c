// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Affine bodies. With the mass m, the centre c and the second moments M = integral rho r r^T about
// it, let L L^T = M / m (Cholesky) and s_i the corners (1,1,1), (1,-1,-1), (-1,-1,1), (-1,1,-1) of
// a cube, for which sum s_i = 0 and sum s_i s_i^T = 4 I. Particles of mass m/4 at p_i = c + L s_i
// have the mass, the centre and, as sum (m/4) L s_i s_i^T L^T = m L L^T, the second moments of the
// body. A body that moves by x = A X + t has the kinetic energy
//   1/2 integral rho |A' X + t'|^2 = 1/2 m |A' c + t'|^2 + 1/2 tr(A' M A'^T),
// which is that of the particles. A point has the weights w_i = (1 + s_i . L^-1 (X - c)) / 4: they
// sum to 1, and sum w_i p_i = c + L (sum s_i s_i^T / 4) L^-1 (X - c) = X.
//
// The tet of the particles has the volume 8/3 det L and the deformation gradient A. Its law is that
// of St. Venant and Kirchhoff with lambda = 0 and, for a body of volume V and Young's modulus Y,
// mu = Y/2 V / (8/3 det L): then E = mu V_tet |(A^T A - 1)/2|^2 = Y V / 8 |A^T A - 1|^2.

#include "lyra/affine.h"

#include "base/base.h"
#include "lyra/elastic.h"
#include "lyra/math3.h"

#include <math.h>
#include <string.h>

#define PARTICLES LYRA_AFFINE_PARTICLES

// least of the second moments over the largest: a sheet that is 1e5 times as wide as thick
#define FLAT 1e-10

// square of the speed of sound in a body whose stiffness nobody says, m^2/s^2
#define SPEED_SQUARED 1e6

static const double corners[PARTICLES][3] = {{1, 1, 1}, {1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}};

struct LyraAffine {
    LyraContext *ctx;
    LyraMesh *mesh;
    LyraForce *force;
    LyraEmbedding *embedding; // Nullable
    double masses[PARTICLES];
    double mass, volume, center[3], moment[9], stiffness;
    double L[9]; // lower
};

LyraAffineDef lyra_affine_def_default(void)
{
    return (LyraAffineDef){.density = 1000, .cookie = LY_DEF_COOKIE};
}

// ---- mass properties ----------------------------------------------------------------------------

static void moment_of_inertia(const double inertia[9], double moment[9])
{
    double half = 0.5 * (inertia[0] + inertia[4] + inertia[8]);
    for (int i = 0; i < 9; ++i) {
        moment[i] = (i % 4 == 0 ? half : 0) - inertia[i];
    }
}

static LyraStatus take_properties(LyraAffine *affine, const LyraMassProperties *from)
{
    const double *inertia = from->inertia;
    double largest = fabs(inertia[0]) + fabs(inertia[4]) + fabs(inertia[8]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            if (!(fabs(inertia[3 * i + j] - inertia[3 * j + i]) <= 1e-12 * largest)) {
                return ly_fail(LYRA_INVALID_ARGUMENT,
                               "affine body: an inertia with %g and %g across its diagonal, "
                               "expected a symmetric one",
                               inertia[3 * i + j], inertia[3 * j + i]);
            }
        }
        affine->center[i] = from->center_of_mass[i];
    }
    affine->mass = from->mass;
    affine->volume = from->volume;
    moment_of_inertia(inertia, affine->moment);
    return LYRA_OK;
}

// Sums over the tets between the origin o and the triangles of all faces, a, b, c from o: volume
// v = det(a, b, c) / 6, first moments v (a + b + c) / 4, second moments
// v (s s^T + a a^T + b b^T + c c^T) / 20 with s = a + b + c.
static void sum_surface(const LyraSurfaceView *view, const double o[3], double *volume,
                        double first[3], double second[9])
{
    double sums[13] = {0};
    for (int32_t f = 0; f < view->face_count; ++f) {
        const int32_t *face = view->corner_vertices + view->face_begin[f];
        int32_t count = view->face_begin[f + 1] - view->face_begin[f];
        for (int32_t k = 1; k + 1 < count; ++k) {
            const int32_t ids[3] = {face[0], face[k], face[k + 1]};
            double p[4][3] = {{0}};
            for (int i = 0; i < 9; ++i) {
                p[i / 3][i % 3] = view->positions[3 * (int64_t)ids[i / 3] + i % 3] - o[i % 3];
                p[3][i % 3] += p[i / 3][i % 3];
            }
            double v = 0;
            for (int i = 0; i < 3; ++i) {
                int j = (i + 1) % 3, l = (i + 2) % 3;
                v += p[0][i] * (p[1][j] * p[2][l] - p[1][l] * p[2][j]) / 6;
            }
            sums[0] += v;
            for (int i = 0; i < 9; ++i) {
                sums[1 + i / 3] += i % 3 == 0 ? v * p[3][i / 3] / 4 : 0;
                for (int n = 0; n < 4; ++n) {
                    sums[4 + i] += v * p[n][i / 3] * p[n][i % 3] / 20;
                }
            }
        }
    }
    *volume = sums[0];
    memcpy(first, sums + 1, 3 * sizeof *first);
    memcpy(second, sums + 4, 9 * sizeof *second);
}

static LyraStatus take_surface(LyraAffine *affine, const LyraSurface *surface, double density)
{
    LyraSurfaceReport report;
    LyraSurfaceView view = lyra_surface_view(surface);
    LyraSurfaceMeasure measure = lyra_surface_measure(surface, NULL);
    double first[3];
    LY_TRY(lyra_surface_report(surface, &report));
    if (!report.closed || report.inconsistent_edges > 0) {
        return ly_fail(LYRA_BAD_MESH,
                       "affine body: a surface with %lld edges of one face and %lld whose two "
                       "faces look to different sides, expected a closed one that looks outward",
                       (long long)report.boundary_edges, (long long)report.inconsistent_edges);
    }
    if (!(density > 0 && isfinite(density))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "affine body: a density of %g kg/m^3, expected a positive number", density);
    }
    // about the middle, then about the centre of mass
    for (int i = 0; i < 3; ++i) {
        affine->center[i] = 0.5 * measure.low[i] + 0.5 * measure.high[i];
    }
    sum_surface(&view, affine->center, &affine->volume, first, affine->moment);
    if (!(affine->volume > 0)) {
        return ly_fail(LYRA_BAD_MESH,
                       "affine body: a surface around %g m^3, expected one that looks outward",
                       affine->volume);
    }
    for (int i = 0; i < 3; ++i) {
        affine->center[i] += first[i] / affine->volume;
    }
    sum_surface(&view, affine->center, &affine->volume, first, affine->moment);
    affine->mass = density * affine->volume;
    for (int i = 0; i < 9; ++i) {
        affine->moment[i] *= density;
    }
    return LYRA_OK;
}

static LyraStatus take_mass(LyraAffine *affine, const LyraAffineDef *def)
{
    LyraMassProperties properties;
    int32_t said = (def->mesh != NULL) + (def->surface != NULL);
    if (said > 1 || (said == 0 && !def->properties)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "affine body: %s, expected a mesh or a surface, or properties",
                       said ? "a mesh and a surface" : "no mesh, surface or properties");
    }
    if (def->properties) {
        return take_properties(affine, def->properties);
    }
    if (def->mesh) {
        LY_TRY(lyra_mesh_mass_properties(def->mesh, def->densities, &properties));
        return take_properties(affine, &properties);
    }
    return take_surface(affine, def->surface, def->density);
}

// ---- particles ----------------------------------------------------------------------------------

// L L^T = M / m, after the checks
static LyraStatus find_frame(LyraAffine *affine)
{
    LyraMat3 M;
    double all = affine->mass + fabs(affine->volume), *L = affine->L;
    for (int i = 0; i < 9; ++i) {
        M.m[i / 3][i % 3] = affine->moment[i];
        all += fabs(affine->moment[i]) + fabs(affine->center[i % 3]);
    }
    if (!isfinite(all)) {
        return ly_fail(LYRA_NOT_FINITE, "affine body: its mass properties are not finite");
    }
    if (!(affine->mass > 0) || affine->volume < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "affine body: a mass of %g kg in %g m^3, expected positive numbers",
                       affine->mass, affine->volume);
    }
    LyraVec3 moments = lyra_mat3_eigen(M).values;
    double rounding = 1e-14 * (fabs(moments.x) + fabs(moments.z));
    if (moments.z < -rounding) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "affine body: a second moment of %g kg m^2 beside one of %g, which no body "
                       "has: a moment of inertia is larger than the two others together",
                       moments.z, moments.x);
    }
    if (!(moments.z > FLAT * moments.x)) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "affine body: it is flat, its second moments go from %g to %g kg m^2, "
                       "expected a ratio of more than %g",
                       moments.z, moments.x, FLAT);
    }
    for (int j = 0; j < 3; ++j) {
        for (int i = j; i < 3; ++i) {
            double sum = affine->moment[3 * i + j] / affine->mass;
            for (int k = 0; k < j; ++k) {
                sum -= L[3 * i + k] * L[3 * j + k];
            }
            L[3 * i + j] = i == j ? sqrt(sum) : sum / L[3 * j + j];
        }
    }
    return LYRA_OK;
}

// the tet of the particles and its force
static LyraStatus make_tet(LyraAffine *affine, const LyraAffineDef *def)
{
    static const int32_t tet[PARTICLES] = {0, 1, 2, 3};
    const double *L = affine->L;
    double positions[3 * PARTICLES], det = L[0] * L[4] * L[8];
    for (int p = 0; p < PARTICLES; ++p) {
        affine->masses[p] = affine->mass / PARTICLES;
        for (int i = 0; i < 3; ++i) {
            double offset = 0;
            for (int j = 0; j <= i; ++j) {
                offset += L[3 * i + j] * corners[p][j];
            }
            positions[3 * p + i] = affine->center[i] + offset;
        }
    }
    // a box of edges a has the moments m a^2 / 12
    affine->volume = affine->volume > 0 ? affine->volume : pow(12, 1.5) * det;
    affine->stiffness =
        def->stiffness > 0 ? def->stiffness : SPEED_SQUARED * affine->mass / affine->volume;
    const LyraMeshView data = {.kind = LYRA_ELEMENT_TET4,
                               .vertex_count = PARTICLES,
                               .element_count = 1,
                               .positions = positions,
                               .elements = tet};
    LY_TRY(lyra_mesh_create(affine->ctx, &data, &affine->mesh));
    const LyraElasticConstant constants[] = {
        {"lambda", 0},
        {"mu", 0.5 * affine->stiffness * affine->volume / (8.0 / 3 * det)},
    };
    LyraElasticDef elastic = lyra_elastic_def_default();
    elastic.model = LYRA_MATERIAL_STVK;
    elastic.constants = constants;
    elastic.constant_count = LY_COUNT_OF(constants);
    LY_TRY(lyra_elastic_create(affine->ctx, affine->mesh, &elastic, &affine->force));
    return lyra_force_set_owner(affine->force, -1, def->name ? def->name : "affine");
}

static LyraStatus embed_shape(LyraAffine *affine, const LyraAffineDef *def)
{
    if (def->mesh) {
        LyraMeshView view = lyra_mesh_view(def->mesh);
        return lyra_affine_embed(affine, view.vertex_count, view.positions, &affine->embedding);
    }
    if (def->surface) {
        LyraSurfaceView view = lyra_surface_view(def->surface);
        return lyra_affine_embed(affine, view.vertex_count, view.positions, &affine->embedding);
    }
    return LYRA_OK;
}

// ---- life ---------------------------------------------------------------------------------------

static LyraStatus fill(LyraAffine *affine, const LyraAffineDef *def)
{
    LY_TRY(take_mass(affine, def));
    LY_TRY(find_frame(affine));
    LY_TRY(make_tet(affine, def));
    return embed_shape(affine, def);
}

LyraStatus lyra_affine_create(LyraContext *ctx, const LyraAffineDef *def, LyraAffine **out)
{
    LYRA_ASSERT(ctx && def && out);
    LY_CHECK_DEF(def, "lyra_affine_def_default");
    if (!(def->stiffness >= 0 && isfinite(def->stiffness))) {
        return ly_fail(LYRA_INVALID_ARGUMENT,
                       "affine body: a stiffness of %g Pa, expected a positive number, or 0 for "
                       "one from the density",
                       def->stiffness);
    }
    LyraAffine *affine = NULL;
    LY_TRY(ly_allocate_zeroed(ctx, 1, sizeof *affine, &affine));
    affine->ctx = ctx;
    LyraStatus status = fill(affine, def);
    if (status != LYRA_OK) {
        lyra_affine_destroy(affine);
        return status;
    }
    *out = affine;
    return LYRA_OK;
}

void lyra_affine_destroy(LyraAffine *affine)
{
    if (affine) {
        lyra_embedding_destroy(affine->embedding);
        lyra_force_destroy(affine->force);
        lyra_mesh_destroy(affine->mesh);
        ly_release(affine->ctx, affine);
    }
}

LyraAffineView lyra_affine_view(const LyraAffine *affine)
{
    LYRA_ASSERT(affine);
    LyraAffineView view = {.mesh = affine->mesh,
                           .positions = lyra_mesh_view(affine->mesh).positions,
                           .masses = affine->masses,
                           .forces = &affine->force,
                           .force_count = 1,
                           .mass = affine->mass,
                           .volume = affine->volume,
                           .stiffness = affine->stiffness,
                           .embedding = affine->embedding};
    memcpy(view.center, affine->center, sizeof view.center);
    memcpy(view.second_moment, affine->moment, sizeof view.second_moment);
    return view;
}

// ---- points -------------------------------------------------------------------------------------

// y = L^-1 r
static void divide(const double L[9], const double r[3], double y[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = r[i];
        for (int j = 0; j < i; ++j) {
            y[i] -= L[3 * i + j] * y[j];
        }
        y[i] /= L[4 * i];
    }
}

void lyra_affine_weights(const LyraAffine *affine, const double point[3], double weights[PARTICLES])
{
    double r[3], y[3];
    for (int i = 0; i < 3; ++i) {
        r[i] = point[i] - affine->center[i];
    }
    divide(affine->L, r, y);
    for (int p = 0; p < PARTICLES; ++p) {
        const double *s = corners[p];
        weights[p] = 0.25 * (1 + s[0] * y[0] + s[1] * y[1] + s[2] * y[2]);
    }
}

LyraStatus lyra_affine_embed(const LyraAffine *affine, int32_t count, const double *points,
                             LyraEmbedding **out)
{
    LYRA_ASSERT(affine && count >= 0 && (points || count == 0) && out);
    LyraContext *ctx = affine->ctx;
    int32_t *vertices = NULL;
    double *weights = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(ctx, PARTICLES * (int64_t)count, sizeof *vertices, &vertices));
    LY_TRY_DONE(ly_allocate_array(ctx, PARTICLES * (int64_t)count, sizeof *weights, &weights));
    for (int64_t i = 0; i < count; ++i) {
        const double *x = points + 3 * i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
            LY_TRY_DONE(ly_fail(LYRA_NOT_FINITE, "affine body: point %lld is (%g, %g, %g)",
                                (long long)i, x[0], x[1], x[2]));
        }
        lyra_affine_weights(affine, x, weights + PARTICLES * i);
        for (int32_t p = 0; p < PARTICLES; ++p) {
            vertices[PARTICLES * i + p] = p;
        }
    }
    const LyraEmbeddingView data = {.point_count = count,
                                    .node_count = PARTICLES,
                                    .vertex_count = PARTICLES,
                                    .vertices = vertices,
                                    .weights = weights};
    LY_TRY_DONE(lyra_embedding_create_from_weights(ctx, &data, out));
done:
    ly_release(ctx, weights);
    ly_release(ctx, vertices);
    return status;
}

// A = 1 + sum u_i s_i^T L^-1 / 4, by the rows of z = L^-T sum s_i u_i / 4
void lyra_affine_map(const LyraAffine *affine, const double *u, double A[9], double t[3])
{
    LYRA_ASSERT(affine && u && A && t);
    const double *L = affine->L;
    for (int i = 0; i < 3; ++i) {
        double z[3] = {0}, mean = 0;
        for (int p = 0; p < PARTICLES; ++p) {
            mean += 0.25 * u[3 * p + i];
            for (int j = 0; j < 3; ++j) {
                z[j] += 0.25 * corners[p][j] * u[3 * p + i];
            }
        }
        for (int j = 2; j >= 0; --j) {
            for (int k = j + 1; k < 3; ++k) {
                z[j] -= L[3 * k + j] * z[k];
            }
            z[j] /= L[4 * j];
        }
        // x = X + mean + z . (X - c)
        t[i] = mean;
        for (int j = 0; j < 3; ++j) {
            A[3 * i + j] = (i == j) + z[j];
            t[i] -= z[j] * affine->center[j];
        }
    }
}
