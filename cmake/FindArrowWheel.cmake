# Arrow and Parquet C++ as the pyarrow wheel ships them: headers and shared libraries.
# STRANDLINE_ARROW_ROOT points at a folder with include/ and the .so files (or lib/ with them); by default
# it is the wheel in .deps/venv that scripts/bootstrap.sh installed.
set(STRANDLINE_ARROW_ROOT "" CACHE PATH "Folder with Arrow's include/ and libraries")
if(NOT STRANDLINE_ARROW_ROOT)
  file(GLOB _found "${CMAKE_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/pyarrow")
  list(GET _found 0 STRANDLINE_ARROW_ROOT)
endif()
find_path(ARROW_INCLUDE_DIR arrow/api.h PATHS "${STRANDLINE_ARROW_ROOT}/include" NO_DEFAULT_PATH REQUIRED)
foreach(_lib arrow parquet arrow_compute)
  file(GLOB _file "${STRANDLINE_ARROW_ROOT}/lib${_lib}.so.*00" "${STRANDLINE_ARROW_ROOT}/lib/lib${_lib}.so.*00")
  if(NOT _file)
    message(FATAL_ERROR "lib${_lib}.so not found under ${STRANDLINE_ARROW_ROOT}: run scripts/bootstrap.sh or set STRANDLINE_ARROW_ROOT")
  endif()
  list(GET _file 0 _file)
  add_library(ArrowWheel::${_lib} SHARED IMPORTED)
  set_target_properties(ArrowWheel::${_lib} PROPERTIES IMPORTED_LOCATION "${_file}"
    INTERFACE_INCLUDE_DIRECTORIES "${ARROW_INCLUDE_DIR}")
  get_filename_component(ARROW_LIBRARY_DIR "${_file}" DIRECTORY)
  list(APPEND ARROW_RUNTIME_LIBRARIES "${_file}")
endforeach()
target_link_libraries(ArrowWheel::parquet INTERFACE ArrowWheel::arrow)
target_link_libraries(ArrowWheel::arrow_compute INTERFACE ArrowWheel::arrow)
