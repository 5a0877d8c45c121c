#pragma once

#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <parquet/exception.h>

#include "strandline/base/result.h"
#include "strandline/format/batch/arrow_status.h"

namespace strandline::format {

// The Error for a failure of Arrow at `location`. An error of ours inside it is given back as it is
// (it names the file already); anything else gets the file's name in front.
inline Error FileError(const std::string& location, const arrow::Status& status, ErrorKind kind) {
  Error error = FromArrow(status, kind).error();
  if (CarriesOurError(status)) {
    return error;
  }
  return std::move(error).While("Parquet file " + location);
}

// Calls `work`, which uses the Parquet library, and turns whatever it throws into an Error that
// names the file. `work` returns a Result.
template <typename Work>
auto Guarded(const std::string& location, ErrorKind kind, Work&& work)
    -> std::invoke_result_t<Work> {
  try {
    return std::forward<Work>(work)();
  } catch (const parquet::ParquetStatusException& e) {
    return FileError(location, e.status(), kind);
  } catch (const std::bad_alloc&) {
    return MakeError(ErrorKind::kUnavailable, "Parquet file {}: out of memory", location);
  } catch (const std::exception& e) {
    return MakeError(kind, "Parquet file {}: {}", location, e.what());
  }
}

// The same for calls that answer with a status or a result of Arrow.
template <typename T>
Result<T> InFile(const std::string& location, arrow::Result<T> result, ErrorKind kind) {
  if (!result.ok()) {
    return FileError(location, result.status(), kind);
  }
  return std::move(result).ValueUnsafe();
}

inline Status InFile(const std::string& location, const arrow::Status& status, ErrorKind kind) {
  if (!status.ok()) {
    return FileError(location, status, kind);
  }
  return {};
}

}  // namespace strandline::format
