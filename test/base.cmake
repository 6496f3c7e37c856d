lyra_add_test(base_context LABELS threads)
lyra_add_test(base_number)
lyra_add_test(base_scanner)
lyra_add_test(base_file LABELS threads)
