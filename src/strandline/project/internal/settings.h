#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strandline/project/internal/problem_list.h"
#include "strandline/project/internal/yaml_value.h"

namespace strandline::project::internal {

// One mapping of a user's file, read setting by setting. What was never asked for is unknown, so
// the list of known settings cannot drift from the code that reads them:
//
//   Settings settings(value, "a source", problems);
//   const YamlEntry* owner = settings.Find("owner");
//   const YamlEntry* table = settings.Require("table");
//   settings.NotYet("expose", "...");
//   settings.Finish();
//
// `value` and `problems` must outlive it.
class Settings {
 public:
  // `what` names the mapping in messages: "a source", "`complete`". Reports a value that is no
  // mapping; then nothing is found and nothing more is reported.
  Settings(const YamlValue& value, std::string what, ProblemList& problems);

  bool is_mapping() const { return is_mapping_; }

  // Whether the setting is there, with a value or without.
  bool IsGiven(std::string_view key) const { return Given(key) != nullptr; }

  // The setting, or null when it is not given, is given without a value (which is
  // reported), or with one of which all has been said.
  const YamlEntry* Find(std::string_view key);
  // The same; Finish() reports one that is not given.
  const YamlEntry* Require(std::string_view key);

  // Refuses a setting that this version knows of and does not do. `instead` says how it behaves.
  void NotYet(std::string_view key, std::string_view instead);

  // Reports every setting that nobody asked for, and every required one that is missing: once,
  // where the unknown name is a slip of the required one.
  void Finish();

 private:
  const YamlEntry* Given(std::string_view key) const;

  const YamlValue& value_;
  std::string what_;
  ProblemList& problems_;
  bool is_mapping_;
  std::vector<std::string> known_;
  std::vector<std::string> later_;
  std::vector<std::string> missing_;
};

}  // namespace strandline::project::internal
