#include "strandline/table/partition/partition_spec.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using std::string_literals::operator""s;
using strandline::testing::Fails;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Schema TestSchema() {
  return {
      .id = SchemaId(0),
      .fields = {{.id = FieldId(1), .name = "time", .type = PrimitiveType(TypeId::kTimestamptz)},
                 {.id = FieldId(2), .name = "k", .type = PrimitiveType(TypeId::kString)},
                 {.id = FieldId(3), .name = "x", .type = PrimitiveType(TypeId::kDouble)}}};
}

PartitionField FieldOf(std::int32_t source, std::string name, std::string_view transform) {
  return {.source_id = FieldId(source),
          .field_id = FieldId(1000),
          .name = std::move(name),
          .transform = *ParseTransform(transform)};
}

PartitionSpec ByHourAndKey() {
  return {.id = SpecId(1),
          .fields = {FieldOf(1, "time_hour", "hour"), FieldOf(2, "k", "identity")}};
}

TEST(PartitionType, NamesTheResultOfEachTransform) {
  PartitionSpec spec = ByHourAndKey();
  spec.fields.at(1).field_id = FieldId(1001);
  spec.fields.push_back(FieldOf(99, "gone", "identity"));

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<NestedField> fields, PartitionType(spec, TestSchema()));

  EXPECT_THAT(
      fields,
      ElementsAre(
          NestedField{
              .id = FieldId(1000), .name = "time_hour", .type = PrimitiveType(TypeId::kInt)},
          NestedField{.id = FieldId(1001), .name = "k", .type = PrimitiveType(TypeId::kString)},
          NestedField{
              .id = FieldId(1000), .name = "gone", .type = PrimitiveType(TypeId::kUnknown)}));
}

TEST(PartitionType, RefusesATransformThatDoesNotFit) {
  const PartitionSpec spec{.id = SpecId(7), .fields = {FieldOf(2, "k_hour", "hour")}};

  EXPECT_THAT(
      PartitionType(spec, TestSchema()),
      Fails(ErrorKind::kCorrupt, HasSubstr("k_hour of spec 7: hour cannot be applied to string")));
}

// Cases C064 and C065: raw values in, one escaped folder level each.
TEST(PartitionPath, EscapesNamesAndValues) {
  struct Case {
    std::string name;
    Value value;
    std::string_view path;
  };
  const Case cases[] = {
      {"k", "11/12/13"s, "k=11%2F12%2F13"},
      {"k", "a=b"s, "k=a%3Db"},
      {"k", "50%"s, "k=50%25"},
      {"k", "a b"s, "k=a+b"},
      {"k", "#"s, "k=%23"},
      {"k", "?"s, "k=%3F"},
      {"k", ".."s, "k=%2E%2E"},
      {"k", "."s, "k=%2E"},
      {"k", ""s, "k="},
      {"k", "😎"s, "k=%F0%9F%98%8E"},
      {"k", Value(), "k=null"},
      {"da#a", "x"s, "da%23a=x"},
      {"x/y", "x"s, "x%2Fy=x"},
      {"p=q", "x"s, "p%3Dq=x"},
      {"..", "x"s, "%2E%2E=x"},
      {"", ""s, "="},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    const PartitionSpec spec{.id = SpecId(1), .fields = {FieldOf(2, c.name, "identity")}};
    EXPECT_EQ(PartitionPath(spec, TestSchema(), {c.value}), c.path);
  }
}

TEST(PartitionPath, HasALevelPerField) {
  EXPECT_EQ(PartitionPath(ByHourAndKey(), TestSchema(), {420034, "DE"s}),
            "time_hour=2017-12-01-10/k=DE");
  EXPECT_EQ(PartitionPath(PartitionSpec(), TestSchema(), {}), "");
  EXPECT_EQ(PartitionText(ByHourAndKey(), TestSchema(), {420034, Value()}), "2017-12-01-10, null");
  EXPECT_EQ(PartitionText(PartitionSpec(), TestSchema(), {}), "");
}

TEST(PartitionPath, CutsWhatNoFileSystemTakes) {
  const PartitionSpec spec{.id = SpecId(1), .fields = {FieldOf(2, "k", "identity")}};
  const std::string a = PartitionPath(spec, TestSchema(), {std::string(1000, '/') + "a"});
  const std::string b = PartitionPath(spec, TestSchema(), {std::string(1000, '/') + "b"});

  EXPECT_LE(a.size(), 200U);
  EXPECT_THAT(a, StartsWith("k=%2F%2F"));
  EXPECT_NE(a, b) << "different values, different folders";
  EXPECT_THAT(a.substr(0, a.rfind('-')), EndsWith("%2F")) << "no escape is cut in two";
}

TEST(PartitionPath, StaysReadableWhenTheSourceIsGone) {
  const PartitionSpec spec{
      .id = SpecId(1), .fields = {FieldOf(99, "gone", "identity"), FieldOf(98, "gone_day", "day")}};

  EXPECT_EQ(PartitionPath(spec, TestSchema(), {std::int64_t{5}, 17501}),
            "gone=5/gone_day=2017-12-01");
}

TEST(PartitionLess, OrdersTuplesWithNullFirst) {
  const std::vector<PartitionTuple> rising = {
      {},           {Value()}, {Value(), 1}, {1},
      {1, Value()}, {1, -0.0}, {1, 0.0},     {1, std::numeric_limits<double>::quiet_NaN()},
      {2, 0.0},
  };
  for (std::size_t a = 0; a < rising.size(); ++a) {
    for (std::size_t b = 0; b < rising.size(); ++b) {
      SCOPED_TRACE(fmt::format("{} and {}", a, b));
      EXPECT_EQ(PartitionLess(rising[a], rising[b]), a < b);
    }
  }
}

TEST(PartitionLess, MakesNanAKeyLikeAnyOther) {
  std::map<PartitionTuple, int, PartitionTupleLess> counts;
  ++counts[{std::numeric_limits<double>::quiet_NaN()}];
  ++counts[{std::numeric_limits<double>::quiet_NaN()}];

  EXPECT_EQ(counts.size(), 1U);
}

}  // namespace
}  // namespace strandline::table
