// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// The keys of shells.

#include "world/keys_rows.h"

static void init_shell(void *out)
{
    *(LyraBodyShell *)out = lyra_body_shell_default();
}

static void init_part(void *out)
{
    *(LyraShellPart *)out = lyra_shell_part_default();
}

static const LyKey part_keys[] = {
    {"select", LY_KEY_GROUP, AT(LyraShellPart, select), .required = true, .group = &ly_select_keys,
     .meaning = "Triangles with all corners in it."},
    {"thickness", LY_KEY_NUMBER, AT(LyraShellPart, thickness), .required = true, .unit = "m",
     .range = LY_RANGE_POSITIVE, .meaning = "Of these."},
};
GROUP(part, LyraShellPart, init_part, "parts of shell",
      "Parts of a shell that are thicker or thinner; the last one that holds a triangle counts.");

static const LyKey shell_keys[] = {
    {"surface", LY_KEY_TEXT, AT(LyraBodyShell, file),
     .meaning = "Its file, of any format: the shape at rest; polygons are cut into triangles."},
    {"generate", LY_KEY_GROUP, AT(LyraBodyShell, generate), .pointer = true,
     .group = &ly_sheet_keys, .meaning = "A flat sheet in place of `surface`."},
    {"thickness", LY_KEY_NUMBER, AT(LyraBodyShell, thickness), .unit = "m",
     .range = LY_RANGE_POSITIVE, .meaning = "Of the whole shell."},
    {"parts", LY_KEY_LIST, LIST(LyraBodyShell, parts, part_count), .group = &part,
     .meaning = "Where it is thicker or thinner."},
    {"bend", LY_KEY_WORD, AT(LyraBodyShell, bend), .choices = "morley|hinge|quadratic|none",
     .meaning =
         "How it bends: with an unknown per edge, right on any mesh; by the angles of edges, "
         "for looks; by a constant matrix, for flat sheets that hardly stretch; not."},
    {"bend-factor", LY_KEY_NUMBER, AT(LyraBodyShell, bend_factor), .range = LY_RANGE_NOT_NEGATIVE,
     .meaning = "On the bending stiffness that thickness and material give."},
    {"rest-angles", LY_KEY_BOOL, AT(LyraBodyShell, rest_angles),
     .meaning = "Bending starts from the shape at rest, not from flat."},
    {"clamp", LY_KEY_LIST, LIST(LyraBodyShell, clamp, clamp_count), .group = &ly_select_keys,
     .meaning =
         "Edges of one triangle, between vertices of a selection, that keep their direction; "
         "beside a constraint that holds these. With `bend: morley`."},
};
PUBLIC_GROUP(ly_shell_keys, shell_keys, LyraBodyShell, init_shell, "shell",
             "What a body of `kind: shell` is. Its law is that of `material` (1 MPa and 0.3 unless "
             "given), its `density` 1000 kg/m^3 unless given.");
