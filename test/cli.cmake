# the command as a user types it
if(LYRA_PROGRAMS)
  foreach(command mesh eval picture)
    lyra_add_test(cli_${command})
    target_compile_definitions(test_cli_${command} PRIVATE LYRA_CLI="$<TARGET_FILE:lyra_cli>")
    add_dependencies(test_cli_${command} lyra_cli)
  endforeach()
endif()
