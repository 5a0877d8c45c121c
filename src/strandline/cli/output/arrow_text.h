#pragma once

#include <cstdint>
#include <string>

#include <arrow/type_fwd.h>
#include <nlohmann/json_fwd.hpp>

namespace strandline::cli {

// One value of an answer as people read it: times in ISO 8601, decimals with all their digits,
// bytes in hexadecimal, null as `null`.
std::string CellText(const arrow::Array& array, std::int64_t row);

// The same for JSON: numbers and booleans as such (decimals and 64-bit integers beyond 2^53 as
// text, which no reader rounds), the rest as text; nested values as they nest.
nlohmann::json CellJson(const arrow::Array& array, std::int64_t row);

}  // namespace strandline::cli
