#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/clock.h"
#include "strandline/base/rng.h"
#include "strandline/io/memory_file_io.h"
#include "strandline/table/arrow/arrow_schema.h"
#include "strandline/table/arrow/arrow_value.h"
#include "strandline/table/write/data_file_writer.h"
#include "tests/support/matchers.h"
#include "tests/support/parquet_files.h"

// Metrics that a writer gathers are compared with what a scan of its file finds, row by row and
// without any of the writer's shortcuts.

namespace strandline::table {
namespace {

using ::strandline::testing::IsOk;
using ::strandline::testing::ReadParquet;

NestedField Column(std::int32_t id, std::string name, Type type) {
  return {.id = FieldId{id}, .name = std::move(name), .type = std::move(type)};
}

// Every type, alone, in structs, lists and maps, and in both at once.
Schema SchemaOfEveryType() {
  const std::vector<Type> primitives = {PrimitiveType(TypeId::kBoolean),
                                        PrimitiveType(TypeId::kInt),
                                        PrimitiveType(TypeId::kLong),
                                        PrimitiveType(TypeId::kFloat),
                                        PrimitiveType(TypeId::kDouble),
                                        DecimalType(4, 2),
                                        DecimalType(9, 0),
                                        DecimalType(18, 4),
                                        DecimalType(19, 2),
                                        DecimalType(38, 10),
                                        PrimitiveType(TypeId::kDate),
                                        PrimitiveType(TypeId::kTime),
                                        PrimitiveType(TypeId::kTimestamp),
                                        PrimitiveType(TypeId::kTimestamptz),
                                        PrimitiveType(TypeId::kString),
                                        PrimitiveType(TypeId::kUuid),
                                        FixedType(3),
                                        FixedType(20),
                                        PrimitiveType(TypeId::kBinary)};
  Schema schema;
  std::int32_t id = 1;
  std::vector<NestedField> in_struct;
  for (const Type& type : primitives) {
    schema.fields.push_back(Column(id, "c" + std::to_string(id), type));
    ++id;
    in_struct.push_back(Column(id, "s" + std::to_string(id), type));
    ++id;
  }
  schema.fields.push_back(Column(100, "struct", StructType(std::move(in_struct))));
  schema.fields.push_back(
      Column(101, "list", ListType(FieldId{102}, PrimitiveType(TypeId::kDouble), false)));
  schema.fields.push_back(Column(103, "map",
                                 MapType(FieldId{104}, PrimitiveType(TypeId::kString), FieldId{105},
                                         PrimitiveType(TypeId::kFloat), false)));
  schema.fields.push_back(Column(
      106, "deep",
      StructType(
          {Column(107, "lists",
                  ListType(FieldId{108},
                           StructType({Column(109, "x", PrimitiveType(TypeId::kLong)),
                                       Column(110, "y",
                                              ListType(FieldId{111}, PrimitiveType(TypeId::kDouble),
                                                       false))}),
                           false)),
           Column(112, "struct",
                  StructType({Column(113, "z", PrimitiveType(TypeId::kDouble))}))})));
  schema.fields.push_back(Column(114, "last", PrimitiveType(TypeId::kInt)));
  return schema;
}

// Makes arrays of a type, with nulls, extremes, NaNs, zeros of both signs and long strings.
class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : rng_(seed) {}

  std::uint64_t Below(std::uint64_t limit) { return rng_.Next() % limit; }

  std::shared_ptr<arrow::Array> Array(const Type& type, std::int64_t rows, int null_percent) {
    std::unique_ptr<arrow::ArrayBuilder> builder;
    EXPECT_TRUE(arrow::MakeBuilder(arrow::default_memory_pool(), ArrowType(type), &builder).ok());
    for (std::int64_t row = 0; row < rows; ++row) {
      EXPECT_TRUE(Append(type, *builder, null_percent).ok());
    }
    return builder->Finish().ValueOrDie();
  }

 private:
  arrow::Status Append(const Type& type, arrow::ArrayBuilder& builder, int null_percent) {
    if (Below(100) < static_cast<std::uint64_t>(null_percent)) {
      return builder.AppendNull();
    }
    switch (type.id) {
      case TypeId::kStruct:
        ARROW_RETURN_NOT_OK(static_cast<arrow::StructBuilder&>(builder).Append());
        for (std::size_t i = 0; i < type.fields.size(); ++i) {
          ARROW_RETURN_NOT_OK(
              Append(type.fields[i].type, *builder.child(static_cast<int>(i)), null_percent));
        }
        return arrow::Status::OK();
      case TypeId::kList: {
        auto& list = static_cast<arrow::ListBuilder&>(builder);
        ARROW_RETURN_NOT_OK(list.Append());
        for (std::uint64_t count = Below(4); count > 0; --count) {
          ARROW_RETURN_NOT_OK(Append(type.fields[0].type, *list.value_builder(), null_percent));
        }
        return arrow::Status::OK();
      }
      case TypeId::kMap: {
        auto& map = static_cast<arrow::MapBuilder&>(builder);
        ARROW_RETURN_NOT_OK(map.Append());
        for (std::uint64_t count = Below(4); count > 0; --count) {
          ARROW_RETURN_NOT_OK(Append(type.fields[0].type, *map.key_builder(), 0));
          ARROW_RETURN_NOT_OK(Append(type.fields[1].type, *map.item_builder(), null_percent));
        }
        return arrow::Status::OK();
      }
      default:
        return AppendPrimitive(type, builder);
    }
  }

  arrow::Status AppendPrimitive(const Type& type, arrow::ArrayBuilder& builder) {
    switch (type.id) {
      case TypeId::kBoolean:
        return static_cast<arrow::BooleanBuilder&>(builder).Append(Below(2) == 1);
      case TypeId::kInt:
        return static_cast<arrow::Int32Builder&>(builder).Append(
            static_cast<std::int32_t>(Integer()));
      case TypeId::kDate:
        return static_cast<arrow::Date32Builder&>(builder).Append(
            static_cast<std::int32_t>(Integer()));
      case TypeId::kLong:
        return static_cast<arrow::Int64Builder&>(builder).Append(Integer());
      case TypeId::kTime:
        return static_cast<arrow::Time64Builder&>(builder).Append(
            static_cast<std::int64_t>(Below(86400000000)));
      case TypeId::kTimestamp:
      case TypeId::kTimestamptz:
        return static_cast<arrow::TimestampBuilder&>(builder).Append(Integer());
      case TypeId::kFloat:
        return static_cast<arrow::FloatBuilder&>(builder).Append(Float<float>());
      case TypeId::kDouble:
        return static_cast<arrow::DoubleBuilder&>(builder).Append(Float<double>());
      case TypeId::kDecimal:
        return static_cast<arrow::Decimal128Builder&>(builder).Append(Decimal(type.precision));
      case TypeId::kString:
        return static_cast<arrow::StringBuilder&>(builder).Append(Text());
      case TypeId::kBinary:
        return static_cast<arrow::BinaryBuilder&>(builder).Append(RawBytes(Below(24)));
      case TypeId::kUuid:
        return static_cast<arrow::FixedSizeBinaryBuilder&>(builder).Append(RawBytes(16));
      case TypeId::kFixed:
        return static_cast<arrow::FixedSizeBinaryBuilder&>(builder).Append(
            RawBytes(static_cast<std::uint64_t>(type.length)));
      default:
        return arrow::Status::NotImplemented("no such primitive");
    }
  }

  std::int64_t Integer() {
    switch (Below(5)) {
      case 0:
        return static_cast<std::int64_t>(rng_.Next());
      case 1:
        return std::numeric_limits<std::int64_t>::min();
      case 2:
        return std::numeric_limits<std::int64_t>::max();
      default:
        return static_cast<std::int64_t>(Below(2000)) - 1000;
    }
  }

  template <typename T>
  T Float() {
    switch (Below(12)) {
      case 0:
        return std::numeric_limits<T>::quiet_NaN();
      case 1:
        return T{0};
      case 2:
        return -T{0};
      case 3:
        return Below(20) == 0 ? std::numeric_limits<T>::infinity() : T{1};
      default:
        return static_cast<T>(Below(2000)) / T{8};  // Often no negative: zeros are then the lowest.
    }
  }

  arrow::Decimal128 Decimal(std::int32_t precision) {
    std::string digits;
    const std::uint64_t count = 1 + Below(static_cast<std::uint64_t>(precision));
    for (std::uint64_t i = 0; i < count; ++i) {
      digits += static_cast<char>('0' + Below(10));
    }
    return arrow::Decimal128::FromString((Below(2) == 1 ? "-" : "") + digits).ValueOrDie();
  }

  std::string Text() {
    static const std::vector<std::string> kPieces = {
        "a", "b", "z", "é", "•", "😀", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf", std::string(1, '\0')};
    std::string text;
    // Long common starts, so that comparisons have to look at the ends.
    if (Below(3) == 0) {
      text = "common/prefix/";
    }
    for (std::uint64_t count = Below(20); count > 0; --count) {
      text += kPieces[Below(kPieces.size())];
    }
    return text;
  }

  std::string RawBytes(std::uint64_t size) {
    std::string bytes;
    for (std::uint64_t i = 0; i < size; ++i) {
      bytes += static_cast<char>(Below(3) == 0 ? 0xff : rng_.Next());
    }
    return bytes;
  }

  SeededRng rng_;
};

// What a scan finds of one leaf: every entry, null ones too.
struct Leaf {
  Type type;
  bool repeated = false;
  std::vector<Value> entries;
};
using Leaves = std::map<FieldId, Leaf>;

void CollectRow(const NestedField& field, const arrow::Array* array, std::int64_t row,
                bool repeated, Leaves& leaves) {
  const bool is_null = array == nullptr || array->IsNull(row);
  switch (field.type.id) {
    case TypeId::kStruct:
      for (std::size_t i = 0; i < field.type.fields.size(); ++i) {
        const arrow::Array* child =
            is_null
                ? nullptr
                : static_cast<const arrow::StructArray&>(*array).field(static_cast<int>(i)).get();
        CollectRow(field.type.fields[i], child, row, repeated, leaves);
      }
      return;
    case TypeId::kList:
    case TypeId::kMap: {
      const auto* list = is_null ? nullptr : static_cast<const arrow::ListArray*>(array);
      const std::int64_t count = list == nullptr ? 0 : list->value_length(row);
      for (std::size_t i = 0; i < field.type.fields.size(); ++i) {
        if (count == 0) {
          CollectRow(field.type.fields[i], nullptr, 0, true, leaves);
          continue;
        }
        const arrow::Array* elements = field.type.id == TypeId::kList
                                           ? list->values().get()
                                           : static_cast<const arrow::StructArray&>(*list->values())
                                                 .field(static_cast<int>(i))
                                                 .get();
        for (std::int64_t k = 0; k < count; ++k) {
          CollectRow(field.type.fields[i], elements, list->value_offset(row) + k, true, leaves);
        }
      }
      return;
    }
    default: {
      Leaf& leaf = leaves[field.id];
      leaf.type = field.type;
      leaf.repeated = repeated;
      leaf.entries.push_back(is_null ? Value() : ValueAt(*array, row, field.type).value());
    }
  }
}

Leaves Scan(const Schema& schema, const arrow::Table& table) {
  Leaves leaves;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    for (const std::shared_ptr<arrow::Array>& chunk : table.column(static_cast<int>(i))->chunks()) {
      for (std::int64_t row = 0; row < chunk->length(); ++row) {
        CollectRow(schema.fields[i], chunk.get(), row, false, leaves);
      }
    }
  }
  return leaves;
}

Value WithSignOfZero(const Value& value, double zero) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr && *number == 0) {
    return zero;
  }
  if (const auto* number = std::get_if<float>(&value); number != nullptr && *number == 0) {
    return static_cast<float>(zero);
  }
  return value;
}

bool IsText(const Type& type) { return type.id == TypeId::kString || type.id == TypeId::kBinary; }

std::size_t WidthOf(const Type& type, const std::string& bound) {
  return type.id == TypeId::kBinary
             ? bound.size()
             : static_cast<std::size_t>(std::count_if(bound.begin(), bound.end(), [](char c) {
                 return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
               }));
}

// `cut`: bounds of strings and binaries hold 16 code points or bytes.
void CheckBounds(const Leaf& leaf, const Value& min, const Value& max, const std::string* lower,
                 const std::string* upper, bool cut) {
  if (!cut || !IsText(leaf.type)) {
    ASSERT_NE(lower, nullptr);
    ASSERT_NE(upper, nullptr);
    EXPECT_EQ(*lower, SerializeValue(leaf.type, WithSignOfZero(min, -0.0)));
    EXPECT_EQ(*upper, SerializeValue(leaf.type, WithSignOfZero(max, 0.0)));
    return;
  }
  ASSERT_NE(lower, nullptr);
  EXPECT_LE(*lower, SerializeValue(leaf.type, min));
  EXPECT_LE(WidthOf(leaf.type, *lower), 16U);
  if (upper != nullptr) {  // Absent when the largest value cannot be raised.
    EXPECT_GE(*upper, SerializeValue(leaf.type, max));
    EXPECT_LE(WidthOf(leaf.type, *upper), 16U);
  }
}

void CheckLeaf(FieldId id, const Leaf& leaf, const DataFile& file, bool cut) {
  std::int64_t nulls = 0;
  std::int64_t nans = 0;
  Value min;
  Value max;
  for (const Value& value : leaf.entries) {
    if (IsNull(value)) {
      ++nulls;
    } else if (IsNan(value)) {
      ++nans;
    } else {
      min = IsNull(min) || CompareValues(value, min) < 0 ? value : min;
      max = IsNull(max) || CompareValues(value, max) > 0 ? value : max;
    }
  }
  const bool is_float = leaf.type.id == TypeId::kFloat || leaf.type.id == TypeId::kDouble;
  ASSERT_NE(FindCount(file.value_counts, id), nullptr);
  EXPECT_EQ(*FindCount(file.value_counts, id), static_cast<std::int64_t>(leaf.entries.size()));
  EXPECT_EQ(*FindCount(file.null_value_counts, id), nulls);
  ASSERT_EQ(FindCount(file.nan_value_counts, id) != nullptr, is_float);
  if (is_float) {
    EXPECT_EQ(*FindCount(file.nan_value_counts, id), nans);
  }
  const std::string* lower = FindBound(file.lower_bounds, id);
  const std::string* upper = FindBound(file.upper_bounds, id);
  if (leaf.repeated || IsNull(min)) {
    EXPECT_EQ(lower, nullptr);
    EXPECT_EQ(upper, nullptr);
    return;
  }
  CheckBounds(leaf, min, max, lower, upper, cut);
}

class WriteMetricsProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(WriteMetricsProperty, EqualsAScanOfTheFile) {
  const std::uint64_t seed = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomValues random(seed);
  const FixedClock clock{Timestamp{}};
  const std::unique_ptr<io::FileIo> io = io::MakeMemoryFileIo(clock);
  const Schema schema = SchemaOfEveryType();
  const bool cut = seed % 2 == 0;
  TableMetadata metadata;
  metadata.properties = {{"write.parquet.row-group-limit", "70"},
                         {"write.metadata.metrics.default", cut ? "truncate(16)" : "full"}};
  SL_ASSERT_OK_AND_ASSIGN(
      const auto writer,
      MakeDataFileWriter(*io, metadata, schema, PartitionSpec{}, {}, "memory://lake/a.parquet"));
  std::int64_t rows = 0;
  for (int batches = 0; batches < 4; ++batches) {
    const std::int64_t count = static_cast<std::int64_t>(random.Below(100));
    const int null_percent = std::vector<int>{0, 5, 50, 100}[random.Below(4)];
    arrow::ArrayVector columns;
    for (const NestedField& field : schema.fields) {
      // A slice: arrays do not always begin where their buffers do.
      columns.push_back(random.Array(field.type, count + 7, null_percent)->Slice(3, count));
    }
    ASSERT_THAT(
        writer->Write(*arrow::RecordBatch::Make(ArrowSchema(schema), count, std::move(columns))),
        IsOk());
    rows += count;
  }

  SL_ASSERT_OK_AND_ASSIGN(const DataFile file, writer->Close());

  SL_ASSERT_OK_AND_ASSIGN(const auto table, ReadParquet(*io, file.file_path));
  EXPECT_EQ(file.record_count, rows);
  EXPECT_EQ(table->num_rows(), rows);
  EXPECT_EQ(file.split_offsets.size(), static_cast<std::size_t>((rows + 69) / 70));
  for (const auto& [id, leaf] : Scan(schema, *table)) {
    SCOPED_TRACE("field " + std::to_string(id.value()) + " " + ToString(leaf.type));
    CheckLeaf(id, leaf, file, cut);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WriteMetricsProperty, ::testing::Range<std::uint64_t>(1, 25));

}  // namespace
}  // namespace strandline::table
