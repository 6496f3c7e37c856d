target_sources(lyra_objects PRIVATE
  solve/cholmod.c
  solve/columns.c
  solve/condition.c
  solve/factor_reuse.c
  solve/umfpack.c)
