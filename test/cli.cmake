# the command as a user types it
if(LYRA_PROGRAMS)
  set(slow_run_kill LABELS slow)
  set(slow_run_files LABELS slow)
  foreach(command bench compare mesh volume eval fit modes point picture run run_files run_kill scene verify
                  view)
    lyra_add_test(cli_${command} ${slow_${command}})
    target_compile_definitions(test_cli_${command} PRIVATE LYRA_CLI="$<TARGET_FILE:lyra_cli>")
    add_dependencies(test_cli_${command} lyra_cli)
  endforeach()

  # the recorder of `lyra verify` is tested by itself too
  foreach(source cli verify_record verify_report)
    target_sources(test_cli_verify PRIVATE ${PROJECT_SOURCE_DIR}/programs/cli/${source}.c)
  endforeach()

  # and so is the comparison of `lyra bench`, with times that no machine measured
  foreach(source cli bench_baseline bench_rows)
    target_sources(test_cli_bench PRIVATE ${PROJECT_SOURCE_DIR}/programs/cli/${source}.c)
  endforeach()
  target_include_directories(test_cli_bench PRIVATE ${PROJECT_SOURCE_DIR}/programs/cli)

  # what the command does with the remarks of the library
  lyra_add_test(cli_remarks LABELS threads)
  target_sources(test_cli_remarks PRIVATE ${PROJECT_SOURCE_DIR}/programs/cli/cli.c)
  target_include_directories(test_cli_remarks PRIVATE ${PROJECT_SOURCE_DIR}/programs/cli)

  # the quick part of `lyra verify`, in an optimised build with the GPL libraries: its statics need
  # sparse factors, and sanitizers would make it long
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND LY_HAVE_CHOLMOD AND LY_HAVE_UMFPACK)
    add_test(NAME verify.quick COMMAND lyra_cli verify --quick)
    set_tests_properties(verify.quick PROPERTIES LABELS slow TIMEOUT ${LYRA_TEST_TIMEOUT})
  endif()
  # parts of the viewer that need no network
  set(cli ${PROJECT_SOURCE_DIR}/programs/cli)
  lyra_add_test(cli_view_hub LABELS threads)
  target_sources(test_cli_view_hub PRIVATE ${cli}/cli.c ${cli}/view_hub.c ${cli}/view_message.c)
  target_include_directories(test_cli_view_hub PRIVATE ${cli})
  target_sources(test_cli_view PRIVATE ${cli}/view_message.c)
  target_include_directories(test_cli_view PRIVATE ${cli})
endif()

# the command once more, out of memory where the tests say
if(LYRA_PROGRAMS)
  add_executable(lyra_cli_failing cli_failing.c $<TARGET_OBJECTS:lyra_cli>)
  add_dependencies(lyra_cli_failing lyra_cli)
  target_link_libraries(lyra_cli_failing PRIVATE $<TARGET_PROPERTY:lyra_cli,LINK_LIBRARIES>
    -Wl,--wrap=lyra_context_create,--wrap=malloc,--wrap=calloc,--wrap=realloc)
  set_target_properties(lyra_cli_failing PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  lyra_add_test(cli_allocations)
  target_compile_definitions(test_cli_allocations PRIVATE
    LYRA_CLI="$<TARGET_FILE:lyra_cli_failing>")
  add_dependencies(test_cli_allocations lyra_cli_failing)
endif()
