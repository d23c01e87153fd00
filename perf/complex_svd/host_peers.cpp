// SPDX-License-Identifier: BSD-3-Clause
#include <lapacke.h>

#include <memory>

#include "complex_svd/peers.hpp"
#include "libraries/host_library.hpp"

namespace carroll::perf {
namespace {

/// The two precisions under one name, with the caller's workspace; of length -1 they tell in its
/// first entry how much they want.
lapack_int complex_gesdd(int n, std::complex<double>* a, double* s, std::complex<double>* u,
                         std::complex<double>* vt, std::complex<double>* work, lapack_int size,
                         double* reals, lapack_int* ints) {
  auto const c = [](std::complex<double>* x) {
    return reinterpret_cast<lapack_complex_double*>(x);
  };
  return LAPACKE_zgesdd_work(LAPACK_COL_MAJOR, 'S', n, n, c(a), n, s, c(u), n, c(vt), n, c(work),
                             size, reals, ints);
}
lapack_int complex_gesdd(int n, std::complex<float>* a, float* s, std::complex<float>* u,
                         std::complex<float>* vt, std::complex<float>* work, lapack_int size,
                         float* reals, lapack_int* ints) {
  auto const c = [](std::complex<float>* x) { return reinterpret_cast<lapack_complex_float*>(x); };
  return LAPACKE_cgesdd_work(LAPACK_COL_MAJOR, 'S', n, n, c(a), n, s, c(u), n, c(vt), n, c(work),
                             size, reals, ints);
}

template <class Real>
class HostComplexSvd final : public ComplexSvdContender<Real> {
 public:
  using Complex = std::complex<Real>;

  HostComplexSvd(ComplexSvdShape const& shape, std::vector<Complex> const& A, int threads)
      : shape_(shape),
        threads_(shape.batch == 1 ? 1 : threads),
        library_threads_(shape.batch == 1 ? threads : 1),
        input_(A),
        A_(A.size()),
        U_(A.size()),
        V_(A.size()),
        S_(shape.all_values()),
        scratch_(static_cast<std::size_t>(threads_)) {
    Complex wanted = 0;
    auto const n = static_cast<std::size_t>(shape.n);
    for (Scratch& scratch : scratch_) {
      scratch.reals.resize(n * (5 * n + 7));
      scratch.ints.resize(8 * n);
      (void)complex_gesdd(shape.n, nullptr, nullptr, nullptr, nullptr, &wanted, -1,
                          scratch.reals.data(), scratch.ints.data());
      scratch.work.resize(static_cast<std::size_t>(wanted.real()) + 1);
    }
  }

  void restore() override {
    A_ = input_;
    set_library_threads(library_threads_);
  }
  void run() override {
    failures_ = failures_of(shape_.batch, threads_, 8, [&](int b, int thread) {
      Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
      std::size_t const at = static_cast<std::size_t>(b) * shape_.entries();
      return complex_gesdd(
          shape_.n, A_.data() + at, S_.data() + static_cast<std::size_t>(b) * shape_.n,
          U_.data() + at, V_.data() + at, scratch.work.data(),
          static_cast<lapack_int>(scratch.work.size()), scratch.reals.data(), scratch.ints.data());
    });
  }
  ComplexSvdSolution<Real> solution() override {
    auto const one = static_cast<std::ptrdiff_t>(shape_.entries());
    return {{U_.begin(), U_.begin() + one},
            {S_.begin(), S_.begin() + shape_.n},
            {V_.begin(), V_.begin() + one},
            true};
  }
  std::string complaint() override { return complaint_of(failures_); }

 private:
  struct Scratch {
    std::vector<Complex> work;
    std::vector<Real> reals;
    std::vector<lapack_int> ints;
  };

  ComplexSvdShape shape_;
  int threads_, library_threads_;
  std::vector<Complex> input_, A_, U_, V_;
  std::vector<Real> S_;
  std::vector<Scratch> scratch_;
  int failures_ = 0;
};

}  // namespace

template <class Real>
std::vector<ComplexSvdEntrant<Real>> complex_svd_peers(Exec const& exec,
                                                       ComplexSvdShape const& shape) {
  return {{"lapack_gesdd", false,
           [shape, threads = exec.concurrency()](std::vector<std::complex<Real>> const& A)
               -> std::unique_ptr<ComplexSvdContender<Real>> {
             return std::make_unique<HostComplexSvd<Real>>(shape, A, threads);
           }}};
}

template std::vector<ComplexSvdEntrant<float>> complex_svd_peers(Exec const&,
                                                                 ComplexSvdShape const&);
template std::vector<ComplexSvdEntrant<double>> complex_svd_peers(Exec const&,
                                                                  ComplexSvdShape const&);

}  // namespace carroll::perf
