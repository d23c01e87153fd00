// Batches over ranks: bit by bit what one rank makes of all members, wherever results go.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <carroll/distributed/batch.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "determinant_instances.hpp"
#include "distributed/packed.hpp"
#include "pseudoinverse_instances.hpp"
#include "support/copy.hpp"
#include "support/random.hpp"
#include "svd_instances.hpp"

namespace {

namespace distributed = carroll::distributed;
using distributed::BatchOptions;
using distributed::BlockLayout;
using distributed::Gather;
using Exec = Kokkos::DefaultExecutionSpace;
using Communicator = distributed::Communicator<Exec>;

template <class View>
void fill(View const& view, std::uint64_t seed) {
  auto const host = Kokkos::create_mirror_view(view);
  carroll::test::Random random(seed);
  for (std::size_t i = 0; i < host.span(); ++i)
    host.data()[i] = static_cast<typename View::non_const_value_type>(random.normal());
  carroll::test::deep_copy(view, host);
}

template <class View>
requires Kokkos::is_view_v<View> std::string bytes(View const& view) {
  return carroll::test::packed_bytes(view);
}
template <class Info>
std::string bytes(std::vector<Info> const& infos) {
  return {reinterpret_cast<char const*>(infos.data()), infos.size() * sizeof(Info)};
}

/// Even shares; all members on the last rank.
std::vector<BlockLayout> layouts(int ranks, std::int64_t members) {
  BlockLayout last;
  for (int r = 1; r < ranks; ++r) last.offsets.push_back(0);
  last.offsets.push_back(members);
  return {distributed::block_layout(ranks, members), last};
}

/// What of a batch a rank has: its own members, and those of its outputs.
struct Share {
  std::int64_t own, own_end, out, out_end;
  Share(Communicator const& comm, BlockLayout const& layout, BatchOptions const& options)
      : own(layout.begin(comm.rank())),
        own_end(layout.end(comm.rank())),
        out(own),
        out_end(own_end) {
    bool const all = options.gather == Gather::all ||
                     (options.gather == Gather::root && options.root == comm.rank());
    if (all) out = 0, out_end = layout.length();
  }
  template <class View>
  [[nodiscard]] auto inputs(View const& view) const {
    return distributed::detail::members_of(view, own, own_end - own);
  }
  template <class View>
  [[nodiscard]] auto outputs(View const& view) const {
    return distributed::detail::members_of(view, out, out_end - out);
  }
  template <class Info>
  [[nodiscard]] std::string infos(std::vector<Info> const& all) const {
    return bytes(std::vector<Info>(all.begin() + out, all.begin() + out_end));
  }
};

template <class F>
void for_all_ways(std::int64_t members, F const& f) {
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  for (BlockLayout const& layout : layouts(comm.size(), members))
    for (BatchOptions const options :
         {BatchOptions{}, BatchOptions{Gather::root, comm.size() - 1}, BatchOptions{Gather::all}})
      f(comm, layout, options, Share(comm, layout, options));
}

TEST(DistributedBatch, DecomposesAsOneRankDoes) {
  std::int64_t const members = 11, m = 6, n = 4;
  Kokkos::View<double***, Exec> const A("A", members, m, n), U("U", members, m, n),
      V("V", members, n, n), U1("U1", members, m, n), V1("V1", members, n, n);
  Kokkos::View<double**, Exec> const S("S", members, n), S1("S1", members, n);
  fill(A, 1);
  auto const infos = carroll::svd(Exec(), A, U1, S1, V1);
  for_all_ways(members, [&](auto const& comm, auto const& layout, auto const& options,
                            Share const& share) {
    for (auto const& view : {U, V}) carroll::test::deep_copy(view, -1.0);
    carroll::test::deep_copy(S, -1.0);
    auto const info = distributed::svd_batch(comm, layout, share.inputs(A), share.outputs(U),
                                             share.outputs(S), share.outputs(V), {}, options);
    EXPECT_EQ(bytes(share.outputs(U)), bytes(share.outputs(U1)));
    EXPECT_EQ(bytes(share.outputs(S)), bytes(share.outputs(S1)));
    EXPECT_EQ(bytes(share.outputs(V)), bytes(share.outputs(V1)));
    ASSERT_EQ(std::int64_t(info.infos.size()), share.out_end - share.out);
    for (std::int64_t i = share.out; i < share.out_end; ++i) {
      EXPECT_EQ(info.infos[std::size_t(i - share.out)].status, infos[std::size_t(i)].status);
      EXPECT_EQ(info.infos[std::size_t(i - share.out)].rank, infos[std::size_t(i)].rank);
    }
    // Without vectors, by a workspace.
    auto workspace =
        carroll::svd_workspace<double>(comm.exec(), {.batch = layout.count(comm.rank()),
                                                     .rows = m,
                                                     .cols = n,
                                                     .u = carroll::SvdVectors::none,
                                                     .v = carroll::SvdVectors::none});
    carroll::test::deep_copy(S, -1.0);
    auto const values = distributed::svd_batch(comm, layout, share.inputs(A), carroll::none,
                                               share.outputs(S), carroll::none, workspace, options);
    EXPECT_EQ(bytes(share.outputs(S)), bytes(share.outputs(S1)));
    EXPECT_GE(values.compute_seconds, 0);
    EXPECT_EQ(values.move_seconds > 0, options.gather != Gather::none);
  });
}

TEST(DistributedBatch, TakesDeterminantsAsOneRankDoes) {
  std::int64_t const members = 9, n = 5;
  Kokkos::View<double***, Exec> const A("A", members, n, n);
  fill(A, 2);
  auto const infos = carroll::determinant_of(Exec(), A);
  auto const values = [](auto const& some) {
    std::vector<double> all;
    for (auto const& info : some) all.push_back(info.value.to());
    return all;
  };
  for_all_ways(members, [&](auto const& comm, auto const& layout, auto const& options,
                            Share const& share) {
    auto const kept = distributed::determinant_of_batch(comm, layout, share.inputs(A), {}, options);
    EXPECT_EQ(share.infos(values(infos)), bytes(values(kept.infos)));
    Kokkos::View<double***, Exec> const copy("copy", members, n, n);
    carroll::test::deep_copy(copy, A);
    auto const info = distributed::determinant_batch(comm, layout, share.inputs(copy), {}, options);
    EXPECT_EQ(share.infos(values(infos)), bytes(values(info.infos)));
  });
}

TEST(DistributedBatch, TakesStepsAsOneRankDoes) {
  std::int64_t const frames = 7, n = 60, k = 2, m = 5;
  Kokkos::View<float***, Kokkos::LayoutLeft, Exec> const B("B", frames, n, k),
      inverse("inverse", frames, k + m, n), inverse1("inverse1", frames, k + m, n);
  Kokkos::View<float**, Exec> const u("u", frames, n), d("d", frames, n), y("y", frames, k),
      y1("y1", frames, k), xi("xi", frames, m), xi1("xi1", frames, m);
  Kokkos::View<int*, Exec> const offsets("offsets", m + 1);
  auto const host_offsets = Kokkos::create_mirror_view(offsets);
  for (int i = 0; i <= m; ++i) host_offsets(i) = 12 * i;
  carroll::test::deep_copy(offsets, host_offsets);
  fill(B, 3);
  fill(u, 4);
  fill(d, 5);
  auto const infos = carroll::apply_pseudoinverse(Exec(), carroll::ArrowJacobian{B, u, offsets}, d,
                                                  carroll::ArrowSolution{y1, xi1});
  (void)carroll::pseudoinverse(Exec(), carroll::ArrowJacobian{B, u, offsets}, inverse1);
  for_all_ways(frames, [&](auto const& comm, auto const& layout, auto const& options,
                           Share const& share) {
    carroll::test::deep_copy(y, -1.F);
    carroll::test::deep_copy(xi, -1.F);
    carroll::test::deep_copy(inverse, -1.F);
    carroll::ArrowJacobian const part{share.inputs(B), share.inputs(u), offsets};
    auto const info = distributed::apply_pseudoinverse_batch(
        comm, layout, part, share.inputs(d),
        carroll::ArrowSolution{share.outputs(y), share.outputs(xi)}, {}, options);
    EXPECT_EQ(bytes(share.outputs(y)), bytes(share.outputs(y1)));
    EXPECT_EQ(bytes(share.outputs(xi)), bytes(share.outputs(xi1)));
    ASSERT_EQ(std::int64_t(info.infos.size()), share.out_end - share.out);
    for (auto const& one : info.infos) EXPECT_EQ(one.rank, infos.front().rank);
    (void)distributed::pseudoinverse_batch(comm, layout, part, share.outputs(inverse), {}, options);
    EXPECT_EQ(bytes(share.outputs(inverse)), bytes(share.outputs(inverse1)));
  });
}

TEST(DistributedBatchMisuse, ThrowsOnAllRanks) {
  auto const comm = Communicator::duplicate_from_raw(MPI_COMM_WORLD);
  BlockLayout const layout = distributed::block_layout(comm.size(), 2 * comm.size());
  bool const last = comm.rank() == comm.size() - 1;
  Kokkos::View<double***, Exec> const A("A", last ? 3 : 2, 4, 4);
  auto const call = [&] { (void)distributed::determinant_batch(comm, layout, A); };
  if (last) {
    EXPECT_THROW(call(), std::invalid_argument);
  } else {
    EXPECT_THROW(call(), distributed::RankError);
  }
  EXPECT_ANY_THROW(
      (void)distributed::determinant_batch(comm, distributed::block_layout(comm.size() + 1, 5), A));
}

}  // namespace
