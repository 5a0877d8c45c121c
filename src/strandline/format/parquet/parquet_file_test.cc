#include "strandline/format/parquet/parquet_file.h"

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include "strandline/base/clock.h"
#include "strandline/format/parquet/internal/arrow_files.h"
#include "strandline/io/counting_file_io.h"
#include "strandline/io/faulty_file_io.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

namespace strandline::format {
namespace {

using ::strandline::testing::ArrayOf;
using ::strandline::testing::BatchOf;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::ReadParquet;
using ::strandline::testing::ReadToTable;
using ::strandline::testing::WriteParquet;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr char kLocation[] = "memory://t/a.parquet";

template <typename T>
std::string Plain(T value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

class ParquetFileTest : public ::testing::Test {
 protected:
  std::shared_ptr<const ParquetFile> FileOf(
      const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches,
      const ParquetWriteOptions& options = {}) {
    const std::string location = "memory://t/" + std::to_string(++files_) + ".parquet";
    EXPECT_THAT(WriteParquet(*io_, location, batches, options), IsOk());
    auto file = OpenParquetFile(*io_, location, std::nullopt);
    EXPECT_THAT(file, IsOk());
    return std::move(file).value();
  }

  // Column names and rows that a read gives.
  std::string Answer(const ParquetFile& file, const ParquetReadRequest& request) {
    const auto stream = file.Read(request);
    EXPECT_THAT(stream, IsOk());
    std::string answer;
    while (true) {
      const auto batch = stream.value()->Next();
      EXPECT_THAT(batch, IsOk());
      if (*batch == nullptr) {
        return answer;
      }
      for (const std::string& name : (*batch)->schema()->field_names()) {
        answer += name + " ";
      }
      answer += std::to_string((*batch)->num_rows()) + "; ";
    }
  }

  FixedClock clock_{Timestamp{}};
  std::unique_ptr<io::FileIo> io_ = io::MakeMemoryFileIo(clock_);
  int files_ = 0;
};

TEST_F(ParquetFileTest, DescribesItsRowGroups) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::int64(), "[1, 2, 3]")},
                              {"s", ArrayOf(arrow::struct_({arrow::field("x", arrow::int32()),
                                                            arrow::field("y", arrow::utf8())}),
                                            R"([{"x": 1, "y": "a"}, null, {"x": 3}])")}});

  const auto file = FileOf({batch}, {.row_group_rows = 2});

  EXPECT_EQ(file->row_count(), 3);
  ASSERT_EQ(file->row_group_count(), 2);
  EXPECT_EQ(file->row_group_rows(0), 2);
  EXPECT_EQ(file->row_group_rows(1), 1);
  EXPECT_EQ(file->row_group_first_row(0), 0);
  EXPECT_EQ(file->row_group_first_row(1), 2);
  EXPECT_GT(file->chunk_bytes(0, 0), 0);
  EXPECT_GT(file->chunk_bytes(0, 1), file->chunk_bytes(0, 0));  // Two leaves.
  EXPECT_THAT(file->schema()->field_names(), ElementsAre("a", "s"));
}

TEST_F(ParquetFileTest, ReadsTheColumnsAndRowGroupsAskedFor) {
  const auto file =
      FileOf({BatchOf({{"a", ArrayOf(arrow::int64(), "[1, 2, 3, 4, 5]")},
                       {"b", ArrayOf(arrow::list(arrow::int32()), "[[1], [2, 2], [], null, [5]]")},
                       {"c", ArrayOf(arrow::utf8(), R"(["a","b","c","d","e"])")}})},
             {.row_group_rows = 3});

  EXPECT_EQ(Answer(*file, {.row_groups = {0, 1}, .columns = {0}}), "a 5; ");
  EXPECT_EQ(Answer(*file, {.row_groups = {1}, .columns = {2, 0, 1}}), "c a b 2; ");
  EXPECT_EQ(Answer(*file, {.row_groups = {0}, .columns = {1, 0, 1}}), "b a b 3; ");
  EXPECT_EQ(Answer(*file, {.row_groups = {0}, .columns = {0}, .batch_rows = 2}), "a 2; a 1; ");
  EXPECT_EQ(Answer(*file, {.row_groups = {0, 1}, .columns = {}, .batch_rows = 4}), "3; 2; ");
  EXPECT_EQ(Answer(*file, {.row_groups = {}, .columns = {0}}), "");
}

TEST_F(ParquetFileTest, KnowsWhichStringsAreWhollyInADictionary) {
  // More text than a dictionary may hold: the writer falls back to plain pages.
  std::string many = "[";
  for (int i = 0; i < 40000; ++i) {
    many += fmt::format("{}\"{:032}\"", i > 0 ? "," : "", i);
  }
  struct Case {
    const char* name;
    std::shared_ptr<arrow::Array> values;
    bool is_plain;
    bool has_dictionary;
  };
  const std::vector<Case> cases = {
      {"few strings", ArrayOf(arrow::utf8(), R"(["a", "b", null, "a"])"), false, true},
      {"only nulls", ArrayOf(arrow::utf8(), "[null, null]"), false, true},
      {"strings without a dictionary", ArrayOf(arrow::utf8(), R"(["a", "b"])"), true, false},
      {"strings that overflow it", ArrayOf(arrow::utf8(), many + "]"), false, false},
      {"bytes", ArrayOf(arrow::binary(), R"(["a"])"), false, false},
      {"numbers", ArrayOf(arrow::int64(), "[1, 1]"), false, false},
      {"lists of strings", ArrayOf(arrow::list(arrow::utf8()), R"([["a"]])"), false, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ParquetWriteOptions options;
    if (c.is_plain) {
      options.plain_columns = {"a"};
    }

    const auto file = FileOf({BatchOf({{"a", c.values}})}, options);

    const std::optional<std::int64_t> bytes = file->dictionary_bytes(0, 0);
    EXPECT_EQ(bytes.has_value(), c.has_dictionary);
    EXPECT_TRUE(!bytes || (*bytes > 0 && *bytes < file->chunk_bytes(0, 0)));
  }
}

TEST_F(ParquetFileTest, ReadsStringsAsDictionaries) {
  const auto strings = ArrayOf(arrow::utf8(), R"(["a", null, "b", "a", "c", null, "d"])");
  const auto file = FileOf({BatchOf({{"n", ArrayOf(arrow::int64(), "[1, 2, 3, 4, 5, 6, 7]")},
                                     {"d", strings},
                                     {"p", strings}})},
                           {.row_group_rows = 4, .plain_columns = {"p"}});
  const std::shared_ptr<arrow::DataType> dictionary =
      arrow::dictionary(arrow::int32(), arrow::utf8());

  // A plain column can be asked for too.
  SL_ASSERT_OK_AND_ASSIGN(const auto stream, file->Read({.row_groups = {0, 1},
                                                         .columns = {2, 0, 1},
                                                         .dictionary_columns = {1, 2},
                                                         .batch_rows = 3}));

  std::int64_t row = 0;
  while (true) {
    SL_ASSERT_OK_AND_ASSIGN(const auto batch, stream->Next());
    if (batch == nullptr) {
      break;
    }
    ASSERT_TRUE(batch->ValidateFull().ok());
    EXPECT_EQ(batch->column(1)->type_id(), arrow::Type::INT64);
    for (const int column : {0, 2}) {
      ASSERT_TRUE(batch->column(column)->type()->Equals(dictionary));
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(*batch->column(column));
      for (std::int64_t i = 0; i < batch->num_rows(); ++i) {
        const auto expected = strings->GetScalar(row + i).ValueOrDie();
        ASSERT_EQ(encoded.IsNull(i), !expected->is_valid);
        if (expected->is_valid) {
          EXPECT_EQ(
              encoded.dictionary()->GetScalar(encoded.GetValueIndex(i)).ValueOrDie()->ToString(),
              expected->ToString());
        }
      }
    }
    row += batch->num_rows();
  }
  EXPECT_EQ(row, 7);
}

TEST_F(ParquetFileTest, RefusesDictionariesOfOtherTypes) {
  const auto file = FileOf({BatchOf({{"n", ArrayOf(arrow::int64(), "[1]")},
                                     {"l", ArrayOf(arrow::list(arrow::utf8()), R"([["a"]])")}})});

  for (const int column : {-1, 0, 1, 2}) {
    SCOPED_TRACE(column);
    EXPECT_THAT(file->Read({.row_groups = {0}, .columns = {0}, .dictionary_columns = {column}}),
                Fails(ErrorKind::kInvalidArgument, HasSubstr("dictionary")));
  }
}

TEST_F(ParquetFileTest, ReadsNothingButItsColumns) {
  std::string wide = "[";
  for (int i = 0; i < 2000; ++i) {
    wide += (i > 0 ? ",\"" : "\"") + std::to_string(i * 7919) + "\"";
  }
  const auto strings = ArrayOf(arrow::utf8(), wide + "]");
  arrow::Int64Builder numbers;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(numbers.Append(i % 3).ok());
  }
  ASSERT_THAT(
      WriteParquet(*io_, kLocation,
                   {BatchOf({{"wide", strings}, {"narrow", numbers.Finish().ValueOrDie()}})}),
      IsOk());
  io::CountingFileIo counting(*io_);
  SL_ASSERT_OK_AND_ASSIGN(const auto file, OpenParquetFile(counting, kLocation, std::nullopt));
  const std::int64_t footer = counting.bytes_read();

  Answer(*file, {.row_groups = {0}, .columns = {}});
  EXPECT_EQ(counting.bytes_read() - footer, 0);

  Answer(*file, {.row_groups = {0}, .columns = {1}});
  EXPECT_LE(counting.bytes_read() - footer, file->chunk_bytes(0, 1));
}

TEST_F(ParquetFileTest, RefusesRequestsForWhatIsNotThere) {
  const auto file = FileOf({BatchOf({{"a", ArrayOf(arrow::int64(), "[1]")}})});

  EXPECT_THAT(file->Read({.row_groups = {1}, .columns = {0}}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("no row group 1")));
  EXPECT_THAT(file->Read({.row_groups = {0}, .columns = {1}}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("no column 1")));
  EXPECT_THAT(file->Read({.row_groups = {0}, .columns = {0}, .batch_rows = 0}),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("batches of 0 rows")));
}

TEST_F(ParquetFileTest, GivesStatisticsInPlainEncoding) {
  struct Case {
    std::string name;
    std::shared_ptr<arrow::Array> values;
    std::optional<std::string> min;
    std::optional<std::string> max;
    std::int64_t null_count = 0;
  };
  const std::vector<Case> cases = {
      {"boolean", ArrayOf(arrow::boolean(), "[true, false]"), std::string(1, '\0'), "\x01"},
      {"int", ArrayOf(arrow::int32(), "[3, null, -2]"), Plain(-2), Plain(3), 1},
      {"long", ArrayOf(arrow::int64(), "[3, -2]"), Plain(std::int64_t{-2}), Plain(std::int64_t{3})},
      {"date", ArrayOf(arrow::date32(), "[-1, 20000]"), Plain(-1), Plain(20000)},
      {"timestamptz", ArrayOf(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[-1, 5]"),
       Plain(std::int64_t{-1}), Plain(std::int64_t{5})},
      {"double without its NaN", ArrayOf(arrow::float64(), "[NaN, 2.5, -1]"), Plain(-1.0),
       Plain(2.5)},
      {"zeros of either sign", ArrayOf(arrow::float64(), "[0.0]"), Plain(-0.0), Plain(0.0)},
      {"negative zeros", ArrayOf(arrow::float32(), "[-0.0]"), Plain(-0.0F), Plain(0.0F)},
      {"NaN only", ArrayOf(arrow::float32(), "[NaN]"), std::nullopt, std::nullopt},
      {"null only", ArrayOf(arrow::int32(), "[null, null]"), std::nullopt, std::nullopt, 2},
      {"string", ArrayOf(arrow::utf8(), R"(["b", "ab", "é"])"), "ab", "é"},
      {"binary", ArrayOf(arrow::binary(), R"(["b", "ab"])"), "ab", "b"},
      {"decimal in an int32", ArrayOf(arrow::decimal128(9, 2), R"(["2.58", "-0.01"])"),
       std::string("\xff\xff\xff\xff", 4), std::string("\x00\x00\x01\x02", 4)},
      {"decimal in fixed bytes", ArrayOf(arrow::decimal128(19, 0), R"(["258", "-1"])"),
       std::string(9, '\xff'), std::string("\0\0\0\0\0\0\0\x01\x02", 9)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    const auto file = FileOf({BatchOf({{"a", c.values}})});

    const ChunkStatistics statistics = file->chunk_statistics(0, 0);
    EXPECT_EQ(statistics.min, c.min);
    EXPECT_EQ(statistics.max, c.max);
    EXPECT_THAT(statistics.null_count, Optional(c.null_count));
  }
}

TEST_F(ParquetFileTest, HasNoStatisticsWhereNoneCanBeTrusted) {
  const auto nested = FileOf({BatchOf({{"l", ArrayOf(arrow::list(arrow::int32()), "[[1]]")}})});
  EXPECT_EQ(nested->chunk_statistics(0, 0).min, std::nullopt);
  EXPECT_EQ(nested->chunk_statistics(0, 0).null_count, std::nullopt);

  SL_ASSERT_OK_AND_ASSIGN(auto out, io_->Create(kLocation));
  auto sink = std::make_shared<ArrowOutputFile>(std::move(out));
  parquet::WriterProperties::Builder properties;
  properties.disable_statistics();
  const auto table =
      arrow::Table::FromRecordBatches({BatchOf({{"a", ArrayOf(arrow::int64(), "[1]")}})})
          .ValueOrDie();
  ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 100,
                                         properties.build())
                  .ok());
  ASSERT_THAT(sink->file().Close(), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const auto silent, OpenParquetFile(*io_, kLocation, std::nullopt));

  EXPECT_EQ(silent->chunk_statistics(0, 0).min, std::nullopt);
  EXPECT_EQ(silent->chunk_statistics(0, 0).null_count, std::nullopt);
  EXPECT_THAT(ReadParquet(*io_, kLocation), IsOk());
}

TEST_F(ParquetFileTest, FindsIndicesOutsideOfADictionary) {
  const auto schema = arrow::schema({arrow::field("a", arrow::utf8(), /*nullable=*/false)});
  const auto batch =
      arrow::RecordBatch::Make(schema, 4, {ArrayOf(arrow::utf8(), R"(["x", "y", "z", "x"])")});
  const auto table = arrow::Table::FromRecordBatches(schema, {batch}).ValueOrDie();
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  ASSERT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink).ok());
  std::string bytes = sink->Finish().ValueOrDie()->ToString();
  ASSERT_THAT(io::WriteFile(*io_, kLocation, bytes), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const auto whole, OpenParquetFile(*io_, kLocation, std::nullopt));
  // The chunk ends with two bits for each value, in two bytes; without checksums.
  bytes[static_cast<std::size_t>(4 + whole->chunk_bytes(0, 0) - 2)] = '\xFF';
  ASSERT_THAT(io_->Delete(kLocation), IsOk());
  ASSERT_THAT(io::WriteFile(*io_, kLocation, bytes), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const auto file, OpenParquetFile(*io_, kLocation, std::nullopt));

  SL_ASSERT_OK_AND_ASSIGN(
      const auto stream,
      file->Read({.row_groups = {0}, .columns = {0}, .dictionary_columns = {0}}));

  EXPECT_THAT(stream->Next(), Fails(ErrorKind::kCorrupt, HasSubstr("dictionary lacks")));
}

TEST_F(ParquetFileTest, CanBeReadBySeveralThreadsAtOnce) {
  std::string numbers = "[0";
  for (int i = 1; i < 5000; ++i) {
    numbers += "," + std::to_string(i);
  }
  const auto file =
      FileOf({BatchOf({{"a", ArrayOf(arrow::int64(), numbers + "]")}})}, {.row_group_rows = 500});
  std::vector<std::int64_t> sums(4, 0);

  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int group = 0; group < file->row_group_count(); ++group) {
        const auto stream = file->Read({.row_groups = {group}, .columns = {0}, .batch_rows = 100});
        for (auto batch = stream.value()->Next(); *batch != nullptr;
             batch = stream.value()->Next()) {
          const auto& column = static_cast<const arrow::Int64Array&>(*(*batch)->column(0));
          for (std::int64_t row = 0; row < column.length(); ++row) {
            sums[t] += column.Value(row);
          }
        }
        sums[t] += file->chunk_statistics(group, 0).null_count.value_or(1000000);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }

  EXPECT_THAT(sums, ::testing::Each(Eq(5000 * 4999 / 2)));
}

TEST_F(ParquetFileTest, NamesTheFileInEveryFailure) {
  EXPECT_THAT(OpenParquetFile(*io_, kLocation, std::nullopt),
              Fails(ErrorKind::kNotFound, HasSubstr(kLocation)));

  ASSERT_THAT(io::WriteFile(*io_, kLocation, "a,b\n1,2\n, and long enough to be a Parquet file"),
              IsOk());
  EXPECT_THAT(OpenParquetFile(*io_, kLocation, std::nullopt),
              Fails(ErrorKind::kCorrupt, HasSubstr(kLocation)));
  EXPECT_THAT(OpenParquetFile(*io_, kLocation, 17),
              Fails(ErrorKind::kCorrupt, AllOf(HasSubstr(kLocation), HasSubstr("17"))));

  ASSERT_THAT(
      io::WriteFile(*io_, "memory://t/secret.parquet", "PARE  any bytes  \x08\x01\x01\x01PARE"),
      IsOk());
  EXPECT_THAT(
      OpenParquetFile(*io_, "memory://t/secret.parquet", std::nullopt),
      Fails(ErrorKind::kUnsupported, AllOf(HasSubstr("secret.parquet"), HasSubstr("encrypted"))));
}

TEST_F(ParquetFileTest, PassesOnEveryFailureOfStorage) {
  const auto batch = BatchOf({{"a", ArrayOf(arrow::int64(), "[1, 2, 3, 4]")},
                              {"b", ArrayOf(arrow::utf8(), R"(["a", "b", "c", "d"])")}});
  ASSERT_THAT(
      WriteParquet(*io_, kLocation, {batch}, {.row_group_rows = 2, .bloom_filter_columns = {"b"}}),
      IsOk());
  io::FaultyFileIo faulty(*io_);
  const auto read_all = [&]() -> Status {
    SL_TRY(ReadParquet(faulty, kLocation));
    const auto file = SL_TRY(OpenParquetFile(faulty, kLocation, std::nullopt));
    SL_TRY(file->ReadBloomFilter(1, 1));
    return {};
  };
  int failures = 0;
  for (std::int64_t call = 1;; ++call) {
    faulty.FailCall(call);

    const Status status = read_all();

    if (!faulty.has_failed()) {
      EXPECT_THAT(status, IsOk());
      break;
    }
    ++failures;
    faulty.StopFailing();
    EXPECT_THAT(status, Fails(ErrorKind::kUnavailable, HasSubstr(kLocation))) << "call " << call;
  }
  EXPECT_GT(failures, 6);  // Two opens, two footers, four chunks, the filter.
}

}  // namespace
}  // namespace strandline::format
