// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"
#include "lstsq/peers.hpp"

namespace carroll::perf {
namespace {

enum class LapackLstsq { gelsd, gelss };

/// With the caller's workspace; of length -1 it tells in its first entry how much is wanted.
template <class Real>
lapack_int solve_lstsq(LapackLstsq which, lapack_int m, lapack_int n, lapack_int p, Real* a,
                       Real* b, Real* s, Real* work, lapack_int size, lapack_int* ints) {
  lapack_int const ldb = std::max(m, n);
  Real const rcond = static_cast<Real>(ldb) * std::numeric_limits<Real>::epsilon();
  lapack_int rank = 0;
  return which == LapackLstsq::gelsd ? Lapack<Real>::gelsd(LAPACK_COL_MAJOR, m, n, p, a, m, b, ldb,
                                                           s, rcond, &rank, work, size, ints)
                                     : Lapack<Real>::gelss(LAPACK_COL_MAJOR, m, n, p, a, m, b, ldb,
                                                           s, rcond, &rank, work, size);
}

template <class Real>
struct LstsqScratch {
  std::vector<Real> s, work;
  std::vector<lapack_int> ints;
};

template <class Real>
class HostLstsq final : public HostContender<SystemContender<Real>, LstsqScratch<Real>> {
 public:
  HostLstsq(LapackLstsq which, LstsqShape const& shape, LstsqData<Real> const& data, int threads)
      : HostContender<SystemContender<Real>, LstsqScratch<Real>>(shape.batch, threads),
        which_(which),
        shape_(shape),
        cols_(shape.inverse() ? shape.m : shape.p),
        rows_(std::max(shape.m, shape.n)),
        data_(data),
        B_(static_cast<std::size_t>(shape.batch) * b_size()) {
    Real wanted = 0;
    for (LstsqScratch<Real>& scratch : this->own()) {
      scratch.s.resize(static_cast<std::size_t>(rows_));
      scratch.ints.resize(static_cast<std::size_t>(200 * rows_ + 1000));
      (void)solve_lstsq<Real>(which, shape.m, shape.n, cols_, nullptr, nullptr, nullptr, &wanted,
                              -1, scratch.ints.data());
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
    this->set_threads();
  }
  void run() override {
    this->solve_members([this](std::size_t b, LstsqScratch<Real>& scratch) {
      return solve_lstsq(which_, shape_.m, shape_.n, cols_, A_.data() + b * shape_.a_size(),
                         B_.data() + b * b_size(), scratch.s.data(), scratch.work.data(),
                         static_cast<lapack_int>(scratch.work.size()), scratch.ints.data());
    });
  }
  std::vector<Real> solution() override {
    std::vector<Real> X;
    for (int j = 0; j < cols_; ++j) {
      auto const column = B_.begin() + static_cast<std::ptrdiff_t>(j) * rows_;
      X.insert(X.end(), column, column + shape_.n);
    }
    return X;
  }

 private:
  [[nodiscard]] std::size_t b_size() const {
    return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_);
  }

  LapackLstsq which_;
  LstsqShape shape_;
  int cols_, rows_;  ///< of B, in which X comes
  LstsqData<Real> data_;
  std::vector<Real> A_, B_;
};

}  // namespace

template <class Real>
std::vector<SystemEntrant<LstsqData<Real>>> lstsq_peers(Exec const& exec, LstsqShape const& shape) {
  std::vector<SystemEntrant<LstsqData<Real>>> peers;
  for (auto const& [which, name] :
       {std::pair(LapackLstsq::gelsd, "lapack_gelsd"), {LapackLstsq::gelss, "lapack_gelss"}})
    peers.push_back({name, false,
                     [which = which, shape, threads = exec.concurrency()](
                         LstsqData<Real> const& data) -> std::unique_ptr<SystemContender<Real>> {
                       return std::make_unique<HostLstsq<Real>>(which, shape, data, threads);
                     }});
  return peers;
}

template std::vector<SystemEntrant<LstsqData<float>>> lstsq_peers(Exec const&, LstsqShape const&);
template std::vector<SystemEntrant<LstsqData<double>>> lstsq_peers(Exec const&, LstsqShape const&);

}  // namespace carroll::perf
