// SPDX-License-Identifier: BSD-3-Clause
#include "files/json/reader.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace carroll::tool {

nlohmann::json parse_json(InputFile& file, std::string const& what) {
  constexpr std::size_t longest = 64 * 1024;
  std::string text(longest + 1, ' ');
  text.resize(file.read(text.data(), text.size()));
  if (text.size() > longest) file.fail("is longer than any " + what + "'s JSON object");
  if (text.empty()) file.fail("is empty, expected a JSON object with a " + what);
  try {
    return nlohmann::json::parse(text);
  } catch (nlohmann::json::parse_error const& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while …"
    std::string_view message = error.what();
    if (auto const end = message.find("] "); end != std::string_view::npos)
      message.remove_prefix(end + 2);
    file.fail("is no JSON: " + std::string(message));
  }
}

double json_number(InputFile const& file, nlohmann::json const& object, std::string const& name) {
  nlohmann::json const& value = object.at(name);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    file.fail("has \"" + name + "\": " + value.dump() + ", must be a number");
  return value.get<double>();
}

}  // namespace carroll::tool
