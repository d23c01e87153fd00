// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/elementwise/problem.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/rounding.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace carroll::detail {

/// Entries of a host's arrays, a thread for each piece of a row, in vector registers. Where they
/// are not side by side, some are copied, combined, and copied back.
template <class ExecSpace, class T>
class HostElementwiseKernel {
  using Real = RealOf<T>;
  static constexpr int parts = is_complex<T> ? 2 : 1;
  static constexpr int buffered = 512;

 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  /// 64 KiB of z.
  static constexpr std::int64_t of_piece = 64 * 1024 / sizeof(T);

  explicit HostElementwiseKernel(Elementwise<T> const& problem)
      : problem_(problem),
        pieces_(quotient_up(problem.extents[0], of_piece)),
        rows_(std::max<std::int64_t>(of_piece / std::max<std::int64_t>(problem.extents[0], 1), 1)) {
  }

  [[nodiscard]] std::int64_t tasks() const { return pieces_ * quotient_up(problem_.rows(), rows_); }

  KOKKOS_FUNCTION void operator()(std::int64_t task) const {
    KOKKOS_IF_ON_HOST((choose_host_vectors(Body{*this, task});))
    KOKKOS_IF_ON_DEVICE((static_cast<void>(task);))
  }

 private:
  struct Body {
    HostElementwiseKernel const& kernel;
    std::int64_t task;
    template <int Bytes>
    void run() const {
      by_itself<Bytes>([this] { kernel.template piece<Bytes>(task); });
    }
  };

  template <int Bytes>
  void piece(std::int64_t task) const {
    std::int64_t const first = task % pieces_ * of_piece, begin = task / pieces_ * rows_;
    std::int64_t const count = std::min<std::int64_t>(of_piece, problem_.extents[0] - first);
    for (std::int64_t row = begin; row < std::min(begin + rows_, problem_.rows()); ++row) {
      auto const at = [&](std::ptrdiff_t const(&strides)[3]) {
        return first * strides[0] + row % problem_.extents[1] * strides[1] +
               row / problem_.extents[1] * strides[2];
      };
      T const* const x = problem_.reads_x() ? problem_.x + at(problem_.x_strides) : nullptr;
      T const* const y = problem_.reads_y() ? problem_.y + at(problem_.y_strides) : nullptr;
      T* const z = problem_.z + at(problem_.z_strides);
      if ((!x || problem_.x_strides[0] == 1) && (!y || problem_.y_strides[0] == 1) &&
          problem_.z_strides[0] == 1)
        side_by_side<Bytes>(reals(x), reals(y), reals(z), count * parts);
      else
        apart<Bytes>(x, y, z, count);
    }
  }

  static Real const* reals(T const* x) { return reinterpret_cast<Real const*>(x); }
  static Real* reals(T* x) { return reinterpret_cast<Real*>(x); }

  template <int Bytes>
  void apart(T const* x, T const* y, T* z, std::int64_t count) const {
    alignas(64) Real xs[buffered * parts], ys[buffered * parts], zs[buffered * parts];
    for (std::int64_t first = 0; first < count; first += buffered) {
      int const some = static_cast<int>(std::min<std::int64_t>(buffered, count - first));
      gather(xs, x, problem_.x_strides[0], first, some);
      gather(ys, y, problem_.y_strides[0], first, some);
      side_by_side<Bytes>(x ? xs : nullptr, y ? ys : nullptr, zs, some * parts);
      for (int i = 0; i < some; ++i) {
        Real* const to = reals(z + (first + i) * problem_.z_strides[0]);
        for (int p = 0; p < parts; ++p) to[p] = zs[i * parts + p];
      }
    }
  }
  static void gather(Real* into, T const* from, std::ptrdiff_t stride, std::int64_t first,
                     int count) {
    if (!from) return;
    for (int i = 0; i < count; ++i) {
      Real const* const entry = reals(from + (first + i) * stride);
      for (int p = 0; p < parts; ++p) into[i * parts + p] = entry[p];
    }
  }

  /// `count` numbers, parts of complex ones each; x or y null where it is not read.
  template <int Bytes>
  void side_by_side(Real const* x, Real const* y, Real* z, std::int64_t count) const {
    using P = Pack<Real, Bytes>;
    Multiple<Bytes> const of_x(problem_.alpha), of_y(problem_.beta);
    if (x && y)
      for_packs<P>(z, count, [&](std::int64_t i, auto const& load) {
        return of_x(load(x, i)) + of_y(load(y, i));
      });
    else if (x)
      for_packs<P>(z, count,
                   [&](std::int64_t i, auto const& load) { return of_x(load(x, i)) + P(Real(0)); });
    else if (y)
      for_packs<P>(z, count, [&](std::int64_t i, auto const& load) { return of_y(load(y, i)); });
    else
      std::fill_n(z, count, Real(0));
  }

  /// z := f of whole packs, and of the rest, which is copied.
  template <class P, class F>
  static void for_packs(Real* z, std::int64_t count, F const& f) {
    auto const load = [](Real const* from, std::int64_t i) { return P::load(from + i); };
    P const nan(Kokkos::Experimental::quiet_NaN_v<Real>);
    auto const checked = [&](P const& value) { return select(value <= value, value, nan); };
    std::int64_t i = 0;
    for (; i + P::width <= count; i += P::width) store(z + i, checked(f(i, load)));
    if (i == count) return;
    int const rest = static_cast<int>(count - i);
    auto const load_rest = [rest](Real const* from, std::int64_t at) {
      P x(Real(0));
      for (int l = 0; l < rest; ++l) x.set(l, from[at + l]);
      return x;
    };
    P const last = checked(f(i, load_rest));
    for (int l = 0; l < rest; ++l) z[i + l] = last[l];
  }

  /// rounded_multiple() of packs, in which parts of complex numbers alternate.
  template <int Bytes>
  struct Multiple {
    using P = Pack<Real, Bytes>;
    bool is_one;
    P same, crossed;

    explicit Multiple(T const& factor) : is_one(factor == T(1)), same(Real(0)), crossed(Real(0)) {
      if constexpr (is_complex<T>) {
        same = P(factor.real());
        for (int l = 0; l < P::width; ++l)
          crossed.set(l, l % 2 == 0 ? -factor.imag() : factor.imag());
      } else {
        same = P(factor);
      }
    }
    P operator()(P const& x) const {
      if (is_one) return x;
      if constexpr (is_complex<T>)
        return rounded_product(same, x) + rounded_product(crossed, exchanged(x));
      else
        return rounded_product(same, x);
    }
    static P exchanged(P const& x) {
      return by_lanes(x, std::make_integer_sequence<int, P::width>());
    }
    template <int... Lanes>
    static P by_lanes(P const& x, std::integer_sequence<int, Lanes...>) {
      return shuffled<(Lanes ^ 1)...>(x, x);
    }
  };

  Elementwise<T> problem_;
  std::int64_t pieces_, rows_;
};

}  // namespace carroll::detail
