lyra_add_test(rigid_motion)
lyra_add_test(rigid_shape)
