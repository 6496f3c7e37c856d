// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Lists of vertices, .bou.

#include "lyra/mesh.h"
#include "lyra_test.h"

#include <stdlib.h>
#include <string.h>

static LyraStatus load_text(LyraContext *ctx, const char *text, size_t length, int32_t *count,
                            int32_t **list)
{
    const LyraMemoryFile file = {"a.bou", text, length};
    return lyra_vertex_list_load_memory(ctx, &file, 1, 10, count, list);
}

LYRA_TEST(lists_are_sorted_without_repeats)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    int32_t count = 0, *list = NULL;
    TEST_REQUIRE_OK(
        lyra_vertex_list_load(ctx, test_data_path("mesh/list.bou"), 1, 7, &count, &list));
    static const int32_t expected[] = {0, 1, 2, 4, 6};
    TEST_REQUIRE(count == 5);
    TEST_CHECK(memcmp(list, expected, sizeof expected) == 0);
    // out and in again
    const char *path = test_temp_path("list.bou");
    TEST_OK(lyra_vertex_list_save(ctx, path, 0, count, list));
    lyra_vertex_list_destroy(ctx, list);
    TEST_REQUIRE_OK(lyra_vertex_list_load(ctx, path, 0, 7, &count, &list));
    TEST_REQUIRE(count == 5);
    TEST_CHECK(memcmp(list, expected, sizeof expected) == 0);
    lyra_vertex_list_destroy(ctx, list);
    lyra_vertex_list_destroy(ctx, NULL);
    test_context_end(ctx);
}

LYRA_TEST(an_empty_list_is_a_list)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    static const char *const texts[] = {"", "\n", ",,,", "# none"};
    for (int i = 0; i < 4; ++i) {
        int32_t count = 7, *list = NULL;
        TEST_OK(load_text(ctx, texts[i], strlen(texts[i]), &count, &list));
        TEST_EQUAL(count, 0);
        TEST_CHECK(list != NULL);
        lyra_vertex_list_destroy(ctx, list);
    }
    const char *path = test_temp_path("empty.bou");
    TEST_OK(lyra_vertex_list_save(ctx, path, 1, 0, NULL));
    int32_t count = 7, *list = NULL;
    TEST_OK(lyra_vertex_list_load(ctx, path, 1, 0, &count, &list));
    TEST_EQUAL(count, 0);
    lyra_vertex_list_destroy(ctx, list);
    test_context_end(ctx);
}

LYRA_TEST(messages_say_where_what_and_what_instead)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"1, 2\n0", "a.bou:2: found \"0\", expected an integer from 1 to 10 for a vertex"},
        {"11", "a.bou:1: found \"11\", expected an integer from 1 to 10 for a vertex"},
        {"1.5", "a.bou:1: found \"1.5\", expected an integer for a vertex"},
        {"99999999999999999999",
         "a.bou:1: found \"99999999999999999999\", expected an integer from 1 to 10 for a vertex"},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        int32_t count = 0, *list = NULL;
        TEST_STATUS(load_text(ctx, cases[i].text, strlen(cases[i].text), &count, &list),
                    LYRA_BAD_FORMAT);
        TEST_STRING(lyra_error_message(), cases[i].sentence);
    }
    int32_t count = 0, *list = NULL;
    TEST_STATUS(lyra_vertex_list_load(ctx, "/nowhere/a.bou", 1, 1, &count, &list), LYRA_IO_FAILED);
    TEST_STATUS(lyra_vertex_list_save(ctx, "/nowhere/a.bou", 1, 0, NULL), LYRA_IO_FAILED);
    test_context_end(ctx);
}

LYRA_TEST(damaged_lists_give_a_status)
{
    size_t length = 0;
    char *text = test_read_file(test_data_path("mesh/list.bou"), &length);
    TEST_REQUIRE(text);
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    for (size_t at = 0; at < length; ++at) {
        char *cut = malloc(at + 1);
        memcpy(cut, text, at + 1);
        for (int value = 0; value < 256; ++value) {
            cut[at] = (char)value;
            int32_t count = 0, *list = NULL;
            LyraStatus status = load_text(ctx, cut, at + 1, &count, &list);
            TEST_CHECK(status == LYRA_OK || status == LYRA_BAD_FORMAT);
            lyra_vertex_list_destroy(ctx, list);
        }
        free(cut);
    }
    test_context_end(ctx);
    free(text);
}

static LyraStatus load_and_save(LyraContext *ctx, void *data)
{
    (void)data;
    int32_t count = 0, *list = NULL;
    LyraStatus status =
        lyra_vertex_list_load(ctx, test_data_path("mesh/list.bou"), 1, 7, &count, &list);
    if (status == LYRA_OK) {
        status = lyra_vertex_list_save(ctx, test_temp_path("list.bou"), 1, count, list);
    }
    lyra_vertex_list_destroy(ctx, list);
    return status;
}

LYRA_TEST(failing_allocations_leak_nothing)
{
    test_fail_each_allocation(load_and_save, NULL);
}

LYRA_TEST(reference_lists_load)
{
    static const struct {
        const char *name;
        int32_t count, vertex_count;
    } references[] = {
        {"turtle-volumetric.bou", 23, 347},
        {"asianDragon.bou", 3, 959},
        {"asianDragon-empty.bou", 0, 959},
        {"beam3.bou", 8, 208},
        {"simpleBridge.bou", 121, 4000},
        {"simpleBridge_resol92-b1.155_enlarged.bou", 44, 3923},
        {"towerCrane_resol166.bou", 66, 9875},
        {"cloth100.bou", 2, 10201},
    };
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    bool found = false;
    for (size_t i = 0; i < sizeof references / sizeof references[0]; ++i) {
        char name[200];
        snprintf(name, sizeof name, "meshes/%s", references[i].name);
        const char *path = test_reference_path(name);
        int32_t count = -1, *list = NULL;
        if (path) {
            found = true;
            TEST_OK(lyra_vertex_list_load(ctx, path, 1, references[i].vertex_count, &count, &list));
            TEST_EQUAL(count, references[i].count);
            lyra_vertex_list_destroy(ctx, list);
        }
    }
    test_context_end(ctx);
    if (!found) {
        TEST_SKIP("no reference lists on this machine");
    }
}
