#include "strandline/catalog/sql/internal/catalog_rows.h"

#include <utility>

#include "strandline/base/ignore_error.h"

namespace strandline::catalog::internal {
namespace {

// Column types as PyIceberg and Java declare them. Frozen: other programs' databases have these.
constexpr const char* kCreateTables =
    "CREATE TABLE IF NOT EXISTS iceberg_tables ("
    "catalog_name VARCHAR(255) NOT NULL, "
    "table_namespace VARCHAR(255) NOT NULL, "
    "table_name VARCHAR(255) NOT NULL, "
    "metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), "
    "iceberg_type VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name));"
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties ("
    "catalog_name VARCHAR(255) NOT NULL, "
    "namespace VARCHAR(255) NOT NULL, "
    "property_key VARCHAR(255) NOT NULL, "
    "property_value VARCHAR(1000), "
    "PRIMARY KEY (catalog_name, namespace, property_key))";

constexpr const char* kAddTypeColumn =
    "ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)";

}  // namespace

Result<CatalogRows> CatalogRows::Open(const std::string& path, std::string catalog_name,
                                      Sqlite::Mode mode, std::chrono::milliseconds busy_timeout) {
  Sqlite sqlite = SL_TRY(Sqlite::Open(path, mode, busy_timeout));
  CatalogRows rows(std::move(sqlite), std::move(catalog_name));
  // FULL would not sync the folder after the journal is deleted: after a power cut the journal
  // could be there again and roll back what was acknowledged (docs/decisions/0008).
  SL_TRY(rows.sqlite_.Execute("PRAGMA synchronous=EXTRA"));
  const bool has_tables = SL_TRY(rows.HasColumn("metadata_location"));
  if (has_tables) {
    rows.has_type_ = SL_TRY(rows.HasColumn("iceberg_type"));
    return rows;
  }
  if (mode == Sqlite::Mode::kMustExist) {
    return MakeError(ErrorKind::kNotFound, "database holds no Iceberg catalog: {}", path);
  }
  SL_TRY(rows.UseRollbackJournal());
  SL_TRY(rows.sqlite_.Execute("BEGIN IMMEDIATE"));
  const Status created = rows.sqlite_.Execute(kCreateTables);
  if (!created) {
    rows.Rollback();
    return created.error();
  }
  SL_TRY(rows.sqlite_.Execute("COMMIT"));
  return rows;
}

Result<bool> CatalogRows::HasColumn(const char* column) {
  Statement statement =
      SL_TRY(sqlite_.Prepare("SELECT 1 FROM pragma_table_info('iceberg_tables') WHERE name = ?"));
  return statement.Bind(column).Step();
}

Result<std::optional<TableRow>> CatalogRows::Find(const std::string& name_space,
                                                  const std::string& table) {
  Statement statement = SL_TRY(sqlite_.Prepare(
      has_type_ ? "SELECT metadata_location, iceberg_type FROM iceberg_tables "
                  "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"
                : "SELECT metadata_location, NULL FROM iceberg_tables "
                  "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"));
  const bool has_row = SL_TRY(statement.Bind(catalog_name_).Bind(name_space).Bind(table).Step());
  if (!has_row) {
    return std::optional<TableRow>();
  }
  // No type: a table, from a time when there was nothing else.
  const bool is_view = statement.Text(1).value_or("TABLE") != "TABLE";
  std::optional<std::string> location = statement.Text(0);
  if (!location && !is_view) {
    return MakeError(ErrorKind::kCorrupt,
                     "catalog row of table {}.{} has no metadata_location in {}", name_space, table,
                     sqlite_.path());
  }
  return std::optional(
      TableRow{.metadata_location = std::move(location).value_or(""), .is_view = is_view});
}

Result<std::vector<std::string>> CatalogRows::ReadNames(Statement& statement) {
  std::vector<std::string> names;
  while (true) {
    const bool has_row = SL_TRY(statement.Step());
    if (!has_row) {
      return names;
    }
    names.push_back(statement.Text(0).value_or(""));
  }
}

Result<std::vector<std::string>> CatalogRows::ListTables(const std::string& name_space) {
  Statement statement = SL_TRY(sqlite_.Prepare(
      has_type_ ? "SELECT table_name FROM iceberg_tables "
                  "WHERE catalog_name = ? AND table_namespace = ? "
                  "AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL) ORDER BY table_name"
                : "SELECT table_name FROM iceberg_tables "
                  "WHERE catalog_name = ? AND table_namespace = ? ORDER BY table_name"));
  return ReadNames(statement.Bind(catalog_name_).Bind(name_space));
}

Result<std::vector<std::string>> CatalogRows::ListNamespaces() {
  Statement statement =
      SL_TRY(sqlite_.Prepare("SELECT table_namespace FROM iceberg_tables WHERE catalog_name = ? "
                             "UNION SELECT namespace FROM iceberg_namespace_properties "
                             "WHERE catalog_name = ? ORDER BY 1"));
  return ReadNames(statement.Bind(catalog_name_).Bind(catalog_name_));
}

Result<std::vector<std::string>> CatalogRows::ListCatalogs() {
  Statement statement = SL_TRY(
      sqlite_.Prepare("SELECT catalog_name FROM iceberg_tables "
                      "UNION SELECT catalog_name FROM iceberg_namespace_properties ORDER BY 1"));
  return ReadNames(statement);
}

Status CatalogRows::Insert(const std::string& name_space, const std::string& table,
                           const std::string& location) {
  Statement statement = SL_TRY(
      sqlite_.Prepare("INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
                      "metadata_location, previous_metadata_location, iceberg_type) "
                      "VALUES (?, ?, ?, ?, NULL, 'TABLE')"));
  SL_TRY(statement.Bind(catalog_name_).Bind(name_space).Bind(table).Bind(location).Step());
  return {};
}

Result<bool> CatalogRows::Swap(const std::string& name_space, const std::string& table,
                               const std::string& expected, const std::string& location) {
  Statement statement =
      SL_TRY(sqlite_.Prepare("UPDATE iceberg_tables "
                             "SET metadata_location = ?, previous_metadata_location = ? "
                             "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? "
                             "AND metadata_location = ? "
                             "AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)"));
  statement.Bind(location).Bind(expected);
  statement.Bind(catalog_name_).Bind(name_space).Bind(table).Bind(expected);
  SL_TRY(statement.Step());
  return sqlite_.changes() == 1;
}

Status CatalogRows::DeclareNamespace(const std::string& name_space) {
  // `exists` is what PyIceberg and Java write for a namespace without properties.
  Statement statement =
      SL_TRY(sqlite_.Prepare("INSERT INTO iceberg_namespace_properties "
                             "(catalog_name, namespace, property_key, property_value) "
                             "SELECT ?, ?, 'exists', 'true' WHERE NOT EXISTS (SELECT 1 "
                             "FROM iceberg_namespace_properties "
                             "WHERE catalog_name = ? AND namespace = ?)"));
  statement.Bind(catalog_name_).Bind(name_space).Bind(catalog_name_).Bind(name_space);
  SL_TRY(statement.Step());
  return {};
}

Status CatalogRows::UseRollbackJournal() {
  if (has_rollback_journal_) {
    return {};
  }
  Statement statement = SL_TRY(sqlite_.Prepare("PRAGMA journal_mode=DELETE"));
  const bool has_row = SL_TRY(statement.Step(), "leaving the journal mode another program set");
  const std::string mode = has_row ? statement.Text(0).value_or("") : "";
  // SQLite answers with the mode that it stays in. A database in memory knows only its own.
  if (mode != "delete" && mode != "memory") {
    return MakeError(ErrorKind::kUnavailable,
                     "catalog database stays in journal mode `{}` where `delete` was asked for: {}",
                     mode, sqlite_.path());
  }
  has_rollback_journal_ = true;
  return {};
}

Status CatalogRows::AddTypeColumn() {
  SL_TRY(sqlite_.Execute("BEGIN IMMEDIATE"));
  // Another program may have added it since it was last looked for.
  const Result<bool> is_there = HasColumn("iceberg_type");
  Status added = is_there ? Status() : Status(is_there.error());
  if (is_there && !*is_there) {
    added = sqlite_.Execute(kAddTypeColumn);
  }
  if (added) {
    added = sqlite_.Execute("COMMIT");
  }
  has_type_ = added.has_value();
  Rollback();
  return added;
}

Status CatalogRows::Begin() {
  SL_TRY(UseRollbackJournal());
  if (!has_type_) {
    SL_TRY(AddTypeColumn(), "bringing the catalog to schema V1");
  }
  return sqlite_.Execute("BEGIN IMMEDIATE");
}

Status CatalogRows::Commit() {
  Status committed = sqlite_.Execute("COMMIT");
  if (committed) {
    return {};
  }
  // A reader kept the file for too long: SQLite did not get as far as changing anything.
  const bool is_undone = sqlite_.was_busy() && sqlite_.in_transaction();
  Rollback();
  if (is_undone) {
    return committed;
  }
  return Error{ErrorKind::kCommitUnknown,
               "the end of the transaction was not confirmed: " + committed.error().message};
}

void CatalogRows::Rollback() {
  if (sqlite_.in_transaction()) {
    IgnoreError(sqlite_.Execute("ROLLBACK"), "SQLite rolls back itself when the file is next used");
  }
}

}  // namespace strandline::catalog::internal
