# sources of sparse
target_sources(lyra_objects PRIVATE
  sparse/block_matrix.c
  sparse/block_pattern.c
  sparse/csr.c
  sparse/entries.c
  sparse/plan.c
  sparse/product.c)
list(APPEND LYRA_KERNEL_SOURCES
  sparse/block_kernels.c
  sparse/csr_kernels.c)
