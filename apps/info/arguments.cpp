// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

namespace carroll::tool {

CommandLine info_command_line() {
  return {Command::info,
          "info",
          "",
          "Version, backends and the device that does the work",
          "",
          [](CommandOptions& options, Arguments& all) {
            options.flag("--json", all.info_json, "One JSON object on standard output");
          },
          [](CommandOptions const&, Arguments&) {}};
}

}  // namespace carroll::tool
