#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "strandline/base/clock.h"
#include "strandline/base/rng.h"
#include "strandline/table/scan/scan.h"
#include "strandline/table/update/update.h"

namespace strandline::table {

// A file to be added, under the spec it was written for.
struct NewFile {
  SpecId spec_id;
  DataFile file;
};

// What one new snapshot changes. Data files that are dropped whole are named by path; single rows
// go by position delete files among `added`.
struct SnapshotChange {
  std::string branch = "main";
  std::vector<NewFile> added = {};  // Data files and position delete files.
  // Paths of data files, in any spelling. Each must be live in the base.
  std::vector<std::string> removed = {};
  // Partitions (with their specs) in which all of `removed` lie: other manifests are then not read.
  // Empty: not known; manifests are read, newest first, until each path is found.
  std::vector<std::pair<SpecId, PartitionTuple>> removed_from = {};
  // Force an operation; absent: append (only data added), overwrite, or delete (nothing added but
  // deletes). kReplace says that rows are the same before and after.
  std::optional<Operation> operation = {};
  std::map<std::string, std::string> summary = {};  // Added to the standard keys.
};

// A snapshot ready to be committed: its manifests and manifest list are written and durable,
// nothing names them yet.
struct PreparedSnapshot {
  CommitRequest request;  // Asserts uuid, the branch's head, current schema, default spec.
  SnapshotId snapshot_id;
  SequenceNumber sequence_number;
  // Manifests and list written for this attempt: garbage if the request is not sent or is refused
  // with kConflict; perhaps live after kCommitUnknown, then keep them.
  std::vector<std::string> written_files;
};

// Builds the next snapshot of `base`: fresh manifests for what is added, rewritten ones where
// entries are removed (existing and deleted entries keep their ids and sequence numbers), small
// manifests of one spec and content merged (neighbours in age first, so that a manifest covers a
// span of time) as `commit.manifest.*` says, delete files that lost all their data files dropped
// from the table with them, standard summary keys with true totals
// (`added-data-files`, `total-records`, `total-position-deletes`, ...; a total is left out when the
// parent's is missing). Timestamp = max(now, last + 1 ms).
//
// Reads the manifest list, the manifests it merges, and for a removal those that may hold the files
// removed and deletes of their partitions; nothing else. An append to a table whose lists have
// counts so reads none but those it merges, of which a commit takes only so many; its list grows
// with the manifests. On failure nothing is left behind but what storage refuses to delete.
//
// kNotFound when a removed path is not live (somebody else removed it: plan again),
// kInvalidArgument when an added path comes twice, is found live while the removed ones are looked
// for, or is of an unknown spec; kUnsupported for equality deletes among `added`. Paths are
// compared as places, in whatever spelling (`file:/x`, `file:///x`, `/x`).
//
// An append compares its files with each other and not with those of the table: for that it would
// have to read every manifest. Whoever adds files that were not made for this commit must look
// first; Fsck finds what is live twice. A path that was removed may be added again.
Result<PreparedSnapshot> PrepareSnapshot(const TableMetadata& base, const SnapshotChange& change,
                                         io::FileIo& io, const Clock& clock, Rng& rng);

}  // namespace strandline::table
