// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// What starts, holds and pulls the body of a Vega scene: fixed vertices, the first state, loads.

#include "scene/vega_scene.h"

#include <string.h>

// ---- fixed vertices -----------------------------------------------------------------------------

static void fix(LyVega *vega)
{
    vega->spec.world.constraints = &vega->constraint;
    vega->spec.world.constraint_count = 1;
}

// a file without vertices holds nothing
static LyraStatus read_fixed(LyVega *vega)
{
    char *path = NULL;
    int32_t count = 0, *list = NULL;
    LY_TRY(ly_config_path(&vega->config, LY_VEGA_FIXED_VERTICES, &path));
    if (!path) {
        return LYRA_OK;
    }
    LyraStatus status = lyra_vertex_list_load(vega->ctx, path, 1, INT32_MAX, &count, &list);
    lyra_vertex_list_destroy(vega->ctx, list);
    ly_release(vega->ctx, path);
    LY_TRY(ly_config_at(&vega->config, LY_VEGA_FIXED_VERTICES, status));
    vega->constraint.select.file = vega->config.values[LY_VEGA_FIXED_VERTICES].text;
    if (count > 0) {
        fix(vega);
    }
    return LYRA_OK;
}

static LyraStatus fix_chain(LyVega *vega)
{
    int32_t *last = NULL;
    LY_TRY(ly_arena_allocate(vega->arena, 1, sizeof *last, &last));
    *last = vega->springs.count - 1;
    vega->constraint.select.vertices = last;
    vega->constraint.select.vertex_count = 1;
    fix(vega);
    return LYRA_OK;
}

// ---- first state and loads ----------------------------------------------------------------------

// on all vertices
static LyraLoadDef *add_load(LyVega *vega)
{
    LyraLoadDef *load = &vega->loads[vega->spec.world.load_count++];
    *load = lyra_load_def_default();
    load->select.all = true;
    vega->spec.world.loads = vega->loads;
    return load;
}

void ly_vega_add_force(LyVega *vega, const double force[3])
{
    LyraLoadDef *load = add_load(vega);
    for (int i = 0; i < 3; ++i) {
        load->force[i].value = force[i];
    }
}

LyraStatus ly_vega_read_state(LyVega *vega)
{
    const LyConfigValue *values = vega->config.values;
    vega->constraint = lyra_constraint_def_default();
    LY_TRY(vega->chain ? fix_chain(vega) : read_fixed(vega));
    vega->body.start.displacement_file = values[LY_VEGA_INITIAL_POSITION].text;
    vega->body.start.velocity_file = values[LY_VEGA_INITIAL_VELOCITY].text;
    if (values[LY_VEGA_FORCE_LOADS].text) {
        add_load(vega)->file = values[LY_VEGA_FORCE_LOADS].text;
    }
    return LYRA_OK;
}
