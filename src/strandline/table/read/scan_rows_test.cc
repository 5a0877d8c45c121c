// Which rows a scan gives: deletes, cuts, skipped row groups, positions; and what it costs.

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/parallel.h"
#include "strandline/io/counting_file_io.h"
#include "strandline/io/faulty_file_io.h"
#include "strandline/table/deletes/position_deletes.h"
#include "strandline/table/read/scan_reader.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"
#include "tests/support/scan_files.h"

namespace strandline::table {
namespace {

using ::strandline::testing::BatchWith;
using ::strandline::testing::Column;
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::PartitionBy;
using ::strandline::testing::ReadLines;
using ::strandline::testing::WithId;
using ::strandline::testing::WriteTask;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kHourMicros = 3'600'000'000;

Timestamp Micros(std::int64_t micros) { return Timestamp(std::chrono::microseconds(micros)); }

Interval Hours(std::int64_t first, std::int64_t end) {
  return {Micros(first * kHourMicros), Micros(end * kHourMicros)};
}

Schema EventSchema() {
  Schema schema;
  schema.fields = {Column(1, "id", PrimitiveType(TypeId::kLong)),
                   Column(2, "event_time", PrimitiveType(TypeId::kTimestamptz)),
                   Column(3, "day", PrimitiveType(TypeId::kDate)),
                   Column(4, "price", PrimitiveType(TypeId::kDouble))};
  return schema;
}

TableMetadata EventTable() {
  TableMetadata metadata;
  metadata.location = "mem://lake/t";
  metadata.schemas = {EventSchema()};
  metadata.partition_specs = {PartitionSpec{}};
  return metadata;
}

// `rows` events with ids from `first` on, one an hour; every seventh has no time.
std::shared_ptr<arrow::RecordBatch> Events(std::int64_t first, std::int64_t rows) {
  arrow::Int64Builder ids;
  arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                arrow::default_memory_pool());
  arrow::Date32Builder days;
  arrow::DoubleBuilder prices;
  for (std::int64_t i = first; i < first + rows; ++i) {
    SL_CHECK(ids.Append(i).ok());
    SL_CHECK((i % 7 == 6 ? times.AppendNull() : times.Append(i * kHourMicros)).ok());
    SL_CHECK(days.Append(static_cast<std::int32_t>(i / 24)).ok());
    SL_CHECK(prices.Append(static_cast<double>(i) / 2).ok());
  }
  arrow::ArrayVector arrays = {ids.Finish().ValueOrDie(), times.Finish().ValueOrDie(),
                               days.Finish().ValueOrDie(), prices.Finish().ValueOrDie()};
  arrow::FieldVector fields = {
      WithId(1, "id", arrays[0]->type()), WithId(2, "event_time", arrays[1]->type()),
      WithId(3, "day", arrays[2]->type()), WithId(4, "price", arrays[3]->type())};
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(arrays));
}

// The ids that a scan gives, in order.
Result<std::vector<std::int64_t>> ReadIds(io::FileIo& io, std::vector<ScanTask> tasks,
                                          ScanReadOptions options) {
  options.columns = {"id"};
  std::unique_ptr<format::BatchSource> source =
      SL_TRY(OpenScan(io, EventTable(), EventSchema(), std::move(tasks), options));
  const std::vector<std::string> lines = SL_TRY(ReadLines(std::move(source)));
  std::vector<std::int64_t> ids;
  for (const std::string& line : lines) {
    ids.push_back(std::stoll(line));
  }
  return ids;
}

// [first, end) but for those that `leaves_out` says yes to.
template <typename LeavesOut>
std::vector<std::int64_t> Range(std::int64_t first, std::int64_t end, const LeavesOut& leaves_out) {
  std::vector<std::int64_t> ids;
  for (std::int64_t id = first; id < end; ++id) {
    if (!leaves_out(id)) {
      ids.push_back(id);
    }
  }
  return ids;
}

bool HasNoTime(std::int64_t id) { return id % 7 == 6; }

ScanReadOptions Cut(const std::string& column, const Interval& interval) {
  ScanReadOptions options;
  options.cut = ScanReadOptions::TimeCut{column, interval};
  return options;
}

void AddDeletes(io::FileIo& io, std::vector<ScanTask*> tasks, const DeletedPositions& positions) {
  const TableMetadata metadata = EventTable();
  Result<DataFile> deletes = WritePositionDeletes(
      io, metadata, metadata.partition_specs.front(), {}, positions,
      fmt::format("{}-{}", positions.begin()->first.substr(6), tasks[0]->deletes.size()));
  ASSERT_THAT(deletes, IsOk());
  for (ScanTask* task : tasks) {
    task->deletes.push_back(*deletes);
  }
}

TEST(ScanRows, ComeFileByFileInOrder) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask a, WriteTask(*files.io, "mem://a", Events(0, 25), 10));
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask b, WriteTask(*files.io, "mem://b", Events(100, 5)));

  SL_ASSERT_OK_AND_ASSIGN(
      auto source, OpenScan(*files.io, EventTable(), EventSchema(), {a, b}, {.columns = {"id"}}));
  EXPECT_EQ(source->part_count(), 4U);
  SL_ASSERT_OK_AND_ASSIGN(const auto ids, ReadIds(*files.io, {a, b}, {}));
  auto expected = Range(0, 25, [](std::int64_t) { return false; });
  const auto of_b = Range(100, 105, [](std::int64_t) { return false; });
  expected.insert(expected.end(), of_b.begin(), of_b.end());
  EXPECT_EQ(ids, expected);
}

TEST(ScanRows, OfNoTasksAreNone) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(
      auto source, OpenScan(*files.io, EventTable(), EventSchema(), {}, {.columns = {"id"}}));

  EXPECT_EQ(source->part_count(), 0U);
  EXPECT_THAT(*ReadLines(std::move(source)), IsEmpty());
}

TEST(ScanRows, AreCountedWithoutColumns) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(ScanTask task, WriteTask(*files.io, "mem://a", Events(0, 25), 10));
  AddDeletes(*files.io, {&task}, {{"mem://a", {3, 4, 12}}});
  SL_ASSERT_OK_AND_ASSIGN(
      auto source, OpenScan(*files.io, EventTable(), EventSchema(), {task}, {.columns = {}}));

  SL_ASSERT_OK_AND_ASSIGN(const auto lines, ReadLines(std::move(source)));

  EXPECT_THAT(lines, AllOf(SizeIs(22), Each("")));
}

TEST(ScanRows, DeletedOnesAreLeftOut) {
  struct Case {
    const char* name;
    std::vector<std::int64_t> deleted;
  };
  std::vector<std::int64_t> all(25);
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Case> cases = {
      {"one", {7}},
      {"the first and the last", {0, 24}},
      {"at the borders of row groups and batches", {3, 4, 9, 10, 19, 20}},
      {"a whole row group", {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}},
      {"a whole batch", {4, 5, 6, 7}},
      {"beyond the rows", {24, 25, 1000}},
      {"every row", all},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    MemoryFiles files;
    SL_ASSERT_OK_AND_ASSIGN(ScanTask task, WriteTask(*files.io, "mem://a", Events(0, 25), 10));
    AddDeletes(*files.io, {&task}, {{"mem://a", c.deleted}});

    SL_ASSERT_OK_AND_ASSIGN(const auto ids, ReadIds(*files.io, {task}, {.batch_rows = 4}));

    EXPECT_EQ(ids, Range(0, 25, [&](std::int64_t id) {
                return std::find(c.deleted.begin(), c.deleted.end(), id) != c.deleted.end();
              }));
  }
}

TEST(ScanRows, ADeleteFileOfSeveralDataFilesIsReadOnce) {
  MemoryFiles files;
  std::vector<ScanTask> tasks;
  DeletedPositions positions;
  for (const std::string name : {"mem://a", "mem://b", "mem://c"}) {
    SL_ASSERT_OK_AND_ASSIGN(ScanTask task, WriteTask(*files.io, name, Events(0, 10), 5));
    tasks.push_back(std::move(task));
    positions[name] = {static_cast<std::int64_t>(tasks.size())};
  }
  AddDeletes(*files.io, {&tasks[0], &tasks[1], &tasks[2]}, positions);
  AddDeletes(*files.io, {&tasks[1]}, {{"mem://b", {2, 9}}});
  io::CountingFileIo counting(*files.io);
  SL_ASSERT_OK_AND_ASSIGN(auto source,
                          OpenScan(counting, EventTable(), EventSchema(), tasks, {.columns = {}}));
  const std::int64_t footers = counting.bytes_read();

  SL_ASSERT_OK_AND_ASSIGN(const auto lines, ReadLines(std::move(source)));

  EXPECT_THAT(lines, SizeIs(30 - 3 - 1));
  // No column of a data file was read, and each delete file once: footer and chunks fit in its
  // size.
  const std::int64_t delete_bytes =
      tasks[1].deletes[0].file_size_bytes + tasks[1].deletes[1].file_size_bytes;
  EXPECT_GT(counting.bytes_read(), footers);
  EXPECT_LE(counting.bytes_read() - footers, 2 * delete_bytes);
}

TEST(ScanRows, AreCutExactly) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteTask(*files.io, "mem://a", Events(0, 100), 10));
  const auto no_time = [](std::int64_t id) { return HasNoTime(id); };
  const auto none = [](std::int64_t) { return false; };
  struct Case {
    const char* name;
    ScanReadOptions options;
    std::vector<std::int64_t> ids;
    std::size_t parts;
  };
  const Interval second_day = {Micros(24 * kHourMicros), Micros(48 * kHourMicros)};
  const std::vector<Case> cases = {
      {"inside of a row group", Cut("event_time", Hours(42, 45)), Range(42, 45, no_time), 1},
      {"over several", Cut("event_time", Hours(8, 31)), Range(8, 31, no_time), 4},
      {"exactly row groups", Cut("event_time", Hours(10, 30)), Range(10, 30, no_time), 2},
      {"everything with a time", Cut("event_time", Hours(0, 100)), Range(0, 100, no_time), 10},
      {"half-open", Cut("event_time", {Micros(1), Micros(2 * kHourMicros)}), {1}, 1},
      {"nothing", Cut("event_time", Hours(200, 300)), {}, 0},
      {"an empty interval", Cut("event_time", Hours(5, 5)), {}, 1},
      {"by days", Cut("day", second_day), Range(24, 48, none), 3},
      {"days begin inside", Cut("day", {Micros(1), Micros(24 * kHourMicros + 1)}),
       Range(24, 48, none), 3},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    for (const bool prune : {true, false}) {
      SCOPED_TRACE(prune);
      ScanReadOptions options = c.options;
      options.prune = prune;
      options.batch_rows = 7;
      EXPECT_EQ(*ReadIds(*files.io, {task}, options), c.ids);
      SL_ASSERT_OK_AND_ASSIGN(auto source,
                              OpenScan(*files.io, EventTable(), EventSchema(), {task}, options));
      EXPECT_EQ(source->part_count(), prune ? c.parts : 10U);
    }
  }
}

TEST(ScanRows, ThatFootersProveInsideAreNotTested) {
  MemoryFiles files;
  // Ids 0 to 5 all have a time.
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteTask(*files.io, "mem://a", Events(0, 6)));
  io::CountingFileIo counting(*files.io);
  const auto bytes_of = [&](const Interval& interval) {
    ScanReadOptions options = Cut("event_time", interval);
    options.columns = {"id"};
    const std::int64_t before = counting.bytes_read();
    const auto ids = ReadIds(counting, {task}, options);
    EXPECT_THAT(ids, IsOk());
    return counting.bytes_read() - before;
  };

  // The column of the cut is not even read.
  EXPECT_LT(bytes_of(Hours(0, 6)), bytes_of(Hours(0, 5)));
}

TEST(ScanRows, AreCutByAPartitionValueWhereTheFileLacksTheColumn) {
  MemoryFiles files;
  TableMetadata metadata = EventTable();
  metadata.partition_specs = {{.id = SpecId(0), .fields = {PartitionBy(3, 1000, "day")}}};
  SL_ASSERT_OK_AND_ASSIGN(
      ScanTask task,
      WriteTask(*files.io, "mem://a", BatchWith({WithId(1, "id", arrow::int64())}, {"[1, 2]"})));
  const auto count = [&](const Value& day, const Interval& interval) {
    task.file.partition = {day};
    ScanReadOptions options = Cut("day", interval);
    auto source = OpenScan(*files.io, metadata, EventSchema(), {task}, options);
    EXPECT_THAT(source, IsOk());
    return ReadLines(std::move(source).value())->size();
  };

  EXPECT_EQ(count(Value(std::int32_t{1}), Hours(24, 48)), 2U);
  EXPECT_EQ(count(Value(std::int32_t{1}), Hours(48, 72)), 0U);
  EXPECT_EQ(count(Value(), Hours(24, 48)), 0U);
}

TEST(ScanRows, CanBeCutByTimesOnly) {
  MemoryFiles files;

  EXPECT_THAT(ReadIds(*files.io, {}, Cut("price", Hours(0, 1))),
              Fails(ErrorKind::kInvalidArgument, AllOf(HasSubstr("price"), HasSubstr("double"))));
  EXPECT_THAT(ReadIds(*files.io, {}, Cut("tiem", Hours(0, 1))),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("tiem")));
}

TEST(ScanRows, OfRowGroupsThatCannotMatchAreSkipped) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteTask(*files.io, "mem://a", Events(0, 100), 10));
  using enum ExpressionKind;
  const auto id = [](std::int64_t number) { return std::vector<Value>{Value(number)}; };
  struct Case {
    const char* name;
    Expression filter;
    std::size_t parts;
  };
  const std::vector<Case> cases = {
      {"everything", AlwaysTrue(), 10},
      {"one group", Predicate(kEqual, "id", id(42)), 1},
      {"up to a border", Predicate(kLess, "id", id(30)), 3},
      {"two of them", Predicate(kIn, "id", {Value(std::int64_t{5}), Value(std::int64_t{95})}), 2},
      {"both columns",
       And({Predicate(kGreaterOrEqual, "id", id(30)), Predicate(kLess, "price", {Value(20.0)})}),
       1},
      {"NaN may hide above", Predicate(kGreater, "price", {Value(1000.0)}), 10},
      {"nulls where none are", Predicate(kIsNull, "id"), 0},
      {"nulls where some are", Predicate(kIsNull, "event_time"), 10},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScanReadOptions options;
    options.filter = c.filter;
    SL_ASSERT_OK_AND_ASSIGN(auto pruned,
                            OpenScan(*files.io, EventTable(), EventSchema(), {task}, options));
    options.prune = false;
    SL_ASSERT_OK_AND_ASSIGN(auto all,
                            OpenScan(*files.io, EventTable(), EventSchema(), {task}, options));
    EXPECT_EQ(pruned->part_count(), c.parts);
    EXPECT_EQ(all->part_count(), 10U);
  }
}

TEST(ScanRows, KnowTheirFileAndPosition) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(ScanTask task, WriteTask(*files.io, "mem://a", Events(0, 25), 10));
  AddDeletes(*files.io, {&task}, {{"mem://a", {11, 21}}});
  ScanReadOptions options = Cut("event_time", Hours(9, 25));
  options.columns = {"id"};
  options.with_positions = true;
  options.batch_rows = 6;
  SL_ASSERT_OK_AND_ASSIGN(auto source,
                          OpenScan(*files.io, EventTable(), EventSchema(), {task}, options));
  EXPECT_EQ(source->schema()->field_names(), (std::vector<std::string>{"id", "_file", "_pos"}));

  SL_ASSERT_OK_AND_ASSIGN(const auto lines, ReadLines(std::move(source)));

  std::vector<std::string> expected;
  for (const std::int64_t id : {9, 10, 12, 14, 15, 16, 17, 18, 19, 22, 23, 24}) {
    expected.push_back(fmt::format("{0} mem://a {0}", id));
  }
  EXPECT_EQ(lines, expected);
}

TEST(ScanRows, CanBeReadByPartsAtTheSameTime) {
  MemoryFiles files;
  std::vector<ScanTask> tasks;
  DeletedPositions positions;
  for (int i = 0; i < 4; ++i) {
    const std::string name = fmt::format("mem://{}", i);
    SL_ASSERT_OK_AND_ASSIGN(ScanTask task, WriteTask(*files.io, name, Events(i * 1000, 1000), 100));
    tasks.push_back(std::move(task));
    positions[name] = {0, 500, 999};
  }
  AddDeletes(*files.io, {&tasks[0], &tasks[1], &tasks[2], &tasks[3]}, positions);
  SL_ASSERT_OK_AND_ASSIGN(
      auto source, OpenScan(*files.io, EventTable(), EventSchema(), tasks, {.columns = {"id"}}));
  std::atomic<std::int64_t> rows = 0;
  std::atomic<std::int64_t> sum = 0;
  const auto read = [&](std::size_t part) -> Status {
    const std::unique_ptr<format::BatchStream> stream = SL_TRY(source->OpenPart(part));
    while (true) {
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
      if (batch == nullptr) {
        return {};
      }
      rows += batch->num_rows();
      for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
        sum += static_cast<const arrow::Int64Array&>(*batch->column(0)).Value(row);
      }
    }
  };

  ASSERT_THAT(ParallelFor(source->part_count(), 4, read), IsOk());

  EXPECT_EQ(rows, 4000 - 12);
  EXPECT_EQ(sum, 3999 * 4000 / 2 - (4 * (0 + 500 + 999) + 3 * (1000 + 2000 + 3000)));
}

TEST(ScanRows, OfMoreFilesThanMayBeOpenAtOnceAreRead) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask task, WriteTask(*files.io, "mem://a", Events(0, 3)));
  const std::vector<ScanTask> tasks(300, task);

  SL_ASSERT_OK_AND_ASSIGN(const auto ids, ReadIds(*files.io, tasks, {}));

  EXPECT_THAT(ids, SizeIs(900));
}

TEST(ScanRows, OfFilesThatAreNotWhatTheManifestSaysAreRefused) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const ScanTask good, WriteTask(*files.io, "mem://a", Events(0, 3)));
  struct Case {
    const char* name;
    void (*spoil)(ScanTask&);
    ErrorKind kind;
    const char* error;
  };
  const std::vector<Case> cases = {
      {"rows", [](ScanTask& task) { task.file.record_count = 4; }, ErrorKind::kCorrupt,
       "expected 4, found 3 in mem://a"},
      {"size", [](ScanTask& task) { task.file.file_size_bytes += 1; }, ErrorKind::kCorrupt,
       "mem://a"},
      {"path", [](ScanTask& task) { task.file.file_path = "mem://gone"; }, ErrorKind::kNotFound,
       "mem://gone"},
      {"format", [](ScanTask& task) { task.file.file_format = "ORC"; }, ErrorKind::kUnsupported,
       "mem://a is ORC"},
      {"spec", [](ScanTask& task) { task.spec_id = SpecId(9); }, ErrorKind::kCorrupt, "spec 9"},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScanTask task = good;
    c.spoil(task);
    EXPECT_THAT(ReadIds(*files.io, {task}, {}), Fails(c.kind, HasSubstr(c.error)));
  }
}

TEST(ScanRows, FailAsStorageDoesWhicheverCallItIs) {
  MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(ScanTask task, WriteTask(*files.io, "mem://a", Events(0, 25), 10));
  AddDeletes(*files.io, {&task}, {{"mem://a", {11, 21}}});
  io::FaultyFileIo io(*files.io);

  std::int64_t failed_calls = 0;
  for (std::int64_t call = 1;; ++call) {
    io.FailCall(call);
    const auto ids = ReadIds(io, {task}, {});
    if (ids) {
      EXPECT_THAT(*ids, SizeIs(23));
      break;
    }
    EXPECT_THAT(ids, Fails(ErrorKind::kUnavailable, ::testing::_));
    ++failed_calls;
  }

  EXPECT_GE(failed_calls, 6);  // Two files opened, their footers and chunks read.
}

}  // namespace
}  // namespace strandline::table
