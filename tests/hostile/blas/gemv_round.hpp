// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/dot.hpp>
#include <carroll/gemv.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "contract/new_instance.hpp"
#include "gemv_instances.hpp"
#include "hostile/blas/product_checks.hpp"
#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "reduction_instances.hpp"

namespace carroll::test {

/// y := alpha·op(A)·x + beta·y: the bits of dot, alone, in batches, wherever all lies.
template <class T>
class GemvRound {
  using Array = LaidArray<T>;
  using Strided = Kokkos::LayoutStride;
  using Left = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;

 public:
  explicit GemvRound(Round& round)
      : round_(round), random_(round.random), draws_(random_), op_(any_op(random_)) {
    auto const [rows, terms] =
        hostile_extents<2>(random_, random_.chance(0.02) ? 2'000'000 : 200'000);
    m_ = rows, n_ = terms;
    draws_.set_terms(n_);
    count_ = hostile_batch(random_, std::int64_t{m_} * n_);
    shared_ = random_.chance(0.25);
    alpha_ = draws_.scalar(), beta_ = draws_.scalar();
    if (random_.chance(0.2)) alpha_ = T(1), beta_ = T(0);
  }

  void run() {
    auto const dense = random_.index(8);  // Views of LayoutRight or LayoutLeft
    auto lie = [&] {
      return dense == 0   ? Lie::right(random_.index(4))
             : dense == 1 ? Lie::left(random_.index(4))
                          : Lie::any(random_);
    };
    bool const turned = op_ != MatrixOp::identity;
    Lie of_a = lie();
    of_a.repeated = dense > 1 && random_.chance(0.05);
    Array A({shared_ ? 1 : count_, turned ? n_ : m_, turned ? m_ : n_}, of_a);
    // Of LayoutLeft the members are side by side.
    Array x({1, count_, n_}, lie()), y({1, count_, m_}, lie());
    draws_.fill(A), draws_.fill(x), draws_.fill(y);
    bool const reads = reads_factors();
    if (!reads && random_.chance(0.5)) draws_.fill_unread(A), draws_.fill_unread(x);
    if (beta_ == T(0) && random_.chance(0.6)) draws_.fill_unread(y);
    name_ += ", A " + A.text() + ", x " + x.text() + ", y " + y.text();
    Array const initial = y;
    Exec const exec;
    GemvInfo const info = dense == 0   ? call<Right>(exec, A, x, y)
                          : dense == 1 ? call<Left>(exec, A, x, y)
                                       : call<Strided>(exec, A, x, y);
    y.to_host();
    expect(info.status == Status::success && info.kernel != GemvKernel::automatic, "info");
    expect(y.rest_untouched(), "something beside y was written");
    expect(A.untouched() && x.untouched(), "A or x was written");
    against_dot(A, x, y);
    against_oracle(A, x, y);
    alone(A, x, y, initial);
    if (random_.chance(0.4)) elsewhere(A, x, y, initial);
    round_.checked(count_);
  }

 private:
  [[nodiscard]] bool reads_factors() const { return !(alpha_ == T(0)) && n_ > 0; }
  [[nodiscard]] std::string name() const {
    return std::string(scalar_name<T>) + " gemv " + std::string(name_of(op_)) + " " +
           std::to_string(m_) + "x" + std::to_string(n_) + ", " + std::to_string(count_) +
           (shared_ ? " members of one A" : " members") + ", alpha " + number_text(alpha_) +
           ", beta " + number_text(beta_) + ", " + std::string(name_of(draws_.kind())) + name_;
  }
  void expect(bool fine, std::string const& what) {
    if (!fine) round_.wrong(name() + ": " + what);
  }

  template <class Layout>
  GemvInfo call(Exec const& exec, Array const& A, Array const& x, Array const& y) {
    auto const vectors = x.template view<Layout, 2>(), results = y.template view<Layout, 2>();
    if (shared_) return call(exec, A.template view<Layout, 2>(), vectors, results, count_);
    return call(exec, A.template view<Layout, 3>(), vectors, results, count_);
  }
  /// Without a workspace, with one, or enqueued.
  template <class AView, class XView, class YView>
  GemvInfo call(Exec const& exec, AView const& A, XView const& x, YView const& y, int members) {
    int const way = random_.index(3);
    if (way == 0) return gemv(exec, alpha_, A, x, beta_, y, {op_});
    auto const workspace = gemv_workspace<T>(exec, {m_, n_, members}, {op_});
    if (way == 1) return gemv(exec, alpha_, A, x, beta_, y, workspace);
    GemvInfo const info = gemv_async(exec, alpha_, A, x, beta_, y, workspace);
    exec.fence("carroll_test::gemv");
    return info;
  }

  /// The sums of all rows of a member are inner products.
  void against_dot(Array const& A, Array const& x, Array const& y) {
    for (int b = 0; b < count_; ++b) {
      std::vector<T> sums(size(m_), T(0));
      if (reads_factors() && m_ > 0) {
        auto const matrix = A.template view<Strided, 2>(A.extent(0) == 1 ? 0 : b);
        auto const vector = x.template view<Strided, 1>(b);
        int const row = op_ == MatrixOp::identity ? 0 : 1;
        using Rows = typename Array::template View<Strided, 2>;
        Rows const rows(matrix.data(),
                        Strided(size(m_), matrix.stride(row), size(n_), matrix.stride(1 - row)));
        Rows const same(vector.data(), Strided(size(m_), 0, size(n_), vector.stride(0)));
        auto const infos =
            dot(Exec(), rows, same, {.conjugate = op_ == MatrixOp::conjugate_transpose});
        for (std::size_t i = 0; i < size(m_); ++i) sums[i] = infos[i].value;
      }
      for (int i = 0; i < m_; ++i) {
        T const must =
            plain_combination(reads_factors(), alpha_, sums[size(i)], beta_, y.before(0, b, i));
        if (same_bits(must, y(0, b, i))) continue;
        return expect(false, place(b, i) + number_text(y(0, b, i)) + ", with dot " +
                                 number_text(must) + ", before " + number_text(y.before(0, b, i)));
      }
    }
  }

  void against_oracle(Array const& A, Array const& x, Array const& y) {
    auto const terms = static_cast<long double>(n_);
    long double const factor = std::min(terms, 47 + std::log2(std::max(terms / 1024, 1.0L)));
    auto const texts = complaints_of(size(count_), [&](std::size_t member) {
      int const b = static_cast<int>(member);
      for (int i = 0; i < m_; ++i) {
        LongSum<T> sum;
        for (int j = 0; reads_factors() && j < n_; ++j)
          sum.add(entry_of(A, op_, b, i, j), op_ == MatrixOp::conjugate_transpose, x(0, b, j),
                  false);
        sum.finish(alpha_, beta_, y.before(0, b, i));
        std::string const text = sum.complaint(y(0, b, i), draws_.is_exact(), factor);
        if (!text.empty()) return place(b, i) + text;
      }
      return std::string();
    });
    for (auto const& text : texts) expect(text.empty(), text);
  }

  /// Each member by itself; on hosts maybe by one thread.
  void alone(Array const& A, Array const& x, Array const& y, Array const& initial) {
    Array other = initial.copy();
    Exec const exec = random_.chance(0.3) ? new_instance_of<Exec>() : Exec();
    for (int b = 0; b < count_; ++b)
      call(exec, A.template view<Strided, 2>(A.extent(0) == 1 ? 0 : b),
           x.template view<Strided, 1>(b), other.template view<Strided, 1>(b), 1);
    compare(y, other, "alone");
  }

  /// The batch with all in other places.
  void elsewhere(Array const& A, Array const& x, Array const& y, Array const& initial) {
    Array other = initial.moved(Lie::any(random_));
    call<Strided>(new_instance_of<Exec>(), A.moved(Lie::any(random_)), x.moved(Lie::any(random_)),
                  other);
    compare(y, other, "elsewhere, y " + other.text());
  }

  void compare(Array const& y, Array& other, std::string const& way) {
    other.to_host();
    expect(other.rest_untouched(), way + ": something beside y was written");
    for (int b = 0; b < count_; ++b)
      for (int i = 0; i < m_; ++i)
        if (!same_bits(other(0, b, i), y(0, b, i)))
          return expect(false, place(b, i) + number_text(y(0, b, i)) + ", " + way + " " +
                                   number_text(other(0, b, i)));
  }
  static std::string place(int b, int i) {
    return "member " + std::to_string(b) + ", row " + std::to_string(i) + ": ";
  }

  Round& round_;
  Random& random_;
  ProductDraws<T> draws_;
  MatrixOp op_;
  int m_ = 0, n_ = 0, count_ = 1;
  bool shared_ = false;
  T alpha_{}, beta_{};
  std::string name_;
};

}  // namespace carroll::test
