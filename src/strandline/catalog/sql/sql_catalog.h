#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "strandline/catalog/catalog.h"

namespace strandline::catalog {

// The moments of a commit at which a process may die with a different state left behind.
inline constexpr std::string_view kPointMetadataWritten = "metadata written";
inline constexpr std::string_view kPointInTransaction = "inside transaction";
inline constexpr std::string_view kPointCommitted = "committed, before the answer";

struct SqlCatalogOptions {
  std::string database_path = {};  // SQLite file; made when missing.
  std::string catalog_name = {};   // Part of every key (`catalog_name` column).
  std::string warehouse = {};      // Location under which new tables go.
  // Refuse to make the database: for commands that only read.
  bool must_exist = false;
  std::chrono::milliseconds busy_timeout{30000};
  // Called at each of the points above, in this order; for tests that kill the process there.
  std::function<void(std::string_view point)> on_point = {};
};

// The SQL catalog on SQLite: the tables `iceberg_tables` and `iceberg_namespace_properties` exactly
// as PyIceberg's SqlCatalog and Java's JdbcCatalog (schema V1) have them; a V0 database (no
// `iceberg_type`) gets the column with the first commit. Rollback journal, synchronous=EXTRA, BEGIN
// IMMEDIATE: commits of all processes queue for the database's write lock, and each checks its
// requirements while it holds it. Views that others keep in the same table are never listed nor
// loaded.
//
// `io`, `clock` and `rng` must outlive it. kUnavailable when the file stays locked beyond the busy
// timeout, kPermissionDenied when it cannot be opened, kNotFound when its folder is missing, and
// with `must_exist` the file, kCorrupt when it is no database.
Result<std::unique_ptr<Catalog>> OpenSqlCatalog(const SqlCatalogOptions& options, io::FileIo& io,
                                                const Clock& clock, Rng& rng);

}  // namespace strandline::catalog
