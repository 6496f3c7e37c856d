lyra_add_test(force_elastic LABELS threads)
lyra_add_test(force_springs LABELS threads)
lyra_add_test(force_maxwell LABELS threads)
lyra_add_test(force_viscosity LABELS threads)
