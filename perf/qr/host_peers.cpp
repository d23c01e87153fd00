// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"
#include "qr/peers.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class HostQr final : public QrContender<Real> {
 public:
  HostQr(QrShape const& shape, std::vector<Real> const& A, int threads)
      : shape_(shape),
        threads_(shape.batch, threads),
        input_(A),
        A_(A),
        R_(static_cast<std::size_t>(shape.batch) * shape.square()),
        P_(shape.pivoted ? static_cast<std::size_t>(shape.batch * shape.n) : 0),
        work_(static_cast<std::size_t>(threads_.over_members)),
        tau_(work_.size()) {
    for (auto& work : work_) work.resize(static_cast<std::size_t>(shape.m + 66 * shape.n + 64));
    for (auto& tau : tau_) tau.resize(static_cast<std::size_t>(shape.n));
  }

  void restore() override {
    A_ = input_;
    std::fill(P_.begin(), P_.end(), 0);  // all columns are free
    set_library_threads(threads_.in_library);
  }
  void run() override {
    failures_ = failures_of(shape_.batch, threads_, 8, [this](int member, int thread) {
      return solve(static_cast<std::size_t>(member), static_cast<std::size_t>(thread));
    });
  }
  QrSolution<Real> solution() override {
    QrSolution<Real> first{
        A_, {R_.begin(), R_.begin() + static_cast<std::ptrdiff_t>(shape_.square())}, {}};
    for (int j = 0; shape_.pivoted && j < shape_.n; ++j)
      first.P.push_back(static_cast<int>(P_[static_cast<std::size_t>(j)]) - 1);
    return first;
  }
  std::string complaint() override { return complaint_of(failures_); }

 private:
  lapack_int solve(std::size_t member, std::size_t thread) {
    lapack_int const m = shape_.m, n = shape_.n;
    auto const cols = static_cast<std::size_t>(n), rows = static_cast<std::size_t>(m);
    Real* const a = A_.data() + member * shape_.entries();
    Real* const r = R_.data() + member * shape_.square();
    Real* const tau = tau_[thread].data();
    auto& work = work_[thread];
    auto const size = static_cast<lapack_int>(work.size());
    using Routines = Lapack<Real>;
    lapack_int info = shape_.pivoted
                          ? Routines::geqp3(LAPACK_COL_MAJOR, m, n, a, m, P_.data() + member * cols,
                                            tau, work.data(), size)
                          : Routines::geqrf(LAPACK_COL_MAJOR, m, n, a, m, tau, work.data(), size);
    for (std::size_t j = 0; j < cols; ++j)
      for (std::size_t i = 0; i < cols; ++i) r[i + j * cols] = i <= j ? a[i + j * rows] : Real(0);
    if (info == 0 && shape_.basis)
      info = Routines::orgqr(LAPACK_COL_MAJOR, m, n, n, a, m, tau, work.data(), size);
    return info;
  }

  QrShape shape_;
  HostThreads threads_;
  std::vector<Real> input_, A_, R_;
  std::vector<lapack_int> P_;
  std::vector<std::vector<Real>> work_, tau_;
  int failures_ = 0;
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
