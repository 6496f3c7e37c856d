target_sources(lyra_objects PRIVATE
  force/assembly.c
  force/elastic.c
  force/evaluate.c
  force/force.c
  force/isotropic.c
  force/min_det.c
  force/tree.c)
list(APPEND LYRA_KERNEL_SOURCES
  force/cube_isotropic_kernel.c
  force/engine_kernel.c
  force/isotropic_point_kernel.c
  force/tet_isotropic_kernel.c
  force/tet_kernel.c)
