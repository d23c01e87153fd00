// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/pseudoinverse/types.hpp>
#include <memory>
#include <vector>

#include "pseudoinverse/arrow_frames.hpp"
#include "pseudoinverse/contender.hpp"

namespace carroll::perf {

/// carroll::apply_pseudoinverse_async with a workspace: x stays where kernels are.
template <class Real>
std::unique_ptr<StepContender> make_carroll_step(Exec const& exec,
                                                 PseudoinverseOptions const& options,
                                                 ArrowFrames<Real> const& frames);

/// The default method by each family of kernels that it does not take for such frames: what
/// detail/pseudoinverse/dispatch.hpp chose against.
template <class Real>
std::vector<PseudoinverseOptions> other_step_families(Exec const& exec, ArrowShape const& shape);

/// Which dimension of a dense A⁺ is contiguous.
enum class Orientation { rows, columns };

/// carroll::pseudoinverse_async with a workspace; `product_only`: with what stands for the last
/// product of the normal equations alone, factors and their product, after a step that is not
/// timed. On GPUs a dense A⁺ of one motion column has no such part: all of it is one kernel
/// (pseudoinverse/one_motion/dense/inverse.hpp), unless options.writer is another.
template <class Real>
std::unique_ptr<InverseContender> make_carroll_inverse(Exec const& exec,
                                                       PseudoinverseOptions const& options,
                                                       Orientation orientation, bool product_only,
                                                       ArrowFrames<Real> const& frames);

/// The same by each family of kernels that does not write such an A⁺ by default.
std::vector<PseudoinverseOptions> other_writers(ArrowShape const& shape, Orientation orientation);

}  // namespace carroll::perf
