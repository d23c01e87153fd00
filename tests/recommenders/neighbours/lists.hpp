// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/neighbours.hpp>
#include <cstdint>

#include "recommenders/ratings/triples.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {

/// A similarity is a quotient of sums of so many products.
template <class Real>
[[nodiscard]] constexpr double neighbour_tolerance(int columns) {
  return 4 * (columns + 4) * epsilon<Real>;
}

/// What carroll::neighbours makes of ratings, on the host.
template <class Real>
class NeighbourLists {
 public:
  NeighbourLists(Ratings<Real, Memory> const& ratings, NeighbourOptions const& options, int listed)
      : NeighbourLists(Exec(), ratings, options, listed) {}
  template <class ExecSpace>
  NeighbourLists(ExecSpace const& exec, Ratings<Real, Memory> const& ratings,
                 NeighbourOptions const& options, int listed) {
    auto const rows = static_cast<std::size_t>(options.between == Between::users ? ratings.users()
                                                                                 : ratings.items());
    device_ids_ = Ids("ids", rows, static_cast<std::size_t>(listed));
    device_similarities_ = Similarities("similarities", rows, static_cast<std::size_t>(listed));
    info_ = neighbours(exec, ratings, device_ids_, device_similarities_, options);
    ids_ = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device_ids_);
    similarities_ = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device_similarities_);
  }

  using Ids = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Memory>;
  using Similarities = Kokkos::View<Real**, Kokkos::LayoutLeft, Memory>;

  [[nodiscard]] NeighbourInfo const& info() const { return info_; }
  [[nodiscard]] int listed() const { return ids_.extent_int(1); }
  [[nodiscard]] int rows() const { return ids_.extent_int(0); }
  [[nodiscard]] std::int32_t id(int i, int k) const { return ids_(i, k); }
  [[nodiscard]] Real similarity(int i, int k) const { return similarities_(i, k); }
  [[nodiscard]] Ids const& ids() const { return device_ids_; }
  [[nodiscard]] Similarities const& similarities() const { return device_similarities_; }

 private:
  NeighbourInfo info_;
  Ids device_ids_;
  Similarities device_similarities_;
  template <class View>
  using Copy = decltype(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), View()));
  Copy<Ids> ids_;
  Copy<Similarities> similarities_;
};

}  // namespace carroll::test
