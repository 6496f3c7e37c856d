// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Writer of Gmsh's .msh files. gmsh2.c and gmsh4.c have what stands in them.
//
// Sets are physical groups. Version 4.1 gives groups to entities, so elements are sorted into
// classes, one for each combination of sets that occurs, each an entity; the elements of a class
// stand together, in their order. Version 2.2 has room for one group an element: the first.
//
// Classes come from one another: going through the sets, an element of the set moves from its class
// k to the class "k and this set", made when its first element does.

#include "mesh/format.h"

#include "mesh/values.h"

#include <string.h>

typedef struct Class {
    int32_t parent, set; // the class it came from and the set that it adds; -1 for the first
    int32_t nodes;       // corners of its cells
    int64_t count;       // cells
} Class;

typedef struct Classes {
    int32_t *of_cell; // [cell_count]
    Class *classes;
    int64_t count, capacity;
} Classes;

typedef struct Writer {
    LyWriter *writer;
    const LyExport *data;
    bool binary;
} Writer;

// ---- numbers ------------------------------------------------------------------------------------

static void put_int(Writer *w, int32_t value, char behind)
{
    if (w->binary) {
        ly_writer_bytes(w->writer, &value, sizeof value);
    } else {
        ly_writer_int(w->writer, value);
        ly_writer_char(w->writer, behind);
    }
}

static void put_size(Writer *w, int64_t value, char behind)
{
    if (w->binary) {
        ly_writer_bytes(w->writer, &value, sizeof value);
    } else {
        ly_writer_int(w->writer, value);
        ly_writer_char(w->writer, behind);
    }
}

static void put_double(Writer *w, double value, char behind)
{
    if (w->binary) {
        ly_writer_bytes(w->writer, &value, sizeof value);
    } else {
        ly_writer_double(w->writer, value);
        ly_writer_char(w->writer, behind);
    }
}

static int32_t type_of(const LyExport *data, int32_t nodes)
{
    return data->mesh ? (nodes == 4 ? 4 : 5) : (nodes == 3 ? 2 : 3);
}

static void begin_section(Writer *w, const char *name)
{
    ly_writer_print(w->writer, "$%s\n", name);
}

static void end_section(Writer *w, const char *name)
{
    // bytes end without a line end of their own
    ly_writer_print(w->writer, "%s$End%s\n", w->binary ? "\n" : "", name);
}

/// Whether a set has a place in a file: its name stands between quotes.
static LyraStatus check_names(const LyExport *data)
{
    for (int32_t s = 0; s < data->set_count; ++s) {
        const char *name = data->sets[s].name;
        if (!name[0] || strpbrk(name, "\"\n\r")) {
            char quoted[LY_QUOTE_CHARS];
            return ly_fail(LYRA_UNSUPPORTED,
                           "%s: found the set %s, expected names without quotes and line ends",
                           data->path, ly_quote(quoted, (LySlice){name, strlen(name)}));
        }
    }
    return LYRA_OK;
}

static void write_head(Writer *w, const char *version)
{
    ly_writer_print(w->writer, "$MeshFormat\n%s %d 8\n", version, w->binary);
    if (w->binary) {
        put_int(w, 1, ' ');
        ly_writer_char(w->writer, '\n');
    }
    ly_writer_string(w->writer, "$EndMeshFormat\n");
    const LyExport *data = w->data;
    if (data->set_count > 0) {
        ly_writer_print(w->writer, "$PhysicalNames\n%d\n", data->set_count);
        for (int32_t s = 0; s < data->set_count; ++s) {
            ly_writer_print(w->writer, "%d %d \"", data->mesh ? 3 : 2, s + 1);
            ly_writer_string(w->writer, data->sets[s].name);
            ly_writer_string(w->writer, "\"\n");
        }
        ly_writer_string(w->writer, "$EndPhysicalNames\n");
    }
}

// ---- version 2.2 --------------------------------------------------------------------------------

static void write_elements2(Writer *w, const int32_t *groups)
{
    const LyExport *data = w->data;
    int64_t cells = data->cell_count;
    for (int64_t c = 0; c < cells; ++c) {
        int32_t nodes = ly_export_nodes(data, c), type = type_of(data, nodes);
        const int32_t *corners = ly_export_corners(data, c);
        // a block of bytes holds as many elements of one type as follow each other
        if (w->binary && (c == 0 || ly_export_nodes(data, c - 1) != nodes)) {
            int64_t end = c + 1;
            while (end < cells && ly_export_nodes(data, end) == nodes) {
                ++end;
            }
            put_int(w, type, ' ');
            put_int(w, (int32_t)(end - c), ' ');
            put_int(w, 2, ' ');
        }
        put_int(w, (int32_t)c + 1, ' ');
        if (!w->binary) {
            put_int(w, type, ' ');
            put_int(w, 2, ' ');
        }
        put_int(w, groups[c], ' ');
        put_int(w, groups[c] + 1, ' ');
        for (int32_t a = 0; a < nodes; ++a) {
            put_int(w, corners[a] + 1, a + 1 < nodes ? ' ' : '\n');
        }
    }
}

LyraStatus ly_gmsh2_save(const LyExport *data)
{
    Writer w = {.data = data, .binary = data->encoding == LYRA_MESH_ENCODING_BINARY};
    int32_t *groups = NULL;
    LY_TRY(check_names(data));
    LY_TRY(ly_export_groups(data, &groups));
    int64_t members = 0, kept = 0;
    for (int32_t s = 0; s < data->set_count; ++s) {
        members += data->sets[s].count;
    }
    for (int64_t c = 0; c < data->cell_count; ++c) {
        kept += groups[c] > 0;
    }
    if (kept < members) {
        ly_log(data->ctx, LYRA_LOG_WARNING,
               "%s: elements of several sets keep the first, as version 2.2 has room for one",
               data->path);
    }
    LyraStatus status = ly_writer_create(data->ctx, data->path, &w.writer);
    if (status == LYRA_OK) {
        write_head(&w, "2.2");
        ly_writer_print(w.writer, "$Nodes\n%lld\n", (long long)data->vertex_count);
        for (int64_t v = 0; v < data->vertex_count; ++v) {
            put_int(&w, (int32_t)v + 1, ' ');
            for (int32_t i = 0; i < 3; ++i) {
                put_double(&w, data->positions[3 * v + i], i < 2 ? ' ' : '\n');
            }
        }
        end_section(&w, "Nodes");
        ly_writer_print(w.writer, "$Elements\n%lld\n", (long long)data->cell_count);
        write_elements2(&w, groups);
        end_section(&w, "Elements");
        status = ly_writer_commit(w.writer);
    }
    ly_release(data->ctx, groups);
    return status;
}

// ---- classes ------------------------------------------------------------------------------------

static LyraStatus add_class(const LyExport *data, Classes *classes, Class one, int32_t *id)
{
    LY_TRY(ly_grow_array(data->ctx, classes->count + 1, sizeof one, &classes->capacity,
                         &classes->classes));
    *id = (int32_t)classes->count;
    classes->classes[classes->count++] = one;
    return LYRA_OK;
}

/// Moves the cells of a set on. `next` [classes->count]: where those of a class go, -1 at first.
static LyraStatus refine(const LyExport *data, Classes *classes, int32_t set, int32_t *next)
{
    for (int32_t i = 0; i < data->sets[set].count; ++i) {
        int32_t *of = &classes->of_cell[data->sets[set].elements[i]], old = *of;
        if (next[old] < 0) {
            const Class one = {.parent = old, .set = set, .nodes = classes->classes[old].nodes};
            LY_TRY(add_class(data, classes, one, &next[old]));
        }
        *of = next[old];
        classes->classes[old].count -= 1;
        classes->classes[*of].count += 1;
    }
    return LYRA_OK;
}

static LyraStatus make_classes(const LyExport *data, Classes *classes)
{
    LY_TRY(ly_allocate_array(data->ctx, data->cell_count, sizeof(int32_t), &classes->of_cell));
    // one for each number of corners
    int32_t first[9], id;
    memset(first, 0xff, sizeof first);
    for (int64_t c = 0; c < data->cell_count; ++c) {
        int32_t nodes = ly_export_nodes(data, c);
        if (first[nodes] < 0) {
            const Class one = {.parent = -1, .set = -1, .nodes = nodes};
            LY_TRY(add_class(data, classes, one, &id));
            first[nodes] = id;
        }
        classes->of_cell[c] = first[nodes];
        classes->classes[first[nodes]].count += 1;
    }
    for (int32_t s = 0; s < data->set_count; ++s) {
        int32_t *next = NULL;
        LY_TRY(ly_allocate_array(data->ctx, classes->count, sizeof *next, &next));
        memset(next, 0xff, (size_t)classes->count * sizeof *next);
        LyraStatus status = refine(data, classes, s, next);
        ly_release(data->ctx, next);
        LY_TRY(status);
    }
    return LYRA_OK;
}

// ---- version 4.1 --------------------------------------------------------------------------------

static void find_box(const LyExport *data, double box[6])
{
    for (int32_t i = 0; i < 6; ++i) {
        box[i] = data->vertex_count > 0 ? data->positions[i % 3] : 0;
    }
    for (int64_t i = 0; i < 3 * data->vertex_count; ++i) {
        double x = data->positions[i];
        box[i % 3] = x < box[i % 3] ? x : box[i % 3];
        box[3 + i % 3] = x > box[3 + i % 3] ? x : box[3 + i % 3];
    }
}

static int64_t used_classes(const Classes *classes)
{
    int64_t used = 0;
    for (int64_t k = 0; k < classes->count; ++k) {
        used += classes->classes[k].count > 0;
    }
    return used;
}

/// An entity for each class that has cells, numbered as the class from 1.
static void write_entities(Writer *w, const Classes *classes)
{
    double box[6];
    find_box(w->data, box);
    begin_section(w, "Entities");
    int64_t used = used_classes(classes);
    put_size(w, 0, ' ');
    put_size(w, 0, ' ');
    put_size(w, w->data->mesh ? 0 : used, ' ');
    put_size(w, w->data->mesh ? used : 0, '\n');
    for (int64_t k = 0; k < classes->count; ++k) {
        if (classes->classes[k].count == 0) {
            continue;
        }
        put_int(w, (int32_t)k + 1, ' ');
        for (int32_t i = 0; i < 6; ++i) {
            put_double(w, box[i], ' ');
        }
        int64_t groups = 0;
        for (int32_t at = (int32_t)k; classes->classes[at].set >= 0;
             at = classes->classes[at].parent) {
            ++groups;
        }
        put_size(w, groups, ' ');
        for (int32_t at = (int32_t)k; classes->classes[at].set >= 0;
             at = classes->classes[at].parent) {
            put_int(w, classes->classes[at].set + 1, ' ');
        }
        put_size(w, 0, '\n');
    }
    end_section(w, "Entities");
}

static void write_nodes4(Writer *w, int32_t entity)
{
    const LyExport *data = w->data;
    int64_t count = data->vertex_count;
    begin_section(w, "Nodes");
    put_size(w, 1, ' ');
    put_size(w, count, ' ');
    put_size(w, 1, ' ');
    put_size(w, count, '\n');
    put_int(w, data->mesh ? 3 : 2, ' ');
    put_int(w, entity, ' ');
    put_int(w, 0, ' ');
    put_size(w, count, '\n');
    for (int64_t v = 1; v <= count; ++v) {
        put_size(w, v, '\n');
    }
    for (int64_t i = 0; i < 3 * count; ++i) {
        put_double(w, data->positions[i], i % 3 < 2 ? ' ' : '\n');
    }
    end_section(w, "Nodes");
}

static LyraStatus write_elements4(Writer *w, const Classes *classes)
{
    const LyExport *data = w->data;
    // cells by class: a counting sort
    int64_t *next = NULL, begin = 0;
    int32_t *order = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(data->ctx, classes->count, sizeof *next, &next));
    LY_TRY_DONE(ly_allocate_array(data->ctx, data->cell_count, sizeof *order, &order));
    for (int64_t k = 0; k < classes->count; ++k) {
        next[k] = begin;
        begin += classes->classes[k].count;
    }
    for (int64_t c = 0; c < data->cell_count; ++c) {
        order[next[classes->of_cell[c]]++] = (int32_t)c;
    }
    begin_section(w, "Elements");
    put_size(w, used_classes(classes), ' ');
    put_size(w, data->cell_count, ' ');
    put_size(w, 1, ' ');
    put_size(w, data->cell_count, '\n');
    for (int64_t k = 0; k < classes->count; ++k) {
        const Class *one = &classes->classes[k];
        if (one->count == 0) {
            continue;
        }
        put_int(w, data->mesh ? 3 : 2, ' ');
        put_int(w, (int32_t)k + 1, ' ');
        put_int(w, type_of(data, one->nodes), ' ');
        put_size(w, one->count, '\n');
        for (int64_t i = next[k] - one->count; i < next[k]; ++i) {
            const int32_t *corners = ly_export_corners(data, order[i]);
            put_size(w, (int64_t)order[i] + 1, ' ');
            for (int32_t a = 0; a < one->nodes; ++a) {
                put_size(w, (int64_t)corners[a] + 1, a + 1 < one->nodes ? ' ' : '\n');
            }
        }
    }
    end_section(w, "Elements");
done:
    ly_release(data->ctx, order);
    ly_release(data->ctx, next);
    return status;
}

LyraStatus ly_gmsh_save(const LyExport *data)
{
    Writer w = {.data = data, .binary = data->encoding == LYRA_MESH_ENCODING_BINARY};
    Classes classes = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(check_names(data));
    LY_TRY_DONE(make_classes(data, &classes));
    LY_TRY_DONE(ly_writer_create(data->ctx, data->path, &w.writer));
    write_head(&w, "4.1");
    write_entities(&w, &classes);
    int32_t entity = 1;
    while (entity < classes.count && classes.classes[entity - 1].count == 0) {
        ++entity;
    }
    write_nodes4(&w, entity);
    LY_TRY_DONE(write_elements4(&w, &classes));
    status = ly_writer_commit(w.writer);
    w.writer = NULL;
done:
    ly_writer_discard(w.writer);
    ly_release(data->ctx, classes.classes);
    ly_release(data->ctx, classes.of_cell);
    return status;
}
