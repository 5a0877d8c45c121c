// The tests of expression.h for a single manifest or file. A scan prepares its pruners once
// instead.

#include <utility>

#include "strandline/table/scan/bound_expression.h"
#include "strandline/table/scan/expression.h"
#include "strandline/table/scan/internal/pruner.h"

namespace strandline::table {

bool ManifestMayMatch(const Expression& expression, const Schema& schema, const PartitionSpec& spec,
                      const ManifestFile& manifest) {
  Result<BoundExpression> bound = BindExpression(expression, schema);
  return !bound ||
         internal::Pruner(std::move(bound).value(), schema, spec).ManifestMayMatch(manifest);
}

bool FileMayMatch(const Expression& expression, const Schema& schema, const PartitionSpec& spec,
                  const DataFile& file) {
  Result<BoundExpression> bound = BindExpression(expression, schema);
  return !bound || internal::Pruner(std::move(bound).value(), schema, spec).FileMayMatch(file);
}

bool FileMustMatch(const Expression& expression, const Schema& schema, const PartitionSpec& spec,
                   const DataFile& file) {
  Result<BoundExpression> bound = BindExpression(expression, schema);
  return bound && internal::Pruner(std::move(bound).value(), schema, spec).FileMustMatch(file);
}

}  // namespace strandline::table
