#include "strandline/format/landing/internal/json_row.h"

#include <charconv>
#include <limits>
#include <simdjson.h>
#include <unordered_map>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/base/check.h"
#include "strandline/format/landing/internal/line_reader.h"
#include "strandline/format/landing/landing_reader.h"

namespace strandline::format::landing {
namespace {

using simdjson::ondemand::json_type;

static_assert(LineReader::kPaddingBytes >= simdjson::SIMDJSON_PADDING);

constexpr std::string_view kNotJson = "not valid JSON";
constexpr int kDepthMax = 256;  // Of a value that is no column and is only checked.

// One token of a line: `"text"`, `-1.5e3`, `true`, `null`, or the opening bracket of more.
struct Token {
  json_type type = json_type::null;
  std::string_view raw;   // As it stands in the line, quotes included.
  std::string_view text;  // Strings: unescaped.
};

// Reads the token at `value`; false when it is malformed. Does not go into arrays and objects.
bool ReadToken(simdjson::ondemand::value& value, Token& token) {
  if (value.type().get(token.type) != simdjson::SUCCESS) {
    return false;
  }
  const std::string_view raw = value.raw_json_token();
  token.raw = raw.substr(0, raw.find_last_not_of(" \t\r") + 1);
  switch (token.type) {
    case json_type::string:
      if (token.raw.size() < 2 || token.raw.back() != '"') {
        return false;
      }
      token.text = token.raw.substr(1, token.raw.size() - 2);
      return token.text.find('\\') == std::string_view::npos ||
             value.get_string().get(token.text) == simdjson::SUCCESS;
    case json_type::number:
      return IsJsonNumber(token.raw);
    case json_type::boolean:
      return token.raw == "true" || token.raw == "false";
    case json_type::null:
      return token.raw == "null";
    case json_type::array:
    case json_type::object:
      return true;
  }
  return false;
}

// Whether `value`, which is wanted by nobody, is well-formed.
bool IsWellFormed(simdjson::ondemand::value& value, int depth) {
  Token token;
  if (depth > kDepthMax || !ReadToken(value, token)) {
    return false;
  }
  if (token.type == json_type::array) {
    simdjson::ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) {
      return false;
    }
    for (auto element : array) {
      simdjson::ondemand::value inner;
      if (element.get(inner) != simdjson::SUCCESS || !IsWellFormed(inner, depth + 1)) {
        return false;
      }
    }
  }
  if (token.type == json_type::object) {
    simdjson::ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
      return false;
    }
    for (auto field : object) {
      std::string_view key;
      simdjson::ondemand::value inner;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
          field.value().get(inner) != simdjson::SUCCESS || !IsWellFormed(inner, depth + 1)) {
        return false;
      }
    }
  }
  return true;
}

template <typename Number>
bool ParseWhole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && parsed == end;
}

bool Keep(const std::optional<std::int64_t>& number, JsonValue& into) {
  into.number = number.value_or(0);
  return number.has_value();
}

// The token as a value of `type`; false when it is none.
bool Convert(const Token& token, const arrow::DataType& type, JsonValue& into) {
  const bool is_text = token.type == json_type::string;
  const bool is_number = token.type == json_type::number;
  switch (type.id()) {
    case arrow::Type::BOOL:
      into.number = token.raw == "true" ? 1 : 0;
      return token.type == json_type::boolean;
    case arrow::Type::INT32:
      return is_number && ParseWhole(token.raw, into.number) &&
             std::in_range<std::int32_t>(into.number);
    case arrow::Type::INT64:
      return is_number && ParseWhole(token.raw, into.number);
    case arrow::Type::FLOAT: {
      float real = 0;
      const bool fits = is_number && ParseWhole(token.raw, real);
      into.real = real;
      return fits;
    }
    case arrow::Type::DOUBLE:
      return is_number && ParseWhole(token.raw, into.real);
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      const std::string_view text = is_text ? token.text : token.raw;
      const std::optional<Int128> unscaled =
          is_text || is_number ? ParseDecimal(text, decimal.precision(), decimal.scale())
                               : std::nullopt;
      into.decimal = unscaled.value_or(0);
      return unscaled.has_value();
    }
    case arrow::Type::DATE32: {
      const std::optional<std::int32_t> days = is_text ? ParseDateDays(token.text) : std::nullopt;
      into.number = days.value_or(0);
      return days.has_value();
    }
    case arrow::Type::TIME64:
      return is_text && Keep(ParseTimeMicros(token.text), into);
    case arrow::Type::TIMESTAMP:
      return is_text && Keep(ParseTimestampMicros(token.text), into);
    case arrow::Type::STRING:
      into.text = token.text;
      return is_text;
    case arrow::Type::FIXED_SIZE_BINARY: {
      std::optional<std::string> bytes = is_text ? ParseUuidBytes(token.text) : std::nullopt;
      into.bytes = std::move(bytes).value_or(std::string());
      return !into.bytes.empty();
    }
    default:
      SL_CHECK(false && "CheckJsonSchema() refused it");
      return false;
  }
}

}  // namespace

struct JsonRowParser::Impl {
  std::shared_ptr<arrow::Schema> schema;
  std::unordered_map<std::string_view, int> columns;  // Names are those of `schema`.
  std::vector<JsonValue> values;
  simdjson::ondemand::parser parser;
  int expected_column = 0;  // Objects tend to have their fields in one order.

  std::optional<int> FindColumn(std::string_view name) {
    const int column_count = schema->num_fields();
    if (expected_column < column_count && schema->field(expected_column)->name() == name) {
      return expected_column;
    }
    const auto found = columns.find(name);
    return found == columns.end() ? std::nullopt : std::optional(found->second);
  }

  // One field of a line's object. A problem of the column is remembered in `problem`, if it is the
  // first, and reading goes on: whether the line is JSON at all matters more. False: it is not.
  bool TakeField(simdjson::ondemand::field field, std::optional<JsonProblem>& problem) {
    std::string_view name;
    if (field.unescaped_key().get(name) != simdjson::SUCCESS) {
      return false;
    }
    simdjson::ondemand::value json = field.value();
    const std::optional<int> column = FindColumn(name);
    if (!column) {
      return IsWellFormed(json, 1);
    }
    expected_column = *column + 1;
    const arrow::Field& wanted = *schema->field(*column);
    Token token;
    if (!ReadToken(json, token)) {
      return false;
    }
    if (token.type == json_type::array || token.type == json_type::object) {
      Complain(problem, fmt::format("not {}", TypeWords(*wanted.type())), wanted.name());
      return IsWellFormed(json, 1);
    }
    JsonValue& value = values[static_cast<std::size_t>(*column)];
    if (value.present) {
      Complain(problem, "the field comes twice", wanted.name());
      return true;
    }
    value.present = true;
    value.null = token.type == json_type::null;
    if (!value.null && !Convert(token, *wanted.type(), value)) {
      Complain(problem, fmt::format("not {}", TypeWords(*wanted.type())), wanted.name());
    }
    return true;
  }

  static void Complain(std::optional<JsonProblem>& problem, std::string reason,
                       const std::string& column) {
    if (!problem) {
      problem = JsonProblem{.reason = std::move(reason), .column = column};
    }
  }
};

JsonRowParser::JsonRowParser(std::shared_ptr<arrow::Schema> schema)
    : impl_(std::make_unique<Impl>()) {
  impl_->schema = std::move(schema);
  impl_->values.resize(static_cast<std::size_t>(impl_->schema->num_fields()));
  for (int i = 0; i < impl_->schema->num_fields(); ++i) {
    impl_->columns.emplace(impl_->schema->field(i)->name(), i);
  }
}

JsonRowParser::~JsonRowParser() = default;

const std::vector<JsonValue>& JsonRowParser::values() const { return impl_->values; }

std::optional<JsonProblem> JsonRowParser::Parse(std::string_view line) {
  for (JsonValue& value : impl_->values) {
    value.present = false;
    value.null = true;
  }
  impl_->expected_column = 0;

  const JsonProblem not_json{.reason = std::string(kNotJson), .column = {}};
  simdjson::ondemand::document document;
  const simdjson::padded_string_view padded(line.data(), line.size(),
                                            line.size() + LineReader::kPaddingBytes);
  const simdjson::error_code opened = impl_->parser.iterate(padded).get(document);
  if (opened == simdjson::UTF8_ERROR) {
    return JsonProblem{.reason = "not valid UTF-8", .column = {}};
  }
  json_type type = json_type::null;
  if (opened != simdjson::SUCCESS || document.type().get(type) != simdjson::SUCCESS) {
    return not_json;
  }
  simdjson::ondemand::object object;
  if (type != json_type::object || document.get_object().get(object) != simdjson::SUCCESS) {
    return type == json_type::object ? not_json
                                     : JsonProblem{.reason = "not a JSON object", .column = {}};
  }
  std::optional<JsonProblem> problem;
  for (auto result : object) {
    simdjson::ondemand::field field;
    if (std::move(result).get(field) != simdjson::SUCCESS || !impl_->TakeField(field, problem)) {
      return not_json;
    }
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return not_json;  // Something follows the object.
  }
  for (int i = 0; i < impl_->schema->num_fields() && !problem; ++i) {
    const arrow::Field& field = *impl_->schema->field(i);
    if (!field.nullable() && impl_->values[static_cast<std::size_t>(i)].null) {
      Impl::Complain(problem, std::string(kNullInRequired), field.name());
    }
  }
  return problem;
}

Status CheckJsonSchema(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    const arrow::DataType& type = *field->type();
    switch (type.id()) {
      case arrow::Type::BOOL:
      case arrow::Type::INT32:
      case arrow::Type::INT64:
      case arrow::Type::FLOAT:
      case arrow::Type::DOUBLE:
      case arrow::Type::DECIMAL128:
      case arrow::Type::DATE32:
      case arrow::Type::TIME64:
      case arrow::Type::TIMESTAMP:
      case arrow::Type::STRING:
        continue;
      case arrow::Type::FIXED_SIZE_BINARY:
        if (static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width() == 16) {
          continue;  // uuid
        }
        break;
      default:
        break;
    }
    return MakeError(ErrorKind::kInvalidArgument,
                     "column {} is {}, which JSON lines cannot give: declare a string, a number, a "
                     "boolean, a date or a time",
                     field->name(), type.ToString());
  }
  return {};
}

}  // namespace strandline::format::landing
