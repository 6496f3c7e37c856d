target_sources(lyra_objects PRIVATE
  scene/scene.c)
