// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// A vector register of a host: `Bytes / sizeof(Real)` numbers side by side, as the compiler has
/// them. See simd/pack.hpp for numbers of one's own.
template <class Real, int Bytes>
struct HostVector {
  static constexpr int width = Bytes / int(sizeof(Real));
  using Int = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  // g++ aligns a vector as the oldest processor does that it is told to compile for, and a function
  // for a newer one trusts in that one's alignment.
  typedef Real Type __attribute__((vector_size(Bytes), aligned(Bytes)));
  typedef Int Ints __attribute__((vector_size(Bytes), aligned(Bytes)));
  static_assert(alignof(Type) == Bytes && alignof(Ints) == Bytes);
  /// The same in memory, aligned as single numbers are.
  typedef Real Loose __attribute__((vector_size(Bytes), aligned(sizeof(Real)), may_alias));

  static Type& at(Real* p) { return *reinterpret_cast<Type*>(p); }
  static Type const& at(Real const* p) { return *reinterpret_cast<Type const*>(p); }
  static Loose& loose(Real* p) { return *reinterpret_cast<Loose*>(p); }
  static Loose const& loose(Real const* p) { return *reinterpret_cast<Loose const*>(p); }
};

}  // namespace carroll::detail
