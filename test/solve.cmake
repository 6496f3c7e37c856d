# tests of solve
lyra_add_test(solve_krylov)
lyra_add_test(solve_pcg LABELS threads)
