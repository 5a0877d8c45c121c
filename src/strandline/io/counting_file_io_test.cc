#include "strandline/io/counting_file_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"

namespace strandline::io {
namespace {

using strandline::testing::IsOk;

TEST(CountingFileIo, CountsBytes) {
  const FixedClock clock{Timestamp()};
  const std::unique_ptr<FileIo> target = MakeMemoryFileIo(clock);
  CountingFileIo io(*target);

  ASSERT_THAT(WriteFile(io, "/w/x", "hello"), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<InputFile> input, io.Open("/w/x"));
  std::string into(3, '\0');
  ASSERT_THAT(input->ReadAt(1, std::as_writable_bytes(std::span(into))), IsOk());

  EXPECT_EQ(io.bytes_written(), 5);
  EXPECT_EQ(io.bytes_read(), 3);
}

}  // namespace
}  // namespace strandline::io
