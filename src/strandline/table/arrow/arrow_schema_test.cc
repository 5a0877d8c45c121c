#include "strandline/table/arrow/arrow_schema.h"

#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <arrow/extension/uuid.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/matchers.h"

namespace strandline::table {
namespace {

using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(ArrowSchema, MapsEveryTypeThereAndBack) {
  struct Case {
    Type type;
    std::shared_ptr<arrow::DataType> arrow_type;
  };
  const std::vector<Case> cases = {
      {PrimitiveType(TypeId::kBoolean), arrow::boolean()},
      {PrimitiveType(TypeId::kInt), arrow::int32()},
      {PrimitiveType(TypeId::kLong), arrow::int64()},
      {PrimitiveType(TypeId::kFloat), arrow::float32()},
      {PrimitiveType(TypeId::kDouble), arrow::float64()},
      {DecimalType(38, 10), arrow::decimal128(38, 10)},
      {PrimitiveType(TypeId::kDate), arrow::date32()},
      {PrimitiveType(TypeId::kTime), arrow::time64(arrow::TimeUnit::MICRO)},
      {PrimitiveType(TypeId::kTimestamp), arrow::timestamp(arrow::TimeUnit::MICRO)},
      {PrimitiveType(TypeId::kTimestamptz), arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")},
      {PrimitiveType(TypeId::kString), arrow::utf8()},
      {PrimitiveType(TypeId::kUuid), arrow::fixed_size_binary(16)},
      {FixedType(16), arrow::fixed_size_binary(16)},
      {FixedType(3), arrow::fixed_size_binary(3)},
      {PrimitiveType(TypeId::kBinary), arrow::binary()},
      {StructType({{.id = FieldId{5}, .name = "a", .type = PrimitiveType(TypeId::kUuid)},
                   {.id = FieldId{6},
                    .name = "b",
                    .type = PrimitiveType(TypeId::kInt),
                    .required = true}}),
       nullptr},
      {ListType(FieldId{7}, PrimitiveType(TypeId::kString), true), nullptr},
      {MapType(FieldId{8}, PrimitiveType(TypeId::kString), FieldId{9}, DecimalType(9, 2), false),
       nullptr},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(ToString(c.type));
    const NestedField field{.id = FieldId{4}, .name = "x", .type = c.type, .required = true};

    const std::shared_ptr<arrow::Field> arrow_field = ArrowField(field);

    if (c.arrow_type != nullptr) {
      EXPECT_TRUE(arrow_field->type()->Equals(c.arrow_type));
    }
    EXPECT_THAT(ArrowFieldId(*arrow_field), Optional(FieldId{4}));
    SL_ASSERT_OK_AND_ASSIGN(const NestedField back, IcebergField(*arrow_field));
    EXPECT_EQ(back, field);
  }
}

TEST(ArrowSchema, KeepsTheOrderOfColumns) {
  const Schema schema{
      .id = SchemaId{1},
      .fields = {{.id = FieldId{2}, .name = "b", .type = PrimitiveType(TypeId::kInt)},
                 {.id = FieldId{1}, .name = "a", .type = PrimitiveType(TypeId::kString)}}};

  EXPECT_THAT(ArrowSchema(schema)->field_names(), ::testing::ElementsAre("b", "a"));
}

TEST(IcebergType, TakesWhatOthersLand) {
  struct Case {
    std::shared_ptr<arrow::DataType> arrow_type;
    std::string type;
  };
  const std::vector<Case> cases = {
      {arrow::int8(), "int"},
      {arrow::uint16(), "int"},
      {arrow::uint32(), "long"},
      {arrow::float16(), "float"},
      {arrow::decimal32(5, 2), "decimal(5, 2)"},
      {arrow::decimal256(38, 0), "decimal(38, 0)"},
      {arrow::date64(), "date"},
      {arrow::time32(arrow::TimeUnit::SECOND), "time"},
      {arrow::timestamp(arrow::TimeUnit::NANO), "timestamp"},
      {arrow::timestamp(arrow::TimeUnit::MILLI, "Europe/Berlin"), "timestamptz"},
      {arrow::large_utf8(), "string"},
      {arrow::utf8_view(), "string"},
      {arrow::large_binary(), "binary"},
      {arrow::dictionary(arrow::int8(), arrow::utf8()), "string"},
      {arrow::run_end_encoded(arrow::int32(), arrow::int64()), "long"},
      {arrow::extension::uuid(), "uuid"},
      {arrow::fixed_size_binary(16), "fixed[16]"},
      {arrow::large_list(arrow::int32()), "list<int>"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.arrow_type->ToString());

    SL_ASSERT_OK_AND_ASSIGN(const Type type, IcebergType(*c.arrow_type));

    EXPECT_EQ(ToString(type), c.type);
  }
}

TEST(IcebergType, RefusesByNameWhatVersion2CannotHold) {
  for (const auto& type : std::vector<std::shared_ptr<arrow::DataType>>{
           arrow::uint64(), arrow::decimal256(39, 0), arrow::decimal128(5, -2),
           arrow::duration(arrow::TimeUnit::MICRO), arrow::month_interval(), arrow::null(),
           arrow::struct_({arrow::field("deep", arrow::uint64())})}) {
    SCOPED_TRACE(type->ToString());
    const std::string inner =
        type->num_fields() > 0 ? type->field(0)->type()->ToString() : type->ToString();
    EXPECT_THAT(IcebergType(*type), Fails(ErrorKind::kUnsupported, HasSubstr(inner)));
  }
  EXPECT_THAT(IcebergField(*arrow::field("size", arrow::uint64())),
              Fails(ErrorKind::kUnsupported, AllOf(HasSubstr("size"), HasSubstr("uint64"))));
}

TEST(ArrowFieldId, IsAbsentWhereTheMetadataHasNone) {
  const auto field = [](const std::string& value) {
    return arrow::field("a", arrow::int32(), true,
                        arrow::key_value_metadata({"PARQUET:field_id"}, {value}));
  };

  EXPECT_EQ(ArrowFieldId(*arrow::field("a", arrow::int32())), std::nullopt);
  EXPECT_EQ(ArrowFieldId(*field("-1")), std::nullopt);
  EXPECT_EQ(ArrowFieldId(*field("7x")), std::nullopt);
  EXPECT_THAT(ArrowFieldId(*field("7")), Optional(FieldId{7}));
}

}  // namespace
}  // namespace strandline::table
