// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/contender.hpp"

namespace carroll::perf {

/// What every contender is given: `batch` matrices of rows × cols, packed column-major, one member
/// after the other, and whether thin U and V are wanted beside the singular values.
struct SvdShape {
  int batch;
  int rows;
  int cols;
  bool vectors;

  int rank() const { return std::min(rows, cols); }
  std::size_t matrix_size() const { return static_cast<std::size_t>(rows) * cols; }
  std::size_t u_size() const { return static_cast<std::size_t>(rows) * rank(); }
  std::size_t v_size() const { return static_cast<std::size_t>(cols) * rank(); }
  bool operator==(SvdShape const&) const = default;
};

/// Results on the host, packed like the input: S of every member, rank values each; U, rows × rank,
/// and V itself, cols × rank, of the members asked for, and empty when only values were computed.
template <class Real>
struct SvdSolution {
  std::vector<Real> U, S, V;
};

/// A singular value decomposition bound to one problem.
template <class Real>
class SvdContender : public Contender {
 public:
  /// Another problem of the same shape, in place of the one given at construction. Never timed.
  virtual void load(std::span<Real const> A) = 0;
  /// Results of the last run; whole batches of U and V may be too large to bring to the host.
  virtual SvdSolution<Real> solution(std::span<int const> members) = 0;
  /// Jacobi sweeps of the last run (the most of any member); 0 where the solver does not tell.
  virtual int sweeps() { return 0; }
};

}  // namespace carroll::perf
