// SPDX-License-Identifier: BSD-3-Clause
// Batches over ranks: each member as one call for all of them makes it, wherever results go.
#include <carroll/distributed/batch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "determinant_instances.hpp"
#include "distributed/packed.hpp"
#include "hostile/ranks/drawn.hpp"
#include "hostile/ranks/rounds.hpp"
#include "pseudoinverse_instances.hpp"
#include "support/copy.hpp"
#include "svd_instances.hpp"

namespace carroll::test {

namespace {

using distributed::BatchOptions;
using distributed::Gather;

/// Views of a batch that all ranks fill alike, with gaps where they have strides.
template <class Real>
struct Views {
  using Layout = Kokkos::LayoutStride;
  using View = Kokkos::View<Real***, Layout, Exec>;

  static View make(int gap, std::int64_t members, std::int64_t rows, std::int64_t cols) {
    Kokkos::View<Real***, Kokkos::LayoutRight, Exec> const memory("memory", members, rows + gap,
                                                                  cols + gap);
    using Range = std::pair<std::int64_t, std::int64_t>;
    return Kokkos::subview(View(memory), Kokkos::ALL, Range(0, rows), Range(0, cols));
  }
  static View filled(Random& random, int gap, std::int64_t members, std::int64_t rows,
                     std::int64_t cols) {
    Kokkos::View<Real***, Kokkos::LayoutRight, Exec> const packed("packed", members, rows, cols);
    auto const host = Kokkos::create_mirror_view(packed);
    for (std::size_t i = 0; i < host.span(); ++i) host.data()[i] = Real(random.normal());
    for (std::int64_t b = 0; b < members; ++b) {
      if (rows == 0 || cols == 0) break;
      if (random.chance(0.1)) host(b, 0, 0) = std::numeric_limits<Real>::infinity();
      if (random.chance(0.1))
        for (std::int64_t j = 0; j < cols; ++j) host(b, rows - 1, j) = 0;
    }
    carroll::test::deep_copy(packed, host);
    auto const view = make(gap, members, rows, cols);
    carroll::test::deep_copy(view, packed);
    return view;
  }
};

/// What of a batch a rank gives and gets.
struct Share {
  std::int64_t own, own_count, out, out_count;
  Share(Communicator const& comm, BlockLayout const& layout, BatchOptions const& options)
      : own(layout.begin(comm.rank())),
        own_count(layout.count(comm.rank())),
        out(own),
        out_count(own_count) {
    bool const all = options.gather == Gather::all ||
                     (options.gather == Gather::root && options.root == comm.rank());
    if (all) out = 0, out_count = layout.length();
  }
  template <class View>
  [[nodiscard]] auto inputs(View const& view) const {
    return distributed::detail::members_of(view, own, own_count);
  }
  template <class View>
  [[nodiscard]] auto outputs(View const& view) const {
    return distributed::detail::members_of(view, out, out_count);
  }
};

template <class Real>
void batch_of(Round& round) {
  Random& random = round.random;
  Communicator const comm = drawn_ranks(random);
  std::int64_t const members = random.index(random.chance(0.3) ? 4 : 40);
  std::int64_t const rows = random.index(24), cols = random.index(24);
  int const what = random.index(3), gap = random.index(3);
  auto const A = Views<Real>::filled(random, gap, members, rows, what == 1 ? rows : cols);
  auto const u = Views<Real>::filled(random, 0, members, 1, rows);
  auto const d = Views<Real>::filled(random, 0, members, 1, rows);
  std::int64_t const k = std::min(rows, cols), depths = 1 + random.index(4);
  bool const values_only = random.chance(0.3);
  auto const gather = static_cast<Gather>(random.index(3));
  int const root = random.index(world().size());
  BatchOptions const options{gather, root % comm.size()};
  auto const layout = random.chance(0.5) ? drawn_units(random, comm.size(), members, 1)
                                         : drawn_layout(random, comm.size(), members);
  Share const share(comm, layout, options);
  char const* const names[] = {"svd", "determinant", "frames"};
  std::string const name = std::string(sizeof(Real) == 4 ? "float " : "double ") + names[what] +
                           " of " + std::to_string(members) + " of " + std::to_string(rows) + "x" +
                           std::to_string(cols) + ", gathering " + std::to_string(int(gather)) +
                           " on " + std::to_string(comm.size()) + " ranks: ";
  auto const expect = [&](auto const& got, auto const& wanted, char const* of) {
    round.expect(packed_bytes(share.outputs(got)) == packed_bytes(share.outputs(wanted)),
                 name + "other bits of " + of + " than in one call");
  };
  Exec const& exec = comm.exec();
  if (what == 0) {
    auto const U = Views<Real>::make(gap, members, rows, k),
               U1 = Views<Real>::make(0, members, rows, k),
               V = Views<Real>::make(gap, members, cols, k),
               V1 = Views<Real>::make(0, members, cols, k);
    Kokkos::View<Real**, Exec> const S("S", members, k), S1("S1", members, k);
    if (values_only) {
      (void)carroll::singular_values(exec, A, S1);
      (void)distributed::svd_batch(comm, layout, share.inputs(A), none, share.outputs(S), none, {},
                                   options);
    } else {
      (void)carroll::svd(exec, A, U1, S1, V1);
      (void)distributed::svd_batch(comm, layout, share.inputs(A), share.outputs(U),
                                   share.outputs(S), share.outputs(V), {}, options);
    }
    expect(S, S1, "S"), expect(U, U1, "U"), expect(V, V1, "V");
  } else if (what == 1) {
    auto const one = carroll::determinant_of(exec, A);
    auto const all = distributed::determinant_of_batch(comm, layout, share.inputs(A), {}, options);
    round.expect(static_cast<std::int64_t>(all.infos.size()) == share.out_count,
                 name + std::to_string(all.infos.size()) + " infos");
    for (std::size_t b = 0; b < all.infos.size(); ++b) {
      auto const &is = all.infos[b], &was = one[std::size_t(share.out) + b];
      bool const nan = was.value.is_nan();
      round.expect(
          is.status == was.status && nan == is.value.is_nan() && (nan || is.value == was.value),
          name + "another determinant of member " + std::to_string(b));
    }
  } else if (rows > 0 && cols > 0) {
    Kokkos::View<int*, Exec> const offsets("offsets", depths + 1);
    auto const host = Kokkos::create_mirror_view(offsets);
    for (std::int64_t s = 0; s <= depths; ++s) host(s) = static_cast<int>(rows * s / depths);
    carroll::test::deep_copy(offsets, host);
    auto const depth = Kokkos::subview(u, Kokkos::ALL, 0, Kokkos::ALL);
    auto const rhs = Kokkos::subview(d, Kokkos::ALL, 0, Kokkos::ALL);
    Kokkos::View<Real**, Exec> const y("y", members, cols), y1("y1", members, cols),
        xi("xi", members, depths), xi1("xi1", members, depths);
    (void)carroll::apply_pseudoinverse(exec, ArrowJacobian{A, depth, offsets}, rhs,
                                       ArrowSolution{y1, xi1});
    (void)distributed::apply_pseudoinverse_batch(
        comm, layout, ArrowJacobian{share.inputs(A), share.inputs(depth), offsets},
        share.inputs(rhs), ArrowSolution{share.outputs(y), share.outputs(xi)}, {}, options);
    expect(y, y1, "the motion"), expect(xi, xi1, "the depths");
  }
  round.checked(members > 0 ? members : 1);
}

}  // namespace

void batch_round(Round& round) {
  if (round.random.chance(0.5))
    batch_of<float>(round);
  else
    batch_of<double>(round);
}

}  // namespace carroll::test
