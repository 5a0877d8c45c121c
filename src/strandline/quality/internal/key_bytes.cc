#include "strandline/quality/internal/key_bytes.h"

#include <arrow/type_traits.h>
#include <fmt/format.h>

#include "strandline/base/error.h"

namespace strandline::quality::internal {
namespace {

constexpr std::size_t kSampleBytesMax = 80;

std::string_view VariableAt(const arrow::Array& array, std::int64_t row) {
  return static_cast<const arrow::BinaryArray&>(array).GetView(row);
}

}  // namespace

Result<KeyBytes> KeyBytes::Make(const arrow::RecordBatch& batch) {
  std::vector<Column> columns;
  for (const std::shared_ptr<arrow::Array>& array : batch.columns()) {
    Column column{.array = array};
    const arrow::Type::type id = array->type_id();
    if (arrow::is_binary_like(id)) {
      columns.push_back(std::move(column));
      continue;
    }
    if (id == arrow::Type::BOOL) {
      column.width = -1;
    } else if (arrow::is_fixed_width(id)) {
      const auto& type = static_cast<const arrow::FixedWidthType&>(*array->type());
      column.width = type.bit_width() / 8;
      column.values = array->data()->buffers[1]->data() + array->offset() * column.width;
    } else {
      return MakeError(ErrorKind::kUnsupported, "values of type {} cannot be compared as keys",
                       array->type()->ToString());
    }
    columns.push_back(std::move(column));
  }
  return KeyBytes(std::move(columns));
}

std::string_view KeyBytes::At(std::int64_t row) {
  for (const Column& column : columns_) {
    if (column.array->IsNull(row)) {
      return {};
    }
  }
  if (columns_.size() == 1 && columns_.front().width == 0) {
    const std::string_view value = VariableAt(*columns_.front().array, row);
    // An empty key is a key: it must not look like a null.
    return value.data() == nullptr ? std::string_view("", 0) : value;
  }
  buffer_.clear();
  for (const Column& column : columns_) {
    if (column.width == -1) {
      buffer_ += static_cast<const arrow::BooleanArray&>(*column.array).Value(row) ? '\1' : '\0';
    } else if (column.width > 0) {
      const auto width = static_cast<std::size_t>(column.width);
      const std::uint8_t* value = column.values + static_cast<std::size_t>(row) * width;
      buffer_.append(value, value + width);
    } else {
      const std::string_view value = VariableAt(*column.array, row);
      // The length in front keeps ("a", "bc") and ("ab", "c") apart.
      buffer_ += fmt::format("{}:", value.size());
      buffer_ += value;
    }
  }
  return buffer_;
}

const arrow::BinaryArray* KeyBytes::single_text() const {
  const bool single = columns_.size() == 1 && columns_.front().width == 0;
  return single ? static_cast<const arrow::BinaryArray*>(columns_.front().array.get()) : nullptr;
}

std::string KeyBytes::TextAt(std::int64_t row) const {
  std::string text;
  for (const Column& column : columns_) {
    if (!text.empty()) {
      text += ", ";
    }
    const auto scalar = column.array->GetScalar(row);
    text += scalar.ok() ? (*scalar)->ToString() : "?";
  }
  if (text.size() > kSampleBytesMax) {
    text.resize(kSampleBytesMax);
    text += "...";
  }
  return text;
}

}  // namespace strandline::quality::internal
