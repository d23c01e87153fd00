// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace carroll {

/// Stands in place of a View that is not wanted.
struct None {};
inline constexpr None none{};

}  // namespace carroll
