#pragma once

#include "strandline/io/file_io.h"
#include "strandline/pipeline/plan/plan.h"

namespace strandline::pipeline {

// Fills in the rows of planned ingests from the footers of their Parquet files; those of other
// formats stay unknown. For showing a plan to a person: running it does not need the number. A file
// that cannot be read leaves its unit's number unknown: ingest will say why.
Status CountLandedRows(Plan& plan, io::FileIo& io);

}  // namespace strandline::pipeline
