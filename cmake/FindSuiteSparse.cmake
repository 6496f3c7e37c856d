# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Finds libraries of SuiteSparse, the components CHOLMOD and UMFPACK, and gives a target
# SuiteSparse::<component> for each. What they need beside (AMD, COLAMD, BLAS) their shared
# libraries name themselves.

set(required)
foreach(component ${SuiteSparse_FIND_COMPONENTS})
  string(TOLOWER ${component} name)
  find_path(SuiteSparse_${component}_INCLUDE_DIR ${name}.h PATH_SUFFIXES suitesparse)
  find_library(SuiteSparse_${component}_LIBRARY ${name})
  mark_as_advanced(SuiteSparse_${component}_INCLUDE_DIR SuiteSparse_${component}_LIBRARY)
  set(SuiteSparse_${component}_FOUND FALSE)
  if(SuiteSparse_${component}_INCLUDE_DIR AND SuiteSparse_${component}_LIBRARY)
    set(SuiteSparse_${component}_FOUND TRUE)
    if(NOT TARGET SuiteSparse::${component})
      add_library(SuiteSparse::${component} UNKNOWN IMPORTED)
      set_target_properties(SuiteSparse::${component} PROPERTIES
        IMPORTED_LOCATION ${SuiteSparse_${component}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${SuiteSparse_${component}_INCLUDE_DIR})
    endif()
  endif()
  list(APPEND required SuiteSparse_${component}_LIBRARY SuiteSparse_${component}_INCLUDE_DIR)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SuiteSparse REQUIRED_VARS ${required} HANDLE_COMPONENTS)
