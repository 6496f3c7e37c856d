target_sources(lyra_objects PRIVATE
  integrate/backward_euler.c
  integrate/bdf.c
  integrate/implicit_midpoint.c
  integrate/integrator.c
  integrate/line_search.c
  integrate/measure.c
  integrate/methods.c
  integrate/newmark.c
  integrate/newton.c
  integrate/newton_keep.c
  integrate/sdirk.c
  integrate/stage.c
  integrate/static.c)
