// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/host_batch/factor.hpp>
#include <carroll/detail/svd/host_batch/pack.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <type_traits>

/// Groups of matrices, one to a lane, and what a thread needs for one group.
namespace carroll::detail::simd {

/// Members that are worked on together.
template <int width>
struct Group {
  int members[width] = {};
  int count = 0;
  void add(int b) { members[count++] = b; }
  /// The member in a lane; lanes without one repeat the first.
  int operator[](int lane) const { return members[lane < count ? lane : 0]; }
};

/// Members that wait for double words.
template <int width>
struct Queue {
  int members[2 * width] = {};
  int count = 0;
  void add(int b) { members[count++] = b; }
  Group<width> take() {
    Group<width> group;
    while (group.count < width && count > 0) group.add(members[--count]);
    return group;
  }
};

/// Packs per number of the first factorisation.
template <class Real>
inline constexpr int first_words = std::is_same_v<Real, double> ? 2 : 1;

/// What a rows×cols problem's working set has.
template <class Real>
std::size_t packs_of(int rows, int cols) {
  constexpr int words = first_words<Real>;
  return static_cast<std::size_t>((words + 1) * rows * cols + 3 * cols * cols +
                                  (8 + 2 * words) * cols);
}

/// A group's problems and its working set.
template <class Real, class Pack>
struct Work {
  using Number = Real;
  using Ints = typename Pack::Ints;
  static constexpr int width = Pack::width;
  static constexpr int words = first_words<Real>;

  int m, n;
  /// Vectors of the most demanding lane. Turned lanes have left and right exchanged, so that
  /// lanes want different ones; each computes them all and writes its own.
  int left_cols, right_cols;
  SvdProblem<Real> problem[width];
  Pack* factor;
  PackColumns<Pack> basis;  ///< A itself, later U
  PackColumns<Pack> inner, X, J;
  Ints *exponents, *inner_exponents, *x_exponents, *permutation, *inner_permutation, *places;
  Pack *norms, *tau, *inner_tau, *sigma;

  template <class T>
  Factor<T> as() const {
    return {{reinterpret_cast<T*>(factor), m}, n,          exponents, reinterpret_cast<T*>(norms),
            reinterpret_cast<T*>(tau),         permutation};
  }
  Factor<Pack> inner_factor() const {
    return {inner, n, inner_exponents, norms, inner_tau, inner_permutation};
  }

  /// Its places in `room`, of packs_of(m, n) packs.
  void arrange(Pack* room) {
    auto const take = [&room](int count) {
      Pack* const taken = room;
      room += count;
      return taken;
    };
    auto const take_ints = [&] { return reinterpret_cast<Ints*>(take(n)); };
    factor = take(words * m * n);
    basis = {take(m * n), m};
    X = {take(n * n), n};
    J = {take(n * n), n};
    inner = {take(n * n), n};
    exponents = take_ints();
    inner_exponents = take_ints();
    x_exponents = take_ints();
    permutation = take_ints();
    inner_permutation = take_ints();
    places = take_ints();
    norms = take(words * n);
    tau = take(words * n);
    inner_tau = take(n);
    sigma = take(n);
  }
};

}  // namespace carroll::detail::simd
