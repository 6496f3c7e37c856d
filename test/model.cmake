lyra_add_test(model_vector LABELS threads)
lyra_add_test(model_state)
lyra_add_test(model_dense_functions)
