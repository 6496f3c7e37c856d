target_sources(lyra_objects PRIVATE
  scene/compile.c
  scene/config.c
  scene/config_cloth.c
  scene/config_springs.c
  scene/config_state.c
  scene/config_surfaces.c
  scene/config_text.c
  scene/convert.c
  scene/format.c
  scene/numbers.c
  scene/print.c
  scene/read.c
  scene/scene.c
  scene/spec.c
  scene/tree.c
  scene/units.c)
