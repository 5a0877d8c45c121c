#include "strandline/engine/duckdb/internal/prepared_query.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "strandline/engine/duckdb/internal/sql_serializer.h"
#include "strandline/engine/internal/allowed.h"
#include "strandline/engine/internal/near_name.h"
#include "strandline/engine/internal/pushed_filter.h"
#include "strandline/engine/internal/statement_tree.h"
#include "strandline/engine/internal/tokens.h"

namespace strandline::engine {

namespace {

constexpr std::string_view kHiddenPrefix = "_strand_";

bool IsHidden(std::string_view name) {
  return EqualNames(name.substr(0, kHiddenPrefix.size()), kHiddenPrefix);
}

bool NamesHiddenColumns(const std::vector<Token>& tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) {
    const bool name = token.kind == TokenKind::kName || token.kind == TokenKind::kQuotedName;
    return name && IsHidden(NameOf(token));
  });
}

bool StartsWithPath(const std::vector<std::string>& parts, const std::vector<std::string>& path) {
  return parts.size() >= path.size() &&
         std::equal(path.begin(), path.end(), parts.begin(), EqualNames);
}

Result<std::shared_ptr<Relation>> FindRelation(const SqlTable& table,
                                               const std::vector<NamedRelation>& relations) {
  std::vector<std::string> names;
  for (const NamedRelation& candidate : relations) {
    if (candidate.path.size() == table.path.size() && StartsWithPath(table.path, candidate.path)) {
      return candidate.relation;
    }
    names.push_back(fmt::format("{}", fmt::join(candidate.path, ".")));
  }
  const std::string name = fmt::format("{}", fmt::join(table.path, "."));
  const std::optional<std::string> near = NearName(name, names);
  return MakeError(ErrorKind::kInvalidArgument, "{}:{}: there is no table `{}`{}", table.at.line,
                   table.at.column, name, near ? fmt::format(": did you mean `{}`?", *near) : "");
}

// To the engine such names are one, so it would read one column for the other.
Status CheckNames(const arrow::Schema& schema) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : schema.field_names()) {
    const auto [other, added] = seen.emplace(LowerCase(name), name);
    if (!added) {
      return MakeError(ErrorKind::kUnsupported,
                       "columns `{}` and `{}` differ in letters' case only, and SQL does not tell "
                       "them apart",
                       other->second, name);
    }
  }
  return {};
}

// The place of a dotted name of `parts` parts that begins at `offset`, and of the word before it.
struct NamePlace {
  std::size_t end = 0;
  const Token* before = nullptr;
};

std::optional<NamePlace> PlaceOf(const std::vector<Token>& tokens, std::size_t offset,
                                 std::size_t parts) {
  const auto first = std::find_if(tokens.begin(), tokens.end(),
                                  [offset](const Token& token) { return token.offset == offset; });
  const auto tokens_needed = static_cast<std::ptrdiff_t>(2 * parts - 1);
  if (tokens.end() - first < tokens_needed) {
    return std::nullopt;
  }
  for (std::ptrdiff_t dot = 1; dot < tokens_needed; dot += 2) {
    if (first[dot].text != ".") {
      return std::nullopt;
    }
  }
  const Token& last = first[tokens_needed - 1];
  return NamePlace{last.offset + last.text.size(), first == tokens.begin() ? nullptr : &first[-1]};
}

std::string ScanText(const arrow::Schema& schema, bool with_hidden, std::int64_t id) {
  std::string columns;
  for (const std::string& name : schema.field_names()) {
    if (with_hidden || !IsHidden(name)) {
      columns += fmt::format("{}{}", columns.empty() ? "" : ", ", QuoteName(name));
    }
  }
  return fmt::format("(SELECT {} FROM {}({}))", columns, kScanFunction, id);
}

// Puts `scan` where the table is mentioned, under the name that the statement knows it by.
Status AddTable(const SqlTable& table, std::size_t offset, std::string scan,
                const std::vector<Token>& tokens, std::string_view sql,
                std::vector<SqlEdit>& edits) {
  const std::optional<NamePlace> place = PlaceOf(tokens, offset, table.path.size());
  if (!place) {
    return ErrorAt(sql, offset, "the name of a table was expected here");
  }
  if (table.alias.empty()) {
    scan += " AS " + QuoteName(table.path.back());
  }
  edits.push_back({offset, place->end - offset, std::move(scan)});
  // `table t` takes a name only, `from t` means the same.
  if (place->before != nullptr && EqualNames(place->before->text, "table")) {
    edits.push_back({place->before->offset, place->before->text.size(), "FROM"});
  }
  return {};
}

Status AddParameters(const std::vector<Token>& tokens, std::string_view sql,
                     const std::map<std::string, Timestamp>& parameters,
                     std::vector<SqlEdit>& edits) {
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kParameter) {
      continue;
    }
    const auto found = parameters.find(std::string(token.text.substr(1)));
    if (!token.text.starts_with('$') || found == parameters.end()) {
      return ErrorAt(sql, token.offset, fmt::format("there is no parameter `{}`", token.text));
    }
    // A constant with a type from the start: a bound value would get its type too late for the
    // statement's outputs to be known.
    edits.push_back(
        {token.offset, token.text.size(),
         fmt::format(" make_timestamptz({}::BIGINT) ", found->second.time_since_epoch().count())});
  }
  return {};
}

// `ads.t.column` names a relation that goes by `t` now.
void AddReferences(const SqlOutline& outline, const std::vector<Token>& tokens,
                   std::vector<SqlEdit>& edits) {
  for (const QualifiedReference& reference : outline.references) {
    for (const SqlTable& table : outline.analysis.tables) {
      const std::size_t parts = table.path.size();
      if (parts == 1 || !table.alias.empty() || reference.parts.size() <= parts ||
          !StartsWithPath(reference.parts, table.path)) {
        continue;
      }
      if (const std::optional<NamePlace> place = PlaceOf(tokens, reference.offset, parts)) {
        edits.push_back(
            {reference.offset, place->end - reference.offset, QuoteName(table.path.back())});
      }
      break;
    }
  }
}

void DropLastSemicolons(const std::vector<Token>& tokens, std::vector<SqlEdit>& edits) {
  for (auto token = tokens.rbegin(); token != tokens.rend() && token->text == ";"; ++token) {
    edits.push_back({token->offset, 1, ""});
  }
}

// Puts casts around a statement whose outputs no table could hold as they are.
struct Wrapping {
  std::string before;
  std::string after;
  std::vector<std::string> names;
};

Wrapping WrappingOf(const std::vector<AnswerColumn>& columns) {
  Wrapping wrapping;
  std::string inner;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string separator = i == 0 ? "" : ", ";
    const std::string name = WrappedName(i);
    const std::string value =
        columns[i].cast_to.empty() ? name : fmt::format("CAST({} AS {})", name, columns[i].cast_to);
    wrapping.before += fmt::format("{}{} AS {}", separator, value, QuoteName(columns[i].name));
    inner += separator + name;
    wrapping.names.push_back(columns[i].name);
  }
  wrapping.before = fmt::format("SELECT {} FROM (", wrapping.before);
  // On a line of its own: the statement may end in a comment.
  wrapping.after = fmt::format("\n) AS strandline_statement({})", inner);
  return wrapping;
}

}  // namespace

PreparedQuery::PreparedQuery(ConnectionHandle connection, ScanRegistry& registry, int threads,
                             std::string sql, std::stop_token stop)
    : connection_(std::move(connection)),
      registry_(registry),
      context_(std::make_shared<ScanContext>(connection_.get(), threads, std::move(stop))),
      sql_(std::move(sql)) {
  failure_context_.sql = sql_;
}

PreparedQuery::~PreparedQuery() {
  for (const std::int64_t id : scan_ids_) {
    registry_.Remove(id);
  }
}

Result<std::unique_ptr<PreparedQuery>> PreparedQuery::Make(duckdb_database database,
                                                           ScanRegistry& registry, int threads,
                                                           const Statement& statement,
                                                           QueryPurpose purpose,
                                                           std::stop_token stop) {
  ConnectionHandle connection = SL_TRY(Connect(database));
  const std::string tree = SL_TRY(SerializeSql(connection.get(), statement.sql));
  const SqlOutline outline = SL_TRY(OutlineOf(statement.sql, tree, nullptr));
  SL_TRY(CheckCalls(outline.analysis));
  auto query = std::unique_ptr<PreparedQuery>(
      new PreparedQuery(std::move(connection), registry, threads, statement.sql, std::move(stop)));
  SL_TRY(query->ReplaceNames(outline, statement, purpose));
  SL_TRY(query->Prepare());
  return query;
}

Status PreparedQuery::ReplaceNames(const SqlOutline& outline, const Statement& statement,
                                   QueryPurpose purpose) {
  const std::vector<Token> tokens = Tokenize(sql_);
  const bool with_hidden = NamesHiddenColumns(tokens);
  std::vector<SqlEdit> edits;
  for (std::size_t i = 0; i < outline.analysis.tables.size(); ++i) {
    const SqlTable& table = outline.analysis.tables[i];
    const std::shared_ptr<Relation> relation = SL_TRY(FindRelation(table, statement.relations));
    table::Expression filter = table::AlwaysTrue();
    if (statement.push_filters) {
      filter = PushedFilter(outline.analysis, i, *relation->schema(), statement.parameters);
    }
    const std::int64_t id = SL_TRY(AddScan(relation, std::move(filter), purpose), "table {}",
                                   fmt::join(table.path, "."));
    SL_TRY(AddTable(table, outline.table_offsets[i], ScanText(*relation->schema(), with_hidden, id),
                    tokens, sql_, edits));
  }
  AddReferences(outline, tokens, edits);
  SL_TRY(AddParameters(tokens, sql_, statement.parameters, edits));
  DropLastSemicolons(tokens, edits);
  edited_ = std::make_unique<EditedSql>(sql_, std::move(edits));
  failure_context_.edited = edited_.get();
  return {};
}

Result<std::int64_t> PreparedQuery::AddScan(std::shared_ptr<Relation> relation,
                                            table::Expression filter, QueryPurpose purpose) {
  SL_TRY(CheckNames(*relation->schema()));
  std::shared_ptr<RelationScan> scan =
      SL_TRY(RelationScan::Make(std::move(relation), std::move(filter), purpose, context_));
  scan_ids_.push_back(registry_.Add(std::move(scan)));
  return scan_ids_.back();
}

Status PreparedQuery::PrepareText(const std::string& text) {
  duckdb_prepared_statement raw = nullptr;
  const duckdb_state state = duckdb_prepare(connection_.get(), text.c_str(), &raw);
  prepared_.reset(raw);
  if (state != DuckDBSuccess) {
    return FailureOf(duckdb_prepare_error(prepared_.get()));
  }
  return {};
}

Status PreparedQuery::Prepare() {
  SL_TRY(PrepareText(edited_->text()));
  const std::vector<AnswerColumn> columns = SL_TRY(AnswerColumnsOf(prepared_.get()));
  schema_ = SchemaOf(columns);
  const bool casts = std::any_of(columns.begin(), columns.end(), [](const AnswerColumn& column) {
    return !column.cast_to.empty();
  });
  if (!casts) {
    return {};
  }
  Wrapping wrapping = WrappingOf(columns);
  failure_context_.prefix = wrapping.before.size();
  failure_context_.output_names = std::move(wrapping.names);
  return PrepareText(wrapping.before + edited_->text() + wrapping.after);
}

Error PreparedQuery::FailureOf(const char* engine_message) const {
  if (std::optional<Error> error = context_->error()) {
    return *std::move(error);
  }
  return engine::FailureOf(engine_message, failure_context_);
}

}  // namespace strandline::engine
