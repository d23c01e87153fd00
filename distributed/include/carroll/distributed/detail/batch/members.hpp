// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace carroll::distributed::detail {

/// Members first, …, first + count - 1 of a View whose first index is the member's; of none none.
template <class View>
auto members_of(View const& view, std::int64_t first, std::int64_t count) {
  std::pair<std::size_t, std::size_t> const some(first, first + count);
  constexpr int rank = carroll::detail::rank_of<View>();
  if constexpr (carroll::detail::is_absent<View>)
    return view;
  else if constexpr (rank == 1)
    return Kokkos::subview(view, some);
  else if constexpr (rank == 2)
    return Kokkos::subview(view, some, Kokkos::ALL);
  else
    return Kokkos::subview(view, some, Kokkos::ALL, Kokkos::ALL);
}

/// Entries first, …, first + count - 1 of a View, counted member by member, to `packed`, or from
/// there.
template <bool Away, class ExecSpace, class T>
void copy_members(ExecSpace const& exec, carroll::detail::StridedBatch<T> const& batch, T* packed,
                  std::int64_t first, std::int64_t count) {
  std::int64_t const cols = batch.extents[2], size = batch.extents[1] * cols;
  Kokkos::parallel_for(
      "carroll::distributed::batch::pack",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
      KOKKOS_LAMBDA(std::int64_t e) {
        std::int64_t const member = (first + e) / size, inside = (first + e) % size;
        T& there = packed[e];
        T& here = batch.data[member * batch.strides[0] + inside / cols * batch.strides[1] +
                             inside % cols * batch.strides[2]];
        if constexpr (Away)
          there = here;
        else
          here = there;
      });
}

/// Results of members on their way: without gaps, one member behind the other.
template <class ExecSpace, class View>
class MovedMembers {
  using T = typename View::non_const_value_type;
  using Packed = Kokkos::View<T*, typename ExecSpace::memory_space>;

 public:
  /// `count` of them here, and room for `all` that come.
  MovedMembers(ExecSpace const& exec, View const& view, std::int64_t count, std::int64_t all)
      : batch_(carroll::detail::strided_batch(view, true)),
        size_(batch_.extents[1] * batch_.extents[2]),
        mine_(carroll::detail::allocate<Packed>(exec, "carroll::distributed::batch::mine",
                                                size_ * count)),
        all_(carroll::detail::allocate<Packed>(exec, "carroll::distributed::batch::all",
                                               size_ * all)) {}

  /// Members first, … of the View to their destination, where they and all others come into it.
  void move(Communicator<ExecSpace> const& comm, BlockLayout const& layout, std::int64_t first,
            bool to_all, int root) const {
    auto counts = layout.counts();
    for (auto& count : counts) count *= size_;
    copy_members<true>(comm.exec(), batch_, mine_.data(), first * size_,
                       static_cast<std::int64_t>(mine_.extent(0)));
    if (to_all)
      comm.all_gather_v(mine_.data(), all_.data(), counts);
    else
      comm.gather_v(mine_.data(), all_.data(), counts, root);
    copy_members<false>(comm.exec(), batch_, all_.data(), 0,
                        static_cast<std::int64_t>(all_.extent(0)));
  }

 private:
  carroll::detail::StridedBatch<T> batch_;
  std::int64_t size_;
  Packed mine_, all_;
};

/// Of results that are not wanted.
template <class ExecSpace>
struct MovedMembers<ExecSpace, None> {
  MovedMembers(ExecSpace const&, None, std::int64_t, std::int64_t) {}
  void move(Communicator<ExecSpace> const&, BlockLayout const&, std::int64_t, bool, int) const {}
};

/// Throws std::invalid_argument unless a View has so many members.
template <class View>
void require_members(char const* function, char const* name, View const& view,
                     std::int64_t members) {
  if constexpr (!carroll::detail::is_absent<View>)
    carroll::detail::require(static_cast<std::int64_t>(view.extent(0)) == members, function, [&] {
      return std::string(name) + " is of " + std::to_string(view.extent(0)) +
             " members, must be of " + std::to_string(members) + " on this rank";
    });
}

}  // namespace carroll::distributed::detail
