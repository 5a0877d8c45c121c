#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/base/result.h"
#include "strandline/base/retry.h"
#include "strandline/base/rng.h"
#include "strandline/catalog/table_name.h"
#include "strandline/io/file_io.h"
#include "strandline/table/update/update.h"

namespace strandline::catalog {

// One table as it stands.
struct LoadedTable {
  TableName name;
  std::string metadata_location;
  std::shared_ptr<const table::TableMetadata> metadata;
};

// What is to be done to one table.
struct TableCommit {
  TableName name;
  table::CommitRequest request;
};

// Says which metadata of each table is current. Thread-safe.
class Catalog {
 public:
  virtual ~Catalog() = default;

  // kNotFound when there is no such table; the message lists catalogs or tables of similar name
  // that are there.
  virtual Result<LoadedTable> LoadTable(const TableName& name) = 0;

  // The metadata location alone: one look-up, no file read. kNotFound as above.
  virtual Result<std::string> CurrentMetadataLocation(const TableName& name) = 0;

  // Tables (not views) of one namespace, sorted.
  virtual Result<std::vector<TableName>> ListTables(const std::vector<std::string>& levels) = 0;
  virtual Result<std::vector<std::vector<std::string>>> ListNamespaces() = 0;
  // Does nothing when it is there.
  virtual Status CreateNamespace(const std::vector<std::string>& levels) = 0;

  // Where a new table goes unless told otherwise: `<warehouse>/<namespace>/<table>`.
  virtual std::string DefaultLocation(const TableName& name) const = 0;

  // Does all of `commits` or none, in one transaction: checks every requirement against the state
  // in it, writes the new metadata files (durably) and swaps every table's pointer. A commit whose
  // requirements hold AssertCreate makes its table (and namespace).
  //
  // kNotFound: a table is not there and its commit does not make it; nothing changed.
  // kConflict: a requirement does not hold, or another writer was first; nothing changed.
  // kUnavailable: the catalog did not answer before anything was sent; nothing changed.
  // kCommitUnknown: the answer was lost: old or new, reload to see; no file of the attempt may be
  // deleted.
  virtual Result<std::vector<LoadedTable>> CommitTables(std::span<const TableCommit> commits) = 0;
};

// Tables as they are now, in the order asked for; absent ones are null.
using Bases = std::vector<std::optional<LoadedTable>>;

// Builds the commits for the state given. Called again with newer bases after a conflict. An empty
// list means that nothing is left to do.
using ProposeCommits = std::function<Result<std::vector<TableCommit>>(const Bases& bases)>;

struct CommitOutcome {
  std::vector<LoadedTable> tables;  // As committed; empty when there was nothing to do.
  int attempts = 1;
};

// Sends what `propose` builds; the only place that retries a commit. On kConflict it loads the
// newer state, waits with jitter and calls `propose` again, up to `policy.attempts_max` tries or
// until its waits are used up; then the last conflict is returned. Errors of `propose` end it
// unless they are kConflict.
//
// After kCommitUnknown it reloads, a bounded number of times, and looks for what only the attempt
// can have put there: its snapshots, the uuid of a table that it makes. One table that has or lacks
// them decides for all. Without such marks, a table that has not moved says that the attempt did
// not land, and properties that are all as asked for that it did. Where nothing tells:
// kCommitUnknown.
//
// An attempt that did not land by then is tried again like a conflict; but it may still be on its
// way as long as its requirements hold, so if the tries end without a success that is
// kCommitUnknown too. For callers: after kCommitUnknown delete no file of any attempt, after every
// other error the files of all attempts are garbage.
Result<CommitOutcome> Commit(Catalog& catalog, const std::vector<TableName>& tables,
                             const ProposeCommits& propose, const RetryPolicy& policy, Rng& rng);

}  // namespace strandline::catalog
