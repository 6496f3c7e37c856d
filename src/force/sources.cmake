target_sources(lyra_objects PRIVATE
  force/assembly.c
  force/contraction.c
  force/elastic.c
  force/evaluate.c
  force/force.c
  force/mass_spring.c
  force/springs.c
  force/tree.c
  force/viscosity.c)
list(APPEND LYRA_KERNEL_SOURCES
  force/engine_kernel.c
  force/spring_kernel.c
  force/tet_kernel.c
  force/viscosity_kernel.c)
