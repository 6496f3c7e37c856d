# tests of mesh
lyra_add_test(mesh_tree LABELS threads)
lyra_add_test(mesh_embed LABELS threads)
lyra_add_test(mesh_surface)
lyra_add_test(mesh_obj)

# operations and generators
lyra_add_test(mesh_generate)
lyra_add_test(mesh_mass LABELS threads)
lyra_add_test(mesh_topology LABELS threads)
lyra_add_test(mesh_edit)
