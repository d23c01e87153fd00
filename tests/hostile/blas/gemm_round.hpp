// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/gemm.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "contract/new_instance.hpp"
#include "gemm_instances.hpp"
#include "hostile/blas/product_checks.hpp"
#include "hostile/members.hpp"
#include "hostile/round.hpp"

namespace carroll::test {

/// C := alpha·op(A)·op(B) + beta·C by every method: the same bits alone, in batches, and wherever
/// all lies.
template <class T>
class GemmRound {
  using Array = LaidArray<T>;
  using Strided = Kokkos::LayoutStride;
  using Left = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;

 public:
  GemmRound(Round& round, GemmMethod method)
      : round_(round), random_(round.random), draws_(random_) {
    auto const [rows, cols, terms] =
        hostile_extents<3>(random_, random_.chance(0.02) ? 2'000'000 : 200'000);
    m_ = rows, n_ = cols, k_ = terms;
    draws_.set_terms(k_);
    // cuBLAS multiplies alpha into a factor of short sums: that overflows, or has few digits left,
    // where alpha times the sum would not.
    if (method == GemmMethod::vendor) draws_.keep_in_range();
    count_ = hostile_batch(random_, std::int64_t{m_} * n_ * std::max(k_, 1));
    shared_a_ = random_.chance(0.2), shared_b_ = random_.chance(0.2);
    alpha_ = draws_.scalar(), beta_ = draws_.scalar();
    options_ = {.op_a = any_op(random_), .op_b = any_op(random_), .method = method};
  }

  void run() {
    int const dense = random_.index(8);  // Views of LayoutRight or LayoutLeft
    auto lie = [&] {
      return dense == 0   ? Lie::right(random_.index(4))
             : dense == 1 ? Lie::left(random_.index(4))
                          : Lie::any(random_);
    };
    auto operand = [&](bool shared, MatrixOp op, int rows, int cols) {
      Lie of = lie();
      of.repeated = dense > 1 && random_.chance(0.05);
      if (op != MatrixOp::identity) std::swap(rows, cols);
      return Array({shared ? 1 : count_, rows, cols}, of);
    };
    Array A = operand(shared_a_, options_.op_a, m_, k_);
    Array B = operand(shared_b_, options_.op_b, k_, n_);
    Array C({count_, m_, n_}, lie());
    draws_.fill(A), draws_.fill(B), draws_.fill(C);
    if (!reads_factors() && random_.chance(0.5)) draws_.fill_unread(A), draws_.fill_unread(B);
    if (beta_ == T(0) && random_.chance(0.6)) draws_.fill_unread(C);
    name_ = ", A " + A.text() + ", B " + B.text() + ", C " + C.text();
    Array const initial = C;
    Exec const exec;
    try {
      GemmInfo const info = dense == 0   ? call<Right>(exec, A, B, C)
                            : dense == 1 ? call<Left>(exec, A, B, C)
                                         : call<Strided>(exec, A, B, C);
      expect(info.status == Status::success && info.method != GemmMethod::automatic, "info");
    } catch (std::invalid_argument const&) {
      if (options_.method == GemmMethod::vendor) return;  // cannot take how they lie
      throw;
    }
    C.to_host();
    expect(C.rest_untouched(), "something beside C was written");
    expect(A.untouched() && B.untouched(), "A or B was written");
    against_oracle(A, B, C);
    if (options_.method != GemmMethod::vendor) {  // which promises no bits
      alone(A, B, C, initial);
      if (random_.chance(0.4)) elsewhere(A, B, C, initial);
    }
    round_.checked(count_);
  }

 private:
  [[nodiscard]] bool reads_factors() const { return !(alpha_ == T(0)) && k_ > 0; }
  [[nodiscard]] std::string name() const {
    return std::string(scalar_name<T>) + " gemm " + std::string(name_of(options_.op_a)) +
           std::string(name_of(options_.op_b)) + " " + std::string(to_string(options_.method)) +
           " " + std::to_string(m_) + "x" + std::to_string(n_) + ", " + std::to_string(k_) +
           " terms, " + std::to_string(count_) + " members" + (shared_a_ ? " of one A" : "") +
           (shared_b_ ? " of one B" : "") + ", alpha " + number_text(alpha_) + ", beta " +
           number_text(beta_) + ", " + std::string(name_of(draws_.kind())) + name_;
  }
  void expect(bool fine, std::string const& what) {
    if (!fine) round_.wrong(name() + ": " + what);
  }

  template <class Layout>
  GemmInfo call(Exec const& exec, Array const& A, Array const& B, Array const& C) {
    auto const c = C.template view<Layout, 3>();
    auto const with_b = [&](auto const& a) {
      if (shared_b_) return call(exec, a, B.template view<Layout, 2>(), c, count_);
      return call(exec, a, B.template view<Layout, 3>(), c, count_);
    };
    return shared_a_ ? with_b(A.template view<Layout, 2>()) : with_b(A.template view<Layout, 3>());
  }
  /// Without a workspace, with one, or enqueued.
  template <class AView, class BView, class CView>
  GemmInfo call(Exec const& exec, AView const& A, BView const& B, CView const& C, int members) {
    int const way = random_.index(3);
    if (way == 0) return gemm(exec, alpha_, A, B, beta_, C, options_);
    auto const workspace = gemm_workspace<T>(exec, {m_, n_, k_, members}, options_);
    if (way == 1) return gemm(exec, alpha_, A, B, beta_, C, workspace);
    GemmInfo const info = gemm_async(exec, alpha_, A, B, beta_, C, workspace);
    exec.fence("carroll_test::gemm");
    return info;
  }

  void against_oracle(Array const& A, Array const& B, Array const& C) {
    auto const conjugates = [](MatrixOp op) { return op == MatrixOp::conjugate_transpose; };
    MatrixOp const op_a = options_.op_a, op_b = options_.op_b;
    auto const texts = complaints_of(size(count_), [&](std::size_t member) {
      int const b = static_cast<int>(member);
      for (int j = 0; j < n_; ++j)
        for (int i = 0; i < m_; ++i) {
          LongSum<T> sum;
          for (int l = 0; reads_factors() && l < k_; ++l)
            sum.add(entry_of(A, op_a, b, i, l), conjugates(op_a), entry_of(B, op_b, b, l, j),
                    conjugates(op_b));
          sum.finish(alpha_, beta_, C.before(b, i, j));
          std::string const text = sum.complaint(C(b, i, j), draws_.is_exact(), k_);
          if (!text.empty()) return place(b, i, j) + text;
        }
      return std::string();
    });
    for (auto const& text : texts) expect(text.empty(), text);
  }

  /// Each member by itself; on hosts maybe by one thread.
  void alone(Array const& A, Array const& B, Array const& C, Array const& initial) {
    Array other = initial.copy();
    Exec const exec = random_.chance(0.3) ? new_instance_of<Exec>() : Exec();
    for (int b = 0; b < count_; ++b)
      call(exec, A.template view<Strided, 2>(A.extent(0) == 1 ? 0 : b),
           B.template view<Strided, 2>(B.extent(0) == 1 ? 0 : b),
           other.template view<Strided, 2>(b), 1);
    compare(C, other, "alone");
  }

  /// The batch with all in other places; if complex, C by rows or columns as before.
  void elsewhere(Array const& A, Array const& B, Array const& C, Array const& initial) {
    auto const by_rows = [](Array const& X) { return X.stride(1) > X.stride(2); };
    Array other = initial.moved(Lie::any(random_));
    while (detail::is_complex<T> && by_rows(other) != by_rows(C))
      other = initial.moved(Lie::any(random_));
    call<Strided>(new_instance_of<Exec>(), A.moved(Lie::any(random_)), B.moved(Lie::any(random_)),
                  other);
    compare(C, other, "elsewhere, C " + other.text());
  }

  void compare(Array const& C, Array& other, std::string const& way) {
    other.to_host();
    expect(other.rest_untouched(), way + ": something beside C was written");
    for (int b = 0; b < count_; ++b)
      for (int j = 0; j < n_; ++j)
        for (int i = 0; i < m_; ++i)
          if (!same_but_nan(other(b, i, j), C(b, i, j)))
            return expect(false, place(b, i, j) + number_text(C(b, i, j)) + ", " + way + " " +
                                     number_text(other(b, i, j)));
  }
  static std::string place(int b, int i, int j) {
    return "member " + std::to_string(b) + ", entry " + std::to_string(i) + "," +
           std::to_string(j) + ": ";
  }

  Round& round_;
  Random& random_;
  ProductDraws<T> draws_;
  int m_ = 0, n_ = 0, k_ = 0, count_ = 1;
  bool shared_a_ = false, shared_b_ = false;
  T alpha_{}, beta_{};
  GemmOptions options_;
  std::string name_;
};

}  // namespace carroll::test
