#include "strandline/engine/internal/statement_tree.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "strandline/engine/internal/tokens.h"

namespace strandline::engine {

namespace {

using Json = nlohmann::json;

std::string TextOf(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::size_t FirstToken(std::string_view sql) {
  const std::vector<Token> tokens = Tokenize(sql);
  return tokens.empty() ? 0 : tokens.front().offset;
}

// The first token after a `;`.
std::size_t SecondStatement(std::string_view sql) {
  const std::vector<Token> tokens = Tokenize(sql);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i - 1].text == ";" && tokens[i].text != ";") {
      return tokens[i].offset;
    }
  }
  return 0;
}

Error RefusalOf(std::string_view sql, const Json& answer, SqlPosition* at) {
  std::string message = TextOf(answer, "error_message");
  const std::string position = TextOf(answer, "position");
  std::size_t offset = 0;
  if (std::from_chars(position.data(), position.data() + position.size(), offset).ec !=
      std::errc()) {
    offset = FirstToken(sql);
  }
  if (message.starts_with("Only SELECT")) {
    message = "this is not a SELECT, and only one SELECT can be run here";
  }
  return ErrorAt(sql, offset, message, at);
}

}  // namespace

Error ErrorAt(std::string_view sql, std::size_t offset, std::string_view message, SqlPosition* at) {
  const SqlPosition position = PositionOf(sql, offset);
  if (at != nullptr) {
    *at = position;
  }
  return MakeError(ErrorKind::kInvalidArgument, "{}:{}: {}", position.line, position.column,
                   message);
}

Result<Json> StatementTree(std::string_view sql, std::string_view tree, SqlPosition* at) {
  Json answer = Json::parse(tree, nullptr, false);
  if (!answer.is_object()) {
    return ErrorAt(sql, 0, "the engine's parser gave no answer", at);
  }
  if (answer.value("error", false)) {
    return RefusalOf(sql, answer, at);
  }
  const auto statements = answer.find("statements");
  if (statements == answer.end() || statements->empty()) {
    return ErrorAt(sql, 0, "there is no statement here", at);
  }
  if (statements->size() > 1) {
    return ErrorAt(sql, SecondStatement(sql),
                   "a second statement starts here, and only one SELECT can be run", at);
  }
  return std::move(statements->at(0));
}

}  // namespace strandline::engine
