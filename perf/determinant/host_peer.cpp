// SPDX-License-Identifier: BSD-3-Clause
#include "determinant/host_peer.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "harness/timed_run.hpp"
#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class LapackDeterminant final : public DeterminantContender<Real> {
 public:
  LapackDeterminant(DeterminantShape const& shape, std::span<Real const> A, int threads)
      : shape_(shape),
        threads_(shape.batch, threads),
        input_(A),
        A_(A.begin(), A.end()),
        values_(static_cast<std::size_t>(shape.batch)),
        pivots_(static_cast<std::size_t>(threads_.over_members) * shape.n) {
    if (shape.batch == 1 && shape.n <= 2048) try_fewer_threads();
  }

  void restore() override {
    std::copy(input_.begin(), input_.end(), A_.begin());
    failures_ = 0;
    set_library_threads(threads_.in_library);
  }
  void run() override {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) \
    num_threads(threads_.over_members) if (threads_.over_members > 1)
#endif
    for (int member = 0; member < shape_.batch; ++member) solve(member);
  }

  std::vector<ScaledNumber<Real>> values() override {
    return values_;
  }
  std::string complaint() override {
    return complaint_of(failures_);
  }
  std::size_t workspace_bytes() const override {
    return pivots_.size() * sizeof(lapack_int);
  }

 private:
  void try_fewer_threads() {
    double best = std::numeric_limits<double>::infinity();
    int best_threads = threads_.in_library;
    for (int threads = threads_.in_library; threads > 0; threads /= 2) {
      threads_.in_library = threads;
      for (int repetition = 0; repetition < 3; ++repetition)
        if (double const seconds = timed_run(*this); seconds < best) {
          best = seconds;
          best_threads = threads;
        }
    }
    threads_.in_library = best_threads;
  }

  void solve(int member) {
    int const n = shape_.n;
    Real* const A = A_.data() + static_cast<std::size_t>(member) * shape_.matrix_size();
    lapack_int* const pivots = pivots_.data() + static_cast<std::size_t>(thread_index()) * n;
    if (Lapack<Real>::getrf(LAPACK_COL_MAJOR, n, n, A, n, pivots) != 0) ++failures_;
    ScaledNumber<double> value(1.0);
    for (int i = 0; i < n; ++i) {
      Real const pivot = A[static_cast<std::size_t>(i) * (static_cast<std::size_t>(n) + 1)];
      value *= ScaledNumber<double>(pivots[i] == i + 1 ? pivot : -pivot);
    }
    values_[static_cast<std::size_t>(member)] = {static_cast<Real>(value.mantissa()),
                                                 value.exponent()};
  }

  DeterminantShape shape_;
  HostThreads threads_;
  std::span<Real const> input_;
  std::vector<Real> A_;
  std::vector<ScaledNumber<Real>> values_;
  std::vector<lapack_int> pivots_;
  std::atomic<int> failures_ = 0;
};

}  // namespace

template <class Real>
std::unique_ptr<DeterminantContender<Real>> make_lapack_determinant(DeterminantShape const& shape,
                                                                    std::span<Real const> A,
                                                                    int threads) {
  return std::make_unique<LapackDeterminant<Real>>(shape, A, threads);
}
template std::unique_ptr<DeterminantContender<float>> make_lapack_determinant(
    DeterminantShape const&, std::span<float const>, int);
template std::unique_ptr<DeterminantContender<double>> make_lapack_determinant(
    DeterminantShape const&, std::span<double const>, int);

}  // namespace carroll::perf
