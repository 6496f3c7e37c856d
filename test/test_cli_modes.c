// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra modes` as a user types it.

#include "cli_run.h"

#include "config.h"
#include "lyra/dense.h"
#include "lyra/lyra.h"
#include "lyra/matrix_file.h"

#include <unistd.h>

// number `index` of the array of doubles behind a key of the JSON in `output`
static double entry_of(const char *key, int index)
{
    const char *at = strstr(output, key);
    at = at ? strchr(at, '[') : NULL;
    for (int i = 0; at && i < index; ++i) {
        at = strchr(at + 1, ',');
    }
    return at ? strtod(at + 1, NULL) : NAN;
}

LYRA_TEST(cli_modes_of_a_free_beam)
{
    const char *mesh = test_temp_path("beam.veg");
    TEST_EQUAL(lyra("mesh box %s --cells 10,1,1 --size 10,1,1 --type cube --young 1e9 "
                    "--poisson 0 --density 1000",
                    mesh),
               0);
    TEST_EQUAL(lyra("modes %s -k 9", mesh), 0);
    TEST_CONTAINS(output, "6 of zero frequency");
    char shapes[1024], vtu[1024];
    snprintf(shapes, sizeof shapes, "%s", test_temp_path("x.npy"));
    snprintf(vtu, sizeof vtu, "%s", test_temp_path("x.vtu"));
    TEST_EQUAL(lyra("modes %s -k 9 --json --shapes %s --vtu %s", mesh, shapes, vtu), 0);
    TEST_CONTAINS(output, "\"rigid\": 6");
    TEST_CHECK(fabs(entry_of("frequencies", 5)) < 1e-4);
    // bending of a free Euler-Bernoulli beam, 22.373 / (2 pi L^2) (EI / rho A)^(1/2): bricks are
    // stiffer, shear makes it softer
    double beam = 22.373 / 6.2831853 / 100 * 1000 * sqrt(1 / 12.0);
    TEST_NEAR(entry_of("frequencies", 6), beam, 0.25 * beam);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraDense *dense = NULL;
    LyraMesh *back = NULL;
    TEST_OK(lyra_dense_load_npy(ctx, shapes, &dense));
    TEST_EQUAL(lyra_dense_view(dense).rows, 3 * 44);
    TEST_EQUAL(lyra_dense_view(dense).columns, 9);
    TEST_OK(lyra_mesh_load(ctx, vtu, LYRA_MESH_FORMAT_AUTO, &back));
    TEST_EQUAL(lyra_mesh_view(back).vertex_count, 44);
    lyra_mesh_destroy(back);
    lyra_dense_destroy(dense);
    test_context_end(ctx);
    size_t bytes;
    char *text = test_read_file(vtu, &bytes);
    TEST_CHECK(text && strstr(text, "mode 9 ("));
    free(text);
}

LYRA_TEST(cli_modes_take_fixed_vertices_states_and_materials)
{
    char mesh_path[1024], fixed_path[1024];
    snprintf(mesh_path, sizeof mesh_path, "%s", test_temp_path("block.veg"));
    snprintf(fixed_path, sizeof fixed_path, "%s", test_temp_path("block.bou"));
    TEST_EQUAL(lyra("mesh box %s --cells 3,1,1 --young 1e5 --poisson 0.3", mesh_path), 0);
    test_write_file(fixed_path, "1,5,9,13\n", 9);
    TEST_EQUAL(lyra("modes %s -k 2 --json --fixed %s", mesh_path, fixed_path), 0);
    TEST_CONTAINS(output, "\"rigid\": 0");
    double held = entry_of("frequencies", 0);
    // four times as stiff, or a quarter of the mass, is twice the frequency
    TEST_EQUAL(
        lyra("modes %s -k 2 --json --fixed %s --young 4e5 --poisson 0.3", mesh_path, fixed_path),
        0);
    TEST_NEAR(entry_of("frequencies", 0), 2 * held, 1e-8 * held);
    TEST_EQUAL(lyra("modes %s -k 2 --json --fixed %s --density 250 --method lanczos", mesh_path,
                    fixed_path),
               0);
    TEST_NEAR(entry_of("frequencies", 0), 2 * held, 1e-8 * held);
    // lumped masses are lower
    TEST_EQUAL(lyra("modes %s -k 2 --json --fixed %s --lumped", mesh_path, fixed_path), 0);
    TEST_CHECK(entry_of("frequencies", 0) < held);
}

LYRA_TEST(cli_modes_of_a_scene)
{
#if LY_HAVE_YAML
    static const char scene[] = "bodies:\n"
                                "  - name: block\n"
                                "    generate: {cells: [2, 1, 1], size: [2, 1, 1]}\n"
                                "    material: {model: stvk, young: 1e5, poisson: 0.3}\n";
    const char *path = test_temp_path("scene.yaml");
    test_write_file(path, scene, sizeof scene - 1);
    int code = lyra("modes %s -k 8 --json", path);
    TEST_EQUAL(code, 0);
    TEST_CONTAINS(output, "\"rigid\": 6");
    double soft = entry_of("frequencies", 7);
    TEST_EQUAL(lyra("modes %s -k 8 --json --set 'bodies[0].material.young=4e5'", path), 0);
    TEST_NEAR(entry_of("frequencies", 7), 2 * soft, 1e-6 * soft);
    TEST_EQUAL(lyra("modes %s --young 3", path), 2);
#else
    TEST_SKIP("this build reads no scenes in YAML");
#endif
}

LYRA_TEST(cli_modes_refuse_what_they_cannot_do)
{
    const char *mesh = test_temp_path("one.veg");
    TEST_EQUAL(lyra("mesh box %s --cells 1,1,1", mesh), 0);
    TEST_EQUAL(lyra("modes"), 2);
    TEST_EQUAL(lyra("modes %s -k 25", mesh), 1);
    TEST_CONTAINS(errors, "24 free unknowns");
    TEST_EQUAL(lyra("modes %s -k 0", mesh), 1);
    TEST_EQUAL(lyra("modes %s --method fast", mesh), 2);
    TEST_EQUAL(lyra("modes %s --set a=b", mesh), 2);
    TEST_EQUAL(lyra("modes %s --density -1", mesh), 1);
    TEST_EQUAL(lyra("modes %s --poisson 0.1", mesh), 2);
    TEST_EQUAL(lyra("modes %s --displacement nothing.npy", mesh), 1);
    TEST_EQUAL(lyra("modes nothing.veg"), 1);
    TEST_CONTAINS(errors, "nothing.veg");
}
