#include "strandline/format/landing/internal/json_row.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <utility>

#include <arrow/api.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include "strandline/base/check.h"
#include "strandline/format/landing/internal/json_scanner.h"
#include "strandline/format/landing/internal/line_reader.h"
#include "strandline/format/landing/landing_reader.h"

namespace strandline::format::landing {
namespace {

static_assert(LineReader::kPaddingBytes >= JsonScanner::kPaddingBytes);

constexpr std::string_view kNotJson = "not valid JSON";

template <typename Number>
bool ParseWhole(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && parsed == end;
}

// Whether a number that no float can hold is too small rather than too large: whether its first
// digit that counts stands behind the point, the exponent applied.
bool IsTooSmall(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, end);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  std::string_view exponent_text = text.substr(std::min(end + 1, text.size()));
  if (exponent_text.starts_with('+')) {
    exponent_text.remove_prefix(1);
  }
  std::int64_t exponent = 0;
  if (!exponent_text.empty() && !ParseWhole(exponent_text, exponent)) {
    return exponent_text.starts_with('-');  // Beyond 64 bits: its sign decides.
  }
  return exponent < first - point;
}

// A number too small for the type is a zero of its sign, as in a cast; one too large is none.
template <typename Real>
bool ParseReal(std::string_view text, Real& real) {
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, real);
  if (error == std::errc::result_out_of_range && parsed == end && IsTooSmall(text)) {
    real = text.starts_with('-') ? Real{-0.0} : Real{0};
    return true;
  }
  return error == std::errc() && parsed == end;
}

bool Keep(const std::optional<std::int64_t>& number, JsonValue& into) {
  into.number = number.value_or(0);
  return number.has_value();
}

// A value as one of `type`; false when it is none. `text` is what a string means.
bool Convert(const JsonToken& token, std::string_view text, const arrow::DataType& type,
             JsonValue& into) {
  const bool is_text = token.kind == JsonKind::kString;
  const bool is_number = token.kind == JsonKind::kNumber;
  switch (type.id()) {
    case arrow::Type::BOOL:
      into.number = token.raw == "true" ? 1 : 0;
      return token.kind == JsonKind::kBoolean;
    case arrow::Type::INT32:
      return is_number && ParseWhole(token.raw, into.number) &&
             std::in_range<std::int32_t>(into.number);
    case arrow::Type::INT64:
      return is_number && ParseWhole(token.raw, into.number);
    case arrow::Type::FLOAT: {
      float real = 0;
      const bool fits = is_number && ParseReal(token.raw, real);
      into.real = real;
      return fits;
    }
    case arrow::Type::DOUBLE:
      return is_number && ParseReal(token.raw, into.real);
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      const std::string_view number = is_text ? text : token.raw;
      const std::optional<Int128> unscaled =
          is_text || is_number ? ParseDecimal(number, decimal.precision(), decimal.scale())
                               : std::nullopt;
      into.decimal = unscaled.value_or(0);
      return unscaled.has_value();
    }
    case arrow::Type::DATE32: {
      const std::optional<std::int32_t> days = is_text ? ParseDateDays(text) : std::nullopt;
      into.number = days.value_or(0);
      return days.has_value();
    }
    case arrow::Type::TIME64:
      return is_text && Keep(ParseTimeMicros(text), into);
    case arrow::Type::TIMESTAMP:
      return is_text && Keep(ParseTimestampMicros(text), into);
    case arrow::Type::STRING:
      into.text = text;
      return is_text;
    case arrow::Type::FIXED_SIZE_BINARY: {
      std::optional<std::string> bytes = is_text ? ParseUuidBytes(text) : std::nullopt;
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
  // Unescaped strings of the line. As long as the line from the start, since what `values` hold
  // points into it.
  std::string unescaped;
  int expected_column = 0;  // Objects tend to have their fields in one order.

  std::optional<int> FindColumn(std::string_view name) {
    const int column_count = schema->num_fields();
    if (expected_column < column_count && schema->field(expected_column)->name() == name) {
      return expected_column;
    }
    const auto found = columns.find(name);
    return found == columns.end() ? std::nullopt : std::optional(found->second);
  }

  // What a string means; absent when an escape is none.
  std::optional<std::string_view> TextOf(const JsonToken& token) {
    if (!token.escaped) {
      return token.raw;
    }
    const std::size_t begin = unescaped.size();
    if (!Unescape(token.raw, unescaped)) {
      return std::nullopt;
    }
    return std::string_view(unescaped).substr(begin);
  }

  // One field of the line's object, its name taken. A problem of the column is remembered in
  // `problem`, if it is the first, and reading goes on: whether the line is JSON at all matters
  // more. False: it is not.
  bool TakeField(const JsonToken& name_token, JsonScanner& scanner,
                 std::optional<JsonProblem>& problem) {
    JsonToken token;
    const std::optional<std::string_view> name = TextOf(name_token);
    if (!name || !scanner.TakeValue(token)) {
      return false;
    }
    const std::optional<std::string_view> text =
        token.kind == JsonKind::kString ? TextOf(token) : std::string_view();
    if (!text) {
      return false;
    }
    const std::optional<int> column = FindColumn(*name);
    if (!column) {
      return true;
    }
    expected_column = *column + 1;
    const arrow::Field& wanted = *schema->field(*column);
    JsonValue& value = values[static_cast<std::size_t>(*column)];
    if (value.present) {
      Complain(problem, "the field comes twice", wanted.name());
      return true;
    }
    value.present = true;
    value.null = token.kind == JsonKind::kNull;
    if (!value.null && !Convert(token, *text, *wanted.type(), value)) {
      Complain(problem, fmt::format("not {}", TypeWords(*wanted.type())), wanted.name());
    }
    return true;
  }

  // All of the line's object, its brace taken, to the end of the line. False: it is not JSON.
  bool TakeFields(JsonScanner& scanner, std::optional<JsonProblem>& problem) {
    while (true) {
      JsonToken name;
      switch (scanner.NextField(name)) {
        case JsonScanner::Step::kEnd:
          return scanner.AtEnd();
        case JsonScanner::Step::kMalformed:
          return false;
        case JsonScanner::Step::kField:
          if (!TakeField(name, scanner, problem)) {
            return false;
          }
      }
    }
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
  arrow::util::InitializeUTF8();
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
  impl_->unescaped.clear();
  impl_->unescaped.reserve(line.size());

  if (!arrow::util::ValidateUTF8(line)) {
    return JsonProblem{.reason = "not valid UTF-8", .column = {}};
  }
  JsonScanner scanner(line);
  std::optional<JsonProblem> problem;
  if (!scanner.BeginObject()) {
    JsonToken other;
    const bool is_json = scanner.TakeValue(other) && scanner.AtEnd();
    return JsonProblem{.reason = is_json ? "not a JSON object" : std::string(kNotJson),
                       .column = {}};
  }
  if (!impl_->TakeFields(scanner, problem)) {
    return JsonProblem{.reason = std::string(kNotJson), .column = {}};
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
