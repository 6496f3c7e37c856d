target_sources(lyra_objects PRIVATE
  math/mat3_batch.c
  math/math3.c
  math/quaternion.c)
list(APPEND LYRA_KERNEL_SOURCES math/mat3_kernels.c)
