// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace carroll::test {

/// The layouts that callers' Views may have.
enum class ViewLayout { left, right, stride };

}  // namespace carroll::test
