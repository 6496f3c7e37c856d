target_sources(lyra_objects PRIVATE
  model/dense_functions.c
  model/dense_matrices.c
  model/state.c
  model/system.c
  model/vector.c)
