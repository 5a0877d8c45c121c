#include "strandline/table/schema/schema.h"

#include <algorithm>
#include <map>

namespace strandline::table {
namespace {

// The first field for which `is_wanted` is true, a field before its children.
template <typename Predicate>
const NestedField* FindIf(const std::vector<NestedField>& fields, const Predicate& is_wanted) {
  for (const NestedField& field : fields) {
    if (is_wanted(field)) {
      return &field;
    }
    if (const NestedField* found = FindIf(field.type.fields, is_wanted)) {
      return found;
    }
  }
  return nullptr;
}

const NestedField* FindByPath(const std::vector<NestedField>& fields, std::string_view path) {
  for (const NestedField& field : fields) {
    if (field.name == path) {
      return &field;
    }
  }
  for (const NestedField& field : fields) {
    if (path.starts_with(field.name) && path.substr(field.name.size()).starts_with('.')) {
      if (const NestedField* found =
              FindByPath(field.type.fields, path.substr(field.name.size() + 1))) {
        return found;
      }
    }
  }
  return nullptr;
}

std::string PathTo(const std::vector<NestedField>& fields, FieldId id) {
  for (const NestedField& field : fields) {
    if (field.id == id) {
      return field.name;
    }
    const std::string below = PathTo(field.type.fields, id);
    if (!below.empty()) {
      return field.name + "." + below;
    }
  }
  return {};
}

// Hands out field ids and remembers which old one each replaces.
struct FreshIds {
  std::int32_t next;
  std::map<FieldId, FieldId> fresh_by_old;

  void Assign(std::vector<NestedField>& fields) {
    for (NestedField& field : fields) {
      const FieldId fresh(next++);
      fresh_by_old.emplace(field.id, fresh);
      field.id = fresh;
    }
    for (NestedField& field : fields) {
      Assign(field.type.fields);
    }
  }
};

std::vector<NameMapping::Entry> MappingOf(const std::vector<NestedField>& fields) {
  std::vector<NameMapping::Entry> entries;
  for (const NestedField& field : fields) {
    entries.push_back(
        {.field_id = field.id, .names = {field.name}, .fields = MappingOf(field.type.fields)});
  }
  return entries;
}

}  // namespace

const NestedField* FindColumn(const Schema& schema, std::string_view name) {
  const auto found = std::find_if(schema.fields.begin(), schema.fields.end(),
                                  [&](const NestedField& field) { return field.name == name; });
  return found == schema.fields.end() ? nullptr : &*found;
}

const NestedField* FindField(const Schema& schema, FieldId id) {
  return FindIf(schema.fields, [&](const NestedField& field) { return field.id == id; });
}

const NestedField* FindFieldByPath(const Schema& schema, std::string_view path) {
  return FindByPath(schema.fields, path);
}

std::string FieldPath(const Schema& schema, FieldId id) { return PathTo(schema.fields, id); }

FieldId HighestFieldId(const Schema& schema) {
  FieldId highest;
  FindIf(schema.fields, [&](const NestedField& field) {
    highest = std::max(highest, field.id);
    return false;
  });
  return highest;
}

Schema AssignFreshIds(const Schema& schema, FieldId first) {
  Schema fresh = schema;
  FreshIds ids{.next = first.value(), .fresh_by_old = {}};
  ids.Assign(fresh.fields);
  for (FieldId& id : fresh.identifier_field_ids) {
    const auto found = ids.fresh_by_old.find(id);
    SL_CHECK(found != ids.fresh_by_old.end());
    id = found->second;
  }
  return fresh;
}

NameMapping DefaultNameMapping(const Schema& schema) {
  return {.entries = MappingOf(schema.fields)};
}

}  // namespace strandline::table
