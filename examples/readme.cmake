# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause

# Fails unless the first C program of README is EXAMPLE from its first #include on.

foreach(name README EXAMPLE)
  file(READ ${${name}} text)
  # what CMake would take for parts of lists
  string(REPLACE "[" "<" text "${text}")
  string(REPLACE "]" ">" text "${text}")
  string(REPLACE ";" "," text "${text}")
  set(${name}_text "${text}")
endforeach()
string(FIND "${EXAMPLE_text}" "#include" begin)
string(SUBSTRING "${EXAMPLE_text}" ${begin} -1 program)
string(FIND "${README_text}" "```c\n${program}```\n" found)
if(found EQUAL -1)
  message(FATAL_ERROR "the C program of ${README} is not that of ${EXAMPLE}")
endif()
