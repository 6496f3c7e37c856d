target_sources(lyra_objects PRIVATE
  integrate/central_differences.c
  integrate/dopri.c
  integrate/dopri_table.c
  integrate/euler.c
  integrate/explicit.c
  integrate/integrator.c
  integrate/measure.c
  integrate/methods.c
  integrate/rkc.c
  integrate/rosenbrock.c
  integrate/runge_kutta.c
  integrate/stability.c
  integrate/stage.c
  integrate/symplectic_euler.c
  integrate/verlet.c)
