#include <string>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <parquet/arrow/writer.h>

#include "strandline/base/clock.h"
#include "strandline/format/landing/landing_reader.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::format {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using TypePtr = std::shared_ptr<arrow::DataType>;
using ArrayPtr = std::shared_ptr<arrow::Array>;

std::string ParquetOf(const std::shared_ptr<arrow::Schema>& schema,
                      const arrow::ArrayVector& columns, std::int64_t row_group_rows = 1 << 20) {
  const auto out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  // Keeps Arrow's own types (dictionaries, views, seconds), as PyArrow's files have them.
  const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  const auto status = parquet::arrow::WriteTable(
      *arrow::Table::Make(schema, columns), arrow::default_memory_pool(), out, row_group_rows,
      parquet::default_writer_properties(), arrow_properties);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return out->Finish().ValueOrDie()->ToString();
}

class LandedParquet : public ::testing::Test {
 protected:
  struct Landed {
    std::shared_ptr<arrow::Table> rows;
    std::vector<std::int64_t> row_indexes;
    std::vector<RowProblem> problems;
  };

  Result<Landed> Read(const std::string& bytes, const std::shared_ptr<arrow::Schema>& schema,
                      const LandingOptions& options = {}) {
    const std::string location = "mem:///landing/part-" + std::to_string(++files_) + ".parquet";
    SL_TRY(io::WriteFile(*io_, location, bytes));
    std::unique_ptr<LandingReader> reader = SL_TRY(OpenLandedParquet(
        *io_, location, static_cast<std::int64_t>(bytes.size()), schema, options));
    Landed landed;
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    while (const std::unique_ptr<LandedBatch> batch = SL_TRY(reader->Next())) {
      EXPECT_TRUE(batch->rows->ValidateFull().ok());
      EXPECT_EQ(batch->row_indexes, batch->positions);
      EXPECT_EQ(batch->row_indexes.size(), static_cast<std::size_t>(batch->rows->num_rows()));
      batches.push_back(batch->rows);
      landed.row_indexes.insert(landed.row_indexes.end(), batch->row_indexes.begin(),
                                batch->row_indexes.end());
      landed.problems.insert(landed.problems.end(), batch->problems.begin(), batch->problems.end());
    }
    landed.rows = arrow::Table::FromRecordBatches(schema, batches).ValueOrDie();
    return landed;
  }

  FixedClock clock_{Timestamp{}};
  std::unique_ptr<io::FileIo> io_ = io::MakeMemoryFileIo(clock_);

 private:
  int files_ = 0;
};

// What `landed` is as a column of type `to`: the rows that fit as JSON-like text, and the reasons
// of those that do not.
struct ConversionCase {
  const char* name;
  TypePtr from;
  std::string landed;
  TypePtr to;
  std::string rows;
  std::vector<std::string> problems;
};

TEST_F(LandedParquet, ConvertsWhereOnlyDeclaredRoundingIsLost) {
  const TypePtr micros = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const TypePtr money = arrow::decimal128(18, 4);
  const ConversionCase cases[] = {
      {"equal", arrow::int64(), "[1, null, 3]", arrow::int64(), "[1, null, 3]", {}},
      {"int to long", arrow::int32(), "[-1, null]", arrow::int64(), "[-1, null]", {}},
      {"unsigned byte to int", arrow::uint8(), "[255]", arrow::int32(), "[255]", {}},
      {"unsigned 32 bits to long",
       arrow::uint32(),
       "[4294967295]",
       arrow::int64(),
       "[4294967295]",
       {}},
      {"unsigned 64 bits to long",
       arrow::uint64(),
       "[1, 18446744073709551615]",
       arrow::int64(),
       "[1]",
       {"not a long"}},
      {"long to int where it fits",
       arrow::int64(),
       "[2147483647, 2147483648, null]",
       arrow::int32(),
       "[2147483647, null]",
       {"not an int"}},
      {"long to double where it is exact",
       arrow::int64(),
       "[9007199254740992, 9007199254740993]",
       arrow::float64(),
       "[9007199254740992]",
       {"not a double"}},
      {"double to float",
       arrow::float64(),
       "[0.5, 1e300, 1e-50, -1e-50]",
       arrow::float32(),
       "[0.5, 0, -0.0]",
       {"not a float"}},
      {"float to double", arrow::float32(), "[0.5, null]", arrow::float64(), "[0.5, null]", {}},
      {"double to decimal",
       arrow::float64(),
       "[0.0512, 1.00005, -1.00005, null, 1e14]",
       money,
       R"(["0.0512", "1.0001", "-1.0001", null])",
       {"not a decimal(18, 4)"}},
      {"float to decimal", arrow::float32(), "[0.25]", money, R"(["0.2500"])", {}},
      {"long to decimal",
       arrow::int64(),
       "[12, 99999999999999, 100000000000000]",
       money,
       R"(["12.0000", "99999999999999.0000"])",
       {"not a decimal(18, 4)"}},
      {"wider decimal",
       arrow::decimal128(6, 2),
       R"(["-1234.56", null])",
       money,
       R"(["-1234.5600", null])",
       {}},
      {"decimal of fewer places",
       arrow::decimal128(10, 6),
       R"(["1.000050", "-1.000050", "1.000049"])",
       money,
       R"(["1.0001", "-1.0001", "1.0000"])",
       {}},
      {"decimal of fewer digits",
       arrow::decimal128(20, 4),
       R"(["1.0000", "123456789012345.0000"])",
       money,
       R"(["1.0000"])",
       {"not a decimal(18, 4)"}},
      {"millis, floored nowhere",
       arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"),
       "[-1, 1]",
       micros,
       "[-1000, 1000]",
       {}},
      {"nanos, cut towards the past",
       arrow::timestamp(arrow::TimeUnit::NANO, "UTC"),
       "[1999, -1, -1000]",
       micros,
       "[1, -1, -1]",
       {}},
      {"seconds beyond what micros hold",
       arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"),
       "[9223372036854775807, 0]",
       micros,
       "[0]",
       {"not a timestamp"}},
      {"another zone",
       arrow::timestamp(arrow::TimeUnit::MICRO, "Europe/Amsterdam"),
       "[5, null]",
       micros,
       "[5, null]",
       {}},
      {"no zone is UTC", arrow::timestamp(arrow::TimeUnit::MICRO), "[5]", micros, "[5]", {}},
      {"a date is its midnight", arrow::date32(), "[-1]", micros, "[-86400000000]", {}},
      {"large strings", arrow::large_utf8(), R"(["a", null])", arrow::utf8(), R"(["a", null])", {}},
      {"string views",
       arrow::utf8_view(),
       R"(["a", "longer than twelve bytes"])",
       arrow::utf8(),
       R"(["a", "longer than twelve bytes"])",
       {}},
      {"dictionaries",
       arrow::dictionary(arrow::int32(), arrow::utf8()),
       R"(["a", null, "a"])",
       arrow::utf8(),
       R"(["a", null, "a"])",
       {}},
      {"text without annotation", arrow::binary(), R"(["é"])", arrow::utf8(), R"(["é"])", {}},
      {"uuid from text",
       arrow::utf8(),
       R"(["00000000-0000-0000-0000-000000000000", null, "no"])",
       arrow::fixed_size_binary(16),
       "[\"\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000\\u0"
       "000"
       "\\u0000\\u0000\\u0000\", null]",
       {"not a uuid"}},
  };
  for (const ConversionCase& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string bytes =
        ParquetOf(arrow::schema({arrow::field("v", c.from)}), {ArrayOf(c.from, c.landed)});

    SL_ASSERT_OK_AND_ASSIGN(const Landed landed,
                            Read(bytes, arrow::schema({arrow::field("v", c.to)})));

    const ArrayPtr expected = ArrayOf(c.to, c.rows);
    ASSERT_EQ(landed.rows->num_rows(), expected->length());
    EXPECT_TRUE(landed.rows->column(0)->Equals(arrow::ChunkedArray(expected)))
        << landed.rows->column(0)->ToString();
    std::vector<std::string> reasons;
    for (const RowProblem& problem : landed.problems) {
      reasons.push_back(problem.reason);
      EXPECT_EQ(problem.column, "v");
    }
    EXPECT_EQ(reasons, c.problems);
  }
}

TEST_F(LandedParquet, RefusesTypesThatCanNeverBeConverted) {
  struct Case {
    TypePtr from;
    TypePtr to;
  };
  const Case cases[] = {
      {arrow::utf8(), arrow::int64()},
      {arrow::int64(), arrow::utf8()},
      {arrow::float64(), arrow::int64()},
      {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), arrow::date32()},
      {arrow::boolean(), arrow::int32()},
      {arrow::list(arrow::int64()), arrow::int64()},
      {arrow::int64(), arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.from->ToString() + " to " + c.to->ToString());
    const std::string bytes =
        ParquetOf(arrow::schema({arrow::field("v", c.from)}), {ArrayOf(c.from, "[null]")});

    EXPECT_THAT(Read(bytes, arrow::schema({arrow::field("v", c.to)})),
                Fails(ErrorKind::kInvalidArgument, HasSubstr("column v of mem:///landing/part-")));
  }
}

TEST_F(LandedParquet, NotANumberIsNoDecimal) {
  const auto values = std::make_shared<arrow::DoubleArray>(
      2, arrow::Buffer::FromVector(std::vector<double>{std::nan(""), INFINITY}));
  const std::string bytes =
      ParquetOf(arrow::schema({arrow::field("v", arrow::float64())}), {values});

  SL_ASSERT_OK_AND_ASSIGN(
      const Landed landed,
      Read(bytes, arrow::schema({arrow::field("v", arrow::decimal128(18, 4))})));

  EXPECT_THAT(landed.problems, SizeIs(2));
}

TEST_F(LandedParquet, ANullInARequiredColumnCostsOnlyItsRow) {
  const auto file_schema =
      arrow::schema({arrow::field("id", arrow::utf8()), arrow::field("n", arrow::int64())});
  const std::string bytes = ParquetOf(file_schema, {ArrayOf(arrow::utf8(), R"(["a", null, "c"])"),
                                                    ArrayOf(arrow::int64(), "[1, 2, null]")});

  SL_ASSERT_OK_AND_ASSIGN(const Landed landed,
                          Read(bytes, arrow::schema({arrow::field("n", arrow::int64()),
                                                     arrow::field("id", arrow::utf8(), false)})));

  EXPECT_THAT(landed.row_indexes, ElementsAre(0, 2));
  ASSERT_THAT(landed.problems, SizeIs(1));
  EXPECT_EQ(landed.problems[0].row, 1);
  EXPECT_EQ(landed.problems[0].position, 1);
  EXPECT_EQ(landed.problems[0].reason, kNullInRequired);
  EXPECT_EQ(landed.problems[0].column, "id");
  EXPECT_EQ(landed.problems[0].raw, "{n: 2, id: null}");
}

TEST_F(LandedParquet, TextThatIsNotUtf8CostsOnlyItsRow) {
  struct Case {
    const char* name;
    std::vector<std::string> values;
    std::vector<std::int64_t> bad;
  };
  const Case cases[] = {
      {"all good", {"é", "", "€"}, {}},
      {"a stray byte", {"a", "b\xff", "c"}, {1}},
      {"a character cut in two over two rows", {"x\xc3", "\xa9y", "z"}, {0, 1}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    arrow::StringBuilder builder;
    ASSERT_TRUE(builder.AppendValues(c.values).ok());
    const auto schema = arrow::schema({arrow::field("v", arrow::utf8())});

    SL_ASSERT_OK_AND_ASSIGN(const Landed landed,
                            Read(ParquetOf(schema, {builder.Finish().ValueOrDie()}), schema));

    std::vector<std::int64_t> bad;
    for (const RowProblem& problem : landed.problems) {
      bad.push_back(problem.row);
      EXPECT_EQ(problem.reason, "not valid UTF-8");
    }
    EXPECT_EQ(bad, c.bad);
  }
}

TEST_F(LandedParquet, RowsAreCountedOnAcrossRowGroupsAndBatches) {
  arrow::Int64Builder builder;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE((i % 1000 == 999 ? builder.AppendNull() : builder.Append(i)).ok());
  }
  const std::string bytes = ParquetOf(arrow::schema({arrow::field("v", arrow::int64())}),
                                      {builder.Finish().ValueOrDie()}, 3000);

  SL_ASSERT_OK_AND_ASSIGN(
      const Landed landed,
      Read(bytes, arrow::schema({arrow::field("v", arrow::int64(), false)}), {.batch_rows = 700}));

  ASSERT_EQ(landed.rows->num_rows(), 9'990);
  for (std::size_t i = 0; i < landed.row_indexes.size(); ++i) {
    const auto value = landed.rows->column(0)->GetScalar(static_cast<std::int64_t>(i)).ValueOrDie();
    ASSERT_EQ(value->ToString(), std::to_string(landed.row_indexes[i]));
  }
  std::vector<std::int64_t> bad;
  for (const RowProblem& problem : landed.problems) {
    bad.push_back(problem.row);
  }
  EXPECT_THAT(bad, ElementsAre(999, 1999, 2999, 3999, 4999, 5999, 6999, 7999, 8999, 9999));
}

TEST_F(LandedParquet, MissingColumnsAreNullUnlessTheyAreRequired) {
  const std::string bytes = ParquetOf(arrow::schema({arrow::field("a", arrow::int64())}),
                                      {ArrayOf(arrow::int64(), "[1]")});

  SL_ASSERT_OK_AND_ASSIGN(const Landed landed,
                          Read(bytes, arrow::schema({arrow::field("b", arrow::utf8())})));
  EXPECT_EQ(landed.rows->num_rows(), 1);
  EXPECT_EQ(landed.rows->column(0)->null_count(), 1);

  EXPECT_THAT(Read(bytes, arrow::schema({arrow::field("b", arrow::utf8(), false)})),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("required column b is missing")));
}

TEST_F(LandedParquet, TwoColumnsOfOneNameAreRefused) {
  const std::string bytes = ParquetOf(
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("a", arrow::int64())}),
      {ArrayOf(arrow::int64(), "[1]"), ArrayOf(arrow::int64(), "[2]")});

  EXPECT_THAT(Read(bytes, arrow::schema({arrow::field("a", arrow::int64())})),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("column a")));
}

TEST_F(LandedParquet, ACutFileIsCorruptAndNamed) {
  const auto schema = arrow::schema({arrow::field("a", arrow::int64())});
  const std::string bytes = ParquetOf(schema, {ArrayOf(arrow::int64(), "[1, 2, 3]")});

  for (const std::size_t size :
       {std::size_t{0}, std::size_t{3}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THAT(Read(bytes.substr(0, size), schema), Fails(ErrorKind::kCorrupt, HasSubstr("part-")))
        << size;
  }
}

TEST_F(LandedParquet, AFileWithoutRowsHasNoBatches) {
  const auto schema = arrow::schema({arrow::field("a", arrow::int64())});

  SL_ASSERT_OK_AND_ASSIGN(const Landed landed,
                          Read(ParquetOf(schema, {ArrayOf(arrow::int64(), "[]")}), schema));

  EXPECT_EQ(landed.rows->num_rows(), 0);
  EXPECT_THAT(landed.problems, IsEmpty());
}

}  // namespace
}  // namespace strandline::format
