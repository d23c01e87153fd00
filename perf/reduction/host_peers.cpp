// SPDX-License-Identifier: BSD-3-Clause
#include <cblas.h>

#include <memory>

#include "libraries/host_library.hpp"
#include "reduction/vectors.hpp"

namespace carroll::perf {
namespace {

float reduce(ReductionFunction function, int n, float const* x, float const* y) {
  switch (function) {
    case ReductionFunction::dot: return cblas_sdot(n, x, 1, y, 1);
    case ReductionFunction::norm2: return cblas_snrm2(n, x, 1);
    default: return cblas_sasum(n, x, 1);
  }
}
double reduce(ReductionFunction function, int n, double const* x, double const* y) {
  switch (function) {
    case ReductionFunction::dot: return cblas_ddot(n, x, 1, y, 1);
    case ReductionFunction::norm2: return cblas_dnrm2(n, x, 1);
    default: return cblas_dasum(n, x, 1);
  }
}

template <class T>
class OpenblasReduction : public ReductionContender {
 public:
  OpenblasReduction(Exec const& exec, ReductionVectors<T> const& vectors,
                    ReductionFunction function)
      : vectors_(vectors), function_(function) {
    set_library_threads(exec.concurrency());
  }
  void run() override {
    value_ = reduce(function_, static_cast<int>(vectors_.length()), vectors_.x().data(),
                    vectors_.y().data());
  }
  double value() override { return value_; }

 private:
  ReductionVectors<T> const& vectors_;
  ReductionFunction function_;
  double value_ = 0;
};

}  // namespace

/// CBLAS has no sum.
template <class T>
std::vector<ReductionEntrant<T>> reduction_peers(Exec const& exec, ReductionFunction function) {
  if (function == ReductionFunction::sum) return {};
  return {
      {std::string("openblas_") + name_of(function), true,
       [exec, function](ReductionVectors<T> const& vectors) -> std::unique_ptr<ReductionContender> {
         return std::make_unique<OpenblasReduction<T>>(exec, vectors, function);
       }}};
}

template std::vector<ReductionEntrant<float>> reduction_peers(Exec const&, ReductionFunction);
template std::vector<ReductionEntrant<double>> reduction_peers(Exec const&, ReductionFunction);

}  // namespace carroll::perf
