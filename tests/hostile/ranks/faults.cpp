// SPDX-License-Identifier: BSD-3-Clause
// Some ranks have something wrong with them: all throw, or the result is right; then they go on.
#include <carroll/distributed/arrow_step.hpp>
#include <carroll/distributed/batch.hpp>
#include <carroll/distributed/blas/sum.hpp>
#include <carroll/distributed/determinant.hpp>
#include <carroll/distributed/tall_svd.hpp>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "determinant_instances.hpp"
#include "hostile/ranks/drawn.hpp"
#include "hostile/ranks/rounds.hpp"
#include "pseudoinverse_instances.hpp"
#include "svd_instances.hpp"

namespace carroll::test {

namespace {

constexpr char const* fault_names[] = {
    "one entry too many", "another summation",  "another layout", "no memory",
    "one row too many",   "other columns",      "another engine", "another damping",
    "a member too many",  "another destination"};
enum FaultKind {
  long_vector,
  other_summation,
  other_layout,
  no_memory,
  tall_rows,
  tall_columns,
  other_engine,
  other_damping,
  more_members,
  other_root,
  faults
};
/// Of the others it is enough that one rank differs from another one.
constexpr bool is_wrong_by_itself(int kind) {
  return kind == long_vector || kind == no_memory || kind == tall_rows || kind == more_members;
}

/// What this rank does where it is the one (`mine`) or one of the others.
void call(int kind, Communicator const& comm, BlockLayout const& layout, bool mine) {
  std::int64_t const more = mine ? 1 : 0;
  switch (kind) {
    case long_vector: {
      Kokkos::View<double*, Exec> const x("x", layout.count(comm.rank()) + more);
      auto workspace = distributed::reduction_workspace<double>(comm, layout);
      (void)distributed::sum(comm, x, workspace);
      return;
    }
    case other_summation: {
      Kokkos::View<double*, Exec> const x("x", layout.count(comm.rank()));
      (void)distributed::sum(comm, x, {mine ? Summation::exact : Summation::canonical});
      return;
    }
    case other_layout: {
      BlockLayout other = layout;
      other.offsets.back() += more;
      (void)distributed::reduction_workspace<double>(comm, other);
      return;
    }
    case no_memory:
      comm.agree("hostile", 0, [&] {
        if (mine) throw std::bad_alloc();
      });
      return;
    case tall_rows:
    case tall_columns: {
      std::int64_t const n = 3 + (kind == tall_columns ? more : 0);
      auto const rows = distributed::tall_layout<double>(comm.size(), layout.length() + 4, n);
      Kokkos::View<double**, Exec> const A(
          "A", rows.count(comm.rank()) + (kind == tall_rows ? more : 0), n),
          V("V", n, n);
      Kokkos::View<double*, Exec> const S("S", n);
      (void)distributed::tall_svd(comm, rows, A, none, S, V);
      return;
    }
    case other_engine: {
      using distributed::DeterminantEngine;
      (void)distributed::determinant_workspace<double>(
          comm, distributed::cyclic_layout(300, 256, comm.size()),
          {mine ? DeterminantEngine::gathered : DeterminantEngine::panels});
      return;
    }
    case other_damping: {
      std::vector<std::int64_t> const offsets{0, 4, 9};
      distributed::ArrowStepOptions options{.step = {}, .leaf_segments = 1};
      options.step.damping = mine ? 1 : 2;
      (void)distributed::arrow_step_workspace<double>(
          comm, distributed::arrow_layout(comm.size(), offsets, options), 2, options);
      return;
    }
    default: {
      auto const members = distributed::block_layout(comm.size(), 2 * comm.size());
      Kokkos::View<double***, Exec> const A("A", 2 + (kind == more_members ? more : 0), 2, 2);
      distributed::BatchOptions options{distributed::Gather::root, 0};
      if (kind == other_root && mine) options.gather = distributed::Gather::all;
      (void)distributed::determinant_of_batch(comm, members, A, {}, options);
    }
  }
}

}  // namespace

void fault_round(Round& round) {
  Random& random = round.random;
  Communicator const comm = drawn_ranks(random);
  int const length = drawn_length(random), kind = random.index(faults);
  std::vector<bool> bad(static_cast<std::size_t>(world().size()));
  for (std::size_t r = 0; r < bad.size(); ++r) bad[r] = random.chance(0.3);
  BlockLayout const layout = drawn_layout(random, comm.size(), length);
  // The second group of ranks has numbers of its own, from 0 on, too.
  bool any = false, differ = false;
  for (int r = 0; r < comm.size(); ++r) {
    any = any || bad[std::size_t(r)];
    differ = differ || bad[std::size_t(r)] != bad[0];
  }
  bool const must_throw = is_wrong_by_itself(kind) ? any : differ;
  std::string said;
  try {
    call(kind, comm, layout, bad[std::size_t(comm.rank())]);
  } catch (std::exception const& error) {
    said = error.what();
  }
  round.expect(said.empty() != must_throw,
               std::string(fault_names[kind]) + " on " + std::to_string(comm.size()) +
                   " ranks: rank " + std::to_string(comm.rank()) +
                   (said.empty() ? " did not throw" : " threw " + said));
  Kokkos::View<double*, Exec> const zeros("zeros", layout.count(comm.rank()));
  round.expect(distributed::sum(comm, zeros).value == 0, "the sum of zeros after a fault");
  round.checked(1);
}

}  // namespace carroll::test
