// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/integer_determinant/hadamard.hpp>
#include <carroll/detail/integer_determinant/residue_kernel.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>

namespace carroll::detail {

/// The device's side: what is computed of A in kernels, on the caller's instance. Numbers that host
/// and device share are few, and stand in memory that both reach.
template <class ExecSpace, class Entry>
class IntegerMatrix {
  using Kernel = ResidueKernel<ExecSpace, Entry>;
  template <class T>
  using Shared = Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>;

 public:
  /// Of rows, then of columns, or the other way round.
  using LineNorms = Shared<double>;

  IntegerMatrix(ExecSpace const& exec, StridedMatrix<Entry const> const& a, int n)
      // det Aᵀ = det A: lanes go along the lines that lie closer together.
      : exec_(exec), a_(a.col_stride <= a.row_stride ? a : a.transposed()), n_(n) {}

  /// See LineNormsKernel; valid as long as the View is. Fences the instance once.
  [[nodiscard]] LineNorms line_norms() const {
    using Norms = LineNormsKernel<ExecSpace, Entry>;
    auto const squares = allocate_shared<double>("carroll::integer_determinant::squares",
                                                 2 * static_cast<std::size_t>(n_));
    launch_teams("carroll::integer_determinant::line_norms", exec_, Norms{a_, n_, squares.data()},
                 {.count = 2 * n_, .lanes = lanes<ExecSpace>});
    exec_.fence("carroll::integer_determinant::line_norms");
    return squares;
  }

  [[nodiscard]] int primes_at_once() const { return Kernel::teams_at_once(exec_, n_); }

  /// Memory for `residues` of up to `count` primes at a time.
  void reserve(int count, std::size_t workspace_bytes) {
    std::size_t const slot_size = static_cast<std::size_t>(Kernel::slot_size(n_));
    std::size_t const affordable = workspace_bytes / (slot_size * sizeof(std::uint32_t));
    auto most = static_cast<std::size_t>(count);
    if (lanes<ExecSpace> == 1)  // what a host's caches hold is worth being used again
      most = std::min(most, static_cast<std::size_t>(primes_at_once()));
    slots_ = static_cast<int>(std::clamp(affordable, std::size_t{1}, most));
    workspace_ = allocate<Kokkos::View<std::uint32_t*, typename ExecSpace::memory_space>>(
        exec_, "carroll::integer_determinant::workspace",
        static_cast<std::size_t>(slots_) * slot_size);
    primes_ = allocate_shared<std::uint32_t>("carroll::integer_determinant::primes",
                                             static_cast<std::size_t>(count));
    residues_ = allocate_shared<std::uint32_t>("carroll::integer_determinant::residues",
                                               static_cast<std::size_t>(count));
  }

  /// det A modulo each of the primes; valid until the next call. Fences the instance once.
  [[nodiscard]] std::span<std::uint32_t const> residues(
      std::span<std::uint32_t const> primes) const {
    auto const count = static_cast<int>(primes.size());
    std::copy(primes.begin(), primes.end(), primes_.data());
    Kernel const kernel(a_, n_, workspace_.data(), primes_.data(), count, residues_.data());
    launch_fitting_teams("carroll::integer_determinant::residues", exec_, kernel,
                         kernel.teams(std::min(slots_, count)));
    exec_.fence("carroll::integer_determinant::residues");
    return {residues_.data(), primes.size()};
  }

 private:
  template <class View, class Space>
  static View allocate(Space const& space, char const* label, std::size_t count) {
    try {
      return View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string(label)),
                  count);
    } catch (std::exception const& cause) {
      throw AllocationError(label, count * sizeof(typename View::value_type), cause.what());
    }
  }
  template <class T>
  static Shared<T> allocate_shared(char const* label, std::size_t count) {
    return allocate<Shared<T>>(Kokkos::DefaultHostExecutionSpace(), label, count);
  }

  ExecSpace exec_;
  StridedMatrix<Entry const> a_;
  int n_;
  int slots_ = 0;
  Kokkos::View<std::uint32_t*, typename ExecSpace::memory_space> workspace_;
  Shared<std::uint32_t> primes_;
  Shared<std::uint32_t> residues_;
};

}  // namespace carroll::detail
