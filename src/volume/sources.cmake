target_sources(lyra_objects PRIVATE
  volume/distance_field.c
  volume/distance_file.c
  volume/lattice.c
  volume/lattice_cut.c
  volume/repair.c
  volume/surface_tree.c
  volume/volume.c
  volume/voxelize.c
  volume/winding.c)
list(APPEND LYRA_KERNEL_SOURCES volume/triangle_kernel.c)
