// SPDX-License-Identifier: BSD-3-Clause
#include "support/pseudoinverse/quad_pseudoinverse.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "support/quad.hpp"

namespace carroll::test {
namespace {

constexpr Quad negligible = static_cast<Quad>(0x1p-80);

// Plain pointers to Quad and no containers of it: see quad_reference.cpp.
class Table {
 public:
  Table(int rows, int cols)
      : rows_(rows),
        cols_(cols),
        data_(new Quad[static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)]()) {}
  ~Table() { delete[] data_; }
  Table(Table const&) = delete;
  Table& operator=(Table const&) = delete;

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] Quad& operator()(int i, int j) const {
    return data_[static_cast<std::size_t>(rows_) * static_cast<std::size_t>(j) +
                 static_cast<std::size_t>(i)];
  }
  [[nodiscard]] Quad dot(int p, Table const& other, int q) const {
    Quad sum = 0;
    for (int i = 0; i < rows_; ++i) sum += (*this)(i, p) * other(i, q);
    return sum;
  }
  /// Column p less factor times column q of another one.
  void take_off(int p, Quad factor, Table const& other, int q) const {
    for (int i = 0; i < rows_; ++i) (*this)(i, p) -= factor * other(i, q);
  }
  void divide(int p, Quad divisor) const {
    for (int i = 0; i < rows_; ++i) (*this)(i, p) /= divisor;
  }

 private:
  int rows_, cols_;
  Quad* data_;
};

/// Makes the columns of Z orthonormal.
void make_orthonormal(Table const& Z, int count) {
  std::vector<bool> done(static_cast<std::size_t>(count), false);
  for (int step = 0; step < count; ++step) {
    int row = 0, col = -1;
    for (int c = 0; c < count; ++c)
      for (int i = 0; i < Z.rows() && !done[c]; ++i)
        if (col < 0 || magnitude(Z(i, c)) > magnitude(Z(row, col))) {
          row = i;
          col = c;
        }
    done[col] = true;
    Z.divide(col, Z(row, col));
    for (int c = 0; c < count; ++c) {
      if (c == col) continue;
      Z.take_off(c, Z(row, c), Z, col);
      Z(row, c) = 0;
    }
  }
  for (int c = 0; c < count; ++c) {
    for (int pass = 0; pass < 3; ++pass)
      for (int b = 0; b < c; ++b) Z.take_off(c, Z.dot(b, Z, c), Z, b);
    Z.divide(c, square_root(Z.dot(c, Z, c)));
  }
}

}  // namespace

QuadPseudoinverse quad_pseudoinverse(HostMatrix<double> const& A) {
  int const m = A.rows, n = A.cols;
  Table Q(m, n), R(n, n);
  std::vector<int> order;
  std::vector<long double> norm(static_cast<std::size_t>(n), 0);
  for (int j = 0; j < n; ++j) {
    order.push_back(j);
    for (int i = 0; i < m; ++i) Q(i, j) = static_cast<Quad>(A(i, j));
    norm[j] = static_cast<long double>(square_root(Q.dot(j, Q, j)));
    if (norm[j] == 0) norm[j] = 1;
    Q.divide(j, static_cast<Quad>(norm[j]));
  }
  int rank = 0;
  for (; rank < n; ++rank) {
    int pivot = rank;
    for (int c = rank; c < n; ++c)
      if (Q.dot(order[c], Q, order[c]) > Q.dot(order[pivot], Q, order[pivot])) pivot = c;
    std::swap(order[rank], order[pivot]);
    int const p = order[rank];
    for (int pass = 0; pass < 2; ++pass)
      for (int t = 0; t < rank; ++t) {
        Quad const more = Q.dot(order[t], Q, p);
        Q.take_off(p, more, Q, order[t]);
        R(t, p) += more;
      }
    Quad const r = square_root(Q.dot(p, Q, p));
    if (!(r > negligible)) break;
    R(rank, p) = r;
    Q.divide(p, r);
    for (int c = rank + 1; c < n; ++c) {
      Quad const dot = Q.dot(p, Q, order[c]);
      R(rank, order[c]) += dot;
      Q.take_off(order[c], dot, Q, p);
    }
  }
  int const null = n - rank;
  // Columns of A⁺ for the right-hand sides Q, and null vectors, in terms of A's columns.
  Table N(n, rank > 0 ? rank : 1), Z(n, null > 0 ? null : 1);
  auto const substitute = [&](Table const& X, int col) {
    for (int t = rank - 1; t >= 0; --t) {
      for (int s = t + 1; s < rank; ++s) X(order[t], col) -= R(t, order[s]) * X(order[s], col);
      X(order[t], col) /= R(t, order[t]);
    }
    for (int j = 0; j < n; ++j) X(j, col) /= static_cast<Quad>(norm[j]);
  };
  for (int t = 0; t < rank; ++t) {
    N(order[t], t) = 1;
    substitute(N, t);
  }
  for (int c = rank; c < n; ++c) {
    Z(order[c], c - rank) = 1;
    for (int t = 0; t < rank; ++t) Z(order[t], c - rank) = -R(t, order[c]);
    substitute(Z, c - rank);
  }
  make_orthonormal(Z, null);
  for (int t = 0; t < rank; ++t)
    for (int pass = 0; pass < 12; ++pass)  // a depth of 1e-100 needs as many
      for (int a = 0; a < null; ++a) N.take_off(t, Z.dot(a, N, t), Z, a);
  QuadPseudoinverse result{HostMatrix<long double>(n, m), rank};
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      Quad sum = 0;
      for (int t = 0; t < rank; ++t) sum += N(j, t) * Q(i, order[t]);
      result.inverse(j, i) = static_cast<long double>(sum);
    }
  return result;
}

}  // namespace carroll::test
