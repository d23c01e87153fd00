// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/guarded_view.hpp"

namespace carroll::test {

/// A problem with all the memory that it needs: it can be enqueued again and again, on one instance
/// at a time, and neither allocates nor waits.
class Job {
 public:
  Job() = default;
  Job(Job const&) = delete;
  Job& operator=(Job const&) = delete;
  virtual ~Job() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  virtual void enqueue(Exec const& exec) = 0;
  /// Overwrites what was found, on `exec`.
  virtual void forget(Exec const& exec) = 0;
  /// Of all that was found, with its status. Waits for the whole device.
  [[nodiscard]] virtual std::uint64_t bits() const = 0;
};

std::unique_ptr<Job> random_determinants(Random& random, Exec const& exec);
std::unique_ptr<Job> random_svds(Random& random, Exec const& exec);
std::unique_ptr<Job> random_qrs(Random& random, Exec const& exec);
std::unique_ptr<Job> random_eighs(Random& random, Exec const& exec);
std::unique_ptr<Job> random_steps(Random& random, Exec const& exec);
std::unique_ptr<Job> random_inverse(Random& random, Exec const& exec);

/// A kernel that does nothing but hold `share` of the device for about so long.
void enqueue_hog(Exec const& exec, double share, double seconds);

}  // namespace carroll::test
