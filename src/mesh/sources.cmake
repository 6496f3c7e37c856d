# sources of mesh
