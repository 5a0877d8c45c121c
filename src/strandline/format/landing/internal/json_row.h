#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/base/result.h"
#include "strandline/format/landing/internal/text_value.h"

namespace strandline::format::landing {

// One value of one column, parsed, before its row is known to be good.
struct JsonValue {
  bool present = false;  // The object names the field.
  bool null = true;
  std::int64_t number = 0;  // Booleans, ints, dates, times, timestamps.
  double real = 0;          // Floats and doubles.
  Int128 decimal = 0;       // Unscaled.
  std::string_view text;    // Strings; valid until the next line is parsed.
  std::string bytes;        // Uuids.
};

// What keeps a line from being a row.
struct JsonProblem {
  std::string reason;
  std::string column;  // Empty: the line as a whole.
};

// Parses JSON objects, one a line, into the columns of a schema. Every line is checked as a whole,
// also those of its fields that are no columns. A field that comes twice is a problem: which of the
// two was meant cannot be known. Fields are found by their exact (unescaped) name. Not thread-safe.
class JsonRowParser {
 public:
  // `schema` must be one that CheckJsonSchema() accepts.
  explicit JsonRowParser(std::shared_ptr<arrow::Schema> schema);
  ~JsonRowParser();

  // Absent when `line` is a good row; its values are in values() then. `line` must have
  // LineReader::kPaddingBytes readable bytes behind it.
  std::optional<JsonProblem> Parse(std::string_view line);

  // By column.
  const std::vector<JsonValue>& values() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// kInvalidArgument, naming the column, for types that JSON lines cannot give (binary, fixed,
// nested).
Status CheckJsonSchema(const arrow::Schema& schema);

}  // namespace strandline::format::landing
