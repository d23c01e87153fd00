// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/closed_form/kernel.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/vectors.hpp>

namespace carroll::detail {

/// TripleSum of several matrices, one per lane. Products are split with Dekker's method, whose
/// parts are products that fit: a fused multiply-add is not there on every processor.
template <int Bytes>
struct HostTripleSum {
  using V = HostVector<double, Bytes>;
  using Vector = typename V::Type;

  Vector high{}, low{}, size{};

  /// Adds x·y·z.
  void add(Vector const& x, Vector const& y, Vector const& z) {
    Vector p, e, q, f;
    product(x, y, p, e);
    product(p, z, q, f);
    f += e * z;
    Vector const s = high + q;
    Vector const part = s - high;
    low += (high - (s - part)) + (q - part) + f;
    high = s;
    size += q < Vector{} ? -q : q;
  }
  /// As TripleSum::is_accurate.
  void round(Vector& value, typename V::Ints& accurate) const {
    value = high + low;
    Vector const magnitude = value < Vector{} ? -value : value;
    accurate = magnitude > 0x1p-40 * size;
  }

 private:
  static void split(Vector const& x, Vector& upper, Vector& lower) {
    auto const bits = reinterpret_cast<typename V::Ints>(x) & ~((std::int64_t{1} << 27) - 1);
    upper = reinterpret_cast<Vector>(bits);
    lower = x - upper;
  }
  /// x·y = p + e, to 2^-106·|x·y|.
  static void product(Vector const& x, Vector const& y, Vector& p, Vector& e) {
    Vector x1, x2, y1, y2;
    split(x, x1, x2);
    split(y, y1, y2);
    p = x * y;
    e = ((x1 * y1 - p) + (x1 * y2 + x2 * y1)) + x2 * y2;
  }
};

/// DeterminantClosedKernel for hosts: several matrices at a time, one per lane. Those whose entries
/// are very large, very small or not finite, and those whose terms cancel, are left to it.
template <class ExecSpace, class T>
class HostClosedKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  static constexpr int share = 256;

  explicit HostClosedKernel(DeterminantBatch<T> const& batch) : batch_(batch), one_(batch) {}
  [[nodiscard]] int items() const { return (batch_.members + share - 1) / share; }
  void operator()(int item) const { with_host_vectors(Body{*this, item}); }

 private:
  struct Body {
    HostClosedKernel const& kernel;
    int item;
    template <int Bytes>
    void run() const {
      constexpr int width = HostVector<double, Bytes>::width;
      int const end = Kokkos::min((item + 1) * share, kernel.batch_.members);
      for (int b = item * share; b < end; b += width) {
        int const count = Kokkos::min(int{width}, end - b);
        switch (kernel.batch_.n) {
          case 1: kernel.template group<Bytes, 1>(b, count); break;
          case 2: kernel.template group<Bytes, 2>(b, count); break;
          default: kernel.template group<Bytes, 3>(b, count);
        }
      }
    }
  };

  template <int Bytes, int N>
  void group(int first, int count) const {
    using V = HostVector<double, Bytes>;
    using Vector = typename V::Type;
    constexpr int width = V::width;
    alignas(Bytes) double entries[N * N][width];
    for (int l = 0; l < width; ++l) {
      auto const A = batch_.source_of(first + Kokkos::min(l, count - 1));
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) entries[N * i + j][l] = static_cast<double>(A(i, j));
    }
    Vector a[9];  // completed by the identity
    typename V::Ints usual = typename V::Ints{} - 1;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        Vector& x = a[3 * i + j];
        x = i == j ? Vector{} + 1 : Vector{};
        if (i >= N || j >= N) continue;
        x = V::at(entries[N * i + j]);
        Vector const size = x < Vector{} ? -x : x;
        usual &= ((size > 0x1p-300) & (size < 0x1p300)) | (size == Vector{});
      }
    HostTripleSum<Bytes> sum;
    for (int j = 0; j < (N < 3 ? 1 : 3); ++j) {
      int const k = (j + 1) % 3, l = (j + 2) % 3;
      sum.add(a[j], a[3 + k], a[6 + l]);
      sum.add(-a[k], a[3 + j], a[6 + l]);
    }
    Vector value;
    typename V::Ints accurate;
    sum.round(value, accurate);
    usual &= accurate;
    for (int l = 0; l < count; ++l) {
      if (!usual[l]) {
        one_(first + l);
        continue;
      }
      DeterminantInfo<T> info;
      info.value = rounded(value[l]);
      batch_.info_of(first + l) = info;
    }
  }

  static ScaledNumber<T> rounded(double value) {
    ScaledNumber<double> const wide(value);
    if constexpr (sizeof(T) == sizeof(double))
      return wide;
    else
      return ScaledNumber<T>(static_cast<T>(wide.mantissa()), wide.exponent());
  }

  DeterminantBatch<T> batch_;
  DeterminantClosedKernel<ExecSpace, T> one_;
};

}  // namespace carroll::detail
