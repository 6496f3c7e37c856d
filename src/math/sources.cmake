# sources of math
