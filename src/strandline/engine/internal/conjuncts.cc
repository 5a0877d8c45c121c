#include "strandline/engine/internal/conjuncts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/engine/internal/tokens.h"

namespace strandline::engine {

namespace {

using Json = nlohmann::json;

// A comparison before it is known whose column it is.
struct Comparison {
  std::vector<std::string> column;  // With its qualifiers.
  std::string op;
  std::vector<SqlLiteral> literals;
};

struct Operator {
  std::string_view node;
  std::string_view op;
  std::string_view mirrored;  // With the constant on the left.
};
constexpr std::array<Operator, 6> kOperators = {{{"COMPARE_EQUAL", "=", "="},
                                                 {"COMPARE_NOTEQUAL", "<>", "<>"},
                                                 {"COMPARE_LESSTHAN", "<", ">"},
                                                 {"COMPARE_GREATERTHAN", ">", "<"},
                                                 {"COMPARE_LESSTHANOREQUALTO", "<=", ">="},
                                                 {"COMPARE_GREATERTHANOREQUALTO", ">=", "<="}}};

std::string TextOf(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool IsInteger(std::string_view type) {
  constexpr std::array<std::string_view, 4> kIntegers = {"TINYINT", "SMALLINT", "INTEGER",
                                                         "BIGINT"};
  return std::find(kIntegers.begin(), kIntegers.end(), type) != kIntegers.end();
}

// `15` with scale 1 is `1.5`.
std::string DecimalText(std::int64_t unscaled, std::size_t scale) {
  std::string digits = fmt::format("{:0{}}", unscaled, scale + (unscaled < 0 ? 2 : 1));
  if (scale > 0) {
    digits.insert(digits.size() - scale, 1, '.');
  }
  return digits;
}

std::optional<SqlLiteral> ConstantOf(const Json& node) {
  const auto value = node.find("value");
  if (value == node.end() || value->value("is_null", true) || !value->contains("value")) {
    return std::nullopt;
  }
  const Json& type = value->at("type");
  const Json& content = value->at("value");
  const std::string id = TextOf(type, "id");
  if (IsInteger(id) && content.is_number_integer()) {
    return SqlLiteral{SqlLiteralType::kNumber, content.dump()};
  }
  if (id == "DECIMAL" && content.is_number_integer() && type.contains("type_info")) {
    return SqlLiteral{SqlLiteralType::kNumber,
                      DecimalText(content.get<std::int64_t>(),
                                  type.at("type_info").value("scale", std::size_t{0}))};
  }
  if (id == "DOUBLE" && content.is_number()) {
    return SqlLiteral{SqlLiteralType::kApproximate, content.dump()};
  }
  if (id == "VARCHAR" && content.is_string()) {
    return SqlLiteral{SqlLiteralType::kString, content.get<std::string>()};
  }
  return std::nullopt;
}

std::optional<SqlLiteral> LiteralOf(const Json& node);

std::optional<SqlLiteral> CastLiteralOf(const Json& node) {
  if (node.value("try_cast", false) || !node.contains("child")) {
    return std::nullopt;
  }
  std::optional<SqlLiteral> literal = LiteralOf(node.at("child"));
  if (!literal) {
    return std::nullopt;
  }
  const std::string to = TextOf(node.at("cast_type"), "id");
  if (literal->type == SqlLiteralType::kNumber && IsInteger(to) &&
      literal->text.find('.') == std::string::npos) {
    return literal;
  }
  if (literal->type == SqlLiteralType::kParameter && to == "TIMESTAMP WITH TIME ZONE") {
    return literal;
  }
  if (literal->type != SqlLiteralType::kString) {
    return std::nullopt;
  }
  if (to == "BOOLEAN" && (literal->text == "t" || literal->text == "f")) {
    return SqlLiteral{SqlLiteralType::kBoolean, literal->text == "t" ? "true" : "false"};
  }
  if (to == "DATE") {
    literal->type = SqlLiteralType::kDate;
  } else if (to == "TIMESTAMP") {
    literal->type = SqlLiteralType::kTimestamp;
  } else if (to == "TIMESTAMP WITH TIME ZONE") {
    literal->type = SqlLiteralType::kTimestamptz;
  } else {
    return std::nullopt;
  }
  return literal;
}

std::optional<SqlLiteral> LiteralOf(const Json& node) {
  const std::string kind = TextOf(node, "class");
  if (kind == "CONSTANT") {
    return ConstantOf(node);
  }
  if (kind == "CAST") {
    return CastLiteralOf(node);
  }
  if (kind == "PARAMETER") {
    return SqlLiteral{SqlLiteralType::kParameter, "$" + TextOf(node, "identifier")};
  }
  return std::nullopt;
}

std::vector<std::string> ColumnOf(const Json& node) {
  if (TextOf(node, "class") != "COLUMN_REF") {
    return {};
  }
  return node.at("column_names").get<std::vector<std::string>>();
}

void AddComparison(const Json& column, std::string_view op, const std::vector<const Json*>& values,
                   std::vector<Comparison>& found) {
  Comparison comparison{ColumnOf(column), std::string(op), {}};
  for (const Json* value : values) {
    std::optional<SqlLiteral> literal = LiteralOf(*value);
    if (!literal) {
      return;
    }
    comparison.literals.push_back(*std::move(literal));
  }
  if (!comparison.column.empty()) {
    found.push_back(std::move(comparison));
  }
}

void AddOperator(const Json& node, std::vector<Comparison>& found) {
  const std::string type = TextOf(node, "type");
  const Json& children = node.at("children");
  if (type == "OPERATOR_IS_NULL") {
    AddComparison(children.at(0), "is null", {}, found);
  } else if (type == "OPERATOR_IS_NOT_NULL") {
    AddComparison(children.at(0), "is not null", {}, found);
  } else if (type == "COMPARE_IN" && children.size() > 1) {
    std::vector<const Json*> values;
    for (std::size_t i = 1; i < children.size(); ++i) {
      values.push_back(&children.at(i));
    }
    AddComparison(children.at(0), "in", values, found);
  }
}

// The comparisons that must hold for `condition` to be true.
void AddComparisons(const Json& condition, std::vector<Comparison>& found) {
  const std::string kind = TextOf(condition, "class");
  const std::string type = TextOf(condition, "type");
  if (type == "CONJUNCTION_AND") {
    for (const Json& child : condition.at("children")) {
      AddComparisons(child, found);
    }
  } else if (kind == "BETWEEN" && type == "COMPARE_BETWEEN") {
    AddComparison(condition.at("input"), ">=", {&condition.at("lower")}, found);
    AddComparison(condition.at("input"), "<=", {&condition.at("upper")}, found);
  } else if (kind == "OPERATOR") {
    AddOperator(condition, found);
  } else if (kind == "COMPARISON") {
    for (const Operator& candidate : kOperators) {
      if (candidate.node == type) {
        const Json& left = condition.at("left");
        const Json& right = condition.at("right");
        AddComparison(left, candidate.op, {&right}, found);
        AddComparison(right, candidate.mirrored, {&left}, found);
      }
    }
  }
}

// Which sides of a join a condition may be applied to beforehand.
struct Sides {
  bool left = false;
  bool right = false;
};

bool IsOrdinary(const Json& join) {
  const std::string kind = TextOf(join, "ref_type");
  return kind == "REGULAR" || kind == "CROSS" || kind == "NATURAL";
}

// A condition on the join's result: the sides whose rows come through as they are or not at all.
Sides SidesOfResult(const Json& join) {
  const std::string type = TextOf(join, "join_type");
  if (TextOf(join, "ref_type") == "ASOF") {
    // The right side's rows compete for being the nearest, so all of them are needed.
    return {.left = type == "INNER" || type == "LEFT", .right = false};
  }
  if (!IsOrdinary(join)) {
    return {};
  }
  return {.left = type == "INNER" || type == "LEFT" || type == "SEMI" || type == "ANTI",
          .right = type == "INNER" || type == "RIGHT"};
}

// The join's own condition: the sides whose rows have no effect when it does not hold.
Sides SidesOfCondition(const Json& join) {
  const std::string type = TextOf(join, "join_type");
  if (!IsOrdinary(join)) {
    return {};
  }
  return {.left = type == "INNER" || type == "RIGHT" || type == "SEMI",
          .right = type == "INNER" || type == "LEFT" || type == "SEMI" || type == "ANTI"};
}

class Finder {
 public:
  Finder(const TableMentions& mentions, const std::vector<SqlTable>& tables)
      : mentions_(mentions), tables_(tables) {}

  std::vector<SqlConjunct> Run(const Json& select) && {
    const auto from = select.find("from_table");
    // A sample of the block is drawn before its WHERE.
    if (from == select.end() || select.contains("sample")) {
      return {};
    }
    if (const auto where = select.find("where_clause"); where != select.end()) {
      Attribute(*where, SourcesOf(*from));
    }
    VisitJoins(*from);
    return std::move(found_);
  }

 private:
  using Sources = std::vector<std::size_t>;  // Indexes of tables.

  // The tables whose rows `from` hands on unchanged or drops.
  Sources SourcesOf(const Json& from) const {
    const std::string type = TextOf(from, "type");
    if (type == "BASE_TABLE") {
      const auto mention = mentions_.find(&from);
      const bool plain = !from.contains("sample") && !from.contains("column_name_alias");
      return plain && mention != mentions_.end() ? Sources{mention->second} : Sources{};
    }
    if (type != "JOIN") {
      return {};
    }
    return SourcesOf(from, SidesOfResult(from));
  }

  Sources SourcesOf(const Json& join, Sides sides) const {
    Sources sources = sides.left ? SourcesOf(join.at("left")) : Sources{};
    if (sides.right) {
      const Sources right = SourcesOf(join.at("right"));
      sources.insert(sources.end(), right.begin(), right.end());
    }
    return sources;
  }

  void VisitJoins(const Json& from) {
    if (TextOf(from, "type") != "JOIN") {
      return;
    }
    if (const auto condition = from.find("condition"); condition != from.end()) {
      Attribute(*condition, SourcesOf(from, SidesOfCondition(from)));
    }
    VisitJoins(from.at("left"));
    VisitJoins(from.at("right"));
  }

  bool IsQualifierOf(const std::vector<std::string>& column, std::size_t table) const {
    const SqlTable& candidate = tables_[table];
    if (column.size() == 2) {
      return EqualNames(column[0],
                        candidate.alias.empty() ? candidate.path.back() : candidate.alias);
    }
    return candidate.alias.empty() && column.size() == candidate.path.size() + 1 &&
           std::equal(candidate.path.begin(), candidate.path.end(), column.begin(), EqualNames);
  }

  void Attribute(const Json& condition, const Sources& sources) {
    std::vector<Comparison> comparisons;
    AddComparisons(condition, comparisons);
    for (const Comparison& comparison : comparisons) {
      Sources owners;
      for (const std::size_t source : sources) {
        if (comparison.column.size() == 1 || IsQualifierOf(comparison.column, source)) {
          owners.push_back(source);
        }
      }
      if (comparison.column.size() > 1 && owners.size() > 1) {
        continue;  // Two tables of one name: whose column it is cannot be told.
      }
      for (const std::size_t owner : owners) {
        found_.push_back({owner, comparison.column.back(), comparison.op, comparison.literals});
      }
    }
  }

  const TableMentions& mentions_;
  const std::vector<SqlTable>& tables_;
  std::vector<SqlConjunct> found_;
};

}  // namespace

std::vector<SqlConjunct> ConjunctsOf(const Json& select, const TableMentions& mentions,
                                     const std::vector<SqlTable>& tables) {
  return Finder(mentions, tables).Run(select);
}

}  // namespace strandline::engine
