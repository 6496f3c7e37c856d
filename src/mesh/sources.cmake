target_sources(lyra_objects PRIVATE
  mesh/mesh.c)
target_sources(lyra_objects PRIVATE
  mesh/box_tree.c
  mesh/element_shape.c
  mesh/embed.c
  mesh/radix.c
  mesh/tree.c)
