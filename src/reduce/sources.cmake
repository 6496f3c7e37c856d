target_sources(lyra_objects PRIVATE
  reduce/modes.c
  reduce/modes_arpack.c
  reduce/modes_lanczos.c)
