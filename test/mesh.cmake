# tests of mesh
lyra_add_test(mesh_create)
lyra_add_test(mesh_tree LABELS threads)
lyra_add_test(mesh_embed LABELS threads)
lyra_add_test(mesh_surface)
lyra_add_test(mesh_obj)

# operations and generators
lyra_add_test(mesh_generate)
lyra_add_test(mesh_mass LABELS threads)
lyra_add_test(mesh_topology LABELS threads)
lyra_add_test(mesh_edit)
lyra_add_test(mesh_quadratic LABELS threads)
lyra_add_test(mesh_sets)
lyra_add_test(mesh_reference)
# mesh files
add_library(lyra_mesh_file_test STATIC mesh_file_test.c)
target_link_libraries(lyra_mesh_file_test PUBLIC lyra_test_harness)
foreach(format veg tetgen vtu vertex_list formats formats_bad repair set_files quadratic_files)
  lyra_add_test(mesh_${format})
  target_link_libraries(test_mesh_${format} PRIVATE lyra_mesh_file_test)
endforeach()
