// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// Wrong scenes of Vega: one sentence each, with file and line.

#include "scene_config_files.h"

typedef struct Bad {
    const char *text;
    LyraStatus status;
    const char *sentence;
} Bad;

#define WITHOUT_LIGHTS                                                                             \
    "*timestep\n0.01\n*dampingMassCoef\n0\n*dampingStiffnessCoef\n0\n"                             \
    "*deformableObjectCompliance\n1\n*frequencyScaling\n1\n"

static const Bad texts[] = {
    {"", LYRA_BAD_FORMAT, "scene.config: the key *frequencyScaling is missing"},
    {BAR WITHOUT_LIGHTS, LYRA_BAD_FORMAT, "the key *lightingConfigFilename is missing"},
    {REQUIRED, LYRA_BAD_FORMAT, "scene.config: no body"},
    {"timestep\n0.01\n", LYRA_BAD_FORMAT,
     "scene.config:1: found \"timestep\", expected a key behind a star"},
    {"*timestep\n", LYRA_BAD_FORMAT, "scene.config:1: the key \"timestep\" has no value"},
    {"*timestep\n# 3\n*g\n1\n", LYRA_BAD_FORMAT, "scene.config:1: the key \"timestep\" has no"},
    {"*timestep\nsoon\n", LYRA_BAD_FORMAT,
     "scene.config:2: found \"soon\", expected a number above 0 for timestep"},
    {"*timestep\n0.01s\n", LYRA_BAD_FORMAT, "scene.config:2: found \"0.01s\""},
    {"*timestep\n0.01 0.02\n", LYRA_BAD_FORMAT, "scene.config:2: found \"0.01 0.02\""},
    {"*timestep\n0\n", LYRA_BAD_FORMAT, "expected a number above 0 for timestep"},
    {"*timestep\ninf\n", LYRA_BAD_FORMAT, "scene.config:2: found \"inf\""},
    {"*g\nnan\n", LYRA_BAD_FORMAT, "expected a number for g"},
    {"*dampingMassCoef\n-1\n", LYRA_BAD_FORMAT, "expected a number not below 0"},
    {"*newmarkBeta\n0.7\n", LYRA_BAD_FORMAT, "expected a number from 0 to 0.5"},
    {"*maxIterations\n1.5\n", LYRA_BAD_FORMAT, "expected a whole number from 1 to 1000000"},
    {"*corotationalLinearFEM_warp\n3\n", LYRA_BAD_FORMAT, "expected a whole number from 0 to 2"},
    {"*addGravity\nyes\n", LYRA_BAD_FORMAT, "expected 0 or 1 for addGravity"},
    {"\n*solver\nimplicitEuler\n", LYRA_BAD_FORMAT,
     "scene.config:3: found \"implicitEuler\", expected one of implicitNewmark, "
     "implicitBackwardEuler, Euler, symplecticEuler, centralDifferences for solver"},
    {"*deformableObjectMethod\nStVk2\n", LYRA_BAD_FORMAT, "expected one of StVK, CLFEM"},
    {"*invertibleMaterial\nrubber\n", LYRA_BAD_FORMAT, "expected one of StVK, neoHookean"},
    {"*objMeshname\ncloth.obj\n", LYRA_BAD_FORMAT, "the key *fixedVerticesFilename is missing"},
    {"*objmeshName\nno.obj\n*lightingFilename\nx\n*fixedVerticesFilename\nno.bou\n", LYRA_IO_FAILED,
     "scene.config:6: fixedVerticesFilename"},
    {"*objMeshname\nc.obj\n*bendStiffnessU\n-1\n", LYRA_BAD_FORMAT,
     "scene.config:4: found \"-1\", expected a number not below 0 for bendStiffnessU"},
    {REQUIRED "*volumetricMeshFilename\nno.veg\n", LYRA_IO_FAILED,
     "scene.config:14: volumetricMesh"},
    {REQUIRED "*volumetricMeshFilename\nbad.veg\n", LYRA_BAD_FORMAT, "bad.veg:2: "},
    {REQUIRED BAR "*deformableObjectMethod\nInvertibleFEM\n", LYRA_BAD_FORMAT,
     "InvertibleFEM needs the key *invertibleMaterial"},
    {REQUIRED BAR "*deformableObjectMethod\nMassSpring\n", LYRA_BAD_FORMAT,
     "MassSpring needs springs"},
    {REQUIRED BAR "*deformableObjectMethod\nInvertibleFEM\n*invertibleMaterial\nStVK\n"
                  "*inversionThreshold\n2\n",
     LYRA_INVALID_ARGUMENT, "scene.config:16: deformableObjectMethod: "},
    {REQUIRED BAR "*fixedVerticesFilename\nno.bou\n", LYRA_IO_FAILED,
     "scene.config:16: fixedVerticesFilename: cannot read"},
    {REQUIRED BAR "*fixedVerticesFilename\nfar.bou\n", LYRA_BAD_FORMAT, "far.bou:1: found \"21\""},
    {REQUIRED BAR "*initialPositionFilename\ncut\n", LYRA_BAD_FORMAT,
     "scene.config:16: initialPositionFilename: "},
    {REQUIRED BAR "*initialVelocityFilename\nshort\n", LYRA_BAD_FORMAT,
     "found 6 rows and 1 columns, expected 60 rows and 1 column"},
    {REQUIRED BAR "*initialVelocityFilename\nwide\n", LYRA_BAD_FORMAT, "and 2 columns"},
    {REQUIRED BAR "*initialPositionFilename\nnan\n", LYRA_NOT_FINITE, "entry 2 of column 1"},
    {REQUIRED BAR "*forceLoadsFilename\nshort\n", LYRA_BAD_FORMAT,
     "expected 60 rows and any number"},
    {REQUIRED BAR "*forceLoadsFilename\nno\n", LYRA_IO_FAILED, "forceLoadsFilename: cannot read"},
    {REQUIRED BAR "*secondaryRenderingMeshFilename\npoint.obj\n"
                  "*secondaryRenderingMeshInterpolationFilename\nbad.interp\n",
     LYRA_BAD_FORMAT, "scene.config:18: secondaryRenderingMeshInterpolationFilename: "},
    {REQUIRED BAR "*secondaryRenderingMeshFilename\npoint.obj\n"
                  "*secondaryRenderingMeshInterpolationFilename\nless.interp\n",
     LYRA_BAD_FORMAT, "found weights of 1 points, expected 3"},
    {REQUIRED "*customMassSpringSystem\ngrid,3,3\n", LYRA_BAD_FORMAT, "expected chain,N,k"},
    {REQUIRED "*customMassSpringSystem\nchain,0,3\n", LYRA_BAD_FORMAT, "expected chain,N,k"},
    {REQUIRED "*customMassSpringSystem\nchain,3\n", LYRA_BAD_FORMAT, "expected chain,N,k"},
    {REQUIRED "*customMassSpringSystem\nchain,3,-1\n", LYRA_BAD_FORMAT, "expected chain,N,k"},
    {REQUIRED "*massSpringSystemTetMeshConfigFilename\nno.massspring\n", LYRA_IO_FAILED,
     "scene.config:14: massSpringSystemTetMeshConfigFilename: cannot read"},
    {REQUIRED "*massSpringSystemTetMeshConfigFilename\nempty.massspring\n", LYRA_BAD_FORMAT,
     "empty.massspring: the key *tetMeshFilename is missing"},
    {REQUIRED "*massSpringSystemTetMeshConfigFilename\nweak.massspring\n", LYRA_BAD_FORMAT,
     "weak.massspring:6: found \"none\", expected a number above 0 for tensileStiffness"},
    {REQUIRED "*massSpringSystemCubicMeshConfigFilename\ntets.massspring\n", LYRA_BAD_MESH,
     "found a mesh of tets, expected one of cubes"},
    {REQUIRED "*massSpringSystemObjConfigFilename\ntriangles.massspring\n", LYRA_BAD_MESH,
     "face 1 has 3 corners, expected quads only"},
};

static void write_files(LyraContext *ctx)
{
    const double values[] = {1, NAN};
    double wide[2 * 3 * BAR_VERTICES] = {0}, nan[3 * BAR_VERTICES] = {0};
    nan[1] = values[1];
    write_bar(ctx, "bar.veg", LYRA_ELEMENT_TET4, 1e5);
    write_text("bad.veg", "*VERTICES\nmany\n");
    write_text("far.bou", "21\n");
    write_text("point.obj", "v 0.1 0.1 0.1\nv 0.9 0.1 0.1\nv 0.5 0.2 0.1\nf 1 2 3\n");
    write_text("bad.interp", "0 0 1 1 x\n");
    write_text("less.interp", "0 0 1 1 0 2 0 3 0\n");
    write_text("empty.massspring", "# nothing\n");
    write_text("weak.massspring",
               "*tetMeshFilename\nbar.veg\n*density\n1\n*tensileStiffness\nnone\n");
    write_text("tets.massspring", "*cubicMeshFilename\nbar.veg\n*density\n1\n*tensileStiffness\n1\n"
                                  "*damping\n0\n*addGravity\n0\n");
    write_text("triangles.massspring",
               "*massSpringMeshFilename\npoint.obj\n*surfaceDensity\n1\n*tensileStiffness\n1\n"
               "*shearStiffness\n1\n*bendStiffness\n1\n*damping\n0\n*addGravity\n0\n");
    write_matrix(ctx, "short", 6, 1, wide);
    write_matrix(ctx, "wide", 3 * BAR_VERTICES, 2, wide);
    write_matrix(ctx, "nan", 3 * BAR_VERTICES, 1, nan);
    size_t bytes = 0;
    char *whole = test_read_file(place("wide"), &bytes);
    test_write_file(place("cut"), whole, bytes - 5);
    free(whole);
}

LYRA_TEST(wrong_scenes_are_one_sentence)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    write_files(ctx);
    for (size_t b = 0; b < sizeof texts / sizeof *texts; ++b) {
        LyraWorld *world = NULL;
        const char *path = write_text("scene.config", texts[b].text);
        TEST_STATUS(lyra_world_load(ctx, path, NULL, &world, NULL), texts[b].status);
        TEST_CHECK(!world);
        TEST_CONTAINS(lyra_error_message(), "scene.config");
        TEST_CONTAINS(lyra_error_message(), texts[b].sentence);
        TEST_CHECK_MSG(!strchr(lyra_error_message(), '\n'), "more than a line: %s",
                       lyra_error_message());
        TEST_EQUAL(lyra_context_byte_count(ctx), 0);
        lyra_world_destroy(world);
    }
    test_context_end(ctx);
}

LYRA_TEST(a_missing_scene_says_so)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    TEST_STATUS(lyra_world_load(ctx, place("no.config"), NULL, &world, NULL), LYRA_IO_FAILED);
    TEST_CONTAINS(lyra_error_message(), "no.config");
    test_context_end(ctx);
}

LYRA_TEST(bytes_of_zero_are_refused)
{
    LyraContext *ctx = test_context(1, LYRA_ISA_AUTO);
    LyraWorld *world = NULL;
    static const char text[] = "*volumetricMeshFilename\nbar\0.veg\n";
    test_write_file(place("scene.config"), text, sizeof text - 1);
    TEST_STATUS(lyra_world_load(ctx, place("scene.config"), NULL, &world, NULL), LYRA_BAD_FORMAT);
    TEST_CONTAINS(lyra_error_message(), "scene.config:2: ");
    test_context_end(ctx);
}
