#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "strandline/engine/sql_analysis.h"

namespace strandline::engine {

// Which entry of `tables` a table node of the tree is.
using TableMentions = std::map<const nlohmann::json*, std::size_t>;

// Finds the comparisons that rows of the tables read by one SELECT_NODE must satisfy, from its
// WHERE and its joins' ON. What is not surely safe is left out.
std::vector<SqlConjunct> ConjunctsOf(const nlohmann::json& select, const TableMentions& mentions,
                                     const std::vector<SqlTable>& tables);

}  // namespace strandline::engine
