// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/strip_exchange.hpp>
#include <carroll/detail/determinant/strip_state.hpp>

/// How the teams of one launch share the condensation of a matrix by strips.
///
/// Tasks stand in one order, in which each depends on earlier ones only: strip 0; then, for every
/// strip s, its update of the rows of strip s+1, strip s+1 itself, its update of all other rows.
/// Teams take them in this order, as many as there are, so that none waits for a task that nobody
/// has taken. (The teams that share one strip wait for one another: there must be as many.)
namespace carroll::detail {

/// Columns of a strip that one team holds.
inline constexpr int strip_team_columns = 1024;
/// Strips whose W is kept at the same time.
inline constexpr int strip_ring = 4;

/// Rows that are updated together where others wait for them.
inline constexpr int strip_slice = 4;

/// The cut of a matrix of order n into strips of R rows, and blocks of B rows that are updated
/// together, or, when they are the next strip's, slices of them.
struct StripPlan {
  int n, R, B;

  [[nodiscard]] KOKKOS_FUNCTION int strips() const { return (n + R - 1) / R; }
  [[nodiscard]] KOKKOS_FUNCTION int blocks() const { return (n + B - 1) / B; }
  [[nodiscard]] KOKKOS_FUNCTION int slices() const { return (n + strip_slice - 1) / strip_slice; }
  /// Slices of strip s.
  [[nodiscard]] KOKKOS_FUNCTION int first_slice(int s) const { return s * (R / strip_slice); }
  [[nodiscard]] KOKKOS_FUNCTION int end_slice(int s) const {
    return Kokkos::min(first_slice(s + 1), slices());
  }
  /// Columns that are left when strip s begins.
  [[nodiscard]] KOKKOS_FUNCTION int columns(int s) const { return n - s * R; }
  /// Teams that share it.
  [[nodiscard]] KOKKOS_FUNCTION int teams(int s) const {
    return s < strips() ? (columns(s) + strip_team_columns - 1) / strip_team_columns : 0;
  }
  /// Tasks of the update of strip s: slices of the next one, blocks below that.
  [[nodiscard]] KOKKOS_FUNCTION int tasks_ahead(int s) const {
    return s + 1 < strips() ? end_slice(s + 1) - first_slice(s + 1) : 0;
  }
  [[nodiscard]] KOKKOS_FUNCTION int first_block_behind(int s) const { return (s + 2) * (R / B); }
  [[nodiscard]] KOKKOS_FUNCTION int tasks_behind(int s) const {
    return Kokkos::max(blocks() - first_block_behind(s), 0);
  }
  [[nodiscard]] KOKKOS_FUNCTION int updates(int s) const {
    return tasks_ahead(s) + tasks_behind(s);
  }
};

/// Which task has a given number, asked in ascending order.
class StripTasks {
 public:
  enum class Kind { strip, update_slice, update_block, end };
  Kind kind = Kind::end;
  int strip = 0;  ///< that is condensed, or whose update it is
  int part = 0;   ///< team of the strip, slice or block

  KOKKOS_FUNCTION explicit StripTasks(StripPlan const& plan) : plan_(plan) {}

  KOKKOS_FUNCTION void find(int number) {
    // Behind strip s < 0 there is strip 0 only.
    while (s_ < plan_.strips() && number >= base_ + size()) {
      base_ += size();
      ++s_;
    }
    if (s_ >= plan_.strips()) {
      kind = Kind::end;
      return;
    }
    int const at = number - base_;
    int const ahead = s_ < 0 ? 0 : plan_.tasks_ahead(s_);
    int const teams = plan_.teams(s_ + 1);
    if (at < ahead) {
      kind = Kind::update_slice;
      strip = s_;
      part = plan_.first_slice(s_ + 1) + at;
    } else if (at < ahead + teams) {
      kind = Kind::strip;
      strip = s_ + 1;
      part = at - ahead;
    } else {
      kind = Kind::update_block;
      strip = s_;
      part = plan_.first_block_behind(s_) + at - ahead - teams;
    }
  }

 private:
  /// Tasks of the update of strip s_, and the strip behind it.
  [[nodiscard]] KOKKOS_FUNCTION int size() const {
    return (s_ < 0 ? 0 : plan_.updates(s_)) + plan_.teams(s_ + 1);
  }

  StripPlan plan_;
  int s_ = -1;
  int base_ = 0;
};

/// What a strip tells those who update with it, besides W.
struct StripRecord {
  int pivots[32];
  int holes[32];  ///< columns that are filled, `filled` of them
  int fillers[32];
  int filled;
  int stop;  ///< not 0: the determinant is known, and nothing is left to do
};

/// What the teams of one matrix share, in memory.
template <class T>
struct StripProgress {
  Status status = Status::success;
  int balanced = 0;  ///< the matrix has been scaled, in `work`
  StripState<T> state;
};

/// The arrays of one matrix.
template <class T>
struct StripMemory {
  StripProgress<T>* progress;
  StripRecord* records;  ///< a ring of strip_ring
  T* W;                  ///< a ring of strip_ring·R rows
  T* row_top;
  T* row_factor;         ///< power of two by which a row is multiplied when it is read
  int* row_exponent;     ///< log₂ of what has been taken out of it
  std::uint64_t* words;  ///< of TeamExchange
  int* ticket;           ///< of the next task
  int* multiplied;       ///< strips whose pivots are in the product
  int* published;        ///< per strip: teams that have written their share of W
  int* finished;         ///< per strip: tasks of its update that are done
  int* applied;          ///< per slice: strips that it has been updated with
};

/// The arrays of all matrices, one after the other. Every count begins with 0.
template <class T>
struct StripWorkspace {
  StripProgress<T>* progress = nullptr;
  StripRecord* records = nullptr;
  T* scalars = nullptr;
  int* ints = nullptr;
  std::uint64_t* words = nullptr;

  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t scalars_per_member(StripPlan const& plan) {
    return std::int64_t{strip_ring} * plan.R * plan.n + 2 * plan.n;
  }
  /// Counters, to be zeroed, and exponents.
  [[nodiscard]] KOKKOS_FUNCTION static int counters(StripPlan const& plan) {
    return 2 + 2 * plan.strips() + plan.slices();
  }
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t ints_per_member(StripPlan const& plan) {
    return counters(plan) + plan.n;
  }
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t words_per_member(StripPlan const& plan) {
    return plan.teams(0) > 1 ? 2 * plan.teams(0) * TeamExchange<T>::words_per_team : 0;
  }

  /// Integers for some members.
  [[nodiscard]] static std::int64_t all_ints(StripPlan const& plan, std::int64_t members) {
    return members * ints_per_member(plan) + 1;
  }
  /// How many teams have started; behind all other integers.
  [[nodiscard]] KOKKOS_FUNCTION int* started(StripPlan const& plan, int members) const {
    return ints + members * ints_per_member(plan);
  }
  [[nodiscard]] KOKKOS_FUNCTION StripMemory<T> of(int member, StripPlan const& plan) const {
    StripMemory<T> memory;
    memory.progress = progress + member;
    memory.records = records + member * strip_ring;
    memory.W = scalars + member * scalars_per_member(plan);
    memory.row_top = memory.W + std::int64_t{strip_ring} * plan.R * plan.n;
    memory.row_factor = memory.row_top + plan.n;
    memory.ticket = ints + member * ints_per_member(plan);
    memory.multiplied = memory.ticket + 1;
    memory.published = memory.multiplied + 1;
    memory.finished = memory.published + plan.strips();
    memory.applied = memory.finished + plan.strips();
    memory.row_exponent = memory.applied + plan.slices();
    memory.words = words + member * words_per_member(plan);
    return memory;
  }
};

}  // namespace carroll::detail
