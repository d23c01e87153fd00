// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "libraries/host_library.hpp"
#include "libraries/lapack.hpp"
#include "pseudoinverse/peers/host.hpp"

namespace carroll::perf {
namespace {

template <class Real>
class LapackStep final : public StepContender {
 public:
  LapackStep(LeastSquaresDriver driver, HostFrame const& frame, int threads)
      : driver_(driver), frame_(frame), threads_(threads) {
    auto const n = static_cast<std::size_t>(frame.rows);
    input_.assign(n * columns(), 0);
    std::copy(frame.motion.begin(), frame.motion.end(), input_.begin());
    for (int i = 0; i < frame.depths(); ++i)
      for (int p = frame.offsets[static_cast<std::size_t>(i)];
           p < frame.offsets[static_cast<std::size_t>(i) + 1]; ++p)
        input_[static_cast<std::size_t>(frame.motions + i) * n + static_cast<std::size_t>(p)] =
            static_cast<Real>(frame.depth[static_cast<std::size_t>(p)]);
    A_.resize(input_.size());
    x_.resize(n);
    singular_.resize(columns());
    Real size = 0;
    lapack_int integers = 0;
    call(&size, -1, &integers);
    work_.resize(static_cast<std::size_t>(size));
    integers_.resize(static_cast<std::size_t>(std::max<lapack_int>(integers, 1)));
  }

  void restore() override {
    std::copy(input_.begin(), input_.end(), A_.begin());
    std::copy(frame_.residual.begin(), frame_.residual.end(), x_.begin());
    set_library_threads(threads_);
  }
  void run() override {
    info_ = call(work_.data(), static_cast<lapack_int>(work_.size()), integers_.data());
  }
  std::string complaint() override { return info_ == 0 ? "" : "info is not 0"; }
  ArrowStep step(int) override {
    auto const first_depth = x_.begin() + frame_.motions;
    return {{x_.begin(), first_depth}, {first_depth, first_depth + frame_.depths()}};
  }

 private:
  std::size_t columns() const {
    return static_cast<std::size_t>(frame_.motions) + static_cast<std::size_t>(frame_.depths());
  }
  lapack_int call(Real* work, lapack_int size, lapack_int* integers) {
    auto const n = static_cast<lapack_int>(frame_.rows), c = static_cast<lapack_int>(columns());
    if (driver_ == LeastSquaresDriver::gels)
      return Lapack<Real>::gels(LAPACK_COL_MAJOR, 'N', n, c, 1, A_.data(), n, x_.data(), n, work,
                                size);
    return Lapack<Real>::gelsd(LAPACK_COL_MAJOR, n, c, 1, A_.data(), n, x_.data(), n,
                               singular_.data(), Real(-1), &rank_, work, size, integers);
  }

  LeastSquaresDriver driver_;
  HostFrame frame_;
  int threads_;
  std::vector<Real> input_, A_, x_, singular_, work_;
  std::vector<lapack_int> integers_;
  lapack_int rank_ = 0, info_ = 0;
};

}  // namespace

std::string to_string(LeastSquaresDriver driver) {
  return driver == LeastSquaresDriver::gels ? "lapack_gels" : "lapack_gelsd";
}

template <class Real>
std::unique_ptr<StepContender> make_lapack_step(LeastSquaresDriver driver, HostFrame const& frame,
                                                int threads) {
  return std::make_unique<LapackStep<Real>>(driver, frame, threads);
}
template std::unique_ptr<StepContender> make_lapack_step<float>(LeastSquaresDriver,
                                                                HostFrame const&, int);
template std::unique_ptr<StepContender> make_lapack_step<double>(LeastSquaresDriver,
                                                                 HostFrame const&, int);

}  // namespace carroll::perf
