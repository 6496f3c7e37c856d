# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the libraries, the headers, the command, and packages for CMake and pkg-config. All of
# it may be moved after the install.

include(CMakePackageConfigHelpers)

set(LYRA_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/lyra)

install(TARGETS lyra_shared EXPORT lyraTargets)
# a set of its own, because users of the static library need the libraries that it needs
install(TARGETS lyra_static EXPORT lyraStaticTargets)
if(LYRA_PROGRAMS)
  install(TARGETS lyra_cli)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lyra DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/lyra/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lyra)

# ---- CMake ----
install(EXPORT lyraTargets NAMESPACE lyra:: DESTINATION ${LYRA_INSTALL_CMAKEDIR})
install(EXPORT lyraStaticTargets NAMESPACE lyra:: DESTINATION ${LYRA_INSTALL_CMAKEDIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lyraConfig.cmake.in
  ${PROJECT_BINARY_DIR}/lyraConfig.cmake
  INSTALL_DESTINATION ${LYRA_INSTALL_CMAKEDIR} NO_SET_AND_CHECK_MACRO)
# before 1.0 a minor version may break
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lyraConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lyraConfig.cmake ${PROJECT_BINARY_DIR}/lyraConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindARPACK.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindMETIS.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindMUMPS.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindSPOOLES.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindSuiteSparse.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindYAML.cmake
        DESTINATION ${LYRA_INSTALL_CMAKEDIR})

# ---- pkg-config ----
# lyra_link_flags(<variable> <library>...): libraries as a linker's command line has them
function(lyra_link_flags variable)
  set(flags)
  foreach(library ${ARGN})
    get_filename_component(folder "${library}" DIRECTORY)
    get_filename_component(name "${library}" NAME_WE)
    if(NOT IS_ABSOLUTE "${library}")
      list(APPEND flags ${library})
    elseif(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES AND name MATCHES "^lib")
      string(REGEX REPLACE "^lib" "-l" name ${name})
      list(APPEND flags ${name})
    else()
      list(APPEND flags ${library})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES flags)
  string(REPLACE ";" " " flags "${flags}")
  set(${variable} "${flags}" PARENT_SCOPE)
endfunction()

set(libraries)
foreach(library UMFPACK CHOLMOD)
  if(LY_HAVE_${library})
    list(APPEND libraries ${SuiteSparse_${library}_LIBRARY})
  endif()
endforeach()
if(LY_HAVE_METIS)
  list(APPEND libraries ${METIS_LIBRARY})
endif()
if(LY_HAVE_MUMPS)
  list(APPEND libraries ${MUMPS_LIBRARY})
endif()
if(LY_HAVE_SPOOLES)
  list(APPEND libraries ${SPOOLES_LIBRARY})
endif()
if(LY_HAVE_ARPACK)
  list(APPEND libraries ${ARPACK_LIBRARY})
endif()
foreach(library PNG JPEG ZLIB)
  if(LY_HAVE_${library})
    list(APPEND libraries ${${library}_LIBRARIES})
  endif()
endforeach()
if(LY_HAVE_LAPACK)
  list(APPEND libraries ${LAPACK_LIBRARIES})
endif()
if(LY_HAVE_YAML)
  list(APPEND libraries ${YAML_LIBRARY})
endif()
set(LYRA_PC_DL)
if(CMAKE_DL_LIBS)
  set(LYRA_PC_DL -l${CMAKE_DL_LIBS})
endif()
lyra_link_flags(LYRA_PC_LIBS_PRIVATE ${libraries} -pthread -lm ${LYRA_PC_DL})
file(RELATIVE_PATH LYRA_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" LYRA_PC_PREFIX ${LYRA_PC_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/lyra.pc.in ${PROJECT_BINARY_DIR}/lyra.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lyra.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
