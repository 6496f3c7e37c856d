# tests of solve
lyra_add_test(solve_direct)
lyra_add_test(solve_reuse)
