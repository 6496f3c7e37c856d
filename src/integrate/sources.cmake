target_sources(lyra_objects PRIVATE
  integrate/integrator.c
  integrate/newton.c)
