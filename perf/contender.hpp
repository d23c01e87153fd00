// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

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

/// One solver bound to one problem, with all its buffers allocated, so that run() is only the
/// solve.
template <class Real>
class Contender {
 public:
  virtual ~Contender() = default;

  /// Another problem of the same shape, in place of the one given at construction. Never timed.
  virtual void load(std::span<Real const> A) = 0;
  /// Puts back whatever run() destroys. Never timed.
  virtual void restore() {}
  /// The timed call; the work may still be in flight when it returns.
  virtual void run() = 0;
  /// Waits for the work of run() and restore().
  virtual void fence() {}
  /// Results of the last run; whole batches of U and V may be too large to bring to the host.
  virtual SvdSolution<Real> solution(std::span<int const> members) = 0;
  /// What the solver itself says went wrong in the last run; empty when it is content.
  virtual std::string complaint() { return {}; }
  /// Jacobi sweeps of the last run (the most of any member); 0 where the solver does not tell.
  virtual int sweeps() { return 0; }
};

}  // namespace carroll::perf
