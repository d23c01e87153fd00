// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"

namespace carroll::tool {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(std::optional<Value> const& value) {
  return value ? Json(*value) : Json();
}

/// A number as short as its precision allows: 0.1f is 0.1 and not 0.10000000149011612.
inline Json number(double value, Precision precision) {
  if (precision == Precision::double_precision) return value;
  char digits[32];
  auto const end = std::to_chars(digits, digits + sizeof digits, static_cast<float>(value)).ptr;
  std::from_chars(digits, end, value);
  return value;
}

/// The list of of(0), of(1) and so on.
template <class Of>
Json list_of(std::size_t count, Of const& of) {
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) list.push_back(of(i));
  return list;
}

/// `count` of them from `first` on.
inline Json numbers(std::vector<double> const& values, std::int64_t first, std::int64_t count,
                    Precision precision) {
  return list_of(static_cast<std::size_t>(count), [&](std::size_t k) {
    return number(values[static_cast<std::size_t>(first) + k], precision);
  });
}

/// On one line. Bytes that are not UTF-8, which names of files and devices may hold, are replaced.
inline std::string line(Json const& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace carroll::tool
