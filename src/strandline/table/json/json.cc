#include "strandline/table/json/json.h"

#include <algorithm>
#include <limits>

namespace strandline::table {
namespace {

constexpr std::size_t kTextShownMax = 60;

int DepthOf(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

std::string Shown(const Json& json) {
  std::string text = JsonText(json);
  if (text.size() > kTextShownMax) {
    text.resize(kTextShownMax);
    text += "...";
  }
  return text;
}

Error WrongType(std::string_view name, std::string_view expected, const Json& found) {
  return MakeError(ErrorKind::kCorrupt, "{}: expected {}, found {}", name, expected, Shown(found));
}

Result<const Json*> Member(const Json& object, const char* name) {
  SL_TRY(CheckObject(object, "JSON"));
  const Json* member = FindMember(object, name);
  if (member == nullptr) {
    return MakeError(ErrorKind::kCorrupt, "{} is missing", name);
  }
  return member;
}

Result<std::int64_t> Int64Of(const Json& json, std::string_view name) {
  const bool fits =
      json.is_number_integer() &&
      (!json.is_number_unsigned() ||
       json.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  if (!fits) {
    return WrongType(name, "a whole number of 64 bits", json);
  }
  return json.get<std::int64_t>();
}

Result<std::string> StringOf(const Json& json, std::string_view name) {
  if (!json.is_string()) {
    return WrongType(name, "a string", json);
  }
  return json.get<std::string>();
}

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  if (DepthOf(text) > kJsonDepthMax) {
    return MakeError(ErrorKind::kCorrupt, "JSON nested more than {} levels deep", kJsonDepthMax);
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return MakeError(ErrorKind::kCorrupt, "not JSON: '{}'", text.substr(0, kTextShownMax));
  }
  return json;
}

std::string JsonText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json JsonOfOurs(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  SL_CHECK(!json.is_discarded());
  return json;
}

Status CheckObject(const Json& json, std::string_view what) {
  if (!json.is_object()) {
    return WrongType(what, "an object", json);
  }
  return {};
}

Status CheckArray(const Json& json, std::string_view what) {
  if (!json.is_array()) {
    return WrongType(what, "an array", json);
  }
  return {};
}

const Json* FindMember(const Json& object, const char* name) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<std::int32_t> Int32Of(const Json& json, std::string_view name) {
  const Result<std::int64_t> value = Int64Of(json, name);
  if (!value || *value < std::numeric_limits<std::int32_t>::min() ||
      *value > std::numeric_limits<std::int32_t>::max()) {
    return WrongType(name, "a whole number of 32 bits", json);
  }
  return static_cast<std::int32_t>(*value);
}

Result<std::int64_t> Int64Member(const Json& object, const char* name) {
  const Json* const member = SL_TRY(Member(object, name));
  return Int64Of(*member, name);
}

Result<std::int32_t> Int32Member(const Json& object, const char* name) {
  const Json* const member = SL_TRY(Member(object, name));
  return Int32Of(*member, name);
}

Result<std::string> StringMember(const Json& object, const char* name) {
  const Json* const member = SL_TRY(Member(object, name));
  return StringOf(*member, name);
}

Result<bool> BoolMember(const Json& object, const char* name) {
  const Json* const member = SL_TRY(Member(object, name));
  if (!member->is_boolean()) {
    return WrongType(name, "true or false", *member);
  }
  return member->get<bool>();
}

Result<std::optional<std::int64_t>> OptionalInt64Member(const Json& object, const char* name) {
  const Json* const member = FindMember(object, name);
  if (member == nullptr) {
    return std::optional<std::int64_t>();
  }
  std::optional<std::int64_t> value = SL_TRY(Int64Of(*member, name));
  return value;
}

Result<std::optional<std::int32_t>> OptionalInt32Member(const Json& object, const char* name) {
  const Json* const member = FindMember(object, name);
  if (member == nullptr) {
    return std::optional<std::int32_t>();
  }
  std::optional<std::int32_t> value = SL_TRY(Int32Of(*member, name));
  return value;
}

Result<std::optional<std::string>> OptionalStringMember(const Json& object, const char* name) {
  const Json* const member = FindMember(object, name);
  if (member == nullptr) {
    return std::optional<std::string>();
  }
  std::optional<std::string> value = SL_TRY(StringOf(*member, name));
  return value;
}

Result<const Json*> ArrayMember(const Json& object, const char* name) {
  const Json* const member = SL_TRY(Member(object, name));
  SL_TRY(CheckArray(*member, name));
  return member;
}

Result<const Json*> OptionalArrayMember(const Json& object, const char* name) {
  static const Json empty = Json::array();
  const Json* const member = FindMember(object, name);
  if (member == nullptr) {
    return &empty;
  }
  SL_TRY(CheckArray(*member, name));
  return member;
}

Result<std::map<std::string, std::string>> StringMapMember(const Json& object, const char* name) {
  std::map<std::string, std::string> map;
  const Json* const member = FindMember(object, name);
  if (member == nullptr) {
    return map;
  }
  SL_TRY(CheckObject(*member, name));
  for (const auto& [key, value] : member->items()) {
    if (value.is_string()) {
      map.emplace(key, value.get<std::string>());
    } else if (value.is_number() || value.is_boolean()) {
      map.emplace(key, JsonText(value));
    } else if (!value.is_null()) {
      return WrongType(fmt::format("{}.{}", name, key), "a string", value);
    }
  }
  return map;
}

}  // namespace strandline::table
