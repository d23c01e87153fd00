// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/determinant/types.hpp>
#include <memory>
#include <string>

#include "determinant/contender.hpp"
#include "determinant/matrices.hpp"

namespace carroll::perf {

/// The methods that are there to be compared with.
inline constexpr std::array historical_methods{
    DeterminantMethod::condensation, DeterminantMethod::salem_said, DeterminantMethod::dodgson};
/// "blocked", "condensation" …
std::string method_name(DeterminantMethod method);

/// carroll::determinant_async, which overwrites, with a workspace, on rows that are contiguous.
template <class Real>
std::unique_ptr<DeterminantContender<Real>> make_carroll_determinant(
    Kokkos::DefaultExecutionSpace const& exec, DeterminantMethod method,
    DeterminantMatrices<Real> const& matrices);

}  // namespace carroll::perf
