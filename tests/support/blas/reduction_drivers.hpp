// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/asum.hpp>
#include <carroll/dot.hpp>
#include <carroll/max_abs.hpp>
#include <carroll/norm2.hpp>
#include <carroll/sum.hpp>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "reduction_instances.hpp"
#include "support/blas/mpfr_oracle.hpp"
#include "support/blas/placed_vectors.hpp"
#include "support/blas/slow_tree.hpp"
#include "support/blas/vectors.hpp"

namespace carroll::test {

using detail::RealOf;
using detail::Reduction;
using detail::ReductionValue;

inline constexpr Summation all_summations[] = {Summation::canonical, Summation::compensated,
                                               Summation::exact};
[[nodiscard]] constexpr char const* name_of(Summation summation) {
  constexpr char const* names[] = {"canonical", "compensated", "exact"};
  return names[static_cast<int>(summation)];
}
[[nodiscard]] constexpr char const* name_of(Reduction reduction) {
  constexpr char const* names[] = {"sum", "asum", "dot", "norm2", "max_abs"};
  return names[static_cast<int>(reduction)];
}
template <class T>
[[nodiscard]] constexpr char const* scalar_name_of() {
  constexpr bool single = sizeof(RealOf<T>) == 4;
  if constexpr (detail::is_complex<T>)
    return single ? "complex float" : "complex double";
  else
    return single ? "float" : "double";
}

template <Reduction R>
using Chosen = std::integral_constant<Reduction, R>;
/// f(Chosen<R>()) for all of them.
template <class F>
void for_each_reduction(F const& f) {
  f(Chosen<Reduction::sum>());
  f(Chosen<Reduction::asum>());
  f(Chosen<Reduction::dot>());
  f(Chosen<Reduction::norm2>());
  f(Chosen<Reduction::max_abs>());
}

// --- one name for all of them; y is for dot

template <Reduction R, class X, class Y>
auto reduced(Exec const& exec, X const& x, Y const& y, Summation summation, bool conjugate = true) {
  if constexpr (R == Reduction::sum)
    return carroll::sum(exec, x, {summation});
  else if constexpr (R == Reduction::asum)
    return carroll::asum(exec, x, {summation});
  else if constexpr (R == Reduction::dot)
    return carroll::dot(exec, x, y, {summation, conjugate});
  else if constexpr (R == Reduction::norm2)
    return carroll::norm2(exec, x, {summation});
  else
    return carroll::max_abs(exec, x, {summation});
}
template <Reduction R, class X, class Y, class T>
auto reduced(Exec const& exec, X const& x, Y const& y, ReductionWorkspace<Exec, T>& workspace,
             bool conjugate = true) {
  if constexpr (R == Reduction::sum)
    return carroll::sum(exec, x, workspace);
  else if constexpr (R == Reduction::asum)
    return carroll::asum(exec, x, workspace);
  else if constexpr (R == Reduction::dot)
    return carroll::dot(exec, x, y, workspace, conjugate);
  else if constexpr (R == Reduction::norm2)
    return carroll::norm2(exec, x, workspace);
  else
    return carroll::max_abs(exec, x, workspace);
}
template <Reduction R, class X, class Y, class Info, class T>
void reduced_async(Exec const& exec, X const& x, Y const& y, Info const& info,
                   ReductionWorkspace<Exec, T>& workspace, bool conjugate = true) {
  if constexpr (R == Reduction::sum)
    carroll::sum_async(exec, x, info, workspace);
  else if constexpr (R == Reduction::asum)
    carroll::asum_async(exec, x, info, workspace);
  else if constexpr (R == Reduction::dot)
    carroll::dot_async(exec, x, y, info, workspace, conjugate);
  else if constexpr (R == Reduction::norm2)
    carroll::norm2_async(exec, x, info, workspace);
  else
    carroll::max_abs_async(exec, x, info, workspace);
}

// --- infos

template <class V>
[[nodiscard]] std::vector<RealOf<V>> parts_of(V const& value) {
  if constexpr (detail::is_complex<V>)
    return {value.real(), value.imag()};
  else
    return {value};
}
template <class V>
[[nodiscard]] bool same_bits(ReductionInfo<V> const& a, ReductionInfo<V> const& b) {
  auto const as = parts_of(a.value), bs = parts_of(b.value);
  return a.status == b.status && std::memcmp(as.data(), bs.data(), sizeof(V)) == 0;
}
template <class V>
[[nodiscard]] std::string text_of(ReductionInfo<V> const& info) {
  std::string text(to_string(info.status));
  for (auto const x : parts_of(info.value)) {
    char number[40];
    std::snprintf(number, sizeof number, " %a", static_cast<double>(x));
    text += number;
  }
  return text;
}

// --- what they have to be

/// Parts of complex entries one behind the other, and back.
template <class T>
[[nodiscard]] std::vector<RealOf<T>> reals_of(std::vector<T> const& x) {
  std::vector<RealOf<T>> reals(x.size() * (sizeof(T) / sizeof(RealOf<T>)));
  for (std::size_t i = 0; i < x.size(); ++i)
    if constexpr (detail::is_complex<T>) {
      reals[2 * i] = x[i].real();
      reals[2 * i + 1] = x[i].imag();
    } else {
      reals[i] = x[i];
    }
  return reals;
}
template <class T>
[[nodiscard]] std::vector<T> entries_of(std::vector<RealOf<T>> const& reals) {
  if constexpr (detail::is_complex<T>) {
    std::vector<T> x;
    for (std::size_t i = 0; i + 1 < reals.size(); i += 2) x.emplace_back(reals[i], reals[i + 1]);
    return x;
  } else {
    return reals;
  }
}

/// A problem of one reduction on the host.
template <Reduction R, class T>
struct HostReduction {
  using Real = RealOf<T>;
  using Value = ReductionValue<R, T>;
  using Info = ReductionInfo<Value>;
  static constexpr int parts = detail::is_complex<T> ? 2 : 1;

  std::vector<Real> x, y;
  bool conjugate = true;

  HostReduction(std::vector<T> const& xs, std::vector<T> const& ys, bool conjugated = true)
      : x(reals_of(xs)), y(reals_of(ys)), conjugate(conjugated) {}

  /// Of the canonical tree.
  [[nodiscard]] Info by_tree(Summation summation) const {
    auto const slow = slow_tree<Real>({.reduction = static_cast<SlowReduction>(R),
                                       .compensated = summation == Summation::compensated,
                                       .conjugate = conjugate,
                                       .parts = parts,
                                       .x = x,
                                       .y = y});
    Status const status = slow.overflow ? Status::overflow
                          : slow.finite ? Status::success
                                        : Status::non_finite;
    return {status, value_of(slow.value[0], slow.value[1])};
  }

  /// Correctly rounded, by MPFR.
  [[nodiscard]] Info exact() const {
    if (R == Reduction::max_abs) return by_tree(Summation::canonical);
    Info info;
    bool finite = true;
    Real results[2] = {};
    for (int s = 0; s < int(sizeof(Value) / sizeof(Real)); ++s) {
      auto const all = terms(s);
      results[s] = R == Reduction::norm2 ? nearest_to_root<Real>(all) : nearest_to_sum<Real>(all);
      if (std::isnan(results[s])) results[s] = std::numeric_limits<Real>::quiet_NaN();
      for (ExactTerm const& term : all)
        finite = finite && std::isfinite(term.a) && std::isfinite(term.b);
      if (!std::isfinite(results[s])) info.status = Status::overflow;
    }
    if (!finite) info.status = Status::non_finite;
    info.value = value_of(results[0], results[1]);
    return info;
  }

  /// What is summed for a part of the value.
  [[nodiscard]] std::vector<ExactTerm> terms(int part) const {
    std::vector<ExactTerm> all;
    all.reserve(2 * x.size());
    std::size_t const n = x.size();
    if constexpr (R == Reduction::norm2) {
      for (Real const a : x) all.push_back({a, a});
    } else if constexpr (R == Reduction::asum) {
      for (Real const a : x) all.push_back({std::abs(a)});
    } else if constexpr (R == Reduction::dot && parts == 2) {
      for (std::size_t i = 0; i < n; i += 2) {
        double const re = x[i], im = conjugate ? -x[i + 1] : x[i + 1];
        if (part == 0) {
          all.push_back({re, y[i]});
          all.push_back({-im, y[i + 1]});
        } else {
          all.push_back({re, y[i + 1]});
          all.push_back({im, y[i]});
        }
      }
    } else if constexpr (R == Reduction::dot) {
      for (std::size_t i = 0; i < n; ++i) all.push_back({x[i], y[i]});
    } else {
      for (std::size_t i = static_cast<std::size_t>(part); i < n; i += parts) all.push_back({x[i]});
    }
    return all;
  }

 private:
  static Value value_of(Real re, [[maybe_unused]] Real im) {
    if constexpr (detail::is_complex<Value>)
      return Value(re, im);
    else
      return re;
  }
};

}  // namespace carroll::test
