# tests of math
