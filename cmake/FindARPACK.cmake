# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds ARPACK with its C interface and gives the target ARPACK::ARPACK.

find_path(ARPACK_INCLUDE_DIR arpack/arpack.h)
find_library(ARPACK_LIBRARY arpack)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ARPACK REQUIRED_VARS ARPACK_LIBRARY ARPACK_INCLUDE_DIR)
mark_as_advanced(ARPACK_INCLUDE_DIR ARPACK_LIBRARY)
if(ARPACK_FOUND AND NOT TARGET ARPACK::ARPACK)
  add_library(ARPACK::ARPACK UNKNOWN IMPORTED)
  set_target_properties(ARPACK::ARPACK PROPERTIES
    IMPORTED_LOCATION ${ARPACK_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ARPACK_INCLUDE_DIR})
endif()
