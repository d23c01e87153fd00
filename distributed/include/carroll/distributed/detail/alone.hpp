// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace carroll::distributed::detail {

/// One rank without others, for what every rank does by itself with the words of a Communicator.
template <class ExecSpace>
class Alone {
 public:
  explicit Alone(ExecSpace const& exec) : exec_(exec) {}

  [[nodiscard]] int rank() const { return 0; }
  [[nodiscard]] int size() const { return 1; }
  [[nodiscard]] ExecSpace const& exec() const { return exec_; }

  template <class T>
  void all_gather_v(T const* mine, T* all, std::span<std::int64_t const> counts) const {
    using Memory = typename ExecSpace::memory_space;
    carroll::detail::copy_objects<Memory, Memory>(exec_, all, mine,
                                                  static_cast<std::size_t>(counts.front()));
  }

 private:
  ExecSpace exec_;
};

}  // namespace carroll::distributed::detail
