// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>

#include "hostile/instances/jobs.hpp"
#include "support/hash.hpp"

/// What jobs are made of, and how they are looked at.
namespace carroll::test {

/// Uniform in [−1, 1), from the place and a seed, where it is needed: on the device.
template <class View>
void fill(Exec const& exec, View const& view, std::uint64_t seed) {
  using Real = typename View::value_type;
  Real* const entries = view.data();
  Kokkos::parallel_for(
      "carroll_test::fill", Kokkos::RangePolicy<Exec>(exec, 0, view.span()),
      KOKKOS_LAMBDA(std::int64_t i) {
        std::uint64_t z = seed + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        z ^= z >> 31U;
        entries[i] = static_cast<Real>(static_cast<double>(z >> 11U) * 0x1p-52 - 1);
      });
}

/// All that is in the memory of a View.
template <class View>
void add_view(Hash& hash, View const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  for (std::size_t i = 0; i < host.span(); ++i) hash.add(host.data()[i]);
}

template <class T>
using Matrices = Kokkos::View<T***, Kokkos::LayoutRight, Memory>;

template <class... Words>
std::string text(Words const&... words) {
  std::ostringstream out;
  (out << ... << words);
  return out.str();
}
template <class Real>
inline constexpr char const* type_name = sizeof(Real) == 4 ? "float" : "double";

/// Between the two, small ones as often as large ones.
inline int size_between(Random& random, int least, int most) {
  return static_cast<int>(least * std::pow(double(most) / least, random.uniform()));
}

template <template <class> class Kind>
std::unique_ptr<Job> of_either_type(Random& random, Exec const& exec, auto... arguments) {
  if (random.chance(0.5)) return std::make_unique<Kind<float>>(random, exec, arguments...);
  return std::make_unique<Kind<double>>(random, exec, arguments...);
}

}  // namespace carroll::test
