#pragma once

#include <string>
#include <vector>

#include "strandline/io/file_io.h"
#include "strandline/pipeline/ingest/landed_file.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::pipeline {

// Where what lands or is declared has moved away from a source's table, without a row being wrong:
// a sentence each, for a person to act on. Columns of landed Parquet files that the table lacks are
// left out of it; a `partition:` that is not the table's (any more) decides nothing. Reads the
// files' footers; a file that cannot be read is left to ingest.
std::vector<std::string> SourceDrift(const LandingUnit& unit, const table::TableMetadata& metadata,
                                     io::FileIo& io);

}  // namespace strandline::pipeline
