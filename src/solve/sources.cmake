target_sources(lyra_objects PRIVATE
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
  solve/operator.c
  solve/solver.c
  solve/table.c
  solve/umfpack.c
  solve/vector.c)
