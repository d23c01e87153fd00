// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/device/vendor/libraries.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/eigh/types.hpp>
#include <cstdint>
#include <limits>

/// Which kernels decompose a matrix: the one place that decides. Launches, workspaces, tests and
/// benchmarks read this table; its first row that fits is taken. It knows a matrix's order and
/// precision, the backend and the options, never how many matrices there are: results must be the
/// same bits in every batch.
///
/// | family     | where              | range           | a matrix is held by        | kernel in   |
/// | ---------- | ------------------ | --------------- | -------------------------- | ----------- |
/// | cholesky   | all                | cholesky_jacobi | memory, then as `svd` does | jacobi/     |
/// | host_batch | hosts              | n <= 128        | a lane of vector registers | host_batch/ |
/// | warp       | devices with warps | n <= 32         | registers of a warp        | warp/       |
/// | team       | all; hosts         | n <= 32; 256    | memory                     | team/       |
/// | vendor     | where the vendor's | single: 129 to  | memory, then as the vendor | vendor/     |
/// |            | library is, too    | 256; double: 97 | does                       |             |
/// |            |                    | to 128; both:   |                            |             |
/// |            |                    | n >= 768        |                            |             |
/// | shifted    | all                | everything      | as `svd` does              | jacobi/     |
/// | vendor     | as above           | n >= 33, asked  | as above                   | vendor/     |
/// |            |                    | for by name     |                            |             |
///
/// What is left to the vendor is what it is faster at, by measurements on an H200 (docs/eigh.md).
namespace carroll::detail {

enum class EighFamily { cholesky, host_batch, warp, team, vendor, shifted };

/// What kernels run on: `warps` are devices, and `vendor` is warps and an Eigensolver of the
/// device's vendor beside them.
enum class EighBackend { any, host, device, warps, vendor };

struct EighRow {
  EighFamily family;
  EighPath path;  ///< asks for it
  EighBackend where;
  int least, most;  ///< orders from and up to
};

/// Up to this order the vendor is given many matrices at once: what it finds for one has the same
/// bits beside any others (cuSOLVER 12.0 on an H200). Beyond, it depends on how many there are, and
/// the vendor is given one after the other.
template <class Real>
inline constexpr int most_vendor_batch = sizeof(Real) == 4 ? 256 : 128;

/// The table, but for `cholesky`, which the method asks for. A matrix that is alone has a register
/// to itself, of which it uses one lane, and takes up to twice as long as by LAPACK; in batches
/// `host_batch` is three times as fast and more (docs/eigh.md).
template <class Real>
constexpr auto eigh_table() {
  constexpr int any = std::numeric_limits<int>::max();
  constexpr int least_vendor_batch = sizeof(Real) == 4 ? 129 : 97;
  using F = EighFamily;
  using P = EighPath;
  using B = EighBackend;
  // family, path that asks for it; backend, orders from and up to
  return std::to_array<EighRow>({
      {F::host_batch, P::host_batch, B::host, 0, 128},
      {F::warp, P::warp, B::warps, 0, 32},
      {F::team, P::team, B::any, 0, 32},
      {F::team, P::team, B::host, 0, 256},
      {F::vendor, P::vendor, B::vendor, least_vendor_batch, most_vendor_batch<Real>},
      {F::vendor, P::vendor, B::vendor, 768, any},
      {F::shifted, P::shifted, B::any, 0, any},
      {F::vendor, P::vendor, B::vendor, 33, any},
  });
}

template <class ExecSpace>
inline constexpr EighBackend eigh_backend = has_warps<ExecSpace>
                                                ? (has_eigensolver<ExecSpace> ? EighBackend::vendor
                                                                              : EighBackend::warps)
                                            : lanes<ExecSpace> == 1 ? EighBackend::host
                                                                    : EighBackend::device;

/// Has a backend what a row is for?
constexpr bool has_backend(EighBackend backend, EighBackend wanted) {
  return wanted == EighBackend::any || wanted == backend ||
         (wanted == EighBackend::warps && backend == EighBackend::vendor);
}

/// The family of an n×n problem. Where what the options ask for does not fit it is `team`.
template <class Real>
constexpr EighFamily eigh_family(EighBackend backend, EighOptions const& options, std::int64_t n) {
  if (options.method == EighMethod::cholesky_jacobi) return EighFamily::cholesky;
  for (EighRow const& row : eigh_table<Real>()) {
    bool const asked = options.path == EighPath::automatic || options.path == row.path;
    if (asked && has_backend(backend, row.where) && row.least <= n && n <= row.most)
      return row.family;
  }
  return EighFamily::team;
}

/// What asks for a family; `automatic` for `cholesky`.
constexpr EighPath eigh_path(EighFamily family) {
  for (EighRow const& row : eigh_table<double>())
    if (row.family == family) return row.path;
  return EighPath::automatic;
}

}  // namespace carroll::detail
