// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/lstsq/batch.hpp>
#include <carroll/detail/lstsq/team/columns.hpp>
#include <carroll/detail/lstsq/team/power_factors.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>
#include <cstddef>
#include <limits>

namespace carroll::detail {

/// Coefficients Uᴴ·B := Σ⁺·Uᴴ·B, and the infos: a thread per column, one division for each of k·p
/// entries.
///
/// Where a quotient may leave the range they are formed of mantissas and brought to a common
/// exponent, that of the largest of the column, so that none over- or underflows by itself that is
/// felt in X; what X would have to be multiplied by stays behind as shift(j), mostly 0.
template <class ExecSpace, class T>
class DivideKernel : public ColumnTiles<ExecSpace, T> {
  using Real = RealOf<T>;

 public:
  using Member = TeamMember<ExecSpace>;
  using ColumnTiles<ExecSpace, T>::ColumnTiles;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const& batch = this->batch_;
    int const member = this->member(team);
    SvdInfo<Real> const& factors = batch.factors[member];
    bool const finite = factors.status != Status::non_finite && batch.refused(member) == 0;
    Real const* const sigma = batch.S(member);
    int const rank = finite ? rank_of(team, sigma) : 0;
    if (this->is_first(team))
      Kokkos::single(Kokkos::PerTeam(team),
                     [&] { batch.info(member) = info(factors, finite, rank, sigma, member); });
    if (batch.inverse && rank > 0 && is_plain(sigma, rank, batch.a_shift(member), 1))
      return divide_rows(team, member, sigma, rank, batch.a_shift(member));
    this->for_columns(team, [&](int b, int j) {
      int const moved = batch.a_shift(b) - (batch.inverse ? 0 : batch.shift(b, j));
      int const left = divide(team, batch.coefficients(b).col(j), sigma, rank, moved);
      once_per_thread(team, [&] { batch.shift(b, j) = finite ? left : LstsqBatch<T>::no_number; });
    });
  }

 private:
  KOKKOS_FUNCTION int rank_of(Member const& team, Real const* sigma) const {
    auto const& batch = this->batch_;
    if (batch.k == 0) return 0;
    Real const least = batch.rcond * sigma[0];
    return count_of(team, batch.k, [&](int i) { return sigma[i] > least; });
  }

  KOKKOS_FUNCTION LstsqInfo<Real> info(SvdInfo<Real> const& factors, bool finite, int rank,
                                       Real const* sigma, int member) const {
    int const back = -this->batch_.a_shift(member);
    Real const nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    return {.status = finite ? factors.status : Status::non_finite,
            .rank = rank,
            .sigma_max = !finite              ? nan
                         : this->batch_.k > 0 ? scale(sigma[0], back)
                                              : Real(0),
            .sigma_min = !finite    ? nan
                         : rank > 0 ? scale(sigma[rank - 1], back)
                                    : Real(0),
            .sweeps = factors.sweeps};
  }

  /// x/σ·2^moved, rounded once where that is a normal number.
  struct Quotient {
    PowerFactors<Real> down, up;

    KOKKOS_FUNCTION explicit Quotient(int moved)
        : down(moved < 0 ? moved : 0), up(moved > 0 ? -moved : 0) {}
    KOKKOS_FUNCTION T operator()(T const& x, Real sigma) const {
      Real const divisor = up(sigma);
      return by_parts(x, [&](Real part) { return down(part / divisor); });
    }
  };

  /// Are all quotients of numbers below 2^top in the range, those of numbers near that not at its
  /// lower end, and is nothing beyond it on the way to them?
  KOKKOS_FUNCTION bool is_plain(Real const* sigma, int rank, int moved, int top) const {
    auto const& scales = this->batch_.scales;
    int const of_first = exponent_of(sigma[0]), of_last = exponent_of(sigma[rank - 1]);
    int const most = top - of_last + 1, up = moved > 0 ? moved : 0;
    return most <= scales.x_most && most + moved <= scales.x_most &&
           of_last - up > std::numeric_limits<Real>::min_exponent &&
           top - of_first + moved >= scales.x_least;
  }

  /// The team's columns of Uᵀ, whose entries are 1 at most, row by row, as they lie; the product
  /// with V conjugates them.
  KOKKOS_FUNCTION void divide_rows(Member const& team, int member, Real const* sigma, int rank,
                                   int moved) const {
    auto const& batch = this->batch_;
    Quotient const quotient(moved);
    int const begin = this->begin(team), count = this->count(team);
    thread_for(team, batch.k, [&](int i) {
      T* const row = batch.U(member) + static_cast<std::ptrdiff_t>(i) * batch.m + begin;
      if (i >= rank) return lane_for(team, count, [&](int j) { row[j] = 0; });
      Real const own = sigma[i];
      lane_for(team, count, [&](int j) { row[j] = quotient(row[j], own); });
    });
    thread_for(team, count,
               [&](int j) { once_per_thread(team, [&] { batch.shift(member, begin + j) = 0; }); });
  }

  /// c(i) := c(i)/σ(i)·2^(moved - s), 0 from the rank on; returns s.
  KOKKOS_FUNCTION int divide(Member const& team, StridedVector<T> const& c, Real const* sigma,
                             int rank, int moved) const {
    lane_for(team, this->batch_.k - rank, [&](int i) { c(rank + i) = 0; });
    Real const largest = lane_max<Real>(team, rank, [&](int i) { return largest_part(c(i)); });
    if (!(largest > Real(0))) return 0;
    if (!is_plain(sigma, rank, moved, exponent_of(largest)))
      return divide_mantissas(team, c, sigma, rank, moved);
    Quotient const quotient(moved);
    lane_for(team, rank, [&](int i) { c(i) = quotient(c(i), sigma[i]); });
    return 0;
  }

  /// The same by mantissas and exponents, for numbers of any size.
  KOKKOS_FUNCTION int divide_mantissas(Member const& team, StridedVector<T> const& c,
                                       Real const* sigma, int rank, int moved) const {
    auto const& scales = this->batch_.scales;
    constexpr int none = -(1 << 20);
    int top = none;  // all quotients are below 2^top
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, rank),
        [&](int i, int& most) {
          Real const own = largest_part(c(i));
          int const e = own == Real(0) ? none : exponent_of(own) - exponent_of(sigma[i]) + 1;
          most = e > most ? e : most;
        },
        Kokkos::Max<int>(top));
    int const size = Kokkos::clamp(top + moved, scales.x_least, scales.x_most);
    lane_for(team, rank, [&](int i) {
      int const by = exponent_of(sigma[i]);
      Real const divisor = scale(sigma[i], -by);
      c(i) = by_parts(T(c(i)), [&](Real part) {
        int const e = part == Real(0) ? 0 : exponent_of(part);
        return scale(scale(part, -e) / divisor, e - by + size - top);
      });
    });
    return top + moved - size;
  }
};

}  // namespace carroll::detail
