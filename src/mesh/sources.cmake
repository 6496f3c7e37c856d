target_sources(lyra_objects PRIVATE
  mesh/mesh.c)

# operations and generators
target_sources(lyra_objects PRIVATE
  mesh/boundary.c
  mesh/edit.c
  mesh/element.c
  mesh/generate.c
  mesh/generate_cubes.c
  mesh/generate_round.c
  mesh/mass_matrix.c
  mesh/mass_properties.c
  mesh/merge.c
  mesh/orient.c
  mesh/quality.c
  mesh/refine.c
  mesh/sort.c
  mesh/topology.c
  mesh/voxels.c)
