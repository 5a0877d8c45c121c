#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strandline/base/check.h"
#include "strandline/project/project.h"

namespace strandline::project::internal {

// For tests: a project in a folder of its own, removed with it. It begins as a small project
// without a fault.
class ProjectFolder {
 public:
  ProjectFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "strandline-project-XXXXXX").string();
    SL_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
    Write("strandline.yml", kConfig);
    Write("sources/clicks.yml", kClicks);
    Write("sources/views.yml", kViews);
    Write("models/hourly.sql", kHourly);
  }
  ~ProjectFolder() {
    std::error_code ignored;  // Left behind at worst: the system clears its temporary files.
    std::filesystem::remove_all(path_, ignored);
  }
  ProjectFolder(const ProjectFolder&) = delete;
  ProjectFolder& operator=(const ProjectFolder&) = delete;

  const std::string& path() const { return path_; }

  void Write(const std::string& file, std::string_view text) const {
    const std::filesystem::path full = std::filesystem::path(path_) / file;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream stream(full, std::ios::binary);
    stream << text;
    SL_CHECK(stream.good());
  }

  std::string Read(const std::string& file) const {
    std::ifstream stream(std::filesystem::path(path_) / file, std::ios::binary);
    SL_CHECK(stream.good());
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  // Puts `replacement` in the place of `text`, which must be there exactly once.
  void Replace(const std::string& file, std::string_view text, std::string_view replacement) const {
    std::string content = Read(file);
    const std::size_t found = content.find(text);
    SL_CHECK(found != std::string::npos && content.find(text, found + 1) == std::string::npos);
    content.replace(found, text.size(), replacement);
    Write(file, content);
  }

  LoadedProject Load(const std::map<std::string, std::string>& environment = {}) const {
    Result<LoadedProject> loaded = LoadProject(path_, environment);
    SL_CHECK(loaded.has_value());
    return std::move(loaded).value();
  }

  // What `validate` would print.
  std::vector<std::string> Problems(
      const std::map<std::string, std::string>& environment = {}) const {
    std::vector<std::string> lines;
    for (const Problem& problem : Load(environment).problems) {
      lines.push_back(ToString(problem));
    }
    return lines;
  }

 private:
  static constexpr std::string_view kConfig = R"file(version: 1
project: web
catalogs:
  web: {type: sql, uri: "sqlite:///../catalog.db", warehouse: lake}
defaults: {owner: web-data, tier: 3, severity: warn}
)file";
  static constexpr std::string_view kClicks = R"file(source: clicks
table: web.clicks
path: landing/clicks/{unit:%Y-%m-%d-%H}/*.jsonl
format: jsonl
unit: hour
start: 2026-11-30T05Z
complete: {marker: _SUCCESS}
time: clicked_at
key: [click_id]
columns:
  click_id: {type: string, required: true}
  clicked_at: {type: timestamptz, required: true}
  page: string
  price: {type: double}
  cost: {type: "decimal(18, 4)"}
  user: {type: string}
)file";
  static constexpr std::string_view kViews = R"file(source: views
table: web.views
path: landing/views/{unit:%Y-%m-%d}/*.parquet
format: parquet
unit: day
start: 2026-11-30
complete: {grace: 20m}
partition: [day(viewed_at), "bucket(16, view_id)"]
key: [view_id]
columns:
  view_id: {type: long, required: true}
  viewed_at: {type: timestamptz, required: true}
  page: {}
)file";
  static constexpr std::string_view kHourly = R"file(/* strandline
table: web.hourly
window: hour
time: hour
checks:
  - not_null: [page]
*/
select $window_start as hour, page, count(*) as clicks, sum(cost) as cost
from web.clicks
group by page
)file";

  std::string path_;
};

}  // namespace strandline::project::internal
