#include "strandline/engine/duckdb/internal/failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/engine/internal/near_name.h"
#include "strandline/engine/internal/tokens.h"

namespace strandline::engine {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kWrappedPrefix = "strandline_output_";

struct Failure {
  std::string type;  // `Binder`, `Conversion`, ...
  std::string message;
  std::string subtype = {};
  std::string name = {};
  std::vector<std::string> candidates = {};
  std::optional<std::size_t> offset = {};
};

std::string TextOf(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) {
      part.remove_prefix(1);
    }
    parts.emplace_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

Failure ParseFailure(std::string_view raw) {
  const std::size_t brace = raw.find('{');
  Json json;
  if (brace != std::string_view::npos) {
    json = Json::parse(raw.substr(brace), nullptr, false);
  }
  if (!json.is_object() || !json.contains("exception_message")) {
    // `Conversion Error: ...`
    const std::size_t end = raw.find(" Error: ");
    const bool typed = end != std::string_view::npos;
    return {.type = std::string(typed ? raw.substr(0, end) : std::string_view()),
            .message = std::string(typed ? raw.substr(end + 8) : raw)};
  }
  Failure failure = {.type = TextOf(json, "exception_type"),
                     .message = TextOf(json, "exception_message"),
                     .subtype = TextOf(json, "error_subtype"),
                     .name = TextOf(json, "name"),
                     .candidates = Split(TextOf(json, "candidates"))};
  const std::string position = TextOf(json, "position");
  std::size_t offset = 0;
  if (std::from_chars(position.data(), position.data() + position.size(), offset).ec ==
      std::errc()) {
    failure.offset = offset;
  }
  return failure;
}

struct TypeKind {
  std::string_view type;
  ErrorKind kind;
};
constexpr std::array<TypeKind, 7> kKinds = {{{"Out of Memory", ErrorKind::kUnavailable},
                                             {"IO", ErrorKind::kUnavailable},
                                             {"INTERRUPT", ErrorKind::kCancelled},
                                             {"Interrupt", ErrorKind::kCancelled},
                                             {"Not implemented", ErrorKind::kUnsupported},
                                             {"INTERNAL", ErrorKind::kUnsupported},
                                             {"FATAL", ErrorKind::kUnsupported}}};

ErrorKind KindOf(std::string_view type) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                   [type](const TypeKind& k) { return k.type == type; });
  return found == kKinds.end() ? ErrorKind::kInvalidArgument : found->kind;
}

constexpr std::size_t kSentenceBytesMax = 1000;

// One line, without the engine's drawing of the place and its list of every signature.
std::string OneLine(std::string_view message) {
  message = message.substr(0, message.find("\n\nLINE "));
  message = message.substr(0, message.find("\n\tCandidate"));
  message = message.substr(0, kSentenceBytesMax);
  std::string line;
  for (const char c : message) {
    if (c != '\n') {
      line.push_back(c);
    } else if (!line.empty() && line.back() != ' ') {
      line += line.back() == '!' || line.back() == '.' || line.back() == ':' ? " " : "; ";
    }
  }
  while (!line.empty() && (line.back() == '!' || line.back() == ' ' || line.back() == '.')) {
    line.pop_back();
  }
  return line;
}

std::string NotThere(std::string_view what, const Failure& failure) {
  const std::optional<std::string> near = NearName(failure.name, failure.candidates);
  return fmt::format("there is no {} `{}`{}", what, failure.name,
                     near ? fmt::format(": did you mean `{}`?", *near) : "");
}

// Puts the user's names for the outputs where ours stand.
std::string WithUserNames(std::string message, const std::vector<std::string>& names) {
  std::size_t at = message.find(kWrappedPrefix);
  while (at != std::string::npos) {
    const char* const digits = message.data() + at + kWrappedPrefix.size();
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(digits, message.data() + message.size(), index);
    if (error == std::errc() && index < names.size()) {
      message.replace(at, static_cast<std::size_t>(end - message.data()) - at,
                      fmt::format("`{}`", names[index]));
    }
    at = message.find(kWrappedPrefix, at + 1);
  }
  return message;
}

std::string Sentence(const Failure& failure, const FailureContext& context) {
  if (failure.subtype == "COLUMN_NOT_FOUND" && !failure.name.empty()) {
    std::string sentence = NotThere("column", failure);
    if (!sentence.ends_with('?') && !failure.candidates.empty()) {
      sentence += fmt::format("; near ones are {}", fmt::join(failure.candidates, ", "));
    }
    return sentence;
  }
  if (failure.subtype == "MISSING_ENTRY" && failure.message.find("Function") != std::string::npos) {
    return NotThere("function", failure);
  }
  if (failure.type == "Out of Memory") {
    return "not enough memory and spill space: " + OneLine(failure.message);
  }
  if (KindOf(failure.type) == ErrorKind::kCancelled) {
    return "the statement was stopped";
  }
  return WithUserNames(OneLine(failure.message), context.output_names);
}

}  // namespace

std::string WrappedName(std::size_t index) { return fmt::format("{}{}", kWrappedPrefix, index); }

Error FailureOf(const char* message, const FailureContext& context) {
  const Failure failure = ParseFailure(message == nullptr ? "the engine gave no reason" : message);
  std::string sentence = Sentence(failure, context);
  if (failure.offset && *failure.offset >= context.prefix) {
    const std::size_t edited = *failure.offset - context.prefix;
    const std::size_t offset =
        context.edited == nullptr ? edited : context.edited->OriginalOffset(edited);
    const SqlPosition position = PositionOf(context.sql, offset);
    sentence = fmt::format("{}:{}: {}", position.line, position.column, sentence);
  }
  return Error{KindOf(failure.type), std::move(sentence)};
}

}  // namespace strandline::engine
