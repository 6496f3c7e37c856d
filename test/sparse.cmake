# tests of sparse
