#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace strandline {

enum class LogLevel { kDebug, kInfo, kWarn, kError };
enum class LogFormat { kText, kJson };

// Sets where log lines go for the rest of the process: standard error, from `level` on. In JSON
// each line is an object with `time`, `level`, `message` and `run_id` (empty outside of a run).
// Called at the start, and again when a run has its id; not while other threads log.
void ConfigureLog(LogLevel level, LogFormat format, std::string run_id);

// Writes one line. Thread-safe. Never pass a credential.
void Log(LogLevel level, std::string_view message);

template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogWarn(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kWarn, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogDebug(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kDebug, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace strandline
