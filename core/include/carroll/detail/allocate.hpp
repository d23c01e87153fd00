// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>

namespace carroll::detail {

/// Throws std::invalid_argument unless kernels can count to `size` with an int.
inline void require_size(char const* function, char const* what, std::int64_t size) {
  require(size >= 0 && size <= std::numeric_limits<int>::max(), function, [&] {
    return std::string(what) + " is " + std::to_string(size) + ", must be from 0 to " +
           std::to_string(std::numeric_limits<int>::max());
  });
}

/// An uninitialised View made on the given instance, or an error that says what it was for.
template <class View, class ExecSpace>
View allocate(ExecSpace const& exec, char const* label, std::int64_t count) {
  try {
    return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                static_cast<std::size_t>(count));
  } catch (std::exception const& cause) {
    throw AllocationError(
        label, static_cast<std::size_t>(count) * sizeof(typename View::value_type), cause.what());
  }
}

}  // namespace carroll::detail
