// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/dense/types.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <limits>
#include <string>

/// What calls on large dense matrices check.
namespace carroll::distributed::detail {

template <class ExecSpace>
consteval void assert_host_space() {
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecSpace::memory_space>::accessible,
      "carroll::distributed: ScaLAPACK works in memory of the host; give a communicator "
      "of a host execution space");
}

#ifdef CARROLL_HAVE_SCALAPACK
inline constexpr bool has_dense_engine = true;
#else
inline constexpr bool has_dense_engine = false;
#endif

/// Collective: throws on all ranks unless they ask for the same, which can be had, and `check` has
/// nothing against their arguments. A of n columns, and k right sides.
template <class ExecSpace, class Check>
void agree_dense(Communicator<ExecSpace> const& comm, char const* function,
                 BlockLayout const& layout, std::int64_t n, std::int64_t k,
                 DenseOptions const& options, Check const& check) {
  auto const signature =
      Signature().with(layout).with(n).with(k).with(options.engine).with(options.block).value();
  comm.agree(function, signature, [&] {
    using carroll::detail::require;
    require(options.engine == DenseEngine::automatic || options.engine == DenseEngine::scalapack,
            function, [&] {
              return "options.engine is " + std::to_string(static_cast<int>(options.engine)) +
                     ", must be an enumerator of DenseEngine";
            });
    require(has_dense_engine, function, [] {
      return std::string("Carroll was built without ScaLAPACK, the only engine there is for this");
    });
    require(options.block >= 1 && options.block <= (1 << 20), function, [&] {
      return "options.block is " + std::to_string(options.block) + ", must be from 1 to 1048576";
    });
    require(layout.ranks() == comm.size(), function, [&] {
      return "the layout is for " + std::to_string(layout.ranks()) + " ranks, there are " +
             std::to_string(comm.size());
    });
    require(
        layout.length() <= std::numeric_limits<int>::max() && n <= std::numeric_limits<int>::max(),
        function, [&] {
          return "a matrix of " + std::to_string(layout.length()) + "×" + std::to_string(n) +
                 " entries is more than ScaLAPACK can count";
        });
    check();
  });
}

}  // namespace carroll::distributed::detail
