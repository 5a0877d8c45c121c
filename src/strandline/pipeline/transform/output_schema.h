#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "strandline/project/project.h"
#include "strandline/table/metadata/table_metadata.h"
#include "strandline/table/update/update.h"

namespace strandline::pipeline {

// The statement whose answer is stored: the model's SELECT, with the casts of `columns:` around it.
std::string StoredSql(const project::Model& model);

// Columns that a blocking not_null promises: required in the table.
std::set<std::string> RequiredColumns(const project::Model& model);

// Name of the output column that holds the window's start: `time:`, or the only column of a time
// type. kInvalidArgument when there is none or a choice.
Result<std::string> TimeColumnOfOutput(const project::Model& model, const arrow::Schema& answer);

// The table that the first window of a model makes: all columns optional unless a blocking not_null
// says otherwise, bookkeeping last, partitioned by `<window>(time)` or as `partition:` says.
// kUnsupported for types that a table cannot hold.
Result<table::NewTable> NewModelTable(const project::Model& model, const arrow::Schema& answer,
                                      std::string location, std::string uuid);

// How an answer fits the table there is: absent when its columns are all there; otherwise the
// schema with the new ones (before the bookkeeping columns in nobody's way: appended).
// kInvalidArgument for a column that the answer lacks, one of another type, or a new one under
// `on_schema_change: fail`.
Result<std::optional<table::Schema>> EvolvedSchema(const project::Model& model,
                                                   const arrow::Schema& answer,
                                                   const table::TableMetadata& metadata);

}  // namespace strandline::pipeline
