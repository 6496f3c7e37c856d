// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes from arrays: what is refused, with its place; what is copied; which material an element
// has.

#include "lyra/mesh.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

// two tets with a common face, and all that a mesh may have
enum { VERTICES = 5, ELEMENTS = 2, MATERIALS = 3, SETS = 2, REGIONS = 3 };

typedef struct Body {
    double x[3 * VERTICES];
    int32_t ids[4 * ELEMENTS];
    LyraMeshMaterial materials[MATERIALS];
    int32_t both[2], second[1];
    LyraMeshSet sets[SETS];
    LyraMeshRegion regions[REGIONS];
    LyraMeshView view;
} Body;

static void fill(Body *body)
{
    *body = (Body){
        .x = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1},
        .ids = {0, 1, 2, 3, 1, 2, 3, 4},
        .both = {0, 1},
        .second = {1},
    };
    body->sets[0] = (LyraMeshSet){.name = "both", .count = 2, .elements = body->both};
    body->sets[1] = (LyraMeshSet){.name = "second", .count = 1, .elements = body->second};
    body->regions[0] = (LyraMeshRegion){.material = 2, .set = 1};
    body->regions[1] = (LyraMeshRegion){.material = 0, .set = 0};
    body->regions[2] = (LyraMeshRegion){.material = 1, .set = 1};
    for (int32_t m = 0; m < MATERIALS; ++m) {
        body->materials[m] = lyra_mesh_material_default();
    }
    body->materials[1].name = "rubber";
    body->materials[1].kind = LYRA_MESH_MATERIAL_MOONEY_RIVLIN;
    body->materials[1].mooney_rivlin = (LyraMaterialMooneyRivlin){1, 2, 3};
    body->materials[2].name = "wood";
    body->materials[2].kind = LYRA_MESH_MATERIAL_ORTHOTROPIC;
    body->materials[2].orthotropic = (LyraMaterialOrthotropic){
        .young = {1, 1, 1}, .shear = {1, 1, 1}, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    body->view = (LyraMeshView){
        .kind = LYRA_ELEMENT_TET4,
        .vertex_count = VERTICES,
        .element_count = ELEMENTS,
        .positions = body->x,
        .elements = body->ids,
        .material_count = MATERIALS,
        .materials = body->materials,
        .set_count = SETS,
        .sets = body->sets,
        .region_count = REGIONS,
        .regions = body->regions,
    };
}

static void refuse(LyraContext *ctx, Body *body, LyraStatus status, const char *part)
{
    LyraMesh *mesh = NULL;
    TEST_STATUS(lyra_mesh_create(ctx, &body->view, &mesh), status);
    TEST_CONTAINS(lyra_error_message(), part);
    TEST_CHECK(mesh == NULL);
    fill(body);
}

LYRA_TEST(counts_and_kinds_out_of_range_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    fill(&body);
    for (int32_t k = 0; k < 5; ++k) {
        int32_t *counts[] = {&body.view.vertex_count, &body.view.element_count,
                             &body.view.material_count, &body.view.set_count,
                             &body.view.region_count};
        *counts[k] = -1;
        refuse(ctx, &body, LYRA_INVALID_ARGUMENT, "a count is negative");
    }
    body.view.kind = LYRA_ELEMENT_KIND_COUNT;
    refuse(ctx, &body, LYRA_INVALID_ARGUMENT, "the element kind is 4, expected 0 to 3");
    body.materials[2].kind = LYRA_MESH_MATERIAL_KIND_COUNT;
    refuse(ctx, &body, LYRA_INVALID_ARGUMENT, "material 2 has no name or kind");
    body.materials[1].name = NULL;
    refuse(ctx, &body, LYRA_INVALID_ARGUMENT, "material 1 has no name or kind");
    body.sets[1].name = NULL;
    refuse(ctx, &body, LYRA_INVALID_ARGUMENT, "set 1 has no name or count");
    body.sets[0].count = -1;
    refuse(ctx, &body, LYRA_INVALID_ARGUMENT, "set 0 has no name or count");
    test_context_end(ctx);
}

LYRA_TEST(every_number_of_a_mesh_is_looked_at)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    fill(&body);
    for (int32_t i = 0; i < 3 * VERTICES; ++i) {
        char place[64];
        body.x[i] = i % 2 ? NAN : -INFINITY;
        snprintf(place, sizeof place, "coordinate %d of vertex %d is not finite", i % 3, i / 3);
        refuse(ctx, &body, LYRA_NOT_FINITE, place);
    }
    LyraMeshMaterial *m = body.materials;
    double *constants[] = {&m[0].density,
                           &m[0].enu.young,
                           &m[0].enu.poisson,
                           &m[1].mooney_rivlin.mu01,
                           &m[1].mooney_rivlin.mu10,
                           &m[1].mooney_rivlin.v1,
                           &m[2].orthotropic.young[2],
                           &m[2].orthotropic.poisson[2],
                           &m[2].orthotropic.shear[2],
                           &m[2].orthotropic.axes[8]};
    for (int32_t k = 0; k < 10; ++k) {
        *constants[k] = INFINITY;
        refuse(ctx, &body, LYRA_NOT_FINITE,
               k < 3   ? "\"defaultMaterial\" is not finite"
               : k < 6 ? "\"rubber\" is not finite"
                       : "\"wood\" is not finite");
    }
    test_context_end(ctx);
}

LYRA_TEST(ids_out_of_range_or_order_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    fill(&body);
    for (int32_t i = 0; i < 4 * ELEMENTS; ++i) {
        char place[64];
        body.ids[i] = i % 2 ? -1 : VERTICES;
        snprintf(place, sizeof place, "element %d has vertex %d, expected 0 to 4", i / 4,
                 body.ids[i]);
        refuse(ctx, &body, LYRA_BAD_MESH, place);
    }
    const int32_t wrong[][2] = {{0, 2}, {0, 0}, {1, 0}, {-1, 1}};
    for (int32_t k = 0; k < 4; ++k) {
        memcpy(body.both, wrong[k], sizeof body.both);
        refuse(ctx, &body, LYRA_BAD_MESH, "set \"both\" has element");
    }
    for (int32_t r = 0; r < REGIONS; ++r) {
        char place[64];
        snprintf(place, sizeof place, "region %d names", r);
        body.regions[r].material = r % 2 ? -1 : MATERIALS;
        refuse(ctx, &body, LYRA_BAD_MESH, place);
        body.regions[r].set = r % 2 ? SETS : LYRA_MESH_ALL_ELEMENTS - 1;
        refuse(ctx, &body, LYRA_BAD_MESH, place);
    }
    test_context_end(ctx);
}

LYRA_TEST(a_mesh_is_a_copy_of_all_it_was_made_of)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body, kept;
    fill(&body);
    fill(&kept);
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &body.view, &mesh));
    memset(&body, 0xff, sizeof body);
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_CHECK(view.vertex_count == VERTICES && view.element_count == ELEMENTS);
    TEST_CHECK(memcmp(view.positions, kept.x, sizeof kept.x) == 0);
    TEST_CHECK(memcmp(view.elements, kept.ids, sizeof kept.ids) == 0);
    TEST_REQUIRE(view.material_count == MATERIALS && view.set_count == SETS &&
                 view.region_count == REGIONS);
    TEST_STRING(view.materials[1].name, "rubber");
    TEST_CHECK(view.materials[1].mooney_rivlin.v1 == 3);
    TEST_CHECK(view.materials[2].orthotropic.axes[8] == 1);
    for (int32_t s = 0; s < SETS; ++s) {
        TEST_STRING(view.sets[s].name, kept.sets[s].name);
        TEST_REQUIRE(view.sets[s].count == kept.sets[s].count);
        for (int32_t i = 0; i < view.sets[s].count; ++i) {
            TEST_EQUAL(view.sets[s].elements[i], kept.sets[s].elements[i]);
        }
    }
    // later regions overrule earlier ones
    TEST_CHECK(view.element_materials[0] == 0 && view.element_materials[1] == 1);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(regions_of_all_elements_overrule_those_before)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const struct {
        int32_t count;
        LyraMeshRegion regions[REGIONS];
        int32_t expected[ELEMENTS];
    } cases[] = {
        {0, {{0, 0}}, {2, 2}}, // the last material where no region covers
        {1, {{.material = 0, .set = 1}}, {2, 0}},
        {1, {{.material = 1, .set = LYRA_MESH_ALL_ELEMENTS}}, {1, 1}},
        {2, {{.material = 0, .set = 0}, {.material = 1, .set = LYRA_MESH_ALL_ELEMENTS}}, {1, 1}},
        {3,
         {{.material = 0, .set = 0},
          {.material = 1, .set = LYRA_MESH_ALL_ELEMENTS},
          {.material = 2, .set = 1}},
         {1, 2}},
        {3,
         {{.material = 0, .set = 1}, {.material = 1, .set = 0}, {.material = 2, .set = 1}},
         {1, 2}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        Body body;
        fill(&body);
        body.view.region_count = cases[k].count;
        body.view.regions = cases[k].regions;
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_create(ctx, &body.view, &mesh));
        const int32_t *found = lyra_mesh_view(mesh).element_materials;
        TEST_CHECK_MSG(found[0] == cases[k].expected[0] && found[1] == cases[k].expected[1],
                       "case %zu: materials %d and %d", k, found[0], found[1]);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(a_mesh_without_materials_gets_the_default_one)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    Body body;
    fill(&body);
    body.view.material_count = body.view.set_count = body.view.region_count = 0;
    LyraMesh *mesh = NULL;
    TEST_REQUIRE_OK(lyra_mesh_create(ctx, &body.view, &mesh));
    LyraMeshView view = lyra_mesh_view(mesh);
    TEST_REQUIRE(view.material_count == 1);
    TEST_STRING(view.materials[0].name, "defaultMaterial");
    TEST_CHECK(view.materials[0].density == 1000 && view.materials[0].enu.young == 1e6 &&
               view.materials[0].enu.poisson == 0.45);
    TEST_CHECK(view.element_materials[0] == 0 && view.element_materials[1] == 0);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}
