# sources of sparse
