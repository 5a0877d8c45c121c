#pragma once

#include <vector>

#include "strandline/catalog/table_name.h"
#include "strandline/project/internal/model_file.h"
#include "strandline/project/internal/problem_list.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// What the files say one by one, before they are held against each other.
struct ProjectParts {
  std::vector<Source> sources;    // In file order.
  std::vector<ModelFile> models;  // In file order.
  // Tables that files with a broken syntax would declare, as far as their text shows it: such a
  // file costs only itself, so nobody else is told that its table is missing.
  std::vector<catalog::TableName> broken_tables;
  // A broken file does not even show its table: then no table can be called unknown.
  bool has_unknown_tables = false;
};

// Holds the files against each other: every table has one writer, every SELECT reads tables that
// are there and is repeatable (docs/STATE.md rule 10), inputs are told how to be read, no model
// depends on itself. Fills in each model's inputs, one per table that its SELECT names, by name.
void CheckProject(ProjectParts& parts, ProblemList& problems);

// Every model after the models that it reads; where that leaves a choice, by table name. Models on
// a cycle come last.
std::vector<Model> InOrderOfReading(std::vector<ModelFile> files);

}  // namespace strandline::project::internal
