#include "strandline/pipeline/state/bookkeeping.h"

#include "tests/support/matchers.h"

namespace strandline::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::string> Names(TableKind kind) {
  std::vector<std::string> names;
  for (const table::NestedField& field : BookkeepingFields(kind, table::FieldId(7))) {
    names.push_back(field.name);
  }
  return names;
}

TEST(Bookkeeping, OnlyDerivedTablesSayWhichCodeMadeARow) {
  EXPECT_THAT(Names(TableKind::kLanded),
              ElementsAre("_strand_unit", "_strand_stamp", "_strand_seq"));
  EXPECT_THAT(Names(TableKind::kDerived),
              ElementsAre("_strand_unit", "_strand_stamp", "_strand_logic", "_strand_seq"));
}

TEST(Bookkeeping, ColumnsAreOptionalDocumentedLongsWithIdsInARow) {
  std::int32_t id = 7;
  for (const table::NestedField& field :
       BookkeepingFields(TableKind::kDerived, table::FieldId(7))) {
    EXPECT_EQ(field.id, table::FieldId(id++));
    EXPECT_EQ(field.type, table::PrimitiveType(table::TypeId::kLong));
    EXPECT_FALSE(field.required);
    EXPECT_FALSE(field.doc.empty());
    EXPECT_TRUE(IsBookkeepingColumn(field.name));
  }
  EXPECT_FALSE(IsBookkeepingColumn("strand_unit"));
}

TEST(Bookkeeping, EveryEngineIsAskedToKeepTheirBounds) {
  EXPECT_THAT(BookkeepingProperties(TableKind::kLanded),
              ElementsAre(Pair("write.metadata.metrics.column._strand_seq", "full"),
                          Pair("write.metadata.metrics.column._strand_stamp", "full"),
                          Pair("write.metadata.metrics.column._strand_unit", "full")));
}

TEST(Bookkeeping, TheQuarantineLiesBesideItsTable) {
  EXPECT_EQ(QuarantineTable({.levels = {"ads"}, .table = "impressions"}),
            (catalog::TableName{.levels = {"ads"}, .table = "impressions__quarantine"}));
}

}  // namespace
}  // namespace strandline::pipeline
