# One library per room, linked only to rooms below it (tests/tools/check_includes.py holds the same order).

add_library(strandline_options INTERFACE)
target_include_directories(strandline_options INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}")
target_compile_options(strandline_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Werror)
target_compile_definitions(strandline_options INTERFACE "STRANDLINE_VERSION=\"${PROJECT_VERSION}\"")

# Third-party headers that many files need, compiled once. ccache needs the sloppiness that the Makefile sets.
set(SL_PCH_PLAIN <algorithm> <chrono> <functional> <map> <memory> <optional> <span> <string> <string_view> <variant>
  <vector> <fmt/format.h>)
set(SL_PCH_ARROW ${SL_PCH_PLAIN} <arrow/api.h>)

# sl_room(NAME [ARROW] DEPENDS ...): all .cc files under NAME except tests, as library sl_NAME; the files named
# *_test.cc as the test program sl_NAME_test. "/" in NAME becomes "_". ARROW also precompiles Arrow's headers.
function(sl_room name)
  cmake_parse_arguments(ROOM "ARROW" "" "DEPENDS;TEST_DEPENDS" ${ARGN})
  string(REPLACE "/" "_" target "${name}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main/main)\\.cc$")
  if(NOT sources)
    return()
  endif()
  add_library(sl_${target} STATIC ${sources})
  target_link_libraries(sl_${target} PUBLIC strandline_options fmt::fmt ${ROOM_DEPENDS})
  if(ROOM_ARROW)
    target_link_libraries(sl_${target} PUBLIC ArrowWheel::arrow ArrowWheel::parquet ArrowWheel::arrow_compute)
    target_precompile_headers(sl_${target} PRIVATE ${SL_PCH_ARROW})
  else()
    target_precompile_headers(sl_${target} PRIVATE ${SL_PCH_PLAIN})
  endif()
  if(STRANDLINE_TESTS AND tests)
    set_property(GLOBAL APPEND PROPERTY SL_ROOM_TESTS "${target}")
    set_property(GLOBAL PROPERTY SL_ROOM_TESTS_${target} "${tests}")
    set_property(GLOBAL PROPERTY SL_ROOM_TESTS_ARROW_${target} "${ROOM_ARROW}")
    set_property(GLOBAL PROPERTY SL_ROOM_TESTS_DEPENDS_${target} "${ROOM_TEST_DEPENDS}")
  endif()
endfunction()
