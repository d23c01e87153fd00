// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>

#include "gemm/peers.hpp"
#include "libraries/cuda_handles.hpp"

namespace carroll::perf {
namespace {

/// cuBLAS' functions of a scalar, and its name for that.
template <class T>
struct Cublas;
template <>
struct Cublas<float> {
  using Number = float;
  static constexpr auto one = &cublasSgemm;
  static constexpr auto batch = &cublasSgemmStridedBatched;
};
template <>
struct Cublas<double> {
  using Number = double;
  static constexpr auto one = &cublasDgemm;
  static constexpr auto batch = &cublasDgemmStridedBatched;
};
template <>
struct Cublas<Kokkos::complex<float>> {
  using Number = cuComplex;
  static constexpr auto one = &cublasCgemm;
  static constexpr auto batch = &cublasCgemmStridedBatched;
};
template <>
struct Cublas<Kokkos::complex<double>> {
  using Number = cuDoubleComplex;
  static constexpr auto one = &cublasZgemm;
  static constexpr auto batch = &cublasZgemmStridedBatched;
};

template <class T>
class CublasGemm : public Contender {
 public:
  CublasGemm(Exec const& exec, GemmProblem<T> const& problem) : exec_(exec), problem_(problem) {
    check(cublasSetStream(handle_, exec.cuda_stream()), "cublasSetStream");
  }
  void run() override {
    using Number = typename Cublas<T>::Number;
    T const alpha(1), beta(0);
    auto const number = [](T const* x) { return reinterpret_cast<Number const*>(x); };
    auto const [batch, m, n, k] = problem_.shape();
    auto* const c = reinterpret_cast<Number*>(problem_.C());
    if (batch == 1)
      check(Cublas<T>::one(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, number(&alpha),
                           number(problem_.A()), m, number(problem_.B()), k, number(&beta), c, m),
            "gemm");
    else
      check(Cublas<T>::batch(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, number(&alpha),
                             number(problem_.A()), m, static_cast<long long>(m) * k,
                             number(problem_.B()), k, static_cast<long long>(k) * n, number(&beta),
                             c, m, static_cast<long long>(m) * n, batch),
            "gemmStridedBatched");
  }
  void fence() override { exec_.fence(); }

 private:
  Exec exec_;
  GemmProblem<T> const& problem_;
  BlasHandle handle_;
};

}  // namespace

template <class T>
std::vector<ProblemEntrant<GemmProblem<T>>> gemm_peers(Exec const& exec) {
  return {{"cublas", true, [exec](GemmProblem<T> const& problem) -> std::unique_ptr<Contender> {
             return std::make_unique<CublasGemm<T>>(exec, problem);
           }}};
}

template std::vector<ProblemEntrant<GemmProblem<float>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<double>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<Kokkos::complex<float>>>> gemm_peers(Exec const&);
template std::vector<ProblemEntrant<GemmProblem<Kokkos::complex<double>>>> gemm_peers(Exec const&);

}  // namespace carroll::perf
