// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Keys of probes.

#include "lyra/probe.h"
#include "world/keys_rows.h"

static void init_probe(void *out)
{
    *(LyraProbeDef *)out = lyra_probe_def_default();
}

static void init_to(void *out)
{
    *(LyraProbeEnd *)out = (LyraProbeEnd){.select = lyra_selector_default()};
}

static const LyKey to_keys[] = {
    {"body", LY_KEY_TEXT, AT(LyraProbeEnd, body), .meaning = "Its name. Without, all bodies."},
    {"select", LY_KEY_GROUP, AT(LyraProbeEnd, select), .required = true, .group = &ly_select_keys,
     .meaning = "Which vertices."},
};
GROUP(to, LyraProbeEnd, init_to, "to", "The other end of a distance.");

static const LyKey probe_keys[] = {
    {"name", LY_KEY_TEXT, AT(LyraProbeDef, name), .shown_default = "probe1, ...",
     .meaning = "Unique; letters, digits, `-` and `_`. Columns of `steps.csv` have it."},
    {"quantity", LY_KEY_WORD, AT(LyraProbeDef, quantity), .required = true,
     .choices = "displacement|position|velocity|reaction|force|stress|energy|distance|volume|"
                "plastic-strain|goal-distance|plastic-loss|viscous-loss|"
                "tie-force|tie-gap|obstacle-force|obstacle-gap|"
                "curvature|bending-moment|twist|torque|tension",
     .meaning = "What is looked at: [probes](probes.md)."},
    {"body", LY_KEY_TEXT, AT(LyraProbeDef, body), .meaning = "Its name. Without, all bodies."},
    {"select", LY_KEY_GROUP, AT(LyraProbeDef, select), .pointer = true, .group = &ly_select_keys,
     .meaning = "Which vertices, elements or faces. Without, all."},
    {"to", LY_KEY_GROUP, AT(LyraProbeDef, to), .pointer = true, .group = &to,
     .meaning = "The other end of a distance."},
    {"tie", LY_KEY_TEXT, AT(LyraProbeDef, tie), .meaning = "Name of a tie, of its quantities."},
    {"obstacle", LY_KEY_TEXT, AT(LyraProbeDef, obstacle),
     .meaning = "Name of an obstacle, of its quantities."},
    {"reduce", LY_KEY_WORD, AT(LyraProbeDef, reduce), .choices = "auto|mean|sum|max|min|point",
     .meaning = "How all that is selected becomes one."},
    {"component", LY_KEY_WORD, AT(LyraProbeDef, component), .choices = "whole|x|y|z|length",
     .meaning = "Of a vector."},
};
PUBLIC_GROUP(ly_probe_keys, probe_keys, LyraProbeDef, init_probe, "probes",
             "Numbers that are watched.");
