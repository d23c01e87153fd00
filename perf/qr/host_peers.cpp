// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"
#include "qr/peers.hpp"

namespace carroll::perf {
namespace {

template <class Real>
struct QrScratch {
  std::vector<Real> work, tau;
};

template <class Real>
class HostQr final : public HostContender<QrContender<Real>, QrScratch<Real>> {
 public:
  HostQr(QrShape const& shape, std::vector<Real> const& A, int threads)
      : HostContender<QrContender<Real>, QrScratch<Real>>(shape.batch, threads),
        shape_(shape),
        input_(A),
        A_(A),
        R_(static_cast<std::size_t>(shape.batch) * shape.square()),
        P_(shape.pivoted ? static_cast<std::size_t>(shape.batch * shape.n) : 0) {
    for (QrScratch<Real>& own : this->own()) {
      own.work.resize(static_cast<std::size_t>(shape.m + 66 * shape.n + 64));
      own.tau.resize(static_cast<std::size_t>(shape.n));
    }
  }

  void restore() override {
    A_ = input_;
    std::fill(P_.begin(), P_.end(), 0);  // all columns are free
    this->set_threads();
  }
  void run() override {
    this->solve_members(
        [this](std::size_t member, QrScratch<Real>& own) { return solve(member, own); });
  }
  QrSolution<Real> solution() override {
    QrSolution<Real> first{
        A_, {R_.begin(), R_.begin() + static_cast<std::ptrdiff_t>(shape_.square())}, {}};
    for (int j = 0; shape_.pivoted && j < shape_.n; ++j)
      first.P.push_back(static_cast<int>(P_[static_cast<std::size_t>(j)]) - 1);
    return first;
  }

 private:
  lapack_int solve(std::size_t member, QrScratch<Real>& own) {
    lapack_int const m = shape_.m, n = shape_.n;
    auto const cols = static_cast<std::size_t>(n), rows = static_cast<std::size_t>(m);
    Real* const a = A_.data() + member * shape_.entries();
    Real* const r = R_.data() + member * shape_.square();
    Real* const tau = own.tau.data();
    auto& work = own.work;
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
  std::vector<Real> input_, A_, R_;
  std::vector<lapack_int> P_;
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
