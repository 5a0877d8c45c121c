#include "strandline/table/json/json.h"
#include "strandline/table/schema/schema.h"

namespace strandline::table {
namespace {

// https://iceberg.apache.org/spec/#name-mapping-serialization
Result<std::vector<NameMapping::Entry>> ParseEntries(const Json& json) {
  std::vector<NameMapping::Entry> entries;
  for (const Json& item : json) {
    SL_TRY(CheckObject(item, "name mapping"));
    NameMapping::Entry entry;
    if (const std::optional<std::int32_t> id = SL_TRY(OptionalInt32Member(item, "field-id"))) {
      entry.field_id = FieldId(*id);
    }
    const Json* const names = SL_TRY(ArrayMember(item, "names"));
    for (const Json& name : *names) {
      if (!name.is_string()) {
        return MakeError(ErrorKind::kCorrupt, "names: expected strings, found {}", JsonText(name));
      }
      entry.names.push_back(name.get<std::string>());
    }
    const Json* const fields = SL_TRY(OptionalArrayMember(item, "fields"));
    entry.fields = SL_TRY(ParseEntries(*fields));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Json EntriesJson(const std::vector<NameMapping::Entry>& entries) {
  Json json = Json::array();
  for (const NameMapping::Entry& entry : entries) {
    Json item = {{"names", entry.names}};
    if (entry.field_id) {
      item["field-id"] = entry.field_id->value();
    }
    if (!entry.fields.empty()) {
      item["fields"] = EntriesJson(entry.fields);
    }
    json.push_back(std::move(item));
  }
  return json;
}

}  // namespace

Result<NameMapping> ParseNameMapping(std::string_view json) {
  const Json entries = SL_TRY(ParseJson(json), "reading a name mapping");
  SL_TRY(CheckArray(entries, "name mapping"));
  NameMapping mapping;
  mapping.entries = SL_TRY(ParseEntries(entries), "reading a name mapping");
  return mapping;
}

std::string NameMappingJson(const NameMapping& mapping) {
  return JsonText(EntriesJson(mapping.entries));
}

}  // namespace strandline::table
