target_sources(lyra_objects PRIVATE
  model/dense_functions.c
  model/dense_matrices.c
  model/dense_system.c
  model/eigenvalue.c
  model/fields.c
  model/fingerprint.c
  model/followed.c
  model/mass.c
  model/mass_solve.c
  model/model.c
  model/rest.c
  model/sparse_system.c
  model/state.c
  model/system.c
  model/tangent.c
  model/tangent_points.c
  model/vector.c)
