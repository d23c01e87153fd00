// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// Passes over a block of rows: what comes of an entry, a line of entries that lie side by side to
/// a team.
namespace carroll::detail {

/// One matrix of `rows` by `columns`, rows at least as many as columns.
template <class T>
struct LongMatrix {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::ptrdiff_t row_stride = 0, column_stride = 0;
  KOKKOS_INLINE_FUNCTION T& operator()(std::int64_t i, std::int64_t j) const {
    return data[i * row_stride + j * column_stride];
  }
};

/// The state between iterations is R = D − L + Y/μ of the last one: S is R shrunk by the threshold
/// λ/μ, and the multipliers are what that took away, Y = μ·(R − S).
struct AlmState {
  double scale = 1;      ///< of D, a power of two
  double threshold = 0;  ///< λ/μ of R
  double carried = 0;    ///< the last μ by this one: Y/μ is that much of R − S
  double first = 0;      ///< before there is an R: Y/μ is that much of D; else 0

  [[nodiscard]] KOKKOS_INLINE_FUNCTION double cut(double r) const {
    return r > threshold ? threshold : (r < -threshold ? -threshold : r);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION double shrunk(double r) const { return r - cut(r); }
  /// Y/μ.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION double multiplier(double d, double r) const {
    return first != 0 ? first * d : carried * cut(r);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION double sparse(double r) const {
    return first != 0 ? 0.0 : shrunk(r);
  }
};

/// Rows `begin` up to `end` of matrices of which each knows how it lies; D's decides what is a
/// line.
template <class ExecSpace, class Body>
class LongPass {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  static constexpr int piece = 1024;  ///< entries of a line that a team takes

  LongPass(std::int64_t begin, std::int64_t end, std::int64_t columns, bool along_rows,
           Body const& body)
      : begin_(begin),
        rows_(end - begin),
        columns_(columns),
        along_rows_(along_rows),
        body_(body) {}

  void run(char const* label, ExecSpace const& exec) const {
    std::int64_t const teams = lines() * pieces();
    if (teams > 0)
      Kokkos::parallel_for(label, Policy(exec, static_cast<int>(teams), 1, lanes<ExecSpace>),
                           *this);
  }
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    std::int64_t const line = team.league_rank() / pieces();
    std::int64_t const from = team.league_rank() % pieces() * piece;
    auto const count = static_cast<int>(length() - from < piece ? length() - from : piece);
    if (along_rows_)  // entries of a column lie side by side
      lane_for(team, count, [&](int k) { body_(begin_ + from + k, from + k, line); });
    else
      lane_for(team, count, [&](int k) { body_(begin_ + line, line, from + k); });
  }

 private:
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t lines() const {
    return along_rows_ ? columns_ : rows_;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t length() const {
    return along_rows_ ? rows_ : columns_;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t pieces() const {
    return (length() + piece - 1) / piece;
  }

  std::int64_t begin_, rows_, columns_;
  bool along_rows_;
  Body body_;
};

/// Z := D − S + Y/μ, of which singular values are shrunk.
template <class From, class To>
struct FormShrinkable {
  LongMatrix<From const> D;
  LongMatrix<To> R;
  LongMatrix<double> Z;
  AlmState state;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k, std::int64_t j) const {
    double const d = static_cast<double>(D(i, j)) * state.scale;
    double const r = state.first != 0 ? 0.0 : static_cast<double>(R(i, j));
    Z(k, j) = d - state.sparse(r) + state.multiplier(d, r);
  }
};

/// R := D − L + Y/μ, L := what is given, and that := D − L − S, the residual.
template <class From, class To>
struct UpdateSparse {
  LongMatrix<From const> D;
  LongMatrix<To> R, L;
  LongMatrix<double> low;
  AlmState state;
  double threshold;  ///< of the new R
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k, std::int64_t j) const {
    double const d = static_cast<double>(D(i, j)) * state.scale, l = low(k, j);
    double const r = d - l + state.multiplier(d, state.first != 0 ? 0 : double(R(i, j)));
    AlmState next;
    next.threshold = threshold;
    R(i, j) = static_cast<To>(r);
    L(i, j) = static_cast<To>(l / state.scale);
    low(k, j) = d - l - next.shrunk(r);
  }
};

/// S := R shrunk, in D's units, where R is.
template <class To>
struct FinishSparse {
  LongMatrix<To> R;
  AlmState state;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t, std::int64_t j) const {
    R(i, j) = static_cast<To>(state.sparse(static_cast<double>(R(i, j))) / state.scale);
  }
};

template <class To>
struct FillBoth {
  LongMatrix<To> L, S;
  To value;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t, std::int64_t j) const {
    L(i, j) = S(i, j) = value;
  }
};

/// 64 entries of a column at a time.
template <class To>
struct CountNonzeros {
  static constexpr int piece = 64;
  LongMatrix<To> S;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t pieces() const {
    return (S.rows + piece - 1) / piece;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& count) const {
    std::int64_t const first = e % pieces() * piece, j = e / pieces();
    std::int64_t const end = S.rows - first < piece ? S.rows : first + piece;
    for (std::int64_t i = first; i < end; ++i) count += S(i, j) != 0 ? 1 : 0;
  }
};

/// What is above the diagonal, by symmetry.
struct MirrorUp {
  LongMatrix<double> G;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t, std::int64_t j) const {
    if (j > i) G(i, j) = G(j, i);
  }
};

/// scaled(j, k) := vectors(j, k)·kept[k].
struct ScaleVectors {
  LongMatrix<double> vectors, scaled;
  double const* values;
  double factor;     ///< times values: those of ZᵀZ
  double threshold;  ///< 1/μ
  KOKKOS_FUNCTION void operator()(std::int64_t j, std::int64_t, std::int64_t k) const {
    double const sigma = Kokkos::sqrt(factor * values[k]);
    scaled(j, k) = sigma > threshold ? vectors(j, k) * (1 - threshold / sigma) : 0;
  }
};

}  // namespace carroll::detail
