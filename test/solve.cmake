# tests of solve
lyra_add_test(solve_constraints LABELS threads)
lyra_add_test(solve_front)
