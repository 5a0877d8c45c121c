#include "strandline/io/memory_file_io.h"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "strandline/io/location.h"

namespace strandline::io {
namespace {

using Content = std::shared_ptr<const std::string>;

struct StoredFile {
  Content content;  // Empty while the file is being written.
  Timestamp modified;
};

// All files by their canonical location, which sorts them as List() wants them.
class Store {
 public:
  explicit Store(const Clock& clock) : clock_(clock) {}

  bool Reserve(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const StoredFile empty{.content = std::make_shared<const std::string>(),
                           .modified = clock_.Now()};
    return files_.try_emplace(key, empty).second;
  }

  void Put(const std::string& key, std::string bytes) {
    const std::lock_guard lock(mutex_);
    files_.insert_or_assign(
        key, StoredFile{.content = std::make_shared<const std::string>(std::move(bytes)),
                        .modified = clock_.Now()});
  }

  bool Remove(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return files_.erase(key) > 0;
  }

  std::optional<StoredFile> Find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(key);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

  // The first file whose key is not below `key`.
  std::optional<std::pair<std::string, StoredFile>> FindFrom(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = files_.lower_bound(key);
    return found == files_.end() ? std::nullopt
                                 : std::optional(std::pair(found->first, found->second));
  }

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, StoredFile> files_;
};

Error NoSuchFile(std::string_view location) {
  return MakeError(ErrorKind::kNotFound, "no such file: {}", location);
}

class MemoryInputFile final : public InputFile {
 public:
  MemoryInputFile(std::string location, Content content)
      : location_(std::move(location)), content_(std::move(content)) {}

  const std::string& location() const override { return location_; }
  std::int64_t size_bytes() const override { return static_cast<std::int64_t>(content_->size()); }

  Status ReadAt(std::int64_t offset, std::span<std::byte> into) override {
    if (offset < 0 || offset > size_bytes() ||
        into.size() > content_->size() - static_cast<std::size_t>(offset)) {
      return MakeError(ErrorKind::kCorrupt,
                       "file ends too early: {} bytes wanted at offset {} of {}: {}", into.size(),
                       offset, content_->size(), location_);
    }
    if (!into.empty()) {
      std::memcpy(into.data(), content_->data() + offset, into.size());
    }
    return {};
  }

 private:
  std::string location_;
  Content content_;
};

class MemoryOutputFile final : public OutputFile {
 public:
  MemoryOutputFile(std::string location, std::string key, std::shared_ptr<Store> store)
      : location_(std::move(location)), key_(std::move(key)), store_(std::move(store)) {}
  ~MemoryOutputFile() override {
    if (!closed_) {
      store_->Remove(key_);
    }
  }

  const std::string& location() const override { return location_; }
  std::int64_t position() const override { return static_cast<std::int64_t>(bytes_.size()); }

  Status Write(std::string_view bytes) override {
    SL_CHECK(!closed_);
    bytes_.append(bytes);
    return {};
  }

  Status Close() override {
    SL_CHECK(!closed_);
    store_->Put(key_, std::move(bytes_));
    closed_ = true;
    return {};
  }

 private:
  std::string location_;
  std::string key_;
  std::shared_ptr<Store> store_;
  std::string bytes_;
  bool closed_ = false;
};

// What every key under the folder of this location starts with.
Result<std::string> KeyPrefix(const std::string& location) {
  std::string key = SL_TRY(CanonicalLocation(location));
  return key.ends_with('/') ? key : key + "/";
}

// The first key that is not in the folder `prefix` (which ends in a slash) any more.
std::string After(std::string prefix) {
  prefix.back() = '/' + 1;
  return prefix;
}

class MemoryFileIo final : public FileIo {
 public:
  explicit MemoryFileIo(const Clock& clock) : store_(std::make_shared<Store>(clock)) {}

  Result<std::unique_ptr<InputFile>> Open(const std::string& location) override {
    const std::string key = SL_TRY(CanonicalLocation(location));
    std::optional<StoredFile> file = store_->Find(key);
    if (!file) {
      return NoSuchFile(location);
    }
    return std::make_unique<MemoryInputFile>(location, std::move(file->content));
  }

  Result<std::unique_ptr<OutputFile>> Create(const std::string& location) override {
    std::string key = SL_TRY(CanonicalLocation(location));
    if (!store_->Reserve(key)) {
      return MakeError(ErrorKind::kAlreadyExists, "file exists: {}", location);
    }
    return std::make_unique<MemoryOutputFile>(location, std::move(key), store_);
  }

  Status Delete(const std::string& location) override {
    const std::string key = SL_TRY(CanonicalLocation(location));
    if (!store_->Remove(key)) {
      return NoSuchFile(location);
    }
    return {};
  }

  Result<FileInfo> Stat(const std::string& location) override {
    const std::string key = SL_TRY(CanonicalLocation(location));
    const std::optional<StoredFile> file = store_->Find(key);
    if (!file) {
      return NoSuchFile(location);
    }
    return Info(location, *file);
  }

  Status List(const std::string& location, Recursive recursive,
              const FileVisitor& visitor) override {
    const std::string prefix = SL_TRY(KeyPrefix(location));
    std::string from = prefix;
    // The store is not locked while the visitor runs: it may call us.
    while (const auto found = store_->FindFrom(from)) {
      const auto& [key, file] = *found;
      if (!key.starts_with(prefix)) {
        break;
      }
      const std::string name = key.substr(prefix.size());
      const std::size_t slash = name.find('/');
      if (recursive == Recursive::kNo && slash != std::string::npos) {
        from = After(prefix + name.substr(0, slash + 1));
        continue;
      }
      const bool go_on = SL_TRY(visitor(Info(JoinLocation(location, name), file)));
      if (!go_on) {
        break;
      }
      from = key + '\0';
    }
    return {};
  }

  Result<std::vector<std::string>> ListFolders(const std::string& location) override {
    const std::string prefix = SL_TRY(KeyPrefix(location));
    std::vector<std::string> names;
    std::string from = prefix;
    while (const auto found = store_->FindFrom(from)) {
      const std::string& key = found->first;
      if (!key.starts_with(prefix)) {
        break;
      }
      const std::size_t slash = key.find('/', prefix.size());
      if (slash == std::string::npos) {
        from = key + '\0';
        continue;
      }
      names.push_back(key.substr(prefix.size(), slash - prefix.size()));
      from = After(key.substr(0, slash + 1));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  static FileInfo Info(std::string location, const StoredFile& file) {
    return {.location = std::move(location),
            .size_bytes = static_cast<std::int64_t>(file.content->size()),
            .modified = file.modified,
            .etag = {}};
  }

  std::shared_ptr<Store> store_;
};

}  // namespace

std::unique_ptr<FileIo> MakeMemoryFileIo(const Clock& clock) {
  return std::make_unique<MemoryFileIo>(clock);
}

}  // namespace strandline::io
