// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Writer of Gmsh's .msh files. gmsh2.c and gmsh4.c have what stands in them.
//
// Sets are physical groups: those of elements of volumes, those of faces of surfaces, made of
// triangles or quads, those of vertices of points. Version 4.1 gives groups to entities, so
// elements are sorted into classes, one for each combination of sets that occurs, each an entity;
// the elements of a class stand together, in their order. Each vertex of a set is an entity of its
// own. Version 2.2 has room for one group an element: the first. Faces and points stand there once
// for each.
//
// Classes come from one another: going through the sets, an element of the set moves from its class
// k to the class "k and this set", made when its first element does.

#include "mesh/format.h"

#include "mesh/sort.h"
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

/// Vertices that belong to sets, and the sets of each.
typedef struct Points {
    uint64_t *vertices; // ascending, [count], once for each set
    int32_t *sets;      // [count]
    int64_t count, distinct;
} Points;

typedef struct Writer {
    LyWriter *writer;
    const LyExport *data;
    bool binary;
    LyExport faces; // of face sets
    Points points;  // of vertex sets
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

// a point; of one node
#define TYPE_POINT 15

static int32_t type_of(const LyExport *data, int32_t nodes)
{
    if (data->mesh) {
        return nodes == 4 ? 4 : nodes == 10 ? 11 : 5;
    }
    return nodes == 3 ? 2 : nodes == 6 ? 9 : 3;
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
static LyraStatus check_name(const LyExport *data, const char *name)
{
    if (!name[0] || strpbrk(name, "\"\n\r")) {
        char quoted[LY_QUOTE_CHARS];
        return ly_fail(LYRA_UNSUPPORTED,
                       "%s: found the set %s, expected names without quotes and line ends",
                       data->path, ly_quote(quoted, (LySlice){name, strlen(name)}));
    }
    return LYRA_OK;
}

static int32_t vertex_set_count(const LyExport *data)
{
    return data->mesh ? data->mesh->vertex_set_count : 0;
}

/// The vertices of all sets, sorted.
static LyraStatus collect_points(Writer *w)
{
    const LyExport *data = w->data;
    Points *points = &w->points;
    for (int32_t s = 0; s < vertex_set_count(data); ++s) {
        points->count += data->mesh->vertex_sets[s].count;
    }
    LY_TRY(
        ly_allocate_array(data->ctx, points->count, sizeof *points->vertices, &points->vertices));
    LY_TRY(ly_allocate_array(data->ctx, points->count, sizeof *points->sets, &points->sets));
    int64_t at = 0;
    for (int32_t s = 0; s < vertex_set_count(data); ++s) {
        const LyraMeshVertexSet *set = &data->mesh->vertex_sets[s];
        for (int32_t i = 0; i < set->count; ++i, ++at) {
            points->vertices[at] = (uint64_t)set->vertices[i];
            points->sets[at] = s;
        }
    }
    LY_TRY(ly_sort_keys(data->ctx, points->count, points->vertices, points->sets));
    for (int64_t i = 0; i < points->count; ++i) {
        points->distinct += i == 0 || points->vertices[i] != points->vertices[i - 1];
    }
    return LYRA_OK;
}

/// Checks names, collects faces and points, and opens the file.
static LyraStatus begin(Writer *w)
{
    const LyExport *data = w->data;
    LY_TRY(ly_export_faces(data, &w->faces));
    for (int32_t s = 0; s < data->set_count; ++s) {
        LY_TRY(check_name(data, data->sets[s].name));
    }
    for (int32_t s = 0; s < w->faces.set_count; ++s) {
        LY_TRY(check_name(data, w->faces.sets[s].name));
    }
    for (int32_t s = 0; s < vertex_set_count(data); ++s) {
        LY_TRY(check_name(data, data->mesh->vertex_sets[s].name));
    }
    LY_TRY(collect_points(w));
    if (data->cell_count + w->faces.cell_count + w->points.count >= INT32_MAX) {
        return ly_fail(LYRA_TOO_LARGE, "%s: more than %d elements, faces and vertices of sets",
                       data->path, INT32_MAX - 1);
    }
    return ly_writer_create(data->ctx, data->path, &w->writer);
}

static void end(Writer *w)
{
    ly_release(w->data->ctx, w->points.vertices);
    ly_release(w->data->ctx, w->points.sets);
    ly_export_finish(&w->faces);
}

static void write_physical_name(Writer *w, int32_t dimension, int32_t set, const char *name)
{
    ly_writer_print(w->writer, "%d %d \"", dimension, set + 1);
    ly_writer_string(w->writer, name);
    ly_writer_string(w->writer, "\"\n");
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
    int32_t points = vertex_set_count(data), count = points + w->faces.set_count + data->set_count;
    if (count > 0) {
        ly_writer_print(w->writer, "$PhysicalNames\n%d\n", count);
        for (int32_t s = 0; s < points; ++s) {
            write_physical_name(w, 0, s, data->mesh->vertex_sets[s].name);
        }
        for (int32_t s = 0; s < w->faces.set_count; ++s) {
            write_physical_name(w, 2, s, w->faces.sets[s].name);
        }
        for (int32_t s = 0; s < data->set_count; ++s) {
            write_physical_name(w, data->mesh ? 3 : 2, s, data->sets[s].name);
        }
        ly_writer_string(w->writer, "$EndPhysicalNames\n");
    }
}

// ---- version 2.2 --------------------------------------------------------------------------------

// Vertex a of a cell in the order of the format, see ly_gmsh_order.
static int32_t ordered_corner(const LyExport *data, const int32_t *corners, int32_t nodes,
                              int32_t a)
{
    return corners[data->mesh && nodes == 10 && a >= 8 ? 17 - a : a];
}

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
            put_int(w, ordered_corner(data, corners, nodes, a) + 1, a + 1 < nodes ? ' ' : '\n');
        }
    }
}

/// Writes an element of a face or vertex set, the first of `block` of its type.
static void write_member2(Writer *w, int64_t number, int32_t type, int64_t block, int32_t set,
                          int32_t nodes, const int32_t *corners)
{
    if (w->binary && block > 0) {
        put_int(w, type, ' ');
        put_int(w, (int32_t)block, ' ');
        put_int(w, 2, ' ');
    }
    put_int(w, (int32_t)number, ' ');
    if (!w->binary) {
        put_int(w, type, ' ');
        put_int(w, 2, ' ');
    }
    put_int(w, set + 1, ' ');
    put_int(w, set + 1, ' ');
    for (int32_t a = 0; a < nodes; ++a) {
        put_int(w, corners[a] + 1, a + 1 < nodes ? ' ' : '\n');
    }
}

/// The faces and points of sets, once for each set.
static void write_members2(Writer *w)
{
    const LyExport *data = w->data, *faces = &w->faces;
    int64_t number = data->cell_count;
    for (int32_t s = 0; s < faces->set_count; ++s) {
        const LyraMeshSet *set = &faces->sets[s];
        for (int32_t i = 0; i < set->count; ++i) {
            write_member2(w, ++number, type_of(faces, faces->nodes), i == 0 ? set->count : 0, s,
                          faces->nodes, ly_export_corners(faces, set->elements[i]));
        }
    }
    for (int32_t s = 0; s < vertex_set_count(data); ++s) {
        const LyraMeshVertexSet *set = &data->mesh->vertex_sets[s];
        for (int32_t i = 0; i < set->count; ++i) {
            write_member2(w, ++number, TYPE_POINT, i == 0 ? set->count : 0, s, 1,
                          &set->vertices[i]);
        }
    }
}

LyraStatus ly_gmsh2_save(const LyExport *data)
{
    Writer w = {.data = data, .binary = data->encoding == LYRA_MESH_ENCODING_BINARY};
    int32_t *groups = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_export_groups(data, &groups));
    LY_TRY_DONE(begin(&w));
    int64_t members = 0, kept = 0, elements = data->cell_count + w.points.count;
    for (int32_t s = 0; s < data->set_count; ++s) {
        members += data->sets[s].count;
    }
    for (int32_t s = 0; s < w.faces.set_count; ++s) {
        elements += w.faces.sets[s].count;
    }
    for (int64_t c = 0; c < data->cell_count; ++c) {
        kept += groups[c] > 0;
    }
    if (kept < members) {
        ly_log(data->ctx, LYRA_LOG_WARNING,
               "%s: elements of several sets keep the first, as version 2.2 has room for one",
               data->path);
    }
    write_head(&w, "2.2");
    ly_writer_print(w.writer, "$Nodes\n%lld\n", (long long)data->vertex_count);
    for (int64_t v = 0; v < data->vertex_count; ++v) {
        put_int(&w, (int32_t)v + 1, ' ');
        for (int32_t i = 0; i < 3; ++i) {
            put_double(&w, data->positions[3 * v + i], i < 2 ? ' ' : '\n');
        }
    }
    end_section(&w, "Nodes");
    ly_writer_print(w.writer, "$Elements\n%lld\n", (long long)elements);
    write_elements2(&w, groups);
    write_members2(&w);
    end_section(&w, "Elements");
    status = ly_writer_commit(w.writer);
    w.writer = NULL;
done:
    ly_writer_discard(w.writer);
    end(&w);
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
    int32_t first[11], id;
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

/// A point for each vertex of a set, numbered as the vertex from 1.
static void write_point_entities(Writer *w)
{
    const Points *points = &w->points;
    for (int64_t i = 0, next; i < points->count; i = next) {
        for (next = i + 1; next < points->count && points->vertices[next] == points->vertices[i];) {
            ++next;
        }
        put_int(w, (int32_t)points->vertices[i] + 1, ' ');
        for (int32_t c = 0; c < 3; ++c) {
            put_double(w, w->data->positions[3 * points->vertices[i] + (uint64_t)c], ' ');
        }
        put_size(w, next - i, ' ');
        for (int64_t j = i; j < next; ++j) {
            put_int(w, points->sets[j] + 1, j + 1 < next ? ' ' : '\n');
        }
    }
}

/// An entity for each class that has cells, numbered as the class from 1.
static void write_class_entities(Writer *w, const Classes *classes, const double box[6])
{
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
}

static void write_entities(Writer *w, const Classes *classes, const Classes *faces)
{
    double box[6];
    find_box(w->data, box);
    begin_section(w, "Entities");
    int64_t used = used_classes(classes);
    put_size(w, w->points.distinct, ' ');
    put_size(w, 0, ' ');
    put_size(w, w->data->mesh ? used_classes(faces) : used, ' ');
    put_size(w, w->data->mesh ? used : 0, '\n');
    write_point_entities(w);
    write_class_entities(w, faces, box);
    write_class_entities(w, classes, box);
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

/// Blocks of one vertex each, numbered from `number` on.
static void write_points4(Writer *w, int64_t number)
{
    const Points *points = &w->points;
    for (int64_t i = 0; i < points->count; ++i) {
        if (i > 0 && points->vertices[i] == points->vertices[i - 1]) {
            continue;
        }
        int32_t vertex = (int32_t)points->vertices[i] + 1;
        put_int(w, 0, ' ');
        put_int(w, vertex, ' ');
        put_int(w, TYPE_POINT, ' ');
        put_size(w, 1, '\n');
        put_size(w, number++, ' ');
        put_size(w, vertex, '\n');
    }
}

/// The cells of `data` by class, numbered from `number` on.
static LyraStatus write_blocks4(Writer *w, const LyExport *data, const Classes *classes,
                                int64_t number)
{
    // cells by class: a counting sort
    int64_t *next = NULL, begin = 0;
    int32_t *order = NULL;
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(ly_allocate_array(w->data->ctx, classes->count, sizeof *next, &next));
    LY_TRY_DONE(ly_allocate_array(w->data->ctx, data->cell_count, sizeof *order, &order));
    for (int64_t k = 0; k < classes->count; ++k) {
        next[k] = begin;
        begin += classes->classes[k].count;
    }
    for (int64_t c = 0; c < data->cell_count; ++c) {
        order[next[classes->of_cell[c]]++] = (int32_t)c;
    }
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
            put_size(w, number + order[i], ' ');
            for (int32_t a = 0; a < one->nodes; ++a) {
                put_size(w, (int64_t)ordered_corner(data, corners, one->nodes, a) + 1,
                         a + 1 < one->nodes ? ' ' : '\n');
            }
        }
    }
done:
    ly_release(w->data->ctx, order);
    ly_release(w->data->ctx, next);
    return status;
}

static LyraStatus write_elements4(Writer *w, const Classes *classes, const Classes *faces)
{
    int64_t cells = w->data->cell_count, face_count = w->faces.cell_count;
    int64_t total = cells + face_count + w->points.distinct;
    begin_section(w, "Elements");
    put_size(w, used_classes(classes) + used_classes(faces) + w->points.distinct, ' ');
    put_size(w, total, ' ');
    put_size(w, 1, ' ');
    put_size(w, total, '\n');
    write_points4(w, cells + face_count + 1);
    LY_TRY(write_blocks4(w, &w->faces, faces, cells + 1));
    LY_TRY(write_blocks4(w, w->data, classes, 1));
    end_section(w, "Elements");
    return LYRA_OK;
}

LyraStatus ly_gmsh_save(const LyExport *data)
{
    Writer w = {.data = data, .binary = data->encoding == LYRA_MESH_ENCODING_BINARY};
    Classes classes = {0}, faces = {0};
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(make_classes(data, &classes));
    LY_TRY_DONE(begin(&w));
    LY_TRY_DONE(make_classes(&w.faces, &faces));
    write_head(&w, "4.1");
    write_entities(&w, &classes, &faces);
    int32_t entity = 1;
    while (entity < classes.count && classes.classes[entity - 1].count == 0) {
        ++entity;
    }
    write_nodes4(&w, entity);
    LY_TRY_DONE(write_elements4(&w, &classes, &faces));
    status = ly_writer_commit(w.writer);
    w.writer = NULL;
done:
    ly_writer_discard(w.writer);
    end(&w);
    ly_release(data->ctx, classes.classes);
    ly_release(data->ctx, classes.of_cell);
    ly_release(data->ctx, faces.classes);
    ly_release(data->ctx, faces.of_cell);
    return status;
}
