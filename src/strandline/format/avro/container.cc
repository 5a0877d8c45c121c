#include "strandline/base/check.h"
#include "strandline/format/avro/avro.h"
#include "strandline/format/avro/internal/codec.h"

// https://avro.apache.org/docs/1.11.1/specification/#object-container-files

namespace strandline::format::avro {
namespace {

constexpr std::string_view kMagic{"Obj\1", 4};
constexpr std::string_view kSchemaKey = "avro.schema";
constexpr std::string_view kCodecKey = "avro.codec";
constexpr std::string_view kReservedPrefix = "avro.";
constexpr std::size_t kSyncBytes = 16;
// As large as the blocks of Avro's Java library: larger ones compress no better.
constexpr std::size_t kBlockBytes = 64'000;

struct Opened {
  Header header;
  std::string_view sync;
};

Result<std::map<std::string, std::string>> ReadMetadata(Decoder& decoder) {
  std::map<std::string, std::string> metadata;
  while (true) {
    const std::int64_t count = SL_TRY(decoder.ReadBlockCount(/*item_bytes_min=*/2));
    if (count == 0) {
      return metadata;
    }
    for (std::int64_t index = 0; index < count; ++index) {
      std::string key(SL_TRY(decoder.ReadBytes()));
      metadata[std::move(key)] = std::string(SL_TRY(decoder.ReadBytes()));
    }
  }
}

Result<Opened> Open(Decoder& decoder) {
  if (!decoder.rest().starts_with(kMagic)) {
    return MakeError(ErrorKind::kCorrupt, "not an avro file: it does not begin with its magic");
  }
  SL_TRY(decoder.ReadFixed(kMagic.size()));
  Opened opened;
  std::map<std::string, std::string> metadata = SL_TRY(ReadMetadata(decoder), "avro header");
  opened.sync = SL_TRY(decoder.ReadFixed(kSyncBytes), "avro header");

  const auto schema = metadata.find(std::string(kSchemaKey));
  if (schema == metadata.end()) {
    return MakeError(ErrorKind::kCorrupt, "the avro file has no schema");
  }
  opened.header.schema = SL_TRY(ParseSchema(schema->second));
  if (const auto codec = metadata.find(std::string(kCodecKey)); codec != metadata.end()) {
    opened.header.codec = SL_TRY(internal::CodecNamed(codec->second));
  }
  std::erase_if(metadata,
                [](const auto& entry) { return entry.first.starts_with(kReservedPrefix); });
  opened.header.metadata = std::move(metadata);
  return opened;
}

// False to stop.
Result<bool> ReadBlock(std::string_view block, std::int64_t count,
                       const std::function<Result<bool>(Decoder&)>& read_object) {
  // Objects without any bytes are of no use, and their number would have no bound.
  if (static_cast<std::uint64_t>(count) > block.size()) {
    return MakeError(ErrorKind::kCorrupt, "it claims {} objects in {} bytes", count, block.size());
  }
  Decoder decoder(block);
  for (std::int64_t index = 0; index < count; ++index) {
    const bool wants_more = SL_TRY(read_object(decoder));
    if (!decoder.cursor().ok()) {
      return decoder.cursor().error();
    }
    if (!wants_more) {
      return false;
    }
  }
  if (!decoder.at_end()) {
    return MakeError(ErrorKind::kCorrupt, "{} bytes are left after its {} objects",
                     decoder.rest().size(), count);
  }
  return true;
}

}  // namespace

Status ReadContainer(std::string_view file, const std::function<Status(const Header&)>& read_header,
                     const std::function<Result<bool>(Decoder&)>& read_object) {
  Decoder decoder(file);
  const Opened opened = SL_TRY(Open(decoder));
  SL_TRY(read_header(opened.header));
  internal::Decompressor decompressor(opened.header.codec);
  for (std::int64_t number = 0; !decoder.at_end(); ++number) {
    const std::int64_t count = SL_TRY(decoder.ReadLong(), "avro block {}", number);
    const std::string_view packed = SL_TRY(decoder.ReadBytes(), "avro block {}", number);
    const std::string_view sync = SL_TRY(decoder.ReadFixed(kSyncBytes), "avro block {}", number);
    if (count < 0 || sync != opened.sync) {
      return MakeError(ErrorKind::kCorrupt, "avro block {}: {}", number,
                       count < 0 ? "a negative number of objects" : "a wrong sync marker");
    }
    const std::string_view block = SL_TRY(decompressor.Unpack(packed), "avro block {}", number);
    const bool wants_more = SL_TRY(ReadBlock(block, count, read_object), "avro block {}", number);
    if (!wants_more) {
      return {};
    }
  }
  return {};
}

ContainerWriter::ContainerWriter(SchemaPtr schema, std::map<std::string, std::string> metadata,
                                 Codec codec, std::string sync, std::optional<int> level)
    : codec_(codec), level_(level), sync_(std::move(sync)) {
  SL_CHECK(sync_.size() == kSyncBytes);
  metadata[std::string(kSchemaKey)] = SchemaText(*schema);
  metadata[std::string(kCodecKey)] = internal::CodecName(codec);
  Encoder header;
  header.WriteFixed(kMagic);
  header.WriteLong(static_cast<std::int64_t>(metadata.size()));
  for (const auto& [key, value] : metadata) {
    header.WriteBytes(key);
    header.WriteBytes(value);
  }
  header.WriteLong(0);
  header.WriteFixed(sync_);
  file_ = std::move(header.buffer());
}

Status ContainerWriter::Append(std::string_view object) {
  block_ += object;
  ++block_count_;
  return block_.size() >= kBlockBytes ? FlushBlock() : Status();
}

Result<std::string> ContainerWriter::Finish() && {
  if (block_count_ > 0) {
    SL_TRY(FlushBlock());
  }
  return std::move(file_);
}

Status ContainerWriter::FlushBlock() {
  const std::string packed = SL_TRY(internal::Compress(codec_, level_, block_));
  Encoder block;
  block.WriteLong(block_count_);
  block.WriteBytes(packed);
  block.WriteFixed(sync_);
  file_ += block.buffer();
  block_.clear();
  block_count_ = 0;
  return {};
}

}  // namespace strandline::format::avro
