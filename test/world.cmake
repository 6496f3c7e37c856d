# tests of world
lyra_add_test(world)
lyra_add_test(world_cloth)
lyra_add_test(world_cloth_long LABELS long)
lyra_add_test(world_hostile)
lyra_add_test(world_joints)
lyra_add_test(world_keys)
lyra_add_test(world_locking)
lyra_add_test(world_masses)
lyra_add_test(world_obstacle_responses)
lyra_add_test(world_obstacles)
lyra_add_test(world_obstacles_long LABELS long)
lyra_add_test(world_particles)
lyra_add_test(world_probe)
lyra_add_test(world_rigid)
lyra_add_test(world_rod)
lyra_add_test(world_rods)
lyra_add_test(world_springs)
lyra_add_test(world_tendon)
lyra_add_test(world_strain_limits)
lyra_add_test(world_ties)
lyra_add_test(world_shell LABELS threads)
lyra_add_test(world_registry)
lyra_add_test(world_extending)

# docs/extending.md shows what test_world_extending.c includes, word for word
foreach(walk body_particles format_soup key_tilt)
  add_test(NAME world_extending.${walk}_page COMMAND ${CMAKE_COMMAND}
    -DREADME=${PROJECT_SOURCE_DIR}/docs/extending.md
    -DEXAMPLE=${CMAKE_CURRENT_SOURCE_DIR}/extending/${walk}.c
    -P ${PROJECT_SOURCE_DIR}/examples/readme.cmake)
endforeach()
