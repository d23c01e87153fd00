// SPDX-License-Identifier: BSD-3-Clause
#include <cblas.h>

#include <memory>

#include "gemv/peers.hpp"
#include "libraries/host_library.hpp"

namespace carroll::perf {
namespace {

void multiply(CBLAS_TRANSPOSE op, int m, int n, float const* a, float const* x, float* y) {
  cblas_sgemv(CblasColMajor, op, m, n, 1, a, m, x, 1, 0, y, 1);
}
void multiply(CBLAS_TRANSPOSE op, int m, int n, double const* a, double const* x, double* y) {
  cblas_dgemv(CblasColMajor, op, m, n, 1, a, m, x, 1, 0, y, 1);
}

template <class T>
class OpenblasGemv : public Contender {
 public:
  OpenblasGemv(Exec const& exec, GemvProblem<T> const& problem) : problem_(problem) {
    set_library_threads(exec.concurrency());
  }
  void run() override {
    auto const [m, n, transposed] = problem_.the_case();
    multiply(transposed ? CblasTrans : CblasNoTrans, static_cast<int>(m), static_cast<int>(n),
             problem_.A(), problem_.x(), problem_.y());
  }

 private:
  GemvProblem<T> const& problem_;
};

}  // namespace

template <class T>
std::vector<ProblemEntrant<GemvProblem<T>>> gemv_peers(Exec const& exec) {
  return {{"openblas", true, [exec](GemvProblem<T> const& problem) -> std::unique_ptr<Contender> {
             return std::make_unique<OpenblasGemv<T>>(exec, problem);
           }}};
}

template std::vector<ProblemEntrant<GemvProblem<float>>> gemv_peers(Exec const&);
template std::vector<ProblemEntrant<GemvProblem<double>>> gemv_peers(Exec const&);

}  // namespace carroll::perf
