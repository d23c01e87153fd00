// SPDX-License-Identifier: BSD-3-Clause
#include <lapacke.h>

#include <atomic>
#include <type_traits>

#include "libraries/host_library.hpp"
#include "solve/peers.hpp"

namespace carroll::perf {
namespace {

// The two precisions of each routine under one name. The _work forms take the caller's workspace
// and do not scan for NaN, so that nothing but the solution is timed.
struct SingleSolve {
  static constexpr auto gesv = LAPACKE_sgesv_work;
  static constexpr auto getrf = LAPACKE_sgetrf_work;
  static constexpr auto getri = LAPACKE_sgetri_work;
  static constexpr auto lange = LAPACKE_slange_work;
  static constexpr auto gecon = LAPACKE_sgecon_work;
};
struct DoubleSolve {
  static constexpr auto gesv = LAPACKE_dgesv_work;
  static constexpr auto getrf = LAPACKE_dgetrf_work;
  static constexpr auto getri = LAPACKE_dgetri_work;
  static constexpr auto lange = LAPACKE_dlange_work;
  static constexpr auto gecon = LAPACKE_dgecon_work;
};

template <class Real>
class HostSolver final : public SolveContender<Real> {
 public:
  using Lapack = std::conditional_t<std::is_same_v<Real, float>, SingleSolve, DoubleSolve>;

  HostSolver(SolveShape const& shape, SolveData<Real> const& data, int threads)
      : shape_(shape),
        threads_(shape.batch == 1 ? 1 : threads),
        library_threads_(shape.batch == 1 ? threads : 1),
        input_(data),
        A_(data.A),
        B_(data.B),
        own_(static_cast<std::size_t>(threads_)) {
    for (Own& own : own_) {
      own.pivots.resize(static_cast<std::size_t>(shape.n));
      own.whole.resize(static_cast<std::size_t>(shape.n));
      own.work.resize(static_cast<std::size_t>(66 * shape.n + 64));
    }
  }

  void restore() override {
    A_ = input_.A;
    B_ = input_.B;
    failures_ = 0;
    set_library_threads(library_threads_);
  }
  void run() override {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads_) if (threads_ > 1)
#endif
    for (int b = 0; b < shape_.batch; ++b)
      if (!solve(static_cast<std::size_t>(b), own_[static_cast<std::size_t>(thread_index())]))
        ++failures_;
  }
  std::vector<Real> solution() override {
    auto const& X = shape_.inverse ? A_ : B_;
    return {X.begin(), X.begin() + static_cast<std::ptrdiff_t>(shape_.sides())};
  }
  std::string complaint() override {
    return complaint_of(failures_);
  }

 private:
  /// Of a thread.
  struct Own {
    std::vector<lapack_int> pivots, whole;
    std::vector<Real> work;
  };

  bool solve(std::size_t member, Own& own) {
    lapack_int const n = shape_.n;
    Real* const a = A_.data() + member * shape_.square();
    Real* const b = B_.data() + member * shape_.sides();
    if (shape_.inverse)
      return Lapack::getrf(LAPACK_COL_MAJOR, n, n, a, n, own.pivots.data()) == 0 &&
             Lapack::getri(LAPACK_COL_MAJOR, n, a, n, own.pivots.data(), own.work.data(),
                           static_cast<lapack_int>(own.work.size())) == 0;
    Real norm = 0, rcond = 1;
    if (shape_.condition) norm = Lapack::lange(LAPACK_COL_MAJOR, '1', n, n, a, n, own.work.data());
    bool fine =
        Lapack::gesv(LAPACK_COL_MAJOR, n, shape_.columns, a, n, own.pivots.data(), b, n) == 0;
    if (shape_.condition)
      fine = Lapack::gecon(LAPACK_COL_MAJOR, '1', n, a, n, norm, &rcond, own.work.data(),
                           own.whole.data()) == 0 &&
             fine;
    return fine && rcond > 0;
  }

  SolveShape shape_;
  int threads_, library_threads_;
  SolveData<Real> input_;
  std::vector<Real> A_, B_;
  std::vector<Own> own_;
  std::atomic<int> failures_ = 0;
};

}  // namespace

template <class Real>
std::vector<SolveEntrant<Real>> solve_peers(Exec const& exec, SolveShape const& shape) {
  int const threads = exec.concurrency();
  std::vector<SolveEntrant<Real>> peers;
  std::string const name = shape.inverse     ? "lapack_getri"
                           : shape.condition ? "lapack_gesv_gecon"
                                             : "lapack_gesv";
  peers.push_back(
      {name, false, [=](SolveData<Real> const& data) -> std::unique_ptr<SolveContender<Real>> {
         return std::make_unique<HostSolver<Real>>(shape, data, threads);
       }});
  return peers;
}

template std::vector<SolveEntrant<float>> solve_peers(Exec const&, SolveShape const&);
template std::vector<SolveEntrant<double>> solve_peers(Exec const&, SolveShape const&);

}  // namespace carroll::perf
