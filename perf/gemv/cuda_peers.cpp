// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "gemv/peers.hpp"
#include "libraries/cuda_handles.hpp"
#include "libraries/cuda_routines.hpp"

namespace carroll::perf {
namespace {

template <class T>
class CublasGemv : public Contender {
 public:
  CublasGemv(Exec const& exec, GemvProblem<T> const& problem) : exec_(exec), problem_(problem) {
    check(cublasSetStream(handle_, exec.cuda_stream()), "cublasSetStream");
  }
  void run() override {
    auto const [rows, cols, transposed] = problem_.the_case();
    int const m = static_cast<int>(rows), n = static_cast<int>(cols);
    auto const op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    T const one(1), zero(0);
    check(CudaRoutines<T>::gemv(handle_, op, m, n, &one, problem_.A(), m, problem_.x(), 1, &zero,
                                problem_.y(), 1),
          "gemv");
  }
  void fence() override { exec_.fence(); }

 private:
  Exec exec_;
  GemvProblem<T> const& problem_;
  BlasHandle handle_;
};

}  // namespace

template <class T>
std::vector<ProblemEntrant<GemvProblem<T>>> gemv_peers(Exec const& exec) {
  return {{"cublas", true, [exec](GemvProblem<T> const& problem) -> std::unique_ptr<Contender> {
             return std::make_unique<CublasGemv<T>>(exec, problem);
           }}};
}

template std::vector<ProblemEntrant<GemvProblem<float>>> gemv_peers(Exec const&);
template std::vector<ProblemEntrant<GemvProblem<double>>> gemv_peers(Exec const&);

}  // namespace carroll::perf
