target_sources(lyra_objects PRIVATE
  collide/barrier.c
  collide/boxes.c
  collide/broad_phase.c
  collide/broad_queries.c
  collide/exact.c
  collide/intersections.c
  collide/motion.c
  collide/near.c
  collide/obstacle_group.c
  collide/obstacles.c
  collide/shape.c
  collide/shape_distance.c
  collide/shape_surface.c
)
list(APPEND LYRA_KERNEL_SOURCES collide/boxes_kernel.c)
