// SPDX-License-Identifier: BSD-3-Clause
#include "eigh/peers.hpp"
#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"

namespace carroll::perf {
namespace {

template <class Real>
struct EighScratch {
  std::vector<Real> work;
  std::vector<lapack_int> integers;
};

template <class Real>
class HostEigh final : public HostContender<EighContender<Real>, EighScratch<Real>> {
 public:
  HostEigh(bool divides, EighShape const& shape, std::vector<Real> const& A, int threads)
      : HostContender<EighContender<Real>, EighScratch<Real>>(shape.batch, threads),
        divides_(divides),
        shape_(shape),
        input_(A),
        A_(A),
        W_(shape.values()) {
    auto const n = static_cast<std::size_t>(shape.n);
    for (EighScratch<Real>& own : this->own()) {
      own.work.resize(1 + 6 * n + 2 * n * n + 34 * n);
      own.integers.resize(3 + 5 * n);
    }
  }

  void restore() override {
    A_ = input_;
    this->set_threads();
  }
  void run() override {
    this->solve_members(
        [this](std::size_t member, EighScratch<Real>& own) { return solve(member, own); });
  }
  EighSolution<Real> solution() override { return {W_, A_}; }

 private:
  lapack_int solve(std::size_t member, EighScratch<Real>& own) {
    lapack_int const n = shape_.n;
    Real* const a = A_.data() + member * shape_.square();
    Real* const w = W_.data() + member * static_cast<std::size_t>(n);
    char const job = shape_.vectors ? 'V' : 'N';
    auto& [work, integers] = own;
    auto const size = static_cast<lapack_int>(work.size());
    return divides_ ? Lapack<Real>::syevd(LAPACK_COL_MAJOR, job, 'L', n, a, n, w, work.data(), size,
                                          integers.data(), static_cast<lapack_int>(integers.size()))
                    : Lapack<Real>::syev(LAPACK_COL_MAJOR, job, 'L', n, a, n, w, work.data(), size);
  }

  bool divides_;
  EighShape shape_;
  std::vector<Real> input_, A_, W_;
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
