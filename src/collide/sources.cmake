target_sources(lyra_objects PRIVATE
  collide/barrier.c
  collide/obstacle_group.c
  collide/obstacles.c
  collide/shape.c
  collide/shape_distance.c
  collide/shape_surface.c
)
