lyra_add_test(math_decompose)
lyra_add_test(math_batch LABELS threads)
lyra_add_test(math_derivatives)
lyra_add_test(math_vectors)

# checks of the lanes, compiled as the kernels are: once per instruction set
lyra_add_test(math_lanes)
foreach(isa ${LYRA_KERNEL_ISAS})
  add_library(test_math_lanes_${isa} OBJECT math_lanes_kernel.c)
  target_compile_definitions(test_math_lanes_${isa} PRIVATE
    LY_LANES=${LYRA_KERNEL_LANES_${isa}} LY_ISA=${isa})
  target_compile_options(test_math_lanes_${isa} PRIVATE ${LYRA_KERNEL_FLAGS_${isa}} -Wno-psabi)
  target_link_libraries(test_math_lanes_${isa} PRIVATE lyra_test_harness)
  target_sources(test_math_lanes PRIVATE $<TARGET_OBJECTS:test_math_lanes_${isa}>)
endforeach()
