// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/svd/types.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "svd/contender.hpp"

namespace carroll::perf {

/// Carroll's default options, and those of the study's methods, in every placement.
inline SvdOptions default_method() {
  return {};
}
std::vector<SvdOptions> study_methods();
/// The default method by each family of kernels that is not the default one of such matrices: what
/// the table in carroll/detail/svd/dispatch.hpp chooses among.
template <class Real>
std::vector<SvdOptions> other_families(SvdShape const& shape);
/// "preconditioned", "cyclic", "round_robin_shared" …, or the family that is asked for, with
/// "_tol1e-4" and the like appended.
std::string method_name(SvdOptions const& options);

/// carroll::svd_async or singular_values_async with a workspace, as an iterating caller uses it.
template <class Real>
std::unique_ptr<SvdContender<Real>> make_carroll_svd(Kokkos::DefaultExecutionSpace const& exec,
                                                     SvdOptions const& options,
                                                     SvdShape const& shape,
                                                     std::span<Real const> A);

}  // namespace carroll::perf
