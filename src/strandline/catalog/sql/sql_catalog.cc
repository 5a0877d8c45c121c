#include "strandline/catalog/sql/sql_catalog.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "strandline/base/ignore_error.h"
#include "strandline/base/log.h"
#include "strandline/base/uuid.h"
#include "strandline/catalog/sql/internal/catalog_rows.h"
#include "strandline/io/location.h"
#include "strandline/table/update/attempt_files.h"

namespace strandline::catalog {
namespace {

using internal::CatalogRows;
using internal::TableRow;
using table::AttemptFiles;
using table::TableMetadata;

// Metadata of this many tables is kept, so that a commit need not read again what was just loaded.
constexpr std::size_t kCachedTablesMax = 256;

// How many names an error lists.
constexpr std::size_t kNamesShownMax = 10;

// How often a table is looked up again when its metadata file went away under the reader.
constexpr int kLoadAttemptsMax = 3;

std::string Shown(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamesShownMax);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) {
    text += fmt::format(" and {} more", names.size() - shown);
  }
  return text;
}

std::vector<std::string> Split(std::string_view name_space) {
  std::vector<std::string> levels;
  while (true) {
    const std::size_t dot = name_space.find('.');
    levels.emplace_back(name_space.substr(0, dot));
    if (dot == std::string_view::npos) {
      return levels;
    }
    name_space.remove_prefix(dot + 1);
  }
}

bool AsksForCreation(const table::CommitRequest& request) {
  return std::ranges::any_of(request.requirements, [](const table::Requirement& requirement) {
    return std::holds_alternative<table::AssertCreate>(requirement);
  });
}

// One table of a commit, checked and written, not yet visible.
struct Staged {
  TableName name;
  std::optional<std::string> previous_location;  // Absent: the table is new.
  LoadedTable table;
  std::vector<std::string> dropped_files;  // To be deleted once the commit has landed.
};

class SqlCatalog final : public Catalog {
 public:
  SqlCatalog(SqlCatalogOptions options, CatalogRows rows, io::FileIo& io, const Clock& clock,
             Rng& rng)
      : options_(std::move(options)), rows_(std::move(rows)), io_(io), clock_(clock), rng_(rng) {}

  Result<LoadedTable> LoadTable(const TableName& name) override;
  Result<std::string> CurrentMetadataLocation(const TableName& name) override;
  Result<std::vector<TableName>> ListTables(const std::vector<std::string>& levels) override;
  Result<std::vector<std::vector<std::string>>> ListNamespaces() override;
  Status CreateNamespace(const std::vector<std::string>& levels) override;
  std::string DefaultLocation(const TableName& name) const override;
  Result<std::vector<LoadedTable>> CommitTables(std::span<const TableCommit> commits) override;

 private:
  // All of these need `mutex_`.
  Result<std::string> FindLocation(const TableName& name);
  Error NotThere(const TableName& name);
  Result<std::optional<LoadedTable>> FindBase(const TableName& name);
  Result<Staged> Stage(const TableCommit& commit, AttemptFiles& files);
  Status SwapPointer(const Staged& staged);
  Result<std::vector<Staged>> DoCommit(std::span<const TableCommit> commits, AttemptFiles& files);

  Result<LoadedTable> ReadMetadata(const TableName& name, const std::string& location);
  void Remember(const LoadedTable& table);
  void Reach(std::string_view point) const;

  const SqlCatalogOptions options_;
  std::mutex mutex_;  // Guards rows_: one connection, one transaction at a time.
  CatalogRows rows_;
  io::FileIo& io_;
  const Clock& clock_;
  Rng& rng_;
  std::mutex cache_mutex_;
  std::map<TableName, LoadedTable> cache_;
};

void SqlCatalog::Reach(std::string_view point) const {
  if (options_.on_point) {
    options_.on_point(point);
  }
}

void SqlCatalog::Remember(const LoadedTable& table) {
  const std::scoped_lock lock(cache_mutex_);
  if (cache_.size() >= kCachedTablesMax) {
    cache_.clear();
  }
  cache_[table.name] = table;
}

Error SqlCatalog::NotThere(const TableName& name) {
  const std::string name_space = NamespaceText(name.levels);
  const std::string what =
      fmt::format("there is no table {} in catalog {}", ToString(name), options_.catalog_name);
  const Result<std::vector<std::string>> tables = rows_.ListTables(name_space);
  if (tables && !tables->empty()) {
    return MakeError(ErrorKind::kNotFound, "{}; namespace {} has: {}", what, name_space,
                     Shown(*tables));
  }
  const Result<std::vector<std::string>> namespaces = rows_.ListNamespaces();
  if (namespaces && !namespaces->empty()) {
    return MakeError(ErrorKind::kNotFound, "{}; its namespaces: {}", what, Shown(*namespaces));
  }
  const Result<std::vector<std::string>> catalogs = rows_.ListCatalogs();
  if (catalogs && !catalogs->empty()) {
    return MakeError(ErrorKind::kNotFound,
                     "{}, which is empty; the catalogs in this database are named: {}", what,
                     Shown(*catalogs));
  }
  return MakeError(ErrorKind::kNotFound, "{}; the database is empty", what);
}

Result<std::string> SqlCatalog::FindLocation(const TableName& name) {
  const std::optional<TableRow> row = SL_TRY(rows_.Find(NamespaceText(name.levels), name.table));
  if (!row) {
    return NotThere(name);
  }
  if (row->is_view) {
    return MakeError(ErrorKind::kNotFound, "{} is a view, not a table", ToString(name));
  }
  return row->metadata_location;
}

Result<LoadedTable> SqlCatalog::ReadMetadata(const TableName& name, const std::string& location) {
  {
    const std::scoped_lock lock(cache_mutex_);
    const auto cached = cache_.find(name);
    if (cached != cache_.end() && cached->second.metadata_location == location) {
      return cached->second;
    }
  }
  const std::string bytes = SL_TRY(io::ReadFile(io_, location), "loading {}", ToString(name));
  TableMetadata metadata =
      SL_TRY(table::ParseTableMetadata(bytes, location), "loading {}", ToString(name));
  LoadedTable table{.name = name,
                    .metadata_location = location,
                    .metadata = std::make_shared<const TableMetadata>(std::move(metadata))};
  Remember(table);
  return table;
}

Result<std::string> SqlCatalog::CurrentMetadataLocation(const TableName& name) {
  SL_TRY(CheckTableName(name));
  const std::scoped_lock lock(mutex_);
  return FindLocation(name);
}

Result<LoadedTable> SqlCatalog::LoadTable(const TableName& name) {
  std::string previous;
  for (int attempt = 1;; ++attempt) {
    const std::string location = SL_TRY(CurrentMetadataLocation(name));
    Result<LoadedTable> loaded = ReadMetadata(name, location);
    if (loaded || loaded.error().kind != ErrorKind::kNotFound) {
      return loaded;
    }
    // A writer may have replaced and deleted the file since the look-up; then there is a newer one.
    if (location == previous || attempt == kLoadAttemptsMax) {
      return MakeError(ErrorKind::kCorrupt, "the metadata file of {} is missing: {}",
                       ToString(name), location);
    }
    previous = location;
  }
}

Result<std::vector<TableName>> SqlCatalog::ListTables(const std::vector<std::string>& levels) {
  SL_TRY(CheckNamespace(levels));
  const std::scoped_lock lock(mutex_);
  const std::vector<std::string> names = SL_TRY(rows_.ListTables(NamespaceText(levels)));
  std::vector<TableName> tables;
  tables.reserve(names.size());
  for (const std::string& name : names) {
    tables.push_back({levels, name});
  }
  return tables;
}

Result<std::vector<std::vector<std::string>>> SqlCatalog::ListNamespaces() {
  const std::scoped_lock lock(mutex_);
  const std::vector<std::string> stored = SL_TRY(rows_.ListNamespaces());
  // `a.b` implies `a`, as other clients see it.
  std::set<std::vector<std::string>> all;
  for (const std::string& name_space : stored) {
    for (std::vector<std::string> levels = Split(name_space); !levels.empty(); levels.pop_back()) {
      all.insert(levels);
    }
  }
  return std::vector<std::vector<std::string>>(all.begin(), all.end());
}

Status SqlCatalog::CreateNamespace(const std::vector<std::string>& levels) {
  SL_TRY(CheckNamespace(levels));
  const std::scoped_lock lock(mutex_);
  SL_TRY(rows_.Begin());
  Status declared = rows_.DeclareNamespace(NamespaceText(levels));
  if (!declared) {
    rows_.Rollback();
    return declared;
  }
  return rows_.Commit();
}

std::string SqlCatalog::DefaultLocation(const TableName& name) const {
  return io::JoinLocation(io::JoinLocation(options_.warehouse, NamespaceText(name.levels)),
                          name.table);
}

// The table as the transaction sees it; absent when it is not there.
Result<std::optional<LoadedTable>> SqlCatalog::FindBase(const TableName& name) {
  const std::optional<TableRow> row = SL_TRY(rows_.Find(NamespaceText(name.levels), name.table));
  if (!row) {
    return std::optional<LoadedTable>();
  }
  if (row->is_view) {
    return MakeError(ErrorKind::kAlreadyExists, "{} is a view, not a table", ToString(name));
  }
  Result<LoadedTable> table = ReadMetadata(name, row->metadata_location);
  if (!table && table.error().kind == ErrorKind::kNotFound) {
    return MakeError(ErrorKind::kCorrupt, "the metadata file of {} is missing: {}", ToString(name),
                     row->metadata_location);
  }
  if (!table) {
    return std::move(table).error();
  }
  return std::optional(std::move(table).value());
}

// Checks one table's requirements and writes its new metadata file.
Result<Staged> SqlCatalog::Stage(const TableCommit& commit, AttemptFiles& files) {
  const std::int64_t now_ms =
      std::chrono::floor<std::chrono::milliseconds>(clock_.Now()).time_since_epoch().count();
  const std::optional<LoadedTable> base = SL_TRY(FindBase(commit.name));
  const TableMetadata* base_metadata = base ? base->metadata.get() : nullptr;
  if (!base && !AsksForCreation(commit.request)) {
    return NotThere(commit.name);
  }
  SL_TRY(table::CheckRequirements(base_metadata, commit.request.requirements));
  if (base && commit.request.updates.empty()) {
    return Staged{.name = commit.name,
                  .previous_location = base->metadata_location,
                  .table = *base,
                  .dropped_files = {}};
  }
  if (base) {
    if (const auto warning = table::ClockSkewWarning(*base_metadata, now_ms)) {
      LogWarn("{}: {}", ToString(commit.name), *warning);
    }
  }
  TableMetadata metadata =
      SL_TRY(table::ApplyUpdates(base_metadata, commit.request.updates, now_ms));
  Staged staged{
      .name = commit.name, .previous_location = std::nullopt, .table = {}, .dropped_files = {}};
  if (base) {
    staged.previous_location = base->metadata_location;
    staged.dropped_files = table::RecordPreviousMetadata(metadata, base->metadata_location,
                                                         base_metadata->last_updated_ms);
  }
  const std::string location =
      table::NextMetadataLocation(metadata, staged.previous_location.value_or(""), NewUuidV4(rng_));
  const std::string bytes = SL_TRY(table::EncodeTableMetadata(metadata, location));
  files.Add(location);
  SL_TRY(io::WriteFile(io_, location, bytes));
  staged.table = {.name = commit.name,
                  .metadata_location = location,
                  .metadata = std::make_shared<const TableMetadata>(std::move(metadata))};
  return staged;
}

Status SqlCatalog::SwapPointer(const Staged& staged) {
  const std::string name_space = NamespaceText(staged.name.levels);
  const std::string& location = staged.table.metadata_location;
  if (!staged.previous_location) {
    SL_TRY(rows_.DeclareNamespace(name_space));
    return rows_.Insert(name_space, staged.name.table, location);
  }
  if (location == *staged.previous_location) {
    return {};
  }
  const bool is_swapped =
      SL_TRY(rows_.Swap(name_space, staged.name.table, *staged.previous_location, location));
  if (!is_swapped) {
    return MakeError(ErrorKind::kConflict, "another writer was first: {} is no longer at {}",
                     ToString(staged.name), *staged.previous_location);
  }
  return {};
}

// Everything between BEGIN and COMMIT.
Result<std::vector<Staged>> SqlCatalog::DoCommit(std::span<const TableCommit> commits,
                                                 AttemptFiles& files) {
  std::vector<Staged> all;
  all.reserve(commits.size());
  for (const TableCommit& commit : commits) {
    Staged staged = SL_TRY(Stage(commit, files), "committing {}", ToString(commit.name));
    all.push_back(std::move(staged));
  }
  Reach(kPointMetadataWritten);
  for (const Staged& staged : all) {
    SL_TRY(SwapPointer(staged), "committing {}", ToString(staged.name));
  }
  Reach(kPointInTransaction);
  return all;
}

Result<std::vector<LoadedTable>> SqlCatalog::CommitTables(std::span<const TableCommit> commits) {
  std::set<TableName> names;
  for (const TableCommit& commit : commits) {
    SL_TRY(CheckTableName(commit.name));
    if (!names.insert(commit.name).second) {
      return MakeError(ErrorKind::kInvalidArgument, "one commit names a table twice: {}",
                       ToString(commit.name));
    }
  }
  AttemptFiles files(io_);
  std::vector<Staged> all;
  {
    const std::scoped_lock lock(mutex_);
    SL_TRY(rows_.Begin());
    Result<std::vector<Staged>> staged = DoCommit(commits, files);
    if (!staged) {
      rows_.Rollback();
      return std::move(staged).error();
    }
    all = std::move(staged).value();
    const Status committed = rows_.Commit();
    if (!committed) {
      if (committed.error().kind == ErrorKind::kCommitUnknown) {
        files.Keep();
      }
      return committed.error();
    }
    files.Keep();
  }
  Reach(kPointCommitted);
  std::vector<LoadedTable> tables;
  tables.reserve(all.size());
  for (Staged& staged : all) {
    Remember(staged.table);
    tables.push_back(std::move(staged.table));
    for (const std::string& location : staged.dropped_files) {
      IgnoreError(io_.Delete(location), "old metadata; orphan removal will find it");
    }
  }
  return tables;
}

}  // namespace

Result<std::unique_ptr<Catalog>> OpenSqlCatalog(const SqlCatalogOptions& options, io::FileIo& io,
                                                const Clock& clock, Rng& rng) {
  const internal::Sqlite::Mode mode =
      options.must_exist ? internal::Sqlite::Mode::kMustExist : internal::Sqlite::Mode::kCreate;
  CatalogRows rows = SL_TRY(
      CatalogRows::Open(options.database_path, options.catalog_name, mode, options.busy_timeout));
  return std::unique_ptr<Catalog>(
      std::make_unique<SqlCatalog>(options, std::move(rows), io, clock, rng));
}

}  // namespace strandline::catalog
