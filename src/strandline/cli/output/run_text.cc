#include "strandline/cli/output/run_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "strandline/base/time_text.h"
#include "strandline/cli/output/text.h"

namespace strandline::cli {
namespace {

using pipeline::IngestCounts;
using pipeline::UnitOutcome;
using pipeline::UnitReport;

std::string CountsText(const IngestCounts& counts) {
  std::string text = fmt::format(
      "{} rows in = {} published + {} duplicate + {} suppressed + {} quarantined",
      CountText(counts.rows_in), CountText(counts.rows_published), CountText(counts.rows_duplicate),
      CountText(counts.rows_suppressed), CountText(counts.rows_quarantined));
  if (counts.rows_conflicting > 0) {
    text += fmt::format("\n    {} duplicates had another payload than the row that was kept",
                        CountText(counts.rows_conflicting));
  }
  if (counts.keys_asked > 0) {
    text += fmt::format(
        "\n    {} keys asked whether they are there: {} filter hits, {} false, {} read to verify",
        CountText(counts.keys_asked), CountText(counts.filter_hits),
        CountText(counts.false_positives), BytesText(counts.verify_bytes));
  }
  return text;
}

std::string SecondsText(std::chrono::milliseconds duration) {
  return fmt::format("{:.1f} s", static_cast<double>(duration.count()) / 1000.0);
}

std::string Indented(const std::string& text) { return "    " + text + "\n"; }

}  // namespace

std::string ProgressText(const pipeline::PlannedUnit& unit,
                         const pipeline::IngestProgress& progress, double seconds) {
  std::string text = fmt::format("{} {}: {}, {} of {}", ToString(unit.table),
                                 FormatTimestamp(unit.window.start), Counted(progress.rows, "row"),
                                 BytesText(progress.bytes), BytesText(progress.bytes_total));
  if (seconds > 0 && progress.bytes > 0) {
    const double rate = static_cast<double>(progress.bytes) / seconds;
    const double left = static_cast<double>(progress.bytes_total - progress.bytes) / rate;
    text += fmt::format(", {}/s, {:.0f} s left", BytesText(static_cast<std::int64_t>(rate)),
                        std::max(left, 0.0));
  }
  return text;
}

std::string UnitReportText(const UnitReport& report) {
  std::string text =
      fmt::format("{}  {}  {}  {}", ToString(report.table), FormatTimestamp(report.window.start),
                  pipeline::ToString(report.action), pipeline::ToString(report.outcome));
  if (report.outcome == UnitOutcome::kPublished) {
    text += fmt::format("  {} rows  {}  {}", CountText(report.rows), BytesText(report.bytes),
                        SecondsText(report.duration));
  }
  text += fmt::format("  ({}{}{})\n", pipeline::ToString(report.was),
                      report.reason.empty() ? "" : ": ", report.reason);
  if (report.counts) {
    text += Indented(CountsText(*report.counts));
    for (const auto& [reason, count] : report.quarantine_reasons) {
      text += Indented(fmt::format("quarantined: {}, {}", Counted(count, "row"), reason));
    }
  }
  for (const quality::CheckResult& result : report.audit.results) {
    if (result.outcome != quality::CheckOutcome::kPassed) {
      text += Indented("check " + ToString(result));
    }
  }
  if (report.outcome == UnitOutcome::kBlocked) {
    text += Indented(
        "Nothing was published: readers see what they saw before. The next run reads and audits it "
        "again.");
  }
  if (report.error) {
    text += Indented(report.error->message);
    if (report.outcome == UnitOutcome::kUnknown) {
      text += Indented(
          "The commit may have landed or not. Run again: it looks first, and does nothing twice.");
    } else if (report.outcome == UnitOutcome::kFailed) {
      text += Indented("Nothing was changed.");
    }
  }
  return text;
}

std::string RunSummaryText(const pipeline::RunReport& report) {
  std::map<std::string_view, std::int64_t> by_outcome;
  for (const UnitReport& unit : report.units) {
    ++by_outcome[pipeline::ToString(unit.outcome)];
  }
  std::string text;
  for (const pipeline::PlannedUnit& unit : report.refused) {
    text += fmt::format(
        "{}  {}  refused: its logic is not the deployed one. Deploy it with `strandline deploy "
        "--select {} "
        "--on-change restate` (or forward)\n",
        ToString(unit.table), FormatTimestamp(unit.window.start), ToString(unit.table));
  }
  if (report.units.empty() && report.refused.empty()) {
    text += "Nothing to do";
  } else {
    std::string counts;
    for (const auto& [outcome, count] : by_outcome) {
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", Counted(count, "unit"), outcome);
    }
    text += counts.empty() ? "Nothing was done" : counts;
  }
  if (!report.waiting.empty()) {
    const pipeline::Waiting& first = report.waiting.front();
    text += fmt::format("; {} waiting: {} {} {}", report.waiting.size(), ToString(first.table),
                        FormatTimestamp(first.window.start), first.reason);
  }
  return text + "\n";
}

}  // namespace strandline::cli
