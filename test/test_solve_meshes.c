// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// All solvers on the larger reference meshes.

#include "solve_agree.h"

LYRA_TEST(solvers_agree_on_the_bridge)
{
    check_mesh_file("meshes/simpleBridge-ic_128_0.15_.1.veg");
}

LYRA_TEST(solvers_agree_on_the_crane)
{
    check_mesh_file("meshes/towerCrane_resol166.veg");
}

LYRA_TEST(solvers_agree_on_the_quintuple_torus)
{
    check_mesh_file("meshes/quintupleTorus.veg");
}

LYRA_TEST(solvers_agree_on_the_torus)
{
    check_mesh_file("meshes/torus-easy.veg");
}
