#include "strandline/cli/output/unit_json.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strandline/base/hash.h"
#include "strandline/base/time_text.h"

namespace strandline::cli {

using nlohmann::json;

json PlannedUnitJson(const pipeline::PlannedUnit& unit) {
  json object = {{"table", ToString(unit.table)},
                 {"window", FormatTimestamp(unit.window.start)},
                 {"action", pipeline::ToString(unit.action)},
                 {"state", pipeline::ToString(unit.status)},
                 {"reason", unit.reason},
                 {"inputs", json::array()},
                 {"files", unit.files},
                 {"bytes", unit.bytes},
                 {"rows", unit.rows ? json(*unit.rows) : json()}};
  for (const pipeline::InputDigest& input : unit.inputs) {
    json partitions = json::array();
    for (const pipeline::PartitionDigest& partition : input.partitions) {
      partitions.push_back({partition.partition, partition.digest});
    }
    object["inputs"].push_back({{"table", input.table}, {"partitions", std::move(partitions)}});
  }
  return object;
}

json WaitingJson(const pipeline::Waiting& waiting) {
  return {{"table", ToString(waiting.table)},
          {"window", FormatTimestamp(waiting.window.start)},
          {"reason", waiting.reason}};
}

json CheckResultJson(const quality::CheckResult& result) {
  return {{"id", result.check.id},       {"severity", project::ToString(result.check.severity)},
          {"owner", result.check.owner}, {"result", quality::ToString(result.outcome)},
          {"checked", result.checked},   {"violating", result.violating},
          {"samples", result.samples},   {"detail", result.detail}};
}

json UnitReportJson(const pipeline::UnitReport& report) {
  json object = {{"table", ToString(report.table)},
                 {"window", FormatTimestamp(report.window.start)},
                 {"action", pipeline::ToString(report.action)},
                 {"was", pipeline::ToString(report.was)},
                 {"reason", report.reason},
                 {"outcome", pipeline::ToString(report.outcome)},
                 {"rows", report.rows},
                 {"bytes", report.bytes},
                 {"milliseconds", report.duration.count()},
                 {"snapshot", report.snapshot ? json(fmt::format("{}", *report.snapshot)) : json()},
                 {"error", report.error ? json(report.error->message) : json()},
                 {"checks", json::array()}};
  for (const quality::CheckResult& result : report.audit.results) {
    object["checks"].push_back(CheckResultJson(result));
  }
  if (report.counts) {
    const pipeline::IngestCounts& counts = *report.counts;
    object["counts"] = {{"rows_in", counts.rows_in},
                        {"rows_published", counts.rows_published},
                        {"rows_duplicate", counts.rows_duplicate},
                        {"rows_conflicting", counts.rows_conflicting},
                        {"rows_suppressed", counts.rows_suppressed},
                        {"rows_quarantined", counts.rows_quarantined},
                        {"keys_asked", counts.keys_asked},
                        {"filter_hits", counts.filter_hits},
                        {"filter_false_positives", counts.false_positives},
                        {"verify_bytes", counts.verify_bytes}};
    json reasons = json::object();
    for (const auto& [reason, count] : report.quarantine_reasons) {
      reasons[reason] = count;
    }
    object["quarantine_reasons"] = std::move(reasons);
  }
  return object;
}

void PrintJson(const json& object) {
  const std::string text = object.dump(-1, ' ', false, json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

}  // namespace strandline::cli
