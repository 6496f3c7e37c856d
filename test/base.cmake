lyra_add_test(base_context LABELS threads)
lyra_add_test(base_number)
