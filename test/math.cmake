lyra_add_test(math_decompose LABELS slow)
