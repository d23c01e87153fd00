// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/instructions.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// As many matrices of one order as a vector register holds numbers, a matrix per lane, condensed
/// together: entry (i, j) of all of them is one vector. No lane sees another one's numbers.
///
/// Columns are exchanged lane by lane while the rows are reduced: with the pivot of row k in column
/// p, column k takes the place of column p, and column p is read once, for the factors. 2n³/3 flops
/// per lane, with as many selections; the working set is n² vectors.
template <class T, int Bytes>
class HostLanes {
 public:
  using V = HostVector<T, Bytes>;
  using Vector = typename V::Type;
  using Ints = typename V::Ints;
  static constexpr int width = V::width;
  static constexpr int max_order = 32;

  explicit HostLanes(int n) : n_(n) {}

  /// The matrix of one lane.
  [[nodiscard]] StridedMatrix<T> lane(int l) {
    return {reinterpret_cast<T*>(a_) + l, static_cast<std::ptrdiff_t>(n_) * width, width};
  }
  /// Rows of all matrices, one after the other.
  [[nodiscard]] Vector* row(int i) { return a_ + i * n_; }

  /// Scales rows by powers of two. `wide` is called for lanes whose columns have to be scaled
  /// first; it scales their matrix, and tells the exponent that this takes out of it, or returns
  /// false if a column is zero.
  template <class Wide>
  void balance(Wide const& wide) {
    constexpr T huge = Kokkos::Experimental::finite_max_v<T>;
    Ints columns_first{};
    Ints exponents[max_order];
    for (int i = 0; i < n_; ++i) {
      Vector high{}, low = huge - Vector{}, differences{};
      for (int j = 0; j < n_; ++j) {
        Vector const x = row(i)[j];
        Vector const size = x < Vector{} ? -x : x;
        Vector const or_huge = size > Vector{} ? size : huge - Vector{};
        high = size > high ? size : high;
        low = or_huge < low ? or_huge : low;
        differences += x - x;  // NaN for what is not finite
      }
      non_finite_ |= differences != Vector{};
      singular_ |= high == Vector{};
      Ints e, least;
      exponent(high, e);
      exponent(low, least);
      columns_first |= (e - least > widest_row<T>)&(high != Vector{});
      exponents[i] = e;
      top_[i] = high;
    }
    columns_first &= ~(non_finite_ | singular_);
    for (int l = 0; l < width; ++l)
      if (columns_first[l] && !wide(l, reinterpret_cast<T*>(top_) + l, taken_out_[l]))
        singular_[l] = -1;  // as comparisons of vectors say yes
    for (int i = 0; i < n_; ++i) {
      Ints const e = columns_first ? Ints{} : -exponents[i];
      Ints const half = e >> 1;
      Vector first, second;
      power(half, first);
      power(e - half, second);
      for (int j = 0; j < n_; ++j) row(i)[j] = row(i)[j] * first * second;
      top_[i] = top_[i] * first * second;
      sum_ -= e;
    }
  }

  void condense() {
    for (int k = 0; k < n_; ++k) {
      Vector* const head = row(k);
      Vector size = head[k] < Vector{} ? -head[k] : head[k], pivot = head[k];
      Ints at = Ints{} + k;
      for (int j = k + 1; j < n_; ++j) {
        Vector const x = head[j], magnitude = x < Vector{} ? -x : x;
        auto const larger = magnitude > size;
        size = larger ? magnitude : size;
        pivot = larger ? x : pivot;
        at = larger ? Ints{} + j : at;
      }
      singular_ |= size == Vector{};
      pivot = singular_ ? Vector{} + T(1) : pivot;
      take_pivot(at != k ? -pivot : pivot, size / top_[k]);
      Vector const first = head[k];
      for (int j = k + 1; j < n_; ++j) head[j] = (at == j ? first : head[j]) / pivot;
      // Factors first: what has been written number by number cannot be read as a vector at once.
      alignas(Bytes) T factors[max_order * width];
      for (int l = 0; l < width; ++l) {
        T const* const column = reinterpret_cast<T const*>(a_) + at[l] * width + l;
        for (int i = k + 1; i < n_; ++i) factors[i * width + l] = column[i * n_ * width];
      }
      int i = k + 1;
      for (; i + 2 <= n_; i += 2) reduce<2>(k, i, at, factors);
      if (i < n_) reduce<1>(k, i, at, factors);
    }
  }

  [[nodiscard]] DeterminantInfo<T> info(int l) const {
    DeterminantInfo<T> info;
    info.growth = growth_[l];
    if (non_finite_[l]) {
      info.status = Status::non_finite;
      info.value = ScaledNumber<T>::nan();
      info.growth = quiet_nan<T>();
    } else if (singular_[l]) {
      info.status = Status::singular;
      info.value = ScaledNumber<T>();
    } else {
      info.value = ScaledNumber<T>(mantissa_[l], sum_[l] + taken_out_[l]);
    }
    return info;
  }

 private:
  /// `Rows` rows from i on, by row k.
  template <int Rows>
  void reduce(int k, int i, Ints const& at, T const* factors) {
    Vector const* const u = row(k);
    Vector factor[Rows], first[Rows];
    for (int r = 0; r < Rows; ++r) {
      factor[r] = V::at(factors + (i + r) * width);
      first[r] = row(i + r)[k];
    }
    for (int j = k + 1; j < n_; ++j) {
      auto const here = at == j;
      for (int r = 0; r < Rows; ++r) {
        Vector x = here ? first[r] : row(i + r)[j];
        HostInstructions<Bytes>::subtract(x, factor[r], u[j]);
        row(i + r)[j] = x;
      }
    }
  }

  /// What DeterminantState::take_pivot does.
  void take_pivot(Vector const& pivot, Vector const& growth) {
    growth_ = (growth > growth_) & ~singular_ ? growth : growth_;
    Ints e;
    split(pivot, e, factor_);
    sum_ += e;
    mantissa_ *= factor_;
    split(mantissa_, e, mantissa_);
    sum_ += e;
  }

  using Int = typename V::Int;
  static constexpr int digits = Kokkos::Experimental::digits_v<T>;
  static constexpr int fraction = mantissa_bits<T>;
  static constexpr Int bias = exponent_bias<T>, field = 2 * bias + 1;

  /// x = m·2^e with 1 <= |m| < 2, of finite numbers that are not 0.
  static void split(Vector const& x, Ints& e, Vector& m) {
    Vector const size = x < Vector{} ? -x : x;
    auto const tiny = size < Kokkos::Experimental::norm_min_v<T> - Vector{};
    Vector const lifted = tiny ? x * power_of_two<T>(digits) : x;
    Ints const bits = reinterpret_cast<Ints>(lifted);
    e = ((bits >> fraction) & field) - bias - (tiny & digits);
    m = reinterpret_cast<Vector>((bits & ~(field << fraction)) | (bias << fraction));
  }
  /// e with 2^(e-1) <= x < 2^e.
  static void exponent(Vector const& x, Ints& e) {
    Vector m;
    split(x, e, m);
    e += 1;
  }
  /// 2^e of normal numbers.
  static void power(Ints const& e, Vector& x) {
    x = reinterpret_cast<Vector>((e + bias) << fraction);
  }

  int n_;
  Vector a_[max_order * max_order];
  Vector top_[max_order];  ///< largest entries of the rows
  Vector mantissa_ = Vector{} + T(1), growth_ = Vector{} + T(1), factor_;
  Ints sum_{}, non_finite_{}, singular_{};
  std::int64_t taken_out_[width] = {};
};

/// `blocked` for small matrices on a host; see HostLanes. The results of a matrix do not depend on
/// the lane that it is in. n² entries read per matrix.
template <class ExecSpace, class T>
class HostBatchKernel {
 public:
  static constexpr int max_order = 32;

  HostBatchKernel(DeterminantBatch<T> const& batch, int threads) : batch_(batch) {
    // Several groups per team, but enough teams to occupy all threads to the end.
    int const share = batch.members / (8 * threads);
    share_ = Kokkos::clamp(share / 16 * 16, 16, 1024);
  }
  [[nodiscard]] int teams() const { return (batch_.members + share_ - 1) / share_; }

  void operator()(TeamMember<ExecSpace> const& team) const {
    with_host_vectors(RunOfTeam<HostBatchKernel, TeamMember<ExecSpace>>{*this, team});
  }

  /// By registers of so many bytes.
  template <int Bytes>
  void run(TeamMember<ExecSpace> const& team) const {
    constexpr int width = HostVector<T, Bytes>::width;
    int const end = Kokkos::min((team.league_rank() + 1) * share_, batch_.members);
    for (int b = team.league_rank() * share_; b < end; b += width) {
      HostLanes<T, Bytes> lanes(batch_.n);
      int const count = Kokkos::min(width, end - b);
      load<width>(b, count, lanes);
      lanes.balance([&](int l, T* top, std::int64_t& exponent) {
        return balance_wide(team, lanes.lane(l), top, width, exponent);
      });
      lanes.condense();
      for (int l = 0; l < count; ++l) batch_.info_of(b + l) = lanes.info(l);
    }
  }

 private:
  /// Row after row, which stay in the first cache until all lanes are there. What the next group
  /// will load is asked for meanwhile: memory would not follow so many short rows by itself.
  template <int Width, class Lanes>
  void load(int first, int count, Lanes& lanes) const {
    for (int i = 0; i < batch_.n; ++i)
      for (int l = 0; l < Width; ++l) {
        auto const from = batch_.source_of(first + Kokkos::min(l, count - 1));
        auto const next = batch_.source_of(Kokkos::min(first + Width + l, batch_.members - 1));
        auto const into = lanes.lane(l);
        for (int j = 0; j < batch_.n; j += 64 / int(sizeof(T))) __builtin_prefetch(&next(i, j));
        for (int j = 0; j < batch_.n; ++j) into(i, j) = from(i, j);
      }
  }

  bool balance_wide(TeamMember<ExecSpace> const& team, StridedMatrix<T> const& A, T* top,
                    int stride, std::int64_t& exponent) const {
    int exponents[2 * max_order];
    T tops[max_order];
    Balance<T, TeamMember<ExecSpace>> balance(team, {A.data, A.row_stride, A.col_stride}, batch_.n,
                                              {exponents, exponents + max_order, tops});
    if (balance.measure() != Status::success) return false;
    balance.copy_to(A);
    for (int i = 0; i < batch_.n; ++i) top[i * stride] = tops[i];
    exponent = balance.exponent();
    return true;
  }

  DeterminantBatch<T> batch_;
  int share_;
};

}  // namespace carroll::detail
