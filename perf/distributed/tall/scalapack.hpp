// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "distributed/data.hpp"
#include "distributed/rank_bench.hpp"

#ifdef CARROLL_HAVE_SCALAPACK
#include <carroll/distributed/detail/scalapack/grid.hpp>

extern "C" {
void pdgeqrf_(int const* m, int const* n, double* a, int const* ia, int const* ja, int const* desca,
              double* tau, double* work, int const* lwork, int* info);
void pdormqr_(char const* side, char const* trans, int const* m, int const* n, int const* k,
              double const* a, int const* ia, int const* ja, int const* desca, double const* tau,
              double* c, int const* ic, int const* jc, int const* descc, double* work,
              int const* lwork, int* info);
void pdlacpy_(char const* uplo, int const* m, int const* n, double const* a, int const* ia,
              int const* ja, int const* desca, double* b, int const* ib, int const* jb,
              int const* descb);
void pdlaset_(char const* uplo, int const* m, int const* n, double const* alpha, double const* beta,
              double* a, int const* ia, int const* ja, int const* desca);
}
#endif

/// The peer of tall matrices on hosts: p?geqrf, p?gesvd of R, and p?ormqr for U.
namespace carroll::perf {

#ifdef CARROLL_HAVE_SCALAPACK
class ScalapackTall : public RankContender {
  using Matrix = distributed::detail::scalapack::Matrix;

 public:
  /// In blocks of `block` rows and columns; 0: a rank's rows are one block.
  ScalapackTall(Ranks const& ranks, std::int64_t rows, std::int64_t cols, std::int64_t block,
                bool vectors)
      : m_(static_cast<int>(rows)),
        n_(static_cast<int>(cols)),
        vectors_(vectors),
        grid_(ranks.raw(), 0, ranks.size(), 1) {
    std::int64_t const tall = block > 0 ? block : (rows + ranks.size() - 1) / ranks.size(),
                       wide = block > 0 ? block : cols;
    tall_ = Matrix(grid_, rows, cols, tall, wide);
    small_ = Matrix(grid_, cols, cols, wide, wide);
    ranks.agree("carroll::perf::ScalapackTall", 0, [&] {
      input_.resize(static_cast<std::size_t>(tall_.entries()));
      if (vectors) U_ = input_;
      R_.resize(static_cast<std::size_t>(small_.entries()));
      tau_.resize(static_cast<std::size_t>(cols));
      S_ = tau_;
    });
    UR_ = VT_ = R_;
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < tall_.local_rows(); ++i) {
        std::int64_t const row = Matrix::global(i, tall, grid_.row(), grid_.rows());
        input_[static_cast<std::size_t>(j * tall_.leading() + i)] =
            gemm_entry<double>(static_cast<std::uint64_t>(row * cols + j), 4);
      }
    restore();
    run();  // so that the arrays for work are there
  }
  void restore() override { A_ = input_; }
  [[nodiscard]] int runs() const override { return 3; }
  void run() override {
    constexpr int one = 1;
    constexpr double zero = 0;
    info_ = 0;
    int const *const tall = tall_.descriptor(), *const small = small_.descriptor();
    with_work([&](double* work, int const* length, int* info) {
      pdgeqrf_(&m_, &n_, A_.data(), &one, &one, tall, tau_.data(), work, length, info);
    });
    pdlaset_("A", &n_, &n_, &zero, &zero, R_.data(), &one, &one, small);
    pdlacpy_("U", &n_, &n_, A_.data(), &one, &one, tall, R_.data(), &one, &one, small);
    with_work([&](double* work, int const* length, int* info) {
      distributed::detail::scalapack::gesvd(vectors_, vectors_, n_, n_, R_.data(), small, S_.data(),
                                            UR_.data(), small, VT_.data(), small, work, *length,
                                            *info);
    });
    if (!vectors_) return;
    pdlaset_("A", &m_, &n_, &zero, &zero, U_.data(), &one, &one, tall);
    pdlacpy_("A", &n_, &n_, UR_.data(), &one, &one, small, U_.data(), &one, &one, tall);
    with_work([&](double* work, int const* length, int* info) {
      pdormqr_("L", "N", &m_, &n_, &n_, A_.data(), &one, &one, tall, tau_.data(), U_.data(), &one,
               &one, tall, work, length, info);
    });
  }
  [[nodiscard]] double flops() const override {
    return (vectors_ ? 4.0 : 2.0) * double(m_) * double(n_) * double(n_);
  }
  std::string complaint() override { return info_ == 0 ? "" : "info is not 0"; }

 private:
  /// Asks for the room for work, and calls.
  template <class Call>
  void with_work(Call const& call) {
    double wanted[8] = {};
    int length = -1, info = 0;
    call(wanted, &length, &info);
    length = static_cast<int>(wanted[0]) + 64;  // p?gesvd asks for somewhat less than it takes
    if (work_.size() < static_cast<std::size_t>(length))
      work_.resize(static_cast<std::size_t>(length));
    call(work_.data(), &length, &info);
    if (info != 0) info_ = info;
  }

  int m_, n_;
  bool vectors_;
  distributed::detail::scalapack::Grid grid_;
  Matrix tall_, small_;
  std::vector<double> input_, A_, U_, R_, UR_, VT_, tau_, S_, work_;
  int info_ = 0;
};
#endif

inline void plan_scalapack_tall([[maybe_unused]] RankBench& bench,
                                [[maybe_unused]] std::string const& problem,
                                [[maybe_unused]] std::int64_t rows,
                                [[maybe_unused]] std::int64_t cols, [[maybe_unused]] bool vectors) {
#ifdef CARROLL_HAVE_SCALAPACK
  if constexpr (!on_device)
    for (std::int64_t const block : {0, 64})
      bench.plan(problem + (block > 0 ? "/scalapack_blocks" : "/scalapack_rows"),
                 [=](Ranks const& ranks) -> std::unique_ptr<RankContender> {
                   return std::make_unique<ScalapackTall>(ranks, rows, cols, block, vectors);
                 });
#endif
}

}  // namespace carroll::perf
