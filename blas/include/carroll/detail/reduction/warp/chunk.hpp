// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Entries of a vector as a warp reads them: lane l has entry l of each row, of float entries 2l
/// and 2l + 1, which are one load where they stand side by side at an even place.
template <class T>
struct WarpVector {
  static constexpr int entries = row_terms<T> / 32;
  static constexpr int parts = is_complex<T> ? 2 : 1;
  static constexpr int numbers = entries * parts;
  T const* data;
  std::ptrdiff_t stride;

  /// Are pairs one load?
  KOKKOS_FUNCTION bool has_pairs() const {
    return entries == 1 || (stride == 1 && reinterpret_cast<std::uintptr_t>(data) % 8 == 0);
  }

  /// The lane's numbers of a row that begins at `first`; -0 for those past `end`, `otherwise`.
  template <bool Whole, bool Pairs>
  KOKKOS_FORCEINLINE_FUNCTION void load(RealOf<T> (&into)[numbers], std::int64_t first,
                                        std::int64_t end, int lane, RealOf<T> otherwise) const {
    if constexpr (Whole && Pairs && entries == 2) {
      struct alignas(8) Pair {
        T of[2];
      };
      Pair const pair = reinterpret_cast<Pair const*>(data + first)[lane];
      into[0] = pair.of[0];
      into[1] = pair.of[1];
    } else {
      CARROLL_UNROLL
      for (int e = 0; e < entries; ++e) {
        std::int64_t const i = first + lane * entries + e;
        bool const there = Whole || i < end;
        if constexpr (parts == 2) {
          T const x = there ? data[i * stride] : T(otherwise, otherwise);
          into[0] = x.real();
          into[1] = x.imag();
        } else {
          into[e] = there ? data[i * stride] : otherwise;
        }
      }
    }
  }
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
    Partial result;
    if (end - begin >= chunk_terms && x.has_pairs() && (!Op::two_vectors || y.has_pairs()))
      result = sum_of<true, true>(warp, x, y, begin, end);
    else if (end - begin >= chunk_terms)
      result = sum_of<true, false>(warp, x, y, begin, end);
    else
      result = sum_of<false, false>(warp, x, y, begin, end);
    if constexpr (Op::squares)
      if (Op::needs_scaling(result)) result = scaled_sum(warp, x, begin, end);
    return result;
  }

 private:
  template <bool Whole, bool Pairs>
  KOKKOS_FORCEINLINE_FUNCTION static Partial sum_of(DeviceWarp const& warp, Vector const& x,
                                                    Vector const& y, std::int64_t begin,
                                                    std::int64_t end) {
    Lane lanes[numbers];
    for (int r = 0; r < rows; r += at_once) {
      if (!Whole && begin + r * row_terms<T> >= end) break;
      Real a[at_once][numbers], b[Op::two_vectors ? at_once : 1][numbers];
      CARROLL_UNROLL
      for (int k = 0; k < at_once; ++k) {
        std::int64_t const first = begin + (r + k) * row_terms<T>;
        x.template load<Whole, Pairs>(a[k], first, end, warp.lane, Real(-0.0));
        if constexpr (Op::two_vectors)
          y.template load<Whole, Pairs>(b[k], first, end, warp.lane, Real(0));
      }
      CARROLL_UNROLL
      for (int k = 0; k < at_once; ++k) CARROLL_UNROLL
      for (int c = 0; c < numbers; ++c) {
        if constexpr (Op::two_vectors)
          lanes[c].add(a[k][c], b[k][c], b[k][Vector::parts == 2 ? 1 - c : c]);
        else
          lanes[c].add(a[k][c]);
      }
    }
    return halved(warp, lanes);
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
        x.template load<false, false>(a, first, end, warp.lane, Real(-0.0));
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
