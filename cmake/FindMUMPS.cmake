# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds the sequential MUMPS for doubles and gives the target MUMPS::MUMPS. What it needs beside
# (its common part, a stand-in for MPI, BLAS) its shared library names itself.

find_path(MUMPS_INCLUDE_DIR dmumps_c.h PATH_SUFFIXES mumps_seq mumps)
find_library(MUMPS_LIBRARY dmumps_seq)
mark_as_advanced(MUMPS_INCLUDE_DIR MUMPS_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MUMPS REQUIRED_VARS MUMPS_LIBRARY MUMPS_INCLUDE_DIR)
if(MUMPS_FOUND AND NOT TARGET MUMPS::MUMPS)
  add_library(MUMPS::MUMPS UNKNOWN IMPORTED)
  set_target_properties(MUMPS::MUMPS PROPERTIES
    IMPORTED_LOCATION ${MUMPS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${MUMPS_INCLUDE_DIR})
endif()
