#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/io/memory.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/schema.h>

namespace strandline::testing {

// How writers before the Parquet specification settled it laid out lists.
enum class OldListLayout {
  kHive,      // optional group tags (LIST) { repeated group bag { optional int64 array_element } }
  kTwoLevel,  // optional group tags (LIST) { repeated int64 array }
};

// The bytes of a Parquet file without field ids with one column `tags` and three rows: [1, 2],
// null, [].
inline std::string OldListFile(OldListLayout layout) {
  using parquet::Repetition;
  using parquet::schema::GroupNode;
  using parquet::schema::PrimitiveNode;
  const bool is_hive = layout == OldListLayout::kHive;
  const parquet::schema::NodePtr repeated =
      is_hive
          ? GroupNode::Make(
                "bag", Repetition::REPEATED,
                {PrimitiveNode::Make("array_element", Repetition::OPTIONAL, parquet::Type::INT64)})
          : PrimitiveNode::Make("array", Repetition::REPEATED, parquet::Type::INT64);
  const parquet::schema::NodePtr tags =
      GroupNode::Make("tags", Repetition::OPTIONAL, {repeated}, parquet::ConvertedType::LIST);
  const auto root =
      std::static_pointer_cast<GroupNode>(GroupNode::Make("schema", Repetition::REQUIRED, {tags}));

  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto file = parquet::ParquetFileWriter::Open(sink, root);
  auto* column = static_cast<parquet::Int64Writer*>(file->AppendRowGroup()->NextColumn());
  const std::int16_t here = is_hive ? 3 : 2;
  const std::int16_t definition[] = {here, here, 0, 1};
  const std::int16_t repetition[] = {0, 1, 0, 0};
  const std::int64_t values[] = {1, 2};
  column->WriteBatch(4, definition, repetition, values);
  file->Close();
  return sink->Finish().ValueOrDie()->ToString();
}

}  // namespace strandline::testing
