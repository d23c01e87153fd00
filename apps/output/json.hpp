// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace carroll::tool {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(std::optional<Value> const& value) {
  return value ? Json(*value) : Json();
}

/// On one line. Bytes that are not UTF-8, which names of files and devices may hold, are replaced.
inline std::string line(Json const& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace carroll::tool
