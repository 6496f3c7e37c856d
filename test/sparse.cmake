# tests of sparse
lyra_add_test(sparse_pattern LABELS threads)
lyra_add_test(sparse_product LABELS threads)
