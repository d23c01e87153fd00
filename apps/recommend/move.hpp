// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/factor_model.hpp>
#include <cstdint>
#include <vector>

#include "recommend/methods.hpp"
#include "recommend/run.hpp"

/// From the host to the device and back. All of these wait.
namespace carroll::tool {

template <class T>
Kokkos::View<T*, Kokkos::LayoutRight, Memory> to_device(ExecSpace const& exec,
                                                        std::vector<T> const& values) {
  auto const view = detail::allocate<Kokkos::View<T*, Kokkos::LayoutRight, Memory>>(
      exec, "carroll::tool::vector", static_cast<std::int64_t>(values.size()));
  detail::copy_to_device(exec, view.data(), values.data(), values.size());
  exec.fence("carroll::tool: vector on the device");
  return view;
}
template <class Real, class T>
RatingVector<Real> to_device_as(ExecSpace const& exec, std::vector<T> const& values) {
  return to_device(exec, std::vector<Real>(values.begin(), values.end()));
}

template <class View>
std::vector<typename View::non_const_value_type> to_host_vector(ExecSpace const& exec,
                                                                View const& view) {
  using T = typename View::non_const_value_type;
  std::vector<T> values(view.extent(0));
  detail::copy_view(
      exec,
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size()),
      view);
  exec.fence("carroll::tool: vector on the host");
  return values;
}

/// The entries of a matrix by rows, as a vector.
template <class T>
Kokkos::View<T*, Kokkos::LayoutRight, Memory, Kokkos::MemoryUnmanaged> flat(
    Kokkos::View<T**, Kokkos::LayoutRight, Memory> const& matrix) {
  return Kokkos::View<T*, Kokkos::LayoutRight, Memory, Kokkos::MemoryUnmanaged>(matrix.data(),
                                                                                matrix.size());
}

template <class Real>
HostModel<Real> to_host(ExecSpace const& exec, FactorModel<Real, Memory> const& model) {
  HostModel<Real> host;
  host.users = model.users();
  host.items = model.items();
  host.factors = model.factors();
  host.U = to_host_vector(exec, flat(model.U));
  host.V = to_host_vector(exec, flat(model.V));
  host.user_bias = to_host_vector(exec, model.user_bias);
  host.item_bias = to_host_vector(exec, model.item_bias);
  host.mean = model.mean;
  return host;
}

template <class Real>
FactorModel<Real, Memory> to_device(ExecSpace const& exec, HostModel<Real> const& host) {
  FactorModel<Real, Memory> model;
  using Matrix = typename FactorModel<Real, Memory>::Factors;
  auto const matrix = [&](std::vector<Real> const& values, std::int64_t rows) {
    auto const view = detail::allocate_matrix<Matrix>(exec, "carroll::tool::factors",
                                                      static_cast<std::size_t>(rows),
                                                      static_cast<std::size_t>(host.factors));
    detail::copy_to_device(exec, view.data(), values.data(), values.size());
    return view;
  };
  model.U = matrix(host.U, host.users);
  model.V = matrix(host.V, host.items);
  model.user_bias = to_device(exec, host.user_bias);
  model.item_bias = to_device(exec, host.item_bias);
  model.mean = host.mean;
  exec.fence("carroll::tool: model on the device");
  return model;
}

}  // namespace carroll::tool
