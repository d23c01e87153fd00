// SPDX-License-Identifier: BSD-3-Clause
#include "eigh/peers.hpp"
#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class HostEigh final : public EighContender<Real> {
 public:
  HostEigh(bool divides, EighShape const& shape, std::vector<Real> const& A, int threads)
      : divides_(divides),
        shape_(shape),
        threads_(shape.batch, threads),
        input_(A),
        A_(A),
        W_(shape.values()),
        work_(static_cast<std::size_t>(threads_.over_members)),
        integers_(work_.size()) {
    auto const n = static_cast<std::size_t>(shape.n);
    for (auto& work : work_) work.resize(1 + 6 * n + 2 * n * n + 34 * n);
    for (auto& integers : integers_) integers.resize(3 + 5 * n);
  }

  void restore() override {
    A_ = input_;
    set_library_threads(threads_.in_library);
  }
  void run() override {
    failures_ = failures_of(shape_.batch, threads_, 8, [this](int member, int thread) {
      return solve(member, static_cast<std::size_t>(thread));
    });
  }
  EighSolution<Real> solution() override { return {W_, A_}; }
  std::string complaint() override { return complaint_of(failures_); }

 private:
  lapack_int solve(int member, std::size_t thread) {
    lapack_int const n = shape_.n;
    Real* const a = A_.data() + static_cast<std::size_t>(member) * shape_.square();
    Real* const w = W_.data() + static_cast<std::size_t>(member) * static_cast<std::size_t>(n);
    char const job = shape_.vectors ? 'V' : 'N';
    auto& work = work_[thread];
    auto& integers = integers_[thread];
    auto const size = static_cast<lapack_int>(work.size());
    return divides_ ? Lapack<Real>::syevd(LAPACK_COL_MAJOR, job, 'L', n, a, n, w, work.data(), size,
                                          integers.data(), static_cast<lapack_int>(integers.size()))
                    : Lapack<Real>::syev(LAPACK_COL_MAJOR, job, 'L', n, a, n, w, work.data(), size);
  }

  bool divides_;
  EighShape shape_;
  HostThreads threads_;
  std::vector<Real> input_, A_, W_;
  std::vector<std::vector<Real>> work_;
  std::vector<std::vector<lapack_int>> integers_;
  int failures_ = 0;
};

}  // namespace

template <class Real>
std::vector<EighEntrant<Real>> host_eigh_peers(EighShape const& shape) {
  std::vector<EighEntrant<Real>> peers;
  for (bool const divides : {false, true})
    peers.push_back({divides ? "lapack_syevd" : "lapack_syev", !on_device,
                     [=](std::vector<Real> const& A) -> std::unique_ptr<EighContender<Real>> {
                       return std::make_unique<HostEigh<Real>>(divides, shape, A, host_threads());
                     }});
  return peers;
}

template std::vector<EighEntrant<float>> host_eigh_peers(EighShape const&);
template std::vector<EighEntrant<double>> host_eigh_peers(EighShape const&);

}  // namespace carroll::perf
