#include "strandline/base/log.h"

#include <cstdio>
#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace strandline {
namespace {

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

struct LogState {
  LogFormat format = LogFormat::kText;
  std::string run_id;
  std::shared_ptr<spdlog::logger> logger;
};

// The one mutable global of the program: a process has one standard error.
LogState& State() {
  static LogState state = [] {
    LogState initial;
    initial.logger = std::make_shared<spdlog::logger>(
        "strandline", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    initial.logger->set_pattern("%v");
    initial.logger->set_level(spdlog::level::info);
    return initial;
  }();
  return state;
}

std::string JsonEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

void ConfigureLog(LogLevel level, LogFormat format, std::string run_id) {
  LogState& state = State();
  state.format = format;
  state.run_id = std::move(run_id);
  state.logger->set_level(SpdlogLevel(level));
  spdlog::pattern_time_type utc = spdlog::pattern_time_type::utc;
  if (format == LogFormat::kJson) {
    state.logger->set_pattern("{\"time\":\"%Y-%m-%dT%H:%M:%S.%eZ\",\"level\":\"%l\",%v}", utc);
  } else {
    state.logger->set_pattern("%v", utc);
  }
}

void Log(LogLevel level, std::string_view message) {
  // What was printed before comes before it, also where both go to one place.
  std::fflush(stdout);
  const LogState& state = State();
  if (state.format == LogFormat::kJson) {
    state.logger->log(SpdlogLevel(level),
                      fmt::format("\"run_id\":\"{}\",\"message\":\"{}\"", JsonEscaped(state.run_id),
                                  JsonEscaped(message)));
    return;
  }
  state.logger->log(SpdlogLevel(level), message);
}

}  // namespace strandline
