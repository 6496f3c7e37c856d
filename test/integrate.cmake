# tests of integrate
lyra_add_test(integrate_implicit)
lyra_add_test(integrate_vega)
