// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/eigh/types.hpp>
#include <cstdint>
#include <limits>

/// Which kernels decompose a matrix: the one place that decides. Launches, workspaces, tests and
/// benchmarks read this table; its first row that fits is taken. It knows a matrix's order, the
/// backend and the options, never how many matrices there are: results must be the same bits in
/// every batch.
///
/// | family     | where              | range           | a matrix is held by        | kernel in   |
/// | ---------- | ------------------ | --------------- | -------------------------- | ----------- |
/// | cholesky   | all                | cholesky_jacobi | memory, then as `svd` does | jacobi/     |
/// | host_batch | hosts              | n <= 128        | a lane of vector registers | host_batch/ |
/// | warp       | devices with warps | n <= 32         | registers of a warp        | warp/       |
/// | team       | all; hosts         | n <= 32; 256    | memory                     | team/       |
/// | shifted    | all                | everything      | as `svd` does              | jacobi/     |
///
/// Of complex matrices there are `cholesky`, `host_batch` and `shifted`, which what does not fit
/// gives way to.
namespace carroll::detail {

enum class EighFamily { cholesky, host_batch, warp, team, shifted };

/// What kernels run on: `warps` are devices, too.
enum class EighBackend { any, host, device, warps };

struct EighRow {
  EighFamily family;
  EighPath path;  ///< asks for it
  EighBackend where;
  int most;      ///< order up to
  bool complex;  ///< for complex matrices, too
};

/// The table, but for `cholesky`, which the method asks for. A matrix that is alone has a register
/// to itself, of which it uses one lane, and takes up to twice as long as by LAPACK; in batches
/// `host_batch` is three times as fast and more (docs/eigh.md).
inline constexpr auto eigh_table = std::to_array<EighRow>({
    {EighFamily::host_batch, EighPath::host_batch, EighBackend::host, 128, true},
    {EighFamily::warp, EighPath::warp, EighBackend::warps, 32, false},
    {EighFamily::team, EighPath::team, EighBackend::any, 32, false},
    {EighFamily::team, EighPath::team, EighBackend::host, 256, false},
    {EighFamily::shifted, EighPath::shifted, EighBackend::any, std::numeric_limits<int>::max(),
     true},
});

template <class ExecSpace>
inline constexpr EighBackend eigh_backend = has_warps<ExecSpace>    ? EighBackend::warps
                                            : lanes<ExecSpace> == 1 ? EighBackend::host
                                                                    : EighBackend::device;

/// The family of an n×n problem. Where what the options ask for does not fit it is `team`, of
/// complex matrices `shifted`.
constexpr EighFamily eigh_family(EighBackend backend, EighOptions const& options, std::int64_t n,
                                 bool complex = false) {
  if (options.method == EighMethod::cholesky_jacobi) return EighFamily::cholesky;
  for (EighRow const& row : eigh_table) {
    bool const asked = options.path == EighPath::automatic || options.path == row.path;
    bool const there = row.where == EighBackend::any || row.where == backend;
    if (asked && there && n <= row.most && (row.complex || !complex)) return row.family;
  }
  return complex ? EighFamily::shifted : EighFamily::team;
}

/// What asks for a family; `automatic` for `cholesky`.
constexpr EighPath eigh_path(EighFamily family) {
  for (EighRow const& row : eigh_table)
    if (row.family == family) return row.path;
  return EighPath::automatic;
}

}  // namespace carroll::detail
