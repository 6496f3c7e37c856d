lyra_add_test(reduce_modes LABELS threads)
