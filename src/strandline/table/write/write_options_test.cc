#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/table/write/data_file_writer.h"
#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Fails;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TableMetadata MetadataWith(std::map<std::string, std::string> properties) {
  TableMetadata metadata;
  metadata.location = "file:///lake/ads/t";
  metadata.schemas = {
      {.id = SchemaId{0},
       .fields = {
           {.id = FieldId{1}, .name = "id", .type = PrimitiveType(TypeId::kLong)},
           {.id = FieldId{2}, .name = "flag", .type = PrimitiveType(TypeId::kBoolean)},
           {.id = FieldId{3},
            .name = "s",
            .type = StructType(
                {{.id = FieldId{4}, .name = "x", .type = PrimitiveType(TypeId::kString)}})},
           {.id = FieldId{5},
            .name = "l",
            .type = ListType(FieldId{6}, PrimitiveType(TypeId::kString), false)},
           {.id = FieldId{7}, .name = "day", .type = PrimitiveType(TypeId::kString)},
       }}};
  metadata.current_schema_id = SchemaId{0};
  metadata.properties = std::move(properties);
  return metadata;
}

TEST(WriteOptions, AreZstdLevelOneUnlessTheTableSays) {
  SL_ASSERT_OK_AND_ASSIGN(const auto unset, WriteOptionsOf(MetadataWith({})));
  SL_ASSERT_OK_AND_ASSIGN(const auto set, WriteOptionsOf(MetadataWith({
                                              {"write.parquet.compression-codec", "GZIP"},
                                              {"write.parquet.compression-level", "9"},
                                              {"write.parquet.row-group-limit", "1000"},
                                              {"write.parquet.row-group-size-bytes", "4096"},
                                          })));

  EXPECT_EQ(unset.compression, format::Compression::kZstd);
  EXPECT_EQ(unset.compression_level, 1);
  EXPECT_EQ(unset.row_group_rows, 1 << 20);
  EXPECT_EQ(unset.row_group_bytes, 512 << 20);
  EXPECT_THAT(unset.bloom_filter_columns, IsEmpty());
  EXPECT_EQ(set.compression, format::Compression::kGzip);
  EXPECT_EQ(set.compression_level, 9);
  EXPECT_EQ(set.row_group_rows, 1000);
  EXPECT_EQ(set.row_group_bytes, 4096);
}

TEST(WriteOptions, TakeColumnsThatCanHaveWhatIsAsked) {
  const std::string bloom = "write.parquet.bloom-filter-enabled.column.";
  const std::string dictionary = "write.parquet.dictionary-enabled.column.";

  SL_ASSERT_OK_AND_ASSIGN(
      const auto options,
      WriteOptionsOf(MetadataWith({{bloom + "id", "true"},
                                   {bloom + "flag", "true"},     // Booleans have no filters.
                                   {bloom + "dropped", "true"},  // No such column any more.
                                   {bloom + "s", "true"},        // No leaf.
                                   {bloom + "s.x", "TRUE"},
                                   {bloom + "l.element", "true"},  // Parquet names it otherwise.
                                   {bloom + "day", "false"},
                                   {dictionary + "id", "false"},
                                   {dictionary + "day", "true"}})));

  EXPECT_THAT(options.bloom_filter_columns, ElementsAre("id", "s.x"));
  EXPECT_THAT(options.plain_columns, ElementsAre("id"));
}

TEST(WriteOptions, NameThePropertyThatCannotBeFollowed) {
  struct Case {
    std::string key;
    std::string value;
    ErrorKind kind;
  };
  const std::vector<Case> cases = {
      {"write.parquet.compression-codec", "brotli", ErrorKind::kUnsupported},
      {"write.parquet.compression-codec", "lz4", ErrorKind::kUnsupported},
      {"write.parquet.compression-level", "23", ErrorKind::kInvalidArgument},
      {"write.parquet.compression-level", "fast", ErrorKind::kInvalidArgument},
      {"write.parquet.row-group-limit", "0", ErrorKind::kInvalidArgument},
      {"write.parquet.row-group-size-bytes", "0", ErrorKind::kInvalidArgument},
      {"write.parquet.row-group-size-bytes", "128MB", ErrorKind::kInvalidArgument},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.key + "=" + c.value);
    EXPECT_THAT(WriteOptionsOf(MetadataWith({{c.key, c.value}})),
                Fails(c.kind, AllOf(HasSubstr(c.key), HasSubstr(c.value))));
  }
}

TEST(TargetFileBytes, IsHalfAGibibyteUnlessTheTableSays) {
  EXPECT_EQ(TargetFileBytes(MetadataWith({})).value(), 536870912);
  EXPECT_EQ(TargetFileBytes(MetadataWith({{"write.target-file-size-bytes", "1000"}})).value(),
            1000);
}

TEST(TargetFileBytes, NamesThePropertyThatIsNoSize) {
  for (const std::string text : {"512MB", "0", "-1", "", "99999999999999999999"}) {
    EXPECT_THAT(TargetFileBytes(MetadataWith({{"write.target-file-size-bytes", text}})),
                Fails(ErrorKind::kInvalidArgument,
                      AllOf(HasSubstr("write.target-file-size-bytes"), HasSubstr(text))));
  }
}

// The hashes are what PyIceberg's ObjectStoreLocationProvider makes of the same names.
TEST(DataLocation, FollowsTheTablesProperties) {
  const PartitionSpec by_day{
      .id = SpecId{1},
      .fields = {{.source_id = FieldId{7},
                  .field_id = FieldId{1000},
                  .name = "day",
                  .transform = {.kind = TransformKind::kIdentity, .text = {}}}}};
  struct Case {
    std::string name;
    std::map<std::string, std::string> properties;
    std::string location;
  };
  const std::vector<Case> cases = {
      {"plain", {}, "file:///lake/ads/t/data/day=a%2Fb/f.parquet"},
      {"elsewhere",
       {{"write.data.path", "s3://bucket/elsewhere/"}},
       "s3://bucket/elsewhere/day=a%2Fb/f.parquet"},
      {"object storage",
       {{"write.object-storage.enabled", "true"}},
       "file:///lake/ads/t/data/0100/0100/1001/01100010/day=a%2Fb/f.parquet"},
      {"object storage without partitions in paths",
       {{"write.object-storage.enabled", "true"},
        {"write.object-storage.partitioned-paths", "false"}},
       "file:///lake/ads/t/data/0111/1111/1110/11001100-f.parquet"},
      {"object storage shared with other tables",
       {{"write.object-storage.enabled", "true"}, {"write.data.path", "s3://bucket/all"}},
       "s3://bucket/all/0100/0100/1001/01100010/ads/t/day=a%2Fb/f.parquet"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(NewDataFileLocation(MetadataWith(c.properties), by_day, {Value(std::string("a/b"))},
                                  "f.parquet"),
              c.location);
  }
  EXPECT_EQ(NewDataFileLocation(MetadataWith({}), PartitionSpec{}, {}, "f.parquet"),
            "file:///lake/ads/t/data/f.parquet");
}

}  // namespace
}  // namespace strandline::table
