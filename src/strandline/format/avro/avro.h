#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/format/avro/cursor.h"

namespace strandline::format::avro {

// Avro schemas and the object container file, as far as Iceberg's metadata needs them, with every
// custom attribute kept (`field-id`, `element-id`, `key-id`, `value-id`, `logicalType`,
// `adjust-to-utc`): the libraries that exist drop them.
// https://avro.apache.org/docs/1.11.1/specification/

enum class Kind {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kArray,
  kMap,
  kUnion,
  kRecord,
};

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

struct Field {
  std::string name;
  SchemaPtr schema;
  std::optional<std::int32_t>
      field_id;  // Iceberg's `field-id`; absent in files of careless writers.
  std::optional<std::string> default_json;
  std::string doc;
  std::map<std::string, std::string> attributes;  // Any others, as JSON text: `iceberg-field-name`.
};

// One node of a schema. Immutable once built.
struct Schema {
  Kind kind = Kind::kNull;
  std::string name;                  // Record, fixed, enum; with its namespace if it has one.
  std::vector<Field> fields;         // Record.
  SchemaPtr items;                   // Array: element. Map: value.
  std::vector<SchemaPtr> branches;   // Union.
  std::vector<std::string> symbols;  // Enum.
  std::int32_t size = 0;             // Fixed.
  std::string logical_type;          // `decimal`, `map`, `date`, `uuid`, ...; empty: none.
  std::int32_t precision = 0;
  std::int32_t scale = 0;
  std::optional<std::int32_t> element_id;  // Array.
  std::optional<std::int32_t> key_id;      // Map.
  std::optional<std::int32_t> value_id;
  std::map<std::string, std::string> attributes;  // Any others, as JSON text.
};

SchemaPtr Primitive(Kind kind);
SchemaPtr Optional(SchemaPtr schema);  // union [null, schema]
SchemaPtr ArrayOf(SchemaPtr items, std::int32_t element_id);
SchemaPtr FixedOf(std::string name, std::int32_t size);
SchemaPtr RecordOf(std::string name, std::vector<Field> fields);

// The other branch of a union of null and one more; the schema itself when it is no such union.
const Schema& WithoutNull(const Schema& schema);

// An Avro schema from its JSON. Named types may be referred to by name once they are complete, so a
// type cannot contain itself. kCorrupt when it is no schema, or nests or unfolds beyond any sane
// one.
Result<SchemaPtr> ParseSchema(std::string_view json);

// Its JSON. A named type that occurs again is written as a reference, as Avro demands.
std::string SchemaText(const Schema& schema);

// A name Avro allows: other characters become `_xHH` (one per UTF-16 unit), a leading digit gets an
// underscore in front, as Iceberg's Java writer does. Letters beyond ASCII are replaced too, which
// Java does not do: Avro forbids them. The original name is then kept in the attribute
// `iceberg-field-name`.
std::string SanitizedName(std::string_view name);

// Writes values in Avro's binary encoding. The caller follows the schema; nothing is checked here.
class Encoder {
 public:
  void WriteBool(bool value);
  void WriteLong(std::int64_t value);  // int and long
  void WriteFloat(float value);
  void WriteDouble(double value);
  void WriteBytes(std::string_view bytes);  // bytes and string
  void WriteFixed(std::string_view bytes);
  std::string& buffer() { return buffer_; }

 private:
  std::string buffer_;
};

// Reads values from Avro's binary encoding; each call fails with kCorrupt at the end of the bytes
// or on an impossible length. After a failure every call fails.
class Decoder {
 public:
  // `bytes` must outlive the decoder and every view it gave.
  explicit Decoder(std::string_view bytes) : cursor_(bytes) {}
  Result<bool> ReadBool();
  Result<std::int64_t> ReadLong();
  Result<float> ReadFloat();
  Result<double> ReadDouble();
  Result<std::string_view> ReadBytes();  // Points into the bytes given.
  Result<std::string_view> ReadFixed(std::size_t size);
  // Passes over one value.
  Status Skip(const Schema& schema);
  // Items of the next block of an array or map (negative counts with sizes are understood); 0 at
  // its end. Fails when so many items of at least `item_bytes_min` bytes cannot be there.
  Result<std::int64_t> ReadBlockCount(std::size_t item_bytes_min = 1);
  std::string_view rest() const { return cursor_.rest(); }
  bool at_end() const { return cursor_.left() == 0; }

  // For hot loops: shares position and failure with this decoder.
  Cursor& cursor() { return cursor_; }

 private:
  template <typename T>
  Result<T> Checked(T value) const;

  Cursor cursor_;
};

enum class Codec { kNull, kDeflate, kSnappy, kZstandard };

// An object container file in memory: header and then the objects.
struct Header {
  SchemaPtr schema;
  std::map<std::string, std::string> metadata;  // Without the avro.* keys.
  Codec codec = Codec::kNull;
};

// Calls `read_object` once per object with a decoder that stands at its start; it must consume
// exactly that object. `read_header` is called first. Return false from `read_object` to stop
// early. kCorrupt for a bad magic, sync marker or block, and for a block that unpacks to more than
// 256 MiB; kUnsupported names an unknown codec. Memory: one block at a time.
Status ReadContainer(std::string_view file, const std::function<Status(const Header&)>& read_header,
                     const std::function<Result<bool>(Decoder&)>& read_object);

// Builds a container file. `sync` is the file's 16-byte marker (its length is checked);
// it should differ from file to file, and need not be random. `level` is the codec's own (deflate 1
// to 9, zstandard 1 to 22); absent: its usual one.
class ContainerWriter {
 public:
  ContainerWriter(SchemaPtr schema, std::map<std::string, std::string> metadata, Codec codec,
                  std::string sync, std::optional<int> level = std::nullopt);

  // Appends one object, already encoded by the caller.
  Status Append(std::string_view object);
  Result<std::string> Finish() &&;

 private:
  Status FlushBlock();

  Codec codec_;
  std::optional<int> level_;
  std::string sync_;
  std::string file_;
  std::string block_;
  std::int64_t block_count_ = 0;
};

// A whole value as a tree, for tests, fixtures and odd schemas; the fast paths use Decoder
// directly.
struct Datum;
using DatumList = std::vector<Datum>;
using DatumFields = std::vector<std::pair<std::string, Datum>>;
struct Datum {
  std::variant<std::monostate, bool, std::int64_t, float, double, std::string, DatumList,
               DatumFields>
      value;
  friend bool operator==(const Datum&, const Datum&);
};

// A union gives its branch's value, an enum its symbol, a map its entries as fields. kCorrupt when
// the bytes are no value of `schema`.
Result<Datum> DecodeDatum(const Schema& schema, Decoder& decoder);

// A union takes the first branch that fits. kInvalidArgument, with the path of the field, when the
// datum is no value of `schema`.
Status EncodeDatum(const Schema& schema, const Datum& datum, Encoder& encoder);

}  // namespace strandline::format::avro
