#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/manifest.h"
#include "strandline/table/metadata/schema_json.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

namespace avro = format::avro;
using ::strandline::testing::AllTypesSpec;
using ::strandline::testing::AllTypesTable;
using ::strandline::testing::AllValues;
using ::strandline::testing::ByLongSpec;
using ::strandline::testing::Fails;
using ::strandline::testing::FullFile;
using ::strandline::testing::HasPartition;
using ::strandline::testing::IsOk;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::OddNamesSpec;
using ::strandline::testing::PartitionBy;
using ::strandline::testing::ReadEntriesOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

const char* const kLocation = "file:///lake/t/metadata/m.avro";

ManifestEntry Added(DataFile file) {
  ManifestEntry entry;
  entry.file = std::move(file);
  return entry;
}

ManifestEntry Kept(EntryStatus status, std::int64_t sequence_number, DataFile file) {
  ManifestEntry entry;
  entry.status = status;
  entry.snapshot_id = SnapshotId(55);
  entry.sequence_number = SequenceNumber(sequence_number);
  entry.file_sequence_number = SequenceNumber(sequence_number + 1);
  entry.file = std::move(file);
  return entry;
}

Result<ManifestFile> Write(io::FileIo& io, const TableMetadata& metadata, const PartitionSpec& spec,
                           const std::vector<ManifestEntry>& entries) {
  return WriteManifest(io, metadata, spec, ManifestContent::kData, SnapshotId(77), kLocation,
                       entries);
}

DataFile LongFile(std::int64_t partition, std::int32_t number = 1) {
  return FullFile({Value(partition)}, number);
}

Result<avro::Header> HeaderOf(io::FileIo& io) {
  const std::string bytes = SL_TRY(io::ReadFile(io, kLocation));
  avro::Header found;
  const auto read_header = [&](const avro::Header& header) -> Status {
    found = header;
    return {};
  };
  const auto stop = [](avro::Decoder&) -> Result<bool> { return false; };
  SL_TRY(avro::ReadContainer(bytes, read_header, stop));
  return found;
}

TEST(WriteManifest, GivesBackEveryFieldOfEveryEntry) {
  const MemoryFiles files;
  DataFile full = FullFile(AllValues(), 1);
  full.referenced_data_file = "file:///lake/t/data/other.parquet";
  full.equality_ids = {FieldId(1), FieldId(9)};
  DataFile bare;
  bare.file_path = "file:///lake/t/data/bare.parquet";
  bare.partition = PartitionTuple(AllTypesSpec().fields.size());
  const std::vector<ManifestEntry> entries = {Added(full), Kept(EntryStatus::kExisting, 3, bare),
                                              Kept(EntryStatus::kDeleted, 4, bare)};

  SL_ASSERT_OK_AND_ASSIGN(const ManifestFile line,
                          Write(*files.io, AllTypesTable(), AllTypesSpec(), entries));
  SL_ASSERT_OK_AND_ASSIGN(std::vector<ManifestEntry> read,
                          ReadEntriesOf(*files.io, AllTypesTable(), line));

  ASSERT_EQ(read.size(), 3u);
  EXPECT_THAT(read[0].file.partition, HasPartition(AllValues()));
  EXPECT_EQ(read[0].snapshot_id, SnapshotId(77));
  read[0].file.partition.clear();
  full.partition.clear();
  EXPECT_EQ(read[0].file, full);
  EXPECT_EQ(read[1], entries[1]);
  EXPECT_EQ(read[2], entries[2]);
}

TEST(WriteManifest, CountsAndSummarisesForTheList) {
  const MemoryFiles files;
  const TableMetadata metadata = AllTypesTable();
  DataFile without_partition = LongFile(0, 4);
  without_partition.partition = {Value()};

  SL_ASSERT_OK_AND_ASSIGN(
      const ManifestFile line,
      Write(*files.io, metadata, ByLongSpec(),
            {Added(LongFile(5, 1)), Kept(EntryStatus::kExisting, 3, LongFile(-7, 2)),
             Kept(EntryStatus::kDeleted, 2, LongFile(9, 3)), Added(without_partition)}));

  ManifestFile expected;
  expected.manifest_path = kLocation;
  SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, io::ReadFile(*files.io, kLocation));
  expected.manifest_length = static_cast<std::int64_t>(bytes.size());
  expected.partition_spec_id = SpecId(9);
  expected.min_sequence_number = SequenceNumber(3);  // Of live files only.
  expected.added_snapshot_id = SnapshotId(77);
  expected.added_files_count = 2;
  expected.existing_files_count = 1;
  expected.deleted_files_count = 1;
  expected.added_rows_count = 101 + 104;
  expected.existing_rows_count = 102;
  expected.deleted_rows_count = 103;
  const Type number = PrimitiveType(TypeId::kLong);
  expected.partitions = {{.contains_null = true,
                          .contains_nan = false,
                          .lower_bound = SerializeValue(number, Value(std::int64_t{-7})),
                          .upper_bound = SerializeValue(number, Value(std::int64_t{9}))}};
  EXPECT_EQ(line, expected);
}

TEST(WriteManifest, SummarisesNanApartFromBounds) {
  const MemoryFiles files;
  TableMetadata metadata = AllTypesTable();
  const PartitionSpec spec = {.id = SpecId(10), .fields = {PartitionBy(5, 1000, "d")}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Type real = PrimitiveType(TypeId::kDouble);

  SL_ASSERT_OK_AND_ASSIGN(const ManifestFile line,
                          Write(*files.io, metadata, spec,
                                {Added(FullFile({Value(nan)}, 1)), Added(FullFile({Value(0.0)}, 2)),
                                 Added(FullFile({Value(-0.0)}, 3))}));

  const PartitionFieldSummary expected = {.contains_null = false,
                                          .contains_nan = true,
                                          .lower_bound = SerializeValue(real, Value(-0.0)),
                                          .upper_bound = SerializeValue(real, Value(0.0))};
  EXPECT_THAT(line.partitions, ElementsAre(expected));
}

TEST(WriteManifest, SaysInItsHeaderWhatTheSpecificationDemands) {
  const MemoryFiles files;
  const TableMetadata metadata = AllTypesTable();
  ASSERT_THAT(Write(*files.io, metadata, ByLongSpec(), {Added(LongFile(5))}), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const avro::Header header, HeaderOf(*files.io));

  EXPECT_EQ(header.codec, avro::Codec::kDeflate);
  EXPECT_THAT(
      header.metadata,
      ElementsAre(Pair("content", "data"), Pair("format-version", "2"),
                  Pair("partition-spec", PartitionFieldsJson(ByLongSpec())),
                  Pair("partition-spec-id", "9"),
                  Pair("schema", SchemaJson(CurrentSchema(metadata))), Pair("schema-id", "3")));
}

// The names and ids are what other engines look for: https://iceberg.apache.org/spec/#manifests
TEST(WriteManifest, HasTheSpecificationsSchema) {
  const MemoryFiles files;
  ASSERT_THAT(Write(*files.io, AllTypesTable(), ByLongSpec(), {Added(LongFile(5))}), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const avro::Header header, HeaderOf(*files.io));

  const std::string text = avro::SchemaText(*header.schema);

  EXPECT_THAT(
      text,
      StartsWith(
          R"({"type":"record","name":"manifest_entry","fields":[)"
          R"({"name":"status","type":"int","field-id":0},)"
          R"({"name":"snapshot_id","type":["null","long"],"default":null,"field-id":1},)"
          R"({"name":"sequence_number","type":["null","long"],"default":null,"field-id":3},)"
          R"({"name":"file_sequence_number","type":["null","long"],"default":null,"field-id":4},)"
          R"({"name":"data_file","type":{"type":"record","name":"r2","fields":[)"));
  for (
      const char* const part : {
          R"({"name":"partition","type":{"type":"record","name":"r102","fields":[{"name":"l","type":["null","long"],"default":null,"field-id":1000}]},"doc":"Partition data tuple, schema based on the partition spec","field-id":102})",
          R"({"name":"lower_bounds","type":["null",{"type":"array","items":{"type":"record","name":"k126_v127","fields":[{"name":"key","type":"int","field-id":126},{"name":"value","type":"bytes","field-id":127}]},"logicalType":"map"}],"doc":"Map of column id to lower bound","default":null,"field-id":125})",
          R"({"name":"split_offsets","type":["null",{"type":"array","items":"long","element-id":133}],"doc":"Splittable offsets","default":null,"field-id":132})",
          R"({"name":"equality_ids","type":["null",{"type":"array","items":"int","element-id":136}],"doc":"Equality comparison field IDs","default":null,"field-id":135})",
      }) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

// C097
TEST(WriteManifest, SanitisesNamesAndKeepsTheOriginals) {
  const MemoryFiles files;
  PartitionSpec spec = OddNamesSpec();
  spec.id = SpecId(10);
  // The Avro name of the first one, taken already.
  spec.fields.push_back(PartitionBy(4, 1004, "_815d_day"));
  TableMetadata metadata = AllTypesTable();
  metadata.partition_specs.push_back(spec);
  const PartitionTuple partition = {Value(std::int64_t{1}), Value(std::int32_t{2}),
                                    Value(std::string("s")), Value(std::int32_t{3}), Value(0.5F)};
  SL_ASSERT_OK_AND_ASSIGN(const ManifestFile line,
                          Write(*files.io, metadata, spec, {Added(FullFile(partition, 1))}));

  SL_ASSERT_OK_AND_ASSIGN(const avro::Header header, HeaderOf(*files.io));
  const avro::Schema& struct_schema = *header.schema->fields[4].schema->fields[3].schema;
  std::vector<std::pair<std::string, std::string>> names;
  for (const avro::Field& field : struct_schema.fields) {
    const auto original = field.attributes.find("iceberg-field-name");
    names.emplace_back(field.name, original == field.attributes.end() ? "" : original->second);
  }
  EXPECT_THAT(names,
              ElementsAre(Pair("_815d_day", R"("815d_day")"), Pair("a_x2Eb", R"("a.b")"),
                          Pair("_xD83D_xDE0E", "\"\xF0\x9F\x98\x8E\""), Pair("x_x2Dy", R"("x-y")"),
                          Pair("_815d_day_1004", R"("_815d_day")")));
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> read,
                          ReadEntriesOf(*files.io, metadata, line));
  EXPECT_EQ(read[0].file.partition, partition);
}

TEST(WriteManifest, DefinesNoAvroTypeTwice) {
  const MemoryFiles files;
  const PartitionSpec spec = {.id = SpecId(10),
                              .fields = {PartitionBy(12, 1000, "u"), PartitionBy(12, 1001, "u2")}};
  const Value uuid = Bytes{std::string(16, 'u')};
  ASSERT_THAT(Write(*files.io, AllTypesTable(), spec, {Added(FullFile({uuid, uuid}, 1))}), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const avro::Header header, HeaderOf(*files.io));

  const std::string text = avro::SchemaText(*header.schema);
  EXPECT_THAT(
      text, AllOf(HasSubstr(R"("name":"uuid_fixed",)"), HasSubstr(R"("name":"uuid_fixed_1001",)")));
}

TEST(WriteManifest, KeepsPartitionsWhoseSourceColumnIsGone) {
  const MemoryFiles files;
  TableMetadata metadata = AllTypesTable();
  Schema without_l = metadata.schemas[0];
  without_l.id = SchemaId(4);
  std::erase_if(without_l.fields, [](const NestedField& field) { return field.name == "l"; });
  metadata.schemas.push_back(without_l);
  metadata.current_schema_id = SchemaId(4);

  SL_ASSERT_OK_AND_ASSIGN(const ManifestFile line,
                          Write(*files.io, metadata, ByLongSpec(), {Added(LongFile(5))}));
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> read,
                          ReadEntriesOf(*files.io, metadata, line));

  EXPECT_EQ(read[0].file.partition, PartitionTuple{Value(std::int64_t{5})});
  SL_ASSERT_OK_AND_ASSIGN(const avro::Header header, HeaderOf(*files.io));
  EXPECT_THAT(header.metadata, ::testing::Contains(Pair("schema-id", "3")));
}

// What is left of a partition field over a nested column once it is dropped.
TEST(WriteManifest, WritesNoBytesForVoidFields) {
  const std::vector<Type> types = {
      PrimitiveType(TypeId::kLong),
      StructType({{.id = FieldId{21}, .name = "x", .type = PrimitiveType(TypeId::kString)}}),
      ListType(FieldId{22}, PrimitiveType(TypeId::kString), false),
      MapType(FieldId{23}, PrimitiveType(TypeId::kString), FieldId{24},
              PrimitiveType(TypeId::kString), false)};
  for (const Type& type : types) {
    SCOPED_TRACE(ToString(type));
    const MemoryFiles files;
    TableMetadata metadata = AllTypesTable();
    metadata.schemas.front().fields.push_back({.id = FieldId{20}, .name = "nested", .type = type});
    metadata.partition_specs.push_back(
        {.id = SpecId(10),
         .fields = {PartitionBy(20, 1000, "nested_void", TransformKind::kVoid),
                    PartitionBy(3, 1001, "l")}});
    DataFile file = FullFile({Value(), Value(std::int64_t{5})}, 1);

    SL_ASSERT_OK_AND_ASSIGN(
        const ManifestFile line,
        Write(*files.io, metadata, metadata.partition_specs.back(), {Added(file)}));

    SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> read,
                            ReadEntriesOf(*files.io, metadata, line));
    EXPECT_EQ(read.at(0).file, file);
  }
}

TEST(WriteManifest, ReadsPartitionsOfAColumnThatWasWidenedSince) {
  const MemoryFiles files;
  TableMetadata metadata = AllTypesTable();
  const PartitionSpec spec = {.id = SpecId(10),
                              .fields = {PartitionBy(2, 1000, "i"), PartitionBy(4, 1001, "f"),
                                         PartitionBy(6, 1002, "dec")}};
  metadata.partition_specs.push_back(spec);
  SL_ASSERT_OK_AND_ASSIGN(
      const ManifestFile line,
      Write(*files.io, metadata, spec,
            {Added(FullFile({Value(std::int32_t{-3}), Value(0.5F), Value(Int128{-125})}, 1))}));

  metadata.schemas[0].fields[1].type = PrimitiveType(TypeId::kLong);
  metadata.schemas[0].fields[3].type = PrimitiveType(TypeId::kDouble);
  metadata.schemas[0].fields[5].type = DecimalType(30, 2);

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> read,
                          ReadEntriesOf(*files.io, metadata, line));
  EXPECT_EQ(read[0].file.partition,
            (PartitionTuple{Value(std::int64_t{-3}), Value(0.5), Value(Int128{-125})}));
}

TEST(WriteManifest, PacksAsTheTableAsks) {
  struct Case {
    const char* key;
    const char* codec;
    avro::Codec expected;
  };
  const std::vector<Case> cases = {
      {"write.manifest.compression-codec", "zstd", avro::Codec::kZstandard},
      {"write.avro.compression-codec", "snappy", avro::Codec::kSnappy},
      {"write.avro.compression-codec", "uncompressed", avro::Codec::kNull},
      {"write.parquet.compression-codec", "snappy", avro::Codec::kDeflate},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.codec);
    const MemoryFiles files;
    TableMetadata metadata = AllTypesTable();
    metadata.properties[c.key] = c.codec;

    SL_ASSERT_OK_AND_ASSIGN(const ManifestFile line,
                            Write(*files.io, metadata, ByLongSpec(), {Added(LongFile(5))}));

    SL_ASSERT_OK_AND_ASSIGN(const avro::Header header, HeaderOf(*files.io));
    EXPECT_EQ(header.codec, c.expected);
    SL_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> read,
                            ReadEntriesOf(*files.io, metadata, line));
    EXPECT_EQ(read[0].file, LongFile(5));
  }
}

TEST(WriteManifest, RefusesWhatNoManifestMayHold) {
  DataFile deletes = LongFile(5);
  deletes.content = FileContent::kPositionDeletes;
  DataFile negative = LongFile(5);
  negative.record_count = -1;
  ManifestEntry without_number = Kept(EntryStatus::kExisting, 3, LongFile(5));
  without_number.sequence_number.reset();
  ManifestEntry of_another = Added(LongFile(5));
  of_another.snapshot_id = SnapshotId(55);
  struct Case {
    const char* name;
    std::vector<ManifestEntry> entries;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"nothing", {}, "without entries"},
      {"a delete file among data files", {Added(deletes)}, "cannot share a manifest"},
      {"a negative count", {Added(negative)}, "negative"},
      {"a partition of another spec", {Added(FullFile(AllValues(), 1))}, "19 values"},
      {"a value of another type",
       {Added(FullFile({Value(std::string("x"))}, 1))},
       "partition field `l`: a value is no long"},
      {"an existing file without sequence number", {without_number}, "only added entries inherit"},
      {"an added file of another snapshot without sequence number", {of_another}, "snapshot 55"},
      {"a second entry that is bad",
       {Added(LongFile(5)), Added(FullFile({Value(true)}, 1))},
       "entry 1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MemoryFiles files;

    EXPECT_THAT(
        Write(*files.io, AllTypesTable(), ByLongSpec(), c.entries),
        Fails(ErrorKind::kInvalidArgument, AllOf(HasSubstr(kLocation), HasSubstr(c.message))));
    EXPECT_THAT(files.io->Stat(kLocation), Fails(ErrorKind::kNotFound, HasSubstr("m.avro")));
  }
}

TEST(WriteManifest, RefusesACodecItDoesNotKnow) {
  const MemoryFiles files;
  TableMetadata metadata = AllTypesTable();
  metadata.properties["write.manifest.compression-codec"] = "brotli";

  EXPECT_THAT(Write(*files.io, metadata, ByLongSpec(), {Added(LongFile(5))}),
              Fails(ErrorKind::kUnsupported, HasSubstr("`brotli`")));
}

}  // namespace
}  // namespace strandline::table
