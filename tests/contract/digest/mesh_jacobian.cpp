// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <vector>

#include "digest.hpp"
#include "support/pseudoinverse/mesh_drivers.hpp"

namespace carroll::test {
namespace {

template <class Real>
Hash hash_of(MeshResult<Real> const& result) {
  auto const& info = result.info;
  return Hash()
      .add(result.motion)
      .add(result.depth)
      .add(result.covariance)
      .add(info.status)
      .add(info.iterations)
      .add(info.residual)
      .add(info.motion_rank)
      .add(info.rows)
      .add(info.cost)
      .add(info.predicted_reduction)
      .add(info.mean_diagonal)
      .add(info.motion_gradient);
}

/// Up to 1024 vertices a device has kernels of their own.
template <class Real>
void add_mesh_jacobian(Digest& digest) {
  for (auto const& [width, height, n, k, frames] : {std::array{2, 2, 9, 1, 1},
                                                    {5, 4, 300, 1, 1},
                                                    {10, 9, 2500, 1, 1},
                                                    {33, 32, 9000, 1, 1},
                                                    {6, 6, 700, 2, 1},
                                                    {10, 9, 2500, 3, 1},
                                                    {10, 9, 2500, 6, 1},
                                                    {36, 36, 9000, 6, 1},
                                                    {8, 7, 900, 8, 1},
                                                    {6, 5, 500, 1, 3},
                                                    {6, 5, 500, 6, 2}}) {
    Random random(81);
    auto const problem = random_mesh<Real>(random, width, height, n, k, frames);
    auto const add = [&](MeshResult<Real> const& result, char const* name) {
      digest.add(hash_of(result), type_name<Real>, width * height, n, k, frames, name);
    };
    add(run_mesh(problem), "plain");
    add(run_mesh(problem, {.damping = 0.1, .smoothness = 0.3}), "smooth");
    std::vector<Real> const prior(static_cast<std::size_t>(problem.m), Real(0.5));
    add(run_mesh(problem, {.damping = 0.01, .smoothness = 0.2, .relative = true}, prior), "prior");
  }
}

DigestOf const mesh_jacobian_digest("mesh_jacobian", [](Digest& digest) {
  add_mesh_jacobian<float>(digest);
  add_mesh_jacobian<double>(digest);
});

}  // namespace
}  // namespace carroll::test
