// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant/workspace.hpp>
#include <carroll/error.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace carroll {

/// One matrix of a ragged batch: its order, and where its n×n entries begin in a View of rank 1
/// that holds all members, each matrix row by row without gaps.
struct DeterminantMember {
  std::int64_t n = 0;
  std::int64_t a = 0;
};

/// The members of a ragged batch packed one behind the other, from their orders.
[[nodiscard]] inline std::vector<DeterminantMember> determinant_members(
    std::span<std::int64_t const> orders) {
  std::vector<DeterminantMember> members;
  members.reserve(orders.size());
  std::int64_t first = 0;
  for (std::int64_t const n : orders) {
    members.push_back({n, first});
    first += n * n;
  }
  return members;
}

/// The same from offsets, one more than there are members: member k is what stands from offsets[k]
/// up to offsets[k+1]. Throws std::invalid_argument unless the offsets ascend from at least 0 by
/// square numbers.
[[nodiscard]] inline std::vector<DeterminantMember> determinant_members_between(
    std::span<std::int64_t const> offsets) {
  constexpr char const* function = "carroll::determinant_members_between";
  detail::require(!offsets.empty(), function, [] {
    return std::string("offsets are 0, must be one more than there are members");
  });
  auto const name = [](std::size_t k) { return "offsets[" + std::to_string(k) + "]"; };
  detail::require(offsets[0] >= 0, function, [&] {
    return name(0) + " is " + std::to_string(offsets[0]) + ", must be at least 0";
  });
  std::vector<DeterminantMember> members;
  members.reserve(offsets.size() - 1);
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    std::int64_t const from = offsets[k], to = offsets[k + 1];
    detail::require(from <= to, function, [&] {
      return name(k + 1) + " is " + std::to_string(to) + ", must be at least " + name(k) + ", " +
             std::to_string(from);
    });
    std::int64_t const size = to - from;
    auto n = static_cast<std::int64_t>(std::sqrt(static_cast<double>(size)));
    while (n * n > size) --n;
    while ((n + 1) * (n + 1) <= size) ++n;
    detail::require(n * n == size, function, [&] {
      return "from " + name(k) + " to " + name(k + 1) + " there are " + std::to_string(size) +
             " entries, must be a square number, such as " + std::to_string(n * n) + " or " +
             std::to_string((n + 1) * (n + 1));
    });
    members.push_back({n, from});
  }
  return members;
}

/// Everything that `determinant_ragged` needs besides the caller's matrices, made by
/// `determinant_ragged_workspace` for fixed members and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class T>
class DeterminantRaggedWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  using Info = DeterminantInfo<T>;

  /// How many matrices it was made for.
  [[nodiscard]] std::int64_t batch() const { return static_cast<std::int64_t>(host_slots_.size()); }
  /// Entries that A must have at least.
  [[nodiscard]] std::int64_t entries() const { return entries_; }
  /// Has it room for copies, so that matrices can be kept?
  [[nodiscard]] bool keep() const { return keep_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = bytes_.span();
    for (SizeClass const& one : classes_) sum += one.workspace.bytes();
    return sum;
  }

 private:
  friend struct detail::AccessTo<DeterminantRaggedWorkspace>;

  /// Members that are enqueued together: consecutive slots, and what a uniform batch of as many
  /// matrices of the largest order needs.
  struct SizeClass {
    std::int64_t first;
    DeterminantWorkspace<ExecSpace, T> workspace;
  };

  std::vector<SizeClass> classes_;
  std::int64_t entries_ = 0;
  bool keep_ = false;
  std::string overlap_;  ///< which members share entries, if any do
  std::vector<detail::DeterminantSlot> host_slots_;
  detail::DeterminantSlot* slots_ = nullptr;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
  detail::CallInfos<ExecSpace, Info> infos_;
};

namespace detail {

/// The inside of a ragged workspace, for the entry points. Defined in
/// detail/determinant/ragged_access.hpp.
template <class ExecSpace, class T>
struct AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = DeterminantRaggedWorkspace<ExecSpace, T>;
  using Uniform = AccessTo<DeterminantWorkspace<ExecSpace, T>>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        std::span<DeterminantMember const> members, bool keep,
                        DeterminantOptions const& options);

  static std::string const& overlap(Workspace const& w);

  /// Enqueues the determinants of the members in A, into `infos` or into the workspace.
  static void enqueue(ExecSpace const& exec, Workspace const& w, T const* A, T* overwritten,
                      DeterminantInfo<T>* infos, std::ptrdiff_t info_stride);

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<DeterminantInfo<T> const> fetch_infos(ExecSpace const& exec,
                                                         Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::determinant::info");
  }

 private:
  static void require_member(char const* function, DeterminantMember const& at, std::size_t b);

  /// The first two members that share entries, or "".
  static std::string overlap(std::vector<DeterminantSlot> slots);
};

}  // namespace detail

/// A workspace for matrices of these orders at these places; with `keep` for calls that do not
/// overwrite them. Allocates, and fences `exec` once to hand the list to the device. Beyond the
/// orders that fit scratch it holds what `determinant_workspace` holds for each order that occurs.
/// Throws as `determinant_workspace` does.
///
///   auto members = carroll::determinant_members(std::vector<std::int64_t>{3, 40, 7});
///   auto workspace = carroll::determinant_ragged_workspace<double>(exec, members);
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] DeterminantRaggedWorkspace<ExecSpace, T> determinant_ragged_workspace(
    ExecSpace const& exec, std::span<DeterminantMember const> members, bool keep = false,
    DeterminantOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::determinant_ragged_workspace: T must be float, double or "
                "Kokkos::complex of one of them");
  return detail::AccessTo<DeterminantRaggedWorkspace<ExecSpace, T>>::make(
      exec, "carroll::determinant_ragged_workspace", members, keep, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/determinant/ragged_access.hpp>
#endif
