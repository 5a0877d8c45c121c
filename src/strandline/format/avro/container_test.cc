#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/format/avro/avro.h"
#include "tests/support/matchers.h"

namespace strandline::format::avro {
namespace {

using namespace std::string_literals;  // NOLINT(google-build-using-namespace)
using ::strandline::testing::Fails;
using ::strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::string kSync = "0123456789abcdef";
const std::vector<Codec> kCodecs = {Codec::kNull, Codec::kDeflate, Codec::kSnappy,
                                    Codec::kZstandard};

std::string TextObject(std::string_view text) {
  Encoder encoder;
  encoder.WriteBytes(text);
  return encoder.buffer();
}

// A file of texts, several blocks long when there are many.
Result<std::string> FileOf(const std::vector<std::string>& texts, Codec codec) {
  ContainerWriter writer(Primitive(Kind::kString), {{"who", "test"}}, codec, kSync);
  for (const std::string& text : texts) {
    SL_TRY(writer.Append(TextObject(text)));
  }
  return std::move(writer).Finish();
}

struct Contents {
  Header header;
  std::vector<std::string> texts;
};

Result<Contents> ReadTexts(std::string_view file) {
  Contents contents;
  SL_TRY(ReadContainer(
      file,
      [&](const Header& header) -> Status {
        contents.header = header;
        return {};
      },
      [&](Decoder& decoder) -> Result<bool> {
        const Result<std::string_view> text = decoder.ReadBytes();
        if (!text) {
          return text.error();
        }
        contents.texts.emplace_back(*text);
        return true;
      }));
  return contents;
}

TEST(Container, GivesBackWhatWasWrittenWithEveryCodec) {
  std::vector<std::string> texts = {"", "a", std::string(300'000, 'x')};
  for (int number = 0; number < 20'000; ++number) {
    texts.push_back("text number " + std::to_string(number));
  }
  for (const Codec codec : kCodecs) {
    SCOPED_TRACE(static_cast<int>(codec));
    SL_ASSERT_OK_AND_ASSIGN(const std::string file, FileOf(texts, codec));

    SL_ASSERT_OK_AND_ASSIGN(const Contents contents, ReadTexts(file));

    EXPECT_EQ(contents.header.codec, codec);
    EXPECT_EQ(contents.header.schema->kind, Kind::kString);
    EXPECT_THAT(contents.header.metadata, ElementsAre(Pair("who", "test")));
    EXPECT_EQ(contents.texts, texts);
  }
}

TEST(Container, MayBeEmpty) {
  SL_ASSERT_OK_AND_ASSIGN(const std::string file, FileOf({}, Codec::kDeflate));

  SL_ASSERT_OK_AND_ASSIGN(const Contents contents, ReadTexts(file));

  EXPECT_THAT(contents.texts, ElementsAre());
}

TEST(Container, StopsWhenTheReaderHasEnough) {
  SL_ASSERT_OK_AND_ASSIGN(const std::string file, FileOf({"a", "b", "c"}, Codec::kDeflate));
  std::vector<std::string> seen;

  const Status status = ReadContainer(
      file, [](const Header&) { return Status(); },
      [&](Decoder& decoder) -> Result<bool> {
        seen.emplace_back(*decoder.ReadBytes());
        return seen.size() < 2;
      });

  EXPECT_THAT(status, IsOk());
  EXPECT_THAT(seen, ElementsAre("a", "b"));
}

TEST(Container, NoticesDamage) {
  SL_ASSERT_OK_AND_ASSIGN(const std::string file, FileOf({"a", "b"}, Codec::kNull));
  const auto with = [&](std::size_t position, std::string_view bytes) {
    return std::string(file).replace(position, bytes.size(), bytes);
  };
  const std::size_t header_end = file.find(kSync) + kSync.size();
  struct Case {
    const char* name;
    std::string file;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"empty", "", "magic"},
      {"another format", "PAR1" + file, "magic"},
      {"cut in the header", file.substr(0, 20), "avro header"},
      {"cut in the block", file.substr(0, header_end + 3), "avro block 0"},
      {"cut in the last sync marker", file.substr(0, file.size() - 1), "avro block 0"},
      {"another sync marker", with(file.size() - 16, "X"), "wrong sync marker"},
      {"more objects than bytes", with(header_end, "\x7e"), "63 objects in 4 bytes"},
      {"a negative number of objects", with(header_end, "\x01"), "negative number of objects"},
      {"fewer objects than it holds", with(header_end, "\x02"), "2 bytes are left"},
      {"more objects than it holds", with(header_end, "\x06"), "end within"},
      {"no schema", "Obj\1\0"s + kSync, "no schema"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);

    EXPECT_THAT(ReadTexts(c.file), Fails(ErrorKind::kCorrupt, HasSubstr(c.message)));
  }
}

TEST(Container, NoticesAChangedByteInAPackedBlock) {
  const std::vector<std::string> texts(100, "the same text");
  for (const Codec codec : {Codec::kDeflate, Codec::kSnappy, Codec::kZstandard}) {
    SCOPED_TRACE(static_cast<int>(codec));
    SL_ASSERT_OK_AND_ASSIGN(std::string file, FileOf(texts, codec));
    const std::size_t inside = file.find(kSync) + kSync.size() + 8;

    file[inside] = static_cast<char>(file[inside] ^ 0x55);

    EXPECT_THAT(ReadTexts(file), Fails(ErrorKind::kCorrupt, HasSubstr("avro block 0")));
  }
}

TEST(Container, NamesACodecItDoesNotKnow) {
  SL_ASSERT_OK_AND_ASSIGN(std::string file, FileOf({"a"}, Codec::kNull));

  file.replace(file.find("\x08null"), 5,
               "\x08"
               "lzma");

  EXPECT_THAT(ReadTexts(file), Fails(ErrorKind::kUnsupported, HasSubstr("`lzma`")));
}

// What packs very well must not take all memory. Deflate and zstandard share the check.
TEST(Container, RefusesABlockThatUnpacksWithoutEnd) {
  SL_ASSERT_OK_AND_ASSIGN(
      const std::string file,
      FileOf({std::string((std::size_t{256} << 20) + 1, '\0')}, Codec::kZstandard));

  EXPECT_THAT(ReadTexts(file), Fails(ErrorKind::kCorrupt, HasSubstr("unpacks to more than")));
}

// Snappy's blocks begin with the length they claim to unpack to.
TEST(Container, TakesNoMemoryForALengthThatIsMadeUp) {
  struct Case {
    const char* name;
    std::string length;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"above the bound", "\x80\x80\x80\x80\x0f", "unpacks to more than"},
      {"below the bound", "\x80\x80\x80\x40", "malformed"},
  };
  SL_ASSERT_OK_AND_ASSIGN(const std::string empty, FileOf({}, Codec::kSnappy));
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Encoder block;
    block.WriteLong(1);
    block.WriteBytes(c.length + "four");
    block.WriteFixed(kSync);

    EXPECT_THAT(ReadTexts(empty + block.buffer()),
                Fails(ErrorKind::kCorrupt, HasSubstr(c.message)));
  }
}

}  // namespace
}  // namespace strandline::format::avro
