#pragma once

#include <cstdint>

#include "strandline/base/id.h"

namespace strandline::table {

using FieldId = Id<struct FieldIdTag, std::int32_t>;
using SchemaId = Id<struct SchemaIdTag, std::int32_t>;
using SpecId = Id<struct SpecIdTag, std::int32_t>;
using SortOrderId = Id<struct SortOrderIdTag, std::int32_t>;
using SnapshotId = Id<struct SnapshotIdTag>;
using SequenceNumber = Id<struct SequenceNumberTag>;

}  // namespace strandline::table
