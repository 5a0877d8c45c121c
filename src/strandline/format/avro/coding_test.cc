#include <cstdint>
#include <limits>
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
using ::testing::HasSubstr;

SchemaPtr Parsed(std::string_view json) {
  const Result<SchemaPtr> schema = ParseSchema(json);
  EXPECT_THAT(schema, IsOk());
  return schema ? *schema : Primitive(Kind::kNull);
}

TEST(Encoder, WritesLongsAsTheSpecificationShows) {
  struct Case {
    std::int64_t value;
    std::string bytes;
  };
  const std::vector<Case> cases = {
      {0, "\x00"s},
      {-1, "\x01"},
      {1, "\x02"},
      {-2, "\x03"},
      {-64, "\x7f"},
      {64, "\x80\x01"},
      {std::numeric_limits<std::int64_t>::max(), "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
      {std::numeric_limits<std::int64_t>::min(), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.value);
    Encoder encoder;

    encoder.WriteLong(c.value);

    EXPECT_EQ(encoder.buffer(), c.bytes);
    Decoder decoder(c.bytes);
    SL_ASSERT_OK_AND_ASSIGN(const std::int64_t read, decoder.ReadLong());
    EXPECT_EQ(read, c.value);
    EXPECT_TRUE(decoder.at_end());
  }
}

TEST(Decoder, RefusesBytesThatAreNoValue) {
  struct Case {
    const char* name;
    std::string schema;
    std::string bytes;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"a number that ends early", R"("long")", "\x80", "end within a number"},
      {"a number of eleven bytes", R"("long")", std::string(11, '\x80'), "longer than ten"},
      {"a float that ends early", R"("float")", "abc", "end within a value"},
      {"a text that ends early", R"("string")",
       "\x08"
       "abc",
       "end within a value"},
      {"a text of negative length", R"("string")", "\x01", "negative"},
      {"a text of 2^62 bytes", R"("bytes")", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
       "end within a value"},
      {"a boolean of 2", R"("boolean")", "\x02", "neither 0 nor 1"},
      {"a branch that is not there", R"(["null","long"])", "\x04", "branch"},
      {"a negative branch", R"(["null","long"])", "\x01", "branch"},
      {"a symbol that is not there", R"({"type":"enum","name":"e","symbols":["a"]})", "\x02",
       "symbol"},
      {"a list of 2^62 nulls", R"({"type":"array","items":"null"})",
       "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "more than"},
      {"a list whose items end early", R"({"type":"array","items":"long"})", "\x04\x02", "end"},
      {"a block of the lowest count", R"({"type":"array","items":"long"})",
       "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00"s, "more than"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const SchemaPtr schema = Parsed(c.schema);
    Decoder decoder(c.bytes);

    EXPECT_THAT(DecodeDatum(*schema, decoder), Fails(ErrorKind::kCorrupt, HasSubstr(c.message)));
  }
}

TEST(Decoder, FailsForEverOnceItFailed) {
  Decoder decoder(
      "\x08"
      "abc");

  EXPECT_THAT(decoder.ReadBytes(), Fails(ErrorKind::kCorrupt, HasSubstr("end within")));
  EXPECT_THAT(decoder.ReadLong(), Fails(ErrorKind::kCorrupt, HasSubstr("end within")));
}

TEST(Cursor, BoundsTheItemsOfABlockByTheBytesLeft) {
  Encoder encoder;
  encoder.WriteLong(4);
  encoder.WriteFixed("abcdefg");

  EXPECT_EQ(Cursor(encoder.buffer()).BlockCount(1), 4);
  Cursor cursor(encoder.buffer());
  EXPECT_EQ(cursor.BlockCount(2), 0);
  EXPECT_FALSE(cursor.ok());
}

// One of everything, with values at the edges.
const char* const kEverything = R"({"type": "record", "name": "all", "fields": [
  {"name": "n", "type": "null"},
  {"name": "t", "type": "boolean"},
  {"name": "i", "type": "int"},
  {"name": "l", "type": "long"},
  {"name": "f", "type": "float"},
  {"name": "d", "type": "double"},
  {"name": "b", "type": "bytes"},
  {"name": "s", "type": ["null", "string"]},
  {"name": "x", "type": {"type": "fixed", "name": "f3", "size": 3}},
  {"name": "e", "type": {"type": "enum", "name": "en", "symbols": ["u", "v"]}},
  {"name": "a", "type": {"type": "array", "items": ["long", "null", "string"]}},
  {"name": "m", "type": {"type": "map", "values": "f3"}},
  {"name": "z", "type": {"type": "array", "items": "null"}}]})";

Datum Everything() {
  const Datum null;
  return Datum{DatumFields{
      {"n", null},
      {"t", Datum{true}},
      {"i", Datum{std::int64_t{std::numeric_limits<std::int32_t>::min()}}},
      {"l", Datum{std::numeric_limits<std::int64_t>::max()}},
      {"f", Datum{-0.0F}},
      {"d", Datum{1e300}},
      {"b", Datum{"\0\xff"s}},
      {"s", null},
      {"x", Datum{"abc"s}},
      {"e", Datum{"v"s}},
      {"a", Datum{DatumList{Datum{std::int64_t{-1}}, null, Datum{"w"s}}}},
      {"m", Datum{DatumFields{{"k", Datum{"def"s}}, {"", Datum{"ghi"s}}}}},
      {"z", Datum{DatumList{null, null}}},
  }};
}

TEST(Datum, SurvivesEncodingAndDecoding) {
  const SchemaPtr schema = Parsed(kEverything);
  Encoder encoder;

  ASSERT_THAT(EncodeDatum(*schema, Everything(), encoder), IsOk());

  Decoder decoder(encoder.buffer());
  SL_ASSERT_OK_AND_ASSIGN(const Datum decoded, DecodeDatum(*schema, decoder));
  EXPECT_EQ(decoded, Everything());
  EXPECT_TRUE(decoder.at_end());
}

TEST(Datum, ThatDoesNotFitIsRefusedWithItsPath) {
  const SchemaPtr schema = Parsed(R"({"type": "record", "name": "o", "fields": [
      {"name": "inner", "type": {"type": "record", "name": "i", "fields": [
        {"name": "number", "type": "int"}]}}]})");
  const auto with_number = [](Datum number) {
    return Datum{DatumFields{{"inner", Datum{DatumFields{{"number", std::move(number)}}}}}};
  };
  Encoder encoder;

  EXPECT_THAT(EncodeDatum(*schema, with_number(Datum{"1"s}), encoder),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("field `inner`: field `number`")));
  EXPECT_THAT(EncodeDatum(*schema, with_number(Datum{std::int64_t{1} << 31}), encoder),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("int")));
  EXPECT_THAT(EncodeDatum(*schema, Datum{DatumFields{}}, encoder),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("1 fields, not 0")));
}

TEST(Skip, PassesOverExactlyOneValue) {
  const SchemaPtr schema = Parsed(kEverything);
  Encoder encoder;
  ASSERT_THAT(EncodeDatum(*schema, Everything(), encoder), IsOk());
  encoder.WriteLong(4711);
  Decoder decoder(encoder.buffer());

  ASSERT_THAT(decoder.Skip(*schema), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::int64_t after, decoder.ReadLong());
  EXPECT_EQ(after, 4711);
  EXPECT_TRUE(decoder.at_end());
}

TEST(Skip, UnderstandsBlocksThatSayTheirSize) {
  const SchemaPtr schema = Parsed(R"({"type": "array", "items": "long"})");
  Encoder encoder;
  encoder.WriteLong(-2);  // two items in three bytes
  encoder.WriteLong(3);
  encoder.WriteLong(5);
  encoder.WriteLong(100);
  encoder.WriteLong(1);  // one more item
  encoder.WriteLong(6);
  encoder.WriteLong(0);

  Decoder skipping(encoder.buffer());
  EXPECT_THAT(skipping.Skip(*schema), IsOk());
  EXPECT_TRUE(skipping.at_end());

  Decoder decoder(encoder.buffer());
  SL_ASSERT_OK_AND_ASSIGN(const Datum decoded, DecodeDatum(*schema, decoder));
  EXPECT_EQ(
      decoded,
      (Datum{DatumList{Datum{std::int64_t{5}}, Datum{std::int64_t{100}}, Datum{std::int64_t{6}}}}));
}

TEST(Skip, EndsSoonOnListsThatClaimToBeEndless) {
  const SchemaPtr nulls = Parsed(R"({"type": "array", "items": "null"})");
  const SchemaPtr longs = Parsed(R"({"type": "array", "items": "long"})");
  Encoder encoder;
  encoder.WriteLong(std::int64_t{1} << 61);
  encoder.WriteLong(0);

  EXPECT_THAT(Decoder(encoder.buffer()).Skip(*nulls), IsOk()) << "there is nothing to pass over";
  EXPECT_THAT(Decoder(encoder.buffer()).Skip(*longs),
              Fails(ErrorKind::kCorrupt, HasSubstr("end within a number")));
}

}  // namespace
}  // namespace strandline::format::avro
