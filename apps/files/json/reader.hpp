// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "files/input_file.hpp"

namespace carroll::tool {

/// Parses a small file as JSON. FileError where it is no JSON, and where it is longer than 64 KiB
/// or empty; `what` ("camera") names what was expected.
[[nodiscard]] nlohmann::json parse_json(InputFile& file, std::string const& what);

/// A finite number of an object that has the name. FileError where it is none.
[[nodiscard]] double json_number(InputFile const& file, nlohmann::json const& object,
                                 std::string const& name);

}  // namespace carroll::tool
