// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <utility>

namespace carroll::detail {

/// While it lives, an exception where none may be thrown is told of before the program ends: Kokkos
/// 5.2 allocates the text of a fence as a View is freed, in a destructor, and in a parallel region
/// of OpenMP nobody can catch. The innermost one counts.
class TerminateGuard {
 public:
  /// Does not return. Its argument is null where what was thrown is no std::exception.
  using End = void (*)(std::exception const* error);

  explicit TerminateGuard(End end)
      : end_before_(std::exchange(the_end(), end)), before_(std::set_terminate(end_all)) {}
  ~TerminateGuard() {
    std::set_terminate(before_);
    the_end() = end_before_;
  }
  TerminateGuard(TerminateGuard const&) = delete;
  TerminateGuard& operator=(TerminateGuard const&) = delete;

 private:
  static End& the_end() {
    static End end = nullptr;
    return end;
  }
  static void end_all() {
    try {
      if (std::current_exception()) throw;
    } catch (std::exception const& error) {
      the_end()(&error);
    } catch (...) {
    }
    the_end()(nullptr);
  }

  End end_before_;
  std::terminate_handler before_;
};

}  // namespace carroll::detail
