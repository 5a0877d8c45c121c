#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/project/internal/near_miss.h"
#include "strandline/project/internal/values.h"

namespace strandline::project::internal {
namespace {

using table::Transform;
using table::TransformKind;

struct NamedTransform {
  std::string_view name;
  TransformKind kind;
  bool has_parameter = false;
};

constexpr NamedTransform kTransforms[] = {{"identity", TransformKind::kIdentity},
                                          {"hour", TransformKind::kHour},
                                          {"day", TransformKind::kDay},
                                          {"month", TransformKind::kMonth},
                                          {"year", TransformKind::kYear},
                                          {"bucket", TransformKind::kBucket, true},
                                          {"truncate", TransformKind::kTruncate, true}};

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::int32_t> PositiveNumber(std::string_view text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    return std::nullopt;
  }
  return number;
}

// `hour(event_time)`, `bucket(16, user_id)`, or a bare column.
std::optional<PartitionBy> ParsePartitionBy(const PlacedText& item, ProblemList& problems) {
  const std::string_view text = Trim(item.text);
  const std::size_t open = text.find('(');
  if ((open != std::string_view::npos) != text.ends_with(')')) {
    problems.Error(item.at,
                   "`{}` has one bracket only: inside [ ] a comma ends the item, so write "
                   "\"bucket(16, user_id)\" with quotes",
                   item.text);
    return std::nullopt;
  }
  if (open == std::string_view::npos) {
    // As it stands: a name may begin or end with a space.
    return PartitionBy{.transform = {}, .column = item.text, .at = item.at};
  }

  const std::string_view name = Trim(text.substr(0, open));
  const NamedTransform* transform = nullptr;
  std::vector<std::string> names;
  for (const NamedTransform& candidate : kTransforms) {
    names.emplace_back(candidate.name);
    if (candidate.name == name) {
      transform = &candidate;
    }
  }
  if (transform == nullptr) {
    problems.Error(item.at, "`{}` is no partition transform{}", name, Suggestion(name, names));
    return std::nullopt;
  }

  std::string_view arguments = text.substr(open + 1, text.size() - open - 2);
  PartitionBy partition;
  partition.transform.kind = transform->kind;
  partition.at = item.at;
  if (transform->has_parameter) {
    const std::size_t comma = arguments.find(',');
    const std::optional<std::int32_t> number = PositiveNumber(Trim(arguments.substr(0, comma)));
    if (comma == std::string_view::npos || !number) {
      problems.Error(item.at, "`{}` needs a number and a column: `{}(16, user_id)`", item.text,
                     name);
      return std::nullopt;
    }
    partition.transform.parameter = *number;
    arguments.remove_prefix(comma + 1);
  }
  partition.column = std::string(Trim(arguments));
  if (partition.column.empty() || partition.column.find_first_of("(),") != std::string::npos) {
    problems.Error(item.at, "`{}` needs one column{}", item.text,
                   transform->has_parameter ? " after the number" : "");
    return std::nullopt;
  }
  return partition;
}

bool IsSamePartition(const PartitionBy& a, const PartitionBy& b) {
  return a.transform == b.transform && a.column == b.column;
}

}  // namespace

std::optional<std::vector<PartitionBy>> ReadPartition(const YamlEntry* entry,
                                                      ProblemList& problems) {
  const std::optional<std::vector<PlacedText>> list = ReadTextList(entry, problems);
  if (!list) {
    return std::nullopt;
  }
  std::vector<PartitionBy> partitions;
  for (const PlacedText& item : *list) {
    std::optional<PartitionBy> partition = ParsePartitionBy(item, problems);
    if (!partition) {
      return std::nullopt;
    }
    if (!CheckColumnName(partition->column, item.at, problems)) {
      return std::nullopt;
    }
    for (const PartitionBy& other : partitions) {
      if (IsSamePartition(*partition, other)) {
        problems.Error(item.at, "`{}` is given twice in `{}`", item.text, entry->key);
        return std::nullopt;
      }
    }
    partitions.push_back(*std::move(partition));
  }
  return partitions;
}

}  // namespace strandline::project::internal
