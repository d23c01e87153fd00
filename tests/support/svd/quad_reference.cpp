// SPDX-License-Identifier: BSD-3-Clause
#include "support/svd/quad_reference.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "support/quad.hpp"

namespace carroll::test {
namespace {

// Plain pointers to Quad and no containers of it: nvcc reads constexpr members of containers as
// device code, which has no such type, and this file has to pass where nvcc_wrapper compiles
// everything.
template <class Number>
class Columns {
 public:
  Columns(int rows, int cols)
      : rows_(rows),
        cols_(cols),
        data_(new Number[static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)]) {}
  ~Columns() { delete[] data_; }
  Columns(Columns const&) = delete;
  Columns& operator=(Columns const&) = delete;

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int cols() const { return cols_; }
  [[nodiscard]] Number* operator[](int j) const {
    return data_ + static_cast<std::size_t>(rows_) * static_cast<std::size_t>(j);
  }
  [[nodiscard]] Number dot(int p, int q) const {
    Number const* const x = (*this)[p];
    Number const* const y = (*this)[q];
    Number sum = 0;
    for (int i = 0; i < rows_; ++i) sum += x[i] * y[i];
    return sum;
  }
  void swap(int p, int q) const {
    for (int i = 0; i < rows_; ++i) {
      Number const entry = (*this)[p][i];
      (*this)[p][i] = (*this)[q][i];
      (*this)[q][i] = entry;
    }
  }

 private:
  int rows_;
  int cols_;
  Number* data_;
};

/// Makes columns p and q orthogonal; false if they already were. Their squares follow without a
/// dot product, but where they have lost digits.
template <class Number>
bool rotate(Columns<Number> const& columns, Number* squares, int p, int q) {
  Number const xx = squares[p];
  Number const yy = squares[q];
  Number const xy = columns.dot(p, q);
  if (xx == 0 || yy == 0) return false;
  // The rounding of the dot product itself is about this large.
  Number const noise = static_cast<Number>(columns.rows()) *
                       static_cast<Number>(std::ldexp(1.0, 1 - significand_of<Number>));
  if (magnitude(xy) <= noise * square_root(xx) * square_root(yy)) return false;
  Number const zeta = (yy - xx) / (2 * xy);
  Number const tangent =
      (zeta < 0 ? Number(-1) : Number(1)) / (magnitude(zeta) + square_root(1 + zeta * zeta));
  Number const cosine = 1 / square_root(1 + tangent * tangent);
  Number const sine = cosine * tangent;
  Number* const x = columns[p];
  Number* const y = columns[q];
  for (int i = 0; i < columns.rows(); ++i) {
    Number const xi = x[i];
    x[i] = cosine * xi - sine * y[i];
    y[i] = sine * xi + cosine * y[i];
  }
  auto const follow = [&](int j, Number square) {
    bool const sound = square > squares[j] / 1024;
    squares[j] = sound ? square : columns.dot(j, j);
  };
  follow(p, xx - tangent * xy);
  follow(q, yy + tangent * xy);
  return true;
}

/// Sets the columns' squares, too.
template <class Number>
void sort_by_norm(Columns<Number> const& columns, Number* squares) {
  for (int j = 0; j < columns.cols(); ++j) squares[j] = columns.dot(j, j);
  for (int p = 0; p < columns.cols(); ++p) {
    int largest = p;
    for (int q = p + 1; q < columns.cols(); ++q)
      if (squares[q] > squares[largest]) largest = q;
    if (largest == p) continue;
    columns.swap(p, largest);
    Number const square = squares[p];
    squares[p] = squares[largest];
    squares[largest] = square;
  }
}

/// Exactly deficient matrices leave columns of rounding errors, parallel to others, that every
/// sweep shrinks by 2⁻¹¹² only; below 10⁻⁴⁰⁰ of the largest they are zero. No test spans as many
/// decades. In 64 bits, which know only what counts beside σ₁, they are zero below 10⁻⁵⁰.
template <class Number>
void flush_negligible(Columns<Number> const& sorted, Number* squares) {
  bool const quad = significand_of<Number> == 113;
  Number const tiny =
      static_cast<Number>(quad ? 1e-200 : 1e-25) * static_cast<Number>(quad ? 1e-200 : 1e-25);
  for (int j = 1; j < sorted.cols(); ++j)
    if (square_root(squares[j]) < tiny * square_root(squares[0])) {
      for (int i = 0; i < sorted.rows(); ++i) sorted[j][i] = 0;
      squares[j] = 0;
    }
}

template <class Number, class Real>
std::vector<long double> singular_values_in(HostMatrix<Real> const& A) {
  bool const wide = A.rows < A.cols;
  Columns<Number> const columns(wide ? A.cols : A.rows, wide ? A.rows : A.cols);
  for (int j = 0; j < columns.cols(); ++j)
    for (int i = 0; i < columns.rows(); ++i)
      columns[j][i] = static_cast<Number>(wide ? A(j, i) : A(i, j));

  Columns<Number> const norms(columns.cols(), 1);
  Number* const squares = norms[0];
  constexpr int sweep_limit = 100;
  bool rotated = true;
  for (int sweep = 0; rotated; ++sweep) {
    if (sweep == sweep_limit)
      throw std::runtime_error("oracle of singular values did not converge");
    rotated = false;
    sort_by_norm(columns, squares);
    flush_negligible(columns, squares);
    for (int p = 0; p < columns.cols(); ++p)
      for (int q = p + 1; q < columns.cols(); ++q)
        if (rotate(columns, squares, p, q)) rotated = true;
  }
  sort_by_norm(columns, squares);
  std::vector<long double> sigma;
  for (int j = 0; j < columns.cols(); ++j)
    sigma.push_back(static_cast<long double>(square_root(squares[j])));
  return sigma;
}

}  // namespace

template <class Real>
std::vector<long double> quad_singular_values(HostMatrix<Real> const& A) {
  return singular_values_in<Quad>(A);
}
template <class Real>
std::vector<long double> extended_singular_values(HostMatrix<Real> const& A) {
  return singular_values_in<Extended>(A);
}

#define CARROLL_TEST_INSTANTIATE(Real)                                             \
  template std::vector<long double> quad_singular_values(HostMatrix<Real> const&); \
  template std::vector<long double> extended_singular_values(HostMatrix<Real> const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
