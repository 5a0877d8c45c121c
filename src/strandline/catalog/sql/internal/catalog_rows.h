#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "strandline/base/result.h"
#include "strandline/catalog/sql/internal/sqlite.h"

namespace strandline::catalog::internal {

// One row of `iceberg_tables`.
struct TableRow {
  std::string metadata_location;
  bool is_view = false;
};

// The rows of one catalog in a database that PyIceberg's SqlCatalog and Java's JdbcCatalog share:
// `iceberg_tables` and `iceberg_namespace_properties`, schema V1. Knows SQL and nothing of what the
// rows point at. Names are compared byte by byte, never with LIKE. Not thread-safe. Fails as Sqlite
// does.
class CatalogRows {
 public:
  // Makes the tables when they are missing, unless the database must exist: then kNotFound.
  static Result<CatalogRows> Open(const std::string& path, std::string catalog_name,
                                  Sqlite::Mode mode, std::chrono::milliseconds busy_timeout);

  // kCorrupt for a table's row that says nothing of where the table is.
  Result<std::optional<TableRow>> Find(const std::string& name_space, const std::string& table);
  // Tables of exactly this namespace, without views, sorted.
  Result<std::vector<std::string>> ListTables(const std::string& name_space);
  // Every namespace that is declared or holds something, as stored, sorted.
  Result<std::vector<std::string>> ListNamespaces();
  // The names of all catalogs in the database, sorted.
  Result<std::vector<std::string>> ListCatalogs();

  // The following write, inside Begin() and Commit().
  // kAlreadyExists when the name is taken, by a view too.
  Status Insert(const std::string& name_space, const std::string& table,
                const std::string& location);
  // Moves the table from `expected` to `location`; false when it is not at `expected`.
  Result<bool> Swap(const std::string& name_space, const std::string& table,
                    const std::string& expected, const std::string& location);
  // Declares the namespace unless it is.
  Status DeclareNamespace(const std::string& name_space);

  // Takes the write lock: what is read from here on cannot change before Commit().
  Status Begin();
  // kUnavailable: nothing was changed. kCommitUnknown: old or new, and only reading tells.
  Status Commit();
  void Rollback();

 private:
  CatalogRows(Sqlite sqlite, std::string catalog_name)
      : sqlite_(std::move(sqlite)), catalog_name_(std::move(catalog_name)) {}

  // Before the first write: the mode is part of the file, and another program may have left WAL.
  // kUnavailable while others have the file open in such a mode.
  Status UseRollbackJournal();
  Status AddTypeColumn();
  Result<bool> HasColumn(const char* column);
  Result<std::vector<std::string>> ReadNames(Statement& statement);

  Sqlite sqlite_;
  std::string catalog_name_;
  // A V0 database has no `iceberg_type`; it gets the column with the first write.
  bool has_type_ = true;
  bool has_rollback_journal_ = false;  // Whether it was seen to.
};

}  // namespace strandline::catalog::internal
