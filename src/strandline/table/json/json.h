#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "strandline/base/result.h"

namespace strandline::table {

using Json = nlohmann::json;

// JSON that others wrote, with errors that name the member. Everything here fails with kCorrupt;
// nothing throws. Only for the .cc files of the table room: keep it out of their headers.

// Deeper nesting is refused, so that no file can exhaust the stack of what reads it.
inline constexpr int kJsonDepthMax = 512;

Result<Json> ParseJson(std::string_view text);

// One line. Bytes that are no UTF-8 become U+FFFD: JSON cannot hold them.
std::string JsonText(const Json& json);

// The JSON of a text that we made ourselves with JsonText() (checked).
Json JsonOfOurs(std::string_view text);

Status CheckObject(const Json& json, std::string_view what);
Status CheckArray(const Json& json, std::string_view what);

// A member of an object; null when it is missing or JSON's null.
const Json* FindMember(const Json& object, const char* name);

// The value of an array's item; `name` is for messages.
Result<std::int32_t> Int32Of(const Json& json, std::string_view name);

Result<std::int64_t> Int64Member(const Json& object, const char* name);
Result<std::int32_t> Int32Member(const Json& object, const char* name);
Result<std::string> StringMember(const Json& object, const char* name);
Result<bool> BoolMember(const Json& object, const char* name);

// Absent when the member is missing or null.
Result<std::optional<std::int64_t>> OptionalInt64Member(const Json& object, const char* name);
Result<std::optional<std::int32_t>> OptionalInt32Member(const Json& object, const char* name);
Result<std::optional<std::string>> OptionalStringMember(const Json& object, const char* name);

// The array of this name.
Result<const Json*> ArrayMember(const Json& object, const char* name);
// An empty array when it is missing or null.
Result<const Json*> OptionalArrayMember(const Json& object, const char* name);

// An object of strings, empty when it is missing or null. Numbers and booleans, which some writers
// leave unquoted, become their text; null members are left out.
Result<std::map<std::string, std::string>> StringMapMember(const Json& object, const char* name);

}  // namespace strandline::table
