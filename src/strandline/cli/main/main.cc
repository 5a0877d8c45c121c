#include <map>
#include <string>
#include <unistd.h>

#include "strandline/cli/app.h"

namespace {

std::map<std::string, std::string> Environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) {
      environment[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  return environment;
}

}  // namespace

int main(int argc, char** argv) {
  return static_cast<int>(strandline::cli::RunApp(argc, argv, Environment()));
}
