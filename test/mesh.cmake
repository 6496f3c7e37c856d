# tests of mesh
