// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/detail/random.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/context.hpp"
#include "pseudoinverse/contender.hpp"

namespace carroll::perf {

/// A frame on the host, in double precision, which holds the entries of both precisions exactly.
struct HostFrame {
  int rows = 0, motions = 0;
  std::vector<double> motion;  // column after column
  std::vector<double> depth, residual;
  std::vector<int> offsets;

  double B(int i, int j) const { return motion[static_cast<std::size_t>(j) * rows + i]; }
  int depths() const { return static_cast<int>(offsets.size()) - 1; }
};

/// Frames of a case where kernels can reach them: B column after column, u and d, with one
/// segmentation for all frames.
template <class Real>
class ArrowFrames {
 public:
  using Memory = Exec::memory_space;
  using Buffer = Kokkos::View<Real*, Memory>;
  using Motion = Kokkos::View<Real const***, Kokkos::LayoutStride, Memory>;
  using Rows = Kokkos::View<Real const**, Kokkos::LayoutRight, Memory>;
  using Offsets = Kokkos::View<int const*, Memory>;

  ArrowFrames() = default;
  ArrowFrames(Exec const& exec, ArrowShape const& shape, std::vector<int> const& offsets)
      : shape_(shape),
        motion_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "motion"),
                shape.all_rows() * shape.motions),
        depth_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "depth"), shape.all_rows()),
        residual_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "residual"),
                  shape.all_rows()),
        host_offsets_(offsets),
        offsets_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "offsets"), offsets.size()) {
    Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const source(
        host_offsets_.data(), host_offsets_.size());
    Kokkos::deep_copy(exec, offsets_, source);
    exec.fence("carroll::perf::ArrowFrames");
  }

  ArrowShape const& shape() const { return shape_; }
  Buffer const& motion() const { return motion_; }
  Buffer const& depth() const { return depth_; }
  Buffer const& residual() const { return residual_; }
  Offsets offsets() const { return offsets_; }

  /// A and d as the library takes them.
  auto jacobian() const {
    auto const n = static_cast<std::size_t>(shape_.rows),
               k = static_cast<std::size_t>(shape_.motions);
    auto const f = static_cast<std::size_t>(shape_.frames);
    return ArrowJacobian{Motion(motion_.data(), Kokkos::LayoutStride(f, n * k, n, 1, k, n)),
                         Rows(depth_.data(), f, n), offsets()};
  }
  Rows residuals() const { return Rows(residual_.data(), shape_.frames, shape_.rows); }

  HostFrame host(int frame) const {
    auto const copy = [&](Buffer const& buffer, std::size_t size) {
      std::size_t const first = static_cast<std::size_t>(frame) * size;
      auto const host = Kokkos::create_mirror_view_and_copy(
          Kokkos::HostSpace(), Kokkos::subview(buffer, std::pair(first, first + size)));
      return std::vector<double>(host.data(), host.data() + host.size());
    };
    auto const n = static_cast<std::size_t>(shape_.rows);
    return {shape_.rows,     shape_.motions,     copy(motion_, n * shape_.motions),
            copy(depth_, n), copy(residual_, n), host_offsets_};
  }

 private:
  ArrowShape shape_;
  Buffer motion_, depth_, residual_;
  std::vector<int> host_offsets_;
  Kokkos::View<int*, Memory> offsets_;
};

/// m+1 offsets of segments that have between half and one and a half times the mean of rows.
inline std::vector<int> uneven_segments(int rows, int depths) {
  std::vector<int> offsets(static_cast<std::size_t>(depths) + 1, rows);
  double const mean = static_cast<double>(rows) / depths;
  for (int i = 0; i < depths; ++i) {
    auto const bits = detail::philox(1, {static_cast<std::uint32_t>(i), 0, 0, 3});
    double const shift = i == 0 ? 0 : bits[0] / 4294967296.0 - 0.5;
    offsets[static_cast<std::size_t>(i)] = static_cast<int>(mean * (i + 0.5 * shift));
  }
  return offsets;
}

/// A frame with one motion column a, of which a share of about `separation` is left beside the
/// depths: a = u·(a number for each segment) + separation·(random entries), rounded to Real.
template <class Real>
ArrowFrames<Real> separated_arrow_frame(Exec const& exec, int rows, int depths, double separation) {
  ArrowFrames<Real> const frames(exec, {1, rows, 1, depths}, uneven_segments(rows, depths));
  auto const motion = Kokkos::create_mirror_view(Kokkos::HostSpace(), frames.motion());
  auto const depth = Kokkos::create_mirror_view(Kokkos::HostSpace(), frames.depth());
  auto const residual = Kokkos::create_mirror_view(Kokkos::HostSpace(), frames.residual());
  auto const offsets = uneven_segments(rows, depths);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    double const coefficient = detail::random_normal<double>(1, 0, i);
    for (int p = offsets[i]; p < offsets[i + 1]; ++p) {
      auto const at = static_cast<std::size_t>(p);
      depth(at) = static_cast<Real>(detail::random_normal<double>(1, 1, at));
      motion(at) = static_cast<Real>(coefficient * static_cast<double>(depth(at)) +
                                     separation * detail::random_normal<double>(1, 2, at));
      residual(at) = static_cast<Real>(detail::random_normal<double>(1, 3, at));
    }
  }
  Kokkos::deep_copy(exec, frames.motion(), motion);
  Kokkos::deep_copy(exec, frames.depth(), depth);
  Kokkos::deep_copy(exec, frames.residual(), residual);
  exec.fence("carroll::perf::separated_arrow_frame");
  return frames;
}

/// Uniform random entries in (-1, 1), of 24 significant bits, so that both precisions have exactly
/// the same problem; a frame depends on its number, n and k only.
template <class Real>
ArrowFrames<Real> uniform_arrow_frames(Exec const& exec, ArrowShape const& shape) {
  ArrowFrames<Real> const frames(exec, shape, uneven_segments(shape.rows, shape.depths));
  auto const motion = frames.motion(), depth = frames.depth(), residual = frames.residual();
  std::int64_t const n = shape.rows, k = shape.motions;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "carroll::perf::uniform_arrow_frames",
      Range(exec, 0, static_cast<std::int64_t>(shape.all_rows())), KOKKOS_LAMBDA(std::int64_t i) {
        auto const frame = static_cast<std::uint32_t>(i / n);
        auto const row = static_cast<std::uint32_t>(i % n);
        for (std::int64_t c = 0; c < k + 2; ++c) {
          auto const bits = detail::philox(static_cast<std::uint64_t>(n),
                                           {row, frame, static_cast<std::uint32_t>(c), 4});
          auto const odd = 2 * static_cast<int>(bits[0] >> 8) + 1 - (1 << 24);
          auto const entry = static_cast<Real>(odd) * Real(1.0 / (1 << 24));
          if (c == 0)
            depth(i) = entry;
          else if (c == 1)
            residual(i) = entry;
          else
            motion((frame * k + c - 2) * n + row) = entry;
        }
      });
  exec.fence("carroll::perf::uniform_arrow_frames");
  return frames;
}

}  // namespace carroll::perf
