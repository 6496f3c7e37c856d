target_sources(lyra_objects PRIVATE
  solve/auto.c
  solve/cg.c
  solve/cholmod.c
  solve/columns.c
  solve/condition.c
  solve/constraints.c
  solve/constraints_eliminate.c
  solve/constraints_modes.c
  solve/dense.c
  solve/eliminated.c
  solve/factor_reuse.c
  solve/low_rank.c
  solve/openmp.c
  solve/operator.c
  solve/pcg.c
  solve/pcg_coarse.c
  solve/pcg_ic0.c
  solve/pcg_inner.c
  solve/pcg_matrix.c
  solve/pcg_order.c
  solve/pcg_refine.c
  solve/solver.c
  solve/table.c
  solve/umfpack.c
  solve/vector.c)
list(APPEND LYRA_KERNEL_SOURCES
  solve/pcg_kernels.c)
