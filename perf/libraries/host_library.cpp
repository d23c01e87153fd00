// SPDX-License-Identifier: BSD-3-Clause
#include "libraries/host_library.hpp"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef CARROLL_PERF_HAVE_OPENBLAS
// The reference cblas.h, which may be the one found, does not have these.
extern "C" {
void openblas_set_num_threads(int threads);
char* openblas_get_config();
char* openblas_get_corename();
}
#endif

namespace carroll::perf {
namespace {

void gemm(int n, float const* A, float const* B, float* C) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
}
void gemm(int n, double const* A, double const* B, double* C) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
}

}  // namespace

void set_library_threads([[maybe_unused]] int threads) {
#ifdef CARROLL_PERF_HAVE_OPENBLAS
  openblas_set_num_threads(threads);
#endif
}

int thread_index() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

std::string host_library() {
#ifdef CARROLL_PERF_HAVE_OPENBLAS
  return std::string(openblas_get_config()) + " (" + openblas_get_corename() + ")";
#else
  return "LAPACK";
#endif
}

template <class Real>
double host_gemm_rate(int n, int threads) {
  auto const size = static_cast<std::size_t>(n) * n;
  std::vector<Real> A(size), C(size);
  std::minstd_rand generator(1);
  for (Real& entry : A) entry = static_cast<Real>(generator() % 4096) / 4096;
  std::vector<Real> const B = A;
  set_library_threads(threads);
  double best = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    auto const start = std::chrono::steady_clock::now();
    gemm(n, A.data(), B.data(), C.data());
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * n * n * n / elapsed.count());
  }
  return best;
}
template double host_gemm_rate<float>(int, int);
template double host_gemm_rate<double>(int, int);

}  // namespace carroll::perf
