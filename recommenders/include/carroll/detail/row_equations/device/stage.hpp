// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// 16 bytes as a device copies them.
struct alignas(16) FactorWord {
  std::uint32_t words[4];
};

/// A barrier of the team, before which the lanes of each warp meet. What only some of them do right
/// before a barrier a compiler may join to what they do next, and send the others to the barrier by
/// another way; the warp is in two parts from there on, which tensor cores take for an illegal
/// instruction.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION void meet(Member const& team) {
  warp_of_threads(team).sync();
  fast_team_barrier(team);
}

/// A row's ratings on their way into a team's scratch: `Ratings` of them at a time, their factors
/// padded with zeros to `width` numbers, and what they count for. While one stage is used the
/// factors of the next `Buffers - 1` are copied, and column and value of the one after these are
/// read. Behind the last rating zeros make up eight.
template <class Real, class Member, int Ratings, int Buffers>
class RowStage {
  static constexpr int wide = 16 / int(sizeof(Real)), names = Buffers + 1;

 public:
  /// Of the factors' scratch, `pitch` numbers apart.
  KOKKOS_FUNCTION static constexpr std::size_t factor_bytes(int pitch) {
    return Buffers * static_cast<std::size_t>(Ratings) * static_cast<std::size_t>(pitch) *
           sizeof(Real);
  }
  /// Of what else there is to a rating.
  static constexpr std::size_t name_bytes =
      names * static_cast<std::size_t>(Ratings) * (2 * sizeof(Real) + sizeof(std::int64_t));
  KOKKOS_FUNCTION static std::size_t bytes(int pitch) { return factor_bytes(pitch) + name_bytes; }

  /// Both scratches are aligned to 16 bytes. `width` and `pitch`: multiples of what 16 bytes hold.
  KOKKOS_FUNCTION RowStage(RowEquations<Real> const& problem, Member const& team,
                           unsigned char* factors, unsigned char* of_names, int width, int pitch,
                           bool by_words)
      : problem_(problem), team_(team), width_(width), pitch_(pitch), by_words_(by_words) {
    y_ = reinterpret_cast<Real*>(factors);
    places_ = reinterpret_cast<std::int64_t*>(of_names);
    g_ = reinterpret_cast<Real*>(places_ + names * Ratings);
    h_ = g_ + names * Ratings;
  }

  /// f(y, g, h, terms) for the ratings from `begin` up to `end`, all threads together: y are
  /// `terms` rows of factors.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void stream(std::int32_t row, std::int64_t begin, std::int64_t end,
                                          F const& f) const {
    int const stages = static_cast<int>((end - begin + Ratings - 1) / Ratings);
    Name first[Buffers];
    CARROLL_UNROLL
    for (int t = 0; t < Buffers; ++t) first[t] = read(row, begin, t, end);
    meet(team_);  // nobody uses what was there
    CARROLL_UNROLL
    for (int t = 0; t < Buffers; ++t) put(t, first[t]);
    meet(team_);
    CARROLL_UNROLL
    for (int t = 0; t + 1 < Buffers; ++t) {
      copy(t, t);
      end_copy_group();
    }
    int buffer = 0, slot = 0;
    for (int t = 0; t < stages; ++t) {
      Name const ahead = read(row, begin, t + Buffers, end);
      wait_for_copy_groups<Buffers - 2>();
      meet(team_);  // the stage is there, and the one before is used up
      copy(buffer == 0 ? Buffers - 1 : buffer - 1, slot < 2 ? slot + Buffers - 1 : slot - 2);
      end_copy_group();
      std::int64_t const left = end - begin - std::int64_t{t} * Ratings;
      int const terms = left < Ratings ? static_cast<int>(left) : int{Ratings};
      f(y_ + buffer * Ratings * pitch_, g_ + slot * Ratings, h_ + slot * Ratings, terms);
      put(slot == 0 ? names - 1 : slot - 1, ahead);
      buffer = buffer + 1 == Buffers ? 0 : buffer + 1;
      slot = slot + 1 == names ? 0 : slot + 1;
    }
    wait_for_copies();
  }

 private:
  enum Missing : std::int64_t { zeros = -1, nothing = -2 };
  struct Name {
    std::int64_t place;  ///< of the column's factors, from y on, or what is missing
    Real g, h;
  };

  KOKKOS_FORCEINLINE_FUNCTION Name read(std::int32_t row, std::int64_t begin, int stage,
                                        std::int64_t end) const {
    std::int64_t const e = begin + std::int64_t{stage} * Ratings + team_.team_rank();
    if (team_.team_rank() >= Ratings || e >= end)
      return {e - begin < (end - begin + 7) / 8 * 8 ? zeros : nothing, Real(0), Real(0)};
    auto const c = problem_.coefficients(row, e);
    return {problem_.column(e) * problem_.y_pitch, c.g, c.h};
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int slot, Name const& name) const {
    int const s = team_.team_rank();
    if (s >= Ratings) return;
    places_[slot * Ratings + s] = name.place;
    g_[slot * Ratings + s] = name.g;
    h_[slot * Ratings + s] = name.h;
  }

  KOKKOS_FORCEINLINE_FUNCTION void copy(int buffer, int slot) const {
    Real* const to = y_ + buffer * Ratings * pitch_;
    std::int64_t const* const places = places_ + slot * Ratings;
    int const f = problem_.factors;
    if (by_words_) {
      // A thread has the same word of all ratings that it copies, where there are threads enough.
      int const words = width_ / wide, rank = team_.team_rank(), size = team_.team_size();
      int const together = words < size ? size / words : 1, first = words < size ? rank / words : 0;
      if (first >= together) return;
      for (int word = rank - first * words; word < words; word += size) {
        int const i = word * wide;
        int const exist = f - i < wide ? (f > i ? f - i : 0) : wide;
        int const bytes = exist * static_cast<int>(sizeof(Real));
        // Nothing is read where nothing exists, but the address has to be one.
        Real const* const from = problem_.y + (exist > 0 ? i : 0);
        for (int s = first; s < Ratings; s += together) {
          std::int64_t const place = places[s];
          if (place == nothing) continue;
          copy_async(reinterpret_cast<FactorWord*>(to + s * pitch_ + i),
                     reinterpret_cast<FactorWord const*>(from + (place < 0 ? 0 : place)),
                     place < 0 ? 0 : bytes);
        }
      }
    } else {
      for (int at = team_.team_rank(); at < Ratings * width_; at += team_.team_size()) {
        int const s = at / width_, i = at - s * width_;
        std::int64_t const place = places[s];
        if (place == nothing) continue;
        if (place >= 0 && i < f)
          copy_async(to + s * pitch_ + i, problem_.y + place + i);
        else
          to[s * pitch_ + i] = place >= 0 && i < problem_.unknowns() ? Real(1) : Real(0);
      }
    }
  }

  RowEquations<Real> const& problem_;
  Member const& team_;
  int width_, pitch_;
  bool by_words_;
  Real* y_;
  std::int64_t* places_;
  Real *g_, *h_;
};

}  // namespace carroll::detail
