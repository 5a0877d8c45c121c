#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/catalog/table_name.h"
#include "strandline/table/schema/schema.h"

namespace strandline::pipeline {

// STATE.md rule 2: what every row says of the unit of work that wrote it.
inline constexpr std::string_view kUnitColumn =
    "_strand_unit";  // Start of the unit, UTC epoch seconds.
inline constexpr std::string_view kStampColumn =
    "_strand_stamp";  // Fingerprint of all that the unit read.
inline constexpr std::string_view kLogicColumn =
    "_strand_logic";  // Fingerprint of the code; derived tables only.
inline constexpr std::string_view kSeqColumn = "_strand_seq";  // Version of the content.

bool IsBookkeepingColumn(std::string_view name);

// What one unit writes into these columns of each of its rows.
struct RowMarks {
  std::int64_t unit_seconds = 0;
  std::int64_t stamp = 0;
  std::optional<std::int64_t> logic;
  std::int64_t seq = 0;
};

enum class TableKind { kLanded, kDerived };

// What `column` of these marks holds; absent for the logic of a landed table. Only for the names
// above (checked).
std::optional<std::int64_t> MarkOf(const RowMarks& marks, std::string_view column);

// The columns, last of a new table's schema, with fresh ids from `first` on, documented.
std::vector<table::NestedField> BookkeepingFields(TableKind kind, table::FieldId first);

// The properties that make every engine keep their bounds (`write.metadata.metrics.column._strand_…
// = full`).
std::map<std::string, std::string> BookkeepingProperties(TableKind kind);

// `ads.impressions__quarantine`.
catalog::TableName QuarantineTable(const catalog::TableName& table);

}  // namespace strandline::pipeline
