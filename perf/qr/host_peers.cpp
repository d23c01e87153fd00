// SPDX-License-Identifier: BSD-3-Clause
#include <lapacke.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "libraries/host_library.hpp"
#include "qr/peers.hpp"

namespace carroll::perf {
namespace {

// The two precisions of each routine under one name. The _work forms take the caller's workspace
// and do not scan for NaN, so that nothing but the factorisation is timed.
struct SingleQr {
  static constexpr auto geqrf = LAPACKE_sgeqrf_work;
  static constexpr auto geqp3 = LAPACKE_sgeqp3_work;
  static constexpr auto orgqr = LAPACKE_sorgqr_work;
};
struct DoubleQr {
  static constexpr auto geqrf = LAPACKE_dgeqrf_work;
  static constexpr auto geqp3 = LAPACKE_dgeqp3_work;
  static constexpr auto orgqr = LAPACKE_dorgqr_work;
};
template <class Real>
using LapackQr = std::conditional_t<std::is_same_v<Real, float>, SingleQr, DoubleQr>;

template <class Real>
class HostQr final : public QrContender<Real> {
 public:
  HostQr(QrShape const& shape, std::vector<Real> const& A, int threads)
      : shape_(shape),
        threads_(shape.batch == 1 ? 1 : threads),
        library_threads_(shape.batch == 1 ? threads : 1),
        input_(A),
        A_(A),
        R_(static_cast<std::size_t>(shape.batch) * shape.square()),
        P_(shape.pivoted ? static_cast<std::size_t>(shape.batch * shape.n) : 0),
        work_(static_cast<std::size_t>(threads_)),
        tau_(work_.size()) {
    for (auto& work : work_) work.resize(static_cast<std::size_t>(shape.m + 66 * shape.n + 64));
    for (auto& tau : tau_) tau.resize(static_cast<std::size_t>(shape.n));
  }

  void restore() override {
    A_ = input_;
    std::fill(P_.begin(), P_.end(), 0);  // all columns are free
    failures_ = 0;
    set_library_threads(library_threads_);
  }
  void run() override {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads_) if (threads_ > 1)
#endif
    for (int b = 0; b < shape_.batch; ++b)
      if (!solve(static_cast<std::size_t>(b), static_cast<std::size_t>(thread_index())))
        ++failures_;
  }
  QrSolution<Real> solution() override {
    QrSolution<Real> first{
        A_, {R_.begin(), R_.begin() + static_cast<std::ptrdiff_t>(shape_.square())}, {}};
    for (int j = 0; shape_.pivoted && j < shape_.n; ++j)
      first.P.push_back(static_cast<int>(P_[static_cast<std::size_t>(j)]) - 1);
    return first;
  }
  std::string complaint() override {
    return complaint_of(failures_);
  }

 private:
  bool solve(std::size_t member, std::size_t thread) {
    lapack_int const m = shape_.m, n = shape_.n;
    auto const cols = static_cast<std::size_t>(n), rows = static_cast<std::size_t>(m);
    Real* const a = A_.data() + member * shape_.entries();
    Real* const r = R_.data() + member * shape_.square();
    Real* const tau = tau_[thread].data();
    auto& work = work_[thread];
    auto const size = static_cast<lapack_int>(work.size());
    using Lapack = LapackQr<Real>;
    lapack_int info = shape_.pivoted
                          ? Lapack::geqp3(LAPACK_COL_MAJOR, m, n, a, m, P_.data() + member * cols,
                                          tau, work.data(), size)
                          : Lapack::geqrf(LAPACK_COL_MAJOR, m, n, a, m, tau, work.data(), size);
    for (std::size_t j = 0; j < cols; ++j)
      for (std::size_t i = 0; i < cols; ++i) r[i + j * cols] = i <= j ? a[i + j * rows] : Real(0);
    if (info == 0 && shape_.basis)
      info = Lapack::orgqr(LAPACK_COL_MAJOR, m, n, n, a, m, tau, work.data(), size);
    return info == 0;
  }

  QrShape shape_;
  int threads_, library_threads_;
  std::vector<Real> input_, A_, R_;
  std::vector<lapack_int> P_;
  std::vector<std::vector<Real>> work_, tau_;
  std::atomic<int> failures_ = 0;
};

}  // namespace

template <class Real>
std::vector<QrEntrant<Real>> qr_peers(Exec const& exec, QrShape const& shape) {
  int const threads = exec.concurrency();
  return {{shape.pivoted ? "lapack_geqp3" : "lapack_geqrf", false,
           [=](std::vector<Real> const& A) -> std::unique_ptr<QrContender<Real>> {
             return std::make_unique<HostQr<Real>>(shape, A, threads);
           }}};
}

template std::vector<QrEntrant<float>> qr_peers(Exec const&, QrShape const&);
template std::vector<QrEntrant<double>> qr_peers(Exec const&, QrShape const&);

}  // namespace carroll::perf
