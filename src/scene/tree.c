// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// YAML into nodes, by the events of libyaml. Depth and number of nodes are bounded, so that a
// hostile file costs no more than its own length.

#include "scene/tree.h"

#include "base/scanner.h"
#include "world/keys.h"

// what the build has; in quotes it would be this folder's own file of that name
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#if LY_HAVE_YAML
#include <yaml.h>
#endif

// ---- messages -----------------------------------------------------------------------------------

#define SENTENCE_CHARS 600

static LyraStatus fail_at(const char *where, int32_t line, int32_t column, LyraStatus status,
                          const char *sentence)
{
    if (line == 0) {
        return ly_fail(status, "override \"%s\": %s", where, sentence);
    }
    return ly_fail(status, "%s:%d:%d: %s", where, (int)line, (int)column, sentence);
}

LyraStatus ly_node_fail(const LyNode *node, LyraStatus status, const char *format, ...)
{
    char sentence[SENTENCE_CHARS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return fail_at(node->where, node->line, node->column, status, sentence);
}

LyraStatus ly_key_fail(const LyNode *node, LyraStatus status, const char *format, ...)
{
    char sentence[SENTENCE_CHARS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return fail_at(node->where, node->key_line, node->key_column, status, sentence);
}

LyraStatus ly_node_expect(const LyNode *node, const char *format, ...)
{
    char sentence[SENTENCE_CHARS], quote[LY_QUOTE_CHARS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const char *found = quote;
    if (node->kind == LY_NODE_SEQUENCE) {
        snprintf(quote, sizeof quote, "a list of %d", (int)node->count);
    } else if (node->kind == LY_NODE_MAPPING) {
        found = "keys with values";
    } else if (ly_node_is_null(node)) {
        found = "nothing";
    } else {
        ly_quote(quote, (LySlice){node->text, strlen(node->text)});
    }
    return ly_node_fail(node, LYRA_BAD_FORMAT, "found %s, expected %s", found, sentence);
}

// The deepest node that a path as "regions[0].select" leads to from `node`.
static const LyNode *follow(const LyNode *node, const char *path)
{
    const char *at = path, *end = path + strlen(path);
    while (at < end) {
        const LyNode *next = NULL;
        if (*at == '[') {
            int64_t index = -1;
            const char *stop = ly_parse_int64(at + 1, end, &index);
            next = node->kind == LY_NODE_SEQUENCE ? node->first : NULL;
            for (; next && index > 0; --index) {
                next = next->next;
            }
            at = stop ? stop + 1 : end;
        } else {
            size_t length = strcspn(at, ".[");
            next = node->kind == LY_NODE_MAPPING ? node->first : NULL;
            while (next && (strlen(next->key) != length || memcmp(next->key, at, length) != 0)) {
                next = next->next;
            }
            at += length;
        }
        if (!next) {
            break;
        }
        node = next;
        at += *at == '.';
    }
    return node;
}

LyraStatus ly_node_place(const LyNode *node, LyraStatus status)
{
    if (status == LYRA_OK || status == LYRA_OUT_OF_MEMORY) {
        return status;
    }
    char path[LY_ERROR_KEY_CHARS];
    const char *sentence = ly_error_key(path);
    node = follow(node, path);
    return fail_at(node->where, node->line, node->column, status, sentence);
}

// ---- finding ------------------------------------------------------------------------------------

LyNode *ly_node_find(const LyNode *mapping, const char *key)
{
    if (!mapping || mapping->kind != LY_NODE_MAPPING) {
        return NULL;
    }
    for (LyNode *child = mapping->first; child; child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

bool ly_node_is_null(const LyNode *node)
{
    return node->kind == LY_NODE_SCALAR && !node->quoted &&
           (strcmp(node->text, "") == 0 || strcmp(node->text, "~") == 0 ||
            strcmp(node->text, "null") == 0);
}

static uint64_t add_bytes(uint64_t digest, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; ++i) {
        digest = (digest ^ at[i]) * 0x100000001b3u;
    }
    return digest;
}

const LyNode *ly_node_replaced(const LyNode *node)
{
    const LyNode *old = node->replaced;
    while (old && old->kind == LY_NODE_SCALAR) {
        old = old->replaced;
    }
    return old && old->kind == LY_NODE_SEQUENCE ? old : NULL;
}

uint64_t ly_node_digest(uint64_t digest, const LyNode *node)
{
    // one level of recursion per level of the tree, which is bounded
    const char kind = (char)('0' + node->kind);
    digest = add_bytes(digest, &kind, 1);
    if (node->key) {
        digest = add_bytes(digest, node->key, strlen(node->key) + 1);
    }
    if (node->kind == LY_NODE_SCALAR) {
        const LyNode *list = ly_node_replaced(node);
        digest = add_bytes(digest, node->text, strlen(node->text) + 1);
        return list ? ly_node_digest(digest, list) : digest;
    }
    for (const LyNode *child = node->first; child; child = child->next) {
        digest = ly_node_digest(digest, child);
    }
    return add_bytes(digest, "]", 1);
}

static void append(LyNode *parent, LyNode *child)
{
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    ++parent->count;
}

// ---- reading ------------------------------------------------------------------------------------

#if LY_HAVE_YAML

#define DEPTH_MAX 32
#define NODES_MAX 1000000
#define KEYS_MAX 1000

typedef struct Reader {
    yaml_parser_t parser;
    LyraArena *arena;
    const char *where, *text;
    size_t length;
    bool placed; // lines and columns mean something
    int32_t node_count, depth;
    LyNode *open[DEPTH_MAX]; // sequences and mappings that are not closed yet
    LyNode *key;             // read, and waiting for its value
    LyNode *root;
    int32_t documents;
    bool ended;
} Reader;

static LyraStatus complain(const Reader *reader, yaml_mark_t mark, const char *sentence)
{
    return fail_at(reader->where, reader->placed ? (int32_t)mark.line + 1 : 0,
                   (int32_t)mark.column + 1, LYRA_BAD_FORMAT, sentence);
}

// whether a line, from 0, begins with a tab or with blanks and a tab, which YAML forbids
static bool is_indented_by_tab(const char *text, size_t length, size_t line)
{
    size_t i = 0;
    for (; i < length && line > 0; ++i) {
        line -= text[i] == '\n';
    }
    while (i < length && text[i] == ' ') {
        ++i;
    }
    return i < length && text[i] == '\t';
}

// what libyaml has to say, in our form
static LyraStatus complain_parser(const Reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        return ly_fail_memory(0);
    }
    char sentence[SENTENCE_CHARS];
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) {
        snprintf(sentence, sizeof sentence, "%s, expected a text in UTF-8", parser->problem);
        // it reads ahead, and says how many bytes it had read
        mark = (yaml_mark_t){.line = 0};
        for (size_t i = 0; i < parser->problem_offset; ++i) {
            bool ends = reader->text[i] == '\n';
            mark.line += ends;
            mark.column = ends ? 0 : mark.column + 1;
        }
    } else if (is_indented_by_tab(reader->text, reader->length, mark.line)) {
        snprintf(sentence, sizeof sentence, "found a tab before the text, expected blanks");
    } else {
        snprintf(sentence, sizeof sentence, "%s%s%s", parser->context ? parser->context : "",
                 parser->context ? ": " : "", parser->problem ? parser->problem : "no YAML");
    }
    return complain(reader, mark, sentence);
}

static LyraStatus make_node(Reader *reader, LyNodeKind kind, yaml_mark_t mark, LyNode **out)
{
    if (++reader->node_count > NODES_MAX) {
        return complain(reader, mark, "found more than 1000000 values, expected fewer");
    }
    LyNode *node = NULL;
    LY_TRY(ly_arena_allocate(reader->arena, 1, sizeof *node, &node));
    node->kind = kind;
    node->where = reader->where;
    node->line = reader->placed ? (int32_t)mark.line + 1 : 0;
    node->column = (int32_t)mark.column + 1;
    *out = node;
    return LYRA_OK;
}

// gives a key that was read to its value, and refuses one that is there already
static LyraStatus take_key(Reader *reader, LyNode *mapping, LyNode *node, yaml_mark_t mark)
{
    if (mapping->count >= KEYS_MAX) {
        return complain(reader, mark, "found more than 1000 keys in one place, expected fewer");
    }
    const LyNode *twin = ly_node_find(mapping, reader->key->text);
    if (twin) {
        return ly_node_fail(reader->key, LYRA_BAD_FORMAT,
                            "found key \"%.60s\" a second time, expected it once as on line %d",
                            reader->key->text, (int)twin->key_line);
    }
    node->key = reader->key->text;
    node->key_line = reader->key->line;
    node->key_column = reader->key->column;
    reader->key = NULL;
    return LYRA_OK;
}

// puts a node where it belongs: a key, the value of one, an item, or the root
static LyraStatus place(Reader *reader, LyNode *node, yaml_mark_t mark)
{
    LyNode *parent = reader->depth ? reader->open[reader->depth - 1] : NULL;
    if (!parent) {
        reader->root = node;
        return LYRA_OK;
    }
    if (parent->kind == LY_NODE_MAPPING) {
        if (!reader->key) {
            if (node->kind != LY_NODE_SCALAR) {
                return complain(reader, mark, "found a list or keys as a key, expected a word");
            }
            reader->key = node;
            return LYRA_OK;
        }
        LY_TRY(take_key(reader, parent, node, mark));
    }
    append(parent, node);
    return LYRA_OK;
}

static LyraStatus open_node(Reader *reader, LyNodeKind kind, const yaml_event_t *event)
{
    LyNode *node = NULL;
    if (reader->depth == DEPTH_MAX) {
        return complain(reader, event->start_mark,
                        "found values nested deeper than 32 levels, expected fewer");
    }
    LY_TRY(make_node(reader, kind, event->start_mark, &node));
    LY_TRY(place(reader, node, event->start_mark));
    reader->open[reader->depth++] = node;
    return LYRA_OK;
}

static LyraStatus read_scalar(Reader *reader, const yaml_event_t *event)
{
    LyNode *node = NULL;
    char *text = NULL;
    size_t length = event->data.scalar.length;
    const char *value = (const char *)event->data.scalar.value;
    if (memchr(value, 0, length)) {
        return complain(reader, event->start_mark, "found a zero byte, expected a text");
    }
    LY_TRY(make_node(reader, LY_NODE_SCALAR, event->start_mark, &node));
    LY_TRY(ly_arena_allocate(reader->arena, (int64_t)length + 1, 1, &text));
    memcpy(text, value, length);
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return place(reader, node, event->start_mark);
}

static LyraStatus refuse_extras(const Reader *reader, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor || event->type == YAML_ALIAS_EVENT) {
        return complain(reader, event->start_mark,
                        "found an anchor or an alias, expected the value itself");
    }
    return tag ? complain(reader, event->start_mark, "found a tag, expected the value alone")
               : LYRA_OK;
}

static LyraStatus take_event(Reader *reader, const yaml_event_t *event)
{
    LY_TRY(refuse_extras(reader, event));
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++reader->documents > 1
                   ? complain(reader, event->start_mark, "found a second document, expected one")
                   : LYRA_OK;
    case YAML_SCALAR_EVENT:
        return read_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(reader, LY_NODE_SEQUENCE, event);
    case YAML_MAPPING_START_EVENT:
        return open_node(reader, LY_NODE_MAPPING, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --reader->depth;
        return LYRA_OK;
    case YAML_STREAM_END_EVENT:
        reader->ended = true;
        return LYRA_OK;
    default:
        return LYRA_OK;
    }
}

static LyraStatus parse(LyraArena *arena, const char *where, bool placed, const char *text,
                        size_t length, LyNode **root)
{
    Reader reader = {.arena = arena, .where = where, .placed = placed};
    // some editors begin a text with a mark of its encoding
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    reader.text = text;
    reader.length = length;
    if (!yaml_parser_initialize(&reader.parser)) {
        return ly_fail_memory(0);
    }
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    LyraStatus status = LYRA_OK;
    while (status == LYRA_OK && !reader.ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader.parser, &event)) {
            status = complain_parser(&reader);
            break;
        }
        status = take_event(&reader, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&reader.parser);
    if (status == LYRA_OK) {
        *root = reader.root;
    }
    return status;
}

#else

static LyraStatus parse(LyraArena *arena, const char *where, bool placed, const char *text,
                        size_t length, LyNode **root)
{
    (void)arena, (void)placed, (void)text, (void)length, (void)root;
    return ly_fail(LYRA_UNSUPPORTED,
                   "%s: scenes in YAML need libyaml, which this build of Lyra is "
                   "without",
                   where);
}

#endif

LyraStatus ly_tree_parse(LyraArena *arena, const char *path, const char *text, size_t length,
                         LyNode **root)
{
    return parse(arena, path, true, text, length, root);
}

// ---- overrides ----------------------------------------------------------------------------------

// Where an override leads: a pointer to the pointer that holds the node, for values are replaced.
typedef struct Cursor {
    LyraArena *arena;
    const char *override;
    LyNode **slot;  // NULL in *slot: not there yet
    LyNode *parent; // of *slot
    const char *key;
    char done[120]; // the path so far, for messages
} Cursor;

// puts an empty mapping or list where nothing is
static LyraStatus make_parent(Cursor *at, LyNodeKind kind)
{
    LyNode *node = *at->slot;
    if (node && !ly_node_is_null(node)) {
        return LYRA_OK;
    }
    LyNode *made = NULL;
    LY_TRY(ly_arena_allocate(at->arena, 1, sizeof *made, &made));
    *made = (LyNode){
        .kind = kind, .where = at->override, .key = at->key, .next = node ? node->next : NULL};
    if (!node && at->parent) {
        append(at->parent, made);
        return LYRA_OK;
    }
    *at->slot = made;
    if (at->parent && at->parent->last == node) {
        at->parent->last = made;
    }
    return LYRA_OK;
}

static LyNode **find_slot(LyNode *parent, const char *key, int64_t index)
{
    LyNode **slot = &parent->first;
    for (int64_t i = 0; *slot; slot = &(*slot)->next, ++i) {
        if (key ? strcmp((*slot)->key, key) == 0 : i == index) {
            break;
        }
    }
    return slot;
}

static const char *name_of(const LyNode *item)
{
    const LyNode *name = ly_node_find(item, "name");
    return name && name->kind == LY_NODE_SCALAR ? name->text : NULL;
}

// the item of a list whose `name` is the word
static LyraStatus enter_item(Cursor *at, LyNode *list, const char *name)
{
    LyNode **slot = &list->first;
    for (; *slot; slot = &(*slot)->next) {
        const char *own = name_of(*slot);
        if (own && strcmp(own, name) == 0) {
            break;
        }
    }
    if (!*slot) {
        return ly_fail(LYRA_BAD_FORMAT, "override \"%s\": \"%s\" has no item whose name is \"%s\"",
                       at->override, at->done, name);
    }
    at->parent = list;
    at->key = NULL;
    at->slot = slot;
    return LYRA_OK;
}

static LyraStatus enter_key(Cursor *at, const char *word, size_t length)
{
    char *key = NULL;
    LY_TRY(ly_arena_allocate(at->arena, (int64_t)length + 1, 1, &key));
    memcpy(key, word, length);
    LY_TRY(make_parent(at, LY_NODE_MAPPING));
    LyNode *parent = *at->slot;
    if (parent->kind == LY_NODE_SEQUENCE) {
        return enter_item(at, parent, key);
    }
    if (parent->kind != LY_NODE_MAPPING) {
        return ly_fail(LYRA_BAD_FORMAT, "override \"%s\": \"%s\" has no keys, so none is \"%s\"",
                       at->override, at->done, key);
    }
    at->parent = parent;
    at->key = key;
    at->slot = find_slot(parent, key, 0);
    return LYRA_OK;
}

static LyraStatus enter_index(Cursor *at, int64_t index)
{
    LY_TRY(index == 0 ? make_parent(at, LY_NODE_SEQUENCE) : LYRA_OK);
    LyNode *parent = *at->slot;
    if (!parent || parent->kind != LY_NODE_SEQUENCE) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "override \"%s\": \"%s\" is no list, so [%lld] of it is "
                       "nothing",
                       at->override, at->done, (long long)index);
    }
    if (index < 0 || index > parent->count) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "override \"%s\": found index %lld, expected 0 to %d, as "
                       "\"%s\" has %d items",
                       at->override, (long long)index, (int)parent->count, at->done,
                       (int)parent->count);
    }
    at->parent = parent;
    at->key = NULL;
    at->slot = find_slot(parent, NULL, index);
    return LYRA_OK;
}

// bytes of the next word of a path; names of items may have dots and brackets in them
static size_t word_length(const LyNode *list, const char *c, const char *end)
{
    size_t length = strcspn(c, ".[=");
    bool items = list && list->kind == LY_NODE_SEQUENCE;
    for (const LyNode *item = items ? list->first : NULL; item; item = item->next) {
        const char *name = name_of(item);
        size_t own = name ? strlen(name) : 0;
        if (own > length && own <= (size_t)(end - c) && memcmp(c, name, own) == 0 &&
            strchr(".[=", c[own])) {
            length = own;
        }
    }
    return length;
}

// goes along "a.b[2].c"; `end` is its end
static LyraStatus walk(Cursor *at, const char *path, const char *end)
{
    const char *c = path;
    bool first = true;
    while (c < end || first) {
        size_t done = (size_t)(c - path);
        snprintf(at->done, sizeof at->done, "%.*s", (int)(done < 100 ? done : 100), path);
        if (*c == '[' && !first) {
            int64_t index = -1;
            const char *stop = ly_parse_int64(c + 1, end, &index);
            if (!stop || stop >= end || *stop != ']') {
                return ly_fail(LYRA_BAD_FORMAT,
                               "override \"%s\": expected a whole number and ] "
                               "after \"%s[\"",
                               at->override, at->done);
            }
            LY_TRY(enter_index(at, index));
            c = stop + 1;
        } else {
            if (!first && *c++ != '.') {
                break;
            }
            size_t length = word_length(*at->slot, c, end);
            if (length == 0) {
                break;
            }
            LY_TRY(enter_key(at, c, length));
            c += length;
        }
        first = false;
        if (c == end) {
            return LYRA_OK;
        }
    }
    return ly_fail(LYRA_BAD_FORMAT,
                   "override \"%s\": expected a path as in \"time.dt=5 ms\" or "
                   "\"bodies[0].name=beam\"",
                   at->override);
}

// "list.*.rest=value" as one override for each item, with its number
static LyraStatus override_all(LyraArena *arena, LyNode **root, const char *override,
                               const char *star)
{
    Cursor at = {.arena = arena, .override = override, .slot = root};
    LY_TRY(walk(&at, override, star));
    const LyNode *list = *at.slot;
    if (!list || list->kind != LY_NODE_SEQUENCE || list->count == 0) {
        return ly_fail(LYRA_BAD_FORMAT, "override \"%s\": \"%.*s\" has no items, so none is set",
                       override, (int)(star - override < 100 ? star - override : 100), override);
    }
    size_t size = strlen(override) + 16;
    for (int32_t i = 0; i < list->count; ++i) {
        char *one = NULL;
        LY_TRY(ly_arena_allocate(arena, (int64_t)size, 1, &one));
        snprintf(one, size, "%.*s[%d]%s", (int)(star - override), override, (int)i, star + 2);
        LY_TRY(ly_tree_override(arena, root, one));
    }
    return LYRA_OK;
}

LyraStatus ly_tree_override(LyraArena *arena, LyNode **root, const char *override)
{
    const char *equals = strchr(override, '='), *star = strstr(override, ".*.");
    if (!equals) {
        return ly_fail(LYRA_BAD_FORMAT, "override \"%s\": expected path=value", override);
    }
    if (star && star < equals) {
        return override_all(arena, root, override, star);
    }
    LyNode *value = NULL;
    LY_TRY(parse(arena, override, false, equals + 1, strlen(equals + 1), &value));
    if (!value) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "override \"%s\": expected a value after =, or null for the default",
                       override);
    }
    Cursor at = {.arena = arena, .override = override, .slot = root};
    LY_TRY(walk(&at, override, equals));
    value->key = at.key;
    LyNode *old = *at.slot;
    if (!old) {
        append(at.parent, value);
        return LYRA_OK;
    }
    value->next = old->next;
    value->replaced = old;
    *at.slot = value;
    if (at.parent->last == old) {
        at.parent->last = value;
    }
    return LYRA_OK;
}
