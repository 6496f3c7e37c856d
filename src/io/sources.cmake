target_sources(lyra_objects PRIVATE
  io/checkpoint.c
  io/gltf.c
  io/pvd.c
  io/series.c)
