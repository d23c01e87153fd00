// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace carroll::distributed {

/// Another rank could not go on. Says which, and what its error was.
class RankError : public std::runtime_error {
 public:
  RankError(std::string const& function, int rank, std::string const& cause)
      : std::runtime_error(function + ": rank " + std::to_string(rank) + ": " + cause),
        rank_(rank) {}
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

namespace detail {

/// The rank whose error all ranks have come to know of, in Communicator::agree; else -1. It is the
/// one that tells the user.
inline thread_local int agreed_failure = -1;

}  // namespace detail
}  // namespace carroll::distributed
