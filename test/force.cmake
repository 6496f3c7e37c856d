lyra_add_test(force_elastic LABELS threads)
