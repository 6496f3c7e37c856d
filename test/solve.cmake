# tests of solve
lyra_add_test(solve_agreement LABELS slow)
lyra_add_test(solve_bits LABELS threads)
lyra_add_test(solve_constraints LABELS threads)
lyra_add_test(solve_direct)
lyra_add_test(solve_front)
lyra_add_test(solve_meshes LABELS slow long)
lyra_add_test(solve_reuse)
