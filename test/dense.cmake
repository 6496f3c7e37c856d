# tests of dense
