#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/manifest.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

namespace avro = format::avro;
using ::strandline::testing::AllTypesTable;
using ::strandline::testing::ByLongSpec;
using ::strandline::testing::Fails;
using ::strandline::testing::FullFile;
using ::strandline::testing::IsOk;
using ::strandline::testing::MemoryFiles;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const char* const kList = "file:///lake/t/metadata/snap-77.avro";

// A line with something in every field.
ManifestFile FullLine(const std::string& path, SnapshotId added) {
  ManifestFile line;
  line.manifest_path = path;
  line.manifest_length = 4711;
  line.partition_spec_id = SpecId(9);
  line.content = ManifestContent::kDeletes;
  line.sequence_number = SequenceNumber(5);
  line.min_sequence_number = SequenceNumber(2);
  line.added_snapshot_id = added;
  line.added_files_count = 1;
  line.existing_files_count = 2;
  line.deleted_files_count = 3;
  line.added_rows_count = 10;
  line.existing_rows_count = 20;
  line.deleted_rows_count = 30;
  line.partitions = {{.contains_null = true,
                      .contains_nan = true,
                      .lower_bound = std::string("\0a", 2),
                      .upper_bound = "b"},
                     {}};
  line.key_metadata = "key";
  return line;
}

Status WriteList(io::FileIo& io, const std::vector<ManifestFile>& lines) {
  return WriteManifestList(io, kList, SnapshotId(77), SnapshotId(55), SequenceNumber(6), lines);
}

Result<std::vector<ManifestFile>> ReadList(io::FileIo& io) {
  Snapshot snapshot;
  snapshot.manifest_list = kList;
  return ReadManifestList(io, snapshot);
}

TEST(ManifestList, GivesBackWhatWasWritten) {
  const MemoryFiles files;
  ManifestFile bare = FullLine("file:///b.avro", SnapshotId(54));
  bare.content = ManifestContent::kData;
  bare.partitions.clear();
  bare.key_metadata.reset();
  const std::vector<ManifestFile> lines = {FullLine("file:///a.avro", SnapshotId(55)), bare};

  ASSERT_THAT(WriteList(*files.io, lines), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFile> read, ReadList(*files.io));
  EXPECT_EQ(read, lines);
}

TEST(ManifestList, OfAnEmptyTableIsEmpty) {
  const MemoryFiles files;
  ASSERT_THAT(WriteList(*files.io, {}), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFile> read, ReadList(*files.io));

  EXPECT_THAT(read, IsEmpty());
}

TEST(ManifestList, AssignsSequenceNumbersToTheManifestsOfItsSnapshotOnly) {
  struct Case {
    const char* name;
    std::int64_t added_snapshot_id;
    std::int64_t sequence_number;
    SequenceNumber min_sequence_number;
    std::int64_t expected;
    std::int64_t expected_min;
  };
  const std::vector<Case> cases = {
      {"new, all entries inherit", 77, 0, kUnassignedSequenceNumber, 6, 6},
      {"new, with older entries", 77, 0, SequenceNumber(2), 6, 2},
      {"new, with entries from version 1", 77, 0, SequenceNumber(0), 6, 0},
      {"of an older snapshot", 55, 5, SequenceNumber(3), 5, 3},
      {"of version 1", 55, 0, SequenceNumber(0), 0, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MemoryFiles files;
    ManifestFile line = FullLine("file:///a.avro", SnapshotId(c.added_snapshot_id));
    line.sequence_number = SequenceNumber(c.sequence_number);
    line.min_sequence_number = c.min_sequence_number;

    ASSERT_THAT(WriteList(*files.io, {line}), IsOk());

    SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFile> read, ReadList(*files.io));
    EXPECT_EQ(read.at(0).sequence_number, SequenceNumber(c.expected));
    EXPECT_EQ(read.at(0).min_sequence_number, SequenceNumber(c.expected_min));
  }
}

// A zero in place of "unknown" would make readers pass over the manifest.
TEST(ManifestList, CountsWhatAnotherWriterLeftOut) {
  const MemoryFiles files;
  std::vector<ManifestEntry> entries(3);
  for (ManifestEntry& entry : entries) {
    entry.file = FullFile({Value(std::int64_t{5})}, 1);
  }
  entries[2].status = EntryStatus::kDeleted;
  entries[2].snapshot_id = SnapshotId(77);
  entries[2].sequence_number = SequenceNumber(3);
  entries[2].file_sequence_number = SequenceNumber(3);
  SL_ASSERT_OK_AND_ASSIGN(
      ManifestFile line,
      WriteManifest(*files.io, AllTypesTable(), ByLongSpec(), ManifestContent::kData,
                    SnapshotId(77), "file:///lake/t/metadata/m.avro", entries));
  const ManifestFile complete = line;
  line.added_files_count.reset();
  line.deleted_rows_count.reset();

  ASSERT_THAT(WriteList(*files.io, {line}), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFile> read, ReadList(*files.io));
  EXPECT_EQ(read.at(0).added_files_count, complete.added_files_count);
  EXPECT_EQ(read.at(0).existing_files_count, 0);
  EXPECT_EQ(read.at(0).deleted_rows_count, complete.deleted_rows_count);
}

TEST(ManifestList, SaysInItsHeaderWhichSnapshotItIsOf) {
  const MemoryFiles files;
  ASSERT_THAT(WriteManifestList(*files.io, kList, SnapshotId(77), std::nullopt, SequenceNumber(6),
                                {FullLine("file:///a.avro", SnapshotId(55))}),
              IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, io::ReadFile(*files.io, kList));

  avro::Header header;
  const Status status = avro::ReadContainer(
      bytes,
      [&](const avro::Header& found) -> Status {
        header = found;
        return {};
      },
      [](avro::Decoder&) -> Result<bool> { return false; });

  ASSERT_THAT(status, IsOk());
  EXPECT_THAT(header.metadata,
              ElementsAre(Pair("format-version", "2"), Pair("parent-snapshot-id", "null"),
                          Pair("sequence-number", "6"), Pair("snapshot-id", "77")));
  const std::string text = avro::SchemaText(*header.schema);
  for (
      const char* const part : {
          R"({"type":"record","name":"manifest_file","fields":[{"name":"manifest_path","type":"string","doc":"Location URI with FS scheme","field-id":500},)",
          R"({"name":"added_files_count","type":"int","doc":"Added entry count","field-id":504})",
          R"({"name":"partitions","type":["null",{"type":"array","items":{"type":"record","name":"r508","fields":[{"name":"contains_null","type":"boolean",)",
          R"("element-id":508}],"doc":"Summary for each partition","default":null,"field-id":507})",
      }) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ManifestList, NamesFileAndLineWhenItIsCutShort) {
  const MemoryFiles files;
  SL_ASSERT_OK_AND_ASSIGN(const avro::SchemaPtr schema, avro::ParseSchema(R"({
    "type": "record", "name": "manifest_file", "fields": [
      {"name": "manifest_path", "type": "string"},
      {"name": "manifest_length", "type": "long"},
      {"name": "partition_spec_id", "type": ["null", "long"]},
      {"name": "content", "type": "int"},
      {"name": "sequence_number", "type": "long"},
      {"name": "added_snapshot_id", "type": "long"}]})"));
  avro::ContainerWriter writer(schema, {}, avro::Codec::kNull, "0123456789abcdef");
  avro::Encoder encoder;
  encoder.WriteBytes("file:///a.avro");
  encoder.WriteLong(1);
  encoder.WriteLong(1);
  encoder.WriteLong(std::int64_t{1} << 40);
  ASSERT_THAT(writer.Append(encoder.buffer()), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, std::move(writer).Finish());
  ASSERT_THAT(io::WriteFile(*files.io, kList, bytes), IsOk());

  EXPECT_THAT(
      ReadList(*files.io),
      Fails(ErrorKind::kCorrupt, AllOf(HasSubstr(kList), HasSubstr("line 0"),
                                       HasSubstr("`partition_spec_id`"), HasSubstr("32 bits"))));
}

TEST(ManifestList, RefusesNumbersThatNoListHas) {
  struct Case {
    std::string field;
    std::function<void(ManifestFile&, std::int64_t)> set;
    std::int64_t too_large = INT64_MAX;
  };
  const std::vector<Case> cases = {
      {"manifest_length", [](ManifestFile& line, std::int64_t n) { line.manifest_length = n; }},
      {"sequence_number",
       [](ManifestFile& line, std::int64_t n) { line.sequence_number = SequenceNumber(n); }},
      {"min_sequence_number",
       [](ManifestFile& line, std::int64_t n) { line.min_sequence_number = SequenceNumber(n); }},
      {"added_files_count", [](ManifestFile& line, std::int64_t n) { line.added_files_count = n; },
       std::int64_t{1} << 31},
      {"existing_rows_count",
       [](ManifestFile& line, std::int64_t n) { line.existing_rows_count = n; }},
  };
  for (const Case& c : cases) {
    for (const std::int64_t value : {std::int64_t{-1}, INT64_MIN, c.too_large}) {
      SCOPED_TRACE(fmt::format("{} {}", c.field, value));
      const MemoryFiles files;
      ManifestFile line = FullLine("file:///a.avro", SnapshotId(55));
      c.set(line, value);
      ASSERT_THAT(WriteList(*files.io, {line}), IsOk());

      EXPECT_THAT(ReadList(*files.io),
                  Fails(ErrorKind::kCorrupt, AllOf(HasSubstr(kList), HasSubstr("`" + c.field + "`"),
                                                   HasSubstr(fmt::format("{}", value)))));
    }
  }
}

// Old snapshots of a table that was version 1 may have none.
TEST(ManifestList, SaysThatASnapshotHasNone) {
  const MemoryFiles files;
  Snapshot snapshot;
  snapshot.id = SnapshotId(5);

  EXPECT_THAT(ReadManifestList(*files.io, snapshot),
              Fails(ErrorKind::kUnsupported, HasSubstr("snapshot 5 lists its manifests inline")));
}

TEST(ManifestList, ThatIsNotThereIsNotFound) {
  const MemoryFiles files;

  EXPECT_THAT(ReadList(*files.io), Fails(ErrorKind::kNotFound, HasSubstr(kList)));
}

}  // namespace
}  // namespace strandline::table
