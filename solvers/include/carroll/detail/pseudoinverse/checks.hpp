// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/pseudoinverse/dispatch.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/windows/tensor_gram.hpp>
#include <carroll/error.hpp>
#include <carroll/pseudoinverse/types.hpp>
#include <cmath>
#include <string>

/// What callers may ask for, and the plan for it: std::invalid_argument where no kernel can do it.
namespace carroll::detail {

inline void check_pseudoinverse_options(char const* function, PseudoinverseOptions const& options) {
  auto const number = [](double x) { return std::to_string(x); };
  auto const is_one_of = [&]<class Enum>(char const* name, char const* type, Enum value,
                                         Enum last) {
    require(Enum{} <= value && value <= last, function, [&] {
      return std::string("options.") + name + " is " + std::to_string(static_cast<int>(value)) +
             ", must be an enumerator of " + type;
    });
  };
  is_one_of("method", "PseudoinverseMethod", options.method, PseudoinverseMethod::structured_qr);
  is_one_of("path", "PseudoinversePath", options.path, PseudoinversePath::row_tiles);
  is_one_of("writer", "PseudoinverseWriter", options.writer, PseudoinverseWriter::stretches);
  is_one_of("weight", "RobustWeight", options.weight, RobustWeight::tukey);
  require(options.damping >= 0 && std::isfinite(options.damping), function, [&] {
    return "options.damping is " + number(options.damping) + ", must be finite and not negative";
  });
  require(options.weight == RobustWeight::uniform ||
              (options.weight_scale > 0 && std::isfinite(options.weight_scale)),
          function, [&] {
            return "options.weight_scale is " + number(options.weight_scale) +
                   ", must be finite and positive";
          });
  require(options.cutoff >= 0 && options.cutoff < 1, function, [&] {
    return "options.cutoff is " + number(options.cutoff) + ", must be from 0 to below 1";
  });
}

/// What a path is for; see the table of dispatch.hpp.
inline char const* purpose_of(PseudoinversePath path) {
  switch (path) {
    case PseudoinversePath::one_motion:
      return "one motion column, on GPUs with warps, and on hosts of rows in memory";
    case PseudoinversePath::one_motion_shared_core:
      return "one motion column and rows in memory, on hosts";
    case PseudoinversePath::tensor_sums:
      return "six motion columns of float without weights by normal_equations, on GPUs with tensor "
             "cores for double precision";
    case PseudoinversePath::segment_sums:
      return "three or six motion columns by cholesky_qr or normal_equations, on GPUs with warps";
    default: return "structured_qr and normal_equations, and one motion column by any method";
  }
}
inline char const* purpose_of(PseudoinverseWriter writer) {
  switch (writer) {
    case PseudoinverseWriter::one_motion: return "one motion column, on GPUs with warps";
    case PseudoinverseWriter::products:
      return "one motion column and contiguous columns of the inverse, or three or six and "
             "contiguous rows or columns, on GPUs with warps";
    case PseudoinverseWriter::entries: return "devices that are no hosts";
    default: return "hosts";
  }
}

/// The plan for a step, checked.
inline StepPlan require_step_plan(char const* function, StepCase const& step) {
  StepPlan const plan = plan_step(step);
  auto const& options = step.options;
  require(plan.path != PseudoinversePath::automatic || options.path == PseudoinversePath::automatic,
          function, [&] {
            return "options.path is " + std::string(to_string(options.path)) + ", which is for " +
                   purpose_of(options.path);
          });
  require(plan.path != PseudoinversePath::automatic, function, [&] {
    return "options.method is " + std::string(to_string(options.method)) +
           ", which is for one motion column, and for three or six on GPUs with warps";
  });
  return plan;
}

/// That for a dense A⁺.
inline DensePlan require_dense_plan(char const* function, DenseCase const& dense) {
  DensePlan const plan = plan_dense(dense);
  require(plan.writer != PseudoinverseWriter::automatic, function, [&] {
    return "options.writer is " + std::string(to_string(dense.writer)) + ", which is for " +
           purpose_of(dense.writer);
  });
  return plan;
}

/// The case of a batch.
template <class ExecSpace, class Real>
StepCase step_case(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                   ArrowRowSource rows = ArrowRowSource::stored) {
  return {.backend = arrow_backend<ExecSpace>,
          .single = sizeof(Real) == sizeof(float),
          .has_double_tensors = has_double_tensors(exec),
          .rows = rows,
          .n = batch.n,
          .k = batch.k,
          .m = batch.m,
          .problems = batch.problems(),
          .options = batch.options};
}
template <class ExecSpace, class Real>
DenseCase dense_case(ArrowBatch<Real> const& batch) {
  return {.backend = arrow_backend<ExecSpace>,
          .single = sizeof(Real) == sizeof(float),
          .n = batch.n,
          .k = batch.k,
          .m = batch.m,
          .row_stride = batch.inverse.strides[1],
          .column_stride = batch.inverse.strides[2],
          .writer = batch.options.writer};
}

}  // namespace carroll::detail
