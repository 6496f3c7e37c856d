lyra_add_test(force_elastic LABELS threads)
lyra_add_test(force_isotropic)
lyra_add_test(force_isotropic_setup LABELS threads)
