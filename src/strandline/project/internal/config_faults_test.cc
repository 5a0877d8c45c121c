#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/project/internal/project_folder.h"

// What is said of each fault in strandline.yml.
namespace strandline::project::internal {
namespace {

using ::testing::ElementsAreArray;

struct Case {
  std::string name;
  std::string text;  // Stands in the file exactly once,
  std::string replacement;
  std::vector<std::string> problems;  // and this is what `validate` says of it then.
};

TEST(Config, SaysWhatIsWrongAndWhere) {
  const Case cases[] = {
      {"no version",
       "version: 1\n",
       "",
       {"strandline.yml:1:1: a project needs the setting `version`"}},
      {"a version of another program",
       "version: 1",
       "version: 2",
       {"strandline.yml:1:10: `version` is a whole number from 1 to 1: found `2`"}},
      {"no name",
       "project: web",
       "project:",
       {"strandline.yml:2:1: `project` has no value: give one or leave the setting out"}},
      {"a name that is none",
       "project: web",
       "project: [web]",
       {"strandline.yml:2:10: `project` is a text, not a list"}},
      {"a slip",
       "defaults:",
       "default:",
       {"strandline.yml:5:1: unknown setting `default`: did you mean `defaults`?"}},
      {"an unknown setting",
       "version: 1\n",
       "version: 1\ncolour: red\n",
       {"strandline.yml:2:1: unknown setting `colour`: there are `version`, `project`, `catalogs`, "
        "`default_catalog`, `engine`, `defaults`"}},
      {"no catalogs at all",
       "catalogs:\n  web: {type: sql, uri: \"sqlite:///../catalog.db\", warehouse: lake}\n",
       "catalogs: {}\n",
       {"strandline.yml:3:11: `catalogs` is a mapping: the catalog's name, then its settings"}},
      {"a second catalog",
       "warehouse: lake}\n",
       "warehouse: lake}\n  other: {type: sql, uri: \"sqlite:///o.db\", warehouse: o}\n",
       {"strandline.yml:5:3: a second catalog is not supported yet: tables are named without their "
        "catalog"}},
      {"a catalog of a later version",
       "type: sql",
       "type: rest",
       {"strandline.yml:4:15: `type: rest` is not supported yet: use sql"}},
      {"a catalog of no kind",
       "type: sql",
       "type: slq",
       {"strandline.yml:4:15: `type` can not be `slq`: did you mean `sql`?"}},
      {"a database of a later version",
       "sqlite:///../catalog.db",
       "postgresql://h/db",
       {"strandline.yml:4:25: PostgreSQL catalogs are not supported yet: use sqlite:///PATH"}},
      {"a database without its scheme",
       "sqlite:///../catalog.db",
       "../catalog.db",
       {"strandline.yml:4:25: `uri` names the catalog's database as sqlite:///PATH (relative to "
        "this "
        "file) or sqlite:////PATH: found `../catalog.db`"}},
      {"a database without a path",
       "sqlite:///../catalog.db",
       "sqlite:///",
       {"strandline.yml:4:25: `uri` names the catalog's database as sqlite:///PATH (relative to "
        "this "
        "file) or sqlite:////PATH: found `sqlite:///`"}},
      {"a database whose path no file can have",
       "sqlite:///../catalog.db",
       "sqlite:///a\\0b",
       {"strandline.yml:4:25: `uri` has a zero byte in it: no file has such a name"}},
      {"a warehouse whose path no folder can have",
       "warehouse: lake",
       "warehouse: \"a\\0b\"",
       {"strandline.yml:4:63: `warehouse` has a zero byte in it: no file has such a name"}},
      {"a temporary folder whose path no folder can have",
       "defaults:",
       "engine: {temp_directory: \"a\\0b\"}\ndefaults:",
       {"strandline.yml:5:26: `temp_directory` has a zero byte in it: no file has such a name"}},
      {"no warehouse",
       ", warehouse: lake",
       "",
       {"strandline.yml:4:8: a catalog needs the setting `warehouse`"}},
      {"a warehouse in an object store",
       "warehouse: lake",
       "warehouse: \"s3://bucket/lake\"",
       {"strandline.yml:4:63: warehouses in object stores are not supported yet: use a folder, "
        "found "
        "`s3://bucket/lake`"}},
      {"a warehouse on another machine",
       "warehouse: lake",
       "warehouse: \"file://host/lake\"",
       {"strandline.yml:4:63: `warehouse` is a folder, as a path or as file:///PATH: found "
        "`file://host/lake`"}},
      {"a default catalog that is not there",
       "defaults:",
       "default_catalog: wbe\ndefaults:",
       {"strandline.yml:5:18: there is no catalog `wbe`: did you mean `web`?"}},
      {"an engine of a later version",
       "defaults:",
       "engine: {type: spark}\ndefaults:",
       {"strandline.yml:5:16: `type: spark` is not supported yet: use duckdb"}},
      {"no thread",
       "defaults:",
       "engine: {threads: 0}\ndefaults:",
       {"strandline.yml:5:19: `threads` is a whole number from 1 to 1024: found `0`"}},
      {"half a thread",
       "defaults:",
       "engine: {threads: 1.5}\ndefaults:",
       {"strandline.yml:5:19: `threads` is a whole number from 1 to 1024: found `1.5`"}},
      {"memory without a unit that is known",
       "defaults:",
       "engine: {memory_limit: 2 GB}\ndefaults:",
       {"strandline.yml:5:24: `memory_limit`: not a size: expected a whole number and a unit (kB, "
        "MB, "
        "GB, KiB, MiB, GiB) such as 512MiB or 2GiB, found '2 GB'"}},
      {"a tier that is none",
       "tier: 3",
       "tier: high",
       {"strandline.yml:5:35: `tier` is a whole number from 1 to 5: found `high`"}},
      {"a severity that is none",
       "severity: warn",
       "severity: error",
       {"strandline.yml:5:48: `severity` can not be `error`: there are `block`, `warn`, `info`"}},
      {"a variable that is not set",
       "owner: web-data",
       "owner: \"${OWNER}\"",
       {"strandline.yml:5:19: the environment variable `OWNER` is not set"}},
      {"a variable without a name",
       "owner: web-data",
       "owner: \"${}\"",
       {"strandline.yml:5:19: an environment variable is written ${NAME}: found `${}`"}},
      {"a variable that does not end",
       "owner: web-data",
       "owner: \"${OWNER\"",
       {"strandline.yml:5:19: an environment variable is written ${NAME}: found `${OWNER`"}},
      {"environments",
       "defaults:",
       "environments: {dev: {}}\ndefaults:",
       {"strandline.yml:5:1: `environments` is not supported yet: a project has one"}},
      {"tenants",
       "defaults:",
       "tenants: [a]\ndefaults:",
       {"strandline.yml:5:1: `tenants` is not supported yet: a table has one source"}},
      {"alerts",
       "defaults:",
       "alerts: {}\ndefaults:",
       {"strandline.yml:5:1: `alerts` is not supported yet: failures are on standard error and in "
        "the "
        "exit code"}},
      {"no mapping at all",
       "version: 1\nproject: web\ncatalogs:\n  web: {type: sql, uri: \"sqlite:///../catalog.db\", "
       "warehouse: lake}\ndefaults: {owner: web-data, tier: 3, severity: warn}\n",
       "- version\n",
       {"strandline.yml:1:1: a project is a mapping of settings, `name: value` each on its line"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ProjectFolder folder;
    folder.Replace("strandline.yml", c.text, c.replacement);

    EXPECT_THAT(folder.Problems(), ElementsAreArray(c.problems));
  }
}

}  // namespace
}  // namespace strandline::project::internal
