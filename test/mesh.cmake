# tests of mesh

# operations and generators
lyra_add_test(mesh_generate)
