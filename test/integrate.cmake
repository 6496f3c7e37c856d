# tests of integrate
lyra_add_test(integrate_implicit)
lyra_add_test(integrate_vega)
lyra_add_test(integrate_steps LABELS threads)
lyra_add_test(integrate_physics)
lyra_add_test(integrate_newton)
lyra_add_test(integrate_invariance)
lyra_add_test(integrate_keep)
lyra_add_test(integrate_cost)
lyra_add_test(integrate_bodies)
lyra_add_test(integrate_coefficients)
lyra_add_test(integrate_explicit LABELS threads)
lyra_add_test(integrate_orders)
lyra_add_test(integrate_search)
lyra_add_test(integrate_start)
lyra_add_test(integrate_robust LABELS slow)
lyra_add_test(integrate_robust_long LABELS long)
lyra_add_test(integrate_hauth LABELS slow)
lyra_add_test(integrate_hauth_long LABELS long)
lyra_add_test(integrate_every LABELS threads)
# a minute each under the thread sanitizer; the others open the same loops
set_tests_properties(integrate_every.all_move_alike
  integrate_every.a_broken_prescription_is_named_and_leaves_no_trace
  integrate_every.steps_of_any_length_end_well_or_are_refused PROPERTIES LABELS "threads;slow")

# the function on docs/integrators.md compiles and does what it says
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/docs/integrators.md)
file(READ ${PROJECT_SOURCE_DIR}/docs/integrators.md page)
if(NOT page MATCHES "```c\n")
  message(FATAL_ERROR "docs/integrators.md has no C example")
endif()
string(REGEX REPLACE "^.*```c\n" "" example "${page}")
string(REGEX REPLACE "```.*$" "" example "${example}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/integrators_example.h CONTENT "${example}" @ONLY)
lyra_add_test(integrate_page)
target_include_directories(test_integrate_page PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
