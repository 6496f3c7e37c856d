// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies of a world: their names, meshes and materials. What kind of body it is says body_types.c.

#include "world/start.h"

#include "base/file.h"
#include "lyra/mesh_edit.h"
#include "lyra/mesh_generate.h"
#include "lyra/mesh_ops.h"
#include "lyra/strain_limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- meshes -------------------------------------------------------------------------------------

void ly_turn_matrix(const double axis[3], double angle, double R[9])
{
    // Rodrigues: R = cos I + sin [a] + (1 - cos) a a^T
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double a[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R[3 * i + i] = c + (1 - c) * a[i] * a[i];
        R[3 * i + j] = (1 - c) * a[i] * a[j] - s * a[k];
        R[3 * i + k] = (1 - c) * a[i] * a[k] + s * a[j];
    }
}

static LyraStatus count_sources(const LyraBodyDef *def)
{
    int count = (def->file != NULL) + (def->mesh != NULL) + (def->generate != NULL);
    return count == 1
               ? LYRA_OK
               : ly_fail(LYRA_BAD_FORMAT, "found %s, expected either mesh or generate in a body",
                         count ? "mesh and generate" : "neither mesh nor generate");
}

static LyraStatus load_mesh(const LyraWorld *world, const LyraBodyDef *def, LyraMesh **out)
{
    LY_TRY(count_sources(def));
    if (def->generate) {
        return ly_within_key(lyra_mesh_generate(world->ctx, def->generate, out), "generate");
    }
    if (def->mesh) {
        LyraMeshView view = lyra_mesh_view(def->mesh);
        return ly_within_key(lyra_mesh_create(world->ctx, &view, out), "mesh");
    }
    char *path = NULL;
    LyraStatus status = ly_world_path(world, def->file, &path);
    if (status == LYRA_OK) {
        status = lyra_mesh_load(world->ctx, path, LYRA_MESH_FORMAT_AUTO, out);
    }
    ly_release(world->ctx, path);
    return ly_within_key(status, "mesh");
}

// puts a mesh in the place of another
static LyraStatus replace(LyraMesh **mesh, LyraMesh *made)
{
    lyra_mesh_destroy(*mesh);
    *mesh = made;
    return LYRA_OK;
}

// x -> R (S x - c) + c + t
bool ly_placement_matrix(const LyraPlacement *place, double A[9], double t[3])
{
    const LyraPlacement none = lyra_body_def_default().transform;
    if (memcmp(place, &none, sizeof none) == 0) {
        return false;
    }
    ly_turn_matrix(place->rotate.axis, place->rotate.angle, A);
    for (int i = 0; i < 3; ++i) {
        t[i] = place->rotate.center[i] + place->translate[i];
        for (int j = 0; j < 3; ++j) {
            t[i] -= A[3 * i + j] * place->rotate.center[j];
            A[3 * i + j] *= place->scale[j];
        }
    }
    return true;
}

LyraStatus ly_mesh_place(const LyraPlacement *place, LyraMesh **mesh)
{
    double A[9], t[3];
    if (!ly_placement_matrix(place, A, t)) {
        return LYRA_OK;
    }
    LyraMesh *made = NULL;
    LY_TRY(lyra_mesh_transform(*mesh, A, t, &made));
    return replace(mesh, made);
}

// ---- materials of meshes ------------------------------------------------------------------------

// The materials of a body: those of the mesh, or one by the scene; on top one for each region.
typedef struct Materials {
    LyraMeshMaterial *materials;
    LyraMeshSet *sets;
    LyraMeshRegion *regions;
} Materials;

// NaN: not given
typedef struct Moduli {
    double young, poisson, density;
} Moduli;

static LyraStatus change_base(const Moduli *given, int32_t count, LyraMeshMaterial *materials)
{
    bool young = !isnan(given->young), poisson = !isnan(given->poisson);
    for (int32_t m = 0; m < count; ++m) {
        if (!isnan(given->density)) {
            materials[m].density = given->density;
        }
        if (poisson && !young && materials[m].kind != LYRA_MESH_MATERIAL_ENU) {
            return ly_fail_key(LYRA_BAD_FORMAT, "poisson",
                               "found poisson alone for material \"%.60s\" of the mesh, which has "
                               "none; expected young too",
                               materials[m].name);
        }
        if (young) {
            bool kept = materials[m].kind == LYRA_MESH_MATERIAL_ENU;
            double own = kept ? materials[m].enu.poisson : lyra_mesh_material_default().enu.poisson;
            double nu = poisson ? given->poisson : own;
            materials[m].kind = LYRA_MESH_MATERIAL_ENU;
            materials[m].enu = (LyraMaterialEnu){given->young, nu};
        } else if (poisson) {
            materials[m].enu.poisson = given->poisson;
        }
    }
    return LYRA_OK;
}

static LyraStatus add_region(LyraWorld *world, const LyraRegion *region, int32_t index,
                             const LyraMesh *mesh, const LyraMeshView *view, const Materials *to)
{
    int32_t *elements, count;
    LY_TRY(ly_select_elements(world, mesh, &region->select, &count, &elements));
    // what is not said is as in the element's material; of several, that of the first
    LyraMeshMaterial material = to->materials[view->element_materials[elements[0]]];
    const Moduli given = {region->young, region->poisson, region->density};
    LY_TRY(change_base(&given, 1, &material));
    char *name = NULL;
    LY_TRY(ly_arena_allocate(world->arena, 40, 1, &name));
    snprintf(name, 40, "region%d", (int)index + 1);
    for (int32_t s = 0; s < view->set_count; ++s) {
        if (strcmp(to->sets[s].name, name) == 0) {
            snprintf(name, 40, "scene-region%d", (int)index + 1);
        }
    }
    material.name = name;
    to->materials[view->material_count] = material;
    to->sets[view->set_count] = (LyraMeshSet){name, elements, count};
    to->regions[view->region_count] = (LyraMeshRegion){view->material_count, view->set_count};
    return LYRA_OK;
}

static void scale_moduli(LyraMeshMaterial *material, double factor)
{
    material->enu.young *= factor;
    material->mooney_rivlin.mu01 *= factor;
    material->mooney_rivlin.mu10 *= factor;
    material->mooney_rivlin.v1 *= factor;
    for (int i = 0; i < 3; ++i) {
        material->orthotropic.young[i] *= factor;
        material->orthotropic.shear[i] *= factor;
    }
}

static LyraStatus set_materials(LyraWorld *world, const LyraBodyDef *def, LyraMesh **mesh)
{
    const Moduli given = {def->material.young > 0 ? def->material.young : NAN,
                          def->material.poisson, def->density};
    LyraMeshView view = lyra_mesh_view(*mesh);
    int32_t added = def->region_count;
    Materials to = {0};
    LY_TRY(ly_arena_allocate(world->arena, view.material_count + added, sizeof *to.materials,
                             &to.materials));
    LY_TRY(ly_arena_allocate(world->arena, view.set_count + added, sizeof *to.sets, &to.sets));
    LY_TRY(ly_arena_allocate(world->arena, view.region_count + 1 + added, sizeof *to.regions,
                             &to.regions));
    memcpy(to.materials, view.materials, (size_t)view.material_count * sizeof *to.materials);
    if (view.set_count) {
        memcpy(to.sets, view.sets, (size_t)view.set_count * sizeof *to.sets);
    }
    // elements that no region covers take the last material, which is to stay so
    to.regions[0] = (LyraMeshRegion){view.material_count - 1, LYRA_MESH_ALL_ELEMENTS};
    if (view.region_count) {
        memcpy(to.regions + 1, view.regions, (size_t)view.region_count * sizeof *to.regions);
    }
    ++view.region_count;
    LY_TRY(ly_within_key(change_base(&given, view.material_count, to.materials), "material"));
    for (int32_t r = 0; r < added; ++r) {
        LY_TRY(ly_within_item(add_region(world, &def->regions[r], r, *mesh, &view, &to), "regions",
                              r));
        ++view.material_count;
        ++view.set_count;
        ++view.region_count;
    }
    for (int32_t m = 0; m < view.material_count && def->modulus_factor != 1; ++m) {
        scale_moduli(&to.materials[m], def->modulus_factor);
    }
    view.materials = to.materials;
    view.sets = to.sets;
    view.regions = to.regions;
    LyraMesh *made = NULL;
    LY_TRY(lyra_mesh_create(world->ctx, &view, &made));
    return replace(mesh, made);
}

// ---- adding -------------------------------------------------------------------------------------

LyraStatus ly_world_path(const LyraWorld *world, const char *file, char **out)
{
    return *file ? ly_path_beside(world->ctx, world->folder, file, out)
                 : ly_fail(LYRA_BAD_FORMAT, "found \"\", expected the name of a file");
}

LyraBodyDef lyra_body_def_default(void)
{
    LyraBodyDef def = {.kind = "solid",
                       .transform = {.scale = {1, 1, 1}, .rotate.axis = {0, 0, 1}},
                       .material = lyra_solid_def_default(),
                       .density = NAN,
                       .stiffness = NAN,
                       .modulus_factor = 1,
                       .start = {.scale = {1, 1, 1}, .rotate.axis = {0, 0, 1}},
                       .cookie = LY_DEF_COOKIE};
    def.material.poisson = NAN;
    return def;
}

LyraRegion lyra_region_default(void)
{
    return (LyraRegion){
        .select = lyra_selector_default(), .young = NAN, .poisson = NAN, .density = NAN};
}

LyraViscosityTerm lyra_viscosity_term_default(void)
{
    return (LyraViscosityTerm){.time = NAN, .share = NAN, .instant_share = NAN, .modulus = NAN};
}

LyraBodyViscosity lyra_body_viscosity_default(void)
{
    return (LyraBodyViscosity){.symmetric = true, .q = 10, .band = {0.1, 100}};
}

LyraBodyGoal lyra_body_goal_default(void)
{
    return (LyraBodyGoal){.scale = {1, 1, 1}};
}

LyraBodyFibre lyra_body_fibre_default(void)
{
    return (LyraBodyFibre){.direction = {1, 0, 0}, .tension_only = true};
}

LyraBodyParticles lyra_body_particles_default(void)
{
    return (LyraBodyParticles){.stiffness = 1000, .surface_density = 0.25, .mass = NAN};
}

LyraBodyStrainLimit lyra_body_strain_limit_default(void)
{
    const LyraStrainLimitDef def = lyra_strain_limit_def_default();
    return (LyraBodyStrainLimit){.low = def.low,
                                 .high = def.high,
                                 .stiffness = def.stiffness,
                                 .passes = 100,
                                 .tolerance = 1e-3};
}

LyraBodySprings lyra_body_springs_default(void)
{
    return (LyraBodySprings){.count = 2,
                             .to = {1, 0, 0},
                             .structural = NAN,
                             .shear = NAN,
                             .surface_density = 1,
                             .mass = NAN};
}

LyraBodyFabric lyra_body_fabric_default(void)
{
    return (LyraBodyFabric){.fabric = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}, .surface_density = NAN};
}

LyraBodyCloth lyra_body_cloth_default(void)
{
    const LyraClothDef def = lyra_cloth_def_default();
    return (LyraBodyCloth){.fabric = lyra_cloth_group_default(),
                           .surface_density = 0.25,
                           .mass = NAN,
                           .uv_scale = 1,
                           .area = def.area,
                           .rest_stretch = {def.rest_stretch[0], def.rest_stretch[1]},
                           .rest_angles = def.rest_angles,
                           .frozen_bend = def.frozen_bend,
                           .stretch_force = def.stretch_force,
                           .stretch_stiffness = def.stretch_stiffness,
                           .bend_force = def.bend_force,
                           .bend_stiffness = def.bend_stiffness,
                           .symmetric = def.symmetric};
}

LyraShellPart lyra_shell_part_default(void)
{
    return (LyraShellPart){.select = lyra_selector_default(), .thickness = NAN};
}

LyraBodyShell lyra_body_shell_default(void)
{
    const LyraShellDef def = lyra_shell_def_default();
    return (LyraBodyShell){.thickness = def.thickness,
                           .bend = def.bend,
                           .bend_factor = def.bend_factor,
                           .rest_angles = def.rest_angles};
}

void ly_body_end(LyraContext *ctx, LyraBodyView *view, LyBody *body)
{
    for (int32_t s = 0; s < view->surface_count; ++s) {
        const LyraShownSurface *shown = &view->surfaces[s];
        lyra_embedding_destroy((LyraEmbedding *)shown->embedding);
        lyra_surface_destroy((LyraSurface *)shown->surface);
        ly_release(ctx, (char *)shown->name);
        ly_release(ctx, (char *)shown->path);
    }
    ly_release(ctx, (LyraShownSurface *)view->surfaces);
    lyra_solid_destroy((LyraSolid *)view->solid);
    lyra_affine_destroy((LyraAffine *)view->affine);
    lyra_cloth_destroy((LyraCloth *)view->cloth);
    lyra_rod_destroy((LyraRod *)view->rod);
    lyra_shell_destroy((LyraShell *)view->shell);
    lyra_surface_destroy((LyraSurface *)view->sheet);
    lyra_mesh_destroy((LyraMesh *)view->mesh);
    lyra_mesh_destroy((LyraMesh *)view->shape);
    lyra_springs_destroy(body->springs);
    ly_strain_limit_destroy(body->limit);
    ly_release(ctx, (char *)view->name);
    ly_release(ctx, body->positions);
    ly_release(ctx, body->masses);
    ly_release(ctx, body->shown[0]);
    ly_release(ctx, body->shown[1]);
}

static LyraStatus name_body(const LyraWorld *world, const char *wanted, LyraBodyView *view)
{
    char made[24];
    int32_t number = world->body_count;
    do {
        snprintf(made, sizeof made, "body%d", (int)++number);
    } while (!wanted && ly_name_index_find(&world->names, made) >= 0);
    const char *name = wanted ? wanted : made;
    if (!*name) {
        return ly_fail_key(LYRA_BAD_FORMAT, "name", "found \"\", expected a name, or no key");
    }
    if (ly_name_index_find(&world->names, name) >= 0) {
        return ly_fail(LYRA_BAD_FORMAT,
                       "found a second body called \"%.60s\", expected names to differ", name);
    }
    return ly_string_copy(world->ctx, name, strlen(name), (char **)&view->name);
}

// room for one more body, its name in the index
static LyraStatus reserve_body(LyraWorld *world)
{
    int32_t count = world->body_count;
    LY_TRY(ly_grow_array(world->ctx, count, sizeof *world->views, &world->views));
    LY_TRY(ly_grow_array(world->ctx, count, sizeof *world->bodies, &world->bodies));
    if (count > 0 && (count & (count - 1)) != 0) {
        return LYRA_OK;
    }
    LyNameIndex wider = {0};
    LY_TRY(ly_name_index_create(world->ctx, 2 * count + 1, &wider));
    for (int32_t b = 0; b < count; ++b) {
        ly_name_index_add(&wider, world->views[b].name, b);
    }
    ly_name_index_release(world->ctx, &world->names);
    world->names = wider;
    return LYRA_OK;
}

static void digest_material(LyraWorld *world, const LyraMeshMaterial *material)
{
    ly_world_digest(world, &material->density, sizeof material->density);
    ly_world_digest(world, &material->enu, sizeof material->enu);
    ly_world_digest(world, &material->mooney_rivlin, sizeof material->mooney_rivlin);
    ly_world_digest(world, &material->orthotropic, sizeof material->orthotropic);
}

static void digest_body(LyraWorld *world, const LyraBodyView *view, const LyBody *body)
{
    size_t count = (size_t)ly_body_nodes(view);
    const LyraMesh *mesh = ly_body_shape(view);
    if (mesh) {
        LyraMeshView shape = lyra_mesh_view(mesh);
        ly_world_digest(world, shape.positions, 3 * sizeof(double) * (size_t)shape.vertex_count);
        for (int32_t m = 0; m < shape.material_count; ++m) {
            digest_material(world, &shape.materials[m]);
        }
        ly_world_digest(world, shape.elements,
                        sizeof(int32_t) * (size_t)shape.element_count *
                            (size_t)lyra_element_kind_nodes(shape.kind));
    }
    if (view->cloth) {
        LyraClothView cloth = lyra_cloth_view(view->cloth);
        ly_world_digest(world, cloth.triangles, 3 * sizeof(int32_t) * (size_t)cloth.triangle_count);
    }
    if (view->rod) {
        LyraRodView rod = lyra_rod_view(view->rod);
        ly_world_digest(world, rod.edges, 2 * sizeof(int32_t) * (size_t)rod.edge_count);
        ly_world_digest(world, rod.stiffness, sizeof(double) * (size_t)rod.edge_count);
    }
    if (view->shell) {
        LyraShellView shell = lyra_shell_view(view->shell);
        ly_world_digest(world, shell.triangles, 3 * sizeof(int32_t) * (size_t)shell.triangle_count);
        ly_world_digest(world, shell.thicknesses, sizeof(double) * (size_t)shell.triangle_count);
    }
    ly_world_digest(world, body->positions, 3 * sizeof(double) * count);
    ly_world_digest(world, body->masses, sizeof(double) * count);
}

LyraStatus ly_world_take_body(LyraWorld *world, LyraBodyView *view, LyBody *body)
{
    LyraStatus status = LYRA_OK;
    if (ly_body_nodes(view) > INT32_MAX / 3 - world->vertex_count) {
        LY_TRY_DONE(ly_fail(LYRA_TOO_LARGE, "more than %d vertices in all bodies", INT32_MAX / 3));
    }
    LY_TRY_DONE(reserve_body(world));
    view->first_vertex = world->vertex_count;
    view->kind = body->type->name;
    world->views[world->body_count] = *view;
    world->bodies[world->body_count] = *body;
    ly_name_index_add(&world->names, view->name, world->body_count);
    ++world->body_count;
    world->vertex_count += ly_body_nodes(view);
    digest_body(world, view, body);
    ly_warn_incompressible(world, view, body);
    return LYRA_OK;
done:
    ly_body_end(world->ctx, view, body);
    return status;
}

static LyraStatus make_body(LyraWorld *world, const LyraBodyDef *def, LyraBodyView *view,
                            LyBody *body)
{
    LyraMesh *mesh = NULL;
    LyraStatus status = LYRA_OK;
    body->def = def;
    body->type = ly_body_type_find(def->kind); // a name, as the table of keys saw to
    view->kind = body->type->name;
    if (def->particles && strcmp(view->kind, "particles") != 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "particles",
                           "found particles of a body of kind %s, expected it of kind particles "
                           "alone",
                           view->kind);
    }
    if (def->cloth && strcmp(view->kind, "cloth") != 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "cloth",
                           "found cloth of a body of kind %s, expected it of kind cloth alone",
                           view->kind);
    }
    if (def->rigid && strcmp(view->kind, "rigid") != 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "rigid",
                           "found rigid of a body of kind %s, expected it of kind rigid alone",
                           view->kind);
    }
    if (def->rod && strcmp(view->kind, "rod") != 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "rod",
                           "found rod of a body of kind %s, expected it of kind rod alone",
                           view->kind);
    }
    if (def->shell && strcmp(view->kind, "shell") != 0) {
        return ly_fail_key(LYRA_BAD_FORMAT, "shell",
                           "found shell of a body of kind %s, expected it of kind shell alone",
                           view->kind);
    }
    LY_TRY(name_body(world, def->name, view));
    LY_TRY(ly_within_key(
        ly_within_key(ly_check_direction("axis", def->transform.rotate.axis), "rotate"),
        "transform"));
    LY_TRY(ly_within_key(
        ly_within_key(ly_check_direction("axis", def->start.rotate.axis), "rotate"), "start"));
    if (!body->type->meshless || !body->type->meshless(def)) {
        LY_TRY_DONE(load_mesh(world, def, &mesh));
        LY_TRY_DONE(ly_within_key(ly_mesh_place(&def->transform, &mesh), "transform"));
        LY_TRY_DONE(set_materials(world, def, &mesh));
    }
    LyraMesh *take = mesh;
    mesh = NULL;
    LY_TRY_DONE(body->type->create(world, take, view, body));
    LY_TRY_DONE(ly_body_show(world, view, def));
    LY_TRY_DONE(ly_within_key(ly_body_limit_strain(world, view, body), "strain-limit"));
    LY_TRY_DONE(ly_body_load_start(world, view->vertex_count, body));
done:
    lyra_mesh_destroy(mesh);
    return status;
}

LyraStatus lyra_world_add_body(LyraWorld *world, const LyraBodyDef *def, int32_t *index)
{
    LYRA_ASSERT(world && def);
    LyraBodyView view = {0};
    LyBody body = {0};
    LyraBodyDef *own = NULL;
    int32_t forces = world->force_count, rules = world->rule_count;
    uint64_t digest = world->digest;
    LY_CHECK_DEF(def, "lyra_body_def_default");
    LY_TRY(ly_world_check_open(world, "a body"));
    LY_TRY(ly_arena_allocate(world->arena, 1, sizeof *own, &own));
    LY_TRY(ly_keys_copy(world->arena, &ly_body_keys, def, own));
    LY_TRY(ly_within_key(ly_body_fit_viscosity(world, own), "viscosity"));
    LyraStatus status = make_body(world, own, &view, &body);
    if (status != LYRA_OK) {
        ly_body_end(world->ctx, &view, &body);
    } else {
        status = ly_world_take_body(world, &view, &body);
    }
    if (status != LYRA_OK) {
        ly_world_drop(world, forces, rules);
        world->digest = digest;
        return status;
    }
    own->mesh = NULL;
    own->generate = NULL;
    if (index) {
        *index = world->body_count - 1;
    }
    return LYRA_OK;
}

LyBodyPoints ly_body_points(const LyraWorld *world, int32_t body)
{
    const LyraMesh *shape = ly_body_shape(&world->views[body]);
    LyraMeshView view = shape ? lyra_mesh_view(shape) : (LyraMeshView){0};
    return shape ? (LyBodyPoints){view.vertex_count, view.positions}
                 : (LyBodyPoints){world->views[body].vertex_count, world->bodies[body].positions};
}
