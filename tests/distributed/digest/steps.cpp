// SPDX-License-Identifier: BSD-3-Clause
#include <carroll/distributed/batch.hpp>
#include <utility>

#include "distributed/digest/ranks.hpp"
#include "distributed/shared_frame.hpp"
#include "pseudoinverse_instances.hpp"
#include "svd_instances.hpp"

namespace carroll::test {
namespace {

template <class Real>
Hash hash_of(RankComm const& comm, distributed::ArrowLayout const& layout,
             shared_frame::Result<Real> const& found) {
  Hash hash;
  hash.add(found.info.status).add(found.info.rank).add(found.info.cutoff);
  hash.add(found.motion).add(found.covariance);
  for (auto const* mine : {&found.depth, &found.variances})
    add_rows(hash, comm, layout.segments.length(), sizeof(Real), layout.segments.begin(comm.rank()),
             {reinterpret_cast<char const*>(mine->data()), mine->size() * sizeof(Real)});
  return hash;
}

template <class Real>
void add_steps(Digest& digest) {
  auto const comm = all_ranks();
  for (int const k : {1, 3, 6})
    for (int const n : {0, 40, 3000}) {
      Random random(static_cast<std::uint64_t>(31 + k));
      auto const problem = random_arrow<Real>(random, n, k, n / 40);
      for (auto const method :
           {PseudoinverseMethod::structured_qr, PseudoinverseMethod::normal_equations}) {
        distributed::ArrowStepOptions options{.step = {}, .leaf_segments = 7};
        options.step.method = method;
        options.step.damping = 0.25;
        auto const layout = distributed::arrow_layout(
            comm.size(), shared_frame::all_offsets(problem.offsets), options);
        digest.add(hash_of(comm, layout, shared_frame::step(comm, layout, problem, options)),
                   type_name<Real>, k, n, "method", static_cast<int>(method));
      }
    }
}

/// Singular values of a batch, on all ranks.
template <class Real>
void add_batch(Digest& digest) {
  auto const comm = all_ranks();
  std::int64_t const members = 13, m = 9, n = 6;
  Kokkos::View<Real***, Kokkos::LayoutRight, RankExec> const A("A", members, m, n);
  auto const host = Kokkos::create_mirror_view(A);
  Random random(5);
  for (std::size_t i = 0; i < host.span(); ++i) host.data()[i] = static_cast<Real>(random.normal());
  Kokkos::deep_copy(A, host);
  auto const layout = distributed::block_layout(comm.size(), members);
  auto const mine =
      distributed::detail::members_of(A, layout.begin(comm.rank()), layout.count(comm.rank()));
  Kokkos::View<Real***, RankExec> const U("U", members, m, n), V("V", members, n, n);
  Kokkos::View<Real**, RankExec> const S("S", members, n);
  (void)distributed::svd_batch(comm, layout, mine, U, S, V, {},
                               {.gather = distributed::Gather::all});
  Hash hash;
  add_view(add_view(add_view(hash, U), S), V);
  digest.add(hash, type_name<Real>, "svd_batch");
}

DigestOf const rank_steps("rank_steps", [](Digest& digest) {
  add_steps<float>(digest);
  add_steps<double>(digest);
});
DigestOf const rank_batches("rank_batches", [](Digest& digest) {
  add_batch<float>(digest);
  add_batch<double>(digest);
});

}  // namespace
}  // namespace carroll::test
