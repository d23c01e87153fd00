// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/pseudoinverse/types.hpp>
#include <memory>

#include "pseudoinverse/arrow_frames.hpp"
#include "pseudoinverse/contender.hpp"

namespace carroll::perf {

/// carroll::apply_pseudoinverse_async with a workspace: x stays where kernels are.
template <class Real>
std::unique_ptr<StepContender> make_carroll_step(Exec const& exec, PseudoinverseMethod method,
                                                 ArrowFrames<Real> const& frames);

/// Which dimension of a dense A⁺ is contiguous.
enum class Orientation { rows, columns };

/// carroll::pseudoinverse_async with a workspace; `product_only`: with what stands for the last
/// product of the normal equations alone, factors and their product, after a step that is not
/// timed. On GPUs a dense A⁺ of one motion column has no such part: all of it is one kernel
/// (pseudoinverse/one_motion/dense/inverse.hpp), unless options.writer is another.
template <class Real>
std::unique_ptr<InverseContender> make_carroll_inverse(Exec const& exec, Orientation orientation,
                                                       bool product_only,
                                                       ArrowFrames<Real> const& frames);

}  // namespace carroll::perf
