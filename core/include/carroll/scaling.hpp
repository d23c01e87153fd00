// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/scaling/least_squares.hpp>
#include <carroll/error.hpp>
#include <cmath>
#include <span>
#include <string>
#include <vector>

/// The laws of speed-up, of measured times: T_s of the sequential algorithm, T_p of the parallel
/// one with p threads, of a problem of size N that is the same or grows with p.
///
///   auto const fit = carroll::fit_amdahl(times);  // of {threads, seconds}
///   fit.serial_fraction;                          // a in T_p = a·T + (1 - a)·T/p
///
/// Plain C++ of the host, without Kokkos. Numbers without sense throw std::invalid_argument.
/// carroll/scaling/summation.hpp has the times that a model foretells for sums.
namespace carroll {

struct ThreadTime {
  int threads = 1;
  double seconds = 0;
};

/// How one time compares. Fixed size: T_s and T_1 are of the same problem.
struct Speedup {
  int threads = 1;
  double seconds = 0;     ///< T_p
  double absolute = 0;    ///< S_p = T_s/T_p
  double relative = 0;    ///< T_1/T_p; what one thread loses to being parallel does not show
  double efficiency = 0;  ///< E_p = S_p/p
  double overhead = 0;    ///< p·T_p - T_s: seconds that all threads together spend in excess
  double karp_flatt = 0;  ///< (1/S_p - 1/p)/(1 - 1/p), the serial fraction by this time alone;
                          ///< NaN for one thread
};

/// What the time has beside a·T + (1 - a)·T/p. Each term is c·h(p), with c to be found.
enum class OverheadTerm {
  absent,
  constant,    ///< h = 1, also for one thread: the parallel program is slower than the sequential
  per_thread,  ///< h = p - 1: one thread deals with the others in turn
  per_level,   ///< h = log₂p: a tree of threads
};

/// Amdahl's law (1967) as the times have it.
struct AmdahlFit {
  double serial_fraction = 0;   ///< a; below 0 where the speed-up is more than p
  double seconds = 0;           ///< T: by one thread, without overhead
  double overhead_seconds = 0;  ///< c
  double residual = 0;          ///< root of the mean square of relative errors of the times
  /// The speed-up that no number of threads exceeds, 1/a; infinite where a is not above 0.
  [[nodiscard]] double limit() const {
    return serial_fraction > 0 ? 1 / serial_fraction : HUGE_VAL;
  }
};

/// Gustafson's law (1988): work that grows with p, S = s + (1 - s)·p.
struct GustafsonFit {
  double serial_fraction = 0;  ///< s, of the time of the parallel run
  double residual = 0;         ///< root of the mean square of relative errors of the speed-ups
};

namespace detail {

inline void check_times(char const* function, std::span<ThreadTime const> times) {
  for (auto const& time : times) {
    require(time.threads >= 1, function,
            [&] { return std::to_string(time.threads) + " threads, must be at least 1"; });
    require(std::isfinite(time.seconds) && time.seconds > 0, function, [&] {
      return "a time of " + std::to_string(time.seconds) + " seconds, must be above 0";
    });
  }
}

inline double overhead_shape(OverheadTerm term, int threads) {
  switch (term) {
    case OverheadTerm::absent: return 0;
    case OverheadTerm::constant: return 1;
    case OverheadTerm::per_thread: return threads - 1;
    case OverheadTerm::per_level: return std::log2(threads);
  }
  return 0;
}

}  // namespace detail

/// What T_p is beside T_s and T_1.
[[nodiscard]] inline Speedup speedup(ThreadTime const& time, double sequential_seconds,
                                     double one_thread_seconds) {
  char const* const function = "carroll::speedup";
  ThreadTime const all[] = {time, {1, sequential_seconds}, {1, one_thread_seconds}};
  detail::check_times(function, all);
  double const p = time.threads;
  Speedup found{time.threads, time.seconds};
  found.absolute = sequential_seconds / time.seconds;
  found.relative = one_thread_seconds / time.seconds;
  found.efficiency = found.absolute / p;
  found.overhead = p * time.seconds - sequential_seconds;
  found.karp_flatt = (1 / found.absolute - 1 / p) / (1 - 1 / p);
  if (time.threads == 1) found.karp_flatt = NAN;
  return found;
}

/// SS_p = p·T_s(N)/T_p(pN), with N the work; p where threads cost nothing.
[[nodiscard]] inline double scaled_speedup(double sequential_seconds_of_one,
                                           ThreadTime const& time_of_all) {
  ThreadTime const all[] = {time_of_all, {1, sequential_seconds_of_one}};
  detail::check_times("carroll::scaled_speedup", all);
  return time_of_all.threads * sequential_seconds_of_one / time_of_all.seconds;
}

/// Amdahl's law by least squares of relative errors: T_p = a·T + (1 - a)·T/p + c·h(p), with T, a
/// and c unknown. Takes times of at least two numbers of threads, or three with an overhead; any
/// number of times of each. OverheadTerm::constant cannot be told from a without T_s: see below.
[[nodiscard]] inline AmdahlFit fit_amdahl(std::span<ThreadTime const> times,
                                          OverheadTerm term = OverheadTerm::absent) {
  char const* const function = "carroll::fit_amdahl";
  detail::check_times(function, times);
  detail::require(term != OverheadTerm::constant, function,
                  [] { return std::string("a constant overhead takes the sequential time, too"); });
  // 1 = (A + B/p + C·h(p))/T_p, of relative errors.
  std::vector<detail::Equation> equations;
  for (auto const& [threads, seconds] : times) {
    equations.push_back(
        {{1 / seconds, 1 / (threads * seconds), detail::overhead_shape(term, threads) / seconds},
         1});
  }
  int const unknowns = term == OverheadTerm::absent ? 2 : 3;
  auto const found = detail::least_squares(function, equations, unknowns);
  double const one = found.x[0] + found.x[1];
  return {found.x[0] / one, one, found.x[2], found.residual};
}

/// The same with T = T_s known and a constant overhead: S_p = T_s/(a·T_s + (1 - a)·T_s/p + c).
[[nodiscard]] inline AmdahlFit fit_amdahl(std::span<ThreadTime const> times,
                                          double sequential_seconds) {
  char const* const function = "carroll::fit_amdahl";
  detail::check_times(function, times);
  ThreadTime const sequential{1, sequential_seconds};
  detail::check_times(function, {&sequential, 1});
  std::vector<detail::Equation> equations;
  for (auto const& [threads, seconds] : times)
    equations.push_back({{1 / seconds, 1 / (threads * seconds), 0}, 1});
  auto const found = detail::least_squares(function, equations, 2);
  double const serial = 1 - found.x[1] / sequential_seconds;
  return {serial, sequential_seconds, found.x[0] - serial * sequential_seconds, found.residual};
}

/// Gustafson's law by least squares of relative errors, of the speed-ups T_s(pN)/T_p(pN), one
/// problem of each size by one thread and by p. The serial part is taken not to grow with N.
[[nodiscard]] inline GustafsonFit fit_gustafson(std::span<ThreadTime const> times,
                                                std::span<double const> sequential_seconds) {
  char const* const function = "carroll::fit_gustafson";
  detail::check_times(function, times);
  detail::require(times.size() == sequential_seconds.size(), function, [&] {
    return std::to_string(sequential_seconds.size()) + " sequential times, must be " +
           std::to_string(times.size());
  });
  std::vector<detail::Equation> equations;
  for (std::size_t k = 0; k < times.size(); ++k) {
    ThreadTime const sequential{1, sequential_seconds[k]};
    detail::check_times(function, {&sequential, 1});
    double const weight = times[k].seconds / sequential_seconds[k];
    double const p = times[k].threads;
    equations.push_back({{(1 - p) * weight, 0, 0}, 1 - p * weight});
  }
  auto const found = detail::least_squares(function, equations, 1);
  return {found.x[0], found.residual};
}

}  // namespace carroll
