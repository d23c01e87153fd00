// SPDX-License-Identifier: BSD-3-Clause
// Steps of arrow Jacobians whose rows a functor makes.
#include <array>
#include <carroll/fused_pseudoinverse.hpp>
#include <vector>

#include "digest.hpp"
#include "support/pseudoinverse/arrow_drivers.hpp"

namespace carroll::test {
namespace {

/// Small whole numbers, which every machine makes alike.
template <class Real, int K>
struct Rows {
  KOKKOS_FUNCTION ArrowRow<Real, K> operator()(int frame, int row) const {
    ArrowRow<Real, K> out;
    for (int j = 0; j < K; ++j)
      out.motion[j] = static_cast<Real>((row * (7 + 4 * j) + 3 * frame + j) % 31 - 15);
    out.depth = static_cast<Real>(1 + row % 5);
    out.residual = static_cast<Real>(row % 23 - 11 + frame);
    return out;
  }
};

template <class Real, int K>
void add_fused_steps(Digest& digest) {
  for (auto const& [n, m, frames] :
       {std::array{40, 3, 1}, {3000, 90, 1}, {60000, 700, 1}, {800, 40, 4}}) {
    auto const at = [](int i) { return static_cast<std::size_t>(i); };
    Random random(71);
    auto const offsets =
        guarded_from<int, Kokkos::LayoutRight>(random_arrow<Real>(random, n, 1, m).offsets);
    GuardedView<int, 2, Kokkos::LayoutRight> all_offsets({at(frames), at(m + 1)});
    all_offsets.for_each_index([&](auto i) { all_offsets(i) = offsets({i[1]}); });
    all_offsets.to_device();
    for (bool const weighted : {false, true}) {
      auto workspace = pseudoinverse_workspace<Real>(
          Exec(), {.frames = frames, .rows = n, .motions = K, .depths = m},
          {.damping = 0.25,
           .weight = weighted ? RobustWeight::huber : RobustWeight::uniform,
           .weight_scale = weighted ? 5.0 : 0.0});
      GuardedView<Real, 2, Kokkos::LayoutRight> y({at(frames), at(K)}), xi({at(frames), at(m)});
      auto const infos =
          apply_pseudoinverse(Exec(), FusedArrowJacobian{Rows<Real, K>(), all_offsets.view()},
                              ArrowSolution{y.view(), xi.view()}, workspace);
      Hash hash;
      for (auto const& info : infos)
        hash.add(info.status).add(info.rank).add(info.cutoff).add(info.smallest_pivot);
      y.to_host();
      xi.to_host();
      y.for_each_index([&](auto i) { hash.add(y(i)); });
      xi.for_each_index([&](auto i) { hash.add(xi(i)); });
      digest.add(hash, type_name<Real>, n, K, m, frames, weighted ? "huber" : "uniform");
    }
  }
}

DigestOf const fused_pseudoinverse_digest("fused_pseudoinverse", [](Digest& digest) {
  add_fused_steps<float, 1>(digest);
  add_fused_steps<float, 3>(digest);
  add_fused_steps<float, 6>(digest);
  add_fused_steps<double, 1>(digest);
  add_fused_steps<double, 6>(digest);
});

}  // namespace
}  // namespace carroll::test
