#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "strandline/io/location.h"
#include "strandline/table/write/data_file_writer.h"

namespace strandline::table {
namespace {

// Java's ObjectStoreLocationProvider: the last 20 bits of the hash, as three folders of four bits
// and one of eight.
constexpr std::size_t kHashBits = 20;
constexpr std::size_t kFolderBits = 4;
constexpr std::size_t kFolders = 3;

bool IsTrue(const TableMetadata& metadata, std::string_view key, std::string_view fallback) {
  return PropertyOr(metadata, key, fallback) == "true";
}

std::string HashFolders(const std::string& name) {
  const std::int32_t hash = BucketHash(PrimitiveType(TypeId::kString), Value(name));
  const std::string bits = std::bitset<kHashBits>(static_cast<std::uint32_t>(hash)).to_string();
  std::string folders;
  for (std::size_t i = 0; i < kFolders; ++i) {
    folders.append(bits, i * kFolderBits, kFolderBits).append("/");
  }
  return folders.append(bits, kFolders * kFolderBits);
}

// The last two names of the table's location: what tells files of tables apart that share a folder.
std::string TableContext(const std::string& location) {
  const std::string_view table = io::FileName(location);
  const std::string_view parent =
      io::FileName(std::string_view(location).substr(0, location.size() - table.size() - 1));
  return io::JoinLocation(parent, table);
}

std::string ObjectStoreFolder(const TableMetadata& metadata) {
  for (const std::string_view key :
       {"write.data.path", "write.object-storage.path", "write.folder-storage.path"}) {
    const std::string folder = PropertyOr(metadata, key, "");
    if (!folder.empty()) {
      return folder;
    }
  }
  return io::JoinLocation(metadata.location, "data");
}

std::string InObjectStore(const TableMetadata& metadata, const std::string& partition_path,
                          const std::string& file_name) {
  const std::string folder = ObjectStoreFolder(metadata);
  const bool with_partition =
      !partition_path.empty() && IsTrue(metadata, "write.object-storage.partitioned-paths", "true");
  const std::string name = with_partition ? io::JoinLocation(partition_path, file_name) : file_name;
  std::string hash = HashFolders(name);
  if (!io::IsUnder(folder, metadata.location)) {
    hash = io::JoinLocation(hash, TableContext(metadata.location));
  } else if (!IsTrue(metadata, "write.object-storage.partitioned-paths", "true")) {
    return io::JoinLocation(folder, hash + "-" + name);
  }
  return io::JoinLocation(folder, io::JoinLocation(hash, name));
}

}  // namespace

std::string NewDataFileLocation(const TableMetadata& metadata, const PartitionSpec& spec,
                                const PartitionTuple& partition, const std::string& file_name) {
  const std::string partition_path = PartitionPath(spec, CurrentSchema(metadata), partition);
  if (IsTrue(metadata, "write.object-storage.enabled", "false")) {
    return InObjectStore(metadata, partition_path, file_name);
  }
  std::string folder = PropertyOr(metadata, "write.data.path", "");
  if (folder.empty()) {
    folder = io::JoinLocation(metadata.location, "data");
  }
  return partition_path.empty()
             ? io::JoinLocation(folder, file_name)
             : io::JoinLocation(folder, io::JoinLocation(partition_path, file_name));
}

}  // namespace strandline::table
