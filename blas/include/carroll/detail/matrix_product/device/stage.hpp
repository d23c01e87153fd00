// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/copies/async_copy.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

/// An operand's way into scratch: `Depth` terms of `Extent` rows (of A, or columns of B) at a time,
/// by copies that a device makes on its own. What does not exist becomes 0.
namespace carroll::detail {

/// How an operand lies in memory, as far as copies are concerned.
enum class OperandOrder {
  along_rows,   ///< 16 bytes are of one term
  along_terms,  ///< a row's terms lie side by side; for tensor cores by 16 bytes
  any,
};

/// 16 bytes, as a device copies them.
struct alignas(16) WideWord {
  double words[2];
};
template <class T>
struct CopyWord;
template <>
struct CopyWord<float> {
  using type = float;
};
template <>
struct CopyWord<double> {
  using type = double;
};
template <>
struct CopyWord<Kokkos::complex<float>> {
  using type = double;
};
template <>
struct CopyWord<Kokkos::complex<double>> {
  using type = WideWord;
};

template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION void copy_as(void* scratch, From const* memory, int bytes) {
  copy_async(static_cast<To*>(scratch), reinterpret_cast<To const*>(memory), bytes);
}

/// A thread's share of it. In scratch rows lie side by side, `pitch` entries from term to term.
template <class T, int Extent, int Depth, int Threads, int Pitch, OperandOrder order>
class OperandStage {
  static constexpr int wide = 16 / int(sizeof(T));
  static constexpr bool by_words = order == OperandOrder::along_rows;
  static constexpr int entries = by_words ? wide : 1;
  static constexpr int words = Extent * Depth / entries;
  static constexpr int count =
      words < Threads ? 1 : words / Threads;  ///< of a thread, if it has any
  static_assert(words < Threads || count * Threads == words);
  /// Lanes along terms: neighbouring lanes read 32 bytes at least and write to banks of their own.
  static constexpr int term_lanes = Depth < 8 ? Depth : 8;
  using Word = typename CopyWord<T>::type;

 public:
  /// Rows i0 on of `x`, of which `exist` exist, from term p0 on, for thread `rank`.
  KOKKOS_FUNCTION OperandStage(StridedMatrix<T const> const& x, int exist, int i0, int p0, int rank)
      : exist_(exist) {
    if constexpr (by_words) {
      static_assert(Threads % (Extent / wide) == 0);
      i_ = rank % (Extent / wide) * wide;
      p_ = rank / (Extent / wide);
      step_ = Threads / (Extent / wide) * x.col_stride;
    } else if constexpr (order == OperandOrder::along_terms) {
      static_assert(Threads % term_lanes == 0);
      i_ = rank / term_lanes;
      p_ = rank % term_lanes;
      step_ = Threads / term_lanes * x.row_stride;
    } else {
      static_assert(Threads % Extent == 0 || Extent % Threads == 0);
      bool const along_rows = x.row_stride <= x.col_stride;
      constexpr int row_threads = Extent < Threads ? Extent : Threads;
      i_ = along_rows ? rank % row_threads : rank / term_lanes;
      p_ = along_rows ? rank / row_threads : rank % term_lanes;
      rows_ = along_rows ? row_threads : Threads / term_lanes;
      terms_ = along_rows ? Threads / row_threads : term_lanes;
      step_ = x.col_stride;
      row_step_ = x.row_stride;
    }
    next_ = x.data + (i0 + i_) * x.row_stride + (p0 + p_) * x.col_stride;
    advance_ = Depth * x.col_stride;
  }

  /// Begins to copy the next `Depth` terms, of which `left` exist.
  KOKKOS_FUNCTION void copy(T* stage, int left) {
    if (exist_ >= Extent && left >= Depth)
      copy<true>(stage, left);
    else
      copy<false>(stage, left);
    next_ += advance_;
  }

 private:
  template <bool all>
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* stage, int left) const {
    if constexpr (by_words) {
      if (words < Threads && p_ >= Depth) return;
      constexpr int step = Threads / (Extent / wide);
      int const there = all ? wide : Kokkos::max(0, Kokkos::min(int{wide}, exist_ - i_));
      CARROLL_UNROLL
      for (int s = 0; s < count; ++s) {
        int const p = p_ + s * step;
        copy_as<WideWord>(stage + p * Pitch + i_, next_ + s * step_,
                          all || p < left ? there * int(sizeof(T)) : 0);
      }
    } else if constexpr (order == OperandOrder::along_terms) {
      constexpr int row_step = Threads / term_lanes;
      static_assert(Extent % row_step == 0 || row_step % Extent == 0);
      if (row_step > Extent && i_ >= Extent) return;
      CARROLL_UNROLL
      for (int s = 0; s < (Extent + row_step - 1) / row_step; ++s) {
        CARROLL_UNROLL
        for (int t = 0; t < Depth / term_lanes; ++t) {
          int const i = i_ + s * row_step, p = p_ + t * term_lanes;
          copy_as<Word>(stage + p * Pitch + i, next_ + s * step_ + t * term_lanes,
                        all || (i < exist_ && p < left) ? int(sizeof(T)) : 0);
        }
      }
    } else {
      for (int i = 0; i_ + i < Extent; i += rows_)
        for (int p = 0; p_ + p < Depth; p += terms_)
          copy_as<Word>(stage + (p_ + p) * Pitch + i_ + i, next_ + i * row_step_ + p * step_,
                        all || (i_ + i < exist_ && p_ + p < left) ? int(sizeof(T)) : 0);
    }
  }

  T const* next_;
  std::ptrdiff_t step_, row_step_ = 0, advance_;
  int i_, p_, rows_ = 0, terms_ = 0, exist_;
};

/// Where groups of four terms of a row go, `place ^ of(row)`: lanes that read four terms of
/// successive rows, as many as 128 bytes hold, then take each bank of scratch once.
template <class T, int Depth>
struct TermTurn {
  static constexpr int rows = 32 / int(sizeof(T));  ///< of a read
  static constexpr int groups = Depth / 4, rows_apart = rows / groups;
  static_assert(rows_apart * groups == rows);
  KOKKOS_FORCEINLINE_FUNCTION static int of(int row) { return row / rows_apart % groups * 4; }
};

/// A thread's share of an operand whose rows' terms lie side by side, and so in scratch, in turned
/// groups; copied by 16 bytes.
template <class T, int Extent, int Depth, int Threads>
class TermStage {
  static constexpr int wide = 16 / int(sizeof(T));
  static constexpr int row_words = Depth / wide, row_step = Threads / row_words;
  static_assert(Threads % row_words == 0 && Extent % row_step == 0 && row_step % 4 == 0);

 public:
  KOKKOS_FUNCTION TermStage(StridedMatrix<T const> const& x, int exist, int i0, int p0, int rank)
      : step_(row_step * x.row_stride),
        i_(rank / row_words),
        p_(rank % row_words * wide),
        exist_(exist) {
    next_ = x.data + (i0 + i_) * x.row_stride + p0 + p_;
  }

  KOKKOS_FUNCTION void copy(T* stage, int left) {
    if (exist_ >= Extent && left >= Depth)
      copy<true>(stage, left);
    else
      copy<false>(stage, left);
    next_ += Depth;
  }

 private:
  template <bool all>
  KOKKOS_FORCEINLINE_FUNCTION void copy(T* stage, int left) const {
    int const there = all ? wide : Kokkos::max(0, Kokkos::min(int{wide}, left - p_));
    T* const to = stage + i_ * Depth + (p_ ^ TermTurn<T, Depth>::of(i_));
    CARROLL_UNROLL
    for (int s = 0; s < Extent / row_step; ++s)
      copy_as<WideWord>(to + s * row_step * Depth, next_ + s * step_,
                        all || i_ + s * row_step < exist_ ? there * int(sizeof(T)) : 0);
  }

  T const* next_;
  std::ptrdiff_t step_;
  int i_, p_, exist_;
};

}  // namespace carroll::detail
