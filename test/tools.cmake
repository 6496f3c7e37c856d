# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks of the sources, of the built library and of what users get.

function(lyra_add_tool_test name)
  cmake_parse_arguments(ARG "" "" "COMMAND;LABELS" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${LYRA_TEST_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

# ---- sources ----
lyra_add_tool_test(tools.layers LABELS source
  COMMAND ${PROJECT_SOURCE_DIR}/tools/check_layers ${PROJECT_SOURCE_DIR})
lyra_add_tool_test(tools.sources LABELS source
  COMMAND ${PROJECT_SOURCE_DIR}/tools/check_sources ${PROJECT_SOURCE_DIR})
lyra_add_tool_test(tools.parameters LABELS source
  COMMAND ${PROJECT_SOURCE_DIR}/tools/check_parameters ${PROJECT_SOURCE_DIR})
lyra_add_tool_test(tools.docs LABELS source
  COMMAND ${PROJECT_SOURCE_DIR}/tools/check_docs ${PROJECT_SOURCE_DIR})
lyra_add_tool_test(tools.checks_find_faults LABELS source
  COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR}/test/test_tools.sh ${PROJECT_SOURCE_DIR})

# ---- every public header compiles alone, in C and in C++ ----
find_program(LYRA_CXX_COMPILER NAMES c++ g++ clang++ DOC "C++ compiler for the tests of the headers")
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
     ${PROJECT_SOURCE_DIR}/include/lyra/*.h ${PROJECT_SOURCE_DIR}/include/lyra/*.h.in)
set(strict -Wall -Wextra -Werror -pedantic -fsyntax-only
    -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include)
foreach(header ${headers})
  string(REGEX REPLACE "\\.in$" "" header ${header})
  string(REGEX REPLACE "^lyra/(.*)\\.h$" "\\1" stem ${header})
  foreach(language c cpp)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.${language})
    file(CONFIGURE OUTPUT ${file} CONTENT
      "#include \"${header}\"\n#include \"${header}\"\nextern int lyra_header_alone;\n")
  endforeach()
  lyra_add_tool_test(header.${stem}.c LABELS source
    COMMAND ${CMAKE_C_COMPILER} -std=c17 ${strict} ${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.c)
  if(LYRA_CXX_COMPILER)
    lyra_add_tool_test(header.${stem}.cpp LABELS source
      COMMAND ${LYRA_CXX_COMPILER} -std=c++17 ${strict}
              ${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.cpp)
  endif()
endforeach()

# ---- the example on the first page compiles and runs ----
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)
file(READ ${PROJECT_SOURCE_DIR}/README.md readme)
if(NOT readme MATCHES "```c\n")
  message(FATAL_ERROR "README.md has no C example")
endif()
string(REGEX REPLACE "^.*```c\n" "" example "${readme}")
string(REGEX REPLACE "```.*$" "" example "${example}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c CONTENT "${example}" @ONLY)
add_executable(readme_example ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c)
target_link_libraries(readme_example PRIVATE lyra::lyra lyra_flags m)
set_target_properties(readme_example PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
lyra_add_tool_test(readme.example COMMAND readme_example)

# ---- the built library ----
# sanitizers, coverage and asserts bring symbols of their own
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT LYRA_SANITIZE AND NOT LYRA_COVERAGE
   AND NOT LYRA_TESTS_SHARED)
  lyra_add_tool_test(tools.exports
    COMMAND ${CMAKE_COMMAND} -E env NM=${CMAKE_NM} ${PROJECT_SOURCE_DIR}/tools/check_exports
            $<TARGET_FILE:lyra_shared> $<TARGET_FILE:lyra_static>)
endif()

# ---- the install, as users see it ----
if(LYRA_PROGRAMS AND LYRA_INSTALL AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT LYRA_SANITIZE)
  foreach(what package subdirectory)
    lyra_add_tool_test(install.${what}
      COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} ${CMAKE_CURRENT_SOURCE_DIR}/test_install.sh
              ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${what})
  endforeach()
  # compiles the library once more
  set_tests_properties(install.subdirectory PROPERTIES LABELS long)
endif()

# ---- what the pages of the docs tell their readers to type ----
# a section of the cookbook is a recipe of its own; the sections of getting started need one another
if(LYRA_PROGRAMS AND LY_HAVE_YAML AND LY_HAVE_PNG AND CMAKE_BUILD_TYPE STREQUAL Release
   AND NOT LYRA_SANITIZE AND NOT LYRA_TESTS_SHARED)
  set(cookbook ${PROJECT_SOURCE_DIR}/docs/cookbook.md)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cookbook})
  set(recipe ${CMAKE_COMMAND} -E env LYRA_CLI=$<TARGET_FILE:lyra_cli>
      LYRA_LIBRARY=$<TARGET_FILE:lyra_shared>
      LYRA_INCLUDES=${PROJECT_SOURCE_DIR}/include:${PROJECT_BINARY_DIR}/include
      ${PROJECT_SOURCE_DIR}/tools/run_recipe)
  lyra_add_tool_test(docs.getting_started
    COMMAND ${recipe} ${PROJECT_SOURCE_DIR}/docs/getting_started.md)
  file(STRINGS ${cookbook} headings REGEX "^## ")
  foreach(heading ${headings})
    string(REGEX REPLACE "^## " "" slug ${heading})
    string(TOLOWER ${slug} slug)
    string(REGEX REPLACE "[^a-z0-9]+" "-" slug ${slug})
    lyra_add_tool_test(docs.cookbook.${slug} COMMAND ${recipe} ${cookbook} ${slug})
  endforeach()
endif()
