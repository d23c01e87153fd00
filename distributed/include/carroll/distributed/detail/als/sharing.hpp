// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/distributed/als/layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::distributed::detail {

/// Users and items by blocks of ranks, which have all of both matrices: what
/// carroll::detail::AlsCall asks for.
template <class ExecSpace>
struct AlsSharing {
  Communicator<ExecSpace> comm;
  AlsLayout const& layout;
  std::int64_t ratings;  ///< of all ranks

  [[nodiscard]] std::int64_t first_user() const { return layout.users.begin(comm.rank()); }
  [[nodiscard]] std::int64_t first_item() const { return layout.items.begin(comm.rank()); }
  template <class T>
  void share_users(T* x, std::int64_t width) const {
    share(layout.users, x, width);
  }
  template <class T>
  void share_items(T* x, std::int64_t width) const {
    share(layout.items, x, width);
  }
  void add(std::array<std::int64_t, 4>& counts) const {
    auto const all = comm.all_gather_value(counts);
    counts = {};
    for (auto const& of_rank : all)
      for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += of_rank[i];
  }

 private:
  template <class T>
  void share(BlockLayout const& rows, T* x, std::int64_t width) const {
    if (width == 0 || rows.length() == 0) return;
    auto counts = rows.counts();
    for (auto& count : counts) count *= width;
    comm.all_gather_v(x + rows.begin(comm.rank()) * width, x, counts);
  }
};

}  // namespace carroll::distributed::detail
