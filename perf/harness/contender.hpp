// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/status.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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

/// A complaint of a library that says so in an `info` of each member.
inline std::string complaint_of(int failures) {
  return failures == 0 ? "" : "info is not 0 for " + std::to_string(failures) + " members";
}

/// A complaint of a solver of Carroll: the first status of a problem that is no success.
template <class Infos>
std::string first_complaint(Infos const& infos) {
  for (auto const& info : infos)
    if (info.status != Status::success) return std::string(to_string(info.status));
  return {};
}

/// A solver by name, which `make` binds to one problem.
template <class Bound, class Data>
struct Entrant {
  std::string name;
  bool device;  // runs on the default execution space
  std::function<std::unique_ptr<Bound>(Data)> make;
  bool one_by_one = false;  // takes a batch's members one after the other, which may take long
};

/// One of which nothing but its complaint is asked.
template <class Problem>
using ProblemEntrant = Entrant<Contender, Problem const&>;

/// A solver of systems of equations bound to one batch.
template <class Real>
class SystemContender : public Contender {
 public:
  /// X of the first member, column by column.
  virtual std::vector<Real> solution() = 0;
};
template <class Data>
using SystemEntrant = Entrant<SystemContender<typename Data::value_type>, Data const&>;

}  // namespace carroll::perf
