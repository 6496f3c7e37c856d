// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// As much XML as data files need: tags and their attributes, one after another. No entities, no
// name spaces, no check that tags match; comments, processing instructions and declarations are
// skipped.

#ifndef LY_MESH_XML_H
#define LY_MESH_XML_H

#include "base/scanner.h"

#define LY_XML_ATTRIBUTES_MAX 24

typedef struct LyXmlAttribute {
    LySlice name, value;
} LyXmlAttribute;

typedef struct LyXmlTag {
    const char *at; ///< Its '<'.
    LySlice name;
    bool closing; ///< </name>
    bool empty;   ///< <name/>
    int32_t attribute_count;
    LyXmlAttribute attributes[LY_XML_ATTRIBUTES_MAX];
} LyXmlTag;

/// Goes to the next tag and past it; what stands in between is skipped. `found` becomes false at
/// the end of the text.
LyraStatus ly_xml_next_tag(LyScanner *scanner, LyXmlTag *tag, bool *found);

/// Value of an attribute; text NULL if the tag has none of that name.
LySlice ly_xml_attribute(const LyXmlTag *tag, const char *name);

/// Reads an attribute as an integer in [low, high]. An absent one gives `fallback` if that is
/// within the limits, else an error.
LyraStatus ly_xml_integer(const LyScanner *scanner, const LyXmlTag *tag, const char *name,
                          int64_t low, int64_t high, int64_t fallback, int64_t *value);

#endif
