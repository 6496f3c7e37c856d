target_sources(lyra_objects PRIVATE
  mesh/mesh.c)

# files
target_sources(lyra_objects PRIVATE
  mesh/builder.c
  mesh/format.c
  mesh/rows.c
  mesh/stream.c
  mesh/tetgen.c
  mesh/veg_lines.c
  mesh/veg_material.c
  mesh/veg_read.c
  mesh/veg_write.c
  mesh/vertex_list.c
  mesh/vtu_data.c
  mesh/vtu_groups.c
  mesh/vtu_read.c
  mesh/vtu_write.c
  mesh/xml.c)
