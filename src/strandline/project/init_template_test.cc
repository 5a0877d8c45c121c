#include "strandline/project/init_template.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strandline/project/internal/project_folder.h"
#include "strandline/project/project.h"
#include "tests/support/matchers.h"

namespace strandline::project {
namespace {

using internal::ProjectFolder;
using testing::Fails;
using ::testing::HasSubstr;
using testing::IsOk;

TEST(WriteSampleProject, WritesAProjectWithoutAFault) {
  const ProjectFolder folder;
  const std::string directory = folder.path() + "/new/project";

  ASSERT_THAT(WriteSampleProject(directory), IsOk());

  SL_ASSERT_OK_AND_ASSIGN(const LoadedProject loaded, LoadProject(directory, {}));
  for (const Problem& problem : loaded.problems) {
    ADD_FAILURE() << ToString(problem);
  }
  ASSERT_EQ(loaded.project.sources.size(), 1U);
  EXPECT_EQ(loaded.project.models.size(), 1U);
  // What landed lies where the source looks for it.
  const Source& source = loaded.project.sources[0];
  const std::string first = UnitPath(source.path, source.start);
  const std::string landed = first.substr(std::string_view("file://").size());
  EXPECT_TRUE(
      std::filesystem::exists(std::filesystem::path(landed).replace_filename("part-00000.jsonl")));
  EXPECT_TRUE(std::filesystem::exists(
      std::filesystem::path(landed).replace_filename(*source.complete_marker)));
}

TEST(WriteSampleProject, LeavesAFolderThatHoldsSomethingAlone) {
  const ProjectFolder folder;
  const std::string before = folder.Read("strandline.yml");

  EXPECT_THAT(WriteSampleProject(folder.path()),
              Fails(ErrorKind::kAlreadyExists, HasSubstr("is there and not empty")));
  EXPECT_THAT(WriteSampleProject(folder.path() + "/strandline.yml"),
              Fails(ErrorKind::kAlreadyExists, HasSubstr("is there and not empty")));

  EXPECT_EQ(folder.Read("strandline.yml"), before);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/README.md"));
}

}  // namespace
}  // namespace strandline::project
