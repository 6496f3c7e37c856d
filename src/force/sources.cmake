target_sources(lyra_objects PRIVATE
  force/assembly.c
  force/contraction.c
  force/corotational.c
  force/elastic.c
  force/evaluate.c
  force/fibre.c
  force/force.c
  force/isotropic.c
  force/mass_spring.c
  force/min_det.c
  force/rest_shape.c
  force/solid.c
  force/springs.c
  force/stiffness.c
  force/tree.c
  force/viscosity.c)
list(APPEND LYRA_KERNEL_SOURCES
  force/corotational_cube_kernel.c
  force/corotational_tet_kernel.c
  force/cube_isotropic_kernel.c
  force/engine_kernel.c
  force/fibre_kernel.c
  force/spring_kernel.c
  force/stvk_contraction_kernel.c
  force/tet_isotropic_kernel.c
  force/tet_kernel.c
  force/viscosity_kernel.c)
