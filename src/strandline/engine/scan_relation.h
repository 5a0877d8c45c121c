#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "strandline/base/interval.h"
#include "strandline/engine/engine.h"
#include "strandline/io/file_io.h"
#include "strandline/table/read/scan_reader.h"
#include "strandline/table/scan/scan.h"

namespace strandline::engine {

// What of a table a statement may see.
struct ScanRelationOptions {
  // The files; absent: planned from the table's `main` when the statement runs, pruned by its
  // filters.
  std::optional<std::vector<table::ScanTask>> tasks;
  // Rows outside are left out, exactly.
  std::optional<table::ScanReadOptions::TimeCut> cut;
  // Null: nothing is shared.
  table::ColumnCache* cache = nullptr;
  bool prune = true;
};

// A table's rows as a Relation: the current schema's columns, read by field id, deletes applied.
// `io` must outlive it.
std::shared_ptr<Relation> MakeScanRelation(std::shared_ptr<const table::TableMetadata> metadata,
                                           ScanRelationOptions options, io::FileIo& io);

}  // namespace strandline::engine
