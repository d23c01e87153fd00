// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/detail/pseudoinverse/cases.hpp>
#include <carroll/pseudoinverse/types.hpp>

/// Which kernels solve a problem: two tables, of which the first row that takes it is chosen.
/// Nothing else decides.
///
/// A step x = A⁺d: windows of rows, then the k×k core and what depends on it, in one kernel or two.
/// Read from memory are (k+2) entries a row.
///
///   options.path            where     k     methods            flops a row
///   kernels in detail/pseudoinverse
///
///   one_motion              warps     1     all                10, 14 row by row
///     one_motion/tiles.hpp, which goes on with the core, one_motion/core.hpp
///   one_motion_shared_core  hosts     1     all                10, 14 row by row; a barrier
///     host/one_motion.hpp, core/kernel.hpp (ArrowCoreKernel)
///   one_motion              hosts     1     all                10, 14 row by row
///     host/one_motion.hpp, which goes on with the core
///   tensor_sums             warps     6     normal_equations   256, by tensor cores
///     windows/gram_windows.hpp, core/kernel.hpp (TilesCoreKernel)
///   segment_sums            warps     3, 6  cholesky_qr        k² + 7k + 4
///     windows/segment_tiles.hpp,            normal_equations   double: 2k² + 8k + 2 more
///     core/kernel.hpp (TilesCoreKernel)
///   row_tiles               anywhere  1     all                2(k+1)(k+2), in scratch
///                                     any   structured_qr
///     windows/many_motions.hpp,             normal_equations
///     core/kernel.hpp (ArrowCoreKernel)
///
/// On hosts one_motion is for rows in memory; tensor_sums for rows of float without weights where
/// tensor cores have double precision. `automatic` is the method that the first row has; but sums
/// of rows of float, as good as structured_qr down to the default cutoff, are not taken beyond it.
///
/// A dense A⁺, (k+m)·n entries that are written once:
///
///   options.writer          where     k        A⁺            flops an entry
///   kernels in detail/pseudoinverse
///
///   one_motion              warps     1        any           2
///     one_motion/dense/inverse.hpp: no step before it; if neither rows nor columns of A⁺ are
///     contiguous it leaves factors, and one of those below follows
///   products                warps     1, 3, 6  contiguous    2k - 1
///     a step, dense/factors.hpp, dense/products.hpp; with one column of contiguous columns
///   entries                 devices   any      any           2k
///     a step, dense/factors.hpp, dense/entries.hpp
///   stretches               hosts     any      any           2k
///     a step, dense/factors.hpp, dense/stretches.hpp
///
/// `warps` are GPUs with warps of 32 lanes, `devices` those and all others. No choice depends on
/// the number of problems, unless bits are the same, as with one_motion_shared_core.
namespace carroll::detail {

enum class WindowKernels { one_motion, one_motion_host, tensor_sums, segment_sums, row_tiles };
enum class CoreKernels {
  with_windows,  ///< none: who ends the last window of a problem goes on with it
  by_warp,       ///< TilesCoreKernel: a warp has the k×k core in its registers
  by_team,       ///< ArrowCoreKernel
};

struct StepFamily {
  PseudoinversePath path;
  WindowKernels windows;
  CoreKernels core;
  unsigned where;    ///< of ArrowBackend
  unsigned motions;  ///< numbers k
  unsigned methods;  ///< of PseudoinverseMethod, automatic included
  unsigned rows;     ///< of ArrowRowSource
  bool of_tensors;   ///< needs tensor cores for double precision, rows of float, and no weights
  bool for_default_cutoff;  ///< sums of rows of float, for `automatic` not beyond that
};

inline constexpr auto step_families = [] {
  using Path = PseudoinversePath;
  using enum PseudoinverseMethod;
  using enum ArrowBackend;
  using enum ArrowRowSource;
  constexpr unsigned one = set_of(1), any = all_of_them;
  return std::array{
      StepFamily{Path::one_motion, WindowKernels::one_motion, CoreKernels::with_windows,
                 set_of(warps), one, any, any, false, false},
      StepFamily{Path::one_motion_shared_core, WindowKernels::one_motion_host, CoreKernels::by_team,
                 set_of(host), one, any, set_of(stored), false, false},
      StepFamily{Path::one_motion, WindowKernels::one_motion_host, CoreKernels::with_windows,
                 set_of(host), one, any, set_of(stored), false, false},
      StepFamily{Path::tensor_sums, WindowKernels::tensor_sums, CoreKernels::by_warp, set_of(warps),
                 set_of(6), set_of(automatic, normal_equations), set_of(stored, computed), true,
                 true},
      StepFamily{Path::segment_sums, WindowKernels::segment_sums, CoreKernels::by_warp,
                 set_of(warps), set_of(3, 6), set_of(automatic, cholesky_qr, normal_equations), any,
                 false, true},
      StepFamily{Path::row_tiles, WindowKernels::row_tiles, CoreKernels::by_team, any, one, any,
                 any, false, false},
      StepFamily{Path::row_tiles, WindowKernels::row_tiles, CoreKernels::by_team, any, any,
                 set_of(automatic, structured_qr, normal_equations), any, false, false},
  };
}();

/// Can a family solve the problem? One without rows has no windows that could go on with the core,
/// and the core is the same for all methods.
constexpr bool takes(StepFamily const& family, StepCase const& step) {
  bool const any_motions = family.motions == all_of_them;
  if (!has(family.where, step.backend) || !has(family.rows, step.rows) ||
      !(any_motions || has(family.motions, step.k)))
    return false;
  if (step.n == 0) return family.core == CoreKernels::by_team;
  if (!has(family.methods, step.options.method)) return false;
  return !family.of_tensors ||
         (step.single && step.has_double_tensors && step.options.weight == RobustWeight::uniform);
}

/// Is a family that can solve it what `automatic` wants?
constexpr bool suits(StepFamily const& family, StepCase const& step) {
  if (family.path == PseudoinversePath::one_motion_shared_core)
    return step.n == 0 || has_large_core(step);
  auto const& options = step.options;
  bool const looks_beyond = options.cutoff > 0 && options.cutoff < default_cutoff(step);
  return !(family.for_default_cutoff && step.single && looks_beyond &&
           options.method == PseudoinverseMethod::automatic);
}

/// What is launched for a step.
struct StepPlan {
  PseudoinversePath path = PseudoinversePath::automatic;  ///< stays so where nothing can be
  WindowKernels windows = WindowKernels::row_tiles;
  CoreKernels core = CoreKernels::by_team;
  int window_rows = 1;
  bool leaves_sums = true;  ///< windows leave EᵀE and Eᵀf, not the triangles of E = QR
};

/// Windows of a problem with n rows.
constexpr int windows_of(StepPlan const& plan, int n) {
  return n / plan.window_rows + (n % plan.window_rows > 0 ? 1 : 0);
}

constexpr int window_rows(WindowKernels kernels, StepCase const& step) {
  switch (kernels) {
    case WindowKernels::one_motion: return one_motion_window_rows(step.single, step.n, step.m);
    case WindowKernels::one_motion_host: return host_window_rows;
    case WindowKernels::tensor_sums: return tensor_window_rows(step.n);
    case WindowKernels::segment_sums: return segment_window_rows;
    case WindowKernels::row_tiles: break;
  }
  return tile_window_rows(step.backend, step.k);
}

constexpr StepPlan plan_step(StepCase const& step) {
  auto const path = step.options.path;
  bool const chosen = path == PseudoinversePath::automatic || step.n == 0;
  for (auto const& family : step_families)
    if (takes(family, step) && (chosen ? suits(family, step) : family.path == path))
      return {family.path, family.windows, family.core, window_rows(family.windows, step),
              family.windows != WindowKernels::row_tiles ||
                  step.options.method == PseudoinverseMethod::normal_equations};
  return {};
}

enum class InverseKernels {
  after_step,          ///< a step, then factors
  one_motion_rows,     ///< OneMotionInverseKernel with OneMotionRowWriter
  one_motion_columns,  ///< with OneMotionColumnWriter
  one_motion_factors,  ///< with OneMotionFactorWriter
};
enum class WriteKernels { none, products_by_rows, products_by_columns, entries, stretches };

struct DenseFamily {
  PseudoinverseWriter writer;
  unsigned where;    ///< of ArrowBackend
  unsigned motions;  ///< numbers k
};

inline constexpr auto dense_families = [] {
  using enum PseudoinverseWriter;
  using enum ArrowBackend;
  return std::array{
      DenseFamily{one_motion, set_of(warps), set_of(1)},
      DenseFamily{products, set_of(warps), set_of(1, 3, 6)},
      DenseFamily{entries, set_of(warps, device), all_of_them},
      DenseFamily{stretches, set_of(host), all_of_them},
  };
}();

constexpr bool takes(DenseFamily const& family, DenseCase const& dense) {
  bool const any_motions = family.motions == all_of_them;
  if (!has(family.where, dense.backend) || !(any_motions || has(family.motions, dense.k)))
    return false;
  if (family.writer == PseudoinverseWriter::one_motion) return dense.n > 0;
  return family.writer != PseudoinverseWriter::products || dense.row_stride == 1 ||
         (dense.column_stride == 1 && dense.k > 1);
}

/// What is launched for a dense A⁺.
struct DensePlan {
  PseudoinverseWriter writer = PseudoinverseWriter::automatic;  ///< where nothing can be
  InverseKernels inverse = InverseKernels::after_step;
  WriteKernels write = WriteKernels::none;
};

/// How the factors of A⁺ become its entries.
constexpr WriteKernels write_kernels(PseudoinverseWriter writer, DenseCase const& dense) {
  switch (writer) {
    case PseudoinverseWriter::products:
      return dense.k > 1 && dense.column_stride == 1 ? WriteKernels::products_by_rows
                                                     : WriteKernels::products_by_columns;
    case PseudoinverseWriter::entries: return WriteKernels::entries;
    case PseudoinverseWriter::stretches: return WriteKernels::stretches;
    default: return WriteKernels::none;
  }
}

constexpr DensePlan plan_dense(DenseCase const& dense) {
  using Writer = PseudoinverseWriter;
  InverseKernels inverse = InverseKernels::after_step;
  for (auto const& family : dense_families) {
    if (!takes(family, dense)) continue;
    if (dense.writer != Writer::automatic && dense.n > 0 && dense.writer != family.writer &&
        inverse == InverseKernels::after_step)
      continue;
    if (family.writer != Writer::one_motion)
      return {inverse == InverseKernels::after_step ? family.writer : Writer::one_motion, inverse,
              write_kernels(family.writer, dense)};
    if (dense.column_stride == 1)
      return {family.writer, InverseKernels::one_motion_rows, WriteKernels::none};
    if (has_short_columns(dense))
      return {family.writer, InverseKernels::one_motion_columns, WriteKernels::none};
    inverse = InverseKernels::one_motion_factors;
  }
  return {};
}

}  // namespace carroll::detail
