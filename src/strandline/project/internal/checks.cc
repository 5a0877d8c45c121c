#include "strandline/project/internal/checks.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strandline/project/internal/expression_rules.h"
#include "strandline/project/internal/settings.h"
#include "strandline/project/internal/values.h"

namespace strandline::project::internal {
namespace {

constexpr CheckKind kKinds[] = {CheckKind::kNotNull,        CheckKind::kUnique,
                                CheckKind::kAcceptedValues, CheckKind::kRowCount,
                                CheckKind::kExpression,     CheckKind::kReconcile};

// Reads what stands behind the name of one kind of check. False: reported.
class CheckReader {
 public:
  CheckReader(const YamlEntry& entry, const CheckContext& context, ProblemList& problems)
      : entry_(entry), parser_(context.parser), columns_(context.columns), problems_(problems) {}

  bool ReadInto(Check& check) {
    switch (check.kind) {
      case CheckKind::kNotNull:
      case CheckKind::kUnique:
        return ReadColumns(check);
      case CheckKind::kAcceptedValues:
        return ReadAcceptedValues(check);
      case CheckKind::kRowCount:
        return ReadRowCount(check);
      case CheckKind::kExpression:
        return ReadExpression(check);
      case CheckKind::kReconcile:
        return ReadReconcile(check);
    }
    return false;
  }

 private:
  bool ReadColumns(Check& check) {
    const auto columns = ReadColumnList(&entry_, problems_);
    if (!columns) {
      return false;
    }
    CheckColumns(*columns);
    check.columns = TextsOf(*columns);
    return true;
  }

  bool ReadAcceptedValues(Check& check) {
    Settings settings(entry_.value, "`accepted_values`", problems_);
    const YamlEntry* column_entry = settings.Require("column");
    const auto column = ReadColumnName(column_entry, problems_);
    const auto values = ReadTextList(settings.Require("values"), problems_);
    settings.Finish();
    if (!column || !values) {
      return false;
    }
    CheckColumns({{.text = *column, .at = column_entry->value.at}});
    check.columns = {*column};
    check.values = TextsOf(*values);
    return true;
  }

  bool ReadRowCount(Check& check) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    Settings settings(entry_.value, "`row_count`", problems_);
    check.min = ReadInteger(settings.Find("min"), 0, kMax, problems_);
    check.max = ReadInteger(settings.Find("max"), 0, kMax, problems_);
    settings.Finish();
    if (!check.min && !check.max) {
      if (settings.is_mapping() && entry_.value.entries.empty()) {
        problems_.Error(entry_.value.at, "`row_count` needs `min` or `max`");
      }
      return false;
    }
    if (check.min && check.max && *check.min > *check.max) {
      problems_.Error(entry_.value.at, "`row_count` has a `min` of {} above its `max` of {}",
                      *check.min, *check.max);
      return false;
    }
    return true;
  }

  bool ReadExpression(Check& check) {
    const auto expression = ReadText(&entry_, problems_);
    if (!expression ||
        !CheckRowExpression(parser_, *expression, columns_, entry_.value.at, problems_)) {
      return false;
    }
    check.expression = *expression;
    return true;
  }

  bool ReadReconcile(Check& check) {
    Settings settings(entry_.value, "`reconcile`", problems_);
    check.with = ReadTableName(settings.Require("with"), problems_);
    const YamlEntry* theirs = settings.Require("theirs");
    const YamlEntry* ours = settings.Require("ours");
    const auto their_text = ReadText(theirs, problems_);
    const auto our_text = ReadText(ours, problems_);
    const YamlEntry* by_entry = settings.Find("by");
    const auto by = ReadColumnList(by_entry, problems_);
    check.tolerance = ReadNumber(settings.Find("tolerance"), problems_).value_or(0);
    settings.Finish();
    if (by) {
      CheckColumns(*by);
      check.by = TextsOf(*by);
    }
    const bool is_complete = check.with && their_text && our_text && (by || by_entry == nullptr);
    if (!is_complete) {
      return false;
    }
    // Their columns are another table's.
    const bool theirs_fits =
        CheckAggregateExpression(parser_, *their_text, KnownColumns{}, theirs->value.at, problems_);
    const bool ours_fits =
        CheckAggregateExpression(parser_, *our_text, columns_, ours->value.at, problems_);
    check.theirs = *their_text;
    check.ours = *our_text;
    return theirs_fits && ours_fits;
  }

  void CheckColumns(const std::vector<PlacedText>& named) {
    for (const PlacedText& column : named) {
      CheckColumnExists(column.text, fmt::format("the check `{}`", entry_.key), columns_, column.at,
                        problems_);
    }
  }

  const YamlEntry& entry_;
  engine::SqlParser& parser_;
  const KnownColumns& columns_;
  ProblemList& problems_;
};

std::string DefaultId(const Check& check) {
  switch (check.kind) {
    case CheckKind::kNotNull:
    case CheckKind::kUnique:
    case CheckKind::kAcceptedValues:
      return fmt::format("{}:{}", ToString(check.kind), fmt::join(check.columns, ","));
    case CheckKind::kRowCount:
      return std::string(ToString(check.kind));
    case CheckKind::kExpression:
      return fmt::format("{}:{}", ToString(check.kind), check.expression);
    case CheckKind::kReconcile:
      return fmt::format("{}:{}", ToString(check.kind), catalog::ToString(*check.with));
  }
  return {};
}

std::optional<Check> ReadCheck(const YamlValue& value, const CheckContext& context,
                               ProblemList& problems) {
  Settings settings(value, "a check", problems);
  if (!settings.is_mapping()) {
    return std::nullopt;
  }
  Check check;
  check.at = value.at;
  const YamlEntry* kind_entry = nullptr;
  bool has_one_kind = true;
  for (const CheckKind kind : kKinds) {
    const YamlEntry* entry = settings.Find(ToString(kind));
    if (entry != nullptr && kind_entry != nullptr) {
      problems.Error(entry->key_at,
                     "one check is one kind: this one is a `{}` already, begin another item with "
                     "`- {}:`",
                     kind_entry->key, entry->key);
      has_one_kind = false;
    } else if (entry != nullptr) {
      kind_entry = entry;
      check.kind = kind;
    }
  }
  check.severity = ReadSeverity(settings.Find("severity"), problems).value_or(context.severity);
  check.owner = ReadText(settings.Find("owner"), problems).value_or(context.owner);
  const std::optional<std::string> id = ReadText(settings.Find("id"), problems);
  settings.Finish();

  if (kind_entry == nullptr) {
    const bool says_only_known_things =
        std::ranges::all_of(value.entries, [](const YamlEntry& entry) {
          return entry.key == "severity" || entry.key == "owner" || entry.key == "id";
        });
    if (says_only_known_things) {
      problems.Error(value.at,
                     "a check names what it checks: not_null, unique, accepted_values, row_count, "
                     "expression or reconcile");
    }
    return std::nullopt;
  }
  if (!has_one_kind || !CheckReader(*kind_entry, context, problems).ReadInto(check)) {
    return std::nullopt;
  }
  check.id = id.value_or(DefaultId(check));
  return check;
}

}  // namespace

std::vector<Check> ReadChecks(const YamlEntry* entry, const CheckContext& context,
                              ProblemList& problems) {
  std::vector<Check> checks;
  if (entry == nullptr) {
    return checks;
  }
  if (entry->value.kind != YamlValue::Kind::kList) {
    problems.Error(entry->value.at, "`checks` is a list: each check begins with `- `");
    return checks;
  }
  for (const YamlValue& item : entry->value.items) {
    std::optional<Check> check = ReadCheck(item, context, problems);
    if (!check) {
      continue;
    }
    const auto same = std::ranges::find(checks, check->id, &Check::id);
    if (same != checks.end()) {
      problems.Error(check->at,
                     "two checks of this table have the id `{}`, first on line {}: give "
                     "this one an `id` of its own",
                     check->id, same->at.line);
      continue;
    }
    checks.push_back(*std::move(check));
  }
  return checks;
}

}  // namespace strandline::project::internal
