target_sources(lyra_objects PRIVATE
  mesh/mesh.c)
target_sources(lyra_objects PRIVATE
  mesh/box_tree.c
  mesh/element_shape.c
  mesh/embed.c
  mesh/interp.c
  mesh/line.c
  mesh/mtl.c
  mesh/names.c
  mesh/obj.c
  mesh/obj_write.c
  mesh/surface.c
  mesh/surface_normals.c
  mesh/surface_report.c
  mesh/tree.c
  mesh/triangulate.c)

# operations and generators
target_sources(lyra_objects PRIVATE
  mesh/boundary.c
  mesh/edit.c
  mesh/element.c
  mesh/generate.c
  mesh/generate_cubes.c
  mesh/generate_round.c
  mesh/mass_matrix.c
  mesh/mass_properties.c
  mesh/merge.c
  mesh/orient.c
  mesh/quality.c
  mesh/refine.c
  mesh/sort.c
  mesh/topology.c
  mesh/voxels.c)
# files
target_sources(lyra_objects PRIVATE
  mesh/builder.c
  mesh/export.c
  mesh/format.c
  mesh/format_guess.c
  mesh/gmsh2.c
  mesh/gmsh4.c
  mesh/gmsh_read.c
  mesh/gmsh_write.c
  mesh/import.c
  mesh/import_mesh.c
  mesh/import_repeats.c
  mesh/import_select.c
  mesh/import_sets.c
  mesh/import_surface.c
  mesh/inp_material.c
  mesh/inp_read.c
  mesh/inp_sets.c
  mesh/inp_write.c
  mesh/medit.c
  mesh/ply.c
  mesh/rows.c
  mesh/stl.c
  mesh/stream.c
  mesh/tetgen.c
  mesh/values.c
  mesh/veg_lines.c
  mesh/veg_material.c
  mesh/veg_read.c
  mesh/veg_write.c
  mesh/vertex_list.c
  mesh/vtk.c
  mesh/vtk_cells.c
  mesh/vtu_data.c
  mesh/vtu_groups.c
  mesh/vtu_pack.c
  mesh/vtu_read.c
  mesh/vtu_write.c
  mesh/xml.c)
