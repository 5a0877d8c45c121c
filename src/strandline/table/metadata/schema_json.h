#pragma once

#include <string>
#include <string_view>

#include "strandline/table/partition/partition_spec.h"
#include "strandline/table/schema/schema.h"

namespace strandline::table {

// Appendix C of the specification, "JSON serialization", for the parts that also stand in manifest
// headers. kCorrupt when the text is not such JSON.
std::string SchemaJson(const Schema& schema);
Result<Schema> ParseSchemaJson(std::string_view json);
std::string PartitionFieldsJson(const PartitionSpec& spec);
Result<std::vector<PartitionField>> ParsePartitionFieldsJson(std::string_view json);

}  // namespace strandline::table
