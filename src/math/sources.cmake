target_sources(lyra_objects PRIVATE
  math/mat3_batch.c
  math/math3.c
  math/quaternion.c)
list(APPEND LYRA_KERNEL_SOURCES math/mat3_kernels.c)

# dense algebra and its files
target_sources(lyra_objects PRIVATE
  math/dense_base.c
  math/dense_builtin.c
  math/dense_builtin_eigen.c
  math/dense_builtin_svd.c
  math/dense_decompose.c
  math/dense_exponential.c
  math/dense_factor.c
  math/dense_lapack.c
  math/dense_tiles.c
  math/npy_file.c
  math/vega_matrix_file.c)
list(APPEND LYRA_KERNEL_SOURCES math/dense_tile_kernels.c)
