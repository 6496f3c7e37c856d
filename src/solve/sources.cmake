target_sources(lyra_objects PRIVATE
  solve/cg.c
  solve/cholmod.c
  solve/columns.c
  solve/condition.c
  solve/factor_reuse.c
  solve/umfpack.c
  solve/vector.c)
