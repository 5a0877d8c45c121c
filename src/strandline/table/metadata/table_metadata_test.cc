#include "strandline/table/metadata/table_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using strandline::testing::Fails;
using strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNull;

Snapshot SnapshotOf(std::int64_t id, std::optional<std::int64_t> parent) {
  return {.id = SnapshotId(id),
          .parent_id = parent ? std::optional(SnapshotId(*parent)) : std::nullopt,
          .sequence_number = SequenceNumber(id),
          .timestamp_ms = 1000 * id,
          .manifest_list = fmt::format("file:///lake/t/metadata/snap-{}.avro", id)};
}

// One snapshot after the other, main at the last one.
TableMetadata MetadataWith(std::vector<Snapshot> snapshots) {
  TableMetadata metadata;
  metadata.table_uuid = "9c12d441-03fe-4693-9a96-a0705ddf69c1";
  metadata.location = "file:///lake/t";
  metadata.schemas = {Schema{}};
  metadata.partition_specs = {PartitionSpec{}};
  metadata.sort_orders = {SortOrder{}};
  metadata.snapshots = std::move(snapshots);
  if (!metadata.snapshots.empty()) {
    metadata.current_snapshot_id = metadata.snapshots.back().id;
    metadata.refs["main"] = {.snapshot_id = metadata.snapshots.back().id};
  }
  return metadata;
}

std::vector<std::int64_t> IdsOf(const std::vector<const Snapshot*>& snapshots) {
  std::vector<std::int64_t> ids;
  for (const Snapshot* snapshot : snapshots) {
    ids.push_back(snapshot->id.value());
  }
  return ids;
}

TEST(TableMetadata, FindsThingsById) {
  const TableMetadata metadata = MetadataWith({SnapshotOf(1, {}), SnapshotOf(2, 1)});

  EXPECT_EQ(FindSnapshot(metadata, SnapshotId(1))->timestamp_ms, 1000);
  EXPECT_THAT(FindSnapshot(metadata, SnapshotId(3)), IsNull());
  EXPECT_THAT(FindSchema(metadata, SchemaId(1)), IsNull());
  EXPECT_THAT(FindSpec(metadata, SpecId(1)), IsNull());
  EXPECT_EQ(CurrentSnapshot(metadata)->id, SnapshotId(2));
  EXPECT_EQ(&CurrentSchema(metadata), &metadata.schemas.front());
  EXPECT_EQ(&DefaultSpec(metadata), &metadata.partition_specs.front());
  EXPECT_THAT(CurrentSnapshot(MetadataWith({})), IsNull());
}

// Case C019: a parent that was expired ends the walk.
TEST(Ancestors, EndWhereAParentIsGone) {
  const TableMetadata metadata =
      MetadataWith({SnapshotOf(2, 1), SnapshotOf(3, 2), SnapshotOf(4, 2), SnapshotOf(5, 4)});

  EXPECT_THAT(IdsOf(Ancestors(metadata, SnapshotId(5))), ElementsAre(5, 4, 2));
  EXPECT_THAT(IdsOf(Ancestors(metadata, SnapshotId(2))), ElementsAre(2));
  EXPECT_THAT(IdsOf(Ancestors(metadata, SnapshotId(99))), IsEmpty());
}

TEST(Ancestors, EndInACircle) {
  const TableMetadata metadata = MetadataWith({SnapshotOf(1, 2), SnapshotOf(2, 1)});

  EXPECT_THAT(IdsOf(Ancestors(metadata, SnapshotId(2))), ElementsAre(2, 1));
}

TEST(Operation, IsReadCarefully) {
  Snapshot snapshot = SnapshotOf(1, {});
  EXPECT_EQ(OperationOf(snapshot), Operation::kOverwrite);
  for (const Operation operation :
       {Operation::kAppend, Operation::kReplace, Operation::kOverwrite, Operation::kDelete}) {
    snapshot.summary["operation"] = ToString(operation);
    EXPECT_EQ(OperationOf(snapshot), operation);
  }
  snapshot.summary["operation"] = "something new";
  EXPECT_EQ(OperationOf(snapshot), Operation::kOverwrite);
}

TEST(Properties, FallBackWhereTheySayNothing) {
  TableMetadata metadata = MetadataWith({});
  metadata.properties = {
      {"n", "17"}, {"bad", "17x"}, {"huge", "99999999999999999999"}, {"empty", ""}};

  EXPECT_EQ(PropertyOr(metadata, "n", "x"), "17");
  EXPECT_EQ(PropertyOr(metadata, "missing", "x"), "x");
  EXPECT_EQ(PropertyOr(metadata, "empty", "x"), "");
  EXPECT_EQ(IntPropertyOr(metadata, "n", 5), 17);
  for (const std::string_view key : {"missing", "bad", "huge", "empty"}) {
    EXPECT_EQ(IntPropertyOr(metadata, key, 5), 5) << key;
  }
}

TEST(CheckTableMetadata, SaysWhatIsWrong) {
  struct Case {
    std::string_view name;
    std::function<void(TableMetadata&)> breaks;
    std::string_view message;
  };
  const Case cases[] = {
      {"schema", [](TableMetadata& m) { m.current_schema_id = SchemaId(4); },
       "current-schema-id: no schema 4"},
      {"sequence number below",
       [](TableMetadata& m) { m.last_sequence_number = SequenceNumber(-1); },
       "last-sequence-number is outside 0..4611686018427387904: -1"},
      {"sequence number above",
       [](TableMetadata& m) { m.last_sequence_number = SequenceNumber(INT64_MAX); },
       "last-sequence-number is outside"},
      {"time below", [](TableMetadata& m) { m.last_updated_ms = INT64_MIN; },
       "last-updated-ms is outside"},
      {"time above", [](TableMetadata& m) { m.last_updated_ms = kTimestampMsMax + 1; },
       "last-updated-ms is outside"},
      {"column id", [](TableMetadata& m) { m.last_column_id = FieldId(INT32_MAX); },
       "last-column-id is outside"},
      {"partition id", [](TableMetadata& m) { m.last_partition_id = FieldId(INT32_MAX); },
       "last-partition-id is outside"},
      {"schema id", [](TableMetadata& m) { m.schemas.emplace_back().id = SchemaId(INT32_MAX); },
       "schema-id is outside"},
      {"spec id", [](TableMetadata& m) { m.partition_specs.push_back({.id = SpecId(-1)}); },
       "spec-id is outside"},
      {"order id",
       [](TableMetadata& m) { m.sort_orders.push_back({.id = SortOrderId(INT32_MAX)}); },
       "order-id is outside"},
      {"a snapshot's sequence number",
       [](TableMetadata& m) { m.snapshots.front().sequence_number = SequenceNumber(-2); },
       "snapshot 1: sequence-number is outside"},
      {"a snapshot's time", [](TableMetadata& m) { m.snapshots.front().timestamp_ms = -1; },
       "snapshot 1: timestamp-ms is outside"},
      {"two schemas", [](TableMetadata& m) { m.schemas.emplace_back(); },
       "two schemas have the id 0"},
      {"spec", [](TableMetadata& m) { m.default_spec_id = SpecId(4); },
       "default-spec-id: no partition spec 4"},
      {"two specs", [](TableMetadata& m) { m.partition_specs.emplace_back(); },
       "two partition specs have the id 0"},
      {"sort order", [](TableMetadata& m) { m.default_sort_order_id = SortOrderId(4); },
       "no sort order 4"},
      {"two sort orders", [](TableMetadata& m) { m.sort_orders.emplace_back(); },
       "two sort orders have the id 0"},
      {"sort order 0 with fields",
       [](TableMetadata& m) { m.sort_orders.front().fields.emplace_back(); },
       "sort order 0 means unsorted"},
      {"two snapshots", [](TableMetadata& m) { m.snapshots.push_back(SnapshotOf(1, {})); },
       "two snapshots have the id 1"},
      {"current snapshot", [](TableMetadata& m) { m.current_snapshot_id = SnapshotId(4); },
       "current-snapshot-id: no snapshot 4"},
      {"ref", [](TableMetadata& m) { m.refs["audit"] = {.snapshot_id = SnapshotId(4)}; },
       "ref audit: no snapshot 4"},
      {"main behind", [](TableMetadata& m) { m.refs["main"] = {.snapshot_id = SnapshotId(1)}; },
       "main and current-snapshot-id disagree: 1 and 2"},
      {"main missing", [](TableMetadata& m) { m.refs.clear(); }, "disagree: none and 2"},
      {"current missing", [](TableMetadata& m) { m.current_snapshot_id.reset(); },
       "disagree: 2 and none"},
  };
  const TableMetadata sound = MetadataWith({SnapshotOf(1, {}), SnapshotOf(2, 1)});
  ASSERT_THAT(CheckTableMetadata(sound), IsOk());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    TableMetadata broken = sound;
    c.breaks(broken);
    EXPECT_THAT(CheckTableMetadata(broken),
                Fails(ErrorKind::kCorrupt, HasSubstr(std::string(c.message))));
  }
}

TEST(NextMetadataLocation, CountsUp) {
  struct Case {
    std::string_view previous;
    std::string_view next;
  };
  constexpr Case kCases[] = {
      {"", "00000-u.metadata.json"},
      {"file:///lake/t/metadata/00000-x.metadata.json", "00001-u.metadata.json"},
      {"file:///lake/t/metadata/00009-x.gz.metadata.json", "00010-u.metadata.json"},
      {"99999-x.metadata.json", "100000-u.metadata.json"},
      {"v7.metadata.json", "00008-u.metadata.json"},
      // Case C114: numbers beyond 32 bits, and beyond counting.
      {"1701803553322000000-x.metadata.json", "1701803553322000001-u.metadata.json"},
      {"18446744073709551615-x.metadata.json", "00000-u.metadata.json"},
      {"99999999999999999999999-x.metadata.json", "00000-u.metadata.json"},
      {"metadata.json", "00000-u.metadata.json"},
      {"12", "00000-u.metadata.json"},
      {"-1-x.metadata.json", "00000-u.metadata.json"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.previous);
    EXPECT_EQ(NextMetadataLocation(MetadataWith({}), c.previous, "u"),
              fmt::format("file:///lake/t/metadata/{}", c.next));
  }
}

TEST(NextMetadataLocation, ListensToTheTable) {
  TableMetadata metadata = MetadataWith({});
  metadata.properties = {{"write.metadata.compression-codec", "GZIP"},
                         {"write.metadata.path", "file:///elsewhere/m/"}};

  EXPECT_EQ(NextMetadataLocation(metadata, "", "u"),
            "file:///elsewhere/m/00000-u.gz.metadata.json");
}

}  // namespace
}  // namespace strandline::table
