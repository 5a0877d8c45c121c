#pragma once

#include <optional>
#include <vector>

#include "strandline/table/schema/schema.h"

namespace strandline::pipeline {

// Field ids of the bookkeeping columns a table has, found by name (STATE.md rule 2).
struct BookkeepingIds {
  std::optional<table::FieldId> unit;
  std::optional<table::FieldId> stamp;
  std::optional<table::FieldId> logic;
  std::optional<table::FieldId> seq;

  std::vector<table::FieldId> present() const;
};

BookkeepingIds FindBookkeeping(const table::Schema& schema);

}  // namespace strandline::pipeline
