// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The body-centred cubic lattice of isosurface stuffing [LS07].
//
// Points stand at the corners and at the centres of cubes of edge `cell`. In coordinates of half a
// cell all three numbers of a point are even (corners) or odd (centres). A point has 14 neighbours:
// 6 along the axes (long edges) and 8 along the diagonals (short ones, sqrt(3)/2 of the long). Two
// centres in a row and an edge of the square between them are a tet; all tets are like this one.

#ifndef LY_VOLUME_LATTICE_H
#define LY_VOLUME_LATTICE_H

#include "mesh/generate.h"
#include "volume/volume.h"

enum { LY_LATTICE_LONG = 3, LY_LATTICE_WAYS = 7 };

/// Ways from a point to its neighbours, in half cells; the other seven are their opposites. The
/// first three are long.
extern const int32_t ly_lattice_way[LY_LATTICE_WAYS][3];

typedef struct LyLattice {
    LyraContext *ctx;
    LyVolumeInput *input;
    int32_t size[3]; // cubes
    double origin[3];
    int64_t corners, count; // points: corners of cubes first, then centres
    float *value;           // distance inside of the surface, in cells; at most 1 in magnitude
    int8_t *sign;           // of the value; 0 on the surface
    int32_t *crossing;      // index among the points with an edge across the surface, -1: none
    int32_t crossing_count;
    int32_t *crossing_point;
    /// Where along each way from a crossing point the surface is, as a part of the edge; negative
    /// where it is not.
    double (*cut)[LY_LATTICE_WAYS];
    double (*place)[3]; // of crossing points, moved onto the surface where they were close to it
} LyLattice;

/// Index of a point, -1 beyond the lattice.
static inline int64_t ly_lattice_index(const LyLattice *lattice, const int32_t at[3])
{
    int64_t odd = at[0] & 1, index = 0;
    for (int32_t i = 2; i >= 0; --i) {
        int64_t width = lattice->size[i] + 1 - odd;
        int64_t place = at[i] >> 1;
        if (at[i] < 0 || place >= width) {
            return -1;
        }
        index = index * width + place;
    }
    return odd ? lattice->corners + index : index;
}

/// Coordinates of a point in half cells.
static inline void ly_lattice_at(const LyLattice *lattice, int64_t index, int32_t at[3])
{
    int32_t odd = index >= lattice->corners;
    index -= odd ? lattice->corners : 0;
    for (int32_t i = 0; i < 3; ++i) {
        int64_t width = lattice->size[i] + 1 - odd;
        at[i] = 2 * (int32_t)(index % width) + odd;
        index /= width;
    }
}

static inline void ly_lattice_position(const LyLattice *lattice, const int32_t at[3], double x[3])
{
    for (int32_t i = 0; i < 3; ++i) {
        x[i] = lattice->origin[i] + 0.5 * at[i] * lattice->input->cell;
    }
}

/// Part of the edge from point `a` to point `b`, neighbours on two sides of the surface, at which
/// it is cut.
double ly_lattice_cut(const LyLattice *lattice, int64_t a, int64_t b, const int32_t way[3]);

/// The tets inside of the surface, as a mesh; `*out` stays as it is where there are none.
LyraStatus ly_lattice_stuff(const LyLattice *lattice, const LyraMeshMaterial *material,
                            LyraMesh **out);

#endif
