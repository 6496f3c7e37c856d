// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Shells against plates in closed form, the obstacle course of shells, and curves of large
// deflection. All of them are statics; loads of the linear ones are so small that nothing turns.

#include "verify.h"
#include "verify_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- surfaces -----------------------------------------------------------------------------------

typedef enum Pattern { RIGHT, ALTERNATING, RANDOM, PATTERNS } Pattern;

static const char *const pattern_names[PATTERNS] = {"diagonals alike", "alternating", "random"};

/// n x m cells over the unit square, each cut in two, mapped into space.
typedef struct Net {
    int32_t n, m, vertices, triangles;
    double *positions;
    int32_t *ids;
} Net;

typedef void Map(double s, double t, double x[3]);

static void square(double s, double t, double x[3])
{
    x[0] = s;
    x[1] = t;
    x[2] = 0;
}

// the same numbers on any machine, in [-1, 1]
static double scatter(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static Net make_net(int32_t n, int32_t m, Pattern pattern, Map *map)
{
    Net net = {n, m, (n + 1) * (m + 1), 2 * n * m, NULL, NULL};
    uint32_t seed = 12345;
    net.positions = cli_allocate(3 * (size_t)net.vertices * sizeof(double));
    net.ids = cli_allocate(3 * (size_t)net.triangles * sizeof(int32_t));
    for (int32_t v = 0; v < net.vertices; ++v) {
        int32_t i = v % (n + 1), j = v / (n + 1);
        double a = scatter(&seed), b = scatter(&seed);
        // less where the map has kinks, for no triangle to fold over
        double size = pattern != RANDOM ? 0 : map == square ? 0.25 : 0.08;
        double s = (i + (i > 0 && i < n ? size * a : 0)) / n;
        double t = (j + (j > 0 && j < m ? size * b : 0)) / m;
        map(s, t, net.positions + 3 * (int64_t)v);
    }
    for (int32_t c = 0; c < n * m; ++c) {
        int32_t i = c % n, j = c / n, a = j * (n + 1) + i, b = a + n + 1;
        bool turned =
            pattern == ALTERNATING ? (i + j) % 2 != 0 : pattern == RANDOM && i * j % 3 == 1;
        const int32_t cut[2][6] = {{a, a + 1, b + 1, a, b + 1, b}, {a, a + 1, b, a + 1, b + 1, b}};
        memcpy(net.ids + 6 * (int64_t)c, cut[turned], sizeof cut[0]);
    }
    return net;
}

static void end_net(Net *net)
{
    free(net->positions);
    free(net->ids);
}

static LyraStatus make_surface(LyraContext *ctx, const Net *net, LyraSurface **out)
{
    int32_t *begin = cli_allocate(((size_t)net->triangles + 1) * sizeof *begin);
    for (int32_t f = 0; f <= net->triangles; ++f) {
        begin[f] = 3 * f;
    }
    const LyraSurfaceView view = {.vertex_count = net->vertices,
                                  .face_count = net->triangles,
                                  .corner_count = 3 * net->triangles,
                                  .positions = net->positions,
                                  .face_begin = begin,
                                  .corner_vertices = net->ids};
    LyraStatus status = lyra_surface_create(ctx, &view, out);
    free(begin);
    return status;
}

// ---- worlds -------------------------------------------------------------------------------------

/// A shell of unit density.
typedef struct Sheet {
    double young, poisson, thickness, gravity[3];
    LyraShellBend bend;
    bool from_flat;
    const LyraSelector *clamp;
    int32_t clamp_count, load_steps;
    double yield; // Pa; 0: elastic
} Sheet;

static LyraStatus make_world(LyraContext *ctx, const Net *net, const Sheet *sheet, LyraWorld **out)
{
    LyraWorldDef def = lyra_world_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraBodyShell shell = lyra_body_shell_default();
    LyraSurface *surface = NULL;
    VERIFY_TRY(make_surface(ctx, net, &surface));
    shell.surface = surface;
    shell.thickness = sheet->thickness;
    shell.bend = sheet->bend;
    shell.rest_angles = !sheet->from_flat;
    shell.clamp = sheet->clamp;
    shell.clamp_count = sheet->clamp_count;
    body.kind = "shell";
    body.shell = &shell;
    body.density = 1;
    body.material.model = "stvk";
    body.material.young = sheet->young;
    body.material.poisson = sheet->poisson;
    LyraPlasticityDef plasticity = lyra_plasticity_def_default();
    if (sheet->yield > 0) {
        plasticity.yield_stress = sheet->yield;
        plasticity.hardening = 1e-3 * sheet->young; // statics want some
        body.material.model = "hencky";
        body.material.plasticity = &plasticity;
    }
    for (int i = 0; i < 3; ++i) {
        def.gravity[i] = lyra_curve_constant(sheet->gravity[i]);
    }
    def.integrator.name = "static";
    def.integrator.load_steps = sheet->load_steps > 0 ? sheet->load_steps : 1;
    def.solver.name = "cholesky";
    def.time.dt = 1;
    LyraStatus status = lyra_world_create(ctx, &def, out);
    status = status == LYRA_OK ? lyra_world_add_body(*out, &body, NULL) : status;
    lyra_surface_destroy(surface);
    return status;
}

// holds vertices of a list along axes
static LyraStatus hold(LyraWorld *world, int32_t count, const int32_t *vertices, int32_t axes)
{
    LyraConstraintDef def = lyra_constraint_def_default();
    def.select.vertices = vertices;
    def.select.vertex_count = count;
    def.axes = axes;
    return count > 0 ? lyra_world_add_constraint(world, &def) : LYRA_OK;
}

// ---- plates -------------------------------------------------------------------------------------

// the unit disc from the square: rings of the square become circles
static void disc(double s, double t, double x[3])
{
    double a = 2 * s - 1, b = 2 * t - 1, r = fmax(fabs(a), fabs(b)), length = hypot(a, b);
    x[0] = length > 0 ? a * r / length : 0;
    x[1] = length > 0 ? b * r / length : 0;
    x[2] = 0;
}

// deflection of the middle, times D/(q a^4)
static LyraStatus bend_plate(LyraContext *ctx, int32_t n, Pattern pattern, Map *map,
                             LyraShellBend bend, bool clamped, double *out)
{
    Net net = make_net(n, n, pattern, map);
    const double young = 1e6, h = 0.01, nu = 0.3, D = young * h * h * h / (12 * (1 - nu * nu));
    // a thousandth of the thickness: what stretches is a millionth of what bends
    const double q = 1e-3 * h * D / (map == square ? 0.004 : 0.016);
    LyraSelector all = lyra_selector_default();
    all.all = true;
    Sheet sheet = {young, nu, h, {0, 0, -q / h}, bend, false, &all, clamped, 1, 0};
    int32_t *rim = cli_allocate((size_t)net.vertices * sizeof *rim), count = 0, found = 0;
    for (int32_t v = 0; v < net.vertices; ++v) {
        int32_t i = v % (n + 1), j = v / (n + 1);
        if (i == 0 || j == 0 || i == n || j == n) {
            rim[count++] = v;
        }
    }
    LyraWorld *world = NULL;
    LyraStatus status = make_world(ctx, &net, &sheet, &world);
    status = status == LYRA_OK ? hold(world, count, rim, 7) : status;
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    if (status == LYRA_OK) {
        const double *x = lyra_world_positions(world, 0, &found);
        int32_t middle = n / 2 * (n + 1) + n / 2;
        *out = -x[3 * middle + 2] * D / q;
    }
    lyra_world_destroy(world);
    free(rim);
    end_net(&net);
    return status;
}

static LyraStatus run_plates(Verify *verify)
{
    static const struct {
        const char *name;
        Map *map;
        bool clamped;
        double exact, tolerance;
    } plates[] = {{"supported square", square, false, 0.00406235, 0.007},
                  {"clamped square", square, true, 0.00126532, 0.03},
                  {"clamped disc", disc, true, 1.0 / 64, 0.03}};
    verify_note(verify,
                "Deflection of the middle under a uniform load q, over q a^4/D with a the side or "
                "the radius, nu = 0.3, on three kinds of meshes. Morley's element converges on all "
                "of them; hinges and the quadratic form do not on any: what they find depends on "
                "how the squares are cut.");
    for (int p = 0; p < 3; ++p) {
        for (int pattern = 0; pattern < PATTERNS; ++pattern) {
            double ours = 0;
            int32_t finest = verify->quick ? 16 : 32;
            for (int32_t n = finest / 4; n <= finest; n *= 2) {
                VERIFY_TRY(bend_plate(verify->ctx, n, (Pattern)pattern, plates[p].map,
                                      LYRA_SHELL_BEND_MORLEY, plates[p].clamped, &ours));
                double tolerance = plates[p].tolerance * (verify->quick ? 4 : 1);
                if (n == finest) {
                    verify_relative(verify, plates[p].exact, ours, tolerance, "morley, %s, %s, %d",
                                    plates[p].name, pattern_names[pattern], (int)n);
                } else {
                    verify_information(verify, plates[p].exact, ours, "morley, %s, %s, %d",
                                       plates[p].name, pattern_names[pattern], (int)n);
                }
            }
            for (int b = LYRA_SHELL_BEND_HINGE; b <= LYRA_SHELL_BEND_QUADRATIC && p == 0; ++b) {
                VERIFY_TRY(bend_plate(verify->ctx, finest, (Pattern)pattern, plates[p].map,
                                      (LyraShellBend)b, false, &ours));
                verify_information(verify, plates[p].exact, ours, "%s, %s, %s, %d",
                                   lyra_shell_bend_name((LyraShellBend)b), plates[p].name,
                                   pattern_names[pattern], (int)finest);
            }
        }
    }
    return LYRA_OK;
}

// ---- the obstacle course ------------------------------------------------------------------------

static void roof(double s, double t, double x[3])
{
    double angle = (2 * s - 1) * 40 * PI / 180;
    x[0] = 25 * sin(angle);
    x[1] = 50 * t;
    x[2] = 25 * cos(angle);
}

// sinks at the middle of the free edges
static LyraStatus load_roof(LyraContext *ctx, int32_t n, double *out)
{
    const double scale = 1e-3;
    Net net = make_net(n, n, ALTERNATING, roof);
    Sheet sheet = {4.32e8, 0, 0.25, {0, 0, -90 * scale / 0.25}, LYRA_SHELL_BEND_MORLEY, false, NULL,
                   0,      1, 0};
    int32_t *ends = cli_allocate(2 * ((size_t)n + 1) * sizeof *ends), found = 0;
    for (int32_t i = 0; i <= n; ++i) {
        ends[i] = i;
        ends[n + 1 + i] = n * (n + 1) + i;
    }
    const int32_t crown = n / 2 * (n + 1) + n / 2;
    LyraWorld *world = NULL;
    LyraStatus status = make_world(ctx, &net, &sheet, &world);
    status = status == LYRA_OK ? hold(world, 2 * (n + 1), ends, 5) : status;
    status = status == LYRA_OK ? hold(world, 1, &crown, 2) : status;
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    if (status == LYRA_OK) {
        const double *x = lyra_world_positions(world, 0, &found);
        int64_t edge = (int64_t)(n / 2) * (n + 1);
        *out = (net.positions[3 * edge + 2] - x[3 * edge + 2]) / scale;
    }
    lyra_world_destroy(world);
    free(ends);
    end_net(&net);
    return status;
}

static LyraStatus run_roof(Verify *verify)
{
    verify_note(
        verify,
        "The roof of Scordelis and Lo: a cylinder of radius 25, length 50 and half angle 40 "
        "degrees, 0.25 thick, E = 4.32e8, nu = 0, on rigid diaphragms under 90 per area. "
        "The middle of a free edge sinks by 0.3024 [MH85].");
    int32_t finest = verify->quick ? 32 : 96;
    for (int32_t n = finest / 4; n <= finest; n *= 2) {
        double ours = 0;
        VERIFY_TRY(load_roof(verify->ctx, n, &ours));
        if (n == finest) {
            verify_relative(verify, 0.3024, ours, verify->quick ? 0.1 : 0.02, "%d x %d", (int)n,
                            (int)n);
        } else {
            verify_information(verify, 0.3024, ours, "%d x %d", (int)n, (int)n);
        }
    }
    return LYRA_OK;
}

// a hemisphere of radius 10 from the square: rings about the pole
static void hemisphere(double s, double t, double x[3])
{
    double d[3];
    disc(s, t, d);
    double r = fmin(1, hypot(d[0], d[1])), angle = 0.5 * PI * r;
    x[0] = r > 0 ? 10 * sin(angle) * d[0] / r : 0;
    x[1] = r > 0 ? 10 * sin(angle) * d[1] / r : 0;
    x[2] = 10 * cos(angle);
}

// pulled outwards along x and pushed inwards along y; how far it goes along x
static LyraStatus pinch(LyraContext *ctx, int32_t n, double *out)
{
    const double scale = 3e-3;
    Net net = make_net(n, n, ALTERNATING, hemisphere);
    Sheet sheet = {6.825e7, 0.3, 0.04, {0, 0, 0}, LYRA_SHELL_BEND_MORLEY, false, NULL, 0, 1, 0};
    const int32_t row = n / 2 * (n + 1), pole = row + n / 2, near = row + 3 * n / 4;
    const int32_t points[4] = {row + n, row, n * (n + 1) + n / 2, n / 2};
    int32_t found = 0;
    LyraWorld *world = NULL;
    LyraStatus status = make_world(ctx, &net, &sheet, &world);
    status = status == LYRA_OK ? hold(world, 1, &pole, 7) : status;
    status = status == LYRA_OK ? hold(world, 1, &points[0], 2) : status;
    status = status == LYRA_OK ? hold(world, 1, &near, 2) : status;
    status = status == LYRA_OK ? hold(world, 1, &points[2], 1) : status;
    for (int k = 0; k < 4 && status == LYRA_OK; ++k) {
        LyraLoadDef load = lyra_load_def_default();
        load.select.vertices = &points[k];
        load.select.vertex_count = 1;
        // +x, -x outwards, +y, -y inwards
        load.force[k / 2] = lyra_curve_constant((k == 0 || k == 3 ? 2 : -2) * scale);
        status = lyra_world_add_load(world, &load);
    }
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    if (status == LYRA_OK) {
        const double *x = lyra_world_positions(world, 0, &found);
        *out = 0.5 * (x[3 * (int64_t)points[0]] - x[3 * (int64_t)points[1]] - 20) / scale;
    }
    lyra_world_destroy(world);
    end_net(&net);
    return status;
}

static LyraStatus run_hemisphere(Verify *verify)
{
    verify_note(verify,
                "A hemisphere of radius 10, 0.04 thick, E = 6.825e7, nu = 0.3, pulled by 2 at both "
                "ends of a diameter of its rim and pushed by 2 across: 0.0924 at each force.");
    int32_t finest = verify->quick ? 32 : 128;
    for (int32_t n = finest / 4; n <= finest; n *= 2) {
        double ours = 0;
        VERIFY_TRY(pinch(verify->ctx, n, &ours));
        if (n == finest && !verify->quick) {
            verify_relative(verify, 0.0924, ours, 0.02, "%d x %d", (int)n, (int)n);
        } else {
            verify_information(verify, 0.0924, ours, "%d x %d", (int)n, (int)n);
        }
    }
    return LYRA_OK;
}

// ---- energies of bent shapes --------------------------------------------------------------------

static void cylinder(double s, double t, double x[3])
{
    x[0] = sin(s * 0.5 * PI);
    x[1] = 0.5 * PI * t;
    x[2] = cos(s * 0.5 * PI);
}

static void sphere(double s, double t, double x[3])
{
    hemisphere(s, t, x);
    for (int i = 0; i < 3; ++i) {
        x[i] *= 0.1;
    }
}

// energy over that of a smooth shape, of a shell whose angles count from flat, held where it is
static LyraStatus find_energy(LyraContext *ctx, int32_t n, Pattern pattern, Map *map, double exact,
                              double *out)
{
    const double h = 0.01, nu = 0.3, young = 12 * (1 - nu * nu) / (h * h * h); // D = 1
    Net net = make_net(n, n, pattern, map);
    Sheet sheet = {young, nu, h, {0, 0, 0}, LYRA_SHELL_BEND_MORLEY, true, NULL, 0, 1, 0};
    LyraSelector all = lyra_selector_default();
    LyraEnergies energies = {0};
    LyraWorld *world = NULL;
    all.all = true;
    LyraStatus status = make_world(ctx, &net, &sheet, &world);
    status = status == LYRA_OK ? lyra_world_fix(world, NULL, &all) : status;
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    status = status == LYRA_OK ? lyra_world_energies(world, &energies) : status;
    *out = energies.elastic / exact;
    lyra_world_destroy(world);
    end_net(&net);
    return status;
}

static LyraStatus run_shapes(Verify *verify)
{
    verify_note(verify,
                "A flat sheet rolled to a quarter of a cylinder of radius 1 holds D/2 per area, a "
                "hemisphere 2 pi D (1 + nu). Free edges lose a layer of one triangle, where the "
                "stress across is none: an error of order h, which halves with it.");
    int32_t finest = verify->quick ? 32 : 64;
    for (int shape = 0; shape < 2; ++shape) {
        double exact = shape ? 2 * PI * 1.3 : 0.5 * 0.25 * PI * PI;
        // a net at random folds over where the map of the hemisphere has kinks
        for (int pattern = 0; pattern < (shape ? RANDOM : PATTERNS); ++pattern) {
            double ours[2] = {0};
            for (int k = 0; k < 2; ++k) {
                int32_t n = k ? finest : finest / 2;
                VERIFY_TRY(find_energy(verify->ctx, n, (Pattern)pattern, shape ? sphere : cylinder,
                                       exact, &ours[k]));
                verify_range(verify, 1 - 6.0 / n, 1.01, ours[k], "%s, %s, %d, over the exact one",
                             shape ? "hemisphere" : "cylinder", pattern_names[pattern], (int)n);
            }
            verify_information(verify, 2, (1 - ours[0]) / (1 - ours[1]),
                               "%s, %s, error over that of twice as many",
                               shape ? "hemisphere" : "cylinder", pattern_names[pattern]);
        }
    }
    return LYRA_OK;
}

// ---- flow ---------------------------------------------------------------------------------------

// the work that rolls a flat sheet to the cylinder of radius 1, kept and lost, per area
static LyraStatus roll(LyraContext *ctx, int32_t n, Pattern pattern, double first, double out[2])
{
    const double h = 0.01, nu = 0.3, young = 12 * (1 - nu * nu) / (h * h * h); // D = 1
    Net net = make_net(n, n, pattern, cylinder);
    Sheet sheet = {young, nu, h, {0, 0, 0}, LYRA_SHELL_BEND_MORLEY, true, NULL, 0, 1, 0};
    // the surface yields at the curvature `first`
    sheet.yield = first * young * h * sqrt(1 - nu + nu * nu) / (2 * (1 - nu * nu));
    LyraSelector all = lyra_selector_default();
    LyraEnergies energies = {0};
    LyraStepReport report = {0};
    LyraWorld *world = NULL;
    all.all = true;
    LyraStatus status = make_world(ctx, &net, &sheet, &world);
    status = status == LYRA_OK ? lyra_world_fix(world, NULL, &all) : status;
    status = status == LYRA_OK ? lyra_world_step(world, &report) : status;
    status = status == LYRA_OK ? lyra_world_energies(world, &energies) : status;
    out[0] = energies.elastic / (0.25 * PI * PI);
    out[1] = report.plastic / (0.25 * PI * PI);
    lyra_world_destroy(world);
    end_net(&net);
    return status;
}

static LyraStatus run_flow(Verify *verify)
{
    verify_note(verify,
                "A flat sheet rolled to a cylinder far beyond yield. Its section in layers, the "
                "surface of which yields at the curvature k1, takes the work "
                "M (k - k1 + k1^2/(3 k)), M = 3/2 D k1; that of one yield moment, M, takes "
                "M (k - 3/4 k1), of which 3/4 M k1 is kept. Free edges lose as they do where "
                "nothing flows.");
    const double first = 0.1, M = 1.5 * first;
    int32_t n = verify->quick ? 32 : 64;
    for (int pattern = 0; pattern < PATTERNS; ++pattern) {
        double work[2], layers = M * (1 - first + first * first / 3);
        VERIFY_TRY(roll(verify->ctx, n, (Pattern)pattern, first, work));
        verify_range(verify, 1 - 6.0 / n, 1.03, (work[0] + work[1]) / (M * (1 - 0.75 * first)),
                     "%s, %d, work over that of one moment", pattern_names[pattern], (int)n);
        verify_range(verify, 1 - 6.0 / n, 1.03, work[0] / (0.75 * M * first), "%s, %d, of it kept",
                     pattern_names[pattern], (int)n);
        verify_information(verify, 1, (work[0] + work[1]) / layers,
                           "%s, %d, work over that of layers", pattern_names[pattern], (int)n);
    }
    return LYRA_OK;
}

// ---- a heavy strip ------------------------------------------------------------------------------

static void strip(double s, double t, double x[3])
{
    x[0] = s;
    x[1] = 0.1 * t;
    x[2] = 0;
}

// end of a clamped strip of length 1 under its weight G B
static LyraStatus bend_strip(LyraContext *ctx, int32_t n, double G, double end[2])
{
    const double h = 0.002, young = 12 / (h * h * h);
    Net net = make_net(n, n / 10 + 1, ALTERNATING, strip);
    LyraSelectBox box = {{-0.1, -1, -1}, {0.1 / n, 1, 1}};
    LyraSelector root = lyra_selector_default();
    root.box = &box;
    Sheet sheet = {young, 0, h, {0, 0, -G / h}, LYRA_SHELL_BEND_MORLEY, false, &root, 1, 20, 0};
    int32_t count = 0;
    LyraWorld *world = NULL;
    LyraStatus status = make_world(ctx, &net, &sheet, &world);
    status = status == LYRA_OK ? lyra_world_fix(world, NULL, &root) : status;
    status = status == LYRA_OK ? lyra_world_step(world, NULL) : status;
    end[0] = end[1] = 0;
    if (status == LYRA_OK) {
        const double *x = lyra_world_positions(world, 0, &count);
        for (int32_t j = 0; j <= net.m; ++j) {
            int64_t v = (int64_t)j * (n + 1) + n;
            end[0] += x[3 * v] / (net.m + 1);
            end[1] -= x[3 * v + 2] / (net.m + 1);
        }
    }
    lyra_world_destroy(world);
    end_net(&net);
    return status;
}

static LyraStatus run_strip(Verify *verify)
{
    static const double ends[5][3] = {{1, .991246, .123471},
                                      {5, .846657, .495905},
                                      {10, .656354, .700200},
                                      {20, .445232, .829881},
                                      {50, .245015, .907917}};
    verify_note(verify,
                "A strip of length L clamped at one end under its own weight, G = rho g L^3/B, "
                "nu = 0: the heavy elastica, integrated to all digits.");
    int32_t n = verify->quick ? 20 : 40;
    for (int k = 0; k < 5; ++k) {
        double end[2];
        VERIFY_TRY(bend_strip(verify->ctx, n, ends[k][0], end));
        double tolerance = verify->quick ? 0.03 : 0.01;
        verify_absolute(verify, ends[k][1], end[0], tolerance, "G = %g, x/L", ends[k][0]);
        verify_absolute(verify, ends[k][2], end[1], tolerance, "G = %g, drop/L", ends[k][0]);
    }
    return LYRA_OK;
}

// ---- a thick plate ------------------------------------------------------------------------------

#define THICK 0.05
#define THICK_LOAD 1e-6

static void half_square(double s, double t, double x[3])
{
    x[0] = s;
    x[1] = 0.5 * t;
    x[2] = 0;
}

// how far the end of a plate sinks, x = 1, whose other end is held
static LyraStatus sink(LyraWorld *world, const LyraSelector *root, double *out)
{
    int32_t count = 0, found = 0;
    VERIFY_TRY(lyra_world_fix(world, NULL, root));
    VERIFY_TRY(lyra_world_prepare(world));
    const double *x = lyra_world_positions(world, 0, &count);
    double *before = cli_allocate(3 * (size_t)count * sizeof *before);
    memcpy(before, x, 3 * (size_t)count * sizeof *before);
    LyraStatus status = lyra_world_step(world, NULL);
    x = lyra_world_positions(world, 0, &count);
    *out = 0;
    for (int32_t v = 0; v < count && status == LYRA_OK; ++v) {
        if (before[3 * (int64_t)v] > 1 - 1e-9) {
            *out += before[3 * (int64_t)v + 2] - x[3 * (int64_t)v + 2];
            ++found;
        }
    }
    *out /= found > 0 ? found : 1;
    free(before);
    return status;
}

static LyraStatus sink_solid(LyraContext *ctx, int32_t n, const LyraSelector *root, double *out)
{
    static const double size[3] = {1, 0.5, THICK};
    const int32_t cells[3] = {n, n / 2, 2};
    LyraWorldDef def = lyra_world_def_default();
    LyraBodyDef body = lyra_body_def_default();
    LyraMesh *box = NULL, *mesh = NULL;
    LyraWorld *world = NULL;
    LyraStatus status = verify_box(ctx, LYRA_ELEMENT_TET4, cells, size, &box);
    status = status == LYRA_OK ? lyra_mesh_quadratic(box, &mesh) : status;
    body.mesh = mesh;
    body.density = 1;
    body.material.model = "stvk";
    body.material.young = 1;
    body.material.poisson = 0.3;
    def.gravity[1] = lyra_curve_constant(0);
    def.gravity[2] = lyra_curve_constant(-THICK_LOAD);
    def.integrator.name = "static";
    def.solver.name = "cholesky";
    status = status == LYRA_OK ? lyra_world_create(ctx, &def, &world) : status;
    status = status == LYRA_OK ? lyra_world_add_body(world, &body, NULL) : status;
    status = status == LYRA_OK ? sink(world, root, out) : status;
    lyra_world_destroy(world);
    lyra_mesh_destroy(box);
    lyra_mesh_destroy(mesh);
    return status;
}

static LyraStatus sink_shell(LyraContext *ctx, int32_t n, const LyraSelector *root, double *out)
{
    Net net = make_net(n, n / 2, ALTERNATING, half_square);
    Sheet sheet = {1, 0.3, THICK, {0, 0, -THICK_LOAD}, LYRA_SHELL_BEND_MORLEY, false, root,
                   1, 1,   0};
    LyraWorld *world = NULL;
    LyraStatus status = make_world(ctx, &net, &sheet, &world);
    status = status == LYRA_OK ? sink(world, root, out) : status;
    lyra_world_destroy(world);
    end_net(&net);
    return status;
}

static LyraStatus run_thick(Verify *verify)
{
    verify_note(verify,
                "A plate of 1 x 0.5 x 0.05, held at one end, under its own weight: as a shell and "
                "as a solid of tets of 10 nodes. The solid shears as well, and so sinks further by "
                "4/5 (1 + nu) (h/L)^2 = 0.0026 of it.");
    LyraSelectBox box = {{-1, -1, -1}, {1e-9, 1, 1}};
    LyraSelector root = lyra_selector_default();
    double solid = 0, shell[2];
    root.box = &box;
    int32_t n = verify->quick ? 16 : 32;
    VERIFY_TRY(sink_solid(verify->ctx, verify->quick ? 16 : 24, &root, &solid));
    VERIFY_TRY(sink_shell(verify->ctx, n, &root, &shell[0]));
    VERIFY_TRY(sink_shell(verify->ctx, 2 * n, &root, &shell[1]));
    verify_range(verify, 0.95, 1.05, shell[0] / solid, "shell %d over solid", (int)n);
    verify_range(verify, 0.97, 1.03, shell[1] / solid, "shell %d over solid", 2 * (int)n);
    return LYRA_OK;
}

const VerifyCase verify_shell_cases[] = {
    {"shell-plates", "shell", "Plates on three kinds of meshes, three ways to bend", true,
     run_plates},
    {"scordelis-lo", "shell", "The roof of Scordelis and Lo", true, run_roof},
    {"hemisphere", "shell", "A pinched hemisphere", true, run_hemisphere},
    {"bent-shapes", "shell", "Energies of a rolled cylinder and a hemisphere", true, run_shapes},
    {"thick-plate", "shell", "A thick plate as a shell and as a solid", true, run_thick},
    {"rolled-flow", "shell", "A sheet rolled beyond yield", true, run_flow},
    {"heavy-strip", "shell", "A heavy clamped strip, the elastica", true, run_strip},
    {0},
};
