# the command as a user types it
if(LYRA_PROGRAMS)
  lyra_add_test(cli_mesh)
  target_compile_definitions(test_cli_mesh PRIVATE LYRA_CLI="$<TARGET_FILE:lyra_cli>")
  add_dependencies(test_cli_mesh lyra_cli)
endif()
