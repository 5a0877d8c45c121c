#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/catalog/table_name.h"
#include "strandline/project/internal/problem_list.h"
#include "strandline/project/internal/yaml_value.h"
#include "strandline/project/project.h"
#include "strandline/table/schema/type.h"

// Typed values of settings. Each function takes what Settings::Find returned: for null it returns
// nothing without a word; for a value of the wrong kind it reports and returns nothing.
namespace strandline::project::internal {

std::optional<std::string> ReadText(const YamlEntry* entry, ProblemList& problems);
std::optional<std::int64_t> ReadInteger(const YamlEntry* entry, std::int64_t minimum,
                                        std::int64_t maximum, ProblemList& problems);
std::optional<double> ReadNumber(const YamlEntry* entry, ProblemList& problems);  // Zero or more.
std::optional<bool> ReadBool(const YamlEntry* entry, ProblemList& problems);
std::optional<std::chrono::microseconds> ReadDuration(const YamlEntry* entry,
                                                      ProblemList& problems);
std::optional<Timestamp> ReadTimestamp(const YamlEntry* entry, ProblemList& problems);
std::optional<double> ReadShare(const YamlEntry* entry, ProblemList& problems);  // `1%` or `0.01`.
std::optional<std::int64_t> ReadByteSize(const YamlEntry* entry, ProblemList& problems);
std::optional<catalog::TableName> ReadTableName(const YamlEntry* entry, ProblemList& problems);

// The name of a column; names that begin with `_strand_` are ours and refused.
std::optional<std::string> ReadColumnName(const YamlEntry* entry, ProblemList& problems);
bool CheckColumnName(std::string_view name, const FilePosition& at, ProblemList& problems);

// A text with its own place, for lists whose items are checked later.
struct PlacedText {
  std::string text;
  FilePosition at;
};
// `[a, b]`: at least one text.
std::optional<std::vector<PlacedText>> ReadTextList(const YamlEntry* entry, ProblemList& problems);
// The same, of column names, none twice.
std::optional<std::vector<PlacedText>> ReadColumnList(const YamlEntry* entry,
                                                      ProblemList& problems);
std::vector<std::string> TextsOf(const std::vector<PlacedText>& list);

// `string`, `decimal(18,4)`: a primitive type of format version 2.
std::optional<table::Type> ReadType(const YamlEntry* entry, ProblemList& problems);

// `[hour(event_time), country]`
std::optional<std::vector<PartitionBy>> ReadPartition(const YamlEntry* entry,
                                                      ProblemList& problems);

// One of the words that a setting can be. Without a value: a word that a later version knows.
template <typename T>
struct Choice {
  std::string_view word;
  std::optional<T> value;
};

// The index into `words`; `is_supported` says which of them this version does.
std::optional<std::size_t> ReadWord(const YamlEntry* entry, std::span<const std::string> words,
                                    const std::vector<bool>& is_supported, ProblemList& problems);

template <typename T>
std::optional<T> ReadChoice(const YamlEntry* entry, std::span<const Choice<T>> choices,
                            ProblemList& problems) {
  std::vector<std::string> words;
  std::vector<bool> is_supported;
  for (const Choice<T>& choice : choices) {
    words.emplace_back(choice.word);
    is_supported.push_back(choice.value.has_value());
  }
  const std::optional<std::size_t> index = ReadWord(entry, words, is_supported, problems);
  return index ? choices[*index].value : std::nullopt;
}

std::optional<Unit> ReadUnit(const YamlEntry* entry, ProblemList& problems);
std::optional<Severity> ReadSeverity(const YamlEntry* entry, ProblemList& problems);
std::optional<int> ReadTier(const YamlEntry* entry, ProblemList& problems);

}  // namespace strandline::project::internal
