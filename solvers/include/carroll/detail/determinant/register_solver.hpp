// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/detail/determinant/balance.hpp>
#include <carroll/detail/determinant/register_load.hpp>
#include <carroll/detail/determinant/register_pivots.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>

namespace carroll::detail {

/// `Width` lanes hold a matrix of order up to `order`, `Cols` columns each.
template <class T, int Width, int Cols>
struct RegisterShape {
  using Scalar = T;
  static constexpr int width = Width, cols = Cols, order = Width * Cols;
  static constexpr int matrices = 32 / Width;  ///< of a warp
  /// Do lanes hold neighbouring columns, which they can read in chunks? Else every Width-th.
  static constexpr bool neighbours = Cols % RegisterChunk<T>::size == 0;
  KOKKOS_FUNCTION static constexpr int first_col(int lane) {
    return neighbours ? lane * Cols : lane;
  }
  static constexpr int next_col = neighbours ? 1 : Width;
  /// Rows whose pivots and largest entries a lane looks after: side by side, in chunks.
  static constexpr int own_rows = Cols <= 2 ? Cols : (Cols + 3) / 4 * 4;
  /// Ints of scratch from one lane's largest entries of all rows to the next one's.
  static constexpr int tops = order + 4;
  /// Entries of scratch per matrix: two columns and the pivots, before that the lanes' largest
  /// entries. Matrices are an odd number of chunks apart, so that their lanes read from different
  /// banks.
  static constexpr int scratch = [] {
    constexpr int size = RegisterChunk<T>::size;
    int const entries = 3 * order, ints = Width * tops * 4 / int(sizeof(T));
    return ((entries > ints ? entries : ints) / size | 1) * size;
  }();
  static_assert(order % 4 == 0 && order <= 32 && 32 % Width == 0);
};

/// Condensation (condensation.hpp) of small matrices in the registers of a warp, one call per warp,
/// a group of lanes per matrix.
///
/// A lane holds whole columns, so that a step is: the group's largest entry of row 0 by shuffles,
/// the pivot's column to all lanes through scratch, row 0 divided by the pivot, all other rows
/// reduced and moved up by one, which keeps registers at constant places in a loop. No column is
/// exchanged: that of the pivot becomes zero, and the sign is that of the permutation, told by how
/// many of the columns left stand before each pivot's. Rows shrink by four at a time.
///
/// What is compared and handed round are keys: an entry's magnitude and, in place of its last five
/// bits, its column. So the largest key tells where the pivot is, and entries within 2^-18 of the
/// largest (double precision: 2^-15) count as equal to it, of which the first is taken. The next
/// row's search begins while the other rows are reduced.
///
/// 2n³/3 flops, of which a group with all its columns does n³; n² entries read; per matrix n²/2
/// entries through scratch, each written by one lane and read once per group.
template <class Warp, class Shape>
class RegisterSolver {
 public:
  using T = typename Shape::Scalar;

  KOKKOS_FUNCTION RegisterSolver(Warp const& warp, DeterminantBatch<T> const& batch,
                                 EntryAccess access, T* scratch)
      : warp_(warp),
        batch_(batch),
        access_(access),
        n_(batch.n),
        slot_(warp.lane / width),
        place_(warp.lane % width),
        columns_(scratch + slot_ * Shape::scratch),
        pivots_(columns_ + 2 * order) {}

  /// The members from `first` on, as many as the warp has room for.
  KOKKOS_FUNCTION void solve(int first) const {
    bool const exists = first + slot_ < batch_.members;
    int const member = exists ? first + slot_ : batch_.members - 1;
    StridedMatrix<T const> const A = batch_.source_of(member);
    T a[order][cols];
    load(A, a);

    int tops[own_rows];
    int exponent = balance(A, a, tops);
    State state;
    Search pivot = search(a[0]);
    condense<(order)>(a, 0, pivot, state);

    warp_.sync();
    PivotProduct<T> product;
    CARROLL_UNROLL
    for (int t = 0; t < own_rows; ++t)
      if (own_row(t) < n_) product.take(pivots_[own_row(t)], of_magnitude<T>(tops[t]));
    exponent += product.exponent;
    CARROLL_UNROLL
    for (int step = 1; step < width; step *= 2) {
      product.mantissa *= across(warp_, product.mantissa, step);
      product.growth = Kokkos::fmax(product.growth, across(warp_, product.growth, step));
      exponent += across(warp_, exponent, step);
    }
    product.exponent = exponent;
    product.zero = any(product.zero);
    if (exists && place_ == 0)
      store_info(batch_.info_of(member),
                 product.info(-state.lifted, Kokkos::popcount(state.before) % 2 != 0,
                              RowScale<T>::is_finite(state.highest)));
  }

 private:
  static constexpr int order = Shape::order, cols = Shape::cols, width = Shape::width;
  static constexpr int own_rows = Shape::own_rows;
  using Chunk = RegisterChunk<T>;
  static constexpr int chunk = Chunk::size;
  static constexpr int stages = std::bit_width(unsigned{width}) - 1;
  static constexpr int key_columns = 31;  ///< the bits of a key that tell a column

  struct State {
    unsigned left = ~0U;  ///< bit 31 - j: column j held no pivot yet
    unsigned before = 0;  ///< how often a column left stood before a pivot's, modulo 2
    int highest = 0;      ///< key of the largest pivot: NaN and infinities come to be pivots
    int lifted = 0;

    /// One more pivot, of this key.
    KOKKOS_FUNCTION void take(int key) {
      unsigned const bit = 1U << (key & key_columns);
      highest = Kokkos::max(highest, key);
      before ^= left & -(2 * bit);
      left &= ~bit;
    }
  };

  /// Keys of a row: a magnitude without its last five bits, and 31 less the column.
  struct Search {
    int key[cols];
    int top;
  };
  KOKKOS_FUNCTION int col(int c) const { return Shape::first_col(place_) + c * Shape::next_col; }
  KOKKOS_FUNCTION int own_row(int t) const { return place_ * own_rows + t; }

  KOKKOS_FUNCTION unsigned group() const {
    return (width == 32 ? 0xffffffffU : (1U << width % 32) - 1) << (slot_ * width);
  }
  KOKKOS_FUNCTION bool any(bool yes) const { return (warp_.ballot(yes) & group()) != 0; }
  template <class X>
  KOKKOS_FUNCTION X max(X x) const {
    CARROLL_UNROLL
    for (int step = 1; step < width; step *= 2) x = Kokkos::max(x, across(warp_, x, step));
    return x;
  }

  /// Rows and columns beyond the last one repeat it.
  KOKKOS_FORCEINLINE_FUNCTION void load(StridedMatrix<T const> const& A,
                                        T (&a)[order][cols]) const {
    if (Shape::neighbours && access_ == EntryAccess::rows) {
      CARROLL_UNROLL
      for (int c = 0; c < cols; c += chunk) {
        T const* from = &A(0, Kokkos::min(col(c) + chunk, n_) - 1);
        CARROLL_UNROLL
        for (int i = 0; i < order; ++i) {
          Chunk const part = chunk_at(from);
          CARROLL_UNROLL
          for (int q = 0; q < chunk; ++q) a[i][(c + q) % cols] = part.entry[chunk - 1 - q];
          if (i + 1 < n_) from += A.row_stride;
        }
      }
    } else if (access_ == EntryAccess::cols) {
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const* from = &A(chunk - 1, Kokkos::min(col(c), n_ - 1));
        CARROLL_UNROLL
        for (int i = 0; i < order; i += chunk) {
          Chunk const part = chunk_at(from);
          CARROLL_UNROLL
          for (int q = 0; q < chunk; ++q) a[i + q][c] = part.entry[chunk - 1 - q];
          if (i + chunk < n_) from += chunk * A.row_stride;
        }
      }
    } else {
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const* from = &A(0, Kokkos::min(col(c), n_ - 1));
        CARROLL_UNROLL
        for (int i = 0; i < order; ++i) {
          a[i][c] = *from;
          if (i + 1 < n_) from += A.row_stride;
        }
      }
    }
  }

  /// Scales by powers of two what needs it: the largest entry of a row into [1/2, 1), unless it is
  /// moderate, zero, NaN or infinite; where a row is wide, columns before. Returns log₂ of what
  /// that takes out of this lane's rows and columns. `tops`: magnitudes of the scaled rows' largest
  /// entries.
  KOKKOS_FORCEINLINE_FUNCTION int balance(StridedMatrix<T const> const& A, T (&a)[order][cols],
                                          int (&tops)[own_rows]) const {
    int exponent = 0;
    bool may_be_wide = true;
    bool has_tiny = false;  // then rows of magnitude 0 need not be zero, in double precision
    auto const fits = [&](int top) {
      return RowScale<T>::is_moderate(top) && (top != 0 || !has_tiny);
    };
    CARROLL_NO_UNROLL
    for (;;) {
      int const least = largest_of_rows(a, tops);
      int highest = tops[0];
      CARROLL_UNROLL
      for (int t = 1; t < own_rows; ++t) highest = Kokkos::max(highest, tops[t]);
      if (may_be_wide) {
        may_be_wide = false;
        if (warp_.ballot(is_far_below<T>(least, max(highest))) != 0) {
          LeastMagnitude<T> exact;
          CARROLL_UNROLL
          for (int i = 0; i < order; ++i) CARROLL_UNROLL
          for (int c = 0; c < cols; ++c) exact.add(a[i][c]);
          if (warp_.ballot(exact.far_below(max(highest))) != 0) {
            exponent = scale_wide(A, a);
            has_tiny = true;
            continue;
          }
        }
      }
      bool moderate = true;
      CARROLL_UNROLL
      for (int t = 0; t < own_rows; ++t) moderate = moderate && fits(tops[t]);
      if (warp_.ballot(!moderate) == 0) break;
      CARROLL_UNROLL
      for (int t = 0; t < own_rows; ++t) {
        if (own_row(t) >= order) continue;
        RowScale<T> const scale(tops[t]);
        columns_[own_row(t)] = fits(tops[t]) ? T(1) : scale.factor();
        if (!fits(tops[t]) && own_row(t) < n_) exponent += scale.exponent();
      }
      has_tiny = false;
      warp_.sync();
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) {
        T const factor = columns_[i];
        CARROLL_UNROLL
        for (int c = 0; c < cols; ++c) a[i][c] *= factor;
      }
      warp_.sync();
    }
    if (n_ == order) return exponent;
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c)
      if (col(c) >= n_) {
        CARROLL_UNROLL
        for (int i = 0; i < order; ++i) a[i][c] = 0;
      }
    return exponent;
  }

  /// The magnitudes of the largest entries of this lane's rows: every lane writes those of its
  /// columns to scratch, and reads all that are there of its rows. Returns the least magnitude in
  /// this lane's columns.
  KOKKOS_FORCEINLINE_FUNCTION int largest_of_rows(T const (&a)[order][cols],
                                                  int (&tops)[own_rows]) const {
    using Ints = RegisterChunk<int>;
    int* const of_lanes = reinterpret_cast<int*>(columns_);
    auto* const mine = reinterpret_cast<Ints*>(of_lanes + place_ * Shape::tops);
    Magnitudes<T> all;
    CARROLL_UNROLL
    for (int i = 0; i < order; i += Ints::size) {
      Ints rows;
      CARROLL_UNROLL
      for (int q = 0; q < Ints::size; ++q) {
        Magnitudes<T> row;
        CARROLL_UNROLL
        for (int c = 0; c < cols; ++c) {
          row.raise(a[i + q][c]);
          all.lower(a[i + q][c]);
        }
        rows.entry[q] = row.highest();
      }
      mine[i / Ints::size] = rows;
    }
    warp_.sync();
    constexpr int size = own_rows < Ints::size ? own_rows : Ints::size;
    struct alignas(4 * size) Part {
      int entry[size];
    };
    int const first = own_row(0) < order ? own_row(0) : 0;
    CARROLL_UNROLL
    for (int t = 0; t < own_rows; ++t) tops[t] = 0;
    CARROLL_UNROLL
    for (int lane = 0; lane < width; ++lane) CARROLL_UNROLL
    for (int t = 0; t < own_rows; t += size) {
      Part const part = *reinterpret_cast<Part const*>(of_lanes + lane * Shape::tops + first + t);
      CARROLL_UNROLL
      for (int q = 0; q < size; ++q) tops[t + q] = Kokkos::max(tops[t + q], part.entry[q]);
    }
    warp_.sync();
    return all.lowest();
  }

  /// Reads A once more. If it has a wide row, columns are scaled, and rows with them. Returns log₂
  /// of what that takes out.
  KOKKOS_FORCEINLINE_FUNCTION int scale_wide(StridedMatrix<T const> const& A,
                                             T (&a)[order][cols]) const {
    bool wide = false, finite = true;
    CARROLL_NO_UNROLL
    for (int i = 0; i < n_; ++i) {
      EntryRange<T> range;
      CARROLL_NO_UNROLL
      for (int c = 0; c < cols; ++c)
        if (col(c) < n_) range.add(Kokkos::abs(A(i, col(c))));
      T const high = max(range.high), low = -max(-range.low);
      wide = wide || is_wide(high, low);
      finite = finite && range.bad == 0;
    }
    bool const bad = any(!finite);
    wide = wide && !bad;

    int exponent = 0;
    int col_exponent[cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) {
      T high = 0;
      CARROLL_NO_UNROLL
      for (int i = 0; i < n_ && col(c) < n_; ++i)
        high = Kokkos::fmax(high, Kokkos::abs(A(i, col(c))));
      col_exponent[c] = high > 0 && wide ? exponent_of(high) : 0;
      exponent += col_exponent[c];
    }
    int* const row_exponents = reinterpret_cast<int*>(pivots_);
    CARROLL_NO_UNROLL
    for (int i = 0; i < n_; ++i) {
      int e = -4 * exponent_bias<T>;
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const size = col(c) < n_ ? Kokkos::abs(A(i, col(c))) : T(0);
        if (size > 0 && wide) e = Kokkos::max(e, exponent_of(size) - col_exponent[c]);
      }
      e = max(e);
      if (place_ == i % width && wide) exponent += e;
      if (place_ == 0) row_exponents[i] = e;
    }
    warp_.sync();
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      int const row = Kokkos::min(i, n_ - 1);
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const entry = col(c) < n_ ? A(row, col(c)) : T(0);
        a[i][c] = wide ? scale_within_one(entry, -(row_exponents[row] + col_exponent[c])) : entry;
      }
    }
    warp_.sync();
    return exponent;
  }

  /// Steps k … n-1 on what is left of a, in up to Rows rows.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void condense(T (&a)[order][cols], int k, Search& pivot,
                                            State& state) const {
    if (n_ > Rows - 4) {
      int const end = Kokkos::min(k + 4, n_);
      CARROLL_NO_UNROLL
      for (; k < end; ++k) step<Rows>(a, k, pivot, state);
    }
    if constexpr (Rows > 4) condense<Rows - 4>(a, k, pivot, state);
  }

  /// Step k: reduces all rows by `pivot`, which was found in row 0, and moves them up. Among that
  /// the new row 0 is searched, so that shuffles and arithmetic wait for each other less.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void step(T (&a)[order][cols], int k, Search& pivot,
                                        State& state) const {
    constexpr int apart = 16 / cols;  // rows from one stage of the search to the next
    if (warp_.ballot(pivot.top < least_pivot<T>) != 0) lift(a[0], pivot, state);
    state.take(pivot.top);

    // Two columns take turns: one is read while lanes that are ahead write the other.
    auto* const column =
        reinterpret_cast<Chunk*>(columns_ + (static_cast<unsigned>(k) % 2) * order);
    publish(a, 0, pivot, column);
    warp_.sync();
    T const top_entry = column->entry[chunk - 1];
    CARROLL_UNROLL
    for (int i = chunk; i < Rows; i += chunk) publish(a, i, pivot, column + i / chunk);
    warp_.sync();
    if (place_ == 0) pivots_[k] = top_entry;
    PivotDivision<T> const over_pivot(top_entry);
    T row[cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) row[c] = over_pivot(a[0][c]);

    Chunk factors[2] = {column[0], column[Rows > chunk ? 1 : 0]};
    int other = 0;
    CARROLL_UNROLL
    for (int i = 0; i < Rows - 1; ++i) {
      int const from = i + 1;
      if (from % chunk == 0 && from + chunk < Rows)
        factors[(from / chunk + 1) % 2] = column[from / chunk + 1];
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c)
        a[i][c] = Kokkos::fma(-factors[from / chunk % 2].entry[chunk - 1 - from % chunk], row[c],
                              a[from][c]);
      if (i == 0) pivot = keys(a[0]);
      CARROLL_UNROLL
      for (int stage = 0; stage < stages; ++stage)
        if (Kokkos::min(stage * apart, Rows - 2) == i) {
          if (stage > 0) pivot.top = Kokkos::max(pivot.top, other);
          other = across(warp_, pivot.top, 1 << stage);
        }
    }
    pivot.top = Kokkos::max(pivot.top, other);
  }

  /// Writes rows i on of the pivot's column, one chunk, in the order in which they were read: the
  /// matrix is seen from its last entry, and chunks are registers side by side.
  KOKKOS_FORCEINLINE_FUNCTION void publish(T const (&a)[order][cols], int i, Search const& pivot,
                                           Chunk* to) const {
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) {
      Chunk part;
      CARROLL_UNROLL
      for (int q = 0; q < chunk; ++q) part.entry[chunk - 1 - q] = a[i + q][c];
      if (pivot.key[c] == pivot.top) *to = part;
    }
  }

  /// Multiplies the row where its pivot is too small, and searches it again.
  KOKKOS_FORCEINLINE_FUNCTION void lift(T (&row)[cols], Search& pivot, State& state) const {
    if (pivot.top < least_pivot<T>) {
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) row[c] *= power_of_two<T>(pivot_lift<T>);
      state.lifted += pivot_lift<T>;
    }
    pivot = search(row);
  }

  KOKKOS_FORCEINLINE_FUNCTION Search search(T const (&row)[cols]) const {
    Search pivot = keys(row);
    pivot.top = max(pivot.top);
    return pivot;
  }
  /// The search in this lane's columns.
  KOKKOS_FORCEINLINE_FUNCTION Search keys(T const (&row)[cols]) const {
    Search pivot;
    int const last = key_columns - col(0);
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c)
      pivot.key[c] = (magnitude(row[c]) & ~key_columns) | (last - c * Shape::next_col);
    pivot.top = pivot.key[0];
    CARROLL_UNROLL
    for (int c = 1; c < cols; ++c) pivot.top = Kokkos::max(pivot.top, pivot.key[c]);
    return pivot;
  }

  Warp const& warp_;
  DeterminantBatch<T> const& batch_;
  EntryAccess access_;
  int n_, slot_, place_;
  T* columns_;
  T* pivots_;
};

}  // namespace carroll::detail
