// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/truncated_svd/load.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>
#include <carroll/detail/truncated_svd/product.hpp>

/// How good the triplets are, measured on them.
namespace carroll::detail {

/// residuals(j) := ‖w_j − σ_j·u_j‖, where W = A·V; a team per triplet.
template <class ExecSpace, class Real>
class ResidualKernel {
 public:
  ResidualKernel(TruncatedProblem<Real> const& problem, Real const* product)
      : rows_(problem.rows),
        product_(product),
        left_(problem.left),
        sigma_(problem.sigma),
        residuals_(problem.residuals) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const j = team.league_rank();
    Real const* const w = product_ + static_cast<std::ptrdiff_t>(j) * rows_;
    auto const u = left_.col(j);
    Real const sigma = sigma_[j];
    Real const square = lane_sum<Real>(team, rows_, [&](int i) {
      Real const d = w[i] - sigma * u(i);
      return d * d;
    });
    once_per_thread(team, [&] { residuals_[j] = Kokkos::sqrt(square); });
  }

 private:
  int rows_;
  Real const* product_;
  StridedMatrix<Real> left_;
  Real const* sigma_;
  Real* residuals_;
};

/// Row i of a block times σ_i; a thread per entry.
template <class Real>
struct ScaleRowsKernel {
  Real* block;
  int rows;
  Real const* sigma;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const { block[entry] *= sigma[entry % rows]; }
};

/// Divides each test vector by its norm, and adds the norm's binary logarithm to the vector's: a
/// product of small norms would underflow. A team per vector.
template <class ExecSpace, class Real>
struct NormaliseTestsKernel {
  Real* block;
  int rows;
  Real* log_norms;
  bool first;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const j = team.league_rank();
    Real* const t = block + static_cast<std::ptrdiff_t>(j) * rows;
    Real const largest = lane_max<Real>(team, rows, [&](int i) { return Kokkos::abs(t[i]); });
    int const e = largest > Real(0) ? exponent_of(largest) : 0;
    Real const square = lane_sum<Real>(team, rows, [&](int i) {
      Real const x = scale(t[i], -e);
      return x * x;
    });
    Real const norm = Kokkos::sqrt(square);
    lane_for(team, rows, [&](int i) { t[i] = norm > Real(0) ? scale(t[i], -e) / norm : Real(0); });
    once_per_thread(team, [&] {
      Real const before = first ? Real(0) : log_norms[j];
      log_norms[j] = before + (norm > Real(0) ? Kokkos::log2(norm) + Real(e)
                                              : -Kokkos::Experimental::infinity_v<Real>);
    });
  }
};

/// to := E·from or, transposed, Eᵀ·from, with E = A − L·diag(σ)·Rᵀ: the residual is applied, never
/// formed. 2·rows·cols·count flops and as many again for each triplet and row or column.
template <class ExecSpace, class Real, class Product>
void enqueue_residual_product(ExecSpace const& exec, TruncatedProblem<Real> const& problem,
                              Product const& product, bool transposed, Real const* from, Real* to) {
  int const m = transposed ? problem.cols : problem.rows;
  int const n = transposed ? problem.rows : problem.cols;
  int const k = problem.rank;
  constexpr char const* label = "carroll::truncated_svd::residual_product";
  auto const left = read_only(transposed ? problem.right : problem.left);
  auto const right = read_only(transposed ? problem.left : problem.right);
  StridedMatrix<Real const> const x{from, 1, n};
  StridedMatrix<Real> const y{to, 1, m};
  StridedMatrix<Real> const inner{problem.inner_tests, 1, k};
  product.enqueue(label, exec, transposed, test_vectors, x, y);
  enqueue_gemm(label, exec, Gemm<Real>{k, test_vectors, n, 1, right.transposed(), x, 0, inner},
               problem.partial);
  launch_each(label, exec, std::int64_t{k} * test_vectors,
              ScaleRowsKernel<Real>{inner.data, k, problem.sigma});
  enqueue_gemm(label, exec, Gemm<Real>{m, test_vectors, k, -1, left, read_only(inner), 1, y},
               problem.partial);
}

/// Residuals of the triplets, and ‖(E·Eᵀ)·E·ω‖ of random vectors ω. For normal ω and r of them
///
///   ‖E‖ <= (10·√(2/π)·max ‖(E·Eᵀ)^q·E·ω‖)^(1/(2q + 1))      with a probability of 1 − 10^-r
///
/// (Halko, Martinsson and Tropp, SIAM Review 53(2), 2011, lemma 4.1, on the matrix (E·Eᵀ)^q·E,
/// whose norm is ‖E‖^(2q + 1); the idea of taking powers is Dixon's, SIAM J. Numer. Anal. 20(4),
/// 1983). With q = 0 the bound is 10·√(2n/π) times too large for a flat spectrum, with q = 1 here
/// only the cube root of that. The ω are independent of the subspace, which the lemma needs.
///
/// 2·rows·cols·(rank + 30) flops; A is read four times.
template <class ExecSpace, class Real, class Product>
void enqueue_certify(ExecSpace const& exec, TruncatedProblem<Real> const& problem,
                     Product const& product) {
  Real* const images = problem.long_blocks[1];
  product.enqueue("carroll::truncated_svd::residual", exec, false, problem.rank,
                  read_only(problem.right), problem.tall(images));
  launch_fitting_teams("carroll::truncated_svd::residual", exec,
                       ResidualKernel<ExecSpace, Real>(problem, images), {problem.rank, 1});

  enqueue_random("carroll::truncated_svd::test_vectors", exec, problem.short_tests,
                 std::int64_t{problem.cols} * test_vectors, problem.seed, test_stream);
  for (int power = 0; power < 3; ++power) {
    bool const transposed = power == 1;
    Real* const from = transposed ? problem.long_tests : problem.short_tests;
    Real* const to = transposed ? problem.short_tests : problem.long_tests;
    enqueue_residual_product(exec, problem, product, transposed, from, to);
    launch_fitting_teams(
        "carroll::truncated_svd::normalise_tests", exec,
        NormaliseTestsKernel<ExecSpace, Real>{to, transposed ? problem.cols : problem.rows,
                                              problem.log_test_norms, power == 0},
        {test_vectors, 1});
  }
}

}  // namespace carroll::detail
