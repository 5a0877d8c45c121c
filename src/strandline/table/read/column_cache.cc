#include "strandline/table/read/internal/column_cache.h"

#include <utility>

#include <arrow/api.h>
#include <arrow/util/byte_size.h>

#include "strandline/base/check.h"

namespace strandline::table {

std::int64_t ColumnCache::Impl::UsersOf(FieldId column) const {
  const auto found = users_.find(column);
  return found == users_.end() ? 0 : found->second;
}

void ColumnCache::Impl::Announce(const std::vector<FieldId>& columns) {
  const std::lock_guard lock(mutex_);
  for (const FieldId column : columns) {
    ++users_[column];
  }
}

void ColumnCache::Impl::Release(const std::vector<FieldId>& columns) {
  const std::lock_guard lock(mutex_);
  for (const FieldId column : columns) {
    const auto users = users_.find(column);
    SL_CHECK(users != users_.end());
    if (--users->second == 0) {
      users_.erase(users);
    }
  }
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->second.column != nullptr && UsersOf(entry->first.column) == 0) {
      Drop(entry);
    }
    entry = next;
  }
}

bool ColumnCache::Impl::IsShared(const Key& key) const {
  const std::lock_guard lock(mutex_);
  return UsersOf(key.column) > 1 || entries_.contains(key);
}

Result<ColumnCache::Impl::Column> ColumnCache::Impl::Get(const Key& key,
                                                         const arrow::DataType& type,
                                                         const Decode& decode) {
  std::unique_lock lock(mutex_);
  auto entry = entries_.find(key);
  while (entry != entries_.end() && entry->second.column == nullptr) {
    decoded_.wait(lock);
    entry = entries_.find(key);
  }
  if (entry != entries_.end() && entry->second.column->type()->Equals(type)) {
    ++chunks_reused_;
    return entry->second.column;
  }
  // Kept as another type, for a scan of another schema: left to that one.
  const bool claims = entry == entries_.end() && UsersOf(key.column) > 1;
  if (claims) {
    entries_.emplace(key, Entry{});
  }
  lock.unlock();
  Result<Column> column = decode();
  lock.lock();
  ++chunks_decoded_;
  if (claims) {
    entries_.erase(key);
    if (column) {
      Keep(key, *column);
    }
    decoded_.notify_all();
  }
  return column;
}

void ColumnCache::Impl::Keep(const Key& key, Column column) {
  const arrow::Result<std::int64_t> bytes = arrow::util::ReferencedBufferSize(*column);
  // The others may have gone while it was decoded.
  if (!bytes.ok() || bytes_kept_ + *bytes > bytes_max_ || UsersOf(key.column) == 0) {
    return;
  }
  bytes_kept_ += *bytes;
  entries_.emplace(key, Entry{std::move(column), *bytes});
}

void ColumnCache::Impl::Drop(std::map<Key, Entry>::iterator entry) {
  bytes_kept_ -= entry->second.bytes;
  entries_.erase(entry);
}

std::int64_t ColumnCache::Impl::bytes_kept() const {
  const std::lock_guard lock(mutex_);
  return bytes_kept_;
}

std::int64_t ColumnCache::Impl::chunks_decoded() const {
  const std::lock_guard lock(mutex_);
  return chunks_decoded_;
}

std::int64_t ColumnCache::Impl::chunks_reused() const {
  const std::lock_guard lock(mutex_);
  return chunks_reused_;
}

ColumnCache::ColumnCache(std::int64_t bytes_max) : impl_(std::make_unique<Impl>(bytes_max)) {}
ColumnCache::~ColumnCache() = default;

void ColumnCache::Announce(const std::vector<FieldId>& columns) { impl_->Announce(columns); }
void ColumnCache::Release(const std::vector<FieldId>& columns) { impl_->Release(columns); }
std::int64_t ColumnCache::bytes_kept() const { return impl_->bytes_kept(); }
std::int64_t ColumnCache::chunks_decoded() const { return impl_->chunks_decoded(); }
std::int64_t ColumnCache::chunks_reused() const { return impl_->chunks_reused(); }

}  // namespace strandline::table
