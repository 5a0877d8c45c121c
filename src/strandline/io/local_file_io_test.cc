#include "strandline/io/local_file_io.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/io/internal/durable_folders.h"
#include "strandline/io/internal/posix_error.h"
#include "strandline/io/location.h"
#include "tests/support/matchers.h"

namespace strandline::io {
namespace {

using strandline::testing::Fails;
using strandline::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LocalFileIo : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "local_file_io_XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }

  std::string Path(std::string_view name) const { return JoinLocation(folder_, name); }

  std::vector<std::string> List() {
    std::vector<std::string> found;
    EXPECT_THAT(io_->List(folder_, Recursive::kYes,
                          [&](const FileInfo& file) -> Result<bool> {
                            found.push_back(file.location);
                            return true;
                          }),
                IsOk());
    return found;
  }

  std::string folder_;
  std::unique_ptr<FileIo> io_ = MakeLocalFileIo();
};

TEST_F(LocalFileIo, SpellsWhatItListsAsTheCallerDid) {
  ASSERT_THAT(WriteFile(*io_, Path("x"), ""), IsOk());
  std::vector<std::string> found;

  ASSERT_THAT(io_->List("file:" + folder_, Recursive::kYes,
                        [&](const FileInfo& file) -> Result<bool> {
                          found.push_back(file.location);
                          return true;
                        }),
              IsOk());

  EXPECT_THAT(found, ElementsAre("file:" + Path("x")));
}

TEST_F(LocalFileIo, FollowsLinksButNotInCircles) {
  ASSERT_THAT(WriteFile(*io_, Path("data/x"), "hello"), IsOk());
  ASSERT_EQ(::symlink(Path("data").c_str(), Path("also").c_str()), 0);
  ASSERT_EQ(::symlink(folder_.c_str(), Path("data/up").c_str()), 0);
  ASSERT_EQ(::symlink(Path("nowhere").c_str(), Path("broken").c_str()), 0);
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);

  EXPECT_THAT(List(), ElementsAre(Path("also/x"), Path("data/x")));
  EXPECT_EQ(*ReadFile(*io_, Path("also/x")), "hello");
}

TEST_F(LocalFileIo, DoesNotHangOnAPipe) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);

  EXPECT_THAT(io_->Open(Path("pipe")), Fails(ErrorKind::kNotFound, HasSubstr("pipe")));
}

TEST_F(LocalFileIo, SeesThatAFileWasCut) {
  ASSERT_THAT(WriteFile(*io_, Path("x"), "hello"), IsOk());
  SL_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<InputFile> file, io_->Open(Path("x")));
  ASSERT_EQ(::truncate(Path("x").c_str(), 2), 0);

  std::string into(5, '\0');
  EXPECT_THAT(file->ReadAt(0, std::as_writable_bytes(std::span(into))),
              Fails(ErrorKind::kCorrupt, HasSubstr("found 2 of them: " + Path("x"))));
}

TEST_F(LocalFileIo, WritesIntoAFolderThatWasRemovedAndMadeAgain) {
  ASSERT_THAT(WriteFile(*io_, Path("a/b/x"), ""), IsOk());
  ASSERT_THAT(io_->Delete(Path("a/b/x")), IsOk());
  ASSERT_EQ(::rmdir(Path("a/b").c_str()), 0);
  ASSERT_EQ(::rmdir(Path("a").c_str()), 0);

  EXPECT_THAT(WriteFile(*io_, Path("a/b/x"), "again"), IsOk());

  EXPECT_EQ(*ReadFile(*io_, Path("a/b/x")), "again");
}

TEST_F(LocalFileIo, SaysThatAFileIsInTheWayOfAFolder) {
  ASSERT_THAT(WriteFile(*io_, Path("a"), ""), IsOk());

  EXPECT_THAT(io_->Create(Path("a/x")), Fails(ErrorKind::kInvalidArgument, HasSubstr(Path("a/x"))));
}

TEST_F(LocalFileIo, SaysThatANameIsTooLong) {
  EXPECT_THAT(io_->Create(Path(std::string(300, 'x'))),
              Fails(ErrorKind::kInvalidArgument, HasSubstr("too long")));
}

TEST_F(LocalFileIo, SaysThatItMayNot) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may do everything";
  }
  ASSERT_EQ(::chmod(folder_.c_str(), 0500), 0);

  EXPECT_THAT(io_->Create(Path("x")), Fails(ErrorKind::kPermissionDenied, HasSubstr(Path("x"))));
  EXPECT_THAT(io_->Create(Path("a/x")), Fails(ErrorKind::kPermissionDenied, HasSubstr(Path("a"))));
}

TEST(PosixError, SaysWhatToDo) {
  struct Case {
    int errno_value;
    ErrorKind kind;
    std::string_view text;
  };
  constexpr Case kCases[] = {
      {ENOENT, ErrorKind::kNotFound, "No such file"},
      {EEXIST, ErrorKind::kAlreadyExists, "File exists"},
      {EACCES, ErrorKind::kPermissionDenied, "Permission denied"},
      {EPERM, ErrorKind::kPermissionDenied, "not permitted"},
      {EROFS, ErrorKind::kPermissionDenied, "Read-only"},
      {ENOSPC, ErrorKind::kUnavailable, "No space left"},
      {EDQUOT, ErrorKind::kUnavailable, "quota"},
      {EIO, ErrorKind::kUnavailable, "Input/output"},
      {EMFILE, ErrorKind::kUnavailable, "Too many open files"},
      {ENAMETOOLONG, ErrorKind::kInvalidArgument, "too long"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    const Error error = internal::PosixError(c.errno_value, "writing", "/w/x");
    EXPECT_EQ(error.kind, c.kind);
    EXPECT_THAT(error.message, HasSubstr("writing /w/x"));
    EXPECT_THAT(error.message, HasSubstr(std::string(c.text)));
  }
}

TEST(ParentFolder, StopsAtTheRoot) {
  EXPECT_EQ(internal::ParentFolder("/a/b/c"), "/a/b");
  EXPECT_EQ(internal::ParentFolder("/a//b/"), "/a");
  EXPECT_EQ(internal::ParentFolder("/a"), "/");
  EXPECT_EQ(internal::ParentFolder("/"), "/");
}

}  // namespace
}  // namespace strandline::io
