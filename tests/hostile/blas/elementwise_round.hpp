// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/add.hpp>
#include <carroll/axpby.hpp>
#include <string>

#include "contract/new_instance.hpp"
#include "hostile/blas/product_checks.hpp"
#include "hostile/round.hpp"

namespace carroll::test {

/// Z := X + Y and Y := alpha·X + beta·Y by their formulas, bit by bit, also where arrays are the
/// same.
template <class T>
class ElementwiseRound {
  using Array = LaidArray<T>;
  using Strided = Kokkos::LayoutStride;

 public:
  ElementwiseRound(Round& round, bool adds)
      : round_(round), random_(round.random), draws_(random_), adds_(adds) {
    rank_ = 1 + random_.index(3);
    auto const drawn = hostile_extents<3>(random_, 200'000);
    for (int d = 3 - rank_; d < 3; ++d) extents_[size(d)] = drawn[size(d)];
    if (rank_ == 3 && random_.chance(0.5)) extents_[0] = std::min(extents_[0], 12);
    if (random_.chance(0.1)) extents_ = {1, 1, drawn[0] * drawn[1] * drawn[2]}, rank_ = 1;
    alpha_ = adds ? T(1) : draws_.scalar(), beta_ = adds ? T(1) : draws_.scalar();
    same_ = random_.chance(0.2) ? 1 + random_.index(3) : 0;
  }

  void run() {
    int const dense = random_.index(8);
    auto const lie = [&] {
      return dense == 0   ? Lie::right(random_.index(4))
             : dense == 1 ? Lie::left(random_.index(4))
                          : Lie::any(random_);
    };
    Lie const first = lie();
    bool const alike = random_.chance(0.4);
    Array X(extents_, first), Y(extents_, alike ? first : lie()),
        Z(extents_, alike ? first : lie());
    draws_.fill(X), draws_.fill(Y), draws_.fill(Z);
    if (alpha_ == T(0) && random_.chance(0.5)) draws_.fill_unread(X);
    if (beta_ == T(0) && random_.chance(0.5)) draws_.fill_unread(Y);
    name_ = ", X " + X.text() + ", Y " + Y.text() + (adds_ ? ", Z " + Z.text() : "");
    // Which array is what: same_ & 1 of X and the output, & 2 of Y and the output.
    Array& out = !adds_ ? Y : (same_ & 1) != 0 ? X : (same_ & 2) != 0 ? Y : Z;
    Array& left = !adds_ && same_ != 0 ? Y : X;
    Array& right = adds_ && same_ == 3 ? X : Y;
    Exec const exec = random_.chance(0.2) ? new_instance_of<Exec>() : Exec();
    switch (dense) {
      case 0: call<Kokkos::LayoutRight>(exec, left, right, out); break;
      case 1: call<Kokkos::LayoutLeft>(exec, left, right, out); break;
      default: call<Strided>(exec, left, right, out);
    }
    out.to_host();
    expect(out.rest_untouched(), "something beside the result was written");
    for (Array* const input : {&X, &Y, &Z})
      expect(input == &out || input->untouched(), "an input was written");
    check(left, right, out);
    round_.checked(1);
  }

 private:
  void expect(bool fine, std::string const& what) {
    if (fine) return;
    round_.wrong(std::string(scalar_name<T>) + (adds_ ? " add of rank " : " axpby of rank ") +
                 std::to_string(rank_) + ", " + std::to_string(extents_[0]) + "x" +
                 std::to_string(extents_[1]) + "x" + std::to_string(extents_[2]) + ", alpha " +
                 number_text(alpha_) + ", beta " + number_text(beta_) + ", same arrays " +
                 std::to_string(same_) + ", " + std::string(name_of(draws_.kind())) + name_ + ": " +
                 what);
  }

  template <class Layout>
  void call(Exec const& exec, Array const& X, Array const& Y, Array const& Z) {
    if (rank_ == 1)
      of_rank<Layout, 1>(exec, X, Y, Z);
    else if (rank_ == 2)
      of_rank<Layout, 2>(exec, X, Y, Z);
    else
      of_rank<Layout, 3>(exec, X, Y, Z);
  }
  template <class Layout, int Rank>
  void of_rank(Exec const& exec, Array const& X, Array const& Y, Array const& Z) {
    auto const x = X.template view<Layout, Rank>(), y = Y.template view<Layout, Rank>();
    bool const waits = random_.chance(0.5);
    if (adds_)
      waits ? add(exec, x, y, Z.template view<Layout, Rank>())
            : add_async(exec, x, y, Z.template view<Layout, Rank>());
    else
      waits ? axpby(exec, alpha_, x, beta_, y) : axpby_async(exec, alpha_, x, beta_, y);
    if (!waits) exec.fence("carroll_test::elementwise");
  }

  void check(Array const& X, Array const& Y, Array const& out) {
    bool fine = true;
    out.for_each([&](int b, int i, int j) {
      T const must =
          plain_combination(!(alpha_ == T(0)), alpha_, X.before(b, i, j), beta_, Y.before(b, i, j));
      if (!fine || same_bits(must, out(b, i, j))) return;
      fine = false;
      expect(false, "entry " + std::to_string(b) + "," + std::to_string(i) + "," +
                        std::to_string(j) + ": " + number_text(out(b, i, j)) + ", must be " +
                        number_text(must));
    });
  }

  Round& round_;
  Random& random_;
  ProductDraws<T> draws_;
  bool adds_;
  int rank_ = 3, same_ = 0;
  std::array<int, 3> extents_{1, 1, 1};
  T alpha_{}, beta_{};
  std::string name_;
};

}  // namespace carroll::test
