# tests of world
lyra_add_test(world)
lyra_add_test(world_keys)
lyra_add_test(world_probe)
lyra_add_test(world_springs)
lyra_add_test(world_tendon)
lyra_add_test(world_ties)
