target_sources(lyra_objects PRIVATE
  solve/auto.c
  solve/cg.c
  solve/constraints.c
  solve/dense.c
  solve/solver.c
  solve/vector.c)
