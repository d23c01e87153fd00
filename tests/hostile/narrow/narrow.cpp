// SPDX-License-Identifier: BSD-3-Clause
// Matrices in 16 bits of random shapes, kinds, layouts and options: the bits of their floats.
#include <string>

#include "hostile/members.hpp"
#include "hostile/round.hpp"
#include "support/narrow/determinant.hpp"
#include "support/narrow/eigh.hpp"
#include "support/narrow/svd.hpp"
#include "support/view_layout.hpp"

namespace carroll::test {

std::string_view const hostile_name = "hostile_narrow";
std::string_view const hostile_about =
    "Decompositions and determinants of random float16 and bfloat16 matrices: the bits of those of "
    "their floats, with vectors of floats and rounded to 16 bits, nothing written beside them.";
std::string_view const hostile_kinds = "svd,eigh,determinant";

namespace {

/// Often small.
std::size_t draw_extent(Random& random) {
  int const most = random.chance(0.8) ? 12 : random.chance(0.8) ? 40 : 140;
  return size(random.index(most + 1));
}

/// So many members that the round takes about as long as others.
std::size_t draw_members(Random& random, std::size_t m, std::size_t n) {
  std::size_t const work = m * n * (m < n ? m : n);
  int const most = static_cast<int>((on_device ? 4000000 : 100000) / (work + 100));
  return size(random.index(most + 2));
}

template <class T, class Layout>
std::string play(Random& random, std::string_view solver, std::size_t& members) {
  std::size_t const m = draw_extent(random), n = solver == "svd" ? draw_extent(random) : m;
  members = draw_members(random, m, n);
  auto A = draw_narrow_batch<T, Layout>(random, members, m, n);
  std::string text = std::string(solver) +
                     (std::is_same_v<T, float16> ? " float16 " : " bfloat16 ") +
                     std::to_string(members) + " of " + std::to_string(m) + "x" +
                     std::to_string(n) + ", " + layout_name<Layout>;
  std::string difference;
  if (solver == "svd") {
    SvdOptions options;
    if (random.chance(0.2)) options.path = SvdPath::team;
    if (random.chance(0.1)) options.method = SvdMethod::cyclic;
    bool const full = random.chance(0.3);
    text += std::string(full ? ", full, path " : ", path ") + to_string(options.path);
    difference = svd_difference(A, full, options);
  } else if (solver == "eigh") {
    EighOptions options;
    if (random.chance(0.5)) options.triangle = Triangle::upper;
    if (random.chance(0.2)) options.path = EighPath::team;
    if (random.chance(0.2)) options.method = EighMethod::cholesky_jacobi;
    bool const definite = options.method == EighMethod::cholesky_jacobi;
    text += std::string(options.triangle == Triangle::upper ? ", upper" : ", lower") +
            (definite ? ", cholesky_jacobi" : "") + ", path " + to_string(options.path);
    difference = eigh_difference(A, options);
  } else {
    DeterminantOptions options;
    if (random.chance(0.2)) options.method = DeterminantMethod::dodgson;
    difference = determinant_difference(A, options);
  }
  return difference.empty() ? "" : text + ':' + difference;
}

template <class T>
std::string play_in_a_layout(Random& random, std::string_view solver, std::size_t& members) {
  ViewLayout const layouts[] = {ViewLayout::left, ViewLayout::right, ViewLayout::stride};
  return with_layout(layouts[random.index(3)], [&](auto layout) {
    return play<T, decltype(layout)>(random, solver, members);
  });
}

}  // namespace

void hostile_round(Round& round, std::string_view kind) {
  std::string_view const solvers[] = {"svd", "eigh", "determinant"};
  std::string_view const solver = kind.empty() ? solvers[round.random.index(3)] : kind;
  std::size_t members = 0;
  std::string const complaint = round.random.chance(0.5)
                                    ? play_in_a_layout<float16>(round.random, solver, members)
                                    : play_in_a_layout<bfloat16>(round.random, solver, members);
  round.expect(complaint.empty(), complaint);
  round.checked(static_cast<std::int64_t>(members));
}

}  // namespace carroll::test
