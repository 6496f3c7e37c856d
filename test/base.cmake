lyra_add_test(base_context LABELS threads)
