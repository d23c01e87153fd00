// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/distributed/arrow_step.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/copy.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"

/// Steps of frames that all ranks know, each of which takes its segments.
namespace carroll::test::shared_frame {

using distributed::ArrowLayout;
using distributed::ArrowStepOptions;
using Exec = Kokkos::DefaultExecutionSpace;
using Communicator = distributed::Communicator<Exec>;

inline std::vector<std::int64_t> all_offsets(std::vector<int> const& offsets) {
  return {offsets.begin(), offsets.end()};
}

template <class Real>
Kokkos::View<Real*, Exec> view_of(std::vector<Real> const& values) {
  Kokkos::View<Real*, Exec> const view("view", values.size());
  carroll::test::deep_copy(
      view, Kokkos::View<Real const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(),
                                                                                  values.size()));
  return view;
}
template <class View>
auto vector_of(View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  using Real = typename View::non_const_value_type;
  return std::vector<Real>(host.data(), host.data() + host.span());
}

template <class Real>
struct Result {
  PseudoinverseInfo<Real> info;
  std::vector<Real> motion, covariance;
  std::vector<Real> depth, variances;  ///< of this rank's segments

  /// What all ranks have alike, and this rank's depths.
  [[nodiscard]] std::string bytes() const {
    std::string text = std::to_string(int(info.status)) + " " + std::to_string(info.rank);
    for (auto const* some : {&motion, &covariance, &depth, &variances})
      text.append(reinterpret_cast<char const*>(some->data()), some->size() * sizeof(Real));
    text.append(reinterpret_cast<char const*>(&info.cutoff), 2 * sizeof(Real));
    return text;
  }
};

/// This rank's part of the step of a problem that all ranks have.
template <class Real>
Result<Real> step(Communicator const& comm, ArrowLayout const& layout,
                  ArrowProblem<Real> const& problem, ArrowStepOptions const& options) {
  int const k = problem.k();
  auto const first = layout.segments.begin(comm.rank()), last = layout.segments.end(comm.rank());
  auto const begin = layout.rows.begin(comm.rank()), end = layout.rows.end(comm.rank());
  auto const part = [](std::vector<Real> const& all, std::int64_t from, std::int64_t to) {
    return std::vector<Real>(all.begin() + from, all.begin() + to);
  };
  Kokkos::View<Real**, Kokkos::LayoutLeft, Exec> const motion("motion", end - begin, k);
  auto const host = Kokkos::create_mirror_view(motion);
  for (auto i = begin; i < end; ++i)
    for (int j = 0; j < k; ++j) host(i - begin, j) = problem.motion(int(i), j);
  carroll::test::deep_copy(motion, host);
  std::vector<int> offsets;
  for (auto s = first; s <= last; ++s)
    offsets.push_back(problem.offsets[std::size_t(s)] - static_cast<int>(begin));
  auto damping = problem.damping;
  if (damping.empty()) damping.assign(std::size_t(k + problem.m()), Real(0));
  auto own_damping = part(damping, 0, k);
  for (auto const lambda : part(damping, k + first, k + last)) own_damping.push_back(lambda);

  carroll::ArrowJacobian const A{motion, view_of(part(problem.depth, begin, end)), view_of(offsets),
                                 carroll::none, view_of(own_damping)};
  Kokkos::View<Real*, Exec> const y("y", k), xi("xi", last - first),
      variances("variances", last - first);
  Kokkos::View<Real**, Exec> const covariance("covariance", k, k);
  Result<Real> result;
  result.info =
      distributed::arrow_step(comm, A, view_of(part(problem.rhs, begin, end)),
                              carroll::ArrowSolution{y, xi, covariance, variances}, options);
  result.motion = vector_of(y);
  result.covariance = vector_of(covariance);
  result.depth = vector_of(xi);
  result.variances = vector_of(variances);
  return result;
}

/// By one rank alone.
template <class Real>
Result<Real> step_alone(Communicator const& comm, ArrowProblem<Real> const& problem,
                        ArrowStepOptions const& options) {
  return step(comm.split(comm.rank(), 0),
              distributed::arrow_layout(1, all_offsets(problem.offsets), options), problem,
              options);
}

/// Of what one rank alone has the part of a rank.
template <class Real>
std::string part_of(Result<Real> alone, ArrowLayout const& layout, int rank) {
  auto const first = layout.segments.begin(rank), last = layout.segments.end(rank);
  for (auto* some : {&alone.depth, &alone.variances})
    *some = std::vector<Real>(some->begin() + first, some->begin() + last);
  return alone.bytes();
}

}  // namespace carroll::test::shared_frame
