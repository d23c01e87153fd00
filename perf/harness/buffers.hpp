// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/contender.hpp"
#include "harness/context.hpp"

namespace carroll::perf {

/// What Carroll's contenders have where kernels run.
template <class T>
using Buffer = Kokkos::View<T*, Exec::memory_space>;

/// A batch in a buffer: column-major members one after the other, as the peers have them.
template <class Real>
using Packed =
    Kokkos::View<Real***, Kokkos::LayoutStride, Exec::memory_space, Kokkos::MemoryUnmanaged>;

template <class Real>
Packed<Real> packed(Buffer<Real> const& buffer, int batch, int rows, int cols) {
  auto const members = static_cast<std::size_t>(batch), m = static_cast<std::size_t>(rows),
             n = static_cast<std::size_t>(cols);
  return Packed<Real>(buffer.data(), Kokkos::LayoutStride(members, m * n, m, 1, n, m));
}

template <class T>
Buffer<T> copied(char const* label, std::vector<T> const& values) {
  Buffer<T> const buffer(label, values.size());
  Kokkos::deep_copy(buffer, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                values.data(), values.size()));
  return buffer;
}

template <class T>
std::vector<T> first_entries(Buffer<T> const& buffer, std::size_t count) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), buffer);
  return {host.data(), host.data() + count};
}

template <class Info>
std::string first_complaint(Buffer<Info> const& infos) {
  return first_complaint(first_entries(infos, infos.extent(0)));
}

/// A solver of Carroll bound to a batch, whose calls leave infos.
template <class Interface, class Info>
class CarrollContender : public Interface {
 public:
  CarrollContender(Exec const& exec, int batch)
      : exec_(exec), infos_("infos", static_cast<std::size_t>(batch)) {}

  void fence() override { exec_.fence(); }
  std::string complaint() override { return first_complaint(infos_); }

 protected:
  Exec exec_;
  Buffer<Info> infos_;
};

/// One of systems A·X = B with column-major members one after the other, as the peers have them.
template <class Real, class Info>
class CarrollSystems : public CarrollContender<SystemContender<Real>, Info> {
 public:
  /// `x_size`: entries of a member's X.
  CarrollSystems(Exec const& exec, int batch, std::vector<Real> const& A,
                 std::vector<Real> const& B, std::size_t x_size)
      : CarrollContender<SystemContender<Real>, Info>(exec, batch),
        A_(copied("A", A)),
        B_(copied("B", B)),
        X_("X", x_size * static_cast<std::size_t>(batch)),
        x_size_(x_size) {}

  std::vector<Real> solution() override { return first_entries(X_, x_size_); }

 protected:
  Buffer<Real> A_, B_, X_;

 private:
  std::size_t x_size_;
};

}  // namespace carroll::perf
