#include "strandline/project/internal/source_file.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/io/location.h"
#include "strandline/project/internal/checks.h"
#include "strandline/project/internal/columns.h"
#include "strandline/project/internal/near_miss.h"
#include "strandline/project/internal/settings.h"
#include "strandline/project/internal/source_columns.h"
#include "strandline/project/internal/unit_template.h"
#include "strandline/project/internal/values.h"
#include "strandline/project/internal/yaml_value.h"

namespace strandline::project::internal {
namespace {

using table::TransformKind;

bool IsTimeTransform(TransformKind kind) {
  return kind == TransformKind::kHour || kind == TransformKind::kDay ||
         kind == TransformKind::kMonth || kind == TransformKind::kYear;
}

bool IsTimestampType(const table::Type& type) {
  return type.id == table::TypeId::kTimestamp || type.id == table::TypeId::kTimestamptz;
}

// Reads one source file, a group of settings at a time. The order of the calls is the order in
// which later groups need the earlier ones.
class SourceReader {
 public:
  SourceReader(Settings& settings, const std::string& directory, const Defaults& defaults,
               engine::SqlParser& parser, ProblemList& problems)
      : settings_(settings),
        directory_(directory),
        defaults_(defaults),
        parser_(parser),
        problems_(problems) {}

  std::optional<Source> Read(const FilePosition& at) {
    source_.at = at;
    const YamlEntry* table = settings_.Require("table");
    const auto table_name = ReadTableName(table, problems_);
    ReadIdentity();
    ReadLanding();
    ReadCompleteness();
    ReadColumnsAndKey();
    ReadTimeAndPartition();
    ReadLateness();
    ReadDeduplication();
    ReadChecksOfSource();
    RefuseLaterSettings();
    settings_.Finish();
    if (!table_name) {
      return std::nullopt;
    }
    source_.table = *table_name;
    source_.at = table->value.at;
    return std::move(source_);
  }

 private:
  void ReadIdentity() {
    source_.name = ReadText(settings_.Require("source"), problems_).value_or("");
    source_.owner = ReadText(settings_.Find("owner"), problems_).value_or(defaults_.owner);
    source_.tier = ReadTier(settings_.Find("tier"), problems_).value_or(defaults_.tier);
  }

  void ReadLanding() {
    static constexpr std::array<Choice<LandingFormat>, 4> kFormats = {
        {{"parquet", LandingFormat::kParquet},
         {"jsonl", LandingFormat::kJsonLines},
         {"csv", std::nullopt},
         {"avro", std::nullopt}}};
    static constexpr std::array<Choice<OnChange>, 2> kOnChange = {
        {{"merge", OnChange::kMerge}, {"replace", std::nullopt}}};
    const auto format = ReadChoice<LandingFormat>(settings_.Require("format"), kFormats, problems_);
    is_format_known_ = format.has_value();
    source_.format = format.value_or(source_.format);
    const auto unit = ReadUnit(settings_.Require("unit"), problems_);
    source_.unit = unit.value_or(source_.unit);
    ReadPath(settings_.Require("path"), unit.has_value());
    ReadStart(settings_.Require("start"), unit.has_value());
    source_.on_change = ReadChoice<OnChange>(settings_.Find("on_change"), kOnChange, problems_)
                            .value_or(source_.on_change);
    source_.max_line_bytes =
        ReadByteSize(settings_.Find("max_line"), problems_).value_or(source_.max_line_bytes);
  }

  void ReadPath(const YamlEntry* entry, bool is_unit_known) {
    const auto path = ReadText(entry, problems_);
    if (!path) {
      return;
    }
    if (path->find("${") != std::string::npos) {
      problems_.Error(
          entry->value.at,
          "environment variables are put into strandline.yml only: write the path here");
      return;
    }
    std::string location = io::FileLocation(*path, directory_);
    if (path->find("://") != std::string::npos) {
      const Result<std::string> local = io::LocalPath(*path);
      if (!local) {
        problems_.Error(entry->value.at,
                        "`path` is a local path or file:///PATH, other storage is not supported "
                        "yet: found `{}`",
                        *path);
        return;
      }
      location = io::FileLocation(*local, directory_);
    }
    const Result<UnitTemplate> parts = ParseUnitTemplate(location);
    // What is wrong is said of the path as it stands in the file.
    const Result<UnitTemplate> as_written = ParseUnitTemplate(*path);
    if (!as_written || !parts) {
      problems_.Error(entry->value.at, "{}",
                      as_written ? parts.error().message : as_written.error().message);
      return;
    }
    const Status format = CheckUnitFormat(parts->format, source_.unit);
    if (is_unit_known && !format) {
      problems_.Error(entry->value.at, "{}", format.error().message);
      return;
    }
    source_.path = std::move(location);
  }

  void ReadStart(const YamlEntry* entry, bool is_unit_known) {
    const auto start = ReadTimestamp(entry, problems_);
    if (!start) {
      return;
    }
    source_.start = *start;
    const Timestamp begin = WindowStart(source_.unit, *start);
    if (is_unit_known && begin != *start) {
      problems_.Error(entry->value.at, "`start` is the start of a unit: {} or {}, found `{}`",
                      FormatTimestamp(begin), FormatTimestamp(begin + LengthOf(source_.unit)),
                      entry->value.text);
    }
  }

  void ReadCompleteness() {
    if (const YamlEntry* entry = settings_.Require("complete")) {
      Settings complete(entry->value, "`complete`", problems_);
      const YamlEntry* marker = complete.Find("marker");
      source_.complete_marker = ReadText(marker, problems_);
      source_.complete_grace = ReadDuration(complete.Find("grace"), problems_);
      complete.Finish();
      if (source_.complete_marker && source_.complete_grace) {
        problems_.Error(entry->value.at, "`complete` is either a `marker` or a `grace`, not both");
      }
      if (source_.complete_marker &&
          source_.complete_marker->find_first_of("/*?") != std::string::npos) {
        problems_.Error(marker->value.at, "`marker` is the name of one file, such as _SUCCESS");
      }
      if (complete.is_mapping() && entry->value.entries.empty()) {
        problems_.Error(entry->value.at, "`complete` needs a `marker` or a `grace`");
      }
    }
    source_.arrives_within =
        ReadDuration(settings_.Find("arrives_within"), problems_).value_or(source_.arrives_within);
    ReadAbsent(settings_.Find("absent"));
  }

  // `wait`, `{empty_after: 6h}` or `{error_after: 2h}`.
  void ReadAbsent(const YamlEntry* entry) {
    static constexpr std::array<Choice<AbsentPolicy>, 1> kWords = {{{"wait", AbsentPolicy::kWait}}};
    if (entry == nullptr) {
      return;
    }
    if (entry->value.kind != YamlValue::Kind::kMapping) {
      ReadChoice<AbsentPolicy>(entry, kWords, problems_);
      return;
    }
    Settings absent(entry->value, "`absent`", problems_);
    const auto empty_after = ReadDuration(absent.Find("empty_after"), problems_);
    const auto error_after = ReadDuration(absent.Find("error_after"), problems_);
    absent.Finish();
    if (empty_after && error_after) {
      problems_.Error(entry->value.at, "`absent` is either `empty_after` or `error_after`");
    }
    if (empty_after) {
      source_.absent = AbsentPolicy::kEmptyAfter;
      source_.absent_after = *empty_after;
    } else if (error_after) {
      source_.absent = AbsentPolicy::kErrorAfter;
      source_.absent_after = *error_after;
    }
  }

  void ReadColumnsAndKey() {
    const YamlEntry* columns = settings_.Require("columns");
    source_.columns =
        ReadSourceColumns(columns, source_.format == LandingFormat::kJsonLines, problems_);
    are_columns_known_ = columns != nullptr && columns->value.kind == YamlValue::Kind::kMapping;
    for (const SourceColumn& column : source_.columns) {
      declared_.push_back(column.name);
    }
    if (const auto key = ReadColumnList(settings_.Require("key"), problems_)) {
      for (const PlacedText& column : *key) {
        CheckDeclared("key", column.text, column.at);
      }
      source_.key = TextsOf(*key);
    }
  }

  // What the pipeline itself looks at must be declared, with its type, whatever the format.
  const SourceColumn* CheckDeclared(std::string_view setting, const std::string& name,
                                    const FilePosition& at) {
    const SourceColumn* column = FindSourceColumn(source_.columns, name);
    if (column == nullptr && are_columns_known_) {
      problems_.Error(at, "`{}` names the column `{}`, which `columns` does not declare{}", setting,
                      name, Suggestion(name, declared_));
    }
    return column;
  }

  void ReadTimeAndPartition() {
    const YamlEntry* time = settings_.Find("time");
    const auto named_time = ReadColumnName(time, problems_);
    const YamlEntry* partition_entry = settings_.Find("partition");
    const auto partition = ReadPartition(partition_entry, problems_);
    if (partition) {
      source_.partition = *partition;
    }
    if (named_time) {
      source_.time = *named_time;
      CheckTimeColumn(CheckDeclared("time", source_.time, time->value.at), time->value.at);
    } else if (!settings_.IsGiven("time") && (partition || partition_entry == nullptr)) {
      TakeTimeFromPartition();
    }
    if (partition_entry == nullptr && !source_.time.empty()) {
      const TransformKind kind =
          source_.unit == Unit::kHour ? TransformKind::kHour : TransformKind::kDay;
      source_.partition = {
          {.transform = {.kind = kind}, .column = source_.time, .at = time->value.at}};
    }
    for (const PartitionBy& field : source_.partition) {
      CheckPartitionField(field);
    }
    if (partition && !source_.time.empty() && !IsPartitionedByTime()) {
      problems_.Error(
          partition_entry->value.at,
          "`partition` needs the event time, such as {}({}): that is where rows of a unit "
          "are looked for",
          ToString(source_.unit), source_.time);
    }
  }

  void TakeTimeFromPartition() {
    std::vector<const PartitionBy*> by_time;
    for (const PartitionBy& field : source_.partition) {
      if (IsTimeTransform(field.transform.kind)) {
        by_time.push_back(&field);
      }
    }
    if (by_time.size() != 1) {
      problems_.Error(source_.at,
                      "a source needs the setting `time`: the column of the event time");
      return;
    }
    source_.time = by_time.front()->column;
    CheckTimeColumn(CheckDeclared("partition", source_.time, by_time.front()->at),
                    by_time.front()->at);
  }

  void CheckTimeColumn(const SourceColumn* column, const FilePosition& at) {
    if (column != nullptr && column->type && !IsTimestampType(*column->type)) {
      problems_.Error(at, "the event time is a timestamptz or timestamp: `{}` is {}", column->name,
                      table::ToString(*column->type));
    }
  }

  void CheckPartitionField(const PartitionBy& field) {
    const SourceColumn* column = FindSourceColumn(source_.columns, field.column);
    if (column == nullptr) {
      if (field.column != source_.time) {  // That one has been reported by name.
        CheckDeclared("partition", field.column, field.at);
      }
      return;
    }
    const bool is_reported =
        column->name == source_.time && column->type && !IsTimestampType(*column->type);
    if (!column->type || is_reported) {
      return;
    }
    const Result<table::Type> type = table::TransformResultType(field.transform, *column->type);
    if (!type) {
      problems_.Error(field.at, "`{}` of type {} cannot be partitioned by `{}`", field.column,
                      table::ToString(*column->type), table::ToString(field.transform));
    }
  }

  bool IsPartitionedByTime() const {
    return std::ranges::any_of(source_.partition, [&](const PartitionBy& field) {
      return field.column == source_.time && IsTimeTransform(field.transform.kind);
    });
  }

  void ReadLateness() {
    static constexpr std::array<Choice<BeyondLateness>, 2> kBeyond = {
        {{"quarantine", BeyondLateness::kQuarantine}, {"accept", BeyondLateness::kAccept}}};
    source_.lateness =
        ReadDuration(settings_.Find("lateness"), problems_).value_or(source_.lateness);
    source_.beyond_lateness =
        ReadChoice<BeyondLateness>(settings_.Find("beyond_lateness"), kBeyond, problems_)
            .value_or(source_.beyond_lateness);
    if (const YamlEntry* entry = settings_.Find("quarantine")) {
      Settings quarantine(entry->value, "`quarantine`", problems_);
      source_.quarantine_max_share =
          ReadShare(quarantine.Find("max_share"), problems_).value_or(source_.quarantine_max_share);
      quarantine.Finish();
    }
  }

  void ReadDeduplication() {
    const YamlEntry* entry = settings_.Find("deduplicate");
    if (entry == nullptr) {
      return;
    }
    Settings deduplicate(entry->value, "`deduplicate`", problems_);
    ReadKeep(deduplicate.Find("keep"));
    const YamlEntry* ask = deduplicate.Find("ask");
    const auto asked = ReadText(ask, problems_);
    if (asked && ParseDuration(*asked)) {
      problems_.Error(ask->value.at,
                      "`ask: {}` is not supported yet: use partition, which asks the row's own "
                      "partition",
                      *asked);
    } else if (asked && *asked != "partition") {
      problems_.Error(ask->value.at, "`ask` can not be `{}`{}", *asked,
                      Suggestion(*asked, {"partition"}));
    }
    deduplicate.NotYet("within", "keys are looked for in the row's own partition");
    deduplicate.Finish();
  }

  // `first` or `max(updated_at)`.
  void ReadKeep(const YamlEntry* entry) {
    constexpr std::string_view kMax = "max(";
    const auto keep = ReadText(entry, problems_);
    if (!keep || *keep == "first") {
      return;
    }
    if (!keep->starts_with(kMax) || !keep->ends_with(')') || keep->size() == kMax.size() + 1) {
      problems_.Error(entry->value.at, "`keep` is first or max(COLUMN): found `{}`", *keep);
      return;
    }
    source_.keep_max_of = keep->substr(kMax.size(), keep->size() - kMax.size() - 1);
    CheckDeclared("keep", *source_.keep_max_of, entry->value.at);
  }

  void ReadChecksOfSource() {
    const CheckContext context{
        .parser = parser_,
        .owner = source_.owner,
        .severity = defaults_.severity,
        .columns = {.names = declared_,
                    .is_complete = are_columns_known_ && is_format_known_ &&
                                   source_.format == LandingFormat::kJsonLines}};
    source_.checks = ReadChecks(settings_.Find("checks"), context, problems_);
    std::erase_if(source_.checks, [&](const Check& check) {
      const bool compares = check.kind == CheckKind::kReconcile;
      if (compares) {
        problems_.Error(check.at,
                        "`reconcile` compares a model with what it was made from: move it "
                        "to a model that reads this table");
      }
      return compares;
    });
  }

  void RefuseLaterSettings() {
    settings_.NotYet("contract", "declare the columns here");
    settings_.NotYet("tenant", "a table has one source");
    settings_.NotYet("ready", "units are complete by `complete`");
    settings_.NotYet("adopt", "rows that were there before are left as they are");
    settings_.NotYet("expose", "query hides bookkeeping columns by itself");
    settings_.NotYet("tags", "select by name");
  }

  Settings& settings_;
  const std::string& directory_;
  const Defaults& defaults_;
  engine::SqlParser& parser_;
  ProblemList& problems_;
  Source source_;
  std::vector<std::string> declared_;
  bool are_columns_known_ = false;
  bool is_format_known_ = false;
};

}  // namespace

std::optional<Source> ReadSource(const ProjectFile& file, const std::string& directory,
                                 const Defaults& defaults, engine::SqlParser& parser,
                                 ProblemList& problems) {
  const std::optional<YamlValue> value = ParseYaml(file.name, file.text, 1, problems);
  if (!value) {
    return std::nullopt;
  }
  Settings settings(*value, "a source", problems);
  if (!settings.is_mapping()) {
    return std::nullopt;
  }
  return SourceReader(settings, directory, defaults, parser, problems).Read(value->at);
}

}  // namespace strandline::project::internal
