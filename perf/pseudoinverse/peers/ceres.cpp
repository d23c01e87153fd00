// SPDX-License-Identifier: BSD-3-Clause
#include <ceres/ceres.h>

#include <algorithm>

#include "harness/harness.hpp"
#include "pseudoinverse/peers/host.hpp"

namespace carroll::perf {
namespace {

/// A row, with the residual -d + B·y + u·ξ. `stays`: no step is ever an improvement, so that Ceres
/// takes none and solves for the next one from the same Jacobian, with more damping.
class Row final : public ceres::CostFunction {
 public:
  Row(HostFrame const& frame, int row, bool stays) : frame_(frame), row_(row), stays_(stays) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->push_back(frame.motions);
    mutable_parameter_block_sizes()->push_back(1);
  }

  bool Evaluate(double const* const* x, double* residual, double** jacobians) const override {
    auto const row = static_cast<std::size_t>(row_);
    residual[0] = -frame_.residual[row];
    if (stays_) {
      if (!jacobians) residual[0] *= 2;
    } else {
      residual[0] += frame_.depth[row] * x[1][0];
      for (int j = 0; j < frame_.motions; ++j) residual[0] += frame_.B(row_, j) * x[0][j];
    }
    if (jacobians && jacobians[0])
      for (int j = 0; j < frame_.motions; ++j) jacobians[0][j] = frame_.B(row_, j);
    if (jacobians && jacobians[1]) jacobians[1][0] = frame_.depth[row];
    return true;
  }

 private:
  HostFrame const& frame_;
  int row_;
  bool stays_;
};

class CeresStep final : public StepContender {
 public:
  CeresStep(HostFrame const& frame, int threads) : frame_(frame), threads_(threads) {}

  void run() override {
    // The first iteration allocates, and the initial state counts as one, too.
    auto const summary = solve(true, 12);
    std::vector<double> seconds;
    for (std::size_t i = 2; i < summary.iterations.size(); ++i)
      seconds.push_back(summary.iterations[i].step_solver_time_in_seconds);
    complaint_ = seconds.empty() ? "Ceres: " + summary.message : "";
    own_seconds_ = seconds.empty() ? 0 : median(seconds);
  }
  double own_seconds() override { return own_seconds_; }
  std::string complaint() override { return complaint_; }
  ArrowStep step(int) override {
    solve(false, 1);
    return {motion_, depth_};
  }

 private:
  ceres::Solver::Summary solve(bool stays, int iterations) {
    motion_.assign(static_cast<std::size_t>(frame_.motions), 0);
    depth_.assign(static_cast<std::size_t>(frame_.depths()), 0);
    ceres::Problem problem;
    for (int i = 0; i < frame_.depths(); ++i)
      for (int p = frame_.offsets[static_cast<std::size_t>(i)];
           p < frame_.offsets[static_cast<std::size_t>(i) + 1]; ++p)
        problem.AddResidualBlock(new Row(frame_, p, stays), nullptr, motion_.data(),
                                 &depth_[static_cast<std::size_t>(i)]);
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_SCHUR;
    options.linear_solver_ordering = std::make_shared<ceres::ParameterBlockOrdering>();
    for (double& xi : depth_)
      if (problem.HasParameterBlock(&xi)) options.linear_solver_ordering->AddElementToGroup(&xi, 0);
    options.linear_solver_ordering->AddElementToGroup(motion_.data(), 1);
    options.max_num_iterations = iterations;
    options.num_threads = threads_;
    options.initial_trust_region_radius = options.max_trust_region_radius = 1e16;
    options.function_tolerance = options.gradient_tolerance = options.parameter_tolerance = 0;
    options.min_trust_region_radius = 1e-300;
    options.max_num_consecutive_invalid_steps = iterations;
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    return summary;
  }

  HostFrame frame_;
  int threads_;
  std::vector<double> motion_, depth_;
  double own_seconds_ = 0;
  std::string complaint_;
};

}  // namespace

std::unique_ptr<StepContender> make_ceres_step(HostFrame const& frame, int threads) {
  return std::make_unique<CeresStep>(frame, threads);
}

std::string ceres_version() {
  return CERES_VERSION_STRING;
}

}  // namespace carroll::perf
