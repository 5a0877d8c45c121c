#include "strandline/io/file_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/io/local_file_io.h"
#include "strandline/io/location.h"
#include "strandline/io/memory_file_io.h"
#include "tests/support/matchers.h"

namespace strandline::io {
namespace {

using strandline::testing::Fails;
using strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The contract of file_io.h, for every kind of storage.
class FileIoContract : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (GetParam() == "memory") {
      root_ = "memory://lake/w";
      io_ = MakeMemoryFileIo(clock_);
      return;
    }
    std::string folder = ::testing::TempDir() + "file_io_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    root_ = FileLocation(folder, "/");
    io_ = MakeLocalFileIo();
  }

  std::string At(std::string_view name) const { return JoinLocation(root_, name); }

  std::vector<std::string> List(const std::string& location, Recursive recursive) {
    std::vector<std::string> found;
    const Status status = io_->List(location, recursive, [&](const FileInfo& file) -> Result<bool> {
      found.push_back(file.location);
      return true;
    });
    EXPECT_THAT(status, IsOk());
    return found;
  }

  FixedClock clock_{Timestamp(std::chrono::seconds(1'800'000'000))};
  std::unique_ptr<FileIo> io_;
  std::string root_;
};

INSTANTIATE_TEST_SUITE_P(Storage, FileIoContract, ::testing::Values("local", "memory"),
                         [](const auto& storage) { return std::string(storage.param); });

TEST_P(FileIoContract, ReadsWhatWasWritten) {
  ASSERT_THAT(WriteFile(*io_, At("a/b/x"), "hello"), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, ReadFile(*io_, At("a/b/x")));
  EXPECT_EQ(bytes, "hello");
  SL_ASSERT_OK_AND_ASSIGN(const FileInfo info, io_->Stat(At("a/b/x")));
  EXPECT_EQ(info.location, At("a/b/x"));
  EXPECT_EQ(info.size_bytes, 5);
  EXPECT_GT(info.modified, Timestamp());
}

TEST_P(FileIoContract, ReadsEveryOffset) {
  ASSERT_THAT(WriteFile(*io_, At("x"), "0123456789"), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<InputFile> file, io_->Open(At("x")));
  EXPECT_EQ(file->size_bytes(), 10);
  EXPECT_EQ(file->location(), At("x"));
  std::string into(4, '\0');
  const auto bytes = std::as_writable_bytes(std::span(into));

  EXPECT_THAT(file->ReadAt(6, bytes), IsOk());
  EXPECT_EQ(into, "6789");
  EXPECT_THAT(file->ReadAt(10, {}), IsOk());
  EXPECT_THAT(file->ReadAt(7, bytes), Fails(ErrorKind::kCorrupt, HasSubstr("offset 7")));
  EXPECT_THAT(file->ReadAt(1000, bytes), Fails(ErrorKind::kCorrupt, HasSubstr("offset 1000")));
  EXPECT_THAT(file->ReadAt(-1, bytes), Fails(ErrorKind::kCorrupt, HasSubstr("offset -1")));
}

TEST_P(FileIoContract, KeepsLargeFilesInOnePiece) {
  // Pieces that leave the buffer empty, full, overfull, and bypass it.
  std::string expected;
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<OutputFile> file, io_->Create(At("large")));
  for (const std::size_t size : {1U, 1U << 20U, (1U << 20U) - 1, 3U << 20U, 10U, 9U << 20U, 0U}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 23));
    ASSERT_THAT(file->Write(piece), IsOk());
    expected += piece;
    ASSERT_EQ(file->position(), static_cast<std::int64_t>(expected.size()));
  }
  ASSERT_THAT(file->Close(), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const std::string bytes, ReadFile(*io_, At("large")));
  EXPECT_TRUE(bytes == expected);
}

TEST_P(FileIoContract, NeverOverwrites) {
  ASSERT_THAT(WriteFile(*io_, At("x"), "first"), IsOk());

  EXPECT_THAT(WriteFile(*io_, At("x"), "second"),
              Fails(ErrorKind::kAlreadyExists, HasSubstr("/x")));

  EXPECT_EQ(*ReadFile(*io_, At("x")), "first");
}

TEST_P(FileIoContract, RefusesTheSecondOfTwoWriters) {
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<OutputFile> file, io_->Create(At("x")));

  EXPECT_THAT(io_->Create(At("x")), Fails(ErrorKind::kAlreadyExists, HasSubstr("/x")));
}

TEST_P(FileIoContract, LeavesNothingOfAFileThatWasNotClosed) {
  {
    SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<OutputFile> file, io_->Create(At("a/x")));
    ASSERT_THAT(file->Write("half"), IsOk());
  }

  EXPECT_THAT(List(root_, Recursive::kYes), IsEmpty());
}

TEST_P(FileIoContract, SaysWhatIsNotThere) {
  ASSERT_THAT(WriteFile(*io_, At("folder/x"), ""), IsOk());

  for (const std::string_view name : {"missing", "folder", "folder/x/y"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(io_->Open(At(name)), Fails(ErrorKind::kNotFound, HasSubstr(std::string(name))));
    EXPECT_THAT(io_->Stat(At(name)), Fails(ErrorKind::kNotFound, HasSubstr(std::string(name))));
    EXPECT_THAT(io_->Delete(At(name)), Fails(ErrorKind::kNotFound, HasSubstr(std::string(name))));
  }
}

TEST_P(FileIoContract, ReadsFilesDeletedMeanwhile) {
  ASSERT_THAT(WriteFile(*io_, At("x"), "hello"), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<InputFile> file, io_->Open(At("x")));

  ASSERT_THAT(io_->Delete(At("x")), IsOk());

  std::string into(5, '\0');
  EXPECT_THAT(file->ReadAt(0, std::as_writable_bytes(std::span(into))), IsOk());
  EXPECT_EQ(into, "hello");
  EXPECT_THAT(io_->Open(At("x")), Fails(ErrorKind::kNotFound, HasSubstr("x")));
}

TEST_P(FileIoContract, ListsInTheOrderOfLocations) {
  // '.' sorts before '/', so a file `b.x` comes before the files of the folder `b`, and `b0` after
  // them.
  for (const std::string_view name : {"c", "b/2", "b/1/z", "b.x", "b0", "a", "b/a b%20=#?"}) {
    ASSERT_THAT(WriteFile(*io_, At(name), ""), IsOk());
  }

  EXPECT_THAT(List(root_, Recursive::kYes), ElementsAre(At("a"), At("b.x"), At("b/1/z"), At("b/2"),
                                                        At("b/a b%20=#?"), At("b0"), At("c")));
  EXPECT_THAT(List(root_ + "/", Recursive::kNo),
              ElementsAre(At("a"), At("b.x"), At("b0"), At("c")));
  EXPECT_THAT(List(At("b"), Recursive::kNo), ElementsAre(At("b/2"), At("b/a b%20=#?")));
}

TEST_P(FileIoContract, ListsNothingOfAFolderThatIsNotThere) {
  ASSERT_THAT(WriteFile(*io_, At("ab/x"), ""), IsOk());

  EXPECT_THAT(List(At("a"), Recursive::kYes), IsEmpty());
  EXPECT_THAT(List(At("ab/x"), Recursive::kYes), IsEmpty());
  SL_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> folders, io_->ListFolders(At("a")));
  EXPECT_THAT(folders, IsEmpty());
}

TEST_P(FileIoContract, StopsAListingWhenTold) {
  for (const std::string_view name : {"a/1", "a/2", "b/1"}) {
    ASSERT_THAT(WriteFile(*io_, At(name), ""), IsOk());
  }
  int seen = 0;

  EXPECT_THAT(io_->List(root_, Recursive::kYes,
                        [&](const FileInfo&) -> Result<bool> { return ++seen < 2; }),
              IsOk());
  EXPECT_EQ(seen, 2);
  EXPECT_THAT(io_->List(root_, Recursive::kYes,
                        [&](const FileInfo& file) -> Result<bool> {
                          return MakeError(ErrorKind::kCancelled, "at {}", file.location);
                        }),
              Fails(ErrorKind::kCancelled, HasSubstr("a/1")));
}

TEST_P(FileIoContract, LetsTheVisitorDelete) {
  for (const std::string_view name : {"a/1", "a/2", "b/1"}) {
    ASSERT_THAT(WriteFile(*io_, At(name), ""), IsOk());
  }

  EXPECT_THAT(io_->List(root_, Recursive::kYes,
                        [&](const FileInfo& file) -> Result<bool> {
                          SL_TRY(io_->Delete(file.location));
                          return true;
                        }),
              IsOk());
  EXPECT_THAT(List(root_, Recursive::kYes), IsEmpty());
}

TEST_P(FileIoContract, NamesFoldersOneLevelDeep) {
  for (const std::string_view name :
       {"2026-11-30-06/x", "2026-11-30-05/deep/er/x", "x", "2026-11-30-05.x/y"}) {
    ASSERT_THAT(WriteFile(*io_, At(name), ""), IsOk());
  }

  SL_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> folders, io_->ListFolders(root_));
  EXPECT_THAT(folders, ElementsAre("2026-11-30-05", "2026-11-30-05.x", "2026-11-30-06"));
}

TEST_P(FileIoContract, RefusesLocationsThatAreNone) {
  EXPECT_THAT(io_->Open("file://warehouse/x"),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("file://warehouse/x")));
  EXPECT_THAT(io_->Create("relative/x"),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("relative/x")));
}

TEST(ReadFile, RefusesWhatIsLargerThanAnyMetadata) {
  const FixedClock clock{Timestamp()};
  const std::unique_ptr<FileIo> io = MakeMemoryFileIo(clock);
  ASSERT_THAT(WriteFile(*io, "/x", "12345"), IsOk());

  EXPECT_THAT(ReadFile(*io, "/x", 5), IsOk());
  EXPECT_THAT(ReadFile(*io, "/x", 4), Fails(ErrorKind::kCorrupt, HasSubstr("/x")));
}

TEST(WriteFile, RefusesWhatReadersWouldRefuse) {
  FixedClock clock{Timestamp{}};
  const std::unique_ptr<FileIo> io = MakeMemoryFileIo(clock);

  EXPECT_THAT(WriteFile(*io, "mem://lake/x", "four", 3),
              Fails(ErrorKind::kUnsupported, HasSubstr("at most 3 bytes, not 4: mem://lake/x")));
  EXPECT_THAT(io->Stat("mem://lake/x"), Fails(ErrorKind::kNotFound, HasSubstr("lake/x")));
  EXPECT_THAT(WriteFile(*io, "mem://lake/x", "four", 4), IsOk());
}

TEST(MemoryFileIo, KnowsAFileByEverySpelling) {
  const FixedClock clock{Timestamp(std::chrono::seconds(5))};
  const std::unique_ptr<FileIo> io = MakeMemoryFileIo(clock);
  ASSERT_THAT(WriteFile(*io, "file:/w//t/x", "hello"), IsOk());

  EXPECT_EQ(*ReadFile(*io, "/w/t/x"), "hello");
  EXPECT_EQ(io->Stat("file:///w/t/x")->modified, clock.Now());
}

}  // namespace
}  // namespace strandline::io
