// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>

#include "pseudoinverse/arrow_frames.hpp"
#include "pseudoinverse/contender.hpp"

namespace carroll::perf {

/// The step of one frame by the normal equations of the dense A: cuBLAS' syrk and gemv, cuSOLVER's
/// potrf and potrs.
template <class Real>
std::unique_ptr<StepContender> make_cuda_step(Kokkos::Cuda const& exec,
                                              ArrowFrames<Real> const& frames);

}  // namespace carroll::perf
