# DuckDB's official static libraries as its Go module ships them. STRANDLINE_DUCKDB_ROOT points at a folder
# with duckdb.h and the libraries; by default it is the link .deps/duckdb that scripts/bootstrap.sh made.
set(STRANDLINE_DUCKDB_ROOT "${CMAKE_SOURCE_DIR}/.deps/duckdb" CACHE PATH "Folder with duckdb.h and its static libraries")
find_path(DUCKDB_INCLUDE_DIR duckdb.h PATHS "${STRANDLINE_DUCKDB_ROOT}" "${STRANDLINE_DUCKDB_ROOT}/include" NO_DEFAULT_PATH REQUIRED)
set(_libs duckdb_static duckdb_generated_extension_loader autocomplete_extension core_functions_extension icu_extension
  json_extension parquet_extension tpcds_extension tpch_extension duckdb_fastpforlib duckdb_fmt duckdb_fsst
  duckdb_hyperloglog duckdb_mbedtls duckdb_miniz duckdb_pg_query duckdb_re2 duckdb_skiplistlib duckdb_utf8proc
  duckdb_yyjson duckdb_zstd)
list(TRANSFORM _libs PREPEND "${STRANDLINE_DUCKDB_ROOT}/lib")
list(TRANSFORM _libs APPEND ".a")
add_library(DuckDb::duckdb INTERFACE IMPORTED)
set_target_properties(DuckDb::duckdb PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${DUCKDB_INCLUDE_DIR}"
  INTERFACE_COMPILE_DEFINITIONS DUCKDB_STATIC_BUILD
  INTERFACE_LINK_LIBRARIES "${_libs};m;dl;pthread")
