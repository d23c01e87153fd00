// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/denoise/team/symmetric.hpp>
#include <carroll/detail/denoise/tridiagonal.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// What a team has for its stack: of m patches of n pixels.
struct TeamStackMemory {
  float *patches, *matrix;                              // m·n, n²
  float *mean, *diagonal, *coupling, *factor, *values;  // n
  float* work;                                          // 2·n
  float *vectors, *factors, *parts;                     // n², 5·n², m·n

  static KOKKOS_INLINE_FUNCTION std::int64_t fast_numbers(std::int64_t m, std::int64_t n) {
    return m * n + n * n + 7 * n;
  }
  static KOKKOS_INLINE_FUNCTION std::int64_t slow_numbers(std::int64_t m, std::int64_t n) {
    return 6 * n * n + m * n;
  }
  KOKKOS_INLINE_FUNCTION TeamStackMemory(float* fast, float* slow, std::int64_t m, std::int64_t n)
      : patches(fast),
        matrix(patches + m * n),
        mean(matrix + n * n),
        diagonal(mean + n),
        coupling(diagonal + n),
        factor(coupling + n),
        values(factor + n),
        work(values + n),
        vectors(slow),
        factors(vectors + n * n),
        parts(factors + 5 * n * n) {}
};

/// A team for each stack, wherever Kokkos runs: what HostStacks does, an eigenvalue to a lane.
/// Patches, the matrix and what is as long as a patch are in fast scratch where it has room.
template <class ExecSpace>
class TeamStackKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;

  explicit TeamStackKernel(StackProblem const& problem)
      : problem_(problem),
        n_(problem.order()),
        fast_(TeamStackMemory::fast_numbers(problem.members, problem.order())),
        slow_(TeamStackMemory::slow_numbers(problem.members, problem.order())) {
    level_ = bytes(fast_) + 64 <= Policy::scratch_size_max(0) ? 0 : 1;
  }

  Policy policy(ExecSpace const& exec) const {
    constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 4;
    Policy teams(exec, static_cast<int>(problem_.stacks()), threads, lanes<ExecSpace>);
    teams.set_scratch_size(0, Kokkos::PerTeam(level_ == 0 ? bytes(fast_) + 64 : 0));
    teams.set_scratch_size(
        1, Kokkos::PerTeam(bytes(slow_) + 64 + (level_ == 1 ? bytes(fast_) + 64 : 0)));
    return teams;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (problem_.idle()) return;
    auto* const fast =
        static_cast<float*>(team.team_scratch(level_).get_shmem_aligned(bytes(fast_), 16));
    auto* const slow =
        static_cast<float*>(team.team_scratch(1).get_shmem_aligned(bytes(slow_), 16));
    TeamStackMemory const my(fast, slow, problem_.members, n_);
    std::int64_t const stack = team.league_rank();
    std::int32_t const* const places = problem_.places + stack * problem_.stride;
    gather(team, places, my);
    team_gram(team, my.patches, problem_.members, n_, my.matrix);
    team_tridiagonalise(team, my.matrix, n_, my.diagonal, my.coupling, my.factor, my.work);
    Shrinkage const shrinkage =
        problem_.shrinkage(problem_.local_noise(squares(team, problem_.reference(stack))));
    int const kept = spectrum(team, shrinkage, my);
    estimate(team, places, kept, shrinkage, my);
  }

 private:
  static KOKKOS_INLINE_FUNCTION int bytes(std::int64_t numbers) {
    return static_cast<int>(numbers * static_cast<std::int64_t>(sizeof(float)));
  }
  KOKKOS_INLINE_FUNCTION std::int64_t offset(int pixel) const {
    return pixel / problem_.patch * problem_.layout.pitch + pixel % problem_.patch;
  }

  KOKKOS_FUNCTION void gather(TeamMember<ExecSpace> const& team, std::int32_t const* places,
                              TeamStackMemory const& my) const {
    int const m = problem_.members;
    team_for(team, m * n_,
             [&](int e) { my.patches[e] = problem_.current[places[e / n_] + offset(e % n_)]; });
    team.team_barrier();  // patches are there
    team_for(team, n_, [&](int i) {
      float sum = 0;
      for (int k = 0; k < m; ++k) sum += my.patches[k * n_ + i];
      float const mean = sum / static_cast<float>(m);
      my.mean[i] = mean;
      for (int k = 0; k < m; ++k) my.patches[k * n_ + i] -= mean;
    });
    team.team_barrier();  // less their mean
  }

  KOKKOS_FUNCTION float squares(TeamMember<ExecSpace> const& team, std::int64_t at) const {
    if (problem_.residual == 0) return 0;
    return lane_sum<float>(team, n_,
                           [&](int i) { return problem_.squared_difference(at + offset(i)); });
  }

  /// Eigenvalues above the threshold and their vectors; how many they are.
  KOKKOS_FUNCTION int spectrum(TeamMember<ExecSpace> const& team, Shrinkage const& shrinkage,
                               TeamStackMemory const& my) const {
    Tridiagonal<float> const T{my.diagonal, my.coupling, n_};
    float const bound = T.bound(), below[1] = {shrinkage.threshold};
    float count[1];
    T.counts_above(below, bound * bound * 1e-15F, count);
    int const kept = static_cast<int>(count[0]);
    team_for(team, kept, [&](int k) {
      float value[1];
      T.eigenvalues(k, shrinkage.threshold, bound, value);
      my.values[k] = value[0];
    });
    team.team_barrier();  // values are there
    inverse_iteration(team, T, bound, kept, my);
    team_reflect_back(team, my.matrix, my.factor, n_, kept, my.vectors);
    return kept;
  }

  /// As tridiagonal_vectors, but all solve first and are made orthogonal then.
  KOKKOS_FUNCTION void inverse_iteration(TeamMember<ExecSpace> const& team,
                                         Tridiagonal<float> const& T, float bound, int kept,
                                         TeamStackMemory const& my) const {
    for (int iteration = 0; iteration < inverse_iterations; ++iteration) {
      team_for(team, kept, [&](int k) {
        ShiftedFactors<float> const factors{my.factors + std::int64_t{5} * k * n_, n_};
        float* const x = my.vectors + k * n_;
        if (iteration == 0) {
          factors.factor(T, my.values[k], bound * 1e-9F);
          start_vector(k, n_, x);
        } else {
          factors.solve_lower(x);
        }
        factors.solve_upper(x);
        divide_by_largest(n_, x);
      });
      team.team_barrier();  // all have solved
      if (team.team_rank() == 0)
        for (int k = 0; k < kept; ++k) orthonormalise(team, my.vectors, k);
      team.team_barrier();  // orthonormal
    }
  }
  KOKKOS_FUNCTION void orthonormalise(TeamMember<ExecSpace> const& team, float* vectors,
                                      int k) const {
    float* const x = vectors + k * n_;
    for (int j = 0; j < k; ++j) {
      float const* const y = vectors + j * n_;
      float const dot = lane_sum<float>(team, n_, [&](int i) { return x[i] * y[i]; });
      lane_for(team, n_, [&](int i) { x[i] -= dot * y[i]; });
    }
    float const squared = lane_sum<float>(team, n_, [&](int i) { return x[i] * x[i]; });
    float const scale = 1 / Kokkos::sqrt(squared + 1e-30F);
    lane_for(team, n_, [&](int i) { x[i] *= scale; });
  }

  KOKKOS_FUNCTION void estimate(TeamMember<ExecSpace> const& team, std::int32_t const* places,
                                int kept, Shrinkage const& shrinkage,
                                TeamStackMemory const& my) const {
    int const m = problem_.members;
    team_for(team, m * kept, [&](int e) {
      float const *const y = my.patches + e / kept * n_, *const z = my.vectors + e % kept * n_;
      float sum = 0;
      for (int i = 0; i < n_; ++i) sum += y[i] * z[i];
      my.parts[e] = sum * shrinkage(my.values[e % kept]);
    });
    team.team_barrier();  // parts are there
    team_for(team, m * n_, [&](int e) {
      int const member = e / n_, i = e % n_;
      float x = my.mean[i];
      for (int k = 0; k < kept; ++k) x += my.parts[member * kept + k] * my.vectors[k * n_ + i];
      std::int64_t const place = places[member] - problem_.origin;
      Kokkos::atomic_add(problem_.sums + place + offset(i),
                         static_cast<double>(StackProblem::in_units(x)));
      if (i == 0) Kokkos::atomic_add(problem_.hits + place, 1.0);
    });
  }

  StackProblem problem_;
  int n_;
  std::int64_t fast_, slow_;
  int level_ = 0;
};

}  // namespace carroll::detail
