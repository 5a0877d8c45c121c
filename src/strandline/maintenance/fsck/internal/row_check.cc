#include "strandline/maintenance/fsck/internal/row_check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <arrow/api.h>

#include "strandline/format/parquet/parquet_file.h"
#include "strandline/maintenance/fsck/internal/column_facts.h"
#include "strandline/table/arrow/arrow_value.h"
#include "strandline/table/read/scan_reader.h"

namespace strandline::maintenance::internal {
namespace {

using table::DataFile;
using table::NestedField;
using table::PartitionField;
using table::TransformKind;
using table::Value;

constexpr std::string_view kBookkeepingPrefix = "_strand_";
constexpr const char* kRunIdKey = "strandline.run-id";

// A column of the file, what it claims and what it holds.
struct CheckedColumn {
  const NestedField* field = nullptr;
  ColumnFacts facts;
  // Partition fields over it whose values must be computed row by row.
  std::vector<std::size_t> row_wise_fields;
};

// A partition field whose rows disagree with the file's value, and one of their values.
struct PartitionMismatch {
  std::size_t field;
  Value found;
};

// Whether equal transform results of the least and the greatest value prove it for all between.
bool KeepsOrder(const table::Transform& transform) {
  switch (transform.kind) {
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
    case TransformKind::kHour:
      return true;
    default:
      return false;
  }
}

bool SamePartitionValue(const Value& a, const Value& b) {
  if (IsNull(a) || IsNull(b) || a.index() != b.index()) {
    return IsNull(a) && IsNull(b);
  }
  if (IsNan(a) || IsNan(b)) {
    return IsNan(a) && IsNan(b);
  }
  return !IsBelow(a, b) && !IsBelow(b, a);
}

// A file is ours when the snapshot that added it is one of our runs; once that has expired nobody
// can tell.
bool IsOurs(const table::TableMetadata& metadata, const table::ManifestEntry& entry) {
  const table::Snapshot* added_by =
      entry.snapshot_id ? FindSnapshot(metadata, *entry.snapshot_id) : nullptr;
  return added_by != nullptr && added_by->summary.contains(kRunIdKey);
}

class RowCheck {
 public:
  RowCheck(Context& context, const table::PartitionSpec& spec, const table::ManifestEntry& entry)
      : context_(context), spec_(spec), entry_(entry), schema_(CurrentSchema(context.metadata)) {}

  Status Run() {
    ChooseColumns();
    const Result<std::int64_t> rows = ReadRows();
    const bool was_read =
        SL_TRY(WasRead(context_, file().file_path, rows ? Status() : Status(rows.error())));
    if (!was_read) {
      return {};
    }
    if (*rows != file().record_count) {
      Find(FsckKind::kRecordCount, "expected {} rows, found {}", file().record_count, *rows);
    }
    for (const CheckedColumn& column : columns_) {
      CheckCounts(column);
      CheckBounds(column);
      CheckBookkeeping(column);
      CheckPartition(column);
    }
    for (const PartitionMismatch& mismatch : mismatches_) {
      ReportMismatch(mismatch.field, mismatch.found);
    }
    return {};
  }

 private:
  const DataFile& file() const { return entry_.file; }

  template <typename... Args>
  void Find(FsckKind kind, fmt::format_string<Args...> format, Args&&... args) {
    AddFinding(context_, kind, file().file_path, format, std::forward<Args>(args)...);
  }

  void ChooseColumns() {
    for (const NestedField& field : schema_.fields) {
      if (!field.type.is_primitive()) {
        continue;
      }
      CheckedColumn column{.field = &field, .facts = {}, .row_wise_fields = {}};
      for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
        if (spec_.fields[i].source_id == field.id &&
            spec_.fields[i].transform.kind == TransformKind::kBucket) {
          column.row_wise_fields.push_back(i);
        }
      }
      columns_.push_back(std::move(column));
    }
  }

  // Observes all rows; how many there are.
  Result<std::int64_t> ReadRows() {
    const std::shared_ptr<const format::ParquetFile> parquet =
        SL_TRY(format::OpenParquetFile(context_.io, file().file_path, std::nullopt));
    table::ScanTask task;
    task.file = file();
    task.spec_id = spec_.id;
    // What the entry claims is compared elsewhere; here the file is to be read as it is.
    const io::FileInfo info = SL_TRY(context_.io.Stat(file().file_path));
    task.file.record_count = parquet->row_count();
    task.file.file_size_bytes = info.size_bytes;
    table::ScanReadOptions options;
    options.prune = false;
    for (const CheckedColumn& column : columns_) {
      options.columns.push_back(column.field->name);
    }
    std::unique_ptr<format::BatchSource> source =
        SL_TRY(table::OpenScan(context_.io, context_.metadata, schema_, {task}, options));
    const std::unique_ptr<format::BatchStream> stream = table::ReadAll(std::move(source));
    std::int64_t rows = 0;
    while (true) {
      const std::shared_ptr<arrow::RecordBatch> batch = SL_TRY(stream->Next());
      if (batch == nullptr) {
        break;
      }
      rows += batch->num_rows();
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const arrow::Array& array = *batch->column(static_cast<int>(i));
        SL_TRY(Observe(columns_[i].field->type, array, columns_[i].facts));
        SL_TRY(CheckRowWise(columns_[i], array));
      }
    }
    context_.report.rows_read += rows;
    return rows;
  }

  Status CheckRowWise(const CheckedColumn& column, const arrow::Array& array) {
    for (const std::size_t i : column.row_wise_fields) {
      const auto is_known = [&](const PartitionMismatch& mismatch) { return mismatch.field == i; };
      if (std::ranges::any_of(mismatches_, is_known)) {
        continue;
      }
      for (std::int64_t row = 0; row < array.length(); ++row) {
        const Value value = SL_TRY(table::ValueAt(array, row, column.field->type));
        Value found = SL_TRY(ApplyTransform(spec_.fields[i].transform, column.field->type, value));
        if (!SamePartitionValue(found, file().partition[i])) {
          mismatches_.push_back({i, std::move(found)});
          break;
        }
      }
    }
    return {};
  }

  void CheckCounts(const CheckedColumn& column) {
    const std::int64_t* nulls = FindCount(file().null_value_counts, column.field->id);
    if (nulls != nullptr && *nulls != column.facts.nulls) {
      Find(FsckKind::kNullCount, "column {}: expected {} nulls, found {}", column.field->name,
           *nulls, column.facts.nulls);
    }
    const std::int64_t* nans = FindCount(file().nan_value_counts, column.field->id);
    if (nans != nullptr && *nans != column.facts.nans) {
      Find(FsckKind::kNanCount, "column {}: expected {} NaNs, found {}", column.field->name, *nans,
           column.facts.nans);
    }
  }

  // The bound as a value; absent when there is none or it is NaN, which bounds nothing.
  std::optional<Value> Bound(const CheckedColumn& column, const table::ColumnBounds& bounds) {
    const std::string* bytes = FindBound(bounds, column.field->id);
    if (bytes == nullptr) {
      return std::nullopt;
    }
    Result<Value> value = DeserializeValue(column.field->type, *bytes);
    if (!value) {
      Find(FsckKind::kUnreadable, "column {}: bound cannot be decoded: {}", column.field->name,
           value.error().message);
      return std::nullopt;
    }
    return IsNan(*value) ? std::nullopt : std::optional(std::move(value).value());
  }

  void CheckBounds(const CheckedColumn& column) {
    const table::Type& type = column.field->type;
    const std::optional<Value> lower = Bound(column, file().lower_bounds);
    if (lower && column.facts.min && IsBelow(*column.facts.min, *lower)) {
      Find(FsckKind::kBoundTooNarrow, "column {}: lower bound {}, found {}", column.field->name,
           ValueText(type, *lower), ValueText(type, *column.facts.min));
    }
    const std::optional<Value> upper = Bound(column, file().upper_bounds);
    if (upper && column.facts.max && IsBelow(*upper, *column.facts.max)) {
      Find(FsckKind::kBoundTooNarrow, "column {}: upper bound {}, found {}", column.field->name,
           ValueText(type, *upper), ValueText(type, *column.facts.max));
    }
  }

  void CheckBookkeeping(const CheckedColumn& column) {
    if (column.field->name.starts_with(kBookkeepingPrefix) && column.facts.nulls > 0 &&
        IsOurs(context_.metadata, entry_)) {
      Find(FsckKind::kBookkeepingNull, "column {}: {} nulls", column.field->name,
           column.facts.nulls);
    }
  }

  // Every row's partition value from what the column holds: nulls, NaNs and the range between.
  void CheckPartition(const CheckedColumn& column) {
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      const PartitionField& field = spec_.fields[i];
      if (field.source_id != column.field->id || !KeepsOrder(field.transform)) {
        continue;
      }
      const Value& expected = file().partition[i];
      if (column.facts.nulls > 0 && !IsNull(expected)) {
        ReportMismatch(i, Value());
        continue;
      }
      if (column.facts.nans > 0 && !IsNan(expected)) {
        Find(FsckKind::kPartitionValue, "partition field {}: expected {}, found NaN", field.name,
             Text(i, expected));
        continue;
      }
      for (const std::optional<Value>& extreme : {column.facts.min, column.facts.max}) {
        if (!extreme) {
          continue;
        }
        const Result<Value> found = ApplyTransform(field.transform, column.field->type, *extreme);
        if (!found) {
          ReportUntransformable(i, found.error());
          break;
        }
        if (!SamePartitionValue(*found, expected)) {
          ReportMismatch(i, *found);
          break;
        }
      }
    }
  }

  std::string Text(std::size_t i, const Value& value) const {
    const PartitionField& field = spec_.fields[i];
    const NestedField* source = FindField(schema_, field.source_id);
    return PartitionValueText(field.transform, source->type, value);
  }

  void ReportMismatch(std::size_t i, const Value& found) {
    Find(FsckKind::kPartitionValue, "partition field {}: expected {}, found {}",
         spec_.fields[i].name, Text(i, file().partition[i]), Text(i, found));
  }

  // A row holds a value that has no partition: the transform leaves its type, as truncate does near
  // the least integer.
  void ReportUntransformable(std::size_t i, const Error& error) {
    Find(FsckKind::kPartitionValue, "partition field {}: expected {}, but {}", spec_.fields[i].name,
         Text(i, file().partition[i]), error.message);
  }

  Context& context_;
  const table::PartitionSpec& spec_;
  const table::ManifestEntry& entry_;
  const table::Schema& schema_;
  std::vector<CheckedColumn> columns_;
  std::vector<PartitionMismatch> mismatches_;
};

}  // namespace

Status CheckRows(Context& context, const table::PartitionSpec& spec,
                 const table::ManifestEntry& entry) {
  return RowCheck(context, spec, entry).Run();
}

}  // namespace strandline::maintenance::internal
