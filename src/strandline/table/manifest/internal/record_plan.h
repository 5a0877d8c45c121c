#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/internal/manifest_fields.h"
#include "strandline/table/manifest/manifest.h"

namespace strandline::table::manifest_format {

// What a reader can take a field from, whatever its writer called it.
enum class Shape {
  kNumber,  // int, long
  kTruth,   // boolean
  kText,    // string, bytes
  kRecord,
  kNumbers,  // array of int or long
  kRecords,  // array of records; also the pairs that stand for maps
};

enum class Presence { kRequired, kOptional };

// One field a reader wants; `target` is the reader's own number for it.
struct Wanted {
  SpecField field;
  Shape shape = Shape::kNumber;
  Presence presence = Presence::kOptional;
  int target = 0;
};

inline constexpr int kSkip = -1;

// What to do with the next value in the writer's order.
struct Step {
  int target = kSkip;
  // Inside of the nullable union, if it was one; the field's whole schema when it is skipped.
  const format::avro::Schema* schema = nullptr;
  std::uint64_t branch_count = 0;  // Of the union; 0: it was none.
  std::int64_t null_branch = -1;   // -1: never null.
  std::string_view name;           // The writer's, for messages.
};

// The step that reads values of `schema`, nullable or not. kCorrupt for unions of several types.
Result<Step> StepFor(const format::avro::Schema& schema, int target, std::string_view name);

// Reads the branch of a nullable union; true when the value is null and done with.
inline bool ReadsNull(const Step& step, format::avro::Cursor& cursor) {
  if (step.branch_count == 0) {
    return false;
  }
  const std::int64_t branch = cursor.Long();
  if (static_cast<std::uint64_t>(branch) >= step.branch_count) [[unlikely]] {
    cursor.Fail("a union has no such branch");
  }
  return branch == step.null_branch || !cursor.ok();
}

// A writer's record as steps, made once per file: fields that nobody wants are passed over. The
// schema must outlive the steps.
//
// Fields are found by id, those without an id by the specification's name. kCorrupt names a
// required field that is not there, and a field of a type that it cannot have.
Result<std::vector<Step>> PlanRecord(const format::avro::Schema& record,
                                     const std::vector<Wanted>& wanted);

// Whether a writer's record has this field.
bool HasField(const format::avro::Schema& record, const SpecField& field);

// Which columns' numbers are kept.
class ColumnFilter {
 public:
  // Empty: all.
  explicit ColumnFilter(const std::vector<FieldId>& columns);
  // At most so many out of `count`.
  std::size_t kept_max(std::size_t count) const {
    return ids_.empty() ? count : std::min(count, ids_.size());
  }
  bool Keeps(std::int64_t id) const { return ids_.empty() || std::ranges::binary_search(ids_, id); }

 private:
  std::vector<std::int64_t> ids_;  // Sorted.
};

// How a writer laid out a map with number keys: a list of pairs.
struct PairsPlan {
  Step item;
  std::vector<Step> steps;  // Targets 0 (key) and 1 (value).
  bool is_plain = false;    // Exactly key and value, none of them nullable: the usual case.
};
Result<PairsPlan> PlanPairs(const format::avro::Schema& pairs, PairIds ids, Shape value);

// Reads such a map, sorted by id. A key that comes twice keeps its first value, null ones are
// dropped. On malformed bytes the cursor has failed and the result means nothing.
ColumnCounts ReadCounts(const PairsPlan& plan, const ColumnFilter& filter,
                        format::avro::Cursor& cursor);
ColumnBounds ReadBounds(const PairsPlan& plan, const ColumnFilter& filter,
                        format::avro::Cursor& cursor);

// A list of numbers, whose items may be nullable (nulls are dropped).
std::vector<std::int64_t> ReadNumbers(const Step& item, format::avro::Cursor& cursor);

// A number that must fit into 32 bits; the cursor fails when it does not.
std::int32_t ReadInt32(format::avro::Cursor& cursor);

}  // namespace strandline::table::manifest_format
