# tests of volume
lyra_add_test(volume_distance LABELS threads)
lyra_add_test(volume_mesh)
lyra_add_test(volume_long LABELS long)
