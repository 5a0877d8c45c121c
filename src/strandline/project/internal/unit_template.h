#pragma once

#include <string>
#include <string_view>

#include "strandline/base/clock.h"
#include "strandline/base/result.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// A path such as `/landing/x/dt={unit:%Y-%m-%d-%H}/*.parquet`, taken apart. Rebuilt from its parts
// it is the path again.
struct UnitTemplate {
  std::string parent;         // `/landing/x/`: no pattern in it.
  std::string before, after;  // Around the unit in its folder's name: `dt=` and nothing.
  std::string format;         // `%Y-%m-%d-%H`
  std::string files;          // `*.parquet`: one level, `*` and `?` match.
};

// kInvalidArgument when the path does not hold exactly one `{unit:FORMAT}`, in the name of the last
// folder, followed by the files' pattern.
Result<UnitTemplate> ParseUnitTemplate(std::string_view path);

// Whether `format` names a unit of that length and nothing else: %Y, %m, %d and for hours %H, each
// once. kInvalidArgument otherwise.
Status CheckUnitFormat(std::string_view format, Unit unit);

std::string FormatUnit(std::string_view format, Timestamp unit);

}  // namespace strandline::project::internal
