// SPDX-License-Identifier: BSD-3-Clause
#include "svd_reference.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace carroll::perf {
namespace {

using Wide = long double;

/// Column-major matrix of doubles or wider on the host.
template <class T>
struct Matrix {
  std::size_t rows, cols;
  std::vector<T> data;
  Matrix(std::size_t m, std::size_t n) : rows(m), cols(n), data(m * n) {}
  T* column(std::size_t j) { return data.data() + j * rows; }
  T const* column(std::size_t j) const { return data.data() + j * rows; }
};

template <class T>
T dot(T const* x, T const* y, std::size_t n) {
  T sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/// Replaces m×n A, m ≥ n, by the lower triangle Rᵀ of its QR factorisation.
Matrix<Wide> transposed_triangle(Matrix<Wide> A) {
  std::size_t const m = A.rows, n = A.cols;
  Matrix<Wide> L(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    Wide* const v = A.column(k) + k;
    Wide const norm = std::sqrt(dot(v, v, m - k));
    Wide const diagonal = v[0] > 0 ? -norm : norm;
    Wide const scale = norm * norm - v[0] * diagonal;  // ½‖v − diagonal·e₁‖²
    if (norm > 0) {
      v[0] -= diagonal;
      for (std::size_t j = k + 1; j < n; ++j) {
        Wide* const a = A.column(j) + k;
        Wide const factor = dot(v, a, m - k) / scale;
        for (std::size_t i = 0; i < m - k; ++i) a[i] -= factor * v[i];
      }
    }
    L.column(k)[k] = diagonal;
    for (std::size_t j = k + 1; j < n; ++j) L.column(k)[j] = A.column(j)[k];
  }
  return L;
}

/// Singular values by one-sided Jacobi in the widest type there is, to its own precision.
std::vector<Wide> jacobi_values(Matrix<Wide> A) {
  std::size_t const n = A.cols;
  Wide const tolerance =
      std::numeric_limits<Wide>::epsilon() * std::sqrt(static_cast<Wide>(A.rows));
  bool rotated = true;
  for (int sweep = 0; sweep < 40 && rotated; ++sweep) {
    rotated = false;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        Wide *const x = A.column(p), *const y = A.column(q);
        Wide alpha = 0, beta = 0, gamma = 0;
        for (std::size_t i = 0; i < A.rows; ++i) {
          alpha += x[i] * x[i];
          beta += y[i] * y[i];
          gamma += x[i] * y[i];
        }
        if (std::abs(gamma) <= tolerance * std::sqrt(alpha * beta)) continue;
        rotated = true;
        Wide const zeta = (beta - alpha) / (2 * gamma);
        Wide const tangent = std::copysign(1 / (std::abs(zeta) + std::hypot(Wide(1), zeta)), zeta);
        Wide const cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
        for (std::size_t i = 0; i < A.rows; ++i) {
          Wide const xi = x[i];
          x[i] = cosine * xi - sine * y[i];
          y[i] = sine * xi + cosine * y[i];
        }
      }
  }
  std::vector<Wide> values(n);
  for (std::size_t j = 0; j < n; ++j) values[j] = std::sqrt(dot(A.column(j), A.column(j), A.rows));
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

template <class Real>
Matrix<double> member_of(std::vector<Real> const& packed, std::size_t member, std::size_t rows,
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
    norm = std::max(norm, sum);
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

/// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

bool descending_and_finite(std::span<double const> S) {
  for (std::size_t i = 0; i < S.size(); ++i)
    if (!std::isfinite(S[i]) || S[i] < 0 || (i > 0 && S[i] > S[i - 1])) return false;
  return true;
}

}  // namespace

template <class Real>
std::vector<Real> uniform_matrices(SvdShape const& shape) {
  std::vector<Real> A(shape.batch * shape.matrix_size());
  std::size_t next = 0;
  for (int member = 0; member < shape.batch; ++member) {
    std::uint64_t state = (static_cast<std::uint64_t>(shape.rows) << 48) ^
                          (static_cast<std::uint64_t>(shape.cols) << 32) ^
                          static_cast<std::uint64_t>(member);
    for (std::size_t i = 0; i < shape.matrix_size(); ++i)
      A[next++] =
          static_cast<Real>(std::ldexp(static_cast<double>(split_mix(state) >> 41) + 0.5, -23));
  }
  return A;
}
template std::vector<float> uniform_matrices(SvdShape const&);
template std::vector<double> uniform_matrices(SvdShape const&);

std::vector<int> sampled_members(SvdShape const& shape) {
  if (shape.batch == 1) return {0};
  if (shape.batch == 2) return {0, 1};
  return {0, shape.batch / 2, shape.batch - 1};
}

std::vector<long double> reference_values(SvdShape const& shape, std::span<double const> A) {
  std::vector<long double> values;
  if (shape.rank() > reference_limit) return values;
  bool const tall = shape.rows >= shape.cols;
  auto const m = static_cast<std::size_t>(shape.rows), n = static_cast<std::size_t>(shape.cols);
  for (int const member : sampled_members(shape)) {
    double const* const a = A.data() + member * shape.matrix_size();
    Matrix<Wide> M(std::max(m, n), std::min(m, n));
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < m; ++i) (tall ? M.column(j)[i] : M.column(i)[j]) = a[i + j * m];
    auto const part = jacobi_values(transposed_triangle(std::move(M)));
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
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
    ++sample;
    Matrix<double> R(m, n);
    for (std::size_t i = 0; i < m * n; ++i) R.data[i] = A[member * m * n + i];
    if (!shape.vectors) {
      if (reference.empty())
        check.residual = std::max(check.residual, norm_defect({S, r}, R.data) / (larger * eps));
      continue;
    }
    double const norm = norm1(R);
    auto const U = member_of(solution.U, member, m, r), V = member_of(solution.V, member, n, r);
    subtract_product(R, U, S, V);
    // std::max would drop a NaN on its left: compare so that one sticks and fails the test below.
    auto const keep_larger = [](double& kept, double value) {
      if (!(value <= kept)) kept = value;
    };
    keep_larger(check.residual, norm1(R) / (larger * norm * eps));
    keep_larger(check.orthogonality,
                departure_from_orthogonality(U) / (static_cast<double>(m) * eps));
    keep_larger(check.orthogonality,
                departure_from_orthogonality(V) / (static_cast<double>(n) * eps));
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
