// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/detail/device/vendor/libraries.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/eigh/divided/reduce/blocks.hpp>
#include <carroll/detail/svd/warp/group.hpp>
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
/// | divided    | devices            | 65 to 1024      | memory, registers of warps | divided/    |
/// | vendor     | devices; a library | n > 1024        | a vendor's library         | vendor/     |
/// | shifted    | all                | everything      | as `svd` does              | jacobi/     |
///
/// Who asks for `divided` gets it for every order on every backend.
/// What a vendor's library says is measured; matrices that it has not done right are done again by
/// `shifted`.
/// Of complex matrices there are `cholesky`, `host_batch`, `warp`, `divided`, where there are no
/// warps from order 17 on, the largest, too, and `shifted`, which what does not fit gives way to.
namespace carroll::detail {

enum class EighFamily { cholesky, host_batch, warp, team, divided, vendor, shifted };

/// What kernels run on: `warps` are devices, too, and of these `library` have a DenseLibrary and
/// fast arithmetic in double precision. As what a row is for, `device` is all of the three.
enum class EighBackend { any, host, device, warps, library };

/// Which matrices a row is for.
enum class EighEntries { any, real, complex };

struct EighRow {
  EighFamily family;
  EighPath path;  ///< asks for it
  EighBackend where;
  int least;  ///< order from, where nobody asks for it
  int most;   ///< order up to
  EighEntries entries = EighEntries::any;
};

/// Order from which on devices take reflections and divide and conquer. On an H200 they take less
/// time than the kernels of `svd` at 128, in batches and alone, and at 64 in batches only; between
/// these nothing was measured (2026-11-28).
inline constexpr int least_divided_order = 65;

/// The same for complex matrices.
inline constexpr int least_complex_divided_order = 17;

/// Order from which on a library that takes one matrix after the other is taken: beyond those whose
/// columns `divided` holds in registers. At 1024 `divided` is faster, alone and in batches
/// (measured on an H200, 2026-11-28).
inline constexpr int least_vendor_order = 1025;

/// As the greatest order: all of them; as the least one: none but where somebody asks.
inline constexpr int any_order = std::numeric_limits<int>::max();

/// The table, but for `cholesky`, which the method asks for. A matrix that is alone has a register
/// to itself, of which it uses one lane, and takes up to twice as long as by LAPACK; in batches
/// `host_batch` is three times as fast and more (docs/eigh.md).
inline constexpr auto eigh_table = std::to_array<EighRow>({
    {EighFamily::host_batch, EighPath::host_batch, EighBackend::host, 0, 128},
    {EighFamily::warp, EighPath::warp, EighBackend::warps, 0, 32},
    {EighFamily::team, EighPath::team, EighBackend::any, 0, 32, EighEntries::real},
    {EighFamily::team, EighPath::team, EighBackend::host, 0, 256, EighEntries::real},
    {EighFamily::divided, EighPath::divided, EighBackend::device, least_divided_order,
     least_vendor_order - 1, EighEntries::real},
    {EighFamily::divided, EighPath::divided, EighBackend::device, least_complex_divided_order,
     any_order, EighEntries::complex},
    {EighFamily::divided, EighPath::divided, EighBackend::any, any_order, any_order},
    {EighFamily::vendor, EighPath::vendor, EighBackend::library, least_vendor_order, any_order,
     EighEntries::real},
    {EighFamily::shifted, EighPath::shifted, EighBackend::any, 0, any_order},
});

template <class ExecSpace>
inline constexpr EighBackend eigh_backend = [] {
  if (has_warps<ExecSpace>)
    return has_dense_library<ExecSpace> && has_fast_double ? EighBackend::library
                                                           : EighBackend::warps;
  return lanes<ExecSpace> == 1 ? EighBackend::host : EighBackend::device;
}();

/// Has a backend what a row is for?
constexpr bool has_backend(EighBackend backend, EighBackend wanted) {
  return wanted == EighBackend::any || wanted == backend ||
         (wanted == EighBackend::warps && backend == EighBackend::library) ||
         (wanted == EighBackend::device && backend >= EighBackend::device);
}

/// The family of an n×n problem. Where what the options ask for does not fit it is `team`, of
/// complex matrices `shifted`.
constexpr EighFamily eigh_family(EighBackend backend, EighOptions const& options, std::int64_t n,
                                 bool complex = false) {
  if (options.method == EighMethod::cholesky_jacobi) return EighFamily::cholesky;
  for (EighRow const& row : eigh_table) {
    bool const unasked = options.path == EighPath::automatic && n >= row.least;
    bool const nothing =  // is no work for them
        n == 0 && (row.where == EighBackend::library || row.family == EighFamily::divided);
    bool const fits = has_backend(backend, row.where) && n <= row.most && !nothing;
    bool const has_entries =
        row.entries == EighEntries::any || (row.entries == EighEntries::complex) == complex;
    if ((unasked || options.path == row.path) && fits && has_entries) return row.family;
  }
  return complex ? EighFamily::shifted : EighFamily::team;
}

/// What asks for a family; `automatic` for `cholesky`.
constexpr EighPath eigh_path(EighFamily family) {
  for (EighRow const& row : eigh_table)
    if (row.family == family) return row.path;
  return EighPath::automatic;
}

/// How the reduction of `divided` is cut, where there are warps: tiles along a side of the blocks
/// that teams of a matrix have; 0: one team has all of it. The one choice that knows how many
/// matrices there are: no bit depends on it.
///
/// While there are not more teams than multiprocessors, blocks of a single tile, which is as fast
/// as four or faster. More teams than that share multiprocessors and take turns, or, of one matrix
/// that has no blocks of four, begin anew for every column: one team's time for a column grows as
/// n², theirs hardly does, so that it pays for (n - 106)/150 times as many teams as there are
/// multiprocessors, without blocks of four for twice as many: measured on an H200 (2026-11-28) with
/// real and complex matrices of orders 128 to 1024, for 1 to 16 members.
constexpr int divided_reduce_side(int members, int n, int processors, bool has_blocks) {
  constexpr int least_order = 129, always_from = 513;
  if (n < least_order) return 0;
  int const across = (n + 31) / 32, larger = has_blocks ? 2 : 1, weight = has_blocks ? 150 : 75;
  if (std::int64_t{members} * reduce_teams(1, across) <= processors) return 1;
  bool const pays = std::int64_t{members} * reduce_teams(larger, across) * weight <=
                    std::int64_t{processors} * (n - 106);
  return pays || (members == 1 && n >= always_from) ? larger : 0;
}

}  // namespace carroll::detail
