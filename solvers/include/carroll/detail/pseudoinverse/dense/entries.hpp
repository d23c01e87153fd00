// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Writes A⁺ = [η; -βη], with `own` in place of its entries, each entry once. (k+m)·n entries
/// written, 2k flops each. For GPUs, and every layout and number of motion columns: a lane goes
/// through a stretch of lines at one place, neighbours along the dimension with the smaller stride.
template <class ExecSpace, class Real>
class DenseEntriesKernel {
 public:
  DenseEntriesKernel(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors)
      : batch_(batch),
        factors_(factors),
        by_rows_(batch.inverse.strides[2] <= batch.inverse.strides[1]),
        places_(by_rows_ ? batch.n : batch.k + batch.m),
        lines_(by_rows_ ? batch.k + batch.m : batch.n),
        tiles_((places_ + threads * lanes<ExecSpace> - 1) / (threads * lanes<ExecSpace>)),
        stretches_((lines_ + stretch - 1) / stretch) {}

  [[nodiscard]] TeamLaunch teams(ExecSpace const& /*exec*/) const {
    return {.count = batch_.frames * stretches_ * tiles_,
            .threads = threads,
            .lanes = lanes<ExecSpace>};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const tile = team.league_rank() % tiles_;
    int const first = team.league_rank() / tiles_ % stretches_ * stretch;
    int const frame = team.league_rank() / tiles_ / stretches_;
    int const end = Kokkos::min(first + stretch, lines_);
    FrameFactors<Real> const of(batch_, factors_, frame);
    if (of.written) return;
    Real* const out = batch_.inverse.data + frame * batch_.inverse.strides[0];
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, threads * lanes<ExecSpace>), [&](int t) {
      int const place = tile * (threads * lanes<ExecSpace>)+t;
      if (place >= places_) return;
      for (int line = first; line < end; ++line) {
        int const row = by_rows_ ? line : place;
        int const p = by_rows_ ? place : line;
        out[row * batch_.inverse.strides[1] + p * batch_.inverse.strides[2]] = entry(of, row, p);
      }
    });
  }

 private:
  static constexpr int threads = 8, stretch = 16;

  KOKKOS_FUNCTION Real entry(FrameFactors<Real> const& of, int row, int p) const {
    int const k = batch_.k;
    std::ptrdiff_t const n = batch_.n;
    if (of.bad) return of.nan();
    if (row < k) {
      if (!of.mix) return of.eta[row * n + p];
      Real sum = static_cast<Real>(of.mix[row * k]) * of.eta[p];  // -0 is one in every layout
      for (int j = 1; j < k; ++j)
        sum = multiply_add(static_cast<Real>(of.mix[row * k + j]), of.eta[j * n + p], sum);
      return sum;
    }
    int const i = row - k;
    if (of.segment[p] == i) return of.own[p];
    Real sum = of.beta[i] * of.eta[p];
    for (std::ptrdiff_t j = 1; j < k; ++j)
      sum = multiply_add(of.beta[j * batch_.m + i], of.eta[j * n + p], sum);
    return sum;
  }

  ArrowBatch<Real> batch_;
  DenseFactors<Real> factors_;
  bool by_rows_;
  int places_, lines_;
  int tiles_;      ///< of a line, for a team each
  int stretches_;  ///< of lines
};

}  // namespace carroll::detail
