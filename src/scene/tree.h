// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A YAML text as a small tree of nodes that know where they stand. Anchors, aliases, tags and
// several documents are refused: scenes need none of them, and a few bytes of aliases can stand for
// gigabytes.

#ifndef LY_SCENE_TREE_H
#define LY_SCENE_TREE_H

#include "base/base.h"

typedef enum LyNodeKind {
    LY_NODE_SCALAR = 0,
    LY_NODE_SEQUENCE,
    LY_NODE_MAPPING,
} LyNodeKind;

typedef struct LyNode LyNode;
struct LyNode {
    LyNodeKind kind;
    bool quoted;          // a scalar in quotes is a text, whatever it looks like
    int32_t line, column; // from 1; line 0: from an override
    const char *where;    // path of the file, or the override
    const char *text;     // scalars; zero-terminated
    const char *key;      // in a mapping; otherwise NULL
    int32_t key_line, key_column;
    int32_t count;        // of children
    LyNode *first, *last; // children
    LyNode *next;         // sibling
    LyNode *replaced;     // by this one, from an override; otherwise NULL
};

/// Reads a text into nodes on `arena`; `root` is NULL where the text is empty. `path` must outlive
/// them.
LyraStatus ly_tree_parse(LyraArena *arena, const char *path, const char *text, size_t length,
                         LyNode **root);

/// Puts a value into the tree: "a.b[2].c=value", the value being YAML. Mappings that are missing
/// are made, and so are lists by [0]; an index one past the end of a sequence appends; "list.word"
/// is the item of a list whose `name` is the word, "list.*" each of its items. `override` must
/// outlive the tree.
LyraStatus ly_tree_override(LyraArena *arena, LyNode **root, const char *override);

/// Child of a mapping; NULL where there is none, and for NULL.
LyNode *ly_node_find(const LyNode *mapping, const char *key);

/// A value that says nothing: `key:` alone, `~` or `null`.
bool ly_node_is_null(const LyNode *node);

/// The list that overrides by scalars have replaced; NULL for none. It may still say a direction.
const LyNode *ly_node_replaced(const LyNode *node);

/// Adds a subtree to a digest, its places aside, and the lists that scalars have replaced.
uint64_t ly_node_digest(uint64_t digest, const LyNode *node);

/// Fails with "where:line:column: <sentence>".
LyraStatus ly_node_fail(const LyNode *node, LyraStatus status, const char *format, ...)
    LYRA_PRINTF(3, 4);

/// The same about the key of a node.
LyraStatus ly_key_fail(const LyNode *node, LyraStatus status, const char *format, ...)
    LYRA_PRINTF(3, 4);

/// Fails with "where:line:column: found <node>, expected <sentence>".
LyraStatus ly_node_expect(const LyNode *node, const char *format, ...) LYRA_PRINTF(2, 3);

/// What this thread's message says of the settings that came from `node`: puts the place of the
/// deepest node on its path of keys in front, in place of the path.
LyraStatus ly_node_place(const LyNode *node, LyraStatus status);

#endif
