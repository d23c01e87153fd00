// SPDX-License-Identifier: BSD-3-Clause
#include <lapacke.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "libraries/host_library.hpp"
#include "lstsq/peers.hpp"

namespace carroll::perf {
namespace {

enum class LapackLstsq { gelsd, gelss };

/// The two precisions of each routine under one name, with the caller's workspace; of length -1
/// they tell in its first entry how much they want.
lapack_int solve_lstsq(LapackLstsq which, lapack_int m, lapack_int n, lapack_int p, double* a,
                       double* b, double* s, double* work, lapack_int size, lapack_int* ints) {
  lapack_int const ldb = std::max(m, n);
  double const rcond = ldb * std::numeric_limits<double>::epsilon();
  lapack_int rank = 0;
  return which == LapackLstsq::gelsd ? LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, p, a, m, b, ldb,
                                                           s, rcond, &rank, work, size, ints)
                                     : LAPACKE_dgelss_work(LAPACK_COL_MAJOR, m, n, p, a, m, b, ldb,
                                                           s, rcond, &rank, work, size);
}
lapack_int solve_lstsq(LapackLstsq which, lapack_int m, lapack_int n, lapack_int p, float* a,
                       float* b, float* s, float* work, lapack_int size, lapack_int* ints) {
  lapack_int const ldb = std::max(m, n);
  float const rcond = static_cast<float>(ldb) * std::numeric_limits<float>::epsilon();
  lapack_int rank = 0;
  return which == LapackLstsq::gelsd ? LAPACKE_sgelsd_work(LAPACK_COL_MAJOR, m, n, p, a, m, b, ldb,
                                                           s, rcond, &rank, work, size, ints)
                                     : LAPACKE_sgelss_work(LAPACK_COL_MAJOR, m, n, p, a, m, b, ldb,
                                                           s, rcond, &rank, work, size);
}

template <class Real>
class HostLstsq final : public LstsqContender<Real> {
 public:
  HostLstsq(LapackLstsq which, LstsqShape const& shape, LstsqData<Real> const& data, int threads)
      : which_(which),
        shape_(shape),
        cols_(shape.inverse() ? shape.m : shape.p),
        rows_(std::max(shape.m, shape.n)),
        threads_(shape.batch == 1 ? 1 : threads),
        library_threads_(shape.batch == 1 ? threads : 1),
        data_(data),
        B_(static_cast<std::size_t>(shape.batch) * b_size()),
        scratch_(static_cast<std::size_t>(threads_)) {
    Real wanted = 0;
    for (Scratch& scratch : scratch_) {
      scratch.s.resize(static_cast<std::size_t>(rows_));
      scratch.ints.resize(static_cast<std::size_t>(200 * rows_ + 1000));
      (void)solve_lstsq(which, shape.m, shape.n, cols_, nullptr, nullptr, nullptr, &wanted, -1,
                        scratch.ints.data());
      scratch.work.resize(static_cast<std::size_t>(wanted) + 1);
    }
  }

  void restore() override {
    A_ = data_.A;
    std::fill(B_.begin(), B_.end(), Real(0));
    for (std::size_t b = 0; b < static_cast<std::size_t>(shape_.batch); ++b)
      for (int j = 0; j < cols_; ++j)
        for (int i = 0; i < shape_.m; ++i)
          B_[b * b_size() + static_cast<std::size_t>(i + j * rows_)] =
              shape_.inverse()
                  ? Real(i == j)
                  : data_.B[b * shape_.b_size() + static_cast<std::size_t>(i + j * shape_.m)];
    failures_ = 0;
    set_library_threads(library_threads_);
  }
  void run() override {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads_) if (threads_ > 1)
#endif
    for (int b = 0; b < shape_.batch; ++b) {
      Scratch& scratch = scratch_[static_cast<std::size_t>(thread_index())];
      auto const member = static_cast<std::size_t>(b);
      if (solve_lstsq(which_, shape_.m, shape_.n, cols_, A_.data() + member * shape_.a_size(),
                      B_.data() + member * b_size(), scratch.s.data(), scratch.work.data(),
                      static_cast<lapack_int>(scratch.work.size()), scratch.ints.data()) != 0)
        ++failures_;
    }
  }
  std::vector<Real> solution() override {
    std::vector<Real> X;
    for (int j = 0; j < cols_; ++j) {
      auto const column = B_.begin() + static_cast<std::ptrdiff_t>(j) * rows_;
      X.insert(X.end(), column, column + shape_.n);
    }
    return X;
  }
  std::string complaint() override {
    return complaint_of(failures_);
  }

 private:
  struct Scratch {
    std::vector<Real> s, work;
    std::vector<lapack_int> ints;
  };
  [[nodiscard]] std::size_t b_size() const {
    return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_);
  }

  LapackLstsq which_;
  LstsqShape shape_;
  int cols_, rows_;  ///< of B, in which X comes
  int threads_, library_threads_;
  LstsqData<Real> data_;
  std::vector<Real> A_, B_;
  std::vector<Scratch> scratch_;
  std::atomic<int> failures_ = 0;
};

}  // namespace

template <class Real>
std::vector<LstsqEntrant<Real>> lstsq_peers(Exec const& exec, LstsqShape const& shape) {
  std::vector<LstsqEntrant<Real>> peers;
  for (auto const& [which, name] :
       {std::pair(LapackLstsq::gelsd, "lapack_gelsd"), {LapackLstsq::gelss, "lapack_gelss"}})
    peers.push_back({name, false,
                     [which = which, shape, threads = exec.concurrency()](
                         LstsqData<Real> const& data) -> std::unique_ptr<LstsqContender<Real>> {
                       return std::make_unique<HostLstsq<Real>>(which, shape, data, threads);
                     }});
  return peers;
}

template std::vector<LstsqEntrant<float>> lstsq_peers(Exec const&, LstsqShape const&);
template std::vector<LstsqEntrant<double>> lstsq_peers(Exec const&, LstsqShape const&);

}  // namespace carroll::perf
