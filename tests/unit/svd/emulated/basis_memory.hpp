// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <carroll/detail/svd/eigenbasis/start.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

/// By threads of the host: what is emulated has no scans.
template <>
inline void carroll::detail::enqueue_eigen_reduction(EmulatedSpace const& /*exec*/,
                                                     EighBatch<double> const& batch, int members,
                                                     int n) {
  Kokkos::DefaultHostExecutionSpace const host;
  enqueue_divided_reduce(host, batch, members, n);
  host.fence("carroll_test::eigen_reduction");
}
template <>
inline void carroll::detail::enqueue_eigenvectors(EmulatedSpace const& /*exec*/,
                                                  EighBatch<double> const& batch, int members,
                                                  int n) {
  Kokkos::DefaultHostExecutionSpace const host;
  enqueue_divided_reduced(host, batch, members, n);
  host.fence("carroll_test::eigenvectors");
}

namespace carroll::test {

/// What a workspace has for the family `eigenbasis`, on the host, full of NaN and of nonsense.
class BasisMemoryOfHost {
 public:
  explicit BasisMemoryOfHost(std::vector<detail::BasisExtents> const& extents,
                             std::int64_t most = detail::BasisPlan::most_doubles)
      : plan_(extents, most),
        doubles_(static_cast<std::size_t>(plan_.doubles + 16),
                 std::numeric_limits<double>::quiet_NaN()),
        states_(static_cast<std::size_t>(plan_.members), {{7, 7}, 7, 7, 7, {}}),
        infos_(static_cast<std::size_t>(plan_.members)) {}

  [[nodiscard]] int chunks() const { return static_cast<int>(plan_.chunks.size()); }

  /// Of the last chunk's first member.
  [[nodiscard]] detail::BasisState const& state() const { return states_.front(); }

  template <class Real>
  void enqueue(detail::EmulatedSpace const& exec, detail::SvdBatch<Real> const& batch,
               Real tolerance, detail::BasisFrom from) const {
    void* begin = doubles_.data();
    std::size_t bytes = doubles_.size() * sizeof(double);
    detail::BasisMemory const memory{
        plan_.slots.data(), static_cast<double*>(std::align(128, bytes - 128, begin, bytes)),
        states_.data(), infos_.data()};
    for (detail::BasisChunk const& chunk : plan_.chunks)
      detail::enqueue_basis_chunk(exec, batch, chunk, memory, tolerance, from);
  }

 private:
  mutable detail::BasisPlan plan_;
  mutable std::vector<double> doubles_;
  mutable std::vector<detail::BasisState> states_;
  mutable std::vector<EighInfo<double>> infos_;
};

}  // namespace carroll::test
