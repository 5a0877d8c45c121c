#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

#include "strandline/base/check.h"

namespace strandline::testing {

// A new empty folder, gone with everything in it when the object goes.
class TempFolder {
 public:
  TempFolder() : path_(::testing::TempDir() + "strandline-XXXXXX") {
    SL_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace strandline::testing
