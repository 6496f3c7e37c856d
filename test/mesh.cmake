# tests of mesh

# operations and generators
lyra_add_test(mesh_generate)
lyra_add_test(mesh_mass LABELS threads)
