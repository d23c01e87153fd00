// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace carroll::tool {

/// Writes `text` to standard output at once. FileError when not all of it arrives: a full disk, a
/// closed pipe, a closed descriptor.
void print(std::string_view text);

}  // namespace carroll::tool
