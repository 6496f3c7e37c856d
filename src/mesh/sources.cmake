target_sources(lyra_objects PRIVATE
  mesh/mesh.c)
