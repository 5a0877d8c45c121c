#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/base/check.h"
#include "strandline/format/batch/arrow_status.h"
#include "strandline/format/landing/internal/byte_stream.h"
#include "strandline/format/landing/internal/json_row.h"
#include "strandline/format/landing/internal/line_reader.h"
#include "strandline/format/landing/internal/text_value.h"
#include "strandline/format/landing/landing_reader.h"

namespace strandline::format {
namespace {

// A batch is cut when its lines pass this, so that long lines do not make a large one.
constexpr std::int64_t kBatchBytesMax = 32 << 20;

// `type` is the builder's; asking it costs more than appending.
arrow::Status AppendValue(const landing::JsonValue& value, arrow::Type::type type,
                          arrow::ArrayBuilder& builder) {
  if (value.null) {
    return builder.AppendNull();
  }
  const auto as = [&]<typename Builder>(Builder*, const auto& converted) {
    return static_cast<Builder&>(builder).Append(converted);
  };
  switch (type) {
    case arrow::Type::BOOL:
      return as(static_cast<arrow::BooleanBuilder*>(nullptr), value.number != 0);
    case arrow::Type::INT32:
      return as(static_cast<arrow::Int32Builder*>(nullptr),
                static_cast<std::int32_t>(value.number));
    case arrow::Type::INT64:
      return as(static_cast<arrow::Int64Builder*>(nullptr), value.number);
    case arrow::Type::FLOAT:
      return as(static_cast<arrow::FloatBuilder*>(nullptr), static_cast<float>(value.real));
    case arrow::Type::DOUBLE:
      return as(static_cast<arrow::DoubleBuilder*>(nullptr), value.real);
    case arrow::Type::DECIMAL128:
      return as(static_cast<arrow::Decimal128Builder*>(nullptr),
                arrow::Decimal128(static_cast<std::int64_t>(value.decimal >> 64),
                                  static_cast<std::uint64_t>(value.decimal)));
    case arrow::Type::DATE32:
      return as(static_cast<arrow::Date32Builder*>(nullptr),
                static_cast<std::int32_t>(value.number));
    case arrow::Type::TIME64:
      return as(static_cast<arrow::Time64Builder*>(nullptr), value.number);
    case arrow::Type::TIMESTAMP:
      return as(static_cast<arrow::TimestampBuilder*>(nullptr), value.number);
    case arrow::Type::STRING:
      return as(static_cast<arrow::StringBuilder*>(nullptr), value.text);
    case arrow::Type::FIXED_SIZE_BINARY:
      return as(static_cast<arrow::FixedSizeBinaryBuilder*>(nullptr),
                std::string_view(value.bytes));
    default:
      SL_CHECK(false && "CheckJsonSchema() refused it");
      return {};
  }
}

class JsonLinesReader final : public LandingReader {
 public:
  JsonLinesReader(std::string location, landing::LineReader lines,
                  std::shared_ptr<arrow::Schema> schema, const LandingOptions& options)
      : location_(std::move(location)),
        lines_(std::move(lines)),
        schema_(std::move(schema)),
        parser_(schema_),
        batch_rows_(options.batch_rows) {}

  Status MakeBuilders() {
    for (const auto& field : schema_->fields()) {
      builders_.push_back(SL_TRY(FromArrow(arrow::MakeBuilder(field->type()))));
      types_.push_back(field->type()->id());
    }
    return {};
  }

  Result<std::unique_ptr<LandedBatch>> Next() override {
    auto batch = std::make_unique<LandedBatch>();
    std::int64_t bytes = 0;
    landing::Line line;
    while (static_cast<std::int64_t>(batch->positions.size() + batch->problems.size()) <
               batch_rows_ &&
           bytes < kBatchBytesMax) {
      if (!SL_TRY(lines_.Next(line), "reading {}", location_)) {
        break;
      }
      bytes += static_cast<std::int64_t>(line.text.size());
      SL_TRY(Take(line, *batch), "reading {}", location_);
    }
    if (batch->positions.empty() && batch->problems.empty()) {
      return std::unique_ptr<LandedBatch>();
    }

    arrow::ArrayVector columns;
    for (const auto& builder : builders_) {
      columns.push_back(SL_TRY(FromArrow(builder->Finish())));
    }
    batch->rows = arrow::RecordBatch::Make(
        schema_, static_cast<std::int64_t>(batch->positions.size()), std::move(columns));
    return batch;
  }

 private:
  Status Take(const landing::Line& line, LandedBatch& batch) {
    const std::int64_t row = next_row_++;
    if (line.too_long) {
      batch.problems.push_back({.position = line.offset,
                                .row = row,
                                .reason = "line too long",
                                .detail = fmt::format("{} bytes", line.length_bytes),
                                .column = {},
                                .raw = RawText(line.text)});
      return {};
    }
    if (std::optional<landing::JsonProblem> problem = parser_.Parse(line.text)) {
      batch.problems.push_back({.position = line.offset,
                                .row = row,
                                .reason = std::move(problem->reason),
                                .detail = {},
                                .column = std::move(problem->column),
                                .raw = RawText(line.text)});
      return {};
    }
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      SL_TRY(FromArrow(AppendValue(parser_.values()[i], types_[i], *builders_[i])));
    }
    batch.row_indexes.push_back(row);
    batch.positions.push_back(line.offset);
    return {};
  }

  std::string location_;
  landing::LineReader lines_;
  std::shared_ptr<arrow::Schema> schema_;
  landing::JsonRowParser parser_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;  // By column of the schema.
  std::vector<arrow::Type::type> types_;
  std::int64_t batch_rows_;
  std::int64_t next_row_ = 0;
};

}  // namespace

Result<std::unique_ptr<LandingReader>> OpenLandedJsonLines(io::FileIo& io,
                                                           const std::string& location,
                                                           std::int64_t size_bytes,
                                                           std::shared_ptr<arrow::Schema> schema,
                                                           const LandingOptions& options) {
  SL_TRY(landing::CheckJsonSchema(*schema), "reading {}", location);
  std::unique_ptr<landing::ByteStream> bytes =
      SL_TRY(landing::OpenByteStream(io, location, size_bytes));
  auto reader = std::make_unique<JsonLinesReader>(
      location, landing::LineReader(std::move(bytes), options.max_line_bytes), std::move(schema),
      options);
  SL_TRY(reader->MakeBuilders(), "reading {}", location);
  return std::unique_ptr<LandingReader>(std::move(reader));
}

}  // namespace strandline::format
