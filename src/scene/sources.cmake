target_sources(lyra_objects PRIVATE
  scene/bodies.c
  scene/constraints.c
  scene/curve.c
  scene/defaults.c
  scene/expression.c
  scene/loads.c
  scene/scene.c
  scene/schema.c
  scene/schema_read.c
  scene/select.c
  scene/target_springs.c
  scene/tree.c
  scene/units.c
  scene/yaml.c)
