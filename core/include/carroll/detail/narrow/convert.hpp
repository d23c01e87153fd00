// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/narrow/matrices.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/narrow.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// Neighbouring entries of a line, in both forms.
template <class Bits>
struct NarrowRun {
  Bits* narrow;
  std::ptrdiff_t narrow_stride;
  float* wide;
  std::ptrdiff_t wide_stride;
  int count;

  KOKKOS_INLINE_FUNCTION void convert(NarrowFormat format) const {
    if (format == NarrowFormat::float16)
      convert_as<5>();
    else
      convert_as<8>();
  }

 private:
  template <int ExponentBits>
  KOKKOS_INLINE_FUNCTION void convert_as() const {
    if (narrow_stride == 1 && wide_stride == 1)  // which vector registers can do
      for (int k = 0; k < count; ++k) convert<ExponentBits>(narrow[k], wide[k]);
    else
      for (int k = 0; k < count; ++k)
        convert<ExponentBits>(narrow[k * narrow_stride], wide[k * wide_stride]);
  }
  template <int ExponentBits>
  KOKKOS_INLINE_FUNCTION static void convert(Bits& stored, float& x) {
    if constexpr (std::is_const_v<Bits>)
      x = NarrowFields<ExponentBits>::widen(stored);
    else
      stored = NarrowFields<ExponentBits>::round(x);
  }
};

/// narrow → wide where Bits is constant, else wide → narrow; 6 bytes an entry. On devices a thread
/// converts an entry and its neighbour the next, on hosts it converts a run of them. Lines follow
/// the wide matrix, which has no gaps; where the narrow one has none either, and its members follow
/// each other, all is one line.
template <class ExecSpace, class Bits>
class NarrowConversion {
  static constexpr int run = lanes<ExecSpace> == 1 ? narrow_piece_entries : 1;
  static constexpr int runs_of_piece = narrow_piece_entries / run;

 public:
  explicit NarrowConversion(NarrowMatrices<Bits> const& matrices) : matrices_(matrices) {
    auto const& [members, rows, cols] = matrices.narrow.extents;
    auto const& strides = matrices.narrow.strides;
    auto const& wide = matrices.wide.strides;
    bool const by_columns = wide[1] <= wide[2];
    inner_ = by_columns ? 1 : 2;
    length_ = by_columns ? rows : cols;
    outer_ = by_columns ? cols : rows;
    lines_ = members * outer_;
    bool const no_gaps = strides[1] == wide[1] && strides[2] == wide[2];
    if (no_gaps && (members <= 1 || strides[0] == wide[0])) {
      length_ *= lines_;
      lines_ = 1;
    }
    runs_ = (length_ + run - 1) / run;
    items_ = has_pieces() ? matrices.pieces.count * runs_of_piece : lines_ * runs_;
  }

  static void enqueue(ExecSpace const& exec, char const* label,
                      NarrowMatrices<Bits> const& matrices) {
    if (!matrices.is_narrow) return;
    NarrowConversion const kernel(matrices);
    using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
    if (kernel.items_ > 0) Kokkos::parallel_for(label, Policy(exec, 0, kernel.items_), kernel);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    auto const& narrow = matrices_.narrow;
    auto const& wide = matrices_.wide;
    if (has_pieces()) {
      NarrowPiece const piece = matrices_.pieces.list[k / runs_of_piece];
      std::int64_t const first = k % runs_of_piece * run;
      convert(narrow.data + piece.first, 1, wide.data + piece.first, 1, first, piece.count);
      return;
    }
    std::int64_t const line = lines_ == 1 ? 0 : quotient(k, runs_);
    std::int64_t const first = (k - line * runs_) * run;
    std::int64_t const b = lines_ == 1 ? 0 : quotient(line, outer_), q = line - b * outer_;
    int const across = 3 - inner_;
    convert(narrow.data + b * narrow.strides[0] + q * narrow.strides[across],
            narrow.strides[inner_], wide.data + b * wide.strides[0] + q * wide.strides[across],
            wide.strides[inner_], first, length_);
  }

 private:
  KOKKOS_FUNCTION bool has_pieces() const {
    return matrices_.pieces.count != NarrowPieces::everything;
  }

  /// Those from `first` on of a line's `length` entries.
  KOKKOS_FUNCTION void convert(Bits* narrow, std::ptrdiff_t narrow_stride, float* wide,
                               std::ptrdiff_t wide_stride, std::int64_t first,
                               std::int64_t length) const {
    if (first >= length) return;
    int const count = length - first < run ? static_cast<int>(length - first) : run;
    NarrowRun<Bits>{narrow + first * narrow_stride, narrow_stride, wide + first * wide_stride,
                    wide_stride, count}
        .convert(matrices_.format);
  }

  /// In 32 bits where they hold both: devices have no division of 64.
  KOKKOS_FUNCTION static std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (((a | b) >> 32) != 0) return a / b;
    return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  }

  NarrowMatrices<Bits> matrices_;
  int inner_;            ///< the dimension along lines
  std::int64_t length_;  ///< of a line
  std::int64_t outer_;   ///< lines of a matrix
  std::int64_t lines_;   ///< of all
  std::int64_t runs_;    ///< of a line
  std::int64_t items_;
};

template <class ExecSpace>
void enqueue_widening(ExecSpace const& exec, NarrowInput const& matrices) {
  NarrowConversion<ExecSpace, std::uint16_t const>::enqueue(exec, "carroll::narrow::widen",
                                                            matrices);
}

template <class ExecSpace>
void enqueue_rounding(ExecSpace const& exec, NarrowOutput const& matrices) {
  NarrowConversion<ExecSpace, std::uint16_t>::enqueue(exec, "carroll::narrow::round", matrices);
}

}  // namespace carroll::detail
