#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <variant>

#include "strandline/base/log.h"
#include "strandline/catalog/catalog.h"

namespace strandline::catalog {
namespace {

// How often the tables are asked for after an answer was lost, beside the first time.
constexpr int kReloadsMax = 5;

void Wait(int attempt, const RetryPolicy& policy, Rng& rng) {
  std::this_thread::sleep_for(BackoffBefore(attempt, policy, rng));
}

Result<Bases> LoadBases(Catalog& catalog, const std::vector<TableName>& tables) {
  Bases bases;
  for (const TableName& name : tables) {
    Result<LoadedTable> loaded = catalog.LoadTable(name);
    if (loaded) {
      bases.emplace_back(std::move(loaded).value());
    } else if (loaded.error().kind == ErrorKind::kNotFound) {
      bases.emplace_back(std::nullopt);
    } else {
      return std::move(loaded).error();
    }
  }
  return bases;
}

// Whether `metadata` holds what only this request can have put there: its snapshots, or for a
// request without any the table's own uuid and properties.
bool HasLanded(const table::TableMetadata& metadata, const table::CommitRequest& request) {
  bool has_evidence = false;
  for (const table::Update& update : request.updates) {
    if (const auto* added = std::get_if<table::AddSnapshot>(&update)) {
      has_evidence = true;
      if (table::FindSnapshot(metadata, added->snapshot.id) == nullptr) {
        return false;
      }
    } else if (const auto* assigned = std::get_if<table::AssignUuid>(&update)) {
      has_evidence = true;
      if (metadata.table_uuid != assigned->uuid) {
        return false;
      }
    }
  }
  if (has_evidence) {
    return true;
  }
  for (const table::Update& update : request.updates) {
    if (const auto* set = std::get_if<table::SetProperties>(&update)) {
      for (const auto& [key, value] : set->properties) {
        const auto found = metadata.properties.find(key);
        if (found == metadata.properties.end() || found->second != value) {
          return false;
        }
      }
      has_evidence = true;
    }
  }
  return has_evidence;
}

// What became of an attempt whose answer was lost.
struct Verdict {
  bool has_landed = false;
  std::vector<LoadedTable> tables;  // As they are now, if it has.
};

// All of an attempt lands or none, so the first table without its part decides.
Result<Verdict> FindOut(Catalog& catalog, const std::vector<TableCommit>& commits) {
  Verdict verdict;
  for (const TableCommit& commit : commits) {
    Result<LoadedTable> loaded = catalog.LoadTable(commit.name);
    if (!loaded && loaded.error().kind != ErrorKind::kNotFound) {
      return std::move(loaded).error();
    }
    if (!loaded || !HasLanded(*loaded->metadata, commit.request)) {
      return Verdict{};
    }
    verdict.tables.push_back(std::move(loaded).value());
  }
  verdict.has_landed = true;
  return verdict;
}

Result<Verdict> FindOutPatiently(Catalog& catalog, const std::vector<TableCommit>& commits,
                                 const Error& lost, const RetryPolicy& policy, Rng& rng) {
  for (int reload = 0; reload <= kReloadsMax; ++reload) {
    if (reload > 0) {
      Wait(reload, policy, rng);
    }
    Result<Verdict> verdict = FindOut(catalog, commits);
    if (verdict) {
      return verdict;
    }
  }
  return Error{ErrorKind::kCommitUnknown, lost.message};
}

}  // namespace

Result<CommitOutcome> Commit(Catalog& catalog, const std::vector<TableName>& tables,
                             const ProposeCommits& propose, const RetryPolicy& policy, Rng& rng) {
  const int attempts_max = std::max(1, policy.attempts_max);
  for (int attempt = 1;; ++attempt) {
    const Bases bases = SL_TRY(LoadBases(catalog, tables));
    Result<std::vector<TableCommit>> commits = propose(bases);
    std::optional<Error> conflict;
    if (!commits) {
      conflict = std::move(commits).error();
    } else if (commits->empty()) {
      return CommitOutcome{.tables = {}, .attempts = attempt};
    } else {
      Result<std::vector<LoadedTable>> committed = catalog.CommitTables(*commits);
      if (committed) {
        return CommitOutcome{.tables = std::move(committed).value(), .attempts = attempt};
      }
      conflict = std::move(committed).error();
      if (conflict->kind == ErrorKind::kCommitUnknown) {
        Verdict verdict = SL_TRY(FindOutPatiently(catalog, *commits, *conflict, policy, rng));
        if (verdict.has_landed) {
          return CommitOutcome{.tables = std::move(verdict.tables), .attempts = attempt};
        }
        // It did not land, and cannot any more once the next attempt has: both expect the same
        // state. So it is as if another writer had been first.
        conflict->kind = ErrorKind::kConflict;
      }
    }
    if (conflict->kind != ErrorKind::kConflict || attempt >= attempts_max) {
      return *std::move(conflict);
    }
    LogDebug("commit attempt {} of {} was refused: {}", attempt, attempts_max, conflict->message);
    Wait(attempt, policy, rng);
  }
}

}  // namespace strandline::catalog
