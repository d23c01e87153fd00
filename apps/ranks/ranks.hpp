// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ranks/launcher.hpp"

namespace carroll::tool {

/// The processes that a launcher has started together, of which this is one; or this one alone.
/// This header leaves MPI and Kokkos out. All ranks call the same functions in the same order.
class Ranks {
 public:
  /// This process alone.
  Ranks() = default;
  /// Starts MPI where there are more. std::runtime_error, on the ranks that know of it, where they
  /// cannot work together: a build without MPI, or another MPI's launcher.
  explicit Ranks(std::optional<Launched> const& launched);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool first() const { return rank_ == 0; }

  /// Runs `work` on every rank, and waits for all, asleep. Where one of them throws all do: those
  /// that have not thrown themselves have nothing to tell. `alike` stands for what must be the same
  /// on all of them, which `what` names.
  void together(char const* what, std::uint64_t alike, std::function<void()> const& work) const;
  void together(std::function<void()> const& work) const { together("carroll", 0, work); }

  /// The same with work for the first rank alone; what it returns there is returned on all.
  [[nodiscard]] int first_alone(std::function<int()> const& work) const;

  /// The first rank's value, on all.
  [[nodiscard]] double of_first(double value) const;
  [[nodiscard]] std::int64_t of_first(std::int64_t value) const;

  /// All ranks' texts in rank order, on the first; elsewhere nothing.
  [[nodiscard]] std::vector<std::string> gather(std::string const& mine) const;

  /// All ranks' values, one rank's behind the other's, on the first; elsewhere nothing.
  template <class T>
  [[nodiscard]] std::vector<T> gather(std::vector<T> const& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (size_ == 1) return mine;
    std::string bytes(mine.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), mine.data(), bytes.size());
    std::vector<T> all;
    for (auto const& theirs : gather(bytes)) {
      std::size_t const before = all.size();
      all.resize(before + theirs.size() / sizeof(T));
      std::memcpy(all.data() + before, theirs.data(), theirs.size());
    }
    return all;
  }

  /// Exit status 2, after `tell()` on that one rank that is to tell of a failure, of which all know
  /// that threw together; for any other failure all ranks are ended after `tell()` here.
  [[nodiscard]] int fail(std::function<void()> const& tell) const;

 private:
  struct Mpi;  ///< while it lives, MPI is there

  int rank_ = 0, size_ = 1;
  std::shared_ptr<Mpi const> mpi_;
};

/// The MPI library that this build uses; empty where there is none.
[[nodiscard]] std::string mpi_library();

}  // namespace carroll::tool
