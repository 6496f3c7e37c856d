// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Surfaces for tests of volumes: whole ones, and the same after somebody mistreated them.

#ifndef VOLUME_SURFACES_H
#define VOLUME_SURFACES_H

#include "lyra/lyra.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

/// Triangles under construction. Twice the room that the defects below can ask for.
typedef struct Soup {
    int32_t vertex_count, count;
    double *positions;
    int32_t (*triangles)[3];
} Soup;

static inline void soup_end(Soup *soup)
{
    free(soup->positions);
    free(soup->triangles);
}

static inline LyraStatus soup_create(LyraContext *ctx, const Soup *soup, LyraSurface **out)
{
    int32_t *begin = malloc(sizeof *begin * ((size_t)soup->count + 1));
    for (int32_t f = 0; f <= soup->count; ++f) {
        begin[f] = 3 * f;
    }
    LyraSurfaceView data = {
        .vertex_count = soup->vertex_count,
        .face_count = soup->count,
        .corner_count = 3 * soup->count,
        .positions = soup->positions,
        .face_begin = begin,
        .corner_vertices = soup->triangles[0],
    };
    LyraStatus status = lyra_surface_create(ctx, &data, out);
    free(begin);
    return status;
}

static inline LyraSurface *soup_surface(LyraContext *ctx, const Soup *soup)
{
    LyraSurface *surface = NULL;
    TEST_OK(soup_create(ctx, soup, &surface));
    return surface;
}

/// What the parameters of a ring of rings become: a ball (no hole), a torus, both with waves of
/// height `waves` on them.
typedef enum Shape { SHAPE_BALL, SHAPE_TORUS, SHAPE_COUNT } Shape;

static inline void shape_point(Shape shape, double waves, double a, double b, double x[3])
{
    if (shape == SHAPE_TORUS) {
        double r = 0.4 * (1 + waves * sin(5 * a) * cos(3 * b));
        x[0] = (1 + r * cos(b)) * cos(a);
        x[1] = (1 + r * cos(b)) * sin(a);
        x[2] = r * sin(b);
    } else {
        double r = 1 + waves * sin(4 * a) * sin(b) * sin(b);
        x[0] = r * sin(b) * cos(a);
        x[1] = r * sin(b) * sin(a);
        x[2] = r * cos(b);
    }
}

/// A closed surface of about `count` triangles that faces outward.
static inline Soup soup_make(Shape shape, double waves, int32_t count)
{
    const double pi = 3.141592653589793;
    int32_t across = (int32_t)fmax(4, sqrt(count / 4.0)), around = 2 * across;
    bool torus = shape == SHAPE_TORUS;
    int32_t rings = torus ? across : across - 1; // without the poles of a ball
    size_t triangles = 2 * (size_t)around * (size_t)across;
    Soup soup = {
        .positions = malloc(sizeof(double) * 3 * (2 * (size_t)around * (size_t)across + 64)),
        .triangles = malloc(sizeof(int32_t[3]) * (2 * triangles + 64)),
    };
    for (int32_t i = 0; i < around; ++i) {
        for (int32_t j = 0; j < rings; ++j) {
            double b = torus ? 2 * pi * j / across : pi * (j + 1) / across;
            shape_point(shape, waves, 2 * pi * i / around, b,
                        soup.positions + 3 * soup.vertex_count++);
        }
    }
    int32_t top = soup.vertex_count, bottom = top + 1;
    if (!torus) {
        shape_point(shape, waves, 0, 0, soup.positions + 3 * soup.vertex_count++);
        shape_point(shape, waves, 0, pi, soup.positions + 3 * soup.vertex_count++);
    }
    for (int32_t i = 0; i < around; ++i) {
        int32_t here = i * rings, next = (i + 1) % around * rings;
        for (int32_t j = 0; j < across; ++j) {
            int32_t k = (j + 1) % rings;
            int32_t quad[4] = {here + j, next + j, next + k, here + k};
            if (!torus) {
                // rings of a ball run from its top, the other way round the quad
                quad[0] = j == 0 ? top : here + j - 1;
                quad[3] = j == 0 ? top : next + j - 1;
                quad[1] = j == across - 1 ? bottom : here + j;
                quad[2] = j == across - 1 ? bottom : next + j;
            }
            for (int32_t half = 0; half < 2; ++half) {
                int32_t t[3] = {quad[0], quad[1 + half], quad[2 + half]};
                if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) {
                    memcpy(soup.triangles[soup.count++], t, sizeof t);
                }
            }
        }
    }
    return soup;
}

// ---- defects ------------------------------------------------------------------------------------

typedef enum Defect {
    DEFECT_HOLES,      ///< A tenth of the faces is missing, in patches.
    DEFECT_FLIPPED,    ///< A third of the faces looks the wrong way.
    DEFECT_INSIDE_OUT, ///< All of them do.
    DEFECT_CROSSING,   ///< A second copy is pushed into the first.
    DEFECT_DUPLICATE,  ///< A fifth of the faces is given twice, some the other way round.
    DEFECT_DEGENERATE, ///< Faces of no area, and of nearly none.
    DEFECT_TORN,       ///< Every face has vertices of its own, as in an STL file.
    DEFECT_TINY,       ///< Specks of a millionth of the size, all over.
    DEFECT_SPIKES,     ///< Single vertices pulled far out.
    DEFECT_COUNT
} Defect;

static inline const char *defect_name(Defect defect)
{
    static const char *const names[DEFECT_COUNT] = {
        "holes",      "flipped", "inside out", "crossing", "duplicate",
        "degenerate", "torn",    "tiny",       "spikes",
    };
    return names[defect];
}

static inline void turn_face(int32_t t[3])
{
    int32_t swap = t[1];
    t[1] = t[2];
    t[2] = swap;
}

static inline void cut_holes(Soup *soup, TestRandom *random)
{
    for (int32_t hole = 0; hole < 4; ++hole) {
        int32_t at = test_random_below(random, soup->count);
        const double *c = soup->positions + 3 * soup->triangles[at][0];
        double center[3] = {c[0], c[1], c[2]};
        int32_t left = 0;
        for (int32_t f = 0; f < soup->count; ++f) {
            const double *x = soup->positions + 3 * soup->triangles[f][0];
            double d2 = 0;
            for (int32_t i = 0; i < 3; ++i) {
                d2 += (x[i] - center[i]) * (x[i] - center[i]);
            }
            if (d2 > 0.25 * 0.25) {
                memmove(soup->triangles[left++], soup->triangles[f], sizeof soup->triangles[f]);
            }
        }
        soup->count = left;
    }
}

/// Doubles the surface, moved by `shift`. The room of soup_make() is enough for one time.
static inline void add_copy(Soup *soup, double shift)
{
    int32_t vertices = soup->vertex_count, count = soup->count;
    soup->positions = realloc(soup->positions, sizeof(double) * 6 * ((size_t)vertices + 64));
    soup->triangles = realloc(soup->triangles, sizeof(int32_t[3]) * 4 * ((size_t)count + 64));
    for (int32_t i = 0; i < 3 * vertices; ++i) {
        soup->positions[3 * vertices + i] = soup->positions[i] + shift * (1 + i % 3);
    }
    for (int32_t f = 0; f < count; ++f) {
        for (int32_t a = 0; a < 3; ++a) {
            soup->triangles[count + f][a] = soup->triangles[f][a] + vertices;
        }
    }
    soup->vertex_count *= 2;
    soup->count *= 2;
}

static inline void tear(Soup *soup)
{
    double *positions = malloc(sizeof *positions * 9 * ((size_t)soup->count + 64));
    for (int32_t c = 0; c < 3 * soup->count; ++c) {
        memcpy(positions + 3 * c, soup->positions + 3 * soup->triangles[c / 3][c % 3],
               3 * sizeof *positions);
        soup->triangles[c / 3][c % 3] = c;
    }
    free(soup->positions);
    soup->positions = positions;
    soup->vertex_count = 3 * soup->count;
}

static inline void add_defect(Soup *soup, Defect defect, TestRandom *random)
{
    int32_t count = soup->count;
    switch (defect) {
    case DEFECT_HOLES:
        cut_holes(soup, random);
        break;
    case DEFECT_FLIPPED:
    case DEFECT_INSIDE_OUT:
        for (int32_t f = 0; f < count; ++f) {
            if (defect == DEFECT_INSIDE_OUT || test_random_below(random, 3) == 0) {
                turn_face(soup->triangles[f]);
            }
        }
        break;
    case DEFECT_CROSSING:
        add_copy(soup, test_random_in(random, 0.05, 0.3));
        break;
    case DEFECT_DUPLICATE:
        for (int32_t k = 0; k < count / 5; ++k) {
            memcpy(soup->triangles[soup->count], soup->triangles[test_random_below(random, count)],
                   sizeof soup->triangles[0]);
            if (k % 2) {
                turn_face(soup->triangles[soup->count]);
            }
            ++soup->count;
        }
        break;
    case DEFECT_DEGENERATE:
        for (int32_t k = 0; k < 30; ++k) {
            const int32_t *t = soup->triangles[test_random_below(random, count)];
            int32_t flat[3] = {t[0], t[k % 2], t[2]};
            memcpy(soup->triangles[soup->count++], flat, sizeof flat);
        }
        break;
    case DEFECT_TORN:
        tear(soup);
        break;
    case DEFECT_TINY:
        for (int32_t k = 0; k < 20; ++k) {
            // a vertex moves to within a millionth of its neighbour
            const int32_t *t = soup->triangles[test_random_below(random, count)];
            for (int32_t i = 0; i < 3; ++i) {
                soup->positions[3 * t[1] + i] =
                    soup->positions[3 * t[0] + i] + test_random_in(random, -1e-6, 1e-6);
            }
        }
        break;
    default:
        for (int32_t k = 0; k < 5; ++k) {
            int32_t v = test_random_below(random, soup->vertex_count);
            for (int32_t i = 0; i < 3; ++i) {
                soup->positions[3 * v + i] *= 1.5;
            }
        }
    }
}

/// A surface with one to three defects, from a seed. Writes what they are.
static inline Soup soup_broken(uint64_t seed, int32_t count, char what[100])
{
    TestRandom random = test_random(seed);
    Shape shape = (Shape)test_random_below(&random, SHAPE_COUNT);
    Soup soup = soup_make(shape, test_random_in(&random, 0, 0.3), count);
    int32_t defects = 1 + test_random_below(&random, 3);
    int length = snprintf(what, 100, "%s", shape == SHAPE_BALL ? "ball" : "torus");
    for (int32_t k = 0; k < defects; ++k) {
        Defect defect = (Defect)((seed + 4 * (uint64_t)k) % DEFECT_COUNT);
        add_defect(&soup, defect, &random);
        length += snprintf(what + length, (size_t)(100 - length), ", %s", defect_name(defect));
    }
    return soup;
}

#endif
