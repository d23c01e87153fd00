// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/determinant/types.hpp>
#include <memory>
#include <string>
#include <vector>

#include "determinant/contender.hpp"
#include "determinant/matrices.hpp"

namespace carroll::perf {

/// The methods that are there to be compared with.
inline constexpr std::array historical_methods{
    DeterminantMethod::condensation, DeterminantMethod::salem_said, DeterminantMethod::dodgson};
/// The default method by each family of kernels that is not the one that such matrices are given:
/// what detail/determinant/dispatch.hpp chose against.
template <class Real>
std::vector<DeterminantOptions> other_families(Kokkos::DefaultExecutionSpace const& exec,
                                               DeterminantShape const& shape);
/// "blocked", "condensation" …, or the family that is asked for.
std::string method_name(DeterminantOptions const& options);

/// carroll::determinant_async, which overwrites, with a workspace, on rows that are contiguous.
template <class Real>
std::unique_ptr<DeterminantContender<Real>> make_carroll_determinant(
    Kokkos::DefaultExecutionSpace const& exec, DeterminantOptions const& options,
    DeterminantMatrices<Real> const& matrices);

}  // namespace carroll::perf
