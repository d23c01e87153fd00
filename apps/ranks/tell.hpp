// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "output/json.hpp"
#include "output/table.hpp"
#include "ranks/sharing.hpp"

namespace carroll::tool {

inline void add_sharing(Json& object, Sharing const& sharing) {
  if (sharing.ranks == 1) return;
  object["ranks"] = sharing.ranks;
  object["engine"] = to_string(sharing.engine);
}
inline void add_sharing(std::string& text, Sharing const& sharing) {
  if (sharing.ranks == 1) return;
  add_line(text, "ranks", std::to_string(sharing.ranks) + ", " + to_string(sharing.engine));
}

}  // namespace carroll::tool
