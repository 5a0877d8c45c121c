#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/format/avro/avro.h"
#include "strandline/io/local_file_io.h"
#include "strandline/table/manifest/manifest.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"

// Reads files that others wrote: see tests/fixtures/manifests/make_manifests.py.

namespace strandline::table {
namespace {

namespace avro = format::avro;
using ::strandline::testing::AllTypesTable;
using ::strandline::testing::AllValues;
using ::strandline::testing::Fails;
using ::strandline::testing::FullFile;
using ::strandline::testing::HasPartition;
using ::strandline::testing::IsOk;
using ::strandline::testing::ManifestFixture;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::ReadEntriesOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kLocation = "file:///lake/t/metadata/m.avro";

// The line of the manifest list for a fixture of partition spec `spec`.
ManifestFile LineOf(SpecId spec) {
  ManifestFile line;
  line.manifest_path = kLocation;
  line.partition_spec_id = spec;
  line.sequence_number = SequenceNumber(6);
  line.min_sequence_number = SequenceNumber(4);
  line.added_snapshot_id = SnapshotId(77);
  return line;
}

// Puts a fixture where LineOf() and ReadManifestList look for it.
Status Place(io::FileIo& io, std::string_view name) {
  const std::string bytes = SL_TRY(ManifestFixture(name));
  return io::WriteFile(io, kLocation, bytes);
}

Result<std::vector<ManifestEntry>> EntriesOfFixture(std::string_view name, SpecId spec) {
  const MemoryFiles files;
  SL_TRY(Place(*files.io, name));
  return ReadEntriesOf(*files.io, AllTypesTable(), LineOf(spec));
}

TEST(ManifestFixture, OfPyIcebergIsReadWithEveryTypeWhateverItsPackingOrIds) {
  for (const char* const name : {"pyiceberg_all_types.avro", "without_ids.avro", "snappy.avro",
                                 "zstandard.avro", "uncompressed.avro"}) {
    SCOPED_TRACE(name);

    SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries,
                            EntriesOfFixture(name, SpecId(7)));

    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].status, EntryStatus::kAdded);
    EXPECT_EQ(entries[0].snapshot_id, SnapshotId(77)) << "inherited";
    EXPECT_EQ(entries[0].sequence_number, SequenceNumber(6)) << "inherited";
    EXPECT_EQ(entries[0].file_sequence_number, SequenceNumber(6)) << "inherited";
    EXPECT_THAT(entries[0].file.partition, HasPartition(AllValues()));
    DataFile file = entries[0].file;
    file.partition = {};
    EXPECT_EQ(file, FullFile({}, 1));

    EXPECT_EQ(entries[1].status, EntryStatus::kExisting);
    EXPECT_EQ(entries[1].snapshot_id, SnapshotId(55));
    EXPECT_EQ(entries[1].sequence_number, SequenceNumber(4));
    EXPECT_EQ(entries[1].file_sequence_number, SequenceNumber(4));
    EXPECT_EQ(entries[1].file.partition, PartitionTuple(19));
    EXPECT_THAT(entries[1].file.lower_bounds, ElementsAre());
    EXPECT_EQ(entries[1].file.sort_order_id, std::nullopt);

    EXPECT_EQ(entries[2].status, EntryStatus::kDeleted);
    EXPECT_EQ(entries[2].sequence_number, SequenceNumber(5));
  }
}

// C101: DuckDB makes everything nullable and puts text of its own into the header `schema`.
TEST(ManifestFixture, MayBeNullableEverywhereAndHaveAJunkHeader) {
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries,
                          EntriesOfFixture("nullable.avro", SpecId(9)));

  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].file, FullFile({Value(std::int64_t{5})}, 1));
}

// C097
TEST(ManifestFixture, MayHavePartitionNamesThatAvroDoesNotAllow) {
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries,
                          EntriesOfFixture("pyiceberg_odd_names.avro", SpecId(8)));

  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].file.partition,
            (PartitionTuple{Value(std::int64_t{9}), Value(std::int32_t{8}), Value(std::string("s")),
                            Value(std::int32_t{7})}));
}

TEST(ManifestFixture, OfVersionOneIsRefusedByName) {
  EXPECT_THAT(EntriesOfFixture("pyiceberg_version_1.avro", SpecId(9)),
              Fails(ErrorKind::kUnsupported, AllOf(HasSubstr(kLocation), HasSubstr("version 1"))));
}

Result<std::vector<ManifestFile>> LinesOfFixture(std::string_view name) {
  const MemoryFiles files;
  SL_TRY(Place(*files.io, name));
  Snapshot snapshot;
  snapshot.manifest_list = kLocation;
  return ReadManifestList(*files.io, snapshot);
}

TEST(ManifestListFixture, OfPyIcebergIsReadWhateverItsIds) {
  for (const char* const name :
       {"pyiceberg_list.avro", "list_without_ids.avro", "list_nullable.avro"}) {
    SCOPED_TRACE(name);

    SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFile> lines, LinesOfFixture(name));

    ASSERT_EQ(lines.size(), 2u);
    const ManifestFile& line = lines[0];
    EXPECT_EQ(line.manifest_path, "file:///lake/t/metadata/all_types.avro");
    EXPECT_EQ(line.manifest_length, 4711);
    EXPECT_EQ(line.partition_spec_id, SpecId(7));
    EXPECT_EQ(line.content, ManifestContent::kData);
    EXPECT_EQ(line.sequence_number, SequenceNumber(6));
    EXPECT_EQ(line.min_sequence_number, SequenceNumber(4));
    EXPECT_EQ(line.added_snapshot_id, SnapshotId(77));
    EXPECT_EQ(line.added_files_count, 1);
    EXPECT_EQ(line.existing_files_count, 1);
    EXPECT_EQ(line.deleted_files_count, 1);
    EXPECT_EQ(line.added_rows_count, 101);
    EXPECT_EQ(line.existing_rows_count, 102);
    EXPECT_EQ(line.deleted_rows_count, 103);
    EXPECT_EQ(line.key_metadata, std::nullopt);
    ASSERT_EQ(line.partitions.size(), 19u);
    const PartitionFieldSummary of_i = {.contains_null = true,
                                        .contains_nan = false,
                                        .lower_bound = "\xFB\xFF\xFF\xFF",
                                        .upper_bound = "\xFB\xFF\xFF\xFF"};
    EXPECT_EQ(line.partitions[1], of_i);
    const PartitionFieldSummary of_f = {.contains_null = true,
                                        .contains_nan = true,
                                        .lower_bound = std::nullopt,
                                        .upper_bound = std::nullopt};
    EXPECT_EQ(line.partitions[3], of_f);
  }
}

// C110, C112: what is not said is not known. Absent bounds must reach the planner as absent.
TEST(ManifestListFixture, KeepsSummariesThatSayNothingAsSayingNothing) {
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFile> lines,
                          LinesOfFixture("list_bare_summaries.avro"));

  ASSERT_EQ(lines.size(), 2u);
  const PartitionFieldSummary unknown_nan = {};
  const PartitionFieldSummary no_nan = {.contains_null = false,
                                        .contains_nan = false,
                                        .lower_bound = std::nullopt,
                                        .upper_bound = std::nullopt};
  EXPECT_THAT(lines[1].partitions, ElementsAre(unknown_nan, no_nan, unknown_nan, no_nan));
}

// The entries of a manifest as trees, without what differs between any two writers.
Result<std::vector<avro::Datum>> DatumsOf(std::string_view bytes) {
  avro::SchemaPtr schema;
  std::vector<avro::Datum> datums;
  const auto read_header = [&](const avro::Header& header) -> Status {
    schema = header.schema;
    return {};
  };
  const auto read_object = [&](avro::Decoder& decoder) -> Result<bool> {
    datums.push_back(SL_TRY(avro::DecodeDatum(*schema, decoder)));
    return true;
  };
  SL_TRY(avro::ReadContainer(bytes, read_header, read_object));
  return datums;
}

// Whether every field of `original` is in `written` with the same value, at any depth.
void ExpectKept(const avro::Datum& original, const avro::Datum& written, const std::string& path) {
  const auto* const fields = std::get_if<avro::DatumFields>(&original.value);
  if (fields == nullptr) {
    // NaN is the only value that is not itself.
    EXPECT_TRUE(original == written || original.value != original.value) << path;
    return;
  }
  const auto* const written_fields = std::get_if<avro::DatumFields>(&written.value);
  ASSERT_NE(written_fields, nullptr) << path;
  for (const auto& [name, value] : *fields) {
    const auto found =
        std::ranges::find(*written_fields, name, &avro::DatumFields::value_type::first);
    ASSERT_NE(found, written_fields->end()) << path << "/" << name;
    ExpectKept(value, found->second, path + "/" + name);
  }
}

TEST(ManifestFixture, LosesNothingWhenItIsReadAndWrittenAgain) {
  struct Case {
    const char* name;
    SpecId spec;
  };
  // Not the odd names: PyIceberg escapes code points, Java and we UTF-16 units.
  const std::vector<Case> cases = {{"pyiceberg_all_types.avro", SpecId(7)},
                                   {"pyiceberg_by_long.avro", SpecId(9)}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MemoryFiles files;
    const TableMetadata metadata = AllTypesTable();
    SL_ASSERT_OK_AND_ASSIGN(const std::string original_bytes, ManifestFixture(c.name));
    ASSERT_THAT(Place(*files.io, c.name), IsOk());
    SL_ASSERT_OK_AND_ASSIGN(std::vector<ManifestEntry> entries,
                            ReadEntriesOf(*files.io, metadata, LineOf(c.spec)));
    for (ManifestEntry& entry : entries) {
      if (entry.status == EntryStatus::kAdded) {  // As they were before they inherited.
        entry.snapshot_id.reset();
        entry.sequence_number.reset();
        entry.file_sequence_number.reset();
      }
    }

    SL_ASSERT_OK_AND_ASSIGN(
        const ManifestFile line,
        WriteManifest(*files.io, metadata, *FindSpec(metadata, c.spec), ManifestContent::kData,
                      SnapshotId(77), "file:///lake/t/metadata/again.avro", entries));

    SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, io::ReadFile(*files.io, line.manifest_path));
    SL_ASSERT_OK_AND_ASSIGN(const std::vector<avro::Datum> written, DatumsOf(bytes));
    SL_ASSERT_OK_AND_ASSIGN(const std::vector<avro::Datum> original, DatumsOf(original_bytes));
    ASSERT_EQ(written.size(), original.size());
    for (std::size_t index = 0; index < original.size(); ++index) {
      ExpectKept(original[index], written[index], std::to_string(index));
    }
  }
}

// Iceberg's Java library wrote these (tests/fixtures/scan/make_java_fixture.py).
Result<TableMetadata> LoadJavasTable(io::FileIo& into) {
  const std::string folder =
      std::string(SL_SOURCE_DIR) + "/tests/fixtures/scan/java/evolved/metadata";
  const std::unique_ptr<io::FileIo> local = io::MakeLocalFileIo();
  TableMetadata metadata;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string bytes = SL_TRY(io::ReadFile(*local, entry.path().string()));
    const std::string location = "file:///var/tmp/strandline-fixtures/scan/java/evolved/metadata/" +
                                 entry.path().filename().string();
    SL_TRY(io::WriteFile(into, location, bytes));
    if (location.ends_with(".metadata.json")) {
      metadata = SL_TRY(ParseTableMetadata(bytes, location));
    }
  }
  return metadata;
}

Result<std::vector<avro::Datum>> DatumsAt(io::FileIo& io, const std::string& location) {
  return DatumsOf(SL_TRY(io::ReadFile(io, location)));
}

TEST(ManifestFixture, LosesNothingOfJavasLists) {
  const MemoryFiles files;
  io::FileIo& io = *files.io;
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata, LoadJavasTable(io));
  ASSERT_FALSE(metadata.snapshots.empty());
  for (const Snapshot& snapshot : metadata.snapshots) {
    SCOPED_TRACE(snapshot.manifest_list);
    SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFile> lines, ReadManifestList(io, snapshot));
    Snapshot again = snapshot;
    again.manifest_list += ".again";
    ASSERT_THAT(WriteManifestList(io, again.manifest_list, snapshot.id, snapshot.parent_id,
                                  snapshot.sequence_number, lines),
                IsOk());
    SL_ASSERT_OK_AND_ASSIGN(const auto original, DatumsAt(io, snapshot.manifest_list));
    SL_ASSERT_OK_AND_ASSIGN(const auto written, DatumsAt(io, again.manifest_list));
    ASSERT_EQ(written.size(), original.size());
    for (std::size_t index = 0; index < original.size(); ++index) {
      ExpectKept(original[index], written[index], std::to_string(index));
    }
  }
}

std::int64_t KeyOf(const avro::Datum& pair) {
  const auto& fields = std::get<avro::DatumFields>(pair.value);
  return std::get<std::int64_t>(fields.front().second.value);
}

// What the entry says of its file, without what it inherits; maps by key, since their order means
// nothing.
avro::Datum FileOf(const avro::Datum& entry) {
  const auto& fields = std::get<avro::DatumFields>(entry.value);
  avro::Datum file =
      std::ranges::find(fields, "data_file", &avro::DatumFields::value_type::first)->second;
  for (auto& [name, value] : std::get<avro::DatumFields>(file.value)) {
    auto* const list = std::get_if<avro::DatumList>(&value.value);
    if (list != nullptr && !list->empty() &&
        std::holds_alternative<avro::DatumFields>(list->front().value)) {
      std::ranges::sort(*list, {}, KeyOf);
    }
  }
  return file;
}

TEST(ManifestFixture, LosesNothingOfJavasManifests) {
  const MemoryFiles files;
  io::FileIo& io = *files.io;
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata, LoadJavasTable(io));
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestFile> lines,
                          ReadManifestList(io, *CurrentSnapshot(metadata)));
  for (const ManifestFile& line : lines) {
    SCOPED_TRACE(line.manifest_path);
    SL_ASSERT_OK_AND_ASSIGN(const auto entries, ReadEntriesOf(io, metadata, line));
    SL_ASSERT_OK_AND_ASSIGN(
        const ManifestFile again,
        WriteManifest(io, metadata, *FindSpec(metadata, line.partition_spec_id), line.content,
                      line.added_snapshot_id, line.manifest_path + ".again", entries));
    SL_ASSERT_OK_AND_ASSIGN(const auto original, DatumsAt(io, line.manifest_path));
    SL_ASSERT_OK_AND_ASSIGN(const auto written, DatumsAt(io, again.manifest_path));
    ASSERT_EQ(written.size(), original.size());
    for (std::size_t index = 0; index < original.size(); ++index) {
      ExpectKept(FileOf(original[index]), FileOf(written[index]), std::to_string(index));
    }
  }
}

}  // namespace
}  // namespace strandline::table
