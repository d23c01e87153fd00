// SPDX-License-Identifier: BSD-3-Clause
#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"
#include "solve/peers.hpp"

namespace carroll::perf {
namespace {

template <class Real>
struct SolveScratch {
  std::vector<lapack_int> pivots, whole;
  std::vector<Real> work;
};

template <class Real>
class HostSolver final : public HostContender<SystemContender<Real>, SolveScratch<Real>> {
 public:
  HostSolver(SolveShape const& shape, SolveData<Real> const& data, int threads)
      : HostContender<SystemContender<Real>, SolveScratch<Real>>(shape.batch, threads),
        shape_(shape),
        input_(data),
        A_(data.A),
        B_(data.B) {
    for (SolveScratch<Real>& own : this->own()) {
      own.pivots.resize(static_cast<std::size_t>(shape.n));
      own.whole.resize(static_cast<std::size_t>(shape.n));
      own.work.resize(static_cast<std::size_t>(66 * shape.n + 64));
    }
  }

  void restore() override {
    A_ = input_.A;
    B_ = input_.B;
    this->set_threads();
  }
  void run() override {
    this->solve_members(
        [this](std::size_t member, SolveScratch<Real>& own) { return solve(member, own); });
  }
  std::vector<Real> solution() override {
    auto const& X = shape_.inverse ? A_ : B_;
    return {X.begin(), X.begin() + static_cast<std::ptrdiff_t>(shape_.sides())};
  }

 private:
  /// LAPACK's info, or 1 for a matrix that is singular by the condition's estimate.
  lapack_int solve(std::size_t member, SolveScratch<Real>& own) {
    using Routines = Lapack<Real>;
    lapack_int const n = shape_.n;
    Real* const a = A_.data() + member * shape_.square();
    Real* const b = B_.data() + member * shape_.sides();
    if (shape_.inverse) {
      lapack_int const info = Routines::getrf(LAPACK_COL_MAJOR, n, n, a, n, own.pivots.data());
      return info != 0 ? info
                       : Routines::getri(LAPACK_COL_MAJOR, n, a, n, own.pivots.data(),
                                         own.work.data(), static_cast<lapack_int>(own.work.size()));
    }
    Real norm = 0, rcond = 1;
    if (shape_.condition)
      norm = Routines::lange(LAPACK_COL_MAJOR, '1', n, n, a, n, own.work.data());
    lapack_int info =
        Routines::gesv(LAPACK_COL_MAJOR, n, shape_.columns, a, n, own.pivots.data(), b, n);
    if (shape_.condition && info == 0)
      info = Routines::gecon(LAPACK_COL_MAJOR, '1', n, a, n, norm, &rcond, own.work.data(),
                             own.whole.data());
    return info != 0 ? info : lapack_int(!(rcond > 0));
  }

  SolveShape shape_;
  SolveData<Real> input_;
  std::vector<Real> A_, B_;
};

}  // namespace

template <class Real>
std::vector<SystemEntrant<SolveData<Real>>> solve_peers(Exec const& exec, SolveShape const& shape) {
  int const threads = exec.concurrency();
  std::vector<SystemEntrant<SolveData<Real>>> peers;
  std::string const name = shape.inverse     ? "lapack_getri"
                           : shape.condition ? "lapack_gesv_gecon"
                                             : "lapack_gesv";
  peers.push_back(
      {name, false, [=](SolveData<Real> const& data) -> std::unique_ptr<SystemContender<Real>> {
         return std::make_unique<HostSolver<Real>>(shape, data, threads);
       }});
  return peers;
}

template std::vector<SystemEntrant<SolveData<float>>> solve_peers(Exec const&, SolveShape const&);
template std::vector<SystemEntrant<SolveData<double>>> solve_peers(Exec const&, SolveShape const&);

}  // namespace carroll::perf
