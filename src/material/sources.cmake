target_sources(lyra_objects PRIVATE
  material/material.c)
list(APPEND LYRA_KERNEL_SOURCES
  material/invariant_kernel.c
  material/stretch_kernel.c)
