# tests of mesh

# operations and generators
lyra_add_test(mesh_generate)
lyra_add_test(mesh_mass LABELS threads)
lyra_add_test(mesh_topology LABELS threads)
lyra_add_test(mesh_edit)
