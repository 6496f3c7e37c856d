# the command as a user types it
if(LYRA_PROGRAMS)
  set(slow_run_kill LABELS slow)
  foreach(command mesh eval picture run run_kill view)
    lyra_add_test(cli_${command} ${slow_${command}})
    target_compile_definitions(test_cli_${command} PRIVATE LYRA_CLI="$<TARGET_FILE:lyra_cli>")
    add_dependencies(test_cli_${command} lyra_cli)
  endforeach()

  # parts of the viewer that need no network
  set(cli ${PROJECT_SOURCE_DIR}/programs/cli)
  lyra_add_test(cli_view_hub LABELS threads)
  target_sources(test_cli_view_hub PRIVATE ${cli}/cli.c ${cli}/view_hub.c ${cli}/view_message.c)
  target_include_directories(test_cli_view_hub PRIVATE ${cli})
  target_sources(test_cli_view PRIVATE ${cli}/view_message.c)
  target_include_directories(test_cli_view PRIVATE ${cli})
endif()
