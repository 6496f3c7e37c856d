// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Vega's large scenes, unchanged: 100 steps of each.

#include "scene_vega_sample.h"

LYRA_TEST(simple_bridge_tet_runs)
{
    run_sample("simpleBridge_tet/simpleBridge_tet.config", 1);
}

LYRA_TEST(simple_bridge_tet_springs_run)
{
    run_sample("simpleBridge_tet/simpleBridge_tet_massspring.config", 1);
}

LYRA_TEST(simple_bridge_vox_runs)
{
    run_sample("simpleBridge_vox/simpleBridge_vox.config", 1);
}

LYRA_TEST(simple_bridge_vox_springs_run)
{
    run_sample("simpleBridge_vox/simpleBridge_vox_massspring.config", 1);
}

LYRA_TEST(tower_crane_runs)
{
    run_sample("towerCrane/towerCrane.config", 1);
}

LYRA_TEST(tower_crane_springs_run)
{
    run_sample("towerCrane/towerCrane_massspring.config", 1);
}
