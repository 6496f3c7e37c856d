# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds SPOOLES and gives the target SPOOLES::SPOOLES. Debian's shared library brings MPI along.

find_path(SPOOLES_INCLUDE_DIR FrontMtx.h PATH_SUFFIXES spooles)
find_library(SPOOLES_LIBRARY spooles)
mark_as_advanced(SPOOLES_INCLUDE_DIR SPOOLES_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SPOOLES REQUIRED_VARS SPOOLES_LIBRARY SPOOLES_INCLUDE_DIR)
if(SPOOLES_FOUND AND NOT TARGET SPOOLES::SPOOLES)
  add_library(SPOOLES::SPOOLES UNKNOWN IMPORTED)
  set_target_properties(SPOOLES::SPOOLES PROPERTIES
    IMPORTED_LOCATION ${SPOOLES_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${SPOOLES_INCLUDE_DIR})
endif()
