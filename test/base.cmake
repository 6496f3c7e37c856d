lyra_add_test(base_context LABELS threads)
lyra_add_test(base_number)
lyra_add_test(base_scanner)
lyra_add_test(base_file LABELS threads)
lyra_add_test(base_number_sweep LABELS long)

# the bounds that reading and printing numbers rest on, and the table itself
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  add_test(NAME base_number_table
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/generate_number_table.py --verify)
endif()
