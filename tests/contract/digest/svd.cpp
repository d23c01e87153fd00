// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <carroll/svd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "support/guarded_view.hpp"
#include "support/svd/drivers.hpp"
#include "support/svd/matrix_types.hpp"
#include "support/svd/methods.hpp"
#include "svd_instances.hpp"

namespace carroll::test {
namespace {

using Extents = std::vector<std::pair<int, int>>;

template <class Real>
Hash hash_of(HostSvd<Real> const& result) {
  auto const& info = result.info;
  return Hash()
      .add(result.U)
      .add(result.S)
      .add(result.V)
      .add(info.status)
      .add(info.sweeps)
      .add(info.rotations)
      .add(info.max_cosine)
      .add(info.rank);
}

std::string extents_name(int rows, int cols) {
  return std::to_string(rows) + 'x' + std::to_string(cols);
}

constexpr std::pair<Wanted, char const*> all_wanted[] = {{full_vectors, "full"},
                                                         {thin_vectors, "thin"},
                                                         {only_u, "u"},
                                                         {only_v, "v"},
                                                         {only_values, "values"}};

template <class Real>
void add_matrix(Digest& digest, Method const& method, MatrixType type, int rows, int cols,
                Wanted wanted, char const* wanted_name) {
  auto const A = make_matrix<Real>(type, rows, cols, 17);
  digest.add(hash_of(run_svd(A, wanted, method.options)), method.name, type_name<Real>,
             to_string(type), extents_name(rows, cols), wanted_name);
}

/// Extents from far below to well above those at which kernels change, on hosts and on devices.
template <class Real>
void add_extents(Digest& digest) {
  Extents const small = {{0, 3},   {1, 1},   {2, 2},   {3, 2},   {7, 5},    {8, 8},   {16, 16},
                         {20, 90}, {24, 17}, {32, 24}, {32, 32}, {33, 33},  {48, 30}, {64, 64},
                         {65, 40}, {97, 12}, {90, 20}, {127, 3}, {128, 64}, {129, 65}};
  for (auto const& [rows, cols] : small)
    for (auto const& [wanted, name] : all_wanted)
      add_matrix<Real>(digest, {"preconditioned", {}}, MatrixType::uniform01, rows, cols, wanted,
                       name);
  for (auto const& [rows, cols] :
       Extents{{128, 128}, {160, 160}, {150, 200}, {300, 30}, {700, 9}, {1100, 20}, {257, 250}})
    for (Wanted const wanted : {thin_vectors, only_values})
      add_matrix<Real>(digest, {"preconditioned", {}}, MatrixType::uniform01, rows, cols, wanted,
                       wanted.u == SvdVectors::none ? "values" : "thin");
  for (auto const& [rows, cols] : Extents{{520, 510}, {9000, 12}})
    add_matrix<Real>(digest, {"preconditioned", {}}, MatrixType::uniform01, rows, cols,
                     thin_vectors, "thin");
}

/// Every kind of matrix at one size of each family; every method.
template <class Real>
void add_types(Digest& digest) {
  for (MatrixType const type : all_matrix_types())
    for (auto const& [rows, cols] : Extents{{12, 9}, {64, 8}, {33, 32}, {50, 45}, {140, 60}})
      add_matrix<Real>(digest, {"preconditioned", {}}, type, rows, cols, thin_vectors, "thin");
  for (Method const& method : plain_methods())
    for (MatrixType const type : {MatrixType::random, MatrixType::rank_deficient})
      for (auto const& [rows, cols] : Extents{{7, 5}, {20, 40}, {64, 33}, {120, 97}})
        add_matrix<Real>(digest, method, type, rows, cols, full_vectors, "full");
  for (auto const& [path, name] : {std::pair{SvdPath::team, "team"},
                                   {SvdPath::registers, "registers"},
                                   {SvdPath::tiles, "tiles"}})
    for (MatrixType const type : {MatrixType::random, MatrixType::graded_columns})
      for (auto const& [rows, cols] : Extents{{6, 6}, {30, 20}, {32, 32}, {60, 44}, {140, 130}})
        add_matrix<Real>(digest, {name, {.path = path}}, type, rows, cols, thin_vectors, "thin");
  add_matrix<Real>(digest, {"loose", {.tolerance = 1e-2}}, MatrixType::random, 40, 36, thin_vectors,
                   "thin");
  add_matrix<Real>(digest, {"one_sweep", {.max_sweeps = 1}}, MatrixType::random, 40, 36,
                   thin_vectors, "thin");
}

template <class Real>
void add_svd_batches(Digest& digest) {
  for (auto const& [rows, cols, batch] : {std::array{3, 3, 70},
                                          {8, 8, 40},
                                          {16, 12, 33},
                                          {32, 32, 9},
                                          {40, 40, 5},
                                          {64, 64, 3},
                                          {20, 130, 3}}) {
    std::vector<HostMatrix<Real>> matrices;
    for (int b = 0; b < batch; ++b)
      matrices.push_back(make_matrix<Real>(
          b % 3 == 2 ? MatrixType::rank_deficient : MatrixType::uniform01, rows, cols, 17 + b));
    for (Wanted const wanted : {thin_vectors, only_values}) {
      Hash hash;
      for (auto const& result : run_svd_batch(matrices, wanted)) hash.add(hash_of(result).value());
      digest.add(hash, "batch", type_name<Real>, extents_name(rows, cols), batch,
                 wanted.u == SvdVectors::none ? "values" : "thin");
    }
  }
  std::vector<HostMatrix<Real>> ragged;
  for (auto const& [rows, cols] :
       Extents{{0, 2}, {1, 5}, {5, 1}, {9, 9}, {40, 8}, {31, 32}, {70, 66}, {33, 129}, {200, 20}})
    ragged.push_back(make_matrix<Real>(MatrixType::uniform01, rows, cols, 17));
  for (auto const& [wanted, name] : all_wanted) {
    Hash hash;
    for (auto const& result : run_svd_ragged(ragged, wanted)) hash.add(hash_of(result).value());
    digest.add(hash, "ragged", type_name<Real>, name);
  }
}

template <class Real, class Layout>
void add_layout(Digest& digest, int rows, int cols) {
  auto const least = static_cast<std::size_t>(std::min(rows, cols));
  auto const A =
      guarded_from<Real, Layout>(make_matrix<Real>(MatrixType::uniform01, rows, cols, 17));
  GuardedView<Real, 2, Layout> U({static_cast<std::size_t>(rows), least});
  GuardedView<Real, 2, Layout> V({static_cast<std::size_t>(cols), least});
  GuardedView<Real, 1, Layout> S({least});
  auto const info = svd(Exec(), A.view(), U.view(), S.view(), V.view());
  U.to_host();
  V.to_host();
  S.to_host();
  Hash hash;
  hash.add(to_host_matrix(U, rows, static_cast<int>(least)))
      .add(to_host_matrix(V, cols, static_cast<int>(least)))
      .add(info.status)
      .add(info.sweeps);
  S.for_each_index([&](auto index) { hash.add(S(index)); });
  digest.add(hash, layout_name<Layout>, type_name<Real>, extents_name(rows, cols));
}

template <class Real>
void add_svd(Digest& digest) {
  add_extents<Real>(digest);
  add_types<Real>(digest);
  add_svd_batches<Real>(digest);
  for (auto const& [rows, cols] : Extents{{12, 9}, {20, 31}, {70, 50}, {50, 140}}) {
    add_layout<Real, Kokkos::LayoutRight>(digest, rows, cols);
    add_layout<Real, Kokkos::LayoutStride>(digest, rows, cols);
  }
}

DigestOf const svd_digest("svd", [](Digest& digest) {
  add_svd<float>(digest);
  add_svd<double>(digest);
});

}  // namespace
}  // namespace carroll::test
