// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/sgd/problem.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::detail {

/// Puts the ratings of a block in runs, each all of one item, whose row can then stay in registers
/// from rating to rating. Items and, in a run, users are in the order in which they come.
template <class Real>
class RunOrder {
 public:
  explicit RunOrder(std::int32_t items) : run_of_(static_cast<std::size_t>(items), -1) {}

  void arrange(SgdRating<Real>* ratings, std::int64_t count) {
    items_.clear();
    begins_.assign(1, 0);
    for (std::int64_t e = 0; e < count; ++e) {
      std::int32_t& run = run_of_[ratings[e].item];
      if (run < 0) {
        run = static_cast<std::int32_t>(items_.size());
        items_.push_back(ratings[e].item);
        begins_.push_back(0);
      }
      ++begins_[run + 1];
    }
    for (std::size_t run = 1; run < begins_.size(); ++run) begins_[run] += begins_[run - 1];
    sorted_.resize(static_cast<std::size_t>(count));
    for (std::int64_t e = 0; e < count; ++e)
      sorted_[begins_[run_of_[ratings[e].item]]++] = ratings[e];
    for (std::int32_t const item : items_) run_of_[item] = -1;
    std::copy(sorted_.begin(), sorted_.end(), ratings);
  }

 private:
  std::vector<std::int32_t> run_of_;  ///< an item, in the block, or −1
  std::vector<std::int32_t> items_;
  std::vector<std::int64_t> begins_;
  std::vector<SgdRating<Real>> sorted_;
};

}  // namespace carroll::detail
