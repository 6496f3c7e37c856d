# tests of sparse
lyra_add_test(sparse_pattern LABELS threads)
lyra_add_test(sparse_product LABELS threads)
lyra_add_test(sparse_matrix LABELS threads)
lyra_add_test(sparse_dofs)
lyra_add_test(sparse_reorder)
lyra_add_test(sparse_market)
