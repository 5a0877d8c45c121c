#pragma once

#include <cstdint>
#include <string_view>

namespace strandline::table::manifest_format {

// No manifest or list may claim more rows or bytes of one file or manifest, so that sums of them
// cannot leave 64 bits.
inline constexpr std::int64_t kRowsOrBytesMax = std::int64_t{1} << 48;

// A field of a manifest or manifest list as the specification has it. Ids are on disk and frozen.
struct SpecField {
  std::int32_t id;
  std::string_view name;
  std::string_view doc;
  std::string_view other_name = "";  // What older writers call it.
};

// https://iceberg.apache.org/spec/#manifest-entry-fields
inline constexpr SpecField kStatus = {0, "status", ""};
inline constexpr SpecField kSnapshotId = {1, "snapshot_id", ""};
inline constexpr SpecField kDataFile = {2, "data_file", ""};
inline constexpr SpecField kSequenceNumber = {3, "sequence_number", ""};
inline constexpr SpecField kFileSequenceNumber = {4, "file_sequence_number", ""};

// https://iceberg.apache.org/spec/#data-file-fields
inline constexpr SpecField kFilePath = {100, "file_path", "Location URI with FS scheme"};
inline constexpr SpecField kFileFormat = {101, "file_format",
                                          "File format name: avro, orc, or parquet"};
inline constexpr SpecField kPartition = {
    102, "partition", "Partition data tuple, schema based on the partition spec"};
inline constexpr SpecField kRecordCount = {103, "record_count", "Number of records in the file"};
inline constexpr SpecField kFileSize = {104, "file_size_in_bytes", "Total file size in bytes"};
inline constexpr SpecField kColumnSizes = {108, "column_sizes",
                                           "Map of column id to total size on disk"};
inline constexpr SpecField kValueCounts = {
    109, "value_counts", "Map of column id to total count, including null and NaN"};
inline constexpr SpecField kNullValueCounts = {110, "null_value_counts",
                                               "Map of column id to null value count"};
inline constexpr SpecField kLowerBounds = {125, "lower_bounds", "Map of column id to lower bound"};
inline constexpr SpecField kUpperBounds = {128, "upper_bounds", "Map of column id to upper bound"};
inline constexpr SpecField kKeyMetadata = {131, "key_metadata", "Encryption key metadata blob"};
inline constexpr SpecField kSplitOffsets = {132, "split_offsets", "Splittable offsets"};
inline constexpr SpecField kContent = {
    134, "content", "Contents of the file: 0=data, 1=position deletes, 2=equality deletes"};
inline constexpr SpecField kEqualityIds = {135, "equality_ids", "Equality comparison field IDs"};
inline constexpr SpecField kNanValueCounts = {
    137, "nan_value_counts", "Map of column id to number of NaN values in the column"};
inline constexpr SpecField kSortOrderId = {140, "sort_order_id", "Sort order ID"};
inline constexpr SpecField kReferencedDataFile = {
    143, "referenced_data_file",
    "Fully qualified location (URI with FS scheme) of a data file that all deletes reference"};

// Ids of the keys and values of the maps above, and of the items of the lists.
struct PairIds {
  std::int32_t key;
  std::int32_t value;
};
inline constexpr PairIds kColumnSizesIds = {117, 118};
inline constexpr PairIds kValueCountsIds = {119, 120};
inline constexpr PairIds kNullValueCountsIds = {121, 122};
inline constexpr PairIds kLowerBoundsIds = {126, 127};
inline constexpr PairIds kUpperBoundsIds = {129, 130};
inline constexpr PairIds kNanValueCountsIds = {138, 139};
inline constexpr std::int32_t kSplitOffsetsElementId = 133;
inline constexpr std::int32_t kEqualityIdsElementId = 136;

// https://iceberg.apache.org/spec/#manifest-lists
inline constexpr SpecField kManifestPath = {500, "manifest_path", "Location URI with FS scheme"};
inline constexpr SpecField kManifestLength = {501, "manifest_length", "Total file size in bytes"};
inline constexpr SpecField kPartitionSpecId = {502, "partition_spec_id", "Spec ID used to write"};
inline constexpr SpecField kAddedSnapshotId = {503, "added_snapshot_id",
                                               "Snapshot ID that added the manifest"};
inline constexpr SpecField kAddedFilesCount = {504, "added_files_count", "Added entry count",
                                               "added_data_files_count"};
inline constexpr SpecField kExistingFilesCount = {
    505, "existing_files_count", "Existing entry count", "existing_data_files_count"};
inline constexpr SpecField kDeletedFilesCount = {506, "deleted_files_count", "Deleted entry count",
                                                 "deleted_data_files_count"};
inline constexpr SpecField kPartitions = {507, "partitions", "Summary for each partition"};
inline constexpr std::int32_t kPartitionsElementId = 508;
inline constexpr SpecField kContainsNull = {509, "contains_null",
                                            "True if any file has a null partition value"};
inline constexpr SpecField kLowerBound = {510, "lower_bound",
                                          "Partition lower bound for all files"};
inline constexpr SpecField kUpperBound = {511, "upper_bound",
                                          "Partition upper bound for all files"};
inline constexpr SpecField kAddedRowsCount = {512, "added_rows_count", "Added rows count"};
inline constexpr SpecField kExistingRowsCount = {513, "existing_rows_count", "Existing rows count"};
inline constexpr SpecField kDeletedRowsCount = {514, "deleted_rows_count", "Deleted rows count"};
inline constexpr SpecField kManifestSequenceNumber = {
    515, "sequence_number", "Sequence number when the manifest was added"};
inline constexpr SpecField kMinSequenceNumber = {516, "min_sequence_number",
                                                 "Lowest sequence number in the manifest"};
inline constexpr SpecField kManifestContent = {517, "content",
                                               "Contents of the manifest: 0=data, 1=deletes"};
inline constexpr SpecField kContainsNan = {518, "contains_nan",
                                           "True if any file has a nan partition value"};
inline constexpr SpecField kManifestKeyMetadata = {519, "key_metadata",
                                                   "Encryption key metadata blob"};

// Keys in the headers of the files.
inline constexpr std::string_view kFormatVersionKey = "format-version";
inline constexpr std::string_view kFormatVersion = "2";

}  // namespace strandline::table::manifest_format
