// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/xml.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_spaces(LyScanner *scanner)
{
    while (scanner->at < scanner->end && is_space(*scanner->at)) {
        ++scanner->at;
    }
}

static bool starts_with(const LyScanner *scanner, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(scanner->end - scanner->at) >= length && memcmp(scanner->at, word, length) == 0;
}

/// Goes past the next `word`; false, at the end of the text, if there is none.
static bool skip_past(LyScanner *scanner, const char *word)
{
    while (scanner->at < scanner->end) {
        const char *at = memchr(scanner->at, word[0], (size_t)(scanner->end - scanner->at));
        scanner->at = at ? at : scanner->end;
        if (starts_with(scanner, word)) {
            scanner->at += strlen(word);
            return true;
        }
        scanner->at += scanner->at < scanner->end;
    }
    return false;
}

static bool ends_name(char c)
{
    return is_space(c) || c == '=' || c == '/' || c == '>' || c == '<' || c == '"' || c == '\'';
}

static LyraStatus read_name(LyScanner *scanner, const char *expected, LySlice *name)
{
    const char *begin = scanner->at;
    while (scanner->at < scanner->end && !ends_name(*scanner->at)) {
        ++scanner->at;
    }
    *name = (LySlice){begin, (size_t)(scanner->at - begin)};
    return name->length > 0 ? LYRA_OK : ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "%s", expected);
}

static LyraStatus read_attribute(LyScanner *scanner, LyXmlAttribute *attribute)
{
    LY_TRY(read_name(scanner, "the name of an attribute, /> or >", &attribute->name));
    skip_spaces(scanner);
    if (scanner->at == scanner->end || *scanner->at != '=') {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "= behind an attribute");
    }
    ++scanner->at;
    skip_spaces(scanner);
    char quote = *scanner->at;
    if (scanner->at == scanner->end || (quote != '"' && quote != '\'')) {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "a value in quotes");
    }
    const char *begin = scanner->at + 1;
    const char *end = memchr(begin, quote, (size_t)(scanner->end - begin));
    if (!end) {
        return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "a quote that ends the value");
    }
    attribute->value = (LySlice){begin, (size_t)(end - begin)};
    scanner->at = end + 1;
    return LYRA_OK;
}

/// Goes past comments, instructions and declarations; whether a tag is next.
static bool find_tag(LyScanner *scanner)
{
    for (;;) {
        const char *at = memchr(scanner->at, '<', (size_t)(scanner->end - scanner->at));
        scanner->at = at ? at : scanner->end;
        if (!at) {
            return false;
        }
        if (starts_with(scanner, "<!--")) {
            skip_past(scanner, "-->");
        } else if (starts_with(scanner, "<?")) {
            skip_past(scanner, "?>");
        } else if (starts_with(scanner, "<!")) {
            skip_past(scanner, ">");
        } else {
            return true;
        }
    }
}

LyraStatus ly_xml_next_tag(LyScanner *scanner, LyXmlTag *tag, bool *found)
{
    *found = find_tag(scanner);
    if (!*found) {
        return LYRA_OK;
    }
    *tag = (LyXmlTag){.at = scanner->at++};
    if (scanner->at < scanner->end && *scanner->at == '/') {
        tag->closing = true;
        ++scanner->at;
    }
    LY_TRY(read_name(scanner, "the name of a tag", &tag->name));
    for (;;) {
        skip_spaces(scanner);
        if (starts_with(scanner, ">")) {
            scanner->at += 1;
            return LYRA_OK;
        }
        if (starts_with(scanner, "/>")) {
            scanner->at += 2;
            tag->empty = true;
            return LYRA_OK;
        }
        if (tag->attribute_count == LY_XML_ATTRIBUTES_MAX) {
            return ly_scanner_fail(scanner, LYRA_BAD_FORMAT, "at most %d attributes",
                                   LY_XML_ATTRIBUTES_MAX);
        }
        LY_TRY(read_attribute(scanner, &tag->attributes[tag->attribute_count++]));
    }
}

LySlice ly_xml_attribute(const LyXmlTag *tag, const char *name)
{
    for (int32_t i = 0; i < tag->attribute_count; ++i) {
        if (ly_slice_is(tag->attributes[i].name, name)) {
            return tag->attributes[i].value;
        }
    }
    return (LySlice){NULL, 0};
}

LyraStatus ly_xml_integer(const LyScanner *scanner, const LyXmlTag *tag, const char *name,
                          int64_t low, int64_t high, int64_t fallback, int64_t *value)
{
    LySlice text = ly_xml_attribute(tag, name);
    if (!text.text && fallback >= low && fallback <= high) {
        *value = fallback;
        return LYRA_OK;
    }
    if (!text.text) {
        char quoted[LY_QUOTE_CHARS];
        return ly_scanner_complain(scanner, tag->at, LYRA_BAD_FORMAT,
                                   "found no %s in the tag %s, expected one", name,
                                   ly_quote(quoted, tag->name));
    }
    int64_t number;
    const char *end = ly_parse_int64(text.text, text.text + text.length, &number);
    if (end != text.text + text.length || number < low || number > high) {
        char quoted[LY_QUOTE_CHARS];
        return ly_scanner_complain(scanner, tag->at, LYRA_BAD_FORMAT,
                                   "found %s=%s, expected an integer from %lld to %lld", name,
                                   ly_quote(quoted, text), (long long)low, (long long)high);
    }
    *value = number;
    return LYRA_OK;
}
