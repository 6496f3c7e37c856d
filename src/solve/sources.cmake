target_sources(lyra_objects PRIVATE
  solve/cg.c
  solve/vector.c)
