#include <algorithm>

#include "strandline/base/time_text.h"
#include "strandline/io/location.h"
#include "strandline/table/update/internal/metadata_builder.h"
#include "strandline/table/update/update.h"

namespace strandline::table {
namespace {

constexpr std::string_view kPreviousVersionsMaxKey = "write.metadata.previous-versions-max";
constexpr std::int64_t kPreviousVersionsMax = 100;
constexpr std::string_view kDeleteAfterCommitKey = "write.metadata.delete-after-commit.enabled";

constexpr std::int64_t kSkewWorthTellingMs = 10 * 60 * 1000;

Timestamp FromMs(std::int64_t ms) { return Timestamp(std::chrono::milliseconds(ms)); }

}  // namespace

Result<TableMetadata> ApplyUpdates(const TableMetadata* base, const std::vector<Update>& updates,
                                   std::int64_t now_ms) {
  internal::MetadataBuilder builder(base, now_ms);
  for (const Update& update : updates) {
    SL_TRY(builder.Apply(update));
  }
  return std::move(builder).Finish();
}

CommitRequest CreateTable(NewTable table) {
  CommitRequest request;
  request.requirements.emplace_back(AssertCreate{});
  request.updates.emplace_back(AssignUuid{std::move(table.uuid)});
  request.updates.emplace_back(UpgradeFormatVersion{2});
  request.updates.emplace_back(AddSchema{std::move(table.schema)});
  request.updates.emplace_back(SetCurrentSchema{});
  request.updates.emplace_back(AddPartitionSpec{std::move(table.spec)});
  request.updates.emplace_back(SetDefaultSpec{});
  request.updates.emplace_back(AddSortOrder{});
  request.updates.emplace_back(SetDefaultSortOrder{});
  request.updates.emplace_back(SetLocation{std::move(table.location)});
  request.updates.emplace_back(SetProperties{std::move(table.properties)});
  return request;
}

std::vector<std::string> RecordPreviousMetadata(TableMetadata& metadata,
                                                const std::string& previous_location,
                                                std::int64_t previous_updated_ms) {
  metadata.metadata_log.push_back({previous_updated_ms, previous_location});
  const auto keep = static_cast<std::size_t>(std::max<std::int64_t>(
      1, IntPropertyOr(metadata, kPreviousVersionsMaxKey, kPreviousVersionsMax)));
  std::vector<std::string> to_delete;
  if (metadata.metadata_log.size() <= keep) {
    return to_delete;
  }
  const auto first_kept = metadata.metadata_log.end() - static_cast<std::ptrdiff_t>(keep);
  if (PropertyOr(metadata, kDeleteAfterCommitKey, "false") == "true") {
    for (auto entry = metadata.metadata_log.begin(); entry != first_kept; ++entry) {
      if (io::IsUnder(entry->metadata_file, metadata.location)) {
        to_delete.push_back(entry->metadata_file);
      }
    }
  }
  metadata.metadata_log.erase(metadata.metadata_log.begin(), first_kept);
  return to_delete;
}

std::optional<std::string> ClockSkewWarning(const TableMetadata& base, std::int64_t now_ms) {
  if (base.last_updated_ms - now_ms <= kSkewWorthTellingMs) {
    return std::nullopt;
  }
  return fmt::format(
      "the table's last change lies ahead of this machine's clock, one of the two is wrong: last "
      "change {}, clock {}, table at {}",
      FormatTimestamp(FromMs(base.last_updated_ms)), FormatTimestamp(FromMs(now_ms)),
      base.location);
}

}  // namespace strandline::table
