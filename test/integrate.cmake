# tests of integrate
lyra_add_test(integrate_implicit)
lyra_add_test(integrate_vega)
lyra_add_test(integrate_steps LABELS threads)
lyra_add_test(integrate_physics)
lyra_add_test(integrate_newton)
lyra_add_test(integrate_robust LABELS slow)
lyra_add_test(integrate_robust_long LABELS long)
lyra_add_test(integrate_hauth LABELS slow)
