// SPDX-License-Identifier: BSD-3-Clause
#include <cblas.h>

#include "gemm/peers.hpp"
#include "libraries/host_library.hpp"

namespace carroll::perf {
namespace {

void multiply(int m, int n, int k, float const* a, float const* b, float* c) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, m, b, k, 0, c, m);
}
void multiply(int m, int n, int k, double const* a, double const* b, double* c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, m, b, k, 0, c, m);
}
template <class T>
void multiply(int m, int n, int k, T const* a, T const* b, T* c) {
  T const one(1), zero(0);
  auto* const function = sizeof(T) == 8 ? &cblas_cgemm : &cblas_zgemm;
  function(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, &one, a, m, b, k, &zero, c, m);
}

template <class T>
class OpenblasGemm : public Contender {
 public:
  OpenblasGemm(Exec const& exec, GemmProblem<T> const& problem) : problem_(problem) {
    set_library_threads(exec.concurrency());
  }
  void run() override {
    auto const [batch, m, n, k] = problem_.shape();
    for (std::int64_t member = 0; member < batch; ++member)
      multiply(m, n, k, problem_.A() + member * m * k, problem_.B() + member * k * n,
               problem_.C() + member * m * n);
  }

 private:
  GemmProblem<T> const& problem_;
};

}  // namespace

template <class T>
std::vector<ProblemEntrant<GemmProblem<T>>> gemm_peers(Exec const& exec) {
  return {{"openblas", true, [exec](GemmProblem<T> const& problem) -> std::unique_ptr<Contender> {
             return std::make_unique<OpenblasGemm<T>>(exec, problem);
           }}};
}

template std::vector<ProblemEntrant<GemmProblem<float>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<double>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<Kokkos::complex<float>>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<Kokkos::complex<double>>>> gemm_peers(Exec const&);

}  // namespace carroll::perf
