#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <arrow/type_fwd.h>

#include "strandline/base/clock.h"
#include "strandline/engine/sql_analysis.h"
#include "strandline/table/scan/expression.h"

namespace strandline::engine {

// What `analysis` surely asks of the rows of its table number `table`, as literals of the columns'
// types. A comparison is left out when the engine would not compare it as a value of the column's
// type, or could see a row as matching that bounds rule out (NaN, which the engine takes for the
// largest number): the result lets through at least every row that matters.
table::Expression PushedFilter(const SqlAnalysis& analysis, std::size_t table,
                               const arrow::Schema& schema,
                               const std::map<std::string, Timestamp>& parameters);

}  // namespace strandline::engine
