target_sources(lyra_objects PRIVATE
  scene/config.c
  scene/config_springs.c
  scene/config_state.c
  scene/config_surfaces.c
  scene/config_text.c
  scene/scene.c)
