# the command as a user types it
if(LYRA_PROGRAMS)
  set(slow_run_kill LABELS slow)
  foreach(command mesh eval modes picture run run_kill)
    lyra_add_test(cli_${command} ${slow_${command}})
    target_compile_definitions(test_cli_${command} PRIVATE LYRA_CLI="$<TARGET_FILE:lyra_cli>")
    add_dependencies(test_cli_${command} lyra_cli)
  endforeach()
endif()
