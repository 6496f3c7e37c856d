# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The viewer of `lyra view`: libwebsockets serves it, and npm brings what the page is bundled from,
# once, when this is configured. Where one of them is missing, or npm cannot get its packages, the
# command says that this build has no viewer, and all else stays. Why, viewer.txt in the build folder
# says; it is empty where the viewer is in.

set(LYRA_VIEWER OFF)
set(missing "LYRA_WITH_WEBSOCKETS is off")
set(LYRA_VIEWER_WEB ${PROJECT_SOURCE_DIR}/web)
set(packages ${CMAKE_CURRENT_BINARY_DIR}/web)

if(LYRA_WITH_WEBSOCKETS)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(WEBSOCKETS QUIET IMPORTED_TARGET GLOBAL libwebsockets>=4.1)
  endif()
  find_program(LYRA_NODE NAMES node nodejs)
  find_program(LYRA_NPM npm)
  if(NOT WEBSOCKETS_FOUND)
    set(missing "no libwebsockets")
  elseif(NOT LYRA_NODE OR NOT LYRA_NPM)
    set(missing "no npm")
  else()
    set(LYRA_VIEWER ON)
  endif()
endif()

if(LYRA_VIEWER)
  set(lock ${LYRA_VIEWER_WEB}/package-lock.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lock})
  file(SHA256 ${lock} wanted)
  set(found "")
  if(EXISTS ${packages}/stamp)
    file(READ ${packages}/stamp found)
  endif()
  if(NOT found STREQUAL wanted)
    file(REMOVE ${packages}/stamp)
    file(COPY ${LYRA_VIEWER_WEB}/package.json ${lock} DESTINATION ${packages})
    execute_process(
      COMMAND ${LYRA_NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline
      WORKING_DIRECTORY ${packages} RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE problem)
    if(result EQUAL 0)
      file(WRITE ${packages}/stamp ${wanted})
    else()
      set(missing "npm could not get its packages: ${problem}")
      set(LYRA_VIEWER OFF)
    endif()
  endif()
endif()

if(LYRA_VIEWER)
  set(missing "")
elseif(LYRA_WITH_WEBSOCKETS)
  message(STATUS "The viewer is left out: ${missing}")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/viewer.txt "${missing}")

if(LYRA_VIEWER)
  file(GLOB sources CONFIGURE_DEPENDS ${LYRA_VIEWER_WEB}/src/*)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/view_page.c)
  add_custom_command(OUTPUT ${page}
    COMMAND ${LYRA_NODE} ${LYRA_VIEWER_WEB}/build.mjs ${packages} ${page}
    DEPENDS ${sources} ${LYRA_VIEWER_WEB}/build.mjs ${packages}/stamp
    COMMENT "Bundling the viewer's page" VERBATIM)
  target_sources(lyra_cli PRIVATE ${page} view_drag.c view_frame.c view_hub.c view_message.c
    view_record.c view_scene.c view_server.c view_sim.c)
  target_include_directories(lyra_cli PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(lyra_cli PRIVATE LYRA_VIEWER)
  set_source_files_properties(view_server.c PROPERTIES COMPILE_DEFINITIONS _DEFAULT_SOURCE)
  target_link_libraries(lyra_cli PRIVATE PkgConfig::WEBSOCKETS)
endif()
