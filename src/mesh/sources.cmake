target_sources(lyra_objects PRIVATE
  mesh/mesh.c)

# operations and generators
target_sources(lyra_objects PRIVATE
  mesh/edit.c
  mesh/element.c
  mesh/generate.c
  mesh/generate_cubes.c
  mesh/generate_round.c
  mesh/mass_properties.c
  mesh/sort.c
  mesh/topology.c
  mesh/voxels.c)
