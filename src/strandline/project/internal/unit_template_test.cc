#include "strandline/project/internal/unit_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/time_text.h"
#include "tests/support/matchers.h"

namespace strandline::project {
namespace {

using testing::Fails;
using ::testing::HasSubstr;
using testing::IsOk;

Timestamp At(std::string_view text) { return ParseTimestamp(text).value(); }

TEST(UnitPath, PutsTheUnitIntoItsFolder) {
  struct Case {
    std::string name;
    std::string path;
    std::string unit;
    std::string filled;
  };
  const Case cases[] = {
      {"an hour", "/l/x/{unit:%Y-%m-%d-%H}/*.parquet", "2026-11-30T05Z",
       "/l/x/2026-11-30-05/*.parquet"},
      {"a day", "/l/x/{unit:%Y-%m-%d}/*.parquet", "2026-11-30", "/l/x/2026-11-30/*.parquet"},
      {"without separators", "/l/{unit:%Y%m%d%H}/*", "2026-01-02T03Z", "/l/2026010203/*"},
      {"as part of the folder's name", "/l/dt={unit:%Y-%m-%d-%H}.v1/*.json.gz", "2026-11-30T23Z",
       "/l/dt=2026-11-30-23.v1/*.json.gz"},
      {"another order", "/l/{unit:%H-%d-%m-%Y}/*", "2026-11-30T05Z", "/l/05-30-11-2026/*"},
      {"a location", "file:///l/{unit:%Y-%m-%d-%H}/a.parquet", "2026-11-30T05Z",
       "file:///l/2026-11-30-05/a.parquet"},
      {"an early year keeps four digits", "/l/{unit:%Y-%m-%d}/*", "0007-01-01", "/l/0007-01-01/*"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    const std::string filled = UnitPath(c.path, At(c.unit));

    EXPECT_EQ(filled, c.filled);
    const std::string folder = filled.substr(0, filled.rfind('/'));
    EXPECT_EQ(UnitOfFolder(c.path, folder.substr(folder.rfind('/') + 1)), At(c.unit));
  }
}

TEST(UnitOfFolder, ReadsUnitsAndNothingElse) {
  const std::string path = "/l/dt={unit:%Y-%m-%d-%H}.v1/*.parquet";
  struct Case {
    std::string name;
    std::string folder;
    std::optional<Timestamp> unit;
  };
  const Case cases[] = {
      {"a unit", "dt=2026-11-30-05.v1", At("2026-11-30T05Z")},
      {"a leap day", "dt=2028-02-29-00.v1", At("2028-02-29")},
      {"no such day", "dt=2026-02-29-00.v1", std::nullopt},
      {"no such hour", "dt=2026-11-30-24.v1", std::nullopt},
      {"no month", "dt=2026-00-30-05.v1", std::nullopt},
      {"a digit left out", "dt=2026-11-30-5.v1", std::nullopt},
      {"a digit too many", "dt=2026-11-30-055.v1", std::nullopt},
      {"a sign is no digit", "dt=2026-11-30-+5.v1", std::nullopt},
      {"without what comes before", "2026-11-30-05.v1", std::nullopt},
      {"without what comes after", "dt=2026-11-30-05", std::nullopt},
      {"before and after overlap", "dt=.v1", std::nullopt},
      {"a temporary folder", ".dt=2026-11-30-05.v1", std::nullopt},
      {"nothing", "", std::nullopt},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    EXPECT_EQ(UnitOfFolder(path, c.folder), c.unit);
  }
}

TEST(ParseUnitTemplate, RefusesPathsThatDoNotNameOneFolderAUnit) {
  struct Case {
    std::string name;
    std::string path;
    std::string message;
  };
  const Case cases[] = {
      {"no unit", "/l/x/*.parquet", "the path needs one {unit:...}"},
      {"a unit that does not end", "/l/{unit:%Y/*.parquet", "the path needs one {unit:...}"},
      {"two units", "/l/{unit:%Y}/{unit:%m}/*", "more than one pair of braces"},
      {"other braces", "/l/{a,b}/{unit:%Y}/*", "more than one pair of braces"},
      {"several folders", "/l/{unit:%Y/%m/%d/%H}/*", "a unit is one folder"},
      {"no files", "/l/{unit:%Y}", "after the unit's folder comes one pattern"},
      {"an empty pattern", "/l/{unit:%Y}/", "after the unit's folder comes one pattern"},
      {"files further down", "/l/{unit:%Y}/a/*", "after the unit's folder comes one pattern"},
      {"a pattern before the unit", "/l/*/{unit:%Y}/*", "only the files' names can be a pattern"},
      {"a pattern beside the unit", "/l/{unit:%Y}*/x", "only the files' names can be a pattern"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    EXPECT_THAT(internal::ParseUnitTemplate(c.path),
                Fails(ErrorKind::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(CheckUnitFormat, WantsEachPartOfTheUnitOnce) {
  struct Case {
    std::string name;
    std::string format;
    Unit unit;
    bool is_right;
  };
  const Case cases[] = {
      {"an hour", "%Y-%m-%d-%H", Unit::kHour, true},
      {"an hour without separators", "%Y%m%d%H", Unit::kHour, true},
      {"a day", "%Y-%m-%d", Unit::kDay, true},
      {"an hour without its hour", "%Y-%m-%d", Unit::kHour, false},
      {"a day with an hour", "%Y-%m-%d-%H", Unit::kDay, false},
      {"a part twice", "%Y-%m-%d-%H-%H", Unit::kHour, false},
      {"a code that is not known", "%Y-%m-%d-%H-%M", Unit::kHour, false},
      {"a percent sign at the end", "%Y-%m-%d-%H%", Unit::kHour, false},
      {"a doubled percent sign", "%Y-%m-%d-%H%%", Unit::kHour, false},
      {"a day of the year", "%Y-%j", Unit::kDay, false},
      {"nothing", "", Unit::kDay, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    if (c.is_right) {
      EXPECT_THAT(internal::CheckUnitFormat(c.format, c.unit), IsOk());
    } else {
      EXPECT_THAT(internal::CheckUnitFormat(c.format, c.unit),
                  Fails(ErrorKind::kInvalidArgument, HasSubstr("each once")));
    }
  }
}

}  // namespace
}  // namespace strandline::project
