#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "strandline/table/metadata/internal/gzip.h"
#include "strandline/table/metadata/table_metadata.h"
#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using nlohmann::json;
using strandline::testing::Fails;
using strandline::testing::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string Fixture(std::string_view name) {
  std::ifstream file(fmt::format("{}/tests/fixtures/metadata/{}", SL_SOURCE_DIR, name),
                     std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

// All that the specification requires, and nothing else.
json Required() {
  return {
      {"format-version", 2},
      {"table-uuid", "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
      {"location", "file:///lake/t"},
      {"last-sequence-number", 34},
      {"last-updated-ms", 1602638573590},
      {"last-column-id", 1},
      {"schemas",
       json::array(
           {{{"type", "struct"},
             {"schema-id", 0},
             {"fields",
              json::array({{{"id", 1}, {"name", "x"}, {"required", true}, {"type", "long"}}})}}})},
      {"current-schema-id", 0},
      {"partition-specs", json::array({{{"spec-id", 0}, {"fields", json::array()}}})},
      {"default-spec-id", 0},
      {"last-partition-id", 999}};
}

json SnapshotJson(std::int64_t id) {
  return {{"snapshot-id", id},
          {"sequence-number", 34},
          {"timestamp-ms", 1555100955770},
          {"manifest-list", "file:///lake/t/metadata/snap.avro"},
          {"summary", {{"operation", "append"}}}};
}

Result<TableMetadata> Parse(const json& metadata) {
  return ParseTableMetadata(metadata.dump(), "file:///lake/t/metadata/00000-x.metadata.json");
}

// What of `original` is missing in `rewritten` or different there. Empty arrays and objects, and
// null, say nothing and may go.
std::vector<std::string> Lost(const json& original, const json& rewritten,
                              const std::string& path) {
  if (original.is_object() && rewritten.is_object()) {
    std::vector<std::string> lost;
    for (const auto& [name, value] : original.items()) {
      if (value.empty()) {
        continue;
      }
      const json& other = rewritten.contains(name) ? rewritten.at(name) : json();
      for (std::string& below : Lost(value, other, path + "/" + name)) {
        lost.push_back(std::move(below));
      }
    }
    return lost;
  }
  if (original.is_array() && rewritten.is_array() && original.size() == rewritten.size()) {
    std::vector<std::string> lost;
    for (std::size_t i = 0; i < original.size(); ++i) {
      for (std::string& below : Lost(original[i], rewritten[i], fmt::format("{}/{}", path, i))) {
        lost.push_back(std::move(below));
      }
    }
    return lost;
  }
  return original == rewritten ? std::vector<std::string>{} : std::vector{path};
}

TEST(TableMetadataJson, KeepsEveryFieldThatPyIcebergWrote) {
  for (const std::string_view name :
       {"pyiceberg_empty.metadata.json", "pyiceberg_grown.metadata.json"}) {
    SCOPED_TRACE(name);
    const std::string bytes = Fixture(name);
    SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata, ParseTableMetadata(bytes, name));

    const std::string rewritten = TableMetadataJson(metadata);

    EXPECT_THAT(Lost(json::parse(bytes), json::parse(rewritten), ""), IsEmpty());
    SL_ASSERT_OK_AND_ASSIGN(const TableMetadata again, ParseTableMetadata(rewritten, name));
    EXPECT_EQ(again, metadata);
    EXPECT_EQ(TableMetadataJson(again), rewritten);
  }
}

TEST(TableMetadataJson, ReadsWhatPyIcebergMeant) {
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata,
                          ParseTableMetadata(Fixture("pyiceberg_grown.metadata.json"), "grown"));

  EXPECT_EQ(metadata.location, "file:///lake/db/grown");
  EXPECT_EQ(metadata.properties.at("comment"), "Ünïcode 😎");
  EXPECT_EQ(FieldPath(CurrentSchema(metadata), FieldId(2)), "label");
  EXPECT_EQ(DefaultSpec(metadata).fields.at(0).name, "label_part");
  ASSERT_EQ(Ancestors(metadata, *metadata.current_snapshot_id).size(), 3U);
  EXPECT_EQ(OperationOf(*CurrentSnapshot(metadata)), Operation::kOverwrite);
  EXPECT_EQ(CurrentSnapshot(metadata)->summary.at("total-records"), "2");
  const SnapshotId first = metadata.snapshots.front().id;
  EXPECT_THAT(
      metadata.refs,
      UnorderedElementsAre(Pair("main", SnapshotRef{.snapshot_id = *metadata.current_snapshot_id}),
                           Pair("first", SnapshotRef{.snapshot_id = first,
                                                     .kind = RefKind::kTag,
                                                     .max_ref_age_ms = 86'400'000}),
                           Pair("audit", SnapshotRef{.snapshot_id = first,
                                                     .min_snapshots_to_keep = 2,
                                                     .max_snapshot_age_ms = 1})));
}

TEST(TableMetadataJson, ReadsEveryTypeAndTransform) {
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata,
                          ParseTableMetadata(Fixture("pyiceberg_empty.metadata.json"), "empty"));

  EXPECT_EQ(metadata.current_snapshot_id, std::nullopt);
  EXPECT_THAT(metadata.refs, IsEmpty());
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<NestedField> partition,
                          PartitionType(DefaultSpec(metadata), CurrentSchema(metadata)));
  std::vector<std::string> types;
  for (const NestedField& field : partition) {
    types.push_back(ToString(field.type));
  }
  EXPECT_THAT(types, ElementsAre("int", "int", "string", "int", "int", "date", "int", "long"));
  EXPECT_EQ(metadata.sort_orders.back().fields.at(1).transform,
            (Transform{TransformKind::kBucket, 4}));
}

TEST(TableMetadataJson, NeedsOnlyWhatTheSpecificationRequires) {
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata, Parse(Required()));

  EXPECT_EQ(metadata.current_snapshot_id, std::nullopt);
  EXPECT_THAT(metadata.snapshots, IsEmpty());
  EXPECT_THAT(metadata.properties, IsEmpty());
  EXPECT_THAT(metadata.refs, IsEmpty());
  EXPECT_THAT(metadata.sort_orders, ElementsAre(SortOrder{}));
  EXPECT_EQ(metadata.last_sequence_number, SequenceNumber(34));
  EXPECT_THAT(ParseTableMetadata(TableMetadataJson(metadata), "again"), IsOk());
}

TEST(TableMetadataJson, MissesEachRequiredMember) {
  const json required = Required();
  for (const auto& [name, value] : required.items()) {
    if (name == "last-partition-id" || name == "last-sequence-number") {
      continue;  // Some writers leave them out; specs and snapshots say what they must be.
    }
    SCOPED_TRACE(name);
    json metadata = required;
    metadata.erase(name);
    EXPECT_THAT(Parse(metadata),
                Fails(ErrorKind::kCorrupt,
                      AllOf(HasSubstr("00000-x.metadata.json"), HasSubstr(name + " is missing"))));
    metadata[name] = json::array({json::array()});
    EXPECT_THAT(Parse(metadata), Fails(ErrorKind::kCorrupt, HasSubstr("expected")));
  }
}

// Case C101: DuckDB 1.5 leaves the number out.
TEST(TableMetadataJson, TakesTheHighestSequenceNumberOfItsSnapshotsWhereItSaysNone) {
  json metadata = Required();
  metadata.erase("last-sequence-number");
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata none, Parse(metadata));
  EXPECT_EQ(none.last_sequence_number, SequenceNumber(0));
  metadata["snapshots"] = json::array({SnapshotJson(5), SnapshotJson(6)});
  metadata["snapshots"][1]["sequence-number"] = 7;
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata some, Parse(metadata));
  EXPECT_EQ(some.last_sequence_number, SequenceNumber(34));
  metadata["last-sequence-number"] = "7";
  EXPECT_THAT(Parse(metadata), Fails(ErrorKind::kCorrupt, HasSubstr("last-sequence-number")));
}

// Case C107: Java writes -1 for "no snapshot".
TEST(TableMetadataJson, KnowsEverySpellingOfNoSnapshot) {
  for (const json& none : {json(-1), json(nullptr)}) {
    json metadata = Required();
    metadata["current-snapshot-id"] = none;
    metadata["refs"] = nullptr;
    metadata["snapshots"] = nullptr;
    metadata["properties"] = nullptr;

    SL_ASSERT_OK_AND_ASSIGN(const TableMetadata parsed, Parse(metadata));

    EXPECT_EQ(parsed.current_snapshot_id, std::nullopt);
    EXPECT_FALSE(json::parse(TableMetadataJson(parsed)).contains("current-snapshot-id"));
  }
  json metadata = Required();
  metadata["snapshots"] = json::array({SnapshotJson(5)});
  metadata["snapshots"][0]["parent-snapshot-id"] = -1;
  metadata["current-snapshot-id"] = 5;
  EXPECT_EQ(Parse(metadata)->snapshots.at(0).parent_id, std::nullopt);
}

TEST(TableMetadataJson, UnderstandsMainWithoutRefs) {
  json metadata = Required();
  metadata["snapshots"] = json::array({SnapshotJson(5)});
  metadata["current-snapshot-id"] = 5;
  for (const json& refs :
       {json(nullptr), json::object(), json{{"old", {{"snapshot-id", 5}, {"type", "tag"}}}}}) {
    metadata["refs"] = refs;
    SL_ASSERT_OK_AND_ASSIGN(const TableMetadata parsed, Parse(metadata));
    EXPECT_EQ(parsed.refs.at("main"), SnapshotRef{.snapshot_id = SnapshotId(5)});
  }
}

TEST(TableMetadataJson, KeepsWhatItDoesNotKnow) {
  json metadata = Required();
  metadata["snapshots"] = json::array({SnapshotJson(5)});
  metadata["snapshots"][0]["first-row-id"] = 17;
  metadata["snapshots"][0]["future"] = {{"deep", {1, 2.5, nullptr, "x"}}};
  metadata["current-snapshot-id"] = 5;
  const json unknown = {{"by", "another writer"}, {"deep", {1, nullptr}}};
  metadata["schemas"][0]["future"] = unknown;
  metadata["schemas"][0]["fields"][0]["future"] = unknown;
  metadata["schemas"][0]["fields"].push_back(
      {{"id", 2},
       {"name", "nested"},
       {"required", false},
       {"type",
        {{"type", "struct"},
         {"fields", json::array({{{"id", 3},
                                  {"name", "y"},
                                  {"required", false},
                                  {"type", "int"},
                                  {"future", unknown}}})}}}});
  metadata["last-column-id"] = 3;
  metadata["last-partition-id"] = 1000;
  metadata["partition-specs"][0]["future"] = unknown;
  metadata["partition-specs"][0]["fields"] = json::array({{{"source-id", 1},
                                                           {"field-id", 1000},
                                                           {"name", "x"},
                                                           {"transform", "identity"},
                                                           {"future", unknown}}});
  metadata["sort-orders"] = json::array({{{"order-id", 1},
                                          {"future", unknown},
                                          {"fields", json::array({{{"source-id", 1},
                                                                   {"transform", "identity"},
                                                                   {"direction", "asc"},
                                                                   {"null-order", "nulls-first"},
                                                                   {"future", unknown}}})}}});
  metadata["refs"] = {{"main", {{"snapshot-id", 5}, {"type", "branch"}, {"future", unknown}}}};
  metadata["snapshot-log"] =
      json::array({{{"timestamp-ms", 1}, {"snapshot-id", 5}, {"future", unknown}}});
  metadata["metadata-log"] =
      json::array({{{"timestamp-ms", 1}, {"metadata-file", "m.json"}, {"future", unknown}}});
  metadata["encryption-keys"] = json::array({{{"key-id", "k"}}});
  metadata["a flag"] = true;
  metadata["statistics"] =
      json::array({{{"snapshot-id", 5}, {"statistics-path", "file:///lake/s.puffin"}}});
  metadata["partition-statistics"] =
      json::array({{{"snapshot-id", 5}, {"file-size-in-bytes", 42}}});

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata parsed, Parse(metadata));

  EXPECT_THAT(Lost(metadata, json::parse(TableMetadataJson(parsed)), ""), IsEmpty());
}

TEST(TableMetadataJson, DropsVersion1sCopiesOfTheCurrentSchema) {
  json metadata = Required();
  metadata["schema"] = metadata["schemas"][0];
  metadata["partition-spec"] = json::array();

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata parsed, Parse(metadata));

  EXPECT_FALSE(json::parse(TableMetadataJson(parsed)).contains("schema"));
  EXPECT_FALSE(json::parse(TableMetadataJson(parsed)).contains("partition-spec"));
}

TEST(TableMetadataJson, TakesSnapshotsOfATableThatWasVersion1) {
  json metadata = Required();
  metadata["snapshots"] = json::array({SnapshotJson(5), SnapshotJson(6)});
  metadata["snapshots"][0].erase("sequence-number");
  metadata["snapshots"][0].erase("summary");
  metadata["snapshots"][1].erase("manifest-list");
  metadata["snapshots"][1]["manifests"] = json::array({"file:///lake/t/metadata/m.avro"});

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata parsed, Parse(metadata));

  EXPECT_EQ(parsed.snapshots.at(0).sequence_number, SequenceNumber(0));
  EXPECT_THAT(Lost(metadata, json::parse(TableMetadataJson(parsed)), ""), IsEmpty());
}

// Case C011.
TEST(TableMetadataJson, EndsTheLocationWithoutASlash) {
  json metadata = Required();
  metadata["location"] = "file:///lake/t//";

  EXPECT_EQ(Parse(metadata)->location, "file:///lake/t");
}

TEST(TableMetadataJson, RaisesNumbersThatAreTooLow) {
  json metadata = Required();
  metadata["last-column-id"] = 0;
  metadata["partition-specs"][0]["fields"] = json::array(
      {{{"source-id", 1}, {"field-id", 1007}, {"name", "x"}, {"transform", "identity"}}});
  metadata.erase("last-partition-id");

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata parsed, Parse(metadata));

  EXPECT_EQ(parsed.last_column_id, FieldId(1)) << "a new column must not get an id in use";
  EXPECT_EQ(parsed.last_partition_id, FieldId(1007));
}

TEST(TableMetadataJson, TakesSummariesWithoutQuotes) {
  json metadata = Required();
  metadata["snapshots"] = json::array({SnapshotJson(5)});
  metadata["snapshots"][0]["summary"] = {
      {"operation", "append"}, {"added-records", 5}, {"flag", true}, {"none", nullptr}};

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata parsed, Parse(metadata));

  EXPECT_THAT(parsed.snapshots.at(0).summary,
              UnorderedElementsAre(Pair("operation", "append"), Pair("added-records", "5"),
                                   Pair("flag", "true")));
}

TEST(TableMetadataJson, RefusesOtherVersionsByName) {
  for (const int version : {1, 3, 4}) {
    json metadata = Required();
    metadata["format-version"] = version;
    EXPECT_THAT(Parse(metadata), Fails(ErrorKind::kUnsupported,
                                       HasSubstr(fmt::format("format version {}", version))));
  }
  json metadata = Required();
  metadata["format-version"] = 0;
  EXPECT_THAT(Parse(metadata), Fails(ErrorKind::kCorrupt, HasSubstr("format version 0")));
}

TEST(TableMetadataJson, SaysWhatIsWrong) {
  struct Case {
    std::string_view pointer;
    json value;
    std::string_view message;
  };
  const Case cases[] = {
      {"/current-schema-id", 7, "current-schema-id: no schema 7"},
      {"/default-spec-id", 7, "default-spec-id: no partition spec 7"},
      {"/current-snapshot-id", 7, "current-snapshot-id: no snapshot 7"},
      {"/refs/main/snapshot-id", 6, "disagree: 6 and 5"},
      {"/refs/main/type", "twig", "ref main: type: expected branch or tag, found 'twig'"},
      {"/refs/main/snapshot-id", nullptr, "ref main: snapshot-id is missing"},
      {"/snapshots/1/snapshot-id", 5, "two snapshots have the id 5"},
      {"/snapshots/1/snapshot-id", 9.5, "snapshot-id: expected a whole number of 64 bits"},
      {"/snapshots/1/snapshot-id", 9223372036854775808U, "64 bits"},
      {"/snapshots/1/timestamp-ms", nullptr, "snapshot 6: timestamp-ms is missing"},
      {"/snapshots/1/manifest-list", nullptr, "snapshot 6: manifest-list is missing"},
      {"/snapshots/1/summary/operation", json::array(), "summary.operation: expected a string"},
      {"/snapshots/0", "x", "snapshot: expected an object, found \"x\""},
      {"/schemas/0/fields/0/type", "text", "schema 0: field x: no such type: 'text'"},
      {"/partition-specs/0/fields", 5, "partition spec 0: fields: expected an array"},
      {"/sort-orders/0/order-id", nullptr, "order-id is missing"},
      {"/sort-orders/0/fields/0/transform", "bucket[x]", "sort order 1: transform"},
      // Case C117: 0 is reserved.
      {"/sort-orders/0/order-id", 0, "sort order 0 means unsorted"},
      {"/default-sort-order-id", 3, "default-sort-order-id: no sort order 3"},
      {"/properties", 5, "properties: expected an object"},
      {"/snapshot-log/0", json::object(), "snapshot-log: timestamp-ms is missing"},
      {"/metadata-log/0", json::object(), "metadata-log: timestamp-ms is missing"},
  };
  json sound = Required();
  sound["snapshots"] = json::array({SnapshotJson(5), SnapshotJson(6)});
  sound["current-snapshot-id"] = 5;
  sound["refs"]["main"] = {{"snapshot-id", 5}, {"type", "branch"}};
  sound["sort-orders"] =
      json::array({{{"order-id", 1},
                    {"fields", json::array({{{"source-id", 1},
                                             {"transform", "identity"},
                                             {"direction", "asc"},
                                             {"null-order", "nulls-first"}}})}}});
  sound["default-sort-order-id"] = 1;
  sound["snapshot-log"] = json::array({{{"timestamp-ms", 1}, {"snapshot-id", 5}}});
  sound["metadata-log"] = json::array({{{"timestamp-ms", 1}, {"metadata-file", "x"}}});
  ASSERT_THAT(Parse(sound), IsOk());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    json broken = sound;
    broken[json::json_pointer(std::string(c.pointer))] = c.value;
    EXPECT_THAT(Parse(broken), Fails(ErrorKind::kCorrupt, HasSubstr(std::string(c.message))));
  }
}

TEST(TableMetadataJson, IsEqualForEqualMetadata) {
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata metadata, Parse(Required()));

  EXPECT_EQ(TableMetadataJson(metadata), TableMetadataJson(TableMetadata(metadata)));
}

TEST(TableMetadataJson, SurvivesTextThatIsNoUtf8) {
  SL_ASSERT_OK_AND_ASSIGN(TableMetadata metadata, Parse(Required()));
  metadata.properties["broken"] = "a\xc3";

  EXPECT_EQ(json::parse(TableMetadataJson(metadata))["properties"]["broken"], "a\xef\xbf\xbd");
}

// Case C111: told by the bytes, whatever the name.
TEST(MetadataFile, IsReadGzippedUnderEveryName) {
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata plain,
                          ParseTableMetadata(Fixture("pyiceberg_grown.metadata.json"), "plain"));
  for (const std::string_view name :
       {"x.gz.metadata.json", "x.metadata.json.gz", "x.metadata.json"}) {
    SL_ASSERT_OK_AND_ASSIGN(
        const TableMetadata metadata,
        ParseTableMetadata(Fixture("pyiceberg_grown_gzip.metadata.json"), name));
    EXPECT_EQ(metadata, plain);
  }
}

TEST(MetadataFile, IsWrittenAsItsNameSays) {
  SL_ASSERT_OK_AND_ASSIGN(TableMetadata metadata, Parse(Required()));
  metadata.properties["write.metadata.compression-codec"] = "gzip";
  const std::string location = NextMetadataLocation(metadata, "", "u");

  SL_ASSERT_OK_AND_ASSIGN(const std::string packed, EncodeTableMetadata(metadata, location));
  SL_ASSERT_OK_AND_ASSIGN(const std::string plain,
                          EncodeTableMetadata(metadata, "x.metadata.json"));

  EXPECT_TRUE(internal::IsGzip(packed));
  EXPECT_EQ(plain, TableMetadataJson(metadata));
  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata again, ParseTableMetadata(packed, location));
  EXPECT_EQ(again, metadata);
}

TEST(MetadataFile, SaysThatGzipIsDamaged) {
  const std::string bytes = Fixture("pyiceberg_grown_gzip.metadata.json");
  for (const std::size_t size :
       {std::size_t{2}, std::size_t{17}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THAT(ParseTableMetadata(std::string_view(bytes).substr(0, size), "x.json"),
                Fails(ErrorKind::kCorrupt, HasSubstr("reading x.json: gzip")));
  }
}

TEST(MetadataFile, RefusesWhatIsNoJson) {
  for (const std::string_view text :
       {"", "{", "[]", "null", "\xff\xfe", "{} {}", R"({"a":1,})", "NaN"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseTableMetadata(text, "x.json"),
                Fails(ErrorKind::kCorrupt, HasSubstr("reading x.json: ")));
  }
  const std::string deep =
      fmt::format(R"({{"x":{}{}}})", std::string(1'000'000, '['), std::string(1'000'000, ']'));
  EXPECT_THAT(ParseTableMetadata(deep, "x.json"),
              Fails(ErrorKind::kCorrupt, HasSubstr("too deep")));
}

// Replaces, cuts and repeats bytes of a real file: any outcome is fine, as long as there is one.
TEST(MetadataFile, SurvivesMutations) {
  constexpr std::uint32_t kSeed = 20261130;
  constexpr int kRounds = 3000;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  constexpr std::string_view kInteresting = "0123456789-.eE{}[]\":,\\nutf \xff";
  const std::string original = Fixture("pyiceberg_grown.metadata.json");
  std::mt19937 random(kSeed);
  int read = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = original;
    const std::uint32_t changes = 1 + random() % 4;
    for (std::uint32_t change = 0; change < changes; ++change) {
      const std::size_t at = random() % bytes.size();
      const std::size_t length = std::min<std::size_t>(1 + random() % 40, bytes.size() - at);
      switch (random() % 4) {
        case 0:
          bytes[at] = kInteresting[random() % kInteresting.size()];
          break;
        case 1:
          bytes.erase(at, length);
          break;
        case 2:
          bytes.insert(at, bytes.substr(random() % bytes.size(), length));
          break;
        default:
          bytes[at] = static_cast<char>(random());
          break;
      }
    }
    const Result<TableMetadata> metadata = ParseTableMetadata(bytes, "mutated");
    if (metadata) {
      ++read;
      ASSERT_THAT(ParseTableMetadata(TableMetadataJson(*metadata), "rewritten"), IsOk()) << bytes;
    } else {
      ASSERT_THAT(metadata.error().kind,
                  ::testing::AnyOf(ErrorKind::kCorrupt, ErrorKind::kUnsupported));
    }
  }
  EXPECT_GT(read, kRounds / 100) << "mutations too coarse to reach the checks";
}

}  // namespace
}  // namespace strandline::table
