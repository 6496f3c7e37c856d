target_sources(lyra_objects PRIVATE
  base/arena.c
  base/checksum.c
  base/choices.c
  base/context.c
  base/cores.c
  base/file.c
  base/isa.c
  base/memory.c
  base/name_index.c
  base/number.c
  base/number_format.c
  base/number_table.c
  base/registry.c
  base/scanner.c
  base/status.c
  base/thread_pool.c
  base/writer.c)
