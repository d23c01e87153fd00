// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/scaling.hpp>
#include <carroll/scaling/summation.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "progress.hpp"
#include "ranks/ranks.hpp"
#include "scaling/operations.hpp"

namespace carroll::tool {

/// Seconds of a message from rank to rank and back, halved, and bytes a second of a long one.
struct MessageTimes {
  double latency = 0;
  double bandwidth = 0;
};

/// The same of what each of so many ranks gathers of all.
struct GatherTimes {
  int ranks = 1;
  MessageTimes times;
};

/// What messages cost, measured.
struct Network {
  MessageTimes ping_pong;
  std::vector<GatherTimes> all_gather;
};

struct ScalingWishes {
  Operation const* operation = nullptr;
  std::vector<std::int64_t> sizes;
  std::vector<int> threads;  ///< ascending, with 1; empty: powers of two up to all there are
  bool scaled = false;
  int repetitions = 9;
};

/// One problem that grows with the threads.
struct ScaledPoint {
  int threads = 1;
  std::int64_t size = 0;
  double seconds = 0;             ///< T_p(pN)
  double one_thread_seconds = 0;  ///< T_1(pN)
  double scaled_speedup = 0;      ///< p·T_s(N)/T_p(pN)
};

/// Times of another way to do the same, in the order of SizeScaling::points.
struct OtherTimes {
  std::string name;
  std::vector<double> seconds;
};

struct SizeScaling {
  std::int64_t size = 0;
  double sequential_seconds = 0;       ///< T_s: the loop's, or by one thread if that is less
  std::optional<double> loop_seconds;  ///< of the textbook's algorithm, where there is one
  std::vector<Speedup> points;
  std::optional<AmdahlFit> amdahl;           ///< where there are enough numbers of threads
  std::optional<AmdahlFit> amdahl_overhead;  ///< the same with T_s and a constant overhead
  std::vector<OtherTimes> others;
  std::vector<ScaledPoint> scaled;  ///< where it was asked for
  std::optional<GustafsonFit> gustafson;
};

struct ScalingReport {
  Operation const* operation = nullptr;
  std::string worker = "thread";  ///< or "rank"
  std::string backend;
  std::string device;
  int most_threads = 1;
  int repetitions = 0;
  SummationModel model;                ///< t_calc and t_com, measured
  std::vector<ThreadTime> fork_joins;  ///< of empty parallel regions, of threads
  std::optional<Network> network;      ///< of ranks
  std::vector<SizeScaling> sizes;
};

/// Measures, fits, and leaves `device` open. std::runtime_error when there are fewer threads than
/// asked for. Needs a Runtime.
[[nodiscard]] ScalingReport measure_scaling(ScalingWishes const& wishes, Progress& progress);

/// The same over numbers of the ranks, of which there are several, for an operation of theirs.
[[nodiscard]] ScalingReport measure_scaling_over(Ranks const& ranks, ScalingWishes const& wishes,
                                                 Progress& progress);

}  // namespace carroll::tool
