target_sources(lyra_objects PRIVATE
  integrate/backward_euler.c
  integrate/integrator.c
  integrate/line_search.c
  integrate/measure.c
  integrate/methods.c
  integrate/newton.c
  integrate/newton_keep.c
  integrate/stage.c)
