target_sources(lyra_objects PRIVATE
  base/arena.c
  base/context.c
  base/isa.c
  base/memory.c
  base/status.c
  base/thread_pool.c)
