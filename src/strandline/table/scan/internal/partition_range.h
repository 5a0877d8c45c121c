#pragma once

#include "strandline/table/partition/transform.h"
#include "strandline/table/scan/value_range.h"

namespace strandline::table::internal {

// What partition values say about the column that they were made from: every source value that
// `transform` could have turned into one of `partition`. A predicate is tested against this range
// instead of being projected onto the transform: one function answers both "may match" and "must
// match", for every transform and comparison.
//
// Void and unknown transforms say nothing, buckets only whether there are nulls.
//
// Day, month, year and hour values up to 0 are taken one unit wider below: old Java writers rounded
// times before 1970 towards zero.
ValueRange SourceRange(const Transform& transform, const Type& source, const ValueRange& partition);

}  // namespace strandline::table::internal
