#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "strandline/catalog/catalog.h"

namespace strandline::catalog {

struct SqlCatalogOptions {
  std::string database_path;  // SQLite file; made when missing.
  std::string catalog_name;   // Part of every key (`catalog_name` column).
  std::string warehouse;      // Location under which new tables go.
  // Refuse to make the database: for commands that only read.
  bool must_exist = false;
  std::chrono::milliseconds busy_timeout{30000};
};

// The SQL catalog on SQLite: the tables `iceberg_tables` and `iceberg_namespace_properties` exactly
// as PyIceberg's SqlCatalog and Java's JdbcCatalog (schema V1) have them; a V0 database (no
// `iceberg_type`) gets the column once. Rollback journal, synchronous=FULL, BEGIN IMMEDIATE. `io`,
// `clock` and `rng` must outlive it. kUnavailable when the file cannot be opened or stays locked
// beyond the busy timeout, kNotFound with `must_exist`.
Result<std::unique_ptr<Catalog>> OpenSqlCatalog(const SqlCatalogOptions& options, io::FileIo& io,
                                                const Clock& clock, Rng& rng);

}  // namespace strandline::catalog
