// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>

/// With CARROLL_COMPILED, which comes with the target Carroll::compiled, the public headers declare
/// what that library holds, and read no kernels: solvers for Kokkos::DefaultExecutionSpace.
/// Without it, as with Carroll::solvers, they define everything for every execution space.
namespace carroll::detail {

template <class ExecSpace>
consteval bool is_compiled_for() {
#ifdef CARROLL_COMPILED
  static_assert(std::same_as<ExecSpace, Kokkos::DefaultExecutionSpace>,
                "carroll: Carroll::compiled holds solvers for Kokkos::DefaultExecutionSpace; for "
                "another execution space link Carroll::solvers");
#endif
  return true;
}

}  // namespace carroll::detail
