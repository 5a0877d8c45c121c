#include "strandline/table/update/update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"
#include "tests/support/table_world.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::strandline::testing::MetadataOf;
using ::strandline::testing::SchemaOf;
using ::strandline::testing::SpecOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr std::int64_t kMinuteMs = 60'000;

Snapshot SnapshotAt(const TableMetadata& base, std::int64_t id) {
  Snapshot snapshot;
  snapshot.id = SnapshotId(id);
  snapshot.parent_id = base.current_snapshot_id;
  snapshot.sequence_number = SequenceNumber(base.last_sequence_number.value() + 1);
  snapshot.timestamp_ms = base.last_updated_ms + 1;
  snapshot.manifest_list = "mem://lake/ads/orders/metadata/snap.avro";
  snapshot.schema_id = base.current_schema_id;
  snapshot.summary = {{"operation", "append"}};
  return snapshot;
}

SetSnapshotRef MainAt(std::int64_t id) { return {"main", {.snapshot_id = SnapshotId(id)}}; }

// `base` with one more snapshot, which becomes current.
TableMetadata WithSnapshot(const TableMetadata& base, std::int64_t id) {
  return ApplyUpdates(&base, {AddSnapshot{SnapshotAt(base, id)}, MainAt(id)},
                      base.last_updated_ms + 1)
      .value();
}

TEST(CreateTable, GivesTheTableThatWasAskedFor) {
  const TableMetadata table = MetadataOf({.columns = "id long required, at timestamptz",
                                          .partitioned_by = "hour(at)",
                                          .properties = {{"owner", "ads"}}});

  EXPECT_EQ(table.format_version, 2);
  EXPECT_EQ(table.location, "mem://lake/ads/orders");
  EXPECT_EQ(CurrentSchema(table).fields.size(), 2U);
  EXPECT_EQ(table.last_column_id, FieldId(2));
  EXPECT_EQ(DefaultSpec(table).fields.front().name, "at_hour");
  EXPECT_EQ(table.last_partition_id, FieldId(1000));
  EXPECT_EQ(table.default_sort_order_id, SortOrderId(0));
  EXPECT_EQ(table.properties.at("owner"), "ads");
  EXPECT_EQ(table.current_snapshot_id, std::nullopt);
  EXPECT_EQ(table.last_sequence_number, SequenceNumber(0));
}

TEST(CreateTable, NeedsThatTheTableIsNotThere) {
  SeededRng rng(1);
  const TableMetadata there = MetadataOf({});
  const CommitRequest request = testing::CreationOf({}, "mem://lake/ads/orders", rng);

  EXPECT_THAT(CheckRequirements(nullptr, request.requirements), IsOk());
  EXPECT_THAT(CheckRequirements(&there, request.requirements),
              Fails(ErrorKind::kConflict, HasSubstr(there.table_uuid)));
}

TEST(CheckRequirements, NameWhatWasExpectedAndWhatWasFound) {
  const TableMetadata table = WithSnapshot(MetadataOf({.columns = "id long"}), 11);
  struct Case {
    const char* name;
    Requirement requirement;
    std::optional<const char*> conflict;  // Absent: it holds.
  };
  const Case cases[] = {
      {"the same uuid", AssertUuid{table.table_uuid}, std::nullopt},
      {"another uuid", AssertUuid{"other"}, "expected uuid other"},
      {"main where it is", AssertRefSnapshotId{"main", SnapshotId(11)}, std::nullopt},
      {"main elsewhere", AssertRefSnapshotId{"main", SnapshotId(12)}, "snapshot 12, found 11"},
      {"main absent", AssertRefSnapshotId{"main", std::nullopt}, "snapshot none, found 11"},
      {"a ref that is absent", AssertRefSnapshotId{"audit", std::nullopt}, std::nullopt},
      {"a ref that is not", AssertRefSnapshotId{"audit", SnapshotId(11)}, "found none"},
      {"the schema", AssertCurrentSchemaId{SchemaId(0)}, std::nullopt},
      {"another schema", AssertCurrentSchemaId{SchemaId(3)}, "expected 3, found 0"},
      {"the spec", AssertDefaultSpecId{SpecId(0)}, std::nullopt},
      {"another spec", AssertDefaultSpecId{SpecId(1)}, "partition spec"},
      {"the sort order", AssertDefaultSortOrderId{SortOrderId(0)}, std::nullopt},
      {"another sort order", AssertDefaultSortOrderId{SortOrderId(1)}, "sort order"},
      {"the last field id", AssertLastAssignedFieldId{FieldId(1)}, std::nullopt},
      {"another field id", AssertLastAssignedFieldId{FieldId(2)}, "expected 2, found 1"},
      {"the last partition id", AssertLastAssignedPartitionId{FieldId(999)}, std::nullopt},
      {"another partition id", AssertLastAssignedPartitionId{FieldId(1000)}, "found 999"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Status checked = CheckRequirements(&table, {c.requirement});
    if (c.conflict) {
      EXPECT_THAT(checked, Fails(ErrorKind::kConflict, HasSubstr(*c.conflict)));
    } else {
      EXPECT_THAT(checked, IsOk());
    }
  }
  EXPECT_THAT(CheckRequirements(nullptr, {AssertUuid{"x"}}),
              Fails(ErrorKind::kConflict, HasSubstr("expected to be there")));
}

TEST(ApplyUpdates, RefusesWhatCannotApply) {
  const TableMetadata table = WithSnapshot(
      MetadataOf({.columns = "id long, at timestamptz", .partitioned_by = "day(at)"}), 11);
  Snapshot late = SnapshotAt(table, 12);
  late.sequence_number = table.last_sequence_number;
  Snapshot old = SnapshotAt(table, 12);
  old.timestamp_ms = table.last_updated_ms - kMinuteMs - 1;
  Snapshot of_unknown_schema = SnapshotAt(table, 12);
  of_unknown_schema.schema_id = SchemaId(9);
  PartitionSpec unknown_transform = SpecOf("hour(at)", CurrentSchema(table));
  unknown_transform.fields[0].transform = {.kind = TransformKind::kUnknown, .text = "zorder"};
  struct Case {
    const char* name;
    Update update;
    ErrorKind kind;
    const char* message;
  };
  const Case cases[] = {
      {"another uuid", AssignUuid{"other"}, ErrorKind::kInvalidArgument, "has a uuid already"},
      {"version 1", UpgradeFormatVersion{1}, ErrorKind::kInvalidArgument, "cannot go back"},
      {"version 3", UpgradeFormatVersion{3}, ErrorKind::kUnsupported, "not 3"},
      {"two columns of one name", AddSchema{SchemaOf("a long, a int")}, ErrorKind::kInvalidArgument,
       "name is used twice: a"},
      {"an unknown schema", SetCurrentSchema{SchemaId(7)}, ErrorKind::kInvalidArgument, "7"},
      {"no schema was added", SetCurrentSchema{}, ErrorKind::kInvalidArgument, "no schema"},
      {"an unknown spec", SetDefaultSpec{SpecId(7)}, ErrorKind::kInvalidArgument, "7"},
      {"a transform we do not know", AddPartitionSpec{unknown_transform}, ErrorKind::kUnsupported,
       "zorder"},
      {"a transform that does not fit",
       AddPartitionSpec{{SpecId(0), {{FieldId(1), FieldId(0), "id_hour", {TransformKind::kHour}}}}},
       ErrorKind::kInvalidArgument, "id_hour"},
      {"a partition field named like another column",
       AddPartitionSpec{{SpecId(0), {{FieldId(2), FieldId(0), "id", {TransformKind::kHour}}}}},
       ErrorKind::kInvalidArgument, "name of a column"},
      {"a partition field with the id of another",
       AddPartitionSpec{
           {SpecId(0), {{FieldId(2), FieldId(1000), "at_hour", {TransformKind::kHour}}}}},
       ErrorKind::kInvalidArgument, "at_hour has the id of another in spec 0: 1000"},
      {"a partition source that is gone",
       AddPartitionSpec{{SpecId(0), {{FieldId(8), FieldId(0), "x", {TransformKind::kHour}}}}},
       ErrorKind::kInvalidArgument, "8"},
      {"a snapshot that is there", AddSnapshot{SnapshotAt(table, 11)}, ErrorKind::kInvalidArgument,
       "11"},
      {"a sequence number that is taken", AddSnapshot{late}, ErrorKind::kConflict, "overtaken"},
      {"a time long before the last change", AddSnapshot{old}, ErrorKind::kConflict, "minute"},
      {"a snapshot of an unknown schema", AddSnapshot{of_unknown_schema},
       ErrorKind::kInvalidArgument, "9"},
      {"a ref to nothing", MainAt(99), ErrorKind::kInvalidArgument, "unknown snapshot: 99"},
      {"main as a tag",
       SetSnapshotRef{"main", {.snapshot_id = SnapshotId(11), .kind = RefKind::kTag}},
       ErrorKind::kInvalidArgument, "not a tag"},
      {"a snapshot that main holds", RemoveSnapshots{{SnapshotId(11)}}, ErrorKind::kInvalidArgument,
       "held by main"},
      {"an empty location", SetLocation{""}, ErrorKind::kInvalidArgument, "location"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ApplyUpdates(&table, {c.update}, table.last_updated_ms + 1),
                Fails(c.kind, HasSubstr(c.message)));
  }
}

TEST(ApplyUpdates, NeverGoesBackInTime) {
  const TableMetadata table = MetadataOf({});
  struct Case {
    const char* name;
    std::int64_t now_ms;
    std::int64_t updated_ms;
  };
  const Case cases[] = {
      {"later", table.last_updated_ms + 5, table.last_updated_ms + 5},
      {"in the same millisecond", table.last_updated_ms, table.last_updated_ms + 1},
      {"30 s before", table.last_updated_ms - 30'000, table.last_updated_ms + 1},
      {"an hour before", table.last_updated_ms - 60 * kMinuteMs, table.last_updated_ms + 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SL_ASSERT_OK_AND_ASSIGN(const TableMetadata changed,
                            ApplyUpdates(&table, {SetProperties{{{"a", "b"}}}}, c.now_ms));
    EXPECT_EQ(changed.last_updated_ms, c.updated_ms);
  }
}

TEST(ClockSkewWarning, SpeaksBeyondTenMinutes) {
  const TableMetadata table = MetadataOf({});

  EXPECT_EQ(ClockSkewWarning(table, table.last_updated_ms - 10 * kMinuteMs), std::nullopt);
  EXPECT_THAT(ClockSkewWarning(table, table.last_updated_ms - 10 * kMinuteMs - 1),
              Optional(HasSubstr("2026-11-30T05:00Z")));
}

TEST(ApplyUpdates, ReusesAnEqualSchemaAndNumbersAnother) {
  const TableMetadata table = MetadataOf({.columns = "id long"});

  SL_ASSERT_OK_AND_ASSIGN(
      const TableMetadata wider,
      ApplyUpdates(&table, {AddSchema{SchemaOf("id long, country string")}, SetCurrentSchema{}},
                   0));
  SL_ASSERT_OK_AND_ASSIGN(
      const TableMetadata back,
      ApplyUpdates(&wider, {AddSchema{SchemaOf("id long")}, SetCurrentSchema{}}, 0));

  EXPECT_EQ(wider.current_schema_id, SchemaId(1));
  EXPECT_EQ(wider.last_column_id, FieldId(2));
  EXPECT_EQ(back.current_schema_id, SchemaId(0));
  EXPECT_EQ(back.schemas.size(), 2U);
  EXPECT_EQ(back.last_column_id, FieldId(2)) << "an id that was used is never used again";
}

TEST(ApplyUpdates, GivesAnEqualPartitionFieldItsOldId) {
  const TableMetadata table =
      MetadataOf({.columns = "id long, at timestamptz", .partitioned_by = "hour(at)"});
  PartitionSpec evolved = SpecOf("bucket[4](id), hour(at)", CurrentSchema(table));
  for (PartitionField& field : evolved.fields) {
    field.field_id = FieldId(0);
  }

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata changed,
                          ApplyUpdates(&table, {AddPartitionSpec{evolved}, SetDefaultSpec{}}, 0));

  const PartitionSpec& spec = DefaultSpec(changed);
  EXPECT_EQ(spec.id, SpecId(1));
  EXPECT_EQ(spec.fields[0].field_id, FieldId(1001));
  EXPECT_EQ(spec.fields[1].field_id, FieldId(1000));
  EXPECT_EQ(changed.last_partition_id, FieldId(1001));
}

TEST(ApplyUpdates, MovesMainAndWritesTheSnapshotLog) {
  const TableMetadata one = WithSnapshot(MetadataOf({}), 11);
  const TableMetadata two = WithSnapshot(one, 12);

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata rolled_back,
                          ApplyUpdates(&two, {MainAt(11)}, two.last_updated_ms + 500));

  EXPECT_EQ(two.current_snapshot_id, SnapshotId(12));
  EXPECT_EQ(rolled_back.current_snapshot_id, SnapshotId(11));
  EXPECT_THAT(rolled_back.snapshot_log,
              ElementsAre(SnapshotLogEntry{one.last_updated_ms, SnapshotId(11)},
                          SnapshotLogEntry{two.last_updated_ms, SnapshotId(12)},
                          SnapshotLogEntry{two.last_updated_ms + 500, SnapshotId(11)}));
}

TEST(ApplyUpdates, LogsOnlyTheLastStopOfOneCommit) {
  const TableMetadata base = WithSnapshot(MetadataOf({}), 11);
  const Snapshot first = SnapshotAt(base, 12);
  Snapshot second = SnapshotAt(base, 13);
  second.sequence_number = SequenceNumber(first.sequence_number.value() + 1);

  SL_ASSERT_OK_AND_ASSIGN(
      const TableMetadata changed,
      ApplyUpdates(&base, {AddSnapshot{first}, MainAt(12), AddSnapshot{second}, MainAt(13)}, 0));

  EXPECT_EQ(changed.snapshot_log.size(), 2U);
  EXPECT_EQ(changed.snapshot_log.back().snapshot_id, SnapshotId(13));
}

TEST(ApplyUpdates, DropsTheLogBeforeARemovedSnapshotAndItsStatistics) {
  TableMetadata table = WithSnapshot(WithSnapshot(WithSnapshot(MetadataOf({}), 11), 12), 13);
  table.statistics = {R"({"snapshot-id": 12, "statistics-path": "a"})",
                      R"({"snapshot-id": 13, "statistics-path": "b"})"};

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata changed,
                          ApplyUpdates(&table, {RemoveSnapshots{{SnapshotId(12)}}}, 0));

  EXPECT_EQ(changed.snapshots.size(), 2U);
  EXPECT_THAT(changed.snapshot_log,
              ElementsAre(::testing::Field(&SnapshotLogEntry::snapshot_id, SnapshotId(13))));
  EXPECT_THAT(changed.statistics, ElementsAre(HasSubstr("13")));
}

TEST(ApplyUpdates, KeepsABranchBesideMain) {
  const TableMetadata base = WithSnapshot(MetadataOf({}), 11);

  SL_ASSERT_OK_AND_ASSIGN(const TableMetadata branched,
                          ApplyUpdates(&base,
                                       {AddSnapshot{SnapshotAt(base, 12)},
                                        SetSnapshotRef{"audit", {.snapshot_id = SnapshotId(12)}}},
                                       0));
  SL_ASSERT_OK_AND_ASSIGN(
      const TableMetadata without,
      ApplyUpdates(&branched, {RemoveSnapshotRef{"audit"}, RemoveSnapshots{{SnapshotId(12)}}}, 0));

  EXPECT_EQ(branched.current_snapshot_id, SnapshotId(11));
  EXPECT_EQ(RefSnapshotId(branched, "audit"), SnapshotId(12));
  EXPECT_EQ(branched.snapshot_log.size(), 1U);
  EXPECT_EQ(RefSnapshotId(without, "audit"), std::nullopt);
  EXPECT_EQ(without.snapshots.size(), 1U);
}

TEST(RecordPreviousMetadata, KeepsAsManyAsTheTableWants) {
  TableMetadata table = MetadataOf({.properties = {{"write.metadata.previous-versions-max", "2"}}});

  for (int version = 0; version < 4; ++version) {
    EXPECT_THAT(RecordPreviousMetadata(
                    table, fmt::format("mem://lake/ads/orders/metadata/{}.json", version), version),
                IsEmpty());
  }

  EXPECT_THAT(table.metadata_log,
              ElementsAre(MetadataLogEntry{2, "mem://lake/ads/orders/metadata/2.json"},
                          MetadataLogEntry{3, "mem://lake/ads/orders/metadata/3.json"}));
}

TEST(RecordPreviousMetadata, GivesBackWhatIsToBeDeletedInsideTheTableOnly) {
  TableMetadata table =
      MetadataOf({.properties = {{"write.metadata.previous-versions-max", "1"},
                                 {"write.metadata.delete-after-commit.enabled", "true"}}});
  table.metadata_log = {{1, "mem://lake/ads/orders/metadata/0.json"},
                        {2, "mem://lake/ads/orders_too/metadata/0.json"}};

  EXPECT_THAT(RecordPreviousMetadata(table, "mem://lake/ads/orders/metadata/1.json", 3),
              ElementsAre("mem://lake/ads/orders/metadata/0.json"));
  EXPECT_EQ(table.metadata_log.size(), 1U);
}

}  // namespace
}  // namespace strandline::table
