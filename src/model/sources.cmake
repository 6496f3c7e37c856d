target_sources(lyra_objects PRIVATE
  model/dense_system.c
  model/model.c
  model/sparse_system.c
  model/state.c
  model/system.c
  model/vector.c)
