#include "strandline/table/write/internal/file_metrics.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <arrow/api.h>
#include <arrow/util/checked_cast.h>

#include "strandline/format/batch/arrow_status.h"

namespace strandline::table {
namespace {

using Node = FileMetrics::Node;
using arrow::internal::checked_cast;
using format::FromArrow;

// Values of a field in one batch, those around which something is null taken out or made null.
struct Slots {
  std::shared_ptr<arrow::Array> values;
  std::int64_t nulls_above = 0;     // Nulls in `values` that a null struct around them explains.
  std::int64_t entries_beside = 0;  // Null and empty lists, which Parquet counts as null entries.
};

bool HasNans(const Type& type) { return type.id == TypeId::kFloat || type.id == TypeId::kDouble; }

Result<Node> MakeNode(const TableMetadata& metadata, const Schema& schema, const NestedField& field,
                      bool repeated) {
  Node node{.id = field.id,
            .path = FieldPath(schema, field.id),
            .type = field.type,
            .required = field.required,
            .repeated = repeated,
            .mode = {},
            .children = {},
            .values = nullptr};
  node.mode = SL_TRY(MetricsModeOf(metadata, node.path));
  const bool repeats = field.type.id == TypeId::kList || field.type.id == TypeId::kMap;
  for (const NestedField& child : field.type.fields) {
    node.children.push_back(SL_TRY(MakeNode(metadata, schema, child, repeated || repeats)));
  }
  const bool wants_bounds = node.mode.kind == MetricsKind::kBounds && !repeated;
  const bool wants_nans = node.mode.kind != MetricsKind::kNone && HasNans(field.type);
  if (field.type.is_primitive() && (wants_bounds || wants_nans)) {
    node.values = MakeLeafMetrics(field.type);
  }
  return node;
}

// Calls `visit(node, slots)` for `node` and every field below it. `visit` returns a Status.
template <typename Visit>
Status Walk(Node& node, const Slots& slots, const Visit& visit);

template <typename Visit>
Status WalkStruct(std::vector<Node>& children, const Slots& slots, const Visit& visit) {
  const auto& values = checked_cast<const arrow::StructArray&>(*slots.values);
  const arrow::ArrayVector flat = SL_TRY(FromArrow(values.Flatten(), ErrorKind::kInvalidArgument));
  for (std::size_t i = 0; i < children.size(); ++i) {
    SL_TRY(Walk(children[i],
                {.values = flat[i],
                 .nulls_above = values.null_count(),
                 .entries_beside = slots.entries_beside},
                visit));
  }
  return {};
}

template <typename Visit>
Status WalkList(Node& node, const Slots& slots, const Visit& visit) {
  const auto& values = checked_cast<const arrow::ListArray&>(*slots.values);
  std::int64_t without_elements = 0;
  for (std::int64_t i = 0; i < values.length(); ++i) {
    without_elements += values.IsNull(i) || values.value_length(i) == 0 ? 1 : 0;
  }
  const Slots elements{.values = SL_TRY(FromArrow(values.Flatten(), ErrorKind::kInvalidArgument)),
                       .entries_beside = slots.entries_beside + without_elements};
  // A map is a list of structs that are no fields of their own.
  return node.type.id == TypeId::kMap ? WalkStruct(node.children, elements, visit)
                                      : Walk(node.children[0], elements, visit);
}

template <typename Visit>
Status Walk(Node& node, const Slots& slots, const Visit& visit) {
  SL_TRY(visit(node, slots));
  switch (node.type.id) {
    case TypeId::kStruct:
      return WalkStruct(node.children, slots, visit);
    case TypeId::kList:
    case TypeId::kMap:
      return WalkList(node, slots, visit);
    default:
      return {};
  }
}

Status CheckRequired(const Node& node, const Slots& slots) {
  const std::int64_t nulls = slots.values->null_count() - slots.nulls_above;
  if (node.required && nulls > 0) {
    return MakeError(ErrorKind::kInvalidArgument, "required column {} holds {} nulls among {} rows",
                     node.path, nulls, slots.values->length());
  }
  return {};
}

Status Count(Node& node, const Slots& slots) {
  if (!node.type.is_primitive()) {
    return {};
  }
  node.value_count += slots.values->length() + slots.entries_beside;
  node.null_count += slots.values->null_count() + slots.entries_beside;
  if (node.values != nullptr) {
    node.values->Add(*slots.values);
  }
  return {};
}

std::string Lower(const Node& node, const Value& min) {
  if (const auto* text = std::get_if<std::string>(&min)) {
    return LowerStringBound(*text, node.mode.width);
  }
  if (node.type.id == TypeId::kBinary) {
    return LowerBytesBound(std::get<Bytes>(min).bytes, node.mode.width);
  }
  return SerializeValue(node.type, min);
}

std::optional<std::string> Upper(const Node& node, const Value& max) {
  if (const auto* text = std::get_if<std::string>(&max)) {
    return UpperStringBound(*text, node.mode.width);
  }
  if (node.type.id == TypeId::kBinary) {
    return UpperBytesBound(std::get<Bytes>(max).bytes, node.mode.width);
  }
  return SerializeValue(node.type, max);
}

void DescribeBounds(const Node& node, DataFile& file) {
  if (node.mode.kind != MetricsKind::kBounds || node.repeated || node.values == nullptr) {
    return;
  }
  const std::optional<ValueBounds> bounds = node.values->bounds();
  if (!bounds) {
    return;
  }
  file.lower_bounds.emplace_back(node.id, Lower(node, bounds->lower));
  if (std::optional<std::string> upper = Upper(node, bounds->upper)) {
    file.upper_bounds.emplace_back(node.id, *std::move(upper));
  }
}

void DescribeNode(const Node& node, DataFile& file) {
  for (const Node& child : node.children) {
    DescribeNode(child, file);
  }
  if (!node.type.is_primitive() || node.mode.kind == MetricsKind::kNone) {
    return;
  }
  file.value_counts.emplace_back(node.id, node.value_count);
  file.null_value_counts.emplace_back(node.id, node.null_count);
  if (HasNans(node.type)) {
    file.nan_value_counts.emplace_back(node.id, node.values->nan_count());
  }
  DescribeBounds(node, file);
}

template <typename Pairs>
void SortById(Pairs& pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

}  // namespace

Result<FileMetrics> FileMetrics::Make(const TableMetadata& metadata, const Schema& schema) {
  std::vector<Node> columns;
  for (const NestedField& field : schema.fields) {
    columns.push_back(SL_TRY(MakeNode(metadata, schema, field, /*repeated=*/false)));
  }
  return FileMetrics(std::move(columns));
}

Status FileMetrics::Add(const arrow::RecordBatch& batch) {
  // All checks come first: a batch that is refused must leave no trace in the counts.
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    SL_TRY(Walk(columns_[i], {.values = batch.column(static_cast<int>(i))}, CheckRequired));
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    SL_TRY(Walk(columns_[i], {.values = batch.column(static_cast<int>(i))}, Count));
  }
  return {};
}

void FileMetrics::Describe(DataFile& file) const {
  for (const Node& column : columns_) {
    DescribeNode(column, file);
  }
  SortById(file.value_counts);
  SortById(file.null_value_counts);
  SortById(file.nan_value_counts);
  SortById(file.lower_bounds);
  SortById(file.upper_bounds);
}

}  // namespace strandline::table
