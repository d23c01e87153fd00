// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/batch/types.hpp>
#include <carroll/distributed/detail/batch/members.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace carroll::distributed::detail {

/// A result of members, and what it is called.
template <class View>
struct NamedResult {
  char const* name;
  View view;
};
template <class View>
NamedResult(char const*, View) -> NamedResult<View>;

/// A batch over ranks: solve(parts of the results…) works on this rank's members and returns a
/// range of infos, `per_member` for each; then results and infos go where they are wanted.
/// Everything before that may throw, on all ranks.
template <class Info, class ExecSpace, class Check, class Solve, class... Views>
BatchInfo<Info> solve_batch(char const* function, Communicator<ExecSpace> const& comm,
                            BlockLayout const& layout, BatchOptions const& options,
                            Signature signature, std::int64_t per_member, Check const& check,
                            Solve const& solve, NamedResult<Views> const&... results) {
  using Clock = std::chrono::steady_clock;
  auto const since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  int const me = comm.rank();
  bool const moves = options.gather != Gather::none;
  bool const gets_all = options.gather == Gather::all || (moves && options.root == me);
  BatchInfo<Info> info;
  std::tuple<std::optional<MovedMembers<ExecSpace, Views>>...> moved;
  std::int64_t first = 0;
  signature.with(layout).with(options.gather).with(options.root).with(per_member);
  comm.agree(function, signature.value(), [&] {
    using carroll::detail::require;
    require(layout.ranks() == comm.size(), function, [&] {
      return "the layout is of " + std::to_string(layout.ranks()) + " ranks, must be of " +
             std::to_string(comm.size());
    });
    require(options.root >= 0 && options.root < comm.size(), function, [&] {
      return "options.root is " + std::to_string(options.root) + ", must be from 0 to " +
             std::to_string(comm.size() - 1);
    });
    std::int64_t const count = layout.count(me), all = gets_all ? layout.length() : 0;
    first = gets_all ? layout.begin(me) : 0;
    check(count);
    (require_members(function, results.name, results.view, gets_all ? layout.length() : count),
     ...);
    if (moves)
      std::apply([&](auto&... to) { (to.emplace(comm.exec(), results.view, count, all), ...); },
                 moved);
    comm.exec().fence(function);
    auto const start = Clock::now();
    auto const infos = solve(members_of(results.view, first, count)...);
    info.infos.assign(infos.begin(), infos.end());
    comm.exec().fence(function);
    info.compute_seconds = since(start);
  });
  if (!moves) return info;
  auto const start = Clock::now();
  bool const to_all = options.gather == Gather::all;
  std::apply(
      [&](auto const&... some) { (some->move(comm, layout, first, to_all, options.root), ...); },
      moved);
  comm.exec().fence(function);
  auto counts = layout.counts();
  for (auto& count : counts) count *= per_member;
  static_assert(std::is_trivially_copyable_v<Info>);
  // Small: to all of them in either case.
  auto all = comm.all_gather_values(std::span<Info const>(info.infos), counts);
  if (gets_all) info.infos = std::move(all);
  info.move_seconds = since(start);
  return info;
}

}  // namespace carroll::distributed::detail
