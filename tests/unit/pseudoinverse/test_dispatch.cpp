// SPDX-License-Identifier: BSD-3-Clause
// Which kernels are chosen, on every kind of device, and that those which can be chosen here give
// the same step.
#include <gtest/gtest.h>

#include <carroll/fused_pseudoinverse.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "support/pseudoinverse/arrow_drivers.hpp"
#include "support/tolerance.hpp"

namespace {

using namespace carroll::test;
using carroll::PseudoinverseMethod;
using carroll::PseudoinverseOptions;
using carroll::PseudoinversePath;
using carroll::PseudoinverseWriter;
using carroll::RobustWeight;
using carroll::detail::ArrowBackend;
using carroll::detail::ArrowRowSource;
using carroll::detail::CoreKernels;
using carroll::detail::DenseCase;
using carroll::detail::InverseKernels;
using carroll::detail::plan_dense;
using carroll::detail::plan_step;
using carroll::detail::StepCase;
using carroll::detail::WriteKernels;

constexpr StepCase step(ArrowBackend backend, bool single, int k,
                        PseudoinverseOptions const& options = {}, bool tensors = true) {
  return {.backend = backend,
          .single = single,
          .has_double_tensors = tensors,
          .n = 120'000,
          .k = k,
          .m = 1000,
          .options = options};
}
constexpr PseudoinversePath path_of(StepCase const& step) {
  return plan_step(step).path;
}

TEST(PseudoinverseDispatch, StepsOnGpusWithWarps) {
  constexpr auto warps = ArrowBackend::warps;
  for (bool const single : {false, true}) {
    EXPECT_EQ(path_of(step(warps, single, 1)), PseudoinversePath::one_motion);
    EXPECT_EQ(path_of(step(warps, single, 2)), PseudoinversePath::row_tiles);
    EXPECT_EQ(path_of(step(warps, single, 3)), PseudoinversePath::segment_sums);
    EXPECT_EQ(path_of(step(warps, single, 6, {}, false)), PseudoinversePath::segment_sums);
    EXPECT_EQ(path_of(step(warps, single, 7)), PseudoinversePath::row_tiles);
    EXPECT_EQ(plan_step(step(warps, single, 1)).core, CoreKernels::with_windows);
    EXPECT_EQ(plan_step(step(warps, single, 3)).core, CoreKernels::by_warp);
    EXPECT_EQ(plan_step(step(warps, single, 7)).core, CoreKernels::by_team);
  }
  EXPECT_EQ(path_of(step(warps, true, 6)), PseudoinversePath::tensor_sums);
  EXPECT_EQ(path_of(step(warps, false, 6)), PseudoinversePath::segment_sums);
  PseudoinverseOptions const robust{.weight = RobustWeight::huber, .weight_scale = 1};
  EXPECT_EQ(path_of(step(warps, true, 6, robust)), PseudoinversePath::segment_sums);
  auto converted = step(warps, true, 6);
  converted.rows = ArrowRowSource::converted;
  EXPECT_EQ(path_of(converted), PseudoinversePath::segment_sums);
}

/// A method that is asked for by name is taken, and `automatic` takes sums of rows of float no
/// further than down to the default cutoff.
TEST(PseudoinverseDispatch, MethodsAreWhatTheirNamesSay) {
  constexpr auto warps = ArrowBackend::warps;
  PseudoinverseOptions const qr{.method = PseudoinverseMethod::structured_qr};
  PseudoinverseOptions const cholesky{.method = PseudoinverseMethod::cholesky_qr};
  PseudoinverseOptions const normal{.method = PseudoinverseMethod::normal_equations};
  for (bool const single : {false, true})
    for (int const k : {3, 6}) {
      auto const plan = plan_step(step(warps, single, k, qr));
      EXPECT_EQ(plan.path, PseudoinversePath::row_tiles);
      EXPECT_FALSE(plan.leaves_sums);
      EXPECT_EQ(path_of(step(warps, single, k, cholesky)), PseudoinversePath::segment_sums);
      EXPECT_EQ(path_of(step(ArrowBackend::host, single, k, cholesky)),
                PseudoinversePath::automatic);
      EXPECT_EQ(path_of(step(ArrowBackend::device, single, k, cholesky)),
                PseudoinversePath::automatic);
      EXPECT_TRUE(plan_step(step(ArrowBackend::host, single, k, normal)).leaves_sums);

      double const eps = single ? 0x1p-23 : 0x1p-52;
      auto const beyond = path_of(step(warps, single, k, {.cutoff = 16 * eps}));
      EXPECT_EQ(beyond, single ? PseudoinversePath::row_tiles : PseudoinversePath::segment_sums);
      EXPECT_EQ(path_of(step(warps, single, k, {.cutoff = 32 * (k + 1) * eps})),
                path_of(step(warps, single, k)));
    }
  EXPECT_EQ(path_of(step(warps, true, 6, normal)), PseudoinversePath::tensor_sums);
  EXPECT_EQ(path_of(step(warps, true, 6, normal, false)), PseudoinversePath::segment_sums);
}

TEST(PseudoinverseDispatch, StepsOnHostsAndOtherDevices) {
  EXPECT_EQ(path_of(step(ArrowBackend::device, false, 1)), PseudoinversePath::row_tiles);
  EXPECT_EQ(path_of(step(ArrowBackend::host, false, 6)), PseudoinversePath::row_tiles);
  auto one = step(ArrowBackend::host, false, 1);
  EXPECT_EQ(path_of(one), PseudoinversePath::one_motion);
  one.m = 60'000;
  EXPECT_EQ(path_of(one), PseudoinversePath::one_motion_shared_core);
  one.problems = 2;
  EXPECT_EQ(path_of(one), PseudoinversePath::one_motion);
  one.rows = ArrowRowSource::computed;
  EXPECT_EQ(path_of(one), PseudoinversePath::row_tiles);
}

/// Without rows there are no windows, and every path and method has the same core.
TEST(PseudoinverseDispatch, ProblemsWithoutRows) {
  for (auto const backend : {ArrowBackend::warps, ArrowBackend::device, ArrowBackend::host})
    for (int const k : {1, 2, 3, 6})
      for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::cholesky_qr}) {
        auto none =
            step(backend, true, k, {.method = method, .path = PseudoinversePath::segment_sums});
        none.n = 0;
        EXPECT_EQ(plan_step(none).core, CoreKernels::by_team);
        EXPECT_NE(plan_step(none).path, PseudoinversePath::automatic);
      }
}

TEST(PseudoinverseDispatch, WindowsOfOneMotionColumnHaveAWarpsSegments) {
  using carroll::detail::one_motion_window_rows;
  EXPECT_EQ(one_motion_window_rows(true, 120'000, 1000), 640);
  EXPECT_EQ(one_motion_window_rows(true, 20'000, 1000), 576);
  EXPECT_EQ(one_motion_window_rows(true, 10'000, 1000), 384);
  EXPECT_EQ(one_motion_window_rows(false, 20'000, 1000), 320);
  EXPECT_EQ(one_motion_window_rows(false, 10'000, 1000), 192);
}

constexpr DenseCase dense(ArrowBackend backend, int k, std::int64_t row_stride,
                          std::int64_t column_stride,
                          PseudoinverseWriter writer = PseudoinverseWriter::automatic) {
  return {.backend = backend,
          .n = 1000,
          .k = k,
          .m = 100,
          .row_stride = row_stride,
          .column_stride = column_stride,
          .writer = writer};
}

TEST(PseudoinverseDispatch, DenseInverses) {
  constexpr auto warps = ArrowBackend::warps;
  EXPECT_EQ(plan_dense(dense(warps, 1, 1000, 1)).inverse, InverseKernels::one_motion_rows);
  EXPECT_EQ(plan_dense(dense(warps, 1, 1, 101)).inverse, InverseKernels::one_motion_columns);
  auto const gaps = plan_dense(dense(warps, 1, 1, 102));
  EXPECT_EQ(gaps.inverse, InverseKernels::one_motion_factors);
  EXPECT_EQ(gaps.write, WriteKernels::products_by_columns);
  auto const strided = plan_dense(dense(warps, 1, 2, 300));
  EXPECT_EQ(strided.inverse, InverseKernels::one_motion_factors);
  EXPECT_EQ(strided.write, WriteKernels::entries);
  for (int const k : {3, 6}) {
    EXPECT_EQ(plan_dense(dense(warps, k, 1000, 1)).write, WriteKernels::products_by_rows);
    EXPECT_EQ(plan_dense(dense(warps, k, 1, 106)).write, WriteKernels::products_by_columns);
    EXPECT_EQ(plan_dense(dense(warps, k, 2, 300)).write, WriteKernels::entries);
    auto const entries = plan_dense(dense(warps, k, 1000, 1, PseudoinverseWriter::entries));
    EXPECT_EQ(entries.inverse, InverseKernels::after_step);
    EXPECT_EQ(entries.write, WriteKernels::entries);
  }
  EXPECT_EQ(plan_dense(dense(warps, 2, 1000, 1)).write, WriteKernels::entries);
  EXPECT_EQ(plan_dense(dense(ArrowBackend::device, 6, 1000, 1)).write, WriteKernels::entries);
  EXPECT_EQ(plan_dense(dense(ArrowBackend::host, 6, 1000, 1)).write, WriteKernels::stretches);
  auto const one = plan_dense(dense(warps, 1, 1, 101, PseudoinverseWriter::products));
  EXPECT_EQ(one.inverse, InverseKernels::after_step);
  EXPECT_EQ(one.write, WriteKernels::products_by_columns);
  EXPECT_EQ(plan_dense(dense(warps, 1, 1000, 1, PseudoinverseWriter::products)).writer,
            PseudoinverseWriter::automatic);
}

/// Every path that can take the problem here gives the step of the others.
TEST(PseudoinverseDispatch, PathsAgree) {
  Random random(51);
  for (int const k : {1, 3, 6})
    for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                              PseudoinverseMethod::normal_equations}) {
      auto const problem = random_arrow<double>(random, 5000, k, 40);
      auto const expected = run_step(problem, {.method = method}).all();
      int runs = 0;
      for (auto const path :
           {PseudoinversePath::one_motion, PseudoinversePath::one_motion_shared_core,
            PseudoinversePath::tensor_sums, PseudoinversePath::segment_sums,
            PseudoinversePath::row_tiles}) {
        std::vector<double> found;
        try {
          found = run_step(problem, {.method = method, .path = path}).all();
        } catch (std::invalid_argument const& error) {
          std::string const text = error.what();
          EXPECT_NE(text.find("options.path is " + std::string(to_string(path)) + ", which is for"),
                    std::string::npos)
              << text;
          continue;
        }
        ++runs;
        double error = 0, size = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
          error += (found[i] - expected[i]) * (found[i] - expected[i]);
          size += expected[i] * expected[i];
        }
        EXPECT_LE(std::sqrt(error / size), least_squares_tolerance<double>(k + 40, 100))
            << k << ' ' << to_string(method) << ' ' << to_string(path);
      }
      EXPECT_GE(runs, k == 1 ? 2 : 1);
    }
}

TEST(PseudoinverseDispatch, AHostsThreadsShareTheCoreWithoutChangingBits) {
  if (carroll::detail::lanes<Exec> != 1) GTEST_SKIP() << "no host";
  Random random(52);
  auto const problem = random_arrow<float>(random, 9000, 1, 300);
  for (auto const method : {PseudoinverseMethod::automatic, PseudoinverseMethod::structured_qr,
                            PseudoinverseMethod::normal_equations}) {
    auto const one = run_step(problem, {.method = method, .path = PseudoinversePath::one_motion});
    auto const shared =
        run_step(problem, {.method = method, .path = PseudoinversePath::one_motion_shared_core});
    EXPECT_TRUE(same_bits(one.motion, shared.motion));
    EXPECT_TRUE(same_bits(one.depth, shared.depth));
    EXPECT_TRUE(same_bits(one.covariance, shared.covariance));
    EXPECT_TRUE(same_bits(one.variances, shared.variances));
  }
}

TEST(PseudoinverseDispatch, WritersAgree) {
  Random random(53);
  for (int const k : {1, 3}) {
    auto const problem = random_arrow<double>(random, 300, k, 20);
    auto const expected = run_inverse(problem);
    int runs = 0;
    for (auto const writer : {PseudoinverseWriter::one_motion, PseudoinverseWriter::products,
                              PseudoinverseWriter::entries, PseudoinverseWriter::stretches}) {
      try {
        auto const found = run_inverse(problem, {.writer = writer});
        ++runs;
        double error = 0, size = 0;
        for (std::size_t i = 0; i < found.data.size(); ++i) {
          error = std::max(error, std::abs(found.data[i] - expected.data[i]));
          size = std::max(size, std::abs(expected.data[i]));
        }
        EXPECT_LE(error, 1e-12 * size) << k << ' ' << to_string(writer);
      } catch (std::invalid_argument const& error) {
        std::string const text = error.what();
        EXPECT_NE(
            text.find("options.writer is " + std::string(to_string(writer)) + ", which is for"),
            std::string::npos)
            << text;
      }
    }
    EXPECT_GE(runs, 1);
  }
}

}  // namespace
