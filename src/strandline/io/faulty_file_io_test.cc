#include "strandline/io/faulty_file_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/base/ignore_error.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"

namespace strandline::io {
namespace {

using strandline::testing::Fails;
using strandline::testing::IsOk;
using ::testing::HasSubstr;

// One of each call, in an order in which each can work.
Status CallEverything(FileIo& io) {
  const std::unique_ptr<OutputFile> output = SL_TRY(io.Create("/w/x"));
  SL_TRY(output->Write("hello"));
  SL_TRY(output->Close());
  const std::unique_ptr<InputFile> input = SL_TRY(io.Open("/w/x"));
  std::string into(3, '\0');
  SL_TRY(input->ReadAt(1, std::as_writable_bytes(std::span(into))));
  SL_TRY(io.Stat("/w/x"));
  SL_TRY(io.List("/w", Recursive::kYes, [](const FileInfo&) -> Result<bool> { return true; }));
  SL_TRY(io.ListFolders("/w"));
  return io.Delete("/w/x");
}

TEST(FaultyFileIo, FailsEachCallOnce) {
  const FixedClock clock{Timestamp()};
  constexpr std::string_view kCalls[] = {"creating", "writing",         "closing",
                                         "opening",  "reading",         "looking",
                                         "listing",  "listing folders", "deleting"};
  std::int64_t number = 0;
  for (const std::string_view call : kCalls) {
    SCOPED_TRACE(call);
    const std::unique_ptr<FileIo> target = MakeMemoryFileIo(clock);
    FaultyFileIo io(*target);
    io.FailCall(++number);

    EXPECT_THAT(CallEverything(io), Fails(ErrorKind::kUnavailable, HasSubstr(std::string(call))));

    EXPECT_TRUE(io.has_failed());
    EXPECT_EQ(io.calls(), number);
    IgnoreError(target->Delete("/w/x"), "there or not, the next attempt starts empty");
    EXPECT_THAT(CallEverything(io), IsOk()) << "only once";
  }
  const std::unique_ptr<FileIo> target = MakeMemoryFileIo(clock);
  FaultyFileIo io(*target);
  io.FailCall(number + 1);
  EXPECT_THAT(CallEverything(io), IsOk()) << "there is no further call";
  EXPECT_FALSE(io.has_failed());
}

TEST(FaultyFileIo, LeavesNoFileWhoseCloseFailed) {
  const FixedClock clock{Timestamp()};
  const std::unique_ptr<FileIo> target = MakeMemoryFileIo(clock);
  FaultyFileIo io(*target);
  io.FailCall(3);

  EXPECT_THAT(WriteFile(io, "/w/x", "hello"), Fails(ErrorKind::kUnavailable, HasSubstr("closing")));

  EXPECT_THAT(target->Stat("/w/x"), Fails(ErrorKind::kNotFound, HasSubstr("/w/x")));
}

TEST(FaultyFileIo, StopsFailingWhenTold) {
  const FixedClock clock{Timestamp()};
  const std::unique_ptr<FileIo> target = MakeMemoryFileIo(clock);
  FaultyFileIo io(*target);
  io.FailCall(2);

  io.StopFailing();

  EXPECT_THAT(CallEverything(io), IsOk());
}

}  // namespace
}  // namespace strandline::io
