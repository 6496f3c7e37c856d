target_sources(lyra_objects PRIVATE
  force/assembly.c
  force/elastic.c
  force/evaluate.c
  force/force.c
  force/tree.c)
list(APPEND LYRA_KERNEL_SOURCES
  force/engine_kernel.c
  force/tet_kernel.c)
