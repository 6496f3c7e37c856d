// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// A volumetric mesh as data: copying in, checking, lending.

#include "mesh/mesh.h"

#include "mesh/topology.h"

#include <math.h>
#include <string.h>

const char *lyra_element_kind_name(LyraElementKind kind)
{
    static const char *const names[] = {"tet", "cube", "tet10", "hex"};
    return (unsigned)kind < LYRA_ELEMENT_KIND_COUNT ? names[kind] : "unknown";
}

int32_t lyra_element_kind_nodes(LyraElementKind kind)
{
    static const int8_t nodes[] = {4, 8, 10, 8};
    return (unsigned)kind < LYRA_ELEMENT_KIND_COUNT ? nodes[kind] : 0;
}

int32_t lyra_element_kind_corners(LyraElementKind kind)
{
    static const int8_t corners[] = {4, 8, 4, 8};
    return (unsigned)kind < LYRA_ELEMENT_KIND_COUNT ? corners[kind] : 0;
}

LyraMeshMaterial lyra_mesh_material_default(void)
{
    return (LyraMeshMaterial){
        .name = "defaultMaterial",
        .kind = LYRA_MESH_MATERIAL_ENU,
        .density = 1000,
        .enu = {.young = 1e6, .poisson = 0.45},
    };
}

// ---- checks -------------------------------------------------------------------------------------

static LyraStatus check_counts(const LyraMeshView *data)
{
    if ((unsigned)data->kind >= LYRA_ELEMENT_KIND_COUNT) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: the element kind is %d, expected 0 to %d",
                       (int)data->kind, LYRA_ELEMENT_KIND_COUNT - 1);
    }
    if (data->vertex_count < 0 || data->element_count < 0 || data->material_count < 0 ||
        data->set_count < 0 || data->region_count < 0 || data->vertex_set_count < 0 ||
        data->face_set_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: a count is negative");
    }
    return LYRA_OK;
}

static LyraStatus check_vertices(const LyraMeshView *data)
{
    for (int64_t i = 0; i < 3 * (int64_t)data->vertex_count; ++i) {
        if (!isfinite(data->positions[i])) {
            return ly_fail(LYRA_NOT_FINITE, "mesh: coordinate %d of vertex %lld is not finite",
                           (int)(i % 3), (long long)(i / 3));
        }
    }
    return LYRA_OK;
}

static LyraStatus check_elements(const LyraMeshView *data)
{
    int32_t nodes = lyra_element_kind_nodes(data->kind);
    for (int32_t e = 0; e < data->element_count; ++e) {
        const int32_t *vertices = data->elements + (int64_t)nodes * e;
        for (int32_t a = 0; a < nodes; ++a) {
            if ((uint32_t)vertices[a] >= (uint32_t)data->vertex_count) {
                return ly_fail(LYRA_BAD_MESH,
                               "mesh: element %d has vertex %d, expected 0 to %d (ids from 0)", e,
                               vertices[a], data->vertex_count - 1);
            }
        }
    }
    return LYRA_OK;
}

static bool all_finite(const double *values, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static bool material_is_finite(const LyraMeshMaterial *material)
{
    const LyraMaterialMooneyRivlin *mr = &material->mooney_rivlin;
    const LyraMaterialOrthotropic *ortho = &material->orthotropic;
    if (!isfinite(material->density)) {
        return false;
    }
    switch (material->kind) {
    case LYRA_MESH_MATERIAL_ENU:
        return isfinite(material->enu.young) && isfinite(material->enu.poisson);
    case LYRA_MESH_MATERIAL_MOONEY_RIVLIN:
        return isfinite(mr->mu01) && isfinite(mr->mu10) && isfinite(mr->v1);
    default:
        return all_finite(ortho->young, 3) && all_finite(ortho->poisson, 3) &&
               all_finite(ortho->shear, 3) && all_finite(ortho->axes, 9);
    }
}

static LyraStatus check_vertex_sets(const LyraMeshView *data)
{
    for (int32_t s = 0; s < data->vertex_set_count; ++s) {
        const LyraMeshVertexSet *set = &data->vertex_sets[s];
        if (!set->name || set->count < 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: vertex set %d has no name or count", s);
        }
        for (int32_t i = 0; i < set->count; ++i) {
            if ((uint32_t)set->vertices[i] >= (uint32_t)data->vertex_count ||
                (i > 0 && set->vertices[i] <= set->vertices[i - 1])) {
                return ly_fail(
                    LYRA_BAD_MESH,
                    "mesh: vertex set \"%s\" has vertex %d, expected ascending ids from 0 to %d",
                    set->name, set->vertices[i], data->vertex_count - 1);
            }
        }
    }
    return LYRA_OK;
}

static LyraStatus check_face_sets(const LyraMeshView *data)
{
    int32_t sides = ly_kind_faces(data->kind);
    for (int32_t s = 0; s < data->face_set_count; ++s) {
        const LyraMeshFaceSet *set = &data->face_sets[s];
        if (!set->name || set->count < 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: face set %d has no name or count", s);
        }
        int64_t last = -1;
        for (int64_t i = 0; i < set->count; ++i) {
            int32_t element = set->faces[2 * i], side = set->faces[2 * i + 1];
            int64_t key = (int64_t)element * sides + side;
            if ((uint32_t)element >= (uint32_t)data->element_count ||
                (uint32_t)side >= (uint32_t)sides || key <= last) {
                return ly_fail(
                    LYRA_BAD_MESH,
                    "mesh: face set \"%s\" has face %d of element %d, expected ascending "
                    "ones from face 0 of element 0 to face %d of element %d",
                    set->name, side, element, sides - 1, data->element_count - 1);
            }
            last = key;
        }
    }
    return LYRA_OK;
}

static LyraStatus check_groups(const LyraMeshView *data)
{
    for (int32_t m = 0; m < data->material_count; ++m) {
        const LyraMeshMaterial *material = &data->materials[m];
        if ((unsigned)material->kind >= LYRA_MESH_MATERIAL_KIND_COUNT || !material->name) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: material %d has no name or kind", m);
        }
        if (!material_is_finite(material)) {
            return ly_fail(LYRA_NOT_FINITE, "mesh: a constant of material \"%s\" is not finite",
                           material->name);
        }
    }
    for (int32_t s = 0; s < data->set_count; ++s) {
        const LyraMeshSet *set = &data->sets[s];
        if (!set->name || set->count < 0) {
            return ly_fail(LYRA_INVALID_ARGUMENT, "mesh: set %d has no name or count", s);
        }
        for (int32_t i = 0; i < set->count; ++i) {
            if ((uint32_t)set->elements[i] >= (uint32_t)data->element_count ||
                (i > 0 && set->elements[i] <= set->elements[i - 1])) {
                return ly_fail(
                    LYRA_BAD_MESH,
                    "mesh: set \"%s\" has element %d, expected ascending ids from 0 to %d",
                    set->name, set->elements[i], data->element_count - 1);
            }
        }
    }
    for (int32_t r = 0; r < data->region_count; ++r) {
        const LyraMeshRegion *region = &data->regions[r];
        if (region->material < 0 || region->material >= data->material_count ||
            region->set < LYRA_MESH_ALL_ELEMENTS || region->set >= data->set_count) {
            return ly_fail(LYRA_BAD_MESH,
                           "mesh: region %d names material %d and set %d, which are "
                           "not there",
                           r, region->material, region->set);
        }
    }
    LY_TRY(check_vertex_sets(data));
    return check_face_sets(data);
}

// ---- copying ------------------------------------------------------------------------------------

static LyraStatus copy_array(LyraContext *ctx, const void *source, int64_t count, size_t size,
                             void *out)
{
    LYRA_ASSERT(source || count == 0);
    void *copy = NULL;
    LY_TRY(ly_allocate_array(ctx, count, size, &copy));
    if (count > 0) {
        memcpy(copy, source, (size_t)count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return LYRA_OK;
}

static const char *put_name(char **end, const char *name)
{
    size_t length = strlen(name) + 1;
    char *copy = memcpy(*end, name, length);
    *end += length;
    return copy;
}

static const int32_t *put_members(int32_t **end, const int32_t *members, int64_t count)
{
    int32_t *copy = *end;
    if (count > 0) {
        memcpy(copy, members, (size_t)count * sizeof *copy);
    }
    *end += count;
    return copy;
}

/// Bytes of the names and number of the members of all sets.
static void measure_sets(const LyraMeshView *data, int64_t *name_bytes, int64_t *member_count)
{
    for (int32_t s = 0; s < data->set_count; ++s) {
        *name_bytes += (int64_t)strlen(data->sets[s].name) + 1;
        *member_count += data->sets[s].count;
    }
    for (int32_t s = 0; s < data->vertex_set_count; ++s) {
        *name_bytes += (int64_t)strlen(data->vertex_sets[s].name) + 1;
        *member_count += data->vertex_sets[s].count;
    }
    for (int32_t s = 0; s < data->face_set_count; ++s) {
        *name_bytes += (int64_t)strlen(data->face_sets[s].name) + 1;
        *member_count += 2 * (int64_t)data->face_sets[s].count;
    }
}

static LyraStatus copy_groups(LyraMesh *mesh, const LyraMeshView *data)
{
    LyraContext *ctx = mesh->ctx;
    LyraMeshMaterial fallback = lyra_mesh_material_default();
    const LyraMeshMaterial *materials = data->material_count > 0 ? data->materials : &fallback;
    mesh->material_count = data->material_count > 0 ? data->material_count : 1;
    mesh->set_count = data->set_count;
    mesh->region_count = data->region_count;
    mesh->vertex_set_count = data->vertex_set_count;
    mesh->face_set_count = data->face_set_count;
    // names and members lie together: each alone would take many times its size
    int64_t name_bytes = 0, member_count = 0;
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        name_bytes += (int64_t)strlen(materials[m].name) + 1;
    }
    measure_sets(data, &name_bytes, &member_count);
    LY_TRY(ly_allocate_array(ctx, name_bytes, 1, &mesh->names));
    LY_TRY(ly_allocate_array(ctx, member_count, sizeof *mesh->set_members, &mesh->set_members));
    LY_TRY(copy_array(ctx, materials, mesh->material_count, sizeof *mesh->materials,
                      &mesh->materials));
    LY_TRY(copy_array(ctx, data->sets, mesh->set_count, sizeof *mesh->sets, &mesh->sets));
    LY_TRY(
        copy_array(ctx, data->regions, mesh->region_count, sizeof *mesh->regions, &mesh->regions));
    LY_TRY(copy_array(ctx, data->vertex_sets, mesh->vertex_set_count, sizeof *mesh->vertex_sets,
                      &mesh->vertex_sets));
    LY_TRY(copy_array(ctx, data->face_sets, mesh->face_set_count, sizeof *mesh->face_sets,
                      &mesh->face_sets));
    char *name_end = mesh->names;
    for (int32_t m = 0; m < mesh->material_count; ++m) {
        mesh->materials[m].name = put_name(&name_end, materials[m].name);
    }
    int32_t *members = mesh->set_members;
    for (int32_t s = 0; s < mesh->set_count; ++s) {
        LyraMeshSet *set = &mesh->sets[s];
        set->name = put_name(&name_end, set->name);
        set->elements = put_members(&members, set->elements, set->count);
    }
    for (int32_t s = 0; s < mesh->vertex_set_count; ++s) {
        LyraMeshVertexSet *set = &mesh->vertex_sets[s];
        set->name = put_name(&name_end, set->name);
        set->vertices = put_members(&members, set->vertices, set->count);
    }
    for (int32_t s = 0; s < mesh->face_set_count; ++s) {
        LyraMeshFaceSet *set = &mesh->face_sets[s];
        set->name = put_name(&name_end, set->name);
        set->faces = put_members(&members, set->faces, 2 * (int64_t)set->count);
    }
    return LYRA_OK;
}

/// Later regions overrule earlier ones, so of those with one set only the last counts, and of those
/// in front of the last one with all elements none: the work is bounded by the size of the sets.
static LyraStatus resolve_materials(LyraMesh *mesh)
{
    LY_TRY(ly_allocate_array(mesh->ctx, mesh->element_count, sizeof *mesh->element_materials,
                             &mesh->element_materials));
    int32_t *last_region = NULL;
    LY_TRY(ly_allocate_array(mesh->ctx, mesh->set_count, sizeof *last_region, &last_region));
    int32_t begin = 0;
    int32_t base = mesh->material_count - 1;
    for (int32_t r = 0; r < mesh->region_count; ++r) {
        const LyraMeshRegion *region = &mesh->regions[r];
        if (region->set == LYRA_MESH_ALL_ELEMENTS) {
            begin = r + 1;
            base = region->material;
        } else {
            last_region[region->set] = r;
        }
    }
    for (int32_t e = 0; e < mesh->element_count; ++e) {
        mesh->element_materials[e] = base;
    }
    for (int32_t r = begin; r < mesh->region_count; ++r) {
        const LyraMeshRegion *region = &mesh->regions[r];
        const LyraMeshSet *set = &mesh->sets[region->set];
        for (int32_t i = 0; last_region[region->set] == r && i < set->count; ++i) {
            mesh->element_materials[set->elements[i]] = region->material;
        }
    }
    ly_release(mesh->ctx, last_region);
    return LYRA_OK;
}

static LyraStatus create(LyraContext *ctx, const LyraMeshView *data, double *positions,
                         int32_t *elements, LyraMesh **out)
{
    LyraMesh *mesh = NULL;
    LY_TRY(ly_allocate_array(ctx, 1, sizeof *mesh, &mesh));
    *mesh = (LyraMesh){
        .ctx = ctx,
        .kind = data->kind,
        .vertex_count = data->vertex_count,
        .element_count = data->element_count,
    };
    LyraStatus status = LYRA_OK;
    LY_TRY_DONE(copy_groups(mesh, data));
    LY_TRY_DONE(resolve_materials(mesh));
    if (!positions) {
        LY_TRY_DONE(copy_array(ctx, data->positions, 3 * (int64_t)data->vertex_count,
                               sizeof *positions, &mesh->positions));
        LY_TRY_DONE(copy_array(ctx, data->elements,
                               (int64_t)lyra_element_kind_nodes(data->kind) * data->element_count,
                               sizeof *elements, &mesh->elements));
    } else {
        mesh->positions = positions;
        mesh->elements = elements;
    }
    *out = mesh;
done:
    if (status != LYRA_OK) {
        lyra_mesh_destroy(mesh);
    }
    return status;
}

LyraStatus lyra_mesh_create(LyraContext *ctx, const LyraMeshView *data, LyraMesh **out)
{
    LY_TRY(check_counts(data));
    LY_TRY(check_vertices(data));
    LY_TRY(check_elements(data));
    LY_TRY(check_groups(data));
    return create(ctx, data, NULL, NULL, out);
}

LyraStatus ly_mesh_create_take(LyraContext *ctx, const LyraMeshView *data, double *positions,
                               int32_t *elements, LyraMesh **out)
{
    LyraMeshView whole = *data;
    whole.positions = positions;
    whole.elements = elements;
    LY_TRY(check_counts(&whole));
    LY_TRY(check_vertices(&whole));
    LY_TRY(check_elements(&whole));
    LY_TRY(check_groups(&whole));
    return create(ctx, &whole, positions, elements, out);
}

void lyra_mesh_destroy(LyraMesh *mesh)
{
    if (!mesh) {
        return;
    }
    LyraContext *ctx = mesh->ctx;
    ly_release(ctx, mesh->names);
    ly_release(ctx, mesh->set_members);
    ly_release(ctx, mesh->materials);
    ly_release(ctx, mesh->sets);
    ly_release(ctx, mesh->regions);
    ly_release(ctx, mesh->vertex_sets);
    ly_release(ctx, mesh->face_sets);
    ly_release(ctx, mesh->element_materials);
    ly_release(ctx, mesh->positions);
    ly_release(ctx, mesh->elements);
    ly_release(ctx, mesh);
}

LyraMeshView lyra_mesh_view(const LyraMesh *mesh)
{
    return (LyraMeshView){
        .kind = mesh->kind,
        .vertex_count = mesh->vertex_count,
        .element_count = mesh->element_count,
        .positions = mesh->positions,
        .elements = mesh->elements,
        .material_count = mesh->material_count,
        .set_count = mesh->set_count,
        .region_count = mesh->region_count,
        .materials = mesh->materials,
        .sets = mesh->sets,
        .regions = mesh->regions,
        .vertex_set_count = mesh->vertex_set_count,
        .face_set_count = mesh->face_set_count,
        .vertex_sets = mesh->vertex_sets,
        .face_sets = mesh->face_sets,
        .element_materials = mesh->element_materials,
    };
}
