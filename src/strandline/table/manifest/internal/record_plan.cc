#include "strandline/table/manifest/internal/record_plan.h"

#include <limits>
#include <optional>

namespace strandline::table::manifest_format {
namespace {

namespace avro = format::avro;
using avro::Kind;

constexpr int kKeyTarget = 0;
constexpr int kValueTarget = 1;
// Memory taken on a block's word; for more only once the items are seen to be there.
constexpr std::int64_t kReservedItemsMax = 1024;

bool IsNumber(Kind kind) { return kind == Kind::kInt || kind == Kind::kLong; }
bool IsText(Kind kind) { return kind == Kind::kString || kind == Kind::kBytes; }

bool HasShape(const avro::Schema& schema, Shape shape) {
  switch (shape) {
    case Shape::kNumber:
      return IsNumber(schema.kind);
    case Shape::kTruth:
      return schema.kind == Kind::kBoolean;
    case Shape::kText:
      return IsText(schema.kind);
    case Shape::kRecord:
      return schema.kind == Kind::kRecord;
    case Shape::kNumbers:
      return schema.kind == Kind::kArray && IsNumber(avro::WithoutNull(*schema.items).kind);
    case Shape::kRecords:
      return schema.kind == Kind::kArray && avro::WithoutNull(*schema.items).kind == Kind::kRecord;
  }
  return false;
}

bool IsIt(const avro::Field& field, const SpecField& spec) {
  if (field.field_id) {
    return *field.field_id == spec.id;
  }
  return field.name == spec.name || (!spec.other_name.empty() && field.name == spec.other_name);
}

Result<Step> StepForField(const avro::Field& field, const std::vector<Wanted>& wanted) {
  const auto found = std::ranges::find_if(
      wanted, [&](const Wanted& candidate) { return IsIt(field, candidate.field); });
  if (found == wanted.end()) {
    return Step{.schema = field.schema.get(), .name = field.name};
  }
  const Step step = SL_TRY(StepFor(*field.schema, found->target, field.name));
  if (!HasShape(*step.schema, found->shape)) {
    return MakeError(ErrorKind::kCorrupt, "field `{}` (id {}) has a type that it cannot have: {}",
                     found->field.name, found->field.id, avro::SchemaText(*step.schema));
  }
  return step;
}

// Sorts by id and drops repetitions.
template <typename Pairs>
void Tidy(Pairs& pairs) {
  const auto id_of = [](const typename Pairs::value_type& pair) { return pair.first; };
  if (!std::ranges::is_sorted(pairs, {}, id_of)) {
    std::ranges::stable_sort(pairs, {}, id_of);
  }
  const auto repeated = std::ranges::unique(pairs, {}, id_of);
  pairs.erase(repeated.begin(), repeated.end());
}

// A pair whose parts may be null or in any order, with others between them.
template <typename Value, typename ReadValue>
std::optional<std::pair<std::int64_t, Value>> ReadOddPair(const PairsPlan& plan,
                                                          avro::Cursor& cursor,
                                                          const ReadValue& read_value) {
  if (ReadsNull(plan.item, cursor)) {
    return std::nullopt;
  }
  std::optional<std::int64_t> key;
  std::optional<Value> value;
  for (const Step& step : plan.steps) {
    if (step.target == kSkip) {
      cursor.Skip(*step.schema);
    } else if (ReadsNull(step, cursor)) {
      continue;
    } else if (step.target == kKeyTarget) {
      key = cursor.Long();
    } else {
      value = read_value(cursor);
    }
  }
  if (!key || !value) {
    return std::nullopt;
  }
  return std::pair(*key, *std::move(value));
}

template <typename Pairs, typename ReadValue>
Pairs ReadPairs(const PairsPlan& plan, const ColumnFilter& filter, avro::Cursor& cursor,
                const ReadValue& read_value) {
  using Value = std::invoke_result_t<ReadValue, avro::Cursor&>;
  Pairs pairs;
  bool has_odd_key = false;
  const auto keep = [&](std::int64_t key, const Value& value) {
    if (filter.Keeps(key)) {
      has_odd_key |= key != static_cast<std::int32_t>(key);
      pairs.emplace_back(FieldId(static_cast<std::int32_t>(key)), value);
    }
  };
  while (const std::int64_t count = cursor.BlockCount()) {
    const auto reserved = static_cast<std::size_t>(std::min(count, kReservedItemsMax));
    pairs.reserve(pairs.size() + filter.kept_max(reserved));
    for (std::int64_t index = 0; index < count && cursor.ok(); ++index) {
      if (plan.is_plain) {
        const std::int64_t key = cursor.Long();
        keep(key, read_value(cursor));
      } else if (const auto pair = ReadOddPair<Value>(plan, cursor, read_value)) {
        keep(pair->first, pair->second);
      }
    }
  }
  if (has_odd_key) {
    cursor.Fail("a column id is no 32-bit number");
  }
  Tidy(pairs);
  return pairs;
}

}  // namespace

Result<Step> StepFor(const avro::Schema& schema, int target, std::string_view name) {
  if (schema.kind != Kind::kUnion) {
    return Step{.target = target, .schema = &schema, .name = name};
  }
  if (schema.branches.size() == 1) {
    return Step{
        .target = target, .schema = schema.branches[0].get(), .branch_count = 1, .name = name};
  }
  const avro::Schema& value = avro::WithoutNull(schema);
  if (&value == &schema) {
    return MakeError(ErrorKind::kCorrupt, "field `{}` is a union of several types: {}", name,
                     avro::SchemaText(schema));
  }
  return Step{.target = target,
              .schema = &value,
              .branch_count = 2,
              .null_branch = &value == schema.branches[0].get() ? 1 : 0,
              .name = name};
}

Result<std::vector<Step>> PlanRecord(const avro::Schema& record,
                                     const std::vector<Wanted>& wanted) {
  std::vector<Step> steps;
  for (const avro::Field& field : record.fields) {
    steps.push_back(SL_TRY(StepForField(field, wanted)));
  }
  for (const Wanted& want : wanted) {
    if (want.presence == Presence::kRequired && !HasField(record, want.field)) {
      return MakeError(ErrorKind::kCorrupt, "field `{}` (id {}) is missing", want.field.name,
                       want.field.id);
    }
  }
  return steps;
}

bool HasField(const avro::Schema& record, const SpecField& field) {
  return std::ranges::any_of(record.fields,
                             [&](const avro::Field& own) { return IsIt(own, field); });
}

ColumnFilter::ColumnFilter(const std::vector<FieldId>& columns) {
  for (const FieldId column : columns) {
    ids_.push_back(column.value());
  }
  std::ranges::sort(ids_);
}

Result<PairsPlan> PlanPairs(const avro::Schema& pairs, PairIds ids, Shape value) {
  PairsPlan plan;
  plan.item = SL_TRY(StepFor(*pairs.items, 0, "element"));
  plan.steps = SL_TRY(PlanRecord(
      *plan.item.schema, {{{ids.key, "key", ""}, Shape::kNumber, Presence::kRequired, kKeyTarget},
                          {{ids.value, "value", ""}, value, Presence::kRequired, kValueTarget}}));
  plan.is_plain = plan.item.branch_count == 0 && plan.steps.size() == 2 &&
                  plan.steps[0].target == kKeyTarget && plan.steps[1].target == kValueTarget &&
                  plan.steps[0].branch_count == 0 && plan.steps[1].branch_count == 0;
  return plan;
}

ColumnCounts ReadCounts(const PairsPlan& plan, const ColumnFilter& filter, avro::Cursor& cursor) {
  return ReadPairs<ColumnCounts>(plan, filter, cursor,
                                 [](avro::Cursor& from) { return from.Long(); });
}

ColumnBounds ReadBounds(const PairsPlan& plan, const ColumnFilter& filter, avro::Cursor& cursor) {
  return ReadPairs<ColumnBounds>(plan, filter, cursor,
                                 [](avro::Cursor& from) { return from.Bytes(); });
}

std::vector<std::int64_t> ReadNumbers(const Step& item, avro::Cursor& cursor) {
  std::vector<std::int64_t> numbers;
  while (const std::int64_t count = cursor.BlockCount()) {
    for (std::int64_t index = 0; index < count && cursor.ok(); ++index) {
      if (!ReadsNull(item, cursor)) {
        numbers.push_back(cursor.Long());
      }
    }
  }
  return numbers;
}

std::int32_t ReadInt32(avro::Cursor& cursor) {
  const std::int64_t value = cursor.Long();
  if (value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max()) {
    cursor.Fail("a number does not fit into 32 bits");
    return 0;
  }
  return static_cast<std::int32_t>(value);
}

}  // namespace strandline::table::manifest_format
