// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/vendor/dense_library.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/spectral/kernels.hpp>
#include <carroll/detail/workspace.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// Where the sweeps of large matrices begin: X := X·V, with V the eigenvectors of XᵀX as a vendor's
/// library finds them, refined until the columns are orthogonal, so that as a rule no sweep is left
/// to do.
///
/// With E the small angles by which pairs of columns of Y = X·V miss being orthogonal, all pairs
/// are rotated at once: Y := Y·exp(E), V := V·exp(E), which errs by products of two angles, as
/// Jacobi's method does near its end. Where V is not orthonormal enough a Newton step makes it so
/// before. All in double precision, of columns of `float`, too: of these the eigenvectors are good
/// enough themselves up to condition numbers of 10⁴ or so.
///
/// Singular values keep their relative accuracy: an orthonormal V leaves them alone, R's columns
/// are as long as A's, by which |R|·|V| is of the size of |Y| as far as A with columns of length 1
/// is well conditioned, and Y is refined in place.
namespace carroll::detail {

/// A part of a workspace. `Library` is a DenseLibrary (device/vendor/dense_library.hpp), or what a
/// test has in its place.
///
/// Cost per matrix: the library's eigenvectors, XᵀX and X·V, at each measure one or two Gram
/// matrices and at each turn two or three products; n³ flops for a Gram matrix, 2n³ for a product.
/// Single precision measures once as a rule, and double precision turns once and measures again.
/// The host waits for each measure.
template <class Library>
class SpectralStart {
 public:
  using ExecSpace = typename Library::execution_space;

  /// `orders`: numbers of columns of the members that will be begun, in their order. Throws
  /// AllocationError for want of memory, std::runtime_error if the library says no.
  SpectralStart(ExecSpace const& exec, std::vector<int> orders)
      : library_(exec), orders_(std::move(orders)) {
    int most = 0;
    std::int64_t device = 0, host = 0;
    for (int const n : orders_) {
      LibraryBytes const bytes = library_.eigenvector_bytes(n);
      most = std::max(most, n);
      device = std::max(device, static_cast<std::int64_t>(bytes.device));
      host = std::max(host, static_cast<std::int64_t>(bytes.host));
    }
    auto const members = static_cast<std::int64_t>(orders_.size());
    memory_ = allocate_arena(exec, "carroll::svd::spectral_workspace", [&](Arena& arena) {
      std::int64_t const square = std::int64_t{most} * most;
      x_ = arena.take<double>(square);
      v_ = arena.take<double>(square);
      // Free while the library works.
      rest_ = arena.take<std::byte>(std::max(3 * square * std::int64_t{sizeof(double)}, device));
      values_ = arena.take<double>(most);
      entries_.lay_out(arena, members);
      measure_.lay_out(arena, 1);
    });
    entries_.allocate_host("carroll::svd::host_entries", members);
    measure_.allocate_host("carroll::svd::host_measure", 1);
    host_ = allocate<HostMemory>(Kokkos::DefaultHostExecutionSpace(),
                                 "carroll::svd::spectral_host_workspace", host);
  }

  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return memory_.span(); }

  /// Begins the members whose factors are there; of a selection of the batch, as many as the
  /// workspace was made for. Fences. Has each converged?
  template <class Real>
  bool run(ExecSpace const& exec, SvdBatch<Real> const& batch, Real tolerance) const {
    int const count = static_cast<int>(orders_.size());
    SpectralReadyKernel<ExecSpace, Real> const ready{batch, entries_.data()};
    launch_fitting_teams("carroll::svd::spectral_ready", exec, ready, {count, 8});
    auto const entries = entries_.fetch(exec, "carroll::svd::spectral");
    bool all = true;
    for (int k = 0; k < count; ++k) {
      auto const& entry = entries[static_cast<std::size_t>(k)];
      int const n = orders_[static_cast<std::size_t>(k)];
      bool const done =
          entry.ready && begin(exec, batch, k, entry.top, n, PairRule<Real>::of(tolerance, n));
      all = all && done;
    }
    return all;
  }

 private:
  using HostMemory = Kokkos::View<std::byte*, Kokkos::HostSpace>;

  static constexpr int most_rounds = 5;
  /// Sums of angles up to which rotating all pairs at once brings them nearer to orthogonal, and
  /// up to which products of two angles are not felt in double precision.
  static constexpr double most_angles = 0.125, most_single_angles = 3e-9;
  /// V is worth a correction, or it is no basis at all.
  static constexpr double most_deviation = 0.01;

  template <class Real>
  bool begin(ExecSpace const& exec, SvdBatch<Real> const& batch, int place, int top, int n,
             PairRule<Real> const& rule) const {
    std::ptrdiff_t const square = static_cast<std::ptrdiff_t>(n) * n;
    auto* const others = reinterpret_cast<double*>(rest_);
    SpectralMatrices at{x_, v_, others, others + square, others + 2 * square, n};
    columns("carroll::svd::spectral_load", exec,
            SpectralLoadKernel<ExecSpace, Real>{batch, place, top, SpectralColumns(at)});
    library_.gram(exec, n, at.x, at.v);
    set_to_zero(exec, measure_.data(), 1);
    library_.eigenvectors(exec, n, at.v, values_, &measure_.data()->complaint,
                          {rest_, host_.data(), library_.eigenvector_bytes(n)});
    library_.product(exec, n, at.x, at.v, 0, at.y);

    double const orthonormal =
        std::sqrt(double(n)) * static_cast<double>(std::numeric_limits<Real>::epsilon());
    double deviation = -1;  // of V; negative: not known
    for (int round = 0;; ++round) {
      SpectralMeasure found = measure(exec, at, static_cast<double>(rule.tolerance), deviation < 0);
      if (deviation < 0) deviation = found.deviation;
      if (found.complaint != 0 || !(deviation <= most_deviation)) return false;
      bool const is_basis = deviation <= orthonormal;
      bool const converged = is_basis && found.cosine <= static_cast<double>(rule.tolerance);
      bool const ends = round == most_rounds || (is_basis && found.angles > most_angles);
      if (ends && !is_basis) return false;
      if (converged || ends) {
        columns(
            "carroll::svd::spectral_store", exec,
            SpectralStoreKernel<ExecSpace, Real>{batch,
                                                 place,
                                                 {top, static_cast<Real>(found.cosine), converged},
                                                 SpectralColumns(at)});
        return converged;
      }
      bool const first_order = is_basis && found.angles <= most_single_angles;
      turn(exec, at,
           !is_basis     ? SpectralTurn::newton
           : first_order ? SpectralTurn::angles
                         : SpectralTurn::squares);
      if (!first_order) deviation = -1;
    }
  }

  /// `basis`: how far V is from orthonormal, too.
  SpectralMeasure measure(ExecSpace const& exec, SpectralMatrices const& at, double tolerance,
                          bool basis) const {
    if (basis) library_.gram(exec, at.n, at.v, at.overlap);
    library_.gram(exec, at.n, at.y, at.gram);
    columns("carroll::svd::spectral_angles", exec,
            SpectralAnglesKernel<ExecSpace>{SpectralColumns(at), tolerance / 8, basis,
                                            measure_.data()});
    SpectralMeasure const found = measure_.fetch(exec, "carroll::svd::spectral").front();
    set_to_zero(exec, measure_.data(), 1);
    return found;
  }

  void turn(ExecSpace const& exec, SpectralMatrices& at, SpectralTurn how) const {
    if (how == SpectralTurn::squares)
      library_.product(exec, at.n, at.angles(), at.angles(), 0, at.gram);
    columns("carroll::svd::spectral_turn", exec,
            SpectralTurnKernel<ExecSpace>{SpectralColumns(at), how});
    library_.product(exec, at.n, at.v, at.turn(), 1, at.x);
    library_.product(exec, at.n, at.y, at.turn(), 1, at.gram);
    std::swap(at.x, at.v);
    std::swap(at.y, at.gram);
  }

  template <class Kernel>
  static void columns(char const* label, ExecSpace const& exec, Kernel const& kernel) {
    int const teams = kernel.columns.teams_per_matrix();
    launch_fitting_teams(label, exec, kernel, {teams, SpectralColumns::columns_per_team});
  }

  Library library_;
  std::vector<int> orders_;
  double *x_ = nullptr, *v_ = nullptr, *values_ = nullptr;
  std::byte* rest_ = nullptr;
  CallInfos<ExecSpace, SpectralEntry> entries_;
  CallInfos<ExecSpace, SpectralMeasure> measure_;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> memory_;
  HostMemory host_;
};

}  // namespace carroll::detail
