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

using table::TableMetadata;

// The waits between the tries of one commit.
class Waits {
 public:
  Waits(const RetryPolicy& policy, Rng& rng) : policy_(policy), rng_(rng) {}

  // False, without waiting, when the policy allows no further try.
  bool BeforeRetry(int attempt) {
    const std::chrono::milliseconds wait = BackoffBefore(attempt, policy_, rng_);
    if (attempt >= std::max(1, policy_.attempts_max) || total_ + wait > policy_.backoff_total_max) {
      return false;
    }
    total_ += wait;
    std::this_thread::sleep_for(wait);
    return true;
  }

 private:
  const RetryPolicy& policy_;
  Rng& rng_;
  std::chrono::milliseconds total_{0};
};

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

// What a table says of an attempt whose answer was lost.
enum class Evidence { kLanded, kNotLanded, kNothing };

// The table of `name` among `tables` as loaded; null when it is not there.
const LoadedTable* FindTable(const Bases& tables, const TableName& name) {
  for (const std::optional<LoadedTable>& table : tables) {
    if (table && table->name == name) {
      return &*table;
    }
  }
  return nullptr;
}

bool Creates(const table::CommitRequest& request) {
  return std::ranges::any_of(request.requirements, [](const table::Requirement& requirement) {
    return std::holds_alternative<table::AssertCreate>(requirement);
  });
}

// Evidence from what only this attempt can have put there: the ids of its snapshots and the uuid of
// a table that it makes. `now` null: the table is not there.
Evidence EvidenceOfMarks(const LoadedTable* now, const table::CommitRequest& request) {
  const bool creates = Creates(request);
  Evidence evidence = creates ? Evidence::kNotLanded : Evidence::kNothing;
  if (now == nullptr) {
    return evidence;
  }
  for (const table::Update& update : request.updates) {
    if (const auto* added = std::get_if<table::AddSnapshot>(&update)) {
      if (table::FindSnapshot(*now->metadata, added->snapshot.id) != nullptr) {
        return Evidence::kLanded;
      }
      evidence = Evidence::kNotLanded;
    }
    const auto* assigned = std::get_if<table::AssignUuid>(&update);
    if (creates && assigned != nullptr && now->metadata->table_uuid == assigned->uuid) {
      return Evidence::kLanded;
    }
  }
  return evidence;
}

// All of an attempt lands or none, so the first table that says anything decides for all.
Evidence EvidenceOfMarks(const Bases& now, const std::vector<TableCommit>& commits) {
  for (const TableCommit& commit : commits) {
    const Evidence evidence = EvidenceOfMarks(FindTable(now, commit.name), commit.request);
    if (evidence != Evidence::kNothing) {
      return evidence;
    }
  }
  return Evidence::kNothing;
}

// Whether the request asks for properties only, and all are as it asks.
bool HasItsProperties(const TableMetadata& metadata, const table::CommitRequest& request) {
  return std::ranges::all_of(request.updates, [&](const table::Update& update) {
    if (const auto* set = std::get_if<table::SetProperties>(&update)) {
      return std::ranges::all_of(set->properties, [&](const auto& property) {
        const auto found = metadata.properties.find(property.first);
        return found != metadata.properties.end() && found->second == property.second;
      });
    }
    const auto* removed = std::get_if<table::RemoveProperties>(&update);
    return removed != nullptr && std::ranges::none_of(removed->keys, [&](const std::string& key) {
             return metadata.properties.contains(key);
           });
  });
}

// Whether an attempt without marks landed. That a table still stands where it stood says that it
// did not. One that has moved may have been moved by anybody; then only properties can be looked
// up, and if all are as asked for it makes no difference who set them.
Evidence EvidenceOfState(const Bases& before, const Bases& now,
                         const std::vector<TableCommit>& commits) {
  bool has_updates = false;
  bool is_as_asked = true;
  for (const TableCommit& commit : commits) {
    if (commit.request.updates.empty()) {
      continue;
    }
    has_updates = true;
    const LoadedTable* old_table = FindTable(before, commit.name);
    const LoadedTable* new_table = FindTable(now, commit.name);
    if (old_table != nullptr && new_table != nullptr &&
        old_table->metadata_location == new_table->metadata_location) {
      return Evidence::kNotLanded;
    }
    is_as_asked = is_as_asked && new_table != nullptr &&
                  HasItsProperties(*new_table->metadata, commit.request);
  }
  return has_updates && is_as_asked ? Evidence::kLanded : Evidence::kNothing;
}

// Whether a requirement of the attempt has ceased to hold, so that it cannot land any more even if
// it is still on its way.
bool IsOvertaken(const Bases& now, const std::vector<TableCommit>& commits) {
  return std::ranges::any_of(commits, [&](const TableCommit& commit) {
    const LoadedTable* table = FindTable(now, commit.name);
    return !table::CheckRequirements(table != nullptr ? table->metadata.get() : nullptr,
                                     commit.request.requirements);
  });
}

std::vector<TableName> NamesOf(const std::vector<TableCommit>& commits) {
  std::vector<TableName> names;
  names.reserve(commits.size());
  for (const TableCommit& commit : commits) {
    names.push_back(commit.name);
  }
  return names;
}

// The outcome of an attempt that is seen to have landed: its tables, in its order. kCommitUnknown
// when one of them is gone again, so that nobody takes its files for garbage.
Result<CommitOutcome> LandedOutcome(const Bases& now, const std::vector<TableCommit>& commits,
                                    int attempts) {
  CommitOutcome outcome{.tables = {}, .attempts = attempts};
  for (const TableCommit& commit : commits) {
    const LoadedTable* table = FindTable(now, commit.name);
    if (table == nullptr) {
      return MakeError(ErrorKind::kCommitUnknown,
                       "the commit landed, but {} has been dropped since: look what is left of it",
                       ToString(commit.name));
    }
    outcome.tables.push_back(*table);
  }
  return outcome;
}

// kCommitUnknown with what was said of `lost` when nobody answers.
Result<Bases> LoadPatiently(Catalog& catalog, const std::vector<TableName>& tables,
                            const Error& lost, const RetryPolicy& policy, Rng& rng) {
  for (int reload = 0; reload <= kReloadsMax; ++reload) {
    if (reload > 0) {
      Wait(reload, policy, rng);
    }
    Result<Bases> now = LoadBases(catalog, tables);
    if (now) {
      return now;
    }
  }
  return lost;
}

// What is known of the attempts whose answers were lost and that did not land while somebody
// looked, but still may.
class UndecidedAttempts {
 public:
  void Add(std::vector<TableCommit> commits, Error lost) {
    attempts_.push_back(std::move(commits));
    lost_ = std::move(lost);
  }

  // The attempt that has landed after all; null when none has. Forgets those that cannot any more.
  const std::vector<TableCommit>* FindLanded(const Bases& now) {
    std::erase_if(attempts_, [&](const std::vector<TableCommit>& commits) {
      return EvidenceOfMarks(now, commits) != Evidence::kLanded && IsOvertaken(now, commits);
    });
    for (const std::vector<TableCommit>& commits : attempts_) {
      if (EvidenceOfMarks(now, commits) == Evidence::kLanded) {
        return &commits;
      }
    }
    return nullptr;
  }

  // What the caller is told instead of `error`, which ends the tries: files of an attempt that may
  // still land must not be deleted.
  Error Outcome(Error error) const {
    if (attempts_.empty() || error.kind == ErrorKind::kCommitUnknown) {
      return error;
    }
    return MakeError(ErrorKind::kCommitUnknown, "{}; afterwards: {}", lost_->message,
                     error.message);
  }

 private:
  std::vector<std::vector<TableCommit>> attempts_;
  std::optional<Error> lost_;  // Of the last one added.
};

}  // namespace

Result<CommitOutcome> Commit(Catalog& catalog, const std::vector<TableName>& tables,
                             const ProposeCommits& propose, const RetryPolicy& policy, Rng& rng) {
  Waits waits(policy, rng);
  UndecidedAttempts undecided;
  for (int attempt = 1;; ++attempt) {
    const Result<Bases> bases = LoadBases(catalog, tables);
    if (!bases) {
      return undecided.Outcome(bases.error());
    }
    if (const std::vector<TableCommit>* landed = undecided.FindLanded(*bases)) {
      return LandedOutcome(*bases, *landed, attempt - 1);
    }
    Result<std::vector<TableCommit>> commits = propose(*bases);
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
        const Bases now = SL_TRY(LoadPatiently(catalog, NamesOf(*commits), *conflict, policy, rng));
        Evidence evidence = EvidenceOfMarks(now, *commits);
        if (evidence == Evidence::kNothing) {
          evidence = EvidenceOfState(*bases, now, *commits);
        }
        if (evidence == Evidence::kLanded) {
          return LandedOutcome(now, *commits, attempt);
        }
        if (evidence == Evidence::kNothing) {
          return *std::move(conflict);
        }
        // It has not landed, and cannot any more once the next attempt has: both expect the same
        // state. Until then it may still be on its way, unless it was overtaken.
        if (!IsOvertaken(now, *commits)) {
          undecided.Add(*std::move(commits), *conflict);
        }
        conflict->kind = ErrorKind::kConflict;
      }
    }
    if (conflict->kind != ErrorKind::kConflict) {
      return undecided.Outcome(*std::move(conflict));
    }
    LogDebug("commit attempt {} of {} was refused: {}", attempt, policy.attempts_max,
             conflict->message);
    if (!waits.BeforeRetry(attempt)) {
      return undecided.Outcome(*std::move(conflict));
    }
  }
}

}  // namespace strandline::catalog
