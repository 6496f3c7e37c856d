# sources of sparse
target_sources(lyra_objects PRIVATE
  sparse/block_matrix.c
  sparse/block_pattern.c
  sparse/convert.c
  sparse/csr.c
  sparse/dofs.c
  sparse/entries.c
  sparse/matrix_market.c
  sparse/permute.c
  sparse/plan.c
  sparse/product.c
  sparse/reduction.c
  sparse/reorder_dissect.c
  sparse/reorder_hilbert.c
  sparse/reorder_metis.c
  sparse/reorder_rcm.c)
list(APPEND LYRA_KERNEL_SOURCES
  sparse/block_kernels.c
  sparse/csr_kernels.c)
