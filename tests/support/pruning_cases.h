#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "strandline/table/scan/expression.h"
#include "tests/support/matchers.h"

// Tables of one column `x` and at most one partition field made from it, for tests of what metadata
// proves.
namespace strandline::testing::pruning {

inline constexpr table::FieldId kX{1};

inline table::Schema SchemaOf(const table::Type& type) {
  table::NestedField field;
  field.id = kX;
  field.name = "x";
  field.type = type;
  table::Schema schema;
  schema.fields = {field};
  return schema;
}

inline table::PartitionSpec SpecOf(const std::string& transform) {
  const Result<table::Transform> parsed = table::ParseTransform(transform);
  return table::PartitionSpec{.id = table::SpecId(0),
                              .fields = {{kX, table::FieldId(1000), "x_part", parsed.value()}}};
}

inline table::Value Text(std::string text) { return table::Value(std::move(text)); }
inline table::Value Int(std::int32_t number) { return table::Value(number); }
inline table::Value Long(std::int64_t number) { return table::Value(number); }
inline table::Value Decimal(std::int64_t unscaled) { return table::Value(table::Int128{unscaled}); }

inline table::Expression X(table::ExpressionKind kind, std::vector<table::Value> literals = {}) {
  return table::Predicate(kind, "x", std::move(literals));
}

// What a file's metrics say of x. Absent members are left out of the metrics.
struct Metrics {
  std::optional<table::Value> lower = std::nullopt;
  std::optional<table::Value> upper = std::nullopt;
  std::optional<std::int64_t> nulls = std::nullopt;
  std::optional<std::int64_t> nans = std::nullopt;
};

inline constexpr std::int64_t kRows = 10;

inline table::DataFile FileWith(const table::Type& type, const Metrics& metrics) {
  table::DataFile file;
  file.record_count = kRows;
  file.value_counts = {{kX, kRows}};
  if (metrics.nulls) {
    file.null_value_counts = {{kX, *metrics.nulls}};
  }
  if (metrics.nans) {
    file.nan_value_counts = {{kX, *metrics.nans}};
  }
  if (metrics.lower) {
    file.lower_bounds = {{kX, table::SerializeValue(type, *metrics.lower)}};
  }
  if (metrics.upper) {
    file.upper_bounds = {{kX, table::SerializeValue(type, *metrics.upper)}};
  }
  return file;
}

// "may" answers whether any row can match, "must" whether all surely do.
struct Answer {
  bool may;
  bool must;
  friend bool operator==(const Answer&, const Answer&) = default;
  friend void PrintTo(const Answer& answer, std::ostream* out) {
    *out << "may " << answer.may << " must " << answer.must;
  }
};
inline constexpr Answer kNone{false, false};
inline constexpr Answer kSome{true, false};
inline constexpr Answer kAll{true, true};

inline Answer Ask(const table::Expression& expression, const table::Type& type,
                  const table::PartitionSpec& spec, const table::DataFile& file) {
  const table::Schema schema = SchemaOf(type);
  EXPECT_THAT(table::CheckExpression(expression, schema), IsOk());
  return {table::FileMayMatch(expression, schema, spec, file),
          table::FileMustMatch(expression, schema, spec, file)};
}

}  // namespace strandline::testing::pruning
