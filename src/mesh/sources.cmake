target_sources(lyra_objects PRIVATE
  mesh/mesh.c)

# files
target_sources(lyra_objects PRIVATE
  mesh/builder.c
  mesh/format.c
  mesh/rows.c
  mesh/stream.c
  mesh/veg_lines.c
  mesh/veg_material.c
  mesh/veg_read.c
  mesh/veg_write.c)
