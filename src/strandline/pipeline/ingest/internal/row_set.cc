#include "strandline/pipeline/ingest/internal/row_set.h"

#include <algorithm>
#include <atomic>

namespace strandline::pipeline::ingest {
namespace {

std::size_t WordOf(RowId row) { return static_cast<std::size_t>(row.row()) / 64; }
std::uint64_t BitOf(RowId row) {
  return std::uint64_t{1} << (static_cast<unsigned>(row.row()) % 64);
}

}  // namespace

RowSet::RowSet(const std::vector<std::int64_t>& rows_by_file) {
  words_.reserve(rows_by_file.size());
  for (const std::int64_t rows : rows_by_file) {
    words_.emplace_back(static_cast<std::size_t>((rows + 63) / 64), 0);
  }
}

bool RowSet::Add(RowId row) {
  std::atomic_ref<std::uint64_t> word(words_[row.file()][WordOf(row)]);
  return (word.fetch_or(BitOf(row), std::memory_order_relaxed) & BitOf(row)) == 0;
}

bool RowSet::Contains(RowId row) const {
  // atomic_ref has no const form before C++26; nothing is written here.
  auto& words = const_cast<std::vector<std::uint64_t>&>(words_[row.file()]);
  const std::atomic_ref<std::uint64_t> word(words[WordOf(row)]);
  return (word.load(std::memory_order_relaxed) & BitOf(row)) != 0;
}

bool RowSet::AnyIn(std::size_t file) const {
  return std::ranges::any_of(words_[file], [](std::uint64_t word) { return word != 0; });
}

}  // namespace strandline::pipeline::ingest
