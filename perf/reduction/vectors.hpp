// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "gemm/problem.hpp"
#include "harness/contender.hpp"
#include "harness/context.hpp"
#include "reduction/cases.hpp"

namespace carroll::perf {

/// Two vectors of numbers from [-1, 1), and what is known of their reductions.
template <class T>
class ReductionVectors {
 public:
  using Vector = Kokkos::View<T*, Exec::memory_space>;

  ReductionVectors(Exec const& exec, std::int64_t length)
      : x_(detail::allocate<Vector>(exec, "carroll::perf::x", length)),
        y_(detail::allocate<Vector>(exec, "carroll::perf::y", length)) {
    std::uint64_t operand = 0;
    for (Vector const& vector : {x_, y_})
      Kokkos::parallel_for(
          "carroll::perf::fill",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, length),
          FillOperand<T>{vector.data(), operand++});
    exec.fence();
  }
  [[nodiscard]] Vector const& x() const { return x_; }
  [[nodiscard]] Vector const& y() const { return y_; }
  [[nodiscard]] std::int64_t length() const { return static_cast<std::int64_t>(x_.extent(0)); }

 private:
  Vector x_, y_;
};

/// A reduction bound to its vectors.
class ReductionContender : public Contender {
 public:
  /// What the last run has found.
  virtual double value() = 0;
};

template <class T>
using ReductionEntrant = Entrant<ReductionContender, ReductionVectors<T> const&>;

/// The libraries that have the function: on a device cuBLAS, with results on the device, CUB and
/// KokkosKernels; elsewhere OpenBLAS.
template <class T>
std::vector<ReductionEntrant<T>> reduction_peers(Exec const& exec, ReductionFunction function);

}  // namespace carroll::perf
