// SPDX-License-Identifier: BSD-3-Clause
#include "svd/reference.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "svd/column_matrix.hpp"

namespace carroll::perf {
namespace {

using reference::Matrix, reference::dot;

/// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class Real>
Matrix<double> member_of(std::span<Real const> packed, std::size_t member, std::size_t rows,
                         std::size_t cols) {
  Matrix<double> M(rows, cols);
  for (std::size_t i = 0; i < rows * cols; ++i) M.data[i] = packed[member * rows * cols + i];
  return M;
}

/// |Σσ² − ‖A‖²_F| / ‖A‖²_F: a necessary condition where no reference is at hand.
double norm_defect(std::span<double const> S, std::span<double const> A) {
  double const energy = dot(A.data(), A.data(), A.size());
  return std::abs(dot(S.data(), S.data(), S.size()) - energy) / energy;
}

double norm1(Matrix<double> const& M) {
  double norm = 0;
  for (std::size_t j = 0; j < M.cols; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < M.rows; ++i) sum += std::abs(M.column(j)[i]);
    keep_larger(norm, sum);
  }
  return norm;
}

/// ‖I − QᵀQ‖₁
double departure_from_orthogonality(Matrix<double> const& Q) {
  Matrix<double> gram(Q.cols, Q.cols);
  for (std::size_t j = 0; j < Q.cols; ++j)
    for (std::size_t i = 0; i < Q.cols; ++i)
      gram.column(j)[i] = dot(Q.column(i), Q.column(j), Q.rows) - (i == j ? 1 : 0);
  return norm1(gram);
}

/// A − U·S·Vᵀ, in place of A.
void subtract_product(Matrix<double>& A, Matrix<double> const& U, double const* S,
                      Matrix<double> const& V) {
  for (std::size_t j = 0; j < A.cols; ++j)
    for (std::size_t k = 0; k < U.cols; ++k) {
      double const factor = S[k] * V.column(k)[j];
      for (std::size_t i = 0; i < A.rows; ++i) A.column(j)[i] -= U.column(k)[i] * factor;
    }
}

/// y = Mx and y = Mᵀx
std::vector<double> product(Matrix<double> const& M, std::vector<double> const& x) {
  std::vector<double> y(M.rows);
  for (std::size_t j = 0; j < M.cols; ++j)
    for (std::size_t i = 0; i < M.rows; ++i) y[i] += M.column(j)[i] * x[j];
  return y;
}
std::vector<double> transposed_product(Matrix<double> const& M, std::vector<double> const& x) {
  std::vector<double> y(M.cols);
  for (std::size_t j = 0; j < M.cols; ++j) y[j] = dot(M.column(j), x.data(), M.rows);
  return y;
}

/// The Frobenius norm of an operator on vectors of n entries, from its images of random ±1.
template <class Operator>
double estimated_norm(std::size_t n, Operator const& apply) {
  constexpr int probes = 4;
  std::uint64_t state = n;
  double square = 0;
  std::vector<double> x(n);
  for (int probe = 0; probe < probes; ++probe) {
    for (double& entry : x) entry = split_mix(state) >> 63 ? 1 : -1;
    std::vector<double> const y = apply(x);
    square += dot(y.data(), y.data(), y.size());
  }
  return std::sqrt(square / probes);
}

/// Numerators of LAPACK's ratios of one member, in ‖·‖₁ or in the Frobenius norm.
struct Defects {
  double norm;      // ‖A‖
  double residual;  // ‖A − USVᵀ‖
  double u, v;      // ‖I − UᵀU‖ and ‖I − VᵀV‖
};

Defects exact_defects(Matrix<double> A, Matrix<double> const& U, double const* S,
                      Matrix<double> const& V) {
  double const norm = norm1(A);
  subtract_product(A, U, S, V);
  return {norm, norm1(A), departure_from_orthogonality(U), departure_from_orthogonality(V)};
}

Defects estimated_defects(Matrix<double> const& A, Matrix<double> const& U, double const* S,
                          Matrix<double> const& V) {
  auto const remainder = [&](std::vector<double> const& x) {
    std::vector<double> z = transposed_product(V, x);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] *= S[k];
    std::vector<double> y = product(A, x);
    std::vector<double> const USVx = product(U, z);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= USVx[i];
    return y;
  };
  auto const departure = [](Matrix<double> const& Q) {
    return estimated_norm(Q.cols, [&](std::vector<double> const& x) {
      std::vector<double> y = transposed_product(Q, product(Q, x));
      for (std::size_t i = 0; i < y.size(); ++i) y[i] -= x[i];
      return y;
    });
  };
  return {std::sqrt(dot(A.data.data(), A.data.data(), A.data.size())),
          estimated_norm(A.cols, remainder), departure(U), departure(V)};
}

bool descending_and_finite(std::span<double const> S) {
  for (std::size_t i = 0; i < S.size(); ++i)
    if (!std::isfinite(S[i]) || S[i] < 0 || (i > 0 && S[i] > S[i - 1])) return false;
  return true;
}

}  // namespace

template <class Real>
void fill_uniform(SvdShape const& shape, int member, Real* A) {
  std::uint64_t state = (static_cast<std::uint64_t>(shape.rows) << 48) ^
                        (static_cast<std::uint64_t>(shape.cols) << 32) ^
                        static_cast<std::uint64_t>(member);
  for (std::size_t i = 0; i < shape.matrix_size(); ++i)
    A[i] = static_cast<Real>(std::ldexp(static_cast<double>(split_mix(state) >> 41) + 0.5, -23));
}

template void fill_uniform(SvdShape const&, int, float*);
template void fill_uniform(SvdShape const&, int, double*);

template <class Real>
std::vector<Real> uniform_matrices(SvdShape const& shape) {
  std::vector<Real> A(shape.batch * shape.matrix_size());
  for (int member = 0; member < shape.batch; ++member)
    fill_uniform(shape, member, A.data() + member * shape.matrix_size());
  return A;
}
template std::vector<float> uniform_matrices(SvdShape const&);
template std::vector<double> uniform_matrices(SvdShape const&);

std::vector<int> sampled_members(SvdShape const& shape) {
  if (shape.batch == 1) return {0};
  if (shape.batch == 2) return {0, 1};
  return {0, shape.batch / 2, shape.batch - 1};
}

template <class Real>
SvdCheck check_solution(SvdShape const& shape, std::span<Real const> A,
                        SvdSolution<Real> const& solution, std::span<long double const> reference,
                        double tolerance) {
  SvdCheck check;
  auto const m = static_cast<std::size_t>(shape.rows), n = static_cast<std::size_t>(shape.cols);
  auto const r = static_cast<std::size_t>(shape.rank());
  if (r == 0) return check;
  double const eps = std::numeric_limits<Real>::epsilon();
  double const larger = static_cast<double>(std::max(m, n));
  std::vector<double> const all_values(solution.S.begin(), solution.S.end());
  for (std::size_t member = 0; member < static_cast<std::size_t>(shape.batch); ++member)
    if (!descending_and_finite({all_values.data() + member * r, r})) {
      check.fault = "singular values not finite, not descending or negative";
      return check;
    }

  std::size_t sample = 0;
  double square_error = 0;
  std::span<Real const> const all_U(solution.U), all_V(solution.V);
  for (int const index : sampled_members(shape)) {
    auto const member = static_cast<std::size_t>(index);
    double const* const S = all_values.data() + member * r;
    if (!reference.empty()) {
      for (std::size_t k = 0; k < r; ++k) {
        auto const error = static_cast<double>(S[k] - reference[sample * r + k]);
        square_error += error * error;
        if (!shape.vectors)
          check.residual = std::max(
              check.residual,
              std::abs(error) / (larger * static_cast<double>(reference[sample * r]) * eps));
      }
    }
    auto const M = member_of(A, member, m, n);
    if (shape.vectors) {
      auto const U = member_of(all_U, sample, m, r), V = member_of(all_V, sample, n, r);
      Defects const defects = shape.rank() > reference_limit ? estimated_defects(M, U, S, V)
                                                             : exact_defects(M, U, S, V);
      keep_larger(check.residual, defects.residual / (larger * defects.norm * eps));
      keep_larger(check.orthogonality, defects.u / (static_cast<double>(m) * eps));
      keep_larger(check.orthogonality, defects.v / (static_cast<double>(n) * eps));
    } else if (reference.empty()) {
      check.residual = std::max(check.residual, norm_defect({S, r}, M.data) / (larger * eps));
    }
    ++sample;
  }
  if (!reference.empty())
    check.mean_square_error = square_error / (static_cast<double>(r) * static_cast<double>(sample));

  double const limit = std::max(50.0, 2 * tolerance / eps);
  if (!(check.residual <= limit))
    check.fault = shape.vectors ? "residual too large" : "singular values wrong";
  else if (!(check.orthogonality <= limit))
    check.fault = "vectors not orthonormal";
  return check;
}
template SvdCheck check_solution(SvdShape const&, std::span<float const>, SvdSolution<float> const&,
                                 std::span<long double const>, double);
template SvdCheck check_solution(SvdShape const&, std::span<double const>,
                                 SvdSolution<double> const&, std::span<long double const>, double);

}  // namespace carroll::perf
