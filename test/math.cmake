lyra_add_test(math_decompose LABELS slow)
lyra_add_test(math_batch LABELS threads)
lyra_add_test(math_derivatives)
