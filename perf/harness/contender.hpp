// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace carroll::perf {

/// One solver bound to one problem, with all its buffers allocated, so that run() is only the
/// solve.
class Contender {
 public:
  virtual ~Contender() = default;

  /// Puts back whatever run() destroys. Never timed.
  virtual void restore() {}
  /// The timed call; the work may still be in flight when it returns.
  virtual void run() = 0;
  /// Waits for the work of run() and restore().
  virtual void fence() {}
  /// What the solver itself says went wrong in the last run; empty when it is content.
  virtual std::string complaint() { return {}; }
};

}  // namespace carroll::perf
