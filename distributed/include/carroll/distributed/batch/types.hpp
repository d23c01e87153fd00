// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace carroll::distributed {

/// Who gets the results of a batch's members, and their infos.
enum class Gather {
  none,  ///< each rank those of its own members
  root,  ///< BatchOptions::root those of all members, the others those of their own
  all,   ///< every rank those of all members
};

struct BatchOptions {
  Gather gather = Gather::none;
  int root = 0;  ///< of Gather::root
};

/// What became of a batch, on one rank.
template <class Info>
struct BatchInfo {
  /// One for each member whose results this rank has, in the order of the members; for frames with
  /// several right-hand sides one for each of these.
  std::vector<Info> infos;
  /// Seconds of this rank from the begin of its own members to the fence behind them, and from
  /// there until the results have come; 0 without a gathering. The slowest rank's count.
  double compute_seconds = 0;
  double move_seconds = 0;
};

}  // namespace carroll::distributed
