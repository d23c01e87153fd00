// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// 16 bytes as a device copies them.
struct alignas(16) FactorWord {
  std::uint32_t words[4];
};

/// A row's ratings on their way into a team's scratch: `Ratings` of them at a time, their factors
/// padded with zeros to `pitch` numbers, and what they count for. While one stage is used the next
/// one's factors are copied, and columns and values of the one after that are read.
template <class Real, class Member, int Ratings>
class RowStage {
  static constexpr int wide = 16 / int(sizeof(Real));

 public:
  /// Numbers of scratch.
  KOKKOS_FUNCTION static std::size_t bytes(int pitch) {
    return 2 * static_cast<std::size_t>(Ratings) * static_cast<std::size_t>(pitch) * sizeof(Real) +
           3 * static_cast<std::size_t>(Ratings) * (2 * sizeof(Real) + sizeof(std::int64_t));
  }
  /// `scratch`: aligned to 16 bytes. `pitch`: a multiple of what 16 bytes hold.
  KOKKOS_FUNCTION RowStage(RowEquations<Real> const& problem, Member const& team,
                           unsigned char* scratch, int pitch, bool by_words)
      : problem_(problem), team_(team), pitch_(pitch), by_words_(by_words) {
    y_ = reinterpret_cast<Real*>(scratch);
    columns_ = reinterpret_cast<std::int64_t*>(y_ + 2 * Ratings * pitch);
    g_ = reinterpret_cast<Real*>(columns_ + 3 * Ratings);
    h_ = g_ + 3 * Ratings;
  }

  /// f(y, g, h, terms) for the ratings from `begin` up to `end`, all threads together: y are
  /// `terms` rows of factors.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void stream(std::int32_t row, std::int64_t begin, std::int64_t end,
                                          F const& f) const {
    int const stages = static_cast<int>((end - begin + Ratings - 1) / Ratings);
    fast_team_barrier(team_);  // nobody uses what was there
    put(0, read(row, begin, end));
    put(1, read(row, begin + Ratings, end));
    fast_team_barrier(team_);
    copy(0, 0);
    end_copy_group();
    for (int t = 0; t < stages; ++t) {
      Name const ahead = read(row, begin + std::int64_t{t + 2} * Ratings, end);
      copy((t + 1) % 2, (t + 1) % 3);
      end_copy_group();
      wait_for_copy_groups<1>();
      fast_team_barrier(team_);
      std::int64_t const left = end - begin - std::int64_t{t} * Ratings;
      int const terms = left < Ratings ? static_cast<int>(left) : int{Ratings};
      f(y_ + t % 2 * Ratings * pitch_, g_ + t % 3 * Ratings, h_ + t % 3 * Ratings, terms);
      put((t + 2) % 3, ahead);
      fast_team_barrier(team_);
    }
    wait_for_copies();
  }

 private:
  struct Name {
    std::int64_t column;
    Real g, h;
  };

  KOKKOS_FORCEINLINE_FUNCTION Name read(std::int32_t row, std::int64_t first,
                                        std::int64_t end) const {
    std::int64_t const e = first + team_.team_rank();
    if (team_.team_rank() >= Ratings || e >= end) return {-1, Real(0), Real(0)};
    auto const c = problem_.coefficients(row, e);
    return {problem_.column(e), c.g, c.h};
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int slot, Name const& name) const {
    int const s = team_.team_rank();
    if (s >= Ratings) return;
    columns_[slot * Ratings + s] = name.column;
    g_[slot * Ratings + s] = name.g;
    h_[slot * Ratings + s] = name.h;
  }

  KOKKOS_FORCEINLINE_FUNCTION void copy(int buffer, int slot) const {
    Real* const to = y_ + buffer * Ratings * pitch_;
    std::int64_t const* const columns = columns_ + slot * Ratings;
    int const f = problem_.factors;
    if (by_words_) {
      int const words = pitch_ / wide;
      for (int at = team_.team_rank(); at < Ratings * words; at += team_.team_size()) {
        int const s = at / words, i = (at - s * words) * wide;
        if (columns[s] < 0) continue;
        int const exist = f - i < wide ? (f > i ? f - i : 0) : wide;
        // Nothing is read where nothing exists, but the address has to be one.
        Real const* const from = problem_.y + columns[s] * problem_.y_pitch + (exist > 0 ? i : 0);
        copy_async(reinterpret_cast<FactorWord*>(to + s * pitch_ + i),
                   reinterpret_cast<FactorWord const*>(from),
                   exist * static_cast<int>(sizeof(Real)));
      }
    } else {
      for (int at = team_.team_rank(); at < Ratings * pitch_; at += team_.team_size()) {
        int const s = at / pitch_, i = at - s * pitch_;
        if (columns[s] < 0) continue;
        if (i < f)
          copy_async(to + at, problem_.y + columns[s] * problem_.y_pitch + i);
        else
          to[at] = i < problem_.unknowns() ? Real(1) : Real(0);
      }
    }
  }

  RowEquations<Real> const& problem_;
  Member const& team_;
  int pitch_;
  bool by_words_;
  Real* y_;
  std::int64_t* columns_;
  Real *g_, *h_;
};

}  // namespace carroll::detail
