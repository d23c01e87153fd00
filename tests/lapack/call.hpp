// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "behind.hpp"

// The program's own error handler, or LAPACK's, or none: it is told who refused which argument.
extern "C" [[gnu::weak]] void xerbla_(char const* name, int const* argument, std::size_t length);

namespace carroll::lapack_test {

/// Whether an option is one of these letters, in upper or lower case.
inline bool is(char const* option, std::string_view letters) {
  return letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*option)))) !=
         std::string_view::npos;
}

/// One call: what was wrong with its arguments, the first thing only, and how it ends.
template <class Real>
class Call {
 public:
  Call(Routine routine, std::string_view name, int* info)
      : routine_(routine), name_(name), info_(info) {
    *info_ = 0;
    count<Real>(routine_, Event::call);
  }

  /// Arguments are counted from 1.
  void require(int argument, bool good) {
    if (*info_ == 0 && !good) *info_ = -argument;
  }

  /// Whether there is nothing (more) to do: bad arguments, or no more than a question how much
  /// workspace there should be. `work` is told.
  bool is_done(int argument, int lwork, std::int64_t wanted, Real* work) {
    bool const asks = lwork == -1;
    require(argument, asks || lwork >= wanted);
    if (*info_ != 0) {
      refuse();
      return true;
    }
    work[0] = static_cast<Real>(wanted);
    if (static_cast<std::int64_t>(work[0]) < wanted)  // rounded down
      work[0] *= 1 + std::numeric_limits<Real>::epsilon();
    return asks;
  }

  /// Decomposes; `argument` is A's number where LAPACK takes NaN for a wrong argument, or 0.
  SvdInfo<Real> decompose(Matrix<Real> A, Matrix<Real> U, Real* s, Matrix<Real> V,
                          int argument = 0) {
    count<Real>(routine_, Event::decomposition);
    auto const result = lapack_test::decompose(A, U, s, V);
    if (result.status == Status::non_finite)
      *info_ = argument > 0 ? -argument : 1;
    else if (result.status != Status::success && result.status != Status::overflow)
      *info_ = 1;
    return result;
  }

 private:
  void refuse() {
    count<Real>(routine_, Event::refusal);
    std::string name(1, std::is_same_v<Real, float> ? 'S' : 'D');
    name += name_;
    int const argument = -*info_;
    if (&xerbla_ != nullptr) xerbla_(name.c_str(), &argument, name.size());
  }

  Routine routine_;
  std::string_view name_;
  int* info_;
};

/// A as the input, or a copy of it where the output takes its place.
template <class Real>
class Input {
 public:
  Input(Real* a, int m, int n, int lda, bool is_overwritten) : A_(by_columns(a, m, n, lda)) {
    if (!is_overwritten) return;
    copy_.reserve(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) copy_.push_back(A_(i, j));
    A_ = by_columns(copy_.data(), m, n, m);
  }
  operator Matrix<Real>() const { return A_; }

 private:
  Matrix<Real> A_;
  std::vector<Real> copy_;
};

}  // namespace carroll::lapack_test
