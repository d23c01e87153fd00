// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/narrow.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

/// A caller's 16-bit matrices beside the room in which they are floats. They are made so before a
/// solver runs, and its results are rounded behind it, by one kernel for all solvers and both
/// formats, so that a solver is compiled no more often and does the same arithmetic. An entry is
/// read once in 2 bytes, written and read again in 4, where a call for floats reads 4.
namespace carroll::detail {

/// Entries of a packed View that members own, without gaps.
struct NarrowPiece {
  std::int64_t first;
  std::int64_t count;
};
struct NarrowPieces {
  static constexpr std::int64_t everything = -1;
  NarrowPiece const* list = nullptr;
  std::int64_t count = everything;  ///< that of a uniform batch, which has no list
};

/// `Bits` is constant where matrices are read. If they are not narrow the caller has floats, or
/// does not want them, and there is nothing to convert.
template <class Bits>
struct NarrowMatrices {
  StridedBatch<Bits> narrow;
  StridedBatch<float> wide;
  NarrowFormat format = NarrowFormat::float16;
  NarrowPieces pieces;
  bool is_narrow = false;
};
using NarrowInput = NarrowMatrices<std::uint16_t const>;
using NarrowOutput = NarrowMatrices<std::uint16_t>;

/// How a View is bound as 16-bit numbers.
template <class T>
using NarrowBits = std::conditional_t<std::is_const_v<T>, std::uint16_t const, std::uint16_t>;

template <class T>
void set_narrow(NarrowMatrices<NarrowBits<T>>& into, StridedBatch<T> const& stored) {
  into.narrow = {reinterpret_cast<NarrowBits<T>*>(stored.data), stored.extents, stored.strides};
  into.format = narrow_format<std::remove_const_t<T>>;
  into.is_narrow = true;
}

/// What `bind(batch)` binds a View into: one of 16-bit numbers, or of floats.
template <class View, class Bits, class Bind>
void bind_narrow_as(NarrowMatrices<Bits>& into, Bind const& bind) {
  if constexpr (NarrowView<View>) {
    StridedBatch<typename View::value_type> stored;
    bind(stored);
    set_narrow(into, stored);
  } else {
    bind(into.wide);
  }
}

template <NarrowView View, std::size_t N>
void bind_narrow(Binder& bind, NarrowInput& into, char const* name, View const& view,
                 std::int64_t const (&required)[N]) {
  bind_narrow_as<typename View::const_type>(
      into, [&](auto& batch) { bind.input(batch, name, view, required); });
}
template <NarrowView View>
void bind_narrow_packed(Binder& bind, NarrowInput& into, char const* name, View const& view,
                        std::int64_t least) {
  bind_narrow_as<typename View::const_type>(
      into, [&](auto& batch) { bind.packed_input(batch, name, view, least); });
}

/// An output of 16 bits or of floats, or carroll::none.
template <class View, std::size_t N>
void bind_narrow(Binder& bind, NarrowOutput& into, char const* name, View const& view,
                 std::int64_t const (&required)[N]) {
  bind_narrow_as<View>(into, [&](auto& batch) { bind.output(batch, name, view, required); });
}
template <class View>
void bind_narrow_packed(Binder& bind, NarrowOutput& into, char const* name, View const& view,
                        std::int64_t least) {
  bind_narrow_as<View>(into, [&](auto& batch) { bind.packed_output(batch, name, view, least); });
}

/// An output that is carroll::none, of A's 16-bit type or of floats.
template <class View, class ExecSpace, int Rank, class T>
inline constexpr bool is_narrow_output = is_absent<View> ||
                                         ((is_output_of<View, ExecSpace, T> ||
                                           is_output_of<View, ExecSpace, float>)&&rank_of<View>() ==
                                          Rank);

/// The room of a call's matrices: each without gaps, rows and columns as the caller has them, and
/// of a ragged batch all as they are packed.
template <class Bits>
void place(NarrowMatrices<Bits>& matrices, float* room, NarrowPieces const& pieces = {}) {
  if (!matrices.is_narrow) return;
  auto const& [members, rows, cols] = matrices.narrow.extents;
  matrices.wide = {room, matrices.narrow.extents, {}};
  bool const by_columns = matrices.narrow.strides[1] <= matrices.narrow.strides[2];
  matrices.wide.strides = {rows * cols, by_columns ? 1 : cols, by_columns ? rows : 1};
  matrices.pieces = pieces;
}

/// Pieces have at most this many entries, which is what a thread of a host converts at a time.
inline constexpr std::int64_t narrow_piece_entries = 4096;

/// What the given (first, count) cover, each entry once.
inline std::vector<NarrowPiece> narrow_pieces(std::vector<NarrowPiece> owned) {
  std::ranges::sort(owned, {}, &NarrowPiece::first);
  std::vector<NarrowPiece> pieces;
  std::int64_t end = 0;
  for (NarrowPiece const& next : owned) {
    std::int64_t const last = next.first + next.count;
    for (std::int64_t first = std::max(end, next.first); first < last;) {
      bool const goes_on =
          !pieces.empty() && first == end && pieces.back().count < narrow_piece_entries;
      if (!goes_on) pieces.push_back({first, 0});
      std::int64_t const more = std::min(last - first, narrow_piece_entries - pieces.back().count);
      pieces.back().count += more;
      end = first += more;
    }
  }
  return pieces;
}

/// The floats of a caller's matrices into their room.
template <class ExecSpace>
void enqueue_widening(ExecSpace const& exec, NarrowInput const& matrices);
/// What a solver has left in the room, rounded into the caller's matrices.
template <class ExecSpace>
void enqueue_rounding(ExecSpace const& exec, NarrowOutput const& matrices);

}  // namespace carroll::detail

#ifndef CARROLL_COMPILED
#include <carroll/detail/narrow/convert.hpp>
#endif
