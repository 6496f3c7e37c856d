# tests of sparse
lyra_add_test(sparse_pattern LABELS threads)
lyra_add_test(sparse_product LABELS threads)
# a minute under the thread sanitizer
set_tests_properties(sparse_product.block_products_in_pieces_match_plain_loops
  PROPERTIES LABELS "threads;slow")
lyra_add_test(sparse_matrix LABELS threads)
lyra_add_test(sparse_dofs)
lyra_add_test(sparse_reorder)
lyra_add_test(sparse_market)
