#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "strandline/io/file_io.h"
#include "strandline/maintenance/fsck/fsck.h"
#include "strandline/table/metadata/table_metadata.h"

namespace strandline::maintenance::internal {

// What every check works with.
struct Context {
  io::FileIo& io;
  const table::TableMetadata& metadata;
  const FsckOptions& options;
  FsckReport& report;
};

template <typename... Args>
void AddFinding(Context& context, FsckKind kind, const std::string& file,
                fmt::format_string<Args...> format, Args&&... args) {
  if (context.report.findings.size() >= context.options.findings_max) {
    ++context.report.findings_left_out;
    return;
  }
  context.report.findings.push_back({kind, file, fmt::format(format, std::forward<Args>(args)...)});
}

// Sorts the outcome of reading `file`: a missing or broken file is a finding (false), one we do not
// read is counted (false), and only what kept us from looking is an error.
Result<bool> WasRead(Context& context, const std::string& file, const Status& outcome);

// Whether `file` is there; a finding when it is not, or when its size is not `size_bytes`.
Result<bool> CheckStored(Context& context, const std::string& file, std::int64_t size_bytes);

}  // namespace strandline::maintenance::internal
