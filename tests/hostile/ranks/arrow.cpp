// SPDX-License-Identifier: BSD-3-Clause
// Steps of a frame whose segments ranks share: the bits of one rank.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "distributed/shared_frame.hpp"
#include "hostile/ranks/drawn.hpp"
#include "hostile/ranks/rounds.hpp"
#include "pseudoinverse_instances.hpp"

namespace carroll::test {

/// The kinds of matrices have names of their own: all files of this tester may be compiled as one.
namespace rank_arrows {
namespace {

constexpr char const* kind_names[] = {"plain",      "dependent", "zero depths",
                                      "with a NaN", "damped",    "huge"};
enum Kind { plain, dependent, zero_depths, bad, damped, huge, kinds };

template <class Real>
ArrowProblem<Real> drawn_problem(Random& random, Kind kind, int k) {
  int const n = random.chance(0.1) ? 0 : random.index(4000);
  int const m = n == 0 ? 0 : 1 + random.index(random.chance(0.3) ? 3 : 200);
  auto problem = random_arrow<Real>(random, n, k, m);
  int const row = n > 0 ? random.index(n) : 0;
  for (int i = 0; i < n; ++i) {
    if (kind == dependent)
      for (int j = 1; j < k; ++j) problem.motion(i, j) = Real(j) * problem.motion(i, 0);
    if (kind == zero_depths && i < n / 2) problem.depth[std::size_t(i)] = 0;
    if (kind == huge) problem.depth[std::size_t(i)] *= Real(1e15);
  }
  if (kind == bad && n > 0) problem.rhs[std::size_t(row)] = std::numeric_limits<Real>::quiet_NaN();
  if (kind == damped)
    for (int c = 0; c < k + problem.m(); ++c)
      problem.damping.push_back(static_cast<Real>(random.uniform()));
  return problem;
}

template <class Real>
void arrow_of(Round& round) {
  Random& random = round.random;
  Communicator const comm = drawn_ranks(random);
  auto const kind = static_cast<Kind>(random.index(kinds));
  int const k = 1 + random.index(8);
  auto const problem = drawn_problem<Real>(random, kind, k);
  distributed::ArrowStepOptions options;
  options.leaf_segments = random.chance(0.2) ? 0 : 1 + random.index(20);
  PseudoinverseMethod const methods[] = {PseudoinverseMethod::automatic,
                                         PseudoinverseMethod::structured_qr,
                                         PseudoinverseMethod::normal_equations};
  options.step.method = methods[random.index(3)];
  if (random.chance(0.3)) options.step.damping = random.uniform();
  RobustWeight const weights[] = {RobustWeight::uniform, RobustWeight::huber, RobustWeight::tukey};
  if (random.chance(0.3)) {
    options.step.weight = weights[random.index(3)];
    options.step.weight_scale = 0.7;
  }
  auto const unit = distributed::leaf_segments(options, problem.n(), problem.m());
  std::string const name =
      std::string(sizeof(Real) == 4 ? "float " : "double ") + std::to_string(problem.n()) + "x(" +
      std::to_string(k) + "+" + std::to_string(problem.m()) + ") " + kind_names[kind] +
      ", method " + std::to_string(int(options.step.method)) + ", leaves of " +
      std::to_string(options.leaf_segments) + " on " + std::to_string(comm.size()) + " ranks: ";
  distributed::ArrowLayout layout{drawn_units(random, comm.size(), problem.m(), unit), {}};
  for (int r = 0; r < comm.size(); ++r)
    layout.rows.offsets.push_back(
        problem.m() > 0 ? problem.offsets[std::size_t(layout.segments.end(r))] : 0);
  auto const one = shared_frame::step_alone(comm, problem, options);
  auto const all = shared_frame::step(comm, layout, problem, options);
  round.expect(all.bytes() == shared_frame::part_of(one, layout, comm.rank()),
               name + "other bits than on one, status " + std::string(to_string(all.info.status)) +
                   ", there " + std::string(to_string(one.info.status)));
  round.expect(
      (all.info.status == Status::non_finite) == (kind == bad && problem.n() > 0) || kind == huge,
      name + "its status is " + std::string(to_string(all.info.status)));
  round.checked(1);
}

}  // namespace
}  // namespace rank_arrows

void arrow_round(Round& round) {
  if (round.random.chance(0.5))
    rank_arrows::arrow_of<float>(round);
  else
    rank_arrows::arrow_of<double>(round);
}

}  // namespace carroll::test
