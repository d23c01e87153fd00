// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/read_only.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Entries of a vector as a warp reads them: lane l has entry l of each row, of float entries 2l
/// and 2l + 1. Where they stand side by side those are one load, and rows are at fixed distances.
template <class T>
class WarpVector {
 public:
  using Real = RealOf<T>;
  static constexpr int parts = is_complex<T> ? 2 : 1;
  static constexpr int entries = row_terms<T> / 32;
  static constexpr int numbers = entries * parts;

  KOKKOS_FUNCTION WarpVector(T const* data, std::ptrdiff_t stride) : data_(data), stride_(stride) {}

  /// Also at an even place, for float.
  KOKKOS_FUNCTION bool stands_side_by_side() const {
    return stride_ == 1 && reinterpret_cast<std::uintptr_t>(data_) % (numbers * sizeof(Real)) == 0;
  }
  /// Where the lane's numbers of a row are, if so.
  KOKKOS_FORCEINLINE_FUNCTION T const* at(std::int64_t first, int lane) const {
    return data_ + first + lane * entries;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void load(Real (&into)[numbers], T const* from) {
    read_together(into, reinterpret_cast<Real const*>(from));
  }
  /// The same of any vector; `otherwise` for entries past `end`.
  KOKKOS_FORCEINLINE_FUNCTION void load(Real (&into)[numbers], std::int64_t first, std::int64_t end,
                                        int lane, Real otherwise) const {
    CARROLL_UNROLL
    for (int e = 0; e < entries; ++e) {
      std::int64_t const i = first + lane * entries + e;
      Real const* const from = reinterpret_cast<Real const*>(data_ + i * stride_);
      CARROLL_UNROLL
      for (int p = 0; p < parts; ++p) into[e * parts + p] = i < end ? from[p] : otherwise;
    }
  }

 private:
  T const* data_;
  std::ptrdiff_t stride_;
};

/// A chunk's sum by a warp; all lanes have the result. The entries of as many rows as fit 32
/// registers are on their way together.
template <class Op>
class WarpChunk {
  using T = typename Op::T;
  using Real = typename Op::Real;
  using Vector = WarpVector<T>;
  using Lane = typename Op::template Lane<Real>;
  static constexpr int numbers = Vector::numbers;
  static constexpr int rows = chunk_terms / row_terms<T>;
  static constexpr int bytes_of_row = numbers * int(sizeof(Real)) * (Op::two_vectors ? 2 : 1);
  static constexpr int at_once = 128 / bytes_of_row < rows ? 128 / bytes_of_row : rows;

 public:
  using Partial = typename Op::Partial;

  /// Of entries begin, …, below end, up to 1024 of them.
  KOKKOS_FUNCTION static Partial sum(DeviceWarp const& warp, Vector const& x, Vector const& y,
                                     std::int64_t begin, std::int64_t end) {
    bool const plain = end - begin >= chunk_terms && x.stands_side_by_side() &&
                       (!Op::two_vectors || y.stands_side_by_side());
    Partial result =
        plain ? sum_of<true>(warp, x, y, begin, end) : sum_of<false>(warp, x, y, begin, end);
    if constexpr (Op::squares)
      if (Op::needs_scaling(result)) result = scaled_sum(warp, x, begin, end);
    return result;
  }

 private:
  /// `Plain`: of a whole chunk, entries side by side.
  template <bool Plain>
  KOKKOS_FORCEINLINE_FUNCTION static Partial sum_of(DeviceWarp const& warp, Vector const& x,
                                                    Vector const& y, std::int64_t begin,
                                                    std::int64_t end) {
    Lane lanes[numbers];
    T const* from = x.at(begin, warp.lane);
    T const* other = Op::two_vectors ? y.at(begin, warp.lane) : nullptr;
    CARROLL_NO_UNROLL
    for (int r = 0; r < rows; r += at_once) {
      if (!Plain && begin + r * row_terms<T> >= end) break;
      Real a[at_once][numbers], b[Op::two_vectors ? at_once : 1][numbers];
      CARROLL_UNROLL
      for (int k = 0; k < at_once; ++k) {
        if constexpr (Plain) {
          Vector::load(a[k], from + k * row_terms<T>);
          if constexpr (Op::two_vectors) Vector::load(b[k], other + k * row_terms<T>);
        } else {
          std::int64_t const first = begin + (r + k) * row_terms<T>;
          x.load(a[k], first, end, warp.lane, Real(-0.0));
          if constexpr (Op::two_vectors) y.load(b[k], first, end, warp.lane, Real(0));
        }
      }
      from += at_once * row_terms<T>;
      if constexpr (Op::two_vectors) other += at_once * row_terms<T>;
      CARROLL_UNROLL
      for (int k = 0; k < at_once; ++k) add_row(lanes, a[k], b[Op::two_vectors ? k : 0]);
    }
    return halved(warp, lanes);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add_row(Lane (&lanes)[numbers], Real const (&a)[numbers],
                                                  [[maybe_unused]] Real const (&b)[numbers]) {
    CARROLL_UNROLL
    for (int c = 0; c < numbers; ++c) {
      if constexpr (Op::two_vectors)
        lanes[c].add(a[c], b[c], b[Vector::parts == 2 ? 1 - c : c]);
      else
        lanes[c].add(a[c]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static Partial halved(DeviceWarp const& warp,
                                                    Lane (&lanes)[numbers]) {
    butterfly_down<16>([&](int step) {
      CARROLL_UNROLL
      for (int c = 0; c < numbers; ++c)
        lanes[c].join(lanes[c].each([&](Real x) { return warp.across(x, step); }));
    });
    if constexpr (numbers > Op::kept) lanes[0].join(lanes[1]);
    Lane kept[Op::kept];
    for (int k = 0; k < Op::kept; ++k) kept[k] = lanes[k];
    return Op::partial(kept);
  }

  /// Squares of entries that are at most 1, where those of the entries left the range.
  KOKKOS_FUNCTION static Partial scaled_sum(DeviceWarp const& warp, Vector const& x,
                                            std::int64_t begin, std::int64_t end) {
    auto const for_each_row = [&](auto const& f) {
      for (std::int64_t first = begin; first < end; first += row_terms<T>) {
        Real a[numbers];
        x.load(a, first, end, warp.lane, Real(-0.0));
        for (int c = 0; c < numbers; ++c) f(c, a[c]);
      }
    };
    Real largest = 0;
    for_each_row([&](int, Real a) { largest = larger_size(largest, a); });
    largest = lanes_join(warp, largest, [](Real a, Real b) { return larger_size(a, b); });
    Partial result{};
    if (largest == 0) return result;
    if (!(largest - largest == Real(0))) {
      result.sum.add(largest);
      return result;
    }
    int const exponent = exponent_of(largest);
    Lane lanes[numbers];
    for_each_row([&](int c, Real a) { lanes[c].add(scale(a, -exponent)); });
    result = halved(warp, lanes);
    result.exponent = exponent;
    return result;
  }
};

}  // namespace carroll::detail
