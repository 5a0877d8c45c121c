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
using ::strandline::testing::ReadEntriesOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const char* const kLocation = "file:///lake/t/metadata/m.avro";

ManifestFile Line() {
  ManifestFile line;
  line.manifest_path = kLocation;
  line.partition_spec_id = SpecId(9);
  line.sequence_number = SequenceNumber(6);
  line.added_snapshot_id = SnapshotId(77);
  return line;
}

// A manifest of two added files, at kLocation.
Status WriteTwo(io::FileIo& io) {
  std::vector<ManifestEntry> entries(2);
  entries[0].file = FullFile({Value(std::int64_t{1})}, 1);
  entries[1].file = FullFile({Value(std::int64_t{2})}, 2);
  SL_TRY(WriteManifest(io, AllTypesTable(), ByLongSpec(), ManifestContent::kData, SnapshotId(77),
                       kLocation, entries));
  return {};
}

TEST(ReadManifest, PassesOverWhatIsNotAskedFor) {
  const MemoryFiles files;
  ASSERT_THAT(WriteTwo(*files.io), IsOk());
  DataFile without_bounds = FullFile({Value(std::int64_t{2})}, 2);
  without_bounds.value_counts.clear();
  without_bounds.null_value_counts.clear();
  without_bounds.nan_value_counts.clear();
  without_bounds.lower_bounds.clear();
  without_bounds.upper_bounds.clear();
  DataFile without_sizes = FullFile({Value(std::int64_t{2})}, 2);
  without_sizes.column_sizes.clear();
  without_sizes.split_offsets.clear();

  SL_ASSERT_OK_AND_ASSIGN(std::vector<ManifestEntry> entries,
                          ReadEntriesOf(*files.io, AllTypesTable(), Line(),
                                        {.bounds = false, .column_sizes = true, .columns = {}}));
  EXPECT_EQ(entries.at(1).file, without_bounds);

  SL_ASSERT_OK_AND_ASSIGN(entries,
                          ReadEntriesOf(*files.io, AllTypesTable(), Line(),
                                        {.bounds = true, .column_sizes = false, .columns = {}}));
  EXPECT_EQ(entries.at(1).file, without_sizes);
}

TEST(ReadManifest, KeepsOnlyTheColumnsAskedFor) {
  const MemoryFiles files;
  ASSERT_THAT(WriteTwo(*files.io), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries,
                          ReadEntriesOf(*files.io, AllTypesTable(), Line(),
                                        {.bounds = true,
                                         .column_sizes = true,
                                         .columns = {FieldId(11), FieldId(4), FieldId(5)}}));

  const DataFile& file = entries.at(0).file;
  EXPECT_THAT(file.column_sizes, ElementsAre(Pair(FieldId(11), 50)));
  EXPECT_THAT(file.value_counts, ElementsAre(Pair(FieldId(5), 100), Pair(FieldId(11), 100)));
  EXPECT_THAT(file.lower_bounds, ElementsAre(Pair(FieldId(11), "a")));
  EXPECT_EQ(*FindCount(file.value_counts, FieldId(5)), 100);
  EXPECT_EQ(FindCount(file.value_counts, FieldId(2)), nullptr);
  EXPECT_EQ(*FindBound(file.lower_bounds, FieldId(11)), "a");
  EXPECT_EQ(FindBound(file.lower_bounds, FieldId(12)), nullptr);
}

TEST(ReadManifest, StopsWhenTheVisitorHasEnough) {
  const MemoryFiles files;
  ASSERT_THAT(WriteTwo(*files.io), IsOk());
  int seen = 0;

  const Status status = ReadManifest(*files.io, AllTypesTable(), Line(), {},
                                     [&](ManifestEntry&&) -> Result<bool> { return ++seen < 1; });

  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(seen, 1);
}

TEST(ReadManifest, PassesOnTheVisitorsError) {
  const MemoryFiles files;
  ASSERT_THAT(WriteTwo(*files.io), IsOk());

  EXPECT_THAT(ReadManifest(*files.io, AllTypesTable(), Line(), {},
                           [](ManifestEntry&&) -> Result<bool> {
                             return MakeError(ErrorKind::kCancelled, "enough");
                           }),
              Fails(ErrorKind::kCancelled, HasSubstr("enough")));
}

TEST(ReadManifest, RefusesASpecThatTheTableDoesNotHave) {
  const MemoryFiles files;
  ASSERT_THAT(WriteTwo(*files.io), IsOk());
  ManifestFile line = Line();
  line.partition_spec_id = SpecId(12);

  EXPECT_THAT(ReadEntriesOf(*files.io, AllTypesTable(), line),
              Fails(ErrorKind::kCorrupt, AllOf(HasSubstr(kLocation), HasSubstr("12"))));
}

TEST(ReadManifest, RefusesDataFilesInAManifestOfDeletes) {
  const MemoryFiles files;
  ASSERT_THAT(WriteTwo(*files.io), IsOk());
  ManifestFile line = Line();
  line.content = ManifestContent::kDeletes;

  EXPECT_THAT(ReadEntriesOf(*files.io, AllTypesTable(), line),
              Fails(ErrorKind::kCorrupt, AllOf(HasSubstr("entry 0"), HasSubstr("`content`"))));
}

// A manifest of another writer: any schema, entries as trees.
struct Foreign {
  std::string schema;
  std::vector<avro::Datum> entries;
  std::map<std::string, std::string> header;
};

Status Put(io::FileIo& io, const Foreign& foreign) {
  const avro::SchemaPtr schema = SL_TRY(avro::ParseSchema(foreign.schema));
  avro::ContainerWriter writer(schema, foreign.header, avro::Codec::kNull, "0123456789abcdef");
  for (const avro::Datum& entry : foreign.entries) {
    avro::Encoder encoder;
    SL_TRY(avro::EncodeDatum(*schema, entry, encoder));
    SL_TRY(writer.Append(encoder.buffer()));
  }
  const std::string bytes = SL_TRY(std::move(writer).Finish());
  return io::WriteFile(io, kLocation, bytes);
}

// The smallest schema that is a manifest of version 2, without ids. `replaced` becomes `by`.
std::string SmallSchema(std::string_view replaced = "", std::string_view by = "") {
  std::string schema = R"({"type": "record", "name": "manifest_entry", "fields": [
    {"name": "status", "type": ["null", "int"]},
    {"name": "snapshot_id", "type": ["null", "long"]},
    {"name": "sequence_number", "type": ["null", "long"]},
    {"name": "file_sequence_number", "type": ["null", "long"]},
    {"name": "data_file", "type": {"type": "record", "name": "r2", "fields": [
      {"name": "content", "type": "int"},
      {"name": "file_path", "type": ["null", "string"]},
      {"name": "file_format", "type": "string"},
      {"name": "partition", "type": {"type": "record", "name": "r102", "fields": [
        {"name": "l", "type": ["null", "long"]}]}},
      {"name": "record_count", "type": "long"},
      {"name": "file_size_in_bytes", "type": "long"},
      {"name": "lower_bounds", "type": ["null", {"type": "array", "items":
        {"type": "record", "name": "pair", "fields": [
          {"name": "value", "type": ["null", "bytes"]},
          {"name": "extra", "type": "string"},
          {"name": "key", "type": ["null", "long"]}]}}]}]}}]})";
  if (!replaced.empty()) {
    schema.replace(schema.find(replaced), replaced.size(), by);
  }
  return schema;
}

avro::Datum Number(std::int64_t number) { return {number}; }
avro::Datum Text(std::string text) { return {std::move(text)}; }
avro::Datum Pair3(avro::Datum key, avro::Datum value) {
  return {avro::DatumFields{
      {"value", std::move(value)}, {"extra", Text("?")}, {"key", std::move(key)}}};
}

// One existing entry of SmallSchema() with some of its fields changed.
avro::Datum SmallEntry(const avro::DatumFields& changes = {}) {
  avro::DatumFields file = {
      {"content", Number(0)},
      {"file_path", Text("file:///x.parquet")},
      {"file_format", Text("parquet")},
      {"partition", {avro::DatumFields{{"l", Number(3)}}}},
      {"record_count", Number(10)},
      {"file_size_in_bytes", Number(20)},
      {"lower_bounds", {}},
  };
  avro::DatumFields entry = {{"status", Number(0)},
                             {"snapshot_id", Number(55)},
                             {"sequence_number", Number(4)},
                             {"file_sequence_number", Number(5)}};
  for (avro::DatumFields* const fields : {&file, &entry}) {
    for (auto& [name, value] : *fields) {
      const auto change = std::ranges::find(changes, name, &avro::DatumFields::value_type::first);
      value = change == changes.end() ? value : change->second;
    }
  }
  entry.emplace_back("data_file", avro::Datum{file});
  return {entry};
}

TEST(ReadManifest, TakesPairsInAnyOrderAndDropsNulls) {
  const MemoryFiles files;
  const avro::Datum bounds = {avro::DatumList{
      Pair3(Number(9), Text("nine")), Pair3(Number(2), Text("two")), Pair3(Number(5), {}),
      Pair3({}, Text("none")), Pair3(Number(9), Text("nine again"))}};
  ASSERT_THAT(Put(*files.io, {SmallSchema(), {SmallEntry({{"lower_bounds", bounds}})}, {}}),
              IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries,
                          ReadEntriesOf(*files.io, AllTypesTable(), Line()));

  EXPECT_THAT(entries.at(0).file.lower_bounds,
              ElementsAre(Pair(FieldId(2), "two"), Pair(FieldId(9), "nine")));
  EXPECT_EQ(entries[0].file.file_format, "PARQUET");
  EXPECT_THAT(entries[0].file.upper_bounds, IsEmpty());
}

TEST(ReadManifest, InheritsAsTheSpecificationSays) {
  const avro::Datum null;
  struct Case {
    const char* name;
    avro::DatumFields written;
    std::int64_t manifest_sequence_number;
    std::int64_t snapshot_id;
    std::int64_t sequence_number;
    std::int64_t file_sequence_number;
  };
  const std::vector<Case> cases = {
      {"existing, all there", {}, 6, 55, 4, 5},
      {"added, nothing there",
       {{"status", Number(1)},
        {"snapshot_id", null},
        {"sequence_number", null},
        {"file_sequence_number", null}},
       6,
       77,
       6,
       6},
      {"added with an older sequence number, as compaction does",
       {{"status", Number(1)}, {"file_sequence_number", null}},
       6,
       55,
       4,
       6},
      {"existing in a manifest of a table that was version 1",
       {{"sequence_number", null}, {"file_sequence_number", null}},
       0,
       55,
       0,
       0},
      {"existing, written before there were file sequence numbers",
       {{"file_sequence_number", null}},
       6,
       55,
       4,
       4},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MemoryFiles files;
    ASSERT_THAT(Put(*files.io, {SmallSchema(), {SmallEntry(c.written)}, {}}), IsOk());
    ManifestFile line = Line();
    line.sequence_number = SequenceNumber(c.manifest_sequence_number);

    SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries,
                            ReadEntriesOf(*files.io, AllTypesTable(), line));

    EXPECT_EQ(entries.at(0).snapshot_id, SnapshotId(c.snapshot_id));
    EXPECT_EQ(entries.at(0).sequence_number, SequenceNumber(c.sequence_number));
    EXPECT_EQ(entries.at(0).file_sequence_number, SequenceNumber(c.file_sequence_number));
  }
}

TEST(ReadManifest, NamesFileEntryAndFieldOfABadValue) {
  const avro::Datum null;
  struct Case {
    const char* name;
    avro::DatumFields changes;
    const char* field;
    const char* message;
    ErrorKind kind = ErrorKind::kCorrupt;
  };
  const std::vector<Case> cases = {
      {"no status", {{"status", null}}, "`status`", "it is null"},
      {"an unknown status", {{"status", Number(3)}}, "`status`", "3 is outside of 0..2"},
      {"an unknown content", {{"content", Number(-1)}}, "`content`", "-1 is outside of 0..2"},
      {"no path", {{"file_path", null}}, "`file_path`", "it is null"},
      {"a negative count", {{"record_count", Number(-1)}}, "`record_count`", "negative"},
      {"an unknown format",
       {{"file_format", Text("lance")}},
       "`file_format`",
       "`lance`",
       ErrorKind::kUnsupported},
      {"a column id beyond 32 bits",
       {{"lower_bounds", {avro::DatumList{Pair3(Number(std::int64_t{1} << 32), Text(""))}}}},
       "`lower_bounds`",
       "32-bit"},
      {"an existing entry without sequence number",
       {{"sequence_number", null}},
       "`sequence_number`",
       "cannot inherit"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MemoryFiles files;
    ASSERT_THAT(Put(*files.io, {SmallSchema(), {SmallEntry(), SmallEntry(c.changes)}, {}}), IsOk());

    EXPECT_THAT(ReadEntriesOf(*files.io, AllTypesTable(), Line()),
                Fails(c.kind, AllOf(HasSubstr(kLocation), HasSubstr("entry 1"), HasSubstr(c.field),
                                    HasSubstr(c.message))));
  }
}

// C108: one clear message where the fallback by names does not help.
TEST(ReadManifest, NamesTheFieldThatASchemaLacks) {
  struct Case {
    const char* name;
    const char* replaced;
    const char* by;
    const char* message;
    ErrorKind kind = ErrorKind::kCorrupt;
  };
  const std::vector<Case> cases = {
      {"another name", R"("file_path")", R"("path")", "`file_path` (id 100) is missing"},
      {"another type", R"("record_count", "type": "long")", R"("record_count", "type": "string")",
       "`record_count` (id 103) has a type that it cannot have"},
      {"several types", R"({"name": "content", "type": "int"})",
       R"({"name": "content", "type": ["int", "long"]})", "union of several types"},
      {"no partition", R"("name": "partition")", R"("name": "p")",
       "`partition` (id 102) is missing"},
      {"another partition", R"("name": "l")", R"("name": "day")", "`l` (id 1000) is missing"},
      {"pairs without key", R"("name": "key")", R"("name": "k")", "`key` (id 126) is missing"},
      {"no sequence numbers: version 1", R"("name": "sequence_number")", R"("name": "s")",
       "version 1", ErrorKind::kUnsupported},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MemoryFiles files;
    ASSERT_THAT(Put(*files.io, {SmallSchema(c.replaced, c.by), {}, {}}), IsOk());

    EXPECT_THAT(ReadEntriesOf(*files.io, AllTypesTable(), Line()),
                Fails(c.kind, AllOf(HasSubstr(kLocation), HasSubstr(c.message))));
  }
}

TEST(ReadManifest, NamesAFormatVersionItDoesNotKnow) {
  const MemoryFiles files;
  ASSERT_THAT(Put(*files.io, {SmallSchema(), {SmallEntry()}, {{"format-version", "3"}}}), IsOk());

  EXPECT_THAT(ReadEntriesOf(*files.io, AllTypesTable(), Line()),
              Fails(ErrorKind::kUnsupported, HasSubstr("version 3")));
}

TEST(ReadManifest, ReadsUuidsThatAreSpelledAsText) {
  const MemoryFiles files;
  TableMetadata metadata = AllTypesTable();
  metadata.partition_specs.push_back(
      {.id = SpecId(10), .fields = {testing::PartitionBy(12, 1000, "u")}});
  ManifestFile line = Line();
  line.partition_spec_id = SpecId(10);
  const std::string schema = SmallSchema(R"({"name": "l", "type": ["null", "long"]})",
                                         R"({"name": "u", "type": "string"})");
  const avro::Datum partition = {
      avro::DatumFields{{"u", Text("75757575-7575-7575-7575-757575757575")}}};
  ASSERT_THAT(Put(*files.io, {schema, {SmallEntry({{"partition", partition}})}, {}}), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> entries,
                          ReadEntriesOf(*files.io, metadata, line));

  EXPECT_EQ(entries.at(0).file.partition, PartitionTuple{Value(Bytes{std::string(16, 'u')})});
}

TEST(ReadManifest, RefusesAPartitionValueOfAnotherType) {
  const MemoryFiles files;
  const std::string schema = SmallSchema(R"({"name": "l", "type": ["null", "long"]})",
                                         R"({"name": "l", "type": "string"})");
  const avro::Datum partition = {avro::DatumFields{{"l", Text("five")}}};
  ASSERT_THAT(Put(*files.io, {schema, {SmallEntry({{"partition", partition}})}, {}}), IsOk());

  EXPECT_THAT(
      ReadEntriesOf(*files.io, AllTypesTable(), Line()),
      Fails(ErrorKind::kCorrupt, AllOf(HasSubstr("entry 0"), HasSubstr("partition field `l`"),
                                       HasSubstr("is no long"))));
}

}  // namespace
}  // namespace strandline::table
