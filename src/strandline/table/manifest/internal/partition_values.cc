#include "strandline/table/manifest/internal/partition_values.h"

#include <limits>

#include "strandline/table/manifest/internal/manifest_avro.h"

namespace strandline::table::manifest_format {
namespace {

namespace avro = format::avro;
using avro::Kind;

Error Unfit(const avro::Schema& schema, const Type& type) {
  return MakeError(ErrorKind::kCorrupt, "a value of avro type {} is no {}",
                   avro::SchemaText(schema), ToString(type));
}

Result<Value> FromLong(const Step& step, const Type& type, std::int64_t value) {
  switch (type.id) {
    case TypeId::kInt:
    case TypeId::kDate:
      if (value != static_cast<std::int32_t>(value)) {
        return MakeError(ErrorKind::kCorrupt, "{} does not fit into {}", value, ToString(type));
      }
      return Value(static_cast<std::int32_t>(value));
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      return Value(value);
    case TypeId::kUnknown:
      return step.schema->kind == Kind::kInt ? Value(static_cast<std::int32_t>(value))
                                             : Value(value);
    default:
      return Unfit(*step.schema, type);
  }
}

Result<Value> FromFloat(const Step& step, const Type& type, float value) {
  if (type.id == TypeId::kDouble) {
    return Value(static_cast<double>(value));
  }
  if (type.id == TypeId::kFloat || type.id == TypeId::kUnknown) {
    return Value(value);
  }
  return Unfit(*step.schema, type);
}

Result<Value> FromBytes(const Step& step, const Type& type, std::string_view bytes) {
  const avro::Schema& schema = *step.schema;
  switch (type.id) {
    case TypeId::kUuid:
      // Some writers spell uuids as text.
      return schema.kind == Kind::kString ? ParseValue(type, bytes) : DeserializeValue(type, bytes);
    case TypeId::kString:
      return Value(std::string(bytes));
    case TypeId::kBinary:
      return Value(Bytes{std::string(bytes)});
    case TypeId::kFixed:
    case TypeId::kDecimal:
      return DeserializeValue(type, bytes);
    case TypeId::kUnknown:
      if (schema.logical_type == "decimal" && schema.precision >= 1 &&
          schema.precision <= kDecimalPrecisionMax) {
        return DeserializeValue(DecimalType(schema.precision, schema.scale), bytes);
      }
      return schema.kind == Kind::kString ? Value(std::string(bytes))
                                          : Value(Bytes{std::string(bytes)});
    default:
      return Unfit(schema, type);
  }
}

// One value that is not null, as the type has it now: columns may have been promoted since.
Result<Value> ReadValue(const Step& step, const Type& type, avro::Cursor& cursor) {
  switch (step.schema->kind) {
    case Kind::kNull:
      return Value();
    case Kind::kBoolean: {
      const bool value = cursor.Bool();
      return type.id == TypeId::kBoolean || type.id == TypeId::kUnknown
                 ? Result<Value>(Value(value))
                 : Unfit(*step.schema, type);
    }
    case Kind::kInt:
      return FromLong(step, type, ReadInt32(cursor));
    case Kind::kLong:
      return FromLong(step, type, cursor.Long());
    case Kind::kFloat:
      return FromFloat(step, type, cursor.Float());
    case Kind::kDouble: {
      const double value = cursor.Double();
      return type.id == TypeId::kDouble || type.id == TypeId::kUnknown ? Result<Value>(Value(value))
                                                                       : Unfit(*step.schema, type);
    }
    case Kind::kBytes:
    case Kind::kString:
      return FromBytes(step, type, cursor.Bytes());
    case Kind::kFixed:
      return FromBytes(step, type, cursor.Fixed(static_cast<std::size_t>(step.schema->size)));
    default:
      return Unfit(*step.schema, type);
  }
}

bool HasId(const avro::Field& field, const NestedField& wanted) {
  return field.field_id == wanted.id.value();
}

bool HasName(const avro::Field& field, const NestedField& wanted) {
  return field.name == wanted.name || field.name == avro::SanitizedName(wanted.name);
}

// The unscaled number with its sign in all bytes of the fixed.
std::string PaddedDecimal(const Type& type, const Value& value) {
  const std::string bytes = SerializeValue(type, value);
  const auto size = static_cast<std::size_t>(DecimalBytes(type.precision));
  const bool is_negative = (static_cast<unsigned char>(bytes.at(0)) & 0x80) != 0;
  return bytes.size() >= size
             ? bytes
             : std::string(size - bytes.size(), is_negative ? '\xff' : '\0') + bytes;
}

Status WriteFixed(std::string_view bytes, std::size_t size, const Type& type,
                  avro::Encoder& encoder) {
  if (bytes.size() != size) {
    return MakeError(ErrorKind::kInvalidArgument, "a {} of {} bytes", ToString(type), bytes.size());
  }
  encoder.WriteFixed(bytes);
  return {};
}

// A value that is not null, in the Avro type that EntrySchema gives its field.
Status WriteValue(const Type& type, const Value& value, avro::Encoder& encoder) {
  if (type.id == TypeId::kUnknown) {
    return MakeError(ErrorKind::kInvalidArgument, "no schema says of which type a value is");
  }
  if (!HasTypeOf(type, value)) {
    return MakeError(ErrorKind::kInvalidArgument, "a value is no {}", ToString(type));
  }
  switch (type.id) {
    case TypeId::kBoolean:
      encoder.WriteBool(std::get<bool>(value));
      return {};
    case TypeId::kInt:
    case TypeId::kDate:
      encoder.WriteLong(std::get<std::int32_t>(value));
      return {};
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestamptz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestamptzNs:
      encoder.WriteLong(std::get<std::int64_t>(value));
      return {};
    case TypeId::kFloat:
      encoder.WriteFloat(std::get<float>(value));
      return {};
    case TypeId::kDouble:
      encoder.WriteDouble(std::get<double>(value));
      return {};
    case TypeId::kString:
      encoder.WriteBytes(std::get<std::string>(value));
      return {};
    case TypeId::kBinary:
      encoder.WriteBytes(std::get<Bytes>(value).bytes);
      return {};
    case TypeId::kUuid:
    case TypeId::kFixed: {
      const std::int32_t size = type.id == TypeId::kUuid ? 16 : type.length;
      return WriteFixed(std::get<Bytes>(value).bytes, static_cast<std::size_t>(size), type,
                        encoder);
    }
    case TypeId::kDecimal:
      return WriteFixed(PaddedDecimal(type, value),
                        static_cast<std::size_t>(DecimalBytes(type.precision)), type, encoder);
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
    case TypeId::kUnknown:
      break;
  }
  return MakeError(ErrorKind::kInvalidArgument, "nothing is partitioned by a {}", ToString(type));
}

}  // namespace

Result<PartitionReader> PartitionReader::Make(const avro::Schema& record,
                                              std::vector<NestedField> fields) {
  PartitionReader reader;
  reader.fields_ = std::move(fields);
  for (const avro::Field& field : record.fields) {
    reader.steps_.push_back(Step{.schema = field.schema.get(), .name = field.name});
  }
  std::vector<bool> is_found(reader.fields_.size(), false);
  for (const auto& is_it : {HasId, HasName}) {
    for (std::size_t place = 0; place < reader.fields_.size(); ++place) {
      for (std::size_t written = 0; written < record.fields.size() && !is_found[place]; ++written) {
        const avro::Field& field = record.fields[written];
        if (reader.steps_[written].target == kSkip && is_it(field, reader.fields_[place])) {
          reader.steps_[written] =
              SL_TRY(StepFor(*field.schema, static_cast<int>(place), field.name));
          is_found[place] = true;
        }
      }
    }
  }
  if (const auto missing = std::ranges::find(is_found, false); missing != is_found.end()) {
    const NestedField& field = reader.fields_[static_cast<std::size_t>(missing - is_found.begin())];
    return MakeError(ErrorKind::kCorrupt, "partition field `{}` (id {}) is missing", field.name,
                     field.id);
  }
  return reader;
}

Result<PartitionTuple> PartitionReader::Read(avro::Cursor& cursor) const {
  PartitionTuple tuple(fields_.size());
  for (const Step& step : steps_) {
    if (step.target == kSkip) {
      cursor.Skip(*step.schema);
    } else if (!ReadsNull(step, cursor)) {
      const auto place = static_cast<std::size_t>(step.target);
      Result<Value> value = ReadValue(step, fields_[place].type, cursor);
      // Bytes that end early are the reason then, and not the value they gave.
      if (!value && cursor.ok()) {
        return std::move(value).error().While(fmt::format("partition field `{}`", step.name));
      }
      if (value) {
        tuple[place] = *std::move(value);
      }
    }
    if (!cursor.ok()) {
      return cursor.error().While(fmt::format("partition field `{}`", step.name));
    }
  }
  return tuple;
}

Status WritePartition(const std::vector<NestedField>& fields, const PartitionTuple& tuple,
                      avro::Encoder& encoder) {
  if (tuple.size() != fields.size()) {
    return MakeError(ErrorKind::kInvalidArgument,
                     "the partition has {} values, its spec has {} fields", tuple.size(),
                     fields.size());
  }
  for (std::size_t place = 0; place < fields.size(); ++place) {
    const NestedField& field = fields[place];
    if (HoldsOnlyNulls(field.type) && IsNull(tuple[place])) {
      continue;
    }
    encoder.WriteLong(IsNull(tuple[place]) ? 0 : 1);
    if (!IsNull(tuple[place])) {
      SL_TRY(WriteValue(field.type, tuple[place], encoder), "partition field `{}`", field.name);
    }
  }
  return {};
}

PartitionSummaries::PartitionSummaries(const std::vector<NestedField>& fields) {
  for (const NestedField& field : fields) {
    ranges_.emplace_back().type = field.type;
  }
}

void PartitionSummaries::Add(const PartitionTuple& tuple) {
  for (std::size_t place = 0; place < ranges_.size(); ++place) {
    Range& range = ranges_[place];
    const Value& value = tuple[place];
    if (IsNull(value)) {
      range.contains_null = true;
    } else if (IsNan(value)) {
      range.contains_nan = true;
    } else if (IsNull(range.lowest)) {
      range.lowest = value;
      range.highest = value;
    } else if (CompareValues(value, range.lowest) < 0) {
      range.lowest = value;
    } else if (CompareValues(value, range.highest) > 0) {
      range.highest = value;
    }
  }
}

std::vector<PartitionFieldSummary> PartitionSummaries::Finish() const {
  std::vector<PartitionFieldSummary> summaries;
  for (const Range& range : ranges_) {
    PartitionFieldSummary summary;
    summary.contains_null = range.contains_null;
    summary.contains_nan = range.contains_nan;
    if (!IsNull(range.lowest)) {
      summary.lower_bound = SerializeValue(range.type, range.lowest);
      summary.upper_bound = SerializeValue(range.type, range.highest);
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace strandline::table::manifest_format
