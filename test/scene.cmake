# tests of scene
lyra_add_test(scene_config)
lyra_add_test(scene_config_motion)
lyra_add_test(scene_config_bad)
lyra_add_test(scene_config_samples LABELS slow)
lyra_add_test(scene_config_long LABELS long)
lyra_add_test(scene_live)
lyra_add_test(scene_values)
lyra_add_test(scene_yaml LABELS threads)
