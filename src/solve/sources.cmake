target_sources(lyra_objects PRIVATE
  solve/constraints.c
  solve/constraints_eliminate.c
  solve/constraints_modes.c
  solve/dense.c
  solve/eliminated.c
  solve/low_rank.c
  solve/operator.c
  solve/solver.c
  solve/table.c)
