// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs of .node and .ele.

#include "mesh_file_test.h"
#include "mesh_samples.h"

#include <stdlib.h>
#include <string.h>

#define NODES "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"

static LyraStatus load_pair(LyraContext *ctx, const char *node, const char *ele, LyraMesh **out)
{
    const LyraMemoryFile files[] = {
        {"a.node", node, strlen(node)},
        {"a.ele", ele, strlen(ele)},
    };
    return lyra_mesh_load_memory(ctx, files, 2, LYRA_MESH_FORMAT_AUTO, out);
}

LYRA_TEST(either_path_names_the_pair)
{
    static const char *const names[] = {"mesh/pair.node", "mesh/pair.ele", "mesh/pair"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int i = 0; i < 3; ++i) {
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(lyra_mesh_load(ctx, test_data_path(names[i]),
                                       i < 2 ? LYRA_MESH_FORMAT_AUTO : LYRA_MESH_FORMAT_TETGEN,
                                       &mesh));
        LyraMeshView view = lyra_mesh_view(mesh);
        TEST_EQUAL(view.kind, LYRA_ELEMENT_TET4);
        TEST_EQUAL(view.vertex_count, 5);
        TEST_EQUAL(view.element_count, 2);
        TEST_NEAR(view.positions[3 * 4 + 2], 0.75, 0);
        static const int32_t elements[] = {0, 1, 2, 3, 1, 4, 2, 3};
        TEST_CHECK(memcmp(view.elements, elements, sizeof elements) == 0);
        // the attribute of the generator becomes sets, in the order of its values
        TEST_REQUIRE(view.set_count == 2);
        TEST_STRING(view.sets[0].name, "region_10");
        TEST_EQUAL(view.sets[0].elements[0], 1);
        TEST_STRING(view.sets[1].name, "region_20");
        TEST_EQUAL(view.sets[1].elements[0], 0);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(regions_that_are_no_whole_numbers_make_no_sets)
{
    static const char *const elements[] = {
        "2 4 1\n1 1 2 3 4 0.5\n2 1 2 3 4 1\n", "2 4 1\n1 1 2 3 4 7\n2 1 2 3 4 7\n",
        "2 4 1\n1 1 2 3 4 1e300\n2 1 2 3 4 7\n", "2 4 2\n1 1 2 3 4 7 8\n2 1 2 3 4 7 9\n", "0 4\n"};
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (int i = 0; i < 5; ++i) {
        LyraMesh *mesh = NULL;
        TEST_REQUIRE_OK(load_pair(ctx, NODES, elements[i], &mesh));
        TEST_EQUAL(lyra_mesh_view(mesh).set_count, 0);
        lyra_mesh_destroy(mesh);
    }
    test_context_end(ctx);
}

LYRA_TEST(round_trip_keeps_positions_elements_and_regions)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *box = sample_box(ctx, LYRA_ELEMENT_TET4, 2, 2, 1, 1.0 / 3);
    LyraMesh *mesh = sample_grouped(ctx, box), *back = NULL;
    const char *path = test_temp_path("grouped.ele");
    TEST_OK(lyra_mesh_save(mesh, path, LYRA_MESH_FORMAT_AUTO));
    TEST_REQUIRE_OK(
        lyra_mesh_load(ctx, test_temp_path("grouped.node"), LYRA_MESH_FORMAT_AUTO, &back));
    LyraMeshView a = lyra_mesh_view(mesh), b = lyra_mesh_view(back);
    TEST_REQUIRE(a.vertex_count == b.vertex_count && a.element_count == b.element_count);
    TEST_CHECK(memcmp(a.positions, b.positions, (size_t)a.vertex_count * 24) == 0);
    TEST_CHECK(memcmp(a.elements, b.elements, (size_t)a.element_count * 16) == 0);
    // elements have materials 0 and 1 in turn, thus regions 1 and 2
    TEST_REQUIRE(b.set_count == 2);
    TEST_STRING(b.sets[1].name, "region_2");
    TEST_EQUAL(b.sets[1].elements[0], 1);
    lyra_mesh_destroy(box);
    lyra_mesh_destroy(mesh);
    lyra_mesh_destroy(back);
    test_context_end(ctx);
}

LYRA_TEST(tets_that_are_inside_out_are_turned)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *mesh = NULL;
    double volume = 0;
    TEST_REQUIRE_OK(load_pair(ctx, NODES, "1 4\n1 1 3 2 4\n", &mesh));
    lyra_mesh_element_volumes(mesh, &volume);
    TEST_CHECK(volume > 0);
    lyra_mesh_destroy(mesh);
    test_context_end(ctx);
}

LYRA_TEST(cubes_are_refused_and_nothing_is_half_written)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraMesh *cubes = test_awkward_mesh(ctx, LYRA_ELEMENT_CUBE8);
    TEST_STATUS(lyra_mesh_save(cubes, "cubes.node", LYRA_MESH_FORMAT_AUTO), LYRA_UNSUPPORTED);
    TEST_STRING(lyra_error_message(),
                "cubes.node: found cube elements, expected tets: .node and .ele hold no other");
    lyra_mesh_destroy(cubes);
    // the second file cannot be written: a folder has its name
    LyraMesh *tets = test_awkward_mesh(ctx, LYRA_ELEMENT_TET4);
    char command[1100];
    snprintf(command, sizeof command, "mkdir %s", test_temp_path("half.ele"));
    TEST_EQUAL(system(command), 0);
    TEST_STATUS(lyra_mesh_save(tets, test_temp_path("half.node"), LYRA_MESH_FORMAT_AUTO),
                LYRA_IO_FAILED);
    size_t bytes;
    TEST_CHECK(test_read_file(test_temp_path("half.node"), &bytes) == NULL);
    snprintf(command, sizeof command, "rmdir %s", test_temp_path("half.ele"));
    TEST_EQUAL(system(command), 0);
    lyra_mesh_destroy(tets);
    test_context_end(ctx);
}

LYRA_TEST(messages_name_the_file_that_is_wrong)
{
    static const struct {
        const char *node, *ele, *sentence;
        LyraStatus status;
    } cases[] = {
        {"", "",
         "a.node:1: found the end of the file, expected an integer for the number of vertices",
         LYRA_BAD_FORMAT},
        {"1 2\n", "",
         "a.node:1: found \"2\", expected an integer from 3 to 3 for the number of coordinates",
         LYRA_BAD_FORMAT},
        {"1 3\n", "", "a.node:2: found the end of the file, expected vertex 1 of 1",
         LYRA_BAD_FORMAT},
        {"1 3\n0 0 0\n", "", "a.node:2: found the end of the line, expected a number for z",
         LYRA_BAD_FORMAT},
        {NODES "5 0 0 0\n", "", "a.node:6: found \"5\", expected the end of the file after 4 rows",
         LYRA_BAD_FORMAT},
        {NODES, "1 10 0\n",
         "a.ele:1: found \"10\", expected 4 vertices an element: quadratic tets are not read",
         LYRA_UNSUPPORTED},
        {NODES, "1 8 0\n", "a.ele:1: found \"8\", expected 4 vertices an element", LYRA_BAD_FORMAT},
        {NODES, "1 4 0\n1 1 2 3 5\n",
         "a.ele:2: found \"5\", expected an integer from 1 to 4 for a vertex", LYRA_BAD_FORMAT},
        {NODES, "1 4 0\n1 1 2 3 4 9\n", "a.ele:2: found \"9\", expected the end of the line",
         LYRA_BAD_FORMAT},
        {NODES, "1 4 1\n1 1 2 3 4\n",
         "a.ele:2: found the end of the line, expected a number for the attribute",
         LYRA_BAD_FORMAT},
        {NODES, "2 4 0\n1 1 2 3 4\n", "a.ele:3: found the end of the file, expected element 2 of 2",
         LYRA_BAD_FORMAT},
        {"2147483647 3\n1 0 0 0\n", "",
         "a.node:3: found the end of the file, expected vertex 2 of 2147483647", LYRA_BAD_FORMAT},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        LyraMesh *mesh = NULL;
        test_allocation_peak_reset();
        int64_t before = test_allocation_bytes();
        TEST_STATUS(load_pair(ctx, cases[i].node, cases[i].ele, &mesh), cases[i].status);
        TEST_STRING(lyra_error_message(), cases[i].sentence);
        TEST_CHECK(test_allocation_peak() - before < 20000);
    }
    // one half alone
    const LyraMemoryFile file = {"a.node", NODES, strlen(NODES)};
    LyraMesh *mesh = NULL;
    TEST_STATUS(lyra_mesh_load_memory(ctx, &file, 1, LYRA_MESH_FORMAT_AUTO, &mesh), LYRA_IO_FAILED);
    TEST_STRING(lyra_error_message(), "cannot read a.ele: it is not among the files in memory");
    test_context_end(ctx);
}

LYRA_TEST(damaged_pairs_give_a_status)
{
    size_t node_length = 0, ele_length = 0;
    char *node = test_read_file(test_data_path("mesh/pair.node"), &node_length);
    char *ele = test_read_file(test_data_path("mesh/pair.ele"), &ele_length);
    TEST_REQUIRE(node && ele);
    const LyraMemoryFile files[] = {{"a.node", node, node_length}, {"a.ele", ele, ele_length}};
    test_damaged_files(files, 2, LYRA_MESH_FORMAT_TETGEN);
    free(node);
    free(ele);
}

static LyraStatus load_and_save(LyraContext *ctx, void *data)
{
    (void)data;
    LyraMesh *mesh = NULL;
    LyraStatus status =
        lyra_mesh_load(ctx, test_data_path("mesh/pair.node"), LYRA_MESH_FORMAT_AUTO, &mesh);
    if (status == LYRA_OK) {
        status = lyra_mesh_save(mesh, test_temp_path("pair.ele"), LYRA_MESH_FORMAT_AUTO);
    }
    lyra_mesh_destroy(mesh);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    test_fail_each_allocation(load_and_save, NULL);
}
