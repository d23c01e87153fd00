// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/certified_determinant/balance.hpp>
#include <carroll/detail/certified_determinant/bound.hpp>
#include <carroll/detail/certified_determinant/factor.hpp>
#include <carroll/detail/certified_determinant/split.hpp>
#include <carroll/detail/certified_determinant/steps.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/team.hpp>

/// The steps for one large matrix, each a kernel over rows or columns, with matrix products between
/// them.
namespace carroll::detail {

/// Columns of a panel of elimination, rows of a block of the inverses.
inline constexpr int certified_panel = 64;

/// Factors columns `first` … last-1. One team.
template <class ExecSpace>
class CertifiedPanelKernel {
 public:
  CertifiedPanelKernel(CertifiedMemory const& memory, int first, int last)
      : w_(memory), first_(first), last_(last) {}
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (!w_.state->done) factor_columns(team, w_, first_, last_);
  }

 private:
  CertifiedMemory w_;
  int first_, last_;
};

/// The panel's exchanges in C and in F's other columns, and the panel's rows of U in the columns
/// behind it: certified_tile columns per work item. (last − first)² flops per column.
template <class ExecSpace>
class CertifiedUpdateKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  static constexpr int width = certified_tile<ExecSpace>;
  CertifiedUpdateKernel(CertifiedMemory const& memory, int first, int last)
      : w_(memory), first_(first), last_(last) {}
  [[nodiscard]] int items() const { return pieces_of(w_.n, width); }

  KOKKOS_FUNCTION void operator()(int item) const {
    if (w_.state->done) return;
    auto const C = w_.matrix(CertifiedMatrix::balanced);
    auto const F = w_.matrix(CertifiedMatrix::factors);
    int const begin = item * width, end = Kokkos::min(w_.n, begin + width);
    for (int j = begin; j < end; ++j) {
      exchange_rows(w_, C, first_, last_, j);
      if (j < first_ || j >= last_) exchange_rows(w_, F, first_, last_, j);
    }
    if (begin >= last_ && end - begin == width) {
      solve<width>(F, begin);
    } else {
      for (int j = Kokkos::max(begin, last_); j < end; ++j) solve<1>(F, j);
    }
  }

 private:
  template <int Width>
  KOKKOS_FUNCTION void solve(StridedMatrix<double> const& F, int j) const {
    for (int k = first_ + 1; k < last_; ++k) {
      double sum[Width] = {};
      add_rows(
          sum, [&](int s) { return F(k, s); }, F, first_, k, j);
      for (int u = 0; u < Width; ++u) F(k, j + u) -= sum[u];
    }
  }

  CertifiedMemory w_;
  int first_, last_;
};

/// Rows `first` … last-1 of a triangular inverse from the rows below and their products with U:
/// certified_tile columns per work item. (last − first)² flops per column.
template <class ExecSpace>
class CertifiedInverseKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  static constexpr int width = certified_tile<ExecSpace>;
  CertifiedInverseKernel(CertifiedMemory const& memory, UpperInverse const& inverse, int first,
                         int last)
      : w_(memory), inverse_(inverse), first_(first), last_(last) {}
  [[nodiscard]] int items() const { return pieces_of(w_.n, width); }

  KOKKOS_FUNCTION void operator()(int item) const {
    if (w_.state->done) return;
    int const begin = item * width, end = Kokkos::min(w_.n, begin + width);
    bool const whole = end - begin == width && (begin >= last_ || end <= last_);
    for (int i = last_ - 1; i >= first_; --i)
      if (whole)
        inverse_.entries<width>(i, begin, last_, begin >= last_);
      else
        for (int j = begin; j < end; ++j) inverse_.entries<1>(i, j, last_, j >= last_);
  }

 private:
  CertifiedMemory w_;
  UpperInverse inverse_;
  int first_, last_;
};

template <class ExecSpace>
void enqueue_factor(ExecSpace const& exec, CertifiedMemory const& w) {
  int const n = w.n;
  int const threads = lanes<ExecSpace> == 1 ? exec.concurrency() : 16;
  auto const F = w.matrix(CertifiedMatrix::factors);
  for (int first = 0; first < n; first += certified_panel) {
    int const last = std::min(n, first + certified_panel);
    using Panel = CertifiedPanelKernel<ExecSpace>;
    launch_teams("carroll::certified_determinant::panel", exec, Panel(w, first, last),
                 {.threads = threads, .lanes = lanes<ExecSpace>});
    CertifiedUpdateKernel<ExecSpace> const update(w, first, last);
    Kokkos::parallel_for("carroll::certified_determinant::exchange",
                         typename CertifiedUpdateKernel<ExecSpace>::Policy(exec, 0, update.items()),
                         update);
    if (last == n) break;
    enqueue_gemm("carroll::certified_determinant::update", exec,
                 Gemm<double>{n - last,
                              n - last,
                              last - first,
                              -1.0,
                              {&F(last, first), F.row_stride, F.col_stride},
                              {&F(first, last), F.row_stride, F.col_stride},
                              1.0,
                              {&F(last, last), F.row_stride, F.col_stride},
                              &w.state->done});
  }
}

template <class ExecSpace>
void enqueue_inverse(ExecSpace const& exec, CertifiedMemory const& w, UpperInverse const& inverse) {
  int const n = w.n;
  auto const& U = inverse.U;
  auto const& Z = inverse.Z;
  for (int first = (n - 1) / certified_panel * certified_panel; first >= 0;
       first -= certified_panel) {
    int const last = std::min(n, first + certified_panel);
    if (last < n)
      enqueue_gemm("carroll::certified_determinant::inverse_product", exec,
                   Gemm<double>{last - first,
                                n - last,
                                n - last,
                                1.0,
                                {&U(first, last), U.row_stride, U.col_stride},
                                {&Z(last, last), Z.row_stride, Z.col_stride},
                                0.0,
                                {&Z(first, last), Z.row_stride, Z.col_stride},
                                &w.state->done});
    CertifiedInverseKernel<ExecSpace> const rows(w, inverse, first, last);
    Kokkos::parallel_for("carroll::certified_determinant::inverse",
                         typename CertifiedInverseKernel<ExecSpace>::Policy(exec, 0, rows.items()),
                         rows);
  }
}

/// The products of split.hpp, cut where a triangular factor ends. `second`: W·Y, otherwise X·C.
template <class ExecSpace>
void enqueue_split_products(ExecSpace const& exec, CertifiedMemory const& w, bool second) {
  int const n = w.n;
  int const block = std::max(256, pieces_of(n, 16 * 64) * 64);
  auto const head = w.matrix(CertifiedMatrix::factors);
  auto const tail = w.matrix(CertifiedMatrix::left);
  auto const a = second ? head : head.transposed();
  auto const a_tail = second ? tail : tail.transposed();
  auto const b = w.matrix(second ? CertifiedMatrix::right : CertifiedMatrix::balanced);
  for (int first = 0; first < n; first += block) {
    int const last = std::min(n, first + block);
    auto const multiply = [&](StridedMatrix<double> const& x, StridedMatrix<double> const& y,
                              double beta, CertifiedMatrix into) {
      auto const z = w.matrix(into);
      Gemm<double> gemm{last - first,
                        n,
                        last,
                        1.0,
                        {&x(first, 0), x.row_stride, x.col_stride},
                        {y.data, y.row_stride, y.col_stride},
                        beta,
                        {&z(first, 0), z.row_stride, z.col_stride},
                        &w.state->done};
      if (second) {
        gemm.m = n;
        gemm.n = last - first;
        gemm.a.data = x.data;
        gemm.b.data = &y(0, first);
        gemm.c.data = &z(0, first);
      }
      enqueue_gemm("carroll::certified_determinant::product", exec, gemm);
    };
    multiply(a, w.matrix(CertifiedMatrix::right_head), 0.0, CertifiedMatrix::leading);
    multiply(a, w.matrix(CertifiedMatrix::right_tail), 0.0, CertifiedMatrix::trailing);
    multiply(a_tail, b, 1.0, CertifiedMatrix::trailing);
  }
}

template <class ExecSpace, class Real>
void enqueue_certified_blocked(ExecSpace const& exec, CertifiedBatch<Real> const& batch,
                               CertifiedMemory const& w, int member) {
  using Info = CertifiedInfoKernel<ExecSpace, Real>;
  auto const A = batch.source_of(member);
  enqueue_step("carroll::certified_determinant::rows", exec, MeasureRows<Real>{A}, w, true);
  enqueue_step("carroll::certified_determinant::columns", exec, MeasureColumns<Real>{A}, w, true);
  enqueue_step("carroll::certified_determinant::balance", exec, BalanceRows<Real>{A}, w, true);
  Kokkos::parallel_for("carroll::certified_determinant::start", typename Info::Policy(exec, 0, 1),
                       Info(batch, w, member, true));
  enqueue_factor(exec, w);
  enqueue_inverse(exec, w, left_inverse(w));
  enqueue_inverse(exec, w, right_inverse(w));
  enqueue_step("carroll::certified_determinant::split", exec, SplitBalanced{}, w);
  enqueue_step("carroll::certified_determinant::split", exec, SplitLeft{}, w);
  enqueue_split_products(exec, w, false);
  enqueue_step("carroll::certified_determinant::split", exec, SplitProduct{}, w);
  enqueue_step("carroll::certified_determinant::split", exec, SplitRight{}, w);
  enqueue_split_products(exec, w, true);
  enqueue_step("carroll::certified_determinant::residual", exec, Residual{}, w);
  enqueue_step("carroll::certified_determinant::bound", exec, SumRows{}, w);
  enqueue_step("carroll::certified_determinant::bound", exec, ChooseScaling{}, w);
  enqueue_step("carroll::certified_determinant::bound", exec, BoundRows{}, w);
  Kokkos::parallel_for("carroll::certified_determinant::conclude",
                       typename Info::Policy(exec, 0, 1), Info(batch, w, member, false));
}

}  // namespace carroll::detail
