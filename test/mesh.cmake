# tests of mesh
lyra_add_test(mesh_tree LABELS threads)
lyra_add_test(mesh_embed LABELS threads)
lyra_add_test(mesh_surface)
lyra_add_test(mesh_obj)
