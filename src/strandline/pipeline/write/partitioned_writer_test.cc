#include "strandline/pipeline/write/partitioned_writer.h"

#include <algorithm>
#include <set>

#include <arrow/api.h>

#include "strandline/base/parallel.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"
#include "tests/support/scan_table.h"

namespace strandline::pipeline {
namespace {

using ::strandline::testing::IsOk;
using ::strandline::testing::ScanTable;
using ::testing::Le;

constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;

// Passes everything on and counts how many files are being written at a time.
class OpenCountFileIo final : public io::FileIo {
 public:
  explicit OpenCountFileIo(io::FileIo& target) : target_(target) {}

  int open_most() const { return open_most_; }

  Result<std::unique_ptr<io::InputFile>> Open(const std::string& location) override {
    return target_.Open(location);
  }
  Result<std::unique_ptr<io::OutputFile>> Create(const std::string& location) override {
    std::unique_ptr<io::OutputFile> file = SL_TRY(target_.Create(location));
    return std::make_unique<Counted>(std::move(file), *this);
  }
  Status Delete(const std::string& location) override { return target_.Delete(location); }
  Result<io::FileInfo> Stat(const std::string& location) override { return target_.Stat(location); }
  Status List(const std::string& location, io::Recursive recursive,
              const io::FileVisitor& visitor) override {
    return target_.List(location, recursive, visitor);
  }
  Result<std::vector<std::string>> ListFolders(const std::string& location) override {
    return target_.ListFolders(location);
  }

 private:
  class Counted final : public io::OutputFile {
   public:
    Counted(std::unique_ptr<io::OutputFile> file, OpenCountFileIo& counts)
        : file_(std::move(file)), counts_(counts) {
      counts_.Add(1);
    }
    ~Counted() override { counts_.Add(-1); }
    const std::string& location() const override { return file_->location(); }
    std::int64_t position() const override { return file_->position(); }
    Status Write(std::string_view bytes) override { return file_->Write(bytes); }
    Status Close() override { return file_->Close(); }

   private:
    std::unique_ptr<io::OutputFile> file_;
    OpenCountFileIo& counts_;
  };

  void Add(int files) {
    const std::lock_guard lock(mutex_);
    open_ += files;
    open_most_ = std::max(open_most_, open_);
  }

  io::FileIo& target_;
  std::mutex mutex_;
  int open_ = 0;
  int open_most_ = 0;
};

// A table of one column, partitioned by it.
ScanTable PartitionedTable() {
  table::Schema schema;
  schema.fields = {
      {.id = table::FieldId(1), .name = "country", .type = PrimitiveType(table::TypeId::kLong)}};
  const table::Transform identity{
      .kind = table::TransformKind::kIdentity, .parameter = 0, .text = {}};
  return ScanTable(schema, {{.id = table::SpecId(0),
                             .fields = {{.source_id = table::FieldId(1),
                                         .field_id = table::FieldId(1000),
                                         .name = "country",
                                         .transform = identity}}}});
}

table::PartitionTuple Country(std::int64_t country) { return {table::Value(country)}; }

std::shared_ptr<arrow::RecordBatch> RowsOf(const ScanTable& table, std::int64_t country,
                                           std::int64_t count) {
  const auto column = arrow::MakeArrayFromScalar(arrow::Int64Scalar(country), count).ValueOrDie();
  return arrow::RecordBatch::Make(table::ArrowSchema(table.schema()), count, {column});
}

std::map<std::int64_t, std::int64_t> RowsByCountry(const std::vector<table::NewFile>& files) {
  std::map<std::int64_t, std::int64_t> rows;
  for (const table::NewFile& file : files) {
    rows[std::get<std::int64_t>(file.file.partition.front())] += file.file.record_count;
  }
  return rows;
}

struct Case {
  std::string name;
  std::size_t open_files_max;
  std::int64_t buffered_bytes_max;
  std::size_t files;  // Of ten partitions that are written to in turn, five times.
};

TEST(PartitionedWriter, KeepsToItsBoundsAndLosesNoRow) {
  constexpr std::int64_t kCountries = 10;
  constexpr std::int64_t kRounds = 5;
  const std::vector<Case> cases = {
      {"all may be open", 10, kNoLimit, 10},
      {"most wait in memory and become one file each", 2, kNoLimit, 10},
      {"none may be open", 0, kNoLimit, 10},
      {"nothing may be kept: every write is a file", 2, 0, 50},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScanTable table = PartitionedTable();
    OpenCountFileIo io(table.io());
    PartitionedWriter writer(table.metadata(),
                             {.file_stem = "s",
                              .buffered_bytes_max = c.buffered_bytes_max,
                              .open_files_max = c.open_files_max},
                             io);

    for (std::int64_t round = 0; round < kRounds; ++round) {
      for (std::int64_t country = 0; country < kCountries; ++country) {
        ASSERT_THAT(writer.Write(Country(country), 0, RowsOf(table, country, country + 1)), IsOk());
      }
    }
    SL_ASSERT_OK_AND_ASSIGN(const std::vector<table::NewFile> files, writer.Finish());

    EXPECT_THAT(io.open_most(), Le(static_cast<int>(c.open_files_max) + 1));
    EXPECT_EQ(files.size(), c.files);
    EXPECT_EQ(writer.written_files().size(), c.files);
    for (const auto& [country, rows] : RowsByCountry(files)) {
      EXPECT_EQ(rows, kRounds * (country + 1)) << country;
    }
    EXPECT_EQ(RowsByCountry(files).size(), kCountries);
  }
}

TEST(PartitionedWriter, WaitingRowsOfManyBatchesAreAllWritten) {
  ScanTable table = PartitionedTable();
  PartitionedWriter writer(table.metadata(),
                           {.file_stem = "s", .buffered_bytes_max = kNoLimit, .open_files_max = 0},
                           table.io());

  constexpr std::int64_t kBatches = 1000;
  for (std::int64_t i = 0; i < kBatches; ++i) {
    ASSERT_THAT(writer.Write(Country(7), 0, RowsOf(table, 7, 1)), IsOk());
  }
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<table::NewFile> files, writer.Finish());

  ASSERT_EQ(files.size(), 1);
  EXPECT_EQ(files.front().file.record_count, kBatches);
}

TEST(PartitionedWriter, ALaneHasAFileOfItsOwn) {
  ScanTable table = PartitionedTable();
  PartitionedWriter writer(table.metadata(), {.file_stem = "s", .buffered_bytes_max = kNoLimit},
                           table.io());

  for (const std::size_t lane : {0, 1, 1}) {
    ASSERT_THAT(writer.Write(Country(7), lane, RowsOf(table, 7, 1)), IsOk());
  }
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<table::NewFile> files, writer.Finish());

  EXPECT_EQ(files.size(), 2);
}

TEST(PartitionedWriter, ThreadsKeepToTheBoundsTogether) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kWrites = 2000;
  constexpr std::int64_t kCountries = 50;
  ScanTable table = PartitionedTable();
  OpenCountFileIo io(table.io());
  PartitionedWriter writer(
      table.metadata(),
      {.file_stem = "s", .buffered_bytes_max = 1 << 16, .threads = kThreads, .open_files_max = 3},
      io);

  ASSERT_THAT(ParallelFor(kWrites, kThreads,
                          [&](std::size_t i) {
                            const auto country = static_cast<std::int64_t>(i) % kCountries;
                            return writer.Write(Country(country), 0, RowsOf(table, country, 10));
                          }),
              IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<table::NewFile> files, writer.Finish());

  EXPECT_THAT(io.open_most(), Le(3 + static_cast<int>(kThreads)));
  std::int64_t rows = 0;
  std::set<std::string> paths;
  for (const table::NewFile& file : files) {
    rows += file.file.record_count;
    paths.insert(file.file.file_path);
  }
  EXPECT_EQ(rows, static_cast<std::int64_t>(kWrites) * 10);
  EXPECT_EQ(paths.size(), files.size());
}

TEST(PartitionedWriter, FilesRollAtTheTablesTargetSize) {
  ScanTable table = PartitionedTable();
  table.metadata().properties["write.target-file-size-bytes"] = "1";
  PartitionedWriter writer(table.metadata(), {.file_stem = "s", .buffered_bytes_max = kNoLimit},
                           table.io());

  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(writer.Write(Country(7), 0, RowsOf(table, 7, 1)), IsOk());
  }
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<table::NewFile> files, writer.Finish());

  EXPECT_EQ(files.size(), 3);
}

}  // namespace
}  // namespace strandline::pipeline
