#include "strandline/engine/internal/outline.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/engine/internal/conjuncts.h"
#include "strandline/engine/internal/statement_tree.h"
#include "strandline/engine/internal/tokens.h"

namespace strandline::engine {

namespace {

using Json = nlohmann::json;

// Values that SQL lets one write like columns.
constexpr std::array<std::string_view, 11> kValueFunctions = {
    "current_catalog", "current_date",      "current_role", "current_schema",
    "current_time",    "current_timestamp", "current_user", "localtime",
    "localtimestamp",  "session_user",      "user"};

std::string TextOf(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool IsTrue(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_boolean() && found->get<bool>();
}

// Names that a part of the text can see: CTEs, or the parameters of a lambda.
struct Scope {
  const Scope* outer = nullptr;
  std::vector<std::string> ctes;
  std::vector<std::string> lambda_parameters;
};

bool Holds(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [name](const std::string& candidate) { return EqualNames(candidate, name); });
}

bool SeesCte(const Scope* scope, std::string_view name) {
  for (; scope != nullptr; scope = scope->outer) {
    if (Holds(scope->ctes, name)) {
      return true;
    }
  }
  return false;
}

bool IsLambdaParameter(const Scope* scope, std::string_view name) {
  for (; scope != nullptr; scope = scope->outer) {
    if (Holds(scope->lambda_parameters, name)) {
      return true;
    }
  }
  return false;
}

template <typename T>
struct Placed {
  std::size_t offset = 0;
  T value;
};

class Outliner {
 public:
  explicit Outliner(std::string_view sql) : sql_(sql), tokens_(Tokenize(sql)) {}

  Result<SqlOutline> Run(const Json& node, SqlPosition* at) && {
    Visit(node, {}, 0);
    if (failure_) {
      return ErrorAt(sql_, failure_->offset, failure_->value, at);
    }
    if (time_travel_) {
      Error error = ErrorAt(sql_, *time_travel_, "time travel (`at (...)`) is not supported", at);
      error.kind = ErrorKind::kUnsupported;
      return error;
    }
    FinishTables();
    FinishFunctions();
    FinishColumns();
    FinishLimit();
    FinishOutputNames(node);
    FinishParameters();
    return std::move(outline_);
  }

 private:
  // Visits whatever stands below `node`; `offset` is the nearest known place around it.
  void Visit(const Json& node, const Scope& scope, std::size_t offset) {
    if (node.is_array()) {
      for (const Json& child : node) {
        Visit(child, scope, offset);
      }
      return;
    }
    if (!node.is_object()) {
      return;
    }
    const std::size_t here = OffsetOf(node).value_or(offset);
    const std::string type = TextOf(node, "type");
    if (type == "BASE_TABLE") {
      VisitTable(node, scope, here);
    } else if (type == "SHOW_REF") {
      Fail(here, "only one SELECT can be run here, and no DESCRIBE, SHOW or SUMMARIZE");
    } else if (type == "RECURSIVE_CTE_NODE") {
      VisitRecursive(node, scope, here);
    } else if (node.contains("cte_map")) {
      VisitWithCtes(node, scope, here);
    } else if (type == "LAMBDA") {
      VisitLambda(node, scope, here);
    } else {
      VisitPlain(node, type, scope, here);
    }
  }

  void VisitPlain(const Json& node, const std::string& type, const Scope& scope, std::size_t here) {
    const std::string kind = TextOf(node, "class");
    if (kind == "COLUMN_REF") {
      AddReference(node, scope, here);
    } else if (kind == "STAR") {
      AddStar(node);
    } else if (kind == "FUNCTION" || kind == "WINDOW") {
      AddFunction(node, kind == "WINDOW", here);
    } else if (type == "TABLE_FUNCTION") {
      table_functions_.push_back({here, LowerCase(TextOf(node.at("function"), "function_name"))});
      AddQualifier(node);
    } else if (type == "JOIN") {
      AddJoin(node);
    } else if (type == "SUBQUERY") {
      AddQualifier(node);
    }
    AddModifiers(node, here);
    AddSample(node, here);
    VisitChildren(node, scope, here);
    if (type == "SELECT_NODE") {
      selects_.push_back(&node);
    }
  }

  void VisitChildren(const Json& node, const Scope& scope, std::size_t here) {
    for (const auto& [key, child] : node.items()) {
      if (key != "cte_map") {
        Visit(child, scope, here);
      }
    }
  }

  // Each CTE sees those before it; the query sees all of them.
  void VisitWithCtes(const Json& node, const Scope& outer, std::size_t here) {
    Scope scope{&outer, {}, {}};
    const Json& ctes = node.at("cte_map");
    if (const auto map = ctes.find("map"); map != ctes.end()) {
      for (const Json& entry : *map) {
        Visit(entry.at("value"), scope, here);
        scope.ctes.push_back(entry.at("key").get<std::string>());
        qualifiers_.push_back(scope.ctes.back());
      }
    }
    VisitPlain(node, TextOf(node, "type"), scope, here);
  }

  // Only the part after `union` sees the CTE itself.
  void VisitRecursive(const Json& node, const Scope& outer, std::size_t here) {
    Scope scope{&outer, {TextOf(node, "cte_name")}, {}};
    for (const auto& [key, child] : node.items()) {
      Visit(child, key == "left" ? outer : scope, here);
    }
  }

  void VisitLambda(const Json& node, const Scope& outer, std::size_t here) {
    Scope scope{&outer, {}, {}};
    const auto add = [&scope](const Json& parameter) {
      if (const auto names = parameter.find("column_names"); names != parameter.end()) {
        scope.lambda_parameters.push_back(names->at(0).get<std::string>());
      }
    };
    if (const auto left = node.find("lhs"); left != node.end()) {
      add(*left);
      if (const auto several = left->find("children"); several != left->end()) {
        std::for_each(several->begin(), several->end(), add);
      }
    }
    if (const auto body = node.find("expr"); body != node.end()) {
      Visit(*body, scope, here);
    }
  }

  void VisitTable(const Json& node, const Scope& scope, std::size_t here) {
    SqlTable table;
    for (const char* key : {"catalog_name", "schema_name", "table_name"}) {
      if (std::string part = TextOf(node, key); !part.empty()) {
        table.path.push_back(std::move(part));
      }
    }
    table.alias = TextOf(node, "alias");
    AddQualifier(node);
    AddSample(node, here);
    if (node.contains("at_clause") && !time_travel_) {
      time_travel_ = here;
    }
    if (table.path.size() == 1 && SeesCte(&scope, table.path.front())) {
      return;
    }
    if (!OffsetOf(node)) {
      Fail(here,
           fmt::format("the place of table `{}` in the text is not known", table.path.back()));
    }
    if (table.path.empty()) {
      return;
    }
    qualifiers_.push_back(table.path.back());
    table.at = PositionOf(sql_, here);
    tables_.push_back({here, {std::move(table), &node}});
  }

  void AddQualifier(const Json& node) {
    if (std::string alias = TextOf(node, "alias"); !alias.empty()) {
      qualifiers_.push_back(std::move(alias));
    }
  }

  void AddReference(const Json& node, const Scope& scope, std::size_t here) {
    auto parts = node.at("column_names").get<std::vector<std::string>>();
    if (parts.empty() || IsLambdaParameter(&scope, parts.front())) {
      return;
    }
    const bool quoted = here < sql_.size() && sql_[here] == '"';
    const std::string name = LowerCase(parts.front());
    if (parts.size() == 1 && !quoted &&
        std::find(kValueFunctions.begin(), kValueFunctions.end(), name) != kValueFunctions.end()) {
      SqlFunction function;
      function.name = name;
      functions_.push_back({here, std::move(function)});
    }
    references_.push_back({std::move(parts), here});
  }

  void AddStar(const Json& node) {
    outline_.analysis.reads_all_columns = true;
    if (const auto excluded = node.find("exclude_list"); excluded != node.end()) {
      for (const Json& name : *excluded) {
        if (name.is_string()) {
          AddColumn(name.get<std::string>());
        }
      }
    }
  }

  void AddJoin(const Json& node) {
    if (TextOf(node, "ref_type") == "NATURAL") {
      outline_.analysis.reads_all_columns = true;
    }
    if (const auto columns = node.find("using_columns"); columns != node.end()) {
      for (const Json& name : *columns) {
        AddColumn(name.get<std::string>());
      }
    }
    AddQualifier(node);
  }

  void AddFunction(const Json& node, bool windowed, std::size_t here) {
    if (IsTrue(node, "is_operator")) {
      return;
    }
    SqlFunction function;
    function.name = LowerCase(TextOf(node, "function_name"));
    function.distinct = IsTrue(node, "distinct");
    function.windowed = windowed;
    const auto order = node.find("order_bys");
    function.ordered = (order != node.end() && order->contains("orders")) ||
                       node.contains("orders") || node.contains("arg_orders");
    functions_.push_back({here, std::move(function)});
  }

  void AddModifiers(const Json& node, std::size_t here) {
    const auto modifiers = node.find("modifiers");
    if (modifiers == node.end()) {
      return;
    }
    bool ordered = false;
    std::optional<std::size_t> cut;
    for (const Json& modifier : *modifiers) {
      const std::string type = TextOf(modifier, "type");
      ordered = ordered || type == "ORDER_MODIFIER";
      for (const char* key : {"limit", "offset"}) {
        if (const auto part = modifier.find(key); part != modifier.end() && !cut) {
          cut = OffsetOf(*part).value_or(here);
        }
      }
      if (const auto targets = modifier.find("distinct_on_targets");
          targets != modifier.end() && !targets->empty() && !cut) {
        cut = OffsetOf(targets->at(0)).value_or(here);
      }
    }
    if (cut) {
      limits_.push_back({*cut, ordered});
    }
  }

  void AddSample(const Json& node, std::size_t here) {
    if (node.contains("sample") && !outline_.analysis.sample_at) {
      outline_.analysis.sample_at = PositionOf(sql_, here);
    }
  }

  void AddColumn(std::string_view name) {
    std::string lower = LowerCase(name);
    if (column_set_.insert(lower).second) {
      outline_.analysis.column_names.push_back(std::move(lower));
    }
  }

  void FinishTables() {
    std::stable_sort(tables_.begin(), tables_.end(),
                     [](const auto& a, const auto& b) { return a.offset < b.offset; });
    TableMentions mentions;
    for (Placed<std::pair<SqlTable, const Json*>>& table : tables_) {
      mentions.emplace(table.value.second, outline_.analysis.tables.size());
      outline_.analysis.tables.push_back(std::move(table.value.first));
      outline_.table_offsets.push_back(table.offset);
    }
    for (const Json* select : selects_) {
      std::vector<SqlConjunct> found = ConjunctsOf(*select, mentions, outline_.analysis.tables);
      std::move(found.begin(), found.end(), std::back_inserter(outline_.analysis.conjuncts));
    }
  }

  void FinishFunctions() {
    const auto earlier = [](const auto& a, const auto& b) { return a.offset < b.offset; };
    std::stable_sort(functions_.begin(), functions_.end(), earlier);
    for (Placed<SqlFunction>& function : functions_) {
      function.value.at = PositionOf(sql_, function.offset);
      outline_.analysis.functions.push_back(std::move(function.value));
    }
    std::stable_sort(table_functions_.begin(), table_functions_.end(), earlier);
    for (Placed<std::string>& name : table_functions_) {
      outline_.analysis.table_functions.push_back(std::move(name.value));
    }
  }

  // How many leading parts of a reference name a table rather than a column.
  std::size_t QualifierLength(const std::vector<std::string>& parts) const {
    for (const SqlTable& table : outline_.analysis.tables) {
      const std::size_t length = table.path.size();
      if (length > 1 && table.alias.empty() && length < parts.size() &&
          std::equal(table.path.begin(), table.path.end(), parts.begin(), EqualNames)) {
        return length;
      }
    }
    return parts.size() > 1 && Holds(qualifiers_, parts.front()) ? 1 : 0;
  }

  void FinishColumns() {
    std::stable_sort(references_.begin(), references_.end(),
                     [](const auto& a, const auto& b) { return a.offset < b.offset; });
    for (QualifiedReference& reference : references_) {
      AddColumn(reference.parts[QualifierLength(reference.parts)]);
      if (reference.parts.size() > 1) {
        outline_.references.push_back(std::move(reference));
      } else if (Holds(qualifiers_, reference.parts.front())) {
        outline_.analysis.reads_all_columns = true;  // A row as one value.
      }
    }
  }

  void FinishLimit() {
    std::stable_sort(limits_.begin(), limits_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.value, a.offset) < std::pair(b.value, b.offset);
    });
    if (!limits_.empty()) {
      outline_.analysis.limit_at = PositionOf(sql_, limits_.front().offset);
      outline_.analysis.limit_has_order = limits_.front().value;
    }
  }

  void FinishOutputNames(const Json& node) {
    const Json* select = &node;
    while (select->contains("left") && !select->contains("select_list")) {
      select = &select->at("left");  // A union is named by its first part.
    }
    const auto list = select->find("select_list");
    if (list == select->end()) {
      return;
    }
    for (const Json& item : *list) {
      std::string name = TextOf(item, "alias");
      if (name.empty() && TextOf(item, "class") == "COLUMN_REF") {
        name = item.at("column_names").back().get<std::string>();
      }
      outline_.analysis.output_names.push_back(std::move(name));
    }
  }

  void FinishParameters() {
    std::vector<std::string>& parameters = outline_.analysis.parameters;
    for (const Token& token : tokens_) {
      if (token.kind == TokenKind::kParameter) {
        std::string name(token.text.substr(token.text.front() == '$' ? 1 : 0));
        if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
          parameters.push_back(std::move(name));
        }
      }
    }
  }

  std::optional<std::size_t> OffsetOf(const Json& node) const {
    const auto found = node.find("query_location");
    if (found == node.end() || !found->is_number_unsigned()) {
      return std::nullopt;
    }
    const auto offset = found->get<std::size_t>();
    return offset < sql_.size() ? std::optional(offset) : std::nullopt;
  }

  void Fail(std::size_t offset, std::string message) {
    if (!failure_) {
      failure_ = {offset, std::move(message)};
    }
  }

  std::string_view sql_;
  std::vector<Token> tokens_;
  SqlOutline outline_;

  std::vector<Placed<std::pair<SqlTable, const Json*>>> tables_;
  std::vector<Placed<SqlFunction>> functions_;
  std::vector<Placed<std::string>> table_functions_;
  std::vector<QualifiedReference> references_;
  std::vector<Placed<bool>> limits_;  // Whether it has an order.
  std::vector<std::string> qualifiers_;
  std::vector<const Json*> selects_;
  std::set<std::string> column_set_;
  std::optional<Placed<std::string>> failure_;
  std::optional<std::size_t> time_travel_;
};

}  // namespace

Result<SqlOutline> OutlineOf(std::string_view sql, std::string_view tree, SqlPosition* at) {
  const Json root = SL_TRY(StatementTree(sql, tree, at));
  try {
    return Outliner(sql).Run(root.at("node"), at);
  } catch (const Json::exception& exception) {
    return ErrorAt(
        sql, 0, fmt::format("the engine's parser gave an unknown tree: {}", exception.what()), at);
  }
}

}  // namespace strandline::engine
