#include <algorithm>
#include <limits>

#include "strandline/base/check.h"
#include "strandline/format/avro/avro.h"

namespace strandline::format::avro {
namespace {

// A list of nulls has no bytes that would bound it.
constexpr std::int64_t kItemsMax = 1'000'000;

// Calls `read_item` for each item of an array or map.
template <typename ReadItem>
Status ReadItems(Decoder& decoder, const ReadItem& read_item) {
  std::int64_t total = 0;
  while (true) {
    const std::int64_t count = SL_TRY(decoder.ReadBlockCount(/*item_bytes_min=*/0));
    if (count == 0) {
      return {};
    }
    if (count > kItemsMax - total) {
      return MakeError(ErrorKind::kCorrupt, "an avro list has more than {} items", kItemsMax);
    }
    total += count;
    for (std::int64_t index = 0; index < count; ++index) {
      SL_TRY(read_item());
    }
  }
}

Result<Datum> DecodeArray(const Schema& schema, Decoder& decoder) {
  DatumList items;
  const auto read_item = [&]() -> Status {
    items.push_back(SL_TRY(DecodeDatum(*schema.items, decoder)));
    return {};
  };
  SL_TRY(ReadItems(decoder, read_item));
  return Datum{std::move(items)};
}

Result<Datum> DecodeMap(const Schema& schema, Decoder& decoder) {
  DatumFields entries;
  const auto read_entry = [&]() -> Status {
    std::string key(SL_TRY(decoder.ReadBytes()));
    Datum value = SL_TRY(DecodeDatum(*schema.items, decoder));
    entries.emplace_back(std::move(key), std::move(value));
    return {};
  };
  SL_TRY(ReadItems(decoder, read_entry));
  return Datum{std::move(entries)};
}

Result<Datum> DecodeRecord(const Schema& schema, Decoder& decoder) {
  DatumFields fields;
  for (const Field& field : schema.fields) {
    Datum value = SL_TRY(DecodeDatum(*field.schema, decoder), "field `{}`", field.name);
    fields.emplace_back(field.name, std::move(value));
  }
  return Datum{std::move(fields)};
}

// Index into branches or symbols.
Result<std::size_t> DecodeIndex(std::size_t size, Decoder& decoder) {
  const std::int64_t index = SL_TRY(decoder.ReadLong());
  if (static_cast<std::uint64_t>(index) >= size) {
    return MakeError(ErrorKind::kCorrupt, "no such avro branch or symbol: {} of {}", index, size);
  }
  return static_cast<std::size_t>(index);
}

Error Unfit(const Schema& schema) {
  return MakeError(ErrorKind::kInvalidArgument, "the value is none of avro type {}",
                   SchemaText(schema));
}

template <typename T>
bool Holds(const Datum& datum) {
  return std::holds_alternative<T>(datum.value);
}

bool FitsInt(const Datum& datum) {
  const auto* const value = std::get_if<std::int64_t>(&datum.value);
  return value != nullptr && *value >= std::numeric_limits<std::int32_t>::min() &&
         *value <= std::numeric_limits<std::int32_t>::max();
}

// Whether a datum looks like a value of `schema`; what is inside of it is not looked at.
bool Fits(const Schema& schema, const Datum& datum) {
  const auto* const text = std::get_if<std::string>(&datum.value);
  switch (schema.kind) {
    case Kind::kNull:
      return Holds<std::monostate>(datum);
    case Kind::kBoolean:
      return Holds<bool>(datum);
    case Kind::kInt:
      return FitsInt(datum);
    case Kind::kLong:
      return Holds<std::int64_t>(datum);
    case Kind::kFloat:
      return Holds<float>(datum);
    case Kind::kDouble:
      return Holds<double>(datum);
    case Kind::kBytes:
    case Kind::kString:
      return text != nullptr;
    case Kind::kFixed:
      return text != nullptr && text->size() == static_cast<std::size_t>(schema.size);
    case Kind::kEnum:
      return text != nullptr && std::ranges::find(schema.symbols, *text) != schema.symbols.end();
    case Kind::kArray:
      return Holds<DatumList>(datum);
    case Kind::kMap:
    case Kind::kRecord:
      return Holds<DatumFields>(datum);
    case Kind::kUnion:
      return std::ranges::any_of(schema.branches,
                                 [&](const SchemaPtr& branch) { return Fits(*branch, datum); });
  }
  SL_CHECK(false);
  return false;
}

Status EncodeRecord(const Schema& schema, const DatumFields& fields, Encoder& encoder) {
  if (fields.size() != schema.fields.size()) {
    return MakeError(ErrorKind::kInvalidArgument, "avro record `{}` has {} fields, not {}",
                     schema.name, schema.fields.size(), fields.size());
  }
  for (const Field& field : schema.fields) {
    const auto found = std::ranges::find(fields, field.name, &DatumFields::value_type::first);
    if (found == fields.end()) {
      return MakeError(ErrorKind::kInvalidArgument, "a field of avro record `{}` is missing: `{}`",
                       schema.name, field.name);
    }
    SL_TRY(EncodeDatum(*field.schema, found->second, encoder), "field `{}`", field.name);
  }
  return {};
}

template <typename Items, typename WriteItem>
Status WriteItems(const Items& items, Encoder& encoder, const WriteItem& write_item) {
  if (!items.empty()) {
    encoder.WriteLong(static_cast<std::int64_t>(items.size()));
    for (const auto& item : items) {
      SL_TRY(write_item(item));
    }
  }
  encoder.WriteLong(0);
  return {};
}

}  // namespace

bool operator==(const Datum& a, const Datum& b) { return a.value == b.value; }

Result<Datum> DecodeDatum(const Schema& schema, Decoder& decoder) {
  switch (schema.kind) {
    case Kind::kNull:
      return Datum{};
    case Kind::kBoolean:
      return Datum{SL_TRY(decoder.ReadBool())};
    case Kind::kInt:
    case Kind::kLong:
      return Datum{SL_TRY(decoder.ReadLong())};
    case Kind::kFloat:
      return Datum{SL_TRY(decoder.ReadFloat())};
    case Kind::kDouble:
      return Datum{SL_TRY(decoder.ReadDouble())};
    case Kind::kBytes:
    case Kind::kString:
      return Datum{std::string(SL_TRY(decoder.ReadBytes()))};
    case Kind::kFixed:
      return Datum{std::string(SL_TRY(decoder.ReadFixed(static_cast<std::size_t>(schema.size))))};
    case Kind::kEnum: {
      const std::size_t index = SL_TRY(DecodeIndex(schema.symbols.size(), decoder));
      return Datum{schema.symbols[index]};
    }
    case Kind::kArray:
      return DecodeArray(schema, decoder);
    case Kind::kMap:
      return DecodeMap(schema, decoder);
    case Kind::kUnion: {
      const std::size_t index = SL_TRY(DecodeIndex(schema.branches.size(), decoder));
      return DecodeDatum(*schema.branches[index], decoder);
    }
    case Kind::kRecord:
      return DecodeRecord(schema, decoder);
  }
  SL_CHECK(false);
  return Datum{};
}

Status EncodeDatum(const Schema& schema, const Datum& datum, Encoder& encoder) {
  if (!Fits(schema, datum)) {
    return Unfit(schema);
  }
  switch (schema.kind) {
    case Kind::kNull:
      return {};
    case Kind::kBoolean:
      encoder.WriteBool(std::get<bool>(datum.value));
      return {};
    case Kind::kInt:
    case Kind::kLong:
      encoder.WriteLong(std::get<std::int64_t>(datum.value));
      return {};
    case Kind::kFloat:
      encoder.WriteFloat(std::get<float>(datum.value));
      return {};
    case Kind::kDouble:
      encoder.WriteDouble(std::get<double>(datum.value));
      return {};
    case Kind::kBytes:
    case Kind::kString:
      encoder.WriteBytes(std::get<std::string>(datum.value));
      return {};
    case Kind::kFixed:
      encoder.WriteFixed(std::get<std::string>(datum.value));
      return {};
    case Kind::kEnum: {
      const auto found = std::ranges::find(schema.symbols, std::get<std::string>(datum.value));
      encoder.WriteLong(found - schema.symbols.begin());
      return {};
    }
    case Kind::kArray:
      return WriteItems(
          std::get<DatumList>(datum.value), encoder,
          [&](const Datum& item) -> Status { return EncodeDatum(*schema.items, item, encoder); });
    case Kind::kMap:
      return WriteItems(std::get<DatumFields>(datum.value), encoder,
                        [&](const DatumFields::value_type& entry) -> Status {
                          encoder.WriteBytes(entry.first);
                          return EncodeDatum(*schema.items, entry.second, encoder);
                        });
    case Kind::kUnion: {
      const auto found = std::ranges::find_if(
          schema.branches, [&](const SchemaPtr& branch) { return Fits(*branch, datum); });
      encoder.WriteLong(found - schema.branches.begin());
      return EncodeDatum(**found, datum, encoder);
    }
    case Kind::kRecord:
      return EncodeRecord(schema, std::get<DatumFields>(datum.value), encoder);
  }
  SL_CHECK(false);
  return {};
}

}  // namespace strandline::format::avro
