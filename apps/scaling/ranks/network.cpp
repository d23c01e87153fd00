// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/distributed/blas/reduction_study.hpp>
#include <cstdint>

#include "scaling/clock.hpp"
#include "scaling/ranks/operations.hpp"
#include "scaling/ranks/teams.hpp"

namespace carroll::tool {

namespace {

constexpr int short_runs = 200, long_runs = 15;
constexpr std::int64_t long_message = 1 << 19;  // numbers of eight bytes: 4 MiB
constexpr std::int64_t long_part = 1 << 17;     // of each rank

/// From rank 0 to rank 1 and back: a number of the host, as sums are sent, and numbers of the
/// device.
MessageTimes ping_pong(Team const& comm) {
  auto const numbers =
      uninitialized<DeviceVector<double>>(comm.exec(), "carroll::tool::message", long_message);
  int const other = 1 - comm.rank();
  auto const short_way = [&] {
    double value = 0;
    if (comm.rank() == 0) distributed::detail::study_give(comm.raw(), value, other);
    value = distributed::detail::study_take<double>(comm.raw(), other);
    if (comm.rank() == 1) distributed::detail::study_give(comm.raw(), value, other);
  };
  auto const long_way = [&] {
    if (comm.rank() == 0) comm.send(numbers.data(), long_message, other);
    comm.receive(numbers.data(), long_message, other);
    if (comm.rank() == 1) comm.send(numbers.data(), long_message, other);
    comm.exec().fence("carroll::tool: end of a message");
  };
  double const latency = median_seconds(short_runs, short_way) / 2;
  double const seconds = median_seconds(long_runs, long_way) / 2;
  return {latency, static_cast<double>(long_message) * sizeof(double) / seconds};
}

/// Of every rank's part to all.
MessageTimes all_gather(Team const& comm) {
  auto const mine =
      uninitialized<DeviceVector<double>>(comm.exec(), "carroll::tool::part", long_part);
  auto const all = uninitialized<DeviceVector<double>>(comm.exec(), "carroll::tool::parts",
                                                       comm.size() * long_part);
  double const latency =
      median_seconds(short_runs, [&] { static_cast<void>(comm.all_gather_value(1.0)); });
  double const seconds = median_seconds(long_runs, [&] {
    comm.all_gather(mine.data(), all.data(), long_part);
    comm.exec().fence("carroll::tool: end of a message");
  });
  return {latency, static_cast<double>(all.size()) * sizeof(double) / seconds};
}

}  // namespace

Network measure_network(Ranks const& ranks, std::vector<int> const& numbers) {
  Network network;
  auto const teams = make_teams(ranks.size());
  auto const measure = [&](int p, auto const& times_of) {
    MessageTimes times;
    if (is_in(teams, p)) times = times_of(team(teams, p));
    ranks.together([] {});
    return MessageTimes{ranks.of_first(times.latency), ranks.of_first(times.bandwidth)};
  };
  network.ping_pong = measure(2, ping_pong);
  for (int const p : numbers)
    if (p > 1) network.all_gather.push_back({p, measure(p, all_gather)});
  return network;
}

}  // namespace carroll::tool
