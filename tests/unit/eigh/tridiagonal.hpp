// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/eigh/divided/divide.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/tolerance.hpp"

/// Tridiagonal matrices that hurt, divide and conquer of them, and what is wrong with its results.
namespace carroll::test {

/// d, and e with one entry more than there are couplings.
template <class Real>
struct Tridiagonal {
  std::vector<Real> d, e;

  [[nodiscard]] int order() const { return static_cast<int>(d.size()); }
  /// The largest sum of a row's moduli.
  [[nodiscard]] long double norm() const {
    long double largest = 0;
    for (int i = 0; i < order(); ++i)
      largest =
          std::max(largest, std::abs((long double)d[i]) + size_beside(i - 1) + size_beside(i));
    return largest;
  }
  [[nodiscard]] long double size_beside(int i) const {
    return i < 0 || i + 1 >= order() ? 0 : std::abs((long double)e[i]);
  }
  /// How many eigenvalues are below x, by the signs of T - x·I's pivots.
  [[nodiscard]] int count_below(long double x) const {
    int count = 0;
    long double pivot = 1;
    for (int i = 0; i < order(); ++i) {
      long double const coupling = size_beside(i - 1);
      pivot = d[i] - x - (coupling > 0 ? coupling * coupling / pivot : 0);
      if (pivot == 0) pivot = 1e-4000L;
      count += pivot < 0 ? 1 : 0;
    }
    return count;
  }
};

enum class TridiagonalKind {
  random,
  of_normal,  ///< what reflectors make of a matrix of normal numbers
  wilkinson,  ///< W21+, one beside the other
  weakly_glued,
  clusters,
  toeplitz,
  clement,
  equal_diagonal,
  diagonal,
  identity,
  zero,
  rising,
  falling,
  wide_couplings,
  few_values,
  ones_beside,
  count
};

template <class Real>
Tridiagonal<Real> tridiagonal(TridiagonalKind kind, int n, Random& random) {
  using Kind = TridiagonalKind;
  Tridiagonal<Real> T{std::vector<Real>(n), std::vector<Real>(n)};
  int const reach = sizeof(Real) == 4 ? 40 : 300;
  double const tiny = sizeof(Real) == 4 ? 1e-5 : 1e-13;
  double const large = 4 * std::sqrt(n);
  for (int i = 0; i < n; ++i) {
    double const x = random.symmetric(), y = random.symmetric();
    double const wilkinson = std::abs(10 - i % 21) / 10.0;
    double d = x, e = y, squares = 0;
    switch (kind) {
      case Kind::random: break;
      case Kind::of_normal:
        for (int k = i + 1; k < n; ++k) squares += std::pow(random.normal(), 2);
        d = random.normal() / large;
        e = std::sqrt(squares) / large;
        break;
      case Kind::wilkinson: d = wilkinson, e = i % 21 == 20 ? 1e-4 : 0.1; break;
      case Kind::weakly_glued: d = wilkinson, e = i % 21 == 20 ? tiny / 10 : 0.1; break;
      case Kind::clusters: d = 4 * i / n / 4.0 + 1e-9 * x, e = 1e-9 * y; break;
      case Kind::toeplitz: d = 1, e = 0.5; break;
      case Kind::clement: d = 0, e = std::sqrt((i + 1.0) * (n - 1 - i)) / n; break;
      case Kind::equal_diagonal: d = 0.7, e = tiny * y; break;
      case Kind::diagonal: e = 0; break;
      case Kind::identity: d = 1, e = 0; break;
      case Kind::zero: d = e = 0; break;
      case Kind::rising:
        d = std::ldexp(x, reach * (i + 1 - n) / n), e = std::ldexp(y, reach * (i + 1 - n) / n);
        break;
      case Kind::falling:
        d = std::ldexp(x, -reach * i / n), e = std::ldexp(y, -reach * i / n);
        break;
      case Kind::wide_couplings: e = std::ldexp(y, static_cast<int>(-30 * random.uniform())); break;
      case Kind::few_values: d = std::round(4 * x) / 4, e = std::round(4 * y) / 4; break;
      case Kind::ones_beside: d = 0, e = 1; break;
      case Kind::count: break;
    }
    T.d[i] = static_cast<Real>(d);
    T.e[i] = static_cast<Real>(e);
  }
  return T;
}

/// A batch of them in a workspace, of equal orders or not, and what becomes of it.
template <class Real>
class TridiagonalBatch {
 public:
  using ExecSpace = Kokkos::DefaultExecutionSpace;
  using Storage = detail::DividedStorage<Real>;
  using Work = Kokkos::View<Real*, ExecSpace>;

  explicit TridiagonalBatch(std::vector<Tridiagonal<Real>> const& matrices) {
    std::int64_t all = 0;
    for (auto const& T : matrices) {
      detail::EighSlot slot{};
      slot.member.n = T.order();
      slot.reals = all;
      slots_.push_back(slot);
      all += Storage::reals_of(T.order());
      most_ = std::max(most_, T.order());
      uniform_ = uniform_ && T.order() == matrices[0].order();
    }
    work_ = Work("work", all);
    host_ = Kokkos::create_mirror_view(work_);
    for (std::int64_t i = 0; i < all; ++i) host_(i) = std::numeric_limits<Real>::quiet_NaN();
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      Storage const at = member(static_cast<int>(b));
      for (int i = 0; i < at.n; ++i) {
        at.d[i] = matrices[b].d[i];
        if (i + 1 < at.n) at.e[i] = matrices[b].e[i];
      }
      at.message[Storage::is_finite] = at.message[Storage::done] = 1;
      at.message[Storage::steps] = 0;
    }
    device_slots_ = Kokkos::View<detail::EighSlot*, ExecSpace>("slots", slots_.size());
    auto const slots = Kokkos::create_mirror_view(device_slots_);
    for (std::size_t b = 0; b < slots_.size(); ++b) slots(b) = slots_[b];
    Kokkos::deep_copy(device_slots_, slots);
    upload();
  }

  [[nodiscard]] int members() const { return static_cast<int>(slots_.size()); }
  [[nodiscard]] int most() const { return most_; }

  /// On the host, after download().
  [[nodiscard]] Storage member(int b) const {
    detail::EighProblem<Real> problem{};
    problem.n = static_cast<int>(slots_[b].member.n);
    problem.reals = host_.data() + slots_[b].reals;
    return Storage(problem);
  }
  [[nodiscard]] detail::EighBatch<Real> batch(bool on_host = false) const {
    detail::EighBatch<Real> batch{};
    batch.a.extents = batch.v.extents = {members(), most_, most_};
    batch.reals = on_host ? host_.data() : work_.data();
    batch.distance = Storage::reals_of(most_);
    batch.slots = uniform_ ? nullptr : on_host ? slots_.data() : device_slots_.data();
    return batch;
  }
  void upload() const { Kokkos::deep_copy(work_, host_); }
  void download() const { Kokkos::deep_copy(host_, work_); }

  void divide() const {
    ExecSpace const exec;
    upload();
    detail::enqueue_divided_steps(exec, batch(), members(), most_);
    exec.fence();
    download();
  }

 private:
  std::vector<detail::EighSlot> slots_;
  int most_ = 0;
  bool uniform_ = true;
  Work work_;
  typename Work::host_mirror_type host_;
  Kokkos::View<detail::EighSlot*, ExecSpace> device_slots_;
};

/// In units of n·ε: ‖T·S - S·D‖₁/‖T‖₁, ‖SᵀS - I‖₁, and, of some of them, errors of eigenvalues
/// relative to ‖T‖₁; and "" or what else is wrong.
struct TridiagonalRatios {
  long double residual = 0, orthogonality = 0, values = 0;
  std::string complaint;

  [[nodiscard]] bool within(long double bar) const {
    return residual <= bar && orthogonality <= bar && values <= bar && complaint.empty();
  }
};

template <class Real>
TridiagonalRatios ratios(Tridiagonal<Real> const& T, detail::DividedStorage<Real> const& at) {
  int const n = T.order();
  long double const norm = T.norm(), unit = n * (long double)epsilon<Real>;
  TridiagonalRatios found;
  if (at.message[detail::DividedStorage<Real>::done] != 1) found.complaint = "not done";
  for (int j = 0; j < n; ++j) {
    Real const* const s = at.S.col(j);
    if (!std::isfinite(at.d[j])) found.complaint = "not finite";
    if (j > 0 && at.d[j] < at.d[j - 1]) found.complaint = "not ascending";
    long double residual = 0, overlaps = 0;
    for (int i = 0; i < n; ++i) {
      long double sum = ((long double)T.d[i] - at.d[j]) * s[i];
      if (i > 0) sum += (long double)T.e[i - 1] * s[i - 1];
      if (i + 1 < n) sum += (long double)T.e[i] * s[i + 1];
      residual += std::abs(sum);
      long double product = 0;
      for (int k = 0; k < n; ++k) product += (long double)at.S(k, i) * s[k];
      overlaps += std::abs(product - (i == j ? 1 : 0));
    }
    if (!(residual + overlaps < 1e30L)) found.complaint = "not finite";
    found.residual = std::max(found.residual, norm > 0 ? residual / norm / unit : residual);
    found.orthogonality = std::max(found.orthogonality, overlaps / unit);
  }
  for (int j = 0; norm > 0 && j < n; j += std::max(1, n / 32)) {
    long double error = 0.25;
    auto const holds = [&](long double within) {
      long double const range = within * norm * unit;
      return T.count_below(at.d[j] - range) <= j && T.count_below(at.d[j] + range) > j;
    };
    while (error < 1e3 && !holds(error)) error *= 1.5;
    found.values = std::max(found.values, error);
  }
  return found;
}

}  // namespace carroll::test
