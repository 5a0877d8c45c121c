// Pruned or not, a scan finds the same rows: random tables of random partition specs, random
// expressions, and an evaluation of the expression over the rows that shares no code with pruning.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "strandline/base/rng.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/arrow/arrow_value.h"
#include "strandline/table/read/scan_reader.h"
#include "strandline/table/write/data_file_writer.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"
#include "tests/support/scan_table.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Column;
using ::strandline::testing::IsOk;
using ::strandline::testing::PartitionBy;
using ::strandline::testing::ScanTable;

constexpr std::int64_t kHourMicros = 3'600'000'000;
constexpr int kRowsOfATable = 80;
constexpr int kExpressionsOfATable = 25;

std::size_t Below(Rng& rng, std::size_t end) { return static_cast<std::size_t>(rng.Next() % end); }

// Columns of few distinct values, so that equality is met often. `row` tells rows apart.
Schema TestSchema() {
  Schema schema;
  schema.fields = {Column(1, "row", PrimitiveType(TypeId::kLong)),
                   Column(2, "l", PrimitiveType(TypeId::kLong)),
                   Column(3, "i", PrimitiveType(TypeId::kInt)),
                   Column(4, "d", PrimitiveType(TypeId::kDouble)),
                   Column(5, "s", PrimitiveType(TypeId::kString)),
                   Column(6, "ts", PrimitiveType(TypeId::kTimestamptz)),
                   Column(7, "dt", PrimitiveType(TypeId::kDate)),
                   Column(8, "dec", DecimalType(9, 2)),
                   Column(9, "bin", PrimitiveType(TypeId::kBinary)),
                   Column(10, "b", PrimitiveType(TypeId::kBoolean))};
  return schema;
}

Value RandomValue(Rng& rng, const Type& type) {
  const std::vector<double> doubles = {-1.5,
                                       -0.0,
                                       0.0,
                                       2.5,
                                       std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN()};
  const std::vector<std::string> texts = {
      "", "a", "ab", "abc", "abcdef", "abd", "\xC3\xA9", "\xC3\xA9t", "z", "zzzzzzzzzzzzzzzzzzzzz"};
  const auto number = static_cast<std::int64_t>(Below(rng, 41)) - 20;
  switch (type.id) {
    case TypeId::kLong:
      return Value(number);
    case TypeId::kInt:
      return Value(static_cast<std::int32_t>(number));
    case TypeId::kDouble:
      return Value(doubles[Below(rng, doubles.size())]);
    case TypeId::kString:
      return Value(texts[Below(rng, texts.size())]);
    case TypeId::kTimestamptz:
      return Value(number * kHourMicros * 13 + static_cast<std::int64_t>(Below(rng, 3)) - 1);
    case TypeId::kDate:
      return Value(static_cast<std::int32_t>(number * 17));
    case TypeId::kDecimal:
      return Value(Int128{number * 11});
    case TypeId::kBinary:
      return Value(Bytes{texts[Below(rng, texts.size())]});
    default:
      return Value(Below(rng, 2) == 1);
  }
}

using Row = std::vector<Value>;

std::vector<Row> RandomRows(Rng& rng, const Schema& schema) {
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < kRowsOfATable; ++i) {
    Row& row = rows.emplace_back();
    row.emplace_back(i);
    for (std::size_t column = 1; column < schema.fields.size(); ++column) {
      row.push_back(Below(rng, 6) == 0 ? Value() : RandomValue(rng, schema.fields[column].type));
    }
  }
  return rows;
}

template <typename Builder, typename T>
void AppendTo(arrow::ArrayBuilder& builder, const T& value) {
  SL_CHECK(static_cast<Builder&>(builder).Append(value).ok());
}

void Append(arrow::ArrayBuilder& builder, const Type& type, const Value& value) {
  if (IsNull(value)) {
    SL_CHECK(builder.AppendNull().ok());
    return;
  }
  switch (type.id) {
    case TypeId::kLong:
      return AppendTo<arrow::Int64Builder>(builder, std::get<std::int64_t>(value));
    case TypeId::kInt:
      return AppendTo<arrow::Int32Builder>(builder, std::get<std::int32_t>(value));
    case TypeId::kDouble:
      return AppendTo<arrow::DoubleBuilder>(builder, std::get<double>(value));
    case TypeId::kString:
      return AppendTo<arrow::StringBuilder>(builder, std::get<std::string>(value));
    case TypeId::kTimestamptz:
      return AppendTo<arrow::TimestampBuilder>(builder, std::get<std::int64_t>(value));
    case TypeId::kDate:
      return AppendTo<arrow::Date32Builder>(builder, std::get<std::int32_t>(value));
    case TypeId::kDecimal:
      return AppendTo<arrow::Decimal128Builder>(
          builder, arrow::Decimal128(static_cast<std::int64_t>(std::get<Int128>(value))));
    case TypeId::kBinary:
      return AppendTo<arrow::BinaryBuilder>(builder, std::get<Bytes>(value).bytes);
    default:
      return AppendTo<arrow::BooleanBuilder>(builder, std::get<bool>(value));
  }
}

std::shared_ptr<arrow::RecordBatch> BatchOf(const Schema& schema, const std::vector<Row>& rows) {
  const std::shared_ptr<arrow::Schema> arrow_schema = ArrowSchema(schema);
  arrow::ArrayVector arrays;
  for (std::size_t column = 0; column < schema.fields.size(); ++column) {
    const auto builder =
        arrow::MakeBuilder(arrow_schema->field(static_cast<int>(column))->type()).ValueOrDie();
    for (const Row& row : rows) {
      Append(*builder, schema.fields[column].type, row[column]);
    }
    arrays.push_back(builder->Finish().ValueOrDie());
  }
  return arrow::RecordBatch::Make(arrow_schema, static_cast<std::int64_t>(rows.size()),
                                  std::move(arrays));
}

PartitionSpec RandomSpec(Rng& rng) {
  using enum TransformKind;
  const std::vector<PartitionField> fields = {PartitionBy(2, 1000, "l_id"),
                                              PartitionBy(2, 1001, "l_bucket", kBucket, 4),
                                              PartitionBy(2, 1002, "l_trunc", kTruncate, 10),
                                              PartitionBy(3, 1003, "i_trunc", kTruncate, 7),
                                              PartitionBy(4, 1004, "d_id"),
                                              PartitionBy(5, 1005, "s_id"),
                                              PartitionBy(5, 1006, "s_trunc", kTruncate, 2),
                                              PartitionBy(5, 1007, "s_bucket", kBucket, 3),
                                              PartitionBy(6, 1008, "ts_hour", kHour),
                                              PartitionBy(6, 1009, "ts_day", kDay),
                                              PartitionBy(6, 1010, "ts_month", kMonth),
                                              PartitionBy(6, 1011, "ts_year", kYear),
                                              PartitionBy(7, 1012, "dt_day", kDay),
                                              PartitionBy(7, 1013, "dt_month", kMonth),
                                              PartitionBy(7, 1014, "dt_year", kYear),
                                              PartitionBy(8, 1015, "dec_trunc", kTruncate, 50),
                                              PartitionBy(8, 1016, "dec_bucket", kBucket, 5),
                                              PartitionBy(9, 1017, "bin_trunc", kTruncate, 1),
                                              PartitionBy(10, 1018, "b_id"),
                                              PartitionBy(2, 1019, "l_void", kVoid)};
  PartitionSpec spec;
  for (std::size_t i = Below(rng, 3); i > 0; --i) {
    spec.fields.push_back(fields[Below(rng, fields.size())]);
    spec.fields.back().name += std::to_string(i);
    spec.fields.back().field_id = FieldId(static_cast<std::int32_t>(1000 + i));
  }
  return spec;
}

// Writes the rows as one file for each partition, and the files as a few manifests.
Status FillTable(ScanTable& table, Rng& rng, const std::vector<Row>& rows) {
  const Schema& schema = table.schema();
  const PartitionSpec& spec = table.metadata().partition_specs.front();
  const std::shared_ptr<arrow::RecordBatch> all = BatchOf(schema, rows);
  std::map<PartitionTuple, std::vector<Row>, PartitionTupleLess> partitions;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PartitionTuple tuple =
        SL_TRY(PartitionOfRow(spec, schema, *all, static_cast<std::int64_t>(i)));
    partitions[tuple].push_back(rows[i]);
  }
  std::vector<ManifestEntry> entries;
  int number = 0;
  for (const auto& [tuple, of_partition] : partitions) {
    const std::unique_ptr<DataFileWriter> writer =
        SL_TRY(MakeDataFileWriter(table.io(), table.metadata(), schema, spec, tuple,
                                  fmt::format("mem://lake/t/data/{}.parquet", number++)));
    SL_TRY(writer->Write(*BatchOf(schema, of_partition)));
    ManifestEntry entry;
    entry.file = SL_TRY(writer->Close());
    entries.push_back(std::move(entry));
    if (Below(rng, 4) == 0) {
      table.AddManifest(std::exchange(entries, {}));
    }
  }
  if (!entries.empty()) {
    table.AddManifest(std::move(entries));
  }
  table.Commit();
  return {};
}

Expression RandomPredicate(Rng& rng, const Schema& schema) {
  using enum ExpressionKind;
  const NestedField& column = schema.fields[1 + Below(rng, schema.fields.size() - 1)];
  std::vector<ExpressionKind> kinds = {kIsNull,         kNotNull, kLess,     kLessOrEqual, kGreater,
                                       kGreaterOrEqual, kEqual,   kNotEqual, kIn,          kNotIn};
  if (column.type.id == TypeId::kDouble) {
    kinds.insert(kinds.end(), {kIsNan, kNotNan});
  }
  if (column.type.id == TypeId::kString) {
    kinds.insert(kinds.end(), {kStartsWith, kNotStartsWith});
  }
  const ExpressionKind kind = kinds[Below(rng, kinds.size())];
  std::size_t literal_count = 1;
  if (kind == kIn || kind == kNotIn) {
    literal_count = Below(rng, 4);
  } else if (kind == kIsNull || kind == kNotNull || kind == kIsNan || kind == kNotNan) {
    literal_count = 0;
  }
  std::vector<Value> literals;
  for (; literal_count > 0; --literal_count) {
    literals.push_back(RandomValue(rng, column.type));
  }
  return Predicate(kind, column.name, std::move(literals));
}

Expression RandomExpression(Rng& rng, const Schema& schema, int depth) {
  if (depth == 0 || Below(rng, 3) == 0) {
    return RandomPredicate(rng, schema);
  }
  if (Below(rng, 4) == 0) {
    return Not(RandomExpression(rng, schema, depth - 1));
  }
  std::vector<Expression> children;
  for (std::size_t i = 1 + Below(rng, 3); i > 0; --i) {
    children.push_back(RandomExpression(rng, schema, depth - 1));
  }
  return Below(rng, 2) == 0 ? And(std::move(children)) : Or(std::move(children));
}

// SQL's three truths, in an order in which "and" is the minimum and "or" the maximum.
enum class Truth { kFalse, kUnknown, kTrue };

Truth ToTruth(bool is_true) { return is_true ? Truth::kTrue : Truth::kFalse; }

// NaN equals itself and is above everything; zeros are equal.
int Order(const Value& a, const Value& b) {
  const auto* left = std::get_if<double>(&a);
  const auto* right = std::get_if<double>(&b);
  if (left != nullptr && right != nullptr && *left == *right) {
    return 0;
  }
  const std::strong_ordering order = CompareValues(a, b);
  return order < 0 ? -1 : static_cast<int>(order > 0);
}

bool StartsWith(const Value& value, const Value& prefix) {
  return std::get<std::string>(value).starts_with(std::get<std::string>(prefix));
}

bool EvaluateComparison(const Expression& predicate, const Value& value) {
  using enum ExpressionKind;
  const auto is_one_of = [&] {
    return std::any_of(predicate.literals.begin(), predicate.literals.end(),
                       [&](const Value& literal) { return Order(value, literal) == 0; });
  };
  switch (predicate.kind) {
    case kIsNan:
      return IsNan(value);
    case kNotNan:
      return !IsNan(value);
    case kLess:
      return Order(value, predicate.literals[0]) < 0;
    case kLessOrEqual:
      return Order(value, predicate.literals[0]) <= 0;
    case kGreater:
      return Order(value, predicate.literals[0]) > 0;
    case kGreaterOrEqual:
      return Order(value, predicate.literals[0]) >= 0;
    case kEqual:
    case kIn:
      return is_one_of();
    case kNotEqual:
    case kNotIn:
      return !is_one_of();
    case kStartsWith:
      return StartsWith(value, predicate.literals[0]);
    default:
      return !StartsWith(value, predicate.literals[0]);
  }
}

Truth Evaluate(const Expression& expression, const Schema& schema, const Row& row) {
  using enum ExpressionKind;
  if (expression.kind == kNot) {
    const Truth child = Evaluate(expression.children[0], schema, row);
    return child == Truth::kUnknown ? child : ToTruth(child == Truth::kFalse);
  }
  if (expression.kind == kAnd || expression.kind == kOr) {
    Truth whole = ToTruth(expression.kind == kAnd);
    for (const Expression& child : expression.children) {
      const Truth truth = Evaluate(child, schema, row);
      whole = expression.kind == kAnd ? std::min(whole, truth) : std::max(whole, truth);
    }
    return whole;
  }
  const NestedField* column = FindColumn(schema, expression.column);
  const Value& value = row[static_cast<std::size_t>(column - schema.fields.data())];
  if (expression.kind == kIsNull || expression.kind == kNotNull) {
    return ToTruth(IsNull(value) == (expression.kind == kIsNull));
  }
  return IsNull(value) ? Truth::kUnknown : ToTruth(EvaluateComparison(expression, value));
}

// The numbers of the rows that a scan gives.
Result<std::set<std::int64_t>> ReadRowNumbers(ScanTable& table, std::vector<ScanTask> tasks,
                                              const ScanReadOptions& options) {
  std::unique_ptr<format::BatchSource> source =
      SL_TRY(OpenScan(table.io(), table.metadata(), table.schema(), std::move(tasks), options));
  const std::unique_ptr<format::BatchStream> stream = ReadAll(std::move(source));
  std::set<std::int64_t> numbers;
  while (true) {
    const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
    if (batch == nullptr) {
      return numbers;
    }
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (std::int64_t i = 0; i < column.length(); ++i) {
      SL_CHECK(numbers.insert(column.Value(i)).second);
    }
  }
}

TEST(PruningProperty, APrunedScanFindsTheSameRows) {
  std::int64_t files_skipped = 0;
  std::int64_t manifests_skipped = 0;
  std::int64_t rows_not_read = 0;
  std::int64_t whole_files = 0;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    SeededRng rng(seed);
    const Schema schema = TestSchema();
    ScanTable table(schema, {RandomSpec(rng)});
    table.metadata().properties["write.parquet.row-group-limit"] = "5";
    const std::vector<Row> rows = RandomRows(rng, schema);
    ASSERT_THAT(FillTable(table, rng, rows), IsOk());

    for (int i = 0; i < kExpressionsOfATable; ++i) {
      const Expression filter = RandomExpression(rng, schema, 3);
      SCOPED_TRACE(fmt::format("seed {}, expression {}: {}", seed, i, ToString(filter, schema)));
      SL_ASSERT_OK_AND_ASSIGN(const ScanPlan plan,
                              PlanScan(table.metadata(), {.filter = filter}, table.io()));
      ScanReadOptions options;
      options.columns = {"row"};
      options.filter = filter;
      SL_ASSERT_OK_AND_ASSIGN(const auto read, ReadRowNumbers(table, plan.tasks, options));

      for (std::int64_t row = 0; row < kRowsOfATable; ++row) {
        if (Evaluate(filter, schema, rows[static_cast<std::size_t>(row)]) == Truth::kTrue) {
          EXPECT_TRUE(read.contains(row)) << "row " << row << " was lost";
        }
      }
      for (const ScanTask& task : plan.tasks) {
        if (!task.all_rows_match) {
          continue;
        }
        ++whole_files;
        SL_ASSERT_OK_AND_ASSIGN(const auto of_file,
                                ReadRowNumbers(table, {task}, {.columns = {"row"}}));
        for (const std::int64_t row : of_file) {
          EXPECT_EQ(Evaluate(filter, schema, rows[static_cast<std::size_t>(row)]), Truth::kTrue)
              << "row " << row << " does not match";
        }
      }
      files_skipped += plan.files_skipped;
      manifests_skipped += plan.manifests_skipped;
      rows_not_read += kRowsOfATable - static_cast<std::int64_t>(read.size());
    }
  }

  // The test is worth nothing when nothing is pruned.
  EXPECT_GT(files_skipped, 500);
  EXPECT_GT(manifests_skipped, 50);
  EXPECT_GT(rows_not_read, 5'000);
  EXPECT_GT(whole_files, 200);
}

}  // namespace
}  // namespace strandline::table
