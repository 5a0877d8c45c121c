#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/rng.h"
#include "strandline/format/avro/avro.h"
#include "strandline/table/manifest/manifest.h"
#include "tests/support/manifest_tables.h"
#include "tests/support/matchers.h"

// Whatever bytes come: a value or an error with a message, soon, in bounded memory. (The sanitizer
// build makes this a sharp test.)

namespace strandline::table {
namespace {

namespace avro = format::avro;
using ::strandline::testing::AllTypesTable;
using ::strandline::testing::ManifestFixture;
using ::strandline::testing::MemoryFiles;
using ::strandline::testing::ReadEntriesOf;

constexpr std::uint64_t kSeed = 20261130;
constexpr int kMutationsOfEach = 200;
constexpr int kChangesMax = 6;

// Numbers that lengths and counts break on.
const std::vector<std::string> kNastyBytes = {
    std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10),
    std::string("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10),
    std::string("\xfe\xff\xff\xff\x0f", 5),
    std::string("\x00", 1),
    std::string("\x01", 1),
    std::string("\xff", 1),
};

std::string Mutated(std::string bytes, Rng& rng) {
  const auto below = [&](std::size_t bound) { return rng.Next() % bound; };
  const std::size_t changes = 1 + below(kChangesMax);
  for (std::size_t change = 0; change < changes && !bytes.empty(); ++change) {
    const std::size_t position = below(bytes.size());
    switch (below(5)) {
      case 0:
        bytes[position] = static_cast<char>(rng.Next());
        break;
      case 1:
        bytes[position] = static_cast<char>(bytes[position] ^ (1 << below(8)));
        break;
      case 2:
        bytes.replace(position, 1, kNastyBytes[below(kNastyBytes.size())]);
        break;
      case 3:
        bytes.erase(position, 1 + below(16));
        break;
      default:
        bytes.insert(position, bytes.substr(below(bytes.size()), 1 + below(32)));
        break;
    }
  }
  return bytes;
}

// Reads them as manifest and as list.
void ReadBoth(const std::string& bytes, SpecId spec) {
  const MemoryFiles files;
  const char* const location = "file:///lake/t/metadata/m.avro";
  ASSERT_THAT(io::WriteFile(*files.io, location, bytes), testing::IsOk());
  ManifestFile line;
  line.manifest_path = location;
  line.partition_spec_id = spec;
  line.sequence_number = SequenceNumber(6);
  line.added_snapshot_id = SnapshotId(77);
  Snapshot snapshot;
  snapshot.manifest_list = location;

  const Result<std::vector<ManifestEntry>> entries =
      ReadEntriesOf(*files.io, AllTypesTable(), line);
  const Result<std::vector<ManifestFile>> lines = ReadManifestList(*files.io, snapshot);

  EXPECT_TRUE(entries || entries.error().message.find(location) != std::string::npos);
  EXPECT_TRUE(lines || lines.error().message.find(location) != std::string::npos);
}

TEST(ManifestFuzz, EndsWithAValueOrAMessage) {
  struct Case {
    const char* name;
    SpecId spec;
  };
  const std::vector<Case> cases = {
      {"uncompressed.avro", SpecId(7)},   {"pyiceberg_all_types.avro", SpecId(7)},
      {"snappy.avro", SpecId(7)},         {"zstandard.avro", SpecId(7)},
      {"nullable.avro", SpecId(9)},       {"without_ids.avro", SpecId(7)},
      {"pyiceberg_list.avro", SpecId(9)}, {"list_nullable.avro", SpecId(9)},
  };
  SeededRng rng(kSeed);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, ManifestFixture(c.name));
    for (int mutation = 0; mutation < kMutationsOfEach; ++mutation) {
      SCOPED_TRACE(mutation);
      ReadBoth(Mutated(bytes, rng), c.spec);
    }
  }
}

// Most random changes hit the header, and others the frame of a block: the values get their own
// share.
TEST(ManifestFuzz, OfTheValuesAloneEndsWithAValueOrAMessage) {
  SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, ManifestFixture("uncompressed.avro"));
  std::string sync;
  for (char byte = 0; byte < 16; ++byte) {
    sync += byte;
  }
  const std::size_t header_end = bytes.find(sync) + sync.size();
  avro::Decoder first_block(std::string_view(bytes).substr(header_end));
  SL_ASSERT_OK_AND_ASSIGN(const std::int64_t count, first_block.ReadLong());
  SL_ASSERT_OK_AND_ASSIGN(const std::string_view values, first_block.ReadBytes());
  SeededRng rng(kSeed);
  for (int mutation = 0; mutation < 4 * kMutationsOfEach; ++mutation) {
    SCOPED_TRACE(mutation);
    avro::Encoder file;
    file.WriteFixed(std::string_view(bytes).substr(0, header_end));
    file.WriteLong(count);
    file.WriteBytes(Mutated(std::string(values), rng));
    file.WriteFixed(sync);

    ReadBoth(file.buffer(), SpecId(7));
  }
}

}  // namespace
}  // namespace strandline::table
