#pragma once

#include <optional>

#include "strandline/project/project.h"
#include "strandline/table/schema/schema.h"

namespace strandline::pipeline {

// The column that the units of a source's table go by; absent when the table lacks it.
std::optional<table::FieldId> TimeColumnOf(const project::Source& source,
                                           const table::Schema& schema);

// The column that says which window a row of a model's table belongs to: `time:`, or the only one
// of a time type; absent when there is none or a choice.
std::optional<table::FieldId> TimeColumnOf(const project::Model& model,
                                           const table::Schema& schema);

}  // namespace strandline::pipeline
