#include <algorithm>
#include <string>

#include <arrow/api.h>
#include <zlib.h>
#include <zstd.h>

#include "strandline/base/clock.h"
#include "strandline/format/landing/landing_reader.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"

namespace strandline::format {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Gzip(std::string_view bytes) {
  std::string out(bytes.size() + 1024, '\0');
  z_stream zlib{};
  EXPECT_EQ(deflateInit2(&zlib, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string in(bytes);
  zlib.next_in = reinterpret_cast<Bytef*>(in.data());
  zlib.avail_in = static_cast<uInt>(in.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  deflateEnd(&zlib);
  return out.substr(0, zlib.total_out);
}

std::string Zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

// All of a file.
struct Landed {
  std::shared_ptr<arrow::Table> rows;
  std::vector<std::int64_t> row_indexes;
  std::vector<std::int64_t> positions;
  std::vector<RowProblem> problems;
};

class JsonLines : public ::testing::Test {
 protected:
  Result<Landed> Read(std::string_view bytes, const LandingOptions& options = {}) {
    const std::string location = "mem:///landing/part-" + std::to_string(++files_) + suffix_;
    SL_TRY(io::WriteFile(*io_, location, bytes));
    std::unique_ptr<LandingReader> reader = SL_TRY(OpenLandedJsonLines(
        *io_, location, static_cast<std::int64_t>(bytes.size()), schema_, options));
    Landed landed;
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    while (const std::unique_ptr<LandedBatch> batch = SL_TRY(reader->Next())) {
      batches.push_back(batch->rows);
      landed.row_indexes.insert(landed.row_indexes.end(), batch->row_indexes.begin(),
                                batch->row_indexes.end());
      landed.positions.insert(landed.positions.end(), batch->positions.begin(),
                              batch->positions.end());
      landed.problems.insert(landed.problems.end(), batch->problems.begin(), batch->problems.end());
    }
    landed.rows = arrow::Table::FromRecordBatches(schema_, batches).ValueOrDie();
    EXPECT_THAT(landed.row_indexes, SizeIs(static_cast<std::size_t>(landed.rows->num_rows())));
    return landed;
  }

  // The only value of the only row that `{"v": json}` gives.
  std::string ValueOf(const std::string& json) {
    Result<Landed> landed = Read("{\"v\": " + json + "}");
    if (!landed) {
      return landed.error().message;
    }
    if (!landed->problems.empty()) {
      return landed->problems.front().reason + ": " + landed->problems.front().column;
    }
    return landed->rows->column(0)->GetScalar(0).ValueOrDie()->ToString();
  }

  FixedClock clock_{Timestamp{}};
  std::unique_ptr<io::FileIo> io_ = io::MakeMemoryFileIo(clock_);
  std::string suffix_ = ".jsonl";
  std::shared_ptr<arrow::Schema> schema_ =
      arrow::schema({arrow::field("id", arrow::utf8(), false), arrow::field("n", arrow::int64())});

 private:
  int files_ = 0;
};

TEST_F(JsonLines, FindsColumnsByNameInAnyOrderAndIgnoresTheRest) {
  SL_ASSERT_OK_AND_ASSIGN(const Landed landed, Read(R"({"id": "a", "n": 1}
{"n": 2, "other": {"deep": [1, {"x": null}]}, "id": "b\n\u0041"}
{"\u0069d": "c"}
)"));

  EXPECT_EQ(landed.rows->column(0)->ToString(), R"([
  [
    "a",
    "b
A",
    "c"
  ]
])");
  EXPECT_EQ(landed.rows->column(1)->GetScalar(2).ValueOrDie()->is_valid, false);
  EXPECT_THAT(landed.row_indexes, ElementsAre(0, 1, 2));
  EXPECT_THAT(landed.positions, ElementsAre(0, 20, 85));
  EXPECT_THAT(landed.problems, IsEmpty());
}

TEST_F(JsonLines, ABadLineCostsOnlyItself) {
  struct Case {
    const char* name;
    std::string line;
    std::string reason;
    std::string column;
  };
  const Case cases[] = {
      {"words", "hello", "not valid JSON", ""},
      {"cut object", R"({"id": "a")", "not valid JSON", ""},
      {"cut string", R"({"id": "a)", "not valid JSON", ""},
      {"two objects", R"({"id": "a"} {"id": "b"})", "not valid JSON", ""},
      {"comma at the end", R"({"id": "a",})", "not valid JSON", ""},
      {"no comma", R"({"id": "a" "n": 1})", "not valid JSON", ""},
      {"word behind a string", R"({"id": "a"b})", "not valid JSON", ""},
      {"bad literal in a column", R"({"id": "a", "n": nul})", "not valid JSON", ""},
      {"bad literal elsewhere", R"({"id": "a", "x": tru})", "not valid JSON", ""},
      {"bad literal deep elsewhere", R"({"id": "a", "x": [{"y": nope}]})", "not valid JSON", ""},
      {"bad number elsewhere", R"({"id": "a", "x": 01})", "not valid JSON", ""},
      {"bad escape", R"({"id": "a\x"})", "not valid JSON", ""},
      {"bad escape elsewhere", R"({"id": "a", "x": "\u12"})", "not valid JSON", ""},
      {"control character", "{\"id\": \"a\tb\"}", "not valid JSON", ""},
      {"invalid UTF-8", "{\"id\": \"a\xff\"}", "not valid UTF-8", ""},
      {"array", R"(["a"])", "not a JSON object", ""},
      {"scalar", "12", "not a JSON object", ""},
      {"null in a required column", R"({"id": null, "n": 1})", "null in a required column", "id"},
      {"required column missing", R"({"n": 1})", "null in a required column", "id"},
      {"number for text", R"({"id": 5, "n": 1})", "not a string", "id"},
      {"text for a number", R"({"id": "a", "n": "1"})", "not a long", "n"},
      {"fraction for a long", R"({"id": "a", "n": 1.0})", "not a long", "n"},
      {"object for a number", R"({"id": "a", "n": {"x": 1}})", "not a long", "n"},
      {"too large for a long", R"({"id": "a", "n": 9223372036854775808})", "not a long", "n"},
      {"the same field twice", R"({"id": "a", "id": "a"})", "the field comes twice", "id"},
      {"syntax matters more than a type", R"({"id": 5, "n": 1)", "not valid JSON", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SL_ASSERT_OK_AND_ASSIGN(const Landed landed,
                            Read("{\"id\": \"x\"}\n" + c.line + "\n{\"id\": \"y\"}\n"));

    EXPECT_THAT(landed.row_indexes, ElementsAre(0, 2));
    ASSERT_THAT(landed.problems, SizeIs(1));
    EXPECT_EQ(landed.problems[0].reason, c.reason);
    EXPECT_EQ(landed.problems[0].column, c.column);
    EXPECT_EQ(landed.problems[0].row, 1);
    EXPECT_EQ(landed.problems[0].position, 12);
  }
}

TEST_F(JsonLines, DeepNestingInAnUnwantedFieldIsAProblemAndNoCrash) {
  std::string line = "{\"id\": \"a\", \"x\": ";
  line += std::string(100'000, '[') + std::string(100'000, ']') + "}";

  SL_ASSERT_OK_AND_ASSIGN(const Landed landed, Read(line));

  ASSERT_THAT(landed.problems, SizeIs(1));
  EXPECT_EQ(landed.problems[0].raw.size(), 4096U);
}

TEST_F(JsonLines, TypesAreWhatTheyAre) {
  struct Case {
    std::shared_ptr<arrow::DataType> type;
    std::string json;
    std::string value;
  };
  const Case cases[] = {
      {arrow::boolean(), "true", "true"},
      {arrow::boolean(), "1", "not a boolean: v"},
      {arrow::int32(), "-2147483648", "-2147483648"},
      {arrow::int32(), "2147483648", "not an int: v"},
      {arrow::int64(), "-9223372036854775808", "-9223372036854775808"},
      {arrow::int64(), "1e3", "not a long: v"},
      {arrow::float64(), "0.1", "0.1"},
      {arrow::float64(), "7", "7"},
      {arrow::float64(), "1e400", "not a double: v"},
      {arrow::float64(), "-1e99999999999999999999", "not a double: v"},
      {arrow::float64(), "1e-400", "0"},
      {arrow::float64(), "-1e-400", "-0"},
      {arrow::float64(), "-1e-99999999999999999999", "-0"},
      {arrow::float64(), "0." + std::string(400, '0') + "1", "0"},
      {arrow::float64(), "0." + std::string(400, '0') + "1e+500", "1e+99"},
      {arrow::float64(), std::string(400, '1') + "e-1000", "0"},
      {arrow::float64(), std::string(400, '1') + "e-1", "not a double: v"},
      {arrow::float64(), "\"NaN\"", "not a double: v"},
      {arrow::float32(), "1e39", "not a float: v"},
      {arrow::float32(), "-1e39", "not a float: v"},
      {arrow::float32(), "1E-50", "0"},
      {arrow::float32(), "-1e-50", "-0"},
      {arrow::decimal128(18, 4), "0.12345", "0.1235"},
      {arrow::decimal128(18, 4), "\"-12.5\"", "-12.5000"},
      {arrow::decimal128(18, 4), "true", "not a decimal(18, 4): v"},
      {arrow::decimal128(4, 2), "100", "not a decimal(4, 2): v"},
      {arrow::date32(), "\"2026-11-30\"", "2026-11-30"},
      {arrow::date32(), "20000", "not a date: v"},
      {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "\"2026-11-30T05:00:00.25+01:00\"",
       "2026-11-30 04:00:00.250000Z"},
      {arrow::timestamp(arrow::TimeUnit::MICRO), "\"2026-11-30 05:00\"",
       "2026-11-30 05:00:00.000000"},
      {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "1764478800", "not a timestamp: v"},
      {arrow::time64(arrow::TimeUnit::MICRO), "\"05:00:01\"", "05:00:01.000000"},
      {arrow::utf8(), "\"\"", ""},
      {arrow::utf8(), "null", "null"},
      {arrow::utf8(), "\"\\ud83d\\ude00\"", "😀"},
      {arrow::fixed_size_binary(16), "\"00000000-0000-0000-0000-000000000001\"",
       std::string(15, '\0') + "\x01"},
      {arrow::fixed_size_binary(16), "\"1\"", "not a uuid: v"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type->ToString() + " from " + c.json);
    schema_ = arrow::schema({arrow::field("v", c.type)});

    EXPECT_EQ(ValueOf(c.json), c.value);
  }
}

TEST_F(JsonLines, ReadsCompressedFilesOfSeveralParts) {
  const std::string first = "{\"id\": \"a\"}\n{\"id\"";
  const std::string second = ": \"b\"}\n";
  for (const std::string& bytes :
       {Gzip(first) + Gzip(second), Gzip(first) + Gzip("") + Gzip(second) + std::string(512, '\0'),
        Zstd(first) + Zstd(second)}) {
    SL_ASSERT_OK_AND_ASSIGN(const Landed landed, Read(bytes));

    EXPECT_THAT(landed.positions, ElementsAre(0, 12));
    EXPECT_THAT(landed.problems, IsEmpty());
  }
}

TEST_F(JsonLines, CompressedFilesLargerThanTheirBuffersComeWhole) {
  std::string lines;
  for (int i = 0; i < 200'000; ++i) {
    lines +=
        "{\"id\": \"row " + std::to_string(i * 7919) + "\", \"n\": " + std::to_string(i) + "}\n";
  }
  for (const std::string& bytes : {lines, Gzip(lines), Zstd(lines)}) {
    SL_ASSERT_OK_AND_ASSIGN(const Landed landed, Read(bytes, {.batch_rows = 1000}));

    ASSERT_EQ(landed.rows->num_rows(), 200'000);
    EXPECT_EQ(landed.rows->column(1)->GetScalar(199'999).ValueOrDie()->ToString(), "199999");
    EXPECT_EQ(landed.row_indexes.back(), 199'999);
  }
}

TEST_F(JsonLines, ACutCompressedFileIsCorruptAndNamed) {
  const std::string lines = "{\"id\": \"a\"}\n{\"id\": \"b\"}\n";
  for (const std::string& whole : {Gzip(lines), Zstd(lines)}) {
    // From where the format can be told at all to one byte before the end.
    for (std::size_t size = 4; size < whole.size(); ++size) {
      EXPECT_THAT(Read(whole.substr(0, size)), Fails(ErrorKind::kCorrupt, HasSubstr("part-")))
          << size << " of " << whole.size();
    }
  }
}

TEST_F(JsonLines, GarbageBehindACompressedFileIsCorrupt) {
  EXPECT_THAT(Read(Gzip("{\"id\": \"a\"}\n") + "garbage"),
              Fails(ErrorKind::kCorrupt, HasSubstr("part-")));
  EXPECT_THAT(Read(Zstd("{\"id\": \"a\"}\n") + "garbage"),
              Fails(ErrorKind::kCorrupt, HasSubstr("part-")));
}

TEST_F(JsonLines, AnEmptyFileHasNoRowsUnlessItsNameSaysThatItWasCompressed) {
  SL_ASSERT_OK_AND_ASSIGN(const Landed landed, Read(""));
  EXPECT_EQ(landed.rows->num_rows(), 0);

  suffix_ = ".jsonl.gz";
  EXPECT_THAT(Read(""), Fails(ErrorKind::kCorrupt, HasSubstr("cut")));
}

TEST_F(JsonLines, BlankLinesAreNoRowsAndCarriageReturnsNoMatter) {
  SL_ASSERT_OK_AND_ASSIGN(const Landed landed,
                          Read("\xef\xbb\xbf{\"id\": \"a\"}\r\n\r\n \n{\"id\": \"b\"}"));

  EXPECT_THAT(landed.row_indexes, ElementsAre(0, 1));
  EXPECT_THAT(landed.positions, ElementsAre(3, 20));
  EXPECT_THAT(landed.problems, IsEmpty());
}

TEST_F(JsonLines, ALineThatIsTooLongIsReportedByItsBeginningItsLengthAndItsOffset) {
  const std::string longest = "{\"id\": \"" + std::string(5'000'000 - 10, 'x') + "\"}";
  ASSERT_EQ(longest.size(), 5'000'000U);
  const std::string bytes = "{\"id\": \"a\"}\n" + longest + "\n{\"id\": \"b\"}\n";

  SL_ASSERT_OK_AND_ASSIGN(const Landed fits, Read(bytes, {.max_line_bytes = 5'000'000}));
  SL_ASSERT_OK_AND_ASSIGN(const Landed cut, Read(bytes, {.max_line_bytes = 4'999'999}));

  EXPECT_THAT(fits.row_indexes, ElementsAre(0, 1, 2));
  EXPECT_THAT(cut.row_indexes, ElementsAre(0, 2));
  EXPECT_THAT(cut.positions, ElementsAre(0, 5'000'013));
  ASSERT_THAT(cut.problems, SizeIs(1));
  EXPECT_EQ(cut.problems[0].reason, "line too long");
  EXPECT_EQ(cut.problems[0].detail, "5000000 bytes");
  EXPECT_EQ(cut.problems[0].position, 12);
  EXPECT_EQ(cut.problems[0].raw, longest.substr(0, 4096));
}

TEST_F(JsonLines, TheLongLineMayBeTheLast) {
  const std::string tail(3'000'000, 'x');

  SL_ASSERT_OK_AND_ASSIGN(const Landed landed,
                          Read("{\"id\": \"a\"}\n" + tail, {.max_line_bytes = 100}));

  EXPECT_THAT(landed.row_indexes, ElementsAre(0));
  ASSERT_THAT(landed.problems, SizeIs(1));
  EXPECT_EQ(landed.problems[0].detail, "3000000 bytes");
}

TEST_F(JsonLines, ColumnsOfTypesThatJsonCannotGiveAreRefusedByName) {
  schema_ = arrow::schema({arrow::field("payload", arrow::binary())});

  EXPECT_THAT(Read("{}"), Fails(ErrorKind::kInvalidArgument, HasSubstr("payload")));
}

TEST_F(JsonLines, RandomDamageNeverCrashesAndAccountsForEveryLine) {
  const std::string line = R"({"id": "a\u00e9", "n": -12, "x": [1, {"y": "z"}, null, true]})";
  std::uint64_t state = 42;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = line;
    for (std::uint64_t i = 0; i <= random(3); ++i) {
      damaged[random(damaged.size())] = static_cast<char>(random(256));
    }
    const auto is_row = [](std::string_view piece) {
      return piece.find_first_not_of(" \t\r") != std::string_view::npos;
    };
    std::size_t rows = 1;
    for (std::size_t begin = 0; begin <= damaged.size();) {
      const std::size_t end = std::min(damaged.find('\n', begin), damaged.size());
      rows += is_row(std::string_view(damaged).substr(begin, end - begin)) ? 1 : 0;
      begin = end + 1;
    }

    SL_ASSERT_OK_AND_ASSIGN(const Landed landed, Read(damaged + "\n" + line));

    EXPECT_EQ(landed.row_indexes.size() + landed.problems.size(), rows) << damaged;
    EXPECT_THAT(landed.row_indexes, Contains(static_cast<std::int64_t>(rows) - 1)) << damaged;
  }
}

}  // namespace
}  // namespace strandline::format
