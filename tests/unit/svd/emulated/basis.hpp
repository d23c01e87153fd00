// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/emulated/space.hpp>
// Before all kernels.
#include <carroll/detail/svd/tiled/launch.hpp>
#include <vector>

#include "unit/svd/emulated/basis_memory.hpp"

/// What the launches of whole decompositions ask of an emulated device. Outside of the tests' own
/// namespaces, where several files are compiled as one.
template <>
inline constexpr carroll::detail::SvdBackend
    carroll::detail::svd_backend<carroll::detail::EmulatedSpace> =
        carroll::detail::SvdBackend::tensors;

/// A workspace's part, of the test's memory.
template <>
class carroll::detail::BasisStart<carroll::detail::EmulatedSpace> {
 public:
  explicit BasisStart(std::vector<BasisExtents> const& extents) : memory_(extents) {}

  template <class Real>
  void enqueue(EmulatedSpace const& exec, SvdBatch<Real> const& batch, Real tolerance,
               BasisFrom from) const {
    memory_.enqueue(exec, batch, tolerance, from);
  }

 private:
  carroll::test::BasisMemoryOfHost memory_;
};
